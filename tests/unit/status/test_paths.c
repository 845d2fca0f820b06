/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_paths.c - the cache of paths: kept for the next query, dropped when something else is served.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/plan.h"
#include "sm/status/paths.h"
#include "tests/unit/status/routed.h"

static struct routed_bed b;

static int
paths_setup(void **state)
{
	(void)state;
	routed_make(&b);
	return 0;
}

static int
paths_teardown(void **state)
{
	(void)state;
	routed_clear(&b);
	return 0;
}

static void
a_cache_is_used_again(void **state)
{
	struct path_cache c = { 0 }, taken, again;
	struct sa_path_export *made;
	bool more;

	(void)state;
	taken = path_cache_take(&c, &b.on.net.served);
	assert_null(c.sa);
	json_decref(paths_json(&b.v, &taken, 1, &more));
	made = taken.paths;
	assert_non_null(made);
	path_cache_put(&c, &b.on.net.served, &taken);
	assert_null(taken.sa);                          /* it is the cache's again */
	again = path_cache_take(&c, &b.on.net.served);
	assert_ptr_equal(again.paths, made);
	path_cache_clear(&again);
}

/* What was made before something else was served is of no use any more, whether it lies in the cache or comes back. */
static void
another_age_drops_it(void **state)
{
	struct path_cache c = { 0 }, taken;
	bool more;

	(void)state;
	taken = path_cache_take(&c, &b.on.net.served);
	json_decref(paths_json(&b.v, &taken, 1, &more));
	b.on.net.served.age++;
	path_cache_put(&c, &b.on.net.served, &taken);
	assert_null(c.sa);
	assert_non_null(taken.sa);
	path_cache_clear(&taken);
	taken = path_cache_take(&c, &b.on.net.served);
	path_cache_put(&c, &b.on.net.served, &taken);
	assert_non_null(c.sa);
	path_cache_check(&c, &b.on.net.served);
	assert_non_null(c.sa);
	b.on.net.served.age++;
	path_cache_check(&c, &b.on.net.served);
	assert_null(c.sa);
}

/* Sources come in the order of their LIDs, no more than 32 at once; 'next' is null after the last. */
static void
all_sources_have_paths_to_all(void **state)
{
	struct path_cache c = { 0 }, taken = path_cache_take(&c, &b.on.net.served);
	size_t sources = 0;
	uint16_t first = 1;
	bool more = true;

	(void)state;
	while (more) {
		json_t *o = paths_json(&b.v, &taken, first, &more), *a = json_object_get(o, "sources");

		assert_in_range(json_array_size(a), 1, 32);
		assert_int_equal(json_is_null(json_object_get(o, "next")), !more);
		for (size_t i = 0; i < json_array_size(a); i++)
			assert_true(json_array_size(json_object_get(json_array_get(a, i), "paths")) > 0);
		sources += json_array_size(a);
		first = (uint16_t)json_integer_value(json_object_get(o, "next"));
		json_decref(o);
	}
	assert_int_equal(sources, b.on.s->nendports);
	path_cache_clear(&taken);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, paths_setup, paths_teardown)
	const struct CMUnitTest tests[] = {
		T(a_cache_is_used_again),
		T(another_age_drops_it),
		T(all_sources_have_paths_to_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
