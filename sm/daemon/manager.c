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

static struct ha_conf
ha_conf_of(const struct manager *m)
{
	return (struct ha_conf){
		.guid = m->c.port.port_guid, .sm_key = m->conf->sm_key, .protects = manager_protects(m), .priority = (uint8_t)m->conf->sm_priority,
		.poll_us = (int64_t)m->conf->sminfo_polling_timeout_ms * 1000,
		.poll_tries = m->conf->polling_retry_number,
	};
}

struct manager *
manager_new(const struct manager_conf *c)
{
	struct manager *m = xcalloc(1, sizeof(*m));
	struct ha_conf h;
	struct txn_conf t;

	m->c = *c;
	m->conf = c->conf;
	m->reassign = m->conf->reassign_lids;
	m->nlids = c->nlids;
	m->lids = m->nlids ? xmemdup(c->lids, m->nlids * sizeof(*m->lids)) : NULL;
	m->mgids = mgid_map_new(c->groups, c->ngroups);
	m->tries = UINT_MAX;            /* room for the widest windows */
	t = loss_txn_conf(m);
	t.tries = 1;
	m->txn = txn_new(&t);
	m->tries = 0;
	t = loss_txn_conf(m);
	txn_set_conf(m->txn, &t);
	h = ha_conf_of(m);
	ha_init(&m->ha, &h);
	groups_reset(m);
	aliases_reset(m);
	m->trap_sweep = m->next_sweep = m->next_own = m->election = MONOTIME_NEVER;
	m->last_start = m->last_election = m->mgids_taken = (struct monotime){ INT64_MIN / 2 };
	m->log_limit = log_limit_new();
	m->sa_limit = sa_limit_new();
	m->sa_queue = sa_queue_new();
	connections_begin(m);
	m->missing = missing_new();
	m->flaps = flaps_new();
	probes_begin(m);
	m->answers_left = m->busy_left = MANAGER_ANSWERS_MAX;
	m->want = true;
	snprintf(m->why, sizeof(m->why), "start");
	return m;
}

static void
free_out(struct manager *m)
{
	for (uint32_t i = 0; i < m->out_n; i++)
		free(m->out[(m->out_head + i) % m->out_cap].d.more);
	free(m->out);
	free(m->sent_more);
}

void
manager_free(struct manager *m)
{
	if (!m)
		return;
	sweep_abandon(m);
	txn_free(m->txn);
	groups_free(m);
	aliases_free(m);
	connections_free(m);
	missing_free(m->missing);
	flaps_free(m->flaps);
	probes_free(m);
	log_limit_free(m->log_limit);
	sa_limit_free(m->sa_limit);
	sa_queue_free(m->sa_queue);
	documents_forget(m);
	paths_forget(m);
	steps_retire(m, (struct retired){ .s = m->served, .p = m->plan, .x = m->sa, .q = m->qos });
	leases_free(m);
	free(m->lft_unknown);
	report_result_clear(&m->last);
	free(m->lids);
	mgid_map_free(m->mgids);
	free(m->mgid_rows);
	free_out(m);
	free(m);
}

void
manager_submit(struct manager *m, struct txn_req *r, enum manager_owner owner)
{
	if (r->cookie & ~OWN_MASK)
		bug("manager: a cookie of owner %d is too wide", (int)owner);
	r->cookie |= (uint64_t)owner << OWN_SHIFT;
	switch (owner) {
	case OWN_DISCOVER:              /* was told where nodes begin */
		break;
	case OWN_POLL:
		r->target = TARGET_POLL + (uint32_t)r->cookie % MANAGER_POLLS_MAX;
		break;
	case OWN_HANDOVER:
		r->target = TARGET_HANDOVER;
		break;
	case OWN_DESC:
		r->target = TARGET_DESC;
		break;
	case OWN_PORT_STATE:
		r->target = TARGET_OWN;
		break;
	case OWN_REPORT:
		r->target += TARGET_REPORTS;
		break;
	case OWN_PROBE:
		r->target += TARGET_PROBES;
		break;
	case OWN_APPLY:
	case OWN_PKEYS:
	case OWN_QOS:
	case OWN_SMINFO:
	case OWN_LIGHT:
	case OWN_MFT:
	case OWN_GUIDS:
		r->target += TARGET_NODES;
		break;
	}
	txn_submit(m->txn, r, m->now);
}

struct mkeys
manager_mkeys(const struct manager *m)
{
	return m->conf->m_key == CONF_MKEY_AUTO ? m->c.mkeys : mkeys_one(m->conf->m_key);
}

uint64_t
manager_mkey(const struct manager *m, uint64_t port_guid)
{
	struct mkeys k = manager_mkeys(m);

	return mkeys_of(&k, port_guid);
}

bool
manager_protects(const struct manager *m)
{
	return m->conf->m_key == CONF_MKEY_AUTO ? m->c.mkeys.of != NULL : m->conf->m_key != 0;
}

/* Queues an answer to where 'to' came from.  Takes 'more'. */
void
manager_answer(struct manager *m, const struct dgram *to, const uint8_t *mad, uint8_t *more, uint32_t bytes)
{
	struct manager_out *o;

	if (m->out_n == MANAGER_OUT_MAX) {
		m->out_dropped++;
		free(more);
		return;
	}
	if (m->out_n == m->out_cap) {
		uint32_t cap = m->out_cap ? m->out_cap * 2 : 64;
		struct manager_out *v = xcalloc(cap, sizeof(*v));

		for (uint32_t i = 0; i < m->out_n; i++)
			v[i] = m->out[(m->out_head + i) % m->out_cap];
		free(m->out);
		m->out = v;
		m->out_cap = cap;
		m->out_head = 0;
	}
	o = &m->out[(m->out_head + m->out_n++) % m->out_cap];
	o->d.addr = to->addr;
	o->d.status = 0;
	o->d.bytes = bytes;
	o->d.more = more;
	memcpy(o->d.mad, mad, DGRAM_BYTES);
	o->timeout_ms = 0;
}

struct dgram *
manager_room(struct manager *m)
{
	return sa_queue_room(m->sa_queue);
}

void
manager_receive(struct manager *m, struct dgram *d, struct monotime now)
{
	m->now = now;
	if (!connections_receive(m, d) && !txn_receive(m->txn, d, now) &&
	    (d->status == 0 || d->status == EMSGSIZE) && agent_receive(m, d))
		return;
	free(d->more);
}

void
manager_send_failed(struct manager *m, const struct dgram *d, int error, struct monotime now)
{
	m->now = now;
	if (dgram_method(d->mad) & METHOD_RESP || dgram_method(d->mad) == METHOD_TRAP_REPRESS ||
	    dgram_class(d->mad) == CLASS_CM)
		m->out_dropped++;
	else
		txn_send_failed(m->txn, d, error, now);
}

static void
take_ends(struct manager *m)
{
	struct txn_end e;

	while (txn_next_end(m->txn, &e)) {
		enum manager_owner owner = (enum manager_owner)(e.cookie >> OWN_SHIFT);

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
	if (monotime_reached(m->now, m->election)) {
		m->last_election = m->now;
		manager_sweep(m, "election", m->now);
	}
	if (m->want || monotime_reached(m->now, m->trap_sweep)) {
		sweep_start(m, m->why);
		return;
	}
	elect_poll(m);
	if (monotime_reached(m->now, m->next_sweep))
		light_start(m);
	if (m->state == MAN_IDLE)
		light_ask_descs(m);
}

/*
 * Stopped for so long (a signal, a suspended machine) that another manager may lead by now.  While nothing goes on we are
 * late when a light sweep is; otherwise something is always due within a try's time.
 */
static bool
was_stopped(const struct manager *m)
{
	int64_t limit_us = STOPPED_US + 4 * (int64_t)m->conf->transaction_timeout_ms * 1000;

	if (m->state != MAN_IDLE)
		return monotime_sub_us(m->now, m->last_tick) > limit_us;
	return m->ha.state == HA_MASTER && m->next_sweep.us != INT64_MAX &&
		monotime_sub_us(m->now, m->next_sweep) > limit_us;
}

void
manager_start_over(struct manager *m)
{
	struct txn_end e;

	txn_cancel_all(m->txn);
	if (m->state != MAN_IDLE)
		sweep_abandon(m);
	m->state = MAN_IDLE;
	while (txn_next_end(m->txn, &e)) {
		enum manager_owner owner = (enum manager_owner)(e.cookie >> OWN_SHIFT);

		e.cookie &= OWN_MASK;
		if (owner == OWN_POLL || owner == OWN_DESC || owner == OWN_REPORT || owner == OWN_PORT_STATE || owner == OWN_PROBE)
			sweep_end(m, &e, owner);
	}
	groups_pause(m, true);
	aliases_pause(m, true);
}

void
manager_tick(struct manager *m, struct monotime now)
{
	m->now = now;
	if (was_stopped(m)) {
		log_line(m->c.log, LOG_WARN, "sweep", "this program stood still for a while: looking again before anything else");
		manager_start_over(m);
		manager_sweep(m, "stood still", m->now);
	}
	m->last_tick = now;
	m->answers_left = m->busy_left = MANAGER_ANSWERS_MAX;
	m->registered = false;
	log_limit_tick(m->log_limit, m->c.log, now);
	txn_tick(m->txn, now);
	do {
		take_ends(m);
		timers(m);
		own_port_pump(m);
		sweep_pump(m);
		probes_pump(m);
		grace_pump(m);
		groups_pump(m);
		aliases_pump(m);
		notices_pump(m);
		connections_pump(m);
	} while (txn_ends_waiting(m->txn));
	if (m->c.clock)                 /* what we computed ourselves, a plan, is no standstill */
		m->last_tick = m->c.clock(m->c.clock_arg);
}

static void
next_answer(struct manager *m, struct dgram *d, int *timeout_ms)
{
	struct manager_out *o = &m->out[m->out_head];

	*d = o->d;
	*timeout_ms = o->timeout_ms;
	m->sent_more = o->d.more;
	m->out_head = (m->out_head + 1) % m->out_cap;
	m->out_n--;
	m->answers_sent++;
}

/* Answers that are there, our own requests, then answers to those who wait, each source in turn. */
bool
manager_next_send(struct manager *m, struct dgram *d, int *timeout_ms, struct monotime now)
{
	m->now = now;
	free(m->sent_more);
	m->sent_more = NULL;
	for (bool made;;) {
		if (m->out_n) {
			next_answer(m, d, timeout_ms);
			return true;
		}
		d->more = NULL;
		if (connections_next_send(m, d)) {
			*timeout_ms = 0;        /* it has timers of its own */
			return true;
		}
		if (txn_next_send(m->txn, d, timeout_ms, now))
			return true;
		if (!m->answers_left || !agent_answer_next(m, d, &made))
			return false;
		if (made) {
			*timeout_ms = 0;
			m->sent_more = d->more;
			m->answers_sent++;
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

	if (txn_deadline(m->txn, &t))
		best = t;
	if (traps_deadline(m->trap_kinds, &t))
		best = monotime_min(best, t);
	if (log_limit_deadline(m->log_limit, &t))
		best = monotime_min(best, t);
	if (connections_deadline(m, &t))
		best = monotime_min(best, t);
	if (own_port_deadline(m, &t))
		best = monotime_min(best, t);
	if (probes_deadline(m, &t))
		best = monotime_min(best, t);
	if (grace_deadline(m, &t))
		best = monotime_min(best, t);
	if (mgid_map_has_changed(m->mgids))
		best = monotime_min(best, monotime_add_us(m->mgids_taken, GROUPS_TAKEN_US));
	if (manager_answers_wait(m) || notices_wait(m))
		best = m->now;
	if (m->state == MAN_IDLE) {
		if (m->want)
			best = m->now;
		best = monotime_min(best, m->next_sweep);
		best = monotime_min(best, m->trap_sweep);
		if (ha_deadline(&m->ha, &t))
			best = monotime_min(best, t);
		best = monotime_min(best, m->election);
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

	m->conf = conf;
	m->conf_age++;
	m->c.conf = conf;
	t = loss_txn_conf(m);
	txn_set_conf(m->txn, &t);
	m->ha.conf = ha_conf_of(m);
	groups_partitions(m);
	connections_set_conf(m);
	sweep_qos(m, m->qos);           /* it lives in the old configuration; where there was none, tables come first */
	manager_sweep(m, "configuration read again", now);
}

void
manager_sweep(struct manager *m, const char *why, struct monotime now)
{
	m->now = now;
	m->want = true;
	snprintf(m->why, sizeof(m->why), "%s", why);
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
	    (!last && monotime_sub_us(m->now, m->mgids_taken) < GROUPS_TAKEN_US))
		return false;
	m->mgids_taken = m->now;
	free(m->mgid_rows);
	*rows = m->mgid_rows = mgid_map_rows(m->mgids, n);
	return true;
}

bool
manager_healthy(const struct manager *m, struct monotime now)
{
	struct monotime first;
	int64_t budget = (int64_t)m->conf->transaction_timeout_ms * 1000 * 2 * loss_tries(m);

	if (manager_works(m) && monotime_sub_us(now, m->job->given) > JOB_US_MAX)
		return false;
	if (!txn_oldest(m->txn, &first))
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
	return log_limit_suppressed(m->log_limit);
}

unsigned
manager_sweeps(const struct manager *m)
{
	return m->sweeps;
}
