/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * routes.c - forwarding tables: the configured engines, one after the other, each verified.
 * Room: sm/planner.  In: the snapshot, LIDs, inputs.h.  Out: the tables of the plan, or refusals.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/conf/conf.h"
#include "sm/route/groups.h"
#include "sm/route/options.h"
#include "sm/route/throttled.h"
#include "sm/planner/hold.h"
#include "sm/planner/inputs.h"
#include "sm/planner/lanes.h"
#include "sm/planner/mixture.h"
#include "sm/planner/routes.h"

static int64_t
clock_us(const struct sweep_job *j)
{
	return j->in.clock ? j->in.clock(j->in.clock_arg).us : j->in.given.us;
}

/* Why the verifier rejected the tables, in a sentence. */
static void
refuse_tables(struct sweep_job *j, const char *engine, const struct verify_result *v)
{
	int n = snprintf(j->cur.refusal, sizeof(j->cur.refusal),
		"engine %s: its tables were refused (scope %s): %llu unreachable, %llu loops, %llu credit loops",
		engine, v->scope == VERIFY_ALL ? "all" : "hosts",
		(unsigned long long)v->unreachable, (unsigned long long)v->loops,
		(unsigned long long)v->credit_loops);

	if (!v->ncycle || n < 0 || (size_t)n >= sizeof(j->cur.refusal))
		return;
	n += snprintf(
		j->cur.refusal + n, sizeof(j->cur.refusal) - (size_t)n, "; cycle of channels into");
	for (unsigned i = 0; i < v->ncycle && i < 4 && (size_t)n < sizeof(j->cur.refusal); i++) {
		const struct fab_port *q = &j->fresh->ports[v->cycle[i]];

		n += snprintf(j->cur.refusal + n, sizeof(j->cur.refusal) - (size_t)n,
			" 0x%016llx[%u]", (unsigned long long)j->fresh->nodes[q->node].guid,
			q->num);
	}
}

/* Frees the state that an engine kept of its last run, unless it is this one ('name'). */
static void
forget_others(struct sweep_job *j, const char *name)
{
	if (j->kept.engine == name)
		return;
	route_state_free(j->kept.s);
	j->kept.s = NULL;
	j->kept.engine = name;
}

/* Runs the engine with the state of its last run.  Groups replace entries of its tables, and state
 * would hold tables other than those in force: so with groups there is none. */
static enum route_code
run_engine(struct sweep_job *j, struct plan *p, struct route_in *in, const struct route_engine *e,
	struct groups_kept *after)
{
	if (groups_configured(in)) {
		forget_others(j, NULL);
		return groups_run(in, e, &j->kept.groups, after, &p->fwd_arena, &p->fwd,
			&j->cur.route);
	}
	if (!in->hold) {
		forget_others(j, e->name);
		in->state = &j->kept.s;
	}
	return e->run(in, &p->fwd_arena, &p->fwd, &j->cur.route);
}

/* Notes which blocks differ from the tables before, if the engine has computed only those. */
static void
note_step(struct sweep_job *j, struct plan *p, const struct fwd_tables *before)
{
	const struct route_report *r = &j->cur.route;
	struct plan_block *b;

	if (!r->again || !before || !before->rows)
		return;
	b = arena_array(&p->fwd_arena, r->nchanged, sizeof(*b));
	for (uint32_t i = 0; i < r->nchanged; i++)
		b[i] = (struct plan_block){ r->changed[i].sw, r->changed[i].block };
	p->step.from = fwd_rows_hold(before->rows);
	p->step.blocks = b;
	p->step.nblocks = r->nchanged;
}

/* Verifies the tables of the plan, from what was kept of those before. */
static bool
prove_tables(struct sweep_job *j, struct plan *p, const struct route_engine *e, enum verify_scope scope)
{
	struct verify_in in = { .snapshot = j->fresh, .lids = &p->lids, .tables = &p->fwd,
		.scope = scope, .stripes = j->in.stripes, .kept = &j->kept.proof,
		.turns = &p->step.exact };
	int64_t t = clock_us(j);

	verify_again(&in, &j->cur.verify);
	j->cur.verified = true;
	if (j->cur.verify.ok && scope == VERIFY_ALL && !p->fwd.lanes)
		p->step.turns = verify_kept_turns(j->kept.proof);
	j->cur.phase_us[PHASE_VERIFY] += clock_us(j) - t;
	if (!j->cur.verify.ok)
		refuse_tables(j, e->name, &j->cur.verify);
	return j->cur.verify.ok;
}

/* Makes tables and proves them. */
static bool
make_tables(struct sweep_job *j, struct plan *p, const struct route_in *given,
	const struct route_engine *e, struct groups_kept *after)
{
	struct route_in in = *given;
	int64_t t = clock_us(j);
	enum route_code code = run_engine(j, p, &in, e, after);
	enum verify_scope scope = groups_scope(e, &j->cur.route.groups);

	j->cur.phase_us[PHASE_ROUTE] += clock_us(j) - t;
	if (code != ROUTE_OK) {
		snprintf(j->cur.refusal, sizeof(j->cur.refusal), "engine %s refuses: %s: %s",
			e->name, route_code_text(code), j->cur.route.sentence);
		return false;
	}
	if (!lanes_accept(j, p, &in, e->name))
		return false;
	fwd_rows_hold(p->fwd.rows);
	p->hosts_only = scope == VERIFY_HOSTS;
	note_step(j, p, in.previous);
	return prove_tables(j, p, e, scope);
}

static bool
try_tables(struct sweep_job *j, struct plan *p, const struct route_in *in,
	const struct route_engine *e)
{
	struct groups_kept after = { .engine = NULL };

	if (!make_tables(j, p, in, e, &after)) {
		groups_kept_clear(&after);
		return false;
	}
	groups_kept_clear(&j->kept.groups);
	j->kept.groups = after;
	return true;
}

/* With the groups of the configuration first; tables with groups that are refused for what the
 * groups add get the engine's own entries everywhere. */
static bool
try_engine(struct sweep_job *j, struct plan *p, const struct route_in *in,
	const struct route_engine *e)
{
	struct route_groups groups;
	struct route_in whole = *in;
	struct route_conf c;

	j->cur.route.groups = (struct route_groups){ .in_force = 0 };
	if (try_tables(j, p, in, e))
		return true;
	groups = j->cur.route.groups;
	if (!groups.in_force)
		return false;
	groups_refuse(in->conf->groups, &groups, j->cur.refusal);
	plan_drop_tables(p);
	c = *in->conf;
	c.groups = NULL;
	whole.conf = &c;
	if (!try_tables(j, p, &whole, e))
		return false;
	j->cur.route.groups = groups;
	return true;
}

/* Two adapters back to back: LIDs and links, but nothing to route. */
static bool
no_switches(struct sweep_job *j, struct plan *p)
{
	if (j->fresh->nswitches)
		return false;
	p->fwd = (struct fwd_tables){ .stride = 64, .top = p->lids.top, .vls = 1 };
	j->cur.route.engine = "none";
	j->cur.verify = (struct verify_result){ .scope = VERIFY_HOSTS, .ok = true };
	j->cur.verified = true;
	return true;
}

/* Without the links that are to be avoided first; an engine that refuses that gets all. */
static bool
try_avoiding(struct sweep_job *j, struct plan *p, const struct route_in *in,
	const struct snapshot *less, const struct route_engine *e)
{
	struct route_in some = *in;

	some.snapshot = less;
	if (less != in->snapshot && try_engine(j, p, &some, e))
		return true;
	if (less != in->snapshot)
		plan_drop_tables(p);
	return try_engine(j, p, in, e);
}

static bool
try_engines(struct sweep_job *j, struct plan *p, const struct route_in *in)
{
	struct arena a = ARENA_INIT;
	const struct snapshot *less = in->snapshot;
	struct chain *c = &j->cur.chain;
	uint32_t n;
	bool ok = false;

	if (j->in.conf->avoid_throttled_links)
		less = throttled_hide(in->snapshot, &a, &n);
	chain_make(c, &j->in.conf->engines, in, true, &j->kept.shape);
	for (unsigned i = 0; i < c->n && !ok; i++) {
		if (!c->step[i].engine)
			snprintf(j->cur.refusal, sizeof(j->cur.refusal), "%s", c->step[i].said);
		else
			ok = try_avoiding(j, p, in, less, c->step[i].engine);
		if (ok) {
			chain_taken(c, i);
			options_remark(c, in);
			c->groups = j->cur.route.groups;
			continue;
		}
		plan_drop_tables(p);
		chain_refused(c, i, j->cur.refusal);
	}
	arena_clear(&a);
	return ok;
}

static struct route_conf
conf_of(const struct conf *c, struct route_torus *t)
{
	for (unsigned i = 0; i < c->routing.torus.ndims; i++) {
		t->dim[i].size = c->routing.torus.size[i];
		t->dim[i].mesh = c->routing.torus.mesh[i];
	}
	t->ndims = c->routing.torus.ndims;
	return (struct route_conf){ .roots = c->routing.roots,
		.nroots = (uint32_t)c->routing.nroots,
		.lash_start_vl = (uint8_t)c->lash_start_vl,
		.torus = t->ndims ? t : NULL,
		.lfts = c->routing.lfts,
		.order = c->routing.order,
		.ports = c->routing.ports,
		.weights = c->routing.weights,
		.ids = c->routing.ids,
		.groups = c->routing.groups,
		.shift_ports = c->port_shifting,
		.scatter = c->scatter_ports };
}

/* Puts tables that were not computed in place of those of the plan. */
static void
replace_tables(struct plan *p, const struct fwd_tables *present)
{
	fwd_rows_drop(p->fwd.rows);
	plan_end_step(p);
	p->fwd = *present;
}

/* Tables in which present entries come first: those in force as they are, if the verifier accepts
 * them; otherwise an engine's. */
static bool
make_held(struct sweep_job *j, struct plan *p, const struct route_in *given)
{
	struct route_in in = *given;
	const struct route_engine *e;
	struct fwd_tables present;
	struct verify_result v;
	char why[256];

	in.hold = true;
	if (!try_engines(j, p, &in))
		return false;
	e = route_find(j->cur.route.engine, why, sizeof(why));
	if (!hold_present(j, &in, e ? groups_scope(e, &j->cur.route.groups) : VERIFY_ALL,
		    &p->fwd_arena, &present, &v))
		return true;
	if (j->cur.route.groups.in_force && !hold_tables_agree(&in, &p->fwd, &present)) {
		groups_refuse(in.conf->groups, &j->cur.route.groups,
			"the forwarding tables that were found are held");
		j->cur.chain.groups = j->cur.route.groups;
	}
	replace_tables(p, &present);
	j->cur.verify = v;
	return true;
}

/* The topology is in doubt: it counts only if it moves nothing that may stay. */
static bool
route_in_doubt(struct sweep_job *j, struct plan *p, const struct route_in *in)
{
	bool ok = try_engines(j, p, in), same;
	struct plan other = { .snapshot = p->snapshot, .lids = p->lids, .links = p->links };
	struct route_report r = j->cur.route;
	struct verify_result v = j->cur.verify;
	struct chain c = j->cur.chain;

	j->topology.held = !in->intended;
	if (ok && hold_tables_agree(in, &p->fwd, in->previous))
		return true;
	if (!make_held(j, &other, in)) {
		j->cur.route = r;
		j->cur.verify = v;
		j->cur.chain = c;
		return ok;
	}
	same = ok && hold_tables_agree(in, &p->fwd, &other.fwd);
	plan_drop_tables(p);
	p->fwd = other.fwd;
	p->step = other.step;
	p->hosts_only = other.hosts_only;
	p->fwd_arena = other.fwd_arena;
	if (same)
		return true;
	sweep_kept_clear(&j->kept);
	topology_withdraw(j);
	return true;
}

bool
routes_make(struct sweep_job *j, struct plan *p)
{
	struct route_torus torus;
	struct route_conf c = conf_of(j->in.conf, &torus);
	struct route_in in = { .snapshot = j->fresh, .lids = &p->lids, .conf = &c };
	struct arena a = ARENA_INIT;
	int64_t t = clock_us(j);
	bool ok;

	if (no_switches(j, p))
		return true;
	inputs_make(j, topology_plan(j), &p->lids, &a, &in);
	lanes_inputs(j, p, &a, &in);
	j->cur.phase_us[PHASE_ROUTE] += clock_us(j) - t;
	if (hold_doubts(j, &in)) {
		hold_find_absent(j, &a, &in);
		ok = route_in_doubt(j, p, &in);
	} else {
		j->topology.held = false;
		ok = try_engines(j, p, &in);
	}
	if (ok) {
		t = clock_us(j);
		mixture_check(j, p, &in);
		j->cur.phase_us[PHASE_VERIFY] += clock_us(j) - t;
	}
	arena_clear(&a);
	return ok;
}
