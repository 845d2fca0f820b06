/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_qos_groups.c - which ports of a small fabric each line of a port-group means.
 */
#include <config.h>
#include <stdlib.h>
#include "tests/unit/sa/small.h"
#include "sm/plan/qos_groups.h"

static struct arena arena;
static const struct partitions *parts;
static struct pkey_plan no_keys;

static int
setup(void **state)
{
	static const char text[] = "Default=0x7fff:ALL=full;P=0x10:0x101=full;";
	struct conf_error e = CONF_ERROR_INIT;

	assert_int_equal(partitions_parse("P", text, sizeof(text) - 1, true, &arena, &parts, &e), 0);
	conf_error_clear(&e);
	return small_setup(state);
}

static int
teardown(void **state)
{
	arena_clear(&arena);
	return small_teardown(state);
}

/* The ports of a group with that line, as letters: port 0 of alpha and beta; one, two (both ports of it), three: a, b, 1, 2, 3, 4. */
static void
means(struct small *b, const struct pkey_plan *keys, const char *line, const char *want)
{
	char text[512], got[16] = "";
	const struct qos_policy *p;
	const uint32_t ports[] = { b->alpha, b->beta, b->one, b->two, b->three1, b->three2 };
	const uint32_t first = 0;
	const struct qos_groups_named named = { &first, 1 };
	struct conf_error e = CONF_ERROR_INIT;
	struct qos_groups *g;
	size_t n = 0;

	snprintf(text, sizeof(text), "port-groups\nport-group\nname: g\n%s\nend-port-group\nend-port-groups\n"
		"qos-ulps\ndefault: 0\nend-qos-ulps\n", line);
	if (qos_policy_parse("F", text, strlen(text), parts, &arena, &p, &e) != 0)
		fail_msg("%s", e.text);
	conf_error_clear(&e);
	g = qos_groups_new(b->s, keys, parts, p);
	for (unsigned i = 0; i < 6; i++)
		if (qos_groups_have(g, &named, ports[i]))
			got[n++] = "ab1234"[i];
	assert_string_equal(got, want);
	qos_groups_free(g);
}

static void
test_guids(void **state)
{
	struct small *b = *state;

	means(b, &no_keys, "port-guid: 0x101", "1");
	means(b, &no_keys, "port-guid: 0x10,0x202", "a2");
	means(b, &no_keys, "port-guid: 0x102-0x301", "23");
	means(b, &no_keys, "port-guid: 0-0xffffffffffffffff", "ab1234");
	means(b, &no_keys, "port-guid: 0x102", "");
	means(b, &no_keys, "use: nobody", "");
}

static void
test_types(void **state)
{
	struct small *b = *state;

	means(b, &no_keys, "node-type: CA", "1234");
	means(b, &no_keys, "node-type: switch", "ab");
	means(b, &no_keys, "node-type: ROUTER", "");
	means(b, &no_keys, "node-type: ALL", "ab1234");
	b->s->sm_port = b->two;
	means(b, &no_keys, "node-type: SELF", "2");
	means(b, &no_keys, "node-type: self,SWITCH\nport-guid: 0x101", "ab12");
}

static void
describe(struct small *b, uint32_t port, const char *text)
{
	memset(b->s->nodes[b->s->ports[port].node].desc, 0, NODE_DESC_BYTES);
	memcpy(b->s->nodes[b->s->ports[port].node].desc, text, strlen(text));
}

static void
test_names(void **state)
{
	struct small *b = *state;

	means(b, &no_keys, "port-name: three/P1", "3");
	means(b, &no_keys, "port-name: three/p2,two/P2,one/P1", "124");
	means(b, &no_keys, "port-name: Three/P1", "");          /* descriptions have case */
	means(b, &no_keys, "port-name: three/P3,four/P1,three/P0", "");
	means(b, &no_keys, "port-name: alpha/P3", "a");         /* one port of a switch: whoever asks of it means port 0 */
	means(b, &no_keys, "port-name: beta/P0", "b");
	describe(b, b->two, "host one/2 HCA-1  ");
	means(b, &no_keys, "port-name: host one/2 HCA-1/P2", "2");
	means(b, &no_keys, "port-name: \"host one/2 HCA-1/P2\"", "2");
	describe(b, b->one, "a\001b");
	means(b, &no_keys, "port-name: a b/P1", "1");
	describe(b, b->one, "three");
	means(b, &no_keys, "port-name: three/P1", "13");        /* two of one name: both */
}

/* Bits of single switch ports, for tables. */
static void
test_switch_ports(void **state)
{
	static const char text[] = "port-groups port-group\nname: a\nport-guid: 0x10\nend-port-group\nport-group\nname:b\n"
		"port-name: beta/P2\nend-port-group end-port-groups\nqos-ulps\ndefault: 0\nend-qos-ulps";
	struct small *b = *state;
	const struct qos_policy *p;
	struct conf_error e = CONF_ERROR_INIT;
	struct qos_groups *g;

	assert_int_equal(qos_policy_parse("F", text, sizeof(text) - 1, parts, &arena, &p, &e), 0);
	conf_error_clear(&e);
	g = qos_groups_new(b->s, &no_keys, parts, p);
	for (uint32_t i = 0; i <= 4; i++) {
		assert_true(bits_test(g->bits, b->alpha + i));
		assert_int_equal(bits_test(g->bits + g->words, b->beta + i), i == 0 || i == 2);
	}
	qos_groups_free(g);
}

static void
test_pkeys(void **state)
{
	struct small *b = *state;
	struct pkey_conf c = { .partitions = parts, .keep_indexes = true };
	struct pkey_plan plan;

	means(b, &no_keys, "pkey: 0x10", "");
	small_pkeys(b, b->two, 0xffff, 0x8010);
	small_pkeys(b, b->three1, 0x7fff, 0x0011);
	means(b, &no_keys, "pkey: 0x10", "2");
	means(b, &no_keys, "pkey: 0x8011", "3");
	means(b, &no_keys, "pkey: 0x10-0x11", "23");
	means(b, &no_keys, "pkey: 0-0x7fff", "ab1234");
	means(b, &no_keys, "pkey: 0", "");                      /* an empty entry is no key */
	means(b, &no_keys, "partition: P", "2");
	means(b, &no_keys, "partition: gone", "");
	small_pkeys(b, b->one, 0xffff, 0);                      /* what shall be counts, not what is */
	for (uint32_t i = 0; i < b->s->nnodes; i++) {
		struct node_info ni = node_info_decode(b->s->nodes[i].node_info);

		ni.partition_cap = 32;
		node_info_encode(b->s->nodes[i].node_info, &ni);
	}
	parts = memcpy(arena_alloc(&arena, sizeof(*parts)), parts, sizeof(*parts));
	((struct partitions *)(uintptr_t)parts)->file = "P";
	c.partitions = parts;
	pkey_plan_make(b->s, &c, &arena, &plan);
	means(b, &plan, "partition: P", "1");
	means(b, &plan, "pkey: 0x7fff", "ab1234");
}

static void
test_no_policy(void **state)
{
	struct small *b = *state;
	struct qos_groups *g = qos_groups_new(b->s, &no_keys, parts, NULL);

	assert_null(g->policy);
	assert_ptr_equal(g->partitions, parts);
	qos_groups_free(g);
	qos_groups_free(NULL);
}

int
main(void)
{
#define T(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_guids), T(test_types), T(test_names), T(test_switch_ports), T(test_pkeys), T(test_no_policy),
	};

	return cmocka_run_group_tests_name("qos_groups", tests, NULL, NULL);
}
