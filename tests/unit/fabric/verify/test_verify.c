/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify.c - every seeded fault is seen, and nothing else; judged by a second, plain verifier.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/verify/verify.h"
#include "fabric/snapshot/walk.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/naive.h"

static struct snapshot *s;
static struct arena arena;
static struct lid_map lids;
static struct fwd_tables f;
static struct verify_result v;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

static void
make(const char *spec, const char *engine)
{
	struct lid_conf lc = { 0 };
	struct lid_report lr;
	struct route_report r;
	struct route_in in;
	char why[200];

	teardown(NULL);
	s = made_snapshot(spec, NULL);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	in = (struct route_in){ .snapshot = s, .lids = &lids };
	assert_int_equal(route_find(engine, why, sizeof(why))->run(&in, &arena, &f, &r), ROUTE_OK);
}

/* Both scopes, both verifiers. True when scope 'all' accepts. */
static bool
judge(void)
{
	bool ok = false;

	for (int all = 0; all < 2; all++) {
		struct naive n = naive_check(s, &lids, &f, all);

		verify_tables(s, &lids, &f, all ? VERIFY_ALL : VERIFY_HOSTS, &v);
		assert_int_equal(v.unreachable, n.lost_host);
		assert_int_equal(v.unreachable_switch, n.lost_switch);
		assert_int_equal(v.loops, n.looping_lids);
		assert_int_equal(v.credit_loops > 0, n.cyclic);
		assert_int_equal(v.dependencies, n.turns);
		assert_int_equal(v.ok, !n.lost_host && !n.looping_lids && !n.cyclic);
		assert_int_equal(v.nlost > 0, n.lost_host + n.lost_switch > 0);
		ok = v.ok;
	}
	return ok;
}

static const struct fab_node *
sw_node(uint32_t sw)
{
	return &s->nodes[s->switches[sw]];
}

/* The ordinal of the switch behind a port, FAB_NONE. */
static uint32_t
behind(uint32_t sw, uint8_t port)
{
	uint32_t peer = port && port <= sw_node(sw)->nports ? s->ports[sw_node(sw)->first_port + port].peer : FAB_NONE;

	return peer == FAB_NONE ? FAB_NONE : s->nodes[s->ports[peer].node].sw;
}

static bool
is_leaf(uint32_t sw)
{
	for (unsigned p = 1; p <= sw_node(sw)->nports; p++)
		if (s->ports[sw_node(sw)->first_port + p].peer != FAB_NONE && behind(sw, (uint8_t)p) == FAB_NONE)
			return true;
	return false;
}

/* Every single wrong entry of a small ring, mesh and tree: all values, all places. */
static void
every_entry(void **state)
{
	static const char *const specs[] = { "torus:5,hosts=1,radix=4", "mesh:2x3,hosts=1,radix=6",
		"fattree:k=4,levels=2" };
	unsigned cyclic_only = 0, loops = 0, wrong_exits = 0;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		make(specs[i], "updn");
		assert_true(judge());
		for (uint32_t sw = 0; sw < f.nswitches; sw++)
			for (uint16_t lid = 1; lid <= lids.top; lid++) {
				uint8_t *e = &fwd_row(&f, sw)[lid], was = *e;

				for (unsigned port = 0; port <= sw_node(sw)->nports + 2u; port++) {
					*e = port == sw_node(sw)->nports + 2u ? 255 : (uint8_t)port;
					if (*e == was)
						continue;
					judge();
					/* What does not lead to a switch is wrong there for sure. */
					if (behind(sw, *e) == FAB_NONE && is_leaf(sw)) {
						assert_false(v.ok);
						assert_int_equal(v.lost[0].switch_node, s->switches[sw]);
						assert_int_equal(v.lost[0].lid, lid);
						assert_int_equal(v.lost[0].port, *e);
						wrong_exits += v.lost[0].why == WALK_WRONG_PORT;
					}
					loops += v.loops > 0;
					cyclic_only += v.credit_loops && !v.loops && !v.unreachable;
				}
				*e = was;
			}
		assert_true(judge());
	}
	assert_true(wrong_exits > 0);
	assert_true(loops > 0);
	assert_true(cyclic_only > 0);
}

/* Several faults at once, on larger fabrics and tables of both engines. */
static void
random_faults(void **state)
{
	static const char *const specs[] = { "fattree:k=6,levels=3", "torus:4x4,hosts=2",
		"random:switches=20,cables=40,hosts=2,seed=5" };
	uint32_t rnd = 99;

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		make(specs[i / 2], i % 2 ? "minhop" : "updn");
		for (unsigned turn = 0; turn < 60; turn++) {
			size_t size = (size_t)f.stride * f.nswitches;
			uint8_t *kept = malloc(size);

			memcpy(kept, f.port, size);
			for (unsigned k = made_random(&rnd) % 6; k > 0; k--) {
				uint32_t sw = made_random(&rnd) % f.nswitches;
				uint32_t lid = 1 + made_random(&rnd) % lids.top;

				fwd_row(&f, sw)[lid] = (uint8_t)(made_random(&rnd) % (sw_node(sw)->nports + 1u));
			}
			judge();
			memcpy(f.port, kept, size);
			free(kept);
		}
	}
}

static void
short_and_empty_tables(void **state)
{
	(void)state;
	make("fattree:k=4,levels=2", "updn");
	f.top = 5;
	judge();
	assert_true(v.unreachable > 0);
	f.top = lids.top;
	for (uint32_t lid = 0; lid <= lids.top; lid++)
		lids.owner[lid] = FAB_NONE;
	verify_tables(s, &lids, &f, VERIFY_ALL, &v);
	assert_true(v.ok);
	assert_int_equal(v.walks, 0);
}

/* Each edge of the cycle shown must be real: its LID comes in by one channel and leaves by the next. */
static void
check_cycle(bool whole)
{
	assert_in_range(v.ncycle, 2, VERIFY_CYCLE_MAX);
	for (unsigned i = 0; i < v.ncycle; i++) {
		const struct fab_port *in = &s->ports[v.cycle[i]];
		const struct fab_port *from = &s->ports[in->peer];
		uint16_t lid = v.cycle_lid[i];
		uint8_t out;

		assert_int_not_equal(lid, 0);
		assert_int_equal(fwd_row(&f, s->nodes[from->node].sw)[lid], from->num);
		out = fwd_row(&f, s->nodes[in->node].sw)[lid];
		if (i + 1 < v.ncycle || whole)
			assert_int_equal(s->ports[s->nodes[in->node].first_port + out].peer,
				v.cycle[(i + 1) % v.ncycle]);
	}
}

static void
cycles_are_real(void **state)
{
	(void)state;
	make("torus:8,hosts=1", "minhop");
	for (int all = 0; all < 2; all++) {
		verify_tables(s, &lids, &f, all ? VERIFY_ALL : VERIFY_HOSTS, &v);
		assert_int_equal(v.credit_loops, 2);
		assert_int_equal(v.ncycle, 8);
		check_cycle(true);
	}
	make("torus:4x4x4,hosts=1", "minhop");
	verify_tables(s, &lids, &f, VERIFY_HOSTS, &v);
	check_cycle(true);
	make("torus:150,hosts=1", "minhop");    /* longer than there is room for */
	verify_tables(s, &lids, &f, VERIFY_HOSTS, &v);
	assert_int_equal(v.ncycle, VERIFY_CYCLE_MAX);
	check_cycle(false);
}

/* minhop on a tree: fine for hosts; from every switch its turns close cycles. */
static void
scopes_differ(void **state)
{
	(void)state;
	make("fattree:k=4,levels=3", "minhop");
	verify_tables(s, &lids, &f, VERIFY_HOSTS, &v);
	assert_true(v.ok);
	assert_int_equal(v.walks, 8 * 36);
	verify_tables(s, &lids, &f, VERIFY_ALL, &v);
	assert_false(v.ok);
	assert_true(v.credit_loops > 0);
	assert_int_equal(v.walks, 20 * 36);
	assert_int_equal(v.channels, 64);
}

static void
json(void **state)
{
	json_t *j;

	(void)state;
	make("torus:8,hosts=1", "minhop");
	fwd_row(&f, 0)[3] = 255;
	verify_tables(s, &lids, &f, VERIFY_HOSTS, &v);
	j = verify_to_json(s, &v);
	assert_non_null(j);
	assert_false(json_is_true(json_object_get(j, "ok")));
	assert_string_equal(json_string_value(json_object_get(j, "scope")), "hosts");
	assert_int_equal(json_integer_value(json_object_get(j, "unreachable")), v.unreachable);
	assert_int_equal(json_integer_value(json_object_get(j, "credit_loops")), v.credit_loops);
	assert_int_equal(json_array_size(json_object_get(j, "lost")), v.nlost);
	assert_int_equal(json_array_size(json_object_get(j, "cycle")), v.ncycle);
	json_decref(j);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_entry, teardown),
		cmocka_unit_test_teardown(random_faults, teardown),
		cmocka_unit_test_teardown(short_and_empty_tables, teardown),
		cmocka_unit_test_teardown(cycles_are_real, teardown),
		cmocka_unit_test_teardown(scopes_differ, teardown),
		cmocka_unit_test_teardown(json, teardown),
	};

	return cmocka_run_group_tests_name("fabric/verify", tests, NULL, NULL);
}
