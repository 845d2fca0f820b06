/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mkey.c - who may read and write a port: the M_Key, its levels, its lease.
 * Room: sim/agents.  Pure.
 */
#include <config.h>
#include "sim/agents/agents.h"

static void
refuse(struct sma_call *c, struct hw_port *p)
{
	unsigned count = wire_get16(p->info + PI_MKEY_VIOL), lease_s = wire_get16(p->info + PI_LEASE);
	struct hw_event e = { .kind = EVENT_LEASE, .node = p->node, .port = p->num };

	if (count != 0xffff)
		wire_put16(p->info + PI_MKEY_VIOL, (uint16_t)(count + 1));
	c->h->stats.dropped_mkey++;
	if (lease_s && !p->lease_until_us) {
		p->lease_until_us = monotime_add_us(c->now, (int64_t)lease_s * 1000000).us;
		e.at_us = p->lease_until_us;
		queue_add(c->h, &e);
	}
	trap_bad_mkey(c->h, p->node, c->port, c->packet, c->now);
}

bool
mkey_check(struct sma_call *c, const uint8_t *mad)
{
	struct hw_port *p = hw_agent_port(c->h, c->node, c->port);
	uint64_t key = wire_get64(p->info + PI_MKEY);
	unsigned level = p->info[PI_LMC] >> 6;

	c->show_keys = true;
	if (!key)
		return true;
	if (key == dgram_mkey(mad)) {
		p->lease_until_us = 0;
		return true;
	}
	if (dgram_method(mad) == METHOD_GET && level < 2) {
		c->show_keys = !level;
		return true;
	}
	refuse(c, p);
	return false;
}

void
mkey_lease_due(struct hw *h, uint32_t node, uint8_t port, struct monotime now)
{
	struct hw_port *p = hw_port(h, node, port);

	if (!p->lease_until_us || p->lease_until_us > now.us)
		return;
	p->lease_until_us = 0;
	p->info[PI_LMC] &= 0x3f;        /* protect bits 0; the key stays */
}
