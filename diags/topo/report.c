/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * report.c - shows differences as lines, rows of a document, and findings.
 * Room: diags/topo.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/select.h"
#include "diags/fabric/suppress.h"
#include "diags/topo/report.h"

const char *
topo_severity(enum topo_change c, bool plan)
{
	if (!plan)
		return "warning";
	switch (c) {
	case TOPO_NODE_MISSING:
	case TOPO_NODE_PORTS:
	case TOPO_CABLE_MISSING:
	case TOPO_CABLE_SWAPPED:
	case TOPO_CABLE_MOVED:
		return "error";
	case TOPO_NODE_EXTRA:
	case TOPO_NODE_REPLACED:
	case TOPO_NODE_RENAMED:
	case TOPO_CABLE_EXTRA:
	case TOPO_CABLE_WIDTH:
	case TOPO_CABLE_SPEED:
	case TOPO_NCHANGES:
		break;
	}
	return "warning";
}

static bool
is_known(const struct topo_report *t, const struct topo_difference *x, uint64_t id)
{
	char names[8][2][SUPPRESS_NAME_BYTES];
	const char *list[17];
	unsigned n = 0, ports = 0;

	for (unsigned i = 0; i < 4; i++) {
		if (x->was[i])
			suppress_names(t->d, t->was, x->was[i], names[ports++]);
		if (x->is[i])
			suppress_names(t->d, t->is, x->is[i], names[ports++]);
	}
	for (unsigned i = 0; i < ports; i++) {
		list[n++] = names[i][0];
		list[n++] = names[i][1];
	}
	list[n] = NULL;
	return suppress_match(t->suppress, topo_change_code(x->change), id, list);
}

/* Port 0 represents its node. */
static bool
has_selected(const struct diag_fabric *f, const struct selection *only,
	const struct fab_port *const ports[4])
{
	for (unsigned i = 0; i < 4; i++)
		if (ports[i] && (ports[i]->num ? select_port(only, ports[i]) : select_node(only,
		    fab_node_of(f, ports[i]))))
			return true;
	return false;
}

static json_t *
ends_json(struct diag *d, const struct diag_fabric *f, const struct fab_port *const ports[4])
{
	json_t *a = json_array();

	for (unsigned i = 0; i < 4; i++)
		if (ports[i])
			json_array_append_new(a, fab_json_end(d, f, ports[i]));
	return a;
}

static void
difference_tell(const struct topo_report *t, const struct topo_difference *x, uint64_t id,
	const char *object)
{
	char text[TOPO_TEXT_BYTES];
	const char *severity = topo_severity(x->change, t->plan);
	json_t *o, *detail = json_object();

	topo_difference_text(t->d, t->was, t->is, x, text);
	diag_text(t->d, "%-9s  %s\n", topo_change_word(x->change, t->plan), text);
	if (diag_settings(t->d)->verbose)
		diag_text(t->d, "%9s  id 0x%016" PRIx64 "  %s\n", "", id,
			topo_change_code(x->change));
	if (!diag_is_text(t->d)) {
		o = json_object();
		json_object_set_new(o, "id", diag_json_guid(id));
		json_object_set_new(o, "severity", json_string(severity));
		json_object_set_new(o, "code", json_string(topo_change_code(x->change)));
		json_object_set_new(o, "was", ends_json(t->d, t->was, x->was));
		json_object_set_new(o, "is", ends_json(t->d, t->is, x->is));
		attr_json_set_text(o, "message", (const uint8_t *)text, strlen(text));
		diag_row(t->d, "differences", o);
	}
	json_object_set_new(detail, "ends", ends_json(t->d, x->is[0] ? t->is : t->was,
		x->is[0] ? x->is : x->was));
	diag_finding(t->d, severity, topo_change_code(x->change), object, detail, "%s %s",
		topo_change_word(x->change, t->plan), text);
}

static void
end_side(json_t *o, const char *key, const char *name, const struct diag_fabric *f)
{
	json_object_set_new(o, key, json_pack("{s:s, s:i, s:i, s:i}", "source", name, "nodes",
		(int)f->s->nnodes, "switches", (int)f->s->nswitches,
		"cables", (int)f->s->nlinks));
}

/* Differences: that were reported, are known, are not selected. */
struct difference_counts {
	unsigned reported, hidden, unselected;
};

static void
verdict(const struct topo_report *t, const struct topo_comparison *c, const char *was_name,
	const char *is_name, const struct difference_counts *n)
{
	char known[100] = "";
	size_t at = 0;

	if (n->hidden)
		at = (size_t)snprintf(known, sizeof(known), ", and %u that %s known", n->hidden,
			n->hidden == 1 ? "is" : "are");
	if (n->unselected)
		snprintf(known + at, sizeof(known) - at, ", and %u that %s not selected",
			n->unselected, n->unselected == 1 ? "is" : "are");
	diag_text(t->d, "%s%s: %u nodes, %u links; %s: %u nodes, %u links; %u links are the same\n",
		n->reported ? "\n" : "", was_name, t->was->s->nnodes, t->was->s->nlinks, is_name,
		t->is->s->nnodes, t->is->s->nlinks, c->same);
	if (n->reported)
		diag_text(t->d, "%s: %u difference%s%s\n", t->plan ? "NOT AS PLANNED" : "CHANGED",
			n->reported, n->reported == 1 ? "" : "s", known);
	else
		diag_text(t->d, "%s%s\n", t->plan ? "AS PLANNED" : "THE SAME", known);
}

void
topo_report_show(const struct topo_report *t, const struct topo_comparison *c, const char *was_name,
	const char *is_name)
{
	struct difference_counts n = { 0 };
	unsigned counts[TOPO_NCHANGES] = { 0 };
	json_t *o = diag_summary(t->d), *by_code = json_object();
	char object[TOPO_OBJECT_BYTES];

	if (!diag_is_text(t->d) && diag_settings(t->d)->format != DIAG_LINES)
		json_object_set_new(diag_doc(t->d), "differences", json_array());
	for (size_t i = 0; i < c->n; i++) {
		const struct topo_difference *x = &c->d[i];
		uint64_t id = diag_finding_id(topo_change_code(x->change),
			topo_difference_object(t->was, t->is, x, object));

		if (!has_selected(t->was, t->was_only, x->was) && !has_selected(t->is, t->is_only,
		    x->is)) {
			n.unselected++;
			continue;
		}
		if (is_known(t, x, id)) {
			n.hidden++;
			continue;
		}
		n.reported++;
		counts[x->change]++;
		difference_tell(t, x, id, object);
	}
	verdict(t, c, was_name, is_name, &n);
	for (unsigned i = 0; i < TOPO_NCHANGES; i++)
		json_object_set_new(by_code, topo_change_code((enum topo_change)i),
			json_integer(counts[i]));
	end_side(o, "was", was_name, t->was);
	end_side(o, "is", is_name, t->is);
	json_object_set_new(o, "differences", json_integer(n.reported));
	json_object_set_new(o, "suppressed", json_integer(n.hidden));
	json_object_set_new(o, "not_selected", json_integer(n.unselected));
	json_object_set_new(o, "same_cables", json_integer(c->same));
	json_object_set_new(o, "by_code", by_code);
}
