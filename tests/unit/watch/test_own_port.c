/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_own_port.c - when our own port is asked, and which answers are a change of its link.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/watch/own_port.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct own_port o;

static int
own_port_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	o = (struct own_port){ 0 };
	own_port_swept(&o, &b.net, b.s);
	return 0;
}

static int
own_port_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

/* A second later the port is asked; what it answers. */
static enum own_port_change
ask_port(uint8_t port_state, uint16_t status)
{
	struct port_info info = { .state = port_state };
	struct txn_end e;
	struct dgram d;

	served_pass(&b, 1000000);
	own_port_pump(&o, &b.net);
	assert_true(o.open);
	assert_true(served_next(&b, &d));
	assert_int_equal(dgram_hop_count(d.mad), 0);
	assert_int_equal(dgram_attr_id(d.mad), PORT_INFO_ID);
	assert_int_equal(dgram_modifier(d.mad), b.net.port.port);
	port_info_encode(dgram_smp_data(d.mad), &info);
	served_answer(&b, &d, status);
	assert_true(served_take_end(&b, OWN_PORT_STATE, &e));
	return own_port_on_end(&o, &b.net, &e);
}

static void
it_is_asked_once_a_second(void **state)
{
	struct monotime at;

	(void)state;
	assert_true(own_port_deadline(&o, &at));
	assert_int_equal(monotime_sub_us(at, b.net.now), 1000000);
	served_pass(&b, 999999);
	own_port_pump(&o, &b.net);
	assert_false(o.open);
	assert_int_equal(txn_pending(b.net.txn), 0);
	served_pass(&b, 1);
	own_port_pump(&o, &b.net);
	own_port_pump(&o, &b.net);
	assert_int_equal(txn_pending(b.net.txn), 1);
	assert_false(own_port_deadline(&o, &at));       /* nothing to wait for but the answer */
}

/* Any state from INIT on is a link; a change is told once. */
static void
changes_are_told_once(void **state)
{
	(void)state;
	assert_int_equal(ask_port(PORT_STATE_ARMED, STATUS_OK), OWN_PORT_SAME);
	assert_int_equal(ask_port(PORT_STATE_DOWN, STATUS_OK), OWN_PORT_DOWN);
	assert_string_equal(b.said, "sweep: link down: own port ca-0/1");
	assert_int_equal(ask_port(PORT_STATE_DOWN, STATUS_OK), OWN_PORT_SAME);
	assert_int_equal(ask_port(PORT_STATE_INIT, STATUS_OK), OWN_PORT_UP);
	assert_string_equal(b.said, "sweep: link up: own port ca-0/1");
	assert_int_equal(b.lines, 2);
}

static void
a_refusal_says_nothing_of_the_link(void **state)
{
	(void)state;
	assert_int_equal(ask_port(PORT_STATE_DOWN, STATUS_BAD_VALUE), OWN_PORT_SAME);
	assert_true(o.linked);
}

static void
silence_is_no_link(void **state)
{
	struct txn_end e = { .kind = TXN_END_TIMED_OUT };

	(void)state;
	assert_int_equal(own_port_on_end(&o, &b.net, &(struct txn_end){ .kind = TXN_END_CANCELLED }), OWN_PORT_SAME);
	assert_int_equal(own_port_on_end(&o, &b.net, &e), OWN_PORT_DOWN);
}

/* What a sweep has seen is where changes are counted from; port 0 of a switch is never asked. */
static void
sweeps_set_what_is_known(void **state)
{
	struct port_info info = served_info(&b, b.s->sm_port);
	struct monotime at;

	(void)state;
	own_port_swept(&o, &b.net, NULL);
	assert_false(o.linked);
	info.state = PORT_STATE_DOWN;
	served_set_info(&b, b.s->sm_port, info);
	o.linked = true;
	own_port_swept(&o, &b.net, b.s);
	assert_false(o.linked);
	b.s->sm_port = b.s->nodes[b.s->switches[0]].first_port;
	own_port_swept(&o, &b.net, b.s);
	assert_false(own_port_deadline(&o, &at));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, own_port_setup, own_port_teardown)
	const struct CMUnitTest tests[] = {
		T(it_is_asked_once_a_second),
		T(changes_are_told_once),
		T(a_refusal_says_nothing_of_the_link),
		T(silence_is_no_link),
		T(sweeps_set_what_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
