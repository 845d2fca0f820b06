/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_fabric.c - where the fabric of a tool comes from, and the order of its nodes.
 */
#include <config.h>
#include <unistd.h>
#include "diags/fabric/fabric_int.h"
#include "tests/unit/diags/world.h"

/* Saves the fabric, which a run with --load then has. */
static char *
load_saved(struct world *w)
{
	char *path = fake_file("");

	assert_int_equal(diag_fabric_save(&w->d, &w->f, path), 0);
	diag_settings_mut(&w->d)->load = strdup(path);
	return path;
}

static void
file(void **state)
{
	struct world *w = *state;
	char *path = load_saved(w);
	struct diag_fabric f;
	int status = 99;

	assert_true(diag_fabric_known(&w->d, &f, &status));
	assert_int_equal(status, 0);
	assert_string_equal(w->d.source, "file");
	assert_int_equal(f.s->nnodes, 5);
	assert_int_equal(f.max_hops, 3);
	diag_fabric_clear(&f);
	/* With --load nobody is asked, whatever is wanted. */
	assert_int_equal(diag_fabric(&w->d, DIAG_WANT_LFT | DIAG_WANT_PKEYS, &f), 0);
	diag_fabric_clear(&f);
	diag_fabric_clear(&f);
	unlink(path);
	assert_true(diag_fabric_known(&w->d, &f, &status));
	assert_int_equal(status, EXIT_USAGE);
	assert_null(f.s);
	free(path);
}

/* Problems of the saved sweep are reported, and make the run partial. */
static void
problems(void **state)
{
	struct world *w = *state;
	struct snapshot *s = w->f.s;
	struct diag_fabric f;
	char *path;

	s->problems = arena_array(&s->arena, 2, sizeof(*s->problems));
	s->nproblems = 2;
	s->problems[0] = (struct fab_problem){ .kind = FAB_UNANSWERED,
		.guid = 0x100,
		.hop_count = 1,
		.path = { 0, 1 },
		.attr_id = PORT_INFO_ID,
		.count = 1 };
	s->problems[1] = (struct fab_problem){ .kind = FAB_BAD_REPLY,
		.guid = 0x100,
		.attr_id = 0x7777,
		.count = 1,
		.reason = "too many ports" };
	path = load_saved(w);
	assert_int_equal(diag_fabric(&w->d, 0, &f), 0);
	assert_int_equal(diag_status(&w->d), EXIT_PARTIAL);
	assert_int_equal(json_array_size(w->d.errors), 2);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(w->d.errors, 0), "code")),
		"timeout");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(w->d.errors, 1), "code")),
		"bad_reply");
	diag_fabric_clear(&f);
	unlink(path);
	free(path);
}

static void
topology_file(void **state)
{
	struct world *w = *state;
	char *path = fake_file(
		"Switch 2 \"S-0000000000000100\" # \"leaf\"\n"
		"[1] \"H-0000000000000200\"[1]\n\nCa 1 \"H-0000000000000200\" # \"host\"\n"
		"[1] \"S-0000000000000100\"[1]\n");
	struct diag_fabric f;

	assert_int_equal(diag_fabric_load(&w->d, path, &f), 0);
	assert_true(f.drawn);
	assert_int_equal(f.s->nnodes, 2);
	diag_fabric_clear(&f);
	unlink(path);
	free(path);
}

static void
unreadable(void **state)
{
	static const char *const bad[] = { "", "{", "[]", "{\"snapshot\":5}", "Switch\n" };
	struct world *w = *state;
	struct diag_fabric f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *path = fake_file(bad[i]);

		assert_int_equal(diag_fabric_load(&w->d, path, &f), EXIT_USAGE);
		assert_null(f.s);
		unlink(path);
		free(path);
	}
}

/* Breadth first from our port, then reversed; what is not connected is listed first. */
static void
order(void **state)
{
	struct world *w = *state;
	uint32_t *v;

	world_unplug(w->f.s, 0x100, 4);
	v = fabric_order(w->f.s);
	assert_int_equal(w->f.s->nodes[v[4]].guid, 0x200);
	assert_int_equal(w->f.s->nodes[v[3]].guid, 0x100);
	assert_int_equal(w->f.s->nodes[v[2]].guid, 0x300);
	assert_int_equal(w->f.s->nodes[v[1]].guid, 0x400);
	assert_int_equal(w->f.s->nodes[v[0]].guid, 0x500);
	free(v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file, world_begin, world_end),
		cmocka_unit_test_setup_teardown(problems, world_begin, world_end),
		cmocka_unit_test_setup_teardown(topology_file, world_begin, world_end),
		cmocka_unit_test_setup_teardown(unreadable, world_begin, world_end),
		cmocka_unit_test_setup_teardown(order, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
