/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_pkey.c - partitions in words, tables out: members, indices, overflow, and the ports that enforce them.
 */
#include <config.h>
#include <stdlib.h>
#include "tests/unit/test.h"
#include "sm/plan/pkey.h"
#include "tests/unit/route/made.h"
#include "util/xalloc.h"

#define HOSTS 3                         /* that the tests look at */

static struct snapshot *s;
static struct arena arena;
static struct pkey_plan plan;
static struct pkey_conf conf;
static uint32_t host[HOSTS], leaf[HOSTS], sw0;

/* Every end port and every leaf port with a host has its own table of 'blocks' blocks, all 0. */
static void
give_tables(unsigned blocks)
{
	uint32_t n = 0;

	s->pkey_blocks = arena_array(&arena, (size_t)s->nports * blocks, sizeof(*s->pkey_blocks));
	for (uint32_t i = 0; i < s->nports; i++) {
		s->ports[i].pkeys = n;
		s->ports[i].more_pkeys = (uint16_t)(blocks - 1);
		s->ports[i].flags |= FAB_PORT_PKEYS;
		n += blocks;
	}
	s->npkey_blocks = n;
}

static void
set_caps(uint16_t cap)
{
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct node_info ni = node_info_decode(s->nodes[i].node_info);
		struct switch_info si = switch_info_decode(s->nodes[i].switch_info);

		ni.partition_cap = cap;
		node_info_encode(s->nodes[i].node_info, &ni);
		if (!fab_is_switch(&s->nodes[i]))
			continue;
		si.partition_enforce_cap = cap;
		si.inbound_enforce_cap = si.outbound_enforce_cap = 1;
		switch_info_encode(s->nodes[i].switch_info, &si);
		s->nodes[i].flags |= FAB_NODE_SWITCH_INFO;
	}
}

static int
setup(void **state)
{
	unsigned n = 0;

	(void)state;
	s = made_snapshot("fattree:k=4,levels=3", NULL);
	while (fab_is_switch(&s->nodes[s->ports[s->sm_port].node]) || s->ports[s->sm_port].peer == FAB_NONE)
		s->sm_port++;
	snapshot_seal(s);
	give_tables(1);
	set_caps(32);
	for (uint32_t i = 0; i < s->nports && n < HOSTS; i++)
		if (!fab_is_switch(&s->nodes[s->ports[i].node]) && s->ports[i].num == 1 && i != s->sm_port) {
			host[n] = i;
			leaf[n++] = s->ports[i].peer;
		}
	sw0 = s->nodes[s->ports[leaf[0]].node].first_port;
	conf = (struct pkey_conf){ .enforce = CONF_ENFORCE_IN | CONF_ENFORCE_OUT, .keep_indexes = true };
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	s->pkey_blocks = NULL;
	made_free(s);
	s = NULL;
	arena_clear(&arena);
	return 0;
}

/* Plans for partitions 'text'; each %0..%2 in it is the GUID of that host. */
static void
bed_make(const char *text)
{
	char buf[8192];
	struct conf_error e = CONF_ERROR_INIT;
	size_t n = 0;

	for (; *text; text++)
		if (*text == '%')
			n += (size_t)snprintf(buf + n, sizeof(buf) - n, "0x%llx",
				(unsigned long long)s->ports[host[*++text - '0']].guid);
		else
			buf[n++] = *text;
	if (partitions_parse("P", buf, n, false, &arena, &conf.partitions, &e) < 0)
		fail_msg("%s", e.text);
	conf_error_clear(&e);
	pkey_plan_make(s, &conf, &arena, &plan);
}

static uint16_t
have(uint32_t port, unsigned index)
{
	return wire_get16(&s->pkey_blocks[s->ports[port].pkeys + index / 32][index % 32 * 2]);
}

static uint16_t
want(uint32_t port, unsigned index)
{
	assert_true(index / 32 < pkey_plan_blocks(&plan, port));
	return wire_get16(pkey_plan_block(&plan, port, index / 32) + index % 32 * 2);
}

/* The wanted table begins with these and holds nothing else. */
static void
expect(uint32_t port, const uint16_t *keys, unsigned n)
{
	assert_true(pkey_plan_blocks(&plan, port) > 0);
	for (unsigned i = 0; i < 32 * pkey_plan_blocks(&plan, port); i++)
		assert_int_equal(want(port, i), i < n ? keys[i] : 0);
}
#define EXPECT(port, ...) expect(port, (const uint16_t []){ __VA_ARGS__ }, sizeof((uint16_t []){ __VA_ARGS__ }) / 2)

static void
put(uint32_t port, unsigned index, uint16_t key)
{
	wire_put16(&s->pkey_blocks[s->ports[port].pkeys + index / 32][index % 32 * 2], key);
}

/* What was planned was written. */
static void
write_all(void)
{
	for (uint32_t p = 0; p < s->nports; p++)
		for (uint32_t b = 0; b < pkey_plan_blocks(&plan, p); b++)
			memcpy(s->pkey_blocks[s->ports[p].pkeys + b], pkey_plan_block(&plan, p, b), PKEY_TABLE_BYTES);
}

static void
default_partition(void **state)
{
	(void)state;
	bed_make("");
	EXPECT(s->sm_port, 0xffff);
	EXPECT(host[0], 0x7fff);
	EXPECT(sw0, 0x7fff);
	bed_make("Default: ALL=full, %1=limited;");
	EXPECT(host[0], 0xffff);
	EXPECT(host[1], 0x7fff);
	bed_make("Default: SELF=limited, ALL_SWITCHES=full; A=5: ALL_CAS=full; B=6: ALL_ROUTERS;");
	EXPECT(s->sm_port, 0x7fff, 0x8005);
	EXPECT(host[0], 0x7fff, 0x8005);
	EXPECT(sw0, 0xffff);
}

static void
members(void **state)
{
	(void)state;
	bed_make("A=1: ALL, %0=full, %1=full, %1=limited; B=2,defmember=full: %0, %1=limited; A: "
		"%2=full;");
	EXPECT(host[0], 0x7fff, 0x8001, 0x8002);
	EXPECT(host[1], 0x7fff, 0x0001, 0x0002);
	EXPECT(host[2], 0x7fff, 0x8001);
	bed_make("A=1: 0x1-0xffffffffffffffff=full; B=2: 0xabc=full; C=3: NONE;");
	EXPECT(host[0], 0x7fff, 0x8001);
}

static void
both(void **state)
{
	(void)state;
	bed_make("A=1: %0=both, %1=full; Default: %1=both;");
	EXPECT(host[0], 0x7fff, 0x8001);
	EXPECT(host[1], 0xffff, 0x8001);
	conf.allow_both = true;
	bed_make("A=1: %0=both, %1=full; Default: %1=both;");
	EXPECT(host[0], 0x7fff, 0x8001, 0x0001);
	EXPECT(host[1], 0xffff, 0x8001, 0x7fff);
	EXPECT(leaf[0], 0xffff, 0x8001);        /* once, full */
	write_all();
	bed_make("A=1: %0=limited, %1=full;");
	assert_int_equal(want(host[0], 1), 0);
	assert_int_equal(want(host[0], 2), 0x0001);     /* the very key stays */
	bed_make("A=1: %0=full;");
	assert_int_equal(want(host[0], 1), 0x8001);
	assert_int_equal(want(host[0], 2), 0);
}

static void
indices_stay(void **state)
{
	(void)state;
	bed_make("B=20: %0=full; C=30: %0;");
	EXPECT(host[0], 0x7fff, 0x8014, 0x001e);
	write_all();
	bed_make("A=10: %0=full; B=20: %0=full; C=30: %0;");        /* one in front */
	EXPECT(host[0], 0x7fff, 0x8014, 0x001e, 0x800a);
	write_all();
	/* one goes, one changes its membership */
	bed_make("A=10: %0=full; C=30: %0=full;");
	EXPECT(host[0], 0x7fff, 0, 0x801e, 0x800a);
	EXPECT(leaf[0], 0xffff, 0, 0x801e, 0x800a);
	write_all();
	bed_make("A=10: %0=full; C=30: %0=full; D=40: %0;");        /* the gap is used */
	EXPECT(host[0], 0x7fff, 0x0028, 0x801e, 0x800a);
	conf.keep_indexes = false;
	bed_make("A=10: %0=full; C=30: %0=full; D=40: %0;");
	EXPECT(host[0], 0x7fff, 0x800a, 0x801e, 0x0028);
}

static void
index_zero(void **state)
{
	(void)state;
	put(host[0], 0, 0x8005);
	put(host[0], 3, 0xffff);
	put(host[0], 4, 0x8006);
	bed_make("A=5: %0=full;");
	EXPECT(host[0], 0x7fff, 0x8005);                /* what nobody wants goes */
	bed_make("A=5,indx0: %0=full, %1; A: %2;");
	EXPECT(host[0], 0x8005, 0, 0, 0x7fff);
	EXPECT(host[1], 0x0005, 0x7fff);
	EXPECT(host[2], 0x7fff, 0x0005);
}

static void
overflow(void **state)
{
	char text[4096] = "";

	(void)state;
	for (unsigned i = 1; i <= 40; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%u: %%0=full;", i);
	bed_make(text);
	assert_int_equal(plan.nproblems, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(plan.problems[i].wanted, 41);
		assert_int_equal(plan.problems[i].room, 32);
		assert_int_equal(plan.problems[i].kind, plan.problems[i].port == host[0] ? PKEY_OVERFLOW : PKEY_NOT_ENFORCED);
	}
	for (unsigned i = 1; i < 32; i++)
		assert_int_equal(want(host[0], i), 0x8000 | i);
	assert_int_equal(pkey_plan_blocks(&plan, leaf[0]), 0);
	assert_int_equal(plan.enforce[leaf[0]], 0);
	assert_int_equal(plan.enforce[leaf[1]], CONF_ENFORCE_IN | CONF_ENFORCE_OUT);
	give_tables(2);
	set_caps(64);
	bed_make(text);
	assert_int_equal(plan.nproblems, 0);
	assert_int_equal(want(host[0], 40), 0x8000 | 40);
	assert_int_equal(want(leaf[0], 40), 0x8000 | 40);
	set_caps(41);                           /* ends within a block */
	bed_make(text);
	assert_int_equal(plan.nproblems, 0);
	set_caps(40);
	bed_make(text);
	assert_int_equal(plan.nproblems, 2);
	assert_int_equal(want(host[0], 40), 0);
}

static void
enforcement(void **state)
{
	struct switch_info si;

	(void)state;
	bed_make("A=1: %0;");
	EXPECT(leaf[0], 0xffff, 0x8001);
	EXPECT(leaf[1], 0xffff);
	assert_int_equal(plan.enforce[leaf[0]], CONF_ENFORCE_IN | CONF_ENFORCE_OUT);
	for (uint32_t p = 0; p < s->nports; p++) {
		bool faces = s->ports[p].num && fab_is_switch(&s->nodes[s->ports[p].node]) && s->ports[p].peer != FAB_NONE &&
			!fab_is_switch(&s->nodes[s->ports[s->ports[p].peer].node]);

		assert_int_equal(plan.enforce[p] != 0, faces);
	}
	assert_false(pkey_plan_holds(&plan, s, leaf[0]));
	write_all();
	assert_true(pkey_plan_holds(&plan, s, leaf[0]));
	conf.enforce = CONF_ENFORCE_OUT;
	bed_make("A=1: %0;");
	assert_int_equal(plan.enforce[leaf[0]], CONF_ENFORCE_OUT);
	si = switch_info_decode(s->nodes[s->ports[leaf[0]].node].switch_info);
	si.outbound_enforce_cap = 0;
	switch_info_encode(s->nodes[s->ports[leaf[0]].node].switch_info, &si);
	bed_make("A=1: %0;");
	assert_int_equal(plan.enforce[leaf[0]], 0);
	assert_int_equal(pkey_plan_blocks(&plan, leaf[0]), 0);
	conf.enforce = 0;
	bed_make("A=1: %0;");
	assert_int_equal(plan.enforce[leaf[2]], 0);
	assert_int_equal(have(leaf[0], 1), 0x8001);
}

/* A table that was not read is neither written nor trusted. */
static void
unread(void **state)
{
	(void)state;
	s->ports[leaf[0]].pkeys = s->ports[host[1]].pkeys = FAB_NONE;
	bed_make("A=1: ALL=full;");
	assert_int_equal(pkey_plan_blocks(&plan, leaf[0]), 0);
	assert_int_equal(pkey_plan_blocks(&plan, host[1]), 0);
	assert_int_equal(plan.enforce[leaf[0]], 0);
	assert_int_equal(plan.nproblems, 1);
	EXPECT(leaf[1], 0xffff, 0x8001);
	s->ports[leaf[0]].pkeys = s->ports[host[1]].pkeys = 0;
}

static void
without_a_file(void **state)
{
	struct pkey_ask *asks;

	(void)state;
	put(host[0], 0, 0x8005);
	conf.partitions = partitions_default(&arena);
	pkey_plan_make(s, &conf, &arena, &plan);
	EXPECT(host[0], 0xffff, 0x8005);
	EXPECT(host[1], 0xffff);
	for (uint32_t p = 0; p < s->nports; p++)
		assert_int_equal(plan.enforce[p], 0);
	assert_int_equal(pkey_plan_blocks(&plan, leaf[0]), 0);
	set_caps(128);
	assert_int_equal(pkey_plan_asks(s, &conf, &asks), 0);
	assert_null(asks);
}

static void
what_is_asked(void **state)
{
	struct pkey_ask *asks;
	uint32_t n;

	(void)state;
	bed_make("");
	n = pkey_plan_asks(s, &conf, &asks);
	assert_int_equal(n, s->nhosts);         /* the switch ports that face them */
	assert_int_equal(asks[0].first, 0);
	assert_int_equal(asks[0].last, 0);
	free(asks);
	set_caps(65535);
	n = pkey_plan_asks(s, &conf, &asks);
	assert_int_equal(n, 2 * s->nhosts + s->nswitches);
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(asks[i].first, snapshot_is_endport(s, &s->ports[asks[i].port]));
		assert_int_equal(asks[i].last, PKEY_BLOCKS_MAX - 1);
	}
	free(asks);
	conf.enforce = 0;
	n = pkey_plan_asks(s, &conf, &asks);
	assert_int_equal(n, s->nhosts + s->nswitches);
	free(asks);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(default_partition), T(members), T(both), T(indices_stay), T(index_zero), T(overflow), T(enforcement),
		T(unread), T(without_a_file), T(what_is_asked),
	};

	return cmocka_run_group_tests_name("sm/plan/pkey", tests, NULL, NULL);
}
