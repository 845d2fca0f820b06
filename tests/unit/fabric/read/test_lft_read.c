/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lft_read.c - which blocks of forwarding tables are asked for, and what becomes of them.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "fabric/read/lft_read.h"
#include "tests/unit/route/made.h"

#define TOP 200                         /* four blocks */

static struct snapshot *s;
static uint8_t known[4 * LFT_BLOCK_BYTES];

static void
set_top(uint32_t sw, uint16_t top, uint16_t cap)
{
	struct fab_node *n = &s->nodes[s->switches[sw]];
	struct switch_info si = switch_info_decode(n->switch_info);

	si.lft_top = top;
	si.lft_cap = cap;
	switch_info_encode(n->switch_info, &si);
	n->flags |= FAB_NODE_SWITCH_INFO;
}

static int
setup(void **state)
{
	(void)state;
	s = made_snapshot("fattree:k=8,levels=2", NULL);
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		s->nodes[s->switches[sw]].lft = NULL;
		set_top(sw, TOP, 1024);
	}
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	fwd_rows_drop(s->lft_rows);
	made_free(s);
	return 0;
}

/* What switch 'node' has in a block: bytes that tell one from all others. */
static uint8_t
content(uint32_t node, uint32_t block)
{
	return (uint8_t)(node * 16 + block);
}

static void
answer(struct lft_reader *r, const struct txn_req *q, enum txn_end_kind kind)
{
	struct dgram d = { .bytes = DGRAM_BYTES };
	struct txn_end e = {
		.cookie = q->cookie, .kind = kind, .modifier = q->modifier, .reply = &d, .attr_id = q->attr_id,
		.status = kind == TXN_END_STATUS ? 0x1c : 0,
	};

	memset(d.mad + 64, content(q->target, q->modifier), LFT_BLOCK_BYTES);
	lft_reader_end(r, &e);
}

/* Everything, up to 64 at a time; block 2 of the node 'mute' ends as 'kind' says. */
static unsigned
run(struct lft_reader *r, uint32_t mute, enum txn_end_kind kind)
{
	static unsigned open[256];
	struct txn_req q[64];
	unsigned n, all = 0;

	memset(open, 0, sizeof(open));
	while (!lft_reader_done(r)) {
		for (n = 0; n < 64 && lft_reader_next(r, &q[n]); n++) {
			assert_int_equal(q[n].attr_id, LFT_BLOCK_ID);
			assert_int_equal(q[n].method, METHOD_GET);
			assert_int_equal(q[n].mkey, 0x99);
			assert_true(++open[q[n].target] <= LFT_READ_SIDE);
		}
		assert_true(n > 0);
		all += n;
		while (n) {
			n--;
			open[q[n].target]--;
			answer(r, &q[n], q[n].target == mute && q[n].modifier == 2 ? kind : TXN_END_OK);
		}
	}
	return all;
}

static void
assert_read(uint32_t sw)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	assert_non_null(n->lft);
	assert_true(n->flags & FAB_NODE_LFT);
	assert_int_equal(n->lft_blocks, TOP / LFT_BLOCK_BYTES + 1);
	for (uint32_t i = 0; i < n->lft_blocks * LFT_BLOCK_BYTES; i++)
		assert_int_equal(n->lft[i], content(s->switches[sw], i / LFT_BLOCK_BYTES));
}

static void
every_block_once(void **state)
{
	struct lft_reader *r = lft_reader_new(s, mkeys_one(0x99));

	(void)state;
	assert_int_equal(run(r, FAB_NONE, TXN_END_OK), s->nswitches * 4);
	lft_reader_take(r, s);
	lft_reader_free(r);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		assert_read(sw);
	assert_int_equal(s->nproblems, 0);
}

/* Known tables, empty ones and impossible ones are not asked for. */
static void
only_what_is_needed(void **state)
{
	struct fwd_rows *others = fwd_rows_new(64);
	struct lft_reader *r;

	(void)state;
	set_top(0, 0, 1024);
	set_top(1, 200, 200);
	set_top(2, 0xffff, 0xffff);
	s->nodes[s->switches[3]].lft = known;
	for (uint32_t sw = 5; sw < s->nswitches; sw++)
		s->nodes[s->switches[sw]].flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	s->lft_rows = others;                   /* the memory of tables that were cached */
	r = lft_reader_new(s, mkeys_one(0x99));
	assert_int_equal(run(r, FAB_NONE, TXN_END_OK), 4);
	lft_reader_take(r, s);
	lft_reader_free(r);
	assert_read(4);
	assert_ptr_equal(s->lft_rows, others);
	assert_ptr_equal(s->nodes[s->switches[3]].lft, known);
	assert_null(s->nodes[s->switches[0]].lft);
	s->nodes[s->switches[4]].lft = known;
	assert_null(lft_reader_new(s, mkeys_one(0x99)));
	lft_reader_free(NULL);
}

/* A switch that leaves a block unanswered has no table and a problem, at its place among others. */
static void
an_unanswered_block(void **state)
{
	static const struct { enum txn_end_kind kind; enum fab_problem_kind is; } rows[] = {
		{ TXN_END_TIMED_OUT, FAB_UNANSWERED }, { TXN_END_STATUS, FAB_BAD_STATUS }, { TXN_END_SKIPPED, FAB_UNANSWERED },
	};
	uint32_t mute = s->switches[2];
	struct fab_problem before = { .guid = s->nodes[mute].guid - 1 }, after = { .guid = s->nodes[mute].guid + 1 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct lft_reader *r;

		for (uint32_t sw = 0; sw < s->nswitches; sw++)
			s->nodes[s->switches[sw]].lft = NULL;
		s->nproblems = 0;
		snapshot_add_problem(s, &after);
		snapshot_add_problem(s, &before);
		r = lft_reader_new(s, mkeys_one(0x99));
		run(r, mute, rows[i].kind);
		lft_reader_take(r, s);
		lft_reader_free(r);
		assert_null(s->nodes[mute].lft);
		assert_true(s->nodes[mute].flags & FAB_NODE_FAILED);
		assert_read(1);
		assert_int_equal(s->nproblems, 3);
		assert_int_equal(s->problems[0].guid, before.guid);
		assert_int_equal(s->problems[1].guid, s->nodes[mute].guid);
		assert_int_equal(s->problems[1].kind, rows[i].is);
		assert_int_equal(s->problems[1].attr_id, LFT_BLOCK_ID);
		assert_int_equal(s->problems[1].modifier, 2);
		assert_int_equal(s->problems[1].count, 1);
		assert_int_equal(s->problems[2].guid, after.guid);
		fwd_rows_drop(s->lft_rows);
		s->lft_rows = NULL;
	}
}

/* ---- tables that were expected ---- */

/* Gives each switch its table as answer() tells it, and a reader that has not begun. */
static struct lft_reader *
expected_begin(uint8_t **all)
{
	struct lft_reader *r;

	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		s->nodes[s->switches[sw]].lft = NULL;
	r = lft_reader_new(s, mkeys_one(0x99));
	*all = calloc(s->nswitches, sizeof(known));
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		struct fab_node *n = &s->nodes[s->switches[sw]];
		uint8_t *row = *all + sw * sizeof(known);

		for (unsigned i = 0; i < sizeof(known); i++)
			row[i] = content(s->switches[sw], i / LFT_BLOCK_BYTES);
		n->lft = row;
		n->lft_blocks = 4;
	}
	return r;
}

/* Answers 'n' requests. */
static void
run_some(struct lft_reader *r, unsigned n)
{
	struct txn_req q;

	for (; n; n--) {
		assert_true(lft_reader_next(r, &q));
		answer(r, &q, TXN_END_OK);
	}
}

/* Whether the tables are told before any is read, between, or after all. */
static void
expected_tables(void **state)
{
	uint8_t *all;

	(void)state;
	for (unsigned first = 0; first <= s->nswitches * 4; first++) {
		struct lft_reader *r = expected_begin(&all);

		run_some(r, first);
		assert_false(lft_reader_confirms(r));
		lft_reader_expect(r);
		assert_int_equal(lft_reader_confirms(r), first == s->nswitches * 4);
		run(r, FAB_NONE, TXN_END_OK);
		assert_true(lft_reader_confirms(r));
		assert_false(lft_reader_contradicts(r));
		lft_reader_free(r);
		free(all);
	}
}

/* Any byte of any table, whenever the tables are told. */
static void
other_tables(void **state)
{
	uint8_t *all;

	(void)state;
	for (unsigned at = 0; at < s->nswitches * sizeof(known); at += 37)
		for (unsigned first = 0; first <= s->nswitches * 4; first += 5) {
			struct lft_reader *r = expected_begin(&all);

			all[at]++;
			run_some(r, first);
			lft_reader_expect(r);
			run(r, FAB_NONE, TXN_END_OK);
			assert_true(lft_reader_contradicts(r));
			assert_false(lft_reader_confirms(r));
			lft_reader_free(r);
			free(all);
		}
}

/* A table of another length, none at all, and one that could not be read. */
static void
expected_in_vain(void **state)
{
	struct fab_node *odd = &s->nodes[s->switches[s->nswitches - 1]];
	uint8_t *all;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct lft_reader *r = expected_begin(&all);
		struct txn_req q;

		if (i == 0)
			odd->lft_blocks = 3;
		if (i == 1)
			odd->lft = NULL;
		if (i == 2) {                   /* before it is told */
			assert_true(lft_reader_next(r, &q));
			answer(r, &q, TXN_END_TIMED_OUT);
		}
		lft_reader_expect(r);
		assert_int_equal(lft_reader_contradicts(r), i < 3);
		run(r, i == 3 ? s->switches[1] : FAB_NONE, TXN_END_TIMED_OUT);
		assert_true(lft_reader_contradicts(r));
		assert_false(lft_reader_confirms(r));
		lft_reader_free(r);
		free(all);
	}
}

/* One that is another is told as soon as it was read. */
static void
another_table_is_told_at_once(void **state)
{
	struct lft_reader *r;
	struct txn_req q;
	uint8_t *all;
	unsigned n = 0;

	(void)state;
	r = expected_begin(&all);
	all[0]++;
	lft_reader_expect(r);
	while (!lft_reader_contradicts(r)) {
		assert_true(lft_reader_next(r, &q));
		answer(r, &q, TXN_END_OK);
		n++;
	}
	assert_true(n < s->nswitches * 4);
	assert_false(lft_reader_done(r));
	lft_reader_free(r);
	free(all);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(every_block_once), T(only_what_is_needed), T(an_unanswered_block),
		T(expected_tables), T(other_tables), T(expected_in_vain),
		T(another_table_is_told_at_once) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
