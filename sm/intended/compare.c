/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * compare.c - compares the intended topology with the fabric as it is.
 * Room: sm/intended.  Pure.  In: a topology, a snapshot.  Out: a list of differences.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/intended/check.h"
#include "sm/intended/compare.h"
#include "util/xalloc.h"

struct compare {
	const struct intended *t;
	const struct snapshot *s;
	struct intended_diff *d;
	struct arena arena; /* scratch */
	struct intended_ports ports;
	uint32_t *known; /* per ordinal: index in the topology, INTENDED_NONE */
	uint32_t *there; /* per index: ordinal, INTENDED_NONE */
};

static void
note(struct compare *c, struct intended_change change)
{
	struct intended_diff *d = c->d;

	d->v = arena_grow(&d->arena, d->v, d->n, &d->cap, 64, sizeof(*d->v));
	d->v[d->n++] = change;
	d->count[change.kind]++;
}

bool
intended_switch_there(const struct snapshot *s, uint32_t sw)
{
	return !(s->nodes[s->switches[sw]].flags & FAB_NODE_CUT);
}

struct intended_place
intended_place_of(const struct snapshot *s, uint32_t port)
{
	struct intended_place none = { INTENDED_NONE, 0 };
	const struct fab_port *peer;
	uint32_t sw;

	if (port == FAB_NONE || s->ports[port].peer == FAB_NONE ||
		fab_is_switch(&s->nodes[s->ports[port].node]))
		return none;
	peer = &s->ports[s->ports[port].peer];
	sw = s->nodes[peer->node].sw;
	if (sw == FAB_NONE || !intended_switch_there(s, sw))
		return none;
	return (struct intended_place){ sw, peer->num };
}

bool
intended_is_whole(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nnodes; i++)
		if (s->nodes[i].flags & (FAB_NODE_CUT | FAB_NODE_FAILED))
			return false;
	return s->nproblems == 0;
}

/* What the topology wants at a port of a known switch. */
static uint32_t
use_of(const struct compare *c, uint32_t known, uint8_t port)
{
	if (known == INTENDED_NONE || port < 1 || port > c->t->sw[known].nports)
		return 0;
	return intended_port_use(&c->ports, known, port);
}

static const struct fab_node *
switch_node(const struct compare *c, uint32_t sw)
{
	return &c->s->nodes[c->s->switches[sw]];
}

static void
match_switches(struct compare *c)
{
	const struct snapshot *s = c->s;

	c->known = arena_array(&c->arena, (size_t)s->nswitches + 1, sizeof(*c->known));
	c->there = arena_array(&c->arena, (size_t)c->t->nsw + 1, sizeof(*c->there));
	for (uint32_t i = 0; i < c->t->nsw; i++)
		c->there[i] = INTENDED_NONE;
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		uint32_t at = intended_switch_find(c->t, switch_node(c, sw)->guid);

		c->known[sw] = at;
		if (!intended_switch_there(s, sw))
			continue;
		c->d->present++;
		c->d->known += at != INTENDED_NONE;
		if (at != INTENDED_NONE)
			c->there[at] = sw;
	}
}

/* Returns the port at the other end, or FAB_NONE if it is no port of a switch in the fabric. */
static uint32_t
switch_behind(const struct snapshot *s, uint32_t port)
{
	uint32_t peer = s->ports[port].peer, sw;

	if (peer == FAB_NONE)
		return FAB_NONE;
	sw = s->nodes[s->ports[peer].node].sw;
	return sw != FAB_NONE && intended_switch_there(s, sw) ? peer : FAB_NONE;
}

static bool
link_is_there(const struct compare *c, const struct intended_link *l)
{
	const struct fab_node *a = switch_node(c, c->there[l->a]);
	uint32_t peer;

	if (l->aport > a->nports)
		return false;
	peer = c->s->ports[a->first_port + l->aport].peer;
	return peer != FAB_NONE && c->s->ports[peer].num == l->bport &&
		c->s->nodes[c->s->ports[peer].node].sw == c->there[l->b];
}

static void
find_missing(struct compare *c)
{
	const struct intended *t = c->t;

	for (uint32_t i = 0; i < t->nsw; i++)
		if (c->there[i] == INTENDED_NONE)
			note(c,
				(struct intended_change){
					.kind = INTENDED_MISSING_SWITCH, .guid = t->sw[i].guid });
	for (uint32_t i = 0; i < t->nlinks; i++) {
		const struct intended_link *l = &t->links[i];

		if (c->there[l->a] != INTENDED_NONE && c->there[l->b] != INTENDED_NONE &&
			!link_is_there(c, l))
			note(c,
				(struct intended_change){ INTENDED_MISSING_LINK, t->sw[l->a].guid,
					t->sw[l->b].guid, l->aport, l->bport });
	}
	for (uint32_t i = 0; i < t->nhosts; i++) {
		const struct intended_host *h = &t->hosts[i];
		uint32_t port = snapshot_port_by_guid(c->s, h->guid);

		if (intended_place_of(c->s, port).sw == INTENDED_NONE)
			note(c,
				(struct intended_change){ INTENDED_MISSING_HOST, h->guid,
					t->sw[h->sw].guid, 0, h->port });
	}
}

/* Calls 'look' once for each link between switches of the fabric. */
static void
each_link(struct compare *c,
	void (*look)(struct compare *c, const struct fab_port *a, const struct fab_port *b))
{
	for (uint32_t sw = 0; sw < c->s->nswitches; sw++) {
		const struct fab_node *n = switch_node(c, sw);

		for (unsigned p = 1; intended_switch_there(c->s, sw) && p <= n->nports; p++) {
			uint32_t to = switch_behind(c->s, n->first_port + p);

			if (to != FAB_NONE && c->s->nodes[c->s->ports[to].node].sw > sw)
				look(c, &c->s->ports[n->first_port + p], &c->s->ports[to]);
		}
	}
}

static uint32_t
use_at(const struct compare *c, const struct fab_port *p)
{
	return use_of(c, c->known[c->s->nodes[p->node].sw], p->num);
}

static void
look_for_new(struct compare *c, const struct fab_port *a, const struct fab_port *b)
{
	const struct fab_node *na = &c->s->nodes[a->node], *nb = &c->s->nodes[b->node];

	if (c->known[na->sw] != INTENDED_NONE && c->known[nb->sw] != INTENDED_NONE &&
		!use_at(c, a) && !use_at(c, b))
		note(c,
			(struct intended_change){
				INTENDED_NEW_LINK, na->guid, nb->guid, a->num, b->num });
}

static void
look_for_other(struct compare *c, const struct fab_port *a, const struct fab_port *b)
{
	const struct fab_node *na = &c->s->nodes[a->node], *nb = &c->s->nodes[b->node];
	uint32_t at = use_at(c, a), to = use_at(c, b);

	c->d->links++;
	if (intended_use_is_link(at) && at == to)
		return;
	if (at)
		note(c,
			(struct intended_change){
				INTENDED_OTHER_PEER, na->guid, nb->guid, a->num, b->num });
	if (to)
		note(c,
			(struct intended_change){
				INTENDED_OTHER_PEER, nb->guid, na->guid, b->num, a->num });
}

/* Calls 'look' for each host of the fabric. */
static void
each_host(struct compare *c,
	void (*look)(struct compare *c, const struct fab_port *p, struct intended_place at))
{
	for (uint32_t i = 0; i < c->s->nendports; i++) {
		struct intended_place at = intended_place_of(c->s, c->s->endports[i]);

		if (at.sw != INTENDED_NONE)
			look(c, &c->s->ports[c->s->endports[i]], at);
	}
}

static void
look_for_new_host(struct compare *c, const struct fab_port *p, struct intended_place at)
{
	if (intended_host_find(c->t, p->guid) == INTENDED_NONE)
		note(c,
			(struct intended_change){ INTENDED_NEW_HOST, p->guid,
				switch_node(c, at.sw)->guid, 0, at.port });
}

static void
look_for_moved_host(struct compare *c, const struct fab_port *p, struct intended_place at)
{
	uint32_t known = intended_host_find(c->t, p->guid);
	const struct intended_host *h;

	if (known == INTENDED_NONE)
		return;
	h = &c->t->hosts[known];
	if (c->known[at.sw] != h->sw || at.port != h->port)
		note(c,
			(struct intended_change){ INTENDED_MOVED_HOST, p->guid,
				switch_node(c, at.sw)->guid, 0, at.port });
}

static void
look_for_host_on_link(struct compare *c, const struct fab_port *p, struct intended_place at)
{
	c->d->hosts++;
	if (intended_use_is_link(use_of(c, c->known[at.sw], at.port)))
		note(c,
			(struct intended_change){ INTENDED_OTHER_PEER, switch_node(c, at.sw)->guid,
				p->guid, at.port, 0 });
}

struct intended_diff *
intended_compare(const struct intended *t, const struct snapshot *s)
{
	struct compare c = { .t = t, .s = s, .d = xcalloc(1, sizeof(*c.d)), .arena = ARENA_INIT };
	uint32_t sw;
	uint8_t port;

	if (!intended_ports_make(t, &c.arena, &c.ports, &sw, &port))
		bug("intended: a port is used twice");
	match_switches(&c);
	find_missing(&c);
	for (sw = 0; sw < s->nswitches; sw++)
		if (c.known[sw] == INTENDED_NONE && intended_switch_there(s, sw))
			note(&c,
				(struct intended_change){ .kind = INTENDED_NEW_SWITCH,
					.guid = switch_node(&c, sw)->guid });
	each_link(&c, look_for_new);
	each_host(&c, look_for_new_host);
	each_host(&c, look_for_moved_host);
	each_link(&c, look_for_other);
	each_host(&c, look_for_host_on_link);
	arena_clear(&c.arena);
	return c.d;
}

void
intended_diff_free(struct intended_diff *d)
{
	if (!d)
		return;
	arena_clear(&d->arena);
	free(d);
}

const char *
intended_change_text(enum intended_change_kind k)
{
	static const char *const text[INTENDED_CHANGE_KINDS] = {
#define K(name, words) [INTENDED_##name] = words,
		INTENDED_CHANGES(K)
#undef K
	};

	return k < INTENDED_CHANGE_KINDS ? text[k] : "?";
}

uint32_t
intended_diff_missing(const struct intended_diff *d)
{
	return d->count[INTENDED_MISSING_SWITCH] + d->count[INTENDED_MISSING_LINK] +
		d->count[INTENDED_MISSING_HOST];
}

uint32_t
intended_diff_pending(const struct intended_diff *d)
{
	return d->n - intended_diff_missing(d);
}

bool
intended_diff_foreign(const struct intended_diff *d)
{
	return d->known * 2 < d->present;
}
