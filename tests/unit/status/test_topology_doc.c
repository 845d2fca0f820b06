/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_topology_doc.c - the document about the intended topology: its state, and what is missing and
 * pending, in words.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/status/topology_doc.h"
#include "tests/unit/status/routed.h"

static struct served_bed b;
static struct sweep *w;
static struct watch watch;
static struct intended_diff diff;
static struct intended_change changes[2 * TOPOLOGY_LISTED];
static json_t *o;

static int
topology_doc_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	w = calloc(1, sizeof(*w));
	watch_init(&watch);
	w->net = &b.net;
	w->watch = &watch;
	diff = (struct intended_diff){ .v = changes };
	o = NULL;
	return 0;
}

static int
topology_doc_teardown(void **state)
{
	(void)state;
	json_decref(o);
	intended_free(w->history.topology.t);
	watch_free(&watch);
	free(w);
	served_clear(&b);
	return 0;
}

static void
topology_document_make(void)
{
	json_decref(o);
	o = topology_doc_json(&b.net, w);
	assert_non_null(o);
	assert_int_equal(json_object_size(o), 11);
}

static const json_t *
entry(const char *list, size_t i)
{
	const json_t *e = json_array_get(json_object_get(o, list), i);

	assert_non_null(e);
	return e;
}

static json_int_t
number(const char *object, const char *member)
{
	const json_t *v = object ? json_object_get(json_object_get(o, object), member) :
		json_object_get(o, member);

	assert_true(json_is_integer(v));
	return json_integer_value(v);
}

/* Nothing was learned yet: everything is there, and says so. */
static void
none_yet(void **state)
{
	static const char *const nothing[] = { "unread", "root_rule", "intended", "present" };

	(void)state;
	topology_document_make();
	assert_string_equal(routed_text(o, "state"), "none");
	assert_true(json_is_false(json_object_get(o, "held")));
	assert_string_equal(routed_text(o, "command"), "none");
	for (unsigned i = 0; i < 4; i++)
		assert_true(json_is_null(json_object_get(o, nothing[i])));
	assert_int_equal(json_array_size(json_object_get(o, "missing")), 0);
	assert_int_equal(number(NULL, "missing_total"), 0);
	assert_int_equal(number(NULL, "pending_total"), 0);
}

static void
learned(void **state)
{
	struct topology *t = &w->history.topology;

	(void)state;
	t->t = intended_learn(b.s, NULL);
	assert_non_null(t->t);
	diff.present = 5;
	diff.links = 7;
	diff.hosts = 3;
	t->diff = &diff;
	topology_document_make();
	assert_string_equal(routed_text(o, "state"), "learned");
	assert_string_equal(routed_text(o, "root_rule"), t->t->root_rule);
	assert_int_equal(number("intended", "switches"), 6);
	assert_int_equal(number("intended", "links"), 8);
	assert_int_equal(number("intended", "hosts"), 8);
	assert_int_equal(number("present", "switches"), 5);
	assert_int_equal(number("present", "links"), 7);
	assert_int_equal(number("present", "hosts"), 3);
	t->foreign = t->held = true;
	t->wish = TOPOLOGY_ADOPT;
	snprintf(t->unread, sizeof(t->unread), "no version");
	topology_document_make();
	assert_string_equal(routed_text(o, "state"), "foreign");
	assert_true(json_is_true(json_object_get(o, "held")));
	assert_string_equal(routed_text(o, "command"), "adopt");
	assert_string_equal(routed_text(o, "unread"), "no version");
	t->wish = TOPOLOGY_REBALANCE;
	topology_document_make();
	assert_string_equal(routed_text(o, "command"), "rebalance");
}

/* Puts a name to the node of a switch (by ordinal) and returns its GUID. */
static uint64_t
name_switch(uint32_t sw, const char *name)
{
	struct fab_node *n = &b.s->nodes[b.s->switches[sw]];

	memset(n->desc, 0, sizeof(n->desc));
	memcpy(n->desc, name, strlen(name));
	return n->guid;
}

/* Each kind in its words: of what is there by its name, of what is not by its GUID. */
static void
words(void **state)
{
	uint64_t one = name_switch(0, "leaf-a"), two = name_switch(1, "leaf-b");
	uint32_t port = served_host(&b, 2);
	static const char *const missing[] = { "0x0000000000001234",
		"leaf-a port 3 - leaf-b port 4",
		"0x0000000000005678 at leaf-a port 1" };
	static const char *const pending[] = { "leaf-b", "leaf-a port 1 - leaf-b port 2",
		"host-x at leaf-b port 2", "host-x at leaf-a port 4",
		"leaf-a port 2 leads to 0x0000000000009999" };

	(void)state;
	memset(b.s->nodes[b.s->ports[port].node].desc, 0, NODE_DESC_BYTES);
	memcpy(b.s->nodes[b.s->ports[port].node].desc, "host-x", 6);
	changes[0] = (struct intended_change){ INTENDED_MISSING_SWITCH, 0x1234, 0, 0, 0 };
	changes[1] = (struct intended_change){ INTENDED_MISSING_LINK, one, two, 3, 4 };
	changes[2] = (struct intended_change){ INTENDED_MISSING_HOST, 0x5678, one, 0, 1 };
	changes[3] = (struct intended_change){ INTENDED_NEW_SWITCH, two, 0, 0, 0 };
	changes[4] = (struct intended_change){ INTENDED_NEW_LINK, one, two, 1, 2 };
	changes[5] = (struct intended_change){ INTENDED_NEW_HOST, b.s->ports[port].guid, two, 0,
		2 };
	changes[6] = (struct intended_change){ INTENDED_MOVED_HOST, b.s->ports[port].guid, one, 0,
		4 };
	changes[7] = (struct intended_change){ INTENDED_OTHER_PEER, one, 0x9999, 2, 0 };
	diff.n = 8;
	w->history.topology.diff = &diff;
	topology_document_make();
	assert_int_equal(number(NULL, "missing_total"), 3);
	assert_int_equal(number(NULL, "pending_total"), 5);
	for (unsigned i = 0; i < 3; i++)
		assert_string_equal(routed_text(entry("missing", i), "text"), missing[i]);
	for (unsigned i = 0; i < 5; i++)
		assert_string_equal(routed_text(entry("pending", i), "text"), pending[i]);
	assert_string_equal(routed_text(entry("missing", 1), "kind"), "missing link");
	assert_int_equal(json_integer_value(json_object_get(entry("missing", 1), "port")), 3);
	assert_int_equal(json_integer_value(json_object_get(entry("missing", 1), "other_port")), 4);
	assert_string_equal(routed_text(entry("missing", 0), "guid"), "0x0000000000001234");
	assert_true(json_is_null(json_object_get(entry("missing", 0), "port")));
	assert_true(json_is_null(json_object_get(entry("missing", 0), "other")));
	assert_true(json_is_null(json_object_get(entry("missing", 0), "other_port")));
}

/* The first of many are listed, all are counted; without a snapshot they have no names. */
static void
many(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 2 * TOPOLOGY_LISTED; i++)
		changes[i] = (struct intended_change){ INTENDED_MISSING_SWITCH, 1 + i, 0, 0, 0 };
	diff.n = 2 * TOPOLOGY_LISTED;
	w->history.topology.diff = &diff;
	b.net.served.s = NULL;
	topology_document_make();
	b.net.served.s = b.s;
	assert_int_equal(json_array_size(json_object_get(o, "missing")), TOPOLOGY_LISTED);
	assert_int_equal(number(NULL, "missing_total"), 2 * TOPOLOGY_LISTED);
	assert_int_equal(number(NULL, "pending_total"), 0);
	assert_string_equal(routed_text(entry("missing", TOPOLOGY_LISTED - 1), "text"),
		"0x0000000000000064");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			none_yet, topology_doc_setup, topology_doc_teardown),
		cmocka_unit_test_setup_teardown(learned, topology_doc_setup, topology_doc_teardown),
		cmocka_unit_test_setup_teardown(words, topology_doc_setup, topology_doc_teardown),
		cmocka_unit_test_setup_teardown(many, topology_doc_setup, topology_doc_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
