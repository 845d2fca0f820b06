/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_documents.c - what the manager tells, in every state it can be in: replies against the interface's description, the report
 * against what every program's documents have in common.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "tests/idl/idl.h"
#include "sm/status/status.h"
#include "tests/scenario/world.h"

#define SECOND 1000000

static char description[65536];

static int
read_description(void **state)
{
	char path[4096];
	FILE *f;

	(void)state;
	snprintf(path, sizeof(path), "%s/sm/ctl/io.heddle.Manager.varlink", getenv("top_srcdir") ? getenv("top_srcdir") : ".");
	f = fopen(path, "r");
	if (!f)
		return -1;
	description[fread(description, 1, sizeof(description) - 1, f)] = '\0';
	fclose(f);
	return 0;
}

static void
as_described(const char *method, json_t *o)
{
	char why[256] = "no object";

	if (!o || !idl_reply(description, method, o, why, sizeof(why)))
		fail_msg("%s: %s", method, why);
	json_decref(o);
}

/* The daemon adds what only it knows. */
static json_t *
whole(json_t *status)
{
	json_object_set_new(status, "store", json_pack("{s:b, s:s, s:s, s:s}", "ok", 1, "state", "ok", "path", "",
		"why", ""));
	json_object_set_new(status, "log", json_pack("{s:i, s:i}", "dropped", 0, "suppressed", 0));
	json_object_set_new(status, "uptime_s", json_real(1));
	return status;
}

static const char *
text_of(const json_t *o, const char *name)
{
	const char *s = json_string_value(json_object_get(o, name));

	assert_non_null(s);
	return s;
}

static void
status_is(const struct world *w, const struct world_manager *s, const char *state, const char *subnet)
{
	json_t *o = manager_status(s->m, w->now);

	assert_string_equal(text_of(o, "state"), state);
	assert_string_equal(text_of(o, "subnet"), subnet);
	as_described("Status", whole(o));
}

/* Keys that every document has; those of a kind of entry are always all there. */
static void
has_envelope(const json_t *o)
{
	static const char *const keys[] = { "schema", "schema_version", "tool", "time", "wall_ms", "source", "local", "options",
		"mads", "incomplete", "errors", "findings", "summary", "exit_status", "nodes", "switches", "hosts", "links", "lids",
		"ports", "ports_unlinked", "engine", "order", "moves", "failed", "verify", "phases_s", "wall_s", "cpu_s", "peak_rss_kib" };
	static const char *const error_keys[] = { "severity", "code", "target", "attribute", "modifier", "mad_status", "message" };
	static const char *const target_keys[] = { "node_guid", "port_guid", "lid", "port", "path", "name" };
	json_t *e;
	size_t k;

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!json_object_get(o, keys[i]))
			fail_msg("no %s", keys[i]);
	json_array_foreach(json_object_get(o, "errors"), k, e) {
		for (unsigned i = 0; i < sizeof(error_keys) / sizeof(error_keys[0]); i++)
			assert_non_null(json_object_get(e, error_keys[i]));
		for (unsigned i = 0; json_is_object(json_object_get(e, "target")) &&
		     i < sizeof(target_keys) / sizeof(target_keys[0]); i++)
			assert_non_null(json_object_get(json_object_get(e, "target"), target_keys[i]));
	}
	json_array_foreach(json_object_get(o, "failed"), k, e) {
		assert_non_null(json_object_get(e, "guid"));
		assert_non_null(json_object_get(e, "description"));
		assert_non_null(json_object_get(e, "path"));
		assert_non_null(json_object_get(e, "reason"));
	}
}

static json_t *
report(const struct world *w, const struct world_manager *s, int exit_status)
{
	json_t *o = manager_report(s->m, w->now);

	has_envelope(o);
	assert_int_equal(json_integer_value(json_object_get(o, "exit_status")), exit_status);
	return o;
}

static long long
number(const json_t *o, const char *name)
{
	assert_true(json_is_integer(json_object_get(o, name)));
	return (long long)json_integer_value(json_object_get(o, name));
}

static void
up(void **arg)
{
	struct world_manager *s;
	struct world w;
	json_t *o, *ports, *mads;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	status_is(&w, s, "discovering", "down");
	assert_null(manager_snapshot(s->m));
	assert_int_equal(manager_trace(s->m, "1", "2", &o), -EAGAIN);
	json_decref(o);
	assert_true(world_run_sweeps(&w, s, 1, SECOND));
	status_is(&w, s, "master", "up");
	as_described("Snapshot", manager_snapshot(s->m));
	assert_int_equal(manager_trace(s->m, "host-3", "host-12", &o), 0);
	assert_int_equal(json_array_size(json_object_get(o, "hops")), 7);
	as_described("Trace", o);
	assert_int_equal(manager_trace(s->m, "1", "0x00fe1d0000000000", &o), 0);
	as_described("Trace", o);
	assert_int_equal(manager_trace(s->m, "1", "nobody", &o), -ENOENT);
	assert_string_equal(text_of(o, "what"), "nobody");
	json_decref(o);

	o = report(&w, s, 0);
	assert_int_equal(number(o, "nodes"), 36);
	assert_int_equal(number(o, "switches"), 20);
	assert_int_equal(number(o, "hosts"), 16);
	assert_int_equal(number(o, "links"), 48);
	assert_int_equal(number(o, "lids"), 36);
	ports = json_object_get(o, "ports");
	assert_int_equal(number(ports, "active"), 96);
	assert_int_equal(number(ports, "armed") + number(ports, "init") + number(ports, "down"), 0);
	assert_int_equal(number(o, "ports_unlinked"), 0);
	assert_string_equal(text_of(o, "engine"), "ftree");
	mads = json_object_get(o, "mads");
	assert_int_equal(number(mads, "sent"), s->smps);
	assert_int_equal(number(mads, "received"), s->smps);
	assert_int_equal(number(json_object_get(mads, "by_attribute"), "LinearForwardingTable"), 20);
	assert_true(json_is_true(json_object_get(json_object_get(o, "verify"), "ok")));
	assert_string_equal(text_of(json_object_get(o, "verify"), "scope"), "all");
	assert_int_equal(json_array_size(json_object_get(o, "failed")), 0);
	json_decref(o);
	world_clear(&w);
}

static void
partial(void **arg)
{
	static const struct { enum hw_misbehaviour kind; uint16_t attr; const char *node, *code; } row[] = {
		{ HW_MUTE, 0, "core-0-0", "timeout" }, { HW_WRONG_STATUS, PORT_INFO_ID, "agg-0-1", "mad_status" },
		{ HW_BIG_COUNTS, NODE_INFO_ID, "core-0-0", "bad_reply" }, { HW_DUPLICATE_GUID, 0, "host-9", "duplicate_guid" },
		{ HW_NO_SET, 0, "core-1-0", "bad_reply" },
	};
	struct world_manager *s;
	struct world w;

	(void)arg;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		json_t *o, *e;
		bool named = false;
		size_t k;

		printf("# %s\n", row[i].code);
		world_init(&w, "fattree:k=4,levels=3", 1);
		assert_int_equal(hw_misbehave(w.hw, world_node(&w, row[i].node), row[i].kind, row[i].attr, 0), 0);
		s = world_manager_start(&w, NULL, NULL);
		assert_true(world_run_sweeps(&w, s, 1, 60 * SECOND));
		status_is(&w, s, "master", "partial");
		as_described("Snapshot", manager_snapshot(s->m));
		o = report(&w, s, 3);
		assert_true(json_is_true(json_object_get(o, "incomplete")));
		json_array_foreach(json_object_get(o, "errors"), k, e)
			named |= strcmp(text_of(e, "code"), row[i].code) == 0;
		assert_true(named);
		assert_int_equal(json_array_size(json_object_get(o, "findings")) > 0, row[i].kind == HW_DUPLICATE_GUID);
		json_decref(o);
		world_clear(&w);
	}
}

static void
refused(void **arg)
{
	static const char *const args[] = { "-R", "minhop,no_fallback", NULL };
	struct world_manager *s;
	struct world w;
	json_t *o;

	(void)arg;
	world_init(&w, "torus:4x4,hosts=2", 1);
	s = world_manager_start(&w, NULL, args);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	status_is(&w, s, "master", "down");
	o = report(&w, s, 1);
	assert_int_equal(number(o, "nodes"), 48);
	assert_string_equal(text_of(json_array_get(json_object_get(o, "findings"), 0), "code"), "refused");
	assert_non_null(strstr(text_of(json_array_get(json_object_get(o, "findings"), 0), "message"), "minhop"));
	assert_true(json_is_false(json_object_get(json_object_get(o, "verify"), "ok")));
	assert_true(number(json_object_get(o, "verify"), "credit_loops") > 0);
	json_decref(o);
	world_clear(&w);
}

/* What was configured before stays, and is told of, when the next plan is refused. */
static void
refused_later(void **arg)
{
	struct world_manager *s;
	struct world w;
	uint64_t tables;
	json_t *o;

	(void)arg;
	world_init(&w, "torus:4x4,hosts=2", 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 2, 10 * SECOND));
	tables = world_tables(&w);
	s->conf->engines = (struct conf_engines){ .n = 1, .name = { "minhop" }, .no_fallback = true };
	manager_set_conf(s->m, s->conf, w.now);
	world_run(&w, 60 * SECOND);
	assert_int_equal(manager_outcome(s->m), OUTCOME_REFUSED);
	assert_true(world_tables(&w) == tables);
	assert_true(world_is_right(&w));
	o = manager_status(s->m, w.now);
	assert_string_equal(text_of(o, "engine"), "dor");
	assert_int_equal(number(o, "lids"), 48);
	as_described("Status", whole(o));
	assert_int_equal(manager_trace(s->m, "host-3", "host-12", &o), 0);
	as_described("Trace", o);
	json_decref(report(&w, s, 1));
	s->conf->engines.name[0] = "auto";
	manager_set_conf(s->m, s->conf, w.now);
	world_run(&w, 5 * SECOND);
	status_is(&w, s, "master", "up");
	world_clear(&w);
}

static void
standing_by(void **arg)
{
	static const char *const high[] = { "-p", "5", NULL };
	struct world_manager *s;
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, high);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	s = world_manager_start(&w, "host-12", NULL);
	world_run(&w, 5 * SECOND);
	status_is(&w, s, "standby", "up");
	as_described("Snapshot", manager_snapshot(s->m));
	json_decref(report(&w, s, 1));
	world_clear(&w);
}

static void
no_fabric(void **arg)
{
	struct world_manager *s;
	struct world w;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	assert_int_equal(hw_cable_pull(w.hw, world_node(&w, "host-0"), 1, w.now), 0);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	json_decref(report(&w, s, 255));
	as_described("Status", whole(manager_status(s->m, w.now)));
	as_described("Snapshot", manager_snapshot(s->m));
	world_clear(&w);
	as_described("Status", whole(status_json_without_port(1)));
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(up),
		cmocka_unit_test(partial),
		cmocka_unit_test(refused),
		cmocka_unit_test(refused_later),
		cmocka_unit_test(standing_by),
		cmocka_unit_test(no_fabric),
	};

	return cmocka_run_group_tests_name("documents", tests, read_description, NULL);
}
