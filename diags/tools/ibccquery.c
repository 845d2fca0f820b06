/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibccquery.c - prints the congestion control attributes of one node; each operation reads one.
 * Room: diags/tools.
 */
#include <config.h>
#include <string.h>
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/show.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "diags/tools/cc.h"
#include "libmad/attr/cc_attr.h"
#include "libmad/attr/gen_attr.h"

/* Reads an attribute and prints a title and its lines. */
static int
simple(struct diag *d, const struct diag_addr *to, const struct attr_desc *desc, const char *title,
	const char *key, const char *failed)
{
	uint8_t keyed[CC_KEYED_BYTES];
	char label[DIAG_LABEL_BYTES];

	if (cc_get(d, to, desc->id, 0, keyed))
		return diag_op_failed(d, failed);
	diag_text(d, "# %s: %s\n", title, diag_label(to, label));
	json_object_set_new(diag_doc(d), key, diag_attr(d, desc, keyed + CC_DATA_OFFSET));
	return EXIT_OK;
}

#define SIMPLE(name, desc, title, key, failed) \
static int \
name(struct diag *d, const struct diag_addr *to, int argc, char **argv) \
{ \
	(void)argc; \
	(void)argv; \
	return simple(d, to, &desc, title, key, failed); \
}
SIMPLE(class_port_info, class_port_info_desc, "ClassPortInfo", "class_port_info",
	"class port info query failed")
SIMPLE(congestion_info, cc_info_desc, "CongestionInfo", "congestion_info",
	"congestion info query failed")
SIMPLE(switch_setting, cc_switch_setting_desc, "SwitchCongestionSetting", "switch_setting",
	"switch congestion setting query failed")
SIMPLE(time_stamp, cc_time_stamp_desc, "Timestamp", "time_stamp", "timestamp query failed")

/* The text shows the key, as in infiniband-diags; the document shows it only with -K. */
static int
key_info(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	if (diag_is_text(d))
		diag_settings_mut(d)->show_keys = true;
	return simple(d, to, &cc_key_info_desc, "CongestionKeyInfo", "key_info",
		"congestion key info query failed");
}

/* Prints element 'i' of a list: its number under 'label' (NULL: no number), its lines, an empty
 * line. */
static void
element(struct diag *d, const char *list, const char *label, const char *key, unsigned i,
	const struct attr_desc *desc, const uint8_t *image)
{
	json_t *row = json_object(), *o;

	if (label)
		diag_dotted(d, label, "%u", i);
	json_object_set_new(row, key, json_integer(i));
	o = diag_attr(d, desc, image);
	if (o)
		json_object_update(row, o);
	json_decref(o);
	diag_text(d, "\n");
	diag_row(d, list, row);
}

static void
log_events(struct diag *d, const uint8_t *at, unsigned n, unsigned bytes,
	const struct attr_desc *desc)
{
	static const uint8_t none[CC_LOG_CA_EVENT_BYTES];

	for (unsigned i = 0; i < n; i++)
		if (memcmp(at + (size_t)i * bytes, none, bytes))
			element(d, "events", NULL, "index", i, desc, at + (size_t)i * bytes);
}

static int
congestion_log(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	uint8_t keyed[CC_KEYED_BYTES];
	uint8_t *log = keyed + CC_LOG_OFFSET;
	const struct attr_desc *more;
	char label[DIAG_LABEL_BYTES];
	bool is_switch;
	json_t *o, *rest;

	(void)argc;
	(void)argv;
	json_object_set_new(diag_doc(d), "events", json_array());
	if (cc_get(d, to, CC_LOG_ID, 0, keyed))
		return diag_op_failed(d, "congestion log query failed");
	is_switch = cc_log_decode(log).log_type == CC_LOG_TYPE_SWITCH;
	if (!is_switch && cc_log_decode(log).log_type != CC_LOG_TYPE_CA)
		return diag_fail(d, EXIT_PARTIAL, "bad_reply",
			"operation %s: unrecognized log type", diag_word(d));
	more = is_switch ? &cc_log_switch_desc : &cc_log_ca_desc;
	diag_text(d, "# CongestionLog: %s\n", diag_label(to, label));
	o = diag_attr(d, &cc_log_desc, log);
	rest = diag_attr(d, more, log);
	if (o && rest)
		json_object_update(o, rest);
	json_decref(rest);
	json_object_set_new(diag_doc(d), "log", o);
	diag_text(d, "\n");
	if (is_switch)
		log_events(d, cc_log_switch_event_place(log, 0), CC_LOG_SWITCH_EVENTS,
			CC_LOG_SWITCH_EVENT_BYTES, &cc_log_switch_event_desc);
	else
		log_events(d, cc_log_ca_event_place(log, 0), CC_LOG_CA_EVENTS,
			CC_LOG_CA_EVENT_BYTES, &cc_log_ca_event_desc);
	return EXIT_OK;
}

/* Prints one port of a switch, as lines without its number. */
static int
one_port(struct diag *d, const struct diag_addr *to, unsigned port)
{
	uint8_t keyed[CC_KEYED_BYTES];
	const uint8_t *image =
		cc_switch_port_place(keyed + CC_DATA_OFFSET, port % CC_SWITCH_PORTS_BLOCK);
	json_t *row, *o;

	if (cc_get(d, to, CC_SWITCH_PORT_ID, port / CC_SWITCH_PORTS_BLOCK, keyed))
		return diag_op_failed(d, "switch port congestion setting query failed");
	row = json_object();
	json_object_set_new(row, "port", json_integer(port));
	o = diag_attr(d, &cc_switch_port_desc, image);
	if (o)
		json_object_update(row, o);
	json_decref(o);
	diag_row(d, "ports", row);
	return EXIT_OK;
}

static int
switch_ports(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	uint8_t keyed[CC_KEYED_BYTES];
	char label[DIAG_LABEL_BYTES];
	uint64_t port = 0;
	unsigned ports = 0;
	int r;

	json_object_set_new(diag_doc(d), "ports", json_array());
	if (argc > 0 && !diag_number(argv[0], UINT16_MAX, &port))
		return diag_fail(d, EXIT_USAGE, "usage", "\"%s\" is not a port number", argv[0]);
	r = cc_switch_ports(d, to, "node info query failed", &ports);
	if (r)
		return r;
	diag_text(d, "# SwitchPortCongestionSetting: %s\n", diag_label(to, label));
	if (port > ports)
		return diag_fail(d, EXIT_USAGE, "usage",
			"operation %s: invalid port number specified", diag_word(d));
	if (port)
		return one_port(d, to, (unsigned)port);
	for (unsigned i = 0; i <= ports; i++) {
		unsigned at = i % CC_SWITCH_PORTS_BLOCK;

		if (!at && cc_get(d, to, CC_SWITCH_PORT_ID, i / CC_SWITCH_PORTS_BLOCK, keyed))
			return diag_op_failed(d, "switch port congestion setting query failed");
		element(d, "ports", "Port", "port", i, &cc_switch_port_desc,
			cc_switch_port_place(keyed + CC_DATA_OFFSET, at));
	}
	return EXIT_OK;
}

static int
ca_setting(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	uint8_t keyed[CC_KEYED_BYTES];
	uint8_t *data = keyed + CC_DATA_OFFSET;
	char label[DIAG_LABEL_BYTES];

	(void)argc;
	(void)argv;
	json_object_set_new(diag_doc(d), "sls", json_array());
	if (cc_get(d, to, CC_CA_SETTING_ID, 0, keyed))
		return diag_op_failed(d, "ca congestion setting query failed");
	diag_text(d, "# CACongestionSetting: %s\n", diag_label(to, label));
	json_object_set_new(diag_doc(d), "ca_setting", diag_attr(d, &cc_ca_setting_desc, data));
	diag_text(d, "\n");
	for (unsigned sl = 0; sl < CC_CA_ENTRIES; sl++)
		element(d, "sls", "SL", "sl", sl, &cc_ca_entry_desc, cc_ca_entry_place(data, sl));
	return EXIT_OK;
}

static int
control_table(struct diag *d, const struct diag_addr *to, int argc, char **argv)
{
	uint8_t keyed[CC_KEYED_BYTES];
	uint8_t *data = keyed + CC_DATA_OFFSET;
	char label[DIAG_LABEL_BYTES];
	unsigned limit;

	(void)argc;
	(void)argv;
	json_object_set_new(diag_doc(d), "entries", json_array());
	if (cc_get(d, to, CC_TABLE_ID, 0, keyed))
		return diag_op_failed(d, "congestion control table query failed");
	limit = cc_table_decode(data).ccti_limit;
	diag_text(d, "# CongestionControlTable: %s\n", diag_label(to, label));
	json_object_set_new(diag_doc(d), "table", diag_attr(d, &cc_table_desc, data));
	diag_text(d, "\n");
	for (unsigned i = 0; limit && i <= limit; i++) {
		unsigned at = i % CC_TABLE_BLOCK;

		if (i && !at && cc_get(d, to, CC_TABLE_ID, i / CC_TABLE_BLOCK, keyed))
			return diag_op_failed(d, "congestion control table query failed");
		element(d, "entries", "Entry", "entry", i, &cc_table_entry_desc,
			cc_table_entries(data) + at * CC_TABLE_ENTRY_BYTES);
	}
	return EXIT_OK;
}

static const struct diag_option options[] = {
	{ 'c', "cckey", "<key>", "CC key" },
	{ 0, NULL, NULL, NULL },
};

static const struct diag_op ops[] = {
	{ "ClassPortInfo", "CP", "<lid|guid>", class_port_info },
	{ "CongestionInfo", "CI", "<lid|guid>", congestion_info },
	{ "CongestionKeyInfo", "CK", "<lid|guid>", key_info },
	{ "CongestionLog", "CL", "<lid|guid>", congestion_log },
	{ "SwitchCongestionSetting", "SS", "<lid|guid>", switch_setting },
	{ "SwitchPortCongestionSetting", "SP", "<lid|guid> [<portnum>]", switch_ports },
	{ "CACongestionSetting", "CS", "<lid|guid>", ca_setting },
	{ "CongestionControlTable", "CT", "<lid|guid>", control_table },
	{ "Timestamp", "TI", "<lid|guid>", time_stamp },
	{ NULL, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"CongestionInfo 3\t\t\t# Congestion Info by lid",
	"SwitchPortCongestionSetting 3\t# Query all Switch Port Congestion Settings",
	"SwitchPortCongestionSetting 3 1\t# Query Switch Port Congestion Setting for port 1",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "ibccquery", .operands = "[-c key] <op> <lid|guid>",
	.about = "queries the congestion control of a node",
	.examples = examples, .masked = "D", .options = options, .ops = ops,
	.option = cc_option, .state_bytes = sizeof(struct cc_state),
};
