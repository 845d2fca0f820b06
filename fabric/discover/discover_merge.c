/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * discover_merge.c - makes the snapshot of a discovery with a seed, from the seed and what has
 * changed.
 * Room: fabric/discover.  Pure.
 * In: the seed, and the nodes that were copied from it or found.  Out: the snapshot that
 * discover_seal.c would make if all nodes had been copied.
 *
 * Whoever was not copied is as in the seed, its path and its links included, and only numbers of
 * nodes, ports and P_Key blocks are others.  Invariant: nodes and end ports keep their order, so
 * nothing is sorted but what has changed; and between two nodes that came or went, all ports move
 * by the same number.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover_impl.h"
#include "fabric/snapshot/end_key.h"
#include "util/bisect.h"
#include "util/xalloc.h"

/* Ports of the seed from 'first' to the next of these are 'by' further in the snapshot (modulo
 * 2^32). */
struct shift {
	uint32_t first, by;
};

struct merge {
	struct discover *d;
	const struct snapshot *seed;
	struct snapshot *s;
	uint32_t *rank;                 /* number in the discovery -> node of the snapshot */
	uint32_t *order;                /* the other way round */
	struct found **fresh;           /* nodes that the seed has not, by GUID */
	uint32_t nfresh;
	struct shift *shifts;
	uint32_t nshifts;
	struct end_key *keys;           /* end ports of nodes that were copied or found */
	uint32_t nkeys;
	uint32_t npeers;
};

bool
discover_merge_suffices(const struct discover *d)
{
	return !d->seeding->whole && discover_routes_hold(d);
}

/* ---- which nodes ---- */

static void
find_fresh(struct merge *m)
{
	const struct discover *d = m->d;

	m->fresh = xcalloc(d->nnodes - m->seed->nnodes + 1, sizeof(struct found *));
	for (uint32_t i = m->seed->nnodes; i < d->nnodes; i++)
		if (d->nodes[i]->reached)
			m->fresh[m->nfresh++] = d->nodes[i];
		else
			discover_seal_gone(m->d, d->nodes[i]);
	discover_seal_sort(m->fresh, m->nfresh);
}

static void
put_next(struct merge *m, uint32_t number)
{
	m->rank[number] = m->s->nnodes;
	m->order[m->s->nnodes++] = number;
}

static void
order_nodes(struct merge *m)
{
	uint32_t k = 0;

	find_fresh(m);
	m->order = xcalloc(m->d->nnodes, sizeof(*m->order));
	memset(m->rank, 0xff, m->d->nnodes * sizeof(*m->rank));
	for (uint32_t i = 0; i < m->seed->nnodes; i++) {
		uint32_t number = discover_seed_number(m->seed, i);
		const struct found *n = m->d->nodes[number];

		for (; k < m->nfresh && m->fresh[k]->guid < m->seed->nodes[i].guid; k++)
			put_next(m, m->fresh[k]->index);
		if (!n || n->reached)
			put_next(m, number);
		else
			discover_seal_gone(m->d, n);
	}
	for (; k < m->nfresh; k++)
		put_next(m, m->fresh[k]->index);
}

/* ---- nodes ---- */

static void
keep_node(struct merge *m, struct fab_node *n, const struct fab_node *was)
{
	memcpy(n, was, sizeof(*n));
	n->first_port = m->s->nports;
	n->flags = discover_seed_flags(was);
	n->lft = NULL;
	n->lft_blocks = 0;
	if (was->lft)
		discover_seal_lft(m->d, m->s, n, was->lft, was->lft_blocks, false);
	m->s->nports += n->nports + 1u;
}

static void
seal_found(struct merge *m, struct fab_node *n, const struct found *f)
{
	discover_seal_node(m->d, m->s, n, f);
	n->hop_count = f->route->hops;
	memcpy(n->path, f->route->path, f->route->hops + 1u);
	n->entry_port = f->entry;
}

/* A node of the seed has its ports here: that may be a new shift. */
static void
note_shift(struct merge *m, uint32_t was, uint32_t now)
{
	if (m->nshifts && m->shifts[m->nshifts - 1].by == now - was)
		return;
	m->shifts[m->nshifts++] = (struct shift){ was, now - was };
}

/* Returns how many ports may have P_Keys. */
static uint32_t
fill_nodes(struct merge *m)
{
	struct snapshot *s = m->s;
	uint32_t ends = 0;

	s->nodes = arena_array(&s->arena, s->nnodes, sizeof(*s->nodes));
	s->switches =
		arena_array(&s->arena, m->seed->nswitches + m->nfresh, sizeof(*s->switches));
	m->shifts = xcalloc(m->d->nnodes + 1, sizeof(*m->shifts));
	for (uint32_t i = 0; i < s->nnodes; i++) {
		uint32_t number = m->order[i];
		const struct found *f = m->d->nodes[number];
		const struct fab_node *was = number < m->seed->nnodes ?
			&m->seed->nodes[discover_seed_index(m->seed, number)] : NULL;
		struct fab_node *n = &s->nodes[i];

		if (was)
			note_shift(m, was->first_port, s->nports);
		if (f)
			seal_found(m, n, f);
		else
			keep_node(m, n, was);
		ends += fab_is_switch(n) ? 1 : n->nports;
		n->sw = FAB_NONE;
		if (!fab_is_switch(n))
			continue;
		n->sw = s->nswitches;
		s->switches[s->nswitches++] = i;
	}
	return ends;
}

/* ---- ports ---- */

static uint32_t
port_now(const struct merge *m, uint32_t was)
{
	uint32_t at = 0;

	if (m->nshifts > 1) {
		BISECT(at, m->nshifts, m->shifts[at].first <= was);
		at--;
	}
	return was + m->shifts[at].by;
}

static void
keep_port(struct merge *m, uint32_t node, struct fab_port *p, const struct fab_port *was)
{
	const struct fab_node *n = &m->s->nodes[node];

	memcpy(p, was, sizeof(*p));
	p->node = node;
	p->more_pkeys = 0;
	if (was->peer != FAB_NONE) {
		p->peer = port_now(m, was->peer);
		m->npeers++;
		m->s->nhosts += !fab_is_switch(n);
	}
	if (fab_is_switch(n)) {
		if (p->flags & FAB_PORT_INFO)
			discover_seal_local_port(p->info, n->entry_port);
		if (p->num) {
			p->flags &= (uint8_t)~FAB_PORT_PKEYS;
			p->pkeys = FAB_NONE;
			return;
		}
	}
	discover_seal_pkeys(
		m->s, p, was->pkeys == FAB_NONE ? NULL : m->seed->pkey_blocks[was->pkeys]);
}

static void
note_key(struct merge *m, uint32_t port)
{
	const struct snapshot *s = m->s;

	if (snapshot_is_endport(s, &s->ports[port]) || port == s->sm_port)
		m->keys[m->nkeys++] = (struct end_key){ s->ports[port].guid, port };
}

/* The ports of a node that was copied or found. */
static void
fill_changed(struct merge *m, uint32_t node, const struct found *f)
{
	struct snapshot *s = m->s;
	const struct fab_node *n = &s->nodes[node];

	discover_seal_ports(s, node, f, m->rank);
	for (uint32_t p = n->first_port; p <= n->first_port + n->nports; p++) {
		if (s->ports[p].peer != FAB_NONE) {
			m->npeers++;
			s->nhosts += !fab_is_switch(n);
		}
		note_key(m, p);
	}
}

/* Returns how many ports of nodes that were copied or found may be end ports. */
static uint32_t
count_changed(const struct merge *m)
{
	uint32_t ports = 0;

	for (uint32_t i = 0; i < m->d->nnodes; i++)
		if (m->d->nodes[i])
			ports += m->d->nodes[i]->nports + 1u;
	return ports;
}

static void
fill_ports(struct merge *m)
{
	struct snapshot *s = m->s;

	m->keys = xcalloc(count_changed(m) + 1, sizeof(*m->keys));
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct fab_node *n = &s->nodes[i];
		const struct found *f = m->d->nodes[m->order[i]];
		const struct fab_port *was;

		if (f) {
			fill_changed(m, i, f);
			discover_seal_entry(s, n);
			continue;
		}
		was = m->seed->ports +
			m->seed->nodes[discover_seed_index(m->seed, m->order[i])].first_port;
		for (unsigned p = 0; p <= n->nports; p++)
			keep_port(m, i, &s->ports[n->first_port + p], &was[p]);
	}
	s->nlinks = m->npeers / 2;
}

/* ---- end ports ---- */

static void
index_endports(struct merge *m)
{
	const struct snapshot *seed = m->seed;
	struct snapshot *s = m->s;
	uint32_t k = 0;

	qsort(m->keys, m->nkeys, sizeof(*m->keys), end_key_cmp);
	s->endports = arena_array(&s->arena, seed->nendports + m->nkeys, sizeof(*s->endports));
	for (uint32_t i = 0; i < seed->nendports; i++) {
		const struct fab_port *was = &seed->ports[seed->endports[i]];
		struct end_key key;

		if (m->d->nodes[discover_seed_number(seed, was->node)])
			continue;
		key = (struct end_key){ was->guid, port_now(m, seed->endports[i]) };
		for (; k < m->nkeys && end_key_cmp(&m->keys[k], &key) < 0; k++)
			s->endports[s->nendports++] = m->keys[k].port;
		s->endports[s->nendports++] = key.port;
	}
	for (; k < m->nkeys; k++)
		s->endports[s->nendports++] = m->keys[k].port;
}

/* ---- all of it ---- */

void
discover_merge(struct discover *d, struct snapshot *s, uint32_t *rank)
{
	struct merge m = { .d = d, .seed = d->conf.seed, .s = s, .rank = rank };
	uint32_t ends;

	order_nodes(&m);
	ends = fill_nodes(&m);
	s->ports = arena_array(&s->arena, s->nports, sizeof(*s->ports));
	s->pkey_blocks = arena_array(&s->arena, ends, sizeof(*s->pkey_blocks));
	s->sm_port = s->nodes[rank[0]].first_port + s->nodes[rank[0]].entry_port;
	fill_ports(&m);
	index_endports(&m);
	free(m.fresh);
	free(m.order);
	free(m.shifts);
	free(m.keys);
}
