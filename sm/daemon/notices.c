/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * notices.c - telling subscribers: traps of devices, ports that come and go, groups that come and go.
 * Room: sm/daemon.  In: traps, sweeps, groups.  Out: Reports; subscriptions that nobody answers for are dropped.
 */
#include <config.h>
#include <string.h>
#include "sm/daemon/manager_int.h"

enum {
	TRAP_GID_IN = 64, TRAP_GID_OUT = 65, TRAP_MGID_CREATED = 66, TRAP_MGID_DELETED = 67,
	TYPE_SM = 3, PRODUCER_CLASS_MANAGER = 4, DETAILS_GID = 6, TYPE_EMPTY = 0x7f,
};

static void
put_gid(const struct manager *m, uint8_t gid[static 16], uint64_t guid)
{
	wire_put64(gid, m->conf->subnet_prefix);
	wire_put64(gid + 8, guid);
}

static void
report(struct manager *m, const struct inform_sub *s, const uint8_t *image)
{
	struct txn_req r = {
		.target = (uint32_t)(s->port_guid % TARGET_REPORTS_N), .cookie = s->id, .mgmt_class = CLASS_SA,
		.method = METHOD_REPORT, .attr_id = SA_NOTICE_ID, .addr = &s->addr, .payload = image,
		.payload_offset = SA_HEAD_BYTES, .payload_bytes = SA_NOTICE_BYTES,
	};

	manager_submit(m, &r, OWN_REPORT);
}

/* Tells those who asked for it and may know: 'guid' is the port it is about, or 'pkey' the group's. */
static void
tell(struct manager *m, const struct sa_notice *n, uint64_t guid, uint16_t pkey)
{
	const struct inform_sub *s;
	uint8_t image[SA_NOTICE_BYTES] = { 0 };

	if (!m->sa)
		return;
	sa_notice_encode(image, n);
	for (uint32_t i = 0; (s = inform_at(m->inform, i)) != NULL; i++)
		if (inform_matches(s, n) &&
		    (pkey ? sa_port_holds(m->sa, s->port_guid, pkey) : !guid || sa_ports_share(m->sa, s->port_guid, guid)))
			report(m, s, image);
}

/* A notice of our own. */
static struct sa_notice
own_notice(const struct manager *m, uint16_t trap, const uint8_t gid[static 16])
{
	struct sa_notice n = { .notice = { .is_generic = 1, .type = TYPE_SM, .producer_type = PRODUCER_CLASS_MANAGER,
		.trap_number = trap, .issuer_lid = m->plan->sm_lid } };

	put_gid(m, n.issuer_gid, m->c.port.port_guid);
	memcpy(n.notice.details + DETAILS_GID, gid, 16);
	return n;
}

void
notices_trap(struct manager *m, const struct notice *trap)
{
	struct sa_notice n = { .notice = *trap };
	const struct lid_map *l;
	uint32_t port;

	if (!m->plan || !m->sa || trap->type == TYPE_EMPTY)
		return;
	l = &m->plan->lids;
	if (!n.notice.issuer_lid)
		n.notice.issuer_lid = m->plan->sm_lid;
	if (n.notice.issuer_lid > l->top || l->owner[n.notice.issuer_lid] == FAB_NONE)
		return;                 /* of nobody we know */
	port = l->owner[n.notice.issuer_lid];
	put_gid(m, n.issuer_gid, m->served->ports[port].guid);
	tell(m, &n, m->served->ports[port].guid, 0);
}

static void
port_notice(struct manager *m, uint16_t trap, uint64_t guid)
{
	struct sa_notice n;
	uint8_t gid[16];

	put_gid(m, gid, guid);
	n = own_notice(m, trap, gid);
	/* Of a port that has gone nobody can say any more whose partner it was: those who share one with us are told. */
	tell(m, &n, trap == TRAP_GID_IN ? guid : m->c.port.port_guid, 0);
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

void
notices_gone(struct manager *m, const struct snapshot *old, const struct lid_map *old_lids)
{
	uint32_t i = 0, k = 0;
	uint64_t was = 0, is = 0;

	if (!inform_count(m->inform))
		return;
	for (;;) {
		bool a = next_guid(old, old_lids, &i, &was), b = next_guid(m->served, &m->plan->lids, &k, &is);

		if (!a && !b)
			return;
		if (a && (!b || was < is)) {
			inform_drop_port(m->inform, was);
			port_notice(m, TRAP_GID_OUT, was);
			i++;
		} else if (!a || is < was) {
			port_notice(m, TRAP_GID_IN, is);
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
	struct mcast_event e;

	while (m->plan && mcast_next_event(m->mcast, &e)) {
		struct sa_notice n = own_notice(m, e.created ? TRAP_MGID_CREATED : TRAP_MGID_DELETED, e.mgid);

		tell(m, &n, 0, e.pkey);
	}
}

void
notices_end(struct manager *m, const struct txn_end *e)
{
	const struct inform_sub *s = inform_by_id(m->inform, (uint32_t)e->cookie);

	if (e->kind != TXN_END_TIMED_OUT && e->kind != TXN_END_SEND_FAILED)
		return;
	txn_target_reset(m->txn, e->target);            /* others share it */
	if (!s)
		return;
	log_line(m->c.log, LOG_NOTE, "inform", "0x%016llx does not answer for its subscription: dropped",
		(unsigned long long)s->port_guid);
	inform_drop(m->inform, s->id);
}
