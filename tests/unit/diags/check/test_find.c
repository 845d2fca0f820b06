/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_find.c - what a check calls: findings, their ids, what is suppressed or not selected.
 */
#include <config.h>
#include <unistd.h>
#include "tests/unit/diags/check/checks.h"

static void
majority(void **state)
{
	uint64_t v[] = { 9, 3, 5, 9, 3, 1 }, one[] = { 7 };
	size_t n = 99;

	(void)state;
	assert_int_equal(check_majority(v, 6, &n), 3); /* the smallest of two */
	assert_int_equal(n, 2);
	assert_int_equal(v[0], 1);
	assert_int_equal(v[5], 9);
	assert_int_equal(check_majority(one, 1, NULL), 7);
	assert_int_equal(check_majority(NULL, 0, &n), 0);
	assert_int_equal(n, 0);
}

static void
names(void **state)
{
	struct checks *c = *state;
	const struct snapshot *s = c->run.f.s;
	char buf[CHECK_NAME_BYTES];

	assert_string_equal(check_name(&c->run, world_port(s, 0x100, 3), buf), "leaf-0 port 3");
	assert_string_equal(
		check_name(&c->run, check_node(&c->run, world_node(s, 0x100)), buf), "leaf-0");
}

static void
counted(void **state)
{
	struct checks *c = *state;
	const struct snapshot *s = c->run.f.s;
	const struct check_about w = { .a = world_port(s, 0x100, 1), .b = world_port(s, 0x200, 1) };
	const json_t *ends;

	c->run.at = 4;
	check_find(&c->run, CHECK_WARNING, "some_code", &w, "%s is %d", "it", 5);
	check_find(&c->run, CHECK_ERROR, "some_code", &(struct check_about){ .object = "fabric" },
		"x");
	check_find(&c->run, CHECK_ERROR, "other", &(struct check_about){ .a = NULL }, "y");
	assert_int_equal(c->run.nfindings, 3);
	assert_int_equal(checks_result(c)->count[CHECK_WARNING], 1);
	assert_int_equal(checks_result(c)->count[CHECK_ERROR], 2);
	assert_ptr_equal(c->run.findings[0].check, &check_links);
	assert_string_equal(c->run.findings[0].text, "it is 5");
	assert_string_equal(c->run.findings[0].object, "0x0000000000000100/1-0x0000000000000200/1");
	assert_string_equal(c->run.findings[2].object, "fabric");
	assert_int_equal(c->run.findings[0].id,
		diag_finding_id("some_code", "0x0000000000000100/1-0x0000000000000200/1"));
	ends = json_object_get(c->run.findings[0].detail, "ends");
	assert_int_equal(json_array_size(ends), 2);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(ends, 1), "name")), "host-0");
	assert_int_equal(c->run.findings[1].port[0], FAB_NONE);
}

/* Values are taken whether a finding is kept or not: the sanitizer would see a leak. */
static void
selected(void **state)
{
	struct checks *c = *state;
	const struct snapshot *s = c->run.f.s;
	int status;

	c->run.selection = select_parse(&c->d, &c->run.f, "node:spine-0", &status);
	assert_non_null(c->run.selection);
	check_find(&c->run, CHECK_ERROR, "code",
		&(struct check_about){ .a = world_port(s, 0x100, 1),
			.b = world_port(s, 0x200, 1),
			.value = json_integer(1),
			.expected = json_integer(2) },
		"of others");
	assert_int_equal(c->run.nfindings, 0);
	assert_int_equal(checks_result(c)->count[CHECK_ERROR], 0);
	/* One end is enough; so is a port of a node that is the subject as a whole. */
	check_find(&c->run, CHECK_ERROR, "code",
		&(struct check_about){ .a = world_port(s, 0x100, 4), .b = world_port(s, 0x400, 4) },
		"half");
	check_find(&c->run, CHECK_ERROR, "code",
		&(struct check_about){ .a = check_node(&c->run, world_node(s, 0x400)) }, "node");
	/* What is about no port cannot be left out. */
	check_find(
		&c->run, CHECK_ERROR, "code", &(struct check_about){ .object = "fabric" }, "all");
	assert_int_equal(c->run.nfindings, 3);
}

static void
suppressed(void **state)
{
	struct checks *c = *state;
	const struct snapshot *s = c->run.f.s;
	char *path = fake_file("known\nlocal host-0:*\n* object-7\n");

	assert_int_equal(suppress_read(&c->d, path, &c->run.suppress), 0);
	unlink(path);
	free(path);
	check_find(&c->run, CHECK_ERROR, "known",
		&(struct check_about){ .a = world_port(s, 0x100, 1), .value = json_integer(1) },
		"x");
	check_find(&c->run, CHECK_ERROR, "local",
		&(struct check_about){ .a = world_port(s, 0x100, 1), .b = world_port(s, 0x200, 1) },
		"x");
	check_find(&c->run, CHECK_ERROR, "new",
		&(struct check_about){ .a = world_port(s, 0x100, 1),
			.b = world_port(s, 0x200, 1),
			.object = "object-7" },
		"x");
	assert_int_equal(c->run.nfindings, 0);
	assert_int_equal(checks_result(c)->suppressed, 3);
	check_find(&c->run, CHECK_ERROR, "local",
		&(struct check_about){ .a = world_port(s, 0x100, 2) }, "x");
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_result(c)->suppressed, 3);
}

static void
ends(void **state)
{
	struct checks *c = *state;
	char text[300];

	check_looked(&c->run, "%u links", 48u);
	assert_string_equal(checks_result(c)->looked, "48 links");
	assert_int_equal(checks_result(c)->end, CHECK_DONE);
	check_skipped(&c->run, "no tables");
	assert_int_equal(checks_result(c)->end, CHECK_SKIPPED);
	assert_int_equal(diag_status(&c->d), EXIT_OK);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	check_partial(&c->run, "%s", text);
	assert_int_equal(checks_result(c)->end, CHECK_PARTIAL);
	assert_int_equal(strlen(checks_result(c)->looked), sizeof(checks_result(c)->looked) - 1);
	assert_int_equal(diag_status(&c->d), EXIT_PARTIAL);
}

/* A sentence as long as this is cut, not written over what follows. */
static void
long_text(void **state)
{
	struct checks *c = *state;
	char text[4000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	check_find(
		&c->run, CHECK_INFO, "code", &(struct check_about){ .object = text }, "%s", text);
	assert_int_equal(strlen(c->run.findings[0].text), 1023);
	assert_string_equal(c->run.findings[0].object, text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(majority, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(names, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(counted, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(selected, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(suppressed, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(ends, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(long_text, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
