/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rates.c - computes the rate of traffic at each port.
 * Room: sim/phys.  Pure.
 *
 * All packets to one LID follow one tree (each switch has one entry for it), so a destination is
 * worked on at once: the switches on the paths of its senders are put in order, senders first, and
 * rates are added up along the paths.
 *
 *   1. Compute the load that every link is offered if links had no limit.
 *   2. A link with more load than capacity carries the share capacity / load.  Links drop nothing,
 *      so a sender is slowed down to the smallest share on its path, and this rate is carried
 *      everywhere on the path.
 *
 * If all hosts send to all, the hosts of one switch are computed together.
 * A path ends at a missing entry, a link that is down, or a loop; the traffic is lost there.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/cc_attr.h"
#include "sim/phys/rates.h"
#include "util/xalloc.h"

#define WORDS_PER_MBIT 31250            /* a second */

enum next { NEXT_SWITCH, NEXT_END, NEXT_UNROUTED, NEXT_INACTIVE };

/* A switch on a path to the present destination. */
struct stop {
	double flow;                    /* that enters it */
	/* the smallest share, the largest marked part, from here on */
	double share, mark;
	uint32_t node, out;             /* out: port index */
	uint32_t next;                  /* stop, when 'how' is NEXT_SWITCH */
	uint32_t waits;                 /* for so many stops before it */
	uint32_t from;                  /* a host whose packets come by */
	enum next how;
};

/* The hosts at one switch, when all send to all. */
struct group {
	uint32_t sw, first, n;          /* in work.by_switch */
	double rate;                    /* of all of them */
	/* shares of the destinations so far, that are not yet in the ports' amounts */
	double given;
};

/* What a step needs of a node, close together: a fabric's worth of it stays in the cache. */
struct brief {
	const uint8_t *lft;
	uint32_t lids, first_port;      /* so many entries count */
	uint8_t nports;
	bool is_switch;
};

struct work {
	struct hw *h;
	const struct rates_ask *a;
	struct rates_port *out;
	uint32_t *stop_of;              /* by node; HW_NOWHERE */
	struct stop *stops;
	uint32_t nstops, *order, nordered;
	struct brief *briefs;           /* by node */
	bool marking;                   /* some switch may mark */
	bool carry;                     /* the second pass */
	struct group *groups;           /* when all send to all */
	uint32_t ngroups;
	/* hosts, group by group; behind them those that are at no switch */
	uint32_t *by_switch;
	uint32_t loose, nhosts;         /* where those begin, and end */
	uint32_t *group_of;             /* by host; HW_NOWHERE none */
	/* by host: the share of its group for itself as a destination */
	double *own;
};

uint64_t
rates_capacity(const struct hw_port *p)
{
	static const uint32_t ext_mbps[] = { [1] = 13636, [2] = 25000, [4] = 50000, [8] = 100000 };
	struct port_info pi = port_info_decode(p->info);
	uint64_t lanes, mbps = pi.speed_active * 2000u;

	if (p->fdr10)
		mbps = 10000;           /* 10.3125 Gb/s, 64 of 66 bits */
	if (pi.speed_ext_active2)
		mbps = 200000;
	else if (pi.speed_ext_active && pi.speed_ext_active <= 8 && ext_mbps[pi.speed_ext_active])
		mbps = ext_mbps[pi.speed_ext_active];
	lanes = pi.width_active == 2 ? 4 : pi.width_active == 4 ? 8 : pi.width_active == 8 ? 12 :
		pi.width_active == 16 ? 2 : 1;
	return lanes * mbps * WORDS_PER_MBIT;
}

static bool
link_active(const struct hw *h, uint32_t port)
{
	return h->links[port].node != HW_NOWHERE && h->links[port].state == PORT_STATE_ACTIVE;
}

/* How many hosts that are looked at one by one may send to 'to', and which. */
static uint32_t
sender_count(const struct work *w)
{
	if (w->a->spec->kind == HW_TRAFFIC_UNIFORM)
		return w->nhosts - w->loose;
	return w->a->spec->kind == HW_TRAFFIC_PERMUTATION ? 1 : w->a->nhosts;
}

static uint32_t
sender_at(const struct work *w, uint32_t to, uint32_t i)
{
	if (w->a->spec->kind == HW_TRAFFIC_UNIFORM)
		return w->by_switch[w->loose + i];
	return w->a->spec->kind == HW_TRAFFIC_PERMUTATION ? w->a->hosts[to].from : i;
}

/* What one host offers to one other. */
static double
flow_demand(const struct work *w, uint32_t from, uint32_t to)
{
	double all = w->a->hosts[from].rate;

	if (from == to)
		return 0;
	return w->a->spec->kind == HW_TRAFFIC_UNIFORM ? all / (w->a->nhosts - 1) : all;
}

/* Where 'node' sends what is for 'lid'. */
static enum next
table_look_up(const struct work *w, uint32_t node, uint16_t lid, uint32_t *out)
{
	const struct brief *n = &w->briefs[node];
	unsigned port = lid < n->lids ? n->lft[lid] : LFT_DROP_PORT;

	if (!port || port > n->nports)
		return NEXT_UNROUTED;
	*out = n->first_port + port;
	if (!link_active(w->h, *out))
		return NEXT_INACTIVE;
	return w->briefs[w->h->links[*out].node].is_switch ? NEXT_SWITCH : NEXT_END;
}

/* The stop at 'node', and behind it all that follow; the first is returned. */
static uint32_t
path_follow(struct work *w, uint32_t node, uint16_t lid, uint32_t from)
{
	uint32_t first = HW_NOWHERE, last = HW_NOWHERE;

	for (;;) {
		uint32_t s = w->stop_of[node];
		bool known = s != HW_NOWHERE;
		struct stop *x;

		if (!known) {
			s = w->stop_of[node] = w->nstops++;
			x = &w->stops[s];
			*x = (struct stop){ .node = node, .share = 1, .from = from,
				.next = HW_NOWHERE };
			x->how = table_look_up(w, node, lid, &x->out);
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

/* The stops in an order in which a stop comes after all that send to it; those in a loop are
 * left out. */
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

/* The share of packets that a switch marks on a port that is offered too much; 0: congestion
 * control is off there. */
static double
share_marked(const struct hw *h, const struct stop *s, const struct rates_port *r)
{
	const struct hw_node *n = &h->nodes[s->node];
	const struct hw_port *p = &h->ports[s->out];
	const struct hw_cc *cc = hw_port(h, s->node, 0)->cc;
	unsigned threshold, rate;

	if (!cc || !n->powered || r->offered <= r->capacity)
		return 0;
	threshold = (unsigned)ATTR_GET(cc_switch_setting, threshold, cc->setting);
	rate = (unsigned)ATTR_GET(cc_switch_setting, marking_rate, cc->setting);
	if (cc->ports) {
		struct cc_switch_port e = cc_switch_port_decode(cc->ports +
			p->num * CC_SWITCH_PORT_BYTES);

		if (e.valid) {
			threshold = e.threshold;
			rate = e.marking_rate;
		}
	}
	return threshold ? 1.0 / (rate + 1) : 0;
}

/* Computes, from the destination backwards, the smallest share and the most marks on each path. */
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
		s->mark = w->marking ? share_marked(w->h, s, r) : 0;
		if (s->how == NEXT_SWITCH && w->stops[s->next].share < s->share)
			s->share = w->stops[s->next].share;
		if (s->how == NEXT_SWITCH && w->stops[s->next].mark > s->mark)
			s->mark = w->stops[s->next].mark;
	}
}

static void
event_note(const struct work *w, struct hw_port *agent, uint32_t from, uint32_t to)
{
	struct hw_cc *cc = congestion_of(agent);
	struct hw_cc_event e = { .at_us = w->a->now.us, .slid = w->a->hosts[from].lid,
		.dlid = w->a->hosts[to].lid,
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
flow_amount(const struct work *w, uint32_t port)
{
	return w->carry ? &w->out[port].carried : &w->out[port].offered;
}

/* What dies at a stop is lost only once. */
static void
flow_lose(const struct work *w, double *at, double flow)
{
	if (w->carry)
		*at += flow;
}

/* Sends 'flow' out of a port to the switch or end behind it. */
static void
flow_cross(struct work *w, uint32_t out, double flow, uint32_t to)
{
	const struct hw_link *l = &w->h->links[out];
	const struct hw_node *n = &w->h->nodes[l->node];
	uint32_t s = n->type == TOPO_SWITCH ? w->stop_of[l->node] : HW_NOWHERE;
	struct rates_port *in = &w->out[n->first_port + l->port];

	*flow_amount(w, out) += flow;
	if (s != HW_NOWHERE && w->stops[s].how == NEXT_UNROUTED)
		flow_lose(w, &in->unrouted, flow);
	else if (s != HW_NOWHERE)
		w->stops[s].flow += flow;
	else if (!route_has_lid(w->h, l->node, l->port, w->a->hosts[to].lid))
		flow_lose(w, &in->unrouted, flow);
}

static void
flow_down(struct work *w, uint32_t to)
{
	for (uint32_t i = 0; i < w->nordered; i++) {
		struct stop *s = &w->stops[w->order[i]];
		struct rates_port *r = &w->out[s->out];
		double mark;

		if (s->how == NEXT_INACTIVE)
			flow_lose(w, &r->inactive, s->flow);
		if (s->how == NEXT_INACTIVE || s->how == NEXT_UNROUTED)
			continue;
		if (s->how == NEXT_SWITCH && w->stops[s->next].how != NEXT_UNROUTED) {
			/* flow_cross() without looking around */
			*flow_amount(w, s->out) += s->flow;
			w->stops[s->next].flow += s->flow;
		} else {
			flow_cross(w, s->out, s->flow, to);
		}
		mark = w->marking && w->carry && s->flow > 0 ? share_marked(w->h, s, r) : 0;
		if (mark > 0) {
			struct hw_port *agent = hw_port(w->h, s->node, 0);

			r->marked += s->flow * mark;
			event_note(w, agent, s->from, to);
			agent->cc->port_map[w->h->ports[s->out].num / 8] |= (uint8_t)(1u <<
				w->h->ports[s->out].num % 8);
		}
	}
	for (uint32_t i = 0; i < w->nstops; i++)        /* who still waits is in a loop */
		if (w->stops[i].waits)
			flow_lose(w, &w->out[w->stops[i].out].looping, w->stops[i].flow);
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
	flow_cross(w, port, flow * share, to);
	if (mark > 0) {
		w->out[w->a->hosts[to].port].fecn += flow * share * mark;
		w->out[port].becn += flow * share * mark;
		event_note(w, &w->h->ports[port], from, to);
	}
}

static void
send_one(struct work *w, uint32_t from, uint32_t to)
{
	double flow = flow_demand(w, from, to);

	if (flow > 0)
		send_from(w, from, to, flow);
}

/* What a group sends to one host; where that is marked, or lost at once, host by host. */
static void
send_group(struct work *w, struct group *g, uint32_t to)
{
	struct stop *s = &w->stops[w->stop_of[g->sw]];
	bool own = w->group_of[to] == (uint32_t)(g - w->groups);
	double share = w->carry ? s->share : 1;

	if (s->how == NEXT_UNROUTED || (w->carry && s->mark > 0)) {
		for (uint32_t i = 0; i < g->n; i++)
			send_one(w, w->by_switch[g->first + i], to);
		return;
	}
	s->flow += (g->rate - (own ? w->a->hosts[to].rate : 0)) / (w->a->nhosts - 1) * share;
	g->given += share;
	if (own)
		w->own[to] = share;
}

/* Puts what groups have given into the amounts of their hosts' ports, at the end of a pass. */
static void
settle_groups(struct work *w)
{
	for (uint32_t k = 0; k < w->ngroups; k++) {
		struct group *g = &w->groups[k];

		for (uint32_t i = 0; i < g->n; i++) {
			uint32_t host = w->by_switch[g->first + i];
			double rate = w->a->hosts[host].rate / (w->a->nhosts - 1);

			*flow_amount(w, w->a->hosts[host].port) += rate * (g->given - w->own[host]);
			w->own[host] = 0;
		}
		g->given = 0;
	}
}

static void
follow_from(struct work *w, uint32_t host, uint32_t to)
{
	uint32_t peer;

	if (flow_demand(w, host, to) <= 0)
		return;
	peer = w->h->links[w->a->hosts[host].port].node;
	if (w->h->nodes[peer].type == TOPO_SWITCH)
		path_follow(w, peer, w->a->hosts[to].lid, host);
}

static void
destination(struct work *w, uint32_t to)
{
	uint32_t n = sender_count(w);

	w->nstops = 0;
	if (!w->a->hosts[to].lid)
		return;
	for (uint32_t k = 0; k < w->ngroups; k++)
		path_follow(w, w->groups[k].sw, w->a->hosts[to].lid,
			w->by_switch[w->groups[k].first]);
	for (uint32_t i = 0; i < n; i++)
		follow_from(w, sender_at(w, to, i), to);
	put_in_order(w);
	if (w->carry)
		find_shares(w);
	for (uint32_t k = 0; k < w->ngroups; k++)
		send_group(w, &w->groups[k], to);
	for (uint32_t i = 0; i < n; i++)
		send_one(w, sender_at(w, to, i), to);
	flow_down(w, to);
	for (uint32_t i = 0; i < w->nstops; i++)
		w->stop_of[w->stops[i].node] = HW_NOWHERE;
}

/* Sorts the senders by the switch they are at. */
static void
find_groups(struct work *w)
{
	const struct rates_host *hosts = w->a->hosts;
	uint32_t n = w->a->nhosts, *next = xcalloc(w->h->nnodes, sizeof(*next));

	w->by_switch = xcalloc(n, sizeof(*w->by_switch));
	w->group_of = xcalloc(n, sizeof(*w->group_of));
	w->own = xcalloc(n, sizeof(*w->own));
	w->groups = xcalloc(n, sizeof(*w->groups));
	memset(w->group_of, 0xff, n * sizeof(*w->group_of));
	for (uint32_t i = 0; i < n; i++)                /* counts them, then makes room */
		if (hosts[i].rate > 0)
			next[w->h->links[hosts[i].port].node]++;
	for (uint32_t sw = 0; sw < w->h->nnodes; sw++) {
		uint32_t count = next[sw];

		if (!count || w->h->nodes[sw].type != TOPO_SWITCH)
			continue;
		w->groups[w->ngroups++] = (struct group){ .sw = sw, .first = w->loose };
		next[sw] = w->ngroups - 1;
		w->loose += count;
	}
	w->nhosts = w->loose;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t peer = hosts[i].rate > 0 ? w->h->links[hosts[i].port].node : HW_NOWHERE;
		struct group *g;

		if (peer == HW_NOWHERE)
			continue;
		if (w->h->nodes[peer].type != TOPO_SWITCH) {
			w->by_switch[w->nhosts++] = i;
			continue;
		}
		g = &w->groups[next[peer]];
		w->group_of[i] = next[peer];
		w->by_switch[g->first + g->n++] = i;
		g->rate += hosts[i].rate;
	}
	free(next);
}

static void
take_briefs(struct work *w)
{
	const struct hw *h = w->h;

	w->briefs = xcalloc(h->nnodes + 1u, sizeof(*w->briefs));
	for (uint32_t i = 0; i < h->nnodes; i++) {
		const struct hw_node *n = &h->nodes[i];

		w->briefs[i] = (struct brief){ .lft = n->lft, .first_port = n->first_port,
			.nports = n->nports,
			.is_switch = n->type == TOPO_SWITCH, .lids = n->lft_top < n->lft_len ?
			n->lft_top + 1u : n->lft_len };
		w->marking |= n->type == TOPO_SWITCH && hw_port(h, i, 0)->cc;
	}
}

void
rates_find(struct hw *h, const struct rates_ask *a, struct rates_port *out)
{
	struct work w = { .h = h, .a = a, .out = out };

	w.stop_of = xcalloc(h->nnodes + 1u, sizeof(*w.stop_of));
	w.stops = xcalloc(h->nnodes + 1u, sizeof(*w.stops));
	w.order = xcalloc(h->nnodes + 1u, sizeof(*w.order));
	memset(w.stop_of, 0xff, (h->nnodes + 1u) * sizeof(*w.stop_of));
	take_briefs(&w);
	if (a->spec->kind == HW_TRAFFIC_UNIFORM)
		find_groups(&w);
	for (int pass = 0; pass < 2; pass++) {
		w.carry = pass;
		for (uint32_t to = 0; to < a->nhosts; to++)
			if (a->spec->kind != HW_TRAFFIC_HOTSPOT || to == a->hot)
				destination(&w, to);
		settle_groups(&w);
	}
	free(w.stop_of);
	free(w.stops);
	free(w.order);
	free(w.briefs);
	free(w.groups);
	free(w.by_switch);
	free(w.group_of);
	free(w.own);
}
