/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_every.c - what holds for every routing engine, one row of the table after the other: golden
 * tables, equal bytes for any order of discovery and any number of stripes, and tables that pass
 * the verifier, or a refusal with a reason, on random fabrics.
 *
 * A new engine is covered as soon as it has its row in sm/route/engines.c; the first test then asks
 * for its rows in golden.def.  Where a change of tables is wanted, this test prints the new rows.
 */
#include <config.h>
#include <inttypes.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/lanes_naive.h"
#include "tests/unit/route/made.h"

struct made {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct intended *intended;
	struct route_in in;
	struct fwd_tables f;
	struct route_report r;
};

static struct made at;          /* what the running test made; freed by its teardown */

static int
teardown(void **state)
{
	(void)state;
	made_free(at.s);
	intended_free(at.intended);
	arena_clear(&at.arena);
	memset(&at, 0, sizeof(at));
	return 0;
}

/* The fabric and the input of engines; 'learn': with the intended topology of the whole fabric. */
static void
bed_make(const char *spec, const struct made_how *how, uint8_t lmc, bool learn)
{
	struct lid_conf lc = { .lmc = lmc };
	struct lid_report lr;

	made_free(at.s);
	intended_free(at.intended);
	arena_clear(&at.arena);
	memset(&at, 0, sizeof(at));
	if (learn) {
		struct made_how whole = *how;
		struct snapshot *s;

		whole.cut_percent = 0;
		s = made_snapshot(spec, &whole);
		at.intended = intended_learn(s, NULL);
		made_free(s);
	}
	at.s = made_snapshot(spec, how);
	assert_int_equal(plan_lids(at.s, NULL, &lc, &at.arena, &at.lids, &lr), 0);
	at.in = (struct route_in){
		.snapshot = at.s, .lids = &at.lids, .intended = at.intended, .vls = 8
	};
}

/* True: the engine made tables.  A refusal has a code, a sentence and no tables. */
static bool
route(const struct route_engine *e, const char *spec)
{
	enum route_code code = e->run(&at.in, &at.arena, &at.f, &at.r);

	if (code != at.r.code || (code != ROUTE_OK && (!at.r.sentence[0] || at.f.port)))
		fail_msg("%s on %s: code %s and %s, \"%s\"", e->name, spec, route_code_text(code),
			route_code_text(at.r.code), at.r.sentence);
	return code == ROUTE_OK;
}

/* FNV-1a. */
static uint64_t
sum_bytes(uint64_t sum, const void *data, size_t n)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < n; i++)
		sum = (sum ^ p[i]) * 0x100000001b3u;
	return sum;
}

/* The sum of all that reaches switches and hosts: entries, SLs, and VLs of links, SL by SL. */
static uint64_t
tables_sum(void)
{
	const struct lane_plan *p = at.f.lanes;
	uint64_t sum = 0xcbf29ce484222325u;

	for (uint32_t sw = 0; sw < at.s->nswitches; sw++)
		sum = sum_bytes(sum, fwd_row(&at.f, sw), at.lids.top + 1u);
	sum = sum_bytes(sum, &at.f.vls, 1);
	for (uint32_t a = 0; p && a < at.s->nswitches; a++)
		for (uint32_t b = 0; b < at.s->nswitches; b++) {
			uint8_t sl = lanes_sl(p, a, b);

			sum = sum_bytes(sum, &sl, 1);
		}
	for (uint32_t sw = 0; p && sw < at.s->nswitches; sw++) {
		const struct fab_node *n = &at.s->nodes[at.s->switches[sw]];

		for (unsigned i = 0; i <= n->nports; i++)
			for (unsigned o = 1; o <= n->nports; o++)
				for (unsigned sl = 0; sl < LANE_SLS; sl++) {
					uint8_t vl = lanes_vl(p, n->first_port + i,
						n->first_port + o, (uint8_t)sl);

					sum = sum_bytes(sum, &vl, p->sls >> sl & 1);
				}
	}
	return sum;
}

static const struct golden {
	const char *engine, *spec;
	unsigned cut;                   /* percent of the links between switches */
	uint8_t lmc;
	uint64_t sum;
} goldens[] = {
#define GOLDEN(engine, spec, cut, lmc, sum) { engine, spec, cut, lmc, sum },
#include "tests/unit/route/golden.def"
#undef GOLDEN
};
#define NGOLDENS (sizeof(goldens) / sizeof(goldens[0]))

/* All but file, whose tables are those of a file (test_file.c). */
static bool
makes_tables(const struct route_engine *e)
{
	return strcmp(e->name, "file") != 0;
}

static void
golden(void **state)
{
	uint32_t n, wrong = 0;
	const struct route_engine *e = route_engines(&n);

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		unsigned rows = 0, damaged = 0;

		for (size_t k = 0; k < NGOLDENS; k++) {
			const struct golden *g = &goldens[k];
			struct made_how how = { .cut_percent = g->cut, .seed = 3, .scramble = true };

			if (strcmp(g->engine, e[i].name) != 0)
				continue;
			bed_make(g->spec, &how, g->lmc, g->cut > 0);
			if (!route(&e[i], g->spec))
				fail_msg("%s refuses %s: %s", g->engine, g->spec, at.r.sentence);
			rows++;
			damaged += g->cut > 0;
			if (tables_sum() == g->sum)
				continue;
			print_message("GOLDEN(\"%s\", \"%s\", %u, %u, 0x%016" PRIx64 "u)\n",
				g->engine, g->spec, g->cut, g->lmc, tables_sum());
			wrong++;
		}
		if ((rows < 2 || !damaged) && makes_tables(&e[i]))
			fail_msg("engine %s needs rows in golden.def, one of them damaged", e[i].name);
	}
	if (wrong)
		fail_msg("%u tables are not those of golden.def; the rows above are of today", wrong);
}

/* Parts in the reverse order, one after the other. */
static void
each_backwards(void *arg, stripes_part *part, void *data)
{
	unsigned n = *(const unsigned *)arg;

	for (unsigned i = n; i-- > 0;)
		part(data, i, n);
}

static const char *const shapes[] = {
	"fattree:k=4,levels=3", "fattree:k=6,levels=3", "xgft:m=4/4/3,w=1/2/2", "torus:4x4x3,hosts=2",
	"torus:6x5,hosts=1", "mesh:4x3,hosts=2", "hyperx:4x3x2,hosts=1", "hypercube:d=4,hosts=1",
	"dragonfly:a=4,h=2,p=1", "dragonfly+:leaves=3,spines=3,groups=4,hosts=1",
	"random:switches=30,cables=60,hosts=2,seed=4",
};
#define NSHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* Ports found in another order, work in another number of parts: the same bytes, or the same refusal. */
static bool
same_bytes_of(const struct route_engine *e, const char *spec, unsigned cut)
{
	static const unsigned parts[] = { 1, 2, 3, 8 };
	struct made_how how = { .scramble = true, .seed = 5, .cut_percent = cut };
	char sentence[sizeof(at.r.sentence)];
	uint64_t sum = 0;
	bool ok = false;

	for (unsigned turn = 0; turn < 4; turn++) {
		struct stripes stripes = { parts[turn], each_backwards, (void *)(uintptr_t)&parts[turn] };
		bool now;

		how.shuffle = turn > 0;
		how.shuffle_seed = turn;
		bed_make(spec, &how, 0, cut > 0);
		at.in.stripes = turn ? &stripes : NULL;
		now = route(e, spec);
		if (turn == 0) {
			ok = now;
			memcpy(sentence, at.r.sentence, sizeof(sentence));
			sum = ok ? tables_sum() : 0;
		}
		if (now != ok || (ok && tables_sum() != sum) || strcmp(sentence, at.r.sentence) != 0)
			fail_msg("%s on %s, %u %% lost, turn %u: other tables, or another sentence: "
				"\"%s\", first \"%s\"", e->name, spec, cut, turn, at.r.sentence, sentence);
	}
	return ok;
}

static void
shuffled(void **state)
{
	uint32_t n;
	const struct route_engine *e = route_engines(&n);

	(void)state;
	for (uint32_t i = 0; i < n; i++) {
		unsigned routed = 0;

		for (size_t k = 0; k < NSHAPES; k++)
			routed += same_bytes_of(&e[i], shapes[k], 0) + same_bytes_of(&e[i], shapes[k], 6);
		print_message("# %s: %u of %zu fabrics routed\n", e[i].name, routed, 2 * NSHAPES);
		assert_true(routed >= 2 || !makes_tables(&e[i]));
	}
}

/* A number from 'least' to 'most'. */
static unsigned
between(uint32_t *rnd, unsigned least, unsigned most)
{
	return least + made_random(rnd) % (most - least + 1);
}

static void
grid_spec(char *spec, size_t size, uint32_t *rnd, const char *family, unsigned most)
{
	unsigned a = between(rnd, 2, most), b = between(rnd, 2, most), hosts = between(rnd, 1, 2);

	if (a * b <= 15 && between(rnd, 0, 1))
		snprintf(spec, size, "%s:%ux%ux%u,hosts=%u", family, a, b, between(rnd, 2, 3), hosts);
	else
		snprintf(spec, size, "%s:%ux%u,hosts=%u", family, a, b, hosts);
}

/* A fabric of some family with at most about fifty switches. */
static void
random_spec(char *spec, size_t size, uint32_t seed)
{
	uint32_t rnd = seed * 2654435761u + 17;
	unsigned n, most, cables;

	made_random(&rnd);
	switch (seed % 12) {
	case 0:
		n = 2 * between(&rnd, 2, 3);
		snprintf(spec, size, "fattree:k=%u,levels=3,pods=%u", n, between(&rnd, 2, n));
		return;
	case 1:
		snprintf(spec, size, "xgft:m=%u/%u/%u,w=1/%u/%u", between(&rnd, 1, 4), between(&rnd, 2, 4),
			between(&rnd, 2, 3), between(&rnd, 1, 3), between(&rnd, 1, 3));
		return;
	case 2:
	case 3:
		grid_spec(spec, size, &rnd, "torus", 6);
		return;
	case 4:
		grid_spec(spec, size, &rnd, "mesh", 5);
		return;
	case 5:
		grid_spec(spec, size, &rnd, "hyperx", 5);
		return;
	case 6:
		snprintf(spec, size, "hypercube:d=%u,hosts=%u", between(&rnd, 2, 5), between(&rnd, 1, 2));
		return;
	case 7:
		snprintf(spec, size, "dragonfly:a=%u,h=%u,p=%u,g=%u", between(&rnd, 3, 5), 2,
			between(&rnd, 1, 2), between(&rnd, 4, 7));
		return;
	case 8:
		n = between(&rnd, 2, 4);
		snprintf(spec, size, "dragonfly+:leaves=%u,spines=%u,groups=%u,hosts=%u", n, n,
			between(&rnd, 3, n + 1), between(&rnd, 1, 2));
		return;
	default:
		n = between(&rnd, 3, 32);
		most = n * (n - 1) / 2;
		cables = n - 1 + between(&rnd, 0, 2 * n);
		snprintf(spec, size, "random:switches=%u,cables=%u,hosts=%u,seed=%" PRIu32, n,
			cables < most ? cables : most, between(&rnd, 1, 3), seed);
	}
}

/* The tables pass the verifier, and a plain one that walks all pairs.  Engines without a promise
 * against credit loops may have them; where the fabric is in pieces, walks between these are lost. */
static void
engine_check(const struct route_engine *e, const char *what)
{
	struct lanes_naive n = lanes_naive_check(at.s, &at.lids, &at.f);
	bool promised = strstr(e->promise, "no credit loop") != NULL;
	struct verify_in in = { .snapshot = at.s, .lids = &at.lids, .tables = &at.f, .scope = e->scope,
		.vls = at.in.vls };
	struct verify_result v;

	verify_check(&in, &v);
	if (n.lost || n.astray || v.lanes[0] || v.loops || (promised && (n.cyclic || v.credit_loops)) ||
	    (v.unreachable > 0) != (n.apart > 0) || (e->scope == VERIFY_HOSTS && n.cyclic != (v.credit_loops > 0)))
		fail_msg("%s on %s: lost %" PRIu64 "/%" PRIu64 " apart %" PRIu64 " astray %" PRIu64
			 " loops %" PRIu64 " cyclic %d/%" PRIu64 " %s", e->name, what, n.lost, v.unreachable,
			n.apart, n.astray, v.loops, n.cyclic, v.credit_loops, v.lanes);
}

#define FABRICS 600

static void
random_fabrics(void **state)
{
	static const unsigned cuts[] = { 0, 2, 5, 10, 25 };
	static const uint8_t vls[] = { 8, 2, 8, 4, 8, 1, 15 };
	unsigned routed[32] = { 0 }, fabrics = test_share(FABRICS);
	uint32_t n;
	const struct route_engine *e = route_engines(&n);

	(void)state;
	assert_in_range(n, 1, 32);
	for (uint32_t seed = 0; seed < fabrics; seed++) {
		struct made_how how = { .cut_percent = cuts[seed / 12 % 5], .seed = seed,
			.scramble = seed / 12 % 2, .shuffle = seed % 7 == 0 };
		char spec[128], what[192];

		random_spec(spec, sizeof(spec), seed);
		bed_make(spec, &how, seed % 11 == 0, seed / 24 % 2);
		at.in.vls = vls[seed % 7];
		snprintf(what, sizeof(what), "%s (seed %" PRIu32 ", %u %% lost, %u VLs)", spec, seed,
			how.cut_percent, at.in.vls);
		for (uint32_t i = 0; i < n; i++)
			if (route(&e[i], what)) {
				engine_check(&e[i], what);
				routed[i]++;
			}
	}
	for (uint32_t i = 0; i < n; i++) {
		print_message("# %s: %u of %u fabrics routed\n", e[i].name, routed[i], fabrics);
		assert_true(routed[i] >= fabrics / 12 || !makes_tables(&e[i]));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(golden, teardown),
		cmocka_unit_test_teardown(shuffled, teardown),
		cmocka_unit_test_teardown(random_fabrics, teardown),
	};

	return cmocka_run_group_tests_name("sm/route every", tests, NULL, NULL);
}
