/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * path.c - PathRecord: which paths there are between two ends, and what they can carry.
 * Room: sm/sa.  Pure.  docs/sa.md: paths.
 *
 * The request names each end by GID, by LID, by both or not at all; an end not named is every end
 * port.  For each pair of ends and each pair of their LIDs the forwarding tables are walked there
 * and back (reach.c).  A path is a row of the answer if it arrives, its ends and the requester
 * share a partition, and it satisfies every component of the request.
 *
 * MTU and rate are ordered values: the SA may grant less than a path can carry, so "less than" and
 * "exactly" are granted by a path that can carry more.  Packet life is not.  Components that any
 * path can carry (flow label, traffic class, service ID) are granted as asked.  multipath.c,
 * trace.c and path_export.c use the same functions (path.h).
 */
#include <config.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "sm/sa/path.h"

/* Counts one more examined pair.  False: the limit is exceeded. */
static bool
count_pair(struct sa_path_query *q)
{
	if (++q->c->looked > SA_PAIRS_MAX)
		q->c->too_much = true;
	return !q->c->too_much;
}

static bool
is_given(const struct sa_path_query *q, uint64_t component)
{
	return q->mask & component;
}

static uint16_t
find_end(const struct sa_path_query *q, uint64_t gid_component, uint64_t lid_component,
	const uint8_t gid[16], uint16_t lid, struct sa_path_end *e)
{
	*e = (struct sa_path_end){ .port = FAB_NONE, .prefix = q->c->x->v.gid_prefix };
	if (is_given(q, gid_component)) {
		e->port = sa_port_by_gid(q->c->x, gid);
		e->prefix = gid_prefix(gid);
		e->guid = gid_guid(gid);
		if (e->port == FAB_NONE)
			return STATUS_SA_INVALID_GID;
	}
	if (is_given(q, lid_component)) {
		uint32_t port = sa_port_by_lid(q->c->x, lid);

		if (port == FAB_NONE)
			return STATUS_SA_NO_RECORDS;
		if (e->port != FAB_NONE && e->port != port)
			return STATUS_SA_INVALID;
		e->port = port;
		e->lid = lid;
	}
	return STATUS_OK;
}

uint16_t
sa_path_ends(struct sa_path_query *q)
{
	uint16_t status = find_end(
		q, PATH_COMP(sgid), PATH_COMP(slid), q->want->sgid, q->want->slid, &q->src);

	return status == STATUS_OK ? find_end(q, PATH_COMP(dgid), PATH_COMP(dlid), q->want->dgid,
					     q->want->dlid, &q->dst) :
				     status;
}

/* A selector is ignored without its value, and a value without its selector. */
static bool
is_qualified(const struct sa_path_query *q, uint64_t both)
{
	return (q->mask & both) == both;
}

/* Whether the request has any of these components.  Most queries name the two ends only. */
#define SOME(q, bits) ((q)->mask & (bits))
#define SELECTED (PATH_COMP(mtu_selector) | PATH_COMP(rate_selector) | PATH_COMP(life_selector))
#define FIXED \
	(PATH_COMP(raw_traffic) | PATH_COMP(hop_limit) | PATH_COMP(preference) | PATH_COMP(sl))
#define GRANTED \
	(PATH_COMP(service_id) | PATH_COMP(flow_label) | PATH_COMP(tclass) | PATH_COMP(qos_class))

uint16_t
sa_path_check(const struct sa_path_query *q)
{
	const struct path_record *w = q->want;

	if (is_given(q, PATH_COMP(service_id)) &&
	    (q->mask & PATH_COMP(service_id)) != PATH_COMP(service_id))
		return STATUS_SA_COMPONENTS;
	if (is_qualified(q, PATH_SELECTED(mtu)) && w->mtu_selector != SELECTOR_BEST &&
	    (w->mtu < MTU_CODE_FIRST || w->mtu > MTU_CODE_LAST))
		return STATUS_SA_INVALID;
	if (is_qualified(q, PATH_SELECTED(rate)) && w->rate_selector != SELECTOR_BEST &&
	    !sa_rate_rank(w->rate))
		return STATUS_SA_INVALID;
	return STATUS_OK;
}

/*
 * MTU and rate of a path are maxima: a path satisfies "exactly" and "less than" by being used below
 * its maximum, and the answer then shows that value.  Both arguments are ordered by size.  False:
 * it cannot.
 */
static bool
fit_most(unsigned selector, uint8_t value, uint8_t *have)
{
	switch (selector) {
	case SELECTOR_GREATER:
		return *have > value;
	case SELECTOR_LESS:
		if (value <= 1)
			return false;
		if (*have >= value)
			*have = (uint8_t)(value - 1);
		return true;
	case SELECTOR_EXACTLY:
		if (*have < value)
			return false;
		*have = value;
		return true;
	default:
		return true;
	}
}

static bool
fit_life(unsigned selector, uint8_t value, uint8_t life)
{
	switch (selector) {
	case SELECTOR_GREATER:
		return life > value;
	case SELECTOR_LESS:
		return life < value;
	case SELECTOR_EXACTLY:
		return life == value;
	default:
		return true;
	}
}

/* Applies the limits of the QoS level to a path's MTU, rate and life. */
static void
limit_path(const struct qos_level *l, bool loopback, uint8_t *mtu, uint8_t *rank, uint8_t *life)
{
	if (l->mtu && *mtu > l->mtu)
		*mtu = l->mtu;
	if (l->rate && *rank > sa_rate_rank(l->rate))
		*rank = sa_rate_rank(l->rate);
	if (l->has_life && !loopback)
		*life = l->life;
}

static bool
fit_selected(const struct sa_path_query *q, uint8_t *mtu, uint8_t *rank, uint8_t life)
{
	const struct path_record *w = q->want;

	if (is_qualified(q, PATH_SELECTED(mtu)) && !fit_most(w->mtu_selector, w->mtu, mtu))
		return false;
	if (is_qualified(q, PATH_SELECTED(rate)) &&
	    !fit_most(w->rate_selector, sa_rate_rank(w->rate), rank))
		return false;
	return !is_qualified(q, PATH_SELECTED(life)) || fit_life(w->life_selector, w->life, life);
}

/* Fills in MTU, rate and life of the row; false: the path does not satisfy the query. */
static bool
fit_path(const struct sa_path_query *q, const struct sa_route *r, const struct qos_level *level,
	uint8_t caps, struct path_record *row)
{
	const struct path_record *w = q->want;
	uint8_t mtu = r->mtu, rank = sa_rate_rank(sa_rate_capped(sa_rate_code(r->rank), caps));
	uint8_t life = r->loopback ? 0 : q->c->x->v.path_life;

	if (level)
		limit_path(level, r->loopback, &mtu, &rank, &life);
	if (SOME(q, SELECTED) && !fit_selected(q, &mtu, &rank, life))
		return false;
	row->mtu = mtu;
	row->rate = sa_rate_code(rank);
	/* the limit may be a code that not all hosts understand */
	if (w->rate_selector == SELECTOR_LESS || level)
		row->rate = sa_rate_capped(row->rate, caps);
	row->life = life;
	row->mtu_selector = row->rate_selector = row->life_selector = SELECTOR_EXACTLY;
	return true;
}

/* The components common to all paths.  Components that any path can carry are granted as
 * requested. */
static void
common_row(const struct sa_path_query *q, struct path_record *row)
{
	const struct path_record *w = q->want;

	memset(row, 0, sizeof(*row));
	if (!SOME(q, GRANTED))
		return;
	row->service_id = is_given(q, PATH_COMP(service_id)) ? w->service_id : 0;
	row->flow_label = is_given(q, PATH_COMP(flow_label)) ? w->flow_label : 0;
	row->tclass = is_given(q, PATH_COMP(tclass)) ? w->tclass : 0;
	row->qos_class = is_given(q, PATH_COMP(qos_class)) ? w->qos_class : 0;
}

/* Tables without credit loops on one VL have none on any other single VL; with several VLs the
 * routing decides which SLs are safe. */
static bool
usable_sl(const struct sa_path_query *q, uint8_t sl)
{
	const struct sa_view *v = &q->c->x->v;

	if (v->fwd->lanes)
		return !v->fwd->lanes->sl || v->fwd->lanes->sls >> sl & 1;
	return v->fwd->vls <= 1 || sl == v->path_sl;
}

/* Some components have only one possible value inside a subnet. */
bool
sa_path_possible(const struct sa_path_query *q)
{
	const struct path_record *w = q->want;

	if (!SOME(q, FIXED))
		return true;
	return !(is_given(q, PATH_COMP(raw_traffic)) && w->raw_traffic) &&
		!(is_given(q, PATH_COMP(hop_limit)) && w->hop_limit) &&
		!(is_given(q, PATH_COMP(preference)) && w->preference) &&
		!(is_given(q, PATH_COMP(sl)) && !usable_sl(q, w->sl));
}

/* Two ports, before their LIDs are chosen. */
struct pairing {
	uint32_t src, dst;
	uint16_t slid, dlid;            /* the first of each */
	unsigned ns, nd;
	const struct qos_level *level;  /* NULL: there is no policy */
	/* the components common to all pairs of LIDs, then those of the last pair */
	struct path_record row;
};

/* Appends the path between two LIDs as a row.  False: stop. */
static bool
put_path(struct sa_path_query *q, struct pairing *p, uint16_t slid, uint16_t dlid, bool *made)
{
	const struct sa_index *x = q->c->x;
	struct path_record *row = &p->row;
	uint8_t *w;
	uint32_t src = p->src, dst = p->dst;
	struct sa_route there, back;
	/* A table needs almost every route only once, so caching does not pay. */
	struct sa_path_cache *cache = q->c->table ? NULL : q->c->w->cache;

	*made = false;
	if (!sa_qos_path_bits(
		    p->level, (unsigned)(dlid - sa_base_lid(x, dst)), x->v.lids->lmc[dst]) ||
		!sa_reach(x, cache, src, dlid, &there))
		return true;
	row->reversible = sa_reach(x, cache, dst, slid, &back) && back.sls >> row->sl & 1;
	/* A requester that uses a reversible path sends the same packets back along it. */
	if (row->reversible)
		sa_route_narrow(&there, back.mtu, back.rank, UINT16_MAX);
	if (is_given(q, PATH_COMP(reversible)) && q->want->reversible && !row->reversible)
		return true;
	if (!(there.sls >> row->sl & 1) ||
	    !fit_path(q, &there, p->level, x->ports[src].caps & x->ports[dst].caps, row))
		return true;
	row->slid = slid;
	row->dlid = dlid;
	if (q->accept && !q->accept(q, src, row))
		return true;
	*made = true;
	w = sa_add_row(q->c);
	if (!w)
		return false;
	path_record_encode(w, row);
	return sa_wants_row(q->c);
}

static unsigned
lids_of(const struct sa_index *x, const struct sa_path_end *e, uint32_t port, uint16_t *first)
{
	*first = e->lid ? e->lid : sa_base_lid(x, port);
	return e->lid ? 1 : 1u << x->v.lids->lmc[port];
}

/* The P_Key of the paths; 0: the ends share none, not the requested one, or none that the level
 * allows. */
static uint16_t
pkey_of(const struct sa_path_query *q, const struct qos_level *level, uint32_t src, uint32_t dst)
{
	const struct qos_ranges *set = level && level->pkeys.n ? &level->pkeys : NULL;

	if (!is_given(q, PATH_COMP(pkey)))
		return set ? sa_shared_pkey_in(q->c->x, src, dst, set) :
			     sa_shared_pkey(q->c->x, src, dst, 0);
	if (!(q->want->pkey & PKEY_BASE_MASK) || !sa_shared_pkey(q->c->x, src, dst, q->want->pkey))
		return 0;
	return set && !qos_ranges_has(set, q->want->pkey & PKEY_BASE_MASK) ? 0 : q->want->pkey;
}

/* False: no path can lead from one to the other. */
static bool
pairing_init(const struct sa_path_query *q, uint32_t src, uint32_t dst, struct pairing *p)
{
	const struct sa_index *x = q->c->x;

	p->src = src;
	p->dst = dst;
	p->ns = lids_of(x, &q->src, src, &p->slid);
	p->nd = lids_of(x, &q->dst, dst, &p->dlid);
	p->level = sa_qos_level(q, src, dst);
	common_row(q, &p->row);
	p->row.pkey = pkey_of(q, p->level, src, dst);
	gid_set(p->row.sgid, q->src.prefix, q->src.guid ? q->src.guid : x->v.s->ports[src].guid);
	gid_set(p->row.dgid, q->dst.prefix, q->dst.guid ? q->dst.guid : x->v.s->ports[dst].guid);
	return p->row.pkey && p->slid && p->dlid &&
		sa_qos_sl(q, p->level, src, dst, p->row.pkey, &p->row.sl);
}

static bool
put_nth(struct sa_path_query *q, struct pairing *p, unsigned k, bool *made)
{
	unsigned most = p->ns > p->nd ? p->ns : p->nd, least = p->ns > p->nd ? p->nd : p->ns;
	unsigned a = 0, b = 0;

	*made = false;
	if (most > 1) {                 /* rare, and it divides */
		a = k % most;
		b = (a + k / most) % least;
	}
	return count_pair(q) && put_path(q, p, (uint16_t)(p->slid + (p->ns > p->nd ? a : b)),
		(uint16_t)(p->dlid + (p->ns > p->nd ? b : a)), made);
}

unsigned
sa_path_pairs(const struct sa_path_query *q, uint32_t src, uint32_t dst)
{
	uint16_t slid, dlid;

	return lids_of(q->c->x, &q->src, src, &slid) * lids_of(q->c->x, &q->dst, dst, &dlid);
}

bool
sa_path_put(struct sa_path_query *q, uint32_t src, uint32_t dst, unsigned k, bool *made)
{
	struct pairing p;

	*made = false;
	return pairing_init(q, src, dst, &p) ? put_nth(q, &p, k, made) : count_pair(q);
}

/* Appends the paths between two ports.  False: stop. */
static bool
put_pair(struct sa_path_query *q, uint32_t src, uint32_t dst)
{
	struct pairing p;
	uint32_t rows = 0;

	if (!pairing_init(q, src, dst, &p))
		return count_pair(q);
	for (unsigned k = 0; k < p.ns * p.nd && rows < q->num_path; k++) {
		bool made;

		if (!put_nth(q, &p, k, &made))
			return false;
		rows += made;
	}
	return true;
}

static bool
put_from(struct sa_path_query *q, uint32_t src)
{
	const struct snapshot *s = q->c->x->v.s;

	if (!sa_visible(q->c, src))
		return true;
	if (q->dst.port != FAB_NONE)
		return put_pair(q, src, q->dst.port);
	for (uint32_t i = 0; i < s->nendports; i++)
		if (!(sa_visible(q->c, s->endports[i]) ? put_pair(q, src, s->endports[i]) :
							 count_pair(q)))
			return false;
	return true;
}

/* The number of pairs of LIDs that a table query examines. */
static uint64_t
pairs_of_table(const struct sa_path_query *q)
{
	const struct sa_index *x = q->c->x;
	uint64_t all = 0, n[2];
	const struct sa_path_end *ends[2] = { &q->src, &q->dst };

	for (uint32_t i = 0; i < x->v.s->nendports; i++)
		all += 1u << x->v.lids->lmc[x->v.s->endports[i]];
	for (unsigned i = 0; i < 2; i++) {
		uint32_t port = ends[i]->port;

		n[i] = ends[i]->lid ? 1 : port != FAB_NONE ? 1u << x->v.lids->lmc[port] : all;
	}
	return n[0] * n[1];
}

static void
all_pairs(struct sa_path_query *q)
{
	const struct snapshot *s = q->c->x->v.s;

	if (q->dst.port != FAB_NONE && !sa_visible(q->c, q->dst.port))
		return;
	if (q->src.port != FAB_NONE) {
		put_from(q, q->src.port);
		return;
	}
	for (uint32_t i = 0; i < s->nendports; i++)
		if (!put_from(q, s->endports[i]))
			return;
}

/* flatten: inlines everything, because most queries are for the path between two ports. */
__attribute__((flatten)) uint16_t
sa_path(struct sa_ctx *c)
{
	const struct path_record want = path_record_decode(c->templ);
	struct sa_path_query q = { .c = c, .mask = c->mask, .want = &want, .num_path = UINT32_MAX };
	uint16_t status = sa_path_check(&q);

	if (status != STATUS_OK)
		return status;
	if (is_given(&q, PATH_COMP(dgid)) && gid_is_multicast(q.want->dgid))
		return sa_mcast_path(c);
	status = sa_path_ends(&q);
	if (!sa_own_paths(c, q.src.port, q.dst.port))
		return STATUS_SA_DENIED;
	if (c->table && (status == STATUS_SA_INVALID_GID || status == STATUS_SA_NO_RECORDS))
		return STATUS_OK;       /* a table may have no rows */
	if (status != STATUS_OK || !sa_path_possible(&q))
		return status;
	if (!c->table)
		q.num_path = 1;
	else if (is_given(&q, PATH_COMP(num_path)))
		q.num_path = q.want->num_path;
	if (c->table && pairs_of_table(&q) > SA_PAIRS_MAX)
		return STATUS_SA_NO_RESOURCES;
	all_pairs(&q);
	return STATUS_OK;
}
