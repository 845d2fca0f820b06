/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_changes.c - lists of changes: they grow, count, and are emptied.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/diff/diff_int.h"
#include "tests/unit/diff/fixture.h"

static void
lists_grow_in_order(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		diff_add(&found, i % 2 ? CHANGE_LFT : CHANGE_ARM, i, 2 * i);
	assert_int_equal(found.total, 1000);
	assert_int_equal(found.phase[CHANGE_LFT].n, 500);
	assert_int_equal(found.phase[CHANGE_ARM].n, 500);
	for (uint32_t i = 0; i < 500; i++) {
		assert_int_equal(found.phase[CHANGE_LFT].v[i].subject, 2 * i + 1);
		assert_int_equal(found.phase[CHANGE_LFT].v[i].block, 2 * (2 * i + 1));
		assert_int_equal(found.phase[CHANGE_ARM].v[i].subject, 2 * i);
	}
	for (unsigned p = 0; p < CHANGE_PHASE_COUNT; p++)
		if (p != CHANGE_LFT && p != CHANGE_ARM)
			assert_int_equal(found.phase[p].n, 0);
}

/* Everything goes, an order too; it may be emptied again, and filled again. */
static void
lists_are_emptied(void **state)
{
	(void)state;
	diff_add(&found, CHANGE_LFT, 1, 1);
	found.ordered = calloc(1, sizeof(*found.ordered));
	assert_non_null(found.ordered);
	arena_alloc(&found.ordered->arena, 100);
	for (unsigned again = 0; again < 2; again++) {
		changes_clear(&found);
		assert_int_equal(found.total, 0);
		assert_null(found.ordered);
		assert_int_equal(found.phase[CHANGE_LFT].n, 0);
	}
	diff_add(&found, CHANGE_LFT, 7, 8);
	bed_assert_only(&found, CHANGE_LFT, 7, 8);
}

static void
a_block_is_its_modifier(void **state)
{
	struct diff_view v = bed_view(&b);
	struct change c = { 3, 0x10004 };

	(void)state;
	assert_int_equal(diff_block_modifier(&v, &c, false), 0x10004);
	assert_int_equal(diff_block_modifier(&v, &c, true), 0x10004);
	assert_int_equal(diff_block_reported(&c, 9), 0x10004);
}

/* Compared with what was sent, if that was kept; otherwise with what would be sent now. */
static void
an_answer_is_compared_byte_for_byte(void **state)
{
	const struct change_kind *k = change_kinds[CHANGE_LFT];
	struct diff_view v = bed_view(&b);
	struct change c = { 2, 1 };
	uint8_t w[CHANGE_BYTES], sent[CHANGE_BYTES] = { 9 };

	(void)state;
	memcpy(w, fwd_row(&b.plan.fwd, 2) + 64, sizeof(w));
	assert_true(diff_answer_is_payload(k, &v, &c, NULL, w));
	assert_false(diff_answer_is_payload(k, &v, &c, sent, w));
	assert_true(diff_answer_is_payload(k, &v, &c, sent, sent));
	for (unsigned i = 0; i < CHANGE_BYTES; i++) {
		w[i] ^= 1;
		assert_false(diff_answer_is_payload(k, &v, &c, NULL, w));
		w[i] ^= 1;
	}
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(lists_grow_in_order),
		T(lists_are_emptied),
		T(a_block_is_its_modifier),
		T(an_answer_is_compared_byte_for_byte),
	};

	return cmocka_run_group_tests_name("sm/diff/changes", tests, NULL, NULL);
}
