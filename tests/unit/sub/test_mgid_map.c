/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_mgid_map.c - MLIDs that MGIDs had last: rows and their age, and which MLID a new group gets.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sm/sub/mcast.h"

#define CREATE (MCAST_COMP(mgid) | MCAST_COMP(port_gid) | MCAST_COMP(join_state) | MCAST_COMP(qkey) | MCAST_COMP(tclass) | MCAST_COMP(pkey) | MCAST_COMP(sl) | MCAST_COMP(flow_label))

static struct mcast *
groups(struct mgid_map *known, uint32_t mlids, bool consolidate)
{
	struct mcast_conf c = MCAST_CONF_DEFAULTS;
	struct mcast *m;

	c.mlids = mlids;
	c.joins_per_port = c.groups_per_port = 1u << 20;
	c.consolidate_snm = consolidate;
	m = mcast_new(&c);
	mcast_set_known(m, known);
	return m;
}

static void
name(uint8_t mgid[static 16], uint32_t n)
{
	memset(mgid, 0, 16);
	mgid[0] = 0xff;
	mgid[1] = 0x18;
	wire_put32(mgid + 12, n);
}

static struct mcast_request
ask(uint32_t n)
{
	struct mcast_request a = {
		.mask = CREATE, .port_guid = 1, .port_mtu = 5, .port_rate = 16, .self = true, .trusted = true, .in_partition = true,
		.want = { .qkey = 0x1234, .pkey = 0xffff, .join_state = JOIN_STATE_FULL },
	};

	name(a.want.mgid, n);
	wire_put64(a.want.port_gid, GID_PREFIX_DEFAULT);
	wire_put64(a.want.port_gid + 8, 1);
	return a;
}

/* The MLID that the group gets or has; 0: there is none for it. */
static uint16_t
join(struct mcast *m, struct mcast_request a)
{
	struct mcmember_record got;

	return mcast_set(m, &a, &got) == STATUS_OK ? got.mlid : 0;
}

static void
leave(struct mcast *m, uint32_t n)
{
	struct mcast_request a = ask(n);
	struct mcmember_record got;

	assert_int_equal(mcast_delete(m, &a, &got), STATUS_OK);
}

static uint16_t
known_of(const struct mgid_map *k, uint32_t n)
{
	uint8_t mgid[16];

	name(mgid, n);
	return mgid_map_find(k, mgid);
}

static void
rows(void **state)
{
	struct mgid_row in[4] = { { .mlid = 0xc003 }, { .mlid = 0xbfff }, { .mlid = 0xc004 }, { .mlid = 0xc003 } }, *out;
	struct mgid_map *k;
	uint32_t n;

	(void)state;
	name(in[0].mgid, 1);
	name(in[1].mgid, 2);
	name(in[2].mgid, 1);                    /* twice */
	name(in[3].mgid, 4);
	k = mgid_map_new(in, 4);
	assert_int_equal(mgid_map_count(k), 2);
	assert_false(mgid_map_has_changed(k));
	assert_int_equal(known_of(k, 1), 0xc003);
	assert_int_equal(known_of(k, 2), 0);
	assert_non_null(mgid_map_after(mgid_map_first(k, 0xc003)));
	assert_null(mgid_map_first(k, 0xc004));
	mgid_map_put(k, in[0].mgid, 0xc003);    /* younger now */
	assert_false(mgid_map_has_changed(k));
	out = mgid_map_rows(k, &n);
	assert_int_equal(n, 2);
	assert_memory_equal(out[0].mgid, in[3].mgid, 16);
	free(out);
	mgid_map_put(k, in[0].mgid, 0xc009);
	assert_true(mgid_map_has_changed(k));
	assert_int_equal(mgid_map_first(k, 0xc009)->mgid[15], 1);
	assert_null(mgid_map_after(mgid_map_first(k, 0xc003)));
	mgid_map_drop(k, in[0].mgid);
	mgid_map_drop(k, in[0].mgid);
	mgid_map_drop(k, in[3].mgid);
	assert_null(mgid_map_oldest(k));
	assert_null(mgid_map_rows(k, &n));
	mgid_map_free(k);
}

/* A group that comes back has its MLID again, also in another order, unless another group has it. */
static void
groups_come_back(void **state)
{
	struct mgid_map *k = mgid_map_new(NULL, 0);
	struct mcast *m = groups(k, 1024, false);

	(void)state;
	for (uint32_t n = 0; n < 10; n++)
		assert_int_equal(join(m, ask(n)), 0xc000 + n);
	mcast_free(m);
	m = groups(k, 1024, false);
	for (uint32_t n = 10; n-- > 0;)
		assert_int_equal(join(m, ask(n)), 0xc000 + n);
	leave(m, 3);
	leave(m, 4);
	assert_int_equal(join(m, ask(4)), 0xc004);
	leave(m, 4);
	assert_int_equal(join(m, ask(50)), 0xc003);     /* nobody keeps it free */
	assert_int_equal(known_of(k, 3), 0);            /* and whose it was is void */
	assert_int_equal(join(m, ask(3)), 0xc004);
	assert_int_equal(known_of(k, 4), 0);
	mcast_free(m);
	m = groups(k, 2, false);                        /* switches with smaller tables */
	assert_int_equal(join(m, ask(9)), 0xc000);
	mcast_free(m);
	mgid_map_free(k);
}

static void
reserved_mlids(void **state)
{
	struct mgid_map *k = mgid_map_new(NULL, 0);
	struct mcast *m;
	uint8_t mgid[16];

	(void)state;
	name(mgid, 7);
	mgid_map_put(k, mgid, 0xc001);
	name(mgid, 8);
	mgid_map_put(k, mgid, 0xc003);
	m = groups(k, 6, false);
	for (uint16_t mlid = 0xc000; mlid < 0xc003; mlid++)
		mcast_reserve(m, mlid);
	mcast_reserve(m, 1);
	mcast_spare_known(m, true);
	assert_int_equal(join(m, ask(1)), 0xc004);      /* 0xc003 is known, 0xc000 to 0xc002 are in use */
	assert_int_equal(join(m, ask(2)), 0xc005);
	assert_int_equal(join(m, ask(3)), 0xc003);      /* before none is given */
	assert_int_equal(join(m, ask(4)), 0);
	assert_int_equal(join(m, ask(7)), 0xc001);
	assert_int_equal(join(m, ask(8)), 0);
	leave(m, 7);
	assert_int_equal(join(m, ask(4)), 0);
	mcast_unreserve(m, 0xc001);
	mcast_unreserve(m, 0xc002);
	mcast_unreserve(m, 1);
	mcast_spare_known(m, false);
	assert_int_equal(join(m, ask(8)), 0xc001);
	assert_int_equal(join(m, ask(4)), 0xc002);
	assert_int_equal(join(m, ask(5)), 0);
	mcast_unreserve(m, 0xc000);
	assert_int_equal(join(m, ask(5)), 0xc000);
	mcast_free(m);
	mgid_map_free(k);
}

static struct mcast_request
solicited(uint8_t n, uint8_t sl)
{
	static const uint8_t mgid[16] = { 0xff, 0x12, 0x60, 0x1b, 0xff, 0xff, [11] = 1, [12] = 0xff };
	struct mcast_request a = ask(n);

	memcpy(a.want.mgid, mgid, 16);
	a.want.mgid[15] = n;
	a.want.qkey = 0xb1b;
	a.want.sl = sl;
	return a;
}

/* Groups that share an MLID come back one by one to the same; with other values they do not. */
static void
shared_mlids(void **state)
{
	struct mgid_map *k = mgid_map_new(NULL, 0);
	struct mcast *m = groups(k, 1024, true);

	(void)state;
	assert_true(mcast_add_broadcast(m, 0xffff, 4, 3, 0, 2));
	assert_int_equal(join(m, ask(1)), 0xc001);
	for (uint8_t n = 1; n < 6; n++)
		assert_int_equal(join(m, solicited(n, 0)), 0xc002);
	mcast_free(m);
	assert_int_equal(mgid_map_count(k), 7);
	m = groups(k, 1024, true);
	assert_true(mcast_add_broadcast(m, 0xffff, 4, 3, 0, 2));
	for (uint8_t n = 5; n > 0; n--)
		assert_int_equal(join(m, solicited(n, 0)), 0xc002);
	assert_int_equal(join(m, solicited(9, 0)), 0xc002);
	assert_int_equal(mgid_map_count(k), 8);
	mcast_free(m);
	m = groups(k, 1024, false);                     /* no sharing any more: the first has it, and alone */
	assert_true(mcast_add_broadcast(m, 0xffff, 4, 3, 0, 2));
	assert_int_equal(join(m, solicited(2, 0)), 0xc002);
	assert_int_equal(join(m, solicited(3, 0)), 0xc001);
	mcast_free(m);
	mgid_map_free(k);
}

/* However many MGIDs come by, so many rows are kept: those of groups that live, and the youngest of the others. */
static void
limit(void **state)
{
	struct mgid_map *k = mgid_map_new(NULL, 0);
	struct mcast *m = groups(k, 16000, true);

	(void)state;
	assert_true(mcast_add_broadcast(m, 0xffff, 4, 3, 0, 2));
	assert_int_equal(join(m, ask(0xfffff)), 0xc001);
	for (uint32_t n = 0; n < MGID_MAP_MAX + 100; n++) {
		struct mcast_request a = solicited(1, 0);
		struct mcmember_record got;

		a.want.mgid[13] = (uint8_t)(n >> 16);
		a.want.mgid[14] = (uint8_t)(n >> 8);
		a.want.mgid[15] = (uint8_t)n;
		assert_int_equal(join(m, a), 0xc002);
		assert_int_equal(mcast_delete(m, &a, &got), STATUS_OK);
	}
	assert_int_equal(mgid_map_count(k), MGID_MAP_MAX);
	assert_int_equal(known_of(k, 0xfffff), 0xc001);
	mcast_free(m);
	mgid_map_free(k);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows), cmocka_unit_test(groups_come_back), cmocka_unit_test(reserved_mlids),
		cmocka_unit_test(shared_mlids), cmocka_unit_test(limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
