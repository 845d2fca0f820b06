/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * untrusted_sm.c - untrusted SMs: lists them, and excludes them from the election.
 * Room: sm/ha.  In: SMInfos of other SMs.  Out: which of them are excluded; the list for the status
 * document.
 *
 * A master without our SM_Key may be the legitimate SM of another operator: then this SM becomes
 * standby and does not overwrite its configuration.  It may also be a program that only answers
 * SMInfo.  PortInfo:MasterSMLID distinguishes them: a real master has set its LID in most ports.
 * docs/security.md: other subnet managers.
 */
#include <config.h>
#include "sm/conf/conf.h"
#include "sm/ha/untrusted_sm.h"
#include "util/guid.h"

void
untrusted_sm_begin(struct untrusted_sms *u)
{
	unsigned n = 0;

	for (unsigned i = 0; i < u->n; i++)
		if (u->v[i].seen) {
			u->v[n] = u->v[i];
			u->v[n++].seen = false;
		}
	u->n = n;
}

static void
list_untrusted(
	struct untrusted_sms *u, const struct subnet *n, const struct sm_info *si, const char *why)
{
	unsigned i = 0;

	while (i < u->n && u->v[i].info.guid != si->guid)
		i++;
	if (i == UNTRUSTED_SMS_MAX)
		return;
	if (i == u->n || u->v[i].why != why)   /* log it once, not in every sweep */
		log_line(n->log, LOG_WARN, "ha",
			"subnet manager 0x%016llx (priority %u, %s) %s: nothing is handed over to it",
			(unsigned long long)si->guid, si->priority,
			ha_state_text(si->state <= HA_MASTER ? si->state : 0), why);
	if (i == u->n)
		u->n++;
	u->v[i] = (struct untrusted_sm){ *si, why, true };
}

bool
untrusted_sm_admit(struct untrusted_sms *u, const struct subnet *n, const struct ha *h,
	const struct sm_info *si)
{
	bool allowed = conf_sm_allowed(n->conf, si->guid);

	if (!allowed)
		list_untrusted(u, n, si, "is not in allowed_sm_guids");
	else if (!ha_same_key(h, si))
		list_untrusted(u, n, si, "has another SM_Key");
	return allowed;
}

/*
 * Whether more than half of the configured ports, except those of its own node, have the SM at that
 * port as their master.
 */
static bool
subnet_obeys(const struct snapshot *s, uint64_t guid)
{
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
		obey += info.master_sm_lid >= own.lid &&
			info.master_sm_lid < own.lid + (1u << own.lmc);
	}
	return obey * 2 > ports;
}

unsigned
untrusted_sm_drop_pretenders(struct untrusted_sms *u, const struct subnet *net, const struct ha *h,
	const struct snapshot *s, struct sm_info *v, unsigned n)
{
	unsigned left = 0;

	for (unsigned i = 0; i < n; i++) {
		if (v[i].state == HA_MASTER && !ha_same_key(h, &v[i]) &&
			!subnet_obeys(s, v[i].guid))
			list_untrusted(u, net, &v[i],
				"says that it is master without our SM_Key, and the subnet does not obey it");
		else
			v[left++] = v[i];
	}
	return left;
}

json_t *
untrusted_sm_json(const struct untrusted_sms *u)
{
	static const char *const state[] = { "not_active", "discovering", "standby", "master" };
	json_t *a = json_array();

	for (unsigned i = 0; i < u->n; i++) {
		const struct sm_info *s = &u->v[i].info;

		json_array_append_new(a, json_pack("{s:o, s:i, s:s, s:s}",
			"guid", guid_to_json(s->guid), "priority", s->priority,
			"state", state[s->state & 3], "reason", u->v[i].why));
	}
	return a;
}
