/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_read.c - reads the SLtoVL and VLArbitration tables that are not known.
 * Room: fabric/read.  Pure.  docs/wire.md: SLtoVLMapping, VLArbitration.
 *
 * The tables come from a walk, so no subject ever waits on the engine's stack.  A cookie is the
 * table: port index, input port, block.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/qos_read.h"
#include "fabric/read/reader.h"
#include "fabric/snapshot/qos_walk.h"
#include "util/xalloc.h"

#define OPTIMIZED_BIT 1                 /* of SwitchInfo.OptimizedSLtoVLMappingProgramming */

/* to a port of an adapter that does not share its node's route */
struct own_path {
	struct own_path *next;
	uint32_t port;
	struct reader_path by;
};

struct qos_reader {
	struct reader base;
	struct qos_tables *q;
	struct qos_read_conf conf;
	struct qos_walk *walk;
	struct own_path *paths;         /* the last one first */
	struct qos_table next;          /* to be requested, unless all were */
	bool all_out;
};

static bool
port_is_up(const struct fab_port *p)
{
	return p->num == 0 || ATTR_GET(port_info, state, p->info) >= PORT_STATE_ARMED;
}

static bool
table_wanted(const struct qos_reader *r, const struct qos_table *t)
{
	const struct fab_port *p = &r->base.s->ports[t->port];
	const struct fab_node *n = &r->base.s->nodes[p->node];
	uint8_t image[VLARB_TABLE_BYTES];

	if (!port_is_up(p))
		return false;
	if (fab_is_switch(n) && !t->block) {
		if (!port_is_up(&r->base.s->ports[n->first_port + t->in]))
			return false;
		if (r->conf.skip_optimized && n->flags & FAB_NODE_SWITCH_INFO &&
		    switch_info_decode(n->switch_info).optimized_slvl & OPTIMIZED_BIT)
			return false;
	}
	return !qos_tables_get(r->q, r->base.s, t, image);
}

/* Finds the next table to request. */
static void
find_next(struct qos_reader *r)
{
	do
		r->all_out = !qos_walk_next(r->walk, &r->next);
	while (!r->all_out && !table_wanted(r, &r->next));
}

struct qos_reader *
qos_reader_new(const struct snapshot *s, struct qos_tables *q, const struct qos_read_conf *c)
{
	struct qos_reader *r = xcalloc(1, sizeof(*r));

	reader_init(&r->base, "qos_read", s, &c->mkeys, 0);
	r->q = q;
	r->conf = *c;
	r->walk = qos_walk_new(s);
	find_next(r);
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
	reader_clear(&r->base);
	free(r);
}

/* Fills a request for a table of 'port', by the route of its node or, if it does not share that,
 * its own. */
static void
fill_request(struct qos_reader *r, uint32_t port, uint16_t attr_id, struct txn_req *q)
{
	const struct fab_port *p = &r->base.s->ports[port];
	const struct fab_node *n = &r->base.s->nodes[p->node];
	struct own_path *own;

	if (fab_is_switch(n) || p->num == n->entry_port) {
		reader_request(&r->base, q, port, attr_id, n->path, n->hop_count);
		return;
	}
	/* the tables of a port come one after the other */
	if (!r->paths || r->paths->port != port) {
		own = xcalloc(1, sizeof(*own));
		own->port = port;
		own->by.hops = snapshot_port_path(r->base.s, port, own->by.path);
		own->next = r->paths;
		r->paths = own;
	}
	reader_request(&r->base, q, port, attr_id, r->paths->by.path, r->paths->by.hops);
}

bool
qos_reader_next(struct qos_reader *r, struct txn_req *q)
{
	struct qos_table t = r->next;

	if (r->all_out)
		return false;
	fill_request(r, t.port, t.block ? VLARB_TABLE_ID : SLVL_TABLE_ID, q);
	q->cookie = (uint64_t)t.block << 40 | (uint64_t)t.in << 32 | t.port;
	q->modifier = qos_table_modifier(r->base.s, &t);
	find_next(r);
	return true;
}

void
qos_reader_end(struct qos_reader *r, const struct txn_end *e)
{
	struct qos_table t = { (uint32_t)e->cookie, (uint8_t)(e->cookie >> 32),
		(uint8_t)(e->cookie >> 40) };
	const uint8_t *image = reader_answer(&r->base, e);

	if (t.port >= r->base.s->nports || t.block > QOS_VLARB_BLOCKS)
		bug("qos_read: an end without a request");
	if (image)
		qos_tables_put(r->q, r->base.s, &t, image);
}

bool
qos_reader_done(const struct qos_reader *r)
{
	return r->all_out && reader_done(&r->base);
}
