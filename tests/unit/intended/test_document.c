/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_document.c - the document of an intended topology: what is written is read, and what is
 * wrong is named.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/intended/document.h"
#include "tests/unit/route/made.h"

static struct snapshot *s;
static struct intended *t;
static json_t *doc;

static int
document_setup(void **state)
{
	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	t = intended_learn(s, NULL);
	assert_non_null(t);
	doc = intended_to_json(t);
	assert_non_null(doc);
	return 0;
}

static int
document_teardown(void **state)
{
	(void)state;
	json_decref(doc);
	intended_free(t);
	made_free(s);
	return 0;
}

static void
round_trip(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=2", "fattree:k=8,levels=3",
		"torus:4x4,hosts=2", "xgft:m=4/4/2,w=1/2/2" };

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct made_how how = { .scramble = true, .seed = (uint32_t)i };
		struct snapshot *made = made_snapshot(specs[i], &how);
		struct intended *was = intended_learn(made, NULL), *now;
		char why[INTENDED_WHY_BYTES], *a, *b;
		size_t na, nb;

		a = intended_text_write(was, &na);
		now = intended_text_read(a, na, why);
		if (!now)
			fail_msg("%s", why);
		b = intended_text_write(now, &nb);
		assert_int_equal(na, nb);
		assert_memory_equal(a, b, na);
		assert_int_equal(was->nlinks, now->nlinks);
		for (uint32_t k = 0; k < was->nsw; k++)
			assert_memory_equal(&was->sw[k], &now->sw[k], sizeof(was->sw[k]));
		free(a);
		free(b);
		intended_free(was);
		intended_free(now);
		made_free(made);
	}
}

/* The order of rows does not matter. */
static void
rows_in_another_order(void **state)
{
	static const char *const lists[] = { "switches", "links", "hosts" };
	char why[INTENDED_WHY_BYTES], *a, *b;
	struct intended *now;
	size_t na, nb;

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		json_t *list = json_object_get(doc, lists[k]), *turned = json_array();

		for (size_t i = json_array_size(list); i-- > 0;)
			json_array_append(turned, json_array_get(list, i));
		json_object_set_new(doc, lists[k], turned);
	}
	now = intended_from_json(doc, why);
	if (!now)
		fail_msg("%s", why);
	a = intended_text_write(t, &na);
	b = intended_text_write(now, &nb);
	assert_int_equal(na, nb);
	assert_memory_equal(a, b, na);
	free(a);
	free(b);
	intended_free(now);
}

static void
refused(const char *expected)
{
	char why[INTENDED_WHY_BYTES];
	struct intended *now = intended_from_json(doc, why);

	assert_null(now);
	if (!strstr(why, expected))
		fail_msg("%s", why);
}

/* Sets a member of a row, and takes the change back after the document was refused. */
static void
wrong(const char *list, size_t row, const char *member, json_t *value, const char *expected)
{
	json_t *o = json_array_get(json_object_get(doc, list), row);
	json_t *was = json_incref(json_object_get(o, member));

	json_object_set_new(o, member, value);
	refused(expected);
	json_object_set_new(o, member, was);
}

static json_t *
row(const char *list, size_t at, const char *member)
{
	return json_incref(json_object_get(json_array_get(json_object_get(doc, list), at), member));
}

static void
wrong_values_are_named(void **state)
{
	struct intended *now;
	char why[INTENDED_WHY_BYTES];

	(void)state;
	wrong("switches", 3, "rank", json_integer(65536),
		"switches[3].rank: expected a number from 0 to 65535");
	wrong("switches", 3, "rank", json_integer(-1), "switches[3].rank");
	wrong("switches", 0, "guid", json_string("0x12"), "switches[0].guid: expected a GUID");
	wrong("switches", 0, "guid", json_string("0x0000000000000000"), "switches[0].guid");
	wrong("switches", 2, "ports", json_integer(0), "switches[2].ports");
	wrong("switches", 2, "ports", json_integer(255), "switches[2].ports");
	wrong("switches", 2, "divider", json_integer(0), "switches[2].divider");
	wrong("switches", 2, "plane", json_real(1.5), "switches[2].plane");
	wrong("switches", 2, "leaf", json_string("no"), "switches[2].leaf");
	wrong("links", 5, "a", json_string("0x00000000000000ff"),
		"links[5].a: expected the GUID of one of the switches");
	wrong("links", 5, "aport", json_integer(200), "links[5].aport");
	wrong("links", 5, "b", row("links", 5, "a"), "links[5].b: expected another switch");
	wrong("hosts", 1, "kind", json_string("storage"), "hosts[1].kind: expected compute, io");
	wrong("hosts", 1, "kind", json_null(), "hosts[1].kind");
	wrong("hosts", 1, "id", json_integer(INTENDED_ID_MAX + 1), "hosts[1].id");
	wrong("hosts", 1, "switch", json_integer(1), "hosts[1].switch");
	now = intended_from_json(doc, why); /* all was taken back */
	assert_non_null(now);
	intended_free(now);
}

static void
doubles_are_named(void **state)
{
	json_t *switches = json_object_get(doc, "switches");
	json_t *twin = json_deep_copy(json_array_get(switches, 4));

	(void)state;
	wrong("switches", 3, "plane", row("switches", 4, "plane"), "another switch has this plane");
	wrong("hosts", 3, "guid", row("hosts", 4, "guid"), "another host has this GUID");
	wrong("hosts", 3, "id", row("hosts", 4, "id"), "another host of its kind has this id");
	json_object_set_new(json_array_get(json_object_get(doc, "hosts"), 1), "switch",
		row("hosts", 0, "switch"));
	wrong("hosts", 1, "port", row("hosts", 0, "port"), "is used twice");
	json_array_append_new(switches, twin);
	refused("another switch has this GUID");
}

static void
heads_and_lists(void **state)
{
	(void)state;
	json_object_set_new(doc, "format", json_integer(2));
	refused("format: expected 1");
	json_object_set_new(doc, "format", json_integer(1));
	json_object_set_new(doc, "root_rule", json_string("best"));
	refused("root_rule: expected");
	json_object_set_new(doc, "root_rule", json_string("tree"));
	json_object_set_new(doc, "hosts", json_object());
	refused("hosts: expected a list");
	json_object_set_new(doc, "hosts", json_pack("[n]"));
	refused("hosts[0].guid");
	json_object_del(doc, "links");
	refused("links: expected a list");
}

/* A host at a switch that has no leaf position. */
static void
a_host_needs_a_leaf(void **state)
{
	const json_t *hosts = json_object_get(doc, "hosts"), *switches;
	const char *guid = json_string_value(json_object_get(json_array_get(hosts, 0), "switch"));
	json_t *one;
	size_t i;

	(void)state;
	switches = json_object_get(doc, "switches");
	json_array_foreach(switches, i, one)
		if (!strcmp(json_string_value(json_object_get(one, "guid")), guid))
			json_object_set_new(one, "leaf", json_null());
	refused("its switch has no leaf position");
}

static void
same_text(const struct intended *is)
{
	json_t *o = intended_to_json(is);
	char *want = json_dumps(o, JSON_COMPACT), *text;
	size_t len;

	text = intended_text_write(is, &len);
	assert_int_equal(len, strlen(want));
	assert_memory_equal(text, want, len);
	free(text);
	free(want);
	json_decref(o);
}

/* The text is written without a tree of JSON values, and has the same bytes. */
static void
text_is_the_document(void **state)
{
	static const char *const specs[] = { "fattree:k=4,levels=2", "torus:4x4,hosts=2",
		"xgft:m=4/4/2,w=1/2/2" };

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		struct snapshot *made = made_snapshot(specs[i], NULL);
		struct intended *is = intended_learn(made, NULL);

		is->sw[0].plane = UINT32_MAX;
		is->hosts[0].id = INTENDED_ID_MAX;
		is->hosts[0].kind = INTENDED_OTHER;
		same_text(is);
		is->nsw = is->nlinks = is->nhosts = 0;
		same_text(is);
		intended_free(is);
		made_free(made);
	}
}

/* Every text that is cut off or has a byte changed is read or refused with a reason. */
static void
any_bytes(void **state)
{
	char why[INTENDED_WHY_BYTES], *text;
	uint32_t seed = 7;
	size_t len;

	(void)state;
	assert_null(intended_text_read("{\"format\": 1,\n oops}", 19, why));
	assert_non_null(strstr(why, "line 2, column"));
	text = intended_text_write(t, &len);
	for (unsigned i = 0; i < 400; i++) {
		size_t at = made_random(&seed) % len;
		char was = text[at];
		struct intended *now;

		text[at] = (char)(32 + made_random(&seed) % 95);
		now = intended_text_read(text, i % 3 ? len : at, why);
		assert_true(now || why[0]);
		intended_free(now);
		text[at] = was;
	}
	free(text);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, document_setup, document_teardown)
	const struct CMUnitTest tests[] = { T(round_trip), T(text_is_the_document), T(rows_in_another_order),
		T(wrong_values_are_named), T(doubles_are_named), T(heads_and_lists),
		T(a_host_needs_a_leaf), T(any_bytes) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
