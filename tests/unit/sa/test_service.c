/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_service.c - ServiceRecord by Set, Delete, Get and GetTable, byte by byte; leases.
 */
#include <config.h>
#include "tests/unit/sa/small.h"

enum { GET = 0x01, SET = 0x02, GET_TABLE = 0x12, DELETE = 0x15, SERVICE = 0x31 };
enum { AT_ID = 0, AT_GID = 8, AT_GUID = 16, AT_PKEY = 24, AT_LEASE = 28, AT_KEY = 32, AT_NAME = 48, AT_DATA8 = 112 };
#define PREFIX UINT64_C(0xfe80000000000000)

static int
sa_service_setup(void **state)
{
	struct small *b;

	small_setup(state);
	b = *state;
	b->w.services = services_new();
	small_index(b);
	return 0;
}

static int
sa_service_teardown(void **state)
{
	struct small *b = *state;

	services_free(b->w.services);
	return small_teardown(state);
}

static void
ask(struct small *b, uint16_t from, uint8_t method, uint64_t id, uint64_t guid)
{
	small_ask(b, from, method, SERVICE);
	small_where(b, 0, AT_ID, 8, id);
	small_where(b, 1, AT_GID, 8, PREFIX);
	small_where(b, 1, AT_GUID, 8, guid);
}

static void
trusted(struct small *b)
{
	for (unsigned i = 0; i < 8; i++)
		b->req.mad[36 + i] = (uint8_t)(SMALL_KEY >> (56 - 8 * i));
}

static bool
is_of_other(void *arg, const struct service *s)
{
	return s->port_guid != *(const uint64_t *)arg;
}

static void
announce_find_withdraw(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, SET, 0x1000, 0x101);
	small_where(b, 6, AT_NAME, 8, UINT64_C(0x7372702d74676574));
	small_where(b, 9, AT_DATA8 + 2, 1, 0x5a);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->out[3], 0x81);
	assert_int_equal(small_got(b, AT_LEASE, 4), 0xffffffff);
	ask(b, LID_TWO, SET, 0x1000, 0x202);
	assert_int_equal(small_send(b), 0);
	small_ask(b, LID_TWO, GET_TABLE, SERVICE);
	small_where(b, 0, AT_ID, 8, 0x1000);
	assert_int_equal(small_rows(b), 2);
	assert_int_equal(small_at(b, 0, AT_GUID, 8), 0x101);
	assert_int_equal(small_at(b, 0, AT_DATA8 + 2, 1), 0x5a);
	assert_int_equal(small_at(b, 1, AT_GUID, 8), 0x202);
	small_ask(b, LID_TWO, GET, SERVICE);
	small_where(b, 6, AT_NAME, 8, UINT64_C(0x7372702d74676574));
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, AT_GUID, 8), 0x101);
	small_ask(b, LID_TWO, GET, SERVICE);
	assert_int_equal(small_send(b), 0x0400);
	ask(b, LID_ONE, DELETE, 0x1001, 0x101);
	assert_int_equal(small_send(b), 0x0300);
	ask(b, LID_ONE, DELETE, 0x1000, 0x101);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->out[3], 0x95);
	assert_int_equal(small_send(b), 0x0300);
	services_keep(b->w.services, is_of_other, &(uint64_t){ 0x202 });
	small_ask(b, LID_TWO, GET_TABLE, SERVICE);
	assert_int_equal(small_rows(b), 0);
}

static void
what_is_refused(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, SET, 1, 0x202);
	assert_int_equal(small_send(b), 0x0700);        /* another's GID */
	trusted(b);
	assert_int_equal(small_send(b), 0);
	ask(b, LID_ONE, DELETE, 1, 0x202);
	assert_int_equal(small_send(b), 0x0700);
	ask(b, LID_ONE, SET, 1, 0x999);
	assert_int_equal(small_send(b), 0x0500);
	ask(b, LID_ONE, SET, 1, 0x101);
	b->req.mad[48 + 7] &= (uint8_t)~1u;
	assert_int_equal(small_send(b), 0x0600);
	ask(b, LID_ONE, SET, 1, 0x101);
	small_where(b, 2, AT_PKEY, 2, 0x8123);          /* not in that partition */
	assert_int_equal(small_send(b), 0x0200);
	for (unsigned i = 0; i < SERVICES_PER_PORT_MAX; i++) {
		ask(b, LID_ONE, SET, i, 0x101);
		assert_int_equal(small_send(b), 0);
	}
	ask(b, LID_ONE, SET, 0x10000, 0x101);
	assert_int_equal(small_send(b), 0x0100);
	ask(b, LID_ONE, SET, 5, 0x101);
	assert_int_equal(small_send(b), 0);             /* in the place of what was */
}

static void
keys(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, SET, 1, 0x101);
	small_where(b, 5, AT_KEY, 8, 0x5ec4e7);
	assert_int_equal(small_send(b), 0);
	small_ask(b, LID_TWO, GET, SERVICE);
	small_where(b, 5, AT_KEY, 8, 0x5ec4e7);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, AT_KEY, 8), 0);   /* found by it, not told */
	trusted(b);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, AT_KEY, 8), 0x5ec4e7);
	ask(b, LID_ONE, DELETE, 1, 0x101);
	assert_int_equal(small_send(b), 0x0700);
	ask(b, LID_ONE, SET, 1, 0x101);
	assert_int_equal(small_send(b), 0x0700);
	ask(b, LID_ONE, DELETE, 1, 0x101);
	small_where(b, 5, AT_KEY, 8, 0x5ec4e7);
	assert_int_equal(small_send(b), 0);
}

static void
leases(void **state)
{
	struct small *b = *state;

	services_tick(b->w.services, (struct monotime){ 5000000 });
	ask(b, LID_ONE, SET, 1, 0x101);
	small_where(b, 4, AT_LEASE, 4, 10);
	assert_int_equal(small_send(b), 0);
	ask(b, LID_ONE, SET, 2, 0x101);
	small_where(b, 4, AT_LEASE, 4, 0xffffffff);
	assert_int_equal(small_send(b), 0);
	services_tick(b->w.services, (struct monotime){ 8500000 });
	small_ask(b, LID_ONE, GET_TABLE, SERVICE);
	assert_int_equal(small_rows(b), 2);
	assert_int_equal(small_at(b, 0, AT_LEASE, 4), 7);
	assert_int_equal(small_at(b, 1, AT_LEASE, 4), 0xffffffff);
	services_tick(b->w.services, (struct monotime){ 14999999 });
	assert_int_equal(small_rows(b), 2);
	ask(b, LID_ONE, SET, 1, 0x101);                 /* renewed */
	small_where(b, 4, AT_LEASE, 4, 1);
	assert_int_equal(small_send(b), 0);
	services_tick(b->w.services, (struct monotime){ 15500000 });
	small_ask(b, LID_ONE, GET_TABLE, SERVICE);
	assert_int_equal(small_rows(b), 2);
	services_tick(b->w.services, (struct monotime){ 15999999 });
	assert_int_equal(small_rows(b), 1);
	assert_int_equal(small_at(b, 0, AT_ID, 8), 2);
}

static void
partitions(void **state)
{
	struct small *b = *state;

	small_pkeys(b, b->one, 0xffff, 0x8001);
	ask(b, LID_ONE, SET, 1, 0x101);
	small_where(b, 2, AT_PKEY, 2, 0x8001);
	assert_int_equal(small_send(b), 0);
	small_ask(b, LID_TWO, GET_TABLE, SERVICE);
	assert_int_equal(small_rows(b), 0);
	small_ask(b, LID_ONE, GET_TABLE, SERVICE);
	assert_int_equal(small_rows(b), 1);
	assert_int_equal(small_at(b, 0, AT_PKEY, 2), 0x8001);
	ask(b, LID_ONE, DELETE, 1, 0x101);              /* the P_Key is part of what it is known by */
	assert_int_equal(small_send(b), 0x0300);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sa_service_setup, sa_service_teardown)
	const struct CMUnitTest tests[] = {
		T(announce_find_withdraw), T(what_is_refused), T(keys), T(leases), T(partitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
