/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * nue_search.c - the paths to one destination.
 * Room: sm/route/nue.  Pure.  In: costs of channels, dependencies in use.  Out: a next hop per
 * switch.
 */
#include <config.h>
#include <string.h>
#include "sm/route/nue/nue_search.h"

/* best[]: the switch was not seen yet; it waits, and there is no legal channel */
#define UNSEEN UINT32_MAX
#define NO_OFFER (UINT32_MAX - 1)
/* Other next hops tried to settle one switch, at most, for each depth. */
#define TRIES 2000

void
nue_search_init(struct nue_search *s, const struct chanorder_net *net, struct chanorder *o,
	struct arena *a)
{
	size_t nsw = net->g->nsw;

	memset(s, 0, sizeof(*s));
	s->net = net;
	s->order = o;
	s->cost = arena_array(a, (size_t)net->n + 1, sizeof(*s->cost));
	s->next = arena_array(a, nsw, sizeof(*s->next));
	s->settled = arena_array(a, nsw, sizeof(*s->settled));
	s->dist = arena_array(a, nsw, sizeof(*s->dist));
	s->least = arena_array(a, nsw, sizeof(*s->least));
	s->round = arena_array(a, nsw, sizeof(*s->round));
	s->best = arena_array(a, nsw, sizeof(*s->best));
	s->waiting = arena_array(a, nsw, sizeof(*s->waiting));
}

static void
settle(struct nue_search *s, uint32_t sw, uint32_t chan, uint32_t round)
{
	s->next[sw] = chan;
	s->dist[sw] = chan == NUE_HERE ? 0 : s->dist[chanorder_to(s->net, chan)] + s->cost[chan];
	s->round[sw] = round;
	s->settled[s->nsettled++] = sw;
}

/* Returns true if a packet that arrived by 'chan' may leave by 'then', which can be the
 * destination. */
static bool
turn_possible(const struct nue_search *s, uint32_t chan, uint32_t then)
{
	return then == NUE_HERE || chanorder_state(s->order, chan, then) != CHANORDER_BLOCKED;
}

static bool
turn_use(struct nue_search *s, uint32_t chan, uint32_t then)
{
	return then == NUE_HERE || chanorder_state(s->order, chan, then) == CHANORDER_USED ||
		chanorder_add(s->order, chan, then);
}

/* Offers the switch 'to' as next hop to its neighbours; each keeps the best offer.  Neighbours that
 * are reached for the first time begin to wait. */
static void
offer(struct nue_search *s, uint32_t to)
{
	const struct swgraph *g = s->net->g;
	const struct swgraph_group *groups = g->groups;
	const uint64_t *blocked = s->order->blocked, *costs = s->cost, dist = s->dist[to];
	const uint32_t *nexts = s->next, *rev = s->net->rev, *succ = s->net->succ;
	uint32_t first = g->group_first[to], end = g->group_first[to + 1], next = nexts[to];
	uint32_t *best = s->best;
	/* the bit of the turn to 'next' in the row of a channel that leads here */
	uint32_t word = next == NUE_HERE ? 0 : (next - first) / 64;
	uint64_t bit = next == NUE_HERE ? 0 : UINT64_C(1) << (next - first) % 64;

	for (uint32_t c = first; c < end; c++) {
		uint32_t sw = groups[c].to, chan;

		if (nexts[sw] != NUE_NONE)
			continue;
		if (best[sw] == UNSEEN) {
			best[sw] = NO_OFFER;
			s->waiting[s->nwaiting++] = sw;
		}
		chan = rev[c];
		if (blocked[succ[chan] + word] & bit)
			continue;
		if (best[sw] == NO_OFFER || dist + costs[chan] < s->least[sw]) {
			best[sw] = chan;
			s->least[sw] = dist + costs[chan];
		}
	}
}

/* The cheapest channel of 'sw' to a switch settled in 'round' whose turn is not known to be
 * blocked. */
static uint32_t
best_again(const struct nue_search *s, uint32_t sw, uint32_t round)
{
	const struct swgraph *g = s->net->g;
	uint32_t best = NUE_NONE;
	uint64_t least = UINT64_MAX;

	for (uint32_t c = g->group_first[sw]; c < g->group_first[sw + 1]; c++) {
		uint32_t to = g->groups[c].to;

		if (s->next[to] == NUE_NONE || s->round[to] != round ||
		    !turn_possible(s, c, s->next[to]) || s->dist[to] + s->cost[c] >= least)
			continue;
		best = c;
		least = s->dist[to] + s->cost[c];
	}
	return best;
}

/* Settles those that wait and have a legal channel to a switch of the last round. */
static void
settle_round(struct nue_search *s, uint32_t round)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->nwaiting; i++) {
		uint32_t sw = s->waiting[i], chan = s->best[sw];

		while (chan < s->net->n && !turn_use(s, chan, s->next[chanorder_to(s->net, chan)]))
			chan = best_again(s, sw, round - 1);
		if (chan < s->net->n) {
			settle(s, sw, chan, round);
			continue;
		}
		s->best[sw] = NO_OFFER;
		s->waiting[kept++] = sw;
	}
	s->nwaiting = kept;
}

/* Whether the path of 'sw' leads through 'via'. */
static bool
leads_through(const struct nue_search *s, uint32_t sw, uint32_t via)
{
	while (sw != via) {
		if (s->next[sw] == NUE_HERE)
			return false;
		sw = chanorder_to(s->net, s->next[sw]);
	}
	return true;
}

/* Returns true if all paths through 'sw', and the path of 'from', can continue by 'chan'. */
static bool
accept_turn(struct nue_search *s, uint32_t sw, uint32_t chan, uint32_t from)
{
	const struct swgraph *g = s->net->g;
	bool ok = turn_use(s, from, chan);

	for (uint32_t c = g->group_first[sw]; ok && c < g->group_first[sw + 1]; c++) {
		uint32_t back = s->net->rev[c];

		if (s->next[g->groups[c].to] == back)
			ok = turn_use(s, back, chan);
	}
	return ok;
}

/* Gives 'sw' another next hop that 'from' can use.  If the next hop's own one cannot follow, it
 * gets another one too, and so on 'depth' times.  False: nothing is changed. */
static bool
turn(struct nue_search *s, uint32_t sw, uint32_t from, unsigned depth)
{
	const struct swgraph *g = s->net->g;
	uint32_t mark = chanorder_mark(s->order), nchanged = s->nchanged;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1] && s->tries; k++) {
		uint32_t via = g->groups[k].to;

		if (s->next[via] == NUE_NONE || k == s->next[sw] || via == s->net->from[from] ||
		    !turn_possible(s, from, k) || leads_through(s, via, sw))
			continue;
		s->tries--;
		if (accept_turn(s, sw, k, from) &&
		    (turn_use(s, k, s->next[via]) ||
			    (depth && turn(s, via, k, depth - 1) && !leads_through(s, via, sw)))) {
			s->changed[s->nchanged++] = (struct nue_change){ sw, s->next[sw] };
			s->next[sw] = k;
			s->dist[sw] = s->dist[via] + s->cost[k];
			return true;
		}
		for (; s->nchanged > nchanged; s->nchanged--)
			s->next[s->changed[s->nchanged - 1].sw] = s->changed[s->nchanged - 1].next;
		chanorder_undo(s->order, mark);
	}
	return false;
}

/* Finds a neighbour that can take another next hop so that 'sw' can use it. */
static bool
backtrack(struct nue_search *s, uint32_t sw, uint32_t round)
{
	const struct swgraph *g = s->net->g;

	for (unsigned depth = 0; depth < NUE_TURNS; depth++) {
		s->tries = TRIES;
		for (uint32_t c = g->group_first[sw]; c < g->group_first[sw + 1]; c++) {
			uint32_t to = g->groups[c].to;

			if (s->next[to] == NUE_NONE || s->next[to] == NUE_HERE)
				continue;
			s->nchanged = 0;
			if (!turn(s, to, c, depth))
				continue;
			s->turned += s->nchanged;
			s->ordered = false;
			settle(s, sw, c, round);
			return true;
		}
	}
	return false;
}

/* Settles one waiting switch by backtracking. */
static bool
backtrack_any(struct nue_search *s, uint32_t round)
{
	for (uint32_t i = 0; i < s->nwaiting; i++)
		if (backtrack(s, s->waiting[i], round)) {
			memmove(s->waiting + i, s->waiting + i + 1,
				(s->nwaiting - i - 1) * sizeof(*s->waiting));
			s->nwaiting--;
			return true;
		}
	return false;
}

void
nue_search_begin(struct nue_search *s, uint32_t dest)
{
	memset(s->next, 0xff, s->net->g->nsw * sizeof(*s->next));
	memset(s->best, 0xff, s->net->g->nsw * sizeof(*s->best));
	s->nsettled = s->nwaiting = 0;
	s->ordered = true;
	settle(s, dest, NUE_HERE, 0);
}

bool
nue_search_keep(struct nue_search *s, uint32_t sw, uint32_t chan)
{
	if (!turn_use(s, chan, s->next[chanorder_to(s->net, chan)]))
		return false;
	settle(s, sw, chan, 0);
	return true;
}

bool
nue_search_run(struct nue_search *s, uint32_t size)
{
	uint32_t from = 0;

	for (uint32_t round = 1; s->nsettled < size; round++) {
		uint32_t upto = s->nsettled;

		for (; from < upto; from++)
			offer(s, s->settled[from]);
		settle_round(s, round);
		if (s->nsettled == upto && !backtrack_any(s, round))
			return false;
	}
	return true;
}
