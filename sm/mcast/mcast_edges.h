/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_edges.h - which links a span may use.
 * Room: sm/mcast.  Private to the room.  Pure.
 *
 * An edge is a link between two switches that both forward multicast.  With ranks it is legal
 * from its higher to its lower end.  Without ranks it is legal if the turns that it brings to the
 * switches at its ends, on every VL that packets of the groups' SLs can be on, fit into the order
 * of channels.
 */
#ifndef HEDDLE_SM_MCAST_MCAST_EDGES_H
#define HEDDLE_SM_MCAST_MCAST_EDGES_H

#include "sm/mcast/mcast_order.h"
#include "sm/mcast/mcast_spans.h"

struct mcast_edges {
	const struct snapshot *s;
	struct swgraph g;
	uint16_t *rank;                 /* NULL: 'order' counts */
	struct mcast_order order;
	const struct lane_plan *lanes;  /* NULL: one VL */
	uint16_t sls;                   /* one of each that is mapped alike */
	/* per switch: classes of ports that lead to no switch; with a lane plan only */
	uint16_t *ends;
	uint8_t *forwards;              /* per switch */
	/* per switch: where its port 0 is in behind[]; per port the switch at the other end, if both
	 * forward, otherwise FAB_NONE */
	uint32_t *first, *behind;
};

/* Everything is owned by 'a'. */
void mcast_edges_init(struct mcast_edges *e, const struct mcast_spans_in *in, struct arena *a);
/* All SLs that edges are legal for, as bits. */
uint16_t mcast_edges_sls(const struct mcast_edges *e);
/* With ranks: whether 'to' is higher than 'from'. */
bool mcast_edges_leads_up(const struct mcast_edges *e, uint32_t from, uint32_t to);
/* Whether a span may lead from 'above' down to 'sw': without ranks, that is seen when it is added. */
bool mcast_edges_is_legal(const struct mcast_edges *e, uint32_t sw, uint32_t above);
/* Adds the link of 'port' to the span; false: its turns do not fit. */
bool mcast_edges_add(struct mcast_edges *e, struct mcast_span *t, uint32_t port);
/* Removes it from the span; its turns stay in the order, where they do no harm. */
void mcast_edges_remove(struct mcast_edges *e, struct mcast_span *t, uint32_t port);
/* The turns added so far; takes back those since. */
uint32_t mcast_edges_mark(const struct mcast_edges *e);
void mcast_edges_undo(struct mcast_edges *e, uint32_t mark);

static inline bool
mcast_edges_forwards(const struct mcast_edges *e, uint32_t sw)
{
	return e->forwards[sw];
}

/* The switch that the port of that number leads to, if both forward; FAB_NONE. */
static inline uint32_t
mcast_edges_behind(const struct mcast_edges *e, uint32_t sw, uint8_t num)
{
	return num < e->first[sw + 1] - e->first[sw] ? e->behind[e->first[sw] + num] : FAB_NONE;
}

/* The switch (ordinal) of a port. */
static inline uint32_t
mcast_edges_switch(const struct mcast_edges *e, uint32_t port)
{
	return e->s->nodes[e->s->ports[port].node].sw;
}

/* The next port of 'sw' in the span after 'num'; 0: there is none. */
unsigned mcast_edges_next(const struct mcast_span *t, uint32_t sw, unsigned num);

#endif
