/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibroute.c - prints the forwarding table of one switch.
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/tools/fts.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

struct ibroute {
	struct fts_want want;
	struct fts_dest dest; /* result of lid_owner(), valid until its next call */
};

static int
option(struct diag *d, int id, const char *value)
{
	struct ibroute *my = diag_state(d);

	(void)value;
	return fts_option(&my->want, id);
}

/* ---- destinations: each LID is queried ---- */

struct asked {
	uint8_t answers;                /* bits of the attributes answered */
	uint8_t node_info[64], node_desc[64], port_info[64];
};
enum { HAS_NODE_INFO = 1, HAS_NODE_DESC = 2, HAS_PORT_INFO = 4, HAS_ALL = 7 };

static void
on_reply(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct asked *a = arg;

	(void)d;
	if (r->end != DIAG_OK)
		return;
	memcpy(q->attr_id == NODE_INFO_ID ? a->node_info : q->attr_id == NODE_DESC_ID ?
		a->node_desc : a->port_info, r->data, 64);
	a->answers |= q->attr_id == NODE_INFO_ID ? HAS_NODE_INFO : q->attr_id == NODE_DESC_ID ?
		HAS_NODE_DESC : HAS_PORT_INFO;
}

static const struct fts_dest *
lid_owner(struct diag *d, void *arg, uint16_t lid)
{
	struct ibroute *my = diag_state(d);
	const struct asked *a = (const struct asked *)arg + lid;
	struct node_info n = node_info_decode(a->node_info);
	struct port_info p = port_info_decode(a->port_info);

	if (a->answers != HAS_ALL) {
		fts_dest_unknown(&my->dest, ": (unknown node and type)");
		return &my->dest;
	}
	my->dest.port_guid = n.port_guid;
	my->dest.type = n.node_type;
	my->dest.lmc = p.lmc;
	my->dest.base_lid = p.lid;
	diag_name(d, n.node_guid, a->node_desc, my->dest.name);
	fts_dest_known(&my->dest);
	return &my->dest;
}

/* Queries all LIDs that have a port in the table, all at once. The caller frees the result, an
 * array by LID. */
static struct asked *
ask_everybody(struct diag *d, const struct fts *t)
{
	static const uint16_t attrs[] = { NODE_INFO_ID, NODE_DESC_ID, PORT_INFO_ID };
	struct asked *a = xcalloc(LID_UCAST_MAX + 1u, sizeof(*a));

	for (uint32_t lid = t->first; lid <= t->last; lid++) {
		int port = fts_port(t, lid);
		struct diag_addr to = diag_addr_lid((uint16_t)lid);

		if (port < 0 || port > t->nports || !lid)
			continue;
		for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
			diag_submit(d, &(struct diag_request){ .to = &to, .attr_id = attrs[i],
				.quiet = true }, on_reply, &a[lid]);
	}
	diag_run_many(d);
	return a;
}

/* ---- the switch ---- */

static int
no_switch(struct diag *d, const char *why)
{
	return diag_give_up(d, "dump tables: %s", why);
}

static int
look_at_switch(struct diag *d, struct fts *t)
{
	uint8_t info[64], desc[64], sw[64];
	struct node_info n;

	if (diag_get(d, &t->addr, NODE_INFO_ID, 0, info))
		return no_switch(d, "node info failed: valid addr?");
	if (diag_get(d, &t->addr, NODE_DESC_ID, 0, desc))
		return no_switch(d, "node desc failed");
	n = node_info_decode(info);
	if (n.node_type != 2)
		return diag_fail(d, EXIT_USAGE, "usage", "dump tables: not a switch");
	if (diag_get(d, &t->addr, SWITCH_INFO_ID, 0, sw))
		return no_switch(d, "switch info failed: is a switch node?");
	t->guid = n.node_guid;
	t->nports = n.num_ports;
	t->info = switch_info_decode(sw);
	diag_name(d, n.node_guid, desc, t->name);
	return 0;
}

static int
ibroute_run(struct diag *d, int argc, char **argv)
{
	struct ibroute *my = diag_state(d);
	struct fts t = { .guid = 0 };
	struct asked *a = NULL;
	int r;

	if (!argc)
		return diag_usage(d, "the address of a switch is needed");
	r = fts_range(d, &my->want, argc - 1, argv + 1);
	if (!r)
		r = diag_open(d);
	if (!r)
		r = diag_address(d, argv[0], &t.addr);
	if (r)
		return r;
	json_object_set_new(diag_doc(d), "target", diag_json_addr(&t.addr));
	r = look_at_switch(d, &t);
	if (r)
		return r;
	fts_plan(d, &my->want, &t);
	r = fts_read(d, &t, 1, NULL, NULL);
	if (!r && !my->want.brief && !my->want.multicast)
		a = ask_everybody(d, &t);
	if (!r)
		fts_show(d, &my->want, &t, lid_owner, a);
	free(a);
	fts_clear(&t);
	return r;
}

static const struct diag_option options[] = {
	{ 'a', "all", NULL, "show all lids, even invalid entries" },
	{ 'n', "no_dests", NULL, "do not try to resolve destinations" },
	{ 'M', "Multicast", NULL, "show multicast forwarding tables" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	" -- Unicast examples:",
	"4\t# dump all lids with valid out ports of switch with lid 4",
	"-a 4\t# same, but dump all lids, even with invalid out ports",
	"-n 4\t# simple dump format - no destination resolving",
	"4 10\t# dump lids starting from 10",
	"4 0x10 0x20\t# dump lid range",
	"-G 0x08f1040023\t# resolve switch by GUID",
	"-D 0,1\t# resolve switch by direct path",
	" -- Multicast examples:",
	"-M 4\t# dump all non empty mlids of switch with lid 4",
	"-M 4 0xc010 0xc020\t# same, but with range",
	"-M -n 4\t# simple dump format",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibroute", .operands = "[<dest dr_path|lid|guid> [<startlid> [<endlid>]]]",
	.about = "shows the forwarding table of a switch",
	.examples = examples, .masked = "K", .options = options, .flags = DIAG_NAMES | DIAG_REPLAY,
	.rows = "routes", .option = option, .run = ibroute_run,
	.state_bytes = sizeof(struct ibroute),
};
