/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_ways.c - all paths of a port at once are those that PathRecord tells, one by one.
 */
#include <config.h>
#include "libmad/attr/sa_attr.h"
#include "sm/sa/sa_int.h"
#include "tests/unit/sa/small.h"

enum { LIDS = 16, BIT_SLID = 5, BIT_REVERSIBLE = 11, BIT_NUM_PATH = 12 };

struct answer {
	bool there[LIDS];
	uint8_t sl[LIDS], mtu[LIDS], rate[LIDS];
};

/* What a GetTable of one reversible path to each port says, to base LIDs. */
static struct answer
told(struct small *b, uint32_t port)
{
	struct answer a = { 0 };
	uint16_t lid = b->lids.base[port];
	unsigned rows;

	small_ask(b, lid, METHOD_GET_TABLE, PATH_RECORD_ID);
	small_where(b, BIT_SLID, 42, 2, lid);
	small_where(b, BIT_REVERSIBLE, 48, 1, 0);
	small_where(b, BIT_NUM_PATH, 49, 1, 0x80 | 1);
	rows = small_rows(b);
	for (unsigned i = 0; i < rows; i++) {
		uint16_t dlid = (uint16_t)small_at(b, i, 40, 2);

		if (b->lids.base[b->lids.owner[dlid]] != dlid)
			continue;
		a.there[dlid] = true;
		a.sl[dlid] = (uint8_t)(small_at(b, i, 52, 2) & 0x0f);
		a.mtu[dlid] = (uint8_t)(small_at(b, i, 54, 1) & 0x3f);
		a.rate[dlid] = (uint8_t)(small_at(b, i, 55, 1) & 0x3f);
	}
	return a;
}

static unsigned
check_port(struct small *b, struct sa_path_export *w, uint32_t port)
{
	struct answer a = told(b, port);
	const struct sa_run *r;
	uint32_t n = sa_path_export_runs(w, port, &r);
	unsigned paths = 0;

	for (uint32_t i = 0; i < n; i++)
		for (unsigned lid = r[i].first; lid <= r[i].last; lid++) {
			if (b->lids.owner[lid] == FAB_NONE || b->lids.base[b->lids.owner[lid]] != lid)
				continue;
			assert_true(a.there[lid]);
			assert_int_equal(a.sl[lid], r[i].sl);
			assert_int_equal(a.mtu[lid], r[i].mtu);
			assert_int_equal(a.rate[lid], r[i].rate);
			a.there[lid] = false;
			paths++;
		}
	for (unsigned lid = 0; lid < LIDS; lid++)
		assert_false(a.there[lid]);
	return paths;
}

static unsigned
check_all(struct small *b)
{
	struct sa_path_export *w = sa_path_export_new(b->x);
	unsigned paths = 0;

	for (uint32_t i = 0; i < b->s->nendports; i++)
		paths += check_port(b, w, b->s->endports[i]);
	sa_path_export_free(w);
	return paths;
}

static void
test_whole(void **state)
{
	struct small *b = *state;
	const struct sa_run *r;
	struct sa_path_export *w;

	assert_int_equal(check_all(b), 36);
	w = sa_path_export_new(b->x);
	assert_in_range(sa_path_export_runs(w, b->one, &r), 3, 5);     /* two switches that are slower, hosts on either side */
	assert_int_equal(r[0].first, LID_ALPHA);
	sa_path_export_free(w);
}

static void
test_partitions(void **state)
{
	struct small *b = *state;

	small_pkeys(b, b->one, 0xffff, 0x8001);
	small_pkeys(b, b->two, 0x0001, 0x7fff);
	small_pkeys(b, b->three1, 0x0001, 0);
	small_pkeys(b, b->three2, 0x8002, 0);
	small_index(b);
	assert_in_range(check_all(b), 12, 30);
}

static void
test_service_levels(void **state)
{
	struct small *b = *state;
	struct sa_hop *h = b->x->hops;
	uint32_t seed = 7;

	for (unsigned round = 0; round < 50; round++) {
		for (uint32_t i = 0; i < b->s->nports; i++) {
			seed = seed * 1103515245 + 12345;
			h[i].sls = seed >> 16 & 3 ? 1 : 2;      /* of 0, and then of 0 no more */
		}
		check_all(b);
	}
}

static void
test_noise(void **state)
{
	struct small *b = *state;
	uint32_t seed = 4711;
	unsigned paths = 0;

	for (unsigned round = 0; round < 300; round++) {
		for (uint32_t sw = 0; sw < 2; sw++)
			for (unsigned lid = 0; lid < 12; lid++) {
				seed = seed * 1103515245 + 12345;
				fwd_row(&b->fwd, sw)[lid] = seed >> 16 & 7 ? (uint8_t)(seed >> 20 & 7) : FAB_LFT_DROP;
			}
		paths += check_all(b);
	}
	assert_in_range(paths, 1000, 300 * 36);
}

/* The routing sets the SL of each pair of switches. */
static void
test_lanes(void **state)
{
	static uint8_t sl[4] = { 1, 2, 2, 1 };
	static struct lane_plan lanes = { .nvls = 4, .sls = 14, .nswitches = 2, .nclasses = 1, .sl = sl };
	struct small *b = *state;

	b->fwd.lanes = &lanes;
	b->fwd.vls = 4;
	small_index(b);
	assert_int_equal(check_all(b), 36);
	sl[1] = sl[2] = 3;
	assert_int_equal(check_all(b), 36);
	test_noise(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
		T(test_whole), T(test_partitions), T(test_service_levels), T(test_noise),
		T(test_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
