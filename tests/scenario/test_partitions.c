/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_partitions.c - two tenants on one fabric: their tables at every port, over restarts, changes and mistakes, and what
 * packets make of it.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "libmad/attr/sm_attr.h"
#include "libmad/mad/dgram.h"
#include "tests/unit/test.h"
#include "sim/phys/phys.h"
#include "sm/manager/manager_int.h"
#include "tests/scenario/world.h"
#include "tests/scenario/registers.h"

#define SECOND 1000000
#define SPEC "fattree:k=4,levels=3"
#define HOSTS 16
#define IN 8                            /* PortInfo byte 43 */
#define OUT 4

static char path[] = "/tmp/heddle-tenants-XXXXXX";
static const char *const args[] = { "--Pconfig", path, NULL };
static struct world w;
static struct world_manager *sm;
static uint32_t host[HOSTS];            /* host[0] is the manager's */

static int
partitions_setup(void **state)
{
	int fd;

	(void)state;
	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int
partitions_teardown(void **state)
{
	(void)state;
	world_clear(&w);
	return unlink(path);
}

/* The file; %0 to %9 are GUIDs of hosts. */
static void
partitions_write(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (; *text; text++)
		if (*text == '%')
			fprintf(f, "0x%llx", (unsigned long long)hw_port(w.hw, host[*++text - '0'], 1)->guid);
		else
			fputc(*text, f);
	assert_int_equal(fclose(f), 0);
}

static void
partitions_begin(unsigned pkey_cap)
{
	struct hw_conf c = { .seed = 1, .pkey_cap = pkey_cap };
	unsigned n = 0;

	world_init_hw(&w, SPEC, &c);
	for (uint32_t i = 0; i < w.hw->nnodes && n < HOSTS; i++)
		if (w.hw->nodes[i].type == TOPO_CA)
			host[n++] = i;
	assert_int_equal(n, HOSTS);
}

static void
up(enum sweep_outcome outcome)
{
	sm = world_manager_start(&w, NULL, args);
	assert_int_equal(sm->node, host[0]);
	assert_true(world_run_sweeps(&w, sm, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(sm->m), outcome);
}

/* The file again, as SIGHUP does. */
static int
reload(void)
{
	struct conf_error e = CONF_ERROR_INIT;
	struct conf *fresh;
	int err = conf_reload(sm->conf, &fresh, &e);

	if (err < 0)
		assert_non_null(e.text);
	else
		world_manager_take_conf(&w, sm, fresh);
	conf_error_clear(&e);
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 10 * SECOND));
	return err;
}

static void
expect(uint32_t node, uint8_t port, const uint16_t *keys, unsigned n)
{
	uint16_t have[128];
	unsigned cap = pkey_copy(w.hw, node, port, have);

	for (unsigned i = 0; i < cap; i++)
		if (have[i] != (i < n ? keys[i] : 0))
			fail_msg("node %u port %u index %u holds 0x%04x", node, port, i, have[i]);
}
#define KEYS(...) (const uint16_t []){ __VA_ARGS__ }, sizeof((uint16_t []){ __VA_ARGS__ }) / 2
#define EXPECT(h, ...) expect(host[h], 1, KEYS(__VA_ARGS__))

/* The switch port that host 'h' is cabled to. */
static uint8_t
leaf_of(unsigned h, uint32_t *leaf)
{
	uint8_t port;

	assert_true(hw_peer(w.hw, host[h], 1, leaf, &port));
	return port;
}

static void
expect_leaf(unsigned h, const uint16_t *keys, unsigned n)
{
	uint32_t leaf;
	uint8_t port = leaf_of(h, &leaf);

	expect(leaf, port, keys, n);
}

static unsigned
enforced(uint32_t node, uint8_t port)
{
	return hw_port(w.hw, node, port)->info[PI_VLS] & (IN | OUT);
}

/* How many switch ports that face hosts enforce 'bits', and all others nothing. */
static unsigned
count_enforced(unsigned bits)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < w.hw->nnodes; i++)
		for (unsigned p = 1; w.hw->nodes[i].type == TOPO_SWITCH && p <= w.hw->nodes[i].nports; p++) {
			unsigned have = enforced(i, (uint8_t)p);
			uint8_t peer_port;
			uint32_t peer;

			if (have && (!hw_peer(w.hw, i, (uint8_t)p, &peer, &peer_port) || w.hw->nodes[peer].type == TOPO_SWITCH))
				fail_msg("node %u port %u enforces between switches", i, p);
			n += have && have == bits;
		}
	return n;
}

/* Whether a packet of that partition gets from one host to the other. */
static bool
passes(unsigned from, unsigned to, uint16_t pkey)
{
	struct hw_packet p = {
		.slid = wire_get16(hw_port(w.hw, host[from], 1)->info + PI_LID),
		.dlid = wire_get16(hw_port(w.hw, host[to], 1)->info + PI_LID),
		.src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI, .pkey = pkey,
	};
	struct hw_delivery d;
	bool arrived = false;

	p.mad[0] = 1;
	p.mad[1] = CLASS_PM;
	p.mad[2] = 1;
	p.mad[3] = METHOD_GET | METHOD_RESP;    /* for a client, not for the agent */
	assert_int_equal(hw_send(w.hw, host[from], 1, &p, w.now), 0);
	hw_tick(w.hw, w.now);
	while (hw_next_delivery(w.hw, &d))
		arrived |= d.node == host[to] && d.packet.mad[1] == CLASS_PM;
	return arrived;
}

#define TENANTS "Default=0x7fff,ipoib:ALL_SWITCHES=full;\n" \
	"A=0x10:%1=full,%2=full,\n\t%3;\n" \
	"B=0x20:%3=full,%4=full;\n"

static void
tenants_are_apart(void **state)
{
	(void)state;
	partitions_begin(0);
	partitions_write(TENANTS);
	up(OUTCOME_UP);
	assert_true(world_is_right(&w));
	EXPECT(0, 0xffff);
	EXPECT(1, 0x7fff, 0x8010);
	EXPECT(2, 0x7fff, 0x8010);
	EXPECT(3, 0x7fff, 0x0010, 0x8020);
	EXPECT(4, 0x7fff, 0x8020);
	EXPECT(5, 0x7fff);
	expect_leaf(0, KEYS(0xffff));
	expect_leaf(3, KEYS(0xffff, 0x8010, 0x8020));
	expect_leaf(5, KEYS(0xffff));
	assert_int_equal(count_enforced(IN | OUT), HOSTS);
	assert_true(passes(1, 2, 0x8010));
	assert_true(passes(3, 1, 0x0010));      /* limited to full */
	assert_true(passes(1, 3, 0x8010));
	assert_true(passes(3, 4, 0x8020));
	assert_false(passes(1, 4, 0x8010));
	assert_false(passes(5, 4, 0x8020));     /* its own leaf stops it */
	assert_false(passes(1, 2, 0x7fff));     /* both limited */
	assert_true(passes(1, 0, 0x7fff));      /* everybody reaches the manager */
	assert_true(passes(0, 1, 0xffff));
}

static void
indices_outlive_restarts_and_changes(void **state)
{
	(void)state;
	partitions_begin(0);
	partitions_write(TENANTS);
	up(OUTCOME_UP);
	world_run(&w, 3 * SECOND);
	world_manager_kill(&w, sm);
	up(OUTCOME_UP);
	EXPECT(3, 0x7fff, 0x0010, 0x8020);
	partitions_write("New=0x1:ALL=full;\n" TENANTS);
	assert_int_equal(reload(), 0);
	EXPECT(3, 0x7fff, 0x0010, 0x8020, 0x8001);
	expect_leaf(3, KEYS(0xffff, 0x8010, 0x8020, 0x8001));
	EXPECT(5, 0x7fff, 0x8001);
	partitions_write("New=0x1:ALL=full;\n");
	assert_int_equal(reload(), 0);
	EXPECT(3, 0x7fff, 0, 0, 0x8001);
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
}

static void
a_resweep_writes_nothing(void **state)
{
	uint64_t sets;

	(void)state;
	partitions_begin(64);
	partitions_write(TENANTS);
	up(OUTCOME_UP);
	world_run(&w, 3 * SECOND);
	sets = sm->sets;
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 10 * SECOND));
	assert_int_equal(sm->sets, sets);
}

static void
a_broken_file_changes_nothing(void **state)
{
	(void)state;
	partitions_begin(0);
	partitions_write(TENANTS);
	up(OUTCOME_UP);
	partitions_write("Default=0x7fff:ALL=full;\nA=0x10:ALL=ful1;\n");
	assert_true(reload() < 0);
	EXPECT(1, 0x7fff, 0x8010);
	EXPECT(5, 0x7fff);
	assert_int_equal(unlink(path), 0);
	assert_true(reload() < 0);
	EXPECT(5, 0x7fff);
	assert_int_equal(count_enforced(IN | OUT), HOSTS);
	partitions_write("Default=0x7fff:ALL=full;\n");
	assert_int_equal(reload(), 0);
	EXPECT(1, 0xffff);
}

static void
enforcement_as_told(void **state)
{
	static const struct { const char *how; unsigned bits; } v[] = { { "in", IN }, { "out", OUT }, { "off", 0 } };

	(void)state;
	partitions_begin(0);
	partitions_write(TENANTS);
	up(OUTCOME_UP);
	for (unsigned i = 0; i < 3; i++) {
		const char *more[] = { "--Pconfig", path, "-Z", v[i].how, NULL };

		world_manager_kill(&w, sm);
		sm = world_manager_start(&w, NULL, more);
		assert_true(world_run_sweeps(&w, sm, 1, 10 * SECOND));
		assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
		assert_int_equal(count_enforced(v[i].bits), v[i].bits ? HOSTS : 0);
		assert_int_equal(count_enforced(IN | OUT), 0);
	}
}

/* A switch that does not take the table must not be told to enforce it. */
static void
no_enforcement_without_the_table(void **state)
{
	uint32_t leaf;
	uint8_t port;

	(void)state;
	partitions_begin(0);
	partitions_write(TENANTS);
	port = leaf_of(1, &leaf);
	hw_misbehave(w.hw, leaf, HW_NO_SET, PKEY_TABLE_ID, 0);
	up(OUTCOME_PARTIAL);
	assert_int_equal(enforced(leaf, port), 0);
	assert_int_equal(count_enforced(IN | OUT), HOSTS - 2);
	assert_true(passes(1, 0, 0x7fff));
	hw_misbehave(w.hw, leaf, HW_NONE, 0, 0);
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 10 * SECOND));
	assert_int_equal(manager_outcome(sm->m), OUTCOME_UP);
	assert_int_equal(count_enforced(IN | OUT), HOSTS);
}

static const struct mcast_group *
broadcast_of(uint16_t pkey)
{
	uint8_t mgid[16] = { 0xff, 0x12, 0x40, 0x1b, (uint8_t)(pkey >> 8), (uint8_t)pkey, [12] = 0xff, 0xff, 0xff, 0xff };

	return mcast_find(sm->m->registry.mcast, mgid);
}

static void
groups_of_partitions(void **state)
{
	(void)state;
	partitions_begin(0);
	partitions_write("A=0x10,ipoib,mtu=5,rate=16:ALL=full;B=0x20:ALL=full;");
	up(OUTCOME_UP);
	assert_null(broadcast_of(0xffff));      /* the file says so */
	assert_null(broadcast_of(0x8020));
	assert_non_null(broadcast_of(0x8010));
	assert_int_equal(broadcast_of(0x8010)->rec.mtu, 5);
	assert_int_equal(broadcast_of(0x8010)->rec.rate, 16);
	assert_int_equal(broadcast_of(0x8010)->rec.pkey, 0x8010);
	assert_int_equal(broadcast_of(0x8010)->rec.qkey, 0x0b1b);
	partitions_write("A=0x10,ipoib:ALL=full;B=0x20,ipoib:ALL=full;");
	assert_int_equal(reload(), 0);
	assert_non_null(broadcast_of(0x8020));
	assert_int_equal(broadcast_of(0x8010)->rec.mtu, 5);     /* members rely on what they were told */
}

static void
join_broadcast(unsigned h, uint16_t pkey)
{
	struct mcast_request a = { .mask = 1 | 1 << 1 | 1 << 16, .port_guid = hw_port(w.hw, host[h], 1)->guid, .port_mtu = 5,
		.port_rate = 16, .self = true, .in_partition = true, .want = { .join_state = JOIN_STATE_FULL } };
	struct mcmember_record got;

	memcpy(a.want.mgid, broadcast_of(pkey)->rec.mgid, 16);
	wire_put64(a.want.port_gid, GID_PREFIX_DEFAULT);
	wire_put64(a.want.port_gid + 8, a.port_guid);
	assert_int_equal(mcast_set(sm->m->registry.mcast, &a, &got), STATUS_OK);
}

/* A port that has lost the key leaves; a partition that is no more takes its groups along, whoever is in them. */
static void
groups_lose_their_members(void **state)
{
	(void)state;
	partitions_begin(0);
	partitions_write(
		"A=0x10,ipoib:%1=full,%2=full,%3=limited;B=0x20,ipoib:%1=full;C=0x30,ipoib:%1=full;");
	up(OUTCOME_UP);
	for (unsigned h = 1; h <= 3; h++)
		join_broadcast(h, 0x8010);
	join_broadcast(1, 0x8020);
	join_broadcast(1, 0x8030);
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 10 * SECOND));
	assert_int_equal(broadcast_of(0x8010)->nmembers, 3);
	partitions_write("A=0x10,ipoib:%1=full,%3=limited;C=0x30:%1=full;");
	assert_int_equal(reload(), 0);
	assert_int_equal(broadcast_of(0x8010)->nmembers, 2);
	assert_null(mcast_member(broadcast_of(0x8010), hw_port(w.hw, host[2], 1)->guid));
	assert_null(broadcast_of(0x8020));
	assert_int_equal(broadcast_of(0x8030)->nmembers, 1);    /* its partition is there: it lives while it is used */
	mcast_drop_port(sm->m->registry.mcast, hw_port(w.hw, host[1], 1)->guid);
	assert_null(broadcast_of(0x8030));
	assert_int_equal(broadcast_of(0x8010)->nmembers, 1);
}

static void
services_go_with_their_port(void **state)
{
	struct service_record r = { .id = 5, .lease_s = SERVICE_LEASE_FOREVER };
	struct service s;

	(void)state;
	partitions_begin(0);
	partitions_write("A=0x10:ALL=full;");
	up(OUTCOME_UP);
	wire_put64(r.gid + 8, hw_port(w.hw, host[4], 1)->guid);
	assert_int_equal(services_set(sm->m->registry.services, &r, wire_get64(r.gid + 8), false), STATUS_OK);
	wire_put64(r.gid + 8, hw_port(w.hw, host[5], 1)->guid);
	assert_int_equal(services_set(sm->m->registry.services, &r, wire_get64(r.gid + 8), false), STATUS_OK);
	assert_int_equal(hw_node_power(w.hw, host[4], false, w.now), 0);
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 10 * SECOND));
	assert_true(services_at(sm->m->registry.services, 0, &s));
	assert_int_equal(s.port_guid, hw_port(w.hw, host[5], 1)->guid);
	assert_false(services_at(sm->m->registry.services, 1, &s));
}

static void
put_many(unsigned n)
{
	char text[4096] = "";

	for (unsigned i = 1; i <= n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u:%%1=full;\n", i);
	partitions_write(text);
}

static void
overflow_is_told(void **state)
{
	json_t *doc;
	char *text;

	(void)state;
	partitions_begin(32);
	put_many(40);
	up(OUTCOME_PARTIAL);
	assert_true(world_is_right(&w));
	doc = manager_report(sm->m, w.now);
	text = json_dumps(doc, 0);
	assert_non_null(strstr(text, "pkey_overflow"));
	assert_non_null(strstr(text, "41 P_Keys are wanted and there is room for 32"));
	free(text);
	json_decref(doc);
	assert_true(passes(1, 0, 0x7fff));
	assert_int_equal(count_enforced(IN | OUT), HOSTS - 1);
}

static void
several_blocks(void **state)
{
	uint16_t have[128];
	uint32_t leaf;
	uint8_t port;

	(void)state;
	partitions_begin(128);
	port = leaf_of(1, &leaf);
	put_many(100);
	up(OUTCOME_UP);
	pkey_copy(w.hw, host[1], 1, have);
	assert_int_equal(have[0], 0x7fff);
	for (unsigned i = 1; i < 128; i++)
		assert_int_equal(have[i], i <= 100 ? 0x8000 | i : 0);
	pkey_copy(w.hw, leaf, port, have);
	assert_int_equal(have[0], 0xffff);
	assert_int_equal(have[100], 0x8064);
	world_run(&w, 3 * SECOND);
	put_many(1);                            /* keys in further blocks are found and taken away */
	assert_int_equal(reload(), 0);
	EXPECT(1, 0x7fff, 0x8001);
	expect(leaf, port, KEYS(0xffff, 0x8001));
}

static void
a_rebooted_host_is_told_again(void **state)
{
	(void)state;
	partitions_begin(0);
	partitions_write(TENANTS);
	up(OUTCOME_UP);
	assert_int_equal(hw_node_reboot(w.hw, host[3], SECOND, w.now), 0);
	world_run(&w, 20 * SECOND);
	EXPECT(3, 0x7fff, 0x0010, 0x8020);
	assert_true(passes(3, 4, 0x8020));
}

/* Two hosts change places: what is enforced goes with them. */
static void
moved_hosts(void **state)
{
	uint32_t one, two;
	uint8_t a, b;

	(void)state;
	partitions_begin(0);
	partitions_write(TENANTS);
	up(OUTCOME_UP);
	a = leaf_of(1, &one);
	b = leaf_of(9, &two);
	assert_int_equal(hw_cable_pull(w.hw, host[1], 1, w.now), 0);
	assert_int_equal(hw_cable_pull(w.hw, host[9], 1, w.now), 0);
	world_run(&w, SECOND);
	assert_int_equal(hw_cable_plug(w.hw, host[1], 1, two, b, w.now), 0);
	assert_int_equal(hw_cable_plug(w.hw, host[9], 1, one, a, w.now), 0);
	world_run(&w, 20 * SECOND);
	expect(two, b, KEYS(0xffff, 0x8010));
	expect(one, a, KEYS(0xffff));
	assert_int_equal(count_enforced(IN | OUT), HOSTS);
	assert_true(passes(1, 2, 0x8010));
	assert_false(passes(9, 2, 0x8010));
}

static const char *
trace_text(const char *from, const char *to, bool *allowed, bool *reached)
{
	static char why[200];
	json_t *o, *p;

	assert_int_equal(manager_trace(sm->m, from, to, &o), 0);
	p = json_object_get(o, "partition");
	assert_true(json_is_object(p));
	*allowed = json_is_true(json_object_get(p, "allowed"));
	*reached = json_is_true(json_object_get(o, "reached"));
	snprintf(why, sizeof(why), "%s%s", *allowed ? json_string_value(json_object_get(p, "pkey")) : json_string_value(json_object_get(p, "why")),
		json_array_size(json_object_get(p, "source_pkeys")) && json_array_size(json_object_get(p, "destination_pkeys")) ? "" : " (no P_Keys)");
	json_decref(o);
	return why;
}

/* The tables of LIDs lead from everybody to everybody; a trace says where partitions forbid what they lead to, and a packet agrees. */
static void
traces_say_what_is_forbidden(void **state)
{
	bool allowed, reached;
	json_t *o;

	(void)state;
	partitions_begin(0);
	partitions_write(TENANTS);
	up(OUTCOME_UP);
	assert_string_equal(trace_text("host-1", "host-2", &allowed, &reached), "0x8010");
	assert_true(allowed && reached && passes(1, 2, 0x8010));
	assert_string_equal(trace_text("host-3", "host-1", &allowed, &reached), "0x0010");
	assert_true(allowed && reached && passes(3, 1, 0x0010));
	assert_string_equal(trace_text("host-1", "host-5", &allowed, &reached), "both are limited members of partition 0x7fff");
	assert_true(!allowed && reached && !passes(1, 5, 0x7fff));
	assert_string_equal(trace_text("host-1", "host-1", &allowed, &reached), "0x7fff");
	partitions_write(
		"Default=0x7fff: ALL=limited, SELF=full, %1=full; Default: ALL_SWITCHES=full;");
	assert_int_equal(reload(), 0);
	assert_string_equal(trace_text("host-1", "host-5", &allowed, &reached), "0xffff");
	assert_int_equal(manager_trace(sm->m, "host-4", "host-5", &o), 0);
	assert_string_equal(json_string_value(json_array_get(json_object_get(json_object_get(o, "partition"), "source_pkeys"), 0)), "0x7fff");
	json_decref(o);
}

static unsigned limited_lines;

static void
count_limited(void *arg, enum log_level level, const char *room, const char *line)
{
	(void)arg;
	(void)room;
	limited_lines += level == LOG_WARN && strstr(line, "is a limited member of Default: limited members cannot reach") != NULL;
}

/* Which GUID is our own is known in the fabric only: once for each configuration, the log says that we are limited. */
static void
a_limited_manager_is_logged(void **state)
{
	(void)state;
	partitions_begin(0);
	w.log.emit = count_limited;
	limited_lines = 0;
	partitions_write("Default=0x7fff: ALL=limited, %1=full;");
	up(OUTCOME_UP);
	EXPECT(0, 0x7fff);
	assert_int_equal(limited_lines, 1);
	assert_int_equal(reload(), 0);
	assert_int_equal(limited_lines, 2);
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 10 * SECOND));
	assert_int_equal(limited_lines, 2);
	partitions_write("Default=0x7fff: ALL=limited, %0=full;");
	assert_int_equal(reload(), 0);
	EXPECT(0, 0xffff);
	assert_int_equal(limited_lines, 2);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, partitions_setup, partitions_teardown)
	const struct CMUnitTest tests[] = {
		T(tenants_are_apart), T(indices_outlive_restarts_and_changes), T(a_resweep_writes_nothing),
		T(a_broken_file_changes_nothing), T(enforcement_as_told), T(no_enforcement_without_the_table),
		T(groups_of_partitions), T(groups_lose_their_members), T(services_go_with_their_port),
		T(overflow_is_told), T(several_blocks), T(a_rebooted_host_is_told_again), T(moved_hosts),
		T(traces_say_what_is_forbidden), T(a_limited_manager_is_logged),
	};

	return cmocka_run_group_tests_name("partitions", tests, NULL, NULL);
}
