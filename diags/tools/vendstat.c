/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vendstat.c - shows versions, registers and counter groups that devices of one vendor report
 * through vendor class 0x0a.
 * Room: diags/tools.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/ask/address.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/core/addr.h"
#include "diags/core/json.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "diags/core/tool.h"
#include "libmad/attr/vs_attr.h"
#include "util/xalloc.h"

#define DATA_BYTES 232
#define IS3_DEVICE_ID 47396
#define IS3_PORTS 24
#define IS3_XMIT_WAIT 0x10013cu         /* add 0x1000 for each port, from port 1 */
#define IS3_FIRST_RECORDS 16
/* Attribute modifier of ConfigSpaceAccess: masked records, and their number. */
#define CONFIG_SPACE_MODIFIER(records) (2u << 22 | (uint32_t)(records) << 16)
#define ALL_BITS 0xffffffffu
#define PORT_MAX 255

struct vendstat {
	bool general, xmit_wait, group_info, configure;
	uint64_t group[2];
	struct records {
		struct vs_config_space space;
		unsigned n;
	} reads, writes;
};

/* ---- options ---- */

/* Parses up to three hexadecimal numbers separated by commas. Returns their number, or 0 for any
 * other text. */
static unsigned
hex_list(const char *text, uint32_t v[static 3])
{
	unsigned n = 0;
	char *end;

	for (;;) {
		unsigned long long x;

		errno = 0;
		x = strtoull(text, &end, 16);
		if (end == text || errno || x > UINT32_MAX || n == 3 || *text == '-' ||
		    *text == ' ')
			return 0;
		v[n++] = (uint32_t)x;
		if (!*end)
			return n;
		if (*end != ',')
			return 0;
		text = end + 1;
	}
}

static int
take_record(struct diag *d, struct records *to, bool write, const char *value)
{
	uint32_t v[3] = { 0 };
	unsigned n = hex_list(value, v);

	if (to->n == VS_CONFIG_RECORDS)
		return diag_usage(d, "no more than %d records at once", VS_CONFIG_RECORDS);
	if (write ? n < 2 : n < 1 || n > 2)
		return diag_usage(d, "\"%s\" is not %s", value, write ? "ADDRESS,VALUE[,MASK]" :
			"ADDRESS[,MASK]");
	to->space.address[to->n] = v[0];
	to->space.data[to->n] = write ? v[1] : 0;
	if (write)
		to->space.mask[to->n] = n == 3 ? v[2] : ALL_BITS;
	else
		to->space.mask[to->n] = n == 2 ? v[1] : ALL_BITS;
	to->n++;
	return 0;
}

static int
take_groups(struct diag *d, const char *value)
{
	struct vendstat *opt = diag_state(d);
	char copy[32], *comma;

	snprintf(copy, sizeof(copy), "%s", value);
	comma = strchr(copy, ',');
	if (comma)
		*comma++ = '\0';
	if (!comma || !diag_number(copy, UINT8_MAX, &opt->group[0]) ||
	    !diag_number(comma, UINT8_MAX, &opt->group[1]))
		return diag_usage(d, "-c: \"%s\" is not two numbers with a comma between them",
			value);
	opt->configure = true;
	return 0;
}

static int
option(struct diag *d, int id, const char *value)
{
	struct vendstat *opt = diag_state(d);

	switch (id) {
	case 'N':
		opt->general = true;
		return 0;
	case 'w':
		opt->xmit_wait = true;
		return 0;
	case 'i':
		opt->group_info = true;
		return 0;
	case 'c':
		return take_groups(d, value);
	case 'R':
		return take_record(d, &opt->reads, false, value);
	case 'W':
		return take_record(d, &opt->writes, true, value);
	}
	return -ENOENT;
}

/* ---- requests ---- */

static int
attribute_ask(struct diag *d, const struct diag_addr *to, uint8_t method, uint16_t attr_id,
	uint32_t modifier, uint8_t data[static DATA_BYTES])
{
	struct diag_request q = {
		.to = to, .mgmt_class = CLASS_VENDOR_A, .method = method, .attr_id = attr_id,
		.modifier = modifier,
		.payload = data, .payload_bytes = DATA_BYTES,
	};
	struct diag_reply r;
	int e = diag_query(d, &q, &r);

	if (!e)
		memcpy(data, r.data, r.bytes < DATA_BYTES ? r.bytes : DATA_BYTES);
	diag_reply_clear(&r);
	return e;
}

static int
show_group_info(struct diag *d, const struct diag_addr *to, unsigned port)
{
	uint8_t data[DATA_BYTES] = { 0 };
	struct vs_counter_group_info g;
	json_t *list = json_array();

	json_object_set_new(diag_doc(d), "counter_groups", list);
	if (attribute_ask(d, to, METHOD_GET, VS_COUNTER_GROUP_INFO_ID, port, data))
		return diag_give_up(d, "counter group info query failure");
	g = vs_counter_group_info_decode(data);
	diag_text(d, "counter_group_info:\n%u counter groups\n", g.groups);
	for (unsigned i = 0; i < g.groups && i < 2; i++) {
		json_t *o = json_object();

		diag_text(d, g.group_mask[i] ? "group%u mask 0x%x\n" : "group%u mask %x\n", i,
			g.group_mask[i]);
		json_object_set_new(o, "group", json_integer(i));
		json_object_set_new(o, "mask", diag_json_hex(g.group_mask[i], 8));
		json_array_append_new(list, o);
	}
	return EXIT_OK;
}

static int
set_groups(struct diag *d, const struct diag_addr *to, unsigned port)
{
	struct vendstat *opt = diag_state(d);
	struct vs_counter_groups g = { .group_select = { (uint8_t)opt->group[0],
		(uint8_t)opt->group[1] } };
	uint8_t data[DATA_BYTES] = { 0 };
	json_t *list = json_array();

	json_object_set_new(diag_doc(d), "group_select", list);
	diag_text(d, "counter_groups_config: configuring group0 %u group1 %u\n",
		(unsigned)opt->group[0], (unsigned)opt->group[1]);
	vs_counter_groups_encode(data, &g);
	if (attribute_ask(d, to, METHOD_SET, VS_COUNTER_GROUPS_ID, port, data))
		return diag_give_up(d, "config counter group set failure");
	memset(data, 0, sizeof(data));
	if (attribute_ask(d, to, METHOD_GET, VS_COUNTER_GROUPS_ID, port, data))
		return diag_give_up(d, "config counter group query failure");
	g = vs_counter_groups_decode(data);
	json_array_append_new(list, json_integer(g.group_select[0]));
	json_array_append_new(list, json_integer(g.group_select[1]));
	return EXIT_OK;
}

static int
config_space(struct diag *d, const struct diag_addr *to, bool write, const struct records *what)
{
	uint8_t data[DATA_BYTES] = { 0 };
	struct vs_config_space s;

	if (!what->n)
		return EXIT_OK;
	vs_config_space_encode(data, &what->space);
	if (attribute_ask(d, to, write ? METHOD_SET : METHOD_GET, VS_CONFIG_SPACE_ID,
	    CONFIG_SPACE_MODIFIER(what->n), data))
		return diag_give_up(d, "cannot %s config space records", write ? "set" : "get");
	s = vs_config_space_decode(data);
	for (unsigned i = 0; i < what->n; i++) {
		json_t *o = json_object();

		diag_text(d, "Config space record at 0x%x: 0x%x\n", s.address[i],
			s.data[i] & s.mask[i]);
		json_object_set_new(o, "address", diag_json_hex(s.address[i], 8));
		json_object_set_new(o, "data", diag_json_hex(s.data[i], 8));
		json_object_set_new(o, "mask", diag_json_hex(s.mask[i], 8));
		json_object_set_new(o, "written", json_boolean(write));
		diag_row(d, "records", o);
	}
	return EXIT_OK;
}

/* ---- options -N and -w ---- */

struct version {
	unsigned major, minor, sub;
};

/* Devices that report the firmware version in wide fields, and the software version after it. */
static bool
is_extended(uint16_t device)
{
	static const uint16_t ranges[][2] = {
		{ 0x01b3, 0x01b3 }, { 0x0245, 0x0245 }, { 0x1003, 0x101b }, { 0x1b02, 0x1b02 },
		{ 0x1b33, 0x1b33 }, { 0x1b40, 0x1b41 },
		{ 0x1b50, 0x1b50 }, { 0x1b60, 0x1b61 }, { 0x1b73, 0x1b73 }, { 0x1b83, 0x1b83 },
		{ 0x1b93, 0x1b94 }, { 0x1ba0, 0x1ba0 },
		{ 0x1bb4, 0x1bb5 }, { 0x1bc4, 0x1bc6 }, { 0x1bd0, 0x1bd5 }, { 0x1bf0, 0x1bf0 },
		{ 0xa2d2, 0xa2d2 }, { 0xc738, 0xc73b },
		{ 0xcb20, 0xcb20 }, { 0xcf08, 0xcf08 }, { 0xd2f0, 0xd2f0 },
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (device >= ranges[i][0] && device <= ranges[i][1])
			return true;
	return false;
}

static json_t *
version_json(const struct version *v)
{
	char text[40];

	snprintf(text, sizeof(text), "%02u.%02u.%02u", v->major, v->minor, v->sub);
	return json_string(text);
}

static void
show_general(struct diag *d, const struct vs_general_info *g)
{
	struct version fw = { g->fw_ext_major, g->fw_ext_minor, g->fw_ext_sub },
		sw = { g->sw_major, g->sw_minor, g->sw_sub };
	json_t *o;

	if (!is_extended(g->device_id)) {
		/* In these devices the software version is in the fields that hold the wide
		 * firmware version in others. */
		fw = (struct version){ g->fw_major, g->fw_minor, g->fw_sub };
		sw = (struct version){ g->fw_ext_major >> 16 & 0xff, g->fw_ext_major >> 8 & 0xff,
			g->fw_ext_major & 0xff };
	}
	diag_text(d, "hw_dev_rev:  0x%04x\nhw_dev_id:   0x%04x\nhw_uptime:   0x%08x\n",
		g->hw_revision, g->device_id, g->uptime_s);
	diag_text(d, "fw_version:  %02u.%02u.%02u\n", fw.major, fw.minor, fw.sub);
	diag_text(d, "fw_build_id: 0x%04x\n", g->fw_build_id);
	diag_text(d, "fw_date:     %02x/%02x/%04x\n", g->fw_month, g->fw_day, g->fw_year);
	diag_text(d, "fw_psid:     '%.16s'\n", (const char *)g->fw_psid);
	diag_text(d, "fw_ini_ver:  %u\n", g->fw_ini_version);
	diag_text(d, "sw_version:  %02u.%02u.%02u\n", sw.major, sw.minor, sw.sub);
	o = attr_to_json(&vs_general_info_desc, g, true);
	json_object_set_new(o, "fw_version", version_json(&fw));
	json_object_set_new(o, "sw_version", version_json(&sw));
	json_object_set_new(diag_doc(d), "general_info", o);
}

/* Returns the port number that infiniband-diags prints for a register: 4 to 19, 21 to 24, 1 to 4.
 * Whatever the device means by it, scripts know the counters by these numbers. */
static unsigned
port_of_register(unsigned i)
{
	if (i <= IS3_FIRST_RECORDS)
		return i + 3;
	return i <= 20 ? i + 4 : i - 20;
}

/* Reads registers 'from' to 'from' + n - 1, which count how long ports had to wait. */
static int
wait_counters(struct diag *d, const struct diag_addr *to, unsigned from, unsigned n)
{
	uint8_t data[DATA_BYTES] = { 0 };
	struct vs_config_space s = { .address = { 0 } };

	for (unsigned i = 0; i < n; i++)
		s.address[i] = IS3_XMIT_WAIT + ((from + i) << 12);
	vs_config_space_encode(data, &s);
	if (attribute_ask(d, to, METHOD_GET, VS_CONFIG_SPACE_ID, CONFIG_SPACE_MODIFIER(n), data))
		return diag_give_up(d, "vendstat");
	s = vs_config_space_decode(data);
	for (unsigned i = 0; i < n; i++) {
		unsigned port = port_of_register(from + i);
		json_t *o = json_object();

		if (s.data[i])
			diag_text(d, "Port %u: PortXmitWait 0x%x\n", port, s.data[i]);
		json_object_set_new(o, "register", json_integer(from + i));
		json_object_set_new(o, "port", json_integer(port));
		json_object_set_new(o, "xmit_wait", json_integer(s.data[i]));
		diag_row(d, "xmit_wait", o);
	}
	return EXIT_OK;
}

static int
show_info(struct diag *d, const struct diag_addr *to)
{
	struct vendstat *opt = diag_state(d);
	uint8_t data[DATA_BYTES] = { 0 };
	struct vs_general_info g;
	int r;

	if (attribute_ask(d, to, METHOD_GET, ATTR_CLASS_PORT_INFO, 0, data))
		return diag_give_up(d, "classportinfo query");
	memset(data, 0, sizeof(data));
	if (attribute_ask(d, to, METHOD_GET, VS_GENERAL_INFO_ID, 0, data))
		return diag_give_up(d, "generalinfo query");
	g = vs_general_info_decode(data);
	if (opt->general)
		show_general(d, &g);
	if (!opt->xmit_wait)
		return EXIT_OK;
	json_object_set_new(diag_doc(d), "xmit_wait", json_array());
	if (g.device_id != IS3_DEVICE_ID)
		return diag_fail(d, EXIT_PARTIAL, "unsupported", "Unsupported device ID 0x%x",
			g.device_id);
	r = wait_counters(d, to, 1, IS3_FIRST_RECORDS);
	return r ? r : wait_counters(d, to, 1 + IS3_FIRST_RECORDS, IS3_PORTS - IS3_FIRST_RECORDS);
}

static int
vendstat_run(struct diag *d, int argc, char **argv)
{
	struct vendstat *opt = diag_state(d);
	struct diag_addr to;
	uint64_t port = 0;
	int r, second;

	if (argc > 1 && !diag_number(argv[1], PORT_MAX, &port))
		return diag_usage(d, "\"%s\" is not a port number", argv[1]);
	r = diag_open(d);
	if (!r && argc)
		r = diag_address(d, argv[0], &to);
	if (r)
		return r;
	if (!argc) {
		to = diag_addr_lid(diag_port(d)->lid);
		port = diag_port(d)->port;
	}
	json_object_set_new(diag_doc(d), "target", diag_json_addr(&to));
	json_object_set_new(diag_doc(d), "port", json_integer((json_int_t)port));
	json_object_set_new(diag_doc(d), "records", json_array());
	if (opt->group_info)
		return show_group_info(d, &to, (unsigned)port);
	if (opt->configure)
		return set_groups(d, &to, (unsigned)port);
	if (opt->reads.n || opt->writes.n) {
		r = config_space(d, &to, false, &opt->reads);
		second = config_space(d, &to, true, &opt->writes);
		return r ? r : second;
	}
	if (!opt->general && !opt->xmit_wait)
		return diag_fail(d, EXIT_USAGE, "usage",
			"at least one of -N and -w must be specified");
	return show_info(d, &to);
}

static const struct diag_option options[] = {
	{ 'N', "N", NULL, "show IS3 or IS4 general information" },
	{ 'w', "w", NULL, "show IS3 port xmit wait counters" },
	{ 'i', "i", NULL, "show IS4 counter group info" },
	{ 'c', "c", "<num,num>", "configure IS4 counter groups" },
	{ 'R', "Read", "<addr,mask>", "Read configuration space record at addr" },
	{ 'W', "Write", "<addr,val,mask>", "Write configuration space record at addr" },
	{ 0, NULL, NULL, NULL },
};

static const char *const examples[] = {
	"-N 6\t\t# read IS3 or IS4 general information",
	"-w 6\t\t# read IS3 port xmit wait counters",
	"-i 6 12\t# read IS4 port 12 counter group info",
	"-c 0,1 6 12\t# configure IS4 port 12 counter groups for PortXmitDataSL",
	"-c 2,8 6 12\t# configure IS4 port 12 counter groups for PortRcvDataSL",
	NULL,
};

const struct diag_tool diag_tool = {
	.name = "vendstat", .operands = "<lid|guid> [port]",
	.about = "shows what devices of one vendor report by management class 0x0a",
	.examples = examples, .masked = "DKy", .options = options, .rows = "records",
	.option = option, .run = vendstat_run,
	.state_bytes = sizeof(struct vendstat),
};
