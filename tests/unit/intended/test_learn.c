/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_learn.c - ranks, planes, dividers and ids that are learned from whole trees.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/intended/intended.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct intended *t;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	intended_free(t);
	s = NULL;
	t = NULL;
	return 0;
}

static void
learn(const char *spec, const struct made_how *how, const struct intended_conf *c)
{
	teardown(NULL);
	s = made_snapshot(spec, how);
	t = intended_learn(s, c);
	assert_non_null(t);
}

/* Counts switches of a rank and divider. */
static uint32_t
count(uint16_t rank, uint32_t divider)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nsw; i++)
		n += t->sw[i].rank == rank && t->sw[i].divider == divider;
	return n;
}

static void
ranks_and_dividers(void **state)
{
	(void)state;
	learn("fattree:k=8,levels=3", NULL, NULL);
	assert_int_equal(count(0, 16), 16);
	assert_int_equal(count(1, 4), 32);
	assert_int_equal(count(2, 1), 32);
	assert_string_equal(t->root_rule, "histogram");
	assert_int_equal(t->nlinks, 256);
	assert_int_equal(t->nhosts, 128);
	learn("xgft:m=4/4/2,w=1/2/2", NULL, NULL);
	assert_int_equal(count(0, 4), 4);
	assert_int_equal(count(1, 2), 4);
	assert_int_equal(count(2, 1), 8);
}

static void
sorted_and_numbered(void **state)
{
	(void)state;
	for (uint32_t seed = 0; seed < 20; seed++) {
		struct made_how how = { .scramble = true, .seed = seed };
		bool *plane, *id;

		learn("fattree:k=6,levels=3", &how, NULL);
		plane = calloc(t->nsw, sizeof(*plane));
		id = calloc(t->nhosts, sizeof(*id));
		for (uint32_t i = 0; i < t->nsw; i++) {
			assert_true(i == 0 || t->sw[i - 1].guid < t->sw[i].guid);
			assert_in_range(t->sw[i].plane, 0, t->nsw - 1);
			assert_false(plane[t->sw[i].plane]);
			plane[t->sw[i].plane] = true;
		}
		for (uint32_t i = 0; i < t->nlinks; i++) {
			const struct intended_link *a = &t->links[i], *b = a - 1;

			assert_true(a->a < a->b);
			assert_true(i == 0 || b->a < a->a || (b->a == a->a && b->aport < a->aport));
		}
		for (uint32_t i = 0; i < t->nhosts; i++) {
			const struct intended_host *h = &t->hosts[i];

			assert_true(i == 0 || h[-1].guid < h->guid);
			assert_in_range(h->id, 0, t->nhosts - 1);
			assert_false(id[h->id]);
			id[h->id] = true;
			/* three hosts per leaf, by port */
			assert_int_equal(h->id / 3, t->sw[h->sw].leaf);
		}
		free(plane);
		free(id);
	}
}

/* Ids follow the ports of the switches above, so they do not depend on GUIDs, nor on a few lost
 * links.  The GUIDs of made_snapshot() have the place of the node in the generated topology in
 * their lower bits. */
static void
ids_follow_the_cabling(void **state)
{
	static const char *const specs[] = { "fattree:k=8,levels=3", "fattree:k=12,levels=2",
		"xgft:m=4/4/2,w=1/2/2" };

	(void)state;
	for (uint32_t i = 0; i < 30; i++) {
		struct made_how how = { .scramble = true, .seed = i, .cut_percent = i < 15 ? 0 : 2 };
		uint32_t *place;

		learn(specs[i % 3], &how, NULL);
		place = calloc(t->nhosts, sizeof(*place));
		for (uint32_t h = 0; h < t->nhosts; h++)
			place[t->hosts[h].id] = t->hosts[h].guid >> 8 & 0xffff;
		for (uint32_t h = 1; h < t->nhosts; h++)
			assert_true(place[h - 1] < place[h]);
		free(place);
	}
}

static void
kinds_count_by_themselves(void **state)
{
	uint64_t io[3];
	struct intended_conf c = { .io = io, .nio = 3 };
	uint32_t n[INTENDED_KINDS] = { 0 }, most[INTENDED_KINDS] = { 0 };

	(void)state;
	learn("fattree:k=4,levels=3", NULL, NULL);
	for (unsigned i = 0; i < 3; i++)
		io[i] = t->hosts[14 - 6 * i].guid;      /* not ascending */
	learn("fattree:k=4,levels=3", NULL, &c);
	for (uint32_t i = 0; i < t->nhosts; i++) {
		const struct intended_host *h = &t->hosts[i];

		n[h->kind]++;
		most[h->kind] = h->id > most[h->kind] ? h->id : most[h->kind];
	}
	assert_int_equal(n[INTENDED_IO], 3);
	assert_int_equal(n[INTENDED_COMPUTE], 13);
	assert_int_equal(most[INTENDED_IO], 2);
	assert_int_equal(most[INTENDED_COMPUTE], 12);
	c = (struct intended_conf){ .compute = io, .ncompute = 3 };
	learn("fattree:k=4,levels=3", NULL, &c);
	n[INTENDED_OTHER] = 0;
	for (uint32_t i = 0; i < t->nhosts; i++)
		n[INTENDED_OTHER] += t->hosts[i].kind == INTENDED_OTHER;
	assert_int_equal(n[INTENDED_OTHER], 13);
}

static void
given_roots(void **state)
{
	uint64_t root = 0;
	struct intended_conf c = { .roots = &root, .nroots = 1 };

	(void)state;
	learn("torus:4x4,hosts=1", NULL, NULL);
	root = t->sw[5].guid;
	learn("torus:4x4,hosts=1", NULL, &c);
	assert_string_equal(t->root_rule, "given");
	assert_int_equal(t->sw[5].rank, 0);
	root = 1;
	assert_null(intended_learn(s, &c));
}

/* Equal fabrics, found in another order: equal bytes. */
static void
shuffled(void **state)
{
	struct made_how how = { .scramble = true, .seed = 7 };
	struct snapshot *other;
	struct intended *u;

	(void)state;
	learn("dragonfly:a=4,h=2,p=2", &how, NULL);
	how.shuffle = true;
	other = made_snapshot("dragonfly:a=4,h=2,p=2", &how);
	u = intended_learn(other, NULL);
	assert_int_equal(t->nsw, u->nsw);
	assert_int_equal(t->nlinks, u->nlinks);
	assert_memory_equal(t->sw, u->sw, t->nsw * sizeof(*t->sw));
	assert_memory_equal(t->links, u->links, t->nlinks * sizeof(*t->links));
	assert_memory_equal(t->hosts, u->hosts, t->nhosts * sizeof(*t->hosts));
	intended_free(u);
	made_free(other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(ranks_and_dividers, teardown),
		cmocka_unit_test_teardown(sorted_and_numbered, teardown),
		cmocka_unit_test_teardown(ids_follow_the_cabling, teardown),
		cmocka_unit_test_teardown(kinds_count_by_themselves, teardown),
		cmocka_unit_test_teardown(given_roots, teardown),
		cmocka_unit_test_teardown(shuffled, teardown),
	};

	return cmocka_run_group_tests_name("sm/intended/learn", tests, NULL, NULL);
}
