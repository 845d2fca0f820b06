/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_order_block.c - the first rule of the order of writes: which entry waits for which, blocks
 * that are written twice, and no loop whatever write is confirmed first.
 */
#include <config.h>
#include "tests/unit/order/ring.h"
#include "tests/unit/route/made.h"

static struct ring r;

static void
make(uint32_t n, uint16_t top)
{
	ring_free(&r);
	ring_make(&r, n, 0xffff, top);
	r.in.loops_only = true;
}

static int
teardown(void **state)
{
	(void)state;
	ring_free(&r);
	return 0;
}

/* ---- carrying it out ---- */

/* The entries that the switches hold now. */
static struct fwd_tables now;
static uint32_t rnd;

static bool
loops(uint32_t sw, uint32_t lid)
{
	for (uint32_t hops = 0; hops <= r.n; hops++) {
		uint8_t port = fwd_row(&now, sw)[lid];

		if (port != RING_NEXT && port != RING_BEFORE)
			return false;
		sw = (sw + (port == RING_NEXT ? 1 : r.n - 1)) % r.n;
	}
	return true;
}

static const uint8_t *
bytes_of(const struct order_write *w)
{
	return w->image ? r.order.images[w->image - 1] : fwd_row(&r.new, w->sw) + w->block * 64;
}

/* Entry after entry, in some order. */
static void
carry_out_write(const struct order_write *w)
{
	uint32_t k = made_random(&rnd) % 64;

	for (unsigned i = 0; i < 64; i++, k = (k + 37) % 64) {
		uint8_t *e = &fwd_row(&now, w->sw)[w->block * 64 + k], to = bytes_of(w)[k];

		if (*e == to)
			continue;
		*e = to;
		assert_false(loops(w->sw, w->block * 64 + k));
	}
}

/* Writes in a random order that the predecessors allow.  At the end all is as wanted; that the
 * writes come to their end shows that no predecessors make a cycle. */
static void
carry_out(uint32_t seed)
{
	const struct order *o = &r.order;
	bool *done = test_calloc(o->nwrites + 1, sizeof(*done));
	size_t size = (size_t)r.n * r.old.stride;

	rnd = seed;
	now = r.old;
	now.port = test_malloc(size);
	memcpy(now.port, r.old.port, size);
	for (uint32_t n = 0; n < o->nwrites; n++) {
		uint32_t w = made_random(&rnd) % o->nwrites, tries = 0;

		for (bool ready = false; !ready; tries++) {
			assert_true(tries <= o->nwrites);
			w = (w + 1) % o->nwrites;
			ready = !done[w];
			for (uint32_t i = 0; i < o->writes[w].npreds; i++)
				ready &= done[ORDER_PRED_WRITE(o->preds[o->writes[w].pred_first + i])];
		}
		done[w] = true;
		carry_out_write(&o->writes[w]);
	}
	assert_memory_equal(now.port, r.new.port, size);
	test_free(now.port);
	test_free(done);
}

/* ---- one LID ---- */

/* All packets turn round: the switch next to the destination first, then one after the other. */
static void
a_chain(void **state)
{
	(void)state;
	make(5, 63);
	ring_lead(&r, &r.old, 1, 0, RING_HOST, 4);
	ring_lead(&r, &r.new, 1, 0, RING_HOST, 0);
	ring_order(&r);
	assert_int_equal(r.order.nwrites, 4);
	assert_int_equal(r.order.report.waves, 4);
	assert_int_equal(r.order.report.double_writes, 0);
	assert_true(r.order.report.ordered && !r.order.report.unsafe);
	for (uint32_t i = 0; i < 4; i++) {
		const struct order_write *w = &r.order.writes[i];

		assert_int_equal(w->sw, 4 - i);
		assert_int_equal(w->image, 0);
		assert_false(w->late);
		assert_int_equal(w->npreds, i > 0);
		assert_int_equal(i ? ring_waits(&r, i, i - 1) : 0, i > 0);
	}
	carry_out(1);
}

/* An entry waits for the first switch on its new path that changes, however far away. */
static void
over_switches_that_stay(void **state)
{
	(void)state;
	make(6, 63);
	ring_lead(&r, &r.old, 1, 0, RING_HOST, 5);
	ring_lead(&r, &r.new, 1, 0, RING_HOST, 0);
	for (uint32_t sw = 2; sw < 5; sw++)     /* these have turned already */
		fwd_row(&r.old, sw)[1] = RING_NEXT;
	ring_order(&r);
	assert_int_equal(r.order.nwrites, 2);
	assert_int_equal(ring_waits(&r, ring_write(&r, 1, 0), ring_write(&r, 5, 0)), 1);
	carry_out(1);
}

/* A switch with nothing to lose does not wait for one that nobody's packets pass; one whose old path
 * may work does. */
static void
nothing_to_lose(void **state)
{
	static const struct { uint8_t old_1, old_2; bool waits; } rows[] = {
		{ RING_BEFORE, RING_BEFORE, true }, { RING_BEFORE, FAB_LFT_DROP, true },
		{ FAB_LFT_DROP, RING_BEFORE, true }, { FAB_LFT_DROP, FAB_LFT_DROP, false },
		{ FAB_LFT_DROP, RING_HOST, false }, { 0, FAB_LFT_DROP, true },
		{ RING_HOST, FAB_LFT_DROP, true }, { 200, FAB_LFT_DROP, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make(4, 63);
		ring_lead(&r, &r.new, 1, 0, RING_HOST, 0);
		fwd_row(&r.old, 0)[1] = RING_HOST;
		fwd_row(&r.old, 3)[1] = RING_NEXT;
		fwd_row(&r.old, 1)[1] = rows[i].old_1;
		fwd_row(&r.old, 2)[1] = rows[i].old_2;
		ring_order(&r);
		assert_int_equal(r.order.nwrites, 2);
		assert_int_equal(ring_waits(&r, ring_write(&r, 1, 0), ring_write(&r, 2, 0)),
			rows[i].waits);
		assert_int_equal(ring_waits(&r, ring_write(&r, 2, 0), ring_write(&r, 1, 0)), 0);
		carry_out(1);
	}
}

/* ---- many LIDs ---- */

/* LIDs of two blocks: their writes do not wait for each other. */
static void
blocks_apart(void **state)
{
	(void)state;
	make(5, 127);
	ring_lead(&r, &r.old, 1, 0, RING_HOST, 4);
	ring_lead(&r, &r.new, 1, 0, RING_HOST, 0);
	ring_lead(&r, &r.old, 100, 4, RING_HOST, 4);
	ring_lead(&r, &r.new, 100, 4, RING_HOST, 3);
	ring_order(&r);
	assert_int_equal(r.order.nwrites, 8);
	assert_int_equal(r.order.nimages, 0);
	for (uint32_t i = 0; i < 8; i++)
		for (uint32_t k = 0; k < 8; k++)
			if (ring_waits(&r, i, k))
				assert_int_equal(r.order.writes[i].block, r.order.writes[k].block);
	carry_out(1);
}

/* Two LIDs of one block turn round in opposite directions: the switches would wait for each other. */
static void
make_opposites(void)
{
	make(5, 63);
	ring_lead(&r, &r.old, 1, 0, RING_HOST, 4);
	ring_lead(&r, &r.new, 1, 0, RING_HOST, 0);
	ring_lead(&r, &r.old, 5, 4, RING_HOST, 4);
	ring_lead(&r, &r.new, 5, 4, RING_HOST, 3);
}

static void
written_twice(void **state)
{
	uint32_t twice = 0;

	(void)state;
	make_opposites();
	ring_order(&r);
	assert_false(r.order.report.unsafe);
	assert_true(r.order.report.double_writes > 0);
	assert_int_equal(r.order.nimages, r.order.report.double_writes);
	assert_int_equal(r.order.nwrites, r.in.nblocks + r.order.report.double_writes);
	for (uint32_t sw = 0; sw < r.n; sw++) {
		uint32_t first = ring_write(&r, sw, 0);
		uint32_t second = first == FAB_NONE ? FAB_NONE : ring_write(&r, sw, first + 1);

		if (second == FAB_NONE)
			continue;
		twice++;
		assert_int_not_equal(r.order.writes[first].image, 0);   /* a part, then the rest */
		assert_int_equal(r.order.writes[second].image, 0);
		assert_int_equal(ring_waits(&r, second, first), 1);
		for (unsigned lid = 0; lid < 64; lid++) {
			uint8_t e = r.order.images[r.order.writes[first].image - 1][lid];

			assert_true(e == fwd_row(&r.old, sw)[lid] || e == fwd_row(&r.new, sw)[lid]);
		}
	}
	assert_int_equal(twice, r.order.report.double_writes);
	for (uint32_t seed = 1; seed < 50; seed++)
		carry_out(seed);
}

/* Without room for images each block is written once, and the report says that this is not safe. */
static void
no_room_for_images(void **state)
{
	(void)state;
	make_opposites();
	r.in.images_max = 1;
	ring_order(&r);
	assert_true(r.order.report.unsafe);
	assert_int_equal(r.order.nwrites, r.in.nblocks);
	assert_int_equal(r.order.nimages, 0);
	r.in.images_max = 100;
	ring_order(&r);
	assert_false(r.order.report.unsafe);
	assert_true(r.order.nimages > 0);
}

/* Wanted tables that loop come to an end, too: all is written once, in no order. */
static void
wanted_tables_loop(void **state)
{
	(void)state;
	make(5, 63);
	ring_lead(&r, &r.old, 1, 0, RING_HOST, 4);
	for (uint32_t sw = 0; sw < 5; sw++)
		fwd_row(&r.new, sw)[1] = RING_NEXT;
	ring_order(&r);
	assert_true(r.order.report.unsafe);
	assert_int_equal(r.order.nwrites, 5);
	for (uint32_t sw = 0; sw < 5; sw++)
		assert_int_not_equal(ring_write(&r, sw, 0), FAB_NONE);
}

/* A switch that holds an unknown table and shall drop everything is written, and waits for nobody;
 * nor does anybody else whose block has no old path. */
static void
unknown_blocks(void **state)
{
	static const struct order_block blocks[] = { { 0, 0 }, { 1, 0 }, { 2, 0 } };
	const struct order_write *w;

	(void)state;
	make_opposites();
	for (uint32_t sw = 0; sw < 2; sw++) {
		r.s->nodes[r.s->switches[sw]].lft = NULL;
		r.s->nodes[r.s->switches[sw]].lft_blocks = 0;
	}
	memset(fwd_row(&r.new, 0), FAB_LFT_DROP, 64);
	r.in.blocks = blocks;
	r.in.nblocks = 3;
	order_make(&r.in, &r.arena, &r.order);
	assert_true(r.order.report.ordered);
	w = &r.order.writes[ring_write(&r, 0, 0)];
	assert_int_equal(w->npreds, 0);
	assert_int_equal(w->image, 0);
	assert_int_not_equal(ring_write(&r, 1, 0), FAB_NONE);
	assert_int_not_equal(ring_write(&r, 2, 0), FAB_NONE);
}

/* ---- any tables ---- */

static void
any_tables(void **state)
{
	uint32_t doubles = 0, seed_state = 3;

	(void)state;
	for (uint32_t seed = 0; seed < 400; seed++) {
		uint32_t n = 3 + seed % 8, last[RING_MAX][2];

		make(n, 127);
		for (uint32_t l = 1; l <= 127; l += 1 + made_random(&seed_state) % 20) {
			struct fwd_tables *f[] = { &r.old, &r.new };
			uint32_t to = made_random(&seed_state) % n;
			uint16_t lid = (uint16_t)l;

			for (unsigned k = 0; k < 2; k++) {
				ring_lead(&r, f[k], lid, to, RING_HOST,
					made_random(&seed_state) % n);
				if (made_random(&seed_state) % 4 == 0)
					fwd_row(f[k],
						made_random(&seed_state) % n)[lid] = FAB_LFT_DROP;
			}
		}
		ring_order(&r);
		if (!r.in.nblocks)
			continue;
		assert_false(r.order.report.unsafe);
		doubles += r.order.report.double_writes;
		memset(last, 0xff, sizeof(last));
		for (uint32_t i = 0; i < r.order.nwrites; i++)
			if (!r.order.writes[i].image)
				last[r.order.writes[i].sw][r.order.writes[i].block] = i;
		for (uint32_t i = 0; i < r.in.nblocks; i++)
			assert_int_not_equal(last[r.in.blocks[i].sw][r.in.blocks[i].block],
				FAB_NONE);
		for (uint32_t k = 0; k < 3; k++)
			carry_out(seed * 3 + k + 1);
	}
	assert_true(doubles > 50);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_chain, teardown),
		cmocka_unit_test_teardown(over_switches_that_stay, teardown),
		cmocka_unit_test_teardown(nothing_to_lose, teardown),
		cmocka_unit_test_teardown(blocks_apart, teardown),
		cmocka_unit_test_teardown(written_twice, teardown),
		cmocka_unit_test_teardown(no_room_for_images, teardown),
		cmocka_unit_test_teardown(wanted_tables_loop, teardown),
		cmocka_unit_test_teardown(unknown_blocks, teardown),
		cmocka_unit_test_teardown(any_tables, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
