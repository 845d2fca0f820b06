/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_allowed.c - who may be a subnet manager beside us.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/conf/conf.h"

/* An empty list names nobody: then all are allowed. */
static void
nobody_is_named(void **state)
{
	struct conf *c = conf_default();

	(void)state;
	assert_true(conf_sm_allowed(c, 1));
	assert_true(conf_sm_allowed(c, UINT64_MAX));
	conf_free(c);
}

/* Only those in the list, to its last place. */
static void
only_those_in_the_list(void **state)
{
	struct conf *c = conf_default();

	(void)state;
	for (unsigned i = 0; i < CONF_GUIDS_MAX; i++)
		c->allowed_sm_guids.guid[i] = 0x100 + i;
	for (unsigned n = 1; n <= CONF_GUIDS_MAX; n++) {
		c->allowed_sm_guids.n = n;
		assert_true(conf_sm_allowed(c, 0x100));
		assert_true(conf_sm_allowed(c, 0x100 + n - 1));
		assert_false(conf_sm_allowed(c, 0x100 + n)); /* behind the end of the list */
		assert_false(conf_sm_allowed(c, 0));
	}
	conf_free(c);
}

int
main(void)
{
#define T(name) cmocka_unit_test(name)
	const struct CMUnitTest tests[] = {
		T(nobody_is_named),
		T(only_those_in_the_list),
	};

	return cmocka_run_group_tests_name("sm/conf/allowed", tests, NULL, NULL);
}
