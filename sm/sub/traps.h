/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * traps.h - holds back repeated traps, so that subscribers are not flooded.
 * Room: sm/sub.  Pure.  In: traps as they arrive.  Out: traps to report.  docs/sa.md:
 * subscriptions.
 *
 * A device repeats a trap until it gets a TrapRepress, and a flapping port sends many traps.  Traps
 * with the same LID, port and number are of one kind.  The first is reported at once.  During the
 * hold time, a trap with the same TID is a repetition and is dropped.  Any other is held, and the
 * last one held is reported when the time has passed, so the subscribers learn the final state.
 */
#ifndef HEDDLE_SM_SUB_TRAPS_H
#define HEDDLE_SM_SUB_TRAPS_H

#include <stdbool.h>
#include "libmad/attr/sm_attr.h"
#include "util/monotime.h"

struct traps;
struct traps *traps_new(void);
void traps_free(struct traps *t);       /* 't' may be NULL */
/* True: report the trap now.  'rest_us': how long further traps of its kind are held. */
bool traps_take(struct traps *t, const struct notice *n, uint64_t tid, int64_t rest_us,
	struct monotime now);
/* Takes a held trap whose time has come; false: none. */
bool traps_due(struct traps *t, struct monotime now, struct notice *n);
bool traps_deadline(const struct traps *t, struct monotime *at);
/* Number of traps that were not reported when they arrived. */
uint64_t traps_repeated(const struct traps *t);

#endif
