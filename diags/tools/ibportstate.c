/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibportstate.c - shows a port with the other end of its link, or changes the port.
 * Room: diags/tools. ibportstate_words.c parses the command line and compares the ends.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/show.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/fabric/fabric.h"
#include "diags/tools/ibportstate.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"

enum { OPT_DRY_RUN = DIAG_LONG };

struct ibportstate {
	bool dry_run;
};

/* A port and the attributes read from it. */
struct port {
	struct diag_addr addr;
	uint8_t num;
	struct node_info node;
	bool vendor;                    /* has the vendor's extended PortInfo */
	bool extended;
	uint8_t image[64], vendor_image[64];
};

static bool
is_switch(const struct port *p)
{
	return p->node.node_type == NODE_TYPE_SWITCH;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct ibportstate *opt = diag_state(d);

	(void)d;
	(void)value;
	if (id != OPT_DRY_RUN)
		return -ENOENT;
	opt->dry_run = true;
	return 0;
}

/* ---- requests ---- */

static int
read_node(struct diag *d, struct port *p)
{
	uint8_t data[64];

	if (diag_get(d, &p->addr, NODE_INFO_ID, 0, data))
		return diag_give_up(d, "smp query nodeinfo failed");
	p->node = node_info_decode(data);
	p->vendor = diag_settings(d)->mlx_epi && fab_has_vendor_port_info(p->node.vendor_id,
		p->node.device_id);
	return 0;
}

static int
read_port(struct diag *d, struct port *p)
{
	uint8_t zero[64];

	if (diag_get(d, &p->addr, PORT_INFO_ID, p->num, p->image))
		return diag_give_up(d, "smp query portinfo failed");
	memcpy(zero, p->image, sizeof(zero));
	if (is_switch(p) && p->num && diag_get(d, &p->addr, PORT_INFO_ID, 0, zero))
		return diag_give_up(d, "smp query port 0 portinfo failed");
	p->extended = port_info_decode(zero).capability_mask & PORT_CAP_EXTENDED_SPEEDS;
	return 0;
}

static int
read_vendor(struct diag *d, struct port *p)
{
	if (p->vendor && diag_get(d, &p->addr, MLNX_EXT_PORT_INFO_ID, p->num, p->vendor_image))
		return diag_give_up(d, "smp query ext portinfo failed");
	return 0;
}

/* ---- output ---- */

static void
put_port(struct diag *d, const struct port *p)
{
	static const char *const always[] = { "state", "phys_state", "lid", "master_sm_lid", "lmc",
		"width_supported", "width_enabled",
		"width_active", "speed_supported", "speed_enabled", "speed_active", NULL };
	static const char *const ext[] = { "speed_ext_supported", "speed_ext_enabled",
		"speed_ext_active", NULL };
	static const char *const ext2[] = { "speed_ext_supported2", "speed_ext_enabled2",
		"speed_ext_active2", NULL };
	static const char *const keys[] = { "mkey", "mkey_lease_period_s", "mkey_protect", NULL };
	char label[DIAG_LABEL_BYTES];

	diag_text(d, "# Port info: %s port %d\n", diag_label(&p->addr, label), p->num);
	diag_fields(d, &port_info_desc, p->image, always, 0);
	if (p->extended)
		diag_fields(d, &port_info_desc, p->image, ext, 0);
	if (p->extended && port_info_decode(p->image).speed_ext_supported2)
		diag_fields(d, &port_info_desc, p->image, ext2, 0);
	if (!is_switch(p) || !p->num)
		diag_fields(d, &port_info_desc, p->image, keys, 0);
}

static void
put_vendor(struct diag *d, const struct port *p)
{
	char label[DIAG_LABEL_BYTES];

	if (!p->vendor)
		return;
	diag_text(d, "# MLNX ext Port info: %s port %d\n", diag_label(&p->addr, label), p->num);
	json_decref(diag_attr(d, &mlnx_ext_port_info_desc, p->vendor_image));
}

static json_t *
port_json(struct diag *d, const struct port *p)
{
	struct mlnx_ext_port_info v = mlnx_ext_port_info_decode(p->vendor_image);
	struct port_info i = port_info_decode(p->image);
	bool keys = diag_settings(d)->show_keys;
	json_t *o = json_object();

	json_object_set_new(o, "target", diag_json_addr(&p->addr));
	json_object_set_new(o, "port", json_integer(p->num));
	json_object_set_new(o, "type", json_string(fab_type_word(p->node.node_type)));
	json_object_set_new(o, "node_guid", diag_json_guid(p->node.node_guid));
	json_object_set_new(o, "port_info", attr_to_json(&port_info_desc, &i, keys));
	json_object_set_new(o, "mlnx_ext_port_info",
		p->vendor ? attr_to_json(&mlnx_ext_port_info_desc, &v, keys) : json_null());
	return o;
}

/* ---- changing ---- */

static int
set_vendor(struct diag *d, const struct portstate_want *w, struct port *p)
{
	struct mlnx_ext_port_info v = mlnx_ext_port_info_decode(p->vendor_image);

	v.state_change_enable = 1;      /* otherwise the node ignores the speed */
	v.speed_enabled = (uint8_t)w->value[SET_FDR10];
	mlnx_ext_port_info_patch(p->vendor_image, &v);
	if (diag_set(d, &p->addr, MLNX_EXT_PORT_INFO_ID, p->num, p->vendor_image))
		return diag_give_up(d, "smp set MLNX ext portinfo failed");
	diag_text(d, "\nAfter MLNXExtendedPortInfo set:\n");
	p->vendor = true;
	put_vendor(d, p);
	return 0;
}

static int
change(struct diag *d, const struct portstate_want *w, struct port *p)
{
	struct ibportstate *opt = diag_state(d);
	struct port_info i = port_info_decode(p->image);
	int r = 0;

	if (w->op == OP_ON && i.phys_state != PHYS_STATE_DISABLED) {
		diag_text(d, "Port is already in enable state\n");
		return 0;
	}
	if (w->op == OP_DISABLE || w->op == OP_OFF)
		diag_text(d, "Disable may be irreversible\n");
	portstate_apply(w, p->extended, &i);
	port_info_patch(p->image, &i);
	if (opt->dry_run) {
		diag_text(d, "\nNothing is set: --dry-run\n");
		return 0;
	}
	if (w->set & 1u << SET_FDR10)
		r = set_vendor(d, w, p);
	if (r)
		return r;
	if (diag_set(d, &p->addr, PORT_INFO_ID, p->num | (p->extended ? PORT_INFO_EXTENDED_SPEEDS :
	    0),
	    p->image))
		return diag_give_up(d, "smp set portinfo failed");
	diag_text(d, "\nAfter PortInfo set:\n");
	put_port(d, p);
	json_object_set_new(diag_doc(d), "after", port_json(d, p));
	return 0;
}

/* ---- the other end ---- */

static int
peer_address(struct diag *d, const struct port *p, struct diag_addr *a)
{
	*a = p->addr;
	if (a->kind == DIAG_ADDR_PATH) {
		if (a->hop_count >= DGRAM_HOPS_MAX)
			return diag_fail(d, EXIT_USAGE, "usage", "Too many hops");
	} else {
		a->kind = DIAG_ADDR_COMBINED;
		a->dr_slid = diag_port(d)->lid;
		a->dr_dlid = LID_PERMISSIVE;
		a->hop_count = 0;
		a->path[0] = 0;
	}
	a->path[++a->hop_count] = p->num;
	return 0;
}

static struct portstate_end
end_of(const struct port *p)
{
	return (struct portstate_end){
		.info = port_info_decode(p->image), .extended = p->extended,
		.vendor = mlnx_ext_port_info_decode(p->vendor_image),
	};
}

static int
show_peer(struct diag *d, const struct port *p)
{
	struct port peer = { .num = 0 };
	struct portstate_end a, b;
	char object[64];
	int r = peer_address(d, p, &peer.addr);

	if (!r)
		r = read_node(d, &peer);
	if (r)
		return r;
	peer.num = peer.node.local_port;
	diag_text(d, "Peer PortInfo:\n");
	r = read_port(d, &peer);
	if (!r)
		r = read_vendor(d, &peer);
	if (r)
		return r;
	put_port(d, &peer);
	put_vendor(d, &peer);
	json_object_set_new(diag_doc(d), "peer", port_json(d, &peer));
	a = end_of(p);
	b = end_of(&peer);
	snprintf(object, sizeof(object), "0x%016" PRIx64 "/%u", p->node.node_guid, p->num);
	portstate_compare(d, object, &a, &b);
	return 0;
}

/* ---- the program ---- */

static int
show_and_change(struct diag *d, const struct portstate_want *w, struct port *p)
{
	bool changes = w->op != OP_QUERY || w->set;
	int r = read_node(d, p);

	if (r)
		return r;
	if (w->set & (1u << SET_MKEY | 1u << SET_MKEYLEASE | 1u << SET_MKEYPROT) && is_switch(p) &&
	    p->num)
		return diag_fail(d, EXIT_USAGE, "usage",
			"Can't set M_Key fields on switch port != 0");
	diag_text(d, "%s%s PortInfo:\n", changes ? "Initial " : "",
		is_switch(p) ? "Switch" : "CA/RT");
	r = read_port(d, p);
	if (r)
		return r;
	put_port(d, p);
	r = read_vendor(d, p);
	if (r)
		return r;
	put_vendor(d, p);
	json_object_set_new(diag_doc(d), "initial", port_json(d, p));
	if (changes)
		return change(d, w, p);
	if (is_switch(p) && p->num && port_info_decode(p->image).state == PORT_STATE_ACTIVE)
		return show_peer(d, p);
	return 0;
}

static int
ibportstate_run(struct diag *d, int argc, char **argv)
{
	struct portstate_want w = { .op = OP_QUERY };
	struct port p = { .num = 0 };
	uint64_t num;
	int r;

	if (argc < 2)
		return diag_usage(d, "an address and a port number are needed");
	if (!diag_number(argv[1], 254, &num))
		return diag_usage(d, "\"%s\" is not a port number", argv[1]);
	p.num = (uint8_t)num;
	r = portstate_words(d, argc - 2, argv + 2, &w);
	if (!r)
		r = diag_open(d);
	if (!r)
		r = diag_address(d, argv[0], &p.addr);
	if (r)
		return r;
	json_object_set_new(diag_doc(d), "operation", json_string(portstate_op_word(w.op)));
	json_object_set_new(diag_doc(d), "initial", json_null());
	json_object_set_new(diag_doc(d), "after", json_null());
	json_object_set_new(diag_doc(d), "peer", json_null());
	return show_and_change(d, &w, &p);
}

static const struct diag_option options[] = {
	{ OPT_DRY_RUN, "dry-run", NULL, "read the port and check the arguments, but set nothing" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"-C qib0 -P 1 3 1 disable     # by CA name, CA Port Number, lid, physical port number",
	"-C qib0 -P 1 3 1 enable      # by CA name, CA Port Number, lid, physical port number",
	"-D 0 1\t\t\t# (query) by direct route",
	"3 1 reset\t\t\t# by lid",
	"3 1 speed 1\t\t\t# by lid",
	"3 1 width 1\t\t\t# by lid",
	"-D 0 1 lid 0x1234 arm\t\t# by direct route",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibportstate",
	.operands = "<dest dr_path|lid|guid> <portnum> [<op>]\n\n"
		"Supported ops: enable, disable, on, off, reset, speed, espeed, fdr10,\n"
		"\twidth, query, down, arm, active, vls, mtu, lid, smlid, lmc,\n"
		"\tmkey, mkeylease, mkeyprot\n",
	.about = "shows a port and the other end of its link, or changes the port",
	.examples = examples, .options = options, .option = option, .run = ibportstate_run,
	.state_bytes = sizeof(struct ibportstate),
};
