/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_snapshot.c - what is found in snapshots, and their words.
 */
#include <config.h>
#include "fabric/topo/snapshot_topo.h"
#include "tests/unit/test.h"
#include "tests/unit/fabric/fake.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookups),
		cmocka_unit_test(test_desc_text),
		cmocka_unit_test(test_path_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
