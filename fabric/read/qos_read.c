/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_read.c - reads the SLtoVL and VLArbitration tables that are not known.
 * Room: fabric/read.  Pure.  docs/wire.md: SLtoVLMapping, VLArbitration.
 *
 * A cookie is the table: port index, input port, block.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/qos_read.h"
#include "fabric/snapshot/qos_walk.h"
#include "util/xalloc.h"

#define STATE_ARMED 3
#define OPTIMIZED_BIT 1                 /* of SwitchInfo.OptimizedSLtoVLMappingProgramming */

struct own_path {                       /* to a port of an adapter that does not share its node's route */
	struct own_path *next;
	uint32_t port;
	uint8_t hops;
	uint8_t path[DGRAM_PATH_BYTES];
};

struct qos_reader {
	const struct snapshot *s;
	struct qos_tables *q;
	struct qos_read_conf conf;
	struct mkeys_last last_key;
	struct qos_walk *walk;
	struct own_path *paths;         /* the last one first */
	struct qos_table next;          /* the next question, unless all are out */
	uint64_t open;
	bool all_out;
};

static bool
is_up(const struct fab_port *p)
{
	return p->num == 0 || wire_bits_get(p->info, port_info_at_state, 4) >= STATE_ARMED;
}

static bool
wanted(const struct qos_reader *r, const struct qos_table *t)
{
	const struct fab_port *p = &r->s->ports[t->port];
	const struct fab_node *n = &r->s->nodes[p->node];
	uint8_t image[VLARB_TABLE_BYTES];

	if (!is_up(p))
		return false;
	if (fab_is_switch(n) && !t->block) {
		if (!is_up(&r->s->ports[n->first_port + t->in]))
			return false;
		if (r->conf.skip_optimized && n->flags & FAB_NODE_SWITCH_INFO &&
		    switch_info_decode(n->switch_info).optimized_slvl & OPTIMIZED_BIT)
			return false;
	}
	return !qos_tables_get(r->q, r->s, t, image);
}

/* Finds the next question. */
static void
look_on(struct qos_reader *r)
{
	do
		r->all_out = !qos_walk_next(r->walk, &r->next);
	while (!r->all_out && !wanted(r, &r->next));
}

struct qos_reader *
qos_reader_new(const struct snapshot *s, struct qos_tables *q, const struct qos_read_conf *c)
{
	struct qos_reader *r = xcalloc(1, sizeof(*r));

	r->s = s;
	r->q = q;
	r->conf = *c;
	r->walk = qos_walk_new(s);
	look_on(r);
	return r;
}

void
qos_reader_free(struct qos_reader *r)
{
	if (!r)
		return;
	while (r->paths) {
		struct own_path *p = r->paths;

		r->paths = p->next;
		free(p);
	}
	qos_walk_free(r->walk);
	free(r);
}

static void
set_path(struct qos_reader *r, uint32_t port, struct txn_req *q)
{
	const struct fab_port *p = &r->s->ports[port];
	const struct fab_node *n = &r->s->nodes[p->node];
	struct own_path *own;

	q->path = n->path;
	q->hop_count = n->hop_count;
	if (fab_is_switch(n) || p->num == n->entry_port)
		return;
	if (!r->paths || r->paths->port != port) {      /* the tables of a port come one after the other */
		own = xcalloc(1, sizeof(*own));
		own->port = port;
		own->hops = snapshot_port_path(r->s, port, own->path);
		own->next = r->paths;
		r->paths = own;
	}
	q->path = r->paths->path;
	q->hop_count = r->paths->hops;
}

bool
qos_reader_next(struct qos_reader *r, struct txn_req *q)
{
	struct qos_table t = r->next;

	if (r->all_out)
		return false;
	memset(q, 0, sizeof(*q));
	q->target = r->s->ports[t.port].node;
	q->cookie = (uint64_t)t.block << 40 | (uint64_t)t.in << 32 | t.port;
	q->mgmt_class = CLASS_SM_DR;
	q->method = METHOD_GET;
	q->mkey = mkeys_of_again(&r->conf.mkeys, &r->last_key, r->s->ports[mkeys_end_port(r->s, t.port)].guid);
	q->attr_id = t.block ? VLARB_TABLE_ID : SLVL_TABLE_ID;
	q->modifier = qos_table_modifier(r->s, &t);
	set_path(r, t.port, q);
	r->open++;
	look_on(r);
	return true;
}

void
qos_reader_end(struct qos_reader *r, const struct txn_end *e)
{
	struct qos_table t = { (uint32_t)e->cookie, (uint8_t)(e->cookie >> 32), (uint8_t)(e->cookie >> 40) };

	if (!r->open || t.port >= r->s->nports || t.block > QOS_VLARB_BLOCKS)
		bug("qos_read: an end without a question");
	r->open--;
	if (e->kind == TXN_END_OK)
		qos_tables_put(r->q, r->s, &t, e->reply->mad + 64);
}

bool
qos_reader_done(const struct qos_reader *r)
{
	return r->all_out && !r->open;
}
