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

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, qos_fabric_setup, qos_fabric_teardown)
	const struct CMUnitTest tests[] = {
		T(walks_what_there_is), T(depends_on_port_0),
	};

	return cmocka_run_group_tests_name("fabric/qos_walk", tests, NULL, NULL);
}
