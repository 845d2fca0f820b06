/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saquery_show.c - shows records of the SA in the format of infiniband-diags, and as rows of the
 * document.
 * Room: diags/tools. A table of lines describes each record; records that contain tables have
 * functions.
 */
#include <config.h>
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/settings.h"
#include "diags/core/show.h"
#include "diags/core/tool.h"
#include "diags/tools/saquery.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/wire/wire.h"
#include "util/put.h"
#include "util/xalloc.h"

enum form {
	DEC, HEX, HEX_LOW, HEX2, HEX4, HEX6, HEX8, HEX12, HEX16, GID, TEXT, TYPE, KEY16, KEY6,
	WORDS,
};

/* A line of output: a label, dots, and the value of a bit field. DATA lines are repeated, with a
 * running number after the label. */
struct line {
	const char *label;
	uint16_t first_bit, width;
	enum form form;
	uint16_t count;                 /* 0: a single value */
};

#define AT(rec, row) rec##_at_##row
#define SUB(rec, member, sub, row) (rec##_at_##member + sub##_at_##row)
#define ROW(label, rec, row, form) { label, AT(rec, row), rec##_bits_##row, form, 0 },
#define SUBROW(label, rec, member, sub, row, form) \
	{ label, SUB(rec, member, sub, row), sub##_bits_##row, form, 0 },
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

static const struct line trace_lines[] = {
	ROW("gid_prefix", trace_record, gid_prefix, HEX16)
	ROW("id_generation", trace_record, id_generation, DEC)
	ROW("node_type", trace_record, node_type, TYPE)
	ROW("node_id", trace_record, node_id, HEX16)
	ROW("chassis_id", trace_record, chassis_id, HEX16)
	ROW("entry_port_id", trace_record, entry_port_id, HEX16)
	ROW("exit_port_id", trace_record, exit_port_id, HEX16)
	ROW("entry_port", trace_record, entry_port, DEC)
	ROW("exit_port", trace_record, exit_port, DEC)
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
	SUBROW("DefaultMulticastPrimaryPort", switch_info_record, info, switch_info,
		default_mcast_primary, DEC)
	SUBROW("DefaultMulticastNotPrimaryPort", switch_info_record, info, switch_info,
		default_mcast_not_primary, DEC)
	BITS("LifeTimeValue/PortStateChange/OpSL2VL", SUB(switch_info_record, info, switch_info,
		life_time), 8, HEX)
	SUBROW("LIDsPerPort", switch_info_record, info, switch_info, lids_per_port, HEX)
	SUBROW("PartitionEnforcementCap", switch_info_record, info, switch_info,
		partition_enforce_cap, HEX)
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

/* ---- lines; written without printf, since a large subnet has hundreds of thousands ---- */

/* The text of one record; the buffer is large enough for any. */
struct text {
	struct diag *d;
	char *to, buf[16384];
};

#define LINE_BYTES (DIAG_NAME_BYTES + 80)
#define LEAD_BYTES 56
#define LINES_MAX 48

static void
text_begin(struct text *t, struct diag *d)
{
	t->d = d;
	t->to = t->buf;
}

static void
text_out(struct text *t)
{
	diag_write(t->d, t->buf, (size_t)(t->to - t->buf));
	t->to = t->buf;
}

/* Returns the position of the next line. */
static char *
text_line(struct text *t)
{
	if (t->to > t->buf + sizeof(t->buf) - LINE_BYTES)
		text_out(t);
	return t->to;
}

static char *
put_number(char *to, enum form form, uint64_t v)
{
	static const uint8_t least[] = { [HEX2] = 2, [HEX4] = 4, [HEX6] = 6, [HEX8] = 8,
		[HEX12] = 12, [HEX16] = 16, [KEY6] = 6, [WORDS] = 0 };
	unsigned n = put_hex_digits(v);

	if (form == DEC)
		return put_dec(to, v);
	return put_hex_of(put_string(to, "0x"), v, n > least[form] ? n : least[form],
		form != HEX_LOW && form != HEX16);
}

static char *
put_value(char *to, struct diag *d, const struct line *l, const uint8_t *image, unsigned at)
{
	const uint8_t *bytes = image + at / 8;
	uint64_t v = l->width <= 64 ? wire_bits_get(image, at, l->width) : 0;
	const char *word;

	switch (l->form) {
	case DEC:
	case HEX:
	case HEX_LOW:
	case HEX2:
	case HEX4:
	case HEX6:
	case HEX8:
	case HEX12:
	case HEX16:
		return put_number(to, l->form, v);
	case GID:
		inet_ntop(AF_INET6, bytes, to, INET6_ADDRSTRLEN);
		return to + strlen(to);
	case TEXT:
		return put_bytes(to, (const char *)bytes, strnlen((const char *)bytes,
			l->width / 8));
	case TYPE:
		word = attr_word(ATTR_SHOW_NODE_TYPE, v);
		return put_string(to, word ? word : "Unknown");
	case KEY6:
		return diag_settings(d)->show_keys ? put_number(to, KEY6, v) :
			put_string(to, "<not displayed>");
	case KEY16:
		if (!diag_settings(d)->show_keys)
			return put_string(to, "<not displayed>");
		to = put_string(to, "0x");
		for (unsigned i = 0; i < l->width / 8u; i++)
			to = put_hex(to, bytes[i], 2);
		return to;
	case WORDS:
		break;
	}
	return to;
}

/* Writes two tabs, the label, and dots up to 'column'. */
static size_t
make_lead(char *lead, const struct line *l, unsigned number, size_t column)
{
	char *to = put_string(put_string(lead, "\t\t"), l->label);
	size_t n;

	if (l->form == WORDS) {
		*to++ = '\n';
		return (size_t)(to - lead);
	}
	if (l->count)
		to = put_dec(put_string(to, "."), number);
	n = (size_t)(to - lead);
	to = put_fill(to, '.', n < column + 2 ? column + 2 - n : 0);
	return (size_t)(to - lead);
}

/* The constant beginnings of the lines of one table, built once for all records. */
struct saquery_leads {
	const struct line *of;
	struct lead {
		const struct line *line;
		uint16_t at;            /* bit offset of the field */
		uint16_t bytes;
		char text[LEAD_BYTES];
	} v[LINES_MAX];
	size_t n;
};

static void
make_leads(struct saquery_leads *leads, const struct line *l, size_t column)
{
	leads->of = l;
	leads->n = 0;
	for (; l->label; l++)
		for (unsigned i = 0; i < (l->count ? l->count : 1u); i++) {
			struct lead *e = &leads->v[leads->n];

			if (leads->n++ == LINES_MAX || strlen(l->label) + 8 > LEAD_BYTES)
				bug("saquery: a record has more than %d lines", LINES_MAX);
			e->line = l;
			e->at = (uint16_t)(l->first_bit + i * l->width);
			e->bytes = (uint16_t)make_lead(e->text, l, i + 1, column);
		}
}

static void
put_lines(struct text *t, const struct line *l, const uint8_t *image, size_t column)
{
	struct saquery *my = diag_state(t->d);

	if (!my->leads)
		my->leads = xcalloc(1, sizeof(*my->leads));
	if (my->leads->of != l)
		make_leads(my->leads, l, column);
	for (const struct lead *e = my->leads->v; e < my->leads->v + my->leads->n; e++) {
		char *to = text_line(t);

		/* copies a fixed length, which is faster */
		memcpy(to, e->text, sizeof(e->text));
		to += e->bytes;
		if (e->line->form != WORDS) {
			to = put_value(to, t->d, e->line, image, e->at);
			*to++ = '\n';
		}
		t->to = to;
	}
}

static void
put_name(struct text *t, const char *name)
{
	char *to = put_string(put_string(text_line(t), "\t\tNodeDescription........."), name);

	*to++ = '\n';
	t->to = to;
}

/* ---- records with tables ---- */

const char *
sa_show_name(struct diag *d, const uint8_t *image, char buf[static DIAG_NAME_BYTES])
{
	return diag_name(d,
		ATTR_GET(node_info, node_guid, image + ATTR_AT(node_record, info)),
		image + ATTR_AT(node_record, desc), buf);
}

static void
node_tail(struct text *t, const uint8_t *image)
{
	char name[DIAG_NAME_BYTES];

	put_name(t, sa_show_name(t->d, image, name));
}

static void
port_tail(struct text *t, const uint8_t *image)
{
	t->to = put_string(text_line(t), "\tPortInfo dump:\n");
	text_out(t);
	diag_port_info_text(t->d, image + AT(port_info_record, info) / 8, 2);
}

/* Appends "%2u|" sixteen times after 'title'. */
static void
put_sixteen(struct text *t, const char *title, const uint8_t *v)
{
	char *to = put_string(text_line(t), title);

	for (unsigned i = 0; i < 16; i++) {
		if (v[i] < 10)
			*to++ = ' ';
		to = put_dec(to, v[i]);
		*to++ = '|';
	}
	*to++ = '\n';
	t->to = to;
}

static void
slvl_tail(struct text *t, const uint8_t *image)
{
	static const uint8_t levels[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct slvl_record s = slvl_record_decode(image);

	put_sixteen(t, "\t\tSL:", levels);
	put_sixteen(t, "\t\tVL:", s.table.vl);
}

static void
vlarb_tail(struct text *t, const uint8_t *image)
{
	struct vlarb_record v = vlarb_record_decode(image);

	for (unsigned from = 0; from < 32; from += 16) {
		put_sixteen(t, "\t\tVL    :", v.table.vl + from);
		put_sixteen(t, "\t\tWeight:", v.table.weight + from);
	}
}

static void
pkey_tail(struct text *t, const uint8_t *image)
{
	struct pkey_record p = pkey_record_decode(image);
	char *to = text_line(t);

	for (unsigned i = 0; i < 32; i++) {
		to = put_hex(put_string(to, i % 8 ? "0x" : "\t\t0x"), p.table.pkey[i], 4);
		*to++ = i % 8 == 7 ? '\n' : ' ';
	}
	*to++ = '\n';
	t->to = to;
}

static void
lft_tail(struct text *t, const uint8_t *image)
{
	struct lft_record r = lft_record_decode(image);

	for (unsigned i = 0; i < 64; i++) {
		char *to = put_dec(put_string(text_line(t), "\t\t"), r.block * 64u + i);

		*to++ = '\t';
		to = put_dec(to, r.table.port[i]);
		*to++ = '\n';
		t->to = to;
	}
	t->to = put_string(text_line(t), "\n");
}

static void
mft_tail(struct text *t, const uint8_t *image)
{
	struct mft_record r = mft_record_decode(image);

	for (unsigned i = 0; i < 32; i++) {
		uint32_t mlid = 0xc000u + r.block * 32u + i;
		char *to = put_hex(put_string(text_line(t), "\t\t0x"), mlid, put_hex_digits(mlid));

		to = put_hex(put_string(to, "\t0x"), r.table.mask[i], 4);
		*to++ = '\n';
		t->to = to;
	}
	t->to = put_string(text_line(t), "\n");
}

static const struct record_text {
	uint16_t attr_id;
	uint8_t column;
	const char *title;
	const struct line *lines;
	void (*tail)(struct text *t, const uint8_t *image);
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
	{ TRACE_RECORD_ID, 24, "TraceRecord dump:", trace_lines, NULL },
	{ VLARB_RECORD_ID, 27, "VLArbTableRecord dump:", vlarb_lines, vlarb_tail },
	{ MCMEMBER_RECORD_ID, 24, "MCMember Record dump:", mcmember_lines, NULL },
	{ INFORM_INFO_RECORD_ID, 24, "InformInfoRecord dump:", inform_generic_lines, NULL },
};

void
sa_show(struct diag *d, uint16_t attr_id, const uint8_t *image, bool mft_top)
{
	const struct record_text *r = texts;
	const struct line *lines;
	struct text t;

	if (!diag_is_text(d))
		return;
	while (r->attr_id != attr_id)
		if (++r == texts + sizeof(texts) / sizeof(texts[0]))
			bug("saquery: record 0x%04x has no text", attr_id);
	lines = r->lines;
	if (attr_id == INFORM_INFO_RECORD_ID && !inform_info_record_decode(image).info.is_generic)
		lines = inform_vendor_lines;
	text_begin(&t, d);
	t.to = put_string(put_string(t.to, r->title), "\n");
	put_lines(&t, lines, image, r->column);
	if (r->tail)
		r->tail(&t, image);
	if (attr_id == SWITCH_INFO_RECORD_ID && mft_top)
		put_lines(&t, mft_top_lines, image, r->column);
	text_out(&t);
}

/* Shows a title, lines, and the name of a node (NULL: none). */
static void
show_lines(struct diag *d, const char *title, const struct line *lines, const uint8_t *image,
	size_t column, const char *name)
{
	struct text t;

	text_begin(&t, d);
	t.to = put_string(t.to, title);
	put_lines(&t, lines, image, column);
	if (name)
		put_name(&t, name);
	text_out(&t);
}

void
sa_show_class_port_info(struct diag *d, const uint8_t *image)
{
	struct class_port_info c = class_port_info_decode(image);

	show_lines(d, "SA ClassPortInfo:\n", class_port_info_lines, image, 25, NULL);
	json_object_set_new(diag_doc(d), "class_port_info", attr_to_json(&class_port_info_desc, &c,
		diag_settings(d)->show_keys));
}

void
sa_show_issm(struct diag *d, const uint8_t *image)
{
	show_lines(d, "PortInfoRecord dump:\n", issm_lines, image, 24, NULL);
}

void
sa_show_group(struct diag *d, const uint8_t *image)
{
	show_lines(d, "MCMemberRecord group dump:\n", group_lines, image, 24, NULL);
}

void
sa_show_member(struct diag *d, const uint8_t *image, const char *name)
{
	show_lines(d, "MCMemberRecord member dump:\n", member_lines, image, 24, name);
}

void
sa_show_row(struct diag *d, uint16_t attr_id, const uint8_t *image, const char *name,
	const char *role)
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
