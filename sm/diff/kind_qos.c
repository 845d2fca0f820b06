/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * kind_qos.c - SLtoVL and VLArbitration tables that differ from the planned ones, or are unknown.
 * Room: sm/diff.  Pure.  The subject of a change is the port, its block the modifier (kind.h).
 *
 * A switch that accepts several tables in one request gets all pairs at once if all tables are
 * equal, otherwise all inputs of an output port at once.  (All outputs of an input at once would
 * only help if tables depended on the input alone.)  Where the tables of an output port depend on
 * the input, all inputs get the table that most of them need, and then the others get their own:
 * only while the link of the port is down, because between both steps the tables are wrong.
 * docs/qos.md, docs/wire.md: SLtoVLMapping, VLArbitration.
 *
 * Forwarding tables with a lane plan are safe only where SLs have the VLs of the plan, so its
 * tables are written first (LANES_WIDE: several at once, then LANES), and nothing else if a switch
 * does not take them.  A switch that refuses several at once gets them one by one.  Forwarding
 * tables without a lane plan are safe with any, so what is left of one is replaced after them
 * (QOS).
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/qos_walk.h"
#include "sm/diff/diff_int.h"
#include "util/xalloc.h"

#define OPTIMIZED_BIT 1                 /* of SwitchInfo.OptimizedSLtoVLMappingProgramming */
#define INPUTS_MAX 256

/* ---- which tables ---- */

/* With a lane plan, several tables are written at once wherever that is possible. */
static bool
is_optimized(const struct plan *plan, const struct fab_node *n)
{
	const struct qos_plan *q = &plan->qos;

	return (q->lanes || (q->optimized && !qos_plan_by_input(q))) && fab_is_switch(n) &&
		n->flags & FAB_NODE_SWITCH_INFO &&
		switch_info_decode(n->switch_info).optimized_slvl & OPTIMIZED_BIT;
}

static enum change_phase
tables_phase(const struct diff_view *v)
{
	return v->plan->qos.lanes ? CHANGE_LANES : CHANGE_QOS;
}

/* The phase of Sets that write several tables. */
static enum change_phase
wide_phase(const struct diff_view *v)
{
	return v->plan->qos.lanes ? CHANGE_LANES_WIDE : CHANGE_QOS;
}

static bool
table_differs(const struct diff_view *v, const struct qos_table *t)
{
	uint8_t want[VLARB_TABLE_BYTES], have[VLARB_TABLE_BYTES];

	if (!qos_plan_has(&v->plan->qos, t->port))
		return false;
	if (!qos_tables_get(v->observed->qos, v->s, t, have))
		return true;
	qos_plan_table(&v->plan->qos, v->s, t, want);
	return memcmp(want, have, t->block ? VLARB_TABLE_BYTES : SLVL_TABLE_BYTES) != 0;
}

/* The tables of one output port of a switch. */
struct column {
	uint8_t in[INPUTS_MAX];         /* the inputs from which packets may come */
	uint8_t image[INPUTS_MAX][SLVL_TABLE_BYTES];    /* wanted, by place in in[] */
	bool differs[INPUTS_MAX];
	unsigned n, ndiffer;
	unsigned most;                  /* the place of a table that most inputs need */
	unsigned nothers;               /* inputs that need another one */
};

static bool
is_image(const struct column *c, unsigned i, unsigned k)
{
	return memcmp(c->image[i], c->image[k], SLVL_TABLE_BYTES) == 0;
}

/* Finds the table that most inputs need, the first one among equals; there are few that differ. */
static void
find_most(struct column *c)
{
	unsigned most = 0, counted;

	for (unsigned i = 0; i < c->n && c->n - i > most; i++) {
		counted = 0;
		for (unsigned k = i; k < c->n; k++)
			counted += is_image(c, i, k);
		if (counted > most) {
			most = counted;
			c->most = i;
		}
	}
	c->nothers = c->n - most;
}

static void
fill_column(const struct diff_view *v, const struct qos_walk *walk, uint32_t out, struct column *c)
{
	const struct fab_node *n = &v->s->nodes[v->s->ports[out].node];

	c->n = c->ndiffer = c->most = 0;
	for (unsigned in = 0; in <= n->nports && in < INPUTS_MAX; in++) {
		struct qos_table t = { out, (uint8_t)in, 0 };

		if (!qos_walk_has(walk, &t) ||
			!qos_plan_table(&v->plan->qos, v->s, &t, c->image[c->n]))
			continue;
		c->differs[c->n] = table_differs(v, &t);
		c->ndiffer += c->differs[c->n];
		c->in[c->n++] = (uint8_t)in;
	}
	find_most(c);
}

/* Packets may leave by the port. */
static bool
is_up(const struct fab_port *p)
{
	return p->num == 0 || ATTR_GET(port_info, state, p->info) >= PORT_STATE_ARMED;
}

static void
add_inputs(const struct diff_view *v, uint32_t out, const struct column *c, unsigned i,
	struct changes *changes)
{
	diff_add(changes, wide_phase(v), out,
		CHANGE_QOS_ALL_INPUTS | (uint32_t)c->in[i] << 8 | v->s->ports[out].num);
}

static void
add_pair(const struct diff_view *v, uint32_t out, unsigned in, struct changes *changes)
{
	struct qos_table t = { out, (uint8_t)in, 0 };

	diff_add(changes, tables_phase(v), out, qos_table_modifier(v->s, &t));
}

/* Adds what differs of the tables of an output port, in as few requests as possible. */
static void
add_column(const struct diff_view *v, const struct qos_walk *walk, uint32_t out,
	struct changes *changes)
{
	struct column c;
	bool wide;

	fill_column(v, walk, out, &c);
	wide = !c.nothers ||
		(c.nothers + 1 < c.ndiffer && !is_up(&v->s->ports[out]));
	if (!c.ndiffer)
		return;
	if (wide)
		add_inputs(v, out, &c, c.most, changes);
	for (unsigned i = 0; i < c.n; i++)
		if (wide ? !is_image(&c, i, c.most) : c.differs[i])
			add_pair(v, out, c.in[i], changes);
}

/* Whether all tables of a switch are equal.  'some': an output port that has tables. */
static bool
all_equal(const struct diff_view *v, const struct qos_walk *walk, const struct fab_node *n,
	uint32_t *some)
{
	uint8_t first[SLVL_TABLE_BYTES], image[SLVL_TABLE_BYTES];

	*some = FAB_NONE;
	if (qos_plan_by_input(&v->plan->qos))
		return false;
	for (uint32_t p = n->first_port; p <= n->first_port + n->nports; p++) {
		struct qos_table t = { p, 0, 0 };

		if (!qos_walk_has(walk, &t))
			continue;
		if (!qos_plan_table(&v->plan->qos, v->s, &t, image))
			return false;
		if (*some != FAB_NONE && memcmp(first, image, sizeof(first)) != 0)
			return false;
		memcpy(first, image, sizeof(first));
		*some = p;
	}
	return *some != FAB_NONE;
}

/* Whether a table of the switch differs. */
static bool
any_differs(const struct diff_view *v, const struct qos_walk *walk, const struct fab_node *n)
{
	for (uint32_t p = n->first_port; p <= n->first_port + n->nports; p++)
		for (unsigned in = 0; qos_plan_has(&v->plan->qos, p) && in <= n->nports; in++) {
			struct qos_table t = { p, (uint8_t)in, 0 };

			if (qos_walk_has(walk, &t) && table_differs(v, &t))
				return true;
		}
	return false;
}

/* Adds the tables of a switch that differ, in as few requests as possible. */
static void
add_switch(const struct diff_view *v, const struct qos_walk *walk, const struct fab_node *n,
	struct changes *out)
{
	uint32_t some;

	if (!any_differs(v, walk, n))
		return;
	if (all_equal(v, walk, n, &some)) {
		diff_add(out, wide_phase(v), some, CHANGE_QOS_ALL_PAIRS);
		return;
	}
	for (uint32_t p = n->first_port; p <= n->first_port + n->nports; p++)
		if (qos_plan_has(&v->plan->qos, p))
			add_column(v, walk, p, out);
}

static void
find_tables(const struct diff_view *v, struct changes *out)
{
	const struct snapshot *s = v->s;
	struct qos_walk *walk = qos_walk_new(s);
	struct qos_table t;

	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		if (is_optimized(v->plan, diff_switch(s, sw)))
			qos_walk_skip_slvl(walk, s->switches[sw]);
	while (qos_walk_next(walk, &t))
		if (table_differs(v, &t))
			diff_add(out, tables_phase(v), t.port,
				(t.block ? CHANGE_QOS_VLARB : 0) | qos_table_modifier(s, &t));
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		if (is_optimized(v->plan, diff_switch(s, sw)))
			add_switch(v, walk, diff_switch(s, sw), out);
	qos_walk_free(walk);
}

static void
find_planned_tables(const struct diff_view *v, struct changes *out)
{
	if (v->plan->qos.on)
		find_tables(v, out);
}

bool
diff_qos_table(const struct snapshot *s, const struct change *c, uint32_t i, struct qos_table *t)
{
	const struct fab_node *n = &s->nodes[s->ports[c->subject].node];
	uint32_t ports = n->nports + 1u;

	*t = (struct qos_table){ .port = c->subject };
	if (c->block & CHANGE_QOS_VLARB) {
		t->block = (uint8_t)((c->block & ~CHANGE_QOS_VLARB) >> 16);
		return i == 0;
	}
	switch (c->block & CHANGE_QOS_ALL_PAIRS) {
	case CHANGE_QOS_ALL_PAIRS:
		t->port = n->first_port + i / ports;
		t->in = (uint8_t)(i % ports);
		return i < ports * ports;
	case CHANGE_QOS_ALL_INPUTS:
		t->in = (uint8_t)i;
		return i < ports;
	default:
		t->in = (uint8_t)(c->block >> 8);
		return i == 0;
	}
}

/* ---- what a Set carries ---- */

static uint16_t
table_attribute(const struct change *c)
{
	return c->block & CHANGE_QOS_VLARB ? VLARB_TABLE_ID : SLVL_TABLE_ID;
}

static uint32_t
table_modifier(const struct diff_view *v, const struct change *c, bool fallback)
{
	(void)v;
	(void)fallback;
	if ((c->block & (CHANGE_QOS_VLARB | CHANGE_QOS_ALL_PAIRS)) == CHANGE_QOS_ALL_INPUTS)
		return c->block & ~UINT32_C(0xff00);
	return c->block & ~CHANGE_QOS_VLARB;
}

static uint32_t
table_reported(const struct change *c, uint8_t port)
{
	(void)port;
	return table_modifier(NULL, c, false);
}

static const uint8_t *
table_payload(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	uint8_t buf[static CHANGE_BYTES])
{
	struct qos_table t = { .port = c->subject };

	(void)k;
	memset(buf, 0, CHANGE_BYTES);
	if (c->block & CHANGE_QOS_VLARB || !(c->block & CHANGE_QOS_ALL_PAIRS))
		diff_qos_table(v->s, c, 0, &t);
	else if ((c->block & CHANGE_QOS_ALL_PAIRS) == CHANGE_QOS_ALL_INPUTS)
		t.in = (uint8_t)(c->block >> 8);
	if (!qos_plan_table(&v->plan->qos, v->s, &t, buf))
		bug("diff: an SLtoVL or VLArbitration table for a port that has none");
	return buf;
}

/* ---- what an answer shows ---- */

/* Whether the tables show the wanted values, as far as the port implements them. */
static bool
table_took_effect(const struct change_kind *k, const struct diff_view *v, const struct change *c,
	const uint8_t *sent, const uint8_t *data)
{
	unsigned block = (c->block & ~CHANGE_QOS_VLARB) >> 16;
	uint8_t want[CHANGE_BYTES];

	(void)sent;
	table_payload(k, v, c, want);
	if (!(c->block & CHANGE_QOS_VLARB))
		return memcmp(data, want, SLVL_TABLE_BYTES) == 0;
	for (unsigned i = 0; i < qos_vlarb_entries(&v->s->ports[c->subject], block); i++)
		if ((data[2 * i] & 0x0f) != want[2 * i] || data[2 * i + 1] != want[2 * i + 1])
			return false;
	return true;
}

/* Records the contents of the tables that a change writes; NULL: unknown. */
static void
put_tables(struct observed *o, const struct change *c, const uint8_t *data)
{
	struct qos_table t;

	for (uint32_t i = 0; diff_qos_table(o->s, c, i, &t); i++)
		qos_tables_put(o->qos, o->s, &t, data);
}

static void
observe_tables(struct observed *o, const struct change *c, const struct change_answer *answer)
{
	put_tables(o, c, answer->data);
}

static void
forget_tables(struct observed *o, const struct change *c)
{
	put_tables(o, c, NULL);
}

/*
 * A switch did not take several tables at once: those that are to be what the Set carried, one by
 * one.  The others that it would have written are changes of their own.
 */
static void
add_singly(const struct diff_view *v, const struct change *c, struct changes *out)
{
	uint8_t sent[CHANGE_BYTES], want[SLVL_TABLE_BYTES];
	struct qos_table t;

	table_payload(&change_kind_lanes_wide, v, c, sent);
	for (uint32_t i = 0; diff_qos_table(v->s, c, i, &t); i++)
		if (qos_walk_would_have(v->s, &t) &&
			qos_plan_table(&v->plan->qos, v->s, &t, want) &&
			memcmp(want, sent, SLVL_TABLE_BYTES) == 0)
			add_pair(v, t.port, t.in, out);
}

/*
 * suppress_sl2vl_mad_status_errors: does not report a port that refuses an SLtoVL table or keeps
 * its own.
 */
static bool
table_is_quiet(const struct plan *plan, const struct change *c)
{
	return plan->qos.quiet && !(c->block & CHANGE_QOS_VLARB);
}

#define TABLE_KIND \
	.subject = CHANGE_OF_PORT, .attribute_of = table_attribute, .modifier = table_modifier, \
	.reported = table_reported, .payload = table_payload, .took_effect = table_took_effect, \
	.observe = observe_tables, .forget = forget_tables, .is_quiet = table_is_quiet

const struct change_kind change_kind_lanes_wide = {
	.name = "lanes_wide", TABLE_KIND, .stops = true, .instead = add_singly
};
const struct change_kind change_kind_lanes = { .name = "lanes", TABLE_KIND, .stops = true };
const struct change_kind change_kind_qos = {
	.name = "qos", TABLE_KIND, .find = find_planned_tables
};
