/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * learn.c - the intended topology from a snapshot of a whole fabric.
 * Room: sm/intended.  Pure.  In: the snapshot, roots and kinds of hosts.  Out: a topology.
 *
 * 1. Ranks: hops from the roots (ranks.c).
 * 2. Planes, from the top down: the plane of a root is itself, that of any other switch is the
 *    least among the switches above it.  All switches are then numbered by (plane, GUID).  So the
 *    neighbours above a leaf have the same order in every subtree, whatever their GUIDs are.
 * 3. Dividers, from the bottom up: 1 if no switch is below, otherwise the greatest product of the
 *    divider of a switch below and the number of its neighbours above.
 * 4. Ids: leaves in swgraph_leaf_order(), which follows the cabling, hosts of a leaf by switch
 *    port.  Hosts on switches higher than most leaves come last, so that they do not shift the
 *    others.  Ids count within a kind, densely.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/intended/intended.h"
#include "sm/intended/ranks.h"
#include "util/bisect.h"
#include "util/xalloc.h"

#define DIVIDER_MAX (1u << 30)

struct guid_list {
	uint64_t *guid;                 /* ascending */
	uint32_t n;
};

struct learn {
	const struct snapshot *s;
	struct guid_list compute, io;
	struct intended *t;
	struct swgraph g;
	struct intended_ranks ranks;
	struct arena arena;             /* scratch */
	uint32_t *order;                /* switches by rank, highest first, then by GUID */
};

static void
make_switches(struct learn *l)
{
	struct intended *t = l->t;

	t->nsw = l->g.nsw;
	t->sw = arena_array(&t->arena, t->nsw, sizeof(*t->sw));
	t->root_rule = l->ranks.rule;
	for (uint32_t sw = 0; sw < t->nsw; sw++) {
		const struct fab_node *n = &l->s->nodes[l->s->switches[sw]];

		t->sw[sw] = (struct intended_switch){ .guid = n->guid, .system_guid = n->sys_guid,
			.rank = l->ranks.rank[sw], .nports = n->nports, .leaf = INTENDED_NONE };
	}
}

static void
make_links(struct learn *l)
{
	const struct swgraph *g = &l->g;
	const struct snapshot *s = l->s;
	struct intended *t = l->t;
	uint32_t most = 0;

	for (uint32_t k = 0; k < g->group_first[g->nsw]; k++)
		most += g->groups[k].nports;
	t->links = arena_array(&t->arena, most / 2, sizeof(*t->links));
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];

		for (unsigned p = 1; p <= n->nports; p++) {
			uint32_t peer = s->ports[n->first_port + p].peer, to;

			if (peer == FAB_NONE)
				continue;
			to = s->nodes[s->ports[peer].node].sw;
			if (to != FAB_NONE && to > sw)
				t->links[t->nlinks++] = (struct intended_link){ sw, to, (uint8_t)p,
					s->ports[peer].num };
		}
	}
}

/* Counting sort by rank. */
static void
make_order(struct learn *l)
{
	uint32_t *first = arena_array(&l->arena, (size_t)l->ranks.max_rank + 2, sizeof(*first));

	l->order = arena_array(&l->arena, l->g.nsw, sizeof(*l->order));
	for (uint32_t sw = 0; sw < l->g.nsw; sw++)
		first[l->ranks.rank[sw] + 1]++;
	for (uint32_t i = 0; i <= l->ranks.max_rank; i++)
		first[i + 1] += first[i];
	for (uint32_t sw = 0; sw < l->g.nsw; sw++)
		l->order[first[l->ranks.rank[sw]]++] = sw;
}

static void
make_planes(struct learn *l)
{
	const struct swgraph *g = &l->g;
	uint32_t *least = arena_array(&l->arena, g->nsw, sizeof(*least));
	uint32_t *first = arena_array(&l->arena, (size_t)g->nsw + 1, sizeof(*first));

	for (uint32_t i = 0; i < g->nsw; i++) {
		uint32_t sw = l->order[i];

		least[sw] = UINT32_MAX;
		for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
			uint32_t to = g->groups[k].to;

			if (l->ranks.rank[to] < l->ranks.rank[sw] && least[to] < least[sw])
				least[sw] = least[to];
		}
		if (least[sw] == UINT32_MAX)
			least[sw] = sw;
	}
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		first[least[sw] + 1]++;
	for (uint32_t i = 0; i < g->nsw; i++)
		first[i + 1] += first[i];
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		l->t->sw[sw].plane = first[least[sw]]++;
}

static uint32_t
count_up(const struct learn *l, uint32_t sw)
{
	uint32_t n = 0;

	for (uint32_t k = l->g.group_first[sw]; k < l->g.group_first[sw + 1]; k++)
		n += l->ranks.rank[l->g.groups[k].to] < l->ranks.rank[sw];
	return n;
}

static void
make_dividers(struct learn *l)
{
	const struct swgraph *g = &l->g;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		l->t->sw[sw].divider = 1;
	for (uint32_t i = g->nsw; i-- > 0;) {           /* lowest first */
		uint32_t sw = l->order[i], up = count_up(l, sw);
		uint64_t here = (uint64_t)l->t->sw[sw].divider * up;

		here = here < DIVIDER_MAX ? here : DIVIDER_MAX;
		for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
			uint32_t to = g->groups[k].to;

			if (l->ranks.rank[to] < l->ranks.rank[sw] &&
			    l->t->sw[to].divider < here)
				l->t->sw[to].divider = (uint32_t)here;
		}
	}
}

static int
by_number(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

static void
make_list(struct learn *l, struct guid_list *out, const uint64_t *guids, uint32_t n)
{
	out->n = n;
	out->guid = arena_array(&l->arena, n, sizeof(*out->guid));
	if (n)
		memcpy(out->guid, guids, n * sizeof(*guids));
	qsort(out->guid, n, sizeof(*out->guid), by_number);
}

static bool
list_has(const struct guid_list *list, uint64_t guid)
{
	uint32_t at;

	BISECT(at, list->n, list->guid[at] < guid);
	return at < list->n && list->guid[at] == guid;
}

static enum intended_kind
host_kind(const struct learn *l, const struct fab_port *p)
{
	uint64_t node = l->s->nodes[p->node].guid;

	if (list_has(&l->io, p->guid) || list_has(&l->io, node))
		return INTENDED_IO;
	if (!l->compute.n || list_has(&l->compute, p->guid) || list_has(&l->compute, node))
		return INTENDED_COMPUTE;
	return INTENDED_OTHER;
}

/* Returns the rank whose switches have most hosts. */
static uint16_t
leaf_rank(struct learn *l)
{
	uint32_t *hosts = arena_array(&l->arena, (size_t)l->ranks.max_rank + 1, sizeof(*hosts));
	uint16_t most = 0;

	for (uint32_t sw = 0; sw < l->g.nsw; sw++)
		hosts[l->ranks.rank[sw]] += l->g.host_first[sw + 1] - l->g.host_first[sw];
	for (uint16_t i = 1; i <= l->ranks.max_rank; i++)
		if (hosts[i] >= hosts[most])
			most = i;
	return most;
}

static int
by_guid(const void *va, const void *vb)
{
	const struct intended_host *a = va, *b = vb;

	return a->guid < b->guid ? -1 : a->guid > b->guid;
}

static void
number_leaf(struct learn *l, uint32_t sw, uint32_t next_id[INTENDED_KINDS])
{
	struct intended *t = l->t;

	for (uint32_t h = l->g.host_first[sw]; h < l->g.host_first[sw + 1]; h++) {
		const struct fab_port *p = &l->s->ports[l->g.hosts[h].port];
		enum intended_kind kind = host_kind(l, p);

		t->hosts[t->nhosts++] = (struct intended_host){ .guid = p->guid, .sw = sw,
			.port = l->g.hosts[h].via, .kind = (uint8_t)kind, .id = next_id[kind]++ };
	}
}

static void
make_hosts(struct learn *l)
{
	struct intended *t = l->t;
	uint32_t *leaves = arena_array(&l->arena, l->g.nleaves, sizeof(*leaves)), n = 0;
	uint32_t next_id[INTENDED_KINDS] = { 0 };
	uint16_t usual = leaf_rank(l);

	swgraph_leaf_order(&l->g, &l->arena, leaves);
	t->hosts = arena_array(&t->arena, l->g.host_first[l->g.nsw], sizeof(*t->hosts));
	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < l->g.nleaves; i++)
			if ((l->ranks.rank[leaves[i]] == usual) == (pass == 0)) {
				t->sw[leaves[i]].leaf = n++;
				number_leaf(l, leaves[i], next_id);
			}
	qsort(t->hosts, t->nhosts, sizeof(*t->hosts), by_guid);
}

struct intended *
intended_learn(const struct snapshot *s, const struct intended_conf *c)
{
	struct learn l = { .s = s, .arena = ARENA_INIT };

	make_list(&l, &l.compute, c ? c->compute : NULL, c ? c->ncompute : 0);
	make_list(&l, &l.io, c ? c->io : NULL, c ? c->nio : 0);
	swgraph_make(s, &l.arena, &l.g);
	if (l.g.nsw && intended_ranks_find(&l.ranks, s, &l.g, c ? c->roots : NULL,
			       c ? c->nroots : 0, &l.arena)) {
		l.t = xcalloc(1, sizeof(*l.t));
		make_switches(&l);
		make_links(&l);
		make_order(&l);
		make_planes(&l);
		make_dividers(&l);
		make_hosts(&l);
	}
	arena_clear(&l.arena);
	return l.t;
}
