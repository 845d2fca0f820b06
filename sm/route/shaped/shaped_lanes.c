/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shaped_lanes.c - chooses the lane plan (SLs and VLs): the first one without a credit loop.
 * Room: sm/route/shaped.  Pure.
 *
 * A channel is a link in one direction (named by the port that receives) on one VL.  All packets
 * are followed from every switch with hosts to every LID; a packet that came by one channel and
 * leaves by another makes the second wait for the first.  Replies are included: the SL of a pair
 * of switches does not depend on the direction, and all pairs are followed in both directions.
 * Channels whose packets wait for no other channel are removed repeatedly; if any are left,
 * there is a cycle.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "sm/route/shaped/shaped.h"
#include "util/bits.h"

struct waits {
	const struct shaped *sh;
	const struct fwd_tables *f;
	const struct lane_plan *p;
	uint32_t nchannels, words; /* words of bits per channel */
	uint64_t *bits; /* per channel: bit out-port * nvls + VL: it goes on there */
	uint32_t *seen; /* per channel: mark of the walks that came by */
};

/* The port that receives what switch ordinal 'o' sends by 'out'; FAB_NONE if it is no switch's. */
static uint32_t
receiver(const struct waits *w, uint32_t o, uint8_t out)
{
	const struct snapshot *s = w->sh->m.s;
	const struct fab_node *n = &s->nodes[s->switches[o]];
	uint32_t peer;

	if (!out || out > n->nports)
		return FAB_NONE;
	peer = s->ports[n->first_port + out].peer;
	return peer != FAB_NONE && fab_is_switch(&s->nodes[s->ports[peer].node]) ? peer : FAB_NONE;
}

static void
follow(struct waits *w, uint32_t o, uint16_t lid, uint8_t sl, uint32_t mark)
{
	const struct snapshot *s = w->sh->m.s;
	uint32_t in = s->nodes[s->switches[o]].first_port, channel = UINT32_MAX;

	for (;;) {
		uint8_t out = fwd_row(w->f, o)[lid], vl;
		uint32_t peer = receiver(w, o, out);

		if (peer == FAB_NONE)
			return;
		vl = lanes_vl(w->p, in, s->nodes[s->switches[o]].first_port + out, sl);
		if (channel != UINT32_MAX)
			bits_set(w->bits + (size_t)channel * w->words,
				(size_t)out * w->p->nvls + vl);
		channel = peer * w->p->nvls + vl;
		if (w->seen[channel] == mark)
			return;
		w->seen[channel] = mark;
		in = peer;
		o = s->nodes[s->ports[peer].node].sw;
	}
}

static void
follow_all(struct waits *w)
{
	const struct shaped *sh = w->sh;

	for (uint32_t i = 0; i < sh->ndests; i++) {
		uint32_t t = sh->now[sh->dests[i].sw];

		for (uint32_t o = 0; o < sh->m.g.nsw; o++) {
			uint8_t sl = lanes_sl(w->p, o, t);

			if (swgraph_is_leaf(&sh->m.g, o))
				follow(w, o, sh->dests[i].lid, sl, i * LANE_SLS + sl + 1);
		}
	}
}

/* Returns the first channel at or after '*bit' that 'channel' waits for, or UINT32_MAX. */
static uint32_t
next_channel(const struct waits *w, uint32_t channel, size_t *bit)
{
	const struct snapshot *s = w->sh->m.s;
	uint32_t o = s->nodes[s->ports[channel / w->p->nvls].node].sw;
	size_t all = (size_t)w->words * 64;

	*bit = bits_next(w->bits + (size_t)channel * w->words, all, *bit);
	if (*bit >= all)
		return UINT32_MAX;
	return receiver(w, o, (uint8_t)(*bit / w->p->nvls)) * w->p->nvls +
		(uint32_t)(*bit % w->p->nvls);
}

/* Returns a channel that is left and that 'channel' waits for, or UINT32_MAX. */
static uint32_t
next_left(const struct waits *w, const uint32_t *left, uint32_t channel)
{
	uint32_t to = UINT32_MAX;

	for (size_t bit = 0; (to = next_channel(w, channel, &bit)) != UINT32_MAX; bit++)
		if (left[to])
			break;
	return to;
}

/* The first channel that is left, by switch and port, whatever the order of discovery. */
static uint32_t
least_left(const struct waits *w, const uint32_t *left)
{
	const struct snapshot *s = w->sh->m.s;

	for (uint32_t o = 0; o < s->nswitches; o++) {
		const struct fab_node *n = &s->nodes[s->switches[o]];
		uint32_t first = n->first_port * w->p->nvls;

		for (uint32_t i = 0; i < (n->nports + 1u) * w->p->nvls; i++)
			if (left[first + i])
				return first + i;
	}
	return UINT32_MAX;
}

/* 'left': channels that could not be taken away; some only because a cycle leads to them.  Goes on
 * from the least one, and back from dead ends, until it meets itself. */
static void
describe_cycle(const struct waits *w, uint32_t *left, struct arena *a, struct shaped_cycle *c)
{
	const struct snapshot *s = w->sh->m.s;
	uint32_t *place = arena_array(a, w->nchannels, sizeof(*place));
	uint32_t *path = arena_array(a, (size_t)w->nchannels + 1, sizeof(*path)), n = 0;

	for (;;) {
		uint32_t to = n ? next_left(w, left, path[n - 1]) : least_left(w, left);

		if (to == UINT32_MAX && !n)
			return;
		if (to == UINT32_MAX) {
			left[path[n - 1]] = 0;
			place[path[--n]] = 0;
		} else if (place[to]) {
			c->n = n - place[to] + 1;
			c->node[0] = s->ports[path[n - 1] / w->p->nvls].node;
			c->node[1] = s->ports[to / w->p->nvls].node;
			c->vl = (uint8_t)(to % w->p->nvls);
			return;
		} else {
			path[n++] = to;
			place[to] = n;
		}
	}
}

/* Removes channels that wait for no other channel.  Returns how many are left. */
static uint32_t
peel(const struct waits *w, struct arena *a, struct shaped_cycle *c)
{
	uint32_t *waits = arena_array(a, w->nchannels, sizeof(*waits));
	uint32_t *ready = arena_array(a, w->nchannels, sizeof(*ready));
	uint32_t nready = 0, done = 0;

	for (uint32_t ch = 0; ch < w->nchannels; ch++) {
		uint32_t to;

		for (size_t bit = 0; (to = next_channel(w, ch, &bit)) != UINT32_MAX; bit++)
			waits[to]++;
	}
	for (uint32_t ch = 0; ch < w->nchannels; ch++)
		if (!waits[ch])
			ready[nready++] = ch;
	while (done < nready) {
		uint32_t ch = ready[done++], to;

		for (size_t bit = 0; (to = next_channel(w, ch, &bit)) != UINT32_MAX; bit++)
			if (--waits[to] == 0)
				ready[nready++] = to;
	}
	if (done < w->nchannels)
		describe_cycle(w, waits, a, c);
	return w->nchannels - done;
}

bool
shaped_acyclic(const struct shaped *sh, const struct fwd_tables *f, const struct lane_plan *p,
	struct shaped_cycle *c)
{
	struct arena scratch = ARENA_INIT;
	struct waits w = { .sh = sh, .f = f, .p = p };
	uint32_t left;

	*c = (struct shaped_cycle){ .node = { FAB_NONE, FAB_NONE } };
	w.nchannels = sh->m.s->nports * p->nvls;
	w.words = 4u * p->nvls;
	w.bits = arena_array(&scratch, w.nchannels, w.words * sizeof(*w.bits));
	w.seen = arena_array(&scratch, w.nchannels, sizeof(*w.seen));
	follow_all(&w);
	left = peel(&w, &scratch, c);
	arena_clear(&scratch);
	return left == 0;
}

void
shaped_classes(const struct shaped *sh, struct arena *a, struct shaped_plans *p,
	uint8_t (*class_of)(const struct shaped *sh, uint32_t s, uint32_t e))
{
	const struct snapshot *snap = sh->m.s;
	const struct swgraph *w = &sh->whole;
	uint8_t *classes = arena_array(a, snap->nports, sizeof(*classes));

	for (uint32_t s = 0; s < w->nsw; s++)
		for (uint32_t e = w->group_first[s]; e < w->group_first[s + 1]; e++) {
			uint32_t node = shaped_node(sh, s), first;

			if (!shaped_works(sh, e))
				continue;
			first = snap->nodes[node].first_port;
			for (uint32_t i = 0; i < w->groups[e].nports; i++)
				if (sh->works[w->groups[e].first_port + i])
					classes[first + w->ports[w->groups[e].first_port + i]] =
						class_of(sh, s, e);
			if (sh->other[e])
				classes[first + sh->other[e]] = class_of(sh, s, e);
		}
	for (unsigned i = 0; i < p->n; i++)
		p->plan[i].port_class = classes;
}

static enum route_code
refuse_sl2vl(const struct shaped *sh, struct route_report *r)
{
	uint32_t n = 0;

	for (uint32_t o = 0; sh->in->no_sl2vl && o < sh->m.g.nsw; o++)
		if (bits_test(sh->in->no_sl2vl, o)) {
			route_evidence_add(r, route_node(&sh->m, o), FAB_NONE, 0, 0);
			n++;
		}
	if (!n)
		return ROUTE_OK;
	return route_refuse(r, ROUTE_SL2VL,
		"%u switches cannot choose the VL by in-port, 0x%016" PRIx64 " for one", n,
		sh->m.s->nodes[r->evidence[0].node].guid);
}

static void
put_plan(const struct lane_plan *p, struct arena *a, struct fwd_tables *out)
{
	struct lane_plan *copy = arena_alloc(a, sizeof(*copy));

	*copy = *p;
	out->vls = p->nvls;
	if (p->nvls > 1 || p->sl)
		out->lanes = copy;
}

static uint64_t
node_guid(const struct shaped *sh, uint32_t node)
{
	return node == FAB_NONE ? 0 : sh->m.s->nodes[node].guid;
}

enum route_code
shaped_take_lanes(const struct shaped *sh, struct shaped_plans *p, struct arena *a,
	struct fwd_tables *out, struct route_report *r)
{
	unsigned have = sh->in->vls ? sh->in->vls : 1, i;
	struct shaped_cycle cycle = { 0 };
	bool sure = p->sure && !shaped_damaged(sh);

	for (i = 0; i < p->n && p->plan[i].nvls <= have; i++)
		if (sure || shaped_acyclic(sh, out, &p->plan[i], &cycle))
			break;
	if (i < p->n && p->plan[i].nvls <= have) {
		if (p->plan[i].nvls > 1 && refuse_sl2vl(sh, r) != ROUTE_OK)
			return r->code;
		put_plan(&p->plan[i], a, out);
		return ROUTE_OK;
	}
	if (i < p->n) {
		route_evidence_add(r, FAB_NONE, FAB_NONE, 0, p->plan[i].nvls);
		return route_refuse(r, ROUTE_VLS, "needs %u data VLs, and there %s %u",
			p->plan[i].nvls, have == 1 ? "is" : "are", have);
	}
	route_evidence_add(r, cycle.node[0], cycle.node[1], 0, cycle.vl);
	return route_refuse(r, ROUTE_CYCLE,
		"damage leaves a credit loop of %u channels, from 0x%016" PRIx64 " to 0x%016" PRIx64
		" on VL %u",
		cycle.n, node_guid(sh, cycle.node[0]), node_guid(sh, cycle.node[1]), cycle.vl);
}
