/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_order.c - an order of channels under additions of dependencies.
 * Room: sm/mcast.  Pure.  In: an acyclic graph, dependencies.  Out: whether they still are.
 *
 * The algorithm is that of Pearce and Kelly: it examines only channels whose places are between
 * those of the two ends.  Most dependencies of a large fabric are refused.  A path from one end to
 * the other is found soon if the search begins at both ends and goes on by turns.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/mcast/mcast_order.h"
#include "util/bits.h"

static uint64_t *
row_of(const struct chan_graph *g, uint32_t c)
{
	uint32_t sw = g->sw[c >> g->vl_bits];

	return chan_graph_row(g, sw, c - (g->first[sw] << g->vl_bits));
}

/* The channel that bit 'out' of switch 'sw' leads to. */
static uint32_t
channel_out(const struct chan_graph *g, uint32_t sw, uint32_t out)
{
	return (g->hop[g->first[sw] + (out >> g->vl_bits)].chan << g->vl_bits) +
		(out & ((1u << g->vl_bits) - 1));
}

/* Calls 'visit' for each channel that 'c' waits for. */
static void
each_later(struct mcast_order *o, uint32_t c, void (*visit)(struct mcast_order *, uint32_t))
{
	const struct chan_graph *g = &o->g;
	uint32_t sw = g->sw[c >> g->vl_bits], words = chan_graph_words(g, sw);
	const uint64_t *row = row_of(g, c);

	for (uint32_t w = 0; w < words; w++)
		for (uint64_t m = row[w]; m; m &= m - 1)
			visit(o, channel_out(g, sw, w * 64 + (uint32_t)__builtin_ctzll(m)));
}

static void
count_in(struct mcast_order *o, uint32_t c)
{
	o->places[c]++;
}

static void
count_out(struct mcast_order *o, uint32_t c)
{
	if (!--o->places[c])
		o->later[o->nlater++] = c;
}

bool
mcast_order_init(struct mcast_order *o, const struct chan_graph *g, struct arena *a)
{
	size_t n = (size_t)g->nchans + 1;

	*o = (struct mcast_order){ .g = chan_graph_like(g, a), .a = a };
	chan_graph_merge(&o->g, g, 0, g->nsw);
	o->pos = arena_array(a, n, sizeof(*o->pos));
	o->met = arena_array(a, n, sizeof(*o->met));
	o->later = arena_array(a, n, sizeof(*o->later));
	o->earlier = arena_array(a, n, sizeof(*o->earlier));
	o->places = arena_array(a, n, sizeof(*o->places));
	o->keys = arena_array(a, n, sizeof(*o->keys));
	for (uint32_t c = 0; c < g->nchans; c++)
		each_later(o, c, count_in);
	for (uint32_t c = 0; c < g->nchans; c++)
		if (!o->places[c])
			o->later[o->nlater++] = c;
	for (uint32_t i = 0; i < o->nlater; i++) {
		o->pos[o->later[i]] = i;
		each_later(o, o->later[i], count_out);
	}
	return o->nlater == g->nchans;
}

enum met { MET_LATER = 1, MET_EARLIER = 2 };

static void
meet_later(struct mcast_order *o, uint32_t c)
{
	if (o->met[c] || o->pos[c] > o->places[0]) {
		o->crossed |= o->met[c] == MET_EARLIER;
		return;
	}
	o->met[c] = MET_LATER;
	o->later[o->nlater++] = c;
}

static void
meet_earlier(struct mcast_order *o, uint32_t c, uint32_t least)
{
	if (o->met[c] || o->pos[c] < least) {
		o->crossed |= o->met[c] == MET_LATER;
		return;
	}
	o->met[c] = MET_EARLIER;
	o->earlier[o->nearlier++] = c;
}

/* Puts the channels that wait for 'c' and are not before 'least' into earlier[]. */
static void
each_earlier(struct mcast_order *o, uint32_t c, uint32_t least)
{
	const struct chan_graph *g = &o->g;
	uint32_t from = g->hop[c >> g->vl_bits].chan, sw, bit, words, first, n;
	const uint64_t *row;

	if (from == FAB_NONE)
		return;
	sw = g->sw[from];
	bit = ((from - g->first[sw]) << g->vl_bits) + (c & ((1u << g->vl_bits) - 1));
	first = g->first[sw] << g->vl_bits;
	n = (g->first[sw + 1] << g->vl_bits) - first;
	words = chan_graph_words(g, sw);
	row = chan_graph_row(g, sw, 0) + bit / 64;      /* of the first channel; 'words' to the next */
	for (uint32_t in = 0; in < n; in++, row += words)
		if (*row >> bit % 64 & 1)
			meet_earlier(o, first + in, least);
}

static int
compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Sorts the channels v[0..n) by place; keys[] gets place << 32 and channel. */
static void
sort_channels(const struct mcast_order *o, const uint32_t *v, uint32_t n, uint64_t *keys)
{
	for (uint32_t i = 0; i < n; i++)
		keys[i] = (uint64_t)o->pos[v[i]] << 32 | v[i];
	qsort(keys, n, sizeof(*keys), compare_keys);
}

/* earlier[] and later[] share their places: first those of earlier[], then those of later[]. */
static void
deal_places(struct mcast_order *o)
{
	uint32_t k = 0, l = 0, n = o->nearlier + o->nlater;
	const uint64_t *earlier = o->keys, *later = o->keys + o->nearlier;

	sort_channels(o, o->earlier, o->nearlier, o->keys);
	sort_channels(o, o->later, o->nlater, o->keys + o->nearlier);
	for (uint32_t i = 0; i < n; i++)
		if (l == o->nlater || (k < o->nearlier && earlier[k] < later[l]))
			o->places[i] = (uint32_t)(earlier[k++] >> 32);
		else
			o->places[i] = (uint32_t)(later[l++] >> 32);
	for (uint32_t i = 0; i < n; i++)
		o->pos[(uint32_t)o->keys[i]] = o->places[i];
}

/* Finds the channels that wait for 'a', and those that 'b' waits for, as far as they lie between the
 * two.  True: 'b' leads to 'a'; then not all are found. */
static bool
search_both(struct mcast_order *o, uint32_t a, uint32_t b)
{
	uint32_t least = o->pos[b], i = 0, k = 0;

	o->nlater = o->nearlier = 0;
	o->crossed = false;
	o->places[0] = o->pos[a];       /* nothing behind it matters */
	meet_later(o, b);
	meet_earlier(o, a, least);
	while (!o->crossed && i < o->nlater && k < o->nearlier) {
		each_later(o, o->later[i++], meet_later);
		each_earlier(o, o->earlier[k++], least);
	}
	if (o->crossed)
		return true;
	while (i < o->nlater)
		each_later(o, o->later[i++], meet_later);
	while (k < o->nearlier)
		each_earlier(o, o->earlier[k++], least);
	return false;
}

/* Makes place for a dependency from 'a' to 'b', which is before it.  False: 'b' leads to 'a'. */
static bool
move_channels(struct mcast_order *o, uint32_t a, uint32_t b)
{
	bool cycle = search_both(o, a, b);

	for (uint32_t i = 0; i < o->nlater; i++)
		o->met[o->later[i]] = 0;
	for (uint32_t i = 0; i < o->nearlier; i++)
		o->met[o->earlier[i]] = 0;
	if (!cycle)
		deal_places(o);
	return !cycle;
}

bool
mcast_order_add(struct mcast_order *o, struct mcast_turn t)
{
	struct chan_graph *g = &o->g;
	uint64_t *row = chan_graph_row(g, t.sw, t.in);
	uint32_t a = (g->first[t.sw] << g->vl_bits) + t.in, b = channel_out(g, t.sw, t.out);

	if (bits_test(row, t.out))
		return true;
	if (o->pos[a] >= o->pos[b] && !move_channels(o, a, b))
		return false;
	bits_set(row, t.out);
	o->log = arena_grow(o->a, o->log, o->nlog, &o->cap_log, 256, sizeof(*o->log));
	o->log[o->nlog++] = t;
	return true;
}

void
mcast_order_undo(struct mcast_order *o, uint32_t n)
{
	while (o->nlog > n) {
		const struct mcast_turn *t = &o->log[--o->nlog];

		bits_clear(chan_graph_row(&o->g, t->sw, t->in), t->out);
	}
}
