/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * steps.c - the steps of a sweep that take long, as jobs for another thread.
 * Room: sm/daemon.  In: snapshot, plan, configuration, all const.  Out: the next of them, taken over when the job is back.
 *
 * A job touches no struct manager: what it needs is in struct sweep_job.  Meanwhile the manager answers, takes traps in,
 * writes multicast tables; it changes neither m->fresh nor what of m->fresh_plan a job reads (all but multicast).  Who
 * gives a sweep up only forgets its job.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "sm/plan/isolate.h"
#include "util/xalloc.h"

static struct sweep_job *
sweep_job_of(struct job *j)
{
	return (struct sweep_job *)j;
}

/* ---- on any thread ---- */

static void
seal(struct sweep_job *j)
{
	j->err = discover_take(j->discover, &j->sealed);
	discover_free(j->discover);
	j->discover = NULL;
}

static void
look(struct sweep_job *j)
{
	struct pkey_conf c = planner_pkey_conf(j->conf);

	plan_leave_out(j->fresh, j->flapping, j->nflapping);
	j->nisolated = plan_isolate(j->fresh, &j->isolated);
	j->nasks = pkey_plan_asks(j->fresh, &c, &j->asks);
	lanes_look(j);
}

static void
index_all(struct sweep_job *j)
{
	struct arena a = ARENA_INIT;
	struct lid_ids stored = { j->lids, j->nlids }, out;

	report_counts(j->fresh, &j->cur);
	j->roster = roster_new(j->fresh);
	plan_lids_to_store(j->fresh, &j->plan->lids, j->reassign ? NULL : &stored, &a, &out);
	free(j->lids);
	j->lids = out.n ? xmemdup(out.rows, out.n * sizeof(*out.rows)) : NULL;
	j->nlids = out.n;
	arena_clear(&a);
	if (j->conf->qos)
		j->qos = qos_groups_new(j->fresh, &j->plan->pkeys, j->conf->partitions, j->conf->qos_policy);
	j->view.qos = j->qos;
	j->index = sa_index_new(&j->view);
	groups_find_strangers(&j->trees, j->fresh, j->index);
}

static void
step_run(struct job *job)
{
	struct sweep_job *j = sweep_job_of(job);

	switch (j->step) {
	case STEP_SEAL:
		seal(j);
		break;
	case STEP_LOOK:
		look(j);
		break;
	case STEP_PLAN:
		planner_run(j);
		break;
	case STEP_DIFF:
		diff_all_but_groups(j->fresh, j->plan, &j->changes);
		break;
	case STEP_INDEX:
		index_all(j);
		break;
	}
}

static void
step_drop(struct job *job)
{
	struct sweep_job *j = sweep_job_of(job);

	discover_free(j->discover);
	snapshot_free(j->sealed);
	free(j->isolated);
	free(j->flapping);
	roster_free(j->roster);
	free(j->asks);
	qos_reader_free(j->lanes);
	qos_tables_free(j->tables);
	free(j->lids);
	groups_trees_clear(&j->trees);
	report_result_clear(&j->cur);
	changes_clear(&j->changes);
	sa_index_free(j->index);
	qos_groups_free(j->qos);
	if (j->step == STEP_PLAN)
		plan_free(j->plan);
	free(j);
}

/* ---- on the manager's ---- */

void
manager_job_done(struct manager *m, struct job *j, struct monotime now)
{
	if (m && documents_done(m, j)) {
		if (!documents_open(m))
			descriptions_keep(&m->watch.descriptions, &m->net);
		return;
	}
	if (!m || !m->job || j != &m->job->job) {
		j->drop(j);
		return;
	}
	m->net.now = now;
	m->job->ended = true;
}

bool
manager_works(const struct manager *m)
{
	return m->job && !m->job->ended;
}

static void
view_of(struct manager *m, struct sweep_job *j)
{
	j->sms[0] = ha_sm_info(&m->election.ha, true);
	memcpy(&j->sms[1], m->election.answers, m->election.nanswers * sizeof(*j->sms));
	j->view = (struct sa_view){
		.s = m->fresh, .lids = &m->fresh_plan->lids, .fwd = &m->fresh_plan->fwd,
		.gid_prefix = m->net.conf->subnet_prefix, .sa_key = m->net.conf->sa_key,
		.enhanced_trust = m->net.conf->sa_enhanced_trust_model, .sm_lid = m->fresh_plan->sm_lid,
		.sm_sl = m->fresh_plan->links.sm_sl, .path_life = (uint8_t)m->net.conf->subnet_timeout,
		.resp_time = 16, .sms = j->sms, .nsms = m->election.nanswers + 1, .mft = m->fresh_plan->mft_seen,
		.mcast = m->mcast, .alias = m->alias, .sm_assigned_guid = (uint8_t)m->net.conf->sm_assigned_guid, .inform = m->inform,
		.services = m->services, .lanes = &m->fresh_plan->qos, .qos_tables = m->fresh_plan->qos_tables,
		.unread_pkey = m->net.conf->partitions->file ? PKEY_DEFAULT_LIMITED : PKEY_DEFAULT_FULL,
		.ready = true,
	};
}

void
steps_begin(struct manager *m, enum sweep_step step)
{
	struct sweep_job *j = xcalloc(1, sizeof(*j));

	*j = (struct sweep_job){
		.job = { .run = step_run, .drop = step_drop }, .step = step, .given = m->net.now,
		.conf = m->net.conf, .mkeys = m->releasing ? mkeys_one(0) : subnet_mkeys(&m->net), .conf_age = m->net.conf_age, .served = m->net.served.s, .clock = m->net.clock, .clock_arg = m->net.clock_arg,
		.led = m->led, .reassign = m->reassign,
		.discover = m->discover, .fresh = m->fresh, .plan = m->fresh_plan, .cur = m->cur,
	};
	if (m->net.served.plan && !m->net.served.unsure)
		j->known_tables = m->net.served.plan->qos_tables;
	m->discover = NULL;
	memset(&m->cur, 0, sizeof(m->cur));
	if ((step == STEP_PLAN || step == STEP_INDEX) && m->nlids) {
		j->lids = xmemdup(m->lids, m->nlids * sizeof(*m->lids));
		j->nlids = m->nlids;
	}
	if (step == STEP_PLAN || step == STEP_INDEX)
		groups_copy(m, &j->trees);
	if (step == STEP_INDEX)
		view_of(m, j);
	if (step == STEP_LOOK)
		j->nflapping = flaps_ends(m->watch.flaps, &j->flapping);
	m->state = MAN_WORK;
	m->job = j;
	subnet_hand_out(&m->net, &j->job);
}

struct sweep_job *
steps_take(struct manager *m)
{
	struct sweep_job *j = m->job;

	m->job = NULL;
	m->cur = j->cur;
	memset(&j->cur, 0, sizeof(j->cur));
	return j;
}

void
steps_drop(struct sweep_job *j)
{
	step_drop(&j->job);
}

void
steps_abandon(struct manager *m)
{
	if (m->job && m->job->ended)
		steps_drop(m->job);
	m->job = NULL;
}
