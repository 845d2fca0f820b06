/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Expressions of --select on a small fabric: how many ports they mean, and which are refused.
 */
#include <config.h>
#include "diags/ask/asking.h"
#include "diags/core/context.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/fabric_int.h"
#include "diags/fabric/select.h"
#include "tests/unit/diags/fake.h"

static const struct diag_tool tool = { .name = "test" };

struct world {
	struct diag d;
	struct diag_fabric f;
};

static int
select_begin(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	diag_begin(&w->d, &tool, &diag_asking_ports, "test");
	w->f.s = fake_snapshot();
	w->f.order = fabric_order(w->f.s);
	*state = w;
	return 0;
}

static int
select_end(void **state)
{
	struct world *w = *state;

	diag_fabric_clear(&w->f);
	diag_clear(&w->d);
	free(w);
	return 0;
}

static unsigned
nodes_of(struct world *w, const char *text)
{
	unsigned n = 0;
	int status;
	struct selection *s = select_parse(&w->d, &w->f, text, &status);

	assert_non_null(s);
	assert_int_equal(status, 0);
	for (uint32_t i = 0; i < w->f.s->nnodes; i++)
		n += select_node(s, &w->f.s->nodes[i]);
	select_free(s);
	return n;
}

static void
tests_alone(void **state)
{
	struct world *w = *state;

	assert_int_equal(nodes_of(w, "type:sw"), 2);
	assert_int_equal(nodes_of(w, "type:CA"), 3);
	assert_int_equal(nodes_of(w, "lid:2-3"), 2);
	assert_int_equal(nodes_of(w, "lid:1,4-9"), 3);
	assert_int_equal(nodes_of(w, "guid:0x400"), 1);
	assert_int_equal(nodes_of(w, "guid:0x301"), 1);
	assert_int_equal(nodes_of(w, "node:host-1"), 2);
	assert_int_equal(nodes_of(w, "nodepat:*-0"), 3);
	assert_int_equal(nodes_of(w, "port:3"), 2);
	assert_int_equal(nodes_of(w, "node:'host-1'"), 2);
}

static void
combined(void **state)
{
	struct world *w = *state;

	assert_int_equal(nodes_of(w, "not type:sw"), 3 + 0);
	assert_int_equal(nodes_of(w, "type:sw or node:host-0"), 3);
	assert_int_equal(nodes_of(w, "type:ca node:host-1"), 2);        /* "and" may be left out */
	assert_int_equal(nodes_of(w, "type:ca and not node:host-1"), 1);
	/* "and" binds tighter. */
	assert_int_equal(nodes_of(w, "node:host-0 or type:sw and node:spine-0"), 2);
	assert_int_equal(nodes_of(w, "(node:host-0 or type:sw) and node:spine-0"), 1);
}

static void
refused(void **state)
{
	static const char *const bad[] = {
		"", "type", "type:", "type:x", "colour:red", "lid:", "lid:5-3", "lid:70000", "guid:x", "(type:sw", "type:sw)",
		"not", "type:sw or", "rate:fast", "file:/nonexistent/list", "route:a", "route:host-0->nobody",
	};
	struct world *w = *state;
	int status;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_null(select_parse(&w->d, &w->f, bad[i], &status));
		assert_int_equal(status, EXIT_USAGE);
	}
}

static void
keys(void **state)
{
	(void)state;
	assert_true(select_has("type:sw and (route:1->2)", "route"));
	assert_false(select_has("node:'route:1'", "route"));
	assert_false(select_has("subroute:1", "route"));
}

/* Breadth first from our port, then reversed. */
static void
order(void **state)
{
	struct world *w = *state;
	static const uint64_t guids[] = { 0x500, 0x400, 0x300, 0x100, 0x200 };
	unsigned n = 0;

	DIAG_EACH_NODE(&w->f, i, node, 0)
		assert_int_equal(node->guid, guids[n++]);
	assert_int_equal(n, 5);
	assert_int_equal(fab_lid(&w->f, fab_port_of(&w->f, &w->f.s->nodes[0], 3)), 1);  /* a switch's is that of port 0 */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tests_alone, select_begin, select_end),
		cmocka_unit_test_setup_teardown(combined, select_begin, select_end),
		cmocka_unit_test_setup_teardown(refused, select_begin, select_end),
		cmocka_unit_test(keys),
		cmocka_unit_test_setup_teardown(order, select_begin, select_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
