/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_table_round.c - limits of held answers, refusals, and ends of rounds that are over.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/registry/table_round.h"
#include "tests/unit/registry/fixture.h"
#include "util/xalloc.h"

static struct fixture f;
static struct table_round *r;

static int
table_round_setup(void **state)
{
	(void)state;
	fixture_make(&f);
	r = xcalloc(1, sizeof(*r));
	r->owner = OWN_MFT;
	r->phase = CHANGE_SWITCH_INFO;
	return 0;
}

static int
table_round_teardown(void **state)
{
	(void)state;
	table_round_finish(r);
	free(r);
	fixture_clear(&f);
	return 0;
}

/* All changes of one phase of the fixture's plan. */
static struct changes
make_changes(void)
{
	struct changes all, c = { 0 };
	struct change_list *from = &all.phase[r->phase];

	diff_make(f.bed.o, &f.bed.plan, &all);
	assert_true(from->n > 1);
	c.phase[r->phase] = *from;
	c.total = from->n;
	*from = (struct change_list){ NULL, 0, 0 };
	changes_clear(&all);
	return c;
}

/* Answers all requests on the wire with 'status', and hands their ends to the round. */
static unsigned
answer_all(uint16_t status)
{
	struct dgram d;
	struct txn_end e;
	int timeout_ms;
	unsigned n = 0;

	while (txn_next_send(f.net.txn, &d, &timeout_ms, f.net.now)) {
		n++;
		dgram_smp_respond(d.mad, status);
		assert_true(txn_receive(f.net.txn, &d, f.net.now));
		while (txn_next_end(f.net.txn, &e)) {
			assert_int_equal(e.cookie >> OWN_SHIFT, OWN_MFT);
			e.cookie &= OWN_MASK;
			table_round_take_end(r, &e);
		}
	}
	return n;
}

static void
without_changes_no_round_begins(void **state)
{
	struct changes c = { 0 };

	(void)state;
	table_round_begin(r, &f.net, &c);
	assert_null(r->apply);
	assert_true(table_round_pump(r, &f.net));
	assert_int_equal(txn_pending(f.net.txn), 0);
	assert_int_equal(table_round_failed(r), 0);
}

static void
a_round_ends_when_all_sets_have(void **state)
{
	struct changes c = make_changes();
	uint32_t n = (uint32_t)c.total;

	(void)state;
	table_round_begin(r, &f.net, &c);
	assert_int_equal(r->list.n, n);
	assert_false(table_round_pump(r, &f.net));
	while (answer_all(STATUS_OK))
		table_round_pump(r, &f.net);
	assert_true(table_round_pump(r, &f.net));
	assert_int_equal(table_round_failed(r), 0);
	table_round_finish(r);
	assert_null(r->apply);
	assert_int_equal(r->list.n, 0);
	assert_int_equal(r->gen, 1);
}

static void
refused_sets_are_counted(void **state)
{
	struct changes c = make_changes();

	(void)state;
	table_round_begin(r, &f.net, &c);
	table_round_pump(r, &f.net);
	while (answer_all(STATUS_BAD_VALUE))
		table_round_pump(r, &f.net);
	assert_true(table_round_failed(r) > 0);
}

/*
 * The ends of a cancelled round come while the next one is under way: they do not count for it, not
 * even if they were failures.
 */
static void
ends_of_a_cancelled_round_are_ignored(void **state)
{
	struct changes c = make_changes();
	uint32_t n = (uint32_t)c.total, answered = 0, cancelled = 0;
	struct txn_end e;

	(void)state;
	table_round_begin(r, &f.net, &c);
	table_round_pump(r, &f.net);
	table_round_cancel(r, &f.net);
	c = make_changes();
	table_round_begin(r, &f.net, &c);
	table_round_pump(r, &f.net);
	while (txn_next_end(f.net.txn, &e)) {
		assert_int_equal(e.kind, TXN_END_CANCELLED);
		e.kind = TXN_END_STATUS;
		e.status = STATUS_BAD_VALUE;
		e.cookie &= OWN_MASK;
		table_round_take_end(r, &e);
		cancelled++;
	}
	assert_int_equal(cancelled, n);
	assert_false(table_round_pump(r, &f.net));
	for (uint32_t k; (k = answer_all(STATUS_OK)) != 0; table_round_pump(r, &f.net))
		answered += k;
	assert_int_equal(answered, n);
	assert_true(table_round_pump(r, &f.net));
	assert_int_equal(table_round_failed(r), 0);
}

static void
a_source_holds_an_eighth_at_most(void **state)
{
	struct held_answer one = { .addr = { .lid = 7 } }, other = { .addr = { .lid = 8 } };

	(void)state;
	for (unsigned i = 0; i < TABLE_ROUND_HELD_SOURCE_MAX; i++)
		assert_true(table_round_admit(r, &one));
	assert_false(table_round_admit(r, &one));
	assert_true(table_round_admit(r, &other));
	table_round_dismiss(r, &one);
	assert_true(table_round_admit(r, &one));
	one.addr.lid = 0xc000;          /* no unicast LID: counted with the other invalid ones */
	assert_true(table_round_admit(r, &one));
	assert_int_equal(r->held[0], 1);
}

static void
room_grows_to_its_limit(void **state)
{
	uint32_t *v = NULL, cap = 0, *grown;

	(void)state;
	for (uint32_t n = 0; n < 100; n++) {
		v = table_round_room(v, n, &cap, sizeof(*v));
		assert_non_null(v);
		assert_true(cap > n);
		v[n] = n;
	}
	for (uint32_t n = 0; n < 100; n++)
		assert_int_equal(v[n], n);
	grown = table_round_room(v, TABLE_ROUND_HELD_MAX, &cap, sizeof(*v));
	assert_null(grown);
	free(v);
}

static void
a_refusal_carries_no_record(void **state)
{
	static const uint8_t zero[SA_DATA_BYTES];
	struct held_answer h = { .addr = { .lid = 7 } };

	(void)state;
	memset(h.mad + SA_HEAD_BYTES, 0x5a, SA_DATA_BYTES);
	table_round_refuse(&h);
	assert_int_equal(dgram_status(h.mad), STATUS_SA_NO_RESOURCES);
	assert_int_equal(dgram_sa_head_decode(h.mad).attr_offset, 0);
	assert_memory_equal(h.mad + SA_HEAD_BYTES, zero, SA_DATA_BYTES);
	table_round_answer(&f.net, &h);
	assert_int_equal(fixture_answer(&f), STATUS_SA_NO_RESOURCES);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, table_round_setup, table_round_teardown)
	const struct CMUnitTest tests[] = {
		T(without_changes_no_round_begins),
		T(a_round_ends_when_all_sets_have),
		T(refused_sets_are_counted),
		T(ends_of_a_cancelled_round_are_ignored),
		T(a_source_holds_an_eighth_at_most),
		T(room_grows_to_its_limit),
		T(a_refusal_carries_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
