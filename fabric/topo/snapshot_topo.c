/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot_topo.c - a snapshot made from a topology file, and a topology made from a snapshot.
 * Room: fabric/topo.  Pure.
 * From a file: the images are those of an unconfigured fabric, except for the LIDs in the file.
 */
#include <config.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/topo/snapshot_topo.h"
#include "util/xalloc.h"

enum {
	WIDTHS_ALL = LINK_WIDTH_1X | LINK_WIDTH_4X | LINK_WIDTH_12X,
	SPEEDS_ALL = LINK_SPEED_SDR | LINK_SPEED_DDR | LINK_SPEED_QDR,
	SPEEDS_EXT_ALL = LINK_SPEED_EXT_FDR | LINK_SPEED_EXT_EDR | LINK_SPEED_EXT_HDR,
	VL_CAP_0_7 = 4,
	CAPS = PORT_CAP_EXTENDED_SPEEDS | PORT_CAP_NOTICE | PORT_CAP_TRAP |
	PORT_CAP_CLIENT_REREGISTRATION,
};

struct node_key {
	uint64_t guid;
	uint32_t index;
};

static int
node_key_cmp(const void *a, const void *b)
{
	const struct node_key *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void
make_port_info(const struct topo_node *n, const struct topo_port *tp, uint8_t num, uint8_t state,
	uint8_t *image)
{
	bool linked = tp->peer_node != TOPO_NONE, port0 = n->type == TOPO_SWITCH && num == 0;
	struct port_info i = {
		.gid_prefix = GID_PREFIX_DEFAULT, .lid = tp->lid, .lmc = tp->lmc, .local_port = num,
		.width_enabled = WIDTHS_ALL, .width_supported = WIDTHS_ALL,
		.width_active = tp->width ? tp->width : 2,
		.speed_supported = SPEEDS_ALL, .speed_enabled = SPEEDS_ALL,
		.speed_active = tp->speed ? tp->speed : 1,
		.speed_ext_supported = SPEEDS_EXT_ALL, .speed_ext_enabled = SPEEDS_EXT_ALL,
		.speed_ext_active = tp->speed_ext, .speed_ext_active2 = tp->speed_ext2,
		.state = port0 ? PORT_STATE_ACTIVE : linked ? state : PORT_STATE_DOWN,
		.phys_state = port0 || linked ? PHYS_STATE_LINK_UP : PHYS_STATE_POLLING,
		.link_down_default = PHYS_STATE_POLLING,
		.mtu_cap = MTU_CODE_4096, .neighbor_mtu = MTU_CODE_4096, .vl_cap = VL_CAP_0_7,
		.operational_vls = 1,
		.vlarb_high_cap = 8, .vlarb_low_cap = 8, .guid_cap = 1, .resp_time = 16,
		.subnet_timeout = 18,
		.capability_mask = CAPS,
	};

	port_info_encode(image, &i);
}

static void
fill_node(struct snapshot *s, struct fab_node *n, const struct topo_node *tn, uint64_t port0_guid)
{
	struct node_info i = {
		.base_version = MAD_BASE_VERSION, .class_version = CLASS_VERSION_SM,
			.node_type = tn->type, .num_ports = tn->nports,
		.sys_guid = tn->sys_guid ? tn->sys_guid : tn->guid, .node_guid = tn->guid,
		.port_guid = port0_guid,
		.partition_cap = 32, .device_id = (uint16_t)tn->device_id,
		.vendor_id = tn->vendor_id & 0xffffff,
	};
	struct switch_info w = {
		.lft_cap = 49152, .mft_cap = 1024, .life_time = 18, .partition_enforce_cap = 32,
		.inbound_enforce_cap = 1, .outbound_enforce_cap = 1,
		.enhanced_port0 = tn->enhanced_port0,
	};

	n->guid = tn->guid;
	n->sys_guid = i.sys_guid;
	n->first_port = s->nports;
	n->type = tn->type;
	n->nports = tn->nports;
	n->flags = FAB_NODE_DESC;
	node_info_encode(n->node_info, &i);
	memcpy(n->desc, tn->desc, strnlen(tn->desc, NODE_DESC_BYTES));
	if (fab_is_switch(n)) {
		switch_info_encode(n->switch_info, &w);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
	s->nports += (uint32_t)tn->nports + 1;
}

/* The ports of node 'i'; 'place' maps a node of 't' to its index here. */
static void
fill_ports(struct snapshot *s, uint32_t i, const struct topo *t, const struct topo_node *tn,
	const uint32_t *place, uint8_t state)
{
	const struct fab_node *n = &s->nodes[i];

	for (unsigned num = 0; num <= tn->nports; num++) {
		const struct topo_port *tp = &t->ports[tn->first_port + num];
		struct fab_port *p = &s->ports[n->first_port + num];

		p->node = i;
		p->num = (uint8_t)num;
		p->peer = p->pkeys = FAB_NONE;
		if (tp->peer_node != TOPO_NONE)
			p->peer = s->nodes[place[tp->peer_node]].first_port + tp->peer_port;
		p->guid = fab_is_switch(n) ? t->ports[tn->first_port].guid : p->peer != FAB_NONE ?
			tp->guid : 0;
		if (!fab_is_switch(n) && p->peer == FAB_NONE)
			continue;
		make_port_info(tn, tp, (uint8_t)num, state, p->info);
		p->flags = FAB_PORT_INFO;
		if (tp->fdr10)
			p->flags |= FAB_PORT_FDR10 | FAB_PORT_FDR10_SUPPORTED |
				FAB_PORT_FDR10_ENABLED;
		if (snapshot_is_endport(s, p)) {
			p->pkeys = 0;
			p->flags |= FAB_PORT_PKEYS;
		}
	}
}

/* Returns the port that the snapshot starts at: of 'want', or of the first host in the order of the
 * topology, or of its first switch. */
static uint32_t
choose_sm_port(const struct snapshot *s, const struct topo *t, const uint32_t *place, uint32_t want)
{
	const struct fab_node *n;

	for (uint32_t i = 0; i < t->nnodes && want == FAB_NONE; i++)
		for (unsigned p = 1; p <= t->nodes[i].nports && t->nodes[i].type != TOPO_SWITCH;
			p++)
			if (t->ports[t->nodes[i].first_port + p].peer_node != TOPO_NONE)
				want = i;
	n = &s->nodes[place[want == FAB_NONE ? 0 : want]];
	if (fab_is_switch(n))
		return n->first_port;
	for (unsigned p = 1; p <= n->nports; p++)
		if (s->ports[n->first_port + p].peer != FAB_NONE)
			return n->first_port + p;
	return n->first_port + 1;
}

/* NodeInfo contains the port that received the request. */
static void
finish_node_infos(struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct fab_node *n = &s->nodes[i];
		struct node_info info = node_info_decode(n->node_info);

		if (n->hop_count == FAB_NO_PATH)
			continue;
		info.local_port = n->entry_port;
		info.port_guid = s->ports[n->first_port + n->entry_port].guid;
		node_info_encode(n->node_info, &info);
	}
}

int
topo_to_snapshot(const struct topo *t, uint32_t sm_node, uint8_t state, struct snapshot **out)
{
	struct node_key *keys;
	uint32_t *place;
	struct snapshot *s;

	if (!t->nnodes || (sm_node != FAB_NONE && sm_node >= t->nnodes))
		return -ENODEV;
	s = xcalloc(1, sizeof(*s));
	keys = xcalloc(t->nnodes, sizeof(*keys));
	place = xcalloc(t->nnodes, sizeof(*place));
	for (uint32_t i = 0; i < t->nnodes; i++)
		keys[i] = (struct node_key){ t->nodes[i].guid, i };
	qsort(keys, t->nnodes, sizeof(*keys), node_key_cmp);
	s->nnodes = t->nnodes;
	s->nodes = arena_array(&s->arena, s->nnodes, sizeof(*s->nodes));
	for (uint32_t i = 0; i < t->nnodes; i++) {
		const struct topo_node *tn = &t->nodes[keys[i].index];

		place[keys[i].index] = i;
		fill_node(s, &s->nodes[i], tn, t->ports[tn->first_port].guid);
	}
	s->ports = arena_array(&s->arena, s->nports, sizeof(*s->ports));
	s->npkey_blocks = 1;            /* all ports hold the same */
	s->pkey_blocks = arena_array(&s->arena, 1, sizeof(*s->pkey_blocks));
	wire_put16(s->pkey_blocks[0], 0xffff);
	for (uint32_t i = 0; i < t->nnodes; i++)
		fill_ports(s, i, t, &t->nodes[keys[i].index], place, state);
	s->sm_port = choose_sm_port(s, t, place, sm_node);
	snapshot_seal(s);
	finish_node_infos(s);
	free(keys);
	free(place);
	*out = s;
	return 0;
}

static void
node_to_topo(const struct fab_node *n, struct topo *t, struct topo_node *tn)
{
	static const char letters[] = { [TOPO_CA] = 'H', [TOPO_SWITCH] = 'S', [TOPO_ROUTER] = 'R' };
	struct node_info info = node_info_decode(n->node_info);
	char id[24], desc[NODE_DESC_BYTES + 1] = "";

	snprintf(id, sizeof(id), "%c-%016" PRIx64, letters[n->type], n->guid);
	memcpy(desc, n->desc, NODE_DESC_BYTES);
	tn->id = arena_strdup(&t->arena, id);
	tn->desc = arena_strdup(&t->arena, desc);
	tn->guid = n->guid;
	tn->sys_guid = n->sys_guid;
	tn->vendor_id = info.vendor_id;
	tn->device_id = info.device_id;
	tn->first_port = n->first_port;
	tn->type = n->type;
	tn->nports = n->nports;
	tn->enhanced_port0 = (n->flags & FAB_NODE_SWITCH_INFO) &&
		switch_info_decode(n->switch_info).enhanced_port0;
}

static void
port_to_topo(const struct snapshot *s, const struct fab_port *p, struct topo_port *tp)
{
	struct port_info info = port_info_decode(p->info);
	bool of_switch = fab_is_switch(&s->nodes[p->node]);

	tp->peer_node = TOPO_NONE;
	if (!of_switch || p->num == 0) {
		tp->guid = p->guid;
		tp->lid = info.lid;
		tp->lmc = info.lmc;
	}
	if (p->peer == FAB_NONE)
		return;
	tp->peer_node = s->ports[p->peer].node;
	tp->peer_port = s->ports[p->peer].num;
	tp->width = info.width_active;
	tp->speed = info.speed_active;
	tp->speed_ext = info.speed_ext_active;
	tp->speed_ext2 = info.speed_ext_active2;
	tp->fdr10 = (p->flags & FAB_PORT_FDR10) != 0;
	if (tp->speed_ext2)
		tp->speed_ext = 0;
}

int
topo_from_snapshot(const struct snapshot *s, struct topo *t)
{
	memset(t, 0, sizeof(*t));
	t->nnodes = s->nnodes;
	t->nports = s->nports;
	t->nodes = arena_array(&t->arena, s->nnodes, sizeof(*t->nodes));
	t->ports = arena_array(&t->arena, s->nports, sizeof(*t->ports));
	for (uint32_t i = 0; i < s->nnodes; i++)
		node_to_topo(&s->nodes[i], t, &t->nodes[i]);
	for (uint32_t i = 0; i < s->nports; i++)
		port_to_topo(s, &s->ports[i], &t->ports[i]);
	return 0;
}
