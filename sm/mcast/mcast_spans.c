/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_spans.c - spanning trees: kept, repaired, grown.
 * Room: sm/mcast.  Pure.  In: snapshot, ranks or unicast dependencies, the spans before.  Out:
 * spans.
 *
 * All spans first keep the edges of the plan before that still exist and are legal.  Then each
 * span grows from its root, breadth first.  A switch that the growth reaches adds the whole
 * piece that it belongs to.  With ranks only the highest switch of a piece can be attached;
 * without, any switch.
 *
 * With ranks a span reaches the switches below its root (mcast_down.h).  So one that has lost no
 * edge and reaches as many as there are would be made as it was: it is copied.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/mcast/mcast_down.h"
#include "sm/mcast/mcast_edges.h"
#include "sm/mcast/mcast_spans.h"
#include "util/bits.h"

enum {
	SPANS_BY_TURNS = 8,             /* most of those that fit into an order of channels */
	ROOTS_TRIED = 32,               /* for the first of them */
};

struct build {
	const struct mcast_spans_in *in;
	struct mcast_edges e;
	struct mcast_down down;         /* with ranks */
	struct arena *a;                /* of the result */
	struct arena *scratch;
	struct mcast_spans *out;
	/* with a plan before: per switch of it, the present ordinal, FAB_NONE; per span of it, the
	 * edges that could stay */
	uint32_t *now, *kept;
	/* scratch, per switch */
	uint8_t *joined;                /* reached from the root */
	uint32_t *queue, nqueue;
	uint32_t *stack;
	uint16_t *dist;
};

/* ---- pieces ---- */

static struct mcast_span *
span_add(struct build *b)
{
	struct mcast_span *t = &b->out->v[b->out->n++];
	size_t n = (size_t)b->e.g.nsw + 1;

	*t = (struct mcast_span){ .root = FAB_NONE };
	t->above = arena_array(b->a, n, sizeof(*t->above));
	t->port = arena_alloc(b->a, n);
	return t;
}

/* Makes it a span without edges. */
static void
span_empty(struct build *b, struct mcast_span *t)
{
	memset(t->above, 0xff, b->e.g.nsw * sizeof(*t->above)); /* all FAB_NONE */
	memset(t->port, 0, b->e.g.nsw);
	t->ports = arena_array(b->scratch, (size_t)b->e.g.nsw + 1, sizeof(*t->ports));
}

static struct mcast_span *
span_new(struct build *b, uint32_t root)
{
	struct mcast_span *t = span_add(b);

	span_empty(b, t);
	t->root = root;
	return t;
}

/* Takes the piece below 'sw' off the switch above it. */
static void
cut_off(struct build *b, struct mcast_span *t, uint32_t sw)
{
	const struct fab_node *n = &b->in->s->nodes[b->in->s->switches[sw]];

	mcast_edges_remove(&b->e, t, n->first_port + t->port[sw]);
	t->above[sw] = FAB_NONE;
	t->port[sw] = 0;
	b->out->dropped++;
}

static void
join_switch(struct build *b, struct mcast_span *t, uint32_t sw, uint32_t above, uint8_t port)
{
	t->above[sw] = above;
	t->port[sw] = port;
	b->joined[sw] = 1;
	b->queue[b->nqueue++] = sw;
}

/* Joins 'sw' and its piece, by its port to the switch 'above' (FAB_NONE: the root), and turns the
 * piece towards it. */
static void
join_piece(struct build *b, struct mcast_span *t, uint32_t sw, uint32_t above, uint8_t port)
{
	const struct snapshot *s = b->in->s;
	uint32_t i = b->nqueue;

	join_switch(b, t, sw, above, port);
	for (; i < b->nqueue; i++) {
		uint32_t from = b->queue[i];

		for (unsigned k = mcast_edges_next(t, from, 0); k; k = mcast_edges_next(t, from, k)) {
			uint32_t to = mcast_edges_behind(&b->e, from, (uint8_t)k), peer;

			if (b->joined[to])
				continue;
			peer = snapshot_port(s, s->switches[from], (uint8_t)k)->peer;
			join_switch(b, t, to, from, s->ports[peer].num);
		}
	}
}

/* Tries the links from 'from', which is joined, to one neighbour, which is not. */
static void
try_neighbour(struct build *b, struct mcast_span *t, uint32_t from,
	const struct swgraph_group *group, uint32_t turn)
{
	const struct fab_node *node = &b->in->s->nodes[b->in->s->switches[from]];

	if (b->e.rank && (t->above[group->to] != FAB_NONE ||
				 mcast_edges_leads_up(&b->e, from, group->to)))
		return;
	for (uint32_t i = 0; i < group->nports; i++) {
		uint32_t port = node->first_port +
			b->e.g.ports[group->first_port + (turn + i) % group->nports];

		if (mcast_edges_add(&b->e, t, port)) {
			join_piece(b, t, group->to, from,
				b->in->s->ports[b->in->s->ports[port].peer].num);
			return;
		}
	}
}

/* The most switches that a span from that root can reach, as far as that is known. */
static uint32_t
most_below(struct build *b, uint32_t root)
{
	return b->e.rank && mcast_down_is_top(&b->down, root) ? mcast_down_switches(&b->down, root) :
								b->e.g.nsw;
}

static void
join_neighbours(struct build *b, struct mcast_span *t, uint32_t turn, uint32_t most)
{
	const struct swgraph *g = &b->e.g;

	for (uint32_t i = 0; i < b->nqueue && b->nqueue < most; i++)
		for (uint32_t k = g->group_first[b->queue[i]];
			k < g->group_first[b->queue[i] + 1]; k++)
			if (!b->joined[g->groups[k].to] &&
			    mcast_edges_forwards(&b->e, g->groups[k].to))
				try_neighbour(b, t, b->queue[i], &g->groups[k], turn);
}

/* With ranks, separates the highest switches from all pieces that are left; without ranks, divides
 * these pieces.  Returns false if there was nothing to divide. */
static bool
take_apart(struct build *b, struct mcast_span *t)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++)
		if (!b->joined[sw] && t->above[sw] != FAB_NONE &&
		    (!b->e.rank || t->above[t->above[sw]] == FAB_NONE))
			b->stack[n++] = sw;
	for (uint32_t i = 0; i < n; i++)
		cut_off(b, t, b->stack[i]);
	return n != 0;
}

/* Leaves out switches that cannot be reached, and counts the others. */
static void
span_finish(struct build *b, struct mcast_span *t)
{
	uint32_t far = 0;

	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++)
		if (!b->joined[sw]) {
			t->above[sw] = FAB_NONE;
			t->port[sw] = 0;
			memset(t->ports[sw], 0, sizeof(t->ports[sw]));
		}
	t->reached = b->nqueue;
	for (uint32_t i = 0; i < b->nqueue; i++) {
		uint32_t sw = b->queue[i], depth = 0;

		/* pieces are turned as they join, so each is after the one above it */
		if (t->above[sw] != FAB_NONE)
			depth = b->stack[t->above[sw]] + 1;
		b->stack[sw] = depth;
		far = depth > far ? depth : far;
	}
	t->height = far;
}

static void
span_grow(struct build *b, struct mcast_span *t, uint32_t turn)
{
	uint32_t most = most_below(b, t->root);

	memset(b->joined, 0, b->e.g.nsw);
	b->nqueue = 0;
	if (t->above[t->root] != FAB_NONE && b->e.rank)
		cut_off(b, t, t->root);
	join_piece(b, t, t->root, FAB_NONE, 0);
	do
		join_neighbours(b, t, turn, most);
	while (take_apart(b, t));
	span_finish(b, t);
}

/* ---- the plan before ---- */

static uint32_t
switch_by_guid(const struct build *b, uint64_t guid)
{
	uint32_t node = snapshot_node_by_guid(b->in->s, guid);

	return node == FAB_NONE ? FAB_NONE : b->in->s->nodes[node].sw;
}

/* Finds the switches of the plan before; both snapshots have them in the order of their GUIDs. */
static void
find_now(struct build *b)
{
	const struct snapshot *s = b->in->s, *was = b->in->before->s;
	uint32_t k = 0;

	b->now = arena_array(b->scratch, was->nswitches + 1u, sizeof(*b->now));
	for (uint32_t i = 0; i < was->nswitches; i++) {
		uint64_t guid = was->nodes[was->switches[i]].guid;

		while (k < s->nswitches && s->nodes[s->switches[k]].guid < guid)
			k++;
		b->now[i] = k < s->nswitches && s->nodes[s->switches[k]].guid == guid ? k : FAB_NONE;
	}
}

/* Whether the edge of switch 'i' of the plan before is still there: its port leads to the same
 * switch. */
static bool
edge_is_there(const struct build *b, const struct mcast_span *old, uint32_t i)
{
	uint32_t sw = b->now[i], above = b->now[old->above[i]];

	return sw != FAB_NONE && above != FAB_NONE &&
		mcast_edges_behind(&b->e, sw, old->port[i]) == above;
}

/* Returns the number of edges that are kept. */
static uint32_t
keep_edges(struct build *b, struct mcast_span *t, const struct mcast_span *old)
{
	const struct snapshot *s = b->in->s;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < b->in->before->s->nswitches; i++) {
		uint32_t sw = b->now[i], above;

		if (old->above[i] == FAB_NONE)
			continue;
		if (!edge_is_there(b, old, i)) {
			b->out->lost++;
			continue;
		}
		above = b->now[old->above[i]];
		if (!mcast_edges_is_legal(&b->e, sw, above) ||
		    !mcast_edges_add(&b->e, t, s->nodes[s->switches[sw]].first_port + old->port[i])) {
			b->out->dropped++;
			continue;
		}
		t->above[sw] = above;
		t->port[sw] = old->port[i];
		kept++;
	}
	b->out->kept += kept;
	return kept;
}

/* With ranks: makes the span that 'old' was, if it keeps its root, has lost nothing, and nothing can
 * be added.  False: 't' is not filled. */
static bool
keep_whole(struct build *b, struct mcast_span *t, const struct mcast_span *old, uint32_t root)
{
	if (root == FAB_NONE || root != b->now[old->root] || !mcast_down_is_top(&b->down, root) ||
	    mcast_down_switches(&b->down, root) != old->reached)
		return false;
	memset(t->above, 0xff, b->e.g.nsw * sizeof(*t->above));
	for (uint32_t i = 0; i < b->in->before->s->nswitches; i++) {
		uint32_t sw = b->now[i], above;

		if (old->above[i] == FAB_NONE)
			continue;
		above = b->now[old->above[i]];
		if (!edge_is_there(b, old, i) || !mcast_edges_leads_up(&b->e, sw, above))
			return false;
		t->above[sw] = above;
		t->port[sw] = old->port[i];
	}
	t->root = root;
	t->reached = old->reached;
	t->height = old->height;
	b->out->kept += old->reached - 1;
	return true;
}

/* ---- roots ---- */

/* Returns the switch that the operator configured as root, or FAB_NONE if it is not in the
 * fabric. */
static uint32_t
wanted_root(const struct build *b)
{
	for (unsigned i = 0; i < MCAST_ROOTS_MAX; i++) {
		uint32_t sw = b->in->roots[i] ? switch_by_guid(b, b->in->roots[i]) : FAB_NONE;

		if (sw != FAB_NONE && mcast_edges_forwards(&b->e, sw))
			return sw;
	}
	return FAB_NONE;
}

/* Counts the switches of pieces that are attached to neighbours of 'sw': the more, the fewer paths
 * move. */
static uint32_t
pieces_near(const struct build *b, const struct mcast_span *t, uint32_t sw)
{
	const struct swgraph *g = &b->e.g;
	uint32_t n = 0;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++)
		if (t->above[g->groups[k].to] == FAB_NONE)
			for (unsigned p = mcast_edges_next(t, g->groups[k].to, 0); p;
				p = mcast_edges_next(t, g->groups[k].to, p))
				n++;
	return n;
}

/* Another root for a span that lost its own: of those from which most switches with hosts are
 * reached, the one next to most pieces. */
static uint32_t
root_again(struct build *b, const struct mcast_span *t)
{
	uint32_t best = FAB_NONE, best_leaves = 0, best_near = 0;

	for (uint32_t i = 0; i < b->down.ntops; i++) {
		uint32_t sw = b->down.top[i], near = pieces_near(b, t, sw), leaves;

		if (best != FAB_NONE && near <= best_near && i >= MCAST_SPANS_MAX)
			continue;               /* only those that look better are counted */
		leaves = mcast_down_leaves(&b->down, sw);
		if (best == FAB_NONE || leaves > best_leaves ||
		    (leaves == best_leaves && near > best_near)) {
			best = sw;
			best_leaves = leaves;
			best_near = near;
		}
	}
	return best;
}

/* Without ranks, any switch of the largest piece can be the root, and no path moves. */
static uint32_t
largest_piece(struct build *b, struct mcast_span *t)
{
	uint32_t best = FAB_NONE, most = 0;

	memset(b->joined, 0, b->e.g.nsw);
	b->nqueue = 0;
	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++) {
		uint32_t before = b->nqueue;

		if (b->joined[sw] || t->above[sw] != FAB_NONE || !mcast_edges_forwards(&b->e, sw))
			continue;
		join_piece(b, t, sw, FAB_NONE, 0);
		if (b->nqueue - before > most) {
			most = b->nqueue - before;
			best = sw;
		}
	}
	return best;
}

/* ---- all spans ---- */

/* Counts the switches with hosts that a span reaches. */
static uint32_t
count_leaves(struct build *b, const struct mcast_span *t)
{
	uint32_t n = 0;

	if (b->e.rank && mcast_down_is_top(&b->down, t->root))
		return mcast_down_leaves(&b->down, t->root);
	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++)
		n += swgraph_is_leaf(&b->e.g, sw) && mcast_edges_forwards(&b->e, sw) &&
			(sw == t->root || t->above[sw] != FAB_NONE);
	return n;
}

static uint32_t
count_forwarding_leaves(const struct build *b)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++)
		n += swgraph_is_leaf(&b->e.g, sw) && mcast_edges_forwards(&b->e, sw);
	return n;
}

/* A top from which all switches with hosts are reached: the first after 'old' that is the root of no
 * span, otherwise any.  FAB_NONE: none. */
static uint32_t
whole_root(struct build *b, uint32_t old, uint32_t leaves)
{
	uint32_t shared = FAB_NONE, tried = 0;

	for (uint32_t i = 1; i < b->e.g.nsw && tried < MCAST_SPANS_MAX; i++) {
		uint32_t sw = (old + i) % b->e.g.nsw;
		bool used = false;

		if (!mcast_down_is_top(&b->down, sw))
			continue;
		for (uint32_t k = 0; k < b->out->n; k++)
			used |= b->out->v[k].root == sw;
		if (used && shared != FAB_NONE)
			continue;
		tried++;
		if (mcast_down_leaves(&b->down, sw) != leaves)
			continue;
		if (!used)
			return sw;
		shared = sw;
	}
	return shared;
}

/*
 * With ranks, a root does not reach a switch with hosts any more if the one way down to it is lost,
 * although other roots do.  Then only this span gets another root: to do without ranks would take
 * all of them, and seconds in a large fabric.
 */
static void
replace_roots(struct build *b)
{
	uint32_t leaves = count_forwarding_leaves(b);

	for (uint32_t i = 0; i < b->out->n; i++) {
		struct mcast_span *t = &b->out->v[i];
		uint32_t root;

		if (count_leaves(b, t) == leaves)
			continue;
		root = whole_root(b, t->root, leaves);
		if (root == FAB_NONE)
			return;
		b->out->kept -= b->kept[i];
		b->out->dropped += b->kept[i];
		span_empty(b, t);
		t->root = root;
		span_grow(b, t, i);
	}
}

/* The root of a span that was not kept whole. */
static uint32_t
find_root(struct build *b, struct mcast_span *t, uint32_t old)
{
	if (old != FAB_NONE && mcast_edges_forwards(&b->e, old))
		return old;
	return b->e.rank ? root_again(b, t) : largest_piece(b, t);
}

static void
spans_repair(struct build *b)
{
	const struct mcast_spans *old = b->in->before;
	uint32_t wanted = wanted_root(b), root[MCAST_SPANS_MAX + 1];
	bool takes_wanted = wanted != FAB_NONE &&
		(!b->e.rank || mcast_down_is_top(&b->down, wanted));

	find_now(b);
	b->kept = arena_array(b->scratch, MCAST_SPANS_MAX + 1, sizeof(*b->kept));
	for (uint32_t i = 0; i < old->n; i++) {
		struct mcast_span *t = span_add(b);

		root[i] = takes_wanted ? wanted : b->now[old->v[i].root];
		if (b->e.rank && keep_whole(b, t, &old->v[i], root[i])) {
			b->kept[i] = t->reached - 1;
			continue;
		}
		span_empty(b, t);
		b->kept[i] = keep_edges(b, t, &old->v[i]);
	}
	for (uint32_t i = 0; i < old->n; i++) {
		struct mcast_span *t = &b->out->v[i];

		if (t->reached)                 /* whole */
			continue;
		t->root = find_root(b, t, root[i]);
		if (t->root == FAB_NONE) {      /* no switch forwards */
			b->out->n = i;
			return;
		}
		span_grow(b, t, i);
	}
	if (b->e.rank && wanted == FAB_NONE)
		replace_roots(b);
}

/* With ranks: the tops that reach the most switches and, of these, those with the lowest spans. */
static void
spans_by_rank(struct build *b)
{
	uint32_t n, kept = 0, reached = 0, height = UINT32_MAX;
	struct mcast_spans *out = b->out;

	for (uint32_t i = 0; i < b->down.ntops && i < MCAST_SPANS_MAX; i++)
		span_grow(b, span_new(b, b->down.top[i]), i);
	n = out->n;
	for (uint32_t i = 0; i < n; i++)
		if (out->v[i].reached > reached ||
		    (out->v[i].reached == reached && out->v[i].height < height)) {
			reached = out->v[i].reached;
			height = out->v[i].height;
		}
	for (uint32_t i = 0; i < n; i++)
		if (out->v[i].reached == reached && out->v[i].height == height)
			out->v[kept++] = out->v[i];
	out->n = kept;
}

/* A span from that root, if it reaches at least so many switches; otherwise none. */
static bool
try_root(struct build *b, uint32_t root, uint32_t least)
{
	uint32_t mark = mcast_edges_mark(&b->e);
	struct mcast_span *t = span_new(b, root);

	span_grow(b, t, b->out->n - 1);
	if (t->reached >= least)
		return true;
	mcast_edges_undo(&b->e, mark);
	b->out->n--;
	return false;
}

/* Switches by their distance from the farthest one; '*n' of them, at most ROOTS_TRIED. */
static uint32_t *
middle_switches(struct build *b, uint32_t *n)
{
	const struct swgraph *g = &b->e.g;
	uint32_t *v = arena_array(b->a, ROOTS_TRIED + 1, sizeof(*v));
	uint16_t far[ROOTS_TRIED + 1];

	*n = 0;
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint32_t k, met = swgraph_distances(g, &sw, 1, b->dist, b->queue);
		uint16_t d = b->dist[b->queue[met - 1]];

		if (!mcast_edges_forwards(&b->e, sw))
			continue;
		for (k = *n; k && far[k - 1] > d; k--) {
			far[k] = far[k - 1];
			v[k] = v[k - 1];
		}
		far[k] = d;
		v[k] = sw;
		if (*n < ROOTS_TRIED)
			++*n;
	}
	return v;
}

/* Returns the first of the roots whose span reaches most switches, and their number. */
static uint32_t
best_root(struct build *b, const uint32_t *roots, uint32_t n, uint32_t all, uint32_t *most)
{
	uint32_t best = 0;

	*most = 0;
	for (uint32_t i = 0; i < n && *most < all; i++) {
		uint32_t mark = mcast_edges_mark(&b->e);

		try_root(b, roots[i], 0);
		if (b->out->v[0].reached > *most) {
			*most = b->out->v[0].reached;
			best = i;
		}
		b->out->n = 0;
		mcast_edges_undo(&b->e, mark);
	}
	return best;
}

static uint32_t
count_forwarding(const struct build *b)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++)
		n += mcast_edges_forwards(&b->e, sw);
	return n;
}

/* Without ranks: from the middle of the fabric, as many as fit beside unicast and each other. */
static void
spans_by_turns(struct build *b)
{
	uint32_t n, most, best, wanted = wanted_root(b);
	uint32_t *roots = middle_switches(b, &n);

	if (wanted != FAB_NONE && n) {
		roots[0] = wanted;
		n = 1;
	}
	if (!n)
		return;
	best = best_root(b, roots, n, count_forwarding(b), &most);
	try_root(b, roots[best], 0);
	for (uint32_t i = best + 1; i < n && b->out->n < SPANS_BY_TURNS; i++)
		if (!try_root(b, roots[i], most))
			break;
}

/* With ranks, uses the operator's root if it reaches as many switches as any other. */
static void
take_wanted_root(struct build *b)
{
	uint32_t wanted = wanted_root(b), reached = b->out->n ? b->out->v[0].reached : 0;
	struct mcast_span first = b->out->v[0];

	if (wanted == FAB_NONE) {
		if (b->in->roots[0] || b->in->roots[1])
			snprintf(b->out->remark, sizeof(b->out->remark),
				"no switch that forwards multicast has the GUID of a wanted root of multicast trees");
		return;
	}
	b->out->n = 0;
	if (try_root(b, wanted, reached))
		return;
	b->out->v[0] = first;
	b->out->n = 1;
	snprintf(b->out->remark, sizeof(b->out->remark),
		"switch 0x%016llx cannot be the root of multicast trees: going down from it, "
		"packets do not reach all switches",
		(unsigned long long)b->in->s->nodes[b->in->s->switches[wanted]].guid);
}

static void
spans_fresh(struct build *b)
{
	if (!b->e.rank) {
		spans_by_turns(b);
		return;
	}
	spans_by_rank(b);
	if (b->out->n)
		take_wanted_root(b);
}

void
mcast_spans_make(const struct mcast_spans_in *in, struct arena *a, struct mcast_spans *out)
{
	struct arena scratch = ARENA_INIT;
	struct build b = { .in = in, .a = a, .scratch = &scratch, .out = out };
	size_t n = (size_t)in->s->nswitches + 1;

	*out = (struct mcast_spans){ .s = in->s, .sls = 0xffff };
	if (!in->s->nswitches)
		return;
	mcast_edges_init(&b.e, in, &scratch);
	out->sls = mcast_edges_sls(&b.e);
	out->v = arena_array(a, MCAST_SPANS_MAX + 1, sizeof(*out->v));
	b.joined = arena_alloc(&scratch, n);
	b.queue = arena_array(&scratch, n, sizeof(*b.queue));
	b.stack = arena_array(&scratch, n, sizeof(*b.stack));
	b.dist = arena_array(&scratch, n, sizeof(*b.dist));
	if (b.e.rank)
		mcast_down_init(&b.down, &b.e, &scratch);
	if (in->before && in->before->n)
		spans_repair(&b);
	if (!out->n)
		spans_fresh(&b);
	out->by_turns = !b.e.rank;
	for (uint32_t i = 0, leaves = count_forwarding_leaves(&b); i < out->n; i++) {
		uint32_t lacking = leaves - count_leaves(&b, &out->v[i]);

		out->lacking = lacking > out->lacking ? lacking : out->lacking;
		out->v[i].ports = NULL;
	}
	arena_clear(&scratch);
}
