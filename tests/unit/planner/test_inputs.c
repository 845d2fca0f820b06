/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_inputs.c - which tables and which absent hosts engines get.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/planner/inputs.h"
#include "util/xalloc.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct sweep_job *j;
static struct intended *t;
static struct arena a;
static struct route_in in;

static int
setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	j = xcalloc(1, sizeof(*j));
	j->in.conf = b.conf;
	j->fresh = b.s;
	t = intended_learn(b.s, NULL);
	assert_non_null(t);
	in = (struct route_in){ .snapshot = b.s };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	intended_free(t);
	arena_clear(&a);
	free(j->lids);
	free(j);
	served_clear(&b);
	return 0;
}

/* A host goes, and its LID with it; the row for it stays. */
static struct lid_id
leave(unsigned host)
{
	uint32_t port = served_host(&b, host), peer = b.s->ports[port].peer;
	struct lid_id row = { .port_guid = b.s->ports[port].guid,
		.base_lid = b.plan.lids.base[port] };

	b.s->ports[port].peer = b.s->ports[peer].peer = FAB_NONE;
	b.plan.lids.owner[row.base_lid] = FAB_NONE;
	snapshot_seal(b.s);
	return row;
}

static void
store(struct lid_id row)
{
	j->lids = xreallocarray(j->lids, j->nlids + 1u, sizeof(row));
	j->lids[j->nlids++] = row;
}

static void
inputs_fill(void)
{
	inputs_make(j, t, &b.plan.lids, &a, &in);
}

static void
nobody_is_absent(void **state)
{
	uint32_t port = served_host(&b, 2);

	(void)state;
	store((struct lid_id){ b.s->ports[port].guid, b.plan.lids.base[port], 0, false });
	inputs_fill();
	assert_int_equal(in.nabsent, 0);
	assert_true(in.intended == t);
}

static void
an_absent_host_is_where_it_was(void **state)
{
	uint32_t peer = b.s->ports[served_host(&b, 2)].peer;
	struct lid_id row = leave(2);

	(void)state;
	store(row);
	store(leave(5));
	inputs_fill();
	assert_int_equal(in.nabsent, 2);
	assert_int_equal(in.absent[0].lid, row.base_lid);
	assert_int_equal(in.absent[0].sw, b.s->nodes[b.s->ports[peer].node].sw);
	assert_int_equal(in.absent[0].port, b.s->ports[peer].num);
}

/* All LIDs of a row, and none of a row that is lost, reused or of an unknown host. */
static void
rows_that_count(void **state)
{
	struct lid_id row = leave(2), lost = leave(3), reused = leave(4);
	struct lid_id unknown = { .port_guid = 0x77, .base_lid = row.base_lid };

	(void)state;
	lost.lost = true;
	b.plan.lids.owner[reused.base_lid] = served_host(&b, 1);
	store(lost);
	store(reused);
	store(unknown);
	inputs_fill();
	assert_int_equal(in.nabsent, 0);
	row.base_lid = (uint16_t)((b.plan.lids.top + 8u) & ~3u);
	row.lmc = 2;
	store(row);
	inputs_fill();
	assert_int_equal(in.nabsent, 4);
	assert_int_equal(in.absent[3].lid, row.base_lid + 3);
	j->in.reassign = true;
	in.nabsent = 0;
	inputs_fill();
	assert_int_equal(in.nabsent, 0);
}

/* Something else is at its port now. */
static void
a_place_that_is_taken(void **state)
{
	uint32_t peer = b.s->ports[served_host(&b, 2)].peer, other = served_host(&b, 6);

	(void)state;
	store(leave(2));
	leave(6);
	b.s->ports[other].peer = peer;
	b.s->ports[peer].peer = other;
	snapshot_seal(b.s);
	inputs_fill();
	assert_int_equal(in.nabsent, 0);
}

static void
tables_of_now(void **state)
{
	static uint8_t lft[64];
	struct fab_node *n = &b.s->nodes[b.s->switches[1]];
	struct switch_info si = { .lft_cap = 0xc000, .lft_top = 63 };

	(void)state;
	inputs_fill();
	assert_null(in.previous); /* nothing was read */
	memset(lft, FAB_LFT_DROP, sizeof(lft));
	lft[3] = 2;
	n->lft = lft;
	n->lft_blocks = 1;
	switch_info_encode(n->switch_info, &si);
	n->flags |= FAB_NODE_SWITCH_INFO | FAB_NODE_LFT;
	inputs_fill();
	assert_non_null(in.previous);
	assert_int_equal(fwd_row(in.previous, 1)[3], 2);
	assert_int_equal(fwd_row(in.previous, 0)[3], FAB_LFT_DROP);
	j->topology.deed = TOPOLOGY_REBALANCED; /* all goes to the intended ports */
	inputs_fill();
	assert_null(in.previous);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = { T(nobody_is_absent), T(an_absent_host_is_where_it_was),
		T(rows_that_count), T(a_place_that_is_taken), T(tables_of_now) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
