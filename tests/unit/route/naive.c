/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * naive.c - a second, plain verifier.  A turn is a bit in a matrix of (port of the fabric, port of the fabric); a cycle is
 * found by taking away, again and again, the channels that nothing waits for.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/route/naive.h"
#include "util/xalloc.h"

struct run {
	const struct snapshot *s;
	const struct lid_map *l;
	const struct fwd_tables *f;
	uint8_t *turn;                          /* [nports * 256]: receiving port, out-port */
};

enum { ARRIVED, LOST, LOOPING };

static int
walk(struct run *w, uint32_t node, uint16_t lid)
{
	uint32_t in = FAB_NONE;

	for (unsigned hops = 0; hops <= w->s->nswitches; hops++) {
		const struct fab_node *n = &w->s->nodes[node];
		uint8_t out = lid <= w->f->top ? fwd_row(w->f, n->sw)[lid] : 255;
		uint32_t peer;

		if (in != FAB_NONE)
			w->turn[(size_t)in * 256 + out] = 1;
		if (out == 0)
			return w->l->owner[lid] == n->first_port ? ARRIVED : LOST;
		if (out > n->nports)
			return LOST;
		peer = w->s->ports[n->first_port + out].peer;
		if (peer == FAB_NONE)
			return LOST;
		if (!fab_is_switch(&w->s->nodes[w->s->ports[peer].node]))
			return w->l->owner[lid] == peer ? ARRIVED : LOST;
		in = peer;
		node = w->s->ports[peer].node;
	}
	return LOOPING;
}

static bool
has_host(const struct snapshot *s, const struct fab_node *n)
{
	for (unsigned p = 1; p <= n->nports; p++) {
		uint32_t peer = s->ports[n->first_port + p].peer;

		if (peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[peer].node]))
			return true;
	}
	return false;
}

/* The channel a turn leads to; FAB_NONE when it leaves the switches. */
static uint32_t
turn_to(const struct run *w, uint32_t in, unsigned out)
{
	const struct fab_node *n = &w->s->nodes[w->s->ports[in].node];
	uint32_t peer = out && out <= n->nports ? w->s->ports[n->first_port + out].peer : FAB_NONE;

	return peer != FAB_NONE && fab_is_switch(&w->s->nodes[w->s->ports[peer].node]) ? peer : FAB_NONE;
}

static bool
find_cycle(struct run *w, uint64_t *turns)
{
	uint32_t *waits = xcalloc(w->s->nports, sizeof(*waits)), *ready = xcalloc(w->s->nports, sizeof(*ready));
	uint32_t nready = 0, done = 0, to;

	for (uint32_t in = 0; in < w->s->nports; in++)
		for (unsigned out = 1; out < 255; out++)
			if (w->turn[(size_t)in * 256 + out] && (to = turn_to(w, in, out)) != FAB_NONE) {
				waits[to]++;
				(*turns)++;
			}
	for (uint32_t c = 0; c < w->s->nports; c++)
		if (!waits[c])
			ready[nready++] = c;
	while (done < nready) {
		uint32_t in = ready[done++];

		for (unsigned out = 1; out < 255; out++)
			if (w->turn[(size_t)in * 256 + out] && (to = turn_to(w, in, out)) != FAB_NONE &&
			    --waits[to] == 0)
				ready[nready++] = to;
	}
	free(waits);
	free(ready);
	return done < w->s->nports;
}

struct naive
naive_check(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f, bool all)
{
	struct run w = { s, l, f, xcalloc((size_t)s->nports, 256) };
	struct naive r = { 0 };

	for (uint32_t lid = 1; lid <= l->top; lid++) {
		bool loops = false;

		if (l->owner[lid] == FAB_NONE)
			continue;
		for (uint32_t i = 0; i < s->nswitches; i++) {
			bool host = has_host(s, &s->nodes[s->switches[i]]);
			int end;

			if (!host && !all)
				continue;
			r.walks++;
			end = walk(&w, s->switches[i], (uint16_t)lid);
			loops |= end == LOOPING;
			if (end != ARRIVED)
				*(host ? &r.lost_host : &r.lost_switch) += 1;
		}
		r.looping_lids += loops;
	}
	r.cyclic = find_cycle(&w, &r.turns);
	free(w.turn);
	return r;
}
