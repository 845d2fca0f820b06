/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hold.c - whether a plan follows the intended topology, or keeps the entries that it found.
 * Room: sm/planner.  In: the snapshot, the tables in force.  Out: doubts, absent hosts, tables.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/walk.h"
#include "sm/planner/hold.h"
#include "util/bits.h"

#define LIDS 65536

/* Whether the last manager that configured a switch was another one: its LID is still there. */
static bool
another_led(const struct sweep_job *j, const struct lid_map *lids)
{
	const struct snapshot *s = j->fresh;

	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];
		uint16_t lid = port_info_decode(s->ports[n->first_port].info).master_sm_lid;

		if (lid && lid != lids->base[s->sm_port])
			return true;
	}
	return false;
}

/* Whether some switch forwards to another one's LID. */
static bool
forwards(const struct route_in *in)
{
	const struct fwd_tables *f = in->previous;

	for (uint32_t sw = 0; f && sw < f->nswitches; sw++)
		for (uint32_t lid = 1; lid <= in->lids->top; lid++)
			if (in->lids->owner[lid] != FAB_NONE && fwd_row(f, sw)[lid] &&
				fwd_row(f, sw)[lid] != FAB_LFT_DROP)
				return true;
	return false;
}

bool
hold_doubts(const struct sweep_job *j, const struct route_in *in)
{
	const struct topology_step *v = &j->topology;

	if (j->in.reassign || v->deed == TOPOLOGY_ADOPTED || v->deed == TOPOLOGY_REBALANCED ||
		!forwards(in))
		return false;
	return v->held || v->foreign || (!j->in.led && (!v->t || another_led(j, in->lids)));
}

/* Where the tables lead a LID, from one switch.  False: not to a port without a link. */
static bool
follow_to_end(const struct snapshot *s, const struct fwd_tables *f, uint32_t sw, uint16_t lid,
	struct route_absent *out)
{
	for (unsigned hops = 0; hops < WALK_HOPS_MAX; hops++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];
		uint8_t port = fwd_row(f, sw)[lid];
		uint32_t peer;

		if (!port || port > n->nports)
			return false;
		peer = s->ports[n->first_port + port].peer;
		if (peer == FAB_NONE) {
			*out = (struct route_absent){ lid, sw, port };
			return true;
		}
		sw = s->nodes[s->ports[peer].node].sw;
		if (sw == FAB_NONE)
			return false;
	}
	return false;
}

/* The place that the tables of most switches lead a LID to: another link may be lost, too. */
static bool
absent_place(const struct snapshot *s, const struct fwd_tables *f, uint16_t lid,
	struct route_absent *out)
{
	struct route_absent one;
	uint32_t entries = 0, lead = 0, agree = 0;

	for (uint32_t sw = 0; sw < f->nswitches; sw++) { /* the only one that may have most */
		if (!follow_to_end(s, f, sw, lid, &one))
			continue;
		if (!lead)
			*out = one;
		lead += one.sw == out->sw && one.port == out->port ? 1 : (uint32_t)-1;
	}
	for (uint32_t sw = 0; lead && sw < f->nswitches; sw++) {
		entries += fwd_row(f, sw)[lid] != FAB_LFT_DROP;
		agree += follow_to_end(s, f, sw, lid, &one) && one.sw == out->sw &&
			one.port == out->port;
	}
	return lead && agree * 2 > entries;
}

void
hold_find_absent(const struct sweep_job *j, struct arena *a, struct route_in *in)
{
	const struct fwd_tables *f = in->previous;
	uint64_t *listed = arena_array(a, BITS_WORDS(LIDS), sizeof(*listed));
	struct route_absent *v = NULL, one;
	uint32_t n = 0, cap = 0;

	for (uint32_t i = 0; i < in->nabsent; i++) {
		bits_set(listed, in->absent[i].lid);
		v = arena_grow(a, v, n, &cap, 64, sizeof(*v));
		v[n++] = in->absent[i];
	}
	for (uint32_t lid = 1; lid <= f->top; lid++) {
		if (bits_test(listed, lid) ||
			(lid <= in->lids->top && in->lids->owner[lid] != FAB_NONE) ||
			!absent_place(j->fresh, f, (uint16_t)lid, &one))
			continue;
		v = arena_grow(a, v, n, &cap, 64, sizeof(*v));
		v[n++] = one;
	}
	in->absent = v;
	in->nabsent = n;
}

static bool
lid_agrees(const struct fwd_tables *a, const struct fwd_tables *b, uint32_t lid)
{
	for (uint32_t sw = 0; sw < a->nswitches; sw++)
		if ((lid < a->stride ? fwd_row(a, sw)[lid] : FAB_LFT_DROP) !=
			(lid < b->stride ? fwd_row(b, sw)[lid] : FAB_LFT_DROP))
			return false;
	return true;
}

bool
hold_tables_agree(
	const struct route_in *in, const struct fwd_tables *a, const struct fwd_tables *b)
{
	if (a->nswitches != b->nswitches)
		return false;
	for (uint32_t lid = 1; lid <= in->lids->top; lid++)
		if (in->lids->owner[lid] != FAB_NONE && !lid_agrees(a, b, lid))
			return false;
	for (uint32_t i = 0; i < in->nabsent; i++)
		if (!lid_agrees(a, b, in->absent[i].lid))
			return false;
	return true;
}

bool
hold_present(const struct sweep_job *j, const struct route_in *in, enum verify_scope scope,
	struct arena *a, struct fwd_tables *out, struct verify_result *v)
{
	const struct fwd_tables *f = in->previous;

	if (f->lanes)           /* not all that a lane plan needs can be read from switches */
		return false;
	verify_tables(j->fresh, in->lids, f, scope, v);
	if (!v->ok)
		return false;
	*out = *f;
	out->rows = NULL;
	out->top = f->top > in->lids->top ? f->top : in->lids->top;
	out->port = arena_array(a, f->nswitches, f->stride);
	memcpy(out->port, f->port, (size_t)f->nswitches * f->stride);
	return true;
}
