/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * packet.h - InfiniBand packets: conversion between bytes and a struct, and the two checksums
 * (docs/wire.md, "Packets").
 * Room: verbs/soft/wire (prefix packet_).  Pure.
 *
 * Decoding accepts any bytes: they may be damaged or hostile.  Encoding writes a packet with pad
 * and checksums.  The traits of an opcode say which headers it has and what it is; code above
 * asks for traits instead of comparing opcodes.
 */
#ifndef HEDDLE_VERBS_SOFT_WIRE_PACKET_H
#define HEDDLE_VERBS_SOFT_WIRE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PACKET_LRH_BYTES = 8, PACKET_GRH_BYTES = 40, PACKET_BTH_BYTES = 12, PACKET_ICRC_BYTES = 4,
	PACKET_VCRC_BYTES = 2, PACKET_MTU_MAX = 4096,
	/* All headers that can occur together: XRC, RETH and immediate data. */
	PACKET_MAX_BYTES = 8 + 40 + 12 + 4 + 28 + 4 + PACKET_MTU_MAX + 4 + 2,
};

/* The upper three bits of an opcode: the service. */
enum packet_service { PACKET_RC = 0x00, PACKET_UC = 0x20, PACKET_RD = 0x40, PACKET_UD = 0x60,
	PACKET_XRC = 0xa0 };

/* The lower five. */
enum packet_op {
	PACKET_SEND_FIRST, PACKET_SEND_MIDDLE, PACKET_SEND_LAST, PACKET_SEND_LAST_IMM,
	PACKET_SEND_ONLY, PACKET_SEND_ONLY_IMM, PACKET_WRITE_FIRST, PACKET_WRITE_MIDDLE,
	PACKET_WRITE_LAST, PACKET_WRITE_LAST_IMM, PACKET_WRITE_ONLY, PACKET_WRITE_ONLY_IMM,
	PACKET_READ_REQUEST, PACKET_READ_FIRST, PACKET_READ_MIDDLE, PACKET_READ_LAST,
	PACKET_READ_ONLY, PACKET_ACK, PACKET_ATOMIC_ACK, PACKET_CMP_SWAP, PACKET_FETCH_ADD,
	PACKET_SEND_LAST_INV = 0x16, PACKET_SEND_ONLY_INV = 0x17,
	PACKET_OPS = 0x20,
};

/* Properties of an operation. */
enum packet_trait {
	PACKET_HAS_RETH = 1 << 0, PACKET_HAS_ATOMIC = 1 << 1, PACKET_HAS_AETH = 1 << 2,
	PACKET_HAS_ATOMIC_ACK = 1 << 3, PACKET_HAS_IMM = 1 << 4, PACKET_HAS_IETH = 1 << 5,
	PACKET_IS_FIRST = 1 << 6, PACKET_IS_LAST = 1 << 7,      /* ONLY: both; MIDDLE: neither */
	PACKET_IS_SEND = 1 << 8, PACKET_IS_WRITE = 1 << 9, PACKET_IS_READ_RESPONSE = 1 << 10,
	PACKET_IS_RESPONSE = 1 << 11, PACKET_HAS_PAYLOAD = 1 << 12, PACKET_IS_KNOWN = 1 << 13,
	PACKET_OF_UC = 1 << 14, PACKET_OF_UD = 1 << 15,         /* these services have it as well */
};

/* AETH: two bits of kind, five of value. */
enum { PACKET_AETH_ACK = 0, PACKET_AETH_RNR = 1, PACKET_AETH_NAK = 3 };
enum packet_nak { PACKET_NAK_SEQUENCE, PACKET_NAK_INVALID_REQUEST, PACKET_NAK_ACCESS,
	PACKET_NAK_OPERATION, PACKET_NAK_INVALID_RD };
enum { PACKET_NO_CREDITS = 31 };                /* an ACK's value: no end-to-end flow control */
enum { PACKET_QPN_MULTICAST = 0xffffff, PACKET_PSN_MASK = 0xffffff };

struct packet {
	uint8_t vl, sl;
	uint16_t dlid, slid;
	bool has_grh;
	uint8_t tclass, hop_limit;
	uint32_t flow_label;
	uint8_t sgid[16], dgid[16];
	uint8_t opcode;
	bool solicited, migrated, ack_request;
	uint16_t pkey;
	uint32_t dest_qpn, psn;
	uint32_t qkey, src_qpn;         /* UD */
	uint32_t srq_num;               /* XRC */
	uint64_t va;                    /* RETH, atomic */
	uint32_t rkey, dma_bytes;
	uint64_t swap_add, compare;
	uint8_t aeth_kind, aeth_value;
	uint32_t msn;
	uint64_t original;              /* atomic ACK: the value before */
	uint8_t imm[4];                 /* in the application's byte order */
	uint32_t inv_rkey;
	const uint8_t *grh;             /* decoded: its bytes */
	const uint8_t *payload;
	uint32_t payload_bytes;
};

/* enum packet_trait bits; 0 for an operation that does not exist, or that the opcode's service
 * lacks. */
unsigned packet_traits(uint8_t opcode);

/* Size of the headers of 'p', from the local route header to the last extended one. */
size_t packet_head_bytes(const struct packet *p);
/* Writes headers, payload (NULL: the caller has put 'payload_bytes' at w + packet_head_bytes()),
 * pad and both checksums.  'w' has room for PACKET_MAX_BYTES.  Returns the number of bytes. */
size_t packet_encode(uint8_t *w, const struct packet *p);
/* The same with checksums of zero, for a packet that only packet_parse() reads, or that
 * packet_seal() completes later. */
size_t packet_build(uint8_t *w, const struct packet *p);
/* Accepts any bytes.  False: not an InfiniBand transport packet with consistent lengths and
 * right checksums.  The payload points into 'w'.  The operation may not exist (packet_traits()
 * is 0). */
bool packet_decode(const uint8_t *w, size_t bytes, struct packet *p);

/* packet_decode() without checking the checksums. */
bool packet_parse(const uint8_t *w, size_t bytes, struct packet *p);

/* Continues the CRC of the invariant checksum over 'bytes' more bytes: begin with ~0, complement
 * at the end. */
uint32_t packet_crc32(uint32_t crc, const uint8_t *w, size_t bytes);
/* The invariant checksum of a packet, of which 'bytes' are from the local route header to the
 * end of the pad. */
uint32_t packet_icrc(const uint8_t *w, size_t bytes);
/* The variant checksum of 'bytes' from the local route header to the ICRC. */
uint16_t packet_vcrc(const uint8_t *w, size_t bytes);
/* Recomputes both checksums of a whole packet. */
void packet_seal(uint8_t *w, size_t bytes);

#endif
