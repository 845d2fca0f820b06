/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mkey.c - M_Key protection of a port: key, protection levels, lease.
 * Room: sim/agents.  Pure.
 */
#include <config.h>
#include "sim/agents/agents.h"

static void
refuse_access(struct sma_call *c, struct hw_port *p)
{
	uint64_t count = ATTR_GET(port_info, mkey_violations, p->info);
	unsigned lease_s = (unsigned)ATTR_GET(port_info, mkey_lease_period_s, p->info);
	struct hw_event e = { .kind = EVENT_LEASE, .node = p->node, .port = p->num };

	if (count != UINT16_MAX)
		ATTR_SET(port_info, mkey_violations, p->info, count + 1);
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
	uint64_t key = ATTR_GET(port_info, mkey, p->info);
	unsigned level = (unsigned)ATTR_GET(port_info, mkey_protect, p->info);

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
	refuse_access(c, p);
	return false;
}

void
mkey_lease_due(struct hw *h, uint32_t node, uint8_t port, struct monotime now)
{
	struct hw_port *p = hw_port(h, node, port);

	if (!p->lease_until_us || p->lease_until_us > now.us)
		return;
	p->lease_until_us = 0;
	ATTR_SET(port_info, mkey_protect, p->info, 0);  /* the key stays */
}
