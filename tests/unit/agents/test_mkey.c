/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mkey.c - what each level of protection lets through, what it counts, and how the lease ends it.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"

#define KEY 0x1234

static void
protect(struct rig *r, const char *path, uint8_t level, uint16_t lease_s)
{
	struct port_info pi = rig_no_change(r, 0, path);

	pi.mkey = KEY;
	pi.mkey_protect = level;
	pi.mkey_lease_period_s = lease_s;
	assert_int_equal(rig_set_port(r, 0, path, pi), 0);
}

static uint64_t
mkey_shown(struct rig *r, const char *path)
{
	assert_true(rig_get(r, PORT_INFO_ID, 0, path));
	return port_info_decode(rig_data(r)).mkey;
}

static bool
set_desc(struct rig *r, const char *path)
{
	return rig_dr(r, METHOD_SET, NODE_DESC_ID, 0, path, (const uint8_t[64]){ 'x' });
}

static unsigned
violations(struct rig *r, const char *path)
{
	uint64_t had = r->mkey;
	unsigned n;

	r->mkey = KEY;
	n = rig_port_info(r, 0, path).mkey_violations;
	r->mkey = had;
	return n;
}

static void
levels(void **state)
{
	static const struct { uint8_t level; bool get; uint64_t shown; } want[] = {
		{ 0, true, KEY }, { 1, true, 0 }, { 2, false, 0 }, { 3, false, 0 },
	};
	static const char *const paths[] = { "1", "124" };      /* a switch's port 0; an adapter's port */

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		const char *path = paths[i / 4];
		struct rig r;

		rig_make(&r, &(struct hw_conf){ .seed = 1 });
		protect(&r, path, want[i % 4].level, 0);
		assert_false(set_desc(&r, path));
		assert_int_equal(violations(&r, path), 1);
		r.mkey = KEY + 1;                               /* a wrong key is as none */
		assert_int_equal(rig_get(&r, NODE_INFO_ID, 0, path), want[i % 4].get);
		if (want[i % 4].get)
			assert_int_equal(mkey_shown(&r, path), want[i % 4].shown);
		assert_int_equal(violations(&r, path), want[i % 4].get ? 1 : 2);
		r.mkey = KEY;
		assert_true(set_desc(&r, path));
		assert_int_equal(mkey_shown(&r, path), KEY);
		hw_free(r.h);
	}
}

/* Ports of an adapter are protected each for itself; the external ports of a switch by its port 0. */
static void
is_the_ports_own(void **state)
{
	struct rig *r = *state;

	protect(r, "124", 2, 0);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "124"));
	assert_true(rig_get(r, NODE_INFO_ID, 0, "122"));
	protect(r, "1", 2, 0);
	assert_false(rig_get(r, PORT_INFO_ID, 3, "1"));
	assert_true(rig_get(r, NODE_INFO_ID, 0, "12"));         /* passing through is not asking */
}

static void
violations_are_cleared_by_zero(void **state)
{
	struct rig *r = *state;
	struct port_info pi;

	protect(r, "1", 1, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_false(set_desc(r, "1"));
	r->mkey = KEY;
	pi = rig_no_change(r, 0, "1");
	assert_int_equal(pi.mkey_violations, 3);
	rig_set_port(r, 0, "1", pi);
	assert_int_equal(rig_port_info(r, 0, "1").mkey_violations, 3);
	pi.mkey_violations = 0;
	rig_set_port(r, 0, "1", pi);
	assert_int_equal(rig_port_info(r, 0, "1").mkey_violations, 0);
}

static void
the_lease_runs_out(void **state)
{
	struct rig *r = *state;

	protect(r, "1", 2, 10);
	rig_wait(r, 100000000);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));         /* it runs from the first violation */
	rig_wait(r, 5000000);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));         /* a second does not restart it */
	rig_wait(r, 4999999);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));
	rig_wait(r, 1);
	assert_int_equal(mkey_shown(r, "1"), KEY);
	assert_int_equal(rig_port_info(r, 0, "1").mkey_protect, 0);
	assert_false(set_desc(r, "1"));                         /* the key is still there */
}

static void
a_keyed_smp_renews_the_lease(void **state)
{
	struct rig *r = *state;

	protect(r, "1", 2, 10);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));
	rig_wait(r, 9000000);
	r->mkey = KEY;
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
	r->mkey = 0;
	rig_wait(r, 9000000);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));
	rig_wait(r, 9999999);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));
	rig_wait(r, 1);
	assert_true(rig_get(r, NODE_INFO_ID, 0, "1"));
}

static void
without_a_lease_it_never_ends(void **state)
{
	struct rig *r = *state;

	protect(r, "1", 2, 0);
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));
	rig_wait(r, INT64_C(1000000000000));
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1"));
}

/* SMInfo is the client's to answer, but not before the check. */
static void
guards_sminfo_too(void **state)
{
	struct rig *r = *state;

	rig_get(r, SM_INFO_ID, 0, "124");
	assert_true(rig_delivered(r, B, 1, NULL));
	protect(r, "124", 2, 0);
	rig_get(r, SM_INFO_ID, 0, "124");
	assert_true(rig_quiet(r));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels),
		RIG_TEST(is_the_ports_own),
		RIG_TEST(violations_are_cleared_by_zero),
		RIG_TEST(the_lease_runs_out),
		RIG_TEST(a_keyed_smp_renews_the_lease),
		RIG_TEST(without_a_lease_it_never_ends),
		RIG_TEST(guards_sminfo_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
