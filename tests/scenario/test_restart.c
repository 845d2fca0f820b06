/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_restart.c - subnet administration answers from stored forwarding tables while a restarted manager reads the
 * switches: only what cannot be wrong, and nothing if they are damaged or of another fabric.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/attr/sm_attr.h"
#include "sim/phys/phys.h"
#include "tests/scenario/registers.h"
#include "tests/scenario/world.h"
#include "util/xalloc.h"

#define SECOND INT64_C(1000000)
#define JOB_US (SECOND / 5)
#define SILENT (-1)

static const char *const fast[] = { "-p", "3", NULL };

/* A fabric that was configured, and whose manager was killed; what it stored is in its 'store'. */
static struct world_manager *
restart_begin(struct world *w, const char *spec, const char *const *args)
{
	struct world_manager *s;

	world_init(w, spec, 1);
	w->keep_deliveries = true;
	s = world_manager_start(w, NULL, args);
	assert_true(world_run_sweeps(w, s, 2, 20 * SECOND));
	assert_true(world_is_right(w));
	assert_true(s->store.tables_len > 0);
	world_manager_kill(w, s);
	return s;
}

/* A restarted manager whose first sweep waits for a job after the election. */
static struct world_manager *
again(struct world *w, const struct world_store *store, const char *const *args)
{
	struct world_manager *s;

	w->job_us = JOB_US;
	s = world_manager_start_with(w, NULL, args, store);
	world_run(w, JOB_US + JOB_US / 2);
	assert_int_equal(manager_sweeps(s->m), 0);
	return s;
}

static int
ask(struct world *w, const struct world_manager *s, uint8_t method, uint16_t attr, uint64_t mask, const char *from,
	const uint8_t record[static 64])
{
	static uint64_t tid;
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = method, .tid = ++tid, .attr_id = attr,
	};
	struct hw_packet q = { .slid = world_lid(w, from, 1), .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };
	struct hw_delivery d;
	int status = SILENT;

	q.dlid = wire_get16(hw_port(w->hw, s->node, s->port)->info + PI_LID);
	dgram_head_encode(q.mad, &h);
	wire_put64(q.mad + 48, mask);
	memcpy(q.mad + SA_HEAD_BYTES, record, 64);
	assert_int_equal(hw_send(w->hw, world_node(w, from), 1, &q, w->now), 0);
	world_run(w, 1000);
	while (world_take_delivery(w, &d))
		if (dgram_class(d.packet.mad) == CLASS_SA && dgram_method(d.packet.mad) & METHOD_RESP && dgram_tid(d.packet.mad) == tid)
			status = dgram_status(d.packet.mad);
	return status;
}

/* The path between two ports by their LIDs: a status, or SILENT. */
static int
ask_path(struct world *w, const struct world_manager *s, const char *from, const char *to)
{
	struct path_record p = { .slid = world_lid(w, from, 1), .dlid = world_lid(w, to, 1) };
	uint8_t record[64] = { 0 };

	path_record_encode(record, &p);
	return ask(w, s, METHOD_GET, PATH_RECORD_ID, 1 << 4 | 1 << 5, from, record);
}

static int
ask_node(struct world *w, const struct world_manager *s, const char *from, uint16_t lid)
{
	uint8_t record[64] = { 0 };

	wire_put16(record, lid);
	return ask(w, s, METHOD_GET, NODE_RECORD_ID, 1, from, record);
}

static void
assert_served(struct world *w, struct world_manager *s)
{
	assert_true(world_run_sweeps(w, s, 2, 20 * SECOND));
	assert_true(world_is_right(w));
	assert_int_equal(ask_path(w, s, "host-3", "host-12"), STATUS_OK);
	assert_int_equal(ask_path(w, s, "host-12", "host-3"), STATUS_OK);
}

static void
answers_before_the_sweep_ends(void **arg)
{
	static const uint8_t none[64];
	struct world w;
	struct world_manager *s = restart_begin(&w, "fattree:k=4,levels=3", NULL), *next;
	uint64_t tables = world_tables(&w);
	json_t *status;

	(void)arg;
	next = again(&w, &s->store, NULL);
	for (unsigned i = 1; i < 16; i++) {
		char from[16], to[16];

		snprintf(from, sizeof(from), "host-%u", i);
		snprintf(to, sizeof(to), "host-%u", i * 7 % 16);
		assert_int_equal(ask_path(&w, next, from, to), STATUS_OK);
	}
	assert_int_equal(ask_node(&w, next, "host-3", world_lid(&w, "host-12", 1)), STATUS_OK);
	/* Nothing can be registered, what is not known is not denied, and no other record is there. */
	assert_int_equal(ask(&w, next, METHOD_SET, MCMEMBER_RECORD_ID, 0, "host-3", none), STATUS_BUSY);
	assert_int_equal(ask(&w, next, METHOD_GET, SERVICE_RECORD_ID, 0, "host-3", none), STATUS_BUSY);
	assert_int_equal(ask_node(&w, next, "host-3", 0x1234), STATUS_BUSY);
	assert_int_equal(manager_sweeps(next->m), 0);
	status = manager_status(next->m, w.now);
	assert_string_equal(json_string_value(json_object_get(status, "waiting")),
		"the first sweep; serving from stored state");
	json_decref(status);
	assert_served(&w, next);
	assert_int_equal(next->lft_sets, 0);
	assert_true(world_tables(&w) == tables);
	status = manager_status(next->m, w.now);
	assert_true(json_is_null(json_object_get(status, "waiting")));
	json_decref(status);
	world_clear(&w);
}

/* Without stored tables nobody answers before the first sweep ends. */
static void
nothing_stored(void **arg)
{
	struct world w;
	struct world_manager *s = restart_begin(&w, "fattree:k=4,levels=3", NULL), *next;
	struct world_store store = s->store;

	(void)arg;
	store.tables = NULL;
	next = again(&w, &store, NULL);
	assert_int_equal(ask_path(&w, next, "host-3", "host-12"), SILENT);
	assert_served(&w, next);
	world_clear(&w);
}

/* Two hosts have changed places, and a third one is gone: what they are told now is BUSY, not what was stored. */
static void
moved_hosts(void **arg)
{
	struct world w;
	struct world_manager *s = restart_begin(&w, "fattree:k=4,levels=3", NULL), *next;
	uint32_t a = world_node(&w, "host-3"), b = world_node(&w, "host-12");
	uint32_t leaf_a = topo_port(&w.topo, a, 1)->peer_node, leaf_b = topo_port(&w.topo, b, 1)->peer_node;
	uint8_t port_a = topo_port(&w.topo, a, 1)->peer_port, port_b = topo_port(&w.topo, b, 1)->peer_port;

	(void)arg;
	assert_int_equal(hw_cable_pull(w.hw, a, 1, w.now), 0);
	assert_int_equal(hw_cable_pull(w.hw, b, 1, w.now), 0);
	assert_int_equal(hw_node_power(w.hw, world_node(&w, "host-7"), false, w.now), 0);
	world_run(&w, SECOND);
	assert_int_equal(hw_cable_plug(w.hw, a, 1, leaf_b, port_b, w.now), 0);
	assert_int_equal(hw_cable_plug(w.hw, b, 1, leaf_a, port_a, w.now), 0);
	world_run(&w, SECOND);
	next = again(&w, &s->store, NULL);
	assert_int_equal(ask_path(&w, next, "host-5", "host-3"), STATUS_BUSY);
	assert_int_equal(ask_path(&w, next, "host-5", "host-12"), STATUS_BUSY);
	assert_int_equal(ask_path(&w, next, "host-5", "host-7"), STATUS_BUSY);
	assert_int_equal(ask_path(&w, next, "host-5", "host-9"), STATUS_OK);
	assert_served(&w, next);
	world_clear(&w);
}

static void
damaged(void **arg)
{
	struct world w;
	struct world_manager *s = restart_begin(&w, "fattree:k=4,levels=3", NULL), *next;
	struct world_store store = s->store;

	(void)arg;
	/* Cut off; another version; counts that do not fit; GUIDs out of order; a LID that no port can have. */
	for (unsigned i = 0; i < 5; i++) {
		uint8_t *bytes = xmemdup(s->store.tables, s->store.tables_len);

		store.tables = bytes;
		store.tables_len = i ? s->store.tables_len : s->store.tables_len / 2;
		if (i == 1)
			bytes[3]++;
		if (i == 2)
			bytes[35]++;
		if (i == 3)
			memset(bytes + 48, 0xff, 8);
		if (i == 4)
			memset(bytes + 48 + 12 * 20 + 8, 0xff, 2);
		next = again(&w, &store, NULL);
		assert_int_equal(ask_path(&w, next, "host-3", "host-12"), SILENT);
		assert_served(&w, next);
		world_manager_kill(&w, next);
		w.job_us = 0;
		free(bytes);
	}
	world_clear(&w);
}

/* Bytes that nothing says of: paths through them end nowhere, or at a port that is there. */
static void
wrong_tables(void **arg)
{
	struct world w;
	struct world_manager *s = restart_begin(&w, "fattree:k=4,levels=3", NULL), *next;
	size_t rows = s->store.tables_len - 20 * 64;
	uint64_t tables = world_tables(&w);

	(void)arg;
	for (size_t i = rows; i < s->store.tables_len; i++)
		s->store.tables[i] = (uint8_t)(i * 37 >> 3);
	next = again(&w, &s->store, NULL);
	assert_int_not_equal(ask_path(&w, next, "host-3", "host-12"), SILENT);
	assert_served(&w, next);
	/* The plan that was made with them is not the one that counts: no switch was written. */
	assert_int_equal(next->lft_sets, 0);
	assert_true(world_tables(&w) == tables);
	world_clear(&w);
}

static void
of_another_fabric(void **arg)
{
	static const char *const prefix[] = { "--set", "subnet_prefix=0xfe80000000000001", NULL };
	struct world other, w;
	struct world_manager *from = restart_begin(&other, "fattree:k=4,levels=2", NULL);
	struct world_manager *s = restart_begin(&w, "fattree:k=4,levels=3", NULL), *next;

	(void)arg;
	next = again(&w, &from->store, NULL);
	assert_int_equal(ask_path(&w, next, "host-3", "host-12"), SILENT);
	assert_served(&w, next);
	world_manager_kill(&w, next);
	w.job_us = 0;
	next = again(&w, &s->store, prefix);
	assert_int_equal(ask_path(&w, next, "host-3", "host-12"), SILENT);
	assert_served(&w, next);
	world_clear(&other);
	world_clear(&w);
}

/* Another manager leads meanwhile; and when it has died, the subnet is as it has left it. */
static void
another_master(void **arg)
{
	struct world w;
	struct world_manager *s = restart_begin(&w, "fattree:k=4,levels=3", NULL), *other, *next;

	(void)arg;
	other = world_manager_start(&w, "host-9", fast);
	assert_true(world_run_sweeps(&w, other, 2, 20 * SECOND));
	next = world_manager_start_with(&w, NULL, NULL, &s->store);
	world_run(&w, SECOND);
	assert_false(manager_leads(next->m));
	assert_int_equal(ask_path(&w, next, "host-3", "host-12"), SILENT);
	world_manager_kill(&w, next);
	world_manager_kill(&w, other);
	w.job_us = 0;
	next = again(&w, &s->store, NULL);
	assert_int_equal(ask_path(&w, next, "host-3", "host-12"), SILENT);
	assert_served(&w, next);
	world_clear(&w);
}

/* SLs of lanes and levels of QoS are not stored. */
static void
lanes_and_qos(void **arg)
{
	static const char *const lanes[] = { "--set", "routing_engine=dfsssp", NULL }, *const qos[] = { "-Q", NULL };
	const char *const *const args[] = { lanes, qos };

	(void)arg;
	for (unsigned i = 0; i < 2; i++) {
		struct world w;
		struct world_manager *s = restart_begin(&w, "torus:4x4,hosts=1", args[i]), *next;

		next = again(&w, &s->store, args[i]);
		assert_int_equal(ask_path(&w, next, "host-3", "host-12"), SILENT);
		assert_served(&w, next);
		world_clear(&w);
	}
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_before_the_sweep_ends),
		cmocka_unit_test(nothing_stored),
		cmocka_unit_test(moved_hosts),
		cmocka_unit_test(damaged),
		cmocka_unit_test(wrong_tables),
		cmocka_unit_test(of_another_fabric),
		cmocka_unit_test(another_master),
		cmocka_unit_test(lanes_and_qos),
	};

	return cmocka_run_group_tests_name("restart", tests, NULL, NULL);
}
