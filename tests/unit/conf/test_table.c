/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_table.c - values of keys: what each type takes, refuses, shows and hides.
 */
#include <config.h>
#include <errno.h>
#include "sm/conf/table.h"
#include "tests/unit/conf/conf_rig.h"

static void
test_bad_files(void **state)
{
	static const struct {
		const char *file, *says;
	} v[] = {
		{ "sweep_interval = abc\n",
			"PATH:1: error: sweep_interval: expected a number from 0 to 86400 s, got "
			"'abc'\n" },
		{ "\n\nsweep_intreval = 5\n",
			"PATH:3: error: no key 'sweep_intreval'; did you mean "
			"'sweep_interval'?\n" },
		{ "zzz = 5\n", "PATH:1: error: no key 'zzz'; see heddled.conf(5)\n" },
		{ "lmc = 8\n", "PATH:1: error: lmc: expected a number from 0 to 7, got '8'\n" },
		{ "lmc = -1\n", "PATH:1: error: lmc: expected a number from 0 to 7, got '-1'\n" },
		{ "lmc = ''\n", "PATH:1: error: lmc: expected a number from 0 to 7, got ''\n" },
		{ "lmc = 1x\n", "PATH:1: error: lmc: expected a number from 0 to 7, got '1x'\n" },
		{ "sm_key = 0x10000000000000000\n",
			"PATH:1: error: sm_key: expected a number from 0x1 to "
			/* without what came: it may be a key, mistyped */
			"0xffffffffffffffff, or auto\n" },
		{ "sm_key = 0\n",
			"PATH:1: error: sm_key: expected a number from 0x1 to "
			"0xffffffffffffffff, or auto\n" },
		{ "sa_key = 0x0\n",
			"PATH:1: error: sa_key: expected a number from 0x1 to "
			"0xffffffffffffffff, or auto\n" },
		{ "m_key = 0xffffffffffffffff\n",
			"PATH:1: error: m_key: expected a number from 0x0 to 0xfffffffffffffffe, "
			"or auto\n" },
		{ "allowed_sm_guids = '0x10,x'\n",
			"PATH:1: error: allowed_sm_guids: expected a list of GUIDs, got 'x'\n" },
		{ "allowed_sm_guids = 0\n",
			"PATH:1: error: allowed_sm_guids: expected a list of GUIDs, got '0'\n" },
		{ "lmc_esp0 = True\n",
			"PATH:1: error: lmc_esp0: expected TRUE or FALSE (or yes, no, on, off, "
			"1, 0), "
			"got 'True'\n" },
		{ "routing_engine = updnn\n",
			"PATH:1: error: routing_engine: no engine 'updnn'; did you mean "
			"'updn'?\n" },
		{ "routing_engine = 'updn updn'\n",
			"PATH:1: error: routing_engine: engine 'updn' is named twice\n" },
		{ "routing_engine = 'no_fallback,updn'\n",
			"PATH:1: error: routing_engine: nothing may follow "
			"no_fallback\n" },
		{ "routing_engine = ''\n",
			"PATH:1: error: routing_engine: expected the name of a routing engine\n" },
		{ "log_level = loud\n",
			"PATH:1: error: log_level: expected error, warning, notice, detail or "
			"trace, got "
			"'loud'\n" },
		{ "ca = \"a\\nb\"\n",
			"PATH:1: error: ca: expected text without control characters\n" },
		/* all at once, in the order of the lines */
		{ "lmc = 9\nfoo_bar = 1\nsweep_interval = x\nlnc = 1\n",
			"PATH:1: error: lmc: expected a number from 0 to 7, got '9'\n"
			"PATH:2: error: no key 'foo_bar'; see heddled.conf(5)\n"
			"PATH:3: error: sweep_interval: expected a number from 0 to 86400 s, got "
			"'x'\n"
			"PATH:4: error: no key 'lnc'; did you mean 'lmc'?\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		conf_write(v[i].file);
		assert_int_equal(LOAD("--check-config"), -EINVAL);
		assert_null(conf);
		assert_string_equal(err.text, with_path(v[i].says));
	}
}

/* A value, as text, of a key: what is read shows as the same, and is not that of the default. */
static void
values_show_as_they_are_read(void **state)
{
	static const char *const row[][3] = {
		{ "sweep_interval", "86400", "86400" },
		{ "subnet_timeout", "0x1f", "31" },
		{ "guid", "0x10", "0x0000000000000010" },
		{ "lmc_esp0", "yes", "TRUE" },
		{ "log_level", "trace", "trace" },
		{ "ca", "mlx5_0", "mlx5_0" },
		{ "routing_engine", "updn, nue", "updn,nue" },
		{ "qos_ca_high_limit", "7", "7" },
	};
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default(), *d = conf_default();
	char why[CONF_WHY_BYTES], text[256];

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(*row); i++) {
		const struct conf_row *r = conf_row_of(row[i][0]);

		assert_non_null(r);
		assert_true(conf_same(c, d, r));
		assert_int_equal(conf_set(c, &a, r, row[i][1], why), 0);
		assert_string_equal(conf_text(c, r, text, sizeof(text)), row[i][2]);
		assert_false(conf_same(c, d, r));
		conf_copy(d, &a, c, r);
		assert_true(conf_same(c, d, r));
	}
	conf_free(c);
	conf_free(d);
	arena_clear(&a);
}

/* A refused value changes nothing; the ends of a range are in it. */
static void
ranges_have_ends(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default();
	char why[CONF_WHY_BYTES], text[32];

	(void)state;
	for (size_t i = 0; i < conf_nrows; i++) {
		const struct conf_row *r = &conf_rows[i];

		if (r->heading || r->known_only || r->type != CONF_UINT)
			continue;
		snprintf(text, sizeof(text), "%llu", (unsigned long long)r->min);
		assert_int_equal(conf_set(c, &a, r, text, why), 0);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)r->max);
		assert_int_equal(conf_set(c, &a, r, text, why), 0);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)r->max + 1);
		if (conf_set(c, &a, r, text, why) != -EINVAL)
			fail_msg("%s takes %s", r->key, text);
		assert_true(*why);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)r->max);
		assert_string_equal(conf_text(c, r, (char[32]){ 0 }, 32), text);
	}
	conf_free(c);
	arena_clear(&a);
}

/* Every key is found, once, and its default is a value that it takes. */
static void
rows_are_sound(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default(), *d = conf_default();
	char why[CONF_WHY_BYTES];

	(void)state;
	for (size_t i = 0; i < conf_nrows; i++) {
		const struct conf_row *r = &conf_rows[i];

		if (r->heading)
			continue;
		assert_ptr_equal(conf_row_of(r->key), r);
		if (r->known_only)
			continue;
		if (r->def[0] && conf_set(c, &a, r, r->def, why) != 0)
			fail_msg("%s: %s", r->key, why);
		assert_true(conf_same(c, d, r));
	}
	assert_null(conf_row_of(""));
	assert_null(conf_row_of("sweep_interva"));
	assert_string_equal(conf_key_near("sweep_interva"), "sweep_interval");
	assert_null(conf_key_near("zzzzzzzz"));
	conf_free(c);
	conf_free(d);
	arena_clear(&a);
}

/* What is set is secret; "auto" and the default are not. */
static void
keys_are_hidden(void **state)
{
	static const char *const keys[] = { "sm_key", "sa_key", "m_key" };
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default();
	char why[CONF_WHY_BYTES];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct conf_row *r = conf_row_of(keys[i]);

		assert_true(conf_is_key(r));
		assert_false(conf_hidden(c, r));
		assert_int_equal(conf_set(c, &a, r, "0x5ec4e7", why), 0);
		assert_true(conf_hidden(c, r));
		assert_int_equal(conf_set(c, &a, r, "auto", why), 0);
		assert_false(conf_hidden(c, r));
	}
	assert_false(conf_is_key(conf_row_of("lmc")));
	assert_false(conf_hidden(c, conf_row_of("lmc")));
	conf_free(c);
	arena_clear(&a);
}

/* A buffer that is too small gets a part, and its end. */
static void
text_is_cut(void **state)
{
	struct arena a = ARENA_INIT;
	struct conf *c = conf_default();
	char why[CONF_WHY_BYTES], text[8];

	(void)state;
	assert_int_equal(conf_set(c, &a, conf_row_of("ca"), "abcdefghijkl", why), 0);
	memset(text, '#', sizeof(text));
	conf_text(c, conf_row_of("ca"), text, 5);
	assert_string_equal(text, "abcd");
	assert_int_equal(text[5], '#');
	assert_string_equal(conf_range(conf_row_of("lmc"), text, sizeof(text)), "0 to 7");
	assert_string_equal(conf_range(conf_row_of("ca"), text, sizeof(text)), "");
	conf_free(c);
	arena_clear(&a);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)
	const struct CMUnitTest tests[] = {
		T(test_bad_files),
		T(values_show_as_they_are_read),
		T(ranges_have_ends),
		T(rows_are_sound),
		T(keys_are_hidden),
		T(text_is_cut),
	};

	return cmocka_run_group_tests_name("sm/conf/table", tests, NULL, NULL);
}
