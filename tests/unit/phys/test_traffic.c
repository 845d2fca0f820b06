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

/* ---- a slow and plain second opinion: every pair is walked by itself ---- */

#define HOSTS 3
#define NODES_MAX 8
#define PORTS_MAX 8
#define HOPS_MAX 16

struct place { uint32_t node; uint8_t port; };
static const struct place hosts[HOSTS] = { { A, 1 }, { B, 1 }, { B, 2 } };
static const uint8_t lids[HOSTS] = { 1, 4, 6 };

/* Per port, in words a second: out of it, lost in front of it, come in for nothing, caught in a loop. */
struct plain { double offered, carried, inactive, unrouted, looping; };

struct walk {
	struct place out[HOPS_MAX];
	unsigned n;                     /* ports it leaves by, loops cut off */
	struct place end;
	enum { GOOD, INACTIVE, UNROUTED, LOOP } how;
};

static struct walk
walk(struct rig *r, const uint8_t lft[2][7], unsigned from, unsigned to)
{
	struct walk w = { .out = { hosts[from] }, .n = 1, .how = GOOD };
	struct place at = { 0 };

	for (;;) {
		uint8_t out;

		assert_true(hw_peer(r->h, w.out[w.n - 1].node, w.out[w.n - 1].port, &at.node, &at.port));
		w.end = at;
		if (at.node == A || at.node == B) {
			w.how = at.node == hosts[to].node && at.port == hosts[to].port ? GOOD : UNROUTED;
			return w;
		}
		for (unsigned i = 1; i < w.n; i++)
			if (w.out[i].node == at.node) {
				w.end = w.out[i];
				w.n = i;                /* what is in the loop carries nothing */
				w.how = LOOP;
				return w;
			}
		out = lft[at.node == S2][lids[to]];
		if (!out || out > (at.node == S1 ? 4 : 5)) {
			w.how = UNROUTED;
			return w;
		}
		if (out == (at.node == S1 ? 4 : 5)) {   /* nothing is plugged in */
			w.end = (struct place){ at.node, out };
			w.how = INACTIVE;
			return w;
		}
		w.out[w.n++] = (struct place){ at.node, out };
	}
}

static void
walk_all(struct rig *r, const uint8_t lft[2][7], const double want[HOSTS][HOSTS], struct plain all[NODES_MAX][PORTS_MAX])
{
	for (int pass = 0; pass < 2; pass++)
		for (unsigned from = 0; from < HOSTS; from++)
			for (unsigned to = 0; to < HOSTS; to++) {
				struct walk w = walk(r, lft, from, to);
				struct plain *e = &all[w.end.node][w.end.port];
				double flow = want[from][to], share = 1;

				if (from == to)
					continue;
				for (unsigned i = 0; pass && i < w.n; i++) {
					double offered = all[w.out[i].node][w.out[i].port].offered;

					if (offered > (double)LINK && (double)LINK / offered < share)
						share = (double)LINK / offered;
				}
				for (unsigned i = 0; i < w.n; i++)
					*(pass ? &all[w.out[i].node][w.out[i].port].carried :
						&all[w.out[i].node][w.out[i].port].offered) += flow * share;
				if (pass && w.how != GOOD)
					*(w.how == INACTIVE ? &e->inactive : w.how == LOOP ? &e->looping : &e->unrouted) += flow * share;
			}
}

static void
about(uint64_t is, double want)
{
	assert_in_range(is, want > 2 ? (uint64_t)want - 2 : 0, (uint64_t)want + 2);
}

static void
agrees_with_plain_walks(void **state)
{
	static const char *const names[] = { "XmitPkts", "InactiveDiscards", "DLIDMappingErrors", "SwLifetimeLimitDiscards" };
	struct rig *r = *state;
	uint64_t dice = 12345;

	rig_bring_up(r);
	for (unsigned round = 0; round < 300; round++) {
		struct hw_traffic t = { .kind = round % 3 ? HW_TRAFFIC_UNIFORM : HW_TRAFFIC_HOTSPOT, .hot_node = A, .hot_port = 1 };
		struct plain all[NODES_MAX][PORTS_MAX] = { { { 0 } } };
		uint64_t before[NODES_MAX][PORTS_MAX][4];
		double want[HOSTS][HOSTS] = { { 0 } };
		uint8_t lft[2][7] = { { 0 } };

		for (unsigned sw = 0; sw < 2; sw++)
			for (unsigned lid = 1; lid <= 6; lid++) {
				dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
				lft[sw][lid] = (uint8_t)((dice >> 33) % (sw ? 7 : 6));
			}
		if (round % 4) {                /* mostly the host is at the end */
			lft[0][1] = 1;
			lft[1][4] = 4;
			lft[1][6] = 2;
		}
		t.share_ppm = (uint32_t)((dice >> 20) % 1000001);
		for (unsigned i = 0; i < HOSTS; i++)
			for (unsigned k = 0; k < HOSTS; k++)
				want[i][k] = (double)LINK * t.share_ppm / 1e6 * (t.kind == HW_TRAFFIC_UNIFORM ? 0.5 : k == 0);
		rig_lft(r, "1", lft[0] + 1, 6);
		rig_lft(r, "12", lft[1] + 1, 6);
		walk_all(r, (const uint8_t (*)[7])lft, want, all);
		for (int after = 0; after < 2; after++) {
			for (uint32_t node = 0; node < RIG_NODES; node++)
				for (uint8_t port = 1; port <= hw_node_topo(r->h, node)->nports; port++)
					for (unsigned c = 0; c < 4; c++) {
						const struct plain *e = &all[node][port];
						double rates[] = { e->carried, e->inactive, e->unrouted, e->looping };
						uint64_t v = count(r, node, port, names[c]);

						if (after)
							about(v - before[node][port][c], rates[c] * 100 / PACKET);
						else
							before[node][port][c] = v;
					}
			if (after)
				continue;
			assert_int_equal(hw_traffic_start(r->h, &t, r->now), 0);
			r->now.us += 100 * INT64_C(1000000);
		}
		hw_traffic_stop(r->h, r->now);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_TEST(uniform_counts_on_the_way), RIG_TEST(looking_changes_nothing), RIG_TEST(hot_spot_congests),
		RIG_TEST(dies_where_the_way_ends), RIG_TEST(a_loop_ends_nowhere), RIG_TEST(refuses_nonsense),
		RIG_TEST(errors_grow), RIG_TEST(a_reboot_forgets), RIG_TEST(agrees_with_plain_walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
