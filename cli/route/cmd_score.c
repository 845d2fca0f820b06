/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_score.c - `heddle-route score`: measures the quality of tables.
 * Room: cli/route.
 */
#include <config.h>
#include "cli/route/commands.h"
#include "cli/route/loads.h"
#include "cli/route/names.h"
#include "fabric/score/score.h"
#include "util/optab.h"

static double
mean(uint64_t sum, uint64_t n)
{
	return n ? (double)sum / (double)n : 0;
}

static void
show_perms(struct tool *t, const char *name, const char *worst, const struct score_perms *p)
{
	if (p->n)
		tool_text(t, "%-28s highest load %u (%s %u), mean of the highest %.3f, of %u\n",
			name, p->max, worst, p->worst, mean(p->sum, p->n), p->n);
}

static void
show_levels(struct tool *t, const struct score_result *r)
{
	for (uint32_t i = 0; i < r->nlevels; i++) {
		const struct score_level *l = &r->levels[i];

		tool_text(t, "  level %u to %u: %u ports, all-to-all load %u to %u, mean %.1f\n",
			l->from, l->to, l->ports, l->min, l->max, mean(l->sum, l->ports));
	}
}

static void
show_score(struct tool *t, const struct view *v, const struct score_result *r)
{
	char name[NAMES_BYTES];
	uint64_t paths = r->pairs - r->unreachable;

	tool_text(t, "%-28s highest load %u%s%s, mean %.1f\n", "all to all", r->a2a_max,
		r->a2a_port == FAB_NONE ? "" : " at ",
		r->a2a_port == FAB_NONE ? "" : names_port(v->s, r->a2a_port, name),
		mean(r->a2a_sum, r->ports));
	show_levels(t, r);
	show_perms(t, "shift permutations", "shift", &r->shift);
	show_perms(t, "random permutations", "seed", &r->rp);
	if (r->matchings)
		tool_text(t, "%-28s %.4f +- %.4f of the bandwidth of a link, %u matchings\n",
			"effective bisection", r->ebb_ppm / 1e6, r->ebb_error_ppm / 1e6,
			r->matchings);
	tool_text(t, "%-28s mean %.3f, shortest paths %.3f\n", "links between switches",
		mean(r->hops_sum, paths), mean(r->shortest_sum, paths));
	tool_text(t, "%-28s %u\n", "data VLs", r->vls);
	if (r->unreachable)
		tool_text(t, "%-28s %llu of %llu\n", "host pairs without a path",
			(unsigned long long)r->unreachable, (unsigned long long)r->pairs);
}

static int
score_view(struct tool *t, struct view *v)
{
	struct score_in in = { .snapshot = v->s,
		.lids = &v->lids,
		.tables = &v->tables,
		.shifts = t->shifts,
		.permutations = t->permutations,
		.matchings = t->matchings,
		.stripes = pool_stripes(t->pool) };
	struct score_result r;
	json_t *score;

	view_show(t, v);
	if (v->report.code != ROUTE_OK)
		return EXIT_FINDINGS;
	score_tables(&in, &v->arena, &r);
	score = score_to_json(v->s, &r);
	json_object_update(t->doc, score);
	json_decref(score);
	show_score(t, v, &r);
	if (t->form == TOOL_DOT || t->form == TOOL_SVG)
		loads_draw(t, v);
	return v->verdict.ok ? EXIT_OK : EXIT_FINDINGS;
}

int
cmd_score(struct tool *t)
{
	struct view v = { .arena = ARENA_INIT };
	struct scene c;
	int r = scene_open(t, &c);

	if (!r)
		r = view_make(t, &c, c.now, &v);
	if (!r || r == EXIT_FINDINGS)
		r = score_view(t, &v);
	view_clear(&v);
	scene_clear(&c);
	return r;
}
