/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fabric_show.c - nodes, ports and links of a snapshot, as text and as JSON.
 * Room: diags/fabric.
 */
#include <config.h>
#include <string.h>
#include "diags/core/json.h"
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"

const char *
fab_name(struct diag *d, const struct fab_node *n, char buf[static DIAG_NAME_BYTES])
{
	return diag_name(d, n->guid, n->desc, buf);
}

const char *
fab_type_word(uint8_t type)
{
	return type == 1 ? "ca" : type == 2 ? "switch" : type == 3 ? "router" : "unknown";
}

/* Returns the port whose PortInfo describes the node: port 0 of a switch. */
static const struct fab_port *
base_port(const struct diag_fabric *f, const struct fab_port *p)
{
	const struct fab_node *n = fab_node_of(f, p);

	return fab_is_switch(n) ? &f->s->ports[n->first_port] : p;
}

uint16_t
fab_lid(const struct diag_fabric *f, const struct fab_port *p)
{
	return port_info_decode(base_port(f, p)->info).lid;
}

uint8_t
fab_lmc(const struct diag_fabric *f, const struct fab_port *p)
{
	return port_info_decode(base_port(f, p)->info).lmc;
}

struct fab_link
fab_link_of(const struct diag_fabric *f, const struct fab_port *p)
{
	struct port_info i = port_info_decode(p->info);
	struct fab_link l = {
		.width = i.width_active, .speed = i.speed_active,
		.fdr10 = p->flags & FAB_PORT_FDR10,
		.vl_cap = i.vl_cap, .state = i.state, .phys_state = i.phys_state,
	};

	if (port_info_decode(base_port(f, p)->info).capability_mask & PORT_CAP_EXTENDED_SPEEDS) {
		l.speed_ext = i.speed_ext_active;
		l.speed_ext2 = i.speed_ext_active2;
	}
	return l;
}

const char *
fab_width_word(uint8_t code)
{
	const char *s = attr_word(ATTR_SHOW_LINK_WIDTH, code);

	return s ? s : "??";
}

const char *
fab_speed_word(const struct fab_link *l)
{
	const char *s;

	if (l->speed_ext2)
		s = attr_word(ATTR_SHOW_LINK_SPEED_EXT2, l->speed_ext2);
	else if (l->speed_ext)
		s = attr_word(ATTR_SHOW_LINK_SPEED_EXT, l->speed_ext);
	else if (l->speed == 4 && l->fdr10)
		s = "FDR10";
	else
		s = attr_word(ATTR_SHOW_LINK_SPEED, l->speed);
	return s ? s : "???";
}

double
fab_lane_gbps(const struct fab_link *l)
{
	if (l->speed_ext2)
		return l->speed_ext2 == 1 ? 212.5 : 0;
	switch (l->speed_ext) {
	case 1: return 14.0625;
	case 2: return 25.78125;
	case 4: return 53.125;
	case 8: return 106.25;
	}
	if (l->speed_ext)
		return 0;
	if (l->speed == 4)
		return l->fdr10 ? 10.3125 : 10;
	return l->speed == 2 ? 5 : l->speed == 1 ? 2.5 : 0;
}

unsigned
fab_lanes(uint8_t width)
{
	switch (width) {
	case 1: return 1;
	case 2: return 4;
	case 4: return 8;
	case 8: return 12;
	case 16: return 2;
	}
	return 0;
}

bool
fab_has_vendor_port_info(uint32_t vendor_id, uint16_t device_id)
{
	static const struct { uint32_t vendor; uint16_t first, last; } kinds[] = {
		{ 0, 0xc738, 0xc73b }, { 0, 0xc839, 0xc839 }, { 0, 0xcb20, 0xcb20 },
		{ 0, 0xcf08, 0xcf09 }, { 0, 0xd2f0, 0xd2f0 },
		{ 0, 0x1003, 0x101b }, { 0, 0xa2d2, 0xa2d2 },
		{ 0x119f, 0x1b02, 0x1b02 }, { 0x119f, 0x1b50, 0x1b50 }, { 0x119f, 0x1ba0, 0x1ba0 },
		{ 0x119f, 0x1bd0, 0x1bd5 },
		{ 0x119f, 0x1bf0, 0x1bf0 }, { 0x119f, 0x1b33, 0x1b33 }, { 0x119f, 0x1b73, 0x1b73 },
		{ 0x119f, 0x1b40, 0x1b41 },
		{ 0x119f, 0x1b60, 0x1b61 }, { 0x119f, 0x1b83, 0x1b83 }, { 0x119f, 0x1b93, 0x1b94 },
		{ 0x119f, 0x1bb4, 0x1bb6 },
		{ 0x119f, 0x1bc4, 0x1bc6 },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((!kinds[i].vendor || kinds[i].vendor == vendor_id) &&
		    device_id >= kinds[i].first && device_id <= kinds[i].last)
			return true;
	return false;
}

/* ---- JSON ---- */

json_t *
fab_json_end(struct diag *d, const struct diag_fabric *f, const struct fab_port *p)
{
	char name[DIAG_NAME_BYTES];
	const struct fab_node *n;
	json_t *o;

	if (!p)
		return json_null();
	n = fab_node_of(f, p);
	o = json_object();
	fab_name(d, n, name);
	json_object_set_new(o, "node_guid", diag_json_guid(n->guid));
	json_object_set_new(o, "port_guid", diag_json_guid(p->guid));
	json_object_set_new(o, "system_guid", diag_json_guid(n->sys_guid));
	json_object_set_new(o, "type", json_string(fab_type_word(n->type)));
	attr_json_set_text(o, "name", (const uint8_t *)name, strlen(name));
	attr_json_set_text(o, "node_desc", n->desc, sizeof(n->desc));
	json_object_set_new(o, "lid", json_integer(fab_lid(f, p)));
	json_object_set_new(o, "port", json_integer(p->num));
	json_object_set_new(o, "ext_port", json_null());
	return o;
}

static json_t *
word_or_null(const char *word, const char *none)
{
	return word && strcmp(word, none) ? json_string(word) : json_null();
}

static json_t *
mask_words(enum attr_printer mask, uint64_t v)
{
	json_t *list = json_array();
	enum attr_printer single;
	unsigned bits = attr_mask_bits(mask, &single);

	for (unsigned b = 0; b < bits; b++)
		if (v >> b & 1)
			json_array_append_new(list,
				word_or_null(attr_word(single, UINT64_C(1) << b), ""));
	return list;
}

static json_t *
width_json(const struct port_info *i)
{
	json_t *o = json_object();

	json_object_set_new(o, "active", word_or_null(fab_width_word(i->width_active), "??"));
	json_object_set_new(o, "active_raw", json_integer(i->width_active));
	json_object_set_new(o, "lanes", fab_lanes(i->width_active) ?
		json_integer(fab_lanes(i->width_active)) : json_null());
	json_object_set_new(o, "enabled", mask_words(ATTR_SHOW_LINK_WIDTH_EN, i->width_enabled));
	json_object_set_new(o, "supported", mask_words(ATTR_SHOW_LINK_WIDTH_SUP,
		i->width_supported));
	return o;
}

/* The code 30 means that extended speeds are disabled; it is no mask. */
static json_t *
speeds_json(uint8_t base, uint8_t ext, uint8_t ext2, bool fdr10)
{
	json_t *list = mask_words(ATTR_SHOW_LINK_SPEED_SUP, base), *more;

	if (fdr10)
		json_array_append_new(list, json_string("FDR10"));
	more = mask_words(ATTR_SHOW_LINK_SPEED_EXT_SUP, ext == 30 ? 0 : ext);
	json_array_extend(list, more);
	json_decref(more);
	more = mask_words(ATTR_SHOW_LINK_SPEED_EXT2_SUP, ext2);
	json_array_extend(list, more);
	json_decref(more);
	return list;
}

static json_t *
speed_json(const struct fab_port *p, const struct port_info *i, const struct fab_link *l)
{
	json_t *o = json_object();
	double lane = fab_lane_gbps(l);

	json_object_set_new(o, "active", word_or_null(fab_speed_word(l), "???"));
	json_object_set_new(o, "lane_gbps", lane > 0 ? json_real(lane) : json_null());
	json_object_set_new(o, "enabled", speeds_json(i->speed_enabled, i->speed_ext_enabled,
		i->speed_ext_enabled2,
		p->flags & FAB_PORT_FDR10_ENABLED));
	json_object_set_new(o, "supported", speeds_json(i->speed_supported, i->speed_ext_supported,
		i->speed_ext_supported2,
		p->flags & FAB_PORT_FDR10_SUPPORTED));
	return o;
}

/* Adds the properties of a link as its ports report them; null if PortInfo is unknown. */
static void
set_link(json_t *o, const struct diag_fabric *f, const struct fab_port *p, const char *width,
	const char *speed)
{
	struct port_info i;
	struct fab_link l;

	if (!p || !(p->flags & FAB_PORT_INFO)) {
		json_object_set_new(o, width, json_null());
		json_object_set_new(o, speed, json_null());
		return;
	}
	i = port_info_decode(p->info);
	l = fab_link_of(f, p);
	json_object_set_new(o, width, width_json(&i));
	json_object_set_new(o, speed, speed_json(p, &i, &l));
}

json_t *
fab_json_port(struct diag *d, const struct diag_fabric *f, const struct fab_port *p)
{
	const struct fab_port *peer = fab_peer_of(f, p);
	struct port_info i = port_info_decode(p->info);
	bool known = p->flags & FAB_PORT_INFO;
	json_t *o = json_object();

	json_object_set_new(o, "local", fab_json_end(d, f, p));
	json_object_set_new(o, "peer", fab_json_end(d, f, peer));
	json_object_set_new(o, "status", json_string(known ? "ok" : p->flags & FAB_PORT_FAILED ?
		"timeout" : "skipped"));
	json_object_set_new(o, "state", known ? word_or_null(attr_word(ATTR_SHOW_PORT_STATE,
		i.state), "") : json_null());
	json_object_set_new(o, "state_raw", known ? json_integer(i.state) : json_null());
	json_object_set_new(o, "phys_state", known ? word_or_null(attr_word(ATTR_SHOW_PHYS_STATE,
		i.phys_state), "") : json_null());
	json_object_set_new(o, "phys_state_raw", known ? json_integer(i.phys_state) : json_null());
	json_object_set_new(o, "lmc", known ? json_integer(fab_lmc(f, p)) : json_null());
	set_link(o, f, p, "width", "speed");
	set_link(o, f, peer, "peer_width", "peer_speed");
	return o;
}

json_t *
fab_json_node(struct diag *d, const struct diag_fabric *f, const struct fab_node *n)
{
	struct node_info i = node_info_decode(n->node_info);
	json_t *o = json_object(), *path = json_null();
	char name[DIAG_NAME_BYTES];

	(void)f;
	if (n->hop_count != FAB_NO_PATH) {
		path = json_array();
		for (unsigned k = 0; k <= n->hop_count; k++)
			json_array_append_new(path, json_integer(n->path[k]));
	}
	fab_name(d, n, name);
	json_object_set_new(o, "node_guid", diag_json_guid(n->guid));
	json_object_set_new(o, "system_guid", diag_json_guid(n->sys_guid));
	json_object_set_new(o, "type", json_string(fab_type_word(n->type)));
	attr_json_set_text(o, "name", (const uint8_t *)name, strlen(name));
	attr_json_set_text(o, "node_desc", n->desc, sizeof(n->desc));
	json_object_set_new(o, "ports", json_integer(n->nports));
	json_object_set_new(o, "vendor_id", diag_json_hex(i.vendor_id, 6));
	json_object_set_new(o, "device_id", diag_json_hex(i.device_id, 4));
	json_object_set_new(o, "revision", diag_json_hex(i.revision, 8));
	json_object_set_new(o, "path", path);
	json_object_set_new(o, "status", json_string(n->flags & FAB_NODE_FAILED ? "timeout" :
		"ok"));
	return o;
}

void
fab_summary(struct diag *d, const struct diag_fabric *f)
{
	unsigned of_type[4] = { 0 };
	uint32_t ports = 0;
	json_t *o = diag_summary(d);

	for (uint32_t i = 0; i < f->s->nnodes; i++)
		of_type[f->s->nodes[i].type & 3]++;
	for (uint32_t i = 0; i < f->s->nports; i++)
		ports += f->s->ports[i].num > 0 && f->s->ports[i].flags & FAB_PORT_INFO;
	json_object_set_new(o, "nodes", json_integer(f->s->nnodes));
	json_object_set_new(o, "switches", json_integer(of_type[2]));
	json_object_set_new(o, "cas", json_integer(of_type[1]));
	json_object_set_new(o, "routers", json_integer(of_type[3]));
	json_object_set_new(o, "ports", json_integer(ports));
	json_object_set_new(o, "links", json_integer(f->s->nlinks));
	json_object_set_new(o, "unanswered", json_integer(f->s->nproblems));
}
