/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sa_load.c - a host that asks without end is told BUSY; the others are served as ever.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/attr/sa_attr.h"
#include "libmad/mad/dgram.h"
#include "tests/scenario/world.h"

#define SECOND 1000000

/* The status of the answer to Get(PathRecord) from 'slid' to 'dlid'. */
static unsigned
ask(struct world *w, struct world_manager *s, uint16_t slid, uint16_t dlid)
{
	struct dgram_head h = {
		.base_version = 1, .mgmt_class = CLASS_SA, .class_version = 2, .method = METHOD_GET, .tid = 0x77,
		.attr_id = PATH_RECORD_ID,
	};
	struct path_record p = { .slid = slid, .dlid = dlid };
	uint8_t mad[DGRAM_BYTES] = { 0 };
	struct dgram d;
	int timeout_ms;

	dgram_head_encode(mad, &h);
	wire_put64(mad + 48, 1 << 4 | 1 << 5);
	path_record_encode(mad + SA_HEAD_BYTES, &p);
	world_inject(w, s, mad, slid);
	assert_true(manager_next_send(s->m, &d, &timeout_ms, w->now));
	assert_int_equal(dgram_class(d.mad), CLASS_SA);
	assert_int_equal(dgram_tid(d.mad), 0x77);
	assert_int_equal(d.addr.lid, slid);
	return dgram_status(d.mad);
}

static json_int_t
counter(struct world *w, struct world_manager *s, const char *name)
{
	json_t *status = manager_status(s->m, w->now);
	json_int_t n = json_integer_value(json_object_get(json_object_get(status, "sa"), name));

	json_decref(status);
	return n;
}

static void
one_abuser_does_not_stop_the_others(void **arg)
{
	struct world_manager *s;
	struct world w;
	uint16_t abuser, other, us;
	unsigned busy = 0, served = 0;

	(void)arg;
	world_init(&w, "fattree:k=4,levels=3", 1);
	s = world_manager_start(&w, NULL, NULL);
	assert_true(world_run_sweeps(&w, s, 1, 10 * SECOND));
	world_run(&w, 3 * SECOND);
	us = world_lid(&w, "host-0", 1);
	abuser = world_lid(&w, "host-3", 1);
	other = world_lid(&w, "host-9", 1);
	for (unsigned ms = 0; ms < 2000; ms++) {        /* 200,000 questions a second for two seconds */
		for (unsigned i = 0; i < 200; i++) {
			unsigned status = ask(&w, s, abuser, us);

			assert_true(status == STATUS_OK || status == STATUS_BUSY);
			busy += status == STATUS_BUSY;
			served += status == STATUS_OK;
		}
		for (unsigned i = 0; i < 10; i++)
			assert_int_equal(ask(&w, s, other, us), STATUS_OK);
		w.now = monotime_add_us(w.now, 1000);
	}
	assert_in_range(served, 100000 + 2 * 50000 - 100, 100000 + 2 * 50000 + 100);
	assert_int_equal(counter(&w, s, "busy"), busy);
	assert_int_equal(counter(&w, s, "answered"), 2000 * 210);
	w.now = monotime_add_us(w.now, 268436);         /* the response time that ClassPortInfo states */
	assert_int_equal(ask(&w, s, abuser, us), STATUS_OK);
	world_clear(&w);
}

int
main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_abuser_does_not_stop_the_others),
	};

	return cmocka_run_group_tests_name("sa_load", tests, NULL, NULL);
}
