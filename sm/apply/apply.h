/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * apply.h - sends changes, phase by phase; only what an answer confirms counts as done.
 * Room: sm/apply.  Pure: hands out requests, takes in ends; txn sends them.
 * The only room of heddled that writes fabric configuration.
 *
 * The room is an engine: which changes there are, and what each kind of them means, is in sm/diff
 * (kind.h).  A phase begins when all requests of the one before have ended.  A request that times
 * out is tried again in the same phase (rounds), never the whole sweep.  A refused Set is followed
 * by a Get where the kind says that this can show success.  What could not be done is listed, and
 * the kind marks it as not known, for the next sweep.
 */
#ifndef HEDDLE_SM_APPLY_APPLY_H
#define HEDDLE_SM_APPLY_APPLY_H

#include "fabric/snapshot/mkeys.h"
#include "libmad/txn/txn.h"
#include "sm/diff/diff.h"
#include "util/log.h"

struct apply;

struct apply_failure {
	const struct change_kind *kind;
	uint8_t phase;                  /* enum change_phase */
	uint8_t end;                    /* enum txn_end_kind; OK: the answer shows no effect */
	uint16_t status;
	struct change change;
	uint32_t node;                  /* node index */
	uint8_t port;
};

/*
 * Takes the changes (emptied).  Borrows what is observed, and updates it by answers, and the plan,
 * until apply_free().
 */
struct apply *apply_new(struct observed *o, const struct plan *plan, struct changes *c,
	struct mkeys mkeys, const struct log *log);
void apply_free(struct apply *a);
/* The next request of the present phase; its target is the node index.  False: none right now. */
bool apply_next(struct apply *a, struct txn_req *r);
void apply_end(struct apply *a, const struct txn_end *e);
bool apply_done(const struct apply *a);
enum change_phase apply_phase(const struct apply *a);   /* CHANGE_PHASE_COUNT when done */
/* Sets confirmed so far, and planned in all. */
void apply_progress(const struct apply *a, uint64_t *done, uint64_t *total);
const struct apply_failure *apply_failures(const struct apply *a, uint32_t *n);
/* Why, in words, into 'text'.  A status is told only of an answer that had one. */
#define APPLY_END_TEXT_BYTES 48
void apply_end_text(const struct apply_failure *f, char text[static APPLY_END_TEXT_BYTES]);

#endif
