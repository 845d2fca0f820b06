/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweep.c - from "look" to "as planned": discovery, planning, applying; elect.c decides whether it gets beyond discovery.
 * Room: sm/daemon.  In: ends of transactions.  Out: requests; the served snapshot and plan.
 *
 *      start -> DISCOVER -> (seal) -> ELECT -> (look) [-> READ_PKEYS] -> READ_QOS [-> READ_GUIDS -> READ_MFTS]
 *            -> (plan) -> (diff) -> APPLY -> (index) -> finish
 *
 * In round brackets: MAN_WORK, computed by a job (steps.c) while the manager goes on.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define LOSSY_SWEEPS_MAX 5              /* in a row, early ones, while much is lost */

/* ---- what an earlier sweep wrote need not be read again ---- */

static const uint8_t *
remembered_lft(void *arg, uint64_t guid, uint16_t top, uint32_t *blocks)
{
	const struct manager *m = arg;
	uint32_t n, sw;

	if (!m->net.served.s || !m->net.served.plan || m->net.served.unsure)
		return NULL;
	n = snapshot_node_by_guid(m->net.served.s, guid);
	if (n == FAB_NONE || (sw = m->net.served.s->nodes[n].sw) == FAB_NONE || top != m->net.served.plan->fwd.top ||
	    bits_test(m->net.served.lft_unknown, sw))
		return NULL;
	*blocks = top / 64 + 1u;
	return fwd_row(&m->net.served.plan->fwd, sw);
}

static enum discover_extended
known_extended(void *arg, uint64_t guid)
{
	const struct manager *m = arg;
	uint32_t n = m->net.served.s ? snapshot_node_by_guid(m->net.served.s, guid) : FAB_NONE;
	const struct fab_node *node;
	bool known = false;

	if (n == FAB_NONE)
		return DISCOVER_EXTENDED_UNKNOWN;
	node = &m->net.served.s->nodes[n];
	if (node->flags & FAB_NODE_NOT_EXTENDED)
		return DISCOVER_EXTENDED_REFUSED;
	for (uint32_t p = node->first_port; p <= node->first_port + node->nports; p++) {
		if (snapshot_port_modifier(m->net.served.s, p) & PORT_INFO_EXTENDED_SPEEDS)
			return DISCOVER_EXTENDED_YES;
		known |= m->net.served.s->ports[p].flags & FAB_PORT_INFO;
	}
	return known ? DISCOVER_EXTENDED_NO : DISCOVER_EXTENDED_UNKNOWN;
}

static void
phase_begin(struct manager *m)
{
	m->phase_began.us = subnet_clock_us(&m->net);
}

static void
phase_end(struct manager *m, enum manager_phase p)
{
	int64_t t = subnet_clock_us(&m->net);

	m->cur.phase_us[p] = t - m->phase_began.us;
	m->phase_began.us = t;
}

void
sweep_start(struct manager *m, const char *why)
{
	struct discover_conf c = {
		.want_desc = true, .want_pkeys = true, .want_ports = true, .want_lft = true,
		.mkeys = subnet_mkeys(&m->net), .target_base = TARGET_NODES, .remembered_lft = remembered_lft, .known_extended = known_extended,
		.arg = m, .one_per_guid = true, .before = m->net.served.s,
	};
	struct discover_place *silent;

	log_line(m->net.log, LOG_DETAIL, "sweep", "whole sweep: %s", why);
	schedule_begun(&m->net);
	m->watch.light.since = 0;
	m->releasing = m->release == RELEASE_ASKED;
	memset(&m->cur, 0, sizeof(m->cur));
	m->cur.started = m->net.now;
	snprintf(m->cur.why, sizeof(m->cur.why), "%s", why);
	phase_begin(m);
	txn_targets_reset(m->net.txn);
	loss_begin(m);
	c.nknown = missing_silent(m->watch.missing, &silent);
	c.known = silent;
	m->discover = discover_new(&c, m->net.log);
	free(silent);
	m->state = MAN_DISCOVER;
}

/* The configured interval is over. */
void
sweep_on_interval(struct manager *m)
{
	m->net.schedule.next_sweep = MONOTIME_NEVER;
	if (light_is_not_enough(&m->watch.light, &m->net, m->problem_sweeps)) {
		sweep_start(m, m->problem_sweeps ? "something was left unconfigured" : "interval");
		return;
	}
	light_begin(&m->watch.light, &m->net, &m->election);
	m->state = MAN_LIGHT;
}

void
sweep_abandon(struct manager *m)
{
	steps_abandon(m);
	discover_free(m->discover);
	m->discover = NULL;
	lanes_abandon(m);
	if (m->apply && m->fresh_plan)
		m->net.served.unsure = true;
	apply_free(m->apply);
	m->apply = NULL;
	pkey_reader_free(m->pkeys);
	m->pkeys = NULL;
	if (m->guids)                   /* its questions borrow its routes */
		subnet_cancel(&m->net, OWN_PKEYS);
	guid_reader_free(m->guids);
	m->guids = NULL;
	if (m->mfts)                    /* likewise */
		subnet_cancel(&m->net, OWN_PKEYS);
	mft_reader_free(m->mfts);
	m->mfts = NULL;
	changes_clear(&m->changes);
	subnet_retire(&m->net, (struct retired){ .s = m->fresh, .p = m->fresh_plan });
	m->fresh = NULL;
	m->fresh_plan = NULL;
	free(m->isolated);
	m->isolated = NULL;
	m->nisolated = 0;
	report_result_clear(&m->cur);
}

/* When the next sweep is due.  Ports whose keys have a lease must hear from us in less than half of it. */
void
sweep_schedule(struct manager *m)
{
	int64_t interval_us = (int64_t)m->net.conf->sweep_interval_s * 1000000;
	int64_t lease_us = leases_interval_us(&m->net);

	if (lease_us && (!interval_us || interval_us > lease_us))
		interval_us = lease_us;
	m->net.schedule.next_sweep = interval_us ? monotime_add_us(m->net.now, interval_us) : MONOTIME_NEVER;
	m->state = MAN_IDLE;
}

static void
keep_lids(struct manager *m, struct sweep_job *j)
{
	if (j->nlids == m->nlids && (!j->nlids || !memcmp(j->lids, m->lids, j->nlids * sizeof(*m->lids))))
		return;
	free(m->lids);
	m->lids = j->lids;
	m->nlids = j->nlids;
	j->lids = NULL;
	m->lids_changed = true;
}

/* The tables of the fresh snapshot's switches are the plan's now; what an older plan held goes away with it. */
static void
adopt_tables(struct manager *m, uint64_t *unknown)
{
	for (uint32_t sw = 0; sw < m->fresh->nswitches; sw++) {
		struct fab_node *n = &m->fresh->nodes[m->fresh->switches[sw]];
		bool known = m->fresh_plan && !bits_test(unknown, sw);

		n->lft = known ? fwd_row(&m->fresh_plan->fwd, sw) : NULL;
		n->lft_blocks = known ? m->fresh_plan->fwd.top / 64 + 1u : 0;
	}
}

void
sweep_qos(struct manager *m, bool on)
{
	struct qos_groups *fresh = NULL;

	if (on && m->net.conf->qos && m->net.served.plan)
		fresh = qos_groups_new(m->net.served.s, &m->net.served.plan->pkeys, m->net.conf->partitions, m->net.conf->qos_policy);
	paths_forget(m);
	if (m->net.served.sa)
		sa_index_set_qos(m->net.served.sa, fresh);
	subnet_retire(&m->net, (struct retired){ .q = m->net.served.qos });
	m->net.served.qos = fresh;
}

/* The levels that came with the index, unless there is another configuration by now. */
static void
take_qos(struct manager *m, struct sweep_job *j)
{
	if (j->conf_age != m->net.conf_age) {
		sweep_qos(m, true);
		return;
	}
	subnet_retire(&m->net, (struct retired){ .q = m->net.served.qos });
	m->net.served.qos = j->qos;
	j->qos = NULL;
}

/* Answers come from the plan that has just been applied, and its index, which 'j' brings; NULL: there is none, and no answer. */
static void
serve(struct manager *m, struct sweep_job *j)
{
	uint64_t *unknown = xcalloc(BITS_WORDS(m->fresh->nswitches) + 1, sizeof(*unknown));
	struct snapshot *old = m->net.served.s;
	struct plan *old_plan = m->net.served.plan;
	struct sa_index *old_index;

	for (uint32_t sw = 0; sw < m->fresh->nswitches; sw++)
		if (m->apply && !apply_lft_known(m->apply, sw))
			bits_set(unknown, sw);
	adopt_tables(m, unknown);
	groups_swap(m);
	aliases_swap(m);
	subnet_cancel(&m->net, OWN_LIGHT);
	paths_forget(m);
	old_index = m->net.served.sa;
	m->net.served.sa = j ? j->index : NULL;
	if (j)
		j->index = NULL;
	free(m->net.served.lft_unknown);
	m->net.served.s = m->fresh;
	m->net.served.plan = m->fresh_plan;
	m->net.served.lft_unknown = unknown;
	m->net.served.unsure = false;
	m->fresh = NULL;
	m->fresh_plan = NULL;
	if (m->net.served.plan) {
		aliases_swept(m);
		groups_swept(m);
		take_qos(m, j);
		groups_judge(m, &j->trees);
		connections_register(m);
	}
	if (m->net.served.plan && old_plan)
		notices_gone(m, old, &old_plan->lids);
	subnet_retire(&m->net, (struct retired){ .s = old, .p = old_plan, .x = old_index });
}

void
sweep_finish(struct manager *m, enum manager_outcome outcome, struct sweep_job *j)
{
	bool trouble;

	m->cur.outcome = outcome;
	m->cur.ended = m->net.now;
	own_port_swept(&m->watch.own_port, &m->net, m->fresh);
	if (m->fresh) {
		report_failures(m);
		if (!j && !m->cur.verify_doc)           /* else the last step counted */
			report_counts(m->fresh, &m->cur);
	}
	if (outcome == MANAGER_UP && (m->cur.nfailed || m->cur.counts.active != m->cur.counts.linked))
		m->cur.outcome = MANAGER_PARTIAL;
	if (m->fresh && outcome != MANAGER_REFUSED) {
		serve(m, j);
		leases_swept(&m->watch.light.leases, m->cur.started);
	}
	groups_pause(m, false);
	aliases_pause(m, false);
	problems_log(m);
	report_result_clear(&m->last);
	m->last = m->cur;
	memset(&m->cur, 0, sizeof(m->cur));
	sweep_abandon(m);
	m->sweeps++;
	trouble = m->last.outcome == MANAGER_PARTIAL || m->last.outcome == MANAGER_REFUSED ||
		m->last.outcome == MANAGER_NO_FABRIC;
	m->problem_sweeps = trouble ? m->problem_sweeps + 1 : 0;
	sweep_schedule(m);
	loss_adapt(m);
	/* What was lost on the way was no node's fault: there is no reason to wait before it is tried again. */
	if (loss_measured(m) && m->last.outcome == MANAGER_PARTIAL && m->problem_sweeps <= LOSSY_SWEEPS_MAX)
		schedule_look_again(&m->net, "much was lost on the way");
}

/* ---- planning and applying ---- */

static void
diffed(struct manager *m, struct sweep_job *j)
{
	m->changes = j->changes;
	memset(&j->changes, 0, sizeof(j->changes));
	diff_all_groups(m->fresh, m->fresh_plan, &m->changes);
	diff_all_guids(m->fresh, m->fresh_plan, &m->changes);
	m->cur.changes = m->changes.total;
	phase_end(m, PHASE_DIFF);
	log_line(m->net.log, LOG_DETAIL, "sweep", "%llu changes", (unsigned long long)m->changes.total);
	m->apply = apply_new(m->fresh, m->fresh_plan, &m->changes, subnet_mkeys(&m->net), m->net.log);
	m->apply_phase = apply_phase(m->apply);
	m->state = MAN_APPLY;
}

static void
begin_plan(struct manager *m)
{
	grace_look(m);
	steps_begin(m, STEP_PLAN);
}

/* Whoever begins to lead takes over the multicast trees that switches have; then the plan is made. */
static void
read_mfts(struct manager *m)
{
	m->mfts = m->led ? NULL : grace_reader(m);
	if (m->mfts) {
		m->state = MAN_READ_MFTS;
		return;
	}
	if (!m->led)
		grace_found(m, NULL);
	begin_plan(m);
}

/* And the alias GUIDs that ports have. */
static void
read_guids(struct manager *m)
{
	m->guids = aliases_reader(m);
	if (m->guids)
		m->state = MAN_READ_GUIDS;
	else
		read_mfts(m);
}

static void
planned(struct manager *m, struct sweep_job *j)
{
	planner_log(m, j);
	if (j->err < 0) {
		log_line(m->net.log, LOG_ERROR, "plan", "%s", m->cur.refusal);
		sweep_finish(m, MANAGER_REFUSED, NULL);
		return;
	}
	renumber_note(m, m->fresh, &m->cur.lid);
	m->fresh_plan = j->plan;
	j->plan = NULL;
	lanes_planned(m);
	aliases_plan(m);
	groups_plan(m, &j->trees);
	phase_begin(m);
	steps_begin(m, STEP_DIFF);
}

void
sweep_configure(struct manager *m)
{
	m->election.ha.act_count++;
	if (!m->led)
		log_line(m->net.log, LOG_NOTE, "ha", "Entering MASTER state");
	steps_begin(m, STEP_LOOK);
}

/* Nobody is there to lead or to follow: who leads is settled anew when somebody is. */
static void
no_fabric(struct manager *m)
{
	struct monotime soon = monotime_add_us(m->net.now, (int64_t)m->net.conf->sweep_holddown_ms * 1000);

	ha_alone(&m->election.ha);
	sweep_finish(m, MANAGER_NO_FABRIC, NULL);
	if (m->watch.own_port.linked && m->problem_sweeps <= LOSSY_SWEEPS_MAX)     /* a request may have been lost, or the neighbour is starting */
		m->net.schedule.next_sweep = monotime_min(m->net.schedule.next_sweep, soon);
}

static void
looked(struct manager *m, struct sweep_job *j)
{
	m->isolated = j->isolated;
	m->nisolated = j->nisolated;
	j->isolated = NULL;
	if (m->fresh->ports[m->fresh->sm_port].num && m->fresh->ports[m->fresh->sm_port].peer == FAB_NONE) {
		no_fabric(m);           /* what our link leads to does not answer what must be known */
		return;
	}
	lanes_take(m, j);
	if (!j->nasks) {
		m->state = MAN_READ_QOS;
		return;
	}
	/* With partitions to keep, tables are read further than discovery goes. */
	m->pkeys = pkey_reader_new(m->fresh, j->asks, j->nasks, subnet_mkeys(&m->net));
	m->state = MAN_READ_PKEYS;
}

static void
apply_phases(struct manager *m)
{
	int64_t t = subnet_clock_us(&m->net);
	enum change_phase p = apply_phase(m->apply);

	while (m->apply_phase < p) {
		m->cur.apply_us[m->apply_phase++] += t - m->phase_began.us;
		m->cur.phase_us[PHASE_APPLY] += t - m->phase_began.us;
		m->phase_began.us = t;
	}
}

static void
indexed(struct manager *m, struct sweep_job *j)
{
	bool first = !m->led;

	keep_lids(m, j);
	if (m->releasing) {
		release_end(m);
		return;
	}
	m->led = true;
	m->reassign = false;
	missing_swept(m->watch.missing, j->roster, &(struct missing_sweep){ m->fresh, m->watch.flaps, m->net.now, m->net.log });
	j->roster = NULL;
	sweep_finish(m, MANAGER_UP, j);
	release_log_keys(m);
	election_note_standbys(&m->election, &m->net);
	election_watch_rivals(&m->election, &m->net);
	if (!first)
		return;
	grace_begin(m);
	log_line(m->net.log, LOG_NOTE, "sweep", "SUBNET UP: %u switches, %u host ports, %u links, engine %s",
		m->net.served.s->nswitches, m->net.served.s->nhosts, m->net.served.s->nlinks, m->last.route.engine);
	/* What changed after it was read and before we cleared PortStateChange was reported to nobody: we were no master. */
	schedule_look_again(&m->net, "look once more after the first");
}

/* ---- who leads ---- */

void
sweep_stop_leading(struct manager *m)
{
	m->led = false;
	watch_reset(&m->watch);
	standbys_reset(&m->election.standbys);
	aliases_reset(m);
	groups_reset(m);                /* hosts register with the one who leads */
	/* No tables of ours any more: the SA falls silent, and the next time we lead everything is read. */
	subnet_retire(&m->net, (struct retired){ .p = m->fresh_plan });
	m->fresh_plan = NULL;
	sweep_finish(m, MANAGER_STANDBY, NULL);
	m->net.schedule.next_sweep = m->net.schedule.trap_sweep = MONOTIME_NEVER;
}

/* Not active: look, and leave everything as it is. */
static void
look_only(struct manager *m)
{
	subnet_retire(&m->net, (struct retired){ .p = m->fresh_plan });
	m->fresh_plan = NULL;
	sweep_finish(m, MANAGER_STANDBY, NULL);
	m->net.schedule.next_sweep = MONOTIME_NEVER;
}

/* The sweep goes on if we lead, and ends if not. */
static void
elected(struct manager *m)
{
	switch (election_decide(&m->election, &m->net, m->fresh)) {
	case HA_CONFIGURE:
		sweep_configure(m);
		break;
	case HA_HAND_OVER:
		election_hand_over(&m->election, &m->net);
		election_stand_by(&m->election, &m->net);
		sweep_stop_leading(m);
		break;
	case HA_STAND_BY:
		election_stand_by(&m->election, &m->net);
		sweep_stop_leading(m);
		break;
	case HA_NOTHING:
	case HA_SWEEP:
	case HA_POLL:
		look_only(m);
		break;
	}
}

/* ---- the pump ---- */

static void
sealed(struct manager *m, struct sweep_job *j)
{
	m->fresh = j->sealed;
	j->sealed = NULL;
	phase_end(m, PHASE_DISCOVER);
	if (j->err < 0) {
		log_line(m->net.log, LOG_ERROR, "sweep", "our own port does not answer");
		no_fabric(m);
		return;
	}
	if (!m->fresh->nlinks) {
		no_fabric(m);
		return;
	}
	if (subnet_is_master(&m->net))
		probes_swept(m->watch.probes, &m->net, m->fresh, m->cur.started);
	txn_targets_reset(m->net.txn);      /* discovery counts nodes as it finds them, the snapshot by GUID */
	election_ask(&m->election, &m->net, m->fresh);
	m->state = MAN_ELECT;
}

/* What the step that was computed leads to. */
static void
stepped(struct manager *m, struct sweep_job *j)
{
	switch (j->step) {
	case STEP_SEAL:
		sealed(m, j);
		break;
	case STEP_LOOK:
		looked(m, j);
		break;
	case STEP_PLAN:
		planned(m, j);
		break;
	case STEP_DIFF:
		diffed(m, j);
		break;
	case STEP_INDEX:
		indexed(m, j);
		break;
	}
}

static void
pump_work(struct manager *m)
{
	struct sweep_job *j;

	if (!m->job->ended)
		return;
	j = steps_take(m);
	stepped(m, j);
	steps_drop(j);
}

static void
pump_discover(struct manager *m)
{
	struct txn_req r;

	if (txn_stats(m->net.txn)->tries_expired != m->tries_expired) {
		discover_hurry(m->discover);
		loss_adapt(m);
	}
	m->tries_expired = txn_stats(m->net.txn)->tries_expired;
	while (txn_pending(m->net.txn) < subnet_pending_max(&m->net) && discover_next(m->discover, &r))
		subnet_submit(&m->net, &r, OWN_DISCOVER);
	if (discover_done(m->discover))
		steps_begin(m, STEP_SEAL);
}

/* Reading belongs to discovery. */
static void
reading_ended(struct manager *m)
{
	int64_t t = subnet_clock_us(&m->net);

	m->cur.phase_us[PHASE_DISCOVER] += t - m->phase_began.us;
	m->phase_began.us = t;
}

static void
pump_pkeys(struct manager *m)
{
	struct txn_req r;

	while (txn_pending(m->net.txn) < subnet_pending_max(&m->net) && pkey_reader_next(m->pkeys, &r))
		subnet_submit(&m->net, &r, OWN_PKEYS);
	if (!pkey_reader_done(m->pkeys))
		return;
	pkey_reader_free(m->pkeys);
	m->pkeys = NULL;
	reading_ended(m);
	m->state = MAN_READ_QOS;
}

static void
pump_lanes(struct manager *m)
{
	if (!lanes_pump(m))
		return;
	reading_ended(m);
	read_guids(m);
}

static void
pump_guids(struct manager *m)
{
	const struct guid_row *rows;
	struct txn_req r;
	uint32_t n;

	while (txn_pending(m->net.txn) < subnet_pending_max(&m->net) && guid_reader_next(m->guids, &r))
		subnet_submit(&m->net, &r, OWN_PKEYS);
	if (!guid_reader_done(m->guids))
		return;
	rows = guid_reader_rows(m->guids, &n);
	aliases_found(m, rows, n);
	guid_reader_free(m->guids);
	m->guids = NULL;
	reading_ended(m);
	read_mfts(m);
}

static void
pump_mfts(struct manager *m)
{
	struct txn_req r;

	while (txn_pending(m->net.txn) < subnet_pending_max(&m->net) && mft_reader_next(m->mfts, &r))
		subnet_submit(&m->net, &r, OWN_PKEYS);
	if (!mft_reader_done(m->mfts))
		return;
	grace_found(m, m->mfts);
	mft_reader_free(m->mfts);
	m->mfts = NULL;
	reading_ended(m);
	begin_plan(m);
}

static void
pump_apply(struct manager *m)
{
	struct txn_req r;

	loss_adapt(m);
	while (txn_pending(m->net.txn) < subnet_pending_max(&m->net) && apply_next(m->apply, &r))
		subnet_submit(&m->net, &r, OWN_APPLY);
	apply_phases(m);
	if (apply_done(m->apply))
		steps_begin(m, STEP_INDEX);
}

static void
pump_light(struct manager *m)
{
	if (!light_pump(&m->watch.light, &m->net, &m->election))
		return;
	election_note_standbys(&m->election, &m->net);
	sweep_schedule(m);
	light_finish(&m->watch.light, &m->net, &m->election);
}

static void
pump_once(struct manager *m)
{
	switch (m->state) {
	case MAN_IDLE:
		break;
	case MAN_LIGHT:
		pump_light(m);
		break;
	case MAN_DISCOVER:
		pump_discover(m);
		break;
	case MAN_ELECT:
		if (!election_open(&m->election)) {
			phase_end(m, PHASE_ELECT);
			elected(m);
		}
		break;
	case MAN_READ_PKEYS:
		pump_pkeys(m);
		break;
	case MAN_READ_QOS:
		pump_lanes(m);
		break;
	case MAN_READ_GUIDS:
		pump_guids(m);
		break;
	case MAN_READ_MFTS:
		pump_mfts(m);
		break;
	case MAN_APPLY:
		pump_apply(m);
		break;
	case MAN_WORK:
		pump_work(m);
		break;
	}
}

void
sweep_pump(struct manager *m)
{
	enum manager_state was;

	do {
		was = m->state;
		pump_once(m);
	} while (m->state != was || (m->state == MAN_WORK && m->job->ended));
}

void
sweep_end(struct manager *m, const struct txn_end *e, enum owner owner)
{
	switch (owner) {
	case OWN_DISCOVER:
		if (m->discover)
			discover_end(m->discover, e);
		break;
	case OWN_REPORT:
		notices_end(m, e);
		break;
	case OWN_MFT:
		groups_end(m, e);
		break;
	case OWN_APPLY:
		if (m->apply)
			apply_end(m->apply, e);
		break;
	case OWN_GUIDS:
		aliases_end(m, e);
		break;
	case OWN_PKEYS:                 /* what is read before planning */
		if (m->pkeys)
			pkey_reader_end(m->pkeys, e);
		else if (m->guids)
			guid_reader_end(m->guids, e);
		else if (m->mfts)
			mft_reader_end(m->mfts, e);
		break;
	case OWN_QOS:
		lanes_end(m, e);
		break;
	case OWN_PROBE:
		probes_on_end(m->watch.probes, &m->net, e);
		break;
	case OWN_SMINFO:
		election_on_sminfo_end(&m->election, &m->net, e);
		break;
	case OWN_POLL:
		election_on_poll_end(&m->election, &m->net, e);
		break;
	case OWN_PORT_STATE:
		manager_on_own_port_end(m, e);
		break;
	case OWN_LIGHT:
		light_on_end(&m->watch.light, &m->net, e);
		break;
	case OWN_DESC:
		descriptions_on_end(&m->watch.descriptions, &m->net, e);
		if (!documents_open(m))
			descriptions_keep(&m->watch.descriptions, &m->net);
		break;
	case OWN_HANDOVER:
		election_on_handover_end(&m->election, &m->net, e);
		break;
	}
}
