/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_answers.c - problems of a sweep as findings: which code, and which port they are about.
 */
#include <config.h>
#include "tests/unit/diags/check/checks.h"

static struct fab_problem *
problems(struct checks *c, uint32_t n)
{
	struct snapshot *s = c->run.f.s;

	s->problems = arena_array(&s->arena, n, sizeof(*s->problems));
	s->nproblems = n;
	for (uint32_t i = 0; i < n; i++)
		s->problems[i] = (struct fab_problem){ .kind = FAB_UNANSWERED,
			.guid = 0x100,
			.count = 1,
			.hop_count = 1,
			.path = { 0, 1 },
			.attr_id = PORT_INFO_ID,
			.reason = "why" };
	return s->problems;
}

static void
none(void **state)
{
	struct checks *c = *state;

	checks_do(c, &check_answers);
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "5 nodes");
}

static void
kinds(void **state)
{
	static const struct {
		enum fab_problem_kind kind;
		const char *code;
		enum check_severity severity;
	} rows[] = {
		{ FAB_UNRESPONSIVE, "no_answer", CHECK_ERROR },
		{ FAB_UNANSWERED, "no_answer", CHECK_ERROR },
		{ FAB_BAD_STATUS, "bad_answer", CHECK_ERROR },
		{ FAB_BAD_REPLY, "bad_answer", CHECK_ERROR },
		{ FAB_MOVED_CABLE, "fabric_changed", CHECK_WARNING },
		{ FAB_TOO_FAR, "too_far", CHECK_WARNING },
	};
	struct checks *c = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		problems(c, 1)->kind = (uint8_t)rows[i].kind;
		checks_do(c, &check_answers);
		assert_int_equal(c->run.nfindings, 1);
		assert_int_equal(checks_finding(c, rows[i].code)->severity, rows[i].severity);
	}
	/* The check of identities reports these. */
	problems(c, 1)->kind = FAB_DUPLICATE_GUID;
	checks_do(c, &check_answers);
	assert_int_equal(c->run.nfindings, 0);
}

static void
place(void **state)
{
	struct checks *c = *state;
	const struct snapshot *s = c->run.f.s;
	struct fab_problem *t = problems(c, 1);

	t->port = 2;
	checks_do(c, &check_answers);
	assert_int_equal(
		checks_finding(c, "no_answer")->port[0], world_port(s, 0x100, 2) - s->ports);
	assert_string_equal(checks_finding(c, "no_answer")->text,
		"leaf-0 port 2 does not answer PortInfo (route 0,1)");
	t->count = 2;
	checks_do(c, &check_answers);
	assert_non_null(strstr(checks_finding(c, "no_answer")->text,
		"PortInfo and other requests"));
	/* An adapter answers for itself; what is behind its port is another node. */
	t->guid = 0x200;
	t->port = 1;
	checks_do(c, &check_answers);
	assert_int_equal(
		checks_finding(c, "no_answer")->port[0], world_port(s, 0x200, 0) - s->ports);
	t->kind = FAB_UNRESPONSIVE;
	checks_do(c, &check_answers);
	assert_int_equal(
		checks_finding(c, "no_answer")->port[0], world_port(s, 0x200, 1) - s->ports);
}

/* A saved fabric may name what is not there. */
static void
unknown_place(void **state)
{
	struct checks *c = *state;
	const struct snapshot *s = c->run.f.s;
	struct fab_problem *t = problems(c, 1);

	t->port = 200;
	checks_do(c, &check_answers);
	assert_int_equal(
		checks_finding(c, "no_answer")->port[0], world_port(s, 0x100, 0) - s->ports);
	t->guid = 0x999;
	t->kind = 77;
	checks_do(c, &check_answers);
	assert_int_equal(c->run.nfindings, 0);
	t->kind = FAB_BAD_REPLY;
	t->attr_id = 0x1234;
	checks_do(c, &check_answers);
	assert_int_equal(checks_finding(c, "bad_answer")->port[0], FAB_NONE);
	assert_string_equal(checks_finding(c, "bad_answer")->object, "path 0,1");
	assert_non_null(strstr(checks_finding(c, "bad_answer")->text, "the node at 0,1"));
	t->kind = FAB_UNANSWERED;
	t->hop_count = DGRAM_HOPS_MAX;
	memset(t->path + 1, 254, sizeof(t->path) - 1);
	checks_do(c, &check_answers);
	assert_non_null(strstr(checks_finding(c, "no_answer")->object, ",254,254"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(none, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(kinds, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(place, checks_begin, checks_end),
		cmocka_unit_test_setup_teardown(unknown_place, checks_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
