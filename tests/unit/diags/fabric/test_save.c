/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_save.c - fabrics written as documents, and read again.
 */
#include <config.h>
#include <unistd.h>
#include "diags/ask/saved.h"
#include "diags/fabric/save.h"
#include "tests/unit/diags/world.h"

static char *
file_name(void)
{
	return fake_file("");
}

static void
forget(char *path)
{
	unlink(path);
	free(path);
}

static void
snapshot_alone(void **state)
{
	struct world *w = *state;
	char *path = file_name();
	struct diag_fabric f;
	struct saved saved;

	assert_int_equal(diag_fabric_save(&w->d, &w->f, path), 0);
	assert_int_equal(diag_fabric_load(&w->d, path, &f), 0);
	assert_false(f.drawn);
	assert_int_equal(f.s->nnodes, w->f.s->nnodes);
	assert_int_equal(f.s->nlinks, w->f.s->nlinks);
	assert_int_equal(f.s->sm_port, w->f.s->sm_port);
	assert_memory_equal(world_port(f.s, 0x100, 1)->info, world_port(w->f.s, 0x100, 1)->info,
		PORT_INFO_BYTES);
	diag_fabric_clear(&f);
	assert_int_equal(diag_saved_read(&w->d, path, &saved), 0);
	assert_null(saved.c); /* there is no "answers" */
	assert_null(saved.twin);
	snapshot_free(saved.s);
	forget(path);
}

static void
with_answers(void **state)
{
	static const uint8_t data[] = { 1, 2, 3 };
	struct world *w = *state;
	struct capture *c = capture_new();
	struct capture_key k = {
		.node = 3, .mgmt_class = CLASS_SM_LID, .attr_id = 0x1234, .modifier = 5
	};
	const struct capture_answer *a;
	char *path = file_name();
	struct saved saved;

	capture_add(c, &k, STATUS_OK, data, sizeof(data));
	k.modifier = 6;
	capture_add(c, &k, STATUS_BAD_VALUE, NULL, 0);
	assert_int_equal(diag_save(&w->d, &w->f, c, path), 0);
	capture_free(c);
	assert_int_equal(diag_saved_read(&w->d, path, &saved), 0);
	assert_int_equal(capture_count(saved.c), 2);
	a = capture_find(saved.c, &k);
	assert_int_equal(a->status, STATUS_BAD_VALUE);
	k.modifier = 5;
	a = capture_find(saved.c, &k);
	assert_int_equal(a->bytes, 3);
	assert_memory_equal(a->data, data, 3);
	capture_free(saved.c);
	snapshot_free(saved.s);
	snapshot_free(saved.twin);
	forget(path);
}

/* An empty capture is one: the file was made with answers, of which there were none. */
static void
no_answers(void **state)
{
	struct world *w = *state;
	struct capture *c = capture_new();
	char *path = file_name();
	struct saved saved;

	assert_int_equal(diag_save(&w->d, &w->f, c, path), 0);
	capture_free(c);
	assert_int_equal(diag_saved_read(&w->d, path, &saved), 0);
	assert_non_null(saved.c);
	capture_free(saved.c);
	snapshot_free(saved.s);
	snapshot_free(saved.twin);
	forget(path);
}

static void
cannot_write(void **state)
{
	struct world *w = *state;

	assert_int_equal(diag_fabric_save(&w->d, &w->f, "/nonexistent/x.json"), EXIT_USAGE);
	assert_int_equal(diag_status(&w->d), EXIT_USAGE);
	assert_int_equal(json_array_size(w->d.errors), 1);
	/* A disk that is full is told when the file is closed, at the latest. */
	if (!access("/dev/full", W_OK))
		assert_int_equal(diag_fabric_save(&w->d, &w->f, "/dev/full"), EXIT_USAGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(snapshot_alone, world_begin, world_end),
		cmocka_unit_test_setup_teardown(with_answers, world_begin, world_end),
		cmocka_unit_test_setup_teardown(no_answers, world_begin, world_end),
		cmocka_unit_test_setup_teardown(cannot_write, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
