/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_status.c - every status of a completion has a hint, and those that differ in their cause
 * differ in it.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "verbs/meas/run/flow.h"

static void
hints(void **state)
{
	static const enum ibv_wc_status known[] = { IBV_WC_RETRY_EXC_ERR, IBV_WC_RNR_RETRY_EXC_ERR,
		IBV_WC_WR_FLUSH_ERR, IBV_WC_REM_ACCESS_ERR, IBV_WC_REM_INV_REQ_ERR,
		IBV_WC_REM_OP_ERR, IBV_WC_LOC_LEN_ERR, IBV_WC_LOC_PROT_ERR, IBV_WC_LOC_QP_OP_ERR,
		IBV_WC_REM_ABORT_ERR, IBV_WC_RESP_TIMEOUT_ERR, IBV_WC_FATAL_ERR };
	const size_t n = sizeof(known) / sizeof(*known);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		const char *text = meas_status_hint(known[i]);

		assert_string_not_equal(text, meas_status_hint(IBV_WC_GENERAL_ERR));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(text, meas_status_hint(known[k]));
		/* A part of a sentence, as the message needs it. */
		assert_true(strlen(text) > 10 && text[strlen(text) - 1] != '.');
	}
	assert_non_null(strstr(meas_status_hint(IBV_WC_RNR_RETRY_EXC_ERR), "no receive"));
	assert_non_null(strstr(meas_status_hint(IBV_WC_REM_ACCESS_ERR), "key"));
	assert_non_null(strstr(meas_status_hint(IBV_WC_FATAL_ERR), "kernel"));
}

/* Numbers that no header has today. */
static void
any_number(void **state)
{
	(void)state;
	for (unsigned s = 0; s < 300; s++)
		assert_true(*meas_status_hint((enum ibv_wc_status)s));
	assert_string_equal(meas_status_hint((enum ibv_wc_status)299), "see the kernel's log");
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(hints), cmocka_unit_test(any_number) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
