/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * manager.c - life of the manager, dispatch of what comes in, time.
 * Room: sm/daemon.  In: datagrams, time, configuration.  Out: datagrams, deadlines.
 * Promise: every turn ends; nothing waits for one node.
 */
#include <config.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

/* A request has been on the wire longer than all its tries may take together, and this much more. */
#define UNHEALTHY_SLACK_US 5000000
#define JOB_US_MAX 300000000            /* the largest subnet takes seconds */
#define GROUPS_TAKEN_US 100000          /* the rows of all groups are handed out no oftener */
#define STOPPED_US 2000000              /* and a few tries: nobody called us for so long */

/* Without a runner each job runs at once. */
static void
run_job_here(void *arg, struct job *j)
{
	struct manager *m = arg;

	j->run(j);
	manager_job_done(m, j, m->net.now);
}

struct manager *
manager_new(const struct manager_conf *c)
{
	struct manager *m = xcalloc(1, sizeof(*m));
	struct txn_conf t;

	m->net = (struct subnet){
		.conf = c->conf, .port = c->port, .port_keys = c->mkeys, .log = c->log, .log_limit = log_limit_new(),
		.clock = c->clock, .clock_arg = c->clock_arg, .run_job = c->run_job ? c->run_job : run_job_here,
		.job_arg = c->run_job ? c->job_arg : m, .role = &m->election.ha.state,
	};
	schedule_init(&m->net.schedule);
	m->reassign = m->net.conf->reassign_lids;
	m->nlids = c->nlids;
	m->lids = m->nlids ? xmemdup(c->lids, m->nlids * sizeof(*m->lids)) : NULL;
	m->mgids = mgid_map_new(c->groups, c->ngroups);
	m->tries = UINT_MAX;            /* room for the widest windows */
	t = loss_txn_conf(m);
	t.tries = 1;
	m->net.txn = txn_new(&t);
	m->tries = 0;
	t = loss_txn_conf(m);
	txn_set_conf(m->net.txn, &t);
	election_init(&m->election, &m->net);
	groups_reset(m);
	aliases_reset(m);
	m->mgids_taken = (struct monotime){ INT64_MIN / 2 };
	m->sa_limit = sa_limit_new();
	m->sa_queue = sa_queue_new();
	connections_begin(m, c);
	watch_init(&m->watch);
	m->answers_left = m->busy_left = MANAGER_ANSWERS_MAX;
	schedule_want(&m->net, "start");
	return m;
}

void
manager_free(struct manager *m)
{
	if (!m)
		return;
	sweep_abandon(m);
	txn_free(m->net.txn);
	groups_free(m);
	aliases_free(m);
	connections_free(m);
	watch_free(&m->watch);
	log_limit_free(m->net.log_limit);
	sa_limit_free(m->sa_limit);
	sa_queue_free(m->sa_queue);
	documents_forget(m);
	paths_forget(m);
	subnet_retire(&m->net, (struct retired){ .s = m->net.served.s, .p = m->net.served.plan, .x = m->net.served.sa, .q = m->net.served.qos });
	free(m->net.served.lft_unknown);
	report_result_clear(&m->last);
	free(m->lids);
	mgid_map_free(m->mgids);
	free(m->mgid_rows);
	outbox_free(&m->net.outbox);
	free(m);
}

struct dgram *
manager_room(struct manager *m)
{
	return sa_queue_room(m->sa_queue);
}

void
manager_receive(struct manager *m, struct dgram *d, struct monotime now)
{
	m->net.now = now;
	if (!connections_receive(m, d) && !txn_receive(m->net.txn, d, now) &&
	    (d->status == 0 || d->status == EMSGSIZE) && agent_receive(m, d))
		return;
	free(d->more);
}

void
manager_send_failed(struct manager *m, const struct dgram *d, int error, struct monotime now)
{
	m->net.now = now;
	if (dgram_method(d->mad) & METHOD_RESP || dgram_method(d->mad) == METHOD_TRAP_REPRESS ||
	    dgram_class(d->mad) == CLASS_CM)
		m->net.outbox.dropped++;
	else
		txn_send_failed(m->net.txn, d, error, now);
}

static void
take_ends(struct manager *m)
{
	struct txn_end e;

	while (txn_next_end(m->net.txn, &e)) {
		enum owner owner = (enum owner)(e.cookie >> OWN_SHIFT);

		if (e.kind == TXN_END_OK || e.kind == TXN_END_STATUS) {
			m->answered++;
			m->answered_tries += e.tries;
		}
		e.cookie &= OWN_MASK;
		sweep_end(m, &e, owner);
	}
}

static void
timers(struct manager *m)
{
	if (m->state != MAN_IDLE)
		return;
	if (release_without_sweep(m))
		return;
	if (monotime_reached(m->net.now, m->net.schedule.election)) {
		m->net.schedule.last_election = m->net.now;
		schedule_want(&m->net, "election");
	}
	if (m->net.schedule.want || monotime_reached(m->net.now, m->net.schedule.trap_sweep)) {
		sweep_start(m, m->net.schedule.why);
		return;
	}
	election_poll(&m->election, &m->net);
	if (monotime_reached(m->net.now, m->net.schedule.next_sweep))
		sweep_on_interval(m);
	if (m->state == MAN_IDLE)
		descriptions_ask(&m->watch.descriptions, &m->net);
}

/*
 * Stopped for so long (a signal, a suspended machine) that another manager may lead by now.  While nothing goes on we are
 * late when a light sweep is; otherwise something is always due within a try's time.
 */
static bool
was_stopped(const struct manager *m)
{
	int64_t limit_us = STOPPED_US + 4 * (int64_t)m->net.conf->transaction_timeout_ms * 1000;

	if (m->state != MAN_IDLE)
		return monotime_sub_us(m->net.now, m->last_tick) > limit_us;
	return subnet_is_master(&m->net) && m->net.schedule.next_sweep.us != INT64_MAX &&
		monotime_sub_us(m->net.now, m->net.schedule.next_sweep) > limit_us;
}

void
manager_start_over(struct manager *m)
{
	struct txn_end e;

	txn_cancel_all(m->net.txn);
	if (m->state != MAN_IDLE)
		sweep_abandon(m);
	m->state = MAN_IDLE;
	while (txn_next_end(m->net.txn, &e)) {
		enum owner owner = (enum owner)(e.cookie >> OWN_SHIFT);

		e.cookie &= OWN_MASK;
		if (owner == OWN_POLL || owner == OWN_DESC || owner == OWN_REPORT || owner == OWN_PORT_STATE || owner == OWN_PROBE)
			sweep_end(m, &e, owner);
	}
	groups_pause(m, true);
	aliases_pause(m, true);
}

/* The link of our own port has changed: nothing that is under way is worth waiting for without one. */
void
manager_on_own_port_end(struct manager *m, const struct txn_end *e)
{
	enum own_port_change c = own_port_on_end(&m->watch.own_port, &m->net, e);

	if (c == OWN_PORT_DOWN)
		manager_start_over(m);
	if (c != OWN_PORT_SAME)
		schedule_want(&m->net, c == OWN_PORT_UP ? "our own port has a link" : "our own port has no link");
}

void
manager_tick(struct manager *m, struct monotime now)
{
	m->net.now = now;
	if (was_stopped(m)) {
		log_line(m->net.log, LOG_WARN, "sweep", "this program stood still for a while: looking again before anything else");
		manager_start_over(m);
		schedule_want(&m->net, "stood still");
	}
	m->last_tick = now;
	m->answers_left = m->busy_left = MANAGER_ANSWERS_MAX;
	m->registered = false;
	log_limit_tick(m->net.log_limit, m->net.log, now);
	txn_tick(m->net.txn, now);
	do {
		take_ends(m);
		timers(m);
		own_port_pump(&m->watch.own_port, &m->net);
		sweep_pump(m);
		probes_pump(m->watch.probes, &m->net, m->state == MAN_IDLE);
		grace_pump(m);
		groups_pump(m);
		aliases_pump(m);
		notices_pump(m);
		connections_pump(m);
	} while (txn_ends_waiting(m->net.txn));
	if (m->net.clock)                 /* what we computed ourselves, a plan, is no standstill */
		m->last_tick = m->net.clock(m->net.clock_arg);
}

/* Answers that are there, our own requests, then answers to those who wait, each source in turn. */
bool
manager_next_send(struct manager *m, struct dgram *d, int *timeout_ms, struct monotime now)
{
	m->net.now = now;
	outbox_settle(&m->net.outbox);
	for (bool made;;) {
		if (outbox_next(&m->net.outbox, d)) {
			*timeout_ms = 0;
			return true;
		}
		d->more = NULL;
		if (connections_next_send(m, d)) {
			*timeout_ms = 0;        /* it has timers of its own */
			return true;
		}
		if (txn_next_send(m->net.txn, d, timeout_ms, now))
			return true;
		if (!m->answers_left || !agent_answer_next(m, d, &made))
			return false;
		if (made) {
			*timeout_ms = 0;
			outbox_sending(&m->net.outbox, d->more);
			return true;
		}
	}
}

bool
manager_answers_wait(const struct manager *m)
{
	return m->registered || sa_queue_count(m->sa_queue) > 0;
}

bool
manager_deadline(const struct manager *m, struct monotime *at)
{
	struct monotime t, best = MONOTIME_NEVER;

	if (txn_deadline(m->net.txn, &t))
		best = t;
	if (traps_deadline(m->trap_kinds, &t))
		best = monotime_min(best, t);
	if (log_limit_deadline(m->net.log_limit, &t))
		best = monotime_min(best, t);
	if (connections_deadline(m, &t))
		best = monotime_min(best, t);
	if (own_port_deadline(&m->watch.own_port, &t))
		best = monotime_min(best, t);
	if (probes_deadline(m->watch.probes, &m->net, m->state == MAN_IDLE, &t))
		best = monotime_min(best, t);
	if (grace_deadline(m, &t))
		best = monotime_min(best, t);
	if (mgid_map_has_changed(m->mgids))
		best = monotime_min(best, monotime_add_us(m->mgids_taken, GROUPS_TAKEN_US));
	if (manager_answers_wait(m) || notices_wait(m))
		best = m->net.now;
	if (m->state == MAN_IDLE) {
		if (m->net.schedule.want)
			best = m->net.now;
		best = monotime_min(best, m->net.schedule.next_sweep);
		best = monotime_min(best, m->net.schedule.trap_sweep);
		if (ha_deadline(&m->election.ha, &t))
			best = monotime_min(best, t);
		best = monotime_min(best, m->net.schedule.election);
	}
	if (m->state == MAN_WORK)       /* so that it shows if we are stopped */
		best = monotime_min(best, monotime_add_us(m->last_tick, STOPPED_US / 2));
	*at = best;
	return best.us != INT64_MAX;
}

void
manager_set_conf(struct manager *m, const struct conf *conf, struct monotime now)
{
	struct txn_conf t;

	m->net.conf = conf;
	m->net.conf_age++;
	t = loss_txn_conf(m);
	txn_set_conf(m->net.txn, &t);
	election_set_conf(&m->election, &m->net);
	groups_partitions(m);
	connections_set_conf(m);
	sweep_qos(m, m->net.served.qos);           /* it lives in the old configuration; where there was none, tables come first */
	manager_sweep(m, "configuration read again", now);
}

void
manager_sweep(struct manager *m, const char *why, struct monotime now)
{
	m->net.now = now;
	schedule_want(&m->net, why);
}

bool
manager_take_lids(struct manager *m, const struct lid_id **rows, uint32_t *n)
{
	bool changed = m->lids_changed;

	m->lids_changed = false;
	*rows = m->lids;
	*n = m->nlids;
	return changed;
}

bool
manager_take_groups(struct manager *m, bool last, const struct mgid_row **rows, uint32_t *n)
{
	if (!mgid_map_has_changed(m->mgids) ||
	    (!last && monotime_sub_us(m->net.now, m->mgids_taken) < GROUPS_TAKEN_US))
		return false;
	m->mgids_taken = m->net.now;
	free(m->mgid_rows);
	*rows = m->mgid_rows = mgid_map_rows(m->mgids, n);
	return true;
}

bool
manager_healthy(const struct manager *m, struct monotime now)
{
	struct monotime first;
	int64_t budget = (int64_t)m->net.conf->transaction_timeout_ms * 1000 * 2 * loss_tries(m);

	if (manager_works(m) && monotime_sub_us(now, m->job->given) > JOB_US_MAX)
		return false;
	if (!txn_oldest(m->net.txn, &first))
		return true;
	return monotime_sub_us(now, first) < budget + UNHEALTHY_SLACK_US;
}

enum manager_outcome
manager_outcome(const struct manager *m)
{
	return m->sweeps ? m->last.outcome : MANAGER_RUNNING;
}

uint64_t
manager_log_suppressed(const struct manager *m)
{
	return log_limit_suppressed(m->net.log_limit);
}

unsigned
manager_sweeps(const struct manager *m)
{
	return m->sweeps;
}
