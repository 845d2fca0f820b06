/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_query.c - requests to a saved fabric, one at a time: what is answered, what is not, and who owns a reply.
 */
#include <config.h>
#include <errno.h>
#include "diags/ask/asking.h"
#include "diags/ask/engine.h"
#include "diags/ask/query.h"
#include "diags/ask/replay.h"
#include "diags/core/context.h"
#include "diags/core/status.h"
#include "libmad/attr/pm_attr.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/diags/fake.h"

static const struct diag_tool tool = { .name = "test" };

static int
query_begin(void **state)
{
	static const uint8_t counters[] = { 0, 4, 0, 0, 0, 9 };
	struct diag *d = calloc(1, sizeof(*d));
	struct capture *c = capture_new();
	struct capture_key k = { .node = 0, .mgmt_class = CLASS_PM, .attr_id = PM_PORT_COUNTERS_ID,
		.select = 4 };

	diag_begin(d, &tool, &diag_asking_ports, "test");
	capture_add(c, &k, STATUS_OK, counters, sizeof(counters));
	k.select = 3;
	capture_add(c, &k, STATUS_BAD_VALUE, NULL, 0);
	engine_open(d, replay_open(fake_snapshot(), c), NULL);
	*state = d;
	return 0;
}

static int
query_end(void **state)
{
	struct diag *d = *state;

	diag_clear(d);
	free(d);
	return 0;
}

static void
by_route_and_lid(void **state)
{
	struct diag *d = *state;
	struct diag_addr leaf = diag_addr_path((const uint8_t[]){ 0, 1 }, 1),
		spine = diag_addr_path((const uint8_t[]){ 0, 1, 4 }, 2);
	struct diag_addr by_lid = diag_addr_lid(4), self = diag_addr_self();
	uint8_t data[64];

	assert_int_equal(diag_get(d, &self, NODE_INFO_ID, 0, data), 0);
	assert_int_equal(node_info_decode(data).node_guid, 0x200);
	assert_int_equal(diag_get(d, &leaf, NODE_INFO_ID, 0, data), 0);
	assert_int_equal(node_info_decode(data).node_guid, 0x100);
	assert_int_equal(node_info_decode(data).local_port, 1);
	assert_int_equal(diag_get(d, &spine, NODE_DESC_ID, 0, data), 0);
	assert_string_equal((char *)data, "spine-0");
	assert_int_equal(diag_get(d, &by_lid, NODE_INFO_ID, 0, data), 0);
	assert_int_equal(node_info_decode(data).node_guid, 0x400);
}

static void
failures(void **state)
{
	struct diag *d = *state;
	struct diag_addr nowhere = diag_addr_lid(99),
		air = diag_addr_path((const uint8_t[]){ 0, 1, 3 }, 2), leaf = diag_addr_lid(1);
	struct diag_request q = { .to = &leaf, .attr_id = PORT_INFO_ID, .modifier = 200 };
	struct diag_reply r;
	uint8_t data[64] = { 0 };

	assert_int_equal(diag_get(d, &nowhere, NODE_INFO_ID, 0, data), -ETIMEDOUT);
	assert_int_equal(diag_get(d, &air, NODE_INFO_ID, 0, data), -ETIMEDOUT);
	assert_int_equal(diag_status(d), EXIT_PARTIAL);
	assert_int_equal(json_array_size(d->errors), 2);
	/* A status comes with the reply; a quiet failure is the caller's to report. */
	q.quiet = true;
	assert_int_equal(diag_query(d, &q, &r), -EPROTO);
	assert_int_equal(r.end, DIAG_STATUS);
	assert_int_equal(r.status, STATUS_BAD_VALUE);
	assert_non_null(r.mad);
	diag_reply_clear(&r);
	diag_reply_clear(&r);
	assert_int_equal(r.status, STATUS_BAD_VALUE);
	assert_int_equal(json_array_size(d->errors), 2);
	/* Nothing can be set in a file. */
	assert_int_equal(diag_set(d, &leaf, PORT_INFO_ID, 1, data), -EPROTO);
}

/* A reply is good after the next request, and after the next. */
static void
replies_own_their_bytes(void **state)
{
	struct diag *d = *state;
	struct diag_addr to[2] = { diag_addr_lid(1), diag_addr_lid(4) };
	struct diag_request q = { .attr_id = NODE_DESC_ID };
	struct diag_reply r[2], table;

	for (int i = 0; i < 2; i++) {
		q.to = &to[i];
		assert_int_equal(diag_query(d, &q, &r[i]), 0);
	}
	assert_int_equal(diag_sa(d, METHOD_GET_TABLE, NODE_RECORD_ID, 0, NULL, 0, &table), 0);
	assert_string_equal((const char *)r[0].data, "leaf-0");
	assert_string_equal((const char *)r[1].data, "spine-0");
	assert_true(table.bytes > DGRAM_BYTES);         /* of several MADs */
	assert_int_equal(DIAG_SA_RECORDS(&table), 5);
	assert_int_equal(node_record_decode(DIAG_SA_RECORD(&table, 0)).lid, 1);
	diag_reply_clear(&table);
	diag_reply_clear(&r[0]);
	diag_reply_clear(&r[1]);
}

struct told {
	unsigned ok, status, other;
};

static void
on_counters(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct told *t = arg;

	(void)d;
	assert_int_equal(q->attr_id, PM_PORT_COUNTERS_ID);
	t->ok += r->end == DIAG_OK && r->data[5] == 9;
	t->status += r->end == DIAG_STATUS && r->status == STATUS_BAD_VALUE;
	t->other += r->end == DIAG_TIMEOUT;
}

static void
many_at_once(void **state)
{
	struct diag *d = *state;
	struct diag_addr leaf = diag_addr_lid(1);
	struct told t = { 0 };

	for (uint8_t port = 1; port <= 4; port++) {
		uint8_t data[64] = { 0, port };
		struct diag_request q = {
			.to = &leaf, .mgmt_class = CLASS_PM, .attr_id = PM_PORT_COUNTERS_ID,
			.payload = data, .payload_bytes = 64, .quiet = true,
		};

		diag_submit(d, &q, on_counters, &t);
	}
	assert_int_equal(t.ok + t.status + t.other, 0);         /* none before diag_run() */
	assert_int_equal(diag_run_many(d), 0);
	assert_int_equal(t.ok, 1);
	assert_int_equal(t.status, 1);
	assert_int_equal(t.other, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_route_and_lid, query_begin, query_end),
		cmocka_unit_test_setup_teardown(failures, query_begin, query_end),
		cmocka_unit_test_setup_teardown(replies_own_their_bytes, query_begin, query_end),
		cmocka_unit_test_setup_teardown(many_at_once, query_begin, query_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
