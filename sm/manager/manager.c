/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * manager.c - creates and frees a manager, and runs its turns.
 * Room: sm/manager.  In: datagrams, time, configuration.  Out: datagrams, deadlines.
 * Promise: every turn ends; nothing waits for one node.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include "sm/conf/conf.h"
#include "sm/manager/manager_int.h"
#include "sm/plan/plan.h"
#include "sm/registry/groups.h"
#include "sm/sweep/early.h"
#include "sm/sweep/release.h"
#include "util/xalloc.h"

#define STOPPED_US 2000000              /* and a few tries: nobody called us for so long */

/* Without a runner each job runs at once. */
static void
run_job_here(void *arg, struct job *j)
{
	struct manager *m = arg;

	j->run(j);
	manager_job_done(m, j, m->net.now);
}

static struct subnet
subnet_of(struct manager *m, const struct manager_conf *c)
{
	return (struct subnet){
		.conf = c->conf,
		.port = c->port,
		.port_keys = c->mkeys,
		.log = c->log,
		.log_limit = log_limit_new(),
		.clock = c->clock,
		.clock_arg = c->clock_arg,
		.run_job = c->run_job ? c->run_job : run_job_here,
		.job_arg = c->run_job ? c->job_arg : m,
		.stripes = c->stripes,
		.role = &m->election.ha.state,
	};
}

struct manager *
manager_new(const struct manager_conf *c)
{
	struct manager *m = xcalloc(1, sizeof(*m));

	m->net = subnet_of(m, c);
	m->process_facts = c->process_facts;
	m->process_arg = c->process_arg;
	schedule_init(&m->net.schedule);
	m->sweep.net = &m->net;
	m->sweep.election = &m->election;
	m->sweep.watch = &m->watch;
	m->sweep.registry = &m->registry;
	m->sweep.sa_stats = &m->requests.stats;
	sweep_init(&m->sweep, c->lids, c->nlids);
	early_begin(&m->sweep, c->tables, c->tables_len);
	topology_init(&m->sweep.history.topology, c->topology, c->topology_len);
	election_init(&m->election, &m->net);
	observed_tables_init(&m->net.tables);
	registry_begin(&m->registry, &m->net, c->groups, c->ngroups);
	notify_begin(&m->notify);
	sa_requests_init(&m->requests);
	echo_begin(&m->echo, &m->net, c->cm, c->cm_why);
	watch_init(&m->watch);
	schedule_want(&m->net, "start");
	return m;
}

void
manager_free(struct manager *m)
{
	struct served *v;

	if (!m)
		return;
	v = &m->net.served;
	sweep_free(&m->sweep);
	txn_free(m->net.txn);
	notify_free(&m->notify);
	registry_free(&m->registry);
	echo_free(&m->echo);
	watch_free(&m->watch);
	log_limit_free(m->net.log_limit);
	sa_requests_free(&m->requests);
	documents_free(&m->documents);
	subnet_retire(&m->net, (struct retired){
		.s = v->s, .p = v->plan, .o = v->observed, .x = v->sa, .q = v->qos });
	observed_tables_clear(&m->net.tables);
	outbox_free(&m->net.outbox);
	free(m);
}

void
manager_set_conf(struct manager *m, const struct conf *conf, struct monotime now)
{
	m->net.conf = conf;
	m->net.conf_age++;
	sweep_set_conf(&m->sweep);
	election_set_conf(&m->election, &m->net);
	groups_set_partitions(&m->registry, &m->net);
	echo_set_conf(&m->echo, &m->net);
	manager_sweep(m, "configuration read again", now);
}

void
manager_sweep(struct manager *m, const char *why, struct monotime now)
{
	m->net.now = now;
	schedule_want(&m->net, why);
}

void
manager_release(struct manager *m, struct monotime now)
{
	m->net.now = now;
	release_ask(&m->sweep);
}

void
manager_resume(struct manager *m, struct monotime now)
{
	m->net.now = now;
	release_resume(&m->sweep);
}

static void
wish_topology(struct manager *m, enum topology_wish wish, const char *why, struct monotime now)
{
	m->sweep.history.topology.wish = wish;
	manager_sweep(m, why, now);
}

void
manager_topology_adopt(struct manager *m, struct monotime now)
{
	wish_topology(m, TOPOLOGY_ADOPT, "topology adopt", now);
}

void
manager_topology_rebalance(struct manager *m, struct monotime now)
{
	wish_topology(m, TOPOLOGY_REBALANCE, "topology rebalance", now);
}

/* ---- datagrams ---- */

struct dgram *
manager_room(struct manager *m)
{
	return sa_queue_room(m->requests.queue);
}

void
manager_receive(struct manager *m, struct dgram *d, struct monotime now)
{
	m->net.now = now;
	if (!echo_receive(&m->echo, &m->net, d) && !txn_receive(m->net.txn, d, now) &&
	    (d->status == 0 || d->status == EMSGSIZE) && dispatch_request(m, d))
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

/* Answers that are there, our own requests, then answers to those who wait, each source in turn. */
bool
manager_next_send(struct manager *m, struct dgram *d, int *timeout_ms, struct monotime now)
{
	m->net.now = now;
	*timeout_ms = 0;                /* answers, and messages that have timers of their own */
	outbox_settle(&m->net.outbox);
	for (bool made;;) {
		if (outbox_next(&m->net.outbox, d))
			return true;
		d->more = NULL;
		if (echo_next_send(&m->echo, d) || txn_next_send(m->net.txn, d, timeout_ms, now))
			return true;
		if (!m->requests.answers_left ||
		    !sa_requests_answer_next(&m->requests, &m->net, &m->registry, d, &made))
			return false;
		if (made) {
			outbox_sending(&m->net.outbox, d->more);
			return true;
		}
	}
}

bool
manager_answers_wait(const struct manager *m)
{
	return sa_requests_wait(&m->requests);
}

/* ---- time ---- */

static void
begin_what_is_due(struct manager *m)
{
	struct schedule *s = &m->net.schedule;

	if (!sweep_is_idle(&m->sweep) || release_without_sweep(&m->sweep))
		return;
	if (monotime_reached(m->net.now, s->election)) {
		s->last_election = m->net.now;
		schedule_want(&m->net, "election");
	}
	if (s->want) {
		sweep_start(&m->sweep, s->why);
		return;
	}
	if (monotime_reached(m->net.now, s->trap_sweep)) {
		sweep_start_after_report(&m->sweep, s->why);
		return;
	}
	election_poll(&m->election, &m->net);
	if (monotime_reached(m->net.now, s->next_sweep))
		sweep_on_interval(&m->sweep);
	if (sweep_is_idle(&m->sweep))
		descriptions_ask(&m->watch.descriptions, &m->net);
}

/*
 * Stopped for so long (a signal, a suspended machine) that another manager may lead by now.  While
 * nothing goes on we are late when a light sweep is; otherwise something is always due within a
 * try's time.
 */
static bool
was_stopped(const struct manager *m)
{
	int64_t limit_us = STOPPED_US + 4 * (int64_t)m->net.conf->transaction_timeout_ms * 1000;
	struct monotime next = m->net.schedule.next_sweep;

	if (!sweep_is_idle(&m->sweep))
		return monotime_sub_us(m->net.now, m->last_tick) > limit_us;
	return subnet_is_master(&m->net) && next.us != INT64_MAX &&
		monotime_sub_us(m->net.now, next) > limit_us;
}

void
manager_start_over(struct manager *m)
{
	txn_cancel_all(m->net.txn);
	sweep_give_up(&m->sweep);
	dispatch_ends(m, true);
	registry_pause(&m->registry, &m->net, true);
}

/* Passes the events of the sweep to the other rooms. */
static void
follow_sweep(struct manager *m)
{
	unsigned events = sweep_take_events(&m->sweep);

	path_cache_check(&m->documents.paths, &m->net.served);
	if (events & SWEEP_EVENT_STOPPED)
		notify_reset(&m->notify);
	if (events & SWEEP_EVENT_SERVED && m->net.served.plan)
		echo_register(&m->echo, &m->net, m->registry.services);
}

void
manager_tick(struct manager *m, struct monotime now)
{
	m->net.now = now;
	if (was_stopped(m)) {
		log_line(m->net.log, LOG_WARN, "sweep",
			"this program stood still for a while: looking again before anything else");
		manager_start_over(m);
		schedule_want(&m->net, "stood still");
	}
	m->last_tick = now;
	sa_requests_begin_turn(&m->requests);
	log_limit_tick(m->net.log_limit, m->net.log, now);
	txn_tick(m->net.txn, now);
	do {
		dispatch_ends(m, false);
		begin_what_is_due(m);
		own_port_pump(&m->watch.own_port, &m->net);
		sweep_pump(&m->sweep);
		follow_sweep(m);
		probes_pump(m->watch.probes, &m->net, sweep_is_idle(&m->sweep));
		registry_pump(&m->registry, &m->net, sweep_for_registry(&m->sweep));
		notify_pump(&m->notify, &m->registry, &m->net);
		echo_pump(&m->echo, &m->net);
	} while (txn_ends_waiting(m->net.txn));
	if (m->net.clock)               /* what we computed ourselves, a plan, is no standstill */
		m->last_tick = m->net.clock(m->net.clock_arg);
}

/* When the schedule has something to do, while no sweep is under way. */
static struct monotime
idle_deadline(const struct manager *m)
{
	const struct schedule *s = &m->net.schedule;
	struct monotime t, best = s->want ? m->net.now : MONOTIME_NEVER;

	best = monotime_min(best, s->next_sweep);
	best = monotime_min(best, s->trap_sweep);
	if (ha_deadline(&m->election.ha, &t))
		best = monotime_min(best, t);
	return monotime_min(best, s->election);
}

bool
manager_deadline(const struct manager *m, struct monotime *at)
{
	const struct subnet *n = &m->net;
	bool idle = sweep_is_idle(&m->sweep);
	struct monotime t, best = MONOTIME_NEVER;

	if (txn_deadline(n->txn, &t))
		best = t;
	if (notify_deadline(&m->notify, &t))
		best = monotime_min(best, t);
	if (log_limit_deadline(n->log_limit, &t))
		best = monotime_min(best, t);
	if (echo_deadline(&m->echo, &t))
		best = monotime_min(best, t);
	if (own_port_deadline(&m->watch.own_port, &t))
		best = monotime_min(best, t);
	if (probes_deadline(m->watch.probes, n, idle, &t))
		best = monotime_min(best, t);
	if (registry_deadline(&m->registry, n, &t))
		best = monotime_min(best, t);
	if (sweep_deadline(&m->sweep, &t))
		best = monotime_min(best, t);
	if (manager_answers_wait(m) || notify_waits(&m->registry, n))
		best = n->now;
	if (idle)
		best = monotime_min(best, idle_deadline(m));
	if (m->sweep.state == SWEEP_WORK)       /* so that it shows if we are stopped */
		best = monotime_min(best, monotime_add_us(m->last_tick, STOPPED_US / 2));
	*at = best;
	return best.us != INT64_MAX;
}
