/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_backend.c - the argument of --backend: what it selects, what is refused, and with which
 * errno.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "verbs/backend/backend.h"

static void
soft_back_end(void **state)
{
	char why[VERBS_WHY_BYTES];
	struct verbs_choice c;
	struct verbs_dev *dev;

	(void)state;
	assert_int_equal(verbs_backend_find("soft", 1, &c, why), 0);
	assert_string_equal(c.device, "");
	assert_int_equal(c.port, 0);
	assert_true(verbs_backend_is_soft(c.world));
	assert_int_equal(verbs_backend_open(&c, &dev, why), 0);
	assert_string_equal(verbs_backend_provider(dev), "soft");
	assert_false(verbs_backend_needs_cm(dev));
	assert_non_null(verbs_backend_emulated(dev));
	dev->ops->close(dev);
	strcpy(c.device, "soft9");
	assert_true(verbs_backend_open(&c, &dev, why) < 0);
	assert_true(*why);
	c.world->ops->world_free(c.world);
}

static void
refused_arguments(void **state)
{
	static const char *const wrong[] = { "", "hard", "soft:x", "verbs:", "verbs:a:",
	"verbs:a:0",
		"verbs:a:256", "verbs:a:x" };
	char why[VERBS_WHY_BYTES];
	struct verbs_choice c;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		*why = '\0';
		if (verbs_backend_find(wrong[i], 1, &c, why) != -EINVAL)
			fail_msg("\"%s\" is not refused as malformed", wrong[i]);
		assert_true(*why);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(soft_back_end), cmocka_unit_test(refused_arguments) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
