/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * counters.c - reports errors that occur during the run, from two samples of the counters; counters
 * are never reset.
 * Room: diags/check. The other checks run between the samples. The verdict depends on the number of
 * events per hour, because the age of a total is unknown. A capture has only one sample; its totals
 * are reported as information.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "diags/ask/query.h"
#include "diags/check/check.h"
#include "diags/core/addr.h"
#include "diags/core/progress.h"
#include "diags/core/settings.h"
#include "diags/core/signals.h"
#include "diags/fabric/fabric.h"
#include "diags/perf/pma.h"
#include "util/xalloc.h"

#define HOUR_US (INT64_C(3600) * 1000 * 1000)
#define SLICE_US (100 * 1000)
/* Threshold for congestion: the share of PortXmitWait in the sum of waiting and sending. */
#define WAIT_SHARE 0.3

static const struct watched {
	enum pma_counter counter;
	const char *code;
	enum check_severity severity;
	/* allowed events per hour; -1: checked only if the file of thresholds has it */
	int64_t per_hour;
} watched[] = {
	{ PMA_LINK_DOWNED, "link_flaps", CHECK_ERROR, 0 },
	{ PMA_LINK_ERROR_RECOVERY, "link_recoveries", CHECK_WARNING, 0 },
	{ PMA_LOCAL_LINK_INTEGRITY, "link_integrity_errors", CHECK_ERROR, 0 },
	{ PMA_BUFFER_OVERRUN, "buffer_overruns", CHECK_ERROR, 0 },
	{ PMA_SYMBOL_ERROR, "symbol_errors", CHECK_WARNING, 10 },
	{ PMA_RCV_ERRORS, "receive_errors", CHECK_WARNING, 10 },
	{ PMA_RCV_REMOTE_PHYSICAL, "remote_errors", CHECK_WARNING, 100 },
	{ PMA_XMIT_DISCARDS, "discards", CHECK_WARNING, 100 },
	{ PMA_XMIT_CONSTRAINT, "constraint_errors_out", CHECK_WARNING, 10 },
	{ PMA_RCV_CONSTRAINT, "constraint_errors_in", CHECK_WARNING, 10 },
	{ PMA_QP1_DROPPED, "qp1_drops", CHECK_WARNING, 100 },
	{ PMA_VL15_DROPPED, "vl15_drops", CHECK_WARNING, 100 },
	{ PMA_RCV_SWITCH_RELAY, "switch_relay_errors", CHECK_WARNING, -1 },
};
#define NWATCHED (sizeof(watched) / sizeof(watched[0]))

struct sample {
	int64_t at_us;                  /* 0: no answer */
	uint64_t value[NWATCHED], wait, data;
	uint8_t supported[NWATCHED], saturated[NWATCHED];
};

struct counters_run {
	struct pma_thresholds thresholds;
	struct pma *pma;
	struct sample *then, *now;      /* by port index */
	unsigned asked, failed;
};

struct taking {
	struct counters_run *r;
	struct sample *into;
};

static void
on_port_counters(struct diag *d, void *arg, const struct pma_port *p)
{
	struct taking *t = arg;
	struct sample *s = &t->into[p->port];

	(void)d;
	t->r->asked++;
	if (p->end != DIAG_OK || !p->at_us) {
		t->r->failed++;
		return;
	}
	s->at_us = p->at_us;
	for (size_t i = 0; i < NWATCHED; i++) {
		struct pma_value v = pma_value(p, watched[i].counter);

		s->value[i] = v.value;
		s->supported[i] = v.supported;
		s->saturated[i] = v.saturated;
	}
	s->wait = pma_value(p, PMA_XMIT_WAIT).value;
	s->data = pma_value(p, PMA_XMIT_DATA).value;
}

static void
counters_read(struct check_run *c, struct sample *into)
{
	struct taking t = { c->counters, into };
	const struct pma_sweep what = { .wants = PMA_WANT_COUNTERS | PMA_WANT_EXT,
		.only = c->selection };

	c->counters->asked = c->counters->failed = 0;
	diag_progress(c->d, "reading the counters");
	pma_sweep(c->counters->pma, &what, on_port_counters, &t);
}

int
check_counters_conf(struct check_run *c)
{
	c->counters = xcalloc(1, sizeof(*c->counters));
	return c->opt->thresholds ? pma_thresholds_read(c->d, c->opt->thresholds,
		&c->counters->thresholds) : 0;
}

/* Reports whether a capture has counters at all. */
static bool
has_counters(struct check_run *c)
{
	const struct snapshot *s = c->f.s;
	struct diag_reply r;

	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct diag_addr to = diag_addr_lid(fab_lid(&c->f, p));
		struct diag_request q = {
			.to = &to, .mgmt_class = CLASS_PM, .attr_id = ATTR_CLASS_PORT_INFO,
			.quiet = true,
		};
		int e;

		if (!to.lid)
			continue;
		e = diag_query(c->d, &q, &r);
		diag_reply_clear(&r);
		if (!e)
			return true;
	}
	return false;
}

static void
counters_begin(struct check_run *c)
{
	if (diag_settings(c->d)->load && !has_counters(c))
		return;
	c->counters->then = xcalloc(c->f.s->nports + 1u, sizeof(*c->counters->then));
	c->counters->now = xcalloc(c->f.s->nports + 1u, sizeof(*c->counters->now));
	c->counters->pma = pma_new(c->d, &c->f);
	counters_read(c, c->counters->then);
}

/* Waits until the interval since the first sample has passed. */
static void
interval_wait(struct check_run *c, int64_t since_us)
{
	int64_t left;

	while ((left = since_us + c->opt->interval_us - diag_now_us()) > 0 && !diag_interrupted()) {
		int64_t nap = left < SLICE_US ? left : SLICE_US;

		diag_progress(c->d, "watching the counters, %.0f more seconds", (double)left / 1e6);
		nanosleep(&(struct timespec){ .tv_nsec = nap * 1000 }, NULL);
	}
}

static void
port_check(struct check_run *c, const struct pma_thresholds *t, uint32_t port)
{
	const struct sample *a = &c->counters->then[port], *b = &c->counters->now[port];
	const struct fab_port *p = &c->f.s->ports[port];
	double hours = (double)(b->at_us - a->at_us) / (double)HOUR_US;
	char name[CHECK_NAME_BYTES];

	check_name(c, p, name);
	for (size_t i = 0; i < NWATCHED; i++) {
		const struct watched *w = &watched[i];
		double most = t->set[w->counter] ? (double)t->max[w->counter] : (double)w->per_hour;
		uint64_t more = b->value[i] > a->value[i] ? b->value[i] - a->value[i] : 0;
		struct check_about about = { .a = p, .b = fab_peer_of(&c->f, p) };

		if (!a->supported[i] || !b->supported[i] || most < 0)
			continue;
		if (b->saturated[i]) {
			about.value = json_integer((json_int_t)b->value[i]);
			check_find(c, CHECK_INFO, "counter_full", &about,
				"%s: %s has reached its maximum %" PRIu64
				" and stopped counting; perfquery -R clears it", name,
				pma_counter_name(w->counter), b->value[i]);
			continue;
		}
		if (!more || hours <= 0 || (double)more / hours <= most)
			continue;
		about.value = json_real((double)more / hours);
		about.expected = json_real(most);
		check_find(c, w->severity, w->code, &about, "%s: %s + %" PRIu64
			" in %.1f s (%.0f per hour, %.0f are allowed)", name,
			pma_counter_name(w->counter), more, hours * 3600, (double)more / hours,
			most);
	}
	if (b->wait > a->wait && b->data >= a->data) {
		double share = (double)(b->wait - a->wait) / (double)(b->wait - a->wait +
			b->data - a->data);

		if (share > WAIT_SHARE)
			check_find(c, CHECK_INFO, "congested", &(struct check_about){ .a = p,
				.b = fab_peer_of(&c->f, p), .value = json_real(share),
				.expected = json_real(WAIT_SHARE) },
				"%s waits for credits during %.0f %% of its sending time", name,
				share * 100);
	}
}

/* Reports the totals of a port as information, since the time of the last reset is unknown. */
static void
totals_check(struct check_run *c, uint32_t port)
{
	const struct sample *s = &c->counters->then[port];
	const struct fab_port *p = &c->f.s->ports[port];
	char name[CHECK_NAME_BYTES], text[400] = "";
	uint64_t all = 0;
	size_t at = 0;

	for (size_t i = 0; i < NWATCHED && at < sizeof(text); i++) {
		if (!s->supported[i] || !s->value[i] || (watched[i].per_hour < 0 &&
		    !c->counters->thresholds.set[watched[i].counter]))
			continue;
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %" PRIu64 "%s",
			all ? ", " : "", pma_counter_name(watched[i].counter),
			s->value[i], s->saturated[i] ? " (at maximum)" : "");
		all += s->value[i];
	}
	if (all)
		check_find(c, CHECK_INFO, "errors_counted", &(struct check_about){ .a = p,
			.b = fab_peer_of(&c->f, p),
			.value = json_integer(all > INT64_MAX ? INT64_MAX : (json_int_t)all),
			.expected = json_integer(0) },
			"%s: counted since the last reset: %s", check_name(c, p, name), text);
}

static void
totals(struct check_run *c)
{
	struct counters_run *r = c->counters;
	unsigned n = 0;

	if (!r->then) {
		check_skipped(c, "the capture has no counters");
		return;
	}
	for (uint32_t i = 0; i < c->f.s->nports; i++)
		if (r->then[i].at_us) {
			n++;
			totals_check(c, i);
		}
	if (r->failed)
		check_partial(c, "%u of %u ports are not in the capture", r->failed, r->asked);
	else
		check_looked(c, "totals of %u ports: a capture has no rates", n);
}

static void
counters_check(struct check_run *c)
{
	struct counters_run *r = c->counters;
	int64_t first = 0, last = 0;
	unsigned n = 0;

	if (diag_settings(c->d)->load) {
		totals(c);
		return;
	}
	for (uint32_t i = 0; i < c->f.s->nports; i++)
		first = r->then[i].at_us > first ? r->then[i].at_us : first;
	interval_wait(c, first);
	counters_read(c, r->now);
	for (uint32_t i = 0; i < c->f.s->nports; i++) {
		if (!r->then[i].at_us || !r->now[i].at_us)
			continue;
		n++;
		last = r->now[i].at_us > last ? r->now[i].at_us : last;
		port_check(c, &r->thresholds, i);
	}
	if (r->failed)
		check_partial(c, "%u of %u ports returned no counters", r->failed, r->asked);
	else
		check_looked(c, "%u ports over %.1f s", n, n ? (double)(last - first) / 1e6 : 0);
}

void
check_counters_free(struct counters_run *r)
{
	if (!r)
		return;
	pma_free(r->pma);
	free(r->then);
	free(r->now);
	free(r);
}

const struct check check_counters = { .name = "counters",
	.about = "errors during the run, from two samples; congestion",
	.flags = CHECK_REGISTERS | CHECK_ASKS, .begin = counters_begin, .run = counters_check };
