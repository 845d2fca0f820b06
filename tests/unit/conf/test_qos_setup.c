/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_setup.c - the section qos-setup: scopes, tables at their limits, port sets, and each
 * mistake.
 */
#include <config.h>
#include "tests/unit/conf/qos_rig.h"

/* Reads a section with one scope of 'vlarb' or 'sl2vl'. */
static int
read_scope(struct qos_rig *g, const char *kind, const char *lines)
{
	char text[2400];

	snprintf(text, sizeof text,
		"%s-tables\n%s-scope\n%s\nend-%s-scope\nend-%s-tables\nend-qos-setup\n", kind, kind,
		lines, kind, kind);
	return qos_setup(qos_rig_read(g, text), NULL);
}

static const struct qos_draft_vlarb *
vlarb(struct qos_rig *g, const char *lines)
{
	if (read_scope(g, "vlarb", lines) != 0)
		fail_msg("refused: %s", g->e.text);
	assert_int_equal(g->r.d.vlarb.n, 1);
	return &g->r.d.vlarb.v[0];
}

static const struct qos_draft_sl2vl *
sl2vl(struct qos_rig *g, const char *lines)
{
	if (read_scope(g, "sl2vl", lines) != 0)
		fail_msg("refused: %s", g->e.text);
	assert_int_equal(g->r.d.sl2vl.n, 1);
	return &g->r.d.sl2vl.v[0];
}

#define TABLE "sl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"

static void
arbitration(void **state)
{
	struct qos_rig *g = *state;
	const struct qos_draft_vlarb *v = vlarb(g,
		"group: a, b\nacross: c\nvlarb-high: 0:255, 14:0,\n 3:64\nvl-high-limit: 255");

	assert_int_equal(v->groups.n, 2);
	assert_string_equal(v->groups.v[1].text, "b");
	assert_int_equal(v->across.n, 1);
	assert_true(v->scope.high.set);
	assert_int_equal(v->scope.high.n, 3);
	assert_int_equal(v->scope.high.e[0].weight, 255);
	assert_int_equal(v->scope.high.e[1].vl, 14);
	assert_int_equal(v->scope.high.e[1].weight, 0);
	assert_int_equal(v->scope.high.e[2].vl, 3);
	assert_false(v->scope.low.set);
	assert_true(v->scope.has_high_limit);
	assert_int_equal(v->scope.high_limit, 255);
	/* what is not said is not set */
	v = vlarb(g, "across: c\nvl-high-limit: 0");
	assert_int_equal(v->groups.n, 0);
	assert_false(v->scope.high.set);
	assert_true(v->scope.has_high_limit);
	v = vlarb(g, "group: c");
	assert_false(v->scope.has_high_limit);
}

/* 64 entries and no more, also over two lines of the same key. */
static void
arbitration_entries(void **state)
{
	struct qos_rig *g = *state;
	char text[1200] = "group: a\nvlarb-low: 1:1";
	const struct qos_draft_vlarb *v;

	for (unsigned i = 1; i < 60; i++)
		strcat(text, ",2:2");
	strcat(text, "\nvlarb-low: 3:3,4:4,5:5,6:6");
	v = vlarb(g, text);
	assert_int_equal(v->scope.low.n, 64);
	assert_int_equal(v->scope.low.e[63].vl, 6);
	strcat(text, ",7:7");
	assert_int_equal(read_scope(g, "vlarb", text), -EINVAL);
	assert_non_null(strstr(g->e.text, "at most 64 entries"));
	assert_int_equal(g->r.d.vlarb.n, 0);
}

/* All 16 VLs; without ports it means all ports. */
static void
mapping(void **state)
{
	struct qos_rig *g = *state;
	const struct qos_draft_sl2vl *v = sl2vl(g, TABLE "group: a");

	assert_true(v->scope.table.set);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(v->scope.table.vl[i], i);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(v->scope.from[i] == UINT64_MAX);
		assert_true(v->scope.to[i] == UINT64_MAX);
	}
	assert_int_equal(v->groups.n, 1);
	assert_int_equal(v->across_from.n, 0);
	/* across: both */
	v = sl2vl(g, TABLE "across: a,b\nacross-to: c\nacross-from: d");
	assert_int_equal(v->across_from.n, 3);
	assert_int_equal(v->across_to.n, 3);
	assert_string_equal(v->across_from.v[2].text, "d");
	assert_string_equal(v->across_to.v[1].text, "b");
	assert_string_equal(v->across_to.v[2].text, "c");
}

/* Port sets at the edges of their words; '*' is ports 0 to 254. */
static void
port_sets(void **state)
{
	struct qos_rig *g = *state;
	const struct qos_draft_sl2vl *v = sl2vl(g,
		TABLE "group: a\nfrom: 0,63-64,254\nfrom: 7\nto: *");

	assert_true(v->scope.from[0] == (UINT64_C(1) << 63 | 1 << 7 | 1));
	assert_true(v->scope.from[1] == 1);
	assert_true(v->scope.from[2] == 0);
	assert_true(v->scope.from[3] == UINT64_C(1) << 62);
	for (unsigned i = 0; i < 3; i++)
		assert_true(v->scope.to[i] == UINT64_MAX);
	assert_true(v->scope.to[3] == UINT64_MAX >> 1);
	assert_int_equal(read_scope(g, "sl2vl", TABLE "group: a\nfrom: 255"), -EINVAL);
	assert_int_equal(read_scope(g, "sl2vl", TABLE "group: a\nto: *1"), -EINVAL);
	assert_int_equal(read_scope(g, "sl2vl", TABLE "group: a\nto:"), -EINVAL);
}

/* Scopes keep the order of the file; sections may repeat and be empty. */
static void
many_scopes(void **state)
{
	struct qos_rig *g = *state;

	assert_int_equal(qos_setup(qos_rig_read(g, "end-qos-setup"), NULL), 0);
	assert_int_equal(qos_setup(qos_rig_read(g,
		"vlarb-tables end-vlarb-tables sl2vl-tables end-sl2vl-tables\n"
		"vlarb-tables vlarb-scope\ngroup: a\nend-vlarb-scope\n"
		"vlarb-scope\ngroup: b\nend-vlarb-scope\nend-vlarb-tables\nend-qos-setup"), NULL),
		0);
	assert_int_equal(g->r.d.vlarb.n, 2);
	assert_string_equal(g->r.d.vlarb.v[0].groups.v[0].text, "a");
	assert_string_equal(g->r.d.vlarb.v[1].groups.v[0].text, "b");
	assert_int_equal(g->r.d.vlarb.v[1].groups.v[0].line, 6);
}

static void
mistakes(void **state)
{
	static const struct {
		const char *kind, *lines, *where, *what;
	} rows[] = {
		{ "vlarb", "vlarb-high: 1:1", "F:4:", "a group or across in the vlarb-scope" },
		{ "vlarb", "group: a\nvlarb-high: 15:1", "F:4:", "a VL from 0 to 14" },
		{ "vlarb", "vlarb-high: 1:256", "F:3:", "a weight from 0 to 255" },
		{ "vlarb", "vlarb-high: 1", "F:3:", "':' and a weight" },
		{ "vlarb", "vlarb-high: 1:1,", "F:4:", "a VL from 0 to 14" },
		{ "vlarb", "vlarb-high:", "F:3:", "a VL from 0 to 14" },
		{ "vlarb", "vl-high-limit: 256", "F:3:", "a limit from 0 to 255" },
		{ "vlarb", "vl-high-limit: 1\nvl-high-limit: 1", "F:4:", "once, got it twice" },
		{ "vlarb", "sl2vl-table: 1", "F:3:", "got 'sl2vl-table'" },
		{ "vlarb", "group:", "F:3:", "the name of a port-group" },
		{ "sl2vl", TABLE, "F:5:", "a group, across, across-from or across-to" },
		{ "sl2vl", "group: a", "F:4:", "an sl2vl-table in the sl2vl-scope" },
		{ "sl2vl", TABLE TABLE, "F:4:", "once, got it twice" },
		{ "sl2vl", "sl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14", "F:3:", "16 VLs" },
		{ "sl2vl", "sl2vl-table: 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,0", "F:3:",
			"16 VLs" },
		{ "sl2vl", "sl2vl-table: 16", "F:3:", "a VL from 0 to 15" },
		{ "sl2vl", "vlarb-high: 1:1", "F:3:", "got 'vlarb-high'" },
	};
	struct qos_rig *g = *state;

	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_int_equal(read_scope(g, rows[i].kind, rows[i].lines), -EINVAL);
		assert_int_equal(g->e.nerrors, 1);
		if (!strstr(g->e.text, rows[i].what) ||
		    strncmp(g->e.text, rows[i].where, strlen(rows[i].where)) != 0)
			fail_msg("expected '%s %s' in '%s'", rows[i].where, rows[i].what,
				g->e.text);
		assert_int_equal(g->r.d.vlarb.n + g->r.d.sl2vl.n, 0);
	}
}

/* A section that the end of the file cuts off, at any byte, is an error and never a scope
 * too many. */
static void
cut_anywhere(void **state)
{
	static const char text[] =
		"vlarb-tables\nvlarb-scope\ngroup: a\nvlarb-high: 1:1,2:2\nend-vlarb-scope\n"
		"end-vlarb-tables\nsl2vl-tables\nsl2vl-scope\ngroup: a\nfrom: 1-3,7\nto: *\n" TABLE
		"end-sl2vl-scope\nend-sl2vl-tables\nend-qos-setup";
	struct qos_rig *g = *state;
	char part[sizeof text];

	for (size_t n = 0; n < sizeof text - 1; n++) {
		memcpy(part, text, n);
		part[n] = '\0';
		assert_int_equal(qos_setup(qos_rig_read(g, part), NULL), -EINVAL);
		assert_int_equal(g->e.nerrors, 1);
		assert_true(g->r.d.vlarb.n <= 1 && g->r.d.sl2vl.n <= 1);
	}
	assert_int_equal(qos_setup(qos_rig_read(g, text), NULL), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(arbitration, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(
			arbitration_entries, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(mapping, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(port_sets, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(many_scopes, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(mistakes, qos_rig_setup, qos_rig_teardown),
		cmocka_unit_test_setup_teardown(cut_anywhere, qos_rig_setup, qos_rig_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
