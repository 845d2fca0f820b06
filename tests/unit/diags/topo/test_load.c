/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_load.c - the load of links from two samples of the counters.
 */
#include <config.h>
#include "diags/topo/load.h"
#include "fabric/snapshot/capture.h"
#include "libmad/attr/gen_attr.h"
#include "libmad/attr/pm_attr.h"
#include "tests/unit/diags/world.h"

/* Counters that stand still are a load of 0; ports that do not answer have none. */
static void
idle(void **state)
{
	struct world *w = *state;
	struct capture *c = capture_new();
	struct capture_key k = {
		.node = 1, .port = 1, .mgmt_class = CLASS_PM, .attr_id = CLASS_PORT_INFO_ID
	};
	uint8_t caps[CLASS_PORT_INFO_BYTES] = { 0 }, image[PM_PORT_COUNTERS_BYTES] = { 0, 1 };
	double *load;

	class_port_info_encode(caps, &(struct class_port_info){ .base_version = 1 });
	capture_add(c, &k, STATUS_OK, caps, sizeof(caps));
	k.attr_id = PM_PORT_COUNTERS_ID;
	k.select = 1;
	capture_add(c, &k, STATUS_OK, image, sizeof(image));
	world_answer(&w->d, fake_snapshot(), c);
	load = link_loads(&w->d, &w->f, 1000);
	for (uint32_t i = 0; i < w->f.s->nports; i++)
		if (i == (uint32_t)(world_port(w->f.s, 0x200, 1) - w->f.s->ports))
			assert_true(load[i] == 0);
		else
			assert_true(load[i] < 0);
	free(load);
	/* A link whose rate is not known has no share of it. */
	WORLD_SET(world_port(w->f.s, 0x200, 1), width_active, 0x80);
	load = link_loads(&w->d, &w->f, 1000);
	assert_true(load[world_port(w->f.s, 0x200, 1) - w->f.s->ports] < 0);
	free(load);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(idle, world_begin, world_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
