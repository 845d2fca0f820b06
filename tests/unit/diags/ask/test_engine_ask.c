/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_engine_ask.c - a request as bytes, class by class, and where its answer has the data.
 */
#include <config.h>
#include <errno.h>
#include "libmad/attr/sm_attr.h"
#include "tests/unit/diags/ask/wire.h"

#define PAYLOAD_BYTES 250 /* more than any class has room for */

static uint8_t payload[PAYLOAD_BYTES];

/* The last reply: its bytes are copied, for they are valid only during the call. */
struct got {
	unsigned n;
	enum diag_end end;
	uint16_t status;
	uint8_t mad[DGRAM_BYTES], method, mgmt_class;
	size_t at, bytes, stride;
	bool has_payload;
	int64_t rtt_us;
};

static void
on_done(struct diag *d, void *arg, const struct diag_request *q, const struct diag_reply *r)
{
	struct got *g = arg;

	(void)d;
	*g = (struct got){ .n = g->n + 1,
		.end = r->end,
		.status = r->status,
		.bytes = r->bytes,
		.stride = r->stride,
		.method = q->method,
		.mgmt_class = q->mgmt_class,
		.has_payload = q->payload,
		.rtt_us = r->rtt_us };
	assert_int_equal(q->to->lid, 20);
	if (r->mad) {
		memcpy(g->mad, r->mad, DGRAM_BYTES);
		g->at = (size_t)(r->data - r->mad);
	}
}

static int
echoes(struct wire *w, const struct dgram *g, int timeout_ms)
{
	(void)timeout_ms;
	wire_answer(w, g, STATUS_OK, NULL);
	return 0;
}

static const struct dgram *
ask(struct wire *w, uint8_t mgmt_class, size_t bytes, struct got *got)
{
	struct diag_addr to = diag_addr_lid(20);
	struct diag_request q = { .to = &to,
		.mgmt_class = mgmt_class,
		.attr_id = 0x20,
		.modifier = 3,
		.payload = bytes ? payload : NULL,
		.payload_bytes = bytes,
		.comp_mask = 0x1234,
		.quiet = true };

	to.sl = 2;
	diag_submit(&w->d, &q, on_done, got);
	memset(&to, 0xff, sizeof(to)); /* both were copied */
	memset(&q, 0xff, sizeof(q));
	assert_int_equal(diag_run(&w->d), 0);
	return &w->sent[w->nsent - 1];
}

static void
where_the_payload_is(void **state)
{
	static const struct {
		uint8_t mgmt_class;
		size_t at, room, bytes; /* of the request; of the reply */
		unsigned qpn;
	} rows[] = {
		{ CLASS_SM_LID, 64, 64, 64, 0 },
		{ CLASS_SA, 56, 200, 200, 1 },
		{ CLASS_PM, 64, 192, 192, 1 },
		{ CLASS_CC, 24, 232, 232, 1 },
		{ CLASS_VENDOR1_FIRST, 24, 232, 232, 1 },
		{ CLASS_VENDOR1_LAST, 24, 232, 232, 1 },
		{ CLASS_VENDOR2_FIRST, 40, 216, 216, 1 },
		{ CLASS_VENDOR2_LAST, 40, 216, 216, 1 },
	};
	struct wire *w = *state;
	struct got got = { 0 };

	w->on_send = echoes;
	diag_settings_mut(&w->d)->sa_key = 0xfeed;
	diag_settings_mut(&w->d)->pkey_index = 6;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t at = rows[i].at, room = rows[i].room;
		const struct dgram *g = ask(w, rows[i].mgmt_class, PAYLOAD_BYTES, &got);

		assert_int_equal(dgram_class(g->mad), rows[i].mgmt_class);
		assert_int_equal(dgram_method(g->mad), METHOD_GET);
		assert_int_equal(dgram_attr_id(g->mad), 0x20);
		assert_int_equal(dgram_modifier(g->mad), 3);
		assert_memory_equal(g->mad + at, payload, room);
		for (size_t k = at + room; k < DGRAM_BYTES; k++)
			assert_int_equal(g->mad[k], 0);
		assert_int_equal(g->addr.lid, 20);
		assert_int_equal(g->addr.sl, 2);
		assert_int_equal(g->addr.qpn, rows[i].qpn);
		assert_int_equal(g->addr.pkey_index, rows[i].qpn ? 6 : 0);
		assert_int_equal(got.n, i + 1);
		assert_int_equal(got.end, DIAG_OK);
		assert_int_equal(got.at, at);
		assert_int_equal(got.bytes, rows[i].bytes);
		assert_int_equal(got.mgmt_class, rows[i].mgmt_class);
		assert_int_equal(got.method, METHOD_GET);
		assert_false(got.has_payload);
		assert_true(got.rtt_us >= 0);
	}
}

static void
heads_of_classes(void **state)
{
	struct wire *w = *state;
	struct got got = { 0 };
	const struct dgram *g;

	w->on_send = echoes;
	diag_settings_mut(&w->d)->sa_key = 0xfeed;
	diag_settings_mut(&w->d)->mkey = 0xbeef;
	g = ask(w, CLASS_SA, 8, &got);
	assert_int_equal(dgram_sa_head_decode(g->mad).sm_key, 0xfeed);
	assert_int_equal(dgram_sa_head_decode(g->mad).comp_mask, 0x1234);
	assert_int_equal(dgram_sa_image(g->mad)[7], payload[7]);
	assert_int_equal(dgram_sa_image(g->mad)[8], 0); /* what is not given is zero */
	g = ask(w, CLASS_VENDOR2_FIRST, 0, &got);
	assert_int_equal(dgram_oui(g->mad), IO_OUI_OPENIB);
	assert_int_equal(dgram_vendor2_image(g->mad)[0], 0);
	g = ask(w, CLASS_SM_LID, 0, &got);
	assert_int_equal(dgram_mkey(g->mad), 0xbeef);
}

static int
table(struct wire *w, const struct dgram *g, int timeout_ms)
{
	struct dgram a = *g;

	(void)timeout_ms;
	a.bytes = 56 + 5 * 24;
	dgram_set_method(a.mad, METHOD_GET_RESP);
	dgram_sa_head_encode(a.mad, &(struct dgram_sa_head){ .attr_offset = 3 });
	wire_arrive(w, &a);
	return 0;
}

static void
records_of_a_table(void **state)
{
	struct wire *w = *state;
	struct got got = { 0 };

	w->on_send = table;
	ask(w, CLASS_SA, 8, &got);
	assert_int_equal(got.stride, 24);
	assert_int_equal(got.bytes, 5 * 24);
}

/* A message shorter than its headers has no data. */
static int
too_short(struct wire *w, const struct dgram *g, int timeout_ms)
{
	struct dgram a = *g;

	(void)timeout_ms;
	a.bytes = 30;
	dgram_set_method(a.mad, METHOD_GET_RESP);
	wire_arrive(w, &a);
	return 0;
}

static void
short_answers(void **state)
{
	struct wire *w = *state;
	struct got got = { 0 };

	w->on_send = too_short;
	ask(w, CLASS_SA, 8, &got);
	assert_int_equal(got.bytes, 0);
}

static int
refuses(struct wire *w, const struct dgram *g, int timeout_ms)
{
	(void)timeout_ms;
	wire_answer(w, g, STATUS_BAD_VALUE, NULL);
	return 0;
}

static int
returns(struct wire *w, const struct dgram *g, int timeout_ms)
{
	(void)timeout_ms;
	wire_return(w, g);
	return 0;
}

static void
ends(void **state)
{
	struct wire *w = *state;
	struct got got = { 0 };

	w->on_send = refuses;
	ask(w, CLASS_PM, 8, &got);
	assert_int_equal(got.end, DIAG_STATUS);
	assert_int_equal(got.status, STATUS_BAD_VALUE);
	assert_int_equal(got.at, DGRAM_GMP_AT);
	wire_hasten(w);
	w->on_send = returns;
	ask(w, CLASS_PM, 8, &got);
	assert_int_equal(got.end, DIAG_TIMEOUT);
	assert_int_equal(got.bytes, 0);
	diag_settings_mut(&w->d)->load = strdup("/nonexistent");
	ask(w, CLASS_PM, 8, &got);
	assert_int_equal(got.end, DIAG_ABSENT);
	assert_int_equal(json_array_size(w->d.errors), 0); /* all were quiet */
}

static void
routes_and_targets(void **state)
{
	struct wire *w = *state;
	struct diag_addr path = diag_addr_path((const uint8_t[DGRAM_PATH_BYTES]){ 0, 5, 6 }, 2);
	struct diag_request q = {
		.to = &path, .attr_id = NODE_INFO_ID, .quiet = true, .method = METHOD_SET
	};
	struct got got = { 0 };

	w->on_send = echoes;
	path.lid = 20; /* a route has no LID: it is no other target */
	diag_submit(&w->d, &q, on_done, &got);
	assert_int_equal(engine_target_base(&w->d), 1);
	assert_int_equal(diag_run(&w->d), 0);
	assert_int_equal(dgram_class(w->sent[0].mad), CLASS_SM_DR);
	assert_int_equal(dgram_method(w->sent[0].mad), METHOD_SET);
	assert_int_equal(dgram_hop_count(w->sent[0].mad), 2);
	assert_memory_equal(dgram_initial_hops(w->sent[0].mad), path.path, 3);
	assert_int_equal(w->sent[0].addr.lid, LID_PERMISSIVE);
	assert_int_equal(got.mgmt_class, CLASS_SM_DR);
	assert_int_equal(got.method, METHOD_SET);
	ask(w, CLASS_PM, 0, &got);
	ask(w, CLASS_SM_LID, 0, &got);
	assert_int_equal(engine_target_base(&w->d), 2); /* one node by LID, whatever the class */
	diag_submit(&w->d, &q, on_done, &got);
	assert_int_equal(engine_target_base(&w->d), 2);
	path.path[2] = 7;
	diag_submit(&w->d, &q, on_done, &got);
	assert_int_equal(engine_target_base(&w->d), 3);
	assert_int_equal(diag_run(&w->d), 0);
}

static void
a_class_is_refused(void **state)
{
	struct wire *w = *state;
	struct diag_addr to = diag_addr_lid(20);
	struct diag_request q = { .to = &to, .mgmt_class = CLASS_PM, .attr_id = 0x20 };
	struct got got = { 0 };

	w->refuses = true;
	diag_submit(&w->d, &q, on_done, &got);
	assert_int_equal(got.n, 1); /* at once */
	assert_int_equal(got.end, DIAG_FAILED);
	assert_int_equal(diag_status(&w->d), EXIT_FATAL);
	assert_int_equal(diag_run(&w->d), 0);
	assert_int_equal(got.n, 1);
	assert_int_equal(w->nsent, 0);
}

static void
failures_are_reported(void **state)
{
	struct wire *w = *state;
	struct diag_addr to = diag_addr_lid(20);
	struct diag_request q = { .to = &to, .attr_id = NODE_INFO_ID };
	struct got got = { 0 };

	w->on_send = refuses;
	diag_submit(&w->d, &q, on_done, &got);
	assert_int_equal(diag_run(&w->d), 0);
	assert_int_equal(json_array_size(w->d.errors), 1);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(w->d.errors, 0), "code")),
		"mad_status");
}

#define T(f) cmocka_unit_test_setup_teardown(f, wire_begin, wire_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(where_the_payload_is),
		T(heads_of_classes),
		T(records_of_a_table),
		T(short_answers),
		T(ends),
		T(routes_and_targets),
		T(a_class_is_refused),
		T(failures_are_reported),
	};

	for (unsigned i = 0; i < PAYLOAD_BYTES; i++)
		payload[i] = (uint8_t)(i % 251 + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
