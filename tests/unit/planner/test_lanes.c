/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lanes.c - which engines with several VLs a fabric and a configuration admit, and why not.
 */
#include <config.h>
#include "sm/plan/qos_lanes.h"
#include "sm/planner/lanes.h"
#include "sm/planner/planner.h"
#include "sm/planner/sweep_job.h"
#include "tests/unit/subnet/served.h"
#include "tests/unit/test.h"
#include "util/xalloc.h"

static struct served_bed b;
static struct sweep_job *j;
static struct partition part;
static struct partitions parts = { .v = &part, .n = 1 };

static void
show_all(unsigned vl_cap, uint32_t cap, unsigned low)
{
	for (uint32_t p = 0; p < b.s->nports; p++) {
		struct port_info pi = port_info_decode(b.s->ports[p].info);

		if (!(b.s->ports[p].flags & FAB_PORT_INFO))
			continue;
		pi.vl_cap = (uint8_t)vl_cap;
		pi.vlarb_low_cap = (uint8_t)low;
		pi.capability_mask = cap;
		port_info_encode(b.s->ports[p].info, &pi);
	}
}

static void
bed_begin(const char *spec, const char *engine)
{
	served_make(&b, spec);
	j = xcalloc(1, sizeof(*j));
	j->in.conf = b.conf;
	j->in.given = b.net.now;
	j->fresh = b.s;
	part = (struct partition){ .name = "", .pkey = 0x7fff };
	b.conf->partitions = &parts;
	b.conf->engines = (struct conf_engines){ .n = 1, .name = { engine }, .no_fallback = true };
	show_all(4, PORT_CAP_SL_MAPPING, 8);
}

static void
end(void)
{
	plan_free(j->plan);
	j->plan = NULL;
	sweep_kept_clear(&j->kept);
	group_trees_clear(&j->trees);
	free(j);
	served_clear(&b);
}

/* Plans; NULL: refused. */
static const struct lane_plan *
lanes(void)
{
	plan_free(j->plan);
	j->plan = NULL;
	j->err = 0;
	group_trees_clear(&j->trees);
	planner_make_plan(j);
	return j->plan ? j->plan->fwd.lanes : NULL;
}

static void
refused(const char *why)
{
	assert_null(lanes());
	assert_null(j->plan);
	if (!strstr(j->cur.refusal, why))
		fail_msg("'%s' is not in: %s", why, j->cur.refusal);
}

static void
a_fabric_admits_them(void **state)
{
	const struct lane_plan *l;

	(void)state;
	bed_begin("random:switches=12,cables=24,hosts=1,seed=3", "dfsssp");
	l = lanes();
	assert_non_null(l);
	assert_int_equal(l->nvls, 8);
	assert_true(j->plan->qos.on && j->plan->qos.lanes);
	b.conf->max_op_vls = 3;
	assert_int_equal(lanes()->nvls, 4);
	b.conf->max_op_vls = 1;                         /* one VL: routes without lanes, or none */
	assert_null(lanes());
	end();
}

static void
switches_that_cannot(void **state)
{
	uint32_t port;

	(void)state;
	bed_begin("torus:5x5,hosts=1", "torus-2QoS");
	assert_non_null(lanes());
	port = b.s->nodes[b.s->switches[7]].first_port;
	served_set_info(&b, port, (struct port_info){ 0 });
	refused("SL2VL");
	end();
	bed_begin("random:switches=12,cables=24,hosts=1,seed=3", "dfsssp");
	show_all(4, 0, 8);
	refused("does not map SLs");
	end();
}

/* What did not take its tables counts as unable, until the configuration is loaded again. */
static void
switches_that_did_not(void **state)
{
	(void)state;
	bed_begin("random:switches=12,cables=24,hosts=1,seed=3", "dfsssp");
	j->in.faults.n = 1;
	j->in.faults.v[0].guid = b.s->nodes[b.s->switches[3]].guid;
	j->in.faults.v[0].weight = 1;
	assert_non_null(lanes());
	j->in.faults.v[0].weight = LANE_FAULT_FINAL;
	refused("does not map SLs");
	j->in.conf_age++;
	assert_non_null(lanes());
	j->in.faults = (struct lane_faults){ .many = true, .conf_age = j->in.conf_age };
	refused("does not map SLs");
	end();
}

static void
arbitration(void **state)
{
	(void)state;
	bed_begin("random:switches=12,cables=24,hosts=1,seed=3", "dfsssp");
	show_all(4, PORT_CAP_SL_MAPPING, 4);            /* weights for four of eight VLs */
	refused("no weight");
	b.conf->max_op_vls = 3;
	assert_non_null(lanes());
	end();
}

static void
levels_of_qos(void **state)
{
	struct qos_lanes l;

	(void)state;
	bed_begin("random:switches=12,cables=24,hosts=1,seed=3", "dfsssp");
	b.conf->qos = true;
	lanes_levels(b.conf, &l);
	assert_int_equal(l.nlevels, 1);
	show_all(4, PORT_CAP_SL_MAPPING, 64);
	assert_non_null(lanes());
	part.sl = 3;
	lanes_levels(b.conf, &l);
	assert_int_equal(l.nlevels, 2);
	refused("SLs of 2 VLs");
	end();
	bed_begin("torus:5x5,hosts=1", "torus-2QoS");       /* sets no SL: two levels of two VLs */
	b.conf->qos = true;
	show_all(4, PORT_CAP_SL_MAPPING, 64);
	part.sl = 3;
	assert_non_null(lanes());
	assert_int_equal(j->plan->qos.lanes->nlevels, 2);
	b.conf->max_op_vls = 2;                         /* two VLs are not enough for both */
	assert_null(lanes());
	assert_null(j->plan);
	part.sl = 0;
	assert_non_null(lanes());
	end();
}

/* The VLs of links between switches: the least that two ends have in common. */
static unsigned
vls_of_links(const struct plan *p)
{
	unsigned least = 15;

	for (uint32_t i = 0; i < b.s->nports; i++) {
		const struct fab_port *a = &b.s->ports[i];
		unsigned code;

		if (a->peer == FAB_NONE || !fab_is_switch(&b.s->nodes[a->node]) ||
			!fab_is_switch(&b.s->nodes[b.s->ports[a->peer].node]) ||
			(b.s->nodes[a->node].flags | b.s->nodes[b.s->ports[a->peer].node].flags) &
				FAB_NODE_CUT)
			continue;
		code = plan_link_vls(b.s, &p->links, i);
		code = code >= 5 ? 15 : code < 2 ? 1 : 1u << (code - 1);
		least = code < least ? code : least;
	}
	return least;
}

/* Ports are looked at one by one, and the result is that of whole links. */
static void
vls_of_ends_are_those_of_links(void **state)
{
	struct plan p = { .links = LINK_CONF_DEFAULTS };
	unsigned seen = 0;

	(void)state;
	bed_begin("torus:3x3,hosts=2", "updn");
	for (uint32_t round = 0; round < 400; round++) {
		struct route_in in = { .previous = NULL };
		struct arena a = ARENA_INIT;
		uint32_t i = round * 2654435761u % b.s->nports;

		if (round % 40 == 0)
			show_all(5, PORT_CAP_SL_MAPPING, 8);
		p.links.max_op_vls = (uint8_t)(1 + round / 3 % 5);
		ATTR_SET(port_info, vl_cap, b.s->ports[i].info, 1 + (round * 7 + 3) % 6);
		if (round % 10 == 5)
			b.s->ports[i].flags ^= FAB_PORT_INFO;
		if (round % 10 == 7)
			b.s->nodes[b.s->ports[i].node].flags ^= FAB_NODE_CUT;
		lanes_inputs(j, &p, &a, &in);
		assert_int_equal(in.vls, vls_of_links(&p));
		seen |= 1u << in.vls;
		arena_clear(&a);
		if (round % 10 == 6 || round % 10 == 9)
			for (uint32_t k = 0; k < b.s->nports; k++) {
				b.s->ports[k].flags |= FAB_PORT_INFO;
				b.s->nodes[b.s->ports[k].node].flags &= (uint8_t)~FAB_NODE_CUT;
			}
	}
	assert_int_equal(seen, 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 15);
	end();
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fabric_admits_them),
		cmocka_unit_test(switches_that_cannot),
		cmocka_unit_test(switches_that_did_not),
		cmocka_unit_test(arbitration),
		cmocka_unit_test(levels_of_qos),
		cmocka_unit_test(vls_of_ends_are_those_of_links),
	};

	return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
