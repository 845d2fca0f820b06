/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saquery_show.c - the records of subnet administration as saquery has always shown them, and as rows of the document.
 * Room: diags.  A record is a table of lines; what is a table itself has a function.
 */
#include <config.h>
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/saquery.h"
#include "libmad/wire/wire.h"
#include "util/xalloc.h"

enum form { DEC, HEX, HEX_LOW, HEX2, HEX4, HEX6, HEX8, HEX12, HEX16, GID, TEXT, TYPE, KEY16, KEY6, WORDS };

/* A line: a label, dots, and the value of some bits.  DATA lines repeat with a running number behind the label. */
struct line {
	const char *label;
	uint16_t first_bit, width;
	enum form form;
	uint16_t count;                 /* 0: a single value */
};

#define AT(rec, row) rec##_at_##row
#define SUB(rec, member, sub, row) (rec##_at_##member + sub##_at_##row)
#define ROW(label, rec, row, form) { label, AT(rec, row), rec##_bits_##row, form, 0 },
#define SUBROW(label, rec, member, sub, row, form) { label, SUB(rec, member, sub, row), sub##_bits_##row, form, 0 },
#define BITS(label, at, width, form) { label, at, width, form, 0 },
#define LIST(label, at, width, n, form) { label, at, width, form, n },
#define HEADING(text) { text, 0, 0, WORDS, 0 },
#define END { NULL, 0, 0, WORDS, 0 }

static const struct line node_lines[] = {
	ROW("lid", node_record, lid, DEC)
	BITS("reserved", AT(node_record, lid) + 16, 16, HEX)
	SUBROW("base_version", node_record, info, node_info, base_version, HEX)
	SUBROW("class_version", node_record, info, node_info, class_version, HEX)
	SUBROW("node_type", node_record, info, node_info, node_type, TYPE)
	SUBROW("num_ports", node_record, info, node_info, num_ports, DEC)
	SUBROW("sys_guid", node_record, info, node_info, sys_guid, HEX16)
	SUBROW("node_guid", node_record, info, node_info, node_guid, HEX16)
	SUBROW("port_guid", node_record, info, node_info, port_guid, HEX16)
	SUBROW("partition_cap", node_record, info, node_info, partition_cap, HEX)
	SUBROW("device_id", node_record, info, node_info, device_id, HEX)
	SUBROW("revision", node_record, info, node_info, revision, HEX)
	SUBROW("port_num", node_record, info, node_info, local_port, DEC)
	SUBROW("vendor_id", node_record, info, node_info, vendor_id, HEX)
	END
};

static const struct line path_lines[] = {
	ROW("service_id", path_record, service_id, HEX16)
	ROW("dgid", path_record, dgid, GID)
	ROW("sgid", path_record, sgid, GID)
	ROW("dlid", path_record, dlid, DEC)
	ROW("slid", path_record, slid, DEC)
	BITS("hop_flow_raw", AT(path_record, raw_traffic), 32, HEX)
	ROW("tclass", path_record, tclass, HEX)
	BITS("num_path_revers", AT(path_record, reversible), 8, HEX)
	ROW("pkey", path_record, pkey, HEX)
	ROW("qos_class", path_record, qos_class, HEX)
	ROW("sl", path_record, sl, HEX)
	BITS("mtu", AT(path_record, mtu_selector), 8, HEX)
	BITS("rate", AT(path_record, rate_selector), 8, HEX)
	BITS("pkt_life", AT(path_record, life_selector), 8, HEX)
	ROW("preference", path_record, preference, HEX)
	BITS("resv2", AT(path_record, preference) + 8, 48, HEX12)
	END
};

static const struct line class_port_info_lines[] = {
	ROW("Base version", class_port_info, base_version, DEC)
	ROW("Class version", class_port_info, class_version, DEC)
	ROW("Capability mask", class_port_info, capability_mask, HEX4)
	ROW("Capability mask 2", class_port_info, capability_mask2, HEX8)
	ROW("Response time value", class_port_info, resp_time, HEX2)
	ROW("Redirect GID", class_port_info, redirect_gid, GID)
	BITS("Redirect TC/SL/FL", AT(class_port_info, redirect_tclass), 32, HEX8)
	ROW("Redirect LID", class_port_info, redirect_lid, DEC)
	ROW("Redirect PKey", class_port_info, redirect_pkey, HEX4)
	BITS("Redirect QP", AT(class_port_info, redirect_qp) - 8, 32, HEX8)
	ROW("Redirect QKey", class_port_info, redirect_qkey, HEX8)
	ROW("Trap GID", class_port_info, trap_gid, GID)
	BITS("Trap TC/SL/FL", AT(class_port_info, trap_tclass), 32, HEX8)
	ROW("Trap LID", class_port_info, trap_lid, DEC)
	ROW("Trap PKey", class_port_info, trap_pkey, HEX4)
	BITS("Trap HL/QP", AT(class_port_info, trap_hop_limit), 32, HEX8)
	ROW("Trap QKey", class_port_info, trap_qkey, HEX8)
	END
};

static const struct line port_lines[] = {
	ROW("EndPortLid", port_info_record, lid, DEC)
	ROW("PortNum", port_info_record, port, DEC)
	ROW("Options", port_info_record, options, HEX_LOW)
	END
};

static const struct line issm_lines[] = {
	ROW("EndPortLid", port_info_record, lid, DEC)
	ROW("PortNum", port_info_record, port, DEC)
	SUBROW("base_lid", port_info_record, info, port_info, lid, DEC)
	SUBROW("master_sm_base_lid", port_info_record, info, port_info, master_sm_lid, DEC)
	SUBROW("capability_mask", port_info_record, info, port_info, capability_mask, HEX)
	END
};

static const struct line mcmember_lines[] = {
	ROW("MGID", mcmember_record, mgid, GID)
	ROW("PortGid", mcmember_record, port_gid, GID)
	ROW("qkey", mcmember_record, qkey, HEX_LOW)
	ROW("mlid", mcmember_record, mlid, HEX_LOW)
	BITS("mtu", AT(mcmember_record, mtu_selector), 8, HEX_LOW)
	ROW("TClass", mcmember_record, tclass, HEX_LOW)
	ROW("pkey", mcmember_record, pkey, HEX_LOW)
	BITS("rate", AT(mcmember_record, rate_selector), 8, HEX_LOW)
	BITS("pkt_life", AT(mcmember_record, life_selector), 8, HEX_LOW)
	ROW("SL", mcmember_record, sl, HEX_LOW)
	ROW("FlowLabel", mcmember_record, flow_label, HEX_LOW)
	ROW("HopLimit", mcmember_record, hop_limit, HEX_LOW)
	ROW("Scope", mcmember_record, scope, HEX_LOW)
	ROW("JoinState", mcmember_record, join_state, HEX_LOW)
	ROW("ProxyJoin", mcmember_record, proxy_join, HEX_LOW)
	END
};

static const struct line group_lines[] = {
	ROW("MGID", mcmember_record, mgid, GID)
	ROW("Mlid", mcmember_record, mlid, HEX)
	BITS("Mtu", AT(mcmember_record, mtu_selector), 8, HEX)
	ROW("pkey", mcmember_record, pkey, HEX)
	BITS("Rate", AT(mcmember_record, rate_selector), 8, HEX)
	ROW("SL", mcmember_record, sl, HEX)
	END
};

static const struct line member_lines[] = {
	ROW("MGID", mcmember_record, mgid, GID)
	ROW("Mlid", mcmember_record, mlid, HEX)
	ROW("PortGid", mcmember_record, port_gid, GID)
	BITS("ScopeState", AT(mcmember_record, scope), 8, HEX)
	ROW("ProxyJoin", mcmember_record, proxy_join, HEX)
	END
};

static const struct line service_lines[] = {
	ROW("ServiceID", service_record, id, HEX16)
	ROW("ServiceGID", service_record, gid, GID)
	ROW("ServiceP_Key", service_record, pkey, HEX)
	ROW("ServiceLease", service_record, lease_s, HEX)
	ROW("ServiceKey", service_record, key, KEY16)
	ROW("ServiceName", service_record, name, TEXT)
	LIST("ServiceData8", AT(service_record, data8), 8, 16, HEX)
	LIST("ServiceData16", AT(service_record, data16), 16, 8, HEX)
	LIST("ServiceData32", AT(service_record, data32), 32, 4, HEX)
	LIST("ServiceData64", AT(service_record, data64), 64, 2, HEX16)
	END
};

static const struct line sm_lines[] = {
	HEADING("RID")
	ROW("LID", sm_info_record, lid, DEC)
	HEADING("SMInfo dump:")
	SUBROW("GUID", sm_info_record, info, sm_info, guid, HEX16)
	SUBROW("SM_Key", sm_info_record, info, sm_info, sm_key, HEX16)
	SUBROW("ActCount", sm_info_record, info, sm_info, act_count, DEC)
	SUBROW("Priority", sm_info_record, info, sm_info, priority, DEC)
	SUBROW("SMState", sm_info_record, info, sm_info, state, DEC)
	END
};

static const struct line switch_lines[] = {
	HEADING("RID")
	ROW("LID", switch_info_record, lid, DEC)
	HEADING("SwitchInfo dump:")
	SUBROW("LinearFDBCap", switch_info_record, info, switch_info, lft_cap, HEX)
	SUBROW("RandomFDBCap", switch_info_record, info, switch_info, rft_cap, HEX)
	SUBROW("MulticastFDBCap", switch_info_record, info, switch_info, mft_cap, HEX)
	SUBROW("LinearFDBTop", switch_info_record, info, switch_info, lft_top, HEX)
	SUBROW("DefaultPort", switch_info_record, info, switch_info, default_port, DEC)
	SUBROW("DefaultMulticastPrimaryPort", switch_info_record, info, switch_info, default_mcast_primary, DEC)
	SUBROW("DefaultMulticastNotPrimaryPort", switch_info_record, info, switch_info, default_mcast_not_primary, DEC)
	BITS("LifeTimeValue/PortStateChange/OpSL2VL", SUB(switch_info_record, info, switch_info, life_time), 8, HEX)
	SUBROW("LIDsPerPort", switch_info_record, info, switch_info, lids_per_port, HEX)
	SUBROW("PartitionEnforcementCap", switch_info_record, info, switch_info, partition_enforce_cap, HEX)
	BITS("flags", SUB(switch_info_record, info, switch_info, inbound_enforce_cap), 8, HEX)
	END
};

static const struct line mft_top_lines[] = {
	SUBROW("MulticastFDBTop", switch_info_record, info, switch_info, mft_top, HEX)
	END
};

#define INFORM(label, row, form) SUBROW(label, inform_info_record, info, inform_info, row, form)
#define INFORM_LINES(number, number_form, producer) { \
	HEADING("RID") \
	ROW("SubscriberGID", inform_info_record, subscriber_gid, GID) \
	ROW("SubscriberEnum", inform_info_record, enumeration, HEX) \
	HEADING("InformInfo dump:") \
	INFORM("gid", gid, GID) \
	INFORM("lid_range_begin", lid_begin, DEC) \
	INFORM("lid_range_end", lid_end, DEC) \
	INFORM("is_generic", is_generic, HEX) \
	INFORM("subscribe", subscribe, HEX) \
	INFORM("trap_type", type, HEX) \
	INFORM(number, trap_number, number_form) \
	INFORM("qpn", qpn, KEY6) \
	INFORM("resp_time_val", resp_time, HEX) \
	INFORM(producer, producer_type, HEX6) \
	END \
}
static const struct line inform_generic_lines[] = INFORM_LINES("trap_num", DEC, "node_type");
static const struct line inform_vendor_lines[] = INFORM_LINES("dev_id", HEX, "vendor_id");

static const struct line link_lines[] = {
	ROW("FromLID", link_record, from_lid, DEC)
	ROW("FromPort", link_record, from_port, DEC)
	ROW("ToPort", link_record, to_port, DEC)
	ROW("ToLID", link_record, to_lid, DEC)
	END
};
static const struct line slvl_lines[] = {
	ROW("LID", slvl_record, lid, DEC)
	ROW("InPort", slvl_record, in_port, DEC)
	ROW("OutPort", slvl_record, out_port, DEC)
	END
};
static const struct line vlarb_lines[] = {
	ROW("LID", vlarb_record, lid, DEC)
	ROW("Port", vlarb_record, port, DEC)
	ROW("Block", vlarb_record, block, DEC)
	END
};
static const struct line pkey_lines[] = {
	ROW("LID", pkey_record, lid, DEC)
	ROW("Port", pkey_record, port, DEC)
	ROW("Block", pkey_record, block, DEC)
	HEADING("PKey Table:")
	END
};
static const struct line lft_lines[] = {
	ROW("LID", lft_record, lid, DEC)
	ROW("Block", lft_record, block, DEC)
	HEADING("LFT:")
	HEADING("LID\tPort Number")
	END
};
static const struct line mft_lines[] = {
	ROW("LID", mft_record, lid, DEC)
	ROW("Position", mft_record, position, DEC)
	ROW("Block", mft_record, block, DEC)
	HEADING("MFT:")
	HEADING("MLID\tPort Mask")
	END
};
static const struct line guid_lines[] = {
	ROW("LID", guid_info_record, lid, DEC)
	ROW("Block", guid_info_record, block, DEC)
	BITS("GUID 0", AT(guid_info_record, table), 64, HEX16)
	BITS("GUID 1", AT(guid_info_record, table) + 64, 64, HEX16)
	BITS("GUID 2", AT(guid_info_record, table) + 128, 64, HEX16)
	BITS("GUID 3", AT(guid_info_record, table) + 192, 64, HEX16)
	BITS("GUID 4", AT(guid_info_record, table) + 256, 64, HEX16)
	BITS("GUID 5", AT(guid_info_record, table) + 320, 64, HEX16)
	BITS("GUID 6", AT(guid_info_record, table) + 384, 64, HEX16)
	BITS("GUID 7", AT(guid_info_record, table) + 448, 64, HEX16)
	END
};

/* ---- lines ---- */

static void
value_text(struct diag *d, const struct line *l, const uint8_t *image, unsigned at, char *buf, size_t room)
{
	static const char *const digits[] = {
		[HEX] = "0x%" PRIX64, [HEX_LOW] = "0x%" PRIx64, [HEX2] = "0x%02" PRIX64, [HEX4] = "0x%04" PRIX64,
		[HEX6] = "0x%06" PRIX64, [HEX8] = "0x%08" PRIX64, [HEX12] = "0x%012" PRIX64, [HEX16] = "0x%016" PRIx64,
	};
	const uint8_t *bytes = image + at / 8;
	uint64_t v = l->width <= 64 ? wire_bits_get(image, at, l->width) : 0;

	switch (l->form) {
	case DEC:
		snprintf(buf, room, "%" PRIu64, v);
		return;
	case HEX: case HEX_LOW: case HEX2: case HEX4: case HEX6: case HEX8: case HEX12: case HEX16:
		snprintf(buf, room, digits[l->form], v);
		return;
	case GID:
		inet_ntop(AF_INET6, bytes, buf, (socklen_t)room);
		return;
	case TEXT:
		snprintf(buf, room, "%.*s", l->width / 8, (const char *)bytes);
		return;
	case TYPE:
		snprintf(buf, room, "%s", attr_word(ATTR_SHOW_NODE_TYPE, v) ? attr_word(ATTR_SHOW_NODE_TYPE, v) : "Unknown");
		return;
	case KEY6:
		snprintf(buf, room, diag_settings(d)->show_keys ? "0x%06" PRIX64 : "<not displayed>", v);
		return;
	case KEY16:
		if (diag_settings(d)->show_keys)
			snprintf(buf, room, "0x%016" PRIx64 "%016" PRIx64, wire_get64(bytes), wire_get64(bytes + 8));
		else
			snprintf(buf, room, "<not displayed>");
		return;
	case WORDS:
		buf[0] = '\0';
		return;
	}
}

/* Two tabs, the label, dots up to 'column', the value. */
static void
put_line(struct diag *d, const struct line *l, const uint8_t *image, int column)
{
	char label[64], value[DIAG_NAME_BYTES];
	int n;

	if (l->form == WORDS) {
		diag_text(d, "\t\t%s\n", l->label);
		return;
	}
	for (unsigned i = 0; i < (l->count ? l->count : 1u); i++) {
		n = l->count ? snprintf(label, sizeof(label), "%s.%u", l->label, i + 1) : snprintf(label, sizeof(label), "%s", l->label);
		value_text(d, l, image, l->first_bit + i * l->width, value, sizeof(value));
		diag_text(d, "\t\t%s%.*s%s\n", label, column - n, "........................................", value);
	}
}

static void
put_lines(struct diag *d, const struct line *l, const uint8_t *image, int column)
{
	for (; l->label; l++)
		put_line(d, l, image, column);
}

/* ---- records with tables ---- */

const char *
sa_show_name(struct diag *d, const uint8_t *image, char buf[static DIAG_NAME_BYTES])
{
	struct node_record n = node_record_decode(image);

	return diag_name(d, n.info.node_guid, n.desc.text, buf);
}

static void
node_tail(struct diag *d, const uint8_t *image)
{
	char name[DIAG_NAME_BYTES];

	diag_text(d, "\t\tNodeDescription.........%s\n", sa_show_name(d, image, name));
}

static void
port_tail(struct diag *d, const uint8_t *image)
{
	diag_text(d, "\tPortInfo dump:\n");
	diag_port_info_text(d, image + AT(port_info_record, info) / 8, 2);
}

static void
slvl_tail(struct diag *d, const uint8_t *image)
{
	struct slvl_record s = slvl_record_decode(image);

	diag_text(d, "\t\tSL:");
	for (unsigned i = 0; i < 16; i++)
		diag_text(d, "%2u|", i);
	diag_text(d, "\n\t\tVL:");
	for (unsigned i = 0; i < 16; i++)
		diag_text(d, "%2u|", s.table.vl[i]);
	diag_text(d, "\n");
}

static void
vlarb_tail(struct diag *d, const uint8_t *image)
{
	struct vlarb_record v = vlarb_record_decode(image);

	for (unsigned from = 0; from < 32; from += 16) {
		diag_text(d, "\t\tVL    :");
		for (unsigned i = from; i < from + 16; i++)
			diag_text(d, "%2u|", v.table.vl[i]);
		diag_text(d, "\n\t\tWeight:");
		for (unsigned i = from; i < from + 16; i++)
			diag_text(d, "%2u|", v.table.weight[i]);
		diag_text(d, "\n");
	}
}

static void
pkey_tail(struct diag *d, const uint8_t *image)
{
	struct pkey_record p = pkey_record_decode(image);

	for (unsigned i = 0; i < 32; i++)
		diag_text(d, "%s0x%04x%s", i % 8 ? "" : "\t\t", p.table.pkey[i], i % 8 == 7 ? "\n" : " ");
	diag_text(d, "\n");
}

static void
lft_tail(struct diag *d, const uint8_t *image)
{
	struct lft_record r = lft_record_decode(image);

	for (unsigned i = 0; i < 64; i++)
		diag_text(d, "\t\t%u\t%u\n", r.block * 64u + i, r.table.port[i]);
	diag_text(d, "\n");
}

static void
mft_tail(struct diag *d, const uint8_t *image)
{
	struct mft_record r = mft_record_decode(image);

	for (unsigned i = 0; i < 32; i++)
		diag_text(d, "\t\t0x%04x\t0x%04x\n", 0xc000u + r.block * 32u + i, r.table.mask[i]);
	diag_text(d, "\n");
}

static const struct record_text {
	uint16_t attr_id;
	uint8_t column;
	const char *title;
	const struct line *lines;
	void (*tail)(struct diag *d, const uint8_t *image);
} texts[] = {
	{ NODE_RECORD_ID, 24, "NodeRecord dump:", node_lines, node_tail },
	{ PORT_INFO_RECORD_ID, 24, "PortInfoRecord dump:\n\tRID", port_lines, port_tail },
	{ SLVL_RECORD_ID, 27, "SL2VLTableRecord dump:", slvl_lines, slvl_tail },
	{ SWITCH_INFO_RECORD_ID, 40, "SwitchInfoRecord dump:", switch_lines, NULL },
	{ LFT_RECORD_ID, 27, "LFT Record dump:", lft_lines, lft_tail },
	{ MFT_RECORD_ID, 27, "MFT Record dump:", mft_lines, mft_tail },
	{ SM_INFO_RECORD_ID, 22, "SMInfoRecord dump:", sm_lines, NULL },
	{ LINK_RECORD_ID, 27, "LinkRecord dump:", link_lines, NULL },
	{ GUID_INFO_RECORD_ID, 27, "GUIDInfo Record dump:", guid_lines, NULL },
	{ SERVICE_RECORD_ID, 24, "ServiceRecord dump:", service_lines, NULL },
	{ PKEY_RECORD_ID, 27, "PKeyTableRecord dump:", pkey_lines, pkey_tail },
	{ PATH_RECORD_ID, 24, "PathRecord dump:", path_lines, NULL },
	{ VLARB_RECORD_ID, 27, "VLArbTableRecord dump:", vlarb_lines, vlarb_tail },
	{ MCMEMBER_RECORD_ID, 24, "MCMember Record dump:", mcmember_lines, NULL },
	{ INFORM_INFO_RECORD_ID, 24, "InformInfoRecord dump:", inform_generic_lines, NULL },
};

void
sa_show(struct diag *d, uint16_t attr_id, const uint8_t *image, bool mft_top)
{
	const struct record_text *t = texts;
	const struct line *lines;

	if (!diag_is_text(d))
		return;
	while (t->attr_id != attr_id)
		if (++t == texts + sizeof(texts) / sizeof(texts[0]))
			bug("saquery: record 0x%04x has no text", attr_id);
	lines = t->lines;
	if (attr_id == INFORM_INFO_RECORD_ID && !inform_info_record_decode(image).info.is_generic)
		lines = inform_vendor_lines;
	diag_text(d, "%s\n", t->title);
	put_lines(d, lines, image, t->column);
	if (t->tail)
		t->tail(d, image);
	if (attr_id == SWITCH_INFO_RECORD_ID && mft_top)
		put_lines(d, mft_top_lines, image, t->column);
}

void
sa_show_class_port_info(struct diag *d, const uint8_t *image)
{
	struct class_port_info c = class_port_info_decode(image);

	diag_text(d, "SA ClassPortInfo:\n");
	put_lines(d, class_port_info_lines, image, 25);
	json_object_set_new(diag_doc(d), "class_port_info", attr_to_json(&class_port_info_desc, &c, diag_settings(d)->show_keys));
}

void
sa_show_issm(struct diag *d, const uint8_t *image)
{
	diag_text(d, "PortInfoRecord dump:\n");
	put_lines(d, issm_lines, image, 24);
}

void
sa_show_group(struct diag *d, const uint8_t *image)
{
	diag_text(d, "MCMemberRecord group dump:\n");
	put_lines(d, group_lines, image, 24);
}

void
sa_show_member(struct diag *d, const uint8_t *image, const char *name)
{
	diag_text(d, "MCMemberRecord member dump:\n");
	put_lines(d, member_lines, image, 24);
	diag_text(d, "\t\tNodeDescription.........%s\n", name);
}

void
sa_show_row(struct diag *d, uint16_t attr_id, const uint8_t *image, const char *name, const char *role)
{
	const struct attr_desc *desc = sa_record_find(attr_id)->attr;
	void *s;
	json_t *o;

	if (diag_is_text(d))
		return;
	s = xcalloc(1, desc->struct_bytes);
	desc->decode(image, s);
	o = attr_to_json(desc, s, diag_settings(d)->show_keys);
	free(s);
	if (name)
		attr_json_set_text(o, "node_name", (const uint8_t *)name, strlen(name));
	else
		json_object_set_new(o, "node_name", json_null());
	json_object_set_new(o, "role", role ? json_string(role) : json_null());
	diag_row(d, "records", o);
}
