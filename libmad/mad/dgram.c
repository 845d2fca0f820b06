/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dgram.c - headers of whole datagrams: MAD header, SMPs, SA and RMPP headers.
 * Room: libmad/mad.  Pure.  In: 256-byte images.  Out: host-order structs, and images made from
 * them.  Every decoder accepts any bytes and reads only the fixed part of an image.
 */
#include <config.h>
#include <string.h>
#include "libmad/mad/dgram.h"

enum { SMP_DATA = 64, SMP_DATA_BYTES = 64, SMP_INITIAL_PATH = 128, SMP_RETURN_PATH = 192 };

/* The part of an SMP after its first 32 bytes: DR LIDs and paths (class 0x81), or reserved (class
 * 0x01). */
static void
put_route(uint8_t *w, const uint8_t *path, unsigned hops)
{
	if (!path) {
		memset(w + 32, 0, SMP_DATA - 32);
		memset(w + SMP_INITIAL_PATH, 0, DGRAM_BYTES - SMP_INITIAL_PATH);
		return;
	}
	wire_put16(w + 32, LID_PERMISSIVE);
	wire_put16(w + 34, LID_PERMISSIVE);
	memset(w + 36, 0, SMP_DATA - 36);
	memcpy(w + SMP_INITIAL_PATH, path, hops + 1);
	memset(w + SMP_INITIAL_PATH + hops + 1, 0, DGRAM_BYTES - SMP_INITIAL_PATH - hops - 1);
}

void
dgram_smp_make(uint8_t w[static DGRAM_BYTES], const struct dgram_smp *s)
{
	unsigned hops = s->hop_count <= DGRAM_HOPS_MAX ? s->hop_count : DGRAM_HOPS_MAX;

	w[0] = 1;
	w[1] = s->path ? CLASS_SM_DR : CLASS_SM_LID;
	w[2] = 1;
	w[3] = s->method;
	wire_put16(w + 4, 0);
	w[6] = 0;
	w[7] = s->path ? (uint8_t)hops : 0;
	wire_put64(w + 8, s->tid);
	wire_put16(w + 16, s->attr_id);
	wire_put16(w + 18, 0);
	wire_put32(w + 20, s->modifier);
	wire_put64(w + 24, s->mkey);
	put_route(w, s->path, hops);
	if (s->data)
		memcpy(w + SMP_DATA, s->data, SMP_DATA_BYTES);
	else
		memset(w + SMP_DATA, 0, SMP_DATA_BYTES);
}

void
dgram_smp_respond(uint8_t w[static DGRAM_BYTES], uint16_t status)
{
	switch (w[3]) {
	case METHOD_SET:                /* a Set is answered with a GetResp */
		w[3] = METHOD_GET_RESP;
		break;
	case METHOD_TRAP:
	case METHOD_TRAP_REPRESS:
		w[3] = METHOD_TRAP_REPRESS;
		break;
	default:
		w[3] |= METHOD_RESP;
	}
	if (w[1] == CLASS_SM_DR)
		status |= DGRAM_DIRECTION;
	wire_put16(w + 4, status);
}

struct dgram_rmpp_head
dgram_rmpp_head_decode(const uint8_t w[static 36])
{
	return (struct dgram_rmpp_head){
		.version = w[24], .type = w[25],
		.resp_time = w[26] >> 3, .flags = w[26] & 7,
		.status = w[27],
		.segment = wire_get32(w + 28),
		.length = wire_get32(w + 32),
	};
}

void
dgram_rmpp_head_encode(uint8_t w[static 36], const struct dgram_rmpp_head *h)
{
	w[24] = h->version;
	w[25] = h->type;
	w[26] = (uint8_t)(h->resp_time << 3 | (h->flags & 7));
	w[27] = h->status;
	wire_put32(w + 28, h->segment);
	wire_put32(w + 32, h->length);
}

bool
dgram_class_has_rmpp(uint8_t mgmt_class)
{
	return dgram_rmpp_header_bytes(mgmt_class) != 0;
}

unsigned
dgram_rmpp_header_bytes(uint8_t mgmt_class)
{
	if (mgmt_class >= CLASS_VENDOR2_FIRST && mgmt_class <= CLASS_VENDOR2_LAST)
		return 40;
	switch (mgmt_class) {
	case CLASS_SA:
		return SA_HEAD_BYTES;
	case CLASS_DEVMGT:
	case 0x10:                      /* device administration */
	case 0x12:                      /* boot installation service */
		return 64;
	default:
		return 0;
	}
}
