/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_limits.c - what would be too long or too much work is refused, what just fits is answered.
 */
#include <config.h>
#include "tests/unit/sa/small.h"
#include "fabric/topo/snapshot_topo.h"
#include "sm/sa/sa_int.h"

enum { GET = 1, TABLE = 0x12, LFT = 0x15, PATH = 0x35, SWITCHES = 607 };

/* The fabric of 'b' becomes that of 't', with LIDs as it says and tables that drop everything. */
static void
become(struct small *b, struct topo_builder *t)
{
	struct topo topo;

	assert_int_equal(topo_builder_take(t, &topo), 0);
	snapshot_free(b->s);
	assert_int_equal(topo_to_snapshot(&topo, FAB_NONE, 4, &b->s), 0);
	topo_clear(&topo);
	assert_int_equal(lid_map_observed(b->s, &b->arena, &b->lids), 0);
	assert_int_equal(fwd_tables_observed(b->s, &b->lids, &b->arena, &b->fwd), 0);
	b->v.s = b->s;
	small_index(b);
}

/* One switch, four hosts of 127 or 128 LIDs, one of as many as 'lmc' says. */
static void
star(struct small *b, uint8_t lmc)
{
	struct topo_builder *t = topo_builder_new();
	uint32_t sw = topo_builder_node(t, TOPO_SWITCH, 5, 1, "switch");

	for (unsigned i = 0; i < 5; i++) {
		uint32_t host = topo_builder_node(t, TOPO_CA, 1, 16 + 16 * i, "host");

		topo_builder_cable(t, sw, (uint8_t)(i + 1), host, 1);
		topo_builder_port(t, host, 1)->lid = (uint16_t)(128 + 128 * i);
		topo_builder_port(t, host, 1)->lmc = i ? 7 : lmc;
	}
	become(b, t);
	for (unsigned lid = 128; lid <= b->lids.top; lid++)
		fwd_row(&b->fwd, 0)[lid] = (uint8_t)(lid / 128);
	b->fwd.top = b->lids.top;
}

/* All pairs of 4 x 128 + 1 LIDs, an idle one of the switch counted, are 514 x 514: too many; of one port they are few. */
static void
test_pairs(void **state)
{
	struct small *b = *state;

	star(b, 0);
	small_ask(b, 256, TABLE, PATH);
	assert_int_equal(small_send(b), 0x0100);
	assert_int_equal(b->stats.no_resources, 1);
	small_ask(b, 256, TABLE, PATH);
	small_where(b, 3, 24, 8, GID_PREFIX_DEFAULT);
	small_where(b, 3, 32, 8, 33);
	assert_int_equal(small_rows(b), 128 * 513);
	small_ask(b, 256, TABLE, PATH);
	small_where(b, 5, 42, 2, 256);
	assert_int_equal(small_rows(b), 513);
}

/* A Get that finds nothing gives up as well: five ports of 128 LIDs, none of which is reached. */
static void
test_get_gives_up(void **state)
{
	struct small *b = *state;

	star(b, 7);
	memset(fwd_row(&b->fwd, 0), FAB_LFT_DROP, b->fwd.stride);
	small_ask(b, 256, GET, PATH);
	small_where(b, 16, 54, 1, 0x05);
	small_where(b, 17, 54, 1, 0x05);                /* MTU greater than the greatest: none to itself either */
	assert_int_equal(small_send(b), 0x0100);
	small_where(b, 5, 42, 2, 256);
	assert_int_equal(small_send(b), 0x0300);
}

/* Tables of 49,152 entries at so many switches are 33.6 million bytes. */
static void
test_bytes(void **state)
{
	static uint8_t table[768 * 64];
	struct small *b = *state;
	struct topo_builder *t = topo_builder_new();

	for (unsigned i = 0; i < SWITCHES; i++) {
		uint32_t sw = topo_builder_node(t, TOPO_SWITCH, 2, 1 + i, "switch");

		topo_builder_port(t, sw, 0)->lid = (uint16_t)(1 + i);
		if (i)
			topo_builder_cable(t, sw - 1, 2, sw, 1);
	}
	become(b, t);
	for (unsigned i = 0; i < SWITCHES; i++) {
		b->s->nodes[i].lft = table;
		b->s->nodes[i].lft_blocks = 768;
	}
	assert_true(SWITCHES * 768u * 72u > SA_ANSWER_BYTES_MAX);
	small_ask(b, 1, TABLE, LFT);
	assert_int_equal(small_send(b), 0x0100);
	b->s->nodes[0].lft_blocks = 568;
	assert_true((SWITCHES * 768u - 200) * 72u + 56 <= SA_ANSWER_BYTES_MAX);
	assert_int_equal(small_rows(b), SWITCHES * 768 - 200);
	small_ask(b, 1, TABLE, LFT);
	small_where(b, 1, 2, 2, 767);
	assert_int_equal(small_rows(b), SWITCHES - 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
		T(test_pairs), T(test_get_gives_up), T(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
