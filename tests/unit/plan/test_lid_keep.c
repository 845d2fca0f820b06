/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lid_keep.c - the rows to store: of live ports, of absent ones, of those that lost theirs.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;
static struct lid_map m;
static struct lid_ids out;

static int
setup(void **state)
{
	struct lid_conf c = { 0 };
	struct lid_report r;

	(void)state;
	arena = (struct arena)ARENA_INIT;
	s = made_snapshot("fattree:k=4,levels=2", NULL);
	assert_int_equal(plan_lids(s, NULL, &c, &arena, &m, &r), 0);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	arena_clear(&arena);
	return 0;
}

/* Makes the rows to store, which are always sorted, and one for each port. */
static void
make_rows(const struct lid_id *stored, uint32_t n)
{
	struct lid_ids ids = { stored, n };

	plan_lids_to_store(s, &m, n ? &ids : NULL, &arena, &out);
	for (uint32_t i = 1; i < out.n; i++)
		assert_true(out.rows[i - 1].port_guid < out.rows[i].port_guid);
}

static const struct lid_id *
row_of(uint64_t guid)
{
	for (uint32_t i = 0; i < out.n; i++)
		if (out.rows[i].port_guid == guid)
			return &out.rows[i];
	return NULL;
}

static uint32_t
live_ports(void)
{
	uint32_t n = 0;

	for (uint32_t p = 0; p < s->nports; p++)
		n += m.base[p] != 0;
	return n;
}

static void
live_ports_have_a_row_each(void **state)
{
	(void)state;
	make_rows(NULL, 0);
	assert_int_equal(out.n, live_ports());
	for (uint32_t p = 0; p < s->nports; p++) {
		const struct lid_id *row;

		if (!m.base[p])
			continue;
		row = row_of(s->ports[p].guid);
		assert_non_null(row);
		assert_int_equal(row->base_lid, m.base[p]);
		assert_int_equal(row->lmc, m.lmc[p]);
		assert_false(row->lost);
	}
}

static void
what_is_live_replaces_what_was_stored(void **state)
{
	struct lid_id old = { s->ports[m.owner[1]].guid, 500, 3, true };

	(void)state;
	make_rows(&old, 1);
	assert_int_equal(out.n, live_ports());
	assert_int_equal(row_of(old.port_guid)->base_lid, 1);
	assert_int_equal(row_of(old.port_guid)->lmc, 0);
	assert_false(row_of(old.port_guid)->lost);
}

/* Absent ports before, among and after the live ones. */
static void
rows_of_absent_ports_stay(void **state)
{
	struct lid_id old[] = {
		{ 1, 2000, 0, false }, { 2, 2004, 2, false }, { UINT64_MAX, 2100, 0, false },
	};

	(void)state;
	make_rows(old, 3);
	assert_int_equal(out.n, live_ports() + 3);
	for (unsigned i = 0; i < 3; i++) {
		const struct lid_id *row = row_of(old[i].port_guid);

		assert_non_null(row);
		assert_int_equal(row->base_lid, old[i].base_lid);
		assert_int_equal(row->lmc, old[i].lmc);
		assert_false(row->lost);
	}
	assert_int_equal(out.rows[0].port_guid, 1);
	assert_int_equal(out.rows[out.n - 1].port_guid, UINT64_MAX);
}

/* One LID of the range is enough. */
static void
a_row_whose_range_is_owned_is_lost(void **state)
{
	uint16_t free_lid = (uint16_t)(m.top + 1);
	struct lid_id old[] = {
		{ 1, m.top, 0, false }, { 2, m.top, 2, false }, { 3, 1, 0, false },
		{ 4, free_lid, 0, false },
	};

	(void)state;
	make_rows(old, 4);
	assert_true(row_of(1)->lost);
	assert_true(row_of(2)->lost);
	assert_true(row_of(3)->lost);
	assert_false(row_of(4)->lost);
}

static void
a_lost_row_stays_lost_while_its_port_is_absent(void **state)
{
	struct lid_id old = { 1, 2000, 0, true };

	(void)state;
	make_rows(&old, 1);
	assert_true(row_of(1)->lost);
}

/* Lost rows are for the log only: their number is limited, that of the others is not. */
static void
lost_rows_are_limited(void **state)
{
	enum { OLD = LID_LOST_MAX + 100 };
	static struct lid_id old[2 * OLD];
	uint32_t lost = 0;

	(void)state;
	for (uint32_t i = 0; i < OLD; i++) {
		old[2 * i] = (struct lid_id){ 2 * i + 1, 1, 0, false };
		old[2 * i + 1] = (struct lid_id){ 2 * i + 2, (uint16_t)(2000 + i), 0, false };
	}
	make_rows(old, 2 * OLD);
	for (uint32_t i = 0; i < out.n; i++)
		lost += out.rows[i].lost;
	assert_int_equal(lost, LID_LOST_MAX);
	assert_int_equal(out.n, live_ports() + OLD + LID_LOST_MAX);
}

static void
a_range_has_the_unicast_lids_only(void **state)
{
	static const struct {
		uint16_t base;
		uint8_t lmc;
		uint32_t lo, hi;
	} rows[] = {
		{ 7, 0, 7, 8 }, { 8, 3, 8, 16 }, { 0, 2, 1, 4 }, { 0, 0, 1, 1 },
		{ LID_UCAST_MAX, 0, LID_UCAST_MAX, LID_UCAST_MAX + 1u },
		{ LID_UCAST_MAX, 7, LID_UCAST_MAX, LID_UCAST_MAX + 1u },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct lid_id row = { 1, rows[i].base, rows[i].lmc, false };
		uint32_t lo, hi = lid_id_range(&row, &lo);

		assert_int_equal(lo, rows[i].lo);
		assert_int_equal(hi, rows[i].hi);
	}
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(live_ports_have_a_row_each),
		T(what_is_live_replaces_what_was_stored),
		T(rows_of_absent_ports_stay),
		T(a_row_whose_range_is_owned_is_lost),
		T(a_lost_row_stays_lost_while_its_port_is_absent),
		T(lost_rows_are_limited),
		T(a_range_has_the_unicast_lids_only),
	};

	return cmocka_run_group_tests_name("sm/plan/lid_keep", tests, NULL, NULL);
}
