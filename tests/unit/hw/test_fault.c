/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_fault.c - every fault and every misbehaviour bites, only where it was asked for, and alike for one seed.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

#define ALWAYS 1000000

/* How many of 'n' Gets of B's NodeInfo come back, at once or later. */
static unsigned
answers(struct rig *r, unsigned n, const char *path)
{
	unsigned got = 0;

	for (unsigned i = 0; i < n; i++) {
		got += rig_get(r, NODE_INFO_ID, 0, path);
		rig_wait(r, 100000);
		while (rig_delivered(r, A, 1, &r->p))
			got++;
	}
	return got;
}

static void
faults(struct rig *r, uint32_t node, struct hw_faults f)
{
	assert_int_equal(hw_faults_set(r->h, node, &f), 0);
}

static void
drops(void **state)
{
	struct rig *r = *state;
	unsigned n;

	faults(r, B, (struct hw_faults){ .drop_ppm = ALWAYS });
	assert_int_equal(answers(r, 10, "124"), 0);
	assert_int_equal(answers(r, 10, "12"), 10);             /* others do not suffer */
	assert_int_equal(hw_stats(r->h)->dropped_fault, 10);
	faults(r, B, (struct hw_faults){ 0 });
	assert_int_equal(answers(r, 10, "124"), 10);
	faults(r, TOPO_NONE, (struct hw_faults){ .drop_ppm = 300000 });
	n = answers(r, 1000, "124");
	assert_in_range(n, 430, 550);                           /* 0.7 x 0.7 */
	assert_int_equal(answers(r, 100, ""), 100);             /* not what it says to itself */
	assert_int_equal(hw_faults_set(r->h, 99, &(struct hw_faults){ 0 }), -ENOENT);
	assert_int_equal(hw_faults_set(r->h, B, &(struct hw_faults){ .dup_ppm = ALWAYS + 1 }), -EINVAL);
}

static void
one_seed_one_run(void **state)
{
	struct rig a, b, c;
	unsigned same = 0;

	(void)state;
	rig_make(&a, &(struct hw_conf){ .seed = 7 });
	rig_make(&b, &(struct hw_conf){ .seed = 7 });
	rig_make(&c, &(struct hw_conf){ .seed = 8 });
	faults(&a, TOPO_NONE, (struct hw_faults){ .drop_ppm = 500000 });
	faults(&b, TOPO_NONE, (struct hw_faults){ .drop_ppm = 500000 });
	faults(&c, TOPO_NONE, (struct hw_faults){ .drop_ppm = 500000 });
	for (unsigned i = 0; i < 200; i++) {
		bool got = rig_get(&a, NODE_INFO_ID, 0, "1");

		assert_int_equal(rig_get(&b, NODE_INFO_ID, 0, "1"), got);
		same += rig_get(&c, NODE_INFO_ID, 0, "1") == got;
	}
	assert_int_not_equal(same, 200);
	hw_free(a.h);
	hw_free(b.h);
	hw_free(c.h);
}

static void
doubles(void **state)
{
	struct rig *r = *state;

	faults(r, B, (struct hw_faults){ .dup_ppm = ALWAYS });
	assert_int_equal(answers(r, 1, "124"), 4);              /* the request twice, each answer twice */
	faults(r, B, (struct hw_faults){ 0 });
	faults(r, TOPO_NONE, (struct hw_faults){ .dup_ppm = ALWAYS });
	assert_int_equal(answers(r, 1, "124"), 4);
}

static void
delays(void **state)
{
	struct rig *r = *state;
	struct monotime at;

	faults(r, B, (struct hw_faults){ .delay_ppm = ALWAYS, .delay_us = 500 });
	assert_false(rig_get(r, NODE_INFO_ID, 0, "124"));
	assert_true(hw_deadline(r->h, &at));
	assert_int_equal(at.us, 500);
	rig_wait(r, 999);
	assert_true(rig_quiet(r));
	rig_wait(r, 1);                                         /* 500 on arrival, 500 on leaving */
	assert_true(rig_delivered(r, A, 1, &r->p));
	assert_int_equal(node_info_decode(rig_data(r)).node_guid, GUID_B);
}

static void
latency_is_of_each_direction(void **state)
{
	struct rig r;

	(void)state;
	rig_make(&r, &(struct hw_conf){ .seed = 1, .latency_us = 40 });
	assert_false(rig_get(&r, NODE_INFO_ID, 0, "124"));
	rig_wait(&r, 79);
	assert_true(rig_quiet(&r));
	rig_wait(&r, 1);
	assert_true(rig_delivered(&r, A, 1, NULL));
	assert_true(rig_get(&r, NODE_INFO_ID, 0, ""));
	hw_faults_set(r.h, TOPO_NONE, &(struct hw_faults){ 0 });
	assert_false(rig_get(&r, NODE_INFO_ID, 0, "124"));      /* faults off: the latency stays */
	rig_wait(&r, 80);
	assert_true(rig_delivered(&r, A, 1, NULL));
	assert_false(rig_get(&r, NODE_INFO_ID, 0, "124"));
	hw_free(r.h);                                           /* with a packet under way */
}

static void
reorders(void **state)
{
	struct rig *r = *state;
	uint64_t last = 0;
	unsigned overtaken = 0, got = 0;

	faults(r, TOPO_NONE, (struct hw_faults){ .reorder_ppm = 500000 });
	for (unsigned i = 1; i <= 100; i++) {
		rig_dr_make(r, METHOD_GET, NODE_INFO_ID, 0, "124", NULL);
		wire_put64(r->p.mad + 8, i);
		if (hw_send(r->h, A, 1, &r->p, r->now))
			fail();
		rig_wait(r, 100);
		while (rig_delivered(r, A, 1, &r->p)) {
			got++;
			overtaken += dgram_tid(r->p.mad) < last;
			if (dgram_tid(r->p.mad) > last)
				last = dgram_tid(r->p.mad);
		}
	}
	rig_wait(r, 10000);
	while (rig_delivered(r, A, 1, &r->p))
		got++;
	assert_int_equal(got, 100);                             /* none is lost */
	assert_true(overtaken > 10);
}

static void
corrupts(void **state)
{
	struct rig *r = *state;
	uint8_t good[256];
	unsigned spoilt = 0, got = 0;

	rig_get(r, NODE_INFO_ID, 0, "124");
	memcpy(good, r->p.mad, 256);
	faults(r, B, (struct hw_faults){ .corrupt_ppm = ALWAYS });
	for (unsigned i = 0; i < 200; i++) {
		bool back = rig_get(r, NODE_INFO_ID, 0, "124");

		got += back;
		spoilt += back && memcmp(good, r->p.mad, 256);
	}
	assert_true(got > 50);
	assert_true(spoilt > got * 9 / 10);
}

/* Noise in every byte, also of the route: nothing may crash, hang or leave the arrays (run under sanitizers). */
static void
survives_noise(void **state)
{
	struct rig *r = *state;
	uint64_t z = 12345;

	rig_bring_up(r);
	for (unsigned i = 0; i < 100000; i++) {
		unsigned flips = 1 + i % 7;

		rig_dr_make(r, i & 1 ? METHOD_GET : METHOD_SET, (uint16_t)(NODE_DESC_ID + i % 0x24), i % 5, "1.2.4", NULL);
		r->p.dlid = i % 3 ? LID_PERMISSIVE : (uint16_t)(i % 9);
		r->p.dst_qp = i % 11 == 0;
		while (flips--) {
			z = z * UINT64_C(6364136223846793005) + 1442695040888963407u;
			r->p.mad[z >> 56] = (uint8_t)(z >> 40);
		}
		hw_send_take(r->h, i % 4 ? A : S1, i % 4 ? 1 : 0, &r->p, r->now);
		rig_wait(r, 1000);
		while (!rig_quiet(r))
			;
	}
	assert_true(hw_stats(r->h)->answered > 1000);
}

static bool
behaves(struct rig *r, enum hw_misbehaviour m, uint16_t attr, uint64_t arg)
{
	assert_int_equal(hw_misbehave(r->h, B, m, attr, arg), 0);
	return rig_get(r, NODE_INFO_ID, 0, "124");
}

static void
misbehaves_in_the_header(void **state)
{
	struct rig *r = *state;

	assert_false(behaves(r, HW_MUTE, 0, 0));
	assert_true(behaves(r, HW_WRONG_MODIFIER, 0, 0));
	assert_int_equal(dgram_modifier(r->p.mad), 1);
	assert_true(behaves(r, HW_WRONG_MODIFIER, 0, 0x77));
	assert_int_equal(dgram_modifier(r->p.mad), 0x77);
	assert_true(behaves(r, HW_WRONG_ATTRIBUTE, 0, 0));
	assert_int_equal(dgram_attr_id(r->p.mad), 0x12);
	assert_true(behaves(r, HW_WRONG_STATUS, 0, 0));
	assert_int_equal(rig_status(r), 0x1c);
	assert_int_equal(r->p.mad[4], 0x80);
	assert_true(behaves(r, HW_WRONG_STATUS, 0, 1));
	assert_int_equal(rig_status(r), 1);
	assert_true(behaves(r, HW_WRONG_METHOD, 0, 0));
	assert_int_equal(r->p.mad[3], 0x92);
	assert_true(behaves(r, HW_WRONG_TID, 0, 0));
	assert_int_equal(dgram_tid(r->p.mad), 76);
	assert_true(behaves(r, HW_NONE, 0, 0));
	assert_int_equal(dgram_tid(r->p.mad), 77);
	assert_int_equal(hw_misbehave(r->h, 99, HW_MUTE, 0, 0), -ENOENT);
}

static void
misbehaves_in_the_payload(void **state)
{
	struct rig *r = *state;
	struct node_info ni;
	uint8_t w[64];

	assert_true(behaves(r, HW_NONE, 0, 0));
	memcpy(w, rig_data(r), 64);
	assert_true(behaves(r, HW_RANDOM_BYTES, 0, 0));
	assert_memory_not_equal(rig_data(r), w, 64);
	assert_true(behaves(r, HW_ZERO_PAYLOAD, 0, 0));
	assert_int_equal(rig_data(r)[0], 0);
	assert_true(behaves(r, HW_BIG_COUNTS, 0, 0));
	ni = node_info_decode(rig_data(r));
	assert_int_equal(ni.num_ports, 255);
	assert_int_equal(ni.local_port, 255);
	assert_int_equal(ni.partition_cap, 0xffff);
	assert_int_equal(rig_port_info(r, 0, "124").lid, 0xffff);
	assert_int_equal(rig_port_info(r, 0, "124").guid_cap, 255);
	assert_true(behaves(r, HW_DUPLICATE_GUID, 0, 0));
	ni = node_info_decode(rig_data(r));
	assert_int_equal(ni.node_guid, GUID_A);
	assert_int_equal(ni.port_guid, GUID_A + 1);
	assert_true(behaves(r, HW_DUPLICATE_GUID, 0, GUID_S2));
	assert_int_equal(node_info_decode(rig_data(r)).port_guid, GUID_S2);
	hw_misbehave(r->h, S1, HW_BIG_COUNTS, 0, 0);
	rig_get(r, SWITCH_INFO_ID, 0, "1");
	assert_int_equal(switch_info_decode(rig_data(r)).lft_cap, 0xffff);
	assert_int_equal(switch_info_decode(rig_data(r)).mft_top, 0xffff);
}

static void
misbehaves_about_one_attribute(void **state)
{
	struct rig *r = *state;

	assert_true(behaves(r, HW_MUTE, PORT_INFO_ID, 0));
	assert_false(rig_get(r, PORT_INFO_ID, 0, "124"));
	assert_true(rig_get(r, PORT_INFO_ID, 0, "12"));
}

static void
is_late(void **state)
{
	struct rig *r = *state;

	assert_false(behaves(r, HW_LATE, 0, 30000));
	rig_wait(r, 29999);
	assert_true(rig_quiet(r));
	rig_wait(r, 1);
	assert_true(rig_delivered(r, A, 1, NULL));
}

/* Says yes and does nothing; a mute agent does nothing either. */
static void
ignores_sets(void **state)
{
	struct rig *r = *state;

	hw_misbehave(r->h, B, HW_NO_SET, 0, 0);
	assert_true(rig_dr(r, METHOD_SET, NODE_DESC_ID, 0, "124", (const uint8_t[64]){ 'x' }));
	assert_int_equal(rig_status(r), 0);
	assert_int_equal(r->p.mad[3], METHOD_GET_RESP);
	assert_string_equal((char *)rig_data(r), "host b");
	hw_misbehave(r->h, B, HW_MUTE, 0, 0);
	assert_false(rig_dr(r, METHOD_SET, NODE_DESC_ID, 0, "124", (const uint8_t[64]){ 'x' }));
	hw_misbehave(r->h, B, HW_NONE, 0, 0);
	rig_get(r, NODE_DESC_ID, 0, "124");
	assert_string_equal((char *)rig_data(r), "host b");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(drops), cmocka_unit_test(one_seed_one_run), RIG_TEST(doubles), RIG_TEST(delays),
		cmocka_unit_test(latency_is_of_each_direction), RIG_TEST(reorders), RIG_TEST(corrupts),
		RIG_TEST(survives_noise), RIG_TEST(misbehaves_in_the_header), RIG_TEST(misbehaves_in_the_payload),
		RIG_TEST(misbehaves_about_one_attribute), RIG_TEST(is_late), RIG_TEST(ignores_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
