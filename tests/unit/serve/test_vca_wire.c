/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_vca_wire.c - the wire of virtual adapters: frames and hop pointers as sim/serve has them; and
 * the agent of the module (tests/lab/kmod/sma.c) beside the one of the simulated hardware, which must answer alike and, told of each Set, hold the same values.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/test.h"
#include "sim/serve/vca_wire.h"
#include "tests/lab/kmod/sma.h"
#include "tests/unit/hw/rig.h"

static uint64_t seed = 1;

static uint32_t
dice(void)
{
	uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)(z >> 32);
}

/* ---- frames ---- */

static void
a_packet_comes_back(void **state)
{
	struct vca_frame f = { .kind = VCA_MAD, .port = 2, .packet = { .slid = 0x1234, .dlid = 0xc001, .pkey = 0x8001, .sl = 7, .hop_limit = 9,
		.traffic_class = 0xa5, .grh = true, .src_qp = 1, .dst_qp = 1, .qkey = 0x80010000, .flow_label = 0xfffff } }, g;
	uint8_t w[VCA_FRAME_BYTES];

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		f.packet.sgid[i] = (uint8_t)i;
		f.packet.dgid[i] = (uint8_t)(0xf0 | i);
	}
	for (unsigned i = 0; i < 256; i++)
		f.packet.mad[i] = (uint8_t)i;
	vca_frame_encode(w, &f);
	assert_int_equal(w[0], 1);
	assert_int_equal(w[1], 1);
	assert_int_equal(w[2], 2);
	assert_memory_equal(w + 3, "\x07\x12\x34\xc0\x01\x00\x00\x00\x01\x00\x00\x00\x01\x80\x01\x00\x00\x80\x01\x01\x00", 21);
	assert_memory_equal(w + 24, "\x6a\x5f\xff\xff\x01\x18\x1b\x09", 8);
	assert_memory_equal(w + 32, f.packet.sgid, 16);
	assert_memory_equal(w + 48, f.packet.dgid, 16);
	assert_memory_equal(w + 64, f.packet.mad, 256);
	assert_int_equal(vca_frame_decode(w, sizeof(w), &g), 0);
	assert_memory_equal(&g.packet, &f.packet, sizeof(g.packet));
}

static void
the_other_kinds_come_back(void **state)
{
	struct vca_frame f = { .kind = VCA_SET, .port = 1, .life = 0x01020304, .attr_id = 0x15, .modifier = 0x0a0b0c0d }, g;
	uint8_t w[VCA_FRAME_BYTES];

	(void)state;
	memset(f.data, 0x5a, sizeof(f.data));
	for (f.kind = VCA_SET; f.kind <= VCA_LINK; f.kind++) {
		vca_frame_encode(w, &f);
		assert_memory_equal(w + 4, "\x00\x15\x00\x00\x0a\x0b\x0c\x0d\x01\x02\x03\x04", 12);
		assert_int_equal(vca_frame_decode(w, sizeof(w), &g), 0);
		assert_int_equal(g.kind, f.kind);
		assert_int_equal(g.life, f.life);
		assert_int_equal(g.attr_id, f.attr_id);
		assert_int_equal(g.modifier, f.modifier);
		assert_memory_equal(g.data, f.data, sizeof(f.data));
	}
}

static void
what_makes_no_sense_is_refused(void **state)
{
	struct vca_frame f = { .kind = VCA_MAD, .port = 1 }, g;
	static const struct { unsigned at; uint8_t value; } wrong[] = {
		{ VCA_AT_VERSION, 0 }, { VCA_AT_VERSION, 2 }, { VCA_AT_KIND, 0 }, { VCA_AT_KIND, 5 }, { VCA_AT_KIND, 255 }, { VCA_AT_SL, 16 },
		{ VCA_AT_FLAGS, 2 }, { VCA_AT_ZERO, 1 }, { VCA_AT_SRC_QP + 3, 2 }, { VCA_AT_DST_QP, 1 },
	};
	uint8_t good[VCA_FRAME_BYTES], w[VCA_FRAME_BYTES + 1] = { 0 };

	(void)state;
	vca_frame_encode(good, &f);
	for (size_t n = 0; n <= sizeof(w); n++) {
		memcpy(w, good, sizeof(good));
		assert_int_equal(vca_frame_decode(w, n, &g), n == VCA_FRAME_BYTES ? 0 : -EBADMSG);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memcpy(w, good, sizeof(good));
		w[wrong[i].at] = wrong[i].value;
		assert_int_equal(vca_frame_decode(w, VCA_FRAME_BYTES, &g), -EBADMSG);
	}
}

/* Whatever comes is a frame that encodes to the same bytes again, or is refused; and the fabric takes its packet or refuses it. */
static void
any_bytes_are_taken(void **state)
{
	struct rig *r = *state;
	unsigned taken = 0;

	assert_int_equal(hw_away_set(r->h, A), 0);
	for (unsigned i = 0; i < 20000; i++) {
		uint8_t w[VCA_FRAME_BYTES], again[VCA_FRAME_BYTES];
		struct vca_frame f;
		struct hw_delivery d;

		for (unsigned k = 0; k < sizeof(w); k++)
			w[k] = (uint8_t)dice();
		w[VCA_AT_VERSION] = VCA_VERSION;
		w[VCA_AT_KIND] = (uint8_t)(1 + dice() % 4);
		w[VCA_AT_PORT] = 1;
		w[VCA_AT_SL] &= 15;
		w[VCA_AT_FLAGS] &= 1;
		w[VCA_AT_ZERO] = 0;
		memset(w + VCA_AT_SRC_QP, 0, 8);
		w[VCA_AT_DST_QP + 3] = dice() & 1;
		w[VCA_AT_MAD] = 1;
		w[VCA_AT_MAD + 1] = (uint8_t[]){ 1, 0x81, 4, 3 }[dice() % 4];
		if (vca_frame_decode(w, sizeof(w), &f))
			continue;
		taken++;
		vca_frame_encode(again, &f);
		if (f.kind == VCA_MAD && !f.packet.grh)
			memset(w + VCA_AT_GRH, 0, VCA_GRH_BYTES);
		else if (f.kind == VCA_MAD)
			memcpy(w + VCA_AT_GRH, again + VCA_AT_GRH, 8);  /* version, length and next header are fixed */
		assert_memory_equal(again + VCA_AT_MAD, w + VCA_AT_MAD, 64);
		if (f.kind == VCA_MAD)
			assert_memory_equal(again, w, sizeof(w));
		if (f.kind == VCA_MAD) {
			vca_route_from_cable(f.packet.mad);
			hw_send(r->h, A, 1, &f.packet, r->now);
		} else {
			hw_away_reported(r->h, A, f.port, f.life, f.attr_id % 0x20, f.modifier % 4, f.data, r->now);
		}
		rig_wait(r, 1000);
		while (hw_next_delivery(r->h, &d) || hw_next_away(r->h, &d))
			vca_route_to_cable(d.packet.mad);
	}
	assert_true(taken > 10000);
}

/* ---- hop pointers: what ib_mad has on the cable, and what sim/hw's clients have ---- */

static void
hop_pointers(void **state)
{
	static const struct { bool back, leaving; uint8_t count, client, cable; uint16_t lid; } rows[] = {
		/* leaving: the kernel has taken the first step */
		{ false, true, 3, 0, 1, 0xffff }, { true, true, 3, 4, 3, 0xffff }, { true, true, 1, 2, 1, 0xffff }, { false, true, 0, 0, 0, 0xffff },
		{ false, true, 3, 0, 0, 7 }, { true, true, 3, 4, 4, 7 },
		/* arriving: the kernel will take the last one */
		{ false, false, 3, 4, 3, 0xffff }, { true, false, 3, 0, 1, 0xffff }, { false, false, 1, 2, 1, 0xffff },
		{ false, false, 3, 4, 4, 7 }, { true, false, 3, 0, 0, 7 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t m[256] = { 1, 0x81, 1, 1 };
		bool slid = rows[i].leaving != rows[i].back;

		m[4] = rows[i].back ? 0x80 : 0;
		m[7] = rows[i].count;
		memset(m + 32, 0xff, 4);
		sma_put16(m + (slid ? 32 : 34), rows[i].lid);
		m[6] = rows[i].leaving ? rows[i].cable : rows[i].client;
		if (rows[i].leaving)
			vca_route_from_cable(m);
		else
			vca_route_to_cable(m);
		assert_int_equal(m[6], rows[i].leaving ? rows[i].client : rows[i].cable);
	}
}

/* ---- two agents ---- */

/* What heddle-sim hands over when it makes the adapter of rig's A. */
static struct vca_create
birth(struct rig *r)
{
	struct vca_create c = { .version = VCA_VERSION, .nports = 1 };
	struct hw_port_view v;

	assert_int_equal(hw_port_view(r->h, A, 1, &v), 0);
	c.port_guid[0] = v.guid;
	memcpy(c.node_info, v.node_info, sizeof(c.node_info));
	memcpy(c.node_desc, v.desc, sizeof(c.node_desc));
	memcpy(c.port_info[0], v.info, sizeof(v.info));
	return c;
}

static void
births_that_make_no_sense(void **state)
{
	static const struct { unsigned at; uint8_t value; } wrong[] = {
		{ 0, 9 }, { 4, 0 }, { 4, 3 }, { 24 + 2, 2 }, { 24 + 3, 2 }, { 24 + 29, 33 }, { 24 + 28, 1 },
		{ 128 + PI_GUIDCAP, 0 }, { 128 + PI_GUIDCAP, 9 }, { 128 + PI_VLCAP, 0x60 }, { 128 + PI_VLS, 0xf0 }, { 128 + PI_STATE, 0x74 },
	};
	struct vca_create good = birth(*state), c;
	struct sma s;

	assert_true(sma_init(&s, &good));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		c = good;
		((uint8_t *)&c)[wrong[i].at] = wrong[i].value;
		assert_false(sma_init(&s, &c));
	}
	c = good;
	c.port_guid[0] = 0;
	assert_false(sma_init(&s, &c));
}

/* A datagram somebody might send: fields near what is allowed. */
static void
random_set(uint8_t *data, uint16_t attr, const uint8_t *present)
{
	for (unsigned i = 0; i < 64; i++)
		data[i] = dice() % 3 ? present[i] : (uint8_t)dice();
	if (attr != PORT_INFO_ID)
		return;
	data[PI_STATE] = (uint8_t)((data[PI_STATE] & 0xf0) | (dice() % 4 ? dice() % 6 : 0));
	data[PI_PHYS] = (uint8_t)(dice() % 8 ? data[PI_PHYS] & 0x0f : data[PI_PHYS]);
	if (dice() % 4)
		sma_put16(data + PI_LID, (uint16_t)(dice() % 40));
	if (dice() % 4)
		sma_put16(data + PI_SMLID, (uint16_t)(1 + dice() % 40));
	if (dice() % 4)
		memset(data, 0, 8);     /* the key: no key */
}

static void
the_agents_answer_alike(void **state)
{
	static const uint16_t attrs[] = { PORT_INFO_ID, PORT_INFO_ID, PORT_INFO_ID, PKEY_TABLE_ID, SLVL_TABLE_ID, VLARB_TABLE_ID, GUID_INFO_ID,
		NODE_DESC_ID, NODE_INFO_ID, SWITCH_INFO_ID, LFT_BLOCK_ID, 0x0099 };
	struct rig *r = *state, other;
	struct vca_create c = birth(r);
	struct sma s;
	unsigned good = 0;

	/* 'other' has A's agent elsewhere and hears of the Sets that it carried out. */
	rig_make(&other, &(struct hw_conf){ .seed = 1 });
	assert_int_equal(hw_away_set(other.h, A), 0);
	assert_true(sma_init(&s, &c));
	for (unsigned i = 0; i < 30000; i++) {
		uint16_t attr = attrs[dice() % (sizeof(attrs) / sizeof(attrs[0]))];
		uint32_t modifier = attr == VLARB_TABLE_ID ? dice() % 6 << 16 : dice() % 3 ? 0 : dice() % 3;
		uint8_t method = dice() % 3 ? METHOD_SET : METHOD_GET, data[64] = { 0 }, m[256], mine[64], theirs[64];
		struct sma_news news = { 0 };
		enum sma_fate fate;

		r->mkey = sma_get64(s.port[0].info + PI_MKEY);
		rig_get(r, attr, modifier, "");
		random_set(data, attr, rig_data(r));
		rig_dr_make(r, method, attr, modifier, "", data);
		if (!(dice() % 50))
			r->p.mad[2] = 2;
		if (!(dice() % 8))
			memset(r->p.mad + 24, 1, 8);
		memcpy(m, r->p.mad, sizeof(m));
		fate = sma_smp(&s, 1, m, LID_PERMISSIVE, 0, &news);
		s.port[0].lease_ms = 0;
		assert_int_equal(rig_send(r, A, 1), fate == SMA_ANSWER);
		if (fate == SMA_ANSWER) {
			assert_int_equal(sma_get16(m + 4) & 0x7fff, rig_status(r));
			assert_memory_equal(m + 64, rig_data(r), 64);
			good += !rig_status(r);
		}
		if (news.set)
			hw_away_reported(other.h, A, 1, hw_link_life(other.h, A, 1), news.attr, news.modifier, news.data, other.now);
		rig_wait(r, 30000);
		rig_wait(&other, 30000);
		hw_port_info(other.h, A, 1, theirs);
		news = (struct sma_news){ 0 };
		sma_link(&s, 1, hw_link_life(other.h, A, 1), theirs, &news);
		hw_port_info(r->h, A, 1, mine);
		s.port[0].info[PI_LMC] = (uint8_t)((s.port[0].info[PI_LMC] & 0x3f) | (mine[PI_LMC] & 0xc0));    /* leases end by time */
		mine[PI_LOCAL_PORT] = theirs[PI_LOCAL_PORT] = 1;        /* only an answer has it */
		assert_memory_equal(s.port[0].info, mine, 64);
		memcpy(theirs + PI_MKEY_VIOL, mine + PI_MKEY_VIOL, 2);  /* whose key it is not, only the agent sees */
		theirs[PI_LMC] = (uint8_t)((theirs[PI_LMC] & 0x3f) | (mine[PI_LMC] & 0xc0));
		assert_memory_equal(theirs, mine, 64);
	}
	assert_true(good > 5000);
	hw_free(other.h);
}

/* A Set that was carried out before the link went down must not move what came after. */
static void
an_old_set_moves_no_link(void **state)
{
	struct rig *r = *state;
	uint8_t info[64];
	uint32_t life = hw_link_life(r->h, A, 1);

	hw_away_set(r->h, A);
	hw_port_info(r->h, A, 1, info);
	assert_int_equal(info[PI_STATE] & 15, 2);
	info[PI_STATE] = (uint8_t)((info[PI_STATE] & 0xf0) | 3);
	info[PI_PHYS] &= 0x0f;
	sma_put16(info + PI_LID, 7);
	sma_put16(info + PI_SMLID, 7);
	hw_cable_pull(r->h, S1, 1, r->now);
	hw_cable_plug(r->h, S1, 1, A, 1, r->now);
	rig_wait(r, 1000000);
	assert_int_equal(hw_link_life(r->h, A, 1), life + 2);
	assert_int_equal(hw_away_reported(r->h, A, 1, life, PORT_INFO_ID, 1, info, r->now), 0);
	hw_port_info(r->h, A, 1, info);
	assert_int_equal(info[PI_STATE] & 15, 2);
	assert_int_equal(sma_get16(info + PI_LID), 7);
	info[PI_STATE] = (uint8_t)((info[PI_STATE] & 0xf0) | 3);
	info[PI_PHYS] &= 0x0f;
	assert_int_equal(hw_away_reported(r->h, A, 1, life + 2, PORT_INFO_ID, 1, info, r->now), 0);
	hw_port_info(r->h, A, 1, info);
	assert_int_equal(info[PI_STATE] & 15, 3);
	assert_int_equal(hw_away_reported(r->h, A, 0, life, PORT_INFO_ID, 1, info, r->now), -EINVAL);
	assert_int_equal(hw_away_reported(r->h, A, 2, life, PORT_INFO_ID, 1, info, r->now), -EINVAL);
	assert_int_equal(hw_away_reported(r->h, A, 1, life, LFT_BLOCK_ID, 0, info, r->now), -EINVAL);
	assert_int_equal(hw_away_reported(r->h, B, 1, life, PORT_INFO_ID, 1, info, r->now), -EINVAL);
	assert_int_equal(hw_away_set(r->h, S1), -EINVAL);
	assert_int_equal(hw_away_set(r->h, RIG_NODES), -ENOENT);
}

/* ---- what goes where ---- */

static void
an_adapter_that_is_away(void **state)
{
	struct rig *r = *state;
	struct hw_delivery d;
	struct hw_packet p;

	rig_bring_up(r);
	while (hw_next_delivery(r->h, &d))
		;
	assert_int_equal(hw_away_set(r->h, B), 0);
	/* an SMP along a route waits for its agent, and the answer finds the way back */
	assert_false(rig_get(r, NODE_INFO_ID, 0, "1.2.4"));
	assert_true(rig_quiet(r));
	assert_true(hw_next_away(r->h, &d));
	assert_int_equal(d.node, B);
	assert_int_equal(d.port, 1);
	p = d.packet;
	assert_int_equal(p.mad[6], 4);
	vca_route_to_cable(p.mad);
	assert_int_equal(p.mad[6], 3);
	p.mad[3] = METHOD_GET_RESP;
	p.mad[4] = 0x80;
	p.mad[6] = 3;                   /* as ib_mad sends it */
	vca_route_from_cable(p.mad);
	assert_int_equal(hw_send(r->h, B, 1, &p, r->now), 0);
	assert_true(rig_delivered(r, A, 1, &p));
	assert_int_equal(p.mad[6], 0);
	/* by LID, with any key: the keys are its own matter */
	rig_lid_make(r, CLASS_PING, METHOD_GET, 0, 0, 1, 4);
	r->p.pkey = 0x1234;
	assert_false(rig_send(r, A, 1));
	assert_true(hw_next_away(r->h, &d));
	assert_int_equal(d.packet.pkey, 0x1234);
	/* counters are the hardware's */
	assert_true(rig_by_lid(r, CLASS_PM, METHOD_GET, 0x12, 0, 4));
	assert_false(hw_next_away(r->h, &d));
	/* and it has no traps of the hardware's */
	rig_lid_make(r, CLASS_PM, METHOD_GET, 0x12, 0, 1, 4);
	r->p.pkey = 0x1234;
	assert_false(rig_send(r, A, 1));
	rig_wait(r, 1000000);
	assert_int_equal(hw_stats(r->h)->traps, 0);
}

static void
lives_are_counted(void **state)
{
	struct rig *r = *state;

	assert_int_equal(hw_node_life(r->h, A), 1);
	hw_node_power(r->h, A, false, r->now);
	assert_int_equal(hw_node_life(r->h, A), 0);
	hw_node_power(r->h, A, true, r->now);
	assert_int_equal(hw_node_life(r->h, A), 2);
	assert_int_equal(hw_node_life(r->h, 99), 0);
	assert_int_equal(hw_link_life(r->h, A, 2), 0);
}

/* ---- traps and keys of the module's agent ---- */

static struct sma
adapter_up(struct rig *r)
{
	struct vca_create c = birth(r);
	struct sma s;

	assert_true(sma_init(&s, &c));
	sma_put16(s.port[0].info + PI_LID, 5);
	sma_put16(s.port[0].info + PI_SMLID, 1);
	s.port[0].info[PI_REREG] = 18;
	return s;
}

static void
traps_repeat_until_they_are_repressed(void **state)
{
	struct sma s = adapter_up(*state);
	struct sma_news news = { 0 };
	uint8_t mad[256], repress[256];
	uint64_t at;
	unsigned n = 0;

	assert_false(sma_deadline(&s, &at));
	sma_caps(&s, 1, 2, 0, 1000, &news);
	assert_true(news.caps);
	assert_int_equal(news.data[PI_CAPS + 3] & 2, 2);
	assert_true(sma_deadline(&s, &at));
	assert_int_equal(at, 1000);
	assert_true(sma_trap(&s, 1, 1000, mad));
	assert_memory_equal(mad, "\x01\x01\x01\x05", 4);
	assert_memory_equal(mad + 64, "\x84\x00\x00\x01\x00\x90\x00\x05", 8);
	assert_memory_equal(mad + 64 + 16, s.port[0].info + PI_CAPS, 4);
	assert_false(sma_trap(&s, 1, 1000, mad));
	assert_true(sma_deadline(&s, &at));
	assert_int_equal(at, 1000 + 1073);      /* 4.096 us * 2^18 */
	assert_true(sma_trap(&s, 1, at, mad));
	memcpy(repress, mad, sizeof(mad));
	repress[3] = METHOD_TRAP_REPRESS;
	repress[15] ^= 1;
	assert_int_equal(sma_smp(&s, 1, repress, 1, at, &news), SMA_DROP);
	assert_true(sma_deadline(&s, &at));     /* another's */
	repress[15] ^= 1;
	assert_int_equal(sma_smp(&s, 1, repress, 1, at, &news), SMA_DROP);
	assert_false(sma_deadline(&s, &at));
	/* nobody represses this one */
	sma_caps(&s, 1, 0, 2, 5000, &news);
	while (sma_deadline(&s, &at))
		n += sma_trap(&s, 1, at, mad);
	assert_int_equal(n, 10);
}

static void
keys_of_qp1(void **state)
{
	struct sma s = adapter_up(*state);
	uint8_t f[VCA_FRAME_BYTES] = { 0 }, mad[256];
	uint16_t index;

	s.port[0].pkeys[3] = 0x0007;
	s.port[0].pkeys[4] = 0x8007;
	sma_put32(f + VCA_AT_QKEY, 0x80010000);
	sma_put16(f + VCA_AT_PKEY, 0x7fff);
	assert_true(sma_keys(&s, 1, f, 0, &index));
	assert_int_equal(index, 0);
	sma_put16(f + VCA_AT_PKEY, 0x8007);
	assert_true(sma_keys(&s, 1, f, 0, &index));
	assert_int_equal(index, 4);
	sma_put16(f + VCA_AT_PKEY, 0x0007);
	assert_true(sma_keys(&s, 1, f, 0, &index));
	s.port[0].pkeys[4] = 0;
	assert_false(sma_keys(&s, 1, f, 0, &index));    /* two limited members */
	assert_int_equal(sma_get16(s.port[0].info + PI_PKEY_VIOL), 1);
	assert_true(sma_trap(&s, 1, 0, mad));
	assert_memory_equal(mad + 64, "\x82\x00\x00\x01\x01\x01\x00\x05", 8);
	sma_put16(f + VCA_AT_PKEY, 0xffff);
	sma_put32(f + VCA_AT_QKEY, 1);
	assert_false(sma_keys(&s, 1, f, 0, &index));
	assert_int_equal(sma_get16(s.port[0].info + PI_QKEY_VIOL), 1);
	assert_true(sma_trap(&s, 1, 0, mad));
	assert_memory_equal(mad + 64 + 4, "\x01\x02", 2);
}

static void
a_link_that_goes_is_an_event(void **state)
{
	struct sma s = adapter_up(*state);
	struct sma_news news = { 0 };
	uint8_t info[64];

	memcpy(info, s.port[0].info, 64);
	s.port[0].info[PI_STATE] = (uint8_t)((info[PI_STATE] & 0xf0) | 4);
	sma_link(&s, 1, 1, info, &news);
	assert_int_equal(s.port[0].info[PI_STATE] & 15, 4);     /* nothing new */
	assert_int_equal(news.events, 0);
	sma_link(&s, 1, 3, info, &news);
	assert_int_equal(s.port[0].info[PI_STATE] & 15, 2);     /* it was down, and came back */
	assert_int_equal(news.events, SMA_PORT_ERR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_packet_comes_back), cmocka_unit_test(the_other_kinds_come_back),
		cmocka_unit_test(what_makes_no_sense_is_refused), RIG_TEST(any_bytes_are_taken), cmocka_unit_test(hop_pointers),
		RIG_TEST(births_that_make_no_sense), RIG_TEST(the_agents_answer_alike), RIG_TEST(an_old_set_moves_no_link),
		RIG_TEST(an_adapter_that_is_away), RIG_TEST(lives_are_counted), RIG_TEST(traps_repeat_until_they_are_repressed),
		RIG_TEST(keys_of_qp1), RIG_TEST(a_link_that_goes_is_an_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
