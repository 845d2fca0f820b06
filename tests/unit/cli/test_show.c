/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_show.c - answers as text: whole ones, empty ones, and ones in which nothing is of the type
 * that it should be.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "cli/show.h"

static char *text;

static int
teardown(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

/* What 'show' prints of this JSON. */
static const char *
shown(void (*show)(FILE *, const json_t *), const char *json)
{
	size_t n;
	json_t *o = json ? json_loads(json, JSON_DECODE_ANY, NULL) : NULL;
	FILE *f;

	teardown(NULL);
	f = open_memstream(&text, &n);
	assert_non_null(f);
	if (json)
		assert_non_null(o);
	show(f, o);
	assert_int_equal(fclose(f), 0);
	json_decref(o);
	return text;
}

static void
expect_line(const char *line)
{
	char want[300];

	snprintf(want, sizeof(want), "%s\n", line);
	if (!strstr(text, want))
		fail_msg("expected '%s' in '%s'", line, text);
}

static void
key(void **state)
{
	(void)state;
	assert_string_equal(shown(show_key, "{\"m_key\":\"0x1\"}"), "0x1\n");
	assert_string_equal(shown(show_key, "{}"), "?\n");
	assert_string_equal(shown(show_key, "{\"m_key\":1}"), "?\n");
	assert_string_equal(shown(show_key, NULL), "?\n");
}

static void
released(void **state)
{
	(void)state;
	assert_string_equal(shown(show_released,
		"{\"keys\":{\"m_key\":\"none\",\"released\":\"no\"}}"),
		"M_Key          : none: 0 ports protected\n");
	assert_string_equal(shown(show_released, "{\"keys\":{\"m_key\":\"set\",\"lease_s\":60,"
		"\"protected\":3,\"foreign\":1,\"unknown\":2,\"released\":\"done\"}}"),
		"M_Key          : set, lease 60 s: 3 ports protected, "
		"1 protected by a foreign key, 2 not read; release done\n");
	assert_string_equal(shown(show_released, "{\"keys\":7}"), "");
	assert_string_equal(shown(show_released, "{}"), "");
}

/* One and many, the verdict, what is left out when there is none of it. */
static void
status(void **state)
{
	(void)state;
	shown(show_status, "{\"subnet\":\"up\",\"state\":\"master\",\"nodes\":1,\"switches\":1,"
		"\"hosts\":2,\"links\":1,\"lids\":3,\"priority\":5,\"engine\":\"updn\","
		"\"verify\":{\"ok\":true},\"ports\":{\"active\":4,\"down\":1},"
		"\"last_sweep\":{\"number\":7,\"reason\":\"trap\",\"took_s\":0.5,"
		"\"ended_s_ago\":7200}}");
	expect_line("Subnet         : UP");
	expect_line("SM State       : Master");
	expect_line("SM Port        : none");
	expect_line("Fabric         : 1 node: 1 switch, 2 host ports; 1 link, 3 LIDs");
	expect_line("Ports          : 4 active, 1 down");
	expect_line("Routing Engine : updn, verified");
	expect_line("Last Sweep     : number 7 (trap), took 0.50 s, ended 2 h ago");
	assert_null(strstr(text, "Last Reroute"));
	assert_null(strstr(text, "Missing"));
	assert_null(strstr(text, "M_Key"));
	assert_null(strstr(text, "Fabric Shape"));
	shown(show_status, "{\"engine\":\"nue\",\"verify\":{\"ok\":true},\"choice\":{\"shape\":\"torus 5x5\",\"tried\":["
		"{\"engine\":\"torus-2qos\",\"refusal\":\"torus-2qos refuses: VLS\"},{\"engine\":\"nue\",\"refusal\":null}]}}");
	expect_line("Routing Engine : nue, verified");
	expect_line("Fabric Shape   : torus 5x5");
	expect_line("Engine Refused : torus-2qos refuses: VLS");
	shown(show_status, "{\"last_reroute\":{\"number\":9,\"reason\":\"trap\",\"ended_s_ago\":3.0,\"moves\":{\"pairs\":240,"
		"\"moved\":29,\"broken\":28,\"needless\":1,\"restored\":2,\"lost\":3,\"blocks\":75}}}");
	expect_line("Last Reroute   : sweep 9 (trap), 3.00 s ago: of 240 paths between hosts 28 moved that were broken, "
		"1 that were whole; 2 restored, 3 lost; 75 blocks");
	shown(show_status, "{\"choice\":{\"remarks\":[\"order:3: the fabric has no port 0x7\"]},\"engine\":\"updn\"}");
	expect_line("Routing Options: order:3: the fabric has no port 0x7");
	shown(show_status, "{\"subnet\":\"partial\",\"sweeping\":true,\"state\":\"odd\","
		"\"engine\":\"updn\",\"verify\":{\"ok\":false,\"loops\":2}}");
	expect_line("Subnet         : UP IN PART, see the troubles below, a sweep is under way");
	expect_line("SM State       : odd");
	expect_line("Routing Engine : updn, REFUSED: 0 unreachable, 2 loops, 0 credit loops");
	shown(show_status, "{\"subnet\":\"down\",\"waiting\":\"a device\"}");
	expect_line("Subnet         : NOT UP: a device");
	expect_line("Last Sweep     : none yet");
	expect_line("Routing Engine : none yet");
}

/* Durations at the borders of their units. */
static void
durations(void **state)
{
	static const struct {
		const char *seconds, *want;
	} rows[] = {
		{ "0", "0.00 s" }, { "9.99", "9.99 s" }, { "10", "10 s" }, { "119", "119 s" },
		{ "120", "2 min" }, { "7199", "120 min" }, { "7200", "2 h" }, { "172799", "48 h" },
		{ "172800", "2 days" }, { "1e12", "11574074 days" }, { "-1", "-1.00 s" },
	};
	char json[100], want[100];

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(json, sizeof(json), "{\"last_sweep\":{\"took_s\":%s}}", rows[i].seconds);
		snprintf(want, sizeof(want), "took %s, ended", rows[i].want);
		shown(show_status, json);
		if (!strstr(text, want))
			fail_msg("expected '%s' in '%s'", want, text);
	}
}

/* Lists that hold only the first entries say how many more there are. */
static void
lists(void **state)
{
	(void)state;
	shown(show_status, "{\"troubles_total\":3,\"troubles\":[{\"guid\":\"0x1\","
		"\"description\":\"leaf\",\"path\":\"0,1\",\"reason\":\"no answer\"},{}]}");
	expect_line("Troubles       : 3");
	expect_line("  0x1 \"leaf\" at 0,1: no answer");
	expect_line("  unknown node: ?");
	expect_line("  and 1 more");
	shown(show_status, "{\"troubles_total\":1,\"troubles\":[{}]}");
	assert_null(strstr(text, "more"));
	shown(show_status, "{\"troubles_total\":2,\"troubles\":5}");
	expect_line("  and 2 more");
	shown(show_status, "{\"troubles_total\":0,\"troubles\":[{}]}");
	assert_null(strstr(text, "Troubles"));
}

static void
snapshot(void **state)
{
	(void)state;
	shown(show_snapshot,
		"{\"sweep\":4,\"switches\":1,\"hosts\":1,\"links\":1,\"port_guid\":\"0x9\","
		"\"nodes\":[{\"guid\":\"0x1\",\"type\":\"switch\",\"description\":\"leaf\","
		"\"path\":\"0\",\"ports\":[{\"port\":1,\"state\":\"active\",\"lid\":3,"
		"\"peer\":{\"guid\":\"0x2\",\"port\":1}},"
		"{\"port\":2,\"state\":\"down\",\"lid\":0}]},"
		"{\"guid\":\"0x2\",\"type\":\"ca\",\"description\":\"host\",\"path\":\"0,1\"}]}");
	expect_line("Sweep 4: 2 nodes, 1 switch, 1 host port, 1 link; seen from 0x9");
	expect_line("switch 0x1 \"leaf\" path 0");
	expect_line("    1  active  LID 3  -> 0x2 \"host\" port 1");
	expect_line("    2  down");
	/* a peer that is not in the list */
	shown(show_snapshot, "{\"nodes\":[{\"ports\":[{\"peer\":{\"guid\":\"0x5\"}}]}]}");
	expect_line("    0  ?  -> 0x5 \"?\" port 0");
}

static void
trace(void **state)
{
	(void)state;
	shown(show_trace,
		"{\"source\":{\"lid\":1,\"guid\":\"0x1\",\"description\":\"a\",\"port\":1},"
		"\"hops\":[{\"in_port\":1,\"out_port\":22,"
		"\"guid\":\"0x3\",\"description\":\"leaf\"},"
		"{\"guid\":\"0x4\",\"description\":\"end\"}],\"reached\":false,\"why\":\"a loop\","
		"\"partition\":{\"allowed\":false,\"why\":\"no P_Key\","
		"\"source_pkeys\":[\"0x1\",\"0x2\"],"
		"\"destination_pkeys\":[]}}");
	expect_line("From LID 1  0x1 \"a\" port 1");
	expect_line("   0 [  1] 0x3 [ 22] leaf");
	expect_line("   1       0x4       end");
	expect_line("To   LID 0  ? \"?\" port 0");
	expect_line("NOT REACHED: a loop");
	expect_line("FORBIDDEN BY PARTITIONS: no P_Key");
	expect_line("  P_Keys of the source: 0x1 0x2");
	expect_line("  P_Keys of the destination: none");
	shown(show_trace,
		"{\"reached\":true,\"partition\":{\"allowed\":true,\"pkey\":\"0x7fff\"}}");
	expect_line("reached");
	expect_line("allowed by P_Key 0x7fff");
}

/* Text of the fabric cannot write to the terminal: control characters become '?'. */
static void
control_characters(void **state)
{
	(void)state;
	shown(show_trace,
		"{\"hops\":[{\"guid\":\"0x\\u001b[2J\",\"description\":\"a\\nb\\u007f\\tc\"}],"
		"\"partition\":{\"source_pkeys\":[\"\\u0007\"]}}");
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || ((unsigned char)*c >= 32 && *c != 127));
	assert_non_null(strstr(text, "a?b??c"));
	shown(show_key, "{\"m_key\":\"l\xc3\xa4nge\"}");         /* other letters stay */
	assert_string_equal(text, "l\xc3\xa4nge\n");
}

static void
topology(void **state)
{
	(void)state;
	shown(show_topology, "{\"state\":\"learned\",\"command\":\"adopt\",\"unread\":null,"
		"\"intended\":{\"switches\":2,\"links\":1,\"hosts\":9},\"present\":null,"
		"\"missing\":[{\"kind\":\"missing link\",\"guid\":\"0x1\","
		"\"text\":\"leaf-1 port 1 - leaf-2 port 1\"}],\"missing_total\":2,"
		"\"pending\":[],\"pending_total\":0}");
	expect_line("Topology       : learned, being changed: adopt");
	expect_line("Intended       : 2 switches, 1 link between them, 9 host ports");
	expect_line("Present        : unknown");
	expect_line("Missing        : 2");
	expect_line("  missing link: leaf-1 port 1 - leaf-2 port 1 (0x1)");
	expect_line("  and 1 more");
	assert_null(strstr(text, "Pending"));
	shown(show_topology, "{\"state\":\"foreign\",\"command\":\"none\"}");
	expect_line("Topology       : OF ANOTHER FABRIC, not used until topology adopt");
	shown(show_topology, "{\"state\":\"none\",\"command\":\"none\",\"unread\":\"bad\"}");
	expect_line("Topology       : none yet: it is learned when the whole fabric answers");
	expect_line("Store          : bad");
}

/* Every member of every answer replaced by values of all types: always text, never a crash. */
static void
wrong_types(void **state)
{
	static void (*const shows[])(FILE *, const json_t *) = {
		show_status, show_snapshot, show_trace, show_released, show_key, show_topology,
	};
	static const char *const members[] = {
		"subnet", "waiting", "sweeping", "state", "master", "disabled_by", "priority",
		"port_guid", "ca", "lid", "ports", "nodes", "engine", "verify", "last_sweep",
		"last_reroute", "choice",
		"mads",
		"store", "uptime_s", "troubles", "troubles_total", "missing", "missing_total",
		"flapping", "flapping_total", "strangers", "lid_changes", "standbys", "keys",
		"sweep",
		"source", "destination", "hops", "reached", "why", "partition", "m_key",
		"intended", "present", "pending", "pending_total", "command", "unread",
	};
	static const char *const values[] = {
		"null", "true", "7", "-9223372036854775808", "1e308", "\"x\"", "[]", "[7]",
		"[\"x\"]",
		"[null,[],{}]", "{}", "{\"x\":{}}", "{\"last\":[7],\"total\":1}",
		"[{\"guid\":7,\"ports\":[7,{\"peer\":7},{\"peer\":{\"guid\":[]}}]}]",
		"{\"allowed\":7,\"source_pkeys\":[7,null,\"0x1\"],\"destination_pkeys\":7}",
	};
	char json[300];

	(void)state;
	for (unsigned s = 0; s < sizeof(shows) / sizeof(shows[0]); s++)
		for (unsigned v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
			shown(shows[s], values[v]);
			for (unsigned m = 0; m < sizeof(members) / sizeof(members[0]); m++) {
				snprintf(json, sizeof(json), "{\"%s\":%s}", members[m], values[v]);
				shown(shows[s], json);
			}
		}
	shown(show_trace, "{\"partition\":{\"source_pkeys\":[7,\"0x1\",null]}}");
	expect_line("  P_Keys of the source: ? 0x1 ?");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(key, teardown),
		cmocka_unit_test_teardown(released, teardown),
		cmocka_unit_test_teardown(status, teardown),
		cmocka_unit_test_teardown(durations, teardown),
		cmocka_unit_test_teardown(lists, teardown),
		cmocka_unit_test_teardown(snapshot, teardown),
		cmocka_unit_test_teardown(topology, teardown),
		cmocka_unit_test_teardown(trace, teardown),
		cmocka_unit_test_teardown(control_characters, teardown),
		cmocka_unit_test_teardown(wrong_types, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
