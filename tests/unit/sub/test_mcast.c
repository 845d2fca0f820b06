/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mcast.c - multicast groups: joins and leaves in all states, what is refused, MLIDs and limits.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sm/sub/mcast.h"

#define JOIN (MCAST_COMP(mgid) | MCAST_COMP(port_gid) | MCAST_COMP(join_state))
#define CREATE (JOIN | MCAST_COMP(qkey) | MCAST_COMP(tclass) | MCAST_COMP(pkey) | MCAST_COMP(sl) | MCAST_COMP(flow_label))

static const uint8_t broadcast[16] = { 0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, [12] = 0xff, 0xff, 0xff, 0xff };

static int
sub_mcast_setup(void **state)
{
	struct mcast_conf c = MCAST_CONF_DEFAULTS;

	*state = mcast_new(&c);
	return 0;
}

static int
sub_mcast_teardown(void **state)
{
	mcast_free(*state);
	return 0;
}

/* Port 'guid' asks for itself about the group with MGID ff18::n. */
static struct mcast_request
ask(uint64_t guid, uint16_t n, uint8_t join_state)
{
	struct mcast_request a = {
		.mask = CREATE, .port_guid = guid, .port_mtu = 5, .port_rate = 16, .self = true, .in_partition = true,
		.want = { .mgid = { 0xff, 0x18 }, .qkey = 0x1234, .pkey = 0xffff, .join_state = join_state },
	};

	a.want.mgid[14] = (uint8_t)(n >> 8);
	a.want.mgid[15] = (uint8_t)n;
	wire_put64(a.want.port_gid, GID_PREFIX_DEFAULT);
	wire_put64(a.want.port_gid + 8, guid);
	return a;
}

static unsigned
set(struct mcast *m, struct mcast_request a, struct mcmember_record *got)
{
	struct mcmember_record mine;

	return mcast_set(m, &a, got ? got : &mine);
}

static unsigned
leave(struct mcast *m, struct mcast_request a, struct mcmember_record *got)
{
	struct mcmember_record mine;

	return mcast_delete(m, &a, got ? got : &mine);
}

static void
create_join_leave(void **state)
{
	struct mcast *m = *state;
	struct mcmember_record got;
	struct mcast_event e;

	assert_int_equal(set(m, ask(1, 7, JOIN_STATE_FULL), &got), 0);
	assert_int_equal(got.mlid, 0xc000);
	assert_int_equal(got.join_state, JOIN_STATE_FULL);
	assert_int_equal(got.mtu, 5);
	assert_int_equal(got.rate, 16);
	assert_int_equal(got.mtu_selector, 2);
	assert_int_equal(got.rate_selector, 2);
	assert_int_equal(got.life_selector, 2);
	assert_int_equal(got.scope, 8);
	assert_int_equal(got.proxy_join, 0);
	assert_int_equal(wire_get64(got.port_gid + 8), 1);
	assert_true(mcast_next_event(m, &e));
	assert_true(e.created);
	assert_int_equal(e.mgid[15], 7);
	assert_int_equal(mcast_take_changed(m), 0xc000);
	assert_int_equal(mcast_take_changed(m), 0);
	for (unsigned s = 1; s < 16; s++)
		assert_int_equal(set(m, ask(100 + s, 7, (uint8_t)s), NULL), 0);
	assert_int_equal(mcast_by_mlid(m, 0xc000)->nmembers, 16);
	for (unsigned s = 1; s < 16; s++) {
		assert_int_equal(leave(m, ask(100 + s, 7, (uint8_t)s), &got), 0);
		assert_int_equal(got.join_state, 0);
	}
	assert_int_equal(mcast_take_changed(m), 0xc000);
	assert_false(mcast_next_event(m, &e));
	assert_int_equal(leave(m, ask(1, 7, JOIN_STATE_FULL), NULL), 0);
	assert_null(mcast_by_mlid(m, 0xc000));
	assert_int_equal(mcast_count(m), 0);
	assert_int_equal(mcast_take_changed(m), 0xc000);
	assert_true(mcast_next_event(m, &e));
	assert_false(e.created);
}

static void
states_add_up_and_go_one_by_one(void **state)
{
	struct mcast *m = *state;
	struct mcmember_record got;

	assert_int_equal(set(m, ask(1, 1, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, ask(2, 1, JOIN_STATE_NON), NULL), 0);
	assert_int_equal(set(m, ask(2, 1, JOIN_STATE_SEND_ONLY_NON), &got), 0);
	assert_int_equal(got.join_state, JOIN_STATE_NON | JOIN_STATE_SEND_ONLY_NON);
	assert_int_equal(leave(m, ask(2, 1, JOIN_STATE_NON), &got), 0);
	assert_int_equal(got.join_state, JOIN_STATE_SEND_ONLY_NON);
	assert_int_equal(leave(m, ask(2, 1, JOIN_STATE_NON), NULL), STATUS_SA_INVALID);
	assert_int_equal(leave(m, ask(2, 1, JOIN_STATE_SEND_ONLY_NON), NULL), 0);
	assert_int_equal(leave(m, ask(2, 1, JOIN_STATE_SEND_ONLY_NON), NULL), STATUS_SA_INVALID);
	assert_int_equal(mcast_by_mlid(m, 0xc000)->nmembers, 1);
}

/* The last one who owns it takes the group along, those who only listen included; one who sends only can own it. */
static void
group_ends_with_its_last_owner(void **state)
{
	struct mcast *m = *state;

	assert_int_equal(set(m, ask(1, 1, JOIN_STATE_SEND_ONLY_FULL), NULL), 0);
	assert_int_equal(set(m, ask(2, 1, JOIN_STATE_NON), NULL), 0);
	assert_int_equal(set(m, ask(3, 1, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(leave(m, ask(1, 1, JOIN_STATE_SEND_ONLY_FULL), NULL), 0);
	assert_non_null(mcast_by_mlid(m, 0xc000));
	mcast_drop_port(m, 3);
	assert_null(mcast_by_mlid(m, 0xc000));
	assert_int_equal(set(m, ask(1, 2, JOIN_STATE_NON), NULL), STATUS_SA_INVALID);
	assert_int_equal(set(m, ask(1, 2, JOIN_STATE_SEND_ONLY_NON), NULL), STATUS_SA_INVALID);
	assert_int_equal(set(m, ask(1, 2, 0), NULL), STATUS_SA_INVALID);
	assert_int_equal(mcast_count(m), 0);
}

static void
bad_leave_removes_nobody(void **state)
{
	struct mcast *m = *state;
	struct mcast_request a = ask(2, 1, JOIN_STATE_FULL);

	assert_int_equal(set(m, ask(1, 1, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, a, NULL), 0);
	mcast_take_changed(m);
	a.self = false;
	assert_int_equal(leave(m, a, NULL), STATUS_SA_DENIED);
	a.self = true;
	a.mask &= ~MCAST_COMP(join_state);
	assert_int_equal(leave(m, a, NULL), STATUS_SA_COMPONENTS);
	assert_int_equal(leave(m, ask(2, 1, 0), NULL), STATUS_SA_INVALID);
	assert_int_equal(leave(m, ask(2, 1, JOIN_STATE_FULL | JOIN_STATE_NON), NULL), STATUS_SA_INVALID);
	assert_int_equal(leave(m, ask(2, 2, JOIN_STATE_FULL), NULL), STATUS_SA_INVALID);
	assert_int_equal(leave(m, ask(3, 1, JOIN_STATE_FULL), NULL), STATUS_SA_INVALID);
	a = ask(2, 1, JOIN_STATE_FULL);
	a.port_guid = 0;
	assert_int_equal(leave(m, a, NULL), STATUS_SA_INVALID);
	assert_int_equal(mcast_by_mlid(m, 0xc000)->nmembers, 2);
	assert_int_equal(mcast_take_changed(m), 0);
}

static void
only_the_port_or_the_trusted(void **state)
{
	struct mcast *m = *state;
	struct mcast_request a = ask(1, 1, JOIN_STATE_FULL);
	struct mcmember_record got;

	a.self = false;
	assert_int_equal(set(m, a, NULL), STATUS_SA_DENIED);
	a.trusted = true;
	assert_int_equal(set(m, a, &got), 0);
	assert_int_equal(got.proxy_join, 1);
	assert_int_equal(leave(m, a, &got), 0);
	assert_int_equal(got.proxy_join, 1);
}

static void
components_of_a_join(void **state)
{
	static const struct { uint64_t component; uint16_t want; } wrong[] = {
		{ MCAST_COMP(qkey), STATUS_SA_INVALID }, { MCAST_COMP(pkey), STATUS_SA_INVALID },
		{ MCAST_COMP(sl), STATUS_SA_INVALID }, { MCAST_COMP(flow_label), STATUS_SA_INVALID },
		{ MCAST_COMP(tclass), STATUS_SA_INVALID }, { MCAST_COMP(mlid), STATUS_SA_INVALID },
		{ MCAST_COMP(hop_limit), STATUS_SA_INVALID },
	};
	struct mcast *m = *state;

	assert_int_equal(set(m, ask(1, 1, JOIN_STATE_FULL), NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		static const uint64_t need[3] = { MCAST_COMP(mgid), MCAST_COMP(port_gid), MCAST_COMP(join_state) };
		struct mcast_request a = ask(2, 1, JOIN_STATE_FULL);

		a.mask = JOIN & ~need[i];
		assert_int_equal(set(m, a, NULL), STATUS_SA_COMPONENTS);
	}
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct mcast_request a = ask(2, 1, JOIN_STATE_FULL);

		a.mask = JOIN;
		a.want.qkey = 9;
		a.want.pkey = 0x8009;
		a.want.sl = 9;
		a.want.flow_label = 9;
		a.want.tclass = 9;
		a.want.mlid = 0xc009;
		a.want.hop_limit = 9;
		assert_int_equal(set(m, a, NULL), 0);           /* not asked for: it does not matter */
		assert_int_equal(leave(m, a, NULL), 0);
		a.mask |= wrong[i].component;
		assert_int_equal(set(m, a, NULL), wrong[i].want);
	}
}

/* MTU 4 and rate 6 (20 Gb/s, slower than code 3's neighbours in number) asked for with every selector. */
static void
selectors_of_a_join(void **state)
{
	static const struct { uint8_t sel, mtu; bool ok; } mtus[] = {
		{ 0, 3, true }, { 0, 4, false }, { 1, 5, true }, { 1, 4, false }, { 2, 4, true }, { 2, 5, false }, { 3, 1, true },
	};
	static const struct { uint8_t sel, rate; bool ok; } rates[] = {
		{ 0, 3, true }, { 0, 11, true }, { 0, 6, false }, { 1, 4, true }, { 1, 6, false }, { 1, 11, false },
		{ 2, 6, true }, { 2, 7, false }, { 3, 2, true },
	};
	struct mcast *m = *state;
	struct mcast_request a = ask(1, 1, JOIN_STATE_FULL);
	struct mcmember_record got;

	a.mask |= MCAST_COMP(mtu_selector) | MCAST_COMP(mtu) | MCAST_COMP(rate_selector) | MCAST_COMP(rate) | MCAST_COMP(life_selector) | MCAST_COMP(life);
	a.want.mtu_selector = a.want.rate_selector = a.want.life_selector = 2;
	a.want.mtu = 4;
	a.want.rate = 6;
	a.want.life = 12;
	assert_int_equal(set(m, a, &got), 0);
	assert_int_equal(got.mtu, 4);
	assert_int_equal(got.rate, 6);
	assert_int_equal(got.life, 12);
	for (unsigned i = 0; i < sizeof(mtus) / sizeof(mtus[0]); i++) {
		a = ask(2, 1, JOIN_STATE_FULL);
		a.mask = JOIN | MCAST_COMP(mtu_selector) | MCAST_COMP(mtu);
		a.want.mtu_selector = mtus[i].sel;
		a.want.mtu = mtus[i].mtu;
		assert_int_equal(set(m, a, NULL), mtus[i].ok ? 0 : STATUS_SA_INVALID);
	}
	for (unsigned i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		a = ask(2, 1, JOIN_STATE_FULL);
		a.mask = JOIN | MCAST_COMP(rate_selector) | MCAST_COMP(rate);
		a.want.rate_selector = rates[i].sel;
		a.want.rate = rates[i].rate;
		assert_int_equal(set(m, a, NULL), rates[i].ok ? 0 : STATUS_SA_INVALID);
	}
	a.mask = JOIN | MCAST_COMP(mtu);              /* a value without its selector asks for nothing */
	a.want.mtu = 1;
	assert_int_equal(set(m, a, NULL), 0);
}

static void
what_a_port_can_do(void **state)
{
	struct mcast *m = *state;
	struct mcast_request a = ask(2, 1, JOIN_STATE_FULL);

	assert_int_equal(set(m, ask(1, 1, JOIN_STATE_FULL), NULL), 0);
	a.port_mtu = 4;
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	a = ask(2, 1, JOIN_STATE_FULL);
	a.port_rate = 12;                       /* 56 Gb/s of 100 */
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	a = ask(2, 1, JOIN_STATE_FULL);
	a.in_partition = false;
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	assert_int_equal(mcast_by_mlid(m, 0xc000)->nmembers, 1);
	a = ask(2, 2, JOIN_STATE_FULL);
	a.in_partition = false;
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	assert_int_equal(mcast_count(m), 1);    /* not even made */
}

static void
components_of_a_creation(void **state)
{
	static const uint64_t need[] = { MCAST_COMP(qkey), MCAST_COMP(tclass), MCAST_COMP(pkey), MCAST_COMP(sl), MCAST_COMP(flow_label) };
	struct mcast *m = *state;
	struct mcmember_record got;
	struct mcast_request a;

	for (unsigned i = 0; i < sizeof(need) / sizeof(need[0]); i++) {
		a = ask(1, 1, JOIN_STATE_FULL);
		a.mask &= ~need[i];
		assert_int_equal(set(m, a, NULL), STATUS_SA_COMPONENTS);
	}
	a = ask(1, 1, JOIN_STATE_FULL);
	a.mask |= MCAST_COMP(mtu_selector) | MCAST_COMP(mtu) | MCAST_COMP(rate_selector) | MCAST_COMP(rate);
	a.want.mtu = 4;
	a.want.mtu_selector = 1;
	a.want.rate = 20;
	a.want.rate_selector = 1;
	assert_int_equal(set(m, a, &got), 0);
	assert_int_equal(got.mtu, 3);
	assert_int_equal(got.rate, 8);          /* the next slower one of 50 Gb/s */
	a.want.mgid[15] = 2;
	a.want.mtu_selector = 0;
	a.want.rate_selector = 0;
	assert_int_equal(set(m, a, &got), 0);
	assert_int_equal(got.mtu, 5);
	assert_int_equal(got.rate, 16);
	a.want.mgid[15] = 3;
	a.want.mtu = 5;
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	a.want.mtu = 4;
	a.want.rate_selector = 2;
	a.want.rate = 17;
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	a.want.rate = 1;                        /* no rate */
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	assert_int_equal(mcast_count(m), 2);
}

static void
group_addresses(void **state)
{
	static const struct { uint8_t b[4]; uint16_t want; } heads[] = {
		{ { 0xfe, 0x18 }, STATUS_SA_INVALID }, { { 0xff, 0x38 }, STATUS_SA_INVALID },
		{ { 0xff, 0x12, 0xa0, 0x1b }, STATUS_SA_INVALID }, { { 0xff, 0x15, 0xa0, 0x1b }, 0 }, { { 0xff, 0x02 }, 0 },
	};
	struct mcast *m = *state;
	struct mcmember_record one, two;
	struct mcast_request a;

	for (unsigned i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		a = ask(1, 1, JOIN_STATE_FULL);
		memcpy(a.want.mgid, heads[i].b, 4);
		assert_int_equal(set(m, a, NULL), heads[i].want);
	}
	memset(a.want.mgid, 0, 16);
	a.want.scope = 5;
	assert_int_equal(set(m, a, &one), 0);
	a.mask |= MCAST_COMP(scope);
	assert_int_equal(set(m, a, &two), 0);
	assert_memory_equal(one.mgid, ((uint8_t[]){ 0xff, 0x12, 0xa0, 0x1b, 0xfe, 0x80 }), 6);
	assert_memory_equal(two.mgid, ((uint8_t[]){ 0xff, 0x15, 0xa0, 0x1b, 0xfe, 0x80 }), 6);
	assert_memory_not_equal(one.mgid, two.mgid, 16);
	assert_int_equal(two.scope, 5);
}

static struct mcast_request
ipoib(uint64_t guid, uint16_t pkey, uint8_t last)
{
	struct mcast_request a = ask(guid, 0, JOIN_STATE_FULL);

	memcpy(a.want.mgid, broadcast, 16);
	a.want.mgid[4] = (uint8_t)(pkey >> 8);
	a.want.mgid[5] = (uint8_t)pkey;
	if (last)
		memcpy(a.want.mgid + 12, ((uint8_t[]){ 0, 0, 0, last }), 4);
	a.want.qkey = 0x0b1b;
	a.want.pkey = pkey;
	return a;
}

static void
ip_over_infiniband(void **state)
{
	struct mcast *m = *state;
	struct mcmember_record got;
	struct mcast_request a;

	assert_int_equal(set(m, ipoib(1, 0xffff, 1), NULL), STATUS_SA_INVALID);         /* no broadcast group yet */
	assert_true(mcast_add_broadcast(m, 0x7fff, 4, 3, 0, 2));
	assert_false(mcast_add_broadcast(m, 0xffff, 4, 3, 0, 2));
	a = ipoib(1, 0xffff, 0);
	a.mask = JOIN;
	assert_int_equal(set(m, a, &got), 0);
	assert_int_equal(got.qkey, 0x0b1b);
	assert_int_equal(got.mtu, 4);
	assert_int_equal(got.rate, 3);
	assert_int_equal(got.pkey, 0xffff);
	assert_int_equal(got.mlid, 0xc000);
	assert_int_equal(got.hop_limit, 0);
	assert_memory_equal(got.mgid, broadcast, 16);
	a.port_rate = 2;                        /* 2.5 Gb/s */
	a.port_guid = 2;
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	assert_int_equal(set(m, ipoib(1, 0xffff, 1), NULL), 0);
	a = ipoib(1, 0xffff, 2);
	a.want.qkey = 1;
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	a = ipoib(1, 0xffff, 2);
	a.want.pkey = 0x8001;
	assert_int_equal(set(m, a, NULL), STATUS_SA_INVALID);
	assert_int_equal(set(m, ipoib(1, 0x8001, 0), NULL), 0);                         /* a broadcast group by a join */
	assert_int_equal(set(m, ipoib(1, 0x8001, 1), NULL), 0);
	mcast_drop_port(m, 1);
	assert_int_equal(mcast_count(m), 1);    /* what was made here stays */
	assert_int_equal(mcast_by_mlid(m, 0xc000)->nmembers, 0);
}

static void
limits(void **state)
{
	struct mcast *m = *state;
	struct mcast_conf c = MCAST_CONF_DEFAULTS;
	struct mcast_request a;

	c.mlids = 16;
	c.groups_per_port = 2;
	c.joins_per_port = 3;
	mcast_set_conf(m, &c);
	assert_int_equal(set(m, ask(1, 1, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, ask(1, 2, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, ask(1, 3, JOIN_STATE_FULL), NULL), STATUS_SA_NO_RESOURCES);
	assert_int_equal(set(m, ask(2, 3, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, ask(1, 3, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, ask(2, 4, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, ask(1, 4, JOIN_STATE_FULL), NULL), STATUS_SA_NO_RESOURCES);
	assert_int_equal(set(m, ask(1, 3, JOIN_STATE_NON), NULL), 0);                        /* no new membership */
	a = ask(1, 5, JOIN_STATE_FULL);
	a.trusted = true;
	assert_int_equal(set(m, a, NULL), 0);
	for (a.want.mgid[15] = 6; a.want.mgid[15] <= 16; a.want.mgid[15]++)
		assert_int_equal(set(m, a, NULL), 0);
	assert_int_equal(set(m, a, NULL), STATUS_SA_NO_RESOURCES);                      /* no MLID is left */
	assert_int_equal(leave(m, ask(2, 4, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, a, NULL), 0);
	assert_int_equal(mcast_find(m, a.want.mgid)->rec.mlid, 0xc003);
}

/*
 * One port that creates and joins without end takes an eighth; seven more such ports leave the others
 * what they need.
 */
static void
an_eighth_for_a_port(void **state)
{
	struct mcast *m = *state;
	struct mcast_conf c = MCAST_CONF_DEFAULTS;
	unsigned n = 0, joined = 0;
	uint16_t mgid = 0;

	mcast_set_conf(m, &c);
	for (uint64_t port = 1; port <= 7; port++)
		for (unsigned i = 0; i < 2 * c.mlids; i++)
			n += set(m, ask(port, mgid++, JOIN_STATE_FULL), NULL) == 0;
	assert_int_equal(n, 7 * c.mlids / MCAST_SHARE);
	assert_int_equal(set(m, ask(1, 60000, JOIN_STATE_FULL), NULL), STATUS_SA_NO_RESOURCES);
	for (uint64_t port = 100; port < 200; port++)
		assert_int_equal(set(m, ask(port, (uint16_t)(60000 + port), JOIN_STATE_FULL), NULL), 0);

	c.members = 8 * 300;                    /* it has 128 memberships already */
	c.mlids = MLID_LAST - MLID_FIRST + 1;
	mcast_set_conf(m, &c);
	for (uint64_t port = 10000; port < 11000; port++)
		assert_int_equal(set(m, ask(port, (uint16_t)(20000 + port), JOIN_STATE_FULL), NULL), 0);
	for (unsigned i = 0; i < 1000; i++)
		joined += set(m, ask(1, (uint16_t)(30000 + i), JOIN_STATE_FULL), NULL) == 0;
	assert_int_equal(joined, 300 - 128);
	assert_int_equal(set(m, ask(50, 30000, JOIN_STATE_FULL), NULL), 0);
}

/* What there is, is for all together; those who know the key come to its end too. */
static void
totals(void **state)
{
	struct mcast *m = *state;
	struct mcast_conf c = MCAST_CONF_DEFAULTS;
	struct mcast_request a;

	c.groups = 16;
	c.members = 18;
	mcast_set_conf(m, &c);
	for (uint16_t i = 1; i <= 16; i++)
		assert_int_equal(set(m, ask(i, i, JOIN_STATE_FULL), NULL), 0);
	a = ask(17, 17, JOIN_STATE_FULL);
	a.trusted = true;
	assert_int_equal(set(m, a, NULL), STATUS_SA_NO_RESOURCES);
	assert_int_equal(set(m, ask(17, 1, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, ask(18, 1, JOIN_STATE_FULL), NULL), 0);
	a = ask(19, 1, JOIN_STATE_FULL);
	a.trusted = true;
	assert_int_equal(set(m, a, NULL), STATUS_SA_NO_RESOURCES);
	assert_int_equal(leave(m, ask(18, 1, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, a, NULL), 0);
	mcast_drop_port(m, 19);
	assert_int_equal(set(m, ask(20, 1, JOIN_STATE_FULL), NULL), 0);
}

static void
mlids_come_back(void **state)
{
	struct mcast *m = *state;

	for (unsigned i = 0; i < 100000; i++) {
		uint16_t n = (uint16_t)i;

		assert_int_equal(set(m, ask(1, n, i & 1 ? JOIN_STATE_FULL : JOIN_STATE_FULL | JOIN_STATE_SEND_ONLY_FULL), NULL), 0);
		assert_int_equal(mcast_by_mlid(m, 0xc000)->rec.mgid[15], n & 0xff);
		if (!(i & 1)) {                 /* leaving half of it keeps it */
			assert_int_equal(leave(m, ask(1, n, JOIN_STATE_FULL), NULL), 0);
			assert_int_equal(mcast_count(m), 1);
			assert_int_equal(leave(m, ask(1, n, JOIN_STATE_SEND_ONLY_FULL), NULL), 0);
		} else {
			assert_int_equal(leave(m, ask(1, n, JOIN_STATE_FULL), NULL), 0);
		}
		assert_int_equal(mcast_count(m), 0);
	}
}

/* A solicited-node group of IPv6 in the default partition. */
static struct mcast_request
ask_snm(uint64_t guid, uint32_t address)
{
	static const uint8_t mgid[16] = { 0xff, 0x12, 0x60, 0x1b, 0xff, 0xff, [11] = 1, [12] = 0xff };
	struct mcast_request a = ask(guid, 0, JOIN_STATE_FULL);

	memcpy(a.want.mgid, mgid, sizeof(mgid));
	a.want.mgid[13] = (uint8_t)(address >> 16);
	a.want.mgid[14] = (uint8_t)(address >> 8);
	a.want.mgid[15] = (uint8_t)address;
	a.want.qkey = 0x0b1b;
	return a;
}

static unsigned
mlid_of(struct mcast *m, struct mcast_request a)
{
	struct mcmember_record got;

	assert_int_equal(set(m, a, &got), 0);
	return got.mlid;
}

/* As an option those that are alike share an MLID; others do not. */
static void
solicited_node_groups(void **state)
{
	struct mcast_conf c = MCAST_CONF_DEFAULTS;
	struct mcast *m = *state;
	struct mcast_request a = ask_snm(1, 1);

	assert_true(mcast_add_broadcast(m, 0xffff, 4, 3, 0, 2));
	assert_true(mcast_add_broadcast(m, 0xffff, 4, 3, 0, 5));
	assert_int_equal(mlid_of(m, ask_snm(1, 1)), 0xc002);
	assert_int_equal(mlid_of(m, ask_snm(1, 2)), 0xc003);    /* not unless told to */
	c.consolidate_snm = true;
	c.mlids = 8;
	mcast_set_conf(m, &c);
	assert_int_equal(mlid_of(m, ask_snm(2, 1)), 0xc002);    /* it stays where it is */
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(mlid_of(m, ask_snm(10 + i, 0x100 + i)), 0xc004);
	assert_int_equal(mcast_count(m), 104);
	a = ask_snm(3, 0x300);
	a.want.mgid[1] = 0x15;                          /* another scope */
	assert_int_equal(mlid_of(m, a), 0xc005);
	a = ask_snm(5, 0x301);
	a.port_rate = 3;                                /* links that carry less */
	assert_int_equal(mlid_of(m, a), 0xc006);
	a = ask_snm(6, 0x302);
	a.want.mgid[12] = 0xfe;                         /* no such group */
	assert_int_equal(mlid_of(m, a), 0xc007);
	a = ask_snm(7, 0x303);
	a.want.mgid[12] = 0xfe;
	assert_int_equal(set(m, a, NULL), STATUS_SA_NO_RESOURCES);
	assert_int_equal(mlid_of(m, ask_snm(4, 0x400)), 0xc004);        /* there is always room here */
}

static void
siblings(void **state)
{
	struct mcast_conf c = MCAST_CONF_DEFAULTS;
	struct mcast *m = *state;
	const struct mcast_group *g;
	unsigned n = 0;

	c.consolidate_snm = true;
	mcast_set_conf(m, &c);
	assert_true(mcast_add_broadcast(m, 0xffff, 4, 3, 0, 2));
	for (unsigned i = 0; i < 10; i++)
		assert_int_equal(mlid_of(m, ask_snm(10 + i, i)), 0xc001);
	assert_int_equal(mlid_of(m, ask(1, 7, JOIN_STATE_FULL)), 0xc002);
	for (g = mcast_next(m, 0); g; g = mcast_after(m, g))
		n++;
	assert_int_equal(n, 12);
	while (mcast_take_changed(m))
		;
	for (unsigned i = 0; i < 10; i++) {             /* the first, the last, those between */
		unsigned k = i * 7 % 10;

		n = 0;
		for (g = mcast_by_mlid(m, 0xc001); g; g = mcast_sibling(g))
			n++;
		assert_int_equal(n, 10 - i);
		assert_int_equal(leave(m, ask_snm(10 + k, k), NULL), 0);
		assert_int_equal(mcast_take_changed(m), 0xc001);
	}
	assert_null(mcast_by_mlid(m, 0xc001));
	assert_int_equal(mlid_of(m, ask(1, 8, JOIN_STATE_FULL)), 0xc001);    /* the MLID is free again, and not theirs */
	assert_int_equal(mlid_of(m, ask_snm(10, 1)), 0xc003);
}

/* Random joins and leaves beside a plain table of who is where. */
static void
as_a_plain_table(void **state)
{
	enum { PORTS = 12, GROUPS = 9 };
	struct mcast *m = *state;
	uint8_t plain[GROUPS][PORTS] = { 0 };
	uint32_t x = 1;

	for (unsigned step = 0; step < 20000; step++) {
		unsigned g, p, s, owners = 0, members = 0;
		struct mcast_request a;
		bool join;

		x = x * 1664525 + 1013904223;
		g = (x >> 8) % GROUPS;
		p = (x >> 13) % PORTS;
		s = (x >> 20) % 16;
		join = x >> 28 & 1;
		for (unsigned i = 0; i < PORTS; i++)
			owners += (plain[g][i] & MCAST_OWNS) != 0;
		a = ask(p + 1, (uint16_t)g, (uint8_t)s);
		if (join) {
			bool ok = owners ? s != 0 : (s & MCAST_OWNS) != 0;

			assert_int_equal(set(m, a, NULL), ok ? 0 : STATUS_SA_INVALID);
			plain[g][p] |= ok ? (uint8_t)s : 0;
		} else {
			bool ok = s && !(s & ~plain[g][p]);

			assert_int_equal(leave(m, a, NULL), ok ? 0 : STATUS_SA_INVALID);
			plain[g][p] &= (uint8_t)(ok ? ~s : 0xff);
		}
		for (unsigned i = owners = 0; i < PORTS; i++) {
			owners += (plain[g][i] & MCAST_OWNS) != 0;
			members += plain[g][i] != 0;
		}
		if (!owners) {
			memset(plain[g], 0, PORTS);
			assert_null(mcast_find(m, a.want.mgid));
			continue;
		}
		assert_int_equal(mcast_find(m, a.want.mgid)->nmembers, members);
		assert_int_equal(mcast_find(m, a.want.mgid)->nowners, owners);
		for (unsigned i = 0; i < PORTS; i++) {
			const struct mcast_member *r = mcast_member(mcast_find(m, a.want.mgid), i + 1);

			assert_int_equal(r ? r->join_state : 0, plain[g][i]);
		}
	}
}

static void
ports_that_are_members(void **state)
{
	struct mcast *m = *state;
	uint64_t *guids;

	assert_int_equal(set(m, ask(9, 1, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, ask(4, 1, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(set(m, ask(4, 2, JOIN_STATE_FULL), NULL), 0);
	assert_int_equal(mcast_ports(m, &guids), 2);
	assert_int_equal(guids[0], 4);
	assert_int_equal(guids[1], 9);
	free(guids);
	mcast_drop_port(m, 4);
	mcast_drop_port(m, 5);
	assert_int_equal(mcast_ports(m, &guids), 1);
	free(guids);
	assert_int_equal(mcast_count(m), 1);
}

int
main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, sub_mcast_setup, sub_mcast_teardown)
	const struct CMUnitTest tests[] = {
		T(create_join_leave), T(states_add_up_and_go_one_by_one), T(group_ends_with_its_last_owner),
		T(bad_leave_removes_nobody), T(only_the_port_or_the_trusted), T(components_of_a_join),
		T(selectors_of_a_join), T(what_a_port_can_do), T(components_of_a_creation), T(group_addresses),
		T(ip_over_infiniband), T(limits), T(an_eighth_for_a_port), T(totals),
		T(mlids_come_back), T(as_a_plain_table), T(ports_that_are_members),
		T(solicited_node_groups), T(siblings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
