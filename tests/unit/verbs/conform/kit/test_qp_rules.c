/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qp_rules.c - state transitions against those of ibv_modify_qp(3), and names.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "verbs/conform/kit/qp_rules.h"

static void
columns(void **state)
{
	(void)state;
	assert_int_equal(qp_rules_column(IBV_QPT_RC), 0);
	assert_int_equal(qp_rules_column(IBV_QPT_UC), 1);
	assert_int_equal(qp_rules_column(IBV_QPT_UD), 2);
	assert_int_equal(qp_rules_column(IBV_QPT_XRC_SEND), -1);
}

/* The attributes that the manual page of ibv_modify_qp names. */
static void
required(void **state)
{
	const struct qp_rule *r = qp_rules_find(IBV_QPS_RESET, IBV_QPS_INIT);

	(void)state;
	assert_non_null(r);
	assert_int_equal(r->required[0], IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	assert_int_equal(r->required[2], IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY);
	r = qp_rules_find(IBV_QPS_INIT, IBV_QPS_RTR);
	assert_non_null(r);
	assert_int_equal(r->required[0], IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
		IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
	assert_int_equal(r->required[2], 0);
	r = qp_rules_find(IBV_QPS_RTR, IBV_QPS_RTS);
	assert_non_null(r);
	assert_int_equal(r->required[0], IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC |
		IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_TIMEOUT);
	assert_null(qp_rules_find(IBV_QPS_RESET, IBV_QPS_RTS));
	assert_null(qp_rules_find(IBV_QPS_ERR, IBV_QPS_INIT));
}

/* No attribute is both required and optional, and all of them are known ones. */
static void
consistent(void **state)
{
	unsigned rules = 0;

	(void)state;
	for (int from = IBV_QPS_RESET; from <= IBV_QPS_ERR; from++)
		for (int to = IBV_QPS_RESET; to <= IBV_QPS_ERR; to++) {
			const struct qp_rule *r = qp_rules_find((enum ibv_qp_state)from,
				(enum ibv_qp_state)to);

			for (int t = 0; r && t < 3; t++) {
				int needed = r->required[t] < 0 ? 0 : r->required[t];

				assert_int_equal(needed & r->optional[t], 0);
				assert_int_equal((needed | r->optional[t]) & ~QP_RULES_ATTRIBUTES,
					0);
			}
			rules += r != NULL;
		}
	assert_true(rules >= 20);
}

static void
names_of_values(void **state)
{
	(void)state;
	assert_string_equal(qp_rules_state_name(IBV_QPS_INIT), "INIT");
	assert_string_equal(qp_rules_attribute_name(IBV_QP_AV), "AV");
	assert_non_null(qp_rules_state_name((enum ibv_qp_state)99));
	assert_non_null(qp_rules_attribute_name(1 << 30));
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(columns), cmocka_unit_test(required),
		cmocka_unit_test(consistent), cmocka_unit_test(names_of_values) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
