/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * standbys.c - the managers that stand by for us: that they are there, and that one is gone.
 * Room: sm/daemon.  In: what managers answered to SMInfo in a sweep, light or heavy.  Out: the log, the list for status.
 *
 * A master that has lost its standby works as before, until it dies itself: so the loss must be seen when it happens.  Only a
 * manager with our SM_Key can take over, so only those are counted.
 */
#include <config.h>
#include "sm/daemon/manager_int.h"

static const char *
host_name(const struct manager *m, uint64_t guid, char *buf, size_t len)
{
	uint32_t p = m->net.served.s ? snapshot_port_by_guid(m->net.served.s, guid) : FAB_NONE;

	if (p == FAB_NONE)
		return "a host that is not connected";
	return snapshot_desc_text(&m->net.served.s->nodes[m->net.served.s->ports[p].node], buf, len);
}

static void
log_change(const struct manager *m, const struct standby *b, const char *what)
{
	char name[NODE_DESC_BYTES * 3 + 1];

	log_line(m->net.log, b->alive ? LOG_NOTE : LOG_WARN, "ha", "%s: 0x%016llx (priority %u) on %s; %u standing by", what,
		(unsigned long long)b->info.guid, b->info.priority, host_name(m, b->info.guid, name, sizeof(name)), standbys_alive(m));
}

static struct standby *
standby_of(struct manager *m, uint64_t guid)
{
	for (unsigned i = 0; i < m->nstandbys; i++)
		if (m->standbys[i].info.guid == guid)
			return &m->standbys[i];
	return NULL;
}

/* One that is gone makes room for one that is there; with MANAGER_SMS_MAX alive, no further one is listed. */
static struct standby *
standby_new(struct manager *m)
{
	if (m->nstandbys < MANAGER_SMS_MAX)
		return &m->standbys[m->nstandbys++];
	for (unsigned i = 0; i < m->nstandbys; i++)
		if (!m->standbys[i].alive)
			return &m->standbys[i];
	return NULL;
}

static void
standby_seen(struct manager *m, const struct sm_info *si)
{
	struct standby *b = standby_of(m, si->guid);
	bool back = b && !b->alive;

	if (!b) {
		b = standby_new(m);
		if (!b)
			return;
		*b = (struct standby){ .since = m->net.now };
	} else if (b->alive) {
		b->info = *si;
		b->seen = true;
		return;
	}
	*b = (struct standby){ .info = *si, .since = m->net.now, .alive = true, .seen = true };
	log_change(m, b, back ? "standby is back" : "standby");
}

void
standbys_asked(struct manager *m)
{
	for (unsigned i = 0; i < m->nstandbys; i++)
		m->standbys[i].seen = false;
	for (unsigned i = 0; i < m->nsms; i++)
		if (m->sms[i].state == HA_STANDBY && ha_same_key(&m->ha, &m->sms[i]))
			standby_seen(m, &m->sms[i]);
	for (unsigned i = 0; i < m->nstandbys; i++) {
		struct standby *b = &m->standbys[i];

		if (b->seen || !b->alive)
			continue;
		b->alive = false;
		b->since = m->net.now;
		log_change(m, b, "standby lost");
	}
}

void
standbys_reset(struct manager *m)
{
	m->nstandbys = 0;
}

unsigned
standbys_alive(const struct manager *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < m->nstandbys; i++)
		n += m->standbys[i].alive;
	return n;
}

json_t *
standbys_json(const struct manager *m, struct monotime now)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < m->nstandbys; i++) {
		const struct standby *b = &m->standbys[i];

		json_array_append_new(a, json_pack("{s:o, s:i, s:b, s:f}",
			"guid", json_sprintf("0x%016llx", (unsigned long long)b->info.guid), "priority", b->info.priority,
			"alive", b->alive, "since_s", (double)monotime_sub_us(now, b->since) / 1e6));
	}
	return a;
}
