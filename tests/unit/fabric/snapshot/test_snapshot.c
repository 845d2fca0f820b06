/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_snapshot.c - what is found in snapshots, and their words.
 */
#include <config.h>
#include "fabric/topo/snapshot_topo.h"
#include "tests/unit/test.h"
#include "tests/unit/fabric/fake.h"
#include "util/xalloc.h"

static void
test_lookups(void **state)
{
	struct snapshot *s;
	struct fake f;
	uint32_t at = 0;

	(void)state;
	fake_torus(&f, 3, 3, 1, 1);
	assert_int_equal(topo_to_snapshot(&f.t, FAB_NONE, 2, &s), 0);
	for (uint32_t i = 0; i < s->nendports; i++) {
		uint64_t guid = s->ports[s->endports[i]].guid;

		assert_int_equal(snapshot_next_port_by_guid(s, guid - 1, &at),
			snapshot_port_by_guid(s, guid - 1));
		if (i % 3)
			assert_int_equal(snapshot_next_port_by_guid(s, guid, &at), s->endports[i]);
	}
	assert_int_equal(snapshot_next_port_by_guid(s, UINT64_MAX, &at), FAB_NONE);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		assert_int_equal(snapshot_node_by_guid(s, s->nodes[i].guid), i);
		assert_int_equal(snapshot_node_by_guid(s, s->nodes[i].guid + 1), FAB_NONE);
	}
	assert_int_equal(snapshot_node_by_guid(s, 0), FAB_NONE);
	assert_int_equal(snapshot_node_by_guid(s, UINT64_MAX), FAB_NONE);
	assert_int_equal(snapshot_port_by_guid(s, UINT64_MAX), FAB_NONE);
	assert_int_equal(snapshot_port_by_guid(s, 0), FAB_NONE);
	for (uint32_t i = 0; i < s->nports; i++)
		if (snapshot_is_endport(s, &s->ports[i]))
			assert_int_equal(snapshot_port_by_guid(s, s->ports[i].guid), i);
	snapshot_free(s);
	snapshot_free(NULL);
	fake_clear(&f);
}

static void
test_desc_text(void **state)
{
	static const struct { const char *desc, *text; } rows[] = {
		{ "leaf-1", "leaf-1" }, { "", "" }, { "tab\there", "tab here" }, { "del\x7f.",
			"del ." },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" }, { "\xe2\x82\xac", "\xe2\x82\xac" },
		{ "\xf0\x9f\x94\x8c", "\xf0\x9f\x94\x8c" },
		{ "bad\xff!", "bad\xef\xbf\xbd!" }, { "cut\xe2\x82",
			"cut\xef\xbf\xbd\xef\xbf\xbd" },
		/* not the shortest form */
		{ "long\xc0\x80", "long\xef\xbf\xbd\xef\xbf\xbd" },
		/* a surrogate */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "c1\xc2\x85.", "c1 ." },
	};
	struct fab_node n;
	char buf[65 * 3], small[6];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		memset(&n, 0, sizeof(n));
		memcpy(n.desc, rows[i].desc, strlen(rows[i].desc));
		assert_string_equal(snapshot_desc_text(&n, buf, sizeof(buf)), rows[i].text);
	}
	/* 64 bytes, none of them good, none of them 0 */
	memset(n.desc, 0xff, sizeof(n.desc));
	assert_int_equal(strlen(snapshot_desc_text(&n, buf, sizeof(buf))), 64 * 3);
	assert_string_equal(snapshot_desc_text(&n, small, sizeof(small)), "\xef\xbf\xbd");
}

static void
test_path_text(void **state)
{
	uint8_t path[DGRAM_PATH_BYTES] = { 0, 1, 36, 254 };
	char buf[300], small[6];

	(void)state;
	assert_string_equal(fab_path_text(path, 0, buf, sizeof(buf)), "0");
	assert_string_equal(fab_path_text(path, 3, buf, sizeof(buf)), "0,1,36,254");
	assert_string_equal(fab_path_text(path, 3, small, sizeof(small)), "0,1,3");
	assert_string_equal(fab_path_text(path, FAB_NO_PATH, buf, sizeof(buf)), "none");
	memset(path + 1, 254, 63);
	assert_int_equal(strlen(fab_path_text(path, 63, buf, sizeof(buf))), 1 + 63 * 4);
}

/* ---- P_Key blocks of nodes that a sweep did not read ---- */

static uint64_t rnd = 11;

static uint32_t
random_below(uint32_t n)
{
	rnd = rnd * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(rnd >> 33) % n;
}

/* Gives some ports tables of one to three blocks. */
static void
give_pkeys(struct snapshot *s, bool more)
{
	s->npkey_blocks = 0;
	s->pkey_blocks = arena_array(&s->arena, 3 * (size_t)s->nports, sizeof(*s->pkey_blocks));
	for (uint32_t i = 0; i < s->nports; i++) {
		struct fab_port *p = &s->ports[i];
		bool end = snapshot_is_endport(s, p);

		p->pkeys = FAB_NONE;
		p->more_pkeys = 0;
		if (!more ? !end || !random_below(10) : random_below(3) > 0)
			continue;
		p->pkeys = s->npkey_blocks;
		p->more_pkeys = (uint16_t)(more ? random_below(3) : 0);
		for (unsigned k = 0; k <= p->more_pkeys; k++)
			memset(s->pkey_blocks[s->npkey_blocks++], (int)random_below(256),
				PKEY_TABLE_BYTES);
	}
}

/* The blocks that 'p' must have, from 's' or 'from'. */
static void
check_blocks(const struct snapshot *s, uint32_t port, const struct fab_port *before,
	const uint8_t (*blocks)[PKEY_TABLE_BYTES], const struct snapshot *from)
{
	const struct fab_port *p = &s->ports[port], *was = NULL;
	uint32_t node = snapshot_node_by_guid(from, s->nodes[p->node].guid);

	if (s->nodes[p->node].flags & FAB_NODE_KEPT && node != FAB_NONE &&
		p->num <= from->nodes[node].nports)
		was = snapshot_port(from, node, p->num);
	if (!was || was->pkeys == FAB_NONE || (before->pkeys != FAB_NONE && !was->more_pkeys)) {
		assert_memory_equal(p, before, sizeof(*p));
		if (p->pkeys != FAB_NONE)
			assert_memory_equal(s->pkey_blocks[p->pkeys], blocks[p->pkeys],
				(p->more_pkeys + 1u) * PKEY_TABLE_BYTES);
		return;
	}
	assert_int_equal(p->more_pkeys, was->more_pkeys);
	assert_int_equal(p->flags, before->flags | FAB_PORT_PKEYS);
	assert_true(p->pkeys + p->more_pkeys < s->npkey_blocks);
	assert_memory_equal(s->pkey_blocks[p->pkeys], from->pkey_blocks[was->pkeys],
		(p->more_pkeys + 1u) * PKEY_TABLE_BYTES);
}

/* Of two fabrics of which each lacks nodes of the other one. */
static void
test_keep_pkeys(void **state)
{
	(void)state;
	for (unsigned turn = 0; turn < 40; turn++) {
		struct snapshot *s, *from;
		struct fab_port *before;
		void *blocks;
		struct fake f;

		fake_torus(&f, 3, 3, 1, 2);
		fake_unplug(&f, 2, 1);
		assert_int_equal(topo_to_snapshot(&f.t, FAB_NONE, 2, &s), 0);
		fake_clear(&f);
		fake_torus(&f, turn % 3 ? 3 : 4, turn % 2 ? 3 : 2, 1, 2);
		assert_int_equal(topo_to_snapshot(&f.t, FAB_NONE, 2, &from), 0);
		fake_clear(&f);
		give_pkeys(s, false);
		give_pkeys(from, turn % 4 > 0);
		for (uint32_t i = 0; i < s->nnodes; i++)
			s->nodes[i].flags |= random_below(3) ? FAB_NODE_KEPT : 0;
		before = xmemdup(s->ports, s->nports * sizeof(*before));
		blocks = xmemdup(s->pkey_blocks, (s->npkey_blocks + 1u) * PKEY_TABLE_BYTES);
		snapshot_keep_pkeys(s, from);
		for (uint32_t i = 0; i < s->nports; i++)
			check_blocks(s, i, &before[i], blocks, from);
		free(before);
		free(blocks);
		snapshot_free(from);
		snapshot_free(s);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookups),
		cmocka_unit_test(test_desc_text),
		cmocka_unit_test(test_path_text),
		cmocka_unit_test(test_keep_pkeys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
