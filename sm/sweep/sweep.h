/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweep.h - from "look" to "as planned": discovery, election, reading, planning, applying, serving.
 * Room: sm/sweep.  Pure: ends of transactions and jobs come in, requests and jobs go out.
 *
 *      start -> DISCOVER -> (seal) -> ELECT -> (look) [-> READ_PKEYS] -> READ_QOS [-> READ_GUIDS -> READ_MFTS]
 *            -> (plan) -> (diff) -> APPLY -> (index) -> finish
 *
 * In round brackets: WORK, a step that a job computes (steps.h) while the manager goes on.  A sweep is in one state at a time; the table of
 * states in sweep.c has what is done in each, and only sweep_set_state() changes it.  Light sweeps (sm/watch) are a state too: nothing
 * else is swept meanwhile.
 *
 * The sweep owns the fresh snapshot and plan until they are served, the readers of what discovery does not read, and the apply that writes.
 * What is served changes hands in one step (finish.c).  A sweep that is given up leaves nothing behind but 'served.unsure', when it was
 * writing.
 *      sweep.c     life, states                 course.c    what follows from each step
 *      finish.c    serving, the end             steps.c     steps as jobs
 *      planner.c   LIDs, engines, verifier      problems.c  what could not be done
 *      release.c   giving the ports back        loss.c      how many tries a request gets
 */
#ifndef HEDDLE_SM_SWEEP_SWEEP_H
#define HEDDLE_SM_SWEEP_SWEEP_H

#include "sm/apply/apply.h"
#include "sm/ha/election.h"
#include "sm/registry/registry.h"
#include "sm/sweep/loss.h"
#include "sm/sweep/port_keys.h"
#include "sm/sweep/renumber.h"
#include "sm/sweep/result.h"
#include "sm/sweep/vl_tables.h"
#include "sm/watch/watch.h"

struct guid_reader;
struct mft_reader;
struct pkey_reader;
struct sweep_job;

#define SWEEP_STATES(S) S(IDLE) S(LIGHT) S(DISCOVER) S(ELECT) S(READ_PKEYS) S(READ_QOS) S(READ_GUIDS) S(READ_MFTS) S(APPLY) S(WORK)
enum sweep_state {
#define S(name) SWEEP_##name,
	SWEEP_STATES(S)
#undef S
	SWEEP_STATE_COUNT
};

/* What has happened that other rooms must hear of: bits. */
enum sweep_event {
	SWEEP_EVENT_SERVED = 1,         /* another plan and index are served */
	SWEEP_EVENT_STOPPED = 2,        /* we do not lead any more */
};

/* LIDs across runs: the store keeps them. */
struct stored_lids {
	struct lid_id *rows;
	uint32_t n;
	bool changed;                   /* since the store took them */
	bool reassign;                  /* the next plan does not look at them */
};

struct release {
	enum { RELEASE_NONE, RELEASE_ASKED, RELEASE_DONE } state;
	bool by_this_sweep;             /* the sweep under way began after release was asked for */
};

/* Readers of what discovery does not read; at most one is there at a time. */
struct sweep_readers {
	struct pkey_reader *pkeys;
	struct guid_reader *guids;
	struct mft_reader *mfts;
	struct vl_tables vl;
};

/* What earlier sweeps have left. */
struct sweep_history {
	bool led;                       /* we have been master since the last time we were not: hosts know us */
	unsigned sweeps;                /* heavy ones that ended */
	unsigned problem_sweeps;        /* heavy sweeps in a row that left something unconfigured */
	unsigned limited_logged;        /* as planner_log() has it */
	struct port_keys keys_logged;
	unsigned events;                /* enum sweep_event, until they are taken */
};

struct sweep {
	/* borrowed */
	struct subnet *net;
	struct election *election;
	struct watch *watch;
	struct registry *registry;
	struct sa_stats *sa_stats;

	enum sweep_state state;
	struct sweep_job *job;          /* WORK; others that were handed out are nobody's any more */
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
	struct sweep_result cur, last;  /* of the sweep under way; of the one that ended last */
	struct monotime phase_began;
	struct loss loss;
	struct release release;
	struct renumbered renumbered;
	struct stored_lids lids;
	struct sweep_history history;
};

/* 'w' is zero.  The rows are copied. */
void sweep_init(struct sweep *w, const struct lid_id *lids, uint32_t nlids);
/* Gives up the sweep under way and frees all. */
void sweep_free(struct sweep *w);
/* The configuration was read again. */
void sweep_set_conf(struct sweep *w);

static inline bool
sweep_is_idle(const struct sweep *w)
{
	return w->state == SWEEP_IDLE;
}
bool sweep_works(const struct sweep *w);        /* waits for a job */
const char *sweep_state_text(enum sweep_state s);

/* A heavy sweep begins; none is under way. */
void sweep_start(struct sweep *w, const char *why);
/* The configured interval is over: a light sweep begins, or a heavy one. */
void sweep_on_interval(struct sweep *w);
/* Moves the sweep on as far as it goes now. */
void sweep_pump(struct sweep *w);
/* Gives up the sweep under way; its transactions have been cancelled. */
void sweep_give_up(struct sweep *w);
void sweep_on_discover_end(struct sweep *w, const struct txn_end *e);
void sweep_on_apply_end(struct sweep *w, const struct txn_end *e);
void sweep_on_read_end(struct sweep *w, const struct txn_end *e);
/* 'j' was run.  True: it was the sweep's.  False: nobody waits for it. */
bool sweep_take_job(struct sweep *w, struct job *j);
/* What has happened since the last call: bits of enum sweep_event. */
unsigned sweep_take_events(struct sweep *w);

/* What a sweep is about to write, for registry_pump(). */
struct registry_sweep sweep_for_registry(const struct sweep *w);

#endif
