/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * elect.c - who leads: asks the other managers, and does what sm/ha says of their answers: leads, hands over, stands by, polls.
 * Room: sm/daemon.  In: ends of transactions, actions of sm/ha.  Out: SMInfo requests; a sweep that goes on, or ends here.
 */
#include <config.h>
#include <string.h>
#include "sm/daemon/manager_int.h"

#define CAP_IS_SM 2u
#define POLL_TIMEOUT_US 1000000         /* a poll that is answered so late still shows that the master lives */
#define SILENT_WAIT_US 300000           /* a master that has been silent gets so long to answer in the election, */
#define SILENT_TRIES 3                  /* and so many tries */
#define RIVAL_LOOKS_MAX 10              /* early looks in a row at a better manager that is still starting */

struct txn_req
elect_request(const struct manager *m, const struct manager_sm *to, uint8_t method, uint32_t modifier)
{
	return (struct txn_req){
		.mgmt_class = CLASS_SM_DR, .method = method, .attr_id = SM_INFO_ID, .modifier = modifier,
		.mkey = subnet_mkey(&m->net, to->guid), .hop_count = to->hop_count, .path = to->path,
	};
}

void
elect_ask(struct manager *m)
{
	const struct snapshot *s = m->fresh;
	uint32_t target[MANAGER_SMS_MAX];

	m->sm_count = m->sm_open = m->nsms = 0;
	strangers_begin(m);
	for (uint32_t i = 0; i < s->nendports && m->sm_count < MANAGER_SMS_MAX; i++) {
		uint32_t p = s->endports[i];
		const struct fab_port *port = &s->ports[p];
		struct manager_sm *ask = &m->sm_asks[m->sm_count];

		if (p == s->sm_port || !(port->flags & FAB_PORT_INFO) ||
		    !(port_info_decode(port->info).capability_mask & CAP_IS_SM))
			continue;
		target[m->sm_count] = port->node;
		ask->guid = port->guid;
		ask->hop_count = snapshot_port_path(s, p, ask->path);
		m->sm_count++;
	}
	for (unsigned i = 0; i < m->sm_count; i++) {
		struct txn_req r = elect_request(m, &m->sm_asks[i], METHOD_GET, 0);

		r.cookie = i;
		r.target = target[i];
		if (m->sm_asks[i].guid == m->ha.silent_guid) {  /* it did not answer our polls: it does not hold up the takeover */
			r.tries = SILENT_TRIES;
			r.timeout_us = SILENT_WAIT_US / SILENT_TRIES;
		}
		m->sm_open++;
		subnet_submit(&m->net, &r, OWN_SMINFO);
	}
}

/* Where the master is that we stand by for: its route stays good until the next discovery. */
static void
note_master(struct manager *m)
{
	memset(&m->poll, 0, sizeof(m->poll));
	for (unsigned i = 0; i < m->sm_count; i++)
		if (m->sm_asks[i].guid == m->ha.master_guid)
			m->poll = m->sm_asks[i];
}

static void
hand_over(struct manager *m)
{
	struct sm_info own = ha_sm_info(&m->ha, true);
	uint8_t data[64] = { 0 };
	struct txn_req r;

	note_master(m);
	own.state = HA_MASTER;          /* that is in what capacity we speak */
	sm_info_encode(data, &own);
	m->hand_to = m->poll;
	r = elect_request(m, &m->hand_to, METHOD_SET, 1);
	r.payload = data;
	r.payload_bytes = sizeof(data);
	log_line(m->net.log, LOG_NOTE, "ha", "handing over to 0x%016llx", (unsigned long long)m->ha.other);
	subnet_submit(&m->net, &r, OWN_HANDOVER);
}

void
elect_stop_leading(struct manager *m)
{
	m->led = false;
	missing_forget(m->missing);
	probes_reset(m);
	standbys_reset(m);
	aliases_reset(m);
	groups_reset(m);                /* hosts register with the one who leads */
	/* No tables of ours any more: the SA falls silent, and the next time we lead everything is read. */
	subnet_retire(&m->net, (struct retired){ .p = m->fresh_plan });
	m->fresh_plan = NULL;
	sweep_finish(m, MANAGER_STANDBY, NULL);
	m->net.schedule.next_sweep = m->net.schedule.trap_sweep = MONOTIME_NEVER;
}

static void
stand_by(struct manager *m)
{
	note_master(m);
	log_line(m->net.log, LOG_NOTE, "ha", "Entering STANDBY state, master is 0x%016llx",
		(unsigned long long)m->ha.master_guid);
	elect_stop_leading(m);
}

void
elect_do(struct manager *m, enum ha_action action)
{
	switch (action) {
	case HA_NOTHING:
	case HA_POLL:                   /* elect_poll() does */
		break;
	case HA_SWEEP:
		schedule_want(&m->net, "election");
		break;
	case HA_CONFIGURE:
		sweep_configure(m);
		break;
	case HA_HAND_OVER:
		hand_over(m);
		stand_by(m);
		break;
	case HA_STAND_BY:
		stand_by(m);
		break;
	}
}

/*
 * A better manager that is still starting will stand by in a moment, and then the subnet is its own: look again soon,
 * though not for ever.
 */
void
elect_look_at_rivals(struct manager *m)
{
	struct monotime soon = monotime_add_us(m->net.now, (int64_t)m->net.conf->sweep_holddown_ms * 1000);
	bool rival = false;

	for (unsigned i = 0; i < m->nsms; i++)
		rival |= m->sms[i].state == HA_DISCOVERING && ha_better(&m->ha, &m->sms[i]);
	m->rival_looks = rival ? m->rival_looks + 1 : 0;
	if (m->state == MAN_IDLE && rival && m->rival_looks <= RIVAL_LOOKS_MAX)
		m->net.schedule.next_sweep = monotime_min(m->net.schedule.next_sweep, soon);
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

void
elect_decide(struct manager *m)
{
	enum ha_action a;

	strangers_drop_pretenders(m);
	a = ha_discovered(&m->ha, m->sms, m->nsms, m->net.now);

	if (a == HA_NOTHING || a == HA_SWEEP) {
		look_only(m);
		return;
	}
	elect_do(m, a);
}

/* One poll, which waits for none before it.  Without a route to the master it is as good as unanswered. */
static void
send_poll(struct manager *m)
{
	struct txn_req r;
	unsigned i = 0;

	while (i < OWNER_POLLS_MAX && m->polls_open >> i & 1)
		i++;
	if (!m->poll.hop_count || i == OWNER_POLLS_MAX)
		return;
	m->poll_to[i] = m->poll;
	r = elect_request(m, &m->poll_to[i], METHOD_GET, 0);
	r.cookie = r.target = i;
	r.tries = 1;
	r.timeout_us = POLL_TIMEOUT_US;
	r.urgent = true;
	txn_target_reset(m->net.txn, TARGET_POLL + i);      /* it is always sent: only such count as unanswered */
	m->polls_open |= UINT64_C(1) << i;
	subnet_submit(&m->net, &r, OWN_POLL);
}

void
elect_poll(struct manager *m)
{
	enum ha_action a = ha_poll(&m->ha, m->net.now);

	if (a == HA_POLL) {
		send_poll(m);
		return;
	}
	if (a == HA_SWEEP)
		log_line(m->net.log, LOG_WARN, "ha", "master 0x%016llx does not answer: looking who leads",
			(unsigned long long)m->ha.silent_guid);
	elect_do(m, a);
}

void
elect_sminfo_end(struct manager *m, const struct txn_end *e)
{
	struct sm_info si;

	m->sm_open--;
	if (e->kind != TXN_END_OK || m->nsms == MANAGER_SMS_MAX)
		return;
	si = sm_info_decode(e->reply->mad + 64);
	/* Somebody else answers there now, or one speaks for another: the next discovery tells. */
	if (si.guid == m->sm_asks[e->cookie].guid && strangers_admit(m, &si))
		m->sms[m->nsms++] = si;
}

void
elect_poll_end(struct manager *m, const struct txn_end *e)
{
	struct sm_info si;

	m->polls_open &= ~(UINT64_C(1) << e->cookie % OWNER_POLLS_MAX);
	if (e->kind != TXN_END_OK)
		return;
	si = sm_info_decode(e->reply->mad + 64);
	if (m->poll_to[e->cookie % OWNER_POLLS_MAX].guid == m->ha.master_guid)        /* not of a master before this one */
		elect_do(m, ha_polled(&m->ha, &si, m->net.now));
}

void
elect_handover_end(struct manager *m, const struct txn_end *e)
{
	if (e->kind == TXN_END_STATUS)
		log_line(m->net.log, LOG_WARN, "ha", "the handover was refused: status 0x%04x (%s)", e->status, dgram_status_text(e->status, false));
	else if (e->kind != TXN_END_OK)
		log_line(m->net.log, LOG_WARN, "ha", "the handover was not answered: %s", txn_end_kind_text(e->kind));
}
