/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_route.c - the routes of a discovery with a seed, kept as links come and go, are
 * those that snapshot_find_paths() finds over the same links.
 */
#include <config.h>
#include "tests/unit/fabric/discover/changes.h"

static void
check_paths(struct snapshot *s)
{
	struct fab_node *nodes = calloc(s->nnodes, sizeof(*nodes));

	assert_non_null(nodes);
	memcpy(nodes, s->nodes, s->nnodes * sizeof(*nodes));
	snapshot_find_paths(s);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		assert_int_equal(nodes[i].hop_count, s->nodes[i].hop_count);
		assert_int_equal(nodes[i].entry_port, s->nodes[i].entry_port);
		assert_memory_equal(nodes[i].path, s->nodes[i].path, sizeof(nodes[i].path));
	}
	free(nodes);
}

static void
random_changes(void **state)
{
	unsigned checked = 0;

	(void)state;
	for (uint64_t i = 1001; i <= 1200; i++) {
		struct changes c;
		struct snapshot *seed;

		changes_begin(&c, i);
		seed = sweep_all(&c.f);
		for (unsigned turn = 0; turn < 10; turn++) {
			struct snapshot *s;

			for (uint32_t n = changes_random(&c, 6); n; n--)
				changes_happen(&c);
			s = changes_discover(&c, seed, false);
			if (s) {
				check_paths(s);
				checked++;
			} else {
				s = sweep_all(&c.f);
			}
			changes_forget(&c);
			snapshot_free(seed);
			seed = s;
		}
		snapshot_free(seed);
		changes_end(&c);
	}
	assert_true(checked > 800);
}

/* Each cable once: it is pulled, and plugged again. */
static void
every_cable(void **state)
{
	struct changes c;
	struct snapshot *seed, *s, *again;

	(void)state;
	changes_begin(&c, 3);
	seed = sweep_all(&c.f);
	for (uint32_t i = 0; i < c.ncables; i++) {
		changes_forget(&c);
		changes_cable(&c, i, false);
		s = changes_discover(&c, seed, false);
		if (!s)
			s = sweep_all(&c.f);
		check_paths(s);
		changes_forget(&c);
		changes_cable(&c, i, true);
		again = changes_discover(&c, s, false);
		if (again)
			check_paths(again);
		snapshot_free(again);
		snapshot_free(s);
	}
	snapshot_free(seed);
	changes_end(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_changes),
		cmocka_unit_test(every_cable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
