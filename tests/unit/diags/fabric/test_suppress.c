/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Lists of findings that are known already: ids, codes, codes of one end.
 */
#include <config.h>
#include <unistd.h>
#include "diags/ask/asking.h"
#include "diags/core/context.h"
#include "diags/core/status.h"
#include "diags/fabric/suppress.h"
#include "tests/unit/diags/fake.h"

static const struct diag_tool tool = { .name = "test" };

static int
read_list(const char *text, struct suppress **s)
{
	char *path = fake_file(text);
	struct diag d;
	int r;

	diag_begin(&d, &tool, &diag_asking_ports, "test");
	r = suppress_read(&d, path, s);
	diag_clear(&d);
	unlink(path);
	free(path);
	return r;
}

static void
matches(void **state)
{
	static const char *const leaf[] = { "leaf-1:3", "0x100:3", NULL }, *const spine[] = { "spine-1:3", NULL };
	struct suppress *s;

	(void)state;
	assert_int_equal(read_list("# known\n0x1234  # one finding\nlink_slow\nlink_down leaf-*:3\n* spine-9:*\n\n", &s), 0);
	assert_true(suppress_match(s, "anything", 0x1234, spine));
	assert_false(suppress_match(s, "anything", 0x1235, spine));
	assert_true(suppress_match(s, "link_slow", 1, spine));
	assert_true(suppress_match(s, "link_down", 1, leaf));
	assert_false(suppress_match(s, "link_down", 1, spine));
	assert_true(suppress_match(s, "other", 1, (const char *const[]){ "spine-9:1", NULL }));
	assert_false(suppress_match(NULL, "link_slow", 1, leaf));
	suppress_free(s);
	suppress_free(NULL);
}

static void
refused(void **state)
{
	static const char *const bad[] = { "0x\n", "0x0\n", "Link Slow\n", "a;b\n" };
	struct suppress *s;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_list(bad[i], &s), EXIT_USAGE);
		suppress_free(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(matches), cmocka_unit_test(refused) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
