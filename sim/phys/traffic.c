/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * traffic.c - traffic between hosts, as the counters of ports see it.
 * Room: sim/phys.  Pure.  rates.c finds how fast it passes every port; here it is counted.
 *
 * No packet is made.  A port has a rate, and what has passed since the rates were found follows
 * from the time; it is added when somebody looks at the port, and before new rates are found.  They
 * are found anew when something has changed: a change is noted with its time, and the next look
 * finds the rates that hold from then on.  Links that go down or come up settle what was noted
 * before them first; tables that are written one after the other count from the first write.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "sim/phys/rates.h"
#include "sim/phys/traffic.h"
#include "util/xalloc.h"

#define PACKET_WORDS 518                /* LRH 8, BTH 12, payload 2048, ICRC 4 bytes */

/* Words a second, but 'wait' and 'full' in ticks: the times of a word. */
struct load {
	uint64_t xmit, rcv, wait, full, inactive, unrouted, looping, marked, fecn, becn;
	int64_t upto_us;                /* counted until then */
};

struct hw_traffic_state {
	struct hw_traffic spec;
	struct rates_host *hosts;
	uint32_t nhosts, hot;
	struct load *loads;             /* by port */
	uint32_t nloads;
	int64_t since_us;               /* the rates hold since then */
	int64_t until_us;
	int64_t latest_us;              /* anybody looked */
	bool dirty;
	int64_t dirty_us;               /* something changed then */
};

/* ---- counting ---- */

static uint64_t
words_after(uint64_t rate, int64_t us)
{
	uint64_t s = (uint64_t)us / 1000000, rest = (uint64_t)us % 1000000;

	return rate * s + rate * rest / 1000000;
}

/* What comes of a rate between two times, in units of so many words; whatever looks there were
 * in between. */
static uint64_t
words_passed(const struct hw_traffic_state *t, uint64_t rate, int64_t from_us, int64_t to_us,
	unsigned unit)
{
	if (!rate)
		return 0;
	return words_after(rate, to_us - t->since_us) / unit - words_after(rate,
		from_us - t->since_us) / unit;
}

static unsigned
vl_out(const struct hw *h, const struct hw_port *p, unsigned sl)
{
	unsigned vl = route_vl(h, &h->nodes[p->node], 0, p->num, sl);

	return vl < VL_MANAGEMENT ? vl : 0;
}

static void
count_data(struct hw *h, struct hw_port *p, uint64_t out, uint64_t in)
{
	unsigned sl = h->traffic->spec.sl;

	count_add(p, COUNT_XMIT_DATA, out * PACKET_WORDS);
	count_add(p, COUNT_XMIT_PKTS, out);
	count_add(p, COUNT_UC_XMIT_PKTS, out);
	count_sl(p, true, sl, out * PACKET_WORDS);
	count_add(p, COUNT_RCV_DATA, in * PACKET_WORDS);
	count_add(p, COUNT_RCV_PKTS, in);
	count_add(p, COUNT_UC_RCV_PKTS, in);
	count_sl(p, false, sl, in * PACKET_WORDS);
	count_op(p, OP_RC_SEND, vl_out(h, p, sl), in, in * PACKET_WORDS);
}

static void
count_marks(struct hw *h, struct hw_port *p, uint64_t marked, uint64_t fecn, uint64_t becn)
{
	unsigned sl = h->traffic->spec.sl;
	uint64_t events = marked + becn;

	count_add(p, COUNT_VL_CONG + vl_out(h, p, sl), marked);
	count_add(p, COUNT_RCV_FECN, fecn);
	count_add(p, COUNT_SL_FECN + sl, fecn);
	count_add(p, COUNT_RCV_BECN, becn);
	count_add(p, COUNT_SL_BECN + sl, becn);
	if (events) {
		struct hw_cc *cc = congestion_of(hw_agent_port(h, p->node, p->num));

		cc->events = (uint16_t)(cc->events + events < UINT16_MAX ? cc->events + events :
			UINT16_MAX);
	}
}

static void
count_port(struct hw *h, struct hw_port *p, int64_t to_us)
{
	const struct hw_traffic_state *t = h->traffic;
	uint32_t i = hw_port_index(h, p);
	struct load *l;
	int64_t from;

	if (i >= t->nloads)
		return;
	l = &t->loads[i];
	from = l->upto_us;
	if (to_us > t->until_us)
		to_us = t->until_us;
	if (to_us <= from)
		return;
	l->upto_us = to_us;
#define N(rate, unit) words_passed(t, l->rate, from, to_us, unit)
	count_data(h, p, N(xmit, PACKET_WORDS), N(rcv, PACKET_WORDS));
	count_add(p, COUNT_XMIT_WAIT, N(wait, 1));
	count_add(p, COUNT_VL_WAIT + vl_out(h, p, t->spec.sl), N(wait, 1));
	count_add(p, COUNT_TIME_CONG, N(full, 1));
	count_add(p, COUNT_VL_TIME_CONG + vl_out(h, p, t->spec.sl), N(full, 1));
	count_add(p, COUNT_INACTIVE, N(inactive, PACKET_WORDS));
	count_add(p, COUNT_DLID_MAPPING, N(unrouted, PACKET_WORDS));
	count_add(p, COUNT_SW_LIFE, N(looping, PACKET_WORDS));
	count_marks(h, p, N(marked, PACKET_WORDS), N(fecn, PACKET_WORDS), N(becn, PACKET_WORDS));
#undef N
}

/* ---- finding the rates ---- */

static void
look_at_hosts(const struct hw *h, struct hw_traffic_state *t)
{
	for (uint32_t i = 0; i < t->nhosts; i++) {
		struct rates_host *x = &t->hosts[i];
		const struct hw_port *p = &h->ports[x->port];
		uint16_t lid = hw_lid(p);
		double cap = (double)rates_capacity(p);

		if (lid)
			x->lid = lid;
		x->rate = t->spec.rate_mbps ? (double)t->spec.rate_mbps * 31250 :
			cap * t->spec.share_ppm / 1e6;
		if (x->rate > cap)
			x->rate = cap;
		if (h->links[x->port].node == HW_NOWHERE ||
		    h->links[x->port].state != PORT_STATE_ACTIVE)
			x->rate = 0;
	}
}

static uint64_t
rounded(double v)
{
	return (uint64_t)(v + 0.5);
}

static struct load
load_of(const struct hw *h, const struct rates_port *all, uint32_t i, int64_t since_us)
{
	const struct rates_port *r = &all[i];
	const struct hw_link *l = &h->links[i];
	struct load x = { .xmit = rounded(r->carried), .inactive = rounded(r->inactive),
		.unrouted = rounded(r->unrouted),
		.looping = rounded(r->looping), .marked = rounded(r->marked),
		.fecn = rounded(r->fecn),
		.becn = rounded(r->becn), .upto_us = since_us };

	if (l->node != HW_NOWHERE)
		x.rcv = rounded(all[h->nodes[l->node].first_port + l->port].carried);
	if (r->offered > r->carried * 1.000001)
		x.wait = rounded(r->capacity * (1 - r->carried / r->offered));
	if (r->offered > r->capacity)
		x.full = (uint64_t)r->capacity;
	return x;
}

static void
find_rates(struct hw *h, int64_t at_us)
{
	struct hw_traffic_state *t = h->traffic;
	struct rates_ask a = { .spec = &t->spec, .hosts = t->hosts, .nhosts = t->nhosts,
		.hot = t->hot, .now = { at_us } };
	struct rates_port *found = xcalloc(h->nports, sizeof(*found));

	for (uint32_t i = 0; i < t->nloads; i++)
		if (h->nodes[h->ports[i].node].powered)
			count_port(h, &h->ports[i], at_us);
	t->since_us = at_us;
	t->dirty = false;
	look_at_hosts(h, t);
	for (uint32_t i = 0; i < h->nports; i++)
		found[i].capacity = (double)rates_capacity(&h->ports[i]);
	if (at_us < t->until_us)
		rates_find(h, &a, found);
	if (t->nloads < h->nports)
		t->loads = xreallocarray(t->loads, h->nports, sizeof(*t->loads));
	t->nloads = h->nports;
	for (uint32_t i = 0; i < h->nports; i++)
		t->loads[i] = load_of(h, found, i, at_us);
	free(found);
}

void
traffic_touch(struct hw *h, struct monotime now)
{
	struct hw_traffic_state *t = h->traffic;

	if (!t || t->dirty)
		return;
	t->dirty = true;
	t->dirty_us = now.us > t->latest_us ? now.us : t->latest_us;
}

void
traffic_change(struct hw *h, struct monotime now)
{
	struct hw_traffic_state *t = h->traffic;

	if (t && t->dirty && t->dirty_us < now.us)
		find_rates(h, t->dirty_us);
	traffic_touch(h, now);
}

void
traffic_settle(struct hw *h, struct monotime now)
{
	struct hw_traffic_state *t = h->traffic;

	if (!t)
		return;
	if (t->dirty)
		find_rates(h, t->dirty_us);
	if (now.us > t->latest_us)
		t->latest_us = now.us;
}

void
traffic_count(struct hw *h, struct hw_port *p, struct monotime now)
{
	if (!h->traffic)
		return;
	traffic_settle(h, now);
	count_port(h, p, now.us);
}

/* ---- start and stop ---- */

static int
by_guid(const void *a, const void *b)
{
	uint64_t x = ((const struct rates_host *)a)->guid, y = ((const struct rates_host *)b)->guid;

	return x < y ? -1 : x > y;
}

static void
find_hosts(const struct hw *h, struct hw_traffic_state *t)
{
	t->hosts = xcalloc(h->nports, sizeof(*t->hosts));
	for (uint32_t i = 0; i < h->nports; i++)
		if (h->nodes[h->ports[i].node].type != TOPO_SWITCH && h->cables[i] != HW_NOWHERE)
			t->hosts[t->nhosts++] = (struct rates_host){ .port = i,
				.guid = h->ports[i].guid };
	qsort(t->hosts, t->nhosts, sizeof(*t->hosts), by_guid);
}

/* One cycle through all hosts, so that no host sends to itself (Sattolo's shuffle). */
static void
permute(struct hw_traffic_state *t)
{
	uint64_t state = t->spec.seed;

	for (uint32_t i = 0; i < t->nhosts; i++)
		t->hosts[i].from = i;
	for (uint32_t i = t->nhosts; i-- > 1; ) {
		uint32_t k, swap = t->hosts[i].from;

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		k = (uint32_t)((state >> 33) % i);
		t->hosts[i].from = t->hosts[k].from;
		t->hosts[k].from = swap;
	}
}

static void
state_free(struct hw_traffic_state *t)
{
	if (!t)
		return;
	free(t->hosts);
	free(t->loads);
	free(t);
}

void
traffic_free(struct hw *h)
{
	state_free(h->traffic);
	h->traffic = NULL;
}

void
hw_traffic_stop(struct hw *h, struct monotime now)
{
	if (!h->traffic)
		return;
	traffic_settle(h, now);
	for (uint32_t i = 0; i < h->nports; i++)
		if (h->nodes[h->ports[i].node].powered)
			count_port(h, &h->ports[i], now.us);
	traffic_free(h);
}

int
hw_traffic_start(struct hw *h, const struct hw_traffic *spec, struct monotime now)
{
	struct hw_traffic_state *t = xcalloc(1, sizeof(*t));
	uint32_t hot = spec->hot_node < h->nnodes &&
		spec->hot_port <= h->nodes[spec->hot_node].nports ?
		h->nodes[spec->hot_node].first_port + spec->hot_port : HW_NOWHERE;
	int r = 0;

	t->spec = *spec;
	t->spec.sl &= 15;
	t->hot = HW_NOWHERE;
	find_hosts(h, t);
	for (uint32_t i = 0; i < t->nhosts; i++)
		if (t->hosts[i].port == hot)
			t->hot = i;
	if (t->nhosts < 2)
		r = -EINVAL;
	else if (spec->kind == HW_TRAFFIC_HOTSPOT && t->hot == HW_NOWHERE)
		r = -ENOENT;
	if (r) {
		state_free(t);
		return r;
	}
	permute(t);
	hw_traffic_stop(h, now);
	h->traffic = t;
	t->since_us = t->latest_us = now.us;
	t->until_us = spec->lasts_us ? monotime_add_us(now, spec->lasts_us).us : INT64_MAX;
	t->dirty = true;
	t->dirty_us = now.us;
	return 0;
}

void
hw_traffic_view(struct hw *h, struct monotime now, struct hw_traffic_view *v)
{
	const struct hw_traffic_state *t = h->traffic;
	uint64_t carried = 0;
	double offered = 0;

	*v = (struct hw_traffic_view){ .on = t && now.us < t->until_us };
	if (!t)
		return;
	traffic_settle(h, now);
	v->spec = t->spec;
	v->hosts = t->nhosts;
	for (uint32_t i = 0; v->on && i < t->nhosts; i++)
		if (t->spec.kind != HW_TRAFFIC_HOTSPOT || i != t->hot) {
			offered += t->hosts[i].rate;
			carried += t->loads[t->hosts[i].port].xmit;
		}
	v->offered_mbps = rounded(offered / 31250);
	v->carried_mbps = (carried + 15625) / 31250;
	for (uint32_t i = 0; v->on && i < t->nloads; i++)
		v->full += t->loads[i].full > 0;
}
