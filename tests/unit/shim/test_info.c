/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_info.c - the adapter of our node: its name, the choice of a port, the words of a rate.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/shim/server.h"
#include "sim/shim/info.c"      /* with the server of the test */

static int
info_begin(void **state)
{
	(void)state;
	shim_server_reset();
	return 0;
}

static int
resolve(const char *ca, int port)
{
	int p = port, r = info_resolve(ca, &p);

	return r ? r : p;
}

static void
names(void **state)
{
	const char *name = info_ca_name();

	(void)state;
	assert_int_equal(strncmp(name, "hsim", 4), 0);
	assert_ptr_equal(info_ca_name(), name); /* it stays */
}

static void
chosen_ports(void **state)
{
	(void)state;
	assert_int_equal(resolve(NULL, 0), 1); /* ACTIVE */
	SHIM_SET(1, state, 2);
	SHIM_SET(2, state, PORT_STATE_ACTIVE);
	assert_int_equal(resolve(NULL, 0), 2);
	assert_int_equal(resolve(info_ca_name(), 0), 2);
	SHIM_SET(2, state, 2); /* then one with a link */
	assert_int_equal(resolve(NULL, 0), 1);
	SHIM_SET(1, phys_state, 2);
	SHIM_SET(2, phys_state, 5);
	assert_int_equal(resolve(NULL, 0), 2);
	SHIM_SET(1, phys_state, 3);
	SHIM_SET(2, phys_state, 2); /* then one that is not disabled */
	assert_int_equal(resolve(NULL, 0), 2);
	SHIM_SET(2, phys_state, 3);
	assert_int_equal(resolve(NULL, 0), -ENODEV);
	shim_server.ca.nports = 200; /* more than libibumad knows */
	assert_int_equal(resolve(NULL, 0), -ENODEV);
	shim_server.ca.nports = 0;
	assert_int_equal(resolve(NULL, 0), -ENODEV);
}

static void
named_ports(void **state)
{
	(void)state;
	assert_int_equal(resolve(NULL, 2), 2);
	assert_int_equal(resolve(NULL, 3), -ENODEV);
	assert_int_equal(resolve(NULL, -1), -ENODEV);
	assert_int_equal(resolve("other0", 0), -ENODEV);
	assert_int_equal(resolve("other0", 5), 5); /* both named: not looked up */
	shim_server.wanted = 2; /* the port that exec named */
	assert_int_equal(resolve(NULL, 0), 2);
	shim_server.wanted = 3;
	assert_int_equal(resolve(NULL, 0), 1);
	shim_server.wanted = 0;
	shim_server.ca.node_type = 2; /* a switch has port 0 */
	assert_int_equal(resolve(NULL, 0), 0);
	shim_server.there = false;
	assert_int_equal(resolve(NULL, 0), -ENODEV);
}

static void
present_ports(void **state)
{
	struct shim_port p;
	struct shim_ca ca;

	(void)state;
	assert_true(info_has_port(NULL, 1));
	assert_true(info_has_port(info_ca_name(), 2));
	assert_false(info_has_port("other0", 1));
	assert_false(info_has_port(NULL, 0));
	assert_false(info_has_port(NULL, -1));
	assert_false(info_has_port(NULL, SHIM_PORTS));
	assert_int_equal(info_port(1, &p), 0);
	assert_int_equal(p.npkeys, 2);
	assert_int_equal(info_ca(&ca), 0);
	assert_int_equal(ca.nports, 2);
	shim_server.there = false;
	assert_false(info_has_port(NULL, 1));
	assert_int_equal(info_port(1, &p), -EIO);
	assert_int_equal(info_ca(&ca), -EIO);
}

static void
rates(void **state)
{
	static const struct {
		unsigned width, speed, ext, ext2;
		const char *text;
	} rows[] = {
		{ LINK_WIDTH_1X, 1, 0, 0, "2.5 Gb/sec (1X)" },
		{ LINK_WIDTH_4X, 1, 0, 0, "10 Gb/sec (4X)" },
		{ LINK_WIDTH_4X, LINK_SPEED_DDR, 0, 0, "20 Gb/sec (4X DDR)" },
		{ LINK_WIDTH_12X, LINK_SPEED_QDR, 0, 0, "120 Gb/sec (12X QDR)" },
		{ LINK_WIDTH_4X, LINK_SPEED_QDR, 1, 0, "56 Gb/sec (4X FDR)" },
		{ LINK_WIDTH_8X, LINK_SPEED_QDR, 2, 0, "200 Gb/sec (8X EDR)" },
		{ LINK_WIDTH_2X, LINK_SPEED_QDR, 4, 0, "100 Gb/sec (2X HDR)" },
		{ LINK_WIDTH_4X, LINK_SPEED_QDR, 8, 0, "400 Gb/sec (4X NDR)" },
		{ LINK_WIDTH_4X, LINK_SPEED_QDR, 8, LINK_SPEED_EXT2_XDR, "800 Gb/sec (4X XDR)" },
		{ 0, 0, 0, 0, "10 Gb/sec (4X)" }, /* what no agent says */
	};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		SHIM_SET(1, width_active, rows[i].width);
		SHIM_SET(1, speed_active, rows[i].speed);
		SHIM_SET(1, speed_ext_active, rows[i].ext);
		SHIM_SET(1, speed_ext_active2, rows[i].ext2);
		info_rate_text(shim_server.ports[1].info, text, sizeof(text));
		assert_string_equal(text, rows[i].text);
	}
	info_rate_text(shim_server.ports[1].info, text, 6);
	assert_int_equal(strlen(text), 5);
}

#define T(f) cmocka_unit_test_setup(f, info_begin)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		T(names),
		T(chosen_ports),
		T(named_ports),
		T(present_ports),
		T(rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
