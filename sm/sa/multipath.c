/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * multipath.c - MultiPathRecord: some paths between any of these sources and any of those
 * destinations.
 * Room: sm/sa.  Pure.  docs/sa.md: paths.
 *
 * It is a PathRecord query with several ends: it is processed as such, and answered with
 * PathRecords.  Pairs of ends are processed in rounds: first source with first destination, second
 * with second and so on, one pair of LIDs each.  So the first few rows have as little in common as
 * the tables allow.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/walk.h"
#include "libmad/wire/gid.h"
#include "sm/sa/path.h"
#include "util/xalloc.h"

#define MULTI_COMP(row) SA_COMP(multipath_record, row)
enum { GID_BYTES = 16, NUM_PATH_MAX = 127, ANY_PATHS = 0, DISJOINT_PATHS = 1 };

/* The components that PathRecord has, too, in both numberings.  Half of a ServiceID maps to half
 * of one. */
#define SAME(row) { MULTI_COMP(row), PATH_COMP(row) },
#define SERVICE_HALF(n) (UINT64_C(1) << (path_record_comp_service_id + (n)))
static const struct {
	uint64_t here, there;
} components[] = {
	SAME(raw_traffic) SAME(flow_label) SAME(hop_limit) SAME(tclass) SAME(reversible)
	SAME(pkey) SAME(qos_class) SAME(sl) SAME(mtu_selector) SAME(mtu)
	SAME(rate_selector) SAME(rate) SAME(life_selector) SAME(life)
	{ MULTI_COMP(service_id_high), SERVICE_HALF(0) },
	{ MULTI_COMP(service_id_low), SERVICE_HALF(1) },
};

static uint64_t
path_mask(uint64_t mask)
{
	uint64_t m = 0;

	for (size_t i = 0; i < sizeof(components) / sizeof(components[0]); i++)
		if (mask & components[i].here)
			m |= components[i].there;
	return m;
}

static struct path_record
path_want(const struct multipath_record *m)
{
	return (struct path_record){
		.service_id = (uint64_t)m->service_id_high << 56 | m->service_id_low,
		.raw_traffic = m->raw_traffic,
		.flow_label = m->flow_label, .hop_limit = m->hop_limit, .tclass = m->tclass,
		.reversible = m->reversible,
		.pkey = m->pkey, .qos_class = m->qos_class, .sl = m->sl,
		.mtu_selector = m->mtu_selector, .mtu = m->mtu,
		.rate_selector = m->rate_selector, .rate = m->rate,
		.life_selector = m->life_selector, .life = m->life,
	};
}

/* The ports of 'n' GIDs, each once. */
struct ends {
	uint32_t n;
	struct sa_path_end end[255];
};

static uint16_t
find_ends(const struct sa_ctx *c, const uint8_t *gids, unsigned n, struct ends *e)
{
	e->n = 0;
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *gid = gids + i * GID_BYTES;
		struct sa_path_end one = { .port = sa_port_by_gid(c->x, gid),
			.prefix = gid_prefix(gid),
			.guid = gid_guid(gid) };
		bool again = false;

		if (one.port == FAB_NONE)
			return STATUS_SA_INVALID_GID;
		for (uint32_t k = 0; k < e->n; k++)
			again |= e->end[k].port == one.port;
		if (!again && sa_visible(c, one.port))
			e->end[e->n++] = one;
	}
	return STATUS_OK;
}

/* ---- paths that have no cable in common ---- */

/* Ports whose links are used by paths already chosen. */
struct taken {
	uint8_t *port;                  /* [nports] */
};

static bool
between_switches(const struct snapshot *s, uint32_t port)
{
	return fab_is_switch(&s->nodes[s->ports[port].node]) &&
		fab_is_switch(&s->nodes[s->ports[s->ports[port].peer].node]);
}

/*
 * Whether the path is free: none of its links between switches is used, and at least one of its
 * links is unused (or it has none).  Paths from one port always share its link.
 */
static bool
is_free(const struct snapshot *s, const struct taken *t, const struct walk *w)
{
	bool fresh = w->nhops == 0;

	for (unsigned i = 0; i < w->nhops; i++) {
		bool used = t->port[w->out[i]] || t->port[w->in[i]];

		if (used && between_switches(s, w->out[i]))
			return false;
		fresh |= !used;
	}
	return fresh;
}

static void
take_links(struct taken *t, const struct walk *w)
{
	for (unsigned i = 0; i < w->nhops; i++)
		t->port[w->out[i]] = t->port[w->in[i]] = 1;
}

static bool
accept_disjoint(struct sa_path_query *q, uint32_t src, const struct path_record *row)
{
	const struct sa_view *v = &q->c->x->v;
	struct taken *t = q->arg;
	struct walk there, back;

	walk_lid(v->s, v->lids, v->fwd, src, row->dlid, &there);
	if (!is_free(v->s, t, &there))
		return false;
	if (row->reversible) {
		walk_lid(v->s, v->lids, v->fwd, v->lids->owner[row->dlid], row->slid, &back);
		if (!is_free(v->s, t, &back))
			return false;
		take_links(t, &back);
	}
	take_links(t, &there);
	return true;
}

/* ---- the rounds ---- */

/* Pair 'i' of the ends, in the order of sa_path_put(). */
static void
choose_ends(struct sa_path_query *q, const struct ends *src, const struct ends *dst, uint32_t i)
{
	uint32_t most = src->n > dst->n ? src->n : dst->n,
		 least = src->n > dst->n ? dst->n : src->n;
	uint32_t a = i % most, b = (a + i / most) % least;

	q->src = src->end[src->n > dst->n ? a : b];
	q->dst = dst->end[src->n > dst->n ? b : a];
}

static void
put_rounds(struct sa_path_query *q, const struct ends *src, const struct ends *dst)
{
	uint32_t found = 0;
	bool made, more = true;

	for (unsigned k = 0; more; k++) {
		more = false;
		for (uint32_t i = 0; i < src->n * dst->n && found < q->num_path; i++) {
			choose_ends(q, src, dst, i);
			if (k >= sa_path_pairs(q, q->src.port, q->dst.port))
				continue;
			more = true;
			if (!sa_path_put(q, q->src.port, q->dst.port, k, &made))
				return;
			found += made;
		}
	}
}

static uint16_t
check_request(const struct sa_ctx *c, const struct multipath_record *m)
{
	const uint64_t counts = MULTI_COMP(sgid_count) | MULTI_COMP(dgid_count);

	if ((c->mask & counts) != counts)
		return STATUS_SA_COMPONENTS;
	if (!m->sgid_count || !m->dgid_count)
		return STATUS_SA_INVALID;
	if (c->data_bytes <
	    MULTIPATH_RECORD_BYTES + (uint32_t)(m->sgid_count + m->dgid_count) * GID_BYTES)
		return STATUS_SA_INVALID;
	if (c->mask & MULTI_COMP(independence) && m->independence > DISJOINT_PATHS)
		return STATUS_SA_INVALID;
	return STATUS_OK;
}

static bool
own_paths(const struct sa_ctx *c, const struct ends *src, const struct ends *dst)
{
	for (uint32_t i = 0; i < src->n; i++)
		for (uint32_t k = 0; k < dst->n; k++)
			if (!sa_own_paths(c, src->end[i].port, dst->end[k].port))
				return false;
	return true;
}

uint16_t
sa_multipath(struct sa_ctx *c)
{
	struct multipath_record m = multipath_record_decode(c->templ);
	const uint8_t *gids = c->data + MULTIPATH_RECORD_BYTES;
	const struct path_record want = path_want(&m);
	struct sa_path_query q = {
		.c = c, .mask = path_mask(c->mask), .want = &want, .num_path = NUM_PATH_MAX
	};
	struct taken taken = { NULL };
	struct ends src, dst;
	uint16_t status = check_request(c, &m);

	if (status == STATUS_OK)
		status = sa_path_check(&q);
	if (status == STATUS_OK)
		status = find_ends(c, gids, m.sgid_count, &src);
	if (status == STATUS_OK)
		status = find_ends(c, gids + m.sgid_count * GID_BYTES, m.dgid_count, &dst);
	if (status == STATUS_OK && !own_paths(c, &src, &dst))
		status = STATUS_SA_DENIED;
	if (status != STATUS_OK)
		return status;
	if (c->mask & MULTI_COMP(num_path))
		q.num_path = m.num_path;
	if (c->mask & MULTI_COMP(independence) && m.independence == DISJOINT_PATHS) {
		taken.port = xcalloc(c->x->v.s->nports, 1);
		q.accept = accept_disjoint;
		q.arg = &taken;
	}
	if (sa_path_possible(&q))
		put_rounds(&q, &src, &dst);
	free(taken.port);
	if (!c->too_much)
		c->head.attr_id = PATH_RECORD_ID;       /* the rows are PathRecords */
	return STATUS_OK;
}
