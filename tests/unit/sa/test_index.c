/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_index.c - P_Key tables as they are known: of several blocks, of switch ports, and not at all.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/sa/small.h"

enum { GET = 1, TABLE = 0x12, NODES = 0x11, PKEYS = 0x33 };

/* Gives 'port' a table of two blocks: one key at the beginning of each. */
static void
two_blocks(struct small *b, uint32_t port, uint16_t first, uint16_t second)
{
	small_pkeys(b, port, first, 0);
	small_pkeys(b, b->alpha, second, 0);            /* the block that follows */
	b->s->ports[b->alpha].flags = (uint8_t)(b->s->ports[b->alpha].flags & ~FAB_PORT_PKEYS);
	b->s->ports[port].more_pkeys = 1;
	small_index(b);
}

static void
further_blocks_count(void **state)
{
	struct small *b = *state;

	small_pkeys(b, b->one, 0x8005, 0);
	small_pkeys(b, b->two, 0x8006, 0);
	small_ask(b, LID_ONE, TABLE, NODES);
	small_where(b, 0, 0, 2, LID_TWO);
	assert_int_equal(small_rows(b), 0);
	two_blocks(b, b->two, 0x8006, 0x0005);
	small_ask(b, LID_ONE, TABLE, NODES);
	small_where(b, 0, 0, 2, LID_TWO);
	assert_int_equal(small_rows(b), 1);
	two_blocks(b, b->two, 0x8006, 0x8007);
	small_ask(b, LID_ONE, TABLE, NODES);
	small_where(b, 0, 0, 2, LID_TWO);
	assert_int_equal(small_rows(b), 0);
}

static void
a_record_for_each_block(void **state)
{
	struct small *b = *state;

	two_blocks(b, b->two, 0xffff, 0x8009);
	small_ask(b, LID_ONE, TABLE, PKEYS);
	wire_put64(b->req.mad + 36, SMALL_KEY);
	small_where(b, 0, 0, 2, LID_TWO);
	assert_int_equal(small_rows(b), 2);
	assert_int_equal(small_at(b, 0, 2, 2), 0);
	assert_int_equal(small_at(b, 0, 8, 2), 0xffff);
	assert_int_equal(small_at(b, 1, 2, 2), 1);
	assert_int_equal(small_at(b, 1, 4, 1), b->s->ports[b->two].num);
	assert_int_equal(small_at(b, 1, 8, 2), 0x8009);
}

/* A switch's port 0 and a cabled port of it: told apart by the port number. */
static void
tables_of_switch_ports(void **state)
{
	struct small *b = *state;

	small_pkeys(b, b->alpha, 0xffff, 0);
	small_pkeys(b, b->alpha + 1, 0x8005, 0xffff);
	small_ask(b, LID_ONE, TABLE, PKEYS);
	wire_put64(b->req.mad + 36, SMALL_KEY);
	small_where(b, 0, 0, 2, LID_ALPHA);
	assert_int_equal(small_rows(b), 2);
	assert_int_equal(small_at(b, 0, 4, 1), 0);
	assert_int_equal(small_at(b, 1, 4, 1), 1);
	assert_int_equal(small_at(b, 1, 8, 2), 0x8005);
	small_ask(b, LID_ONE, TABLE, PKEYS);            /* not for everybody */
	small_where(b, 0, 0, 2, LID_ALPHA);
	assert_int_not_equal(small_send(b), 0);
}

/* A table that was not read is no more than what everybody has. */
static void
unread_tables(void **state)
{
	struct small *b = *state;

	b->s->ports[b->one].flags = (uint8_t)(b->s->ports[b->one].flags & ~FAB_PORT_PKEYS);
	b->s->ports[b->two].flags = (uint8_t)(b->s->ports[b->two].flags & ~FAB_PORT_PKEYS);
	small_index(b);
	small_ask(b, LID_ONE, TABLE, NODES);
	small_where(b, 0, 0, 2, LID_TWO);
	assert_int_equal(small_rows(b), 1);
	b->v.unread_pkey = 0x7fff;
	small_index(b);
	assert_int_equal(small_rows(b), 0);             /* both limited */
	small_pkeys(b, b->two, 0xffff, 0);
	assert_int_equal(small_rows(b), 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
	const struct CMUnitTest tests[] = {
		T(further_blocks_count), T(a_record_for_each_block), T(tables_of_switch_ports), T(unread_tables),
	};

	return cmocka_run_group_tests_name("sa/index", tests, NULL, NULL);
}
