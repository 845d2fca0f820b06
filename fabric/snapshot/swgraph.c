/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * swgraph.c - the snapshot as a graph of switches.
 * Room: fabric/snapshot.  Pure.  In: a sealed snapshot.  Out: neighbours, cables, hosts in arrays.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/swgraph.h"
#include "util/bisect.h"
#include "util/bits.h"

/* The ports of a switch that lead to others: ordinal << 8 | port number. */
struct leads {
	uint64_t key[256];
	unsigned n;
};

/* Looks behind each port of a switch once; its hosts go to the end of hosts[]. */
static uint32_t
look_behind(const struct snapshot *s, uint32_t node, struct leads *l, struct swgraph_host *hosts,
	uint32_t nhosts)
{
	const struct fab_port *p = &s->ports[s->nodes[node].first_port];

	l->n = 0;
	for (unsigned num = 1; num <= s->nodes[node].nports; num++) {
		uint32_t peer = p[num].peer, behind, to;

		if (peer == FAB_NONE)
			continue;
		behind = s->ports[peer].node;
		to = s->nodes[behind].sw;
		if (to == FAB_NONE)
			hosts[nhosts++] = (struct swgraph_host){ peer, (uint8_t)num };
		else if (behind != node)
			l->key[l->n++] = (uint64_t)to << 8 | num;
	}
	return nhosts;
}

/* The end of the ascending run that begins at 'i'. */
static unsigned
run_end(const struct leads *l, unsigned i)
{
	while (++i < l->n && l->key[i - 1] < l->key[i])
		;
	return i;
}

/* Merges one run after the other into those before: the ports of most switches are in two or three
 * runs. */
static void
sort_leads(struct leads *l)
{
	uint64_t before[256];

	for (unsigned n = run_end(l, 0), end; n < l->n; n = end) {
		unsigned i = 0, k = n, out = 0;

		end = run_end(l, n);
		memcpy(before, l->key, n * sizeof(*before));
		while (i < n)
			l->key[out++] = k < end && l->key[k] < before[i] ? l->key[k++] : before[i++];
	}
}

/* Makes the groups of one switch; returns the number of all ports so far. */
static uint32_t
group_ports(struct leads *l, struct swgraph *g, uint32_t sw, uint32_t nports)
{
	uint32_t n = g->group_first[sw], last = FAB_NONE;

	sort_leads(l);
	for (unsigned i = 0; i < l->n; i++) {
		uint32_t to = (uint32_t)(l->key[i] >> 8);

		if (to != last)
			g->groups[n++] = (struct swgraph_group){ .to = to, .first_port = nports };
		g->groups[n - 1].nports++;
		g->ports[nports++] = (uint8_t)l->key[i];
		last = to;
	}
	g->group_first[sw + 1] = n;
	return nports;
}

void
swgraph_make(const struct snapshot *s, struct arena *a, struct swgraph *out)
{
	uint32_t nports = 0, nhosts = 0, total = 0;
	struct leads l;

	memset(out, 0, sizeof(*out));
	out->nsw = s->nswitches;
	for (uint32_t i = 0; i < s->nswitches; i++)
		total += s->nodes[s->switches[i]].nports;
	out->group_first = arena_array(a, (size_t)out->nsw + 1, sizeof(*out->group_first));
	out->host_first = arena_array(a, (size_t)out->nsw + 1, sizeof(*out->host_first));
	out->groups = arena_array(a, total, sizeof(*out->groups));
	out->hosts = arena_array(a, total, sizeof(*out->hosts));
	out->ports = arena_array(a, total, sizeof(*out->ports));
	for (uint32_t i = 0; i < out->nsw; i++) {
		nhosts = look_behind(s, s->switches[i], &l, out->hosts, nhosts);
		out->host_first[i + 1] = nhosts;
		nports = group_ports(&l, out, i, nports);
		out->nleaves += swgraph_is_leaf(out, i);
	}
}

uint32_t
swgraph_distances(const struct swgraph *g, const uint32_t *from, uint32_t nfrom, uint16_t *dist,
	uint32_t *queue)
{
	uint32_t head = 0, tail = 0;

	memset(dist, 0xff, g->nsw * sizeof(*dist));
	for (uint32_t i = 0; i < nfrom; i++)
		if (dist[from[i]] == SWGRAPH_FAR) {
			dist[from[i]] = 0;
			queue[tail++] = from[i];
		}
	while (head < tail) {
		uint32_t sw = queue[head++];

		for (uint32_t i = g->group_first[sw]; i < g->group_first[sw + 1]; i++) {
			uint32_t to = g->groups[i].to;

			if (dist[to] == SWGRAPH_FAR) {
				dist[to] = (uint16_t)(dist[sw] + 1);
				queue[tail++] = to;
			}
		}
	}
	return tail;
}

/* One more hop: what the neighbours reached and 'sw' has not is 'hops' away.  False: nothing
 * new. */
static bool
spread_reached(const struct swgraph *g, uint32_t sw, const uint64_t *before, uint64_t *after,
	size_t words, uint8_t *row, uint8_t hops)
{
	const uint64_t *own = before + sw * words;
	bool any = false;

	for (size_t w = 0; w < words; w++) {
		uint64_t in = own[w], fresh;

		for (uint32_t i = g->group_first[sw]; i < g->group_first[sw + 1]; i++)
			in |= before[g->groups[i].to * words + w];
		after[sw * words + w] = in;
		fresh = in & ~own[w];
		any |= fresh != 0;
		for (; fresh; fresh &= fresh - 1)
			row[w * 64 + (size_t)__builtin_ctzll(fresh)] = hops;
	}
	return any;
}

uint8_t *
swgraph_all_distances(
	const struct swgraph *g, const uint32_t *col, uint32_t stride, struct arena *a)
{
	uint8_t *dist = arena_array(a, g->nsw, stride);
	size_t words = BITS_WORDS(g->nsw);
	uint64_t *before = arena_array(a, g->nsw, words * sizeof(*before));
	uint64_t *after = arena_array(a, g->nsw, words * sizeof(*after));
	bool any = true;

	memset(dist, SWGRAPH_NO_PATH, (size_t)g->nsw * stride);
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint32_t c = col ? col[sw] : sw;

		bits_set(before + sw * words, c);
		dist[(size_t)sw * stride + c] = 0;
	}
	for (unsigned hops = 1; any && hops < SWGRAPH_NO_PATH; hops++) {
		uint64_t *swap = before;

		any = false;
		for (uint32_t sw = 0; sw < g->nsw; sw++)
			any |= spread_reached(g, sw, before, after, words,
				dist + (size_t)sw * stride, (uint8_t)hops);
		before = after;
		after = swap;
	}
	return dist;
}

/*
 * The order that the cabling gives: switches at the top are equal; of the switches of one height
 * below, that one comes first that is cabled to the first switch above, by its lowest port.  Where
 * all switches above use the same port for the same subtree, their GUIDs do not matter, and one
 * missing cable changes nothing.
 */
struct place {
	uint64_t key;
	uint32_t sw;
};

static int
place_compare(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->sw < b->sw ? -1 : a->sw > b->sw;
}

/* The port by which 'sw' leads to its neighbour 'to'. */
static uint8_t
first_port_to(const struct swgraph *g, uint32_t sw, uint32_t to)
{
	uint32_t k;

	BISECT_FROM(k, g->group_first[sw], g->group_first[sw + 1], g->groups[k].to < to);
	return g->ports[g->groups[k].first_port];
}

/* 0 at the top, else 1 + the least (label, port) of the switches above. */
static uint64_t
place_key(const struct swgraph *g, const uint16_t *height, const uint32_t *label, uint32_t sw)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = g->group_first[sw]; i < g->group_first[sw + 1]; i++) {
		uint32_t to = g->groups[i].to;
		uint64_t key = (uint64_t)label[to] << 8;

		if (height[to] <= height[sw] || key >= least)
			continue;
		key |= first_port_to(g, to, sw);
		least = key < least ? key : least;
	}
	return least == UINT64_MAX ? 0 : least + 1;
}

/* Brings the leaves into the order of the cabling; equal ones ascend by GUID. */
static void
order_by_cabling(const struct swgraph *g, struct arena *a, uint32_t *leaves, uint32_t n)
{
	uint32_t *queue = arena_array(a, g->nsw, sizeof(*queue)), reached;
	uint32_t *label = arena_array(a, g->nsw, sizeof(*label));
	uint16_t *height = arena_array(a, g->nsw, sizeof(*height));
	struct place *row = arena_array(a, g->nsw, sizeof(*row));

	reached = swgraph_distances(g, leaves, n, height, queue);
	for (uint32_t end = reached; end > 0;) {                /* highest first */
		uint32_t first = end;

		while (first > 0 && height[queue[first - 1]] == height[queue[end - 1]]) {
			first--;
			row[first] = (struct place){ place_key(g, height, label, queue[first]),
				queue[first] };
		}
		qsort(row + first, end - first, sizeof(*row), place_compare);
		for (uint32_t i = first + 1; i < end; i++)
			label[row[i].sw] = label[row[i - 1].sw] + (row[i].key != row[i - 1].key);
		end = first;
	}
	for (uint32_t i = 0; i < n; i++)
		leaves[i] = row[i].sw;
}

/* A part of the order that is still to be arranged; its leaves are in the order of the cabling. */
struct range {
	uint32_t lo, hi;
};

struct leaf_sort {
	const struct swgraph *g;
	uint32_t *order, *tmp, *queue, *count;
	uint16_t *dist;
	struct range *stack;
	uint32_t nstack;
};

/*
 * Arranges one range: its first leaf, the leaves nearest to it (one subtree: final), then each
 * wider ring, to be arranged by itself.  The wider rings go on the stack, the nearest of them on
 * top.
 */
static void
arrange_range(struct leaf_sort *t, struct range r)
{
	uint32_t far = 0, at = r.lo + 1, rings;

	swgraph_distances(t->g, &t->order[r.lo], 1, t->dist, t->queue);
	for (uint32_t i = r.lo + 1; i < r.hi; i++)
		if (t->dist[t->order[i]] != SWGRAPH_FAR && t->dist[t->order[i]] > far)
			far = t->dist[t->order[i]];
	memset(t->count, 0, (far + 2) * sizeof(*t->count));
	for (uint32_t i = r.lo + 1; i < r.hi; i++) {
		uint32_t d = t->dist[t->order[i]];

		t->tmp[i] = t->order[i];
		t->count[d == SWGRAPH_FAR ? far + 1 : d]++;
	}
	rings = t->nstack;
	for (uint32_t d = 0, ring = 0; d <= far + 1; d++) {
		uint32_t n = t->count[d];

		if (n > 1 && ring++ > 0)
			t->stack[t->nstack++] = (struct range){ at, at + n };
		else if (n)
			ring++;
		t->count[d] = at;
		at += n;
	}
	for (uint32_t i = r.lo + 1; i < r.hi; i++) {
		uint32_t d = t->dist[t->tmp[i]];

		t->order[t->count[d == SWGRAPH_FAR ? far + 1 : d]++] = t->tmp[i];
	}
	for (uint32_t i = rings, j = t->nstack; i + 1 < j; i++) {
		struct range swap = t->stack[i];

		t->stack[i] = t->stack[--j];
		t->stack[j] = swap;
	}
}

void
swgraph_leaf_order(const struct swgraph *g, struct arena *a, uint32_t *order)
{
	struct leaf_sort t = { .g = g, .order = order };
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->nsw; i++)
		if (swgraph_is_leaf(g, i))
			order[n++] = i;
	order_by_cabling(g, a, order, n);
	t.tmp = arena_array(a, n, sizeof(*t.tmp));
	t.queue = arena_array(a, g->nsw, sizeof(*t.queue));
	t.dist = arena_array(a, g->nsw, sizeof(*t.dist));
	t.count = arena_array(a, (size_t)g->nsw + 2, sizeof(*t.count));
	t.stack = arena_array(a, (size_t)n + 1, sizeof(*t.stack));
	if (n > 1)
		t.stack[t.nstack++] = (struct range){ 0, n };
	while (t.nstack)
		arrange_range(&t, t.stack[--t.nstack]);
}
