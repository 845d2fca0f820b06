/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_pair.c - ibhcatest pair and mesh: quick checks of one pair, or of all pairs, for scripts.
 * Room: verbs/ibhcatest.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "util/xalloc.h"
#include "verbs/ibhcatest/check.h"

#define HOSTS_MAX 1024
#define WORST 5
#define LINE_BYTES 300

/* ---- pair ---- */

static void
show_pair(const struct report *r, const struct check *c)
{
	double p50 = 0, p99 = 0, bw = 0, rate = 0, n = 0, corrupt = 0, lost = 0;

	report_text(r, "%s to %s: %s\n", c->a->name, c->b->name, c->word);
	if (c->emulated[0])
		report_text(r, "  EMULATED: %s\n", c->emulated);
	if (check_figure(c, MEAS_FIGURE_P50, &p50) && check_figure(c, MEAS_FIGURE_P99, &p99))
		report_text(r, "  latency    %10.2f us, 99 %% %.2f us\n", p50, p99);
	if (check_figure(c, MEAS_FIGURE_BW, &bw) && check_figure(c, MEAS_FIGURE_MSGRATE, &rate))
		report_text(r, "  bandwidth  %10.2f Gb/s, %.6f Mpps\n", bw, rate);
	if (c->rows[CHECK_DATA] && check_figure(c, MEAS_FIGURE_MESSAGES, &n) &&
		    check_figure(c, MEAS_FIGURE_CORRUPT, &corrupt) &&
	    check_figure(c, MEAS_FIGURE_LOST, &lost))
		report_text(r, "  data       %10.0f wrong, %.0f lost\n", corrupt, lost);
}

/* True when the terms of --expect name figures of these steps. */
static bool
read_terms(struct report *r, struct ask *a)
{
	char why[200];

	for (unsigned i = 0; i < a->nexpects; i++)
		if (meas_expect_parse(&a->expect, a->expects[i], false, why, sizeof(why))) {
			report_error(r, EXIT_USAGE, "usage", "%s", why);
			return false;
		}
	for (unsigned i = 0; i < a->expect.n; i++)
		if (a->expect.terms[i].size) {
			report_error(r, EXIT_USAGE, "usage",
				"--expect \"%s\": the sizes are given here, no @",
				a->expect.terms[i].text);
			return false;
		}
	return true;
}

static void
no_pair(struct report *r)
{
	json_object_set_new(r->doc, "pair", json_null());
}

int
cmd_pair(int argc, char **argv)
{
	static const char *const usage[] = { "[OPTION...] A B", NULL };
	struct check_end a_end, b_end;
	struct check c;
	char why[200];
	struct report r;
	struct ask a;
	int status = ask_read(&a, "pair", "Checks latency, bandwidth and data between A and B: "
		"HOST[:PORT] where 'ibhcatest serve' runs, or devices here "
		"(verbs:DEVICE[:PORT], soft)", usage, ASK_TEST | ASK_PAIR | ASK_PEERS, no_pair,
		argc, argv);

	if (status >= 0)
		goto out;
	meas_signals();
	report_begin(&r, &a, NULL);
	no_pair(&r);
	if (a.noperands != 2)
		report_error(&r, EXIT_USAGE, "usage", "two ends are needed");
	else if (check_end_parse(&a_end, a.operands[0], a.port, why, sizeof(why)) ||
		check_end_parse(&b_end, a.operands[1], a.port, why, sizeof(why))) report_error(&r,
		EXIT_USAGE, "usage", "%s", why);
	else if (read_terms(&r, &a)) {
		check_run(&c, &a, &a_end, &b_end);
		show_pair(&r, &c);
		check_verdict(&r, &a.expect, &c);
		json_object_set_new(r.doc, "pair", check_json(&c));
		check_clear(&c);
	}
	status = report_end(&r, NULL);
out:
	ask_clear(&a);
	return status;
}

/* ---- mesh ---- */

struct mesh {
	struct report *r;
	unsigned n;
	struct check_end *ends;
	struct check *checks;           /* n x n; checks that did not run have no 'a' */
};

static struct check *
check_at(const struct mesh *m, unsigned i, unsigned k)
{
	return &m->checks[i * m->n + k];
}

/* The check of a pair, in whichever direction it ran. */
static const struct check *
check_of_pair(const struct mesh *m, unsigned i, unsigned k)
{
	return check_at(m, i, k)->a ? check_at(m, i, k) : check_at(m, k, i);
}

static void
show_cell(const struct mesh *m, unsigned i, unsigned k, enum meas_figure f)
{
	const struct check *c = check_of_pair(m, i, k);
	double v;

	if (i == k)
		report_text(m->r, " %9s", "-");
	else if (c->a && check_figure(c, f, &v))
		report_text(m->r, " %9.2f", v);
	else
		report_text(m->r, " %9s", c->a ? c->word : "");
}

static void
show_matrix(const struct mesh *m, enum meas_figure f, const char *title)
{
	report_text(m->r, "%s\n     ", title);
	for (unsigned k = 0; k < m->n; k++)
		report_text(m->r, " %9u", k + 1);
	report_text(m->r, "\n");
	for (unsigned i = 0; i < m->n; i++) {
		report_text(m->r, "%4u ", i + 1);
		for (unsigned k = 0; k < m->n; k++)
			show_cell(m, i, k, f);
		report_text(m->r, "  %s\n", m->ends[i].name);
	}
}

struct worst {
	const struct check *c;
	double v;
};

static int
worst_compare(const void *a, const void *b)
{
	const struct worst *x = a, *y = b;

	return x->v < y->v ? -1 : x->v > y->v;
}

/* A list of the worst values first; 'sign' is -1 when large values are bad. */
static json_t *
show_worst(const struct mesh *m, enum meas_figure f, double sign, const char *title)
{
	struct worst *w = xcalloc((size_t)m->n * m->n + 1, sizeof(*w));
	json_t *list = json_array();
	size_t n = 0;
	double v;

	for (unsigned i = 0; i < m->n * m->n; i++)
		if (m->checks[i].a && check_figure(&m->checks[i], f, &v))
			w[n++] = (struct worst){ &m->checks[i], sign * v };
	qsort(w, n, sizeof(*w), worst_compare);
	if (n)
		report_text(m->r, "%s\n", title);
	for (size_t i = 0; i < n && i < WORST; i++) {
		report_text(m->r, "  %10.2f  %s to %s\n", sign * w[i].v, w[i].c->a->name,
			w[i].c->b->name);
		json_array_append_new(list, json_pack("{s:s,s:s,s:f}", "a", w[i].c->a->name, "b",
			w[i].c->b->name, "value", sign * w[i].v));
	}
	free(w);
	return list;
}

static json_t *
show_mesh(struct mesh *m)
{
	unsigned pairs = 0, ok = 0, unanswered = 0, failed = 0;
	const char *emulated = "";
	json_t *s;

	for (unsigned i = 0; i < m->n * m->n; i++) {
		const struct check *c = &m->checks[i];

		if (!c->a)
			continue;
		pairs++;
		ok += !strcmp(c->word, "ok");
		failed += !strcmp(c->word, "failed");
		unanswered += !strcmp(c->word, "unanswered") || !strcmp(c->word, "skipped");
		emulated = c->emulated[0] ? c->emulated : emulated;
	}
	if (*emulated)
		report_text(m->r, "EMULATED: %s\n", emulated);
	if (m->n <= 24) {
		show_matrix(m, MEAS_FIGURE_BW, "Bandwidth, Gb/s");
		show_matrix(m, MEAS_FIGURE_P50, "Latency, us (median)");
	}
	s = json_pack("{s:i,s:i,s:i,s:i}", "pairs", (int)pairs, "ok", (int)ok, "failed",
		(int)failed, "unanswered", (int)unanswered);
	json_object_set_new(s, "worst_bandwidth_gbps",
		show_worst(m, MEAS_FIGURE_BW, 1, "Lowest bandwidth, Gb/s"));
	json_object_set_new(s, "worst_latency_us",
		show_worst(m, MEAS_FIGURE_P50, -1, "Highest latency, us"));
	report_text(m->r, "%u pairs: %u ok, %u failed, %u not answered\n", pairs, ok, failed,
		unanswered);
	return s;
}

/* Reads HOST..., or @FILE with one host per line and comments after '#'. */
static bool
read_ends(struct report *r, const struct ask *a, char ***names, unsigned *n)
{
	char line[LINE_BYTES], *end;
	FILE *f;

	for (unsigned i = 0; i < a->noperands; i++) {
		if (a->operands[i][0] != '@') {
			*names = xreallocarray(*names, *n + 1, sizeof(**names));
			(*names)[(*n)++] = xstrdup(a->operands[i]);
			continue;
		}
		f = fopen(a->operands[i] + 1, "re");
		if (!f) {
			report_error(r, EXIT_USAGE, "config", "%s cannot be read",
				a->operands[i] + 1);
			return false;
		}
		while (fgets(line, sizeof(line), f) && *n <= HOSTS_MAX) {
			if (strlen(line) == sizeof(line) - 1 && line[sizeof(line) - 2] != '\n') {
				report_error(r, EXIT_USAGE, "config",
					"%s: a line is longer than %zu bytes", a->operands[i] + 1,
					sizeof(line) - 2);
				fclose(f);
				return false;
			}
			end = line + strcspn(line, " \t\r\n#");
			*end = '\0';
			if (!*line)
				continue;
			*names = xreallocarray(*names, *n + 1, sizeof(**names));
			(*names)[(*n)++] = xstrdup(line);
		}
		fclose(f);
	}
	if (*n >= 2 && *n <= HOSTS_MAX)
		return true;
	report_error(r, EXIT_USAGE, "usage", "2 to %d hosts are needed", HOSTS_MAX);
	return false;
}

static json_t *
run_mesh(struct report *r, const struct ask *a, char **names, unsigned n)
{
	struct mesh m = { .r = r, .n = n, .ends = xcalloc(n, sizeof(*m.ends)),
		.checks = xcalloc((size_t)n * n, sizeof(*m.checks)) };
	json_t *pairs = json_array(), *hosts = json_array(), *summary = NULL;
	char why[200];

	for (unsigned i = 0; i < n; i++) {
		if (check_end_parse(&m.ends[i], names[i], a->port, why, sizeof(why)))
			report_error(r, EXIT_USAGE, "usage", "%s", why);
		json_array_append_new(hosts, json_string(names[i]));
	}
	for (unsigned i = 0; i < n && r->status != EXIT_USAGE; i++)
		for (unsigned k = 0; k < n && !meas_signalled(); k++)
			if (i < k || (a->both_directions && i != k)) {
				check_run(check_at(&m, i, k), a, &m.ends[i], &m.ends[k]);
				json_array_append_new(pairs, check_json(check_at(&m, i, k)));
			}
	if (meas_signalled())
		report_error(r, EXIT_PARTIAL, "io", "interrupted");
	if (r->status != EXIT_USAGE)
		summary = show_mesh(&m);
	for (unsigned i = 0; i < n * n; i++)
		if (m.checks[i].a) {
			if (strcmp(m.checks[i].word, "skipped"))
				check_verdict(r, &a->expect, &m.checks[i]);
			check_clear(&m.checks[i]);
		}
	json_object_set_new(r->doc, "hosts", hosts);
	json_object_set_new(r->doc, "pairs", pairs);
	free(m.ends);
	free(m.checks);
	return summary;
}

static void
no_mesh(struct report *r)
{
	json_object_set_new(r->doc, "hosts", json_array());
	json_object_set_new(r->doc, "pairs", json_array());
}

int
cmd_mesh(int argc, char **argv)
{
	static const char *const usage[] = { "[OPTION...] HOST HOST...", "[OPTION...] @FILE",
		NULL };
	json_t *summary = NULL;
	char **names = NULL;
	struct report r;
	unsigned n = 0;
	struct ask a;
	int status = ask_read(&a, "mesh", "Checks all pairs of hosts where 'ibhcatest serve' runs "
		"(or devices here: verbs:DEVICE[:PORT])", usage, ASK_TEST | ASK_PAIR | ASK_PEERS |
		ASK_MESH, no_mesh, argc, argv);

	if (status >= 0)
		goto out;
	meas_signals();
	report_begin(&r, &a, NULL);
	no_mesh(&r);
	if (read_ends(&r, &a, &names, &n) && read_terms(&r, &a))
		summary = run_mesh(&r, &a, names, n);
	status = report_end(&r, summary);
	for (unsigned i = 0; i < n; i++)
		free(names[i]);
	free(names);
out:
	ask_clear(&a);
	return status;
}
