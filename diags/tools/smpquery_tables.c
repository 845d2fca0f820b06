/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * smpquery_tables.c - the tables of one node: P_Keys, SL-to-VL, VL arbitration, GUIDs.
 * Room: diags/tools.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/tools/smpquery.h"
#include "libmad/attr/sm_attr.h"

#define PKEYS_PER_BLOCK 32
#define PKEYS_PER_LINE 8
#define GUIDS_PER_BLOCK 8
#define GUIDS_PER_LINE 2
#define VLARB_PER_BLOCK 32

/* Reads NodeInfo and checks that the node has port 'port'. Returns 0 or an exit status. */
static int
node_of(struct diag *d, const struct diag_addr *to, uint8_t port, struct node_info *n)
{
	uint8_t data[64];

	if (diag_get(d, to, NODE_INFO_ID, 0, data))
		return diag_op_failed(d, "node info query failed");
	*n = node_info_decode(data);
	if (port <= n->num_ports)
		return 0;
	return diag_fail(d, EXIT_USAGE, "usage", "operation %s: invalid port number", diag_word(d));
}

/* Prints the lines of one block; the last line is filled up even if the table ends within it. */
static void
show_pkeys(struct diag *d, const uint8_t *data, unsigned block, unsigned total, json_t *list)
{
	struct pkey_table t = pkey_table_decode(data);
	unsigned left = total - block * PKEYS_PER_BLOCK, n = left < PKEYS_PER_BLOCK ? left :
		PKEYS_PER_BLOCK;

	for (unsigned i = 0; i < n; i++) {
		if (i % PKEYS_PER_LINE == 0) {
			diag_text(d, "%4u:", block * PKEYS_PER_BLOCK + i);
			for (unsigned k = i; k < i + PKEYS_PER_LINE; k++)
				diag_text(d, " 0x%04x", t.pkey[k]);
			diag_text(d, "\n");
		}
		json_array_append_new(list, diag_json_hex(t.pkey[i], 4));
	}
}

int
smpquery_pkeys(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	json_t *list = json_array();
	struct node_info n;
	uint8_t data[64], port;
	unsigned total;
	int r;

	json_object_set_new(diag_doc(d), "pkeys", list);
	r = smpquery_port(d, argc, argv, &port);
	if (!r)
		r = node_of(d, to, port, &n);
	if (r)
		return r;
	total = n.partition_cap;
	if (n.node_type == 2 && port) {
		if (diag_get(d, to, SWITCH_INFO_ID, 0, data))
			return diag_op_failed(d, "switch info failed");
		total = switch_info_decode(data).partition_enforce_cap;
	}
	for (unsigned block = 0; block * PKEYS_PER_BLOCK < total; block++) {
		if (diag_get(d, to, PKEY_TABLE_ID, block | (uint32_t)port << 16, data))
			return diag_op_failed(d, "pkey table query failed");
		show_pkeys(d, data, block, total, list);
	}
	diag_text(d, "%u pkeys capacity for this port\n", total);
	json_object_set_new(diag_doc(d), "capacity", json_integer(total));
	return EXIT_OK;
}

static int
sl2vl_row(struct diag *d, const struct diag_addr *to, unsigned in, unsigned out, json_t *rows)
{
	json_t *row = json_object(), *vls = json_array();
	struct slvl_table t;
	uint8_t data[64];

	json_object_set_new(row, "in_port", json_integer(in));
	json_object_set_new(row, "out_port", json_integer(out));
	json_object_set_new(row, "vl_by_sl", vls);
	json_array_append_new(rows, row);
	if (diag_get(d, to, SLVL_TABLE_ID, in << 8 | out, data))
		return diag_op_failed(d, "slvl query failed");
	t = slvl_table_decode(data);
	diag_text(d, "ports: in %2u, out %2u: |", in, out);
	for (unsigned sl = 0; sl < 16; sl++) {
		diag_text(d, "%2u|", t.vl[sl]);
		json_array_append_new(vls, json_integer(t.vl[sl]));
	}
	diag_text(d, "\n");
	return EXIT_OK;
}

int
smpquery_sl2vl(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	char label[DIAG_LABEL_BYTES];
	json_t *rows = json_array();
	struct node_info n;
	uint8_t port;
	int r;

	json_object_set_new(diag_doc(d), "sl2vl", rows);
	r = smpquery_port(d, argc, argv, &port);
	if (!r)
		r = node_of(d, to, port, &n);
	if (r)
		return r;
	diag_text(d, "# SL2VL table: %s\n#                 SL: |", diag_label(to, label));
	for (unsigned sl = 0; sl < 16; sl++)
		diag_text(d, "%2u|", sl);
	diag_text(d, "\n");
	if (n.node_type != 2)
		return sl2vl_row(d, to, 0, 0, rows);
	for (unsigned in = 0; in <= n.num_ports && !r; in++)
		r = sl2vl_row(d, to, in, port, rows);
	return r;
}

static int
vlarb_block(struct diag *d, const struct diag_addr *to, uint8_t port, unsigned block, unsigned n,
	json_t *list)
{
	struct vlarb_table t;
	uint8_t data[64];

	if (diag_get(d, to, VLARB_TABLE_ID, block << 16 | port, data))
		return diag_op_failed(d, "vl arb query failed");
	t = vlarb_table_decode(data);
	diag_text(d, "\nVL    : |");
	for (unsigned i = 0; i < n; i++)
		diag_text(d, "0x%-2X|", t.vl[i]);
	diag_text(d, "\nWEIGHT: |");
	for (unsigned i = 0; i < n; i++) {
		json_t *e = json_object();

		diag_text(d, "0x%-2X|", t.weight[i]);
		json_object_set_new(e, "vl", json_integer(t.vl[i]));
		json_object_set_new(e, "weight", json_integer(t.weight[i]));
		json_array_append_new(list, e);
	}
	diag_text(d, "\n");
	return EXIT_OK;
}

static int
vlarb_table(struct diag *d, const struct diag_addr *to, uint8_t port, const char *name,
	const char *key, unsigned block,
	unsigned cap)
{
	json_t *list = json_array();
	int r;

	json_object_set_new(diag_doc(d), key, list);
	if (!cap)
		return EXIT_OK;
	diag_text(d, "# %s priority VL Arbitration Table:", name);
	r = vlarb_block(d, to, port, block, cap < VLARB_PER_BLOCK ? cap : VLARB_PER_BLOCK, list);
	if (!r && cap > VLARB_PER_BLOCK)
		r = vlarb_block(d, to, port, block + 1, cap - VLARB_PER_BLOCK < VLARB_PER_BLOCK ?
			cap - VLARB_PER_BLOCK : VLARB_PER_BLOCK, list);
	return r;
}

/* Returns 1 for a base port 0, which has no tables, 0 for any other port, and a negative value on
 * failure. */
static int
is_base_port0(struct diag *d, const struct diag_addr *to)
{
	uint8_t data[64];

	if (diag_get(d, to, NODE_INFO_ID, 0, data)) {
		diag_op_failed(d, "node info query failed");
		return -1;
	}
	if (node_info_decode(data).node_type != 2)
		return 0;
	if (diag_get(d, to, SWITCH_INFO_ID, 0, data)) {
		diag_op_failed(d, "switch info query failed");
		return -1;
	}
	return !switch_info_decode(data).enhanced_port0;
}

int
smpquery_vlarb(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	char label[DIAG_LABEL_BYTES];
	uint8_t data[64], port;
	struct port_info p;
	int r = smpquery_port(d, argc, argv, &port);

	if (r)
		return r;
	r = port ? 0 : is_base_port0(d, to);
	if (r < 0)
		return EXIT_PARTIAL;
	if (r) {
		diag_text(d, "# No VLArbitration tables (BSP0): %s port %d\n",
			diag_label(to, label), 0);
		json_object_set_new(diag_doc(d), "low", json_array());
		json_object_set_new(diag_doc(d), "high", json_array());
		return EXIT_OK;
	}
	if (diag_get(d, to, PORT_INFO_ID, port, data))
		return diag_op_failed(d, "port info query failed");
	p = port_info_decode(data);
	diag_text(d, "# VLArbitration tables: %s port %d LowCap %d HighCap %d\n",
		diag_label(to, label), port, p.vlarb_low_cap,
		p.vlarb_high_cap);
	r = vlarb_table(d, to, port, "Low", "low", 1, p.vlarb_low_cap);
	return r ? r : vlarb_table(d, to, port, "High", "high", 3, p.vlarb_high_cap);
}

int
smpquery_guids(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	json_t *list = json_array();
	struct guid_info g;
	uint8_t data[64];
	unsigned total, left;

	(void)argc;
	(void)argv;
	json_object_set_new(diag_doc(d), "guids", list);
	if (diag_get(d, to, PORT_INFO_ID, 0, data))
		return diag_op_failed(d, "port info failed");
	total = port_info_decode(data).guid_cap;
	for (unsigned block = 0; block * GUIDS_PER_BLOCK < total; block++) {
		if (diag_get(d, to, GUID_INFO_ID, block, data))
			return diag_op_failed(d, "guid info query failed");
		g = guid_info_decode(data);
		left = total - block * GUIDS_PER_BLOCK;
		for (unsigned i = 0; i < left && i < GUIDS_PER_BLOCK; i++) {
			if (i % GUIDS_PER_LINE == 0)
				diag_text(d, "%4u: 0x%016" PRIx64 " 0x%016" PRIx64 "\n",
					block * GUIDS_PER_BLOCK + i, g.guid[i], g.guid[i + 1]);
			json_array_append_new(list, diag_json_guid(g.guid[i]));
		}
	}
	diag_text(d, "%u guids capacity for this port\n", total);
	json_object_set_new(diag_doc(d), "capacity", json_integer(total));
	return EXIT_OK;
}
