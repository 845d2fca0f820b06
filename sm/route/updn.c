/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * updn.c - engine updn: up/down over ranks from the roots, least loaded port.
 * Room: sm/route.  Pure.
 *
 * Roots (given, or found by roots.c), ranks, the up/down core, rows, completion.  When several roots leave a switch with hosts
 * without a way to some LID, all is done once more with a single root, from which every connected switch is reached.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/route/engine.h"
#include "sm/route/pivot.h"

/* One attempt with the roots as they are. */
static void
attempt(const struct route_model *m, const struct roots *roots, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct fill *f = arena_alloc(&scratch, sizeof(*f));
	struct updown u;

	r->completed = r->declared = r->unreachable = 0;
	r->nevidence = 0;
	updown_make(&u, m, roots->rank, &scratch);
	fill_init(f, m, &scratch);
	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		fill_begin(f, sw, u.plane);
		updown_candidates(&u, f);
		fill_row(f, fwd_row(out, sw));
	}
	pivot_complete(m, &u, roots, out, r);
	arena_clear(&scratch);
}

enum route_code
updn_run(const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct route_model m;
	struct roots roots;

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = "updn";
	r->pivot = FAB_NONE;
	if (route_model_make(in, &scratch, &m, r) != ROUTE_OK ||
	    roots_find(&roots, &m, in->conf, &scratch, r) != ROUTE_OK) {
		arena_clear(&scratch);
		return r->code;
	}
	route_tables_init(&m, a, out);
	attempt(&m, &roots, out, r);
	if (r->unreachable) {
		uint32_t several = roots.n;
		uint64_t lost = r->unreachable;

		if (roots_single(&roots, &m, &scratch)) {
			attempt(&m, &roots, out, r);
			snprintf(r->sentence, sizeof(r->sentence), "%u roots left %llu pairs without a path; one root "
				"serves all, at the price of bandwidth near it", several, (unsigned long long)lost);
		}
	}
	roots_report(&roots, &m, a, r);
	if (r->unreachable) {
		memset(out, 0, sizeof(*out));
		route_refuse(r, ROUTE_UNREACHABLE, "%llu pairs of a switch with hosts and a LID are connected but have no "
			"up/down path", (unsigned long long)r->unreachable);
	}
	arena_clear(&scratch);
	return r->code;
}
