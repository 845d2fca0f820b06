/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_preferences.c - the whole manager and files of routing preferences: what it writes, what it
 * says of what is not there, and that a reload changes the tables or, with a bad file, nothing.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "sm/manager/manager_int.h"
#include "sim/phys/phys.h"
#include "tests/scenario/tables.h"

#define SECOND INT64_C(1000000)

static char ports[] = "/tmp/heddle-ports-XXXXXX", file[] = "/tmp/heddle-conf-XXXXXX";
static struct world w;
static struct world_manager *sm;

static int
preferences_setup(void **state)
{
	char *paths[] = { ports, file };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		int fd;

		memcpy(paths[i] + strlen(paths[i]) - 6, "XXXXXX", 6);
		fd = mkstemp(paths[i]);
		if (fd < 0 || close(fd) < 0)
			return -1;
	}
	return 0;
}

static int
preferences_teardown(void **state)
{
	(void)state;
	world_clear(&w);
	unlink(ports);
	return unlink(file);
}

__attribute__((format(printf, 2, 3))) static void
put(const char *path, const char *fmt, ...)
{
	FILE *f = fopen(path, "w");
	va_list ap;

	assert_non_null(f);
	va_start(ap, fmt);
	assert_true(vfprintf(f, fmt, ap) >= 0);
	va_end(ap);
	assert_int_equal(fclose(f), 0);
}

/* Whether the files were taken; then a sweep follows. */
static bool
reload(void)
{
	struct conf_error e = CONF_ERROR_INIT;
	struct conf *fresh;
	int err = conf_reload(sm->conf, &fresh, &e);

	if (!err)
		world_manager_take_conf(&w, sm, fresh);
	conf_error_clear(&e);
	manager_sweep(sm->m, "test", w.now);
	assert_true(world_run_sweeps(&w, sm, 1, 60 * SECOND));
	world_run(&w, 15 * SECOND);
	return !err;
}

static void
start_fabric(const char *spec)
{
	const char *args[] = { "-F", file, NULL };

	world_init(&w, spec, 1);
	sm = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, sm, 1, 10 * SECOND));
	world_run(&w, 15 * SECOND);
}

static void
start_leaves(void)
{
	start_fabric("fattree:k=8,levels=2");
}

/* The port by which the first leaf sends to the n-th host of the other leaves, in the order of
 * LIDs. */
static uint8_t
port_to(unsigned n)
{
	const struct snapshot *s = sm->m->net.served.s;
	const struct lid_map *lids = &sm->m->net.served.plan->lids;
	uint32_t leaf = FAB_NONE;

	for (uint16_t lid = 1; lid <= lids->top; lid++) {
		uint32_t port = lids->owner[lid], sw;

		if (port == FAB_NONE || fab_is_switch(&s->nodes[s->ports[port].node]))
			continue;
		sw = s->ports[s->ports[port].peer].node;
		leaf = leaf == FAB_NONE ? sw : leaf;
		if (sw != leaf && n-- == 0)
			return s->nodes[leaf].lft[lid];
	}
	fail_msg("no such host");
	return 0;
}

static uint64_t
first_leaf(void)
{
	const struct snapshot *s = sm->m->net.served.s;

	return s->nodes[s->ports[s->ports[sm->m->net.served.plan->lids.owner[1]].peer].node].guid;
}

/* The n-th remark of Status; "": there is none. */
static const char *
remark(unsigned n)
{
	static char text[400];
	json_t *o = manager_status(sm->m, w.now);
	const char *said = json_string_value(
		json_array_get(json_object_get(json_object_get(o, "choice"), "remarks"), n));

	snprintf(text, sizeof(text), "%s", said ? said : "");
	json_decref(o);
	return text;
}

/* A reload with other preferences moves the paths, and back. */
static void
reloads(void **state)
{
	static const uint8_t plain[] = { 5, 6, 7, 8 }, other[] = { 8, 6, 5, 7 };

	(void)state;
	put(file, "routing_engine = updn\n");
	start_leaves();
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(port_to(i), plain[i]);
	put(ports, "0x%llx 8 6\n", (unsigned long long)first_leaf());
	put(file, "routing_engine = updn\nport_search_ordering_file = %s\n", ports);
	assert_true(reload());
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(port_to(i), other[i]);
	assert_string_equal(remark(0), "");
	/* A file that cannot be read: what was read before stays. */
	put(file, "routing_engine = updn\nport_search_ordering_file = /nonexistent/ports\n");
	assert_false(reload());
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(port_to(i), other[i]);
	put(file, "routing_engine = updn\n");
	assert_true(reload());
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(port_to(i), plain[i]);
	assert_true(world_is_right(&w));
}

/* A GUID that is not there is named, and so is an option without effect; what is there counts. */
static void
remarks(void **state)
{
	char want[200];

	(void)state;
	put(file, "routing_engine = updn\n");
	start_leaves();
	put(ports, "0x77 1\n0x%llx 8 6\n0x%llx 9\n", (unsigned long long)first_leaf(),
		(unsigned long long)first_leaf() + 0x100);
	put(file, "routing_engine = updn\nhop_weights_file = %s\nport_search_ordering_file = %s\n",
		ports, ports);
	assert_true(reload());
	assert_int_equal(port_to(0), 8);
	snprintf(want, sizeof(want),
		"%s:1: the fabric has no switch 0x0000000000000077, and 1 more line", ports);
	assert_string_equal(remark(0), want);
	assert_string_equal(remark(1), "engine updn makes no use of hop_weights_file");
	put(file, "routing_engine = ftree\nport_shifting = TRUE\n");
	assert_true(reload());
	assert_string_equal(remark(0), "engine ftree makes no use of port_shifting");
	assert_string_equal(remark(1), "");
	assert_true(world_is_right(&w));
}

/* Lines of the switches whose names begin like this. */
static size_t
list_switches(const char *begin, char *to, size_t len)
{
	const struct snapshot *s = sm->m->net.served.s;
	size_t n = 0;

	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *k = &s->nodes[s->switches[i]];

		if (memcmp(k->desc, begin, strlen(begin)) == 0)
			n += (size_t)snprintf(
				to + n, len - n, "0x%016llx\n", (unsigned long long)k->guid);
	}
	return n;
}

/* The link of a switch is pulled and comes back, with a sweep each.  Nothing else moves. */
static void
lose_link(const char *name, uint8_t port)
{
	uint32_t a = world_node(&w, name), b;
	struct tables begun, lost, back;
	struct table_moves m;
	uint8_t to;

	assert_true(hw_peer(w.hw, a, port, &b, &to));
	tables_take(&w, &begun);
	assert_int_equal(hw_cable_pull(w.hw, a, port, w.now), 0);
	world_run(&w, 15 * SECOND);
	tables_take(&w, &lost);
	tables_moves(&w, &begun, &lost, &begun, &m);
	assert_true(m.broken > 0);
	assert_int_equal(m.needless + m.back + m.lost, 0);
	assert_int_equal(hw_cable_plug(w.hw, a, port, b, to, w.now), 0);
	world_run(&w, 15 * SECOND);
	tables_take(&w, &back);
	assert_int_equal(back.stride, begun.stride);
	assert_memory_equal(back.port, begun.port, (size_t)back.nnodes * back.stride);
	tables_clear(&begun);
	tables_clear(&lost);
	tables_clear(&back);
}

/* A pod has an engine of its own; links inside and outside are lost, and come back. */
static void
groups(void **state)
{
	static const char *const pod[] = { "leaf-0-", "agg-0-" };
	char list[400] = "";
	size_t n = 0;

	(void)state;
	put(file, "routing_engine = ftree\n");
	start_fabric("fattree:k=6,levels=3");
	for (unsigned i = 0; i < 2; i++)
		n += list_switches(pod[i], list + n, sizeof(list) - n);
	put(ports, "group pod updn\n%s", list);
	put(file, "routing_engine = ftree\nrouting_groups_file = %s\n", ports);
	assert_true(reload());
	assert_string_equal(remark(0), "group pod: engine updn");
	lose_link("leaf-0-1", 5);
	lose_link("agg-0-1", 5);
	lose_link("leaf-2-1", 4);
	assert_string_equal(remark(0), "group pod: engine updn");
	put(ports, "group pod torus-2qos\n%s", list);
	assert_true(reload());
	assert_non_null(strstr(remark(0), "group pod is not in force: engine torus-2qos refuses"));
	assert_true(world_is_right(&w));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(reloads, preferences_setup, preferences_teardown),
		cmocka_unit_test_setup_teardown(remarks, preferences_setup, preferences_teardown),
		cmocka_unit_test_setup_teardown(groups, preferences_setup, preferences_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
