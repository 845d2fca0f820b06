/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_masters.c - several managers: takeovers, merges of subnets, masters that stop and go on.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "libmad/mad/dgram.h"
#include "tests/scenario/world.h"

#define SECOND 1000000

static const char *const priority[][3] = { { "-p", "0", NULL }, { "-p", "3", NULL }, { "-p", "5", NULL }, { "-p", "9", NULL } };

static bool
leads(const struct world_manager *s)
{
	enum sweep_outcome o = s->m ? manager_outcome(s->m) : OUTCOME_STANDBY;

	return o == OUTCOME_UP || o == OUTCOME_PARTIAL;
}

static bool
state_is(const struct world *w, const struct world_manager *s, const char *state)
{
	json_t *o = manager_status(s->m, w->now);
	bool is = !strcmp(json_string_value(json_object_get(o, "state")), state);

	json_decref(o);
	return is;
}

static unsigned
masters(const struct world *w)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->nsm; i++)
		n += leads(&w->sm[i]);
	return n;
}

static struct world_manager *
first_master(struct world *w, const char *spec, const char *const *args)
{
	struct world_manager *s;

	world_init(w, spec, 1);
	s = world_manager_start(w, NULL, args);
	assert_true(world_run_sweeps(w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	return s;
}

static void
takeover_changes_nothing(void **arg)
{
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[2]), *b;
	uint64_t tables;

	(void)arg;
	assert_int_equal(a->reregisters, 16);
	b = world_manager_start(&w, "host-12", NULL);
	world_run(&w, 10 * SECOND);
	tables = world_tables(&w);
	world_manager_kill(&w, a);
	world_run(&w, 10 * SECOND);
	assert_true(leads(b));
	assert_true(tables == world_tables(&w));        /* no LID moved, no entry changed, */
	assert_int_equal(b->lft_sets, 0);               /* nothing was written to find that out, */
	assert_int_equal(b->reregisters, 16);           /* and every host was told of its new manager, once */
	manager_sweep(b->m, "test", w.now);
	world_run(&w, 30 * SECOND);
	assert_int_equal(b->reregisters, 16);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* A trap that comes to who is not (or no longer) the master is sent again, to who is, unless it is silenced. */
static void
standbys_silence_no_trap(void **arg)
{
	uint8_t m[256] = { 1, CLASS_SM_LID, 1, METHOD_TRAP };
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[2]), *b;

	(void)arg;
	b = world_manager_start(&w, "host-12", NULL);
	world_run(&w, 5 * SECOND);
	wire_put16(m + 16, NOTICE_ID);
	m[64] = 0x81;
	wire_put16(m + 64 + 4, 128);
	a->represses = b->represses = 0;
	world_inject(&w, a, m, 20);
	world_inject(&w, b, m, 20);
	world_run(&w, SECOND);
	assert_int_equal(a->represses, 1);
	assert_int_equal(b->represses, 0);
	world_clear(&w);
}

/* The better manager is back: it has the subnet within three seconds. */
static void
better_manager_waits_not_long(void **arg)
{
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[0]), *b;

	(void)arg;
	world_run(&w, 5 * SECOND);
	hw_latency_set(w.hw, 10);
	b = world_manager_start(&w, "host-12", priority[3]);
	world_run(&w, 3 * SECOND);
	assert_true(leads(b));
	assert_false(leads(a));
	world_clear(&w);
}

/* Nobody hears the handover: after a while one of the two leads all the same. */
static void
handover_is_lost(void **arg)
{
	struct hw_faults all = { .drop_ppm = 1000000 };
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[0]);

	(void)arg;
	world_run(&w, 5 * SECOND);
	hw_latency_set(w.hw, 100);
	world_manager_start(&w, "host-12", priority[3]);
	for (unsigned i = 0; leads(a) && i < 1000000; i++)
		world_run(&w, 20);
	assert_false(leads(a));
	hw_faults_set(w.hw, world_node(&w, "host-12"), &all);
	world_run(&w, 3 * SECOND);
	hw_faults_set(w.hw, world_node(&w, "host-12"), &(struct hw_faults){ 0 });
	world_run(&w, 30 * SECOND);
	assert_int_equal(masters(&w), 1);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static void
three_managers_two_deaths(void **arg)
{
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[3]), *b, *c;
	uint64_t tables;

	(void)arg;
	b = world_manager_start(&w, "host-6", priority[2]);
	c = world_manager_start(&w, "host-12", priority[1]);
	world_run(&w, 20 * SECOND);
	assert_true(leads(a));
	assert_int_equal(masters(&w), 1);
	tables = world_tables(&w);
	world_manager_kill(&w, a);
	world_run(&w, 20 * SECOND);
	assert_true(leads(b));
	assert_int_equal(masters(&w), 1);
	world_manager_kill(&w, b);
	world_run(&w, 20 * SECOND);
	assert_true(leads(c));
	assert_true(tables == world_tables(&w));
	assert_int_equal(b->lft_sets + c->lft_sets, 0);
	a = world_manager_start(&w, NULL, priority[3]); /* the best comes back and gets the subnet from who has it */
	world_run(&w, 20 * SECOND);
	assert_true(leads(a));
	assert_int_equal(masters(&w), 1);
	assert_int_equal(a->lft_sets, 0);
	assert_true(tables == world_tables(&w));
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static void
started_all_at_once(void **arg)
{
	static const char *const hosts[] = { "host-0", "host-5", "host-10", "host-15" };
	struct world w;

	(void)arg;
	for (unsigned best = 0; best < 4; best++) {
		world_init(&w, "fattree:k=4,levels=3", best + 1);
		hw_latency_set(w.hw, 5);
		for (unsigned i = 0; i < 4; i++)
			world_manager_start(&w, hosts[i], priority[i == best ? 3 : 0]);
		world_run(&w, 30 * SECOND);
		assert_int_equal(masters(&w), 1);
		assert_true(leads(&w.sm[best]));
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

/* The master dies while its standby looks at the subnet of its own accord. */
static void
master_dies_during_the_standbys_sweep(void **arg)
{
	struct world w;
	struct world_manager *a, *b;

	(void)arg;
	for (int64_t after = 0; after < 5000; after += 500) {
		a = first_master(&w, "fattree:k=4,levels=3", priority[2]);
		b = world_manager_start(&w, "host-12", NULL);
		world_run(&w, 5 * SECOND);
		hw_latency_set(w.hw, 200);
		manager_sweep(b->m, "test", w.now);
		world_run(&w, after);
		world_manager_kill(&w, a);
		world_run(&w, 15 * SECOND);
		assert_true(leads(b));
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

struct cut {
	uint32_t a, b;
	uint8_t pa, pb;
};

/* Pulls every cable between two halves of the switches; how many. */
static unsigned
cut_in_two(struct world *w, struct cut *v)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < w->topo.nnodes; i++)
		for (unsigned p = 1; p <= w->topo.nodes[i].nports; p++) {
			uint32_t peer;
			uint8_t port;

			/* "sw-X-Y": X tells the half */
			if (w->topo.nodes[i].desc[3] != '0' || !hw_peer(w->hw, i, (uint8_t)p, &peer, &port) ||
			    w->topo.nodes[i].type != TOPO_SWITCH || w->topo.nodes[peer].type != TOPO_SWITCH ||
			    w->topo.nodes[peer].desc[3] == '0')
				continue;
			v[n++] = (struct cut){ i, peer, (uint8_t)p, port };
			assert_int_equal(hw_cable_pull(w->hw, i, (uint8_t)p, w->now), 0);
		}
	return n;
}

/* Two subnets, numbered alike, each with a master, become one. */
static void
merge(const char *const *left, const char *const *right, bool left_wins)
{
	struct world_manager *a, *b;
	struct cut v[8];
	struct world w;
	unsigned n;

	world_init(&w, "mesh:2x3,hosts=2", 1);
	n = cut_in_two(&w, v);
	assert_int_equal(n, 3);
	a = world_manager_start(&w, "host-0", left);
	b = world_manager_start(&w, "host-6", right);
	world_run(&w, 10 * SECOND);
	assert_int_equal(masters(&w), 2);
	assert_int_equal(world_lid(&w, "host-0", 1), world_lid(&w, "host-6", 1));
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(hw_cable_plug(w.hw, v[i].a, v[i].pa, v[i].b, v[i].pb, w.now), 0);
	world_run(&w, 20 * SECOND);
	assert_int_equal(masters(&w), 1);
	assert_int_equal(leads(a), left_wins);
	assert_int_equal(leads(b), !left_wins);
	assert_true(world_is_right(&w));
	world_manager_kill(&w, left_wins ? a : b);
	world_run(&w, 20 * SECOND);
	assert_int_equal(masters(&w), 1);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

static void
subnets_merge(void **arg)
{
	(void)arg;
	merge(priority[0], priority[0], true);          /* equal priority: the lower GUID */
	merge(priority[2], priority[0], true);
	merge(priority[0], priority[2], false);
}

/* A master that stands still for a while finds another in its place. */
static void
stopped_master_goes_on(const char *const *one, const char *const *other)
{
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", one);
	uint64_t sets;

	world_manager_start(&w, "host-12", other);
	world_run(&w, 5 * SECOND);
	assert_true(leads(a));
	w.frozen[0] = true;
	world_run(&w, 60 * SECOND);
	assert_true(leads(&w.sm[1]));
	sets = a->sets;
	w.frozen[0] = false;
	world_run(&w, 40 * SECOND);
	/* Both say so of themselves no longer than it takes to look. */
	assert_int_equal(masters(&w), 1);
	assert_true(world_is_right(&w));
	if (!leads(a))
		assert_in_range(a->sets - sets, 0, 1);  /* the handover */
	world_clear(&w);
}

static void
stopped_masters(void **arg)
{
	(void)arg;
	stopped_master_goes_on(priority[2], priority[0]);
	stopped_master_goes_on(priority[0], priority[0]);
}

/* In the middle of writing, even. */
static void
master_stopped_while_it_writes(void **arg)
{
	struct world w;
	struct world_manager *a;
	uint64_t sets;

	(void)arg;
	for (int64_t i = 0; i < 10; i++) {
		a = first_master(&w, "fattree:k=4,levels=3", priority[2]);
		world_manager_start(&w, "host-12", priority[1]);
		world_run(&w, 5 * SECOND);
		hw_latency_set(w.hw, 200);
		hw_node_reboot(w.hw, world_node(&w, "agg-1-1"), SECOND / 10, w.now);
		world_run(&w, SECOND / 10);
		for (sets = a->sets; a->sets == sets;)
			world_run(&w, 100);
		world_run(&w, i * 200);
		w.frozen[0] = true;
		sets = a->sets;
		world_run(&w, 30 * SECOND);
		assert_true(leads(&w.sm[1]));
		assert_true(world_is_right(&w));
		w.frozen[0] = false;
		world_run(&w, 1000);
		assert_int_equal(a->sets, sets);        /* first it looks */
		world_run(&w, 40 * SECOND);
		assert_int_equal(masters(&w), 1);
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

/* A standby is made the better one while it stands by. */
static void
priority_raised(void **arg)
{
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[2]), *b;

	(void)arg;
	b = world_manager_start(&w, "host-12", NULL);
	world_run(&w, 5 * SECOND);
	assert_true(leads(a));
	b->conf->sm_priority = 9;
	manager_set_conf(b->m, b->conf, w.now);
	world_run(&w, 30 * SECOND);
	assert_true(leads(b));
	assert_int_equal(masters(&w), 1);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* ---- how long it takes ---- */

enum { KILLED, STOPPED, CUT_OFF, UNPLUGGED, DEATHS };
static const char *const deaths[] = { "killed", "stopped", "cut off", "unplugged" };

static void
die(struct world *w, struct world_manager *a, unsigned how)
{
	switch (how) {
	case KILLED:
		world_manager_kill(w, a);
		break;
	case STOPPED:
		w->frozen[a - w->sm] = true;
		break;
	case CUT_OFF:
		hw_faults_set(w->hw, a->node, &(struct hw_faults){ .drop_ppm = 1000000 });
		break;
	default:
		assert_int_equal(hw_cable_pull(w->hw, a->node, a->port, w->now), 0);
	}
}

/* From the moment of its death; the last answer may be half a second older. */
static void
dead_masters_are_replaced_in_time(void **arg)
{
	(void)arg;
	for (unsigned how = 0; how < DEATHS; how++) {
		int64_t worst_us = 0;

		for (int64_t phase = 0; phase < 500000; phase += 50000) {
			struct world w;
			struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[2]), *b;
			int64_t begin;

			b = world_manager_start(&w, "host-12", NULL);
			world_run(&w, 5 * SECOND + phase);
			hw_latency_set(w.hw, 10);
			die(&w, a, how);
			begin = w.now.us;
			while (!state_is(&w, b, "master") && w.now.us < begin + 30 * SECOND)
				world_run(&w, 5000);
			worst_us = w.now.us - begin > worst_us ? w.now.us - begin : worst_us;
			world_run(&w, 10 * SECOND);
			assert_true(leads(b));
			world_clear(&w);
		}
		printf("# %s: master at most %.2f s after the death\n", deaths[how], (double)worst_us / 1e6);
		assert_true(worst_us <= 2500000);
	}
}

/* With 10 % lost each way, a living master is never replaced: an hour here, a day with HEDDLE_TEST_HOURS=24. */
static void
no_false_takeover(void **arg)
{
	const char *hours = getenv("HEDDLE_TEST_HOURS");
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=2", priority[2]), *b;
	unsigned sweeps;

	(void)arg;
	b = world_manager_start(&w, "host-7", NULL);
	world_run(&w, 5 * SECOND);
	sweeps = manager_sweeps(b->m);
	hw_latency_set(w.hw, 100);
	hw_faults_set(w.hw, TOPO_NONE, &(struct hw_faults){ .drop_ppm = 100000 });
	for (unsigned minute = 0; minute < 60u * (hours ? (unsigned)atoi(hours) : 1u); minute++) {
		world_run(&w, 60 * SECOND);
		assert_false(state_is(&w, b, "master"));
		assert_true(state_is(&w, a, "master"));
	}
	printf("# the standby looked %u times\n", manager_sweeps(b->m) - sweeps);
	assert_int_equal(manager_sweeps(b->m), sweeps);
	world_clear(&w);
}

/* The best manager crashes twenty seconds after each start, for half an hour. */
static void
crash_loop(void **arg)
{
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[3]), *b;
	unsigned lost = 0;
	bool led = false;

	(void)arg;
	b = world_manager_start(&w, "host-12", priority[0]);
	world_run(&w, 5 * SECOND);
	for (unsigned i = 0; i < 60; i++) {
		for (unsigned s = 0; s < 20; s++) {
			world_run(&w, SECOND);
			lost += led && !leads(b);
			led = leads(b);
		}
		world_manager_kill(&w, a);
		world_run(&w, 10 * SECOND);
		led = leads(b);
		assert_true(led);
		a = world_manager_start(&w, NULL, priority[3]);
	}
	printf("# in half an hour the lead went back %u times\n", lost);
	assert_in_range(lost, 0, 2);
	world_run(&w, 20 * 60 * SECOND);        /* it lives on: then it leads */
	assert_true(leads(a));
	assert_int_equal(masters(&w), 1);
	world_clear(&w);
}

/* ---- standbys ---- */

static json_t *
status_of(const struct world *w, const struct world_manager *s, const char *key)
{
	json_t *o = manager_status(s->m, w->now), *v = json_incref(json_object_get(o, key));

	json_decref(o);
	return v;
}

static unsigned
standbys(const struct world *w, const struct world_manager *s, bool alive)
{
	json_t *v = status_of(w, s, "standbys");
	unsigned n = 0;

	for (size_t i = 0; i < json_array_size(v); i++)
		n += json_is_true(json_object_get(json_array_get(v, i), "alive")) == alive;
	json_decref(v);
	return n;
}

/* The master notices that a standby is gone, killed or stopped, and that it is back. */
static void
standby_is_missed(void **arg)
{
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[2]), *b;

	(void)arg;
	world_manager_start(&w, "host-6", NULL);
	b = world_manager_start(&w, "host-12", NULL);
	world_run(&w, 12 * SECOND);
	assert_int_equal(standbys(&w, a, true), 2);
	w.frozen[1] = true;
	world_run(&w, 15 * SECOND);
	assert_int_equal(standbys(&w, a, true), 1);
	assert_int_equal(standbys(&w, a, false), 1);
	w.frozen[1] = false;
	world_run(&w, 15 * SECOND);
	assert_int_equal(standbys(&w, a, true), 2);
	world_manager_kill(&w, b);
	world_run(&w, 2 * SECOND);              /* its port says that no manager is there any more */
	assert_int_equal(standbys(&w, a, true), 1);
	assert_int_equal(standbys(&w, a, false), 1);
	world_clear(&w);
}

/* A standby that its master disabled comes back when the master dies; nobody else can disable it. */
static void
disabled_standby(void **arg)
{
	struct world w;
	struct world_manager *a = first_master(&w, "fattree:k=4,levels=3", priority[2]), *b;
	json_t *by;

	(void)arg;
	b = world_manager_start(&w, "host-12", NULL);
	world_run(&w, 5 * SECOND);
	for (uint32_t mod = 1; mod <= 5; mod++) {
		world_sm_info_set(&w, b, "host-9", mod);
		world_run(&w, SECOND);
		assert_true(state_is(&w, b, "standby"));
	}
	world_sm_info_set(&w, b, "host-0", 3);
	world_run(&w, SECOND);
	assert_true(state_is(&w, b, "not_active"));
	by = status_of(&w, b, "disabled_by");
	assert_true(json_is_string(by));
	json_decref(by);
	world_run(&w, 20 * SECOND);
	assert_true(state_is(&w, b, "not_active"));
	world_manager_kill(&w, a);
	world_run(&w, 5 * SECOND);
	assert_true(leads(b));
	assert_true(world_is_right(&w));
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(takeover_changes_nothing),
		cmocka_unit_test(standbys_silence_no_trap),
		cmocka_unit_test(better_manager_waits_not_long),
		cmocka_unit_test(handover_is_lost),
		cmocka_unit_test(three_managers_two_deaths),
		cmocka_unit_test(started_all_at_once),
		cmocka_unit_test(master_dies_during_the_standbys_sweep),
		cmocka_unit_test(subnets_merge),
		cmocka_unit_test(stopped_masters),
		cmocka_unit_test(master_stopped_while_it_writes),
		cmocka_unit_test(priority_raised),
		cmocka_unit_test(dead_masters_are_replaced_in_time), cmocka_unit_test(no_false_takeover), cmocka_unit_test(crash_loop),
		cmocka_unit_test(standby_is_missed), cmocka_unit_test(disabled_standby),
	};

	return cmocka_run_group_tests_name("masters", tests, NULL, NULL);
}
