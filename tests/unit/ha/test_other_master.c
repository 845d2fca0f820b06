/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_other_master.c - which ports are evidence that another master wrote.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/ha/other_master.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;             /* the fabric as it was served */
static struct served_bed now;

static int
other_master_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	served_make(&now, "fattree:k=4,levels=2");
	return 0;
}

static int
other_master_teardown(void **state)
{
	(void)state;
	served_clear(&now);
	served_clear(&b);
	return 0;
}

static void
set_master(struct served_bed *bed, uint16_t lid, unsigned port_state)
{
	uint32_t port = served_host(bed, 2);
	struct port_info info = served_info(bed, port);

	info.master_sm_lid = lid;
	info.state = (uint8_t)port_state;
	served_set_info(bed, port, info);
}

static void
equal_fabrics_show_nobody(void **state)
{
	(void)state;
	assert_false(other_master_seen(now.s, &b.net.served));
}

static void
a_port_that_names_another(void **state)
{
	uint16_t other = (uint16_t)(b.plan.sm_lid + 1);

	(void)state;
	set_master(&now, other, PORT_STATE_ACTIVE);
	assert_true(other_master_seen(now.s, &b.net.served));
	set_master(&now, other, PORT_STATE_INIT);       /* a port that has just come up */
	assert_false(other_master_seen(now.s, &b.net.served));
	set_master(&now, 0, PORT_STATE_ACTIVE);
	assert_false(other_master_seen(now.s, &b.net.served));
}

/* A port that could not be set keeps its former master. */
static void
it_did_so_before(void **state)
{
	uint16_t other = (uint16_t)(b.plan.sm_lid + 1);

	(void)state;
	set_master(&b, other, PORT_STATE_ACTIVE);
	set_master(&now, other, PORT_STATE_ACTIVE);
	assert_false(other_master_seen(now.s, &b.net.served));
}

/* What a targeted sweep did not read is as it was served. */
static void
a_port_that_was_not_read(void **state)
{
	uint16_t other = (uint16_t)(b.plan.sm_lid + 1);
	uint32_t node = now.s->ports[served_host(&now, 2)].node;

	(void)state;
	set_master(&now, other, PORT_STATE_ACTIVE);
	now.s->nodes[node].flags |= FAB_NODE_KEPT;
	assert_false(other_master_seen(now.s, &b.net.served));
	now.s->nodes[node].flags &= (uint8_t)~FAB_NODE_KEPT;
	assert_true(other_master_seen(now.s, &b.net.served));
}

static void
nothing_was_served(void **state)
{
	struct served none = { .s = NULL };

	(void)state;
	set_master(&now, (uint16_t)(b.plan.sm_lid + 1), PORT_STATE_ACTIVE);
	assert_false(other_master_seen(now.s, &none));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, other_master_setup, other_master_teardown)
	const struct CMUnitTest tests[] = { T(equal_fabrics_show_nobody),
		T(a_port_that_names_another), T(it_did_so_before), T(a_port_that_was_not_read),
		T(nothing_was_served) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
