/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_guid_read.c - which blocks are asked for: the next only where one holds an alias.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "fabric/read/guid_read.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static uint32_t host[2];

static int
setup(void **state)
{
	unsigned n = 0;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=2", NULL);
	for (uint32_t i = 0; n < 2; i++)
		if (!fab_is_switch(&s->nodes[s->ports[i].node]) && s->ports[i].peer != FAB_NONE)
			host[n++] = i;
	s->sm_port = host[0];
	snapshot_seal(s);
	s->ports[host[0]].info[50] = 20;                /* GUIDCap: three blocks */
	s->ports[host[1]].info[50] = 255;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	return 0;
}

/* Ends a question; entry 'entry' of the block is 'guid', entry 0 of block 0 the port's own. */
static void
answer(struct guid_reader *r, const struct txn_req *q, enum txn_end_kind kind, unsigned entry, uint64_t guid)
{
	struct dgram d = { .bytes = DGRAM_BYTES };
	struct txn_end e = { .cookie = q->cookie, .kind = kind, .reply = &d };

	if (!q->modifier)
		wire_put64(d.mad + 64, 0x77);
	wire_put64(d.mad + 64 + 8 * entry, guid);
	guid_reader_end(r, &e);
}

static void
block_after_block(void **state)
{
	struct guid_reader *r = guid_reader_new(s, host, 1, mkeys_one(0x99));
	const struct guid_row *rows;
	struct txn_req q;
	uint32_t n;

	(void)state;
	for (uint32_t b = 0; b < 3; b++) {
		assert_false(guid_reader_done(r));
		assert_true(guid_reader_next(r, &q));
		assert_int_equal(q.attr_id, GUID_INFO_ID);
		assert_int_equal(q.method, METHOD_GET);
		assert_int_equal(q.mkey, 0x99);
		assert_int_equal(q.modifier, b);
		assert_int_equal(q.target, s->ports[host[0]].node);
		assert_false(guid_reader_next(r, &q));
		assert_false(guid_reader_done(r));
		answer(r, &q, TXN_END_OK, b ? 0 : 1, 0xa0 + b);
	}
	assert_true(guid_reader_done(r));
	rows = guid_reader_rows(r, &n);
	assert_int_equal(n, 3);
	assert_int_equal(rows[2].block, 2);
	assert_int_equal(rows[2].port, host[0]);
	assert_int_equal(wire_get64(rows[2].image), 0xa2);
	guid_reader_free(r);
}

/* What a port shows behind its last entry is no alias. */
static void
behind_the_last(void **state)
{
	struct guid_reader *r = guid_reader_new(s, host, 1, mkeys_one(0));
	const struct guid_row *rows;
	struct txn_req q;
	uint32_t n;

	(void)state;
	for (uint32_t b = 0; b < 2; b++) {
		assert_true(guid_reader_next(r, &q));
		answer(r, &q, TXN_END_OK, 7, 0xa0 + b);
	}
	assert_true(guid_reader_next(r, &q));           /* entries 16 to 19 are there */
	answer(r, &q, TXN_END_OK, 4, 0xa2);
	assert_true(guid_reader_done(r));
	rows = guid_reader_rows(r, &n);
	assert_int_equal(n, 2);
	assert_int_equal(wire_get64(rows[1].image + 56), 0xa1);
	guid_reader_free(r);
	r = guid_reader_new(s, host, 1, mkeys_one(0));
	for (uint32_t b = 0; b < 3; b++) {
		struct dgram d = { .bytes = DGRAM_BYTES };
		struct txn_end e = { .kind = TXN_END_OK, .reply = &d };

		assert_true(guid_reader_next(r, &q));
		e.cookie = q.cookie;
		memset(d.mad + 64, 0x55, GUID_INFO_BYTES);
		guid_reader_end(r, &e);
	}
	rows = guid_reader_rows(r, &n);
	assert_int_equal(n, 3);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(wire_get64(rows[2].image + 8 * i), i < 4 ? UINT64_C(0x5555555555555555) : 0);
	guid_reader_free(r);
}

static void
no_further_than_needed(void **state)
{
	struct guid_reader *r = guid_reader_new(s, host, 2, mkeys_one(0));
	struct txn_req q[2];
	uint32_t n;

	(void)state;
	assert_true(guid_reader_next(r, &q[0]));
	assert_true(guid_reader_next(r, &q[1]));
	assert_false(guid_reader_next(r, &q[0]));
	answer(r, &q[1], TXN_END_OK, 1, 0);             /* its own GUID alone */
	answer(r, &q[0], TXN_END_TIMED_OUT, 1, 5);
	assert_true(guid_reader_done(r));
	guid_reader_rows(r, &n);
	assert_int_equal(n, 0);
	guid_reader_free(r);
	guid_reader_free(NULL);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { T(block_after_block), T(behind_the_last), T(no_further_than_needed) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
