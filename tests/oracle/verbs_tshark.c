/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verbs_tshark.c - packets of the software adapters for a peer that dissects them, and what it must find.
 * Usage: verbs_tshark write FILE     random packets of each operation of RC, UC and UD, in a capture
 *        verbs_tshark fields         the peer's names of the fields, one per line
 *        verbs_tshark check FILE < OUTPUT    the peer's values, a line per packet, separated by tabs
 * The peer does not know the headers of XRC and does not check checksums.
 */
#include <config.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/wire/wire.h"
#include "tests/oracle/random.h"
#include "verbs/soft/wire/packet.h"

enum { ROUNDS = 12, PAYLOAD_MAX = 300, RECORD_BYTES = 16 };

struct value {
	const char *field;
	uint64_t (*get)(const struct packet *);
	unsigned traits;                /* only of operations with one of these; 0: of all */
	bool ud, grh;                   /* only of these */
	bool hex;                       /* the peer prints digits alone */
};

#define GET(name, expression) \
	static uint64_t get_##name(const struct packet *p) { return (uint64_t)(expression); }
GET(vl, p->vl)
GET(sl, p->sl)
GET(dlid, p->dlid)
GET(slid, p->slid)
GET(words, (packet_head_bytes(p) + p->payload_bytes + (-p->payload_bytes & 3) + 4) / 4)
GET(paylen, packet_head_bytes(p) + p->payload_bytes + (-p->payload_bytes & 3) + 4 - 48)
GET(hops, p->hop_limit)
GET(flow, p->flow_label)
GET(opcode, p->opcode)
GET(se, p->solicited)
GET(m, p->migrated)
GET(pad, -p->payload_bytes & 3)
GET(pkey, p->pkey)
GET(qpn, p->dest_qpn)
GET(a, p->ack_request)
GET(psn, p->psn)
GET(qkey, p->qkey)
GET(srcqp, p->src_qpn)
GET(va, p->va)
GET(rkey, p->rkey)
GET(dma, p->dma_bytes)
GET(swap, p->swap_add)
GET(compare, p->compare)
GET(syndrome, (uint64_t)p->aeth_kind << 5 | p->aeth_value)
GET(msn, p->msn)
GET(original, p->original)
GET(imm, wire_get32(p->imm))
GET(inv, p->inv_rkey)

static const struct value values[] = {
	{ "lrh.vl", get_vl, 0, false, false, false }, { "lrh.sl", get_sl, 0, false, false, false },
	{ "lrh.dlid", get_dlid, 0, false, false, false }, { "lrh.slid", get_slid, 0, false, false, false },
	{ "lrh.pktlen", get_words, 0, false, false, false }, { "grh.paylen", get_paylen, 0, false, true, false },
	{ "grh.hoplmt", get_hops, 0, false, true, false },
	{ "grh.flowlabel", get_flow, 0, false, true, false }, { "bth.opcode", get_opcode, 0, false, false, false },
	{ "bth.se", get_se, 0, false, false, false }, { "bth.m", get_m, 0, false, false, false },
	{ "bth.padcnt", get_pad, 0, false, false, false }, { "bth.p_key", get_pkey, 0, false, false, false },
	{ "bth.destqp", get_qpn, 0, false, false, false }, { "bth.a", get_a, 0, false, false, false },
	{ "bth.psn", get_psn, 0, false, false, false }, { "deth.q_key", get_qkey, 0, true, false, false },
	{ "deth.srcqp", get_srcqp, 0, true, false, false },
	{ "reth.va", get_va, PACKET_HAS_RETH | PACKET_HAS_ATOMIC, false, false, false },
	{ "reth.r_key", get_rkey, PACKET_HAS_RETH | PACKET_HAS_ATOMIC, false, false, false },
	{ "reth.dmalen", get_dma, PACKET_HAS_RETH, false, false, false },
	{ "atomiceth.swapdt", get_swap, PACKET_HAS_ATOMIC, false, false, false },
	{ "atomiceth.cmpdt", get_compare, PACKET_HAS_ATOMIC, false, false, false },
	{ "aeth.syndrome", get_syndrome, PACKET_HAS_AETH, false, false, false },
	{ "aeth.msn", get_msn, PACKET_HAS_AETH, false, false, false },
	{ "immdt", get_imm, PACKET_HAS_IMM, false, false, true },
	{ "ieth", get_inv, PACKET_HAS_IETH, false, false, true },
	{ "atomicacketh.origremdt", get_original, PACKET_HAS_ATOMIC_ACK, false, false, false },
};
enum { NVALUES = sizeof(values) / sizeof(values[0]) };
static const char *const gids[2] = { "grh.sgid", "grh.dgid" };

static bool
dissected(uint8_t opcode)
{
	uint8_t op = opcode & 0x1f;

	return packet_traits(opcode) && (opcode & 0xe0) != PACKET_XRC && op <= PACKET_SEND_ONLY_INV;
}

static struct packet
packet_make(uint8_t opcode, uint64_t *rnd, const uint8_t *payload)
{
	unsigned traits = packet_traits(opcode);
	struct packet p;

	memset(&p, 0, sizeof(p));
	p.vl = random_next(rnd) % 8;            /* 15 would be management */
	p.sl = random_next(rnd) & 15;
	p.dlid = (uint16_t)(1 + random_next(rnd) % 0xbffe);
	p.slid = (uint16_t)(1 + random_next(rnd) % 0xbffe);
	p.has_grh = random_next(rnd) & 1;
	p.tclass = (uint8_t)random_next(rnd);
	p.flow_label = random_next(rnd) & 0xfffff;
	p.hop_limit = (uint8_t)random_next(rnd);
	random_bytes(rnd, p.sgid, 16);
	random_bytes(rnd, p.dgid, 16);
	p.opcode = opcode;
	p.solicited = random_next(rnd) & 1;
	p.migrated = random_next(rnd) & 1;
	p.ack_request = random_next(rnd) & 1;
	p.pkey = (uint16_t)random_next(rnd);
	p.dest_qpn = 2 + (uint32_t)(random_next(rnd) % 0xfffff0);   /* 0 and 1 are management's */
	p.psn = random_next(rnd) & 0xffffff;
	p.qkey = (uint32_t)random_next(rnd);
	p.src_qpn = 2 + (uint32_t)(random_next(rnd) % 0xfffff0);
	p.va = random_next(rnd);
	p.rkey = (uint32_t)random_next(rnd);
	p.dma_bytes = (uint32_t)random_next(rnd);
	p.swap_add = random_next(rnd);
	p.compare = random_next(rnd);
	p.aeth_kind = random_next(rnd) & 3;
	p.aeth_value = random_next(rnd) & 31;
	p.msn = random_next(rnd) & 0xffffff;
	p.original = random_next(rnd);
	random_bytes(rnd, p.imm, 4);
	p.inv_rkey = (uint32_t)random_next(rnd);
	if (traits & PACKET_HAS_PAYLOAD) {
		p.payload = payload;
		p.payload_bytes = (uint32_t)(random_next(rnd) % PAYLOAD_MAX);
	}
	return p;
}

static int
write_capture(const char *file)
{
	struct { uint32_t magic; uint16_t major, minor; uint32_t zone, digits, longest, link; } head = {
		0xa1b2c3d4, 2, 4, 0, 0, 65535, 197,     /* in the order of this machine */
	};
	uint64_t rnd = random_seed();
	FILE *f = fopen(file, "wb");
	uint8_t w[RECORD_BYTES + PACKET_MAX_BYTES], payload[PAYLOAD_MAX];

	if (!f)
		return 99;
	fwrite(&head, sizeof(head), 1, f);
	for (unsigned n = 0; n < ROUNDS * 256; n++) {
		struct packet p;
		uint32_t bytes;

		if (!dissected((uint8_t)n))
			continue;
		random_bytes(&rnd, payload, sizeof(payload));
		payload[0] = 0x80;                      /* no look at it as at an Ethernet frame */
		p = packet_make((uint8_t)n, &rnd, payload);
		bytes = RECORD_BYTES + (uint32_t)packet_encode(w + RECORD_BYTES, &p);
		memset(w, 0, RECORD_BYTES);
		w[8] = 21;                              /* the recorder's header: type InfiniBand */
		w[9] = 4;
		wire_put16(w + 10, (uint16_t)bytes);
		wire_put16(w + 14, (uint16_t)(bytes - RECORD_BYTES));
		fwrite((uint32_t[4]){ n, 0, bytes, bytes }, 16, 1, f);
		fwrite(w, bytes, 1, f);
	}
	return fclose(f) ? 99 : 0;
}

static uint64_t
number(const char *text, bool hex)
{
	if (!strcmp(text, "True") || !strcmp(text, "False"))
		return *text == 'T';
	return strtoull(text, NULL, hex ? 16 : 0);
}

/* How many values of the line do not agree. */
static int
line_check(const struct packet *p, char *line)
{
	unsigned traits = packet_traits(p->opcode);
	int bad = 0;

	for (unsigned i = 0; i < NVALUES; i++) {
		const struct value *v = &values[i];
		const char *text = line ? strsep(&line, "\t") : "";
		bool there = (!v->traits || traits & v->traits) && (!v->ud || (p->opcode & 0xe0) == PACKET_UD) &&
			(!v->grh || p->has_grh);

		if (there ? !*text || number(text, v->hex) != v->get(p) : *text) {
			printf("# opcode 0x%02x: the peer's %s is \"%s\"\n", p->opcode, v->field, text);
			bad++;
		}
	}
	for (unsigned i = 0; i < 2; i++) {
		const char *text = line ? strsep(&line, "\t") : "";
		uint8_t gid[16];

		if (p->has_grh ? inet_pton(AF_INET6, text, gid) != 1 || memcmp(gid, i ? p->dgid : p->sgid, 16) : *text) {
			printf("# opcode 0x%02x: the peer's %s is \"%s\"\n", p->opcode, gids[i], text);
			bad++;
		}
	}
	return bad;
}

static int
packets_check(const char *file)
{
	static char line[65536];
	uint8_t w[RECORD_BYTES + PACKET_MAX_BYTES];
	FILE *f = fopen(file, "rb");
	uint32_t record[4];
	int bad = 0, seen = 0, written = 0;

	if (!f || fseek(f, 24, SEEK_SET))
		return 99;
	while (fread(record, sizeof(record), 1, f) == 1 && record[2] <= sizeof(w) && fread(w, record[2], 1, f) == 1) {
		struct packet p;

		written++;
		if (!packet_decode(w + RECORD_BYTES, record[2] - RECORD_BYTES, &p) || !fgets(line, sizeof(line), stdin))
			continue;
		line[strcspn(line, "\n")] = '\0';
		seen++;
		bad += line_check(&p, line);
		if (bad > 20)
			break;
	}
	fclose(f);
	if (seen != written)
		printf("# %d packets of %d were dissected\n", seen, written);
	printf("# %d packets\n", seen);
	return bad || seen != written || seen < ROUNDS * 30;
}

int
main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "write"))
		return write_capture(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "fields")) {
		for (unsigned i = 0; i < NVALUES; i++)
			printf("infiniband.%s\n", values[i].field);
		printf("infiniband.%s\ninfiniband.%s\n", gids[0], gids[1]);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "check"))
		return packets_check(argv[2]);
	return 2;
}
