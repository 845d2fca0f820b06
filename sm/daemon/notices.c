/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * notices.c - telling subscribers: traps of devices, ports that come and go, groups that come and go.
 * Room: sm/daemon.  In: traps, sweeps, groups.  Out: Reports; subscriptions that nobody answers for are dropped.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "util/xalloc.h"

enum {
	TRAP_GID_IN = 64, TRAP_GID_OUT = 65, TRAP_MGID_CREATED = 66, TRAP_MGID_DELETED = 67,
	GEN_SHIFT = 16, TYPE_SM = 3, PRODUCER_CLASS_MANAGER = 4, DETAILS_GID = 6, TYPE_EMPTY = 0x7f,
};

#define REST_MAX_US INT64_C(10000000)
/* Subscriptions that are looked at in one go: when thousands of ports come at once, thousands want to hear of each. */
#define LOOKS_MAX 16384u
#define NEWS_MAX 262144u                /* a power of two times the first room; the oldest give way */

/* A GID that came into service, or went out of it, and that nobody was told of yet. */
struct news {
	uint64_t guid, port_guid;
	bool in;
};
struct notices {
	struct news *v;                 /* a ring */
	uint32_t first, n, cap;
};

void
notices_reset(struct manager *m)
{
	notices_free(m);
	m->notices = xcalloc(1, sizeof(*m->notices));
}

void
notices_free(struct manager *m)
{
	if (m->notices)
		free(m->notices->v);
	free(m->notices);
	m->notices = NULL;
}

bool
notices_wait(const struct manager *m)
{
	return m->net.served.plan && (m->notices->n || mcast_has_event(m->mcast));
}

static void
push(struct notices *t, struct news news)
{
	if (t->n == NEWS_MAX) {
		t->first = (t->first + 1) % t->cap;
		t->n--;
	} else if (t->n == t->cap) {
		uint32_t cap = t->cap ? t->cap * 2 : 64;
		struct news *v = xcalloc(cap, sizeof(*v));

		for (uint32_t i = 0; i < t->n; i++)
			v[i] = t->v[(t->first + i) % t->cap];
		free(t->v);
		*t = (struct notices){ v, 0, t->n, cap };
	}
	t->v[(t->first + t->n++) % t->cap] = news;
}

static void
put_gid(const struct manager *m, uint8_t gid[static 16], uint64_t guid)
{
	wire_put64(gid, m->net.conf->subnet_prefix);
	wire_put64(gid + 8, guid);
}

/* Those that nothing holds up; half of what may be on the wire is left to sweeps. */
static void
send_reports(struct manager *m)
{
	unsigned slot, most = m->net.conf->max_wire_smps > 1 ? m->net.conf->max_wire_smps / 2 : 1;
	const uint8_t *image;
	uint32_t id;

	while (reports_next(m->reports, most, &slot, &id, &image)) {
		const struct inform_sub *s = inform_by_id(m->inform, id);
		struct txn_req r = {
			.target = slot, .cookie = slot | (uint64_t)m->reports_gen << GEN_SHIFT, .mgmt_class = CLASS_SA,
			.method = METHOD_REPORT, .attr_id = SA_NOTICE_ID, .payload = image,
			.payload_offset = SA_HEAD_BYTES, .payload_bytes = SA_NOTICE_BYTES,
		};

		if (!s) {                       /* ended meanwhile */
			reports_done(m->reports, slot);
			continue;
		}
		r.addr = &s->addr;
		m->report_sub[slot] = id;
		txn_target_reset(m->net.txn, TARGET_REPORTS + slot);        /* it was another subscriber's */
		subnet_submit(&m->net, &r, OWN_REPORT);
	}
}

/* Tells those who asked for it and may know: 'guid' is the port it is about, or 'pkey' the group's. */
static void
tell(struct manager *m, const struct sa_notice *n, uint64_t guid, uint16_t pkey)
{
	const struct inform_sub *s;
	uint8_t w[SA_NOTICE_BYTES] = { 0 };
	struct report_image *image;

	if (!m->net.served.sa || !inform_count(m->inform))
		return;
	sa_notice_encode(w, n);
	image = reports_image(w);
	for (uint32_t i = 0; (s = inform_at(m->inform, i)) != NULL; i++)
		if (inform_matches(s, n) &&
		    (pkey ? sa_port_holds(m->net.served.sa, s->port_guid, pkey) : !guid || sa_ports_share(m->net.served.sa, s->port_guid, guid)))
			reports_put(m->reports, s, image);
	reports_let_go(image);
}

/* A notice of our own. */
static struct sa_notice
own_notice(const struct manager *m, uint16_t trap, const uint8_t gid[static 16])
{
	struct sa_notice n = { .notice = { .is_generic = 1, .type = TYPE_SM, .producer_type = PRODUCER_CLASS_MANAGER,
		.trap_number = trap, .issuer_lid = m->net.served.plan->sm_lid } };

	put_gid(m, n.issuer_gid, m->net.port.port_guid);
	memcpy(n.notice.details + DETAILS_GID, gid, 16);
	return n;
}

/* The time within which a device repeats a trap that was not repressed, and as much again. */
static int64_t
rest_us(const struct manager *m)
{
	int64_t us = (INT64_C(4096) << m->net.conf->subnet_timeout) / 1000 * 2;

	return us < REST_MAX_US ? us : REST_MAX_US;
}

static void
tell_trap(struct manager *m, const struct notice *trap)
{
	struct sa_notice n = { .notice = *trap };
	const struct lid_map *l;
	uint32_t port;

	if (!m->net.served.plan || !m->net.served.sa || trap->type == TYPE_EMPTY)
		return;
	l = &m->net.served.plan->lids;
	if (!n.notice.issuer_lid)
		n.notice.issuer_lid = m->net.served.plan->sm_lid;
	if (n.notice.issuer_lid > l->top || l->owner[n.notice.issuer_lid] == FAB_NONE)
		return;                 /* of nobody we know */
	port = l->owner[n.notice.issuer_lid];
	put_gid(m, n.issuer_gid, m->net.served.s->ports[port].guid);
	tell(m, &n, m->net.served.s->ports[port].guid, 0);
}

void
notices_trap(struct manager *m, const struct notice *trap, uint64_t tid)
{
	if (m->net.served.sa && trap->type != TYPE_EMPTY && traps_take(m->trap_kinds, trap, tid, rest_us(m), m->net.now))
		tell_trap(m, trap);
}

static void
tell_news(struct manager *m, const struct news *news)
{
	struct sa_notice n;
	uint8_t gid[16];

	put_gid(m, gid, news->guid);
	n = own_notice(m, news->in ? TRAP_GID_IN : TRAP_GID_OUT, gid);
	/* Of a port that has gone nobody can say any more whose partner it was: those who share one with us are told. */
	tell(m, &n, news->in ? news->port_guid : m->net.port.port_guid, 0);
}

void
notices_alias(struct manager *m, bool in, uint64_t guid, uint64_t port_guid)
{
	if (inform_count(m->inform))
		push(m->notices, (struct news){ guid, port_guid, in });
}

/* A port with all its GIDs. */
static void
port_notice(struct manager *m, bool in, uint64_t port_guid)
{
	uint64_t guids[ALIAS_ENTRIES_MAX];
	uint32_t n = aliases_of(m, port_guid, guids);

	notices_alias(m, in, port_guid, port_guid);
	for (uint32_t i = 0; i < n; i++)
		notices_alias(m, in, guids[i], port_guid);
}

/* End ports that have a LID, one by one in the order of their GUIDs. */
static bool
next_guid(const struct snapshot *s, const struct lid_map *l, uint32_t *i, uint64_t *guid)
{
	for (; *i < s->nendports; ++*i)
		if (l->base[s->endports[*i]]) {
			*guid = s->ports[s->endports[*i]].guid;
			return true;
		}
	return false;
}

/* Subscriptions of ports that have gone end: nobody is there to be told. */
static void
drop_gone(struct manager *m, const struct snapshot *old, const struct lid_map *old_lids)
{
	uint64_t *gone = xcalloc((size_t)old->nendports + 1, sizeof(*gone)), guid;
	uint32_t n = 0;

	for (uint32_t i = 0; next_guid(old, old_lids, &i, &guid); i++) {
		uint32_t port = snapshot_port_by_guid(m->net.served.s, guid);

		if (port == FAB_NONE || !m->net.served.plan->lids.base[port])
			gone[n++] = guid;
	}
	inform_drop_ports(m->inform, gone, n);
	free(gone);
}

void
notices_gone(struct manager *m, const struct snapshot *old, const struct lid_map *old_lids)
{
	uint32_t i = 0, k = 0;
	uint64_t was = 0, is = 0;

	if (!inform_count(m->inform))
		return;
	drop_gone(m, old, old_lids);
	for (;;) {
		bool a = next_guid(old, old_lids, &i, &was), b = next_guid(m->net.served.s, &m->net.served.plan->lids, &k, &is);

		if (!a && !b)
			return;
		if (a && (!b || was < is)) {
			port_notice(m, false, was);
			i++;
		} else if (!a || is < was) {
			port_notice(m, true, is);
			k++;
		} else {
			i++;
			k++;
		}
	}
}

void
notices_pump(struct manager *m)
{
	uint32_t most = LOOKS_MAX / (inform_count(m->inform) + 1) + 1;
	struct notices *t = m->notices;
	struct mcast_event e;
	struct notice trap;

	while (traps_due(m->trap_kinds, m->net.now, &trap))
		tell_trap(m, &trap);
	for (; m->net.served.plan && t->n && most; most--) {
		tell_news(m, &t->v[t->first]);
		t->first = (t->first + 1) % t->cap;
		t->n--;
	}
	for (; m->net.served.plan && most && mcast_next_event(m->mcast, &e); most--) {
		struct sa_notice n = own_notice(m, e.created ? TRAP_MGID_CREATED : TRAP_MGID_DELETED, e.mgid);

		tell(m, &n, 0, e.pkey);
	}
	send_reports(m);
}

void
notices_end(struct manager *m, const struct txn_end *e)
{
	unsigned slot = (unsigned)(e->cookie & 0xffff);
	const struct inform_sub *s;

	if (e->cookie >> GEN_SHIFT != m->reports_gen)   /* of a time before we stood by */
		return;
	s = inform_by_id(m->inform, m->report_sub[slot]);
	reports_done(m->reports, slot);
	if (!s || (e->kind != TXN_END_TIMED_OUT && e->kind != TXN_END_SEND_FAILED))
		return;
	subnet_log_limited(&m->net, LOG_NOTE, "inform", LOG_KIND_INFORM, s->port_guid,
		"0x%016llx does not answer for its subscription: dropped", (unsigned long long)s->port_guid);
	inform_drop(m->inform, s->id);
}
