/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * bed.c - a small tree with a plan, and hardware that does what it is told.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/diff/bed.h"
#include "tests/unit/route/made.h"

void
bed_make(struct bed *b)
{
	struct lid_conf lc = { 0 };
	struct lid_report lr;
	struct plan *p = &b->plan;

	memset(b, 0, sizeof(*b));
	b->s = made_snapshot("fattree:k=4,levels=3", NULL);
	while (fab_is_switch(&b->s->nodes[b->s->ports[b->host].node]) ||
		b->s->ports[b->host].num != 1)
		b->host++;
	b->leaf = b->s->ports[b->host].peer;
	b->s->sm_port = b->host;
	observed_tables_init(&b->tables);
	b->o = observed_new(b->s, &b->tables);
	*p = (struct plan){ .snapshot = b->s, .links = LINK_CONF_DEFAULTS, .packet_life_time = 0x12 };
	assert_int_equal(plan_lids(b->s, NULL, &lc, &p->arena, &p->lids, &lr), 0);
	p->sm_lid = p->lids.base[b->host];
	p->fwd = (struct fwd_tables){ .nswitches = b->s->nswitches, .stride = 192, .top = 150,
		.vls = 1 };
	p->fwd.port = arena_array(&p->arena, (size_t)p->fwd.nswitches * p->fwd.stride, 1);
	for (uint32_t i = 0; i < p->fwd.nswitches * p->fwd.stride; i++)
		p->fwd.port[i] = (uint8_t)(i % 251);
}

void
bed_clear(struct bed *b)
{
	made_free(b->s);
	observed_free(b->o);
	observed_tables_clear(&b->tables);
	arena_clear(&b->plan.arena);
}

static void
make_lanes(struct bed *b, struct qos_conf c, bool optimized)
{

	for (unsigned k = 0; k < QOS_KINDS; k++) {
		c.family[k] = (struct qos_family){ .max_vls = 15, .high_limit = (uint8_t)(1 + k),
			.low = { .n = 1 }, .high = { .n = 3 } };
		for (unsigned i = 0; i < 16; i++)
			c.family[k].sl2vl.vl[i] = (uint8_t)(i ^ k);
		c.family[k].low.e[0].weight = (uint8_t)(10 + k);
	}
	for (uint32_t p = 0; p < b->s->nports; p++) {
		struct port_info pi = bed_port(b, p);

		pi.capability_mask |= 1u << 6;
		pi.vl_cap = 4;
		pi.vlarb_low_cap = 8;
		pi.vlarb_high_cap = 40;
		bed_show(b, p, pi);
	}
	for (uint32_t sw = 0; sw < b->s->nswitches; sw++) {
		struct fab_node *n = &b->s->nodes[b->s->switches[sw]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.optimized_slvl = optimized;
		si.enhanced_port0 = 0;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
	qos_plan_make(b->s, &b->plan.links, &c, &b->plan.arena, &b->plan.qos);
	qos_tables_free(b->o->qos);
	b->o->qos = qos_tables_next(NULL, NULL, b->s);
}

void
bed_lanes(struct bed *b, bool optimized)
{
	make_lanes(b, (struct qos_conf){ .optimized = optimized }, optimized);
}

void
bed_lane_plan(struct bed *b, bool optimized, const struct lane_plan *plan)
{
	struct conf_sl2vl one = { .set = true };
	struct qos_conf c = { .optimized = false };

	qos_lanes_levels(&c.lanes, 1, &one);
	c.lanes.plan = plan;
	make_lanes(b, c, optimized);
}

struct port_info
bed_port(const struct bed *b, uint32_t port)
{
	return port_info_decode(b->s->ports[port].info);
}

void
bed_show(struct bed *b, uint32_t port, struct port_info pi)
{
	port_info_encode(b->s->ports[port].info, &pi);
}

/* The registers after a Set of PortInfo: zero means "no change" where it does. */
static void
obey_port(uint8_t *w, const uint8_t *payload, uint8_t *answer)
{
	struct port_info now = port_info_decode(w), set = port_info_decode(payload);

	set.state = set.state ? set.state : now.state;
	set.phys_state = set.phys_state ? set.phys_state : now.phys_state;
	set.link_down_default = set.link_down_default ? set.link_down_default :
		now.link_down_default;
	set.operational_vls = set.operational_vls ? set.operational_vls : now.operational_vls;
	set.width_enabled = set.width_enabled ? set.width_enabled : now.width_enabled;
	set.speed_enabled = set.speed_enabled ? set.speed_enabled : now.speed_enabled;
	set.speed_ext_enabled = set.speed_ext_enabled ? set.speed_ext_enabled :
		now.speed_ext_enabled;
	set.speed_ext_enabled2 = set.speed_ext_enabled2 ? set.speed_ext_enabled2 :
		now.speed_ext_enabled2;
	memcpy(answer, payload, PORT_INFO_BYTES);
	port_info_encode(answer, &set);
	memcpy(w, answer, PORT_INFO_BYTES);
	set.client_reregister = 0;      /* shown in the answer only */
	port_info_encode(w, &set);
}

void
bed_obey(struct bed *b, enum change_phase phase, const struct change *c, const uint8_t payload[64],
	uint8_t answer[64])
{
	struct fab_node *n;
	struct switch_info si;

	memcpy(answer, payload, 64);
	switch (phase) {
	case CHANGE_SWITCH_INFO:
		n = &b->s->nodes[b->s->switches[c->subject]];
		si = switch_info_decode(payload);
		si.port_state_change = 0;
		switch_info_encode(answer, &si);
		memcpy(n->switch_info, answer, SWITCH_INFO_BYTES);
		break;
	case CHANGE_PKEYS:
		memcpy(b->s->pkey_blocks[b->s->ports[c->subject].pkeys], payload, PKEY_TABLE_BYTES);
		break;
	case CHANGE_LANES_WIDE:
	case CHANGE_LANES:
	case CHANGE_QOS: {
		struct qos_table t;

		for (uint32_t i = 0; diff_qos_table(b->s, c, i, &t); i++)
			qos_tables_put(b->o->qos, b->s, &t, payload);
		break;
	}
	case CHANGE_GUIDS:
		guid_seen_put(b->o->tables->guids, b->s->ports[c->subject].guid, (uint8_t)c->block,
			payload);
		break;
	case CHANGE_LFT_SM:
	case CHANGE_LFT:
	case CHANGE_MFT_CUT:
	case CHANGE_MFT:
		break;
	case CHANGE_SM_LID:
	case CHANGE_LIDS:
	case CHANGE_LINKS:
	case CHANGE_ARM_BACK:
	case CHANGE_ACTIVATE_BACK:
	case CHANGE_ARM:
	case CHANGE_ACTIVATE:
		obey_port(b->s->ports[c->subject].info, payload, answer);
		break;
	case CHANGE_PHASE_COUNT:
		fail();
	}
}

void
bed_obey_all(struct bed *b, const struct changes *c)
{
	uint8_t buf[64], answer[64];

	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		for (uint32_t i = 0; i < c->phase[p].n; i++)
			bed_obey(b, (enum change_phase)p, &c->phase[p].v[i],
				diff_payload(b->o, &b->plan, (enum change_phase)p,
					&c->phase[p].v[i], buf), answer);
	for (uint32_t sw = 0; sw < b->s->nswitches; sw++) {
		struct fab_node *n = &b->s->nodes[b->s->switches[sw]];

		n->lft = fwd_row(&b->plan.fwd, sw);
		n->lft_blocks = 3;
	}
}

void
bed_look(const struct bed *b, struct changes *c)
{
	changes_clear(c);
	diff_make(b->o, &b->plan, c);
}

void
bed_settle(struct bed *b, struct changes *c)
{
	bed_look(b, c);
	bed_obey_all(b, c);
	bed_look(b, c);
	assert_int_equal(c->total, 0);
}

void
bed_assert_only(const struct changes *c, enum change_phase phase, uint32_t subject, uint32_t block)
{
	assert_int_equal(c->total, 1);
	assert_int_equal(c->phase[phase].n, 1);
	assert_int_equal(c->phase[phase].v[0].subject, subject);
	assert_int_equal(c->phase[phase].v[0].block, block);
}

struct port_info
bed_carries(const struct bed *b, enum change_phase phase, uint32_t port)
{
	uint8_t buf[CHANGE_BYTES];

	return port_info_decode(
		diff_payload(b->o, &b->plan, phase, &(struct change){ port, 0 }, buf));
}

struct diff_view
bed_view(const struct bed *b)
{
	return (struct diff_view){ .s = b->s, .observed = b->o, .plan = &b->plan };
}

bool
bed_took_effect(const struct bed *b, enum change_phase phase, struct change c, const uint8_t *sent,
	const uint8_t *data)
{
	const struct diff_view v = bed_view(b);

	return change_kinds[phase]->took_effect(change_kinds[phase], &v, &c, sent, data);
}

void
bed_observe(struct bed *b, enum change_phase phase, struct change c, struct change_answer answer)
{
	change_kinds[phase]->observe(b->o, &c, &answer);
}

void
bed_forget(struct bed *b, enum change_phase phase, struct change c)
{
	change_kinds[phase]->forget(b->o, &c);
}

uint32_t
bed_modifier(const struct bed *b, enum change_phase phase, struct change c, bool fallback)
{
	const struct diff_view v = bed_view(b);

	return change_kinds[phase]->modifier ? change_kinds[phase]->modifier(&v, &c, fallback) : 0;
}
