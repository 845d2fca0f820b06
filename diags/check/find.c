/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * find.c - the functions that checks call: for a finding, for what was examined, for a check that
 * could not run.
 * Room: diags/check. Findings are only collected here; report.c sorts and shows them.
 */
#include <config.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "diags/check/check.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/fabric/suppress.h"
#include "util/xalloc.h"

#define OBJECT_BYTES 128

const char *
check_name(const struct check_run *c, const struct fab_port *p, char buf[static CHECK_NAME_BYTES])
{
	size_t n;

	fab_name(c->d, fab_node_of(&c->f, p), buf);
	n = strlen(buf);
	if (p->num)
		snprintf(buf + n, CHECK_NAME_BYTES - n, " port %u", p->num);
	return buf;
}

static int
compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t
check_majority(uint64_t *v, size_t n, size_t *count)
{
	uint64_t best = 0;
	size_t run = 0, most = 0;

	if (n)
		qsort(v, n, sizeof(*v), compare_u64);
	for (size_t i = 0; i < n; i++) {
		run = i && v[i] == v[i - 1] ? run + 1 : 1;
		if (run > most) {
			most = run;
			best = v[i];
		}
	}
	if (count)
		*count = most;
	return best;
}

static void
table_say(struct check_run *c, const char *fmt, va_list ap)
{
	struct check_result *r = &c->result[c->at];

	vsnprintf(r->looked, sizeof(r->looked), fmt, ap);
}

void
check_looked(struct check_run *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	table_say(c, fmt, ap);
	va_end(ap);
}

void
check_skipped(struct check_run *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	table_say(c, fmt, ap);
	va_end(ap);
	c->result[c->at].end = CHECK_SKIPPED;
}

void
check_partial(struct check_run *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	table_say(c, fmt, ap);
	va_end(ap);
	c->result[c->at].end = CHECK_PARTIAL;
	diag_incomplete(c->d);
}

static size_t
put_object(const struct check_run *c, const struct fab_port *p, char *buf, size_t len)
{
	return (size_t)snprintf(buf, len, "0x%016" PRIx64 "/%u", fab_node_of(&c->f, p)->guid,
		p->num);
}

/* Returns the object of a finding, which is the same for both directions of a link. The caller
 * frees it. */
static char *
object_of(const struct check_run *c, const struct check_about *w)
{
	char buf[OBJECT_BYTES];
	size_t n;

	if (w->object || !w->a)
		return xstrdup(w->object ? w->object : "fabric");
	n = put_object(c, w->a, buf, sizeof(buf));
	if (w->b) {
		buf[n++] = '-';
		put_object(c, w->b, buf + n, sizeof(buf) - n);
	}
	return xstrdup(buf);
}

static bool
is_suppressed(const struct check_run *c, const char *code, uint64_t id, const struct check_about *w)
{
	const struct fab_port *ends[] = { w->a, w->b };
	char names[2][2][SUPPRESS_NAME_BYTES];
	const char *list[6];
	unsigned n = 0;

	if (!c->suppress)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		if (!ends[i])
			continue;
		suppress_names(c->d, &c->f, ends[i], names[i]);
		list[n++] = names[i][0];
		list[n++] = names[i][1];
	}
	if (w->object)
		list[n++] = w->object;
	list[n] = NULL;
	return suppress_match(c->suppress, code, id, list);
}

static bool
is_selected(const struct check_run *c, const struct fab_port *p)
{
	return p && (p->num ? select_port(c->selection, p) : select_node(c->selection,
		fab_node_of(&c->f, p)));
}

static json_t *
detail_of(const struct check_run *c, const struct check_about *w)
{
	json_t *o = json_object(), *ends = json_array();

	if (w->a)
		json_array_append_new(ends, fab_json_end(c->d, &c->f, w->a));
	if (w->b)
		json_array_append_new(ends, fab_json_end(c->d, &c->f, w->b));
	json_object_set_new(o, "ends", ends);
	if (w->value)
		json_object_set(o, "value", w->value);
	if (w->expected)
		json_object_set(o, "expected", w->expected);
	return o;
}

void
check_find(struct check_run *c, enum check_severity s, const char *code,
	const struct check_about *w, const char *fmt, ...)
{
	struct check_result *r = &c->result[c->at];
	struct check_finding f = { .check = c->checks[c->at], .at = c->at, .severity = s,
		.code = code };
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	f.object = object_of(c, w);
	f.id = diag_finding_id(code, f.object);
	if (c->selection && w->a && !is_selected(c, w->a) && !is_selected(c, w->b)) {
		free(f.object);
	} else if (is_suppressed(c, code, f.id, w)) {
		r->suppressed++;
		free(f.object);
	} else {
		r->count[s]++;
		f.text = xstrdup(text);
		f.port[0] = w->a ? (uint32_t)(w->a - c->f.s->ports) : FAB_NONE;
		f.port[1] = w->b ? (uint32_t)(w->b - c->f.s->ports) : FAB_NONE;
		f.detail = detail_of(c, w);
		c->findings = xreallocarray(c->findings, c->nfindings + 1, sizeof(*c->findings));
		c->findings[c->nfindings++] = f;
	}
	json_decref(w->value);
	json_decref(w->expected);
}
