/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * throttled.h - the fabric without links that run slower than both their ends can.
 * Room: sm/route (prefix throttled_).  Pure.
 *
 * A link that came up with fewer lanes, or at a lower speed, than both ports support carries a
 * fraction of what its peers carry, and each path over it is as slow.  avoid_throttled_links hides
 * such links between switches from the engines, so to them it is as if the links were lost: every
 * engine knows what to do then, and as little moves.  Links that alone join two parts of the fabric
 * stay.
 *
 * Invariant: the result has the indices of the snapshot, so LIDs and tables of one fit the other.
 */
#ifndef HEDDLE_SM_ROUTE_THROTTLED_H
#define HEDDLE_SM_ROUTE_THROTTLED_H

#include "fabric/snapshot/snapshot.h"

/* Whether the link of this port, which has one, runs slower than both its ends support.  A width or
 * speed that is not shown is none that is too low. */
bool throttled_link(const struct snapshot *s, uint32_t port);
/* The snapshot without such links, as far as it stays in one piece: owned by 'a', with all but the
 * ports shared; '*n' of them are left out.  's' itself if there are none. */
const struct snapshot *throttled_hide(const struct snapshot *s, struct arena *a, uint32_t *n);

#endif
