/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hyperx.c - engine hyperx: one hop for each coordinate that differs.
 * Room: sm/route/shaped.  Pure.
 *
 * In a hyperx all switches that differ in one coordinate are neighbours, so a dimension is
 * corrected by one hop, and dimensions are corrected in ascending order: no credit loop with one
 * VL.  If that one link is lost, two hops over a third switch of the same line replace it, and
 * the second one uses VL 1: channels of dimension 0 on VL 0, of dimension 0 on VL 1, of dimension 1
 * on VL 0 and so on still ascend.  Where no third switch serves, a walk takes a later dimension
 * first; with a third VL, the turn back uses VL 2.
 */
#include <config.h>
#include <string.h>
#include "sm/route/shaped/shaped.h"
#include "sm/route/shaped/shaped_engines.h"

/* The step over a third switch of the line, from coordinate x to y of dimension k. */
static uint32_t
step_over(const struct shaped *sh, uint32_t s, unsigned k, uint32_t y, const struct shaped_dest *d)
{
	uint32_t size = sh->shape.dim[k].size;

	for (uint32_t i = 0; i < size; i++) {
		uint32_t x = (d->n + sh->turn[d->sw] + i) % size, e = shaped_step(sh, s, k, x);

		if (x != y && shaped_works(sh, e) &&
			shaped_works(sh, shaped_step(sh, sh->whole.groups[e].to, k, y)))
			return e;
	}
	return SHAPE_NOWHERE;
}

static uint32_t
hyperx_hop(const struct shaped *sh, const void *own, uint32_t s, const struct shaped_dest *d)
{
	const uint16_t *at = shaped_at(sh, s), *to = shaped_at(sh, d->sw);

	(void)own;
	for (unsigned k = 0; k < sh->shape.ndims; k++) {
		uint32_t e;

		if (at[k] == to[k])
			continue;
		e = shaped_step(sh, s, k, to[k]);
		return shaped_works(sh, e) ? e : step_over(sh, s, k, to[k], d);
	}
	return SHAPE_NOWHERE;
}

/* Prefers another coordinate that differs, then a third switch of the line, then any other. */
static uint32_t
hyperx_detour(const struct shaped *sh, const void *own, uint32_t s, uint32_t e,
	const struct shaped_dest *d)
{
	unsigned k = sh->dim[e];
	uint32_t next = sh->whole.groups[e].to;
	const uint16_t *to = shaped_at(sh, d->sw);

	(void)own;
	if (k == SHAPE_DIMS_MAX)
		return SHAPED_NEVER;
	if (shaped_at(sh, next)[k] == to[k])
		return k;
	return (shaped_at(sh, s)[k] != to[k] ? 1u : 2u) * SHAPE_DIMS_MAX + k;
}

/* One VL; VL 1 for the second hop in a dimension; VL 2 for turns back. */
static void
make_plans(const struct shaped *sh, struct shaped_plans *p, struct arena *a)
{
	memset(p, 0, sizeof(*p));
	p->n = 3;
	p->sure = true;
	for (unsigned i = 0; i < p->n; i++) {
		p->plan[i] = (struct lane_plan){ .nvls = (uint8_t)(i + 1),
			.sls = 1,
			.nswitches = sh->m.g.nsw,
			.nclasses = (uint8_t)(sh->shape.ndims + 1) };
		for (unsigned in = 1; in <= sh->shape.ndims; in++)
			for (unsigned out = 1; i > 0 && out <= in; out++)
				memset(p->plan[i].vl[in][out],
					in == out     ? 1 :
						i > 1 ? 2 :
							0,
					LANE_SLS);
	}
	shaped_classes(sh, a, p, shaped_dim_class);
}

static enum route_code
route_hyperx(struct shaped *sh, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct shaped_way way = { hyperx_hop, hyperx_detour, NULL, NULL };
	struct shaped_plans plans;

	if (sh->shape.kind != SHAPE_HYPERX && sh->shape.kind != SHAPE_HYPERCUBE)
		return shaped_refuse_shape(sh, r, "a hyperx");
	if (shaped_fill(sh, &way, a, out, r) != ROUTE_OK)
		return r->code;
	make_plans(sh, &plans, a);
	return shaped_take_lanes(sh, &plans, a, out, r);
}

enum route_code
hyperx_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	return shaped_run(in, "hyperx", route_hyperx, a, out, r);
}
