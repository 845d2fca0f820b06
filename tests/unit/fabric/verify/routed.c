/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * routed.c - fabrics with tables for the tests of the verifier.
 */
#include <config.h>
#include <stdio.h>
#include "tests/unit/fabric/tabled.h"
#include "tests/unit/fabric/verify/naive_lanes.h"
#include "tests/unit/fabric/verify/routed.h"
#include "tests/unit/route/naive.h"

struct routed rt;

int
routed_setup(void **state)
{
	(void)state;
	tabled_pools_make(rt.pools);
	return 0;
}

int
routed_group_teardown(void **state)
{
	(void)state;
	tabled_pools_free(rt.pools);
	return 0;
}

int
routed_teardown(void **state)
{
	(void)state;
	made_free(rt.s);
	rt.s = NULL;
	arena_clear(&rt.arena);
	return 0;
}

void
routed_run(const char *engine, struct fwd_tables *out)
{
	assert_int_equal(tabled_route(engine, rt.s, &rt.lids, &rt.arena, out), ROUTE_OK);
}

void
routed_make(const char *spec)
{
	routed_teardown(NULL);
	rt.s = made_snapshot(spec, NULL);
	tabled_lids(rt.s, &rt.arena, &rt.lids);
}

void
routed_make_random(uint32_t seed)
{
	static const char *const shapes[] = { "torus:5,hosts=1,radix=4",
		"torus:3x3,hosts=1,radix=6", "mesh:2x3,hosts=2,radix=6", "fattree:k=4,levels=2" };
	char spec[80];

	rt.rnd = seed * 2654435761u + 17;
	if (seed % 3 == 0) {
		routed_make(shapes[seed / 3 % 4]);
		return;
	}
	snprintf(spec, sizeof(spec), "random:switches=%u,cables=%u,hosts=%u,seed=%u", 5 + seed % 4,
		5 + seed % 4 + seed % 5, 1 + seed % 2, seed);
	routed_make(spec);
}

struct lane_plan *
routed_plan(void)
{
	struct lane_plan *p = arena_alloc(&rt.arena, sizeof(*p));
	uint8_t in_use[LANE_SLS];
	unsigned n = 0;

	p->nvls = (uint8_t)(1 + made_random(&rt.rnd) % 4);
	p->nclasses = (uint8_t)(1 + made_random(&rt.rnd) % 3);
	p->nswitches = rt.s->nswitches;
	while (!n)
		for (uint8_t sl = 0; sl < LANE_SLS; sl++)
			if (made_random(&rt.rnd) % 5 == 0) {
				p->sls |= (uint16_t)(1u << sl);
				in_use[n++] = sl;
			}
	for (unsigned i = 0; i < p->nclasses; i++)
		for (unsigned o = 0; o < p->nclasses; o++)
			for (unsigned k = 0; k < n; k++)
				p->vl[i][o][in_use[k]] = (uint8_t)(made_random(&rt.rnd) % 3 ?
						k % p->nvls :
						made_random(&rt.rnd) % p->nvls);
	if (made_random(&rt.rnd) % 4) {
		p->port_class = arena_alloc(&rt.arena, rt.s->nports);
		for (uint32_t i = 0; i < rt.s->nports; i++)
			p->port_class[i] = (uint8_t)(made_random(&rt.rnd) % p->nclasses);
	}
	if (made_random(&rt.rnd) % 5) {
		p->sl = arena_array(&rt.arena, rt.s->nswitches, rt.s->nswitches);
		for (uint32_t i = 0; i < rt.s->nswitches * rt.s->nswitches; i++)
			p->sl[i] = in_use[made_random(&rt.rnd) % n];
	}
	return p;
}

void
routed_spoil(struct fwd_tables *t, unsigned n)
{
	for (; n > 0; n--) {
		uint32_t sw = made_random(&rt.rnd) % rt.s->nswitches,
			 lid = 1 + made_random(&rt.rnd) % rt.lids.top;

		fwd_row(t, sw)[lid] =
			(uint8_t)(made_random(&rt.rnd) % (rt.s->nodes[rt.s->switches[sw]].nports + 1u));
	}
}

void
routed_copy(struct fwd_tables *to, const struct fwd_tables *from)
{
	*to = *from;
	to->port = arena_array(&rt.arena, from->nswitches, from->stride);
	memcpy(to->port, from->port, (size_t)from->nswitches * from->stride);
}

/* Each edge of the cycle shown must be one that its LID and its SL can make. */
static void
check_cycle(const struct verify_result *v, const struct fwd_tables *const *t, unsigned n)
{
	assert_true(v->ncycle >= 2);
	for (unsigned i = 0; i < v->ncycle; i++) {
		uint32_t in = v->cycle[i], next = v->cycle[(i + 1) % v->ncycle],
			 out = rt.s->ports[next].peer;
		uint8_t vl = v->cycle_vl[(i + 1) % v->ncycle];
		bool comes = false, goes = false, lane = false;

		assert_int_not_equal(v->cycle_lid[i], 0);
		assert_int_equal(rt.s->ports[out].node, rt.s->ports[in].node);
		for (unsigned k = 0; k < n; k++) {
			comes |= fwd_row(t[k],
					 rt.s->nodes[rt.s->ports[rt.s->ports[in].peer].node]
						 .sw)[v->cycle_lid[i]] ==
				rt.s->ports[rt.s->ports[in].peer].num;
			goes |= fwd_row(t[k],
				rt.s->nodes[rt.s->ports[in].node].sw)[v->cycle_lid[i]] ==
				rt.s->ports[out].num;
			lane |= (t[k]->lanes ? lanes_vl(t[k]->lanes, in, out, v->cycle_sl[i]) :
					       0) == vl;
		}
		assert_true(comes && goes && lane);
	}
}

struct verify_result
routed_verified(const struct fwd_tables *before, enum verify_scope scope)
{
	struct verify_in in = {
		.snapshot = rt.s, .lids = &rt.lids, .tables = &rt.f, .scope = scope, .vls = 4
	};
	struct verify_result v, w;

	if (before)
		verify_change(&in, before, &v);
	else
		verify_check(&in, &v);
	for (int i = 0; i < 2; i++) {
		in.stripes = pool_stripes(rt.pools[i]);
		if (before)
			verify_change(&in, before, &w);
		else
			verify_check(&in, &w);
		assert_memory_equal(&v, &w, sizeof(v));
	}
	return v;
}

bool
routed_judge(const struct fwd_tables *before)
{
	const struct fwd_tables *t[2] = { &rt.f, before };
	bool cyclic = false;

	for (int all = 1; all >= 0; all--) {
		struct naive n = naive_check(rt.s, &rt.lids, &rt.f, all);
		struct naive_lanes nl = { .s = rt.s,
			.l = &rt.lids,
			.f = { &rt.f, before },
			.ntables = before ? 2 : 1,
			.all = all };
		struct verify_result v = routed_verified(before, all ? VERIFY_ALL : VERIFY_HOSTS);

		naive_lanes_check(&nl);
		assert_string_equal(v.lanes, "");
		assert_int_equal(v.unreachable, n.lost_host);
		assert_int_equal(v.unreachable_switch, n.lost_switch);
		assert_int_equal(v.loops, n.looping_lids);
		assert_int_equal(v.dependencies, nl.dependencies);
		assert_int_equal(v.credit_loops > 0, nl.cyclic);
		assert_int_equal(v.ok, !n.lost_host && !n.looping_lids && !nl.cyclic);
		if (nl.cyclic)
			check_cycle(&v, t, nl.ntables);
		cyclic = nl.cyclic;
	}
	return cyclic;
}
