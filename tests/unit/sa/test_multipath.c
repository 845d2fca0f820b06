/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_multipath.c - MultiPathRecord: several ends, few paths, disjoint ones, long requests.
 */
#include <config.h>
#include "tests/unit/sa/small.h"

enum { GET = 1, TABLE = 0x12, MULTI = 0x14, MULTIPATH = 0x3a };
enum { ONE = 0x101, TWO = 0x202, THREE_1 = 0x301, THREE_2 = 0x302, ALPHA = 0x10, BETA = 0x20 };
#define REVERSIBLE b, 5, 5, 1
#define NUM_PATH b, 6, 5, 1
#define PKEY b, 7, 6, 2
#define INDEPENDENCE b, 17, 14, 1
#define SGID_COUNT b, 19, 15, 1
#define DGID_COUNT b, 20, 16, 1

/* Begins a request of LID 'from' for paths from the first 'nsrc' GUIDs to the next 'ndst'; its bytes in b->req. */
static void
ask(struct small *b, uint16_t from, unsigned nsrc, unsigned ndst, const unsigned *guids)
{
	small_ask(b, from, MULTI, MULTIPATH);
	small_where(SGID_COUNT, nsrc);
	small_where(DGID_COUNT, ndst);
	b->req.bytes = 56 + 24 + 16 * (nsrc + ndst);
	if (b->req.bytes > 256) {
		b->req.more = calloc(1, b->req.bytes);
		memcpy(b->req.more, b->req.mad, 256);
	}
	for (unsigned i = 0; i < nsrc + ndst; i++) {
		uint8_t gid[16] = { 0xfe, 0x80, [14] = (uint8_t)(guids[i] >> 8), [15] = (uint8_t)guids[i] };

		if (b->req.more)
			memcpy(b->req.more + 80 + i * 16, gid, 16);
		if (80 + i * 16 < 256)
			memcpy(b->req.mad + 80 + i * 16, gid, 256 - 80 - i * 16 < 16 ? 256 - 80 - i * 16 : 16);
	}
}

#define ASK(from, nsrc, ndst, ...) ask(b, from, nsrc, ndst, (const unsigned[]){ __VA_ARGS__ })

/* Sends it: the number of rows, or minus the status. */
static int
rows(struct small *b)
{
	unsigned status;

	small_forget(b);
	small_answer(b);
	assert_true(b->bytes >= 56);
	assert_int_equal(b->out[3], 0x94);
	assert_memory_equal(b->out + 8, b->req.mad + 8, 8);
	assert_memory_equal(b->out + 48, b->req.mad + 48, 8);
	status = (unsigned)(b->out[4] << 8 | b->out[5]);
	if (status) {
		assert_int_equal(b->bytes, 256);
		assert_int_equal(b->out[17], MULTIPATH);
		assert_int_equal(b->out[26] | b->out[44] | b->out[45], 0);
		return -(int)status;
	}
	assert_int_equal(b->out[17], 0x35);             /* rows are PathRecords */
	assert_int_equal(b->out[26] & 0xfb, 0xfb);          /* active, first, perhaps last */
	assert_int_equal(b->out[45], b->bytes > 56 ? 8 : 0);
	return (int)(b->bytes - 56) / 64;
}

/* SLID and DLID of a row. */
static unsigned
lids(const struct small *b, unsigned row)
{
	const uint8_t *r = b->out + 56 + row * 64;

	return (unsigned)(r[42] << 8 | r[43]) << 8 | (unsigned)(r[40] << 8 | r[41]);
}

static void
test_literal(void **state)
{
	static const uint8_t request[112] = {
		1, 3, 2, 0x14, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0x3a, 0, 0, 0, 0, 0, 0,
		1, 1, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 76, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x18, 0, 0xe4,
		0, 0, 0, 0, 0, 0x81, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2,
	};
	static const uint8_t answer[120] = {
		1, 3, 2, 0x94, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0x35, 0, 0, 0, 0, 0, 0,
		1, 1, 0xff, 0, 0, 0, 0, 1, 0, 0, 0, 84, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x18, 0, 0xe4,
		0, 0, 0, 0, 0, 0, 0, 0,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1,
		0, 8, 0, 3, 0, 0, 0, 0, 0, 0x80, 0xff, 0xff, 0, 0, 0x84, 0x91, 0x92, 0, 0, 0, 0, 0, 0, 0,
	};
	struct small *b = *state;

	small_ask(b, LID_ONE, MULTI, MULTIPATH);
	memcpy(b->req.mad, request, sizeof(request));
	b->req.bytes = sizeof(request);
	assert_int_equal(rows(b), 1);
	assert_int_equal(b->bytes, sizeof(answer));
	assert_memory_equal(b->out, answer, sizeof(answer));
}

/* In rounds: each source and destination before any comes twice, each pair of LIDs before the next. */
static void
test_order(void **state)
{
	static const unsigned all[8] = {
		0x308, 0x408, 0x309, 0x409, 0x30a, 0x40a, 0x30b, 0x40b,
	};
	struct small *b = *state;

	ASK(LID_ONE, 2, 1, ONE, THREE_1, TWO);
	assert_int_equal(rows(b), 8);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(lids(b, i), all[i]);
	small_where(NUM_PATH, 3);
	assert_int_equal(rows(b), 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(lids(b, i), all[i]);
	small_where(NUM_PATH, 0x80);
	assert_int_equal(rows(b), 0);                   /* that bit is Reversible */
	ASK(LID_ONE, 2, 2, THREE_1, THREE_2, ONE, TWO); /* two ports of a host, a path for either */
	small_where(NUM_PATH, 2);
	assert_int_equal(rows(b), 2);
	assert_int_equal(lids(b, 0), 0x403);
	assert_int_equal(lids(b, 1), 0x508);
	ASK(LID_ONE, 1, 3, ONE, THREE_2, TWO, THREE_1);
	small_where(NUM_PATH, 4);
	assert_int_equal(rows(b), 4);
	assert_int_equal(lids(b, 0), 0x305);
	assert_int_equal(lids(b, 1), 0x308);
	assert_int_equal(lids(b, 2), 0x304);
	assert_int_equal(lids(b, 3), 0x309);
	ASK(LID_ONE, 3, 2, ONE, ONE, ONE, TWO, TWO);    /* who is named twice is one */
	assert_int_equal(rows(b), 4);
}

/* No cable between switches twice, there or back; but one of a host's own has to do. */
static void
test_disjoint(void **state)
{
	struct small *b = *state;

	ASK(LID_ONE, 2, 1, ONE, THREE_1, TWO);
	small_where(INDEPENDENCE, 1);
	assert_int_equal(rows(b), 2);
	assert_int_equal(lids(b, 0), 0x308);            /* there and back by the third cable */
	assert_int_equal(lids(b, 1), 0x409);            /* there and back by the fourth */
	ASK(LID_ONE, 1, 1, ONE, TWO);                   /* the way back of all is the same */
	small_where(INDEPENDENCE, 1);
	assert_int_equal(rows(b), 1);
	fwd_row(&b->fwd, 1)[LID_ONE] = FAB_LFT_DROP;    /* no way back: then by LIDs 8 and 9 */
	assert_int_equal(rows(b), 2);
	assert_int_equal(lids(b, 1), 0x309);
	small_where(INDEPENDENCE, 0);
	assert_int_equal(rows(b), 4);
	ASK(LID_ONE, 1, 2, ONE, THREE_1, ALPHA);        /* all on one switch, two cables */
	small_where(INDEPENDENCE, 1);
	assert_int_equal(rows(b), 1);                   /* the way to alpha is part of that to the host */
	ASK(LID_ONE, 1, 2, ONE, THREE_1, THREE_1);
	small_where(INDEPENDENCE, 1);
	assert_int_equal(rows(b), 1);
	small_where(INDEPENDENCE, 2);
	assert_int_equal(rows(b), -0x0200);
	b->req.mad[53] &= 0xfd;                         /* not in the mask: says nothing */
	assert_int_equal(rows(b), 1);
}

/* Each component that PathRecord has too, at its own place and bit. */
static void
test_components(void **state)
{
	static const struct { unsigned bit, at, bytes; uint32_t value; int rows; unsigned row_at; uint32_t shown; } parts[] = {
		{ 0, 0, 1, 0x80, 0, 0, 0 }, { 0, 0, 1, 0, 4, 44, 0 }, { 2, 0, 4, 0x0abcde00, 4, 44, 0x0abcde00 },
		{ 3, 3, 1, 1, 0, 0, 0 }, { 3, 3, 1, 0, 4, 44, 0 }, { 4, 4, 1, 0x5a, 4, 48, 0x5a80ffff },
		{ 5, 5, 1, 0x80, 4, 48, 0x0080ffff }, { 7, 6, 2, 0xffff, 4, 48, 0x0080ffff }, { 7, 6, 2, 0x8123, 0, 0, 0 },
		{ 8, 8, 2, 0xabc0, 4, 52, 0xabc08491 }, { 9, 9, 1, 5, 4, 52, 0x00058491 },
	};
	static const struct { unsigned bit, at; uint32_t value; int rows; uint32_t shown; } selected[] = {
		{ 10, 10, 0x83, 4, 0x00008391 }, { 10, 10, 0x85, 0, 0 }, { 10, 10, 0x80, -0x0200, 0 },
		{ 12, 11, 0x83, 4, 0x00008483 }, { 12, 11, 0x92, 0, 0 }, { 12, 11, 0x81, -0x0200, 0 },
		{ 14, 12, 0x12, 0, 0 }, { 14, 12, 0x52, 0, 0 }, { 14, 12, 0x92, 4, 0x00008491 },
	};
	struct small *b = *state;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		ASK(LID_ONE, 1, 1, ONE, TWO);
		small_where(b, parts[i].bit, parts[i].at, parts[i].bytes, parts[i].value);
		assert_int_equal(rows(b), parts[i].rows);
		if (parts[i].rows)
			assert_int_equal(small_at(b, 0, parts[i].row_at, 4), parts[i].shown);
	}
	for (size_t i = 0; i < sizeof(selected) / sizeof(selected[0]); i++) {
		ASK(LID_ONE, 1, 1, ONE, TWO);
		small_where(b, selected[i].bit, selected[i].at, 1, selected[i].value);
		assert_int_equal(rows(b), 4);           /* half of it says nothing */
		small_where(b, selected[i].bit + 1, selected[i].at, 1, selected[i].value);
		assert_int_equal(rows(b), selected[i].rows);
		if (selected[i].rows > 0)
			assert_int_equal(small_at(b, 0, 52, 4), selected[i].shown);
	}
	ASK(LID_ONE, 1, 1, ONE, TWO);
	small_where(b, 16, 13, 1, 1);
	assert_int_equal(rows(b), -0x0600);
	small_where(b, 21, 17, 7, UINT64_C(0x02030405060708));
	assert_int_equal(rows(b), 4);
	assert_int_equal(small_at(b, 0, 0, 8), UINT64_C(0x0102030405060708));
}

static void
test_refused(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, MULTI, MULTIPATH);
	assert_int_equal(rows(b), -0x0600);             /* no counts */
	small_where(SGID_COUNT, 1);
	assert_int_equal(rows(b), -0x0600);
	small_where(DGID_COUNT, 0);
	assert_int_equal(rows(b), -0x0200);
	ASK(LID_ONE, 1, 1, ONE, 0x999);
	assert_int_equal(rows(b), -0x0500);
	ASK(LID_ONE, 1, 1, 0x999, ONE);
	assert_int_equal(rows(b), -0x0500);
	ASK(LID_ONE, 1, 1, ONE, TWO);
	b->req.bytes--;                                 /* the last GID is cut off */
	assert_int_equal(rows(b), -0x0200);
	b->req.bytes = 256;
	small_where(SGID_COUNT, 11);                    /* more than a datagram holds */
	assert_int_equal(rows(b), -0x0200);
	ASK(LID_ONE, 1, 1, ONE, TWO);
	b->req.mad[3] = GET;
	assert_int_equal(small_send(b), 0x000c);
	b->req.mad[3] = TABLE;
	assert_int_equal(small_send(b), 0x000c);
	small_ask(b, LID_ONE, MULTI, 0x35);             /* nor is PathRecord asked so */
	assert_int_equal(small_send(b), 0x000c);
	ASK(999, 1, 1, ONE, TWO);
	assert_int_equal(rows(b), -0x0700);
}

/* Requests of several segments come as one; all ends with all others. */
static void
test_long(void **state)
{
	struct small *b = *state;

	ASK(LID_ONE, 6, 6, ONE, TWO, THREE_1, THREE_2, ALPHA, BETA, BETA, ALPHA, THREE_2, THREE_1, TWO, ONE);
	assert_int_equal(b->req.bytes, 272);
	assert_int_equal(rows(b), 81);                  /* 9 LIDs with each other */
	small_where(NUM_PATH, 127);
	assert_int_equal(rows(b), 81);
	b->req.more[271] = 0x99;
	assert_int_equal(rows(b), -0x0500);             /* the very last byte counts */
}

static void
test_partitions(void **state)
{
	struct small *b = *state;

	small_pkeys(b, b->two, 0x8005, 0);
	small_pkeys(b, b->three2, 0x8005, 0xffff);
	ASK(LID_ONE, 1, 2, THREE_2, TWO, ONE);          /* two is not for us to know of */
	assert_int_equal(rows(b), 1);
	assert_int_equal(lids(b, 0), 0x503);
	ASK(LID_THREE_2, 1, 2, THREE_2, TWO, ONE);
	assert_int_equal(rows(b), 5);
	small_where(PKEY, 0x8005);
	assert_int_equal(rows(b), 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
		T(test_literal), T(test_order), T(test_disjoint), T(test_components), T(test_refused), T(test_long),
		T(test_partitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
