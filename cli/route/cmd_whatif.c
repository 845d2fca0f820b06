/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * cmd_whatif.c - `heddle-route whatif`: fails links and switches one at a time.
 * Room: cli/route.
 *
 * Each failure starts from the whole fabric and its tables.  After the failure the fabric is whole
 * again, and engines get the tables during the failure.  Ports that a failure disconnects count as
 * unreachable.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/route/commands.h"
#include "cli/route/names.h"
#include "cli/route/view.h"
#include "fabric/score/score.h"
#include "fabric/snapshot/part.h"
#include "util/optab.h"
#include "util/xalloc.h"

#define SHOWN 10
#define BAR 40

/* One failure and its effect. */
struct failure {
	uint32_t port; /* of a link; FAB_NONE: 'node' fails */
	uint32_t node;
	bool routed;
	uint32_t load; /* highest, when all hosts send to all */
	uint64_t unreachable; /* host pairs that had a path */
	uint64_t blocks, blocks_needed, moved, needless;
	uint64_t left; /* entries after the return that are not those before the failure */
	char why[256]; /* not routed: the sentence */
};

struct whatif {
	struct tool *t;
	const struct scene *c;
	struct view base;
	struct failure *v;
	uint32_t n;
	uint32_t base_load;
};

/* ---- which ---- */

static bool
is_trunk(const struct snapshot *s, uint32_t port)
{
	uint32_t peer = s->ports[port].peer;

	return peer != FAB_NONE && port < peer && s->nodes[s->ports[port].node].sw != FAB_NONE &&
		s->nodes[s->ports[peer].node].sw != FAB_NONE;
}

static void
failures_list(struct whatif *w)
{
	const struct snapshot *s = w->c->now;

	w->v = xcalloc((size_t)s->nports + s->nnodes, sizeof(*w->v));
	for (uint32_t i = 0; i < s->nnodes && w->t->each == TOOL_HOSTS; i++)
		if (!fab_is_switch(&s->nodes[i]))
			w->v[w->n++] = (struct failure){ .port = FAB_NONE, .node = i };
	if (w->t->each == TOOL_HOSTS)
		return;
	for (uint32_t i = 0; i < s->nports && w->t->each != TOOL_SWITCHES; i++)
		if (is_trunk(s, i))
			w->v[w->n++] = (struct failure){ .port = i, .node = FAB_NONE };
	for (uint32_t i = 0; i < s->nswitches && w->t->each != TOOL_LINKS; i++)
		w->v[w->n++] = (struct failure){ .port = FAB_NONE, .node = s->switches[i] };
}

/* Generates random numbers, the same on all machines (splitmix64). */
static uint64_t
random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Keeps t->random of the failures. */
static void
failures_choose(struct whatif *w)
{
	uint64_t state = w->t->seed;

	for (uint32_t i = 0; i < w->t->random && i < w->n; i++) {
		uint32_t k = i + (uint32_t)(random_next(&state) % (w->n - i));
		struct failure x = w->v[i];

		w->v[i] = w->v[k];
		w->v[k] = x;
	}
	w->n = w->n < w->t->random ? w->n : w->t->random;
}

/* ---- each ---- */

static void
bar_show(const struct whatif *w, uint32_t done)
{
	uint32_t full = w->n ? (uint32_t)((uint64_t)done * BAR / w->n) : BAR;

	if (!isatty(fileno(w->t->err)))
		return;
	if (done == w->n)
		fprintf(w->t->err, "\r%*s\r", BAR + 40, "");
	else
		fprintf(w->t->err, "\r[%.*s%*s] %u of %u", (int)full,
			"########################################", (int)(BAR - full), "", done,
			w->n);
	fflush(w->t->err);
}

static uint32_t
highest_load(const struct whatif *w, struct view *v)
{
	struct score_in in = { .snapshot = v->s,
		.lids = &v->lids,
		.tables = &v->tables,
		.stripes = pool_stripes(w->t->pool) };
	struct score_result r;

	score_tables(&in, &v->arena, &r);
	return r.a2a_max;
}

static void
failure_measure(struct whatif *w, struct failure *f, struct view *v)
{
	struct score_side from = view_side(&w->base), to = view_side(v);
	struct score_moves m;

	score_moves(&from, &to, pool_stripes(w->t->pool), &m);
	f->load = highest_load(w, v);
	f->unreachable = m.lost + m.pairs_gone;
	f->blocks = m.blocks;
	f->blocks_needed = m.blocks_needed;
	f->moved = m.moved;
	f->needless = m.needless;
}

/* Counts the entries that differ from those before the failure after everything has returned. */
static int
failure_return(struct whatif *w, struct failure *f, const struct view *during)
{
	const struct view *base = &w->base;
	struct view v = { .arena = ARENA_INIT };
	int r = view_route(w->t, w->c, base->s, during, true, &v);

	for (uint32_t sw = 0; !r && sw < base->s->nswitches; sw++)
		for (uint32_t lid = 1; lid <= base->lids.top; lid++)
			f->left += lid > v.lids.top || v.lids.owner[lid] != base->lids.owner[lid] ||
				fwd_row(&v.tables, sw)[lid] != fwd_row(&base->tables, sw)[lid];
	view_clear(&v);
	return r == EXIT_FINDINGS ? 0 : r;
}

/* 0, or the status of a reported failure. */
static int
failure_try(struct whatif *w, struct failure *f, struct scene_marks *m)
{
	const struct snapshot *s = w->c->now;
	struct view v = { .arena = ARENA_INIT };
	struct snapshot *part;
	int r = 0;

	scene_marks_reset(m, s);
	if (f->port != FAB_NONE)
		scene_marks_link(m, s, f->port);
	else
		scene_marks_node(m, f->node);
	if (part_connect(s, m->node, m->port) == 0) {
		snprintf(f->why, sizeof(f->why), "no switch is left");
		f->unreachable = (uint64_t)s->nhosts * (s->nhosts - (s->nhosts > 0));
		return 0;
	}
	part = part_make(s, m->node, m->port);
	r = view_route(w->t, w->c, part, &w->base, true, &v);
	f->routed = !r && v.verdict.ok;
	if (f->routed) {
		failure_measure(w, f, &v);
		r = failure_return(w, f, &v);
	} else
		snprintf(f->why, sizeof(f->why), "%s",
			v.report.code == ROUTE_OK ? "the verifier rejects the tables" :
						    v.report.sentence);
	view_clear(&v);
	snapshot_free(part);
	return r == EXIT_FINDINGS ? 0 : r;
}

/* ---- what is shown ---- */

static int
failure_worse(const void *va, const void *vb)
{
	const struct failure *a = va, *b = vb;

	if (a->routed != b->routed)
		return a->routed - b->routed;
	if (a->unreachable != b->unreachable)
		return a->unreachable < b->unreachable ? 1 : -1;
	if (a->load != b->load)
		return a->load < b->load ? 1 : -1;
	if (a->needless != b->needless)
		return a->needless < b->needless ? 1 : -1;
	if (a->blocks != b->blocks)
		return a->blocks < b->blocks ? 1 : -1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

static json_t *
failure_json(const struct snapshot *s, const struct failure *f)
{
	bool host = f->port == FAB_NONE && !fab_is_switch(&s->nodes[f->node]);
	json_t *row = json_pack("{s:s, s:o, s:o, s:b, s:s?, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "fails",
		f->port != FAB_NONE ? "link" : host ? "host" : "switch", "local",
		names_port_json(s, f->port == FAB_NONE ? s->nodes[f->node].first_port + host : f->port),
		"peer",
		f->port == FAB_NONE ? json_null() : names_port_json(s, s->ports[f->port].peer),
		"routed", (int)f->routed, "why", f->routed ? NULL : f->why, "a2a_max",
		(json_int_t)f->load, "unreachable", (json_int_t)f->unreachable, "blocks",
		(json_int_t)f->blocks, "blocks_needed", (json_int_t)f->blocks_needed, "moved",
		(json_int_t)f->moved, "needless", (json_int_t)f->needless, "left",
		(json_int_t)f->left);

	return row ? row : json_null(); /* the sentence is not UTF-8 */
}

static void
failure_text(struct tool *t, const struct snapshot *s, const struct failure *f)
{
	char a[NAMES_BYTES], b[NAMES_BYTES], what[2 * NAMES_BYTES + 16];

	if (f->port == FAB_NONE)
		snprintf(what, sizeof(what), "%s %s",
			fab_is_switch(&s->nodes[f->node]) ? "switch" : "host",
			names_node(&s->nodes[f->node], a));
	else
		snprintf(what, sizeof(what), "link %s - %s", names_port(s, f->port, a),
			names_port(s, s->ports[f->port].peer, b));
	if (f->routed)
		tool_text(t, "%10u %12llu %8llu %12llu %12llu  %s\n", f->load,
			(unsigned long long)f->unreachable, (unsigned long long)f->blocks,
			(unsigned long long)f->moved, (unsigned long long)f->needless, what);
	else
		tool_text(t, "not routed: %s: %s\n", what, f->why);
}

/* The highest value of each column, which need not be those of one failure. */
static void
whatif_sum(struct whatif *w)
{
	struct failure worst = { .load = 0 };
	uint32_t refused = 0;

	for (uint32_t i = 0; i < w->n; i++) {
		const struct failure *f = &w->v[i];

#define MOST(member) worst.member = f->member > worst.member ? f->member : worst.member
		MOST(load);
		MOST(unreachable);
		MOST(blocks);
		MOST(moved);
		MOST(needless);
		MOST(left);
#undef MOST
		refused += !f->routed;
	}
	json_object_set_new(w->t->doc, "worst",
		json_pack("{s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "failures", (int)w->n,
			"not_routed", (int)refused, "a2a_max_before", (int)w->base_load, "a2a_max",
			(json_int_t)worst.load, "unreachable", (json_int_t)worst.unreachable,
			"blocks", (json_int_t)worst.blocks, "moved", (json_int_t)worst.moved,
			"needless", (json_int_t)worst.needless, "left",
			(json_int_t)worst.left));
	tool_text(w->t, "%u failures; before them the highest load is %u\n", w->n, w->base_load);
	tool_text(w->t, "%10s %12s %8s %12s %12s\n", "load", "unreachable", "blocks", "moved",
		"needless");
	tool_text(w->t, "%10u %12llu %8llu %12llu %12llu  highest of all\n", worst.load,
		(unsigned long long)worst.unreachable, (unsigned long long)worst.blocks,
		(unsigned long long)worst.moved, (unsigned long long)worst.needless);
	tool_text(w->t, "after a return, at most %llu entries differ from those before the failure\n",
		(unsigned long long)worst.left);
	if (refused)
		tool_finding(w->t, "refused",
			"%u of %u failures leave a fabric that %s does not "
			"route",
			refused, w->n, w->t->engine ? w->t->engine : "the engine");
}

static void
whatif_show(struct whatif *w)
{
	json_t *rows = json_array();

	whatif_sum(w);
	qsort(w->v, w->n, sizeof(*w->v), failure_worse);
	for (uint32_t i = 0; i < w->n; i++) {
		if (w->t->form == TOOL_JSON)
			json_array_append_new(rows, failure_json(w->c->now, &w->v[i]));
		else if (i < SHOWN)
			failure_text(w->t, w->c->now, &w->v[i]);
	}
	if (w->n > SHOWN)
		tool_text(w->t, "%u others are not shown; --json has all\n", w->n - SHOWN);
	json_object_set_new(w->t->doc, "failures", rows);
}

static int
whatif_run(struct whatif *w)
{
	struct scene_marks m;
	int r = 0;

	view_show(w->t, &w->base);
	if (w->base.report.code != ROUTE_OK || !w->base.verdict.ok)
		return EXIT_FINDINGS;
	w->base_load = highest_load(w, &w->base);
	failures_list(w);
	if (w->t->random)
		failures_choose(w);
	scene_marks_init(&m, w->c->now);
	for (uint32_t i = 0; i < w->n && !r; i++) {
		bar_show(w, i);
		r = failure_try(w, &w->v[i], &m);
	}
	bar_show(w, w->n);
	scene_marks_clear(&m);
	if (!r)
		whatif_show(w);
	free(w->v);
	return r;
}

int
cmd_whatif(struct tool *t)
{
	struct whatif w = { .t = t, .base = { .arena = ARENA_INIT } };
	struct scene c;
	int r = scene_open(t, &c);

	w.c = &c;
	if (!r)
		r = view_make(t, &c, c.now, &w.base);
	if (!r || r == EXIT_FINDINGS)
		r = whatif_run(&w);
	view_clear(&w.base);
	scene_clear(&c);
	return r;
}
