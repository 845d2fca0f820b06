/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * links.c - cables and the state machine of the links on them.
 * Room: sim/phys.  Pure.
 *
 * A cable whose two ends poll (powered, not disabled) trains for conf.train_us and then is INIT at
 * both ends.  A link goes down at both ends at once.  ARMED and ACTIVE come by Set(PortInfo) only
 * (sma_port.c), each end for itself. A switch reports what the link did
 * (SwitchInfo.PortStateChange, trap 128), not what a Set on its port made.
 */
#include <config.h>
#include "sim/phys/phys.h"

/* the answer of an agent that is elsewhere takes so long at most to come here */
#define AWAY_ANSWER_US 20000

void
link_set_state(struct hw *h, struct hw_port *p, unsigned state, unsigned phys)
{
	ATTR_SET(port_info, state, p->info, state);
	ATTR_SET(port_info, phys_state, p->info, phys);
	h->links[hw_port_index(h, p)].state = (uint8_t)state;
}

static void
change_report(struct hw *h, const struct hw_port *p, struct monotime now)
{
	struct hw_node *n = &h->nodes[p->node];

	if (n->type != TOPO_SWITCH || !n->powered)
		return;
	ATTR_SET(switch_info, port_state_change, n->switch_info, 1);
	trap_link_change(h, p->node, now);
}

static bool
wants_link(const struct hw *h, const struct hw_port *p)
{
	unsigned phys = hw_phys(p);

	return h->nodes[p->node].powered && p->num && (phys == PHYS_STATE_POLLING ||
		phys == PHYS_STATE_SLEEP);
}

/* The peer of a cable that could train: both ends powered and enabled, one of them not asleep. */
static struct hw_port *
link_trainable(const struct hw *h, const struct hw_port *p)
{
	uint32_t peer = h->cables[hw_port_index(h, p)];
	struct hw_port *q;

	if (peer == HW_NOWHERE)
		return NULL;
	q = &h->ports[peer];
	if (!wants_link(h, p) || !wants_link(h, q))
		return NULL;
	return hw_phys(p) == PHYS_STATE_SLEEP && hw_phys(q) == PHYS_STATE_SLEEP ? NULL : q;
}

static void
link_train(struct hw *h, struct hw_port *p, int64_t us, struct monotime now)
{
	struct hw_port *q = link_trainable(h, p);
	struct hw_event e = { .kind = EVENT_TRAIN };

	if (!q)
		return;
	if (!++h->trainings)
		h->trainings = 1;
	p->training = q->training = h->trainings;
	e.at_us = monotime_add_us(now, us).us;
	e.node = hw_port_index(h, p);
	e.arg = h->trainings;
	queue_add(h, &e);
}

void
link_try(struct hw *h, struct hw_port *p, struct monotime now)
{
	link_train(h, p, h->conf.train_us, now);
}


static unsigned
highest_bit(unsigned v)
{
	return v ? 1u << (31 - __builtin_clz(v)) : 0;
}

/* The width both ends can, by what it carries: the code of 2X is the highest bit but not the
 * widest link. */
static unsigned
best_width(unsigned both)
{
	static const uint8_t order[] = { LINK_WIDTH_12X, LINK_WIDTH_8X, LINK_WIDTH_4X,
		LINK_WIDTH_2X, LINK_WIDTH_1X };

	for (unsigned i = 0; i < sizeof(order); i++)
		if (both & order[i])
			return order[i];
	return LINK_WIDTH_1X;
}

/* Forward error correction of a link that trained to what 'pi' says. */
static uint8_t
fec_mode(const struct hw_port *a, const struct hw_port *b, const struct port_info *pi)
{
	if (!a->fec_can || !b->fec_can)
		return FEC_MODE_NONE;
	if (pi->speed_ext_active == LINK_SPEED_EXT_HDR)
		return a->fec_hdr && b->fec_hdr ? FEC_MODE_RS : FEC_MODE_NONE;
	return (pi->speed_ext_active == LINK_SPEED_EXT_NDR && a->fec_ndr && b->fec_ndr) ||
		pi->speed_ext_active2 ? FEC_MODE_RS : FEC_MODE_NONE;
}

static void
link_negotiate(struct hw_port *a, struct hw_port *b)
{
	struct port_info x = port_info_decode(a->info), y = port_info_decode(b->info);
	unsigned ext = 0, ext2 = 0;

	if (x.speed_ext_enabled != LINK_SPEED_EXT_OFF &&
	    y.speed_ext_enabled != LINK_SPEED_EXT_OFF) {
		ext = highest_bit(x.speed_ext_enabled & y.speed_ext_enabled & 0x0f);
		ext2 = highest_bit(x.speed_ext_enabled2 & y.speed_ext_enabled2 & 0x03);
	}
	x.width_active = y.width_active = (uint8_t)best_width(x.width_enabled & y.width_enabled);
	x.speed_active = y.speed_active =
		(uint8_t)highest_bit((x.speed_enabled & y.speed_enabled & 7) | 1);
	x.speed_ext_active = y.speed_ext_active = (uint8_t)ext;
	x.speed_ext_active2 = y.speed_ext_active2 = (uint8_t)ext2;
	a->fdr10 = b->fdr10 = a->fdr10_on && b->fdr10_on && x.speed_active == LINK_SPEED_QDR &&
		!ext && !ext2;
	a->fec = b->fec = fec_mode(a, b, &x);
	port_info_encode(a->info, &x);
	port_info_encode(b->info, &y);
}

static void
link_up(struct hw *h, struct hw_port *a, struct hw_port *b)
{
	link_negotiate(a, b);
	h->links[hw_port_index(h, a)] = (struct hw_link){ b->node, b->num, 0 };
	h->links[hw_port_index(h, b)] = (struct hw_link){ a->node, a->num, 0 };
	link_set_state(h, a, PORT_STATE_INIT, PHYS_STATE_LINK_UP);
	link_set_state(h, b, PORT_STATE_INIT, PHYS_STATE_LINK_UP);
	a->training = b->training = 0;
	a->life++;
	b->life++;
}

void
link_reset(struct hw *h, uint32_t port_index, unsigned phys, struct monotime now)
{
	struct hw_port *p = &h->ports[port_index];

	bool was_up = hw_state(p) > PORT_STATE_DOWN;

	link_down(h, p, true, now);
	if (phys)
		link_set_state(h, p, PORT_STATE_DOWN, phys);
	/* the two ends know each other */
	link_train(h, p, was_up ? 0 : h->conf.train_us, now);
}

void
link_reset_later(struct hw *h, struct hw_port *p, unsigned phys, struct monotime now)
{
	struct hw_event e = { .kind = EVENT_RESET, .node = hw_port_index(h, p), .arg = phys };

	e.at_us = monotime_add_us(now, h->conf.latency_us + (h->nodes[p->node].away ?
		AWAY_ANSWER_US : 1)).us;
	queue_add(h, &e);
}

void
link_trained(struct hw *h, uint32_t port_index, uint32_t training, struct monotime now)
{
	struct hw_port *p = &h->ports[port_index], *q;

	if (p->training != training)
		/* something happened to it since: another training, or none */
		return;
	q = link_trainable(h, p);
	if (!q || q->training != training)
		return;
	traffic_change(h, now);
	link_up(h, p, q);
	change_report(h, p, now);
	change_report(h, q, now);
}

void
link_up_all(struct hw *h)
{
	for (uint32_t i = 0; i < h->nports; i++) {
		struct hw_port *p = &h->ports[i], *q = link_trainable(h, p);

		if (!q || h->cables[i] < i)
			continue;
		link_up(h, p, q);
		for (int end = 0; end < 2; end++) {
			struct hw_node *n = &h->nodes[end ? q->node : p->node];

			if (n->type == TOPO_SWITCH)
				ATTR_SET(switch_info, port_state_change, n->switch_info, 1);
		}
	}
}

static void
link_end_down(struct hw *h, struct hw_port *p)
{
	uint64_t rest = ATTR_GET(port_info, link_down_default, p->info);

	h->links[hw_port_index(h, p)].node = HW_NOWHERE;
	link_set_state(h, p, PORT_STATE_DOWN, rest == PHYS_STATE_SLEEP ? PHYS_STATE_SLEEP :
		PHYS_STATE_POLLING);
	p->training = 0;
	p->life++;
	count_add(p, COUNT_LINK_DOWNED, 1);
}

void
link_down(struct hw *h, struct hw_port *p, bool by_set, struct monotime now)
{
	const struct hw_link l = h->links[hw_port_index(h, p)];
	struct hw_port *q;

	p->training = 0;
	if (l.node == HW_NOWHERE)
		return;
	q = hw_port(h, l.node, l.port);
	traffic_change(h, now);
	link_end_down(h, p);
	link_end_down(h, q);
	if (!by_set)
		change_report(h, p, now);
	change_report(h, q, now);
}
