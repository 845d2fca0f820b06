/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_snapshot_topo.c - snapshots from topologies and back.
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
		assert_memory_equal(made->switches, seen->switches,
			seen->nswitches * sizeof(*seen->switches));
		assert_int_equal(made->nendports, seen->nendports);
		assert_memory_equal(made->endports, seen->endports,
			seen->nendports * sizeof(*seen->endports));
		for (uint32_t i = 0; i < seen->nnodes; i++) {
			const struct fab_node *a = &made->nodes[i], *b = &seen->nodes[i];

			assert_int_equal(a->guid, b->guid);
			assert_int_equal(a->sw, b->sw);
			assert_int_equal(a->hop_count, b->hop_count);
			assert_memory_equal(a->path, b->path, sizeof(a->path));
			assert_int_equal(a->entry_port, b->entry_port);
			assert_memory_equal(a->desc, b->desc, sizeof(a->desc));
			assert_int_equal(node_info_decode(a->node_info).port_guid,
				node_info_decode(b->node_info).port_guid);
			assert_int_equal(node_info_decode(a->node_info).local_port, b->entry_port);
		}
		for (uint32_t i = 0; i < seen->nports; i++) {
			const struct fab_port *a = &made->ports[i], *b = &seen->ports[i];

			assert_int_equal(a->peer, b->peer);
			assert_int_equal(a->node, b->node);
			assert_int_equal(a->num, b->num);
			assert_int_equal(a->guid, b->guid);
			assert_int_equal(a->flags, b->flags);
			assert_int_equal(port_info_decode(a->info).state,
				port_info_decode(b->info).state);
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
	assert_int_equal(s->sm_port, s->nodes[snapshot_node_by_guid(s,
		f.t.nodes[0].guid)].first_port);
	snapshot_free(s);
	fake_unplug(&f, f.sm_node, 1);          /* a node without a way to it */
	assert_int_equal(topo_to_snapshot(&f.t, FAB_NONE, 4, &s), 0);
	assert_int_equal(s->nodes[snapshot_node_by_guid(s, f.t.nodes[f.sm_node].guid)].hop_count,
		FAB_NO_PATH);
	snapshot_free(s);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_topo_is_what_discovery_sees),
		cmocka_unit_test(test_chosen_port),
		cmocka_unit_test(test_topo_there_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
