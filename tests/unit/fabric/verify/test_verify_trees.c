/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_verify_trees.c - multicast tables written by hand, each with one fault that is found.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "fabric/snapshot/mft_seen.h"
#include "fabric/verify/verify_trees.h"
#include "tests/unit/route/run.h"

enum { SWITCHES_MAX = 64, MEMBERS_MAX = 64 };

static struct run_fabric b;
static struct run_result routed;
static uint8_t rows[SWITCHES_MAX][MFT_BLOCK_BYTES];     /* position 0 of block 0 */
static struct verify_member members[MEMBERS_MAX];
static struct verify_trees_result r;
static unsigned kept_checks;            /* that had turns */
static unsigned handed_on;              /* with a lane plan, and right trees */

static int
teardown(void **state)
{
	(void)state;
	if (b.s)
		run_fabric_free(&b);
	memset(&b, 0, sizeof(b));
	return 0;
}

static void
make(const char *spec, const char *engine)
{
	teardown(NULL);
	memset(rows, 0, sizeof(rows));
	run_fabric_make(&b, spec, NULL, 0);
	routed = run_engine(&b, engine);
	assert_int_equal(routed.code, ROUTE_OK);
	assert_true(b.s->nswitches <= SWITCHES_MAX);
}

static const uint8_t *
row_of(const void *arg, uint32_t sw, uint32_t row)
{
	(void)arg;
	return row ? NULL : rows[sw];
}

static void
flip(uint32_t sw, uint16_t mlid, unsigned port)
{
	uint8_t *at = &rows[sw][(mlid - MLID_FIRST) * 2];

	assert_true(port < 16);
	wire_put16(at, (uint16_t)(wire_get16(at) ^ 1u << port));
}

/* The switch port by which a host or a neighbour is reached. */
static unsigned
port_to(uint32_t sw, uint32_t node)
{
	const struct fab_node *n = &b.s->nodes[b.s->switches[sw]];

	for (unsigned k = 1; k <= n->nports; k++) {
		uint32_t peer = b.s->ports[n->first_port + k].peer;

		if (peer != FAB_NONE && b.s->ports[peer].node == node)
			return k;
	}
	fail_msg("switch %u is not cabled to node %u", sw, node);
	return 0;
}

/* The first host of each switch of 'v' hears; a cable between switches that follow each other carries both ways. */
static uint32_t
draw_path(uint16_t mlid, const uint32_t *v, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct fab_node *sw = &b.s->nodes[b.s->switches[v[i]]];

		for (unsigned k = 1; k <= sw->nports; k++) {
			uint32_t peer = b.s->ports[sw->first_port + k].peer;

			if (peer == FAB_NONE || fab_is_switch(&b.s->nodes[b.s->ports[peer].node]))
				continue;
			members[i] = (struct verify_member){ peer, true };
			flip(v[i], mlid, k);
			break;
		}
		if (i) {
			flip(v[i], mlid, port_to(v[i], b.s->switches[v[i - 1]]));
			flip(v[i - 1], mlid, port_to(v[i - 1], b.s->switches[v[i]]));
		}
	}
	return n;
}

/* The findings are the same from the turns that a verification found, with lane plans, too. */
static void
check_handed_on(struct verify_trees_in in, enum verify_scope scope)
{
	struct fwd_rows *turns = NULL;
	struct arena arena = ARENA_INIT;
	struct verify_result tables;
	struct verify_trees_result want, is;
	struct chan_graph looked, handed;

	in.unicast.scope = scope;
	verify_trees(&in, &want);
	in.unicast.turns = &turns;
	verify_check(&in.unicast, &tables);
	assert_true(tables.ok == (turns != NULL));
	handed_on += tables.ok && want.ok && in.unicast.tables->lanes;
	if (turns) {
		assert_true(verify_unicast_graph(&in.unicast, NULL, &looked, &arena));
		assert_true(verify_unicast_graph(&in.unicast, turns, &handed, &arena));
		assert_int_equal(looked.word[looked.nsw], handed.word[handed.nsw]);
		assert_memory_equal(looked.bits, handed.bits,
			looked.word[looked.nsw] * sizeof(*looked.bits));
	}
	in.turns = turns;
	verify_trees(&in, &is);
	assert_string_equal(is.sentence, want.sentence);
	assert_memory_equal(&is, &want, sizeof(is));
	fwd_rows_drop(turns);
	arena_clear(&arena);
}

/* The findings are the same from turns that were kept of the unicast tables. */
static void
check_kept(struct verify_trees_in in)
{
	struct verify_kept *kept = NULL;
	struct verify_result tables;
	struct verify_trees_result want, is;

	in.unicast.scope = VERIFY_ALL;
	verify_trees(&in, &want);
	in.unicast.kept = &kept;
	verify_again(&in.unicast, &tables);
	in.turns = verify_kept_turns(kept);
	kept_checks += in.turns != NULL;
	verify_trees(&in, &is);
	assert_string_equal(is.sentence, want.sentence);
	assert_memory_equal(&is, &want, sizeof(is));
	fwd_rows_drop(in.turns);
	verify_kept_free(kept);
}

static void
check(const struct verify_tree *trees, uint32_t n)
{
	struct verify_trees_in in = { .unicast = { .snapshot = b.s, .lids = &b.lids, .tables = &routed.f,
		.scope = VERIFY_HOSTS }, .row = row_of, .trees = trees, .ntrees = n };

	verify_trees(&in, &r);
	assert_int_equal(r.ok, !r.sentence[0]);
	check_kept(in);
	check_handed_on(in, VERIFY_HOSTS);
	check_handed_on(in, VERIFY_ALL);
}

/* The corners of a mesh of two by two, in a ring: 'ring[0]' and 'ring[1]' differ in the first coordinate. */
static void
find_ring(uint32_t ring[4])
{
	uint32_t n = 1;

	ring[0] = 0;
	for (uint32_t at = 0, from = FAB_NONE; n < 4; n++) {
		const struct fab_node *sw = &b.s->nodes[b.s->switches[at]];

		for (unsigned k = 1; k <= sw->nports; k++) {
			uint32_t peer = b.s->ports[sw->first_port + k].peer;
			uint32_t to = peer == FAB_NONE ? FAB_NONE : b.s->nodes[b.s->ports[peer].node].sw;

			if (to != FAB_NONE && to != from) {
				from = at;
				at = ring[n] = to;
				break;
			}
		}
	}
}

static void
each_fault(void **state)
{
	uint32_t ring[4];
	struct verify_tree t = { 0xc003, 1, members, 4 };
	unsigned host, back;

	(void)state;
	make("mesh:2x2,hosts=1", "dor");
	find_ring(ring);
	draw_path(0xc003, ring, 4);
	check(&t, 1);
	assert_true(r.ok);
	assert_true(r.turns > 0);
	host = port_to(ring[3], b.s->ports[members[3].port].node);
	flip(ring[3], 0xc003, host);                    /* a member without its bit */
	check(&t, 1);
	assert_true(r.lacking == 1 && !r.looping && !r.straying && r.mlid == 0xc003);
	t.nmembers = 3;                                 /* now it is none, and gets nothing */
	check(&t, 1);
	assert_true(r.ok);
	flip(ring[3], 0xc003, host);
	check(&t, 1);
	assert_true(r.straying == 1 && !r.lacking);
	t.nmembers = 4;
	back = port_to(ring[1], b.s->switches[ring[2]]);
	flip(ring[1], 0xc003, back);                    /* nothing goes from the first two to the others */
	check(&t, 1);
	assert_true(r.lacking >= 1 && !r.looping);
	members[2].hears = members[3].hears = false;    /* they only send */
	flip(ring[3], 0xc003, host);
	flip(ring[2], 0xc003, port_to(ring[2], b.s->ports[members[2].port].node));
	flip(ring[2], 0xc003, port_to(ring[2], b.s->switches[ring[3]]));
	check(&t, 1);
	assert_true(r.ok);
	flip(ring[0], 0xc003, port_to(ring[0], b.s->switches[ring[3]]));
	check(&t, 1);
	assert_true(r.looping == 1);
	assert_non_null(strstr(r.sentence, "0xc003"));
}

static void
parts_apart(void **state)
{
	uint32_t ring[4];
	struct verify_tree t = { 0xc000, 1, members, 4 };

	(void)state;
	make("mesh:2x2,hosts=1", "dor");
	find_ring(ring);
	draw_path(0xc000, ring, 4);
	flip(ring[1], 0xc000, port_to(ring[1], b.s->switches[ring[2]]));
	flip(ring[2], 0xc000, port_to(ring[2], b.s->switches[ring[1]]));
	check(&t, 1);
	assert_true(r.lacking >= 1 && !r.looping);
	members[0].hears = members[1].hears = members[2].hears = members[3].hears = false;
	for (uint32_t i = 0; i < 4; i++)
		flip(ring[i], 0xc000, port_to(ring[i], b.s->ports[members[i].port].node));
	check(&t, 1);
	assert_true(r.ok);                              /* nobody hears: nothing lacks */
}

/* Dimension order turns only from the first coordinate to the second.  Trees that turn the other way at two opposite corners
 * close the ring; either alone does not. */
static void
cycle_with_unicast(void **state)
{
	uint32_t ring[4], path[4];
	struct verify_member first[4];
	struct verify_tree t[2] = { { 0xc000, 1, first, 4 }, { 0xc001, 1, members, 4 } };

	(void)state;
	make("mesh:2x2,hosts=1", "dor");
	find_ring(ring);
	draw_path(0xc000, ring, 4);
	memcpy(first, members, sizeof(first));
	for (unsigned i = 0; i < 4; i++)
		path[i] = ring[(i + 2) % 4];
	draw_path(0xc001, path, 4);
	for (unsigned i = 0; i < 2; i++) {
		check(&t[i], 1);
		assert_true(r.ok);
	}
	check(t, 2);
	assert_true(!r.lacking && !r.looping && !r.straying && r.credit_loops && r.ncycle >= 4);
	assert_non_null(strstr(r.sentence, "credit loop"));
}

/* Trees over one cable of a torus, with the VLs of its lane plan. */
static void
with_lanes(void **state)
{
	struct verify_tree t = { 0xc000, 1, members, 0 };

	(void)state;
	make("torus:5x5,hosts=1", "torus-2qos");
	assert_non_null(routed.f.lanes);
	for (uint32_t sw = 0; sw < b.s->nswitches; sw++) {
		const struct fab_node *n = &b.s->nodes[b.s->switches[sw]];
		uint32_t path[2] = { sw, FAB_NONE };

		for (unsigned k = 1; k <= n->nports && path[1] == FAB_NONE; k++) {
			uint32_t peer = b.s->ports[n->first_port + k].peer;

			if (peer != FAB_NONE)
				path[1] = b.s->nodes[b.s->ports[peer].node].sw;
		}
		memset(rows, 0, sizeof(rows));
		t.nmembers = draw_path(0xc000, path, 2);
		check(&t, 1);
		assert_true(r.ok);
	}
	assert_true(handed_on > 10);
}

/* Rows of any content: it ends, and says something. */
static void
any_rows_of(const char *spec)
{
	uint32_t random = 5, ends[64], nends = 0;
	struct verify_tree t = { 0xc000, 0xffff, members, 4 };

	make(spec, "torus-2qos");
	for (uint32_t i = 0; i < b.s->nports && nends < 64; i++)
		if (snapshot_is_endport(b.s, &b.s->ports[i]))
			ends[nends++] = i;
	for (unsigned round = 0; round < 200; round++) {
		for (uint32_t i = 0; i < 4; i++)
			members[i] = (struct verify_member){ ends[made_random(&random) % nends], true };
		for (uint32_t sw = 0; sw < b.s->nswitches; sw++)
			wire_put16(rows[sw], (uint16_t)made_random(&random));
		check(&t, 1);
		assert_false(r.ok);
	}
}

static void
any_rows(void **state)
{
	(void)state;
	any_rows_of("torus:4x4,hosts=1");
	any_rows_of("torus:5x5,hosts=1");
}

static int
all_done(void **state)
{
	(void)state;
	return kept_checks > 10 ? 0 : -1;
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(each_fault), T(parts_apart), T(cycle_with_unicast), T(with_lanes), T(any_rows),
	};

	return cmocka_run_group_tests(tests, NULL, all_done);
}
