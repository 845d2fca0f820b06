/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_probes.c - switches that are asked for their ports, and which changes are swept for.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/watch/watch.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct watch w;
static uint32_t leaf;                   /* the node index of our own switch */

static int
probes_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	watch_init(&w);
	leaf = b.s->ports[b.s->ports[b.s->sm_port].peer].node;
	return 0;
}

static int
probes_teardown(void **state)
{
	(void)state;
	watch_free(&w);
	served_clear(&b);
	return 0;
}

/* Answers all ports of the switch as they were, but for 'port', which is in 'is'.  The number of requests. */
static unsigned
answer_ports(uint8_t port, uint8_t is)
{
	struct txn_end end;
	struct dgram d;
	unsigned n = 0;

	do {
		while (served_next(&b, &d)) {
			uint8_t num = (uint8_t)dgram_modifier(d.mad), image[64] = { 0 };
			struct port_info info = port_info_decode(snapshot_port(b.s, leaf, num)->info);

			if (num == port)
				info.state = is;
			port_info_encode(image, &info);
			served_answer_image(&b, &d, image, sizeof(image));
			n++;
		}
		while (served_take_end(&b, OWN_PROBE, &end))
			probes_on_end(w.probes, &b.net, &end);
	} while (txn_pending(b.net.txn));
	return n;
}

/* A trap, and the look that follows it. */
static unsigned
trap_and_look(uint64_t tid, uint8_t port, uint8_t is)
{
	probes_trap(w.probes, &b.net, leaf, tid);
	served_pass(&b, 11000000);                      /* longer than any gap */
	probes_pump(w.probes, &b.net, true);
	return answer_ports(port, is);
}

static uint8_t
linked_port(void)
{
	return b.s->ports[b.s->ports[b.s->sm_port].peer].num;
}

/* The first trap causes a sweep, and the switch is looked at besides: a change that the sweep did not leave so. */
static void
a_change_since_the_sweep_is_swept_for(void **state)
{
	(void)state;
	assert_false(probes_trap(w.probes, &b.net, leaf, 1));
	assert_int_equal(trap_and_look(2, linked_port(), PORT_STATE_ACTIVE), b.s->nodes[leaf].nports);
	assert_int_equal(b.net.schedule.trap_sweep.us, MONOTIME_NEVER.us);
	trap_and_look(3, linked_port(), PORT_STATE_DOWN);
	assert_int_equal(b.net.schedule.trap_sweep.us, b.net.now.us);
	assert_string_equal(b.net.schedule.why, "a link has changed");
}

/* While a sweep is under way or due, it reads all ports itself. */
static void
sweeps_come_first(void **state)
{
	(void)state;
	probes_trap(w.probes, &b.net, leaf, 1);
	probes_pump(w.probes, &b.net, false);
	assert_int_equal(txn_pending(b.net.txn), 0);
	schedule_want(&b.net, "test");
	probes_pump(w.probes, &b.net, true);
	assert_int_equal(txn_pending(b.net.txn), 0);
	schedule_clear(&b.net);
	b.role = HA_STANDBY;
	probes_pump(w.probes, &b.net, true);
	assert_int_equal(txn_pending(b.net.txn), 0);
	b.role = HA_MASTER;
	probes_pump(w.probes, &b.net, true);
	assert_int_equal(txn_pending(b.net.txn), b.s->nodes[leaf].nports);
}

/* A trap that came before a sweep began is answered by it. */
static void
a_sweep_answers_traps_before_it(void **state)
{
	struct monotime began;

	(void)state;
	probes_trap(w.probes, &b.net, leaf, 1);
	served_pass(&b, 1);
	began = b.net.now;
	probes_swept(w.probes, &b.net, b.s, began);
	probes_pump(w.probes, &b.net, true);
	assert_int_equal(txn_pending(b.net.txn), 0);
	served_pass(&b, 1);
	probes_trap(w.probes, &b.net, leaf, 2);         /* while it was under way */
	probes_swept(w.probes, &b.net, b.s, began);
	probes_pump(w.probes, &b.net, true);
	assert_true(txn_pending(b.net.txn) > 0);
}

/* The link goes up and down between looks: from the fourth change in ten seconds on it flaps, and its traps cause no sweeps. */
static void
flapping_links_cause_no_sweeps(void **state)
{
	uint8_t port = linked_port();

	(void)state;
	for (uint64_t tid = 1; tid <= 4; tid++) {
		probes_trap(w.probes, &b.net, leaf, tid);
		served_pass(&b, 1600000);
		schedule_clear(&b.net);
		probes_pump(w.probes, &b.net, true);
		answer_ports(port, tid & 1 ? PORT_STATE_DOWN : PORT_STATE_ACTIVE);
	}
	assert_true(flaps_of(w.flaps, b.s->nodes[leaf].guid));
	assert_true(flaps_at(w.flaps, b.s->nodes[leaf].guid, port));
	assert_true(probes_trap(w.probes, &b.net, leaf, 5));
	schedule_clear(&b.net);
	served_pass(&b, 600000);
	probes_pump(w.probes, &b.net, true);
	answer_ports(port, PORT_STATE_DOWN);
	assert_int_equal(b.net.schedule.trap_sweep.us, MONOTIME_NEVER.us);
}

static void
a_switch_that_is_silent_is_swept_for(void **state)
{
	struct txn_end end;

	(void)state;
	probes_trap(w.probes, &b.net, leaf, 1);
	probes_pump(w.probes, &b.net, true);
	subnet_cancel(&b.net, OWN_PROBE);
	while (served_take_end(&b, OWN_PROBE, &end)) {
		assert_int_equal(b.net.schedule.trap_sweep.us, MONOTIME_NEVER.us);      /* cancelled: no silence */
		if (txn_pending(b.net.txn) == 0)
			end.kind = TXN_END_TIMED_OUT;
		probes_on_end(w.probes, &b.net, &end);
	}
	assert_string_equal(b.net.schedule.why, "a switch does not answer");
}

static void
hosts_and_cut_switches_are_not_asked(void **state)
{
	(void)state;
	probes_trap(w.probes, &b.net, b.s->ports[b.s->sm_port].node, 1);
	b.s->nodes[leaf].flags |= FAB_NODE_CUT;
	probes_trap(w.probes, &b.net, leaf, 1);
	b.s->nodes[leaf].flags &= (uint8_t)~FAB_NODE_CUT;
	probes_pump(w.probes, &b.net, true);
	assert_int_equal(txn_pending(b.net.txn), 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, probes_setup, probes_teardown)
	const struct CMUnitTest tests[] = {
		T(a_change_since_the_sweep_is_swept_for),
		T(sweeps_come_first),
		T(a_sweep_answers_traps_before_it),
		T(flapping_links_cause_no_sweeps),
		T(a_switch_that_is_silent_is_swept_for),
		T(hosts_and_cut_switches_are_not_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
