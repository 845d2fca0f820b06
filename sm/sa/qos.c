/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos.c - QoS of paths: the level that a policy gives, and the service level of a partition.
 * Room: sm/sa.  Pure.  docs/qos.md.
 */
#include <config.h>
#include "sm/sa/path.h"
#include "util/bisect.h"

/* A rule matches if every condition it has is in the query (the ends always are) and is
 * satisfied. */
static bool
rule_fits(const struct sa_path_query *q, const struct qos_groups *g, const struct qos_rule *r,
	uint32_t src, uint32_t dst)
{
	const uint64_t service = PATH_COMP(service_id);

	if (r->classes.n &&
	    (!(q->mask & PATH_COMP(qos_class)) ||
			!qos_ranges_has(&r->classes, q->want->qos_class)))
		return false;
	if (r->services.n &&
	    ((q->mask & service) != service ||
			!qos_ranges_has(&r->services, q->want->service_id)))
		return false;
	if (r->pkeys.n &&
	    (!(q->mask & PATH_COMP(pkey)) ||
			!qos_ranges_has(&r->pkeys, q->want->pkey & PKEY_BASE_MASK)))
		return false;
	return (!r->src.n || qos_groups_have(g, &r->src, src)) &&
		(!r->dst.n || qos_groups_have(g, &r->dst, dst));
}

const struct qos_level *
sa_qos_level_of(
	const struct sa_path_query *q, const struct qos_groups *g, uint32_t src, uint32_t dst)
{
	const struct qos_policy *p = g->policy;

	if (!p)
		return NULL;
	for (uint32_t i = 0; i < p->nrules; i++)
		if (rule_fits(q, g, &p->rules[i], src, dst))
			return &p->levels[p->rules[i].level];
	return &p->levels[p->default_level];
}

/* The service level of a partition; the default if no partition has the P_Key. */
static uint8_t
partition_sl(const struct sa_view *v, uint16_t pkey)
{
	const struct partitions *p = v->qos->partitions;
	uint32_t at;

	pkey &= PKEY_BASE_MASK;
	BISECT(at, p->n, p->v[at].pkey < pkey);
	return at < p->n && p->v[at].pkey == pkey ? p->v[at].sl : v->path_sl;
}

/* Without a requested SL. */
static uint8_t
chosen_sl(const struct sa_view *v, const struct qos_level *level, uint16_t pkey)
{
	if (level)
		return level->sl;
	return v->qos ? partition_sl(v, pkey) : v->path_sl;
}

bool
sa_qos_sl_of(const struct sa_path_query *q, const struct qos_level *level, uint32_t src,
	uint32_t dst, uint16_t pkey, uint8_t *sl)
{
	const struct sa_view *v = &q->c->x->v;
	bool asked = q->mask & PATH_COMP(sl);

	if (qos_lanes_sl(v->fwd->lanes, v->s, src, dst, sl))
		return !asked || *sl == q->want->sl;
	if (asked && level && level->sl != q->want->sl)
		return false;
	if (v->fwd->vls > 1 && !v->fwd->lanes)
		*sl = v->path_sl;
	else
		*sl = asked ? q->want->sl : chosen_sl(v, level, pkey);
	return !asked || *sl == q->want->sl;
}

bool
sa_qos_path_bits(const struct qos_level *level, unsigned bits, unsigned lmc)
{
	if (!level || !level->path_bits.n || level->path_bits.v[0].first >= 1u << lmc)
		return true;
	return qos_ranges_has(&level->path_bits, bits);
}
