/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_names.c - names of verbs values, and values without a name.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "verbs/ops.h"

static void
words_are_those_of_the_header(void **state)
{
	(void)state;
	assert_string_equal(verbs_status_name(IBV_WC_SUCCESS), "SUCCESS");
	assert_string_equal(verbs_status_name(IBV_WC_RNR_RETRY_EXC_ERR), "RNR_RETRY_EXC_ERR");
	assert_string_equal(verbs_status_name(IBV_WC_GENERAL_ERR), "GENERAL_ERR");
	assert_string_equal(verbs_wc_opcode_name(IBV_WC_RECV_RDMA_WITH_IMM), "RECV_RDMA_WITH_IMM");
	assert_string_equal(verbs_wr_opcode_name(IBV_WR_SEND_WITH_INV), "SEND_WITH_INV");
	assert_string_equal(verbs_event_name(IBV_EVENT_QP_LAST_WQE_REACHED), "QP_LAST_WQE_REACHED");
	assert_string_equal(verbs_qp_state_name(IBV_QPS_SQE), "SQE");
	assert_string_equal(verbs_qp_type_name(IBV_QPT_XRC_RECV), "XRC_RECV");
	for (unsigned i = 0; i <= IBV_WC_GENERAL_ERR; i++)
		assert_string_not_equal(verbs_status_name((enum ibv_wc_status)i), "?");
}

static void
what_is_no_value_has_no_word(void **state)
{
	(void)state;
	assert_string_equal(verbs_status_name((enum ibv_wc_status)77), "?");
	assert_string_equal(verbs_wc_opcode_name((enum ibv_wc_opcode)90), "?");
	assert_string_equal(verbs_qp_type_name((enum ibv_qp_type)0), "?");
	assert_string_equal(verbs_qp_state_name(IBV_QPS_UNKNOWN), "?");
}

static void
capabilities_have_names_and_texts(void **state)
{
	(void)state;
	assert_string_equal(verbs_cap_name(VERBS_CAP_BIT_SRQ), "SRQ");
	assert_string_equal(verbs_cap_text(VERBS_CAP_BIT_SRQ), "shared receive queues");
	for (unsigned i = 0; i < VERBS_CAP_BITS; i++)
		assert_string_not_equal(verbs_cap_text((enum verbs_cap_bit)i), "?");
	assert_string_equal(verbs_cap_name(VERBS_CAP_BITS), "?");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_those_of_the_header),
		cmocka_unit_test(what_is_no_value_has_no_word),
		cmocka_unit_test(capabilities_have_names_and_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
