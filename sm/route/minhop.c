/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * minhop.c - engine minhop: shortest paths, least loaded port.  Does not prevent deadlocks.
 * Room: sm/route.  Pure.
 *
 * With hop weights the shortest paths are those of least cost (weighted.h).
 */
#include <config.h>
#include <string.h>
#include "sm/route/minhop.h"
#include "sm/route/model/fill.h"
#include "sm/route/model/prefs.h"
#include "sm/route/weighted.h"

/* Neighbours one hop nearer. */
static void
nearer_candidates(struct fill *f, const uint8_t *dist, uint8_t *bound)
{
	const struct route_model *m = f->m;
	const uint8_t *own = dist + (size_t)f->sw * m->stride;

	for (uint32_t c = 0; c < m->stride; c++)
		bound[c] = own[c] == ROUTE_INF ? 0 : own[c];
	for (uint32_t k = 0; k < f->ngroups; k++)
		fill_below(f, k, dist + (size_t)f->order[k]->to * m->stride, bound);
}

static void
route_rows(struct route_model *m, const struct route_in *in, struct fwd_tables *out,
	struct arena *scratch)
{
	uint8_t *dist = NULL, *bound = arena_alloc(scratch, m->stride);
	struct fill *f = arena_alloc(scratch, sizeof(*f));
	struct weighted w;

	prefs_weigh(m, in->conf, scratch);
	if (m->weight)
		weighted_make(&w, m, scratch);
	else
		dist = route_distances(m, scratch);
	m->prefs = prefs_make(m, in->conf, MINHOP_OPTIONS, prefs_place_present, m, scratch);
	fill_init(f, m, scratch);
	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		fill_begin(f, sw, NULL);
		if (m->weight)
			weighted_candidates(&w, f);
		else
			nearer_candidates(f, dist, bound);
		fill_row(f, fwd_row(out, sw));
	}
}

enum route_code
minhop_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct route_model m;

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = "minhop";
	r->pivot = FAB_NONE;
	if (route_model_make(in, &scratch, &m, r) == ROUTE_OK) {
		route_tables_init(&m, a, out);
		route_rows(&m, in, out, &scratch);
	}
	arena_clear(&scratch);
	return r->code;
}
