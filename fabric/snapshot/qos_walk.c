/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_walk.c - iterates over the SLtoVL and VLArbitration tables of a subnet.
 * Room: fabric/snapshot.  Pure.
 *
 * First the ports of adapters and routers, then switches by stripes: all switches of a stripe for
 * one pair of ports, then the next pair, so that requests in this order are spread over all
 * switches.
 */
#include <config.h>
#include <stdlib.h>
#include "fabric/snapshot/qos_walk.h"
#include "util/xalloc.h"

#define STRIPE 64u
#define CAP_SL_MAPPING (UINT32_C(1) << 6)
/* in has[]: packets may come in here; below: bit n: table n */
#define INPUT (1u << (QOS_VLARB_BLOCKS + 1))
#define ROWS 256u                       /* of a stripe: input ports, then blocks */

struct qos_walk {
	const struct snapshot *s;
	/* by port index: INPUT, and a bit for SLtoVL (0) and each block */
	uint8_t *has;
	uint8_t *skips;                 /* by node: its SLtoVL tables are left out */
	uint32_t port;                  /* of end ports: the next */
	unsigned table;
	uint32_t stripe, sw;            /* of switches: the next */
	unsigned row, out;
	unsigned widest;                /* ports of the largest switch of the stripe */
	bool begun;                     /* the stripe */
};

static bool
was_read(const struct fab_port *p)
{
	return p->flags & FAB_PORT_INFO && !(p->flags & FAB_PORT_FAILED);
}

static uint8_t
tables_of(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_node *n = &s->nodes[p->node];
	const struct fab_port *end = fab_is_switch(n) ? &s->ports[n->first_port] : p;
	uint8_t has = 0;

	if (was_read(end) && ATTR_GET(port_info, capability_mask, end->info) & CAP_SL_MAPPING)
		has |= 1;
	for (unsigned b = 1; b <= QOS_VLARB_BLOCKS; b++)
		if (qos_vlarb_entries(p, b))
			has |= (uint8_t)(1u << b);
	return has;
}

static uint8_t
port_has(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_node *n = &s->nodes[p->node];

	if (n->flags & FAB_NODE_CUT || !was_read(p))
		return 0;
	if (p->num)
		return p->peer != FAB_NONE && was_read(&s->ports[p->peer]) ?
			(uint8_t)(INPUT | tables_of(s, p)) : 0;
	if (!fab_is_switch(n))
		return 0;
	if (!(n->flags & FAB_NODE_SWITCH_INFO) ||
	    !switch_info_decode(n->switch_info).enhanced_port0)
		return INPUT;
	return (uint8_t)(INPUT | tables_of(s, p));
}

static void
begin_stripe(struct qos_walk *w)
{
	const struct snapshot *s = w->s;

	w->begun = false;
	w->sw = w->stripe;
	w->row = w->out = w->widest = 0;
	for (uint32_t i = w->stripe; i < s->nswitches && i < w->stripe + STRIPE; i++)
		if (s->nodes[s->switches[i]].nports > w->widest)
			w->widest = s->nodes[s->switches[i]].nports;
}

struct qos_walk *
qos_walk_new(const struct snapshot *s)
{
	struct qos_walk *w = xcalloc(1, sizeof(*w));

	w->s = s;
	w->has = xcalloc(s->nports + 1u, 1);
	w->skips = xcalloc(s->nnodes + 1u, 1);
	for (uint32_t p = 0; p < s->nports; p++)
		w->has[p] = port_has(s, &s->ports[p]);
	begin_stripe(w);
	return w;
}

void
qos_walk_free(struct qos_walk *w)
{
	if (!w)
		return;
	free(w->has);
	free(w->skips);
	free(w);
}

bool
qos_walk_has(const struct qos_walk *w, const struct qos_table *t)
{
	const struct fab_node *n = &w->s->nodes[w->s->ports[t->port].node];

	if (!(w->has[t->port] >> t->block & 1))
		return false;
	return t->block || !fab_is_switch(n) || (t->in <= n->nports &&
		w->has[n->first_port + t->in] & INPUT);
}

void
qos_walk_skip_slvl(struct qos_walk *w, uint32_t node)
{
	w->skips[node] = 1;
}

bool
qos_walk_would_have(const struct snapshot *s, const struct qos_table *t)
{
	const struct fab_node *n = &s->nodes[s->ports[t->port].node];

	if (!(port_has(s, &s->ports[t->port]) >> t->block & 1))
		return false;
	return t->block || !fab_is_switch(n) || (t->in <= n->nports &&
		port_has(s, &s->ports[n->first_port + t->in]) & INPUT);
}

/* The next of end ports; false: no more. */
static bool
next_end(struct qos_walk *w, struct qos_table *t)
{
	for (; w->port < w->s->nports; w->port++, w->table = 0) {
		if (!(w->has[w->port] & ~INPUT) ||
		    fab_is_switch(&w->s->nodes[w->s->ports[w->port].node]))
			continue;
		while (w->table <= QOS_VLARB_BLOCKS) {
			*t = (struct qos_table){ w->port, 0, (uint8_t)w->table++ };
			if (qos_walk_has(w, t) &&
				(t->block || !w->skips[w->s->ports[w->port].node]))
				return true;
		}
	}
	return false;
}

/* Moves on to the next place of the stripe, or to the next stripe. */
static void
walk_step(struct qos_walk *w)
{
	if (++w->sw < w->s->nswitches && w->sw < w->stripe + STRIPE)
		return;
	w->sw = w->stripe;
	if (w->out++ < w->widest)
		return;
	w->out = 0;
	if (w->row++ == w->widest)
		w->row = ROWS;                  /* blocks follow the inputs */
	if (w->row < ROWS + QOS_VLARB_BLOCKS)
		return;
	w->stripe += STRIPE;
	begin_stripe(w);
}

/* Goes on to the blocks at once if the SLtoVL tables of all switches of the stripe are skipped. */
static void
skip_inputs(struct qos_walk *w)
{
	uint32_t i = w->stripe;

	w->begun = true;
	while (i < w->s->nswitches && i < w->stripe + STRIPE && w->skips[w->s->switches[i]])
		i++;
	if (i == w->s->nswitches || i == w->stripe + STRIPE)
		w->row = ROWS;
}

bool
qos_walk_next(struct qos_walk *w, struct qos_table *t)
{
	if (next_end(w, t))
		return true;
	while (w->stripe < w->s->nswitches) {
		const struct fab_node *n = &w->s->nodes[w->s->switches[w->sw]];
		unsigned row, out;
		bool block;

		if (!w->begun)
			skip_inputs(w);
		row = w->row;
		out = w->out;
		block = row >= ROWS;
		walk_step(w);
		if (out > n->nports || (!block && w->skips[n - w->s->nodes]))
			continue;
		*t = (struct qos_table){ n->first_port + out, (uint8_t)(block ? 0 : row),
			(uint8_t)(block ? row - ROWS + 1 : 0) };
		if (qos_walk_has(w, t))
			return true;
	}
	return false;
}
