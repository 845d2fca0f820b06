/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_edges.c - decides whether a span may use an edge.
 * Room: sm/mcast.  Pure.  In: ranks, or the unicast dependencies and lane plan.  Out: yes or no.
 */
#include <config.h>
#include <string.h>
#include "sm/mcast/mcast_edges.h"
#include "util/bits.h"


/* ---- the fabric ---- */

static bool
can_forward(const struct snapshot *s, uint32_t sw)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	return n->flags & FAB_NODE_SWITCH_INFO && !(n->flags & FAB_NODE_CUT) &&
		switch_info_decode(n->switch_info).mft_cap;
}

/* Computes ranks if the routing has none: hops from the switch with the smallest eccentricity, the
 * first of several. */
static void
rank_from_middle(struct mcast_edges *e, struct arena *a)
{
	size_t n = (size_t)e->g.nsw + 1;
	uint16_t *dist = arena_array(a, n, sizeof(*dist));
	uint32_t *queue = arena_array(a, n, sizeof(*queue));
	uint32_t best = 0, best_reached = 0;
	uint16_t best_far = SWGRAPH_FAR;

	for (uint32_t sw = 0; sw < e->g.nsw; sw++) {
		uint32_t reached = swgraph_distances(&e->g, &sw, 1, dist, queue);
		uint16_t far = dist[queue[reached - 1]];

		if (reached > best_reached || (reached == best_reached && far < best_far)) {
			best = sw;
			best_reached = reached;
			best_far = far;
		}
	}
	swgraph_distances(&e->g, &best, 1, e->rank, queue);
}

/* Whether every switch treats packets of both SLs alike. */
static bool
are_alike(const struct lane_plan *p, unsigned a, unsigned b)
{
	for (unsigned i = 0; i < p->nclasses; i++)
		for (unsigned o = 0; o < p->nclasses; o++)
			if (p->vl[i][o][a] != p->vl[i][o][b])
				return false;
	return true;
}

/* The SL of 'sls' that packets of 'sl' are treated like; LANE_SLS: none. */
static unsigned
find_alike(const struct lane_plan *p, uint16_t sls, unsigned sl)
{
	unsigned k = 0;

	while (k < LANE_SLS && !(sls >> k & 1 && are_alike(p, k, sl)))
		k++;
	return k;
}

static uint16_t
different_sls(const struct lane_plan *p, uint16_t sls)
{
	uint16_t kept = 0;

	for (unsigned sl = 0; sl < LANE_SLS; sl++)
		if (sls >> sl & 1 && find_alike(p, kept, sl) == LANE_SLS)
			kept |= (uint16_t)(1u << sl);
	return kept;
}

uint16_t
mcast_edges_sls(const struct mcast_edges *e)
{
	uint16_t sls = 0;

	if (!e->lanes || e->rank)
		return 0xffff;
	for (unsigned sl = 0; sl < LANE_SLS; sl++)
		if (find_alike(e->lanes, e->sls, sl) < LANE_SLS)
			sls |= (uint16_t)(1u << sl);
	return sls;
}

static uint8_t
class_of(const struct mcast_edges *e, uint32_t port)
{
	return e->lanes && e->lanes->port_class ? e->lanes->port_class[port] : 0;
}

static void
find_ends(struct mcast_edges *e, struct arena *a)
{
	e->ends = arena_array(a, (size_t)e->g.nsw + 1, sizeof(*e->ends));
	for (uint32_t sw = 0; sw < e->g.nsw; sw++) {
		const struct fab_node *n = &e->s->nodes[e->s->switches[sw]];

		for (uint32_t port = n->first_port; port <= n->first_port + n->nports; port++) {
			uint32_t peer = e->s->ports[port].peer;

			if (port == n->first_port ||
			    (peer != FAB_NONE && mcast_edges_switch(e, peer) == FAB_NONE))
				e->ends[sw] |= (uint16_t)(1u << class_of(e, port));
		}
	}
}

static void
find_behind(struct mcast_edges *e, struct arena *a)
{
	const struct swgraph *g = &e->g;

	e->first = arena_array(a, (size_t)g->nsw + 1, sizeof(*e->first));
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		e->first[sw + 1] = e->first[sw] + e->s->nodes[e->s->switches[sw]].nports + 1u;
	e->behind = arena_array(a, (size_t)e->first[g->nsw] + 1, sizeof(*e->behind));
	memset(e->behind, 0xff, e->first[g->nsw] * sizeof(*e->behind));         /* FAB_NONE */
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
			const struct swgraph_group *group = &g->groups[k];

			if (!e->forwards[sw] || !e->forwards[group->to])
				continue;
			for (uint32_t i = 0; i < group->nports; i++)
				e->behind[e->first[sw] + g->ports[group->first_port + i]] =
					group->to;
		}
}

void
mcast_edges_init(struct mcast_edges *e, const struct mcast_spans_in *in, struct arena *a)
{
	size_t n = (size_t)in->s->nswitches + 1;

	*e = (struct mcast_edges){ .s = in->s, .lanes = in->lanes, .sls = 1 };
	swgraph_make(in->s, a, &e->g);
	e->forwards = arena_alloc(a, n);
	for (uint32_t sw = 0; sw < e->g.nsw; sw++)
		e->forwards[sw] = can_forward(in->s, sw);
	find_behind(e, a);
	if (e->lanes) {
		e->sls = different_sls(e->lanes, in->sls ? in->sls : 1);
		find_ends(e, a);
	}
	if (!in->rank && in->unicast && mcast_order_init(&e->order, in->unicast, a))
		return;
	e->rank = arena_array(a, n, sizeof(*e->rank));
	if (in->rank)
		memcpy(e->rank, in->rank, e->g.nsw * sizeof(*e->rank));
	else if (e->g.nsw)
		rank_from_middle(e, a);
}

bool
mcast_edges_leads_up(const struct mcast_edges *e, uint32_t from, uint32_t to)
{
	return e->rank[to] < e->rank[from] || (e->rank[to] == e->rank[from] && to > from);
}

bool
mcast_edges_is_legal(const struct mcast_edges *e, uint32_t sw, uint32_t above)
{
	return !e->rank || mcast_edges_leads_up(e, sw, above);
}

unsigned
mcast_edges_next(const struct mcast_span *t, uint32_t sw, unsigned num)
{
	for (unsigned w = ++num / 64; num < 256; num = ++w * 64) {
		uint64_t m = t->ports[sw][w] >> num % 64;

		if (m)
			return num + (unsigned)__builtin_ctzll(m);
	}
	return 0;
}

/* ---- turns ---- */

/* The VLs on which packets with 'sl' come to the port 'in' of 'sw' over the span. */
static uint32_t
vls_arriving(const struct mcast_edges *e, const struct mcast_span *t, uint32_t in, uint8_t sl)
{
	uint32_t peer = e->s->ports[in].peer, from = mcast_edges_switch(e, peer), vls = 0;
	uint32_t classes, first = e->s->ports[peer].num;
	const struct fab_node *n = &e->s->nodes[e->s->switches[from]];

	if (!e->lanes)
		return 1;
	classes = e->ends[from];
	for (unsigned k = mcast_edges_next(t, from, 0); k; k = mcast_edges_next(t, from, k))
		if (k != first)
			classes |= 1u << class_of(e, n->first_port + k);
	for (; classes; classes &= classes - 1)
		vls |= 1u << e->lanes->vl[__builtin_ctz(classes)][class_of(e, peer)][sl];
	return vls;
}

static bool
add_turn(struct mcast_edges *e, const struct mcast_span *t, uint32_t sw, unsigned in, unsigned out,
	uint8_t sl)
{
	const struct fab_node *n = &e->s->nodes[e->s->switches[sw]];
	uint32_t vls = vls_arriving(e, t, n->first_port + in, sl), bits = e->order.g.vl_bits;
	uint32_t vl = e->lanes ? lanes_vl(e->lanes, n->first_port + in, n->first_port + out, sl) : 0;

	for (; vls; vls &= vls - 1) {
		struct mcast_turn turn = { sw, (in << bits) + (uint32_t)__builtin_ctz(vls),
			(out << bits) + vl };

		if (!mcast_order_add(&e->order, turn))
			return false;
	}
	return true;
}

/* Adds the turns of packets that come to 'sw' by 'in' over the span. */
static bool
add_turns_after(struct mcast_edges *e, const struct mcast_span *t, uint32_t sw, unsigned in)
{
	for (uint32_t sls = e->sls; sls; sls &= sls - 1)
		for (unsigned out = mcast_edges_next(t, sw, 0); out;
			out = mcast_edges_next(t, sw, out))
			if (out != in &&
				!add_turn(e, t, sw, in, out, (uint8_t)__builtin_ctz(sls)))
				return false;
	return true;
}

/* Adds the turns of the span at 'sw' by a port that is new. */
static bool
add_port_turns(struct mcast_edges *e, const struct mcast_span *t, uint32_t sw, unsigned port)
{
	for (uint32_t sls = e->sls; sls; sls &= sls - 1)
		for (unsigned in = mcast_edges_next(t, sw, 0); in; in = mcast_edges_next(t, sw, in))
			if (in != port &&
				!add_turn(e, t, sw, in, port, (uint8_t)__builtin_ctz(sls)))
				return false;
	return add_turns_after(e, t, sw, port);
}

/* With a lane plan, a new port of 'sw' may bring packets on other VLs to its neighbours. */
static bool
add_neighbours_turns(struct mcast_edges *e, const struct mcast_span *t, uint32_t sw)
{
	const struct fab_node *n = &e->s->nodes[e->s->switches[sw]];

	for (unsigned k = mcast_edges_next(t, sw, 0); k; k = mcast_edges_next(t, sw, k)) {
		uint32_t peer = e->s->ports[n->first_port + k].peer;

		if (!add_turns_after(e, t, mcast_edges_switch(e, peer), e->s->ports[peer].num))
			return false;
	}
	return true;
}

static void
flip_edge(const struct mcast_edges *e, struct mcast_span *t, uint32_t port)
{
	uint32_t peer = e->s->ports[port].peer;
	unsigned a = e->s->ports[port].num, b = e->s->ports[peer].num;

	t->ports[mcast_edges_switch(e, port)][a / 64] ^= (uint64_t)1 << a % 64;
	t->ports[mcast_edges_switch(e, peer)][b / 64] ^= (uint64_t)1 << b % 64;
}

bool
mcast_edges_add(struct mcast_edges *e, struct mcast_span *t, uint32_t port)
{
	uint32_t peer = e->s->ports[port].peer, mark = mcast_edges_mark(e);
	uint32_t a = mcast_edges_switch(e, port), b = mcast_edges_switch(e, peer);
	bool ok;

	flip_edge(e, t, port);
	if (e->rank)
		return true;
	ok = add_port_turns(e, t, a, e->s->ports[port].num) &&
		add_port_turns(e, t, b, e->s->ports[peer].num);
	if (ok && e->lanes)
		ok = add_neighbours_turns(e, t, a) && add_neighbours_turns(e, t, b);
	if (ok)
		return true;
	mcast_edges_undo(e, mark);
	flip_edge(e, t, port);
	return false;
}

void
mcast_edges_remove(struct mcast_edges *e, struct mcast_span *t, uint32_t port)
{
	flip_edge(e, t, port);
}

uint32_t
mcast_edges_mark(const struct mcast_edges *e)
{
	return e->order.nlog;
}

void
mcast_edges_undo(struct mcast_edges *e, uint32_t mark)
{
	mcast_order_undo(&e->order, mark);
}
