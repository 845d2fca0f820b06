/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_observed.c - what is known of the hardware: LFTs that were written.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/observed.h"
#include "tests/unit/test.h"

enum { SWITCHES = 3, STRIDE = 192 };

static struct fab_node nodes[SWITCHES + 1];
static uint32_t switches[SWITCHES] = { 1, 2, 3 };
static struct snapshot s;
static struct observed_tables tables;
static struct observed *o;

static int
setup(void **state)
{
	(void)state;
	memset(nodes, 0, sizeof(nodes));
	for (unsigned i = 0; i <= SWITCHES; i++)
		nodes[i] = (struct fab_node){ .guid = 0x10 + i, .type = i ? 2 : 1 };
	s = (struct snapshot){ .nodes = nodes, .switches = switches };
	s.nnodes = SWITCHES + 1;
	s.nswitches = SWITCHES;
	observed_tables_init(&tables);
	o = observed_new(&s, &tables);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	observed_free(o);
	observed_tables_clear(&tables);
	observed_free(NULL);
	return 0;
}

/* A table is as written, without a copy, unless the writing of a block was not confirmed. */
static void
tables_that_were_written(void **state)
{
	static uint8_t port[SWITCHES * STRIDE];
	struct fwd_tables fwd = { .nswitches = SWITCHES, .stride = STRIDE, .top = 70 };

	(void)state;
	fwd.port = port;
	for (uint32_t sw = 0; sw < SWITCHES; sw++)
		assert_true(observed_lft_known(o, sw));
	bits_set(o->lft_unknown, 1);
	assert_false(observed_lft_known(o, 1));
	observed_adopt_lfts(o, &fwd);
	assert_ptr_equal(nodes[1].lft, port);
	assert_int_equal(nodes[1].lft_blocks, 2);
	assert_null(nodes[2].lft);
	assert_int_equal(nodes[2].lft_blocks, 0);
	assert_ptr_equal(nodes[3].lft, port + 2 * STRIDE);
	observed_adopt_lfts(o, NULL);           /* nothing is written any more by us */
	assert_null(nodes[1].lft);
	assert_int_equal(nodes[3].lft_blocks, 0);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tables_that_were_written, setup, teardown),
	};

	return cmocka_run_group_tests_name("fabric/observed", tests, NULL, NULL);
}
