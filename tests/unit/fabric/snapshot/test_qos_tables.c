/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_tables.c - how tables of lanes are named, what is remembered and what forgotten.
 */
#include <config.h>
#include "fabric/snapshot/qos_walk.h"
#include "tests/unit/fabric/snapshot/qos_fabric.h"

static void
names_them(void **state)
{
	struct qos_table t = { qf.leaf, 3, 0 };

	(void)state;
	assert_int_equal(qos_table_modifier(qf.s, &t), 0x300u | qf.s->ports[qf.leaf].num);
	t = (struct qos_table){ qf.leaf, 0, 3 };
	assert_int_equal(qos_table_modifier(qf.s, &t), 0x30000u | qf.s->ports[qf.leaf].num);
	t = (struct qos_table){ qf.host, 0, 0 };
	assert_int_equal(qos_table_modifier(qf.s, &t), 0);
	t.block = 4;
	assert_int_equal(qos_table_modifier(qf.s, &t), 0x40000);
	for (unsigned cap = 0; cap <= 64; cap++) {
		qos_fabric_edit(qf.host, 4, cap, 64 - cap);
		assert_int_equal(qos_vlarb_entries(&qf.s->ports[qf.host], 1), cap < 32 ? cap : 32);
		assert_int_equal(qos_vlarb_entries(&qf.s->ports[qf.host], 2),
			cap < 32 ? 0 : cap - 32);
		assert_int_equal(qos_vlarb_entries(&qf.s->ports[qf.host], 3),
			64 - cap < 32 ? 64 - cap : 32);
		assert_int_equal(qos_vlarb_entries(&qf.s->ports[qf.host], 4),
			64 - cap < 32 ? 0 : 32 - cap);
	}
	qos_fabric_edit(qf.host, 4, 255, 0);
	assert_int_equal(qos_vlarb_entries(&qf.s->ports[qf.host], 2), 32);    /* whatever it says */
}

static void
remembers(void **state)
{
	(void)state;
	assert_int_equal(qos_fabric_got(qf.leaf, 1, 0), -1);
	qos_fabric_put(qf.leaf, 1, 0, 0x11);
	assert_int_equal(qos_fabric_got(qf.leaf, 1, 0), 0x11);
	assert_int_equal(qos_fabric_got(qf.leaf, 2, 0), -1);
	qos_fabric_put(qf.leaf, 2, 0, 0x11);
	qos_fabric_put(qf.leaf, 0, 0, 0x22);
	assert_int_equal(qos_fabric_got(qf.leaf, 0, 0), 0x22);
	assert_int_equal(qos_fabric_got(qf.leaf, 1, 0), 0x11);
	assert_int_equal(qos_fabric_got(qf.leaf, 2, 0), 0x11);
	assert_int_equal(qos_fabric_got(qf.leaf, 3, 0), -1);
	qos_fabric_forget(qf.leaf, 1, 0);
	assert_int_equal(qos_fabric_got(qf.leaf, 1, 0), -1);
	assert_int_equal(qos_fabric_got(qf.leaf, 2, 0), 0x11);
	qos_fabric_put(qf.host, 0, 1, 0x33);
	qos_fabric_put(qf.leaf, 0, 1, 0x33);
	qos_fabric_put(qf.leaf, 0, 3, 0x44);
	assert_int_equal(qos_fabric_got(qf.host, 0, 1), 0x33);
	assert_int_equal(qos_fabric_got(qf.leaf, 0, 3), 0x44);
	assert_int_equal(qos_fabric_got(qf.leaf, 0, 2), -1);
	qos_fabric_forget(qf.leaf, 0, 3);
	assert_int_equal(qos_fabric_got(qf.leaf, 0, 3), -1);
	qos_fabric_forget(qf.leaf, 200, 0);
	qos_fabric_put(qf.leaf, 200, 0, 1);                           /* no such port */
	assert_int_equal(qos_fabric_got(qf.leaf, 200, 0), -1);
}

/* Entries that a port has not got, and bits that mean nothing, make no difference. */
static void
keeps_what_counts(void **state)
{
	struct qos_table t = { qf.leaf, 0, 1 };
	uint8_t image[64];

	(void)state;
	qos_fabric_put(qf.leaf, 0, 1, 0xff);
	assert_true(qos_tables_get(qf.q, qf.s, &t, image));
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(image[i], i >= 16 ? 0 : i & 1 ? 0xff : 0x0f);
}

static void
fill(void)
{
	struct qos_walk *w = qos_walk_new(qf.s);
	struct qos_table t;

	while (qos_walk_next(w, &t))
		qos_fabric_put(t.port, t.in, t.block, (uint8_t)(0x10 + t.in % 3));
	qos_walk_free(w);
}

static void
goes_from_sweep_to_sweep(void **state)
{
	uint32_t node = qf.s->ports[qf.leaf].node;
	unsigned all = qos_fabric_expected(2), d = qos_fabric_degree(node);
	struct switch_info si = switch_info_decode(qf.s->nodes[node].switch_info);
	struct snapshot old;
	struct fab_node *nodes;

	(void)state;
	fill();
	assert_int_equal(qos_fabric_known(), all);
	qos_fabric_next(qf.s);
	assert_int_equal(qos_fabric_known(), all);
	assert_int_equal(qos_fabric_got(qf.leaf, 1, 0), 0x11);
	assert_int_equal(qos_fabric_got(qf.leaf, 2, 0), 0x12);
	/* INIT: as output, as input, its arbitration */
	qos_fabric_edit(qf.leaf, 2, 8, 8);
	qos_fabric_next(qf.s);
	assert_int_equal(qos_fabric_known(), all - (d + 1) - (d - 1) - 2);
	assert_int_equal(qos_fabric_got(qf.host, 0, 0), 0x10);
	qos_fabric_edit(qf.host, 2, 8, 8);
	qos_fabric_next(qf.s);
	assert_int_equal(qos_fabric_known(), all - (d + 1) - (d - 1) - 2 - 3);
	qos_fabric_edit(qf.host, 4, 8, 8);
	qos_fabric_edit(qf.leaf, 4, 8, 8);
	fill();
	/* A switch that was reset shows no LinearFDBTop, or another's. */
	old = *qf.s;
	nodes = malloc(qf.s->nnodes * sizeof(*nodes));
	memcpy(nodes, qf.s->nodes, qf.s->nnodes * sizeof(*nodes));
	old.nodes = nodes;
	si.lft_top = 0;
	switch_info_encode(qf.s->nodes[node].switch_info, &si);
	qos_fabric_next(&old);
	assert_int_equal(qos_fabric_known(), all - d * (d + 1) - d * 2);
	free(nodes);
	qos_fabric_next(NULL);                                     /* nothing to hold it against */
	assert_int_equal(qos_fabric_known(), 0);
	fill();
	qos_tables_free(qf.q);
	qf.q = qos_tables_next(NULL, NULL, qf.s);
	assert_int_equal(qos_fabric_known(), 0);
}

/* Equal tables cost next to nothing. */
static void
is_small(void **state)
{
	struct qos_walk *w = qos_walk_new(qf.s);
	struct qos_table t;
	size_t equal, mixed;

	(void)state;
	while (qos_walk_next(w, &t))
		qos_fabric_put(t.port, t.in, t.block, 7);
	qos_walk_free(w);
	equal = qos_tables_bytes(qf.q);
	assert_in_range(equal, 1, 80u * qf.s->nports + 40u * qf.s->nnodes + 1000);
	fill();
	mixed = qos_tables_bytes(qf.q);
	assert_true(mixed > equal);
	w = qos_walk_new(qf.s);
	while (qos_walk_next(w, &t))
		qos_fabric_put(t.port, t.in, t.block, 7);
	qos_walk_free(w);
	qos_fabric_next(qf.s);
	assert_int_equal(qos_tables_bytes(qf.q), equal);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, qos_fabric_setup, qos_fabric_teardown)
	const struct CMUnitTest tests[] = {
		T(names_them), T(remembers), T(keeps_what_counts), T(goes_from_sweep_to_sweep),
			T(is_small),
	};

	return cmocka_run_group_tests_name("fabric/qos_tables", tests, NULL, NULL);
}
