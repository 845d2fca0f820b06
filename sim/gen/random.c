/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * random.c - connected random networks; equal seeds give equal networks on every machine.
 * Room: sim/gen.  Pure: the numbers come from the seed alone (splitmix64).
 *
 * First a random tree: the switches in a shuffled order, each cabled to a random earlier one that
 * has a port left. Then cables between random pairs that have none yet.  When a number of draws
 * found no pair, the pairs are tried in order; when there is none, a cable (x, y) is taken out and
 * its ends go to the ports that are left over: both to u when one switch u has two of them, else x
 * to u and y to v.  Neither can disconnect anything (in the second case u and v are neighbours
 * already, or they would have been a pair).
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "sim/gen/family.h"
#include "util/xalloc.h"

#define DRAWS 200

enum { RND_SWITCHES, RND_CABLES, RND_HOSTS, RND_SEED };

struct net {
	uint64_t state;                 /* of the generator */
	uint32_t switches, degree_max;
	uint32_t *degree;
	uint32_t *peers;                /* degree_max per switch */
	uint32_t cables;
};

static uint64_t
random_draw(struct net *n)
{
	uint64_t z = n->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static uint32_t
draw_below(struct net *n, uint32_t limit)
{
	return (uint32_t)((random_draw(n) >> 32) * limit >> 32);
}

static bool
has_room(const struct net *n, uint32_t s)
{
	return n->degree[s] < n->degree_max;
}

static uint32_t *
find_peer(const struct net *n, uint32_t a, uint32_t b)
{
	uint32_t *peers = n->peers + (size_t)a * n->degree_max;

	for (uint32_t i = 0; i < n->degree[a]; i++)
		if (peers[i] == b)
			return &peers[i];
	return NULL;
}

static void
pair_join(struct net *n, uint32_t a, uint32_t b)
{
	n->peers[(size_t)a * n->degree_max + n->degree[a]++] = b;
	n->peers[(size_t)b * n->degree_max + n->degree[b]++] = a;
	n->cables++;
}

static void
grow_tree(struct net *n)
{
	uint32_t *order = xmalloc(n->switches * sizeof(*order));
	uint32_t *open = xmalloc(n->switches * sizeof(*open)), nopen = 1;

	for (uint32_t i = 0; i < n->switches; i++)
		order[i] = i;
	for (uint32_t i = n->switches - 1; i > 0; i--) {
		uint32_t k = draw_below(n, i + 1), swap = order[i];

		order[i] = order[k];
		order[k] = swap;
	}
	open[0] = order[0];
	for (uint32_t i = 1; i < n->switches; i++) {
		uint32_t k = draw_below(n, nopen), parent = open[k];

		pair_join(n, parent, order[i]);
		if (!has_room(n, parent))
			open[k] = open[--nopen];
		if (has_room(n, order[i]))
			open[nopen++] = order[i];
	}
	free(order);
	free(open);
}

static bool
may_join(const struct net *n, uint32_t a, uint32_t b)
{
	return a != b && has_room(n, a) && has_room(n, b) && !find_peer(n, a, b);
}

/* Joins the first pair that may, looking at the switches that have room; false: there is none. */
static bool
join_in_order(struct net *n, uint32_t *left, uint32_t *nleft)
{
	*nleft = 0;
	for (uint32_t i = 0; i < n->switches; i++)
		if (has_room(n, i))
			left[(*nleft)++] = i;
	for (uint32_t i = 0; i < *nleft; i++)
		for (uint32_t k = i + 1; k < *nleft; k++)
			if (may_join(n, left[i], left[k])) {
				pair_join(n, left[i], left[k]);
				return true;
			}
	return false;
}

/* Puts u and v in the place of y and x at the cable (x, y): x-u and y-v; u may be v if it has
 * two ports left. */
static bool
splice(struct net *n, uint32_t u, uint32_t v)
{
	for (uint32_t x = 0; x < n->switches; x++) {
		if (x == u || x == v || find_peer(n, x, u))
			continue;
		for (uint32_t i = 0; i < n->degree[x]; i++) {
			uint32_t y = n->peers[(size_t)x * n->degree_max + i];

			if (y == u || y == v || find_peer(n, y, v))
				continue;
			*find_peer(n, y, x) = v;
			n->peers[(size_t)x * n->degree_max + i] = u;
			n->peers[(size_t)u * n->degree_max + n->degree[u]++] = x;
			n->peers[(size_t)v * n->degree_max + n->degree[v]++] = y;
			n->cables++;
			return true;
		}
	}
	return false;
}

/* One more cable somewhere; false: no place is left. */
static bool
add_cable(struct net *n, uint32_t *left)
{
	uint32_t nleft;

	for (uint32_t i = 0; i < DRAWS; i++) {
		uint32_t a = draw_below(n, n->switches), b = draw_below(n, n->switches);

		if (may_join(n, a, b)) {
			pair_join(n, a, b);
			return true;
		}
	}
	if (join_in_order(n, left, &nleft))
		return true;
	for (uint32_t i = 0; i < nleft; i++)
		if (n->degree_max - n->degree[left[i]] > 1 && splice(n, left[i], left[i]))
			return true;
	return nleft > 1 && splice(n, left[0], left[1]);
}

static int
random_check(struct gen *g)
{
	uint64_t s = g->v[RND_SWITCHES].n, cables = g->v[RND_CABLES].n, hosts = g->v[RND_HOSTS].n,
		degree, most;
	int rc = gen_check_radix(g, hosts + (s > 2 ? 2 : s - 1), "hosts and cables");

	if (!rc)
		rc = gen_check_lids(g, s, s * hosts);
	if (rc)
		return rc;
	degree = g->radix - hosts < s - 1 ? g->radix - hosts : s - 1;
	most = s * degree / 2;
	if (cables < s - 1 || cables > most)
		return gen_refuse(g,
			"cables is %" PRIu64 ", expected from %" PRIu64 " (connected) to %" PRIu64
			" (one per pair, %" PRIu64 " ports per switch)",
			cables, s - 1, most, degree);
	return 0;
}

static void
cables_emit(struct gen *g, const struct net *n, uint32_t hosts)
{
	for (uint32_t s = 0; s < n->switches; s++)
		gen_switch(g, "sw-%" PRIu32, s);
	for (uint32_t s = 0; s < n->switches; s++)
		for (uint32_t i = 0; i < n->degree[s]; i++) {
			uint32_t peer = n->peers[(size_t)s * n->degree_max + i];
			const uint32_t *back = find_peer(n, peer, s);

			if (s < peer)
				gen_cable(g, s, hosts + 1 + i, peer,
					hosts + 1 + (uint32_t)(back -
					(n->peers + (size_t)peer * n->degree_max)));
		}
	gen_hosts(g, 0, n->switches, hosts);
}

static int
build_random(struct gen *g)
{
	uint32_t hosts = (uint32_t)g->v[RND_HOSTS].n, cables = (uint32_t)g->v[RND_CABLES].n, *left;
	struct net n = { .state = g->v[RND_SEED].n, .switches = (uint32_t)g->v[RND_SWITCHES].n };
	int rc = random_check(g);

	if (rc)
		return rc;
	n.degree_max = g->radix - hosts;
	n.degree = xcalloc(n.switches, sizeof(*n.degree));
	n.peers = xcalloc((size_t)n.switches * n.degree_max + 1, sizeof(*n.peers));
	left = xcalloc(n.switches, sizeof(*left));
	grow_tree(&n);
	while (n.cables < cables && add_cable(&n, left))
		;
	if (n.cables < cables)
		rc = gen_refuse(g,
			"only %" PRIu32 " of cables=%" PRIu32
			" found a place, expected fewer or a larger radix",
			n.cables, cables);
	else
		cables_emit(g, &n, hosts);
	free(n.degree);
	free(n.peers);
	free(left);
	return rc;
}

const struct gen_family gen_random = {
	"random", "random:switches=S,cables=C,hosts=N,seed=X[,radix=R]", {
		{ "switches", GEN_NUMBER, true, 1, 49151, 0 },
		{ "cables", GEN_NUMBER, true, 0, 10000000, 0 },
		{ "hosts", GEN_NUMBER, true, 1, 253, 0 },
		{ "seed", GEN_NUMBER, true, 0, UINT64_MAX, 0 },
		GEN_RADIX(36),
	}, build_random,
};
