/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kind_lft.c - which blocks of forwarding tables are written, in which order, and when a
 * table is known.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/diff/diff_int.h"
#include "tests/unit/diff/fixture.h"

static void
tables(void **state)
{
	uint8_t other[192];
	struct fab_node *n;

	(void)state;
	bed_settle(&b, &found);
	n = &b.s->nodes[b.s->switches[7]];
	memcpy(other, n->lft, sizeof(other));
	other[130] ^= 1;
	n->lft = other;
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_LFT, 7, 2);
	other[130] ^= 1;
	other[3] ^= 1;
	bed_look(&b, &found);
	/* the block of the manager's LID is first only where nothing is known */
	bed_assert_only(&found, CHANGE_LFT, 7, 0);
	other[3] ^= 1;
	n->lft_blocks = 2; /* the rest was never read */
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_LFT, 7, 2);
	n->lft = NULL;
	bed_look(&b, &found);
	assert_int_equal(found.total, 3);
}

/* Tables that packets use are written in an order; those that nobody knows are not. */
static void
tables_in_use_have_an_order(void **state)
{
	(void)state;
	bed_look(&b, &found);
	assert_null(found.ordered);
	bed_settle(&b, &found);
	for (uint32_t i = 64; i < 128; i++)
		fwd_row(&b.plan.fwd, 3)[i] ^= 1;
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++) /* of the plan as it was */
		b.s->nodes[b.s->switches[sw]].lft = fwd_row(&b.plan.fwd, sw == 3 ? 4 : sw);
	bed_look(&b, &found);
	assert_non_null(found.ordered);
	assert_int_equal(found.ordered->phase, CHANGE_LFT);
	assert_true(found.ordered->order.report.ordered);
	assert_int_equal(found.phase[CHANGE_LFT_SM].n, 0);
	assert_int_equal(found.phase[CHANGE_LFT].n, found.ordered->order.nwrites);
	assert_int_equal(found.total, found.ordered->order.nwrites);
	for (uint32_t i = 0; i < found.phase[CHANGE_LFT].n; i++)
		assert_int_equal(
			found.phase[CHANGE_LFT].v[i].subject, found.ordered->order.writes[i].sw);
}

/* A table is known as long as every block of it took effect. */
static void
forwarding_tables(void **state)
{
	static const enum change_phase phases[] = { CHANGE_LFT_SM, CHANGE_LFT };
	uint8_t w[64];

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		struct change c = { 2 * i, 1 }, other = { 2 * i + 1, 1 };

		memcpy(w, fwd_row(&b.plan.fwd, c.subject) + 64, 64);
		assert_true(bed_took_effect(&b, phases[i], c, NULL, w));
		bed_observe(&b, phases[i], c, (struct change_answer){ .data = w, .effect = true });
		assert_true(observed_lft_known(b.o, c.subject));
		w[63] ^= 1;
		assert_false(bed_took_effect(&b, phases[i], c, NULL, w));
		bed_observe(&b, phases[i], c, (struct change_answer){ .data = w, .effect = false });
		assert_false(observed_lft_known(b.o, c.subject));
		assert_true(observed_lft_known(b.o, other.subject));
		bed_forget(&b, phases[i], other);
		assert_false(observed_lft_known(b.o, other.subject));
		assert_int_equal(bed_modifier(&b, phases[i], c, false), 1);
		assert_true(change_kinds[phases[i]]->payload_borrowed);
	}
}

/* A write that carries a part of a block has bytes of its own, and the number of the block. */
static void
parts_of_forwarding_tables(void **state)
{
	uint8_t images[2][64] = { { 1 }, { 2, 3 } }, buf[64];
	struct order o = { .images = images, .nimages = 2 };
	struct diff_view v = bed_view(&b);
	struct change c = { 4, CHANGE_WITH_IMAGE(2, 2) };

	(void)state;
	v.order = &o;
	assert_int_equal(bed_modifier(&b, CHANGE_LFT, c, false), 2);
	assert_int_equal(change_reported(change_kinds[CHANGE_LFT], &c, 0), 2);
	assert_ptr_equal(change_kinds[CHANGE_LFT]->payload(change_kinds[CHANGE_LFT], &v, &c, buf),
		images[1]);
	c.block = CHANGE_WITH_IMAGE(2, 0);
	assert_ptr_equal(change_kinds[CHANGE_LFT]->payload(change_kinds[CHANGE_LFT], &v, &c, buf),
		fwd_row(&b.plan.fwd, 4) + 128);
	assert_true(change_kinds[CHANGE_LFT]->took_effect(change_kinds[CHANGE_LFT], &v,
		&(struct change){ 4, CHANGE_WITH_IMAGE(2, 1) }, NULL, images[0]));
	assert_false(change_kinds[CHANGE_LFT]->took_effect(change_kinds[CHANGE_LFT], &v,
		&(struct change){ 4, CHANGE_WITH_IMAGE(2, 1) }, NULL, images[1]));
}

/*
 * Where nothing is known: the block of the SM's LID first, and one switch after the other in turn.
 */
static void
a_fabric_that_comes_up(void **state)
{
	const struct change_list *rest = &found.phase[CHANGE_LFT];

	(void)state;
	bed_look(&b, &found);
	assert_null(found.ordered);
	assert_int_equal(found.phase[CHANGE_LFT_SM].n, b.s->nswitches);
	for (uint32_t i = 0; i < b.s->nswitches; i++)
		assert_int_equal(found.phase[CHANGE_LFT_SM].v[i].block, b.plan.sm_lid / 64);
	assert_int_equal(rest->n, 2 * b.s->nswitches);
	for (uint32_t i = 1; i < rest->n; i++) {
		assert_int_not_equal(rest->v[i].subject, rest->v[i - 1].subject);
		assert_int_not_equal(rest->v[i].block, b.plan.sm_lid / 64);
	}
}

/* Only switches that hold the tables before the step are compared in its blocks alone. */
static void
a_step_from_known_tables(void **state)
{
	size_t bytes = (size_t)b.plan.fwd.nswitches * b.plan.fwd.stride;
	struct plan_block step[] = { { 3, 1 }, { 4, 1 }, { 5, 9 } }; /* the last is beyond all */
	struct fwd_rows *rows = fwd_rows_new(bytes);
	uint32_t seen[2][3] = { { 0 } };        /* of the two switches, by block */

	(void)state;
	bed_settle(&b, &found);
	memcpy(fwd_rows_bytes(rows), b.plan.fwd.port, bytes);
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
		if (sw != 4)
			b.s->nodes[b.s->switches[sw]].lft =
				fwd_rows_bytes(rows) + (size_t)sw * b.plan.fwd.stride;
		else /* the same bytes, from elsewhere */
			b.s->nodes[b.s->switches[sw]].lft =
				fwd_rows_bytes(rows) + (size_t)5 * b.plan.fwd.stride;
	b.plan.step = (struct plan_step){ .from = rows, .blocks = step, .nblocks = 3 };
	fwd_row(&b.plan.fwd, 3)[70] ^= 1;
	fwd_row(&b.plan.fwd, 3)[140] ^= 1; /* which the step does not tell */
	bed_look(&b, &found);
	for (uint32_t i = 0; i < found.phase[CHANGE_LFT].n; i++) {
		const struct change *c = &found.phase[CHANGE_LFT].v[i];

		assert_true(c->subject == 3 || c->subject == 4);
		seen[c->subject - 3][CHANGE_BLOCK_OF(c)]++;
	}
	assert_true(!seen[0][0] && seen[0][1] && !seen[0][2]);
	assert_true(seen[1][0] && seen[1][1] && seen[1][2]);
	b.plan.step = (struct plan_step){ .from = NULL };
	fwd_rows_drop(rows);
}

/* A switch that did not answer, or is left out. */
static void
tables_that_are_left_alone(void **state)
{
	(void)state;
	b.s->nodes[b.s->switches[5]].flags |= FAB_NODE_CUT;
	b.s->nodes[b.s->switches[6]].flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_LFT_SM].n, b.s->nswitches - 2);
	for (uint32_t i = 0; i < found.phase[CHANGE_LFT].n; i++)
		assert_true(found.phase[CHANGE_LFT].v[i].subject != 5 &&
			found.phase[CHANGE_LFT].v[i].subject != 6);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(tables),
		T(tables_in_use_have_an_order),
		T(forwarding_tables),
		T(parts_of_forwarding_tables),
		T(a_fabric_that_comes_up),
		T(a_step_from_known_tables),
		T(tables_that_are_left_alone),
	};

	return cmocka_run_group_tests_name("sm/diff/kind_lft", tests, NULL, NULL);
}
