/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * From what operators type to addresses: LIDs, routes, GUIDs and names, resolved by a saved fabric.
 */
#include <config.h>
#include <errno.h>
#include "diags/ask/address.h"
#include "diags/ask/asking.h"
#include "diags/ask/engine.h"
#include "diags/ask/replay.h"
#include "diags/core/context.h"
#include "diags/core/status.h"
#include "tests/unit/diags/fake.h"

static const struct diag_tool tool = { .name = "test" };

static int
address_begin(void **state)
{
	struct diag *d = calloc(1, sizeof(*d));

	diag_begin(d, &tool, &diag_asking_ports, "test");
	engine_open(d, replay_open(fake_snapshot(), NULL), NULL);
	*state = d;
	return 0;
}

static int
address_end(void **state)
{
	struct diag *d = *state;

	diag_clear(d);
	free(d);
	return 0;
}

static void
lids(void **state)
{
	static const char *const bad[] = { "0", "49152", "5x", "-1" };
	struct diag *d = *state;
	struct diag_addr a;

	assert_int_equal(diag_address(d, "0x5", &a), 0);
	assert_int_equal(a.kind, DIAG_ADDR_LID);
	assert_int_equal(a.lid, 5);
	assert_int_equal(diag_address(d, "lid:7", &a), 0);
	assert_int_equal(a.lid, 7);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(diag_address(d, bad[i], &a), EXIT_USAGE);
}

static void
routes(void **state)
{
	struct diag *d = *state;
	struct diag_addr a;

	d->set.addressing = DIAG_BY_PATH;
	assert_int_equal(diag_address(d, "0,1,4", &a), 0);
	assert_int_equal(a.kind, DIAG_ADDR_PATH);
	assert_int_equal(a.hop_count, 2);
	assert_int_equal(diag_address(d, "1,4", &a), EXIT_USAGE);
	assert_int_equal(diag_address_combined(d, "1", "0,4", &a), 0);
	assert_int_equal(a.kind, DIAG_ADDR_COMBINED);
	assert_int_equal(a.lid, 1);
	assert_int_equal(a.dr_slid, 2);
	assert_int_equal(diag_address_combined(d, "1", "4", &a), EXIT_USAGE);
}

static void
guids(void **state)
{
	struct diag *d = *state;
	struct diag_addr a;

	d->set.addressing = DIAG_BY_GUID;
	assert_int_equal(diag_address(d, "0x301", &a), 0);
	assert_int_equal(a.lid, 3);
	assert_int_equal(a.guid, 0x301);
	assert_int_equal(diag_address(d, "guid:0x201", &a), 0);
	assert_int_equal(a.lid, 2);
	/* A node's: its port is taken, with a warning that leaves the status. */
	assert_int_equal(json_array_size(d->errors), 0);
	assert_int_equal(diag_address(d, "0x300", &a), 0);
	assert_int_equal(a.lid, 3);
	assert_int_equal(json_array_size(d->errors), 1);
	assert_int_equal(diag_status(d), EXIT_OK);
	assert_int_equal(diag_addr_guid(d, 0x999, &a), -ENOENT);
	assert_int_equal(diag_address(d, "0x999", &a), EXIT_USAGE);
}

static void
names(void **state)
{
	struct diag *d = *state;
	struct diag_addr a;

	assert_int_equal(diag_address(d, "spine-0", &a), 0);
	assert_int_equal(a.lid, 4);
	assert_int_equal(diag_address(d, "node:leaf-0", &a), 0);
	assert_int_equal(a.lid, 1);
	assert_int_equal(diag_address(d, "host-1", &a), EXIT_USAGE);    /* two are called so */
	assert_int_equal(diag_address(d, "nobody", &a), EXIT_USAGE);
}

static void
manager(void **state)
{
	struct diag *d = *state;
	struct diag_addr a;

	d->set.sm_lid = 9;
	assert_int_equal(diag_addr_sm(d, &a), 0);
	assert_int_equal(a.lid, 9);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, address_begin, address_end)

int
main(void)
{
	const struct CMUnitTest tests[] = { CASE(lids), CASE(routes), CASE(guids), CASE(names), CASE(manager) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
