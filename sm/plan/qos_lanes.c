/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_lanes.c - lane plans in SLtoVL and VL arbitration tables.
 * Room: sm/plan.  Pure.
 */
#include <config.h>
#include <string.h>
#include "sm/plan/qos_lanes.h"

static uint8_t
level_of_vl(const struct qos_lanes *l, uint8_t vl)
{
	for (uint8_t g = 0; g < l->nlevels; g++)
		if (l->vl[g] == vl)
			return g;
	return vl == QOS_VL_DROP ? QOS_VL_DROP : 0;
}

void
qos_lanes_levels(struct qos_lanes *l, uint16_t used, const struct conf_sl2vl *v)
{
	uint16_t vls = 0;

	used |= 1;
	for (unsigned sl = 0; sl < QOS_SLS; sl++)
		if (used >> sl & 1 && v->vl[sl] != QOS_VL_DROP)
			vls |= (uint16_t)(1u << v->vl[sl]);
	l->nlevels = 0;
	for (uint8_t vl = 0; vl < QOS_VLS_MAX; vl++)
		if (vls >> vl & 1)
			l->vl[l->nlevels++] = vl;
	if (!l->nlevels)
		l->vl[l->nlevels++] = 0;
	for (unsigned sl = 0; sl < QOS_SLS; sl++)
		l->level[sl] = level_of_vl(l, v->vl[sl]);
}

/* The SL whose lanes packets of 'sl' use: where no SL is required, all use those of one. */
static unsigned
lane_of_sl(const struct lane_plan *p, unsigned sl)
{
	unsigned least = 0;

	while (least < LANE_SLS - 1 && !(p->sls >> least & 1))
		least++;
	return p->sl && p->sls >> sl & 1 ? sl : least;
}

uint8_t
qos_lanes_vl(const struct qos_lanes *l, unsigned in, unsigned out, unsigned sl)
{
	const struct lane_plan *p = l->plan;
	uint8_t level = p->sl ? 0 : l->level[sl], vl;

	if (level == QOS_VL_DROP)
		return QOS_VL_DROP;
	vl = p->vl[in][out][lane_of_sl(p, sl)];
	return (uint8_t)(level * p->nvls + (vl < p->nvls ? vl : 0));
}

struct conf_vlarb
qos_lanes_vlarb(const struct qos_lanes *l, const struct conf_vlarb *v)
{
	struct conf_vlarb out = { .set = v->set };

	for (unsigned i = 0; i < v->n; i++)
		for (uint8_t g = 0; g < l->nlevels; g++)
			for (uint8_t k = 0; l->vl[g] == v->e[i].vl && k < l->plan->nvls &&
				out.n < QOS_ARB_MAX; k++) {
				out.e[out.n].vl = (uint8_t)(g * l->plan->nvls + k);
				out.e[out.n++].weight = v->e[i].weight;
			}
	return out;
}

uint32_t
qos_lanes_switch(const struct snapshot *s, uint32_t port)
{
	const struct fab_port *p = &s->ports[port];

	if (s->nodes[p->node].sw != FAB_NONE)
		return s->nodes[p->node].sw;
	return p->peer == FAB_NONE ? FAB_NONE : s->nodes[s->ports[p->peer].node].sw;
}

bool
qos_lanes_sl(const struct lane_plan *p, const struct snapshot *s, uint32_t a, uint32_t b,
	uint8_t *sl)
{
	uint32_t from = p && p->sl ? qos_lanes_switch(s, a) : FAB_NONE;
	uint32_t to = p && p->sl ? qos_lanes_switch(s, b) : FAB_NONE;

	if (from == FAB_NONE || to == FAB_NONE || from >= p->nswitches || to >= p->nswitches)
		return false;
	*sl = lanes_sl(p, from, to);
	return true;
}
