/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * steps.c - the steps of a sweep that take long, as jobs.
 * Room: sm/sweep.  In: snapshot, plan, configuration, all const.  Out: the next of them, taken over
 * when the job is back.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/conf.h"
#include "sm/plan/isolate.h"
#include "sm/plan/plan.h"
#include "sm/plan/qos_groups.h"
#include "sm/registry/aliases.h"
#include "sm/registry/groups.h"
#include "sm/planner/moves.h"
#include "sm/planner/planner.h"
#include "sm/sweep/state.h"
#include "sm/sweep/steps.h"
#include "util/xalloc.h"

/* ---- on any thread ---- */

static struct sweep_job *
sweep_job_of(struct job *j)
{
	return (struct sweep_job *)j;
}

/* ---- on any thread ---- */

static void
seal_snapshot(struct sweep_job *j)
{
	j->err = discover_take(j->discover, &j->sealed);
	discover_free(j->discover);
	j->discover = NULL;
	if (j->sealed && j->stored.from)
		j->stored.early = sa_early_new(j->stored.from, j->sealed, &j->stored.conf,
			j->stored.why, sizeof(j->stored.why));
}

static void
look_at_snapshot(struct sweep_job *j)
{
	struct pkey_conf c = planner_pkey_conf(j->in.conf);

	if (j->cur.targeted && j->in.served)
		snapshot_keep_pkeys(j->fresh, j->in.served);
	plan_leave_out(j->fresh, j->look.flapping, j->look.nflapping);
	j->look.nisolated = plan_isolate(j->fresh, &j->look.isolated);
	j->look.nasks = pkey_plan_asks(j->fresh, &c, &j->look.asks);
	vl_tables_look(j);
}

static void
index_served(struct sweep_job *j)
{
	struct arena a = ARENA_INIT;
	struct lid_ids stored = { j->lids, j->nlids }, out;

	sweep_result_count(j->fresh, &j->cur);
	moves_count(j);
	j->made.roster = roster_new(j->fresh);
	j->made.settled = diff_settled(j->observed, j->plan, &j->in.before);
	plan_lids_to_store(j->fresh, &j->plan->lids, j->in.reassign ? NULL : &stored, &a, &out);
	free(j->lids);
	j->lids = out.n ? xmemdup(out.rows, out.n * sizeof(*out.rows)) : NULL;
	j->nlids = out.n;
	arena_clear(&a);
	if (j->in.conf->qos)
		j->made.qos = qos_groups_new(
			j->fresh, &j->plan->pkeys, j->in.conf->partitions, j->in.conf->qos_policy);
	j->made.view.qos = j->made.qos;
	j->made.index = sa_index_new(&j->made.view);
	group_trees_check_pkeys(&j->trees, j->fresh, j->made.index);
}

/*
 * The plan waits until the switches have been read, and a processor is free meanwhile.  What was
 * made ahead is dropped with the plan.
 */
static void
diff_ahead(struct sweep_job *j)
{
	/* STEP_DIFF first needs tables that only the manager's thread may make */
	if (j->err < 0 || (j->plan->qos.on && !j->observed->qos))
		return;
	diff_planned(j->observed, j->plan, &j->in.before, &j->changes);
	j->diffed = true;
}

static void
step_run(struct job *job)
{
	struct sweep_job *j = sweep_job_of(job);

	switch (j->step) {
	case STEP_SEAL:
		seal_snapshot(j);
		break;
	case STEP_LOOK:
		look_at_snapshot(j);
		break;
	case STEP_PLAN:
		planner_make_plan(j);
		if (j->in.diff_ahead)
			diff_ahead(j);
		break;
	case STEP_DIFF:
		diff_planned(j->observed, j->plan, &j->in.before, &j->changes);
		break;
	case STEP_INDEX:
		index_served(j);
		break;
	}
}

static void
step_drop(struct job *job)
{
	struct sweep_job *j = sweep_job_of(job);

	discover_free(j->discover);
	snapshot_free(j->sealed);
	free(j->look.isolated);
	free(j->look.flapping);
	roster_free(j->made.roster);
	free(j->made.settled);
	free(j->look.asks);
	qos_reader_free(j->look.reader);
	qos_tables_free(j->look.tables);
	free(j->lids);
	topology_step_clear(&j->topology);
	sweep_kept_clear(&j->kept);
	group_trees_clear(&j->trees);
	sweep_result_clear(&j->cur);
	changes_clear(&j->changes);
	sa_index_free(j->made.index);
	sa_early_free(j->stored.early);
	qos_groups_free(j->made.qos);
	if (j->step == STEP_PLAN)
		plan_free(j->plan);
	free(j);
}

/* ---- on the manager's ---- */

/* What of a view the configuration says. */
static struct sa_view
configured_view(const struct conf *c)
{
	return (struct sa_view){
		.gid_prefix = c->subnet_prefix, .sa_key = c->sa_key,
		.enhanced_trust = c->sa_enhanced_trust_model,
		.path_life = (uint8_t)c->subnet_timeout, .resp_time = 16,
		.sm_assigned_guid = (uint8_t)c->sm_assigned_guid,
		.unread_pkey = c->partitions->file ? PKEY_DEFAULT_LIMITED : PKEY_DEFAULT_FULL,
	};
}

/* What subnet administration will show, once the plan is applied. */
static void
give_view(const struct sweep *w, struct sweep_job *j)
{
	const struct election *e = w->election;

	j->made.sms[0] = ha_sm_info(&e->ha, true);
	memcpy(&j->made.sms[1], e->answers, e->nanswers * sizeof(*j->made.sms));
	j->made.view = configured_view(w->net->conf);
	j->made.view.s = w->fresh;
	j->made.view.lids = &w->plan->lids;
	j->made.view.fwd = &w->plan->fwd;
	j->made.view.sm_lid = w->plan->sm_lid;
	j->made.view.sm_sl = w->plan->links.sm_sl;
	j->made.view.sms = j->made.sms;
	j->made.view.nsms = e->nanswers + 1;
	j->made.view.mft = w->net->tables.mft;
	j->made.view.alias = w->registry->alias;
	j->made.view.vl_plan = &w->plan->qos;
	j->made.view.qos_tables = w->observed->qos;
	j->made.view.ready = true;
}

/* Stored tables, for a manager that may become master with this sweep.  Levels of QoS need a plan. */
static void
give_stored(const struct sweep *w, struct sweep_job *j)
{
	if (w->history.led || w->net->conf->qos)
		return;
	j->stored.from = w->history.stored.before;
	j->stored.conf = configured_view(w->net->conf);
}

/* The sweep before, if it wrote to its end. */
static struct diff_before
before_of(const struct sweep *w)
{
	const struct served *v = &w->net->served;

	return v->plan && !sweep_is_unsure(w) ? (struct diff_before){ v->observed, v->plan } :
						 (struct diff_before){ NULL, NULL };
}

static struct step_input
step_input_of(const struct sweep *w)
{
	const struct subnet *n = w->net;
	const struct served *v = &n->served;

	return (struct step_input){
		.conf = n->conf, .conf_age = n->conf_age,
		.mkeys = w->release.by_this_sweep ? mkeys_one(0) : subnet_mkeys(n), .served = v->s,
		.served_plan = v->plan, .before = before_of(w), .faults = w->history.faults,
		.lanes_used = w->history.lanes_used,
		.known_tables = v->plan && !sweep_is_unsure(w) ? v->observed->qos : NULL,
		.guids = aliases_wanted(w->registry),
		.spans = v->plan && v->plan->mcast ? plan_mcast_spans(v->plan->mcast) : NULL,
		.clock = n->clock, .clock_arg = n->clock_arg, .given = n->now,
		.led = w->history.led, .reassign = w->lids.reassign, .stripes = n->stripes,
		.diff_ahead = w->read.expected,
	};
}

/* What earlier plans left for the next one. */
static void
give_memory(struct sweep *w, struct sweep_job *j)
{
	topology_give(&w->history.topology, !flaps_count(w->watch->flaps), &j->topology);
	j->kept = w->history.kept;
	w->history.kept = (struct kept_state){ .engine = NULL };
}

void
steps_begin(struct sweep *w, enum sweep_step step)
{
	struct sweep_job *j = xcalloc(1, sizeof(*j));

	j->job = (struct job){ .run = step_run, .drop = step_drop };
	j->step = step;
	j->in = step_input_of(w);
	j->discover = w->discover;
	j->fresh = w->fresh;
	j->plan = w->plan;
	j->observed = w->observed;
	j->cur = w->cur;
	w->discover = NULL;
	memset(&w->cur, 0, sizeof(w->cur));
	if ((step == STEP_PLAN || step == STEP_INDEX) && w->lids.n) {
		j->lids = xmemdup(w->lids.rows, w->lids.n * sizeof(*w->lids.rows));
		j->nlids = w->lids.n;
	}
	if (step == STEP_PLAN || step == STEP_INDEX)
		groups_copy(w->registry, &j->trees);
	if (step == STEP_PLAN)
		give_memory(w, j);
	if (step == STEP_INDEX)
		give_view(w, j);
	if (step == STEP_SEAL)
		give_stored(w, j);
	if (step == STEP_LOOK)
		j->look.nflapping = flaps_ends(w->watch->flaps, &j->look.flapping);
	if (step == STEP_SEAL)
		w->history.sealing = &j->job;
	sweep_set_state(w, SWEEP_WORK);
	w->job = j;
	subnet_hand_out(w->net, &j->job);
}

struct sweep_job *
steps_take(struct sweep *w)
{
	struct sweep_job *j = w->job;

	w->job = NULL;
	w->cur = j->cur;
	memset(&j->cur, 0, sizeof(j->cur));
	return j;
}

void
steps_drop(struct sweep_job *j)
{
	step_drop(&j->job);
}

void
steps_abandon(struct sweep *w)
{
	if (w->job && w->job->ended)
		steps_drop(w->job);
	w->job = NULL;
}
