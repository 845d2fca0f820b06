/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_fabric.c - a fabric with tables of lanes, for tests.
 */
#include <config.h>
#include "fabric/snapshot/qos_walk.h"
#include "tests/unit/fabric/snapshot/qos_fabric.h"
#include "tests/unit/route/made.h"

struct qos_fabric qf;

void
qos_fabric_edit(uint32_t port, unsigned state, unsigned low, unsigned high)
{
	struct port_info pi = port_info_decode(qf.s->ports[port].info);

	pi.state = (uint8_t)state;
	pi.vlarb_low_cap = (uint8_t)low;
	pi.vlarb_high_cap = (uint8_t)high;
	pi.capability_mask |= 1u << 6;
	port_info_encode(qf.s->ports[port].info, &pi);
}

int
qos_fabric_setup(void **state)
{
	(void)state;
	qf.s = made_snapshot("torus:2x4,hosts=1", NULL);
	for (qf.host = 0; fab_is_switch(&qf.s->nodes[qf.s->ports[qf.host].node]) ||
		qf.s->ports[qf.host].peer == FAB_NONE; qf.host++)
		;
	qf.leaf = qf.s->ports[qf.host].peer;
	for (qf.core = qf.s->nodes[qf.s->ports[qf.leaf].node].first_port + 1; qf.core == qf.leaf ||
		qf.s->ports[qf.core].peer == FAB_NONE; qf.core++)
		;
	qf.s->sm_port = qf.host;
	for (uint32_t p = 0; p < qf.s->nports; p++)
		qos_fabric_edit(p, qf.s->ports[p].num && qf.s->ports[p].peer == FAB_NONE ? 1 : 4,
			8, 8);
	for (uint32_t i = 0; i < qf.s->nswitches; i++) {
		struct fab_node *n = &qf.s->nodes[qf.s->switches[i]];
		struct switch_info si = switch_info_decode(n->switch_info);

		si.lft_top = 77;
		si.optimized_slvl = i & 1;
		si.enhanced_port0 = 0;
		switch_info_encode(n->switch_info, &si);
		n->flags |= FAB_NODE_SWITCH_INFO;
	}
	snapshot_seal(qf.s);
	qf.q = qos_tables_next(NULL, NULL, qf.s);
	return 0;
}

int
qos_fabric_teardown(void **state)
{
	(void)state;
	qos_tables_free(qf.q);
	made_free(qf.s);
	return 0;
}

unsigned
qos_fabric_degree(uint32_t node)
{
	unsigned n = 0;

	for (unsigned p = 1; p <= qf.s->nodes[node].nports; p++)
		n += snapshot_port(qf.s, node, (uint8_t)p)->peer != FAB_NONE;
	return n;
}

unsigned
qos_fabric_expected(unsigned blocks)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < qf.s->nnodes; i++) {
		unsigned d = qos_fabric_degree(i);

		n += fab_is_switch(&qf.s->nodes[i]) ? d * (d + 1) + d * blocks : d * (1 + blocks);
	}
	return n;
}

void
qos_fabric_put(uint32_t port, unsigned in, unsigned block, uint8_t byte)
{
	struct qos_table t = { port, (uint8_t)in, (uint8_t)block };
	uint8_t image[64];

	memset(image, byte, sizeof(image));
	qos_tables_put(qf.q, qf.s, &t, image);
}

void
qos_fabric_forget(uint32_t port, unsigned in, unsigned block)
{
	struct qos_table t = { port, (uint8_t)in, (uint8_t)block };

	qos_tables_put(qf.q, qf.s, &t, NULL);
}

int
qos_fabric_got(uint32_t port, unsigned in, unsigned block)
{
	struct qos_table t = { port, (uint8_t)in, (uint8_t)block };
	uint8_t image[64];

	return qos_tables_get(qf.q, qf.s, &t, image) ? image[7] : -1;
}

void
qos_fabric_next(const struct snapshot *old)
{
	struct qos_tables *n = qos_tables_next(qf.q, old, qf.s);

	qos_tables_free(qf.q);
	qf.q = n;
}

unsigned
qos_fabric_known(void)
{
	struct qos_walk *w = qos_walk_new(qf.s);
	struct qos_table t;
	unsigned n = 0;

	while (qos_walk_next(w, &t))
		n += qos_fabric_got(t.port, t.in, t.block) >= 0;
	qos_walk_free(w);
	return n;
}
