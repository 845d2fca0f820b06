/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * group_trees.c - copies of the members of all groups, and what jobs do with them.
 * Room: sm/registry.  Pure.  In: groups, aliases, inherited members, all const.  Out: trees in a
 * multicast plan.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/registry/group_trees.h"
#include "util/bisect.h"
#include "util/xalloc.h"

static void
copy_member(struct group_trees *t, struct group_member r)
{
	if (t->nmembers == t->cap_members) {
		t->cap_members = t->cap_members ? t->cap_members * 2 : 1024;
		t->members = xreallocarray(t->members, t->cap_members, sizeof(*t->members));
	}
	t->members[t->nmembers++] = r;
}

static void
copy_members(struct group_trees *t, const struct mcast_group *g, const struct alias_table *alias)
{
	bool aliases = alias_count(alias);

	for (uint32_t i = 0; i < g->nmembers; i++) {
		const struct mcast_member *r = &g->members[i];

		copy_member(t, (struct group_member){ .guid = r->port_guid,
			.owner = aliases ? alias_owner(alias, r->port_guid) : 0,
			.hears = r->join_state & MCAST_HEARS });
	}
}

static void
copy_inherited(struct group_trees *t, const struct inherited *inherited, uint16_t mlid)
{
	struct inherited_members l;

	inherited_members(inherited, mlid, &l);
	for (uint32_t i = 0; i < l.n; i++)
		copy_member(t,
			(struct group_member){ .guid = l.v[i].port_guid,
				.hears = l.v[i].hears,
				.inherited = true });
	free(l.v);
}

void
group_trees_make(struct group_trees *t, const struct mcast *mcast, const struct alias_table *alias,
	const struct inherited *inherited)
{
	const struct mcast_group *g = mcast_next(mcast, 0);
	uint16_t found = inherited_next(inherited, 0);

	t->v = xcalloc((size_t)mcast_count(mcast) + inherited_count(inherited) + 1, sizeof(*t->v));
	while (g || found) {            /* both in the order of MLIDs */
		uint16_t mlid = !g || (found && found < g->rec.mlid) ? found : g->rec.mlid;
		struct group_tree *tree = &t->v[t->n++];

		*tree = (struct group_tree){ .mlid = mlid, .inherited = mlid == found };
		for (; g && g->rec.mlid == mlid; g = mcast_after(mcast, g)) {
			tree->pkey = g->rec.pkey;
			tree->sls |= (uint16_t)(1u << g->rec.sl % 16);
			copy_members(t, g, alias);
		}
		if (tree->inherited) {
			copy_inherited(t, inherited, mlid);
			found = inherited_next(inherited, mlid + 1u);
		}
		if (!tree->sls)
			tree->sls = 1;
		tree->end = t->nmembers;
	}
}

void
group_trees_clear(struct group_trees *t)
{
	free(t->v);
	free(t->members);
	memset(t, 0, sizeof(*t));
}

static uint64_t
end_guid(const struct snapshot *s, uint32_t i)
{
	return s->ports[s->endports[i]].guid;
}

/* As snapshot_port_by_guid().  Begins at '*at', the place where the search before ended: members of a
 * group are in the order of their GUIDs, as end ports are. */
static uint32_t
next_port(const struct snapshot *s, uint64_t guid, uint32_t *at)
{
	uint32_t end, step = 1;

	if (*at >= s->nendports || end_guid(s, *at) > guid)
		*at = 0;
	for (end = *at; end < s->nendports && end_guid(s, end) < guid; step *= 2) {
		*at = end + 1;
		end += step;
	}
	BISECT_FROM(*at, *at, end < s->nendports ? end : s->nendports, end_guid(s, *at) < guid);
	return *at < s->nendports && end_guid(s, *at) == guid ? s->endports[*at] : FAB_NONE;
}

void
group_trees_find(struct group_trees *t, const struct snapshot *s)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < t->nmembers; i++) {
		struct group_member *r = &t->members[i];

		r->port = next_port(s, r->guid, &at);
		if (r->port == FAB_NONE && r->owner)
			r->port = snapshot_port_by_guid(s, r->owner);
	}
}

bool
group_trees_port_lacks_pkey(
	const struct snapshot *s, const struct sa_index *x, uint32_t port, uint16_t pkey)
{
	return port != FAB_NONE && s->ports[port].flags & FAB_PORT_PKEYS &&
		!sa_port_holds(x, s->ports[port].guid, pkey);
}

void
group_trees_check_pkeys(struct group_trees *t, const struct snapshot *s, const struct sa_index *x)
{
	uint32_t k = 0;

	group_trees_find(t, s);
	for (uint32_t i = 0; i < t->n; i++)
		for (; k < t->v[i].end; k++) {
			struct group_member *r = &t->members[k];

			r->lacks_pkey = t->v[i].pkey &&
				group_trees_port_lacks_pkey(s, x, r->port, t->v[i].pkey);
			t->nlacking += r->lacks_pkey;
		}
}

/* Writes the members first to end - 1 that have a port to 'leaves'; returns how many. */
static uint32_t
make_leaves(
	const struct group_trees *t, uint32_t first, uint32_t end, struct mcast_leaf *leaves)
{
	uint32_t n = 0;

	for (uint32_t k = first; k < end; k++) {
		const struct group_member *r = &t->members[k];

		if (r->port != FAB_NONE)
			leaves[n++] = (struct mcast_leaf){ r->port, r->hears, r->inherited };
	}
	return n;
}

void
group_trees_plan(struct group_trees *t, struct mcast_plan *p)
{
	struct mcast_leaf *leaves = xcalloc((size_t)t->nmembers + 1, sizeof(*leaves));
	uint32_t first = 0, sw, row;

	for (uint32_t i = 0; i < t->n; first = t->v[i++].end) {
		uint32_t n = make_leaves(t, first, t->v[i].end, leaves);

		if (t->v[i].end > first || t->v[i].inherited)
			t->v[i].beyond = plan_mcast_group(p, t->v[i].mlid, leaves, n);
	}
	free(leaves);
	while (plan_mcast_take(p, &sw, &row))
		;
}
