/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * standbys.c - the standby SMs of this master.
 * Room: sm/ha.  In: SMInfos of other SMs from a light or heavy sweep.  Out: log lines, the list for
 * the status document.
 */
#include <config.h>
#include "sm/ha/standbys.h"
#include "util/guid.h"

static const char *
host_name(const struct subnet *n, uint64_t guid, char *buf, size_t len)
{
	uint32_t p = n->served.s ? snapshot_port_by_guid(n->served.s, guid) : FAB_NONE;

	if (p == FAB_NONE)
		return "a host that is not connected";
	return snapshot_desc_text(&n->served.s->nodes[n->served.s->ports[p].node], buf, len);
}

static void
log_change(
	const struct standbys *l, const struct subnet *n, const struct standby *b, const char *what)
{
	char name[NODE_DESC_BYTES * 3 + 1];

	log_line(n->log, b->alive ? LOG_NOTE : LOG_WARN, "ha",
		"%s: 0x%016llx (priority %u) on %s; %u standing by", what,
		(unsigned long long)b->info.guid, b->info.priority,
		host_name(n, b->info.guid, name, sizeof(name)), standbys_count_alive(l));
}

static struct standby *
standby_by_guid(struct standbys *l, uint64_t guid)
{
	for (unsigned i = 0; i < l->n; i++)
		if (l->v[i].info.guid == guid)
			return &l->v[i];
	return NULL;
}

/*
 * In a full list, a new standby replaces one that is gone; with STANDBYS_MAX alive, it is not
 * listed.
 */
static struct standby *
standby_add(struct standbys *l)
{
	if (l->n < STANDBYS_MAX)
		return &l->v[l->n++];
	for (unsigned i = 0; i < l->n; i++)
		if (!l->v[i].alive)
			return &l->v[i];
	return NULL;
}

static void
note_standby(struct standbys *l, const struct subnet *n, const struct sm_info *si)
{
	struct standby *b = standby_by_guid(l, si->guid);
	bool back = b && !b->alive;

	if (!b) {
		b = standby_add(l);
		if (!b)
			return;
		*b = (struct standby){ .since = n->now };
	} else if (b->alive) {
		b->info = *si;
		b->seen = true;
		return;
	}
	*b = (struct standby){ .info = *si, .since = n->now, .alive = true, .seen = true };
	log_change(l, n, b, back ? "standby is back" : "standby");
}

void
standbys_update(struct standbys *l, const struct subnet *n, const struct ha *h,
	const struct sm_info *answers, unsigned nanswers)
{
	for (unsigned i = 0; i < l->n; i++)
		l->v[i].seen = false;
	for (unsigned i = 0; i < nanswers; i++)
		if (answers[i].state == HA_STANDBY && ha_same_key(h, &answers[i]))
			note_standby(l, n, &answers[i]);
	for (unsigned i = 0; i < l->n; i++) {
		struct standby *b = &l->v[i];

		if (b->seen || !b->alive)
			continue;
		b->alive = false;
		b->since = n->now;
		log_change(l, n, b, "standby lost");
	}
}

void
standbys_reset(struct standbys *l)
{
	l->n = 0;
}

unsigned
standbys_count_alive(const struct standbys *l)
{
	unsigned n = 0;

	for (unsigned i = 0; i < l->n; i++)
		n += l->v[i].alive;
	return n;
}

json_t *
standbys_json(const struct standbys *l, struct monotime now)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < l->n; i++) {
		const struct standby *b = &l->v[i];

		json_array_append_new(a,
			json_pack("{s:o, s:i, s:b, s:f}", "guid", guid_to_json(b->info.guid),
				"priority", b->info.priority, "alive", b->alive, "since_s",
				(double)monotime_sub_us(now, b->since) / 1e6));
	}
	return a;
}
