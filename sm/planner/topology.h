/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * topology.h - the intended topology over the life of a manager: learned, kept, adopted.
 * Room: sm/planner.  Pure.
 *
 * Each plan compares the intended topology with the fresh snapshot.  The first plan of a fabric
 * that is whole learns it; later plans adopt the growth that moves nothing
 * (sm/intended/adopt.h); the rest waits for a command.  A topology is young until a sweep finds
 * all of it and nothing more: while a fabric starts, links come up one after the other, so a young
 * one is learned again as long as there is only growth.
 *
 * A topology most of whose switches are unknown here is foreign (the store is of another fabric):
 * it is kept, but not used, until a command.
 *
 * One that a manager learns when it begins to lead, or that it had before another manager led, may
 * be wrong; hold.h says how the tables in force decide.
 *
 * Invariant: 't' is const once it is here.  Jobs read it, and a job frees it (subnet_retire()).
 * Where to look next: sm/intended/intended.h, planner.c (who uses it), sm/status/topology_doc.h.
 */
#ifndef HEDDLE_SM_PLANNER_TOPOLOGY_H
#define HEDDLE_SM_PLANNER_TOPOLOGY_H

#include "sm/intended/adopt.h"
#include "sm/intended/compare.h"
#include "sm/subnet/subnet.h"

struct sweep_job;

/* The command of an operator; the next plan executes it. */
enum topology_wish { TOPOLOGY_KEEP, TOPOLOGY_ADOPT, TOPOLOGY_REBALANCE };

/* What a plan did. */
enum topology_deed {
	TOPOLOGY_SAME,
	TOPOLOGY_LEARNED,
	TOPOLOGY_GROWN,
	TOPOLOGY_ADOPTED,
	TOPOLOGY_REBALANCED,
};

struct topology {
	struct intended *t; /* NULL: none yet */
	struct intended_diff *diff; /* found by the last plan; NULL: none */
	char *text; /* the document for the store; NULL: none */
	size_t len;
	bool changed; /* since the store took it */
	bool young, foreign;
	bool held; /* present entries come first: the topology is in doubt (hold.h) */
	enum topology_wish wish;
	char unread[320]; /* why the stored document was not taken; or "" */
};

/* Input and output of STEP_PLAN; see struct sweep_job. */
struct topology_step {
	const struct intended *t; /* given */
	bool young, calm, held; /* given; calm: no link flaps; 'held' may be changed */
	enum topology_wish wish;
	struct intended *made; /* the topology from now on; NULL: that which was given */
	struct intended_diff *diff;
	char *text; /* of 'made' */
	size_t len;
	enum topology_deed deed;
	struct intended_growth growth;
	bool foreign, still_young;
};

/* Takes a stored document ('text' NULL: there is none); 'w' is zero. */
void topology_init(struct topology *w, const char *text, size_t len);
void topology_clear(struct topology *w, struct subnet *n);

/* ---- in a job ---- */

void topology_give(const struct topology *w, bool calm, struct topology_step *out);
/* Before engines run: what they take as intended; NULL: the snapshot. */
const struct intended *topology_plan(struct sweep_job *j);
/* What was learned for this plan does not lead to the tables in force: it is not taken, and the
 * plan keeps what it found. */
void topology_withdraw(struct sweep_job *j);
void topology_step_clear(struct topology_step *v);

/* ---- on the manager's thread ---- */

/* The plan was accepted: takes over what it made, and logs it. */
void topology_take(struct topology *w, struct subnet *n, struct topology_step *v);

#endif
