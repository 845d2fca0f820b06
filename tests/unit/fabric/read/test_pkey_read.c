/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_pkey_read.c - which blocks are asked for, and what is believed when some of them do not come.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/read/pkey_read.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static uint32_t host, leaf;

static int
setup(void **state)
{
	(void)state;
	s = made_snapshot("fattree:k=4,levels=2", NULL);
	for (host = 0; fab_is_switch(&s->nodes[s->ports[host].node]) || s->ports[host].peer == FAB_NONE; host++)
		;
	leaf = s->ports[host].peer;
	s->sm_port = host;
	snapshot_seal(s);
	s->pkey_blocks = arena_array(&s->arena, 1, sizeof(*s->pkey_blocks));
	s->npkey_blocks = 1;
	wire_put16(s->pkey_blocks[0], 0x8007);
	s->ports[host].pkeys = 0;
	s->ports[host].flags |= FAB_PORT_PKEYS;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	return 0;
}

/* Ends a question: with a block that begins with its modifier, or without an answer. */
static void
answer(struct pkey_reader *r, const struct txn_req *q, enum txn_end_kind kind)
{
	struct dgram d = { .bytes = DGRAM_BYTES };
	struct txn_end e = { .cookie = q->cookie, .kind = kind, .status = kind == TXN_END_STATUS ? 0x1c : 0, .reply = &d };

	wire_put16(d.mad + 64, (uint16_t)(0x100 + (q->modifier & 0xffff)));
	pkey_reader_end(r, &e);
}

static uint16_t
first_key(uint32_t port, unsigned block)
{
	return wire_get16(s->pkey_blocks[s->ports[port].pkeys + block]);
}

static void
reads_what_is_asked(void **state)
{
	const struct pkey_ask asks[] = { { host, 1, 3 }, { leaf, 0, 1 } };
	static const uint32_t blocks[] = { 1, 2, 3, 0, 1 };
	struct pkey_reader *r = pkey_reader_new(s, asks, 2, mkeys_one(0x77));
	struct txn_req q[6];
	unsigned n = 0;

	(void)state;
	while (n < 6 && pkey_reader_next(r, &q[n]))
		n++;
	assert_int_equal(n, 5);
	for (unsigned i = 0; i < 5; i++) {
		uint32_t port = i < 3 ? host : leaf;

		assert_int_equal(q[i].modifier, blocks[i] | (i < 3 ? 0u : (uint32_t)s->ports[leaf].num << 16));
		assert_int_equal(q[i].target, s->ports[port].node);
		assert_int_equal(q[i].attr_id, PKEY_TABLE_ID);
		assert_int_equal(q[i].mkey, 0x77);
		assert_int_equal(q[i].hop_count, s->nodes[s->ports[port].node].hop_count);
	}
	for (unsigned i = 5; i-- > 0;) {
		assert_false(pkey_reader_done(r));
		answer(r, &q[i], TXN_END_OK);
	}
	assert_true(pkey_reader_done(r));
	assert_int_equal(s->ports[host].more_pkeys, 3);
	assert_int_equal(s->ports[leaf].more_pkeys, 1);
	assert_true(s->ports[leaf].flags & FAB_PORT_PKEYS);
	assert_int_equal(first_key(host, 0), 0x8007);
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(first_key(host, i), 0x100 + i);
	assert_int_equal(first_key(leaf, 0), 0x100);
	assert_int_equal(first_key(leaf, 1), 0x101);
	assert_int_equal(s->nproblems, 0);
	pkey_reader_free(r);
}

static void
believes_blocks_in_a_row(void **state)
{
	const struct pkey_ask asks[] = { { host, 1, 3 }, { leaf, 0, 2 } };
	static const enum txn_end_kind ends[] = { TXN_END_OK, TXN_END_TIMED_OUT, TXN_END_OK, TXN_END_STATUS, TXN_END_OK,
		TXN_END_STATUS };
	struct pkey_reader *r = pkey_reader_new(s, asks, 2, mkeys_one(0));
	struct txn_req q;

	(void)state;
	for (unsigned i = 0; pkey_reader_next(r, &q); i++)
		answer(r, &q, ends[i]);
	assert_true(pkey_reader_done(r));
	assert_int_equal(s->ports[host].more_pkeys, 1);
	assert_int_equal(s->ports[leaf].pkeys, FAB_NONE);
	assert_false(s->ports[leaf].flags & FAB_PORT_PKEYS);
	assert_int_equal(s->nproblems, 2);
	assert_int_equal(s->problems[0].kind, FAB_UNANSWERED);
	assert_int_equal(s->problems[0].modifier, 2);
	assert_int_equal(s->problems[0].guid, s->nodes[s->ports[host].node].guid);
	assert_string_equal(s->problems[0].reason, "block 2 of the P_Key table was not read");
	assert_int_equal(s->problems[1].kind, FAB_BAD_STATUS);
	assert_int_equal(s->problems[1].status, 0x1c);
	assert_int_equal(s->problems[1].port, s->ports[leaf].num);
	assert_int_equal(s->problems[1].count, 2);
	pkey_reader_free(r);
}

static void
nothing_to_read(void **state)
{
	struct pkey_reader *r = pkey_reader_new(s, NULL, 0, mkeys_one(0));
	struct txn_req q;

	(void)state;
	assert_false(pkey_reader_next(r, &q));
	assert_true(pkey_reader_done(r));
	pkey_reader_free(r);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { T(reads_what_is_asked), T(believes_blocks_in_a_row), T(nothing_to_read) };

	return cmocka_run_group_tests_name("fabric/pkey_read", tests, NULL, NULL);
}
