/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hyperx.c - HyperX (all switches that differ in one coordinate are neighbours) and the hypercube
 * (HyperX of size 2).
 * Room: sim/gen.  Pure.
 *
 * Switch ports: hosts on 1..N, then for each dimension one port per other coordinate, ascending.
 */
#include <config.h>
#include <inttypes.h>
#include "sim/gen/family.h"

#define CUBE_DIMS_MAX 15

/* Cables all dimensions; switch s has coordinate s / stride % size in each, the last dimension
 * varying fastest. */
static void
dimension_wire(struct gen *g, const uint32_t *size, uint32_t dims, uint32_t switches,
	uint32_t hosts)
{
	uint32_t before = hosts, stride = switches;

	for (uint32_t d = 0; d < dims; before += size[d] - 1, d++) {
		stride /= size[d];
		for (uint32_t s = 0; s < switches; s++) {
			uint32_t own = s / stride % size[d];

			for (uint32_t peer = own + 1; peer < size[d]; peer++)
				gen_cable(g, s, before + peer, s + (peer - own) * stride,
					before + own + 1);
		}
	}
}

static int
build_hyperx(struct gen *g)
{
	const struct gen_value *size = &g->v[0];
	uint64_t hosts = g->v[1].n, switches = 1, ports = hosts;
	int rc;

	if (size->count > 3)
		return gen_refuse(g, "the size has %" PRIu32 " dimensions, expected 1 to 3",
			size->count);
	for (uint32_t d = 0; d < size->count; d++) {
		switches *= size->list[d];
		ports += size->list[d] - 1;
	}
	rc = gen_check_radix(g, ports,
		"hosts, and one for every other coordinate of each dimension");
	if (!rc)
		rc = gen_check_lids(g, switches, switches * hosts);
	if (rc)
		return rc;
	for (uint32_t s = 0; s < switches; s++) {
		uint32_t b = size->count > 1 ? size->list[1] : 1, c = size->count > 2 ?
			size->list[2] : 1;

		if (size->count == 1)
			gen_switch(g, "sw-%" PRIu32, s);
		else if (size->count == 2)
			gen_switch(g, "sw-%" PRIu32 "-%" PRIu32, s / b, s % b);
		else
			gen_switch(g, "sw-%" PRIu32 "-%" PRIu32 "-%" PRIu32, s / c / b, s / c % b,
				s % c);
	}
	dimension_wire(g, size->list, size->count, (uint32_t)switches, (uint32_t)hosts);
	gen_hosts(g, 0, (uint32_t)switches, (uint32_t)hosts);
	return 0;
}

const struct gen_family gen_hyperx = {
	"hyperx", "hyperx:A[xB[xC]],hosts=N[,radix=R]", {
		{ "AxBxC", GEN_DIMS, true, 2, 254, 0 },
		{ "hosts", GEN_NUMBER, true, 1, 253, 0 },
		GEN_RADIX(36),
	}, build_hyperx,
};

static int
build_hypercube(struct gen *g)
{
	uint32_t dims = (uint32_t)g->v[0].n, hosts = (uint32_t)g->v[1].n, switches = 1u << dims;
	uint32_t size[CUBE_DIMS_MAX];
	int rc = gen_check_radix(g, (uint64_t)hosts + dims, "hosts, and one for each dimension");

	if (!rc)
		rc = gen_check_lids(g, switches, (uint64_t)switches * hosts);
	if (rc)
		return rc;
	for (uint32_t d = 0; d < dims; d++)
		size[d] = 2;
	for (uint32_t s = 0; s < switches; s++)
		gen_switch(g, "sw-%" PRIu32, s);
	dimension_wire(g, size, dims, switches, hosts);
	gen_hosts(g, 0, switches, hosts);
	return 0;
}

const struct gen_family gen_hypercube = {
	"hypercube", "hypercube:d=D,hosts=N[,radix=R]", {
		{ "d", GEN_NUMBER, true, 1, CUBE_DIMS_MAX, 0 },
		{ "hosts", GEN_NUMBER, true, 1, 253, 0 },
		GEN_RADIX(36),
	}, build_hypercube,
};
