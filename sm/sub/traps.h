/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * traps.h - traps that repeat: what is told to subscribers once, and what again.
 * Room: sm/sub.  Pure.  In: traps as they come.  Out: those to tell.  docs/sa.md: subscriptions.
 *
 * A device repeats its trap until it is repressed; and who flaps sends many.  Traps of one LID,
 * port and number are one kind.  The first is told at once.  Of those that come within the time of
 * a repress, one with the same TID is the same trap and is not told again; any other is held, and
 * the last of them is told when the time is over: no change goes untold.
 */
#ifndef HEDDLE_SM_SUB_TRAPS_H
#define HEDDLE_SM_SUB_TRAPS_H

#include <stdbool.h>
#include "libmad/attr/sm_attr.h"
#include "util/monotime.h"

struct traps;
struct traps *traps_new(void);
void traps_free(struct traps *t);       /* NULL is fine */
/* True: tell it now.  'rest_us': for so long its like are held. */
bool traps_take(struct traps *t, const struct notice *n, uint64_t tid, int64_t rest_us,
	struct monotime now);
/* One of the held whose time has come, into '*n'; false: there is none. */
bool traps_due(struct traps *t, struct monotime now, struct notice *n);
bool traps_deadline(const struct traps *t, struct monotime *at);
/* So many were not told when they came. */
uint64_t traps_repeated(const struct traps *t);

#endif
