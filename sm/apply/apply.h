/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * apply.h - sends changes, phase by phase; only an answer that confirms a change completes it.
 * Room: sm/apply.  Pure: returns requests and takes the ends of transactions; txn sends them.
 * This is the only room of heddled that writes fabric configuration.
 *
 * The room is an engine; sm/diff (kind.h) defines the changes and the meaning of each kind.  A
 * phase begins when all requests of the one before have ended.  A request that times out is
 * repeated in the same phase (a further round), without repeating the sweep.  If the kind allows
 * it, a Get follows a refused Set, because its data may show the wanted state.  Changes that fail
 * are listed, and their kind marks the result as unknown, so that the next sweep corrects it.
 *
 * The changes of one phase may have an order (struct change_order).  Then there is no barrier among
 * them: each is sent when those that it waits for are confirmed, and what waits for a failed one is
 * held back.
 */
#ifndef HEDDLE_SM_APPLY_APPLY_H
#define HEDDLE_SM_APPLY_APPLY_H

#include "fabric/snapshot/mkeys.h"
#include "libmad/txn/txn.h"
#include "sm/diff/diff.h"
#include "util/log.h"
#include "util/monotime.h"

struct apply;

struct apply_failure {
	const struct change_kind *kind;
	uint8_t phase;                  /* enum change_phase */
	uint8_t end;                    /* enum txn_end_kind; OK: answered, but without effect */
	uint16_t status;
	struct change change;
	uint32_t node;                  /* node index */
	uint8_t port;
};

/*
 * Takes the changes ('c' is emptied).  Borrows the plan and the observed state until
 * apply_free(), and updates the observed state from answers.
 */
struct apply *apply_new(struct observed *o, const struct plan *plan, struct changes *c,
	struct mkeys mkeys, const struct log *log);
void apply_free(struct apply *a);
/* The next request of the current phase; its target is the node index.  False: none at present. */
bool apply_next(struct apply *a, struct txn_req *r);
void apply_end(struct apply *a, const struct txn_end *e);
/* The time now.  Only changes with an order need it, for drain times; it never goes back. */
void apply_set_time(struct apply *a, struct monotime now);
/* When apply_next() may have a request though nothing has ended; false: at no time. */
bool apply_deadline(const struct apply *a, struct monotime *at);
bool apply_done(const struct apply *a);
/* Whether a change of a kind that stops (kind.h) failed: later phases are not sent. */
bool apply_stopped(const struct apply *a);
enum change_phase apply_phase(const struct apply *a);   /* CHANGE_PHASE_COUNT when done */
/* Number of Sets confirmed so far, and in total. */
void apply_progress(const struct apply *a, uint64_t *done, uint64_t *total);
const struct apply_failure *apply_failures(const struct apply *a, uint32_t *n);
/* Writes the reason of a failure to 'text'.  Names a status only if an answer carried one. */
#define APPLY_END_TEXT_BYTES 48
void apply_end_text(const struct apply_failure *f, char text[static APPLY_END_TEXT_BYTES]);

#endif
