/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_seal.c - the finished snapshot and its problems do not depend on the order of the
 * answers.
 */
#include <config.h>
#include "tests/unit/fabric/discover/sweeps.h"

static bool
same_arrays(const struct snapshot *a, const struct snapshot *b)
{
	if (a->nnodes != b->nnodes || a->nports != b->nports ||
		a->npkey_blocks != b->npkey_blocks ||
	    a->nproblems != b->nproblems || a->nendports != b->nendports ||
		a->sm_port != b->sm_port ||
	    a->nlinks != b->nlinks || a->nhosts != b->nhosts || a->nswitches != b->nswitches)
		return false;
	for (uint32_t i = 0; i < a->nnodes; i++) {
		struct fab_node x = a->nodes[i], y = b->nodes[i];

		if (!x.lft != !y.lft || x.lft_blocks != y.lft_blocks)
			return false;
		if (x.lft && memcmp(x.lft, y.lft, x.lft_blocks * 64u))
			return false;
		x.lft = y.lft = NULL;
		if (memcmp(&x, &y, sizeof(x)))
			return false;
	}
	return !memcmp(a->ports, b->ports, a->nports * sizeof(*a->ports)) &&
		!memcmp(a->pkey_blocks, b->pkey_blocks,
			a->npkey_blocks * sizeof(*a->pkey_blocks)) &&
		!memcmp(a->problems, b->problems, a->nproblems * sizeof(*a->problems)) &&
		!memcmp(a->switches, b->switches, a->nswitches * sizeof(*a->switches)) &&
		!memcmp(a->endports, b->endports, a->nendports * sizeof(*a->endports));
}

/* One host is unresponsive, one switch refuses its SwitchInfo, one port its PortInfo. */
static bool
hook_some_bad(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	(void)data;
	if (q->node == sweep_named(f, "host", 3))
		return false;
	if (q->node == 5 && (q->attr_id == SWITCH_INFO_ID || (q->attr_id == PORT_INFO_ID &&
		q->modifier == 2)))
		*status = STATUS_BAD_VALUE;
	return true;
}

static void
test_order_of_answers_does_not_matter(void **state)
{
	(void)state;
	for (unsigned shape = 0; shape < 3; shape++) {
		struct discover_conf c = fake_conf();
		struct snapshot *first, *s;
		struct fake f;

		if (shape == 0)
			fake_fattree(&f, 8, 3);
		else if (shape == 1)
			fake_torus(&f, 3, 4, 5, 2);
		else
			fake_chain(&f, 62);
		f.lft_top = 130;
		f.hook = shape == 1 ? hook_some_bad : NULL;
		first = fake_discover(&f, &c);
		assert_int_equal(first->nproblems, shape == 1 ? 3 : 0);
		for (uint64_t seed = 1; seed <= 12; seed++) {
			f.seed = seed * 7919;
			c.window = seed % 3 ? 16 * (uint32_t)seed : 0;
			s = fake_discover(&f, &c);
			assert_true(same_arrays(first, s));
			snapshot_free(s);
		}
		snapshot_free(first);
		fake_clear(&f);
	}
}

static void
test_one_port_guid_twice(void **state)
{
	struct snapshot *s;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	topo_port(&f.t, sweep_named(&f, "host", 7), 1)->guid = topo_port(&f.t, sweep_named(&f,
		"host", 2), 1)->guid;
	s = sweep_all(&f);
	assert_int_equal(s->nnodes, 36);
	assert_int_equal(s->nproblems, 1);
	assert_int_equal(s->problems[0].kind, FAB_DUPLICATE_GUID);
	assert_string_equal(s->problems[0].reason, "another port has this port GUID");
	snapshot_free(s);
	fake_clear(&f);
}

/* Failed requests of one kind to one node are one problem, of different kinds several; all are by
 * GUID, and the port and modifier are those of the first. */
static bool
hook_many_kinds(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	(void)data;
	if (q->attr_id != PORT_INFO_ID || !q->modifier ||
	    (q->node != sweep_named(f, "core", 1) && q->node != sweep_named(f, "leaf", 0)))
		return true;
	if (q->modifier == 2)
		return false;
	if (q->node == sweep_named(f, "core", 1))
		*status = q->modifier == 3 ? STATUS_BAD_VALUE : STATUS_BAD_METHOD_ATTR;
	return true;
}

static void
test_problems_of_one_kind(void **state)
{
	static const struct { uint8_t kind, port; unsigned count; } rows[] = {
		{ FAB_UNANSWERED, 2, 1 }, { FAB_BAD_STATUS, 1, 2 }, { FAB_BAD_STATUS, 3, 1 },
	};
	uint64_t guid;
	struct fake f;

	(void)state;
	fake_fattree(&f, 4, 3);
	f.hook = hook_many_kinds;
	guid = f.t.nodes[sweep_named(&f, "core", 1)].guid;
	for (f.seed = 0; f.seed < 5; f.seed++) {
		uint64_t seed = f.seed;
		struct snapshot *s = sweep_all(&f);

		f.seed = seed;
		assert_int_equal(s->nproblems, 4);
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(s->problems[i].guid, guid);
			assert_int_equal(s->problems[i].kind, rows[i].kind);
			assert_int_equal(s->problems[i].port, rows[i].port);
			assert_int_equal(s->problems[i].modifier, rows[i].port);
			assert_int_equal(s->problems[i].count, rows[i].count);
		}
		assert_true(s->problems[3].guid > guid);
		snapshot_free(s);
	}
	fake_clear(&f);
}

/* NodeInfo and the PortInfos of a switch say which port was asked by: that of the node's path. */
static void
test_entry_ports(void **state)
{
	struct fake f;

	(void)state;
	fake_torus(&f, 3, 3, 3, 1);
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct snapshot *s;

		f.seed = seed;
		s = sweep_all(&f);
		for (uint32_t i = 0; i < s->nnodes; i++) {
			const struct fab_node *n = &s->nodes[i];
			struct node_info info = node_info_decode(n->node_info);

			assert_int_equal(info.local_port, n->entry_port);
			assert_int_equal(info.port_guid,
				s->ports[n->first_port + n->entry_port].guid);
			for (unsigned p = 0; fab_is_switch(n) && p <= n->nports; p++)
				assert_int_equal(port_info_decode(snapshot_port(s, i,
					(uint8_t)p)->info)
					.local_port, n->entry_port);
		}
		snapshot_free(s);
	}
	fake_clear(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_answers_does_not_matter),
		cmocka_unit_test(test_one_port_guid_twice),
		cmocka_unit_test(test_problems_of_one_kind),
		cmocka_unit_test(test_entry_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
