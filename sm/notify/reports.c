/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reports.c - reports to subscribers: traps, GIDs and multicast groups that come and go.
 * Room: sm/notify.  Pure.  In: traps, events of the registry.  Out: Reports; a subscription ends
 * when its Report is not answered.  docs/sa.md: subscriptions.
 */
#include <config.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "sm/conf/conf.h"
#include "sm/notify/notify.h"

enum {
	GEN_SHIFT = 16,
};

#define REST_MAX_US INT64_C(10000000)
/*
 * Maximum number of subscriptions checked in one call: if thousands of ports come up, each is
 * reported to thousands of subscribers.
 */
#define LOOKS_MAX 16384u

/* ---- life ---- */

void
notify_begin(struct notify *t)
{
	*t = (struct notify){ .reports = NULL };
	notify_reset(t);
}

void
notify_free(struct notify *t)
{
	reports_free(t->reports);
	traps_free(t->trap_kinds);
	t->reports = NULL;
	t->trap_kinds = NULL;
}

void
notify_reset(struct notify *t)
{
	notify_free(t);
	t->reports = reports_new();
	t->reports_gen++;
	t->trap_kinds = traps_new();
}

bool
notify_waits(const struct registry *reg, const struct subnet *net)
{
	return net->served.plan && (reg->gid_events.n || mcast_has_event(reg->mcast));
}

bool
notify_deadline(const struct notify *t, struct monotime *at)
{
	return traps_deadline(t->trap_kinds, at);
}

/* ---- who gets a report ---- */

static void
put_gid(const struct subnet *net, uint8_t gid[static 16], uint64_t guid)
{
	gid_set(gid, net->conf->subnet_prefix, guid);
}

/*
 * Who may get a notice: if 'pkey' is set, subscribers in that partition; otherwise, if 'guid' is
 * set, subscribers that share a partition with that port; otherwise all.
 */
struct audience {
	uint64_t guid;
	uint16_t pkey;
};

static bool
may_know(const struct sa_index *sa, const struct inform_sub *s, struct audience a)
{
	if (a.pkey)
		return sa_port_holds(sa, s->port_guid, a.pkey);
	return !a.guid || sa_ports_share(sa, s->port_guid, a.guid);
}

static void
queue_reports(struct notify *t, const struct registry *reg, const struct subnet *net,
	const struct sa_notice *n, struct audience a)
{
	const struct inform_sub *s;
	uint8_t w[SA_NOTICE_BYTES] = { 0 };
	struct report_image *image;

	if (!net->served.sa || !inform_count(reg->inform))
		return;
	sa_notice_encode(w, n);
	image = reports_image(w);
	for (uint32_t i = 0; (s = inform_at(reg->inform, i)) != NULL; i++)
		if (inform_matches(s, n) && may_know(net->served.sa, s, a))
			reports_put(t->reports, s, image);
	reports_let_go(image);
}

/* ---- traps ---- */

/* The time within which a device repeats a trap that was not repressed, and as much again. */
static int64_t
rest_time_us(const struct subnet *net)
{
	int64_t us = (INT64_C(4096) << net->conf->subnet_timeout) / 1000 * 2;

	return us < REST_MAX_US ? us : REST_MAX_US;
}

static void
report_trap(struct notify *t, const struct registry *reg, const struct subnet *net,
	const struct notice *trap)
{
	struct sa_notice n = { .notice = *trap };
	const struct plan *plan = net->served.plan;
	uint64_t guid;
	uint32_t port;

	if (!plan || !net->served.sa || trap->type == NOTICE_TYPE_EMPTY)
		return;
	if (!n.notice.issuer_lid)
		n.notice.issuer_lid = plan->sm_lid;
	if (n.notice.issuer_lid > plan->lids.top)
		return;
	port = plan->lids.owner[n.notice.issuer_lid];
	if (port == FAB_NONE)           /* of no port that is served */
		return;
	guid = net->served.s->ports[port].guid;
	put_gid(net, n.issuer_gid, guid);
	queue_reports(t, reg, net, &n, (struct audience){ .guid = guid });
}

void
notify_tell_trap(struct notify *t, const struct registry *reg, const struct subnet *net,
	const struct notice *trap, uint64_t tid)
{
	if (net->served.sa && trap->type != NOTICE_TYPE_EMPTY &&
		traps_take(t->trap_kinds, trap, tid, rest_time_us(net), net->now))
		report_trap(t, reg, net, trap);
}

/* ---- events of the registry ---- */

/* A notice of our own. */
static struct sa_notice
make_notice(const struct subnet *net, uint16_t trap, const uint8_t gid[static 16])
{
	struct sa_notice n = { .notice = { .is_generic = 1, .type = NOTICE_TYPE_SM,
		.producer_type = NOTICE_PRODUCER_MANAGER, .trap_number = trap,
		.issuer_lid = net->served.plan->sm_lid } };

	put_gid(net, n.issuer_gid, net->port.port_guid);
	memcpy(n.notice.details + NOTICE_AT(trap_gid, gid), gid, 16);
	return n;
}

static void
report_gid(struct notify *t, const struct registry *reg, const struct subnet *net,
	const struct gid_event *e)
{
	/*
	 * The partitions of a port that is gone are unknown: subscribers that share a partition
	 * with us get the report.
	 */
	struct audience a = { .guid = e->in ? e->port_guid : net->port.port_guid };
	struct sa_notice n;
	uint8_t gid[16];

	put_gid(net, gid, e->guid);
	n = make_notice(net, e->in ? TRAP_GID_IN_SERVICE : TRAP_GID_OUT_OF_SERVICE, gid);
	queue_reports(t, reg, net, &n, a);
}

static void
report_group(struct notify *t, const struct registry *reg, const struct subnet *net,
	const struct mcast_event *e)
{
	uint16_t trap = e->created ? TRAP_GROUP_CREATED : TRAP_GROUP_DELETED;
	struct sa_notice n = make_notice(net, trap, e->mgid);

	queue_reports(t, reg, net, &n, (struct audience){ .pkey = e->pkey });
}

/* ---- sending ---- */

/* The address of a subscriber.  Its SL is that of the subscription, unless the routing requires one:
 * that may have changed since. */
static struct dgram_addr
subscriber_addr(const struct subnet *net, const struct inform_sub *s)
{
	const struct plan *plan = net->served.plan;
	struct dgram_addr to = s->addr;
	uint32_t port = plan && s->addr.lid <= plan->lids.top ? plan->lids.owner[s->addr.lid] :
								FAB_NONE;

	if (port != FAB_NONE)
		qos_lanes_sl(plan->fwd.lanes, net->served.s, net->served.s->sm_port, port, &to.sl);
	return to;
}

static void
send_report(struct notify *t, struct subnet *net, const struct inform_sub *s, unsigned slot,
	const uint8_t *image)
{
	const struct dgram_addr to = subscriber_addr(net, s);
	struct txn_req r = {
		.addr = &to, .target = slot,
		.cookie = slot | (uint64_t)t->reports_gen << GEN_SHIFT,
		.mgmt_class = CLASS_SA, .method = METHOD_REPORT, .attr_id = SA_NOTICE_ID,
		.payload = image, .payload_offset = SA_HEAD_BYTES, .payload_bytes = SA_NOTICE_BYTES,
	};

	t->report_sub[slot] = s->id;
	txn_target_reset(net->txn, TARGET_REPORTS + slot);      /* it was of another subscriber */
	subnet_submit(net, &r, OWN_REPORT);
}

/* Sends queued reports; half of the window for outstanding requests is left to sweeps. */
static void
send_reports(struct notify *t, const struct registry *reg, struct subnet *net)
{
	unsigned slot, most = net->conf->max_wire_smps > 1 ? net->conf->max_wire_smps / 2 : 1;
	const uint8_t *image;
	uint32_t id;

	while (reports_next(t->reports, most, &slot, &id, &image)) {
		const struct inform_sub *s = inform_by_id(reg->inform, id);

		if (s)
			send_report(t, net, s, slot, image);
		else                    /* the subscription ended meanwhile */
			reports_done(t->reports, slot);
	}
}

void
notify_pump(struct notify *t, struct registry *reg, struct subnet *net)
{
	uint32_t most = LOOKS_MAX / (inform_count(reg->inform) + 1) + 1;
	bool serves = net->served.plan != NULL;
	struct gid_event gid;
	struct mcast_event group;
	struct notice trap;

	while (traps_due(t->trap_kinds, net->now, &trap))
		report_trap(t, reg, net, &trap);
	for (; serves && most && gid_events_take(&reg->gid_events, &gid); most--)
		report_gid(t, reg, net, &gid);
	for (; serves && most && mcast_next_event(reg->mcast, &group); most--)
		report_group(t, reg, net, &group);
	send_reports(t, reg, net);
}

void
notify_end(struct notify *t, struct registry *reg, struct subnet *net, const struct txn_end *e)
{
	unsigned slot = (unsigned)(e->cookie & 0xffff);
	const struct inform_sub *s;

	if (e->cookie >> GEN_SHIFT != t->reports_gen)   /* sent before a reset */
		return;
	s = inform_by_id(reg->inform, t->report_sub[slot]);
	reports_done(t->reports, slot);
	if (!s || (e->kind != TXN_END_TIMED_OUT && e->kind != TXN_END_SEND_FAILED))
		return;
	subnet_log_limited(net, LOG_NOTE, "inform", LOG_KIND_INFORM, s->port_guid,
		"0x%016llx does not answer for its subscription: dropped",
		(unsigned long long)s->port_guid);
	inform_drop(reg->inform, s->id);
}
