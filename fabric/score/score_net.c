/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score_net.c - a fabric with its tables, arranged for following many paths.
 * Room: fabric/score.  Pure.
 */
#include <config.h>
#include <string.h>
#include "fabric/score/score_net.h"

static void
add_host(struct score_net *n, uint32_t port)
{
	const struct fab_port *p = &n->s->ports[port];
	struct score_host *h = &n->hosts[n->nhosts];

	if (p->peer == FAB_NONE || n->s->nodes[p->node].sw != FAB_NONE || !n->l->base[port])
		return;
	h->sw = n->s->nodes[n->s->ports[p->peer].node].sw;
	if (h->sw == FAB_NONE)
		return;
	h->port = port;
	h->lid = n->l->base[port];
	h->via = n->s->ports[p->peer].num;
	n->at[h->sw]++;
	n->nhosts++;
}

void
score_net_hosts(struct score_net *n, const uint32_t *hosts, uint32_t nhosts, struct arena *a)
{
	uint32_t *order;

	n->at = arena_array(a, n->nsw, sizeof(*n->at));
	if (hosts) {
		n->hosts = arena_array(a, nhosts, sizeof(*n->hosts));
		for (uint32_t i = 0; i < nhosts; i++)
			if (hosts[i] < n->s->nports)
				add_host(n, hosts[i]);
		return;
	}
	order = arena_array(a, n->g.nleaves, sizeof(*order));
	swgraph_leaf_order(&n->g, a, order);
	n->hosts = arena_array(a, n->g.host_first[n->nsw], sizeof(*n->hosts));
	for (uint32_t i = 0; i < n->g.nleaves; i++)
		for (uint32_t h = n->g.host_first[order[i]]; h < n->g.host_first[order[i] + 1]; h++)
			add_host(n, n->g.hosts[h].port);
}

void
score_net_make(struct score_net *n, const struct snapshot *s, const struct lid_map *l,
	const struct fwd_tables *f, struct arena *a)
{
	memset(n, 0, sizeof(*n));
	n->s = s;
	n->l = l;
	n->f = f;
	n->nsw = s->nswitches;
	n->first = arena_array(a, (size_t)n->nsw + 1, sizeof(*n->first));
	for (uint32_t sw = 0; sw < n->nsw; sw++)
		n->first[sw + 1] = n->first[sw] + s->nodes[s->switches[sw]].nports + 1u;
	n->nports = n->first[n->nsw];
	n->to = arena_array(a, n->nports, sizeof(*n->to));
	memset(n->to, 0xff, n->nports * sizeof(*n->to));
	swgraph_make(s, a, &n->g);
	for (uint32_t sw = 0; sw < n->nsw; sw++)
		for (uint32_t k = n->g.group_first[sw]; k < n->g.group_first[sw + 1]; k++) {
			const struct swgraph_group *gr = &n->g.groups[k];

			for (uint32_t i = 0; i < gr->nports; i++)
				n->to[n->first[sw] + n->g.ports[gr->first_port + i]] = gr->to;
			n->nlinks += gr->nports;
		}
}

void
score_walk_init(struct score_walk *w, const struct score_net *n, struct arena *a)
{
	w->mark = arena_alloc(a, n->nsw);
	w->order = arena_array(a, n->nsw, sizeof(*w->order));
	w->path = arena_array(a, n->nsw, sizeof(*w->path));
}

void
score_walk_begin(struct score_walk *w, const struct score_net *n)
{
	memset(w->mark, SCORE_UNSEEN, n->nsw);
	w->norder = 0;
}

/* Port 'num' of 'sw', which leads to no switch, is where 'owner' is. */
static bool
delivers(const struct score_net *n, uint32_t sw, uint32_t num, uint32_t owner)
{
	const struct fab_node *node = &n->s->nodes[n->s->switches[sw]];

	if (num == 0)
		return owner == node->first_port;
	return owner != FAB_NONE && n->s->ports[node->first_port + num].peer == owner &&
		n->s->nodes[n->s->ports[owner].node].sw == FAB_NONE;
}

void
score_walk_from(
	struct score_walk *w, const struct score_net *n, uint32_t sw, uint16_t lid, uint32_t owner)
{
	uint32_t npath = 0;
	uint8_t end;

	while (w->mark[sw] == SCORE_UNSEEN) {
		uint8_t num = score_entry(n, sw, lid);
		uint32_t p = score_port(n, sw, num);

		w->mark[sw] = SCORE_OPEN;
		w->path[npath++] = sw;
		if (p == FAB_NONE || n->to[p] == FAB_NONE) {
			w->mark[sw] = p != FAB_NONE && delivers(n, sw, num, owner) ? SCORE_GOOD :
										     SCORE_LOST;
			break;
		}
		sw = n->to[p];
	}
	end = w->mark[sw] == SCORE_OPEN ? SCORE_LOST : w->mark[sw];
	while (npath) {
		w->mark[w->path[--npath]] = end;
		w->order[w->norder++] = w->path[npath];
	}
}
