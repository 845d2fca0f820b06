/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dragonfly.c - Dragonfly and Dragonfly+: groups of switches, every group linked to every other.
 * Room: sim/gen.  Pure.
 *
 * dragonfly:  a group is A switches sw-G-R, each cabled to all others of its group; ports: P hosts,
 * A-1 local, H global. dragonfly+: a group is a complete bipartite tree of L leaves leaf-G-I (N
 * hosts, S up) and S spines agg-G-I (L down,
 *             as many global ports as down ports, or what the radix leaves if that is less).
 *
 * Global cables: the K global ports of a group, in order, lead to the groups at distance 1, 2, ...
 * G-1, and so around again: as many whole rounds as fit give every pair of groups the same number
 * of cables.  The ports left over go by twos to distances +1 and -1, +2 and -2 and so on; a last
 * single one to the group opposite, if the number of groups is even, and stays unplugged if it is
 * odd.
 */
#include <config.h>
#include <inttypes.h>
#include "sim/gen/family.h"

/* Where the global ports of a group are: slot k of group x is port 'port0' + k % per_switch of
 * switch k / per_switch. */
struct global {
	uint32_t groups, slots;         /* slots: K */
	/* node index of group 0's first switch with global ports; distance to group 1's */
	uint32_t first, per_group;
	uint32_t per_switch, port0;
};

/* The slot at the far end of slot k, and the distance to its group; distance 0: unplugged. */
static uint32_t
far_slot(const struct global *w, uint32_t k, uint32_t *distance)
{
	uint32_t round = w->groups - 1, whole = w->slots / round * round, rest = w->slots - whole;
	uint32_t odd = k - whole;

	if (k < whole) {
		*distance = k % round + 1;
		return k / round * round + (round - *distance);
	}
	if (odd == rest - 1 && rest % 2) {
		*distance = w->groups % 2 ? 0 : w->groups / 2;
		return k;
	}
	*distance = odd % 2 ? w->groups - (odd / 2 + 1) : odd / 2 + 1;
	return whole + (odd ^ 1);
}

static void
wire_groups(struct gen *g, const struct global *w)
{
	for (uint32_t x = 0; x < w->groups; x++)
		for (uint32_t k = 0; k < w->slots; k++) {
			uint32_t distance, far = far_slot(w, k, &distance);
			uint32_t y = (x + distance) % w->groups;

			if (x < y)      /* each cable once; distance 0 gives y == x */
				gen_cable(g, w->first + x * w->per_group + k / w->per_switch,
					w->port0 + k % w->per_switch,
					w->first + y * w->per_group + far / w->per_switch,
					w->port0 + far % w->per_switch);
		}
}

enum { DF_A, DF_H, DF_P, DF_G };

static int
build_dragonfly(struct gen *g)
{
	uint32_t a = (uint32_t)g->v[DF_A].n, h = (uint32_t)g->v[DF_H].n, p = (uint32_t)g->v[DF_P].n;
	uint64_t groups = g->v[DF_G].given ? g->v[DF_G].n : (uint64_t)a * h + 1;
	struct global w;
	int rc = gen_check_radix(g, (uint64_t)p + a - 1 + h, "p + a - 1 + h");

	if (!rc && groups > (uint64_t)a * h + 1)
		rc = gen_refuse(g, "g is %" PRIu64 ", expected at most a*h+1, which is %" PRIu32,
			groups, a * h + 1);
	if (!rc)
		rc = gen_check_lids(g, groups * a, groups * a * p);
	if (rc)
		return rc;
	for (uint32_t x = 0; x < groups; x++)
		for (uint32_t r = 0; r < a; r++)
			gen_switch(g, "sw-%" PRIu32 "-%" PRIu32, x, r);
	for (uint32_t x = 0; x < groups; x++)
		for (uint32_t r = 0; r < a; r++)
			for (uint32_t q = r + 1; q < a; q++)
				gen_cable(g, x * a + r, p + q, x * a + q, p + r + 1);
	w = (struct global){ .groups = (uint32_t)groups, .slots = a * h, .per_group = a,
		.per_switch = h,
		.port0 = p + a };
	wire_groups(g, &w);
	gen_hosts(g, 0, (uint32_t)groups * a, p);
	return 0;
}

const struct gen_family gen_dragonfly = {
	"dragonfly", "dragonfly:a=A,h=H,p=P[,g=G][,radix=R]", {
		{ "a", GEN_NUMBER, true, 1, 254, 0 },
		{ "h", GEN_NUMBER, true, 1, 254, 0 },
		{ "p", GEN_NUMBER, true, 1, 253, 0 },
		{ "g", GEN_NUMBER, false, 2, 49151, 0 },
		GEN_RADIX(36),
	}, build_dragonfly,
};

enum { DFP_LEAVES, DFP_SPINES, DFP_GROUPS, DFP_HOSTS };

static int
check_plus(struct gen *g, uint32_t leaves, uint32_t spines, uint32_t groups, uint32_t hosts,
	uint32_t *global)
{
	uint64_t all_leaves = (uint64_t)groups * leaves;
	int rc = gen_check_radix(g, (uint64_t)hosts + spines, "hosts and spines, of a leaf");

	if (!rc)
		rc = gen_check_radix(g, (uint64_t)leaves + 1,
			"leaves and one global cable, of a spine");
	if (rc)
		return rc;
	*global = g->radix - leaves < leaves ? g->radix - leaves : leaves;
	if ((uint64_t)spines * *global < groups - 1)
		return gen_refuse(g, "groups is %" PRIu32 ", expected at most %" PRIu32 ": "
			"the spines of a group have %" PRIu32 " global ports each", groups,
			spines * *global + 1, *global);
	return gen_check_lids(g, all_leaves + (uint64_t)groups * spines, all_leaves * hosts);
}

static int
build_plus(struct gen *g)
{
	uint32_t leaves = (uint32_t)g->v[DFP_LEAVES].n, spines = (uint32_t)g->v[DFP_SPINES].n;
	uint32_t groups = (uint32_t)g->v[DFP_GROUPS].n, hosts = (uint32_t)g->v[DFP_HOSTS].n, global;
	struct global w;
	int rc = check_plus(g, leaves, spines, groups, hosts, &global);

	if (rc)
		return rc;
	for (uint32_t x = 0; x < groups; x++)
		for (uint32_t i = 0; i < leaves; i++)
			gen_switch(g, "leaf-%" PRIu32 "-%" PRIu32, x, i);
	w = (struct global){ .groups = groups, .slots = spines * global, .first = groups * leaves,
		.per_group = spines, .per_switch = global, .port0 = leaves + 1 };
	for (uint32_t x = 0; x < groups; x++)
		for (uint32_t i = 0; i < spines; i++)
			gen_switch(g, "agg-%" PRIu32 "-%" PRIu32, x, i);
	for (uint32_t x = 0; x < groups; x++)
		for (uint32_t i = 0; i < leaves; i++)
			for (uint32_t s = 0; s < spines; s++)
				gen_cable(g, x * leaves + i, hosts + 1 + s,
					w.first + x * spines + s, i + 1);
	wire_groups(g, &w);
	gen_hosts(g, 0, groups * leaves, hosts);
	return 0;
}

const struct gen_family gen_dragonfly_plus = {
	"dragonfly+", "dragonfly+:leaves=L,spines=S,groups=G,hosts=N[,radix=R]", {
		{ "leaves", GEN_NUMBER, true, 1, 253, 0 },
		{ "spines", GEN_NUMBER, true, 1, 253, 0 },
		{ "groups", GEN_NUMBER, true, 2, 49151, 0 },
		{ "hosts", GEN_NUMBER, true, 1, 253, 0 },
		GEN_RADIX(36),
	}, build_plus,
};
