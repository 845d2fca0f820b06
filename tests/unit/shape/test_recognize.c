/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_recognize.c - every family is recognised from its cabling, whatever its GUIDs; what is
 * none is not.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/shape/shape.h"
#include "tests/unit/route/made.h"

struct seen {
	struct snapshot *s;
	struct arena arena;
	struct swgraph g;
	struct shape shape;
	char text[256];
};

static struct seen *at;

static int
teardown(void **state)
{
	(void)state;
	if (at) {
		made_free(at->s);
		arena_clear(&at->arena);
		free(at);
		at = NULL;
	}
	return 0;
}

static void
see(const char *spec, const struct made_how *how)
{
	teardown(NULL);
	at = calloc(1, sizeof(*at));
	at->s = made_snapshot(spec, how);
	swgraph_make(at->s, &at->arena, &at->g);
	shape_recognize(&at->g, &at->arena, &at->shape);
	shape_text(&at->shape, at->text, sizeof(at->text));
}

static const struct row {
	const char *spec, *text, *engine;
} rows[] = {
	{ "torus:8,hosts=1", "torus 8 of 8 switches, all 8 links present", "torus-2qos" },
	{ "torus:5x5,hosts=1", "torus 5x5 of 25 switches, all 50 links present", "torus-2qos" },
	{ "torus:6x6x6,hosts=4", "torus 6x6x6 of 216 switches, all 648 links present",
		"torus-2qos" },
	{ "torus:7x3x2,hosts=1", "torus 7x3x2 of 42 switches, all 105 links present",
		"torus-2qos" },
	{ "torus:2x9,hosts=1", "torus 2x9 of 18 switches, all 27 links present", "torus-2qos" },
	{ "torus:4x4x4,hosts=1",
		"hypercube of 6 dimensions and 64 switches, all 192 links present", "dor" },
	{ "torus:4,hosts=1", "hypercube of 2 dimensions and 4 switches, all 4 links present",
		"dor" },
	{ "torus:3,hosts=1", "hyperx 3 of 3 switches, all 3 links present", "hyperx" },
	{ "mesh:4x4,hosts=2", "mesh 4x4 of 16 switches, all 24 links present", "dor" },
	{ "mesh:7,hosts=2", "mesh 7 of 7 switches, all 6 links present", "dor" },
	{ "mesh:3x4x5,hosts=2", "mesh 3x4x5 of 60 switches, all 133 links present", "dor" },
	{ "mesh:2x6,hosts=2", "mesh 2x6 of 12 switches, all 16 links present", "dor" },
	{ "hypercube:d=6,hosts=1",
		"hypercube of 6 dimensions and 64 switches, all 192 links present", "dor" },
	{ "hypercube:d=1,hosts=1",
		"hypercube of 1 dimension and 2 switches, the only link present", "dor" },
	{ "hyperx:4x4x3,hosts=1", "hyperx 4x4x3 of 48 switches, all 192 links present", "hyperx" },
	{ "hyperx:8x8,hosts=1", "hyperx 8x8 of 64 switches, all 448 links present", "hyperx" },
	{ "hyperx:5x5,hosts=1", "hyperx 5x5 of 25 switches, all 100 links present", "hyperx" },
	{ "hyperx:6,hosts=1", "hyperx 6 of 6 switches, all 15 links present", "hyperx" },
	{ "dragonfly:a=4,h=2,p=2", "dragonfly of 9 groups and 36 switches, all 90 links present",
		"dragonfly" },
	{ "dragonfly:a=8,h=4,p=4",
		"dragonfly of 33 groups and 264 switches, all 1452 links present", "dragonfly" },
	{ "dragonfly:a=4,h=2,p=2,g=5",
		"dragonfly of 5 groups and 20 switches, all 50 links present", "dragonfly" },
	{ "dragonfly:a=3,h=1,p=1", "dragonfly of 4 groups and 12 switches, all 18 links present",
		"dragonfly" },
	{ "dragonfly+:leaves=4,spines=4,groups=5,hosts=4",
		"dragonfly+ of 5 groups and 40 switches, all 120 links present", "dragonfly" },
	{ "dragonfly+:leaves=4,spines=4,groups=3,hosts=2",
		"dragonfly+ of 3 groups and 24 switches, all 60 links present", "dragonfly" },
	{ "fattree:k=4,levels=3", "tree of 3 levels and 20 switches", "ftree" },
	{ "fattree:k=8,levels=2", "tree of 2 levels and 12 switches", "ftree" },
	{ "xgft:m=4/4/4,w=1/4/4", "tree of 3 levels and 48 switches", "ftree" },
	{ "random:switches=40,cables=80,hosts=1,seed=1",
		"no known shape: 40 switches, 80 links between them", "nue" },
	{ "random:switches=60,cables=200,hosts=1,seed=2",
		"no known shape: 60 switches, 200 links between them", "nue" },
};

/* Recognises every row of the table, with GUIDs by 'seed'; dimensions may come in another order. */
static void
families(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (uint32_t seed = 0; seed < 4; seed++) {
			struct made_how how = { .seed = seed,
				.scramble = seed > 0,
				.shuffle = seed > 1,
				.shuffle_seed = seed };

			see(rows[i].spec, &how);
			if (strcmp(at->text, rows[i].text) != 0)
				fail_msg("%s seed %u: %s", rows[i].spec, seed, at->text);
			assert_string_equal(shape_engine(&at->shape), rows[i].engine);
		}
}

/* Coordinates are unique, and each link is one step. */
static void
check_grid(const char *spec)
{
	const struct shape *s = &at->shape;

	for (uint32_t x = 0; x < s->nsw; x++) {
		assert_int_equal(s->by_place[shape_place(s, x, SHAPE_DIMS_MAX, 0)], x);
		for (unsigned d = 0; d < s->ndims; d++)
			assert_true(s->at[x * s->ndims + d] < s->dim[d].size);
		for (uint32_t k = 0; k < s->nsteps; k++) {
			uint32_t e = s->step[x * s->nsteps + k], y, differ = 0;

			if (e == SHAPE_NOWHERE)
				continue;
			assert_true(e >= at->g.group_first[x] && e < at->g.group_first[x + 1]);
			y = at->g.groups[e].to;
			for (unsigned d = 0; d < s->ndims; d++)
				differ += s->at[x * s->ndims + d] != s->at[y * s->ndims + d];
			if (differ != 1)
				fail_msg("%s: a step that changes %u coordinates", spec, differ);
		}
	}
}

/* A few lost links do not hide a grid or a dragonfly, and are counted. */
static void
damaged(void **state)
{
	static const char *const specs[] = {
		"torus:6x6x6,hosts=1",
		"torus:5x6x7,hosts=1",
		"mesh:5x5x5,hosts=1",
		"hypercube:d=6,hosts=1",
		"hyperx:8x8,hosts=1",
		"hyperx:4x4x3,hosts=1",
		"dragonfly:a=8,h=4,p=4",
		"dragonfly+:leaves=4,spines=4,groups=5,hosts=4",
	};
	unsigned seen = 0, grids = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++)
		for (uint32_t seed = 0; seed < 20; seed++) {
			struct made_how how = { .cut_percent = 2, .seed = seed, .scramble = true };
			enum shape_kind whole;

			see(specs[i], NULL);
			whole = at->shape.kind;
			see(specs[i], &how);
			if (at->shape.kind == SHAPE_NONE)
				continue;
			assert_int_equal(at->shape.kind, whole);
			seen++;
			if (!at->shape.ndims)
				continue;
			grids++;
			check_grid(specs[i]);
		}
	if (seen < 150)
		fail_msg("%u of 160 recognised, %u grids", seen, grids);
}

static void
grids(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		see(rows[i].spec, NULL);
		if (at->shape.ndims)
			check_grid(rows[i].spec);
	}
}

static void
nothing(void **state)
{
	(void)state;
	see("fattree:k=8,levels=2", NULL);
	at->g.nsw = 0;
	shape_recognize(&at->g, &at->arena, &at->shape);
	assert_int_equal(at->shape.kind, SHAPE_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(families, teardown),
		cmocka_unit_test_teardown(grids, teardown),
		cmocka_unit_test_teardown(damaged, teardown),
		cmocka_unit_test_teardown(nothing, teardown),
	};

	return cmocka_run_group_tests_name("sm/shape", tests, NULL, NULL);
}
