/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_again_input.c - the input of a run against that of the next, by places.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/tree/again_input.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/part.h"

static struct snapshot *s, *now;
static struct intended *intended;
static struct arena arena;
static struct lid_map lids, l;
static struct frame frame;
static struct again_input input;
static struct route_in in;
static uint8_t *mark;
static bool *gone, *dead;

static int
setup(void **state)
{
	struct made_how how = { .scramble = true, .seed = 3 };
	struct lid_conf lc = { .lmc = 0 };
	struct route_report r;
	struct lid_report lr;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", &how);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	intended = intended_learn(s, NULL);
	in = (struct route_in){ .snapshot = s, .lids = &lids, .intended = intended };
	assert_int_equal(frame_make(&frame, &in, &arena, &r), ROUTE_OK);
	again_input_keep(&input, &frame, &in, &arena);
	mark = arena_alloc(&arena, s->nswitches);
	gone = arena_array(&arena, s->nnodes, sizeof(*gone));
	dead = arena_array(&arena, s->nports, sizeof(*dead));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	frame_clear(&frame);
	made_free(s);
	made_free(now);
	s = now = NULL;
	intended_free(intended);
	arena_clear(&arena);
	return 0;
}

/* The next sweep. */
static bool
take(unsigned *news)
{
	made_free(now);
	now = part_copy(s, gone, dead, NULL);
	part_lids(s, &lids, now, &arena, &l);
	in.snapshot = now;
	in.lids = &l;
	return again_input_take(&input, &frame, &in, &arena, mark, 4, news);
}

static void
check_marks(uint32_t a, uint32_t b)
{
	for (uint32_t sw = 0; sw < frame.now.g.nsw; sw++)
		assert_int_equal(mark[sw], sw == a || sw == b ? 4 : 0);
}

/* A host that is cabled to a switch. */
static uint32_t
some_host(void)
{
	uint32_t i = 0;

	while (fab_is_switch(&s->nodes[i]))
		i++;
	return i;
}

static void
the_same_again(void **state)
{
	unsigned news;

	(void)state;
	assert_true(take(&news));
	assert_int_equal(news, 0);
	check_marks(FAB_NONE, FAB_NONE);
	assert_ptr_equal(frame.now.s, now);
}

static void
a_link(void **state)
{
	unsigned news;
	uint32_t p = 0;

	(void)state;
	while (s->ports[p].peer == FAB_NONE || !fab_is_switch(&s->nodes[s->ports[p].node]) ||
		!fab_is_switch(&s->nodes[s->ports[s->ports[p].peer].node]))
		p++;
	for (unsigned i = 0; i < 2; i++) {
		dead[p] = !dead[p];
		assert_true(take(&news));
		assert_int_equal(news, AGAIN_LINKS);
		check_marks(s->nodes[s->ports[p].node].sw,
			s->nodes[s->ports[s->ports[p].peer].node].sw);
	}
}

/* The LID stays reserved; then it is not. */
static void
a_host(void **state)
{
	uint32_t node = some_host(), port = s->nodes[node].first_port + 1, peer = s->ports[port].peer;
	struct route_absent b = { lids.base[port], s->nodes[s->ports[peer].node].sw,
		s->ports[peer].num };
	unsigned news;

	(void)state;
	gone[node] = true;
	in.absent = &b;
	in.nabsent = 1;
	assert_true(take(&news));
	assert_int_equal(news, AGAIN_LIDS);
	assert_true(take(&news));
	assert_int_equal(news, 0);
	b.port++;
	assert_true(take(&news));
	assert_int_equal(news, AGAIN_LIDS);
	in.nabsent = 0;
	assert_true(take(&news));
	assert_int_equal(news, AGAIN_LIDS);
	gone[node] = false;
	assert_true(take(&news));
	assert_int_equal(news, AGAIN_LIDS);
	check_marks(FAB_NONE, FAB_NONE);
}

static void
a_switch(void **state)
{
	uint32_t node = s->switches[3];
	unsigned news;

	(void)state;
	gone[node] = true;
	assert_true(take(&news));
	assert_true(news & AGAIN_SWITCHES && news & AGAIN_LINKS && news & AGAIN_LIDS);
	assert_int_equal(frame.ordinal[3], FAB_NONE);
	assert_int_equal(frame.ordinal[4], 3);
	assert_int_equal(input.ordinal[4], 4);
	assert_int_equal(mark[3], 4);
	assert_true(take(&news));
	assert_int_equal(news, 0);
	gone[node] = false;
	assert_true(take(&news));
	assert_true(news & AGAIN_SWITCHES && news & AGAIN_LINKS && news & AGAIN_LIDS);
	assert_int_equal(frame.ordinal[3], 3);
	assert_int_equal(frame.node[3], now->switches[3]);
	assert_int_equal(mark[3], 4);
}

static void
other_lids(void **state)
{
	uint32_t port = s->nodes[some_host()].first_port + 1;
	unsigned news;

	(void)state;
	lids.lmc[port] = 1;
	assert_true(take(&news));
	assert_int_equal(news, AGAIN_LIDS);
	lids.top++;
	assert_true(take(&news));
	assert_int_equal(news, AGAIN_LIDS);
	lids.base[s->nodes[s->switches[0]].first_port]++;
	assert_true(take(&news));
	assert_int_equal(news, AGAIN_LIDS);
}

static void
what_is_not_taken(void **state)
{
	unsigned news;

	(void)state;
	intended->links[0].aport++;
	assert_false(take(&news));
	intended->links[0].aport--;
	assert_true(take(&news));
	s->nodes[s->switches[2]].guid++;        /* another switch in the place of a known one */
	assert_false(take(&news));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(the_same_again),
		T(a_link),
		T(a_host),
		T(a_switch),
		T(other_lids),
		T(what_is_not_taken),
	};

	return cmocka_run_group_tests_name("sm/route/again_input", tests, NULL, NULL);
}
