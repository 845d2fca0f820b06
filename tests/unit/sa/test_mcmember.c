/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mcmember.c - MCMemberRecord by Get, GetTable, Set and Delete, and PathRecords to groups, byte by byte.
 */
#include <config.h>
#include "tests/unit/sa/small.h"

enum { GET = 0x01, SET = 0x02, GET_TABLE = 0x12, DELETE = 0x15, MCMEMBER = 0x38, PATH = 0x35 };
enum { AT_MGID = 0, AT_GUID = 24, AT_QKEY = 32, AT_MLID = 36, AT_MTU = 38, AT_TCLASS = 39, AT_PKEY = 40, AT_RATE = 42,
	AT_LIFE = 43, AT_SL = 44, AT_STATE = 48, AT_PROXY = 49 };
#define PREFIX UINT64_C(0xfe80000000000000)

static int
mcmember_setup(void **state)
{
	struct mcast_conf conf = MCAST_CONF_DEFAULTS;
	struct small *b;

	small_setup(state);
	b = *state;
	b->w.mcast = mcast_new(&conf);
	assert_true(mcast_add_broadcast(b->w.mcast, 0xffff, 4, 3, 0, 2));
	small_index(b);
	return 0;
}

static int
mcmember_teardown(void **state)
{
	struct small *b = *state;

	mcast_free(b->w.mcast);
	return small_teardown(state);
}

/* Asks from LID 'from' about the broadcast group and port 'guid'. */
static void
ask(struct small *b, uint16_t from, uint8_t method, uint64_t guid, uint8_t join_state)
{
	small_ask(b, from, method, MCMEMBER);
	small_where(b, 0, AT_MGID, 8, UINT64_C(0xff12401bffff0000));
	small_where(b, 0, AT_MGID + 8, 8, 0xffffffff);
	small_where(b, 1, 16, 8, PREFIX);
	small_where(b, 1, AT_GUID, 8, guid);
	small_where(b, 16, AT_STATE, 1, join_state);
}

static void
trusted(struct small *b)
{
	for (unsigned i = 0; i < 8; i++)
		b->req.mad[36 + i] = (uint8_t)(SMALL_KEY >> (56 - 8 * i));
}

/* Joins a group of its own with everything a creation must name. */
static void
create(struct small *b, uint16_t from, uint64_t guid, uint8_t last)
{
	small_ask(b, from, SET, MCMEMBER);
	small_where(b, 0, AT_MGID, 8, UINT64_C(0xff18000000000000));
	small_where(b, 0, AT_MGID + 8, 8, last);
	small_where(b, 1, 16, 8, PREFIX);
	small_where(b, 1, AT_GUID, 8, guid);
	small_where(b, 2, AT_QKEY, 4, 0x11223344);
	small_where(b, 6, AT_TCLASS, 1, 7);
	small_where(b, 7, AT_PKEY, 2, 0xffff);
	small_where(b, 12, AT_SL, 1, 0);
	small_where(b, 13, AT_SL, 3, 0x000005);
	small_where(b, 16, AT_STATE, 1, 1);
}

static void
join_answer(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, SET, 0x101, 1);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, AT_MGID, 8), UINT64_C(0xff12401bffff0000));
	assert_int_equal(small_got(b, 16, 8), PREFIX);
	assert_int_equal(small_got(b, AT_GUID, 8), 0x101);
	assert_int_equal(small_got(b, AT_QKEY, 4), 0x0b1b);
	assert_int_equal(small_got(b, AT_MLID, 2), 0xc000);
	assert_int_equal(small_got(b, AT_MTU, 1), 0x84);
	assert_int_equal(small_got(b, AT_TCLASS, 1), 0);
	assert_int_equal(small_got(b, AT_PKEY, 2), 0xffff);
	assert_int_equal(small_got(b, AT_RATE, 1), 0x83);
	assert_int_equal(small_got(b, AT_LIFE, 1), 0x92);
	assert_int_equal(small_got(b, AT_SL, 4), 0);
	assert_int_equal(small_got(b, AT_STATE, 1), 0x21);
	assert_int_equal(small_got(b, AT_PROXY, 1), 0);
	assert_int_equal(b->out[44] << 8 | b->out[45], 7);
	ask(b, LID_ONE, DELETE, 0x101, 1);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->out[3], 0x95);
	assert_int_equal(b->out[56 + AT_STATE], 0x20);
	assert_int_equal(small_send(b), 0x0200);
	assert_int_equal(b->out[3], 0x95);
}

static void
create_answer(void **state)
{
	struct small *b = *state;

	create(b, LID_TWO, 0x202, 9);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, AT_MLID, 2), 0xc001);
	assert_int_equal(small_got(b, AT_MTU, 1), 0x85);
	assert_int_equal(small_got(b, AT_RATE, 1), 0x91);               /* 200 Gb/s */
	assert_int_equal(small_got(b, AT_SL, 4), 0x000005ff);
	assert_int_equal(small_got(b, AT_STATE, 1), 0x81);
	create(b, LID_TWO, 0x202, 9);
	b->req.mad[48 + 7] &= (uint8_t)~(1u << 2);      /* Q_Key is not named: fine for a join */
	assert_int_equal(small_send(b), 0);
	create(b, LID_TWO, 0x202, 10);
	b->req.mad[48 + 7] &= (uint8_t)~(1u << 2);
	assert_int_equal(small_send(b), 0x0600);
	create(b, LID_BETA, 0x20, 9);                   /* port 0 of beta: 1024 bytes, 20 Gb/s */
	assert_int_equal(small_send(b), 0x0200);
}

static void
who_may(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, SET, 0x202, 1);
	assert_int_equal(small_send(b), 0x0700);
	trusted(b);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, AT_PROXY, 1), 0x80);
	ask(b, LID_ONE, DELETE, 0x202, 1);
	assert_int_equal(small_send(b), 0x0700);
	ask(b, LID_ONE, SET, 0x999, 1);                 /* nobody's GUID */
	assert_int_equal(small_send(b), 0x0200);
	ask(b, LID_ONE, SET, 0x101, 1);
	small_where(b, 1, 16, 8, UINT64_C(0xfec0000000000000));
	assert_int_equal(small_send(b), 0x0500);
	ask(b, LID_TWO + 2, DELETE, 0x202, 1);          /* any LID of the port is the port */
	assert_int_equal(small_send(b), 0);
	small_pkeys(b, b->one, 0x8001, 0x8002);         /* one leaves the default partition */
	ask(b, LID_ONE, SET, 0x101, 1);
	assert_int_equal(small_send(b), 0x0200);
}

static void
who_sees_what(void **state)
{
	struct small *b = *state;

	ask(b, LID_ONE, SET, 0x101, 1);
	assert_int_equal(small_send(b), 0);
	ask(b, LID_TWO, SET, 0x202, 2);
	assert_int_equal(small_send(b), 0);
	create(b, LID_TWO, 0x202, 9);
	assert_int_equal(small_send(b), 0);

	small_ask(b, LID_ONE, GET_TABLE, MCMEMBER);
	assert_int_equal(small_rows(b), 2);             /* the groups */
	assert_int_equal(small_at(b, 0, AT_MLID, 2), 0xc000);
	assert_int_equal(small_at(b, 1, AT_MLID, 2), 0xc001);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(small_at(b, i, 16, 8), 0);
		assert_int_equal(small_at(b, i, AT_GUID, 8), 0);
		assert_int_equal(small_at(b, i, AT_STATE, 1) & 0xf, 0);
	}
	trusted(b);
	assert_int_equal(small_rows(b), 3);             /* the members */
	assert_int_equal(small_at(b, 0, AT_GUID, 8), 0x101);
	assert_int_equal(small_at(b, 1, AT_GUID, 8), 0x202);
	assert_int_equal(small_at(b, 1, AT_STATE, 1), 0x22);
	small_where(b, 3, AT_MLID, 2, 0xc001);
	assert_int_equal(small_rows(b), 1);

	small_ask(b, LID_ONE, GET_TABLE, MCMEMBER);     /* of another's membership not even that it is */
	small_where(b, 1, 16, 8, PREFIX);
	small_where(b, 1, AT_GUID, 8, 0x202);
	assert_int_equal(small_rows(b), 0);
	trusted(b);
	assert_int_equal(small_rows(b), 2);
	small_where(b, 16, AT_STATE, 1, 2);
	assert_int_equal(small_rows(b), 1);
	small_ask(b, LID_ONE, GET, MCMEMBER);
	small_where(b, 1, 16, 8, PREFIX);
	small_where(b, 1, AT_GUID, 8, 0x101);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, AT_STATE, 1), 0x21);

	small_ask(b, LID_ONE, GET, MCMEMBER);
	assert_int_equal(small_send(b), 0x0400);
	small_where(b, 4, AT_MTU, 1, 0x85);             /* exactly 4096 */
	small_where(b, 5, AT_MTU, 1, 0x85);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, AT_MLID, 2), 0xc001);
	small_where(b, 5, AT_MTU, 1, 0x83);
	assert_int_equal(small_send(b), 0x0300);

	small_pkeys(b, b->one, 0x8001, 0x8002);
	small_ask(b, LID_ONE, GET_TABLE, MCMEMBER);
	assert_int_equal(small_rows(b), 0);
}

static void
paths_to_groups(void **state)
{
	struct small *b = *state;

	create(b, LID_TWO, 0x202, 9);
	assert_int_equal(small_send(b), 0);
	small_ask(b, LID_ONE, GET, PATH);
	small_where(b, 2, 8, 8, UINT64_C(0xff18000000000000));
	small_where(b, 2, 16, 8, 9);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 40, 2), 0xc001);
	assert_int_equal(small_got(b, 42, 2), LID_ONE);
	assert_int_equal(small_got(b, 44, 4), 0x000005ff);
	assert_int_equal(small_got(b, 48, 2), 0x0701);
	assert_int_equal(small_got(b, 50, 2), 0xffff);
	assert_int_equal(small_got(b, 54, 3), 0x859192);
	small_where(b, 5, 42, 2, LID_ONE);              /* named as the source, it must be a member */
	assert_int_equal(small_send(b), 0x0300);
	small_where(b, 5, 42, 2, LID_TWO + 1);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 42, 2), LID_TWO + 1);
	small_where(b, 4, 40, 2, 0xc000);
	assert_int_equal(small_send(b), 0x0300);
	small_ask(b, LID_ONE, GET_TABLE, PATH);
	small_where(b, 2, 8, 8, UINT64_C(0xff18000000000000));
	small_where(b, 2, 16, 8, 8);
	assert_int_equal(small_rows(b), 0);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, mcmember_setup, mcmember_teardown)
	const struct CMUnitTest tests[] = {
		T(join_answer), T(create_answer), T(who_may), T(who_sees_what), T(paths_to_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
