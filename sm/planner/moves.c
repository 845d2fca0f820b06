/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * moves.c - the effect of a sweep on traffic: paths between hosts that moved, and why.
 * Room: sm/planner.  Pure.  In: what was served before, what was written.  Out: counts, a log line.
 *
 * It is counted when the tables are written, so that no write waits for it.
 */
#include <config.h>
#include <stdio.h>
#include "sm/plan/plan.h"
#include "sm/planner/moves.h"

void
moves_count(struct sweep_job *j)
{
	const struct plan *was = j->in.served_plan;
	struct score_side from = { j->in.served, was ? &was->lids : NULL, was ? &was->fwd : NULL };
	struct score_side to = { j->fresh, &j->plan->lids, &j->plan->fwd };

	j->cur.moves_known = j->cur.order.ordered && from.snapshot && from.tables && from.lids &&
		from.tables->nswitches && to.tables->nswitches;
	if (j->cur.moves_known)
		score_moves(&from, &to, j->in.stripes, &j->cur.moves);
}

void
moves_log(const struct log *log, const struct sweep_result *r)
{
	const struct score_moves *m = &r->moves;
	bool any = m->moved || m->restored;

	if (!r->moves_known)
		return;
	log_line(log, any ? LOG_NOTE : LOG_DETAIL, "route",
		"routes changed: %llu entries in %llu blocks; paths between hosts that moved: %llu were "
		"broken, %llu were whole; %llu restored, %llu lost",
		(unsigned long long)m->entries, (unsigned long long)m->blocks,
		(unsigned long long)m->broken, (unsigned long long)m->needless,
		(unsigned long long)m->restored, (unsigned long long)m->lost);
}

void
moves_keep(
	struct moves_last *last, const struct sweep_result *r, unsigned sweep, struct monotime now)
{
	if (!r->moves_known || !r->moves.entries)
		return;
	last->sweep = sweep;
	last->ended = now;
	last->moves = r->moves;
	snprintf(last->why, sizeof(last->why), "%s", r->why);
}
