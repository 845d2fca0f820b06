/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * iblinkinfo.c - shows every link of the fabric, or the links around a node, from both ends; or the
 * differences from a saved fabric.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/chassis.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/link.h"
#include "diags/fabric/select.h"
#include "diags/tools/iblinkinfo.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

enum {
	OPT_LOAD_CACHE = DIAG_LONG, OPT_DIFF, OPT_DIFFCHECK, OPT_FILTER_DOWN, OPT_SWITCHES, OPT_CAS,
};

struct iblinkinfo {
	struct part part;          /* options -G -S, -D, -n, -a */
	const char *load_cache, *diff, *filter;
	struct link_out out;
};

static void
state_init(void *state)
{
	*(struct iblinkinfo *)state = (struct iblinkinfo){ .out = { .checks = LINK_CHECK_PORT |
		LINK_CHECK_STATE } };
}

static int
set_checks(struct diag *d, const char *value)
{
	struct iblinkinfo *want = diag_state(d);
	static const char *const words[] = { "port", "state", "lid", "nodedesc" };
	char word[16];
	unsigned bit;
	size_t n;

	want->out.checks = 0;
	for (; *value; value += n + (value[n] == ',')) {
		n = strcspn(value, ",");
		snprintf(word, sizeof(word), "%.*s", (int)(n < 15 ? n : 15), value);
		for (bit = 0; bit < 4 && strcasecmp(words[bit], word); bit++)
			;
		if (bit == 4)
			return diag_usage(d, "invalid diff check key: %s", word);
		want->out.checks |= 1u << bit;
	}
	return 0;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct iblinkinfo *want = diag_state(d);
	uint64_t v;

	switch (id) {
	case 'S': case 'G': want->part.guid = value; return 0;
	case 'D': want->part.path = value; return 0;
	case 'a': want->part.all = true; return 0;
	case 'n':
		if (!diag_number(value, DGRAM_HOPS_MAX, &v))
			return diag_usage(d, "Invalid number of hops \"%s\"", value);
		want->part.hops = (unsigned)v;
		return 0;
	case 'd': want->out.down = true; return 0;
	case 'l': want->out.line = true; return 0;
	case 'p': want->out.times = true; return 0;
	case OPT_LOAD_CACHE: want->load_cache = value; return 0;
	case OPT_DIFF: want->diff = value; return 0;
	case OPT_DIFFCHECK: return set_checks(d, value);
	case OPT_FILTER_DOWN: want->filter = value; return 0;
	case OPT_SWITCHES: want->out.type = 2; return 0;
	case OPT_CAS: want->out.type = 1; return 0;
	}
	return -ENOENT;
}

static void
make_scope(const struct iblinkinfo *want, const struct diag_fabric *f, uint32_t node,
	struct scope *s)
{
	const struct part *w = &want->part;

	*s = (struct scope){ .start = FAB_NONE };
	if (!part_is_wanted(w)) {
		scope_all(s, f);
		return;
	}
	/* A route that begins with a LID and ends at an adapter cannot be extended, so such a node
	 * is shown alone. */
	scope_around(s, f, node, part_reach(w), w->guid && !w->path &&
		!fab_is_switch(&f->s->nodes[node]));
	if (!w->guid && !w->path)
		s->start = FAB_NONE;
}

/* ---- output ---- */

static void
add_row(const struct iblinkinfo *want, const struct link_view *v, const struct fab_port *p)
{
	struct diag *d = want->out.d;
	struct port_info i = port_info_decode(p->info);
	json_t *o = fab_json_port(d, v->f, p);
	unsigned ext = chassis_ext_port(v->f, v->chassis, p);

	if (ext)
		json_object_set_new(json_object_get(o, "local"), "ext_port", json_integer(ext));
	ext = fab_peer_of(v->f, p) ? chassis_ext_port(v->f, v->chassis, fab_peer_of(v->f, p)) : 0;
	if (ext)
		json_object_set_new(json_object_get(o, "peer"), "ext_port", json_integer(ext));
	json_object_set_new(o, "could_be", link_json_hint(v->f, p));
	json_object_set_new(o, "hoq_life", json_integer(i.hoq_life));
	json_object_set_new(o, "vl_stall_count", json_integer(i.vl_stall_count));
	diag_row(d, "ports", o);
}

/* Reports whether a node of the scope is shown: all of them, or only the start node if one was
 * named and -a was not given. */
static bool
node_is_shown(const struct iblinkinfo *want, const struct link_view *v, uint32_t node)
{
	const struct scope *s = v->scope;

	if (want->out.type && v->f->s->nodes[node].type != want->out.type)
		return false;
	return want->part.all || s->start == FAB_NONE || node == s->start;
}

/* Fills the document, in order of node GUID and port. The text keeps the order of discovery. */
static void
make_document(struct iblinkinfo *want, const struct link_view *v)
{
	const struct snapshot *s = v->f->s;
	bool *in;

	if (diag_is_text(want->out.d))
		return;
	fab_summary(want->out.d, v->f);
	in = xcalloc(s->nnodes + 1u, sizeof(*in));
	for (uint32_t i = 0; i < v->scope->n; i++)
		in[v->scope->order[i]] = node_is_shown(want, v, v->scope->order[i]);
	for (uint32_t i = 0; i < s->nports; i++)
		if (in[s->ports[i].node] && link_wanted(&want->out, v, &s->ports[i]))
			add_row(want, v, &s->ports[i]);
	free(in);
}

static int
links_show(struct iblinkinfo *want, struct link_view *now, const struct diag_fabric *then)
{
	struct diag *d = want->out.d;
	bool any = false;

	make_document(want, now);
	if (then) {
		struct chassis_map chassis;
		struct scope all;
		struct link_view old = { then, &chassis, &all };

		chassis_find(then, &chassis);
		scope_all(&all, then);
		link_diff(&want->out, &old, now, now->scope->start == FAB_NONE ||
			want->part.all ? NULL : &now->f->s->nodes[now->scope->start]);
		scope_clear(&all);
		chassis_clear(&chassis);
		return 0;
	}
	for (uint32_t i = 0; i < now->scope->n; i++)
		if (node_is_shown(want, now, now->scope->order[i])) {
			any = true;
			link_put_node(&want->out, now, &now->f->s->nodes[now->scope->order[i]], "");
		}
	if (!any && (want->part.guid || want->part.path) && !want->part.all)
		return diag_fail(d, EXIT_FINDINGS, "not_found", "Failed to find port: %s",
			want->part.path ? want->part.path : want->part.guid);
	return 0;
}

static int
show_scope(struct diag *d, const struct diag_fabric *f, uint32_t node,
	const struct diag_fabric *then)
{
	struct iblinkinfo *want = diag_state(d);
	struct chassis_map chassis;
	struct scope s;
	struct link_view v = { f, &chassis, &s };
	struct selection *selection;
	int r = diag_selection(d, f, &selection);

	if (!r) {
		make_scope(want, f, node, &s);
		want->out.selection = selection;
		chassis_find(f, &chassis);
		r = links_show(want, &v, then);
		chassis_clear(&chassis);
		select_free(selection);
		scope_clear(&s);
	}
	return r;
}

static int
iblinkinfo_run(struct diag *d, int argc, char **argv)
{
	struct iblinkinfo *want = diag_state(d);
	struct diag_fabric f = { 0 }, then = { 0 }, filter = { 0 };
	uint32_t node = FAB_NONE;
	int r = 0;

	(void)argc;
	(void)argv;
	want->out.d = d;
	if (want->diff)
		r = diag_fabric_load(d, want->diff, &then);
	if (!r && want->filter)
		r = diag_fabric_load(d, want->filter, &filter);
	if (!r)
		r = want->load_cache ? diag_fabric_load(d, want->load_cache, &f) :
			part_fabric(d, &want->part, &f, &node);
	if (!r && node == FAB_NONE)
		r = part_start(d, &want->part, &f, &node);
	want->out.known_down = want->filter ? &filter : NULL;
	if (!r)
		r = show_scope(d, &f, node, want->diff ? &then : NULL);
	diag_fabric_clear(&f);
	diag_fabric_clear(&then);
	diag_fabric_clear(&filter);
	return r;
}

static const struct diag_option options[] = {
	{ 'S', "switch", "<port_guid>",
		"start partial scan at the port specified by <port_guid> (hex format)" },
	{ 'G', "port-guid", "<port_guid>", "(same as -S)" },
	{ 'D', "Direct", "<dr_path>", "start partial scan at the port specified by <dr_path>" },
	{ 'a', "all", NULL, "print all nodes found in a partial fabric scan" },
	{ 'n', "hops", "<hops>", "Number of hops to include away from specified node" },
	{ 'd', "down", NULL, "print only down links" },
	{ 'l', "line", NULL, "(line mode) print all information for each link on a single line" },
	{ 'p', "additional", NULL,
		"print additional port settings (PktLifeTime, HoqLife, VLStallCount)" },
	{ OPT_LOAD_CACHE, "load-cache", "<file>", "filename of ibnetdiscover cache to load" },
	{ OPT_DIFF, "diff", "<file>", "filename of ibnetdiscover cache to diff" },
	{ OPT_DIFFCHECK, "diffcheck", "<key(s)>", "specify checks to execute for --diff" },
	{ OPT_FILTER_DOWN, "filterdownports", "<file>",
		"filename of ibnetdiscover cache to filter downports" },
	{ OPT_SWITCHES, "switches-only", NULL, "Output only switches" },
	{ OPT_CAS, "cas-only", NULL, "Output only CAs" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "iblinkinfo", .operands = "", .about =
		"shows every link of the fabric from both of its ends",
	.masked = "DGKLd", .options = options, .flags = DIAG_FABRIC, .rows = "ports",
	.option = option, .run = iblinkinfo_run,
	.state_bytes = sizeof(struct iblinkinfo), .init = state_init,
};
