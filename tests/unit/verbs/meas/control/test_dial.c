/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_dial.c - HOST[:PORT] in all its forms, and a connection over the loopback interface.
 */
#include <config.h>
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "verbs/meas/control/chan.h"

static void
host_forms(void **state)
{
	static const struct {
		const char *text, *host;
		uint16_t port;
	} rows[] = {
		{ "a", "a", 7 }, { "a:1", "a", 1 }, { "a.b:65535", "a.b", 65535 },
		{ "10.0.0.1:5", "10.0.0.1", 5 }, { "fe80::1", "fe80::1", 7 },
		{ "[fe80::1]", "fe80::1", 7 }, { "[fe80::1]:9", "fe80::1", 9 },
	};
	static const char *const wrong[] = { "", ":1", "a:", "a:0", "a:65536", "a:x", "a:1x",
		"a:-1",
		"[a", "[]", "[a]1", "[a]:", "0123456789012345678901234567890123456789" };
	char host[40];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint16_t port = 7;

		assert_int_equal(meas_split_host(rows[i].text, host, sizeof(host), &port), 0);
		assert_string_equal(host, rows[i].host);
		assert_int_equal(port, rows[i].port);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint16_t port = 7;

		assert_int_equal(meas_split_host(wrong[i], host, sizeof(host), &port), -EINVAL);
		assert_int_equal(port, 7);
	}
}

static void
loopback(void **state)
{
	char why[MEAS_WHY_BYTES] = "", text[64];
	uint16_t bound = 0;
	int listener = meas_listen("127.0.0.1", 0, &bound, why), fd, other;
	struct meas_chan c;

	(void)state;
	if (listener < 0)
		skip();                         /* no network here */
	assert_true(bound > 0);
	fd = meas_dial("127.0.0.1", bound, 5000, why);
	assert_true(fd >= 0);
	meas_chan_open(&c, fd, "x", 1, 1000);
	meas_chan_address(&c, text, sizeof(text));
	assert_string_equal(text, "127.0.0.1");
	other = accept(listener, NULL, NULL);
	assert_true(other >= 0);
	close(other);
	meas_chan_close(&c);
	close(listener);
	fd = meas_dial("127.0.0.1", bound, 5000, why);
	assert_true(fd < 0);
	assert_true(*why);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(host_forms), cmocka_unit_test(loopback) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
