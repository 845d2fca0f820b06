/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_model.c - columns and their LIDs, distances, refusals.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/route/modelled.h"

static struct modelled x;

static const char *const specs[] = {
	"fattree:k=4,levels=3", "torus:4x4,hosts=2", "random:switches=30,cables=60,hosts=2,seed=3",
	"xgft:m=4/4/2,w=1/2/2", "dragonfly:a=4,h=2,p=2",
};
enum { NSPECS = sizeof(specs) / sizeof(specs[0]) };

static int
teardown(void **state)
{
	(void)state;
	modelled_clear(&x);
	return 0;
}

/* One column for each switch: those with hosts first, as LIDs are ordered, the others by GUID. */
static void
columns_are_in_their_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NSPECS; i++) {
		uint32_t *leaves;

		modelled_make(&x, specs[i], NULL, 0);
		leaves = arena_array(&x.arena, x.m.g.nleaves + 1, sizeof(*leaves));
		swgraph_leaf_order(&x.m.g, &x.arena, leaves);
		assert_int_equal(x.m.ncols, x.s->nswitches);
		assert_true(x.m.stride >= x.m.ncols);
		assert_int_equal(x.m.stride % 64, 0);
		for (uint32_t c = 0; c < x.m.ncols; c++) {
			bool leaf = swgraph_is_leaf(&x.m.g, x.m.col_sw[c]);

			assert_int_equal(x.m.sw_col[x.m.col_sw[c]], c);
			assert_int_equal(leaf, c < x.m.g.nleaves);
			assert_true(!leaf || x.m.col_sw[c] == leaves[c]);
			assert_true(leaf || c == x.m.g.nleaves ||
				x.m.col_sw[c - 1] < x.m.col_sw[c]);
		}
	}
}

/* The LIDs of the hosts of a switch: ascending by port, those of one host side by side. */
static void
check_hosts(uint32_t c)
{
	uint32_t node = route_node(&x.m, x.m.col_sw[c]);
	bool packed = true;

	for (uint32_t i = x.m.lid_first[c]; i < x.m.lid_first[c + 1]; i++) {
		const struct route_lid *l = &x.m.host_lids[i];
		uint32_t host = snapshot_port(x.s, node, l->via)->peer;

		assert_int_equal(x.lids.owner[l->lid], host);
		assert_int_equal(l->sub, l->lid - x.lids.base[host]);
		if (i == x.m.lid_first[c])
			continue;
		assert_true(l[-1].via < l->via || (l[-1].via == l->via && l[-1].sub + 1 == l->sub));
		packed &= l[-1].lid + 1 == l->lid;
	}
	assert_int_equal(x.m.packed[c], packed);
}

static void
columns_have_the_lids_of_their_switch(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NSPECS; i++)
		for (uint8_t lmc = 0; lmc < 3; lmc++) {
			uint32_t lids = 0, owned = 0;

			modelled_make(&x, specs[i], NULL, lmc);
			assert_int_equal(x.m.lmc, lmc > 0);
			for (uint32_t c = 0; c < x.m.ncols; c++) {
				uint32_t node = route_node(&x.m, x.m.col_sw[c]);

				check_hosts(c);
				lids += x.m.lid_first[c + 1] - x.m.lid_first[c] + x.m.own_n[c];
				assert_int_equal(x.m.own_first[c],
					x.lids.base[x.s->nodes[node].first_port]);
			}
			for (uint32_t lid = 1; lid <= x.lids.top; lid++)
				owned += x.lids.owner[lid] != FAB_NONE;
			assert_int_equal(lids, owned);
		}
}

/* A LID that is out of turn makes a column unpacked. */
static void
gaps_are_noticed(void **state)
{
	uint32_t host;

	(void)state;
	modelled_make(&x, "fattree:k=4,levels=2", NULL, 0);
	host = x.lids.owner[x.m.host_lids[0].lid];
	assert_true(x.m.packed[0]);
	x.lids.base[host] = (uint16_t)(x.lids.top + 10);
	assert_int_equal(route_model_make(&x.in, &x.arena, &x.m, &x.r), ROUTE_OK);
	assert_false(x.m.packed[0]);
}

static void
distances_are_the_shortest(void **state)
{
	struct made_how how = { .cut_percent = 40, .seed = 2 };

	(void)state;
	for (unsigned i = 0; i < NSPECS; i++) {
		uint8_t *dist;

		modelled_make(&x, specs[i], i % 2 ? &how : NULL, 0);
		dist = route_distances(&x.m, &x.arena);
		for (uint32_t sw = 0; sw < x.s->nswitches; sw++)
			for (uint32_t c = 0; c < x.m.stride; c++) {
				uint32_t hops = c < x.m.ncols ?
					made_hops(x.s, sw, x.m.col_sw[c]) : UINT32_MAX;

				assert_int_equal(dist[(size_t)sw * x.m.stride + c],
					hops < ROUTE_INF ? hops : ROUTE_INF);
			}
	}
}

static void
tables_have_room_for_all_lids(void **state)
{
	struct fwd_tables f;

	(void)state;
	modelled_make(&x, "fattree:k=4,levels=3", NULL, 3);
	route_tables_init(&x.m, &x.arena, &f);
	assert_int_equal(f.nswitches, x.s->nswitches);
	assert_int_equal(f.top, x.lids.top);
	assert_true(f.stride > f.top);
	assert_int_equal(f.stride % 64, 0);
	assert_int_equal(f.vls, 1);
	memset(f.port, 1, (size_t)f.stride * f.nswitches);
}

static void
small_tables_are_refused_with_evidence(void **state)
{
	struct switch_info si;
	struct fab_node *n;

	(void)state;
	modelled_make(&x, "fattree:k=4,levels=2", NULL, 0);
	n = &x.s->nodes[x.s->switches[1]];
	si = switch_info_decode(n->switch_info);
	si.lft_cap = (uint16_t)(x.lids.top + 1);
	switch_info_encode(n->switch_info, &si);
	assert_int_equal(route_model_make(&x.in, &x.arena, &x.m, &x.r), ROUTE_OK);
	si.lft_cap = x.lids.top;
	switch_info_encode(n->switch_info, &si);
	assert_int_equal(route_model_make(&x.in, &x.arena, &x.m, &x.r), ROUTE_CAP);
	assert_int_equal(x.r.code, ROUTE_CAP);
	assert_int_equal(x.r.nevidence, 1);
	assert_int_equal(x.r.evidence[0].node, x.s->switches[1]);
	assert_int_equal(x.r.evidence[0].lid, x.lids.top);
	assert_int_equal(x.r.evidence[0].value, x.lids.top);
	n->flags |= FAB_NODE_CUT;       /* it gets no tables */
	x.r = (struct route_report){ .code = ROUTE_OK };
	assert_int_equal(route_model_make(&x.in, &x.arena, &x.m, &x.r), ROUTE_OK);
}

static void
evidence_is_limited(void **state)
{
	struct route_report r = { .nevidence = 0 };
	char words[600];

	(void)state;
	for (uint32_t i = 0; i < 2 * ROUTE_EVIDENCE_MAX; i++)
		route_evidence_add(&r, i, i + 1, (uint16_t)(i + 2), i + 3);
	assert_int_equal(r.nevidence, ROUTE_EVIDENCE_MAX);
	for (uint32_t i = 0; i < ROUTE_EVIDENCE_MAX; i++) {
		assert_int_equal(r.evidence[i].node, i);
		assert_int_equal(r.evidence[i].other, i + 1);
		assert_int_equal(r.evidence[i].lid, i + 2);
		assert_int_equal(r.evidence[i].value, i + 3);
	}
	memset(words, 'x', sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	assert_int_equal(route_refuse(&r, ROUTE_SHAPE, "%s", words), ROUTE_SHAPE);
	assert_int_equal(r.code, ROUTE_SHAPE);
	assert_int_equal(strlen(r.sentence), sizeof(r.sentence) - 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, teardown)
	const struct CMUnitTest tests[] = {
		T(columns_are_in_their_order),
		T(columns_have_the_lids_of_their_switch),
		T(gaps_are_noticed),
		T(distances_are_the_shortest),
		T(tables_have_room_for_all_lids),
		T(small_tables_are_refused_with_evidence),
		T(evidence_is_limited),
	};

	return cmocka_run_group_tests_name("sm/route/model/model", tests, NULL, NULL);
}
