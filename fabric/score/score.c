/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score.c - loads when all send to all, path lengths, balance of levels.
 * Room: fabric/score.  Pure.  In: tables.  Out: struct score_result.
 *
 * Each destination is one column: every switch gets a weight, the number of its hosts, and the
 * weights are pushed along the entries.  No pair of hosts is walked.
 */
#include <config.h>
#include <string.h>
#include "fabric/score/score.h"
#include "fabric/score/score_net.h"
#include "fabric/score/score_perms.h"

struct part {
	struct score_walk walk;
	uint32_t *weight;               /* [nsw]: packets that pass */
	uint16_t *hops;                 /* [nsw]: to the destination */
	uint16_t *dist;                 /* [nsw]: the least number of hops to 'near' */
	uint32_t *queue;
	uint32_t near;
	uint32_t *load;                 /* [nports] */
	uint64_t unreachable, hops_sum, shortest_sum, histogram[SCORE_HOPS_MAX + 1];
};

struct a2a {
	const struct score_net *n;
	struct part *parts;
};

static void
near_to(struct part *p, const struct score_net *n, uint32_t sw)
{
	if (p->near == sw)
		return;
	p->near = sw;
	swgraph_distances(&n->g, &sw, 1, p->dist, p->queue);
}

/* Counts 'k' paths from 'sw'. */
static void
count_paths(struct part *p, uint32_t sw, uint32_t k)
{
	uint32_t hops = p->hops[sw];

	p->hops_sum += (uint64_t)k * hops;
	p->shortest_sum += (uint64_t)k * p->dist[sw];
	p->histogram[hops < SCORE_HOPS_MAX ? hops : SCORE_HOPS_MAX] += k;
}

static void
do_host(struct part *p, const struct score_net *n, const struct score_host *to)
{
	struct score_walk *w = &p->walk;

	near_to(p, n, to->sw);
	score_walk_begin(w, n);
	for (uint32_t sw = 0; sw < n->nsw; sw++)
		if (n->at[sw] && w->mark[sw] == SCORE_UNSEEN)
			score_walk_from(w, n, sw, to->lid, to->port);
	for (uint32_t i = 0; i < w->norder; i++) {
		uint32_t sw = w->order[i], k = n->at[sw] - (sw == to->sw);

		p->weight[sw] = 0;
		if (w->mark[sw] != SCORE_GOOD) {
			p->unreachable += k;
			continue;
		}
		p->hops[sw] = sw == to->sw ?
			0 :
			(uint16_t)(1 + p->hops[n->to[n->first[sw] + score_entry(n, sw, to->lid)]]);
		p->weight[sw] = k;
		count_paths(p, sw, k);
	}
	for (uint32_t i = w->norder; i-- > 0;) {
		uint32_t sw = w->order[i], port = n->first[sw] + score_entry(n, sw, to->lid);

		if (w->mark[sw] != SCORE_GOOD || sw == to->sw)
			continue;
		p->load[port] += p->weight[sw];
		p->weight[n->to[port]] += p->weight[sw];
	}
}

static void
a2a_part(void *data, unsigned i, unsigned n)
{
	struct a2a *t = data;
	uint32_t end = stripes_first(t->n->nhosts, i + 1, n);

	for (uint32_t h = stripes_first(t->n->nhosts, i, n); h < end; h++)
		do_host(&t->parts[i], t->n, &t->n->hosts[h]);
}

static void
add_part(const struct score_net *n, const struct part *p, struct score_result *r, uint32_t *load)
{
	r->unreachable += p->unreachable;
	r->hops_sum += p->hops_sum;
	r->shortest_sum += p->shortest_sum;
	for (unsigned i = 0; i <= SCORE_HOPS_MAX; i++)
		r->hops[i] += p->histogram[i];
	for (uint32_t i = 0; i < n->nports; i++)
		load[i] += p->load[i];
}

/* Loads by number of port. */
static uint32_t *
run_a2a(const struct score_in *in, const struct score_net *n, struct arena *a,
	struct score_result *r)
{
	unsigned parts = stripes_count(in->stripes);
	struct a2a t = { n, arena_array(a, parts, sizeof(*t.parts)) };
	uint32_t *load = arena_array(a, n->nports, sizeof(*load));

	for (unsigned i = 0; i < parts; i++) {
		struct part *p = &t.parts[i];

		score_walk_init(&p->walk, n, a);
		p->weight = arena_array(a, n->nsw, sizeof(*p->weight));
		p->hops = arena_array(a, n->nsw, sizeof(*p->hops));
		p->dist = arena_array(a, n->nsw, sizeof(*p->dist));
		p->queue = arena_array(a, n->nsw, sizeof(*p->queue));
		p->load = arena_array(a, n->nports, sizeof(*p->load));
		p->near = FAB_NONE;
	}
	stripes_each(in->stripes, a2a_part, &t);
	for (unsigned i = 0; i < parts; i++)
		add_part(n, &t.parts[i], r, load);
	return load;
}

/* ---- levels ---- */

static uint16_t *
find_levels(const struct score_net *n, struct arena *a)
{
	uint16_t *level = arena_array(a, n->nsw, sizeof(*level));
	uint32_t *leaves = arena_array(a, n->nsw, sizeof(*leaves)), nleaves = 0;

	for (uint32_t sw = 0; sw < n->nsw; sw++)
		if (swgraph_is_leaf(&n->g, sw))
			leaves[nleaves++] = sw;
	swgraph_distances(&n->g, leaves, nleaves, level, arena_array(a, n->nsw, sizeof(uint32_t)));
	return level;
}

/* The row for two levels; NULL: there are too many. */
static struct score_level *
level_row(struct score_result *r, uint16_t from, uint16_t to)
{
	uint32_t i = 0;

	while (i < r->nlevels &&
		(r->levels[i].from < from || (r->levels[i].from == from && r->levels[i].to < to)))
		i++;
	if (i < r->nlevels && r->levels[i].from == from && r->levels[i].to == to)
		return &r->levels[i];
	if (r->nlevels == SCORE_LEVELS_MAX)
		return NULL;
	memmove(&r->levels[i + 1], &r->levels[i], (r->nlevels++ - i) * sizeof(r->levels[0]));
	r->levels[i] = (struct score_level){ .from = from, .to = to, .min = UINT32_MAX };
	return &r->levels[i];
}

static void
count_link(const struct score_net *n, uint32_t sw, uint32_t port, uint32_t load,
	const uint16_t *level, struct score_result *r)
{
	uint32_t at = n->s->nodes[n->s->switches[sw]].first_port + port - n->first[sw];
	struct score_level *row = level_row(r, level[sw], level[n->to[port]]);

	r->a2a[at] = load;
	r->a2a_sum += load;
	if (load > r->a2a_max || r->a2a_port == FAB_NONE) {
		r->a2a_max = load;
		r->a2a_port = at;
	}
	if (!row)
		return;
	row->ports++;
	row->sum += load;
	row->min = load < row->min ? load : row->min;
	row->max = load > row->max ? load : row->max;
}

void
score_tables(const struct score_in *in, struct arena *a, struct score_result *r)
{
	struct arena scratch = ARENA_INIT;
	struct score_net n;
	const uint16_t *level;
	const uint32_t *load;

	memset(r, 0, sizeof(*r));
	score_net_make(&n, in->snapshot, in->lids, in->tables, &scratch);
	score_net_hosts(&n, in->hosts, in->nhosts, &scratch);
	level = in->level ? in->level : find_levels(&n, &scratch);
	r->switches = n.nsw;
	r->hosts = n.nhosts;
	r->ports = n.nlinks;
	r->vls = in->tables->lanes ? in->tables->lanes->nvls : in->tables->vls;
	r->pairs = (uint64_t)n.nhosts * (n.nhosts ? n.nhosts - 1 : 0);
	r->a2a_port = FAB_NONE;
	r->a2a = arena_array(a, in->snapshot->nports, sizeof(*r->a2a));
	load = run_a2a(in, &n, &scratch, r);
	for (uint32_t sw = 0; sw < n.nsw; sw++)
		for (uint32_t p = n.first[sw]; p < n.first[sw + 1]; p++)
			if (n.to[p] != FAB_NONE)
				count_link(&n, sw, p, load[p], level, r);
	score_perms_run(in, &n, !r->unreachable, r);
	arena_clear(&scratch);
}
