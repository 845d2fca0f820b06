/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_inform.c - subscriptions: made, found again, ended; which notices match them.
 */
#include <config.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sm/sub/inform.h"

static int
sub_inform_setup(void **state)
{
	*state = inform_new();
	return 0;
}

static int
sub_inform_teardown(void **state)
{
	inform_free(*state);
	return 0;
}

/* Everything of everybody. */
static struct inform_request
all(uint64_t guid)
{
	return (struct inform_request){
		.port_guid = guid, .addr = { .lid = 7, .qpn = 1 },
		.want = { .lid_begin = 0xffff, .is_generic = 1, .subscribe = 1, .type = 0xffff, .trap_number = 0xffff,
			.producer_type = 0xffffff, .qpn = 0x123456 },
	};
}

static struct sa_notice
notice(uint16_t trap, uint8_t type, uint16_t lid)
{
	struct sa_notice n = { .notice = { .is_generic = 1, .type = type, .producer_type = 2, .trap_number = trap,
		.issuer_lid = lid } };

	n.issuer_gid[15] = (uint8_t)lid;
	return n;
}

static void
subscribe_and_end(void **state)
{
	struct inform *t = *state;
	struct inform_request a = all(5);
	struct inform_info got;

	assert_int_equal(inform_set(t, &a, &got), 0);
	assert_int_equal(got.qpn, 1);           /* that of the asker, whatever was said */
	assert_int_equal(inform_set(t, &a, &got), 0);
	assert_int_equal(inform_count(t), 1);
	a.want.trap_number = 64;
	assert_int_equal(inform_set(t, &a, &got), 0);
	assert_int_equal(inform_count(t), 2);
	assert_int_equal(inform_at(t, 1)->number, 1);
	a.want.subscribe = 2;
	assert_int_equal(inform_set(t, &a, &got), STATUS_SA_INVALID);
	a.want.subscribe = 0;
	assert_int_equal(inform_set(t, &a, &got), STATUS_SA_INVALID);   /* the QPN is part of it */
	a.want.qpn = 1;
	a.port_guid = 6;
	assert_int_equal(inform_set(t, &a, &got), STATUS_SA_INVALID);   /* another's */
	a.port_guid = 5;
	assert_int_equal(inform_set(t, &a, &got), 0);
	assert_int_equal(inform_set(t, &a, &got), STATUS_SA_INVALID);
	assert_int_equal(inform_count(t), 1);
	inform_drop_ports(t, &(uint64_t){ 6 }, 1);
	assert_int_equal(inform_count(t), 1);
	inform_drop_ports(t, &(uint64_t){ 5 }, 1);
	assert_int_equal(inform_count(t), 0);
	assert_null(inform_at(t, 0));
}

static void
what_matches(void **state)
{
	struct inform *t = *state;
	struct inform_request a = all(5);
	struct inform_info got;
	struct sa_notice n = notice(128, 1, 9);
	struct inform_sub s;

	assert_int_equal(inform_set(t, &a, &got), 0);
	s = *inform_at(t, 0);
	assert_true(inform_matches(&s, &n));
	s.info.trap_number = 128;
	assert_true(inform_matches(&s, &n));
	s.info.trap_number = 129;
	assert_false(inform_matches(&s, &n));
	s.info.trap_number = 0xffff;
	s.info.type = 1;
	assert_true(inform_matches(&s, &n));
	s.info.type = 3;
	assert_false(inform_matches(&s, &n));
	s.info.type = 0xffff;
	s.info.producer_type = 2;
	assert_true(inform_matches(&s, &n));
	s.info.producer_type = 4;
	assert_false(inform_matches(&s, &n));
	s.info.producer_type = 0xffffff;
	s.info.is_generic = 0;
	assert_false(inform_matches(&s, &n));
	s.info.is_generic = 1;
	s.info.lid_begin = 9;                   /* to 0: one LID */
	assert_true(inform_matches(&s, &n));
	s.info.lid_begin = 8;
	assert_false(inform_matches(&s, &n));
	s.info.lid_end = 10;
	assert_true(inform_matches(&s, &n));
	s.info.lid_begin = 10;
	assert_false(inform_matches(&s, &n));
	s.info.gid[15] = 9;                     /* a GID goes before LIDs */
	assert_true(inform_matches(&s, &n));
	s.info.gid[15] = 8;
	assert_false(inform_matches(&s, &n));
}

static void
security_is_for_the_trusted(void **state)
{
	struct inform *t = *state;
	struct inform_request a = all(5);
	struct inform_info got;
	struct sa_notice n = notice(256, 2, 9);

	assert_int_equal(inform_set(t, &a, &got), 0);
	assert_false(inform_matches(inform_at(t, 0), &n));
	a.trusted = true;
	assert_int_equal(inform_set(t, &a, &got), 0);
	assert_int_equal(inform_count(t), 1);
	assert_true(inform_matches(inform_at(t, 0), &n));
}

static void
limit_of_a_port(void **state)
{
	struct inform *t = *state;
	struct inform_request a = all(5);
	struct inform_info got;

	for (unsigned i = 0; i < INFORM_PER_PORT_MAX; i++) {
		a.want.trap_number = (uint16_t)i;
		assert_int_equal(inform_set(t, &a, &got), 0);
	}
	a.want.trap_number = 999;
	assert_int_equal(inform_set(t, &a, &got), STATUS_SA_NO_RESOURCES);
	a.port_guid = 6;
	assert_int_equal(inform_set(t, &a, &got), 0);
	a.port_guid = 5;
	inform_drop(t, inform_at(t, 3)->id);
	assert_int_equal(inform_set(t, &a, &got), 0);
	assert_int_equal(inform_at(t, inform_count(t) - 1)->number, 3);
}

/* All hosts of a large subnet come, half of them go together, and those that stay are as they were. */
static void
thousands_come_and_go(void **state)
{
	enum { PORTS = 12000, EACH = 3 };
	struct inform *t = *state;
	struct inform_info got;
	uint64_t gone[PORTS / 2];
	uint32_t id = 0;

	for (unsigned i = 0; i < PORTS * EACH; i++) {
		struct inform_request a = all(1 + i % PORTS);

		a.want.trap_number = (uint16_t)(64 + i / PORTS);
		assert_int_equal(inform_set(t, &a, &got), 0);
	}
	for (unsigned i = 0; i < PORTS / 2; i++)
		gone[i] = 2 * (i + 1);
	inform_drop_ports(t, gone, PORTS / 2);
	assert_int_equal(inform_count(t), PORTS / 2 * EACH);
	for (uint32_t i = 0; i < inform_count(t); i++) {
		const struct inform_sub *s = inform_at(t, i);

		assert_int_equal(s->port_guid & 1, 1);
		assert_int_equal(s->number, s->info.trap_number - 64);
		assert_true(s->id > id);
		id = s->id;
		assert_ptr_equal(inform_by_id(t, id), s);
	}
	for (unsigned k = 0; k < EACH; k++)             /* who comes again is counted anew */
		for (uint64_t guid = 1; guid <= 2; guid++) {
			struct inform_request a = all(guid);

			a.want.trap_number = (uint16_t)(64 + k);
			assert_int_equal(inform_set(t, &a, &got), 0);
		}
	assert_int_equal(inform_count(t), PORTS / 2 * EACH + EACH);
	assert_int_equal(inform_at(t, inform_count(t) - 1)->number, EACH - 1);
}

/*
 * What there is, is for all together; of it a port has much less than an eighth, so whoever comes later
 * has his.
 */
static void
limit_of_all(void **state)
{
	struct inform *t = *state;
	struct inform_info got;
	struct inform_request a;

	for (uint64_t port = 1; port <= INFORM_MAX / 4; port++)
		for (uint16_t i = 0; i < 4; i++) {
			a = all(port);
			a.want.trap_number = i;
			assert_int_equal(inform_set(t, &a, &got), 0);
		}
	assert_int_equal(inform_count(t), INFORM_MAX);
	a = all(999999);
	assert_int_equal(inform_set(t, &a, &got), STATUS_SA_NO_RESOURCES);
	a.trusted = true;
	assert_int_equal(inform_set(t, &a, &got), STATUS_SA_NO_RESOURCES);
	inform_drop(t, 5);
	assert_int_equal(inform_set(t, &a, &got), 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sub_inform_setup, sub_inform_teardown)
	const struct CMUnitTest tests[] = {
		T(subscribe_and_end), T(what_matches), T(security_is_for_the_trusted), T(limit_of_a_port),
		T(thousands_come_and_go), T(limit_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
