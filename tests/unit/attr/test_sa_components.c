/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_sa_components.c - which bytes of a record each component mask bit stands for.
 *
 * The places are written in bytes, from the layouts; the masks by the list of each record.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/attr/sa_components.h"

struct place {
	uint16_t attr_id;
	uint8_t bit;
	uint16_t at;                    /* first byte */
	const char *mask;               /* bits of it and of the next ones */
	unsigned nmask;
};

#define P(id, bit, at, mask) { id, bit, at, mask, sizeof(mask) - 1 }
#define B2 "\xff\xff"
#define B3 "\xff\xff\xff"
#define B4 B2 B2
#define B8 B4 B4
#define B16 B8 B8
#define B64 B16 B16 B16 B16

static const struct place places[] = {
	/* NodeRecord */
	P(0x11, 0, 0, B2), P(0x11, 2, 4, "\xff"), P(0x11, 3, 5, "\xff"), P(0x11, 4, 6, "\xff"), P(0x11, 5, 7, "\xff"),
	P(0x11, 6, 8, B8), P(0x11, 7, 16, B8), P(0x11, 8, 24, B8), P(0x11, 9, 32, B2), P(0x11, 10, 34, B2),
	P(0x11, 11, 36, B4), P(0x11, 12, 40, "\xff"), P(0x11, 13, 41, B3), P(0x11, 14, 44, B64),
	/* PortInfoRecord: PortInfo begins at byte 4 */
	P(0x12, 0, 0, B2), P(0x12, 1, 2, "\xff"), P(0x12, 2, 3, "\xff"), P(0x12, 3, 4, B8), P(0x12, 4, 12, B8),
	P(0x12, 5, 20, B2), P(0x12, 6, 22, B2), P(0x12, 7, 24, B4), P(0x12, 8, 28, B2), P(0x12, 9, 30, B2),
	P(0x12, 10, 32, "\xff"), P(0x12, 11, 33, "\xff"), P(0x12, 12, 34, "\xff"), P(0x12, 13, 35, "\xff"),
	P(0x12, 14, 36, "\xf0"), P(0x12, 15, 36, "\x0f"), P(0x12, 16, 37, "\xf0"), P(0x12, 17, 37, "\x0f"),
	P(0x12, 18, 38, "\xc0"), P(0x12, 20, 38, "\x07"), P(0x12, 21, 39, "\xf0"), P(0x12, 22, 39, "\x0f"),
	P(0x12, 23, 40, "\xf0"), P(0x12, 24, 40, "\x0f"), P(0x12, 25, 41, "\xf0"), P(0x12, 26, 41, "\x0f"),
	P(0x12, 27, 42, "\xff"), P(0x12, 28, 43, "\xff"), P(0x12, 29, 44, "\xff"), P(0x12, 30, 45, "\xf0"),
	P(0x12, 31, 45, "\x0f"), P(0x12, 32, 46, "\xe0"), P(0x12, 33, 46, "\x1f"), P(0x12, 34, 47, "\xf0"),
	P(0x12, 35, 47, "\x08"), P(0x12, 36, 47, "\x04"), P(0x12, 37, 47, "\x02"), P(0x12, 38, 47, "\x01"),
	P(0x12, 39, 48, B2), P(0x12, 40, 50, B2), P(0x12, 41, 52, B2), P(0x12, 42, 54, "\xff"),
	P(0x12, 43, 55, "\x80"), P(0x12, 44, 55, "\x60"), P(0x12, 45, 55, "\x1f"), P(0x12, 47, 56, "\x1f"),
	P(0x12, 48, 57, "\xf0"), P(0x12, 49, 57, "\x0f"), P(0x12, 50, 58, B2), P(0x12, 52, 61, B3),
	P(0x12, 53, 64, B2), P(0x12, 54, 66, "\xf0"), P(0x12, 55, 66, "\x0f"), P(0x12, 57, 67, "\x1f"),
	/* SLtoVL, SwitchInfo, LFT, RFT, MFT, SMInfo, Link */
	P(0x13, 0, 0, B2), P(0x13, 1, 2, "\xff"), P(0x13, 2, 3, "\xff"),
	P(0x14, 0, 0, B2), P(0x14, 2, 4, B2), P(0x14, 3, 6, B2), P(0x14, 4, 8, B2), P(0x14, 5, 10, B2),
	P(0x14, 6, 12, "\xff"), P(0x14, 7, 13, "\xff"), P(0x14, 8, 14, "\xff"), P(0x14, 9, 15, "\xf8"),
	P(0x14, 10, 15, "\x04"), P(0x14, 11, 15, "\x03"), P(0x14, 12, 16, B2), P(0x14, 13, 18, B2),
	P(0x14, 14, 20, "\x80"), P(0x14, 15, 20, "\x40"), P(0x14, 16, 20, "\x20"), P(0x14, 17, 20, "\x10"),
	P(0x14, 18, 20, "\x08"), P(0x14, 21, 22, B2),
	P(0x15, 0, 0, B2), P(0x15, 1, 2, B2), P(0x16, 0, 0, B2), P(0x16, 1, 2, B2),
	P(0x17, 0, 0, B2), P(0x17, 1, 2, "\xf0"), P(0x17, 3, 2, "\x01\xff"),
	P(0x18, 0, 0, B2), P(0x18, 2, 4, B8), P(0x18, 3, 12, B8), P(0x18, 4, 20, B4), P(0x18, 5, 24, "\xf0"),
	P(0x18, 6, 24, "\x0f"),
	P(0x20, 0, 0, B2), P(0x20, 1, 2, "\xff"), P(0x20, 2, 3, "\xff"), P(0x20, 3, 4, B2),
	/* GUIDInfo, P_Key, VLArb */
	P(0x30, 0, 0, B2), P(0x30, 1, 2, "\xff"), P(0x30, 4, 8, B8), P(0x30, 5, 16, B8), P(0x30, 11, 64, B8),
	P(0x33, 0, 0, B2), P(0x33, 1, 2, B2), P(0x33, 2, 4, "\xff"),
	P(0x36, 0, 0, B2), P(0x36, 1, 2, "\xff"), P(0x36, 2, 3, "\xff"),
	/* ServiceRecord */
	P(0x31, 0, 0, B8), P(0x31, 1, 8, B16), P(0x31, 2, 24, B2), P(0x31, 4, 28, B4), P(0x31, 5, 32, B16),
	P(0x31, 6, 48, B64), P(0x31, 7, 112, "\xff"), P(0x31, 22, 127, "\xff"), P(0x31, 23, 128, B2),
	P(0x31, 30, 142, B2), P(0x31, 31, 144, B4), P(0x31, 34, 156, B4), P(0x31, 35, 160, B8), P(0x31, 36, 168, B8),
	/* PathRecord */
	P(0x35, 0, 0, B4), P(0x35, 1, 4, B4), P(0x35, 2, 8, B16), P(0x35, 3, 24, B16), P(0x35, 4, 40, B2),
	P(0x35, 5, 42, B2), P(0x35, 6, 44, "\x80"), P(0x35, 8, 44, "\x0f\xff\xff"), P(0x35, 9, 47, "\xff"),
	P(0x35, 10, 48, "\xff"), P(0x35, 11, 49, "\x80"), P(0x35, 12, 49, "\x7f"), P(0x35, 13, 50, B2),
	P(0x35, 14, 52, "\xff\xf0"), P(0x35, 15, 53, "\x0f"), P(0x35, 16, 54, "\xc0"), P(0x35, 17, 54, "\x3f"),
	P(0x35, 18, 55, "\xc0"), P(0x35, 19, 55, "\x3f"), P(0x35, 20, 56, "\xc0"), P(0x35, 21, 56, "\x3f"),
	P(0x35, 22, 57, "\xff"),
	/* MCMemberRecord */
	P(0x38, 0, 0, B16), P(0x38, 1, 16, B16), P(0x38, 2, 32, B4), P(0x38, 3, 36, B2), P(0x38, 4, 38, "\xc0"),
	P(0x38, 5, 38, "\x3f"), P(0x38, 6, 39, "\xff"), P(0x38, 7, 40, B2), P(0x38, 8, 42, "\xc0"),
	P(0x38, 9, 42, "\x3f"), P(0x38, 10, 43, "\xc0"), P(0x38, 11, 43, "\x3f"), P(0x38, 12, 44, "\xf0"),
	P(0x38, 13, 44, "\x0f\xff\xff"), P(0x38, 14, 47, "\xff"), P(0x38, 15, 48, "\xf0"), P(0x38, 16, 48, "\x0f"),
	P(0x38, 17, 49, "\x80"),
	/* MultiPathRecord */
	P(0x3a, 0, 0, "\x80"), P(0x3a, 2, 0, "\x0f\xff\xff"), P(0x3a, 3, 3, "\xff"), P(0x3a, 4, 4, "\xff"),
	P(0x3a, 5, 5, "\x80"), P(0x3a, 6, 5, "\x7f"), P(0x3a, 7, 6, B2), P(0x3a, 8, 8, "\xff\xf0"),
	P(0x3a, 9, 9, "\x0f"), P(0x3a, 10, 10, "\xc0"), P(0x3a, 11, 10, "\x3f"), P(0x3a, 12, 11, "\xc0"),
	P(0x3a, 13, 11, "\x3f"), P(0x3a, 14, 12, "\xc0"), P(0x3a, 15, 12, "\x3f"), P(0x3a, 16, 13, "\xff"),
	P(0x3a, 17, 14, "\xff"), P(0x3a, 19, 15, "\xff"), P(0x3a, 20, 16, "\xff"), P(0x3a, 21, 17, B4 B3),
	/* ServiceAssociation, InformInfoRecord */
	P(0x3b, 0, 0, B16), P(0x3b, 1, 16, B64),
	P(0xf3, 0, 0, B16), P(0xf3, 1, 16, B2), P(0xf3, 3, 24, B16), P(0xf3, 4, 40, B2), P(0xf3, 5, 42, B2),
	P(0xf3, 7, 46, "\xff"), P(0xf3, 8, 47, "\xff"), P(0xf3, 9, 48, B2), P(0xf3, 10, 50, B2), P(0xf3, 11, 52, B3),
	P(0xf3, 13, 55, "\x1f"), P(0xf3, 15, 57, B3),
};

static bool
is_listed(uint16_t attr_id, unsigned bit)
{
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (places[i].attr_id == attr_id && places[i].bit == bit)
			return true;
	return false;
}

/* A difference in one bit of the record must be seen if, and only if, the bit belongs to the place. */
static void
check_place(const struct place *p)
{
	const struct sa_record_desc *d = sa_record_find(p->attr_id);
	uint8_t templ[256], record[256], place[256] = { 0 };

	assert_non_null(d);
	memset(templ, 0x5a, sizeof(templ));
	memcpy(place + p->at, p->mask, p->nmask);
	for (unsigned bit = 0; bit < d->attr->bytes * 8u; bit++) {
		uint8_t v = (uint8_t)(0x80 >> bit % 8);

		memcpy(record, templ, sizeof(record));
		record[bit / 8] ^= v;
		if (sa_components_match(d, UINT64_C(1) << p->bit, templ, record) != !(place[bit / 8] & v))
			fail_msg("%s, mask bit %u is wrong about image bit %u", d->attr->name, p->bit, bit);
	}
}

static void
every_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		check_place(&places[i]);
}

/* All components stand above, but for the middles of ServiceRecord's and GUIDInfoRecord's arrays. */
static void
nothing_else(void **state)
{
	(void)state;
	for (const struct sa_record_desc *d = sa_records; d->attr; d++)
		for (unsigned bit = 0; bit < 64; bit++) {
			bool middle = (d->attr->id == 0x31 && bit > 6 && bit < 36) ||
				      (d->attr->id == 0x30 && bit > 4 && bit < 11);

			if (!middle)
				assert_int_equal(sa_component_find(d, bit) != NULL, is_listed(d->attr->id, bit));
		}
}

static void
sorted_and_aligned(void **state)
{
	(void)state;
	for (const struct sa_record_desc *d = sa_records; d->attr; d++) {
		assert_int_equal(d->stride_bytes, (d->attr->bytes + 7) / 8 * 8);
		assert_ptr_equal(sa_record_find(d->attr->id), d);
		for (unsigned i = 1; i < d->ncomponents; i++) {
			const struct sa_component *a = &d->components[i - 1], *b = &d->components[i];

			assert_true(a->bit < b->bit);
			assert_true(a->first_bit + a->width <= b->first_bit || d->attr->id == 0x3a);
		}
	}
	assert_null(sa_record_find(0x7777));
}

static void
several_components(void **state)
{
	const struct sa_record_desc *d = sa_record_find(0x20);
	static const uint8_t templ[6] = { 0, 12, 33, 0, 0, 3 }, link[6] = { 0, 12, 33, 9, 0, 3 };
	static const uint8_t other[6] = { 0, 12, 34, 9, 0, 3 };

	(void)state;
	assert_true(sa_components_match(d, 0, templ, other));           /* asked for nothing: all */
	assert_true(sa_components_match(d, 0x0b, templ, link));         /* from LID and port, to LID */
	assert_false(sa_components_match(d, 0x0b, templ, other));
	assert_false(sa_components_match(d, 0x0f, templ, link));        /* and to port 0 */
	assert_true(sa_components_match(d, 0xfffffffffffffff0, templ, other));  /* bits of nothing */
	assert_true(sa_components_known(d) == 0x0f);
}

/* The constants of the .def rows, by the numbers of the specification's lists. */
static void
constants_of_rows(void **state)
{
	(void)state;
	assert_true(SA_COMP(path_record, service_id) == 3);
	assert_true(SA_COMP(path_record, dgid) == UINT64_C(1) << 2);
	assert_true(SA_COMP(path_record, preference) == UINT64_C(1) << 22);
	assert_true(SA_COMP(service_record, data8) == UINT64_C(0xffff) << 7);
	assert_true(SA_COMP(service_record, data64) == UINT64_C(3) << 35);
	assert_true(SA_COMP(node_record, lid) == 1);
	assert_true(SA_COMP_IN(node_record, info, node_info, port_guid) == UINT64_C(1) << 8);
	assert_true(SA_COMP_IN(node_record, desc, node_desc, text) == UINT64_C(1) << 14);
	assert_true(SA_COMP_IN(port_info_record, info, port_info, capability_mask) == UINT64_C(1) << 7);
	assert_true(SA_COMP_IN(port_info_record, info, port_info, speed_ext_enabled) == UINT64_C(1) << 57);
	assert_true(SA_COMP_IN(switch_info_record, info, switch_info, mft_top) == UINT64_C(1) << 21);
	assert_true(SA_COMP_IN(guid_info_record, table, guid_info, guid) == UINT64_C(0xff) << 4);
	assert_true(SA_COMP_IN(inform_info_record, info, inform_info, producer_type) == UINT64_C(1) << 15);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_place),
		cmocka_unit_test(nothing_else),
		cmocka_unit_test(sorted_and_aligned),
		cmocka_unit_test(several_components),
		cmocka_unit_test(constants_of_rows),
	};

	return cmocka_run_group_tests_name("sa_components", tests, NULL, NULL);
}
