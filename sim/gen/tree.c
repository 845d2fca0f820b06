/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tree.c - fat trees: k-ary trees of two or three levels, and extended generalized fat trees
 * (XGFT).
 * Room: sim/gen.  Pure.
 *
 * XGFT(h; m1..mh; w1..wh): a node of level i has m[i] children and a node of level i-1 has w[i]
 * parents; level 0 are the hosts.  A node of level i is a pair (X, Y): X numbers the subtree of
 * level i, Y the copies of its root.
 * 	parent of (X, Y) by its up port y:  (X / m[i+1], Y * w[i+1] + y),  entered by the parent's port
 *  X % m[i+1]
 * A k-ary tree with h = k/2 is XGFT(3; h, h, pods; 1, h, h), or XGFT(2; h, k; 1, h) with two
 * levels.
 *
 * Names: leaf-P-I and agg-P-I in pod P, core-I-J at the top: all cores with one I hang on the same
 * agg of each pod. With two levels there is one pod, 0.  With more than three, all levels between
 * leaf and top count on as agg.
 */
#include <config.h>
#include <inttypes.h>
#include "sim/gen/family.h"

struct tree {
	uint32_t levels;
	uint32_t m[GEN_LIST_MAX + 1], w[GEN_LIST_MAX + 1];      /* from 1 */
	/* subtrees of this level in the whole */
	uint32_t below[GEN_LIST_MAX + 1];
	uint32_t copies[GEN_LIST_MAX + 1];                      /* roots of each such subtree */
	/* node index of the level's first switch */
	uint32_t first[GEN_LIST_MAX + 1];
};

/* Fills 'below' and 'copies' and checks that ports and LIDs suffice. */
static int
measure(struct gen *g, struct tree *t)
{
	uint64_t subtrees = 1, copies = 1, switches = 0, hosts = 1;
	int rc = 0;

	for (uint32_t i = t->levels; i >= 1; i--) {
		hosts *= t->m[i];
		if (hosts > UINT32_MAX)
			return gen_check_lids(g, 0, hosts);
	}
	for (uint32_t i = t->levels; i >= 1; i--) {
		t->below[i] = (uint32_t)subtrees;
		subtrees *= t->m[i];
	}
	for (uint32_t i = 1; i <= t->levels && !rc; i++) {
		uint32_t up = i < t->levels ? t->w[i + 1] : 0;

		copies *= t->w[i];
		if (copies > UINT32_MAX || copies * t->below[i] > UINT32_MAX)
			return gen_check_lids(g, copies, hosts);
		t->copies[i] = (uint32_t)copies;
		switches += copies * t->below[i];
		rc = gen_check_radix(g, (uint64_t)t->m[i] + up, "children and parents");
	}
	return rc ? rc : gen_check_lids(g, switches, hosts * t->w[1]);
}

static void
add_level(struct gen *g, struct tree *t, uint32_t level)
{
	bool top = level == t->levels;
	uint32_t pods = t->levels > 2 ? t->m[t->levels] : 1;
	uint32_t per_pod = t->below[level] * t->copies[level] / pods, skip = 0;

	for (uint32_t i = 2; i < level; i++)
		skip += t->below[i] * t->copies[i] / pods;
	t->first[level] = topo_builder_count(g->b);
	for (uint32_t n = 0; n < t->below[level] * t->copies[level]; n++) {
		if (level == 1)
			gen_switch(g, "leaf-%" PRIu32 "-%" PRIu32, top ? 0 : n / per_pod, top ? n :
				n % per_pod);
		else if (top)
			gen_switch(g, "core-%" PRIu32 "-%" PRIu32, n / t->w[level],
				n % t->w[level]);
		else
			gen_switch(g, "agg-%" PRIu32 "-%" PRIu32, n / per_pod, skip + n % per_pod);
	}
}

static void
wire_level(struct gen *g, const struct tree *t, uint32_t level)
{
	uint32_t m = t->m[level + 1], w = t->w[level + 1];

	for (uint32_t x = 0; x < t->below[level]; x++)
		for (uint32_t y = 0; y < t->copies[level]; y++)
			for (uint32_t up = 0; up < w; up++)
				gen_cable(g, t->first[level] + x * t->copies[level] + y,
					t->m[level] + 1 + up,
					t->first[level + 1] + x / m * t->copies[level + 1] + y * w +
					up, x % m + 1);
}

static int
build_tree(struct gen *g, struct tree *t)
{
	int rc = measure(g, t);

	if (rc)
		return rc;
	for (uint32_t i = 1; i <= t->levels; i++)
		add_level(g, t, i);
	for (uint32_t i = 1; i < t->levels; i++)
		wire_level(g, t, i);
	for (uint32_t x = 0; x < t->below[1] * t->m[1]; x++) {
		uint32_t host = gen_host(g, (uint8_t)t->w[1]);

		for (uint32_t y = 0; y < t->w[1]; y++)
			gen_cable(g, t->first[1] + x / t->m[1] * t->copies[1] + y, x % t->m[1] + 1,
				host, y + 1);
	}
	return 0;
}

enum { FATTREE_K, FATTREE_LEVELS, FATTREE_PODS, FATTREE_RADIX };

static int
build_fattree(struct gen *g)
{
	uint32_t k = (uint32_t)g->v[FATTREE_K].n, half = k / 2, pods = k;
	const struct gen_value *given = &g->v[FATTREE_PODS];
	struct tree t = { .levels = (uint32_t)g->v[FATTREE_LEVELS].n };

	if (k % 2)
		return gen_refuse(g, "k is %" PRIu32 ", expected an even number", k);
	if (given->given && t.levels == 2)
		return gen_refuse(g, "pods goes with levels=3 only");
	if (given->given && given->n > k)
		return gen_refuse(g, "pods is %" PRIu64 ", expected at most k, which is %" PRIu32,
			given->n, k);
	if (given->given)
		pods = (uint32_t)given->n;
	if (!g->v[FATTREE_RADIX].given)
		g->radix = (uint8_t)k;
	t.m[1] = half;
	t.w[1] = 1;
	t.m[2] = t.levels == 2 ? k : half;
	t.w[2] = half;
	t.m[3] = pods;
	t.w[3] = half;
	return build_tree(g, &t);
}

const struct gen_family gen_fattree = {
	"fattree", "fattree:k=K,levels=2|3[,pods=P][,radix=R]", {
		{ "k", GEN_NUMBER, true, 2, 254, 0 },
		{ "levels", GEN_NUMBER, true, 2, 3, 0 },
		{ "pods", GEN_NUMBER, false, 1, 254, 0 },
		GEN_RADIX(0),
	}, build_fattree,
};

static int
build_xgft(struct gen *g)
{
	const struct gen_value *m = &g->v[0], *w = &g->v[1];
	struct tree t = { .levels = m->count };

	if (m->count != w->count)
		return gen_refuse(g,
			"m has %" PRIu32 " numbers and w has %" PRIu32 ", expected as many",
			m->count, w->count);
	for (uint32_t i = 1; i <= t.levels; i++) {
		t.m[i] = m->list[i - 1];
		t.w[i] = w->list[i - 1];
	}
	return build_tree(g, &t);
}

const struct gen_family gen_xgft = {
	"xgft", "xgft:m=M1/M2/...,w=W1/W2/...[,radix=R]", {
		{ "m", GEN_LIST, true, 1, 254, 0 },
		{ "w", GEN_LIST, true, 1, 254, 0 },
		GEN_RADIX(36),
	}, build_xgft,
};
