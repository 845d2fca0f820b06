/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_commands.c - every command of `heddle-sim ctl`: what it changes, what it answers, what it
 * refuses; and requests that are none.
 */
#include <config.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>
#include "tests/unit/test.h"
#include "tests/unit/hw/rig.h"
#include "sim/serve/control.h"

struct bench {
	struct rig rig;
	struct server s;
	json_t *result;
	char why[CONTROL_WHY];
};

static int
commands_begin(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	rig_make(&b->rig, &(struct hw_conf){ .seed = 1, .latency_us = 3 });
	b->s.conf.latency_us = b->s.latency_us = 3;
	b->s.hw = b->rig.h;
	b->s.kmad = kmad_new(b->rig.h);
	snprintf(b->s.dir, sizeof(b->s.dir), "/tmp/heddle-commands-XXXXXX");
	assert_non_null(mkdtemp(b->s.dir));
	*state = b;
	return 0;
}

static int
commands_end(void **state)
{
	static const char *const made[] = { "/nodes/00000000000000a0/state",
		"/nodes/00000000000000a0/run", "/nodes/00000000000000a0/osm-cache",
		"/nodes/00000000000000a0/osm-tmp", "/nodes/00000000000000a0", "/nodes", "" };
	struct bench *b = *state;
	char path[PLACE_PATH + 64];

	for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) {
		snprintf(path, sizeof(path), "%s%s", b->s.dir, made[i]);
		rmdir(path);
	}
	json_decref(b->result);
	free(b->s.faults);
	kmad_free(b->s.kmad);
	hw_free(b->rig.h);
	free(b);
	return 0;
}

/* Runs "COMMAND ARG ..."; words are separated by '|'. */
static int
line_command(struct bench *b, const char *line)
{
	char *copy = strdup(line), *save = NULL;
	const char *args[CONTROL_ARGS + 2], *name = strtok_r(copy, "|", &save);
	unsigned n = 0;
	int r;

	while ((args[n] = strtok_r(NULL, "|", &save)))
		n++;
	json_decref(b->result);
	b->result = NULL;
	b->why[0] = '\0';
	r = control_run(&b->s, name, n, args, &b->result, b->why);
	free(copy);
	if (r) {
		assert_true(r < 0);
		assert_true(b->why[0]); /* a sentence */
		assert_null(b->result);
	}
	return r;
}

static bool
cabled(struct bench *b, uint32_t node, uint8_t port)
{
	uint32_t peer;
	uint8_t peer_port;

	return hw_peer(b->rig.h, node, port, &peer, &peer_port);
}

static void
the_table(void **state)
{
	const struct control_command *c;
	unsigned n = 0;

	(void)state;
	for (; (c = control_command(n)); n++) {
		assert_ptr_equal(control_command_find(c->name), c); /* no name twice */
		assert_true(c->min_args <= c->max_args && c->max_args <= CONTROL_ARGS);
		assert_true(*c->help && c->run && (!*c->usage == !c->max_args));
	}
	assert_true(n > 20);
	assert_null(control_command(n));
	assert_null(control_command(UINT_MAX));
	assert_null(control_command_find(""));
	assert_null(control_command_find("pul"));
}

static void
too_few_and_too_many(void **state)
{
	struct bench *b = *state;
	const struct control_command *c;
	const char *args[CONTROL_ARGS + 1];

	for (unsigned i = 0; i <= CONTROL_ARGS; i++)
		args[i] = "x";
	for (unsigned i = 0; (c = control_command(i)); i++) {
		if (c->min_args) {
			assert_int_equal(control_run(&b->s, c->name, c->min_args - 1, args,
						 &b->result, b->why),
				-EINVAL);
			assert_ptr_equal(strstr(b->why, "usage: "), b->why);
			assert_non_null(strstr(b->why, c->name));
		}
		assert_int_equal(
			control_run(&b->s, c->name, c->max_args + 1, args, &b->result, b->why),
			-EINVAL);
		assert_ptr_equal(strstr(b->why, "usage: "), b->why);
	}
	assert_int_equal(line_command(b, "explode"), -EINVAL);
	assert_string_equal(b->why, "no command 'explode'");
}

static void
cables(void **state)
{
	struct bench *b = *state;

	assert_true(cabled(b, A, 1));
	assert_int_equal(line_command(b, "pull|H-a0:1"), 0);
	assert_false(cabled(b, A, 1));
	assert_false(cabled(b, S1, 1));
	assert_int_equal(line_command(b, "pull|H-a0:1"), -ENOENT);
	assert_string_equal(b->why, "nothing is plugged in there");
	assert_int_equal(line_command(b, "plug|H-a0:1|S-51:2"), -EEXIST);
	assert_string_equal(b->why, "a port is connected already");
	assert_int_equal(line_command(b, "plug|H-a0:1|nobody:2"), -ENOENT);
	assert_int_equal(line_command(b, "plug|H-a0:1|S-51:4"), 0);
	assert_true(cabled(b, S1, 4));
	assert_int_equal(line_command(b, "pull|S-51:9"), -ENOENT);
	assert_null(b->result);
}

static void
power_and_reboots(void **state)
{
	struct bench *b = *state;
	json_t *ports;

	rig_bring_up(&b->rig);
	assert_int_equal(line_command(b, "ports|H-a0"), 0);
	ports = json_object_get(b->result, "ports");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(ports, 0), "state")), "Active");
	assert_int_equal(line_command(b, "reboot|H-a0"), 0);
	assert_int_equal(line_command(b, "ports|H-a0"), 0);
	ports = json_object_get(b->result, "ports");
	assert_string_not_equal(
		json_string_value(json_object_get(json_array_get(ports, 0), "state")), "Active");
	assert_int_equal(line_command(b, "reboot|H-a0|--down"), -EINVAL);
	assert_int_equal(line_command(b, "reboot|H-a0|--up|5"), -EINVAL);
	assert_int_equal(line_command(b, "reboot|H-a0|--down|3600001"), -EINVAL);
	assert_int_equal(line_command(b, "reboot|H-a0|--down|50"), 0);
	assert_int_equal(line_command(b, "power|H-b0|off"), 0);
	assert_int_equal(line_command(b, "power|H-b0|on"), 0);
	assert_int_equal(line_command(b, "power|H-b0|up"), -EINVAL);
	assert_string_equal(b->why, "'up' is not on or off");
	assert_int_equal(line_command(b, "power|nobody|off"), -ENOENT);
}

static void
new_hosts(void **state)
{
	struct bench *b = *state;
	char line[200];

	assert_int_equal(line_command(b, "add-host|new|--to|S-51:4"), 0);
	assert_int_equal(json_integer_value(json_object_get(b->result, "node")), RIG_NODES);
	assert_int_equal(hw_nodes(b->rig.h), RIG_NODES + 1);
	assert_string_equal(hw_node_topo(b->rig.h, RIG_NODES)->desc, "new");
	assert_true(cabled(b, RIG_NODES, 1));
	assert_int_equal(line_command(b, "add-host|more|--to|S-51:4"), -EEXIST);
	assert_int_equal(line_command(b, "add-host|more|--at|S-52:5"), -EINVAL);
	assert_int_equal(line_command(b, "add-host|more|--to|S-52:6"), -ENOENT);
	assert_int_equal(hw_nodes(b->rig.h), RIG_NODES + 1); /* nothing half done */
	memset(line, 'd', sizeof(line));
	memcpy(line, "add-host|", 9);
	memcpy(line + 9 + 65, "|--to|S-52:5", 13);
	assert_int_equal(line_command(b, line), -EINVAL); /* 65 bytes */
	assert_non_null(strstr(b->why, "longer than the 64 bytes of a description"));
	memcpy(line + 9 + 64, "|--to|S-52:5", 13);
	assert_int_equal(line_command(b, line), 0); /* 64 */
	assert_true(hw_node_topo(b->rig.h, RIG_NODES)->guid !=
		hw_node_topo(b->rig.h, RIG_NODES + 1)->guid);
}

static void
faults(void **state)
{
	static const char *const shares[] = { "drop", "dup", "reorder", "corrupt" };
	struct bench *b = *state;
	char line[64];

	for (unsigned i = 0; i < 4; i++) {
		snprintf(line, sizeof(line), "%s|%u.5", shares[i], i + 1);
		assert_int_equal(line_command(b, line), 0);
		snprintf(line, sizeof(line), "%s|101", shares[i]);
		assert_int_equal(line_command(b, line), -EINVAL);
		snprintf(line, sizeof(line), "%s|1|nobody", shares[i]);
		assert_int_equal(line_command(b, line), -ENOENT);
	}
	assert_int_equal(line_command(b, "delay|50%|700"), 0);
	assert_int_equal(line_command(b, "delay|50%|60000001"), -EINVAL);
	/* All of them are those of the whole fabric, each with its own member. */
	assert_int_equal(b->s.nfaults, 1);
	assert_int_equal(b->s.faults[0].node, TOPO_NONE);
	assert_int_equal(b->s.faults[0].faults.drop_ppm, 15000);
	assert_int_equal(b->s.faults[0].faults.dup_ppm, 25000);
	assert_int_equal(b->s.faults[0].faults.reorder_ppm, 35000);
	assert_int_equal(b->s.faults[0].faults.corrupt_ppm, 45000);
	assert_int_equal(b->s.faults[0].faults.delay_ppm, 500000);
	assert_int_equal(b->s.faults[0].faults.delay_us, 700);
	assert_int_equal(line_command(b, "drop|100|H-b0"), 0);
	assert_int_equal(b->s.nfaults, 2);
	assert_int_equal(b->s.faults[1].node, B);
	assert_int_equal(b->s.faults[1].faults.drop_ppm, 1000000);
	assert_int_equal(b->s.faults[1].faults.dup_ppm, 0);
	assert_int_equal(line_command(b, "latency|12"), 0);
	assert_int_equal(b->s.latency_us, 12);
	assert_int_equal(line_command(b, "latency|x"), -EINVAL);
	assert_int_equal(b->s.latency_us, 12);
	assert_int_equal(line_command(b, "clear"), 0);
	assert_int_equal(b->s.nfaults, 0);
	assert_int_equal(b->s.latency_us, 3); /* that of the start */
}

/* A node that answers nothing, until 'clear'. */
static void
misbehaviour(void **state)
{
	struct bench *b = *state;

	assert_int_equal(line_command(b, "latency|0"), 0);
	assert_true(rig_get(&b->rig, NODE_INFO_ID, 0, "1"));
	assert_int_equal(line_command(b, "misbehave|S-51|mute"), 0);
	assert_false(rig_get(&b->rig, NODE_INFO_ID, 0, "1"));
	b->s.conf.latency_us = 0;
	assert_int_equal(line_command(b, "clear"), 0);
	assert_true(rig_get(&b->rig, NODE_INFO_ID, 0, "1"));
	assert_int_equal(line_command(b, "misbehave|S-51|sings"), -EINVAL);
	assert_non_null(strstr(b->why, "'sings' is not a kind of misbehaviour"));
	assert_int_equal(line_command(b, "misbehave|nobody|mute"), -ENOENT);
	assert_int_equal(line_command(b, "misbehave|S-51|mute|0x10000"), -EINVAL);
	assert_int_equal(line_command(b, "misbehave|S-51|mute|x"), -EINVAL);
	assert_int_equal(line_command(b, "misbehave|S-51|mute|0x11"), 0);
	assert_false(rig_get(&b->rig, NODE_INFO_ID, 0, "1"));
	assert_true(rig_get(&b->rig, NODE_DESC_ID, 0, "1")); /* only that attribute */
}

static void
values_of_misbehaviour(void **state)
{
	static const char *const bad[] = { "misbehave|S-51|mute|0x11|x",
		"misbehave|S-51|mute|0x11|5x", "misbehave|S-51|mute|0x11|-1",
		"misbehave|S-51|mute|0x11|18446744073709551616", "misbehave|S-51|mute|0x11| 5" };
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(line_command(b, bad[i]), -EINVAL);
		assert_non_null(strstr(b->why, "is no value"));
	}
	assert_int_equal(line_command(b, "misbehave|S-51|mute|0x11|0xffffffffffffffff"), 0);
	assert_int_equal(line_command(b, "misbehave|S-51|mute|0x11|0"), 0);
}

static void
extended_speeds(void **state)
{
	struct bench *b = *state;
	enum hw_extended_speeds e = 77;

	assert_int_equal(line_command(b, "extended-speeds|hidden"), 0);
	assert_int_equal(line_command(b, "extended-speeds|shown|H-a0"), 0);
	assert_int_equal(line_command(b, "extended-speeds|shown|nobody"), -ENOENT);
	assert_int_equal(line_command(b, "extended-speeds|some"), -EINVAL);
	assert_int_equal(control_extended_speeds("refused", &e), 0);
	assert_int_equal(e, HW_EXTENDED_REFUSED);
	assert_int_equal(control_extended_speeds("Refused", &e), -EINVAL);
	assert_int_equal(control_extended_speeds("", &e), -EINVAL);
	assert_int_equal(e, HW_EXTENDED_REFUSED);
}

static void
what_there_is(void **state)
{
	struct bench *b = *state;
	json_t *list, *o;

	assert_int_equal(line_command(b, "nodes"), 0);
	list = json_object_get(b->result, "nodes");
	assert_int_equal(json_array_size(list), RIG_NODES);
	o = json_array_get(list, S2);
	assert_string_equal(json_string_value(json_object_get(o, "type")), "switch");
	assert_string_equal(json_string_value(json_object_get(o, "guid")), "0x0000000000000052");
	assert_string_equal(json_string_value(json_object_get(o, "id")), "S-52");
	assert_int_equal(json_integer_value(json_object_get(o, "ports")), 5);
	assert_int_equal(line_command(b, "ports|S-51"), 0);
	list = json_object_get(b->result, "ports");
	assert_int_equal(json_array_size(list), 5); /* port 0 too */
	o = json_object_get(json_array_get(list, 2), "peer");
	assert_string_equal(json_string_value(json_object_get(o, "guid")), "0x0000000000000052");
	assert_int_equal(json_integer_value(json_object_get(o, "port")), 3);
	assert_null(json_object_get(json_array_get(list, 4), "peer"));
	assert_int_equal(line_command(b, "ports|nobody"), -ENOENT);
	assert_int_equal(line_command(b, "stats"), 0);
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(b->result, "server"), "open")),
		0);
	assert_non_null(json_object_get(json_object_get(b->result, "fabric"), "dropped_hops"));
	assert_null(json_object_get(b->result, "adapters"));
}

static void
summaries(void **state)
{
	struct bench *b = *state;
	json_t *lost;

	assert_int_equal(line_command(b, "summary"), 0);
	assert_int_equal(json_integer_value(
				 json_object_get(json_object_get(b->result, "fabric"), "switches")),
		2);
	assert_null(json_object_get(b->result, "first_lost")); /* no LIDs, no paths */
	/* A path that is lost is named, also when the node's name is no UTF-8. */
	b->rig.nodes[A].desc = "host \xff";
	hw_free(b->rig.h);
	kmad_free(b->s.kmad);
	b->s.hw = b->rig.h = hw_new(&b->rig.topo, &(struct hw_conf){ .seed = 1 });
	b->s.kmad = kmad_new(b->rig.h);
	rig_bring_up(&b->rig);
	assert_int_equal(line_command(b, "summary"), 0);
	assert_null(json_object_get(b->result, "first_lost"));
	assert_int_equal(line_command(b, "pull|S-51:2"), 0);
	assert_int_equal(line_command(b, "pull|S-51:3"), 0);
	assert_int_equal(line_command(b, "summary"), 0);
	lost = json_object_get(b->result, "first_lost");
	assert_non_null(lost);
	assert_string_equal(json_string_value(json_object_get(lost, "from")), "host ?");
}

static void
places(void **state)
{
	struct bench *b = *state;
	char path[PLACE_PATH + 64];

	assert_int_equal(line_command(b, "place"), 0); /* the first host */
	assert_int_equal(json_integer_value(json_object_get(b->result, "node")), A);
	assert_int_equal(json_integer_value(json_object_get(b->result, "port")), 0);
	snprintf(path, sizeof(path), "%s/nodes/00000000000000a0", b->s.dir);
	assert_string_equal(json_string_value(json_object_get(b->result, "directory")), path);
	assert_int_equal(access(path, W_OK | X_OK), 0);
	snprintf(path, sizeof(path), "%s/umad", b->s.dir);
	assert_string_equal(json_string_value(json_object_get(b->result, "socket")), path);
	assert_int_equal(line_command(b, "place|H-a0:1"), 0);
	assert_int_equal(json_integer_value(json_object_get(b->result, "port")), 1);
	assert_int_equal(line_command(b, "place|H-a0:2"), -ENOENT);
	assert_int_equal(line_command(b, "place|leaf"), -ENOTUNIQ);
	assert_int_equal(line_command(b, "place|nobody"), -ENOENT);
}

static void
answer_is(struct bench *b, const char *line, const char *want)
{
	json_t *reply = control_answer(&b->s, line, strlen(line));
	char *text = json_dumps(reply, JSON_COMPACT | JSON_SORT_KEYS);

	assert_non_null(text);
	if (!strstr(text, want))
		fail_msg("%s: %s", line, text);
	free(text);
	json_decref(reply);
}

static void
requests(void **state)
{
	static const char *const none[] = { "", "x", "[]", "{}", "5", "{\"command\":5}",
		"{\"arguments\":[]}", "{\"command\":\"clear\",\"command\":\"clear\"}" };
	struct bench *b = *state;
	char line[1000] = "{\"command\":\"counters\",\"arguments\":[\"S-51:1\"";

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		answer_is(b, none[i], "a request is an object with 'command' and 'arguments'");
	answer_is(b, "{\"command\":\"clear\",\"arguments\":[]}", "{\"ok\":true}");
	answer_is(b, "{\"command\":\"clear\"}", "{\"ok\":true}");
	answer_is(b, "{\"command\":\"nodes\"}", "\"ok\":true,\"result\":{\"nodes\":[");
	answer_is(b, "{\"command\":\"ports\",\"arguments\":[7]}", "\"ok\":false");
	answer_is(b, "{\"command\":\"ports\",\"arguments\":[\"x\"]}", "no node 'x'");
	for (unsigned i = 0; i < CONTROL_ARGS; i++)
		strcat(line, ",\"a\"");
	strcat(line, "]}");
	answer_is(b, line, "not so many");
}

#define T(f) cmocka_unit_test_setup_teardown(f, commands_begin, commands_end)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table),
		T(too_few_and_too_many),
		T(cables),
		T(power_and_reboots),
		T(new_hosts),
		T(faults),
		T(misbehaviour),
		T(values_of_misbehaviour),
		T(extended_speeds),
		T(what_there_is),
		T(summaries),
		T(places),
		T(requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
