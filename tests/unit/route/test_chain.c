/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_chain.c - the order of engines: lists, auto and the shapes it sees, the end of a chain.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/chain.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct intended *whole;
static struct chain chain;

static int
teardown(void **state)
{
	(void)state;
	if (s)
		made_free(s);
	intended_free(whole);
	s = NULL;
	whole = NULL;
	return 0;
}

static void
make_fabric(const char *spec, const struct made_how *how)
{
	teardown(NULL);
	s = made_snapshot(spec, how);
}

static void
make_chain(const char *list, bool fallback)
{
	struct route_in in = { .snapshot = s, .intended = whole };
	struct conf_engines e;
	char why[256];

	assert_true(chain_list_read(list, &e, why, sizeof(why)));
	chain_make(&chain, &e, &in, fallback, NULL);
}

static void
expect_names(const char *names)
{
	char text[400] = "";

	for (unsigned i = 0; i < chain.n; i++) {
		assert_non_null(chain.step[i].engine);
		assert_string_equal(chain.step[i].engine->name, chain.step[i].name);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "," : "", chain.step[i].name);
	}
	assert_string_equal(text, names);
}

static void
shapes(void **state)
{
	static const char *const row[][3] = {
		{ "fattree:k=4,levels=3", "ftree,updn,nue", "tree of 3 levels" },
		{ "xgft:m=4/4/2,w=1/2/2", "ftree,updn,nue", "tree of " },
		{ "torus:5x5,hosts=1", "torus-2qos,ftree,nue,updn", "torus 5x5" },
		{ "mesh:3x3,hosts=2", "dor,ftree,nue,updn", "mesh 3x3" },
		{ "hypercube:d=4,hosts=1", "dor,ftree,nue,updn", "hypercube of 4" },
		{ "hyperx:4x4x3,hosts=1", "hyperx,ftree,nue,updn", "hyperx 4x4x3" },
		{ "dragonfly:a=4,h=2,p=1", "dragonfly,ftree,nue,updn", "dragonfly of 9 groups" },
		{ "random:switches=30,cables=60,hosts=2,seed=7", "ftree,nue,updn", "no known shape" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		make_fabric(row[i][0], NULL);
		make_chain("auto", true);
		expect_names(row[i][1]);
		assert_ptr_equal(strstr(chain.shape, row[i][2]), chain.shape);
		assert_int_equal(chain.step[0].why, i < 7 ? CHAIN_SHAPE : CHAIN_GENERAL);
	}
}

/* Damage does not change what auto sees: it looks at the intended topology. */
static void
damage_changes_nothing(void **state)
{
	struct made_how how = { .cut_percent = 25, .seed = 3 };
	struct snapshot *intact = made_snapshot("torus:5x5,hosts=1", NULL);

	(void)state;
	make_fabric("torus:5x5,hosts=1", &how);
	make_chain("auto", true);
	assert_null(strstr(chain.shape, "all 50 links present"));
	whole = intended_learn(intact, NULL);
	make_chain("auto", true);
	expect_names("torus-2qos,ftree,nue,updn");
	assert_string_equal(chain.shape, "torus 5x5 of 25 switches, all 50 links present");
	made_free(intact);
}

static void
lists(void **state)
{
	(void)state;
	make_fabric("fattree:k=4,levels=2", NULL);
	make_chain("minhop", true);
	expect_names("minhop,nue");
	assert_int_equal(chain.step[1].why, CHAIN_LAST);
	assert_string_equal(chain.shape, "");
	make_chain("minhop", false);
	expect_names("minhop");
	make_chain("minhop,no_fallback", true);
	expect_names("minhop");
	make_chain("nue,minhop", true);
	expect_names("nue,minhop");
	make_chain("UPDN, auto, minhop", true);
	expect_names("updn,ftree,nue,minhop");
	make_chain("sssp,auto,no_fallback", true);
	expect_names("sssp,ftree,updn,nue");
	assert_int_equal(chain.step[0].why, CHAIN_NAMED);
	assert_int_equal(chain.step[1].why, CHAIN_SHAPE);
}

static void
bad_lists(void **state)
{
	static const char *const row[][2] = {
		{ "", "expected the name of a routing engine" },
		{ "no_fallback", "expected the name of a routing engine" },
		{ "no_fallback,updn", "nothing may follow no_fallback" },
		{ "updn,uhdn", "there is no routing engine \"uhdn\"" },
		{ "updn,updn,updn,updn,updn,updn,updn,updn,updn", "expected at most 8 engines" },
	};
	struct conf_engines e;
	char why[256];

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_false(chain_list_read(row[i][0], &e, why, sizeof(why)));
		assert_non_null(strstr(why, row[i][1]));
	}
}

/* A name that this version does not have stays in the chain, with the sentence that says so. */
static void
an_unknown_name_refuses(void **state)
{
	struct conf_engines e = { .n = 2, .name = { "none", "updn" } };
	struct route_in in;

	(void)state;
	make_fabric("fattree:k=4,levels=2", NULL);
	in = (struct route_in){ .snapshot = s };
	chain_make(&chain, &e, &in, true, NULL);
	assert_int_equal(chain.n, 3);
	assert_null(chain.step[0].engine);
	assert_non_null(strstr(chain.step[0].said, "\"none\""));
}

static void
what_is_said(void **state)
{
	char text[600];
	json_t *o;

	(void)state;
	make_fabric("torus:5x5,hosts=1", NULL);
	make_chain("auto", true);
	assert_string_equal(chain_text(&chain, text, sizeof(text)), "");
	chain_refused(&chain, 0, "needs lanes");
	chain_refused(&chain, 1, "no tree");
	chain_taken(&chain, 2);
	assert_string_equal(chain_text(&chain, text, sizeof(text)),
		"torus 5x5 of 25 switches, all 50 links present: engine nue, after torus-2qos, ftree refused");
	o = chain_json(&chain);
	assert_string_equal(json_string_value(json_object_get(o, "chosen")), "general");
	assert_int_equal(json_array_size(json_object_get(o, "tried")), 3);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(json_object_get(o, "tried"), 0), "refusal")), "needs lanes");
	assert_true(json_is_null(json_object_get(json_array_get(json_object_get(o, "tried"), 2), "refusal")));
	json_decref(o);
	make_chain("minhop", true);
	chain_refused(&chain, 0, "loops");
	assert_string_equal(chain_text(&chain, text, sizeof(text)), "no engine; minhop refused");
	chain_taken(&chain, 1);
	assert_string_equal(chain_text(&chain, text, sizeof(text)), "engine nue, the fallback, after minhop refused");
	make_chain("minhop", true);
	chain_taken(&chain, 0);
	assert_string_equal(chain_text(&chain, text, sizeof(text)), "engine minhop");
}

/* On any fabric, with one VL, some engine of auto makes tables that the verifier accepts, and shuffled
 * discovery changes neither the chain nor the tables. */
static const char *const specs[] = { "fattree:k=4,levels=3", "torus:5x5,hosts=1", "torus:3x4,hosts=2",
	"dragonfly:a=4,h=2,p=1", "hyperx:4x4,hosts=1", "hypercube:d=4,hosts=1", "mesh:4x3,hosts=1",
	"random:switches=24,cables=48,hosts=1,seed=5" };
#define NSPECS (sizeof(specs) / sizeof(specs[0]))

static const struct route_engine *
take_first(struct route_in *in, struct arena *a, struct fwd_tables *f)
{
	struct route_report r;
	struct verify_in v;
	struct verify_result verdict;

	chain_make(&chain, &(struct conf_engines){ .n = 1, .name = { CHAIN_AUTO } }, in, true, NULL);
	for (unsigned i = 0; i < chain.n; i++) {
		if (chain.step[i].engine->run(in, a, f, &r) != ROUTE_OK) {
			assert_true(r.sentence[0]);
			continue;
		}
		v = (struct verify_in){ .snapshot = in->snapshot, .lids = in->lids, .tables = f,
			.scope = chain.step[i].engine->scope, .vls = 1 };
		verify_check(&v, &verdict);
		if (verdict.ok)
			return chain.step[i].engine;
	}
	return NULL;
}

static void
some_engine_serves_every_fabric(void **state)
{
	unsigned checked = 0;

	(void)state;
	for (uint32_t seed = 0; seed < 500; seed++) {
		struct made_how how = { .cut_percent = seed % 4 * 8, .seed = seed, .scramble = seed % 3 == 0 };
		const struct route_engine *e[2];
		struct arena a = ARENA_INIT;
		struct fwd_tables f[2];

		for (unsigned i = 0; i < 2; i++) {
			struct lid_conf lc = { 0 };
			struct lid_map *lids = arena_alloc(&a, sizeof(*lids));
			struct route_in in = { .lids = lids, .vls = 1 };
			struct lid_report lr;

			how.shuffle = i == 1;
			how.shuffle_seed = seed + 1;
			make_fabric(specs[seed % NSPECS], &how);
			if (!made_connected(s))
				break;
			assert_int_equal(plan_lids(s, NULL, &lc, &a, lids, &lr), 0);
			in.snapshot = s;
			e[i] = take_first(&in, &a, &f[i]);
			assert_non_null(e[i]);
			checked++;
			if (i == 0)
				continue;
			assert_ptr_equal(e[0], e[1]);
			assert_memory_equal(f[0].port, f[1].port, (size_t)f[0].nswitches * f[0].stride);
		}
		arena_clear(&a);
	}
	assert_true(checked > 700);
}

/* What is kept of one topology is not taken for another's. */
static void
a_shape_is_seen_once(void **state)
{
	const struct conf_engines e = { .n = 1, .name = { CHAIN_AUTO } };
	struct chain_seen *seen = NULL, *was;
	struct chain again;

	(void)state;
	for (unsigned i = 0; i < 4 * NSPECS; i++) {
		struct route_in in;

		make_fabric(specs[i / 4], NULL);
		whole = intended_learn(s, NULL);
		if (i % 4 == 2)
			whole->nlinks--;
		else if (i % 4 == 3)
			whole->nhosts--;
		in = (struct route_in){ .snapshot = s, .intended = whole };
		was = seen;
		chain_make(&chain, &e, &in, true, NULL);
		chain_make(&again, &e, &in, true, &seen);
		assert_memory_equal(&again, &chain, sizeof(chain));
		if (i % 4 == 1)
			assert_ptr_equal(seen, was);
		in.intended = NULL;
		chain_make(&chain, &e, &in, true, NULL);
		chain_make(&again, &e, &in, true, &seen);
		assert_memory_equal(&again, &chain, sizeof(chain));
	}
	chain_seen_free(seen);
	chain_seen_free(NULL);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(shapes, teardown),
		cmocka_unit_test_teardown(damage_changes_nothing, teardown),
		cmocka_unit_test_teardown(lists, teardown),
		cmocka_unit_test_teardown(bad_lists, teardown),
		cmocka_unit_test_teardown(an_unknown_name_refuses, teardown),
		cmocka_unit_test_teardown(a_shape_is_seen_once, teardown),
		cmocka_unit_test_teardown(what_is_said, teardown),
		cmocka_unit_test_teardown(a_shape_is_seen_once, teardown),
		cmocka_unit_test_teardown(some_engine_serves_every_fabric, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
