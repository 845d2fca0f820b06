/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chanorder.c - adds channel dependencies as long as they close no cycle.
 * Room: sm/route/model.  Pure.  In: dependencies, one by one.  Out: accepted or refused.
 *
 * The topological order is maintained as by Pearce and Kelly.  A dependency x -> y with
 * pos[x] < pos[y] needs no work.  Otherwise only the channels at positions pos[y] to pos[x] matter:
 * those that y leads to ('ahead') and those that lead to x ('behind').  If x is ahead of y, the
 * dependency closes a cycle.  If not, the positions of both sets are assigned again, first to the
 * channels behind, then to those ahead, each set in its present order; no other channel moves.
 */
#include <config.h>
#include <string.h>
#include "sm/route/model/chanorder.h"

#define JOURNAL_FIRST 256

static uint32_t
degree(const struct swgraph *g, uint32_t sw)
{
	return g->group_first[sw + 1] - g->group_first[sw];
}

/* The channel from 'from' to 'to'; groups are sorted by neighbour. */
static uint32_t
channel_find(const struct swgraph *g, uint32_t from, uint32_t to)
{
	uint32_t low = g->group_first[from], high = g->group_first[from + 1];

	while (high - low > 1) {
		uint32_t mid = low + (high - low) / 2;

		*(g->groups[mid].to <= to ? &low : &high) = mid;
	}
	return low;
}

void
chanorder_net_make(struct chanorder_net *net, const struct swgraph *g, struct arena *a)
{
	uint32_t nsucc = 0, npred = 0;

	net->g = g;
	net->n = g->group_first[g->nsw];
	net->from = arena_array(a, (size_t)net->n + 1, sizeof(*net->from));
	net->rev = arena_array(a, (size_t)net->n + 1, sizeof(*net->rev));
	net->succ = arena_array(a, (size_t)net->n + 1, sizeof(*net->succ));
	net->pred = arena_array(a, (size_t)net->n + 1, sizeof(*net->pred));
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		for (uint32_t c = g->group_first[sw]; c < g->group_first[sw + 1]; c++) {
			net->from[c] = sw;
			net->rev[c] = channel_find(g, g->groups[c].to, sw);
			net->succ[c] = nsucc;
			net->pred[c] = npred;
			nsucc += (uint32_t)BITS_WORDS(degree(g, g->groups[c].to));
			npred += (uint32_t)BITS_WORDS(degree(g, sw));
		}
	net->succ[net->n] = nsucc;
	net->pred[net->n] = npred;
}

void
chanorder_init(struct chanorder *o, const struct chanorder_net *net, struct arena *a)
{
	size_t n = (size_t)net->n + 1;

	memset(o, 0, sizeof(*o));
	o->net = net;
	o->a = a;
	o->used = arena_array(a, net->succ[net->n], sizeof(*o->used));
	o->blocked = arena_array(a, net->succ[net->n], sizeof(*o->blocked));
	o->back = arena_array(a, net->pred[net->n], sizeof(*o->back));
	o->pos = arena_array(a, n, sizeof(*o->pos));
	o->at = arena_array(a, n, sizeof(*o->at));
	o->ahead = arena_array(a, n, sizeof(*o->ahead));
	o->behind = arena_array(a, n, sizeof(*o->behind));
	o->ahead_at = arena_array(a, BITS_WORDS(n), sizeof(*o->ahead_at));
	o->behind_at = arena_array(a, BITS_WORDS(n), sizeof(*o->behind_at));
	chanorder_clear(o);
}

void
chanorder_clear(struct chanorder *o)
{
	const struct chanorder_net *net = o->net;

	memset(o->used, 0, net->succ[net->n] * sizeof(*o->used));
	memset(o->blocked, 0, net->succ[net->n] * sizeof(*o->blocked));
	memset(o->back, 0, net->pred[net->n] * sizeof(*o->back));
	for (uint32_t c = 0; c < net->n; c++)
		o->pos[c] = o->at[c] = c;
	o->ndeps = o->njournal = 0;
}

/* Channels that y leads to, up to position pos[x], into ahead_at.  False: x is one of them. */
static bool
search_ahead(struct chanorder *o, uint32_t x, uint32_t y)
{
	const struct chanorder_net *net = o->net;
	uint32_t n = 1;

	bits_set(o->ahead_at, o->pos[y]);
	o->ahead[0] = y;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = o->ahead[i], base = net->g->group_first[chanorder_to(net, c)];

		for (uint32_t w = net->succ[c]; w < net->succ[c + 1]; w++, base += 64)
			for (uint64_t bits = o->used[w]; bits; bits &= bits - 1) {
				uint32_t next = base + (uint32_t)__builtin_ctzll(bits);

				if (next == x)
					return false;
				if (o->pos[next] > o->pos[x] ||
				    bits_test(o->ahead_at, o->pos[next]))
					continue;
				bits_set(o->ahead_at, o->pos[next]);
				o->ahead[n++] = next;
			}
	}
	return true;
}

/* Channels that lead to x, down to position pos[y], into behind_at. */
static void
search_behind(struct chanorder *o, uint32_t x, uint32_t y)
{
	const struct chanorder_net *net = o->net;
	uint32_t n = 1;

	bits_set(o->behind_at, o->pos[x]);
	o->behind[0] = x;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = o->behind[i], base = net->g->group_first[net->from[c]];

		for (uint32_t w = net->pred[c]; w < net->pred[c + 1]; w++, base += 64)
			for (uint64_t bits = o->back[w]; bits; bits &= bits - 1) {
				uint32_t last = net->rev[base + (uint32_t)__builtin_ctzll(bits)];

				if (o->pos[last] < o->pos[y] ||
				    bits_test(o->behind_at, o->pos[last]))
					continue;
				bits_set(o->behind_at, o->pos[last]);
				o->behind[n++] = last;
			}
	}
}

/* Lists the channels at a set of positions within [low, high], in order. */
static uint32_t
list_channels(const struct chanorder *o, const uint64_t *at, uint32_t low, uint32_t high,
	uint32_t *list)
{
	uint32_t n = 0;

	for (uint32_t w = low / 64; w <= high / 64; w++)
		for (uint64_t bits = at[w]; bits; bits &= bits - 1)
			list[n++] = o->at[w * 64 + (uint32_t)__builtin_ctzll(bits)];
	return n;
}

static void
clear_range(uint64_t *at, uint32_t low, uint32_t high)
{
	memset(at + low / 64, 0, (high / 64 - low / 64 + 1) * sizeof(*at));
}

/* Assigns the positions of both sets, all within [low, high], again. */
static void
reorder(struct chanorder *o, uint32_t low, uint32_t high)
{
	uint32_t nbehind = list_channels(o, o->behind_at, low, high, o->behind), n = 0;

	list_channels(o, o->ahead_at, low, high, o->ahead);
	for (uint32_t w = low / 64; w <= high / 64; w++)
		for (uint64_t bits = o->ahead_at[w] | o->behind_at[w]; bits; bits &= bits - 1, n++) {
			uint32_t at = w * 64 + (uint32_t)__builtin_ctzll(bits);
			uint32_t c = n < nbehind ? o->behind[n] : o->ahead[n - nbehind];

			o->pos[c] = at;
			o->at[at] = c;
		}
	clear_range(o->ahead_at, low, high);
	clear_range(o->behind_at, low, high);
}

static void
journal_add(struct chanorder *o, uint32_t x, uint32_t y, bool used)
{
	o->journal = arena_grow(
		o->a, o->journal, o->njournal, &o->cap, JOURNAL_FIRST, sizeof(*o->journal));
	o->journal[o->njournal++] = (struct chanorder_entry){ x, y, used };
}

bool
chanorder_add(struct chanorder *o, uint32_t x, uint32_t y)
{
	const struct chanorder_net *net = o->net;
	uint32_t k = y - net->g->group_first[chanorder_to(net, x)];
	enum chanorder_state state = chanorder_state(o, x, y);

	if (state != CHANORDER_UNKNOWN)
		return state == CHANORDER_USED;
	if (o->pos[x] >= o->pos[y]) {
		if (x == y || !search_ahead(o, x, y)) {
			clear_range(o->ahead_at, o->pos[y], o->pos[x]);
			bits_set(o->blocked + net->succ[x], k);
			journal_add(o, x, y, false);
			return false;
		}
		search_behind(o, x, y);
		reorder(o, o->pos[y], o->pos[x]);
	}
	bits_set(o->used + net->succ[x], k);
	bits_set(o->back + net->pred[y], net->rev[x] - net->g->group_first[net->from[y]]);
	o->ndeps++;
	journal_add(o, x, y, true);
	return true;
}

void
chanorder_undo(struct chanorder *o, uint32_t mark)
{
	const struct chanorder_net *net = o->net;

	while (o->njournal > mark) {
		const struct chanorder_entry *e = &o->journal[--o->njournal];
		uint32_t k = e->y - net->g->group_first[chanorder_to(net, e->x)];

		if (!e->used) {
			bits_clear(o->blocked + net->succ[e->x], k);
			continue;
		}
		bits_clear(o->used + net->succ[e->x], k);
		bits_clear(o->back + net->pred[e->y],
			net->rev[e->x] - net->g->group_first[net->from[e->y]]);
		o->ndeps--;
	}
}
