/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_snapshot_doc.c - nodes and ports of what is served.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/status/snapshot_doc.h"
#include "tests/unit/status/routed.h"

static struct routed_bed b;

static int
snapshot_doc_setup(void **state)
{
	(void)state;
	routed_make(&b);
	return 0;
}

static int
snapshot_doc_teardown(void **state)
{
	(void)state;
	routed_clear(&b);
	return 0;
}

static void
nodes_have_their_ports(void **state)
{
	json_t *o = snapshot_doc_json(&b.v), *nodes = json_object_get(o, "nodes");
	const struct snapshot *s = b.on.s;

	(void)state;
	assert_int_equal(json_array_size(nodes), s->nnodes);
	assert_int_equal(json_integer_value(json_object_get(o, "sweep")), 3);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		json_t *n = json_array_get(nodes, i), *ports = json_object_get(n, "ports");
		bool is_switch = fab_is_switch(&s->nodes[i]);

		assert_string_equal(routed_text(n, "type"), is_switch ? "switch" : "ca");
		assert_int_equal(json_array_size(ports), s->nodes[i].nports + (is_switch ? 1u : 0u));
	}
	json_decref(o);
}

/* What was not read is null; LIDs belong to end ports alone. */
static void
what_was_not_read_is_null(void **state)
{
	uint32_t p = served_host(&b.on, 3), node = b.on.s->ports[p].node;
	json_t *o, *port;

	(void)state;
	b.on.s->ports[p].flags &= (uint8_t)~FAB_PORT_INFO;
	o = snapshot_doc_json(&b.v);
	port = json_array_get(json_object_get(json_array_get(json_object_get(o, "nodes"), node), "ports"),
		(size_t)(b.on.s->ports[p].num - 1));
	assert_true(json_is_null(json_object_get(port, "state")));
	assert_true(json_is_null(json_object_get(port, "lid")));
	assert_true(json_is_string(json_object_get(port, "port_guid")));
	assert_true(json_is_object(json_object_get(port, "peer")));
	json_decref(o);
	o = snapshot_doc_json(&b.v);
	node = b.on.s->switches[0];
	port = json_array_get(json_object_get(json_array_get(json_object_get(o, "nodes"), node), "ports"), 1);
	assert_true(json_is_null(json_object_get(port, "lid")));
	assert_true(json_is_null(json_object_get(port, "port_guid")));
	json_decref(o);
	b.v.s = NULL;
	assert_null(snapshot_doc_json(&b.v));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, snapshot_doc_setup, snapshot_doc_teardown)
	const struct CMUnitTest tests[] = {
		T(nodes_have_their_ports),
		T(what_was_not_read_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
