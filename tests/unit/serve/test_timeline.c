/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_timeline.c - scripts of faults: what is refused when they are read, and what runs when.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"
#include "sim/serve/timeline.h"

static char path[64];

static int
read_script(const char *text, size_t n, struct timeline **t, char why[CONTROL_WHY])
{
	int fd, r;

	snprintf(path, sizeof(path), "/tmp/heddle-timeline-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, n), n);
	close(fd);
	r = timeline_read(path, t, why);
	unlink(path);
	return r;
}

static void
refused(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "0 explode\n", "line 1: no command 'explode'" },
		{ "0 clear\n1 pull\n", "line 2: usage: pull " },
		{ "soon clear\n", "line 1: 'soon'" },
	};
	struct timeline *t;
	char why[CONTROL_WHY];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_script(bad[i].text, strlen(bad[i].text), &t, why), -EINVAL);
		assert_null(t);
		assert_non_null(strstr(why, bad[i].why));
		assert_non_null(strstr(why, path));
	}
	assert_int_equal(read_script("0 clear\0\n", 9, &t, why), -EINVAL);
	assert_non_null(strstr(why, "not a text"));
	assert_int_equal(timeline_read("/nonexistent/script", &t, why), -ENOENT);
	assert_null(t);
	timeline_free(NULL);
}

static bool
is_up(struct rig *r)
{
	return rig_get(r, NODE_INFO_ID, 0, "1");
}

/* The first call is time 0, whatever the clock says; commands run once, when they are due. */
static void
runs(void **state)
{
	static const char text[] = "0.5 pull S-51:1\n+1 plug H-a0:1 S-51:1\n";
	struct rig r;
	struct server s = { .timeline = NULL };
	struct monotime at, begin = { 1000000000 };
	char why[CONTROL_WHY];

	(void)state;
	rig_make(&r, &(struct hw_conf){ .seed = 1 });
	s.hw = r.h;
	s.kmad = kmad_new(r.h);
	timeline_run(&s, begin); /* no script is no failure */
	assert_false(timeline_deadline(&s, &at));
	assert_int_equal(read_script(text, strlen(text), &s.timeline, why), 0);
	timeline_run(&s, begin);
	assert_true(timeline_deadline(&s, &at));
	assert_int_equal(at.us, begin.us + 500000);
	timeline_run(&s, monotime_add_us(begin, 499999));
	assert_true(is_up(&r));
	timeline_run(&s, monotime_add_us(begin, 500000));
	assert_false(is_up(&r));
	assert_true(timeline_deadline(&s, &at));
	assert_int_equal(at.us, begin.us + 1500000);
	timeline_run(&s, monotime_add_us(begin, 9000000));
	assert_false(timeline_deadline(&s, &at));
	timeline_free(s.timeline);
	kmad_free(s.kmad);
	hw_free(r.h);
}

/* A command that fails is reported, and the next one runs. */
static void
goes_on(void **state)
{
	static const char text[] = "0 pull nobody:1\n0 pull S-51:1\n";
	struct rig r;
	struct server s = { .timeline = NULL };
	char why[CONTROL_WHY];

	(void)state;
	rig_make(&r, &(struct hw_conf){ .seed = 1 });
	s.hw = r.h;
	s.kmad = kmad_new(r.h);
	assert_int_equal(read_script(text, strlen(text), &s.timeline, why), 0);
	timeline_run(&s, (struct monotime){ 0 });
	assert_false(is_up(&r));
	timeline_free(s.timeline);
	kmad_free(s.kmad);
	hw_free(r.h);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(runs),
		cmocka_unit_test(goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
