/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * diff.c - wanted against observed.
 * Room: sm/diff.  Pure.  In: snapshot, plan.  Out: ordered changes; payloads on demand.
 * The one place where images are compared.  docs/wire.md: Set(PortInfo), barriers of a sweep.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/diff/diff.h"
#include "sm/diff/diff_int.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define LFT_BLOCK_LIDS 64
/* Consecutive Sets go to different switches, but to few enough that their tables stay in cache. */
#define LFT_STRIPE 64
#define BLOCK_WORDS (512 / 64)          /* blocks of a multicast table */

enum { STATE_INIT = 2, STATE_ARMED = 3, STATE_ACTIVE = 4 };

const char *
change_phase_text(enum change_phase p)
{
	switch (p) {
#define P(name, word) case CHANGE_##name: return word;
	CHANGE_PHASES(P)
#undef P
	case CHANGE_PHASE_COUNT:
		break;
	}
	return "done";
}

void
diff_add(struct changes *c, enum change_phase phase, uint32_t subject, uint32_t block)
{
	struct change_list *l = &c->phase[phase];

	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap + l->cap / 2 : 64;
		l->v = xreallocarray(l->v, l->cap, sizeof(*l->v));
	}
	l->v[l->n++] = (struct change){ subject, block };
	c->total++;
}

static bool
port_read(const struct fab_port *p)
{
	return p->flags & FAB_PORT_INFO && !(p->flags & FAB_PORT_FAILED);
}

static bool
is_external(const struct snapshot *s, const struct fab_port *p)
{
	return fab_is_switch(&s->nodes[p->node]) && p->num > 0;
}

/* Both ends were read: only such a link is brought up or touched. */
static bool
link_read(const struct snapshot *s, const struct fab_port *p)
{
	return p->num > 0 && p->peer != FAB_NONE && port_read(p) && port_read(&s->ports[p->peer]);
}

/* A row for which zero means "no change" asks for one. */
static bool
wants_change(const struct port_info *want)
{
	return want->width_enabled || want->link_down_default || want->speed_enabled ||
	       want->operational_vls || want->client_reregister || want->speed_ext_enabled ||
	       want->speed_ext_enabled2;
}

/*
 * External ports of a switch show zeros, or what port 0 has, in the fields that belong to the whole switch:
 * those are never a reason for a Set, though a Set must carry a valid LID.
 */
static void
ignore_switch_wide(struct port_info *want, const struct port_info *now)
{
	want->mkey = now->mkey;
	want->gid_prefix = now->gid_prefix;
	want->lid = now->lid;
	want->master_sm_lid = now->master_sm_lid;
	want->mkey_lease_period_s = now->mkey_lease_period_s;
	want->mkey_protect = now->mkey_protect;
	want->lmc = now->lmc;
	want->master_sm_sl = now->master_sm_sl;
}

/* Whether a port has to be told anything beyond its state; '*lid_moves' when its LID or LMC is among it. */
static bool
port_differs(const struct snapshot *s, const struct plan *plan, uint32_t p, bool *lid_moves)
{
	const struct fab_port *port = &s->ports[p];
	struct port_info want, now = port_info_decode(port->info);
	uint8_t w[PORT_INFO_BYTES];

	*lid_moves = false;
	if (!plan_port_wanted(plan, p, &want))
		return false;
	if (is_external(s, port))
		ignore_switch_wide(&want, &now);
	else
		*lid_moves = now.lid != want.lid || now.lmc != want.lmc;
	if (wants_change(&want))
		return true;
	memcpy(w, port->info, sizeof(w));
	port_info_patch(w, &want);
	return !port_info_set_equal(w, port->info);
}

/* A port that is already ACTIVE gets one Set: where its LID belongs if that moves, else with the links. */
static void
diff_active_port(const struct snapshot *s, const struct plan *plan, uint32_t p, struct changes *out)
{
	bool lid_moves;

	if (!port_differs(s, plan, p, &lid_moves))
		return;
	if (lid_moves)
		diff_add(out, p == s->sm_port ? CHANGE_SM_LID : CHANGE_LIDS, p, 0);
	else
		diff_add(out, CHANGE_LINKS, p, 0);
}

static void
diff_linked_port(const struct snapshot *s, const struct plan *plan, uint32_t p, struct changes *out)
{
	bool lid_moves;

	switch (port_info_decode(s->ports[p].info).state) {
	case STATE_INIT:
		diff_add(out, CHANGE_ARM, p, 0);
		diff_add(out, CHANGE_ACTIVATE, p, 0);
		break;
	case STATE_ARMED:
		if (port_differs(s, plan, p, &lid_moves))
			diff_add(out, CHANGE_LINKS, p, 0);
		diff_add(out, CHANGE_ACTIVATE, p, 0);
		break;
	case STATE_ACTIVE:
		diff_active_port(s, plan, p, out);
		break;
	default:
		break;
	}
}

static void
diff_pkeys(const struct snapshot *s, const struct plan *plan, uint32_t p, struct changes *out)
{
	uint32_t blocks = pkey_plan_blocks(&plan->pkeys, p);

	for (uint32_t b = 0; b < blocks; b++)
		if (memcmp(pkey_plan_block(&plan->pkeys, p, b), s->pkey_blocks[s->ports[p].pkeys + b], PKEY_TABLE_BYTES))
			diff_add(out, CHANGE_PKEYS, p, b);
}

static void
diff_ports(const struct snapshot *s, const struct plan *plan, struct changes *out)
{
	bool lid_moves;

	for (uint32_t p = 0; p < s->nports; p++) {
		const struct fab_port *port = &s->ports[p];

		if (!port_read(port) || s->nodes[port->node].flags & FAB_NODE_CUT)
			continue;
		diff_pkeys(s, plan, p, out);
		if (port->num == 0) {
			if (fab_is_switch(&s->nodes[port->node]) && port_differs(s, plan, p, &lid_moves))
				diff_add(out, p == s->sm_port ? CHANGE_SM_LID : CHANGE_LIDS, p, 0);
		} else if (link_read(s, port)) {
			diff_linked_port(s, plan, p, out);
		}
	}
}

static bool
switch_planned(const struct fab_node *n)
{
	return n->flags & FAB_NODE_SWITCH_INFO && !(n->flags & FAB_NODE_CUT);
}

static void
diff_switch_info(const struct snapshot *s, const struct plan *plan, uint32_t sw, struct changes *out)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];
	struct switch_info want = plan_switch_wanted(plan, sw);
	uint8_t w[SWITCH_INFO_BYTES];

	if (!switch_planned(n))
		return;
	memcpy(w, n->switch_info, sizeof(w));
	switch_info_patch(w, &want);
	if (want.port_state_change || !switch_info_set_equal(w, n->switch_info))
		diff_add(out, CHANGE_SWITCH_INFO, sw, 0);
}

static bool
block_differs(const struct snapshot *s, const struct plan *plan, uint32_t sw, uint32_t b)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	if (!switch_planned(n))
		return false;
	if (!n->lft || b >= n->lft_blocks)
		return true;            /* unknown: after a reset the specification promises nothing */
	return memcmp(n->lft + (size_t)b * LFT_BLOCK_LIDS, fwd_row(&plan->fwd, sw) + (size_t)b * LFT_BLOCK_LIDS,
		LFT_BLOCK_LIDS) != 0;
}

static void
diff_lfts(const struct snapshot *s, const struct plan *plan, struct changes *out)
{
	uint32_t blocks = plan->fwd.top / LFT_BLOCK_LIDS + 1u, sm_block = plan->sm_lid / LFT_BLOCK_LIDS;

	for (uint32_t first = 0; first < s->nswitches; first += LFT_STRIPE) {
		uint32_t last = first + LFT_STRIPE < s->nswitches ? first + LFT_STRIPE : s->nswitches;

		for (uint32_t b = 0; b < blocks; b++)
			for (uint32_t sw = first; sw < last; sw++)
				if (block_differs(s, plan, sw, b))
					diff_add(out, b == sm_block ? CHANGE_LFT_SM : CHANGE_LFT, sw, b);
	}
}

/* The blocks of which some row is known: usually few of hundreds. */
static void
seen_blocks(const struct mft_seen *t, uint64_t guid, uint64_t set[static BLOCK_WORDS])
{
	uint32_t row;

	memset(set, 0, BLOCK_WORDS * sizeof(*set));
	for (uint32_t i = 0; mft_seen_at(t, guid, i, &row); i++)
		bits_set(set, mft_row_block(row));
}

static void
diff_row(const struct plan *plan, uint32_t sw, uint32_t row, struct changes *out)
{
	bool removes, adds;

	plan_mcast_compare(plan->mcast, plan->mft_seen, sw, row, &removes, &adds);
	if (removes)
		diff_add(out, CHANGE_MFT_CUT, sw, row);
	if (adds)
		diff_add(out, CHANGE_MFT, sw, row);
}

void
diff_all_groups(const struct snapshot *s, const struct plan *plan, struct changes *out)
{
	uint32_t blocks = plan->mcast ? plan_mcast_blocks(plan->mcast) : 0;
	uint64_t seen[BLOCK_WORDS];

	for (uint32_t sw = 0; blocks && sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];
		uint32_t positions = plan_mcast_positions(plan->mcast, sw);

		if (!switch_planned(n))
			continue;
		seen_blocks(plan->mft_seen, n->guid, seen);
		for (uint32_t b = 0; b < blocks; b++)
			for (uint32_t k = 0; k < positions; k++)
				if (bits_test(seen, b) || plan_mcast_wants(plan->mcast, sw, b))
					diff_row(plan, sw, mft_row_of(b, k), out);
	}
}

void
diff_guids(const struct snapshot *s, const struct plan *plan, uint32_t port, struct changes *out)
{
	const struct fab_port *p = &s->ports[port];
	uint8_t blocks = plan->guids ? guid_tables_blocks(plan->guids, p->guid) : 0;

	if (!port_read(p) || s->nodes[p->node].flags & FAB_NODE_CUT)
		return;
	for (unsigned b = 0; b < blocks; b++)
		if (guid_tables_differ(plan->guids, p->guid, (uint8_t)b))
			diff_add(out, CHANGE_GUIDS, port, b);
}

void
diff_all_guids(const struct snapshot *s, const struct plan *plan, struct changes *out)
{
	for (uint32_t i = 0; plan->guids && i < s->nendports; i++)
		diff_guids(s, plan, s->endports[i], out);
}

void
diff_groups(const struct plan *plan, struct changes *out)
{
	uint32_t sw, row;

	memset(out, 0, sizeof(*out));
	while (plan_mcast_take(plan->mcast, &sw, &row))
		if (plan_mcast_differs(plan->mcast, plan->mft_seen, sw, row))
			diff_add(out, CHANGE_MFT, sw, row);
}

void
diff_all_but_groups(const struct snapshot *s, const struct plan *plan, struct changes *out)
{
	memset(out, 0, sizeof(*out));
	diff_ports(s, plan, out);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		diff_switch_info(s, plan, sw, out);
	diff_lfts(s, plan, out);
	if (plan->qos.on)
		diff_qos(s, plan, out);
}

void
diff_make(const struct snapshot *s, const struct plan *plan, struct changes *out)
{
	diff_all_but_groups(s, plan, out);
	diff_all_groups(s, plan, out);
	diff_all_guids(s, plan, out);
}

void
changes_clear(struct changes *c)
{
	for (unsigned i = 0; i < CHANGE_PHASE_COUNT; i++)
		free(c->phase[i].v);
	memset(c, 0, sizeof(*c));
}

/*
 * ACTIVE carries the image that ARMED brought back; everything else starts from the present image too.  A field for
 * which zero means "no change" is written as zero unless a change is wanted: its present value would be a command.
 */
static const uint8_t *
port_payload(const struct snapshot *s, const struct plan *plan, enum change_phase phase, uint32_t p,
	uint8_t buf[static 64])
{
	struct port_info want;

	if (!plan_port_wanted(plan, p, &want))
		bug("diff: a change for a port that has none");
	/* Against an old table it would cut off members. */
	if ((want.partition_enforce_in || want.partition_enforce_out) && !pkey_plan_holds(&plan->pkeys, s, p))
		want.partition_enforce_in = want.partition_enforce_out = 0;
	if (phase == CHANGE_ACTIVATE)
		want.client_reregister = 0;     /* travelled with ARMED */
	want.phys_state = 0;
	want.state = phase == CHANGE_ARM ? STATE_ARMED : phase == CHANGE_ACTIVATE ? STATE_ACTIVE : 0;
	memcpy(buf, s->ports[p].info, PORT_INFO_BYTES);
	port_info_patch(buf, &want);
	return buf;
}

const uint8_t *
diff_payload(const struct snapshot *s, const struct plan *plan, enum change_phase phase,
	const struct change *c, uint8_t buf[static 64])
{
	switch (phase) {
	case CHANGE_PKEYS:
		if (c->block >= pkey_plan_blocks(&plan->pkeys, c->subject))
			bug("diff: a P_Key change for a port that has none");
		return pkey_plan_block(&plan->pkeys, c->subject, c->block);
	case CHANGE_SWITCH_INFO: {
		struct switch_info want = plan_switch_wanted(plan, c->subject);

		memset(buf, 0, 64);
		memcpy(buf, s->nodes[s->switches[c->subject]].switch_info, SWITCH_INFO_BYTES);
		switch_info_patch(buf, &want);
		return buf;
	}
	case CHANGE_LFT_SM:
	case CHANGE_LFT:
		return fwd_row(&plan->fwd, c->subject) + (size_t)c->block * LFT_BLOCK_LIDS;
	case CHANGE_QOS:
		return diff_qos_payload(s, plan, c, buf);
	case CHANGE_MFT_CUT:
		plan_mcast_cut(plan->mcast, plan->mft_seen, c->subject, c->block, buf);
		return buf;
	case CHANGE_MFT: {
		const uint8_t *row = plan_mcast_row(plan->mcast, c->subject, c->block);

		memset(buf, 0, 64);
		return row ? row : buf;
	}
	case CHANGE_GUIDS: {
		const uint8_t *image = guid_tables_wanted(plan->guids, s->ports[c->subject].guid, (uint8_t)c->block);

		if (!image)
			bug("diff: a GUID change for a port that has none");
		return image;
	}
	case CHANGE_SM_LID:
	case CHANGE_LIDS:
	case CHANGE_LINKS:
	case CHANGE_ARM:
	case CHANGE_ACTIVATE:
		return port_payload(s, plan, phase, c->subject, buf);
	case CHANGE_PHASE_COUNT:
		break;
	}
	bug("diff: no payload for phase %d", (int)phase);
}
