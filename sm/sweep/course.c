/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * course.c - the states of a sweep: what each does, and which state follows.
 * Room: sm/sweep.  In: ends of transactions and steps.  Out: requests; the next state.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/discover/discover.h"
#include "fabric/read/guid_read.h"
#include "fabric/read/lft_read.h"
#include "fabric/read/mft_read.h"
#include "fabric/read/pkey_read.h"
#include "sm/conf/conf.h"
#include "sm/plan/plan.h"
#include "sm/registry/aliases.h"
#include "sm/registry/grace.h"
#include "sm/registry/groups.h"
#include "sm/sweep/begin.h"
#include "sm/sweep/course.h"
#include "sm/sweep/early.h"
#include "sm/sweep/finish.h"
#include "sm/planner/lanes.h"
#include "sm/planner/mixture.h"
#include "sm/planner/moves.h"
#include "sm/ha/other_master.h"
#include "sm/planner/planner.h"
#include "sm/sweep/release.h"
#include "sm/sweep/state.h"
#include "sm/sweep/steps.h"
#include "sm/sweep/targeted.h"

#define EARLY_SWEEPS_MAX 5              /* consecutive, because of an unresponsive neighbour */

static void
store_lids(struct sweep *w, struct sweep_job *j)
{
	if (j->nlids == w->lids.n &&
		(!j->nlids || !memcmp(j->lids, w->lids.rows, j->nlids * sizeof(*w->lids.rows))))
		return;
	free(w->lids.rows);
	w->lids.rows = j->lids;
	w->lids.n = j->nlids;
	j->lids = NULL;
	w->lids.changed = true;
}

/* No other node can be reached: the election is repeated when one can. */
static void
finish_without_fabric(struct sweep *w)
{
	struct monotime soon =
		monotime_add_us(w->net->now, (int64_t)w->net->conf->sweep_holddown_ms * 1000);

	ha_alone(&w->election->ha);
	sweep_finish(w, OUTCOME_NO_FABRIC, NULL);
	/* A request may have been lost, or the neighbour is starting. */
	if (w->watch->own_port.linked && w->history.problem_sweeps <= EARLY_SWEEPS_MAX)
		w->net->schedule.next_sweep = monotime_min(w->net->schedule.next_sweep, soon);
}

static void
begin_configuring(struct sweep *w)
{
	w->election->ha.act_count++;
	if (!w->history.led)
		log_line(w->net->log, LOG_NOTE, "ha", "Entering MASTER state");
	early_serve(w);
	/* Only a master needs the forwarding tables. */
	w->read.lfts = lft_reader_new(w->fresh, subnet_mkeys(w->net));
	w->read.expected = w->read.lfts && w->net->served.early && !w->history.led &&
		sa_early_expect(w->net->served.early, w->fresh);
	if (w->read.expected)
		lft_reader_expect(w->read.lfts);
	if (w->read.lfts && !w->read.expected)
		sweep_set_state(w, SWEEP_READ_LFTS);
	else
		steps_begin(w, STEP_LOOK);
}

static void
on_sealed(struct sweep *w, struct sweep_job *j)
{
	const char *why;

	w->fresh = j->sealed;
	w->observed = w->fresh ? observed_new(w->fresh, &w->net->tables) : NULL;
	j->sealed = NULL;
	early_take(w, j);
	sweep_phase_end(w, PHASE_DISCOVER);
	why = w->cur.targeted ? targeted_contradiction(w->fresh) : NULL;
	if (why) {
		sweep_widen(w, why);
		return;
	}
	if (j->err < 0) {
		log_line(w->net->log, LOG_ERROR, "sweep", "our own port does not answer");
		finish_without_fabric(w);
		return;
	}
	if (!w->fresh->nlinks) {
		finish_without_fabric(w);
		return;
	}
	if (subnet_is_master(w->net))
		probes_swept(w->watch->probes, w->net, w->fresh, w->cur.started);
	/* Discovery numbers nodes as it finds them, the snapshot in the order of GUIDs. */
	txn_targets_reset(w->net->txn);
	election_ask(w->election, w->net, w->fresh);
	sweep_set_state(w, SWEEP_ELECT);
}

/* Another sweep follows at once, which reads all tables. */
static void
begin_again(struct sweep *w)
{
	w->net->other_master = w->net->now;
	sweep_abandon(w);
	sweep_set_state(w, SWEEP_IDLE);
	schedule_want(w->net, "another master has configured ports");
}

/* The sweep continues if we are master, otherwise it ends. */
static void
decide_election(struct sweep *w)
{
	switch (election_decide(w->election, w->net, w->fresh)) {
	case HA_CONFIGURE:
		if (w->history.led && !sweep_is_unsure(w) &&
			other_master_seen(w->fresh, &w->net->served))
			begin_again(w);
		else
			begin_configuring(w);
		break;
	case HA_HAND_OVER:
		election_hand_over(w->election, w->net);
		election_stand_by(w->election, w->net);
		sweep_stop_leading(w);
		break;
	case HA_STAND_BY:
		election_stand_by(w->election, w->net);
		sweep_stop_leading(w);
		break;
	case HA_NOTHING:
	case HA_SWEEP:
	case HA_POLL:
		sweep_finish_looking(w);
		break;
	}
}

static void
on_looked(struct sweep *w, struct sweep_job *j)
{
	w->isolated = j->look.isolated;
	w->nisolated = j->look.nisolated;
	j->look.isolated = NULL;
	if (w->cur.targeted && w->nisolated) {
		sweep_widen(w, "nodes are cut off");
		return;
	}
	if (w->fresh->ports[w->fresh->sm_port].num &&
		w->fresh->ports[w->fresh->sm_port].peer == FAB_NONE) {
		/* The node at the other end of our link does not answer the required requests. */
		finish_without_fabric(w);
		return;
	}
	vl_tables_take(&w->read.vl, w->observed, &j->look);
	if (!j->look.nasks) {
		sweep_set_state(w, SWEEP_READ_QOS);
		return;
	}
	/* If partitions must be preserved, more tables are read than in discovery. */
	w->read.pkeys =
		pkey_reader_new(w->fresh, j->look.asks, j->look.nasks, subnet_mkeys(w->net));
	sweep_set_state(w, SWEEP_READ_PKEYS);
}

/* The time of reading counts as discovery. */
static void
reading_ended(struct sweep *w)
{
	sweep_phase_add(w, PHASE_DISCOVER);
}

static void
begin_plan(struct sweep *w)
{
	grace_look(w->registry, w->fresh);
	steps_begin(w, STEP_PLAN);
}

/*
 * A new master takes over the multicast trees of the switches; then the plan is made.
 */
static void
read_mfts(struct sweep *w)
{
	w->read.mfts = w->history.led ? NULL : grace_reader(w->registry, w->net, w->fresh);
	if (w->read.mfts) {
		sweep_set_state(w, SWEEP_READ_MFTS);
		return;
	}
	if (!w->history.led)
		grace_found(w->registry, w->net, w->fresh, NULL);
	begin_plan(w);
}

/* A new master takes over the alias GUIDs of the ports. */
static void
read_guids(struct sweep *w)
{
	w->read.guids = w->history.led ? NULL : aliases_reader(w->net, w->fresh);
	if (w->read.guids)
		sweep_set_state(w, SWEEP_READ_GUIDS);
	else
		read_mfts(w);
}

/* Logs how forwarding tables are written that packets use meanwhile. */
static void
log_order(const struct sweep *w, const struct order_report *r)
{
	char channels[ORDER_CYCLE_MAX * 32] = "";
	size_t n = 0;

	log_line(w->net->log, LOG_DETAIL, "sweep",
		"%u writes of forwarding tables in %u waves, %u of them a second write; %u cycles "
		"of old and new tables, %llu entries wait for drain times (%u in a row), %llu drop "
		"meanwhile",
		r->writes, r->waves, r->double_writes, r->mixed_cycles,
		(unsigned long long)r->drained, r->drains, (unsigned long long)r->dropped);
	if (!r->unsafe)
		return;
	for (uint32_t i = 0; i < r->ncycle && i < ORDER_CYCLE_MAX; i++) {
		const struct fab_port *p = &w->fresh->ports[r->cycle[i]];

		n += (size_t)snprintf(channels + n, sizeof(channels) - n, " 0x%016llx[%u]",
			(unsigned long long)w->fresh->nodes[p->node].guid, p->num);
	}
	log_line(w->net->log, LOG_WARN, "route",
		"no order of writes is safe: packets that follow old and new tables may wait for "
		"each other until they are dropped; cycle of channels into%s",
		channels);
}

static void
on_diffed(struct sweep *w, struct sweep_job *j)
{
	w->changes = j->changes;
	memset(&j->changes, 0, sizeof(j->changes));
	diff_registered(w->observed, w->plan, &w->changes);
	w->cur.changes = w->changes.total;
	sweep_phase_end(w, PHASE_DIFF);
	log_line(w->net->log, LOG_DETAIL, "sweep", "%llu changes",
		(unsigned long long)w->changes.total);
	if (w->changes.ordered)
		w->cur.order = w->changes.ordered->order.report;
	mixture_report(&w->cur.mixture, &w->cur.order);
	if (w->changes.ordered || w->cur.order.unsafe)
		log_order(w, &w->cur.order);
	w->apply = apply_new(w->observed, w->plan, &w->changes, subnet_mkeys(w->net), w->net->log);
	w->apply_phase = apply_phase(w->apply);
	sweep_set_state(w, SWEEP_APPLY);
}

static void
on_planned(struct sweep *w, struct sweep_job *j)
{
	planner_log(w->net, j, &w->last.chain, &w->history.limited_logged);
	if (j->err < 0) {
		log_line(w->net->log, LOG_ERROR, "plan", "%s", w->cur.refusal);
		sweep_finish(w, OUTCOME_REFUSED, NULL);
		return;
	}
	topology_take(&w->history.topology, w->net, &j->topology);
	w->history.kept = j->kept;
	j->kept = (struct kept_state){ .engine = NULL };
	renumber_note(&w->renumbered, w->net, w->fresh, &w->cur.lid, &w->last.lid);
	w->plan = j->plan;
	j->plan = NULL;
	vl_tables_planned(w->observed, w->plan);
	aliases_plan(w->registry, w->net, w->fresh);
	groups_plan(w->registry, w->net, w->plan, &j->trees);
	sweep_phase_begin(w);
	if (j->diffed)
		on_diffed(w, j);
	else
		steps_begin(w, STEP_DIFF);
}

static void
on_indexed(struct sweep *w, struct sweep_job *j)
{
	bool first = !w->history.led;

	store_lids(w, j);
	moves_log(w->net->log, &w->cur);
	moves_keep(&w->history.moves, &w->cur, w->history.sweeps + 1, w->net->now);
	if (w->release.by_this_sweep) {
		release_end(w);
		return;
	}
	w->history.led = true;
	early_forget(w);
	w->lids.reassign = false;
	missing_swept(w->watch->missing, j->made.roster,
		&(struct missing_sweep){ w->fresh, w->watch->flaps, w->net->now, w->net->log });
	j->made.roster = NULL;
	sweep_finish(w, OUTCOME_UP, j);
	port_keys_log(w->net, &w->history.keys_logged);
	election_note_standbys(w->election, w->net);
	election_watch_rivals(w->election, w->net);
	if (!first)
		return;
	grace_begin(w->registry, w->net);
	log_line(w->net->log, LOG_NOTE, "sweep",
		"SUBNET UP: %u switches, %u host ports, %u links, engine %s",
		w->net->served.s->nswitches, w->net->served.s->nhosts, w->net->served.s->nlinks,
		w->last.route.engine);
	/*
	 * A change after a switch was read and before we cleared its PortStateChange was not
	 * reported to us, because we were not master yet.
	 */
	schedule_look_again(w->net, "look once more after the first");
}

/* A job has computed a step: continues with the next one. */
static void
on_step_end(struct sweep *w, struct sweep_job *j)
{
	switch (j->step) {
	case STEP_SEAL:
		on_sealed(w, j);
		break;
	case STEP_LOOK:
		on_looked(w, j);
		break;
	case STEP_PLAN:
		on_planned(w, j);
		break;
	case STEP_DIFF:
		on_diffed(w, j);
		break;
	case STEP_INDEX:
		on_indexed(w, j);
		break;
	}
}

/* Asks for forwarding tables, also while something else of the sweep goes on. */
static void
ask_for_lfts(struct sweep *w)
{
	struct txn_req r;

	while (txn_pending(w->net->txn) < subnet_pending_max(w->net) &&
		lft_reader_next(w->read.lfts, &r))
		subnet_submit(w->net, &r, OWN_LFT);
}

static void
lfts_are_read(struct sweep *w)
{
	lft_reader_free(w->read.lfts);
	w->read.lfts = NULL;
	w->read.expected = w->read.plan_waits = false;
	reading_ended(w);
}

/*
 * A plan was made with the tables that were stored.  It is good if the switches have these; nothing
 * is written before all of them were read; one that has another ends the wait.  True: it waits, or
 * the sweep has begun again.
 */
static bool
plan_must_wait(struct sweep *w)
{
	if (w->job->step != STEP_PLAN || !w->read.expected)
		return false;
	if (!w->read.plan_waits)
		sweep_phase_begin(w);           /* only this time counts as reading */
	w->read.plan_waits = true;
	if (!lft_reader_done(w->read.lfts) && !lft_reader_contradicts(w->read.lfts))
		return true;
	if (lft_reader_confirms(w->read.lfts)) {
		lfts_are_read(w);
		return false;
	}
	sweep_do_without_stored(w);
	return true;
}

static void
pump_work(struct sweep *w)
{
	struct sweep_job *j;

	if (!w->job->ended || plan_must_wait(w))
		return;
	j = steps_take(w);
	on_step_end(w, j);
	steps_drop(j);
}

static void
pump_discover(struct sweep *w)
{
	struct txn_req r;

	if (!sweep_discover_continues(w))
		return;
	if (loss_has_expired(&w->loss, w->net->txn)) {
		discover_hurry(w->discover);
		loss_adapt(&w->loss, w->net, false);
	}
	while (txn_pending(w->net->txn) < subnet_pending_max(w->net) &&
		discover_next(w->discover, &r))
		subnet_submit(w->net, &r, OWN_DISCOVER);
	if (discover_done(w->discover))
		steps_begin(w, STEP_SEAL);
}

static void
pump_light(struct sweep *w)
{
	if (!light_pump(&w->watch->light, w->net, w->election))
		return;
	election_note_standbys(w->election, w->net);
	sweep_schedule(w);
	light_finish(&w->watch->light, w->net, w->election);
}

static void
pump_lfts(struct sweep *w)
{
	ask_for_lfts(w);
	if (!lft_reader_done(w->read.lfts))
		return;
	lft_reader_take(w->read.lfts, w->fresh);
	lfts_are_read(w);
	steps_begin(w, STEP_LOOK);
}

static void
pump_pkeys(struct sweep *w)
{
	struct txn_req r;

	while (txn_pending(w->net->txn) < subnet_pending_max(w->net) &&
		pkey_reader_next(w->read.pkeys, &r))
		subnet_submit(w->net, &r, OWN_PKEYS);
	if (!pkey_reader_done(w->read.pkeys))
		return;
	pkey_reader_free(w->read.pkeys);
	w->read.pkeys = NULL;
	reading_ended(w);
	sweep_set_state(w, SWEEP_READ_QOS);
}

static void
pump_vl_tables(struct sweep *w)
{
	if (!vl_tables_pump(&w->read.vl, w->net))
		return;
	reading_ended(w);
	read_guids(w);
}

static void
pump_guids(struct sweep *w)
{
	const struct guid_row *rows;
	struct txn_req r;
	uint32_t n;

	while (txn_pending(w->net->txn) < subnet_pending_max(w->net) &&
		guid_reader_next(w->read.guids, &r))
		subnet_submit(w->net, &r, OWN_PKEYS);
	if (!guid_reader_done(w->read.guids))
		return;
	rows = guid_reader_rows(w->read.guids, &n);
	aliases_found(w->registry, w->net, w->fresh, rows, n);
	guid_reader_free(w->read.guids);
	w->read.guids = NULL;
	reading_ended(w);
	read_mfts(w);
}

static void
pump_mfts(struct sweep *w)
{
	struct txn_req r;

	while (txn_pending(w->net->txn) < subnet_pending_max(w->net) &&
		mft_reader_next(w->read.mfts, &r))
		subnet_submit(w->net, &r, OWN_PKEYS);
	if (!mft_reader_done(w->read.mfts))
		return;
	grace_found(w->registry, w->net, w->fresh, w->read.mfts);
	mft_reader_free(w->read.mfts);
	w->read.mfts = NULL;
	reading_ended(w);
	begin_plan(w);
}

static void
time_apply_phases(struct sweep *w)
{
	int64_t t = subnet_clock_us(w->net);
	enum change_phase p = apply_phase(w->apply);

	while (w->apply_phase < p) {
		w->cur.apply_us[w->apply_phase++] += t - w->phase_began.us;
		w->cur.phase_us[PHASE_APPLY] += t - w->phase_began.us;
		w->phase_began.us = t;
	}
}

/*
 * A switch did not take tables of lanes, and nothing else was written.  What is served stays; the
 * next sweep tries again, or uses another engine if the switch refused.
 */
static void
stop_applying(struct sweep *w)
{
	struct monotime soon =
		monotime_add_us(w->net->now, (int64_t)w->net->conf->sweep_holddown_ms * 1000);

	snprintf(w->cur.refusal, sizeof(w->cur.refusal),
		"engine %s: SL-to-VL or VL arbitration tables could not be written: the routes stay "
		"as they are",
		w->plan->engine);
	log_line(w->net->log, LOG_ERROR, "apply", "%s", w->cur.refusal);
	sweep_finish(w, OUTCOME_REFUSED, NULL);
	w->net->schedule.next_sweep = monotime_min(w->net->schedule.next_sweep, soon);
}

static void
on_applied(struct sweep *w)
{
	lanes_note_faults(&w->history.faults, w->apply, w->fresh, w->net->conf_age);
	if (apply_stopped(w->apply)) {
		stop_applying(w);
		return;
	}
	w->history.lanes_used |= w->plan->fwd.lanes != NULL;
	steps_begin(w, STEP_INDEX);
}

static void
pump_apply(struct sweep *w)
{
	struct txn_req r;

	loss_adapt(&w->loss, w->net, false);
	apply_set_time(w->apply, w->net->now);
	while (txn_pending(w->net->txn) < subnet_pending_max(w->net) && apply_next(w->apply, &r))
		subnet_submit(w->net, &r, OWN_APPLY);
	time_apply_phases(w);
	if (apply_done(w->apply))
		on_applied(w);
}

static void
pump_election(struct sweep *w)
{
	if (election_open(w->election))
		return;
	sweep_phase_end(w, PHASE_ELECT);
	decide_election(w);
}

static void
pump_idle(struct sweep *w)
{
	(void)w;
}

void
sweep_pump_state(struct sweep *w)
{
	static void (*const pump[SWEEP_STATE_COUNT])(struct sweep *) = {
		[SWEEP_IDLE] = pump_idle,
		[SWEEP_LIGHT] = pump_light,
		[SWEEP_DISCOVER] = pump_discover,
		[SWEEP_ELECT] = pump_election,
		[SWEEP_READ_LFTS] = pump_lfts,
		[SWEEP_READ_PKEYS] = pump_pkeys,
		[SWEEP_READ_QOS] = pump_vl_tables,
		[SWEEP_READ_GUIDS] = pump_guids,
		[SWEEP_READ_MFTS] = pump_mfts,
		[SWEEP_APPLY] = pump_apply,
		[SWEEP_WORK] = pump_work,
	};

	pump[w->state](w);
	if (w->read.expected)           /* behind what the state itself asks */
		ask_for_lfts(w);
}
