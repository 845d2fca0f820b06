/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_answer.c - requests byte by byte: what is answered, with which status, and what is met with silence.
 */
#include <config.h>
#include "tests/unit/sa/small.h"

enum { GET = 1, SET = 2, TABLE = 0x12, TRACE = 0x13, MULTI = 0x14, DELETE = 0x15 };
enum { CPI = 1, NODE = 0x11, PORT = 0x12, PKEYS = 0x33, PATH = 0x35, ASSOCIATION = 0x3b };

/* Get(NodeRecord) with LID 3, as it is on the wire, and all of its answer. */
static void
test_literal_get(void **state)
{
	static const uint8_t ask[] = {
		0x01, 0x03, 0x02, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0xca, 0xfe, 0x00, 0x01,
		0x00, 0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x03,
	};
	static const uint8_t answer[256] = {
		0x01, 0x03, 0x02, 0x81, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0xca, 0xfe, 0x00, 0x01,
		0x00, 0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0e, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
		/* LID, reserved */
		0x00, 0x03, 0x00, 0x00,
		/* NodeInfo: versions, CA, one port; system, node and port GUID */
		0x01, 0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x01,
		/* 32 P_Keys, device, revision, local port, vendor */
		0x00, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
		'o', 'n', 'e',
	};
	struct small *b = *state;

	memcpy(b->req.mad, ask, sizeof(ask));
	b->req.bytes = 256;
	b->req.addr.lid = LID_TWO + 3;
	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->bytes, 256);
	assert_memory_equal(b->out, answer, 256);
	assert_int_equal(b->stats.requests, 1);
	assert_int_equal(b->stats.answered, 1);
	assert_int_equal(b->stats.rows, 1);
}

/* Get(ClassPortInfo): bits 2, 9 and 13; of the second mask 3, 5, 6, 7, 10, 12, 13, 15, 17 above the 5 bits of the response time. */
static void
test_class_port_info(void **state)
{
	static const uint8_t data[] = { 0x01, 0x02, 0x26, 0x04, 0x00, 0x56, 0x9d, 0x10 };
	static const uint8_t qkey[] = { 0x80, 0x01, 0x00, 0x00 };
	struct small *b = *state;

	small_ask(b, 999, GET, CPI);                    /* anybody may ask */
	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->out[3], 0x81);
	assert_memory_equal(b->out + 56, data, sizeof(data));
	assert_int_equal(b->out[56 + 35], 1);           /* no redirection: to QP 1 of nobody */
	assert_memory_equal(b->out + 56 + 36, qkey, 4);
	assert_memory_equal(b->out + 56 + 68, qkey, 4);
	for (unsigned i = 56 + sizeof(data); i < 256; i++)
		assert_true(!b->out[i] || (i >= 56 + 35 && i < 56 + 40) || (i >= 56 + 68 && i < 56 + 72));
	small_ask(b, LID_ONE, TABLE, CPI);
	assert_int_equal(small_send(b), 0x0c);
	small_ask(b, LID_ONE, SET, CPI);
	assert_int_equal(small_send(b), 0x0c);
}

/* GetTable without a row: no data, RMPP still active, one segment. */
static void
test_empty_table(void **state)
{
	static const uint8_t answer[56] = {
		0x01, 0x03, 0x02, 0x92, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0xca, 0xfe, 0x00, 0x01,
		0x00, 0x11, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x01, 0xff, 0x00, 0x00, 0x00, 0x00, 0x01,
		0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	};
	struct small *b = *state;

	small_ask(b, LID_ONE, TABLE, NODE);
	small_where(b, 0, 0, 2, 7);
	assert_int_equal(small_rows(b), 0);
	assert_int_equal(b->bytes, 56);
	assert_memory_equal(b->out, answer, 56);
}

static void
test_counts(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, GET, NODE);
	small_where(b, 0, 0, 2, 7);
	assert_int_equal(small_send(b), 0x0300);
	small_ask(b, LID_ONE, GET, NODE);
	small_where(b, 4, 6, 1, 2);                     /* two switches */
	assert_int_equal(small_send(b), 0x0400);
	small_ask(b, LID_ONE, GET, NODE);
	assert_int_equal(small_send(b), 0x0400);
	small_ask(b, LID_ONE, TABLE, NODE);
	assert_int_equal(small_rows(b), 6);
	assert_int_equal(small_at(b, 0, 0, 2), LID_ALPHA);
	assert_int_equal(small_at(b, 5, 0, 2), LID_THREE_2);
	small_ask(b, LID_ONE, TABLE, NODE);
	small_where(b, 0, 0, 2, LID_ONE);
	assert_int_equal(small_rows(b), 1);             /* fits one datagram, and is a transfer all the same */
	assert_int_equal(b->stats.no_records, 1);
	assert_int_equal(b->stats.too_many, 2);
	assert_int_equal(b->stats.rows, 7);
}

static void
test_key(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, TABLE, PKEYS);
	assert_int_equal(small_send(b), 0x0700);
	assert_int_equal(b->out[3], 0x92);
	assert_int_equal(b->stats.denied, 1);
	memcpy(b->req.mad + 36, (const uint8_t[]){ 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 }, 8);
	assert_int_equal(small_rows(b), 6);
	b->req.mad[43] ^= 1;
	small_answer(b);
	assert_int_equal(b->bytes, 0);
	assert_null(b->out);
	assert_int_equal(b->stats.silent_wrong_key, 1);
	b->v.sa_key = 0;                                /* nobody is trusted then */
	small_index(b);
	small_answer(b);
	assert_int_equal(b->bytes, 0);
	assert_int_equal(b->stats.silent_wrong_key, 2);
	assert_int_equal(b->stats.requests, 4);
}

static void
test_unknown(void **state)
{
	static const struct { uint8_t method, answer; uint16_t attr, status; } cases[] = {
		{ GET, 0x81, 0x0039, 0x0c }, { TABLE, 0x92, 0x0999, 0x0c }, { GET, 0x81, 0x0010, 0x0c },
		{ SET, 0x81, NODE, 0x0c }, { DELETE, 0x95, PATH, 0x0c }, { MULTI, 0x94, NODE, 0x0c },
		{ TRACE, 0x92, NODE, 0x0c }, { MULTI, 0x94, PATH, 0x0c }, { SET, 0x81, ASSOCIATION, 0x0c },
		{ 0x42, 0xc2, NODE, 0x08 }, { 0x06, 0x86, 0x0002, 0x08 }, { 0x7f, 0xff, NODE, 0x08 },
		{ 0x00, 0x80, NODE, 0x08 },
	};
	struct small *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		small_ask(b, LID_ONE, cases[i].method, cases[i].attr);
		small_where(b, 62, 0, 1, 0xee);
		assert_int_equal(small_send(b), cases[i].status);
		assert_int_equal(b->out[3], cases[i].answer);
	}
	assert_int_equal(b->stats.bad_attribute, 9);
	assert_int_equal(b->stats.bad_method, 4);
}

static void
test_versions(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, GET, CPI);
	b->req.mad[2] = 1;
	assert_int_equal(small_send(b), 0x04);
	assert_int_equal(b->out[2], 1);
	small_ask(b, LID_ONE, TABLE, NODE);
	b->req.mad[0] = 0x80;
	assert_int_equal(small_send(b), 0x04);
	assert_int_equal(b->stats.bad_version, 2);
}

static void
assert_silent(struct small *b, const uint64_t *counter)
{
	uint64_t before = *counter;

	small_answer(b);
	assert_int_equal(b->bytes, 0);
	assert_null(b->out);
	assert_int_equal(*counter, before + 1);
}

static void
test_silence(void **state)
{
	static const uint8_t no_requests[] = { 0x03, 0x05, 0x07, 0x81, 0x92, 0x86, 0x80, 0xff };
	struct small *b = *state;

	for (size_t i = 0; i < sizeof(no_requests); i++) {
		small_ask(b, LID_ONE, no_requests[i], NODE);
		assert_silent(b, &b->stats.silent_malformed);
	}
	small_ask(b, LID_ONE, GET, NODE);
	b->req.bytes = 55;
	assert_silent(b, &b->stats.silent_malformed);
	b->req.bytes = 0;
	assert_silent(b, &b->stats.silent_malformed);
	b->req.bytes = 300;                             /* and nothing in 'more' */
	assert_silent(b, &b->stats.silent_malformed);
	small_ask(b, LID_ONE, GET, NODE);
	b->req.mad[1] = 4;
	assert_silent(b, &b->stats.silent_malformed);
	for (uint8_t type = 0; type < 8; type++) {      /* RMPP active: only data is a request */
		small_ask(b, LID_ONE, GET, CPI);
		b->req.mad[24] = 1;
		b->req.mad[25] = type;
		b->req.mad[26] = 1;
		if (type != 1)
			assert_silent(b, &b->stats.silent_malformed);
		else
			assert_int_equal(small_send(b), 0);
	}
	b->req.mad[24] = 2;
	b->req.mad[25] = 1;
	assert_silent(b, &b->stats.silent_malformed);
	small_ask(b, LID_ONE, GET, CPI);
	b->req.mad[25] = 4;                             /* not active: the rest of that header is nothing */
	b->req.mad[27] = 99;
	assert_int_equal(small_send(b), 0);
	b->v.ready = false;
	small_index(b);
	assert_silent(b, &b->stats.silent_not_ready);
}

/* A transfer that is shorter than its record, or as long, or very long. */
static void
test_lengths(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, GET, NODE);
	small_where(b, 0, 0, 2, LID_ONE);
	b->req.bytes = 56 + 107;
	assert_int_equal(small_send(b), 0x0200);
	assert_int_equal(b->stats.invalid, 1);
	b->req.bytes = 56 + 108;
	assert_int_equal(small_send(b), 0);
	b->req.bytes = 56 + 1000;
	b->req.more = calloc(1, b->req.bytes);
	memcpy(b->req.more, b->req.mad, 256);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 2), LID_ONE);
}

/* Who asks is told by the LID; a GID must not tell otherwise. */
static void
test_requester(void **state)
{
	static const uint8_t gid_one[16] = { 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1 };
	struct small *b = *state;

	small_ask(b, 7, TABLE, NODE);                   /* nobody's LID */
	assert_int_equal(small_send(b), 0x0700);
	small_ask(b, 0, TABLE, NODE);
	assert_int_equal(small_send(b), 0x0700);
	small_ask(b, 0xffff, GET, PATH);
	assert_int_equal(small_send(b), 0x0700);
	small_ask(b, LID_ONE, TABLE, NODE);
	b->req.addr.grh = true;
	memcpy(b->req.addr.gid, gid_one, 16);
	assert_int_equal(small_rows(b), 6);
	b->req.addr.gid[15] = 2;
	assert_int_equal(small_send(b), 0x0700);
	b->req.addr.gid[15] = 1;
	b->req.addr.gid[7] = 1;                         /* another subnet */
	assert_int_equal(small_send(b), 0x0700);
}

/* Nothing that anybody sends leads outside of a buffer, and what is answered is well formed. */
static void
test_noise(void **state)
{
	static const uint16_t attrs[] = { 1, 0x11, 0x12, 0x14, 0x15, 0x18, 0x20, 0x30, 0x33, 0x35, 0x3a };
	struct small *b = *state;
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15), silent = 0;

	for (unsigned i = 0; i < 20000; i++) {
		uint8_t w[256];

		for (unsigned k = 0; k < sizeof(w); k++) {
			seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			w[k] = (uint8_t)(seed >> 56);
		}
		uint16_t attr = attrs[i % 11];

		small_ask(b, LID_ONE, i % 3 ? attr == 0x3a ? MULTI : TABLE : w[0] % 8 ? GET : w[1], attr);
		memcpy(b->req.mad + 20, w + 20, 4);
		memcpy(b->req.mad + 24, w + 24, i % 7 ? 0 : 12);
		for (unsigned k = 0; k < 8; k++)        /* few bits of the mask, or none has a match */
			b->req.mad[48 + k] = w[48 + k] & w[64 + k] & w[72 + k];
		for (unsigned k = 0; k < 200; k++)
			b->req.mad[56 + k] = w[56 + k] & w[(k * 7 + 3) % 256];
		small_answer(b);
		if (!b->bytes) {
			silent++;
			continue;
		}
		assert_true(b->bytes == 256 || b->out[26] & 1);
		assert_memory_equal(b->out + 8, b->req.mad + 8, 8);
	}
	assert_int_equal(b->stats.requests, 20000);
	assert_int_equal(b->stats.answered + silent, 20000);
	assert_true(b->stats.rows > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
		T(test_literal_get), T(test_class_port_info), T(test_empty_table), T(test_counts), T(test_key),
		T(test_unknown), T(test_versions), T(test_silence), T(test_lengths), T(test_requester), T(test_noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
