/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Files that --load reads: topologies, documents, and what is neither.
 */
#include <config.h>
#include <unistd.h>
#include "diags/ask/asking.h"
#include "diags/ask/saved.h"
#include "diags/core/context.h"
#include "diags/core/status.h"
#include "fabric/snapshot/snapshot_json.h"
#include "tests/unit/diags/fake.h"

static const struct diag_tool tool = { .name = "test" };

static int
read_text(const char *text, struct saved *saved)
{
	char *path = fake_file(text);
	struct diag d;
	int r;

	diag_begin(&d, &tool, &diag_asking_ports, "test");
	r = diag_saved_read(&d, path, saved);
	assert_int_equal(json_array_size(d.errors), r ? 1 : 0);
	diag_clear(&d);
	unlink(path);
	free(path);
	return r;
}

static void
documents(void **state)
{
	struct snapshot *s = fake_snapshot();
	json_t *o = snapshot_to_json(s), *whole = json_pack("{s:s, s:o}", "schema", "heddle.x", "snapshot", o);
	char *bare = json_dumps(o, 0), *text = json_dumps(whole, 0);
	struct saved saved;

	(void)state;
	assert_int_equal(read_text(text, &saved), 0);
	assert_int_equal(saved.s->nnodes, s->nnodes);
	assert_null(saved.c);
	assert_null(saved.twin);
	assert_false(saved.drawn);
	snapshot_free(saved.s);
	assert_int_equal(read_text(bare, &saved), 0);           /* the snapshot's own members */
	assert_int_equal(saved.s->nlinks, s->nlinks);
	snapshot_free(saved.s);
	free(text);
	free(bare);
	json_decref(whole);
	snapshot_free(s);
}

static void
topologies(void **state)
{
	struct saved saved;

	(void)state;
	assert_int_equal(read_text("vendid=0x2c9\ndevid=0x1003\nsysimgguid=0x200\ncaguid=0x200\nCa\t1 \"H-0000000000000200\"\t\t# \"host-0\"\n",
		&saved), 0);
	assert_int_equal(saved.s->nnodes, 1);
	assert_true(saved.drawn);
	snapshot_free(saved.s);
}

static void
neither(void **state)
{
	static const char *const bad[] = { "", "{", "{}", "{\"snapshot\": 5}", "[1]", "words that are no topology\n" };
	struct saved saved;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_text(bad[i], &saved), EXIT_USAGE);
		assert_null(saved.s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(documents), cmocka_unit_test(topologies), cmocka_unit_test(neither) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
