/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_queue.c - queues of requests, remarks, and the requests that a node needs.
 * Room: fabric/discover.  Pure.
 * In: requests and remarks of the other files of discovery.  Out: jobs, which discover.c turns into
 * requests.
 *
 * This is the lowest file of discovery: it calls none of the others.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"
#include "util/grow.h"
#include "util/xalloc.h"

static void
jobs_push(struct jobs *q, struct job j)
{
	if (q->len == q->cap) {
		uint32_t cap = q->cap ? q->cap * 2 : 256;
		struct job *ring = xreallocarray(NULL, cap, sizeof(*ring));

		for (uint32_t i = 0; i < q->len; i++)
			ring[i] = q->ring[(q->head + i) & (q->cap - 1)];
		free(q->ring);
		*q = (struct jobs){ ring, cap, 0, q->len };
	}
	q->ring[(q->head + q->len++) & (q->cap - 1)] = j;
}

/* Returns the distance from the own port at which the look of 'j' is sent. */
static unsigned
look_level(const struct discover *d, const struct job *j)
{
	uint32_t node = j->ask == ASK_AGAIN ? d->looks[j->node]->at.node : j->node;

	return node == NO_NODE ? 0 : found_at(d, node)->route->hops;
}

void
discover_push(struct discover *d, struct job j)
{
	if (j.ask == ASK_LOOK || j.ask == ASK_AGAIN) {
		jobs_push(&d->levels[look_level(d, &j)].to_look, j);
		d->nlooks_to_go++;
	} else {
		jobs_push(&d->to_ask, j);
	}
}

/* ---- remarks ---- */

struct remark *
discover_remark(struct discover *d, enum fab_problem_kind kind, enum reason why)
{
	struct remark *r;

	GROW(d->remarks, d->nremarks, d->remarks_cap, 16);
	r = &d->remarks[d->nremarks++];
	memset(r, 0, sizeof(*r));
	r->at = r->other = PLACE_NONE;
	r->kind = (uint8_t)kind;
	r->why = (uint8_t)why;
	return r;
}

struct remark *
discover_remark_end(struct discover *d, const struct txn_end *e)
{
	enum fab_problem_kind kind = FAB_UNANSWERED;
	enum reason why = WHY_NO_ANSWER;
	struct remark *r;

	switch (e->kind) {
	case TXN_END_OK:
		kind = FAB_BAD_REPLY;
		break;
	case TXN_END_STATUS:
		kind = FAB_BAD_STATUS;
		why = WHY_STATUS;
		break;
	case TXN_END_TIMED_OUT:
		if (e->mismatched) {
			kind = FAB_BAD_REPLY;
			why = WHY_MISMATCH;
		}
		break;
	case TXN_END_SKIPPED:
		break;
	case TXN_END_SEND_FAILED:
		why = WHY_NOT_SENT;
		break;
	case TXN_END_CANCELLED:
		why = WHY_CANCELLED;
		break;
	}
	r = discover_remark(d, kind, why);
	r->attr_id = e->attr_id;
	r->modifier = e->attr_id == PORT_INFO_ID ? e->modifier & ~PORT_INFO_EXTENDED_SPEEDS :
		e->modifier;
	r->status = e->kind == TXN_END_STATUS ? e->status : 0;
	r->value = why == WHY_MISMATCH ? e->mismatched : 0;
	return r;
}

/* ---- targets ---- */

uint32_t
discover_target(struct discover *d)
{
	return d->nfree_targets ? d->free_targets[--d->nfree_targets] : d->next_target++;
}

void
discover_target_put(struct discover *d, uint32_t target)
{
	GROW(d->free_targets, d->nfree_targets, d->free_targets_cap, 64);
	d->free_targets[d->nfree_targets++] = target;
}

/* ---- which requests a node needs ---- */

void
discover_recall_extended(struct discover *d, struct found *n)
{
	if (d->conf.known_extended)
		n->extended = (uint8_t)d->conf.known_extended(d->conf.arg, n->guid);
	if (n->extended == DISCOVER_EXTENDED_REFUSED)
		n->flags |= FAB_NODE_NOT_EXTENDED;
}

void
discover_ask_node(struct discover *d, uint32_t node)
{
	struct found *n = found_at(d, node);

	discover_recall_extended(d, n);
	if (n->type == NODE_TYPE_SWITCH) {
		n->ports_wait = d->conf.want_ports && n->extended == DISCOVER_EXTENDED_UNKNOWN;
		discover_push(d, (struct job){ node, d->conf.want_ports ? 0 : 1, n->ports_wait ? 0 :
			n->nports, ASK_PORT });
		discover_push(d, (struct job){ node, 0, 0, ASK_SWITCH });
		if (d->conf.want_pkeys && node_info_decode(n->node_info).partition_cap)
			discover_push(d, (struct job){ node, 0, 0, ASK_PKEYS });
	}
	if (d->conf.want_desc)
		discover_push(d, (struct job){ node, 0, 0, ASK_DESC });
}

void
discover_ask_end(struct discover *d, uint32_t node, uint8_t port)
{
	/* The PortInfo of the own port shows whether it has a link. */
	if (d->conf.want_ports || node == 0)
		discover_push(d, (struct job){ node, port, port, ASK_PORT });
	if (d->conf.want_pkeys && node_info_decode(found_at(d, node)->node_info).partition_cap)
		discover_push(d, (struct job){ node, port, port, ASK_PKEYS });
}

/* What of switch 'n' went unanswered: its ports, and who is behind them. */
static void
ask_ports_again(struct discover *d, struct found *n)
{
	for (unsigned p = 0; p <= n->nports; p++) {
		struct found_port *fp = &n->ports[p];

		if (fp->flags & FAB_PORT_FAILED && !(fp->flags & FAB_PORT_INFO))
			discover_push(d, (struct job){ n->index, (uint16_t)p, (uint16_t)p,
				ASK_PORT });
		if (fp->looks && place_none(fp->peer))
			discover_push(d, (struct job){ n->index, (uint16_t)p, 1, ASK_LOOK });
		fp->flags &= (uint8_t)~FAB_PORT_FAILED;
	}
	if (!(n->flags & FAB_NODE_SWITCH_INFO))
		discover_push(d, (struct job){ n->index, 0, 0, ASK_SWITCH });
	if (d->conf.want_pkeys && !(n->ports[0].flags & FAB_PORT_PKEYS) &&
	    node_info_decode(n->node_info).partition_cap)
		discover_push(d, (struct job){ n->index, 0, 0, ASK_PKEYS });
}

void
discover_ask_again(struct discover *d, uint32_t node)
{
	struct found *n = found_at(d, node);

	if (n->type == NODE_TYPE_SWITCH)
		ask_ports_again(d, n);
	if (!(n->flags & FAB_NODE_FAILED))
		return;
	n->flags &= (uint8_t)~FAB_NODE_FAILED;
	for (unsigned p = 1; p <= n->nports && n->type != NODE_TYPE_SWITCH; p++)
		if (n->ports[p].flags & FAB_PORT_FAILED) {
			n->ports[p].flags &= (uint8_t)~FAB_PORT_FAILED;
			discover_ask_end(d, node, (uint8_t)p);
		}
	if (d->conf.want_desc && !(n->flags & FAB_NODE_DESC))
		discover_push(d, (struct job){ node, 0, 0, ASK_DESC });
}
