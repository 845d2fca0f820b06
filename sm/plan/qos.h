/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos.h - the wanted SLtoVL and VLArbitration tables of every port, and the service levels that a
 * port lets through.
 * Room: sm/plan.  Pure.  In: the snapshot, the link parameters, the QoS families of the
 * configuration.
 *
 * A port uses the VLs of its link (OperationalVLs as planned), or fewer if its family says so.  A
 * VL above that number is taken modulo the number, as OpenSM does.  So no SL is lost, and no table
 * names a VL that the port lacks.  A policy (qos_scopes.h) overrides the families for single ports.
 *
 * If the routing uses several VLs, SLtoVL tables follow its lane plan instead, and arbitration
 * gives each VL of a QoS level the weight of the level (qos_lanes.h).
 */
#ifndef HEDDLE_SM_PLAN_QOS_H
#define HEDDLE_SM_PLAN_QOS_H

#include "fabric/snapshot/qos_tables.h"
#include "sm/conf/qos_family.h"
#include "sm/plan/link.h"
#include "sm/plan/qos_lanes.h"
#include "sm/plan/qos_scopes.h"

struct qos_conf {
	struct qos_family family[QOS_KINDS];
	/* write several tables of a switch with one request, where it supports that */
	bool optimized;
	bool quiet;                     /* do not report a rejected SLtoVL table */
	/* only ports of switches that lead to switches have tables: the others stay as they are */
	bool between_switches;
	struct qos_lanes lanes;         /* .plan NULL: the families say which VLs SLs have */
};

/* The tables of one kind of port with a given number of VLs. */
struct qos_images {
	uint8_t slvl[SLVL_TABLE_BYTES];
	uint8_t vlarb[QOS_VLARB_BLOCKS][VLARB_TABLE_BYTES];
	uint16_t sls;                   /* service levels that are not dropped */
};

/* Ports whose arbitration table, as far as their hardware holds it, gives no weight to some VL:
 * packets of the SLs on that VL would never leave. */
struct qos_starving {
	uint32_t ports;
	uint16_t sls;                   /* bit n: SL n, at one or more of the ports */
};

/* SLtoVL tables of a lane plan, by class of the in-port and of the out-port. */
struct qos_lane_images {
	uint8_t slvl[LANE_CLASSES_MAX][LANE_CLASSES_MAX][SLVL_TABLE_BYTES];
};

struct qos_plan {
	/* false: nothing is wanted, and all other members are empty */
	bool on;
	bool optimized, quiet;
	const uint8_t *vls;           /* by port index: 1..15; 0: no tables there */
	const uint8_t *kind;            /* by port index: enum qos_kind */
	uint8_t high_limit[QOS_KINDS];
	/* the caller fills it: qos_plan_starving() */
	struct qos_starving starving[QOS_KINDS];
	/* values of a policy for single ports, which override the families; NULL: none */
	const struct qos_scopes *scopes;
	const struct qos_lanes *lanes;  /* NULL: the routing uses one VL */
	/* with 'lanes', by number of VLs; NULL: no port has so many */
	const struct qos_lane_images *lane_images[QOS_VLS_MAX + 1];
	struct qos_images images[QOS_KINDS][QOS_VLS_MAX + 1];   /* by kind and number of VLs */
};

/* '*out' borrows 'a'. */
void qos_plan_make(const struct snapshot *s, const struct link_conf *links,
	const struct qos_conf *c, struct arena *a, struct qos_plan *out);
/* Writes the wanted table, SLVL_TABLE_BYTES or VLARB_TABLE_BYTES; false for a port without VLs. */
bool qos_plan_table(const struct qos_plan *q, const struct snapshot *s, const struct qos_table *t,
	uint8_t *image);
/* Whether the port has VLs, and so its tables are wanted. */
static inline bool
qos_plan_has(const struct qos_plan *q, uint32_t port)
{
	return q->on && q->vls[port];
}
/* Whether SLtoVL tables may depend on the input port. */
bool qos_plan_by_input(const struct qos_plan *q);
/* Finds starved service levels, by kind of port. */
void qos_plan_starving(
	const struct qos_plan *q, const struct snapshot *s, struct qos_starving out[QOS_KINDS]);
/* PortInfo.VLHighLimit of a port that has VLs. */
uint8_t qos_plan_high_limit(const struct qos_plan *q, uint32_t port);
/* Bit n: packets of SL n may leave by that port (index), whichever port they entered by.  All
 * bits are set if QoS is not planned. */
uint16_t qos_plan_sls(const struct qos_plan *q, const struct snapshot *s, uint32_t port);

#endif
