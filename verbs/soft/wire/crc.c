/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * crc.c - the checksums of a packet.
 * Room: verbs/soft/wire.  Pure.
 *
 * ICRC: the CRC-32 of Ethernet over all fields that no switch and no router changes; fields that
 * they may change count as ones.  VCRC: CRC-16 with the polynomial 0x100B over everything before
 * it.  Both shift the least significant bit first, begin with ones, are complemented, and are
 * sent least significant byte first.
 */
#include <config.h>
#include <string.h>
#include "verbs/soft/wire/packet.h"

static uint32_t
crc32_byte(uint32_t crc, uint8_t byte)
{
	static const uint32_t nibble[16] = {            /* of 0xedb88320, four bits at a time */
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158,
			0x5005713c,
		0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278,
		0xbdbdf21c,
	};

	crc ^= byte;
	crc = crc >> 4 ^ nibble[crc & 15];
	return crc >> 4 ^ nibble[crc & 15];
}

uint32_t
packet_crc32(uint32_t crc, const uint8_t *w, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		crc = crc32_byte(crc, w[i]);
	return crc;
}

uint32_t
packet_icrc(const uint8_t *w, size_t bytes)
{
	uint8_t head[PACKET_LRH_BYTES + PACKET_GRH_BYTES + PACKET_BTH_BYTES];
	bool grh = (w[1] & 3) == 3;
	size_t n = PACKET_LRH_BYTES + (grh ? PACKET_GRH_BYTES : 0) + PACKET_BTH_BYTES;

	memcpy(head, w, n);
	if (grh) {
		memset(head, 0xff, PACKET_LRH_BYTES);
		head[8] |= 0x0f;                        /* traffic class, flow label */
		memset(head + 9, 0xff, 3);
		head[15] = 0xff;                        /* hop limit */
	} else {
		head[0] |= 0xf0;                        /* virtual lane */
	}
	/* FECN, BECN and the reserved bits beside them */
	head[n - PACKET_BTH_BYTES + 4] = 0xff;
	return ~packet_crc32(packet_crc32(0xffffffff, head, n), w + n, bytes - n);
}

uint16_t
packet_vcrc(const uint8_t *w, size_t bytes)
{
	/* of 0xd008, which is 0x100b reversed */
	static const uint16_t nibble[16] = {
		0x0000, 0x1a01, 0x3402, 0x2e03, 0x6804, 0x7205, 0x5c06, 0x4607,
		0xd008, 0xca09, 0xe40a, 0xfe0b, 0xb80c, 0xa20d, 0x8c0e, 0x960f,
	};
	unsigned crc = 0xffff;

	for (size_t i = 0; i < bytes; i++) {
		crc ^= w[i];
		crc = crc >> 4 ^ nibble[crc & 15];
		crc = crc >> 4 ^ nibble[crc & 15];
	}
	return (uint16_t)~crc;
}

void
packet_seal(uint8_t *w, size_t bytes)
{
	size_t n = bytes - PACKET_ICRC_BYTES - PACKET_VCRC_BYTES;
	uint32_t icrc = packet_icrc(w, n);
	uint16_t vcrc;

	for (unsigned i = 0; i < 4; i++)
		w[n + i] = (uint8_t)(icrc >> (8 * i));
	vcrc = packet_vcrc(w, n + PACKET_ICRC_BYTES);
	w[n + 4] = (uint8_t)vcrc;
	w[n + 5] = (uint8_t)(vcrc >> 8);
}
