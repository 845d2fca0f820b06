/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_snapshot.c - snapshots from topologies and back, what is found in them, their words.
 */
#include <config.h>
#include <errno.h>
#include "fabric/topo/snapshot_topo.h"
#include "tests/unit/test.h"
#include "tests/unit/fabric/fake.h"

/* What discovery sees of a fabric is what the file said of it, images apart. */
static void
test_from_topo_is_what_discovery_sees(void **state)
{
	struct discover_conf c = fake_conf();

	(void)state;
	for (unsigned shape = 0; shape < 3; shape++) {
		struct snapshot *made, *seen;
		struct fake f;

		if (shape == 0)
			fake_fattree(&f, 8, 3);
		else if (shape == 1)
			fake_torus(&f, 3, 3, 4, 2);
		else
			fake_chain(&f, 20);
		seen = fake_discover(&f, &c);
		assert_int_equal(topo_to_snapshot(&f.t, f.sm_node, 2, &made), 0);
		assert_int_equal(made->nnodes, seen->nnodes);
		assert_int_equal(made->nports, seen->nports);
		assert_int_equal(made->nswitches, seen->nswitches);
		assert_int_equal(made->nhosts, seen->nhosts);
		assert_int_equal(made->nlinks, seen->nlinks);
		assert_int_equal(made->sm_port, seen->sm_port);
		assert_memory_equal(made->switches, seen->switches, seen->nswitches * sizeof(*seen->switches));
		assert_int_equal(made->nendports, seen->nendports);
		assert_memory_equal(made->endports, seen->endports, seen->nendports * sizeof(*seen->endports));
		for (uint32_t i = 0; i < seen->nnodes; i++) {
			const struct fab_node *a = &made->nodes[i], *b = &seen->nodes[i];

			assert_int_equal(a->guid, b->guid);
			assert_int_equal(a->sw, b->sw);
			assert_int_equal(a->hop_count, b->hop_count);
			assert_memory_equal(a->path, b->path, sizeof(a->path));
			assert_int_equal(a->entry_port, b->entry_port);
			assert_memory_equal(a->desc, b->desc, sizeof(a->desc));
			assert_int_equal(node_info_decode(a->node_info).port_guid, node_info_decode(b->node_info).port_guid);
			assert_int_equal(node_info_decode(a->node_info).local_port, b->entry_port);
		}
		for (uint32_t i = 0; i < seen->nports; i++) {
			const struct fab_port *a = &made->ports[i], *b = &seen->ports[i];

			assert_int_equal(a->peer, b->peer);
			assert_int_equal(a->node, b->node);
			assert_int_equal(a->num, b->num);
			assert_int_equal(a->guid, b->guid);
			assert_int_equal(a->flags, b->flags);
			assert_int_equal(port_info_decode(a->info).state, port_info_decode(b->info).state);
		}
		snapshot_free(made);
		snapshot_free(seen);
		fake_clear(&f);
	}
}

static void
test_chosen_port(void **state)
{
	struct topo empty = { 0 };
	struct snapshot *s;
	struct fake f;

	(void)state;
	assert_int_equal(topo_to_snapshot(&empty, FAB_NONE, 2, &s), -ENODEV);
	fake_fattree(&f, 4, 2);
	assert_int_equal(topo_to_snapshot(&f.t, f.t.nnodes, 2, &s), -ENODEV);
	assert_int_equal(topo_to_snapshot(&f.t, FAB_NONE, 4, &s), 0);
	assert_int_equal(s->nodes[s->ports[s->sm_port].node].guid, f.t.nodes[f.sm_node].guid);
	assert_int_equal(s->ports[s->sm_port].num, 1);
	assert_int_equal(port_info_decode(s->ports[s->sm_port].info).state, 4);
	snapshot_free(s);
	assert_int_equal(topo_to_snapshot(&f.t, 0, 4, &s), 0);
	assert_int_equal(s->sm_port, s->nodes[snapshot_node_by_guid(s, f.t.nodes[0].guid)].first_port);
	snapshot_free(s);
	fake_unplug(&f, f.sm_node, 1);          /* a node without a way to it */
	assert_int_equal(topo_to_snapshot(&f.t, FAB_NONE, 4, &s), 0);
	assert_int_equal(s->nodes[snapshot_node_by_guid(s, f.t.nodes[f.sm_node].guid)].hop_count, FAB_NO_PATH);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_lookups(void **state)
{
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_torus(&f, 3, 3, 1, 1);
	assert_int_equal(topo_to_snapshot(&f.t, FAB_NONE, 2, &s), 0);
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

/* Written, read, made a snapshot, made a topology, written again: the same text. */
static void
test_topo_there_and_back(void **state)
{
	char *one = NULL, *two = NULL;
	size_t one_bytes, two_bytes;
	struct snapshot *s;
	struct topo back;
	struct fake f;
	FILE *out;

	(void)state;
	fake_torus(&f, 3, 2, 1, 2);
	for (uint32_t i = 0; i < f.t.nnodes; i++) {
		struct topo_node *n = &f.t.nodes[i];

		n->sys_guid = n->guid;
		n->vendor_id = 0x2c9;
		n->device_id = 0xd2f0;
		topo_port(&f.t, i, n->type == TOPO_SWITCH ? 0 : 1)->lid = (uint16_t)(i + 1);
		n->enhanced_port0 = n->type == TOPO_SWITCH && i % 2;
	}
	assert_int_equal(topo_to_snapshot(&f.t, FAB_NONE, 2, &s), 0);
	assert_int_equal(topo_from_snapshot(s, &back), 0);
	out = open_memstream(&one, &one_bytes);
	assert_int_equal(topo_write(out, &f.t), 0);
	fclose(out);
	out = open_memstream(&two, &two_bytes);
	assert_int_equal(topo_write(out, &back), 0);
	fclose(out);
	assert_string_equal(one, two);
	free(one);
	free(two);
	topo_clear(&back);
	snapshot_free(s);
	fake_clear(&f);
}

static void
test_desc_text(void **state)
{
	static const struct { const char *desc, *text; } rows[] = {
		{ "leaf-1", "leaf-1" }, { "", "" }, { "tab\there", "tab here" }, { "del\x7f.", "del ." },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" }, { "\xe2\x82\xac", "\xe2\x82\xac" },
		{ "\xf0\x9f\x94\x8c", "\xf0\x9f\x94\x8c" },
		{ "bad\xff!", "bad\xef\xbf\xbd!" }, { "cut\xe2\x82", "cut\xef\xbf\xbd\xef\xbf\xbd" },
		{ "long\xc0\x80", "long\xef\xbf\xbd\xef\xbf\xbd" },                     /* not the shortest form */
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },             /* a surrogate */
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
	memset(n.desc, 0xff, sizeof(n.desc));           /* 64 bytes, none of them good, none of them 0 */
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_topo_is_what_discovery_sees),
		cmocka_unit_test(test_chosen_port),
		cmocka_unit_test(test_lookups),
		cmocka_unit_test(test_topo_there_and_back),
		cmocka_unit_test(test_desc_text),
		cmocka_unit_test(test_path_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
