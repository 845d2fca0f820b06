/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_family_keys.c - each kind of port has its own keys; what they leave unset comes from qos_*.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/conf/conf.h"

/* The keys of each kind, with values that no other kind has. */
static void
each_kind_has_its_own_keys(void **state)
{
	struct conf *c = conf_default();

	(void)state;
	c->qos_max_vls = 9;
	c->qos_ca_max_vls = 1;
	c->qos_rtr_max_vls = 2;
	c->qos_sw0_max_vls = 3;
	c->qos_swe_max_vls = 4;
	c->qos_high_limit = 90;
	c->qos_ca_high_limit = 10;
	c->qos_rtr_high_limit = 20;
	c->qos_sw0_high_limit = 30;
	c->qos_swe_high_limit = 40;
	for (unsigned i = 0; i < 4; i++) {
		struct conf_vlarb *high[] = { &c->qos_ca_vlarb_high, &c->qos_rtr_vlarb_high,
			&c->qos_sw0_vlarb_high, &c->qos_swe_vlarb_high };
		struct conf_vlarb *low[] = { &c->qos_ca_vlarb_low, &c->qos_rtr_vlarb_low,
			&c->qos_sw0_vlarb_low, &c->qos_swe_vlarb_low };
		struct conf_sl2vl *sl2vl[] = { &c->qos_ca_sl2vl, &c->qos_rtr_sl2vl,
			&c->qos_sw0_sl2vl, &c->qos_swe_sl2vl };

		*high[i] = (struct conf_vlarb){ .set = true, .n = (uint8_t)(1 + i) };
		*low[i] = (struct conf_vlarb){ .set = true, .n = (uint8_t)(11 + i) };
		*sl2vl[i] = (struct conf_sl2vl){ .set = true, .vl = { [3] = (uint8_t)(5 + i) } };
	}
	for (unsigned i = 0; i < QOS_KINDS; i++) {
		struct qos_family f = conf_qos_family(c, (enum qos_kind)i);

		assert_int_equal(f.max_vls, 1 + i);
		assert_int_equal(f.high_limit, 10 + 10 * i);
		assert_int_equal(f.high.n, 1 + i);
		assert_int_equal(f.low.n, 11 + i);
		assert_int_equal(f.sl2vl.vl[3], 5 + i);
	}
	conf_free(c);
}

/* Each value by itself: what one kind sets is of no account for the others. */
static void
unset_keys_are_inherited(void **state)
{
	struct conf *c = conf_default();
	struct qos_family built_in = conf_qos_family(c, QOS_CA);

	(void)state;
	c->qos_max_vls = 7;
	c->qos_high_limit = 0; /* a value, not unset */
	c->qos_sl2vl = (struct conf_sl2vl){ .set = true, .vl = { [9] = 6 } };
	c->qos_rtr_max_vls = 5;
	for (unsigned i = 0; i < QOS_KINDS; i++) {
		struct qos_family f = conf_qos_family(c, (enum qos_kind)i);

		assert_int_equal(f.max_vls, i == QOS_ROUTER ? 5 : 7);
		assert_int_equal(f.high_limit, 0);
		assert_int_equal(f.sl2vl.vl[9], 6);
		assert_memory_equal(&f.high, &built_in.high, sizeof(f.high));
		assert_memory_equal(&f.low, &built_in.low, sizeof(f.low));
	}
	conf_free(c);
}

/* Without any key all kinds are alike, and usable. */
static void
built_in_values(void **state)
{
	struct conf *c = conf_default();
	struct qos_family first = conf_qos_family(c, QOS_CA);

	(void)state;
	assert_true(first.max_vls >= 1 && first.max_vls <= QOS_VLS_MAX);
	assert_true(first.low.n > 0 || first.high.n > 0);
	for (unsigned i = 1; i < QOS_KINDS; i++) {
		struct qos_family f = conf_qos_family(c, (enum qos_kind)i);

		assert_int_equal(f.max_vls, first.max_vls);
		assert_int_equal(f.high_limit, first.high_limit);
		assert_memory_equal(&f.sl2vl.vl, &first.sl2vl.vl, sizeof(f.sl2vl.vl));
	}
	conf_free(c);
}

int
main(void)
{
#define T(name) cmocka_unit_test(name)
	const struct CMUnitTest tests[] = {
		T(each_kind_has_its_own_keys),
		T(unset_keys_are_inherited),
		T(built_in_values),
	};

	return cmocka_run_group_tests_name("sm/conf/family_keys", tests, NULL, NULL);
}
