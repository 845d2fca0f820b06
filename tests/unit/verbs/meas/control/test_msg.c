/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_msg.c - control messages in pieces, and what hostile peers send instead.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "verbs/meas/control/msg.h"

static uint8_t *
frame_of(const char *body, size_t body_bytes, size_t *n)
{
	uint8_t *b = calloc(1, 8 + body_bytes);

	memcpy(b, "HVT1", 4);
	for (int i = 0; i < 4; i++)
		b[4 + i] = (uint8_t)(body_bytes >> (24 - 8 * i));
	memcpy(b + 8, body, body_bytes);
	*n = 8 + body_bytes;
	return b;
}

/* Feeds the bytes: 1 for a message, or the error. */
static int
feed_all(const uint8_t *b, size_t n, size_t piece)
{
	struct meas_framer f = { 0 };
	json_t *o = NULL;
	int r = 0;

	for (size_t at = 0; at < n && r == 0;) {
		size_t m = n - at < piece ? n - at : piece, taken = meas_framer_feed(&f, b + at, m);

		assert_true(taken <= m);
		r = meas_framer_next(&f, &o);
		if (!taken && r == 0)
			fail_msg("neither taken nor refused");
		at += taken;
	}
	if (r == 1)
		json_decref(o);
	meas_framer_clear(&f);
	return r;
}

static void
pieces(void **state)
{
	json_t *a = json_pack("{s:s,s:i}", "msg", "run", "size", 7), *o = NULL;
	size_t n;
	uint8_t *b = meas_frame(a, &n);

	(void)state;
	for (size_t piece = 1; piece <= n; piece++) {
		struct meas_framer f = { 0 };
		int r = 0;

		for (size_t at = 0; at < n && r == 0; at += piece) {
			size_t m = n - at < piece ? n - at : piece;

			assert_int_equal(meas_framer_feed(&f, b + at, m) + 0, m);
			r = meas_framer_next(&f, &o);
		}
		assert_int_equal(r, 1);
		assert_true(json_equal(a, o));
		json_decref(o);
		meas_framer_clear(&f);
	}
	json_decref(a);
	free(b);
}

static void
one_after_the_other(void **state)
{
	json_t *a = json_pack("{s:s}", "msg", "ready"), *o;
	struct meas_framer f = { 0 };
	uint8_t two[200];
	size_t n, at;
	uint8_t *b = meas_frame(a, &n);

	(void)state;
	memcpy(two, b, n);
	memcpy(two + n, b, n);
	at = meas_framer_feed(&f, two, 2 * n);
	assert_int_equal(at, n);                /* no further than the first */
	assert_int_equal(meas_framer_next(&f, &o), 1);
	json_decref(o);
	assert_int_equal(meas_framer_feed(&f, two + at, n), n);
	assert_int_equal(meas_framer_next(&f, &o), 1);
	json_decref(o);
	assert_int_equal(meas_framer_next(&f, &o), 0);
	meas_framer_clear(&f);
	json_decref(a);
	free(b);
}

static void
strangers(void **state)
{
	static const struct {
		const char *body;
		int result;
	} rows[] = {
		{ "{\"msg\":\"x\"}", 1 }, { "{}", -EBADMSG }, { "[]", -EBADMSG }, { "7", -EBADMSG },
			{ "{\"msg\":1}", -EBADMSG },
		{ "{\"msg\":\"a\",\"msg\":\"b\"}", -EBADMSG }, { "{\"msg\":\"x\"", -EBADMSG },
			{ "{\"msg\":\"x\"}}", -EBADMSG }, { "\xff\xfe", -EBADMSG },
	};
	static const uint8_t http[] = "GET / HTTP/1.1\r\n\r\n", nothing[8] = "HVT1",
		huge[8] = "HVT1\xff\xff\xff\xff", over[8] = "HVT1\0\4\0\1";
	size_t n;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t *b = frame_of(rows[i].body, strlen(rows[i].body), &n);

		assert_int_equal(feed_all(b, n, 3), rows[i].result);
		free(b);
	}
	assert_int_equal(feed_all(http, sizeof(http), 1), -EPROTO);
	assert_int_equal(feed_all(nothing, 8, 8), -EMSGSIZE);
	assert_int_equal(feed_all(huge, 8, 8), -EMSGSIZE);
	assert_int_equal(feed_all(over, 8, 8), -EMSGSIZE);
}

static void
deep_nesting_is_refused(void **state)
{
	size_t n;
	char *deep = malloc(MEAS_BODY_MAX);
	uint8_t *b;

	(void)state;
	memset(deep, '[', MEAS_BODY_MAX);
	b = frame_of(deep, MEAS_BODY_MAX, &n);
	assert_int_equal(feed_all(b, n, 4096), -EBADMSG);
	free(b);
	free(deep);
}

static void
packets(void **state)
{
	static const uint8_t payload[] = { 1, 2, 3, 4, 5 };
	uint8_t b[8 + sizeof(payload)], large[8];
	struct meas_framer f = { 0 };
	json_t *o;

	(void)state;
	meas_packet_header(b, sizeof(payload));
	memcpy(b + 8, payload, sizeof(payload));
	assert_int_equal(meas_framer_feed(&f, b, 10), 10);
	assert_int_equal(meas_framer_next(&f, &o), 0);
	assert_int_equal(meas_framer_feed(&f, b + 10, sizeof(b) - 10), sizeof(b) - 10);
	assert_int_equal(meas_framer_next(&f, &o), 2);
	assert_int_equal(f.packet_bytes, sizeof(payload));
	assert_memory_equal(f.packet, payload, sizeof(payload));
	assert_int_equal(meas_framer_next(&f, &o), 0);
	meas_framer_clear(&f);
	meas_packet_header(large, MEAS_PACKET_MAX + 1);
	assert_int_equal(feed_all(large, sizeof(large), 8), -EMSGSIZE);
}

static void
random_bytes(void **state)
{
	uint64_t seed = 7;
	uint8_t b[256];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t n = 1 + (size_t)(seed >> 40) % sizeof(b);

		for (size_t i = 0; i < n; i++) {
			seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
			b[i] = (uint8_t)(seed >> 33);
		}
		if (round & 1)
			memcpy(b, "HVT1\0\0\0", n < 7 ? n : 7);
		assert_true(feed_all(b, n, 1 + (size_t)round % 64) <= 0);
	}
}

static void
too_long_to_send(void **state)
{
	char *text = malloc(MEAS_BODY_MAX + 1);
	json_t *o;
	size_t n;

	(void)state;
	memset(text, 'a', MEAS_BODY_MAX);
	text[MEAS_BODY_MAX] = '\0';
	o = json_pack("{s:s}", "msg", text);
	assert_null(meas_frame(o, &n));
	json_decref(o);
	free(text);
}

static void
reading(void **state)
{
	json_t *o = json_pack("{s:i,s:s,s:b,s:s,s:f,s:i,s:s}", "n", 5, "h", "0xff", "b", 1, "w",
		"two", "d", 1.5, "neg", -1, "t", "a\tb");
	static const char *const words[] = { "one", "two" };
	struct meas_reader r = meas_reader(o);
	char text[3];

	(void)state;
	assert_int_equal(meas_read_int(&r, "n", 0, 5), 5);
	assert_int_equal(meas_read_hex(&r, "h", 255), 255);
	assert_true(meas_read_bool(&r, "b"));
	assert_int_equal(meas_read_word(&r, "w", words, 2), 1);
	assert_true(meas_read_number(&r, "d") == 1.5);
	meas_read_text(&r, "t", text, sizeof(text));
	assert_string_equal(text, "a?");
	assert_null(r.bad);
	meas_read_int(&r, "n", 6, 10);
	assert_string_equal(r.bad, "n");
	meas_read_int(&r, "other", 0, 1);
	assert_string_equal(r.bad, "n");        /* the first one is kept */
	r = meas_reader(o);
	meas_read_int(&r, "neg", 0, UINT64_MAX);
	assert_string_equal(r.bad, "neg");
	r = meas_reader(o);
	meas_read_hex(&r, "h", 254);
	assert_string_equal(r.bad, "h");
	r = meas_reader(NULL);
	meas_read_text(&r, "t", text, sizeof(text));
	assert_string_equal(r.bad, "t");
	json_decref(o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces), cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(strangers), cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(packets), cmocka_unit_test(random_bytes),
		cmocka_unit_test(too_long_to_send), cmocka_unit_test(reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
