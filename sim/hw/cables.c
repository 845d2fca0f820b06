/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cables.c - pulls and plugs cables.
 * Room: sim/hw.  Pure.  The links on them: sim/phys/links.c.
 */
#include <config.h>
#include <errno.h>
#include "sim/hw/hw_int.h"

static struct hw_port *
cable_end(const struct hw *h, uint32_t node, uint8_t port)
{
	if (node >= h->nnodes || !port || port > h->nodes[node].nports)
		return NULL;
	return hw_port(h, node, port);
}

int
hw_cable_pull(struct hw *h, uint32_t node, uint8_t port, struct monotime now)
{
	struct hw_port *p = cable_end(h, node, port);
	uint32_t i, peer;

	if (!p)
		return -ENOENT;
	i = hw_port_index(h, p);
	peer = h->cables[i];
	if (peer == HW_NOWHERE)
		return -EINVAL;
	link_down(h, p, false, now);
	h->ports[i].training = h->ports[peer].training = 0;
	h->cables[i] = h->cables[peer] = HW_NOWHERE;
	return 0;
}

int
hw_cable_plug(struct hw *h, uint32_t node_a, uint8_t port_a, uint32_t node_b, uint8_t port_b,
	struct monotime now)
{
	struct hw_port *a = cable_end(h, node_a, port_a), *b = cable_end(h, node_b, port_b);

	if (!a || !b)
		return -ENOENT;
	if (a == b)
		return -EINVAL;
	if (h->cables[hw_port_index(h, a)] != HW_NOWHERE ||
	    h->cables[hw_port_index(h, b)] != HW_NOWHERE)
		return -EEXIST;
	h->cables[hw_port_index(h, a)] = hw_port_index(h, b);
	h->cables[hw_port_index(h, b)] = hw_port_index(h, a);
	link_try(h, a, now);
	return 0;
}

bool
hw_peer(const struct hw *h, uint32_t node, uint8_t port, uint32_t *peer, uint8_t *peer_port)
{
	uint32_t i;

	if (node >= h->nnodes || !port || port > h->nodes[node].nports)
		return false;
	i = h->cables[h->nodes[node].first_port + port];
	if (i == HW_NOWHERE)
		return false;
	*peer = h->ports[i].node;
	*peer_port = h->ports[i].num;
	return true;
}
