/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_standbys.c - standbys that appear, are lost and come back, and who counts as one.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/ha/standbys.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct standbys l;
static struct ha h;

static int
standbys_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	memset(&l, 0, sizeof(l));
	ha_init(&h, &(struct ha_conf){ .guid = b.net.port.port_guid, .sm_key = 0x77, .protects = true });
	return 0;
}

static int
standbys_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

static struct sm_info
standby_at(unsigned host)
{
	return (struct sm_info){ .guid = b.s->ports[served_host(&b, host)].guid, .sm_key = 0x77, .state = HA_STANDBY };
}

/* One line for each change: it appears, is lost, is back; none while nothing changes. */
static void
changes_are_logged_once(void **state)
{
	struct sm_info v = standby_at(1);
	struct monotime lost;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		standbys_update(&l, &b.net, &h, &v, 1);
		assert_int_equal(b.lines, 1);
		assert_non_null(strstr(b.said, "ha: standby: "));
		assert_non_null(strstr(b.said, "1 standing by"));
	}
	served_pass(&b, 1000000);
	lost = b.net.now;
	standbys_update(&l, &b.net, &h, NULL, 0);
	assert_non_null(strstr(b.said, "standby lost: "));
	assert_non_null(strstr(b.said, "0 standing by"));
	served_pass(&b, 1000000);
	standbys_update(&l, &b.net, &h, NULL, 0);
	assert_int_equal(b.lines, 2);
	assert_int_equal(l.v[0].since.us, lost.us);     /* when it was lost, not when that was seen again */
	standbys_update(&l, &b.net, &h, &v, 1);
	assert_int_equal(b.lines, 3);
	assert_non_null(strstr(b.said, "standby is back: "));
	assert_int_equal(l.n, 1);
}

/* Only a manager that stands by with our key can take over. */
static void
others_are_no_standbys(void **state)
{
	struct sm_info v[3] = { standby_at(1), standby_at(2), standby_at(3) };

	(void)state;
	v[0].sm_key = 0x78;
	v[1].state = HA_DISCOVERING;
	v[2].sm_key = 0;                                /* we have an M_Key: whoever shares it shows its SM_Key */
	standbys_update(&l, &b.net, &h, v, 3);
	assert_int_equal(standbys_count_alive(&l), 0);
	h.conf.protects = false;
	standbys_update(&l, &b.net, &h, v, 3);
	assert_int_equal(standbys_count_alive(&l), 1);
}

/* In a full list the place of one that is gone is taken; with all alive, no further one is listed. */
static void
those_that_are_gone_make_room(void **state)
{
	struct sm_info v[STANDBYS_MAX + 1];

	(void)state;
	for (unsigned i = 0; i <= STANDBYS_MAX; i++)
		v[i] = (struct sm_info){ .guid = i + 1, .sm_key = 0x77, .state = HA_STANDBY };
	standbys_update(&l, &b.net, &h, v, STANDBYS_MAX + 1);
	assert_int_equal(l.n, STANDBYS_MAX);
	assert_int_equal(standbys_count_alive(&l), STANDBYS_MAX);
	standbys_update(&l, &b.net, &h, v + 1, STANDBYS_MAX - 1);       /* the first is gone */
	assert_int_equal(standbys_count_alive(&l), STANDBYS_MAX - 1);
	standbys_update(&l, &b.net, &h, v + 1, STANDBYS_MAX);
	assert_int_equal(standbys_count_alive(&l), STANDBYS_MAX);
	assert_int_equal(l.v[0].info.guid, STANDBYS_MAX + 1);
	standbys_reset(&l);
	assert_int_equal(standbys_count_alive(&l), 0);
}

static void
a_host_that_is_not_connected_is_named_so(void **state)
{
	struct sm_info v = { .guid = 0x123456, .sm_key = 0x77, .state = HA_STANDBY };
	json_t *a;

	(void)state;
	standbys_update(&l, &b.net, &h, &v, 1);
	assert_non_null(strstr(b.said, "on a host that is not connected"));
	served_pass(&b, 2500000);
	a = standbys_json(&l, b.net.now);
	assert_int_equal(json_array_size(a), 1);
	assert_true(json_is_true(json_object_get(json_array_get(a, 0), "alive")));
	assert_true(json_real_value(json_object_get(json_array_get(a, 0), "since_s")) == 2.5);
	json_decref(a);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, standbys_setup, standbys_teardown)
	const struct CMUnitTest tests[] = {
		T(changes_are_logged_once),
		T(others_are_no_standbys),
		T(those_that_are_gone_make_room),
		T(a_host_that_is_not_connected_is_named_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
