/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * vca_wire.c - frames of virtual adapters, to and from bytes.
 * Room: sim/serve.  Pure.
 *
 * The rows of vca_head.def, vca_packet.def, vca_grh.def and vca_change.def are the layout; their
 * positions are the VCA_AT_ constants of vca_frame.h, which the kernel module needs too.  The
 * templates of libmad/attr make decoders and encoders of them, as of attributes.
 */
#include <config.h>
#include <errno.h>
#include <string.h>
#include "libmad/attr/attr.h"
#include "libmad/mad/dgram.h"
#include "sim/serve/vca_wire.h"

#define ATTR_NAME vca_head
#define ATTR_DEF "sim/serve/vca_head.def"
#define ATTR_BYTES VCA_FRAME_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vca_grh
#define ATTR_DEF "sim/serve/vca_grh.def"
#define ATTR_BYTES VCA_GRH_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vca_packet
#define ATTR_DEF "sim/serve/vca_packet.def"
#define ATTR_BYTES VCA_FRAME_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vca_change
#define ATTR_DEF "sim/serve/vca_change.def"
#define ATTR_BYTES VCA_FRAME_BYTES
#include "libmad/attr/attr_decl.h"

#define ATTR_NAME vca_head
#define ATTR_DEF "sim/serve/vca_head.def"
#define ATTR_BYTES VCA_FRAME_BYTES
#define ATTR_TEXT "VCA head"
#define ATTR_ID 0
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME vca_grh
#define ATTR_DEF "sim/serve/vca_grh.def"
#define ATTR_BYTES VCA_GRH_BYTES
#define ATTR_TEXT "GRH"
#define ATTR_ID 0
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME vca_packet
#define ATTR_DEF "sim/serve/vca_packet.def"
#define ATTR_BYTES VCA_FRAME_BYTES
#define ATTR_TEXT "VCA packet"
#define ATTR_ID 0
#include "libmad/attr/attr_impl.h"

#define ATTR_NAME vca_change
#define ATTR_DEF "sim/serve/vca_change.def"
#define ATTR_BYTES VCA_FRAME_BYTES
#define ATTR_TEXT "VCA change"
#define ATTR_ID 0
#include "libmad/attr/attr_impl.h"

#define IP_VERSION 6
#define NEXT_HEADER 0x1b                /* of a GRH: a base transport header follows */
#define GRH_PAYLOAD (12 + 8 + 256 + 4)  /* BTH, DETH, MAD, ICRC */

static struct vca_grh
grh_of(const struct hw_packet *p)
{
	struct vca_grh g = {
		.ip_version = IP_VERSION, .traffic_class = p->traffic_class,
		.flow_label = p->flow_label, .payload_bytes = GRH_PAYLOAD,
		.next_header = NEXT_HEADER, .hop_limit = p->hop_limit,
	};

	memcpy(g.sgid, p->sgid, sizeof(g.sgid));
	memcpy(g.dgid, p->dgid, sizeof(g.dgid));
	return g;
}

static void
packet_encode(uint8_t w[static VCA_FRAME_BYTES], const struct hw_packet *p)
{
	struct vca_packet v = {
		.sl = p->sl & 0x0f, .slid = p->slid, .dlid = p->dlid,
		.src_qp = p->src_qp, .dst_qp = p->dst_qp, .qkey = p->qkey, .pkey = p->pkey,
	};

	if (p->grh) {
		v.flags = VCA_FLAG_GRH;
		v.grh = grh_of(p);
	}
	memcpy(v.mad, p->mad, sizeof(v.mad));
	vca_packet_encode(w, &v);
}

void
vca_frame_encode(uint8_t w[static VCA_FRAME_BYTES], const struct vca_frame *f)
{
	struct vca_head head = { .version = VCA_VERSION, .kind = f->kind, .port = f->port };
	struct vca_change change = { f->attr_id, f->modifier, f->life, { 0 } };

	memset(w, 0, VCA_FRAME_BYTES);
	vca_head_encode(w, &head);
	if (f->kind == VCA_MAD) {
		packet_encode(w, &f->packet);
		return;
	}
	memcpy(change.data, f->data, sizeof(change.data));
	vca_change_encode(w, &change);
}

static int
packet_decode(const uint8_t w[static VCA_FRAME_BYTES], struct hw_packet *p)
{
	struct vca_packet v = vca_packet_decode(w);

	if (v.flags & ~VCA_FLAG_GRH || v.reserved || v.sl > SL_MAX)
		return -EBADMSG;
	if (v.src_qp > 1 || v.dst_qp > 1)
		return -EBADMSG;        /* management packets, nothing else */
	*p = (struct hw_packet){
		.slid = v.slid, .dlid = v.dlid, .pkey = v.pkey, .sl = v.sl,
		.src_qp = v.src_qp, .dst_qp = v.dst_qp, .qkey = v.qkey,
	};
	if (v.flags & VCA_FLAG_GRH) {
		p->grh = true;
		p->traffic_class = v.grh.traffic_class;
		p->flow_label = v.grh.flow_label;
		p->hop_limit = v.grh.hop_limit;
		memcpy(p->sgid, v.grh.sgid, sizeof(p->sgid));
		memcpy(p->dgid, v.grh.dgid, sizeof(p->dgid));
	}
	memcpy(p->mad, v.mad, sizeof(p->mad));
	return 0;
}

int
vca_frame_decode(const uint8_t *w, size_t bytes, struct vca_frame *f)
{
	struct vca_change change;
	struct vca_head head;

	if (bytes != VCA_FRAME_BYTES)
		return -EBADMSG;
	head = vca_head_decode(w);
	if (head.version != VCA_VERSION || head.kind < VCA_MAD || head.kind > VCA_LINK)
		return -EBADMSG;
	memset(f, 0, sizeof(*f));
	f->kind = head.kind;
	f->port = head.port;
	if (f->kind == VCA_MAD)
		return packet_decode(w, &f->packet);
	change = vca_change_decode(w);
	f->attr_id = change.attr_id;
	f->modifier = change.modifier;
	f->life = change.life;
	memcpy(f->data, change.data, sizeof(f->data));
	return 0;
}

/* ---- directed routes ---- */

/* Returns true if the hop pointer of the MAD must be converted.  A route with a LID-routed part at
 * this end starts or ends at another node, and its pointer does not change. */
static bool
has_pointer(const uint8_t *mad, bool leaving)
{
	uint16_t lid = leaving == dgram_direction(mad) ? dgram_dr_dlid(mad) : dgram_dr_slid(mad);

	return dgram_class(mad) == CLASS_SM_DR && dgram_hop_count(mad) && lid == LID_PERMISSIVE;
}

/* In sim/hw the pointer of an arrived request is after its last hop and that of an arrived answer
 * before its first, because sim/hw has made the receiver's step.  On the link it has not been made
 * yet. */
void
vca_route_to_cable(uint8_t mad[256])
{
	bool back = dgram_direction(mad);

	if (!has_pointer(mad, false))
		return;
	if (!back && dgram_hop_ptr(mad) == dgram_hop_count(mad) + 1)
		dgram_set_hop_ptr(mad, dgram_hop_count(mad));
	else if (back && !dgram_hop_ptr(mad))
		dgram_set_hop_ptr(mad, 1);
}

/* On the link, the pointer of a leaving request is at its first hop, and that of a leaving answer
 * at its last, because the sender has made its step.  sim/hw makes this step itself. */
void
vca_route_from_cable(uint8_t mad[256])
{
	bool back = dgram_direction(mad);

	if (!has_pointer(mad, true))
		return;
	if (!back && dgram_hop_ptr(mad) == 1)
		dgram_set_hop_ptr(mad, 0);
	else if (back && dgram_hop_ptr(mad) == dgram_hop_count(mad))
		dgram_set_hop_ptr(mad, (uint8_t)(dgram_hop_count(mad) + 1));
}
