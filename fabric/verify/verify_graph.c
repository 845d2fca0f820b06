/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_graph.c - the channel dependency graph and its cycles.
 * Room: fabric/verify.  Pure.  In: turns.  Out: components, a cycle as evidence.
 */
#include <config.h>
#include <string.h>
#include "fabric/verify/verify_graph.h"
#include "util/bits.h"

/* Numbers ports and words; allocates. */
static void
number_ports(struct chan_graph *g, const struct snapshot *s, struct arena *a)
{
	uint32_t ports = 0;
	size_t words = 0;

	g->first = arena_array(a, (size_t)g->nsw + 1, sizeof(*g->first));
	g->word = arena_array(a, (size_t)g->nsw + 1, sizeof(*g->word));
	for (uint32_t i = 0; i < g->nsw; i++) {
		uint32_t n = s->nodes[s->switches[i]].nports + 1u;

		ports += n;
		words += (size_t)(n << g->vl_bits) * (((n << g->vl_bits) + 63) / 64);
		g->first[i + 1] = ports;
		g->word[i + 1] = words;
	}
	g->nports = ports;
	g->nchans = ports << g->vl_bits;
	g->sw = arena_array(a, ports, sizeof(*g->sw));
	g->port = arena_array(a, ports, sizeof(*g->port));
	g->hop = arena_array(a, ports, sizeof(*g->hop));
	g->bits = arena_array(a, words, sizeof(*g->bits));
}

void
chan_graph_init_lanes(
	struct chan_graph *g, const struct snapshot *s, unsigned nvls, struct arena *a)
{
	memset(g, 0, sizeof(*g));
	g->nsw = s->nswitches;
	while (1u << g->vl_bits < nvls)
		g->vl_bits++;
	number_ports(g, s, a);
	for (uint32_t i = 0; i < g->nsw; i++)
		for (uint32_t c = g->first[i]; c < g->first[i + 1]; c++) {
			uint32_t at = s->nodes[s->switches[i]].first_port + c - g->first[i];
			uint32_t peer = c == g->first[i] ? FAB_NONE : s->ports[at].peer;

			g->sw[c] = i;
			g->port[c] = at;
			g->hop[c] = (struct chan_hop){ FAB_NONE, FAB_NONE };
			if (peer == FAB_NONE || s->nodes[s->ports[peer].node].sw == FAB_NONE ||
			    s->ports[peer].node == s->switches[i])
				continue;       /* a link from a switch to itself is ignored */
			g->hop[c].sw = s->nodes[s->ports[peer].node].sw;
			g->hop[c].chan = g->first[g->hop[c].sw] + s->ports[peer].num;
		}
}

void
chan_graph_init(struct chan_graph *g, const struct snapshot *s, struct arena *a)
{
	chan_graph_init_lanes(g, s, 1, a);
}

struct chan_graph
chan_graph_like(const struct chan_graph *g, struct arena *a)
{
	struct chan_graph like = *g;

	like.bits = arena_array(a, g->word[g->nsw], sizeof(*like.bits));
	return like;
}

void
chan_graph_merge(struct chan_graph *g, const struct chan_graph *from, uint32_t lo, uint32_t hi)
{
	for (size_t w = g->word[lo]; w < g->word[hi]; w++)
		g->bits[w] |= from->bits[w];
}

void
chan_graph_clear(struct chan_graph *g)
{
	memset(g->bits, 0, g->word[g->nsw] * sizeof(*g->bits));
}

void
chan_graph_add(struct chan_graph *g, uint32_t sw, uint32_t in, uint32_t out)
{
	const struct chan_hop *h = chan_graph_hop(g, sw, out);

	if (h && h->chan != FAB_NONE && in < g->first[sw + 1] - g->first[sw])
		chan_graph_row(g, sw, in)[out / 64] |= (uint64_t)1 << (out % 64);
}

/* The words of all rows of one switch. */
static void
trim_switch(struct chan_graph *g, uint32_t sw)
{
	uint32_t words = chan_graph_words(g, sw);
	uint64_t links[4] = { 0 };      /* at most 256 ports */

	for (uint32_t c = g->first[sw]; c < g->first[sw + 1]; c++)
		if (g->hop[c].chan != FAB_NONE)
			bits_set(links, c - g->first[sw]);
	for (size_t w = g->word[sw]; w < g->word[sw + 1]; w++)
		g->bits[w] &= links[(w - g->word[sw]) % words];
}

void
chan_graph_trim(struct chan_graph *g)
{
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		trim_switch(g, sw);
}

uint64_t
chan_graph_channels(const struct chan_graph *g)
{
	uint64_t n = 0;

	for (uint32_t c = 0; c < g->nports; c++)
		n += g->hop[c].chan != FAB_NONE;
	return n;
}

uint64_t
chan_graph_dependencies(const struct chan_graph *g)
{
	uint64_t n = 0;

	for (size_t w = 0; w < g->word[g->nsw]; w++)
		n += (uint64_t)__builtin_popcountll(g->bits[w]);
	return n;
}

/* The next channel that 'c' depends on, at or after bit 'from' of its row; FAB_NONE at the end.
 * '*out' is the bit found. */
static uint32_t
next_channel(const struct chan_graph *g, uint32_t c, uint32_t from, uint32_t *out)
{
	uint32_t sw = g->sw[c >> g->vl_bits], words = chan_graph_words(g, sw), w = from / 64;
	const uint64_t *row = chan_graph_row(g, sw, c - (g->first[sw] << g->vl_bits));
	uint64_t m;

	if (w >= words)
		return FAB_NONE;
	m = row[w] & (~(uint64_t)0 << (from % 64));
	while (!m) {
		if (++w >= words)
			return FAB_NONE;
		m = row[w];
	}
	*out = w * 64 + (uint32_t)__builtin_ctzll(m);
	return (g->hop[g->first[sw] + (*out >> g->vl_bits)].chan << g->vl_bits) +
		(*out & ((1u << g->vl_bits) - 1));
}

struct tarjan {
	const struct chan_graph *g;
	uint32_t *index, *low, *comp;   /* index 0: not visited */
	uint32_t *path, *at;            /* the walk: channels, next bit to check */
	uint32_t *open;                 /* Tarjan's stack */
	uint32_t npath, nopen, clock, ncomps;
};

#define CLOSED UINT32_MAX               /* comp[]: visited, but its component is not known yet */

static void
tarjan_enter(struct tarjan *t, uint32_t c)
{
	t->index[c] = t->low[c] = ++t->clock;
	t->comp[c] = CLOSED;
	t->path[t->npath] = c;
	t->at[t->npath++] = 0;
	t->open[t->nopen++] = c;
}

/* Channel 'c' has no more successors: its component, if it is the root of one, leaves the stack. */
static void
tarjan_leave(struct tarjan *t, uint32_t c)
{
	uint32_t number = 0, last;

	t->npath--;
	if (t->npath && t->low[c] < t->low[t->path[t->npath - 1]])
		t->low[t->path[t->npath - 1]] = t->low[c];
	if (t->low[c] != t->index[c])
		return;
	if (t->open[t->nopen - 1] != c)
		number = ++t->ncomps;
	do {
		last = t->open[--t->nopen];
		t->comp[last] = number;
	} while (last != c);
}

static void
tarjan_from(struct tarjan *t, uint32_t start)
{
	tarjan_enter(t, start);
	while (t->npath) {
		uint32_t c = t->path[t->npath - 1], out = 0;
		uint32_t to = next_channel(t->g, c, t->at[t->npath - 1], &out);

		if (to == FAB_NONE) {
			tarjan_leave(t, c);
			continue;
		}
		t->at[t->npath - 1] = out + 1;
		if (!t->index[to])
			tarjan_enter(t, to);
		else if (t->comp[to] == CLOSED && t->index[to] < t->low[c])
			t->low[c] = t->index[to];
	}
}

/* The channel behind bit 'out' of a row; 'hop' is of the switch's port 0. */
static inline uint32_t
channel_behind(const struct chan_graph *g, const struct chan_hop *hop, uint32_t out)
{
	return (hop[out >> g->vl_bits].chan << g->vl_bits) + (out & ((1u << g->vl_bits) - 1));
}

/* Counts at each channel how many depend on it. */
static void
count_holders(const struct chan_graph *g, uint32_t *n)
{
	for (uint32_t c = 0; c < g->nchans; c++) {
		uint32_t sw = g->sw[c >> g->vl_bits], words = chan_graph_words(g, sw);
		const uint64_t *row = chan_graph_row(g, sw, c - (g->first[sw] << g->vl_bits));
		const struct chan_hop *hop = &g->hop[g->first[sw]];

		for (uint32_t w = 0; w < words; w++)
			for (uint64_t m = row[w]; m; m &= m - 1)
				n[channel_behind(g, hop, w * 64 + (uint32_t)__builtin_ctzll(m))]++;
	}
}

/* Removes channel 'c', on which none depends any more.  Those of which this is true now are added
 * to 'ready' at 'tail'; returns the new end. */
static uint32_t
remove_channel(const struct chan_graph *g, uint32_t c, uint32_t *n, uint32_t *ready, uint32_t tail)
{
	uint32_t sw = g->sw[c >> g->vl_bits], words = chan_graph_words(g, sw);
	const uint64_t *row = chan_graph_row(g, sw, c - (g->first[sw] << g->vl_bits));
	const struct chan_hop *hop = &g->hop[g->first[sw]];

	for (uint32_t w = 0; w < words; w++)
		for (uint64_t m = row[w]; m; m &= m - 1) {
			uint32_t to = channel_behind(
				g, hop, w * 64 + (uint32_t)__builtin_ctzll(m));

			if (--n[to] == 0)
				ready[tail++] = to;
		}
	return tail;
}

/* Whether all channels can be removed one by one, each when none depends on it.  Costs much less
 * than to find components, which are wanted only if there is a cycle. */
static bool
is_acyclic(const struct chan_graph *g, struct arena *a)
{
	uint32_t *n = arena_array(a, g->nchans, sizeof(*n)), head = 0, tail = 0;
	uint32_t *ready = arena_array(a, g->nchans, sizeof(*ready));

	count_holders(g, n);
	for (uint32_t c = 0; c < g->nchans; c++)
		if (!n[c])
			ready[tail++] = c;
	while (head < tail)
		tail = remove_channel(g, ready[head++], n, ready, tail);
	return tail == g->nchans;
}

uint32_t
chan_graph_components(const struct chan_graph *g, struct arena *a, uint32_t *comp)
{
	if (is_acyclic(g, a)) {
		memset(comp, 0, g->nchans * sizeof(*comp));
		return 0;
	}
	return chan_graph_components_from(g, NULL, a, comp);
}

void
chan_graph_added(const struct chan_graph *g, const uint64_t *base, uint64_t *starts)
{
	for (uint32_t c = 0; c < g->nports; c++) {
		uint32_t sw = g->sw[c], words = chan_graph_words(g, sw);
		size_t at = g->word[sw] + (size_t)(c - g->first[sw]) * words;

		for (uint32_t w = 0; w < words; w++)
			if (g->bits[at + w] & ~base[at + w])
				bits_set(starts, c);
	}
}

uint32_t
chan_graph_components_from(
	const struct chan_graph *g, const uint64_t *starts, struct arena *a, uint32_t *comp)
{
	struct tarjan t = { .g = g, .comp = comp };

	t.index = arena_array(a, g->nchans, sizeof(*t.index));
	t.low = arena_array(a, g->nchans, sizeof(*t.low));
	t.path = arena_array(a, g->nchans, sizeof(*t.path));
	t.at = arena_array(a, g->nchans, sizeof(*t.at));
	t.open = arena_array(a, g->nchans, sizeof(*t.open));
	memset(comp, 0, g->nchans * sizeof(*comp));
	for (uint32_t c = 0; c < g->nchans; c++)
		if (!t.index[c] && (!starts || bits_test(starts, c)))
			tarjan_from(&t, c);
	return t.ncomps;
}

uint32_t
chan_graph_cycle(const struct chan_graph *g, struct arena *a, const uint32_t *comp, uint32_t which,
	uint32_t *cycle, uint32_t max)
{
	uint32_t *from = arena_array(a, g->nchans, sizeof(*from));
	uint32_t *queue = arena_array(a, g->nchans, sizeof(*queue));
	uint32_t head = 0, tail = 0, start = 0, len = 1, c;

	while (start < g->nchans && comp[start] != which)
		start++;
	if (start == g->nchans)
		return 0;
	memset(from, 0xff, g->nchans * sizeof(*from));
	queue[tail++] = start;
	while (from[start] == FAB_NONE && head < tail) {
		uint32_t at = 0, out = 0, to;

		c = queue[head++];
		while ((to = next_channel(g, c, at, &out)) != FAB_NONE) {
			at = out + 1;
			if (comp[to] != which || from[to] != FAB_NONE)
				continue;
			from[to] = c;
			queue[tail++] = to;
		}
	}
	for (c = from[start]; c != start; c = from[c])
		len++;
	c = start;
	for (uint32_t i = len; i-- > 0;) {      /* from[] leads backwards */
		c = from[c];
		if (i < max)
			cycle[i] = c;
	}
	return len;
}
