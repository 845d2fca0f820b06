/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * torus.c - grids of one to three dimensions, closed (torus) or open (mesh).
 * Room: sim/gen.  Pure.
 *
 * Switch sw-X-Y-Z has its hosts on ports 1..N, and in dimension d (from 0) port N+2d+1 leads to the
 * next higher coordinate and N+2d+2 to the next lower.  In a closed dimension of size 2 both lead
 * to the same neighbour: two parallel cables, so that a torus has one cable per switch and
 * dimension whatever its size.
 */
#include <config.h>
#include <inttypes.h>
#include "sim/gen/family.h"

#define DIMS_MAX 3

enum { GRID_SIZE, GRID_HOSTS };

/* Multiplies '*switches' by every size. */
static int
torus_check(struct gen *g, uint64_t *switches)
{
	const struct gen_value *size = &g->v[GRID_SIZE];
	uint64_t hosts = g->v[GRID_HOSTS].n;
	int rc;

	if (size->count > DIMS_MAX)
		return gen_refuse(g, "the size has %" PRIu32 " dimensions, expected 1 to %d",
			size->count, DIMS_MAX);
	for (uint32_t d = 0; d < size->count; d++)
		*switches *= size->list[d];
	rc = gen_check_radix(g, hosts + 2 * size->count, "hosts, and two for each dimension");
	return rc ? rc : gen_check_lids(g, *switches, *switches * hosts);
}

static void
add_switch(struct gen *g, const uint32_t *at, uint32_t dims)
{
	if (dims == 1)
		gen_switch(g, "sw-%" PRIu32, at[0]);
	else if (dims == 2)
		gen_switch(g, "sw-%" PRIu32 "-%" PRIu32, at[0], at[1]);
	else
		gen_switch(g, "sw-%" PRIu32 "-%" PRIu32 "-%" PRIu32, at[0], at[1], at[2]);
}

static int
build_grid(struct gen *g, bool closed)
{
	const struct gen_value *size = &g->v[GRID_SIZE];
	uint32_t hosts = (uint32_t)g->v[GRID_HOSTS].n, dims = size->count, at[DIMS_MAX], stride = 1;
	uint64_t switches = 1;
	int rc = torus_check(g, &switches);

	if (rc)
		return rc;
	for (uint32_t s = 0; s < switches; s++) {
		uint32_t rest = s;

		for (uint32_t d = dims; d-- > 0; rest /= size->list[d])
			at[d] = rest % size->list[d];
		add_switch(g, at, dims);
	}
	for (uint32_t d = dims; d-- > 0; stride *= size->list[d])
		for (uint32_t s = 0; s < switches; s++) {
			bool last = s / stride % size->list[d] == size->list[d] - 1;

			if (last && !closed)
				continue;
			gen_cable(g, s, hosts + 2 * d + 1,
				last ? s - (size->list[d] - 1) * stride : s + stride,
				hosts + 2 * d + 2);
		}
	gen_hosts(g, 0, (uint32_t)switches, hosts);
	return 0;
}

static int
build_torus(struct gen *g)
{
	return build_grid(g, true);
}

static int
build_mesh(struct gen *g)
{
	return build_grid(g, false);
}

const struct gen_family gen_torus = {
	"torus", "torus:A[xB[xC]],hosts=N[,radix=R]", {
		{ "AxBxC", GEN_DIMS, true, 2, 16384, 0 },
		{ "hosts", GEN_NUMBER, true, 1, 253, 0 },
		GEN_RADIX(36),
	}, build_torus,
};

const struct gen_family gen_mesh = {
	"mesh", "mesh:A[xB[xC]],hosts=N[,radix=R]", {
		{ "AxBxC", GEN_DIMS, true, 2, 16384, 0 },
		{ "hosts", GEN_NUMBER, true, 1, 253, 0 },
		GEN_RADIX(36),
	}, build_mesh,
};
