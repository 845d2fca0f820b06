/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mcast.c - trees: every member that hears gets a packet once, nobody else does; rows change only where needed.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sm/mcast/mcast.h"
#include "util/bits.h"
#include "tests/unit/route/made.h"

enum { MEMBERS_MAX = 64 };

static struct snapshot *s;
static struct arena arena;
static struct mcast_plan *p;
static struct mft_seen *seen;
static uint32_t ends[4096], nends;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	mft_seen_free(seen);
	s = NULL;
	seen = NULL;
	arena_clear(&arena);
	return 0;
}

static void
bed_make(const char *spec, const struct made_how *how, const uint16_t *rank)
{
	uint64_t known[64] = { 0 };

	teardown(NULL);
	s = made_snapshot(spec, how);
	assert_true(s->nswitches <= 64 * 64);
	for (uint32_t i = 0; i < s->nswitches; i++) {
		struct fab_node *n = &s->nodes[s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.mft_cap = 1024;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
	nends = 0;
	for (uint32_t i = 0; i < s->nports && nends < 4096; i++)
		if (snapshot_is_endport(s, &s->ports[i]))
			ends[nends++] = i;
	p = plan_mcast_make(s, rank, &arena);
	seen = mft_seen_new();
	mft_seen_keep(seen, s, known);
}

static bool
port_bit(uint32_t sw, uint16_t mlid, unsigned port)
{
	uint32_t i = mlid - MLID_FIRST;
	const uint8_t *row = plan_mcast_row(p, sw, mft_row_of(i / 32, port / 16));

	return row && wire_get16(row + i % 32 * 2) >> port % 16 & 1;
}

/* A packet comes into 'sw' by 'in': counts at whom it arrives.  False: it goes round. */
static bool
flood(uint16_t mlid, uint32_t sw, unsigned in, unsigned *got, unsigned depth)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	if (depth > s->nswitches)
		return false;
	for (unsigned k = 0; k <= n->nports; k++) {
		uint32_t port = n->first_port + k, peer = s->ports[port].peer;

		if (k == in || !port_bit(sw, mlid, k))
			continue;
		if (!k)
			got[port]++;
		else if (peer == FAB_NONE)
			return false;
		else if (!fab_is_switch(&s->nodes[s->ports[peer].node]))
			got[peer]++;
		else if (!flood(mlid, s->nodes[s->ports[peer].node].sw, s->ports[peer].num, got, depth + 1))
			return false;
	}
	return true;
}

/* From every member to every other that hears, once; to nobody else. */
static void
check_group(uint16_t mlid, const struct mcast_leaf *m, uint32_t n)
{
	unsigned *got = test_calloc(s->nports, sizeof(*got));

	for (uint32_t i = 0; i < n; i++) {
		const struct fab_port *q = &s->ports[m[i].port];

		memset(got, 0, s->nports * sizeof(*got));
		if (!fab_is_switch(&s->nodes[q->node]))
			q = &s->ports[q->peer];
		assert_true(flood(mlid, s->nodes[q->node].sw, q->num, got, 0));
		for (uint32_t k = 0; k < n; k++)
			if (k != i && m[k].hears) {
				assert_int_equal(got[m[k].port], 1);
				got[m[k].port] = 0;
			}
		for (uint32_t k = 0; k < s->nports; k++)
			assert_int_equal(got[k], 0);
	}
	test_free(got);
}

/* So many end ports, each once; some only send. */
static uint32_t
draw(struct mcast_leaf *m, uint32_t n, uint32_t *random)
{
	uint32_t have = 0;

	while (have < n) {
		uint32_t port = ends[made_random(random) % nends];
		bool twice = false;

		for (uint32_t i = 0; i < have; i++)
			twice |= m[i].port == port;
		if (!twice)
			m[have++] = (struct mcast_leaf){ port, made_random(random) % 4 != 0, false };
	}
	return have;
}

static void
drain(void)
{
	uint32_t sw, row;

	while (plan_mcast_take(p, &sw, &row))
		if (plan_mcast_row(p, sw, row))
			mft_seen_put(seen, s->nodes[s->switches[sw]].guid, row, plan_mcast_row(p, sw, row));
}

static const char *const shapes[] = {
	"fattree:k=4,levels=3", "fattree:k=8,levels=2", "xgft:m=4/4/2,w=1/2/2", "torus:4x4,hosts=2", "mesh:3x3,hosts=1",
	"hypercube:d=4,hosts=1", "dragonfly:a=4,h=2,p=2", "random:switches=20,cables=40,hosts=2,seed=3",
	"fattree:k=36,levels=2",
};

static void
every_shape(void **state)
{
	struct mcast_leaf m[MEMBERS_MAX];
	uint32_t random = 7;

	(void)state;
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		bed_make(shapes[i], NULL, NULL);
		for (uint16_t mlid = 0xc000; mlid < 0xc028; mlid++) {
			uint32_t n = draw(m, 1 + made_random(&random) % 12, &random);

			assert_int_equal(plan_mcast_group(p, mlid, m, n), 0);
			check_group(mlid, m, n);
		}
	}
}

/* One joins, one leaves; what was planned step by step is what is planned at once. */
static void
step_by_step(void **state)
{
	struct mcast_leaf m[MEMBERS_MAX];
	uint32_t random = 11, n = 0;
	struct arena other = ARENA_INIT;

	(void)state;
	bed_make("fattree:k=8,levels=3", NULL, NULL);
	for (unsigned step = 0; step < 200; step++) {
		struct mcast_plan *q;

		if (n && (made_random(&random) % 2 || n > 20)) {
			m[made_random(&random) % n] = m[n - 1];
			n--;
		} else {
			uint32_t have = n;

			n = 0;
			for (bool twice = true; twice;) {
				twice = false;
				draw(&m[have], 1, &random);
				for (uint32_t i = 0; i < have; i++)
					twice |= m[i].port == m[have].port;
			}
			n = have + 1;
		}
		assert_int_equal(plan_mcast_group(p, 0xc003, m, n), 0);
		check_group(0xc003, m, n);
		q = plan_mcast_make(s, NULL, &other);
		plan_mcast_group(q, 0xc003, m, n);
		for (uint32_t sw = 0; sw < s->nswitches; sw++) {
			static const uint8_t none[64];
			const uint8_t *a = plan_mcast_row(p, sw, 0), *b = plan_mcast_row(q, sw, 0);

			assert_memory_equal(a ? a : none, b ? b : none, 64);
		}
	}
	arena_clear(&other);
}

static void
only_rows_that_differ(void **state)
{
	struct mcast_leaf m[3];
	uint32_t sw, row, sets = 0;

	(void)state;
	bed_make("fattree:k=4,levels=3", NULL, NULL);
	for (unsigned i = 0; i < 3; i++)
		m[i] = (struct mcast_leaf){ ends[nends - 1 - i], true, false };
	plan_mcast_group(p, 0xc000, m, 1);
	while (plan_mcast_take(p, &sw, &row))
		sets += plan_mcast_differs(p, seen, sw, row);
	assert_int_equal(sets, 1);              /* alone: its own switch */
	plan_mcast_group(p, 0xc000, m, 3);
	drain();
	for (sw = 0; sw < s->nswitches; sw++)
		assert_false(plan_mcast_differs(p, seen, sw, 0));
	plan_mcast_group(p, 0xc000, m, 3);
	assert_false(plan_mcast_take(p, &sw, &row));
	plan_mcast_group(p, 0xc000, m, 0);      /* all leave: what was written is written again */
	for (sets = 0; plan_mcast_take(p, &sw, &row);)
		sets += plan_mcast_differs(p, seen, sw, row);
	assert_true(sets > 0);
	for (sw = 0; sw < s->nswitches; sw++)
		assert_false(plan_mcast_passes(p, 0xc000, sw));
}

/* What nobody knows of is not written until its block is wanted, and then all its positions. */
static void
unknown_rows(void **state)
{
	struct mcast_leaf m = { 0, true, false };
	uint64_t known[64] = { 0 };
	const struct fab_node *n;
	uint32_t sw;

	(void)state;
	bed_make("fattree:k=36,levels=2", NULL, NULL);
	m.port = ends[nends - 1];
	n = &s->nodes[s->ports[s->ports[m.port].peer].node];
	sw = n->sw;
	for (uint32_t k = 0; k < plan_mcast_positions(p, sw); k++)
		assert_false(plan_mcast_differs(p, seen, sw, mft_row_of(0, k)));
	plan_mcast_group(p, 0xc000, &m, 1);
	assert_int_equal(plan_mcast_positions(p, sw), 3);
	for (uint32_t k = 0; k < 3; k++)
		assert_true(plan_mcast_differs(p, seen, sw, mft_row_of(0, k)));
	assert_false(plan_mcast_differs(p, seen, sw, mft_row_of(1, 0)));
	drain();
	for (uint32_t k = 0; k < 3; k++)
		assert_false(plan_mcast_differs(p, seen, sw, mft_row_of(0, k)));
	bits_set(known, sw);
	mft_seen_keep(seen, s, known);
	assert_non_null(mft_seen_row(seen, n->guid, 0));
	bits_clear(known, sw);
	mft_seen_keep(seen, s, known);          /* it was switched off, say */
	assert_null(mft_seen_row(seen, n->guid, 0));
	assert_true(plan_mcast_differs(p, seen, sw, mft_row_of(0, 0)));
}

/* Three columns of two, the middle ones lowest: no top reaches both sides.  Those beyond are counted and left out. */
static void
beyond_the_tree(void **state)
{
	struct mcast_leaf m[MEMBERS_MAX];
	uint16_t rank[6] = { 0 };
	uint32_t n = 0, lost;

	(void)state;
	bed_make("mesh:3x2,hosts=1", NULL, NULL);
	for (uint32_t i = 0; i < s->nports; i++) {              /* the middle ones have three neighbours, not two */
		const struct fab_port *q = &s->ports[i];

		if (fab_is_switch(&s->nodes[q->node]) && q->peer != FAB_NONE)
			rank[s->nodes[q->node].sw] += fab_is_switch(&s->nodes[s->ports[q->peer].node]);
	}
	bed_make("mesh:3x2,hosts=1", NULL, rank);
	for (uint32_t i = 0; i < nends; i++)
		if (!fab_is_switch(&s->nodes[s->ports[ends[i]].node]))
			m[n++] = (struct mcast_leaf){ ends[i], true, false };
	assert_int_equal(n, 6);
	lost = plan_mcast_group(p, 0xc000, m, n);
	assert_int_equal(lost, 2);
}

/* A row that loses entries and gets others: first what both have, then what is wanted. */
static void
old_entries_go_first(void **state)
{
	struct mcast_leaf m[2];
	uint8_t have[MFT_BLOCK_BYTES] = { 0 }, image[MFT_BLOCK_BYTES];
	bool removes, adds;
	uint32_t sw;
	uint64_t guid;

	(void)state;
	bed_make("fattree:k=4,levels=3", NULL, NULL);
	for (unsigned i = 0; i < 2; i++)
		m[i] = (struct mcast_leaf){ ends[nends - 1 - i], true, false };
	plan_mcast_group(p, 0xc000, m, 2);
	sw = s->nodes[s->ports[s->ports[m[0].port].peer].node].sw;
	guid = s->nodes[s->switches[sw]].guid;
	plan_mcast_compare(p, seen, sw, 0, &removes, &adds);
	assert_true(adds && !removes);                  /* nobody knows what is there */
	plan_mcast_cut(p, seen, sw, 0, image);
	assert_memory_equal(image, plan_mcast_row(p, sw, 0), MFT_BLOCK_BYTES);
	mft_seen_put(seen, guid, 0, have);
	plan_mcast_compare(p, seen, sw, 0, &removes, &adds);
	assert_true(adds && !removes);
	have[63] = 1;
	mft_seen_put(seen, guid, 0, have);
	plan_mcast_compare(p, seen, sw, 0, &removes, &adds);
	assert_true(adds && removes);
	plan_mcast_cut(p, seen, sw, 0, image);
	assert_int_equal(image[63], 0);
	assert_true(wire_get16(image) == 0 && wire_get16(plan_mcast_row(p, sw, 0)) != 0);
	memcpy(have, plan_mcast_row(p, sw, 0), MFT_BLOCK_BYTES);
	have[63] = 1;
	mft_seen_put(seen, guid, 0, have);
	plan_mcast_compare(p, seen, sw, 0, &removes, &adds);
	assert_true(removes && !adds);
	plan_mcast_cut(p, seen, sw, 0, image);
	assert_memory_equal(image, plan_mcast_row(p, sw, 0), MFT_BLOCK_BYTES);
	mft_seen_put(seen, guid, 0, image);
	plan_mcast_compare(p, seen, sw, 0, &removes, &adds);
	assert_false(removes || adds);
}

/* Refused trees: whatever the tables hold, no row differs, and none is to be taken. */
static void
refused_trees_change_nothing(void **state)
{
	struct mcast_leaf m[2];
	uint8_t old[MFT_BLOCK_BYTES] = { [63] = 1 };
	uint32_t sw, row;
	bool removes, adds;

	(void)state;
	bed_make("fattree:k=4,levels=3", NULL, NULL);
	for (unsigned i = 0; i < 2; i++)
		m[i] = (struct mcast_leaf){ ends[nends - 1 - i], true, false };
	assert_int_equal(plan_mcast_group(p, 0xc000, m, 2), 0);
	/* as a sweep does, which compares all rows */
	while (plan_mcast_take(p, &sw, &row))
		;
	plan_mcast_refuse(p);
	assert_false(plan_mcast_has_changed(p));
	assert_int_equal(plan_mcast_blocks(p), 0);
	sw = s->nodes[s->ports[s->ports[m[0].port].peer].node].sw;
	for (unsigned known = 0; known < 2; known++) {
		assert_false(plan_mcast_differs(p, seen, sw, 0));
		plan_mcast_compare(p, seen, sw, 0, &removes, &adds);
		assert_false(removes || adds);
		mft_seen_put(seen, s->nodes[s->switches[sw]].guid, 0, old);
	}
	plan_mcast_again(p, 0xc000);                    /* for a join that waits */
	assert_false(plan_mcast_take(p, &sw, &row));
	assert_int_equal(plan_mcast_group(p, 0xc000, m, 2), 2);
	assert_false(plan_mcast_take(p, &sw, &row));
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(every_shape), T(step_by_step), T(only_rows_that_differ), T(unknown_rows), T(old_entries_go_first), T(beyond_the_tree),
		T(refused_trees_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
