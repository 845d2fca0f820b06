/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_flaps.c - changes of links and times in; which of them flap, when to look, lines.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/watch/flaps.h"

#define SECOND INT64_C(1000000)

struct bed {
	struct flaps *x;
	struct flaps_now w;
	struct log log;
	unsigned begun, quiet;
};

static void
count_line(void *arg, enum log_level level, const char *room, const char *line)
{
	struct bed *b = arg;

	(void)level;
	(void)room;
	b->begun += strstr(line, "link flapping: ") != NULL;
	b->quiet += strstr(line, "link quiet: ") != NULL;
}

static const char *
place(const void *arg, uint64_t guid, uint8_t port, char buf[static ROSTER_PLACE_BYTES])
{
	(void)arg;
	snprintf(buf, ROSTER_PLACE_BYTES, "sw-%llu port %u", (unsigned long long)guid, port);
	return buf;
}

static void
bed_make(struct bed *b)
{
	memset(b, 0, sizeof(*b));
	b->x = flaps_new();
	b->log = (struct log){ LOG_DETAIL, count_line, b };
	b->w = (struct flaps_now){ { 0 }, &b->log, place, NULL };
}

static bool
change(struct bed *b, uint64_t guid, uint8_t port, unsigned n)
{
	struct roster_end at = { guid, port }, other = { guid == 1 ? 2 : 1, port };

	return flaps_changed(b->x, at, other, n, &b->w);
}

/* The fourth change in ten seconds begins it; both ends that tell of the same three are no six. */
static void
four_changes(void **state)
{
	struct bed b;

	(void)state;
	bed_make(&b);
	for (unsigned i = 0; i < 3; i++, b.w.now.us += SECOND) {
		assert_false(change(&b, 1, 7, 1));
		assert_false(change(&b, 2, 7, 1));
	}
	assert_false(flaps_at(b.x, 1, 7));
	assert_true(change(&b, 2, 7, 1));
	assert_true(flaps_at(b.x, 1, 7) && flaps_at(b.x, 2, 7) && flaps_of(b.x, 1));
	assert_false(flaps_at(b.x, 1, 8) || flaps_of(b.x, 3));
	assert_false(change(&b, 1, 7, 5));
	assert_int_equal(b.begun, 1);
	assert_int_equal(flaps_count(b.x), 1);
	flaps_free(b.x);
}

static void
three_in_each_window(void **state)
{
	struct bed b;

	(void)state;
	bed_make(&b);
	for (unsigned i = 0; i < 60; i++, b.w.now.us += FLAPS_WINDOW_US / 3 + 1)
		assert_false(change(&b, 1, 7, 1));
	flaps_free(b.x);
}

static void
looks_and_quiet(void **state)
{
	struct monotime at;
	struct bed b;
	unsigned looks = 0;

	(void)state;
	bed_make(&b);
	assert_false(flaps_deadline(b.x, &at));
	assert_true(change(&b, 1, 7, 4));
	for (; b.w.now.us < 3600 * SECOND; b.w.now.us += SECOND) {
		change(&b, 1, 7, 1);
		looks += flaps_tick(b.x, b.w.now, &b.log);
	}
	assert_int_equal(looks, 25);            /* at 10, 30, 70, 150 s, then every 160 s */
	assert_int_equal(b.quiet, 0);
	assert_true(flaps_deadline(b.x, &at));
	assert_in_range(at.us, b.w.now.us, b.w.now.us + FLAPS_QUIET_US);
	b.w.now.us += FLAPS_QUIET_US;
	assert_true(flaps_tick(b.x, b.w.now, &b.log));
	assert_int_equal(b.quiet, 1);
	assert_int_equal(flaps_count(b.x), 0);
	assert_false(flaps_tick(b.x, b.w.now, &b.log));
	flaps_free(b.x);
}

/* More links than are counted: those that flap stay, the others give way when they have been quiet. */
static void
bounded(void **state)
{
	struct plan_end *ends;
	struct bed b;

	(void)state;
	bed_make(&b);
	for (unsigned i = 0; i < FLAPS_MAX + 100; i++)
		change(&b, 1000 + i / 200, (uint8_t)(1 + i % 200), 4);
	assert_int_equal(flaps_count(b.x), FLAPS_MAX);
	assert_int_equal(flaps_ends(b.x, &ends), FLAPS_MAX);
	free(ends);
	flaps_forget(b.x);
	for (unsigned i = 0; i < FLAPS_MAX; i++)
		change(&b, 1000 + i / 200, (uint8_t)(1 + i % 200), 1);
	assert_false(change(&b, 9, 9, 4));
	b.w.now.us += FLAPS_WINDOW_US + 1;
	assert_true(change(&b, 9, 9, 4));
	flaps_free(b.x);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_changes),
		cmocka_unit_test(three_in_each_window),
		cmocka_unit_test(looks_and_quiet),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
