/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweep_job.h - input and output of a step of a sweep that is computed on another thread.
 * Room: sm/planner.  Pure.
 *
 * A job has no access to struct sweep or struct manager.  Its input is const and remains valid
 * while the job runs, because shared data is freed only by a later job (sm/subnet/job.h).  The job
 * owns its output; the sweep moves out what it needs and leaves NULL.
 */
#ifndef HEDDLE_SM_PLANNER_SWEEP_JOB_H
#define HEDDLE_SM_PLANNER_SWEEP_JOB_H

#include "fabric/discover/discover.h"
#include "fabric/read/pkey_read.h"
#include "fabric/read/qos_read.h"
#include "sm/diff/settled.h"
#include "sm/ha/election.h"
#include "sm/registry/group_trees.h"
#include "sm/sa/stored.h"
#include "sm/planner/lanes.h"
#include "sm/planner/result.h"
#include "sm/planner/topology.h"

enum sweep_step {
	STEP_SEAL,                      /* discovery's answers become a snapshot */
	STEP_LOOK,                      /* finds isolated nodes, and P_Key tables to read */
	STEP_PLAN,
	STEP_DIFF,
	STEP_INDEX,                     /* index to serve after the plan is applied */
};

/* Read by any step. */
struct step_input {
	const struct conf *conf;
	unsigned conf_age;              /* conf_age of the subnet when the step began */
	struct mkeys mkeys;             /* M_Keys to write; none during a release */
	const struct snapshot *served;  /* NULL: none */
	const struct plan *served_plan; /* of 'served'; NULL: none */
	struct diff_before before;      /* what is served, for the comparison */
	struct lane_faults faults;      /* switches that did not accept SLtoVL tables */
	/* This manager wrote SLtoVL tables of a lane plan: they are planned also without one. */
	bool lanes_used;
	/* VL tables as the sweep before left them; NULL: nothing is known. */
	const struct qos_tables *known_tables;
	const struct guid_tables *guids;        /* for the plan, which borrows them */
	/* the spanning trees of the plan served; NULL: none */
	const struct mcast_spans *spans;
	struct monotime (*clock)(void *arg);
	void *clock_arg;
	struct monotime given;          /* when it was handed out */
	bool led, reassign;             /* of the sweep, when this began */
	bool diff_ahead;                /* PLAN also makes what DIFF would */
	const struct stripes *stripes;  /* NULL: one thread */
};

/* Made by STEP_LOOK. */
struct look_made {
	struct plan_end *flapping;      /* given: links that are not routed over */
	uint32_t nflapping;
	uint32_t *isolated;
	uint32_t nisolated;
	struct pkey_ask *asks;
	uint32_t nasks;
	/* What of known_tables still holds, and who reads the rest. */
	struct qos_tables *tables;
	struct qos_reader *reader;
};

/* Made by STEP_PLAN: why multicast trees were refused, why the wanted root is not their root. */
struct plan_refusals {
	char trees[256], root[160];
};

/* STEP_SEAL of a manager that does not lead yet: what stored tables allow to answer. */
struct early_made {
	const struct sa_stored *from;   /* given; NULL: nothing is stored */
	struct sa_view conf;            /* given: what of the view the configuration says */
	struct sa_early *early;
	char why[64];                   /* 'early' is NULL: a clause */
};

/* Made by STEP_INDEX. */
struct index_made {
	struct sa_view view;            /* given */
	struct sm_info sms[ELECTION_SMS_MAX + 1];       /* that the view shows */
	struct sa_index *index;
	struct qos_groups *qos;
	struct roster *roster;          /* of 'fresh' */
	uint64_t *settled;              /* of 'fresh', for its observed state */
};

struct sweep_job {
	struct job job;                 /* first */
	enum sweep_step step;
	bool ended;
	int err;                        /* SEAL, PLAN */
	struct step_input in;
	struct discover *discover;      /* SEAL: consumed */
	struct snapshot *sealed;        /* made by SEAL */
	/* Changed by LOOK, while nothing else uses it; only read by the other steps. */
	struct snapshot *fresh;
	const struct observed *observed;        /* of fresh; not .tables, which rounds write */
	const struct plan *plan;        /* made and owned by PLAN, read by the other steps */
	struct lid_id *lids;            /* PLAN: those of earlier runs.  INDEX: those to store */
	uint32_t nlids;
	struct group_trees trees;       /* PLAN, INDEX: a copy, made when the step began */
	struct topology_step topology;  /* PLAN */
	struct plan_refusals refusals;
	/* PLAN: what was kept of the plan before; owned by the job */
	struct kept_state kept;
	struct sweep_result cur;        /* PLAN and INDEX add to it */
	struct look_made look;
	struct changes changes;         /* made by DIFF, or ahead of it by PLAN */
	bool diffed;                    /* PLAN made 'changes' */
	struct index_made made;
	struct early_made stored;
};

#endif
