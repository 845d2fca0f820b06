/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * smpquery.c - prints attributes of one node; each operation reads one.
 * Room: diags/tools. smpquery_tables.c has the operations that read tables.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/show.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/tools/smpquery.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"

struct smpquery {
	bool combined, extended;
};

int
smpquery_port(struct diag *d, int argc, char **argv, uint8_t *port)
{
	uint64_t v = 0;

	if (argc > 0 && !diag_number(argv[0], 255, &v))
		return diag_fail(d, EXIT_USAGE, "usage", "\"%s\" is not a port number", argv[0]);
	*port = (uint8_t)v;
	json_object_set_new(diag_doc(d), "port", json_integer(*port));
	return 0;
}

static int
node_info(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	char label[DIAG_LABEL_BYTES];
	uint8_t data[64];

	(void)argc;
	(void)argv;
	if (diag_get(d, to, NODE_INFO_ID, 0, data))
		return diag_op_failed(d, "node info query failed");
	diag_text(d, "# Node info: %s\n", diag_label(to, label));
	json_object_set_new(diag_doc(d), "node_info", diag_attr(d, &node_info_desc, data));
	return EXIT_OK;
}

static int
node_desc(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	char name[DIAG_NAME_BYTES], dots[33];
	uint8_t info[64], desc[64];
	size_t n;

	(void)argc;
	(void)argv;
	if (diag_get(d, to, NODE_INFO_ID, 0, info))
		return diag_op_failed(d, "node info query failed");
	if (diag_get(d, to, NODE_DESC_ID, 0, desc))
		return diag_op_failed(d, "node desc query failed");
	diag_name(d, node_info_decode(info).node_guid, desc, name);
	n = strlen(name) < 32 ? 32 - strlen(name) : 1;
	memset(dots, '.', n);
	dots[n] = '\0';
	diag_text(d, "Node Description:%s%s\n", dots, name);
	json_object_set_new(diag_doc(d), "node_guid",
		diag_json_guid(node_info_decode(info).node_guid));
	attr_json_set_text(diag_doc(d), "node_desc", desc, sizeof(desc));
	attr_json_set_text(diag_doc(d), "name", (const uint8_t *)name, strlen(name));
	return EXIT_OK;
}

static int
port_info(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	struct smpquery *opt = diag_state(d);
	char label[DIAG_LABEL_BYTES];
	uint8_t data[64], port;
	struct port_info p;
	int r = smpquery_port(d, argc, argv, &port);

	if (r)
		return r;
	if (diag_get(d, to, PORT_INFO_ID, port | (opt->extended ? PORT_INFO_EXTENDED_SPEEDS : 0),
	    data))
		return diag_op_failed(d, "port info query failed");
	diag_text(d, "# Port info: %s port %d\n", diag_label(to, label), port);
	p = port_info_decode(data);
	if (diag_is_text(d))
		diag_port_info_text(d, data, 0);
	else
		json_object_set_new(diag_doc(d), "port_info", attr_to_json(&port_info_desc, &p,
			diag_settings(d)->show_keys));
	return EXIT_OK;
}

/* Checks the capability masks for PortInfoExtended. Returns 0 or an exit status. */
static int
has_port_info_ext(struct diag *d, const struct diag_addr *to, uint8_t port)
{
	uint8_t data[64];
	struct port_info p;

	if (diag_get(d, to, NODE_INFO_ID, 0, data))
		return diag_op_failed(d, "node info query failed");
	if (diag_get(d, to, PORT_INFO_ID, node_info_decode(data).node_type == 2 ? 0 : port, data))
		return diag_op_failed(d, "port info query failed");
	p = port_info_decode(data);
	if (p.capability_mask & PORT_CAP_MASK2 && p.capability_mask2 & PORT_CAP2_PORT_INFO_EXT)
		return 0;
	return diag_fail(d, EXIT_PARTIAL, "unsupported",
		"operation %s: port info extended not supported", diag_word(d));
}

static int
port_attr(struct diag *d, const struct diag_addr *to, uint8_t port, const struct attr_desc *desc,
	const char *title,
	const char *key, const char *failed)
{
	char label[DIAG_LABEL_BYTES];
	uint8_t data[64];

	if (diag_get(d, to, desc->id, port, data))
		return diag_op_failed(d, failed);
	diag_text(d, "# %s: %s port %d\n", title, diag_label(to, label), port);
	json_object_set_new(diag_doc(d), key, diag_attr(d, desc, data));
	return EXIT_OK;
}

static int
port_info_ext(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	uint8_t port;
	int r = smpquery_port(d, argc, argv, &port);

	if (!r)
		r = has_port_info_ext(d, to, port);
	return r ? r : port_attr(d, to, port, &port_info_ext_desc, "Port info Extended",
		"port_info_ext", "port info extended query failed");
}

static int
mlnx_ext_port_info(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	uint8_t port;
	int r = smpquery_port(d, argc, argv, &port);

	return r ? r : port_attr(d, to, port, &mlnx_ext_port_info_desc, "MLNX ext Port info",
		"mlnx_ext_port_info",
		"Mellanox ext port info query failed");
}

static int
switch_info(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	char label[DIAG_LABEL_BYTES];
	uint8_t data[64];

	(void)argc;
	(void)argv;
	if (diag_get(d, to, SWITCH_INFO_ID, 0, data))
		return diag_op_failed(d, "switch info query failed");
	diag_text(d, "# Switch info: %s\n", diag_label(to, label));
	json_object_set_new(diag_doc(d), "switch_info", diag_attr(d, &switch_info_desc, data));
	return EXIT_OK;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct smpquery *opt = diag_state(d);

	(void)d;
	(void)value;
	if (id == 'c')
		opt->combined = true;
	else if (id == 'x')
		opt->extended = true;
	else
		return -ENOENT;
	return 0;
}

/* With -c the address has two operands: a LID, and the directed route from there. */
static int
address(struct diag *d, int argc, char **argv, struct diag_addr *to, int *taken)
{
	struct smpquery *opt = diag_state(d);

	if (!opt->combined)
		return diag_address(d, argv[0], to);
	if (argc < 2)
		return diag_usage(d, "-c needs a LID and a route");
	*taken = 2;
	return diag_address_combined(d, argv[0], argv[1], to);
}

static const struct diag_option options[] = {
	{ 'c', "combined", NULL, "use Combined route address argument" },
	{ 'x', "extended", NULL, "use extended speeds" },
	{ 0, NULL, NULL, NULL },
};

static const struct diag_op ops[] = {
	{ "NodeInfo", "NI", "<addr>", node_info },
	{ "NodeDesc", "ND", "<addr>", node_desc },
	{ "PortInfo", "PI", "<addr> [<portnum>]", port_info },
	{ "PortInfoExtended", "PIE", "<addr> [<portnum>]", port_info_ext },
	{ "SwitchInfo", "SI", "<addr>", switch_info },
	{ "PKeyTable", "PKeys", "<addr> [<portnum>]", smpquery_pkeys },
	{ "SL2VLTable", "SL2VL", "<addr> [<portnum>]", smpquery_sl2vl },
	{ "VLArbitration", "VLArb", "<addr> [<portnum>]", smpquery_vlarb },
	{ "GUIDInfo", "GI", "<addr>", smpquery_guids },
	{ "MlnxExtPortInfo", "MEPI", "<addr> [<portnum>]", mlnx_ext_port_info },
	{ NULL, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"portinfo 3 1\t\t\t\t# portinfo by lid, with port modifier",
	"-G switchinfo 0x2C9000100D051 1\t# switchinfo by guid",
	"-D nodeinfo 0\t\t\t\t# nodeinfo by direct route",
	"-c nodeinfo 6 0,12\t\t\t# nodeinfo by combined route",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "smpquery", .operands = "<op> <dest dr_path|lid|guid> [op params]",
	.about = "queries subnet management attributes of a node",
	.examples = examples, .options = options, .ops = ops, .flags = DIAG_NAMES | DIAG_REPLAY,
	.option = option, .address = address,
	.state_bytes = sizeof(struct smpquery),
};
