/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_lanes.c - engines that use several VLs, down to the tables of the switches.
 *
 * Forwarding and SLtoVL tables are read from the simulated switches, SLs from path records that hosts
 * query.  Each pair of hosts is followed with its SL, its replies with the same SL; what comes by a
 * link on one VL and leaves by another makes an edge, and no edges may make a cycle.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmad/attr/sa_attr.h"
#include "sim/agents/agents.h"
#include "sim/phys/phys.h"
#include "sm/manager/manager_int.h"
#include "tests/scenario/registers.h"
#include "tests/scenario/world.h"
#include "tests/unit/test.h"

#define SECOND 1000000
#define HOSTS_MAX 64
#define VLS 16u
#define CHANNELS_MAX 4096u
#define HOPS_MAX 64u
#define NO_PATH 0xff

static struct world w;
static struct world_manager *sm;
static uint32_t host[HOSTS_MAX];
static unsigned nhosts;
static uint8_t sl_of[HOSTS_MAX][HOSTS_MAX];
static uint64_t goes_on[CHANNELS_MAX][CHANNELS_MAX / 64];
static uint32_t channels[CHANNELS_MAX]; /* ports and VLs, as they are met */
static unsigned nchannels;
static unsigned vls_met;
static bool one_vl;                     /* count all VLs as one */

static int
lanes_teardown(void **state)
{
	(void)state;
	world_clear(&w);
	return 0;
}

static void
lanes_begin(const char *spec, const char *const *args)
{
	world_init(&w, spec, 1);
	w.keep_deliveries = true;
	nhosts = 0;
	for (uint32_t i = 0; i < w.topo.nnodes; i++)
		if (w.topo.nodes[i].type == TOPO_CA && nhosts < HOSTS_MAX)
			host[nhosts++] = i;
	sm = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, sm, 2, 60 * SECOND));
}

static void
change_to(const char *const *args)
{
	world_manager_reload(&w, sm, args);
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
}

static uint16_t
lid_of(unsigned h)
{
	return world_lid(&w, w.topo.nodes[host[h]].desc, 1);
}

/* ---- path records ---- */

static void
ask(unsigned from, unsigned to, uint64_t tid, int sl)
{
	struct hw_packet q = { .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };
	struct path_record p = { .slid = lid_of(from), .dlid = lid_of(to), .sl = (uint8_t)sl };
	uint64_t mask = SA_COMP(path_record, slid) | SA_COMP(path_record, dlid);

	q.mad[0] = 1;
	q.mad[1] = 3;
	q.mad[2] = 2;
	q.mad[3] = METHOD_GET;
	wire_put64(q.mad + 8, tid);
	wire_put16(q.mad + 16, PATH_RECORD_ID);
	wire_put64(q.mad + 48, mask | (sl >= 0 ? SA_COMP(path_record, sl) : 0));
	path_record_encode(q.mad + 56, &p);
	q.slid = lid_of(from);
	q.dlid = world_lid(&w, w.topo.nodes[sm->node].desc, 1);
	assert_int_equal(hw_send(w.hw, host[from], 1, &q, w.now), 0);
}

#define TID(round, a, b) ((uint64_t)(round) << 32 | (a) << 16 | (b))

/* The SL that each host is given for each other one. */
static void
ask_all(void)
{
	static unsigned round;
	struct hw_delivery d;

	round++;
	memset(sl_of, NO_PATH, sizeof(sl_of));
	for (unsigned a = 0; a < nhosts; a++) {
		for (unsigned b = 0; b < nhosts; b++)
			if (a != b)
				ask(a, b, TID(round, a, b), -1);
		world_run(&w, SECOND / 50);
		while (world_take_delivery(&w, &d)) {
			uint64_t tid = dgram_tid(d.packet.mad);

			if (dgram_method(d.packet.mad) == METHOD_GET_RESP && tid >> 32 == round &&
				!dgram_status(d.packet.mad))
				sl_of[tid >> 16 & 0xffff][tid & 0xffff] =
					path_record_decode(d.packet.mad + 56).sl;
		}
	}
	for (unsigned a = 0; a < nhosts; a++)
		for (unsigned b = 0; b < nhosts; b++)
			if (a != b && sl_of[a][b] == NO_PATH)
				fail_msg("no path from %u to %u", a, b);
}

/* The status of a query for one SL. */
static unsigned
ask_sl(unsigned a, unsigned b, int sl)
{
	static uint64_t tid = UINT64_C(7) << 56;
	struct hw_delivery d;
	unsigned status = 0xffff;

	ask(a, b, ++tid, sl);
	world_run(&w, SECOND / 50);
	while (world_take_delivery(&w, &d))
		if (dgram_method(d.packet.mad) == METHOD_GET_RESP && dgram_tid(d.packet.mad) == tid)
			status = dgram_status(d.packet.mad);
	return status;
}

/* ---- packets ---- */

static unsigned
vls_of(uint32_t node, uint8_t port)
{
	unsigned code = hw_port(w.hw, node, port)->info[PI_VLS] >> 4;

	return code >= 5 ? 15 : 1u << (code - 1);
}

static unsigned
vl_of(uint32_t node, uint8_t in, uint8_t out, uint8_t sl)
{
	uint8_t table[SLVL_TABLE_BYTES];

	assert_int_equal(sma_slvl_image(w.hw, node, in, out, table), 0);
	return sl & 1 ? table[sl / 2] & 15 : table[sl / 2] >> 4;
}

static unsigned
channel_of(uint32_t node, uint8_t in, unsigned vl)
{
	uint32_t name = (uint32_t)hw_port_index(w.hw, hw_port(w.hw, node, in)) * VLS +
		(one_vl ? 0 : vl);
	unsigned i = 0;

	while (i < nchannels && channels[i] != name)
		i++;
	assert_true(i < CHANNELS_MAX);
	if (i == nchannels)
		channels[nchannels++] = name;
	return i;
}

/* Follows a packet from host 'a' to 'lid' by the tables of now; false: they drop it.  Its VL exists at
 * each port that it leaves by. */
static bool
follow(unsigned a, uint16_t lid, uint8_t sl, bool graph)
{
	uint32_t node = host[a], next, before = UINT32_MAX;
	uint8_t out = 1, in;
	unsigned hops = 0;

	while (hw_peer(w.hw, node, out, &next, &in)) {
		const struct hw_node *n = &w.hw->nodes[node = next];
		unsigned vl, channel;

		if (n->type != TOPO_SWITCH)
			return true;
		assert_true(hops++ < HOPS_MAX);
		if (lid >= n->lft_len || lid > n->lft_top || n->lft[lid] > n->nports || !n->lft[lid])
			return false;
		out = n->lft[lid];
		vl = vl_of(node, in, out, sl);
		if (vl >= vls_of(node, out))
			fail_msg("%s port %u to %u: SL %u has VL %u of %u",
				w.topo.nodes[node].desc, in, out, sl, vl, vls_of(node, out));
		if (!graph || !hw_peer(w.hw, node, out, &next, &in) ||
			w.hw->nodes[next].type != TOPO_SWITCH)
			continue;
		vls_met |= 1u << vl;
		channel = channel_of(next, in, vl);
		if (before != UINT32_MAX)
			goes_on[before][channel / 64] |= UINT64_C(1) << channel % 64;
		before = channel;
	}
	return false;
}

static bool
is_left(const uint64_t *row, const bool *gone)
{
	for (unsigned i = 0; i * 64 < nchannels; i++)
		for (uint64_t bits = row[i]; bits; bits &= bits - 1)
			if (!gone[i * 64 + (unsigned)__builtin_ctzll(bits)])
				return true;
	return false;
}

/* Whether the edges make a cycle: takes channels away that nothing goes on to. */
static bool
has_cycle(void)
{
	static bool gone[CHANNELS_MAX];
	bool any = true;

	memset(gone, 0, sizeof(gone));
	while (any) {
		any = false;
		for (unsigned c = 0; c < nchannels; c++)
			if (!gone[c] && !is_left(goes_on[c], gone))
				gone[c] = any = true;
	}
	for (unsigned c = 0; c < nchannels; c++)
		if (!gone[c])
			return true;
	return false;
}

static bool
has_credit_loop(bool merged)
{
	memset(goes_on, 0, sizeof(goes_on));
	vls_met = nchannels = 0;
	one_vl = merged;
	for (unsigned a = 0; a < nhosts; a++)
		for (unsigned b = 0; b < nhosts; b++) {
			if (a == b)
				continue;
			assert_true(follow(a, lid_of(b), sl_of[a][b], true));
			assert_true(follow(b, lid_of(a), sl_of[a][b], true));
		}
	return has_cycle();
}

/* PortInfo of every port names the SL of its path to the manager. */
static void
check_sm_sls(void)
{
	unsigned at = 0;

	while (host[at] != sm->node)
		at++;
	for (unsigned a = 0; a < nhosts; a++)
		if (a != at)
			assert_int_equal(ATTR_GET(port_info, master_sm_sl,
						 hw_port(w.hw, host[a], 1)->info),
				sl_of[a][at]);
}

/* ---- tests ---- */

/* 'sls': the engine sets SLs.  'wanted_sets': of SLtoVL and VLArbitration tables; 0: any number. */
static void
brings_up(const char *spec, const char *engine, bool sls, uint64_t wanted_sets)
{
	const char *const args[] = { "-R", engine, NULL };
	unsigned used = 0;
	uint64_t sets;

	lanes_begin(spec, args);
	assert_string_equal(sm->m->net.served.plan->engine, engine);
	assert_true(world_is_right(&w));
	ask_all();
	assert_false(has_credit_loop(false));
	printf("# %s %s: VLs 0x%x\n", spec, engine, vls_met);
	assert_true(vls_met & (vls_met - 1));
	assert_true(has_credit_loop(true));             /* on one VL there would be one */
	for (unsigned a = 0; a < nhosts; a++)
		for (unsigned b = 0; b < nhosts; b++)
			used |= a == b ? 0 : 1u << sl_of[a][b];
	assert_int_equal(!!(used & (used - 1)), sls);
	check_sm_sls();
	sets = sm->lane_sets;
	assert_true(sets > 0 && (!wanted_sets || sets == wanted_sets));
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
	assert_true(sm->lane_sets == sets);             /* what is known is not written again */
	for (int sl = 0; sl < 16; sl++)
		assert_int_equal(ask_sl(1, nhosts - 1, sl),
			!sls || sl == sl_of[1][nhosts - 1] ? 0 : 0x0300);
	world_clear(&w);
}

static void
each_engine(void **state)
{
	(void)state;
	/* at each of 4 ports to switches: all inputs at once, the two of its own ring, two blocks
	 * of arbitration; nothing at ports to hosts */
	brings_up("torus:5x5,hosts=1", "torus-2qos", false, 25 * 4 * (1 + 2 + 2));
	brings_up("torus:8x4,hosts=1", "torus-2qos", true, 0);
	/* at each switch all pairs at once; at each end of 40 cables and 40 hosts two blocks of
	 * arbitration; at each host a table */
	brings_up("random:switches=20,cables=40,hosts=2,seed=3", "dfsssp", true,
		20 + 2 * 2 * (40 + 40) + 40);
	brings_up("random:switches=20,cables=40,hosts=2,seed=3", "lash", true, 0);
	brings_up("dragonfly:a=4,h=2,p=1", "dragonfly", false, 0);
	world_init(&w, "fattree:k=4,levels=2", 1);      /* for teardown */
}

/* A partition has SL 3: two QoS levels, each with VLs of its own. */
static void
with_qos(void **state)
{
	char file[] = "/tmp/heddle-lanes-XXXXXX";
	const char *const torus[] = { "-R", "torus-2qos", "-Q", "--Pconfig", file, NULL };
	const char *const sp[] = { "-R", "dfsssp,updn", "-Q", "--Pconfig", file, NULL };
	static const char text[] = "Default=0x7fff,sl=3,ipoib:ALL=full;\n";
	int fd = mkstemp(file);

	(void)state;
	assert_true(fd >= 0 && write(fd, text, sizeof(text) - 1) == sizeof(text) - 1);
	close(fd);
	lanes_begin("torus:5x5,hosts=1", torus);
	assert_string_equal(sm->m->net.served.plan->engine, "torus-2qos");
	ask_all();
	assert_int_equal(sl_of[0][nhosts - 1], 3);
	assert_false(has_credit_loop(false));
	assert_int_equal(vls_met, 0xc);                 /* level 1: VLs 2 and 3 */
	for (unsigned a = 0; a < nhosts; a++)
		for (unsigned b = 0; b < nhosts; b++)
			sl_of[a][b] = 0;
	assert_false(has_credit_loop(false));
	assert_int_equal(vls_met, 0x3);
	change_to(sp);                                  /* it sets SLs: refused */
	assert_string_equal(sm->m->net.served.plan->engine, "updn");
	unlink(file);
}

/* Another run of the manager gives pairs the same SLs. */
static void
a_manager_starts_again(void **state)
{
	static const char *const sp[] = { "-R", "dfsssp", NULL };
	uint8_t before[HOSTS_MAX][HOSTS_MAX];

	(void)state;
	lanes_begin("random:switches=20,cables=60,hosts=1,seed=3", sp);
	ask_all();
	memcpy(before, sl_of, sizeof(before));
	world_manager_kill(&w, sm);
	world_run(&w, 5 * SECOND);
	sm = world_manager_start(&w, NULL, sp);
	assert_true(world_run_sweeps(&w, sm, 2, 60 * SECOND));
	ask_all();
	assert_memory_equal(before, sl_of, sizeof(before));
	assert_false(has_credit_loop(false));
}

struct passage {
	unsigned looks, lost;
	uint64_t sum;
};

static uint64_t
sum_of_tables(void)
{
	uint64_t sum = world_tables(&w);

	for (uint32_t i = 0; i < hw_nodes(w.hw); i++) {
		const struct hw_node *n = &w.hw->nodes[i];
		size_t bytes = n->slvl && n->type == TOPO_SWITCH ?
			(n->nports + 1u) * (n->nports + 1u) * SLVL_TABLE_BYTES : 0;

		for (size_t k = 0; k < bytes; k++)
			sum = sum * 0x100000001b3u + n->slvl[k];
	}
	return sum;
}

/* Every packet that hosts may send now, with SL 0 or that of its path record, has a VL. */
static void
look(struct world *world, void *arg)
{
	struct passage *p = arg;
	uint64_t sum = sum_of_tables();

	(void)world;
	if (sum == p->sum)
		return;
	p->sum = sum;
	p->looks++;
	for (unsigned a = 0; a < nhosts; a++)
		for (unsigned b = 0; b < nhosts; b++)
			if (a != b)
				p->lost += !(follow(a, lid_of(b), sl_of[a][b], false) &&
					follow(a, lid_of(b), 0, false) &&
					follow(b, lid_of(a), sl_of[a][b], false));
}

static void
changes_of_engine(void **state)
{
	static const char *const tree[] = { "-R", "ftree", NULL }, *const sp[] = { "-R", "dfsssp", NULL };
	struct passage p = { 0 };

	(void)state;
	lanes_begin("fattree:k=4,levels=3", tree);
	ask_all();
	assert_int_equal(sl_of[0][nhosts - 1], 0);
	w.look = look;
	w.look_arg = &p;
	change_to(sp);
	w.look = NULL;
	assert_string_equal(sm->m->net.served.plan->engine, "dfsssp");
	assert_int_equal(sm->m->sweep.last.outcome, OUTCOME_UP);
	assert_true(p.looks > 20);
	ask_all();
	assert_false(has_credit_loop(false));
	assert_true(vls_met & (vls_met - 1));
	w.look = look;
	change_to(tree);
	w.look = NULL;
	assert_string_equal(sm->m->net.served.plan->engine, "ftree");
	assert_int_equal(p.lost, 0);
	for (uint8_t sl = 0; sl < 16; sl++)             /* old lanes are retired */
		assert_int_equal(vl_of(world_node(&w, "agg-1-0"), 1, 2, sl), 0);
	ask_all();
	assert_int_equal(sl_of[0][nhosts - 1], 0);
	assert_true(world_is_right(&w));
}

static void
a_switch_does_not_take_its_tables(void **state)
{
	static const char *const tree[] = { "-R", "ftree", NULL },
		*const sp[] = { "-R", "dfsssp,updn,no_fallback", NULL };
	uint64_t before, sweeps;

	(void)state;
	lanes_begin("fattree:k=4,levels=3", tree);
	before = world_tables(&w);
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "agg-1-0"), HW_NO_SET, SLVL_TABLE_ID, 0), 0);
	sweeps = sm->lft_sets;
	change_to(sp);
	assert_int_equal(sm->m->sweep.last.outcome, OUTCOME_REFUSED);
	assert_true(world_tables(&w) == before);
	assert_true(sm->lft_sets == sweeps);
	assert_string_equal(sm->m->net.served.plan->engine, "ftree");
	ask_all();
	assert_int_equal(sl_of[0][nhosts - 1], 0);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));  /* by itself */
	assert_string_equal(sm->m->net.served.plan->engine, "updn");
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "agg-1-0"), HW_NONE, 0, 0), 0);
	change_to(sp);                                  /* a reload: another chance */
	assert_string_equal(sm->m->net.served.plan->engine, "dfsssp");
	ask_all();
	assert_false(has_credit_loop(false));
}

/* The first cable between switches, from 'node' on. */
static void
some_cable(uint32_t *node, uint8_t *port)
{
	uint32_t peer;
	uint8_t in;

	for (; *node < w.topo.nnodes; (*node)++)
		for (*port = 1; w.topo.nodes[*node].type == TOPO_SWITCH &&
			*port <= w.hw->nodes[*node].nports; (*port)++)
			if (hw_peer(w.hw, *node, *port, &peer, &in) &&
				w.hw->nodes[peer].type == TOPO_SWITCH)
				return;
	fail();
}

/* A cable is lost and comes back: pairs keep their SLs, and nobody loses a packet that had a way. */
static void
a_cable_is_lost(void **state)
{
	static const char *const sp[] = { "-R", "dfsssp", NULL };
	uint8_t before[HOSTS_MAX][HOSTS_MAX], port = 0;
	struct passage p = { 0 };
	uint32_t node = 0;
	unsigned moved = 0;

	(void)state;
	lanes_begin("random:switches=20,cables=60,hosts=1,seed=3", sp);
	ask_all();
	w.look = look;
	w.look_arg = &p;
	memcpy(before, sl_of, sizeof(before));
	some_cable(&node, &port);
	assert_int_equal(hw_cable_pull(w.hw, node, port, w.now), 0);
	world_run(&w, 20 * SECOND);
	assert_int_equal(sm->m->sweep.last.outcome, OUTCOME_UP);
	w.look = NULL;
	ask_all();
	assert_false(has_credit_loop(false));
	for (unsigned a = 0; a < nhosts; a++)
		for (unsigned b = 0; b < nhosts; b++)
			moved += sl_of[a][b] != before[a][b];
	printf("# a cable is lost: %u of %u pairs have another SL\n", moved, nhosts * (nhosts - 1));
	assert_true(moved < nhosts * (nhosts - 1) / 2);
	assert_true(world_is_right(&w));
}

/* One that does not answer is tried twice. */
static void
a_switch_does_not_answer(void **state)
{
	static const char *const sp[] = { "-R", "dfsssp,updn,no_fallback", NULL };

	(void)state;
	world_init(&w, "fattree:k=4,levels=3", 1);
	assert_int_equal(hw_misbehave(w.hw, world_node(&w, "agg-1-0"), HW_MUTE, SLVL_TABLE_ID, 0), 0);
	sm = world_manager_start(&w, NULL, sp);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
	assert_int_equal(sm->m->sweep.last.outcome, OUTCOME_REFUSED);
	assert_null(sm->m->net.served.plan);
	assert_true(world_run_sweeps(&w, sm, 2, 120 * SECOND));
	assert_non_null(sm->m->net.served.plan);
	assert_string_equal(sm->m->net.served.plan->engine, "updn");
	assert_true(world_is_right(&w));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_engine, lanes_teardown),
		cmocka_unit_test_teardown(with_qos, lanes_teardown),
		cmocka_unit_test_teardown(a_manager_starts_again, lanes_teardown),
		cmocka_unit_test_teardown(changes_of_engine, lanes_teardown),
		cmocka_unit_test_teardown(a_switch_does_not_take_its_tables, lanes_teardown),
		cmocka_unit_test_teardown(a_switch_does_not_answer, lanes_teardown),
		cmocka_unit_test_teardown(a_cable_is_lost, lanes_teardown),
	};

	return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
