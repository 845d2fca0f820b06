/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_read.c - which tables of lanes are asked for, and what becomes of the answers.
 */
#include <config.h>
#include "fabric/read/qos_read.h"
#include "tests/unit/fabric/snapshot/qos_fabric.h"

static unsigned
read_all(bool skip_optimized, bool answer)
{
	struct qos_read_conf c = { .mkeys = mkeys_one(5), .skip_optimized = skip_optimized };
	struct qos_reader *r = qos_reader_new(qf.s, qf.q, &c);
	struct txn_req *v = calloc(1000, sizeof(*v));
	unsigned n = 0;

	while (qos_reader_next(r, &v[n])) {
		assert_int_equal(v[n].mkey, 5);
		assert_int_equal(v[n].method, METHOD_GET);
		assert_true(v[n].attr_id == SLVL_TABLE_ID || v[n].attr_id == VLARB_TABLE_ID);
		assert_int_equal(v[n].hop_count, qf.s->nodes[v[n].target].hop_count);
		assert_true(v[n].cookie >> 48 == 0);
		assert_false(qos_reader_done(r));
		assert_in_range(++n, 1, 999);
	}
	for (unsigned i = n; i-- > 0; ) {
		struct dgram d = { .bytes = DGRAM_BYTES };
		struct txn_end e = { .cookie = v[i].cookie,
			.kind = answer ? TXN_END_OK : i & 1 ? TXN_END_STATUS : TXN_END_TIMED_OUT,
			.status = 0x0c, .reply = &d };

		d.mad[64] = 0x0a;
		d.mad[71] = (uint8_t)(v[i].modifier & 0x0f);
		assert_false(qos_reader_done(r));
		qos_reader_end(r, &e);
	}
	assert_true(qos_reader_done(r));
	free(v);
	qos_reader_free(r);
	return n;
}

static void
reads_what_is_unknown(void **state)
{
	unsigned all = qos_fabric_expected(2), d = qos_fabric_degree(qf.s->ports[qf.leaf].node),
		optimized = 0;

	(void)state;
	assert_int_equal(read_all(false, false), all);
	assert_int_equal(qos_fabric_known(), 0);                   /* nothing was answered */
	for (uint32_t i = 1; i < qf.s->nswitches; i += 2)
		optimized += qos_fabric_degree(qf.s->switches[i]) * (qos_fabric_degree(qf.s->switches[i]) + 1);
	assert_int_equal(read_all(true, false), all - optimized);
	assert_int_equal(read_all(false, true), all);
	assert_int_equal(qos_fabric_known(), all);
	assert_int_equal(qos_fabric_got(qf.leaf, 1, 0), qf.s->ports[qf.leaf].num);
	assert_int_equal(qos_fabric_got(qf.leaf, 0, 1), qf.s->ports[qf.leaf].num);
	assert_int_equal(read_all(false, true), 0);
	qos_fabric_forget(qf.leaf, 1, 0);
	qos_fabric_forget(qf.host, 0, 3);
	assert_int_equal(read_all(false, true), 2);
	/* links that are not up are not looked at */
	qos_fabric_edit(qf.leaf, 2, 8, 8);
	qos_fabric_edit(qf.host, 2, 8, 8);
	qos_fabric_next(qf.s);
	assert_int_equal(read_all(false, true), 0);
	assert_int_equal(qos_fabric_known(), all - 2 * d - 2 - 3);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, qos_fabric_setup, qos_fabric_teardown)
	const struct CMUnitTest tests[] = {
		T(reads_what_is_unknown),
	};

	return cmocka_run_group_tests_name("fabric/qos_read", tests, NULL, NULL);
}
