/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos.h - what the SLtoVL and VLArbitration tables of every port should say, and which service
 * levels so get through.
 * Room: sm/plan.  Pure.  In: the snapshot, the link parameters, the families of the configuration.
 *
 * A port has the lanes of its cable (OperationalVLs as planned), or fewer if its family says so; a
 * VL beyond them is taken modulo their number, as OpenSM does, so that no SL is lost and no table
 * names a lane that is not there.
 */
#ifndef HEDDLE_SM_PLAN_QOS_H
#define HEDDLE_SM_PLAN_QOS_H

#include "fabric/snapshot/qos_tables.h"
#include "sm/conf/qos_family.h"
#include "sm/plan/link.h"
#include "sm/plan/qos_scopes.h"

struct qos_conf {
	struct qos_family family[QOS_KINDS];
	bool optimized;                 /* many pairs of a switch in one request, where it can */
	bool quiet;                     /* a refused SLtoVL table is no failure */
};

/* What a kind of port gets with so many lanes. */
struct qos_images {
	uint8_t slvl[SLVL_TABLE_BYTES];
	uint8_t vlarb[QOS_VLARB_BLOCKS][VLARB_TABLE_BYTES];
	uint16_t sls;                   /* service levels that are not dropped */
};

/* Ports whose arbitration gives some lane no turn, as far as they have room for it: what such an SL
 * carries would never leave. */
struct qos_starving {
	uint32_t ports;
	uint16_t sls;                   /* bit n: SL n, at some of them */
};

struct qos_plan {
	bool on;                        /* else nothing is wanted, and all below is empty */
	bool optimized, quiet;
	const uint8_t *lanes;           /* by port index: 1..15; 0: no tables there */
	const uint8_t *kind;            /* by port index: enum qos_kind */
	uint8_t high_limit[QOS_KINDS];
	struct qos_starving starving[QOS_KINDS];        /* filled in by who wants to tell of it */
	/* what a policy says of single ports, over the families; NULL: nothing */
	const struct qos_scopes *scopes;
	struct qos_images images[QOS_KINDS][QOS_VLS_MAX + 1];   /* by kind and lanes */
};

/* '*out' borrows 'a'. */
void qos_plan_make(const struct snapshot *s, const struct link_conf *links,
	const struct qos_conf *c, struct arena *a, struct qos_plan *out);
/* The wanted table, SLVL_TABLE_BYTES or VLARB_TABLE_BYTES; of a port that has no lanes: false.
 * What routing says of the lanes between an input and an output port would come in here. */
bool qos_plan_table(const struct qos_plan *q, const struct snapshot *s, const struct qos_table *t,
	uint8_t *image);
/* By kind of port. */
void qos_plan_starving(
	const struct qos_plan *q, const struct snapshot *s, struct qos_starving out[QOS_KINDS]);
/* PortInfo.VLHighLimit of a port that has lanes. */
uint8_t qos_plan_high_limit(const struct qos_plan *q, uint32_t port);
/* Bit n: packets of SL n, wherever they came in, may leave by that port (index).  All, while
 * nothing is planned. */
uint16_t qos_plan_sls(const struct qos_plan *q, const struct snapshot *s, uint32_t port);

#endif
