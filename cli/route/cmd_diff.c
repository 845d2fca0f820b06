/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_diff.c - `heddle-route diff`: compares the tables before and after a failure.
 * Room: cli/route.
 */
#include <config.h>
#include "cli/route/commands.h"
#include "cli/route/loads.h"
#include "cli/route/view.h"
#include "util/optab.h"

static void
show_moves(struct tool *t, const struct score_moves *m)
{
	typedef unsigned long long ull;

	tool_text(t, "%llu entries in %llu blocks change; %llu blocks hold an entry that has to\n",
		(ull)m->entries, (ull)m->blocks, (ull)m->blocks_needed);
	tool_text(t, "  broken %llu, restored %llu, needless %llu\n", (ull)m->entries_broken,
		(ull)m->entries_restored, (ull)m->entries_needless);
	tool_text(t, "%llu of %llu host pairs move: broken %llu, needless %llu\n", (ull)m->moved,
		(ull)m->pairs, (ull)m->broken, (ull)m->needless);
	if (m->lost || m->pairs_gone || m->restored)
		tool_text(t, "%llu host pairs lose their path, %llu are cut off, %llu get one\n",
			(ull)m->lost, (ull)m->pairs_gone, (ull)m->restored);
	if (m->switches_lost)
		tool_text(t, "%u switches are cut off\n", m->switches_lost);
}

static int
diff_views(struct tool *t, const struct view *before, const struct view *after)
{
	struct score_side from = view_side(before), to = view_side(after);
	struct verify_result mix;
	struct score_moves m;

	if (before->report.code != ROUTE_OK)
		return EXIT_FINDINGS;
	view_show(t, after);
	if (after->report.code != ROUTE_OK)
		return EXIT_FINDINGS;
	score_moves(&from, &to, pool_stripes(t->pool), &m);
	json_object_set_new(t->doc, "moves", score_moves_to_json(&m));
	show_moves(t, &m);
	view_mix(t, before, after, &mix);
	json_object_set_new(t->doc, "change", verify_to_json(after->s, &mix));
	tool_text(t, "while tables are written: %llu credit loops of old and new entries\n",
		(unsigned long long)mix.credit_loops);
	if (t->form == TOOL_DOT || t->form == TOOL_SVG)
		loads_draw(t, after);
	return after->verdict.ok ? EXIT_OK : EXIT_FINDINGS;
}

int
cmd_diff(struct tool *t)
{
	struct view before = { .arena = ARENA_INIT }, after = { .arena = ARENA_INIT };
	struct scene c;
	int r;

	if (!t->fail.n)
		return tool_fail(t, EXIT_USAGE, "usage", "expected --fail WHAT");
	r = scene_open(t, &c);
	if (!r)
		r = view_make(t, &c, c.whole, &before);
	if (!r)
		r = view_route(t, &c, c.now, &before, false, &after);
	if (!r || r == EXIT_FINDINGS)
		r = diff_views(t, &before, &after);
	view_clear(&before);
	view_clear(&after);
	scene_clear(&c);
	return r;
}
