/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * -y auto: the M_Key out of a heddled's configuration file, and files that are not trusted.
 */
#include <config.h>
#include <sys/stat.h>
#include <unistd.h>
#include "diags/ask/asking.h"
#include "diags/ask/mkey.h"
#include "diags/core/context.h"
#include "diags/core/status.h"
#include "tests/unit/diags/fake.h"

static const struct diag_tool tool = { .name = "test" };

struct result {
	int status;
	uint64_t mkey;
	bool of_daemon;
};

static struct result
read_conf(const char *text, mode_t mode)
{
	char *path = fake_file(text);
	struct result r;
	struct diag d;

	chmod(path, mode);
	diag_begin(&d, &tool, &diag_asking_ports, "test");
	r.status = diag_mkey_auto(&d, path, true);
	r.mkey = d.set.mkey;
	r.of_daemon = d.set.mkey_of_daemon;
	diag_clear(&d);
	unlink(path);
	free(path);
	return r;
}

static void
keys(void **state)
{
	static const struct { const char *text; uint64_t mkey; bool of_daemon; } rows[] = {
		{ "m_key = 0x1234\n", 0x1234, false },
		{ "  m_key=\"0x10\"\nm_key = 0x20\n", 0x20, false },           /* the last one counts */
		{ "# m_key = 1\n// m_key = 2\n/* m_key = 3\n*/ m_key = 4 # x\n", 4, false },
		{ "name = \"# no comment\"\nm_key = 5\n", 5, false },
		{ "m_key = auto\n", 0, true },
		{ "m_key_lease = 5\n", 0, true },
		{ "", 0, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct result r = read_conf(rows[i].text, 0600);

		assert_int_equal(r.status, 0);
		assert_true(r.mkey == rows[i].mkey);
		assert_int_equal(r.of_daemon, rows[i].of_daemon);
	}
}

static void
not_trusted(void **state)
{
	struct diag d;

	(void)state;
	assert_int_equal(read_conf("m_key = 1\n", 0620).status, EXIT_USAGE);
	assert_int_equal(read_conf("m_key = 1\n", 0602).status, EXIT_USAGE);
	diag_begin(&d, &tool, &diag_asking_ports, "test");
	assert_int_equal(diag_mkey_auto(&d, "/nonexistent/heddled.conf", true), EXIT_USAGE);
	diag_clear(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(keys), cmocka_unit_test(not_trusted) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
