/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_lanes.h - which SLs reach which turns, and the channels (port, VL) that follow.
 * Room: fabric/verify.  Private to the room.
 *
 * For each LID, every source puts its set of SLs (one bit each) into the column, and the sets are
 * pushed along the entries; no pair of hosts is ever walked.  The VL of a packet at a switch
 * depends on its SL and on the classes of the ports by which it came and leaves, so sets are kept
 * apart by the class of the in-port.  What is recorded of a column is, for each (class of the
 * in-port at one switch, port that receives at the next switch, out-port there), the SLs that made
 * this turn.  At the end each of them becomes dependencies of channels.
 *
 * The old and the new lane plan of a change are one struct verify_lanes: a class is a pair of
 * classes, and a packet may get the VL of either plan at each switch.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_LANES_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_LANES_H

#include "fabric/verify/verify_run.h"

#define VERIFY_CLASSES_MAX 64           /* pairs of classes that occur */

struct verify_lanes {
	const struct lane_plan *plan[2];
	unsigned nplans;                /* 2 only if they differ */
	struct lane_plan plain;         /* stands for tables without a plan: VL 0 */
	uint8_t nvls;
	uint16_t sls;
	uint32_t nclasses;
	/* the class in each plan */
	uint8_t of[2][VERIFY_CLASSES_MAX];
	uint8_t *port_class;            /* [g.nports] */
	uint64_t *in_classes;           /* [nsw]: classes of the ports that sources send by */
	size_t *first;                  /* [nsw + 1]: where the turns of a switch begin */
};

static inline uint8_t
verify_lanes_vl(const struct verify_lanes *x, unsigned plan, uint32_t in, uint32_t out, uint8_t sl)
{
	return x->plan[plan]->vl[x->of[plan][in]][x->of[plan][out]][sl];
}

/* False if a lane plan is not valid: a sentence is in r->lanes. */
bool verify_lanes_valid(const struct verify_in *in, const struct fwd_tables *f, const char *which,
	struct verify_result *r);
/* True if packets get the same SLs and VLs by both. */
bool verify_lanes_equal(
	const struct snapshot *s, const struct lane_plan *a, const struct lane_plan *b);
/* The number of VLs for the graph. */
unsigned verify_lanes_count(const struct verify_run *v);
/* Makes v->lanes after the graph and the sources.  False: too many pairs of classes. */
bool verify_lanes_init(struct verify_run *v);
/* The memory that a part needs for SLs and VLs. */
void verify_lanes_part(struct verify_part *p);
/* True if the SLs of some plan are by LID. */
bool verify_sls_by_lid(const struct verify_lanes *x);
/* Pushes the SLs for 'lid' along its columns, which are loaded.  'cycles': the order of
 * the walk does not do, because there are two columns or a loop. */
void verify_lanes_push(struct verify_part *p, uint32_t lid, bool cycles);
/* Makes dependencies of what all parts recorded. */
void verify_lanes_expand(struct verify_run *v);

#endif
