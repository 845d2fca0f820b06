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
	intended_diff_free(j->topology.diff);
	arena_clear(&a);
	free(j->lids);
	free(j);
	served_clear(&b);
	return 0;
}

/* A host goes, and its LID with it; the row for it stays. */
static struct lid_id
leave_port(uint32_t port)
{
	uint32_t peer = b.s->ports[port].peer;
	struct lid_id row = { .port_guid = b.s->ports[port].guid,
		.base_lid = b.plan.lids.base[port] };

	b.s->ports[port].peer = b.s->ports[peer].peer = FAB_NONE;
	b.plan.lids.owner[row.base_lid] = FAB_NONE;
	snapshot_seal(b.s);
	return row;
}

static struct lid_id
leave(unsigned host)
{
	return leave_port(served_host(&b, host));
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
	intended_diff_free(j->topology.diff);
	j->topology.diff = intended_compare(t, b.s);
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

/* Whether the row of the i-th host counts, by lookups: its host is known and nowhere, its place is free. */
static bool
counts(const struct lid_id *row)
{
	uint32_t h = intended_host_find(t, row->port_guid), node, port;

	if (h == INTENDED_NONE || intended_place_of(b.s, snapshot_port_by_guid(b.s, row->port_guid)).sw != INTENDED_NONE)
		return false;
	node = snapshot_node_by_guid(b.s, t->sw[t->hosts[h].sw].guid);
	port = b.s->nodes[node].first_port + t->hosts[h].port;
	return intended_switch_there(b.s, b.s->nodes[node].sw) && b.s->ports[port].peer == FAB_NONE &&
		b.plan.lids.owner[row->base_lid] == FAB_NONE;
}

static uint32_t
draw(uint32_t *state, uint32_t n)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % n;
}

/* Hosts go, move and lose their switch: those are absent that lookups of all rows find. */
static void
whoever_is_absent(void **state)
{
	uint32_t random = 11, absent = 0;

	for (unsigned i = 0; i < 200; i++) {
		uint32_t n = 0, hosts = t->nhosts, other, peer;

		for (unsigned k = 0; k < hosts; k++)    /* before any goes: served_host() counts those there */
			store((struct lid_id){ b.s->ports[served_host(&b, k)].guid,
				b.plan.lids.base[served_host(&b, k)], 0, false });
		for (unsigned k = 0; k < i % 4; k++)
			leave(1 + draw(&random, 3));
		if (i % 4 > 1 && draw(&random, 2)) {
			uint32_t to = snapshot_port_by_guid(b.s, t->hosts[draw(&random, hosts)].guid);

			other = served_host(&b, 2);
			peer = b.s->ports[other].peer;
			leave(2);
			if (to != FAB_NONE && to != other) {    /* the cable of one host leads to another */
				leave_port(to);
				b.s->ports[to].peer = peer;
				b.s->ports[peer].peer = to;
			}
		}
		if (i % 5 == 0)
			b.s->nodes[b.s->switches[draw(&random, b.s->nswitches)]].flags |= FAB_NODE_CUT;
		if (i % 3 == 0) {
			const struct intended_link *l = &t->links[draw(&random, t->nlinks)];
			uint32_t port = b.s->nodes[b.s->switches[l->a]].first_port + l->aport;

			b.s->ports[b.s->ports[port].peer].peer = FAB_NONE;
			b.s->ports[port].peer = FAB_NONE;
		}
		snapshot_seal(b.s);
		inputs_fill();
		for (uint32_t k = 0; k < j->nlids; k++)
			if (counts(&j->lids[k])) {
				assert_true(n < in.nabsent);
				assert_int_equal(in.absent[n++].lid, j->lids[k].base_lid);
			}
		assert_int_equal(n, in.nabsent);
		absent += n;
		teardown(state);
		setup(state);
	}
	assert_true(absent > 100);
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
		T(rows_that_count), T(a_place_that_is_taken), T(whoever_is_absent), T(tables_of_now) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
