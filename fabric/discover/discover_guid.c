/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_guid.c - chooses between several nodes or ports with the same GUID.
 * Room: fabric/discover.  Pure.
 * In: answers that contradict earlier data.  Out: the order in which they are processed; ports left
 * out.
 *
 * The first node found keeps its GUID, so the choice must not depend on the order of the answers.
 * If a GUID is known to be behind another port, the answer waits until all other requests have
 * ended, including the NodeInfo request to the known port.  If the GUID was found there, the new
 * node is checked as a duplicate (discover_cable.c); otherwise the node was moved.  If nothing is
 * known of a GUID and two nodes have it, discovery chooses one and restarts with that choice,
 * which happens in the first sweep only.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define BEGINNINGS_MAX 3                /* a fabric of nothing but impostors has an end, too */
#define DECIDED_MAX 65536

static struct discover_place *
decided_find(const struct discover *d, uint64_t guid)
{
	for (uint32_t i = 0; i < d->ndecided; i++)
		if (d->decided[i].guid == guid)
			return &d->decided[i];
	return NULL;
}

/* Stores in 'at' the n-th place that 'before' has for a node.  False: there are no more. */
static bool
known_place(const struct snapshot *s, uint32_t node, unsigned *n, struct discover_place *at)
{
	const struct fab_node *f = &s->nodes[node];

	while (*n < f->nports) {
		const struct fab_port *p = snapshot_port(s, node, (uint8_t)++*n);

		if (p->peer == FAB_NONE)
			continue;
		*at = (struct discover_place){ f->guid, s->nodes[s->ports[p->peer].node].guid,
			s->ports[p->peer].num };
		return true;
	}
	return false;
}

/* ---- nodes ---- */

enum known { KNOWN_NOWHERE, KNOWN_HERE, KNOWN_ELSEWHERE };

static enum known
guid_known(const struct discover *d, uint64_t guid, uint64_t at_guid, uint8_t at_port)
{
	const struct discover_place *decided = decided_find(d, guid);
	enum known k = KNOWN_NOWHERE;
	struct discover_place p;
	unsigned n = 0;
	uint32_t node;

	if (decided)
		return decided->at_guid == at_guid && decided->at_port == at_port ? KNOWN_HERE :
			KNOWN_ELSEWHERE;
	node = d->conf.before ? snapshot_node_by_guid(d->conf.before, guid) : FAB_NONE;
	while (node != FAB_NONE && known_place(d->conf.before, node, &n, &p)) {
		if (p.at_guid == at_guid && p.at_port == at_port)
			return KNOWN_HERE;
		k = KNOWN_ELSEWHERE;
	}
	return k;
}

bool
discover_park(struct discover *d, const struct look *k, const uint8_t *image)
{
	uint64_t guid = node_info_decode(image).node_guid;
	struct found *n;

	if (!d->conf.one_per_guid || !guid)
		return false;
	if (!d->conf.before && !d->ndecided)    /* nothing is known of any GUID */
		return false;
	n = discover_find(d, guid);
	if (n || guid_known(d, guid, found_at(d, k->at.node)->guid, k->at.port) != KNOWN_ELSEWHERE)
		return false;
	GROW(d->parked, d->nparked, d->parked_cap, 16);
	d->parked[d->nparked].look = *k;
	memcpy(d->parked[d->nparked++].node_info, image, NODE_INFO_BYTES);
	return true;
}

/* The place with that switch and port, if the switch was found. */
static struct place
place_of(const struct discover *d, const struct discover_place *p)
{
	struct found *n = discover_find(d, p->at_guid);

	return n && p->at_port <= n->nports ? (struct place){ n->index, p->at_port } : PLACE_NONE;
}

/* Whether the link at 'p' is up and the node behind it did not respond. */
static bool
silent_at(const struct discover *d, const struct discover_place *p)
{
	struct place at = place_of(d, p);
	const struct found_port *f;
	struct port_info i;

	if (place_none(at) || !discover_forwards(d, at))
		return false;
	f = found_port(d, at);
	i = port_info_decode(f->info);
	if (!(f->flags & FAB_PORT_INFO) || i.state < PORT_STATE_INIT || !place_none(f->peer) ||
	    !f->looks)
		return false;
	for (uint32_t k = 0; k < d->nremarks; k++)
		if (d->remarks[k].kind == FAB_UNRESPONSIVE && d->remarks[k].behind &&
		    place_equal(d->remarks[k].at, at))
			return true;
	return false;
}

/* The place where the node of that GUID is known to be and keeps silent; none if there is no
 * such place. */
static struct place
silent_place(const struct discover *d, uint64_t guid)
{
	const struct discover_place *decided = decided_find(d, guid);
	struct discover_place p;
	unsigned n = 0;
	uint32_t node;

	if (decided)
		return silent_at(d, decided) ? place_of(d, decided) : PLACE_NONE;
	node = d->conf.before ? snapshot_node_by_guid(d->conf.before, guid) : FAB_NONE;
	while (node != FAB_NONE && known_place(d->conf.before, node, &n, &p))
		if (silent_at(d, &p))
			return place_of(d, &p);
	return PLACE_NONE;
}

/* Taken up: switches before others, for what is behind them may be known; then by the route. */
static int
parked_cmp(const struct parked *a, const struct parked *b)
{
	bool x = node_info_decode(a->node_info).node_type == NODE_TYPE_SWITCH,
		y = node_info_decode(b->node_info).node_type == NODE_TYPE_SWITCH;

	if (x != y)
		return x ? -1 : 1;
	if (a->look.hops != b->look.hops)
		return a->look.hops < b->look.hops ? -1 : 1;
	return memcmp(a->look.path, b->look.path, a->look.hops + 1u);
}

/* Behind 'from' is a node with the GUID of one that is silent at 'keeps'. */
static void
report_held(struct discover *d, struct place from, struct place keeps, uint64_t guid)
{
	struct remark *r = discover_remark(d, FAB_DUPLICATE_GUID, WHY_HELD);

	r->at = from;
	r->behind = true;
	r->other = keeps;
	r->guid = guid;
	r->attr_id = NODE_INFO_ID;
}

/* A look from 'from' found 'to', a port of a switch that was found through another link.  If there
 * were one link between them, a look from that switch would have found 'from' by now. */
static void
claim_late(struct discover *d, struct place from, struct place to)
{
	const struct found *n = found_at(d, to.node);

	if (n->type != NODE_TYPE_SWITCH || !place_none(found_port(d, to)->peer))
		discover_claim(d, from, to);
	else if (!discover_look_again(d, LOOK_BACK, to, from, PLACE_NONE, PLACE_NONE))
		discover_twice(d, from, to);
}

static void
take_up(struct discover *d, struct parked *p)
{
	const struct route *via = found_at(d, p->look.at.node)->route;
	uint64_t guid = node_info_decode(p->node_info).node_guid;
	uint32_t known = d->nnodes;
	struct place keeps, who;
	struct found *n;

	/* it is reached by another route now */
	if (via->gen != p->look.gen && via->hops < DGRAM_HOPS_MAX) {
		memcpy(p->look.path, via->path, via->hops + 1u);
		p->look.hops = (uint8_t)(via->hops + 1);
		p->look.path[p->look.hops] = p->look.at.port;
		p->look.gen = via->gen;
	}
	n = discover_find(d, guid);
	keeps = n ? PLACE_NONE : silent_place(d, guid);
	if (!place_none(keeps)) {
		report_held(d, p->look.at, keeps, guid);
		discover_target_put(d, p->look.target);
		return;
	}
	who = discover_who(d, &p->look, p->node_info);
	if (d->nnodes == known)
		discover_target_put(d, p->look.target);
	if (place_none(who))
		return;
	if (d->nnodes == known)
		claim_late(d, p->look.at, who);
	else
		discover_claim(d, p->look.at, who);
}

static int
parked_order(const void *a, const void *b)
{
	return parked_cmp(a, b);
}

/* A switch alone, for it may lead to where others are known to be; when only other nodes wait,
 * all of them. */
static void
take_up_next(struct discover *d)
{
	struct parked *all = d->parked;
	uint32_t n = d->nparked, take = n;

	qsort(all, n, sizeof(*all), parked_order);
	if (node_info_decode(all[0].node_info).node_type == NODE_TYPE_SWITCH)
		take = 1;
	d->parked = n > take ? xmemdup(all + take, (n - take) * sizeof(*all)) : NULL;
	d->nparked = d->parked_cap = n - take;
	for (uint32_t i = 0; i < take; i++)
		take_up(d, &all[i]);
	free(all);
}

bool
discover_take_parked(struct discover *d)
{
	if (!d->nparked)
		return false;
	take_up_next(d);
	return true;
}

/* ---- GUIDs of which nothing is known ---- */

/*
 * How well port 'x' of a switch, as the one before a node, speaks for that node; positive: better
 * than 'y'.  Routes do not count: which of several a node is found by depends on the order of the
 * answers.
 */
static int
place_cmp(const struct discover *d, struct place x, struct place y)
{
	uint8_t a = port_info_decode(found_port(d, x)->info).state,
		b = port_info_decode(found_port(d, y)->info).state;
	uint64_t g = found_at(d, x.node)->guid, h = found_at(d, y.node)->guid;

	if (a != b)
		return a > b ? 1 : -1;
	if (g != h)
		return g < h ? 1 : -1;
	return (int)y.port - (int)x.port;
}

void
discover_decide(struct discover *d, struct place from, struct place first)
{
	uint64_t guid = found_at(d, first.node)->guid;
	struct place entry = { first.node, found_at(d, first.node)->entry }, keeps = found_port(d,
		entry)->peer;
	struct discover_place *p = decided_find(d, guid);

	if (!d->conf.one_per_guid || !first.node || place_none(keeps) ||
	    d->beginnings >= BEGINNINGS_MAX ||
	    guid_known(d, guid, found_at(d, keeps.node)->guid, keeps.port) == KNOWN_HERE)
		return;
	if (p && d->begin_again && !place_none(place_of(d, p)))
		keeps = place_of(d, p);                 /* chosen a moment ago */
	if (place_cmp(d, from, keeps) <= 0)
		return;
	if (!p) {
		if (d->ndecided >= DECIDED_MAX)
			return;
		d->decided = xreallocarray(d->decided, d->ndecided + 1, sizeof(*d->decided));
		p = &d->decided[d->ndecided++];
	}
	*p = (struct discover_place){ guid, found_at(d, from.node)->guid, from.port };
	d->begin_again = true;
}

void
discover_guid_free(struct discover *d)
{
	free(d->parked);
	free(d->decided);
}

/* ---- port GUIDs ---- */

struct end {
	uint64_t guid;
	struct place at;                /* a switch: its port 0 */
	struct place before;            /* the port before it; none: the own port */
	bool known;
};

static bool
end_known(const struct discover *d, const struct end *e)
{
	const struct snapshot *s = d->conf.before;
	uint32_t port = s ? snapshot_port_by_guid(s, e->guid) : FAB_NONE;
	const struct found *n = found_at(d, e->at.node);
	struct discover_place p;
	unsigned i = 0;

	if (port == FAB_NONE || s->nodes[s->ports[port].node].guid != n->guid)
		return false;
	while (known_place(s, s->ports[port].node, &i, &p))
		for (unsigned k = 1; k <= n->nports; k++) {
			struct place peer = n->ports[k].peer;

			if (!place_none(peer) && peer.port == p.at_port &&
			    found_at(d, peer.node)->guid == p.at_guid)
				return true;
		}
	return false;
}

/* Returns the port before a node: before port 'port' of it, or, of a switch, before its entry port
 * or any other port. */
static struct place
place_before(const struct found *f, unsigned port)
{
	struct place before = f->ports[f->type == NODE_TYPE_SWITCH ? f->entry : port].peer;

	for (unsigned p = 1; f->type == NODE_TYPE_SWITCH && p <= f->nports && place_none(before);
		p++)
		before = f->ports[p].peer;
	return before;
}

static uint32_t
find_ends(const struct discover *d, struct end *ends)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->nnodes; i++) {
		const struct found *f = found_at(d, i);
		bool sw = f->type == NODE_TYPE_SWITCH;

		for (unsigned p = sw ? 0 : 1; p <= (sw ? 0 : f->nports); p++) {
			struct place before = place_before(f, p);

			if (!f->ends[p].guid || (place_none(before) && i))
				continue;
			if (!i && (sw || p == f->entry))
				before = PLACE_NONE;
			ends[n++] = (struct end){ f->ends[p].guid, { i, (uint8_t)p }, before,
				false };
		}
	}
	return n;
}

static int
end_cmp(const void *x, const void *y)
{
	const struct end *a = x, *b = y;

	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->at.node != b->at.node ? (a->at.node < b->at.node ? -1 : 1) :
		(int)a->at.port - (int)b->at.port;
}

/* Whether 'a' keeps the GUID rather than 'b'. */
static bool
end_keeps(const struct discover *d, const struct end *a, const struct end *b)
{
	if (place_none(a->before) || place_none(b->before))
		return place_none(a->before);
	if (a->known != b->known)
		return a->known;
	return place_cmp(d, a->before, b->before) > 0;
}

static void
leave_out(struct discover *d, const struct end *e, const struct end *keeps)
{
	struct found *n = found_at(d, e->at.node);
	struct remark *r = discover_remark(d, FAB_DUPLICATE_GUID, WHY_PORT_TWICE);

	r->at = e->before;
	r->behind = true;
	r->other = place_none(keeps->before) ? found_port(d, (struct place){ 0,
		found_at(d, 0)->entry })->peer : keeps->before;
	r->guid = e->guid;
	r->attr_id = NODE_INFO_ID;
	n->left_out = true;
	for (unsigned p = 1; p <= n->nports; p++)
		if (n->type == NODE_TYPE_SWITCH || p == e->at.port)
			discover_unlink(d, (struct place){ n->index, (uint8_t)p });
}

void
discover_settle_port_guids(struct discover *d)
{
	struct end *ends = xcalloc(d->nports + 1u, sizeof(*ends));
	uint32_t n = find_ends(d, ends);

	qsort(ends, n, sizeof(*ends), end_cmp);
	for (uint32_t i = 0, end; i < n; i = end) {
		uint32_t best = i;

		for (end = i + 1; end < n && ends[end].guid == ends[i].guid; end++)
			;
		for (uint32_t k = i; k < end && end - i > 1; k++) {
			ends[k].known = end_known(d, &ends[k]);
			if (k > i && end_keeps(d, &ends[k], &ends[best]))
				best = k;
		}
		for (uint32_t k = i; k < end; k++)
			if (k != best)
				leave_out(d, &ends[k], &ends[best]);
	}
	free(ends);
}
