/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * pkey.c - the partitions of a port.
 * Room: sim/phys.  Pure.
 */
#include <config.h>
#include "sim/phys/phys.h"
#include "util/xalloc.h"

/* An end port is born in the default partition; the external ports of a switch hold nothing. */
static bool
is_end_port(const struct hw *h, uint32_t node, uint8_t port)
{
	return h->nodes[node].type != TOPO_SWITCH || !port;
}

uint16_t *
pkey_writable(struct hw *h, uint32_t node, uint8_t port)
{
	struct hw_port *p = hw_port(h, node, port);

	if (!p->pkeys) {
		p->pkeys = xcalloc(h->conf.pkey_cap, sizeof(*p->pkeys));
		if (is_end_port(h, node, port))
			p->pkeys[0] = PKEY_DEFAULT_FULL;
	}
	return p->pkeys;
}

unsigned
pkey_copy(const struct hw *h, uint32_t node, uint8_t port, uint16_t *out)
{
	const struct hw_port *p = hw_port(h, node, port);

	memset(out, 0, h->conf.pkey_cap * sizeof(*out));
	if (p->pkeys)
		memcpy(out, p->pkeys, h->conf.pkey_cap * sizeof(*out));
	else if (is_end_port(h, node, port))
		out[0] = PKEY_DEFAULT_FULL;
	return h->conf.pkey_cap;
}

static bool
keys_match(uint16_t a, uint16_t b)
{
	return (a & PKEY_BASE_MASK) && (a & PKEY_BASE_MASK) == (b & PKEY_BASE_MASK) &&
		((a | b) & PKEY_MEMBER_FULL);
}

uint16_t
pkey_match(const struct hw *h, uint32_t node, uint8_t port, uint16_t pkey)
{
	const struct hw_port *p = hw_port(h, node, port);
	uint16_t best = 0;

	if (!p->pkeys)
		return is_end_port(h, node, port) && keys_match(PKEY_DEFAULT_FULL, pkey) ?
			PKEY_DEFAULT_FULL : 0;
	for (unsigned i = 0; i < h->conf.pkey_cap && !(best & PKEY_MEMBER_FULL); i++)
		if (keys_match(p->pkeys[i], pkey))
			best = p->pkeys[i];
	return best;
}
