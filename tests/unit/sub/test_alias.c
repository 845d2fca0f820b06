/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_alias.c - alias GUIDs: whose they are, what is granted and what is refused.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/mad/dgram.h"
#include "sm/sub/alias.h"
#include "tests/unit/test.h"

static int
alias_setup(void **state)
{
	*state = alias_new();
	return 0;
}

static int
alias_teardown(void **state)
{
	alias_free(*state);
	return 0;
}

static struct alias_request
ask(uint64_t port, uint8_t block, unsigned entry, uint64_t guid)
{
	struct alias_request a = { .port_guid = port, .cap = 12, .block = block, .entries = (uint8_t)(1u << entry), .entitled = true };

	a.want[entry] = guid;
	return a;
}

static uint64_t got[ALIAS_BLOCK_GUIDS];

static unsigned
set(struct alias_table *t, struct alias_request a)
{
	return alias_set(t, &a, got);
}

static unsigned
delete(struct alias_table *t, struct alias_request a)
{
	return alias_delete(t, &a, got);
}

static void
given_and_taken_back(void **state)
{
	struct alias_table *t = *state;
	uint64_t port;

	assert_false(alias_take_changed(t, &port));
	assert_int_equal(set(t, ask(1, 0, 3, 0x33)), STATUS_OK);
	assert_int_equal(got[0], 0);
	assert_int_equal(got[3], 0x33);
	assert_int_equal(alias_owner(t, 0x33), 1);
	assert_int_equal(alias_owner(t, 0x34), 0);
	assert_true(alias_take_changed(t, &port));
	assert_int_equal(port, 1);
	assert_int_equal(set(t, ask(1, 0, 3, 0x33)), STATUS_OK);        /* the same again */
	assert_false(alias_has_changed(t));
	assert_int_equal(set(t, ask(1, 0, 3, 0x44)), STATUS_OK);
	assert_int_equal(alias_owner(t, 0x33), 0);
	assert_int_equal(alias_owner(t, 0x44), 1);
	assert_int_equal(set(t, ask(1, 0, 3, 0)), STATUS_OK);           /* what is there stays */
	assert_int_equal(got[3], 0x44);
	assert_int_equal(delete(t, ask(1, 0, 2, 0)), STATUS_OK);        /* nothing was there */
	assert_int_equal(got[3], 0x44);
	assert_int_equal(delete(t, ask(1, 0, 3, 0x99)), STATUS_OK);
	assert_int_equal(got[3], 0);
	assert_int_equal(alias_count(t), 0);
}

static void
entries_that_there_are(void **state)
{
	struct alias_table *t = *state;
	struct alias_request a = ask(1, 0, 0, 0x10);

	assert_int_equal(set(t, a), STATUS_SA_INVALID);                 /* the port's own */
	assert_int_equal(delete(t, a), STATUS_SA_INVALID);
	a.entries |= 2;
	a.want[1] = 0x11;
	assert_int_equal(set(t, a), STATUS_SA_INVALID);
	assert_int_equal(alias_owner(t, 0x11), 0);
	assert_int_equal(set(t, ask(1, 1, 0, 0x18)), STATUS_OK);
	assert_int_equal(got[0], 0x18);
	assert_int_equal(set(t, ask(1, 1, 3, 0x1b)), STATUS_OK);
	assert_int_equal(set(t, ask(1, 1, 4, 0x1c)), STATUS_OK);        /* behind the last of twelve */
	assert_int_equal(got[4], 0);
	assert_int_equal(set(t, ask(1, 2, 0, 0x20)), STATUS_SA_NO_RECORDS);
	assert_int_equal(delete(t, ask(1, 2, 0, 0)), STATUS_SA_NO_RECORDS);
	a = ask(1, 31, 7, 0x77);
	a.cap = 255;
	assert_int_equal(set(t, a), STATUS_OK);                         /* entry 255 of 255 is none */
	assert_int_equal(alias_owner(t, 0x77), 0);
	a.cap = 0;
	a.block = 0;
	assert_int_equal(set(t, a), STATUS_SA_NO_RECORDS);
}

static void
one_owner(void **state)
{
	struct alias_table *t = *state;
	struct alias_request a;

	assert_int_equal(set(t, ask(1, 0, 1, 0x33)), STATUS_OK);
	assert_int_equal(set(t, ask(2, 0, 1, 0x33)), STATUS_OK);
	assert_int_equal(got[1], 0);
	assert_int_equal(set(t, ask(1, 0, 2, 0x33)), STATUS_OK);        /* nor twice in one port */
	assert_int_equal(got[1], 0x33);
	assert_int_equal(got[2], 0);
	assert_int_equal(set(t, ask(1, 0, 2, 1)), STATUS_OK);           /* its own GUID */
	assert_int_equal(got[2], 0);
	a = ask(1, 0, 2, 9);
	a.taken = 1 << 2;
	assert_int_equal(set(t, a), STATUS_OK);
	assert_int_equal(got[2], 0);
	a = ask(1, 0, 1, 0x44);                                         /* what was there stays */
	a.taken = 1 << 1;
	assert_int_equal(set(t, a), STATUS_OK);
	assert_int_equal(got[1], 0);
	assert_int_equal(alias_owner(t, 0x33), 1);
	a = ask(1, 0, 4, 0x55);                                         /* twice in one request */
	a.entries |= 1 << 5;
	a.want[5] = 0x55;
	assert_int_equal(set(t, a), STATUS_OK);
	assert_int_equal(got[4], 0x55);
	assert_int_equal(got[5], 0);
}

static void
refused(void **state)
{
	struct alias_table *t = *state;
	struct alias_request a = ask(1, 0, 1, 0x33);

	a.entitled = false;
	assert_int_equal(set(t, a), STATUS_SA_DENIED);
	assert_int_equal(delete(t, a), STATUS_SA_DENIED);
	assert_int_equal(alias_count(t), 0);
	assert_int_equal(set(t, ask(1, 0, 1, 0x33)), STATUS_OK);
	a = ask(1, 0, 1, 0x44);
	a.pinned = 1 << 1;
	assert_int_equal(set(t, a), STATUS_SA_DENIED);
	assert_int_equal(delete(t, a), STATUS_SA_DENIED);
	a.entries = 1 << 2;                                             /* another entry */
	a.want[2] = 0x55;
	assert_int_equal(set(t, a), STATUS_OK);
	assert_int_equal(delete(t, a), STATUS_OK);
	a.entries = 1 << 1;
	a.want[1] = 0x33;                                               /* no change */
	assert_int_equal(set(t, a), STATUS_OK);
	assert_int_equal(alias_owner(t, 0x33), 1);
}

/* An alias whose port is away goes to who asks for it. */
static void
moves_when_its_port_is_away(void **state)
{
	struct alias_table *t = *state;
	struct alias_request a = ask(2, 0, 1, 0x33);
	uint64_t port, *guids;

	assert_int_equal(set(t, ask(1, 0, 3, 0x33)), STATUS_OK);
	while (alias_take_changed(t, &port))
		;
	a.away = 1 << 1;
	assert_int_equal(set(t, a), STATUS_OK);
	assert_int_equal(got[1], 0x33);
	assert_int_equal(alias_owner(t, 0x33), 2);
	assert_int_equal(alias_count(t), 1);
	assert_true(alias_take_changed(t, &port));                      /* both have other entries */
	assert_true(alias_take_changed(t, &port));
	assert_false(alias_take_changed(t, &port));
	assert_int_equal(set(t, ask(7, 0, 1, 0x70)), STATUS_OK);
	assert_int_equal(set(t, ask(7, 1, 1, 0x71)), STATUS_OK);
	assert_int_equal(alias_ports(t, &guids), 2);
	assert_int_equal(guids[0], 2);
	assert_int_equal(guids[1], 7);
	free(guids);
	alias_drop_port(t, 7);
	alias_drop_port(t, 8);
	assert_int_equal(alias_count(t), 1);
}

static void
chosen_by_us(void **state)
{
	struct alias_table *t = *state;

	assert_int_equal(alias_make(t, 0x42), UINT64_C(0x0014054200000001));
	assert_true(alias_put(t, 1, 1, UINT64_C(0x0014054200000002)));
	assert_int_equal(alias_make(t, 0x42), UINT64_C(0x0014054200000003));
	assert_int_equal(alias_make(t, 0), UINT64_C(0x0014050000000004));
}

/* Random requests beside a plain table. */
static void
as_a_plain_table(void **state)
{
	enum { PORTS = 4, GUIDS = 40 };
	struct alias_table *t = *state;
	uint64_t plain[PORTS][16] = { { 0 } };
	uint32_t x = 1;

	for (unsigned step = 0; step < 20000; step++) {
		unsigned p, e, owner = PORTS;
		uint64_t g;

		x = x * 1664525 + 1013904223;
		p = (x >> 8) % PORTS;
		e = (x >> 12) % 15 + 1;
		g = x >> 31 ? (x >> 18) % GUIDS + 100 : 0;
		for (unsigned i = 0; g && i < PORTS; i++)
			for (unsigned k = 0; k < 16; k++)
				if (plain[i][k] == g)
					owner = i;
		if (owner == PORTS || plain[p][e] == g)
			plain[p][e] = g;
		else
			assert_false(alias_put(t, p + 1, (uint8_t)e, g));
		if (plain[p][e] == g)
			assert_true(alias_put(t, p + 1, (uint8_t)e, g));
		for (unsigned b = 0; b < 2; b++) {
			alias_block(t, p + 1, (uint8_t)b, got);
			assert_memory_equal(got, &plain[p][b * 8], sizeof(got));
		}
		if (plain[p][e])
			assert_int_equal(alias_owner(t, plain[p][e]), p + 1);
	}
}

static void
limit_of_all(void **state)
{
	struct alias_table *t = *state;
	struct alias_request a = ask(1, 0, 1, 0x1111);
	uint64_t port = 100, guid = 1u << 24;

	for (; alias_count(t) < ALIAS_MAX - 1; port++)
		for (unsigned i = 1; i < ALIAS_ENTRIES_MAX && alias_count(t) < ALIAS_MAX - 1; i++)
			assert_true(alias_put(t, port, (uint8_t)i, guid++));
	a.entries = 6;
	a.want[2] = 0x2222;
	assert_int_equal(set(t, a), STATUS_SA_NO_RESOURCES);            /* one too many: neither is taken */
	assert_int_equal(alias_owner(t, 0x1111), 0);
	a.entries = 2;
	assert_int_equal(set(t, a), STATUS_OK);
	a.want[1] = 0x3333;
	assert_int_equal(set(t, a), STATUS_OK);                         /* in the place of another */
	assert_int_equal(set(t, ask(2, 0, 1, 0x4444)), STATUS_SA_NO_RESOURCES);
	assert_int_equal(alias_count(t), ALIAS_MAX);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, alias_setup, alias_teardown)
	const struct CMUnitTest tests[] = {
		T(given_and_taken_back), T(entries_that_there_are), T(one_owner), T(refused), T(moves_when_its_port_is_away),
		T(chosen_by_us), T(as_a_plain_table), T(limit_of_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
