/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_pkeys.c - partitions: who cannot talk to the manager, and switches that enforce others.
 */
#include <config.h>
#include "fabric/snapshot/capture.h"
#include "tests/unit/diags/check/checks.h"

#define KEYS 32

/* Each end port has a table of its own, with 0xffff alone; the manager is at host-0. */
static void
own_tables(struct snapshot *s)
{
	s->npkey_blocks = s->nendports;
	s->pkey_blocks = arena_array(&s->arena, s->nendports, sizeof(*s->pkey_blocks));
	for (uint32_t i = 0; i < s->nendports; i++) {
		s->ports[s->endports[i]].pkeys = i;
		wire_put16(s->pkey_blocks[i], 0xffff);
	}
	WORLD_SET_ALL(s, master_sm_lid, 2);
}

static void
keys(struct snapshot *s, uint64_t guid, const uint16_t *k, unsigned n)
{
	uint8_t *block = s->pkey_blocks[world_port(s, guid, 1)->pkeys];

	memset(block, 0, PKEY_TABLE_BYTES);
	for (unsigned i = 0; i < n; i++)
		wire_put16(block + 2 * i, k[i]);
}
#define KEYS_OF(s, guid, ...) \
	keys(s, guid, (const uint16_t[]){ __VA_ARGS__ }, \
		sizeof((const uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t))

static int
pkeys_begin(void **state)
{
	int r = checks_begin(state);
	struct checks *c = *state;

	own_tables(c->run.f.s);
	return r;
}

static void
healthy(void **state)
{
	struct checks *c = *state;

	world_load(&c->d);
	checks_do(c, &check_pkeys);
	assert_int_equal(c->run.nfindings, 0);
	assert_string_equal(checks_result(c)->looked, "5 end ports");
}

static void
no_tables(void **state)
{
	struct checks *c = *state;

	c->run.f.s->npkey_blocks = 0;
	checks_do(c, &check_pkeys);
	assert_int_equal(checks_result(c)->end, CHECK_SKIPPED);
}

static void
one_table(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	world_load(&c->d);
	KEYS_OF(s, 0x300, 0x8000); /* the number of no partition */
	checks_do(c, &check_pkeys);
	assert_int_equal(checks_finding(c, "pkey_none")->severity, CHECK_ERROR);
	assert_int_equal(c->run.nfindings, 1);
	KEYS_OF(s, 0x300, 0x8001, 0xffff);
	checks_do(c, &check_pkeys);
	assert_non_null(strstr(checks_finding(c, "pkey_index0")->text, "0x8001 at index 0"));
	assert_non_null(
		strstr(checks_finding(c, "pkey_index0")->text, "(its P_Keys: 0x8001 0xffff)"));
	assert_int_equal(c->run.nfindings, 1);
	KEYS_OF(s, 0x300, 0x7fff, 0xffff);
	checks_do(c, &check_pkeys);
	assert_int_equal(checks_finding(c, "pkey_both")->severity, CHECK_INFO);
	KEYS_OF(s, 0x300, 0xffff, 0x8001, 0x8001);
	checks_do(c, &check_pkeys);
	assert_int_equal(checks_finding(c, "pkey_twice")->severity, CHECK_WARNING);
}

static void
long_table(void **state)
{
	struct checks *c = *state;
	uint16_t k[KEYS];

	world_load(&c->d);
	for (unsigned i = 0; i < KEYS; i++)
		k[i] = (uint16_t)(0x8001 + i);
	keys(c->run.f.s, 0x300, k, KEYS);
	checks_do(c, &check_pkeys);
	assert_non_null(strstr(checks_finding(c, "pkey_no_sm")->text, "0x800c and 20 more"));
}

/* Two limited members of one partition cannot talk; a limited and a full one can. */
static void
without_manager(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	world_load(&c->d);
	KEYS_OF(s, 0x300, 0x7fff);
	checks_do(c, &check_pkeys);
	assert_int_equal(c->run.nfindings, 0);
	KEYS_OF(s, 0x200, 0x7fff);
	checks_do(c, &check_pkeys);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_finding(c, "pkey_no_sm")->severity, CHECK_ERROR);
	assert_int_equal(
		checks_finding(c, "pkey_no_sm")->port[0], world_port(s, 0x300, 1) - s->ports);
	/* Without a LID of a manager nobody is compared with it. */
	WORLD_SET_ALL(s, master_sm_lid, 0);
	checks_do(c, &check_pkeys);
	assert_int_equal(c->run.nfindings, 0);
}

static void
unlike(void **state)
{
	struct checks *c = *state;
	struct snapshot *s;

	world_load(&c->d);
	KEYS_OF(c->run.f.s, 0x300, 0xffff, 0x8001);
	checks_do(c, &check_pkeys);
	assert_int_equal(c->run.nfindings, 0); /* three adapters are too few */
	s = world_star(1, 4);
	own_tables(s);
	KEYS_OF(s, 0x1020, 0xffff, 0x8001);
	checks_fabric(c, s);
	checks_do(c, &check_pkeys);
	assert_non_null(
		strstr(checks_finding(c, "pkey_unlike")->text, "than 3 of 4 adapter ports"));
	/* The order in a table does not matter. */
	KEYS_OF(s, 0x1010, 0xffff, 0x8002, 0x8001);
	KEYS_OF(s, 0x1020, 0xffff, 0x8001, 0x8002);
	KEYS_OF(s, 0x1030, 0xffff, 0x8001, 0x8002);
	KEYS_OF(s, 0x1040, 0xffff, 0x8002, 0x8001);
	checks_do(c, &check_pkeys);
	assert_int_equal(c->run.nfindings, 0);
}

/* The table of port 1 of the leaf, as requests read it. */
static void
guard(struct checks *c, const uint16_t *k, unsigned n)
{
	struct capture *v = capture_new();
	struct capture_key key = {
		.node = 0, .mgmt_class = CLASS_SM_LID, .attr_id = PKEY_TABLE_ID, .modifier = 1 << 16
	};
	uint8_t data[PKEY_TABLE_BYTES] = { 0 };

	for (unsigned i = 0; i < n; i++)
		wire_put16(data + 2 * i, k[i]);
	if (n)
		capture_add(v, &key, STATUS_OK, data, sizeof(data));
	world_answer(&c->d, fake_snapshot(), v);
	WORLD_SET(world_port(c->run.f.s, 0x100, 1), partition_enforce_in, 1);
	checks_do(c, &check_pkeys);
}

static void
enforced(void **state)
{
	struct checks *c = *state;
	struct snapshot *s = c->run.f.s;

	KEYS_OF(s, 0x200, 0xffff, 0x8001, 0x8002);
	guard(c, (const uint16_t[]){ 0x7fff, 0x8002 }, 2);
	assert_int_equal(c->run.nfindings, 1);
	assert_int_equal(checks_finding(c, "pkey_not_at_switch")->severity, CHECK_ERROR);
	assert_string_equal(
		checks_finding(c, "pkey_not_at_switch")->object, "0x0000000000000201-0x0001");
	assert_int_equal(checks_finding(c, "pkey_not_at_switch")->port[1],
		world_port(s, 0x100, 1) - s->ports);
}

/* What a switch does not tell is no reason to accuse it. */
static void
silent_guard(void **state)
{
	struct checks *c = *state;

	KEYS_OF(c->run.f.s, 0x200, 0xffff, 0x8001);
	guard(c, NULL, 0);
	assert_int_equal(c->run.nfindings, 0);
}

/* Tables of more than a block are read to their end, and never for ever. */
static void
part(void **state)
{
	struct checks *c = *state;
	struct fab_node *n = world_node(c->run.f.s, 0x300);

	world_answer(&c->d, fake_snapshot(), capture_new());
	wire_bits_put(
		n->node_info, node_info_at_partition_cap, node_info_bits_partition_cap, 0xffff);
	KEYS_OF(c->run.f.s, 0x300, 0x8001);
	checks_do(c, &check_pkeys);
	assert_int_equal(checks_result(c)->end, CHECK_PARTIAL);
	assert_string_equal(
		checks_result(c)->looked, "5 end ports; 1 did not return all P_Key blocks");
	assert_int_equal(checks_count(c, "pkey_no_sm"), 0); /* it may be behind what was read */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(healthy, pkeys_begin, checks_end),
		cmocka_unit_test_setup_teardown(no_tables, pkeys_begin, checks_end),
		cmocka_unit_test_setup_teardown(one_table, pkeys_begin, checks_end),
		cmocka_unit_test_setup_teardown(long_table, pkeys_begin, checks_end),
		cmocka_unit_test_setup_teardown(without_manager, pkeys_begin, checks_end),
		cmocka_unit_test_setup_teardown(unlike, pkeys_begin, checks_end),
		cmocka_unit_test_setup_teardown(enforced, pkeys_begin, checks_end),
		cmocka_unit_test_setup_teardown(silent_guard, pkeys_begin, checks_end),
		cmocka_unit_test_setup_teardown(part, pkeys_begin, checks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
