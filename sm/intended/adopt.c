/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * adopt.c - growth that moves no path: hosts and leaf switches.
 * Room: sm/intended.  Pure.  In: a topology, the fabric as it is.  Out: the topology with what is
 * new.
 *
 * First the switches are merged, then their links, then the hosts.  A host arrives if it is new,
 * or known at another port.  The host that had the port of an arrival leaves.  If both are of the
 * same kind, the arrival gets its id, so an exchanged adapter has the routes of the one before.
 * Any other arrival gets a free id between those of its leaf, or the next id after all others.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/intended/adopt.h"
#include "sm/intended/check.h"
#include "sm/intended/compare.h"
#include "sm/intended/document.h"
#include "util/bits.h"
#include "util/xalloc.h"

struct arrival {
	uint64_t guid;
	uint32_t sw; /* index in the new topology */
	uint8_t port, kind;
	uint32_t id; /* INTENDED_NONE: not given yet */
};

struct grow {
	const struct intended *old;
	const struct snapshot *s;
	const struct intended_conf *conf;
	struct intended_growth *g;
	struct intended *t; /* the new topology */
	struct arena arena; /* scratch */
	struct intended_ports ports; /* of 'old', later of 't' */
	uint64_t *leaf_ranks; /* bits: ranks of leaves */
	uint64_t *ids[INTENDED_KINDS]; /* bits: ids in use */
	uint32_t next_id[INTENDED_KINDS];
	struct arrival *arrivals;
	uint32_t narrivals;
};

static const struct fab_node *
switch_node(const struct grow *w, uint32_t sw)
{
	return &w->s->nodes[w->s->switches[sw]];
}

static void
make_ports(struct grow *w, const struct intended *t)
{
	uint32_t sw;
	uint8_t port;

	if (!intended_ports_make(t, &w->arena, &w->ports, &sw, &port))
		bug("intended: a port is used twice");
}

/* ---- leaf switches ---- */

/* Above a new leaf switch: the neighbours. */
struct above {
	uint32_t n; /* neighbours */
	uint32_t rank; /* of all of them */
	uint32_t least_divider;
	uint32_t last[256]; /* indices */
};

/* Adds the neighbour behind a link.  Returns false if the switch cannot be adopted because of
 * it. */
static bool
above_add(const struct grow *w, struct above *a, const struct fab_port *far)
{
	uint32_t at = intended_switch_find(w->old, w->s->nodes[far->node].guid);
	const struct intended_switch *up = at == INTENDED_NONE ? NULL : &w->old->sw[at];

	if (!up || up->rank == UINT16_MAX || far->num > up->nports ||
		intended_port_use(&w->ports, at, far->num) || (a->n && up->rank != a->rank))
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->last[i] == at)
			return true;
	a->rank = up->rank;
	a->least_divider = a->n && a->least_divider < up->divider ? a->least_divider : up->divider;
	a->last[a->n++] = at;
	return true;
}

/* Returns true if a switch is a leaf whose links move no existing entry, and stores its rank. */
static bool
is_new_leaf(const struct grow *w, uint32_t sw, uint16_t *rank)
{
	const struct fab_node *n = switch_node(w, sw);
	struct above above = { .n = 0 };
	bool hosts = false;

	if (intended_switch_find(w->old, n->guid) != INTENDED_NONE || n->nports > 254 ||
		!intended_switch_there(w->s, sw))
		return false;
	for (unsigned p = 1; p <= n->nports; p++) {
		uint32_t peer = w->s->ports[n->first_port + p].peer;

		if (peer == FAB_NONE)
			continue;
		if (!fab_is_switch(&w->s->nodes[w->s->ports[peer].node]))
			hosts = true;
		else if (!above_add(w, &above, &w->s->ports[peer]))
			return false;
	}
	*rank = (uint16_t)(above.rank + 1);
	return hosts && above.n && above.n <= above.least_divider &&
		bits_test(w->leaf_ranks, *rank);
}

static void
note_leaf_ranks(struct grow *w)
{
	w->leaf_ranks = arena_array(&w->arena, BITS_WORDS(UINT16_MAX + 2), sizeof(uint64_t));
	for (uint32_t i = 0; i < w->old->nsw; i++)
		if (w->old->sw[i].leaf != INTENDED_NONE)
			bits_set(w->leaf_ranks, w->old->sw[i].rank);
}

static uint32_t
next_leaf(const struct intended *t)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < t->nsw; i++)
		if (t->sw[i].leaf != INTENDED_NONE && t->sw[i].leaf >= next)
			next = t->sw[i].leaf + 1;
	return next;
}

static uint32_t
next_plane(const struct intended *t)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < t->nsw; i++)
		next = t->sw[i].plane >= next ? t->sw[i].plane + 1 : next;
	return next;
}

static int
by_guid(const void *va, const void *vb)
{
	const struct intended_switch *a = va, *b = vb;

	return (a->guid > b->guid) - (a->guid < b->guid);
}

static void
take_switches(struct grow *w)
{
	uint32_t leaf = next_leaf(w->old), plane = next_plane(w->old);
	struct intended *t = w->t;
	uint16_t rank;

	t->sw = arena_array(&t->arena, (size_t)w->old->nsw + w->s->nswitches + 1, sizeof(*t->sw));
	memcpy(t->sw, w->old->sw, w->old->nsw * sizeof(*t->sw));
	t->nsw = w->old->nsw;
	for (uint32_t sw = 0; sw < w->s->nswitches && plane <= INTENDED_SWITCHES_MAX; sw++) {
		const struct fab_node *n = switch_node(w, sw);

		if (t->nsw >= INTENDED_SWITCHES_MAX || !is_new_leaf(w, sw, &rank))
			continue;
		t->sw[t->nsw++] = (struct intended_switch){ .guid = n->guid,
			.system_guid = n->sys_guid,
			.rank = rank,
			.nports = n->nports,
			.plane = plane++,
			.divider = 1,
			.leaf = leaf++ };
		w->g->switches++;
	}
	qsort(t->sw, t->nsw, sizeof(*t->sw), by_guid);
}

/* The links of a new leaf switch, which lead to known ones. */
static void
take_links_of(struct grow *w, uint32_t leaf)
{
	struct intended *t = w->t;
	uint32_t node = snapshot_node_by_guid(w->s, t->sw[leaf].guid);

	for (unsigned p = 1; p <= t->sw[leaf].nports; p++) {
		uint32_t peer = snapshot_port(w->s, node, (uint8_t)p)->peer, other;
		const struct fab_port *far = peer == FAB_NONE ? NULL : &w->s->ports[peer];

		if (!far || !fab_is_switch(&w->s->nodes[far->node]))
			continue;
		other = intended_switch_find(t, w->s->nodes[far->node].guid);
		t->links[t->nlinks++] = leaf < other ?
			(struct intended_link){ leaf, other, (uint8_t)p, far->num } :
			(struct intended_link){ other, leaf, far->num, (uint8_t)p };
	}
}

/* The links of the old topology, and those of the new leaf switches. */
static void
take_links(struct grow *w)
{
	struct intended *t = w->t;
	uint32_t *to = arena_array(&w->arena, (size_t)w->old->nsw + 1, sizeof(*to));
	size_t more = (size_t)w->g->switches * UINT8_MAX;

	for (uint32_t i = 0; i < w->old->nsw; i++)
		to[i] = intended_switch_find(t, w->old->sw[i].guid);
	t->links = arena_array(&t->arena, w->old->nlinks + more, sizeof(*t->links));
	for (; t->nlinks < w->old->nlinks; t->nlinks++) {
		const struct intended_link *l = &w->old->links[t->nlinks];

		t->links[t->nlinks] =
			(struct intended_link){ to[l->a], to[l->b], l->aport, l->bport };
	}
	for (uint32_t i = 0; w->g->switches && i < t->nsw; i++)
		if (intended_switch_find(w->old, t->sw[i].guid) == INTENDED_NONE)
			take_links_of(w, i);
}

/* ---- hosts ---- */

static bool
list_has(const uint64_t *list, uint32_t n, uint64_t guid, uint64_t node)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == guid || list[i] == node)
			return true;
	return false;
}

static uint8_t
kind_of(const struct grow *w, const struct fab_port *p)
{
	uint64_t node = w->s->nodes[p->node].guid;
	const struct intended_conf *c = w->conf;

	if (c && list_has(c->io, c->nio, p->guid, node))
		return INTENDED_IO;
	if (!c || !c->ncompute || list_has(c->compute, c->ncompute, p->guid, node))
		return INTENDED_COMPUTE;
	return INTENDED_OTHER;
}

/* The hosts that arrive, by switch and port. */
static void
find_arrivals(struct grow *w)
{
	const struct snapshot *s = w->s;

	w->arrivals = arena_array(&w->arena, (size_t)s->nhosts + 1, sizeof(*w->arrivals));
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = switch_node(w, sw);
		uint32_t at = intended_switch_find(w->t, n->guid);

		for (unsigned p = 1; at != INTENDED_NONE && p <= w->t->sw[at].nports; p++) {
			uint32_t peer = p <= n->nports ? s->ports[n->first_port + p].peer :
							 FAB_NONE,
				 use, known;

			if (peer == FAB_NONE || fab_is_switch(&s->nodes[s->ports[peer].node]) ||
				!intended_switch_there(s, sw))
				continue;
			use = intended_port_use(&w->ports, at, (uint8_t)p);
			known = intended_host_find(w->t, s->ports[peer].guid);
			if (intended_use_is_link(use) || (use && known == intended_use_index(use)))
				continue;
			w->arrivals[w->narrivals++] = (struct arrival){ s->ports[peer].guid, at,
				(uint8_t)p, kind_of(w, &s->ports[peer]), INTENDED_NONE };
		}
	}
}

/* Of two hosts with the same port GUID, keeps the first: the topology has one row per GUID. */
static void
drop_twins(struct grow *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->narrivals; i++) {
		uint32_t port = snapshot_port_by_guid(w->s, w->arrivals[i].guid);
		struct intended_place at = intended_place_of(w->s, port);

		if (at.sw != INTENDED_NONE && at.port == w->arrivals[i].port &&
			switch_node(w, at.sw)->guid == w->t->sw[w->arrivals[i].sw].guid)
			w->arrivals[n++] = w->arrivals[i];
	}
	w->narrivals = n;
}

static void
use_id(struct grow *w, unsigned kind, uint32_t id)
{
	bits_set(w->ids[kind], id);
	w->next_id[kind] = id >= w->next_id[kind] ? id + 1 : w->next_id[kind];
}

/* Removes hosts that are at another port now, or whose port is in use; marks the ids of the
 * rest. */
static void
part_with_hosts(struct grow *w)
{
	struct intended *t = w->t;
	uint64_t *gone = arena_array(&w->arena, BITS_WORDS(t->nhosts) + 1, sizeof(*gone));
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->narrivals; i++) {
		struct arrival *v = &w->arrivals[i];
		uint32_t use = intended_port_use(&w->ports, v->sw, v->port);
		uint32_t self = intended_host_find(t, v->guid), at = intended_use_index(use);

		if (self != INTENDED_NONE) {
			bits_set(gone, self);
			v->kind = t->hosts[self].kind;
			w->g->moved++;
		} else {
			w->g->hosts++;
		}
		if (!use)
			continue;
		bits_set(gone, at);
		if (t->hosts[at].kind == v->kind)
			v->id = t->hosts[at].id;
		w->g->replaced += snapshot_port_by_guid(w->s, t->hosts[at].guid) == FAB_NONE;
	}
	for (uint32_t i = 0; i < t->nhosts; i++) {
		if (bits_test(gone, i))
			continue;
		t->hosts[n] = t->hosts[i];
		use_id(w, t->hosts[n].kind, t->hosts[n].id);
		n++;
	}
	t->nhosts = n;
}

/* A free id between those of the hosts of a leaf; INTENDED_NONE: there is none. */
static uint32_t
free_in_range(const struct grow *w, const struct arrival *v, uint32_t nkept)
{
	uint32_t least = INTENDED_NONE, most = 0, id;

	for (uint32_t i = 0; i < nkept; i++) {
		const struct intended_host *h = &w->t->hosts[i];

		if (h->sw != v->sw || h->kind != v->kind)
			continue;
		least = h->id < least ? h->id : least;
		most = h->id > most ? h->id : most;
	}
	for (id = least; id < most && bits_test(w->ids[v->kind], id); id++)
		;
	return id < most ? id : INTENDED_NONE;
}

/* Returns the id after all others; if there is none left, the first free id. */
static uint32_t
append_id(struct grow *w, unsigned kind)
{
	uint32_t id = w->next_id[kind];

	if (id > INTENDED_ID_MAX)
		for (id = 0; id <= INTENDED_ID_MAX && bits_test(w->ids[kind], id); id++)
			;
	return id;
}

static void
give_ids(struct grow *w)
{
	struct intended *t = w->t;
	uint32_t nkept = t->nhosts;

	for (uint32_t i = 0; i < w->narrivals; i++)
		if (w->arrivals[i].id != INTENDED_NONE)
			use_id(w, w->arrivals[i].kind, w->arrivals[i].id);
	for (uint32_t i = 0; i < w->narrivals; i++) {
		struct arrival *v = &w->arrivals[i];

		if (v->id == INTENDED_NONE)
			v->id = free_in_range(w, v, nkept);
		if (v->id == INTENDED_NONE)
			v->id = append_id(w, v->kind);
		use_id(w, v->kind, v->id);
		if (t->sw[v->sw].leaf == INTENDED_NONE)
			t->sw[v->sw].leaf = next_leaf(t);
		t->hosts[t->nhosts++] =
			(struct intended_host){ v->guid, v->sw, v->port, v->kind, v->id };
	}
}

static void
take_hosts(struct grow *w)
{
	struct intended *t = w->t;

	t->hosts = arena_array(
		&t->arena, (size_t)w->old->nhosts + w->s->nhosts + 1, sizeof(*t->hosts));
	for (; t->nhosts < w->old->nhosts; t->nhosts++) {
		t->hosts[t->nhosts] = w->old->hosts[t->nhosts];
		t->hosts[t->nhosts].sw =
			intended_switch_find(t, w->old->sw[t->hosts[t->nhosts].sw].guid);
	}
	for (unsigned k = 0; k < INTENDED_KINDS; k++)
		w->ids[k] =
			arena_array(&w->arena, BITS_WORDS(INTENDED_ID_MAX + 2), sizeof(*w->ids[k]));
	make_ports(w, t);
	find_arrivals(w);
	drop_twins(w);
	part_with_hosts(w);
	give_ids(w);
}

struct intended *
intended_grow(const struct intended *t, const struct snapshot *s, const struct intended_conf *c,
	struct intended_growth *g)
{
	struct grow w = { .old = t, .s = s, .conf = c, .g = g, .arena = ARENA_INIT };
	char why[INTENDED_WHY_BYTES];

	memset(g, 0, sizeof(*g));
	w.t = xcalloc(1, sizeof(*w.t));
	w.t->root_rule = t->root_rule;
	make_ports(&w, t);
	note_leaf_ranks(&w);
	take_switches(&w);
	take_links(&w);
	take_hosts(&w);
	arena_clear(&w.arena);
	if ((g->switches || g->hosts || g->moved) && w.t->nhosts <= INTENDED_HOSTS_MAX &&
		intended_check(w.t, why))
		return w.t;
	intended_free(w.t);
	return NULL;
}
