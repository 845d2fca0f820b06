/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_lanes.c - tables with lanes: judged by a second, plain check, on random fabrics with
 * random lane plans.
 */
#include <config.h>
#include "tests/unit/fabric/verify/naive_lanes.h"
#include "tests/unit/fabric/verify/routed.h"

static void
random_lanes(void **state)
{
	unsigned cyclic = 0, by_lanes = 0, by_replies = 0, looping = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 600; seed++) {
		struct verify_result v;
		bool was;

		routed_make_random(seed);
		routed_run(seed % 4 ? "minhop" : "updn", &rt.f);
		if (seed % 7 == 0)
			routed_spoil(&rt.f, 3);
		verify_tables(rt.s, &rt.lids, &rt.f, VERIFY_HOSTS, &v);
		was = v.credit_loops;
		rt.f.lanes = routed_plan();
		if (routed_judge(NULL)) {
			struct naive_lanes n = {
				.s = rt.s, .l = &rt.lids, .f = { &rt.f }, .ntables = 1,
					.no_replies = true
			};

			naive_lanes_check(&n);
			cyclic++;
			by_replies += !n.cyclic;
		} else {
			by_lanes += was;
		}
		verify_tables(rt.s, &rt.lids, &rt.f, VERIFY_HOSTS, &v);
		looping += v.loops > 0;
	}
	assert_in_range(cyclic, 20, 500);
	assert_true(by_lanes > 10); /* the lanes break the cycle */
	assert_true(by_replies > 2); /* the replies alone close it */
	assert_true(looping > 5);
}

/* A ring with all packets on one SL; then with a second SL for paths that cross a dateline. */
static void
dateline(void **state)
{
	struct lane_plan *p;
	struct verify_result v;
	uint32_t n;

	(void)state;
	routed_make("torus:7,hosts=1,radix=4");
	routed_run("minhop", &rt.f);
	n = rt.s->nswitches;
	p = arena_alloc(&rt.arena, sizeof(*p));
	*p = (struct lane_plan){ .nvls = 2, .sls = 3, .nswitches = n, .nclasses = 1 };
	p->vl[0][0][1] = 1;
	p->sl = arena_array(&rt.arena, n, n);
	rt.f.lanes = p;
	assert_true(routed_judge(NULL));
	v = routed_verified(NULL, VERIFY_HOSTS);
	assert_int_equal(v.vls, 2);
	assert_int_equal(v.channels, 2 * 14);
	assert_int_equal(v.cycle_vl[0], 0);
	/* SL 1: the path crosses the link between the last and the first switch of the ring */
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++) {
			uint32_t sw = a;
			bool crosses = false;

			while (sw != b) {
				uint16_t lid = rt.lids.base[rt.s->nodes[rt.s->switches[b]].first_port];
				uint32_t out =
					rt.s->nodes[rt.s->switches[sw]].first_port + fwd_row(&rt.f,
						sw)[lid];
				uint32_t to = rt.s->nodes[rt.s->ports[rt.s->ports[out].peer].node].sw;

				crosses |= (sw == 0 && to == n - 1) || (sw == n - 1 && to == 0);
				sw = to;
			}
			p->sl[a * n + b] = crosses;
		}
	assert_false(routed_judge(NULL));
}

static void
expect_fault(const struct lane_plan *p, uint8_t vls, const char *text)
{
	struct verify_in in = {
		.snapshot = rt.s, .lids = &rt.lids, .tables = &rt.f, .scope = VERIFY_HOSTS,
			.vls = vls
	};
	struct verify_result v;

	rt.f.lanes = p;
	verify_check(&in, &v);
	assert_false(v.ok);
	assert_non_null(strstr(v.lanes, text));
	rt.f.lanes = NULL;
	verify_change(&in, &rt.f, &v);
	assert_true(v.ok);
	rt.old = rt.f;
	rt.old.lanes = p;
	verify_change(&in, &rt.old, &v);
	assert_non_null(strstr(v.lanes, "old tables"));
}

static void
plans_that_are_not_valid(void **state)
{
	struct lane_plan ok, p;
	struct verify_result v;

	(void)state;
	routed_make("fattree:k=4,levels=2");
	routed_run("updn", &rt.f);
	ok = (struct lane_plan){ .nvls = 2,
		.sls = 5,
		.nswitches = rt.s->nswitches,
		.nclasses = 2,
		.port_class = arena_alloc(&rt.arena, rt.s->nports),
		.sl = arena_array(&rt.arena, rt.s->nswitches, rt.s->nswitches) };
	rt.f.lanes = &ok;
	v = routed_verified(NULL, VERIFY_ALL);
	assert_true(v.ok);
	p = ok;
	p.nvls = 0;
	expect_fault(&p, 0, "0 VLs");
	p = ok;
	p.nvls = 16;
	expect_fault(&p, 0, "16 VLs");
	expect_fault(&ok, 1, "needs 2 VLs, the links have 1");
	p = ok;
	p.sls = 0;
	expect_fault(&p, 0, "no SL");
	p = ok;
	p.nclasses = 17;
	expect_fault(&p, 0, "17 classes");
	p = ok;
	p.nswitches++;
	expect_fault(&p, 0, "switches");
	p = ok;
	p.vl[1][0][2] = 2;
	expect_fault(&p, 0, "SL 2 to VL 2");
	p = ok;
	p.vl[1][0][1] = 9; /* an SL that is not in use */
	rt.f.lanes = &p;
	assert_true(routed_verified(NULL, VERIFY_ALL).ok);
	ok.sl[1] = 1;
	expect_fault(&ok, 0, "SL 1");
	ok.sl[1] = 0;
	ok.port_class[rt.s->nodes[rt.s->switches[0]].first_port + 1] = 2;
	expect_fault(&ok, 0, "class 2");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(random_lanes, routed_teardown),
		cmocka_unit_test_teardown(dateline, routed_teardown),
		cmocka_unit_test_teardown(plans_that_are_not_valid, routed_teardown),
	};

	return cmocka_run_group_tests_name("fabric/verify lanes", tests, routed_setup,
		routed_group_teardown);
}
