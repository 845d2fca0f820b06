/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kind_mft.c - multicast rows: old entries go first, and what an answer proves.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/diff/fixture.h"

/* The trees may have moved on: an answer is compared with what was sent. */
static void
multicast_rows(void **state)
{
	struct change c = { 3, mft_row_of(2, 1) };
	uint64_t known[4] = { UINT64_MAX }, guid = b.s->nodes[b.s->switches[3]].guid;
	uint8_t sent[64] = { 1, 2, 3 }, other[64] = { 1, 2, 4 };

	(void)state;
	mft_seen_keep(b.o->tables->mft, b.s, known);
	for (enum change_phase p = CHANGE_MFT_CUT; p <= CHANGE_MFT; p++) {
		assert_true(change_kinds[p]->keeps_sent && change_kinds[p]->registered);
		assert_int_equal(bed_modifier(&b, p, c, false), c.block);
		assert_true(bed_took_effect(&b, p, c, sent, sent));
		assert_false(bed_took_effect(&b, p, c, sent, other));
		bed_observe(&b, p, c, (struct change_answer){ .data = other });
		assert_memory_equal(mft_seen_row(b.o->tables->mft, guid, c.block), other, 64);
		bed_forget(&b, p, c);
		assert_null(mft_seen_row(b.o->tables->mft, guid, c.block));
	}
}

enum { MLID = 0xc000 };

/* Multicast trees, and switches that can have them. */
static void
plan_trees(void)
{
	uint64_t none[4] = { 0 };

	bed_settle(&b, &found);
	for (uint32_t i = 0; i < b.s->nswitches; i++) {
		struct fab_node *n = &b.s->nodes[b.s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.mft_cap = 1024;
		switch_info_encode(n->switch_info, &si);
	}
	b.plan.mcast = plan_mcast_make(b.s, NULL, &b.plan.arena);
	mft_seen_keep(b.o->tables->mft, b.s, none);
}

/* The hosts first, first + step, ... join; 'n' 0: the group ends. */
static void
set_group(unsigned first, unsigned step, unsigned n)
{
	struct mcast_leaf m[8];
	unsigned k = 0, h = 0;

	for (uint32_t p = 0; p < b.s->nports && k < n; p++) {
		if (fab_is_switch(&b.s->nodes[b.s->ports[p].node]) ||
			b.s->ports[p].peer == FAB_NONE)
			continue;
		if (h >= first && (h - first) % step == 0)
			m[k++] = (struct mcast_leaf){ p, true, false };
		h++;
	}
	assert_int_equal(k, n);
	assert_int_equal(plan_mcast_group(b.plan.mcast, MLID, m, n), 0);
}

/* Sends the changes of a phase, as agents obey them.  None of them is for a switch twice. */
static uint32_t
carry_out(enum change_phase phase)
{
	uint8_t buf[64];

	for (uint32_t i = 0; i < found.phase[phase].n; i++) {
		const struct change *c = &found.phase[phase].v[i];

		bed_observe(&b, phase, *c,
			(struct change_answer){ .data = diff_payload(b.o, &b.plan, phase, c, buf),
				.effect = true });
	}
	return found.phase[phase].n;
}

/* The entries that the switches hold. */
static unsigned
count_entries(void)
{
	unsigned n = 0;

	for (uint32_t sw = 0; sw < b.s->nswitches; sw++) {
		const uint8_t *row = mft_seen_row(
			b.o->tables->mft, b.s->nodes[b.s->switches[sw]].guid, mft_row_of(0, 0));

		for (unsigned i = 0; row && i < 64; i++)
			n += (unsigned)__builtin_popcount(row[i]);
	}
	return n;
}

static void
no_trees_no_rows(void **state)
{
	(void)state;
	bed_settle(&b, &found);
	assert_null(b.plan.mcast);
	bed_look(&b, &found);
	assert_int_equal(found.total, 0);
	plan_trees(); /* trees, but no group */
	bed_look(&b, &found);
	assert_int_equal(found.total, 0);
}

static void
rows_of_a_group(void **state)
{
	(void)state;
	plan_trees();
	set_group(0, 5, 3);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_MFT_CUT].n, 0); /* nothing known is to go */
	assert_int_equal(found.total, found.phase[CHANGE_MFT].n);
	assert_true(carry_out(CHANGE_MFT) >= 3);
	bed_look(&b, &found);
	assert_int_equal(found.total, 0);
	/* One row is not known any more, and is written again. */
	bed_forget(&b, CHANGE_MFT, (struct change){ b.s->nodes[b.s->ports[b.leaf].node].sw, 0 });
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_MFT, b.s->nodes[b.s->ports[b.leaf].node].sw, 0);
}

/*
 * The members change: after the first phase switches hold nothing that is not part of the new tree,
 * and nothing new; after the second one, all of it.
 */
static void
old_entries_go_first(void **state)
{
	unsigned before, between;

	(void)state;
	plan_trees();
	set_group(0, 5, 3);
	bed_look(&b, &found);
	carry_out(CHANGE_MFT);
	before = count_entries();
	set_group(2, 6, 2);
	bed_look(&b, &found);
	assert_true(found.phase[CHANGE_MFT_CUT].n > 0 && found.phase[CHANGE_MFT].n > 0);
	carry_out(CHANGE_MFT_CUT);
	between = count_entries();
	assert_true(between < before);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_MFT_CUT].n, 0);
	assert_true(found.phase[CHANGE_MFT].n > 0);
	carry_out(CHANGE_MFT);
	assert_true(count_entries() > between);
	bed_look(&b, &found);
	assert_int_equal(found.total, 0);
	set_group(0, 1, 0); /* the group has ended */
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_MFT].n, 0);
	carry_out(CHANGE_MFT_CUT);
	assert_int_equal(count_entries(), 0);
}

/* Another plan, which has never wanted what an earlier one wrote: it goes. */
static void
rows_of_an_earlier_plan_go(void **state)
{
	struct mcast_leaf m = { b.host, true, false };

	(void)state;
	plan_trees();
	set_group(0, 5, 3);
	bed_look(&b, &found);
	carry_out(CHANGE_MFT);
	assert_true(count_entries() > 0);
	b.plan.mcast = plan_mcast_make(b.s, NULL, &b.plan.arena);
	plan_mcast_group(b.plan.mcast, MLID + 2 * MFT_BLOCK_MLIDS, &m, 1);
	bed_look(&b, &found);
	carry_out(CHANGE_MFT_CUT);
	assert_int_equal(count_entries(), 0);
}

/* What the plan has noted as changed, once; not what the switch already holds. */
static void
rows_of_a_join(void **state)
{
	struct changes joined = { .total = 0 };
	uint32_t n;

	(void)state;
	plan_trees();
	set_group(0, 5, 3);
	diff_groups(b.o, &b.plan, &joined);
	n = joined.phase[CHANGE_MFT].n;
	assert_true(n >= 3);
	assert_int_equal(joined.total, n);
	changes_clear(&joined);
	diff_groups(b.o, &b.plan, &joined);
	assert_int_equal(joined.total, 0);
	changes_clear(&joined);
	bed_look(&b, &found);
	carry_out(CHANGE_MFT);
	plan_mcast_again(b.plan.mcast, MLID);
	diff_groups(b.o, &b.plan, &joined);
	assert_int_equal(joined.total, 0);
	changes_clear(&joined);
}

static void
refused_trees_have_no_rows(void **state)
{
	struct changes joined = { .total = 0 };

	(void)state;
	plan_trees();
	set_group(0, 5, 3);
	bed_look(&b, &found);
	carry_out(CHANGE_MFT);
	set_group(2, 6, 2);
	plan_mcast_refuse(b.plan.mcast);
	bed_look(&b, &found);
	assert_int_equal(found.total, 0);
	plan_mcast_again(b.plan.mcast, MLID);
	diff_groups(b.o, &b.plan, &joined);
	assert_int_equal(joined.total, 0);
	changes_clear(&joined);
}

static void
switches_that_are_left_alone(void **state)
{
	uint32_t sw = b.s->nodes[b.s->ports[b.leaf].node].sw;

	(void)state;
	plan_trees();
	set_group(0, 5, 3);
	b.s->nodes[b.s->switches[sw]].flags |= FAB_NODE_CUT;
	bed_look(&b, &found);
	assert_true(found.phase[CHANGE_MFT].n > 0);
	for (uint32_t i = 0; i < found.phase[CHANGE_MFT].n; i++)
		assert_int_not_equal(found.phase[CHANGE_MFT].v[i].subject, sw);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(multicast_rows),
		T(no_trees_no_rows),
		T(rows_of_a_group),
		T(old_entries_go_first), T(rows_of_an_earlier_plan_go),
		T(rows_of_a_join),
		T(refused_trees_have_no_rows),
		T(switches_that_are_left_alone),
	};

	return cmocka_run_group_tests_name("sm/diff/kind_mft", tests, NULL, NULL);
}
