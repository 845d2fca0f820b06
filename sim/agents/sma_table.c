/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sma_table.c - the tables an SMA holds: GUIDs, P_Keys, SL to VL, VL arbitration, forwarding.
 * Room: sim/agents.  Pure.
 * A table that was never written is not stored; a forwarding table is stored up to its highest
 * block written.
 */
#include <config.h>
#include <errno.h>
#include "sim/agents/agents.h"
#include "util/xalloc.h"

#define GUIDS_PER_BLOCK 8
#define PKEYS_PER_BLOCK 32
#define LFT_PER_BLOCK 64
#define MFT_PER_BLOCK 32
#define VLARB_PER_BLOCK 32

uint16_t
sma_guid_info(struct sma_call *c)
{
	struct hw_port *p = hw_agent_port(c->h, c->node, c->port);
	unsigned cap = (unsigned)ATTR_GET(port_info, guid_cap, p->info),
		first = c->modifier * GUIDS_PER_BLOCK;
	struct guid_info block = guid_info_decode(c->data);

	if (c->modifier >= (cap + GUIDS_PER_BLOCK - 1) / GUIDS_PER_BLOCK)
		return STATUS_BAD_VALUE;
	if (c->set && !p->guids)
		p->guids = xcalloc(cap, sizeof(*p->guids));
	for (unsigned i = 0; i < GUIDS_PER_BLOCK; i++) {
		unsigned k = first + i;
		uint64_t guid = 0;

		if (c->set && k && k < cap)
			p->guids[k] = block.guid[i];
		if (k < cap)
			guid = k ? p->guids ? p->guids[k] : 0 : p->guid;
		block.guid[i] = guid;
	}
	guid_info_encode(c->data, &block);
	return STATUS_OK;
}

uint16_t
sma_pkey_table(struct sma_call *c)
{
	unsigned first = (c->modifier & 0xffff) * PKEYS_PER_BLOCK, port = c->modifier >> 16;
	struct pkey_table block = pkey_table_decode(c->data);
	uint16_t pkeys[128];

	if (c->n->type != TOPO_SWITCH)
		port = c->port;
	if (first >= c->h->conf.pkey_cap || port > c->n->nports)
		return STATUS_BAD_VALUE;
	if (c->set) {
		memcpy(pkey_writable(c->h, c->node, (uint8_t)port) + first, block.pkey,
			sizeof(block.pkey));
	}
	pkey_copy(c->h, c->node, (uint8_t)port, pkeys);
	memcpy(block.pkey, pkeys + first, sizeof(block.pkey));
	pkey_table_encode(c->data, &block);
	return STATUS_OK;
}

/* What a port maps after reset: SL modulo the number of its VLs. */
static void
slvl_default(const struct hw_port *p, uint8_t w[static SLVL_TABLE_BYTES])
{
	unsigned count = hw_vl_count((unsigned)ATTR_GET(port_info, operational_vls, p->info));
	struct slvl_table t;

	for (unsigned sl = 0; sl <= SL_MAX; sl++)
		t.vl[sl] = (uint8_t)(sl % count);
	slvl_table_encode(w, &t);
}

static uint8_t *
slvl_row(const struct hw_node *n, unsigned in, unsigned out)
{
	return n->slvl + (n->type == TOPO_SWITCH ? in * (n->nports + 1u) + out :
		out) * SLVL_TABLE_BYTES;
}

static void
slvl_allocate(struct sma_call *c)
{
	struct hw_node *n = c->n;
	unsigned ports = n->nports + 1u;

	if (n->slvl)
		return;
	n->slvl = xcalloc((n->type == TOPO_SWITCH ? ports : 1u) * ports, SLVL_TABLE_BYTES);
	for (unsigned in = 0; in < (n->type == TOPO_SWITCH ? ports : 1u); in++)
		for (unsigned out = 0; out < ports; out++)
			slvl_default(hw_port(c->h, c->node, (uint8_t)out), slvl_row(n, in, out));
}

/* Writes one pair, or with the wildcards of the optimized form a row, a column or all. */
static void
slvl_write(struct sma_call *c, unsigned in, unsigned out)
{
	unsigned wild = c->modifier >> 16 & 3;
	bool every_out = wild & 1, every_in = wild & 2;

	slvl_allocate(c);
	for (unsigned i = every_in ? 0 : in; i <= (every_in ? c->n->nports : in); i++)
		for (unsigned o = every_out ? 0 : out; o <= (every_out ? c->n->nports : out); o++)
			memcpy(slvl_row(c->n, i, o), c->data, SLVL_TABLE_BYTES);
}

/* Whether an output port has the VLs that the table names; VL 15 discards. */
static bool
slvl_fits(const struct sma_call *c, unsigned out)
{
	const uint8_t *info = hw_port(c->h, c->node, (uint8_t)out)->info;
	unsigned vls = hw_vl_count((unsigned)ATTR_GET(port_info, vl_cap, info));

	for (unsigned sl = 0; sl <= SL_MAX; sl++) {
		unsigned vl = slvl_table_vl(c->data, sl);

		if (vl >= vls && vl != VL_MANAGEMENT)
			return false;
	}
	return true;
}

static bool
slvl_may(const struct sma_call *c, unsigned out)
{
	bool every_out = c->modifier >> 16 & 1;

	for (unsigned o = every_out ? 0 : out; o <= (every_out ? c->n->nports : out); o++)
		if (!slvl_fits(c, o))
			return false;
	return true;
}

uint16_t
sma_slvl(struct sma_call *c)
{
	unsigned in = c->modifier >> 8 & 0xff, out = c->modifier & 0xff, wild = c->modifier >> 16;
	bool is_switch = c->n->type == TOPO_SWITCH;

	if (!is_switch) {
		in = 0;
		out = c->port;
	}
	if (in > c->n->nports || out > c->n->nports || wild > 3 ||
	    (wild && (!is_switch || !c->set)))
		return STATUS_BAD_VALUE;
	if (c->set && !slvl_may(c, out))
		return STATUS_BAD_VALUE;
	if (c->set)
		slvl_write(c, in, out);
	memset(c->data + SLVL_TABLE_BYTES, 0, 64 - SLVL_TABLE_BYTES);
	if (wild)
		/* the answer to a wildcard repeats what was written */
		return STATUS_OK;
	if (c->n->slvl)
		memcpy(c->data, slvl_row(c->n, in, out), SLVL_TABLE_BYTES);
	else
		slvl_default(hw_port(c->h, c->node, (uint8_t)out), c->data);
	return STATUS_OK;
}

/* After reset every VL has the same share of the low table; the high one is empty. */
static void
vlarb_default(const struct hw_port *p, uint8_t w[static HW_VLARB_BYTES])
{
	unsigned cap = (unsigned)ATTR_GET(port_info, vlarb_low_cap, p->info);
	unsigned vls = hw_vl_count((unsigned)ATTR_GET(port_info, vl_cap, p->info));
	struct vlarb_table low = { .vl = { 0 }, .weight = { 0 } };

	for (unsigned vl = 0; vl < vls && vl < cap; vl++) {
		low.vl[vl] = (uint8_t)vl;
		low.weight[vl] = 1;
	}
	memset(w, 0, HW_VLARB_BYTES);
	vlarb_table_encode(w, &low);
}

/* Only the entries that the port has; it cannot store others. */
static void
vlarb_write(uint8_t *block, const uint8_t *w, unsigned entries)
{
	struct vlarb_table t = vlarb_table_decode(w);

	for (unsigned i = entries; i < VLARB_PER_BLOCK; i++)
		t.vl[i] = t.weight[i] = 0;
	memset(block, 0, VLARB_TABLE_BYTES);
	vlarb_table_encode(block, &t);
}

uint16_t
sma_vlarb(struct sma_call *c)
{
	uint8_t whole[HW_VLARB_BYTES], *table = whole;
	unsigned block = c->modifier >> 16, port = c->modifier & 0xff, cap;
	struct hw_port *p;

	if (c->n->type != TOPO_SWITCH)
		port = c->port;
	if (port > c->n->nports || block < 1 || block > 4)
		return STATUS_BAD_VALUE;
	p = hw_port(c->h, c->node, (uint8_t)port);
	cap = (unsigned)(block > 2 ? ATTR_GET(port_info, vlarb_high_cap, p->info) :
		ATTR_GET(port_info, vlarb_low_cap, p->info));
	if (cap <= (block & 1 ? 0u : 32u))
		return STATUS_BAD_VALUE;
	if (p->vlarb)
		table = p->vlarb;
	else
		vlarb_default(p, whole);
	if (c->set && !p->vlarb)
		table = p->vlarb = xmemdup(whole, sizeof(whole));
	if (c->set)
		vlarb_write(table + 64 * (block - 1), c->data, cap - (block & 1 ? 0u : 32u));
	memcpy(c->data, table + 64 * (block - 1), 64);
	return STATUS_OK;
}

/* Grows to hold LIDs below 'len': at once as far as LinearFDBTop says, so that a bring-up grows
 * it once. */
static void
lft_grow(struct sma_call *c, uint32_t len)
{
	struct hw_node *n = c->n;
	uint32_t want = (n->lft_top / LFT_PER_BLOCK + 1u) * LFT_PER_BLOCK, cap = c->h->conf.lft_cap;

	if (len <= n->lft_len)
		return;
	if (want < len)
		want = len + n->lft_len / 2;
	want = (want + LFT_PER_BLOCK - 1) / LFT_PER_BLOCK * LFT_PER_BLOCK;
	if (want > (cap + LFT_PER_BLOCK - 1) / LFT_PER_BLOCK * LFT_PER_BLOCK)
		want = (cap + LFT_PER_BLOCK - 1) / LFT_PER_BLOCK * LFT_PER_BLOCK;
	n->lft = xrealloc(n->lft, want);
	memset(n->lft + n->lft_len, LFT_DROP_PORT, want - n->lft_len);
	n->lft_len = want;
}

uint16_t
sma_lft(struct sma_call *c)
{
	uint32_t first = c->modifier * LFT_PER_BLOCK;

	if (c->n->type != TOPO_SWITCH)
		return STATUS_BAD_METHOD_ATTR;
	if (c->modifier > 0xffff || first >= c->h->conf.lft_cap)
		return STATUS_BAD_VALUE;
	if (c->set) {
		traffic_touch(c->h, c->now);
		lft_grow(c, first + LFT_PER_BLOCK);
		memcpy(c->n->lft + first, c->data, LFT_PER_BLOCK);
	} else if (first < c->n->lft_len) {
		memcpy(c->data, c->n->lft + first, LFT_PER_BLOCK);
	} else {
		memset(c->data, LFT_DROP_PORT, LFT_PER_BLOCK);
	}
	return STATUS_OK;
}

uint16_t
sma_mft(struct sma_call *c)
{
	unsigned position = c->modifier >> 28, cap = c->h->conf.mft_cap;
	uint32_t first = (c->modifier & 0x1ff) * MFT_PER_BLOCK;
	unsigned positions = (c->n->nports + 16u) / 16;
	size_t blocks = (cap + MFT_PER_BLOCK - 1) / MFT_PER_BLOCK;
	struct mft_block m;
	uint16_t *row;

	if (c->n->type != TOPO_SWITCH)
		return STATUS_BAD_METHOD_ATTR;
	if (position >= positions || first >= cap || c->modifier & 0x0ffffe00)
		return STATUS_BAD_VALUE;
	if (c->set && !c->n->mft)
		c->n->mft = xcalloc(positions * blocks * MFT_PER_BLOCK, sizeof(uint16_t));
	if (!c->n->mft) {
		memset(c->data, 0, 64);
		return STATUS_OK;
	}
	row = c->n->mft + position * blocks * MFT_PER_BLOCK + first;
	if (c->set) {
		m = mft_block_decode(c->data);
		memcpy(row, m.mask, sizeof(m.mask));
	} else {
		memcpy(m.mask, row, sizeof(m.mask));
		mft_block_encode(c->data, &m);
	}
	return STATUS_OK;
}

int
sma_slvl_image(const struct hw *h, uint32_t node, uint8_t in, uint8_t port,
	uint8_t w[static SLVL_TABLE_BYTES])
{
	const struct hw_node *n;
	bool is_switch;

	if (node >= h->nnodes)
		return -ENOENT;
	n = &h->nodes[node];
	is_switch = n->type == TOPO_SWITCH;
	if (port > n->nports || (is_switch ? in > n->nports : in || !port))
		return -ENOENT;
	if (n->slvl)
		memcpy(w, slvl_row(n, in, port), SLVL_TABLE_BYTES);
	else
		slvl_default(hw_port(h, node, port), w);
	return 0;
}

int
sma_vlarb_image(const struct hw *h, uint32_t node, uint8_t port, unsigned block,
	uint8_t w[static VLARB_TABLE_BYTES])
{
	uint8_t whole[HW_VLARB_BYTES];
	const struct hw_port *p;

	if (node >= h->nnodes || port > h->nodes[node].nports || block < 1 || block > 4 ||
	    (h->nodes[node].type != TOPO_SWITCH && !port))
		return -ENOENT;
	p = hw_port(h, node, port);
	vlarb_default(p, whole);
	memcpy(w, (p->vlarb ? p->vlarb : whole) + 64 * (size_t)(block - 1), 64);
	return 0;
}
