/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_guidinfo.c - GUIDInfoRecord by Set and Delete, byte by byte; everything else by alias GIDs.
 */
#include <config.h>
#include "tests/unit/sa/small.h"

enum { GET = 0x01, SET = 0x02, GET_TABLE = 0x12, DELETE = 0x15, GUIDS = 0x30, SERVICE = 0x31, PATH = 0x35, MEMBER = 0x38 };
enum { INFORM = 0x03, CPI = 0x01 };
#define PREFIX UINT64_C(0xfe80000000000000)
#define ALIAS UINT64_C(0x00a1)

static int
guidinfo_setup(void **state)
{
	struct mcast_conf mc = MCAST_CONF_DEFAULTS;
	struct small *b;

	small_setup(state);
	b = *state;
	b->s->ports[b->one].info[50] = 12;              /* GUIDCap */
	b->s->ports[b->two].info[50] = 12;
	b->v.alias = b->w.alias = alias_new();
	mc.joins_per_port = 3;
	b->w.mcast = mcast_new(&mc);
	mcast_add_broadcast(b->w.mcast, 0xffff, 4, 3, 0, 2);
	b->w.services = services_new();
	b->w.inform = inform_new();
	small_index(b);
	return 0;
}

static int
guidinfo_teardown(void **state)
{
	struct small *b = *state;

	alias_free(b->w.alias);
	mcast_free(b->w.mcast);
	services_free(b->w.services);
	inform_free(b->w.inform);
	return small_teardown(state);
}

static void
trusted(struct small *b)
{
	for (unsigned i = 0; i < 8; i++)
		b->req.mad[36 + i] = (uint8_t)(SMALL_KEY >> (56 - 8 * i));
}

static void
ask(struct small *b, uint16_t from, uint8_t method, uint16_t lid, unsigned block)
{
	small_ask(b, from, method, GUIDS);
	small_where(b, 0, 0, 2, lid);
	small_where(b, 1, 2, 1, block);
}

static unsigned
give(struct small *b, uint16_t lid, unsigned entry, uint64_t guid)
{
	ask(b, lid, SET, lid, entry / 8);
	small_where(b, 4 + entry % 8, 8 + entry % 8 * 8, 8, guid);
	return small_send(b);
}

static void
bytes_of_answers(void **state)
{
	static const uint8_t first[72] = { 0, 3, 0, [14] = 0x01, 0x01, [22] = 0x00, 0xa1, [30] = 0x12, 0x34 };
	static const uint8_t second[72] = { 0, 3, 1, [14] = 0x56, 0x78 };
	struct small *b = *state;

	ask(b, LID_ONE, SET, LID_ONE, 0);
	small_where(b, 5, 16, 8, ALIAS);
	small_where(b, 6, 24, 8, 0x1234);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->out[3], 0x81);
	assert_int_equal(b->out[45], 9);
	assert_memory_equal(b->out + 56, first, 72);
	assert_int_equal(give(b, LID_ONE, 8, 0x5678), 0);
	assert_memory_equal(b->out + 56, second, 72);
	ask(b, LID_TWO, GET, LID_ONE, 0);
	assert_int_equal(small_send(b), 0);
	assert_memory_equal(b->out + 56, first, 72);
	small_ask(b, LID_TWO, GET_TABLE, GUIDS);
	small_where(b, 0, 0, 2, LID_ONE);
	assert_int_equal(small_rows(b), 2);
	assert_memory_equal(b->out + 56 + 72, second, 72);
	small_ask(b, LID_TWO, GET, GUIDS);
	small_where(b, 4, 8, 8, 0x5678);
	assert_int_equal(small_send(b), 0);
	ask(b, LID_ONE, DELETE, LID_ONE, 0);
	small_where(b, 6, 24, 8, 0);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->out[3], 0x95);
	assert_int_equal(wire_get64(b->out + 56 + 16), ALIAS);
	assert_int_equal(wire_get64(b->out + 56 + 24), 0);
	ask(b, LID_ONE, SET, LID_ONE, 0);               /* no entry: the block as it is */
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 16, 8), ALIAS);
}

static void
refusals(void **state)
{
	struct small *b = *state;

	for (unsigned i = 0; i < 2; i++) {
		uint8_t method = i ? DELETE : SET;

		small_ask(b, LID_ONE, method, GUIDS);
		small_where(b, 1, 2, 1, 0);
		small_where(b, 5, 16, 8, ALIAS);
		assert_int_equal(small_send(b), 0x0600);
		small_ask(b, LID_ONE, method, GUIDS);
		small_where(b, 0, 0, 2, LID_ONE);
		small_where(b, 5, 16, 8, ALIAS);
		assert_int_equal(small_send(b), 0x0600);
		ask(b, LID_ONE, method, LID_ONE, 2);            /* beyond twelve entries */
		assert_int_equal(small_send(b), 0x0300);
		ask(b, LID_ONE, method, 0x77, 0);               /* nobody's LID */
		assert_int_equal(small_send(b), 0x0300);
		ask(b, LID_ONE, method, LID_ONE, 0);
		small_where(b, 4, 8, 8, ALIAS);                 /* the port's own entry */
		assert_int_equal(small_send(b), 0x0200);
		ask(b, LID_ONE, method, LID_TWO, 0);
		small_where(b, 5, 16, 8, ALIAS);
		assert_int_equal(small_send(b), 0x0700);        /* another's port */
		assert_int_equal(b->out[3], method == SET ? 0x81 : 0x95);
	}
	assert_int_equal(alias_count(b->w.alias), 0);
	ask(b, LID_ONE, SET, LID_TWO + 3, 0);           /* whoever has the key may, by any LID */
	small_where(b, 5, 16, 8, ALIAS);
	trusted(b);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 2), LID_TWO);
	assert_int_equal(alias_owner(b->w.alias, ALIAS), 0x202);
	small_pkeys(b, b->one, 0x8001, 0);              /* who shares no partition does not see the port */
	small_index(b);
	ask(b, LID_ONE, SET, LID_TWO, 0);
	assert_int_equal(small_send(b), 0x0300);
}

static void
doubles_and_choices(void **state)
{
	struct small *b = *state;

	b->v.sm_assigned_guid = 0x42;
	small_index(b);
	assert_int_equal(give(b, LID_ONE, 1, ALIAS), 0);
	assert_int_equal(give(b, LID_TWO, 1, ALIAS), 0);
	assert_int_equal(small_got(b, 16, 8), 0);
	assert_int_equal(give(b, LID_TWO, 1, 0x301), 0);        /* a port's own */
	assert_int_equal(small_got(b, 16, 8), 0);
	assert_int_equal(give(b, LID_TWO, 1, 0), 0);
	assert_int_equal(small_got(b, 16, 8), UINT64_C(0x0014054200000001));
	assert_int_equal(give(b, LID_TWO, 1, 0), 0);            /* it has one */
	assert_int_equal(small_got(b, 16, 8), UINT64_C(0x0014054200000001));
	alias_drop_port(b->w.alias, 0x101);
	assert_true(alias_put(b->w.alias, 0x999, 1, ALIAS));    /* a port that is not there */
	assert_int_equal(give(b, LID_TWO, 2, ALIAS), 0);
	assert_int_equal(small_got(b, 24, 8), ALIAS);
	assert_int_equal(alias_owner(b->w.alias, ALIAS), 0x202);
}

static void
paths_by_alias(void **state)
{
	struct small *b = *state;

	assert_int_equal(give(b, LID_TWO, 1, ALIAS), 0);
	small_ask(b, LID_ONE, GET, PATH);
	small_where(b, 3, 24, 8, PREFIX);
	small_where(b, 3, 32, 8, 0x101);
	small_where(b, 2, 8, 8, PREFIX);
	small_where(b, 2, 16, 8, ALIAS);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 16, 8), ALIAS);
	assert_int_equal(small_got(b, 32, 8), 0x101);
	assert_int_equal(small_got(b, 40, 2), LID_TWO);
	small_where(b, 4, 40, 2, LID_THREE_1);
	assert_int_equal(small_send(b), 0x0200);        /* of another port */
	alias_drop_port(b->w.alias, 0x202);
	small_ask(b, LID_ONE, GET, PATH);
	small_where(b, 3, 32, 8, 0x101);
	small_where(b, 3, 24, 8, PREFIX);
	small_where(b, 2, 8, 8, PREFIX);
	small_where(b, 2, 16, 8, ALIAS);
	assert_int_equal(small_send(b), 0x0500);
}

static unsigned
join(struct small *b, uint16_t from, uint8_t method, uint64_t guid, unsigned group)
{
	small_ask(b, from, method, MEMBER);
	small_where(b, 0, 0, 8, group ? UINT64_C(0xff15000000000000) : UINT64_C(0xff12401bffff0000));
	small_where(b, 0, 8, 8, group ? group : 0xffffffff);
	small_where(b, 1, 16, 8, PREFIX);
	small_where(b, 1, 24, 8, guid);
	small_where(b, 16, 48, 1, 1);
	if (group) {
		small_where(b, 2, 32, 4, 0x1234);
		small_where(b, 6, 39, 1, 0);
		small_where(b, 7, 40, 2, 0xffff);
		small_where(b, 12, 44, 1, 0);
		small_where(b, 13, 45, 2, 0);
	}
	return small_send(b);
}

static void
groups_by_alias(void **state)
{
	struct small *b = *state;

	assert_int_equal(join(b, LID_TWO, SET, ALIAS, 0), 0x0200);      /* nobody's yet */
	assert_int_equal(give(b, LID_TWO, 1, ALIAS), 0);
	assert_int_equal(join(b, LID_ONE, SET, ALIAS, 0), 0x0700);      /* another's */
	assert_int_equal(join(b, LID_TWO, SET, ALIAS, 0), 0);
	assert_int_equal(small_got(b, 24, 8), ALIAS);
	assert_int_equal(small_got(b, 49, 1), 0);                       /* no proxy */
	assert_int_equal(join(b, LID_TWO, SET, 0x202, 0), 0);           /* beside its own */
	ask(b, LID_TWO, DELETE, LID_TWO, 0);
	small_where(b, 5, 16, 8, 0);
	assert_int_equal(small_send(b), 0x0700);
	assert_int_equal(give(b, LID_TWO, 1, 0x55), 0x0700);
	small_ask(b, LID_ONE, GET, PATH);                               /* a member is a source */
	small_where(b, 2, 8, 8, UINT64_C(0xff12401bffff0000));
	small_where(b, 2, 16, 8, 0xffffffff);
	small_where(b, 3, 24, 8, PREFIX);
	small_where(b, 3, 32, 8, ALIAS);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 32, 8), ALIAS);
	assert_int_equal(join(b, LID_TWO, DELETE, 0x202, 0), 0);
	assert_int_equal(join(b, LID_TWO, SET, ALIAS, 1), 0);
	assert_int_equal(join(b, LID_TWO, SET, 0x202, 2), 0);
	assert_int_equal(join(b, LID_TWO, SET, 0x202, 3), 0x0100);      /* three memberships, whichever GUID they go by */
	assert_int_equal(join(b, LID_TWO, SET, ALIAS, 3), 0x0100);
	assert_int_equal(join(b, LID_TWO, DELETE, ALIAS, 0), 0);
	assert_int_equal(join(b, LID_TWO, DELETE, ALIAS, 1), 0);
	ask(b, LID_TWO, DELETE, LID_TWO, 0);
	small_where(b, 5, 16, 8, 0);
	assert_int_equal(small_send(b), 0);
}

static void
services_by_alias(void **state)
{
	struct small *b = *state;

	assert_int_equal(give(b, LID_TWO, 1, ALIAS), 0);
	for (unsigned i = 0; i < 2; i++) {
		small_ask(b, i ? LID_TWO : LID_ONE, SET, SERVICE);
		small_where(b, 0, 0, 8, 0x77);
		small_where(b, 1, 8, 8, PREFIX);
		small_where(b, 1, 16, 8, ALIAS);
		assert_int_equal(small_send(b), i ? 0 : 0x0700);
	}
	small_ask(b, LID_ONE, GET, SERVICE);
	small_where(b, 0, 0, 8, 0x77);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 16, 8), ALIAS);
	services_drop_gid(b->w.services, 0x202);
	assert_int_equal(small_send(b), 0);
	services_drop_gid(b->w.services, ALIAS);
	assert_int_equal(small_send(b), 0x0300);
}

/* Who asks is known by an alias as by the port's own GID. */
static void
requester_by_alias(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_TWO, SET, INFORM);
	small_where(b, 63, 16, 2, 0xffff);
	b->req.mad[56 + 22] = 1;                        /* IsGeneric, Subscribe */
	b->req.mad[56 + 23] = 1;
	b->req.addr.grh = true;
	wire_put64(b->req.addr.gid, PREFIX);
	wire_put64(b->req.addr.gid + 8, ALIAS);
	assert_int_equal(small_send(b), 0x0700);
	assert_true(alias_put(b->w.alias, 0x202, 1, ALIAS));
	assert_int_equal(small_send(b), 0);
	assert_int_equal(inform_at(b->w.inform, 0)->port_guid, 0x202);
	alias_drop_port(b->w.alias, 0x202);
	assert_true(alias_put(b->w.alias, 0x101, 1, ALIAS));
	assert_int_equal(small_send(b), 0x0700);        /* another port's */
}

static void
capability(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, GET, CPI);
	assert_int_equal(small_send(b), 0);
	assert_true(small_got(b, 4, 4) >> 5 >> 5 & 1);  /* CapabilityMask2 bit 5 */
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, guidinfo_setup, guidinfo_teardown)
	const struct CMUnitTest tests[] = {
		T(bytes_of_answers), T(refusals), T(doubles_and_choices), T(paths_by_alias), T(groups_by_alias),
		T(services_by_alias), T(requester_by_alias), T(capability),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
