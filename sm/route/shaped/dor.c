/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dor.c - engine dor: dimension-order routing on meshes and hypercubes.
 * Room: sm/route/shaped.  Pure.
 *
 * A packet corrects its coordinates one dimension after the other, in one fixed order.  It never
 * returns to an earlier dimension, and within one it never reverses its direction, so channels
 * can be put into an order in which every walk ascends: no credit loop with one VL, for any SL.
 * A ring of more than four would close such a loop by itself, so the engine refuses it
 * (torus-2qos serves it).
 *
 * Around damage a walk may take a later dimension first.  The turn back can close a loop, which
 * shaped_lanes.c detects.  With a second VL such turns use VL 1.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "sm/conf/routing/lines.h"
#include "sm/route/shaped/shaped.h"
#include "sm/route/shaped/shaped_engines.h"

struct dor {
	unsigned order[SHAPE_DIMS_MAX]; /* dimensions as they are corrected */
	unsigned turn[SHAPE_DIMS_MAX]; /* and back */
};

/* The step from x towards y in a dimension. */
static uint32_t
step_towards(const struct shape_dim *dim, uint32_t x, uint32_t y)
{
	return dim->line == SHAPE_CLIQUE ? y : x < y ? 0 : 1;
}

static uint32_t
dor_hop(const struct shaped *sh, const void *own, uint32_t s, const struct shaped_dest *d)
{
	const struct dor *dor = own;
	const uint16_t *at = shaped_at(sh, s), *to = shaped_at(sh, d->sw);

	for (unsigned i = 0; i < sh->shape.ndims; i++) {
		unsigned k = dor->order[i];

		if (at[k] != to[k])
			return shaped_step(sh, s, k, step_towards(&sh->shape.dim[k], at[k], to[k]));
	}
	return SHAPE_NOWHERE;
}

/* Prefers the earliest other dimension that has to be corrected, then one that has not. */
static uint32_t
dor_detour(const struct shaped *sh, const void *own, uint32_t s, uint32_t e,
	const struct shaped_dest *d)
{
	const struct dor *dor = own;
	unsigned k = sh->dim[e];
	const uint16_t *at = shaped_at(sh, s), *to = shaped_at(sh, d->sw);

	if (k == SHAPE_DIMS_MAX)
		return SHAPED_NEVER;
	if (at[k] != to[k] &&
		shaped_step(sh, s, k, step_towards(&sh->shape.dim[k], at[k], to[k])) == e)
		return dor->turn[k];
	return SHAPE_DIMS_MAX + dor->turn[k];
}

/* The order of dimensions that a line of ports gives: each counts where the first of its ports at
 * this switch stands; those without come after, as they are numbered. */
static void
line_order(const struct shaped *sh, uint32_t s, const struct routing_line *l, unsigned *order)
{
	const struct swgraph *w = &sh->whole;
	uint32_t first[SHAPE_DIMS_MAX], place[256];

	memset(place, 0xff, sizeof(place));
	for (uint32_t i = l->n; i-- > 0;)
		place[l->v[i]] = i;
	for (unsigned d = 0; d < sh->shape.ndims; d++) {
		first[d] = UINT32_MAX;
		order[d] = d;
	}
	for (uint32_t e = w->group_first[s]; e < w->group_first[s + 1]; e++)
		for (uint32_t i = 0; sh->dim[e] < SHAPE_DIMS_MAX && i < w->groups[e].nports; i++) {
			uint32_t at = place[w->ports[w->groups[e].first_port + i]];

			first[sh->dim[e]] = at < first[sh->dim[e]] ? at : first[sh->dim[e]];
		}
	for (unsigned i = 1; i < sh->shape.ndims; i++)
		for (unsigned k = i; k > 0 && first[order[k - 1]] > first[order[k]]; k--) {
			unsigned swap = order[k];

			order[k] = order[k - 1];
			order[k - 1] = swap;
		}
}

/* Orders the dimensions as the lines of port_search_ordering_file say, which must agree: with
 * different orders at different switches walks could wait for each other in a circle. */
static enum route_code
order_dims(const struct shaped *sh, struct dor *dor, struct route_report *r)
{
	const struct routing_lines *t = sh->in->conf ? sh->in->conf->ports : NULL;
	const struct routing_line *from = NULL;
	unsigned order[SHAPE_DIMS_MAX];

	for (unsigned d = 0; d < sh->shape.ndims; d++)
		dor->order[d] = d;
	for (uint32_t i = 0; t && i < t->n; i++)
		for (uint32_t s = 0; s < sh->whole.nsw; s++) {
			if (sh->guid[s] != t->line[i].guid)
				continue;
			line_order(sh, s, &t->line[i], order);
			if (from && memcmp(order, dor->order, sh->shape.ndims * sizeof(*order)))
				return route_refuse(r, ROUTE_INPUT,
					"%.120s: lines %u and %u put the dimensions in different "
					"orders; dor needs one order at all switches",
					t->file, from->number, t->line[i].number);
			memcpy(dor->order, order, sh->shape.ndims * sizeof(*order));
			from = &t->line[i];
		}
	for (unsigned i = 0; i < sh->shape.ndims; i++)
		dor->turn[dor->order[i]] = i;
	return ROUTE_OK;
}

/* Names the switches of one ring. */
static enum route_code
refuse_ring(const struct shaped *sh, unsigned d, struct route_report *r)
{
	uint32_t s = 0;

	for (unsigned i = 0; i < sh->shape.dim[d].size; i++) {
		uint32_t e = shaped_step(sh, s, d, 0);

		if (e == SHAPE_NOWHERE)
			break;
		route_evidence_add(
			r, shaped_node(sh, s), shaped_node(sh, sh->whole.groups[e].to), 0, d);
		s = sh->whole.groups[e].to;
	}
	return route_refuse(r, ROUTE_CYCLE,
		"dimension %u is a ring of %u switches (one through 0x%016" PRIx64
		"), which closes a credit loop; torus-2qos routes it",
		d, sh->shape.dim[d].size, sh->guid[0]);
}

static void
make_plans(const struct shaped *sh, const struct dor *dor, struct shaped_plans *p, struct arena *a)
{
	memset(p, 0, sizeof(*p));
	p->n = 2;
	p->sure = true;
	for (unsigned i = 0; i < p->n; i++)
		p->plan[i] = (struct lane_plan){ .nvls = (uint8_t)(i + 1),
			.sls = 1,
			.nswitches = sh->m.g.nsw,
			.nclasses = (uint8_t)(sh->shape.ndims + 1) };
	for (unsigned in = 0; in < sh->shape.ndims; in++)
		for (unsigned out = 0; out < sh->shape.ndims; out++)
			memset(p->plan[1].vl[in + 1][out + 1], dor->turn[in] > dor->turn[out],
				LANE_SLS);
	shaped_classes(sh, a, p, shaped_dim_class);
}

static enum route_code
route_grid(struct shaped *sh, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct dor dor;
	struct shaped_way way = { dor_hop, dor_detour, &dor, NULL };
	struct shaped_plans plans;

	if (!sh->shape.ndims)
		return shaped_refuse_shape(sh, r, "a mesh or a hypercube");
	for (unsigned d = 0; d < sh->shape.ndims; d++)
		if (sh->shape.dim[d].line == SHAPE_RING)
			return refuse_ring(sh, d, r);
	if (order_dims(sh, &dor, r) != ROUTE_OK)
		return r->code;
	if (shaped_fill(sh, &way, a, out, r) != ROUTE_OK)
		return r->code;
	make_plans(sh, &dor, &plans, a);
	return shaped_take_lanes(sh, &plans, a, out, r);
}

enum route_code
dor_run(const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	return shaped_run(in, "dor", route_grid, a, out, r);
}
