/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_events.c - a storm of events out of a seed; when it is over, everything is as it must be.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sim/phys/phys.h"
#include "tests/scenario/world.h"

#define SECOND 1000000
#define CABLES_MAX 256

struct cable {
	uint32_t a, b;
	uint8_t pa, pb;
	bool out;
};

struct storm {
	struct world w;
	struct world_manager *s;
	struct cable cables[CABLES_MAX];
	unsigned ncables;
	uint64_t random;
};

static uint32_t
dice(struct storm *t, uint32_t n)
{
	t->random = t->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(t->random >> 33) % n;
}

static void
storm_begin(struct storm *t, const char *spec, uint64_t seed)
{
	memset(t, 0, sizeof(*t));
	t->random = seed;
	world_init(&t->w, spec, seed);
	for (uint32_t i = 0; i < t->w.topo.nnodes; i++)
		for (unsigned p = 1; p <= t->w.topo.nodes[i].nports; p++) {
			const struct topo_port *port = topo_port(&t->w.topo, i, (uint8_t)p);

			if (port->peer_node != TOPO_NONE && port->peer_node > i)
				t->cables[t->ncables++] = (struct cable){ i, port->peer_node, (uint8_t)p, port->peer_port, false };
		}
	t->s = world_manager_start(&t->w, "host-0", NULL);
	assert_true(world_run_sweeps(&t->w, t->s, 1, 10 * SECOND));
}

static bool
is_own(const struct storm *t, uint32_t node)
{
	return node == t->s->node || node == hw_port(t->w.hw, t->s->node, 1)->node;
}

static void
move_cable(struct storm *t)
{
	struct cable *c = &t->cables[dice(t, t->ncables)];

	if (c->out)
		assert_int_equal(hw_cable_plug(t->w.hw, c->a, c->pa, c->b, c->pb, t->w.now), 0);
	else
		assert_int_equal(hw_cable_pull(t->w.hw, c->a, c->pa, t->w.now), 0);
	c->out = !c->out;
}

static void
event(struct storm *t)
{
	uint32_t node = dice(t, hw_nodes(t->w.hw));

	switch (dice(t, 8)) {
	case 0:
		if (!is_own(t, node))
			hw_node_power(t->w.hw, node, dice(t, 2), t->w.now);
		break;
	case 1:
		if (!is_own(t, node))
			hw_node_reboot(t->w.hw, node, dice(t, 3 * SECOND), t->w.now);
		break;
	default:
		move_cable(t);
	}
}

/* Everything that is there hangs together again: else there is no one subnet to be judged. */
static void
repair(struct storm *t)
{
	for (unsigned i = 0; i < t->ncables; i++) {
		struct cable *c = &t->cables[i];

		if (c->out && dice(t, 4))
			continue;               /* some stay out, where the rest is tied together without them: */
		if (c->out)
			assert_int_equal(hw_cable_plug(t->w.hw, c->a, c->pa, c->b, c->pb, t->w.now), 0);
		c->out = false;
	}
	for (uint32_t i = 0; i < hw_nodes(t->w.hw); i++)
		hw_node_power(t->w.hw, i, true, t->w.now);
}

/* Whether every switch and host is reached over cables that are in. */
static bool
in_one_piece(const struct storm *t)
{
	bool seen[512] = { false };
	unsigned n = 1;

	assert_in_range(hw_nodes(t->w.hw), 1, 512);
	seen[t->s->node] = true;
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = 0; i < t->ncables; i++) {
			const struct cable *c = &t->cables[i];

			if (c->out || seen[c->a] == seen[c->b])
				continue;
			seen[c->a] = seen[c->b] = more = true;
			n++;
		}
	}
	return n == hw_nodes(t->w.hw);
}

static void
storm(const char *spec, uint64_t seed, unsigned events)
{
	static struct storm t;

	storm_begin(&t, spec, seed);
	for (unsigned i = 0; i < events; i++) {
		event(&t);
		/* Some in the middle of a sweep, some with time to settle between. */
		hw_latency_set(t.w.hw, dice(&t, 3) ? 0 : 100);
		world_run(&t.w, dice(&t, 2) ? dice(&t, 20000) : dice(&t, 2 * SECOND));
		if (i % 50 == 49) {
			repair(&t);
			while (!in_one_piece(&t))
				repair(&t);
			hw_latency_set(t.w.hw, 0);
			world_run(&t.w, 40 * SECOND);
			assert_int_equal(manager_outcome(t.s->m), OUTCOME_UP);
			assert_true(world_is_right(&t.w));
		}
	}
	printf("# %u sweeps, %llu requests\n", manager_sweeps(t.s->m), (unsigned long long)t.s->smps);
	world_clear(&t.w);
}

static void
storms_on_a_tree(void **arg)
{
	(void)arg;
	for (uint64_t seed = 1; seed <= 8; seed++)
		storm("fattree:k=4,levels=3", seed, 200);
}

static void
storms_elsewhere(void **arg)
{
	(void)arg;
	storm("torus:4x4,hosts=1", 11, 150);
	storm("dragonfly:a=4,h=1,p=1", 12, 150);
	storm("random:switches=16,cables=40,hosts=2,seed=5", 13, 150);
	storm("hypercube:d=3,hosts=2", 14, 150);
}

static unsigned
masters(const struct world *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->nsm; i++)
		n += w->sm[i].m && manager_outcome(w->sm[i].m) != OUTCOME_STANDBY;
	return n;
}

/* A manager dies, one comes back, one stands still for a while: of three, on hosts 0, 5 and 10. */
static void
manager_event(struct storm *t, struct world_manager **sm)
{
	static const char *const hosts[] = { "host-0", "host-5", "host-10" };
	static const char *const priority[][3] = { { "-p", "1", NULL }, { "-p", "1", NULL }, { "-p", "4", NULL } };
	unsigned i = dice(t, 3);

	if (!sm[i] || !sm[i]->m) {
		if (t->w.nsm < WORLD_MANAGERS_MAX - 3)
			sm[i] = world_manager_start(&t->w, hosts[i], priority[i]);
	} else if (dice(t, 2)) {
		world_manager_kill(&t->w, sm[i]);
	} else {
		t->w.frozen[sm[i] - t->w.sm] = true;
		world_run(&t->w, dice(t, 15 * SECOND));
		t->w.frozen[sm[i] - t->w.sm] = false;
	}
}

static void
storm_of_managers(uint64_t seed)
{
	static struct storm t;
	struct world_manager *sm[3] = { NULL };

	storm_begin(&t, "fattree:k=4,levels=3", seed);
	sm[0] = t.s;
	for (unsigned i = 0; i < 60; i++) {
		manager_event(&t, sm);
		event(&t);
		hw_latency_set(t.w.hw, dice(&t, 3) ? 0 : 100);
		world_run(&t.w, dice(&t, 2) ? dice(&t, 20000) : dice(&t, 10 * SECOND));
		if (i % 15 != 14)
			continue;
		repair(&t);
		while (!in_one_piece(&t))
			repair(&t);
		hw_latency_set(t.w.hw, 0);
		if (!sm[1] || !sm[1]->m)
			sm[1] = world_manager_start(&t.w, "host-5", NULL);
		world_run(&t.w, 60 * SECOND);
		assert_int_equal(masters(&t.w), 1);
		assert_true(world_is_right(&t.w));
	}
	world_clear(&t.w);
}

static void
storms_with_managers(void **arg)
{
	(void)arg;
	for (uint64_t seed = 1; seed <= 12; seed++)
		storm_of_managers(seed);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(storms_on_a_tree),
		cmocka_unit_test(storms_elsewhere),
		cmocka_unit_test(storms_with_managers),
	};

	return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
