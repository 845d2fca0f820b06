/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_order.c - cables and switches come and go under a manager: at no time does a packet go in
 * circles.
 *
 * After every single Set, and after every step of packets on their way, each LID is followed from
 * each switch through the tables that the switches hold then.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sim/phys/phys.h"
#include "sm/manager/manager_int.h"
#include "tests/scenario/world.h"
#include "tests/unit/route/made.h"

#define SECOND 1000000
#define LIDS_MAX 256
#define NODES_MAX 128

struct circles {
	uint64_t looks, loops;
	uint64_t sum; /* of all tables when they were looked at last */
};

/* The switch that a packet for 'lid' goes to from switch 'node'; TOPO_NONE: none. */
static uint32_t
next_switch(struct world *w, uint32_t node, uint16_t lid)
{
	const struct hw_node *n = &w->hw->nodes[node];
	uint32_t peer;
	uint8_t port;

	if (lid > n->lft_top || lid >= n->lft_len || !n->lft[lid] || n->lft[lid] > n->nports)
		return TOPO_NONE;
	if (!hw_peer(w->hw, node, n->lft[lid], &peer, &port) ||
		w->hw->nodes[peer].type != TOPO_SWITCH)
		return TOPO_NONE;
	return peer;
}

static bool
goes_in_circles(struct world *w, uint32_t node, uint16_t lid)
{
	for (unsigned hops = 0; hops <= NODES_MAX; hops++) {
		node = next_switch(w, node, lid);
		if (node == TOPO_NONE)
			return false;
	}
	return true;
}

static void
look_for_circles(struct world *w, void *arg)
{
	struct circles *c = arg;
	uint64_t sum = world_tables(w);

	if (sum == c->sum)
		return;
	c->sum = sum;
	c->looks++;
	assert_true(hw_nodes(w->hw) <= NODES_MAX);
	for (uint16_t lid = 1; lid < LIDS_MAX; lid++)
		for (uint32_t node = 0; node < hw_nodes(w->hw); node++)
			if (w->hw->nodes[node].type == TOPO_SWITCH &&
				goes_in_circles(w, node, lid)) {
				c->loops++;
				break;
			}
}

/* Another cable between switches, or another switch without hosts, at random. */
static bool
random_cable(struct world *w, uint32_t *seed, uint32_t *node, uint8_t *port, uint32_t *peer,
	uint8_t *peer_port)
{
	for (unsigned tries = 0; tries < 1000; tries++) {
		*node = made_random(seed) % hw_nodes(w->hw);
		if (w->hw->nodes[*node].type != TOPO_SWITCH)
			continue;
		*port = (uint8_t)(1 + made_random(seed) % w->hw->nodes[*node].nports);
		if (hw_peer(w->hw, *node, *port, peer, peer_port) &&
			w->hw->nodes[*peer].type == TOPO_SWITCH)
			return true;
	}
	return false;
}

static bool
has_hosts(struct world *w, uint32_t node)
{
	uint32_t peer;
	uint8_t port;

	for (unsigned p = 1; p <= w->hw->nodes[node].nports; p++)
		if (hw_peer(w->hw, node, (uint8_t)p, &peer, &port) &&
			w->hw->nodes[peer].type != TOPO_SWITCH)
			return true;
	return false;
}

/* A cable is pulled, then a switch or two more cables go; all come back, in two steps. */
static void
one_day(struct world *w, uint32_t *seed)
{
	uint32_t a[3], b[3], sw;
	uint8_t pa[3], pb[3];
	bool any = false;

	for (unsigned i = 0; i < 3; i++) {
		assert_true(random_cable(w, seed, &a[i], &pa[i], &b[i], &pb[i]));
		assert_int_equal(hw_cable_pull(w->hw, a[i], pa[i], w->now), 0);
		if (i != 1)
			world_run(w, 15 * SECOND);
	}
	sw = made_random(seed) % hw_nodes(w->hw);
	if (w->hw->nodes[sw].type == TOPO_SWITCH && !has_hosts(w, sw)) {
		any = true;
		assert_int_equal(hw_node_power(w->hw, sw, false, w->now), 0);
		world_run(w, 15 * SECOND);
	}
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(hw_cable_plug(w->hw, a[i], pa[i], b[i], pb[i], w->now), 0);
		if (i != 1)
			world_run(w, 15 * SECOND);
	}
	if (any)
		assert_int_equal(hw_node_power(w->hw, sw, true, w->now), 0);
	world_run(w, 30 * SECOND);
}

static void
days(const char *spec, const char *engine, unsigned ndays, const struct hw_faults *f,
	int64_t latency_us)
{
	const char *args[] = { "-R", engine, NULL };
	struct circles c = { 0 };
	struct world_manager *s;
	uint32_t seed = 7;
	struct world w;
	uint64_t first;

	world_init(&w, spec, 1);
	w.look = look_for_circles;
	w.look_arg = &c;
	hw_latency_set(w.hw, latency_us);
	s = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, s, 1, 20 * SECOND));
	first = s->lft_sets;
	if (f)
		hw_faults_set(w.hw, TOPO_NONE, f);
	for (unsigned i = 0; i < ndays; i++)
		one_day(&w, &seed);
	if (f)
		hw_faults_set(w.hw, TOPO_NONE, &(struct hw_faults){ 0 });
	world_run(&w, 60 * SECOND);
	printf("# %s %s: %llu blocks written after the first sweep, %llu states of the "
	       "tables, %llu with a loop\n",
		spec, engine, (unsigned long long)(s->lft_sets - first),
		(unsigned long long)c.looks, (unsigned long long)c.loops);
	assert_true(c.looks > 50);
	assert_true(s->lft_sets > first);
	assert_int_equal(c.loops, 0);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static void
cables_and_switches(void **state)
{
	(void)state;
	days("fattree:k=4,levels=3", "updn", 6, NULL, 0);
	days("fattree:k=4,levels=3", "minhop", 6, NULL, 0);
	days("torus:4x4,hosts=1", "updn", 6, NULL, 0);
	days("random:switches=20,cables=40,hosts=2,seed=3", "updn", 6, NULL, 0);
}

static void
on_a_slow_and_lossy_fabric(void **state)
{
	static const struct hw_faults f = { .drop_ppm = 30000, .dup_ppm = 10000 };

	(void)state;
	days("fattree:k=4,levels=3", "updn", 4, &f, 150);
	days("random:switches=20,cables=40,hosts=2,seed=3", "updn", 4, &f, 150);
}

/* A switch answers no Set of its table: what waits for it is not written, and nothing loops. */
static void
a_switch_does_not_answer(void **state)
{
	static const char *const silent[] = { "sw-3", "sw-7", "sw-11" };
	struct circles c = { 0 };
	struct world_manager *s;
	uint32_t seed = 3;
	struct world w;

	(void)state;
	world_init(&w, "random:switches=20,cables=40,hosts=2,seed=3", 1);
	w.look = look_for_circles;
	w.look_arg = &c;
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 20 * SECOND));
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(
			hw_misbehave(w.hw, world_node(&w, silent[i]), HW_MUTE, LFT_BLOCK_ID, 0), 0);
	one_day(&w, &seed);
	one_day(&w, &seed);
	assert_int_equal(c.loops, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(hw_misbehave(w.hw, world_node(&w, silent[i]), HW_NONE, 0, 0), 0);
	world_run(&w, 300 * SECOND);   /* what stays broken is looked at ever less often */
	assert_int_equal(c.loops, 0);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* What moved, as the next sweep that wrote tables in use counts it. */
static struct score_moves
next_moves(struct world *w, struct world_manager *s)
{
	for (unsigned i = 0; i < 5; i++) {
		assert_true(world_run_sweeps(w, s, 1, 60 * SECOND));
		if (s->m->sweep.last.moves_known)
			return s->m->sweep.last.moves;
	}
	fail_msg("no sweep wrote tables");
	return (struct score_moves){ 0 };
}

/* Status tells of the last sweep that moved paths, also after sweeps that moved none. */
static void
expect_reroute(const struct world *w, const struct world_manager *s, const struct score_moves *want)
{
	json_t *o = manager_status(s->m, w->now), *r = json_object_get(o, "last_reroute");
	json_t *m = json_object_get(r, "moves");

	assert_false(s->m->sweep.last.moves_known);
	assert_true(json_integer_value(json_object_get(r, "number")) > 1);
	assert_true(json_real_value(json_object_get(r, "ended_s_ago")) > 10);
	assert_string_not_equal(json_string_value(json_object_get(r, "reason")), "test");
	assert_int_equal(json_integer_value(json_object_get(m, "broken")), want->broken);
	assert_int_equal(json_integer_value(json_object_get(m, "needless")), want->needless);
	assert_int_equal(json_integer_value(json_object_get(m, "blocks")), want->blocks);
	json_decref(o);
}

/* A loss moves the paths that it broke and no other, and its return moves those back. */
static void
losses_move_what_they_break(void **state)
{
	static const char *const args[] = { "-R", "ftree", NULL };
	struct world_manager *s;
	uint32_t seed = 5, a, b;
	struct world w;
	uint8_t pa, pb;
	json_t *o;

	(void)state;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, s, 1, 20 * SECOND));
	assert_false(s->m->sweep.last.moves_known);
	o = manager_status(s->m, w.now);
	assert_true(json_is_null(json_object_get(o, "last_reroute")));
	json_decref(o);
	world_run(&w, 15 * SECOND);
	for (unsigned i = 0; i < 5; i++) {
		struct score_moves out, back;

		assert_true(random_cable(&w, &seed, &a, &pa, &b, &pb));
		assert_int_equal(hw_cable_pull(w.hw, a, pa, w.now), 0);
		out = next_moves(&w, s);
		world_run(&w, 15 * SECOND);
		assert_int_equal(hw_cable_plug(w.hw, a, pa, b, pb, w.now), 0);
		back = next_moves(&w, s);
		world_run(&w, 15 * SECOND);
		manager_sweep(s->m, "test", w.now);
		assert_true(world_run_sweeps(&w, s, 1, 20 * SECOND));
		expect_reroute(&w, s, &back);
		assert_true(out.broken > 0);
		assert_int_equal(out.needless, 0);
		assert_int_equal(out.lost, 0);
		assert_int_equal(back.broken, 0);
		assert_int_equal(back.needless, out.broken);
		assert_int_equal(back.blocks, out.blocks);
	}
	world_clear(&w);
}

/* After a lost cable the last block is written one drain time (20 ms) after the first ones,
 * whatever part of the tree it was in; also that of the switch of the manager's own port. */
static void
a_lost_cable_takes_one_drain_time(void **state)
{
	static const char *const args[] = { "-R", "ftree", NULL };
	struct world_manager *s;
	unsigned waited = 0;
	uint32_t seed = 11, a, b;
	struct world w;
	uint8_t pa, pb;

	(void)state;
	world_init(&w, "fattree:k=8,levels=3", 1);
	hw_latency_set(w.hw, 50);
	s = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, s, 1, 20 * SECOND));
	world_run(&w, 15 * SECOND);
	for (unsigned i = 0; i < 12; i++) {
		int64_t us;

		assert_true(random_cable(&w, &seed, &a, &pa, &b, &pb));
		assert_int_equal(hw_cable_pull(w.hw, a, pa, w.now), 0);
		next_moves(&w, s);
		us = s->m->sweep.last.apply_us[CHANGE_LFT];
		printf("# %u: %lld us\n", i, (long long)us);
		waited += us >= 20000;
		assert_true(us > 0 && us < 26000);
		world_run(&w, 15 * SECOND);
		assert_int_equal(hw_cable_plug(w.hw, a, pa, b, pb, w.now), 0);
		world_run(&w, 30 * SECOND);
	}
	assert_true(waited > 3);
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cables_and_switches),
		cmocka_unit_test(losses_move_what_they_break),
		cmocka_unit_test(on_a_slow_and_lossy_fabric),
		cmocka_unit_test(a_switch_does_not_answer),
		cmocka_unit_test(a_lost_cable_takes_one_drain_time),
	};

	return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
