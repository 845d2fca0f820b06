/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_trees.c - follows the copies of multicast packets through the tables, and adds their turns
 * to those of unicast.
 * Room: fabric/verify.  Pure.  In: rows, members, unicast tables.  Out: what is wrong, in numbers
 * and in a sentence.
 *
 * Of each tree, arcs are found first: an arc is a link in the direction in which a copy can cross
 * it, named by the port that receives, with the set of VLs on which copies come.  The work is a
 * queue of arcs whose set has grown, so it ends in tables of any content.  Then the links of the
 * arcs must be a forest, and in a forest, a copy gets from member to member if every arc between
 * them is there.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "fabric/snapshot/mft_seen.h"
#include "fabric/verify/verify_run.h"
#include "fabric/verify/verify_trees.h"
#include "util/bits.h"

#define MASK_WORDS 4                    /* 256 ports */

struct mask {
	uint64_t w[MASK_WORDS];
};

struct trees_run {
	const struct verify_trees_in *in;
	const struct verify_tree *t;
	const struct snapshot *s;
	const struct lane_plan *lanes;  /* NULL: one VL */
	struct chan_graph *g;
	struct verify_trees_result *r;
	/* by switch, of the tree at hand */
	struct mask *mask, *hosts;      /* the bits that are set; those to members that receive */
	uint8_t *loaded;
	uint32_t *used, nused;          /* switches that were loaded */
	uint32_t *all, *hear;           /* members at the switch, then at and below it */
	uint32_t *group;                /* union-find: another switch of the same part */
	uint32_t *parent;               /* FAB_NONE: first of its part */
	uint32_t *order;
	/* by port as numbered in the graph */
	uint16_t *vls;                  /* VLs on which copies arrive there; 0: none do */
	uint32_t *arcs, narcs;          /* ports with vls */
	uint32_t *queue, head, tail;    /* ring of ports whose set has grown */
	uint8_t *queued;
};

static void
complain(struct trees_run *x, uint64_t *count, const char *what, uint32_t sw, unsigned port)
{
	++*count;
	if (x->r->sentence[0])
		return;
	x->r->mlid = x->t->mlid;
	snprintf(x->r->sentence, sizeof(x->r->sentence), "the tree of MLID 0x%04x %s 0x%016llx[%u]",
		x->t->mlid, what, (unsigned long long)x->s->nodes[x->s->switches[sw]].guid, port);
}

/* ---- one tree: what its rows say ---- */

static void
load_switch(struct trees_run *x, uint32_t sw)
{
	uint32_t i = (x->t->mlid - MLID_FIRST) & 0x3fff, ports = x->g->first[sw + 1] - x->g->first[sw];

	if (x->loaded[sw])
		return;
	x->loaded[sw] = 1;
	x->used[x->nused++] = sw;
	for (uint32_t k = 0; k * MFT_POSITION_PORTS < ports; k++) {
		const uint8_t *row = x->in->row(
			x->in->rows, sw, mft_row_of(i / MFT_BLOCK_MLIDS, k));
		uint64_t bits = row ? ATTR_GET_ITEM(mft_block, mask, row, i % MFT_BLOCK_MLIDS) : 0;

		x->mask[sw].w[k / 4] |= bits << (k % 4 * 16);
	}
}

/* The switch and the port of it that a member is at; false: none. */
static bool
find_member(const struct trees_run *x, uint32_t port, uint32_t *sw, uint32_t *via)
{
	const struct fab_port *q = &x->s->ports[port];

	if (x->s->nodes[q->node].sw == FAB_NONE) {
		if (q->peer == FAB_NONE)
			return false;
		q = &x->s->ports[q->peer];
	}
	*sw = x->s->nodes[q->node].sw;
	*via = q->num;
	return *sw != FAB_NONE;
}

/* A copy that came into switch 'sw' by port 'in' on each VL of 'vls' goes out by all other ports
 * that are set, with SL 'sl'. */
static void
spread(struct trees_run *x, uint32_t sw, uint32_t in, uint32_t vls, uint8_t sl)
{
	const struct chan_graph *g = x->g;

	for (unsigned w = 0; w < MASK_WORDS; w++)
		for (uint64_t m = x->mask[sw].w[w]; m; m &= m - 1) {
			uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(m), to;
			const struct chan_hop *h = chan_graph_hop(g, sw, out);
			uint8_t vl = 0;

			if (out == in || !h || h->chan == FAB_NONE)
				continue;
			to = h->chan;
			if (x->lanes)
				vl = lanes_vl(x->lanes, g->port[g->first[sw] + in],
					g->port[g->first[sw] + out], sl);
			for (uint32_t v = vls; v; v &= v - 1) {
				uint32_t bit = (out << g->vl_bits) + vl;

				chan_graph_row(g, sw,
					(in << g->vl_bits) + (uint32_t)__builtin_ctz(v))[bit / 64] |=
					(uint64_t)1 << (bit % 64);
			}
			if (x->vls[to] >> vl & 1)
				continue;
			if (!x->vls[to])
				x->arcs[x->narcs++] = to;
			x->vls[to] |= (uint16_t)(1u << vl);
			if (!x->queued[to])
				x->queue[x->tail++ % g->nports] = to;
			x->queued[to] = 1;
		}
}

/* Follows copies with that SL from all members.  vls[] is zero. */
static void
flood(struct trees_run *x, uint8_t sl)
{
	uint32_t sw, via;

	x->head = x->tail = 0;
	for (uint32_t i = 0; i < x->t->nmembers; i++)
		if (find_member(x, x->t->members[i].port, &sw, &via))
			spread(x, sw, via, 0, sl);
	while (x->head != x->tail) {
		uint32_t c = x->queue[x->head++ % x->g->nports];

		x->queued[c] = 0;
		sw = x->g->sw[c];
		load_switch(x, sw);
		spread(x, sw, c - x->g->first[sw], x->vls[c], sl);
	}
}

/* ---- one tree: whether it is one ---- */

static uint32_t
find_group(struct trees_run *x, uint32_t sw)
{
	while (x->group[sw] != sw)
		sw = x->group[sw] = x->group[x->group[sw]];
	return sw;
}

/* False: the links that copies cross have a cycle. */
static bool
is_forest(struct trees_run *x)
{
	for (uint32_t i = 0; i < x->narcs; i++) {
		uint32_t c = x->arcs[i], back = x->g->hop[c].chan, a, b;

		if (x->vls[back] && back < c)
			continue;               /* the link counts once */
		a = find_group(x, x->g->sw[c]);
		b = find_group(x, x->g->sw[back]);
		if (a == b) {
			complain(x, &x->r->looping, "has a cycle of cables through",
				x->g->sw[c], c - x->g->first[x->g->sw[c]]);
			return false;
		}
		x->group[a] = b;
	}
	return true;
}

/* Puts the part of 'first' into order[], each switch after its parent; returns the new count. */
static uint32_t
order_part(struct trees_run *x, uint32_t first, uint32_t n)
{
	const struct chan_graph *g = x->g;

	x->order[n] = first;
	x->parent[first] = FAB_NONE;
	for (uint32_t i = n++; i < n; i++) {
		uint32_t sw = x->order[i];

		for (uint32_t c = g->first[sw] + 1; c < g->first[sw + 1]; c++) {
			uint32_t back = g->hop[c].chan;

			if (back == FAB_NONE || c == x->parent[sw] || (!x->vls[c] && !x->vls[back]))
				continue;
			x->parent[g->sw[back]] = back;
			x->order[n++] = g->sw[back];
		}
	}
	return n;
}

/* 'sw' is the first of its part, and counts all members there. */
static void
check_apart(struct trees_run *x, uint32_t sw, uint32_t all, uint32_t hear)
{
	bool sends = x->all[sw] && hear > x->hear[sw], hears = x->hear[sw] && all > x->all[sw];

	if (sends || hears)
		complain(x, &x->r->lacking, "does not connect all members; one part is at", sw, 0);
}

/* In a forest: whether every member reaches each that receives.  order[first..n) is one part. */
static void
check_part(struct trees_run *x, uint32_t first, uint32_t n, uint32_t all, uint32_t hear)
{
	const struct chan_graph *g = x->g;

	for (uint32_t i = n; i-- > first + 1;) {
		uint32_t sw = x->order[i], up = x->parent[sw], above = g->hop[up].chan;
		bool wants_up = x->all[sw] && hear > x->hear[sw];
		bool wants_down = x->hear[sw] && all > x->all[sw];

		if (wants_up && !x->vls[above])
			complain(x, &x->r->lacking, "lacks the entry of", sw, up - g->first[sw]);
		if (wants_down && !x->vls[up])
			complain(x, &x->r->lacking, "lacks the entry of", g->sw[above],
				above - g->first[g->sw[above]]);
		x->all[g->sw[above]] += x->all[sw];
		x->hear[g->sw[above]] += x->hear[sw];
	}
	check_apart(x, x->order[first], all, hear);
}

/* Whether members that receive have their bit, and no other end port has one. */
static void
check_ends(struct trees_run *x)
{
	for (uint32_t i = 0; i < x->nused; i++) {
		uint32_t sw = x->used[i], ports = x->g->first[sw + 1] - x->g->first[sw];

		for (uint32_t k = 0; k < ports; k++) {
			bool set = x->mask[sw].w[k / 64] >> k % 64 & 1;
			bool wants = x->hosts[sw].w[k / 64] >> k % 64 & 1;

			if (set == wants || (!wants && k && x->g->hop[x->g->first[sw] + k].chan !=
						FAB_NONE))
				continue;
			if (wants)
				complain(x, &x->r->lacking, "lacks the entry of", sw, k);
			else
				complain(x, &x->r->straying, "gives copies to no member at", sw, k);
		}
	}
}

static void
count_members(struct trees_run *x, uint32_t *all, uint32_t *hear)
{
	*all = *hear = 0;
	for (uint32_t i = 0; i < x->t->nmembers; i++) {
		uint32_t sw, via;

		if (!find_member(x, x->t->members[i].port, &sw, &via)) {
			complain(x, &x->r->lacking, "has a member that is cabled to no switch:",
				0, 0);
			continue;
		}
		load_switch(x, sw);
		x->all[sw]++;
		++*all;
		if (!x->t->members[i].hears)
			continue;
		x->hear[sw]++;
		++*hear;
		x->hosts[sw].w[via / 64] |= (uint64_t)1 << via % 64;
	}
}

static void
clear_tree(struct trees_run *x)
{
	for (uint32_t i = 0; i < x->narcs; i++)
		x->vls[x->arcs[i]] = 0;
	x->narcs = 0;
}

static void
check_tree(struct trees_run *x)
{
	uint32_t n = 0, all, hear, sls = x->lanes ? x->t->sls : 1;

	count_members(x, &all, &hear);
	if (!sls)
		sls = 1;
	for (unsigned sl = 0; sl < LANE_SLS; sl++) {
		if (!(sls >> sl & 1))
			continue;
		clear_tree(x);
		flood(x, (uint8_t)sl);
	}
	check_ends(x);
	if (is_forest(x))
		for (uint32_t i = 0; i < x->nused; i++)
			if (find_group(x, x->used[i]) == x->used[i]) {
				uint32_t first = n;

				n = order_part(x, x->used[i], n);
				check_part(x, first, n, all, hear);
			}
	clear_tree(x);
	for (uint32_t i = 0; i < x->nused; i++) {
		uint32_t sw = x->used[i];

		x->mask[sw] = x->hosts[sw] = (struct mask){ { 0 } };
		x->loaded[sw] = 0;
		x->all[sw] = x->hear[sw] = 0;
		x->group[sw] = sw;
	}
	x->nused = 0;
}

/* ---- all trees ---- */

static void
run_init(struct trees_run *x, struct arena *a)
{
	size_t nsw = (size_t)x->g->nsw + 1, nports = (size_t)x->g->nports + 1;

	x->mask = arena_array(a, nsw, sizeof(*x->mask));
	x->hosts = arena_array(a, nsw, sizeof(*x->hosts));
	x->loaded = arena_array(a, nsw, sizeof(*x->loaded));
	x->used = arena_array(a, nsw, sizeof(*x->used));
	x->all = arena_array(a, nsw, sizeof(*x->all));
	x->hear = arena_array(a, nsw, sizeof(*x->hear));
	x->group = arena_array(a, nsw, sizeof(*x->group));
	x->parent = arena_array(a, nsw, sizeof(*x->parent));
	x->order = arena_array(a, nsw, sizeof(*x->order));
	x->vls = arena_array(a, nports, sizeof(*x->vls));
	x->arcs = arena_array(a, nports, sizeof(*x->arcs));
	x->queue = arena_array(a, nports, sizeof(*x->queue));
	x->queued = arena_array(a, nports, sizeof(*x->queued));
	for (uint32_t sw = 0; sw < x->g->nsw; sw++)
		x->group[sw] = sw;
}

static void
tell_cycle(struct trees_run *x, const uint32_t *comp, struct arena *a)
{
	struct verify_trees_result *r = x->r;
	uint32_t chans[VERIFY_CYCLE_MAX];
	uint32_t len = chan_graph_cycle(x->g, a, comp, 1, chans, VERIFY_CYCLE_MAX);
	int n;

	r->ncycle = len < VERIFY_CYCLE_MAX ? len : VERIFY_CYCLE_MAX;
	for (uint32_t i = 0; i < r->ncycle; i++) {
		r->cycle[i] = x->g->port[chans[i] >> x->g->vl_bits];
		r->cycle_vl[i] = (uint8_t)(chans[i] & ((1u << x->g->vl_bits) - 1));
	}
	if (r->sentence[0])
		return;
	n = snprintf(r->sentence, sizeof(r->sentence),
		"trees and unicast together make %llu credit loops; cycle of channels into",
		(unsigned long long)r->credit_loops);
	for (uint32_t i = 0; i < r->ncycle && i < 4 && (size_t)n < sizeof(r->sentence); i++) {
		const struct fab_port *q = &x->s->ports[r->cycle[i]];

		n += snprintf(r->sentence + n, sizeof(r->sentence) - (size_t)n, " 0x%016llx[%u]",
			(unsigned long long)x->s->nodes[q->node].guid, q->num);
	}
}

/* Adds the turns of all trees to the graph. */
static void
add_trees(struct trees_run *x, struct arena *a)
{
	uint64_t before = chan_graph_dependencies(x->g);

	run_init(x, a);
	for (uint32_t i = 0; i < x->in->ntrees; i++) {
		x->t = &x->in->trees[i];
		check_tree(x);
	}
	x->r->turns = chan_graph_dependencies(x->g) - before;
}

static bool
is_ok(const struct verify_trees_result *r)
{
	return !r->looping && !r->lacking && !r->straying && !r->credit_loops;
}

/* A graph of the turns of tables, owned by 'a'.  Returns its first bits. */
static const uint64_t *
load_turns(const struct verify_in *in, struct fwd_rows *turns, struct chan_graph *g,
	struct arena *a)
{
	const uint64_t *bits = (const uint64_t *)(const void *)fwd_rows_bytes(turns);

	chan_graph_init_lanes(g, in->snapshot, in->tables->lanes ? in->tables->lanes->nvls : 1, a);
	memcpy(g->bits, bits, g->word[g->nsw] * sizeof(*bits));
	return bits;
}

/* Adds the trees to turns that are known.  False: there may be a cycle, or something else is wrong;
 * nothing is found yet. */
static bool
check_kept(struct trees_run *x, const struct verify_trees_in *in)
{
	struct arena a = ARENA_INIT;
	struct chan_graph g;
	const uint64_t *base;
	uint64_t *starts;
	uint32_t *comp;

	if (!in->turns || !in->unicast.tables)
		return false;
	base = load_turns(&in->unicast, in->turns, &g, &a);
	x->g = &g;
	x->lanes = g.vl_bits ? in->unicast.tables->lanes : NULL;
	add_trees(x, &a);
	starts = arena_array(&a, BITS_WORDS(g.nchans) + 1, sizeof(*starts));
	comp = arena_array(&a, (size_t)g.nchans + 1, sizeof(*comp));
	chan_graph_added(&g, base, starts);
	x->r->credit_loops = chan_graph_components_from(&g, starts, &a, comp);
	x->r->ok = is_ok(x->r);
	arena_clear(&a);
	return x->r->ok;
}

static void
check_all(struct trees_run *x, struct arena *a)
{
	struct verify_trees_result *r = x->r;
	uint32_t *comp = arena_array(a, (size_t)x->g->nchans + 1, sizeof(*comp));

	add_trees(x, a);
	r->credit_loops = chan_graph_components(x->g, a, comp);
	if (r->credit_loops)
		tell_cycle(x, comp, a);
	r->ok = is_ok(r);
}

void
verify_trees(const struct verify_trees_in *in, struct verify_trees_result *r)
{
	struct trees_run x = { .in = in, .s = in->unicast.snapshot, .r = r };
	struct verify_run v = { .arena = ARENA_INIT };

	memset(r, 0, sizeof(*r));
	r->ok = !x.s->nswitches;
	if (r->ok || check_kept(&x, in))
		return;
	memset(r, 0, sizeof(*r));
	if (!in->unicast.tables) {
		chan_graph_init(&v.g, x.s, &v.arena);
	} else if (!verify_turns(&in->unicast, &v)) {
		snprintf(r->sentence, sizeof(r->sentence), "%s", v.r->lanes);
		arena_clear(&v.arena);
		return;
	}
	x.g = &v.g;
	x.lanes = in->unicast.tables && v.lanes ? in->unicast.tables->lanes : NULL;
	check_all(&x, &v.arena);
	arena_clear(&v.arena);
}

bool
verify_unicast_graph(const struct verify_in *in, struct fwd_rows *turns, struct chan_graph *g,
	struct arena *a)
{
	struct verify_run v;
	bool ok;

	if (turns) {
		load_turns(in, turns, g, a);
		return true;
	}
	ok = verify_turns(in, &v);
	if (ok) {
		chan_graph_init_lanes(g, in->snapshot, v.r->vls, a);
		memcpy(g->bits, v.g.bits, g->word[g->nsw] * sizeof(*g->bits));
	}
	arena_clear(&v.arena);
	return ok;
}
