/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_extended.c - bit 31 of PortInfo's modifier: agents that hide extended speeds without it, agents that refuse it, and both.
 */
#include <config.h>
#include "libmad/attr/sa_attr.h"
#include "sim/phys/phys.h"
#include "tests/unit/test.h"
#include "tests/scenario/world.h"

#define SECOND 1000000
#define RATE_4X_NDR 21
#define SPEED_FDR 1

/* Two switches that can do NDR, a host on each, one link between them. */
static const char ndr[] =
	"Switch 8 \"S-1\"   # \"left\"\n"
	"[1] \"H-1\"[1]     # \"host-0\" lid 1 4xNDR\n"
	"[2] \"S-2\"[2]     # \"right\" lid 2 4xNDR\n"
	"Switch 8 \"S-2\"   # \"right\"\n"
	"[1] \"H-2\"[1]     # \"host-1\" lid 3 4xNDR\n"
	"[2] \"S-1\"[2]     # \"left\" lid 4 4xNDR\n"
	"Ca 1 \"H-1\"       # \"host-0\"\n"
	"[1] \"S-1\"[1]     # lid 1 lmc 0 \"left\" lid 4 4xNDR\n"
	"Ca 1 \"H-2\"       # \"host-1\"\n"
	"[1] \"S-2\"[1]     # lid 3 lmc 0 \"right\" lid 2 4xNDR\n";
static const char *const switches[] = { "left", "right" }, *const hosts[] = { "host-0", "host-1" };

static struct world w;
static struct world_manager *sm;

static int
teardown(void **state)
{
	(void)state;
	world_clear(&w);
	return 0;
}

static void
set_node(const char *name, enum hw_extended_speeds e)
{
	assert_int_equal(hw_extended_speeds_set(w.hw, world_node(&w, name), e), 0);
}

/* SMPs of the next sweep. */
static uint64_t
sweep(void)
{
	uint64_t before = sm->smps;

	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 5 * SECOND));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	return sm->smps - before;
}

/* SMPs of the first sweep, after which the fabric is right; the one that follows it by itself is over, too. */
static uint64_t
start(const char *const *args)
{
	uint64_t first;

	w.keep_deliveries = true;
	sm = world_manager_start(&w, "host-0", args);
	assert_true(world_run_sweeps(&w, sm, 1, 5 * SECOND));
	first = sm->smps;
	assert_true(world_run_sweeps(&w, sm, 1, 5 * SECOND));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
	return first;
}

/* The rate of the path from the last host to the first. */
static unsigned
path_rate(void)
{
	static uint64_t tid = 0x1800;
	uint8_t mad[256] = { 1, 3, 2, METHOD_GET };
	struct hw_packet q = { .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };
	struct hw_delivery d;
	unsigned got = 0;

	wire_put64(mad + 8, ++tid);
	wire_put16(mad + 16, PATH_RECORD_ID);
	wire_put64(mad + 48, 1 << 4 | 1 << 5);          /* DLID, SLID */
	wire_put16(mad + 56 + 40, world_lid(&w, "host-0", 1));
	wire_put16(mad + 56 + 42, world_lid(&w, "host-1", 1));
	memcpy(q.mad, mad, sizeof(mad));
	q.slid = world_lid(&w, "host-1", 1);
	q.dlid = world_lid(&w, "host-0", 1);
	assert_int_equal(hw_send(w.hw, world_node(&w, "host-1"), 1, &q, w.now), 0);
	world_run(&w, SECOND / 100);
	while (world_take_delivery(&w, &d))
		if (dgram_class(d.packet.mad) == CLASS_SA && dgram_method(d.packet.mad) == METHOD_GET_RESP &&
		    dgram_tid(d.packet.mad) == tid && !dgram_status(d.packet.mad))
			got = path_record_decode(d.packet.mad + 56).rate;
	return got;
}

/* What switches that can do NDR do by themselves. */
static void
rates_are_right(void **state)
{
	uint64_t sets;

	(void)state;
	world_init_text(&w, ndr);
	start(NULL);
	assert_int_equal(path_rate(), RATE_4X_NDR);
	sweep();
	assert_int_equal(path_rate(), RATE_4X_NDR);
	sets = sm->sets;
	sweep();
	assert_int_equal(sm->sets, sets);
}

/* The same for agents of hosts. */
static void
hosts_that_hide(void **state)
{
	(void)state;
	world_init_text(&w, ndr);
	for (unsigned i = 0; i < 2; i++)
		set_node(hosts[i], HW_EXTENDED_HIDDEN);
	start(NULL);
	assert_int_equal(path_rate(), RATE_4X_NDR);
}

/* A Set without the bit would leave the register as it is. */
static void
speeds_can_be_set(void **state)
{
	static const char *const args[] = { "--set", "force_link_speed_ext=1", NULL };
	uint8_t info[64];

	(void)state;
	world_init_text(&w, ndr);
	start(args);
	for (unsigned i = 0; i < 2; i++)
		for (uint8_t p = 1; p <= 2; p++) {
			assert_int_equal(hw_port_info(w.hw, world_node(&w, switches[i]), p, info), 0);
			assert_int_equal(port_info_decode(info).speed_ext_enabled, SPEED_FDR);
		}
}

/* An agent that shows everything costs no request more, one that hides one for each host, once. */
static void
requests_are_few(void **state)
{
	uint64_t first, later;

	(void)state;
	world_init_text(&w, ndr);
	hw_extended_speeds_set(w.hw, TOPO_NONE, HW_EXTENDED_SHOWN);
	first = start(NULL);
	later = sweep();
	world_clear(&w);

	world_init_text(&w, ndr);
	hw_extended_speeds_set(w.hw, TOPO_NONE, HW_EXTENDED_HIDDEN);
	assert_int_equal(start(NULL), first + 2);
	assert_int_equal(sweep(), later);
}

/* Whoever refuses the bit although its CapabilityMask promises to take it is managed as before. */
static void
the_bit_is_refused(void **state)
{
	uint64_t later;

	(void)state;
	world_init_text(&w, ndr);
	hw_extended_speeds_set(w.hw, TOPO_NONE, HW_EXTENDED_SHOWN);
	start(NULL);
	later = sweep();
	world_clear(&w);

	world_init_text(&w, ndr);
	hw_extended_speeds_set(w.hw, TOPO_NONE, HW_EXTENDED_REFUSED);
	start(NULL);
	assert_int_equal(path_rate(), RATE_4X_NDR);
	assert_int_equal(sweep(), later);               /* nobody is asked twice for ever */
	assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "left"), 2, w.now), 0);
	world_run(&w, 3 * SECOND);
	assert_int_equal(hw_cable_plug(w.hw, world_node(&w, "left"), 2, world_node(&w, "right"), 2, w.now), 0);
	world_run(&w, 5 * SECOND);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_true(world_is_right(&w));
}

static void
old_and_new(void **state)
{
	(void)state;
	world_init_text(&w, ndr);
	set_node("left", HW_EXTENDED_REFUSED);
	set_node("host-1", HW_EXTENDED_REFUSED);
	start(NULL);
	assert_int_equal(path_rate(), RATE_4X_NDR);
	sweep();
	assert_int_equal(path_rate(), RATE_4X_NDR);
}

/* A switch whose firmware is other than it was: it takes the bit now, or does not any more. */
static void
firmware_changes(void **state)
{
	(void)state;
	world_init_text(&w, ndr);
	start(NULL);
	set_node("left", HW_EXTENDED_REFUSED);
	sweep();
	assert_int_equal(path_rate(), RATE_4X_NDR);
	assert_true(world_is_right(&w));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(rates_are_right, teardown),
		cmocka_unit_test_teardown(hosts_that_hide, teardown),
		cmocka_unit_test_teardown(speeds_can_be_set, teardown),
		cmocka_unit_test_teardown(requests_are_few, teardown),
		cmocka_unit_test_teardown(the_bit_is_refused, teardown),
		cmocka_unit_test_teardown(old_and_new, teardown),
		cmocka_unit_test_teardown(firmware_changes, teardown),
	};

	return cmocka_run_group_tests_name("extended", tests, NULL, NULL);
}
