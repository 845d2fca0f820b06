/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_untrusted_sm.c - who takes part in the election, who is listed and why, and masters that nobody obeys.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/ha/untrusted_sm.h"
#include "tests/unit/subnet/served.h"

static struct served_bed b;
static struct untrusted_sms u;
static struct ha h;

static int
untrusted_sm_setup(void **state)
{
	(void)state;
	served_make(&b, "fattree:k=4,levels=2");
	b.conf->sm_key = 0x77;
	memset(&u, 0, sizeof(u));
	ha_init(&h, &(struct ha_conf){ .guid = b.net.port.port_guid, .sm_key = 0x77, .protects = true });
	return 0;
}

static int
untrusted_sm_teardown(void **state)
{
	(void)state;
	served_clear(&b);
	return 0;
}

static uint64_t
host_guid(unsigned n)
{
	return b.s->ports[served_host(&b, n)].guid;
}

/* Whoever is not allowed is left out; whoever has another key takes part, and is listed all the same. */
static void
only_allowed_managers_take_part(void **state)
{
	struct sm_info good = { .guid = 1, .sm_key = 0x77, .state = HA_STANDBY }, other = good, outsider = good;

	(void)state;
	b.conf->allowed_sm_guids = (struct conf_guids){ .n = 2, .guid = { 1, 2 } };
	other.guid = 2;
	other.sm_key = 0x78;
	outsider.guid = 3;
	assert_true(untrusted_sm_admit(&u, &b.net, &h, &good));
	assert_int_equal(u.n, 0);
	assert_true(untrusted_sm_admit(&u, &b.net, &h, &other));
	assert_string_equal(u.v[0].why, "has another SM_Key");
	assert_false(untrusted_sm_admit(&u, &b.net, &h, &outsider));
	assert_string_equal(u.v[1].why, "is not in allowed_sm_guids");
	assert_int_equal(u.n, 2);
}

/* One line when it appears, or when the reason is another; none in each sweep. */
static void
each_is_logged_once(void **state)
{
	struct sm_info si = { .guid = 2, .sm_key = 0x78, .state = HA_STANDBY };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		untrusted_sm_begin(&u);
		untrusted_sm_admit(&u, &b.net, &h, &si);
		assert_int_equal(b.lines, 1);
	}
	b.conf->allowed_sm_guids = (struct conf_guids){ .n = 1, .guid = { 1 } };
	untrusted_sm_admit(&u, &b.net, &h, &si);
	assert_int_equal(b.lines, 2);
	assert_int_equal(u.n, 1);
}

/* A round that does not find it ends its entry, and it is logged when it comes back. */
static void
who_is_not_found_is_forgotten(void **state)
{
	struct sm_info si = { .guid = 2, .sm_key = 0x78 };

	(void)state;
	untrusted_sm_admit(&u, &b.net, &h, &si);
	untrusted_sm_begin(&u);
	assert_int_equal(u.n, 1);                       /* not asked yet */
	untrusted_sm_begin(&u);
	assert_int_equal(u.n, 0);
	untrusted_sm_admit(&u, &b.net, &h, &si);
	assert_int_equal(b.lines, 2);
}

static void
the_list_has_an_end(void **state)
{
	(void)state;
	for (uint64_t g = 1; g <= UNTRUSTED_SMS_MAX + 5; g++)
		untrusted_sm_admit(&u, &b.net, &h, &(struct sm_info){ .guid = g, .sm_key = 0x78 });
	assert_int_equal(u.n, UNTRUSTED_SMS_MAX);
}

/* 'obeying' ports name the LID of host 1 as their master's, the others ours. */
static unsigned
drop_pretender(unsigned obeying, struct sm_info *v, unsigned n)
{
	uint16_t lid = b.plan.lids.base[served_host(&b, 1)];

	for (uint32_t i = 0; i < b.s->nendports; i++) {
		struct port_info info = served_info(&b, b.s->endports[i]);

		info.master_sm_lid = b.plan.sm_lid;
		if (b.s->endports[i] != served_host(&b, 1) && b.s->ports[b.s->endports[i]].flags & FAB_PORT_INFO &&
		    obeying) {
			info.master_sm_lid = lid;
			obeying--;
		}
		served_set_info(&b, b.s->endports[i], info);
	}
	return untrusted_sm_drop_pretenders(&u, &b.net, &h, b.s, v, n);
}

/* A master without our key leads only where more than half of the ports obey it. */
static void
a_master_that_nobody_obeys_is_dropped(void **state)
{
	unsigned others = b.s->nendports - 1;
	struct sm_info v[2] = {
		{ .guid = host_guid(1), .sm_key = 0x78, .state = HA_MASTER },
		{ .guid = host_guid(2), .sm_key = 0x77, .state = HA_STANDBY },
	}, again[2];

	(void)state;
	if (others % 2) {                               /* a port that was not read does not count */
		b.s->ports[served_host(&b, 4)].flags &= (uint8_t)~FAB_PORT_INFO;
		others--;
	}
	memcpy(again, v, sizeof(v));
	assert_int_equal(drop_pretender(others / 2 + 1, again, 2), 2);
	assert_int_equal(u.n, 0);
	assert_int_equal(drop_pretender(others / 2, again, 2), 1);
	assert_true(again[0].guid == host_guid(2));     /* who remains moves up */
	assert_int_equal(u.n, 1);
	assert_true(u.v[0].info.guid == host_guid(1));
	v[0].sm_key = 0x77;                             /* with our key it is believed */
	assert_int_equal(drop_pretender(0, v, 2), 2);
}

static void
the_document_names_state_and_reason(void **state)
{
	json_t *a, *row;

	(void)state;
	untrusted_sm_admit(&u, &b.net, &h, &(struct sm_info){
		.guid = 0x2a, .sm_key = 0x78, .priority = 9, .state = HA_STANDBY });
	a = untrusted_sm_json(&u);
	row = json_array_get(a, 0);
	assert_string_equal(json_string_value(json_object_get(row, "guid")), "0x000000000000002a");
	assert_string_equal(json_string_value(json_object_get(row, "state")), "standby");
	assert_string_equal(json_string_value(json_object_get(row, "reason")), "has another SM_Key");
	assert_int_equal(json_integer_value(json_object_get(row, "priority")), 9);
	json_decref(a);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, untrusted_sm_setup, untrusted_sm_teardown)
	const struct CMUnitTest tests[] = {
		T(only_allowed_managers_take_part),
		T(each_is_logged_once),
		T(who_is_not_found_is_forgotten),
		T(the_list_has_an_end),
		T(a_master_that_nobody_obeys_is_dropped),
		T(the_document_names_state_and_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
