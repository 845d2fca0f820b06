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
check_changed(const struct fwd_tables *before, const struct fwd_tables *after, const struct route_report *r)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < after->nswitches; sw++)
		for (uint32_t b = 0; b < after->stride / 64; b++) {
			if (memcmp(fwd_row(before, sw) + b * 64, fwd_row(after, sw) + b * 64, 64) == 0)
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
					fail_msg("%s seed %u event %u: switch %u differs", spec, how.seed, i, sw);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(equal_bytes, teardown),
	};

	return cmocka_run_group_tests_name("sm/route/again", tests, NULL, NULL);
}
