/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mft_read.c - which rows of multicast tables are asked for, and where reading ends.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "fabric/read/mft_read.h"
#include "tests/unit/route/made.h"

enum { ASKED_MAX = 4096 };

static struct snapshot *s;
static uint32_t used_block;             /* in which all switches have an entry */
static bool any_used;
static uint32_t unresponsive = FAB_NONE;        /* ordinal of a switch */
static unsigned open_of[64];

static void
configure(uint32_t sw, uint16_t lft_top, uint16_t mft_cap, uint16_t mft_top)
{
	struct fab_node *n = &s->nodes[s->switches[sw]];
	struct switch_info si = switch_info_decode(n->switch_info);

	si.lft_top = lft_top;
	si.mft_cap = mft_cap;
	si.mft_top = mft_top;
	switch_info_encode(n->switch_info, &si);
	n->flags |= FAB_NODE_SWITCH_INFO;
}

static int
setup(void **state)
{
	(void)state;
	s = made_snapshot("fattree:k=36,levels=2", NULL);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		configure(sw, 100, 1024, 0);
	any_used = false;
	unresponsive = FAB_NONE;
	memset(open_of, 0, sizeof(open_of));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	return 0;
}

static void
answer(struct mft_reader *r, const struct txn_req *q)
{
	struct dgram d = { .bytes = DGRAM_BYTES };
	struct txn_end e = { .cookie = q->cookie, .kind = q->cookie == unresponsive ? TXN_END_TIMED_OUT : TXN_END_OK, .reply = &d };

	open_of[q->cookie]--;
	if (any_used && (q->modifier & 0x1ff) == used_block && q->modifier >> 28 == 1)
		wire_put16(d.mad + 64 + 62, 0x8000);
	mft_reader_end(r, &e);
}

/* Everything, as many at a time as there are; how many questions that took. */
static unsigned
run(struct mft_reader *r)
{
	struct txn_req q[64];
	unsigned n, all = 0;

	while (!mft_reader_done(r)) {
		for (n = 0; n < 64 && mft_reader_next(r, &q[n]); n++) {
			assert_int_equal(q[n].attr_id, MFT_BLOCK_ID);
			assert_int_equal(q[n].method, METHOD_GET);
			assert_int_equal(q[n].mkey, 0x99);
			assert_int_equal(q[n].target, s->switches[q[n].cookie]);
			assert_int_equal(++open_of[q[n].cookie], 1);    /* one outstanding for each switch */
		}
		assert_true(n > 0);
		all += n;
		while (n)
			answer(r, &q[--n]);
		assert_true(all < ASKED_MAX * 64);
	}
	return all;
}

static void
ends_after_a_gap(void **state)
{
	static const struct { uint32_t used; bool any; uint32_t hint, blocks; } rows[] = {
		{ 0, false, 0, 4 }, { 0, true, 0, 5 }, { 3, true, 0, 8 }, { 4, true, 0, 4 }, { 4, true, 160, 9 }, { 31, true, 1024, 32 },
		{ 0, false, 100000, 32 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mft_reader *r = mft_reader_new(s, 1024, rows[i].hint, mkeys_one(0x99));
		const struct mft_read_row *v;
		uint32_t n, in_use = 0;

		any_used = rows[i].any;
		used_block = rows[i].used;
		assert_int_equal(run(r), rows[i].blocks * 3 * s->nswitches);    /* three positions for 36 ports */
		v = mft_reader_rows(r, &n);
		assert_int_equal(n, rows[i].blocks * 3 * s->nswitches);
		for (uint32_t k = 0; k < n; k++)
			in_use += wire_get16(v[k].image + 62) == 0x8000 && v[k].row == (used_block | 1u << 28);
		assert_int_equal(in_use, rows[i].any && rows[i].used < rows[i].blocks ? s->nswitches : 0);
		assert_int_equal(mft_reader_unread(r, 0), FAB_NONE);
		mft_reader_free(r);
	}
}

/* Who was never configured, has no table or says that it is empty is not asked; a top or a small table ends it early. */
static void
only_what_is_there(void **state)
{
	struct mft_reader *r;

	(void)state;
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		configure(sw, 0, 1024, 0);
	configure(0, 100, 0, 0);
	configure(1, 100, 1024, 0xbfff);
	configure(2, 100, 1024, 0xc01f);
	configure(3, 100, 64, 0);
	s->nodes[s->switches[4]].flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	any_used = true;
	used_block = 0;
	r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));
	assert_int_equal(run(r), (1 + 2) * 3);
	mft_reader_free(r);
	r = mft_reader_new(s, 20, 0, mkeys_one(0x99));             /* the least table of all has room for no more */
	assert_int_equal(run(r), (1 + 1) * 3);
	mft_reader_free(r);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		configure(sw, 0, 1024, 0);
	r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));
	assert_true(mft_reader_done(r));
	mft_reader_free(r);
}

static void
unresponsive_switch(void **state)
{
	struct mft_reader *r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));

	(void)state;
	unresponsive = 5;
	assert_int_equal(run(r), 4 * 3 * (s->nswitches - 1) + 1);       /* it is asked once */
	assert_int_equal(mft_reader_unread(r, 0), 5);
	assert_int_equal(mft_reader_unread(r, 6), FAB_NONE);
	mft_reader_free(r);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(ends_after_a_gap), T(only_what_is_there), T(unresponsive_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
