/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_prefs.c - preferences of the configuration: each changes what it names and nothing else, and
 * whatever is preferred, the tables pass the verifier.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/conf/routing/lines.h"
#include "sm/route/minhop.h"
#include "sm/route/nue/nue.h"
#include "sm/route/model/prefs.h"
#include "sm/route/tree/tree_engines.h"
#include "sm/route/weights/weights_engines.h"
#include "tests/unit/route/modelled.h"
#include "util/xalloc.h"

#define LINES_MAX 400

static struct modelled x;
static struct route_conf conf;
static struct routing_line line[4][LINES_MAX];
static struct routing_lines lines[4];
static uint32_t numbers[4][LINES_MAX][8];
static uint8_t *saved;

static int
teardown(void **state)
{
	(void)state;
	modelled_clear(&x);
	conf = (struct route_conf){ .nroots = 0 };
	memset(lines, 0, sizeof(lines));
	free(saved);
	saved = NULL;
	return 0;
}

/* Adds a line to the option of that form, which it turns on. */
static void
put(enum routing_form form, uint64_t guid, unsigned n, const uint32_t *v)
{
	const struct routing_lines **in[] = { &conf.order, &conf.ids, &conf.weights, &conf.ports };
	struct routing_lines *t = &lines[form];

	assert_true(t->n < LINES_MAX && n <= 8);
	if (n)
		memcpy(numbers[form][t->n], v, n * sizeof(*v));
	line[form][t->n] = (struct routing_line){ guid, t->n + 1, n, numbers[form][t->n] };
	t->n++;
	t->line = line[form];
	*in[form] = t;
}
#define PUT(form, guid, ...) \
	put(form, guid, sizeof((uint32_t[]){ __VA_ARGS__ }) / 4, (uint32_t[]){ __VA_ARGS__ })

static uint64_t
switch_guid(uint32_t sw)
{
	return x.s->nodes[x.s->switches[sw]].guid;
}

/* The n-th host by LID, and its port GUID. */
static uint16_t
host_lid(uint32_t n)
{
	for (uint16_t lid = 1; lid <= x.lids.top; lid++) {
		uint32_t port = x.lids.owner[lid];

		if (port != FAB_NONE && !fab_is_switch(&x.s->nodes[x.s->ports[port].node]) &&
			n-- == 0)
			return lid;
	}
	fail_msg("no such host");
	return 0;
}

static uint64_t
host_guid(uint32_t n)
{
	return x.s->ports[x.lids.owner[host_lid(n)]].guid;
}

static uint32_t
switch_of(uint16_t lid)
{
	return x.s->nodes[x.s->ports[x.s->ports[x.lids.owner[lid]].peer].node].sw;
}

static void
route(modelled_engine *run)
{
	x.in.conf = &conf;
	assert_int_equal(modelled_route(&x, run, VERIFY_HOSTS), ROUTE_OK);
	assert_true(x.v.ok || run == minhop_run || run == sssp_run);
	assert_int_equal(x.v.unreachable + x.v.loops, 0);
}

static uint8_t
port_of(uint32_t sw, uint16_t lid)
{
	return fwd_row(&x.f, sw)[lid];
}

/* A leaf that the host is not at. */
static uint32_t
other_leaf(uint16_t lid)
{
	uint32_t sw = switch_of(lid);

	for (uint32_t n = 0;; n++)
		if (switch_of(host_lid(n)) != sw)
			return switch_of(host_lid(n));
}

/* k = 8, two levels: leaves have hosts at ports 1 to 4 and spines at ports 5 to 8. */
static void
make_tree(void)
{
	teardown(NULL);
	modelled_plan(&x, "fattree:k=8,levels=2", NULL, 0);
}

static void
save(void)
{
	free(saved);
	saved = xmemdup(x.f.port, (size_t)x.f.stride * x.f.nswitches);
}

static bool
is_as_saved(void)
{
	return memcmp(saved, x.f.port, (size_t)x.f.stride * x.f.nswitches) == 0;
}

/* The hosts that are listed take the first ports, in their order. */
static void
order_of_destinations(void **state)
{
	static modelled_engine *const engines[] = { minhop_run, updn_run, dnup_run };

	(void)state;
	for (unsigned e = 0; e < 3; e++) {
		static const uint32_t first[] = { 7, 2, 9, 5 };

		make_tree();
		route(engines[e]);
		save();
		for (unsigned i = 0; i < 4; i++)
			put(ROUTING_ORDER, host_guid(first[i]), 0, NULL);
		put(ROUTING_ORDER, 0x123456789, 0, NULL); /* of nobody */
		put(ROUTING_ORDER, host_guid(7), 0, NULL); /* again */
		route(engines[e]);
		if (is_as_saved())
			fail_msg("engine %s takes no notice", x.r.engine);
		for (uint32_t sw = 0; sw < x.s->nswitches; sw++) {
			uint8_t port[4];
			bool same = false, leaf = false;

			for (unsigned i = 0; i < 4; i++) {
				uint16_t lid = host_lid(first[i]);

				port[i] = port_of(sw, lid);
				same |= switch_of(lid) == sw;
			}
			for (uint32_t n = 0; n < 32; n++)
				leaf |= switch_of(host_lid(n)) == sw;
			if (!leaf || same)
				continue;
			for (unsigned i = 0; i < 3; i++) /* each the next spine */
				assert_int_equal(port[i + 1], port[i] + 1);
		}
	}
}

/* With LMC, all LIDs of a listed host come first. */
static void
order_with_lmc(void **state)
{
	uint16_t lid;
	uint32_t sw;
	unsigned seen = 0;

	(void)state;
	teardown(NULL);
	modelled_plan(&x, "fattree:k=8,levels=2", NULL, 2);
	lid = x.lids.base[x.lids.owner[host_lid(40)]];
	sw = other_leaf(lid);
	put(ROUTING_ORDER, x.s->ports[x.lids.owner[lid]].guid, 0, NULL);
	route(minhop_run);
	for (unsigned i = 0; i < 4; i++)
		seen |= 1u << port_of(sw, (uint16_t)(lid + i));
	assert_int_equal(port_of(sw, lid), 5);
	assert_int_equal(seen, 0x1e0);
}

/* Ports are taken in the order of the file; those that it does not name come after. */
static void
order_of_ports(void **state)
{
	static modelled_engine *const engines[] = { minhop_run, updn_run };

	(void)state;
	for (unsigned e = 0; e < 2; e++) {
		uint16_t lid;
		uint32_t leaf;
		static const uint8_t want[] = { 7, 5, 6, 8 };

		make_tree();
		lid = host_lid(4); /* the first host of the second leaf */
		leaf = switch_of(host_lid(0));
		route(engines[e]);
		save();
		PUT(ROUTING_PORTS, switch_guid(leaf), 7, 2, 200);
		PUT(ROUTING_PORTS, 0x999, 8, 7);
		route(engines[e]);
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(port_of(leaf, (uint16_t)(lid + i)), want[i]);
		memcpy(saved + (size_t)leaf * x.f.stride, fwd_row(&x.f, leaf), x.f.stride);
		assert_true(is_as_saved()); /* no other switch */
	}
}

/* The second round of a leaf's ports begins one port farther. */
static void
shifted_ports(void **state)
{
	uint32_t leaf;
	uint16_t lid;

	(void)state;
	make_tree();
	leaf = switch_of(host_lid(0));
	lid = host_lid(4);
	route(minhop_run);
	assert_int_equal(port_of(leaf, lid), 5);
	assert_int_equal(port_of(leaf, (uint16_t)(lid + 4)), 5);
	conf.shift_ports = true;
	route(minhop_run);
	assert_int_equal(port_of(leaf, lid), 5);
	assert_int_equal(port_of(leaf, (uint16_t)(lid + 4)), 6);
	assert_int_equal(port_of(leaf, (uint16_t)(lid + 8)), 7);
	assert_int_equal(port_of(leaf, (uint16_t)(lid + 11)), 6);
}

/* Every seed has an order of its own, and each is as even as the plain one. */
static void
scattered_ports(void **state)
{
	uint32_t differ = 0;

	(void)state;
	make_tree();
	route(updn_run);
	for (uint32_t seed = 1; seed <= 8; seed++) {
		save();
		conf.scatter = seed;
		route(updn_run);
		differ += !is_as_saved();
		for (uint32_t sw = 0; sw < x.s->nswitches; sw++) {
			uint32_t load[256] = { 0 };

			for (uint32_t n = 0; n < 32; n++)
				load[port_of(sw, host_lid(n))]++;
			for (unsigned p = 5; sw == switch_of(host_lid(0)) && p <= 8; p++)
				assert_int_equal(load[p], 7);
		}
		save();
		route(updn_run);
		assert_true(is_as_saved());
	}
	assert_int_equal(differ, 8);
}

/* Two ways of two hops: the one with the lesser sum is taken, and a weight counts in its direction
 * only. */
static void
weights_are_costs(void **state)
{
	uint16_t near, far;
	uint32_t leaf, load = 0;

	(void)state;
	make_tree();
	leaf = switch_of(host_lid(0));
	near = host_lid(0);
	far = host_lid(4);
	PUT(ROUTING_WEIGHTS, switch_guid(leaf), 5, 2);
	PUT(ROUTING_WEIGHTS, switch_guid(leaf), 6, 255);
	PUT(ROUTING_WEIGHTS, switch_guid(leaf), 7, 1);
	PUT(ROUTING_WEIGHTS, switch_guid(leaf), 200, 3); /* no such port */
	PUT(ROUTING_WEIGHTS, 0x999, 7, 3);
	route(minhop_run);
	for (uint32_t n = 4; n < 32; n++)
		assert_in_range(port_of(leaf, host_lid(n)), 7, 8);
	for (uint32_t n = 0; n < 4; n++) { /* the other direction is as ever */
		uint8_t port = port_of(switch_of(far), (uint16_t)(near + n));

		load |= 1u << port;
	}
	assert_int_equal(load, 0x1e0);
}

/* A longer way of lesser cost is taken, and of parallel links only the lightest. */
static void
weights_lead_round(void **state)
{
	uint32_t a, b;

	(void)state;
	teardown(NULL);
	modelled_plan(&x, "torus:5,hosts=1", NULL, 0);
	route(minhop_run);
	a = switch_of(host_lid(0));
	b = switch_of(host_lid(1));
	save();
	PUT(ROUTING_WEIGHTS, switch_guid(a), port_of(a, host_lid(1)), 4);
	route(minhop_run);
	assert_int_equal(port_of(a, host_lid(1)), saved[(size_t)a * x.f.stride + host_lid(1)]);
	lines[ROUTING_WEIGHTS].n = 0;
	PUT(ROUTING_WEIGHTS, switch_guid(a), port_of(a, host_lid(1)), 5);
	route(minhop_run); /* 4 hops the other way cost 4 */
	assert_int_not_equal(port_of(a, host_lid(1)), saved[(size_t)a * x.f.stride + host_lid(1)]);
	assert_int_equal(port_of(b, host_lid(0)), saved[(size_t)b * x.f.stride + host_lid(0)]);
}

/* A link that weighs three gets less load, as far as the links behind the others have room. */
static void
weights_are_loads(void **state)
{
	static modelled_engine *const engines[] = { sssp_run, dfsssp_run, nue_run };

	(void)state;
	for (unsigned e = 0; e < 3; e++) {
		uint32_t leaf, load[256] = { 0 };

		make_tree();
		x.in.vls = 8;
		leaf = switch_of(host_lid(0));
		route(engines[e]);
		for (uint32_t n = 4; n < 32; n++)
			load[port_of(leaf, host_lid(n))]++;
		assert_in_range(load[5], 6, 8);
		PUT(ROUTING_WEIGHTS, switch_guid(leaf), 5, 3);
		route(engines[e]);
		memset(load, 0, sizeof(load));
		for (uint32_t n = 4; n < 32; n++)
			load[port_of(leaf, host_lid(n))]++;
		assert_in_range(load[5], 1, 5);
		for (unsigned p = 6; p <= 8; p++)
			assert_in_range(load[p], 7, 10);
	}
}

/* Of parallel links the heavier ones are left out, whoever routes. */
static void
heavy_parallel_links(void **state)
{
	static modelled_engine *const engines[] = { minhop_run, sssp_run, dfsssp_run, nue_run };

	(void)state;
	for (unsigned e = 0; e < 4; e++) {
		uint32_t a;

		teardown(NULL);
		modelled_plan(&x, "torus:2,hosts=4", NULL, 0); /* two links join the two */
		x.in.vls = 8;
		a = switch_of(host_lid(0));
		route(engines[e]);
		assert_int_not_equal(port_of(a, host_lid(4)), port_of(a, host_lid(5)));
		PUT(ROUTING_WEIGHTS, switch_guid(a), port_of(a, host_lid(4)), 2);
		route(engines[e]);
		for (uint32_t n = 4; n < 8; n++)
			assert_int_not_equal(
				port_of(a, host_lid(n)), numbers[ROUTING_WEIGHTS][0][0]);
	}
}

/* Between switches of one rank the ids say which way is up. */
static void
ids_decide_up(void **state)
{
	static modelled_engine *const engines[] = { updn_run, dnup_run };
	uint64_t roots[1];

	(void)state;
	for (unsigned e = 0; e < 2; e++) {
		/* A ring of five: from its root two ways go down, and a link joins their ends. */
		teardown(NULL);
		modelled_plan(&x, "torus:5,hosts=1", NULL, 0);
		roots[0] = switch_guid(0);
		conf.roots = roots;
		conf.nroots = 1;
		route(engines[e]);
		save();
		for (uint32_t i = 0; i < 5; i++) /* as the GUIDs are */
			PUT(ROUTING_IDS, switch_guid(i), i);
		route(engines[e]);
		assert_true(is_as_saved());
		lines[ROUTING_IDS].n = 0;
		PUT(ROUTING_IDS, 0x999, 0);
		for (uint32_t i = 0; i < 5; i++)
			PUT(ROUTING_IDS, switch_guid(i), 9 - i);
		route(engines[e]);
		assert_false(is_as_saved());
		assert_true(x.v.ok);
	}
}

/* How many uplinks of the first leaf lead to the first hosts of the seven others, as each engine
 * routes them when these hosts are for I/O ('io'), or hosts like all others. */
static unsigned
links_to_firsts(modelled_engine *run, bool io)
{
	struct intended_conf c = { .nio = 0 };
	struct intended *t;
	uint64_t guids[8];
	uint32_t leaf;
	unsigned seen = 0;

	make_tree();
	for (unsigned i = 0; i < 8; i++)
		guids[i] = host_guid(i * 4);
	for (unsigned i = 1; i < 8; i++)
		assert_true(guids[i] > guids[i - 1]);
	c.io = guids;
	c.nio = io ? 8 : 0;
	t = intended_learn(x.s, &c);
	x.in.intended = t;
	x.in.vls = 8;
	route(run);
	leaf = switch_of(host_lid(0));
	for (unsigned i = 1; i < 8; i++)
		seen |= 1u << port_of(leaf, host_lid(i * 4));
	intended_free(t);
	x.in.intended = NULL;
	return (unsigned)__builtin_popcount(seen);
}

/* Hosts for I/O have ids of their own, so they are spread over the links by themselves. */
static void
kinds_are_spread_apart(void **state)
{
	(void)state;
	assert_int_equal(links_to_firsts(ftree_run, false), 1);
	assert_int_equal(links_to_firsts(ftree_run, true), 4);
}

/* The other hosts are spread evenly, too, and nobody shares an id. */
static void
compute_hosts_are_spread(void **state)
{
	uint32_t leaf, load[256] = { 0 };
	struct intended_conf c = { .nio = 0 };
	struct intended *t;
	uint64_t guids[24];

	(void)state;
	make_tree();
	for (unsigned i = 0, n = 0; i < 32; i++) /* all but the first of each leaf */
		if (i % 4)
			guids[n++] = host_guid(i);
	c.compute = guids;
	c.ncompute = 24;
	t = intended_learn(x.s, &c);
	x.in.intended = t;
	route(ftree_run);
	leaf = switch_of(host_lid(0));
	for (unsigned i = 4; i < 32; i++)
		load[port_of(leaf, host_lid(i))] += i % 4 ? 1 : 100;
	for (unsigned p = 5; p <= 8; p++) {
		assert_in_range(load[p] % 100, 5, 6); /* 21 hosts */
		assert_in_range(load[p] / 100, 1, 2); /* 7 */
	}
	intended_free(t);
	x.in.intended = NULL;
}

/* A line of numbers at random for that switch. */
static void
put_random(enum routing_form form, uint32_t sw, uint32_t *rnd)
{
	uint32_t v[8];

	for (unsigned i = 0; i < 8; i++)
		v[i] = made_random(rnd) % 12 + 1;
	put(form, switch_guid(sw), form == ROUTING_WEIGHTS ? 2 : form == ROUTING_IDS ? 1 : 8, v);
}

/* Whatever is preferred, every engine's tables pass, and do not depend on the order of discovery.
 * */
static void
anything_may_be_preferred(void **state)
{
	static const struct {
		modelled_engine *run;
		enum verify_scope scope;
	} engine[] = { { minhop_run, VERIFY_HOSTS }, { updn_run, VERIFY_ALL },
		{ dnup_run, VERIFY_ALL }, { nue_run, VERIFY_ALL }, { sssp_run, VERIFY_HOSTS },
		{ dfsssp_run, VERIFY_HOSTS } };
	uint32_t rnd = 1, routed = 0;

	(void)state;
	for (uint32_t t = 0; t < 240; t++) {
		struct made_how how = { .cut_percent = t % 4 * 5, .seed = t, .scramble = true };
		char spec[80];

		teardown(NULL);
		snprintf(spec, sizeof(spec),
			t % 2 ? "random:switches=%u,cables=%u,hosts=2,seed=%u" :
				"fattree:k=4,levels=3",
			10 + t % 9, 20 + t % 13, t + 1);
		for (unsigned turn = 0; turn < 2; turn++) {
			how.shuffle = turn > 0;
			how.shuffle_seed = t;
			modelled_plan(&x, spec, &how, t % 5 == 4);
			if (!made_connected(x.s))
				break;
			if (!turn)
				for (uint32_t i = 0; i < 30; i++) {
					enum routing_form form = made_random(&rnd) % 4;
					uint32_t sw = made_random(&rnd) % x.s->nswitches;

					if (form == ROUTING_ORDER)
						put(form, host_guid(made_random(&rnd) % 8), 0,
							NULL);
					else
						put_random(form, sw, &rnd);
					conf.shift_ports = t % 7 < 3;
					conf.scatter = t % 4 ? 0 : t + 1;
				}
			x.in.conf = &conf;
			x.in.vls = 8;
			if (modelled_route(&x, engine[t % 6].run, engine[t % 6].scope) != ROUTE_OK)
				break;
			assert_int_equal(x.v.unreachable + x.v.loops, 0);
			assert_true(x.v.ok || engine[t % 6].run == minhop_run ||
				engine[t % 6].run == sssp_run);
			if (turn)
				assert_true(is_as_saved());
			save();
			routed++;
		}
	}
	assert_true(routed > 300);
}

/* Nothing is made where nothing is preferred, or where the engine does not serve it. */
static void
nothing_is_made_for_nothing(void **state)
{
	(void)state;
	teardown(NULL);
	modelled_make(&x, "fattree:k=4,levels=2", NULL, 0);
	assert_null(prefs_make(&x.m, NULL, ~0u, prefs_place_present, &x.m, &x.arena));
	assert_null(prefs_make(&x.m, &conf, ~0u, prefs_place_present, &x.m, &x.arena));
	prefs_weigh(&x.m, &conf, &x.arena);
	assert_null(x.m.weight);
	conf.scatter = 5;
	assert_null(
		prefs_make(&x.m, &conf, ROUTE_OPTION_ORDER, prefs_place_present, &x.m, &x.arena));
	assert_non_null(
		prefs_make(&x.m, &conf, ROUTE_OPTION_SCATTER, prefs_place_present, &x.m, &x.arena));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_teardown(f, teardown)
		T(order_of_destinations),
		T(order_with_lmc),
		T(order_of_ports),
		T(shifted_ports),
		T(scattered_ports),
		T(weights_are_costs),
		T(weights_lead_round),
		T(weights_are_loads),
		T(heavy_parallel_links),
		T(ids_decide_up),
		T(kinds_are_spread_apart),
		T(compute_hosts_are_spread),
		T(anything_may_be_preferred),
		T(nothing_is_made_for_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
