/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.c - the results of a run as TAP lines, as a JSON document, as Markdown tables.
 * Room: verbs/conform.  docs/schema/ibhcatest-conform.json describes the document.
 */
#include <config.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <time.h>
#include "verbs/conform/report.h"

#define SCHEMA "heddle.ibhcatest-conform"
#define SCHEMA_VERSION "1.0"

/* ---- TAP ---- */

void
conform_report_tap_case(FILE *f, unsigned number, const struct conform_result *r)
{
	bool ok = r->status == CONFORM_PASS || r->status == CONFORM_SKIP;

	fprintf(f, "%s %u - %s", ok ? "ok" : "not ok", number, r->name);
	if (r->status == CONFORM_SKIP)
		fprintf(f, " # SKIP %s", r->reason);
	if (r->status == CONFORM_DEVIATION)
		fprintf(f, " # TODO known deviation: %s", r->reason);
	fputc('\n', f);
	if (r->status == CONFORM_FAIL || r->status == CONFORM_DEVIATION)
		fprintf(f, "# expected: %s\n# got:      %s\n", r->expected,
			*r->got ? r->got : "(not run)");
	if (r->status == CONFORM_FAIL)
		fprintf(f, "# %s\n", r->reason);
	if (r->gone)
		fprintf(f, "# %s\n", r->reason);
}

void
conform_report_tap_end(FILE *f, const struct conform_report *r)
{
	fprintf(f, "1..%zu\n", r->n);
	fprintf(f, "# %s %s", r->backend, r->device);
	if (strcmp(r->device, r->peer))
		fprintf(f, " and %s", r->peer);
	if (*r->kernel)
		fprintf(f, ", kernel %s", r->kernel);
	fprintf(f, ": %u passed, %u failed, %u skipped, %u known deviations",
		r->totals[CONFORM_PASS], r->totals[CONFORM_FAIL], r->totals[CONFORM_SKIP],
		r->totals[CONFORM_DEVIATION]);
	if (r->gone)
		fprintf(f, ", %u no longer deviate", r->gone);
	fprintf(f, "\n");
	if (r->cut_short)
		fprintf(f, "# the time limit came first: what was left is skipped\n");
}

/* ---- JSON ---- */

/* Strings that come from a device may be invalid UTF-8. */
static json_t *
text_json(const char *s)
{
	json_t *j = s && *s ? json_string(s) : NULL;

	return j ? j : json_null();
}

static json_t *
document_new(const char *backend, int exit_status, int64_t wall_ms)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return json_pack("{s:s, s:s, s:{s:s, s:s}, s:s, s:I, s:i, s:o}", "schema", SCHEMA,
		"schema_version", SCHEMA_VERSION,
		"tool", "name", "ibhcatest", "version", PACKAGE_VERSION, "time", stamp, "wall_ms",
		(json_int_t)wall_ms,
		"exit_status", exit_status, "backend", text_json(backend));
}

static json_t *
case_json(const struct conform_result *r)
{
	return json_pack("{s:s, s:s%, s:s, s:s, s:o, s:o, s:b}", "name", r->name, "area", r->area,
	(size_t)r->area_length,
		"status", conform_status_name(r->status), "expected", r->expected, "got",
		text_json(r->got), "reason", text_json(r->reason),
		"no_longer_deviates", r->gone);
}

static int
document_write(FILE *f, json_t *doc)
{
	int ret = json_dumpf(doc, f, JSON_INDENT(2)) || fputc('\n', f) == EOF || fflush(f) ? -EIO :
		0;

	json_decref(doc);
	return ret;
}

int
conform_report_json(FILE *f, const struct conform_report *r)
{
	json_t *doc = document_new(r->backend, conform_exit_status(r), r->wall_ms),
		*cases = json_array(), *totals;

	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(cases, case_json(&r->v[i]));
	totals = json_pack("{s:i, s:i, s:i, s:i, s:i}", "pass", (int)r->totals[CONFORM_PASS],
		"fail", (int)r->totals[CONFORM_FAIL],
		"skip", (int)r->totals[CONFORM_SKIP], "deviation",
		(int)r->totals[CONFORM_DEVIATION], "no_longer_deviates", (int)r->gone);
	json_object_set_new(doc, "device", text_json(r->device));
	json_object_set_new(doc, "peer", text_json(r->peer));
	json_object_set_new(doc, "provider", text_json(r->provider));
	json_object_set_new(doc, "kernel", text_json(r->kernel));
	json_object_set_new(doc, "emulated", json_boolean(r->emulated));
	json_object_set_new(doc, "incomplete", json_boolean(r->cut_short));
	json_object_set_new(doc, "cases", cases);
	json_object_set_new(doc, "totals", totals);
	json_object_set_new(doc, "errors", json_array());
	return document_write(f, doc);
}

int
conform_report_json_error(FILE *f, const char *backend, const char *code, const char *message,
	int exit_status)
{
	json_t *doc = document_new(backend, exit_status, 0);
	static const char *const unknown[] = { "device", "peer", "provider", "kernel", "emulated" };

	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		json_object_set_new(doc, unknown[i], json_null());
	json_object_set_new(doc, "incomplete", json_true());
	json_object_set_new(doc, "cases", json_array());
	json_object_set_new(doc, "totals", json_pack("{s:i, s:i, s:i, s:i, s:i}", "pass", 0, "fail",
		0, "skip", 0, "deviation", 0,
		"no_longer_deviates", 0));
	json_object_set_new(doc, "errors", json_pack("[{s:s, s:s, s:o}]", "severity", "error",
		"code", code, "message", text_json(message)));
	return document_write(f, doc);
}

/* ---- a table for the documentation ---- */

static bool
same_area(const struct conform_result *a, const struct conform_result *b)
{
	return a->area_length == b->area_length &&
		!strncmp(a->area, b->area, (size_t)a->area_length);
}

/* Prints the cases of [from, to) with the same expectation as 'from', without their area; marks
 * those that did not pass. */
static void
print_alike(FILE *f, const struct conform_report *r, size_t from, size_t to)
{
	fprintf(f, "- `%s`:", r->v[from].expected);
	for (size_t i = from; i < to; i++) {
		const struct conform_result *c = &r->v[i];

		if (strcmp(c->expected, r->v[from].expected))
			continue;
		fprintf(f, "%s %s", i == from ? "" : ",", c->name + c->area_length + 1);
		if (c->status == CONFORM_SKIP)
			fprintf(f, " (skip)");
		else if (c->status != CONFORM_PASS)
			fprintf(f, " (**%s**: `%s`)", conform_status_name(c->status),
				*c->got ? c->got : "not run");
	}
	fprintf(f, "\n");
}

static bool
listed_before(const struct conform_report *r, size_t from, size_t i)
{
	for (size_t j = from; j < i; j++) {
		if (!strcmp(r->v[j].expected, r->v[i].expected))
			return true;
	}
	return false;
}

static size_t
area_end(const struct conform_report *r, size_t from)
{
	size_t to = from;

	while (to < r->n && same_area(&r->v[from], &r->v[to]))
		to++;
	return to;
}

void
conform_report_markdown(FILE *f, const struct conform_report *r)
{
	fprintf(f,
		"| area | cases | pass | fail | skip | deviation |\n|---|---|---|---|---|---|\n");
	for (size_t from = 0, to; from < r->n; from = to) {
		unsigned counts[CONFORM_STATUSES] = { 0 };

		to = area_end(r, from);
		for (size_t i = from; i < to; i++)
			counts[r->v[i].status]++;
		fprintf(f, "| %.*s | %zu | %u | %u | %u | %u |\n", r->v[from].area_length,
			r->v[from].area, to - from, counts[CONFORM_PASS], counts[CONFORM_FAIL],
			counts[CONFORM_SKIP], counts[CONFORM_DEVIATION]);
	}
	fprintf(f, "| all | %zu | %u | %u | %u | %u |\n", r->n, r->totals[CONFORM_PASS],
		r->totals[CONFORM_FAIL], r->totals[CONFORM_SKIP], r->totals[CONFORM_DEVIATION]);
	for (size_t from = 0, to; from < r->n; from = to) {
		to = area_end(r, from);
		fprintf(f, "\n### %.*s\n\n", r->v[from].area_length, r->v[from].area);
		for (size_t i = from; i < to; i++) {
			if (!listed_before(r, from, i))
				print_alike(f, r, i, to);
		}
	}
}

static void
print_kernels(FILE *f, const struct conform_deviation *d)
{
	if (d->kernel_from)
		fprintf(f, "%u.%u and later", d->kernel_from >> 16, d->kernel_from & 0xffff);
	if (d->kernel_from && d->kernel_below != KERNEL_ANY)
		fprintf(f, ", ");
	if (d->kernel_below != KERNEL_ANY)
		fprintf(f, "before %u.%u", d->kernel_below >> 16, d->kernel_below & 0xffff);
	if (!d->kernel_from && d->kernel_below == KERNEL_ANY)
		fprintf(f, "all");
}

void
conform_report_deviations(FILE *f, const struct conform_deviation *rows, size_t n)
{
	fprintf(f,
		"| cases | provider | kernels | what comes out | why |\n|---|---|---|---|---|\n");
	for (const struct conform_deviation *d = rows; d < rows + n; d++) {
		fprintf(f, "| `%s` | %s | ", d->cases, d->provider);
		print_kernels(f, d);
		if (d->got)
			fprintf(f, " | %s`%s`", d->sometimes ? "sometimes " : "", d->got);
		else
			fprintf(f, " | not run");
		fprintf(f, " | %s |\n", d->reason);
	}
}
