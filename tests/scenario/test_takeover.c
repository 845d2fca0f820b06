/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_takeover.c - multicast while another manager takes over: members that have not registered again
 * still hear each other, no MLID goes to another group, and after the grace time only those are left that
 * registered.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "tests/scenario/world.h"
#include "libmad/attr/sa_attr.h"

enum { GROUPS = 21, STRANGER = 30, LOW = 90, SNM = 100, GROUPS_MAX = 128 };
enum { HOSTS_MAX = 32, FULL = 1, SEND_ONLY = 4, GRACE_S = 60 };
#define PREFIX UINT64_C(0xfe80000000000000)
#define SECOND INT64_C(1000000)
#define FABRIC "fattree:k=4,levels=3"

/* What the hosts of the fabric are in: they know nothing of managers. */
static struct {
	struct world w;
	struct world_manager *sm;       /* who leads, and whom hosts ask */
	uint32_t hosts[HOSTS_MAX];      /* node indices */
	unsigned nhosts;
	unsigned state[GROUPS_MAX][HOSTS_MAX];
	uint16_t mlid[GROUPS_MAX];
	uint64_t tid;
} p;

static int
takeover_teardown(void **state)
{
	(void)state;
	world_clear(&p.w);
	return 0;
}

static void
put_mgid(uint8_t *w, unsigned n)
{
	static const uint8_t broadcast[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff };
	static const uint8_t solicited[16] = { 0xff, 0x12, 0x60, 0x1b, 0xff, 0xff, [11] = 1, [12] = 0xff };

	memcpy(w, n >= SNM ? solicited : broadcast, 16);
	if (n >= SNM) {
		w[15] = (uint8_t)n;
	} else if (n == LOW) {
		wire_put16(w + 4, 0x8001);
	} else if (n) {
		memset(w, 0, 16);
		w[0] = 0xff;
		w[1] = 0x15;
		w[15] = (uint8_t)n;
	}
}

/* The status of the answer to the last request, -1 none; '*mlid': that it has. */
static int
answered(uint16_t *mlid)
{
	struct hw_delivery d;
	int status = -1;

	while (world_take_delivery(&p.w, &d))
		if (dgram_class(d.packet.mad) == CLASS_SA && dgram_method(d.packet.mad) & METHOD_RESP &&
		    dgram_tid(d.packet.mad) == p.tid) {
			status = dgram_status(d.packet.mad);
			*mlid = mcmember_record_decode(d.packet.mad + 56).mlid;
		}
	return status;
}

static int
request(unsigned host, uint8_t method, unsigned group, unsigned join_state, uint16_t *mlid)
{
	uint8_t mad[256] = { 1, 3, 2, method };
	struct hw_packet q = { .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };
	struct hw_port_view v;

	assert_int_equal(hw_port_view(p.w.hw, p.hosts[host], 1, &v), 0);
	wire_put64(mad + 8, ++p.tid);
	wire_put16(mad + 16, MCMEMBER_RECORD_ID);
	wire_put64(mad + 48, 1 | 1 << 1 | 1 << 16 | (group && group != LOW ? 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13 : 0));
	put_mgid(mad + 56, group);
	wire_put64(mad + 56 + 16, PREFIX);
	wire_put64(mad + 56 + 24, v.guid);
	wire_put32(mad + 56 + 32, group < SNM ? 0x1234 : 0x0b1b);
	wire_put16(mad + 56 + 40, 0xffff);
	mad[56 + 48] = (uint8_t)join_state;
	memcpy(q.mad, mad, sizeof(mad));
	q.slid = world_lid(&p.w, p.w.topo.nodes[p.hosts[host]].desc, 1);
	q.dlid = world_lid(&p.w, p.w.topo.nodes[p.sm->node].desc, 1);
	assert_int_equal(hw_send(p.w.hw, p.hosts[host], 1, &q, p.w.now), 0);
	world_run(&p.w, SECOND / 50);
	return answered(mlid);
}

/* Registers, and uses the MLID of the answer from now on. */
static void
join(unsigned host, unsigned group, unsigned state)
{
	assert_int_equal(request(host, METHOD_SET, group, state, &p.mlid[group]), 0);
	p.state[group][host] |= state;
}

/* The same of a host that is a member: whether its MLID is the one that it had. */
static bool
joins_again(unsigned host, unsigned group)
{
	uint16_t mlid = 0;

	assert_int_equal(request(host, METHOD_SET, group, p.state[group][host], &mlid), 0);
	return mlid == p.mlid[group];
}

/* Sends a packet to 'mlid': how many copies each host gets. */
static void
send_packet(unsigned from, uint16_t mlid, unsigned got[HOSTS_MAX])
{
	struct hw_packet q = { .dlid = mlid, .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };
	struct hw_delivery d;

	memset(got, 0, HOSTS_MAX * sizeof(*got));
	q.slid = world_lid(&p.w, p.w.topo.nodes[p.hosts[from]].desc, 1);
	q.mad[0] = 1;
	q.mad[1] = CLASS_PING;
	assert_int_equal(hw_send(p.w.hw, p.hosts[from], 1, &q, p.w.now), 0);
	while (hw_next_delivery(p.w.hw, &d))
		for (unsigned to = 0; to < p.nhosts; to++)
			got[to] += p.hosts[to] == d.node;
}

/* Whether it comes to each host that it is for once, and to nobody else. */
static bool
arrives(unsigned from, uint16_t mlid, const unsigned state[HOSTS_MAX])
{
	unsigned got[HOSTS_MAX];
	bool right = true;

	send_packet(from, mlid, got);
	for (unsigned i = 0; i < p.nhosts; i++)
		right &= got[i] == (i != from && state[i] & FULL);
	return right;
}

/* Half of all packets are late, so that they are seen in any order. */
static void
disorder(bool on)
{
	const struct hw_faults late = { .delay_ppm = on ? 500000 : 0, .delay_us = on ? 4000 : 0 };

	assert_int_equal(hw_faults_set(p.w.hw, TOPO_NONE, &late), 0);
	hw_latency_set(p.w.hw, on ? 50 : 0);
}

/* The most that some host gets, at once, while other packets are under way. */
static unsigned
copies(unsigned from, uint16_t mlid)
{
	unsigned got[HOSTS_MAX], most = 0;

	disorder(false);
	send_packet(from, mlid, got);
	disorder(true);
	for (unsigned i = 0; i < p.nhosts; i++)
		most = got[i] > most ? got[i] : most;
	return most;
}

static bool
is_served(unsigned group)
{
	bool right = true;

	for (unsigned i = 0; i < p.nhosts; i++)
		if (p.state[group][i])
			right &= arrives(i, p.mlid[group], p.state[group]);
	return right;
}

/* How many of the first groups work: whoever is a member hears all others. */
static unsigned
served(void)
{
	unsigned n = 0;

	for (unsigned g = 0; g < GROUPS; g++)
		n += is_served(g);
	printf("# %.3f s: %u of %u groups are served\n", (double)p.w.now.us / 1e6, n, (unsigned)GROUPS);
	return n;
}

/* Masks of that MLID in all switches that are not 0. */
static unsigned
entries(uint16_t mlid)
{
	static const unsigned state[HOSTS_MAX];
	unsigned n = 0;

	for (unsigned i = 0; i < p.nhosts; i++)
		n += !arrives(i, mlid, state);
	return n;
}

static bool
is_old(uint16_t mlid)
{
	for (unsigned g = 0; g < GROUPS; g++)
		if (p.mlid[g] == mlid)
			return true;
	return false;
}

/* Group g has hosts of several leaves; nobody is in all of them, and host 15 (which may be the other manager) is in some. */
static bool
belongs(unsigned host, unsigned group)
{
	return !group || host % 5 == group % 5 || host == group % 16;
}

static void
begin_on(const char *spec, const char *const *args)
{
	memset(&p, 0, sizeof(p));
	world_init(&p.w, spec, 1);
	p.w.keep_deliveries = true;
	p.sm = world_manager_start(&p.w, NULL, args);
	assert_true(world_run_sweeps(&p.w, p.sm, 2, 60 * SECOND));
	for (uint32_t n = 0; n < p.w.topo.nnodes && p.nhosts < HOSTS_MAX; n++)
		if (p.w.topo.nodes[n].type == TOPO_CA)
			p.hosts[p.nhosts++] = n;
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned h = 0; h < p.nhosts; h++)
			if (belongs(h, g))
				join(h, g, FULL);
	assert_int_equal(served(), GROUPS);
}

static void
takeover_begin(void)
{
	begin_on(FABRIC, NULL);
}

/* The master ends without a word; 'next' leads some seconds later, and has asked all hosts to register again. */
static void
take_over(struct world_manager *next)
{
	if (p.sm->m)
		world_manager_kill(&p.w, p.sm);
	assert_true(world_run_sweeps(&p.w, next, 2, 60 * SECOND));
	assert_true(next->reregisters > 0);
	p.sm = next;
}

static struct world_manager *
standby_with(const struct world_store *store)
{
	struct world_manager *sm = world_manager_start_with(&p.w, p.w.topo.nodes[p.hosts[15]].desc, NULL, store);

	assert_true(world_run_sweeps(&p.w, sm, 1, 60 * SECOND));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_STANDBY);
	return sm;
}

/* A standby that knows nothing of MGIDs: all trees stay as they are, and new groups get other MLIDs. */
static void
standby_without_a_store(void **state)
{
	struct world_manager *next;
	uint16_t was[GROUPS], mlid = 0;

	(void)state;
	takeover_begin();
	next = standby_with(NULL);
	take_over(next);
	assert_int_equal(served(), GROUPS);
	assert_int_equal(next->mft_sets, 0);
	assert_true(joins_again(3, 0));         /* the group of the default partition: by the same configuration */
	assert_int_equal(served(), GROUPS);
	assert_int_equal(next->mft_sets, 0);
	assert_int_equal(request(4, METHOD_SET, STRANGER, FULL, &mlid), 0);
	assert_false(is_old(mlid));
	assert_int_equal(request(15, METHOD_SET, STRANGER, FULL, &mlid), 0);
	assert_int_equal(served(), GROUPS);
	memcpy(was, p.mlid, sizeof(was));
	for (unsigned h = 0; h < p.nhosts; h++)         /* not known which MLIDs these had: they get new ones */
		for (unsigned g = 0; g < GROUPS; g++)
			if (p.state[g][h])
				assert_int_equal(request(h, METHOD_SET, g, FULL, &mlid), 0);
	assert_int_equal(served(), GROUPS);             /* and who has not heard yet sends to the old */
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned h = 0; h < p.nhosts; h++)
			if (p.state[g][h])
				assert_int_equal(request(h, METHOD_SET, g, FULL, &p.mlid[g]), 0);
	assert_int_equal(served(), GROUPS);
	for (unsigned g = 1; g < GROUPS; g++)
		assert_true(p.mlid[g] != was[g] && entries(was[g]));
	world_run(&p.w, GRACE_S * SECOND);
	assert_int_equal(served(), GROUPS);
	for (unsigned g = 1; g < GROUPS; g++)
		assert_int_equal(entries(was[g]), 0);
	assert_int_equal(request(5, METHOD_SET, STRANGER + 1, FULL, &mlid), 0);
	assert_true(mlid == was[1]);            /* free again */
}

/* Hosts register in another order, and some not at all: what a manager knows of MGIDs holds, and who did not register is out. */
static void
register_again(void)
{
	uint16_t mlid = 0;

	assert_int_equal(served(), GROUPS);
	assert_int_equal(p.sm->mft_sets, 0);
	assert_int_equal(request(4, METHOD_SET, STRANGER, FULL, &mlid), 0);
	assert_false(is_old(mlid));
	assert_int_equal(request(4, METHOD_DELETE, STRANGER, FULL, &mlid), 0);
	for (unsigned g = GROUPS; g-- > 0;)
		for (unsigned h = p.nhosts; h-- > 0;)
			if (p.state[g][h] && h % 4 && g != 7)
				assert_true(joins_again(h, g));
	assert_int_equal(served(), GROUPS);
	world_run(&p.w, (GRACE_S - 15) * SECOND);
	assert_int_equal(served(), GROUPS);
	world_run(&p.w, 20 * SECOND);
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned h = 0; h < p.nhosts; h++)
			if (h % 4 == 0 || g == 7)
				p.state[g][h] = 0;
	assert_int_equal(served(), GROUPS);
	assert_int_equal(entries(p.mlid[7]), 0);
	join(7, 7, FULL);
	join(8, 7, FULL);
	assert_int_equal(served(), GROUPS);
}

static void
standby_with_a_store(void **state)
{
	(void)state;
	takeover_begin();
	assert_int_equal(p.sm->store.ngroups, GROUPS);
	take_over(standby_with(&p.sm->store));
	register_again();
}

static void
manager_restarts(void **state)
{
	(void)state;
	takeover_begin();
	world_manager_kill(&p.w, p.sm);
	take_over(world_manager_start_with(&p.w, NULL, NULL, &p.sm->store));
	register_again();
}

/* A host that registered and then leaves is out at once. */
static void
who_leaves_is_out(void **state)
{
	uint16_t mlid = 0;

	(void)state;
	takeover_begin();
	take_over(standby_with(&p.sm->store));
	assert_true(joins_again(5, 0));
	assert_true(joins_again(6, 0));
	assert_int_equal(request(6, METHOD_DELETE, 0, FULL, &mlid), 0);
	p.state[0][6] = 0;
	assert_int_equal(served(), GROUPS);
}

/* A switch dies together with the master: trees are mended for members that have not registered again, and have no loop. */
static void
switch_dies_too(void **state)
{
	static const char *const switches[] = { "core-0-0", "core-0-1", "core-1-0", "core-1-1", "agg-1-0", "agg-1-1", "agg-3-0" };

	(void)state;
	for (unsigned i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		struct world_manager *next;

		takeover_begin();
		next = standby_with(i % 2 ? &p.sm->store : NULL);
		world_manager_kill(&p.w, p.sm);
		assert_int_equal(hw_node_power(p.w.hw, world_node(&p.w, switches[i]), false, p.w.now), 0);
		take_over(next);
		assert_int_equal(served(), GROUPS);
		join(9, 0, FULL);
		assert_int_equal(served(), GROUPS);
		world_clear(&p.w);
	}
	takeover_begin();
}

/* The same while the time to register again runs. */
static void
switch_dies_later(void **state)
{
	(void)state;
	takeover_begin();
	take_over(standby_with(NULL));
	assert_int_equal(hw_node_power(p.w.hw, world_node(&p.w, "core-0-0"), false, p.w.now), 0);
	assert_int_equal(hw_cable_pull(p.w.hw, world_node(&p.w, "leaf-2-1"), 3, p.w.now), 0);
	world_run(&p.w, 20 * SECOND);
	assert_int_equal(served(), GROUPS);
	assert_int_equal(hw_node_power(p.w.hw, world_node(&p.w, "core-0-0"), true, p.w.now), 0);
	world_run(&p.w, 20 * SECOND);
	assert_int_equal(served(), GROUPS);
}

/* The trees of a manager that routes otherwise are others: in their place come ours, for the same members. */
static void
another_engine(void **state)
{
	static const char *const minhop[] = { "-R", "minhop", NULL };

	(void)state;
	begin_on(FABRIC, minhop);
	world_manager_kill(&p.w, p.sm);
	take_over(world_manager_start_with(&p.w, NULL, NULL, &p.sm->store));
	assert_true(p.sm->mft_sets > 0);
	assert_int_equal(served(), GROUPS);
}

/* Packets of which some host would get more than one copy, if members sent now. */
static unsigned
loops(void)
{
	unsigned n = 0;

	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned h = 0; h < p.nhosts; h++)
			if (p.state[g][h])
				n += copies(h, p.mlid[g]) > 1;
	return n;
}

/*
 * A switch dies with the master, in a torus where other trees come in the place of the old ones: while
 * Sets arrive in any order, the tables, part old and part new, have no loop.
 */
static void
never_a_loop(void **state)
{
	unsigned sets = 0, looped = 0;

	(void)state;
	for (unsigned i = 1; i < 15; i += 4) {
		struct world_manager *next;
		uint32_t sw;
		uint8_t port;

		begin_on("torus:4x4,hosts=1", NULL);
		next = standby_with(NULL);
		world_manager_kill(&p.w, p.sm);
		assert_true(hw_peer(p.w.hw, p.hosts[i], 1, &sw, &port));
		assert_int_equal(hw_node_power(p.w.hw, sw, false, p.w.now), 0);
		for (unsigned g = 0; g < GROUPS; g++)
			p.state[g][i] = 0;
		disorder(true);
		while (p.w.now.us < 60 * SECOND && manager_sweeps(next->m) < 3) {
			uint64_t last = next->mft_sets;

			world_run(&p.w, last ? 200 : 1000);
			if (last)
				looped += loops();
		}
		disorder(false);
		world_run(&p.w, 5 * SECOND);
		p.sm = next;
		sets += (unsigned)next->mft_sets;
		assert_int_equal(served(), GROUPS);
		world_clear(&p.w);
	}
	takeover_begin();                                /* for takeover_teardown() */
	printf("# %u Sets of multicast tables, %u packets looped meanwhile\n", sets, looped);
	assert_true(sets > 50);
	assert_int_equal(looped, 0);
}

/* A host that only sends has no bit in any table: its switch stands for it. */
static void
who_only_sends(void **state)
{
	(void)state;
	takeover_begin();
	join(1, GROUPS + 1, FULL);
	join(2, GROUPS + 1, FULL);
	join(14, GROUPS + 1, SEND_ONLY);
	assert_true(is_served(GROUPS + 1));
	take_over(standby_with(NULL));
	assert_true(is_served(GROUPS + 1));
	assert_int_equal(p.sm->mft_sets, 0);
	world_run(&p.w, GRACE_S * SECOND);
	assert_int_equal(entries(p.mlid[GROUPS + 1]), 0);
}

/* A switch does not let its multicast table be read: the rest goes on, and the others' members hear each other. */
static void
table_not_read(void **state)
{
	struct world_manager *next;
	uint32_t leaf;

	(void)state;
	takeover_begin();
	leaf = world_node(&p.w, "leaf-3-1");
	next = standby_with(NULL);
	hw_misbehave(p.w.hw, leaf, HW_MUTE, MFT_BLOCK_ID, 0);
	take_over(next);
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned h = 0; h < p.nhosts; h++)
			if (h == 14 || h == 15)
				p.state[g][h] = 0;      /* behind it */
	for (unsigned g = 0; g < GROUPS; g++)
		for (unsigned h = 0; h < p.nhosts; h++)
			if (p.state[g][h])
				assert_true(arrives(h, p.mlid[g], p.state[g]));
	hw_misbehave(p.w.hw, leaf, HW_NONE, 0, 0);
	world_run(&p.w, 30 * SECOND);
	join(14, 0, FULL);
	assert_true(is_served(0));
}

/* A host is switched off after the takeover: its port gets nothing any more, whoever it leads to then. */
static void
host_goes(void **state)
{
	(void)state;
	takeover_begin();
	take_over(standby_with(NULL));
	assert_int_equal(hw_node_power(p.w.hw, p.hosts[5], false, p.w.now), 0);
	world_run(&p.w, 15 * SECOND);
	for (unsigned g = 0; g < GROUPS; g++)
		p.state[g][5] = 0;
	assert_int_equal(served(), GROUPS);
	assert_int_equal(hw_node_power(p.w.hw, p.hosts[5], true, p.w.now), 0);
	world_run(&p.w, 15 * SECOND);
	assert_int_equal(served(), GROUPS);
}

/* Solicited-node groups share an MLID before and after. */
static void
shared_tree(void **state)
{
	static const char *const args[] = { "--consolidate_ipv6_snm_req", NULL };
	struct world_manager *next;

	(void)state;
	begin_on(FABRIC, args);
	for (unsigned h = 1; h < 6; h++) {
		join(h, SNM + h, FULL);
		assert_int_equal(p.mlid[SNM + h], p.mlid[SNM + 1]);
		p.state[SNM][h] = FULL;         /* of them all */
	}
	p.mlid[SNM] = p.mlid[SNM + 1];
	assert_true(is_served(SNM));
	world_run(&p.w, SECOND / 5);            /* the store has them */
	world_manager_kill(&p.w, p.sm);
	next = world_manager_start_with(&p.w, NULL, args, &p.sm->store);
	take_over(next);
	assert_true(is_served(SNM));
	for (unsigned h = 5; h > 2; h--)
		assert_true(joins_again(h, SNM + h));
	assert_true(is_served(SNM));
	world_run(&p.w, GRACE_S * SECOND);
	p.state[SNM][1] = p.state[SNM][2] = 0;
	assert_true(is_served(SNM));
	assert_true(joins_again(2, SNM + 2));
}

/* A file of partitions; the caller unlinks it. */
static void
partitions(char path[static 32], const char *text)
{
	FILE *f;
	int fd;

	strcpy(path, "/tmp/heddle-takeover-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/*
 * Groups of partitions have their MLIDs before anybody registers.  With the same file another manager
 * gives them the same; with another file, where the broadcast group of Default is not the first any more,
 * none takes the tree of another.
 */
static void
files_of_partitions(void **state)
{
	static const char one[] = "Default=0x7fff, ipoib: ALL=full;\n";
	static const char two[] = "Low=0x0001, ipoib: ALL=full;\nDefault=0x7fff, ipoib: ALL=full;\n";
	static const struct { const char *before, *after; bool same; } rows[] = {
		{ one, one, true }, { two, two, true }, { one, two, false },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char before[32], after[32];
		const char *const first[] = { "--Pconfig", before, NULL }, *const then[] = { "--Pconfig", after, NULL };
		struct world_manager *next;
		uint16_t mlid = 0;

		partitions(before, rows[i].before);
		partitions(after, rows[i].after);
		begin_on(FABRIC, first);
		next = world_manager_start_with(&p.w, p.w.topo.nodes[p.hosts[15]].desc, then, NULL);
		assert_true(world_run_sweeps(&p.w, next, 1, 60 * SECOND));
		unlink(before);
		unlink(after);
		take_over(next);
		assert_int_equal(served(), GROUPS);
		assert_int_equal(request(3, METHOD_SET, 0, FULL, &mlid), 0);
		assert_true(rows[i].same ? mlid == p.mlid[0] : !is_old(mlid));
		assert_int_equal(served(), GROUPS);
		assert_int_equal(request(3, METHOD_SET, LOW, FULL, &mlid), rows[i].after == two ? 0 : STATUS_SA_COMPONENTS);
		assert_true(rows[i].after != two || !is_old(mlid));
		assert_int_equal(served(), GROUPS);
		world_clear(&p.w);
	}
	takeover_begin();
}

/* Without grace nothing is read, and hosts begin anew. */
static void
without_grace(void **state)
{
	struct world_manager *next;

	(void)state;
	takeover_begin();
	world_manager_kill(&p.w, p.sm);
	next = world_manager_start_with(&p.w, NULL, NULL, &p.sm->store);
	next->conf->mcast_grace_s = 0;
	take_over(next);
	assert_int_equal(next->mft_gets, 0);
	for (unsigned g = 0; g < GROUPS; g++)
		assert_true(joins_again(g % 5, g));             /* the store knows them all the same */
}

/* The next takeover comes before hosts registered with the first: what that one inherited, it hands on. */
static void
master_after_master(void **state)
{
	struct world_manager *next, *third;

	(void)state;
	takeover_begin();
	third = standby_with(NULL);
	next = world_manager_start(&p.w, p.w.topo.nodes[p.hosts[9]].desc, NULL);        /* it is the better of the two */
	assert_true(world_run_sweeps(&p.w, next, 1, 60 * SECOND));
	take_over(next);
	assert_true(joins_again(3, 0));
	world_run(&p.w, 5 * SECOND);
	take_over(third);
	assert_true(joins_again(7, 0));
	assert_int_equal(served(), GROUPS);
	world_run(&p.w, 50 * SECOND);           /* counted from its own sweep */
	assert_int_equal(served(), GROUPS);
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, takeover_teardown)
	const struct CMUnitTest tests[] = {
		T(standby_without_a_store), T(standby_with_a_store), T(manager_restarts), T(who_leaves_is_out), T(switch_dies_too),
		T(switch_dies_later), T(another_engine), T(never_a_loop), T(who_only_sends), T(table_not_read), T(host_goes), T(shared_tree), T(files_of_partitions),
		T(without_grace), T(master_after_master),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
