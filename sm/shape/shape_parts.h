/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shape_parts.h - the parts of recognition: one function for each family of shapes.
 * Room: sm/shape.  Private to the room.
 *
 * Each function returns true if the graph has its shape, and has then filled '*out'.  Otherwise
 * it has at most added misfits.
 */
#ifndef HEDDLE_SM_SHAPE_SHAPE_PARTS_H
#define HEDDLE_SM_SHAPE_SHAPE_PARTS_H

#include "sm/shape/shape.h"

bool shape_find_grid(const struct swgraph *g, struct arena *a, struct shape *out);
bool shape_find_dragonfly(const struct swgraph *g, struct arena *a, struct shape *out);
bool shape_find_dragonfly_plus(const struct swgraph *g, struct arena *a, struct shape *out);
bool shape_find_tree(const struct swgraph *g, struct arena *a, struct shape *out);

/* Dimensions as sets of links; see grid.c. */
struct shape_edges {
	uint32_t n; /* = the number of groups */
	uint32_t *from, *mate; /* per group: its switch; the group of the other direction */
	uint8_t *dim; /* per group: its dimension, SHAPE_DIMS_MAX unknown */
	unsigned ndims;
};

/* Places the switches of a grid whose dimensions are known; see place.c. */
bool shape_place_grid(
	const struct swgraph *g, const struct shape_edges *e, struct arena *a, struct shape *out);

/* Counts a misfit, and keeps the first few. */
static inline void
shape_misfit_add(struct shape *s, uint32_t a, uint32_t b, const char *rule)
{
	if (s->nmisfits < SHAPE_MISFITS_MAX)
		s->misfit[s->nmisfits] = (struct shape_misfit){ a, b, rule };
	s->nmisfits++;
}

/* Sets of small integers that only grow together; the least member names its set. */
static inline uint32_t
shape_set_find(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

static inline void
shape_set_join(uint32_t *parent, uint32_t i, uint32_t j)
{
	i = shape_set_find(parent, i);
	j = shape_set_find(parent, j);
	if (i < j)
		parent[j] = i;
	else
		parent[i] = j;
}

/* Each of 0..n-1 alone; owned by 'a'. */
static inline uint32_t *
shape_set_make(struct arena *a, uint32_t n)
{
	uint32_t *parent = arena_array(a, (size_t)n + 1, sizeof(*parent));

	for (uint32_t i = 0; i < n; i++)
		parent[i] = i;
	return parent;
}

#endif
