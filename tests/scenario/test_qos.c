/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos.c - tables of lanes: what the hardware holds, who pays for it, and what packets make of it.
 */
#include <config.h>
#include "libmad/attr/sa_attr.h"
#include "tests/unit/test.h"
#include "sim/phys/phys.h"
#include "sm/manager/manager_int.h"
#include "tests/scenario/world.h"
#include "tests/scenario/registers.h"

#define SECOND 1000000
#define SPEC "fattree:k=4,levels=3"
#define SWITCHES 20u
#define PORTS 4u
#define HOSTS 16u
/* Each switch: an SLtoVL table for each input (port 0 too) and output, a low and a high block of each port; hosts: one each. */
#define SLVLS (SWITCHES * (PORTS + 1) * PORTS + HOSTS)
#define VLARBS ((SWITCHES * PORTS + HOSTS) * 2)

#define SL2VL_CA "--set", "qos_ca_sl2vl=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define SL2VL_SWE "--set", "qos_swe_sl2vl=1,0,3,2,5,4,7,6,14,15,12,13,10,11,8,9"
#define ARB "--set", "qos_vlarb_high=1:10,9:20", "--set", "qos_ca_vlarb_low=0:1,1:2,2:3,3:4,4:5,5:6,6:7,7:8,8:9", \
	"--set", "qos_swe_high_limit=5"
#define FAMILIES SL2VL_CA, SL2VL_SWE, ARB

static const uint8_t sl2vl_ca[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static const uint8_t sl2vl_swe[16] = { 1, 0, 3, 2, 5, 4, 7, 6, 14, 15, 12, 13, 10, 11, 8, 9 };
static const char *const on[] = { "-Q", FAMILIES, NULL };
static const char *const on_optimized[] = { "-Q", FAMILIES, "--set", "use_optimized_slvl=yes", NULL };
static const char *const on_quiet[] = { "-Q", FAMILIES, "--set", "suppress_sl2vl_mad_status_errors=yes", NULL };

static struct world w;
static struct world_manager *sm;

static int
qos_teardown(void **state)
{
	(void)state;
	world_clear(&w);
	return 0;
}

static void
qos_begin(const char *const *args, unsigned vl_cap)
{
	struct hw_conf c = { .seed = 1, .vl_cap = vl_cap };

	world_init_hw(&w, SPEC, &c);
	sm = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, sm, 1, 20 * SECOND));
}

static void
sweep(void)
{
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 20 * SECOND));
}

/* The table in the hardware, as its SMA shows it to anybody. */
static void
image(uint32_t node, uint8_t port, uint16_t attr, uint32_t modifier, uint8_t out[64])
{
	uint8_t *m;
	struct hw_packet p = { .slid = 0xffff, .dlid = 0xffff };
	struct hw_delivery d;

	m = p.mad;
	m[0] = m[2] = 1;
	m[1] = CLASS_SM_DR;
	m[3] = METHOD_GET;
	wire_put64(m + 8, 0x7777);
	wire_put16(m + 16, attr);
	wire_put32(m + 20, modifier);
	wire_put32(m + 32, UINT32_MAX);
	assert_int_equal(hw_send(w.hw, node, port, &p, w.now), 0);      /* a loopback: no hop */
	assert_true(hw_next_delivery(w.hw, &d));
	assert_int_equal(d.packet.mad[3], METHOD_RESP | METHOD_GET);
	assert_int_equal(wire_get16(d.packet.mad + 4) & 0x7fff, 0);
	memcpy(out, d.packet.mad + 64, 64);
}

static unsigned
lanes(uint32_t node, uint8_t port)
{
	unsigned code = hw_port(w.hw, node, port)->info[PI_VLS] >> 4;

	return code == 5 ? 15 : 1u << (code - 1);
}

static unsigned
folded(unsigned vl, unsigned n)
{
	return vl == 15 ? 15 : vl % n;
}

static void
check_slvl(uint32_t node, uint8_t port, unsigned in, const uint8_t vl[16])
{
	bool is_switch = w.hw->nodes[node].type == TOPO_SWITCH;
	uint8_t have[64];

	image(node, is_switch ? 0 : port, SLVL_TABLE_ID, is_switch ? (uint32_t)in << 8 | port : 0, have);
	for (unsigned sl = 0; sl < 16; sl++)
		if ((sl & 1 ? have[sl / 2] & 15 : have[sl / 2] >> 4) != folded(vl[sl], lanes(node, port)))
			fail_msg("node %u: input %u, output %u: SL %u has VL %u", node, in, port, sl, have[sl / 2]);
}

static void
check_arb(uint32_t node, uint8_t port, unsigned block, const uint8_t *pairs, unsigned n)
{
	bool is_switch = w.hw->nodes[node].type == TOPO_SWITCH;
	uint8_t have[64];

	image(node, is_switch ? 0 : port, VLARB_TABLE_ID, block << 16 | (is_switch ? port : 0u), have);
	for (unsigned i = 0; i < 32; i++)
		if (have[2 * i] != (i < n ? folded(pairs[2 * i], lanes(node, port)) : 0) ||
		    have[2 * i + 1] != (i < n ? pairs[2 * i + 1] : 0))
			fail_msg("node %u port %u block %u: entry %u is %u:%u", node, port, block, i, have[2 * i], have[2 * i + 1]);
}

/* Everything is in the hardware as FAMILIES say. */
static void
families_check(void)
{
	static const uint8_t high[] = { 1, 10, 9, 20 }, low[] = { 0, 0, 1, 4, 2, 4, 3, 4, 4, 4, 5, 4, 6, 4, 7, 4 };
	static const uint8_t low_ca[] = { 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8 };     /* eight entries fit */

	for (uint32_t n = 0; n < w.hw->nnodes; n++) {
		bool is_switch = w.hw->nodes[n].type == TOPO_SWITCH;

		for (uint8_t p = 1; p <= w.hw->nodes[n].nports; p++) {
			if (w.hw->links[hw_port_index(w.hw, hw_port(w.hw, n, p))].node == HW_NOWHERE)
				continue;
			for (unsigned in = 0; in <= (is_switch ? w.hw->nodes[n].nports : 0u); in++)
				check_slvl(n, p, in, is_switch ? sl2vl_swe : sl2vl_ca);
			check_arb(n, p, 1, is_switch ? low : low_ca, 8);
			check_arb(n, p, 3, high, 2);
			assert_int_equal(hw_port(w.hw, n, p)->info[38], is_switch ? 5 : 0);     /* VLHighLimit */
		}
	}
}

/* Without qos not one request more, and what is there stays there. */
static void
test_off(void **state)
{
	uint64_t plain;
	uint8_t have[64];

	(void)state;
	qos_begin(NULL, 0);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_int_equal(sm->lane_gets + sm->lane_sets, 0);
	plain = sm->smps;
	image(world_node(&w, "host-3"), 1, SLVL_TABLE_ID, 0, have);
	assert_int_equal(have[4], 0x01);
	world_clear(&w);
	qos_begin(on, 0);
	assert_int_equal(sm->smps, plain + SLVLS + VLARBS);
}

static void
test_cold(void **state)
{
	uint64_t sets;

	(void)state;
	qos_begin(on, 0);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_int_equal(sm->lane_gets, 0);             /* links in INIT: whatever they hold is of no use */
	assert_int_equal(sm->lane_sets, SLVLS + VLARBS);
	families_check();
	assert_true(world_is_right(&w));
	sweep();                                        /* the one that follows a first sweep */
	sets = sm->sets;
	sweep();
	assert_int_equal(sm->sets, sets);
	assert_int_equal(sm->lane_gets, 0);
}

/* Other numbers of lanes: 15, 4, and one that the configuration limits. */
static void
test_lanes(void **state)
{
	static const char *const two[] = { "-Q", FAMILIES, "--set", "max_op_vls=2", NULL };

	(void)state;
	qos_begin(on, 5);
	families_check();
	assert_int_equal(lanes(world_node(&w, "host-3"), 1), 15);
	world_clear(&w);
	qos_begin(on, 3);
	families_check();
	assert_int_equal(lanes(world_node(&w, "host-3"), 1), 4);
	world_clear(&w);
	qos_begin(two, 0);
	families_check();
	assert_int_equal(lanes(world_node(&w, "host-3"), 1), 2);
}

/* qos_max_vls is the limit of the tables, not of the link. */
static void
test_max_vls(void **state)
{
	static const char *const three[] = { "-Q", "--set", "qos_max_vls=3", NULL };
	uint8_t have[64];

	(void)state;
	qos_begin(three, 0);
	assert_int_equal(lanes(world_node(&w, "host-3"), 1), 8);
	image(world_node(&w, "host-3"), 1, SLVL_TABLE_ID, 0, have);
	assert_memory_equal(have, ((const uint8_t[8]){ 0x01, 0x20, 0x12, 0x01, 0x20, 0x12, 0x01, 0x21 }), 8);
}

/* A new manager reads everything and writes nothing. */
static void
test_restart(void **state)
{
	struct world_store store;

	(void)state;
	qos_begin(on, 0);
	sweep();
	store = sm->store;
	world_manager_kill(&w, sm);
	sm = world_manager_start_with(&w, NULL, on, &store);
	assert_true(world_run_sweeps(&w, sm, 1, 20 * SECOND));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_int_equal(sm->lane_gets, SLVLS + VLARBS);
	assert_int_equal(sm->lane_sets, 0);
	families_check();
	sweep();
	assert_int_equal(sm->lane_gets, SLVLS + VLARBS);
	assert_int_equal(sm->lane_sets, 0);
}

/* Overwrites what one port holds, behind the manager's back. */
static void
spoil(uint32_t node, uint8_t port)
{
	static const uint8_t drop[8] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
	struct hw_node *n = &w.hw->nodes[node];

	assert_non_null(n->slvl);
	memset(hw_port(w.hw, node, port)->vlarb, 0, HW_VLARB_BYTES);
	if (n->type != TOPO_SWITCH) {
		memcpy(n->slvl + port * 8u, drop, 8);
		return;
	}
	for (unsigned i = 0; i <= n->nports; i++) {
		memcpy(n->slvl + (i * (n->nports + 1u) + port) * 8, drop, 8);
		memcpy(n->slvl + (port * (n->nports + 1u) + i) * 8, drop, 8);
	}
}

/* A cable that was pulled: its ends are written again, and nothing else is. */
static void
test_cable(void **state)
{
	uint32_t host, leaf;
	uint8_t port;
	uint64_t sets;

	(void)state;
	qos_begin(on, 0);
	sweep();
	host = world_node(&w, "host-3");
	assert_true(hw_peer(w.hw, host, 1, &leaf, &port));
	sets = sm->lane_sets;
	assert_int_equal(hw_cable_pull(w.hw, host, 1, w.now), 0);
	sweep();
	assert_int_equal(sm->lane_sets, sets);
	spoil(host, 1);
	spoil(leaf, port);
	assert_int_equal(hw_cable_plug(w.hw, host, 1, leaf, port, w.now), 0);
	world_run(&w, SECOND);
	sweep();
	families_check();
	/* the host's three; of the leaf: five inputs of the port, four outputs but itself, two blocks */
	assert_int_equal(sm->lane_sets, sets + 3 + (PORTS + 1) + (PORTS - 1) + 2);
	assert_int_equal(sm->lane_gets, 0);
}

/* A switch that was switched off and on has forgotten all. */
static void
test_reboot(void **state)
{
	uint32_t core;

	(void)state;
	qos_begin(on, 0);
	sweep();
	core = world_node(&w, "host-3");
	hw_peer(w.hw, core, 1, &core, &(uint8_t){ 0 });
	assert_int_equal(hw_node_reboot(w.hw, core, 0, w.now), 0);
	world_run(&w, 2 * SECOND);
	sweep();
	families_check();
	assert_true(world_is_right(&w));
}

/* One request for all tables of a switch. */
static void
test_optimized(void **state)
{
	struct world_store store;

	(void)state;
	qos_begin(on_optimized, 0);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	families_check();
	assert_int_equal(sm->lane_gets, 0);
	assert_int_equal(sm->lane_sets, SWITCHES + HOSTS + VLARBS);
	sweep();
	assert_int_equal(sm->lane_sets, SWITCHES + HOSTS + VLARBS);
	store = sm->store;
	world_manager_kill(&w, sm);
	sm = world_manager_start_with(&w, NULL, on_optimized, &store);
	assert_true(world_run_sweeps(&w, sm, 1, 20 * SECOND));
	families_check();
	assert_int_equal(sm->lane_gets, HOSTS + VLARBS);        /* to write a switch's costs less than to look */
	assert_int_equal(sm->lane_sets, SWITCHES);
}

/* Where the outputs of a switch want different tables, one request for each of them. */
static void
test_optimized_mixed(void **state)
{
	uint32_t host, leaf;
	uint64_t sets;
	uint8_t port;

	(void)state;
	qos_begin(on_optimized, 0);
	host = world_node(&w, "host-3");
	assert_true(hw_peer(w.hw, host, 1, &leaf, &port));
	sweep();
	/* the host's port has fewer lanes from now on: VLCap code 1 */
	hw_port(w.hw, host, 1)->info[37] = (uint8_t)(1 << 4 | (hw_port(w.hw, host, 1)->info[37] & 15));
	assert_int_equal(hw_cable_pull(w.hw, host, 1, w.now), 0);
	sweep();
	sets = sm->lane_sets;
	assert_int_equal(hw_cable_plug(w.hw, host, 1, leaf, port, w.now), 0);
	world_run(&w, SECOND);
	sweep();
	assert_int_equal(lanes(host, 1), 1);
	assert_int_equal(lanes(leaf, port), 1);
	families_check();
	assert_int_equal(sm->lane_sets, sets + 3 + PORTS + 2);
}

/* A switch that refuses SLtoVL tables is in the report, with the attribute; told to be quiet, it is not. */
static void
test_refused(void **state)
{
	uint32_t leaf = 0;
	bool found = false;

	(void)state;
	for (unsigned quiet = 0; quiet < 2; quiet++) {
		struct hw_conf c = { .seed = 1 };

		world_init_hw(&w, SPEC, &c);
		for (leaf = 0; w.hw->nodes[leaf].type != TOPO_SWITCH; leaf++)
			;
		assert_int_equal(hw_misbehave(w.hw, leaf, HW_WRONG_STATUS, SLVL_TABLE_ID, 0x0c), 0);
		sm = world_manager_start(&w, NULL, quiet ? on_quiet : on);
		assert_true(world_run_sweeps(&w, sm, 1, 20 * SECOND));
		assert_int_equal(manager_outcome(sm->m), quiet ? OUTCOME_UP : OUTCOME_PARTIAL);
		for (uint32_t i = 0; i < sm->m->sweep.last.nproblems; i++)
			found |= strcmp(sm->m->sweep.last.problems[i].attribute, "SLtoVLMappingTable") == 0 &&
				sm->m->sweep.last.problems[i].at.guid == w.hw->nodes[leaf].topo->guid;
		assert_true(found);
		assert_int_equal(sm->m->sweep.last.nproblems, quiet ? 0 : (PORTS + 1) * PORTS);
		assert_true(world_is_right(&w));
		if (!quiet)
			world_clear(&w);
	}
}

/* Stops the manager when it has sent so many Sets more of lanes, until it has stood still for long. */
static void
freeze_after(uint64_t sets)
{
	sets += sm->lane_sets;
	for (unsigned i = 0; i < 100000 && sm->lane_sets < sets; i++)
		world_run(&w, 100);
	assert_true(sm->lane_sets >= sets);
	w.frozen[0] = true;
	world_run(&w, 8 * SECOND);
	w.frozen[0] = false;
}

/* A sweep that was given up has left other tables than the plan before it says: nothing of that plan counts any more. */
static void
test_given_up(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;
	const char *argv[] = { "heddled", "-F", "/dev/null", "-Q", NULL };
	struct conf *plain, *old;
	unsigned sweeps;

	(void)state;
	qos_begin(on, 0);
	sweep();
	families_check();
	hw_latency_set(w.hw, 1000);
	old = sm->conf;
	assert_int_equal(conf_load(4, (char **)argv, &plain, &e), 0);
	conf_error_clear(&e);
	manager_set_conf(sm->m, plain, w.now);
	sm->conf = plain;
	sweeps = manager_sweeps(sm->m);
	freeze_after(200);
	assert_int_equal(manager_sweeps(sm->m), sweeps);
	manager_set_conf(sm->m, old, w.now);
	sm->conf = old;
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
	conf_free(plain);
	families_check();
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
}

/* Adapters with two ports, on one switch and on two; a router. */
static void
test_many_ports(void **state)
{
	static const char text[] =
		"switchguid=0xa00(a00)\n"
		"Switch 8 \"S-0000000000000a00\" # \"left\" enhanced port 0 lid 0 lmc 0\n"
		"[1] \"H-0000000000000100\"[1](101)\n"
		"[2] \"H-0000000000000200\"[1](201)\n"
		"[3] \"H-0000000000000200\"[2](202)\n"
		"[4] \"R-0000000000000300\"[1](301)\n"
		"[7] \"S-0000000000000b00\"[7]\n"
		"\n"
		"switchguid=0xb00(b00)\n"
		"Switch 8 \"S-0000000000000b00\" # \"right\" base port 0 lid 0 lmc 0\n"
		"[1] \"H-0000000000000100\"[2](102)\n"
		"[4] \"R-0000000000000300\"[2](302)\n"
		"[7] \"S-0000000000000a00\"[7]\n"
		"\n"
		"caguid=0x100\n"
		"Ca 2 \"H-0000000000000100\" # \"dual\"\n"
		"[1](101) \"S-0000000000000a00\"[1]\n"
		"[2](102) \"S-0000000000000b00\"[1]\n"
		"\n"
		"caguid=0x200\n"
		"Ca 2 \"H-0000000000000200\" # \"both\"\n"
		"[1](201) \"S-0000000000000a00\"[2]\n"
		"[2](202) \"S-0000000000000a00\"[3]\n"
		"\n"
		"rtguid=0x300\n"
		"Rt 2 \"R-0000000000000300\" # \"router\"\n"
		"[1](301) \"S-0000000000000a00\"[4]\n"
		"[2](302) \"S-0000000000000b00\"[4]\n";
	static const char *const args[] = { "-Q", SL2VL_CA, SL2VL_SWE, "--set", "qos_rtr_sl2vl=2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,15",
		"--set", "qos_sw0_sl2vl=7,6,5,4,3,2,1,0,7,6,5,4,3,2,1,15", "--set", "qos_sw0_high_limit=9", NULL };
	static const uint8_t rtr[16] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 15 };
	static const uint8_t sw0[16] = { 7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 15 };
	struct world_store store;
	uint32_t left, right;

	(void)state;
	world_init_text(&w, text);
	sm = world_manager_start(&w, "dual", args);
	assert_true(world_run_sweeps(&w, sm, 1, 20 * SECOND));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	left = world_node(&w, "left");
	right = world_node(&w, "right");
	for (unsigned again = 0; again < 2; again++) {
		for (uint8_t p = 1; p <= 2; p++) {
			check_slvl(world_node(&w, "dual"), p, 0, sl2vl_ca);
			check_slvl(world_node(&w, "both"), p, 0, sl2vl_ca);
			check_slvl(world_node(&w, "router"), p, 0, rtr);
			for (unsigned in = 0; in <= 7; in++) {
				if (in < 5 || in == 7)
					check_slvl(left, p, in, sl2vl_swe);
				if (in < 2 || in == 4 || in == 7)
					check_slvl(right, 1, in, sl2vl_swe);
			}
		}
		check_slvl(left, 0, 3, sw0);
		assert_int_equal(hw_port(w.hw, left, 0)->info[38], 9);
		if (again)
			break;
		sweep();
		store = sm->store;
		world_manager_kill(&w, sm);
		sm = world_manager_start_with(&w, "dual", args, &store);
		assert_true(world_run_sweeps(&w, sm, 1, 20 * SECOND));
		/* hosts 6 ports, left 5 x 6 + 6 pairs and 12 blocks with port 0, right 3 x 4 and 6 */
		assert_int_equal(sm->lane_gets, 6 * 3 + 36 + 12 + 12 + 6);
		assert_int_equal(sm->lane_sets, 0);
	}
}

/* Who takes over has seen nothing written: it reads everything, and finds it as it should be. */
static void
test_takeover(void **state)
{
	struct world_manager *standby;
	uint64_t gets;

	(void)state;
	qos_begin(on, 0);
	standby = world_manager_start(&w, "host-9", on);
	world_run(&w, 5 * SECOND);
	assert_int_equal(standby->lane_gets + standby->lane_sets, 0);
	world_manager_kill(&w, sm);
	world_run(&w, 30 * SECOND);
	assert_int_equal(manager_outcome(standby->m), OUTCOME_UP);
	gets = standby->lane_gets;
	assert_int_equal(gets, SLVLS + VLARBS);
	assert_int_equal(standby->lane_sets, 0);
	families_check();
	manager_sweep(standby->m, "test", w.now);
	assert_true(world_run_sweeps(&w, standby, 1, 20 * SECOND));
	assert_int_equal(standby->lane_gets, gets);
	assert_int_equal(standby->lane_sets, 0);
}

/* What is lost on the way is written again, in the same sweep or a later one. */
static void
test_lossy(void **state)
{
	struct hw_faults loss = { .drop_ppm = 50000 };
	struct hw_conf c = { .seed = 7, .latency_us = 50 };

	(void)state;
	world_init_hw(&w, SPEC, &c);
	assert_int_equal(hw_faults_set(w.hw, TOPO_NONE, &loss), 0);
	sm = world_manager_start(&w, NULL, on);
	world_run(&w, 120 * (int64_t)SECOND);
	assert_int_equal(hw_faults_set(w.hw, TOPO_NONE, &(struct hw_faults){ 0 }), 0);
	sweep();
	sweep();
	families_check();
	assert_true(world_is_right(&w));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
}

/* A switch that says nothing to one attribute stops nobody else. */
static void
test_mute(void **state)
{
	struct hw_conf c = { .seed = 1, .latency_us = 10 };
	uint32_t mute;
	uint8_t port;

	(void)state;
	world_init_hw(&w, SPEC, &c);
	hw_peer(w.hw, world_node(&w, "host-5"), 1, &mute, &port);
	assert_int_equal(hw_misbehave(w.hw, mute, HW_MUTE, SLVL_TABLE_ID, 0), 0);
	sm = world_manager_start(&w, NULL, on);
	assert_true(world_run_sweeps(&w, sm, 1, 30 * SECOND));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_PARTIAL);
	assert_in_range(sm->m->sweep.last.nproblems, 1, (PORTS + 1) * PORTS + 4 * PORTS);       /* who says nothing is not asked for ever */
	for (uint32_t i = 0; i < sm->m->sweep.last.nproblems; i++)
		assert_true(sm->m->sweep.last.problems[i].at.guid == w.hw->nodes[mute].topo->guid);
	for (uint32_t n = 0; n < w.hw->nnodes; n++)
		for (uint8_t p = 1; n != mute && p <= w.hw->nodes[n].nports; p++)
			check_slvl(n, p, 0, w.hw->nodes[n].type == TOPO_SWITCH ? sl2vl_swe : sl2vl_ca);
	assert_int_equal(hw_misbehave(w.hw, mute, HW_NONE, 0, 0), 0);
	sweep();
	families_check();
	assert_true(world_is_right(&w));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
}

/* Reloaded with and without qos: everything is written, then everything stays. */
static void
test_reload(void **state)
{
	struct conf_error e = CONF_ERROR_INIT;
	struct conf *with, *old;
	const char *argv[] = { "heddled", "-F", "/dev/null", "-Q", FAMILIES, NULL };

	(void)state;
	qos_begin(NULL, 0);
	sweep();
	old = sm->conf;
	assert_int_equal(conf_load(4 + 2 * 5, (char **)argv, &with, &e), 0);
	conf_error_clear(&e);
	manager_set_conf(sm->m, with, w.now);
	sm->conf = with;
	assert_true(world_run_sweeps(&w, sm, 1, 20 * SECOND));
	assert_int_equal(sm->lane_gets, SLVLS + VLARBS);
	assert_in_range(sm->lane_sets, 1, SLVLS + VLARBS);
	families_check();
	manager_set_conf(sm->m, old, w.now);
	sm->conf = old;
	conf_free(with);
	with = NULL;
	{
		uint64_t gets = sm->lane_gets, sets = sm->lane_sets;

		sweep();
		sweep();
		assert_int_equal(sm->lane_gets, gets);
		assert_int_equal(sm->lane_sets, sets);
	}
	families_check();
}

int
main(void)
{
#define T(f) cmocka_unit_test_teardown(f, qos_teardown)
	const struct CMUnitTest tests[] = {
		T(test_off), T(test_cold), T(test_lanes), T(test_max_vls), T(test_restart), T(test_cable), T(test_reboot),
		T(test_optimized), T(test_optimized_mixed), T(test_refused), T(test_given_up), T(test_takeover), T(test_lossy), T(test_mute), T(test_many_ports), T(test_reload),
	};

	return cmocka_run_group_tests_name("scenario/qos", tests, NULL, NULL);
}
