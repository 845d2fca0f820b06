/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_packet.c - packets on the wire: layouts byte by byte, both checksums, hostile bytes, all
 * operations encoded and decoded.
 */
#include <config.h>
#include "tests/unit/test.h"
#include <infiniband/opcode.h>
#include "verbs/soft/wire/packet.h"

/* The opcodes equal those of the public header. */
static void
opcodes(void **state)
{
	(void)state;
	assert_int_equal(PACKET_SEND_LAST_IMM, IBV_OPCODE_RC_SEND_LAST_WITH_IMMEDIATE);
	assert_int_equal(PACKET_WRITE_ONLY_IMM, IBV_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE);
	assert_int_equal(PACKET_READ_REQUEST, IBV_OPCODE_RC_RDMA_READ_REQUEST);
	assert_int_equal(PACKET_READ_ONLY, IBV_OPCODE_RC_RDMA_READ_RESPONSE_ONLY);
	assert_int_equal(PACKET_ACK, IBV_OPCODE_RC_ACKNOWLEDGE);
	assert_int_equal(PACKET_ATOMIC_ACK, IBV_OPCODE_RC_ATOMIC_ACKNOWLEDGE);
	assert_int_equal(PACKET_CMP_SWAP, IBV_OPCODE_RC_COMPARE_SWAP);
	assert_int_equal(PACKET_FETCH_ADD, IBV_OPCODE_RC_FETCH_ADD);
	assert_int_equal(PACKET_UC | PACKET_WRITE_FIRST, IBV_OPCODE_UC_RDMA_WRITE_FIRST);
	assert_int_equal(PACKET_UD | PACKET_SEND_ONLY_IMM, IBV_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE);
	assert_int_equal(packet_traits(PACKET_UC | PACKET_READ_REQUEST), 0);
	assert_int_equal(packet_traits(PACKET_UD | PACKET_SEND_FIRST), 0);
	assert_int_equal(packet_traits(PACKET_RD | PACKET_SEND_ONLY), 0);
	assert_int_equal(packet_traits(PACKET_RC | 0x1f), 0);
	assert_int_not_equal(packet_traits(PACKET_XRC | PACKET_READ_REQUEST), 0);
}

static void
write_with_immediate(void **state)
{
	static const uint8_t expected[] = {
		/* VL 0, SL 3, BTH next; to 7, 12 words, from 5 */
		0x00, 0x32, 0x00, 0x07, 0x00, 0x0c, 0x00, 0x05,
		/* solicited, migrated, two bytes of pad */
		0x0b, 0xe0, 0xff, 0xff, 0x00, 0x12, 0x34, 0x56,
		0x80, 0xab, 0xcd, 0xef,                                 /* requests an ACK */
		0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x21, 0x22, 0x23, 0x24, 0x00, 0x00,
		0x00, 0x02, 0xde, 0xad, 0xbe, 0xef,
		0x77, 0x78, 0x00, 0x00,
	};
	struct packet p = {
		.sl = 3, .dlid = 7, .slid = 5, .opcode = PACKET_WRITE_ONLY_IMM, .solicited = true,
		.migrated = true,
		.ack_request = true, .pkey = 0xffff, .dest_qpn = 0x123456, .psn = 0xabcdef,
		.va = UINT64_C(0x1112131415161718),
		.rkey = 0x21222324, .dma_bytes = 2, .imm = { 0xde, 0xad, 0xbe, 0xef },
		.payload = (const uint8_t *)"wx", .payload_bytes = 2,
	};
	uint8_t w[PACKET_MAX_BYTES];

	(void)state;
	assert_int_equal(packet_encode(w, &p), sizeof(expected) + 6);
	assert_memory_equal(w, expected, sizeof(expected));
}

static void
datagram_with_grh(void **state)
{
	static const uint8_t expected[] = {
		0x00, 0x03, 0xc0, 0x01, 0x00, 0x13, 0x00, 0x05,         /* GRH next */
		/* version 6, class 0x12, flow; 28 bytes follow; hops */
		0x61, 0x2a, 0xbc, 0xde, 0x00, 0x1c, 0x1b, 0x40,
		0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
		0xff, 0x12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2,
		0x64, 0x00, 0x80, 0x01, 0x00, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x09,
		0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x44,         /* Q_Key, source */
		'd', 'a', 't', 'a',
	};
	struct packet p = {
		.dlid = 0xc001, .slid = 5, .has_grh = true, .tclass = 0x12, .flow_label = 0xabcde,
		.hop_limit = 64,
		.sgid = { 0xfe, 0x80, [15] = 1 }, .dgid = { 0xff, 0x12, [15] = 2 },
		.opcode = PACKET_UD | PACKET_SEND_ONLY,
		.pkey = 0x8001, .dest_qpn = PACKET_QPN_MULTICAST, .psn = 9, .qkey = 0x80010000,
		.src_qpn = 0x44,
		.payload = (const uint8_t *)"data", .payload_bytes = 4,
	};
	uint8_t w[PACKET_MAX_BYTES];

	(void)state;
	assert_int_equal(packet_encode(w, &p), sizeof(expected) + 6);
	assert_memory_equal(w, expected, sizeof(expected));
}

static void
answers(void **state)
{
	static const uint8_t nak[] = {
		0x00, 0x02, 0x00, 0x01, 0x00, 0x07, 0x00, 0x02, 0x11, 0x40, 0xff, 0xff, 0, 0, 0,
		0x40, 0, 0, 0, 0x64,
		/* NAK, remote access error; three messages */
		0x62, 0x00, 0x00, 0x03,
	};
	static const uint8_t atomic[] = {
		0x00, 0x02, 0x00, 0x01, 0x00, 0x09, 0x00, 0x02, 0x12, 0x40, 0xff, 0xff, 0, 0, 0,
		0x40, 0, 0, 0, 0x64,
		/* ACK without credits; the original value */
		0x1f, 0x00, 0x00, 0x03, 1, 2, 3, 4, 5, 6, 7, 8,
	};
	struct packet p = {
		.dlid = 1, .slid = 2, .opcode = PACKET_ACK, .migrated = true, .pkey = 0xffff,
		.dest_qpn = 0x40, .psn = 100,
		.aeth_kind = PACKET_AETH_NAK, .aeth_value = PACKET_NAK_ACCESS, .msn = 3,
		.original = UINT64_C(0x0102030405060708),
	};
	uint8_t w[PACKET_MAX_BYTES];

	(void)state;
	assert_int_equal(packet_encode(w, &p), sizeof(nak) + 6);
	assert_memory_equal(w, nak, sizeof(nak));
	p.opcode = PACKET_ATOMIC_ACK;
	p.aeth_kind = PACKET_AETH_ACK;
	p.aeth_value = PACKET_NO_CREDITS;
	assert_int_equal(packet_encode(w, &p), sizeof(atomic) + 6);
	assert_memory_equal(w, atomic, sizeof(atomic));
}

/* A congestion notification of a ConnectX-4 Lx as it was captured (a test of scapy holds it),
 * behind eight bytes of ones for the local route header and with what routers change set to
 * ones: its ICRC is the last four bytes. */
static void
checksum_of_an_adapter(void **state)
{
	static const uint8_t w[] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
		0x45, 0xff, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0xff, 0x11, 0xff, 0xff, 0x0a, 0x00,
		0x11, 0x01, 0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0xff, 0xff,
		0x81, 0x00, 0xff, 0xff, 0xff, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00,
	};
	uint32_t crc = ~packet_crc32(0xffffffff, w, sizeof(w));

	(void)state;
	assert_int_equal(crc & 0xff, 0x82);
	assert_int_equal(crc >> 8 & 0xff, 0xfd);
	assert_int_equal(crc >> 16 & 0xff, 0x00);
	assert_int_equal(crc >> 24, 0x2a);
}

static uint32_t
random_next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 32);
}

static struct packet
random_packet(uint64_t *s, uint8_t opcode, const uint8_t *payload)
{
	unsigned traits = packet_traits(opcode);
	struct packet p = {
		.vl = random_next(s) & 15, .sl = random_next(s) & 15,
		.dlid = (uint16_t)random_next(s), .slid = (uint16_t)random_next(s),
		.has_grh = random_next(s) & 1,
		.opcode = opcode, .solicited = random_next(s) & 1, .migrated = random_next(s) & 1,
		.ack_request = random_next(s) & 1,
		.pkey = (uint16_t)random_next(s), .dest_qpn = random_next(s) & 0xffffff,
		.psn = random_next(s) & 0xffffff,
	};

	if (p.has_grh) {
		p.tclass = (uint8_t)random_next(s);
		p.hop_limit = (uint8_t)random_next(s);
		p.flow_label = random_next(s) & 0xfffff;
		for (unsigned i = 0; i < 16; i++) {
			p.sgid[i] = (uint8_t)random_next(s);
			p.dgid[i] = (uint8_t)random_next(s);
		}
	}
	if ((opcode & 0xe0) == PACKET_UD) {
		p.qkey = random_next(s);
		p.src_qpn = random_next(s) & 0xffffff;
	}
	if ((opcode & 0xe0) == PACKET_XRC && !(traits & PACKET_IS_RESPONSE))
		p.srq_num = random_next(s) & 0xffffff;
	if (traits & (PACKET_HAS_RETH | PACKET_HAS_ATOMIC)) {
		p.va = (uint64_t)random_next(s) << 32 | random_next(s);
		p.rkey = random_next(s);
	}
	if (traits & PACKET_HAS_RETH)
		p.dma_bytes = random_next(s);
	if (traits & PACKET_HAS_ATOMIC) {
		p.swap_add = (uint64_t)random_next(s) << 32 | random_next(s);
		p.compare = (uint64_t)random_next(s) << 32 | random_next(s);
	}
	if (traits & PACKET_HAS_AETH) {
		p.aeth_kind = random_next(s) & 3;
		p.aeth_value = random_next(s) & 31;
		p.msn = random_next(s) & 0xffffff;
	}
	if (traits & PACKET_HAS_ATOMIC_ACK)
		p.original = (uint64_t)random_next(s) << 32 | random_next(s);
	if (traits & PACKET_HAS_IMM)
		memcpy(p.imm, "imm", 4);
	if (traits & PACKET_HAS_IETH)
		p.inv_rkey = random_next(s);
	if (traits & PACKET_HAS_PAYLOAD) {
		p.payload = payload;
		p.payload_bytes = random_next(s) % 200;
	}
	return p;
}

static void
there_and_back(void **state)
{
	uint8_t payload[200], w[PACKET_MAX_BYTES];
	uint64_t s = 5;

	(void)state;
	for (unsigned i = 0; i < sizeof(payload); i++)
		payload[i] = (uint8_t)random_next(&s);
	for (unsigned round = 0; round < 20; round++)
		for (unsigned opcode = 0; opcode < 256; opcode++) {
			struct packet p, q;
			size_t bytes;

			if (!packet_traits((uint8_t)opcode))
				continue;
			p = random_packet(&s, (uint8_t)opcode, payload);
			bytes = packet_encode(w, &p);
			assert_int_equal((bytes - 2) % 4, 0);
			assert_true(packet_decode(w, bytes, &q));
			assert_int_equal(q.payload_bytes, p.payload_bytes);
			assert_memory_equal(q.payload, payload, p.payload_bytes);
			q.payload = p.payload;
			q.grh = p.grh;
			assert_true(p.vl == q.vl && p.sl == q.sl && p.dlid == q.dlid &&
				p.slid == q.slid && p.has_grh == q.has_grh);
			assert_true(p.tclass == q.tclass && p.hop_limit == q.hop_limit &&
				p.flow_label == q.flow_label);
			assert_memory_equal(p.sgid, q.sgid, 16);
			assert_memory_equal(p.dgid, q.dgid, 16);
			assert_true(p.opcode == q.opcode && p.solicited == q.solicited &&
				p.migrated == q.migrated);
			assert_true(p.ack_request == q.ack_request && p.pkey == q.pkey &&
				p.dest_qpn == q.dest_qpn && p.psn == q.psn);
			assert_true(p.qkey == q.qkey && p.src_qpn == q.src_qpn &&
				p.srq_num == q.srq_num && p.va == q.va);
			assert_true(p.rkey == q.rkey && p.dma_bytes == q.dma_bytes &&
				p.swap_add == q.swap_add);
			assert_true(p.compare == q.compare && p.aeth_kind == q.aeth_kind &&
				p.aeth_value == q.aeth_value);
			assert_true(p.msn == q.msn && p.original == q.original &&
				p.inv_rkey == q.inv_rkey);
			assert_memory_equal(p.imm, q.imm, 4);
		}
}

/* Every flipped bit is found, and every wrong length is refused. */
static void
damage(void **state)
{
	uint8_t w[PACKET_MAX_BYTES] = { 0 };
	uint64_t s = 9;

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		struct packet p = random_packet(&s, round & 1 ? PACKET_WRITE_ONLY_IMM :
			PACKET_UD | PACKET_SEND_ONLY, w + 2000), q;
		size_t bytes = packet_encode(w, &p);

		for (size_t bit = 0; bit < bytes * 8; bit++) {
			w[bit / 8] ^= (uint8_t)(1u << bit % 8);
			assert_false(packet_decode(w, bytes, &q));
			w[bit / 8] ^= (uint8_t)(1u << bit % 8);
		}
		assert_true(packet_decode(w, bytes, &q));
		for (size_t n = 0; n < bytes + 50; n++)
			if (n != bytes) {
				/* An exact allocation, so that sanitizers see overreads. */
				uint8_t *copy = malloc(n ? n : 1);

				memcpy(copy, w, n);
				assert_false(packet_decode(copy, n, &q));
				free(copy);
			}
	}
}

/* Fields that switches and routers change do not affect the invariant checksum. */
static void
variant_fields(void **state)
{
	uint8_t w[PACKET_MAX_BYTES] = { 0 };
	uint64_t s = 1;
	struct packet p = random_packet(&s, PACKET_SEND_ONLY, w + 2000);
	uint32_t icrc;
	size_t n;

	(void)state;
	p.has_grh = false;
	n = packet_encode(w, &p) - 6;
	icrc = packet_icrc(w, n);
	w[0] ^= 0xf0;                                   /* virtual lane */
	w[12] ^= 0xff;                                  /* FECN, BECN */
	assert_int_equal(packet_icrc(w, n), icrc);
	w[1] ^= 0x10;                                   /* service level */
	assert_int_not_equal(packet_icrc(w, n), icrc);
	p.has_grh = true;
	n = packet_encode(w, &p) - 6;
	icrc = packet_icrc(w, n);
	for (unsigned i = 2; i < 8; i++)
		w[i] ^= 0xff;                           /* a router writes another local route */
	w[8] ^= 0x0f;
	w[9] ^= 0xff;
	w[10] ^= 0xff;
	w[11] ^= 0xff;
	w[15]--;
	assert_int_equal(packet_icrc(w, n), icrc);
	w[16] ^= 1;
	assert_int_not_equal(packet_icrc(w, n), icrc);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opcodes), cmocka_unit_test(write_with_immediate),
		cmocka_unit_test(datagram_with_grh), cmocka_unit_test(answers),
		cmocka_unit_test(checksum_of_an_adapter), cmocka_unit_test(there_and_back),
		cmocka_unit_test(damage), cmocka_unit_test(variant_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
