/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * compare.c - compares the intended topology with the fabric as it is.
 * Room: sm/intended.  Pure.  In: a topology, a snapshot.  Out: a list of differences.
 *
 * Every plan compares, and mostly next to nothing differs.  So hosts are matched in one pass over
 * both lists, which are in the order of GUIDs, and links in one pass over the ports of switches;
 * only what does not match is looked at again, once for each kind of change.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/intended/check.h"
#include "sm/intended/compare.h"
#include "util/bits.h"
#include "util/xalloc.h"

/* A link between switches of the fabric, from the switch of the lower ordinal. */
struct found_link {
	const struct fab_port *a, *b;
};

/* An end port. */
struct found_host {
	struct intended_place at;
	uint32_t known; /* index in the topology, INTENDED_NONE */
};

struct compare {
	const struct intended *t;
	const struct snapshot *s;
	struct intended_diff *d;
	struct arena arena; /* scratch */
	struct intended_ports ports;
	uint32_t *known; /* per ordinal: index in the topology, INTENDED_NONE */
	uint32_t *there; /* per index: ordinal, INTENDED_NONE */
	uint64_t *met; /* bits, per link of the topology: it is in the fabric */
	struct found_link *odd; /* the links of the fabric that are not as intended */
	uint32_t nodd, cap_odd;
	struct found_host *ends; /* as s->endports */
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

static uint32_t
use_at(const struct compare *c, const struct fab_port *p)
{
	return use_of(c, c->known[c->s->nodes[p->node].sw], p->num);
}

static void
match_link(struct compare *c, const struct fab_port *a, const struct fab_port *b)
{
	uint32_t use = use_at(c, a);

	c->d->links++;
	if (intended_use_is_link(use) && use == use_at(c, b)) {
		if (&c->s->ports[b->peer] == a)
			bits_set(c->met, intended_use_index(use));
		return;
	}
	c->odd = arena_grow(&c->arena, c->odd, c->nodd, &c->cap_odd, 64, sizeof(*c->odd));
	c->odd[c->nodd++] = (struct found_link){ a, b };
}

static void
match_links(struct compare *c)
{
	const struct snapshot *s = c->s;

	c->met = arena_array(&c->arena, BITS_WORDS(c->t->nlinks) + 1, sizeof(*c->met));
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		uint32_t node = s->switches[sw];
		const struct fab_port *p = &s->ports[s->nodes[node].first_port];

		for (unsigned k = 1; intended_switch_there(s, sw) && k <= s->nodes[node].nports; k++) {
			uint32_t peer = p[k].peer, to;

			/* switches have their ordinals in the order of nodes */
			if (peer == FAB_NONE || s->ports[peer].node <= node)
				continue;
			to = s->nodes[s->ports[peer].node].sw;
			if (to != FAB_NONE && intended_switch_there(s, to))
				match_link(c, &p[k], &s->ports[peer]);
		}
	}
}

static uint64_t
end_guid(const struct compare *c, uint32_t i)
{
	return c->s->ports[c->s->endports[i]].guid;
}

static void
match_hosts(struct compare *c)
{
	const struct intended *t = c->t;
	uint32_t k = 0;

	c->ends = arena_array(&c->arena, (size_t)c->s->nendports + 1, sizeof(*c->ends));
	for (uint32_t i = 0; i < c->s->nendports; i++) {
		uint64_t guid = end_guid(c, i);

		while (k < t->nhosts && t->hosts[k].guid < guid)
			k++;
		c->ends[i].at = intended_place_of(c->s, c->s->endports[i]);
		c->ends[i].known = k < t->nhosts && t->hosts[k].guid == guid ? k : INTENDED_NONE;
	}
}

static void
find_missing_hosts(struct compare *c)
{
	const struct intended *t = c->t;
	uint32_t n = c->s->nendports, i = 0;

	for (uint32_t k = 0; k < t->nhosts; k++) {
		const struct intended_host *h = &t->hosts[k];

		while (i < n && end_guid(c, i) < h->guid)
			i++;
		if (i == n || end_guid(c, i) != h->guid || c->ends[i].at.sw == INTENDED_NONE)
			note(c,
				(struct intended_change){ INTENDED_MISSING_HOST, h->guid,
					t->sw[h->sw].guid, 0, h->port });
	}
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

		if (!bits_test(c->met, i) && c->there[l->a] != INTENDED_NONE &&
			c->there[l->b] != INTENDED_NONE && !link_is_there(c, l))
			note(c,
				(struct intended_change){ INTENDED_MISSING_LINK, t->sw[l->a].guid,
					t->sw[l->b].guid, l->aport, l->bport });
	}
	find_missing_hosts(c);
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

	if (use_at(c, a))
		note(c,
			(struct intended_change){
				INTENDED_OTHER_PEER, na->guid, nb->guid, a->num, b->num });
	if (use_at(c, b))
		note(c,
			(struct intended_change){
				INTENDED_OTHER_PEER, nb->guid, na->guid, b->num, a->num });
}

/* Calls 'look' for each host of the fabric. */
static void
each_host(struct compare *c,
	void (*look)(struct compare *c, const struct fab_port *p, const struct found_host *h))
{
	for (uint32_t i = 0; i < c->s->nendports; i++)
		if (c->ends[i].at.sw != INTENDED_NONE)
			look(c, &c->s->ports[c->s->endports[i]], &c->ends[i]);
}

static void
look_for_new_host(struct compare *c, const struct fab_port *p, const struct found_host *h)
{
	if (h->known == INTENDED_NONE)
		note(c,
			(struct intended_change){ INTENDED_NEW_HOST, p->guid,
				switch_node(c, h->at.sw)->guid, 0, h->at.port });
}

static void
look_for_moved_host(struct compare *c, const struct fab_port *p, const struct found_host *h)
{
	const struct intended_host *was;

	if (h->known == INTENDED_NONE)
		return;
	was = &c->t->hosts[h->known];
	if (c->known[h->at.sw] != was->sw || h->at.port != was->port)
		note(c,
			(struct intended_change){ INTENDED_MOVED_HOST, p->guid,
				switch_node(c, h->at.sw)->guid, 0, h->at.port });
}

static void
look_for_host_on_link(struct compare *c, const struct fab_port *p, const struct found_host *h)
{
	c->d->hosts++;
	if (intended_use_is_link(use_of(c, c->known[h->at.sw], h->at.port)))
		note(c,
			(struct intended_change){ INTENDED_OTHER_PEER,
				switch_node(c, h->at.sw)->guid, p->guid, h->at.port, 0 });
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
	match_links(&c);
	match_hosts(&c);
	find_missing(&c);
	for (sw = 0; sw < s->nswitches; sw++)
		if (c.known[sw] == INTENDED_NONE && intended_switch_there(s, sw))
			note(&c,
				(struct intended_change){ .kind = INTENDED_NEW_SWITCH,
					.guid = switch_node(&c, sw)->guid });
	for (uint32_t i = 0; i < c.nodd; i++)
		look_for_new(&c, c.odd[i].a, c.odd[i].b);
	each_host(&c, look_for_new_host);
	each_host(&c, look_for_moved_host);
	for (uint32_t i = 0; i < c.nodd; i++)
		look_for_other(&c, c.odd[i].a, c.odd[i].b);
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
