/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibccconfig.c - writes the congestion control attributes of one node.
 * Room: diags/tools. The document shows the attribute as the node returned it; there is no text, as
 * in infiniband-diags.
 */
#include <config.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/tools/cc.h"
#include "libmad/attr/cc_attr.h"

#define MASK_BYTES 32
#define SHIFT_MAX 3
#define MULTIPLIER_MAX 0x3fff
#define BLOCKS_MAX 1024

static int
operands_refuse(struct diag *d, const char *what)
{
	return diag_fail(d, EXIT_USAGE, "usage", "operation %s: %s", diag_word(d), what);
}

/* Parses operands as numbers, each with its own maximum. Returns 0 or the exit status of a reported
 * failure. */
static int
numbers(struct diag *d, char **argv, const uint64_t *max, uint64_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!diag_number(argv[i], max[i], &v[i]))
			return diag_fail(d, EXIT_USAGE, "usage",
				"operation %s: \"%s\" is not a number up to %llu", diag_word(d),
				argv[i],
				(unsigned long long)max[i]);
	return 0;
}

/* Parses "SHIFT:MULTIPLIER". */
static bool
cct_set(const char *text, uint64_t *shift, uint64_t *multiplier)
{
	char copy[16];
	char *colon;

	if (strlen(text) >= sizeof(copy))
		return false;
	strcpy(copy, text);
	colon = strchr(copy, ':');
	if (!colon)
		return false;
	*colon = '\0';
	return diag_number(copy, SHIFT_MAX, shift) && diag_number(colon + 1, MULTIPLIER_MAX,
		multiplier);
}

/* Parses a number of up to 256 bits in hexadecimal digits, with or without 0x. */
static bool
mask256(const char *text, uint8_t mask[static MASK_BYTES])
{
	char digit[2] = "";
	size_t n;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	n = strlen(text);
	memset(mask, 0, MASK_BYTES);
	if (!n || n > 2 * MASK_BYTES)
		return false;
	for (size_t i = 0; i < n; i++) {
		size_t at = 2 * MASK_BYTES - n + i;

		if (!isxdigit((unsigned char)text[i]))
			return false;
		digit[0] = text[i];
		mask[at / 2] |= (uint8_t)(strtoul(digit, NULL, 16) << (at % 2 ? 0 : 4));
	}
	return true;
}

static int
attribute_set(struct diag *d, const struct diag_addr *to, const struct attr_desc *desc,
	uint32_t modifier, const char *key, uint8_t *keyed,
	const char *failed)
{
	if (cc_set(d, to, desc->id, modifier, keyed))
		return diag_op_failed(d, failed);
	json_object_set_new(diag_doc(d), key, cc_json(d, desc, keyed + CC_DATA_OFFSET));
	return EXIT_OK;
}

static int
key_info(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	static const uint64_t max[] = { UINT64_MAX, 1, UINT16_MAX, UINT16_MAX };
	uint8_t keyed[CC_KEYED_BYTES] = { 0 };
	struct cc_key_info k;
	uint64_t v[4];
	int r;

	if (argc != 4)
		return operands_refuse(d, "invalid number of parameters for CongestionKeyInfo");
	r = numbers(d, argv, max, v, 4);
	if (r)
		return r;
	k = (struct cc_key_info){ .cc_key = v[0], .protect = (uint8_t)v[1],
		.lease_period_s = (uint16_t)v[2], .violations = (uint16_t)v[3] };
	cc_key_info_encode(keyed + CC_DATA_OFFSET, &k);
	return attribute_set(d, to, &cc_key_info_desc, 0, "key_info", keyed,
		"congestion key info config failed");
}

static int
switch_setting(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	static const uint64_t max[] = { 15, 255, 15 };
	uint8_t keyed[CC_KEYED_BYTES] = { 0 };
	struct cc_switch_setting s = { .control_map = 0 };
	uint64_t map, v[3], shift, multiplier, rate;
	int r;

	if (argc != 8)
		return operands_refuse(d,
			"invalid number of parameters for SwitchCongestionSetting");
	if (!diag_number(argv[0], UINT32_MAX, &map) || !diag_number(argv[7], UINT16_MAX, &rate))
		return operands_refuse(d,
			"the control map or the marking rate is not a number in range");
	if (!mask256(argv[1], s.victim_mask) || !mask256(argv[2], s.credit_mask))
		return operands_refuse(d, "a mask is not a hexadecimal number of up to 256 bits");
	r = numbers(d, argv + 3, max, v, 3);
	if (r)
		return r;
	if (!cct_set(argv[6], &shift, &multiplier))
		return operands_refuse(d, "ccts are formatted shift:multiplier");
	s.control_map = (uint32_t)map;
	s.threshold = (uint8_t)v[0];
	s.packet_size = (uint8_t)v[1];
	s.cs_threshold = (uint8_t)v[2];
	s.cs_return_delay = (uint16_t)(shift << 14 | multiplier);
	s.marking_rate = (uint16_t)rate;
	cc_switch_setting_encode(keyed + CC_DATA_OFFSET, &s);
	return attribute_set(d, to, &cc_switch_setting_desc, 0, "switch_setting", keyed,
		"switch congestion setting config failed");
}

/* Sets one port of a switch. A Set writes a whole block of ports, so the block is read first and
 * the other ports are written back unchanged. */
static int
switch_port(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	static const uint64_t max[] = { UINT8_MAX, 1, 1, 15, 255, UINT16_MAX };
	uint8_t keyed[CC_KEYED_BYTES], *image;
	struct cc_switch_port p;
	uint64_t v[6];
	unsigned ports = 0, block;
	int r;

	if (argc != 6)
		return operands_refuse(d, "invalid number of parameters for SwitchPortCongestion");
	r = numbers(d, argv, max, v, 6);
	if (!r)
		r = cc_switch_ports(d, to, "node info config failed", &ports);
	if (r)
		return r;
	if (v[0] > ports)
		return operands_refuse(d, "invalid port number specified");
	block = (unsigned)v[0] / CC_SWITCH_PORTS_BLOCK;
	image = cc_switch_port_place(
		keyed + CC_DATA_OFFSET, (unsigned)v[0] % CC_SWITCH_PORTS_BLOCK);
	if (cc_get(d, to, CC_SWITCH_PORT_ID, block, keyed))
		return diag_op_failed(d, "switch port congestion setting query failed");
	p = (struct cc_switch_port){ .valid = (uint8_t)v[1], .control_type = (uint8_t)v[2],
		.threshold = (uint8_t)v[3],
		.packet_size = (uint8_t)v[4], .marking_rate = (uint16_t)v[5] };
	cc_switch_port_encode(image, &p);
	if (cc_set(d, to, CC_SWITCH_PORT_ID, block, keyed))
		return diag_op_failed(d, "switch port congestion setting config failed");
	json_object_set_new(diag_doc(d), "switch_port", cc_json(d, &cc_switch_port_desc, image));
	return EXIT_OK;
}

static int
ca_setting(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	static const uint64_t max[] = { UINT16_MAX, UINT16_MAX, UINT16_MAX, 255, 255, 255 };
	uint8_t keyed[CC_KEYED_BYTES] = { 0 }, *data = keyed + CC_DATA_OFFSET;
	struct cc_ca_setting s;
	struct cc_ca_entry e;
	uint64_t v[6];
	int r;

	if (argc != 6)
		return operands_refuse(d, "invalid number of parameters for CACongestionSetting");
	r = numbers(d, argv, max, v, 6);
	if (r)
		return r;
	s = (struct cc_ca_setting){ .port_control = (uint16_t)v[0], .control_map = (uint16_t)v[1] };
	e = (struct cc_ca_entry){ .ccti_timer = (uint16_t)v[2], .ccti_increase = (uint8_t)v[3],
		.trigger_threshold = (uint8_t)v[4],
		.ccti_min = (uint8_t)v[5] };
	cc_ca_setting_encode(data, &s);
	for (unsigned sl = 0; sl < CC_CA_ENTRIES; sl++)
		if (s.control_map >> sl & 1)
			cc_ca_entry_encode(cc_ca_entry_place(data, sl), &e);
	return attribute_set(d, to, &cc_ca_setting_desc, 0, "ca_setting", keyed,
		"ca congestion setting config failed");
}

static int
control_table(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	static const uint64_t max[] = { UINT16_MAX, BLOCKS_MAX - 1 };
	uint8_t keyed[CC_KEYED_BYTES] = { 0 }, *data = keyed + CC_DATA_OFFSET;
	struct cc_table t;
	struct cc_table_entry e;
	uint64_t v[2], shift, multiplier;
	int r;

	if (argc < 2 || argc > 2 + CC_TABLE_BLOCK)
		return operands_refuse(d,
			"invalid number of parameters for CongestionControlTable");
	r = numbers(d, argv, max, v, 2);
	if (r)
		return r;
	if (v[0] && v[0] + 1 != v[1] * CC_TABLE_BLOCK + (uint64_t)(argc - 2))
		return operands_refuse(d,
			"invalid number of cct entries input given ccti_limit and index");
	t.ccti_limit = (uint16_t)v[0];
	cc_table_encode(data, &t);
	for (int i = 2; i < argc; i++) {
		if (!cct_set(argv[i], &shift, &multiplier))
			return operands_refuse(d, "ccts are formatted shift:multiplier");
		e = (struct cc_table_entry){ .shift = (uint8_t)shift,
			.multiplier = (uint16_t)multiplier };
		cc_table_entry_encode(cc_table_entries(data) + (i - 2) * CC_TABLE_ENTRY_BYTES, &e);
	}
	return attribute_set(d, to, &cc_table_desc, (uint32_t)v[1], "table", keyed,
		"congestion control table config failed");
}

static const struct diag_option options[] = {
	{ 'c', "cckey", "<key>", "CC key" },
	{ 0, NULL, NULL, NULL },
};

static const struct diag_op ops[] = {
	{ "CongestionKeyInfo", "CK",
		"<lid|guid> <cckey> <cckeyprotectbit> <cckeyleaseperiod> <cckeyviolations>",
	key_info },
	{ "SwitchCongestionSetting", "SS",
		"<lid|guid> <controlmap> <victimmask> <creditmask> <threshold> <packetsize> "
		"<csthreshold> "
		"<csreturndelay> <markingrate>", switch_setting },
	{ "SwitchPortCongestionSetting", "SP",
		"<lid|guid> <portnum> <valid> <control_type> <threshold> <packet_size> "
		"<cong_parm_marking_rate>", switch_port },
	{ "CACongestionSetting", "CS",
		"<lid|guid> <port_control> <control_map> <ccti_timer> <ccti_increase> "
		"<trigger_threshold> "
		"<ccti_min>", ca_setting },
	{ "CongestionControlTable", "CT",
		"<lid|guid> <cctilimit> <index> <cctentry> <cctentry> ...", control_table },
	{ NULL, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"SwitchCongestionSetting 2 0x1F 0x1FFFFFFFFF 0x0 0xF 8 0 0:0 1\t# Configure Switch "
	"Congestion Settings",
	"CACongestionSetting 1 0 0x3 150 1 0 0\t\t# Configure CA Congestion Settings to SL 0 and "
	"SL 1",
	"CACongestionSetting 1 0 0x4 200 1 0 0\t\t# Configure CA Congestion Settings to SL 2",
	"CongestionControlTable 1 63 0 0:0 0:1 ...\t# Configure first block of Congestion Control "
	"Table",
	"CongestionControlTable 1 127 1 0:64 0:65 ...\t# Configure second block of Congestion "
	"Control Table",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibccconfig", .operands = "[-c key] <op> <lid|guid>",
	.about = "sets the congestion control of a node",
	.examples = examples, .masked = "D", .options = options, .ops = ops,
	.option = cc_option, .state_bytes = sizeof(struct cc_state),
};
