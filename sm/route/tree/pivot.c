/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pivot.c - completes entries that have no up/down path, through one leaf switch (the pivot).
 * Room: sm/route/tree.  Pure.  In: tables with holes.  Out: tables with fewer holes.
 *
 * The anchor (anchor.h) is the first pivot and fills nearly all; its rule was checked beforehand.
 * Then entries in force are kept that lead on to a path.  A switch without hosts that lost its way
 * down to the pivot is entered from below, by its door: the neighbour by which its own rule leaves
 * it.  Who reaches the door reaches the switch, and the one new turn is at the door.  For what
 * remains (doors are tried again after each pivot):
 * 1. Choose the pivot: first the anchor again, now with paths over other switches to what it does
 *    not reach; then the switch with hosts that has a path to most of the columns with holes;
 *    ties: most links up, the first in the order of columns.
 * 2. Build a breadth-first tree over all switches from the pivot.  A switch without an up/down path
 *    to a column sends to its parent in that tree; from the first switch that has a path the packet
 *    goes up/down.  In a damaged tree the pivot itself may have no path to some column: then a
 *    shortest path leads from it to the nearest switch that has one (of several, the one with the
 *    least GUID, so that new turns agree with each other).  No part of such a route can loop.
 * 3. The new turns may close a cycle with those of other packets.  First the graph of *all* turns
 *    that the up/down rule allows, plus the new ones, is searched; if that has a cycle, the graph
 *    of the turns that the tables make.  New entries whose turn from down to up lies on a cycle are
 *    removed, with those that lead to them, first where that turn is not at the pivot; if a cycle is
 *    left, those with any turn on it; then all.
 * 4. Remaining holes are tried with the next best pivot.
 * What is completed first can obstruct what comes later.  So while a switch with hosts lacks a path,
 * all is completed once more, with less of this: 'cares'.
 */
#include <config.h>
#include <string.h>
#include "fabric/verify/verify_scan.h"
#include "sm/route/tree/anchor.h"
#include "sm/route/tree/pivot.h"
#include "util/bits.h"

#define PIVOTS_MAX 16

/* A way of completion.  What one leaves open, the next may complete. */
struct care {
	bool today;                     /* with an anchor that is sound only over present links */
	bool doors;
	bool again;                     /* the anchor is a pivot like others, too */
	bool before;                    /* entries in force come before pivots */
};

static const struct care cares[] = {
	{ true, true, true, true },
	{ false, true, true, true },
	{ false, true, false, true },
	{ true, true, true, false },
	{ false, true, false, false },
	{ false, false, true, true },
};

struct pivot {
	const struct frame *f;
	const struct route_model *m;
	const struct updown *u;
	const struct roots *roots;
	struct fwd_tables *t;
	struct arena arena;
	uint64_t *used;                 /* switches that have been the pivot */
	uint64_t *need;                 /* columns with holes that may be filled */
	uint32_t root;                  /* the current pivot */
	uint32_t *queue, nqueue;        /* switches, nearest to the pivot first */
	uint16_t *dist;                 /* hops from the pivot */
	const struct swgraph_group **parent;    /* NULL: the pivot, or not connected to it */
	size_t words;
	/* [nsw][words]: columns to which a switch has no up/down path */
	uint64_t *holes;
	uint64_t *filled;               /* [nsw][words]: columns completed at a switch */
	struct anchor anchor;
	const struct care *care;
	uint64_t *kept;                 /* [nsw][words]: columns that the anchor completed */
	uint32_t *onward;               /* per switch: the anchor's next one; FAB_NONE */
	/* per word of columns: each of them has one LID */
	bool *ones;
	/* [nsw][words]: completed by the current pivot, still on trial */
	uint64_t *fresh;
};

static bool
is_hole(const struct pivot *p, uint32_t sw, uint32_t c)
{
	return bits_test(p->holes + sw * p->words, c);
}

static bool
is_filled(const struct pivot *p, uint32_t sw, uint32_t c)
{
	return bits_test(p->filled + sw * p->words, c) ||
		bits_test(p->fresh + sw * p->words, c) || bits_test(p->kept + sw * p->words, c);
}

static uint8_t *
switch_row(const struct pivot *p, uint32_t sw)
{
	return fwd_row(p->t, p->f->ordinal[sw]);
}

/* The next column at or after 'from' with an unfilled hole at 'sw'. */
static size_t
next_open(const struct pivot *p, uint32_t sw, size_t from)
{
	const uint64_t *h = p->holes + sw * p->words, *f = p->filled + sw * p->words;
	const uint64_t *t = p->fresh + sw * p->words, *k = p->kept + sw * p->words;
	size_t w = from / 64;
	uint64_t m;

	if (w >= p->words)
		return p->m->ncols;
	m = h[w] & ~f[w] & ~t[w] & ~k[w] & (~(uint64_t)0 << from % 64);
	while (!m) {
		if (++w >= p->words)
			return p->m->ncols;
		m = h[w] & ~f[w] & ~t[w] & ~k[w];
	}
	return w * 64 + (size_t)__builtin_ctzll(m);
}

/* Notes the columns that still have holes at switches connected to them.  False: none. */
static bool
find_need(struct pivot *p)
{
	const struct route_model *m = p->m;
	bool any = false;

	memset(p->need, 0, p->words * sizeof(*p->need));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		for (size_t c = next_open(p, sw, 0); c < m->ncols; c = next_open(p, sw, c + 1))
			if (p->roots->part[sw] == p->roots->part[m->col_sw[c]]) {
				bits_set(p->need, c);
				any = true;
			}
	return any;
}

/* FAB_NONE: no switch with hosts has a path to a column that needs one. */
static uint32_t
choose_pivot(const struct pivot *p)
{
	const struct route_model *m = p->m;
	uint32_t best = FAB_NONE;
	uint64_t best_key[3] = { 0 };

	if (p->anchor.sound && p->care->again && !bits_test(p->used, p->anchor.root))
		return p->anchor.root;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		uint64_t key[3] = { 0, 0, UINT32_MAX - m->sw_col[sw] };

		if (!swgraph_is_leaf(&m->g, sw) || bits_test(p->used, sw))
			continue;
		for (size_t w = 0; w < p->words; w++)
			key[0] += (uint64_t)__builtin_popcountll(
				p->need[w] & ~p->holes[sw * p->words + w]);
		for (uint32_t k = m->g.group_first[sw]; k < m->g.group_first[sw + 1]; k++)
			if (updown_is_up(p->u, sw, m->g.groups[k].to))
				key[1] += m->g.groups[k].nports;
		if (key[0] && (key[0] > best_key[0] || (key[0] == best_key[0] &&
		    (key[1] > best_key[1] || (key[1] == best_key[1] && key[2] > best_key[2]))))) {
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
grow_tree(struct pivot *p)
{
	const struct swgraph *g = &p->m->g;

	memset(p->parent, 0, g->nsw * sizeof(*p->parent));
	p->nqueue = swgraph_distances(g, &p->root, 1, p->dist, p->queue);
	for (uint32_t i = 0; i < p->nqueue; i++) {
		uint32_t sw = p->queue[i];

		for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
			uint32_t to = g->groups[k].to;

			if (p->dist[to] == p->dist[sw] + 1 && !p->parent[to])
				p->parent[to] = group_to(g, to, sw);
		}
	}
}

/* Sets all LIDs of column 'c' at 'sw'. */
static void
set_column(struct pivot *p, uint32_t sw, uint32_t c, uint8_t port)
{
	const struct route_model *m = p->m;
	uint8_t *row = switch_row(p, sw);

	for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++)
		row[m->host_lids[i].lid] = port;
	for (uint32_t i = 0; i < m->own_n[c]; i++)
		row[m->own_first[c] + i] = port;
}

static void
fill_hole(struct pivot *p, uint32_t sw, uint32_t c, const struct swgraph_group *to)
{
	bits_set(p->fresh + sw * p->words, c);
	set_column(p, sw, c, p->m->g.ports[to->first_port + c % to->nports]);
}

/* The pivot has no path to column 'c': adds one by a shortest path to the nearest switch that
 * has a path, backwards over the tree. */
static void
fill_path(struct pivot *p, uint32_t c)
{
	uint32_t end = FAB_NONE;

	for (uint32_t i = 0; i < p->nqueue; i++) {
		uint32_t sw = p->queue[i];

		if (end != FAB_NONE && p->dist[sw] > p->dist[end])
			break;
		if ((!is_hole(p, sw, c) || is_filled(p, sw, c)) && (end == FAB_NONE || sw < end))
			end = sw;
	}
	while (end != FAB_NONE && end != p->root) {
		uint32_t before = p->parent[end]->to;

		fill_hole(p, before, c, group_to(&p->m->g, before, end));
		end = before;
	}
}

/* Fills holes through the current pivot, on trial. */
static void
fill_holes(struct pivot *p)
{
	const struct route_model *m = p->m;

	memset(p->fresh, 0, m->g.nsw * p->words * sizeof(*p->fresh));
	for (size_t c = bits_next(p->need, m->ncols, 0); c < m->ncols;
		c = bits_next(p->need, m->ncols, c + 1))
		if (is_hole(p, p->root, (uint32_t)c) && !is_filled(p, p->root, (uint32_t)c))
			fill_path(p, (uint32_t)c);
	for (uint32_t i = 0; i < p->nqueue; i++) {
		uint32_t sw = p->queue[i];
		const struct swgraph_group *up = p->parent[sw];

		for (size_t c = next_open(p, sw, 0); up && c < m->ncols;
			c = next_open(p, sw, c + 1))
			if (!is_hole(p, up->to, (uint32_t)c) || is_filled(p, up->to, (uint32_t)c))
				fill_hole(p, sw, (uint32_t)c, up);
	}
}

/* Every turn that the up/down rule allows (up to up, up to down, down to down), and those of the
 * anchor, but never back over the same link. */
static void
add_legal_turns(const struct pivot *p, struct chan_graph *g, uint32_t at)
{
	uint32_t ports = g->first[at + 1] - g->first[at], words = chan_graph_words(g, at);
	uint32_t sw = p->f->sw[at];
	uint64_t down[4] = { 0 }, all[4] = { 0 };

	for (uint32_t n = 1; n < ports; n++) {
		uint32_t to = chan_graph_hop(g, at, n)->sw;

		if (to == FAB_NONE)
			continue;
		bits_set(all, n);
		if (!updown_is_up(p->u, sw, p->f->sw[to]))
			bits_set(down, n);
	}
	for (uint32_t n = 1; n < ports; n++) {
		uint32_t to = chan_graph_hop(g, at, n)->sw;
		const struct swgraph_group *back;
		uint64_t *row = chan_graph_row(g, at, n);
		bool any;

		if (to == FAB_NONE)
			continue;
		to = p->f->sw[to];
		any = !updown_is_up(p->u, sw, to) ||
			(p->anchor.sound && p->onward[to] == sw && updown_is_up(p->u, sw, to));
		memcpy(row, any ? all : down, words * sizeof(*row));
		back = group_to(&p->m->g, sw, to);
		for (uint32_t k = 0; k < back->nports; k++)
			bits_clear(row, p->m->g.ports[back->first_port + k]);
	}
}

/* The port by which 'sw' sends to column 'c', all of whose LIDs use the same one there. */
static uint8_t
column_port(const struct pivot *p, uint32_t sw, uint32_t c)
{
	const struct route_model *m = p->m;

	if (m->lid_first[c] < m->lid_first[c + 1])
		return switch_row(p, sw)[m->host_lids[m->lid_first[c]].lid];
	return m->own_n[c] ? switch_row(p, sw)[m->own_first[c]] : FAB_LFT_DROP;
}

/* Whether a turn at switch 'sw' from channel 'in' to hop 'h' lies within a component; 'up_only':
 * only if it is one from down to up. */
static bool
turn_bad(const struct pivot *p, const uint32_t *comp, bool up_only, bool down, uint32_t sw,
	uint32_t in, const struct chan_hop *h)
{
	if (!h || h->sw == FAB_NONE || !comp[in] || comp[in] != comp[h->chan])
		return false;
	return !up_only || (down && updown_is_up(p->u, sw, p->f->sw[h->sw]));
}

/* The turns that completed entry (sw, c) makes at the next switch.  Adds them, or (with 'comp')
 * returns whether one of them lies within a component; 'up_only': one from down to up. */
static bool
column_turns(const struct pivot *p, struct chan_graph *g, const uint32_t *comp, bool up_only,
	uint32_t sw, uint32_t c)
{
	const struct route_model *m = p->m;
	const struct chan_hop *in = chan_graph_hop(g, p->f->ordinal[sw], column_port(p, sw, c));
	uint32_t n = m->lid_first[c + 1] - m->lid_first[c], next;
	const uint8_t *row;
	bool down, bad = false;

	if (!in || in->sw == FAB_NONE)          /* a column without LIDs */
		return false;
	row = fwd_row(p->t, in->sw);
	next = p->f->sw[in->sw];
	down = updown_is_up(p->u, next, sw);
	for (uint32_t i = 0; i < n + m->own_n[c]; i++) {
		uint8_t out = row[i < n ? m->host_lids[m->lid_first[c] + i].lid :
					  m->own_first[c] + i - n];

		if (!comp)
			chan_graph_add(g, in->sw, in->chan - g->first[in->sw], out);
		else
			bad |= turn_bad(p, comp, up_only, down, next, in->chan,
				chan_graph_hop(g, in->sw, out));
	}
	return bad;
}

static void
add_turns(const struct pivot *p, struct chan_graph *g, const uint64_t *set)
{
	for (uint32_t sw = 0; sw < p->m->g.nsw; sw++)
		for (size_t c = bits_next(set + sw * p->words, p->m->ncols, 0); c < p->m->ncols;
		     c = bits_next(set + sw * p->words, p->m->ncols, c + 1))
			column_turns(p, g, NULL, false, sw, (uint32_t)c);
}

/* Whether trial entry (sw, c) leads to a hole. */
static bool
leads_nowhere(const struct pivot *p, const struct chan_graph *g, uint32_t sw, uint32_t c)
{
	const struct chan_hop *h = chan_graph_hop(g, p->f->ordinal[sw], column_port(p, sw, c));
	uint32_t to = h && h->sw != FAB_NONE ? p->f->sw[h->sw] : FAB_NONE;

	return to != FAB_NONE && is_hole(p, to, c) && !is_filled(p, to, c);
}

/* Why trial entries are removed. */
enum fault {
	STRAY,                          /* they turn from down to up on a cycle, not at the pivot */
	TURNS_UP,                       /* they turn from down to up on a cycle */
	ON_CYCLE,                       /* they make some turn on a cycle */
	ANY,                            /* there still is a cycle */
	NOWHERE,                        /* they lead to an entry that was removed */
};

static bool
has_fault(const struct pivot *p, struct chan_graph *g, const uint32_t *comp, enum fault f,
	uint32_t sw, uint32_t c)
{
	const struct chan_hop *h;

	switch (f) {
	case STRAY:
		h = chan_graph_hop(g, p->f->ordinal[sw], column_port(p, sw, c));
		if (!h || h->sw == FAB_NONE || p->f->sw[h->sw] == p->root)
			return false;
		return column_turns(p, g, comp, true, sw, c);
	case TURNS_UP:
		return column_turns(p, g, comp, true, sw, c);
	case ON_CYCLE:
		return column_turns(p, g, comp, false, sw, c);
	case ANY:
		return true;
	case NOWHERE:
		return leads_nowhere(p, g, sw, c);
	}
	return true;
}

static bool
take_back(struct pivot *p, struct chan_graph *g, const uint32_t *comp, enum fault f)
{
	bool any = false;

	for (uint32_t sw = 0; sw < p->m->g.nsw; sw++) {
		uint64_t *own = p->fresh + sw * p->words;

		for (size_t c = bits_next(own, p->m->ncols, 0); c < p->m->ncols;
			c = bits_next(own, p->m->ncols, c + 1)) {
			if (!has_fault(p, g, comp, f, sw, (uint32_t)c))
				continue;
			bits_clear(own, c);
			set_column(p, sw, (uint32_t)c, FAB_LFT_DROP);
			any = true;
		}
	}
	return any;
}

/* Whether the turns that the tables make now are free of cycles; 'comp' shows which channels lie
 * on one. */
static bool
tables_acyclic(const struct pivot *p, struct chan_graph *g, uint32_t *comp)
{
	struct arena scratch = ARENA_INIT;
	uint32_t n;

	chan_graph_clear(g);
	verify_scan(g, p->m->s, p->m->lids, p->t, NULL, NULL);
	n = chan_graph_components(g, &scratch, comp);
	arena_clear(&scratch);
	return n == 0;
}

/* Ends the trial: removes what closes a cycle and keeps the rest.  Without the trial entries
 * there was no cycle. */
static void
keep_acyclic(struct pivot *p)
{
	struct arena scratch = ARENA_INIT;
	struct chan_graph g;
	uint32_t *comp;

	chan_graph_init(&g, p->m->s, &scratch);
	for (uint32_t at = 0; at < g.nsw; at++)
		add_legal_turns(p, &g, at);
	add_turns(p, &g, p->filled);
	add_turns(p, &g, p->fresh);
	comp = arena_array(&scratch, g.nchans, sizeof(*comp));
	if (chan_graph_components(&g, &scratch, comp))
		for (enum fault f = STRAY; f <= ANY && !tables_acyclic(p, &g, comp); f++)
			if (take_back(p, &g, comp, f))
				while (take_back(p, &g, comp, NOWHERE))
					;
	for (size_t w = 0; w < p->m->g.nsw * p->words; w++)
		p->filled[w] |= p->fresh[w];
	arena_clear(&scratch);
}

/* Marks what the anchor completes: at each switch the columns that its parent reaches, nearest
 * switches first. */
static void
keep_anchored(struct pivot *p)
{
	for (uint32_t i = 0; i < p->anchor.nqueue; i++) {
		uint32_t sw = p->anchor.queue[i];
		const struct swgraph_group *g =
			p->f->node[sw] == FAB_NONE ? NULL : anchor_parent(&p->anchor, sw);
		const uint64_t *holes;

		p->parent[sw] = g;
		p->onward[sw] = g ? g->to : FAB_NONE;
		if (!g)
			continue;
		holes = p->holes + g->to * p->words;
		for (size_t w = 0; w < p->words; w++)
			p->kept[sw * p->words + w] = p->holes[sw * p->words + w] &
				(~holes[w] | p->kept[g->to * p->words + w]);
	}
}

static void
write_anchored(struct pivot *p, uint32_t sw)
{
	const struct swgraph_group *g = p->parent[sw];
	const uint64_t *kept = p->kept + sw * p->words;
	uint8_t *row, port;

	if (!g)
		return;
	row = switch_row(p, sw);
	port = p->m->g.ports[g->first_port];
	for (size_t w = 0; w < p->words; w++)
		for (uint64_t m = kept[w]; m; m &= m - 1) {
			uint32_t c = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(m);

			if (g->nports > 1)
				port = anchor_port(&p->anchor, sw, c, g);
			if (p->ones[w])
				row[p->m->own_first[c]] = port;
			else
				set_column(p, sw, c, port);
		}
}

static void
find_part(void *data, unsigned i, unsigned n)
{
	struct pivot *p = data;
	uint32_t end = stripes_first(p->m->g.nsw, i + 1, n);

	for (uint32_t sw = stripes_first(p->m->g.nsw, i, n); sw < end; sw++)
		updown_holes(p->u, p->m, sw, p->holes + sw * p->words);
}

static void
write_part(void *data, unsigned i, unsigned n)
{
	struct pivot *p = data;
	uint32_t end = stripes_first(p->m->g.nsw, i + 1, n);

	for (uint32_t sw = stripes_first(p->m->g.nsw, i, n); sw < end; sw++)
		write_anchored(p, sw);
}

/* The anchor's part of the work; none where entries in force come first. */
static void
use_anchor(struct pivot *p, const struct route_in *in, struct route_report *r)
{
	const struct stripes *stripes = in->stripes;
	bool any = false;

	p->ones = arena_array(&p->arena, p->words, sizeof(*p->ones));
	for (size_t w = 0; w < p->words; w++)
		p->ones[w] = frame_single_lids(p->f, (uint32_t)w * 64);
	stripes_each(stripes, find_part, p);
	for (size_t w = 0; w < p->m->g.nsw * p->words && !any; w++)
		any = p->holes[w] != 0;
	if (any && !(in->hold && in->previous))
		anchor_find(&p->anchor, p->f, p->u, p->care->today, &p->arena);
	if (!p->anchor.sound)
		return;
	p->onward = arena_array(&p->arena, p->m->g.nsw, sizeof(*p->onward));
	memset(p->onward, 0xff, p->m->g.nsw * sizeof(*p->onward));
	r->npivots = 1;
	r->pivot = route_node(p->m, p->anchor.root);
	keep_anchored(p);
	stripes_each(stripes, write_part, p);
}

/* Takes the entry in force at 'sw' for column 'c' if it leads to a switch that has a path. */
static bool
keep_entry(struct pivot *p, const struct fwd_tables *before, uint32_t sw, uint32_t c)
{
	const struct route_model *m = p->m;
	uint32_t at = p->f->ordinal[sw], peer, to;
	uint32_t lid = m->lid_first[c] < m->lid_first[c + 1] ?
		m->host_lids[m->lid_first[c]].lid : m->own_first[c];
	const struct fab_node *n = &m->s->nodes[route_node(m, sw)];
	uint8_t port = at < before->nswitches && lid < before->stride ?
		fwd_row(before, at)[lid] : FAB_LFT_DROP;

	if (!lid || port == 0 || port > n->nports)
		return false;
	peer = m->s->ports[n->first_port + port].peer;
	to = peer == FAB_NONE ? FAB_NONE : m->s->nodes[m->s->ports[peer].node].sw;
	if (to == FAB_NONE || to == at)
		return false;
	to = p->f->sw[to];
	if (is_hole(p, to, c) && !is_filled(p, to, c))
		return false;
	bits_set(p->fresh + sw * p->words, c);
	set_column(p, sw, c, port);
	return true;
}

/* Keeps what is in force, so that another pivot does not move it. */
static void
keep_before(struct pivot *p, const struct fwd_tables *before)
{
	const struct route_model *m = p->m;
	bool any = true, some = false;

	if (!before || !find_need(p))
		return;
	memset(p->fresh, 0, m->g.nsw * p->words * sizeof(*p->fresh));
	while (any) {                   /* an entry may lead to one that is kept after it */
		any = false;
		for (uint32_t sw = 0; sw < m->g.nsw; sw++)
			for (size_t c = next_open(p, sw, 0); c < m->ncols;
				c = next_open(p, sw, c + 1))
				if (p->roots->part[sw] == p->roots->part[m->col_sw[c]])
					any |= keep_entry(p, before, sw, (uint32_t)c);
		some |= any;
	}
	if (some)
		keep_acyclic(p);
	memset(p->fresh, 0, m->g.nsw * p->words * sizeof(*p->fresh));
}

/* Sends to column 'c', of a switch without hosts, by the path to its door 'd', where there is one. */
static bool
fill_by_door(struct pivot *p, uint32_t c, uint32_t d)
{
	const struct route_model *m = p->m;
	uint32_t to = m->col_sw[c], dc = m->sw_col[d];
	bool any = false;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		if (sw == d || !is_hole(p, sw, c) || is_filled(p, sw, c) ||
		    (is_hole(p, sw, dc) && !is_filled(p, sw, dc)) ||
		    p->roots->part[sw] != p->roots->part[to])
			continue;
		bits_set(p->fresh + sw * p->words, c);
		set_column(p, sw, c, switch_row(p, sw)[m->own_first[dc]]);
		any = true;
	}
	return any;
}

/* The door of column 'c'; FAB_NONE: it has hosts, or its own rule leads upwards. */
static uint32_t
find_door(const struct pivot *p, uint32_t c)
{
	const struct route_model *m = p->m;
	uint32_t to = m->col_sw[c], d = p->parent[to] ? p->parent[to]->to : FAB_NONE;

	if (m->lid_first[c] < m->lid_first[c + 1] || d == FAB_NONE ||
	    updown_is_up(p->u, to, d) || is_hole(p, d, c) || !m->own_n[m->sw_col[d]])
		return FAB_NONE;
	return d;
}

/* After the anchor, or another pivot: 'parent' is that of its tree. */
static void
use_doors(struct pivot *p)
{
	const struct route_model *m = p->m;
	bool any = true, some = false;

	if (!p->care->doors || !find_need(p))
		return;
	memset(p->fresh, 0, m->g.nsw * p->words * sizeof(*p->fresh));
	while (any) {                   /* the way to a door may lead through another */
		any = false;
		for (size_t c = bits_next(p->need, m->ncols, 0); c < m->ncols;
			c = bits_next(p->need, m->ncols, c + 1)) {
			uint32_t d = find_door(p, (uint32_t)c);

			any |= d != FAB_NONE && fill_by_door(p, (uint32_t)c, d);
		}
		some |= any;
	}
	if (some)
		keep_acyclic(p);
	memset(p->fresh, 0, m->g.nsw * p->words * sizeof(*p->fresh));
}

/* A hole that nothing completed. */
static void
count_open(const struct pivot *p, uint32_t sw, uint32_t c, struct route_report *r, uint64_t *lost)
{
	const struct route_model *m = p->m;
	uint32_t n = m->lid_first[c + 1] - m->lid_first[c] + m->own_n[c], to = m->col_sw[c];

	if (p->roots->part[sw] != p->roots->part[to])
		return;
	if (swgraph_is_leaf(&m->g, sw)) {
		r->unreachable += n;
		bits_set(lost, c);
		route_evidence_add(r, route_node(m, sw), route_node(m, to), m->own_first[c], n);
	} else {
		r->declared += n;
	}
}

static void
count_holes(const struct pivot *p, struct route_report *r, uint64_t *lost)
{
	const struct route_model *m = p->m;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		for (size_t w = 0; w < p->words; w++) {
			size_t at = sw * p->words + w;
			uint64_t done = p->filled[at] | p->kept[at];

			if (p->ones[w])
				r->completed += (uint64_t)__builtin_popcountll(done);
			for (; !p->ones[w] && done; done &= done - 1) {
				size_t c = w * 64 + (size_t)__builtin_ctzll(done);

				r->completed += m->lid_first[c + 1] - m->lid_first[c] + m->own_n[c];
			}
			done = p->holes[at] & ~(p->filled[at] | p->kept[at]);
			for (; done; done &= done - 1)
				count_open(p, sw,
					(uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(done), r, lost);
		}
}

/* After the anchor: entries in force, doors, then other pivots. */
static void
use_pivots(struct pivot *p, const struct route_in *in, struct route_report *r)
{
	if (p->care->before)
		keep_before(p, in->previous);
	use_doors(p);
	while (find_need(p) && r->npivots < PIVOTS_MAX &&
	    (p->root = choose_pivot(p)) != FAB_NONE) {
		if (!r->npivots++)
			r->pivot = route_node(p->m, p->root);
		bits_set(p->used, p->root);
		grow_tree(p);
		fill_holes(p);
		keep_acyclic(p);
		use_doors(p);
	}
}

/* A fresh start: removes all that was completed. */
static void
begin_again(struct pivot *p, struct route_report *r, uint64_t *lost)
{
	size_t bytes = p->m->g.nsw * p->words * sizeof(*p->kept);

	for (uint32_t sw = 0; sw < p->m->g.nsw; sw++)
		for (size_t c = bits_next(p->holes + sw * p->words, p->m->ncols, 0);
			p->f->node[sw] != FAB_NONE && c < p->m->ncols;
			c = bits_next(p->holes + sw * p->words, p->m->ncols, c + 1))
			set_column(p, sw, (uint32_t)c, FAB_LFT_DROP);
	memset(p->used, 0, BITS_WORDS(p->m->g.nsw) * sizeof(*p->used));
	memset(p->filled, 0, bytes);
	memset(p->fresh, 0, bytes);
	memset(p->kept, 0, bytes);
	memset(p->parent, 0, p->m->g.nsw * sizeof(*p->parent));
	memset(lost, 0, BITS_WORDS(p->m->ncols) * sizeof(*lost));
	memset(&p->anchor, 0, sizeof(p->anchor));
	p->root = FAB_NONE;
	r->pivot = FAB_NONE;
	r->npivots = r->nevidence = 0;
	r->completed = r->declared = r->unreachable = 0;
}

/* Whether anything but the anchor completed an entry. */
static bool
has_filled(const struct pivot *p)
{
	for (size_t w = 0; w < p->m->g.nsw * p->words; w++)
		if (p->filled[w])
			return true;
	return false;
}

bool
pivot_complete(const struct frame *f, const struct updown *u, const struct roots *roots,
	const struct route_in *in, struct fwd_tables *out, struct route_report *r, uint64_t *lost)
{
	const struct route_model *m = &f->now;
	struct pivot p = {
		.f = f, .m = m, .u = u, .roots = roots, .t = out, .arena = ARENA_INIT,
		.words = BITS_WORDS(m->ncols), .root = FAB_NONE,
	};
	bool further = false;

	r->pivot = FAB_NONE;
	r->npivots = 0;
	p.used = arena_array(&p.arena, BITS_WORDS(m->g.nsw), sizeof(*p.used));
	p.need = arena_array(&p.arena, p.words, sizeof(*p.need));
	p.queue = arena_array(&p.arena, m->g.nsw, sizeof(*p.queue));
	p.dist = arena_array(&p.arena, m->g.nsw, sizeof(*p.dist));
	p.parent = arena_array(&p.arena, m->g.nsw, sizeof(*p.parent));
	p.holes = arena_array(&p.arena, m->g.nsw, p.words * sizeof(*p.holes));
	p.filled = arena_array(&p.arena, m->g.nsw, p.words * sizeof(*p.filled));
	p.fresh = arena_array(&p.arena, m->g.nsw, p.words * sizeof(*p.fresh));
	p.kept = arena_array(&p.arena, m->g.nsw, p.words * sizeof(*p.kept));
	for (size_t i = 0; i < sizeof(cares) / sizeof(cares[0]); i++) {
		p.care = &cares[i];
		if (i)
			begin_again(&p, r, lost);
		use_anchor(&p, in, r);
		use_pivots(&p, in, r);
		count_holes(&p, r, lost);
		further |= i > 0 || has_filled(&p);
		if (!r->unreachable)
			break;
	}
	arena_clear(&p.arena);
	return further;
}
