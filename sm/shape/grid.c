/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * grid.c - finds the dimensions of a grid: which links run in parallel.
 * Room: sm/shape.  Pure.  In: the graph.  Out: the dimension of each link.
 *
 * In a product of lines, opposite sides of every square (a cycle of four links) belong to one
 * dimension, and so do the three sides of a triangle.  This remains true when links are lost.  So
 * squares and triangles define classes of links.  A clique of three or more becomes one class; in a
 * ring or a path, each step between two neighbouring coordinates becomes a class of its own.
 *
 * Classes are then joined to dimensions.  Two classes that meet at a switch are either sides of a
 * square there (different dimensions), or continue each other (the same dimension).  They count as
 * the same dimension if they meet along a whole layer with almost no squares.
 *
 * Where to look next: place.c, which finds coordinates and checks all of this.
 */
#include <config.h>
#include <string.h>
#include "sm/shape/shape_parts.h"

#define CLASSES_MAX 2048

struct classes {
	const struct swgraph *g;
	struct shape_edges *e;
	struct arena *a;
	uint32_t *set; /* per group */
	uint32_t n, *number; /* per group: number of its class */
	uint32_t *size; /* links per class */
	uint32_t *meet, *corner; /* [n][n] pairs of links at a switch; those in a square */
	/* scratch: from one switch, the groups that lead to another in two steps */
	uint32_t *first, *count, *via, *seen, nseen;
};

static uint32_t
group_to(const struct swgraph *g, uint32_t sw, uint32_t to)
{
	uint32_t low = g->group_first[sw], high = g->group_first[sw + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g->groups[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low < g->group_first[sw + 1] && g->groups[low].to == to ? low : SHAPE_NOWHERE;
}

/* Returns false if a link is known at one end only. */
static bool
make_edges(const struct swgraph *g, struct arena *a, struct shape_edges *e)
{
	memset(e, 0, sizeof(*e));
	e->n = g->group_first[g->nsw];
	e->from = arena_array(a, (size_t)e->n + 1, sizeof(*e->from));
	e->mate = arena_array(a, (size_t)e->n + 1, sizeof(*e->mate));
	e->dim = arena_array(a, (size_t)e->n + 1, sizeof(*e->dim));
	for (uint32_t s = 0; s < g->nsw; s++)
		for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++) {
			e->from[i] = s;
			e->mate[i] = group_to(g, g->groups[i].to, s);
			if (e->mate[i] == SHAPE_NOWHERE)
				return false;
		}
	return true;
}

/* Lists, per switch two steps away from 's', the first steps that lead there. */
static void
two_steps(struct classes *k, uint32_t s)
{
	const struct swgraph *g = k->g;
	uint32_t used = 0;

	k->nseen = 0;
	for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++) {
		uint32_t m = g->groups[i].to;

		for (uint32_t j = g->group_first[m]; j < g->group_first[m + 1]; j++)
			if (g->groups[j].to != s && !k->count[g->groups[j].to]++)
				k->seen[k->nseen++] = g->groups[j].to;
	}
	for (uint32_t n = 0; n < k->nseen; n++) {
		k->first[k->seen[n]] = used;
		used += k->count[k->seen[n]];
		k->count[k->seen[n]] = 0;
	}
	for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++) {
		uint32_t m = g->groups[i].to;

		for (uint32_t j = g->group_first[m]; j < g->group_first[m + 1]; j++) {
			uint32_t c = g->groups[j].to;

			if (c != s)
				k->via[k->first[c] + k->count[c]++] = i;
		}
	}
}

static void
two_steps_end(struct classes *k)
{
	for (uint32_t n = 0; n < k->nseen; n++)
		k->count[k->seen[n]] = 0;
}

/* Joins opposite sides of the squares with corners s and c, whose other corners are those of
 * via[0..n). */
static void
join_squares(struct classes *k, uint32_t c, const uint32_t *via, uint32_t n)
{
	const struct swgraph *g = k->g;
	uint32_t far0 = group_to(g, c, g->groups[via[0]].to);

	for (uint32_t i = 1; i < n; i++) {
		shape_set_join(k->set, via[0], group_to(g, c, g->groups[via[i]].to));
		shape_set_join(k->set, via[i], far0);
	}
}

static void
join_parallel(struct classes *k)
{
	const struct swgraph *g = k->g;

	k->set = shape_set_make(k->a, k->e->n);
	for (uint32_t i = 0; i < k->e->n; i++)
		shape_set_join(k->set, i, k->e->mate[i]);
	for (uint32_t s = 0; s < g->nsw; s++) {
		two_steps(k, s);
		for (uint32_t n = 0; n < k->nseen; n++) {
			uint32_t c = k->seen[n], side = group_to(g, s, c);
			const uint32_t *via = &k->via[k->first[c]];

			if (c > s && k->count[c] > 1)
				join_squares(k, c, via, k->count[c]);
			/* a neighbour of a neighbour is a neighbour: a triangle */
			for (uint32_t i = 0; side != SHAPE_NOWHERE && i < k->count[c]; i++)
				shape_set_join(k->set, side, via[i]);
		}
		two_steps_end(k);
	}
}

/* False: more classes than any grid with squares has. */
static bool
number_classes(struct classes *k)
{
	uint32_t *of_set = arena_array(k->a, (size_t)k->e->n + 1, sizeof(*of_set));

	k->number = arena_array(k->a, (size_t)k->e->n + 1, sizeof(*k->number));
	k->size = arena_array(k->a, CLASSES_MAX, sizeof(*k->size));
	for (uint32_t i = 0; i < k->e->n; i++) {
		uint32_t set = shape_set_find(k->set, i);

		if (set == i) {
			if (k->n == CLASSES_MAX)
				return false;
			of_set[i] = k->n++;
		}
		k->number[i] = of_set[set];
		k->size[k->number[i]] += i < k->e->mate[i];
	}
	return true;
}

/* Counts where pairs of classes meet, and where they are sides of a square. */
static void
count_corners(struct classes *k)
{
	const struct swgraph *g = k->g;

	k->meet = arena_array(k->a, (size_t)k->n * k->n, sizeof(*k->meet));
	k->corner = arena_array(k->a, (size_t)k->n * k->n, sizeof(*k->corner));
	for (uint32_t s = 0; s < g->nsw; s++) {
		for (uint32_t i = g->group_first[s]; i < g->group_first[s + 1]; i++)
			for (uint32_t j = g->group_first[s]; j < i; j++)
				k->meet[(size_t)k->number[i] * k->n + k->number[j]]++;
		two_steps(k, s);
		for (uint32_t n = 0; n < k->nseen; n++) {
			const uint32_t *via = &k->via[k->first[k->seen[n]]];

			if (k->count[k->seen[n]] == 2)
				k->corner[(size_t)k->number[via[1]] * k->n + k->number[via[0]]]++;
		}
		two_steps_end(k);
	}
}

/* Joins classes that continue each other.  Returns false if there are too many dimensions. */
static bool
join_straight(struct classes *k)
{
	uint32_t *line = shape_set_make(k->a, k->n), *dim_of;

	for (uint32_t i = 0; i < k->n; i++)
		for (uint32_t j = 0; j < i; j++) {
			size_t ij = (size_t)i * k->n + j, ji = (size_t)j * k->n + i;
			uint32_t meet = k->meet[ij] + k->meet[ji];
			uint32_t corner = k->corner[ij] + k->corner[ji];
			uint32_t least = k->size[i] < k->size[j] ? k->size[i] : k->size[j];

			if (corner * 4 < meet && meet * 2 > least)
				shape_set_join(line, i, j);
		}
	dim_of = arena_array(k->a, (size_t)k->n + 1, sizeof(*dim_of));
	for (uint32_t i = 0; i < k->n; i++)
		if (line[i] == i) {
			if (k->e->ndims == SHAPE_DIMS_MAX)
				return false;
			dim_of[i] = k->e->ndims++;
		}
	for (uint32_t i = 0; i < k->e->n; i++)
		k->e->dim[i] = (uint8_t)dim_of[shape_set_find(line, k->number[i])];
	return true;
}

static uint32_t
most_neighbours(const struct swgraph *g)
{
	uint32_t most = 0;

	for (uint32_t s = 0; s < g->nsw; s++) {
		uint32_t n = g->group_first[s + 1] - g->group_first[s];

		most = n > most ? n : most;
	}
	return most;
}

static bool
find_dimensions(const struct swgraph *g, struct arena *a, struct shape_edges *e)
{
	struct classes k = { .g = g, .e = e, .a = a };
	uint32_t most = most_neighbours(g);

	/* A single line has no squares.  (A ring of 4 has one, and is two dimensions.) */
	if (most <= 2 && g->nsw != 4) {
		e->ndims = 1;
		return true;
	}
	k.first = arena_array(a, g->nsw, sizeof(*k.first));
	k.count = arena_array(a, g->nsw, sizeof(*k.count));
	k.seen = arena_array(a, g->nsw, sizeof(*k.seen));
	k.via = arena_array(a, (size_t)most * most, sizeof(*k.via));
	join_parallel(&k);
	if (!number_classes(&k))
		return false;
	count_corners(&k);
	return join_straight(&k);
}

bool
shape_find_grid(const struct swgraph *g, struct arena *a, struct shape *out)
{
	struct arena scratch = ARENA_INIT;
	struct shape_edges e;
	bool found = g->nsw > 1 && make_edges(g, &scratch, &e) && e.n > 0 &&
		find_dimensions(g, &scratch, &e) && shape_place_grid(g, &e, a, out);

	arena_clear(&scratch);
	return found;
}
