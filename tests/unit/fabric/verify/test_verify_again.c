/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_again.c - a verdict that rests on earlier tables is that of a whole check, through losses
 * and returns of switches, hosts and links, other owners of LIDs, wrong entries and other engines.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/verify/verify.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/part.h"
#include "util/pool.h"
#include "util/xalloc.h"

static struct snapshot *whole;
static struct lid_map all;
static struct arena arena;
static struct verify_kept *kept;
static uint32_t rnd;
static struct fwd_tables last;          /* of a step with all switches; their rows are held */
static struct {
	unsigned steps, partial, refused, lost, looked;
} seen;

static int
teardown(void **state)
{
	(void)state;
	verify_kept_free(kept);
	kept = NULL;
	fwd_rows_drop(last.rows);
	last = (struct fwd_tables){ .port = NULL };
	made_free(whole);
	whole = NULL;
	arena_clear(&arena);
	return 0;
}

static uint32_t
below(uint32_t n)
{
	return made_random(&rnd) % n;
}

/* Another part of the fabric. */
static struct snapshot *
next_part(void)
{
	bool *gone = xcalloc(whole->nnodes, sizeof(*gone)), *dead = xcalloc(whole->nports, sizeof(*dead));
	struct snapshot *s;

	for (uint32_t n = below(3); n; n--)
		gone[below(whole->nnodes)] = true;
	for (uint32_t n = below(4); n; n--)
		dead[below(whole->nports)] = true;
	s = part_copy(whole, gone, dead, NULL);
	free(gone);
	free(dead);
	return s;
}

static void
swap_owners(struct lid_map *l)
{
	uint32_t a = 1 + below(l->top), b = 1 + below(l->top), owner = l->owner[a];

	l->owner[a] = l->owner[b];
	l->owner[b] = owner;
}

/* The tables of a step: as an engine makes them, or those of an earlier step that did not hear of
 * what has changed since. */
static bool
make_tables(const struct route_in *in, const struct route_engine *e, struct arena *a, struct fwd_tables *f)
{
	struct route_report r;
	size_t bytes;

	if (last.port && in->snapshot->nswitches == whole->nswitches && below(3) == 0) {
		*f = last;
		return true;
	}
	if (!in->snapshot->nswitches || e->run(in, a, f, &r) != ROUTE_OK)
		return false;
	bytes = (size_t)f->nswitches * f->stride;
	if (in->snapshot->nswitches < whole->nswitches)
		return true;
	fwd_rows_drop(last.rows);
	last = *f;
	last.rows = fwd_rows_new(bytes);
	last.port = memcpy(fwd_rows_bytes(last.rows), f->port, bytes);
	return true;
}

static void
compare(const struct verify_result *v, const struct verify_result *w)
{
	seen.steps++;
	seen.partial += v->partial;
	seen.refused += !v->ok;
	seen.lost += v->partial && v->nlost;
	seen.looked += v->partial && v->changed;
	assert_int_equal(v->ok, w->ok);
	assert_int_equal(v->unreachable, w->unreachable);
	assert_int_equal(v->unreachable_switch, w->unreachable_switch);
	assert_int_equal(v->loops, w->loops);
	assert_int_equal(v->credit_loops, w->credit_loops);
	assert_int_equal(v->nlost, w->nlost);
	assert_memory_equal(v->lost, w->lost, sizeof(v->lost));
	assert_true(v->dependencies >= w->dependencies);
}

static void
step(const char *const *engines, unsigned nengines, const struct stripes *stripes)
{
	struct snapshot *s = next_part();
	struct arena a = ARENA_INIT;
	struct lid_map lids;
	struct fwd_tables f;
	struct verify_result v, w;
	char why[200];
	const struct route_engine *e = route_find(engines[below(nengines)], why, sizeof(why));
	struct route_in in = { .snapshot = s, .lids = &lids };
	struct verify_in vi = { .snapshot = s, .lids = &lids, .tables = &f, .scope = VERIFY_ALL,
		.stripes = stripes };

	part_lids(whole, &all, s, &a, &lids);
	if (make_tables(&in, e, &a, &f)) {
		if (!f.rows && below(4) == 0)
			fwd_row(&f, below(s->nswitches))[1 + below(f.top)] = (uint8_t)below(6);
		if (below(4) == 0)
			swap_owners(&lids);
		verify_check(&vi, &w);
		vi.kept = &kept;
		verify_again(&vi, &v);
		compare(&v, &w);
	}
	arena_clear(&a);
	snapshot_free(s);
}

static void
same_verdicts(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=3", "fattree:k=8,levels=2",
		"random:switches=12,cables=24,hosts=1,seed=5", "torus:3x3,hosts=1" };
	static const char *const engines[] = { "updn", "updn", "minhop" };
	struct pool *pools[] = { pool_new(2), pool_new(5) };

	(void)state;
	for (uint32_t seed = 0; seed < 48; seed++) {
		struct made_how how = { .scramble = true, .seed = seed };
		struct lid_conf c = { .lmc = seed % 3 == 2 };
		struct lid_report lr;

		teardown(NULL);
		rnd = seed * 31 + 7;
		whole = made_snapshot(specs[seed % 4], &how);
		assert_int_equal(plan_lids(whole, NULL, &c, &arena, &all, &lr), 0);
		for (unsigned i = 0; i < 25; i++)
			step(engines, 3, i % 3 ? pool_stripes(pools[i % 3 - 1]) : NULL);
	}
	pool_free(pools[0]);
	pool_free(pools[1]);
	print_message("%u steps, %u partial, %u refused, %u lost\n", seen.steps, seen.partial,
		seen.refused, seen.lost);
	assert_true(seen.partial > 300);
	assert_true(seen.refused > 50);
	assert_true(seen.lost > 20);
	assert_true(seen.looked > 200);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(same_verdicts, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
