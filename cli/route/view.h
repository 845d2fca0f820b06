/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * view.h - a fabric with LIDs and forwarding tables: from an engine, or from a file.
 * Room: cli/route.
 *
 * view_route() assigns LIDs and runs the engines of --engine until the tables of one pass the
 * verifier, as heddled does.  After a failure the ports keep the LIDs of the view before it, and
 * the engine gets its tables.  view_read() takes LIDs and tables from a file (dump.h, lanes.h).
 * Both verify the tables.
 */
#ifndef HEDDLE_CLI_ROUTE_VIEW_H
#define HEDDLE_CLI_ROUTE_VIEW_H

#include "cli/route/scene.h"
#include "fabric/score/score_moves.h"
#include "sm/route/chain.h"

struct view {
	struct arena arena;
	const struct snapshot *s;
	struct lid_map lids;
	struct fwd_tables tables;
	const struct route_engine *engine; /* NULL: the tables come from a file */
	struct chain chain; /* the engines that were tried */
	struct route_report report;
	struct verify_result verdict;
};

/* Tables for 's', which is c->whole or a part of it.  'before' may be NULL.  0; or the status of a
 * failure: 2 if it is not possible at all, 1 if every engine refuses.  Refusals are notes, the last
 * one is a finding of 't', unless 'quiet'.  The caller clears the view in any case. */
int view_route(struct tool *t, const struct scene *c, const struct snapshot *s,
	const struct view *before, bool quiet, struct view *v);
/* Reads the tables of t->lfts, with the lane plan of --sl2vl and --path-sl. */
int view_read(struct tool *t, const struct scene *c, const struct snapshot *s, struct view *v);
/* The tables that the options name: of t->lfts if it is given. */
int view_make(struct tool *t, const struct scene *c, const struct snapshot *s, struct view *v);
void view_clear(struct view *v);

static inline struct score_side
view_side(const struct view *v)
{
	return (struct score_side){ v->s, &v->lids, &v->tables };
}

/* Verifies the change from 'before' to 'after', of a part of it, while both are in use. */
void view_mix(struct tool *t, const struct view *before, const struct view *after,
	struct verify_result *r);
/* Shows the origin of the tables and the verifier's result, as text and in the document
 * (members "fabric", "routing", "verify").  Adds a finding if it rejects them. */
void view_show(struct tool *t, const struct view *v);

#endif
