/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_service.c - how many services there may be: of one port, and of all.  What requests do is in
 * tests/unit/sa/test_service.c.
 */
#include <config.h>
#include "sm/sub/service.h"
#include "tests/unit/test.h"

static uint16_t
announce(struct services *t, uint64_t id, uint64_t port, bool trusted)
{
	struct service_record rec = { .id = id, .lease_s = 60 };

	wire_put64(rec.gid + 8, port);
	return services_set(t, &rec, port, trusted);
}

static void
limits(void **state)
{
	struct services *t = services_new();
	uint64_t id = 0;

	(void)state;
	services_tick(t, (struct monotime){ 0 });
	for (unsigned i = 0; i < SERVICES_PER_PORT_MAX; i++)
		assert_int_equal(announce(t, id++, 1, false), STATUS_OK);
	assert_int_equal(announce(t, id, 1, false), STATUS_SA_NO_RESOURCES);
	assert_int_equal(announce(t, 0, 1, false), STATUS_OK);                  /* once more, the same */
	assert_int_equal(announce(t, id++, 2, false), STATUS_OK);               /* another port */
	while (id < SERVICES_MAX)
		assert_int_equal(announce(t, id++, 3, true), STATUS_OK);
	assert_int_equal(announce(t, id, 4, false), STATUS_SA_NO_RESOURCES);
	assert_int_equal(announce(t, id, 4, true), STATUS_SA_NO_RESOURCES);
	services_tick(t, (struct monotime){ 61000000 });                        /* leases have ended */
	assert_int_equal(announce(t, id, 4, false), STATUS_OK);
	services_free(t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(limits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
