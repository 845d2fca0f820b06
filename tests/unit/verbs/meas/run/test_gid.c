/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_gid.c - the choice of GIDs of two ends.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "verbs/meas/run/gid.h"

#define V4(a, b, c, d) { [10] = 0xff, 0xff, a, b, c, d }
#define LOCAL(n) { 0xfe, 0x80, [15] = n }

static struct meas_gids a = {
	.n = 4, .v = {
		{ 0, MEAS_GID_ROCE1, LOCAL(1) }, { 1, MEAS_GID_ROCE2, LOCAL(1) },
		{ 2, MEAS_GID_ROCE2, V4(10, 1, 0, 1) }, { 3, MEAS_GID_ROCE2, V4(192, 168, 7, 1) },
	},
}, b = {
	.n = 3, .v = {
		{ 0, MEAS_GID_ROCE2, LOCAL(2) }, { 4, MEAS_GID_ROCE2, V4(172, 16, 0, 2) },
			{ 5, MEAS_GID_ROCE2, V4(192, 168, 7, 2) },
	},
};

static void
the_same_network_first(void **state)
{
	struct meas_route r;
	char why[200];

	(void)state;
	assert_int_equal(meas_route_choose(&a, -1, &b, -1, &r, why, sizeof(why)), 0);
	assert_int_equal(r.a.index, 3);
	assert_int_equal(r.b.index, 5);
	assert_true(r.grh);
	assert_string_equal(meas_gid_kind(&r.a), "RoCE v2, IPv4");
}

static void
as_the_operator_says(void **state)
{
	struct meas_route r;
	char why[200];

	(void)state;
	assert_int_equal(meas_route_choose(&a, 1, &b, -1, &r, why, sizeof(why)), 0);
	assert_int_equal(r.a.index, 1);
	assert_int_equal(r.b.index, 0);
	/* version 1: the other end has none */
	assert_int_equal(meas_route_choose(&a, 0, &b, -1, &r, why, sizeof(why)), -2);
	assert_int_equal(meas_route_choose(&a, 9, &b, -1, &r, why, sizeof(why)), -2);
}

static void
infiniband_goes_by_lid(void **state)
{
	struct meas_gids x = { .infiniband = true, .lid = 3, .n = 1,
		.v = { { 0, MEAS_GID_IB, LOCAL(3) } } }, y = x;
	struct meas_route r;
	char why[200];

	(void)state;
	y.lid = 4;
	assert_int_equal(meas_route_choose(&x, -1, &y, -1, &r, why, sizeof(why)), 0);
	assert_false(r.grh);
	y.v[0].raw[7] = 1;                      /* another subnet */
	assert_int_equal(meas_route_choose(&x, -1, &y, -1, &r, why, sizeof(why)), 0);
	assert_true(r.grh);
	assert_int_equal(meas_route_choose(&x, -1, &b, -1, &r, why, sizeof(why)), -2);
}

static void
there_and_back(void **state)
{
	json_t *o = meas_gids_json(&a);
	struct meas_gids c;
	const char *bad;

	(void)state;
	assert_int_equal(meas_gids_from_json(o, &c, &bad), 0);
	assert_int_equal(c.n, a.n);
	for (unsigned i = 0; i < c.n; i++)
		assert_memory_equal(c.v[i].raw, a.v[i].raw, 16);
	json_decref(o);
}

static void
hostile(void **state)
{
	static const char *const wrong[] = {
		"{}", "[]", "null", "{\"infiniband\":true,\"lid\":1}",
		"{\"infiniband\":true,\"lid\":1,\"gids\":7}",
		"{\"infiniband\":true,\"lid\":65536,\"gids\":[]}",
		"{\"infiniband\":true,\"lid\":1,\"gids\":[1]}",
		"{\"infiniband\":true,\"lid\":1,\"gids\":[{\"index\":0,\"type\":\"ib\",\"gid\":\"fe80::1\"}]}",
		"{\"infiniband\":true,\"lid\":1,\"gids\":[{\"index\":0,\"type\":\"ib\",\"gid\":\"fe80:0000:0000:0000:0000:0000:0000:000:\"}]}",
		"{\"infiniband\":true,\"lid\":1,\"gids\":[{\"index\":0,\"type\":\"x\",\"gid\":\"fe80:0000:0000:0000:0000:0000:0000:0001\"}]}",
	};
	struct meas_gids c;
	const char *bad;
	json_t *o, *list = json_array();

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		o = json_loads(wrong[i], JSON_DECODE_ANY, NULL);
		assert_true(meas_gids_from_json(o, &c, &bad) < 0);
		json_decref(o);
	}
	for (int i = 0; i <= MEAS_GIDS_MAX; i++)
		json_array_append_new(list, json_pack("{s:i,s:s,s:s}", "index", i, "type", "ib",
			"gid", "fe80:0000:0000:0000:0000:0000:0000:0001"));
	o = json_pack("{s:b,s:i,s:o}", "infiniband", 1, "lid", 1, "gids", list);
	assert_true(meas_gids_from_json(o, &c, &bad) < 0);
	json_decref(o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_network_first), cmocka_unit_test(as_the_operator_says),
		cmocka_unit_test(infiniband_goes_by_lid), cmocka_unit_test(there_and_back),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
