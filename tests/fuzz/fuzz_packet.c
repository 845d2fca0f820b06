/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fuzz_packet.c - any bytes as a packet of the wire, as they are and with checksums made right: what decodes lies within
 * them, and says the same when it is encoded and decoded again.
 */
#include <config.h>
#include <string.h>
#include "tests/fuzz/fuzz.h"
#include "verbs/soft/wire/packet.h"

static void
look(const uint8_t *w, size_t bytes)
{
	uint8_t again[PACKET_MAX_BYTES];
	struct packet p, q;
	size_t n;

	if (!packet_decode(w, bytes, &p))
		return;
	FUZZ_CHECK(p.payload >= w && p.payload + p.payload_bytes <= w + bytes);
	if (!packet_traits(p.opcode))
		return;
	n = packet_encode(again, &p);
	FUZZ_CHECK(n == bytes && packet_decode(again, n, &q));
	FUZZ_CHECK(q.payload_bytes == p.payload_bytes && !memcmp(q.payload, p.payload, p.payload_bytes));
	q.payload = p.payload;
	q.grh = p.grh;
	/* The kind of an AETH has a reserved bit, which is not sent. */
	FUZZ_CHECK(p.aeth_kind > 3 || (q.opcode == p.opcode && q.psn == p.psn && q.dest_qpn == p.dest_qpn && q.va == p.va &&
		q.rkey == p.rkey && q.aeth_kind == p.aeth_kind && q.msn == p.msn && q.dlid == p.dlid));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *w;

	look(data, size);
	if (size < PACKET_LRH_BYTES + PACKET_GRH_BYTES + PACKET_BTH_BYTES + PACKET_ICRC_BYTES + PACKET_VCRC_BYTES)
		return 0;
	w = malloc(size);
	memcpy(w, data, size);
	packet_seal(w, size);
	look(w, size);
	free(w);
	return 0;
}
