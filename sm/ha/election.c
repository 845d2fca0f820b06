/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * election.c - asks the other managers, polls the master, hands the subnet over; ha.c decides.
 * Room: sm/ha.  In: snapshots, ends of transactions.  Out: SMInfo requests, and what ha.c says of
 * their answers.
 */
#include <config.h>
#include <string.h>
#include "libmad/txn/retry.h"
#include "sm/conf/conf.h"
#include "sm/ha/election.h"

/* Early looks in a row at a better manager that is still starting. */
#define RIVAL_LOOKS_MAX 10

static struct ha_conf
ha_conf_of(const struct subnet *n)
{
	return (struct ha_conf){
		.guid = n->port.port_guid,
		.sm_key = n->conf->sm_key,
		.protects = subnet_protects(n),
		.priority = (uint8_t)n->conf->sm_priority,
		.poll_us = (int64_t)n->conf->sminfo_polling_timeout_ms * 1000,
		.poll_tries = n->conf->polling_retry_number,
	};
}

void
election_init(struct election *e, const struct subnet *n)
{
	struct ha_conf h = ha_conf_of(n);

	ha_init(&e->ha, &h);
}

void
election_set_conf(struct election *e, const struct subnet *n)
{
	e->ha.conf = ha_conf_of(n);
}

/* A question to, or word with, another manager; 'to' stays as it is until it ends. */
static struct txn_req
request_to(const struct subnet *n, const struct sm_route *to, uint8_t method, uint32_t modifier)
{
	return (struct txn_req){
		.mgmt_class = CLASS_SM_DR,
		.method = method,
		.attr_id = SM_INFO_ID,
		.modifier = modifier,
		.mkey = subnet_mkey(n, to->guid),
		.hop_count = to->hop_count,
		.path = to->path,
	};
}

static void
ask_one(struct election *e, struct subnet *n, unsigned i, uint32_t target, bool impatient)
{
	struct txn_req r = request_to(n, &e->asked[i], METHOD_GET, 0);

	r.cookie = i;
	r.target = target;
	if (impatient)
		retry_as_silent_master(&r);
	e->open++;
	subnet_submit(n, &r, OWN_SMINFO);
}

static void
begin_asking(struct election *e)
{
	e->open = e->nanswers = 0;
	untrusted_sm_begin(&e->untrusted);
}

void
election_ask(struct election *e, struct subnet *n, const struct snapshot *s)
{
	uint32_t target[ELECTION_SMS_MAX];

	begin_asking(e);
	e->nasked = 0;
	for (uint32_t i = 0; i < s->nendports && e->nasked < ELECTION_SMS_MAX; i++) {
		uint32_t p = s->endports[i];
		const struct fab_port *port = &s->ports[p];
		struct sm_route *to = &e->asked[e->nasked];

		if (p == s->sm_port || !(port->flags & FAB_PORT_INFO) ||
		    !(port_info_decode(port->info).capability_mask & PORT_CAP_IS_SM))
			continue;
		target[e->nasked] = port->node;
		to->guid = port->guid;
		to->hop_count = snapshot_port_path(s, p, to->path);
		e->nasked++;
	}
	/* A master that did not answer our polls does not hold up the takeover. */
	for (unsigned i = 0; i < e->nasked; i++)
		ask_one(e, n, i, target[i], e->asked[i].guid == e->ha.silent_guid);
}

void
election_ask_known(struct election *e, struct subnet *n)
{
	const struct snapshot *s = n->served.s;

	begin_asking(e);
	for (unsigned i = 0; i < e->nasked; i++) {
		uint32_t port = snapshot_port_by_guid(s, e->asked[i].guid);

		if (port != FAB_NONE)
			ask_one(e, n, i, s->ports[port].node, false);
	}
}

bool
election_open(const struct election *e)
{
	return e->open > 0;
}

/* Where the master is that we stand by for: its route stays good until the next discovery. */
static void
note_master(struct election *e)
{
	memset(&e->master, 0, sizeof(e->master));
	for (unsigned i = 0; i < e->nasked; i++)
		if (e->asked[i].guid == e->ha.master_guid)
			e->master = e->asked[i];
}

void
election_hand_over(struct election *e, struct subnet *n)
{
	struct sm_info own = ha_sm_info(&e->ha, true);
	uint8_t data[64] = { 0 };
	struct txn_req r;

	note_master(e);
	own.state = HA_MASTER;          /* that is in what capacity we speak */
	sm_info_encode(data, &own);
	e->hand_to = e->master;
	r = request_to(n, &e->hand_to, METHOD_SET, SM_INFO_SET_HANDOVER);
	r.payload = data;
	r.payload_bytes = sizeof(data);
	log_line(n->log, LOG_NOTE, "ha", "handing over to 0x%016llx",
		(unsigned long long)e->ha.other);
	subnet_submit(n, &r, OWN_HANDOVER);
}

void
election_stand_by(struct election *e, struct subnet *n)
{
	note_master(e);
	log_line(n->log, LOG_NOTE, "ha", "Entering STANDBY state, master is 0x%016llx",
		(unsigned long long)e->ha.master_guid);
}

/*
 * A better manager that is still starting will stand by in a moment, and then the subnet is its
 * own: look again soon, though not forever.
 */
void
election_watch_rivals(struct election *e, struct subnet *n)
{
	struct monotime soon = monotime_add_us(n->now, (int64_t)n->conf->sweep_holddown_ms * 1000);
	bool rival = false;

	for (unsigned i = 0; i < e->nanswers; i++)
		rival |= e->answers[i].state == HA_DISCOVERING && ha_better(&e->ha, &e->answers[i]);
	e->rival_looks = rival ? e->rival_looks + 1 : 0;
	if (rival && e->rival_looks <= RIVAL_LOOKS_MAX)
		n->schedule.next_sweep = monotime_min(n->schedule.next_sweep, soon);
}

bool
election_has_rivals(struct election *e, const struct subnet *n)
{
	return ha_rivals(&e->ha, e->answers, e->nanswers, n->now);
}

void
election_note_standbys(struct election *e, const struct subnet *n)
{
	standbys_update(&e->standbys, n, &e->ha, e->answers, e->nanswers);
}

enum ha_action
election_decide(struct election *e, struct subnet *n, const struct snapshot *s)
{
	e->nanswers =
		untrusted_sm_drop_pretenders(&e->untrusted, n, &e->ha, s, e->answers, e->nanswers);
	return ha_discovered(&e->ha, e->answers, e->nanswers, n->now);
}

/*
 * One poll, which waits for none before it.  Without a route to the master it is as good as
 * unanswered.
 */
static void
send_poll(struct election *e, struct subnet *n)
{
	struct txn_req r;
	unsigned i = 0;

	while (i < OWNER_POLLS_MAX && e->polls_open >> i & 1)
		i++;
	if (!e->master.hop_count || i == OWNER_POLLS_MAX)
		return;
	e->poll_to[i] = e->master;
	r = request_to(n, &e->poll_to[i], METHOD_GET, 0);
	r.cookie = r.target = i;
	retry_as_poll(&r);
	/* It is always sent: only such count as unanswered. */
	txn_target_reset(n->txn, TARGET_POLL + i);
	e->polls_open |= UINT64_C(1) << i;
	subnet_submit(n, &r, OWN_POLL);
}

/* What ha.c says between sweeps is to look, or nothing. */
static void
look_if_asked(struct subnet *n, enum ha_action a)
{
	if (a == HA_SWEEP)
		schedule_want(n, "election");
}

void
election_poll(struct election *e, struct subnet *n)
{
	enum ha_action a = ha_poll(&e->ha, n->now);

	if (a == HA_POLL) {
		send_poll(e, n);
		return;
	}
	if (a == HA_SWEEP)
		log_line(n->log, LOG_WARN, "ha",
			"master 0x%016llx does not answer: looking who leads",
			(unsigned long long)e->ha.silent_guid);
	look_if_asked(n, a);
}

void
election_on_sminfo_end(struct election *e, struct subnet *n, const struct txn_end *end)
{
	struct sm_info si;

	e->open--;
	if (end->kind != TXN_END_OK || e->nanswers == ELECTION_SMS_MAX)
		return;
	si = sm_info_decode(dgram_smp_image(end->reply->mad));
	/* Somebody else answers there now, or one speaks for another: the next discovery tells. */
	if (si.guid == e->asked[end->cookie].guid &&
		untrusted_sm_admit(&e->untrusted, n, &e->ha, &si))
		e->answers[e->nanswers++] = si;
}

void
election_on_poll_end(struct election *e, struct subnet *n, const struct txn_end *end)
{
	unsigned i = (unsigned)(end->cookie % OWNER_POLLS_MAX);
	struct sm_info si;

	e->polls_open &= ~(UINT64_C(1) << i);
	if (end->kind != TXN_END_OK)
		return;
	si = sm_info_decode(dgram_smp_image(end->reply->mad));
	if (e->poll_to[i].guid == e->ha.master_guid)    /* not of a master before this one */
		look_if_asked(n, ha_polled(&e->ha, &si, n->now));
}

void
election_on_handover_end(struct election *e, struct subnet *n, const struct txn_end *end)
{
	(void)e;
	if (end->kind == TXN_END_STATUS)
		log_line(n->log, LOG_WARN, "ha", "the handover was refused: status 0x%04x (%s)",
			end->status, dgram_status_text(end->status, false));
	else if (end->kind != TXN_END_OK)
		log_line(n->log, LOG_WARN, "ha", "the handover was not answered: %s",
			txn_end_kind_text(end->kind));
}
