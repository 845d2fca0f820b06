/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtop.c - the busiest and the worst ports of the fabric, live.
 * Room: diags.  Counters are read again and again and never reset; what is shown is what they moved by (common/rates.h).
 */
#include <config.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "diags/common/repeat.h"
#include "diags/ibtop.h"
#include "util/xalloc.h"

#define BUSY 0.8                /* above it a port is counted as busy, */
#define WAITING 0.1             /* as waiting */
#define HEAD_LINES 3
#define ROWS_PLAIN 20           /* where there is no terminal */

enum { OPT_ONCE = DIAG_LONG, OPT_TOP };

static struct {
	int64_t interval_us;
	unsigned count;                 /* 0: without end */
	uint32_t top;                   /* 0: what fits */
	bool once;
	enum top_sort sort;
} want = { .interval_us = 2000000 };

static struct termios cooked;

static int
set_sort(struct diag *d, const char *value)
{
	for (enum top_sort s = 0; s < TOP_NSORTS; s++)
		if (!strcmp(value, top_sort_word(s))) {
			want.sort = s;
			return 0;
		}
	return diag_usage(d, "cannot sort by '%s': busy, xmit, rcv, wait, errors or name", value);
}

static int
option(struct diag *d, int id, const char *value)
{
	uint64_t n;

	switch (id) {
	case 'i': return repeat_interval(d, value, &want.interval_us);
	case 's': return set_sort(d, value);
	case OPT_ONCE: want.once = true; return 0;
	case 'n':
	case OPT_TOP:
		if (!diag_number(value, 1000000, &n) || !n)
			return diag_usage(d, "'%s' is no number from 1 to 1000000", value);
		*(id == 'n' ? &want.count : &want.top) = (unsigned)n;
		return 0;
	}
	return -ENOENT;
}

/* ---- one look ---- */

static double
key(const struct rates_port *p)
{
	switch (want.sort) {
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
	double kx = key(&x->p), ky = key(&y->p);

	if (want.sort == TOP_NAME && strcmp(x->name, y->name))
		return strcmp(x->name, y->name);
	if (kx > ky || kx < ky)
		return kx > ky ? -1 : 1;
	return x->p.port < y->p.port ? -1 : x->p.port > y->p.port;
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
look(struct top_view *v, char **names)
{
	v->nrows = v->busy = v->waiting = v->wrong = v->saturated = 0;
	v->total_bps = -1;
	v->sort = want.sort;
	v->look++;
	rates_count(v->r, &v->ports, &v->unanswered);
	for (uint32_t i = 0; i < v->f->s->nports; i++) {
		struct top_row *row = &v->rows[v->nrows];

		if (!rates_port(v->r, i, &row->p))
			continue;
		row->name = names[v->f->s->ports[i].node];
		count_row(v, &row->p);
		v->nrows++;
	}
	qsort(v->rows, v->nrows, sizeof(*v->rows), by_key);
}

/* ---- the screen ---- */

static void
screen_restore(void)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &cooked);
	fputs("\033[?25h", stdout);
	fflush(stdout);
}

/* Keys at once and not shown, until the program ends. */
static bool
screen_begin(void)
{
	struct termios raw;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &cooked))
		return false;
	raw = cooked;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	atexit(screen_restore);
	fputs("\033[?25l", stdout);
	return true;
}

static void
screen_size(struct top_screen *s)
{
	struct winsize w = { 0 };

	*s = (struct top_screen){ .ansi = s->ansi };
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row) {
		s->lines = w.ws_row;
		s->columns = w.ws_col;
	}
}

static void
show(struct diag *d, const struct top_view *v, bool ansi)
{
	struct top_screen s = { .ansi = ansi };
	uint32_t most = want.top;

	if (!diag_is_text(d)) {
		top_document(d, v, most ? most : UINT32_MAX);
		fflush(stdout);
		return;
	}
	screen_size(&s);
	if (!most)
		most = ansi && s.lines > HEAD_LINES + 1 ? (uint32_t)(s.lines - HEAD_LINES - 1) : ROWS_PLAIN;
	if (ansi)
		fputs("\033[H\033[J", stdout);
	else if (v->look > 1)
		putchar('\n');
	top_print(d, v, &s, most);
	if (ansi)
		fputs("keys: b)usy x)mit r)cv w)ait e)rrors n)ame q)uit", stdout);
	fflush(stdout);
}

/* A key that was typed; true: it asks for something to be shown anew. */
static bool
take_key(void)
{
	static const char keys[TOP_NSORTS + 1] = "bxrwen";
	const char *k;
	char c;

	if (read(STDIN_FILENO, &c, 1) != 1 || c == 'q') {
		repeat_stop();
		return false;
	}
	k = c ? strchr(keys, c) : NULL;
	if (k)
		want.sort = (enum top_sort)(k - keys);
	return k;
}

/* ---- again and again ---- */

/* Waits for 'at_us', and shows the last look anew when keys say so. */
static void
wait_for(struct diag *d, struct top_view *v, char **names, int64_t at_us, bool ansi)
{
	while (repeat_wait(at_us, ansi ? STDIN_FILENO : -1))
		if (take_key() && v->look) {
			v->look--;
			look(v, names);
			show(d, v, ansi);
		}
}

static int
watch(struct diag *d, struct top_view *v, struct rates *r, char **names, bool ansi)
{
	unsigned count = want.once || (!want.count && diag_settings(d)->format != DIAG_LINES && !diag_is_text(d)) ? 1 : want.count;
	int64_t at = diag_now_us(), last = at, begin;

	if (rates_sample(r))
		return EXIT_FATAL;
	while (!repeat_stopped() && (!count || v->look < count)) {
		at = repeat_next(at, want.interval_us);
		wait_for(d, v, names, at, ansi);
		if (repeat_stopped())
			break;
		if (count != 1)
			json_decref(diag_errors_take(d));
		begin = diag_now_us();
		if (rates_sample(r))
			return EXIT_FATAL;
		v->took_s = (double)(diag_now_us() - begin) / 1e6;
		v->interval_s = (double)(begin - last) / 1e6;
		last = begin;
		look(v, names);
		show(d, v, ansi);
	}
	return 0;
}

static int
run_on(struct diag *d, const struct diag_fabric *f, const struct selection *only)
{
	char **names = xcalloc(f->s->nnodes + 1u, sizeof(*names)), name[DIAG_NAME_BYTES];
	struct rates *r = rates_new(d, f, only);
	struct top_view v = { .f = f, .r = r, .rows = xcalloc(f->s->nports + 1u, sizeof(*v.rows)) };
	bool ansi = diag_is_text(d) && !want.once && screen_begin();
	int e;

	for (uint32_t i = 0; i < f->s->nnodes; i++)
		names[i] = xstrdup(fab_name(d, &f->s->nodes[i], name));
	repeat_catch_signals();
	diag_hush(d, ansi);
	e = watch(d, &v, r, names, ansi);
	diag_hush(d, false);
	for (uint32_t i = 0; i < f->s->nnodes; i++)
		free(names[i]);
	free(names);
	free(v.rows);
	rates_free(r);
	return e;
}

static int
run(struct diag *d, int argc, char **argv)
{
	struct selection *only = NULL;
	struct diag_fabric f = { 0 };
	int r;

	if (argc)
		return diag_usage(d, "'%s': ibtop has no operands; --select says which ports", argv[0]);
	if (diag_settings(d)->load)
		return diag_fail(d, EXIT_USAGE, "usage", "a file has no rates: --load is not for ibtop");
	if (want.count > 1 && (diag_settings(d)->format == DIAG_JSON || diag_settings(d)->format == DIAG_CSV))
		return diag_fail(d, EXIT_USAGE, "usage", "a document has one look: --ndjson for more");
	r = diag_fabric(d, 0, &f);
	if (!r)
		r = diag_selection(d, &f, &only);
	if (!r)
		r = run_on(d, &f, only);
	select_free(only);
	diag_fabric_clear(&f);
	return r;
}

static const struct diag_option options[] = {
	{ 'i', "interval", "<s>", "seconds from look to look (default 2)" },
	{ 'n', "count", "<n>", "end after so many looks" },
	{ OPT_ONCE, "once", NULL, "one look, as plain text" },
	{ 's', "sort", "<key>", "busy, xmit, rcv, wait, errors or name (default busy)" },
	{ OPT_TOP, "top", "<n>", "show so many ports (default: what fits the terminal)" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"\t\t\t\t# watch the fabric", "--sort errors --select type:sw\t# the worst ports of switches", "--once --json\t\t\t# rates of all ports as a document",
	"--once --interval 10 --top 5\t# the five busiest over ten seconds", NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibtop", .operands = "", .about = "shows the busiest and the worst ports of the fabric, live", .examples = examples,
	.masked = "DGKLs", .options = options, .flags = DIAG_FABRIC, .rows = "ports", .option = option, .run = run,
};
