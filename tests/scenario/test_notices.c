/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_notices.c - the whole manager and subscribers: what is reported, to whom, how often.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "tests/scenario/world.h"
#include "libmad/attr/sa_attr.h"
#include "sm/manager/manager_int.h"

#define PREFIX UINT64_C(0xfe80000000000000)
#define SECOND INT64_C(1000000)
#define STEP INT64_C(20000)
enum { HEARD_MAX = 256 };

/* What subscribers heard. */
struct heard {
	uint32_t node;
	uint16_t trap, issuer;
	uint64_t guid;                  /* of the GID in it */
};

static struct {
	struct world w;
	struct world_manager *sm;
	struct heard heard[HEARD_MAX];
	unsigned nheard, unanswered;
	bool mute;                      /* subscribers do not answer */
	uint32_t only;                  /* but this node; 0: all do */
	uint64_t tid;
	uint8_t answer[256];            /* to the last request */
} p;

static int
notices_setup(void **state)
{
	(void)state;
	memset(&p, 0, sizeof(p));
	world_init(&p.w, "fattree:k=4,levels=3", 1);
	p.w.keep_deliveries = true;
	p.sm = world_manager_start(&p.w, NULL, NULL);
	assert_true(world_run_sweeps(&p.w, p.sm, 1, 60 * SECOND));
	return 0;
}

static int
notices_teardown(void **state)
{
	(void)state;
	world_clear(&p.w);
	return 0;
}

static void
send(uint32_t node, const uint8_t mad[256])
{
	struct hw_packet q = { .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };

	memcpy(q.mad, mad, 256);
	q.slid = world_lid(&p.w, p.w.topo.nodes[node].desc, 1);
	q.dlid = world_lid(&p.w, p.w.topo.nodes[p.sm->node].desc, 1);
	assert_int_equal(hw_send(p.w.hw, node, 1, &q, p.w.now), 0);
}

static void
take_in(const struct hw_delivery *d)
{
	uint8_t mad[256];
	struct sa_notice n = sa_notice_decode(d->packet.mad + 56);
	struct heard h = { d->node, n.notice.trap_number, n.notice.issuer_lid, wire_get64(n.notice.details + 14) };

	if (dgram_class(d->packet.mad) != CLASS_SA)
		return;
	if (dgram_method(d->packet.mad) & METHOD_RESP) {
		if (dgram_tid(d->packet.mad) == p.tid)
			memcpy(p.answer, d->packet.mad, 256);
		return;
	}
	if (dgram_method(d->packet.mad) != METHOD_REPORT)
		return;
	if (p.mute || (p.only && d->node != p.only)) {
		p.unanswered++;
		return;
	}
	assert_in_range(p.nheard, 0, HEARD_MAX - 1);
	p.heard[p.nheard++] = h;
	memcpy(mad, d->packet.mad, 256);
	mad[3] = METHOD_REPORT_RESP;
	send(d->node, mad);
}

static void
notices_collect(int64_t us)
{
	struct hw_delivery d;

	for (; us > 0; us -= STEP) {
		world_run(&p.w, STEP);
		while (world_take_delivery(&p.w, &d))
			take_in(&d);
	}
}

/* Sends a request of 'bytes' bytes of data: the status of its answer. */
static int
ask(uint32_t node, uint8_t method, uint16_t attr, uint64_t mask, const uint8_t *data, unsigned bytes)
{
	uint8_t mad[256] = { 1, 3, 2, method };

	memset(p.answer, 0xff, sizeof(p.answer));
	wire_put64(mad + 8, ++p.tid);
	wire_put16(mad + 16, attr);
	wire_put64(mad + 48, mask);
	memcpy(mad + 56, data, bytes);
	send(node, mad);
	notices_collect(STEP * 5);
	return dgram_status(p.answer);
}

static int
subscribe(uint32_t node, uint16_t trap, bool on)
{
	struct inform_info i = { .lid_begin = 0xffff, .is_generic = 1, .subscribe = on, .type = 0xffff, .trap_number = trap,
		.qpn = 1, .producer_type = 0xffffff };
	uint8_t w[INFORM_INFO_BYTES] = { 0 };

	inform_info_encode(w, &i);
	return ask(node, METHOD_SET, INFORM_INFO_ID, 0, w, sizeof(w));
}

static unsigned
rows(uint32_t node)
{
	uint8_t w[INFORM_INFO_RECORD_BYTES] = { 0 };

	assert_int_equal(ask(node, METHOD_GET_TABLE, INFORM_INFO_RECORD_ID, 0, w, sizeof(w)), 0);
	return wire_get16(p.answer + 44) ? 1 : 0;
}

static unsigned
count(uint32_t node, uint16_t trap, uint64_t guid)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p.nheard; i++)
		n += p.heard[i].node == node && p.heard[i].trap == trap && (!guid || p.heard[i].guid == guid);
	return n;
}

static uint64_t
guid_of(uint32_t node)
{
	struct hw_port_view v;

	assert_int_equal(hw_port_view(p.w.hw, node, 1, &v), 0);
	return v.guid;
}

static void
ports_that_come_and_go(void **state)
{
	uint32_t a = world_node(&p.w, "host-3"), b = world_node(&p.w, "host-8"), c = world_node(&p.w, "host-12");

	(void)state;
	assert_int_equal(subscribe(a, 65, true), 0);
	assert_int_equal(p.answer[56 + 23], 1);
	assert_int_equal(subscribe(b, 0xffff, true), 0);
	assert_int_equal(hw_node_power(p.w.hw, c, false, p.w.now), 0);
	notices_collect(20 * SECOND);
	assert_int_equal(count(a, 65, guid_of(c)), 1);
	assert_int_equal(count(b, 65, guid_of(c)), 1);
	assert_int_equal(count(a, 64, 0), 0);
	assert_true(count(b, 128, 0) > 0);      /* what the switch said */
	assert_int_equal(hw_node_power(p.w.hw, c, true, p.w.now), 0);
	notices_collect(20 * SECOND);
	assert_int_equal(count(a, 64, 0), 0);
	assert_int_equal(count(b, 64, guid_of(c)), 1);
	assert_int_equal(subscribe(a, 65, false), 0);
	assert_int_equal(subscribe(a, 65, false), STATUS_SA_INVALID);
	p.nheard = 0;
	assert_int_equal(hw_node_power(p.w.hw, c, false, p.w.now), 0);
	notices_collect(20 * SECOND);
	assert_int_equal(count(a, 65, 0), 0);
	assert_int_equal(count(b, 65, guid_of(c)), 1);
}

static void
groups_that_come_and_go(void **state)
{
	uint32_t a = world_node(&p.w, "host-3"), b = world_node(&p.w, "host-8");
	uint8_t w[MCMEMBER_RECORD_BYTES] = { 0xff, 0x15 };
	uint64_t create = 1 | 1 << 1 | 1 << 16 | 1 << 2 | 1 << 6 | 1 << 7 | 1 << 12 | 1 << 13;

	(void)state;
	wire_put64(w + 8, 77);
	wire_put64(w + 16, PREFIX);
	wire_put64(w + 24, guid_of(b));
	wire_put16(w + 40, 0xffff);
	w[48] = 1;
	assert_int_equal(subscribe(a, 0xffff, true), 0);
	assert_int_equal(ask(b, METHOD_SET, MCMEMBER_RECORD_ID, create, w, sizeof(w)), 0);
	assert_int_equal(count(a, 66, 77), 1);
	assert_int_equal(ask(b, METHOD_DELETE, MCMEMBER_RECORD_ID, create, w, sizeof(w)), 0);
	notices_collect(SECOND);
	assert_int_equal(count(a, 67, 77), 1);
	assert_int_equal(count(a, 66, 77), 1);
	assert_int_equal(p.heard[0].issuer, world_lid(&p.w, p.w.topo.nodes[p.sm->node].desc, 1));
}

static void
traps_of_devices(void **state)
{
	uint32_t a = world_node(&p.w, "host-3"), leaf = world_node(&p.w, "leaf-2-0");

	(void)state;
	assert_int_equal(subscribe(a, 129, true), 0);
	assert_int_equal(hw_trap_raise(p.w.hw, leaf, 1, 129, p.w.now), 0);
	notices_collect(SECOND);
	assert_int_equal(count(a, 129, 0), 1);
	assert_int_equal(p.heard[0].issuer, world_lid(&p.w, "leaf-2-0", 0));
	assert_int_equal(hw_trap_raise(p.w.hw, leaf, 1, 130, p.w.now), 0);
	notices_collect(SECOND);
	assert_int_equal(p.nheard, 1);
}

/* Asked again and again, then forgotten; the same when the port is gone. */
static void
subscribers_that_died(void **state)
{
	uint32_t a = world_node(&p.w, "host-3"), b = world_node(&p.w, "host-8"), leaf = world_node(&p.w, "leaf-2-0");

	(void)state;
	assert_int_equal(subscribe(a, 0xffff, true), 0);
	assert_int_equal(rows(b), 1);
	p.mute = true;
	assert_int_equal(hw_trap_raise(p.w.hw, leaf, 1, 129, p.w.now), 0);
	notices_collect(5 * SECOND);
	assert_true(p.unanswered > 1);
	p.mute = false;
	assert_int_equal(rows(b), 0);
	assert_int_equal(subscribe(a, 65, true), 0);
	assert_int_equal(rows(b), 1);
	assert_int_equal(hw_node_power(p.w.hw, a, false, p.w.now), 0);
	notices_collect(20 * SECOND);
	assert_int_equal(rows(b), 0);
}

/* A trap from the port at 'from' that says it is from 'issuer'. */
static void
inject_trap(uint16_t from, uint16_t issuer, uint16_t number, uint64_t tid)
{
	uint8_t mad[256] = { 1, CLASS_SM_LID, 1, METHOD_TRAP };
	struct notice n = { .is_generic = 1, .type = 4, .producer_type = 1, .trap_number = number, .issuer_lid = issuer };

	wire_put64(mad + 8, tid);
	wire_put16(mad + 16, NOTICE_ID);
	wire_put16(n.details + 2, issuer);
	notice_encode(mad + 64, &n);
	world_inject(&p.w, p.sm, mad, from);
	notices_collect(STEP * 2);
}

static json_int_t
traps_counter(const char *name)
{
	json_t *status = manager_status(p.sm->m, p.w.now);
	json_int_t v = json_integer_value(json_object_get(json_object_get(status, "traps"), name));

	json_decref(status);
	return v;
}

/* What is sent again is told once; what somebody says of another, not at all. */
static void
traps_that_repeat_or_lie(void **state)
{
	uint32_t a = world_node(&p.w, "host-3");
	uint16_t dev = world_lid(&p.w, "host-9", 1), other = world_lid(&p.w, "host-7", 1);
	unsigned before;

	(void)state;
	notices_collect(5 * SECOND);
	assert_int_equal(subscribe(a, 145, true), 0);
	for (unsigned i = 0; i < 10; i++)
		inject_trap(dev, dev, 145, 99);
	assert_int_equal(count(a, 145, 0), 1);
	assert_int_equal(traps_counter("repeated"), 9);
	inject_trap(dev, dev, 145, 100);                /* another one: told, though later */
	assert_int_equal(count(a, 145, 0), 1);
	notices_collect(4 * SECOND);
	assert_int_equal(count(a, 145, 0), 2);
	before = p.nheard;
	inject_trap(dev, other, 145, 101);
	inject_trap(0xffff, other, 145, 102);
	inject_trap(40000, 40000, 145, 103);
	notices_collect(4 * SECOND);
	assert_int_equal(p.nheard, before);
	assert_int_equal(traps_counter("forged"), 3);
	inject_trap(0, 0, 145, 104);                    /* our own port needs no LID */
	notices_collect(SECOND);
	assert_int_equal(count(a, 145, 0), 3);
}

/* Two hundred subscriptions of ports that do not answer hold nobody up, and are gone soon. */
static void
mute_subscribers_hold_nobody_up(void **state)
{
	uint32_t good = world_node(&p.w, "host-3");
	uint16_t dev = world_lid(&p.w, "host-9", 1);
	struct inform_info info = { .lid_begin = 0xffff, .is_generic = 1, .subscribe = 1, .type = 0xffff, .trap_number = 145,
		.qpn = 1, .producer_type = 0xffffff };
	uint8_t mad[256] = { 1, 3, 2, METHOD_SET };
	struct monotime asked;

	(void)state;
	notices_collect(5 * SECOND);
	wire_put16(mad + 16, INFORM_INFO_ID);
	for (unsigned h = 4; h < 16; h++) {             /* as if from another queue pair, that nobody listens at */
		char name[16];

		snprintf(name, sizeof(name), "host-%u", h);
		for (uint16_t k = 0; k < 16; k++) {
			info.lid_end = k;
			inform_info_encode(mad + 56, &info);
			world_inject(&p.w, p.sm, mad, world_lid(&p.w, name, 1));
		}
	}
	notices_collect(STEP);
	assert_int_equal(subscribe(good, 145, true), 0);
	p.only = good;
	asked = p.w.now;
	inject_trap(dev, dev, 145, 1);
	assert_int_equal(count(good, 145, 0), 1);       /* at once */
	assert_true(monotime_sub_us(p.w.now, asked) <= 2 * STEP);
	notices_collect(60 * SECOND);
	inject_trap(dev, dev, 145, 2);
	assert_int_equal(count(good, 145, 0), 2);
	p.unanswered = 0;
	notices_collect(10 * SECOND);
	assert_int_equal(p.unanswered, 0);
}

/* What much is asked about is told bit by bit, in order, and nothing is left out. */
static void
many_at_once(void **state)
{
	enum { MANY = 200 };
	uint32_t good = world_node(&p.w, "host-3");
	struct inform_info info = { .lid_begin = 0xffff, .is_generic = 1, .subscribe = 1, .type = 0xffff, .trap_number = 145,
		.qpn = 1, .producer_type = 0xffffff };
	uint8_t mad[256] = { 1, 3, 2, METHOD_SET };

	(void)state;
	notices_collect(5 * SECOND);
	wire_put16(mad + 16, INFORM_INFO_ID);
	for (unsigned h = 4; h < 16; h++) {             /* many who do not want to know */
		char name[16];

		snprintf(name, sizeof(name), "host-%u", h);
		for (uint16_t k = 0; k < INFORM_PER_PORT_MAX; k++) {
			info.lid_end = k;
			inform_info_encode(mad + 56, &info);
			world_inject(&p.w, p.sm, mad, world_lid(&p.w, name, 1));
		}
		notices_collect(STEP);
	}
	assert_int_equal(subscribe(good, 64, true), 0);
	assert_int_equal(inform_count(p.sm->m->registry.inform), 12 * INFORM_PER_PORT_MAX + 1);
	for (uint64_t i = 0; i < MANY; i++)
		gid_events_note(&p.sm->m->registry.gid_events, p.sm->m->registry.inform,
			(struct gid_event){ 0x7000 + i, guid_of(good), true });
	manager_tick(p.sm->m, p.w.now);
	assert_true(notify_waits(&p.sm->m->registry, &p.sm->m->net));
	notices_collect(5 * SECOND);
	assert_false(notify_waits(&p.sm->m->registry, &p.sm->m->net));
	assert_int_equal(p.nheard, MANY);
	for (uint64_t i = 0; i < MANY; i++)
		assert_int_equal(p.heard[i].guid, 0x7000 + i);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, notices_setup, notices_teardown)
	const struct CMUnitTest tests[] = {
		T(ports_that_come_and_go), T(groups_that_come_and_go), T(traps_of_devices), T(subscribers_that_died),
		T(traps_that_repeat_or_lie), T(mute_subscribers_hold_nobody_up), T(many_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
