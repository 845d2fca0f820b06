/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ids.h - numbers in the place of GUIDs where up/down must decide between switches of one rank
 * (ids_guid_file).
 * Room: sm/route/tree.  Pure; private to the room.
 *
 * A link between switches of equal rank goes up towards the greater one.  By GUID that is chance;
 * an operator who knows the cabling says by ids which switch is to carry the traffic.  A switch
 * without an id counts with its GUID.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_IDS_H
#define HEDDLE_SM_ROUTE_TREE_IDS_H

#include "sm/route/tree/frame.h"

/* Puts the switches of both models in the order of their ids, if 'conf' has any; it may be NULL. */
void ids_order(struct frame *f, const struct route_conf *conf, struct arena *a);

#endif
