/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * naive_lanes.c - a second, plain check of lanes.  A channel is (port of the fabric, VL);
 * dependencies are a matrix; a cycle is found by taking away, again and again, the channels that
 * nothing waits for.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/fabric/verify/naive_lanes.h"
#include "util/xalloc.h"

#define VLS 5 /* VLs 0 to 3, and: */
#define AT_SOURCE 4 /* a packet that came from no channel */

struct run {
	struct naive_lanes *n;
	uint32_t nchans;
	uint8_t *waits; /* [nchans][nchans] */
	uint8_t *seen; /* [nchans]: of one packet */
};

static bool
is_switch(const struct snapshot *s, uint32_t port)
{
	return fab_is_switch(&s->nodes[s->ports[port].node]);
}

static unsigned
vl_of(const struct fwd_tables *f, uint32_t in, uint32_t out, unsigned sl)
{
	return f->lanes ? lanes_vl(f->lanes, in, out, (uint8_t)sl) : 0;
}

/* A packet of 'sl' for 'lid' that came by port 'in' on VL 'vl', and all that may become of it. */
static void
send_on(struct run *r, uint32_t in, unsigned vl, uint16_t lid, unsigned sl)
{
	const struct naive_lanes *n = r->n;
	const struct fab_node *sw = &n->s->nodes[n->s->ports[in].node];

	if (r->seen[in * VLS + vl])
		return;
	r->seen[in * VLS + vl] = 1;
	for (unsigned t = 0; t < n->ntables; t++) {
		uint8_t out = lid <= n->f[t]->top ? fwd_row(n->f[t], sw->sw)[lid] : 255;
		uint32_t peer = out && out <= sw->nports ? n->s->ports[sw->first_port + out].peer :
							   FAB_NONE;

		if (peer == FAB_NONE || !is_switch(n->s, peer))
			continue;
		for (unsigned p = 0; p < n->ntables; p++) {
			unsigned next = vl_of(n->f[p], in, sw->first_port + out, sl);

			if (vl != AT_SOURCE)
				r->waits[(size_t)(in * VLS + vl) * r->nchans + peer * VLS + next] =
					1;
			send_on(r, peer, next, lid, sl);
		}
	}
}

/* The SLs of packets from switch 'a' to switch 'b' by one plan. */
static uint16_t
sls_of(const struct naive_lanes *n, const struct fwd_tables *f, uint32_t a, uint32_t b)
{
	const struct lane_plan *p = f->lanes;

	if (!p) /* any: those that the other tables use */
		return n->ntables > 1 && n->f[f == n->f[0]]->lanes ?
			n->f[f == n->f[0]]->lanes->sls :
			1;
	if (!p->sl)
		return p->sls;
	if (a == b)
		return 0;
	return (uint16_t)(1u << lanes_sl(p, a, b) | (n->no_replies ? 0 : 1u << lanes_sl(p, b, a)));
}

static void
send_all(struct run *r, uint32_t enters, uint16_t lid)
{
	const struct naive_lanes *n = r->n;
	uint32_t owner = n->l->owner[lid], a = n->s->nodes[n->s->ports[enters].node].sw;
	uint32_t b = n->s->nodes[is_switch(n->s, owner) ? n->s->ports[owner].node :
							  n->s->ports[n->s->ports[owner].peer].node]
			     .sw;
	uint16_t sls = 0;

	for (unsigned t = 0; t < n->ntables; t++)
		sls |= sls_of(n, n->f[t], a, b);
	for (unsigned sl = 0; sl < 16; sl++)
		if (sls >> sl & 1) {
			memset(r->seen, 0, r->nchans);
			send_on(r, enters, AT_SOURCE, lid, sl);
		}
}

static bool
peel(const struct run *r, uint64_t *dependencies)
{
	uint32_t *waits = xcalloc(r->nchans, sizeof(*waits)),
		 *ready = xcalloc(r->nchans, sizeof(*ready));
	uint32_t nready = 0, done = 0;

	for (size_t i = 0; i < (size_t)r->nchans * r->nchans; i++)
		if (r->waits[i]) {
			waits[i % r->nchans]++;
			(*dependencies)++;
		}
	for (uint32_t c = 0; c < r->nchans; c++)
		if (!waits[c])
			ready[nready++] = c;
	while (done < nready) {
		uint32_t c = ready[done++];

		for (uint32_t to = 0; to < r->nchans; to++)
			if (r->waits[(size_t)c * r->nchans + to] && --waits[to] == 0)
				ready[nready++] = to;
	}
	free(waits);
	free(ready);
	return done < r->nchans;
}

void
naive_lanes_check(struct naive_lanes *n)
{
	struct run r = { .n = n, .nchans = n->s->nports * VLS };

	r.waits = xcalloc(r.nchans, r.nchans);
	r.seen = xcalloc(r.nchans, 1);
	n->dependencies = 0;
	for (uint32_t lid = 1; lid <= n->l->top; lid++) {
		if (n->l->owner[lid] == FAB_NONE)
			continue;
		for (uint32_t port = 0; port < n->s->nports; port++) {
			const struct fab_port *p = &n->s->ports[port];

			if (!is_switch(n->s, port))
				continue;
			if (p->num ? p->peer != FAB_NONE && !is_switch(n->s, p->peer) : n->all)
				send_all(&r, port, (uint16_t)lid);
		}
	}
	n->cyclic = peel(&r, &n->dependencies);
	free(r.waits);
	free(r.seen);
}
