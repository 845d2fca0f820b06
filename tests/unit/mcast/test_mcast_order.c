/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mcast_order.c - an order of channels under additions: what it refuses is what closes a
 * cycle, and nothing else; what is taken back is gone.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/mcast/mcast_order.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct arena arena;
static struct chan_graph g;
static struct mcast_order o;

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
make(const char *spec, unsigned nvls)
{
	teardown(NULL);
	s = made_snapshot(spec, NULL);
	chan_graph_init_lanes(&g, s, nvls, &arena);
}

/* The channel that the bit 'out' of a switch leads to. */
static uint32_t
channel_out(uint32_t sw, uint32_t out)
{
	return (g.hop[g.first[sw] + (out >> g.vl_bits)].chan << g.vl_bits) +
		(out & ((1u << g.vl_bits) - 1));
}

/* Every dependency leads to a later channel, and no two channels have one place. */
static void
check_places(void)
{
	uint8_t *used = test_calloc(g.nchans, 1);

	for (uint32_t c = 0; c < g.nchans; c++) {
		assert_true(o.pos[c] < g.nchans);
		assert_false(used[o.pos[c]]);
		used[o.pos[c]] = 1;
	}
	for (uint32_t sw = 0; sw < g.nsw; sw++) {
		uint32_t n = (g.first[sw + 1] - g.first[sw]) << g.vl_bits;

		for (uint32_t in = 0; in < n; in++)
			for (uint32_t out = 0; out < n; out++)
				if (chan_graph_row(&o.g, sw, in)[out / 64] >> out % 64 & 1)
					assert_true(o.pos[(g.first[sw] << g.vl_bits) + in] <
						o.pos[channel_out(sw, out)]);
	}
	test_free(used);
}

/* A turn between two cables of a switch; false: there is none by that number. */
static bool
turn_at(uint32_t rnd, struct mcast_turn *t)
{
	uint32_t sw = rnd % g.nsw, ports = g.first[sw + 1] - g.first[sw];
	uint32_t in = rnd / g.nsw % ports, out = rnd / g.nsw / ports % ports;
	uint32_t vls = 1u << g.vl_bits, more = rnd / g.nsw / ports / ports;

	if (in == out || g.hop[g.first[sw] + in].chan == FAB_NONE ||
	    g.hop[g.first[sw] + out].chan == FAB_NONE)
		return false;
	*t = (struct mcast_turn){ sw, (in << g.vl_bits) + more % vls,
		(out << g.vl_bits) + more / vls % vls };
	return true;
}

static void
flip(struct chan_graph *graph, const struct mcast_turn *t)
{
	chan_graph_row(graph, t->sw, t->in)[t->out / 64] ^= (uint64_t)1 << t->out % 64;
}

static bool
has_cycle(const struct chan_graph *graph)
{
	struct arena scratch = ARENA_INIT;
	uint32_t *comp = arena_array(&scratch, graph->nchans, sizeof(*comp));
	bool cyclic = chan_graph_components(graph, &scratch, comp) > 0;

	arena_clear(&scratch);
	return cyclic;
}

static uint32_t
ring_port(uint32_t sw, uint32_t to)
{
	for (uint32_t c = g.first[sw] + 1; c < g.first[sw + 1]; c++)
		if (g.hop[c].sw == to)
			return c - g.first[sw];
	fail_msg("switches %u and %u are not neighbours", sw, to);
	return 0;
}

/* From the one before to the next one, at each switch of a ring of six: all but the last fit. */
static void
round_a_ring(void **state)
{
	struct mcast_turn t[6];

	(void)state;
	make("torus:6,hosts=1,radix=4", 1);
	assert_true(mcast_order_init(&o, &g, &arena));
	check_places();
	for (uint32_t i = 0; i < 6; i++)
		t[i] = (struct mcast_turn){ i, ring_port(i, (i + 5) % 6), ring_port(i,
			(i + 1) % 6) };
	for (uint32_t i = 0; i < 6; i++)        /* any five, then the sixth */
		for (uint32_t k = 0; k < 6; k++) {
			uint32_t at = (i + 5 * k) % 6;

			assert_int_equal(mcast_order_add(&o, t[at]), k < 5);
			assert_int_equal(o.nlog, k < 5 ? k + 1 : 5);
			check_places();
			if (k == 5) {
				/* it is there already */
				assert_true(mcast_order_add(&o, t[i]));
				assert_int_equal(o.nlog, 5);
				mcast_order_undo(&o, 0);
				assert_int_equal(chan_graph_dependencies(&o.g), 0);
			}
		}
	/* a packet that goes back where it came from: two of these close a cycle */
	t[0] = (struct mcast_turn){ 0, ring_port(0, 1), ring_port(0, 1) };
	t[1] = (struct mcast_turn){ 1, ring_port(1, 0), ring_port(1, 0) };
	assert_true(mcast_order_add(&o, t[0]));
	assert_false(mcast_order_add(&o, t[1]));
	check_places();
}

/* What the order begins with counts, and stays when everything is taken back. */
static void
begins_with_a_graph(void **state)
{
	struct mcast_turn last;

	(void)state;
	make("torus:6,hosts=1,radix=4", 1);
	for (uint32_t i = 0; i < 5; i++)
		chan_graph_add(&g, i, ring_port(i, (i + 5) % 6), ring_port(i, (i + 1) % 6));
	assert_true(mcast_order_init(&o, &g, &arena));
	check_places();
	last = (struct mcast_turn){ 5, ring_port(5, 4), ring_port(5, 0) };
	assert_false(mcast_order_add(&o, last));
	mcast_order_undo(&o, 0);
	assert_int_equal(chan_graph_dependencies(&o.g), 5);
	assert_int_equal(chan_graph_dependencies(&g), 5);
	flip(&g, &last);
	assert_false(mcast_order_init(&o, &g, &arena));
}

/* Any additions and returns: beside a graph whose cycles are looked for anew each time. */
static void
any_additions(void **state)
{
	static const char *const specs[] = { "torus:3x3,hosts=1,radix=6", "torus:5,hosts=1,radix=4",
		"random:switches=10,cables=24,hosts=1,seed=4", "fattree:k=4,levels=2" };
	unsigned refused = 0, added = 0, undone = 0;
	uint32_t rnd = 5;

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		struct mcast_turn log[4096];
		uint32_t n = 0;
		struct chan_graph naive;

		make(specs[i % 4], 1u << i / 4);
		assert_true(mcast_order_init(&o, &g, &arena));
		naive = chan_graph_like(&g, &arena);
		for (unsigned step = 0; step < 1500; step++) {
			struct mcast_turn t;
			bool fits;

			if (made_random(&rnd) % 97 == 0) {
				uint32_t back = n - made_random(&rnd) % (n < 12 ? n + 1 : 12);

				undone += n - back;
				while (n > back)
					flip(&naive, &log[--n]);
				mcast_order_undo(&o, back);
			}
			if (!turn_at(made_random(&rnd), &t))
				continue;
			if (chan_graph_row(&naive, t.sw, t.in)[t.out / 64] >> t.out % 64 & 1) {
				assert_true(mcast_order_add(&o, t));
				continue;
			}
			flip(&naive, &t);
			fits = !has_cycle(&naive) && t.in + (g.first[t.sw] << g.vl_bits) !=
				channel_out(t.sw, t.out);
			assert_int_equal(mcast_order_add(&o, t), fits);
			if (fits)
				log[n++] = t;
			else
				flip(&naive, &t);
			added += fits;
			refused += !fits;
			assert_int_equal(o.nlog, n);
		}
		check_places();
		assert_memory_equal(o.g.bits, naive.bits, g.word[g.nsw] * sizeof(*g.bits));
	}
	assert_true(added > 1000 && refused > 200 && undone > 300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(round_a_ring, teardown),
		cmocka_unit_test_teardown(begins_with_a_graph, teardown),
		cmocka_unit_test_teardown(any_additions, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
