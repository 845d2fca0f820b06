/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rig.h - a small fabric whose ports have the LIDs 1, 2 ..., with tables that a test fills.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_SCORE_RIG_H
#define HEDDLE_TESTS_UNIT_FABRIC_SCORE_RIG_H

#include "fabric/snapshot/tables.h"
#include "tests/unit/fabric/small.h"

struct rig {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct fwd_tables f;
};

/* Takes 's'.  Every entry of the tables drops. */
static inline void
rig_begin(struct rig *r, struct snapshot *s)
{
	*r = (struct rig){ .s = s, .arena = ARENA_INIT };
	r->lids.nports = s->nports;
	r->lids.base = arena_array(&r->arena, s->nports, sizeof(*r->lids.base));
	r->lids.lmc = arena_array(&r->arena, s->nports, sizeof(*r->lids.lmc));
	r->lids.owner = arena_array(&r->arena, s->nports + 1u, sizeof(*r->lids.owner));
	r->lids.owner[0] = FAB_NONE;
	for (uint32_t p = 0; p < s->nports; p++) {
		bool sw = fab_is_switch(&s->nodes[s->ports[p].node]);

		if (sw != (s->ports[p].num == 0))
			continue; /* of switches port 0, of hosts the others */
		r->lids.base[p] = ++r->lids.top;
		r->lids.owner[r->lids.top] = p;
	}
	r->f.nswitches = s->nswitches;
	r->f.top = r->lids.top;
	r->f.stride = (r->lids.top / 64u + 1) * 64;
	r->f.vls = 1;
	r->f.port = arena_alloc(&r->arena, (size_t)r->f.nswitches * r->f.stride);
	memset(r->f.port, FAB_LFT_DROP, (size_t)r->f.nswitches * r->f.stride);
}

static inline void
rig_end(struct rig *r)
{
	arena_clear(&r->arena);
	snapshot_free(r->s);
}

static inline void
rig_entry(struct rig *r, uint32_t sw, uint16_t lid, uint8_t port)
{
	fwd_row(&r->f, sw)[lid] = port;
}

#endif
