/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_args.c - arguments of commands: nodes, ports, numbers and shares, and what is refused.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"
#include "sim/serve/control.h"

struct bench {
	struct rig rig;
	struct server s;
	char why[CONTROL_WHY];
};

static int
args_begin(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	rig_make(&b->rig, &(struct hw_conf){ .seed = 1 });
	b->s.hw = b->rig.h;
	*state = b;
	return 0;
}

static int
args_end(void **state)
{
	struct bench *b = *state;

	hw_free(b->rig.h);
	free(b);
	return 0;
}

static void
nodes(void **state)
{
	struct bench *b = *state;
	uint32_t node = 99;

	assert_int_equal(control_arg_node(&b->s, "S-51", &node, b->why), 0);
	assert_int_equal(node, S1);
	assert_int_equal(control_arg_node(&b->s, "0xb0", &node, b->why), 0);
	assert_int_equal(node, B);
	assert_int_equal(control_arg_node(&b->s, "host a", &node, b->why), 0);
	assert_int_equal(node, A);
	assert_int_equal(control_arg_node(&b->s, "leaf", &node, b->why), -ENOTUNIQ);
	assert_non_null(strstr(b->why, "several nodes"));
	assert_true(control_arg_node(&b->s, "nobody", &node, b->why) < 0);
	assert_non_null(strstr(b->why, "no node 'nobody'"));
	assert_true(control_arg_node(&b->s, "", &node, b->why) < 0);
}

static void
ports(void **state)
{
	static const char *const bad[] = { "S-51", "S-51:", ":1", "S-51:x", "S-51:1x", "S-51:-1",
		"S-51: 1", "S-51:0", "S-51:5", "S-51:256", "S-51:4294967297", "nobody:1", "" };
	struct bench *b = *state;
	char text[600];
	uint32_t node;
	uint8_t port;

	assert_int_equal(control_arg_port(&b->s, "S-51:4", &node, &port, b->why), 0);
	assert_int_equal(node, S1);
	assert_int_equal(port, 4);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		b->why[0] = '\0';
		assert_true(control_arg_port(&b->s, bad[i], &node, &port, b->why) < 0);
		assert_true(b->why[0]);
	}
	memset(text, 'x', sizeof(text));
	memcpy(text + sizeof(text) - 3, ":1", 3);
	assert_int_equal(control_arg_port(&b->s, text, &node, &port, b->why), -EINVAL);
	assert_true(strlen(b->why) < CONTROL_WHY);
}

static void
numbers(void **state)
{
	static const char *const bad[] = { "", "x", "-1", "101", "1 ", "1.5", "0x10",
		"99999999999999999999" };
	struct bench *b = *state;
	int64_t n = 7;

	assert_int_equal(control_arg_number("0", 100, &n, b->why), 0);
	assert_int_equal(n, 0);
	assert_int_equal(control_arg_number("100", 100, &n, b->why), 0);
	assert_int_equal(n, 100);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(control_arg_number(bad[i], 100, &n, b->why), -EINVAL);
	assert_int_equal(n, 100);
	assert_string_equal(b->why, "'99999999999999999999' is not a number from 0 to 100");
}

static void
shares(void **state)
{
	static const char *const bad[] = { "", "%", "-1", "100.1", "101%", "5 %", "5%%", "nan",
		"inf", "x" };
	struct bench *b = *state;
	uint32_t ppm = 7;

	assert_int_equal(control_arg_percent("0", &ppm, b->why), 0);
	assert_int_equal(ppm, 0);
	assert_int_equal(control_arg_percent("100%", &ppm, b->why), 0);
	assert_int_equal(ppm, 1000000);
	assert_int_equal(control_arg_percent("0.0001", &ppm, b->why), 0);
	assert_int_equal(ppm, 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(control_arg_percent(bad[i], &ppm, b->why), -EINVAL);
	assert_int_equal(ppm, 1);
}

static void
refusals(void **state)
{
	struct bench *b = *state;
	char text[600];

	assert_int_equal(control_refuse(b->why, -EPERM, "not '%s'", "this"), -EPERM);
	assert_string_equal(b->why, "not 'this'");
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	control_refuse(b->why, -EPERM, "%s", text);
	assert_int_equal(strlen(b->why), CONTROL_WHY - 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nodes, args_begin, args_end),
		cmocka_unit_test_setup_teardown(ports, args_begin, args_end),
		cmocka_unit_test_setup_teardown(numbers, args_begin, args_end),
		cmocka_unit_test_setup_teardown(shares, args_begin, args_end),
		cmocka_unit_test_setup_teardown(refusals, args_begin, args_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
