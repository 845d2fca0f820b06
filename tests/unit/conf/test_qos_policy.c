/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_policy.c - qos-policy.conf: every keyword, every mistake with its line, numbers at their edges.
 */
#include "tests/unit/test.h"
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sm/conf/conf.h"

static struct arena arena;
static const struct partitions *parts;
static struct conf_error e;

static int
qos_policy_setup(void **state)
{
	static const char text[] = "Default=0x7fff:ALL=full;Part1=0x10:ALL=full;red blue=0x8020:ALL=limited;";

	(void)state;
	assert_int_equal(partitions_parse("P", text, strlen(text), true, &arena, &parts, &e), 0);
	return 0;
}

static int
qos_policy_teardown(void **state)
{
	(void)state;
	conf_error_clear(&e);
	arena_clear(&arena);
	return 0;
}

static const struct qos_policy *
good(const char *text)
{
	const struct qos_policy *p = NULL;

	conf_error_clear(&e);
	if (qos_policy_parse("F", text, strlen(text), parts, &arena, &p, &e) != 0)
		fail_msg("refused: %s", e.text);
	assert_null(e.text);
	return p;
}

static void
warned(const char *line)
{
	assert_non_null(e.warnings);
	if (!strstr(e.warnings, line))
		fail_msg("expected '%s' in '%s'", line, e.warnings);
}

static void
bad(const char *text, const char *line)
{
	const struct qos_policy *p = NULL;

	conf_error_clear(&e);
	assert_int_equal(qos_policy_parse("F", text, strlen(text), parts, &arena, &p, &e), -EINVAL);
	assert_null(p);
	assert_non_null(e.text);
	if (strncmp(e.text, line, strlen(line)) != 0)
		fail_msg("expected '%s', got '%s'", line, e.text);
	assert_ptr_equal(strchr(e.text, '\n'), e.text + strlen(e.text) - 1);
}

#define DEFAULT "qos-levels\nqos-level\nname: DEFAULT\nsl: 0\nend-qos-level\nend-qos-levels\n"

static void
ranges_are(const struct qos_ranges *r, const struct qos_range *want, uint32_t n)
{
	assert_int_equal(r->n, n);
	for (uint32_t i = 0; i < n; i++) {
		assert_true(r->v[i].first == want[i].first);
		assert_true(r->v[i].last == want[i].last);
	}
}
#define RANGES(r, ...) do { \
	static const struct qos_range want_[] = { __VA_ARGS__ }; \
	ranges_are(&(r), want_, sizeof(want_) / sizeof(want_[0])); \
} while (0)

/* The shortest there is, in both notations. */
static void
test_shortest(void **state)
{
	const struct qos_policy *p = good(DEFAULT);

	(void)state;
	assert_string_equal(p->file, "F");
	assert_int_equal(p->nrules, 0);
	assert_int_equal(p->nlevels, 1);
	assert_string_equal(p->levels[p->default_level].name, "DEFAULT");
	p = good("qos-ulps\n\tdefault : 15 # all\nend-qos-ulps");
	assert_int_equal(p->levels[p->default_level].sl, 15);
	p = good("\r\n # nothing\r\nqos-ulps\r\nDEFAULT:3\r\nend-qos-ulps\r\n");
	assert_int_equal(p->levels[p->default_level].sl, 3);
	p = good("qos-levels qos-level name: default\n sl:1\n end-qos-level end-qos-levels # names have no case");
	assert_int_equal(p->levels[p->default_level].sl, 1);
}

static void
test_groups(void **state)
{
	const struct qos_policy *p = good("port-groups\n"
		"  port-group # using port GUIDs\n"
		"    name: Storage\n"
		"    use: SRP Targets, \"and # others\"\n"
		"    port-guid: 0x10000000000001, 0x10000000000005-0x1000000000FFFA\n"
		"    port-guid: 0xFFFFFFFFFFFFFFFF\n"
		"  end-port-group\n"
		"  port-group\n"
		"    name: Virtual Servers\n"
		"    port-name: vs1 HCA-1/P1, \"vs,2 HCA-1/P2\",\n"
		"       a/b/p254\n"
		"  end-port-group\n"
		"  port-group\n"
		"    name:\"Partitions # all\"\n"
		"    partition: Part1, red blue\n"
		"    pkey: 0x1234,0x8001-0x8003\n"
		"  end-port-group\n"
		"  port-group\n"
		"    node-type: ca, Self\n"
		"    node-type: ROUTER\n"
		"    name: types\n"
		"  end-port-group\n"
		"  port-group\nname: all\nnode-type: ALL\nend-port-group\n"
		"end-port-groups\n" DEFAULT);

	(void)state;
	assert_int_equal(p->ngroups, 5);
	assert_string_equal(p->groups[0].name, "Storage");
	RANGES(p->groups[0].guids, { 0x10000000000001, 0x10000000000001 }, { 0x10000000000005, 0x1000000000FFFA },
		{ UINT64_MAX, UINT64_MAX });
	assert_string_equal(p->groups[1].name, "Virtual Servers");
	assert_int_equal(p->groups[1].nnames, 3);
	assert_string_equal(p->groups[1].names[0].node, "vs1 HCA-1");
	assert_int_equal(p->groups[1].names[0].port, 1);
	assert_string_equal(p->groups[1].names[1].node, "vs,2 HCA-1");
	assert_string_equal(p->groups[1].names[2].node, "a/b");
	assert_int_equal(p->groups[1].names[2].port, 254);
	assert_string_equal(p->groups[2].name, "Partitions # all");
	RANGES(p->groups[2].pkeys, { 1, 3 }, { 0x10, 0x10 }, { 0x20, 0x20 }, { 0x1234, 0x1234 });
	assert_int_equal(p->groups[3].types, QOS_TYPE_CA | QOS_TYPE_SELF | QOS_TYPE_ROUTER);
	assert_int_equal(p->groups[4].types, QOS_TYPE_CA | QOS_TYPE_SWITCH | QOS_TYPE_ROUTER);
	assert_null(e.warnings);
}

/* Limited and full keys of a number are one: what reaches from the former into the latter is two ranges, or all. */
static void
test_pkeys(void **state)
{
	static const char text[] = "port-groups\n"
		"port-group\nname: over\npkey: 0x7ff0-0x8010\nend-port-group\n"
		"port-group\nname: all\npkey: 0x10-0x8010\nend-port-group\n"
		"port-group\nname: most\npkey: 0x10-0x800e, 0x9000\nend-port-group\n"
		"port-group\nname: full\npkey: 0x8000-0xffff\nend-port-group\n"
		"port-group\nname: end\npkey: 0x7ffe-0x7fff, 0x9000-0x8ffe\nend-port-group\n"
		"end-port-groups\n" DEFAULT;
	const struct qos_policy *p = good(text);

	(void)state;
	RANGES(p->groups[0].pkeys, { 0, 0x10 }, { 0x7ff0, 0x7fff });
	RANGES(p->groups[1].pkeys, { 0, 0x7fff });
	RANGES(p->groups[2].pkeys, { 0, 0xe }, { 0x10, 0x7fff });
	RANGES(p->groups[3].pkeys, { 0, 0x7fff });
	RANGES(p->groups[4].pkeys, { 0xffe, 0x1000 }, { 0x7ffe, 0x7fff });
}

static void
test_levels(void **state)
{
	const struct qos_policy *p = good("qos-levels\n"
		"qos-level\nname: DEFAULT\nuse: default QoS Level\nsl: 0\nend-qos-level\n"
		"qos-level\nsl: 0xf\nname: Whole Set\nmtu-limit: 4\nrate-limit: 5\npkey: 0x1234\npkey: 0x9235-0x9240, 7\n"
		"packet-life: 8\npath-bits: 2,4,8-32\nend-qos-level\n"
		"qos-level\nname: edge\nsl:017\nmtu-limit:5\nrate-limit:26\npacket-life:0\nend-qos-level\n"
		"end-qos-levels\n");
	const struct qos_level *l = &p->levels[1];

	(void)state;
	assert_int_equal(p->nlevels, 3);
	assert_int_equal(p->default_level, 0);
	assert_int_equal(l->sl, 15);
	assert_int_equal(l->mtu, 4);
	assert_int_equal(l->rate, 5);
	assert_true(l->has_life);
	assert_int_equal(l->life, 8);
	RANGES(l->pkeys, { 7, 7 }, { 0x1234, 0x1240 });
	RANGES(l->path_bits, { 2, 2 }, { 4, 4 }, { 8, 32 });
	assert_false(p->levels[0].has_life);
	assert_int_equal(p->levels[0].mtu, 0);
	assert_int_equal(p->levels[2].sl, 15);
	assert_true(p->levels[2].has_life);
}

static void
test_rules(void **state)
{
	const struct qos_policy *p = good("qos-match-rules\n"
		"qos-match-rule\nuse: by class\nqos-class: 7-9,11\nqos-level-name: wholeset\nend-qos-match-rule\n"
		"qos-match-rule\nqos-level-name: DEFAULT\nqos-class: 1\nsource: storage,\"Virtual Servers\"\ndestination: VIRTUALSERVERS\n"
		"service-id: 0x10000000000001, 0x10000000000008-0x10000000000FFF\npkey: 0x0F00-0x0FFF\nend-qos-match-rule\n"
		"end-qos-match-rules\n"
		"port-groups\nport-group\nname: Virtual Servers\nnode-type:CA\nend-port-group\n"
		"port-group\nname: Storage\nnode-type:CA\nend-port-group\nend-port-groups\n"
		"qos-levels\nqos-level\nname: Whole Set\nsl: 1\nend-qos-level\nend-qos-levels\n" DEFAULT);

	(void)state;
	assert_int_equal(p->nrules, 2);
	RANGES(p->rules[0].classes, { 7, 9 }, { 11, 11 });
	assert_int_equal(p->rules[0].level, 0);
	assert_int_equal(p->rules[0].line, 2);
	assert_int_equal(p->rules[0].src.n + p->rules[0].dst.n + p->rules[0].services.n + p->rules[0].pkeys.n, 0);
	assert_int_equal(p->rules[1].level, 1);
	assert_int_equal(p->rules[1].src.n, 2);
	assert_int_equal(p->rules[1].src.v[0], 1);
	assert_int_equal(p->rules[1].src.v[1], 0);
	assert_int_equal(p->rules[1].dst.n, 1);
	assert_int_equal(p->rules[1].dst.v[0], 0);
	RANGES(p->rules[1].services, { 0x10000000000001, 0x10000000000001 }, { 0x10000000000008, 0x10000000000FFF });
	RANGES(p->rules[1].pkeys, { 0xf00, 0xfff });
	warned("F:7: warning: no partition has a P_Key of 0xf00-0xfff");
}

static void
test_ulps(void **state)
{
	const struct qos_policy *p = good("qos-ulps\n"
		"default : 9\n"
		"sdp, port-num 30000 : 0\nSDP,port-num 10000-20000,65535:1\nsdp : 2\n"
		"rds : 3\nrds, port-num 25000 : 4\n"
		"iser, port-num 900 : 5\niSER : 6\n"
		"ipoib, pkey 0x8010 : 7\nipoib : 8\n"
		"any, service-id 0x6234 : 10\nany , pkey 0x10-0x20 : 11\n"
		"srp, target-port-guid 0x1234 : 12\nany, target-port-guid 0x0ABC-0xFFFFF : 13\n"
		"any, source-port-guid 0x5678 : 14\nany, source-target-port-guid 0x9abcd : 15\n"
		"any, service-id 1 : 0\n"
		"end-qos-ulps\n"
		"qos-match-rules\nqos-match-rule\nqos-class:1\nqos-level-name:x\nend-qos-match-rule\nend-qos-match-rules\n"
		"qos-levels\nqos-level\nname:x\nsl:5\nend-qos-level\nend-qos-levels\n");
	static const struct qos_range services[] = {
		{ 0x17530, 0x17530 }, { 0x12710, 0x14e20 }, { 0x10000, 0x1ffff }, { 0x10648ca, 0x10648ca },
		{ 0x10661a8, 0x10661a8 }, { 0x1060384, 0x1060384 }, { 0x1060cbc, 0x1060cbc },
	};

	(void)state;
	assert_int_equal(p->nrules, 17);
	assert_int_equal(p->rules[0].classes.n, 1);     /* match rules come first */
	assert_int_equal(p->levels[p->default_level].sl, 9);
	for (uint32_t i = 1; i < 17; i++)
		assert_int_equal(p->levels[p->rules[i].level].sl, i == 16 ? 0 : i < 10 ? i - 1 : i);
	for (unsigned i = 0; i < 7; i++) {
		assert_true(p->rules[1 + i].services.v[0].first == services[i].first);
		assert_true(p->rules[1 + i].services.v[0].last == services[i].last);
	}
	RANGES(p->rules[2].services, { 0x12710, 0x14e20 }, { 0x1ffff, 0x1ffff });
	RANGES(p->rules[8].pkeys, { 0x10, 0x10 });
	RANGES(p->rules[9].pkeys, { 0x7fff, 0x7fff });
	RANGES(p->rules[10].services, { 0x6234, 0x6234 });
	RANGES(p->rules[11].pkeys, { 0x10, 0x20 });
	assert_int_equal(p->rules[12].dst.n, 1);
	assert_int_equal(p->rules[12].src.n, 0);
	RANGES(p->groups[p->rules[13].dst.v[0]].guids, { 0xabc, 0xfffff });
	assert_int_equal(p->rules[14].src.n, 1);
	assert_int_equal(p->rules[14].dst.n, 0);
	assert_int_equal(p->rules[15].src.v[0], p->rules[15].dst.v[0]);
}

static void
test_setup(void **state)
{
	const struct qos_policy *p = good(DEFAULT "qos-setup\n"
		"vlarb-tables\nvlarb-scope\ngroup: A\nacross: B,A\nvlarb-high: 0:255,1:127\nvlarb-high: 14:0\nvlarb-low: 8:255,\n9:127\n"
		"vl-high-limit: 10\nend-vlarb-scope\nvlarb-scope\ngroup: B\nend-vlarb-scope\nend-vlarb-tables\n"
		"sl2vl-tables\nsl2vl-scope\ngroup: A\nacross: B\nacross-from: A\nacross-to: A\nfrom: *\nto: 1,3-4,254\n"
		"sl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nend-sl2vl-scope\n"
		"sl2vl-scope\nacross-to: B\nsl2vl-table: 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0\nend-sl2vl-scope\nend-sl2vl-tables\n"
		"end-qos-setup\nqos-setup\nend-qos-setup\n"
		"port-groups\nport-group\nname:A\nnode-type:CA\nend-port-group\nport-group\nname:B\nnode-type:CA\nend-port-group\n"
		"end-port-groups\n");

	(void)state;
	assert_int_equal(p->nvlarb, 2);
	assert_int_equal(p->vlarb[0].groups.n, 1);
	assert_int_equal(p->vlarb[0].across.n, 2);
	assert_int_equal(p->vlarb[0].across.v[0], 1);
	assert_int_equal(p->vlarb[0].high.n, 3);
	assert_int_equal(p->vlarb[0].high.e[1].weight, 127);
	assert_int_equal(p->vlarb[0].high.e[2].vl, 14);
	assert_int_equal(p->vlarb[0].low.n, 2);
	assert_int_equal(p->vlarb[0].low.e[1].vl, 9);
	assert_true(p->vlarb[0].has_high_limit);
	assert_int_equal(p->vlarb[0].high_limit, 10);
	assert_false(p->vlarb[1].has_high_limit || p->vlarb[1].high.set || p->vlarb[1].low.set);
	assert_int_equal(p->nsl2vl, 2);
	assert_int_equal(p->sl2vl[0].across_from.n, 2);
	assert_int_equal(p->sl2vl[0].across_to.n, 2);
	assert_true(p->sl2vl[0].from[3] == UINT64_MAX >> 1);    /* 0..254 */
	assert_true(p->sl2vl[0].to[0] == 0x1a);
	assert_true(p->sl2vl[0].to[3] == UINT64_C(1) << 62);
	assert_int_equal(p->sl2vl[0].table.vl[15], 15);
	assert_true(p->sl2vl[1].to[2] == UINT64_MAX && p->sl2vl[1].from[0] == UINT64_MAX);
}

#define GROUP(line) "port-groups\nport-group\nname: g\n" line "\nend-port-group\nend-port-groups\n"
#define LEVEL(line) "qos-levels\nqos-level\nname: g\nsl: 1\n" line "\nend-qos-level\nend-qos-levels\n"
#define RULE(line) "qos-match-rules\nqos-match-rule\nqos-level-name: DEFAULT\n" line "\nend-qos-match-rule\nend-qos-match-rules\n"
#define ULP(line) "qos-ulps\n" line "\nend-qos-ulps\n"
#define ARB(line) "qos-setup\nvlarb-tables\nvlarb-scope\n" line "\nend-vlarb-scope\nend-vlarb-tables\nend-qos-setup\n"
#define MAP(line) "qos-setup\nsl2vl-tables\nsl2vl-scope\n" line "\nend-sl2vl-scope\nend-sl2vl-tables\nend-qos-setup\n"

static void
test_bad_shape(void **state)
{
	(void)state;
	bad("", "F:1: error: expected a qos-level of the name DEFAULT, or a default in qos-ulps, got 'the end of the file'");
	bad("# x\n\nfoo\n", "F:3: error: expected port-groups, qos-setup, qos-levels, qos-match-rules or qos-ulps, got 'foo'");
	bad("end-qos-ulps", "F:1: error: expected port-groups,");
	bad("name: x", "F:1: error: expected port-groups, qos-setup, qos-levels, qos-match-rules or qos-ulps, got 'name'");
	bad(": x", "F:1: error: expected port-groups, qos-setup, qos-levels, qos-match-rules or qos-ulps, got ':'");
	bad("qos-levels\n", "F:2: error: expected end-qos-levels, got the end of the file; the qos-levels begins in line 1");
	bad("qos-ulps\n\n", "F:3: error: expected end-qos-ulps, got the end of the file; the qos-ulps begins in line 1");
	bad("qos-levels\nname: x\n", "F:2: error: expected qos-level or end-qos-levels, got 'name'");
	bad("qos-levels\nqos-level\nend-qos-levels\n", "F:3: error: expected name:, use:, sl:, mtu-limit:, rate-limit:, packet-life:, "
		"path-bits:, pkey: or end-qos-level, got 'end-qos-levels'");
	bad("Qos-Levels\n", "F:1: error: expected port-groups,");
	bad("port-groups port-group\nname storage\n", "F:2: error: expected ':' behind the keyword, got 'storage'");
	bad("port-groups port-group\nname\n: storage\n", "F:2: error: expected ':' behind the keyword, got 'the end of the line'");
}

static void
test_bad_groups(void **state)
{
	(void)state;
	bad(GROUP("name: h"), "F:4: error: expected 'name' once, got it twice");
	bad(GROUP("name:"), "F:4: error: expected 'name' once");
	bad("port-groups\nport-group\nname:\nend-port-group", "F:3: error: expected a name, got 'the end of the line'");
	bad("port-groups\nport-group\nname: \"\"\nend-port-group", "F:3: error: expected a name");
	bad("port-groups\nport-group\nname: a,b\nend-port-group", "F:3: error: expected nothing more on this line, got ','");
	bad("port-groups\nport-group\nname: \"a\nend-port-group", "F:3: error: expected a closing quote on the same line");
	bad("port-groups\nport-group\nnode-type: CA\nend-port-group\n", "F:4: error: expected a name in the port-group, got 'end-port-group'");
	bad(GROUP("port-guid: 0x10-"), "F:4: error: expected port GUIDs, as in 0x10,0x20-0x2f, got 'the end of the line'");
	bad(GROUP("port-guid: x"), "F:4: error: expected port GUIDs, as in 0x10,0x20-0x2f, got 'x'");
	bad(GROUP("port-guid: 0x1ffffffffffffffff"), "F:4: error: expected port GUIDs");
	bad(GROUP("port-guid: 0xg"), "F:4: error: expected port GUIDs, as in 0x10,0x20-0x2f, got '0xg'");
	bad(GROUP("port-guid: 08"), "F:4: error: expected port GUIDs");
	bad(GROUP("port-guid: -1"), "F:4: error: expected port GUIDs, as in 0x10,0x20-0x2f, got '-1'");
	bad(GROUP("port-guid: 1 2"), "F:4: error: expected nothing more on this line, got '2'");
	bad(GROUP("pkey: 0x10000"), "F:4: error: expected P_Keys, as in 0x1,0x10-0x1f, got '0x10000'");
	bad(GROUP("port-name: n"), "F:4: error: expected a port name, as in \"node HCA-1/P1\", got 'n'");
	bad(GROUP("port-name: n/1"), "F:4: error: expected a port name, as in \"node HCA-1/P1\", got 'n/1'");
	bad(GROUP("port-name: /P1"), "F:4: error: expected a port name");
	bad(GROUP("port-name: n/P"), "F:4: error: expected a port name");
	bad(GROUP("port-name: n/P255"), "F:4: error: expected a port name");
	bad(GROUP("port-name: n/P1x"), "F:4: error: expected a port name");
	bad(GROUP("port-name: a/P1,,b/P1"), "F:4: error: expected a port name");
	bad(GROUP("node-type: HCA"), "F:4: error: expected CA, SWITCH, ROUTER, SELF or ALL, got 'HCA'");
	bad(GROUP("sl: 1"), "F:4: error: expected name:, use:, port-guid:, port-name:, pkey:, partition:, node-type: or end-port-group, got 'sl'");
}

static void
test_bad_levels(void **state)
{
	(void)state;
	bad(LEVEL("sl: 2"), "F:5: error: expected 'sl' once, got it twice");
	bad("qos-levels\nqos-level\nname: x\nend-qos-level", "F:4: error: expected an sl in the qos-level, got 'end-qos-level'");
	bad("qos-levels\nqos-level\nsl: 1\nend-qos-level", "F:4: error: expected a name in the qos-level, got 'end-qos-level'");
	bad("qos-levels\nqos-level\nsl: 16\nend-qos-level", "F:3: error: expected a service level from 0 to 15, got '16'");
	bad("qos-levels\nqos-level\nsl: 1,2\nend-qos-level", "F:3: error: expected nothing more on this line, got ','");
	bad(LEVEL("mtu-limit: 0"), "F:5: error: expected an MTU code from 1 to 5, got '0'");
	bad(LEVEL("mtu-limit: 6"), "F:5: error: expected an MTU code from 1 to 5, got '6'");
	bad(LEVEL("mtu-limit: 1\nmtu-limit: 2"), "F:6: error: expected 'mtu-limit' once");
	bad(LEVEL("rate-limit: 1"), "F:5: error: expected a rate code from 2 to 26, got '1'");
	bad(LEVEL("rate-limit: 27"), "F:5: error: expected a rate code from 2 to 26, got '27'");
	bad(LEVEL("packet-life: 64"), "F:5: error: expected a packet life from 0 to 63, got '64'");
	bad(LEVEL("packet-life: 0\npacket-life: 0"), "F:6: error: expected 'packet-life' once");
	bad(LEVEL("path-bits: *"), "F:5: error: expected path bits, as in 0,2-3, got '*'");
	bad(LEVEL(""), "F:8: error: expected a qos-level of the name DEFAULT");
}

static void
test_bad_rules(void **state)
{
	(void)state;
	bad(DEFAULT RULE("qos-level-name: x"), "F:10: error: expected 'qos-level-name' once");
	bad(DEFAULT "qos-match-rules\nqos-match-rule\nend-qos-match-rule", "F:9: error: expected a qos-level-name in the qos-match-rule, "
		"got 'end-qos-match-rule'");
	bad(DEFAULT "qos-match-rules\nqos-match-rule\n\nqos-level-name: gone\nend-qos-match-rule end-qos-match-rules",
		"F:10: error: expected the name of a qos-level, got 'gone', which is none");
	bad(DEFAULT RULE("source: storage"), "F:10: error: expected the name of a port-group, got 'storage', which is none");
	bad(DEFAULT GROUP("node-type: CA") RULE("destination: g,\n\n\"no body\""),
		"F:18: error: expected the name of a port-group, got 'no body', which is none");
	bad(DEFAULT RULE("service-id: sdp"), "F:10: error: expected service IDs, as in 0x10000,0x20000-0x2ffff, got 'sdp'");
	bad(DEFAULT RULE("qos-class: "), "F:10: error: expected QoS classes, as in 1,7-9, got 'the end of the line'");
	bad(DEFAULT RULE("sl: 1"), "F:10: error: expected use:, qos-class:, source:, destination:, service-id:, pkey:, qos-level-name: or "
		"end-qos-match-rule, got 'sl'");
}

static void
test_bad_ulps(void **state)
{
	(void)state;
	bad(ULP("default : 16"), "F:2: error: expected a service level from 0 to 15, got '16'");
	bad(ULP("default 1"), "F:2: error: expected ':' and a service level, got '1'");
	bad(ULP("mpi : 1"), "F:2: error: expected default, sdp, rds, iser, srp, ipoib, any or end-qos-ulps, got 'mpi'");
	bad(ULP("srp : 1"), "F:2: error: expected ',' and a selector behind the protocol, got ':'");
	bad(ULP("any : 1"), "F:2: error: expected ',' and a selector behind the protocol, got ':'");
	bad(ULP("sdp, pkey 1 : 1"), "F:2: error: expected a selector that this protocol has");
	bad(ULP("sdp, port-num 65536 : 1"), "F:2: error: expected port numbers up to 65535, as in 10000-20000, got '65536'");
	bad(ULP("any, pkey 0x10000 : 1"), "F:2: error: expected P_Keys, as in 0x1,0x10-0x1f, got '0x10000'");
	bad(ULP("any, service-id 1,2"), "F:2: error: expected ':' and a service level, got 'the end of the line'");
	bad(ULP("any, service-id : 1"), "F:2: error: expected numbers, as in 0x10,0x20-0x2f, got ':'");
	bad(ULP("sdp : 1"), "F:4: error: expected a qos-level of the name DEFAULT");
}

static void
test_bad_setup(void **state)
{
	char many[1024] = DEFAULT "qos-setup\nvlarb-tables\nvlarb-scope\nvlarb-high: 0:0";

	(void)state;
	bad(DEFAULT ARB("vlarb-high: 0:1"), "F:11: error: expected a group or across in the vlarb-scope, got 'end-vlarb-scope'");
	bad(DEFAULT ARB("group: g"), "F:10: error: expected the name of a port-group, got 'g', which is none");
	bad(DEFAULT ARB("vlarb-high: 15:1"), "F:10: error: expected a VL from 0 to 14, as in 0:255,1:64, got '15'");
	bad(DEFAULT ARB("vlarb-low: 1:256"), "F:10: error: expected a weight from 0 to 255, got '256'");
	bad(DEFAULT ARB("vlarb-low: 1"), "F:10: error: expected ':' and a weight, got 'the end of the line'");
	bad(DEFAULT ARB("vl-high-limit: 256"), "F:10: error: expected a limit from 0 to 255, got '256'");
	bad(DEFAULT ARB("vl-high-limit: 2\nvl-high-limit: 2"), "F:11: error: expected 'vl-high-limit' once");
	for (unsigned i = 1; i < 65; i++)
		strcat(many, ",0:0");
	bad(many, "F:10: error: expected at most 64 entries, got '0:0'");
	bad(DEFAULT MAP("group: g"), "F:11: error: expected an sl2vl-table in the sl2vl-scope, got 'end-sl2vl-scope'");
	bad(DEFAULT MAP("sl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"), "F:11: error: expected a group, across, across-from or across-to");
	bad(DEFAULT MAP("sl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14"), "F:10: error: expected 16 VLs, got 'the end of the line'");
	bad(DEFAULT MAP("sl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7,7"), "F:10: error: expected 16 VLs, got '7'");
	bad(DEFAULT MAP("sl2vl-table: 16"), "F:10: error: expected a VL from 0 to 15, got '16'");
	bad(DEFAULT MAP("from: 255"), "F:10: error: expected '*' or port numbers up to 254, as in 1-4,7, got '255'");
	bad(DEFAULT MAP("to: *,1"), "F:10: error: expected nothing more on this line, got ','");
}

static void
test_warnings(void **state)
{
	const struct qos_policy *p;

	(void)state;
	good(DEFAULT GROUP("partition: nobody"));
	warned("F:10: warning: there is no partition 'nobody'\n");
	warned("F:11: warning: nobody is in the port-group 'g'\n");
	good(DEFAULT GROUP("node-type: CA") GROUP("node-type: SWITCH"));
	warned("F:17: warning: there is a port-group 'g' already; the first one counts\n");
	p = good(DEFAULT LEVEL("") LEVEL("mtu-limit: 2"));
	warned("F:19: warning: there is a qos-level 'g' already; the first one counts\n");
	assert_int_equal(p->nlevels, 3);
	p = good(DEFAULT RULE("qos-class: 9-7,0x1000"));
	RANGES(p->rules[0].classes, { 7, 9 }, { 0x1000, 0x1000 });
	warned("F:10: warning: 0x9-0x7 is written backwards\n");
	warned("F:10: warning: QoS classes end at 0xfff\n");
	good(DEFAULT RULE("") RULE("qos-class: 1"));
	warned("F:8: warning: the rule fits every question: those behind it are never reached\n");
	p = good(DEFAULT ULP("default: 1\ndefault: 2"));
	assert_int_equal(p->levels[p->default_level].sl, 0);
	warned("F:9: warning: there is a default already; the last one counts\n");
	warned("there is a qos-level DEFAULT, so the default of qos-ulps does not count\n");
	good(DEFAULT GROUP("port-guid: 2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1"));
	assert_int_equal(strlen(e.warnings) / strlen("F:10: warning: 0x2-0x1 is written backwards\n"), 12);    /* every one */
	bad(DEFAULT GROUP("port-guid: 2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1,2-1") "x", "F:13: error: expected port-groups, ");
}

static void
test_zero_byte(void **state)
{
	static const char text[] = "qos-ulps\ndefault: 1\0\nend-qos-ulps\n";
	const struct qos_policy *p;

	(void)state;
	conf_error_clear(&e);
	assert_int_equal(qos_policy_parse("F", text, sizeof(text) - 1, parts, &arena, &p, &e), -EINVAL);
	assert_string_equal(e.text, "F:2: error: expected text, got 'a zero byte'\n");
}

/* ---- as part of the configuration ---- */

static void
write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int
load(const char *path, bool qos, struct conf **c)
{
	char *argv[] = { (char *)"heddled", (char *)"-F", (char *)"/dev/null", (char *)"--Pconfig", (char *)"/dev/null",
		(char *)"-Y", (char *)path, qos ? (char *)"-Q" : NULL, NULL };

	conf_error_clear(&e);
	return conf_load(qos ? 8 : 7, argv, c, &e);
}

static void
test_conf(void **state)
{
	char path[] = "/tmp/qos-policy-XXXXXX";
	struct conf *c, *fresh;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	write_file(path, ULP("default: 3"));
	assert_int_equal(load(path, false, &c), 0);
	assert_null(c->qos_policy);                     /* without qos it is not looked at */
	warned("heddled: warning: qos is FALSE, so that qos_policy_file /tmp/");
	conf_free(c);
	assert_int_equal(load(path, true, &c), 0);
	assert_string_equal(c->qos_policy->file, path);
	write_file(path, "qos-ulps\ndefault: 16\n");
	conf_error_clear(&e);
	assert_true(conf_reload(c, &fresh, &e) < 0);    /* the last good one stays */
	assert_non_null(strstr(e.text, ":2: error: expected a service level from 0 to 15, got '16'"));
	write_file(path, ULP("default: 4"));
	assert_int_equal(conf_reload(c, &fresh, &e), 0);
	assert_int_equal(fresh->qos_policy->levels[fresh->qos_policy->default_level].sl, 4);
	conf_free(fresh);
	unlink(path);
	conf_error_clear(&e);
	assert_true(conf_reload(c, &fresh, &e) < 0);
	assert_non_null(strstr(e.text, path));
	conf_free(c);
	assert_true(load(path, true, &c) < 0);
	assert_non_null(strstr(e.text, path));
}

int
main(void)
{
#define T(t) cmocka_unit_test_setup_teardown(t, qos_policy_setup, qos_policy_teardown)
	const struct CMUnitTest tests[] = {
		T(test_shortest), T(test_groups), T(test_pkeys), T(test_levels), T(test_rules), T(test_ulps), T(test_setup), T(test_bad_shape),
		T(test_bad_groups), T(test_bad_levels), T(test_bad_rules), T(test_bad_ulps), T(test_bad_setup), T(test_warnings),
		T(test_zero_byte), T(test_conf),
	};

	return cmocka_run_group_tests_name("qos_policy", tests, NULL, NULL);
}
