/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_queue.c - queues, remarks and targets of discovery, and which requests a node
 * needs.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/discover/discover_impl.h"
#include "util/xalloc.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct discover d;
static enum discover_extended known;

static enum discover_extended
known_extended(void *arg, uint64_t guid)
{
	assert_ptr_equal(arg, &d);
	assert_true(guid >= 0x100);
	return known;
}

static int
setup(void **state)
{
	(void)state;
	memset(&d, 0, sizeof(d));
	d.conf.want_desc = d.conf.want_pkeys = d.conf.want_ports = true;
	known = DISCOVER_EXTENDED_UNKNOWN;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	for (unsigned i = 0; i < LEVELS; i++)
		free(d.levels[i].to_look.ring);
	free(d.to_ask.ring);
	free(d.remarks);
	free(d.free_targets);
	free(d.looks);
	free(d.nodes);
	arena_clear(&d.arena);
	return 0;
}

/* A node with a route of 'hops'; returns its index. */
static uint32_t
add_node(uint8_t type, uint8_t nports, uint8_t hops, uint16_t partitions)
{
	struct node_info info = { .node_type = type, .num_ports = nports,
		.partition_cap = partitions };
	struct found *n = arena_alloc(&d.arena, sizeof(*n));
	struct route *r = arena_alloc(&d.arena, sizeof(*r) + hops + 1u);

	r->hops = hops;
	n->index = d.nnodes;
	n->guid = 0x100 + d.nnodes;
	n->type = type;
	n->nports = nports;
	n->route = r;
	n->ports = arena_array(&d.arena, nports + 1u, sizeof(*n->ports));
	n->ends = arena_array(&d.arena, nports + 1u, sizeof(*n->ends));
	for (unsigned p = 0; p <= nports; p++)
		n->ports[p].peer = PLACE_NONE;
	node_info_encode(n->node_info, &info);
	d.nodes = xreallocarray(d.nodes, d.nnodes + 1, sizeof(struct found *));
	d.nodes[d.nnodes] = n;
	return d.nnodes++;
}

/* The next job that waits; it must be 'ask' about 'next' to 'end' of 'node'. */
static void
expect_job(struct jobs *q, enum ask ask, uint32_t node, unsigned next, unsigned end)
{
	struct job j;

	assert_int_not_equal(q->len, 0);
	j = *jobs_head(q);
	jobs_pop(q);
	assert_int_equal(j.ask, ask);
	assert_int_equal(j.node, node);
	assert_int_equal(j.next, next);
	assert_int_equal(j.end, end);
}

/* First in, first out, while the ring grows with its head anywhere. */
static void
jobs_in_order(void **state)
{
	uint32_t in = 0, out = 0;

	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		for (unsigned i = 0; i < 61; i++, in++)
			discover_push(&d, (struct job){ in, (uint16_t)round, (uint16_t)i,
				ASK_DESC });
		for (unsigned i = 0; i < 23; i++, out++)
			expect_job(&d.to_ask, ASK_DESC, out, out / 61, out % 61);
		assert_int_equal(d.to_ask.len, in - out);
	}
	for (; out < in; out++)
		expect_job(&d.to_ask, ASK_DESC, out, out / 61, out % 61);
	assert_int_equal(d.to_ask.len, 0);
	assert_int_equal(d.nlooks_to_go, 0);
}

/* A look waits at the level of the node that it goes out from, and one from nowhere at level 0. */
static void
looks_by_level(void **state)
{
	uint32_t near = add_node(NODE_TYPE_SWITCH, 4, 1, 0), far = add_node(NODE_TYPE_SWITCH, 4,
		63, 0);
	struct look from_far = { .at = { far, 2 } }, root = { .at = PLACE_NONE };

	(void)state;
	d.looks = xcalloc(2, sizeof(struct look *));
	d.looks[0] = &root;
	d.looks[1] = &from_far;
	discover_push(&d, (struct job){ near, 3, 0, ASK_LOOK });
	discover_push(&d, (struct job){ 1, 0, 0, ASK_AGAIN });
	discover_push(&d, (struct job){ 0, 0, 0, ASK_AGAIN });
	discover_push(&d, (struct job){ near, 1, 0, ASK_LOOK });
	assert_int_equal(d.nlooks_to_go, 4);
	assert_int_equal(d.to_ask.len, 0);
	expect_job(&d.levels[0].to_look, ASK_AGAIN, 0, 0, 0);
	expect_job(&d.levels[1].to_look, ASK_LOOK, near, 3, 0);
	expect_job(&d.levels[1].to_look, ASK_LOOK, near, 1, 0);
	expect_job(&d.levels[63].to_look, ASK_AGAIN, 1, 0, 0);
}

/* A number that is in use is never given to another; those given back are used before new ones. */
static void
targets(void **state)
{
	uint8_t used[200] = { 0 };

	(void)state;
	d.next_target = 1000;
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(discover_target(&d), 1000 + i);
	for (uint32_t t = 1000; t < 1100; t += 2)
		discover_target_put(&d, t);
	for (unsigned i = 0; i < 51; i++) {
		uint32_t t = discover_target(&d);

		assert_in_range(t, 1000, 1100);
		assert_true(i == 50 ? t == 1100 : t % 2 == 0);
		assert_false(used[t - 1000]);
		used[t - 1000] = 1;
	}
}

static void
remarks_begin_empty(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct remark *r = discover_remark(&d, FAB_TOO_FAR, WHY_FAR);

		assert_true(place_none(r->at) && place_none(r->other));
		assert_int_equal(r->guid, 0);
		assert_int_equal(r->port, 0);
		assert_false(r->behind);
		r->guid = i + 1;
	}
	assert_int_equal(d.nremarks, 100);
	for (unsigned i = 0; i < 100; i++) {
		assert_int_equal(d.remarks[i].guid, i + 1);
		assert_int_equal(d.remarks[i].kind, FAB_TOO_FAR);
		assert_int_equal(d.remarks[i].why, WHY_FAR);
	}
}

/* How each end of a request is recorded. */
static void
remarks_of_ends(void **state)
{
	static const struct {
		enum txn_end_kind kind;
		uint16_t status, attr_id;
		uint8_t mismatched;
		uint32_t modifier;
		enum fab_problem_kind problem;
		enum reason why;
		uint16_t in_status;
		uint32_t value, in_modifier;
	} rows[] = {
		{ TXN_END_OK, 0, NODE_INFO_ID, 0, 0, FAB_BAD_REPLY, WHY_NO_ANSWER, 0, 0, 0 },
		{ TXN_END_STATUS, 0x1c, PORT_INFO_ID, 0, 7, FAB_BAD_STATUS, WHY_STATUS, 0x1c, 0,
			7 },
		{ TXN_END_TIMED_OUT, 0x1c, LFT_BLOCK_ID, 0, 9, FAB_UNANSWERED, WHY_NO_ANSWER, 0, 0,
			9 },
		{ TXN_END_TIMED_OUT, 0, LFT_BLOCK_ID, 5, 9, FAB_BAD_REPLY, WHY_MISMATCH, 0, 5, 9 },
		{ TXN_END_SKIPPED, 0, NODE_DESC_ID, 5, 0, FAB_UNANSWERED, WHY_NO_ANSWER, 0, 0, 0 },
		{ TXN_END_SEND_FAILED, 0, NODE_DESC_ID, 0, 0, FAB_UNANSWERED, WHY_NOT_SENT, 0, 0,
			0 },
		{ TXN_END_CANCELLED, 0, NODE_DESC_ID, 0, 0, FAB_UNANSWERED, WHY_CANCELLED, 0, 0,
			0 },
		{ TXN_END_TIMED_OUT, 0, PORT_INFO_ID, 0, PORT_INFO_EXTENDED_SPEEDS | 3,
			FAB_UNANSWERED,
			WHY_NO_ANSWER, 0, 0, 3 },
		{ TXN_END_TIMED_OUT, 0, LFT_BLOCK_ID, 0, PORT_INFO_EXTENDED_SPEEDS | 3,
			FAB_UNANSWERED,
			WHY_NO_ANSWER, 0, 0, PORT_INFO_EXTENDED_SPEEDS | 3 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct txn_end e = { .kind = rows[i].kind, .status = rows[i].status,
			.attr_id = rows[i].attr_id, .mismatched = rows[i].mismatched,
			.modifier = rows[i].modifier };
		struct remark *r = discover_remark_end(&d, &e);

		assert_int_equal(r->kind, rows[i].problem);
		assert_int_equal(r->why, rows[i].why);
		assert_int_equal(r->attr_id, rows[i].attr_id);
		assert_int_equal(r->status, rows[i].in_status);
		assert_int_equal(r->value, rows[i].value);
		assert_int_equal(r->modifier, rows[i].in_modifier);
		assert_true(place_none(r->at));
	}
}

/* A switch without earlier data: its ports wait for the answer of port 0. */
static void
requests_of_a_switch(void **state)
{
	uint32_t n = add_node(NODE_TYPE_SWITCH, 36, 1, 8), poor = add_node(NODE_TYPE_SWITCH, 2, 1,
		0);

	(void)state;
	discover_ask_node(&d, n);
	assert_true(d.nodes[n]->ports_wait);
	expect_job(&d.to_ask, ASK_PORT, n, 0, 0);
	expect_job(&d.to_ask, ASK_SWITCH, n, 0, 0);
	expect_job(&d.to_ask, ASK_PKEYS, n, 0, 0);
	expect_job(&d.to_ask, ASK_DESC, n, 0, 0);

	d.conf.known_extended = known_extended;
	d.conf.arg = &d;
	known = DISCOVER_EXTENDED_YES;
	discover_ask_node(&d, n);
	assert_false(d.nodes[n]->ports_wait);
	expect_job(&d.to_ask, ASK_PORT, n, 0, 36);
	expect_job(&d.to_ask, ASK_SWITCH, n, 0, 0);
	expect_job(&d.to_ask, ASK_PKEYS, n, 0, 0);
	expect_job(&d.to_ask, ASK_DESC, n, 0, 0);

	d.conf.want_ports = d.conf.want_desc = false;
	known = DISCOVER_EXTENDED_UNKNOWN;
	discover_ask_node(&d, poor);            /* it has no P_Key table */
	expect_job(&d.to_ask, ASK_PORT, poor, 1, 2);
	expect_job(&d.to_ask, ASK_SWITCH, poor, 0, 0);
	assert_int_equal(d.to_ask.len, 0);
}

static void
refusal_is_recalled(void **state)
{
	uint32_t n = add_node(NODE_TYPE_SWITCH, 4, 1, 0);

	(void)state;
	discover_recall_extended(&d, d.nodes[n]);       /* the caller knows nothing */
	assert_int_equal(d.nodes[n]->extended, DISCOVER_EXTENDED_UNKNOWN);
	d.conf.known_extended = known_extended;
	d.conf.arg = &d;
	known = DISCOVER_EXTENDED_NO;
	discover_recall_extended(&d, d.nodes[n]);
	assert_int_equal(d.nodes[n]->extended, DISCOVER_EXTENDED_NO);
	assert_int_equal(d.nodes[n]->flags, 0);
	known = DISCOVER_EXTENDED_REFUSED;
	discover_recall_extended(&d, d.nodes[n]);
	assert_int_equal(d.nodes[n]->flags, FAB_NODE_NOT_EXTENDED);
}

static void
requests_of_a_host(void **state)
{
	uint32_t own = add_node(NODE_TYPE_CA, 2, 0, 8), n = add_node(NODE_TYPE_CA, 2, 1, 8);

	(void)state;
	discover_ask_node(&d, n);
	expect_job(&d.to_ask, ASK_DESC, n, 0, 0);
	discover_ask_end(&d, n, 2);
	expect_job(&d.to_ask, ASK_PORT, n, 2, 2);
	expect_job(&d.to_ask, ASK_PKEYS, n, 2, 2);
	d.conf.want_ports = d.conf.want_pkeys = false;
	discover_ask_end(&d, n, 2);
	assert_int_equal(d.to_ask.len, 0);
	discover_ask_end(&d, own, 1);           /* shows whether there is a link at all */
	expect_job(&d.to_ask, ASK_PORT, own, 1, 1);
	assert_int_equal(d.to_ask.len, 0);
}

/* After a change of the route: what failed is asked again, what was answered is not. */
static void
asked_again(void **state)
{
	uint32_t sw = add_node(NODE_TYPE_SWITCH, 3, 1, 8), ca = add_node(NODE_TYPE_CA, 2, 2, 8);
	struct found *s = d.nodes[sw], *c = d.nodes[ca];

	(void)state;
	s->flags = c->flags = FAB_NODE_FAILED;
	s->ports[0].flags = FAB_PORT_INFO | FAB_PORT_PKEYS | FAB_PORT_FAILED;
	s->ports[1].flags = FAB_PORT_FAILED;
	s->ports[2].looks = 1;                  /* nothing answered behind it */
	s->ports[3].looks = 1;
	s->ports[3].peer = (struct place){ ca, 1 };
	discover_ask_again(&d, sw);
	expect_job(&d.to_ask, ASK_PORT, sw, 1, 1);
	expect_job(&d.to_ask, ASK_SWITCH, sw, 0, 0);
	expect_job(&d.to_ask, ASK_DESC, sw, 0, 0);
	assert_int_equal(d.to_ask.len, 0);
	expect_job(&d.levels[1].to_look, ASK_LOOK, sw, 2, 1);
	assert_int_equal(d.levels[1].to_look.len, 0);
	assert_int_equal(s->flags & FAB_NODE_FAILED, 0);
	for (unsigned p = 0; p <= 3; p++)
		assert_int_equal(s->ports[p].flags & FAB_PORT_FAILED, 0);

	c->flags |= FAB_NODE_DESC;
	c->ports[2].flags = FAB_PORT_FAILED;
	discover_ask_again(&d, ca);
	expect_job(&d.to_ask, ASK_PORT, ca, 2, 2);
	expect_job(&d.to_ask, ASK_PKEYS, ca, 2, 2);
	assert_int_equal(d.to_ask.len, 0);
	assert_int_equal(c->flags, FAB_NODE_DESC);
	discover_ask_again(&d, ca);             /* nothing has failed since */
	assert_int_equal(d.to_ask.len, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(jobs_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(looks_by_level, setup, teardown),
		cmocka_unit_test_setup_teardown(targets, setup, teardown),
		cmocka_unit_test_setup_teardown(remarks_begin_empty, setup, teardown),
		cmocka_unit_test_setup_teardown(remarks_of_ends, setup, teardown),
		cmocka_unit_test_setup_teardown(requests_of_a_switch, setup, teardown),
		cmocka_unit_test_setup_teardown(refusal_is_recalled, setup, teardown),
		cmocka_unit_test_setup_teardown(requests_of_a_host, setup, teardown),
		cmocka_unit_test_setup_teardown(asked_again, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
