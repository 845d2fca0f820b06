/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_score_perms.c - shifts, random permutations and random halves, on two small fabrics where
 * the loads are known: a hub, and two switches with one cable.
 */
#include <config.h>
#include "fabric/score/score_perms.h"
#include "tests/unit/fabric/score/rig.h"

#define HOSTS_MAX 32

/* A switch in the middle, and 'hosts' switches around it with a host each. */
static void
hub_begin(struct rig *r, uint8_t hosts)
{
	struct small_node nodes[1 + 2 * HOSTS_MAX] = { { TOPO_SWITCH, hosts } };
	struct small_cable cables[2 * HOSTS_MAX];

	for (uint8_t i = 1; i <= hosts; i++) {
		nodes[i] = (struct small_node){ TOPO_SWITCH, 2 };
		nodes[hosts + i] = (struct small_node){ TOPO_CA, 1 };
		cables[2 * i - 2] = (struct small_cable){ 0, i, i, 1 };
		cables[2 * i - 1] = (struct small_cable){ i, 2, hosts + i, 1 };
	}
	rig_begin(r, small_snapshot(nodes, 1 + 2u * hosts, cables, 2u * hosts));
	for (uint8_t i = 1; i <= hosts; i++) {
		uint16_t lid = r->lids.base[small_port(r->s, hosts + i, 1)];

		for (uint8_t sw = 0; sw <= hosts; sw++)
			rig_entry(r, sw, lid, sw == 0 ? i : sw == i ? 2 : 1);
	}
}

/* Two switches with 'a' and 'b' hosts, and a cable between their ports 32. */
static void
pair_begin(struct rig *r, uint8_t a, uint8_t b)
{
	struct small_node nodes[2 + HOSTS_MAX] = { { TOPO_SWITCH, 32 }, { TOPO_SWITCH, 32 } };
	struct small_cable cables[HOSTS_MAX + 1];
	uint8_t n = (uint8_t)(a + b);

	for (uint8_t i = 0; i < n; i++) {
		uint8_t num = (uint8_t)(1 + (i < a ? i : i - a));

		nodes[2 + i] = (struct small_node){ TOPO_CA, 1 };
		cables[i] = (struct small_cable){ i < a ? 0 : 1, num, 2u + i, 1 };
	}
	cables[n] = (struct small_cable){ 0, 32, 1, 32 };
	rig_begin(r, small_snapshot(nodes, 2u + n, cables, n + 1u));
	for (uint8_t i = 0; i < n; i++) {
		uint16_t lid = r->lids.base[small_port(r->s, 2u + i, 1)];

		rig_entry(r, 0, lid, i < a ? (uint8_t)(1 + i) : 32);
		rig_entry(r, 1, lid, i < a ? 32 : (uint8_t)(1 + i - a));
	}
}

/* Runs the patterns; without 'whole', each path is looked for first. */
static struct score_result
run(struct rig *r, struct score_in in, bool whole)
{
	struct score_result result = { .hosts = 0 };
	struct score_net n;

	in.snapshot = r->s;
	in.lids = &r->lids;
	in.tables = &r->f;
	score_net_make(&n, r->s, &r->lids, &r->f, &r->arena);
	score_net_hosts(&n, NULL, 0, &r->arena);
	score_perms_run(&in, &n, whole, &result);
	return result;
}

static struct score_in
each(uint32_t shifts, uint32_t permutations, uint32_t matchings)
{
	return (struct score_in){ .shifts = shifts, .permutations = permutations,
		.matchings = matchings };
}

/* In a permutation every host sends to one and receives from one, so no cable of a hub is used
 * twice; in a matching neither, so each pair has all of the bandwidth. */
static void
permutations(void **state)
{
	struct score_result res;
	struct rig r;

	(void)state;
	for (uint8_t hosts = 2; hosts <= HOSTS_MAX; hosts += 5) {
		hub_begin(&r, hosts);
		res = run(&r, each(UINT32_MAX, 300, 300), true);
		assert_int_equal(res.shift.n, hosts - 1);
		assert_int_equal(res.shift.max, 1);
		assert_int_equal(res.shift.worst, 1);
		assert_int_equal(res.shift.sum, hosts - 1);
		assert_int_equal(res.rp.n, 300);
		assert_int_equal(res.rp.max, 1);
		assert_in_range(res.rp.sum, hosts == 2 ? 100 : 290, 300);
		assert_int_equal(res.matchings, 300);
		assert_int_equal(res.ebb_ppm, 1000000);
		assert_int_equal(res.ebb_error_ppm, 0);
		rig_end(&r);
	}
}

/* Shift n of two switches with 4 hosts each: n of the first send to the second, at most 4. */
static void
shifts(void **state)
{
	struct score_result res;
	struct rig r;

	(void)state;
	pair_begin(&r, 4, 4);
	res = run(&r, each(7, 0, 0), true);
	assert_int_equal(res.shift.n, 7);
	assert_int_equal(res.shift.max, 4);
	assert_int_equal(res.shift.worst, 4);
	assert_int_equal(res.shift.sum, 1 + 2 + 3 + 4 + 3 + 2 + 1);
	assert_int_equal(res.rp.n, 0);
	assert_int_equal(res.matchings, 0);
	for (uint32_t n = 1; n < 7; n++) { /* some of them, one of each interval */
		res = run(&r, each(n, 0, 0), true);
		assert_int_equal(res.shift.n, n);
		assert_in_range(res.shift.worst, 1, 7);
		assert_in_range(res.shift.max, 1, 4);
		assert_true(res.shift.worst == res.shift.max ||
			res.shift.worst == 8 - res.shift.max);
		assert_in_range(res.shift.sum, n, 16);
	}
	rig_end(&r);
}

/* Seeds count from 1, and the result of a seed does not depend on how many others are tried. */
static void
seeds(void **state)
{
	struct score_result all, some;
	struct rig r;
	uint64_t before = 0;
	uint32_t max = 0, worst = 0, differ = 0;

	(void)state;
	pair_begin(&r, 10, 10);
	all = run(&r, each(0, 40, 40), true);
	for (uint32_t n = 1; n <= 40; n++) {
		uint64_t one;

		some = run(&r, each(0, n, 0), true);
		one = some.rp.sum - before;
		assert_in_range(one, 1, 10);
		differ += one != 5;
		if (one > max) {
			max = (uint32_t)one;
			worst = n;
		}
		assert_int_equal(some.rp.max, max);
		assert_int_equal(some.rp.worst, worst);
		before = some.rp.sum;
	}
	assert_int_equal(all.rp.sum, before);
	assert_in_range(differ, 5, 40); /* the seeds are not all one permutation */
	some = run(&r, each(0, 40, 40), true);
	assert_memory_equal(&all, &some, sizeof(all));
	some = run(&r, each(0, 40, 40), false); /* all paths exist */
	assert_memory_equal(&all, &some, sizeof(all));
	rig_end(&r);
}

static void
backwards(void *arg, stripes_part *part, void *data)
{
	unsigned n = *(const unsigned *)arg;

	for (unsigned i = n; i > 0; i--)
		part(data, i - 1, n);
}

/* Any number of parts, in any order, also more parts than patterns. */
static void
striped(void **state)
{
	struct score_in in = each(9, 17, 5);
	struct score_result one, many;
	struct rig r;

	(void)state;
	pair_begin(&r, 7, 6);
	one = run(&r, in, true);
	for (unsigned n = 2; n <= 40; n += 19) {
		struct stripes parts = { .n = n, .each = backwards, .arg = &n };

		in.stripes = &parts;
		many = run(&r, in, true);
		assert_memory_equal(&one, &many, sizeof(one));
	}
	rig_end(&r);
}

/* Random halves: with one cable between the switches, k pairs in a direction get 1/k each. */
static void
matchings(void **state)
{
	struct score_result res;
	struct rig r;

	(void)state;
	pair_begin(&r, 1, 1);
	res = run(&r, each(0, 0, 1), true);
	assert_int_equal(res.ebb_ppm, 1000000);
	assert_int_equal(res.ebb_error_ppm, 0); /* one matching shows no spread */
	rig_end(&r);
	pair_begin(&r, 2, 1); /* an odd host is left over */
	res = run(&r, each(0, 0, 50), true);
	assert_int_equal(res.ebb_ppm, 1000000);
	rig_end(&r);
	pair_begin(&r, 2, 2); /* two pairs: apart, across in both directions, or in one: 1/2 */
	res = run(&r, each(0, 0, 500), true);
	assert_in_range(res.ebb_ppm, 780000, 880000);
	assert_in_range(res.ebb_error_ppm, 15000, 25000);
	rig_end(&r);
}

/* One host, or none, has nobody to send to. */
static void
nobody(void **state)
{
	static const struct score_result none = { .hosts = 0 };
	struct score_result res;
	struct rig r;

	(void)state;
	for (uint8_t hosts = 0; hosts <= 1; hosts++) {
		pair_begin(&r, hosts, 0);
		res = run(&r, each(9, 9, 9), true);
		assert_memory_equal(&res, &none, sizeof(res));
		rig_end(&r);
	}
	pair_begin(&r, 3, 3);
	res = run(&r, each(0, 0, 0), true);
	assert_memory_equal(&res, &none, sizeof(res));
	rig_end(&r);
}

/* Pairs without a path send nothing and get no bandwidth, whatever the entries say. */
static void
without_paths(void **state)
{
	static const struct { uint8_t at_0, at_1; } bad[] = {
		{ FAB_LFT_DROP, FAB_LFT_DROP }, { 32, 32 }, { 33, 254 }, { 31, 31 }, { 0, 0 },
	};
	struct score_result res;
	struct rig r;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		pair_begin(&r, 3, 3);
		for (uint16_t lid = 1; lid <= r.lids.top; lid++) {
			rig_entry(&r, 0, lid, bad[i].at_0);
			rig_entry(&r, 1, lid, bad[i].at_1);
		}
		res = run(&r, each(5, 20, 20), false);
		assert_int_equal(res.shift.n, 5);
		assert_int_equal(res.shift.max, 0);
		assert_int_equal(res.shift.worst, 0);
		assert_int_equal(res.rp.sum, 0);
		assert_int_equal(res.matchings, 20);
		assert_int_equal(res.ebb_ppm, 0);
		rig_end(&r);
	}
	pair_begin(&r, 3, 3); /* only from the second switch to the first */
	for (uint8_t i = 3; i < 6; i++)
		rig_entry(&r, 0, r.lids.base[small_port(r.s, 2u + i, 1)], FAB_LFT_DROP);
	res = run(&r, each(5, 0, 0), false);
	assert_int_equal(res.shift.max, 3);
	assert_int_equal(res.shift.sum, 1 + 2 + 3 + 2 + 1);
	rig_end(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permutations),
		cmocka_unit_test(shifts),
		cmocka_unit_test(seeds),
		cmocka_unit_test(striped),
		cmocka_unit_test(matchings),
		cmocka_unit_test(nobody),
		cmocka_unit_test(without_paths),
	};

	return cmocka_run_group_tests_name("fabric/score/perms", tests, NULL, NULL);
}
