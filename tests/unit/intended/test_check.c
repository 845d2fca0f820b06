/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_check.c - what an intended topology must not hold twice, and the uses of its ports.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sm/intended/check.h"
#include "sm/intended/document.h"

/* Two leaves (0, 1) and a root (2): leaf i has port 1 to port i + 1 of the root, hosts at ports 2
 * and 3. */
static struct intended_switch sw[3];
static struct intended_link links[2];
static struct intended_host hosts[4];
static struct intended t;
static char why[INTENDED_WHY_BYTES];

static int
intended_check_setup(void **state)
{
	(void)state;
	t = (struct intended){ .nsw = 3, .nlinks = 2, .nhosts = 4, .sw = sw, .links = links,
		.hosts = hosts };
	for (uint32_t i = 0; i < 3; i++)
		sw[i] = (struct intended_switch){ .guid = 0x10 + i, .nports = 4, .plane = 7 - i,
			.divider = 1, .leaf = i < 2 ? i : INTENDED_NONE };
	for (uint32_t i = 0; i < 2; i++)
		links[i] = (struct intended_link){ i, 2, 1, (uint8_t)(i + 1) };
	for (uint32_t i = 0; i < 4; i++)
		hosts[i] = (struct intended_host){ 0x100 + i, i / 2, (uint8_t)(2 + i % 2),
			i == 3 ? INTENDED_IO : INTENDED_COMPUTE, i % 3 };
	why[0] = '\0';
	return 0;
}

static void
holds_together(void **state)
{
	(void)state;
	assert_true(intended_check(&t, why));
	assert_string_equal(why, "");
	t.nsw = t.nlinks = t.nhosts = 0;
	assert_true(intended_check(&t, why));
}

/* Links and hosts in any order. */
static void
sorts(void **state)
{
	struct intended_link l = links[0];
	struct intended_host h = hosts[0];

	(void)state;
	links[0] = links[1];
	links[1] = l;
	hosts[0] = hosts[3];
	hosts[3] = hosts[1];
	hosts[1] = h;
	assert_true(intended_check(&t, why));
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(links[i].a, i);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(hosts[i].guid, 0x100 + i);
}

/* Two links of one switch are by its port. */
static void
sorts_by_port(void **state)
{
	(void)state;
	links[0] = (struct intended_link){ 0, 2, 4, 1 };
	links[1] = (struct intended_link){ 0, 2, 1, 2 };
	assert_true(intended_check(&t, why));
	assert_int_equal(links[0].aport, 1);
	assert_int_equal(links[1].aport, 4);
}

static void
expect_refused(const char *sentence)
{
	assert_false(intended_check(&t, why));
	assert_string_equal(why, sentence);
	intended_check_setup(NULL);
}

static void
nothing_twice(void **state)
{
	(void)state;
	sw[1].guid = 0x10;
	expect_refused("switches: 0x0000000000000010: another switch has this GUID");
	sw[2].plane = sw[0].plane;
	expect_refused("switches: 0x0000000000000012: another switch has this plane");
	sw[1].leaf = 0;
	expect_refused("switches: 0x0000000000000011: another switch has this leaf position");
	hosts[2].guid = 0x101;
	expect_refused("hosts: 0x0000000000000101: another host has this GUID");
	hosts[2].sw = 2;
	hosts[2].port = 4;
	expect_refused("hosts: 0x0000000000000102: its switch has no leaf position");
	hosts[1].id = hosts[0].id;
	expect_refused("hosts: 0x0000000000000101: another host of its kind has this id");
	hosts[3].id = 1;                        /* of another kind */
	assert_true(intended_check(&t, why));
	links[1].bport = 1;
	expect_refused("port 1 of switch 0x0000000000000012 is used twice");
	hosts[0].port = 1;
	expect_refused("port 1 of switch 0x0000000000000010 is used twice");
	hosts[1].port = 2;
	expect_refused("port 2 of switch 0x0000000000000010 is used twice");
	links[0] = (struct intended_link){ 0, 0, 4, 4 };
	expect_refused("port 4 of switch 0x0000000000000010 is used twice");
}

/* The largest numbers that a document may have. */
static void
largest_numbers(void **state)
{
	(void)state;
	sw[0].plane = sw[1].leaf = INTENDED_SWITCHES_MAX;
	hosts[0].id = INTENDED_ID_MAX;
	assert_true(intended_check(&t, why));
}

static void
uses_of_ports(void **state)
{
	static const uint32_t want[3][4] = { { 1, 2, 4, 0 }, { 3, 6, 8, 0 }, { 1, 3, 0, 0 } };
	struct intended_ports p;
	struct arena a = ARENA_INIT;
	uint32_t at;
	uint8_t port;

	(void)state;
	assert_true(intended_ports_make(&t, &a, &p, &at, &port));
	for (uint32_t i = 0; i < 3; i++)
		for (uint8_t k = 1; k <= 4; k++) {
			uint32_t use = intended_port_use(&p, i, k);

			assert_int_equal(use, want[i][k - 1]);
			assert_int_equal(intended_use_is_host(use), i < 2 && (k == 2 || k == 3));
		}
	hosts[3].port = 2;
	assert_false(intended_ports_make(&t, &a, &p, &at, &port));
	assert_int_equal(at, 1);
	assert_int_equal(port, 2);
	arena_clear(&a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(holds_together, intended_check_setup),
		cmocka_unit_test_setup(sorts, intended_check_setup),
		cmocka_unit_test_setup(sorts_by_port, intended_check_setup),
		cmocka_unit_test_setup(nothing_twice, intended_check_setup),
		cmocka_unit_test_setup(largest_numbers, intended_check_setup),
		cmocka_unit_test_setup(uses_of_ports, intended_check_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
