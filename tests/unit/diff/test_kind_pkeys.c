/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_kind_pkeys.c - P_Key blocks: which differ, what a Set carries, what an answer proves.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/diff/fixture.h"

static void
pkeys_on_the_wire(void **state)
{
	uint32_t leaf_num = b.s->ports[b.leaf].num;
	uint8_t image[64] = { 0x12, 0x34 }, block[1][PKEY_TABLE_BYTES] = { { 0 } };

	(void)state;
	assert_true(leaf_num > 0);
	assert_int_equal(bed_modifier(&b, CHANGE_PKEYS, (struct change){ b.host, 3 }, false), 3);
	assert_int_equal(bed_modifier(&b, CHANGE_PKEYS, (struct change){ b.leaf, 3 }, false),
		leaf_num << 16 | 3);
	b.s->pkey_blocks = block;
	b.s->ports[b.host].pkeys = 0;
	bed_observe(&b, CHANGE_PKEYS, (struct change){ b.host, 0 },
		(struct change_answer){ .data = image });
	b.s->pkey_blocks = NULL;
	assert_memory_equal(block[0], image, 64);
}

/* The plan wants two blocks at the host's port; known are others, which the caller owns. */
static uint8_t known[2][PKEY_TABLE_BYTES];

static void
plan_two_blocks(void)
{
	struct pkey_plan *p = &b.plan.pkeys;

	p->nports = b.s->nports;
	p->first = arena_array(&b.plan.arena, p->nports, sizeof(*p->first));
	p->nblocks = arena_array(&b.plan.arena, p->nports, sizeof(*p->nblocks));
	p->enforce = arena_array(&b.plan.arena, p->nports, sizeof(*p->enforce));
	p->blocks = arena_array(&b.plan.arena, 2, sizeof(*p->blocks));
	p->first[b.host] = 1;
	p->nblocks[b.host] = 2;
	for (unsigned i = 0; i < PKEY_TABLE_BYTES; i++) {
		p->blocks[0][i] = (uint8_t)(1 + i);
		p->blocks[1][i] = (uint8_t)(101 + i);
	}
	memcpy(known, p->blocks, sizeof(known));
	b.s->pkey_blocks = known;
	b.s->ports[b.host].pkeys = 0;
}

/* The changes of P_Key tables alone. */
static uint32_t
find_blocks(void)
{
	bed_look(&b, &found);
	return found.phase[CHANGE_PKEYS].n;
}

static void
blocks_that_differ(void **state)
{
	uint8_t buf[64];

	(void)state;
	assert_int_equal(find_blocks(), 0); /* nothing is wanted */
	plan_two_blocks();
	assert_int_equal(find_blocks(), 0);
	known[1][63] ^= 1;
	assert_int_equal(find_blocks(), 1);
	assert_int_equal(found.phase[CHANGE_PKEYS].v[0].subject, b.host);
	assert_int_equal(found.phase[CHANGE_PKEYS].v[0].block, 1);
	assert_memory_equal(
		diff_payload(b.o, &b.plan, CHANGE_PKEYS, &found.phase[CHANGE_PKEYS].v[0], buf),
		b.plan.pkeys.blocks[1], 64);
	known[0][0] ^= 1;
	assert_int_equal(find_blocks(), 2);
	b.plan.pkeys.nblocks[b.host] = 1; /* the second is left as it is */
	assert_int_equal(find_blocks(), 1);
	b.s->pkey_blocks = NULL;
}

/* What was not read cannot be compared, and what is left out gets nothing. */
static void
ports_that_are_left_alone(void **state)
{
	struct fab_port *p = &b.s->ports[b.host];
	struct fab_node *n = &b.s->nodes[p->node];

	(void)state;
	plan_two_blocks();
	known[0][0] ^= 1;
	p->flags |= FAB_PORT_FAILED;
	assert_int_equal(find_blocks(), 0);
	p->flags = 0;
	assert_int_equal(find_blocks(), 0);
	p->flags = FAB_PORT_INFO;
	n->flags |= FAB_NODE_CUT;
	assert_int_equal(find_blocks(), 0);
	n->flags &= (uint8_t)~FAB_NODE_CUT;
	assert_int_equal(find_blocks(), 1);
	b.s->pkey_blocks = NULL;
}

/* Every byte of an answer counts; what it shows is known from then on, wanted or not. */
static void
an_answer_shows_the_block(void **state)
{
	struct change second = { b.host, 1 };
	uint8_t w[64];

	(void)state;
	plan_two_blocks();
	memset(known, 0, sizeof(known));
	memcpy(w, b.plan.pkeys.blocks[1], 64);
	assert_true(bed_took_effect(&b, CHANGE_PKEYS, second, NULL, w));
	for (unsigned i = 0; i < 64; i++) {
		w[i] ^= 0x80;
		assert_false(bed_took_effect(&b, CHANGE_PKEYS, second, NULL, w));
		w[i] ^= 0x80;
	}
	bed_observe(&b, CHANGE_PKEYS, second, (struct change_answer){ .data = w, .effect = true });
	assert_int_equal(find_blocks(), 1);
	assert_int_equal(found.phase[CHANGE_PKEYS].v[0].block, 0);
	w[5] = 0;
	bed_observe(&b, CHANGE_PKEYS, second, (struct change_answer){ .data = w });
	assert_memory_equal(known[1], w, 64);
	assert_int_equal(find_blocks(), 2);
	/* A Set without an answer: what was read before is still the best guess. */
	assert_null(change_kinds[CHANGE_PKEYS]->forget);
	b.s->pkey_blocks = NULL;
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(pkeys_on_the_wire),
		T(blocks_that_differ),
		T(ports_that_are_left_alone),
		T(an_answer_shows_the_block),
	};

	return cmocka_run_group_tests_name("sm/diff/kind_pkeys", tests, NULL, NULL);
}
