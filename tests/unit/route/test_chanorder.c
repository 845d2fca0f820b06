/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_chanorder.c - accepts exactly the dependencies that close no cycle, as a plain search does.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/route/model/chanorder.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;
static struct swgraph g;
static struct chanorder_net net;
static struct chanorder o;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

static void
bed_begin(const char *spec, uint32_t seed)
{
	struct made_how how = { .cut_percent = seed % 3 * 10, .seed = seed };

	teardown(NULL);
	s = made_snapshot(spec, &how);
	swgraph_make(s, &arena, &g);
	chanorder_net_make(&net, &g, &arena);
	chanorder_init(&o, &net, &arena);
}

/* The plain graph: a matrix of channels. */
static bool
plain_reaches(const bool *dep, uint32_t from, uint32_t to, bool *seen)
{
	if (from == to)
		return true;
	if (seen[from])
		return false;
	seen[from] = true;
	for (uint32_t c = 0; c < net.n; c++)
		if (dep[from * net.n + c] && plain_reaches(dep, c, to, seen))
			return true;
	return false;
}

static bool
plain_closes(const bool *dep, uint32_t x, uint32_t y)
{
	bool *seen = calloc(net.n, sizeof(*seen)), closes = plain_reaches(dep, y, x, seen);

	free(seen);
	return closes;
}

/* Each dependency of the matrix is used and no other; positions are a topological permutation. */
static void
same(const bool *dep)
{
	bool *taken = calloc(net.n, sizeof(*taken));
	uint32_t ndeps = 0;

	for (uint32_t x = 0; x < net.n; x++) {
		assert_true(o.pos[x] < net.n);
		assert_false(taken[o.pos[x]]);
		taken[o.pos[x]] = true;
		for (uint32_t y = 0; y < net.n; y++) {
			bool follows = net.from[y] == chanorder_to(&net, x);

			ndeps += dep[x * net.n + y];
			if (dep[x * net.n + y])
				assert_true(o.pos[x] < o.pos[y]);
			if (follows)
				assert_int_equal(dep[x * net.n + y], chanorder_state(&o, x, y) == CHANORDER_USED);
		}
	}
	assert_int_equal(ndeps, o.ndeps);
	free(taken);
}

/* A random dependency. */
static void
pick(uint32_t *state, uint32_t *x, uint32_t *y)
{
	uint32_t first, n;

	*x = made_random(state) % net.n;
	first = g.group_first[chanorder_to(&net, *x)];
	n = g.group_first[chanorder_to(&net, *x) + 1] - first;
	*y = first + made_random(state) % n;
}

static void
channels(void **state)
{
	(void)state;
	/* rings of two: parallel links are one channel */
	bed_begin("torus:2x5,hosts=1", 0);
	for (uint32_t c = 0; c < net.n; c++) {
		assert_int_equal(net.from[net.rev[c]], chanorder_to(&net, c));
		assert_int_equal(chanorder_to(&net, net.rev[c]), net.from[c]);
		assert_int_equal(net.rev[net.rev[c]], c);
	}
	assert_int_equal(net.n, 10 * 3);
}

/* A ring takes all turns in one direction but one, which then is blocked. */
static void
ring(void **state)
{
	uint32_t x = 0, y;

	(void)state;
	bed_begin("torus:6,hosts=1", 0);
	for (unsigned i = 0; i < 6; i++, x = y) {
		y = g.group_first[chanorder_to(&net, x)];
		y += y == net.rev[x];
		assert_int_equal(chanorder_add(&o, x, y), i < 5);
		assert_int_equal(chanorder_state(&o, x, y), i < 5 ? CHANORDER_USED : CHANORDER_BLOCKED);
	}
	assert_int_equal(o.ndeps, 5);
	chanorder_undo(&o, 0);
	assert_int_equal(chanorder_state(&o, x, g.group_first[chanorder_to(&net, x)]), CHANORDER_UNKNOWN);
	assert_int_equal(o.ndeps, 0);
	x = 0;
	y = g.group_first[chanorder_to(&net, x)];
	assert_true(chanorder_add(&o, x, y + (y == net.rev[x])));
	chanorder_clear(&o);
	assert_int_equal(o.ndeps, 0);
	assert_int_equal(chanorder_state(&o, x, y + (y == net.rev[x])), CHANORDER_UNKNOWN);
}

static void
against_plain_search(void **state)
{
	static const char *const specs[] = { "torus:3x3,hosts=1", "fattree:k=4,levels=2", "hypercube:d=3,hosts=1",
		"random:switches=9,cables=16,hosts=1,seed=3", "torus:2x4,hosts=1" };

	(void)state;
	for (uint32_t seed = 0; seed < 40; seed++) {
		uint32_t rnd = seed, x, y, mark = 0;
		bool *dep, *then;

		bed_begin(specs[seed % 5], seed);
		dep = calloc((size_t)net.n * net.n, sizeof(*dep));
		then = calloc((size_t)net.n * net.n, sizeof(*then));
		for (unsigned i = 0; i < 12 * net.n; i++) {
			unsigned what = made_random(&rnd) % 40;

			if (what == 0) {
				chanorder_commit(&o);
				mark = 0;
				memcpy(then, dep, (size_t)net.n * net.n * sizeof(*dep));
			} else if (what == 1) {
				mark = chanorder_mark(&o);
				memcpy(then, dep, (size_t)net.n * net.n * sizeof(*dep));
			} else if (what == 2) {
				chanorder_undo(&o, mark);
				memcpy(dep, then, (size_t)net.n * net.n * sizeof(*dep));
				same(dep);
			}
			pick(&rnd, &x, &y);
			assert_int_equal(chanorder_add(&o, x, y), !plain_closes(dep, x, y));
			dep[x * net.n + y] |= !plain_closes(dep, x, y);
			assert_int_equal(chanorder_state(&o, x, y),
				dep[x * net.n + y] ? CHANORDER_USED : CHANORDER_BLOCKED);
		}
		same(dep);
		free(dep);
		free(then);
	}
}

/* Switches with more than 64 neighbours: rows of several words. */
static void
wide(void **state)
{
	uint32_t rnd = 7, x, y, used = 0;

	(void)state;
	bed_begin("fattree:k=144,levels=2", 0);
	for (unsigned i = 0; i < 20000; i++) {
		pick(&rnd, &x, &y);
		chanorder_add(&o, x, y);
	}
	for (x = 0; x < net.n; x++)
		for (y = g.group_first[chanorder_to(&net, x)]; y < g.group_first[chanorder_to(&net, x) + 1]; y++)
			if (chanorder_state(&o, x, y) == CHANORDER_USED) {
				assert_true(o.pos[x] < o.pos[y]);
				used++;
			}
	assert_int_equal(used, o.ndeps);
	assert_in_range(used, 5000, 20000);
	chanorder_undo(&o, 0);
	assert_int_equal(o.ndeps, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(channels, teardown),
		cmocka_unit_test_teardown(ring, teardown),
		cmocka_unit_test_teardown(against_plain_search, teardown),
		cmocka_unit_test_teardown(wide, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
