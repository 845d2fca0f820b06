/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * levels.c - computes the levels of switches from their distance to hosts.
 * Room: fabric/draw.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/draw/levels.h"

#define LEVEL_MAX 250
#define FEW 4                           /* fewer than 1/FEW of the usual number of hosts is few */

static int
compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Returns the median number of hosts, over the switches that have any. */
static uint32_t
usual_hosts(struct levels *l)
{
	uint32_t *counts = arena_array(&l->arena, l->g.nsw + 1u, sizeof(*counts)), n = 0;

	for (uint32_t sw = 0; sw < l->g.nsw; sw++)
		if (swgraph_is_leaf(&l->g, sw))
			counts[n++] = l->g.host_first[sw + 1] - l->g.host_first[sw];
	if (!n)
		return 0;
	qsort(counts, n, sizeof(*counts), compare_u32);
	return counts[n / 2];
}

void
levels_make(const struct snapshot *s, struct levels *l)
{
	uint32_t *leaves, *queue, n = 0, usual;
	uint16_t *dist;

	*l = (struct levels){ .arena = ARENA_INIT };
	swgraph_make(s, &l->arena, &l->g);
	l->of = arena_array(&l->arena, l->g.nsw + 1u, sizeof(*l->of));
	leaves = arena_array(&l->arena, l->g.nsw + 1u, sizeof(*leaves));
	queue = arena_array(&l->arena, l->g.nsw + 1u, sizeof(*queue));
	dist = arena_array(&l->arena, l->g.nsw + 1u, sizeof(*dist));
	usual = usual_hosts(l);
	for (uint32_t sw = 0; sw < l->g.nsw; sw++) {
		uint32_t hosts = l->g.host_first[sw + 1] - l->g.host_first[sw];

		if (hosts && hosts * FEW >= usual)
			leaves[n++] = sw;
	}
	if (n)
		swgraph_distances(&l->g, leaves, n, dist, queue);
	for (uint32_t sw = 0; sw < l->g.nsw; sw++) {
		unsigned level = !n || dist[sw] == SWGRAPH_FAR ? 1 : dist[sw] + 1u;

		l->of[sw] = (uint8_t)(level < LEVEL_MAX ? level : LEVEL_MAX);
		l->top = l->of[sw] > l->top ? l->of[sw] : l->top;
	}
}

void
levels_clear(struct levels *l)
{
	arena_clear(&l->arena);
	*l = (struct levels){ .arena = ARENA_INIT };
}
