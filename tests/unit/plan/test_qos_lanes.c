/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_lanes.c - lane plans in SLtoVL and arbitration tables, with and without QoS levels.
 */
#include <config.h>
#include <string.h>
#include "sm/plan/qos.h"
#include "tests/unit/route/made.h"
#include "tests/unit/test.h"

static struct snapshot *s;
static struct arena arena;
static struct lane_plan lanes;
static uint8_t classes[4096];
static struct qos_lanes l;
static uint32_t leaf, host, core; /* the leaf's port to a host, the host's, an inner port of the leaf */

static int
setup(void **state)
{
	(void)state;
	s = made_snapshot("fattree:k=4,levels=2", NULL);
	for (host = 0; fab_is_switch(&s->nodes[s->ports[host].node]) || s->ports[host].peer == FAB_NONE; host++)
		;
	leaf = s->ports[host].peer;
	for (core = s->nodes[s->ports[leaf].node].first_port + 1;
		!fab_is_switch(&s->nodes[s->ports[s->ports[core].peer].node]); core++)
		;
	memset(classes, 0, sizeof(classes));
	lanes = (struct lane_plan){ .nvls = 2, .sls = 1, .nclasses = 2, .nswitches = s->nswitches,
		.port_class = classes };
	classes[core] = 1;
	lanes.vl[0][1][0] = 1;
	memset(&l, 0, sizeof(l));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	arena_clear(&arena);
	made_free(s);
	return 0;
}

static struct conf_sl2vl
identity(void)
{
	struct conf_sl2vl v = { .set = true };

	for (uint8_t sl = 0; sl < QOS_SLS; sl++)
		v.vl[sl] = sl;
	return v;
}

static void
levels(void **state)
{
	struct conf_sl2vl v = identity();

	(void)state;
	qos_lanes_levels(&l, 0, &v);
	assert_int_equal(l.nlevels, 1);                 /* SL 0 is always used */
	assert_int_equal(l.level[7], 0);
	assert_int_equal(l.level[15], QOS_VL_DROP);
	qos_lanes_levels(&l, 1u << 3 | 1u << 5, &v);
	assert_int_equal(l.nlevels, 3);
	assert_int_equal(l.vl[0], 0);
	assert_int_equal(l.vl[2], 5);
	assert_int_equal(l.level[3], 1);
	assert_int_equal(l.level[5], 2);
	assert_int_equal(l.level[4], 0);
	v.vl[3] = v.vl[5] = 0;                          /* all of one VL */
	qos_lanes_levels(&l, 1u << 3 | 1u << 5, &v);
	assert_int_equal(l.nlevels, 1);
	memset(v.vl, QOS_VL_DROP, sizeof(v.vl));
	qos_lanes_levels(&l, UINT16_MAX, &v);
	assert_int_equal(l.nlevels, 1);
}

/* Each level has VLs of its own, and uses them as the plan says. */
static void
vls_of_levels(void **state)
{
	struct conf_sl2vl v = identity();

	(void)state;
	l.plan = &lanes;
	qos_lanes_levels(&l, 1u << 3, &v);
	assert_int_equal(qos_lanes_vl(&l, 0, 1, 0), 1);
	assert_int_equal(qos_lanes_vl(&l, 1, 0, 0), 0);
	assert_int_equal(qos_lanes_vl(&l, 0, 1, 3), 3);
	assert_int_equal(qos_lanes_vl(&l, 1, 0, 3), 2);
	assert_int_equal(qos_lanes_vl(&l, 0, 1, 9), 1);   /* unused: not dropped */
	assert_int_equal(qos_lanes_vl(&l, 0, 1, 15), QOS_VL_DROP);
}

/* SLs that the routing requires; others have a VL in use. */
static void
required_sls(void **state)
{
	uint8_t *sl = arena_array(&arena, s->nswitches, s->nswitches), got = 99;
	struct conf_sl2vl v = identity();

	(void)state;
	for (uint8_t i = 0; i < LANE_SLS; i++)
		lanes.vl[0][0][i] = i < 3 ? i : 0;
	lanes.sl = sl;
	lanes.nclasses = 1;
	lanes.port_class = NULL;
	lanes.nvls = 3;
	lanes.sls = 6;
	l.plan = &lanes;
	qos_lanes_levels(&l, 0, &v);
	assert_int_equal(qos_lanes_vl(&l, 0, 0, 1), 1);
	assert_int_equal(qos_lanes_vl(&l, 0, 0, 2), 2);
	assert_int_equal(qos_lanes_vl(&l, 0, 0, 0), 1);   /* that of the lowest SL in use */
	assert_int_equal(qos_lanes_vl(&l, 0, 0, 15), 1);
	memset(sl, 2, (size_t)s->nswitches * s->nswitches);
	assert_true(qos_lanes_sl(&lanes, s, host, s->ports[core].peer, &got));
	assert_int_equal(got, 2);
	assert_false(qos_lanes_sl(NULL, s, host, leaf, &got));
	s->ports[host].peer = FAB_NONE;
	assert_false(qos_lanes_sl(&lanes, s, host, leaf, &got));
	s->ports[host].peer = leaf;
	lanes.sl = NULL;
	assert_false(qos_lanes_sl(&lanes, s, host, leaf, &got));
}

static void
weights(void **state)
{
	struct conf_sl2vl v = identity();
	struct conf_vlarb a = { .set = true, .n = 3 }, r;

	(void)state;
	l.plan = &lanes;
	qos_lanes_levels(&l, 1u << 3, &v);
	a.e[0].vl = 3;
	a.e[0].weight = 7;
	a.e[1].vl = 1;                                  /* of no level */
	a.e[1].weight = 9;
	a.e[2].weight = 5;
	r = qos_lanes_vlarb(&l, &a);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.e[0].vl, 2);
	assert_int_equal(r.e[1].vl, 3);
	assert_int_equal(r.e[1].weight, 7);
	assert_int_equal(r.e[2].vl, 0);
	assert_int_equal(r.e[3].vl, 1);
	assert_int_equal(r.e[3].weight, 5);
	a.n = QOS_ARB_MAX;
	assert_int_equal(qos_lanes_vlarb(&l, &a).n, QOS_ARB_MAX);
}

/* Tables of ports: per in-port, and folded where a host has fewer VLs. */
static void
tables(void **state)
{
	static struct qos_conf conf;
	struct link_conf links = LINK_CONF_DEFAULTS;
	struct conf_sl2vl one = { .set = true };
	uint8_t image[64];
	struct qos_plan q;

	(void)state;
	for (unsigned k = 0; k < QOS_KINDS; k++)
		conf.family[k].max_vls = 15;
	for (uint32_t p = 0; p < s->nports; p++) {
		struct port_info pi = port_info_decode(s->ports[p].info);

		pi.vl_cap = p == host ? 1 : 4;
		port_info_encode(s->ports[p].info, &pi);
	}
	lanes.vl[1][0][0] = 1;
	qos_lanes_levels(&conf.lanes, 0, &one);
	conf.lanes.plan = &lanes;
	conf.quiet = true;
	qos_plan_make(s, &links, &conf, &arena, &q);
	assert_false(q.quiet);
	assert_true(qos_plan_by_input(&q));
	assert_int_equal(qos_plan_sls(&q, s, core), UINT16_MAX);
	assert_true(qos_plan_table(&q, s, &(struct qos_table){ core, s->ports[leaf].num, 0 }, image));
	assert_int_equal(image[0], 0x11);
	assert_int_equal(image[7], 0x11);
	assert_true(qos_plan_table(&q, s, &(struct qos_table){ core, s->ports[core].num, 0 }, image));
	assert_int_equal(image[0], 0);
	assert_true(qos_plan_table(&q, s, &(struct qos_table){ leaf, s->ports[core].num, 0 }, image));
	assert_int_equal(image[0], 0);                  /* one VL: 1 is folded to 0 */
	assert_true(qos_plan_table(&q, s, &(struct qos_table){ host, 0, 0 }, image));
	assert_int_equal(image[0], 0);
	conf.between_switches = true;                   /* links to hosts stay as they are */
	qos_plan_make(s, &links, &conf, &arena, &q);
	assert_true(qos_plan_table(&q, s, &(struct qos_table){ core, s->ports[leaf].num, 0 },
		image));
	assert_int_equal(image[0], 0x11);
	assert_false(qos_plan_table(&q, s, &(struct qos_table){ leaf, s->ports[core].num, 0 },
		image));
	assert_false(qos_plan_table(&q, s, &(struct qos_table){ leaf, 0, 1 }, image));
	assert_false(qos_plan_table(&q, s, &(struct qos_table){ host, 0, 0 }, image));
	conf.between_switches = false;
	lanes.nclasses = 1;
	assert_false(qos_plan_by_input(&q));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(levels), T(vls_of_levels), T(required_sls), T(weights), T(tables),
	};

	return cmocka_run_group_tests_name("qos_lanes", tests, NULL, NULL);
}
