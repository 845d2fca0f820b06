/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_show.c - one cycle of dependencies as evidence: its channels, and why each waits.
 * Room: fabric/verify.  Pure.  In: components of the graph.  Out: channels, VLs, LIDs and SLs.
 */
#include <config.h>
#include "fabric/verify/verify_lanes.h"
#include "fabric/verify/verify_run.h"
#include "util/bits.h"

/* Two channels of a cycle: the second one is waited for by packets in the first. */
struct edge {
	uint32_t from, to;              /* the receiving ports */
	uint8_t from_vl, to_vl;
	uint32_t sw[2];                 /* the switch that sends into 'from', and the next one */
	uint8_t out[2];                 /* their ports */
};

static struct edge
make_edge(const struct chan_graph *g, uint32_t a, uint32_t b)
{
	struct edge e = { .from = a >> g->vl_bits, .to = b >> g->vl_bits };
	uint32_t mask = (1u << g->vl_bits) - 1;

	e.from_vl = (uint8_t)(a & mask);
	e.to_vl = (uint8_t)(b & mask);
	e.sw[0] = g->hop[e.from].sw;
	e.sw[1] = g->sw[e.from];
	e.out[0] = (uint8_t)(g->hop[e.from].chan - g->first[e.sw[0]]);
	e.out[1] = (uint8_t)(g->hop[e.to].chan - g->first[e.sw[1]]);
	return e;
}

/* Some table sends 'lid' from the switch by the port. */
static bool
may_leave(const struct verify_run *v, uint32_t sw, uint8_t out, uint32_t lid)
{
	for (unsigned t = 0; t < v->ntables; t++)
		if (lid <= v->f[t]->top && fwd_row(v->f[t], sw)[lid] == out)
			return true;
	return false;
}

/* An SL that makes the edge, after the SLs were pushed; LANE_SLS: none. */
static uint8_t
edge_sl(const struct verify_part *p, const struct edge *e)
{
	const struct verify_lanes *x = p->v->lanes;
	const uint16_t *mask = &p->mask[(size_t)e->sw[0] * x->nclasses];
	uint32_t sender = p->v->g.hop[e->from].chan, leaves = p->v->g.hop[e->to].chan;

	for (uint8_t sl = 0; sl < LANE_SLS; sl++) {
		bool from = false, to = false;

		for (uint32_t c = 0; c < x->nclasses; c++)
			for (unsigned k = 0; mask[c] >> sl & 1 && k < x->nplans; k++)
				from |= verify_lanes_vl(x, k, c, x->port_class[sender], sl) ==
					e->from_vl;
		for (unsigned k = 0; k < x->nplans; k++)
			to |= verify_lanes_vl(x, k, x->port_class[e->from], x->port_class[leaves],
				      sl) == e->to_vl;
		if (from && to)
			return sl;
	}
	return LANE_SLS;
}

/* Whether packets for 'lid' make the edge; their SL. */
static bool
makes_edge(struct verify_part *p, const struct edge *e, uint32_t lid, uint8_t *sl)
{
	const struct verify_run *v = p->v;
	bool two = v->changed && bits_test(v->changed, lid);

	*sl = 0;
	if (!v->lanes && v->scope == VERIFY_ALL)
		return true;
	verify_block_load(p, lid);
	if (v->lanes) {
		verify_lanes_push(p, lid, true);
		*sl = edge_sl(p, e);
		return *sl < LANE_SLS;
	}
	if (two) {
		verify_mix_reach(p, lid);
		return p->reached[e->sw[0]];
	}
	verify_walk_all(p, lid);
	return p->mark[e->sw[0]] != MARK_UNSEEN;
}

/* A LID that makes a packet received by the first channel leave by the second; 0: none. */
static uint16_t
edge_lid(struct verify_run *v, const struct edge *e, uint8_t *sl)
{
	for (uint32_t lid = 1; lid <= v->l->top; lid++)
		if (v->l->owner[lid] != FAB_NONE && may_leave(v, e->sw[0], e->out[0], lid) &&
			may_leave(v, e->sw[1], e->out[1], lid) &&
			makes_edge(&v->parts[0], e, lid, sl))
			return (uint16_t)lid;
	return 0;
}

void
verify_show_cycle(struct verify_run *v, const uint32_t *comp)
{
	struct verify_result *r = v->r;
	uint32_t chans[VERIFY_CYCLE_MAX + 1];
	uint32_t len = chan_graph_cycle(&v->g, &v->arena, comp, 1, chans, VERIFY_CYCLE_MAX + 1);

	r->ncycle = len < VERIFY_CYCLE_MAX ? len : VERIFY_CYCLE_MAX;
	v->turns = false;
	for (uint32_t i = 0; i < r->ncycle; i++) {
		struct edge e = make_edge(&v->g, chans[i], i + 1 < len ? chans[i + 1] : chans[0]);

		r->cycle[i] = v->g.port[e.from];
		r->cycle_vl[i] = e.from_vl;
		r->cycle_lid[i] = edge_lid(v, &e, &r->cycle_sl[i]);
	}
}
