/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * small.c - the small fixed fabric, requests and answers.
 */
#include <config.h>
#include "fabric/topo/snapshot_topo.h"
#include "sm/sa/sa_int.h"
#include "tests/unit/sa/small.h"

static uint64_t
big_endian(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | *p++;
	return v;
}

static uint32_t
make_snapshot(struct small *b)
{
	struct topo_builder *t = topo_builder_new();
	uint32_t beta = topo_builder_node(t, TOPO_SWITCH, 4, 0x20, "beta");
	uint32_t alpha = topo_builder_node(t, TOPO_SWITCH, 4, 0x10, "alpha");
	uint32_t one = topo_builder_node(t, TOPO_CA, 1, 0x100, "one");
	uint32_t three = topo_builder_node(t, TOPO_CA, 2, 0x300, "three");
	uint32_t two = topo_builder_node(t, TOPO_CA, 2, 0x200, "two");
	struct topo topo;

	topo_builder_cable(t, alpha, 1, one, 1);
	topo_builder_cable(t, alpha, 2, three, 1);
	topo_builder_cable(t, alpha, 3, beta, 3);
	topo_builder_cable(t, alpha, 4, beta, 4);
	topo_builder_cable(t, beta, 1, two, 2);
	topo_builder_cable(t, beta, 2, three, 2);
	topo_builder_port(t, alpha, 0)->lid = LID_ALPHA;
	topo_builder_port(t, beta, 0)->lid = LID_BETA;
	topo_builder_port(t, one, 1)->lid = LID_ONE;
	topo_builder_port(t, three, 1)->lid = LID_THREE_1;
	topo_builder_port(t, three, 2)->lid = LID_THREE_2;
	topo_builder_port(t, two, 2)->lid = LID_TWO;
	topo_builder_port(t, two, 2)->lmc = 2;
	topo_builder_port(t, alpha, 4)->speed_ext = topo_builder_port(t, beta, 4)->speed_ext = 2;
	assert_int_equal(topo_builder_take(t, &topo), 0);
	assert_int_equal(topo_to_snapshot(&topo, one, 4, &b->s), 0);
	topo_clear(&topo);
	return 0;
}

static void
fill_row(struct small *b, uint32_t port0, const uint8_t entries[12])
{
	memcpy(fwd_row(&b->fwd, b->s->nodes[b->s->ports[port0].node].sw), entries, 12);
}

/* Port 0 of a switch: 4X DDR. */
static void
set_port0(struct small *b, uint32_t port0, uint8_t mtu, uint8_t speed)
{
	struct port_info info = port_info_decode(b->s->ports[port0].info);

	info.neighbor_mtu = 0;
	info.mtu_cap = mtu;
	info.width_active = 2;
	info.speed_active = speed;
	info.speed_ext_active = 0;
	port_info_encode(b->s->ports[port0].info, &info);
}

int
small_setup(void **state)
{
	static const uint8_t alpha[12] = { 255, 0, 3, 1, 2, 3, 255, 255, 3, 4, 3, 4 };
	static const uint8_t beta[12] = { 255, 3, 0, 3, 4, 2, 255, 255, 1, 1, 1, 1 };
	struct small *b = calloc(1, sizeof(*b));
	struct port_info info;

	make_snapshot(b);
	assert_int_equal(lid_map_observed(b->s, &b->arena, &b->lids), 0);
	assert_int_equal(b->lids.top, 11);
	assert_int_equal(fwd_tables_observed(b->s, &b->lids, &b->arena, &b->fwd), 0);
	b->fwd.top = 11;
	b->alpha = b->s->nodes[0].first_port;
	b->beta = b->s->nodes[1].first_port;
	b->one = b->s->nodes[2].first_port + 1;
	b->two = b->s->nodes[3].first_port + 2;
	b->three1 = b->s->nodes[4].first_port + 1;
	b->three2 = b->s->nodes[4].first_port + 2;
	fill_row(b, b->alpha, alpha);
	fill_row(b, b->beta, beta);
	info = port_info_decode(b->s->ports[b->alpha + 3].info);
	info.neighbor_mtu = 4;
	port_info_encode(b->s->ports[b->alpha + 3].info, &info);
	set_port0(b, b->alpha, 5, 2);
	set_port0(b, b->beta, 3, 2);
	b->v = (struct sa_view){
		.s = b->s, .lids = &b->lids, .fwd = &b->fwd, .gid_prefix = GID_PREFIX_DEFAULT, .sa_key = SMALL_KEY,
		.sm_lid = LID_ONE, .path_life = 18, .resp_time = 16, .ready = true, .sms = b->sms, .nsms = 1,
	};
	b->sms[0] = (struct sm_info){ .guid = 0x101, .sm_key = SMALL_KEY, .act_count = 7, .priority = 5, .state = 3 };
	small_index(b);
	*state = b;
	return 0;
}

int
small_teardown(void **state)
{
	struct small *b = *state;

	sa_index_free(b->x);
	snapshot_free(b->s);
	arena_clear(&b->arena);
	small_drop(b);
	free(b->req.more);
	free(b);
	return 0;
}

void
small_index(struct small *b)
{
	sa_index_free(b->x);
	b->x = sa_index_new(&b->v);
	b->w.cache = sa_index_path_cache(b->x);
	b->w.stats = &b->stats;
}

void
small_forget(struct small *b)
{
	if (b->x->cache)                 /* no switch, nothing to remember */
		memset(b->x->cache->at, 0, b->x->cache->bytes);
}

void
small_pkeys(struct small *b, uint32_t port, uint16_t first, uint16_t second)
{
	uint32_t n = b->s->npkey_blocks;
	uint8_t (*blocks)[PKEY_TABLE_BYTES] = arena_array(&b->arena, (size_t)n + 1, sizeof(*blocks));

	memcpy(blocks, b->s->pkey_blocks, n * sizeof(*blocks));
	blocks[n][0] = (uint8_t)(first >> 8);
	blocks[n][1] = (uint8_t)first;
	blocks[n][6] = (uint8_t)(second >> 8);          /* the fourth entry: there are gaps */
	blocks[n][7] = (uint8_t)second;
	b->s->pkey_blocks = blocks;
	b->s->npkey_blocks = n + 1;
	b->s->ports[port].pkeys = n;
	b->s->ports[port].flags |= FAB_PORT_PKEYS;
	small_index(b);
}

void
small_ask(struct small *b, uint16_t from, uint8_t method, uint16_t attr)
{
	static const uint8_t tid[8] = { 0, 0, 0, 5, 0xca, 0xfe, 0, 1 };
	uint8_t *w = b->req.mad;

	free(b->req.more);
	memset(&b->req, 0, sizeof(b->req));
	b->req.bytes = 256;
	b->req.addr.lid = from;
	b->req.addr.qpn = 1;
	w[0] = 1;
	w[1] = 3;
	w[2] = 2;
	w[3] = method;
	memcpy(w + 8, tid, 8);
	w[16] = (uint8_t)(attr >> 8);
	w[17] = (uint8_t)attr;
}

void
small_where(struct small *b, unsigned bit, unsigned at, unsigned bytes, uint64_t value)
{
	b->req.mad[48 + 7 - bit / 8] |= (uint8_t)(1u << bit % 8);
	for (unsigned i = bytes; i-- > 0; value >>= 8)
		b->req.mad[56 + at + i] = (uint8_t)value;
}

void
small_drop(struct small *b)
{
	free(b->answer.more);
	memset(&b->answer, 0xa5, sizeof(b->answer));    /* all of it is written */
	b->answer.more = NULL;
	b->out = NULL;
	b->bytes = 0;
}

void
small_keep(struct small *b, bool some)
{
	if (!some) {
		b->answer.more = NULL;
		return;
	}
	assert_memory_equal(&b->answer.addr, &b->req.addr, sizeof(b->req.addr));
	assert_int_equal(b->answer.status, 0);
	assert_int_equal(b->answer.bytes > DGRAM_BYTES, b->answer.more != NULL);
	b->bytes = b->answer.bytes;
	b->out = b->answer.more ? b->answer.more : b->answer.mad;
	if (b->answer.more)
		assert_memory_equal(b->answer.more, b->answer.mad, DGRAM_BYTES);
	for (uint32_t i = b->bytes; i < DGRAM_BYTES; i++)
		assert_int_equal(b->answer.mad[i], 0);
}

void
small_answer(struct small *b)
{
	small_drop(b);
	small_keep(b, sa_answer(b->x, &b->w, &b->req, &b->answer));
}

unsigned
small_send(struct small *b)
{
	small_forget(b);
	small_answer(b);
	assert_true(b->bytes >= 56);
	assert_memory_equal(b->out + 8, b->req.mad + 8, 8);             /* transaction */
	assert_memory_equal(b->out + 16, b->req.mad + 16, 8);           /* attribute, modifier */
	assert_memory_equal(b->out + 48, b->req.mad + 48, 8);           /* component mask */
	assert_int_equal(big_endian(b->out + 36, 8), 0);                /* SM_Key */
	if (big_endian(b->out + 4, 2)) {
		assert_int_equal(b->bytes, 256);
		assert_int_equal(big_endian(b->out + 24, 8), 0);        /* no RMPP */
		assert_int_equal(big_endian(b->out + 44, 2), 0);
	}
	return (unsigned)big_endian(b->out + 4, 2);
}

unsigned
small_rows(struct small *b)
{
	unsigned stride, rows, segments;

	assert_int_equal(small_send(b), 0);
	assert_int_equal(b->out[3], 0x92);
	stride = (unsigned)big_endian(b->out + 44, 2) * 8;
	rows = stride ? (b->bytes - 56) / stride : 0;
	assert_int_equal(b->bytes, 56 + rows * stride);
	segments = b->bytes == 56 ? 1 : (b->bytes - 56 + 199) / 200;
	assert_int_equal(b->out[24], 1);
	assert_int_equal(b->out[25], 1);
	assert_int_equal(b->out[26], 0xf8 | (segments == 1 ? 7 : 3));
	assert_int_equal(b->out[27], 0);
	assert_int_equal(big_endian(b->out + 28, 4), 1);
	assert_int_equal(big_endian(b->out + 32, 4), b->bytes - 56 + segments * 20);
	return rows;
}

uint64_t
small_at(const struct small *b, unsigned row, unsigned at, unsigned bytes)
{
	unsigned stride = (unsigned)big_endian(b->out + 44, 2) * 8;

	assert_true(at + bytes <= stride);
	assert_true(56 + (row + 1) * stride <= b->bytes);
	return big_endian(b->out + 56 + row * stride + at, bytes);
}

uint64_t
small_got(const struct small *b, unsigned at, unsigned bytes)
{
	assert_int_equal(b->out[3], 0x81);
	assert_int_equal(b->bytes, 256);
	return big_endian(b->out + 56 + at, bytes);
}
