/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * result.h - the result of a sweep: outcome, problems, counts, times.
 * Room: sm/planner.  Pure.
 *
 * A result contains names and numbers, no indices, so it remains valid when the snapshot is freed.
 * The sweep in progress fills one result ('cur'); sm/status makes documents from that of the last
 * sweep that ended ('last').
 */
#ifndef HEDDLE_SM_PLANNER_RESULT_H
#define HEDDLE_SM_PLANNER_RESULT_H

#include <jansson.h>
#include "fabric/score/score_moves.h"
#include "fabric/verify/verify.h"
#include "sm/diff/diff.h"
#include "sm/route/chain.h"
#include "sm/route/groups.h"
#include "sm/watch/roster.h"
#include "util/monotime.h"

enum sweep_outcome {
	OUTCOME_RUNNING,        /* the first sweep has not ended */
	OUTCOME_UP,             /* configured, verified, nothing failed */
	OUTCOME_PARTIAL,        /* configured, but some node was not */
	OUTCOME_REFUSED,        /* the plan was refused: nothing written */
	OUTCOME_STANDBY,        /* another manager is master */
	OUTCOME_NO_FABRIC,      /* our own port does not answer, or has no link */
};

#define SWEEP_PHASES(P) \
	P(DISCOVER, "discover") P(ELECT, "elect") P(LIDS, "lids") P(ROUTE, "route") P(VERIFY, "verify") \
	P(DIFF, "diff") P(APPLY, "apply")
enum sweep_phase {
#define P(name, word) PHASE_##name,
	SWEEP_PHASES(P)
#undef P
	PHASE_COUNT
};

/* The place of a problem. */
struct problem_place {
	uint64_t guid;                  /* of the node */
	uint64_t port_guid;             /* of the end port; 0 unknown */
	uint16_t lid;
	uint8_t port, hop_count;
	uint8_t path[DGRAM_PATH_BYTES];
	char description[NODE_DESC_BYTES * 3 + 1];
	/*
	 * The port before the node, if the node is known by its place only; otherwise 'before_guid'
	 * is 0 and 'before' is "".
	 */
	uint64_t before_guid;
	uint8_t before_port;
	char before[ROSTER_PLACE_BYTES];
};

/* A failed operation of a sweep, or a fault of the subnet. */
struct sweep_problem {
	struct problem_place at;
	uint32_t modifier;
	uint16_t status;                /* of the MAD */
	/* "timeout", "mad_status", "bad_reply", "duplicate_guid", "cut_off" and others. */
	char code[16];
	char attribute[32];
	char reason[768];
};

/* Counts of the subnet at the end of a sweep. */
struct subnet_counts {
	uint32_t nodes, switches, cas, routers, hosts, links;
	uint32_t linked, active, armed, init, down, unlinked;   /* ports */
};

/* What is kept from one plan to the next: by an engine, and of the last tables that were verified. */
struct kept_state {
	const char *engine;             /* its name; static text */
	struct route_state *s;          /* NULL: nothing */
	struct verify_kept *proof;      /* NULL: nothing */
	struct chain_seen *shape;       /* NULL: nothing */
	struct groups_kept groups;      /* of the last tables that had groups */
};

struct sweep_result {
	enum sweep_outcome outcome;
	int64_t phase_us[PHASE_COUNT];
	int64_t apply_us[CHANGE_PHASE_COUNT];
	struct route_report route;
	struct chain chain;             /* the engines that were tried */
	struct order_report order;      /* of the writes of forwarding tables */
	/* of the tables served before and those written; false: none in use were */
	bool moves_known;
	struct score_moves moves;
	struct lid_report lid;
	struct verify_result verify;
	struct verify_result mixture;   /* of tables with several VLs (mixture.h) */
	bool verified;
	bool targeted;          /* not everything was read (targeted.h) */
	/* Made while the snapshot was valid; NULL: nothing was verified. */
	json_t *verify_doc;
	struct subnet_counts counts;
	char refusal[320];              /* why the plan was not written; "" */
	struct sweep_problem *problems;
	uint32_t nproblems, cap_problems;
	uint64_t changes;               /* Sets planned */
	struct monotime started, ended;
	char why[96];
};

/* Frees what was kept, and clears it. */
void sweep_kept_clear(struct kept_state *k);
/* Frees what it holds, and clears it. */
void sweep_result_clear(struct sweep_result *r);
/* Adds a problem, all 0; the pointer is valid until the next call. */
struct sweep_problem *sweep_result_add(struct sweep_result *r);
/* Counts 's', and adds the findings of the verifier to 'r'. */
void sweep_result_count(const struct snapshot *s, struct sweep_result *r);

#endif
