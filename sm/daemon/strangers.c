/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * strangers.c - subnet managers that are not trusted: not in allowed_sm_guids, or with another SM_Key.
 * Room: sm/daemon.  In: what managers answered to SMInfo.  Out: who is left out of the election; the list for status.
 *
 * A master without our SM_Key may be one that somebody else runs here: we stand by rather than write over its subnet.  It may also be a program that
 * answers SMInfo and nothing else.  What the ports say tells them apart: a real master has told most of them its LID.
 * docs/security.md: other subnet managers.
 */
#include <config.h>
#include "sm/daemon/manager_int.h"

void
strangers_begin(struct manager *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->nstrangers; i++)
		if (m->strangers[i].seen) {
			m->strangers[n] = m->strangers[i];
			m->strangers[n++].seen = false;
		}
	m->nstrangers = n;
}

static void
meet(struct manager *m, const struct sm_info *si, const char *why)
{
	unsigned i = 0;

	while (i < m->nstrangers && m->strangers[i].info.guid != si->guid)
		i++;
	if (i == MANAGER_SMS_MAX)
		return;
	if (i == m->nstrangers || m->strangers[i].why != why)   /* once, and not in every sweep */
		log_line(m->net.log, LOG_WARN, "ha", "subnet manager 0x%016llx (priority %u, %s) %s: nothing is handed over to it",
			(unsigned long long)si->guid, si->priority, ha_state_text(si->state <= HA_MASTER ? si->state : 0), why);
	if (i == m->nstrangers)
		m->nstrangers++;
	m->strangers[i] = (struct manager_stranger){ *si, why, true };
}

bool
strangers_admit(struct manager *m, const struct sm_info *si)
{
	bool allowed = conf_sm_allowed(m->net.conf, si->guid);

	if (!allowed)
		meet(m, si, "is not in allowed_sm_guids");
	else if (!ha_same_key(&m->ha, si))
		meet(m, si, "has another SM_Key");
	return allowed;
}

/* Whether more than half of the configured ports, those of its own node apart, name the manager at that port as their master. */
static bool
subnet_obeys(const struct manager *m, uint64_t guid)
{
	const struct snapshot *s = m->fresh;
	uint32_t at = snapshot_port_by_guid(s, guid), ports = 0, obey = 0;
	struct port_info own;

	if (at == FAB_NONE || !(s->ports[at].flags & FAB_PORT_INFO))
		return false;
	own = port_info_decode(s->ports[at].info);
	for (uint32_t i = 0; own.lid && i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct port_info info = port_info_decode(p->info);

		if (p->node == s->ports[at].node || !(p->flags & FAB_PORT_INFO) || !info.lid)
			continue;
		ports++;
		obey += info.master_sm_lid >= own.lid && info.master_sm_lid < own.lid + (1u << own.lmc);
	}
	return obey * 2 > ports;
}

void
strangers_drop_pretenders(struct manager *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->nsms; i++) {
		const struct sm_info *si = &m->sms[i];

		if (si->state == HA_MASTER && !ha_same_key(&m->ha, si) && !subnet_obeys(m, si->guid))
			meet(m, si, "says that it is master without our SM_Key, and the subnet does not obey it");
		else
			m->sms[n++] = *si;
	}
	m->nsms = n;
}

json_t *
strangers_json(const struct manager *m)
{
	static const char *const state[] = { "not_active", "discovering", "standby", "master" };
	json_t *a = json_array();

	for (unsigned i = 0; i < m->nstrangers; i++) {
		const struct sm_info *s = &m->strangers[i].info;

		json_array_append_new(a, json_pack("{s:o, s:i, s:s, s:s}",
			"guid", json_sprintf("0x%016llx", (unsigned long long)s->guid), "priority", s->priority,
			"state", state[s->state & 3], "reason", m->strangers[i].why));
	}
	return a;
}
