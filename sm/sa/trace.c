/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * trace.c - GetTraceTable: the nodes that a packet passes on a path, in order.
 * Room: sm/sa.  Pure.  docs/sa.md: traces; docs/wire.md: subnet administration.
 *
 * The request is a PathRecord query with both ends named.  Of the matching paths the first is
 * walked: the one that a Get of the PathRecord returns.  If the tables lead a packet nowhere, or in
 * a loop, there is no path and no trace.
 */
#include <config.h>
#include "fabric/snapshot/walk.h"
#include "libmad/wire/gid.h"
#include "sm/sa/path.h"

/* Component IDs in a trace are GUIDs, and a GUID is never reused for another node: there is one
 * ID generation. */
enum { ID_GENERATION = 0 };

/* The path that was asked for: taken out here, and never made a row. */
static bool
on_path(struct sa_path_query *q, uint32_t src, const struct path_record *row)
{
	struct path_record *found = q->arg;

	(void)src;
	*found = *row;
	return false;
}

/* The first path between the ends; false: none, or a limit was hit. */
static bool
first_path(struct sa_path_query *q, struct path_record *found)
{
	unsigned n = sa_path_pairs(q, q->src.port, q->dst.port);
	bool made;

	found->dlid = 0;
	q->accept = on_path;
	q->arg = found;
	for (unsigned k = 0; k < n && !found->dlid; k++)
		if (!sa_path_put(q, q->src.port, q->dst.port, k, &made))
			break;
	return found->dlid != 0;
}

static void
put_visit(struct sa_ctx *c, const struct fab_node *n, uint32_t entry, uint32_t exit)
{
	const struct snapshot *s = c->x->v.s;
	uint8_t w[TRACE_RECORD_BYTES] = { 0 };
	struct trace_record r = {
		.gid_prefix = c->x->v.gid_prefix,
		.id_generation = ID_GENERATION,
		.node_type = n->type,
		.node_id = n->guid,
		.chassis_id = n->sys_guid,
	};

	if (entry != FAB_NONE) {
		r.entry_port_id = s->ports[entry].guid;
		r.entry_port = s->ports[entry].num;
	}
	if (exit != FAB_NONE) {
		r.exit_port_id = s->ports[exit].guid;
		r.exit_port = s->ports[exit].num;
	}
	trace_record_encode(w, &r);
	sa_put_row(c, w, sizeof(w));
}

/* A packet begins and ends at a port of an adapter.  At a switch it has an entry and an exit
 * port, port 0 if it begins or ends there. */
static void
put_visits(struct sa_ctx *c, uint32_t src, uint32_t dst, const struct walk *w)
{
	const struct snapshot *s = c->x->v.s;

	for (unsigned i = 0; i <= w->nhops; i++) {
		const struct fab_node *n = &s->nodes[s->ports[i ? w->in[i - 1] : src].node];
		bool through = fab_is_switch(n) || !w->nhops;

		put_visit(c, n, i ? w->in[i - 1] : through ? src : FAB_NONE,
			i < w->nhops ? w->out[i] : through ? dst : FAB_NONE);
	}
}

/* Both ends must name one port each, and no group. */
static uint16_t
check_request(const struct sa_path_query *q)
{
	bool src = q->mask & (PATH_COMP(sgid) | PATH_COMP(slid)),
	     dst = q->mask & (PATH_COMP(dgid) | PATH_COMP(dlid));

	if (!src || !dst)
		return STATUS_SA_COMPONENTS;
	if ((q->mask & PATH_COMP(dgid) && gid_is_multicast(q->want->dgid)) ||
	    (q->mask & PATH_COMP(dlid) && q->want->dlid > LID_UCAST_MAX))
		return STATUS_SA_INVALID;
	return sa_path_check(q);
}

uint16_t
sa_trace(struct sa_ctx *c)
{
	const struct path_record want = path_record_decode(c->templ);
	struct sa_path_query q = { .c = c, .mask = c->mask, .want = &want, .num_path = 1 };
	const struct sa_view *v = &c->x->v;
	struct path_record path;
	struct walk w;
	uint16_t status = check_request(&q);

	if (status == STATUS_OK)
		status = sa_path_ends(&q);
	if (status != STATUS_OK)
		return status;
	if (!sa_visible(c, q.src.port) || !sa_visible(c, q.dst.port) || !sa_path_possible(&q) ||
	    !first_path(&q, &path))
		return STATUS_SA_NO_RECORDS;
	walk_lid(v->s, v->lids, v->fwd, q.src.port, path.dlid, &w);
	if (w.end != WALK_ARRIVED)
		return STATUS_SA_NO_RECORDS;
	put_visits(c, q.src.port, q.dst.port, &w);
	c->head.attr_id = TRACE_RECORD_ID;
	return STATUS_OK;
}
