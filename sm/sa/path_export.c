/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * path_export.c - all paths of a port at once, for export.
 * Room: sm/sa.  Pure.
 *
 * A path is what PathRecord says (path.c), so that is queried, but once for each kind of pair.  A
 * kind is everything on which the answer depends: what both ends hold and can, the QoS level, the
 * routes there and back.  Behind their first links the routes between all ports are the routes from
 * all switches to all LIDs: a byte each, as there are few different ones.  For the ports of a
 * switch the destinations are cut into segments: ports of one switch, side by side by LID, alike,
 * and with the same route, so that they are of one kind.  test_path_export compares the result with
 * a query for each pair.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/sa/path.h"
#include "util/bisect.h"
#include "util/xalloc.h"

/* An end port as a destination. */
struct dest {
	uint32_t port, sw;              /* the switch where its packets go first, FAB_NONE: none */
	struct sa_route link;           /* to there */
	uint16_t lid;
	/* to the one before it: all but the LID, and what the policy says */
	bool alike;
};

/* All that the path of a pair with a given source depends on. */
struct kind {
	const struct qos_level *level;
	uint32_t keys;
	struct sa_route there, back;
	uint8_t caps, lmc;
	uint8_t sl;                     /* that the routing requires; 0 if it requires none */
	bool own;
};

struct sa_path_export {
	const struct sa_index *x;
	struct dest *dests;             /* by LID */
	uint32_t ndests;
	/* [nswitches][ndests]: the route's number in 'different'; 0: walk it */
	uint8_t *ids;
	struct sa_route_table different;
	uint32_t filled;                /* of ndests */
	uint32_t from;                  /* the switch that the segments are for */
	uint32_t *ends;                 /* of segments: one behind the last */
	uint32_t nends;
	struct sa_route *to;            /* [nswitches] for sa_reach_to() */
	uint8_t *hops;                  /* [nswitches] too */
	struct sa_run *runs;            /* [ndests] */
	uint32_t nruns;
};

/* One source. */
struct job {
	struct sa_path_export *w;
	struct sa_path_query *q;
	struct dest src;
	uint32_t own;                   /* the source among the destinations */
	struct kind last;               /* of which 'r' is the answer, if 'known' */
	bool known;
	bool before;                    /* the destination before had a path */
	struct sa_run r;
};

/* By 'a', then by 'b'. */
static struct sa_route
narrower_of(struct sa_route a, struct sa_route b)
{
	if (!a.mtu || !b.mtu)
		return (struct sa_route){ 0 };
	sa_route_narrow(&a, b.mtu, b.rank, b.sls);
	return a;
}

static bool
same_kind(const struct kind *a, const struct kind *b)
{
	return a->level == b->level && a->keys == b->keys && sa_same_route(&a->there, &b->there) &&
		sa_same_route(&a->back, &b->back) && a->caps == b->caps && a->lmc == b->lmc &&
		a->sl == b->sl && a->own == b->own;
}

static void
dest_init(const struct sa_index *x, struct dest *d, uint32_t port, uint16_t lid)
{
	const struct sa_hop *h = &x->hops[port];

	*d = (struct dest){
		port, x->v.s->nodes[x->v.s->ports[port].node].sw, SA_WIDEST, lid, false
	};
	if (d->sw == FAB_NONE) {
		d->sw = h->peer == FAB_NONE ? FAB_NONE : h->sw;
		d->link = (struct sa_route){ h->mtu, h->rank, h->sls, false };
	} else if (x->v.s->ports[port].flags & FAB_PORT_INFO) {
		d->link = (struct sa_route){ x->ports[port].mtu, x->ports[port].rank, UINT16_MAX,
			false };
	}
}

static bool
are_alike(const struct sa_index *x, const struct dest *a, const struct dest *b)
{
	const struct sa_port *p = &x->ports[a->port], *q = &x->ports[b->port];

	return a->sw == b->sw && a->sw != FAB_NONE && sa_same_route(&a->link, &b->link) &&
		p->keys == q->keys && p->caps == q->caps &&
		x->v.lids->lmc[a->port] == x->v.lids->lmc[b->port];
}

struct sa_path_export *
sa_path_export_new(const struct sa_index *x)
{
	const struct lid_map *l = x->v.lids;
	struct sa_path_export *w = xcalloc(1, sizeof(*w));

	w->x = x;
	w->dests = xcalloc((size_t)x->v.s->nendports + 1, sizeof(*w->dests));
	for (uint32_t lid = 1; lid <= l->top; lid++)
		if (l->owner[lid] != FAB_NONE && l->base[l->owner[lid]] == lid &&
		    w->ndests < x->v.s->nendports)
			dest_init(x, &w->dests[w->ndests++], l->owner[lid], (uint16_t)lid);
	for (uint32_t i = 1; i < w->ndests; i++)
		w->dests[i].alike = are_alike(x, &w->dests[i - 1], &w->dests[i]);
	w->ids = xcalloc((size_t)x->v.s->nswitches * w->ndests + 1, 1);
	w->ends = xcalloc((size_t)w->ndests + 1, sizeof(*w->ends));
	w->hops = xcalloc((size_t)x->v.s->nswitches + 1, sizeof(*w->hops));
	w->to = xcalloc((size_t)x->v.s->nswitches + 1, sizeof(*w->to));
	w->runs = xcalloc((size_t)w->ndests + 1, sizeof(*w->runs));
	return w;
}

void
sa_path_export_free(struct sa_path_export *w)
{
	if (!w)
		return;
	free(w->dests);
	free(w->ids);
	free(w->to);
	free(w->ends);
	free(w->hops);
	free(w->runs);
	free(w);
}

static void
walk_all(struct sa_path_export *w)
{
	for (; w->filled < w->ndests; w->filled++) {
		sa_reach_to(w->x, w->dests[w->filled].lid, w->to, w->hops);
		for (uint32_t sw = 0; sw < w->x->v.s->nswitches; sw++)
			w->ids[(size_t)sw * w->ndests + w->filled] =
				sa_route_number(&w->different, &w->to[sw]);
	}
}

static struct sa_route
route_from(const struct sa_path_export *w, uint32_t sw, uint32_t dest)
{
	uint8_t id = w->ids[(size_t)sw * w->ndests + dest];
	struct sa_route r;

	if (id)
		return w->different.v[id - 1];
	return sa_reach_inside(w->x, sw, w->dests[dest].lid, &r) ? r : (struct sa_route){ 0 };
}

/* Cuts segments for the ports of a switch; FAB_NONE: of none, so that each destination is queried
 * by itself. */
static void
cut_segments(struct sa_path_export *w, uint32_t sw)
{
	const uint8_t *ids = sw == FAB_NONE ? NULL : w->ids + (size_t)sw * w->ndests;
	bool one_by_one = !ids || (w->x->v.qos && w->x->v.qos->policy);

	if (sw == w->from && w->nends)
		return;
	w->from = sw;
	w->nends = 0;
	for (uint32_t i = 1; i < w->ndests; i++)
		if (one_by_one || !w->dests[i].alike || ids[i] != ids[i - 1] || !ids[i])
			w->ends[w->nends++] = i;
	if (w->ndests)
		w->ends[w->nends++] = w->ndests;
}

/* Keeps the path that was asked for; it never becomes a row. */
static bool
on_path(struct sa_path_query *q, uint32_t src, const struct path_record *row)
{
	struct sa_run *r = q->arg;

	(void)src;
	r->sl = row->sl;
	r->mtu = row->mtu;
	r->rate = row->rate;
	return false;
}

/* What PathRecord says of the path; mtu 0: there is none. */
static struct sa_run
ask_path(struct sa_path_query *q, uint32_t src, uint32_t dst)
{
	struct sa_run r = { 0 };
	bool made;

	q->c->looked = 0;
	q->dst.port = dst;
	q->arg = &r;
	if (sa_visible(q->c, dst))
		sa_path_put(q, src, dst, 0, &made);
	return r;
}

static struct kind
kind_of(const struct job *j, uint32_t i)
{
	const struct sa_index *x = j->w->x;
	const struct dest *d = &j->w->dests[i];
	struct kind k = {
		.level = x->v.qos ? sa_qos_level(j->q, j->src.port, d->port) : NULL,
		.keys = x->ports[d->port].keys,
		.caps = x->ports[d->port].caps,
		.lmc = x->v.lids->lmc[d->port],
		.own = d->port == j->src.port,
	};

	qos_lanes_sl(x->v.fwd->lanes, x->v.s, j->src.port, d->port, &k.sl);
	if (!k.own) {
		k.there = narrower_of(j->src.link, route_from(j->w, j->src.sw, i));
		k.back = narrower_of(d->link, route_from(j->w, d->sw, j->own));
	}
	return k;
}

/* The paths to destinations 'from' to 'to' (not itself), which are of one kind. */
static void
put_run(struct job *j, uint32_t from, uint32_t to)
{
	struct sa_path_export *w = j->w;
	struct sa_run *last = w->nruns ? &w->runs[w->nruns - 1] : NULL;
	const struct dest *d = &w->dests[from];
	struct kind k = { 0 };
	bool known = d->sw != FAB_NONE && j->src.sw != FAB_NONE;

	if (from == to)
		return;
	if (known)
		k = kind_of(j, from);
	if (!known || !j->known || !same_kind(&k, &j->last))
		j->r = ask_path(j->q, j->src.port, d->port);
	j->last = k;
	j->known = known;
	if (j->r.mtu && j->before && last && last->sl == j->r.sl && last->mtu == j->r.mtu &&
	    last->rate == j->r.rate)
		last->last = w->dests[to - 1].lid;
	else if (j->r.mtu)
		w->runs[w->nruns++] = (struct sa_run){ d->lid, w->dests[to - 1].lid, j->r.sl,
			j->r.mtu, j->r.rate };
	j->before = j->r.mtu != 0;
}

static uint32_t
find_dest(const struct sa_path_export *w, uint16_t lid)
{
	uint32_t at;

	BISECT(at, w->ndests, w->dests[at].lid < lid);
	return at;
}

uint32_t
sa_path_export_runs(struct sa_path_export *w, uint32_t port, const struct sa_run **runs)
{
	uint16_t lid = sa_base_lid(w->x, port);
	const struct path_record want = { .slid = lid, .reversible = 1, .num_path = 1 };
	struct sa_ctx c = { .x = w->x, .requester = port, .table = true };
	struct sa_path_query q = {
		.c = &c, .mask = PATH_COMP(slid) | PATH_COMP(reversible) | PATH_COMP(num_path),
		.want = &want, .num_path = 1,
		.src = { .port = port, .lid = lid, .prefix = w->x->v.gid_prefix },
		.dst = { .port = FAB_NONE, .prefix = w->x->v.gid_prefix }, .accept = on_path,
	};
	struct job j = { .w = w, .q = &q };
	uint32_t own = j.own = find_dest(w, lid), from = 0;

	walk_all(w);
	dest_init(w->x, &j.src, port, lid);
	cut_segments(w, j.src.sw);
	w->nruns = 0;
	for (uint32_t i = 0; i < w->nends; from = w->ends[i++]) {
		if (own < from || own >= w->ends[i]) {
			put_run(&j, from, w->ends[i]);
			continue;
		}
		put_run(&j, from, own);
		put_run(&j, own, own + 1);
		put_run(&j, own + 1, w->ends[i]);
	}
	*runs = w->runs;
	return w->nruns;
}
