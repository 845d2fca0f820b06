/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibqueryerrors_show.c - shows nodes with errors as text, all ports as rows, and counters above a
 * threshold as findings.
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/query.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/link.h"
#include "diags/fabric/select.h"
#include "diags/perf/pma.h"
#include "diags/tools/ibqueryerrors.h"
#include "libmad/attr/pm_attr.h"

#define LINE_BYTES 8192

struct line {
	char text[LINE_BYTES];
	size_t n;
};

__attribute__((format(printf, 2, 3))) static void
line_put(struct line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->text + l->n, sizeof(l->text) - l->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->n += (size_t)n < sizeof(l->text) - l->n ? (size_t)n : sizeof(l->text) - l->n - 1;
}

/* Appends " [NAME == 70000 (68.359K)]". Data counters and 64-bit counters also have the value
 * rounded by powers of 1024. */
static void
put_value(struct line *l, enum pma_counter c, const struct pma_value *v)
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", "E" };
	bool data = pma_counter_kind(c) == PMA_DATA;
	double scaled = (double)v->value * (data ? 4 : 1);
	unsigned unit = 0;

	line_put(l, " [%s == %" PRIu64, pma_counter_name(c), v->value);
	if (data || pma_counter_kind(c) == PMA_PACKETS || v->attr_id == PM_PORT_COUNTERS_EXT_ID) {
		for (; scaled >= 1024 && unit < 6; unit++)
			scaled /= 1024;
		line_put(l, " (%5.3f%s%s)", scaled, units[unit], data ? "B" : "");
	}
	line_put(l, "]");
}

static void
put_details(struct line *l, const struct pma_port *p, enum pma_kind kind)
{
	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++) {
		struct pma_value v = pma_value(p, c);

		if (pma_counter_kind(c) == kind && v.value)
			line_put(l, " [%s == %" PRIu64 "]", pma_counter_name(c), v.value);
	}
}

static void
put_data(struct line *l, const struct pma_port *p, bool zeros)
{
	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++) {
		struct pma_value v = pma_value(p, c);
		enum pma_kind kind = pma_counter_kind(c);

		if ((kind == PMA_DATA || kind == PMA_PACKETS) && v.supported && (zeros || v.value))
			put_value(l, c, &v);
	}
}

/* Appends the counters above their thresholds with their details; nothing if there are none. */
static void
put_errors(const struct errors *e, struct line *l, const struct pma_port *p)
{
	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++) {
		struct pma_value v = pma_value(p, c);

		if (!pma_over(&e->limits, c, &v))
			continue;
		put_value(l, c, &v);
		if (e->details && c == PMA_RCV_ERRORS)
			put_details(l, p, PMA_RCV_DETAIL);
		if (e->details && c == PMA_XMIT_DISCARDS)
			put_details(l, p, PMA_XMIT_DETAIL);
	}
	if (l->n && e->data)
		put_data(l, p, false);
}

/* ---- findings ---- */

static void
add_findings(struct errors *e, const struct fab_port *port, const struct pma_port *p)
{
	char object[64], name[DIAG_NAME_BYTES];

	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++) {
		struct pma_value v = pma_value(p, c);
		json_t *detail;

		if (!pma_over(&e->limits, c, &v))
			continue;
		detail = json_object();
		json_object_set_new(detail, "ends",
			json_pack("[o]", fab_json_end(e->d, e->f, port)));
		json_object_set_new(detail, "value", attr_json_integer(v.value));
		json_object_set_new(detail, "expected", attr_json_integer(e->limits.max[c]));
		snprintf(object, sizeof(object), "0x%016" PRIx64 ":%u:%s",
			fab_node_of(e->f, port)->guid, port->num, pma_counter_name(c));
		diag_finding(e->d, "warning", "counter_over_threshold", object, detail,
			"%s of %s port %u is %" PRIu64 ", above %" PRIu64,
			pma_counter_name(c), fab_name(e->d, fab_node_of(e->f, port), name),
			port->num, v.value, e->limits.max[c]);
	}
}

/* ---- rows ---- */

static void
add_node_row(struct errors *e, const struct fab_node *n, const struct pma_port *sums)
{
	struct pma_caps caps = { 0 };
	json_t *o;

	if (diag_is_text(e->d))
		return;
	if (e->pma)
		caps = pma_node_caps(e->pma, n);
	o = fab_json_node(e->d, e->f, n);
	json_object_set_new(o, "capabilities", pma_json_caps(&caps));
	json_object_set_new(o, "all_ports", sums && sums->end == DIAG_OK ? pma_json_counters(sums,
		&e->limits) : json_null());
	json_object_set_new(o, "details", sums ? pma_json_details(sums) : json_null());
	diag_row(e->d, "nodes", o);
}

static void
add_port_row(struct errors *e, const struct fab_port *port, const struct pma_port *p)
{
	json_t *o;

	if (diag_is_text(e->d))
		return;
	o = fab_json_port(e->d, e->f, port);
	json_object_set_new(o, "status", json_string(p ? pma_status_word(p) : "skipped"));
	json_object_set_new(o, "counters", p && p->got ? pma_json_counters(p, &e->limits) :
		json_null());
	json_object_set_new(o, "details", p ? pma_json_details(p) : json_null());
	json_object_set_new(o, "could_be", link_json_hint(e->f, port));
	diag_row(e->d, "ports", o);
}

/* ---- one node ---- */

static void
put_header(struct errors *e, const struct fab_node *n, bool *done)
{
	char name[DIAG_NAME_BYTES];

	if (*done)
		return;
	*done = true;
	fab_name(e->d, n, name);
	if (e->data_only)
		diag_text(e->d, "Data Counters for 0x%" PRIx64 " \"%s\"\n", n->guid, name);
	else if (fab_is_switch(n))
		diag_text(e->d, "Errors for 0x%" PRIx64 " \"%s\"\n", fab_port_of(e->f, n, 0)->guid,
			name);
	else
		diag_text(e->d, "Errors for \"%s\"\n", name);
}

static void
put_link(struct errors *e, const struct fab_port *port)
{
	char text[LINK_TEXT_BYTES], ext[12];

	diag_text(e->d, "       Link info: %6d%4d[%2s] %s\n", fab_lid(e->f, port), port->num,
		link_ext_port(e->f, &e->chassis, port, ext),
		link_text(e->d, e->f, &e->chassis, port,
		LINK_GUIDS | LINK_BLANK_PEER | (e->hide_peers ? LINK_NO_PEER : 0), text));
}

static void
show_port(struct errors *e, const struct fab_node *n, const struct fab_port *port,
	const struct pma_port *p, bool *header)
{
	struct line l = { .n = 0 };

	if (e->data_only)
		put_data(&l, p, true);
	else
		put_errors(e, &l, p);
	if (!l.n)
		return;
	put_header(e, n, header);
	diag_text(e->d, "   GUID 0x%" PRIx64 " port %u:%s\n", e->data_only ? n->guid : port->guid,
		port->num, l.text);
	if (e->data_only)
		return;
	if (e->links)
		put_link(e, port);
	add_findings(e, port, p);
	e->bad_ports++;
}

/* Shows the sums over all ports of a switch. Those of an adapter only decide whether its single
 * ports are shown. */
static bool
show_sums(struct errors *e, const struct fab_node *n, const struct pma_port *sums, bool *header)
{
	struct line l = { .n = 0 };

	put_errors(e, &l, sums);
	if (!l.n)
		return false;
	put_header(e, n, header);
	if (fab_is_switch(n))
		diag_text(e->d, "   GUID 0x%" PRIx64 " port ALL:%s\n",
			fab_port_of(e->f, n, 0)->guid, l.text);
	return true;
}

void
errors_show_node(struct errors *e, const struct fab_node *n)
{
	const struct pma_port *sums = e->sums[n - e->f->s->nodes];
	bool header = false, clean = false, answered = false;

	add_node_row(e, n, sums);
	if (sums && sums->end == DIAG_OK && !e->data_only)
		clean = !show_sums(e, n, sums, &header);
	for (unsigned i = 0; i <= n->nports; i++) {
		const struct fab_port *port = fab_port_of(e->f, n, i);
		const struct pma_port *p = e->ports[port - e->f->s->ports];

		if (p || (i && port->flags & FAB_PORT_INFO && select_port(e->only, port)))
			add_port_row(e, port, p);
		if (!p || p->end != DIAG_OK || clean)
			continue;
		answered = true;
		e->ports_checked++;
		show_port(e, n, port, p, &header);
	}
	if (clean)
		e->ports_checked += n->nports;
	e->nodes_checked += clean || answered;
	e->bad_nodes += header && !e->data_only;
}

/* ---- the summary ---- */

static void
put_summary_text(const struct errors *e)
{
	diag_text(e->d, "\n## Summary: %u nodes checked, %u bad nodes found\n", e->nodes_checked,
		e->bad_nodes);
	diag_text(e->d, "##          %u ports checked, %u ports have errors beyond threshold\n",
		e->ports_checked, e->bad_ports);
	diag_text(e->d, "## Thresholds: ");
	for (size_t i = 0; i < e->limits.nlisted; i++)
		diag_text(e->d, "[%s = %" PRIu64 "]", pma_counter_name(e->limits.listed[i]),
			e->limits.max[e->limits.listed[i]]);
	diag_text(e->d, "\n");
	if (e->failures)
		diag_text(e->d, "##          %u PMA query failures\n", e->failures);
	diag_text(e->d, "## Suppressed:");
	for (size_t i = 0; i < e->nsuppressed; i++)
		diag_text(e->d, " %s", pma_counter_name(e->suppressed[i]));
	diag_text(e->d, "\n");
}

void
errors_show_summary(struct errors *e)
{
	json_t *o = diag_summary(e->d), *limits, *suppressed;

	put_summary_text(e);
	if (diag_is_text(e->d))
		return;
	fab_summary(e->d, e->f);
	json_object_set_new(o, "nodes_checked", json_integer(e->nodes_checked));
	json_object_set_new(o, "bad_nodes", json_integer(e->bad_nodes));
	json_object_set_new(o, "ports_checked", json_integer(e->ports_checked));
	json_object_set_new(o, "bad_ports", json_integer(e->bad_ports));
	json_object_set_new(o, "pma_failures", json_integer(e->failures));
	limits = json_object();
	for (enum pma_counter c = 0; c < PMA_NCOUNTERS; c++)
		if (PMA_IS_ERROR(pma_counter_kind(c)))
			json_object_set_new(limits, pma_counter_name(c),
				attr_json_integer(e->limits.max[c]));
	suppressed = json_array();
	for (size_t i = 0; i < e->nsuppressed; i++)
		json_array_append_new(suppressed, json_string(pma_counter_name(e->suppressed[i])));
	json_object_set_new(diag_doc(e->d), "thresholds", limits);
	json_object_set_new(diag_doc(e->d), "suppressed", suppressed);
}
