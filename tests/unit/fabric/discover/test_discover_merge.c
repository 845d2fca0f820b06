/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_merge.c - the snapshot that is made from the seed and what has changed is, byte for
 * byte, the one that is made from copies of all nodes.
 */
#include <config.h>
#include "tests/unit/fabric/discover/changes.h"

#define FABRICS 300
#define TURNS 12

static void
same_nodes(const struct snapshot *a, const struct snapshot *b)
{
	assert_int_equal(a->nnodes, b->nnodes);
	for (uint32_t i = 0; i < a->nnodes; i++) {
		struct fab_node x, y;

		memcpy(&x, &a->nodes[i], sizeof(x));
		memcpy(&y, &b->nodes[i], sizeof(y));
		assert_int_equal(!x.lft, !y.lft);
		assert_int_equal(x.lft_blocks, y.lft_blocks);
		if (x.lft)
			assert_memory_equal(x.lft, y.lft, x.lft_blocks * 64);
		x.lft = y.lft = NULL;
		assert_memory_equal(&x, &y, sizeof(x));
	}
}

static void
same_bytes(const void *a, const void *b, size_t n)
{
	if (n)
		assert_memory_equal(a, b, n);
}

static void
same_snapshot(const struct snapshot *a, const struct snapshot *b)
{
	same_nodes(a, b);
	assert_int_equal(a->nports, b->nports);
	assert_int_equal(a->nswitches, b->nswitches);
	assert_int_equal(a->nendports, b->nendports);
	assert_int_equal(a->npkey_blocks, b->npkey_blocks);
	assert_int_equal(a->nproblems, b->nproblems);
	assert_int_equal(a->nhosts, b->nhosts);
	assert_int_equal(a->nlinks, b->nlinks);
	assert_int_equal(a->sm_port, b->sm_port);
	assert_int_equal(a->unplugged, b->unplugged);
	same_bytes(a->ports, b->ports, a->nports * sizeof(*a->ports));
	same_bytes(a->switches, b->switches, a->nswitches * sizeof(*a->switches));
	same_bytes(a->endports, b->endports, a->nendports * sizeof(*a->endports));
	same_bytes(a->pkey_blocks, b->pkey_blocks, a->npkey_blocks * sizeof(*a->pkey_blocks));
	same_bytes(a->problems, b->problems, a->nproblems * sizeof(*a->problems));
}

/* Tables of two P_Key blocks, of end ports and of other ports of switches. */
static void
read_tables(struct changes *c, struct snapshot *s)
{
	uint8_t (*all)[PKEY_TABLE_BYTES] = arena_array(
		&s->arena, s->npkey_blocks + 6, sizeof(*all));

	if (s->npkey_blocks)
		memcpy(all, s->pkey_blocks, s->npkey_blocks * sizeof(*all));
	s->pkey_blocks = all;
	for (unsigned k = 0; k < 3; k++) {
		struct fab_port *p = &s->ports[changes_random(c, s->nports)];

		if (!p->num && !fab_is_switch(&s->nodes[p->node]))
			continue;
		p->pkeys = s->npkey_blocks;
		p->more_pkeys = 1;
		p->flags |= FAB_PORT_PKEYS;
		memset(all[s->npkey_blocks], (int)changes_random(c, 256), 2 * sizeof(*all));
		s->npkey_blocks += 2;
	}
}

/* What is written to a snapshot after it was made: P_Key blocks that were kept or read,
 * what answers to Sets showed, flags. */
static void
use_snapshot(struct changes *c, struct snapshot *s, const struct snapshot *seed)
{
	snapshot_keep_pkeys(s, seed);
	for (unsigned k = 0; k < 3; k++) {
		struct fab_port *p = &s->ports[changes_random(c, s->nports)];

		if (!(p->flags & FAB_PORT_INFO))
			continue;
		p->info[28] = (uint8_t)changes_random(c, 256);
		p->info[16] = (uint8_t)changes_random(c, 256);
		p->flags |= FAB_PORT_UNTOLD;
	}
	read_tables(c, s);
}

/* The seed of the next turn: what was found, or what a whole discovery finds. */
static void
next_seed(struct changes *c, struct snapshot **seed, struct snapshot *found)
{
	struct snapshot *was = *seed;

	if (found) {
		use_snapshot(c, found, was);
		*seed = found;
		changes_forget(c);
	} else if (changes_random(c, 2)) {
		*seed = sweep_all(&c->f);
		changes_forget(c);
	} else {
		return;
	}
	snapshot_free(was);
}

static unsigned
live(uint64_t number)
{
	struct changes c;
	struct snapshot *seed;
	unsigned merged = 0;

	changes_begin(&c, number);
	seed = sweep_all(&c.f);
	for (unsigned turn = 0; turn < TURNS; turn++) {
		struct snapshot *a, *b;
		const char *spoiled;
		uint64_t asked;

		for (uint32_t n = changes_random(&c, 4); n; n--)
			changes_happen(&c);
		a = changes_discover(&c, seed, false);
		asked = c.asked;
		spoiled = c.f.spoiled;
		b = changes_discover(&c, seed, true);
		assert_int_equal(asked, c.asked);
		assert_ptr_equal(spoiled, c.f.spoiled);
		assert_int_equal(!a, !b);
		if (a)
			same_snapshot(a, b);
		merged += a != NULL;
		snapshot_free(b);
		next_seed(&c, &seed, a);
	}
	snapshot_free(seed);
	changes_end(&c);
	return merged;
}

static void
random_changes(void **state)
{
	unsigned merged = 0;

	(void)state;
	for (uint64_t i = 1; i <= FABRICS; i++)
		merged += live(i);
	assert_true(merged > FABRICS * TURNS / 2);
}

static void
compare(struct changes *c, const struct snapshot *seed)
{
	struct snapshot *a = changes_discover(c, seed, false);
	struct snapshot *b = changes_discover(c, seed, true);

	assert_non_null(a);
	same_snapshot(a, b);
	snapshot_free(a);
	snapshot_free(b);
}

/* The adapter with the lowest GUID goes and comes, then the one with the highest: the numbers of
 * all others move, or none. */
static void
first_and_last(void **state)
{
	struct changes c;
	struct snapshot *seed;

	(void)state;
	changes_begin(&c, 7);
	for (unsigned last = 0; last < 2; last++) {
		uint32_t at = c.f.sm_node;

		for (uint32_t i = at + 1; i < c.f.t.nnodes; i++)
			if (at == c.f.sm_node ||
				(c.f.t.nodes[i].guid > c.f.t.nodes[at].guid) == last)
				at = i;
		for (unsigned turn = 0; turn < 2; turn++) {
			seed = sweep_all(&c.f);
			changes_forget(&c);
			changes_switch(&c, at);
			compare(&c, seed);
			snapshot_free(seed);
		}
	}
	changes_end(&c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_changes),
		cmocka_unit_test(first_and_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
