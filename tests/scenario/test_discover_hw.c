/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_discover_hw.c - discovery, transactions and the simulated hardware in one process, under a virtual clock.
 * Whatever one node does, the sweep ends in time, everything else is there, and the node is named.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "fabric/discover/discover.h"
#include "sim/gen/gen.h"
#include "sim/hw/hw.h"

struct bed {
	struct topo t;
	struct hw *hw;
	uint32_t own;                   /* the first host; looks from its port 1 */
	struct monotime now;
	int64_t took_us;
	struct txn_stats st;
};

static void
bed_make(struct bed *b, const char *spec, int64_t latency_us)
{
	struct hw_conf c = { .seed = 7, .latency_us = latency_us };
	struct topo_error e;

	memset(b, 0, sizeof(*b));
	assert_int_equal(gen_topology(spec, &b->t, &e), 0);
	b->hw = hw_new(&b->t, &c);
	while (b->t.nodes[b->own].type == TOPO_SWITCH)
		b->own++;
}

static void
bed_clear(struct bed *b)
{
	hw_free(b->hw);
	topo_clear(&b->t);
}

static void
deliver(struct bed *b, struct txn *t)
{
	struct hw_delivery in;

	while (hw_next_delivery(b->hw, &in)) {
		struct dgram d = { .bytes = DGRAM_BYTES, .addr = { .lid = LID_PERMISSIVE } };

		if (in.node != b->own)
			continue;
		memcpy(d.mad, in.packet.mad, DGRAM_BYTES);
		txn_receive(t, &d, b->now);
	}
}

static void
send_all(struct bed *b, struct txn *t, struct discover *d)
{
	struct txn_end end;
	struct txn_req r;
	struct dgram out;
	int ms;

	do {
		while (txn_next_end(t, &end))
			discover_end(d, &end);
		while (discover_next(d, &r))
			txn_submit(t, &r, b->now);
		while (txn_next_send(t, &out, &ms, b->now)) {
			struct hw_packet p = { .slid = LID_PERMISSIVE, .dlid = LID_PERMISSIVE };

			memcpy(p.mad, out.mad, DGRAM_BYTES);
			assert_int_equal(hw_send(b->hw, b->own, 1, &p, b->now), 0);
			deliver(b, t);
		}
	} while (txn_ends_waiting(t));
}

/* To the next thing that happens. */
static void
pass_time(struct bed *b, struct txn *t, struct discover *d)
{
	struct monotime at, next = MONOTIME_NEVER;
	uint64_t expired = txn_stats(t)->tries_expired;

	if (txn_deadline(t, &at))
		next = monotime_min(next, at);
	if (hw_deadline(b->hw, &at))
		next = monotime_min(next, at);
	assert_true(next.us < MONOTIME_NEVER.us);
	if (next.us > b->now.us)
		b->now = next;
	hw_tick(b->hw, b->now);
	deliver(b, t);
	txn_tick(t, b->now);
	if (txn_stats(t)->tries_expired != expired)
		discover_hurry(d);
}

static struct snapshot *
sweep(struct bed *b)
{
	struct discover_conf c = {
		.want_desc = true, .want_pkeys = true, .want_ports = true, .want_lft = true, .window = 256,
	};
	struct txn_conf conf = txn_conf_default();
	struct monotime begin = b->now;
	struct txn *t = txn_new(&conf);
	struct discover *d = discover_new(&c, NULL);
	struct snapshot *s = NULL;

	for (send_all(b, t, d); !discover_done(d); send_all(b, t, d))
		pass_time(b, t, d);
	b->took_us = monotime_sub_us(b->now, begin);
	b->st = *txn_stats(t);
	assert_int_equal(txn_pending(t), 0);
	assert_int_equal(discover_take(d, &s), 0);
	discover_free(d);
	txn_free(t);
	return s;
}

/* All nodes and cables but those of 'but' (FAB_NONE: all) are there, with all that was asked. */
static void
check_others(const struct bed *b, const struct snapshot *s, uint32_t but)
{
	for (uint32_t i = 0; i < b->t.nnodes; i++) {
		const struct topo_node *tn = &b->t.nodes[i];
		uint32_t at = snapshot_node_by_guid(s, tn->guid);
		uint8_t want = FAB_NODE_DESC | (tn->type == TOPO_SWITCH ? FAB_NODE_SWITCH_INFO : 0);

		if (i == but)
			continue;
		assert_int_not_equal(at, FAB_NONE);
		assert_int_equal(s->nodes[at].flags, want);
		for (unsigned p = 1; p <= tn->nports; p++) {
			const struct topo_port *tp = topo_port(&b->t, i, (uint8_t)p);
			const struct fab_port *port = snapshot_port(s, at, (uint8_t)p);

			if (tp->peer_node == but)
				continue;
			if (tp->peer_node == TOPO_NONE) {
				assert_int_equal(port->peer, FAB_NONE);
				continue;
			}
			assert_int_not_equal(port->peer, FAB_NONE);
			assert_int_equal(s->nodes[s->ports[port->peer].node].guid, b->t.nodes[tp->peer_node].guid);
			assert_int_equal(s->ports[port->peer].num, tp->peer_port);
		}
	}
}

static void
test_minimum(void **state)
{
	static const struct { const char *spec; uint64_t smps; } rows[] = {
		{ "fattree:k=8,levels=3", 1729 }, { "fattree:k=16,levels=3", 12545 }, { "fattree:k=36,levels=2", 5401 },
		{ "torus:6x6x6,hosts=4", 12745 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int64_t latency = 0; latency <= 50; latency += 50) {
			struct snapshot *s;
			struct bed b;

			bed_make(&b, rows[i].spec, latency);
			s = sweep(&b);
			check_others(&b, s, FAB_NONE);
			assert_int_equal(s->nproblems, 0);
			assert_int_equal(b.st.all.sent, rows[i].smps);
			assert_int_equal(b.st.all.received, rows[i].smps);
			/* The pipe is kept full: 64 on the wire, each for two latencies. */
			assert_true(b.took_us * 64 <= (int64_t)rows[i].smps * 2 * latency * 3);
			snapshot_free(s);
			bed_clear(&b);
		}
}

static uint32_t
named(const struct bed *b, const char *desc)
{
	for (uint32_t i = 0; i < b->t.nnodes; i++)
		if (!strcmp(b->t.nodes[i].desc, desc))
			return i;
	fail_msg("no %s", desc);
	return 0;
}

/* Whether some trouble leads to node 'i': by its GUID, or by the last port before it. */
static bool
is_named(const struct bed *b, const struct snapshot *s, uint32_t i)
{
	for (uint32_t k = 0; k < s->nproblems; k++) {
		const struct fab_problem *t = &s->problems[k];
		uint32_t before = snapshot_node_by_guid(s, t->guid);

		if (t->guid == b->t.nodes[i].guid)
			return true;
		for (uint32_t n = 0; before != FAB_NONE && n < b->t.nnodes; n++)
			if (b->t.nodes[n].guid == t->guid && t->port && t->port <= b->t.nodes[n].nports &&
			    topo_port(&b->t, n, t->port)->peer_node == i)
				return true;
	}
	return false;
}

static const uint16_t attrs[] = {
	0, NODE_INFO_ID, NODE_DESC_ID, SWITCH_INFO_ID, PORT_INFO_ID, PKEY_TABLE_ID,
};

/* Faults that discovery cannot fail to notice. */
static bool
is_told(enum hw_misbehaviour m, uint16_t attr, uint8_t type)
{
	if (attr == SWITCH_INFO_ID && type != TOPO_SWITCH)
		return false;
	switch (m) {
	case HW_MUTE:
	case HW_WRONG_MODIFIER:
	case HW_WRONG_ATTRIBUTE:
	case HW_WRONG_STATUS:
	case HW_WRONG_METHOD:
	case HW_WRONG_TID:
		return true;
	case HW_RANDOM_BYTES:
	case HW_ZERO_PAYLOAD:
		return attr == 0 || attr == NODE_INFO_ID;
	case HW_NONE:
	case HW_BIG_COUNTS:
	case HW_DUPLICATE_GUID:
	case HW_LATE:
	case HW_NO_SET:
		break;
	}
	return false;
}

static void
check_misbehaviour(const char *who, enum hw_misbehaviour m, uint16_t attr)
{
	struct snapshot *s;
	uint32_t victim;
	struct bed b;

	bed_make(&b, "fattree:k=4,levels=3", 20);
	victim = named(&b, who);
	assert_int_equal(hw_misbehave(b.hw, victim, m, attr, 0), 0);
	s = sweep(&b);
	assert_true(b.took_us < 4000000);       /* four tries and a breaker: never a sum over ports */
	if (m != HW_DUPLICATE_GUID)
		check_others(&b, s, victim);
	if (is_told(m, attr, b.t.nodes[victim].type)) {
		assert_true(s->nproblems > 0);
		assert_true(is_named(&b, s, victim));
	}
	for (uint32_t i = 0; i < s->nproblems; i++) {
		assert_true(s->problems[i].reason[0] != '\0');
		assert_in_range(s->problems[i].hop_count, 0, 7);
	}
	snapshot_free(s);
	bed_clear(&b);
}

static void
test_one_bad_node(void **state)
{
	static const char *const who[] = { "host-9", "agg-1-0", "core-1-1" };

	(void)state;
	for (size_t w = 0; w < sizeof(who) / sizeof(who[0]); w++)
		for (size_t a = 0; a < sizeof(attrs) / sizeof(attrs[0]); a++)
			for (int m = HW_NONE; m <= HW_NO_SET; m++)
				check_misbehaviour(who[w], (enum hw_misbehaviour)m, attrs[a]);
}

/* A node that answers late is answered for by its next try; nothing else waits. */
static void
test_late_node(void **state)
{
	struct snapshot *s;
	struct bed b;

	(void)state;
	bed_make(&b, "fattree:k=4,levels=3", 20);
	assert_int_equal(hw_misbehave(b.hw, named(&b, "host-9"), HW_LATE, 0, 150000), 0);
	s = sweep(&b);
	check_others(&b, s, FAB_NONE);
	assert_int_equal(s->nproblems, 0);
	snapshot_free(s);
	bed_clear(&b);
}

/* Every tenth host is mute: they are waited for side by side. */
static void
test_many_mute_hosts(void **state)
{
	uint32_t mute = 0;
	struct snapshot *s;
	struct bed b;

	(void)state;
	bed_make(&b, "fattree:k=12,levels=3", 20);
	for (uint32_t i = b.own + 1; i < b.t.nnodes; i += 10, mute++)
		assert_int_equal(hw_misbehave(b.hw, i, HW_MUTE, 0, 0), 0);
	s = sweep(&b);
	assert_int_equal(s->nnodes, b.t.nnodes - mute);
	assert_int_equal(s->nproblems, mute);
	for (uint32_t i = 0; i < s->nproblems; i++)
		assert_int_equal(s->problems[i].kind, FAB_UNRESPONSIVE);
	assert_true(b.took_us < 6000000);
	snapshot_free(s);
	bed_clear(&b);
}

/* The wire loses, doubles, reorders and delays: the picture is the same. */
static void
test_bad_wire(void **state)
{
	static const struct hw_faults rows[] = {
		{ .drop_ppm = 50000 }, { .dup_ppm = 200000 }, { .reorder_ppm = 300000 },
		{ .delay_ppm = 200000, .delay_us = 5000 },
		{ .drop_ppm = 20000, .dup_ppm = 50000, .reorder_ppm = 50000, .delay_ppm = 50000, .delay_us = 20000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct snapshot *s;
		struct bed b;

		bed_make(&b, "fattree:k=8,levels=3", 20);
		assert_int_equal(hw_faults_set(b.hw, TOPO_NONE, &rows[i]), 0);
		s = sweep(&b);
		check_others(&b, s, FAB_NONE);
		assert_int_equal(s->nproblems, 0);
		snapshot_free(s);
		bed_clear(&b);
	}
}

/* Bits flip anywhere: nothing is promised but that the sweep ends and hangs together. */
static void
test_corrupting_wire(void **state)
{
	static const struct hw_faults f = { .corrupt_ppm = 100000 };

	(void)state;
	for (unsigned run = 0; run < 20; run++) {
		struct snapshot *s;
		struct bed b;

		bed_make(&b, "torus:3x3,hosts=1", 20);
		assert_int_equal(hw_faults_set(b.hw, TOPO_NONE, &f), 0);
		for (unsigned i = 0; i < run; i++)
			snapshot_free(sweep(&b));       /* other random bits each time */
		s = sweep(&b);
		for (uint32_t i = 0; i < s->nports; i++)
			if (s->ports[i].peer != FAB_NONE)
				assert_int_equal(s->ports[s->ports[i].peer].peer, i);
		for (uint32_t i = 0; i < s->nnodes; i++)
			assert_int_not_equal(s->nodes[i].hop_count, FAB_NO_PATH);
		snapshot_free(s);
		bed_clear(&b);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minimum),
		cmocka_unit_test(test_one_bad_node),
		cmocka_unit_test(test_late_node),
		cmocka_unit_test(test_many_mute_hosts),
		cmocka_unit_test(test_bad_wire),
		cmocka_unit_test(test_corrupting_wire),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
