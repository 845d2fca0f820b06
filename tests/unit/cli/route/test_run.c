/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_run.c - command lines of heddle-route, and what it makes of files of tables, SLs and VLs.
 */
#include <config.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/route/run.h"
#include "tests/unit/test.h"

#define ARGS_MAX 20
#define RING "torus:5,hosts=1,radix=3"

static char *out, *err;
static char tables[] = "/tmp/heddle-route-tables-XXXXXX", more[] = "/tmp/heddle-route-more-XXXXXX";

/* Runs "heddle-route" with the words of 'line'; what it prints is in 'out' and 'err'. */
static int
route_line_run(const char *line)
{
	char *copy = strdup(line), *argv[ARGS_MAX] = { "heddle-route" }, *at = copy, *word;
	size_t out_len, err_len;
	FILE *o, *e;
	int argc = 1, status;

	free(out);
	free(err);
	out = err = NULL;
	while ((word = strsep(&at, " ")) != NULL && argc < ARGS_MAX - 1)
		argv[argc++] = word;
	o = open_memstream(&out, &out_len);
	e = open_memstream(&err, &err_len);
	status = run_route(argc, argv, o, e);
	fclose(o);
	fclose(e);
	free(copy);
	return status;
}

static int
run_with(const char *format, const char *a, const char *b)
{
	char line[600];

	snprintf(line, sizeof(line), format, a, b);
	return route_line_run(line);
}

static void
file_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	fclose(f);
}

static int
tables_setup(void **state)
{
	(void)state;
	assert_true(close(mkstemp(tables)) == 0 && close(mkstemp(more)) == 0);
	return 0;
}

static int
tables_teardown(void **state)
{
	(void)state;
	unlink(tables);
	unlink(more);
	free(out);
	free(err);
	return 0;
}

/* The tables of a ring of five switches, with a host each, along shortest paths: a credit loop. */
static void
ring_tables(void)
{
	assert_int_equal(route_line_run("plan " RING " --engine minhop --json"), 1);
	assert_int_equal(route_line_run("plan " RING " --engine updn --out lfts"), 0);
	file_write(tables, out);
}

static void
usage(void **state)
{
	(void)state;
	assert_int_equal(route_line_run("--help"), 0);
	assert_non_null(strstr(out, "Exit status:"));
	assert_int_equal(route_line_run("plan"), 2);
	assert_string_equal(err, "heddle-route: expected: heddle-route plan TOPOLOGY\n");
	assert_int_equal(route_line_run("plan " RING " --seed 3"), 2);
	assert_string_equal(err, "heddle-route: plan takes no --seed\n");
	assert_int_equal(route_line_run("score " RING " --path-sl x"), 2);
	assert_int_equal(route_line_run("verify " RING " x --out lfts"), 2);
	assert_int_equal(route_line_run("whatif " RING " --svg"), 2);
}

/* What plan writes, verify reads; the same text comes out of any number of threads. */
static void
round_trip(void **state)
{
	char *once;

	(void)state;
	assert_int_equal(
		route_line_run("plan fattree:k=4,levels=2 --lmc 1 -R updn -o lfts --threads 1"), 0);
	once = strdup(out);
	file_write(tables, out);
	assert_int_equal(
		route_line_run("plan fattree:k=4,levels=2 --lmc 1 -R updn -o lfts --threads 5"), 0);
	assert_string_equal(out, once);
	free(once);
	assert_int_equal(run_with("verify fattree:k=4,levels=2 %s%s", tables, ""), 0);
	assert_non_null(strstr(out, "passed"));
}

/* Comments are optional where the topology has LIDs; here it has none. */
static void
owners(void **state)
{
	char *at;

	(void)state;
	ring_tables();
	for (at = out; (at = strchr(at, '(')) != NULL; at++)
		if (strncmp(at - 2, ": ", 2) == 0)
			at[-1] = '\n';
	file_write(tables, out);
	assert_int_equal(run_with("verify " RING " %s%s", tables, ""), 2);
	assert_non_null(strstr(err, "says to which ports the LIDs belong"));
}

/* Two owners of one LID. */
static void
two_owners(void **state)
{
	char *at;

	(void)state;
	ring_tables();
	at = strstr(out, "portguid 0x");
	assert_non_null(at);
	memcpy(at, strstr(strstr(out, "0x0002 "), "portguid 0x"), 27);
	file_write(tables, out);
	assert_int_equal(run_with("verify " RING " %s%s", tables, ""), 2);
	assert_non_null(strstr(err, "has two owners"));
}

/* Paths of one SL each way round: the SL of a pair counts for the replies, too. */
static void
path_sls(void **state)
{
	FILE *f;

	(void)state;
	ring_tables();
	f = fopen(more, "w");
	assert_non_null(f);
	for (unsigned a = 1; a <= 5; a++)
		for (unsigned b = 1; b <= 5; b++)
			if (a != b)
				fprintf(f, "%u %u %u\n", a, b, a < b);
	fclose(f);
	assert_int_equal(run_with("verify " RING " %s --path-sl %s", tables, more), 0);
	assert_non_null(strstr(out, "on 2 VLs"));
	file_write(more, "1 2 0\n");
	assert_int_equal(run_with("verify " RING " %s --path-sl %s", tables, more), 2);
	assert_non_null(strstr(err, "has no path from"));
	file_write(more, "1 2 16\n");
	assert_int_equal(run_with("verify " RING " %s --path-sl %s", tables, more), 2);
	assert_non_null(strstr(err, ":1: an SL above 15"));
	file_write(more, "1 999 0\n");
	assert_int_equal(run_with("verify " RING " %s --path-sl %s", tables, more), 2);
	assert_non_null(strstr(err, ":1: no port has the LID 999"));
}

/* SLtoVL tables: every SL to VL 1, so two VLs exist and one has all dependencies. */
static void
sl2vl(void **state)
{
	FILE *f = fopen(more, "w");

	(void)state;
	assert_non_null(f);
	for (unsigned sw = 0; sw < 5; sw++) {
		fprintf(f, "Switch 0x%016llx, base LID 1, \"x\"\n",
			0x00fe1d0000000000ull + sw * 0x100);
		for (unsigned in = 0; in <= 3; in++)
			for (unsigned o = 1; o <= 3; o++)
				fprintf(f, "%u %u : 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", in, o);
	}
	fclose(f);
	ring_tables();
	assert_int_equal(run_with("verify " RING " %s --sl2vl %s", tables, more), 0);
	assert_non_null(strstr(out, "on 2 VLs"));
	file_write(more, "Switch 0x1\n");
	assert_int_equal(run_with("verify " RING " %s --sl2vl %s", tables, more), 2);
	file_write(more, "Switch 0x00fe1d0000000000\n1 2 : 3\n");
	assert_int_equal(run_with("verify " RING " %s --sl2vl %s", tables, more), 2);
	assert_non_null(strstr(err, ":2: expected in-port and out-port"));
}

/* Any damage to a file of tables is a sentence or a verdict, never a crash. */
static void
damaged_tables(void **state)
{
	char *text;
	size_t len;

	(void)state;
	ring_tables();
	text = strdup(out);
	len = strlen(text);
	for (unsigned seed = 1; seed <= 300; seed++) {
		unsigned x = seed * 2654435761u;
		char was = text[x % len];

		text[x % len] = (char)(x >> 8 & 0x7f);
		file_write(tables, text);
		text[x % len] = was;
		x = (unsigned)run_with("verify " RING " %s%s --threads=1", tables, "");
		assert_true(x <= 2);
		assert_true(x < 2 || strncmp(err, "heddle-route: ", 14) == 0);
	}
	free(text);
}

static void
document(void **state)
{
	json_t *d;

	(void)state;
	assert_int_equal(
		route_line_run("score " RING " -R updn -j --permutations 0 --shifts 0"), 0);
	d = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(d);
	assert_true(json_is_null(json_object_get(d, "rp_max")));
	assert_int_equal(json_integer_value(json_object_get(d, "vls")), 1);
	json_decref(d);
	assert_int_equal(route_line_run("-j plan nowhere"), 2);
	d = json_loads(out, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(d);
	assert_int_equal(json_array_size(json_object_get(d, "errors")), 1);
	assert_int_equal(json_integer_value(json_object_get(d, "exit_status")), 2);
	json_decref(d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usage),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(owners),
		cmocka_unit_test(two_owners),
		cmocka_unit_test(path_sls),
		cmocka_unit_test(sl2vl),
		cmocka_unit_test(damaged_tables),
		cmocka_unit_test(document),
	};

	return cmocka_run_group_tests(tests, tables_setup, tables_teardown);
}
