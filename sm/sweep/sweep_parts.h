/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweep_parts.h - struct sweep: its states, and the data it owns in each of them.
 * Room: sm/sweep.  Pure.
 *
 * Each file of the room takes a struct sweep and does one part of a sweep.  sweep.h is the
 * interface for other rooms, and describes the order of the parts.
 */
#ifndef HEDDLE_SM_SWEEP_SWEEP_PARTS_H
#define HEDDLE_SM_SWEEP_SWEEP_PARTS_H

#include "sm/apply/apply.h"
#include "sm/ha/election.h"
#include "sm/registry/registry.h"
#include "sm/planner/lanes.h"
#include "sm/planner/moves.h"
#include "sm/sweep/loss.h"
#include "sm/sweep/port_keys.h"
#include "sm/planner/renumber.h"
#include "sm/planner/result.h"
#include "sm/planner/topology.h"
#include "sm/planner/vl_tables.h"
#include "sm/watch/watch.h"

struct guid_reader;
struct lft_reader;
struct mft_reader;
struct pkey_reader;
struct sweep_job;

#define SWEEP_STATES(S) \
	S(IDLE) S(LIGHT) S(DISCOVER) S(ELECT) S(READ_LFTS) S(READ_PKEYS) S(READ_QOS) S(READ_GUIDS) S(READ_MFTS) \
	S(APPLY) S(WORK)
enum sweep_state {
#define S(name) SWEEP_##name,
	SWEEP_STATES(S)
#undef S
	SWEEP_STATE_COUNT
};

/* Events that other rooms must handle: bits. */
enum sweep_event {
	SWEEP_EVENT_SERVED = 1,         /* another plan and index are served */
	SWEEP_EVENT_STOPPED = 2,        /* this SM is no longer master */
};

/* LIDs across runs: the store keeps them. */
struct stored_lids {
	struct lid_id *rows;
	uint32_t n;
	bool changed;                   /* since the store took them */
	bool reassign;                  /* the next plan ignores them */
};

struct release {
	enum { RELEASE_NONE, RELEASE_ASKED, RELEASE_DONE } state;
	bool by_this_sweep;             /* the sweep under way began after release was asked for */
};

/* Readers of tables that discovery does not read; at most one exists at a time. */
struct sweep_readers {
	struct lft_reader *lfts;
	/* The snapshot has the tables that 'lfts' is expected to read; a plan waits for it. */
	bool expected, plan_waits;
	struct pkey_reader *pkeys;
	struct guid_reader *guids;
	struct mft_reader *mfts;
	struct vl_tables vl;
};

/* The forwarding tables of the run before, until this one leads; and those for the next run. */
struct stored_tables {
	struct sa_stored *before;       /* NULL: none; const, jobs read it */
	struct sa_early *early;         /* made of it; served once this manager leads */
	bool changed;                   /* since they were taken for the store */
	struct monotime taken;          /* when that was; MONOTIME_NEVER: not yet */
};

/* Results of earlier sweeps. */
struct sweep_history {
	/* A sweep was completed since we became master: hosts were asked to register. */
	bool led;
	unsigned sweeps;                /* heavy ones that ended */
	unsigned problem_sweeps;        /* consecutive heavy sweeps that left a problem */
	unsigned limited_logged;        /* for planner_log() */
	struct port_keys keys_logged;
	unsigned events;                /* enum sweep_event, until they are taken */
	struct monotime due;            /* next_sweep when the last targeted sweep began */
	struct topology topology;
	struct kept_state kept;         /* NULL while a job has it */
	struct lane_faults faults;      /* switches that did not take tables of lanes */
	bool lanes_used;                /* a plan with lanes was applied */
	struct moves_last moves;
	struct stored_tables stored;
	/* The last job that seals a snapshot, until it has ended; also that of an abandoned sweep. */
	const struct job *sealing;
};

struct sweep {
	/* borrowed */
	struct subnet *net;
	struct election *election;
	struct watch *watch;
	struct registry *registry;
	struct sa_stats *sa_stats;

	enum sweep_state state;
	/* The job of state WORK.  Jobs of abandoned sweeps are dropped when they end. */
	struct sweep_job *job;
	struct discover *discover;
	struct snapshot *fresh;
	struct observed *observed;      /* of 'fresh' */
	const struct plan *plan;        /* of 'fresh'; NULL: not made yet */
	struct sweep_readers read;
	struct apply *apply;
	struct changes changes;
	enum change_phase apply_phase;
	uint32_t *isolated;
	uint32_t nisolated;
	struct sweep_result cur, last;  /* of the sweep in progress; of the last that ended */
	struct monotime phase_began;
	struct loss loss;
	struct release release;
	struct renumbered renumbered;
	struct stored_lids lids;
	struct sweep_history history;
};

static inline bool
sweep_is_idle(const struct sweep *w)
{
	return w->state == SWEEP_IDLE;
}

#endif
