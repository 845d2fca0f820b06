/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_scan.c - which entries of the tables are wrong by themselves, and which turns they
 * make.
 */
#include <config.h>
#include "tests/unit/fabric/small.h"
#include "fabric/verify/verify_scan.h"
#include "util/bits.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/*
 * host 0 -1- switch 2 -2-1- switch 3 -2-1- switch 4 -2- host 1.  LIDs: 1 and 2 the hosts, 3..5 the
 * switches; 'top' is 20000, so that there is more than one slice, and 20000 is host 1, too.
 */
enum { TOP = 20000, STRIDE = 20032 };

static struct snapshot *s;
static struct arena arena;
static struct chan_graph g;
static struct lid_map lids;
static struct fwd_tables f;
static uint64_t *bad;

static void
set_row(uint32_t sw, const uint8_t first_five[5], uint8_t last)
{
	memcpy(fwd_row(&f, sw) + 1, first_five, 5);
	fwd_row(&f, sw)[TOP] = last;
}

static int
setup(void **state)
{
	static const struct small_node nodes[] = {
		{ TOPO_CA, 1 }, { TOPO_CA, 1 }, { TOPO_SWITCH, 3 }, { TOPO_SWITCH, 3 },
		{ TOPO_SWITCH, 3 },
	};
	static const struct small_cable cables[] = {
		{ 0, 1, 2, 1 }, { 2, 2, 3, 1 }, { 3, 2, 4, 1 }, { 4, 2, 1, 1 },
	};

	(void)state;
	s = small_snapshot(nodes, COUNT(nodes), cables, COUNT(cables));
	chan_graph_init(&g, s, &arena);
	lids = (struct lid_map){ .nports = s->nports, .top = TOP };
	lids.owner = arena_array(&arena, TOP + 1, sizeof(*lids.owner));
	memset(lids.owner, 0xff, (TOP + 1) * sizeof(*lids.owner));
	lids.owner[1] = small_port(s, 0, 1);
	lids.owner[2] = lids.owner[TOP] = small_port(s, 1, 1);
	for (unsigned i = 0; i < 3; i++)
		lids.owner[3 + i] = small_port(s, 2 + i, 0);
	f = (struct fwd_tables){ .nswitches = 3, .stride = STRIDE, .top = TOP, .vls = 1 };
	f.port = arena_array(&arena, 3, STRIDE);
	memset(f.port, FAB_LFT_DROP, 3 * STRIDE);
	set_row(0, (const uint8_t[]){ 1, 2, 0, 2, 2 }, 2);
	set_row(1, (const uint8_t[]){ 1, 2, 1, 0, 2 }, 2);
	set_row(2, (const uint8_t[]){ 1, 2, 1, 1, 0 }, 2);
	bad = arena_array(&arena, BITS_WORDS(TOP + 1), sizeof(*bad));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	snapshot_free(s);
	arena_clear(&arena);
	return 0;
}

/* The LIDs in 'bad' are exactly these. */
static void
expect_bad(const uint32_t *want, size_t n)
{
	size_t found = 0;

	verify_scan(&g, s, &lids, &f, NULL, bad);
	for (uint32_t lid = 0; lid <= TOP; lid++)
		if (bits_test(bad, lid)) {
			assert_true(found < n);
			assert_int_equal(lid, want[found++]);
		}
	assert_int_equal(found, n);
}

/* Right tables: nothing is wrong, and the turns are those through the middle switch and no more. */
static void
right_tables(void **state)
{
	(void)state;
	expect_bad(NULL, 0);
	assert_int_equal(chan_graph_dependencies(&g), 2);
	assert_true(chan_graph_row(&g, 1, 1)[0] == 1u << 2);
	assert_true(chan_graph_row(&g, 1, 2)[0] == 1u << 1);
	chan_graph_clear(&g);
	verify_scan(&g, s, &lids, &f, NULL, NULL);    /* without a list of what is wrong */
	assert_int_equal(chan_graph_dependencies(&g), 2);
}

/* Each kind of wrong entry, at the LIDs of both ends of the tables. */
static void
wrong_entries(void **state)
{
	static const uint32_t want[] = { 1, 2, 3, 4, TOP };

	(void)state;
	fwd_row(&f, 1)[1] = FAB_LFT_DROP;
	fwd_row(&f, 2)[2] = 3;                  /* a dead port */
	fwd_row(&f, 0)[3] = 1;                  /* to a host that has another LID */
	fwd_row(&f, 2)[4] = 0;                  /* to itself */
	fwd_row(&f, 0)[TOP] = 4;                /* a port that it has not */
	expect_bad(want, COUNT(want));
}

/* Entries of LIDs that nobody owns are no turns and no faults. */
static void
unowned(void **state)
{
	(void)state;
	for (uint32_t lid = 6; lid < TOP; lid++) {
		fwd_row(&f, 0)[lid] = 2;
		fwd_row(&f, 1)[lid] = lid % 2 ? 1 : 3;
		fwd_row(&f, 2)[lid] = 0;
	}
	expect_bad(NULL, 0);
	assert_int_equal(chan_graph_dependencies(&g), 2);
	lids.owner[7] = lids.owner[2];          /* as soon as somebody does: 1 sends it back */
	verify_scan(&g, s, &lids, &f, NULL, NULL);
	assert_int_equal(chan_graph_dependencies(&g), 4);
	assert_true(chan_graph_row(&g, 1, 1)[0] == (1u << 2 | 1u << 1));
	assert_true(chan_graph_row(&g, 0, 2)[0] == 1u << 2);
}

/* LIDs beyond the end of the tables have no entry anywhere: they are wrong. */
static void
short_tables(void **state)
{
	(void)state;
	f.top = 100;
	verify_scan(&g, s, &lids, &f, NULL, bad);
	for (uint32_t lid = 0; lid <= TOP; lid++)
		assert_int_equal(!!bits_test(bad, lid), lid > 100);
	memset(bad, 0, BITS_WORDS(TOP + 1) * sizeof(*bad));
	f.top = TOP;
	lids.top = 5; /* longer tables than LIDs: the rest is not looked at */
	fwd_row(&f, 0)[TOP] = FAB_LFT_DROP;
	expect_bad(NULL, 0);
}

/* What happens at one switch, for each kind of port. */
static void
exits(void **state)
{
	(void)state;
	assert_int_equal(verify_exit(s, &lids, 0, 1, 1), WALK_ARRIVED);
	assert_int_equal(verify_exit(s, &lids, 0, 3, 0), WALK_ARRIVED);
	assert_int_equal(verify_exit(s, &lids, 0, 1, FAB_LFT_DROP), WALK_DROPPED);
	assert_int_equal(verify_exit(s, &lids, 0, 1, 3), WALK_DEAD_PORT);
	assert_int_equal(verify_exit(s, &lids, 0, 1, 4), WALK_DEAD_PORT);
	assert_int_equal(verify_exit(s, &lids, 0, 1, 254), WALK_DEAD_PORT);
	assert_int_equal(verify_exit(s, &lids, 0, 2, 1), WALK_WRONG_PORT);
	assert_int_equal(verify_exit(s, &lids, 0, 4, 0), WALK_WRONG_PORT);
	/* a LID that nobody has, and ones beyond all LIDs */
	assert_int_equal(verify_exit(s, &lids, 0, 6, 1), WALK_WRONG_PORT);
	assert_int_equal(verify_exit(s, &lids, 0, TOP + 1, 1), WALK_WRONG_PORT);
	assert_int_equal(verify_exit(s, &lids, 0, 0xffff, 0), WALK_WRONG_PORT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(right_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_entries, setup, teardown),
		cmocka_unit_test_setup_teardown(unowned, setup, teardown),
		cmocka_unit_test_setup_teardown(short_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(exits, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
