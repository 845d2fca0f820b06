/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_port_keys.c - end ports by the M_Key that they show.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/sweep/port_keys.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;

static int
sweep_port_keys_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	b.conf->m_key = 0x55;
	return 0;
}

static int
sweep_port_keys_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

static void
show_key(unsigned host, uint64_t mkey, uint8_t protect)
{
	struct port_info info = served_info(&b, served_host(&b, host));

	info.mkey = mkey;
	info.mkey_protect = protect;
	served_set_info(&b, served_host(&b, host), info);
}

static void
keys_are_told_apart(void **state)
{
	struct port_keys k;

	(void)state;
	show_key(1, 0x55, 1);
	show_key(2, 0x66, 1);
	show_key(3, 0, 1);                      /* hidden: protected, with a key that is not shown */
	b.s->ports[served_host(&b, 4)].flags &= (uint8_t)~FAB_PORT_INFO;
	k = port_keys_count(&b.net);
	assert_int_equal(k.ours, 1);
	assert_int_equal(k.others, 2);
	assert_int_equal(k.unknown, 1);
	assert_int_equal(k.open, b.s->nendports - 4);
	b.conf->m_key = 0;                      /* then no key is ours */
	assert_int_equal(port_keys_count(&b.net).ours, 0);
	b.net.served.s = NULL;
	k = port_keys_count(&b.net);
	assert_int_equal(k.ours + k.open + k.others + k.unknown, 0);
}

/* A line when the ports without our key are others than before. */
static void
changes_are_logged(void **state)
{
	struct port_keys logged = { 0 };

	(void)state;
	show_key(2, 0x66, 1);
	port_keys_log(&b.net, &logged);
	assert_int_equal(b.lines, 1);
	assert_non_null(strstr(b.said, "1 protected by a foreign key"));
	port_keys_log(&b.net, &logged);
	assert_int_equal(b.lines, 1);
	show_key(2, 0x55, 1);
	port_keys_log(&b.net, &logged);
	assert_int_equal(b.lines, 2);
	b.conf->m_key = 0;
	show_key(2, 0x66, 1);
	port_keys_log(&b.net, &logged);
	assert_int_equal(b.lines, 2);           /* nothing is protected: nothing to say */
}

int
main(void)
{
#define T(name) \
	cmocka_unit_test_setup_teardown(name, sweep_port_keys_setup, sweep_port_keys_teardown)
	const struct CMUnitTest tests[] = {
		T(keys_are_told_apart),
		T(changes_are_logged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
