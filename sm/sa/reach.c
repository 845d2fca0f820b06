/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reach.c - the way of a packet through the tables, and the narrowest link on it.
 * Room: sm/sa.  Pure.
 * Goes where fabric/walk.h goes (a test holds them together), but over the compact arrays of the index: a path query
 * with one end left open takes tens of thousands of such ways.  Nothing is remembered between two of them: a way to
 * one LID touches one byte of one row per switch, and such a column stays in the cache of the processor.
 */
#include <config.h>
#include "fabric/walk.h"
#include "sm/sa/sa_int.h"

static inline void
narrow(struct sa_route *r, uint8_t mtu, uint8_t rank, uint16_t sls)
{
	r->sls &= sls;
	if (mtu < r->mtu)
		r->mtu = mtu;
	if (rank < r->rank)
		r->rank = rank;
}

/* Port 0 of a switch has no cable, but takes no larger packets, and not faster, than it says. */
static inline void
narrow_port0(const struct sa_index *x, uint32_t port, struct sa_route *r)
{
	if (x->v.s->ports[port].flags & FAB_PORT_INFO)
		narrow(r, x->ports[port].mtu, x->ports[port].rank, UINT16_MAX);
}

/* From switch 'sw' on. */
static bool
through(const struct sa_index *x, uint32_t sw, uint16_t lid, uint32_t owner, struct sa_route *r)
{
	const struct fwd_tables *f = x->v.fwd;

	if (lid > f->top || lid >= f->stride)
		return false;
	for (unsigned hops = 0; hops < WALK_HOPS_MAX; hops++) {
		const struct sa_switch *s = &x->switches[sw];
		const struct sa_hop *h;
		uint8_t out;

		if (sw >= f->nswitches)
			return false;
		out = fwd_row(f, sw)[lid];
		if (out == 0) {
			narrow_port0(x, s->first_port, r);
			r->sls &= x->hops[s->first_port].sls;
			return owner == s->first_port;
		}
		if (out == FAB_LFT_DROP || out > s->nports)
			return false;
		h = &x->hops[s->first_port + out];
		if (h->peer == FAB_NONE)
			return false;
		narrow(r, h->mtu, h->rank, h->sls);
		if (h->sw == FAB_NONE)
			return h->peer == owner;
		sw = h->sw;
	}
	return false;
}

bool
sa_reach(const struct sa_index *x, uint32_t src, uint16_t lid, struct sa_route *r)
{
	uint32_t owner = sa_port_by_lid(x, lid), sw = x->v.s->nodes[x->v.s->ports[src].node].sw;
	const struct sa_hop *h = &x->hops[src];

	*r = (struct sa_route){ .mtu = 5, .rank = SA_RANK_MAX, .sls = UINT16_MAX };
	if (owner == FAB_NONE)
		return false;
	if (owner == src) {
		r->loopback = true;
		r->mtu = x->ports[src].mtu;
		r->rank = x->ports[src].rank;
		return true;
	}
	if (sw == FAB_NONE) {
		if (h->peer == FAB_NONE)
			return false;
		narrow(r, h->mtu, h->rank, h->sls);
		if (h->sw == FAB_NONE)
			return h->peer == owner;
		sw = h->sw;
	} else {
		narrow_port0(x, src, r);
	}
	return through(x, sw, lid, owner, r);
}
