/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * minhop.c - engine minhop: shortest paths, least loaded port.  Does not prevent deadlocks.
 * Room: sm/route.  Pure.
 */
#include <config.h>
#include <string.h>
#include "sm/route/minhop.h"
#include "sm/route/model/fill.h"

enum route_code
minhop_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct route_model m;
	uint8_t *dist, *bound;
	struct fill *f;

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = "minhop";
	r->pivot = FAB_NONE;
	if (route_model_make(in, &scratch, &m, r) != ROUTE_OK) {
		arena_clear(&scratch);
		return r->code;
	}
	dist = route_distances(&m, &scratch);
	bound = arena_alloc(&scratch, m.stride);
	f = arena_alloc(&scratch, sizeof(*f));
	fill_init(f, &m, &scratch);
	route_tables_init(&m, a, out);
	for (uint32_t sw = 0; sw < m.g.nsw; sw++) {
		const uint8_t *own = dist + (size_t)sw * m.stride;

		for (uint32_t c = 0; c < m.stride; c++)
			bound[c] = own[c] == ROUTE_INF ? 0 : own[c];
		fill_begin(f, sw, NULL);
		for (uint32_t k = 0; k < f->ngroups; k++)
			fill_below(f, k, dist + (size_t)f->order[k]->to * m.stride, bound);
		fill_row(f, fwd_row(out, sw));
	}
	arena_clear(&scratch);
	return r->code;
}
