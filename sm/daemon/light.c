/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * light.c - what is looked at between whole sweeps: switches, other managers, our own port, descriptions.
 * Room: sm/daemon.  In: ends of transactions.  Out: requests; "a whole sweep".
 * A light sweep asks every switch for SwitchInfo: a PortStateChange or a table that was not there when the last whole sweep
 * ended starts another.  What stays as that one left it does not: it is looked at ever more rarely.
 */
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"

#define OWN_PORT (UINT64_C(1) << 40)    /* a cookie beside those of switches */
#define LEASE (UINT64_C(1) << 41)       /* the same, with the index of a port */
#define LIGHT_BEFORE_HEAVY_MAX 30       /* light sweeps in a row; then a whole one in any case */
#define TROUBLE_BACKOFF_MAX 5           /* what stays broken is looked at every 2^n intervals */

static bool
whole_is_due(const struct manager *m)
{
	unsigned shift = m->trouble_sweeps < TROUBLE_BACKOFF_MAX ? m->trouble_sweeps : TROUBLE_BACKOFF_MAX;

	return !subnet_is_master(&m->net) || !m->net.served.s || !m->net.served.plan || !m->net.served.s->nswitches ||
		m->light_since >= LIGHT_BEFORE_HEAVY_MAX || (m->trouble_sweeps && m->light_since + 1 >= 1u << (shift - 1));
}

/* Who else leads may be nobody that we know of; but he tells our port whom to obey. */
static void
ask_own_port(struct manager *m)
{
	const struct snapshot *s = m->net.served.s;
	const struct fab_port *p = &s->ports[s->sm_port];
	struct txn_req r = {
		.target = p->node, .cookie = OWN_PORT, .mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .attr_id = PORT_INFO_ID,
		.modifier = p->num, .mkey = subnet_mkey(&m->net, p->guid), .hop_count = s->nodes[p->node].hop_count, .path = s->nodes[p->node].path,
	};

	m->light_open++;
	subnet_submit(&m->net, &r, OWN_LIGHT);
}

void
light_start(struct manager *m)
{
	m->net.schedule.next_sweep = MONOTIME_NEVER;
	if (whole_is_due(m)) {
		sweep_start(m, m->trouble_sweeps ? "something was left unconfigured" : "interval");
		return;
	}
	m->light_since++;
	m->light_next = m->light_open = 0;
	m->light_suspicious = m->light_obeys_other = false;
	leases_begin(m);
	txn_targets_reset(m->net.txn);
	m->state = MAN_LIGHT;
	election_ask_known(&m->election, &m->net);
	ask_own_port(m);
}

/* What was left out of the plan, or never said what it is, is not asked: the whole sweeps that its trouble causes ask it. */
static bool
is_watched(const struct fab_node *n)
{
	return n->flags & FAB_NODE_SWITCH_INFO && !(n->flags & FAB_NODE_CUT);
}

void
light_pump(struct manager *m)
{
	const struct snapshot *s = m->net.served.s;
	struct txn_req r;

	for (; m->light_next < s->nswitches && txn_pending(m->net.txn) < subnet_pending_max(&m->net); m->light_next++) {
		const struct fab_node *n = &s->nodes[s->switches[m->light_next]];
		r = (struct txn_req){
			.target = s->switches[m->light_next], .cookie = m->light_next, .mgmt_class = CLASS_SM_DR,
			.method = METHOD_GET, .attr_id = SWITCH_INFO_ID, .mkey = subnet_mkey(&m->net, s->ports[n->first_port].guid),
			.hop_count = n->hop_count, .path = n->path,
		};

		if (!is_watched(n))
			continue;
		m->light_open++;
		subnet_submit(&m->net, &r, OWN_LIGHT);
	}
	while (m->light_next == s->nswitches && txn_pending(m->net.txn) < subnet_pending_max(&m->net) && leases_next(m, &r)) {
		r.cookie |= LEASE;
		m->light_open++;
		subnet_submit(&m->net, &r, OWN_LIGHT);
	}
	if (m->light_open || election_open(&m->election) || m->light_next < s->nswitches)
		return;
	m->light_sweeps++;
	election_note_standbys(&m->election, &m->net);
	sweep_schedule(m);
	if (m->light_suspicious)
		schedule_want(&m->net, m->light_why);
	else if (m->light_obeys_other)
		schedule_want(&m->net, "somebody else has configured our port");
	else if (election_has_rivals(&m->election, &m->net))
		schedule_want(&m->net, "another manager");
}

static void
lease_end(struct manager *m, const struct txn_end *e)
{
	struct txn_end of_port = *e;
	const char *why;

	of_port.cookie &= LEASE - 1;
	why = leases_end(m, &of_port);
	if (!why)
		return;
	m->light_suspicious = true;
	m->light_why = why;
}

void
light_end(struct manager *m, const struct txn_end *e)
{
	struct switch_info si, was;

	m->light_open--;
	if (e->cookie & LEASE) {
		lease_end(m, e);
		return;
	}
	if (e->kind == TXN_END_CANCELLED)
		return;
	if (e->kind == TXN_END_OK && e->cookie == OWN_PORT) {
		m->light_obeys_other |= port_info_decode(e->reply->mad + 64).master_sm_lid != m->net.served.plan->sm_lid;
		return;
	}
	if (e->kind == TXN_END_OK) {
		uint32_t node = m->net.served.s->switches[e->cookie];

		si = switch_info_decode(e->reply->mad + 64);
		was = switch_info_decode(m->net.served.s->nodes[node].switch_info);
		if ((!si.port_state_change || was.port_state_change) && si.lft_top == was.lft_top)
			return;
		if (si.lft_top == was.lft_top && flaps_of(m->flaps, m->net.served.s->nodes[node].guid) && probes_trap(m, node, 0))
			return;
	}
	m->light_suspicious = true;
	m->light_why = "a switch reports a change";
}

/* ---- descriptions ---- */

static struct manager_desc *
find_desc(struct manager *m, int state, uint64_t guid)
{
	for (unsigned i = 0; i < MANAGER_DESCS_MAX; i++)
		if ((int)m->desc[i].state == state && (state == DESC_FREE || m->desc[i].guid == guid))
			return &m->desc[i];
	return NULL;
}

void
light_want_desc(struct manager *m, uint64_t node_guid)
{
	struct manager_desc *d;

	if (find_desc(m, DESC_WANTED, node_guid))
		return;
	d = find_desc(m, DESC_FREE, 0);
	if (!d) {
		schedule_look_again(&m->net, "trap 144: descriptions of many nodes changed");
		return;
	}
	d->state = DESC_WANTED;
	d->guid = node_guid;
}

void
light_ask_descs(struct manager *m)
{
	for (unsigned i = 0; i < MANAGER_DESCS_MAX; i++) {
		struct manager_desc *d = &m->desc[i];
		uint32_t n = d->state == DESC_WANTED && m->net.served.s ? snapshot_node_by_guid(m->net.served.s, d->guid) : FAB_NONE;
		struct txn_req r = {
			.cookie = i, .mgmt_class = CLASS_SM_DR, .method = METHOD_GET, .attr_id = NODE_DESC_ID,
			.path = d->path,
		};

		if (d->state != DESC_WANTED)
			continue;
		d->state = DESC_FREE;
		if (n == FAB_NONE)
			continue;
		d->state = DESC_ASKED;
		memcpy(d->path, m->net.served.s->nodes[n].path, sizeof(d->path));
		r.hop_count = m->net.served.s->nodes[n].hop_count;
		r.mkey = subnet_mkey(&m->net, m->net.served.s->ports[mkeys_node_port(m->net.served.s, n)].guid);
		txn_target_reset(m->net.txn, TARGET_DESC);  /* it stands for another node now */
		subnet_submit(&m->net, &r, OWN_DESC);
	}
}

void
light_desc_end(struct manager *m, const struct txn_end *e)
{
	struct manager_desc *d = &m->desc[e->cookie];
	uint32_t n = m->net.served.s ? snapshot_node_by_guid(m->net.served.s, d->guid) : FAB_NONE;

	d->state = DESC_FREE;
	if (e->kind != TXN_END_OK || n == FAB_NONE)
		return;
	d->state = DESC_READ;
	memcpy(d->text, e->reply->mad + 64, NODE_DESC_BYTES);
	if (!documents_open(m))
		light_keep_descs(m);
}

void
light_keep_descs(struct manager *m)
{
	for (unsigned i = 0; i < MANAGER_DESCS_MAX; i++) {
		struct manager_desc *d = &m->desc[i];
		uint32_t n = d->state == DESC_READ && m->net.served.s ? snapshot_node_by_guid(m->net.served.s, d->guid) : FAB_NONE;

		if (d->state == DESC_READ)
			d->state = DESC_FREE;
		if (n != FAB_NONE)
			memcpy(m->net.served.s->nodes[n].desc, d->text, NODE_DESC_BYTES);
	}
}
