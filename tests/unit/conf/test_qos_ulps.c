/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_ulps.c - the section qos-ulps: the rule that each protocol makes, and each mistake.
 */
#include <config.h>
#include "tests/unit/conf/qos_rig.h"

static int
read_section(struct qos_rig *g, const char *text)
{
	return qos_ulps(qos_rig_read(g, text), NULL);
}

/* The rule of a section with this one line. */
static const struct qos_rule *
rule_of(struct qos_rig *g, const char *line)
{
	char text[200];

	snprintf(text, sizeof text, "%s\nend-qos-ulps\n", line);
	if (read_section(g, text) != 0)
		fail_msg("refused: %s", g->e.text);
	assert_null(g->e.text);
	assert_int_equal(g->r.d.ulps.n, 1);
	return &g->r.d.ulps.v[0].rule;
}

static void
expect_range(const struct qos_ranges *r, uint64_t first, uint64_t last)
{
	assert_int_equal(r->n, 1);
	assert_true(r->v[0].first == first);
	assert_true(r->v[0].last == last);
}

/* Protocols that are service IDs. */
static void
services(void **state)
{
	static const struct {
		const char *line;
		uint64_t first, last;
	} rows[] = {
		{ "sdp : 3", 0x10000, 0x1ffff }, { "SDP:3", 0x10000, 0x1ffff },
		{ "sdp, port-num 0-65535: 3", 0x10000, 0x1ffff },
		{ "sdp, port-num 10000: 3", 0x10000 + 10000, 0x10000 + 10000 },
		{ "rds: 3", 0x10648ca, 0x10648ca }, { "rds,port-num 1-2: 3", 0x1060001, 0x1060002 },
		{ "iser: 3", 0x1060cbc, 0x1060cbc },
		{ "iser, port-num 0xffff: 3", 0x106ffff, 0x106ffff },
		{ "any, service-id 0-0xffffffffffffffff: 3", 0, UINT64_MAX },
	};
	struct qos_rig *g = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct qos_rule *r = rule_of(g, rows[i].line);

		expect_range(&r->services, rows[i].first, rows[i].last);
		assert_int_equal(r->pkeys.n, 0);
		assert_int_equal(r->src.n, 0);
		assert_int_equal(r->dst.n, 0);
		assert_int_equal(r->line, 1);
		assert_int_equal(g->r.d.levels.v[r->level].sl, 3);
	}
}

static void
partitions(void **state)
{
	struct qos_rig *g = *state;

	expect_range(&rule_of(g, "ipoib: 0")->pkeys, 0x7fff, 0x7fff);
	expect_range(&rule_of(g, "ipoib, pkey 0x8001: 0")->pkeys, 1, 1);
	expect_range(&rule_of(g, "any, pkey 0-0xffff: 15")->pkeys, 0, 0x7fff);
}

/* Ports become a group without a name: of the target, of the source, or one for both. */
static void
ports(void **state)
{
	static const struct {
		const char *line;
		bool src, dst;
	} rows[] = {
		{ "srp, target-port-guid 0x10-0x1f: 1", false, true },
		{ "any, target-port-guid 0x10-0x1f: 1", false, true },
		{ "any, source-port-guid 0x10-0x1f: 1", true, false },
		{ "any, source-target-port-guid 0x10-0x1f: 1", true, true },
	};
	struct qos_rig *g = *state;

	for (unsigned i = 0; i < 4; i++) {
		const struct qos_rule *r = rule_of(g, rows[i].line);

		assert_int_equal(g->r.d.groups.n, 1);
		assert_string_equal(g->r.d.groups.v[0].name, "");
		expect_range(&g->r.d.groups.v[0].guids, 0x10, 0x1f);
		assert_int_equal(r->src.n, rows[i].src);
		assert_int_equal(r->dst.n, rows[i].dst);
		if (rows[i].src)
			assert_int_equal(r->src.v[0], 0);
		if (rows[i].dst)
			assert_int_equal(r->dst.v[0], 0);
		assert_int_equal(r->services.n, 0);
	}
}

/* Rules keep the order of the file; one level per SL, whatever uses it. */
static void
levels(void **state)
{
	struct qos_rig *g = *state;

	assert_int_equal(read_section(g, "sdp: 3\nrds: 15\n# x\niser: 3\ndefault: 0\nend-qos-ulps"),
		0);
	assert_int_equal(g->r.d.ulps.n, 3);
	assert_int_equal(g->r.d.levels.n, 2);
	assert_int_equal(g->r.d.ulps.v[0].rule.level, 0);
	assert_int_equal(g->r.d.ulps.v[1].rule.level, 1);
	assert_int_equal(g->r.d.ulps.v[2].rule.level, 0);
	assert_int_equal(g->r.d.ulps.v[2].rule.line, 4);
	assert_int_equal(g->r.d.ulp_default, 0);
	assert_int_equal(qos_ulp_level(&g->r, 15), 1);
	assert_int_equal(qos_ulp_level(&g->r, 14), 2);
	assert_int_equal(qos_ulp_level(&g->r, 14), 2);
	assert_int_equal(g->r.d.levels.n, 3);
	assert_int_equal(g->r.d.levels.v[2].sl, 14);
}

/* The last default counts, with a warning; none is -1. */
static void
default_level(void **state)
{
	struct qos_rig *g = *state;

	assert_int_equal(read_section(g, "end-qos-ulps"), 0);
	assert_int_equal(g->r.d.ulp_default, -1);
	assert_int_equal(g->r.d.ulps.n, 0);
	assert_int_equal(read_section(g, "default: 0\nDefault :5\nend-qos-ulps"), 0);
	assert_int_equal(g->r.d.ulp_default, 5);
	assert_int_equal(g->e.nwarnings, 1);
	assert_non_null(strstr(g->e.warnings, "F:2: warning: there is a default already"));
}

static void
mistakes(void **state)
{
	static const struct {
		const char *text, *where, *what;
	} rows[] = {
		{ "sdp: 1\n", "F:2:",
			"expected end-qos-ulps, got the end of the file; the qos-ulps "
			"begins in line 1" },
		{ "tcp: 1", "F:1:", "got 'tcp'" },
		{ "\nEND-QOS-ULPS", "F:2:", "got 'END-QOS-ULPS'" },
		{ "sdp, pkey 1: 1", "F:1:", "a selector that this protocol has" },
		{ "sdp,: 1", "F:1:", "a selector that this protocol has" },
		{ "srp: 1", "F:1:", "',' and a selector" },
		{ "any: 1", "F:1:", "',' and a selector" },
		{ "sdp", "F:1:", "':' and a service level" },
		{ "sdp:", "F:1:", "a service level from 0 to 15" },
		{ "sdp: 16", "F:1:", "a service level from 0 to 15" },
		{ "sdp: 1 2", "F:1:", "nothing more on this line" },
		{ "sdp, port-num 65536: 1", "F:1:", "port numbers up to 65535" },
		{ "sdp, port-num : 1", "F:1:", "port numbers up to 65535" },
		{ "any, service-id 0x10000000000000000: 1", "F:1:", "numbers, as in" },
		{ "any, pkey 0x10000: 1", "F:1:", "P_Keys" }, { "default 3", "F:1:", "':'" },
		{ ": 1", "F:1:", "got ':'" },
	};
	struct qos_rig *g = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(read_section(g, rows[i].text), -EINVAL);
		assert_int_equal(g->e.nerrors, 1);
		assert_int_equal(strncmp(g->e.text, rows[i].where, strlen(rows[i].where)), 0);
		if (!strstr(g->e.text, rows[i].what))
			fail_msg("expected '%s' in '%s'", rows[i].what, g->e.text);
		assert_int_equal(g->r.d.ulps.n, i == 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(services, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(partitions, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(ports, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(levels, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(default_level, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(mistakes, qos_rig_setup, qos_rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
