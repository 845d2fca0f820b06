/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * view.c - assigns LIDs, runs engines in turn, verifies.
 * Room: cli/route.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/route/dump.h"
#include "cli/route/lanes.h"
#include "cli/route/names.h"
#include "cli/route/view.h"
#include "sm/plan/lid.h"
#include "sm/route/groups.h"
#include "sm/route/options.h"
#include "util/optab.h"

/* The engines of --engine; auto if none is named. */
static int
names_read(struct tool *t, struct conf_engines *names)
{
	char why[TOOL_WHY_BYTES];

	if (chain_list_read(t->engine ? t->engine : CHAIN_AUTO, names, why, sizeof(why)))
		return 0;
	return tool_fail(t, EXIT_USAGE, "usage", "--engine: %s", why);
}

static int
lids_make(struct tool *t, const struct view *before, struct view *v)
{
	struct lid_conf lc = { .lmc = t->lmc };
	struct lid_report lr;
	struct lid_ids ids = { .n = 0 };

	if (before)
		plan_lids_to_store(before->s, &before->lids, NULL, &v->arena, &ids);
	if (plan_lids(v->s, before ? &ids : NULL, &lc, &v->arena, &v->lids, &lr) == 0)
		return 0;
	return tool_fail(t, EXIT_USAGE, "config", "%.80s needs %u LIDs with LMC %u, there are %u",
		t->operands[0], lr.needed, t->lmc, LID_UCAST_MAX);
}

/* The lane plan of 'before', by the ordinals and ports of v->s; NULL if it had none. */
static struct lane_plan *
lanes_make(const struct view *before, const struct view *v, struct arena *a)
{
	const struct lane_plan *was = before->tables.lanes;
	const struct snapshot *s = v->s, *b = before->s;
	struct lane_plan *p;
	uint32_t *old;

	if (!was || was->lid_sls)
		return NULL;
	p = arena_alloc(a, sizeof(*p));
	*p = *was;
	p->nswitches = s->nswitches;
	old = arena_array(a, s->nswitches, sizeof(*old));
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		old[sw] = b->nodes[snapshot_node_by_guid(b, s->nodes[s->switches[sw]].guid)].sw;
	if (was->sl)
		p->sl = arena_array(a, s->nswitches, s->nswitches);
	for (uint32_t i = 0; was->sl && i < s->nswitches; i++)
		for (uint32_t k = 0; k < s->nswitches; k++)
			p->sl[(size_t)i * s->nswitches + k] = lanes_sl(was, old[i], old[k]);
	if (was->port_class)
		p->port_class = arena_alloc(a, s->nports);
	for (uint32_t sw = 0; was->port_class && sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];

		memcpy(p->port_class + n->first_port,
			was->port_class + b->nodes[b->switches[old[sw]]].first_port,
			n->nports + 1u);
	}
	return p;
}

/* The rows of 'before', by the ordinals of v->s. */
static struct fwd_tables *
previous_make(const struct view *before, const struct view *v, struct arena *a)
{
	struct fwd_tables *f = arena_alloc(a, sizeof(*f));

	*f = before->tables;
	f->lanes = lanes_make(before, v, a);
	f->nswitches = v->s->nswitches;
	f->port = arena_array(a, f->nswitches, f->stride);
	memset(f->port, FAB_LFT_DROP, (size_t)f->nswitches * f->stride);
	for (uint32_t sw = 0; sw < f->nswitches; sw++) {
		uint32_t node =
			snapshot_node_by_guid(before->s, v->s->nodes[v->s->switches[sw]].guid);

		if (node != FAB_NONE && before->s->nodes[node].sw != FAB_NONE)
			memcpy(fwd_row(f, sw), fwd_row(&before->tables, before->s->nodes[node].sw),
				f->stride);
	}
	return f;
}

/* The LIDs of hosts of 'before' that are gone while their switch is not. */
static struct route_absent *
absent_make(const struct view *before, struct view *v, uint32_t *n)
{
	const struct snapshot *b = before->s;
	struct route_absent *list =
		arena_array(&v->arena, (size_t)before->lids.top + 1, sizeof(*list));

	*n = 0;
	for (uint32_t lid = 1; lid <= before->lids.top; lid++) {
		uint32_t port = before->lids.owner[lid], peer, node;

		if (port == FAB_NONE || b->nodes[b->ports[port].node].sw != FAB_NONE ||
			snapshot_port_by_guid(v->s, b->ports[port].guid) != FAB_NONE)
			continue;
		peer = b->ports[port].peer;
		node = peer == FAB_NONE ?
			FAB_NONE :
			snapshot_node_by_guid(v->s, b->nodes[b->ports[peer].node].guid);
		if (node != FAB_NONE && v->s->nodes[node].sw != FAB_NONE)
			list[(*n)++] = (struct route_absent){ (uint16_t)lid, v->s->nodes[node].sw,
				b->ports[peer].num };
	}
	return list;
}

static void
view_verify(struct tool *t, struct view *v, enum verify_scope scope)
{
	struct verify_in in = { .snapshot = v->s,
		.lids = &v->lids,
		.tables = &v->tables,
		.scope = scope,
		.vls = v->engine ? t->vls : 0,
		.stripes = pool_stripes(t->pool) };

	verify_check(&in, &v->verdict);
}

/* Notes why the tables of v->engine are not used.  The last refusal is a finding; engines that auto
 * tries on every fabric are only in "choice". */
static void
engine_note(struct tool *t, const struct view *v, struct chain *x, unsigned i, bool quiet)
{
	const char *name = v->engine->name;
	char line[400];

	if (v->report.code == ROUTE_OK)
		snprintf(line, sizeof(line), "the verifier rejects the tables of %s", name);
	else
		snprintf(line, sizeof(line), "%s refuses: %s: %s", name,
			route_code_text(v->report.code), v->report.sentence);
	chain_refused(x, i, line);
	if (i + 1 < x->n && x->step[i].why != CHAIN_GENERAL && !quiet)
		tool_note(t, "%s", line);
}

/* Returns true if the verifier accepts the tables of the engine, with the groups that 'in' has. */
static bool
tables_try(struct tool *t, const struct route_engine *e, const struct route_in *in, struct view *v)
{
	v->engine = e;
	v->report = (struct route_report){ .engine = e->name };
	v->verdict = (struct verify_result){ .ok = false };
	if (groups_run(in, e, NULL, NULL, &v->arena, &v->tables, &v->report) != ROUTE_OK)
		return false;
	view_verify(t, v, groups_scope(e, &v->report.groups));
	return v->verdict.ok;
}

/* The same; without groups if the verifier rejects them. */
static bool
engine_try(struct tool *t, const struct route_engine *e, const struct route_in *in, struct view *v)
{
	struct route_in whole = *in;
	struct route_conf c = *in->conf;
	struct route_groups groups;
	char why[160];
	bool ok = tables_try(t, e, in, v);

	if (ok || !v->report.groups.in_force)
		return ok;
	groups = v->report.groups;
	snprintf(why, sizeof(why),
		"engine %s: the verifier rejects the tables: %llu unreachable, %llu loops, %llu "
		"credit loops",
		e->name, (unsigned long long)v->verdict.unreachable,
		(unsigned long long)v->verdict.loops, (unsigned long long)v->verdict.credit_loops);
	groups_refuse(c.groups, &groups, why);
	c.groups = NULL;
	whole.conf = &c;
	ok = tables_try(t, e, &whole, v);
	v->report.groups = groups;
	return ok;
}

int
view_route(struct tool *t, const struct scene *c, const struct snapshot *s,
	const struct view *before, bool quiet, struct view *v)
{
	struct route_in in = { .snapshot = s,
		.lids = &v->lids,
		.conf = &c->conf,
		.intended = c->intended,
		.vls = t->vls,
		.stripes = pool_stripes(t->pool) };
	struct conf_engines names;
	struct chain *x = &v->chain;
	int r;

	*v = (struct view){ .arena = ARENA_INIT, .s = s };
	r = names_read(t, &names);
	if (!r)
		r = lids_make(t, before, v);
	if (r)
		return r;
	if (before) {
		in.previous = previous_make(before, v, &v->arena);
		in.absent = absent_make(before, v, &in.nabsent);
	}
	chain_make(x, &names, &in, false, NULL);
	for (unsigned i = 0; i < x->n; i++) {
		if (engine_try(t, x->step[i].engine, &in, v)) {
			chain_taken(x, i);
			options_remark(x, &in);
			x->groups = v->report.groups;
			if (x->unserved[0] && !quiet)
				tool_note(t, "%s", x->unserved);
			if (x->groups.said[0] && !quiet)
				tool_note(t, "%s", x->groups.said);
			return 0;
		}
		engine_note(t, v, x, i, quiet);
	}
	if (v->report.code == ROUTE_OK)
		return 0;
	if (!quiet)
		tool_finding(t, "refused", "%s refuses: %s: %s", v->engine->name,
			route_code_text(v->report.code), v->report.sentence);
	return EXIT_FINDINGS;
}

int
view_read(struct tool *t, const struct scene *c, const struct snapshot *s, struct view *v)
{
	int r;

	*v = (struct view){ .arena = ARENA_INIT, .s = s };
	r = dump_read(t, t->lfts, s, c->whole, &v->arena, &v->lids, &v->tables);
	if (!r && (t->sl2vl || t->path_sl))
		r = lanes_read(t, s, &v->lids, &v->arena, &v->tables);
	if (!r)
		view_verify(t, v, VERIFY_HOSTS);
	return r;
}

int
view_make(struct tool *t, const struct scene *c, const struct snapshot *s, struct view *v)
{
	return t->lfts ? view_read(t, c, s, v) : view_route(t, c, s, NULL, false, v);
}

void
view_mix(struct tool *t, const struct view *before, const struct view *after,
	struct verify_result *r)
{
	struct verify_in in = { .snapshot = after->s,
		.lids = &after->lids,
		.tables = &after->tables,
		.stripes = pool_stripes(t->pool),
		.scope = after->verdict.scope };
	struct arena a = ARENA_INIT;

	verify_change(&in, previous_make(before, after, &a), r);
	arena_clear(&a);
}

void
view_clear(struct view *v)
{
	arena_clear(&v->arena);
}

/* ---- what is shown ---- */

static json_t *
routing_json(const struct view *v)
{
	if (!v->engine)
		return json_null();
	return json_pack("{s:s, s:s, s:s, s:s, s:s?, s:i, s:I, s:I, s:I, s:o}", "engine",
		v->engine->name, "promise", v->engine->promise, "code",
		route_code_text(v->report.code), "sentence", v->report.sentence, "root_rule",
		v->report.root_rule, "roots", (int)v->report.nroots, "completed",
		(json_int_t)v->report.completed, "declared", (json_int_t)v->report.declared,
		"unreachable", (json_int_t)v->report.unreachable, "choice", chain_json(&v->chain));
}

static void
verdict_lost(struct tool *t, const struct view *v)
{
	char name[NAMES_BYTES];

	for (unsigned i = 0; i < v->verdict.nlost; i++) {
		const struct verify_walk *w = &v->verdict.lost[i];

		tool_text(t, "  LID %u is lost at %s, port %u\n", w->lid,
			names_node(&v->s->nodes[w->switch_node], name), w->port);
	}
}

static void
verdict_cycle(struct tool *t, const struct view *v)
{
	const struct verify_result *r = &v->verdict;
	char name[NAMES_BYTES];

	for (unsigned i = 0; i < r->ncycle; i++)
		tool_text(t, "  into %s, VL %u: LID %u continues\n",
			names_port(v->s, r->cycle[i], name), r->cycle_vl[i], r->cycle_lid[i]);
}

static void
verdict_show(struct tool *t, const struct view *v)
{
	const struct verify_result *r = &v->verdict;

	json_object_set_new(t->doc, "verify", verify_to_json(v->s, r));
	tool_text(t,
		"verified (%s): %s; %llu paths checked, %llu channel dependencies on %u VL%s\n",
		r->scope == VERIFY_ALL ? "all" : "hosts", r->ok ? "passed" : "FAILED",
		(unsigned long long)r->walks, (unsigned long long)r->dependencies, r->vls,
		r->vls == 1 ? "" : "s");
	if (r->unreachable_switch)
		tool_text(t, "%llu paths from switches without hosts end nowhere\n",
			(unsigned long long)r->unreachable_switch);
	if (r->lanes[0])
		tool_finding(t, "lanes", "%s", r->lanes);
	if (r->unreachable) {
		tool_finding(t, "unreachable", "%llu paths from switches with hosts end nowhere",
			(unsigned long long)r->unreachable);
		verdict_lost(t, v);
	}
	if (r->loops)
		tool_finding(t, "loop", "%llu LIDs have a forwarding loop",
			(unsigned long long)r->loops);
	if (r->credit_loops) {
		tool_finding(t, "credit_loop",
			"%llu credit loops; one of them:", (unsigned long long)r->credit_loops);
		verdict_cycle(t, v);
	}
}

void
view_show(struct tool *t, const struct view *v)
{
	const struct snapshot *s = v->s;
	char line[600];

	json_object_set_new(t->doc, "fabric",
		json_pack("{s:s, s:i, s:i, s:i, s:i}", "topology", t->operands[0], "switches",
			(int)s->nswitches, "hosts", (int)s->nhosts, "links", (int)s->nlinks,
			"top_lid", (int)v->lids.top));
	json_object_set_new(t->doc, "routing", routing_json(v));
	tool_text(t, "%s: %u switches, %u host ports, %u links, LIDs up to %u\n", t->operands[0],
		s->nswitches, s->nhosts, s->nlinks, v->lids.top);
	if (v->chain.shape[0])
		tool_text(t, "%s\n", chain_text(&v->chain, line, sizeof(line)));
	if (v->engine)
		tool_text(t, "%s: %s\n", v->engine->name, v->engine->promise);
	else
		tool_text(t, "tables of %s\n", t->lfts);
	if (v->engine && v->report.root_rule)
		tool_text(t, "%u roots (%s)\n", v->report.nroots, v->report.root_rule);
	if (v->engine && v->report.sentence[0] && v->report.code == ROUTE_OK)
		tool_text(t, "%s\n", v->report.sentence);
	if (v->report.code == ROUTE_OK)
		verdict_show(t, v);
	else
		json_object_set_new(t->doc, "verify", json_null());
}
