/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_aliases.c - the whole manager and alias GUIDs: requests by datagram, tables in the ports, what outlives what.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sim/phys/phys.h"
#include "sm/manager/manager_int.h"
#include "tests/scenario/world.h"
#include "tests/scenario/registers.h"

enum { HOSTS = 8 };
#define SECOND INT64_C(1000000)

static struct world w;
static struct world_manager *sm;
static uint32_t host[HOSTS];            /* host[0] is the manager's */
static uint64_t tid;

static int
aliases_teardown(void **state)
{
	(void)state;
	world_clear(&w);
	return 0;
}

static void
aliases_begin(void)
{
	unsigned n = 0;

	world_init(&w, "fattree:k=4,levels=2", 1);
	w.keep_deliveries = true;
	for (uint32_t i = 0; i < w.hw->nnodes && n < HOSTS; i++)
		if (w.hw->nodes[i].type == TOPO_CA)
			host[n++] = i;
	assert_int_equal(n, HOSTS);
	sm = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, sm, 2, 60 * SECOND));
	assert_true(world_is_right(&w));
}

static void
sweep(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		manager_sweep(sm->m, "test", w.now);
		assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
	}
}

static uint64_t
guid_of(unsigned h)
{
	return hw_port(w.hw, host[h], 1)->guid;
}

static uint16_t
lid_of(unsigned h)
{
	return wire_get16(hw_port(w.hw, host[h], 1)->info + PI_LID);
}

static void
send_to_sm(unsigned h, const uint8_t mad[256])
{
	struct hw_packet q = { .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI, .slid = lid_of(h), .dlid = lid_of(0) };

	memcpy(q.mad, mad, 256);
	wire_put64(q.mad + 8, ++tid);
	assert_int_equal(hw_send(w.hw, host[h], 1, &q, w.now), 0);
}

static void
ask(unsigned h, uint8_t method, unsigned entry, uint64_t guid)
{
	uint8_t mad[256] = { 1, 3, 2, method };

	wire_put16(mad + 16, GUID_INFO_RECORD_ID);
	wire_put64(mad + 48, 3 | UINT64_C(1) << (4 + entry));
	wire_put16(mad + 56, lid_of(h));
	wire_put64(mad + 56 + 8 + 8 * entry, guid);
	send_to_sm(h, mad);
}

/* The answer to the last request: its status, -1 none. */
static int
answered(void)
{
	struct hw_delivery d;
	int status = -1;

	while (world_take_delivery(&w, &d))
		if (dgram_class(d.packet.mad) == CLASS_SA && dgram_method(d.packet.mad) & METHOD_RESP &&
		    dgram_tid(d.packet.mad) == tid)
			status = dgram_status(d.packet.mad);
	return status;
}

static int
give(unsigned h, unsigned entry, uint64_t guid)
{
	ask(h, METHOD_SET, entry, guid);
	world_run(&w, SECOND / 10);
	return answered();
}

static uint64_t
holds(unsigned h, unsigned entry)
{
	const struct hw_port *p = hw_port(w.hw, host[h], 1);

	return p->guids ? p->guids[entry] : 0;
}

static void
written_before_it_is_answered(void **state)
{
	uint64_t sets;

	(void)state;
	aliases_begin();
	assert_int_equal(give(3, 1, 0xa1), 0);
	assert_int_equal(holds(3, 1), 0xa1);
	assert_int_equal(give(3, 2, 0xa2), 0);
	assert_int_equal(holds(3, 1), 0xa1);
	assert_int_equal(holds(3, 2), 0xa2);
	assert_int_equal(give(4, 1, 0xa1), 0);          /* somebody's already */
	assert_int_equal(holds(4, 1), 0);
	ask(3, METHOD_DELETE, 1, 0);
	world_run(&w, SECOND / 10);
	assert_int_equal(answered(), 0);
	assert_int_equal(holds(3, 1), 0);
	assert_int_equal(holds(3, 2), 0xa2);
	sets = sm->sets;
	assert_int_equal(give(3, 2, 0xa2), 0);          /* nothing changes, nothing is sent */
	sweep(2);
	assert_int_equal(sm->sets, sets);
	assert_int_equal(holds(3, 2), 0xa2);
}

/* The port does not take it: the request is refused, and nobody has the alias. */
static void
port_refuses(void **state)
{
	(void)state;
	aliases_begin();
	assert_int_equal(give(3, 1, 0xa1), 0);
	hw_misbehave(w.hw, host[3], HW_NO_SET, GUID_INFO_ID, 0);
	assert_int_equal(give(3, 1, 0xa2), STATUS_SA_NO_RESOURCES);
	assert_int_equal(alias_owner(sm->m->registry.alias, 0xa2), 0);
	assert_int_equal(alias_owner(sm->m->registry.alias, 0xa1), guid_of(3));
	hw_misbehave(w.hw, host[3], HW_MUTE, GUID_INFO_ID, 0);
	ask(3, METHOD_SET, 1, 0xa3);
	world_run(&w, 30 * SECOND);
	assert_int_equal(answered(), STATUS_SA_NO_RESOURCES);
	assert_int_equal(alias_owner(sm->m->registry.alias, 0xa3), 0);
	hw_misbehave(w.hw, host[3], HW_NONE, 0, 0);
	sweep(1);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_int_equal(holds(3, 1), 0xa1);
	assert_int_equal(give(3, 1, 0xa4), 0);
	assert_int_equal(holds(3, 1), 0xa4);
}

/* The port took it, and its answer was lost: it is refused, and what was there before is put back soon. */
static void
answer_is_lost(void **state)
{
	int status = -1;

	(void)state;
	aliases_begin();
	assert_int_equal(give(3, 1, 0xa1), 0);
	world_run(&w, 5 * SECOND);
	hw_misbehave(w.hw, host[3], HW_MUTE, GUID_INFO_ID, 0);
	ask(3, METHOD_SET, 1, 0xa2);
	for (unsigned i = 0; i < 1000 && status < 0; i++) {
		world_run(&w, SECOND / 1000);
		status = answered();
		if (status >= 0)
			hw_misbehave(w.hw, host[3], HW_NONE, 0, 0);
		else
			world_run(&w, SECOND / 100);
	}
	assert_int_equal(status, STATUS_SA_NO_RESOURCES);
	hw_port(w.hw, host[3], 1)->guids[1] = 0xa2;
	world_run(&w, 5 * SECOND);
	assert_int_equal(holds(3, 1), 0xa1);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
}

static void
many_at_once(void **state)
{
	(void)state;
	aliases_begin();
	for (unsigned h = 1; h < HOSTS; h++)
		for (unsigned e = 1; e < 8; e++)
			ask(h, METHOD_SET, e, 0x1000 * h + e);
	manager_sweep(sm->m, "test", w.now);
	world_run(&w, 5 * SECOND);
	for (unsigned h = 1; h < HOSTS; h++)
		for (unsigned e = 1; e < 8; e++)
			assert_int_equal(holds(h, e), 0x1000 * h + e);
	assert_int_equal(alias_count(sm->m->registry.alias), 7 * (HOSTS - 1));
}

/* A host that was switched off and on has its aliases again; who is away can lose them to others. */
static void
host_comes_back(void **state)
{
	(void)state;
	aliases_begin();
	assert_int_equal(give(3, 1, 0xa1), 0);
	assert_int_equal(give(3, 2, 0xa2), 0);
	assert_int_equal(hw_node_power(w.hw, host[3], false, w.now), 0);
	sweep(1);
	assert_int_equal(give(4, 1, 0xa2), 0);          /* a guest moved */
	assert_int_equal(holds(4, 1), 0xa2);
	assert_int_equal(hw_node_power(w.hw, host[3], true, w.now), 0);
	world_run(&w, 5 * SECOND);
	sweep(1);
	assert_true(world_is_right(&w));
	assert_int_equal(holds(3, 1), 0xa1);
	assert_int_equal(holds(3, 2), 0);
	assert_int_equal(holds(4, 1), 0xa2);
}

static void
manager_restarts(void **state)
{
	(void)state;
	aliases_begin();
	assert_int_equal(give(3, 1, 0xa1), 0);
	assert_int_equal(give(4, 7, 0xa2), 0);
	world_manager_kill(&w, sm);
	hw_port(w.hw, host[5], 1)->guids = calloc(8, sizeof(uint64_t));
	hw_port(w.hw, host[5], 1)->guids[1] = 0xa2;             /* two say that it is theirs */
	hw_port(w.hw, host[5], 1)->guids[2] = guid_of(1);       /* a port's own */
	hw_port(w.hw, host[5], 1)->guids[3] = 0xa5;
	sm = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
	assert_int_equal(alias_owner(sm->m->registry.alias, 0xa1), guid_of(3));
	assert_int_equal(alias_owner(sm->m->registry.alias, 0xa5), guid_of(5));
	assert_int_equal(alias_owner(sm->m->registry.alias, 0xa2), 0);
	assert_int_equal(holds(3, 1), 0xa1);
	assert_int_equal(holds(4, 7), 0);
	assert_int_equal(holds(5, 1), 0);
	assert_int_equal(holds(5, 2), 0);
	assert_int_equal(holds(5, 3), 0xa5);
}

/* A better manager comes, while requests are under way: what was answered is known to it. */
static void
another_leads(void **state)
{
	static const char *const better[] = { "-p", "9", NULL };
	struct world_manager *other;

	(void)state;
	aliases_begin();
	assert_int_equal(give(3, 1, 0xa1), 0);
	hw_misbehave(w.hw, host[4], HW_MUTE, GUID_INFO_ID, 0);
	ask(4, METHOD_SET, 1, 0xa2);
	world_run(&w, SECOND / 100);
	other = world_manager_start(&w, w.topo.nodes[host[6]].desc, better);
	world_run(&w, 30 * SECOND);
	hw_misbehave(w.hw, host[4], HW_NONE, 0, 0);
	world_run(&w, 30 * SECOND);
	assert_int_equal(manager_outcome(other->m), OUTCOME_UP);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_STANDBY);
	assert_int_equal(alias_owner(other->m->registry.alias, 0xa1), guid_of(3));
	assert_int_equal(alias_owner(other->m->registry.alias, 0xa2), 0);
	assert_int_equal(alias_count(sm->m->registry.alias), 0);
	assert_int_equal(holds(3, 1), 0xa1);
	world_manager_kill(&w, other);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
	world_run(&w, 10 * SECOND);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_int_equal(alias_owner(sm->m->registry.alias, 0xa1), guid_of(3));
	assert_int_equal(holds(3, 1), 0xa1);
}

/* A cold fabric is not asked for tables that are empty. */
static void
nothing_is_read_where_nothing_is(void **state)
{
	(void)state;
	aliases_begin();
	assert_int_equal(alias_count(sm->m->registry.alias), 0);
	for (unsigned h = 0; h < HOSTS; h++)
		assert_null(hw_port(w.hw, host[h], 1)->guids);
}

/* An alias that turns out to be a port's own GUID is that port's. */
static void
own_guids_win(void **state)
{
	uint64_t guid;

	(void)state;
	aliases_begin();
	guid = guid_of(5);
	assert_int_equal(hw_node_power(w.hw, host[5], false, w.now), 0);
	sweep(1);
	assert_int_equal(give(3, 1, guid), 0);
	assert_int_equal(holds(3, 1), guid);
	assert_int_equal(hw_node_power(w.hw, host[5], true, w.now), 0);
	world_run(&w, 5 * SECOND);
	sweep(1);
	assert_int_equal(alias_owner(sm->m->registry.alias, guid), 0);
	assert_int_equal(holds(3, 1), 0);
}

static int
join(unsigned h, uint8_t method, uint64_t guid)
{
	static const uint8_t broadcast[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff };
	uint8_t mad[256] = { 1, 3, 2, method };

	wire_put16(mad + 16, MCMEMBER_RECORD_ID);
	wire_put64(mad + 48, 1 | 1 << 1 | 1 << 16);
	memcpy(mad + 56, broadcast, 16);
	wire_put64(mad + 56 + 16, GID_PREFIX_DEFAULT);
	wire_put64(mad + 56 + 24, guid);
	mad[56 + 48] = JOIN_STATE_FULL;
	send_to_sm(h, mad);
	world_run(&w, SECOND / 10);
	return answered();
}

/* Whether a packet of host 1 to the broadcast group comes to 'h'. */
static bool
hears(unsigned h)
{
	struct hw_packet q = { .dlid = 0xc000, .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI, .slid = lid_of(1) };
	struct hw_delivery d;
	unsigned n = 0;

	q.mad[0] = 1;
	q.mad[1] = CLASS_PING;
	assert_int_equal(hw_send(w.hw, host[1], 1, &q, w.now), 0);
	while (hw_next_delivery(w.hw, &d))
		n += d.node == host[h];
	assert_in_range(n, 0, 1);
	return n;
}

static void
groups_by_alias(void **state)
{
	(void)state;
	aliases_begin();
	assert_int_equal(give(3, 1, 0xa1), 0);
	assert_int_equal(join(1, METHOD_SET, guid_of(1)), 0);
	assert_false(hears(3));
	assert_int_equal(join(3, METHOD_SET, 0xa1), 0);
	assert_true(hears(3));
	assert_int_equal(join(3, METHOD_SET, guid_of(3)), 0);
	assert_true(hears(3));                          /* once */
	sweep(2);
	assert_true(hears(3));
	ask(3, METHOD_DELETE, 1, 0);
	world_run(&w, SECOND / 10);
	assert_int_equal(answered(), STATUS_SA_DENIED);
	assert_int_equal(join(3, METHOD_DELETE, guid_of(3)), 0);
	world_run(&w, SECOND / 10);
	assert_true(hears(3));
	assert_int_equal(join(3, METHOD_DELETE, 0xa1), 0);
	world_run(&w, SECOND / 10);
	assert_false(hears(3));
	assert_int_equal(join(3, METHOD_SET, 0xa1), 0);
	assert_int_equal(hw_node_power(w.hw, host[3], false, w.now), 0);
	sweep(1);
	assert_null(mcast_member(mcast_by_mlid(sm->m->registry.mcast, 0xc000), 0xa1));
}

/* The traps 64 and 65 that came to host 'h' and name 'guid' since they were last looked at: how many. */
static unsigned
told(unsigned h, unsigned trap, uint64_t guid)
{
	struct hw_delivery d;
	unsigned n = 0;

	while (world_take_delivery(&w, &d)) {
		struct sa_notice r = sa_notice_decode(d.packet.mad + 56);

		n += d.node == host[h] && dgram_method(d.packet.mad) == METHOD_REPORT && r.notice.trap_number == trap &&
			wire_get64(r.notice.details + 6 + 8) == guid;
	}
	return n;
}

static void
notices_of_aliases(void **state)
{
	uint8_t mad[256] = { 1, 3, 2, METHOD_SET };

	(void)state;
	aliases_begin();
	wire_put16(mad + 16, INFORM_INFO_ID);
	wire_put16(mad + 56 + 16, 0xffff);              /* all LIDs */
	mad[56 + 22] = mad[56 + 23] = 1;
	wire_put16(mad + 56 + 24, 0xffff);              /* all types */
	wire_put16(mad + 56 + 26, 0xffff);              /* all traps */
	wire_put32(mad + 56 + 32, 0x00ffffff);          /* all producers */
	send_to_sm(5, mad);
	world_run(&w, SECOND / 10);
	assert_int_equal(answered(), 0);
	ask(3, METHOD_SET, 1, 0xa1);
	world_run(&w, SECOND / 100);
	assert_int_not_equal(told(5, 64, 0xa1), 0);
	send_to_sm(6, mad);                             /* nobody answers reports here: host 5 waits for its turn */
	world_run(&w, SECOND / 100);
	ask(3, METHOD_DELETE, 1, 0);
	world_run(&w, SECOND / 100);
	assert_int_not_equal(told(6, 65, 0xa1), 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_teardown(name, aliases_teardown)
	const struct CMUnitTest tests[] = {
		T(written_before_it_is_answered), T(port_refuses), T(answer_is_lost), T(many_at_once), T(host_comes_back), T(manager_restarts), T(another_leads),
		T(nothing_is_read_where_nothing_is), T(own_guids_win), T(groups_by_alias), T(notices_of_aliases),
	};

	return cmocka_run_group_tests_name("aliases", tests, NULL, NULL);
}
