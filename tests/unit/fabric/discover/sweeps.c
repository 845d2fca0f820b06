/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweeps.c - what the tests of discovery share.
 */
#include <config.h>
#include "tests/unit/fabric/discover/sweeps.h"

struct snapshot *
sweep_all(struct fake *f)
{
	struct discover_conf c = fake_conf();

	return fake_discover(f, &c);
}

uint32_t
sweep_node(const struct fake *f, const struct snapshot *s, uint32_t topo_node)
{
	return snapshot_node_by_guid(s, f->t.nodes[topo_node].guid);
}

uint32_t
sweep_named(const struct fake *f, const char *word, unsigned skip)
{
	for (uint32_t i = 0; i < f->t.nnodes; i++)
		if (!strncmp(f->t.nodes[i].desc, word, strlen(word)) && !skip--)
			return i;
	fail_msg("no %s", word);
	return 0;
}

void
sweep_check(const struct fake *f, const struct snapshot *s)
{
	assert_non_null(s);
	assert_int_equal(s->nnodes, f->t.nnodes);
	assert_int_equal(s->nproblems, 0);
	for (uint32_t i = 0; i < f->t.nnodes; i++) {
		const struct topo_node *tn = &f->t.nodes[i];
		uint32_t at = sweep_node(f, s, i), root = sweep_node(f, s, f->sm_node), walk = root;
		const struct fab_node *n;

		assert_int_not_equal(at, FAB_NONE);
		n = &s->nodes[at];
		assert_int_equal(n->type, tn->type);
		assert_int_equal(n->nports, tn->nports);
		assert_string_equal((const char *)n->desc, tn->desc);
		for (unsigned p = 1; p <= tn->nports; p++) {
			const struct topo_port *tp = &f->t.ports[tn->first_port + p];
			const struct fab_port *port = snapshot_port(s, at, (uint8_t)p);

			assert_int_equal(port->node, at);
			assert_int_equal(port->num, p);
			if (tp->peer_node == TOPO_NONE) {
				assert_int_equal(port->peer, FAB_NONE);
				continue;
			}
			assert_int_equal(s->ports[port->peer].num, tp->peer_port);
			assert_int_equal(s->ports[port->peer].node, sweep_node(f, s,
				tp->peer_node));
		}
		for (unsigned h = 1; h <= n->hop_count; h++)
			walk = s->ports[snapshot_port(s, walk, n->path[h])->peer].node;
		assert_int_equal(walk, at);
	}
}

void
sweep_check_exact(struct fake *f)
{
	struct snapshot *s = sweep_all(f);

	sweep_check(f, s);
	assert_int_equal(f->total, fake_minimum(f));
	assert_true(f->open_max <= 64);
	snapshot_free(s);
	fake_clear(f);
}

bool
sweep_hook_fault(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	const struct sweep_fault *x = f->arg;

	if (q->node != x->node || (x->attr_id && x->attr_id != q->attr_id) ||
	    (x->modifier != FAKE_ANY && x->modifier != q->modifier))
		return true;
	if (x->silent)
		return false;
	*status = x->status;
	if (x->value >= 0)
		data[x->byte] = (uint8_t)x->value;
	return true;
}

struct snapshot *
sweep_faulty(struct fake *f, const struct sweep_fault *x)
{
	f->hook = sweep_hook_fault;
	f->arg = (void *)(uintptr_t)x;
	return sweep_all(f);
}

unsigned
sweep_hosts_linked(const struct snapshot *s)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < s->nnodes; i++)
		if (!fab_is_switch(&s->nodes[i]))
			n += snapshot_port(s, i, 1)->peer != FAB_NONE;
	return n;
}

bool
sweep_hook_lies(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	uint64_t *x = f->arg, r;

	*x = *x * UINT64_C(6364136223846793005) + 1442695040888963407u;
	r = *x >> 33;
	if (r % 8)
		return true;
	r /= 8;
	switch (r % 6) {
	case 0:
		return false;
	case 1:
		*status = STATUS_BAD_VALUE;
		break;
	case 2:
		if (q->attr_id == NODE_INFO_ID) {
			wire_put64(data + 12, f->t.nodes[r / 6 % f->t.nnodes].guid);
			data[36] = (uint8_t)(1 + r % 37);
		}
		break;
	case 3:
		if (q->attr_id == NODE_INFO_ID)
			data[2 + r % 2] ^= (uint8_t)(1 + r / 6 % 3);
		break;
	case 4:
		if (q->attr_id == PORT_INFO_ID)
			data[32] = (uint8_t)(r / 6);
		break;
	case 5:
		data[r / 6 % 64] = (uint8_t)(r / 384);
		break;
	}
	return true;
}
