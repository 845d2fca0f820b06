/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * Sweeps of counters over a saved fabric: which ports are asked for what, and how failures come.
 */
#include <config.h>
#include "diags/ask/asking.h"
#include "diags/ask/engine.h"
#include "diags/ask/replay.h"
#include "diags/core/context.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric_int.h"
#include "diags/perf/pma.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/gen_attr.h"
#include "tests/unit/diags/fake.h"

static const struct diag_tool tool = { .name = "test" };

struct world {
	struct diag d;
	struct diag_fabric f;
	unsigned taken, ok, timeouts, sums;
};

static void
answer(struct capture *c, uint32_t node, uint8_t port, uint16_t attr_id, uint8_t select, uint16_t caps)
{
	struct capture_key k = { .node = node, .port = port, .mgmt_class = CLASS_PM, .attr_id = attr_id, .select = select };
	uint8_t data[CAPTURE_DATA_BYTES] = { 0 };

	if (attr_id == ATTR_CLASS_PORT_INFO) {
		struct class_port_info i = { .capability_mask = caps };

		class_port_info_encode(data, &i);
	} else {
		data[1] = select;
		data[5] = 7;
	}
	capture_add(c, &k, STATUS_OK, data, sizeof(data));
}

/* The leaf (node 0) and host-0 (node 1) answer, others do not. */
static int
pma_begin(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct capture *c = capture_new();

	diag_begin(&w->d, &tool, &diag_asking_ports, "test");
	diag_hush(&w->d, true);
	answer(c, 0, 0, ATTR_CLASS_PORT_INFO, 0, PM_CLASS_CAP_ALL_PORTS);
	for (uint8_t port = 1; port <= 4; port++)
		answer(c, 0, 0, PM_PORT_COUNTERS_ID, port, 0);
	answer(c, 0, 0, PM_PORT_COUNTERS_ID, PM_PORT_ALL, 0);
	answer(c, 1, 1, ATTR_CLASS_PORT_INFO, 0, 0);
	answer(c, 1, 1, PM_PORT_COUNTERS_ID, 1, 0);
	w->f.s = fake_snapshot();
	w->f.order = fabric_order(w->f.s);
	engine_open(&w->d, replay_open(fake_snapshot(), c), NULL);
	*state = w;
	return 0;
}

static int
pma_end(void **state)
{
	struct world *w = *state;

	diag_fabric_clear(&w->f);
	diag_clear(&w->d);
	free(w);
	return 0;
}

static void
on_port(struct diag *d, void *arg, const struct pma_port *p)
{
	struct world *w = arg;
	struct pma_value v = pma_value(p, PMA_SYMBOL_ERROR);

	(void)d;
	w->taken++;
	w->sums += p->select == PM_PORT_ALL;
	w->timeouts += p->end == DIAG_TIMEOUT;
	if (p->end != DIAG_OK)
		return;
	w->ok++;
	assert_true(v.supported);
	assert_int_equal(v.value, 7);
	assert_true(p->at_us > 0);
	assert_string_equal(pma_status_word(p), "ok");
}

static void
all_ports(void **state)
{
	struct world *w = *state;
	struct pma *p = pma_new(&w->d, &w->f);
	struct pma_sweep what = { .wants = PMA_WANT_ERRORS };
	unsigned wanted = 0;

	for (uint32_t i = 0; i < w->f.s->nports; i++)
		wanted += gmp_can_ask(&w->f, &w->f.s->ports[i]);
	assert_int_equal(pma_sweep(p, &what, on_port, w), 0);
	assert_int_equal(w->taken, wanted);
	assert_int_equal(w->sums, 0);
	assert_true(w->ok >= 3);
	assert_int_equal(w->ok + w->timeouts, wanted);
	assert_int_equal(diag_status(&w->d), EXIT_PARTIAL);
	assert_true(pma_node_caps(p, &w->f.s->nodes[0]).known);
	assert_false(pma_node_failed(p, &w->f.s->nodes[0]));
	assert_true(pma_node_failed(p, &w->f.s->nodes[3]));
	assert_int_equal(gmp_addr(pma_levels(p), &w->f.s->ports[w->f.s->nodes[0].first_port + 1]).sl, 0);
	pma_free(p);
}

static bool
never(void *arg, const struct pma_port *a)
{
	(void)arg;
	return a->select != PM_PORT_ALL;
}

/* The sums of the leaf are enough: its ports are not asked. */
static void
sums_first(void **state)
{
	struct world *w = *state;
	struct pma *p = pma_new(&w->d, &w->f);
	struct pma_sweep what = { .wants = PMA_WANT_ERRORS, .types = 1 << NODE_TYPE_SWITCH, .look_closer = never };

	assert_int_equal(pma_sweep(p, &what, on_port, w), 0);
	assert_int_equal(w->sums, 1);
	assert_int_equal(w->ok, 1);
	pma_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_ports, pma_begin, pma_end),
		cmocka_unit_test_setup_teardown(sums_first, pma_begin, pma_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
