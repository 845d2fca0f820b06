/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_table_records.c - plain records: which rows there are, what is in them, every bit of their component masks.
 */
#include <config.h>
#include "tests/unit/sa/small.h"
#include "fabric/snapshot/qos_walk.h"

enum { GET = 1, TABLE = 0x12 };
enum { NODE = 0x11, PORT = 0x12, SWITCH = 0x14, LFT = 0x15, MFT = 0x17, SMINFO = 0x18, LINK = 0x20, GUIDS = 0x30, PKEYS = 0x33, SLVL = 0x13,
	VLARB = 0x36 };

/* A component: mask bit, first bit in the record, width.  Width 0: a reserved component, which asks for nothing. */
struct part {
	unsigned bit, first, width;
};

static const struct part node_parts[] = {
	{ 1, 16, 0 }, { 2, 32, 8 }, { 3, 40, 8 }, { 4, 48, 8 }, { 5, 56, 8 }, { 6, 64, 64 }, { 7, 128, 64 },
	{ 8, 192, 64 }, { 9, 256, 16 }, { 10, 272, 16 }, { 11, 288, 32 }, { 12, 320, 8 }, { 13, 328, 24 },
	{ 14, 352, 512 }, { 15, 0, 0 }, { 63, 0, 0 },
};

/* PortInfo begins at byte 4. */
static const struct part port_parts[] = {
	{ 1, 16, 8 }, { 3, 32, 64 }, { 4, 96, 64 }, { 5, 160, 16 }, { 6, 176, 16 }, { 7, 192, 32 },
	{ 8, 224, 16 }, { 9, 240, 16 }, { 10, 256, 8 }, { 11, 264, 8 }, { 12, 272, 8 }, { 13, 280, 8 },
	{ 14, 288, 4 }, { 15, 292, 4 }, { 16, 296, 4 }, { 17, 300, 4 }, { 18, 304, 2 }, { 19, 306, 0 },
	{ 20, 309, 3 }, { 21, 312, 4 }, { 22, 316, 4 }, { 23, 320, 4 }, { 24, 324, 4 }, { 25, 328, 4 },
	{ 26, 332, 4 }, { 27, 336, 8 }, { 28, 344, 8 }, { 29, 352, 8 }, { 30, 360, 4 }, { 31, 364, 4 },
	{ 32, 368, 3 }, { 33, 371, 5 }, { 34, 376, 4 }, { 35, 380, 1 }, { 36, 381, 1 }, { 37, 382, 1 },
	{ 38, 383, 1 }, { 39, 384, 16 }, { 40, 400, 16 }, { 41, 416, 16 }, { 42, 432, 8 }, { 43, 440, 1 },
	{ 44, 441, 2 }, { 45, 443, 5 }, { 46, 448, 0 }, { 47, 451, 5 }, { 48, 456, 4 }, { 49, 460, 4 },
	{ 50, 464, 16 }, { 51, 480, 0 }, { 52, 488, 24 }, { 53, 512, 16 }, { 54, 528, 4 }, { 55, 532, 4 },
	{ 56, 536, 0 }, { 57, 539, 5 }, { 58, 0, 0 },
};

static const struct part switch_parts[] = {
	{ 1, 16, 0 }, { 2, 32, 16 }, { 3, 48, 16 }, { 4, 64, 16 }, { 5, 80, 16 }, { 6, 96, 8 }, { 7, 104, 8 },
	{ 8, 112, 8 }, { 9, 120, 5 }, { 10, 125, 1 }, { 11, 126, 2 }, { 12, 128, 16 }, { 13, 144, 16 },
	{ 14, 160, 1 }, { 15, 161, 1 }, { 16, 162, 1 }, { 17, 163, 1 }, { 18, 164, 1 }, { 19, 165, 0 },
	{ 20, 168, 0 }, { 21, 176, 16 },
};

static const struct part lft_parts[] = { { 1, 16, 16 } };
static const struct part mft_parts[] = { { 1, 16, 4 }, { 2, 20, 0 }, { 3, 23, 9 }, { 4, 32, 0 } };
static const struct part sm_parts[] = {
	{ 1, 16, 0 }, { 2, 32, 64 }, { 3, 96, 64 }, { 4, 160, 32 }, { 5, 192, 4 }, { 6, 196, 4 },
};
static const struct part guid_parts[] = {
	{ 1, 16, 8 }, { 4, 64, 64 }, { 5, 128, 64 }, { 6, 192, 64 }, { 7, 256, 64 }, { 8, 320, 64 }, { 9, 384, 64 },
	{ 10, 448, 64 }, { 11, 512, 64 },
};
static const struct part slvl_parts[] = { { 1, 16, 8 }, { 2, 24, 8 }, { 3, 0, 0 } };
static const struct part vlarb_parts[] = { { 1, 16, 8 }, { 2, 24, 8 }, { 3, 0, 0 } };
static const struct part pkey_parts[] = { { 1, 16, 16 }, { 2, 32, 8 } };

static bool
bit_at(const uint8_t *record, unsigned at)
{
	return record[at / 8] >> (7 - at % 8) & 1;
}

/* Asks for the records whose component equals that of 'like', or with 'flip' differs from it in one bit. */
static void
ask_like(struct small *b, uint16_t attr, bool trusted, const struct part *p, const uint8_t *like, unsigned flip)
{
	small_ask(b, LID_ONE, TABLE, attr);
	if (trusted)
		memcpy(b->req.mad + 36, (const uint8_t[]){ 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 }, 8);
	small_where(b, p->bit, 0, 0, 0);
	memset(b->req.mad + 56, 0xa5, 200);             /* what is not in the mask does not count */
	for (unsigned i = p->first; i < p->first + p->width; i++) {
		uint8_t *byte = &b->req.mad[56 + i / 8], m = (uint8_t)(0x80 >> i % 8);

		*byte = (uint8_t)((*byte & ~m) | (bit_at(like, i) != (i - p->first == flip) ? m : 0));
	}
}

static bool
same(const uint8_t *a, const uint8_t *b, const struct part *p)
{
	for (unsigned i = p->first; i < p->first + p->width; i++)
		if (bit_at(a, i) != bit_at(b, i))
			return false;
	return true;
}

/* For each component, record and bit of it: the answer is exactly the rows of the whole table that are equal. */
static void
check_parts(struct small *b, uint16_t attr, bool trusted, const struct part *parts, size_t nparts)
{
	uint8_t all[64][200];
	unsigned n, stride;

	ask_like(b, attr, trusted, &(struct part){ 61, 0, 0 }, NULL, 0);
	n = small_rows(b);
	assert_in_range(n, 1, 64);
	stride = (b->bytes - 56) / n;
	for (unsigned i = 0; i < n; i++)
		memcpy(all[i], b->out + 56 + i * stride, stride);
	for (size_t k = 0; k < nparts; k++)
		for (unsigned i = 0; i < n; i++)
			for (unsigned flip = 0; flip <= parts[k].width; flip++) {
				uint8_t like[200];
				unsigned found = 0, rows;

				ask_like(b, attr, trusted, &parts[k], all[i], flip);
				memcpy(like, b->req.mad + 56, 200);
				rows = small_rows(b);
				for (unsigned r = 0; r < n; r++)
					if (same(all[r], like, &parts[k])) {
						assert_true(found < rows);
						assert_memory_equal(b->out + 56 + found * stride, all[r], stride);
						found++;
					}
				assert_int_equal(found, rows);
				if (flip == parts[k].width)
					assert_true(rows > 0);
			}
}

/* Tables of lanes of every port that has some: the image tells whose it is. */
static void
know_lanes(struct small *b)
{
	struct qos_tables *q;
	struct qos_walk *w;
	struct qos_table t;

	for (uint32_t i = 0; i < b->s->nports; i++) {
		struct port_info info = port_info_decode(b->s->ports[i].info);

		info.capability_mask |= 1u << 6;
		info.vlarb_low_cap = 8;
		info.vlarb_high_cap = b->s->ports[i].num == 2 ? 64 : 4;
		info.state = 4;
		port_info_encode(b->s->ports[i].info, &info);
	}
	q = qos_tables_next(NULL, NULL, b->s);
	w = qos_walk_new(b->s);
	while (qos_walk_next(w, &t)) {
		uint8_t image[64] = { b->s->nodes[b->s->ports[t.port].node].guid >> 4 & 15, b->s->ports[t.port].num, t.in, t.block };

		qos_tables_put(q, b->s, &t, image);
	}
	qos_walk_free(w);
	b->v.qos_tables = q;
}

/* Different values in every field, so that a component that looks at the wrong bits is found out. */
static void
colour(struct small *b)
{
	uint32_t seed = 12345;

	for (uint32_t i = 0; i < b->s->nports; i++)
		for (unsigned k = 0; k < PORT_INFO_BYTES && b->s->ports[i].flags & FAB_PORT_INFO; k++) {
			seed = seed * 1103515245 + 12345;
			b->s->ports[i].info[k] = (uint8_t)(seed >> 16 & seed >> 23);
		}
	for (uint32_t i = 0; i < b->s->nnodes; i++) {
		for (unsigned k = 0; k < SWITCH_INFO_BYTES; k++) {
			seed = seed * 1103515245 + 12345;
			b->s->nodes[i].switch_info[k] = (uint8_t)(seed >> 16);
		}
		for (unsigned k = 28; k < NODE_INFO_BYTES; k++) {
			seed = seed * 1103515245 + 12345;
			b->s->nodes[i].node_info[k] = (uint8_t)(seed >> 16);
		}
	}
}

static void
test_every_component(void **state)
{
	struct small *b = *state;
	static uint8_t lft[2][192];

#define PARTS(p) p, sizeof(p) / sizeof(p[0])
	colour(b);
	for (unsigned i = 0; i < 192; i++) {
		lft[0][i] = (uint8_t)i;
		lft[1][i] = (uint8_t)(255 - i);
	}
	b->s->nodes[0].lft = lft[0];
	b->s->nodes[0].lft_blocks = 3;
	b->s->nodes[1].lft = lft[1];
	b->s->nodes[1].lft_blocks = 1;
	b->sms[1] = (struct sm_info){ .guid = 0x302, .sm_key = 9, .act_count = 1u << 20, .priority = 1, .state = 2 };
	b->v.nsms = 2;
	small_index(b);
	check_parts(b, NODE, false, PARTS(node_parts));
	check_parts(b, PORT, false, PARTS(port_parts));
	check_parts(b, PORT, true, PARTS(port_parts));
	check_parts(b, SWITCH, false, PARTS(switch_parts));
	check_parts(b, LFT, false, PARTS(lft_parts));
	check_parts(b, SMINFO, false, PARTS(sm_parts));
	check_parts(b, SMINFO, true, PARTS(sm_parts));
	check_parts(b, GUIDS, false, PARTS(guid_parts));
	check_parts(b, PKEYS, true, PARTS(pkey_parts));
}

static void
test_lanes(void **state)
{
	struct small *b = *state;
	uint64_t looked;

	for (unsigned k = 0; k < 2; k++) {              /* nothing is known: there is none */
		small_ask(b, LID_ONE, TABLE, k ? VLARB : SLVL);
		assert_int_equal(small_rows(b), 0);
		small_ask(b, LID_ONE, GET, k ? VLARB : SLVL);
		small_where(b, 0, 0, 2, LID_ALPHA);
		assert_int_equal(small_send(b), 0x0300);
	}
	know_lanes(b);
	small_index(b);
	check_parts(b, SLVL, false, PARTS(slvl_parts));
	check_parts(b, VLARB, false, PARTS(vlarb_parts));
	small_ask(b, LID_ONE, TABLE, SLVL);
	assert_int_equal(small_rows(b), 2 * 4 * 5 + 4); /* switches: four outputs, five inputs */
	assert_int_equal(b->out[45], 2);
	looked = b->stats.looked;
	small_where(b, 1, 2, 1, 0xfe);                 /* nobody's: it costs to see that */
	assert_int_equal(small_rows(b), 0);
	assert_true(b->stats.looked - looked >= 2 * 4 * 5 + 4);
	small_ask(b, LID_ONE, GET, SLVL);
	small_where(b, 0, 0, 2, LID_BETA);
	small_where(b, 1, 2, 1, 0);
	small_where(b, 2, 3, 1, 4);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 4), 0x00020004);
	assert_int_equal(small_got(b, 8, 4), 0x02040000);
	small_ask(b, LID_ONE, GET, SLVL);               /* a host has one, whichever of its LIDs is named */
	small_where(b, 0, 0, 2, LID_TWO + 3);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 4), 0x00080000);
	small_ask(b, LID_ONE, TABLE, VLARB);
	assert_int_equal(small_rows(b), 8 * 2 + 4 * 2 + 4 * 1);        /* low and high; ports 2 have a second high one */
	assert_int_equal(b->out[45], 9);
	small_ask(b, LID_ONE, GET, VLARB);
	small_where(b, 0, 0, 2, LID_ALPHA);
	small_where(b, 1, 2, 1, 2);
	small_where(b, 2, 3, 1, 4);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 4), 0x00010204);
	assert_int_equal(small_got(b, 8, 4), 0x01020004);
	small_where(b, 2, 3, 1, 2);
	assert_int_equal(small_send(b), 0x0300);        /* no second low block */
	small_pkeys(b, b->two, 0x8001, 0);              /* of another partition: nobody here sees it */
	small_index(b);
	small_ask(b, LID_ONE, GET, SLVL);
	small_where(b, 0, 0, 2, LID_TWO);
	assert_int_equal(small_send(b), 0x0300);
	small_ask(b, LID_TWO, GET, VLARB);              /* but itself */
	small_where(b, 0, 0, 2, LID_TWO);
	small_where(b, 2, 3, 1, 3);
	assert_int_equal(small_send(b), 0);
	small_ask(b, LID_ONE, 2, SLVL);                 /* read only */
	assert_int_equal(small_send(b), 0x000c);
	qos_tables_free((struct qos_tables *)(uintptr_t)b->v.qos_tables);
	b->v.qos_tables = NULL;
}

/* The other end of a link is found by any of its LIDs, so LinkRecord's last component is one of its own. */
static void
test_link_components(void **state)
{
	static const struct part ports[] = { { 1, 16, 8 }, { 2, 24, 8 } };
	struct small *b = *state;

	check_parts(b, LINK, false, PARTS(ports));
	small_ask(b, LID_ONE, TABLE, LINK);
	assert_int_equal(small_rows(b), 12);            /* six cables, seen from both ends */
	for (unsigned lid = 1; lid <= 12; lid++) {
		small_ask(b, LID_ONE, TABLE, LINK);
		small_where(b, 3, 4, 2, lid);
		switch (lid) {
		case LID_ALPHA: assert_int_equal(small_rows(b), 4); break;
		case LID_BETA: assert_int_equal(small_rows(b), 4); break;
		case 6: case 7: case 12: assert_int_equal(small_rows(b), 0); break;
		default: assert_int_equal(small_rows(b), 1); break;
		}
		small_ask(b, LID_ONE, TABLE, LINK);
		small_where(b, 0, 0, 2, lid);
		if (lid == LID_ALPHA || lid == LID_BETA)
			assert_int_equal(small_rows(b), 4);
		else
			assert_int_equal(small_rows(b), lid == 6 || lid == 7 || lid == 12 ? 0 : 1);
	}
	small_ask(b, LID_ONE, GET, LINK);
	small_where(b, 0, 0, 2, LID_TWO + 1);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 6), UINT64_C(0x000802010002));
}

/* A LID above the base LID finds its port, and the row shows the base LID. */
static void
test_lids(void **state)
{
	static const unsigned attrs[] = { NODE, PORT };
	struct small *b = *state;

	for (unsigned k = 0; k < 2; k++)
		for (unsigned lid = 0; lid < 20; lid++) {
			unsigned rows = lid == 1 || lid == 2 ? (k ? 5 : 1) : (lid >= 3 && lid <= 5) || (lid >= 8 && lid <= 11);

			small_ask(b, LID_ONE, TABLE, (uint16_t)attrs[k]);
			small_where(b, 0, 0, 2, lid);
			assert_int_equal(small_rows(b), rows);
			if (rows)
				assert_int_equal(small_at(b, 0, 0, 2), lid >= 8 ? 8 : lid);
		}
	small_ask(b, LID_ONE, TABLE, NODE);
	small_where(b, 0, 0, 2, 0xffff);
	assert_int_equal(small_rows(b), 0);
}

/* One row for each port that owns LIDs; of a host with two ports each row tells its own. */
static void
test_node_rows(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, TABLE, NODE);
	small_where(b, 7, 16, 8, 0x300);
	assert_int_equal(small_rows(b), 2);
	assert_int_equal(small_at(b, 0, 0, 2), LID_THREE_1);
	assert_int_equal(small_at(b, 0, 24, 8), 0x301);
	assert_int_equal(small_at(b, 0, 40, 1), 1);
	assert_int_equal(small_at(b, 1, 0, 2), LID_THREE_2);
	assert_int_equal(small_at(b, 1, 24, 8), 0x302);
	assert_int_equal(small_at(b, 1, 40, 1), 2);
	assert_memory_equal(b->out + 56 + 44, "three\0\0", 7);
	small_ask(b, LID_ONE, GET, NODE);
	small_where(b, 8, 24, 8, 0x302);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 2), LID_THREE_2);
	small_ask(b, LID_ONE, GET, NODE);
	small_where(b, 8, 24, 8, 0x20);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 2), LID_BETA);
	small_ask(b, LID_ONE, GET, NODE);
	small_where(b, 8, 24, 8, 0x201);                /* that port has no cable */
	assert_int_equal(small_send(b), 0x0300);
}

static void
test_port_rows(void **state)
{
	struct small *b = *state;
	struct port_info info;

	small_ask(b, LID_ONE, TABLE, PORT);
	assert_int_equal(small_rows(b), 14);            /* two switches of 0..4, four ports of hosts */
	small_ask(b, LID_ONE, GET, PORT);
	small_where(b, 0, 0, 2, LID_BETA);
	small_where(b, 1, 2, 1, 3);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 4), UINT64_C(0x00020300));
	assert_memory_equal(b->out + 60, b->s->ports[b->beta + 3].info, 64);
	small_where(b, 2, 3, 1, 0x80);                  /* options are no condition: they come back */
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 4), UINT64_C(0x00020380));
	/* The management key is for those who know the SM's. */
	info = port_info_decode(b->s->ports[b->two].info);
	info.mkey = UINT64_C(0xfeedfacecafebeef);
	port_info_encode(b->s->ports[b->two].info, &info);
	small_ask(b, LID_ONE, GET, PORT);
	small_where(b, 0, 0, 2, LID_TWO);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 4, 8), 0);
	small_where(b, 3, 4, 8, UINT64_C(0xfeedfacecafebeef));
	assert_int_equal(small_send(b), 0x0300);        /* nor can it be guessed */
	memcpy(b->req.mad + 36, (const uint8_t[]){ 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 }, 8);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 4, 8), UINT64_C(0xfeedfacecafebeef));
}

/* With modifier bit 31 capability masks are asked for by "has all of these". */
static void
test_capability_match(void **state)
{
	struct small *b = *state;
	struct port_info info = port_info_decode(b->s->ports[b->one].info);

	info.capability_mask = 1u << 1 | 1u << 15 | 1u << 25;
	info.capability_mask2 = 0x0421;
	port_info_encode(b->s->ports[b->one].info, &info);
	for (unsigned match = 0; match < 2; match++) {
		static const struct { uint32_t caps; unsigned rows[2]; } masks[] = {
			{ 1u << 1, { 0, 1 } }, { 1u << 1 | 1u << 15 | 1u << 25, { 1, 1 } },
			{ 1u << 1 | 1u << 2, { 0, 0 } }, { 0, { 0, 14 } }, { UINT32_MAX, { 0, 0 } },
		};
		static const struct { uint16_t caps; unsigned rows[2]; } masks2[] = {
			{ 0x0420, { 0, 1 } }, { 0x0421, { 1, 1 } }, { 0x0422, { 0, 0 } }, { 0, { 13, 14 } },
		};

		for (unsigned i = 0; i < 5; i++) {
			small_ask(b, LID_TWO, TABLE, PORT);
			b->req.mad[20] = match ? 0x80 : 0;
			small_where(b, 7, 24, 4, masks[i].caps);
			assert_int_equal(small_rows(b), masks[i].rows[match]);
		}
		for (unsigned i = 0; i < 4; i++) {
			small_ask(b, LID_TWO, TABLE, PORT);
			b->req.mad[20] = match ? 0x80 : 0;
			small_where(b, 53, 64, 2, masks2[i].caps);
			assert_int_equal(small_rows(b), masks2[i].rows[match]);
		}
	}
	small_ask(b, LID_TWO, TABLE, NODE);             /* elsewhere the modifier means nothing */
	b->req.mad[20] = 0x80;
	small_where(b, 7, 16, 8, 0x100);
	assert_int_equal(small_rows(b), 1);
}

static void
test_switch_rows(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_ONE, TABLE, SWITCH);
	assert_int_equal(small_rows(b), 2);
	assert_memory_equal(b->out + 60, b->s->nodes[0].switch_info, SWITCH_INFO_BYTES);
	small_ask(b, LID_ONE, TABLE, SWITCH);
	small_where(b, 0, 0, 2, LID_ONE);
	assert_int_equal(small_rows(b), 0);
	b->s->nodes[1].flags &= (uint8_t)~FAB_NODE_SWITCH_INFO;
	small_ask(b, LID_ONE, TABLE, SWITCH);
	assert_int_equal(small_rows(b), 1);             /* what was never read is not made up */
	small_ask(b, LID_ONE, TABLE, LFT);
	assert_int_equal(small_rows(b), 0);
	b->s->nodes[1].lft = fwd_row(&b->fwd, 1);
	b->s->nodes[1].lft_blocks = 1;
	small_ask(b, LID_ONE, TABLE, LFT);
	assert_int_equal(small_rows(b), 1);
	assert_int_equal(small_at(b, 0, 0, 8), UINT64_C(0x0002000000000000));
	assert_memory_equal(b->out + 64, fwd_row(&b->fwd, 1), 64);
}

/* Rows of multicast tables: what is known, and not empty. */
static void
test_mft_rows(void **state)
{
	struct small *b = *state;
	struct mft_seen *t = mft_seen_new();
	uint8_t image[MFT_BLOCK_BYTES] = { 0 };
	uint64_t all = UINT64_MAX;

	small_ask(b, LID_ONE, TABLE, MFT);
	assert_int_equal(small_rows(b), 0);
	mft_seen_keep(t, b->s, &all);
	b->v.mft = t;
	small_index(b);
	assert_int_equal(small_rows(b), 0);
	mft_seen_put(t, 0x20, mft_row_of(3, 0), image);
	image[0] = 0x80;
	image[63] = 0x02;
	mft_seen_put(t, 0x20, mft_row_of(0x1ff, 15), image);
	mft_seen_put(t, 0x10, mft_row_of(0, 0), image);
	mft_seen_put(t, 0x10, mft_row_of(3, 1), image);
	assert_int_equal(small_rows(b), 3);
	assert_int_equal(b->out[45], 9);                /* 72 bytes */
	assert_int_equal(small_at(b, 0, 0, 8), UINT64_C(0x0001000000000000));
	assert_int_equal(small_at(b, 1, 0, 8), UINT64_C(0x0001100300000000));
	assert_int_equal(small_at(b, 2, 0, 8), UINT64_C(0x0002f1ff00000000));
	assert_memory_equal(b->out + 56 + 2 * 72 + 8, image, 64);
	check_parts(b, MFT, false, mft_parts, sizeof(mft_parts) / sizeof(mft_parts[0]));
	small_ask(b, LID_ONE, GET, MFT);
	small_where(b, 0, 0, 2, LID_ALPHA);
	assert_int_equal(small_send(b), 0x0400);
	small_where(b, 3, 2, 2, 3);                     /* the block, below the position */
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 4), 0x00011003);
	small_ask(b, LID_ONE, GET, MFT);
	small_where(b, 0, 0, 2, LID_ONE);               /* no switch */
	assert_int_equal(small_send(b), 0x0300);
	mft_seen_free(t);
	b->v.mft = NULL;
	small_index(b);
}

static void
test_sm_rows(void **state)
{
	struct small *b = *state;

	small_ask(b, LID_TWO, GET, SMINFO);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 4), UINT64_C(0x00030000));
	assert_int_equal(small_got(b, 4, 8), 0x101);
	assert_int_equal(small_got(b, 12, 8), 0);       /* the key is hidden */
	assert_int_equal(small_got(b, 20, 4), 7);
	assert_int_equal(small_got(b, 24, 1), 0x53);
	assert_int_equal(b->out[45], 4);                /* 32 bytes */
	memcpy(b->req.mad + 36, (const uint8_t[]){ 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 }, 8);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 12, 8), SMALL_KEY);
	b->sms[1].guid = 0x999;                         /* gone */
	b->v.nsms = 2;
	small_index(b);
	small_ask(b, LID_TWO, TABLE, SMINFO);
	assert_int_equal(small_rows(b), 1);
}

/* What is known of the table of GUIDs: its first entry. */
static void
test_guid_rows(void **state)
{
	static const uint8_t record[72] = { 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x02 };
	struct small *b = *state;

	small_ask(b, LID_ONE, TABLE, GUIDS);
	assert_int_equal(small_rows(b), 6);
	for (uint32_t i = 0; i < b->s->nports; i++)
		b->s->ports[i].info[50] = 0;
	small_index(b);
	assert_int_equal(small_rows(b), 0);             /* nobody says that it has any */
	b->s->ports[b->two].info[50] = 32;              /* GUIDCap */
	b->s->ports[b->three2].info[50] = 1;
	small_index(b);
	assert_int_equal(small_rows(b), 5);             /* four blocks, and one */
	small_ask(b, LID_ONE, GET, GUIDS);
	small_where(b, 0, 0, 2, LID_TWO + 3);
	assert_int_equal(small_send(b), 0x0400);
	small_where(b, 1, 2, 1, 0);
	assert_int_equal(small_send(b), 0);
	assert_memory_equal(b->out + 56, record, 72);
	assert_int_equal(b->out[45], 9);                /* 72 bytes */
	small_where(b, 1, 2, 1, 4);                     /* a block that is not there */
	assert_int_equal(small_send(b), 0x0300);
	small_ask(b, LID_ONE, TABLE, GUIDS);
	small_where(b, 4, 8, 8, 0x302);
	assert_int_equal(small_rows(b), 1);
	small_ask(b, LID_ONE, 2, GUIDS);                /* nobody keeps alias GUIDs */
	assert_int_equal(small_send(b), 0x0100);
}

static void
test_pkey_rows(void **state)
{
	struct small *b = *state;

	small_pkeys(b, b->two, 0xffff, 0x8002);
	small_ask(b, LID_ONE, GET, PKEYS);
	memcpy(b->req.mad + 36, (const uint8_t[]){ 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 }, 8);
	small_where(b, 0, 0, 2, LID_TWO + 2);
	assert_int_equal(small_send(b), 0);
	assert_int_equal(small_got(b, 0, 8), UINT64_C(0x0008000002000000));
	assert_int_equal(small_got(b, 8, 8), UINT64_C(0xffff000000008002));
}

/* Rows of ports that share no partition with the requester are not shown; two limited members share none. */
static void
test_partitions(void **state)
{
	struct small *b = *state;

	small_pkeys(b, b->one, 0x7fff, 0x8002);
	small_pkeys(b, b->two, 0x7fff, 0);
	small_pkeys(b, b->three1, 0x0002, 0);
	small_ask(b, LID_ONE, TABLE, NODE);             /* switches, itself, both ports of three */
	assert_int_equal(small_rows(b), 5);
	small_ask(b, LID_ONE, TABLE, NODE);
	small_where(b, 0, 0, 2, LID_TWO);
	assert_int_equal(small_rows(b), 0);
	small_ask(b, LID_TWO, TABLE, NODE);             /* switches, itself, the second port of three */
	assert_int_equal(small_rows(b), 4);
	small_ask(b, LID_THREE_1, TABLE, NODE);         /* itself and one */
	assert_int_equal(small_rows(b), 2);
	assert_int_equal(small_at(b, 0, 0, 2), LID_ONE);
	small_ask(b, LID_TWO, TABLE, PORT);
	assert_int_equal(small_rows(b), 12);
	small_ask(b, LID_THREE_1, TABLE, LINK);         /* to a switch that it may not know of */
	assert_int_equal(small_rows(b), 0);
	small_ask(b, LID_TWO, TABLE, LINK);             /* not alpha 1 and 2, from neither end */
	assert_int_equal(small_rows(b), 8);
	b->s->ports[b->three1].flags &= (uint8_t)~FAB_PORT_PKEYS;       /* never read: the default */
	small_index(b);
	small_ask(b, LID_THREE_1, TABLE, NODE);
	assert_int_equal(small_rows(b), 6);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, small_setup, small_teardown)
		T(test_every_component), T(test_lanes), T(test_link_components), T(test_lids), T(test_node_rows), T(test_port_rows),
		T(test_capability_match), T(test_switch_rows), T(test_mft_rows), T(test_sm_rows), T(test_guid_rows),
		T(test_pkey_rows), T(test_partitions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
