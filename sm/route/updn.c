/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * updn.c - engine updn: up/down over ranks from the roots, least loaded port.
 * Room: sm/route.  Pure.
 *
 * The steps are: roots (given, or found by roots.c), ranks, the up/down core, rows, completion
 * through a pivot.  In a damaged tree some switch with hosts may then still lack a path to a switch
 * without hosts.  Such a switch is placed below all others, and all steps are repeated: a switch
 * that reaches one of its neighbours then reaches it, but no traffic goes through it any more.  If
 * that does not help, or the missing path leads to hosts, a single root is used: every connected
 * switch is reached from it.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/route/engine.h"
#include "sm/route/pivot.h"
#include "util/bits.h"

#define ROUNDS_MAX 4

/* One attempt with the present ranks.  'lost': the columns that some switch with hosts does not
 * reach. */
static void
attempt_roots(const struct route_model *m, const struct roots *roots, struct fwd_tables *out,
	struct route_report *r, uint64_t *lost)
{
	struct arena scratch = ARENA_INIT;
	struct fill *f = arena_alloc(&scratch, sizeof(*f));
	struct updown u;

	r->completed = r->declared = r->unreachable = 0;
	r->nevidence = 0;
	memset(lost, 0, BITS_WORDS(m->ncols) * sizeof(*lost));
	updown_make(&u, m, roots->rank, &scratch);
	fill_init(f, m, &scratch);
	for (uint32_t sw = 0; sw < m->g.nsw; sw++) {
		fill_begin(f, sw, u.plane);
		updown_candidates(&u, f);
		fill_row(f, fwd_row(out, sw));
	}
	pivot_complete(m, &u, roots, out, r, lost);
	arena_clear(&scratch);
}

/* Repeats attempts until everything is reached, or nothing more can be done. */
static void
route_all(const struct route_model *m, struct roots *roots, struct arena *scratch,
	struct fwd_tables *out, struct route_report *r)
{
	uint64_t *lost = arena_array(scratch, BITS_WORDS(m->ncols), sizeof(*lost)), missing;
	uint32_t several = roots->n;

	attempt_roots(m, roots, out, r, lost);
	missing = r->unreachable;
	for (unsigned i = 0; r->unreachable && i < ROUNDS_MAX && roots_lower(roots, m, lost); i++)
		attempt_roots(m, roots, out, r, lost);
	if (r->unreachable && roots_single(roots, m, scratch)) {
		attempt_roots(m, roots, out, r, lost);
		snprintf(r->sentence, sizeof(r->sentence),
			"%u roots left %llu pairs without a path; one root serves all, "
			"at the price of bandwidth near it",
			several, (unsigned long long)missing);
	} else if (roots->lowered) {
		snprintf(r->sentence, sizeof(r->sentence),
			"%u damaged switches carry no traffic of others, so that all "
			"reach them",
			roots->lowered);
	}
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
	route_all(&m, &roots, &scratch, out, r);
	roots_report(&roots, &m, a, r);
	if (r->unreachable) {
		memset(out, 0, sizeof(*out));
		route_refuse(r, ROUTE_UNREACHABLE,
			"%llu pairs of a switch with hosts and a LID are connected but have no "
			"up/down path",
			(unsigned long long)r->unreachable);
	}
	arena_clear(&scratch);
	return r->code;
}
