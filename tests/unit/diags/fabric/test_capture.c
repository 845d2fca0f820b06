/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_capture.c - what a capture asks a fabric for, and what of the answers it writes.
 */
#include <config.h>
#include <unistd.h>
#include "diags/ask/saved.h"
#include "diags/fabric/save.h"
#include "libmad/attr/gen_attr.h"
#include "libmad/attr/pm_attr.h"
#include "tests/unit/diags/world.h"

static void
words(void **state)
{
	static const char *const bad[] = { "", ",", "lft,", "lfts", "lf", "lft pma", "lft,,pma" };
	unsigned what;

	(void)state;
	assert_true(save_words("lft", &what));
	assert_int_equal(what, SAVE_LFT);
	assert_true(save_words("PMA,sm,qos", &what));
	assert_int_equal(what, SAVE_PMA | SAVE_SM | SAVE_QOS);
	assert_true(save_words("all", &what));
	assert_int_equal(what, SAVE_ALL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (strcmp(bad[i], "lft,"))
			assert_false(save_words(bad[i], &what));
}

/* What the fabric answers, and the file that is made of it. */
static struct saved
captured(struct world *w, struct capture *answers, unsigned what, int expected)
{
	char *path = fake_file("");
	struct saved s;

	world_answer(&w->d, fake_snapshot(), answers);
	assert_int_equal(diag_capture(&w->d, &w->f, what, path), expected);
	assert_int_equal(diag_saved_read(&w->d, path, &s), 0);
	unlink(path);
	free(path);
	return s;
}

static void
saved_clear(struct saved *s)
{
	capture_free(s->c);
	snapshot_free(s->s);
	snapshot_free(s->twin);
}

/* Tables that the snapshot has are not asked for again. */
static void
tables(void **state)
{
	static const uint8_t lft[] = { 255, 0, 1, 2, 4, 4 };
	struct world *w = *state;
	struct saved s;

	world_lft(w->f.s, 0x100, lft, sizeof(lft));
	s = captured(w, NULL, SAVE_LFT, 0);
	assert_int_equal(capture_count(s.c), 1);
	assert_int_equal(world_node(s.s, 0x100)->lft[4], 4);
	assert_int_equal(diag_status(&w->d), EXIT_OK);
	saved_clear(&s);
}

/* Keys never leave the fabric in a file. */
static void
no_secrets(void **state)
{
	struct world *w = *state;
	struct capture *c = capture_new();
	struct capture_key k = {
		.node = 1, .port = 1, .mgmt_class = CLASS_SM_LID, .attr_id = SM_INFO_ID
	};
	struct sm_info i = { .guid = 0x201, .sm_key = 0x1234567890, .priority = 7 };
	const struct capture_answer *a;
	uint8_t data[SM_INFO_BYTES] = { 0 }, got[SM_INFO_BYTES] = { 0 };
	struct saved s;

	sm_info_encode(data, &i);
	capture_add(c, &k, STATUS_OK, data, sizeof(data));
	WORLD_SET(world_port(w->f.s, 0x200, 1), capability_mask, PORT_CAP_IS_SM);
	s = captured(w, c, SAVE_SM, 0);
	assert_int_equal(capture_count(s.c), 1);
	a = capture_find(s.c, &k);
	memcpy(got, a->data, a->bytes);
	assert_int_equal(sm_info_decode(got).guid, 0x201);
	assert_int_equal(sm_info_decode(got).priority, 7);
	assert_int_equal(sm_info_decode(got).sm_key, 0);
	saved_clear(&s);
}

/* What is refused is kept as such; what is not answered is left out, and makes the run partial. */
static void
refused(void **state)
{
	struct world *w = *state;
	struct capture *c = capture_new();
	struct capture_key k = {
		.node = 1, .port = 1, .mgmt_class = CLASS_SM_LID, .attr_id = GUID_INFO_ID
	};
	struct saved s;

	capture_add(c, &k, STATUS_BAD_METHOD_ATTR, NULL, 0);
	s = captured(w, c, SAVE_GUIDS, 0);
	assert_int_equal(capture_count(s.c), 1);
	assert_int_equal(capture_find(s.c, &k)->status, STATUS_BAD_METHOD_ATTR);
	assert_int_equal(diag_status(&w->d), EXIT_PARTIAL);
	saved_clear(&s);
}

/* Counters are asked for once it is known what a node can. */
static void
counters(void **state)
{
	struct world *w = *state;
	struct capture *c = capture_new();
	struct capture_key k = {
		.node = 1, .port = 1, .mgmt_class = CLASS_PM, .attr_id = CLASS_PORT_INFO_ID
	};
	uint8_t caps[CLASS_PORT_INFO_BYTES] = { 0 },
		image[PM_PORT_COUNTERS_BYTES] = { 0, 1, 0, 0, 0, 9 };
	struct saved s;

	class_port_info_encode(caps, &(struct class_port_info){ .base_version = 1 });
	capture_add(c, &k, STATUS_OK, caps, sizeof(caps));
	k.attr_id = PM_PORT_COUNTERS_ID;
	k.select = 1;
	capture_add(c, &k, STATUS_OK, image, sizeof(image));
	s = captured(w, c, SAVE_PMA, 0);
	assert_non_null(capture_find(s.c, &k));
	k.attr_id = PM_PORT_COUNTERS_EXT_ID; /* it has none */
	assert_null(capture_find(s.c, &k));
	saved_clear(&s);
}

static void
cannot_write(void **state)
{
	struct world *w = *state;

	world_answer(&w->d, fake_snapshot(), NULL);
	assert_int_equal(diag_capture(&w->d, &w->f, SAVE_LFT, "/nonexistent/x"), EXIT_USAGE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(words, world_begin, world_end),
		cmocka_unit_test_setup_teardown(tables, world_begin, world_end),
		cmocka_unit_test_setup_teardown(no_secrets, world_begin, world_end),
		cmocka_unit_test_setup_teardown(refused, world_begin, world_end),
		cmocka_unit_test_setup_teardown(counters, world_begin, world_end),
		cmocka_unit_test_setup_teardown(cannot_write, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
