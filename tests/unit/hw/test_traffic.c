/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_traffic.c - traffic in the counters, by numbers worked out by hand; errors that come with time; what the tables do to it.
 * Every link of the rig is 4X HDR: 200 Gbit/s, 6,250,000,000 words a second.  A packet has 518 words.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

#define S 1000000               /* a second, in microseconds */
#define LINK UINT64_C(6250000000)
#define PACKET 518

static uint64_t
count(struct rig *r, uint32_t node, uint8_t port, const char *name)
{
	int c = hw_counter_find(name);
	uint64_t v = 0;

	assert_true(c >= 0);
	assert_int_equal(hw_counter_get(r->h, node, port, (unsigned)c, r->now, &v), 0);
	return v;
}

static void
at_second(struct rig *r, int64_t s)
{
	r->now.us = s * S;
	hw_tick(r->h, r->now);
}

/* Hosts by GUID: A, B.1, B.2.  A sends half a link to each of B's ports. */
static void
uniform_counts_on_the_way(void **state)
{
	struct hw_traffic t = { .kind = HW_TRAFFIC_UNIFORM, .share_ppm = 100000 };
	struct rig *r = *state;
	uint64_t before, all = LINK / 10 * 10 / PACKET;

	rig_bring_up(r);
	at_second(r, 5);
	before = count(r, A, 1, "PortXmitPkts");
	assert_int_equal(before, 0);
	assert_int_equal(hw_traffic_start(r->h, &t, r->now), 0);
	at_second(r, 15);
	assert_int_equal(count(r, A, 1, "PortXmitPkts"), all);
	assert_int_equal(count(r, A, 1, "XmitData"), all * PACKET);
	assert_int_equal(count(r, A, 1, "UnicastRcvPkts"), all);        /* half a link from each of B */
	assert_int_equal(count(r, S1, 1, "RcvPkts"), all);
	assert_int_equal(count(r, S1, 2, "XmitPkts"), all);             /* both LIDs go by 2 */
	assert_int_equal(count(r, S1, 3, "XmitPkts"), 0);
	assert_int_equal(count(r, S2, 4, "XmitPkts"), all);             /* from A and from B's other port */
	assert_int_equal(count(r, B, 1, "RcvPkts"), all);
	assert_int_equal(count(r, B, 1, "XmitWait"), 0);
	assert_int_equal(count(r, B, 1, "XmitDiscards"), 0);
}

/* However often somebody looks, the sum is the same; it ends when it is told to. */
static void
looking_changes_nothing(void **state)
{
	struct hw_traffic t = { .kind = HW_TRAFFIC_PERMUTATION, .rate_mbps = 777, .lasts_us = 3 * S, .seed = 5, .sl = 3 };
	struct rig *r = *state;
	uint64_t words = UINT64_C(777) * 31250 * 3, n = words / PACKET;

	rig_bring_up(r);
	assert_int_equal(hw_traffic_start(r->h, &t, r->now), 0);
	for (int64_t us = 13; us < 3 * S; us += 77777) {
		r->now.us = us;
		count(r, A, 1, "XmitPkts");
	}
	at_second(r, 9);
	assert_int_equal(count(r, A, 1, "XmitPkts"), n);
	assert_int_equal(count(r, A, 1, "XmtDataSL3"), n * PACKET);
	assert_int_equal(count(r, A, 1, "XmtDataSL0"), 0);
	assert_int_equal(count(r, B, 1, "XmitPkts"), n);                /* nobody looked at it before */
	assert_int_equal(count(r, B, 1, "RcvPkts"), n);
	assert_int_equal(count(r, B, 2, "RcvPkts"), n);
	at_second(r, 20);
	assert_int_equal(count(r, A, 1, "XmitPkts"), n);
}

/* Both ports that send to B.1 want the whole link to it: it is full, and each sends half and waits half of the time. */
static void
hot_spot_congests(void **state)
{
	struct hw_traffic t = { .kind = HW_TRAFFIC_HOTSPOT, .share_ppm = 1000000, .hot_node = B, .hot_port = 1 };
	struct hw_traffic_view v;
	struct rig *r = *state;

	rig_bring_up(r);
	assert_int_equal(hw_traffic_start(r->h, &t, r->now), 0);
	hw_traffic_view(r->h, r->now, &v);
	assert_true(v.on);
	assert_int_equal(v.hosts, 3);
	assert_int_equal(v.offered_mbps, 400000);
	assert_int_equal(v.carried_mbps, 200000);
	assert_int_equal(v.full, 1);
	r->now.us += 4 * S;
	assert_int_equal(count(r, B, 1, "RcvData"), LINK * 4 / PACKET * PACKET);
	assert_int_equal(count(r, S2, 4, "XmitPkts"), LINK * 4 / PACKET);
	assert_int_equal(count(r, A, 1, "XmitPkts"), LINK * 2 / PACKET);
	assert_int_equal(count(r, A, 1, "XmitWait"), LINK * 2);         /* in times of a word */
	assert_int_equal(count(r, S2, 4, "XmitWait"), LINK * 2);
	assert_int_equal(count(r, S2, 4, "PortXmitTimeCong"), LINK * 4);
	assert_int_equal(count(r, S1, 2, "PortXmitTimeCong") + count(r, S1, 3, "PortXmitTimeCong"), 0);
	assert_int_equal(count(r, B, 1, "XmitWait"), 0);
	assert_int_equal(count(r, B, 1, "PortPktRcvFECN"), 0);          /* nobody told the switch to mark */
}

static void
dies_where_the_way_ends(void **state)
{
	struct hw_traffic t = { .kind = HW_TRAFFIC_HOTSPOT, .rate_mbps = 1000, .hot_node = A, .hot_port = 1 };
	uint64_t one = UINT64_C(1000) * 31250;
	struct rig *r = *state;

	rig_bring_up(r);
	assert_int_equal(hw_traffic_start(r->h, &t, r->now), 0);
	at_second(r, 10);
	count(r, A, 1, "RcvPkts");
	rig_lft(r, "12", (const uint8_t[]){ 255, 3, 0, 4, 4, 2 }, 6);   /* S2 does not know A any more */
	at_second(r, 20);
	assert_int_equal(count(r, A, 1, "RcvPkts"), 2 * one * 10 / PACKET);
	assert_int_equal(count(r, S2, 4, "RcvSwitchRelayErrors"), one * 10 / PACKET);
	assert_int_equal(count(r, S2, 2, "PortDLIDMappingErrors"), one * 10 / PACKET);
	rig_lft(r, "12", (const uint8_t[]){ 3, 3, 0, 4, 4, 2 }, 6);
	at_second(r, 30);
	assert_int_equal(count(r, S2, 4, "RcvSwitchRelayErrors"), one * 10 / PACKET);
	assert_int_equal(count(r, A, 1, "RcvPkts"), 2 * one * 10 / PACKET * 2);
	assert_int_equal(hw_cable_pull(r->h, A, 1, r->now), 0);         /* nobody looks before 40 */
	at_second(r, 40);
	assert_int_equal(count(r, S1, 1, "PortInactiveDiscards"), 2 * one * 10 / PACKET);
	assert_int_equal(count(r, S1, 1, "XmitDiscards"), 2 * one * 10 / PACKET);
	assert_int_equal(count(r, S1, 1, "LinkDowned"), 1);
	assert_int_equal(count(r, A, 1, "RcvPkts"), 2 * one * 10 / PACKET * 2);
}

static void
a_loop_ends_nowhere(void **state)
{
	struct hw_traffic t = { .kind = HW_TRAFFIC_HOTSPOT, .rate_mbps = 1000, .hot_node = A, .hot_port = 1 };
	struct rig *r = *state;

	rig_bring_up(r);
	rig_lft(r, "1", (const uint8_t[]){ 2, 0, 2, 2, 3, 2 }, 6);      /* S1 sends what is for A back to S2 */
	assert_int_equal(hw_traffic_start(r->h, &t, r->now), 0);
	r->now.us += 10 * S;
	assert_int_equal(count(r, S2, 3, "PortSwLifetimeLimitDiscards"), 2 * UINT64_C(1000) * 31250 * 10 / PACKET);
	assert_int_equal(count(r, A, 1, "RcvPkts"), 0);
}

static void
refuses_nonsense(void **state)
{
	struct hw_traffic t = { .kind = HW_TRAFFIC_HOTSPOT, .share_ppm = 1, .hot_node = S1, .hot_port = 1 };
	struct hw_traffic_view v;
	struct rig *r = *state;

	assert_int_equal(hw_traffic_start(r->h, &t, r->now), -ENOENT);
	t.hot_node = 99;
	assert_int_equal(hw_traffic_start(r->h, &t, r->now), -ENOENT);
	hw_traffic_view(r->h, r->now, &v);
	assert_false(v.on);
	t.kind = HW_TRAFFIC_UNIFORM;
	assert_int_equal(hw_traffic_start(r->h, &t, r->now), 0);        /* nobody has a LID: nothing moves */
	r->now.us += S;
	assert_int_equal(count(r, A, 1, "XmitPkts"), 0);
	hw_cable_pull(r->h, A, 1, r->now);
	hw_cable_pull(r->h, B, 1, r->now);
	assert_int_equal(hw_traffic_start(r->h, &t, r->now), -EINVAL);
}

static void
errors_grow(void **state)
{
	struct rig *r = *state;
	unsigned symbols = (unsigned)hw_counter_find("SymbolError"), wait = (unsigned)hw_counter_find("PortVLXmitWait3");

	rig_bring_up(r);
	assert_int_equal(hw_counter_find("nonsense"), -ENOENT);
	assert_int_equal(hw_counter_find("PortVLXmitWait16"), -ENOENT);
	assert_int_equal(hw_error_add(r->h, S1, 2, symbols, 5, r->now), 0);
	assert_int_equal(hw_error_rate(r->h, S1, 2, symbols, 2500, r->now), 0);         /* 2.5 a second */
	assert_int_equal(hw_error_add(r->h, S1, 2, wait, 7, r->now), 0);
	r->now.us += 3 * S;
	assert_int_equal(count(r, S1, 2, "symbolerrorcounter"), 5 + 7);
	r->now.us += S;
	assert_int_equal(count(r, S1, 2, "SymbolErrorCounter"), 5 + 10);
	assert_int_equal(hw_error_rate(r->h, S1, 2, symbols, 0, r->now), 0);
	r->now.us += 100 * S;
	assert_int_equal(count(r, S1, 2, "SymbolErrorCounter"), 5 + 10);
	assert_int_equal(count(r, S1, 2, "PortVLXmitWait3"), 7);
	assert_int_equal(hw_error_add(r->h, S1, 9, symbols, 5, r->now), -ENOENT);
	assert_int_equal(hw_error_add(r->h, S1, 1, 100000, 5, r->now), -EINVAL);
	hw_error_rate(r->h, S1, 2, symbols, 1000, r->now);
	hw_error_clear(r->h, r->now);
	r->now.us += S;
	assert_int_equal(count(r, S1, 2, "SymbolErrorCounter"), 5 + 10);
}

/* A reboot forgets; what passes afterwards counts from 0. */
static void
a_reboot_forgets(void **state)
{
	struct hw_traffic t = { .kind = HW_TRAFFIC_UNIFORM, .share_ppm = 500000 };
	struct rig *r = *state;
	uint64_t host;

	rig_bring_up(r);
	hw_traffic_start(r->h, &t, r->now);
	at_second(r, 10);
	hw_node_reboot(r->h, S2, 0, r->now);
	host = count(r, A, 1, "XmitPkts");
	assert_int_equal(host, LINK / 2 * (uint64_t)r->now.us / S / PACKET);
	assert_int_equal(count(r, S2, 4, "XmitPkts"), 0);
	at_second(r, 11);
	assert_int_equal(count(r, S2, 4, "XmitPkts"), 0);
	assert_true(count(r, S1, 2, "PortInactiveDiscards") > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(uniform_counts_on_the_way), RIG_TEST(looking_changes_nothing), RIG_TEST(hot_spot_congests),
		RIG_TEST(dies_where_the_way_ends), RIG_TEST(a_loop_ends_nowhere), RIG_TEST(refuses_nonsense),
		RIG_TEST(errors_grow), RIG_TEST(a_reboot_forgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
