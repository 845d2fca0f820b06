/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_seal.c - makes the finished snapshot and the text of problems.
 * Room: fabric/discover.  Pure.
 * In: what discovery found, in order of arrival.  Out: a snapshot that does not depend on that
 * order.
 *
 * Nodes are sorted by GUID, paths are computed over the finished graph, problems are sorted, and
 * failed requests of one kind to one node count as one problem.  Nodes that are no
 * longer connected at the end (a cable was pulled during the sweep) are left out and reported.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"
#include "util/xalloc.h"

#define PORT_INFO_LOCAL_PORT_BIT 224    /* of a switch: the port that received the request */

static const char *const reason_texts[] = {
#define REASON_TEXT(name, text) [WHY_##name] = text,
	REASONS(REASON_TEXT)
};

static const char *const mismatch_texts[] = {
#define MISMATCH_TEXT(name, text) [TXN_MISMATCH_##name] = text,
	TXN_MISMATCHES(MISMATCH_TEXT)
};

/* ---- nodes ---- */

/* Which nodes the SM's port is connected with, by at most 63 hops; returns their number. */
static uint32_t
find_connected(const struct discover *d, uint32_t *rank)
{
	uint32_t *queue = xcalloc(d->nnodes, sizeof(*queue));
	uint8_t *hops = xcalloc(d->nnodes, 1);
	uint32_t end = 1;

	memset(rank, 0xff, d->nnodes * sizeof(*rank));
	rank[0] = 0;
	for (uint32_t at = 0; at < end; at++) {
		const struct found *n = found_at(d, queue[at]);

		for (unsigned p = 1; p <= n->nports && hops[queue[at]] < DGRAM_HOPS_MAX; p++) {
			struct place here = { queue[at], (uint8_t)p };
			uint32_t to = n->ports[p].peer.node;

			if (to == NO_NODE || rank[to] != FAB_NONE || !discover_forwards(d, here))
				continue;
			rank[to] = 0;
			hops[to] = (uint8_t)(hops[queue[at]] + 1);
			queue[end++] = to;
		}
	}
	free(queue);
	free(hops);
	return end;
}

static int
found_cmp(const void *a, const void *b)
{
	const struct found *x = *(struct found *const *)a, *y = *(struct found *const *)b;

	return x->guid < y->guid ? -1 : x->guid > y->guid;
}

void
discover_seal_sort(struct found **v, uint32_t n)
{
	if (n)
		qsort(v, n, sizeof(struct found *), found_cmp);
}

void
discover_seal_gone(struct discover *d, const struct found *n)
{
	struct remark *r;

	if (n->left_out || n->flags & FAB_NODE_KEPT)
		return;
	r = discover_remark(d, FAB_MOVED_CABLE, WHY_GONE);
	r->at = (struct place){ n->index, n->entry };
	r->guid = n->guid;
	r->attr_id = NODE_INFO_ID;
}

/* The connected nodes by GUID (the caller frees), and in 'rank' where each of d->nodes[] went. */
static struct found **
sort_nodes(struct discover *d, uint32_t *rank, uint32_t *count)
{
	struct found **order = xcalloc(d->nnodes, sizeof(*order));
	uint32_t n = 0;

	find_connected(d, rank);
	for (uint32_t i = 0; i < d->nnodes; i++) {
		if (rank[i] != FAB_NONE)
			order[n++] = found_at(d, i);
		else
			discover_seal_gone(d, found_at(d, i));
	}
	discover_seal_sort(order, n);
	for (uint32_t i = 0; i < n; i++)
		rank[order[i]->index] = i;
	*count = n;
	return order;
}

void
discover_seal_lft(const struct discover *d, struct snapshot *s, struct fab_node *n,
	const uint8_t *lft, uint32_t blocks, bool own)
{
	n->lft_blocks = blocks;
	n->lft = lft;
	if (!own && !d->conf.cached_rows)               /* the caller's memory */
		n->lft = memcpy(arena_array(&s->arena, blocks, LFT_BLOCK_BYTES), lft,
			(size_t)blocks * LFT_BLOCK_BYTES);
}

void
discover_seal_node(
	const struct discover *d, struct snapshot *s, struct fab_node *n, const struct found *f)
{
	n->guid = f->guid;
	n->sys_guid = node_info_decode(f->node_info).sys_guid;
	n->first_port = s->nports;
	n->type = f->type;
	n->nports = f->nports;
	n->flags = f->flags;
	memcpy(n->node_info, f->node_info, NODE_INFO_BYTES);
	memcpy(n->desc, f->desc, NODE_DESC_BYTES);
	memcpy(n->switch_info, f->switch_info, SWITCH_INFO_BYTES);
	s->nports += f->nports + 1u;
	if (f->flags & FAB_NODE_LFT)
		discover_seal_lft(d, s, n, f->lft, f->lft_blocks, f->lft_read != NULL);
}

void
discover_seal_pkeys(struct snapshot *s, struct fab_port *p, const uint8_t *image)
{
	p->pkeys = FAB_NONE;
	if (!image)
		return;
	p->pkeys = s->npkey_blocks++;
	memcpy(s->pkey_blocks[p->pkeys], image, PKEY_TABLE_BYTES);
}

void
discover_seal_ports(
	struct snapshot *s, uint32_t node, const struct found *f, const uint32_t *rank)
{
	for (unsigned num = 0; num <= f->nports; num++) {
		const struct found_end *end = &f->ends[f->type == NODE_TYPE_SWITCH ? 0 : num];
		const struct found_port *fp = &f->ports[num];
		struct fab_port *p = &s->ports[s->nodes[node].first_port + num];

		p->node = node;
		p->num = (uint8_t)num;
		p->flags = fp->flags;
		p->guid = end->guid;
		memcpy(p->info, fp->info, PORT_INFO_BYTES);
		p->peer = FAB_NONE;
		if (!place_none(fp->peer) && rank[fp->peer.node] != FAB_NONE)
			p->peer = s->nodes[rank[fp->peer.node]].first_port + fp->peer.port;
		discover_seal_pkeys(s, p, f->type == NODE_TYPE_SWITCH && num ? NULL : end->pkeys);
	}
}

void
discover_seal_local_port(uint8_t *info, uint8_t port)
{
	wire_bits_put(info, PORT_INFO_LOCAL_PORT_BIT, 8, port);
}

void
discover_seal_entry(struct snapshot *s, struct fab_node *n)
{
	struct node_info info = node_info_decode(n->node_info);

	info.local_port = n->entry_port;
	info.port_guid = s->ports[n->first_port + n->entry_port].guid;
	node_info_encode(n->node_info, &info);
	if (!fab_is_switch(n))
		return;
	for (unsigned p = 0; p <= n->nports; p++)
		if (s->ports[n->first_port + p].flags & FAB_PORT_INFO)
			discover_seal_local_port(s->ports[n->first_port + p].info, n->entry_port);
}

/* Paths begin where the sweep did: as routes from our port they have more in front. */
static void
prefix_path(const struct discover *d, struct fab_node *n)
{
	unsigned more = d->conf.from_hops;

	if (!more || n->hop_count == FAB_NO_PATH || n->hop_count + more > DGRAM_HOPS_MAX)
		return;
	memmove(n->path + 1 + more, n->path + 1, n->hop_count);
	memcpy(n->path, d->conf.from, more + 1u);
	n->hop_count = (uint8_t)(n->hop_count + more);
}

static void
fill_snapshot(struct discover *d, struct snapshot *s, const uint32_t *rank, struct found **order)
{
	uint32_t ports = 0, blocks = 0;

	for (uint32_t i = 0; i < s->nnodes; i++) {
		ports += order[i]->nports + 1u;
		for (unsigned p = 0; p <= order[i]->nports; p++)
			blocks += (order[i]->ports[p].flags & FAB_PORT_PKEYS) != 0;
	}
	s->nodes = arena_array(&s->arena, s->nnodes, sizeof(*s->nodes));
	s->ports = arena_array(&s->arena, ports, sizeof(*s->ports));
	s->pkey_blocks = arena_array(&s->arena, blocks, sizeof(*s->pkey_blocks));
	for (uint32_t i = 0; i < s->nnodes; i++)
		discover_seal_node(d, s, &s->nodes[i], order[i]);
	for (uint32_t i = 0; i < s->nnodes; i++)
		discover_seal_ports(s, i, order[i], rank);
	/* The route to a switch ends at its port 0, by whichever it was entered. */
	s->sm_port = s->nodes[rank[0]].first_port + (d->conf.from_hops &&
		found_at(d, 0)->type == NODE_TYPE_SWITCH ? 0 : found_at(d, 0)->entry);
	snapshot_seal(s);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		discover_seal_entry(s, &s->nodes[i]);
		prefix_path(d, &s->nodes[i]);
	}
}

/* ---- problems ---- */

struct telling {                        /* what the words are made from */
	const struct discover *d;
	const struct snapshot *s;
	const uint32_t *rank;
};

static uint8_t
path_copy(const struct fab_node *n, uint8_t *path)
{
	memcpy(path, n->path, DGRAM_PATH_BYTES);
	return n->hop_count;
}

/* The path through port 'p' to what is behind it; returns its hops. */
static uint8_t
path_behind(const struct telling *t, struct place p, uint8_t *path)
{
	uint8_t hops;

	if (place_none(p)) {                    /* where the sweep began */
		memcpy(path, t->d->conf.from, t->d->conf.from_hops + 1u);
		return t->d->conf.from_hops;
	}
	if (t->rank[p.node] == FAB_NONE)
		return FAB_NO_PATH;
	hops = path_copy(&t->s->nodes[t->rank[p.node]], path);
	if (hops >= DGRAM_HOPS_MAX)
		return hops;                    /* the last node that can be reached */
	path[hops + 1] = p.port;
	return (uint8_t)(hops + 1);
}

/* The path to 'p' itself: to a port of a host by its own cable. */
static uint8_t
path_to(const struct telling *t, struct place p, uint8_t *path)
{
	const struct found *n = found_at(t->d, p.node);
	struct place peer = n->ports[p.port].peer;

	if (n->type != NODE_TYPE_SWITCH && !place_none(peer) && discover_forwards(t->d, peer) &&
	    p.node)
		return path_behind(t, peer, path);
	return t->rank[p.node] == FAB_NONE ? FAB_NO_PATH : path_copy(&t->s->nodes[t->rank[p.node]],
		path);
}

static void
mismatches_text(uint32_t bits, char *buf, size_t len)
{
	size_t used = 0;

	buf[0] = '\0';
	for (unsigned i = 0; i < TXN_MISMATCH_KINDS && used < len; i++)
		if (bits >> i & 1)
			used += (size_t)snprintf(buf + used, len - used, "%s%s", used ? ", " : "",
				mismatch_texts[i]);
}

static void
reason_text(const struct remark *r, struct fab_problem *f)
{
	const char *attr = dgram_attr_name(CLASS_SM_DR, r->attr_id), *text = reason_texts[r->why];
	char more[64];

	attr = attr ? attr : "attribute";
	switch ((enum reason)r->why) {
	case WHY_STATUS:
		snprintf(f->reason, sizeof(f->reason), "%s: status 0x%04x, %s", attr, r->status,
			dgram_status_text(r->status, false));
		break;
	case WHY_MISMATCH:
		mismatches_text(r->value, more, sizeof(more));
		snprintf(f->reason, sizeof(f->reason), "%s: %s (%s)", attr, text, more);
		break;
	case WHY_TYPE: case WHY_PORTS: case WHY_LOCAL_PORT: case WHY_STATE: case WHY_LFT_TOP:
		snprintf(f->reason, sizeof(f->reason), "%s: %s, %u", attr, text, r->value);
		break;
	case WHY_TWICE: case WHY_MOVED: case WHY_HELD:
		fab_path_text(f->other_path, f->other_hop_count, more, sizeof(more));
		snprintf(f->reason, sizeof(f->reason), "%s; it was first at %s", text, more);
		break;
	case WHY_FAR: case WHY_LOOPED: case WHY_STALE: case WHY_GONE: case WHY_PORT_TWICE:
		snprintf(f->reason, sizeof(f->reason), "%s", text);
		break;
	case WHY_NO_ANSWER:
	case WHY_NOT_SENT:
	case WHY_CANCELLED:
	case WHY_ZERO_GUID:
	case WHY_TOO_MANY:
		snprintf(f->reason, sizeof(f->reason), "%s: %s", attr, text);
		break;
	}
}

static void
remark_tell(const struct telling *t, const struct remark *r, struct fab_problem *f)
{
	f->kind = r->kind;
	f->guid = r->guid;
	f->port = r->port;
	f->attr_id = r->attr_id;
	f->status = r->status;
	f->modifier = r->modifier;
	f->count = 1;
	f->hop_count = r->behind ? path_behind(t, r->at, f->path) : path_to(t, r->at, f->path);
	if (r->why == WHY_TWICE)
		f->other_hop_count = path_to(t, r->other, f->other_path);
	else if (r->why == WHY_MOVED || r->why == WHY_HELD || (r->why == WHY_PORT_TWICE &&
	    r->behind))
		f->other_hop_count = path_behind(t, r->other, f->other_path);
	reason_text(r, f);
}

/* Whether the problem settled itself: what is behind the port was found from its other side, or
 * by another route. */
static bool
settled(const struct discover *d, const struct remark *r)
{
	const struct found_port *p;
	uint8_t have;

	if (place_none(r->at))
		return false;
	p = found_port(d, r->at);
	have = found_at(d, r->at.node)->flags;
	if (r->behind)
		return (r->kind == FAB_UNRESPONSIVE || r->kind == FAB_TOO_FAR) &&
			!place_none(p->peer);
	if (r->kind != FAB_UNANSWERED)
		return false;
	switch (r->attr_id) {
	case PORT_INFO_ID: return p->flags & FAB_PORT_INFO;
	case PKEY_TABLE_ID: return p->flags & FAB_PORT_PKEYS;
	case NODE_DESC_ID: return have & FAB_NODE_DESC;
	case SWITCH_INFO_ID: return have & FAB_NODE_SWITCH_INFO;
	}
	return false;
}

static int
guid_cmp(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int
remark_kind_cmp(const struct remark *a, const struct remark *b)
{
	int c = guid_cmp(a->guid, b->guid);

	c = c ? c : guid_cmp(a->attr_id, b->attr_id);
	c = c ? c : guid_cmp(a->kind, b->kind);
	c = c ? c : guid_cmp(a->why, b->why);
	c = c ? c : guid_cmp(a->status, b->status);
	c = c ? c : guid_cmp(a->value, b->value);
	return c ? c : guid_cmp(a->behind, b->behind);
}

static int
remark_cmp(const void *x, const void *y)
{
	const struct remark *a = x, *b = y;
	int c = remark_kind_cmp(a, b);

	c = c ? c : guid_cmp(a->port, b->port);
	c = c ? c : guid_cmp(a->modifier, b->modifier);
	c = c ? c : guid_cmp(a->at.node, b->at.node);
	return c ? c : guid_cmp(a->at.port, b->at.port);
}

/* A node that never responded to NodeInfo is named by the port before it. */
static void
name_remarks(struct discover *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->nremarks; i++) {
		struct remark *r = &d->remarks[i];

		if (settled(d, r))
			continue;
		if (!r->guid && !place_none(r->at)) {
			r->guid = found_at(d, r->at.node)->guid;
			r->port = r->at.port;
		}
		d->remarks[n++] = *r;
	}
	d->nremarks = n;
	if (n)
		qsort(d->remarks, n, sizeof(*d->remarks), remark_cmp);
}

/* Two end ports of one port GUID: the index of end ports shows them side by side. */
static void
remark_port_guids(struct discover *d, const struct snapshot *s)
{
	for (uint32_t i = 1; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct found *n;
		struct remark *r;

		if (p->guid != s->ports[s->endports[i - 1]].guid)
			continue;
		n = discover_find(d, s->nodes[p->node].guid);
		r = discover_remark(d, FAB_DUPLICATE_GUID, WHY_PORT_TWICE);
		r->at = (struct place){ n->index, p->num };
		r->guid = n->guid;
		r->port = p->num;
		r->attr_id = NODE_INFO_ID;
	}
}

static void
fill_problems(struct discover *d, struct snapshot *s, const uint32_t *rank)
{
	struct telling t = { d, s, rank };
	const struct remark *last = NULL;

	remark_port_guids(d, s);
	discover_seed_remark(d);
	name_remarks(d);
	s->problems = arena_array(&s->arena, d->nremarks, sizeof(*s->problems));
	for (uint32_t i = 0; i < d->nremarks; i++) {
		const struct remark *r = &d->remarks[i];

		if (last && !r->behind && !remark_kind_cmp(last, r)) {
			s->problems[s->nproblems - 1].count++;
			continue;
		}
		last = r;
		remark_tell(&t, r, &s->problems[s->nproblems++]);
	}
}

static void
seal_all(struct discover *d, struct snapshot *s, uint32_t *rank)
{
	struct found **order = sort_nodes(d, rank, &s->nnodes);

	fill_snapshot(d, s, rank, order);
	free(order);
}

int
discover_seal(struct discover *d, struct snapshot **out)
{
	uint32_t *rank = xcalloc(d->nnodes, sizeof(*rank));
	struct snapshot *s = d->snap;

	if (d->conf.one_per_guid)
		discover_settle_port_guids(d);
	s->lft_rows = fwd_rows_hold(d->conf.cached_rows);
	if (d->seeding && discover_merge_suffices(d))
		discover_merge(d, s, rank);
	else
		seal_all(d, s, rank);
	fill_problems(d, s, rank);
	free(rank);
	d->snap = NULL;
	*out = s;
	return 0;
}
