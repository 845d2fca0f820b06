/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_facts.c - what an end reports about a software adapter arrives unchanged at the other end.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "verbs/meas/run/facts.h"

static void
there_and_back(void **state)
{
	struct meas_facts f, back;
	struct verbs_choice c;
	struct verbs_dev *dev;
	char why[VERBS_WHY_BYTES];
	json_t *o;

	(void)state;
	assert_int_equal(verbs_backend_find("soft", 1, &c, why), 0);
	assert_int_equal(verbs_backend_open(&c, &dev, why), 0);
	assert_int_equal(meas_facts_read(dev, &f, why), 0);
	assert_string_equal(f.device, "soft0");
	assert_string_equal(f.provider, "soft");
	assert_true(*f.emulated);
	assert_true(f.gids.infiniband && f.gids.n > 0 && f.gids.lid > 0);
	assert_int_equal(f.pkey, 0xffff);
	assert_false(f.connected_by_cm_only);
	o = meas_facts_json(&f);
	assert_int_equal(meas_facts_from_json(o, &back, why), 0);
	assert_string_equal(f.host, back.host);
	assert_int_equal(f.node_guid, back.node_guid);
	assert_int_equal(f.max_wr, back.max_wr);
	assert_int_equal(f.mtu_bytes, back.mtu_bytes);
	assert_int_equal(f.gids.n, back.gids.n);
	assert_memory_equal(f.gids.v[0].raw, back.gids.v[0].raw, 16);
	json_object_set_new(o, "port", json_integer(0));
	assert_true(meas_facts_from_json(o, &back, why) < 0);
	assert_non_null(strstr(why, "port"));
	assert_true(meas_facts_from_json(NULL, &back, why) < 0);
	json_decref(o);
	assert_int_equal(dev->ops->close(dev), 0);
	c.world->ops->world_free(c.world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(there_and_back) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
