/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_keys.c - subnets whose ports are protected by an M_Key.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "libmad/mad/dgram.h"
#include "libmad/wire/wire.h"
#include "sim/phys/phys.h"
#include "tests/scenario/world.h"
#include "tests/scenario/registers.h"

#define SECOND 1000000
#define KEY UINT64_C(0x1122334455667788)

static struct world_manager *
start(struct world *w, uint64_t key, uint32_t lease_s)
{
	struct world_manager *s = world_manager_start(w, NULL, NULL);

	s->conf->m_key = key;
	s->conf->m_key_lease_period_s = lease_s;
	return s;
}

static struct world_manager *
up(struct world *w, uint32_t lease_s)
{
	struct world_manager *s;

	world_init(w, "fattree:k=4,levels=3", 1);
	s = start(w, KEY, lease_s);
	assert_true(world_run_sweeps(w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	world_run(w, 5 * SECOND);
	assert_true(world_is_right(w));
	return s;
}

/* All end ports hold the key at this level. */
static bool
protected(const struct world *w, unsigned level)
{
	for (uint32_t i = 0; i < w->hw->nports; i++) {
		const struct hw_port *p = &w->hw->ports[i];
		bool end = w->hw->nodes[p->node].type == TOPO_SWITCH ? p->num == 0 : p->num > 0;

		if (end && (wire_get64(p->info + PI_MKEY) != KEY || p->info[PI_LMC] >> 6 != level))
			return false;
	}
	return true;
}

static void
keys_are_given_and_used(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, 0);
	uint64_t sets = s->sets;

	(void)arg;
	assert_true(protected(&w, 1));
	manager_sweep(s->m, "test", w.now);
	world_run(&w, SECOND);
	assert_int_equal(s->sets, sets);                        /* the key is seen to be there */
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	world_manager_kill(&w, s);
	s = start(&w, KEY, 0);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_int_equal(s->lft_sets, 0);
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	world_clear(&w);
}

/* A port wants to see its key before it stops sending a trap. */
static void
traps_end(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, 0);
	uint64_t traps;
	unsigned sweeps;

	(void)arg;
	assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "agg-1-0"), 3, w.now), 0);
	world_run(&w, 6 * SECOND);
	assert_true(world_is_right(&w));
	traps = hw_stats(w.hw)->traps;
	sweeps = manager_sweeps(s->m);
	world_run(&w, 10 * SECOND);
	assert_int_equal(hw_stats(w.hw)->traps, traps);
	assert_int_equal(manager_sweeps(s->m), sweeps);
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	world_clear(&w);
}

/* Somebody without the key tries: the lease runs, and is stopped by us before it ends. */
static void
lease_is_renewed(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, 30);
	struct hw_packet p = { .slid = LID_PERMISSIVE, .dlid = LID_PERMISSIVE };
	static const uint8_t path[1];
	struct dgram_smp smp = { .method = METHOD_SET, .attr_id = PORT_INFO_ID, .modifier = 1, .tid = 7, .path = path };

	(void)arg;
	s->conf->sweep_interval_s = 45;         /* as often as needed all the same */
	manager_sweep(s->m, "test", w.now);
	world_run(&w, SECOND);
	for (unsigned i = 0; i < 3; i++) {
		/* The trap that tells of it is lost: its repress would renew the lease as well. */
		hw_faults_set(w.hw, world_node(&w, "host-9"), &(struct hw_faults){ .drop_ppm = 1000000 });
		dgram_smp_make(p.mad, &smp);
		assert_int_equal(hw_send(w.hw, world_node(&w, "host-9"), 1, &p, w.now), 0);
		world_run(&w, 14 * SECOND);
		hw_faults_set(w.hw, world_node(&w, "host-9"), &(struct hw_faults){ 0 });
		world_run(&w, 26 * SECOND);
		assert_true(protected(&w, 1));
	}
	assert_true(hw_stats(w.hw)->dropped_mkey >= 3);
	world_run(&w, 120 * SECOND);
	assert_true(protected(&w, 1));
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* Whoever protected them before us let nobody even read: with the key we may. */
static void
protected_from_reading(void **arg)
{
	struct world w;
	struct world_manager *s;

	(void)arg;
	for (unsigned level = 2; level <= 3; level++) {
		s = up(&w, 0);
		world_manager_kill(&w, s);
		for (uint32_t i = 0; i < w.hw->nports; i++)
			w.hw->ports[i].info[PI_LMC] = (uint8_t)((w.hw->ports[i].info[PI_LMC] & 0x3f) | level << 6);
		s = start(&w, KEY, 0);
		assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
		assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
		assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

/* Without the key nothing can be written: every node is named, and it is soon over. */
static void
wrong_key(void **arg)
{
	struct world w;
	struct world_manager *s = up(&w, 0);
	uint64_t tables = world_tables(&w);

	(void)arg;
	world_manager_kill(&w, s);
	s = start(&w, KEY + 1, 0);
	assert_true(world_run_sweeps(&w, s, 1, 30 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_PARTIAL);
	assert_int_equal(manager_exit_status(s->m), 3);
	assert_true(tables == world_tables(&w));
	world_clear(&w);
}

/* Two managers that share the key. */
static void
takeover(void **arg)
{
	struct world w;
	struct world_manager *a = up(&w, 0), *b;

	(void)arg;
	b = world_manager_start(&w, "host-12", NULL);
	b->conf->m_key = KEY;
	world_run(&w, 5 * SECOND);
	assert_int_equal(manager_outcome(b->m), OUTCOME_STANDBY);
	world_manager_kill(&w, a);
	world_run(&w, 15 * SECOND);
	assert_int_equal(manager_outcome(b->m), OUTCOME_UP);
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* ---- keys by default ---- */

static struct world_manager *
up_by_default(struct world *w)
{
	struct world_manager *s;

	world_init(w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(w, NULL, NULL);
	assert_true(world_run_sweeps(w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	world_run(w, 5 * SECOND);
	assert_true(world_is_right(w));
	return s;
}

static bool
is_end_port(const struct world *w, const struct hw_port *p)
{
	return w->hw->nodes[p->node].type == TOPO_SWITCH ? p->num == 0 : p->num > 0;
}

/* End ports that hold the key that is theirs by default, at this level and with this lease. */
static unsigned
ports_with_own_key(const struct world *w, unsigned level, unsigned lease_s)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < w->hw->nports; i++) {
		const struct hw_port *p = &w->hw->ports[i];

		n += is_end_port(w, p) && wire_get64(p->info + PI_MKEY) == world_mkey(p->guid) && p->info[PI_LMC] >> 6 == level &&
			wire_get16(p->info + PI_LEASE) == lease_s;
	}
	return n;
}

static unsigned
ports_without_key(const struct world *w)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < w->hw->nports; i++) {
		const struct hw_port *p = &w->hw->ports[i];

		n += is_end_port(w, p) && !wire_get64(p->info + PI_MKEY) && !(p->info[PI_LMC] >> 6) && !wire_get16(p->info + PI_LEASE);
	}
	return n;
}

static json_int_t
keys_number(const struct world *w, const struct world_manager *s, const char *key)
{
	json_t *o = manager_status(s->m, w->now);
	json_int_t n = json_integer_value(json_object_get(json_object_get(o, "keys"), key));

	json_decref(o);
	return n;
}

static bool
keys_word_is(const struct world *w, const struct world_manager *s, const char *key, const char *word)
{
	json_t *o = manager_status(s->m, w->now);
	bool is = !strcmp(json_string_value(json_object_get(json_object_get(o, "keys"), key)), word);

	json_decref(o);
	return is;
}

enum { END_PORTS = 36 };                /* of a fat tree of k=4 with three levels: 16 hosts, 20 switches */

static void
protected_by_default(void **arg)
{
	struct world w;
	struct world_manager *s = up_by_default(&w);

	(void)arg;
	assert_int_equal(ports_with_own_key(&w, 1, 60), END_PORTS);
	assert_int_equal(keys_number(&w, s, "protected"), END_PORTS);
	assert_int_equal(keys_number(&w, s, "unprotected") + keys_number(&w, s, "foreign"), 0);
	assert_true(keys_word_is(&w, s, "m_key", "per port"));
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	world_clear(&w);
}

/* A host that sends a trap is shown its own key, which it has, and no other. */
static void
repress_shows_no_other_key(void **arg)
{
	struct world w;
	struct world_manager *s = up_by_default(&w);
	uint8_t mad[DGRAM_BYTES] = { 1, CLASS_SM_LID, 1, METHOD_TRAP };
	struct notice n = { .is_generic = 1, .type = 4, .producer_type = 1, .trap_number = 144, .issuer_lid = world_lid(&w, "host-3", 1) };
	uint16_t from = world_lid(&w, "host-9", 1);
	struct dgram d;
	int timeout_ms;
	bool repressed = false;

	(void)arg;
	wire_put16(mad + 16, NOTICE_ID);
	notice_encode(mad + 64, &n);
	world_inject(&w, s, mad, from);
	while (manager_next_send(s->m, &d, &timeout_ms, w.now))
		if (dgram_method(d.mad) == METHOD_TRAP_REPRESS) {
			repressed = true;
			assert_int_equal(d.addr.lid, from);
			assert_true(dgram_mkey(d.mad) == world_mkey(hw_port(w.hw, world_node(&w, "host-9"), 1)->guid));
		}
	assert_true(repressed);
	world_clear(&w);
}

/* Without a heavy sweep, every port hears from us three times in a lease; one that has lost its key gets it back. */
static void
light_sweeps_renew(void **arg)
{
	struct world w;
	struct world_manager *s = up_by_default(&w);
	uint32_t host = world_node(&w, "host-9");
	struct hw_packet p = { .slid = LID_PERMISSIVE, .dlid = LID_PERMISSIVE };
	static const uint8_t path[1];
	struct dgram_smp smp = { .method = METHOD_SET, .attr_id = PORT_INFO_ID, .modifier = 1, .tid = 7, .path = path };
	uint64_t node_infos = s->node_infos;

	(void)arg;
	hw_faults_set(w.hw, host, &(struct hw_faults){ .drop_ppm = 1000000 });  /* the trap is lost, and so its repress */
	dgram_smp_make(p.mad, &smp);
	assert_int_equal(hw_send(w.hw, host, 1, &p, w.now), 0);
	world_run(&w, SECOND / 100);
	hw_faults_set(w.hw, host, &(struct hw_faults){ 0 });
	assert_true(hw_port(w.hw, host, 1)->lease_until_us != 0);
	world_run(&w, 30 * SECOND);
	assert_true(hw_port(w.hw, host, 1)->lease_until_us == 0);
	assert_int_equal(s->node_infos, node_infos);
	assert_int_equal(ports_with_own_key(&w, 1, 60), END_PORTS);
	wire_put64(hw_port(w.hw, host, 1)->info + PI_MKEY, 0);  /* somebody who had it took it away */
	world_run(&w, 30 * SECOND);
	assert_int_equal(ports_with_own_key(&w, 1, 60), END_PORTS);
	world_clear(&w);
}

/* The secret is lost, and with it all keys: the leases end, ports show their keys, and are ours again. */
static void
secret_is_lost(void **arg)
{
	struct world w;
	struct world_manager *s = up_by_default(&w);
	uint64_t tables = world_tables(&w);
	int64_t begin;

	(void)arg;
	world_manager_kill(&w, s);
	for (uint32_t i = 0; i < w.hw->nports; i++)
		if (is_end_port(&w, &w.hw->ports[i]))
			wire_put64(w.hw->ports[i].info + PI_MKEY, 0x5ec4e7000 + i);
	s = world_manager_start_with(&w, "host-12", NULL, NULL);
	begin = w.now.us;
	assert_true(world_run_sweeps(&w, s, 1, 30 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_PARTIAL);
	assert_in_range(keys_number(&w, s, "foreign"), 1, END_PORTS);
	while (ports_with_own_key(&w, 1, 60) != END_PORTS && w.now.us < begin + 600 * SECOND)
		world_run(&w, SECOND);
	printf("# all ports are ours after %.0f s\n", (double)(w.now.us - begin) / 1e6);
	assert_int_equal(ports_with_own_key(&w, 1, 60), END_PORTS);
	assert_true(tables == world_tables(&w));
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* Every port is given back, and a manager that knows no key of ours takes over; later we do, without waiting for anything. */
static void
released(void **arg)
{
	static const char *const other[] = { "--set", "m_key=0", "--set", "sm_key=0x77", "-R", "minhop", NULL };
	struct world w;
	struct world_manager *a = up_by_default(&w), *b;
	uint64_t tables = world_tables(&w);

	(void)arg;
	b = world_manager_start(&w, "host-12", other);
	world_run(&w, 5 * SECOND);
	assert_int_equal(manager_outcome(b->m), OUTCOME_STANDBY);
	manager_sweep(a->m, "test", w.now);
	manager_release(a->m, w.now);           /* also while a sweep with keys is about to begin */
	world_run(&w, SECOND);
	assert_true(keys_word_is(&w, a, "released", "done"));
	assert_int_equal(ports_without_key(&w), END_PORTS);
	world_run(&w, 10 * SECOND);
	assert_int_equal(manager_outcome(b->m), OUTCOME_UP);
	assert_int_equal(ports_without_key(&w), END_PORTS);
	assert_int_equal(hw_stats(w.hw)->dropped_mkey, 0);
	assert_true(tables == world_tables(&w));                /* it moves nothing */
	manager_topology_adopt(b->m, w.now);
	world_run(&w, 10 * SECOND);
	assert_true(tables != world_tables(&w));                /* it routes in its own way, */
	world_run(&w, 60 * SECOND);
	assert_int_equal(manager_outcome(b->m), OUTCOME_UP);    /* the released one does not come back by itself */
	world_manager_kill(&w, b);
	manager_resume(a->m, w.now);
	world_run(&w, 10 * SECOND);
	assert_int_equal(manager_outcome(a->m), OUTCOME_UP);
	assert_int_equal(ports_with_own_key(&w, 1, 60), END_PORTS);
	assert_true(tables != world_tables(&w));                /* which the first one sees when it is back */
	manager_topology_rebalance(a->m, w.now);
	world_run(&w, 10 * SECOND);
	assert_true(tables == world_tables(&w));
	world_clear(&w);
}

/* One that stands by writes nothing. */
static void
standby_released(void **arg)
{
	struct world w;
	struct world_manager *a = up_by_default(&w), *b = world_manager_start(&w, "host-12", NULL);

	(void)arg;
	world_run(&w, 5 * SECOND);
	manager_release(b->m, w.now);
	world_run(&w, SECOND);
	assert_true(keys_word_is(&w, b, "released", "done"));
	assert_int_equal(b->sets, 0);
	assert_int_equal(ports_with_own_key(&w, 1, 60), END_PORTS);
	world_manager_kill(&w, a);
	world_run(&w, 20 * SECOND);
	assert_true(manager_outcome(b->m) != OUTCOME_UP);
	manager_resume(b->m, w.now);
	world_run(&w, 5 * SECOND);
	assert_int_equal(manager_outcome(b->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_given_and_used),
		cmocka_unit_test(traps_end),
		cmocka_unit_test(lease_is_renewed),
		cmocka_unit_test(protected_from_reading),
		cmocka_unit_test(wrong_key),
		cmocka_unit_test(takeover),
		cmocka_unit_test(protected_by_default), cmocka_unit_test(repress_shows_no_other_key), cmocka_unit_test(light_sweeps_renew),
		cmocka_unit_test(secret_is_lost), cmocka_unit_test(released), cmocka_unit_test(standby_released),
	};

	return cmocka_run_group_tests_name("keys", tests, NULL, NULL);
}
