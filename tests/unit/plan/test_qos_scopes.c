/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_scopes.c - tables that qos-setup gives to single ports, and to pairs of a switch's ports.
 */
#include <config.h>
#include <stdlib.h>
#include "tests/unit/test.h"
#include "sm/plan/qos.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;
static struct qos_plan plan;
/* two hosts' ports on one leaf, its port to the first, its port 0, an inner port */
static uint32_t host, other, leaf, zero, core;

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
	for (other = host + 1; fab_is_switch(&s->nodes[s->ports[other].node]) ||
		s->ports[other].peer == FAB_NONE ||
	     s->ports[s->ports[other].peer].node != s->ports[leaf].node; other++)
		;
	for (core = zero + 1; !fab_is_switch(&s->nodes[s->ports[s->ports[core].peer].node]); core++)
		;
	snapshot_seal(s);
	memcpy(s->nodes[s->ports[core].node].desc, "the leaf", 8);
	for (uint32_t p = 0; p < s->nports; p++) {
		struct port_info pi = port_info_decode(s->ports[p].info);

		pi.vl_cap = 4;
		pi.vlarb_low_cap = pi.vlarb_high_cap = 64;
		port_info_encode(s->ports[p].info, &pi);
	}
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

/* All ports map SL n to VL n modulo 8 and have one entry of arbitration, but for what 'setup' says; groups are H (host), O (other),
 * L (the leaf), C (that inner port alone, and port 0). */
static void
bed_make(const char *setup_text)
{
	static struct pkey_plan no_keys;
	static struct link_conf links = LINK_CONF_DEFAULTS;
	char text[4096];
	struct conf_error e = CONF_ERROR_INIT;
	const struct partitions *parts = partitions_default(&arena);
	const struct qos_policy *p;
	struct qos_conf c = { .optimized = false };
	struct qos_groups *g;

	snprintf(text, sizeof(text), "qos-ulps\ndefault: 0\nend-qos-ulps\nport-groups\n"
		"port-group\nname: H\nport-guid: 0x%llx\nend-port-group\nport-group\nname: O\nport-guid: 0x%llx\nend-port-group\n"
		"port-group\nname: L\nport-guid: 0x%llx\nend-port-group\nport-group\nname: C\nport-name: the leaf/P%u\nend-port-group\n"
		"end-port-groups\nqos-setup\n%s\nend-qos-setup\n",
		(unsigned long long)s->ports[host].guid,
		(unsigned long long)s->ports[other].guid, (unsigned long long)s->ports[zero].guid,
		s->ports[core].num, setup_text);
	if (qos_policy_parse("F", text, strlen(text), parts, &arena, &p, &e) != 0)
		fail_msg("%s", e.text);
	conf_error_clear(&e);
	for (unsigned k = 0; k < QOS_KINDS; k++) {
		c.family[k] = (struct qos_family){ .max_vls = 15, .high_limit = 1, .low.n = 1,
			.high.n = 1 };
		c.family[k].low.e[0].weight = 4;
		for (uint8_t sl = 0; sl < QOS_SLS; sl++)
			c.family[k].sl2vl.vl[sl] = sl % 8;
	}
	qos_plan_make(s, &links, &c, &arena, &plan);
	g = qos_groups_new(s, &no_keys, parts, p);
	plan.scopes = qos_scopes_make(s, g, &arena);
	qos_groups_free(g);
}

/* The VL of SL 1 (it is 1 where nothing was said). */
static unsigned
vl(uint32_t port, uint32_t in)
{
	struct qos_table t = { .port = port,
		.in = (uint8_t)(fab_is_switch(&s->nodes[s->ports[port].node]) ? s->ports[in].num :
			0) };
	uint8_t image[VLARB_TABLE_BYTES];

	assert_true(qos_plan_table(&plan, s, &t, image));
	return image[0] & 0xf;
}

/* Entry 'i' of low (block 1, 2) or high (3, 4) arbitration, VL and weight. */
static unsigned
entry(uint32_t port, uint8_t block, unsigned i)
{
	struct qos_table t = { .port = port, .block = block };
	uint8_t image[VLARB_TABLE_BYTES];

	assert_true(qos_plan_table(&plan, s, &t, image));
	return (unsigned)image[i * 2] << 8 | image[i * 2 + 1];
}

#define SL2VL(lines, vls) "sl2vl-tables\nsl2vl-scope\n" lines "\nsl2vl-table: 0," vls ",0,0,0,0,0,0,0,0,0,0,0,0,0,0\nend-sl2vl-scope\nend-sl2vl-tables\n"
#define VLARB(lines) "vlarb-tables\nvlarb-scope\n" lines "\nend-vlarb-scope\nend-vlarb-tables\n"

static void
test_nothing(void **state)
{
	(void)state;
	bed_make("");
	assert_null(plan.scopes);
	assert_false(qos_scopes_by_input(NULL));
	assert_int_equal(vl(host, host), 1);
	assert_int_equal(qos_plan_high_limit(&plan, leaf), 1);
	assert_int_equal(qos_plan_sls(&plan, s, leaf), 0xffff);
}

#define EIGHT_OF_0 "0:1,0:1,0:1,0:1,0:1,0:1,0:1,0:1,"

static void
test_vlarb(void **state)
{
	(void)state;
	bed_make(VLARB("group: H\nvlarb-high: 1:200,9:3\nvl-high-limit: 77"));
	assert_int_equal(entry(host, 3, 0), 0x1c8);
	assert_int_equal(entry(host, 3, 1), 0x103);     /* VL 9 of eight lanes */
	assert_int_equal(entry(host, 1, 0), 0x004);     /* of low nothing was said */
	assert_int_equal(qos_plan_high_limit(&plan, host), 77);
	assert_int_equal(entry(leaf, 3, 0), 0);
	assert_int_equal(qos_plan_high_limit(&plan, leaf), 1);
	bed_make(VLARB("across: H\nvlarb-low: 2:9"));
	assert_int_equal(entry(leaf, 1, 0), 0x209);
	assert_int_equal(entry(host, 1, 0), 0x004);
	assert_int_equal(entry(core, 1, 0), 0x004);
	bed_make(VLARB("group: L\nvlarb-low: 2:9\nvl-high-limit: 3")
			VLARB("group: C\nvlarb-low: 3:8"));
	assert_int_equal(entry(leaf, 1, 0), 0x209);     /* all ports of that switch */
	assert_int_equal(entry(core, 1, 0), 0x308);     /* the last one counts */
	assert_int_equal(qos_plan_high_limit(&plan, core), 3);
	bed_make(VLARB("group: H\nvlarb-low: " EIGHT_OF_0 EIGHT_OF_0 EIGHT_OF_0
		       "0:1,0:1,0:1,0:1,0:1,0:1,0:1,7:31,7:32"));
	assert_int_equal(entry(host, 1, 31), 0x71f);
	assert_int_equal(entry(host, 2, 0), 0x720);
	assert_int_equal(entry(host, 2, 1), 0);
}

static void
test_sl2vl(void **state)
{
	(void)state;
	bed_make(SL2VL("group: H", "5"));
	assert_int_equal(vl(host, host), 5);
	assert_int_equal(vl(leaf, core), 1);
	bed_make(SL2VL("group: L", "5"));
	assert_int_equal(vl(leaf, core), 5);
	assert_int_equal(vl(core, leaf), 5);
	assert_int_equal(vl(leaf, zero), 5);
	assert_int_equal(vl(host, host), 1);
	bed_make(SL2VL("across-to: H", "5"));
	assert_int_equal(vl(leaf, core), 5);
	assert_int_equal(vl(leaf, s->ports[other].peer), 5);
	assert_int_equal(vl(s->ports[other].peer, leaf), 1);
	bed_make(SL2VL("across-from: H", "5"));
	assert_int_equal(vl(leaf, core), 1);
	assert_int_equal(vl(core, leaf), 5);
	assert_int_equal(vl(s->ports[other].peer, leaf), 5);
	assert_int_equal(vl(core, s->ports[other].peer), 1);
	bed_make(SL2VL("across: H", "5"));
	assert_int_equal(vl(leaf, core), 5);
	assert_int_equal(vl(core, leaf), 5);
	assert_int_equal(vl(core, s->ports[other].peer), 1);
	bed_make(SL2VL("group: L\nto: 0-2", "5"));          /* hosts have the lowest ports */
	assert_int_equal(vl(leaf, core), s->ports[leaf].num <= 2 ? 5 : 1);
	assert_int_equal(vl(core, leaf), s->ports[core].num <= 2 ? 5 : 1);
	bed_make(SL2VL("group: L\nfrom: 0", "5"));
	assert_int_equal(vl(leaf, zero), 5);
	assert_int_equal(vl(leaf, core), 1);
	bed_make(SL2VL("group: H\nfrom: 7\nto: 7", "5"));   /* ports of hosts have no inputs */
	assert_int_equal(vl(host, host), 5);
	bed_make(SL2VL("group: L", "5") SL2VL("group: C", "6"));
	assert_int_equal(vl(leaf, core), 5);
	assert_int_equal(vl(core, leaf), 6);
	bed_make(SL2VL("group: H", "12"));
	assert_int_equal(vl(host, host), 4);            /* eight lanes */
	assert_true(qos_scopes_by_input(plan.scopes));
}

/* What is dropped for one input is no way for anybody. */
static void
test_dropped(void **state)
{
	(void)state;
	bed_make(SL2VL("group: H", "15"));
	assert_int_equal(vl(host, host), 15);
	assert_int_equal(qos_plan_sls(&plan, s, host), 0xfffd);
	assert_int_equal(qos_plan_sls(&plan, s, leaf), 0xffff);
	bed_make(SL2VL("across-from: H", "15"));
	assert_int_equal(qos_plan_sls(&plan, s, core), 0xfffd);
	assert_int_equal(qos_plan_sls(&plan, s, host), 0xffff);
	bed_make(SL2VL("group: L\nfrom: 200", "15"));       /* no such port */
	assert_int_equal(qos_plan_sls(&plan, s, core), 0xffff);
}

int
main(void)
{
#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = { T(test_nothing), T(test_vlarb), T(test_sl2vl),
		T(test_dropped) };

	return cmocka_run_group_tests_name("qos_scopes", tests, NULL, NULL);
}
