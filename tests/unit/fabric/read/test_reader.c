/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_reader.c - the engine of all readers: order of subjects, the request, its end.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "fabric/read/reader.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct reader r;

/* Each port has a key of its own. */
static uint64_t
key_of_guid(const struct mkeys *k, uint64_t port_guid)
{
	(void)k;
	return port_guid ^ 0x5555;
}

static int
setup(void **state)
{
	struct mkeys keys = { .of = key_of_guid };

	(void)state;
	s = made_snapshot("fattree:k=4,levels=2", NULL);
	reader_init(&r, "test", s, &keys, 3);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	reader_clear(&r);
	made_free(s);
	return 0;
}

static void
subjects_wait_on_a_stack(void **state)
{
	uint32_t subject;

	(void)state;
	assert_true(reader_done(&r));
	assert_false(reader_take(&r, &subject));
	reader_push(&r, 0);
	reader_push(&r, 2);
	assert_false(reader_done(&r));
	assert_true(reader_take(&r, &subject));
	assert_int_equal(subject, 2);
	reader_push(&r, 1);
	assert_true(reader_take(&r, &subject));
	assert_int_equal(subject, 1);
	assert_true(reader_take(&r, &subject));
	assert_int_equal(subject, 0);
	assert_false(reader_take(&r, &subject));
	assert_true(reader_done(&r));
}

/* A port of a switch is protected by the key of port 0; an adapter's port has its own. */
static void
request_and_key(void **state)
{
	static const uint8_t path[] = { 0, 7, 3 };
	struct txn_req q;

	(void)state;
	for (uint32_t port = 0; port < s->nports; port++) {
		const struct fab_node *n = &s->nodes[s->ports[port].node];
		uint32_t end = fab_is_switch(n) ? n->first_port : port;

		memset(&q, 0xff, sizeof(q));
		reader_request(&r, &q, port, PKEY_TABLE_ID, path, 2);
		assert_int_equal(q.target, s->ports[port].node);
		assert_int_equal(q.mgmt_class, CLASS_SM_DR);
		assert_int_equal(q.method, METHOD_GET);
		assert_int_equal(q.attr_id, PKEY_TABLE_ID);
		assert_int_equal(q.modifier, 0);
		assert_int_equal(q.mkey, s->ports[end].guid ^ 0x5555);
		assert_int_equal(q.hop_count, 2);
		assert_ptr_equal(q.path, path);
	}
	assert_int_equal(r.open, s->nports);
}

static void
answers_and_silence(void **state)
{
	static const uint8_t path[] = { 0, 1 };
	struct dgram d = { .bytes = DGRAM_BYTES };
	struct txn_end e = { .cookie = 2, .kind = TXN_END_OK, .reply = &d };
	struct txn_req q;

	(void)state;
	d.mad[64] = 0x12;
	d.mad[127] = 0x34;
	reader_request(&r, &q, 0, NODE_INFO_ID, path, 1);
	reader_request(&r, &q, 0, NODE_INFO_ID, path, 1);
	assert_false(reader_done(&r));
	assert_int_equal(reader_subject(&r, &e), 2);
	assert_int_equal(reader_answer(&r, &e)[0], 0x12);
	assert_false(reader_done(&r));
	e.kind = TXN_END_TIMED_OUT;
	assert_null(reader_answer(&r, &e));
	assert_true(reader_done(&r));
}

/* The same request, with a key that the caller knows. */
static void
a_request_with_a_known_key(void **state)
{
	struct reader_path by = { .hops = 2, .path = { 0, 1, 2 } };
	struct txn_req q, other;
	uint32_t port = s->endports[0];

	(void)state;
	reader_request(&r, &q, port, PKEY_TABLE_ID, by.path, by.hops);
	reader_request_keyed(&r, &other, s->ports[port].node, PKEY_TABLE_ID, &by, q.mkey);
	assert_memory_equal(&q, &other, sizeof(q));
	assert_int_equal(r.open, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(subjects_wait_on_a_stack, setup, teardown),
		cmocka_unit_test_setup_teardown(request_and_key, setup, teardown),
		cmocka_unit_test_setup_teardown(a_request_with_a_known_key, setup, teardown),
		cmocka_unit_test_setup_teardown(answers_and_silence, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
