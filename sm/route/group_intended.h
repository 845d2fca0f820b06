/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * group_intended.h - the intended topology of a group of switches.
 * Room: sm/route (prefix group_intended_).  Pure.
 *
 * Engines take ranks, planes and ids from the intended topology, so that damage moves little.
 * Those of the whole fabric do not fit a group: its roots may be outside.  So the group's are
 * learned from its part of the intended topology, which stays as it is while links and hosts come
 * and go.
 */
#ifndef HEDDLE_SM_ROUTE_GROUP_INTENDED_H
#define HEDDLE_SM_ROUTE_GROUP_INTENDED_H

#include "sm/conf/routing/groups.h"
#include "sm/route/model/engine.h"

/* The switches of the group that 't' has, their hosts, and the links among them, learned as a
 * fabric with the roots of 'c'.  The caller frees it.  NULL: 't' has none of the switches, they
 * are not connected there, or the roots are none of them. */
struct intended *group_intended_make(
	const struct intended *t, const struct routing_group *g, const struct route_conf *c);

#endif
