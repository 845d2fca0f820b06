/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mkeys.c - which key a request to a port carries.
 */
#include <config.h>
#include "tests/unit/fabric/small.h"
#include "fabric/snapshot/mkeys.h"

static struct snapshot *s;
static unsigned derived;

/* A switch, a host at its port 2 with its port 1, another cable to its port 3. */
static int
setup(void **state)
{
	static const struct small_node nodes[] = { { TOPO_SWITCH, 4 }, { TOPO_CA, 3 } };
	static const struct small_cable cables[] = { { 0, 2, 1, 1 }, { 0, 3, 1, 3 } };

	(void)state;
	s = small_snapshot(nodes, 2, cables, 2);
	derived = 0;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	snapshot_free(s);
	return 0;
}

static uint64_t
derive(const struct mkeys *k, uint64_t port_guid)
{
	derived++;
	return port_guid * 3 + k->cipher[0];
}

static void
one_key_or_none(void **state)
{
	struct mkeys none = { 0 }, one = mkeys_one(77), zero = mkeys_one(0), copy;

	(void)state;
	assert_int_equal(mkeys_of(&none, 5), 0);
	assert_int_equal(mkeys_of(&zero, 5), 0);
	assert_int_equal(mkeys_of(&one, 5), 77);
	assert_int_equal(mkeys_of(&one, 0), 77);
	copy = one;
	one = zero;
	assert_int_equal(mkeys_of(&copy, 5), 77);
}

/* Derived once for several requests in a row, but never kept for a port that is not known. */
static void
derived_once(void **state)
{
	struct mkeys k = { .of = derive, .cipher = { 4 } };
	struct mkeys_last last = { 0 };

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(mkeys_of_again(&k, &last, 10), 34);
	assert_int_equal(derived, 1);
	assert_int_equal(mkeys_of_again(&k, &last, 11), 37);
	assert_int_equal(mkeys_of_again(&k, &last, 10), 34);
	assert_int_equal(derived, 3);
	assert_int_equal(mkeys_of_again(&k, &last, 0), 4);
	assert_int_equal(mkeys_of_again(&k, &last, 0), 4);
	assert_int_equal(derived, 5);
}

/* Port 0 stands for a switch; a host checks the key of the port that a request comes to. */
static void
who_checks(void **state)
{
	uint32_t sw = s->ports[small_port(s, 0, 0)].node, host = s->ports[small_port(s, 1, 1)].node;

	(void)state;
	for (uint8_t p = 0; p <= 4; p++)
		assert_int_equal(mkeys_end_port(s, small_port(s, 0, p)), small_port(s, 0, 0));
	for (uint8_t p = 1; p <= 3; p++)
		assert_int_equal(mkeys_end_port(s, small_port(s, 1, p)), small_port(s, 1, p));
	assert_int_equal(mkeys_node_port(s, sw), small_port(s, 0, 0));
	assert_int_equal(mkeys_node_port(s, host), small_port(s, 1, s->nodes[host].entry_port));
	s->nodes[host].entry_port = 3;
	assert_int_equal(mkeys_node_port(s, host), small_port(s, 1, 3));
}

/* The key that a port shows, whoever wrote it; ours if it shows none or was not read. */
static void
key_of_a_set(void **state)
{
	struct mkeys k = { .of = derive };
	struct mkeys_last last = { 0 };
	uint32_t port = small_port(s, 1, 1);
	struct port_info i = port_info_decode(s->ports[port].info);

	(void)state;
	assert_int_equal(mkeys_to_write(&k, &last, s, port), s->ports[port].guid * 3);
	i.mkey = UINT64_C(0xfeedfacecafebeef);
	port_info_encode(s->ports[port].info, &i);
	assert_int_equal(mkeys_to_write(&k, &last, s, port), UINT64_C(0xfeedfacecafebeef));
	assert_int_equal(derived, 1);
	s->ports[port].flags &= (uint8_t)~FAB_PORT_INFO;
	assert_int_equal(mkeys_to_write(&k, &last, s, port), s->ports[port].guid * 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_key_or_none, setup, teardown),
		cmocka_unit_test_setup_teardown(derived_once, setup, teardown),
		cmocka_unit_test_setup_teardown(who_checks, setup, teardown),
		cmocka_unit_test_setup_teardown(key_of_a_set, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
