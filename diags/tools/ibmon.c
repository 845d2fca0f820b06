/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibmon.c - samples all counters at an interval, for programs that store them.
 * Room: diags/tools. Counters are written as read and never reset; the receiver computes the rates.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/progress.h"
#include "diags/core/repeat.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/perf/pma.h"
#include "diags/perf/rates.h"
#include "diags/tools/ibmon.h"
#include "util/xalloc.h"

enum { OPT_REDISCOVER = DIAG_LONG };

struct ibmon {
	int64_t interval_us, rediscover_us;
	unsigned count;                 /* 0: no limit */
	const char *output;
};

static void
state_init(void *state)
{
	*(struct ibmon *)state = (struct ibmon){ .interval_us = 60000000,
		.rediscover_us = 300000000 };
}

/* The fabric as last discovered. */
struct watched {
	struct diag_fabric f;
	struct selection *only;
	struct rates *r;
	int64_t found_us;
};

static int
option(struct diag *d, int id, const char *value)
{
	struct ibmon *want = diag_state(d);
	uint64_t n;

	switch (id) {
	case 'i':
		return repeat_interval(d, value, &want->interval_us);
	case 'n':
		if (!diag_number(value, 1000000000, &n) || !n)
			return diag_usage(d, "'%s' is no number of samples", value);
		want->count = (unsigned)n;
		return 0;
	case 'w':
		want->output = value;
		return 0;
	case OPT_REDISCOVER:
		want->rediscover_us = 0;
		return strcmp(value, "0") ? repeat_interval(d, value, &want->rediscover_us) : 0;
	}
	return -ENOENT;
}

static void
forget(struct watched *w)
{
	if (!w)
		return;
	rates_free(w->r);
	select_free(w->only);
	diag_fabric_clear(&w->f);
	free(w);
}

/* Discovers the fabric. If that fails, the known fabric '*w' stays in use. */
static int
fabric_find(struct diag *d, struct watched **w)
{
	struct watched *to = xcalloc(1, sizeof(*to));
	int r = diag_fabric(d, 0, &to->f);

	if (!r)
		r = diag_selection(d, &to->f, &to->only);
	to->found_us = diag_now_us();
	if (r) {
		forget(to);
		if (*w)
			(*w)->found_us = diag_now_us();
		return r;
	}
	to->r = rates_new(d, &to->f, to->only);
	forget(*w);
	*w = to;
	return 0;
}

/* ---- documents ---- */

static json_t *
day_time(const struct timespec *t)
{
	struct tm tm;
	char text[32], whole[40];

	gmtime_r(&t->tv_sec, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(whole, sizeof(whole), "%s.%03ldZ", text, t->tv_nsec / 1000000 % 1000);
	return json_string(whole);
}

static json_t *
port_json(struct diag *d, const struct mon_sample *s, uint32_t port)
{
	const struct fab_port *p = &s->f->s->ports[port];
	const struct rates_reading *now = rates_now(s->r, port);
	json_t *o = json_object(), *counters = json_object();

	for (enum pma_counter c = 0; c < RATES_COUNTERS; c++) {
		struct pma_value v = rates_value(now, c);

		json_object_set_new(counters, pma_counter_name(c), pma_json_value(c, &v));
	}
	json_object_set_new(o, "sample", json_integer(s->number));
	json_object_set_new(o, "local", fab_json_end(d, s->f, p));
	json_object_set_new(o, "peer", fab_json_end(d, s->f, fab_peer_of(s->f, p)));
	json_object_set_new(o, "status", json_string(now->status));
	json_object_set_new(o, "counters", counters);
	return o;
}

static void
document(struct diag *d, const struct mon_sample *s)
{
	struct ibmon *want = diag_state(d);
	json_t *o = json_object();

	json_object_set_new(o, "sample", json_integer(s->number));
	json_object_set_new(o, "time", day_time(&s->began));
	json_object_set_new(o, "late_s", json_real(s->late_s));
	json_object_set_new(o, "sample_s", json_real(s->took_s));
	json_object_set_new(o, "missed", json_integer((json_int_t)s->missed));
	json_object_set_new(o, "ports_asked", json_integer(s->ports));
	json_object_set_new(o, "ports_unanswered", json_integer(s->unanswered));
	json_object_set_new(o, "fabric_unanswered", json_integer(s->f->s->nproblems));
	json_object_set_new(o, "incomplete", json_boolean(s->unanswered || s->f->s->nproblems));
	json_object_set_new(o, "errors", want->count == 1 ? json_array() : diag_errors_take(d));
	fab_summary(d, s->f);
	json_object_set_new(diag_summary(d), "samples", json_integer(s->number));
	for (uint32_t i = 0; i < s->f->s->nports; i++)
		if (rates_now(s->r, i))
			diag_row(d, "ports", port_json(d, s, i));
	diag_row(d, "samples", o);
	fflush(stdout);
}

/* ---- the loop ---- */

static int
deliver(struct diag *d, const struct mon_sample *s)
{
	struct ibmon *want = diag_state(d);
	const char *to = want->output ? want->output : "the output";
	int e = 0;

	if (!diag_is_text(d))
		document(d, s);
	else
		json_decref(diag_errors_take(d));       /* they were printed when they occurred */
	if (want->output)
		e = mon_metrics_file(d, s, want->output);
	else if (diag_is_text(d))
		e = mon_metrics(d, s, stdout);
	return e ? diag_fail(d, EXIT_FATAL, "io", "cannot write %s: %s", to, strerror(e)) : 0;
}

static int
sample(struct diag *d, const struct watched *w, struct mon_sample *s, int64_t due_us)
{
	int64_t begin = diag_now_us();

	s->f = &w->f;
	s->r = w->r;
	s->number++;
	s->late_s = begin > due_us ? (double)(begin - due_us) / 1e6 : 0;
	clock_gettime(CLOCK_REALTIME, &s->began);
	if (rates_sample(w->r))
		return EXIT_FATAL;
	s->took_s = (double)(diag_now_us() - begin) / 1e6;
	rates_count(w->r, &s->ports, &s->unanswered);
	return deliver(d, s);
}

static int
fabric_watch(struct diag *d, struct watched **at)
{
	struct ibmon *want = diag_state(d);
	struct mon_sample s = { 0 };
	int64_t due = diag_now_us(), next;
	int r = 0;

	while (!r && !repeat_stopped()) {
		r = sample(d, *at, &s, due);
		if (r || s.number == want->count)
			break;
		/* from the second sample on, repeated warnings are not printed */
		diag_hush(d, true);
		if (want->rediscover_us && diag_now_us() - (*at)->found_us >= want->rediscover_us)
			fabric_find(d, at);
		next = repeat_next(due, want->interval_us);
		s.missed = (uint64_t)((next - due) / want->interval_us - 1);
		due = next;
		repeat_wait(due, -1);
	}
	diag_hush(d, false);
	return r;
}

static int
ibmon_run(struct diag *d, int argc, char **argv)
{
	struct ibmon *want = diag_state(d);
	enum diag_format format = diag_settings(d)->format;
	struct watched *w = NULL;
	int r;

	if (argc)
		return diag_usage(d, "'%s': ibmon has no operands; --select says which ports",
			argv[0]);
	if (diag_settings(d)->load)
		return diag_fail(d, EXIT_USAGE, "usage",
			"a file does not count: --load is not for ibmon");
	if (format == DIAG_JSON || format == DIAG_CSV) {
		if (want->count > 1)
			return diag_fail(d, EXIT_USAGE, "usage",
				"a document has one sample: --ndjson for more");
		want->count = 1;
	}
	r = fabric_find(d, &w);
	if (!r) {
		repeat_catch_signals();
		r = fabric_watch(d, &w);
	}
	forget(w);
	return r;
}

static const struct diag_option options[] = {
	{ 'i', "interval", "<s>", "seconds between samples (default 60)" },
	{ 'n', "count", "<n>", "number of samples, then exit" },
	{ 'w', "write", "<file>", "replace this file by the OpenMetrics text of each sample" },
	{ OPT_REDISCOVER, "rediscover", "<s>",
		"seconds between sweeps of the fabric (default 300; 0: never)" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"-n 1\t\t\t\t\t# one sample as OpenMetrics",
	"-w /var/lib/prometheus/node-exporter/ib.prom\t# for node_exporter's textfile collector",
	"-i 10 --ndjson --select type:sw\t\t# the ports of switches as a stream", NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibmon", .operands = "", .about =
		"samples the counters of all ports at an interval, as OpenMetrics or JSON",
	.examples = examples,
	.masked = "DGKL", .options = options, .flags = DIAG_FABRIC, .rows = "ports",
	.option = option, .run = ibmon_run,
	.state_bytes = sizeof(struct ibmon), .init = state_init,
};
