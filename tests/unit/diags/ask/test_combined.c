/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_combined.c - requests along a directed route that begins at a LID: their bytes, whose answer
 * counts, and how often they are sent.
 */
#include <config.h>
#include <errno.h>
#include "diags/ask/combined.h"
#include "libmad/attr/sm_attr.h"
#include "libmad/txn/retry.h"
#include "tests/unit/diags/ask/wire.h"

static const uint8_t path[DGRAM_PATH_BYTES] = { 0, 4, 2 };

static struct diag_addr
route(void)
{
	struct diag_addr a = diag_addr_path(path, 2);

	a.kind = DIAG_ADDR_COMBINED;
	a.lid = 9;
	a.sl = 3;
	a.dr_slid = 9;
	a.dr_dlid = 0x77;
	return a;
}

static int
query(struct wire *w, uint8_t method, struct diag_reply *r, uint8_t *mad)
{
	static const uint8_t payload[DGRAM_SMP_DATA_BYTES] = { 0xab, [63] = 0xcd };
	struct diag_addr to = route();
	struct diag_request q = { .to = &to,
		.method = method,
		.attr_id = PORT_INFO_ID,
		.modifier = 5,
		.payload = payload,
		.payload_bytes = sizeof(payload) };

	return combined_query(&w->d, &q, r, mad);
}

static int
answers(struct wire *w, const struct dgram *g, int timeout_ms)
{
	static const uint8_t data[DGRAM_SMP_DATA_BYTES] = { 0x11, [63] = 0x22 };

	assert_true(timeout_ms > 0);
	wire_answer(w, g, STATUS_OK, data);
	return 0;
}

static void
the_request_has_both_parts(void **state)
{
	struct wire *w = *state;
	uint8_t mad[DGRAM_BYTES];
	struct dgram_head h;
	struct diag_reply r;

	w->on_send = answers;
	diag_settings_mut(&w->d)->mkey = 0x1122334455667788;
	assert_int_equal(query(w, 0, &r, mad), 0);
	assert_int_equal(w->nsent, 1);
	assert_int_equal(w->sent[0].addr.lid, 9);
	assert_int_equal(w->sent[0].addr.sl, 3);
	assert_int_equal(w->sent[0].addr.qpn, 0);
	h = dgram_head_decode(w->sent[0].mad);
	assert_int_equal(h.mgmt_class, CLASS_SM_DR);
	assert_int_equal(h.method, METHOD_GET);
	assert_int_equal(h.attr_id, PORT_INFO_ID);
	assert_int_equal(h.modifier, 5);
	assert_int_equal(h.hop_count, 2);
	assert_int_equal(h.hop_ptr, 0);
	assert_int_equal(dgram_dr_slid(w->sent[0].mad), 9);
	assert_int_equal(dgram_dr_dlid(w->sent[0].mad), 0x77);
	assert_memory_equal(dgram_initial_hops(w->sent[0].mad), path, 3);
	assert_true(dgram_mkey(w->sent[0].mad) == 0x1122334455667788);
	assert_int_equal(dgram_smp_image(w->sent[0].mad)[0], 0xab);
	assert_int_equal(dgram_smp_image(w->sent[0].mad)[63], 0xcd);

	assert_int_equal(r.end, DIAG_OK);
	assert_ptr_equal(r.mad, mad);
	assert_int_equal(r.bytes, DGRAM_SMP_DATA_BYTES);
	assert_int_equal(r.data[0], 0x11);
	assert_int_equal(r.data[63], 0x22);
	assert_null(r.owned);
	assert_int_equal(query(w, METHOD_SET, &r, mad), 0);
	assert_int_equal(dgram_method(w->sent[1].mad), METHOD_SET);
	assert_int_not_equal(
		(uint32_t)dgram_tid(w->sent[0].mad), (uint32_t)dgram_tid(w->sent[1].mad));
	assert_int_equal(w->classes, 1);
}

/* Answers that are another request's or none at all, and then the right one. */
static int
answers_late(struct wire *w, const struct dgram *g, int timeout_ms)
{
	struct dgram wrong = *g;

	dgram_set_tid(wrong.mad, dgram_tid(g->mad) + 1);
	wire_answer(w, &wrong, STATUS_BUSY, NULL);
	wrong = *g;
	dgram_set_attr_id(wrong.mad, NODE_INFO_ID);
	wire_answer(w, &wrong, STATUS_BUSY, NULL);
	wrong = *g;
	dgram_set_modifier(wrong.mad, 6);
	wire_answer(w, &wrong, STATUS_BUSY, NULL);
	wire_arrive(w, g); /* a request, not an answer */
	wrong = *g;
	wrong.mad[1] = CLASS_SM_LID;
	wire_answer(w, &wrong, STATUS_BUSY, NULL);
	return answers(w, g, timeout_ms);
}

static void
only_its_own_answer_counts(void **state)
{
	struct wire *w = *state;
	uint8_t mad[DGRAM_BYTES];
	struct diag_reply r;

	w->on_send = answers_late;
	assert_int_equal(query(w, 0, &r, mad), 0);
	assert_int_equal(r.end, DIAG_OK);
	assert_int_equal(r.data[0], 0x11);
	assert_int_equal(w->nsent, 1);
}

static int
answers_busy(struct wire *w, const struct dgram *g, int timeout_ms)
{
	(void)timeout_ms;
	wire_answer(w, g, STATUS_BAD_VALUE, NULL);
	return 0;
}

static void
a_status_comes_with_the_answer(void **state)
{
	struct wire *w = *state;
	uint8_t mad[DGRAM_BYTES];
	struct diag_reply r;

	w->on_send = answers_busy;
	assert_int_equal(query(w, 0, &r, mad), -EPROTO);
	assert_int_equal(r.end, DIAG_STATUS);
	assert_int_equal(r.status, STATUS_BAD_VALUE); /* without the D bit */
	assert_non_null(r.mad);
	assert_int_equal(w->nsent, 1);
}

static int
returns(struct wire *w, const struct dgram *g, int timeout_ms)
{
	int *timeout = w->arg;

	*timeout = timeout_ms;
	wire_return(w, g);
	return 0;
}

static void
it_is_sent_again(void **state)
{
	struct wire *w = *state;
	uint8_t mad[DGRAM_BYTES];
	struct diag_reply r;
	int timeout = 0;

	w->on_send = returns;
	w->arg = &timeout;
	assert_int_equal(query(w, 0, &r, mad), -ETIMEDOUT);
	assert_int_equal(r.end, DIAG_TIMEOUT);
	assert_null(r.mad);
	assert_int_equal(w->nsent, RETRY_COMBINED_TRIES);
	assert_int_equal(timeout, RETRY_COMBINED_MS);
	for (unsigned i = 1; i < w->nsent; i++) /* the answer to an earlier try is none */
		assert_int_not_equal((uint32_t)dgram_tid(w->sent[i].mad),
			(uint32_t)dgram_tid(w->sent[i - 1].mad));
	diag_settings_mut(&w->d)->timeout_ms = 70;
	diag_settings_mut(&w->d)->load = strdup("/nonexistent");
	assert_int_equal(query(w, 0, &r, mad), -ETIMEDOUT);
	assert_int_equal(r.end, DIAG_ABSENT); /* a file has no more to say later */
	assert_int_equal(timeout, 70);
}

static int
cannot_send(struct wire *w, const struct dgram *g, int timeout_ms)
{
	(void)w;
	(void)g;
	(void)timeout_ms;
	return -EIO;
}

static void
a_device_fails(void **state)
{
	struct wire *w = *state;
	uint8_t mad[DGRAM_BYTES];
	struct diag_reply r;

	w->on_send = cannot_send;
	assert_int_equal(query(w, 0, &r, mad), -EIO);
	assert_int_equal(r.end, DIAG_FAILED);
	assert_null(r.mad);
	w->on_send = NULL;
	w->gone = true;
	assert_int_equal(query(w, 0, &r, mad), -EIO);
	assert_int_equal(r.end, DIAG_FAILED);
}

static void
no_class_no_request(void **state)
{
	struct wire *w = *state;
	uint8_t mad[DGRAM_BYTES];
	struct diag_reply r;

	w->refuses = true;
	assert_int_equal(query(w, 0, &r, mad), -ENODEV);
	assert_int_equal(r.end, DIAG_FAILED);
	assert_int_equal(w->nsent, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, wire_begin, wire_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(the_request_has_both_parts),
		T(only_its_own_answer_counts),
		T(a_status_comes_with_the_answer),
		T(it_is_sent_again),
		T(a_device_fails),
		T(no_class_no_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
