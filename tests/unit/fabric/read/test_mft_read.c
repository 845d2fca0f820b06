/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mft_read.c - which rows of multicast tables are asked for, and where reading ends.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "fabric/read/mft_read.h"
#include "tests/unit/route/made.h"

enum { ASKED_MAX = 4096 };

static struct snapshot *s;
static uint32_t edges;                  /* switches with hosts */
static uint32_t used_block;             /* in which all switches have an entry */
static bool any_used;
static uint32_t unresponsive = FAB_NONE;        /* ordinal of a switch */
static unsigned open_of[64];
static uint64_t random_rows[64][3];     /* by switch and position: blocks with an entry */
static uint64_t read_rows[64][3];       /* of these, what was read */
static bool is_random;

static void
configure(uint32_t sw, uint16_t lft_top, uint16_t mft_cap, uint16_t mft_top)
{
	struct fab_node *n = &s->nodes[s->switches[sw]];
	struct switch_info si = switch_info_decode(n->switch_info);

	si.lft_top = lft_top;
	si.mft_cap = mft_cap;
	si.mft_top = mft_top;
	switch_info_encode(n->switch_info, &si);
	n->flags |= FAB_NODE_SWITCH_INFO;
}

static bool
is_edge(uint32_t sw)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	for (uint32_t p = n->first_port + 1; p <= n->first_port + n->nports; p++)
		if (s->ports[p].peer != FAB_NONE &&
			!fab_is_switch(&s->nodes[s->ports[s->ports[p].peer].node]))
			return true;
	return false;
}

/* A switch of that kind, by its ordinal. */
static uint32_t
some_switch(bool edge)
{
	uint32_t sw = 5;

	while (is_edge(sw) != edge)
		sw++;
	return sw;
}

static int
setup(void **state)
{
	(void)state;
	s = made_snapshot("fattree:k=36,levels=2", NULL);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		configure(sw, 100, 1024, 0);
	any_used = is_random = false;
	unresponsive = FAB_NONE;
	edges = 0;
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		edges += is_edge(sw);
	assert_true(edges == 36 && s->nswitches == 54);
	memset(open_of, 0, sizeof(open_of));
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	return 0;
}

static void
answer(struct mft_reader *r, const struct txn_req *q)
{
	struct dgram d = { .bytes = DGRAM_BYTES };
	struct txn_end e = { .cookie = q->cookie, .kind = q->cookie == unresponsive ? TXN_END_TIMED_OUT : TXN_END_OK, .reply = &d };

	open_of[q->cookie]--;
	if (any_used && (q->modifier & 0x1ff) == used_block && q->modifier >> 28 == 1)
		wire_put16(d.mad + 64 + 62, 0x8000);
	if (is_random && q->cookie != unresponsive &&
		random_rows[q->cookie][q->modifier >> 28] >> (q->modifier & 0x1ff) & 1) {
		wire_put16(d.mad + 64 + 8, 0x0002);
		read_rows[q->cookie][q->modifier >> 28] |= UINT64_C(1) << (q->modifier & 0x1ff);
	}
	mft_reader_end(r, &e);
}

/* Everything, as many at a time as there are; how many questions that took. */
static unsigned
run(struct mft_reader *r)
{
	struct txn_req q[64];
	unsigned n, all = 0;

	while (!mft_reader_done(r)) {
		for (n = 0; n < 64 && mft_reader_next(r, &q[n]); n++) {
			assert_int_equal(q[n].attr_id, MFT_BLOCK_ID);
			assert_int_equal(q[n].method, METHOD_GET);
			assert_int_equal(q[n].mkey, 0x99);
			assert_int_equal(q[n].target, s->switches[q[n].cookie]);
			assert_int_equal(++open_of[q[n].cookie], 1);    /* one outstanding for each switch */
		}
		assert_true(n > 0);
		all += n;
		while (n)
			answer(r, &q[--n]);
		assert_true(all < ASKED_MAX * 64);
	}
	return all;
}

static void
ends_after_a_gap(void **state)
{
	static const struct { uint32_t used; bool any; uint32_t hint, blocks; } rows[] = {
		{ 0, false, 0, 4 }, { 0, true, 0, 5 }, { 3, true, 0, 8 }, { 4, true, 0, 4 }, { 4, true, 160, 9 }, { 31, true, 1024, 32 },
		{ 0, false, 100000, 32 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mft_reader *r = mft_reader_new(s, 1024, rows[i].hint, mkeys_one(0x99));
		const struct mft_read_row *v;
		/* three positions for 36 ports */
		uint32_t n, in_use = 0, all = rows[i].blocks * 3 * edges;

		if (rows[i].any && rows[i].used < rows[i].blocks)
			all += 3 * (s->nswitches - edges);
		any_used = rows[i].any;
		used_block = rows[i].used;
		assert_int_equal(run(r), all);
		v = mft_reader_rows(r, &n);
		assert_int_equal(n, all);
		for (uint32_t k = 0; k < n; k++)
			in_use += wire_get16(v[k].image + 62) == 0x8000 && v[k].row == (used_block | 1u << 28);
		assert_int_equal(in_use, rows[i].any && rows[i].used < rows[i].blocks ? s->nswitches : 0);
		assert_int_equal(mft_reader_unread(r, 0), FAB_NONE);
		mft_reader_free(r);
	}
}

/* Who was never configured, has no table or says that it is empty is not asked; a top or a small table ends it early. */
static void
only_what_is_there(void **state)
{
	struct mft_reader *r;

	(void)state;
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		configure(sw, 0, 1024, 0);
	configure(0, 100, 0, 0);
	configure(1, 100, 1024, 0xbfff);
	configure(2, 100, 1024, 0xc01f);
	configure(3, 100, 64, 0);
	s->nodes[s->switches[4]].flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	any_used = true;
	used_block = 0;
	r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));
	assert_int_equal(run(r), (1 + 2) * 3);
	mft_reader_free(r);
	r = mft_reader_new(s, 20, 0, mkeys_one(0x99));             /* the least table of all has room for no more */
	assert_int_equal(run(r), (1 + 1) * 3);
	mft_reader_free(r);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		configure(sw, 0, 1024, 0);
	r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));
	assert_true(mft_reader_done(r));
	mft_reader_free(r);
}

/* Without one at the edge it is not known which blocks are in use, so all are read; an inner one
 * decides nothing. */
static void
unresponsive_switch(void **state)
{
	(void)state;
	for (unsigned edge = 0; edge < 2; edge++)
		for (unsigned any = 0; any < 2; any++) {
			struct mft_reader *r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));
			unsigned all = 4 * 3 * (s->nswitches - 1) + 1;  /* it is asked once */

			unresponsive = some_switch(edge);
			used_block = 0;
			any_used = any;
			if (edge && any)
				all = 5 * 3 * (s->nswitches - 1) + 1;
			if (!edge)
				all = any ? 5 * 3 * edges + 3 * (s->nswitches - edges - 1) + 1 :
					4 * 3 * edges;
			assert_int_equal(run(r), all);
			assert_int_equal(mft_reader_unread(r, 0),
				edge || any ? unresponsive : FAB_NONE);
			if (edge || any)
				assert_int_equal(mft_reader_unread(r, unresponsive + 1), FAB_NONE);
			mft_reader_free(r);
		}
}

/* Another one at the edge that cannot be asked: isolated, never configured, or without a path. */
static void
an_edge_that_is_not_asked(void **state)
{
	uint32_t sw = some_switch(true);
	struct fab_node *n = &s->nodes[s->switches[sw]], was = *n;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct mft_reader *r;

		*n = was;
		configure(sw, i == 1 ? 0 : 100, 1024, i == 3 ? 0xbfff : 0);
		n->flags |= i == 0 ? FAB_NODE_CUT : 0;
		n->hop_count = i == 2 ? FAB_NO_PATH : n->hop_count;
		r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));
		/* The last one is known to be empty. */
		assert_int_equal(run(r), 4 * 3 * ((i == 3 ? edges : s->nswitches) - 1));
		mft_reader_free(r);
	}
	*n = was;
}

/* A port 0 that may be a member, and a link to what was not found, make an edge. */
static void
what_is_at_the_edge(void **state)
{
	uint32_t sw = some_switch(false);
	struct fab_node *n = &s->nodes[s->switches[sw]];
	struct fab_port *p = &s->ports[n->first_port + 1];
	struct switch_info si = switch_info_decode(n->switch_info);
	struct fab_port was = *p;
	struct mft_reader *r;

	(void)state;
	si.enhanced_port0 = 1;
	switch_info_encode(n->switch_info, &si);
	r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));
	assert_int_equal(run(r), 4 * 3 * (edges + 1));
	mft_reader_free(r);
	si.enhanced_port0 = 0;
	switch_info_encode(n->switch_info, &si);
	for (unsigned i = 0; i < 3; i++) {
		struct port_info info = port_info_decode(p->info);

		p->peer = FAB_NONE;
		p->flags = (uint8_t)(i ? was.flags | FAB_PORT_INFO : was.flags & ~FAB_PORT_INFO);
		info.state = i == 1 ? PORT_STATE_INIT : PORT_STATE_DOWN;
		port_info_encode(p->info, &info);
		r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));
		assert_int_equal(run(r), 4 * 3 * (edges + (i < 2)));
		mft_reader_free(r);
	}
	p->peer = was.peer;
	p->flags = was.flags;
}

static uint32_t
next_random(uint32_t *seed)
{
	return *seed = *seed * 1664525 + 1013904223, *seed >> 8;
}

/*
 * Tables as trees leave them: an inner switch has entries only in blocks in which one at the edge
 * has.  Every row with an entry is read, as if all were asked.
 */
static void
every_entry_of_a_tree_is_read(void **state)
{
	uint32_t seed = 1, saved = 0;

	(void)state;
	is_random = true;
	for (unsigned round = 0; round < 300; round++) {
		uint64_t blocks = next_random(&seed) & next_random(&seed) & 0x1f, edge = 0;
		struct mft_reader *r;
		unsigned asked;
		uint32_t first = 0;

		unresponsive = round % 3 ? FAB_NONE : some_switch(round % 2);
		memset(read_rows, 0, sizeof(read_rows));
		for (uint32_t sw = 0; sw < s->nswitches; sw++)
			for (unsigned k = 0; k < 3; k++) {
				random_rows[sw][k] = is_edge(sw) ? blocks & next_random(&seed) : 0;
				random_rows[sw][k] &= next_random(&seed);
				edge |= random_rows[sw][k];
			}
		while (unresponsive == first || !is_edge(first))
			first++;
		random_rows[first][0] |= 1;     /* so that the gap is behind all */
		edge |= 1;
		for (uint32_t sw = 0; sw < s->nswitches; sw++)
			for (unsigned k = 0; k < 3 && !is_edge(sw); k++)
				random_rows[sw][k] = edge & next_random(&seed);
		r = mft_reader_new(s, 1024, 0, mkeys_one(0x99));
		asked = run(r);
		mft_reader_free(r);
		for (uint32_t sw = 0; sw < s->nswitches; sw++)
			for (unsigned k = 0; k < 3; k++)
				assert_int_equal(read_rows[sw][k],
					sw == unresponsive ? 0 : random_rows[sw][k]);
		saved += asked < 4 * 3 * s->nswitches;
	}
	assert_true(saved > 50);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(ends_after_a_gap), T(only_what_is_there), T(unresponsive_switch),
		T(an_edge_that_is_not_asked), T(what_is_at_the_edge),
		T(every_entry_of_a_tree_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
