/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_path.c - PathRecord: ends, wildcards, what a path can carry, each bit of the component mask.
 */
#include <config.h>
#include "fabric/snapshot/walk.h"
#include "tests/unit/sa/small.h"
#include "sm/sa/sa_int.h"

enum { GET = 1, TABLE = 0x12, PATH = 0x35 };
/* Mask bit, place and length of each component that is whole bytes. */
#define SERVICE_HIGH b, 0, 0, 4
#define SERVICE_LOW b, 1, 4, 4
#define DLID b, 4, 40, 2
#define SLID b, 5, 42, 2
#define RAW b, 6, 44, 1
#define FLOW b, 8, 44, 3
#define HOP_LIMIT b, 9, 47, 1
#define TCLASS b, 10, 48, 1
#define REVERSIBLE b, 11, 49, 1
#define NUM_PATH b, 12, 49, 1
#define PKEY b, 13, 50, 2
#define QOS_CLASS b, 14, 52, 2
#define SL b, 15, 53, 1
#define PREFERENCE b, 22, 57, 1
enum { MTU = 16, RATE = 18, LIFE = 20 };        /* the bit of the selector; that of the value follows */
enum { GREATER, LESS, EXACTLY, BEST };

static void
gid(struct small *b, unsigned bit, unsigned at, uint64_t prefix, uint64_t guid)
{
	small_where(b, bit, at, 8, prefix);
	small_where(b, bit, at + 8, 8, guid);
}

static void
dgid(struct small *b, uint64_t guid)
{
	gid(b, 2, 8, GID_PREFIX_DEFAULT, guid);
}

static void
sgid(struct small *b, uint64_t guid)
{
	gid(b, 3, 24, GID_PREFIX_DEFAULT, guid);
}

static void
select_value(struct small *b, unsigned bit, unsigned selector, unsigned value)
{
	unsigned at = 54 + (bit - MTU) / 2;

	small_where(b, bit, at, 1, selector << 6 | value);
	small_where(b, bit + 1, at, 1, selector << 6 | value);
}

/* Begins a question of 'method' for the paths from host one to LID 8, by LIDs. */
static void
ask(struct small *b, uint8_t method)
{
	small_ask(b, LID_ONE, method, PATH);
	small_where(SLID, LID_ONE);
	small_where(DLID, LID_TWO);
}

/* The kernel's question: GIDs, one path, reversible, the default partition; and every byte of the answer's record. */
static void
test_literal(void **state)
{
	static const uint8_t record[200] = {
		0, 0, 0, 0, 0, 0, 0, 0,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x02,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x01,
		0x00, 0x08, 0x00, 0x03, 0, 0, 0, 0, 0,
		0x80, 0xff, 0xff, 0x00, 0x00,
		0x84, 0x91, 0x92,       /* MTU 2048, 200 Gb/s, 4.096 us * 2^18 */
	};
	struct small *b = *state;

	small_ask(b, LID_ONE, GET, PATH);
	dgid(b, 0x202);
	sgid(b, 0x101);
	small_where(REVERSIBLE, 0x81);
	small_where(NUM_PATH, 0x81);
	small_where(PKEY, 0xffff);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->out[3], 0x81);
	assert_int_equal(b->out[45], 8);
	assert_memory_equal(b->out + 56, record, 200);
}

static void
test_ends(void **state)
{
	struct small *b = *state;

	ask(b, GET);
	assert_int_equal(small_send(b), 0);
	dgid(b, 0x202);
	assert_int_equal(small_send(b), 0);
	sgid(b, 0x101);
	assert_int_equal(small_send(b), 0);
	dgid(b, 0x301);                                 /* GID and LID of different ports */
	assert_int_equal(small_send(b), 0x0200);
	ask(b, GET);
	dgid(b, 0x201);                                 /* a port without a cable */
	assert_int_equal(small_send(b), 0x0500);
	ask(b, TABLE);
	dgid(b, 0x12345);
	assert_int_equal(small_rows(b), 0);             /* a table needs no status to say so */
	ask(b, GET);
	gid(b, 3, 24, UINT64_C(0xfe80000000000001), 0x101);     /* another subnet's prefix */
	assert_int_equal(small_send(b), 0x0500);
	small_ask(b, LID_ONE, GET, PATH);
	small_where(SLID, LID_ONE);
	small_where(DLID, 7);
	assert_int_equal(small_send(b), 0x0300);
	small_ask(b, LID_ONE, TABLE, PATH);
	small_where(SLID, 0xc000);
	small_where(DLID, LID_ONE);
	assert_int_equal(small_rows(b), 0);
	small_ask(b, LID_ONE, TABLE, PATH);
	small_where(DLID, LID_ONE);
	dgid(b, 0x202);
	assert_int_equal(small_send(b), 0x0200);        /* but a contradiction is none */
	assert_int_equal(b->out[3], 0x92);
	small_ask(b, LID_ONE, GET, PATH);
	small_where(SLID, LID_ONE);
	assert_int_equal(small_send(b), 0x0400);        /* to everybody */
	small_ask(b, LID_ONE, GET, PATH);
	assert_int_equal(small_send(b), 0x0400);
}

/* A subnet of another prefix: both its own and the link-local one name its ports. */
static void
test_prefix(void **state)
{
	struct small *b = *state;

	b->v.gid_prefix = UINT64_C(0xfec0000000001234);
	small_index(b);
	ask(b, GET);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 8, 8), UINT64_C(0xfec0000000001234));
	dgid(b, 0x202);                                 /* the template is what comes back */
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 8, 8), GID_PREFIX_DEFAULT);
	assert_int_equal(small_got(b, 24, 8), UINT64_C(0xfec0000000001234));
	gid(b, 2, 8, UINT64_C(0xfec0000000001234), 0x202);
	assert_int_equal(small_send(b), 0);
}

/* Every combination of named and unnamed ends: each row is a walk that arrives, and none is missing. */
static void
check_wildcard(struct small *b, uint16_t slid, uint16_t dlid)
{
	unsigned rows, at = 0;

	small_ask(b, LID_ONE, TABLE, PATH);
	if (slid)
		small_where(SLID, slid);
	if (dlid)
		small_where(DLID, dlid);
	rows = small_rows(b);
	for (uint32_t i = 0; i < b->s->nendports; i++)
		for (uint32_t k = 0; k < b->s->nendports; k++)
			for (unsigned s = 1; s < 12; s++)
				for (unsigned d = 1; d < 12; d++) {
					uint32_t src = b->s->endports[i], dst = b->s->endports[k];
					struct walk w;
					bool found = false;

					if (b->lids.owner[s] != src || b->lids.owner[d] != dst ||
					    (slid && s != slid) || (dlid && d != dlid))
						continue;
					walk_lid(b->s, &b->lids, &b->fwd, src, (uint16_t)d, &w);
					for (unsigned r = 0; r < rows; r++)
						if (small_at(b, r, 40, 2) == d && small_at(b, r, 42, 2) == s) {
							assert_int_equal(small_at(b, r, 16, 8), b->s->ports[dst].guid);
							assert_int_equal(small_at(b, r, 32, 8), b->s->ports[src].guid);
							assert_false(found);
							found = true;
						}
					assert_int_equal(found, w.end == WALK_ARRIVED);
					at += found;
				}
	assert_int_equal(at, rows);
}

static void
test_wildcards(void **state)
{
	struct small *b = *state;

	for (unsigned hole = 0; hole < 2; hole++) {
		for (uint16_t s = 0; s < 12; s++)
			for (uint16_t d = 0; d < 12; d++)
				if (s != 6 && s != 7 && d != 6 && d != 7)
					check_wildcard(b, s, d);
		fwd_row(&b->fwd, 1)[LID_THREE_2] = FAB_LFT_DROP;        /* holes: no row, no reversible path */
		fwd_row(&b->fwd, 0)[LID_ONE] = 3;                       /* goes round for ever */
		fwd_row(&b->fwd, 1)[9] = 4;
		fwd_row(&b->fwd, 0)[10] = 99;                           /* a port that is not there */
		fwd_row(&b->fwd, 0)[11] = 2;                            /* arrives at the wrong host */
		fwd_row(&b->fwd, 0)[LID_BETA] = 0;
	}
}

static void
test_loopback(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, GET, PATH);
	small_where(SLID, LID_TWO + 1);
	small_where(DLID, LID_TWO + 1);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 54, 3), 0x859180);        /* its own MTU and rate, no life */
	assert_int_equal(small_got(b, 49, 1), 0x80);
	small_ask(b, LID_ONE, GET, PATH);
	small_where(SLID, LID_ALPHA);
	small_where(DLID, LID_ALPHA);
	assert_int_equal(small_send(b), 0);
}

/* The least of all links, there and back; life the same of all. */
static void
test_way(void **state)
{
	static const struct { uint16_t slid, dlid; uint32_t carries; } ways[] = {
		{ LID_ONE, LID_THREE_1, 0x859192 },             /* one switch */
		{ LID_ONE, LID_TWO, 0x849192 },                 /* MTU of the third cable */
		{ LID_ONE, LID_TWO + 1, 0x849092 },             /* there by the fourth, back by the third */
		{ LID_THREE_1, LID_TWO + 1, 0x859092 },         /* both by the fourth */
		{ LID_THREE_1, LID_TWO + 3, 0x859092 },
		{ LID_THREE_1, LID_TWO + 2, 0x849092 },
		{ LID_THREE_2, LID_TWO + 1, 0x859192 },
		{ LID_ALPHA, LID_ONE, 0x858692 },             /* port 0 takes 20 Gb/s */
		{ LID_ONE, LID_BETA, 0x838692 },              /* and that of beta MTU 1024 */
		{ LID_THREE_1, LID_THREE_2, 0x849092 },
	};
	struct small *b = *state;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		small_ask(b, LID_ONE, GET, PATH);
		small_where(SLID, ways[i].slid);
		small_where(DLID, ways[i].dlid);
		assert_int_equal(small_send(b), 0);
		assert_int_equal(small_got(b, 54, 3), ways[i].carries);
		assert_int_equal(small_got(b, 49, 1), 0x80);
	}
	fwd_row(&b->fwd, 1)[LID_ONE] = FAB_LFT_DROP;    /* no way back */
	ask(b, GET);
	small_where(DLID, LID_TWO + 1);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 54, 3), 0x859092);
	assert_int_equal(small_got(b, 49, 1), 0);
	small_where(REVERSIBLE, 0x80);
	assert_int_equal(small_send(b), 0x0300);
	b->req.mad[56 + 49] = 0;                        /* reversible or not: all the same */
	assert_int_equal(small_send(b), 0);
}

/* Life is that of the view, by one switch or two; to itself a port sends in no time. */
static void
test_life(void **state)
{
	struct small *b = *state;
	static const uint8_t lives[] = { 0, 1, 18, 31 };

	for (size_t i = 0; i < sizeof(lives) / sizeof(lives[0]); i++) {
		b->v.path_life = lives[i];
		small_index(b);
		ask(b, GET);
		assert_int_equal(small_send(b), 0);
		assert_int_equal(small_got(b, 56, 1), 0x80 | lives[i]);
		small_where(DLID, LID_THREE_1);
		assert_int_equal(small_send(b), 0);
		assert_int_equal(small_got(b, 56, 1), 0x80 | lives[i]);
		small_where(DLID, LID_ONE);
		assert_int_equal(small_send(b), 0);
		assert_int_equal(small_got(b, 56, 1), 0x80);
	}
}

/* The way to LID 8 has MTU 4 of 5, rate 17 and life 18. */
static void
test_selectors(void **state)
{
	static const struct { unsigned bit, selector, value, status, got; } cases[] = {
		{ MTU, GREATER, 3, 0, 4 }, { MTU, GREATER, 4, 0x0300, 0 }, { MTU, GREATER, 5, 0x0300, 0 },
		{ MTU, LESS, 5, 0, 4 }, { MTU, LESS, 4, 0, 3 }, { MTU, LESS, 2, 0, 1 }, { MTU, LESS, 1, 0x0300, 0 },
		{ MTU, EXACTLY, 4, 0, 4 }, { MTU, EXACTLY, 1, 0, 1 }, { MTU, EXACTLY, 5, 0x0300, 0 },
		{ MTU, BEST, 1, 0, 4 }, { MTU, BEST, 63, 0, 4 }, { MTU, EXACTLY, 0, 0x0200, 0 },
		{ MTU, LESS, 6, 0x0200, 0 }, { MTU, GREATER, 63, 0x0200, 0 },
		{ RATE, GREATER, 16, 0, 17 }, { RATE, GREATER, 17, 0x0300, 0 }, { RATE, GREATER, 10, 0, 17 },
		{ RATE, LESS, 18, 0, 17 }, { RATE, LESS, 17, 0, 14 }, { RATE, LESS, 2, 0x0300, 0 },
		{ RATE, LESS, 5, 0, 2 }, { RATE, LESS, 12, 0, 7 },      /* not 50 Gb/s, which the ends do not know */
		{ RATE, EXACTLY, 17, 0, 17 }, { RATE, EXACTLY, 10, 0, 10 }, { RATE, EXACTLY, 18, 0x0300, 0 },
		{ RATE, EXACTLY, 20, 0, 20 }, { RATE, BEST, 2, 0, 17 }, { RATE, EXACTLY, 0, 0x0200, 0 },
		{ RATE, EXACTLY, 1, 0x0200, 0 }, { RATE, LESS, 27, 0x0200, 0 }, { RATE, BEST, 63, 0, 17 },
		{ LIFE, GREATER, 17, 0, 18 }, { LIFE, GREATER, 18, 0x0300, 0 }, { LIFE, LESS, 19, 0, 18 },
		{ LIFE, LESS, 18, 0x0300, 0 }, { LIFE, EXACTLY, 18, 0, 18 }, { LIFE, EXACTLY, 17, 0x0300, 0 },
		{ LIFE, EXACTLY, 19, 0x0300, 0 }, { LIFE, BEST, 1, 0, 18 },
	};
	struct small *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned at = 54 + (cases[i].bit - MTU) / 2;

		ask(b, GET);
		select_value(b, cases[i].bit, cases[i].selector, cases[i].value);
		assert_int_equal(small_send(b), cases[i].status);
		if (!cases[i].status)
			assert_int_equal(small_got(b, at, 1), 0x80 | cases[i].got);
		for (unsigned half = 0; half < 2; half++) {     /* one without the other says nothing */
			ask(b, GET);
			small_where(b, cases[i].bit + half, at, 1, cases[i].selector << 6 | cases[i].value);
			assert_int_equal(small_send(b), 0);
			assert_int_equal(small_got(b, 54, 3), 0x849192);
		}
	}
}

/* Components that a path has but one of, and those that any path can carry. */
static void
test_single_components(void **state)
{
	struct small *b = *state;

	ask(b, GET);
	small_where(RAW, 0x80);
	assert_int_equal(small_send(b), 0x0300);
	ask(b, GET);
	small_where(RAW, 0x7f);                         /* only its first bit is RawTraffic */
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 44, 4), 0);
	small_where(FLOW, 0xfabcde);
	assert_int_equal(small_send(b), 0x0300);        /* that is RawTraffic again */
	ask(b, GET);
	small_where(FLOW, 0xabcde0);
	b->req.mad[56 + 46] = 0xe0;
	b->req.mad[56 + 44] = 0x0b;
	b->req.mad[56 + 45] = 0xcd;
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 44, 4), 0x0bcde000);
	ask(b, GET);
	small_where(HOP_LIMIT, 1);
	assert_int_equal(small_send(b), 0x0300);
	small_where(HOP_LIMIT, 0);
	assert_int_equal(small_send(b), 0);
	ask(b, GET);
	small_where(TCLASS, 0x5a);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 48, 1), 0x5a);
	ask(b, GET);
	small_where(QOS_CLASS, 0xabc0);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 52, 2), 0xabc0);
	ask(b, GET);
	small_where(SL, 0xf0);                          /* the upper half is QoSClass */
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 52, 2), 0);
	for (unsigned sl = 0; sl < 16; sl++) {          /* one lane: any is as good */
		small_where(SL, sl);
		assert_int_equal(small_send(b), 0);
		assert_int_equal(small_got(b, 52, 2), sl);
	}
	small_where(SL, 3);
	b->fwd.vls = 2;                                 /* two: the routing decides */
	assert_int_equal(small_send(b), 0x0300);
	b->v.path_sl = 3;
	small_index(b);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 52, 2), 3);
	ask(b, GET);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 52, 2), 3);
	ask(b, GET);
	small_where(PREFERENCE, 1);
	assert_int_equal(small_send(b), 0x0300);
	ask(b, GET);
	small_where(SERVICE_HIGH, 0x01020304);
	assert_int_equal(small_send(b), 0x0600);
	small_where(SERVICE_LOW, 0x05060708);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 8), UINT64_C(0x0102030405060708));
	ask(b, GET);
	small_where(SERVICE_LOW, 0);
	assert_int_equal(small_send(b), 0x0600);
	ask(b, GET);                                    /* reserved bits ask for nothing */
	memset(b->req.mad + 56 + 58, 0xff, 6);
	small_where(b, 7, 0, 0, 0);
	for (unsigned bit = 23; bit < 64; bit++)
		small_where(b, bit, 0, 0, 0);
	assert_int_equal(small_send(b), 0);
}

static void
test_num_path(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, TABLE, PATH);
	sgid(b, 0x202);
	dgid(b, 0x101);
	assert_int_equal(small_rows(b), 4);
	sgid(b, 0x202);
	small_where(NUM_PATH, 2);
	assert_int_equal(small_rows(b), 2);
	assert_int_equal(small_at(b, 0, 42, 2), LID_TWO);
	assert_int_equal(small_at(b, 1, 42, 2), LID_TWO + 1);
	small_where(NUM_PATH, 0xff);
	assert_int_equal(small_rows(b), 4);
	small_where(NUM_PATH, 0);
	assert_int_equal(small_rows(b), 0);
	small_where(NUM_PATH, 0x80);                    /* that bit is Reversible */
	assert_int_equal(small_rows(b), 0);
	b->req.mad[3] = GET;                            /* one for each pair of ends, whatever is asked */
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 40, 4), LID_ONE << 16 | LID_TWO);
	small_ask(b, LID_ONE, TABLE, PATH);             /* to itself: each LID with each, no LID twice in the first four */
	sgid(b, 0x202);
	dgid(b, 0x202);
	assert_int_equal(small_rows(b), 16);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(small_at(b, i, 40, 4), (LID_TWO + i) << 16 | (LID_TWO + i));
	for (unsigned i = 0; i < 16; i++)
		for (unsigned k = 0; k < i; k++)
			assert_int_not_equal(small_at(b, i, 40, 4), small_at(b, k, 40, 4));
}

static void
test_pkeys(void **state)
{
	struct small *b = *state;

	ask(b, GET);
	small_where(PKEY, 0x7fff);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 50, 2), 0x7fff);
	small_where(PKEY, 0);
	assert_int_equal(small_send(b), 0x0300);
	small_where(PKEY, 0x8000);
	assert_int_equal(small_send(b), 0x0300);
	small_where(PKEY, 0x8002);
	assert_int_equal(small_send(b), 0x0300);
	small_pkeys(b, b->two, 0x7fff, 0x8002);
	assert_int_equal(small_send(b), 0x0300);
	ask(b, GET);
	assert_int_equal(small_send(b), 0);             /* limited with full */
	assert_int_equal(small_got(b, 50, 2), 0xffff);
	small_pkeys(b, b->one, 0x7fff, 0x0002);
	assert_int_equal(small_send(b), 0);             /* not by two limited keys, but by the other partition */
	assert_int_equal(small_got(b, 50, 2), 0x0002);
	small_where(PKEY, 0x7fff);
	assert_int_equal(small_send(b), 0x0300);
	small_where(PKEY, 0x8002);
	assert_int_equal(small_send(b), 0);
	small_pkeys(b, b->two, 0x7fff, 0x0002);
	ask(b, GET);
	assert_int_equal(small_send(b), 0x0300);
	/* A third party must share a partition with both ends. */
	small_pkeys(b, b->one, 0xffff, 0);
	small_pkeys(b, b->two, 0xffff, 0);
	small_ask(b, LID_THREE_1, GET, PATH);
	small_where(SLID, LID_ONE);
	small_where(DLID, LID_TWO);
	assert_int_equal(small_send(b), 0);
	small_pkeys(b, b->three1, 0x8005, 0);
	assert_int_equal(small_send(b), 0x0300);
	small_pkeys(b, b->one, 0xffff, 0x8005);
	assert_int_equal(small_send(b), 0x0300);
	small_pkeys(b, b->two, 0xffff, 0x8005);
	assert_int_equal(small_send(b), 0);
	small_ask(b, LID_THREE_1, TABLE, PATH);         /* one, two's four LIDs and itself */
	small_where(SLID, LID_THREE_1);
	assert_int_equal(small_rows(b), 6);
}

/* No group has been joined, so no path leads to one. */
/* Lanes of every port; 'ca' and 'swe' drop these service levels. */
static struct qos_plan *
make_lanes(struct small *b, unsigned ca, unsigned swe)
{
	static const struct link_conf links = LINK_CONF_DEFAULTS;
	struct qos_plan *plan = arena_alloc(&b->arena, sizeof(*plan));
	struct qos_conf c = { .optimized = false };

	for (unsigned k = 0; k < QOS_KINDS; k++) {
		c.family[k].max_vls = 15;
		c.family[k].sl2vl.vl[k == QOS_SWE ? swe : ca] = 15;
	}
	for (uint32_t p = 0; p < b->s->nports; p++) {
		struct port_info info = port_info_decode(b->s->ports[p].info);

		info.vl_cap = 4;
		port_info_encode(b->s->ports[p].info, &info);
	}
	qos_plan_make(b->s, &links, &c, &b->arena, plan);
	return plan;
}

/* A service level that a port on the way drops has no path; one that is dropped on the way back has none to return by. */
static void
test_dropped_levels(void **state)
{
	struct small *b = *state;

	b->v.vl_plan = make_lanes(b, 3, 5);
	small_index(b);
	for (unsigned sl = 0; sl < 16; sl++) {
		bool dropped = sl == 3 || sl == 5;

		ask(b, GET);
		small_where(SL, sl);
		assert_int_equal(small_send(b), dropped ? 0x0300 : 0);
		ask(b, TABLE);
		small_where(SL, sl);
		assert_int_equal(small_rows(b), !dropped);
		/* from a switch only its ports drop, but a host answers by its own */
		small_ask(b, LID_ONE, GET, PATH);
		small_where(SLID, LID_ALPHA);
		small_where(DLID, LID_ONE);
		small_where(SL, sl);
		assert_int_equal(small_send(b), sl == 5 ? 0x0300 : 0);
		if (sl != 5)
			assert_int_equal(small_got(b, 49, 1) >> 7, sl != 3);
		small_where(REVERSIBLE, 0x80);
		assert_int_equal(small_send(b), dropped ? 0x0300 : 0);
		/* nothing leaves an adapter on the way to itself */
		small_ask(b, LID_ONE, GET, PATH);
		small_where(SLID, LID_ONE);
		small_where(DLID, LID_ONE);
		small_where(SL, sl);
		assert_int_equal(small_send(b), 0);
	}
	b->v.path_sl = 5;                               /* nor has the one that all paths are given */
	small_index(b);
	ask(b, TABLE);
	assert_int_equal(small_rows(b), 0);
}

static void
test_multicast(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, GET, PATH);
	sgid(b, 0x101);
	gid(b, 2, 8, UINT64_C(0xff12401bffff0000), 0xffffffff);
	assert_int_equal(small_send(b), 0x0300);
	b->req.mad[3] = TABLE;
	assert_int_equal(small_rows(b), 0);
}

/* A host that never said what it is, a switch without tables: no path, and no crash. */
static void
test_unknown_ports(void **state)
{
	struct small *b = *state;

	memset(b->s->ports[b->one].info, 0, PORT_INFO_BYTES);
	b->s->ports[b->one].flags &= (uint8_t)~FAB_PORT_INFO;
	small_index(b);
	ask(b, GET);
	assert_int_equal(small_send(b), 0);             /* what the switch's end says counts */
	assert_int_equal(small_got(b, 54, 2), 0x8491);
	memset(b->s->ports[b->alpha + 1].info, 0, PORT_INFO_BYTES);
	small_index(b);
	assert_int_equal(small_send(b), 0);             /* nothing is known: the least there is */
	assert_int_equal(small_got(b, 54, 2), 0x8182);
	b->fwd.nswitches = 1;
	assert_int_equal(small_send(b), 0x0300);
	b->fwd.nswitches = 2;
	b->fwd.top = 7;
	assert_int_equal(small_send(b), 0x0300);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
		T(test_literal), T(test_ends), T(test_prefix), T(test_wildcards), T(test_loopback), T(test_way), T(test_life),
		T(test_selectors), T(test_single_components), T(test_num_path), T(test_pkeys), T(test_dropped_levels), T(test_multicast),
		T(test_unknown_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
