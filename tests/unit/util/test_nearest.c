/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_nearest.c - the distance of words, and the word that was probably meant.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "util/nearest.h"

static void
distances(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned distance;
	} rows[] = {
		{ "", "", 0 }, { "", "abc", 3 }, { "abc", "abc", 0 }, { "abc", "abd", 1 },
		{ "abc", "ac", 1 }, { "abc", "abcd", 1 }, { "abc", "acb", 1 },  /* neighbours swapped */
		{ "abc", "ABC", 0 }, { "sm-key", "sm_key", 0 }, { "kitten", "sitting", 3 },
		{ "abcd", "dcba", 3 },         /* the middle ones swapped */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(nearest_distance(rows[i].a, rows[i].b), rows[i].distance);
		assert_int_equal(nearest_distance(rows[i].b, rows[i].a), rows[i].distance);
	}
}

static void
long_words(void **state)
{
	char a[81], b[65];

	(void)state;
	memset(a, 'a', 80);
	memset(b, 'a', 64);
	a[80] = b[64] = '\0';
	assert_int_equal(nearest_distance(a, "a"), 80);
	assert_int_equal(nearest_distance("a", b), 64);
	b[63] = '\0';
	assert_int_equal(nearest_distance(b, b), 0);
}

static const char *
best_of(const char *word, const char *const *known)
{
	struct nearest n = nearest_start(word);

	while (*known)
		nearest_offer(&n, *known++);
	return n.best;
}

static void
what_was_meant(void **state)
{
	static const char *const keys[] = { "sm_priority", "sm_key", "sa_key", "m_key", "lmc", NULL };

	(void)state;
	assert_string_equal(best_of("sm_kye", keys), "sm_key");
	assert_string_equal(best_of("SM-Priority", keys), "sm_priority");
	assert_string_equal(best_of("lm", keys), "lmc");
	assert_string_equal(best_of("s_key", keys), "sm_key");          /* the first of the closest */
	assert_null(best_of("routing", keys));
	assert_null(best_of("xyz", keys));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances),
		cmocka_unit_test(long_words),
		cmocka_unit_test(what_was_meant),
	};

	return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
