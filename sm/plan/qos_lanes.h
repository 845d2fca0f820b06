/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_lanes.h - the VLs of a lane plan in SLtoVL and VL arbitration tables, and the SL of a path.
 * Room: sm/plan.  Pure.  docs/qos.md, "Routing engines that use several VLs".
 *
 * A routing engine may need several VLs (fabric/snapshot/lanes.h).  QoS needs VLs, too: each VL to
 * which it maps an SL that it uses is a level.  Both are combined by giving each level as many VLs
 * as the routing needs: level g has VLs g * n to g * n + n - 1, and its packets use them as the
 * lane plan says.  An SL that nothing uses counts as one of the level that its VL belongs to, or
 * else of the first, and is never dropped.
 *
 * Where the lane plan requires an SL for each path, an SL cannot stand for a level as well: then
 * there is only one level.
 */
#ifndef HEDDLE_SM_PLAN_QOS_LANES_H
#define HEDDLE_SM_PLAN_QOS_LANES_H

#include "fabric/snapshot/lanes.h"
#include "fabric/snapshot/snapshot.h"
#include "sm/conf/qos_family.h"

struct qos_lanes {
	const struct lane_plan *plan;   /* NULL: the routing uses one VL */
	uint8_t nlevels;                /* at least 1 */
	uint8_t level[QOS_SLS];         /* by SL; QOS_VL_DROP: QoS drops it */
	uint8_t vl[QOS_VLS_MAX];        /* by level: the VL that QoS gives to it, ascending */
};

/* The levels of the SLs in 'used' (bits) under that table; SL 0 is always used. */
void qos_lanes_levels(struct qos_lanes *l, uint16_t used, const struct conf_sl2vl *v);
/* The VL of packets of 'sl' that enter a switch by a port of class 'in' and leave by one of class
 * 'out'. */
uint8_t qos_lanes_vl(const struct qos_lanes *l, unsigned in, unsigned out, unsigned sl);
/* The arbitration table in which each VL of a level has the weight that '*v' gives to the level. */
struct conf_vlarb qos_lanes_vlarb(const struct qos_lanes *l, const struct conf_vlarb *v);

/* The ordinal of the switch at which the paths of a port begin: its own, or the one that it is
 * connected to; FAB_NONE: none. */
uint32_t qos_lanes_switch(const struct snapshot *s, uint32_t port);
/* Whether the routing requires an SL for paths between these ports (indices), and which. */
bool qos_lanes_sl(const struct lane_plan *p, const struct snapshot *s, uint32_t a, uint32_t b,
	uint8_t *sl);

#endif
