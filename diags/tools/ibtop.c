/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtop.c - shows the busiest ports and the ports with problems, continuously.
 * Room: diags/tools. Counters are read at an interval and never reset; rates come from their
 * differences (diags/perf/rates.h).
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/progress.h"
#include "diags/core/repeat.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/perf/rates.h"
#include "diags/tools/ibtop.h"
#include "util/xalloc.h"

#define BUSY 0.8                /* utilization above which a port counts as busy */
#define WAITING 0.1             /* fraction of time above which a port counts as waiting */
#define HEAD_LINES 4            /* lines above the table, including the line of changes */
#define SLICE_US 100000         /* longest delay before a resized terminal is redrawn */
#define DISCOVER_SHARE 10       /* discovery may take at most a tenth of the time */
#define ROWS_PLAIN 20           /* number of ports without a terminal */

enum { OPT_ONCE = DIAG_LONG, OPT_TOP, OPT_REDISCOVER };

struct ibtop {
	int64_t interval_us, rediscover_us;
	unsigned count;                 /* 0: no limit */
	uint32_t top;                   /* 0: as many as fit */
	bool once;
	enum top_sort sort;
};

static void
state_init(void *state)
{
	*(struct ibtop *)state = (struct ibtop){ .interval_us = 2000000,
		.rediscover_us = 30000000 };
}

static int
set_sort(struct diag *d, const char *value)
{
	struct ibtop *want = diag_state(d);

	for (enum top_sort s = 0; s < TOP_NSORTS; s++)
		if (!strcmp(value, top_sort_word(s))) {
			want->sort = s;
			return 0;
		}
	return diag_usage(d, "cannot sort by '%s': busy, xmit, rcv, wait, errors or name", value);
}

static int
option(struct diag *d, int id, const char *value)
{
	struct ibtop *want = diag_state(d);
	uint64_t n;

	switch (id) {
	case 'i': return repeat_interval(d, value, &want->interval_us);
	case 's': return set_sort(d, value);
	case OPT_REDISCOVER:
		want->rediscover_us = 0;
		return strcmp(value, "0") ? repeat_interval(d, value, &want->rediscover_us) : 0;
	case OPT_ONCE: want->once = true; return 0;
	case 'n':
	case OPT_TOP:
		if (!diag_number(value, 1000000, &n) || !n)
			return diag_usage(d, "'%s' is no number from 1 to 1000000", value);
		*(id == 'n' ? &want->count : &want->top) = (unsigned)n;
		return 0;
	}
	return -ENOENT;
}

/* ---- computing a view ---- */

static double
sort_key(const struct rates_port *p, enum top_sort sort)
{
	switch (sort) {
	case TOP_BUSY: return p->busy;
	case TOP_XMIT: return p->xmit_bps;
	case TOP_RCV: return p->rcv_bps;
	case TOP_WAIT: return p->wait;
	case TOP_ERRORS: return p->errors_per_s;
	case TOP_NAME:
	case TOP_NSORTS: break;
	}
	return 0;
}

static int
by_key(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;

	if (x->key > y->key || x->key < y->key)
		return x->key > y->key ? -1 : 1;
	return x->p.port < y->p.port ? -1 : x->p.port > y->p.port;
}

static int
by_name(const void *a, const void *b)
{
	const struct top_row *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : by_key(a, b);
}

static void
count_row(struct top_view *v, const struct rates_port *p)
{
	v->busy += p->busy > BUSY;
	v->waiting += p->wait > WAITING;
	v->wrong += p->errors_per_s > 0;
	v->saturated += p->saturated;
	if (!fab_is_switch(fab_node_of(v->f, &v->f->s->ports[p->port])) && p->xmit_bps >= 0)
		v->total_bps = (v->total_bps < 0 ? 0 : v->total_bps) + p->xmit_bps;
}

static void
view_fill(const struct ibtop *want, struct top_view *v, const struct top_fabric *at)
{
	v->nrows = v->busy = v->waiting = v->wrong = v->saturated = 0;
	v->total_bps = -1;
	v->f = &at->f;
	v->r = at->r;
	v->rows = at->rows;
	v->sort = want->sort;
	v->look++;
	rates_count(v->r, &v->ports, &v->unanswered);
	for (uint32_t i = 0; i < v->f->s->nports; i++) {
		struct top_row *row = &v->rows[v->nrows];

		if (!rates_port(v->r, i, &row->p))
			continue;
		row->name = at->names[v->f->s->ports[i].node];
		row->key = sort_key(&row->p, v->sort);
		count_row(v, &row->p);
		v->nrows++;
	}
	qsort(v->rows, v->nrows, sizeof(*v->rows), v->sort == TOP_NAME ? by_name : by_key);
}

/* ---- output ---- */

static void
view_show(struct diag *d, const struct top_view *v, bool ansi)
{
	struct ibtop *want = diag_state(d);
	struct top_screen s = { .ansi = ansi };
	uint32_t most = want->top;

	if (!diag_is_text(d)) {
		top_document(d, v, most ? most : UINT32_MAX);
		fflush(stdout);
		return;
	}
	screen_size(&s);
	if (!most)
		most = ROWS_PLAIN;
	if (ansi && s.lines) {          /* more lines would scroll the head away */
		uint32_t fits = s.lines > HEAD_LINES + 1 ? (uint32_t)(s.lines - HEAD_LINES - 1) : 1;

		most = !want->top || most > fits ? fits : most;
	}
	if (ansi)
		fputs("\033[H\033[J", stdout);
	else if (v->look > 1)
		putchar('\n');
	top_print(d, v, &s, most);
	if (ansi)
		fputs("keys: b)usy x)mit r)cv w)ait e)rrors n)ame d)iscover q)uit", stdout);
	fflush(stdout);
}

/* The action that a key requests. */
enum asked { ASKED_NOTHING, ASKED_SORT, ASKED_DISCOVER };

static enum asked
take_key(struct ibtop *want)
{
	static const char keys[TOP_NSORTS + 1] = "bxrwen";
	const char *k;
	char c;

	if (read(STDIN_FILENO, &c, 1) != 1 || c == 'q') {
		repeat_stop();
		return ASKED_NOTHING;
	}
	if (c == 'd')
		return ASKED_DISCOVER;
	k = c ? strchr(keys, c) : NULL;
	if (k)
		want->sort = (enum top_sort)(k - keys);
	return k ? ASKED_SORT : ASKED_NOTHING;
}

/* ---- the fabric ---- */

static void
fabric_forget(struct top_fabric *t)
{
	if (!t)
		return;
	for (uint32_t i = 0; t->names && i < t->f.s->nnodes; i++)
		free(t->names[i]);
	free(t->names);
	free(t->rows);
	rates_free(t->r);
	select_free(t->only);
	diag_fabric_clear(&t->f);
	free(t);
}

/* Discovers the fabric. If that fails, the known fabric '*at' stays in use. */
static int
fabric_find(struct diag *d, struct top_fabric **at)
{
	struct top_fabric *t = xcalloc(1, sizeof(*t));
	int64_t begin = diag_now_us();
	char name[DIAG_NAME_BYTES];
	int r = diag_fabric(d, 0, &t->f);

	if (!r)
		r = diag_selection(d, &t->f, &t->only);
	t->found_us = diag_now_us();
	t->took_us = t->found_us - begin;
	if (r) {
		if (*at) {
			(*at)->found_us = t->found_us;
			(*at)->took_us = t->took_us;
		}
		fabric_forget(t);
		return r;
	}
	t->r = rates_new(d, &t->f, t->only);
	t->rows = xcalloc(t->f.s->nports + 1u, sizeof(*t->rows));
	t->names = xcalloc(t->f.s->nnodes + 1u, sizeof(*t->names));
	for (uint32_t i = 0; i < t->f.s->nnodes; i++)
		t->names[i] = xstrdup(fab_name(d, &t->f.s->nodes[i], name));
	*at = t;
	return 0;
}

/* Reports signs of a changed fabric: a link went down, or the number of ports without an answer
 * changed. */
static bool
looks_changed(const struct top_fabric *t, uint32_t unanswered)
{
	uint32_t ports, now;

	rates_count(t->r, &ports, &now);
	if (now != unanswered)
		return true;
	for (uint32_t i = 0; i < t->f.s->nports; i++) {
		struct rates_delta x = rates_now(t->r, i) ? rates_counter(t->r, i,
			PMA_LINK_DOWNED) : (struct rates_delta){ .why = RATES_NONE };

		if (x.why == RATES_OK && x.delta)
			return true;
	}
	return false;
}

static void
find_again(struct diag *d, struct top_fabric **at, struct top_view *v)
{
	struct top_fabric *was = *at;

	if (fabric_find(d, at))
		return;
	rates_carry((*at)->r, was->r);
	top_changes(d, was, *at, v->look + 1, v->changes);
	fabric_forget(was);
}

/* ---- the loop ---- */

/* Waits until 'at_us'. Recomputes and shows the view when a key or a change of the terminal
 * requires it. Returns true if a key requested a new discovery. */
static bool
wait_for(struct diag *d, struct top_view *v, const struct top_fabric *t, int64_t at_us, bool ansi)
{
	struct ibtop *want = diag_state(d);
	bool discover = false;

	while (!repeat_stopped() && diag_now_us() < at_us) {
		int64_t slice = diag_now_us() + SLICE_US;
		enum asked asked = ASKED_NOTHING;

		if (repeat_wait(ansi && slice < at_us ? slice : at_us, ansi ? STDIN_FILENO : -1))
			asked = take_key(want);
		discover |= asked == ASKED_DISCOVER;
		if (ansi && (screen_changed() || asked == ASKED_SORT) && v->look) {
			v->look--;
			view_fill(want, v, t);
			view_show(d, v, ansi);
		}
	}
	return discover;
}

static int
fabric_watch(struct diag *d, struct top_view *v, struct top_fabric **t, bool ansi)
{
	struct ibtop *want = diag_state(d);
	unsigned count = want->once || (!want->count && diag_settings(d)->format != DIAG_LINES &&
		!diag_is_text(d)) ? 1 : want->count;
	int64_t at = diag_now_us(), last = at, begin;
	uint32_t ports, unanswered;
	bool changed = false;

	if (rates_sample((*t)->r))
		return EXIT_FATAL;
	while (!repeat_stopped() && (!count || v->look < count)) {
		rates_count((*t)->r, &ports, &unanswered);
		at = repeat_next(at, want->interval_us);
		changed |= wait_for(d, v, *t, at, ansi);
		if (repeat_stopped())
			break;
		if (count != 1)
			json_decref(diag_errors_take(d));
		begin = diag_now_us();
		if (count != 1 && ((changed &&
		    begin - (*t)->found_us >= DISCOVER_SHARE * (*t)->took_us) ||
		    (want->rediscover_us && begin - (*t)->found_us >= want->rediscover_us))) {
			find_again(d, t, v);
			rates_count((*t)->r, &ports, &unanswered);
		}
		begin = diag_now_us();
		if (rates_sample((*t)->r))
			return EXIT_FATAL;
		changed = looks_changed(*t, unanswered);
		v->took_s = (double)(diag_now_us() - begin) / 1e6;
		v->interval_s = (double)(begin - last) / 1e6;
		last = begin;
		view_fill(want, v, *t);
		view_show(d, v, ansi);
	}
	return 0;
}

static int
run_on(struct diag *d, struct top_fabric **t)
{
	struct ibtop *want = diag_state(d);
	struct top_view v = { .look = 0 };
	bool ansi = diag_is_text(d) && !want->once && screen_begin();
	int e;

	repeat_catch_signals();
	diag_hush(d, ansi);
	e = fabric_watch(d, &v, t, ansi);
	diag_hush(d, false);
	if (ansi)
		screen_end();
	return e;
}

static int
ibtop_run(struct diag *d, int argc, char **argv)
{
	struct ibtop *want = diag_state(d);
	struct top_fabric *t = NULL;
	int r;

	if (argc)
		return diag_usage(d, "'%s': ibtop has no operands; --select says which ports",
			argv[0]);
	if (diag_settings(d)->load)
		return diag_fail(d, EXIT_USAGE, "usage",
			"a file has no rates: --load is not for ibtop");
	if (want->count > 1 && (diag_settings(d)->format == DIAG_JSON ||
	    diag_settings(d)->format == DIAG_CSV))
		return diag_fail(d, EXIT_USAGE, "usage",
			"a document has one look: --ndjson for more");
	if (!diag_is_text(d) && diag_settings(d)->format != DIAG_LINES)
		json_object_set_new(diag_doc(d), "changes", json_array());
	r = fabric_find(d, &t);
	if (!r)
		r = run_on(d, &t);
	fabric_forget(t);
	return r;
}

static const struct diag_option options[] = {
	{ 'i', "interval", "<s>", "seconds between samples (default 2)" },
	{ 'n', "count", "<n>", "number of samples, then exit" },
	{ OPT_ONCE, "once", NULL, "print one sample as plain text and exit" },
	{ 's', "sort", "<key>", "busy, xmit, rcv, wait, errors or name (default busy)" },
	{ OPT_REDISCOVER, "rediscover", "<s>",
		"seconds between sweeps of the fabric (default 30; 0: only when links go down or "
		"nodes stop responding)" },
	{ OPT_TOP, "top", "<n>", "number of ports to show (default: what fits the terminal)" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"\t\t\t\t# watch the fabric",
	"--sort errors --select type:sw\t# the worst ports of switches",
	"--once --json\t\t\t# rates of all ports as a document",
	"--once --interval 10 --top 5\t# the five busiest over ten seconds", NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibtop", .operands = "", .about =
		"shows the busiest ports of the fabric and the ports with errors, live",
	.examples = examples,
	.masked = "DGKLs", .options = options, .flags = DIAG_FABRIC, .rows = "ports",
	.option = option, .run = ibtop_run,
	.state_bytes = sizeof(struct ibtop), .init = state_init,
};
