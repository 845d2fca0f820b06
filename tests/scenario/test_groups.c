/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_groups.c - the whole manager and multicast: joins by datagram, tables in the switches, packets that arrive.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "tests/scenario/world.h"
#include "libmad/attr/sa_attr.h"

enum { SNM = 100 };                     /* groups from here on are solicited-node groups */
enum { HOSTS_MAX = 128, FULL = 1, NON = 2, SEND_ONLY = 4 };
#define PREFIX UINT64_C(0xfe80000000000000)
#define SECOND INT64_C(1000000)

struct party {
	struct world w;
	struct world_manager *sm;
	uint32_t hosts[HOSTS_MAX];      /* node indices */
	unsigned nhosts;
	unsigned state[HOSTS_MAX];
	uint16_t mlid;
	uint64_t tid;
};

static struct party p;

static int
groups_teardown(void **state)
{
	(void)state;
	world_clear(&p.w);
	return 0;
}

static void
groups_begin(const char *spec, const char *const *args)
{
	memset(&p, 0, sizeof(p));
	world_init(&p.w, spec, 1);
	p.w.keep_deliveries = true;
	p.sm = world_manager_start(&p.w, NULL, args);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	assert_true(world_is_right(&p.w));
	for (uint32_t n = 0; n < p.w.topo.nnodes && p.nhosts < HOSTS_MAX; n++)
		if (p.w.topo.nodes[n].type == TOPO_CA)
			p.hosts[p.nhosts++] = n;
}

static uint64_t
guid_of(unsigned host)
{
	struct hw_port_view v;

	assert_int_equal(hw_port_view(p.w.hw, p.hosts[host], 1, &v), 0);
	return v.guid;
}

/* The broadcast group of the default partition, or the one 'n' of our own. */
static void
put_mgid(uint8_t *w, unsigned n)
{
	static const uint8_t broadcast[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff };

	memcpy(w, broadcast, 16);
	if (n >= SNM) {
		memset(w + 6, 0, 10);
		w[2] = 0x60;
		w[11] = 1;
		w[12] = 0xff;
		w[15] = (uint8_t)n;
	} else if (n) {
		memset(w, 0, 16);
		w[0] = 0xff;
		w[1] = 0x15;
		w[15] = (uint8_t)n;
	}
}

/* A request to join or leave, as the host would make it. */
static void
make_request(uint8_t mad[256], unsigned host, uint8_t method, unsigned group, unsigned join_state)
{
	uint64_t mask = 1 | 1 << 1 | 1 << 16 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13;

	memcpy(mad, (const uint8_t[256]){ 1, 3, 2, method }, 256);
	if (!group)
		mask = 1 | 1 << 1 | 1 << 16;
	wire_put64(mad + 8, ++p.tid);
	wire_put16(mad + 16, MCMEMBER_RECORD_ID);
	wire_put64(mad + 48, mask);
	put_mgid(mad + 56, group);
	wire_put64(mad + 56 + 16, PREFIX);
	wire_put64(mad + 56 + 24, guid_of(host));
	wire_put32(mad + 56 + 32, group < SNM ? 0x1234 : 0x0b1b);
	wire_put16(mad + 56 + 40, 0xffff);
	mad[56 + 48] = (uint8_t)join_state;
}

/* Asks so; the answer comes with time. */
static void
ask(unsigned host, uint8_t method, unsigned group, unsigned join_state)
{
	struct hw_packet q = { .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };

	make_request(q.mad, host, method, group, join_state);
	q.slid = world_lid(&p.w, p.w.topo.nodes[p.hosts[host]].desc, 1);
	q.dlid = world_lid(&p.w, p.w.topo.nodes[p.sm->node].desc, 1);
	assert_int_equal(hw_send(p.w.hw, p.hosts[host], 1, &q, p.w.now), 0);
}

static void
settle(void)
{
	world_run(&p.w, SECOND / 10);
}

/* The answer to the last request: its status, -1 none. */
static int
answered(void)
{
	struct hw_delivery d;
	int status = -1;

	while (world_take_delivery(&p.w, &d))
		if (dgram_class(d.packet.mad) == CLASS_SA && dgram_method(d.packet.mad) & METHOD_RESP &&
		    dgram_tid(d.packet.mad) == p.tid) {
			status = dgram_status(d.packet.mad);
			if (!status)
				p.mlid = mcmember_record_decode(d.packet.mad + 56).mlid;
		}
	return status;
}

static void
join(unsigned host, unsigned group, unsigned state)
{
	ask(host, METHOD_SET, group, state);
	settle();
	assert_int_equal(answered(), 0);
	p.state[host] |= state;
}

static void
leave(unsigned host, unsigned group, unsigned state)
{
	ask(host, METHOD_DELETE, group, state);
	settle();
	assert_int_equal(answered(), 0);
	p.state[host] &= ~state;
}

/* Host 'from' sends to the group: every other member that hears gets it once, nobody else at all. */
static void
sends(unsigned from)
{
	unsigned got[HOSTS_MAX] = { 0 };
	struct hw_packet q = { .dlid = p.mlid, .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };
	struct hw_delivery d;

	q.slid = world_lid(&p.w, p.w.topo.nodes[p.hosts[from]].desc, 1);
	q.mad[0] = 1;
	q.mad[1] = CLASS_PING;
	assert_int_equal(hw_send(p.w.hw, p.hosts[from], 1, &q, p.w.now), 0);
	while (hw_next_delivery(p.w.hw, &d)) {
		unsigned to = 0;

		while (to < p.nhosts && p.hosts[to] != d.node)
			to++;
		assert_in_range(to, 0, p.nhosts - 1);   /* a host, no switch */
		got[to]++;
	}
	for (unsigned i = 0; i < p.nhosts; i++)
		if (got[i] != (i != from && p.state[i] & (FULL | NON)))
			fail_msg("%s got %u packets of %s, join state %u", p.w.topo.nodes[p.hosts[i]].desc, got[i],
				p.w.topo.nodes[p.hosts[from]].desc, p.state[i]);
}

static void
all_send(void)
{
	for (unsigned i = 0; i < p.nhosts; i++)
		if (p.state[i])
			sends(i);
}

static const char *const shapes[][2] = {
	{ "fattree:k=4,levels=3", "updn" }, { "torus:4x4,hosts=2", "updn" }, { "mesh:3x3,hosts=2", "updn" },
	{ "fattree:k=8,levels=2", "minhop" }, { "dragonfly:a=4,h=2,p=2", "updn" },
};

static void
members_hear_each_other(void **state)
{
	static const unsigned states[] = { FULL, NON, SEND_ONLY, FULL | NON };

	(void)state;
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const char *args[] = { "-R", shapes[i][1], NULL };

		groups_begin(shapes[i][0], args);
		join(1, 1, FULL);
		for (unsigned h = 2; h < p.nhosts && h < 24; h += 3) {
			join(h, 1, states[h % 4]);
			all_send();
		}
		for (unsigned h = 2; h < p.nhosts && h < 24; h += 3) {
			leave(h, 1, p.state[h]);
			all_send();
		}
		world_clear(&p.w);
	}
	groups_begin("fattree:k=4,levels=3", NULL);
}

/* The answer comes when the tables are written, not before. */
static void
answer_waits_for_the_tables(void **state)
{
	(void)state;
	groups_begin("fattree:k=4,levels=3", NULL);
	join(0, 0, FULL);
	hw_latency_set(p.w.hw, 20000);
	ask(15, METHOD_SET, 0, FULL);
	world_run(&p.w, 10000);
	assert_int_equal(answered(), -1);
	world_run(&p.w, 200000);
	hw_latency_set(p.w.hw, 0);
	assert_int_equal(answered(), 0);
	p.state[15] = FULL;
	all_send();
}

/* A switch on the tree that does not take its table: the join is refused and taken back, others go on. */
static void
mute_switch(void **state)
{
	(void)state;
	groups_begin("fattree:k=4,levels=3", NULL);
	join(0, 0, FULL);
	join(1, 0, FULL);
	hw_misbehave(p.w.hw, world_node(&p.w, "leaf-3-1"), HW_MUTE, MFT_BLOCK_ID, 0);
	ask(15, METHOD_SET, 0, FULL);
	world_run(&p.w, 20 * SECOND);
	assert_int_equal(answered(), STATUS_SA_NO_RESOURCES);
	all_send();
	hw_misbehave(p.w.hw, world_node(&p.w, "leaf-3-1"), HW_NONE, 0, 0);
	world_run(&p.w, 60 * SECOND);
	join(15, 0, FULL);
	all_send();
}

static void
pull(const char *node, uint8_t port)
{
	assert_int_equal(hw_cable_pull(p.w.hw, world_node(&p.w, node), port, p.w.now), 0);
}

/* Cables go, switches restart, managers too: whoever is a member hears. */
static void
trees_are_mended(void **state)
{
	(void)state;
	groups_begin("fattree:k=4,levels=3", NULL);
	for (unsigned h = 0; h < p.nhosts; h += 2)
		join(h, 0, FULL);
	all_send();
	pull("agg-0-0", 3);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	settle();
	all_send();
	pull("leaf-2-0", 3);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	settle();
	all_send();
	assert_int_equal(hw_node_reboot(p.w.hw, world_node(&p.w, "leaf-1-1"), SECOND, p.w.now), 0);
	world_run(&p.w, 60 * SECOND);
	join(6, 0, FULL);                       /* they were away: they join again */
	all_send();
}

/* Pulls the cable, and plugs it in again; the members hear each other after either. */
static void
lose_and_return(uint32_t node, uint8_t port)
{
	const struct topo_port *far = topo_port(&p.w.topo, node, port);

	assert_int_equal(hw_cable_pull(p.w.hw, node, port, p.w.now), 0);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	settle();
	all_send();
	assert_int_equal(hw_cable_plug(p.w.hw, node, port, far->peer_node, far->peer_port, p.w.now), 0);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	settle();
	all_send();
}

/* The cables of the first switch, one after the other. */
static void
each_cable_is_lost(void **state)
{
	static const char *const rows[][2] = {
		{ "fattree:k=4,levels=3", "updn" }, { "fattree:k=4,levels=3", "ftree" }, { "fattree:k=8,levels=2", "updn" },
		{ "mesh:3x3,hosts=2", "dor,updn" }, { "torus:4x4,hosts=1", "nue" },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *const args[] = { "-R", rows[i][1], NULL };
		uint32_t node = 0;

		groups_begin(rows[i][0], args);
		while (p.w.topo.nodes[node].type != TOPO_SWITCH)
			node++;
		for (unsigned h = 0; h < p.nhosts && h < 20; h += 2) {
			join(h, 0, h % 3 ? FULL : FULL | NON);
			all_send();
		}
		leave(4, 0, p.state[4]);
		all_send();
		for (uint8_t port = 1; port <= p.w.topo.nodes[node].nports; port++) {
			uint32_t far = topo_port(&p.w.topo, node, port)->peer_node;

			if (far != TOPO_NONE && p.w.topo.nodes[far].type == TOPO_SWITCH)
				lose_and_return(node, port);
		}
		world_clear(&p.w);
	}
	groups_begin("fattree:k=4,levels=3", NULL);
}

/* All groups go through the switch that the operator names; when that is gone, through the second. */
static void
roots_of_the_operator(void **state)
{
	const char *args[] = { "--set", "mc_primary_root_guid=0x1", "--set", "mc_secondary_root_guid=0x2", NULL };
	char first[64], second[64];
	struct world w;

	(void)state;
	memset(&w, 0, sizeof(w));
	world_init(&w, "fattree:k=4,levels=3", 1);
	snprintf(first, sizeof(first), "mc_primary_root_guid=0x%llx",
		(unsigned long long)w.topo.nodes[world_node(&w, "core-1-1")].guid);
	snprintf(second, sizeof(second), "mc_secondary_root_guid=0x%llx",
		(unsigned long long)w.topo.nodes[world_node(&w, "core-0-1")].guid);
	world_clear(&w);
	args[1] = first;
	args[3] = second;
	groups_begin("fattree:k=4,levels=3", args);
	for (unsigned h = 0; h < p.nhosts; h += 3)
		join(h, 0, FULL);
	all_send();
	for (uint8_t port = 1; port <= 4; port++)
		pull("core-0-1", port);                 /* not in use */
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	settle();
	all_send();
	for (uint8_t port = 1; port <= 4; port++)
		pull("core-1-1", port);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	settle();
	all_send();
}

/* Answers to requests since the last look; '*refused': with a status. */
static unsigned
count_answers(unsigned *refused)
{
	struct hw_delivery d;
	unsigned n = 0;

	*refused = 0;
	while (world_take_delivery(&p.w, &d))
		if (dgram_class(d.packet.mad) == CLASS_SA && dgram_method(d.packet.mad) & METHOD_RESP) {
			n++;
			*refused += dgram_status(d.packet.mad) != 0;
		}
	return n;
}

/* Joins wait while tables are written; when there are too many of them, those that come are refused, and all are answered. */
static void
too_many_wait(void **state)
{
	enum { PLACES = 65536, BEYOND = 64 };
	unsigned refused;

	(void)state;
	groups_begin("fattree:k=4,levels=3", NULL);
	join(15, 0, NON);
	hw_misbehave(p.w.hw, world_node(&p.w, "leaf-0-0"), HW_MUTE, MFT_BLOCK_ID, 0);
	for (unsigned i = 0; i < PLACES + BEYOND; i++) {
		if (i < PLACES)
			ask(i % 8, METHOD_SET, 0, FULL);
		else
			ask(15, METHOD_SET, 0, FULL);
		world_run(&p.w, 4);
	}
	world_run(&p.w, 5000);
	assert_int_equal(count_answers(&refused), BEYOND);
	assert_int_equal(refused, BEYOND);
	hw_misbehave(p.w.hw, world_node(&p.w, "leaf-0-0"), HW_NONE, 0, 0);
	world_run(&p.w, 60 * SECOND);
	assert_int_equal(count_answers(&refused), PLACES);
	for (unsigned h = 0; h < 8; h++)
		p.state[h] = FULL;
	all_send();                             /* 15 hears as it did before */
}

/* A host that goes takes its membership along. */
static void
host_goes(void **state)
{
	(void)state;
	groups_begin("fattree:k=4,levels=3", NULL);
	for (unsigned h = 0; h < 6; h++)
		join(h, 0, FULL);
	assert_int_equal(hw_node_power(p.w.hw, p.hosts[5], false, p.w.now), 0);
	world_run(&p.w, 30 * SECOND);
	p.state[5] = 0;
	all_send();
	assert_int_equal(hw_node_power(p.w.hw, p.hosts[5], true, p.w.now), 0);
	world_run(&p.w, 30 * SECOND);
	all_send();                             /* it did not ask */
	join(5, 0, FULL);
	all_send();
}

/* Joins beside a sweep, dozens at a time: all answered, all heard. */
static void
many_at_once(void **state)
{
	(void)state;
	groups_begin("fattree:k=8,levels=3", NULL);
	hw_latency_set(p.w.hw, 100);
	join(1, 0, FULL);
	manager_sweep(p.sm->m, "test", p.w.now);
	for (unsigned h = 2; h < p.nhosts; h++) {
		ask(h, METHOD_SET, 0, FULL);
		p.state[h] = FULL;
		world_run(&p.w, 50);
	}
	world_run(&p.w, 5 * SECOND);
	hw_latency_set(p.w.hw, 0);
	answered();
	all_send();
	manager_sweep(p.sm->m, "test", p.w.now);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	all_send();
}

/* Joins and leaves at every moment of sweeps that write the same tables: nobody is refused, all that stay are heard. */
static void
never_refused(void **state)
{
	unsigned refused;

	(void)state;
	groups_begin("fattree:k=4,levels=3", NULL);
	join(0, 0, FULL);                       /* stays, and says which MLID it is */
	hw_latency_set(p.w.hw, 100);
	for (unsigned round = 0; round < 40; round++) {
		manager_sweep(p.sm->m, "test", p.w.now);
		for (unsigned i = 0; i < 60; i++) {
			unsigned h = (round + i) % 12 + 1;

			ask(h, p.state[h] ? METHOD_DELETE : METHOD_SET, 0, FULL);
			p.state[h] ^= FULL;
			world_run(&p.w, 150 + (round * 7 + i * 13) % 100);
		}
		world_run(&p.w, 2 * SECOND);
		assert_int_equal(count_answers(&refused), 60);
		assert_int_equal(refused, 0);
		hw_latency_set(p.w.hw, 0);
		all_send();                     /* no later sweep has mended it */
		hw_latency_set(p.w.hw, 100);
	}
	hw_latency_set(p.w.hw, 0);
	assert_true(world_is_right(&p.w));
}

/* A manager that restarts leaves the trees that it finds: those who were members hear, and those who join. */
static void
manager_restarts(void **state)
{
	struct world_store none = { .rows = NULL };
	uint64_t sets;

	(void)state;
	groups_begin("fattree:k=4,levels=3", NULL);
	for (unsigned h = 0; h < 8; h++)
		join(h, 0, FULL);
	world_manager_kill(&p.w, p.sm);
	p.sm = world_manager_start_with(&p.w, NULL, NULL, &none);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	sets = p.sm->sets - p.sm->reregisters;
	assert_int_equal(sets, 0);
	all_send();
	for (unsigned h = 4; h < 12; h++)
		join(h, 0, FULL);
	all_send();
	for (unsigned h = 0; h < 4; h++)
		p.state[h] = 0;
	world_run(&p.w, 65 * SECOND);           /* they did not register again */
	all_send();
}

/* A sweep that finds nothing new writes no multicast table. */
static void
nothing_new(void **state)
{
	uint64_t sets;

	(void)state;
	groups_begin("fattree:k=4,levels=3", NULL);
	for (unsigned h = 0; h < p.nhosts; h++)
		join(h, 0, FULL);
	sets = p.sm->mft_sets;
	assert_true(sets > 0);
	manager_sweep(p.sm->m, "test", p.w.now);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	assert_int_equal(p.sm->mft_sets, sets);
	all_send();
}

/* Solicited-node groups share an MLID, whose tree is for all of their members; each goes by itself. */
static void
shared_tree(void **state)
{
	const char *const args[] = { "--consolidate_ipv6_snm_req", NULL };
	uint16_t first;

	(void)state;
	groups_begin("fattree:k=4,levels=2", args);
	join(1, SNM + 1, FULL);
	first = p.mlid;
	join(2, SNM + 2, FULL);
	assert_int_equal(p.mlid, first);
	join(5, SNM + 5, FULL);
	assert_int_equal(p.mlid, first);
	join(3, SNM + 5, SEND_ONLY);
	sends(3);
	sends(1);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	p.mlid = first;
	sends(3);
	leave(1, SNM + 1, FULL);
	settle();
	p.mlid = first;
	sends(3);
	assert_int_equal(hw_node_power(p.w.hw, p.hosts[2], false, p.w.now), 0);
	p.state[2] = 0;
	manager_sweep(p.sm->m, "test", p.w.now);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	settle();
	sends(3);
}

/*
 * A join comes in, and is looked at; no datagram gets out, so the tables are not written.  True: it was
 * refused at once.
 */
static bool
join_refused(unsigned host, unsigned group)
{
	struct dgram d;
	uint8_t mad[256];
	bool refused = false;
	int timeout_ms;

	make_request(mad, host, METHOD_SET, group, FULL);
	world_inject(&p.w, p.sm, mad, world_lid(&p.w, p.w.topo.nodes[p.hosts[host]].desc, 1));
	manager_tick(p.sm->m, p.w.now);
	while (manager_next_send(p.sm->m, &d, &timeout_ms, p.w.now))
		if (dgram_class(d.mad) == CLASS_SA && dgram_tid(d.mad) == p.tid)
			refused = dgram_status(d.mad) == STATUS_SA_NO_RESOURCES;
	return refused;
}

/*
 * While tables are written one host joins without end: its joins wait up to an eighth of all that may,
 * others' as ever.
 */
static void
a_host_that_joins_without_end(void **state)
{
	unsigned refused = 0;

	(void)state;
	groups_begin("fattree:k=4,levels=3", NULL);
	settle();
	assert_false(join_refused(3, 1));
	for (unsigned i = 0; i < 70000; i++)
		refused += join_refused(3, 1);
	assert_int_equal(refused, 70000 - (65536 / 8 - 1));
	ask(5, METHOD_SET, 2, FULL);
	world_run(&p.w, 10 * SECOND);
	assert_int_equal(answered(), 0);
	join(3, 1, FULL);                       /* and it may again, when they are answered */
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, groups_teardown)
	const struct CMUnitTest tests[] = {
		T(members_hear_each_other), T(answer_waits_for_the_tables), T(mute_switch), T(trees_are_mended), T(too_many_wait),
		T(a_host_that_joins_without_end), T(host_goes), T(many_at_once), T(never_refused),
		T(manager_restarts), T(nothing_new), T(shared_tree), T(each_cable_is_lost), T(roots_of_the_operator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
