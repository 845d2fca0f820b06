/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.c - dragonflies: groups of switches with many links inside and few between them.
 * Room: sm/shape.  Pure.
 *
 * dragonfly   a link is local if its ends have many neighbours in common; the number is tried from
 *             high to one.  The switches that local links connect are a group, and all pairs in it
 *             are linked.
 * dragonfly+  switches without hosts are spines; links between a leaf and a spine are local.
 *
 * Then all groups must have the same size, except that a few switches may be lost, and a link must
 * connect nearly every pair of groups.
 */
#include <config.h>
#include <string.h>
#include "sm/shape/shape_parts.h"
#include "util/bits.h"

/* Up to a quarter of a group or of the fabric may be missing. */
static bool
enough(uint64_t have, uint64_t all)
{
	return have * 4 >= all * 3;
}

static uint32_t
common_neighbours(const struct swgraph *g, uint32_t a, uint32_t b)
{
	uint32_t i = g->group_first[a], j = g->group_first[b], n = 0;

	while (i < g->group_first[a + 1] && j < g->group_first[b + 1]) {
		uint32_t x = g->groups[i].to, y = g->groups[j].to;

		n += x == y;
		i += x <= y;
		j += y <= x;
	}
	return n;
}

/* Numbers the groups, and the switches of each kind in each. */
static void
number_groups(const struct swgraph *g, uint32_t *set, const bool *spine, struct arena *a,
	struct shape *out)
{
	uint32_t(*size)[2] = arena_array(a, g->nsw, sizeof(*size));

	out->ngroups = 0;
	out->group = arena_array(a, g->nsw, sizeof(*out->group));
	out->member = arena_array(a, g->nsw, sizeof(*out->member));
	for (uint32_t s = 0; s < g->nsw; s++) {
		uint32_t root = shape_set_find(set, s); /* at most s */

		out->group[s] = root == s ? out->ngroups++ : out->group[root];
		out->member[s] = size[out->group[s]][spine && spine[s]]++;
	}
}

/* Pairs of groups that a link joins. */
static uint64_t
joined_pairs(const struct swgraph *g, const struct shape *s, struct arena *scratch)
{
	size_t bits = (size_t)s->ngroups * s->ngroups;
	uint64_t *joined = arena_array(scratch, BITS_WORDS(bits), sizeof(*joined)), n = 0;

	for (uint32_t x = 0; x < g->nsw; x++)
		for (uint32_t i = g->group_first[x]; i < g->group_first[x + 1]; i++) {
			uint32_t from = s->group[x], to = s->group[g->groups[i].to];
			size_t bit = (size_t)from * s->ngroups + to;

			if (from >= to || bits_test(joined, bit))
				continue;
			bits_set(joined, bit);
			n++;
		}
	return n;
}

/* Checks sizes and links; 'spine' marks the spines, or is NULL. */
static bool
check_groups(const struct swgraph *g, const bool *spine, struct arena *scratch, struct shape *out)
{
	uint32_t *size = arena_array(scratch, out->ngroups, 2 * sizeof(*size)), most[2] = { 0, 0 };
	uint64_t local = 0, all, joined, pairs = (uint64_t)out->ngroups * (out->ngroups - 1) / 2;

	for (uint32_t s = 0; s < g->nsw; s++) {
		unsigned kind = spine && spine[s];
		uint32_t n = ++size[2 * out->group[s] + kind];

		most[kind] = n > most[kind] ? n : most[kind];
		for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++)
			local += out->group[g->groups[i].to] == out->group[s];
	}
	for (uint32_t s = 0; s < g->nsw; s++)
		if (!out->member[s] && !(spine && spine[s]) &&
			(!enough(size[2 * out->group[s]], most[0]) ||
				!enough(size[2 * out->group[s] + 1], most[1])))
			shape_misfit_add(out, s, SHAPE_NOWHERE,
				"the group of this switch is smaller than others");
	all = spine ? (uint64_t)most[0] * most[1] : (uint64_t)most[0] * (most[0] - 1) / 2;
	all *= out->ngroups;
	joined = joined_pairs(g, out, scratch);
	if (out->nmisfits || !enough(local / 2, all) || !enough(joined, pairs))
		return false;
	out->missing = (uint32_t)(all - local / 2 + (pairs - joined));
	return true;
}

/* Makes the groups that result if links with at least 'least' common neighbours are local. */
static bool
try_groups(const struct swgraph *g, const uint8_t *common, uint32_t least, struct arena *a,
	struct shape *out)
{
	struct arena scratch = ARENA_INIT;
	uint32_t *set = shape_set_make(&scratch, g->nsw);
	bool found;

	for (uint32_t s = 0; s < g->nsw; s++)
		for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++)
			if (common[i] >= least)
				shape_set_join(set, s, g->groups[i].to);
	number_groups(g, set, NULL, a, out);
	found = out->ngroups > 1 && out->ngroups <= g->nsw / 3 &&
		check_groups(g, NULL, &scratch, out);
	arena_clear(&scratch);
	return found;
}

bool
shape_find_dragonfly(const struct swgraph *g, struct arena *a, struct shape *out)
{
	struct arena scratch = ARENA_INIT;
	uint8_t *common = arena_array(&scratch, (size_t)g->group_first[g->nsw] + 1, 1);
	uint32_t most = 0;
	bool found = false;

	for (uint32_t s = 0; s < g->nsw; s++)
		for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++) {
			uint32_t n = common_neighbours(g, s, g->groups[i].to);

			common[i] = (uint8_t)n;
			most = n > most ? n : most;
		}
	for (uint32_t least = most; least > 0 && !found; least--) {
		out->nmisfits = 0;
		found = try_groups(g, common, least, a, out);
	}
	arena_clear(&scratch);
	out->kind = found ? SHAPE_DRAGONFLY : SHAPE_NONE;
	return found;
}

/* Joins leaves and spines.  Returns false for a link between leaves or a spine without a leaf. */
static bool
join_leaves(const struct swgraph *g, bool *spine, uint32_t *set)
{
	bool between = false;

	for (uint32_t s = 0; s < g->nsw; s++)
		spine[s] = !swgraph_is_leaf(g, s);
	for (uint32_t s = 0; s < g->nsw; s++) {
		bool leaf = false;

		for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++) {
			uint32_t to = g->groups[i].to;

			if (!spine[s] && !spine[to])
				return false;
			leaf |= !spine[to];
			between |= spine[s] && spine[to];
			if (spine[s] != spine[to])
				shape_set_join(set, s, to);
		}
		if (spine[s] && !leaf)
			return false;
	}
	return between;
}

bool
shape_find_dragonfly_plus(const struct swgraph *g, struct arena *a, struct shape *out)
{
	struct arena scratch = ARENA_INIT;
	bool *spine = arena_array(&scratch, (size_t)g->nsw + 1, sizeof(*spine)), found;
	uint32_t *set = shape_set_make(&scratch, g->nsw);

	found = join_leaves(g, spine, set);
	if (found) {
		number_groups(g, set, spine, a, out);
		found = out->ngroups > 1 && check_groups(g, spine, &scratch, out);
	}
	for (uint32_t s = 0; found && s < g->nsw; s++)
		for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++)
			if (spine[s] && spine[g->groups[i].to] &&
				out->group[s] == out->group[g->groups[i].to])
				found = false;
	arena_clear(&scratch);
	out->kind = found ? SHAPE_DRAGONFLY_PLUS : SHAPE_NONE;
	return found;
}
