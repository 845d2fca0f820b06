/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_light.c - whom a light sweep asks, and which answers ask for a heavy one.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/watch/watch.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct watch w;
static struct election e;

static int
light_sweep_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	watch_init(&w);
	memset(&e, 0, sizeof(e));
	election_init(&e, &b.net);
	e.ha.state = HA_MASTER;
	return 0;
}

static int
light_sweep_teardown(void **state)
{
	(void)state;
	watch_free(&w);
	served_clear(&b);
	return 0;
}

/* What the subnet answers: everything as it was, but for the switch 'sw' and our own port. */
struct answers {
	uint32_t sw;                    /* an ordinal; FAB_NONE: none is different */
	struct switch_info info;
	uint16_t master_lid;
	bool silent;                    /* that switch */
	unsigned switches, own;         /* that were asked */
};

static uint32_t
switch_of(const struct dgram *d)
{
	for (uint32_t i = 0; i < b.s->nswitches; i++) {
		const struct fab_node *n = &b.s->nodes[b.s->switches[i]];

		if (dgram_hop_count(d->mad) == n->hop_count &&
		    !memcmp(dgram_initial_hops(d->mad) + 1, n->path + 1, n->hop_count))
			return i;
	}
	fail();
	return FAB_NONE;
}

static void
answer_request(struct dgram *d, struct answers *a)
{
	uint8_t image[64] = { 0 };
	uint32_t sw;

	if (dgram_attr_id(d->mad) == PORT_INFO_ID) {
		struct port_info info = served_info(&b, b.s->sm_port);

		a->own++;
		info.master_sm_lid = a->master_lid;
		port_info_encode(image, &info);
		served_answer_image(&b, d, image, sizeof(image));
		return;
	}
	assert_int_equal(dgram_attr_id(d->mad), SWITCH_INFO_ID);
	a->switches++;
	sw = switch_of(d);
	if (sw == a->sw && a->silent)
		return;
	memcpy(image, b.s->nodes[b.s->switches[sw]].switch_info, SWITCH_INFO_BYTES);
	if (sw == a->sw)
		switch_info_encode(image, &a->info);
	served_answer_image(&b, d, image, sizeof(image));
}

/* A whole light sweep. */
static void
sweep_with(struct answers *a)
{
	struct txn_end end;
	struct dgram d;

	light_begin(&w.light, &b.net, &e);
	for (unsigned i = 0; !light_pump(&w.light, &b.net, &e); i++) {
		assert_true(i < 10000);
		while (served_next(&b, &d))
			answer_request(&d, a);
		while (served_take_end(&b, OWN_LIGHT, &end))
			light_on_end(&w.light, &b.net, &end);
		served_pass(&b, 10000);
	}
	light_finish(&w.light, &b.net, &e);
}

static struct answers
same_as_before(void)
{
	return (struct answers){ .sw = FAB_NONE, .master_lid = b.plan.sm_lid };
}

static void
without_a_change_nothing_follows(void **state)
{
	struct answers a = same_as_before();

	(void)state;
	sweep_with(&a);
	assert_int_equal(a.switches, b.s->nswitches);
	assert_int_equal(a.own, 1);
	assert_false(b.net.schedule.want);
	assert_int_equal(w.light.sweeps, 1);
}

/* PortStateChange, or another top of the table, is a change; the same bit left by the last heavy sweep is none. */
static void
switches_that_changed_are_swept_for(void **state)
{
	struct fab_node *n = &b.s->nodes[b.s->switches[1]];
	struct answers a = same_as_before();

	(void)state;
	a.sw = 1;
	a.info = switch_info_decode(n->switch_info);
	a.info.port_state_change = 1;
	sweep_with(&a);
	assert_false(b.net.schedule.want);              /* a sweep of that switch is sufficient */
	assert_true(monotime_reached(b.net.now, b.net.schedule.trap_sweep));
	assert_string_equal(b.net.schedule.why, "a switch reports a change");
	assert_int_equal(b.net.schedule.places.n, 1);
	assert_int_equal(b.net.schedule.places.guids[0], n->guid);
	assert_false(b.net.schedule.places.whole);
	schedule_clear(&b.net);
	switch_info_encode(n->switch_info, &a.info);
	sweep_with(&a);
	assert_false(b.net.schedule.want);
	a.info.lft_top++;
	sweep_with(&a);
	assert_true(b.net.schedule.want);               /* somebody has written it */
	schedule_clear(&b.net);
	switch_info_encode(n->switch_info, &a.info);
	a.info.lft_top = 0;                             /* it was reset */
	sweep_with(&a);
	assert_false(b.net.schedule.want);
	assert_int_equal(b.net.schedule.places.n, 1);
}

static void
silence_of_a_switch_is_a_change(void **state)
{
	struct answers a = same_as_before();

	(void)state;
	a.sw = 0;
	a.silent = true;
	sweep_with(&a);
	assert_true(b.net.schedule.want);
}

/* Switches that are cut off are not asked: the heavy sweeps that this causes do. */
static void
switches_left_out_are_not_asked(void **state)
{
	struct answers a = same_as_before();

	(void)state;
	b.s->nodes[b.s->switches[1]].flags |= FAB_NODE_CUT;
	a.sw = 1;
	a.silent = true;
	sweep_with(&a);
	assert_int_equal(a.switches, b.s->nswitches - 1);
	assert_false(b.net.schedule.want);
}

static void
another_masters_lid_in_our_port_is_seen(void **state)
{
	struct answers a = same_as_before();

	(void)state;
	a.master_lid++;
	sweep_with(&a);
	assert_true(b.net.schedule.want);
	assert_string_equal(b.net.schedule.why, "somebody else has configured our port");
}

/* Problems are looked at every 2^n intervals, a subnet without them every 31st time at the latest. */
static void
heavy_sweeps_become_rarer(void **state)
{
	(void)state;
	assert_false(light_is_not_enough(&w.light, &b.net, 0));
	assert_true(light_is_not_enough(&w.light, &b.net, 1));
	assert_false(light_is_not_enough(&w.light, &b.net, 3));
	w.light.since = 2;
	assert_false(light_is_not_enough(&w.light, &b.net, 3));
	w.light.since = 3;
	assert_true(light_is_not_enough(&w.light, &b.net, 3));
	w.light.since = 15;
	assert_true(light_is_not_enough(&w.light, &b.net, 100));
	w.light.since = 29;
	assert_false(light_is_not_enough(&w.light, &b.net, 0));
	w.light.since = 30;
	assert_true(light_is_not_enough(&w.light, &b.net, 0));
	w.light.since = 0;
	b.role = HA_STANDBY;
	assert_true(light_is_not_enough(&w.light, &b.net, 0));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, light_sweep_setup, light_sweep_teardown)
	const struct CMUnitTest tests[] = {
		T(without_a_change_nothing_follows),
		T(switches_that_changed_are_swept_for),
		T(silence_of_a_switch_is_a_change),
		T(switches_left_out_are_not_asked),
		T(another_masters_lid_in_our_port_is_seen),
		T(heavy_sweeps_become_rarer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
