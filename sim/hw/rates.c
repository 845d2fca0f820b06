/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rates.c - how fast traffic passes each port.
 * Room: sim/hw.  Pure.
 *
 * All packets to one LID follow one tree (each switch has one entry for it), so a destination is worked on at once: the
 * switches on the ways of its senders are put in order, senders first, and what they send is added up on the way down.
 *	1. With endless links: what every link is offered.
 *	2. A link that is offered more than it carries lets through the share capacity / offered.  Links lose nothing, so a
 *	   sender is slowed down to the smallest share on its way, and that is what is carried everywhere on the way.
 * A way that ends in a missing entry, a link that is down or a loop ends there; what came so far is lost there.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/cc_attr.h"
#include "sim/hw/rates.h"
#include "util/xalloc.h"

#define WORDS_PER_MBIT 31250            /* a second */

enum next { NEXT_SWITCH, NEXT_END, NEXT_UNROUTED, NEXT_INACTIVE };

/* A switch on the way to the destination at hand. */
struct stop {
	double flow;                    /* that enters it */
	double share, mark;             /* the smallest share, the largest marked part, from here on */
	uint32_t node, out;             /* out: port index */
	uint32_t next;                  /* stop, when 'how' is NEXT_SWITCH */
	uint32_t waits;                 /* for so many stops before it */
	uint32_t from;                  /* a host whose packets come by */
	enum next how;
};

struct work {
	struct hw *h;
	const struct rates_ask *a;
	struct rates_port *out;
	uint32_t *stop_of;              /* by node; HW_NOWHERE */
	struct stop *stops;
	uint32_t nstops, *order, nordered;
	bool carry;                     /* the second pass */
};

uint64_t
rates_capacity(const struct hw_port *p)
{
	static const uint32_t ext_mbps[] = { [1] = 13636, [2] = 25000, [4] = 50000, [8] = 100000 };
	struct port_info pi = port_info_decode(p->info);
	uint64_t lanes, mbps = pi.speed_active * 2000u;

	if (pi.speed_ext_active2)
		mbps = 200000;
	else if (pi.speed_ext_active && pi.speed_ext_active <= 8 && ext_mbps[pi.speed_ext_active])
		mbps = ext_mbps[pi.speed_ext_active];
	lanes = pi.width_active == 2 ? 4 : pi.width_active == 4 ? 8 : pi.width_active == 8 ? 12 : pi.width_active == 16 ? 2 : 1;
	return lanes * mbps * WORDS_PER_MBIT;
}

static bool
active(const struct hw *h, uint32_t port)
{
	return h->links[port].node != HW_NOWHERE && h->links[port].state == PORT_ACTIVE;
}

/* The hosts that may send to 'to': from *first up to the one returned. */
static uint32_t
senders(const struct work *w, uint32_t to, uint32_t *first)
{
	if (w->a->spec->kind == HW_TRAFFIC_PERMUTATION) {
		*first = w->a->hosts[to].from;
		return *first + 1;
	}
	*first = 0;
	return w->a->nhosts;
}

/* What one host offers to one other. */
static double
demand(const struct work *w, uint32_t from, uint32_t to)
{
	double all = w->a->hosts[from].rate;

	if (from == to)
		return 0;
	return w->a->spec->kind == HW_TRAFFIC_UNIFORM ? all / (w->a->nhosts - 1) : all;
}

/* Where 'node' sends what is for 'lid'. */
static enum next
look_up(const struct hw *h, uint32_t node, uint16_t lid, uint32_t *out)
{
	const struct hw_node *n = &h->nodes[node];
	unsigned port = lid <= n->lft_top && lid < n->lft_len ? n->lft[lid] : HW_DROP;

	if (!port || port > n->nports)
		return NEXT_UNROUTED;
	*out = n->first_port + port;
	if (!active(h, *out))
		return NEXT_INACTIVE;
	return h->nodes[h->links[*out].node].type == TOPO_SWITCH ? NEXT_SWITCH : NEXT_END;
}

/* The stop at 'node', and behind it all that follow; the first is returned. */
static uint32_t
follow(struct work *w, uint32_t node, uint16_t lid, uint32_t from)
{
	uint32_t first = HW_NOWHERE, last = HW_NOWHERE;

	for (;;) {
		uint32_t s = w->stop_of[node];
		bool known = s != HW_NOWHERE;
		struct stop *x;

		if (!known) {
			s = w->stop_of[node] = w->nstops++;
			x = &w->stops[s];
			*x = (struct stop){ .node = node, .share = 1, .from = from, .next = HW_NOWHERE };
			x->how = look_up(w->h, node, lid, &x->out);
		}
		if (first == HW_NOWHERE)
			first = s;
		if (last != HW_NOWHERE) {
			w->stops[last].next = s;
			w->stops[s].waits++;
		}
		if (known || w->stops[s].how != NEXT_SWITCH)
			return first;
		last = s;
		node = w->h->links[w->stops[s].out].node;
	}
}

/* The stops in an order in which a stop comes after all that send to it; those in a loop are left out. */
static void
put_in_order(struct work *w)
{
	w->nordered = 0;
	for (uint32_t i = 0; i < w->nstops; i++)
		if (!w->stops[i].waits)
			w->order[w->nordered++] = i;
	for (uint32_t i = 0; i < w->nordered; i++) {
		struct stop *s = &w->stops[w->order[i]];

		if (s->how == NEXT_SWITCH && !--w->stops[s->next].waits)
			w->order[w->nordered++] = s->next;
	}
}

/* The share of packets that a switch marks on a port that is offered too much; 0: congestion control is off there. */
static double
marks(const struct hw *h, const struct stop *s, const struct rates_port *r)
{
	const struct hw_node *n = &h->nodes[s->node];
	const struct hw_port *p = &h->ports[s->out];
	const struct hw_cc *cc = hw_port(h, s->node, 0)->cc;
	unsigned threshold, rate;

	if (!cc || !n->powered || r->offered <= r->capacity)
		return 0;
	threshold = cc->setting[68] >> 4;
	rate = wire_get16(cc->setting + 74);
	if (cc->ports) {
		struct cc_switch_port e = cc_switch_port_decode(cc->ports + p->num * CC_SWITCH_PORT_BYTES);

		if (e.valid) {
			threshold = e.threshold;
			rate = e.marking_rate;
		}
	}
	return threshold ? 1.0 / (rate + 1) : 0;
}

/* From the destination backwards: the smallest share and the most marks on the way. */
static void
find_shares(struct work *w)
{
	for (uint32_t i = w->nordered; i--; ) {
		struct stop *s = &w->stops[w->order[i]];
		const struct rates_port *r = &w->out[s->out];

		if (s->how != NEXT_SWITCH && s->how != NEXT_END)
			continue;
		if (r->offered > r->capacity)
			s->share = r->capacity / r->offered;
		s->mark = marks(w->h, s, r);
		if (s->how == NEXT_SWITCH && w->stops[s->next].share < s->share)
			s->share = w->stops[s->next].share;
		if (s->how == NEXT_SWITCH && w->stops[s->next].mark > s->mark)
			s->mark = w->stops[s->next].mark;
	}
}

static void
note(const struct work *w, struct hw_port *agent, uint32_t from, uint32_t to)
{
	struct hw_cc *cc = cc_of(agent);
	struct hw_cc_event e = { .at_us = w->a->now.us, .slid = w->a->hosts[from].lid, .dlid = w->a->hosts[to].lid,
		.sl = w->a->spec->sl };

	for (unsigned i = 0; i < cc->nlog; i++)
		if (cc->log[i].slid == e.slid && cc->log[i].dlid == e.dlid)
			return;
	memmove(cc->log + 1, cc->log, (HW_CC_LOG - 1) * sizeof(e));
	cc->log[0] = e;
	if (cc->nlog < HW_CC_LOG)
		cc->nlog++;
}

static double *
amount(const struct work *w, uint32_t port)
{
	return w->carry ? &w->out[port].carried : &w->out[port].offered;
}

/* What dies at a stop is lost only once. */
static void
lose(const struct work *w, double *at, double flow)
{
	if (w->carry)
		*at += flow;
}

/* Sends 'flow' out of a port to the switch or end behind it. */
static void
cross(struct work *w, uint32_t out, double flow, uint32_t to)
{
	const struct hw_link *l = &w->h->links[out];
	const struct hw_node *n = &w->h->nodes[l->node];
	uint32_t s = n->type == TOPO_SWITCH ? w->stop_of[l->node] : HW_NOWHERE;
	struct rates_port *in = &w->out[n->first_port + l->port];

	*amount(w, out) += flow;
	if (s != HW_NOWHERE && w->stops[s].how == NEXT_UNROUTED)
		lose(w, &in->unrouted, flow);
	else if (s != HW_NOWHERE)
		w->stops[s].flow += flow;
	else if (!hw_port_has_lid(w->h, l->node, l->port, w->a->hosts[to].lid))
		lose(w, &in->unrouted, flow);
}

static void
flow_down(struct work *w, uint32_t to)
{
	for (uint32_t i = 0; i < w->nordered; i++) {
		struct stop *s = &w->stops[w->order[i]];
		struct rates_port *r = &w->out[s->out];
		double mark;

		if (s->how == NEXT_INACTIVE)
			lose(w, &r->inactive, s->flow);
		if (s->how == NEXT_INACTIVE || s->how == NEXT_UNROUTED)
			continue;
		cross(w, s->out, s->flow, to);
		mark = w->carry && s->flow > 0 ? marks(w->h, s, r) : 0;
		if (mark > 0) {
			struct hw_port *agent = hw_port(w->h, s->node, 0);

			r->marked += s->flow * mark;
			note(w, agent, s->from, to);
			agent->cc->port_map[w->h->ports[s->out].num / 8] |= (uint8_t)(1u << w->h->ports[s->out].num % 8);
		}
	}
	for (uint32_t i = 0; i < w->nstops; i++)        /* who still waits is in a loop */
		if (w->stops[i].waits)
			lose(w, &w->out[w->stops[i].out].looping, w->stops[i].flow);
}

static void
send_from(struct work *w, uint32_t from, uint32_t to, double flow)
{
	uint32_t port = w->a->hosts[from].port, peer = w->h->links[port].node, s = w->stop_of[peer];
	double share = 1, mark = 0;

	if (w->carry && w->h->nodes[peer].type == TOPO_SWITCH) {
		share = w->stops[s].share;
		mark = w->stops[s].mark;
	}
	cross(w, port, flow * share, to);
	if (mark > 0) {
		w->out[w->a->hosts[to].port].fecn += flow * share * mark;
		w->out[port].becn += flow * share * mark;
		note(w, &w->h->ports[port], from, to);
	}
}

static void
destination(struct work *w, uint32_t to)
{
	uint16_t lid = w->a->hosts[to].lid;

	uint32_t first, end;

	w->nstops = 0;
	if (!lid)
		return;
	end = senders(w, to, &first);
	for (uint32_t i = first; i < end; i++)
		if (demand(w, i, to) > 0) {
			uint32_t peer = w->h->links[w->a->hosts[i].port].node;

			if (w->h->nodes[peer].type == TOPO_SWITCH)
				follow(w, peer, lid, i);
		}
	put_in_order(w);
	if (w->carry)
		find_shares(w);
	for (uint32_t i = first; i < end; i++) {
		double flow = demand(w, i, to);

		if (flow > 0)
			send_from(w, i, to, flow);
	}
	flow_down(w, to);
	for (uint32_t i = 0; i < w->nstops; i++)
		w->stop_of[w->stops[i].node] = HW_NOWHERE;
}

void
rates_find(struct hw *h, const struct rates_ask *a, struct rates_port *out)
{
	struct work w = { .h = h, .a = a, .out = out };

	w.stop_of = xcalloc(h->nnodes + 1u, sizeof(*w.stop_of));
	w.stops = xcalloc(h->nnodes + 1u, sizeof(*w.stops));
	w.order = xcalloc(h->nnodes + 1u, sizeof(*w.order));
	memset(w.stop_of, 0xff, (h->nnodes + 1u) * sizeof(*w.stop_of));
	for (int pass = 0; pass < 2; pass++) {
		w.carry = pass;
		for (uint32_t to = 0; to < a->nhosts; to++)
			if (a->spec->kind != HW_TRAFFIC_HOTSPOT || to == a->hot)
				destination(&w, to);
	}
	free(w.stop_of);
	free(w.stops);
	free(w.order);
}
