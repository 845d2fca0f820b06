/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chanorder.c - adds channel dependencies as long as they close no cycle.
 * Room: sm/route/model.  Pure.  In: dependencies, one by one.  Out: accepted or refused.
 *
 * The topological order is maintained as by Pearce and Kelly.  A dependency x -> y with
 * pos[x] < pos[y] needs no work.  Otherwise only the channels at positions pos[y] to pos[x] matter:
 * those that y leads to ('ahead') and those that lead to x ('behind').  They are searched in turn:
 * if they meet, the dependency closes a cycle.  If not, the positions of both sets are assigned
 * again, first to the channels behind, then to those ahead, each set in its present order; no other
 * channel moves.
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
	net->first = arena_array(a, (size_t)net->n + 1, sizeof(*net->first));
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		for (uint32_t c = g->group_first[sw]; c < g->group_first[sw + 1]; c++) {
			net->from[c] = sw;
			net->first[c] = g->group_first[g->groups[c].to];
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

/* Both searches, one channel at a time: what y leads to, up to position pos[x], and what leads to
 * x, down to pos[y]. */
struct search {
	uint32_t low, high;             /* pos[y], pos[x] */
	uint32_t nahead, nbehind;       /* found */
	uint32_t iahead, ibehind;       /* gone on from */
};

/* Goes on from one channel ahead of y.  False: it leads to one behind x. */
static bool
step_ahead(struct chanorder *o, struct search *s)
{
	const uint32_t *succ = o->net->succ, *pos = o->pos;
	uint32_t c = o->ahead[s->iahead++], base = o->net->first[c], end = succ[c + 1];
	const uint64_t *behind_at = o->behind_at;
	uint64_t *at = o->ahead_at;

	for (uint32_t w = succ[c]; w < end; w++, base += 64)
		for (uint64_t bits = o->used[w]; bits; bits &= bits - 1) {
			uint32_t next = base + (uint32_t)__builtin_ctzll(bits), to = pos[next];

			if (to > s->high || bits_test(at, to))
				continue;
			if (bits_test(behind_at, to))
				return false;
			bits_set(at, to);
			o->ahead[s->nahead++] = next;
		}
	return true;
}

/* Goes on from one channel behind x.  False: one ahead of y leads to it. */
static bool
step_behind(struct chanorder *o, struct search *s)
{
	const struct chanorder_net *net = o->net;
	const uint32_t *pos = o->pos;
	uint32_t c = o->behind[s->ibehind++], base = net->g->group_first[net->from[c]];
	const uint64_t *ahead_at = o->ahead_at;
	uint64_t *at = o->behind_at;

	for (uint32_t w = net->pred[c]; w < net->pred[c + 1]; w++, base += 64)
		for (uint64_t bits = o->back[w]; bits; bits &= bits - 1) {
			uint32_t last = net->rev[base + (uint32_t)__builtin_ctzll(bits)];
			uint32_t from = pos[last];

			if (from < s->low || bits_test(at, from))
				continue;
			if (bits_test(ahead_at, from))
				return false;
			bits_set(at, from);
			o->behind[s->nbehind++] = last;
		}
	return true;
}

/* Finds ahead_at and behind_at.  False: they meet, so y leads to x. */
static bool
search(struct chanorder *o, uint32_t x, uint32_t y)
{
	struct search s = { .low = o->pos[y], .high = o->pos[x], .nahead = 1, .nbehind = 1 };

	bits_set(o->ahead_at, s.low);
	o->ahead[0] = y;
	bits_set(o->behind_at, s.high);
	o->behind[0] = x;
	while (s.iahead < s.nahead && s.ibehind < s.nbehind)
		if (!step_ahead(o, &s) || !step_behind(o, &s))
			return false;
	while (s.iahead < s.nahead)
		step_ahead(o, &s);
	while (s.ibehind < s.nbehind)
		step_behind(o, &s);
	return true;
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
	uint32_t k = y - net->first[x];
	enum chanorder_state state = chanorder_state(o, x, y);

	if (state != CHANORDER_UNKNOWN)
		return state == CHANORDER_USED;
	if (o->pos[x] >= o->pos[y]) {
		if (x == y || !search(o, x, y)) {
			clear_range(o->ahead_at, o->pos[y], o->pos[x]);
			clear_range(o->behind_at, o->pos[y], o->pos[x]);
			bits_set(o->blocked + net->succ[x], k);
			journal_add(o, x, y, false);
			return false;
		}
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
