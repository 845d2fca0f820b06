/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * view.c - the view of a port that a kernel or an operator has without MADs.
 * Room: sim/hw.  Pure.
 */
#include <config.h>
#include <errno.h>
#include "sim/hw/hw_int.h"

static bool
has_client_port(const struct hw *h, uint32_t node, uint8_t port)
{
	if (node >= h->nnodes)
		return false;
	return h->nodes[node].type == TOPO_SWITCH ? !port : port && port <= h->nodes[node].nports;
}

int
hw_port_view(const struct hw *h, uint32_t node, uint8_t port, struct hw_port_view *v)
{
	if (!has_client_port(h, node, port))
		return -ENOENT;
	sma_port_image(h, node, port, v->info);
	ATTR_SET(port_info, local_port, v->info, port);
	memcpy(v->desc, h->nodes[node].desc, sizeof(v->desc));
	sma_node_image(h, node, port, v->node_info);
	v->npkeys = pkey_copy(h, node, port, v->pkeys);
	v->guid = hw_port(h, node, port)->guid;
	return 0;
}

int
hw_port_info(const struct hw *h, uint32_t node, uint8_t port, uint8_t info[64])
{
	if (node >= h->nnodes || port > h->nodes[node].nports ||
	    (!port && h->nodes[node].type != TOPO_SWITCH))
		return -ENOENT;
	sma_port_image(h, node, port, info);
	return 0;
}

void
hw_set_issm(struct hw *h, uint32_t node, uint8_t port, bool on, struct monotime now)
{
	struct hw_port *p;

	if (!has_client_port(h, node, port))
		return;
	p = hw_port(h, node, port);
	if (p->is_sm == on)
		return;
	p->is_sm = on;
	sma_show_issm(p);
	trap_local_change(h, node, port, 0, now);
}

int
hw_slvl(const struct hw *h, uint32_t node, uint8_t in, uint8_t port, uint8_t w[8])
{
	return sma_slvl_image(h, node, in, port, w);
}

int
hw_vlarb(const struct hw *h, uint32_t node, uint8_t port, unsigned block, uint8_t w[64])
{
	return sma_vlarb_image(h, node, port, block, w);
}
