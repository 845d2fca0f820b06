/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_file.c - engine file: tables of a file come back as they were, LIDs that moved, files of another
 * fabric.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/snapshot/part.h"
#include "fabric/topo/snapshot_topo.h"
#include "sim/gen/gen.h"
#include "sm/conf/routing/lfts.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"

#define SPEC "fattree:k=4,levels=2"

static struct snapshot *s;
static struct arena arena;
static struct lid_map lids;
static struct fwd_tables made, got;
static struct route_report r;
static struct lfts file;
static struct intended *whole;

static const struct route_engine *
engine(const char *name)
{
	char why[300];
	const struct route_engine *e = route_find(name, why, sizeof(why));

	assert_non_null(e);
	return e;
}

/* Tables of updn, as a file has them: by LIDs that are 'shift' higher than those of now. */
static void
write_file(uint32_t shift, bool named)
{
	file = (struct lfts){ .file = "x.lfts", .ntables = s->nswitches, .top = lids.top + shift, .named = named };
	file.tables = arena_array(&arena, s->nswitches, sizeof(*file.tables));
	file.owner = arena_array(&arena, LFTS_LIDS, sizeof(*file.owner));
	file.owner_line = arena_array(&arena, LFTS_LIDS, sizeof(*file.owner_line));
	for (uint32_t lid = 1; named && lid <= lids.top; lid++) {
		if (lids.owner[lid] == FAB_NONE)
			continue;
		file.owner[lid + shift] = s->ports[lids.owner[lid]].guid;
		file.owner_line[lid + shift] = 100 + lid;
	}
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		struct lfts_table *t = &file.tables[sw];

		*t = (struct lfts_table){ .guid = s->nodes[s->switches[sw]].guid, .line = sw + 1,
			.n = (lids.top + shift) / 64 * 64 + 64 };
		t->row = arena_alloc(&arena, t->n);
		memset(t->row, LFTS_DROP, t->n);
		for (uint32_t lid = 1; lid <= lids.top; lid++)
			t->row[lid + shift] = fwd_row(&made, sw)[lid];
	}
}

static enum route_code
run_file(const struct lfts *l)
{
	struct route_conf conf = { .lfts = l };
	struct route_in in = { .snapshot = s, .lids = &lids, .conf = &conf, .intended = whole };

	return engine("file")->run(&in, &arena, &got, &r);
}

static void
make_fabric(void)
{
	struct topo_error e;
	struct topo topo;

	assert_int_equal(gen_or_read(SPEC, &topo, &e), 0);
	assert_int_equal(topo_to_snapshot(&topo, FAB_NONE, PORT_STATE_INIT, &s), 0);
	topo_clear(&topo);
}

static int
setup(void **state)
{
	struct lid_conf lc = { .lmc = 1 };
	struct lid_report lr;
	struct route_in in = { .lids = &lids };

	(void)state;
	make_fabric();
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	in.snapshot = s;
	assert_int_equal(engine("updn")->run(&in, &arena, &made, &r), ROUTE_OK);
	write_file(0, true);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	intended_free(whole);
	whole = NULL;
	snapshot_free(s);
	arena_clear(&arena);
	return 0;
}

static void
expect_same(void)
{
	assert_int_equal(r.code, ROUTE_OK);
	assert_string_equal(r.sentence, "tables of x.lfts");
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		assert_memory_equal(fwd_row(&got, sw), fwd_row(&made, sw), lids.top + 1u);
}

static void
the_same_tables(void **state)
{
	struct verify_result v;

	(void)state;
	run_file(&file);
	expect_same();
	verify_tables(s, &lids, &got, engine("file")->scope, &v);
	assert_true(v.ok);
	write_file(0, false);
	run_file(&file);
	expect_same();
}

/* The port GUIDs say where the LIDs are now, each of several of a port. */
static void
lids_that_moved(void **state)
{
	(void)state;
	write_file(40, true);
	run_file(&file);
	expect_same();
}

static void
expect_refusal(const char *sentence)
{
	assert_int_equal(r.code, ROUTE_INPUT);
	assert_string_equal(r.sentence, sentence);
	assert_null(got.port);
}

static void
refusals(void **state)
{
	char text[256];

	(void)state;
	run_file(NULL);
	expect_refusal("lfts_file names no file");
	file.line = 7;
	snprintf(file.fault, sizeof(file.fault), "a bad line");
	run_file(&file);
	expect_refusal("x.lfts:7: a bad line");
	write_file(0, true);
	file.tables[2].guid = 0x77;
	run_file(&file);
	expect_refusal("x.lfts:3: the switch 0x0000000000000077 is not in this fabric");
	write_file(0, true);
	file.ntables--;
	run_file(&file);
	snprintf(text, sizeof(text), "x.lfts has no table of the switch 0x%016llx and 0 others",
		(unsigned long long)s->nodes[s->switches[s->nswitches - 1]].guid);
	expect_refusal(text);
	write_file(0, true);
	file.owner[5] = 0x78;
	run_file(&file);
	expect_refusal("x.lfts:105: LID 5 belongs to the port 0x0000000000000078, which is not in this fabric");
	write_file(0, true);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		file.tables[sw].row[3] = LFTS_DROP;
	run_file(&file);
	snprintf(text, sizeof(text), "x.lfts has no entry for LID 3 of the port 0x%016llx",
		(unsigned long long)s->ports[lids.owner[3]].guid);
	expect_refusal(text);
	write_file(0, true);
	file.tables[1].row[2] = 200;
	run_file(&file);
	snprintf(text, sizeof(text), "x.lfts:2: the switch 0x%016llx sends LID 2 by port 200, which has no link",
		(unsigned long long)file.tables[1].guid);
	expect_refusal(text);
}

/* A host that is away does not make the file one of another fabric, if it is intended. */
static void
a_host_is_away(void **state)
{
	bool *node = arena_array(&arena, s->nnodes, sizeof(*node));
	bool *port = arena_array(&arena, s->nports, sizeof(*port));
	uint32_t gone = lids.owner[2];
	struct lid_conf lc = { .lmc = 1 };
	struct lid_report lr;
	struct verify_result v;
	struct snapshot *part;

	(void)state;
	memset(node, 1, s->nnodes);
	for (uint32_t i = 0; i < s->nports; i++)
		port[i] = s->ports[i].peer != FAB_NONE;
	node[s->ports[gone].node] = false;
	port[gone] = port[s->ports[gone].peer] = false;
	part = part_make(s, node, port);
	whole = intended_learn(s, NULL);
	snapshot_free(s);
	s = part;
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	assert_int_equal(run_file(&file), ROUTE_OK);
	verify_tables(s, &lids, &got, engine("file")->scope, &v);
	assert_true(v.ok);
	intended_free(whole);
	whole = NULL;
	assert_int_equal(run_file(&file), ROUTE_INPUT);
	assert_non_null(strstr(r.sentence, "which is not in this fabric"));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_same_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(lids_that_moved, setup, teardown),
		cmocka_unit_test_setup_teardown(refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(a_host_is_away, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
