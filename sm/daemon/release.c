/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * release.c - gives the ports back before another manager takes over: M_Key 0, no protection, no lease.
 * Room: sm/daemon.  In: a call of the operator.  Out: a sweep that takes the keys away; then this manager is not active.
 *
 * A master that is asked to release plans its next sweep without keys.  When that is applied it stops leading: it neither polls nor
 * answers for the subnet, so that a standby of whatever kind takes over.  A standby stops standing by at once, and writes nothing.
 */
#include <config.h>
#include "sm/daemon/manager_int.h"

void
manager_release(struct manager *m, struct monotime now)
{
	m->net.now = now;
	if (m->release != RELEASE_NONE)
		return;
	m->release = RELEASE_ASKED;
	if (subnet_is_master(&m->net))
		log_line(m->net.log, LOG_NOTE, "keys", "releasing: every port gets M_Key 0");
	schedule_want(&m->net, "release");
}

void
manager_resume(struct manager *m, struct monotime now)
{
	m->net.now = now;
	if (m->release == RELEASE_NONE)
		return;
	m->release = RELEASE_NONE;
	log_line(m->net.log, LOG_NOTE, "ha", "resuming: looking who leads");
	if (m->election.ha.state == HA_NOTACTIVE)
		ha_resume(&m->election.ha);
	schedule_want(&m->net, "resume");
}

bool
release_without_sweep(struct manager *m)
{
	if (m->release != RELEASE_ASKED || subnet_is_master(&m->net))
		return false;
	release_end(m);
	return true;
}

void
release_end(struct manager *m)
{
	uint32_t left = 0;

	if (subnet_is_master(&m->net)) {
		sweep_stop_leading(m);
		left = release_count_keys(m).ours;
	}
	m->release = RELEASE_DONE;
	m->releasing = false;
	ha_rest(&m->election.ha);
	schedule_clear(&m->net);
	if (left)
		log_line(m->net.log, LOG_WARN, "keys", "released, but %u ports could not be written and keep their M_Key; it opens "
			"%u s after another manager has tried to write them", left, m->net.conf->m_key_lease_period_s);
	log_line(m->net.log, LOG_NOTE, "ha", "released: this manager is not active until it is resumed or restarted");
}

struct manager_keys
release_count_keys(const struct manager *m)
{
	const struct snapshot *s = m->net.served.s;
	struct manager_keys k = { 0 };

	for (uint32_t i = 0; s && i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct port_info info = port_info_decode(p->info);
		uint64_t ours = subnet_mkey(&m->net, p->guid);

		if (!(p->flags & FAB_PORT_INFO))
			k.unknown++;
		else if (!info.mkey && !info.mkey_protect)
			k.open++;
		else if (ours && info.mkey == ours)
			k.ours++;
		else
			k.others++;
	}
	return k;
}

void
release_log_keys(struct manager *m)
{
	struct manager_keys k = release_count_keys(m), *was = &m->keys_logged;

	if (!subnet_protects(&m->net) || (k.open == was->open && k.others == was->others && k.unknown == was->unknown))
		return;
	log_line(m->net.log, k.others ? LOG_WARN : LOG_NOTE, "keys", "M_Keys: %u ports protected, %u unprotected, %u protected by a foreign key, "
		"%u not read", k.ours, k.open, k.others, k.unknown);
	m->keys_logged = k;
}

json_t *
release_keys_json(const struct manager *m)
{
	static const char *const words[] = { [RELEASE_NONE] = "no", [RELEASE_ASKED] = "under way", [RELEASE_DONE] = "done" };
	struct manager_keys k = release_count_keys(m);

	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:s}",
		"m_key", !subnet_protects(&m->net) ? "none" : m->net.conf->m_key == CONF_MKEY_AUTO ? "per port" : "one for all",
		"lease_s", (int)m->net.conf->m_key_lease_period_s, "protected", (int)k.ours, "unprotected", (int)k.open,
		"foreign", (int)k.others, "unknown", (int)k.unknown, "released", words[m->release]);
}
