/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dnup.c - engine dnup: updn with another "up", away from the nearest switch with hosts.
 * Room: sm/route/tree.  Pure.
 *
 * For fabrics whose switches with hosts also carry the traffic of others.
 */
#include <config.h>
#include <string.h>
#include "sm/route/tree/tree.h"
#include "sm/route/tree/tree_engines.h"

/* The farther from hosts, the higher. */
static void
dnup_ranks(const struct frame *f, uint16_t *rank, struct arena *a)
{
	const struct swgraph *g = &f->whole.g;
	uint32_t *queue = arena_array(a, g->nsw, sizeof(*queue));
	uint32_t *leaves = arena_array(a, g->nsw, sizeof(*leaves)), n = 0, reached;
	uint16_t most;

	for (uint32_t sw = 0; sw < f->nknown; sw++)
		if (swgraph_is_leaf(g, sw))
			leaves[n++] = sw;
	reached = swgraph_distances(g, leaves, n, rank, queue);
	most = reached ? rank[queue[reached - 1]] : 0;
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		rank[sw] = rank[sw] == SWGRAPH_FAR ? 0 : (uint16_t)(most - rank[sw]);
	frame_rank_new(f, rank, a);
}

enum route_code
dnup_run(const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	static const struct tree_kind kind = {
		.name = "dnup", .ranks = dnup_ranks,
	};

	return tree_run(&kind, in, a, out, r);
}
