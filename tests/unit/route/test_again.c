/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_again.c - what is computed from the state is what a full run computes, byte for byte.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/part.h"

static struct snapshot *s, *now;
static struct intended *intended;
static struct arena arena;
static struct lid_map lids;
static struct route_state *kept;

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	made_free(now);
	s = now = NULL;
	intended_free(intended);
	intended = NULL;
	route_state_free(kept);
	kept = NULL;
	arena_clear(&arena);
	return 0;
}

static uint32_t
random_link(uint32_t *seed)
{
	for (;;) {
		uint32_t p = made_random(seed) % s->nports, peer = s->ports[p].peer;

		if (peer != FAB_NONE && fab_is_switch(&s->nodes[s->ports[p].node]) &&
		    fab_is_switch(&s->nodes[s->ports[peer].node]))
			return p;
	}
}

/* The blocks that the report names are those that differ. */
static void
check_changed(const struct fwd_tables *before, const struct fwd_tables *after,
	const struct route_report *r)
{
	uint32_t n = 0;

	for (uint32_t sw = 0; sw < after->nswitches; sw++)
		for (uint32_t b = 0; b < after->stride / 64 && b < before->stride / 64; b++) {
			if (memcmp(fwd_row(before, sw) + b * 64, fwd_row(after, sw) + b * 64,
				64) == 0)
				continue;
			assert_true(n < r->nchanged);
			assert_int_equal(r->changed[n].sw, sw);
			assert_int_equal(r->changed[n].block, b);
			n++;
		}
	assert_int_equal(n, r->nchanged);
}

/* Links are lost and come back at random, at most 'most' at a time.  Returns how many runs were not
 * full. */
static unsigned
events(const char *spec, bool fuse, uint8_t lmc, uint32_t seed, unsigned n, unsigned most)
{
	struct made_how how = { .scramble = true, .seed = seed };
	struct lid_conf lc = { .lmc = lmc };
	struct lid_report lr;
	const struct route_engine *e;
	struct fwd_tables before = { 0 };
	uint32_t lost[16], nlost = 0;
	unsigned again = 0;
	char why[200];
	bool *dead;

	teardown(NULL);
	e = route_find("ftree", why, sizeof(why));
	s = made_snapshot(spec, &how);
	if (fuse)
		s = part_fuse_tops(s);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	intended = intended_learn(s, NULL);
	dead = arena_array(&arena, s->nports, sizeof(*dead));
	for (unsigned i = 0; i < n; i++) {
		struct arena a = ARENA_INIT;
		struct fwd_tables full, out;
		struct route_report r, f;
		struct lid_map l;
		struct route_in in = { .lids = &l, .intended = intended };

		if (i && nlost && (nlost == most || made_random(&seed) % 2)) {
			uint32_t k = made_random(&seed) % nlost;

			dead[lost[k]] = dead[s->ports[lost[k]].peer] = false;
			lost[k] = lost[--nlost];
		} else if (i) {
			uint32_t p = random_link(&seed);

			if (!dead[p] && !dead[s->ports[p].peer]) {
				lost[nlost++] = p;
				dead[p] = dead[s->ports[p].peer] = true;
			}
		}
		made_free(now);
		in.snapshot = now = part_copy(s, NULL, dead, NULL);
		part_lids(s, &lids, now, &a, &l);
		in.previous = i ? &before : NULL;
		if (e->run(&in, &a, &full, &f) == ROUTE_OK) {
			in.state = &kept;
			assert_int_equal(e->run(&in, &a, &out, &r), ROUTE_OK);
			again += r.again;
			assert_int_equal(out.stride, full.stride);
			for (uint32_t sw = 0; sw < full.nswitches; sw++)
				if (memcmp(fwd_row(&out, sw), fwd_row(&full, sw), full.stride) != 0)
					fail_msg("%s seed %u event %u: switch %u differs", spec,
						how.seed, i, sw);
			assert_int_equal(r.completed, f.completed);
			assert_int_equal(r.nroots, f.nroots);
			if (r.again)
				check_changed(&before, &out, &r);
			before = out;
		}
		arena_clear(&a);
	}
	return again;
}

static void
equal_bytes(void **state)
{
	unsigned again = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 5; seed++) {
		again += events("fattree:k=8,levels=3", false, 0, seed, 60, 1 + seed);
		again += events("fattree:k=8,levels=2", false, 0, seed, 60, 1 + seed);
		again += events("fattree:k=8,levels=3", true, 0, seed, 60, 1 + seed);
		again += events("fattree:k=6,levels=3", false, 2, seed, 60, 1 + seed);
		again += events("xgft:m=4/4/4,w=1/4/4", false, 0, seed, 60, 1 + seed);
	}
	printf("%u of 1500 runs were not full\n", again);
	assert_in_range(again, 700, 1500);
}

/* The first leaf in the order of columns. */
static uint32_t
anchor_node(void)
{
	for (uint32_t i = 0; i < intended->nsw; i++)
		if (intended->sw[i].leaf == 0)
			return snapshot_node_by_guid(s, intended->sw[i].guid);
	return FAB_NONE;
}

/* One link lost: few pivots, no switch left out, and the same tables from a state of before. */
static void
link_lose(const struct route_engine *e, bool *dead, uint32_t p)
{
	struct route_report r, f;
	struct arena a = ARENA_INIT;
	struct fwd_tables whole, full, out;
	struct lid_map l;
	struct route_in in = { .lids = &lids, .intended = intended, .snapshot = s, .state = &kept };

	assert_int_equal(e->run(&in, &a, &whole, &r), ROUTE_OK);
	dead[p] = dead[s->ports[p].peer] = true;
	in.snapshot = now = part_copy(s, NULL, dead, NULL);
	dead[p] = dead[s->ports[p].peer] = false;
	part_lids(s, &lids, now, &a, &l);
	in.lids = &l;
	in.previous = &whole;
	in.state = NULL;
	assert_int_equal(e->run(&in, &a, &full, &f), ROUTE_OK);
	if (f.npivots > 2 || f.lowered || f.declared)
		fail_msg("%s: port %u of switch %u: %u pivots, %u lowered, %u declared", e->name,
			s->ports[p].num, s->nodes[s->ports[p].node].sw, f.npivots, f.lowered,
			(unsigned)f.declared);
	in.state = &kept;
	assert_int_equal(e->run(&in, &a, &out, &r), ROUTE_OK);
	for (uint32_t sw = 0; sw < full.nswitches; sw++)
		assert_memory_equal(fwd_row(&out, sw), fwd_row(&full, sw), full.stride);
	made_free(now);
	now = NULL;
	arena_clear(&a);
}

/* Every link of the anchor and of its neighbours. */
static void
next_to_the_anchor(const char *spec, const char *name, uint32_t seed)
{
	struct made_how how = { .scramble = true, .seed = seed };
	struct lid_conf lc = { .lmc = 0 };
	struct lid_report lr;
	const struct fab_node *n;
	char why[200];
	bool *dead;

	teardown(NULL);
	s = made_snapshot(spec, &how);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	intended = intended_learn(s, NULL);
	dead = arena_array(&arena, s->nports, sizeof(*dead));
	n = &s->nodes[anchor_node()];
	for (unsigned p = 1; p <= n->nports; p++) {
		uint32_t peer = s->ports[n->first_port + p].peer;
		const struct fab_node *m = &s->nodes[s->ports[peer].node];

		for (unsigned k = 1; fab_is_switch(m) && k <= m->nports; k++) {
			uint32_t port = m->first_port + k, far = s->ports[port].peer;

			if (far != FAB_NONE && fab_is_switch(&s->nodes[s->ports[far].node]))
				link_lose(route_find(name, why, sizeof(why)), dead, port);
		}
	}
}

static void
around_the_anchor(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 2; seed++) {
		next_to_the_anchor("fattree:k=8,levels=3", "ftree", seed);
		next_to_the_anchor("fattree:k=8,levels=3", "updn", seed);
		next_to_the_anchor("fattree:k=6,levels=3", "ftree", seed);
	}
}

/* ---- hosts, spines and leaves as well ---- */

struct life {
	const char *spec;
	uint32_t seed;
	uint8_t lmc;
	bool *gone, *dead;              /* of 's': nodes, ports */
	uint8_t *held;                  /* [switches of 's'][stride]: what each holds */
	uint32_t stride;
	unsigned away, most;
	unsigned full, again;
};

/* A node that went takes its hosts along; the first switch stays. */
static void
toggle(struct life *w)
{
	uint32_t kind = made_random(&w->seed) % 4, node, port;
	bool link = kind == 0;

	do {
		port = made_random(&w->seed) % s->nports;
		node = s->ports[port].node;
	} while (link ? s->ports[port].peer == FAB_NONE || !fab_is_switch(&s->nodes[node]) ||
				!fab_is_switch(&s->nodes[s->ports[s->ports[port].peer].node]) :
			fab_is_switch(&s->nodes[node]) != (kind == 1) || node == s->switches[0]);
	if (link ? !w->dead[port] : !w->gone[node]) {
		if (w->away == w->most)
			return;
		w->away++;
	} else {
		w->away--;
	}
	if (link)
		w->dead[port] = w->dead[s->ports[port].peer] = !w->dead[port];
	else
		w->gone[node] = !w->gone[node];
}

/* Nodes that are there: not those behind a switch that is gone. */
static bool *
find_gone(const struct life *w, struct arena *a)
{
	bool *gone = arena_array(a, s->nnodes, sizeof(*gone));

	for (uint32_t i = 0; i < s->nnodes; i++) {
		uint32_t peer = fab_is_switch(&s->nodes[i]) ? FAB_NONE :
							      s->ports[s->nodes[i].first_port + 1].peer;

		gone[i] = w->gone[i] || (peer != FAB_NONE && w->gone[s->ports[peer].node]);
	}
	return gone;
}

/* Reserves the LIDs of most hosts that are gone while their switch is there. */
static void
reserve(struct life *w, const bool *gone, struct arena *a, struct route_in *in)
{
	struct route_absent *v = arena_array(a, s->nports << w->lmc, sizeof(*v));

	in->absent = v;
	for (uint32_t i = 0; i < s->nnodes; i++) {
		uint32_t port = s->nodes[i].first_port + 1, peer, node;

		if (!gone[i] || fab_is_switch(&s->nodes[i]) || i % 5 == 0)
			continue;
		peer = s->ports[port].peer;
		node = peer == FAB_NONE ? FAB_NONE :
					  snapshot_node_by_guid(now, s->nodes[s->ports[peer].node].guid);
		for (uint32_t k = 0; node != FAB_NONE && k < 1u << w->lmc; k++)
			v[in->nabsent++] = (struct route_absent){ (uint16_t)(lids.base[port] + k),
				now->nodes[node].sw, s->ports[peer].num };
	}
}

/* The row of what the switch with ordinal 'i' of 'now' holds. */
static uint8_t *
row_held(const struct life *w, uint8_t *rows, uint32_t i)
{
	uint32_t node = snapshot_node_by_guid(s, now->nodes[now->switches[i]].guid);

	return rows + (size_t)s->nodes[node].sw * w->stride;
}

static struct fwd_tables
tables_held(const struct life *w, struct arena *a)
{
	struct fwd_tables t = { .nswitches = now->nswitches, .stride = w->stride, .vls = 1,
		.top = lids.top };

	t.port = arena_array(a, t.nswitches, t.stride);
	for (uint32_t i = 0; i < t.nswitches; i++)
		memcpy(fwd_row(&t, i), row_held(w, w->held, i), w->stride);
	return t;
}

/* A switch was rebooted, or did not take what was written. */
static void
damage(struct life *w)
{
	uint32_t sw = made_random(&w->seed) % s->nswitches, n = made_random(&w->seed) % 3;
	uint8_t *row = w->held + (size_t)sw * w->stride;

	if (n == 0)
		memset(row, FAB_LFT_DROP, w->stride);
	for (; n; n--)
		row[made_random(&w->seed) % w->stride] = (uint8_t)(made_random(&w->seed) % 9);
}

static void
live_once(struct life *w, const struct route_engine *e, unsigned i)
{
	struct arena a = ARENA_INIT;
	struct fwd_tables full, out, before;
	struct route_report r, f;
	struct lid_map l;
	bool *gone = find_gone(w, &a);
	struct route_in in = { .lids = &l, .intended = intended };

	made_free(now);
	in.snapshot = now = part_copy(s, gone, w->dead, NULL);
	part_lids(s, &lids, now, &a, &l);
	reserve(w, gone, &a, &in);
	before = tables_held(w, &a);
	in.previous = i ? &before : NULL;
	if (e->run(&in, &a, &full, &f) == ROUTE_OK) {
		in.state = &kept;
		assert_int_equal(e->run(&in, &a, &out, &r), ROUTE_OK);
		w->again += r.again;
		w->full += !r.again;
		assert_int_equal(out.stride, full.stride);
		assert_int_equal(out.nswitches, full.nswitches);
		assert_in_range(out.top, 1, w->stride - 1);
		for (uint32_t sw = 0; sw < full.nswitches; sw++) {
			if (memcmp(fwd_row(&out, sw), fwd_row(&full, sw), full.stride) != 0)
				fail_msg("%s event %u: switch %u differs", w->spec, i, sw);
			memcpy(row_held(w, w->held, sw), fwd_row(&out, sw), w->stride);
		}
		assert_int_equal(r.completed, f.completed);
		assert_int_equal(r.nroots, f.nroots);
		assert_int_equal(r.max_rank, f.max_rank);
		assert_int_equal(r.pivot, f.pivot);
		assert_memory_equal(r.roots, f.roots, r.nroots * sizeof(*r.roots));
		assert_memory_equal(r.rank, f.rank, full.nswitches * sizeof(*r.rank));
		if (r.again)
			check_changed(&before, &out, &r);
	}
	arena_clear(&a);
}

/* All that can go and come, at most 'most' away at a time, up to three at once; now and then a
 * switch loses its tables. */
static void
live(struct life *w, unsigned n)
{
	struct made_how how = { .scramble = true, .seed = w->seed };
	struct lid_conf lc = { .lmc = w->lmc };
	struct lid_report lr;
	char why[200];

	teardown(NULL);
	s = made_snapshot(w->spec, &how);
	assert_int_equal(plan_lids(s, NULL, &lc, &arena, &lids, &lr), 0);
	intended = intended_learn(s, NULL);
	w->gone = arena_array(&arena, s->nnodes, sizeof(*w->gone));
	w->dead = arena_array(&arena, s->nports, sizeof(*w->dead));
	w->stride = (lids.top / 64u + 1) * 64;
	w->held = arena_array(&arena, s->nswitches, w->stride);
	memset(w->held, FAB_LFT_DROP, s->nswitches * (size_t)w->stride);
	w->away = 0;
	for (unsigned i = 0; i < n; i++) {
		for (uint32_t k = made_random(&w->seed) % 3; i && k < 3; k++)
			toggle(w);
		if (i && made_random(&w->seed) % 8 == 0)
			damage(w);
		live_once(w, route_find("ftree", why, sizeof(why)), i);
	}
}

static void
every_change(void **state)
{
	static const char *const specs[] = { "fattree:k=8,levels=3", "fattree:k=8,levels=2",
		"fattree:k=6,levels=3", "xgft:m=4/4/4,w=1/4/4", "xgft:m=4/6/4,w=1/3/3" };
	unsigned full = 0, again = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 30; seed++) {
		struct life w = { .spec = specs[seed % 5], .seed = seed, .most = 1 + seed % 6,
			.lmc = seed % 4 == 3 ? 1 : 0 };

		live(&w, 80);
		full += w.full;
		again += w.again;
	}
	printf("%u of %u runs were not full\n", again, full + again);
	assert_true(again > full * 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(around_the_anchor, teardown),
		cmocka_unit_test_teardown(equal_bytes, teardown),
		cmocka_unit_test_teardown(every_change, teardown),
	};

	return cmocka_run_group_tests_name("sm/route/again", tests, NULL, NULL);
}
