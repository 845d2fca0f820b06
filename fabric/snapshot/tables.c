/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tables.c - the LIDs and forwarding tables that a snapshot's images show.
 * Room: fabric/snapshot.  Pure.  Values reported by devices are checked: a LID outside 1..0xBFFF
 * counts as none, a base LID is aligned to its LMC (as the hardware compares it), a LID of two
 * ports belongs to the first by GUID.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/tables.h"

/* LMC means something on base port 0 of a switch only when the port is an enhanced one. */
static uint8_t
observed_lmc(const struct snapshot *s, const struct fab_port *p, const struct port_info *info)
{
	const struct fab_node *n = &s->nodes[p->node];

	if (!fab_is_switch(n))
		return info->lmc;
	if (!(n->flags & FAB_NODE_SWITCH_INFO) ||
	    !switch_info_decode(n->switch_info).enhanced_port0)
		return 0;
	return info->lmc;
}

/* The base LID that 'p' shows, 0 for none. */
static uint16_t
observed_lid(const struct snapshot *s, uint32_t port, uint8_t *lmc)
{
	const struct fab_port *p = &s->ports[port];
	struct port_info info;

	*lmc = 0;
	if (!(p->flags & FAB_PORT_INFO) || !(snapshot_is_endport(s, p) || port == s->sm_port))
		return 0;
	info = port_info_decode(p->info);
	if (!info.lid || info.lid > LID_UCAST_MAX)
		return 0;
	*lmc = observed_lmc(s, p, &info);
	return (uint16_t)(info.lid & ~((1u << *lmc) - 1));
}

static uint16_t
last_lid(uint16_t base, uint8_t lmc)
{
	unsigned last = base + (1u << lmc) - 1;

	return (uint16_t)(last > LID_UCAST_MAX ? LID_UCAST_MAX : last);
}

int
lid_map_observed(const struct snapshot *s, struct arena *a, struct lid_map *out)
{
	memset(out, 0, sizeof(*out));
	out->nports = s->nports;
	out->base = arena_array(a, s->nports, sizeof(*out->base));
	out->lmc = arena_array(a, s->nports, sizeof(*out->lmc));
	for (uint32_t i = 0; i < s->nports; i++) {
		out->base[i] = observed_lid(s, i, &out->lmc[i]);
		if (out->base[i] && last_lid(out->base[i], out->lmc[i]) > out->top)
			out->top = last_lid(out->base[i], out->lmc[i]);
	}
	out->owner = arena_array(a, (size_t)out->top + 1, sizeof(*out->owner));
	memset(out->owner, 0xff, ((size_t)out->top + 1) * sizeof(*out->owner));
	for (uint32_t i = 0; i < s->nports; i++)
		for (unsigned lid = out->base[i]; lid && lid <= last_lid(out->base[i], out->lmc[i]);
			lid++)
			if (out->owner[lid] == FAB_NONE)
				out->owner[lid] = i;
	return 0;
}

/* Bytes of the observed table of 'n' that LinearFDBTop declares valid. */
static uint32_t
valid_entries(const struct fab_node *n)
{
	uint32_t have = n->lft_blocks * LFT_BLOCK_BYTES, top;

	if (!n->lft)
		return 0;
	top = switch_info_decode(n->switch_info).lft_top;
	return top + 1 < have ? top + 1 : have;
}

int
fwd_tables_observed(const struct snapshot *s, const struct lid_map *lids, struct arena *a,
	struct fwd_tables *out)
{
	uint32_t entries = (uint32_t)lids->top + 1;

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < s->nswitches; i++) {
		uint32_t valid = valid_entries(&s->nodes[s->switches[i]]);

		entries = valid > entries ? valid : entries;
	}
	out->nswitches = s->nswitches;
	out->stride = (entries + LFT_BLOCK_BYTES - 1) / LFT_BLOCK_BYTES * LFT_BLOCK_BYTES;
	out->vls = 1;
	out->port = arena_array(a, s->nswitches, out->stride);
	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];
		uint32_t valid = valid_entries(n);
		uint8_t *row = fwd_row(out, i);

		memset(row, FAB_LFT_DROP, out->stride);
		if (valid)
			memcpy(row, n->lft, valid);
		for (uint32_t lid = valid; lid-- > (uint32_t)out->top + 1;)
			if (row[lid] != FAB_LFT_DROP) {
				out->top = (uint16_t)lid;
				break;
			}
	}
	return 0;
}
