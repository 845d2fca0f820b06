/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes_naive.c - a plain verifier for tables with lanes.  A channel is (receiving port, VL); a
 * turn is a bit in a matrix; a
 * cycle is found by walking in depth.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/route/lanes_naive.h"
#include "util/xalloc.h"

struct run {
	const struct snapshot *s;
	const struct lid_map *l;
	const struct fwd_tables *f;
	unsigned nvls;
	uint8_t *turn; /* [nports * nvls][256 * nvls] */
	uint32_t *piece; /* per switch */
};

static bool
switch_port(const struct snapshot *s, uint32_t port)
{
	return fab_is_switch(&s->nodes[s->ports[port].node]);
}

static bool
has_host(const struct snapshot *s, uint32_t sw)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	for (unsigned p = 1; p <= n->nports; p++) {
		uint32_t peer = s->ports[n->first_port + p].peer;

		if (peer != FAB_NONE && !switch_port(s, peer))
			return true;
	}
	return false;
}

/* The switch that a LID is at. */
static uint32_t
lid_switch(const struct run *w, uint32_t lid)
{
	const struct fab_port *p = &w->s->ports[w->l->owner[lid]];

	return w->s
		->nodes[fab_is_switch(&w->s->nodes[p->node]) ? p->node : w->s->ports[p->peer].node]
		.sw;
}

static bool
walk(struct run *w, struct lanes_naive *r, uint32_t sw, uint32_t lid, uint8_t sl)
{
	const struct snapshot *s = w->s;
	uint32_t in = s->nodes[s->switches[sw]].first_port, from = FAB_NONE;

	for (unsigned hops = 0; hops <= s->nswitches; hops++) {
		const struct fab_node *n = &s->nodes[s->ports[in].node];
		uint8_t out = fwd_row(w->f, n->sw)[lid], vl;
		uint32_t peer;

		if (out == 0)
			return w->l->owner[lid] == n->first_port;
		if (out > n->nports || (peer = s->ports[n->first_port + out].peer) == FAB_NONE)
			return false;
		if (!switch_port(s, peer))
			return w->l->owner[lid] == peer;
		vl = w->f->lanes ? lanes_vl(w->f->lanes, in, n->first_port + out, sl) : 0;
		if (vl >= w->nvls) {
			r->astray++;
			return false;
		}
		if (from != FAB_NONE)
			w->turn[(size_t)from * 256 * w->nvls + out * w->nvls + vl] = 1;
		from = peer * w->nvls + vl;
		in = peer;
	}
	return false;
}

static void
find_pieces(struct run *w)
{
	const struct snapshot *s = w->s;
	bool more = true;

	for (uint32_t i = 0; i < s->nswitches; i++)
		w->piece[i] = i;
	while (more) {
		more = false;
		for (uint32_t p = 0; p < s->nports; p++) {
			uint32_t a, b;

			if (s->ports[p].peer == FAB_NONE || !switch_port(s, p) ||
				!switch_port(s, s->ports[p].peer))
				continue;
			a = s->nodes[s->ports[p].node].sw;
			b = s->nodes[s->ports[s->ports[p].peer].node].sw;
			if (w->piece[a] < w->piece[b]) {
				w->piece[b] = w->piece[a];
				more = true;
			}
		}
	}
}

/* Walks in depth over channels: 1 open, 2 done. */
static bool
cycle_from(const struct run *w, uint32_t start, uint8_t *mark, uint32_t *stack, uint32_t *place)
{
	uint32_t n = 0, width = 256 * w->nvls;

	stack[n] = start;
	place[n++] = 0;
	mark[start] = 1;
	while (n) {
		uint32_t ch = stack[n - 1], k = place[n - 1]++, to;
		const struct fab_node *node = &w->s->nodes[w->s->ports[ch / w->nvls].node];

		if (k == (node->nports + 1u) * w->nvls) {
			mark[ch] = 2;
			n--;
			continue;
		}
		if (!w->turn[(size_t)ch * width + k])
			continue;
		to = w->s->ports[node->first_port + k / w->nvls].peer * w->nvls + k % w->nvls;
		if (mark[to] == 1)
			return true;
		if (mark[to] == 2)
			continue;
		mark[to] = 1;
		stack[n] = to;
		place[n++] = 0;
	}
	return false;
}

static bool
find_cycle(const struct run *w)
{
	uint32_t n = w->s->nports * w->nvls;
	uint8_t *mark = xcalloc(n, 1);
	uint32_t *stack = xcalloc(n + 1, sizeof(*stack)), *place = xcalloc(n + 1, sizeof(*place));
	bool found = false;

	for (uint32_t ch = 0; ch < n && !found; ch++)
		if (!mark[ch])
			found = cycle_from(w, ch, mark, stack, place);
	free(mark);
	free(stack);
	free(place);
	return found;
}

struct lanes_naive
lanes_naive_check(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f)
{
	unsigned nvls = f->lanes ? f->lanes->nvls : 1;
	struct run w = { s, l, f, nvls, xcalloc((size_t)s->nports * nvls, 256 * nvls),
		xcalloc(s->nswitches + 1, 4) };
	struct lanes_naive r = { 0 };

	find_pieces(&w);
	for (uint32_t lid = 1; lid <= l->top; lid++)
		for (uint32_t sw = 0; l->owner[lid] != FAB_NONE && sw < s->nswitches; sw++) {
			uint32_t to = lid_switch(&w, lid);
			uint8_t there = f->lanes ? lanes_sl(f->lanes, sw, to) : 0;
			uint8_t back = f->lanes ? lanes_sl(f->lanes, to, sw) : 0;
			bool ok;

			if (!has_host(s, sw))
				continue;
			r.walks++;
			ok = walk(&w, &r, sw, lid, there);
			ok = walk(&w, &r, sw, lid, back) && ok;
			if (!ok)
				*(w.piece[sw] == w.piece[to] ? &r.lost : &r.apart) += 1;
		}
	r.cyclic = find_cycle(&w);
	free(w.turn);
	free(w.piece);
	return r;
}

uint32_t
lanes_naive_load(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f)
{
	uint32_t *load = xcalloc(s->nports, sizeof(*load)), most = 0;
	uint64_t sum = 0, n = 0;

	for (uint32_t src = 0; src < s->nports; src++)
		for (uint32_t lid = 1; l->base[src] && lid <= l->top; lid++) {
			uint32_t dst = l->owner[lid], p = s->ports[src].peer;

			if (dst == FAB_NONE || dst == src || switch_port(s, src) ||
				switch_port(s, dst))
				continue;
			while (switch_port(s, p)) {
				const struct fab_node *node = &s->nodes[s->ports[p].node];
				uint32_t out = node->first_port + fwd_row(f, node->sw)[lid];

				p = s->ports[out].peer;
				if (switch_port(s, p) && ++load[out] > most)
					most = load[out];
			}
		}
	for (uint32_t p = 0; p < s->nports; p++)
		if (s->ports[p].peer != FAB_NONE && switch_port(s, p) &&
			switch_port(s, s->ports[p].peer)) {
			sum += load[p];
			n++;
		}
	free(load);
	return sum ? (uint32_t)((uint64_t)most * n * 1000 / sum) : 0;
}
