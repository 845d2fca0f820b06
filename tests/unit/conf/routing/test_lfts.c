/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lfts.c - forwarding tables from text: the forms of several programs, and lines that are bad.
 */
#include <config.h>
#include <errno.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/conf/routing/lfts.h"

static struct arena arena;
static struct lfts *l;
static char path[64];

static int
read_text(const char *text)
{
	FILE *f;
	int fd, err;

	snprintf(path, sizeof(path), "/tmp/heddle-lfts-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	fputs(text, f);
	fclose(f);
	l = NULL;
	err = lfts_read(path, &arena, &l);
	unlink(path);
	return err;
}

static int
teardown(void **state)
{
	(void)state;
	arena_clear(&arena);
	return 0;
}

static void
dump_lfts(void **state)
{
	(void)state;
	assert_int_equal(read_text("Unicast lids [0x0-0x42] of switch Lid 2 guid 0x0002c90000000001 (a):\n"
		"  Lid  Out   Destination\n       Port     Info \n"
		"0x0001 003 : (Channel Adapter portguid 0x0002c90000000a01: 'host-1')\n"
		"0x0042 000 : (Switch portguid 0x0002c90000000001: 'a')\n"
		"2 valid lids dumped \n"
		"# a comment\n"
		"Unicast lids [0-1] of switch Lid 3 guid 0x0002c90000000002 ('b'):\n"
		"0x0001 255\n0x0002 UNREACHABLE\n"), 0);
	assert_int_equal(l->line, 0);
	assert_int_equal(l->ntables, 2);
	assert_true(l->tables[0].guid == 0x0002c90000000001);
	assert_int_equal(l->tables[0].line, 1);
	assert_int_equal(l->tables[0].n, 128);
	assert_int_equal(lfts_port(&l->tables[0], 1), 3);
	assert_int_equal(lfts_port(&l->tables[0], 0x42), 0);
	assert_int_equal(lfts_port(&l->tables[0], 2), LFTS_DROP);
	assert_int_equal(lfts_port(&l->tables[0], 0xbfff), LFTS_DROP);
	assert_int_equal(l->tables[1].line, 8);
	assert_int_equal(lfts_port(&l->tables[1], 1), 255);
	assert_int_equal(lfts_port(&l->tables[1], 2), LFTS_DROP);
	assert_int_equal(l->top, 0x42);
	assert_true(l->named && l->owner[1] == 0x0002c90000000a01);
	assert_int_equal(l->owner_line[1], 4);
	assert_string_equal(l->file, path);
}

static void
opensm_fdbs(void **state)
{
	(void)state;
	assert_int_equal(read_text("dump_ucast_routes: Switch 0x0002c90000000001\nLID    : Port : Hops : Optimal\n"
		"0x0001 : 003  : 01   : yes\n0x0003 : UNREACHABLE\n"), 0);
	assert_int_equal(l->ntables, 1);
	assert_int_equal(lfts_port(&l->tables[0], 1), 3);
	assert_int_equal(lfts_port(&l->tables[0], 3), LFTS_DROP);
	assert_false(l->named);
}

#define T1 "Unicast lids [0-1] of switch Lid 3 guid 0x1:\n"

static void
bad_lines(void **state)
{
	static const struct {
		const char *text;
		uint32_t line;
		const char *fault;
	} row[] = {
		{ "0x0001 003\n", 1, "an entry before the first table" },
		{ "Unicast lids [0-1] of switch Lid 3:\n", 1, "a table without the GUID of its switch" },
		{ T1 "0xc000 3\n", 2, "expected a LID up to 0xbfff and a port up to 255" },
		{ T1 "0x0000 3\n", 2, "expected a LID up to 0xbfff and a port up to 255" },
		{ T1 "0x0001 256\n", 2, "expected a LID up to 0xbfff and a port up to 255" },
		{ T1 "0x0001 1\n" T1, 3, "a second table of the switch 0x0000000000000001" },
		{ T1 "Multicast mlids [0xc000-0xc001] of switch guid 0x1\n", 2,
			"a multicast table; expected tables of unicast LIDs" },
		{ T1 "0x0001 1 portguid 0x5\nUnicast lids of switch guid 0x2\n0x0001 1 portguid 0x6\n", 4,
			"LID 1 has two owners, 0x0000000000000005 and 0x0000000000000006" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(read_text(row[i].text), 0);
		assert_int_equal(l->line, row[i].line);
		assert_string_equal(l->fault, row[i].fault);
		arena_clear(&arena);
	}
	assert_int_equal(lfts_read("/nonexistent", &arena, &l), -ENOENT);
	assert_int_equal(read_text(""), 0);
	assert_int_equal(l->ntables, 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(dump_lfts, teardown),
		cmocka_unit_test_teardown(opensm_fdbs, teardown),
		cmocka_unit_test_teardown(bad_lines, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
