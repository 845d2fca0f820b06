/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_plan.c - `heddle-route plan`: computes LIDs and tables, and shows the verifier's result.
 * Room: cli/route.
 */
#include <config.h>
#include "cli/route/commands.h"
#include "cli/route/dump.h"
#include "cli/route/lanes_dump.h"
#include "cli/route/loads.h"
#include "cli/route/names.h"
#include "cli/route/view.h"
#include "util/optab.h"
#include "util/xalloc.h"

/* Two hexadecimal digits for each LID, from LID 0. */
static json_t *
row_json(const uint8_t *row, uint32_t n)
{
	static const char digits[] = "0123456789abcdef";
	char *text = xmalloc((size_t)n * 2 + 1);
	json_t *j;

	for (uint32_t i = 0; i < n; i++) {
		text[i * 2] = digits[row[i] >> 4];
		text[i * 2 + 1] = digits[row[i] & 15];
	}
	j = json_stringn(text, (size_t)n * 2);
	free(text);
	return j;
}

static json_t *
tables_json(const struct view *v)
{
	json_t *list = json_array();
	char name[NAMES_BYTES];

	for (uint32_t sw = 0; sw < v->s->nswitches; sw++) {
		const struct fab_node *n = &v->s->nodes[v->s->switches[sw]];

		json_array_append_new(list,
			json_pack("{s:o, s:s, s:i, s:o}", "node_guid", names_guid_json(n->guid),
				"name", names_node(n, name), "lid",
				(int)v->lids.base[n->first_port], "lft",
				row_json(fwd_row(&v->tables, sw), v->tables.top + 1u)));
	}
	return list;
}

static json_t *
lids_json(const struct view *v)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < v->lids.nports; i++)
		if (v->lids.base[i]) {
			json_t *row = names_port_json(v->s, i);

			json_object_set_new(row, "port_guid", names_guid_json(v->s->ports[i].guid));
			json_object_set_new(row, "lid", json_integer(v->lids.base[i]));
			json_object_set_new(row, "lmc", json_integer(v->lids.lmc[i]));
			json_array_append_new(list, row);
		}
	return list;
}

static int
show_plan(struct tool *t, const struct view *v)
{
	bool drawn = t->form == TOOL_DOT || t->form == TOOL_SVG;

	view_show(t, v);
	if (v->report.code != ROUTE_OK)
		return EXIT_FINDINGS;
	if (t->form == TOOL_LFTS && v->verdict.ok)
		dump_write(t->out, v->s, &v->lids, &v->tables);
	else if (t->form == TOOL_SL2VL && v->verdict.ok)
		lanes_dump_tables(t->out, v->s, &v->lids, &v->tables);
	else if (t->form == TOOL_PATH_SL && v->verdict.ok)
		lanes_dump_paths(t->out, v->s, &v->lids, &v->tables);
	else if (drawn)
		loads_draw(t, v);
	else if (t->form == TOOL_JSON) {
		json_object_set_new(t->doc, "lids", lids_json(v));
		json_object_set_new(t->doc, "switches", tables_json(v));
	}
	return v->verdict.ok ? EXIT_OK : EXIT_FINDINGS;
}

int
cmd_plan(struct tool *t)
{
	struct view v = { .arena = ARENA_INIT };
	struct scene c;
	int r = scene_open(t, &c);

	if (!r)
		r = view_route(t, &c, c.now, NULL, false, &v);
	if (!r || r == EXIT_FINDINGS)
		r = show_plan(t, &v);
	view_clear(&v);
	scene_clear(&c);
	return r;
}
