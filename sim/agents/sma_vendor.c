/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sma_vendor.c - ExtendedPortInfo of one vendor (attribute 0xff90): FDR10, a speed for which
 * PortInfo has no bit.
 * Room: sim/agents.  Pure.
 *
 * Ports support FDR10 if their cable in the topology uses it.  A Set takes effect at the next
 * training (links.c).
 */
#include <config.h>
#include "sim/agents/agents.h"

#define VENDOR_MELLANOX 0x2c9

bool
sma_has_vendor_port_info(const struct hw_node *n)
{
	return n->topo->vendor_id == VENDOR_MELLANOX;
}

void
sma_reset_vendor(struct hw *h, uint32_t node, uint8_t port)
{
	struct hw_port *p = hw_port(h, node, port);
	bool in_file = node < h->nnodes - h->nadded;

	p->fdr10_can = sma_has_vendor_port_info(&h->nodes[node]) && in_file && port &&
		topo_port(h->topo, node, port)->fdr10;
	p->fdr10_on = p->fdr10_can;
	p->fdr10 = false;
}

uint16_t
sma_vendor_port_info(struct sma_call *c)
{
	uint8_t port = (uint8_t)(c->modifier & 0xff);
	struct mlnx_ext_port_info v = mlnx_ext_port_info_decode(c->data);
	uint16_t status = STATUS_OK;
	struct hw_port *p;

	if (c->n->type != TOPO_SWITCH && !port)
		port = c->port;
	if (!port || port > c->n->nports || (c->set && c->n->type != TOPO_SWITCH &&
	    port != c->port))
		return STATUS_BAD_VALUE;
	p = hw_port(c->h, c->node, port);
	if (c->set && v.state_change_enable & MLNX_CHANGE_SPEED_ENABLED) {
		if (v.speed_enabled & ~(p->fdr10_can ? MLNX_SPEED_FDR10 : 0))
			status = STATUS_BAD_VALUE;
		else
			p->fdr10_on = v.speed_enabled & MLNX_SPEED_FDR10;
	}
	v = (struct mlnx_ext_port_info){
		.state_change_enable = c->set ? v.state_change_enable : 0,
			.speed_supported = p->fdr10_can, .speed_enabled = p->fdr10_on,
		.speed_active = p->fdr10 && hw_state(p) > PORT_STATE_DOWN,
	};
	memset(c->data, 0, 64);
	mlnx_ext_port_info_encode(c->data, &v);
	return status;
}
