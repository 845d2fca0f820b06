/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_path_cache.c - which fabrics have a cache of routes, and how large it is.
 */
#include <config.h>
#include "sm/sa/sa_int.h"
#include "tests/unit/sa/small.h"

/* A row for each switch with end ports, a byte in it for each LID; all of it empty. */
static void
a_row_for_each_switch_with_end_ports(void **state)
{
	struct small *b = *state;
	struct sa_path_cache *c = sa_path_cache_new(b->x);

	assert_non_null(c);
	assert_int_equal(c->stride, b->lids.top + 1u);
	assert_int_equal(c->row[0], 0);
	assert_int_equal(c->row[1], 1);
	assert_int_equal(c->bytes, 2u * c->stride);
	for (size_t i = 0; i < c->bytes; i++)
		assert_int_equal(c->at[i], 0);
	assert_int_equal(sa_path_cache_bytes(c, 2), sizeof(*c) + 3 * sizeof(*c->row) + c->bytes);
	sa_path_cache_free(c);
}

/* A host that is pulled: its switch needs no row. */
static void
switches_alone(void **state)
{
	struct small *b = *state;
	struct sa_path_cache *c;

	for (uint32_t i = 0; i < b->s->nports; i++) {
		struct fab_port *p = &b->s->ports[i];

		if (p->peer == FAB_NONE || p->node == b->s->ports[b->beta].node)
			continue;
		if (fab_is_switch(&b->s->nodes[p->node]) &&
		    !fab_is_switch(&b->s->nodes[b->s->ports[p->peer].node])) {
			b->s->ports[p->peer].peer = FAB_NONE;
			p->peer = FAB_NONE;
		}
	}
	small_index(b);
	c = sa_path_cache_new(b->x);
	assert_non_null(c);
	assert_int_equal(c->row[b->s->nodes[b->s->ports[b->alpha].node].sw], FAB_NONE);
	assert_int_equal(c->row[b->s->nodes[b->s->ports[b->beta].node].sw], 0);
	assert_int_equal(c->bytes, c->stride);
	sa_path_cache_free(c);
	for (uint32_t i = 0; i < b->s->nports; i++)
		if (!fab_is_switch(&b->s->nodes[b->s->ports[i].node]) &&
			b->s->ports[i].peer != FAB_NONE) {
			b->s->ports[b->s->ports[i].peer].peer = FAB_NONE;
			b->s->ports[i].peer = FAB_NONE;
		}
	small_index(b);
	assert_null(sa_path_cache_new(b->x));           /* no end port at any switch */
}

/* The hops of an index as large as the limit of the cache, and of one that is larger. */
static void
too_large(void **state)
{
	enum { SWITCHES = SA_PATH_CACHE_BYTES_MAX / 32768 };
	struct sa_switch *switches = test_calloc(SWITCHES + 1, sizeof(*switches));
	struct sa_hop *hops = test_calloc(2 * (SWITCHES + 1), sizeof(*hops));
	struct snapshot s = { .nswitches = SWITCHES };
	struct lid_map lids = { .top = 32767 };
	struct sa_index x = { .v = { .s = &s, .lids = &lids }, .hops = hops, .switches = switches };
	struct sa_path_cache *c;

	(void)state;
	for (uint32_t i = 0; i <= SWITCHES; i++) {
		switches[i] = (struct sa_switch){ .first_port = 2 * i, .nports = 1 };
		hops[2 * i + 1].peer = 0;
		hops[2 * i + 1].sw = FAB_NONE;
	}
	c = sa_path_cache_new(&x);
	assert_non_null(c);
	assert_int_equal(c->bytes, SA_PATH_CACHE_BYTES_MAX);
	sa_path_cache_free(c);
	s.nswitches = SWITCHES + 1;
	assert_null(sa_path_cache_new(&x));
	assert_int_equal(sa_path_cache_bytes(NULL, 5), 0);
	sa_path_cache_free(NULL);
	test_free(switches);
	test_free(hops);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_row_for_each_switch_with_end_ports, small_setup,
			small_teardown),
		cmocka_unit_test_setup_teardown(switches_alone, small_setup, small_teardown),
		cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
