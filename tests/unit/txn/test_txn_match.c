/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_txn_match.c - which received datagram ends which request, and which is ignored, returned to
 * the caller or counted as late.
 */
#include <config.h>
#include <errno.h>
#include "libmad/attr/sa_attr.h"
#include "tests/unit/txn/harness.h"

static const struct dgram_addr far_end = { .lid = 9, .qpn = 1 };

static int
txn_match_setup(void **state)
{
	struct txn_conf c = harness_conf();

	*state = harness_start(&c);
	return 0;
}

static int
txn_match_teardown(void **state)
{
	harness_end(*state);
	return 0;
}

/* Submits a GMP to target 3 and pulls its send. */
static struct dgram
gmp_sent(struct harness *h, uint8_t mgmt_class, uint8_t method, uint16_t attr_id)
{
	struct dgram d;
	int ms;

	txn_submit(h->t, &(struct txn_req){
		.target = 3, .cookie = 1, .mgmt_class = mgmt_class, .method = method,
		.attr_id = attr_id, .addr = &far_end,
	}, h->now);
	assert_true(txn_next_send(h->t, &d, &ms, h->now));
	return d;
}

static void
expect_end(struct harness *h, enum txn_end_kind kind)
{
	struct txn_end e;

	assert_true(txn_next_end(h->t, &e));
	assert_string_equal(txn_end_kind_text(e.kind), txn_end_kind_text(kind));
	assert_false(txn_next_end(h->t, &e));
}

/* Every wrong header field is ignored, counted by its kind, and shown in the end. */
static void
mismatches(void **state)
{
	struct harness *h = *state;
	struct dgram good, d;
	struct txn_end e;

	submit(h, 3, 1, 0x15, 7);
	pull(h);
	good = answer_to(h, 0, 0);
	for (unsigned m = 0; m < TXN_MISMATCH_KINDS; m++) {
		d = good;
		switch ((enum txn_mismatch)m) {
		case TXN_MISMATCH_CLASS: d.mad[1] = CLASS_SM_LID; break;
		case TXN_MISMATCH_METHOD: d.mad[3] = METHOD_REPORT_RESP; break;
		case TXN_MISMATCH_ATTR: dgram_set_attr_id(d.mad, 0x16); break;
		case TXN_MISMATCH_MODIFIER: dgram_set_modifier(d.mad, 8); break;
		case TXN_MISMATCH_DIRECTION: d.mad[4] &= 0x7f; break;
		case TXN_MISMATCH_SHORT: d.bytes = DGRAM_BYTES - 1; break;
		case TXN_MISMATCH_ROUTE: dgram_initial_path(d.mad)[3] ^= 1; break;
		case TXN_MISMATCH_KINDS: break;
		}
		assert_true(txn_receive(h->t, &d, h->now));
		assert_int_equal(txn_stats(h->t)->mismatched[m], 1);
		assert_false(txn_ends_waiting(h->t));
	}
	d = good;
	dgram_set_hop_count(d.mad, 2);          /* another length is another route, too */
	assert_true(txn_receive(h->t, &d, h->now));
	assert_int_equal(txn_stats(h->t)->mismatched[TXN_MISMATCH_ROUTE], 2);
	assert_true(txn_receive(h->t, &good, h->now));
	assert_true(txn_next_end(h->t, &e));
	assert_int_equal(e.kind, TXN_END_OK);
	assert_int_equal(e.mismatched, (1u << TXN_MISMATCH_KINDS) - 1);
	assert_string_equal(txn_mismatch_text(TXN_MISMATCH_KINDS), "?");
}

/* The method that answers each method, and no other. */
static void
answer_methods(void **state)
{
	static const struct {
		uint8_t method, answer;
	} rows[] = {
		{ METHOD_GET, METHOD_GET_RESP }, { METHOD_SET, METHOD_GET_RESP },
		{ METHOD_GET_TABLE, METHOD_GET_TABLE_RESP },
		{ METHOD_GET_TRACE, METHOD_GET_TABLE_RESP },
		{ METHOD_TRAP, METHOD_TRAP_REPRESS }, { METHOD_REPORT, METHOD_REPORT_RESP },
	};
	struct harness *h = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct dgram d = gmp_sent(h, CLASS_SA, rows[i].method, 0x11);

		for (unsigned m = 0x80; m < 0x100; m++) {
			struct dgram wrong = d;

			if (m == rows[i].answer)
				continue;
			dgram_set_method(wrong.mad, (uint8_t)m);
			assert_true(txn_receive(h->t, &wrong, h->now));
			assert_false(txn_ends_waiting(h->t));
		}
		dgram_set_method(d.mad, rows[i].answer);
		assert_true(txn_receive(h->t, &d, h->now));
		expect_end(h, TXN_END_OK);
	}
}

/* A request of a peer whose TID happens to be one of ours is the caller's. */
static void
requests_of_peers(void **state)
{
	struct harness *h = *state;
	struct dgram d = gmp_sent(h, CLASS_SA, METHOD_GET, 0x11), other;

	for (unsigned m = 0; m < 0x80; m++) {
		other = d;
		dgram_set_method(other.mad, (uint8_t)m);
		assert_false(txn_receive(h->t, &other, h->now));
	}
	assert_int_equal(txn_stats(h->t)->late, 0);
	assert_int_equal(txn_pending(h->t), 1);
}

/* A MultiPathRecord query is answered by path records or by its own kind; others only by theirs. */
static void
multi_path(void **state)
{
	struct harness *h = *state;
	struct dgram d = gmp_sent(h, CLASS_SA, METHOD_GET_TABLE, PATH_RECORD_ID);

	dgram_set_method(d.mad, METHOD_GET_TABLE_RESP);
	dgram_set_attr_id(d.mad, MULTIPATH_RECORD_ID);
	assert_true(txn_receive(h->t, &d, h->now));
	assert_false(txn_ends_waiting(h->t));
	dgram_set_attr_id(d.mad, PATH_RECORD_ID);
	assert_true(txn_receive(h->t, &d, h->now));
	expect_end(h, TXN_END_OK);
	for (unsigned i = 0; i < 2; i++) {
		d = gmp_sent(h, CLASS_SA, METHOD_GET_TABLE, MULTIPATH_RECORD_ID);
		dgram_set_method(d.mad, METHOD_GET_TABLE_RESP);
		dgram_set_attr_id(d.mad, i ? PATH_RECORD_ID : MULTIPATH_RECORD_ID);
		assert_true(txn_receive(h->t, &d, h->now));
		expect_end(h, TXN_END_OK);
	}
}

/* A GMP needs its 24 bytes of header, an SMP all 256. */
static void
short_answers(void **state)
{
	struct harness *h = *state;
	struct dgram d = gmp_sent(h, CLASS_PM, METHOD_GET, 0x12);

	dgram_set_method(d.mad, METHOD_GET_RESP);
	d.bytes = 23;
	assert_true(txn_receive(h->t, &d, h->now));
	assert_int_equal(txn_stats(h->t)->mismatched[TXN_MISMATCH_SHORT], 1);
	d.bytes = 24;
	assert_true(txn_receive(h->t, &d, h->now));
	expect_end(h, TXN_END_OK);
}

/* 'more' is taken from an accepted answer only, and is the caller's after txn_take_more(). */
static void
long_answers(void **state)
{
	struct harness *h = *state;
	struct dgram d = gmp_sent(h, CLASS_SA, METHOD_GET_TABLE, 0x11);
	uint8_t *more = calloc(1, 1000);
	struct txn_end e;

	assert_non_null(more);
	d.more = more;
	d.bytes = 1000;
	dgram_set_method(d.mad, METHOD_GET_RESP);
	assert_true(txn_receive(h->t, &d, h->now));
	assert_ptr_equal(d.more, more);         /* a mismatch: still ours */
	dgram_set_method(d.mad, METHOD_GET_TABLE_RESP);
	assert_true(txn_receive(h->t, &d, h->now));
	assert_null(d.more);
	assert_null(txn_take_more(h->t));       /* its end was not pulled yet */
	assert_true(txn_next_end(h->t, &e));
	assert_int_equal(e.reply->bytes, 1000);
	assert_ptr_equal(txn_take_more(h->t), more);
	assert_null(txn_take_more(h->t));
	free(more);
	/* what is not taken is freed with the next end or the txn */
	d = gmp_sent(h, CLASS_SA, METHOD_GET_TABLE, 0x11);
	d.more = calloc(1, 500);
	d.bytes = 500;
	dgram_set_method(d.mad, METHOD_GET_TABLE_RESP);
	assert_true(txn_receive(h->t, &d, h->now));
	assert_null(d.more);
}

/* An answer to an earlier try of the request ends it; an answer to an ended request is late. */
static void
earlier_tries(void **state)
{
	struct harness *h = *state;

	submit(h, 3, 1, 0x15, 0);
	pull(h);
	pass_until(h, 150);
	assert_int_equal(h->sent_n, 2);
	assert_true(dgram_tid(h->sent[0].mad) != dgram_tid(h->sent[1].mad));
	answer(h, 0, 0);
	assert_int_equal(txn_stats(h->t)->late, 0);
	expect_end(h, TXN_END_OK);
	answer(h, 1, 0);
	answer(h, 0, 0);
	assert_int_equal(txn_stats(h->t)->late, 2);
	assert_false(txn_ends_waiting(h->t));
}

/* A TID that was never given out, TID 0 among them, is late and harmless. */
static void
invented_tids(void **state)
{
	struct harness *h = *state;
	struct dgram d;
	uint32_t tid;

	submit(h, 3, 1, 0x15, 0);
	pull(h);
	tid = (uint32_t)dgram_tid(h->sent[0].mad);
	for (uint32_t i = 0; i < 40000; i++) {
		d = answer_to(h, 0, 0);
		if (i * 2654435761u == tid)
			continue;
		dgram_set_tid(d.mad, i * 2654435761u);
		assert_true(txn_receive(h->t, &d, h->now));
	}
	assert_int_equal(txn_stats(h->t)->late, 40000);
	assert_int_equal(txn_pending(h->t), 1);
	assert_false(txn_ends_waiting(h->t));
}

/* Only the latest try's return expires it; an answer of ours that came back is not our request. */
static void
returned_sends(void **state)
{
	struct harness *h = *state;
	struct dgram d;

	submit(h, 3, 1, 0x15, 0);
	pull(h);
	d = answer_to(h, 0, 0);
	d.status = ETIMEDOUT;
	assert_false(txn_receive(h->t, &d, h->now));
	come_back(h, 0);
	assert_int_equal(txn_stats(h->t)->tries_expired, 1);
	pull(h);
	assert_int_equal(h->sent_n, 2);
	come_back(h, 0);                        /* the first one again: of no interest now */
	assert_int_equal(txn_stats(h->t)->tries_expired, 1);
	d = h->sent[1];
	d.status = ETIMEDOUT;
	d.mad[1] = CLASS_SM_LID;
	assert_false(txn_receive(h->t, &d, h->now));
	answer(h, 1, 0);
	expect_end(h, TXN_END_OK);
	come_back(h, 1);
	assert_int_equal(txn_stats(h->t)->late, 1);
}

/* BUSY leads to another try after a pause; BUSY to the last try is a status. */
static void
busy_answers(void **state)
{
	struct harness *h = *state;
	struct txn_end e;

	submit(h, 3, 1, 0x15, 0);
	for (unsigned i = 0; i < 4; i++) {
		pull(h);
		assert_int_equal(h->sent_n, i + 1);
		answer(h, i, STATUS_BUSY);
		if (i < 3) {
			struct monotime at;

			assert_false(txn_ends_waiting(h->t));
			pull(h);
			assert_int_equal(h->sent_n, i + 1);     /* not before the pause is over */
			assert_true(txn_deadline(h->t, &at));
			assert_int_equal(at.us - h->now.us, 10000 << i);
			h->now = at;
			txn_tick(h->t, h->now);
		}
	}
	assert_true(txn_next_end(h->t, &e));
	assert_int_equal(e.kind, TXN_END_STATUS);
	assert_int_equal(e.status, STATUS_BUSY);
	assert_int_equal(e.tries, 4);
	assert_int_equal(txn_stats(h->t)->busy, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(mismatches, txn_match_setup, txn_match_teardown),
		cmocka_unit_test_setup_teardown(
			answer_methods, txn_match_setup, txn_match_teardown),
		cmocka_unit_test_setup_teardown(
			requests_of_peers, txn_match_setup, txn_match_teardown),
		cmocka_unit_test_setup_teardown(multi_path, txn_match_setup, txn_match_teardown),
		cmocka_unit_test_setup_teardown(short_answers, txn_match_setup, txn_match_teardown),
		cmocka_unit_test_setup_teardown(long_answers, txn_match_setup, txn_match_teardown),
		cmocka_unit_test_setup_teardown(earlier_tries, txn_match_setup, txn_match_teardown),
		cmocka_unit_test_setup_teardown(invented_tids, txn_match_setup, txn_match_teardown),
		cmocka_unit_test_setup_teardown(
			returned_sends, txn_match_setup, txn_match_teardown),
		cmocka_unit_test_setup_teardown(busy_answers, txn_match_setup, txn_match_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
