/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pivot.c - entries without an up/down path, filled by way of one leaf.
 * Room: sm/route.  Pure.  In: tables with holes.  Out: tables with fewer holes.
 *
 * 1. Choose the pivot: the switch with hosts that has a way to the most columns; then most cables up, least sum of distances, GUID.
 * 2. A breadth-first tree over all switches from the pivot.  A switch without an up/down way to a column sends to its parent
 *    in that tree; from the first switch that has a way the packet goes up/down.  Both parts are free of loops.
 * 3. The new turns may close a cycle with those of other packets.  So the graph of *all* turns that the up/down rule allows,
 *    plus the new ones, is searched; entries whose turn from down to up lies on a cycle are taken back, with those that
 *    come through them.  Every cycle has such a turn, so none is left.  (The graph holds turns that no table makes:
 *    what is taken back may have been harmless, what is kept never is harmful.)
 */
#include <config.h>
#include <string.h>
#include "fabric/verify_graph.h"
#include "sm/route/pivot.h"
#include "util/bits.h"

struct pivot {
	const struct route_model *m;
	const struct updown *u;
	struct fwd_tables *t;
	struct arena arena;
	uint32_t *queue, nqueue;        /* switches, nearest to the pivot first */
	const struct swgraph_group **parent;    /* NULL: the pivot, or not connected to it */
	size_t words;
	uint64_t *filled;               /* [nsw][words]: columns completed at a switch */
};

static uint32_t
choose_pivot(const struct route_model *m, const struct updown *u, const struct roots *roots)
{
	uint32_t best = FAB_NONE;
	uint64_t best_key[3] = { 0 };

	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		uint64_t key[3] = { 0, 0, UINT32_MAX - roots->sum[sw] };

		if (!swgraph_is_leaf(&m->g, sw))
			continue;
		for (uint32_t c = 0; c < m->ncols; c++)
			key[0] += updown_cost(u, m, sw, c) != ROUTE_INF;
		for (uint32_t k = m->g.group_first[sw]; k < m->g.group_first[sw + 1]; k++)
			if (updown_is_up(u, sw, m->g.groups[k].to))
				key[1] += m->g.groups[k].nports;
		if (best == FAB_NONE || key[0] > best_key[0] || (key[0] == best_key[0] &&
		    (key[1] > best_key[1] || (key[1] == best_key[1] && key[2] > best_key[2])))) {
			best = sw;
			memcpy(best_key, key, sizeof(key));
		}
	}
	return best;
}

static const struct swgraph_group *
group_to(const struct swgraph *g, uint32_t sw, uint32_t to)
{
	uint32_t k = g->group_first[sw];

	while (g->groups[k].to != to)
		k++;
	return &g->groups[k];
}

/* The breadth-first tree: each switch's parent is the first of the queue that is one hop nearer. */
static void
grow_tree(struct pivot *p, uint32_t root)
{
	const struct swgraph *g = &p->m->g;
	uint16_t *dist = arena_array(&p->arena, g->nsw, sizeof(*dist));

	p->queue = arena_array(&p->arena, g->nsw, sizeof(*p->queue));
	p->parent = arena_array(&p->arena, g->nsw, sizeof(*p->parent));
	p->nqueue = swgraph_distances(g, &root, 1, dist, p->queue);
	for (uint32_t i = 0; i < p->nqueue; i++) {
		uint32_t sw = p->queue[i];

		for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
			uint32_t to = g->groups[k].to;

			if (dist[to] == dist[sw] + 1 && !p->parent[to])
				p->parent[to] = group_to(g, to, sw);
		}
	}
}

/* Sets all LIDs of column 'c' at 'sw'. */
static void
set_column(struct pivot *p, uint32_t sw, uint32_t c, uint8_t port)
{
	const struct route_model *m = p->m;
	uint8_t *row = fwd_row(p->t, sw);

	for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++)
		row[m->host_lids[i].lid] = port;
	for (uint32_t i = 0; i < m->own_n[c]; i++)
		row[m->own_first[c] + i] = port;
}

static uint8_t
parent_port(const struct pivot *p, uint32_t sw, uint32_t c)
{
	const struct swgraph_group *g = p->parent[sw];

	return p->m->g.ports[g->first_port + c % g->nports];
}

static void
fill_holes(struct pivot *p)
{
	const struct route_model *m = p->m;

	p->words = BITS_WORDS(m->ncols);
	p->filled = arena_array(&p->arena, m->g.nsw, p->words * sizeof(*p->filled));
	for (uint32_t i = 0; i < p->nqueue; i++) {
		uint32_t sw = p->queue[i], up;

		if (!p->parent[sw])
			continue;
		up = p->parent[sw]->to;
		for (uint32_t c = 0; c < m->ncols; c++) {
			if (updown_cost(p->u, m, sw, c) != ROUTE_INF)
				continue;
			if (updown_cost(p->u, m, up, c) == ROUTE_INF && !bits_test(p->filled + up * p->words, c))
				continue;
			bits_set(p->filled + sw * p->words, c);
			set_column(p, sw, c, parent_port(p, sw, c));
		}
	}
}

/* Every turn that the up/down rule allows: up to up, up to down, down to down, never straight back. */
static void
add_legal_turns(const struct pivot *p, struct chan_graph *g)
{
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint32_t ports = g->first[sw + 1] - g->first[sw], words = chan_graph_words(g, sw);
		uint64_t down[4] = { 0 }, all[4] = { 0 };

		for (uint32_t n = 1; n < ports; n++) {
			uint32_t to = chan_graph_hop(g, sw, n)->sw;

			if (to == FAB_NONE)
				continue;
			bits_set(all, n);
			if (!updown_is_up(p->u, sw, to))
				bits_set(down, n);
		}
		for (uint32_t n = 1; n < ports; n++) {
			uint32_t to = chan_graph_hop(g, sw, n)->sw;
			const struct swgraph_group *back;
			uint64_t *row = chan_graph_row(g, sw, n);

			if (to == FAB_NONE)
				continue;
			memcpy(row, updown_is_up(p->u, sw, to) ? down : all, words * sizeof(*row));
			back = group_to(&p->m->g, sw, to);
			for (uint32_t k = 0; k < back->nports; k++)
				bits_clear(row, p->m->g.ports[back->first_port + k]);
		}
	}
}

/* Calls for each LID of column 'c' at the parent of 'sw' (there the packet arrives by 'in'): adds the turn, or tells whether
 * one of them goes from down to up within a component. */
static bool
column_turns(const struct pivot *p, struct chan_graph *g, const uint32_t *comp, uint32_t sw, uint32_t c)
{
	const struct route_model *m = p->m;
	const struct chan_hop *in = chan_graph_hop(g, sw, parent_port(p, sw, c));
	const uint8_t *row = fwd_row(p->t, in->sw);
	bool down = updown_is_up(p->u, in->sw, sw), bad = false;
	uint32_t n = m->lid_first[c + 1] - m->lid_first[c];

	for (uint32_t i = 0; i < n + m->own_n[c]; i++) {
		uint8_t out = row[i < n ? m->host_lids[m->lid_first[c] + i].lid : m->own_first[c] + i - n];
		const struct chan_hop *h = chan_graph_hop(g, in->sw, out);

		if (!comp)
			chan_graph_add(g, in->sw, in->chan - g->first[in->sw], out);
		else if (down && h && h->sw != FAB_NONE && updown_is_up(p->u, in->sw, h->sw) && comp[in->chan])
			bad |= comp[in->chan] == comp[h->chan];
	}
	return bad;
}

/* Walks the completed entries; with 'comp' it takes back those on a cycle and those that lead to one taken back. */
static void
visit_filled(struct pivot *p, struct chan_graph *g, const uint32_t *comp)
{
	for (uint32_t i = 0; i < p->nqueue; i++) {
		uint32_t sw = p->queue[i];
		uint64_t *own = p->filled + sw * p->words;

		for (size_t c = bits_next(own, p->m->ncols, 0); c < p->m->ncols;
		     c = bits_next(own, p->m->ncols, c + 1)) {
			uint32_t col = (uint32_t)c, up = p->parent[sw]->to;
			bool lost = comp && updown_cost(p->u, p->m, up, col) == ROUTE_INF &&
				!bits_test(p->filled + up * p->words, col);

			if (lost || column_turns(p, g, comp, sw, col)) {
				bits_clear(own, c);
				set_column(p, sw, col, FAB_LFT_DROP);
			}
		}
	}
}

/* Takes back what could close a cycle. */
static void
break_cycles(struct pivot *p)
{
	struct chan_graph g;
	uint32_t *comp;

	chan_graph_init(&g, p->m->s, &p->arena);
	add_legal_turns(p, &g);
	visit_filled(p, &g, NULL);
	comp = arena_array(&p->arena, g.nchans, sizeof(*comp));
	if (chan_graph_components(&g, &p->arena, comp))
		visit_filled(p, &g, comp);
}

static void
count_holes(const struct pivot *p, const struct roots *roots, struct route_report *r)
{
	const struct route_model *m = p->m;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		for (uint32_t c = 0; c < m->ncols; c++) {
			uint32_t n;

			if (updown_cost(p->u, m, sw, c) != ROUTE_INF)
				continue;
			n = m->lid_first[c + 1] - m->lid_first[c] + m->own_n[c];
			if (bits_test(p->filled + sw * p->words, c)) {
				r->completed += n;
			} else if (roots->part[sw] == roots->part[m->col_sw[c]]) {
				if (!swgraph_is_leaf(&m->g, sw)) {
					r->declared += n;
					continue;
				}
				r->unreachable += n;
				route_evidence_add(r, route_node(m, sw), route_node(m, m->col_sw[c]), m->own_first[c], n);
			}
		}
}

static bool
has_holes(const struct route_model *m, const struct updown *u)
{
	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		const uint8_t *row = u->r + (size_t)sw * m->stride;

		if (memchr(row, ROUTE_INF, m->ncols))
			return true;
	}
	return false;
}

void
pivot_complete(const struct route_model *m, const struct updown *u, const struct roots *roots,
	struct fwd_tables *out, struct route_report *r)
{
	struct pivot p = { .m = m, .u = u, .t = out, .arena = ARENA_INIT };
	uint32_t root;

	r->pivot = FAB_NONE;
	if (!has_holes(m, u))
		return;
	root = choose_pivot(m, u, roots);
	r->pivot = route_node(m, root);
	grow_tree(&p, root);
	fill_holes(&p);
	break_cycles(&p);
	count_holes(&p, roots, r);
	arena_clear(&p.arena);
}
