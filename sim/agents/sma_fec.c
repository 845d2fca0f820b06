/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sma_fec.c - PortInfoExtended: the forward error correction of a link.
 * Room: sim/agents.  Pure.
 *
 * Ports that support HDR or faster have Reed-Solomon FEC for these speeds, which a Set can disable;
 * a Set takes effect at the next training (links.c).  With it, their counters have another form
 * (pma.c).
 */
#include <config.h>
#include "sim/agents/agents.h"

#define HAS_FEC 1u              /* of CapMask */
#define RS_MASK (1u << FEC_MODE_RS)

void
sma_reset_fec(struct hw_port *p, const struct port_info *pi)
{
	p->fec_can = (pi->speed_ext_supported & (LINK_SPEED_EXT_HDR | LINK_SPEED_EXT_NDR)) ||
		pi->speed_ext_supported2;
	p->fec_hdr = p->fec_ndr = p->fec_can;
	p->fec = FEC_MODE_NONE;
}

uint16_t
sma_port_info_ext(struct sma_call *c)
{
	uint8_t port = (uint8_t)(c->modifier & 0xff);
	struct port_info_ext x = port_info_ext_decode(c->data);
	uint16_t status = STATUS_OK, can;
	struct hw_port *p;

	if (c->n->type != TOPO_SWITCH && !port)
		port = c->port;
	if (port > c->n->nports || (c->set && c->n->type != TOPO_SWITCH && port != c->port))
		return STATUS_BAD_VALUE;
	p = hw_port(c->h, c->node, port);
	can = p->fec_can ? RS_MASK : 0;
	if (c->set && (x.fdr_fec_enabled || x.edr_fec_enabled ||
	    (x.hdr_fec_enabled | x.ndr_fec_enabled) & ~can)) {
		status = STATUS_BAD_VALUE;
	} else if (c->set) {
		p->fec_hdr = x.hdr_fec_enabled != 0;
		p->fec_ndr = x.ndr_fec_enabled != 0;
	}
	x = (struct port_info_ext){
		.capability_mask = p->fec_can ? HAS_FEC : 0, .fec_mode_active = hw_state(p) >
			PORT_STATE_DOWN ? p->fec : FEC_MODE_NONE,
		.hdr_fec_supported = can, .hdr_fec_enabled = p->fec_hdr ? can : 0,
		.ndr_fec_supported = can, .ndr_fec_enabled = p->fec_ndr ? can : 0,
	};
	memset(c->data, 0, 64);
	port_info_ext_encode(c->data, &x);
	return status;
}
