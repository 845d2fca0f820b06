/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rates.c - samples of all counters, and the rates between two of them.
 * Room: diags/perf. diags/perf/pma.h reads the counters.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/query.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/gmp.h"
#include "diags/fabric/select.h"
#include "diags/perf/pma.h"
#include "diags/perf/rates.h"
#include "util/xalloc.h"

#define WORD_BITS 32            /* unit of PortXmitData and PortRcvData */

struct rates {
	struct diag *d;
	const struct diag_fabric *f;
	const struct selection *only;
	struct pma *pma;
	struct rates_reading *now, *before;     /* by slot: one for each port that is read */
	uint32_t *slot;                 /* by port index: its slot; FAB_NONE: not read */
	uint32_t nslots;
	unsigned samples;
};

struct rates *
rates_new(struct diag *d, const struct diag_fabric *f, const struct selection *only)
{
	struct rates *r = xcalloc(1, sizeof(*r));

	*r = (struct rates){ .d = d, .f = f, .only = only, .pma = pma_new(d, f) };
	r->slot = xcalloc(f->s->nports + 1u, sizeof(*r->slot));
	for (uint32_t i = 0; i < f->s->nports; i++) {
		const struct fab_port *p = &f->s->ports[i];

		r->slot[i] = gmp_can_ask(f, p) && select_port(only, p) ? r->nslots++ : FAB_NONE;
	}
	r->now = xcalloc(r->nslots + 1u, sizeof(*r->now));
	r->before = xcalloc(r->nslots + 1u, sizeof(*r->before));
	return r;
}

void
rates_free(struct rates *r)
{
	if (!r)
		return;
	pma_free(r->pma);
	free(r->slot);
	free(r->now);
	free(r->before);
	free(r);
}

void
rates_carry(struct rates *to, const struct rates *from)
{
	for (uint32_t i = 0; i < to->f->s->nports; i++) {
		const struct fab_port *p = &to->f->s->ports[i];
		uint32_t n = to->slot[i] == FAB_NONE ? FAB_NONE : snapshot_node_by_guid(from->f->s,
			fab_node_of(to->f, p)->guid), old;

		if (n == FAB_NONE || p->num > from->f->s->nodes[n].nports)
			continue;
		old = from->slot[from->f->s->nodes[n].first_port + p->num];
		if (old != FAB_NONE)
			to->now[to->slot[i]] = from->now[old];
	}
	to->samples = from->samples;
}

static void
on_port_counters(struct diag *d, void *arg, const struct pma_port *p)
{
	struct rates *r = arg;
	struct rates_reading *to;

	(void)d;
	if (r->slot[p->port] == FAB_NONE)
		return;
	to = &r->now[r->slot[p->port]];
	to->at_us = p->at_us;
	to->ok = p->end == DIAG_OK;
	to->status = pma_status_word(p);
	for (enum pma_counter c = 0; c < RATES_COUNTERS; c++) {
		struct pma_value v = pma_value(p, c);

		to->value[c] = v.value;
		to->attr_id[c] = v.attr_id;
		to->width[c] = v.supported ? v.width : 0;
	}
}

int
rates_sample(struct rates *r)
{
	struct rates_reading *old = r->before;
	struct pma_sweep what = { .wants = PMA_WANT_ERRORS | PMA_WANT_DATA, .only = r->only };

	r->before = r->now;
	r->now = old;
	memset(r->now, 0, (r->nslots + 1u) * sizeof(*r->now));
	for (uint32_t i = 0; i < r->nslots; i++)
		r->now[i].status = "skipped";
	r->samples++;
	return pma_sweep(r->pma, &what, on_port_counters, r);
}

unsigned
rates_samples(const struct rates *r)
{
	return r->samples;
}

const struct rates_reading *
rates_now(const struct rates *r, uint32_t port)
{
	return r->slot[port] == FAB_NONE ? NULL : &r->now[r->slot[port]];
}

struct pma_value
rates_value(const struct rates_reading *now, enum pma_counter c)
{
	unsigned width = now->width[c];

	return (struct pma_value){
		.value = now->value[c], .width = (uint8_t)width, .attr_id = now->attr_id[c],
		.supported = width,
		.saturated = width && now->value[c] == UINT64_MAX >> (64 - width),
	};
}

int64_t
rates_interval_us(const struct rates *r, uint32_t port)
{
	uint32_t i = r->slot[port];

	if (i == FAB_NONE || !r->now[i].at_us || !r->before[i].at_us)
		return 0;
	return r->now[i].at_us - r->before[i].at_us;
}

struct rates_delta
rates_delta(const struct pma_value *before, const struct pma_value *now)
{
	struct rates_delta r = { RATES_NONE, 0 };

	if (!before->supported || !now->supported || before->width != now->width ||
	    before->attr_id != now->attr_id)
		return r;
	if (now->width < 64 && now->saturated)
		r.why = RATES_SATURATED;
	else if (now->value < before->value)
		r.why = RATES_RESET;
	else
		r = (struct rates_delta){ RATES_OK, now->value - before->value };
	return r;
}

struct rates_delta
rates_counter(const struct rates *r, uint32_t port, enum pma_counter c)
{
	uint32_t i = r->slot[port];
	struct pma_value before, now;

	if (i == FAB_NONE)
		return (struct rates_delta){ RATES_NONE, 0 };
	before = rates_value(&r->before[i], c);
	now = rates_value(&r->now[i], c);
	return rates_delta(&before, &now);
}

void
rates_count(const struct rates *r, uint32_t *ports, uint32_t *unanswered)
{
	*ports = r->nslots;
	*unanswered = 0;
	for (uint32_t i = 0; i < r->nslots; i++)
		*unanswered += !r->now[i].ok;
}

/* ---- rates ---- */

double
rates_capacity(const struct fab_link *l)
{
	double lane = fab_lane_gbps(l) * 1e9;
	unsigned lanes = fab_lanes(l->width);

	if (lane <= 0 || !lanes)
		return -1;
	if (lane <= 10e9)               /* SDR, DDR, QDR: 8b/10b coding */
		lane *= 0.8;
	else if (lane < 30e9)           /* FDR10, FDR, EDR: 64b/66b coding */
		lane *= 64.0 / 66;
	else                            /* HDR and later: 256b/257b coding and error correction */
		lane *= 256.0 / 257 * 514 / 544;
	return lane * lanes;
}

/* Returns the increase per second, or -1. */
static double
counter_rate(const struct rates *r, uint32_t port, enum pma_counter c, double seconds)
{
	struct rates_delta x = rates_counter(r, port, c);

	return x.why == RATES_OK ? (double)x.delta / seconds : -1;
}

static double
rate_scale(double rate, double factor)
{
	return rate < 0 ? -1 : rate * factor;
}

static void
add_errors(const struct rates *r, struct rates_port *o)
{
	const struct rates_reading *now = rates_now(r, o->port);
	double most = 0, e;

	o->worst = PMA_NCOUNTERS;
	o->errors_per_s = -1;
	for (enum pma_counter c = 0; c < RATES_COUNTERS; c++) {
		struct pma_value v = rates_value(now, c);
		struct rates_delta x = rates_counter(r, o->port, c);

		o->reset |= x.why == RATES_RESET;
		if (pma_counter_kind(c) != PMA_ERROR)
			continue;
		o->saturated |= v.supported && v.width < 64 && v.saturated;
		if (x.why != RATES_OK)
			continue;
		e = (double)x.delta / o->interval_s;
		o->errors_per_s = (o->errors_per_s < 0 ? 0 : o->errors_per_s) + e;
		if (e > most) {
			most = e;
			o->worst = c;
		}
	}
}

bool
rates_port(const struct rates *r, uint32_t port, struct rates_port *out)
{
	int64_t us = rates_interval_us(r, port);
	struct fab_link l = fab_link_of(r->f, &r->f->s->ports[port]);
	struct rates_delta wait, data;

	*out = (struct rates_port){ .port = port, .worst = PMA_NCOUNTERS };
	if (us <= 0)
		return false;
	out->interval_s = (double)us / 1e6;
	out->xmit_bps = rate_scale(counter_rate(r, port, PMA_XMIT_DATA, out->interval_s),
		WORD_BITS);
	out->rcv_bps = rate_scale(counter_rate(r, port, PMA_RCV_DATA, out->interval_s), WORD_BITS);
	out->xmit_pps = counter_rate(r, port, PMA_XMIT_PKTS, out->interval_s);
	out->rcv_pps = counter_rate(r, port, PMA_RCV_PKTS, out->interval_s);
	out->capacity_bps = rates_capacity(&l);
	out->busy = out->xmit_bps < 0 || out->capacity_bps <= 0 ? -1 :
		out->xmit_bps / out->capacity_bps;
	wait = rates_counter(r, port, PMA_XMIT_WAIT);
	data = rates_counter(r, port, PMA_XMIT_DATA);
	out->wait = -1;
	if (wait.why == RATES_OK && data.why == RATES_OK)
		out->wait = wait.delta ? (double)wait.delta / ((double)wait.delta +
			(double)data.delta) : 0;
	add_errors(r, out);
	return true;
}
