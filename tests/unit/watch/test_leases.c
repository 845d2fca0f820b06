/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_leases.c - when light sweeps renew leases, at which ports, and what answers show.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/watch/leases.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct leases l;

static int
leases_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	b.conf->m_key = 0x55;
	b.conf->m_key_lease_period_s = 90;
	b.conf->sweep_interval_s = 10;
	l = (struct leases){ .renewed = b.net.now };
	return 0;
}

static int
leases_teardown(void **state)
{
	(void)state;
	leases_free(&l);
	served_clear(&b);
	return 0;
}

/* About three times in a lease, and rather early than late: the next light sweep may be an interval away. */
static void
they_are_renewed_three_times_in_a_lease(void **state)
{
	(void)state;
	assert_int_equal(leases_interval_us(&b.net), 30000000);
	served_pass(&b, 20000000);
	leases_begin(&l, &b.net);
	assert_false(l.on);
	served_pass(&b, 1);
	leases_begin(&l, &b.net);
	assert_true(l.on);
	leases_swept(&l, b.net.now);                    /* a heavy sweep did it */
	leases_begin(&l, &b.net);
	assert_false(l.on);
}

static void
without_keys_or_periods_there_are_none(void **state)
{
	(void)state;
	served_pass(&b, 1000000000);
	b.conf->m_key_lease_period_s = 0;
	leases_begin(&l, &b.net);
	assert_false(l.on);
	b.conf->m_key_lease_period_s = 90;
	b.conf->m_key = 0;
	leases_begin(&l, &b.net);
	assert_false(l.on);
	assert_int_equal(leases_interval_us(&b.net), 0);
}

/* Every host is asked with its key but ourselves, and those whose problems are known. */
static void
hosts_without_problems_are_asked(void **state)
{
	struct monotime began;
	struct txn_req r;
	uint32_t n = 0;

	(void)state;
	b.s->ports[served_host(&b, 1)].flags |= FAB_PORT_FAILED;
	b.s->ports[served_host(&b, 2)].flags |= FAB_PORT_UNTOLD;
	b.s->nodes[b.s->ports[served_host(&b, 3)].node].flags |= FAB_NODE_FAILED;
	served_pass(&b, 60000000);
	began = b.net.now;
	leases_begin(&l, &b.net);
	while (leases_next(&l, &b.net, &r)) {
		uint32_t p = (uint32_t)r.cookie;

		assert_false(fab_is_switch(&b.s->nodes[b.s->ports[p].node]));
		for (unsigned i = 0; i < 4; i++)
			assert_int_not_equal(p, served_host(&b, i));
		assert_int_equal(r.target, b.s->ports[p].node);
		assert_int_equal(r.modifier, b.s->ports[p].num);
		assert_true(r.mkey == 0x55);
		n++;
		served_pass(&b, 1000);
	}
	assert_int_equal(n, b.s->nhosts - 4);
	assert_int_equal(l.renewed.us, began.us);       /* counted from the beginning */
}

static const char *
check_answer(enum txn_end_kind kind, uint64_t mkey)
{
	struct port_info info = { .mkey = mkey };
	struct txn_end e = { .kind = kind, .cookie = served_host(&b, 1) };
	struct dgram d = { .bytes = DGRAM_BYTES };

	port_info_encode(dgram_smp_data(d.mad), &info);
	e.reply = &d;
	return leases_check_end(&b.net, &e);
}

static void
answers_show_whether_ports_hold_the_key(void **state)
{
	(void)state;
	assert_null(check_answer(TXN_END_OK, 0x55));
	assert_string_equal(check_answer(TXN_END_OK, 0), "a port has lost its M_Key");
	assert_string_equal(check_answer(TXN_END_TIMED_OUT, 0x55), "a port does not renew the lease of its M_Key");
	assert_null(check_answer(TXN_END_CANCELLED, 0));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, leases_setup, leases_teardown)
	const struct CMUnitTest tests[] = {
		T(they_are_renewed_three_times_in_a_lease),
		T(without_keys_or_periods_there_are_none),
		T(hosts_without_problems_are_asked),
		T(answers_show_whether_ports_hold_the_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
