/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * snapshot.c - seals a snapshot, finds nodes and ports in it, and makes its texts.
 * Room: fabric/snapshot.  Pure.
 * In: nodes sorted by GUID, ports with peers and images (discover_seal.c, snapshot_topo.c).
 * Out: switches, shortest paths, end ports by GUID, counts.  Equal graphs give equal snapshots: a
 * node's path is the shortest one, among those the first when ports are tried in ascending order,
 * however the sweep came there.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/end_key.h"
#include "fabric/snapshot/snapshot.h"
#include "util/bisect.h"
#include "util/xalloc.h"

void
snapshot_free(struct snapshot *s)
{
	if (!s)
		return;
	fwd_rows_drop(s->lft_rows);
	arena_clear(&s->arena);
	free(s);
}

/* Sets the path of 'node' to that of 'from' followed by port 'out'. */
static void
path_extend(struct fab_node *node, const struct fab_node *from, uint8_t out, uint8_t entry)
{
	node->hop_count = (uint8_t)(from->hop_count + 1);
	memcpy(node->path, from->path, (size_t)from->hop_count + 1);
	node->path[node->hop_count] = out;
	node->entry_port = entry;
}

/* Reaches what is behind the ports first..last of 'n'; returns the new end of the queue. */
static uint32_t
reach_behind(struct snapshot *s, uint32_t n, unsigned first, unsigned last, uint32_t *queue,
	uint32_t end)
{
	const struct fab_node *from = &s->nodes[n];

	for (unsigned p = first; p <= last; p++) {
		uint32_t peer = s->ports[from->first_port + p].peer;
		struct fab_node *to;

		if (peer == FAB_NONE)
			continue;
		to = &s->nodes[s->ports[peer].node];
		if (to->hop_count != FAB_NO_PATH)
			continue;
		path_extend(to, from, (uint8_t)p, s->ports[peer].num);
		queue[end++] = s->ports[peer].node;
	}
	return end;
}

/* Breadth first from the SM's port: switches pass packets on, other nodes do not, but for the
 * port we sit behind. */
void
snapshot_find_paths(struct snapshot *s)
{
	uint32_t *queue = xcalloc(s->nnodes, sizeof(*queue));
	uint32_t root = s->ports[s->sm_port].node, end = 1;
	uint8_t sm_num = s->ports[s->sm_port].num;

	for (uint32_t i = 0; i < s->nnodes; i++) {
		s->nodes[i].hop_count = FAB_NO_PATH;
		memset(s->nodes[i].path, 0, sizeof(s->nodes[i].path));
	}
	s->nodes[root].hop_count = 0;
	s->nodes[root].entry_port = sm_num;
	queue[0] = root;
	for (uint32_t at = 0; at < end; at++) {
		const struct fab_node *n = &s->nodes[queue[at]];

		if (n->hop_count >= DGRAM_HOPS_MAX)
			continue;
		if (fab_is_switch(n))
			end = reach_behind(s, queue[at], 1, n->nports, queue, end);
		else if (queue[at] == root)
			end = reach_behind(s, root, sm_num, sm_num, queue, end);
	}
	free(queue);
}

static void
count_all(struct snapshot *s)
{
	uint32_t peers = 0;

	s->nswitches = s->nhosts = 0;
	for (uint32_t i = 0; i < s->nnodes; i++) {
		s->nodes[i].sw = FAB_NONE;
		if (fab_is_switch(&s->nodes[i]))
			s->nodes[i].sw = s->nswitches++;
	}
	s->switches = arena_array(&s->arena, s->nswitches, sizeof(*s->switches));
	for (uint32_t i = 0; i < s->nnodes; i++)
		if (s->nodes[i].sw != FAB_NONE)
			s->switches[s->nodes[i].sw] = i;
	for (uint32_t i = 0; i < s->nports; i++) {
		if (s->ports[i].peer == FAB_NONE)
			continue;
		peers++;
		s->nhosts += !fab_is_switch(&s->nodes[s->ports[i].node]);
	}
	s->nlinks = peers / 2;
}

static void
index_endports(struct snapshot *s)
{
	struct end_key *keys = xcalloc(s->nports ? s->nports : 1, sizeof(*keys));
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->nports; i++)
		if (snapshot_is_endport(s, &s->ports[i]) || i == s->sm_port)
			keys[n++] = (struct end_key){ s->ports[i].guid, i };
	qsort(keys, n, sizeof(*keys), end_key_cmp);
	s->endports = arena_array(&s->arena, n, sizeof(*s->endports));
	s->nendports = n;
	for (uint32_t i = 0; i < n; i++)
		s->endports[i] = keys[i].port;
	free(keys);
}

void
snapshot_seal(struct snapshot *s)
{
	count_all(s);
	snapshot_find_paths(s);
	index_endports(s);
}

/* The next port of 's' from '*port' on that lacks blocks which 'from' has, where the snapshots have
 * the node 'n' and 'was'.  False: there is none. */
static bool
next_kept(const struct fab_port *now, const struct fab_port *was, unsigned last, unsigned *port)
{
	for (; *port <= last; ++*port)
		/* Block 0 of an end port is here already. */
		if (was[*port].pkeys != FAB_NONE &&
			(now[*port].pkeys == FAB_NONE || was[*port].more_pkeys))
			return true;
	return false;
}

struct keeping {
	struct snapshot *s;
	const struct snapshot *from;
	uint8_t (*all)[PKEY_TABLE_BYTES];       /* NULL: blocks are counted */
	uint32_t nblocks;
};

static void
keep_port(struct keeping *k, struct fab_port *p, const struct fab_port *was)
{
	uint32_t n = was->more_pkeys + 1u;

	if (k->all) {
		p->pkeys = k->nblocks;
		p->more_pkeys = was->more_pkeys;
		p->flags |= FAB_PORT_PKEYS;
		memcpy(k->all[p->pkeys], k->from->pkey_blocks[was->pkeys], n * sizeof(*k->all));
	}
	k->nblocks += n;
}

/* Both have their nodes by GUID. */
static void
keep_all(struct keeping *k)
{
	struct snapshot *s = k->s;
	uint32_t j = 0;

	for (uint32_t i = 0; i < s->nnodes && j < k->from->nnodes; i++) {
		const struct fab_node *n = &s->nodes[i], *was;
		struct fab_port *now = &s->ports[n->first_port];
		const struct fab_port *old;
		unsigned p = 0;

		while (j < k->from->nnodes && k->from->nodes[j].guid < n->guid)
			j++;
		was = &k->from->nodes[j];
		if (j == k->from->nnodes || was->guid != n->guid || !(n->flags & FAB_NODE_KEPT))
			continue;
		old = &k->from->ports[was->first_port];
		for (; next_kept(now, old, n->nports < was->nports ? n->nports : was->nports, &p);
			p++)
			keep_port(k, &now[p], &old[p]);
	}
}

void
snapshot_keep_pkeys(struct snapshot *s, const struct snapshot *from)
{
	struct keeping k = { .s = s, .from = from, .nblocks = s->npkey_blocks };

	keep_all(&k);
	if (k.nblocks == s->npkey_blocks)
		return;
	k.all = arena_array(&s->arena, k.nblocks, sizeof(*k.all));
	if (s->npkey_blocks)
		memcpy(k.all, s->pkey_blocks, s->npkey_blocks * sizeof(*k.all));
	k.nblocks = s->npkey_blocks;
	keep_all(&k);
	s->pkey_blocks = k.all;
	s->npkey_blocks = k.nblocks;
}

static void *
array_copy(struct arena *a, const void *v, uint32_t n, size_t size)
{
	void *copy = arena_array(a, n, size);

	return n ? memcpy(copy, v, n * size) : copy;
}

struct snapshot *
snapshot_copy(const struct snapshot *s)
{
	struct snapshot *t = xmemdup(s, sizeof(*s));

	t->arena = (struct arena)ARENA_INIT;
	t->lft_rows = NULL;
	t->problems = NULL;
	t->nproblems = 0;
	t->nodes = array_copy(&t->arena, s->nodes, s->nnodes, sizeof(*s->nodes));
	t->ports = array_copy(&t->arena, s->ports, s->nports, sizeof(*s->ports));
	t->switches = array_copy(&t->arena, s->switches, s->nswitches, sizeof(*s->switches));
	t->endports = array_copy(&t->arena, s->endports, s->nendports, sizeof(*s->endports));
	t->pkey_blocks = array_copy(
		&t->arena, s->pkey_blocks, s->npkey_blocks, sizeof(*s->pkey_blocks));
	for (uint32_t i = 0; i < t->nnodes; i++) {
		t->nodes[i].lft = NULL;
		t->nodes[i].lft_blocks = 0;
		t->nodes[i].flags &= (uint8_t)~(FAB_NODE_LFT | FAB_NODE_LFT_KEPT);
	}
	return t;
}

/* By GUID of the node, attribute and kind. */
static bool
problem_before(const struct fab_problem *a, const struct fab_problem *b)
{
	if (a->guid != b->guid)
		return a->guid < b->guid;
	return a->attr_id != b->attr_id ? a->attr_id < b->attr_id : a->kind < b->kind;
}

void
snapshot_add_problem(struct snapshot *s, const struct fab_problem *p)
{
	struct fab_problem *all = arena_array(&s->arena, s->nproblems + 1u, sizeof(*all));
	uint32_t at;

	BISECT(at, s->nproblems, !problem_before(p, &s->problems[at]));
	if (at)
		memcpy(all, s->problems, at * sizeof(*all));
	all[at] = *p;
	if (at < s->nproblems)
		memcpy(all + at + 1, s->problems + at, (s->nproblems - at) * sizeof(*all));
	s->problems = all;
	s->nproblems++;
}

uint32_t
snapshot_node_by_guid(const struct snapshot *s, uint64_t guid)
{
	uint32_t i;

	BISECT(i, s->nnodes, s->nodes[i].guid < guid);
	return i < s->nnodes && s->nodes[i].guid == guid ? i : FAB_NONE;
}

uint32_t
snapshot_port_by_guid(const struct snapshot *s, uint64_t port_guid)
{
	uint32_t i;

	BISECT(i, s->nendports, s->ports[s->endports[i]].guid < port_guid);
	if (i == s->nendports || s->ports[s->endports[i]].guid != port_guid)
		return FAB_NONE;
	return s->endports[i];
}

uint32_t
snapshot_next_port_by_guid(const struct snapshot *s, uint64_t port_guid, uint32_t *at)
{
	while (*at < s->nendports && s->ports[s->endports[*at]].guid < port_guid)
		++*at;
	if (*at == s->nendports || s->ports[s->endports[*at]].guid != port_guid)
		return FAB_NONE;
	return s->endports[*at];
}

/* The length of the UTF-8 sequence at 'p' of which 'left' bytes exist; 0 when it is none, or not
 * shortest, or a surrogate, or beyond U+10FFFF. */
static unsigned
utf8_length(const uint8_t *p, unsigned left)
{
	static const struct { uint8_t mask, lead, bytes; uint32_t least; } forms[] = {
		{ 0x80, 0x00, 1, 0 }, { 0xe0, 0xc0, 2, 0x80 }, { 0xf0, 0xe0, 3, 0x800 },
		{ 0xf8, 0xf0, 4, 0x10000 },
	};

	for (unsigned f = 0; f < 4; f++) {
		uint32_t code = p[0] & (uint8_t)~forms[f].mask;

		if ((p[0] & forms[f].mask) != forms[f].lead)
			continue;
		if (forms[f].bytes > left)
			return 0;
		for (unsigned i = 1; i < forms[f].bytes; i++) {
			if ((p[i] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (p[i] & 0x3f);
		}
		if (code < forms[f].least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
			return 0;
		return forms[f].bytes;
	}
	return 0;
}

uint32_t
snapshot_port_modifier(const struct snapshot *s, uint32_t port)
{
	const struct fab_port *p = &s->ports[port], *end = p;
	const struct fab_node *n = &s->nodes[p->node];

	if (fab_is_switch(n) && s->ports[n->first_port].flags & FAB_PORT_INFO)
		end = &s->ports[n->first_port];         /* the capabilities of all its ports */
	if (n->flags & FAB_NODE_NOT_EXTENDED ||
	    !(port_info_decode(end->info).capability_mask & CAP_EXTENDED_SPEEDS))
		return p->num;
	return p->num | PORT_INFO_EXTENDED_SPEEDS;
}

const char *
snapshot_desc_text(const struct fab_node *n, char *buf, size_t len)
{
	size_t used = 0;

	for (unsigned i = 0; i < NODE_DESC_BYTES && n->desc[i];) {
		unsigned bytes = utf8_length(n->desc + i, NODE_DESC_BYTES - i);
		const char *text = (const char *)n->desc + i;
		unsigned step = bytes ? bytes : 1;

		if (!bytes) {
			text = "\xef\xbf\xbd";          /* U+FFFD */
			bytes = 3;
		} else if (n->desc[i] < 0x20 || n->desc[i] == 0x7f) {
			text = " ";
		} else if (bytes == 2 && n->desc[i] == 0xc2 && n->desc[i + 1] < 0xa0) {
			text = " ";                     /* the C1 controls */
			bytes = 1;
		}
		if (used + bytes >= len)
			break;
		memcpy(buf + used, text, bytes);
		used += bytes;
		i += step;
	}
	if (len)
		buf[used] = '\0';
	return buf;
}

const char *
fab_path_text(const uint8_t *path, uint8_t hop_count, char *buf, size_t len)
{
	size_t used = 0;

	if (hop_count == FAB_NO_PATH) {
		snprintf(buf, len, "none");
		return buf;
	}
	for (unsigned i = 0; i <= hop_count && i < DGRAM_PATH_BYTES && used < len; i++) {
		int n = snprintf(buf + used, len - used, "%s%u", i ? "," : "", path[i]);

		used += n > 0 ? (size_t)n : 0;
	}
	return buf;
}

uint8_t
snapshot_port_path(const struct snapshot *s, uint32_t port, uint8_t path[static DGRAM_PATH_BYTES])
{
	const struct fab_port *p = &s->ports[port];
	const struct fab_node *n = &s->nodes[p->node], *via;

	if (!fab_is_switch(n) && p->num != n->entry_port && p->peer != FAB_NONE) {
		via = &s->nodes[s->ports[p->peer].node];
		if (fab_is_switch(via) && via->hop_count < DGRAM_HOPS_MAX) {
			memcpy(path, via->path, DGRAM_PATH_BYTES);
			path[via->hop_count + 1] = s->ports[p->peer].num;
			return (uint8_t)(via->hop_count + 1);
		}
	}
	memcpy(path, n->path, DGRAM_PATH_BYTES);
	return n->hop_count;
}
