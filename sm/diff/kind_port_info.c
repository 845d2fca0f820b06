/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind_port_info.c - the seven kinds that write PortInfo: sm_lid, lids, arm_back, activate_back,
 * links, arm and activate.
 * Room: sm/diff.  Pure.  The subject of a change is the port.  docs/wire.md: Set(PortInfo).
 *
 * All seven carry the same image: the wanted PortInfo (plan_port_wanted), merged into the image last
 * received.  They differ in the port state that they command.  A port gets as few of these Sets as
 * possible.  A port in INIT gets everything with ARMED, and then ACTIVE.  A port that is already
 * ACTIVE gets one Set: in the phase "lids" if its LID changes, otherwise in the phase "links".
 *
 * A link between switches that comes back to a fabric in use is armed and activated before forwarding
 * tables lead packets to it, which would be lost meanwhile.  That is safe if no entry leads to it
 * yet; all other links come last, when tables, lanes and trees are written.
 */
#include <config.h>
#include <string.h>
#include "sm/diff/diff_int.h"
#include "util/xalloc.h"

static bool
is_external(const struct snapshot *s, const struct fab_port *p)
{
	return fab_is_switch(&s->nodes[p->node]) && p->num > 0;
}

/* Whether both ends of the link were read; only such a link is configured. */
static bool
link_read(const struct snapshot *s, const struct fab_port *p)
{
	return p->num > 0 && p->peer != FAB_NONE && diff_port_read(p) &&
		diff_port_read(&s->ports[p->peer]);
}

/* ---- which ports ---- */

/* Whether a field for which zero means "no change" is set. */
static bool
wants_change(const struct port_info *want)
{
	return want->width_enabled || want->link_down_default || want->speed_enabled ||
	       want->operational_vls || want->client_reregister || want->speed_ext_enabled ||
	       want->speed_ext_enabled2;
}

/*
 * External ports of a switch show zeros, or the values of port 0, in fields that belong to the
 * whole switch.  These fields never cause a Set, although every Set must carry a valid LID.
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

/* Where the changes of ports go that are looked at one after the other. */
struct look {
	const struct diff_view *v;
	struct mkeys_last *last;
	struct changes *out;
	bool in_use;                    /* the fabric: a switch has a table */
};

/*
 * Whether anything but the state of a port must be set; '*lid_moves' if that includes LID or LMC.
 */
static bool
port_differs(const struct look *l, uint32_t p, bool *lid_moves)
{
	const struct diff_view *v = l->v;
	const struct fab_port *port = &v->s->ports[p];
	struct port_info want, now;
	uint8_t w[PORT_INFO_BYTES];

	*lid_moves = false;
	if (!plan_port_wanted_next(v->plan, l->last, p, &want))
		return false;
	now = port_info_decode(port->info);
	if (is_external(v->s, port))
		ignore_switch_wide(&want, &now);
	else
		*lid_moves = now.lid != want.lid || now.lmc != want.lmc;
	if (wants_change(&want))
		return true;
	memcpy(w, port->info, sizeof(w));
	port_info_patch(w, &want);
	return !port_info_set_equal(w, port->info);
}

/* Whether a table is known to lead nothing to the port. */
static bool
gets_nothing(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_node *n = &s->nodes[p->node];
	uint32_t top = switch_info_decode(n->switch_info).lft_top, have = n->lft_blocks * 64u;

	if (!n->lft)
		return top == 0;
	for (uint32_t lid = 1; lid <= top; lid++)
		if (lid >= have || n->lft[lid] == p->num)
			return false;
	return true;
}

/* Whether the link comes back to a fabric in use, and no entry leads to it.  With quality of service,
 * its lanes are to be set first. */
static bool
comes_back(const struct look *l, uint32_t p)
{
	const struct snapshot *s = l->v->s;
	const struct fab_port *here = &s->ports[p], *there = &s->ports[here->peer];

	return l->in_use && is_external(s, here) && is_external(s, there) && !l->v->plan->qos.on &&
		gets_nothing(s, here) && gets_nothing(s, there);
}

static enum change_phase
lid_phase(const struct diff_view *v, uint32_t p)
{
	return p == v->s->sm_port ? CHANGE_SM_LID : CHANGE_LIDS;
}

static void
find_linked_port(const struct look *l, uint32_t p)
{
	bool lid_moves, back;

	switch (ATTR_GET(port_info, state, l->v->s->ports[p].info)) {
	case PORT_STATE_INIT:
		back = comes_back(l, p);
		diff_add(l->out, back ? CHANGE_ARM_BACK : CHANGE_ARM, p, 0);
		diff_add(l->out, back ? CHANGE_ACTIVATE_BACK : CHANGE_ACTIVATE, p, 0);
		break;
	case PORT_STATE_ARMED:
		if (port_differs(l, p, &lid_moves))
			diff_add(l->out, CHANGE_LINKS, p, 0);
		diff_add(l->out, CHANGE_ACTIVATE, p, 0);
		break;
	case PORT_STATE_ACTIVE:
		if (port_differs(l, p, &lid_moves))
			diff_add(l->out, lid_moves ? lid_phase(l->v, p) : CHANGE_LINKS, p, 0);
		break;
	default:
		break;
	}
}

/* All that this takes from the snapshot and from the plan is compared by sm/diff/settled.c. */
static void
find_port(const struct look *l, uint32_t p)
{
	const struct snapshot *s = l->v->s;
	const struct fab_port *port = &s->ports[p];
	bool lid_moves;

	if (!diff_port_planned(s, port))
		return;
	if (port->num == 0) {
		if (fab_is_switch(&s->nodes[port->node]) && port_differs(l, p, &lid_moves))
			diff_add(l->out, lid_phase(l->v, p), p, 0);
	} else if (link_read(s, port)) {
		find_linked_port(l, p);
	}
}

static bool
any_has_table(const struct snapshot *s)
{
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		if (s->nodes[s->switches[sw]].lft)
			return true;
	return false;
}

static void
find_ports(const struct diff_view *v, struct changes *out)
{
	struct mkeys_last last = { 0, 0 };
	struct look l = { v, &last, out, any_has_table(v->s) };

	for (uint32_t p = 0; p < v->s->nports; p++)
		if (!v->settled || !bits_test(v->settled, p))
			find_port(&l, p);
}

bool
diff_port_is_settled(const struct diff_view *v, struct mkeys_last *last, uint32_t port)
{
	struct changes none = { .total = 0 };
	struct look l = { v, last, &none, false };      /* a port that comes back is not settled */
	bool settled;

	find_port(&l, port);
	settled = !none.total;
	changes_clear(&none);
	return settled;
}

/* ---- what a Set carries ---- */

/*
 * ACTIVE carries the image that the answer to ARMED showed; all other Sets start from the present
 * image, too.  A field for which zero means "no change" is written as zero unless a change is
 * wanted, because its present value would be a command.
 */
static const uint8_t *
port_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	struct port_info want;

	if (!plan_port_wanted(v->plan, c->subject, &want))
		bug("diff: a change for a port that has none");
	/* With an old P_Key table, enforcement would cut off members. */
	if ((want.partition_enforce_in || want.partition_enforce_out) &&
	    !pkey_plan_holds(&v->plan->pkeys, v->s, c->subject))
		want.partition_enforce_in = want.partition_enforce_out = 0;
	if (k->port_state == PORT_STATE_ACTIVE)
		want.client_reregister = 0;     /* was sent with ARMED */
	want.phys_state = 0;
	want.state = k->port_state;
	memcpy(buf, v->s->ports[c->subject].info, PORT_INFO_BYTES);
	port_info_patch(buf, &want);
	return buf;
}

/* The fallback form is without PORT_INFO_EXTENDED_SPEEDS. */
static uint32_t
port_modifier(const struct diff_view *v, const struct change *c, bool fallback)
{
	return fallback ? v->s->ports[c->subject].num : snapshot_port_modifier(v->s, c->subject);
}

static uint32_t
port_reported(const struct change *c, uint8_t port)
{
	(void)c;
	return port;
}

/*
 * A port that never answered a request with PORT_INFO_EXTENDED_SPEEDS may not support what its
 * CapabilityMask announces.
 */
static bool
may_lack_extended(
	const struct diff_view *v, const struct change *c, uint32_t modifier, uint16_t status)
{
	return status == STATUS_BAD_VALUE && modifier & PORT_INFO_EXTENDED_SPEEDS &&
		!(v->s->ports[c->subject].flags & FAB_PORT_EXTENDED);
}

/* ---- what an answer shows ---- */

/*
 * Whether an end port shows its addresses: without its own LID it cannot be reached, and without
 * the SM's LID its traps do not arrive.
 */
static bool
has_addresses(const struct diff_view *v, const struct change *c, const struct port_info *now)
{
	struct port_info want;

	if (!snapshot_is_endport(v->s, &v->s->ports[c->subject]) ||
		!plan_port_wanted(v->plan, c->subject, &want))
		return true;
	return now->lid == want.lid && now->lmc == want.lmc &&
		now->master_sm_lid == want.master_sm_lid;
}

static bool
port_took_effect(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	const uint8_t *sent, const uint8_t *data)
{
	struct port_info now = port_info_decode(data);

	(void)sent;
	return now.state >= k->port_state && has_addresses(v, c, &now);
}

/* A port may have become ACTIVE by itself; it then refuses a Set to the state it already has. */
static bool
state_reached(const struct change_kind *k, const uint8_t *data)
{
	uint8_t state = port_info_decode(data).state;

	return state >= k->port_state && state <= PORT_STATE_ACTIVE;
}

static void
forget_port(struct observed *o, const struct change *c)
{
	o->s->ports[c->subject].flags |= FAB_PORT_UNTOLD;
}

static void
observe_port(struct observed *o, const struct change *c, const struct change_answer *answer)
{
	struct fab_port *p = &o->s->ports[c->subject];
	struct port_info now;

	memcpy(p->info, answer->data, PORT_INFO_BYTES);
	now = port_info_decode(p->info);
	now.client_reregister = 0;      /* an echo of the Set, not a state */
	port_info_patch(p->info, &now);
	if (answer->modifier & PORT_INFO_EXTENDED_SPEEDS)
		p->flags |= FAB_PORT_EXTENDED;
	else if (answer->fallback)
		o->s->nodes[p->node].flags |= FAB_NODE_NOT_EXTENDED;
	if (!answer->effect)
		forget_port(o, c);
}

/* ---- the rows ---- */

#define PORT_INFO_KIND \
	.subject = CHANGE_OF_PORT, .attribute = PORT_INFO_ID, .modifier = port_modifier, \
	.reported = port_reported, .payload = port_payload, .took_effect = port_took_effect, \
	.observe = observe_port, .forget = forget_port, .has_fallback = may_lack_extended

const struct change_kind change_kind_sm_lid = {
	.name = "sm_lid", PORT_INFO_KIND, .find = find_ports,
};
const struct change_kind change_kind_lids = { .name = "lids", PORT_INFO_KIND };
const struct change_kind change_kind_links = { .name = "links", PORT_INFO_KIND };
/*
 * A link end is made ACTIVE only after both ends were ARMED; otherwise the ACTIVE end would lose
 * the packets it sends.
 */
#define ARM_KIND \
	PORT_INFO_KIND, .port_state = PORT_STATE_ARMED, .reached = state_reached, .bars_link = true
#define ACTIVATE_KIND \
	PORT_INFO_KIND, .port_state = PORT_STATE_ACTIVE, .reached = state_reached, \
	.needs_link = true

const struct change_kind change_kind_arm_back = { .name = "arm_back", ARM_KIND };
const struct change_kind change_kind_activate_back = { .name = "activate_back", ACTIVATE_KIND };
const struct change_kind change_kind_arm = { .name = "arm", ARM_KIND };
const struct change_kind change_kind_activate = { .name = "activate", ACTIVATE_KIND };
