/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.c - sorts and shows the findings of all checks, and the summary table at the end.
 * Room: diags/check.
 */
#include <config.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "diags/check/check.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/fabric/suppress.h"
#include "util/xalloc.h"

#define CODE_WIDTH 22

static const char *const severity_words[] = { "info", "warning", "error" };
static const char *const severity_heads[] = { "note", "WARNING", "ERROR" };
static const char *const end_words[] = { "done", "not_asked", "skipped", "partial" };

/* Orders findings by severity, the worst first, then by check, by code and by ports. */
static int
finding_cmp(const void *x, const void *y)
{
	const struct check_finding *a = x, *b = y;
	int c;

	if (a->severity != b->severity)
		return a->severity > b->severity ? -1 : 1;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	c = strcmp(a->code, b->code);
	if (c)
		return c;
	if (a->port[0] != b->port[0])
		return a->port[0] < b->port[0] ? -1 : 1;
	if (a->port[1] != b->port[1])
		return a->port[1] < b->port[1] ? -1 : 1;
	return strcmp(a->object, b->object);
}

/* Adds a row for CSV and NDJSON, where each end of the link has columns of its own. */
static void
put_row(struct check_run *c, const struct check_finding *f)
{
	enum diag_format format = diag_settings(c->d)->format;
	json_t *o;

	if (format != DIAG_CSV && format != DIAG_LINES)
		return;
	o = json_object();
	json_object_set_new(o, "id", diag_json_guid(f->id));
	json_object_set_new(o, "severity", json_string(severity_words[f->severity]));
	json_object_set_new(o, "check", json_string(f->check->name));
	json_object_set_new(o, "code", json_string(f->code));
	json_object_set_new(o, "local", f->port[0] == FAB_NONE ? json_null() : fab_json_end(c->d,
		&c->f, &c->f.s->ports[f->port[0]]));
	json_object_set_new(o, "peer", f->port[1] == FAB_NONE ? json_null() : fab_json_end(c->d,
		&c->f, &c->f.s->ports[f->port[1]]));
	attr_json_set_text(o, "message", (const uint8_t *)f->text, strlen(f->text));
	diag_row(c->d, "finding", o);
}

static void
put_findings(struct check_run *c)
{
	unsigned of_code = 0, most = c->opt->most;

	if (c->nfindings)
		qsort(c->findings, c->nfindings, sizeof(*c->findings), finding_cmp);
	for (size_t i = 0; i < c->nfindings; i++) {
		struct check_finding *f = &c->findings[i];
		bool last = i + 1 == c->nfindings || strcmp(f->code, f[1].code) ||
			f->severity != f[1].severity;

		of_code++;
		if (!c->opt->summary && (!most || of_code <= most)) {
			diag_text(c->d, "%-7s  %-*s  %s\n", severity_heads[f->severity], CODE_WIDTH,
				f->code, f->text);
			if (diag_settings(c->d)->verbose)
				diag_text(c->d, "%9s%-*s  id 0x%016" PRIx64 "  %s\n", "",
					CODE_WIDTH, "", f->id, f->object);
		}
		if (last && !c->opt->summary && most && of_code > most)
			diag_text(c->d, "%9s%-*s  ... and %u more (--all shows them)\n", "",
				CODE_WIDTH, "", of_code - most);
		if (last)
			of_code = 0;
		put_row(c, f);
		diag_finding(c->d, severity_words[f->severity], f->code, f->object,
			json_incref(f->detail), "%s", f->text);
	}
}

/* Formats "2 errors, 1 warning", or "ok". */
static const char *
counts_text(const struct check_result *r, char *buf, size_t len)
{
	static const char *const one[] = { "note", "warning", "error" };
	size_t n = 0;

	buf[0] = '\0';
	for (int s = CHECK_ERROR; s >= 0 && n < len; s--)
		if (r->count[s])
			n += (size_t)snprintf(buf + n, len - n, "%s%u %s%s", n ? ", " : "",
				r->count[s], one[s], r->count[s] == 1 ? "" : "s");
	return n ? buf : "ok";
}

static json_t *
check_json(const struct check *k, const struct check_result *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "check", json_string(k->name));
	json_object_set_new(o, "about", json_string(k->about));
	json_object_set_new(o, "status", json_string(end_words[r->end]));
	json_object_set_new(o, "errors", json_integer(r->count[CHECK_ERROR]));
	json_object_set_new(o, "warnings", json_integer(r->count[CHECK_WARNING]));
	json_object_set_new(o, "infos", json_integer(r->count[CHECK_INFO]));
	json_object_set_new(o, "suppressed", json_integer(r->suppressed));
	json_object_set_new(o, "looked_at", *r->looked ? json_string(r->looked) : json_null());
	return o;
}

static void
put_table(struct check_run *c, const struct check *const *checks, struct check_result *sum)
{
	char text[96];

	if (c->nfindings && !c->opt->summary)
		diag_text(c->d, "\n");
	for (unsigned i = 0; i < NCHECKS; i++) {
		const struct check_result *r = &c->result[i];

		if (diag_settings(c->d)->format != DIAG_CSV)
			diag_row(c->d, "checks", check_json(checks[i], r));
		for (unsigned s = 0; s < CHECK_SEVERITIES; s++)
			sum->count[s] += r->count[s];
		sum->suppressed += r->suppressed;
		if (r->end == CHECK_NOT_ASKED)
			continue;
		diag_text(c->d, "%-10s %-24s %s%s\n", checks[i]->name,
			r->end == CHECK_SKIPPED ? "skipped" : r->end == CHECK_PARTIAL &&
			!strcmp(counts_text(r, text, sizeof(text)), "ok") ?
			"incomplete" : counts_text(r, text, sizeof(text)),
			r->end == CHECK_PARTIAL ? "incomplete: " : "", r->looked);
	}
}

static void
put_summary(struct check_run *c, const struct check_result *sum)
{
	json_t *o = diag_summary(c->d), *codes = json_object();

	fab_summary(c->d, &c->f);
	for (size_t i = 0; i < c->nfindings; i++)
		json_object_set_new(codes, c->findings[i].code,
			json_integer(json_integer_value(json_object_get(codes,
			c->findings[i].code)) + 1));
	json_object_set_new(o, "errors", json_integer(sum->count[CHECK_ERROR]));
	json_object_set_new(o, "warnings", json_integer(sum->count[CHECK_WARNING]));
	json_object_set_new(o, "infos", json_integer(sum->count[CHECK_INFO]));
	json_object_set_new(o, "suppressed", json_integer(sum->suppressed));
	json_object_set_new(o, "by_code", codes);
}

void
check_report(struct check_run *c, const struct check *const *checks)
{
	struct check_result sum = { 0 };
	const struct fab_port *here = &c->f.s->ports[c->f.s->sm_port];
	char text[96], hidden[32] = "", name[CHECK_NAME_BYTES];
	unsigned hosts = 0;
	bool all = c->f.s->nproblems == 0;

	put_findings(c);
	put_table(c, checks, &sum);
	put_summary(c, &sum);
	for (uint32_t i = 0; i < c->f.s->nnodes; i++)
		hosts += !fab_is_switch(&c->f.s->nodes[i]);
	for (unsigned i = 0; i < NCHECKS; i++)
		all &= c->result[i].end != CHECK_PARTIAL;
	if (sum.suppressed)
		snprintf(hidden, sizeof(hidden), " (%u suppressed)", sum.suppressed);
	diag_text(c->d, "\n%u switches, %u adapters, %u links, seen from %s\n", c->f.s->nswitches,
		hosts, c->f.s->nlinks,
		check_name(c, here, name));
	counts_text(&sum, text, sizeof(text));
	diag_text(c->d, "%s: %s%s\n", sum.count[CHECK_ERROR] ? "FABRIC HAS ERRORS" :
		sum.count[CHECK_WARNING] ? "FABRIC HAS WARNINGS" :
		all ? "FABRIC OK" : "FABRIC CHECKED INCOMPLETELY", *text ? text : "no findings",
		hidden);
}

void
check_run_clear(struct check_run *c)
{
	for (size_t i = 0; i < c->nfindings; i++) {
		free(c->findings[i].object);
		free(c->findings[i].text);
		json_decref(c->findings[i].detail);
	}
	free(c->findings);
	suppress_free(c->suppress);
	select_free(c->selection);
	levels_clear(&c->levels);
	diag_fabric_clear(&c->f);
	diag_fabric_clear(&c->golden);
}
