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
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
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
	struct arena *a;                /* of the result */
	struct mcast_spans *out;
	/* scratch, per switch */
	uint8_t *joined;                /* reached from the root */
	uint32_t *queue, nqueue;
	uint32_t *stack;
	uint16_t *dist;
};

/* ---- pieces ---- */

static struct mcast_span *
span_new(struct build *b, uint32_t root)
{
	struct mcast_span *t = &b->out->v[b->out->n++];
	size_t n = (size_t)b->e.g.nsw + 1;

	*t = (struct mcast_span){ .root = root };
	t->up = arena_array(b->a, n, sizeof(*t->up));
	t->ports = arena_array(b->a, n, sizeof(*t->ports));
	memset(t->up, 0xff, b->e.g.nsw * sizeof(*t->up));       /* all FAB_NONE */
	return t;
}

/* Joins 'sw' and its piece, by its port 'up' (FAB_NONE: the root), and turns the piece towards
 * it. */
static void
join_piece(struct build *b, struct mcast_span *t, uint32_t sw, uint32_t up)
{
	uint32_t i = b->nqueue;

	t->up[sw] = up;
	b->joined[sw] = 1;
	b->queue[b->nqueue++] = sw;
	for (; i < b->nqueue; i++) {
		uint32_t from = b->queue[i], port, peer;

		for (unsigned k = mcast_edges_next(t, from, 0); k; k = mcast_edges_next(t, from, k)) {
			port = b->in->s->nodes[b->in->s->switches[from]].first_port + k;
			peer = b->in->s->ports[port].peer;
			if (b->joined[mcast_edges_switch(&b->e, peer)])
				continue;
			t->up[mcast_edges_switch(&b->e, peer)] = peer;
			b->joined[mcast_edges_switch(&b->e, peer)] = 1;
			b->queue[b->nqueue++] = mcast_edges_switch(&b->e, peer);
		}
	}
}

/* Tries the links from 'from', which is joined, to one neighbour, which is not. */
static void
try_neighbour(struct build *b, struct mcast_span *t, uint32_t from,
	const struct swgraph_group *group, uint32_t turn)
{
	const struct fab_node *node = &b->in->s->nodes[b->in->s->switches[from]];

	if (b->e.rank && (t->up[group->to] != FAB_NONE || mcast_edges_leads_up(&b->e, from, group->to)))
		return;
	for (uint32_t i = 0; i < group->nports; i++) {
		uint32_t port = node->first_port +
			b->e.g.ports[group->first_port + (turn + i) % group->nports];

		if (mcast_edges_add(&b->e, t, port)) {
			join_piece(b, t, group->to, b->in->s->ports[port].peer);
			return;
		}
	}
}

static void
join_neighbours(struct build *b, struct mcast_span *t, uint32_t turn)
{
	const struct swgraph *g = &b->e.g;

	for (uint32_t i = 0; i < b->nqueue; i++)
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
	const struct snapshot *s = b->in->s;
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++)
		if (!b->joined[sw] && t->up[sw] != FAB_NONE) {
			uint32_t above = mcast_edges_switch(&b->e, s->ports[t->up[sw]].peer);

			if (!b->e.rank || t->up[above] == FAB_NONE)
				b->stack[n++] = sw;
		}
	for (uint32_t i = 0; i < n; i++) {
		mcast_edges_remove(&b->e, t, t->up[b->stack[i]]);
		b->out->dropped++;
		t->up[b->stack[i]] = FAB_NONE;
	}
	return n != 0;
}

/* Leaves out switches that cannot be reached, and counts the others. */
static void
span_finish(struct build *b, struct mcast_span *t)
{
	const struct snapshot *s = b->in->s;
	uint32_t far = 0;

	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++)
		if (!b->joined[sw]) {
			t->up[sw] = FAB_NONE;
			memset(t->ports[sw], 0, sizeof(t->ports[sw]));
		}
	t->reached = b->nqueue;
	for (uint32_t i = 0; i < b->nqueue; i++) {
		uint32_t sw = b->queue[i], depth = 0;

		/* pieces are turned as they join, so each is after the one above it */
		if (t->up[sw] != FAB_NONE)
			depth = b->stack[mcast_edges_switch(&b->e, s->ports[t->up[sw]].peer)] + 1;
		b->stack[sw] = depth;
		far = depth > far ? depth : far;
	}
	t->height = far;
}

static void
span_grow(struct build *b, struct mcast_span *t, uint32_t turn)
{
	memset(b->joined, 0, b->e.g.nsw);
	b->nqueue = 0;
	if (t->up[t->root] != FAB_NONE && b->e.rank) {
		mcast_edges_remove(&b->e, t, t->up[t->root]);
		b->out->dropped++;
	}
	join_piece(b, t, t->root, FAB_NONE);
	do
		join_neighbours(b, t, turn);
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

/* Returns the present index of the port 'old' if it still leads to the same switch, or FAB_NONE. */
static uint32_t
port_now(const struct build *b, const struct snapshot *before, uint32_t old)
{
	const struct snapshot *s = b->in->s;
	uint64_t guid = before->nodes[before->ports[old].node].guid;
	uint64_t above = before->nodes[before->ports[before->ports[old].peer].node].guid;
	uint32_t sw = switch_by_guid(b, guid), peer;
	const struct fab_node *n = sw == FAB_NONE ? NULL : &s->nodes[s->switches[sw]];

	if (!n || before->ports[old].num > n->nports || !mcast_edges_forwards(&b->e, sw))
		return FAB_NONE;
	peer = s->ports[n->first_port + before->ports[old].num].peer;
	if (peer == FAB_NONE || s->nodes[s->ports[peer].node].guid != above ||
	    s->nodes[s->ports[peer].node].sw == FAB_NONE ||
	    !mcast_edges_forwards(&b->e, s->nodes[s->ports[peer].node].sw))
		return FAB_NONE;
	return n->first_port + before->ports[old].num;
}

static void
keep_edges(struct build *b, struct mcast_span *t, const struct mcast_span *old)
{
	const struct snapshot *before = b->in->before->s;

	for (uint32_t i = 0; i < before->nswitches; i++) {
		uint32_t port;

		if (old->up[i] == FAB_NONE)
			continue;
		port = port_now(b, before, old->up[i]);
		if (port == FAB_NONE) {
			b->out->lost++;
			continue;
		}
		if (mcast_edges_is_legal(&b->e, port) && mcast_edges_add(&b->e, t, port)) {
			t->up[mcast_edges_switch(&b->e, port)] = port;
			b->out->kept++;
		} else {
			b->out->dropped++;
		}
	}
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

static bool
is_top(const struct build *b, uint32_t sw)
{
	const struct swgraph *g = &b->e.g;

	for (uint32_t k = g->group_first[sw]; b->e.rank && k < g->group_first[sw + 1]; k++)
		if (mcast_edges_leads_up(&b->e, sw, g->groups[k].to) &&
		    mcast_edges_forwards(&b->e, g->groups[k].to))
			return false;
	return mcast_edges_forwards(&b->e, sw);
}

/* Counts the switches with hosts that packets reach downwards from 'top'. */
static uint32_t
leaves_below(struct build *b, uint32_t top)
{
	const struct swgraph *g = &b->e.g;
	uint32_t n = 0, leaves = 0;

	memset(b->joined, 0, g->nsw);
	b->stack[n++] = top;
	b->joined[top] = 1;
	for (uint32_t i = 0; i < n; i++) {
		leaves += swgraph_is_leaf(g, b->stack[i]);
		for (uint32_t k = g->group_first[b->stack[i]];
			k < g->group_first[b->stack[i] + 1]; k++) {
			uint32_t to = g->groups[k].to;

			if (b->joined[to] || mcast_edges_leads_up(&b->e, b->stack[i], to) ||
			    !mcast_edges_forwards(&b->e, to))
				continue;
			b->joined[to] = 1;
			b->stack[n++] = to;
		}
	}
	return leaves;
}

/* Counts the switches of pieces that are attached to neighbours of 'sw': the more, the fewer paths
 * move. */
static uint32_t
pieces_near(const struct build *b, const struct mcast_span *t, uint32_t sw)
{
	const struct swgraph *g = &b->e.g;
	uint32_t n = 0;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++)
		if (t->up[g->groups[k].to] == FAB_NONE)
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
	uint32_t best = FAB_NONE, best_leaves = 0, best_near = 0, tops = 0;

	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++) {
		uint32_t leaves, near;

		if (!is_top(b, sw))
			continue;
		near = pieces_near(b, t, sw);
		if (best != FAB_NONE && near <= best_near && tops >= MCAST_SPANS_MAX)
			continue;               /* only those that look better are walked */
		leaves = leaves_below(b, sw);
		if (best == FAB_NONE || leaves > best_leaves ||
		    (leaves == best_leaves && near > best_near)) {
			best = sw;
			best_leaves = leaves;
			best_near = near;
		}
		tops++;
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

		if (b->joined[sw] || t->up[sw] != FAB_NONE || !mcast_edges_forwards(&b->e, sw))
			continue;
		join_piece(b, t, sw, FAB_NONE);
		if (b->nqueue - before > most) {
			most = b->nqueue - before;
			best = sw;
		}
	}
	return best;
}

/* ---- all spans ---- */

static uint32_t
count_leaves(const struct build *b, const struct mcast_span *t)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < b->e.g.nsw; sw++)
		n += swgraph_is_leaf(&b->e.g, sw) && mcast_edges_forwards(&b->e, sw) &&
			(sw == t->root || t->up[sw] != FAB_NONE);
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

		if (!is_top(b, sw))
			continue;
		for (uint32_t k = 0; k < b->out->n; k++)
			used |= b->out->v[k].root == sw;
		if (used && shared != FAB_NONE)
			continue;
		tried++;
		if (leaves_below(b, sw) != leaves)
			continue;
		if (!used)
			return sw;
		shared = sw;
	}
	return shared;
}

/* Forgets the edges of a span, which were kept of 'old'. */
static void
forget_edges(struct build *b, struct mcast_span *t, const struct mcast_span *old)
{
	const struct snapshot *before = b->in->before->s;

	for (uint32_t i = 0; i < before->nswitches; i++) {
		uint32_t port = old->up[i] == FAB_NONE ? FAB_NONE : port_now(b, before, old->up[i]);

		if (port == FAB_NONE || !mcast_edges_is_legal(&b->e, port))
			continue;
		b->out->kept--;
		b->out->dropped++;
	}
	memset(t->up, 0xff, b->e.g.nsw * sizeof(*t->up));
	memset(t->ports, 0, b->e.g.nsw * sizeof(*t->ports));
}

/*
 * With ranks, a root does not reach a switch with hosts any more if the one way down to it is lost,
 * although other roots do.  Then only this span gets another root: to do without ranks would take
 * all of them, and seconds in a large fabric.
 */
static void
replace_roots(struct build *b)
{
	const struct mcast_spans *old = b->in->before;
	uint32_t leaves = count_forwarding_leaves(b);

	for (uint32_t i = 0; i < b->out->n; i++) {
		struct mcast_span *t = &b->out->v[i];
		uint32_t root;

		if (count_leaves(b, t) == leaves)
			continue;
		root = whole_root(b, t->root, leaves);
		if (root == FAB_NONE)
			return;
		forget_edges(b, t, &old->v[i]);
		t->root = root;
		span_grow(b, t, i);
	}
}

static void
spans_repair(struct build *b)
{
	const struct mcast_spans *old = b->in->before;
	uint32_t wanted = wanted_root(b);

	for (uint32_t i = 0; i < old->n; i++)
		keep_edges(b, span_new(b, FAB_NONE), &old->v[i]);
	for (uint32_t i = 0; i < old->n; i++) {
		struct mcast_span *t = &b->out->v[i];
		const struct snapshot *s = old->s;

		t->root = wanted != FAB_NONE && (!b->e.rank || is_top(b, wanted)) ? wanted :
			switch_by_guid(b, s->nodes[s->switches[old->v[i].root]].guid);
		if (t->root == FAB_NONE || !mcast_edges_forwards(&b->e, t->root))
			t->root = b->e.rank ? root_again(b, t) : largest_piece(b, t);
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

	for (uint32_t sw = 0; sw < b->e.g.nsw && out->n < MCAST_SPANS_MAX; sw++)
		if (is_top(b, sw))
			span_grow(b, span_new(b, sw), out->n - 1);
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
	struct build b = { .in = in, .a = a, .out = out };
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
	if (in->before && in->before->n)
		spans_repair(&b);
	if (!out->n)
		spans_fresh(&b);
	out->by_turns = !b.e.rank;
	for (uint32_t i = 0, leaves = count_forwarding_leaves(&b); i < out->n; i++)
		if (leaves - count_leaves(&b, &out->v[i]) > out->lacking)
			out->lacking = leaves - count_leaves(&b, &out->v[i]);
	arena_clear(&scratch);
}
