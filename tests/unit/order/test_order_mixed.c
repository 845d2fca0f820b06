/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_order_mixed.c - the second rule of the order of writes: cycles that only old and new tables
 * together make are found, and entries wait for a drain time; what no order avoids is said.
 */
#include <config.h>
#include "fabric/verify/verify_graph.h"
#include "tests/unit/order/ring.h"
#include "tests/unit/route/made.h"

static struct ring r;

static void
make(uint32_t n, uint32_t hosts)
{
	ring_free(&r);
	ring_make(&r, n, hosts, 63);
}

static int
teardown(void **state)
{
	(void)state;
	ring_free(&r);
	return 0;
}

/* How many entries and writes wait for a drain time. */
static uint32_t
count_drains(void)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r.order.nwrites; i++) {
		const struct order_write *w = &r.order.writes[i];

		n += w->late;
		for (uint32_t k = 0; k < w->npreds; k++)
			n += ORDER_PRED_DRAINS(r.order.preds[w->pred_first + k]);
	}
	return n;
}

/* The evidence is a cycle: each port receives what the one before it sends on. */
static void
check_cycle(uint32_t length)
{
	const struct order_report *p = &r.order.report;

	assert_int_equal(p->ncycle, length);
	for (uint32_t i = 0; i < length; i++) {
		const struct fab_port *in = &r.s->ports[p->cycle[i]];
		const struct fab_port *next = &r.s->ports[p->cycle[(i + 1) % length]];

		assert_true(fab_is_switch(&r.s->nodes[in->node]));
		assert_int_equal(r.s->ports[next->peer].node, in->node);
		assert_int_not_equal(next->peer, p->cycle[i]);
	}
}

/* Adds the turns of packets that are sent by the entries of 'from' and go on by those of 'to'. */
static void
add_turns(struct chan_graph *g, const struct fwd_tables *from, const struct fwd_tables *to)
{
	for (uint32_t sw = 0; sw < r.n; sw++)
		for (uint32_t lid = 1; lid <= r.new.top; lid++) {
			const struct chan_hop *h = chan_graph_hop(g, sw, fwd_row(from, sw)[lid]);

			if (h && h->sw != FAB_NONE)
				chan_graph_add(g, h->sw, h->chan - g->first[h->sw],
					fwd_row(to, h->sw)[lid]);
		}
}

/* Which tables have cycles: the old ones 1, the new ones 2, all packets of the change together 4. */
static unsigned
find_cycles(void)
{
	const struct fwd_tables *rows[][2] = { { &r.old, &r.old }, { &r.new, &r.new }, { &r.old,
		&r.new } };
	uint32_t comp[RING_MAX * 4];
	struct arena a = ARENA_INIT;
	struct chan_graph g, all;
	unsigned found = 0;

	chan_graph_init(&all, r.s, &a);
	assert_true(all.nchans <= sizeof(comp) / sizeof(comp[0]));
	for (unsigned i = 0; i < 3; i++) {
		chan_graph_init(&g, r.s, &a);
		add_turns(&g, rows[i][0], rows[i][1]);
		add_turns(&all, rows[i][0], rows[i][1]);
		if (i < 2 && chan_graph_components(&g, &a, comp))
			found |= 1u << i;
	}
	if (chan_graph_components(&all, &a, comp))
		found |= 4;
	arena_clear(&a);
	return found;
}

/* The order that was made is what the cycles demand. */
static void
check_order(void)
{
	const struct order_report *p = &r.order.report;
	unsigned found = find_cycles();

	assert_int_equal(p->mixed_cycles > 0, found != 0);
	if (!found) {
		assert_int_equal(p->turns + p->ncycle + p->drained, 0);
		assert_false(p->unsafe);
	} else if (found & 3) {
		assert_true(p->unsafe);
	}
	assert_int_equal(p->ncycle > 0, p->unsafe);
	assert_int_equal(p->drained > 0, count_drains() > 0);
	if (found && !p->unsafe)
		assert_true(p->turns > 0);
}

/* The ring is a row, cut at one place and then at another.  Each table is free of cycles; where the
 * cuts are apart, they are not together.  The turns that close the ring are of the new tables: their
 * entries drop first and are written late. */
static void
another_cut(void **state)
{
	(void)state;
	for (uint32_t n = 6; n < 12; n++) {
		uint32_t late = 0, dropped = 0;

		make(n, 0xffff);
		ring_lead_all(&r, &r.old, n - 1);
		ring_lead_all(&r, &r.new, n / 2 - 1);
		assert_int_equal(find_cycles(), 4);
		ring_order(&r);
		check_order();
		assert_false(r.order.report.unsafe);
		assert_true(r.order.report.drained > 0 && r.order.report.dropped > 0);
		for (uint32_t i = 0; i < r.order.nwrites; i++) {
			const struct order_write *w = &r.order.writes[i];
			uint32_t before = ring_write(&r, w->sw, 0);

			if (!w->late)
				continue;
			late++;
			assert_true(before < i);
			assert_int_equal(w->image, 0);
			assert_int_not_equal(r.order.writes[before].image, 0);
			for (unsigned lid = 0; lid < 64; lid++)
				dropped += fwd_row(&r.old, w->sw)[lid] != FAB_LFT_DROP &&
					r.order.images[r.order.writes[before].image - 1][lid] ==
						FAB_LFT_DROP;
		}
		assert_true(late > 0);
		assert_int_equal(dropped, r.order.report.dropped);
		r.in.loops_only = true;
		ring_order(&r);
		assert_int_equal(r.order.report.mixed_cycles, 0);
		assert_int_equal(r.order.report.drained, 0);
		assert_int_equal(count_drains(), 0);
	}
}

/* Any change of a few LIDs, judged by the turns of all its packets. */
static void
any_change(void **state)
{
	unsigned seen[8] = { 0 }, by_drain = 0, safe = 0;
	uint32_t rnd = 7;

	(void)state;
	for (unsigned turn = 0; turn < 600; turn++) {
		uint32_t n = 4 + turn % 5, late = 0;

		make(n, 0xffff);
		for (uint16_t lid = 1; lid < 33 + n; lid = lid == n ? 33 : (uint16_t)(lid + 1)) {
			uint32_t to = (lid - 1u) % 32 % n, cuts[2];

			for (unsigned k = 0; k < 2; k++)
				cuts[k] = made_random(&rnd) % 4 ? n - 1 : made_random(&rnd) % n;
			ring_lead(&r, &r.old, lid, to, lid > 32 ? 0 : RING_HOST, cuts[0]);
			ring_lead(&r, &r.new, lid, to, lid > 32 ? 0 : RING_HOST, cuts[1]);
		}
		ring_order(&r);
		if (!r.in.nblocks)
			continue;
		seen[find_cycles()]++;
		check_order();
		for (uint32_t i = 0; i < r.order.nwrites; i++)
			late += r.order.writes[i].late;
		by_drain += r.order.report.drained && !late;
		safe += r.order.report.drained && !r.order.report.unsafe;
	}
	assert_true(seen[0] > 5 && seen[4] > 5);
	assert_true(seen[5] > 5 && seen[6] > 5 && seen[7] > 5);
	assert_true(by_drain > 0 && safe > 5);
}

/* Tables with a cycle of their own: no order is safe, and the cycle is shown. */
static void
own_cycles(void **state)
{
	(void)state;
	make(7, 0xffff);
	ring_lead_all(&r, &r.old, 6);
	ring_lead_all(&r, &r.new, FAB_NONE);
	ring_order(&r);
	assert_true(r.order.report.unsafe);
	check_cycle(7);
	assert_int_equal(count_drains(), 0);
	assert_true(r.order.nwrites >= r.in.nblocks);   /* written all the same */

	make(7, 0xffff);
	ring_lead_all(&r, &r.old, FAB_NONE);
	ring_lead_all(&r, &r.new, 6);
	ring_order(&r);
	assert_true(r.order.report.unsafe);
	check_cycle(7);
}

/* A cycle longer than there is room for: its length is told, its beginning is shown. */
static void
long_cycle(void **state)
{
	(void)state;
	make(16, 0xffff);
	ring_lead_all(&r, &r.old, 15);
	ring_lead_all(&r, &r.new, FAB_NONE);
	ring_order(&r);
	assert_true(r.order.report.unsafe);
	check_cycle(ORDER_CYCLE_MAX);
}

/* Turns that no packet of a host makes count in scope all only. */
static void
scope_of_hosts(void **state)
{
	(void)state;
	for (int all = 0; all < 2; all++) {
		make(6, 3);                     /* hosts at switches 0 and 1 */
		for (uint16_t lid = 1; lid <= 2; lid++) {
			ring_lead(&r, &r.old, lid, lid - 1u, RING_HOST, FAB_NONE);
			ring_lead(&r, &r.new, lid, lid - 1u, RING_HOST, FAB_NONE);
		}
		/* only packets of switch 3 would go round this way */
		ring_lead(&r, &r.new, 36, 3, 0, 5);
		for (uint32_t sw = 2; sw < 6; sw++) {
			fwd_row(&r.old, sw)[40] = RING_NEXT;
			fwd_row(&r.new, sw)[41] = RING_NEXT;
		}
		fwd_row(&r.old, 0)[40] = fwd_row(&r.new, 0)[41] = 0;
		fwd_row(&r.old, 0)[42] = fwd_row(&r.old, 1)[42] = RING_NEXT;
		fwd_row(&r.old, 2)[42] = fwd_row(&r.old, 3)[42] = RING_NEXT;
		fwd_row(&r.old, 5)[43] = fwd_row(&r.old, 0)[43] = RING_NEXT;
		fwd_row(&r.old, 1)[43] = 0;
		r.in.scope = all ? VERIFY_ALL : VERIFY_HOSTS;
		ring_order(&r);
		assert_int_equal(r.order.report.unsafe, all);
	}
}

/* The turns of a proof give the same order as turns that are collected. */
static void
turns_of_a_proof(void **state)
{
	(void)state;
	for (uint32_t to = 0; to < 8; to++) {
		struct verify_kept *kept = NULL;
		struct verify_result v;
		struct verify_in in = { .lids = &r.lids, .tables = &r.new, .scope = VERIFY_ALL,
			.kept = &kept };
		struct order first;

		make(8, 0xffff);
		ring_lead_all(&r, &r.old, 7);
		ring_lead_all(&r, &r.new, to);
		in.snapshot = r.s;
		verify_check(&in, &v);
		first = *ring_order(&r);
		r.in.turns = verify_kept_turns(kept);
		assert_non_null(r.in.turns);
		ring_order(&r);
		assert_int_equal(r.order.nwrites, first.nwrites);
		for (uint32_t i = 0; i < first.nwrites; i++) {
			assert_int_equal(r.order.writes[i].sw, first.writes[i].sw);
			assert_int_equal(r.order.writes[i].late, first.writes[i].late);
			assert_int_equal(r.order.writes[i].npreds, first.writes[i].npreds);
		}
		assert_memory_equal(&r.order.report, &first.report, sizeof(first.report));
		fwd_rows_drop(r.in.turns);
		verify_kept_free(kept);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(another_cut, teardown),
		cmocka_unit_test_teardown(any_change, teardown),
		cmocka_unit_test_teardown(own_cycles, teardown),
		cmocka_unit_test_teardown(long_cycle, teardown),
		cmocka_unit_test_teardown(scope_of_hosts, teardown),
		cmocka_unit_test_teardown(turns_of_a_proof, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
