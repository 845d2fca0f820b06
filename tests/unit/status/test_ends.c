/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_ends.c - end ports by LID, GUID and description.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/status/ends.h"
#include "tests/unit/status/routed.h"

static struct routed_bed b;

static int
ends_setup(void **state)
{
	(void)state;
	routed_make(&b);
	return 0;
}

static int
ends_teardown(void **state)
{
	(void)state;
	routed_clear(&b);
	return 0;
}

static uint32_t
end_of(const char *name, uint16_t *lid)
{
	*lid = 0;
	return ends_by_name(&b.v, name, lid);
}

static void
lids_name_their_owners(void **state)
{
	uint32_t p = served_host(&b.on, 3);
	uint16_t lid;
	char name[32];

	(void)state;
	snprintf(name, sizeof(name), "%u", b.plan->lids.base[p]);
	assert_int_equal(end_of(name, &lid), p);
	assert_int_equal(lid, b.plan->lids.base[p]);
	snprintf(name, sizeof(name), "0x%x", b.plan->lids.base[p]);
	assert_int_equal(end_of(name, &lid), p);
	assert_int_equal(end_of("0", &lid), FAB_NONE);
	snprintf(name, sizeof(name), "%u", b.plan->lids.top + 1u);
	assert_int_equal(end_of(name, &lid), FAB_NONE);
}

/* Of a port, or of a node: then its first end port; of a switch that is port 0. */
static void
guids_name_ports_and_nodes(void **state)
{
	const struct snapshot *s = b.on.s;
	uint32_t p = served_host(&b.on, 3), port0 = s->nodes[s->switches[0]].first_port;
	uint16_t lid;
	char name[32];

	(void)state;
	snprintf(name, sizeof(name), "0x%016llx", (unsigned long long)s->ports[p].guid);
	assert_int_equal(end_of(name, &lid), p);
	assert_int_equal(lid, b.plan->lids.base[p]);
	snprintf(name, sizeof(name), "0x%016llx", (unsigned long long)s->nodes[s->ports[p].node].guid);
	assert_int_equal(end_of(name, &lid), p);
	snprintf(name, sizeof(name), "0x%016llx", (unsigned long long)s->nodes[s->switches[0]].guid);
	assert_int_equal(end_of(name, &lid), port0);
	assert_int_equal(lid, b.plan->lids.base[port0]);
	assert_int_equal(end_of("0x123456789", &lid), FAB_NONE);
}

/* A description names a node only if no other has it. */
static void
ambiguous_descriptions_name_nobody(void **state)
{
	uint16_t lid;

	(void)state;
	routed_describe(&b, 2, "db one");
	routed_describe(&b, 3, "db two");
	assert_int_equal(end_of("db two", &lid), served_host(&b.on, 3));
	assert_int_equal(lid, b.plan->lids.base[served_host(&b.on, 3)]);
	assert_int_equal(end_of("db", &lid), FAB_NONE);
	routed_describe(&b, 2, "db two");
	assert_int_equal(end_of("db two", &lid), FAB_NONE);
	assert_int_equal(end_of("", &lid), FAB_NONE);
	routed_describe(&b, 4, "12x");                  /* begins like a number, and is none */
	assert_int_equal(end_of("12x", &lid), served_host(&b.on, 4));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, ends_setup, ends_teardown)
	const struct CMUnitTest tests[] = {
		T(lids_name_their_owners),
		T(guids_name_ports_and_nodes),
		T(ambiguous_descriptions_name_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
