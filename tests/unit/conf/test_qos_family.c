/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_family.c - the keys of lanes: values, inheritance, faults with file and line.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/conf.h"

static char path[] = "/tmp/heddle-qos-XXXXXX";
static struct conf_error err;
static struct conf *conf;

static int
teardown(void **state)
{
	(void)state;
	conf_free(conf);
	conf = NULL;
	conf_error_clear(&err);
	return 0;
}

/* Loads a file with that text, and '--set' of 'set' if it is not NULL. */
static int
load(const char *text, const char *set)
{
	const char *argv[] = { "heddled", "-F", path, set ? "--set" : NULL, set, NULL };
	int fd, r;
	FILE *f;

	teardown(NULL);
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	fputs(text, f);
	fclose(f);
	r = conf_load(set ? 5 : 3, (char **)argv, &conf, &err);
	unlink(path);
	return r;
}

static void
test_built_in(void **state)
{
	(void)state;
	assert_int_equal(load("", NULL), 0);
	assert_false(conf->qos || conf->use_optimized_slvl || conf->suppress_sl2vl_mad_status_errors);
	for (unsigned k = 0; k < QOS_KINDS; k++) {
		struct qos_family f = conf_qos_family(conf, (enum qos_kind)k);

		assert_int_equal(f.max_vls, 15);
		assert_int_equal(f.high_limit, 0);
		assert_int_equal(f.high.n, 15);
		assert_int_equal(f.low.n, 15);
		for (unsigned vl = 0; vl < 15; vl++) {
			assert_int_equal(f.high.e[vl].vl, vl);
			assert_int_equal(f.high.e[vl].weight, vl ? 0 : 4);
			assert_int_equal(f.low.e[vl].vl, vl);
			assert_int_equal(f.low.e[vl].weight, vl ? 4 : 0);
			assert_int_equal(f.sl2vl.vl[vl], vl);
		}
		assert_int_equal(f.sl2vl.vl[15], 7);
	}
}

/* What a family leaves open is as in qos_, and only that. */
static void
test_inheritance(void **state)
{
	struct qos_family f;

	(void)state;
	assert_int_equal(load("qos_max_vls = 8\nqos_high_limit = 3\nqos_vlarb_high = \"1:10\"\n"
		"qos_vlarb_low = \"0:1, 1:2\"\nqos_sl2vl = \"0,1,2,3,4,5,6,7,0,1,2,3,4,5,6,15\"\n"
		"qos_swe_max_vls = 4\nqos_swe_high_limit = 0\nqos_swe_sl2vl = \"0x1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\"\n", NULL), 0);
	f = conf_qos_family(conf, QOS_CA);
	assert_int_equal(f.max_vls, 8);
	assert_int_equal(f.high_limit, 3);
	assert_int_equal(f.high.n, 1);
	assert_int_equal(f.high.e[0].weight, 10);
	assert_int_equal(f.low.n, 2);
	assert_int_equal(f.low.e[1].weight, 2);
	assert_int_equal(f.sl2vl.vl[14], 6);
	assert_int_equal(f.sl2vl.vl[15], QOS_VL_DROP);
	f = conf_qos_family(conf, QOS_SWE);
	assert_int_equal(f.max_vls, 4);
	assert_int_equal(f.high_limit, 0);      /* 0 is a value, -1 would not be */
	assert_int_equal(f.high.n, 1);
	assert_int_equal(f.sl2vl.vl[0], 1);
	assert_int_equal(load("qos_rtr_high_limit = 9\nqos_sw0_vlarb_low = \"14:255\"\n", NULL), 0);
	assert_int_equal(conf_qos_family(conf, QOS_ROUTER).high_limit, 9);
	assert_int_equal(conf_qos_family(conf, QOS_CA).high_limit, 0);
	assert_int_equal(conf_qos_family(conf, QOS_SW0).low.e[0].vl, 14);
	assert_int_equal(conf_qos_family(conf, QOS_SW0).low.e[0].weight, 255);
	assert_int_equal(conf_qos_family(conf, QOS_SWE).low.n, 15);
}

/* Each key is taken for its own family. */
static void
test_every_key(void **state)
{
	static const char *const prefix[QOS_KINDS] = { "qos_ca_", "qos_rtr_", "qos_sw0_", "qos_swe_" };
	char text[512];

	(void)state;
	for (unsigned k = 0; k < QOS_KINDS; k++) {
		snprintf(text, sizeof(text), "%smax_vls = 2\n%shigh_limit = 255\n%svlarb_high = \"3:1\"\n%svlarb_low = \"4:1\"\n"
			"%ssl2vl = \"1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0\"\n", prefix[k], prefix[k], prefix[k], prefix[k], prefix[k]);
		assert_int_equal(load(text, NULL), 0);
		for (unsigned i = 0; i < QOS_KINDS; i++) {
			struct qos_family f = conf_qos_family(conf, (enum qos_kind)i);

			assert_int_equal(f.max_vls, i == k ? 2 : 15);
			assert_int_equal(f.high_limit, i == k ? 255 : 0);
			assert_int_equal(f.high.n, i == k ? 1 : 15);
			assert_int_equal(f.low.n, i == k ? 1 : 15);
			assert_int_equal(f.sl2vl.vl[0], i == k);
		}
	}
}

/* Where the fault is, and what was expected. */
static void
test_faults(void **state)
{
	static const char *const bad[][2] = {
		{ "qos_sl2vl = \"0,1,2\"", "qos_sl2vl: expected 16 numbers from 0 to 15, got 3" },
		{ "qos_sl2vl = \"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7,1\"",
			"qos_sl2vl: expected 16 numbers from 0 to 15, got more: ',1'" },
		{ "qos_ca_sl2vl = \"0,1,16,3,4,5,6,7,8,9,10,11,12,13,14,7\"",
			"qos_ca_sl2vl: expected 16 numbers from 0 to 15, got '16,3,4,5,6,7,8,9,10,11,1' as number 3" },
		{ "qos_sl2vl = \"0;1\"", "qos_sl2vl: expected 16 numbers from 0 to 15, got ';1' as number 2" },
		{ "qos_vlarb_high = \"15:1\"",
			"qos_vlarb_high: expected VL:WEIGHT,... with VLs from 0 to 14 and weights from 0 to 255, got '15:1'" },
		{ "qos_swe_vlarb_low = \"1:1,2:256\"",
			"qos_swe_vlarb_low: expected VL:WEIGHT,... with VLs from 0 to 14 and weights from 0 to 255, got '2:256'" },
		{ "qos_vlarb_low = \"1:1,\"",
			"qos_vlarb_low: expected VL:WEIGHT,... with VLs from 0 to 14 and weights from 0 to 255, got ''" },
		{ "qos_vlarb_low = \"1\"",
			"qos_vlarb_low: expected VL:WEIGHT,... with VLs from 0 to 14 and weights from 0 to 255, got '1'" },
		{ "qos_high_limit = 256", "qos_high_limit: expected a number from 0 to 255, or -1, got '256'" },
		{ "qos_rtr_high_limit = -2", "qos_rtr_high_limit: expected a number from 0 to 255, or -1, got '-2'" },
		{ "qos_max_vls = 16", "qos_max_vls: expected a number from 0 to 15, got '16'" },
		{ "use_optimized_slvl = maybe", "use_optimized_slvl: expected TRUE or FALSE" },
	};
	char text[256], line[320];

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "# a comment\n%s\n", bad[i][0]);
		assert_int_equal(load(text, NULL), -EINVAL);
		snprintf(line, sizeof(line), "%s:2: error: %s", path, bad[i][1]);
		assert_non_null(err.text);
		assert_memory_equal(err.text, line, strlen(line));
	}
}

/* Sixty-four entries fit, one more does not. */
static void
test_longest(void **state)
{
	char text[1024] = "qos_vlarb_low = \"";

	(void)state;
	for (unsigned i = 0; i < 64; i++)
		sprintf(text + strlen(text), "%s%u:%u", i ? "," : "", i % 15, i);
	strcat(text, "\"\n");
	assert_int_equal(load(text, NULL), 0);
	assert_int_equal(conf_qos_family(conf, QOS_SWE).low.n, 64);
	assert_int_equal(conf_qos_family(conf, QOS_SWE).low.e[63].weight, 63);
	strcpy(strrchr(text, '"'), ",1:1\"\n");
	assert_int_equal(load(text, NULL), -EINVAL);
	assert_non_null(strstr(err.text, "expected at most 64 entries"));
}

/* What is dumped reads back to the same. */
static void
test_dump(void **state)
{
	char *first = NULL, *second = NULL;
	size_t n;
	FILE *f;

	(void)state;
	assert_int_equal(load("qos = yes\nqos_sw0_sl2vl = \"1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,15\"\nqos_high_limit = 7\n",
		"qos_ca_vlarb_high=2:3,4:5"), 0);
	assert_true(conf->qos);
	f = open_memstream(&first, &n);
	conf_dump(conf, f);
	fclose(f);
	assert_non_null(strstr(first, "\nqos_sw0_sl2vl = \"1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,15\"\n"));
	assert_non_null(strstr(first, "\nqos_ca_vlarb_high = \"2:3,4:5\"\n"));
	assert_non_null(strstr(first, "\nqos_high_limit = 7\n"));
	assert_non_null(strstr(first, "\nqos_swe_high_limit = -1\n"));
	assert_int_equal(load(first, NULL), 0);
	f = open_memstream(&second, &n);
	conf_dump(conf, f);
	fclose(f);
	assert_string_equal(first, second);
	free(first);
	free(second);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_built_in, teardown), cmocka_unit_test_teardown(test_inheritance, teardown),
		cmocka_unit_test_teardown(test_every_key, teardown), cmocka_unit_test_teardown(test_faults, teardown),
		cmocka_unit_test_teardown(test_longest, teardown), cmocka_unit_test_teardown(test_dump, teardown),
	};

	return cmocka_run_group_tests_name("conf/qos_family", tests, NULL, NULL);
}
