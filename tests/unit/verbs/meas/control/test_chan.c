/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_chan.c - messages through a channel, signs of life, patience, and errors that stay.  Time is
 * the test's.
 */
#include <config.h>
#include <errno.h>
#include <sys/socket.h>
#include "tests/unit/test.h"
#include "verbs/meas/control/chan.h"

#define MS UINT64_C(1000000)
#define BEGIN_NS (UINT64_C(1000) * 1000 * MS)

struct both {
	struct meas_chan a, b;
};

static void
open_both(struct both *t)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	meas_chan_open(&t->a, fds[0], "a", BEGIN_NS, 2000);
	meas_chan_open(&t->b, fds[1], "b", BEGIN_NS, 2000);
}

static void
close_both(struct both *t)
{
	meas_chan_close(&t->a);
	meas_chan_close(&t->b);
}

static void
messages(void **state)
{
	struct both t;
	json_t *o;

	(void)state;
	open_both(&t);
	for (int i = 0; i < 3; i++)
		meas_chan_send(&t.a, json_pack("{s:s,s:i}", "msg", "m", "n", i), BEGIN_NS);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS, &o), 1);
		assert_int_equal(json_integer_value(json_object_get(o, "n")), i);
		json_decref(o);
	}
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS, &o), 0);
	close_both(&t);
}

/* An end with nothing to send says "alive", so that the other one does not give up. */
static void
signs_of_life(void **state)
{
	struct both t;
	json_t *o;

	(void)state;
	open_both(&t);
	for (uint64_t ms = 0; ms < 10000; ms += 100) {
		assert_int_equal(meas_chan_turn(&t.a, BEGIN_NS + ms * MS, &o), 0);
		assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS + ms * MS, &o), 0);
		assert_in_range(meas_chan_wait_ms(&t.a, BEGIN_NS + ms * MS), 1, 2000);
	}
	close_both(&t);
}

static void
silence(void **state)
{
	struct both t;
	json_t *o;

	(void)state;
	open_both(&t);
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS + 2000 * MS, &o), 0);
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS + 2001 * MS, &o), -ETIMEDOUT);
	assert_non_null(strstr(t.b.why, "2.0 s"));
	meas_chan_send(&t.a, json_pack("{s:s}", "msg", "late"), BEGIN_NS);
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS, &o), -ETIMEDOUT);       /* it stays dead */
	close_both(&t);
}

static void
patience(void **state)
{
	struct both t;
	json_t *o;

	(void)state;
	open_both(&t);
	meas_chan_busy(&t.a, 5000, BEGIN_NS);
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS, &o), 0);
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS + 7000 * MS, &o), 0);
	meas_chan_send(&t.a, json_pack("{s:s}", "msg", "m"), BEGIN_NS + 7000 * MS);
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS + 7000 * MS, &o), 1);    /* ends it */
	json_decref(o);
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS + 9001 * MS, &o), -ETIMEDOUT);
	close_both(&t);
}

static void
closed_and_malformed(void **state)
{
	struct both t;
	json_t *o;

	(void)state;
	open_both(&t);
	meas_chan_send(&t.a, json_pack("{s:s}", "msg", "last"), BEGIN_NS);
	meas_chan_flush(&t.a, 100);
	assert_false(meas_chan_full(&t.a));
	meas_chan_close(&t.a);
	/* what came before */
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS, &o), 1);
	json_decref(o);
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS, &o), -ECONNRESET);
	meas_chan_close(&t.b);
	open_both(&t);
	assert_int_equal(send(t.a.fd, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
	assert_int_equal(meas_chan_turn(&t.b, BEGIN_NS, &o), -EPROTO);
	close_both(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(messages),
		cmocka_unit_test(signs_of_life), cmocka_unit_test(silence),
		cmocka_unit_test(patience), cmocka_unit_test(closed_and_malformed) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
