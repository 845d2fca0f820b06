/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_again.c - what is computed from the state is what a full run computes, byte for byte.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/part.h"

static struct snapshot *s, *now;
static struct intended *intended;
static struct arena arena;
static struct lid_map lids;
static struct route_state *kept;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	made_free(now);
	s = now = NULL;
	intended_free(intended);
	intended = NULL;
	route_state_free(kept);
	kept = NULL;
	arena_clear(&arena);
	return 0;
}

static uint32_t
random_link(uint32_t *seed)
{
	for (;;) {
		uint32_t p = made_random(seed) % s->nports, peer = s->ports[p].peer;

		if (peer != FAB_NONE && fab_is_switch(&s->nodes[s->ports[p].node]) &&
		    fab_is_switch(&s->nodes[s->ports[peer].node]))
			return p;
	}
}

/* The blocks that the report names are those that differ. */
static void
check_changed(const struct fwd_tables *before, const struct fwd_tables *after,
	const struct route_report *r)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < after->nswitches; sw++)
		for (uint32_t b = 0; b < after->stride / 64; b++) {
			if (memcmp(fwd_row(before, sw) + b * 64, fwd_row(after, sw) + b * 64,
				64) == 0)
				continue;
			assert_true(n < r->nchanged);
			assert_int_equal(r->changed[n].sw, sw);
			assert_int_equal(r->changed[n].block, b);
			n++;
		}
	assert_int_equal(n, r->nchanged);
}

/* Links are lost and come back at random, at most 'most' at a time.  Returns how many runs were not
 * full. */
static unsigned
events(const char *spec, bool fuse, uint8_t lmc, uint32_t seed, unsigned n, unsigned most)
{
	struct made_how how = { .scramble = true, .seed = seed };
	struct lid_conf lc = { .lmc = lmc };
	struct lid_report lr;
	const struct route_engine *e;
	struct fwd_tables before = { 0 };
	uint32_t lost[16], nlost = 0;
	unsigned again = 0;
	char why[200];
	bool *dead;

	teardown(NULL);
	e = route_find("ftree", why, sizeof(why));
	s = made_snapshot(spec, &how);
	if (fuse)
		s = part_fuse_tops(s);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	intended = intended_learn(s, NULL);
	dead = arena_array(&arena, s->nports, sizeof(*dead));
	for (unsigned i = 0; i < n; i++) {
		struct arena a = ARENA_INIT;
		struct fwd_tables full, out;
		struct route_report r, f;
		struct lid_map l;
		struct route_in in = { .lids = &l, .intended = intended };

		if (i && nlost && (nlost == most || made_random(&seed) % 2)) {
			uint32_t k = made_random(&seed) % nlost;

			dead[lost[k]] = dead[s->ports[lost[k]].peer] = false;
			lost[k] = lost[--nlost];
		} else if (i) {
			uint32_t p = random_link(&seed);

			if (!dead[p] && !dead[s->ports[p].peer]) {
				lost[nlost++] = p;
				dead[p] = dead[s->ports[p].peer] = true;
			}
		}
		made_free(now);
		in.snapshot = now = part_copy(s, NULL, dead, NULL);
		part_lids(s, &lids, now, &a, &l);
		in.previous = i ? &before : NULL;
		if (e->run(&in, &a, &full, &f) == ROUTE_OK) {
			in.state = &kept;
			assert_int_equal(e->run(&in, &a, &out, &r), ROUTE_OK);
			again += r.again;
			assert_int_equal(out.stride, full.stride);
			for (uint32_t sw = 0; sw < full.nswitches; sw++)
				if (memcmp(fwd_row(&out, sw), fwd_row(&full, sw), full.stride) != 0)
					fail_msg("%s seed %u event %u: switch %u differs", spec,
						how.seed, i, sw);
			assert_int_equal(r.completed, f.completed);
			assert_int_equal(r.nroots, f.nroots);
			if (r.again)
				check_changed(&before, &out, &r);
			before = out;
		}
		arena_clear(&a);
	}
	return again;
}

static void
equal_bytes(void **state)
{
	unsigned again = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 5; seed++) {
		again += events("fattree:k=8,levels=3", false, 0, seed, 60, 1 + seed);
		again += events("fattree:k=8,levels=2", false, 0, seed, 60, 1 + seed);
		again += events("fattree:k=8,levels=3", true, 0, seed, 60, 1 + seed);
		again += events("fattree:k=6,levels=3", false, 2, seed, 60, 1 + seed);
		again += events("xgft:m=4/4/4,w=1/4/4", false, 0, seed, 60, 1 + seed);
	}
	printf("%u of 1500 runs were not full\n", again);
	assert_in_range(again, 700, 1500);
}

/* The first leaf in the order of columns. */
static uint32_t
anchor_node(void)
{
	for (uint32_t i = 0; i < intended->nsw; i++)
		if (intended->sw[i].leaf == 0)
			return snapshot_node_by_guid(s, intended->sw[i].guid);
	return FAB_NONE;
}

/* One link lost: few pivots, no switch left out, and the same tables from a state of before. */
static void
link_lose(const struct route_engine *e, bool *dead, uint32_t p)
{
	struct route_report r, f;
	struct arena a = ARENA_INIT;
	struct fwd_tables whole, full, out;
	struct lid_map l;
	struct route_in in = { .lids = &lids, .intended = intended, .snapshot = s, .state = &kept };

	assert_int_equal(e->run(&in, &a, &whole, &r), ROUTE_OK);
	dead[p] = dead[s->ports[p].peer] = true;
	in.snapshot = now = part_copy(s, NULL, dead, NULL);
	dead[p] = dead[s->ports[p].peer] = false;
	part_lids(s, &lids, now, &a, &l);
	in.lids = &l;
	in.previous = &whole;
	in.state = NULL;
	assert_int_equal(e->run(&in, &a, &full, &f), ROUTE_OK);
	if (f.npivots > 2 || f.lowered || f.declared)
		fail_msg("%s: port %u of switch %u: %u pivots, %u lowered, %u declared", e->name,
			s->ports[p].num, s->nodes[s->ports[p].node].sw, f.npivots, f.lowered,
			(unsigned)f.declared);
	in.state = &kept;
	assert_int_equal(e->run(&in, &a, &out, &r), ROUTE_OK);
	for (uint32_t sw = 0; sw < full.nswitches; sw++)
		assert_memory_equal(fwd_row(&out, sw), fwd_row(&full, sw), full.stride);
	made_free(now);
	now = NULL;
	arena_clear(&a);
}

/* Every link of the anchor and of its neighbours. */
static void
next_to_the_anchor(const char *spec, const char *name, uint32_t seed)
{
	struct made_how how = { .scramble = true, .seed = seed };
	struct lid_conf lc = { .lmc = 0 };
	struct lid_report lr;
	const struct fab_node *n;
	char why[200];
	bool *dead;

	teardown(NULL);
	s = made_snapshot(spec, &how);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	intended = intended_learn(s, NULL);
	dead = arena_array(&arena, s->nports, sizeof(*dead));
	n = &s->nodes[anchor_node()];
	for (unsigned p = 1; p <= n->nports; p++) {
		uint32_t peer = s->ports[n->first_port + p].peer;
		const struct fab_node *m = &s->nodes[s->ports[peer].node];

		for (unsigned k = 1; fab_is_switch(m) && k <= m->nports; k++) {
			uint32_t port = m->first_port + k, far = s->ports[port].peer;

			if (far != FAB_NONE && fab_is_switch(&s->nodes[s->ports[far].node]))
				link_lose(route_find(name, why, sizeof(why)), dead, port);
		}
	}
}

static void
around_the_anchor(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 2; seed++) {
		next_to_the_anchor("fattree:k=8,levels=3", "ftree", seed);
		next_to_the_anchor("fattree:k=8,levels=3", "updn", seed);
		next_to_the_anchor("fattree:k=6,levels=3", "ftree", seed);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(around_the_anchor, teardown),
		cmocka_unit_test_teardown(equal_bytes, teardown),
	};

	return cmocka_run_group_tests_name("sm/route/again", tests, NULL, NULL);
}
