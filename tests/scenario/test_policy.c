/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_policy.c - the whole manager and a policy for paths: reloads in every order, and what hosts are told between and after sweeps.
 * An old configuration is freed as soon as the new one is in force, so that nothing may look into it.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "libmad/attr/sa_attr.h"
#include "tests/unit/test.h"
#include "sm/manager/manager_int.h"
#include "tests/scenario/world.h"

#define SECOND INT64_C(1000000)
#define NONE (-1)                       /* no path */

static char policy[] = "/tmp/heddle-policy-XXXXXX", keys[] = "/tmp/heddle-keys-XXXXXX", file[] = "/tmp/heddle-conf-XXXXXX";
static struct world w;
static struct world_manager *sm;
static uint32_t host[2];
static uint64_t tid;

static int
policy_setup(void **state)
{
	char *paths[] = { policy, keys, file };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		int fd;

		memcpy(paths[i] + strlen(paths[i]) - 6, "XXXXXX", 6);
		fd = mkstemp(paths[i]);
		if (fd < 0 || close(fd) < 0)
			return -1;
	}
	return 0;
}

static int
policy_teardown(void **state)
{
	(void)state;
	world_clear(&w);
	unlink(policy);
	unlink(keys);
	return unlink(file);
}

static void
policy_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void
put_default(unsigned sl)
{
	char text[200];

	snprintf(text, sizeof(text), "port-groups\nport-group\nname: hosts\nnode-type: CA\nend-port-group\nend-port-groups\n"
		"qos-ulps\ndefault: %u\nend-qos-ulps\n", sl);
	policy_write(policy, text);
}

static void
policy_begin(void)
{
	static const char *const args[] = { "--Pconfig", keys, "-Y", policy, "-F", file, NULL };
	unsigned n = 0;

	policy_write(keys, "Default=0x7fff,sl=2,ipoib:ALL=full;");
	world_init(&w, "fattree:k=4,levels=2", 1);
	w.keep_deliveries = true;
	sm = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
	for (uint32_t i = 0; i < w.topo.nnodes && n < 2; i++)
		if (w.topo.nodes[i].type == TOPO_CA && i != sm->node)
			host[n++] = i;
}

/* Whether the file was taken. */
static bool
reload(void)
{
	struct conf_error e = CONF_ERROR_INIT;
	struct conf *fresh;
	int err = conf_reload(sm->conf, &fresh, &e);

	if (!err)
		world_manager_take_conf(&w, sm, fresh);
	conf_error_clear(&e);
	return !err;
}

static void
sweep(void)
{
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
}

/* The SL that one host is told on the way to another. */
static int
sl(void)
{
	uint8_t mad[256] = { 1, 3, 2, METHOD_GET };
	struct hw_packet q = { .pkey = 0xffff, .src_qp = 1, .dst_qp = 1, .qkey = QKEY_GSI };
	struct hw_delivery d;
	int got = -2;

	wire_put64(mad + 8, ++tid);
	wire_put16(mad + 16, PATH_RECORD_ID);
	wire_put64(mad + 48, 1 << 4 | 1 << 5);
	wire_put16(mad + 56 + 40, world_lid(&w, w.topo.nodes[host[1]].desc, 1));
	wire_put16(mad + 56 + 42, world_lid(&w, w.topo.nodes[host[0]].desc, 1));
	memcpy(q.mad, mad, sizeof(mad));
	q.slid = world_lid(&w, w.topo.nodes[host[0]].desc, 1);
	q.dlid = world_lid(&w, w.topo.nodes[sm->node].desc, 1);
	assert_int_equal(hw_send(w.hw, host[0], 1, &q, w.now), 0);
	world_run(&w, SECOND / 100);
	while (world_take_delivery(&w, &d))
		if (dgram_class(d.packet.mad) == CLASS_SA && dgram_method(d.packet.mad) == METHOD_GET_RESP &&
		    dgram_tid(d.packet.mad) == tid)
			got = dgram_status(d.packet.mad) ? NONE : path_record_decode(d.packet.mad + 56).sl;
	return got;
}

static void
test_reloads(void **state)
{
	(void)state;
	policy_write(file, "qos = TRUE\n");
	put_default(3);
	policy_begin();
	assert_int_equal(sl(), 3);
	put_default(4);
	assert_true(reload());                          /* at once: the tables are there */
	assert_int_equal(sl(), 4);
	sweep();
	assert_int_equal(sl(), 4);
	policy_write(policy, "qos-ulps\ndefault: 16\n");
	assert_false(reload());
	assert_int_equal(sl(), 4);
	sweep();
	assert_int_equal(sl(), 4);
	put_default(5);
	assert_true(reload());
	put_default(6);
	assert_true(reload());
	assert_int_equal(sl(), 6);
	sweep();
	assert_int_equal(sl(), 6);
}

/* Turned on, service levels wait for the tables; turned off, they are gone at once. */
static void
test_switched(void **state)
{
	(void)state;
	policy_write(file, "");
	put_default(3);
	policy_begin();
	assert_int_equal(sl(), 0);
	policy_write(file, "qos = TRUE\n");
	assert_true(reload());
	assert_int_equal(sl(), 0);
	sweep();
	assert_int_equal(sl(), 3);
	policy_write(file, "");
	assert_true(reload());
	assert_int_equal(sl(), 0);
	sweep();
	assert_int_equal(sl(), 0);
}

static void
test_changes_during_sweep(void **state)
{
	(void)state;
	policy_write(file, "qos = TRUE\n");
	put_default(3);
	policy_begin();
	for (unsigned i = 0; i < 12; i++) {
		manager_sweep(sm->m, "test", w.now);
		world_run(&w, i * 40);                  /* somewhere within it */
		put_default(i);
		assert_true(reload());
		assert_int_equal(sl(), (int)i);
		world_run(&w, SECOND);
		assert_int_equal(sl(), (int)i);
	}
}

/* The groups of partitions have their service levels, too. */
static void
test_group_sl(void **state)
{
	static const uint8_t broadcast[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff };
	const struct mcast_group *g;

	(void)state;
	policy_write(file, "qos = TRUE\n");
	put_default(3);
	policy_begin();
	g = mcast_find(sm->m->registry.mcast, broadcast);
	assert_non_null(g);
	assert_int_equal(g->rec.sl, 2);
}

int
main(void)
{
#define T(t) cmocka_unit_test_setup_teardown(t, policy_setup, policy_teardown)
	const struct CMUnitTest tests[] = {
		T(test_reloads), T(test_switched), T(test_changes_during_sweep), T(test_group_sl),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
