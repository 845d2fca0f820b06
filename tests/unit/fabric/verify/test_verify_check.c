/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_check.c - every seeded fault is seen, and nothing else; judged by a second, plain
 * verifier.
 */
#include <config.h>
#include "fabric/snapshot/walk.h"
#include "tests/unit/fabric/verify/routed.h"
#include "tests/unit/route/naive.h"

static struct verify_result v;

/* Both scopes, both verifiers. True when scope 'all' accepts. */
static bool
judge(void)
{
	bool ok = false;

	for (int all = 0; all < 2; all++) {
		struct naive n = naive_check(rt.s, &rt.lids, &rt.f, all);

		verify_tables(rt.s, &rt.lids, &rt.f, all ? VERIFY_ALL : VERIFY_HOSTS, &v);
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
	return &rt.s->nodes[rt.s->switches[sw]];
}

/* The ordinal of the switch behind a port, FAB_NONE. */
static uint32_t
behind(uint32_t sw, uint8_t port)
{
	uint32_t peer = port &&
		port <= sw_node(sw)->nports ? rt.s->ports[sw_node(sw)->first_port + port].peer :
			FAB_NONE;

	return peer == FAB_NONE ? FAB_NONE : rt.s->nodes[rt.s->ports[peer].node].sw;
}

static bool
is_leaf(uint32_t sw)
{
	for (unsigned p = 1; p <= sw_node(sw)->nports; p++)
		if (rt.s->ports[sw_node(sw)->first_port + p].peer != FAB_NONE && behind(sw,
			(uint8_t)p) == FAB_NONE)
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
		routed_make(specs[i]);
		routed_run("updn", &rt.f);
		assert_true(judge());
		for (uint32_t sw = 0; sw < rt.f.nswitches; sw++)
			for (uint16_t lid = 1; lid <= rt.lids.top; lid++) {
				uint8_t *e = &fwd_row(&rt.f, sw)[lid], was = *e;

				for (unsigned port = 0; port <= sw_node(sw)->nports + 2u; port++) {
					*e = port == sw_node(sw)->nports + 2u ? 255 : (uint8_t)port;
					if (*e == was)
						continue;
					judge();
					/* What does not lead to a switch is wrong there for sure. */
					if (behind(sw, *e) == FAB_NONE && is_leaf(sw)) {
						assert_false(v.ok);
						assert_int_equal(v.lost[0].switch_node,
							rt.s->switches[sw]);
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
		routed_make(specs[i / 2]);
		routed_run(i % 2 ? "minhop" : "updn", &rt.f);
		for (unsigned turn = 0; turn < 60; turn++) {
			size_t size = (size_t)rt.f.stride * rt.f.nswitches;
			uint8_t *kept = malloc(size);

			memcpy(kept, rt.f.port, size);
			for (unsigned k = made_random(&rnd) % 6; k > 0; k--) {
				uint32_t sw = made_random(&rnd) % rt.f.nswitches;
				uint32_t lid = 1 + made_random(&rnd) % rt.lids.top;

				fwd_row(&rt.f,
					sw)[lid] = (uint8_t)(made_random(&rnd) % (sw_node(sw)->nports + 1u));
			}
			judge();
			memcpy(rt.f.port, kept, size);
			free(kept);
		}
	}
}

/* minhop on a tree: fine for hosts; from every switch its turns close cycles. */
static void
scopes_differ(void **state)
{
	(void)state;
	routed_make("fattree:k=4,levels=3");
	routed_run("minhop", &rt.f);
	verify_tables(rt.s, &rt.lids, &rt.f, VERIFY_HOSTS, &v);
	assert_true(v.ok);
	assert_int_equal(v.walks, 8 * 36);
	verify_tables(rt.s, &rt.lids, &rt.f, VERIFY_ALL, &v);
	assert_false(v.ok);
	assert_true(v.credit_loops > 0);
	assert_int_equal(v.walks, 20 * 36);
	assert_int_equal(v.channels, 64);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(every_entry, routed_teardown),
		cmocka_unit_test_teardown(random_faults, routed_teardown),
		cmocka_unit_test_teardown(scopes_differ, routed_teardown),
	};

	return cmocka_run_group_tests_name("fabric/verify check", tests, routed_setup,
		routed_group_teardown);
}
