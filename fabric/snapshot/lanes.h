/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes.h - which SL a path carries, and which VL a packet takes at each switch, as data.
 * Room: fabric/snapshot.  Pure.
 *
 * A routing engine that needs more than one VL says with a lane plan how packets are spread over
 * them.  Two rules make it:
 *
 *   SL   a packet from a port of switch a to a port of switch b carries sl[a][b].  Replies use the
 *        SL of the request, so the path from b to a is also used with sl[a][b].
 *   VL   a switch that receives a packet by one port and sends it by another puts it on
 *        vl[class of the in-port][class of the out-port][SL].  Ports have few classes (a
 *        dimension and a direction, local or global), so the rule is small and is written to
 *        SLtoVLMappingTables port by port.
 *
 * Tables without a lane plan (struct fwd_tables, lanes NULL) put no condition on SLs and use one VL
 * for each level of quality of service.
 * Where to look next: fabric/verify/verify.h checks tables with their lane plan, sm/plan/qos.h
 * makes SLtoVLMappingTables of it.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_LANES_H
#define HEDDLE_FABRIC_SNAPSHOT_LANES_H

#include <stddef.h>
#include <stdint.h>

#define LANE_CLASSES_MAX 16
#define LANE_SLS 16
#define LANE_VLS_MAX 15                 /* data VLs 0..14 */

struct lane_plan {
	uint8_t nvls;                   /* data VLs in use: VL 0 .. nvls - 1 */
	uint16_t sls;                   /* bit i: SL i is in use */
	uint32_t nswitches;
	/* [nswitches][nswitches] by switch ordinal: SL of the path; NULL: the routing puts no
	 * condition on the SL, and every SL in use is legal on every path */
	uint8_t *sl;
	/* [nswitches][lid_stride]: SLs, as bits, on which ports of a switch send to a LID, those of
	 * the requests that they answer included.  Only for tables of other managers, whose SLs
	 * may differ between the hosts of a switch; then 'sl' does not count.  NULL: 'sl' does. */
	const uint16_t *lid_sls;
	uint32_t lid_stride;            /* at least the highest LID + 1 */
	uint8_t nclasses;               /* at least 1 */
	/* by snapshot port index: the class of the port; NULL: all ports have class 0 */
	uint8_t *port_class;
	/* [class of the in-port][class of the out-port][SL]; in-ports include port 0 */
	uint8_t vl[LANE_CLASSES_MAX][LANE_CLASSES_MAX][LANE_SLS];
};

/* The SL of the path from a port of switch 'src' to one of switch 'dst' (ordinals). */
static inline uint8_t
lanes_sl(const struct lane_plan *p, uint32_t src, uint32_t dst)
{
	return p->sl ? p->sl[(size_t)src * p->nswitches + dst] : 0;
}

/* The VL on which a switch sends a packet of 'sl' from its port 'in' by its port 'out' (snapshot
 * port indices). */
static inline uint8_t
lanes_vl(const struct lane_plan *p, uint32_t in, uint32_t out, uint8_t sl)
{
	uint8_t i = p->port_class ? p->port_class[in] : 0;
	uint8_t o = p->port_class ? p->port_class[out] : 0;

	return p->vl[i][o][sl];
}

#endif
