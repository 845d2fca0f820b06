/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tree.c - trees: levels above the hosts.
 * Room: sm/shape.  Pure.
 *
 * The level of a switch is its distance from the nearest switch with hosts.  In a tree, links
 * lead from level to level, and some switches have no hosts.
 */
#include <config.h>
#include <string.h>
#include "sm/shape/shape_parts.h"

bool
shape_find_tree(const struct swgraph *g, struct arena *a, struct shape *out)
{
	struct arena scratch = ARENA_INIT;
	uint16_t *level = arena_array(&scratch, (size_t)g->nsw + 1, sizeof(*level));
	uint32_t *queue = arena_array(&scratch, (size_t)g->nsw + 1, sizeof(*queue));
	uint32_t *leaves = arena_array(&scratch, (size_t)g->nsw + 1, sizeof(*leaves)), n = 0;
	bool found;

	(void)a;
	for (uint32_t s = 0; s < g->nsw; s++)
		if (swgraph_is_leaf(g, s))
			leaves[n++] = s;
	found = n > 1 && n < g->nsw && swgraph_distances(g, leaves, n, level, queue) == g->nsw;
	for (uint32_t s = 0; found && s < g->nsw; s++) {
		out->levels = level[s] + 1u > out->levels ? level[s] + 1u : out->levels;
		for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++)
			if (level[g->groups[i].to] == level[s] && g->groups[i].to > s)
				shape_misfit_add(out, s, g->groups[i].to,
					"a link joins two switches of one level");
	}
	arena_clear(&scratch);
	if (!found || (uint64_t)out->nmisfits * 20 > out->links)
		return false;
	out->kind = SHAPE_TREE;
	return true;
}
