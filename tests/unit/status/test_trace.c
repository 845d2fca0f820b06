/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_trace.c - the path of a packet by the served tables, and why it does not arrive.
 */
#include <config.h>
#include "tests/unit/test.h"
#include <errno.h>
#include "sm/status/trace.h"
#include "tests/unit/status/routed.h"

static struct routed_bed b;

static int
status_trace_setup(void **state)
{
	(void)state;
	routed_make(&b);
	return 0;
}

static int
status_trace_teardown(void **state)
{
	(void)state;
	routed_clear(&b);
	return 0;
}

static json_t *
trace_between(const char *from, const char *to, int want)
{
	json_t *o = NULL;

	routed_describe(&b, 1, "from");
	routed_describe(&b, 3, "to");
	assert_int_equal(trace_json(&b.v, from, to, &o), want);
	assert_non_null(o);
	return o;
}

static void
a_packet_arrives_hop_by_hop(void **state)
{
	json_t *o = trace_between("from", "to", 0), *hops = json_object_get(o, "hops"), *last;
	size_t n = json_array_size(hops);

	(void)state;
	assert_true(json_is_true(json_object_get(o, "reached")));
	assert_true(json_is_null(json_object_get(o, "why")));
	assert_true(n >= 3);
	assert_string_equal(routed_text(json_array_get(hops, 0), "description"), "from");
	last = json_array_get(hops, n - 1);
	assert_string_equal(routed_text(last, "description"), "to");
	assert_int_equal(json_integer_value(json_object_get(last, "out_port")), 0);
	assert_int_equal(json_integer_value(json_object_get(last, "in_port")),
		b.on.s->ports[served_host(&b.on, 3)].num);
	assert_true(json_is_true(json_object_get(json_object_get(o, "partition"), "allowed")));
	assert_string_equal(routed_text(json_object_get(o, "partition"), "pkey"), "0xffff");
	json_decref(o);
}

/* The first switch drops the destination's LID. */
static void
a_dropped_packet_says_why(void **state)
{
	const struct snapshot *s = b.on.s;
	uint32_t sw = s->nodes[s->ports[s->ports[served_host(&b.on, 1)].peer].node].sw;
	uint16_t lid = b.plan->lids.base[served_host(&b.on, 3)];
	json_t *o;

	(void)state;
	b.plan->fwd.port[(size_t)sw * b.plan->fwd.stride + lid] = LFT_DROP_PORT;
	o = trace_between("from", "to", 0);
	assert_true(json_is_false(json_object_get(o, "reached")));
	assert_true(strlen(routed_text(o, "why")) > 0);
	assert_int_equal(json_array_size(json_object_get(o, "hops")), 2);
	json_decref(o);
}

static void
what_was_not_found_is_named(void **state)
{
	json_t *o = trace_between("nobody", "to", -ENOENT);

	(void)state;
	assert_string_equal(routed_text(o, "what"), "nobody");
	json_decref(o);
	o = trace_between("from", "nowhere", -ENOENT);
	assert_string_equal(routed_text(o, "what"), "nowhere");
	json_decref(o);
}

static void
without_a_plan_there_is_no_path(void **state)
{
	json_t *o;

	(void)state;
	b.v.plan = NULL;
	o = trace_between("from", "to", -EAGAIN);
	assert_string_equal(routed_text(o, "reason"), "nothing has been routed by this manager yet");
	json_decref(o);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, status_trace_setup, status_trace_teardown)
	const struct CMUnitTest tests[] = {
		T(a_packet_arrives_hop_by_hop),
		T(a_dropped_packet_says_why),
		T(what_was_not_found_is_named),
		T(without_a_plan_there_is_no_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
