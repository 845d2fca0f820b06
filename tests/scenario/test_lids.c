/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lids.c - who gets which LIDs: several for a port, kept over restarts, on adapters and routers with many ports; ends that
 * differ in what they can do.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/wire/wire.h"
#include "sim/phys/phys.h"
#include "tests/scenario/world.h"
#include "tests/scenario/registers.h"
#include "util/xalloc.h"

#define SECOND 1000000

static struct world_manager *
up(struct world *w, const char *const *args, const struct world_store *store)
{
	struct world_manager *s = world_manager_start_with(w, NULL, args, store);

	assert_true(world_run_sweeps(w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_UP);
	assert_true(world_is_right(w));
	return s;
}

/* The judge follows every LID of every port from every host. */
static void
many_lids(const char *spec, const char *lmc)
{
	const char *args[] = { "-l", lmc, NULL };
	struct hw_verdict v;
	unsigned hosts = 0;
	struct world w;

	world_init(&w, spec, 1);
	up(&w, args, NULL);
	for (uint32_t i = 0; i < w.hw->nnodes; i++) {
		const struct hw_port *p = hw_port(w.hw, i, w.hw->nodes[i].type == TOPO_SWITCH ? 0 : 1);
		unsigned want = w.hw->nodes[i].type == TOPO_SWITCH ? 0 : (unsigned)(*lmc - '0');

		assert_int_equal(p->info[PI_LMC] & 7, want);
		assert_int_equal(wire_get16(p->info + PI_LID) & ((1u << want) - 1), 0);
		hosts += want > 0;
	}
	hw_check(w.hw, true, &v);
	assert_int_equal(v.walks, hosts * ((uint64_t)hosts << (*lmc - '0')) + hosts * (uint64_t)v.switches);
	world_clear(&w);
}

static void
several_lids_for_a_port(void **arg)
{
	(void)arg;
	many_lids("fattree:k=4,levels=3", "1");
	many_lids("fattree:k=4,levels=3", "3");
	many_lids("torus:3x3x3,hosts=1", "2");
	many_lids("torus:3x3,hosts=2", "1");
	many_lids("random:switches=12,cables=24,hosts=2,seed=3", "3");
}

static void
another_lmc_on_a_living_fabric(void **arg)
{
	static const char *const lmc[][3] = { { "-l", "0", NULL }, { "-l", "2", NULL }, { "-l", "1", NULL }, { "-l", "0", NULL } };
	struct world_manager *s = NULL;
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	for (unsigned i = 0; i < 4; i++) {
		s = up(&w, lmc[i], s ? &s->store : NULL);
		world_run(&w, 3 * SECOND);
		world_manager_kill(&w, s);
	}
	world_clear(&w);
}

static void
swap_hosts(struct world *w, const char *a, const char *b)
{
	uint32_t host[2] = { world_node(w, a), world_node(w, b) }, leaf[2];
	uint8_t port[2];

	for (unsigned i = 0; i < 2; i++) {
		assert_true(hw_peer(w->hw, host[i], 1, &leaf[i], &port[i]));
		assert_int_equal(hw_cable_pull(w->hw, host[i], 1, w->now), 0);
	}
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(hw_cable_plug(w->hw, host[i], 1, leaf[1 - i], port[1 - i], w->now), 0);
	world_run(w, SECOND / 10);
}

static void
same_lids(const struct world *a, const struct world *b)
{
	for (uint32_t i = 0; i < a->hw->nports; i++)
		assert_memory_equal(a->hw->ports[i].info + PI_LID, b->hw->ports[i].info + PI_LID, 2);
}

/* All power was off, hosts have changed places: everybody gets the LID it had. */
static void
stored_lids_follow_their_ports(void **arg)
{
	static const char *const lmc[] = { "-l", "1", NULL };
	struct world w, later;
	struct world_manager *s;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = up(&w, lmc, NULL);
	assert_int_equal(s->store.n, 36);
	world_init(&later, "fattree:k=4,levels=3", 2);
	swap_hosts(&later, "host-3", "host-12");
	swap_hosts(&later, "host-7", "host-8");
	assert_int_equal(hw_node_power(later.hw, world_node(&later, "host-5"), false, later.now), 0);
	assert_int_equal(hw_node_power(later.hw, world_node(&later, "core-0-1"), false, later.now), 0);
	s = up(&later, lmc, &s->store);
	assert_int_equal(s->store.n, 0);                /* nothing new to keep */
	/* Those that were away find theirs free. */
	assert_int_equal(hw_node_power(later.hw, world_node(&later, "host-5"), true, later.now), 0);
	assert_int_equal(hw_node_power(later.hw, world_node(&later, "core-0-1"), true, later.now), 0);
	world_run(&later, 20 * SECOND);
	assert_true(world_is_right(&later));
	same_lids(&w, &later);
	world_clear(&w);
	world_clear(&later);
}

/* The subnet is living, its manager new, its store lost: what ports hold, they keep. */
static void
held_lids_are_kept(void **arg)
{
	struct world_manager *s;
	struct world w;
	uint64_t tables;

	(void)arg;
	world_init(&w, "torus:3x3,hosts=2", 1);
	s = up(&w, NULL, NULL);
	world_manager_kill(&w, s);
	tables = world_tables(&w);
	s = world_manager_start(&w, "host-11", NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	assert_int_equal(s->lft_sets, 0);
	assert_true(tables == world_tables(&w));
	world_run(&w, 20 * SECOND);
	assert_true(world_is_right(&w));
	world_clear(&w);
}

/* Our own LID is another's as well: it moves, and every port learns the new one. */
static void
own_lid_moves(void **arg)
{
	struct world_store store = { .rows = NULL };
	struct world_manager *s;
	struct world w;
	uint16_t lid;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = up(&w, NULL, NULL);
	world_run(&w, 3 * SECOND);
	world_manager_kill(&w, s);
	store.n = s->store.n;
	store.rows = xmemdup(s->store.rows, store.n * sizeof(*store.rows));
	/* The port we run on shows a LID in force that is stored for host-15; its own row says 700. */
	wire_put16(hw_port(w.hw, world_node(&w, "host-0"), 1)->info + PI_LID, world_lid(&w, "host-15", 1));
	for (uint32_t i = 0; i < store.n; i++)
		if (store.rows[i].port_guid == w.hw->ports[w.hw->nodes[world_node(&w, "host-0")].first_port + 1].guid)
			store.rows[i].base_lid = 700;
	s = up(&w, NULL, &store);
	assert_int_equal(world_lid(&w, "host-0", 1), 700);
	lid = 700;
	for (uint32_t i = 0; i < w.hw->nports; i++) {
		const struct hw_port *p = &w.hw->ports[i];

		if (w.hw->nodes[p->node].type == TOPO_SWITCH ? p->num == 0 : p->num == 1)
			assert_int_equal(wire_get16(p->info + PI_SMLID), lid);
	}
	world_run(&w, 30 * SECOND);
	assert_true(world_is_right(&w));
	free(store.rows);
	world_clear(&w);
}

static void
too_many_lids(void **arg)
{
	static const char *const args[] = { "-l", "7", NULL };
	struct world_manager *s;
	struct world w;
	json_t *o;
	char *text;

	(void)arg;
	world_init(&w, "fattree:k=12,levels=3", 1);     /* 432 hosts of 128 LIDs */
	s = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(s->m), OUTCOME_REFUSED);
	assert_int_equal(manager_exit_status(s->m), 1);
	assert_int_equal(s->sets, 0);
	o = manager_report(s->m, w.now);
	text = json_dumps(json_object_get(o, "errors"), JSON_INDENT(1));
	printf("# %s\n", json_string_value(json_object_get(json_array_get(json_object_get(o, "errors"), 0), "message")));
	assert_non_null(strstr(text, "55476"));         /* 432 * 128 + 180 */
	assert_non_null(strstr(text, "49151"));
	free(text);
	json_decref(o);
	world_clear(&w);
}

/* Adapters with two ports on two switches or one of them, a router, an unplugged port, switches with parallel cables. */
static const char fabric_text[] =
	"switchguid=0xa00(a00)\n"
	"Switch 8 \"S-0000000000000a00\" # \"left\" base port 0 lid 0 lmc 0\n"
	"[1] \"H-0000000000000100\"[1](101)\n"
	"[2] \"H-0000000000000200\"[1](201)\n"
	"[3] \"H-0000000000000200\"[2](202)\n"
	"[4] \"R-0000000000000300\"[1](301)\n"
	"[5] \"H-0000000000000400\"[1](401)\n"
	"[7] \"S-0000000000000b00\"[7]\n"
	"[8] \"S-0000000000000b00\"[8]\n"
	"\n"
	"switchguid=0xb00(b00)\n"
	"Switch 8 \"S-0000000000000b00\" # \"right\" base port 0 lid 0 lmc 0\n"
	"[1] \"H-0000000000000100\"[2](102)\n"
	"[2] \"H-0000000000000500\"[2](502)\n"
	"[4] \"R-0000000000000300\"[2](302)\n"
	"[7] \"S-0000000000000a00\"[7]\n"
	"[8] \"S-0000000000000a00\"[8]\n"
	"\n"
	"caguid=0x100\n"
	"Ca 2 \"H-0000000000000100\" # \"dual\"\n"
	"[1](101) \"S-0000000000000a00\"[1]\n"
	"[2](102) \"S-0000000000000b00\"[1]\n"
	"\n"
	"caguid=0x200\n"
	"Ca 2 \"H-0000000000000200\" # \"both-on-one\"\n"
	"[1](201) \"S-0000000000000a00\"[2]\n"
	"[2](202) \"S-0000000000000a00\"[3]\n"
	"\n"
	"caguid=0x400\n"
	"Ca 1 \"H-0000000000000400\" # \"single\"\n"
	"[1](401) \"S-0000000000000a00\"[5]\n"
	"\n"
	"caguid=0x500\n"
	"Ca 4 \"H-0000000000000500\" # \"second-port-only\"\n"
	"[2](502) \"S-0000000000000b00\"[2]\n"
	"\n"
	"rtguid=0x300\n"
	"Rt 2 \"R-0000000000000300\" # \"router\"\n"
	"[1](301) \"S-0000000000000a00\"[4]\n"
	"[2](302) \"S-0000000000000b00\"[4]\n";

static void
adapters_with_many_ports(void **arg)
{
	static const char *const lmc[] = { "-l", "1", NULL };
	struct hw_verdict v;
	struct world w;

	(void)arg;
	for (unsigned i = 0; i < 2; i++) {
		world_init_text(&w, fabric_text);
		up(&w, i ? lmc : NULL, NULL);
		hw_check(w.hw, true, &v);
		assert_int_equal(v.hosts, 8);
		assert_int_equal(v.active, 2 * 10);
		assert_int_not_equal(world_lid(&w, "dual", 1), world_lid(&w, "dual", 2));
		assert_int_equal(world_lid(&w, "second-port-only", 1), 0);
		/* The adapter we run on loses its other port; then somebody else loses both. */
		assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "dual"), 2, w.now), 0);
		world_run(&w, 20 * SECOND);
		assert_true(world_is_right(&w));
		assert_int_equal(hw_node_power(w.hw, world_node(&w, "both-on-one"), false, w.now), 0);
		world_run(&w, 20 * SECOND);
		assert_true(world_is_right(&w));
		assert_int_equal(hw_node_power(w.hw, world_node(&w, "both-on-one"), true, w.now), 0);
		world_run(&w, 20 * SECOND);
		assert_true(world_is_right(&w));
		world_clear(&w);
	}
}

/* No switch at all: a cable between two adapters. */
static void
back_to_back(void **arg)
{
	static const char text[] =
		"caguid=0x100\n"
		"Ca 2 \"H-0000000000000100\" # \"one\"\n"
		"[1](101) \"H-0000000000000200\"[2](202)\n"
		"\n"
		"caguid=0x200\n"
		"Ca 2 \"H-0000000000000200\" # \"other\"\n"
		"[2](202) \"H-0000000000000100\"[1](101)\n";
	struct world_manager *s;
	struct world w;
	json_t *o;

	(void)arg;
	world_init_text(&w, text);
	s = up(&w, NULL, NULL);
	world_run(&w, 40 * SECOND);
	assert_true(world_is_right(&w));
	assert_int_equal(manager_trace(s->m, "one", "other", &o), 0);
	assert_true(json_is_true(json_object_get(o, "reached")));
	json_decref(o);
	o = manager_status(s->m, w.now);
	assert_string_equal(json_string_value(json_object_get(o, "engine")), "none");
	json_decref(o);
	world_clear(&w);
}

static void
give(struct world *w, const char *name, uint8_t port, uint8_t mtu_cap, uint8_t vl_cap)
{
	struct hw_port *p = hw_port(w->hw, world_node(w, name), port);
	struct port_info pi = port_info_decode(p->info);

	pi.mtu_cap = mtu_cap;
	pi.neighbor_mtu = mtu_cap;
	pi.vl_cap = vl_cap;
	pi.operational_vls = vl_cap;
	port_info_encode(p->info, &pi);
}

/* Both ends of a cable agree on what the lesser of them can. */
static void
ends_that_differ(void **arg)
{
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	give(&w, "host-3", 1, 2, 1);
	give(&w, "host-9", 1, 4, 2);
	give(&w, "agg-1-0", 3, 1, 3);
	give(&w, "core-0-0", 2, 3, 1);
	up(&w, NULL, NULL);
	for (uint32_t i = 0; i < w.hw->nports; i++) {
		const struct hw_link *l = &w.hw->links[i];
		struct port_info a, b;

		if (l->node == HW_NOWHERE || !w.hw->ports[i].num)
			continue;
		a = port_info_decode(w.hw->ports[i].info);
		b = port_info_decode(hw_port(w.hw, l->node, l->port)->info);
		assert_int_equal(a.neighbor_mtu, a.mtu_cap < b.mtu_cap ? a.mtu_cap : b.mtu_cap);
		assert_int_equal(a.operational_vls, a.vl_cap < b.vl_cap ? a.vl_cap : b.vl_cap);
	}
	world_clear(&w);
}

/* Somebody has left other partitions in a port's table: the default key comes first, the others stay. */
static void
other_partitions(void **arg)
{
	struct world_manager *s;
	struct world w;
	uint16_t *t, sets;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	t = pkey_writable(w.hw, world_node(&w, "host-3"), 1);
	t[0] = 0x8001;
	t[1] = 0x7fff;
	t[2] = 0x0002;
	t = pkey_writable(w.hw, world_node(&w, "leaf-1-1"), 0);
	t[0] = 0;
	s = up(&w, NULL, NULL);
	t = pkey_writable(w.hw, world_node(&w, "host-3"), 1);
	assert_int_equal(t[0], 0xffff);
	assert_int_equal(t[2], 0x0002);
	assert_true(t[1] == 0x8001 || t[3] == 0x8001);
	assert_int_equal(pkey_writable(w.hw, world_node(&w, "leaf-1-1"), 0)[0], 0xffff);
	world_run(&w, 3 * SECOND);
	sets = (uint16_t)s->sets;
	manager_sweep(s->m, "test", w.now);
	world_run(&w, SECOND);
	assert_int_equal((uint16_t)s->sets, sets);
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_lids_for_a_port),
		cmocka_unit_test(another_lmc_on_a_living_fabric),
		cmocka_unit_test(stored_lids_follow_their_ports),
		cmocka_unit_test(held_lids_are_kept),
		cmocka_unit_test(own_lid_moves),
		cmocka_unit_test(too_many_lids),
		cmocka_unit_test(adapters_with_many_ports),
		cmocka_unit_test(back_to_back),
		cmocka_unit_test(ends_that_differ),
		cmocka_unit_test(other_partitions),
	};

	return cmocka_run_group_tests_name("lids", tests, NULL, NULL);
}
