/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_vl_tables.c - nothing without qos, reading what is not known, and service levels that starve.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/planner/vl_tables.h"
#include "util/xalloc.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct vl_tables v;
static struct observed_tables tables;
static struct observed *o;
static struct sweep_job *j;

static int
setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	memset(&v, 0, sizeof(v));
	observed_tables_init(&tables);
	o = observed_new(b.s, &tables);
	j = xcalloc(1, sizeof(*j));
	j->in.conf = b.conf;
	j->fresh = b.s;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	vl_tables_abandon(&v, &b.net);
	observed_free(o);
	observed_tables_clear(&tables);
	free(j);
	served_clear(&b);
	return 0;
}

static void
without_qos_nothing_is_read_or_planned(void **state)
{
	(void)state;
	b.conf->qos = false;
	vl_tables_look(j);
	assert_null(j->look.tables);
	assert_null(j->look.reader);
	vl_tables_take(&v, o, &j->look);
	assert_true(vl_tables_pump(&v, &b.net));
	assert_int_equal(txn_pending(b.net.txn), 0);
	vl_tables_plan(j, &b.plan);
	assert_false(b.plan.qos.on);
	vl_tables_planned(o, &b.plan);
	assert_null(o->qos);
}

/* All ports that have VLs are asked; when all have answered, the plan takes what they said. */
static void
with_qos_tables_are_read_once(void **state)
{
	struct qos_tables *fresh;
	struct txn_end e;
	struct dgram d;
	unsigned n = 0;

	(void)state;
	b.conf->qos = true;
	for (uint32_t p = 0; p < b.s->nports; p++) {
		struct port_info info = served_info(&b, p);

		info.capability_mask |= PORT_CAP_SL_MAPPING;
		served_set_info(&b, p, info);
	}
	vl_tables_look(j);
	vl_tables_take(&v, o, &j->look);
	assert_null(j->look.reader);                    /* taken, not copied */
	assert_null(j->look.tables);
	while (!vl_tables_pump(&v, &b.net)) {
		assert_true(txn_pending(b.net.txn) > 0);
		while (served_next(&b, &d)) {
			served_answer(&b, &d, STATUS_OK);
			n++;
			while (served_take_end(&b, OWN_QOS, &e))
				vl_tables_on_end(&v, &e);
		}
	}
	assert_true(n >= b.s->nhosts);
	assert_null(v.reader);
	fresh = o->qos;
	assert_non_null(fresh);
	b.plan.qos.on = true;
	vl_tables_planned(o, &b.plan);
	assert_ptr_equal(o->qos, fresh);
	b.plan.qos.on = false;
}

static void
a_sweep_that_is_given_up_asks_no_more(void **state)
{
	struct txn_end e;

	(void)state;
	b.conf->qos = true;
	for (uint32_t p = 0; p < b.s->nports; p++) {
		struct port_info info = served_info(&b, p);

		info.capability_mask |= PORT_CAP_SL_MAPPING;
		served_set_info(&b, p, info);
	}
	vl_tables_look(j);
	vl_tables_take(&v, o, &j->look);
	assert_false(vl_tables_pump(&v, &b.net));
	vl_tables_abandon(&v, &b.net);
	assert_null(v.reader);
	while (served_take_end(&b, OWN_QOS, &e)) {
		assert_int_equal(e.kind, TXN_END_CANCELLED);
		vl_tables_on_end(&v, &e);               /* nobody waits for it */
	}
	assert_int_equal(txn_pending(b.net.txn), 0);
}

static void
starving_service_levels_are_logged(void **state)
{
	struct qos_plan *q = &b.plan.qos;

	(void)state;
	vl_tables_log(&b.log, q);
	assert_int_equal(b.lines, 0);
	q->starving[QOS_CA] = (struct qos_starving){ .ports = 4, .sls = 1u << 2 | 1u << 15 };
	vl_tables_log(&b.log, q);
	assert_int_equal(b.lines, 1);
	assert_non_null(strstr(b.said, "4 ports of channel adapters: SL 2,15 would never leave"));
	assert_non_null(strstr(b.said, "qos_ca_vlarb_high"));
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(without_qos_nothing_is_read_or_planned),
		T(with_qos_tables_are_read_once),
		T(a_sweep_that_is_given_up_asks_no_more),
		T(starving_service_levels_are_logged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
