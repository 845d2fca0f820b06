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

/* ---- lanes ---- */

struct lane_run {
	struct run w;
	const struct lane_plan *plan;
	uint8_t *lane_turn;                     /* [nports * VLS][256 * VLS] as bits: receiving port and VL, out-port and VL */
	uint64_t *load;                         /* per receiving port */
	uint32_t *hosts;                        /* per switch ordinal */
	struct naive_vls r;
};

#define VLS 16

static size_t
lane_bit(uint32_t in, unsigned vl, unsigned out, unsigned out_vl)
{
	return (((size_t)in * VLS + vl) * 256 + out) * VLS + out_vl;
}

/* One packet from 'from', a port of the first switch that does not lead to another switch. */
static void
lane_walk(struct lane_run *w, uint32_t from, uint16_t lid, uint8_t sl, uint64_t paths)
{
	const struct snapshot *s = w->w.s;
	uint32_t node = s->ports[from].node, in = from;
	unsigned vl = 0;

	w->r.walks++;
	for (unsigned hops = 0; hops <= s->nswitches; hops++) {
		const struct fab_node *n = &s->nodes[node];
		uint8_t out = lid <= w->w.f->top ? fwd_row(w->w.f, n->sw)[lid] : 255;
		uint32_t peer;
		unsigned next;

		if (out == 0 && w->w.l->owner[lid] == n->first_port)
			return;
		peer = out && out <= n->nports ? s->ports[n->first_port + out].peer : FAB_NONE;
		if (peer == FAB_NONE || (!fab_is_switch(&s->nodes[s->ports[peer].node]) && w->w.l->owner[lid] != peer))
			break;
		if (!fab_is_switch(&s->nodes[s->ports[peer].node]))
			return;
		next = lanes_vl(w->plan, in, n->first_port + out, sl);
		w->r.wrong += next >= w->plan->nvls || !(w->plan->sls >> sl & 1);
		w->r.used |= 1u << next;
		if (in != from) {
			size_t bit = lane_bit(in, vl, out, next);

			w->lane_turn[bit / 8] |= (uint8_t)(1u << bit % 8);
		}
		w->load[peer] += paths;
		vl = next;
		in = peer;
		node = s->ports[peer].node;
	}
	w->r.lost++;
}

/* All LIDs of one switch and its hosts, from one port for each class that packets enter by. */
static void
lane_pair(struct lane_run *w, uint32_t a, uint16_t lid, uint32_t b)
{
	const struct snapshot *s = w->w.s;
	const struct fab_node *n = &s->nodes[s->switches[a]];
	bool host = !fab_is_switch(&s->nodes[s->ports[w->w.l->owner[lid]].node]), first = true;
	uint8_t sl = lanes_sl(w->plan, a, b), reply = lanes_sl(w->plan, b, a);
	unsigned done = 0;

	w->r.uneven += sl != reply;
	for (unsigned p = 0; p <= n->nports; p++) {
		uint32_t port = n->first_port + p, peer = s->ports[port].peer;
		unsigned class = w->plan->port_class ? w->plan->port_class[port] : 0;

		if ((p && (peer == FAB_NONE || fab_is_switch(&s->nodes[s->ports[peer].node]))) || done >> class & 1)
			continue;
		done |= 1u << class;
		lane_walk(w, port, lid, sl, host && first ? w->hosts[a] : 0);
		first = false;
		if (reply != sl)
			lane_walk(w, port, lid, reply, 0);
	}
}

static bool
lane_turn(const struct lane_run *w, uint32_t in, unsigned vl, unsigned out, unsigned out_vl)
{
	size_t bit = lane_bit(in, vl, out, out_vl);

	return w->lane_turn[bit / 8] >> bit % 8 & 1;
}

/* Takes away what nothing waits for, again and again; counts the turns first (step 1), then removes them (step -1). */
static void
lane_visit(struct lane_run *w, uint32_t in, unsigned vl, uint32_t *waits, int step, uint32_t *ready, uint32_t *nready)
{
	const struct fab_node *n = &w->w.s->nodes[w->w.s->ports[in].node];

	for (unsigned out = 1; out <= n->nports && out < 255; out++) {
		uint32_t to = turn_to(&w->w, in, out);

		for (unsigned next = 0; to != FAB_NONE && next < VLS; next++) {
			uint32_t c = to * VLS + next;

			if (!lane_turn(w, in, vl, out, next))
				continue;
			w->r.turns += step > 0;
			waits[c] += (uint32_t)step;
			if (step < 0 && !waits[c])
				ready[(*nready)++] = c;
		}
	}
}

static void
lane_cycles(struct lane_run *w)
{
	uint32_t n = w->w.s->nports * VLS, nready = 0, done = 0;
	uint32_t *waits = xcalloc(n, sizeof(*waits)), *ready = xcalloc(n, sizeof(*ready));

	for (uint32_t c = 0; c < n; c++)
		if (fab_is_switch(&w->w.s->nodes[w->w.s->ports[c / VLS].node]))
			lane_visit(w, c / VLS, c % VLS, waits, 1, ready, &nready);
	for (uint32_t c = 0; c < n; c++)
		if (!waits[c])
			ready[nready++] = c;
	for (; done < nready; done++)
		if (fab_is_switch(&w->w.s->nodes[w->w.s->ports[ready[done] / VLS].node]))
			lane_visit(w, ready[done] / VLS, ready[done] % VLS, waits, -1, ready, &nready);
	for (uint32_t c = 0; c < n; c++)
		w->r.cyclic |= waits[c] ? 1u << c % VLS : 0;
	free(waits);
	free(ready);
}

static void
lane_loads(struct lane_run *w)
{
	for (uint32_t c = 0; c < w->w.s->nports; c++) {
		uint32_t peer = w->w.s->ports[c].peer;

		if (peer == FAB_NONE || !fab_is_switch(&w->w.s->nodes[w->w.s->ports[peer].node]) ||
		    !fab_is_switch(&w->w.s->nodes[w->w.s->ports[c].node]))
			continue;
		w->r.links++;
		w->r.sum += w->load[c];
		w->r.most = w->load[c] > w->r.most ? w->load[c] : w->r.most;
	}
}

struct naive_vls
naive_vls_check(const struct snapshot *s, const struct lid_map *l, const struct fwd_tables *f, bool all)
{
	static const struct lane_plan one = { .nvls = 1, .sls = 1, .nclasses = 1 };
	struct lane_run w = { .w = { s, l, f, NULL }, .plan = f->lanes ? f->lanes : &one };

	w.lane_turn = xcalloc((size_t)s->nports * VLS * 256 * VLS / 8, 1);
	w.load = xcalloc(s->nports, sizeof(*w.load));
	w.hosts = xcalloc(s->nswitches + 1u, sizeof(*w.hosts));
	for (uint32_t p = 0; p < s->nports; p++) {
		uint32_t peer = s->ports[p].peer;

		if (peer != FAB_NONE && fab_is_switch(&s->nodes[s->ports[peer].node]) &&
		    !fab_is_switch(&s->nodes[s->ports[p].node]))
			w.hosts[s->nodes[s->ports[peer].node].sw]++;
	}
	for (uint32_t lid = 1; lid <= l->top; lid++) {
		const struct fab_port *p = l->owner[lid] == FAB_NONE ? NULL : &s->ports[l->owner[lid]];
		uint32_t to;

		if (!p)
			continue;
		to = s->nodes[fab_is_switch(&s->nodes[p->node]) ? p->node : s->ports[p->peer].node].sw;
		for (uint32_t a = 0; a < s->nswitches; a++)
			if (a != to && (all || w.hosts[a] || w.hosts[to]))
				lane_pair(&w, a, (uint16_t)lid, to);
	}
	lane_cycles(&w);
	lane_loads(&w);
	free(w.lane_turn);
	free(w.load);
	free(w.hosts);
	return w.r;
}
