/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mkeys.c - which end port checks the M_Key of a request, and which key it requires.
 * Room: fabric/snapshot.  Pure.
 */
#include <config.h>
#include "fabric/snapshot/mkeys.h"

static uint64_t
one_key(const struct mkeys *k, uint64_t port_guid)
{
	(void)port_guid;
	return k->one;
}

struct mkeys
mkeys_one(uint64_t key)
{
	return (struct mkeys){ .of = one_key, .one = key };
}

uint32_t
mkeys_end_port(const struct snapshot *s, uint32_t port)
{
	const struct fab_node *n = &s->nodes[s->ports[port].node];

	return fab_is_switch(n) ? n->first_port : port;
}

uint32_t
mkeys_node_port(const struct snapshot *s, uint32_t node)
{
	const struct fab_node *n = &s->nodes[node];

	return fab_is_switch(n) ? n->first_port : n->first_port + n->entry_port;
}

uint64_t
mkeys_to_write(const struct mkeys *k, struct mkeys_last *last, const struct snapshot *s,
	uint32_t end)
{
	const struct fab_port *p = &s->ports[end];
	uint64_t shown = p->flags & FAB_PORT_INFO ? ATTR_GET(port_info, mkey, p->info) : 0;

	return shown ? shown : mkeys_of_again(k, last, p->guid);
}
