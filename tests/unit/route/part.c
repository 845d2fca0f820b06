/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * part.c - the same fabric with parts of it lost.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/route/made.h"
#include "tests/unit/route/part.h"
#include "util/xalloc.h"

static bool
stays(const bool *gone, const uint32_t *into, uint32_t i)
{
	return !(gone && gone[i]) && (!into || into[i] == i);
}

/* Copies the nodes; at[] receives the new index of every old port. */
static void
copy_nodes(const struct snapshot *s, struct snapshot *c, const bool *gone, const uint32_t *into, uint32_t *at)
{
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct fab_node *n = &c->nodes[c->nnodes];

		if (!stays(gone, into, i))
			continue;
		*n = s->nodes[i];
		n->first_port = c->nports;
		n->nports = 0;
		n->sw = FAB_NONE;
		if (fab_is_switch(n)) {
			n->sw = c->nswitches;
			c->switches[c->nswitches++] = c->nnodes;
		}
		c->ports[c->nports] = s->ports[s->nodes[i].first_port];
		at[s->nodes[i].first_port] = c->nports++;
		for (uint32_t k = 0; k < s->nnodes; k++)
			for (unsigned p = 1; (into ? into[k] : k) == i && p <= s->nodes[k].nports; p++) {
				c->ports[c->nports] = s->ports[s->nodes[k].first_port + p];
				c->ports[c->nports].num = ++n->nports;
				at[s->nodes[k].first_port + p] = c->nports++;
			}
		for (uint32_t p = n->first_port; p < c->nports; p++)
			c->ports[p].node = c->nnodes;
		c->nnodes++;
	}
}

struct snapshot *
part_copy(const struct snapshot *s, const bool *gone, const bool *dead, const uint32_t *into)
{
	struct snapshot *c = xcalloc(1, sizeof(*c));
	uint32_t *at = xcalloc(s->nports, sizeof(*at));

	c->nodes = arena_array(&c->arena, s->nnodes, sizeof(*c->nodes));
	c->ports = arena_array(&c->arena, s->nports, sizeof(*c->ports));
	c->switches = arena_array(&c->arena, s->nswitches, sizeof(*c->switches));
	for (uint32_t p = 0; p < s->nports; p++)
		at[p] = FAB_NONE;
	copy_nodes(s, c, gone, into, at);
	for (uint32_t p = 0; p < s->nports; p++) {
		uint32_t peer = s->ports[p].peer;

		if (at[p] == FAB_NONE)
			continue;
		if (peer == FAB_NONE || at[peer] == FAB_NONE || (dead && (dead[p] || dead[peer])))
			c->ports[at[p]].peer = FAB_NONE;
		else
			c->ports[at[p]].peer = at[peer];
		c->nhosts += c->ports[at[p]].peer != FAB_NONE && !fab_is_switch(&c->nodes[c->ports[at[p]].node]);
	}
	free(at);
	return c;
}

void
part_lids(const struct snapshot *s, const struct lid_map *l, const struct snapshot *c, struct arena *a,
	struct lid_map *out)
{
	memset(out, 0, sizeof(*out));
	out->nports = c->nports;
	out->top = l->top;
	out->base = arena_array(a, c->nports, sizeof(*out->base));
	out->lmc = arena_array(a, c->nports, sizeof(*out->lmc));
	out->owner = arena_array(a, (size_t)l->top + 1, sizeof(*out->owner));
	for (uint32_t i = 0; i <= l->top; i++)
		out->owner[i] = FAB_NONE;
	for (uint32_t i = 0, k = 0; i < s->nnodes && k < c->nnodes; i++) {
		if (s->nodes[i].guid != c->nodes[k].guid)
			continue;
		for (unsigned p = 0; p <= s->nodes[i].nports; p++) {
			uint32_t from = s->nodes[i].first_port + p, to = c->nodes[k].first_port + p;

			if (!l->base[from] || (p && c->ports[to].peer == FAB_NONE))
				continue;
			out->base[to] = l->base[from];
			out->lmc[to] = l->lmc[from];
			for (uint32_t j = 0; j < 1u << l->lmc[from]; j++)
				out->owner[l->base[from] + j] = to;
		}
		k++;
	}
}

/* The nearest host of a switch without hosts: 2 hops or more at the top of a tree. */
static bool
is_top(const struct snapshot *s, uint32_t node, bool three)
{
	const struct fab_node *n = &s->nodes[node];
	bool top = fab_is_switch(n);

	for (unsigned p = 1; p <= n->nports && top; p++) {
		uint32_t peer = s->ports[n->first_port + p].peer;
		const struct fab_node *m = peer == FAB_NONE ? NULL : &s->nodes[s->ports[peer].node];

		if (!m)
			continue;
		top &= fab_is_switch(m);
		for (unsigned q = 1; three && fab_is_switch(m) && q <= m->nports; q++) {
			uint32_t far = s->ports[m->first_port + q].peer;

			top &= far == FAB_NONE || fab_is_switch(&s->nodes[s->ports[far].node]);
		}
	}
	return top;
}

static uint32_t
first_neighbour(const struct snapshot *s, uint32_t node)
{
	return s->ports[s->ports[s->nodes[node].first_port + 1].peer].node;
}

struct snapshot *
part_fuse_tops(struct snapshot *s)
{
	uint32_t *into = xcalloc(s->nnodes, sizeof(*into));
	uint32_t tops[256], ntops = 0;
	bool taken[256] = { false };
	struct snapshot *c;
	bool three = false;

	for (uint32_t i = 0; i < s->nnodes; i++)
		three |= is_top(s, i, true);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		into[i] = i;
		if (!is_top(s, i, three))
			continue;
		tops[ntops++] = i;
		for (uint32_t k = 0; k + 1 < ntops; k++)
			if (!taken[k] && first_neighbour(s, tops[k]) == first_neighbour(s, i)) {
				into[i] = tops[k];
				taken[k] = taken[ntops - 1] = true;
				break;
			}
	}
	c = part_copy(s, NULL, NULL, into);
	free(into);
	made_free(s);
	return c;
}
