/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * link.c - the wanted PortInfo of every port.
 * Room: sm/plan.  Pure.  In: snapshot, LIDs, configuration.  Out: wanted PortInfo.
 *
 * There are three kinds of port.  An end port (of a host, or port 0 of a switch) has LIDs and the
 * SM's address.  A port with a link has MTU, VLs and error limits.  A switch port with a link also
 * has packet lifetime limits.  Base port 0 of a switch has LIDs and the SM's address only.
 */
#include <config.h>
#include "sm/plan/link.h"

static uint8_t
least_of(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static const struct fab_port *
peer_with_info(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_port *peer = p->peer == FAB_NONE ? NULL : &s->ports[p->peer];

	return peer && peer->flags & FAB_PORT_INFO && p->flags & FAB_PORT_INFO ? peer : NULL;
}

uint8_t
plan_link_mtu(const struct snapshot *s, uint32_t port)
{
	const struct fab_port *peer = peer_with_info(s, &s->ports[port]);
	uint8_t mtu;

	if (!peer)
		return 0;
	mtu = least_of((uint8_t)ATTR_GET(port_info, mtu_cap, s->ports[port].info),
		(uint8_t)ATTR_GET(port_info, mtu_cap, peer->info));
	return least_of(mtu, MTU_CODE_LAST);
}

uint8_t
plan_link_vls(const struct snapshot *s, const struct link_conf *c, uint32_t port)
{
	const struct fab_port *peer = peer_with_info(s, &s->ports[port]);
	uint8_t vls;

	if (!peer)
		return 0;
	vls = least_of((uint8_t)ATTR_GET(port_info, vl_cap, s->ports[port].info),
		(uint8_t)ATTR_GET(port_info, vl_cap, peer->info));
	return least_of(vls, least_of(c->max_op_vls, VLS_CODE_LAST));
}

/* LIDs, SM address and M_Key of end port 'port'.  A switch port with a link gets the values of
 * port 0: a Set needs a valid LID, and a device that applies them from any port then gets the
 * same values from each. */
static void
plan_end(const struct link_plan *p, uint32_t port, struct port_info *w)
{
	struct mkeys_last none = { 0, 0 };

	w->mkey = mkeys_of_again(&p->conf->mkeys, p->last ? p->last : &none,
		p->snapshot->ports[port].guid);
	w->mkey_lease_period_s = w->mkey ? p->conf->mkey_lease_period_s : 0;
	w->mkey_protect = w->mkey ? p->conf->mkey_protect & 3 : 0;
	w->gid_prefix = p->conf->subnet_prefix;
	w->lid = p->lids->base[port];
	w->lmc = p->lids->lmc[port];
	w->master_sm_lid = p->sm_lid;
	w->master_sm_sl = p->conf->sm_sl;
}

/* The value to write to a field for which 0 means "no change": 0 if the field already has it. */
static uint8_t
change_to(uint8_t have, uint8_t want)
{
	return have == want ? 0 : want;
}

/* 'caps': the capability mask of the node's end port, because a switch's external ports need not
 * repeat it. */
static void
plan_speed(
	const struct link_conf *c, uint32_t caps, const struct port_info *have, struct port_info *w)
{
	if (c->force_width)
		w->width_enabled = change_to(have->width_enabled, c->force_width == LINK_WIDTH_ALL ?
			have->width_supported : c->force_width & have->width_supported);
	if (c->force_speed)
		w->speed_enabled = change_to(have->speed_enabled, c->force_speed == LINK_SPEED_ALL ?
			have->speed_supported : c->force_speed & have->speed_supported);
	if (!c->force_speed_ext || !(caps & PORT_CAP_EXTENDED_SPEEDS) || !have->speed_ext_supported)
		return;
	if (c->force_speed_ext == LINK_SPEED_EXT_OFF)
		w->speed_ext_enabled =
			change_to(have->speed_ext_enabled & have->speed_ext_supported ?
					have->speed_ext_enabled :
					LINK_SPEED_EXT_OFF,
				LINK_SPEED_EXT_OFF);
	else
		w->speed_ext_enabled = change_to(have->speed_ext_enabled,
			c->force_speed_ext == LINK_SPEED_EXT_ALL ?
				have->speed_ext_supported :
				c->force_speed_ext & have->speed_ext_supported);
}

/* MTU, VLs and limits of a port with a link. */
static void
plan_cable(const struct link_plan *p, uint32_t port, struct port_info *w)
{
	uint8_t mtu = plan_link_mtu(p->snapshot, port),
		vls = plan_link_vls(p->snapshot, p->conf, port);

	if (mtu)
		w->neighbor_mtu = mtu;
	w->operational_vls = change_to(w->operational_vls, vls);
	w->local_phy_errors = p->conf->local_phy_errors;
	w->overrun_errors = p->conf->overrun_errors;
}

static void
plan_wait(const struct link_plan *p, const struct fab_port *port, struct port_info *w)
{
	bool leaf = !fab_is_switch(&p->snapshot->nodes[p->snapshot->ports[port->peer].node]);

	w->hoq_life = leaf ? p->conf->leaf_hoq_life : p->conf->hoq_life;
	w->vl_stall_count = leaf ? p->conf->leaf_vl_stall_count : p->conf->vl_stall_count;
}

/* Enhanced port 0 of a switch has VLs and an MTU, but no peer to negotiate with. */
static void
plan_enhanced(const struct link_plan *p, struct port_info *w)
{
	uint8_t vls = least_of(w->vl_cap, least_of(p->conf->max_op_vls, VLS_CODE_LAST));

	if (w->mtu_cap >= MTU_CODE_FIRST && w->mtu_cap <= MTU_CODE_LAST)
		w->neighbor_mtu = w->mtu_cap;
	w->operational_vls = change_to(w->operational_vls, vls);
}

bool
plan_port(const struct link_plan *p, uint32_t port, struct port_info *want)
{
	const struct snapshot *s = p->snapshot;
	const struct fab_port *fp = &s->ports[port];
	const struct fab_node *n = &s->nodes[fp->node];
	bool is_switch = fab_is_switch(n);
	uint32_t end = is_switch ? n->first_port : port;
	struct port_info have;
	uint32_t caps;

	if (!(fp->flags & FAB_PORT_INFO) || (fp->num == 0 ? !is_switch : fp->peer == FAB_NONE))
		return false;
	*want = have = port_info_decode(fp->info);
	caps = have.capability_mask;
	if (port != end && s->ports[end].flags & FAB_PORT_INFO)
		caps = (uint32_t)ATTR_GET(port_info, capability_mask, s->ports[end].info);
	want->state = want->phys_state = want->link_down_default = want->client_reregister = 0;
	want->width_enabled = want->speed_enabled = want->speed_ext_enabled =
		want->speed_ext_enabled2 = 0;
	plan_end(p, end, want);
	if (port == end)
		want->subnet_timeout = p->conf->subnet_timeout;
	if (fp->num) {
		plan_cable(p, port, want);
		plan_speed(p->conf, caps, &have, want);
		if (is_switch)
			plan_wait(p, fp, want);
	} else if (n->flags & FAB_NODE_SWITCH_INFO &&
	    ATTR_GET(switch_info, enhanced_port0, n->switch_info)) {
		plan_enhanced(p, want);
	} else {
		want->operational_vls = 0;
	}
	return true;
}
