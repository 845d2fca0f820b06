/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * packet.c - converts between bytes and struct packet; see packet.h.
 * Room: verbs/soft/wire.  Pure.
 *
 * The order of headers is fixed: LRH, GRH, BTH, then DETH or XRCETH, RETH, AtomicETH, AETH,
 * AtomicAckETH, ImmDt, IETH.
 */
#include <config.h>
#include <string.h>
#include "libmad/wire/wire.h"
#include "verbs/soft/wire/packet.h"

enum { LNH_LOCAL = 2, LNH_GLOBAL = 3, NEXT_HEADER_IBA = 0x1b };

static const unsigned ops[PACKET_OPS] = {
#define BODY (PACKET_HAS_PAYLOAD | PACKET_IS_KNOWN)
#define ONLY (PACKET_IS_FIRST | PACKET_IS_LAST)
	[PACKET_SEND_FIRST] = BODY | PACKET_IS_SEND | PACKET_IS_FIRST | PACKET_OF_UC,
	[PACKET_SEND_MIDDLE] = BODY | PACKET_IS_SEND | PACKET_OF_UC,
	[PACKET_SEND_LAST] = BODY | PACKET_IS_SEND | PACKET_IS_LAST | PACKET_OF_UC,
	[PACKET_SEND_LAST_IMM] = BODY | PACKET_IS_SEND | PACKET_IS_LAST | PACKET_HAS_IMM |
		PACKET_OF_UC,
	[PACKET_SEND_ONLY] = BODY | PACKET_IS_SEND | ONLY | PACKET_OF_UC | PACKET_OF_UD,
	[PACKET_SEND_ONLY_IMM] = BODY | PACKET_IS_SEND | ONLY | PACKET_HAS_IMM | PACKET_OF_UC |
		PACKET_OF_UD,
	[PACKET_WRITE_FIRST] = BODY | PACKET_IS_WRITE | PACKET_IS_FIRST | PACKET_HAS_RETH |
		PACKET_OF_UC,
	[PACKET_WRITE_MIDDLE] = BODY | PACKET_IS_WRITE | PACKET_OF_UC,
	[PACKET_WRITE_LAST] = BODY | PACKET_IS_WRITE | PACKET_IS_LAST | PACKET_OF_UC,
	[PACKET_WRITE_LAST_IMM] = BODY | PACKET_IS_WRITE | PACKET_IS_LAST | PACKET_HAS_IMM |
		PACKET_OF_UC,
	[PACKET_WRITE_ONLY] = BODY | PACKET_IS_WRITE | ONLY | PACKET_HAS_RETH | PACKET_OF_UC,
	[PACKET_WRITE_ONLY_IMM] = BODY | PACKET_IS_WRITE | ONLY | PACKET_HAS_RETH | PACKET_HAS_IMM |
		PACKET_OF_UC,
	[PACKET_READ_REQUEST] = PACKET_IS_KNOWN | ONLY | PACKET_HAS_RETH,
	[PACKET_READ_FIRST] = BODY | PACKET_IS_RESPONSE | PACKET_IS_READ_RESPONSE |
		PACKET_IS_FIRST | PACKET_HAS_AETH,
	[PACKET_READ_MIDDLE] = BODY | PACKET_IS_RESPONSE | PACKET_IS_READ_RESPONSE,
	[PACKET_READ_LAST] = BODY | PACKET_IS_RESPONSE | PACKET_IS_READ_RESPONSE | PACKET_IS_LAST |
		PACKET_HAS_AETH,
	[PACKET_READ_ONLY] = BODY | PACKET_IS_RESPONSE | PACKET_IS_READ_RESPONSE | ONLY |
		PACKET_HAS_AETH,
	[PACKET_ACK] = PACKET_IS_KNOWN | PACKET_IS_RESPONSE | ONLY | PACKET_HAS_AETH,
	[PACKET_ATOMIC_ACK] = PACKET_IS_KNOWN | PACKET_IS_RESPONSE | ONLY | PACKET_HAS_AETH |
		PACKET_HAS_ATOMIC_ACK,
	[PACKET_CMP_SWAP] = PACKET_IS_KNOWN | ONLY | PACKET_HAS_ATOMIC,
	[PACKET_FETCH_ADD] = PACKET_IS_KNOWN | ONLY | PACKET_HAS_ATOMIC,
	[PACKET_SEND_LAST_INV] = BODY | PACKET_IS_SEND | PACKET_IS_LAST | PACKET_HAS_IETH,
	[PACKET_SEND_ONLY_INV] = BODY | PACKET_IS_SEND | ONLY | PACKET_HAS_IETH,
#undef BODY
#undef ONLY
};

unsigned
packet_traits(uint8_t opcode)
{
	unsigned traits = ops[opcode & 0x1f];

	switch (opcode & 0xe0) {
	case PACKET_RC:
	case PACKET_XRC:
		return traits;
	case PACKET_UC:
		return traits & PACKET_OF_UC ? traits : 0;
	case PACKET_UD:
		return traits & PACKET_OF_UD ? traits : 0;
	default:
		return 0;
	}
}

/* Size of the extended headers.  Responses of XRC carry no number of a shared receive queue. */
static size_t
extended_bytes(uint8_t opcode, unsigned traits)
{
	size_t n = 0;

	if ((opcode & 0xe0) == PACKET_UD)
		n += 8;
	if ((opcode & 0xe0) == PACKET_XRC && !(traits & PACKET_IS_RESPONSE))
		n += 4;
	if (traits & PACKET_HAS_RETH)
		n += 16;
	if (traits & PACKET_HAS_ATOMIC)
		n += 28;
	if (traits & PACKET_HAS_AETH)
		n += 4;
	if (traits & PACKET_HAS_ATOMIC_ACK)
		n += 8;
	if (traits & (PACKET_HAS_IMM | PACKET_HAS_IETH))
		n += 4;
	return n;
}

size_t
packet_head_bytes(const struct packet *p)
{
	return (size_t)PACKET_LRH_BYTES + (p->has_grh ? PACKET_GRH_BYTES : 0) + PACKET_BTH_BYTES +
		extended_bytes(p->opcode, packet_traits(p->opcode));
}

static void
put_u24(uint8_t *w, uint32_t v)
{
	w[0] = (uint8_t)(v >> 16);
	wire_put16(w + 1, (uint16_t)v);
}

static uint32_t
get_u24(const uint8_t *w)
{
	return (uint32_t)w[0] << 16 | wire_get16(w + 1);
}

static uint8_t *
encode_routes(uint8_t *w, const struct packet *p, size_t words, size_t after_grh_bytes)
{
	w[0] = (uint8_t)(p->vl << 4);
	w[1] = (uint8_t)(p->sl << 4 | (p->has_grh ? LNH_GLOBAL : LNH_LOCAL));
	wire_put16(w + 2, p->dlid);
	wire_put16(w + 4, (uint16_t)words);
	wire_put16(w + 6, p->slid);
	w += PACKET_LRH_BYTES;
	if (!p->has_grh)
		return w;
	wire_put32(w, 6u << 28 | (uint32_t)p->tclass << 20 | (p->flow_label & 0xfffff));
	wire_put16(w + 4, (uint16_t)after_grh_bytes);
	w[6] = NEXT_HEADER_IBA;
	w[7] = p->hop_limit;
	memcpy(w + 8, p->sgid, 16);
	memcpy(w + 24, p->dgid, 16);
	return w + PACKET_GRH_BYTES;
}

static uint8_t *
encode_bth(uint8_t *w, const struct packet *p, unsigned pad)
{
	w[0] = p->opcode;
	w[1] = (uint8_t)((unsigned)p->solicited << 7 | (unsigned)p->migrated << 6 | pad << 4);
	wire_put16(w + 2, p->pkey);
	wire_put32(w + 4, p->dest_qpn);
	wire_put32(w + 8, (uint32_t)p->ack_request << 31 | (p->psn & PACKET_PSN_MASK));
	return w + PACKET_BTH_BYTES;
}

static uint8_t *
encode_extended(uint8_t *w, const struct packet *p, unsigned traits)
{
	if ((p->opcode & 0xe0) == PACKET_UD) {
		wire_put32(w, p->qkey);
		wire_put32(w + 4, p->src_qpn);
		w += 8;
	}
	if ((p->opcode & 0xe0) == PACKET_XRC && !(traits & PACKET_IS_RESPONSE)) {
		wire_put32(w, p->srq_num);
		w += 4;
	}
	if (traits & (PACKET_HAS_RETH | PACKET_HAS_ATOMIC)) {
		wire_put64(w, p->va);
		wire_put32(w + 8, p->rkey);
		w += 12;
	}
	if (traits & PACKET_HAS_RETH) {
		wire_put32(w, p->dma_bytes);
		w += 4;
	}
	if (traits & PACKET_HAS_ATOMIC) {
		wire_put64(w, p->swap_add);
		wire_put64(w + 8, p->compare);
		w += 16;
	}
	if (traits & PACKET_HAS_AETH) {
		w[0] = (uint8_t)(p->aeth_kind << 5 | (p->aeth_value & 31));
		put_u24(w + 1, p->msn);
		w += 4;
	}
	if (traits & PACKET_HAS_ATOMIC_ACK) {
		wire_put64(w, p->original);
		w += 8;
	}
	if (traits & PACKET_HAS_IMM) {
		memcpy(w, p->imm, 4);
		w += 4;
	}
	if (traits & PACKET_HAS_IETH) {
		wire_put32(w, p->inv_rkey);
		w += 4;
	}
	return w;
}

size_t
packet_build(uint8_t *w, const struct packet *p)
{
	unsigned traits = packet_traits(p->opcode), pad = -p->payload_bytes & 3;
	size_t head = packet_head_bytes(p), bytes = head + p->payload_bytes + pad +
		PACKET_ICRC_BYTES;
	uint8_t *at;

	at = encode_routes(w, p, bytes / 4, bytes - PACKET_LRH_BYTES - PACKET_GRH_BYTES);
	at = encode_bth(at, p, pad);
	at = encode_extended(at, p, traits);
	if (p->payload)
		memcpy(at, p->payload, p->payload_bytes);
	memset(at + p->payload_bytes, 0, pad + PACKET_ICRC_BYTES + PACKET_VCRC_BYTES);
	return bytes + PACKET_VCRC_BYTES;
}

size_t
packet_encode(uint8_t *w, const struct packet *p)
{
	size_t bytes = packet_build(w, p);

	packet_seal(w, bytes);
	return bytes;
}

static bool
decode_routes(struct wire_cursor *c, size_t bytes, struct packet *p)
{
	const uint8_t *w = wire_take(c, PACKET_LRH_BYTES);
	size_t words;

	/* another version, or not an InfiniBand transport */
	if (!w || (w[0] & 15) || (w[1] & 3) < LNH_LOCAL)
		return false;
	p->vl = w[0] >> 4;
	p->sl = w[1] >> 4;
	p->has_grh = (w[1] & 3) == LNH_GLOBAL;
	p->dlid = wire_get16(w + 2);
	words = wire_get16(w + 4) & 0x7ff;
	p->slid = wire_get16(w + 6);
	if (words * 4 + PACKET_VCRC_BYTES != bytes)
		return false;
	if (!p->has_grh)
		return true;
	w = wire_take(c, PACKET_GRH_BYTES);
	if (!w || w[0] >> 4 != 6 || w[6] != NEXT_HEADER_IBA || wire_get16(w + 4) != bytes -
		    PACKET_VCRC_BYTES - 48)
		return false;
	p->grh = w;
	p->tclass = (uint8_t)(wire_get16(w) >> 4);
	p->flow_label = wire_get32(w) & 0xfffff;
	p->hop_limit = w[7];
	memcpy(p->sgid, w + 8, 16);
	memcpy(p->dgid, w + 24, 16);
	return true;
}

/* Reads the base transport header; '*pad' is the number of pad bytes. */
static bool
decode_bth(struct wire_cursor *c, struct packet *p, unsigned *pad)
{
	const uint8_t *w = wire_take(c, PACKET_BTH_BYTES);

	if (!w || (w[1] & 15))
		return false;
	p->opcode = w[0];
	p->solicited = w[1] >> 7;
	p->migrated = w[1] >> 6 & 1;
	*pad = w[1] >> 4 & 3;
	p->pkey = wire_get16(w + 2);
	p->dest_qpn = get_u24(w + 5);
	p->ack_request = w[8] >> 7;
	p->psn = get_u24(w + 9);
	return true;
}

static void
decode_extended(struct wire_cursor *c, struct packet *p, unsigned traits)
{
	const uint8_t *imm;
	uint32_t v;

	if ((p->opcode & 0xe0) == PACKET_UD) {
		p->qkey = wire_u32(c);
		p->src_qpn = wire_u32(c) & PACKET_PSN_MASK;
	}
	if ((p->opcode & 0xe0) == PACKET_XRC && !(traits & PACKET_IS_RESPONSE))
		p->srq_num = wire_u32(c) & PACKET_PSN_MASK;
	if (traits & (PACKET_HAS_RETH | PACKET_HAS_ATOMIC)) {
		p->va = wire_u64(c);
		p->rkey = wire_u32(c);
	}
	if (traits & PACKET_HAS_RETH)
		p->dma_bytes = wire_u32(c);
	if (traits & PACKET_HAS_ATOMIC) {
		p->swap_add = wire_u64(c);
		p->compare = wire_u64(c);
	}
	if (traits & PACKET_HAS_AETH) {
		v = wire_u32(c);
		/* The reserved first bit gives kinds of 4 and more. */
		p->aeth_kind = (uint8_t)(v >> 29);
		p->aeth_value = v >> 24 & 31;
		p->msn = v & PACKET_PSN_MASK;
	}
	if (traits & PACKET_HAS_ATOMIC_ACK)
		p->original = wire_u64(c);
	if (traits & PACKET_HAS_IMM && (imm = wire_take(c, 4)))
		memcpy(p->imm, imm, 4);
	if (traits & PACKET_HAS_IETH)
		p->inv_rkey = wire_u32(c);
}

bool
packet_parse(const uint8_t *w, size_t bytes, struct packet *p)
{
	struct wire_cursor c = wire_cursor(w, bytes);
	unsigned pad, traits;
	size_t left;

	memset(p, 0, sizeof(*p));
	if (!decode_routes(&c, bytes, p) || !decode_bth(&c, p, &pad))
		return false;
	traits = packet_traits(p->opcode);
	decode_extended(&c, p, traits);
	left = wire_left(&c);
	if (c.failed || left < pad + PACKET_ICRC_BYTES + PACKET_VCRC_BYTES)
		return false;
	p->payload_bytes = (uint32_t)(left - pad - PACKET_ICRC_BYTES - PACKET_VCRC_BYTES);
	p->payload = c.p;
	return p->payload_bytes <= PACKET_MTU_MAX && (!traits || traits & PACKET_HAS_PAYLOAD ||
		p->payload_bytes == 0);
}

static bool
checksums_right(const uint8_t *w, size_t bytes)
{
	size_t n = bytes - PACKET_ICRC_BYTES - PACKET_VCRC_BYTES;
	uint32_t icrc = packet_icrc(w, n);
	uint16_t vcrc = packet_vcrc(w, n + PACKET_ICRC_BYTES);

	for (unsigned i = 0; i < 4; i++)
		if (w[n + i] != (uint8_t)(icrc >> (8 * i)))
			return false;
	return w[n + 4] == (uint8_t)vcrc && w[n + 5] == vcrc >> 8;
}

bool
packet_decode(const uint8_t *w, size_t bytes, struct packet *p)
{
	return packet_parse(w, bytes, p) && checksums_right(w, bytes);
}
