/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_grace.c - a new master keeps the trees that it finds until hosts had time to register again.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/registry/fixture.h"

enum { GRACE_S = 60, MLID = 0xc000, SECOND_US = 1000000 };

static const struct registry_sweep no_sweep;
static const uint8_t mgid[16] = { 0xff, 0x18, [15] = 7 };
static struct fixture f;

/* Switches that a manager before us has configured: they are worth reading. */
static int
grace_setup(void **state)
{
	(void)state;
	fixture_make(&f);
	f.conf->mcast_grace_s = GRACE_S;
	for (uint32_t i = 0; i < f.bed.s->nswitches; i++) {
		struct fab_node *n = &f.bed.s->nodes[f.bed.s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.lft_top = 100;
		si.mft_top = MLID + 63;
		switch_info_encode(n->switch_info, &si);
	}
	return 0;
}

static int
grace_teardown(void **state)
{
	(void)state;
	fixture_clear(&f);
	return 0;
}

static uint32_t
switch_node(unsigned host)
{
	return f.bed.s->ports[f.bed.s->ports[f.host[host]].peer].node;
}

/*
 * Answers all requests of a reader.  The leaves of hosts 1 and 5 have the ports of these hosts in
 * the row of MLID, each other table is empty.
 */
static void
answer_reader(struct mft_reader *r)
{
	struct txn_req q;

	while (mft_reader_next(r, &q)) {
		struct dgram reply = { .bytes = DGRAM_BYTES };
		struct txn_end e = { .cookie = q.cookie, .target = q.target, .kind = TXN_END_OK,
			.modifier = q.modifier, .attr_id = q.attr_id, .reply = &reply };

		for (unsigned h = 1; h <= 5; h += 4) {
			uint8_t num = f.bed.s->ports[f.bed.s->ports[f.host[h]].peer].num;

			if (q.target == switch_node(h) && q.modifier == 0)
				wire_put16(reply.mad + 64,
					(uint16_t)(wire_get16(reply.mad + 64) | 1u << num));
		}
		mft_reader_end(r, &e);
	}
	assert_true(mft_reader_done(r));
}

static void
find_tables(void)
{
	struct mft_reader *r = grace_reader(&f.reg, &f.net, f.bed.s);

	assert_non_null(r);
	answer_reader(r);
	grace_found(&f.reg, &f.net, f.bed.s, r);
	mft_reader_free(r);
}

static uint32_t
count_inherited(uint16_t mlid)
{
	struct inherited_members l;
	uint32_t n;

	inherited_members(grace_inherited(&f.reg), mlid, &l);
	n = l.n;
	free(l.v);
	return n;
}

static void
without_grace_nothing_is_read(void **state)
{
	(void)state;
	f.conf->mcast_grace_s = 0;
	assert_null(grace_reader(&f.reg, &f.net, f.bed.s));
}

static void
found_members_are_inherited(void **state)
{
	(void)state;
	find_tables();
	assert_int_equal(inherited_count(grace_inherited(&f.reg)), 1);
	assert_true(inherited_has(grace_inherited(&f.reg), MLID));
	assert_int_equal(count_inherited(MLID), 2);
	assert_non_null(strstr(f.said, "1 MLIDs inherited"));
}

static void
an_mlid_in_use_goes_to_no_other_group(void **state)
{
	uint16_t mlid;

	(void)state;
	/*
	 * The first group of the partitions had the first MLID, as another master would have given
	 * it.
	 */
	find_tables();
	assert_true(mcast_by_mlid(f.reg.mcast, MLID)->permanent);
	fixture_join(&f, 2, mgid, &mlid);
	assert_int_not_equal(mlid, MLID);
}

static void
inherited_members_are_in_the_copied_trees(void **state)
{
	struct group_trees t = { .v = NULL };
	unsigned n = 0;

	(void)state;
	find_tables();
	groups_copy(&f.reg, &t);
	assert_int_equal(t.v[0].mlid, MLID);
	assert_true(t.v[0].inherited);
	for (uint32_t i = 0; i < t.nmembers; i++)
		n += t.members[i].inherited;
	assert_int_equal(n, 2);
	group_trees_clear(&t);
}

static void
a_member_that_registers_is_not_inherited(void **state)
{
	(void)state;
	find_tables();
	grace_release(&f.reg, f.bed.s, MLID, fixture_guid(&f, 1));
	assert_int_equal(count_inherited(MLID), 1);
	assert_true(alias_put(f.reg.alias, fixture_guid(&f, 5), 1, 0xa1));
	grace_release(&f.reg, f.bed.s, MLID, 0xa1);
	assert_int_equal(count_inherited(MLID), 0);
}

static void
what_is_left_goes_when_the_time_is_over(void **state)
{
	struct monotime at;

	(void)state;
	find_tables();
	assert_false(grace_deadline(&f.reg, &f.net, &at));      /* hosts were not asked yet */
	grace_begin(&f.reg, &f.net);
	assert_true(grace_deadline(&f.reg, &f.net, &at));
	assert_int_equal(monotime_sub_us(at, f.net.now), GRACE_S * SECOND_US);
	f.net.now.us = at.us - 1;
	grace_pump(&f.reg, &f.net);
	assert_int_equal(count_inherited(MLID), 2);
	f.net.now = at;
	grace_pump(&f.reg, &f.net);
	assert_null(grace_inherited(&f.reg));
	assert_true(mcast_is_changed(f.reg.mcast, MLID));       /* its tree shrinks */
	assert_false(grace_deadline(&f.reg, &f.net, &at));
	assert_non_null(strstr(f.said, "grace time over"));
}

static void
a_master_that_finds_nothing_inherits_nothing(void **state)
{
	uint16_t mlid;

	(void)state;
	grace_found(&f.reg, &f.net, f.bed.s, NULL);
	assert_int_equal(inherited_count(grace_inherited(&f.reg)), 0);
	grace_begin(&f.reg, &f.net);
	fixture_plan(&f, &f.bed.plan);
	fixture_join(&f, 2, mgid, &mlid);
	fixture_run(&f, no_sweep, true);
	assert_int_equal(fixture_answer(&f), STATUS_OK);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, grace_setup, grace_teardown)
	const struct CMUnitTest tests[] = {
		T(without_grace_nothing_is_read),
		T(found_members_are_inherited),
		T(an_mlid_in_use_goes_to_no_other_group),
		T(inherited_members_are_in_the_copied_trees),
		T(a_member_that_registers_is_not_inherited),
		T(what_is_left_goes_when_the_time_is_over),
		T(a_master_that_finds_nothing_inherits_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
