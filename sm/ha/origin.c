/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * origin.c - the port that sent a datagram.
 * Room: sm/ha.  In: a datagram, the served snapshot.  Out: the GUID of a port, or 0.
 */
#include <config.h>
#include "sm/ha/origin.h"
#include "sm/plan/plan.h"

static uint64_t
guid_of_port(const struct snapshot *s, uint32_t port)
{
	return s->ports[mkeys_end_port(s, port)].guid;
}

/* Follows the return path, from our own port back to the sender's. */
static uint64_t
guid_by_route(const struct served *v, const uint8_t *mad)
{
	const struct snapshot *s = v->s;
	unsigned hops = dgram_hop_count(mad);
	uint32_t at = s->sm_port;

	if (!hops || hops > DGRAM_HOPS_MAX || dgram_dr_slid(mad) != LID_PERMISSIVE ||
	    dgram_dr_dlid(mad) != LID_PERMISSIVE)
		return 0;
	for (unsigned i = hops; i >= 1; i--) {
		const struct fab_node *n = &s->nodes[s->ports[at].node];
		uint8_t out = dgram_return_hops(mad)[i];

		if (i < hops && !fab_is_switch(n))
			return 0;
		if (i == hops && !fab_is_switch(n) && out != s->ports[at].num)
			return 0;
		if (!out || out > n->nports || s->ports[n->first_port + out].peer == FAB_NONE)
			return 0;
		at = s->ports[n->first_port + out].peer;
	}
	return guid_of_port(s, at);
}

static uint64_t
guid_by_lid(const struct served *v, uint16_t lid)
{
	const struct snapshot *s = v->s;

	if (!lid || lid > LID_UCAST_MAX)
		return 0;
	if (v->plan)
		return lid <= v->plan->lids.top && v->plan->lids.owner[lid] != FAB_NONE ?
			s->ports[v->plan->lids.owner[lid]].guid : 0;
	/* A standby has no plan: the LIDs that the ports reported are compared. */
	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct port_info info = port_info_decode(p->info);

		if (p->flags & FAB_PORT_INFO && info.lid && lid >= info.lid &&
			lid < info.lid + (1u << info.lmc))
			return p->guid;
	}
	return 0;
}

uint64_t
origin_port_guid(const struct served *v, const struct dgram *d)
{
	if (!v->s)
		return 0;
	return dgram_class(d->mad) == CLASS_SM_DR ? guid_by_route(v, d->mad) :
						    guid_by_lid(v, d->addr.lid);
}
