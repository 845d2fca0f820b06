/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * The node name map, and descriptions that cannot be printed.
 */
#include <config.h>
#include <unistd.h>
#include "diags/core/names.h"
#include "diags/core/out.h"
#include "diags/core/status.h"
#include "tests/unit/diags/fake.h"

static int
names_show(struct diag *d, int argc, char **argv)
{
	static const uint8_t plain[64] = "desc", odd[64] = "a\033[1m\377z";
	uint8_t full[64];
	char name[DIAG_NAME_BYTES];

	(void)argc;
	(void)argv;
	memset(full, 'x', sizeof(full));
	for (uint64_t guid = 0x10; guid <= 0x13; guid++)
		diag_text(d, "%s\n", diag_name(d, guid, plain, name));
	diag_text(d, "%s\n", diag_name(d, 1, odd, name));
	diag_text(d, "%zu\n", strlen(diag_name(d, 1, full, name)));
	diag_text(d, "%llx %llx\n", (unsigned long long)diag_name_guid(d, "spine 1"), (unsigned long long)diag_name_guid(d, "desc"));
	return 0;
}

static const struct diag_tool tool = {
	.name = "tool", .flags = DIAG_NAMES | DIAG_NO_PORT, .run = names_show
};

static void
map(void **state)
{
	char *path = fake_file("# names\n0x11 \"spine 1\" # the first\n0x10\tleaf\n0x11 later\n0x12\nwhat\n0x13x y\n");
	char args[300];
	struct outcome o;

	(void)state;
	snprintf(args, sizeof(args), "--node-name-map %s", path);
	o = fake_run(&tool, args);
	assert_int_equal(o.status, 0);
	assert_string_equal(o.out, "leaf\nspine 1\ndesc\ndesc\na [1m z\n64\n11 0\n");
	assert_non_null(strstr(o.err, ":6: no GUID and name"));
	assert_non_null(strstr(o.err, ":7: no GUID and name"));
	assert_null(strstr(o.err, ":5:"));
	outcome_clear(&o);
	unlink(path);
	free(path);
}

static void
missing(void **state)
{
	struct outcome o = fake_run(&tool, "--node-name-map /nonexistent/map");

	(void)state;
	assert_int_equal(o.status, EXIT_USAGE);
	assert_non_null(strstr(o.err, "cannot read the node name map /nonexistent/map"));
	outcome_clear(&o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(map), cmocka_unit_test(missing) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
