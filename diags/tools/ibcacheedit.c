/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibcacheedit.c - changes GUIDs of nodes and ports in a saved fabric.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/addr.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "fabric/snapshot/snapshot_json.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

enum { OPT_SWITCH = DIAG_LONG, OPT_CA, OPT_SYSTEM, OPT_PORT };

struct edit {
	uint64_t node, before, after;   /* 'node' only for --portguid */
	bool given;
};
struct ibcacheedit {
	struct edit edits[4]; /* by option: option ID - OPT_SWITCH */
};

/* Parses "BEFORE:AFTER", or "NODE:BEFORE:AFTER" of --portguid. */
static int
option(struct diag *d, int id, const char *value)
{
	struct ibcacheedit *my = diag_state(d);
	size_t want = id == OPT_PORT ? 3 : 2, n = 0;
	char *text = xstrdup(value), *at = text, *colon;
	uint64_t guid[3];

	for (; at && n < want; n++) {
		colon = strchr(at, ':');
		if (colon)
			*colon++ = '\0';
		if (!diag_number(at, UINT64_MAX, &guid[n]) || !guid[n])
			break;
		at = colon;
	}
	free(text);
	if (n < want || at)
		return diag_usage(d, "invalid input '%s'", value);
	my->edits[id - OPT_SWITCH] = (struct edit){ .node = guid[0], .before = guid[want - 2],
		.after = guid[want - 1], .given = true };
	return 0;
}

/* ---- editing ---- */

static void
set_info(struct fab_node *n, uint64_t node, uint64_t port, uint64_t sys)
{
	struct node_info i = node_info_decode(n->node_info);

	i.node_guid = node ? node : i.node_guid;
	i.port_guid = port ? port : i.port_guid;
	i.sys_guid = sys ? sys : i.sys_guid;
	node_info_encode(n->node_info, &i);
}

static struct fab_node *
find_node(struct snapshot *s, uint64_t guid, bool is_switch)
{
	for (uint32_t i = 0; i < s->nnodes; i++)
		if (s->nodes[i].guid == guid && (s->nodes[i].type == NODE_TYPE_SWITCH) == is_switch)
			return &s->nodes[i];
	return NULL;
}

static void
rename_node(struct snapshot *s, struct fab_node *n, uint64_t guid)
{
	for (uint32_t i = 0; i < s->nproblems; i++)
		if (s->problems[i].guid == n->guid)
			s->problems[i].guid = guid;
	n->guid = guid;
	set_info(n, guid, 0, 0);
}

/* Changes the GUID of all ports of a switch. They have the GUID of its port 0, which is usually the
 * node GUID. */
static void
rename_switch_ports(struct snapshot *s, struct fab_node *n, uint64_t guid)
{
	for (unsigned k = 0; k <= n->nports; k++)
		s->ports[n->first_port + k].guid = guid;
	set_info(n, 0, guid, 0);
}

static int
edit_node(struct diag *d, struct snapshot *s, const struct edit *e, bool is_switch)
{
	struct fab_node *n = find_node(s, e->before, is_switch);

	if (!n)
		return diag_fail(d, EXIT_FINDINGS, "not_found", "%sguid = %" PRIx64 " not found",
			is_switch ? "switch" : "ca", e->before);
	rename_node(s, n, e->after);
	if (is_switch)
		rename_switch_ports(s, n, e->after);
	return 0;
}

static int
edit_system(struct diag *d, struct snapshot *s, const struct edit *e)
{
	bool any = false;

	for (uint32_t i = 0; i < s->nnodes; i++)
		if (s->nodes[i].sys_guid == e->before) {
			s->nodes[i].sys_guid = e->after;
			set_info(&s->nodes[i], 0, 0, e->after);
			any = true;
		}
	return any ? 0 : diag_fail(d, EXIT_FINDINGS, "not_found", "sysimgguid = %" PRIx64
		" not found", e->before);
}

static int
edit_port(struct diag *d, struct snapshot *s, const struct edit *e)
{
	uint32_t i = snapshot_node_by_guid(s, e->node);
	struct fab_node *n = i == FAB_NONE ? NULL : &s->nodes[i];
	bool any = false;

	if (!n)
		return diag_fail(d, EXIT_FINDINGS, "not_found", "nodeguid = %" PRIx64 " not found",
			e->node);
	for (unsigned k = 0; k <= n->nports; k++) {
		struct fab_port *p = &s->ports[n->first_port + k];

		if (p->guid != e->before)
			continue;
		any = true;
		p->guid = e->after;
	}
	if (!any)
		return diag_fail(d, EXIT_FINDINGS, "not_found", "portguid = %" PRIx64 " not found",
			e->before);
	if (n->type == NODE_TYPE_SWITCH) {
		rename_switch_ports(s, n, e->after);
		rename_node(s, n, e->after);
	} else if (node_info_decode(n->node_info).port_guid == e->before) {
		set_info(n, 0, e->after, 0);
	}
	return 0;
}

static int
edit_all(struct diag *d, struct snapshot *s)
{
	struct ibcacheedit *my = diag_state(d);
	int r = 0;

	/* The port is edited first, because the option names its node by the GUID before the
	 * change. */
	if (my->edits[3].given)
		r = edit_port(d, s, &my->edits[3]);
	if (!r && my->edits[0].given)
		r = edit_node(d, s, &my->edits[0], true);
	if (!r && my->edits[1].given)
		r = edit_node(d, s, &my->edits[1], false);
	if (!r && my->edits[2].given)
		r = edit_system(d, s, &my->edits[2]);
	return r;
}

/* Fails if two nodes have the same GUID. */
static int
snapshot_verify(struct diag *d, const struct snapshot *s)
{
	char why[SNAPSHOT_WHY_BYTES];
	json_t *o = snapshot_to_json(s);
	struct snapshot *again;
	int r = snapshot_from_json(o, &again, why);

	json_decref(o);
	if (r)
		return diag_fail(d, EXIT_USAGE, "usage", "the new cache would be none: %s", why);
	snapshot_free(again);
	return 0;
}

static int
ibcacheedit_run(struct diag *d, int argc, char **argv)
{
	struct diag_fabric f = { 0 };
	int r;

	if (argc < 1)
		return diag_fail(d, EXIT_USAGE, "usage", "original cache file not specified");
	if (argc < 2)
		return diag_fail(d, EXIT_USAGE, "usage", "new cache file not specified");
	r = diag_fabric_load(d, argv[0], &f);
	if (!r)
		r = edit_all(d, f.s);
	if (!r)
		r = snapshot_verify(d, f.s);
	if (!r)
		r = diag_fabric_save(d, &f, argv[1]);
	if (f.s)
		fab_summary(d, &f);
	diag_fabric_clear(&f);
	return r;
}

static const struct diag_option options[] = {
	{ OPT_SWITCH, "switchguid", "BEFOREGUID:AFTERGUID",
		"Specify before and after switchguid to edit" },
	{ OPT_CA, "caguid", "BEFOREGUID:AFTERGUID", "Specify before and after caguid to edit" },
	{ OPT_SYSTEM, "sysimgguid", "BEFOREGUID:AFTERGUID",
		"Specify before and after sysimgguid to edit" },
	{ OPT_PORT, "portguid", "NODEGUID:BEFOREGUID:AFTERGUID",
		"Specify before and after port guid to edit" },
	{ 0, NULL, NULL, NULL },
};

const struct diag_tool diag_tool = {
	.name = "ibcacheedit", .operands = "<orig.cache> <new.cache>",
	.about = "changes the GUIDs of nodes and ports in a saved fabric",
	.masked = "CPDLGtsKyevdY", .options = options, .flags = DIAG_NO_PORT, .option = option,
	.run = ibcacheedit_run,
	.state_bytes = sizeof(struct ibcacheedit),
};
