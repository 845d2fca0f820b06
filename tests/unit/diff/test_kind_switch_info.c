/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kind_switch_info.c - SwitchInfo: what differs, what a Set carries, what an answer proves.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/diff/fixture.h"

static void
port_state_change(void **state)
{
	struct switch_info si;
	struct fab_node *n;
	uint8_t buf[64];

	(void)state;
	bed_settle(&b, &found);
	n = &b.s->nodes[b.s->switches[2]];
	si = switch_info_decode(n->switch_info);
	si.port_state_change = 1;
	switch_info_encode(n->switch_info, &si);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_SWITCH_INFO, 2, 0);
	si = switch_info_decode(diff_payload(
		b.o, &b.plan, CHANGE_SWITCH_INFO, &found.phase[CHANGE_SWITCH_INFO].v[0], buf));
	assert_int_equal(si.port_state_change, 1); /* 1 clears it */
	bed_obey_all(&b, &found);
	si = switch_info_decode(n->switch_info);
	si.lft_top = 3;
	switch_info_encode(n->switch_info, &si);
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_SWITCH_INFO, 2, 0);
	si = switch_info_decode(diff_payload(
		b.o, &b.plan, CHANGE_SWITCH_INFO, &found.phase[CHANGE_SWITCH_INFO].v[0], buf));
	assert_int_equal(si.port_state_change, 0); /* 0 leaves it */
	assert_int_equal(si.lft_top, 150);
}

static void
switches_must_show_the_top(void **state)
{
	struct fab_node *n = &b.s->nodes[b.s->switches[4]];
	struct switch_info si = { .lft_top = b.plan.fwd.top, .life_time = 3 };
	uint8_t w[64] = { 0 };

	(void)state;
	switch_info_encode(w, &si);
	assert_true(bed_took_effect(&b, CHANGE_SWITCH_INFO, (struct change){ 4, 0 }, NULL, w));
	bed_observe(&b, CHANGE_SWITCH_INFO, (struct change){ 4, 0 },
		(struct change_answer){ .data = w, .effect = true });
	assert_int_equal(switch_info_decode(n->switch_info).life_time, 3);
	si.lft_top--;
	switch_info_encode(w, &si);
	assert_false(bed_took_effect(&b, CHANGE_SWITCH_INFO, (struct change){ 4, 0 }, NULL, w));
}

/*
 * An answer that shows other values is believed: the next comparison finds what is still to be
 * done.
 */
static void
what_a_switch_shows_is_believed(void **state)
{
	struct change four = { 4, 0 };
	struct switch_info si;
	uint8_t w[64], buf[64];

	(void)state;
	bed_settle(&b, &found);
	memcpy(w, diff_payload(b.o, &b.plan, CHANGE_SWITCH_INFO, &four, buf), 64);
	si = switch_info_decode(w);
	si.life_time ^= 1;
	switch_info_encode(w, &si);
	bed_observe(
		&b, CHANGE_SWITCH_INFO, four, (struct change_answer){ .data = w, .effect = true });
	bed_look(&b, &found);
	bed_assert_only(&found, CHANGE_SWITCH_INFO, 4, 0);
	bed_settle(&b, &found);
	assert_null(change_kinds[CHANGE_SWITCH_INFO]->forget);
}

/* Bits that nobody told us about come back as they were. */
static void
unknown_bits_of_a_switch_survive(void **state)
{
	struct fab_node *n = &b.s->nodes[b.s->switches[2]];
	struct switch_info want;
	uint8_t buf[64], w[SWITCH_INFO_BYTES];
	const uint8_t *sent;

	(void)state;
	bed_settle(&b, &found);
	n->switch_info[17] ^= 0xa5;             /* reserved */
	sent = diff_payload(b.o, &b.plan, CHANGE_SWITCH_INFO, &(struct change){ 2, 0 }, buf);
	memcpy(w, n->switch_info, sizeof(w));
	want = plan_switch_wanted(&b.plan, 2);
	switch_info_patch(w, &want);
	assert_memory_equal(sent, w, SWITCH_INFO_BYTES);
	assert_int_equal(sent[17], n->switch_info[17]);
	assert_true(sent[17] & 0xa5);
	for (unsigned i = SWITCH_INFO_BYTES; i < 64; i++)
		assert_int_equal(sent[i], 0);
}

/* A switch that did not answer, or is left out, gets nothing. */
static void
switches_that_are_left_alone(void **state)
{
	struct fab_node *n = &b.s->nodes[b.s->switches[7]];
	uint8_t before = n->flags;

	(void)state;
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_SWITCH_INFO].n, b.s->nswitches);
	n->flags = (uint8_t)(before & ~FAB_NODE_SWITCH_INFO);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_SWITCH_INFO].n, b.s->nswitches - 1);
	n->flags = (uint8_t)(before | FAB_NODE_CUT);
	bed_look(&b, &found);
	assert_int_equal(found.phase[CHANGE_SWITCH_INFO].n, b.s->nswitches - 1);
	for (uint32_t i = 0; i < found.phase[CHANGE_SWITCH_INFO].n; i++)
		assert_int_not_equal(found.phase[CHANGE_SWITCH_INFO].v[i].subject, 7);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(port_state_change),
		T(switches_must_show_the_top),
		T(what_a_switch_shows_is_believed),
		T(unknown_bits_of_a_switch_survive),
		T(switches_that_are_left_alone),
	};

	return cmocka_run_group_tests_name("sm/diff/kind_switch_info", tests, NULL, NULL);
}
