/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_topo.c - topologies built by a program.
 */
#include <config.h>
#include <errno.h>
#include "tests/unit/test.h"
#include "fabric/topo/topo.h"

static void
test_builder(void **state)
{
	struct topo_builder *b = topo_builder_new();
	uint32_t sw, h, first, second;
	struct topo t;

	(void)state;
	sw = topo_builder_node(b, TOPO_SWITCH, 4, 0x10, "a switch");
	h = topo_builder_node(b, TOPO_CA, 2, 0x20, "a host");
	assert_int_equal(topo_builder_cable(b, sw, 1, h, 2), 0);
	assert_int_equal(topo_builder_cable(b, sw, 1, h, 1), -EEXIST);
	assert_int_equal(topo_builder_cable(b, sw, 2, h, 2), -EEXIST);
	assert_int_equal(topo_builder_cable(b, sw, 5, h, 1), -EINVAL);
	assert_int_equal(topo_builder_cable(b, sw, 0, h, 1), -EINVAL);
	assert_int_equal(topo_builder_cable(b, sw, 2, 7, 1), -EINVAL);
	assert_int_equal(topo_builder_cable(b, sw, 2, sw, 2), -EINVAL);
	assert_int_equal(topo_builder_clash(b, &first, &second), TOPO_CLASH_NONE);
	assert_int_equal(topo_builder_take(b, &t), 0);
	assert_string_equal(t.nodes[sw].id, "S-0000000000000010");
	assert_string_equal(t.nodes[h].id, "H-0000000000000020");
	assert_int_equal(topo_port(&t, sw, 0)->guid, 0x10);
	assert_int_equal(topo_port(&t, h, 2)->guid, 0x22);
	assert_int_equal(topo_port(&t, h, 2)->peer_node, sw);
	assert_int_equal(topo_port(&t, h, 2)->speed_ext, 4);
	topo_clear(&t);
	b = topo_builder_new();
	topo_builder_node(b, TOPO_SWITCH, 4, 0x10, "a");
	topo_builder_node(b, TOPO_CA, 1, 0x10, "b");
	assert_int_equal(topo_builder_clash(b, &first, &second), TOPO_CLASH_GUID);
	assert_int_equal(first, 0);
	assert_int_equal(second, 1);
	assert_int_equal(topo_builder_take(b, &t), -EEXIST);
	assert_int_equal(t.nnodes, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
