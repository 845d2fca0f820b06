/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_walk.c - which tables of lanes there are.
 */
#include <config.h>
#include "fabric/snapshot/qos_walk.h"
#include "tests/unit/fabric/snapshot/qos_fabric.h"

static unsigned
walked(void)
{
	struct qos_walk *w = qos_walk_new(qf.s);
	struct qos_table t;
	unsigned n = 0;

	while (qos_walk_next(w, &t)) {
		assert_true(qos_walk_has(w, &t));
		n++;
	}
	qos_walk_free(w);
	return n;
}

static void
walks_what_there_is(void **state)
{
	struct qos_walk *w;
	struct qos_table t;
	uint8_t *seen = calloc((size_t)qf.s->nports * 256 * 5, 1);

	(void)state;
	assert_int_equal(walked(), qos_fabric_expected(2));
	w = qos_walk_new(qf.s);
	while (qos_walk_next(w, &t)) {                  /* each once */
		uint8_t *at = &seen[((size_t)t.port * 256 + t.in) * 5 + t.block];

		assert_int_equal(*at, 0);
		*at = 1;
		assert_true(qf.s->ports[t.port].peer != FAB_NONE);
		assert_true(!t.block || !t.in);
	}
	qos_walk_free(w);
	free(seen);
	for (uint32_t p = 0; p < qf.s->nports; p++)
		qos_fabric_edit(p, 4, 33, 64);
	assert_int_equal(walked(), qos_fabric_expected(4));
	for (uint32_t p = 0; p < qf.s->nports; p++)
		qos_fabric_edit(p, 4, 0, 0);
	assert_int_equal(walked(), qos_fabric_expected(0));
	/* its link is left alone, at both ends */
	qf.s->ports[qf.leaf].flags |= FAB_PORT_FAILED;
	assert_int_equal(walked(),
		qos_fabric_expected(0) - 1 - 2 * qos_fabric_degree(qf.s->ports[qf.leaf].node));
	qf.s->ports[qf.leaf].flags &= (uint8_t)~FAB_PORT_FAILED;
	qf.s->nodes[qf.s->ports[qf.host].node].flags |= FAB_NODE_CUT;
	assert_int_equal(walked(), qos_fabric_expected(0) - 1);
}

/* No SL mapping at port 0: none in the whole switch.  Enhanced port 0: an output too. */
static void
depends_on_port_0(void **state)
{
	uint32_t node = qf.s->ports[qf.leaf].node;
	struct fab_port *zero = snapshot_port(qf.s, node, 0);
	struct port_info pi = port_info_decode(zero->info);
	struct switch_info si = switch_info_decode(qf.s->nodes[node].switch_info);
	unsigned d = qos_fabric_degree(node), all = qos_fabric_expected(2);

	(void)state;
	pi.capability_mask &= ~(1u << 6);
	port_info_encode(zero->info, &pi);
	assert_int_equal(walked(), all - d * (d + 1));
	pi.capability_mask |= 1u << 6;
	port_info_encode(zero->info, &pi);
	si.enhanced_port0 = 1;
	switch_info_encode(qf.s->nodes[node].switch_info, &si);
	assert_int_equal(walked(), all + d + 1 + 2);
}

/* The same tables in the same order, without those that are skipped. */
static void
skips_nodes(void **state)
{
	(void)state;
	for (uint32_t step = 1; step <= qf.s->nnodes; step = step * 2 + 1) {
		struct qos_walk *w = qos_walk_new(qf.s), *some = qos_walk_new(qf.s);
		struct qos_table t, u;
		unsigned skipped = 0;

		for (uint32_t node = 0; node < qf.s->nnodes; node += step)
			qos_walk_skip_slvl(some, node);
		while (qos_walk_next(w, &t)) {
			assert_true(qos_walk_would_have(qf.s, &t));
			assert_true(qos_walk_has(some, &t));
			if (!t.block && qf.s->ports[t.port].node % step == 0) {
				skipped++;
				continue;
			}
			assert_true(qos_walk_next(some, &u));
			assert_true(u.port == t.port && u.in == t.in && u.block == t.block);
		}
		assert_false(qos_walk_next(some, &u));
		assert_true(skipped > 0);
		qos_walk_free(w);
		qos_walk_free(some);
	}
}

/* Single tables: as the walk has them. */
static void
without_a_walk(void **state)
{
	struct qos_walk *w;

	(void)state;
	qf.s->nodes[qf.s->ports[qf.host].node].flags |= FAB_NODE_CUT;
	w = qos_walk_new(qf.s);
	for (uint32_t p = 0; p < qf.s->nports; p++)
		for (unsigned in = 0; in <= 8; in++)
			for (unsigned block = 0; block <= QOS_VLARB_BLOCKS; block++) {
				struct qos_table t = { p, (uint8_t)in, (uint8_t)block };

				assert_true(qos_walk_has(w, &t) == qos_walk_would_have(qf.s, &t));
			}
	qos_walk_free(w);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, qos_fabric_setup, qos_fabric_teardown)
	const struct CMUnitTest tests[] = {
		T(walks_what_there_is), T(depends_on_port_0), T(skips_nodes), T(without_a_walk),
	};

	return cmocka_run_group_tests_name("fabric/qos_walk", tests, NULL, NULL);
}
