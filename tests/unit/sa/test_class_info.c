/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_class_info.c - ClassPortInfo: versions, what is supported, to whom nothing is redirected.
 */
#include <config.h>
#include "tests/unit/sa/small.h"
#include "libmad/attr/gen_attr.h"

static struct class_port_info
get_info(struct small *b)
{
	small_ask(b, 3, METHOD_GET, CLASS_PORT_INFO_ID);
	assert_int_equal(small_send(b), STATUS_OK);
	return class_port_info_decode(b->out + SA_HEAD_BYTES);
}

static void
what_is_supported(void **state)
{
	struct small *b = *state;
	struct class_port_info p = get_info(b);

	assert_int_equal(p.base_version, 1);
	assert_int_equal(p.class_version, 2);
	assert_int_equal(p.resp_time, b->v.resp_time);
	assert_int_equal(p.capability_mask, 1 << 2 | 1 << 9 | 1 << 10 | 1 << 13);
	assert_int_equal(p.capability_mask2, 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 10 | 1 << 12 | 1 << 13 |
		1 << 15 | 1 << 17);
	assert_int_equal(p.redirect_qp, 1);
	assert_int_equal(p.redirect_qkey, 0x80010000);
	assert_int_equal(p.redirect_lid, 0);
}

/* QoS is declared while it is on. */
static void
qos_when_on(void **state)
{
	struct small *b = *state;
	static const struct qos_groups none;

	b->v.qos = &none;
	small_index(b);
	assert_int_equal(get_info(b).capability_mask2 & 1 << 1, 1 << 1);
	b->v.qos = NULL;
	small_index(b);
	assert_int_equal(get_info(b).capability_mask2 & 1 << 1, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
		T(what_is_supported), T(qos_when_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
