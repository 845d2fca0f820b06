/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vca_wire.c - frames of virtual adapters, to and from bytes.
 * Room: sim/serve.  Pure.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "libmad/mad/dgram.h"
#include "libmad/wire/wire.h"
#include "sim/serve/vca_wire.h"

#define IP_VERSION 6
#define NEXT_HEADER 0x1b                /* of a GRH: a base transport header follows */
#define GRH_PAYLOAD (12 + 8 + 256 + 4)  /* BTH, DETH, MAD, ICRC */

static void
put_grh(uint8_t *w, const struct hw_packet *p)
{
	wire_put32(w, (uint32_t)IP_VERSION << 28 | (uint32_t)p->traffic_class << 20 |
		(p->flow_label & 0xfffff));
	wire_put16(w + 4, GRH_PAYLOAD);
	w[6] = NEXT_HEADER;
	w[7] = p->hop_limit;
	memcpy(w + 8, p->sgid, 16);
	memcpy(w + 24, p->dgid, 16);
}

static void
get_grh(const uint8_t *w, struct hw_packet *p)
{
	uint32_t first = wire_get32(w);

	p->grh = true;
	p->traffic_class = (uint8_t)(first >> 20);
	p->flow_label = first & 0xfffff;
	p->hop_limit = w[7];
	memcpy(p->sgid, w + 8, 16);
	memcpy(p->dgid, w + 24, 16);
}

void
vca_frame_encode(uint8_t w[static VCA_FRAME_BYTES], const struct vca_frame *f)
{
	const struct hw_packet *p = &f->packet;

	memset(w, 0, VCA_FRAME_BYTES);
	w[VCA_AT_VERSION] = VCA_VERSION;
	w[VCA_AT_KIND] = f->kind;
	w[VCA_AT_PORT] = f->port;
	if (f->kind != VCA_MAD) {
		wire_put16(w + VCA_AT_ATTR, f->attr_id);
		wire_put32(w + VCA_AT_MODIFIER, f->modifier);
		wire_put32(w + VCA_AT_LIFE, f->life);
		memcpy(w + VCA_AT_DATA, f->data, VCA_DATA_BYTES);
		return;
	}
	w[VCA_AT_SL] = p->sl & 0x0f;
	wire_put16(w + VCA_AT_SLID, p->slid);
	wire_put16(w + VCA_AT_DLID, p->dlid);
	wire_put32(w + VCA_AT_SRC_QP, p->src_qp);
	wire_put32(w + VCA_AT_DST_QP, p->dst_qp);
	wire_put32(w + VCA_AT_QKEY, p->qkey);
	wire_put16(w + VCA_AT_PKEY, p->pkey);
	if (p->grh) {
		w[VCA_AT_FLAGS] = VCA_FLAG_GRH;
		put_grh(w + VCA_AT_GRH, p);
	}
	memcpy(w + VCA_AT_MAD, p->mad, VCA_MAD_BYTES);
}

static int
decode_mad(const uint8_t *w, struct hw_packet *p)
{
	if (w[VCA_AT_FLAGS] & ~VCA_FLAG_GRH || w[VCA_AT_ZERO] || w[VCA_AT_SL] > 15)
		return -EBADMSG;
	p->sl = w[VCA_AT_SL];
	p->slid = wire_get16(w + VCA_AT_SLID);
	p->dlid = wire_get16(w + VCA_AT_DLID);
	p->src_qp = wire_get32(w + VCA_AT_SRC_QP);
	p->dst_qp = wire_get32(w + VCA_AT_DST_QP);
	p->qkey = wire_get32(w + VCA_AT_QKEY);
	p->pkey = wire_get16(w + VCA_AT_PKEY);
	if (p->src_qp > 1 || p->dst_qp > 1)
		return -EBADMSG;        /* management packets, nothing else */
	if (w[VCA_AT_FLAGS] & VCA_FLAG_GRH)
		get_grh(w + VCA_AT_GRH, p);
	memcpy(p->mad, w + VCA_AT_MAD, VCA_MAD_BYTES);
	return 0;
}

int
vca_frame_decode(const uint8_t *w, size_t bytes, struct vca_frame *f)
{
	if (bytes != VCA_FRAME_BYTES || w[VCA_AT_VERSION] != VCA_VERSION ||
	    w[VCA_AT_KIND] < VCA_MAD || w[VCA_AT_KIND] > VCA_LINK)
		return -EBADMSG;
	memset(f, 0, sizeof(*f));
	f->kind = w[VCA_AT_KIND];
	f->port = w[VCA_AT_PORT];
	if (f->kind == VCA_MAD)
		return decode_mad(w, &f->packet);
	f->attr_id = wire_get16(w + VCA_AT_ATTR);
	f->modifier = wire_get32(w + VCA_AT_MODIFIER);
	f->life = wire_get32(w + VCA_AT_LIFE);
	memcpy(f->data, w + VCA_AT_DATA, VCA_DATA_BYTES);
	return 0;
}

/* ---- directed routes ---- */

#define HOP_PTR 6
#define HOP_COUNT 7
#define DR_SLID 32
#define DR_DLID 34

/* A route whose first (or, on the way back, last) part is by LID starts and ends elsewhere: its
 * pointer is left alone. */
static bool
has_pointer(const uint8_t *m, bool leaving)
{
	bool back = m[4] & 0x80;
	const uint8_t *lid = m + (leaving == back ? DR_DLID : DR_SLID);

	return m[1] == CLASS_SM_DR && m[HOP_COUNT] && wire_get16(lid) == LID_PERMISSIVE;
}

/* Arrived, a request points behind its last hop and an answer before its first: the receiver
 * made that last step. */
void
vca_route_to_cable(uint8_t m[256])
{
	bool back = m[4] & 0x80;

	if (!has_pointer(m, false))
		return;
	if (!back && m[HOP_PTR] == m[HOP_COUNT] + 1)
		m[HOP_PTR] = m[HOP_COUNT];
	else if (back && !m[HOP_PTR])
		m[HOP_PTR] = 1;
}

/* Leaving, a request points at its first hop, an answer at its last: the sender made that step
 * already. */
void
vca_route_from_cable(uint8_t m[256])
{
	bool back = m[4] & 0x80;

	if (!has_pointer(m, true))
		return;
	if (!back && m[HOP_PTR] == 1)
		m[HOP_PTR] = 0;
	else if (back && m[HOP_PTR] == m[HOP_COUNT])
		m[HOP_PTR] = (uint8_t)(m[HOP_COUNT] + 1);
}
