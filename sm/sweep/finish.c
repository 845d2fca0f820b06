/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * finish.c - the end of a sweep: serving what it planned.
 * Room: sm/sweep.  In: the fresh snapshot and plan, the index that a job made.  Out: what is
 * served; when the next sweep is due.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/guid_read.h"
#include "fabric/read/lft_read.h"
#include "fabric/read/mft_read.h"
#include "fabric/read/pkey_read.h"
#include "sm/conf/conf.h"
#include "sm/plan/plan.h"
#include "sm/plan/qos_groups.h"
#include "sm/registry/groups.h"
#include "sm/sa/sa.h"
#include "sm/sweep/early.h"
#include "sm/sweep/finish.h"
#include "sm/sweep/problems.h"
#include "sm/sweep/state.h"
#include "sm/sweep/steps.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define LOSSY_SWEEPS_MAX 5              /* consecutive early sweeps because of packet loss */

static void
abandon_readers(struct sweep *w)
{
	if (w->read.lfts)                       /* its requests borrow routes from it */
		subnet_cancel(w->net, OWN_LFT);
	lft_reader_free(w->read.lfts);
	pkey_reader_free(w->read.pkeys);
	if (w->read.guids || w->read.mfts)      /* their requests borrow routes from them */
		subnet_cancel(w->net, OWN_PKEYS);
	guid_reader_free(w->read.guids);
	mft_reader_free(w->read.mfts);
	w->read = (struct sweep_readers){ .lfts = NULL };
}

void
sweep_abandon(struct sweep *w)
{
	steps_abandon(w);
	discover_free(w->discover);
	w->discover = NULL;
	vl_tables_abandon(&w->read.vl, w->net);
	if (w->apply && w->plan)
		w->net->served.unsure = true;
	apply_free(w->apply);
	w->apply = NULL;
	abandon_readers(w);
	changes_clear(&w->changes);
	subnet_retire(w->net, (struct retired){ .s = w->fresh, .p = w->plan, .o = w->observed });
	w->fresh = NULL;
	w->plan = NULL;
	w->observed = NULL;
	free(w->isolated);
	w->isolated = NULL;
	w->nisolated = 0;
	sweep_result_clear(&w->cur);
}

/*
 * Schedules the next sweep.  Ports with an M_Key lease need a request within less than half of the
 * lease period.
 */
void
sweep_schedule(struct sweep *w)
{
	int64_t interval_us = (int64_t)w->net->conf->sweep_interval_s * 1000000;
	int64_t lease_us = leases_interval_us(w->net);

	if (lease_us && (!interval_us || interval_us > lease_us))
		interval_us = lease_us;
	w->net->schedule.next_sweep =
		interval_us ? monotime_add_us(w->net->now, interval_us) : MONOTIME_NEVER;
	if (w->last.targeted)           /* which does not take the place of a light sweep */
		w->net->schedule.next_sweep =
			monotime_min(w->net->schedule.next_sweep, w->history.due);
	w->history.due = MONOTIME_NEVER;
	sweep_set_state(w, SWEEP_IDLE);
}

void
sweep_set_qos(struct sweep *w, bool on)
{
	struct served *v = &w->net->served;
	const struct conf *c = w->net->conf;
	struct qos_groups *fresh = NULL;

	if (on && c->qos && v->plan)
		fresh = qos_groups_new(v->s, &v->plan->pkeys, c->partitions, c->qos_policy);
	v->age++;
	if (v->sa)
		sa_index_set_qos(v->sa, fresh);
	subnet_retire(w->net, (struct retired){ .q = v->qos });
	v->qos = fresh;
}

/* Takes the QoS levels made with the index, unless the configuration was reloaded meanwhile. */
static void
serve_qos(struct sweep *w, struct sweep_job *j)
{
	if (j->in.conf_age != w->net->conf_age) {
		sweep_set_qos(w, true);
		return;
	}
	subnet_retire(w->net, (struct retired){ .q = w->net->served.qos });
	w->net->served.qos = j->made.qos;
	j->made.qos = NULL;
}

/* Adapts the registrations of hosts to the new served plan. */
static void
serve_registry(struct sweep *w, struct sweep_job *j)
{
	registry_swept(w->registry, w->net);
	serve_qos(w, j);
	groups_check_members(w->registry, w->net, &j->trees);
}

/*
 * Serves the plan that has just been applied, with the index in 'j'; NULL: there is no plan, and
 * the SA does not answer.
 */
static void
serve_plan(struct sweep *w, struct sweep_job *j)
{
	struct served *v = &w->net->served, old = *v;

	observed_adopt_lfts(w->observed, w->plan ? &w->plan->fwd : NULL);
	if (w->plan)
		plan_end_step(w->plan);
	registry_leave_served(w->registry, w->net);
	subnet_cancel(w->net, OWN_LIGHT);
	*v = (struct served){
		.s = w->fresh, .plan = w->plan, .observed = w->observed,
		.qos = old.qos, .age = old.age + 1,
	};
	if (j) {
		v->sa = j->made.index;
		j->made.index = NULL;
		v->observed->settled = j->made.settled;
		j->made.settled = NULL;
	}
	w->fresh = NULL;
	w->plan = NULL;
	w->observed = NULL;
	if (v->plan)
		serve_registry(w, j);
	if (v->plan && old.plan)
		registry_compare_ports(w->registry, w->net, old.s, &old.plan->lids);
	subnet_retire(w->net,
		(struct retired){ .s = old.s, .p = old.plan, .o = old.observed, .x = old.sa });
	w->history.stored.changed |= v->plan && (w->cur.changes || !old.plan);
	w->history.events |= SWEEP_EVENT_SERVED;
}

static bool
has_problem(enum sweep_outcome o)
{
	return o == OUTCOME_PARTIAL || o == OUTCOME_REFUSED || o == OUTCOME_NO_FABRIC;
}

static void
collect_problems(struct sweep *w, bool counted)
{
	struct problem_sources from = {
		.s = w->fresh,
		.plan = w->plan,
		.apply = w->apply,
		.isolated = w->isolated,
		.nisolated = w->nisolated,
		.watch = w->watch,
	};

	problems_collect(&w->cur, &from);
	if (!counted && !w->cur.verify_doc)     /* otherwise the last step has counted */
		sweep_result_count(w->fresh, &w->cur);
}

/* Problems that the fabric does not have since the sweep before. */
static bool
leaves_new_problem(const struct sweep *w, enum sweep_outcome outcome)
{
	if (outcome == OUTCOME_STANDBY)
		return false;
	return outcome != OUTCOME_UP || !w->fresh || w->cur.nproblems != w->fresh->nproblems;
}

void
sweep_finish(struct sweep *w, enum sweep_outcome outcome, struct sweep_job *j)
{
	bool left;

	if (outcome != OUTCOME_REFUSED)         /* otherwise the ports stay as they are */
		early_end(w);
	w->cur.outcome = outcome;
	w->cur.ended = w->net->now;
	own_port_swept(&w->watch->own_port, w->net, w->fresh);
	if (w->fresh)
		collect_problems(w, j != NULL);
	left = w->cur.targeted && leaves_new_problem(w, outcome);
	if (outcome == OUTCOME_UP &&
		(w->cur.nproblems || w->cur.counts.active != w->cur.counts.linked))
		w->cur.outcome = OUTCOME_PARTIAL;
	if (w->fresh && outcome != OUTCOME_REFUSED) {
		serve_plan(w, j);
		if (!w->cur.targeted)
			leases_swept(&w->watch->light.leases, w->cur.started);
	}
	registry_pause(w->registry, w->net, false);
	problems_log(&w->cur, &w->last, w->watch, w->net->log);
	sweep_result_clear(&w->last);
	w->last = w->cur;
	memset(&w->cur, 0, sizeof(w->cur));
	sweep_abandon(w);
	w->history.sweeps++;
	if (!w->last.targeted)
		w->history.problem_sweeps =
			has_problem(w->last.outcome) ? w->history.problem_sweeps + 1 : 0;
	if (left)
		schedule_want(w->net, "a targeted sweep left problems");
	sweep_schedule(w);
	loss_adapt(&w->loss, w->net, true);
	/*
	 * Requests failed because of packet loss, not because of a faulty node: retry soon.
	 */
	if (loss_is_measured(&w->loss) && w->last.outcome == OUTCOME_PARTIAL &&
		w->history.problem_sweeps <= LOSSY_SWEEPS_MAX)
		schedule_look_again(w->net, "much was lost on the way");
}

static void
drop_plan(struct sweep *w)
{
	subnet_retire(w->net, (struct retired){ .p = w->plan });
	w->plan = NULL;
}

void
sweep_stop_leading(struct sweep *w)
{
	w->history.led = false;
	w->history.events |= SWEEP_EVENT_STOPPED;
	watch_reset(w->watch);
	standbys_reset(&w->election->standbys);
	/* Hosts register with the master only. */
	registry_reset(w->registry, w->net, w->sa_stats);
	/*
	 * Without a plan the SA does not answer, and the next sweep as master reads everything
	 * again.
	 */
	drop_plan(w);
	sweep_finish(w, OUTCOME_STANDBY, NULL);
	w->net->schedule.next_sweep = w->net->schedule.trap_sweep = MONOTIME_NEVER;
}

void
sweep_finish_looking(struct sweep *w)
{
	drop_plan(w);
	sweep_finish(w, OUTCOME_STANDBY, NULL);
	w->net->schedule.next_sweep = MONOTIME_NEVER;
}
