/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_options.c - what options name in vain is said with file and line; so are options that an
 * engine makes no use of.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/conf/routing/groups.h"
#include "sm/conf/routing/lines.h"
#include "sm/intended/intended.h"
#include "sm/route/options.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct intended *t;
static struct routing_line line[4];
static struct routing_lines lines = { .file = "F", .line = line };
static char buf[320];

static int
setup(void **state)
{
	(void)state;
	s = made_snapshot("fattree:k=4,levels=2", NULL);
	t = intended_learn(s, NULL);
	memset(line, 0, sizeof(line));
	lines.n = 0;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	made_free(s);
	intended_free(t);
	return 0;
}

static void
put(uint64_t guid, unsigned n, const uint32_t *v)
{
	line[lines.n] = (struct routing_line){ guid, lines.n + 3, n, v };
	lines.n++;
}

static uint64_t
switch_guid(uint32_t sw)
{
	return s->nodes[s->switches[sw]].guid;
}

static uint64_t
host_guid(void)
{
	for (uint32_t i = 0; i < s->nports; i++)
		if (!fab_is_switch(&s->nodes[s->ports[i].node]) && s->ports[i].num)
			return s->ports[i].guid;
	fail_msg("no host");
	return 0;
}

static void
nothing_to_say(void **state)
{
	static const uint32_t ports[] = { 1, 2, 3 };
	uint64_t root = switch_guid(0);
	struct route_conf c = { .ports = &lines, .roots = &root, .nroots = 1 };

	(void)state;
	assert_int_equal(options_unknown(NULL, s, NULL, buf, sizeof(buf)), 0);
	put(switch_guid(1), 3, ports);
	assert_int_equal(options_unknown(&c, s, NULL, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	lines.n = 0;
	put(host_guid(), 0, NULL);
	put(switch_guid(1), 0, NULL);
	c = (struct route_conf){ .order = &lines };
	assert_int_equal(options_unknown(&c, s, NULL, buf, sizeof(buf)), 0);
}

static void
unknown_is_named(void **state)
{
	static const uint32_t ports[] = { 1, 9 };
	uint64_t root = 0x77;
	struct route_conf c = { .order = &lines };

	(void)state;
	put(0x99, 0, NULL);
	assert_int_equal(options_unknown(&c, s, t, buf, sizeof(buf)), 1);
	assert_string_equal(buf, "F:3: the fabric has no port 0x0000000000000099");
	put(host_guid(), 2, ports);
	put(0x98, 0, NULL);
	assert_int_equal(options_unknown(&c, s, t, buf, sizeof(buf)), 2);
	assert_string_equal(buf, "F:3: the fabric has no port 0x0000000000000099, and 1 more line");
	c = (struct route_conf){ .ids = &lines };
	assert_int_equal(options_unknown(&c, s, t, buf, sizeof(buf)), 3);
	assert_string_equal(
		buf, "F:3: the fabric has no switch 0x0000000000000099, and 2 more lines");
	c = (struct route_conf){ .roots = &root, .nroots = 1 };
	assert_int_equal(options_unknown(&c, s, t, buf, sizeof(buf)), 1);
	assert_string_equal(buf, "root_guid_file: the fabric has no switch 0x0000000000000077");
	lines.n = 0;
	put(switch_guid(2), 2, ports);
	c = (struct route_conf){ .ids = &lines };
	assert_int_equal(options_unknown(&c, s, t, buf, sizeof(buf)), 0);
	c = (struct route_conf){ .weights = &lines }; /* port 1, weight 9 */
	assert_int_equal(options_unknown(&c, s, t, buf, sizeof(buf)), 0);
	c = (struct route_conf){ .ports = &lines };
	assert_int_equal(options_unknown(&c, s, t, buf, sizeof(buf)), 1);
	assert_non_null(strstr(buf, " has ports 1 to 4, not 9"));
}

static void
unknown_switches_of_groups_are_named(void **state)
{
	struct routing_group_switch sw[] = {
		{ switch_guid(1), 2 },
		{ 0x99, 3 },
		{ host_guid(), 4 },
	};
	struct routing_group group = { .name = "a", .engine = "updn", .line = 1, .sw = sw, .n = 3 };
	struct routing_groups groups = { .file = "G", .group = &group, .n = 1 };
	struct route_conf c = { .groups = &groups };

	(void)state;
	assert_int_equal(options_unknown(&c, s, t, buf, sizeof(buf)), 2);
	assert_string_equal(
		buf, "G:3: the fabric has no switch 0x0000000000000099, and 1 more line");
	group.n = 1;
	assert_int_equal(options_unknown(&c, s, t, buf, sizeof(buf)), 0);
}

/* What is off now, but intended, is no slip. */
static void
intended_is_known(void **state)
{
	struct snapshot *less = made_snapshot("fattree:k=2,levels=2", NULL);
	uint64_t host = host_guid(), sw = switch_guid(s->nswitches - 1);
	struct route_conf c = { .order = &lines };

	(void)state;
	put(host, 0, NULL);
	put(sw, 0, NULL);
	if (snapshot_port_by_guid(less, host) == FAB_NONE)
		assert_int_equal(options_unknown(&c, less, NULL, buf, sizeof(buf)), 2);
	assert_int_equal(options_unknown(&c, less, t, buf, sizeof(buf)), 0);
	c = (struct route_conf){ .ids = &lines };
	assert_int_equal(options_unknown(&c, less, NULL, buf, sizeof(buf)), 2);
	assert_int_equal(
		options_unknown(&c, less, t, buf, sizeof(buf)), 1); /* a host is no switch */
	made_free(less);
}

static void
unserved_is_named(void **state)
{
	struct route_conf c = { .order = &lines, .weights = &lines, .scatter = 7 };
	char why[300];

	(void)state;
	assert_string_equal(
		options_unserved(route_find("ftree", why, sizeof(why)), &c, buf, sizeof(buf)),
		"engine ftree makes no use of guid_routing_order_file, scatter_ports, hop_weights_file");
	assert_string_equal(
		options_unserved(route_find("updn", why, sizeof(why)), &c, buf, sizeof(buf)),
		"engine updn makes no use of hop_weights_file");
	assert_string_equal(
		options_unserved(route_find("minhop", why, sizeof(why)), &c, buf, sizeof(buf)), "");
	c = (struct route_conf){ .ids = &lines, .ports = &lines, .shift_ports = true };
	assert_string_equal(
		options_unserved(route_find("dor", why, sizeof(why)), &c, buf, sizeof(buf)),
		"engine dor makes no use of port_shifting, ids_guid_file");
	assert_string_equal(
		options_unserved(route_find("nue", why, sizeof(why)), &c, buf, sizeof(buf)),
		"engine nue makes no use of port_search_ordering_file, port_shifting, ids_guid_file");
	assert_string_equal(
		options_unserved(route_find("nue", why, sizeof(why)), NULL, buf, sizeof(buf)), "");
}

/* Both sentences are in the document. */
static void
remarks_of_a_chain(void **state)
{
	struct route_conf c = { .weights = &lines };
	struct route_in in = { .snapshot = s, .conf = &c };
	struct conf_engines e;
	struct chain x;
	json_t *o, *remarks;
	char why[300];

	(void)state;
	assert_true(chain_list_read("updn,minhop", &e, why, sizeof(why)));
	chain_make(&x, &e, &in, false, NULL);
	o = chain_json(&x);
	assert_int_equal(json_array_size(json_object_get(o, "remarks")), 0);
	json_decref(o);
	put(0x99, 0, NULL);
	chain_taken(&x, 0);
	options_remark(&x, &in);
	strcpy(x.groups.said, "group a: engine nue");
	o = chain_json(&x);
	remarks = json_object_get(o, "remarks");
	assert_int_equal(json_array_size(remarks), 3);
	assert_string_equal(json_string_value(json_array_get(remarks, 0)),
		"F:3: the fabric has no switch 0x0000000000000099");
	assert_string_equal(json_string_value(json_array_get(remarks, 1)),
		"engine updn makes no use of hop_weights_file");
	assert_string_equal(json_string_value(json_array_get(remarks, 2)), "group a: engine nue");
	json_decref(o);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(nothing_to_say),
		T(unknown_is_named),
		T(unknown_switches_of_groups_are_named),
		T(intended_is_known),
		T(unserved_is_named),
		T(remarks_of_a_chain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
