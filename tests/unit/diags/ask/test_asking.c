/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_asking.c - what diags/core gets of the room by its table: nothing is missing, the state is
 * the engine's, and a run ends without a port, with one, and only once.
 */
#include <config.h>
#include "diags/ask/engine_int.h"
#include "tests/unit/diags/ask/wire.h"

static const struct diag_tool tool = { .name = "test" };

static void
the_table_is_whole(void **state)
{
	const struct diag_asking *a = &diag_asking_ports;

	(void)state;
	assert_int_equal(a->state_bytes, sizeof(struct engine));
	assert_true(a->open && a->address && a->mkey_auto);
	assert_true(a->json_local && a->json_mads && a->close);
}

static void
a_run_without_a_port(void **state)
{
	struct diag d;
	json_t *o;

	(void)state;
	diag_begin(&d, &tool, &diag_asking_ports, "test");
	assert_non_null(diag_asking_state(&d));
	assert_false(engine_is_open(&d));
	assert_int_equal(engine_target_base(&d), 0); /* the state begins zeroed */
	o = d.asking->json_local(&d);
	assert_true(json_is_null(o));
	json_decref(o);
	o = d.asking->json_mads(&d);
	assert_int_equal(json_integer_value(json_object_get(o, "sent")), 0);
	json_decref(o);
	d.asking->close(&d);
	diag_clear(&d);
}

static void
a_run_closes_its_port(void **state)
{
	struct wire *w = *state;

	assert_int_equal(w->d.asking->open(&w->d), 0); /* it is open */
	w->d.asking->close(&w->d);
	assert_int_equal(w->closed, 1);
	assert_false(engine_is_open(&w->d));
	w->d.asking->close(&w->d);
	assert_int_equal(w->closed, 1);
}

static void
addresses_are_resolved(void **state)
{
	struct wire *w = *state;
	struct diag_addr a;

	assert_int_equal(w->d.asking->address(&w->d, "12", &a), 0);
	assert_int_equal(a.kind, DIAG_ADDR_LID);
	assert_int_equal(a.lid, 12);
	assert_int_equal(w->nsent, 0);
	assert_int_not_equal(w->d.asking->address(&w->d, "12x", &a), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_whole),
		cmocka_unit_test(a_run_without_a_port),
		cmocka_unit_test_setup_teardown(a_run_closes_its_port, wire_begin, wire_end),
		cmocka_unit_test_setup_teardown(addresses_are_resolved, wire_begin, wire_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
