/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_select_route.c - the ports on the route between two ends, by the forwarding tables.
 */
#include <config.h>
#include "diags/fabric/select_int.h"
#include "tests/unit/diags/world.h"
#include "util/bits.h"

/* LIDs are leaf-0 1, host-0 2, host-1 3, spine-0 4, twin 5. */
static const uint8_t leaf_lft[] = { 255, 0, 1, 2, 4, 4 }, spine_lft[] = { 255, 4, 4, 4, 0, 1 };

static int
select_route_begin(void **state)
{
	int r = world_begin(state);
	struct world *w = *state;

	world_lft(w->f.s, 0x100, leaf_lft, sizeof(leaf_lft));
	world_lft(w->f.s, 0x400, spine_lft, sizeof(spine_lft));
	return r;
}

/* How many ports the route has; with the sentence when it is refused. */
static unsigned
route(struct world *w, const char *text, uint64_t *bits)
{
	char why[SELECT_WHY_BYTES];
	unsigned n = 0;

	memset(bits, 0, BITS_WORDS(64) * sizeof(*bits));
	assert_true(w->f.s->nports <= 64);
	assert_true(select_route(&w->d, &w->f, text, bits, why));
	for (uint32_t i = 0; i < w->f.s->nports; i++)
		n += bits_test(bits, i);
	return n;
}

static bool
on(const struct world *w, const uint64_t *bits, uint64_t guid, uint8_t port)
{
	return bits_test(bits, (size_t)(world_port(w->f.s, guid, port) - w->f.s->ports));
}

static void
followed(void **state)
{
	struct world *w = *state;
	uint64_t bits[BITS_WORDS(64)];

	assert_int_equal(route(w, "host-0->5", bits), 6);
	assert_true(on(w, bits, 0x200, 1) && on(w, bits, 0x100, 1) && on(w, bits, 0x100, 4));
	assert_true(on(w, bits, 0x400, 4) && on(w, bits, 0x400, 1) && on(w, bits, 0x500, 1));
	/* From and to switches, by LID, and by GUIDs, which are no LIDs. */
	assert_int_equal(route(w, "1->5", bits), 4);
	world_port(w->f.s, 0x500, 1)->guid = 0xabcd0000000501;
	assert_int_equal(route(w, "1->0xabcd0000000501", bits), 4);
	assert_int_equal(route(w, "host-0->leaf-0", bits), 2);
	assert_int_equal(route(w, "spine-0->leaf-0", bits), 2);
	assert_int_equal(route(w, "host-0->2", bits), 0);
	assert_int_equal(diag_status(&w->d), EXIT_OK);
}

/* One of several LIDs of a port. */
static void
lmc(void **state)
{
	struct world *w = *state;
	uint64_t bits[BITS_WORDS(64)];
	char why[SELECT_WHY_BYTES];

	WORLD_SET(world_port(w->f.s, 0x500, 1), lid, 8);
	WORLD_SET(world_port(w->f.s, 0x500, 1), lmc, 2);
	world_lft(w->f.s, 0x100, (const uint8_t[]){ 255, 0, 1, 2, 4, 255, 255, 255, 4 }, 9);
	world_lft(w->f.s, 0x400, (const uint8_t[]){ 255, 4, 4, 4, 0, 255, 255, 255, 1 }, 9);
	assert_int_equal(route(w, "2->11", bits), 6);
	assert_false(select_route(&w->d, &w->f, "2->12", bits, why));
	assert_string_equal(why, "no end of a route is called \"12\"");
}

static void
refused(void **state)
{
	static const char *const bad[] = { "", "->", "a", "host-0", "host-0->", "->host-0",
		"host-0-> leaf-0", "nobody->host-0", "host-0->nobody", "0->host-0",
		"65535->host-0" };
	struct world *w = *state;
	uint64_t bits[BITS_WORDS(64)] = { 0 };
	char why[SELECT_WHY_BYTES], text[600];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why[0] = '\0';
		assert_false(select_route(&w->d, &w->f, bad[i], bits, why));
		assert_true(why[0]);
	}
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(select_route(&w->d, &w->f, text, bits, why));
	assert_true(strlen(why) < SELECT_WHY_BYTES);
	assert_int_equal(diag_status(&w->d), EXIT_OK); /* the caller reports it */
}

static void
ends_early(void **state)
{
	struct world *w = *state;
	uint64_t bits[BITS_WORDS(64)];

	world_lft(w->f.s, 0x400, (const uint8_t[]){ 255, 4, 4, 4, 0, 255 }, 6);
	assert_int_equal(route(w, "host-0->5", bits), 4);
	assert_int_equal(diag_status(&w->d), EXIT_FINDINGS);
	world_lft(w->f.s, 0x400, (const uint8_t[]){ 255, 4, 4, 4, 0, 200 }, 6);
	assert_int_equal(route(w, "host-0->5", bits), 4);
	world_lft(w->f.s, 0x400, (const uint8_t[]){ 255, 4, 4, 4, 0, 3 }, 6);
	assert_int_equal(route(w, "host-0->5", bits), 5); /* port 3 has no cable */
	assert_int_equal(json_array_size(w->d.errors), 3);
}

static void
circle(void **state)
{
	struct world *w = *state;
	uint64_t bits[BITS_WORDS(64)];

	world_lft(w->f.s, 0x400, (const uint8_t[]){ 255, 4, 4, 4, 0, 4 }, 6);
	assert_int_equal(route(w, "host-0->5", bits), 4);
	assert_int_equal(diag_status(&w->d), EXIT_FINDINGS);
}

/* A table that the snapshot lacks is asked for; a file without answers cannot be. */
static void
asked(void **state)
{
	struct world *w = *state;
	struct snapshot *twin = fake_snapshot();
	uint64_t bits[BITS_WORDS(64)];
	struct fab_node *n = world_node(w->f.s, 0x100);

	n->lft = NULL;
	world_lft(twin, 0x100, leaf_lft, sizeof(leaf_lft));
	world_answer(&w->d, twin, NULL);
	assert_int_equal(route(w, "host-0->5", bits), 6);
	assert_int_equal(diag_status(&w->d), EXIT_OK);
}

static void
not_known(void **state)
{
	struct world *w = *state;
	uint64_t bits[BITS_WORDS(64)];

	world_node(w->f.s, 0x100)->lft = NULL;
	world_load(&w->d);
	assert_int_equal(route(w, "host-0->5", bits), 2);
	assert_int_equal(diag_status(&w->d), EXIT_FINDINGS);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(followed, select_route_begin, world_end),
		cmocka_unit_test_setup_teardown(lmc, select_route_begin, world_end),
		cmocka_unit_test_setup_teardown(refused, select_route_begin, world_end),
		cmocka_unit_test_setup_teardown(ends_early, select_route_begin, world_end),
		cmocka_unit_test_setup_teardown(circle, select_route_begin, world_end),
		cmocka_unit_test_setup_teardown(asked, select_route_begin, world_end),
		cmocka_unit_test_setup_teardown(not_known, select_route_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
