/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sma_port.c - PortInfo: initial values, the answer to a Get, and all rules of a Set.
 * Room: sim/agents.  Pure.
 *
 * A Set is processed field by field: valid fields take effect, and any invalid field makes the
 * status 0x1C.  The link state is processed last, so that one Set can contain a link's parameters
 * and its change to ARMED.  The external ports of a switch have no LID, keys or capabilities of
 * their own: a Get returns those of port 0, a Set does not change them.
 */
#include <config.h>
#include <errno.h>
#include "sim/agents/agents.h"

#define VLARB_CAP 8
#define GUID_CAP_HOST 8
#define SUBNET_TIMEOUT 18
#define RESP_TIME 16
#define CAPS_SWITCH (PORT_CAP_TRAP | PORT_CAP_SL_MAPPING | PORT_CAP_LED_INFO | PORT_CAP_SYSTEM_GUID | PORT_CAP_PKEY_SWITCH_TRAP | PORT_CAP_VENDOR_CLASS | \
	PORT_CAP_MASK_NOTICE | PORT_CAP_OTHER_NOTICE | PORT_CAP_MASK2 | PORT_CAP_MFT_TOP)
#define CAPS_HOST (PORT_CAP_TRAP | PORT_CAP_SL_MAPPING | PORT_CAP_LED_INFO | PORT_CAP_SYSTEM_GUID | PORT_CAP_CM | PORT_CAP_VENDOR_CLASS | PORT_CAP_MASK_NOTICE | \
	PORT_CAP_OTHER_NOTICE | PORT_CAP_MASK2 | PORT_CAP_CLIENT_REREGISTRATION)
#define SPEEDS_ALL (LINK_SPEED_SDR | LINK_SPEED_DDR | LINK_SPEED_QDR)
#define EXT_SPEEDS_DEFAULT (LINK_SPEED_EXT_FDR | LINK_SPEED_EXT_EDR | LINK_SPEED_EXT_HDR)
#define EXT_SPEEDS_ALL (EXT_SPEEDS_DEFAULT | LINK_SPEED_EXT_NDR)
#define LID_OK(lid) ((lid) >= 1 && (lid) <= LID_UCAST_MAX)

/* That speed and all slower ones. */
static unsigned
speeds_up_to(unsigned bit)
{
	return bit ? (bit << 1) - 1 : 0;
}

static unsigned
widths_up_to(unsigned width)
{
	switch (width) {
	case LINK_WIDTH_2X:
		return LINK_WIDTH_2X | LINK_WIDTH_1X;
	case LINK_WIDTH_12X:
		return LINK_WIDTH_12X | LINK_WIDTH_4X | LINK_WIDTH_1X;
	case LINK_WIDTH_8X:
		return LINK_WIDTH_8X | LINK_WIDTH_4X | LINK_WIDTH_1X;
	case LINK_WIDTH_4X:
		return LINK_WIDTH_4X | LINK_WIDTH_1X;
	default:
		return LINK_WIDTH_1X;
	}
}

/* What the port can: everything up to what the topology says runs on its cable; without a cable,
 * 4X HDR. */
static void
abilities(const struct hw *h, uint32_t node, uint8_t port, struct port_info *pi)
{
	const struct topo_port *tp = NULL;
	bool in_file = node < h->nnodes - h->nadded;

	if (in_file && port)
		tp = topo_port(h->topo, node, port);
	if (!tp || !tp->width) {
		pi->width_supported = LINK_WIDTH_4X | LINK_WIDTH_1X;
		pi->speed_supported = SPEEDS_ALL;
		pi->speed_ext_supported = EXT_SPEEDS_DEFAULT;
	} else {
		pi->width_supported = (uint8_t)widths_up_to(tp->width);
		pi->speed_ext_supported = (uint8_t)speeds_up_to(tp->speed_ext & EXT_SPEEDS_ALL);
		pi->speed_ext_supported2 = tp->speed_ext2 & 3;
		if (tp->speed_ext2 && !tp->speed_ext)
			pi->speed_ext_supported = EXT_SPEEDS_ALL;
		pi->speed_supported = tp->speed_ext || tp->speed_ext2 ? SPEEDS_ALL :
			(uint8_t)(speeds_up_to(tp->speed & SPEEDS_ALL) | LINK_SPEED_SDR);
	}
	pi->width_enabled = pi->width_supported;
	pi->speed_enabled = pi->speed_supported;
	pi->speed_ext_enabled = pi->speed_ext_supported;
	pi->speed_ext_enabled2 = pi->speed_ext_supported2;
}

static uint16_t
caps2_of(const struct port_info *pi)
{
	unsigned c = PORT_CAP2_SET_NODE_DESC | PORT_CAP2_PORT_INFO_EXT;

	if (pi->width_supported & LINK_WIDTH_2X)
		c |= PORT_CAP2_WIDTH_2X;
	if (pi->speed_ext_supported & LINK_SPEED_EXT_HDR)
		c |= PORT_CAP2_HDR;
	if (pi->speed_ext_supported & LINK_SPEED_EXT_NDR)
		c |= PORT_CAP2_NDR;
	if (pi->speed_ext_supported2)
		c |= PORT_CAP2_EXTENDED_SPEEDS2 | PORT_CAP2_XDR;
	return (uint16_t)c;
}

/* Capabilities of a node's agent port; extended speeds count for any port of a switch. */
static void
capabilities(const struct hw *h, uint32_t node, uint8_t port, struct port_info *pi)
{
	const struct hw_node *n = &h->nodes[node];
	bool is_switch = n->type == TOPO_SWITCH;
	unsigned ext = pi->speed_ext_supported | pi->speed_ext_supported2, caps2 = caps2_of(pi);

	for (unsigned i = 1; is_switch && !port && i <= n->nports; i++) {
		struct port_info other = { 0 };

		abilities(h, node, (uint8_t)i, &other);
		ext |= other.speed_ext_supported | other.speed_ext_supported2;
		caps2 |= caps2_of(&other);
	}
	pi->capability_mask = (is_switch ? CAPS_SWITCH : CAPS_HOST) |
		(ext ? PORT_CAP_EXTENDED_SPEEDS : 0);
	pi->capability_mask2 = (uint16_t)caps2;
}

/* The port's power-on values; a link comes later. */
void
sma_reset_port(struct hw *h, uint32_t node, uint8_t port)
{
	struct hw_port *p = hw_port(h, node, port);
	bool is_switch = h->nodes[node].type == TOPO_SWITCH;
	struct port_info pi = {
		.gid_prefix = GID_PREFIX_DEFAULT, .link_down_default = PHYS_STATE_POLLING,
			.vl_cap = (uint8_t)h->conf.vl_cap,
		.operational_vls = (uint8_t)h->conf.vl_cap, .mtu_cap = (uint8_t)h->conf.mtu_cap,
		.neighbor_mtu = (uint8_t)h->conf.mtu_cap, .vlarb_high_cap = VLARB_CAP,
		.vlarb_low_cap = VLARB_CAP,
		.guid_cap = is_switch ? 1 : GUID_CAP_HOST, .subnet_timeout = SUBNET_TIMEOUT,
		.resp_time = RESP_TIME,
		.local_phy_errors = 8, .overrun_errors = 8, .state = PORT_STATE_DOWN,
		.phys_state = PHYS_STATE_POLLING,
	};

	if (!is_switch && !port) {
		memset(p->info, 0, sizeof(p->info));    /* an adapter has no port 0 */
		return;
	}
	abilities(h, node, port, &pi);
	capabilities(h, node, port, &pi);
	if (!port) {
		pi.state = PORT_STATE_ACTIVE;
		pi.phys_state = PHYS_STATE_LINK_UP;
		pi.width_active = pi.width_supported & LINK_WIDTH_4X ? LINK_WIDTH_4X :
			LINK_WIDTH_1X;
		pi.speed_active = LINK_SPEED_SDR;
	} else {
		pi.width_active = LINK_WIDTH_1X;
		pi.speed_active = LINK_SPEED_SDR;
	}
	memset(p->info, 0, sizeof(p->info));
	port_info_encode(p->info, &pi);
	h->links[hw_port_index(h, p)].state = pi.state;
	sma_reset_vendor(h, node, port);
	sma_reset_fec(p, &pi);
	sma_show_issm(p);
}

void
sma_show_issm(struct hw_port *p)
{
	uint32_t caps = hw_capabilities(p) & ~(uint32_t)PORT_CAP_IS_SM;

	ATTR_SET(port_info, capability_mask, p->info, caps | (p->is_sm ? PORT_CAP_IS_SM : 0));
}

/* ---- Get ---- */

void
sma_port_image(const struct hw *h, uint32_t node, uint8_t port, uint8_t w[static PORT_INFO_BYTES])
{
	const uint8_t *zero = hw_agent_port(h, node, port)->info;
	const struct hw_port *p = hw_port(h, node, port);

	memcpy(w, p->info, PORT_INFO_BYTES);
	if (zero == p->info)
		return;
#define AS_PORT_0(member) ATTR_SET(port_info, member, w, ATTR_GET(port_info, member, zero))
	AS_PORT_0(mkey);
	AS_PORT_0(gid_prefix);
	AS_PORT_0(lid);
	AS_PORT_0(master_sm_lid);
	AS_PORT_0(capability_mask);
	AS_PORT_0(mkey_lease_period_s);
	AS_PORT_0(mkey_protect);
	AS_PORT_0(lmc);
	AS_PORT_0(mkey_violations);
	AS_PORT_0(capability_mask2);
#undef AS_PORT_0
}

/* Whether extended speeds are hidden from the requester, which also cannot set them: its request
 * does not carry the bit for them. */
static bool
extended_hidden(const struct sma_call *c)
{
	unsigned fast = PORT_CAP2_NDR | PORT_CAP2_XDR, caps2;

	caps2 = (unsigned)ATTR_GET(port_info, capability_mask2, hw_agent_port(c->h, c->node,
		c->port)->info);

	if (c->modifier & PORT_INFO_EXTENDED_SPEEDS)
		return false;
	if (c->n->extended_speeds == HW_EXTENDED_AUTO)
		return c->n->type == TOPO_SWITCH && caps2 & fast;
	return c->n->extended_speeds == HW_EXTENDED_HIDDEN;
}

/* The port that the modifier names; false: there is none, or none that this agent may touch. */
static bool
port_asked(const struct sma_call *c, uint8_t *port)
{
	*port = (uint8_t)(c->modifier & 0xff);
	if (c->modifier & PORT_INFO_EXTENDED_SPEEDS && c->n->extended_speeds == HW_EXTENDED_REFUSED)
		return false;
	if (c->n->type == TOPO_SWITCH)
		return *port <= c->n->nports;
	if (!*port)
		*port = c->port;
	return *port <= c->n->nports && (!c->set || *port == c->port);
}

static void
show_port_info(struct sma_call *c, uint8_t port)
{
	sma_port_image(c->h, c->node, port, c->data);
	ATTR_SET(port_info, local_port, c->data, c->port);
	if (extended_hidden(c)) {
		struct port_info pi = port_info_decode(c->data);

		pi.speed_ext_active = pi.speed_ext_supported = pi.speed_ext_enabled = 0;
		pi.speed_ext_active2 = pi.speed_ext_supported2 = pi.speed_ext_enabled2 = 0;
		port_info_encode(c->data, &pi);
	}
	if (!c->show_keys)
		ATTR_SET(port_info, mkey, c->data, 0);
}

uint16_t
sma_get_port_info(struct sma_call *c)
{
	uint8_t port;

	if (!port_asked(c, &port))
		return STATUS_BAD_VALUE;
	show_port_info(c, port);
	return STATUS_OK;
}

/* ---- Set: each part returns whether all its fields were valid ---- */

/* What belongs to an agent: keys, LIDs, who the subnet manager is. */
static bool
set_agent(const struct sma_call *c, struct port_info *pi, const struct port_info *in)
{
	bool base0 = c->n->type == TOPO_SWITCH && !ATTR_GET(switch_info, enhanced_port0,
		c->n->switch_info);
	bool lmc_ok = !(base0 && in->lmc), aligned = !(in->lid & ((1u << in->lmc) - 1));

	pi->mkey = in->mkey;
	pi->gid_prefix = in->gid_prefix;
	pi->mkey_lease_period_s = in->mkey_lease_period_s;
	pi->mkey_protect = in->mkey_protect;
	pi->master_sm_sl = in->master_sm_sl;
	pi->subnet_timeout = in->subnet_timeout;
	pi->mcast_pkey_trap_suppression = in->mcast_pkey_trap_suppression;
	if (!in->mkey_violations)
		pi->mkey_violations = 0;
	if (LID_OK(in->master_sm_lid))
		pi->master_sm_lid = in->master_sm_lid;
	if (LID_OK(in->lid) && (aligned || !lmc_ok)) {
		pi->lid = in->lid;
		if (lmc_ok)
			pi->lmc = in->lmc;
	}
	return LID_OK(in->lid) && LID_OK(in->master_sm_lid) && lmc_ok && aligned;
}

/* An "enabled" field: 0 keeps, 'all' means everything supported, else a subset. */
static bool
set_enabled(uint8_t *field, unsigned in, unsigned all, unsigned supported)
{
	if (in == all)
		*field = (uint8_t)supported;
	else if (in && (in & ~supported))
		return false;
	else if (in)
		*field = (uint8_t)in;
	return true;
}

static bool
set_speeds(struct port_info *pi, const struct port_info *in)
{
	bool ok = set_enabled(&pi->width_enabled, in->width_enabled, LINK_WIDTH_ALL,
		pi->width_supported);

	if (in->speed_enabled && in->speed_enabled != LINK_SPEED_ALL &&
	    !(in->speed_enabled & LINK_SPEED_SDR))
		ok = false;                     /* SDR is never left out */
	else
		ok &= set_enabled(&pi->speed_enabled, in->speed_enabled, LINK_SPEED_ALL,
			pi->speed_supported);
	if (in->speed_ext_enabled == LINK_SPEED_EXT_OFF)
		pi->speed_ext_enabled = LINK_SPEED_EXT_OFF;
	else
		ok &= set_enabled(&pi->speed_ext_enabled, in->speed_ext_enabled, LINK_SPEED_EXT_ALL,
			pi->speed_ext_supported);
	if (pi->speed_ext_supported2)
		ok &= set_enabled(&pi->speed_ext_enabled2, in->speed_ext_enabled2, 7,
			pi->speed_ext_supported2);
	return ok;
}

static void
set_enforcement(const struct sma_call *c, struct port_info *pi, const struct port_info *in)
{
	/* zeros where there is none */
	struct switch_info si = switch_info_decode(c->n->switch_info);

	if (si.inbound_enforce_cap)
		pi->partition_enforce_in = in->partition_enforce_in;
	if (si.outbound_enforce_cap)
		pi->partition_enforce_out = in->partition_enforce_out;
	if (si.filter_raw_inbound_cap)
		pi->filter_raw_in = in->filter_raw_in;
	if (si.filter_raw_outbound_cap)
		pi->filter_raw_out = in->filter_raw_out;
}

/* What belongs to a link. */
static bool
set_link(const struct sma_call *c, struct port_info *pi, const struct port_info *in)
{
	bool ok = set_speeds(pi, in);

	if (in->neighbor_mtu >= 1 && in->neighbor_mtu <= pi->mtu_cap)
		pi->neighbor_mtu = in->neighbor_mtu;
	else
		ok = false;
	if (in->operational_vls > pi->vl_cap)
		ok = false;
	else if (in->operational_vls)
		pi->operational_vls = in->operational_vls;
	if (in->link_down_default > PHYS_STATE_POLLING)
		ok = false;
	else if (in->link_down_default)
		pi->link_down_default = in->link_down_default;
	set_enforcement(c, pi, in);
	pi->init_type_reply = in->init_type_reply;
	pi->vl_high_limit = in->vl_high_limit;
	pi->vl_stall_count = in->vl_stall_count;
	pi->hoq_life = in->hoq_life;
	pi->local_phy_errors = in->local_phy_errors;
	pi->overrun_errors = in->overrun_errors;
	pi->max_credit_hint = in->max_credit_hint;
	pi->link_round_trip_latency = in->link_round_trip_latency;
	return ok;
}

static bool
state_legal(unsigned state, unsigned phys, unsigned present)
{
	if (phys > PHYS_STATE_DISABLED || (phys && state > PORT_STATE_DOWN))
		return false;
	switch (state) {
	case PORT_STATE_NO_CHANGE:
	case PORT_STATE_DOWN:
		return true;
	case PORT_STATE_ARMED:
		return present == PORT_STATE_INIT;
	case PORT_STATE_ACTIVE:
		return present == PORT_STATE_ARMED;
	}
	return false;
}

/* The last part: moves the link.  A link that is up restarts when the answer has left. */
static bool
set_state(struct sma_call *c, struct hw_port *p, const struct port_info *in)
{
	struct hw *h = c->h;

	if (!state_legal(in->state, in->phys_state, hw_state(p)))
		return false;
	if (in->state > PORT_STATE_DOWN) {
		link_set_state(h, p, in->state, hw_phys(p));
		return true;
	}
	if (!in->state && !in->phys_state)
		return true;
	c->restarts = hw_state(p) > PORT_STATE_DOWN && in->phys_state != PHYS_STATE_DISABLED;
	if (c->restarts)
		link_reset_later(h, p, in->phys_state, c->now);
	else
		link_reset(h, hw_port_index(h, p), in->phys_state, c->now);
	return true;
}

static bool
set_fields(struct sma_call *c, struct hw_port *p, const struct port_info *in)
{
	struct port_info pi = port_info_decode(p->info);
	bool is_switch = c->n->type == TOPO_SWITCH, linked = p->num || ATTR_GET(switch_info,
		enhanced_port0, c->n->switch_info);
	bool ok = true;

	if (!is_switch || !p->num)
		ok = set_agent(c, &pi, in);
	if (linked)
		ok &= set_link(c, &pi, in);
	if (!in->pkey_violations)
		pi.pkey_violations = 0;
	if (!in->qkey_violations)
		pi.qkey_violations = 0;
	port_info_encode(p->info, &pi);
	return ok;
}

uint16_t
sma_set_port_info(struct sma_call *c)
{
	struct port_info in = port_info_decode(c->data);
	struct hw_port *p;
	uint8_t port;
	bool ok, reregister;

	if (!port_asked(c, &port))
		return STATUS_BAD_VALUE;
	if (extended_hidden(c))
		in.speed_ext_enabled = in.speed_ext_enabled2 = 0;
	p = hw_port(c->h, c->node, port);
	reregister = in.client_reregister && hw_capabilities(p) & PORT_CAP_CLIENT_REREGISTRATION;
	traffic_touch(c->h, c->now);
	ok = set_fields(c, p, &in);
	if (port)                               /* port 0 has no link */
		ok &= set_state(c, p, &in);
	show_port_info(c, port);
	if (c->restarts)
		ATTR_SET(port_info, state, c->data, PORT_STATE_INIT);   /* what it is about to be */
	if (reregister)
		ATTR_SET(port_info, client_reregister, c->data, 1);
	return ok ? STATUS_OK : STATUS_BAD_VALUE;
}
