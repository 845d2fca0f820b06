/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_copy.c - what a discovery with a seed takes from it while it goes on: the seed is
 * referred to until the end, and only what is looked at is copied.
 */
#include <config.h>
#include "tests/unit/fabric/discover/sweeps.h"

static struct fake f;
static struct snapshot *seed;

static bool
hook_active(struct fake *x, const struct fake_ask *q, uint8_t *data, uint16_t *status)
{
	(void)x;
	(void)status;
	if (q->attr_id == PORT_INFO_ID && (data[32] & 15) == PORT_STATE_INIT)
		data[32] = (uint8_t)((data[32] & 0xf0) | PORT_STATE_ACTIVE);
	return true;
}

static int
setup(void **state)
{
	(void)state;
	fake_fattree(&f, 4, 3);
	f.hook = hook_active;
	seed = sweep_all(&f);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	snapshot_free(seed);
	fake_clear(&f);
	return 0;
}

static struct snapshot *
sweep_suspect(uint64_t guid)
{
	struct discover_conf c = fake_conf();

	c.seed = seed;
	c.suspects = &guid;
	c.nsuspects = guid != 0;
	return fake_discover(&f, &c);
}

/* The numbers of nodes are those of a discovery that has copied all of them: the own node is the
 * first, and the others follow by GUID. */
static void
targets_are_numbers(void **state)
{
	struct discover_conf c = fake_conf();
	uint32_t leaf = sweep_named(&f, "leaf", 3);
	uint64_t suspect = f.t.nodes[leaf].guid;
	uint32_t node = sweep_node(&f, seed, leaf), own = seed->ports[seed->sm_port].node;
	struct discover *d;
	struct txn_req r;

	(void)state;
	c.seed = seed;
	c.suspects = &suspect;
	c.nsuspects = 1;
	c.target_base = 1000;
	d = discover_new(&c, NULL);
	assert_true(discover_next(d, &r));
	/* The port before the suspect is read first. */
	assert_int_equal(r.attr_id, PORT_INFO_ID);
	assert_int_not_equal(r.target, 1000 + (node < own ? node + 1 : node));
	assert_true(r.target > 1000 && r.target < 1000 + seed->nnodes);
	assert_int_equal(r.hop_count + 1, seed->nodes[node].hop_count);
	assert_memory_equal(r.path, seed->nodes[node].path, r.hop_count + 1u);
	assert_int_equal(r.modifier, seed->nodes[node].path[r.hop_count + 1]);
	assert_false(discover_next(d, &r));
	discover_free(d);
}

/* Nothing of the seed is used after the snapshot was taken. */
static void
the_seed_may_go(void **state)
{
	struct snapshot *s = sweep_suspect(f.t.nodes[sweep_named(&f, "leaf", 1)].guid);

	(void)state;
	assert_non_null(s);
	memset(seed->nodes, 0xff, seed->nnodes * sizeof(*seed->nodes));
	memset(seed->ports, 0xff, seed->nports * sizeof(*seed->ports));
	memset(seed->pkey_blocks, 0xff, seed->npkey_blocks * sizeof(*seed->pkey_blocks));
	sweep_check(&f, s);
	snapshot_free(s);
}

/* What was not read is as the seed has it, whatever the node would say now. */
static void
the_rest_is_not_read(void **state)
{
	uint32_t host = sweep_node(&f, seed, sweep_named(&f, "host", 7)), leaf;
	struct snapshot *s;

	(void)state;
	leaf = seed->ports[snapshot_port(seed, host, 1)->peer].node;
	memcpy(seed->nodes[host].desc, "as before", 10);
	snapshot_port(seed, host, 1)->flags |= FAB_PORT_UNTOLD;
	s = sweep_suspect(seed->nodes[leaf].guid);
	assert_non_null(s);
	assert_string_equal((const char *)s->nodes[host].desc, "as before");
	assert_true(snapshot_port(s, host, 1)->flags & FAB_PORT_UNTOLD);
	assert_true(s->nodes[host].flags & FAB_NODE_KEPT);
	assert_false(s->nodes[leaf].flags & FAB_NODE_KEPT);
	snapshot_free(s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(targets_are_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(the_seed_may_go, setup, teardown),
		cmocka_unit_test_setup_teardown(the_rest_is_not_read, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
