/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos.c - which tables of lanes ports should have, from families, lanes and abilities.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/qos.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;
static struct link_conf links = LINK_CONF_DEFAULTS;
static struct qos_conf conf;
static struct qos_plan plan;
/* a host's port, the leaf's port it is cabled to, that leaf's port 0, an inner port */
static uint32_t host, leaf, zero, core;

static void
edit(uint32_t port, unsigned vl_cap, unsigned low, unsigned high)
{
	struct port_info pi = port_info_decode(s->ports[port].info);

	pi.vl_cap = (uint8_t)vl_cap;
	pi.vlarb_low_cap = (uint8_t)low;
	pi.vlarb_high_cap = (uint8_t)high;
	port_info_encode(s->ports[port].info, &pi);
}

static void
set_family(enum qos_kind k, unsigned step)
{
	struct qos_family *f = &conf.family[k];

	memset(f, 0, sizeof(*f));
	f->max_vls = 15;
	f->high_limit = (uint8_t)(10 + k);
	for (unsigned i = 0; i < 16; i++)
		f->sl2vl.vl[i] = (uint8_t)((i + step) % 16);
	f->low.n = 40;
	for (unsigned i = 0; i < 40; i++) {
		f->low.e[i].vl = (uint8_t)((i + step) % 15);
		f->low.e[i].weight = (uint8_t)(100 + i);
	}
	f->high.n = 1;
	f->high.e[0].vl = 14;
	f->high.e[0].weight = (uint8_t)(1 + k);
}

static int
setup(void **state)
{
	(void)state;
	s = made_snapshot("fattree:k=4,levels=2", NULL);
	for (host = 0; fab_is_switch(&s->nodes[s->ports[host].node]) ||
		s->ports[host].peer == FAB_NONE; host++)
		;
	leaf = s->ports[host].peer;
	zero = s->nodes[s->ports[leaf].node].first_port;
	for (core = zero + 1; !fab_is_switch(&s->nodes[s->ports[s->ports[core].peer].node]); core++)
		;
	for (uint32_t p = 0; p < s->nports; p++)
		edit(p, 4, 8, 8);
	for (unsigned k = 0; k < QOS_KINDS; k++)
		set_family((enum qos_kind)k, k);
	links = (struct link_conf)LINK_CONF_DEFAULTS;
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

static void
bed_make(void)
{
	qos_plan_make(s, &links, &conf, &arena, &plan);
	qos_plan_starving(&plan, s, plan.starving);
}

static const uint8_t *
table(uint32_t port, unsigned block)
{
	static uint8_t image[64];
	struct qos_table t = { port, 0, (uint8_t)block };

	memset(image, 0xa5, sizeof(image));
	assert_true(qos_plan_table(&plan, s, &t, image));
	return image;
}

static unsigned
vl(const uint8_t *image, unsigned sl)
{
	return sl & 1 ? image[sl / 2] & 15 : image[sl / 2] >> 4;
}

/* Each kind of port has its family; 15 stays 15, everything else is a lane that is there. */
static void
families_and_lanes(void **state)
{
	static const unsigned vls[] = { 0, 1, 2, 4, 8, 15 };

	(void)state;
	for (unsigned code = 1; code <= 5; code++) {
		edit(host, code, 8, 8);
		edit(leaf, 5, 8, 8);
		bed_make();
		for (unsigned sl = 0; sl < 16; sl++) {
			unsigned of_ca = (sl + QOS_CA) % 16, of_swe = (sl + QOS_SWE) % 16;

			assert_int_equal(vl(table(host, 0), sl),
				of_ca == 15 ? 15 : of_ca % vls[code]);
			assert_int_equal(vl(table(leaf, 0), sl),
				of_swe == 15 ? 15 : of_swe % vls[code]);
			assert_int_equal(vl(table(core, 0), sl), of_swe == 15 ? 15 : of_swe % 8);
			assert_int_equal(qos_plan_sls(&plan, s, leaf) >> sl & 1, of_swe != 15);
		}
		assert_int_equal(plan.high_limit[plan.kind[host]], 10 + QOS_CA);
		assert_int_equal(plan.high_limit[plan.kind[leaf]], 10 + QOS_SWE);
	}
	s->nodes[s->ports[host].node].type = 3;
	bed_make();
	assert_int_equal(vl(table(host, 0), 0), QOS_ROUTER);
	links.max_op_vls = 2;
	bed_make();
	assert_int_equal(vl(table(core, 0), 0), QOS_SWE % 2);
	assert_int_equal(table(core, 3)[0], 0);
}

/* max_vls limits what tables name, whatever the link can do. */
static void
limited(void **state)
{
	(void)state;
	conf.family[QOS_SWE].max_vls = 3;
	bed_make();
	for (unsigned sl = 0; sl < 16; sl++)
		assert_int_equal(vl(table(leaf, 0), sl),
			(sl + QOS_SWE) % 16 == 15 ? 15 : (sl + QOS_SWE) % 16 % 3);
	assert_int_equal(vl(table(host, 0), 7), 7);
	conf.family[QOS_SWE].max_vls = 15;
}

/* As many entries as the port has, over two blocks; the rest are 0. */
static void
arbitration(void **state)
{
	const uint8_t *w;

	(void)state;
	bed_make();
	w = table(leaf, 1);
	for (unsigned i = 0; i < 32; i++) {
		assert_int_equal(w[2 * i], i < 8 ? (i + QOS_SWE) % 15 % 8 : 0);
		assert_int_equal(w[2 * i + 1], i < 8 ? 100 + i : 0);
	}
	w = table(leaf, 2);
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(w[i], 0);
	w = table(leaf, 3);
	assert_int_equal(w[0], 14 % 8);
	assert_int_equal(w[1], 1 + QOS_SWE);
	edit(leaf, 5, 35, 64);
	edit(host, 5, 64, 0);
	bed_make();
	w = table(leaf, 1);
	assert_int_equal(w[62], (31 + QOS_SWE) % 15);
	w = table(leaf, 2);
	assert_int_equal(w[1], 132);
	assert_int_equal(w[5], 134);
	assert_int_equal(w[7], 0);                      /* 35 entries */
	w = table(host, 2);
	assert_int_equal(w[15], 139);
	assert_int_equal(w[17], 0);                     /* 40 are wanted */
	assert_int_equal(table(host, 3)[1], 0);
}

/* A lane that no entry gives a weight; entries that a port has no room for do not count. */
static void
starving(void **state)
{
	struct qos_family *f = &conf.family[QOS_CA];
	unsigned hosts = 0;

	(void)state;
	for (uint32_t p = 0; p < s->nports; p++)
		hosts += !fab_is_switch(&s->nodes[s->ports[p].node]) &&
			s->ports[p].peer != FAB_NONE;
	bed_make();
	for (unsigned k = 0; k < QOS_KINDS; k++)        /* entries for each of the eight */
		assert_int_equal(plan.starving[k].ports, 0);
	/* VL 0 to 2, and 14 % 8 = 6 by the high list */
	f->low.n = 3;
	bed_make();
	assert_int_equal(plan.starving[QOS_CA].ports, hosts);
	assert_int_equal(plan.starving[QOS_CA].sls, 0x38b8);
	assert_int_equal(plan.starving[QOS_SWE].ports, 0);
	/* it has no arbitration to write: it serves all */
	edit(host, 4, 0, 0);
	bed_make();
	assert_int_equal(plan.starving[QOS_CA].ports, hosts - 1);
	f->low.n = 40;
	/* VL 8 and up have no room in its eight entries, but for 14 */
	edit(host, 5, 8, 8);
	edit(leaf, 5, 64, 0);
	bed_make();
	assert_int_equal(plan.starving[QOS_CA].ports, 1);
	assert_int_equal(plan.starving[QOS_CA].sls, 0x3f00);
	f->sl2vl.vl[9] = 15;                            /* what is dropped waits for nothing */
	bed_make();
	assert_int_equal(plan.starving[QOS_CA].sls, 0x3d00);
}

/* Port 0 has lanes only where it is enhanced; ports without a peer have none. */
static void
who_has_none(void **state)
{
	struct fab_node *n = &s->nodes[s->ports[leaf].node];
	struct switch_info si = switch_info_decode(n->switch_info);
	struct qos_table t = { zero, 0, 0 };
	uint8_t image[64];

	(void)state;
	n->flags |= FAB_NODE_SWITCH_INFO;
	si.enhanced_port0 = 0;
	switch_info_encode(n->switch_info, &si);
	bed_make();
	assert_false(qos_plan_table(&plan, s, &t, image));
	assert_int_equal(qos_plan_sls(&plan, s, zero), 0xffff);
	si.enhanced_port0 = 1;
	switch_info_encode(n->switch_info, &si);
	bed_make();
	assert_int_equal(vl(table(zero, 0), 0), QOS_SW0);
	s->ports[host].peer = s->ports[leaf].peer = FAB_NONE;
	bed_make();
	t.port = leaf;
	assert_false(qos_plan_table(&plan, s, &t, image));
	assert_int_equal(qos_plan_sls(&plan, s, leaf), 0xffff);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = { T(families_and_lanes), T(limited), T(arbitration),
		T(starving), T(who_has_none) };

	return cmocka_run_group_tests_name("plan/qos", tests, NULL, NULL);
}
