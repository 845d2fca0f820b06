/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.c - multicast groups across sweeps: their tables, and joins that wait until those are written.
 * Room: sm/daemon.  In: joins and leaves that the SA has granted, sweeps.  Out: Sets of multicast tables, answers.
 *
 * Between sweeps, and beside one, tables are written in rounds (rounds.h): a round takes all groups that have changed, plans
 * their trees and writes the rows that differ.  A join whose tree could not be written is taken back and answered with "no resources".
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "util/bits.h"
#include "util/xalloc.h"

enum {
	ROUNDS_MAX = 8,                 /* a join whose tables were overtaken waits for so many rounds */
};
#define MLID_WORDS ((MLID_LAST - MLID_FIRST) / 64 + 1)

/* A granted join whose answer waits. */
struct held {
	struct waiting w;
	uint8_t mgid[16];
	uint64_t port_guid;
	uint16_t mlid;
	uint8_t bits;                   /* that it brought */
	uint8_t rounds;                 /* that it took part in */
	bool lost;
};

struct groups {
	struct mft_seen *seen;
	struct round round;
	struct held *held;
	uint32_t nheld, cap_held;
	/* by MLID, within one round: looked at; found to be written */
	uint64_t judged[MLID_WORDS], good[MLID_WORDS];
	uint64_t since[MLID_WORDS];     /* by MLID: taken from 'mcast' since the copy for the plan that is being made */
	bool found;                     /* 'seen' has what was read for the plan that is being made */
};

uint32_t
groups_mlids(const struct snapshot *s)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];
		uint16_t cap = n->flags & FAB_NODE_SWITCH_INFO ? switch_info_decode(n->switch_info).mft_cap : 0;

		if (cap && cap < least)
			least = cap;
	}
	return least == UINT32_MAX ? 0 : least;
}

/* ---- a new start ---- */

void
groups_free(struct manager *m)
{
	struct groups *g = m->groups;

	mcast_free(m->mcast);
	m->mcast = NULL;
	grace_free(m);
	inform_free(m->inform);
	reports_free(m->reports);
	traps_free(m->trap_kinds);
	notices_free(m);
	m->inform = NULL;
	services_free(m->services);
	m->services = NULL;
	if (!g)
		return;
	round_end(&g->round);
	m->sa_stats.silent_not_ready += g->nheld;       /* the next master is asked again */
	mft_seen_free(g->seen);
	free(g->held);
	free(g);
	m->groups = NULL;
}

static struct mcast_conf
mcast_conf_of(const struct manager *m, uint32_t mlids)
{
	struct mcast_conf c = MCAST_CONF_DEFAULTS;

	c.gid_prefix = m->net.conf->subnet_prefix;
	c.consolidate_snm = m->net.conf->consolidate_ipv6_snm_req;
	if (mlids)
		c.mlids = mlids;
	return c;
}

void
groups_reset(struct manager *m)
{
	struct mcast_conf c = mcast_conf_of(m, 0);
	uint16_t gen = 0;

	if (m->groups) {                /* ends of its requests come later */
		round_cancel(m, &m->groups->round);
		gen = m->groups->round.gen;
	}
	groups_free(m);
	m->groups = xcalloc(1, sizeof(*m->groups));
	m->groups->round.owner = OWN_MFT;
	m->groups->round.phase = CHANGE_MFT;
	m->groups->round.gen = gen;
	m->groups->seen = mft_seen_new();
	grace_reset(m);
	m->inform = inform_new();
	m->reports = reports_new();
	m->reports_gen++;
	m->trap_kinds = traps_new();
	notices_reset(m);
	m->services = services_new();
	m->mcast = mcast_new(&c);
	groups_partitions(m);
}

struct mft_seen *
groups_seen(const struct manager *m)
{
	return m->groups->seen;
}

void
groups_found(struct manager *m)
{
	struct mcast_conf c = mcast_conf_of(m, groups_mlids(m->fresh));

	mcast_free(m->mcast);           /* it has nobody in it: we have not led yet */
	m->mcast = mcast_new(&c);
	mcast_set_known(m->mcast, m->mgids);
	m->groups->found = true;
}

enum listed { LISTED, PARTITION_LISTED, NOT_LISTED };

/* Whether the partitions bring that group along. */
static enum listed
listed(const struct partitions *p, const struct mcmember_record *rec)
{
	for (uint32_t i = 0; i < p->n; i++) {
		if ((p->v[i].pkey ^ rec->pkey) & 0x7fff)
			continue;
		for (uint32_t k = 0; k < p->v[i].ngroups; k++)
			if (!memcmp(p->v[i].groups[k].mgid, rec->mgid, sizeof(rec->mgid)))
				return LISTED;
		return PARTITION_LISTED;
	}
	return NOT_LISTED;
}

/* What an older file brought along goes with its partition; where that is still there, with its last full member. */
static void
end_unlisted(struct manager *m)
{
	const struct mcast_group *g, *next;

	for (g = mcast_next(m->mcast, 0); g; g = next) {
		enum listed how = listed(m->net.conf->partitions, &g->rec);
		uint8_t mgid[16];

		next = mcast_after(m->mcast, g);
		memcpy(mgid, g->rec.mgid, sizeof(mgid));
		if (how == NOT_LISTED && (g->permanent || m->net.conf->partitions->file))
			mcast_end_group(m->mcast, mgid);
		else if (how == PARTITION_LISTED && g->permanent)
			mcast_release_group(m->mcast, mgid);
	}
}

void
groups_partitions(struct manager *m)
{
	const struct partitions *p = m->net.conf->partitions;

	end_unlisted(m);
	for (uint32_t i = 0; i < p->n; i++)
		for (uint32_t k = 0; k < p->v[i].ngroups; k++)
			mcast_add_group(m->mcast, p->v[i].pkey, &p->v[i].groups[k]);
}

/* ---- trees ---- */

/* Adds the members of that MLID that have not registered again. */
static struct mcast_leaf *
add_inherited(const struct manager *m, const struct snapshot *s, uint16_t mlid, struct mcast_leaf *leaves,
	uint32_t *n)
{
	struct inherited_members l;

	inherited_members(grace_inherited(m), mlid, &l);
	if (l.n)
		leaves = xreallocarray(leaves, (size_t)*n + l.n, sizeof(*leaves));
	for (uint32_t i = 0; i < l.n; i++) {
		uint32_t port = snapshot_port_by_guid(s, l.v[i].port_guid);

		if (port != FAB_NONE)
			leaves[(*n)++] = (struct mcast_leaf){ port, l.v[i].hears, true };
	}
	free(l.v);
	return leaves;
}

/* The members of all groups with that MLID; the caller frees. */
static struct mcast_leaf *
leaves_of(const struct manager *m, const struct snapshot *s, uint16_t mlid, uint32_t *n)
{
	const struct mcast_group *first = mcast_by_mlid(m->mcast, mlid);
	struct mcast_leaf *leaves;
	uint32_t most = 0;

	for (const struct mcast_group *g = first; g; g = mcast_sibling(g))
		most += g->nmembers;
	leaves = xcalloc((size_t)most + 1, sizeof(*leaves));
	*n = 0;
	for (const struct mcast_group *g = first; g; g = mcast_sibling(g))
		for (uint32_t i = 0; i < g->nmembers; i++) {
			uint32_t port = aliases_port(m, s, g->members[i].port_guid);

			if (port != FAB_NONE)
				leaves[(*n)++] = (struct mcast_leaf){ port, g->members[i].join_state & MCAST_HEARS,
					false };
		}
	return add_inherited(m, s, mlid, leaves, n);
}

static void
warn_beyond(const struct manager *m, const struct snapshot *s, uint16_t mlid, uint32_t beyond)
{
	if (beyond && s->nswitches)
		subnet_log_limited(&m->net, LOG_WARN, "mcast", LOG_KIND_MCAST, mlid,
			"%u members of MLID 0x%04x are beyond its tree", beyond, mlid);
}

/* Plans the tree of one MLID.  '*lost': some member is beyond every tree. */
static void
plan_group(struct manager *m, const struct snapshot *s, struct plan *p, uint16_t mlid, bool *lost)
{
	uint32_t n, beyond;
	struct mcast_leaf *leaves = leaves_of(m, s, mlid, &n);

	beyond = plan_mcast_group(p->mcast, mlid, leaves, n);
	warn_beyond(m, s, mlid, beyond);
	*lost = beyond && s->nswitches;
	free(leaves);
}

/* ---- all trees at once, for another thread ---- */

static void
copy_member(struct group_trees *t, struct group_member r)
{
	if (t->nmembers == t->cap_members) {
		t->cap_members = t->cap_members ? t->cap_members * 2 : 1024;
		t->members = xreallocarray(t->members, t->cap_members, sizeof(*t->members));
	}
	t->members[t->nmembers++] = r;
}

static void
copy_members(const struct manager *m, const struct mcast_group *g, struct group_trees *t)
{
	bool aliases = alias_count(m->alias);

	for (uint32_t i = 0; i < g->nmembers; i++) {
		const struct mcast_member *r = &g->members[i];

		copy_member(t, (struct group_member){ .guid = r->port_guid,
			.owner = aliases ? alias_owner(m->alias, r->port_guid) : 0,
			.hears = r->join_state & MCAST_HEARS });
	}
}

static void
copy_inherited(const struct manager *m, uint16_t mlid, struct group_trees *t)
{
	struct inherited_members l;

	inherited_members(grace_inherited(m), mlid, &l);
	for (uint32_t i = 0; i < l.n; i++)
		copy_member(t, (struct group_member){ .guid = l.v[i].port_guid, .hears = l.v[i].hears,
			.inherited = true });
	free(l.v);
}

void
groups_copy(struct manager *m, struct group_trees *t)
{
	const struct inherited *h = grace_inherited(m);
	const struct mcast_group *g = mcast_next(m->mcast, 0);
	uint16_t found = inherited_next(h, 0);

	memset(m->groups->since, 0, sizeof(m->groups->since));
	t->v = xcalloc((size_t)mcast_count(m->mcast) + inherited_count(h) + 1, sizeof(*t->v));
	while (g || found) {            /* both in the order of MLIDs */
		uint16_t mlid = !g || (found && found < g->rec.mlid) ? found : g->rec.mlid;
		struct group_tree *tree = &t->v[t->n++];

		*tree = (struct group_tree){ .mlid = mlid, .inherited = mlid == found };
		for (; g && g->rec.mlid == mlid; g = mcast_after(m->mcast, g)) {
			tree->pkey = g->rec.pkey;
			copy_members(m, g, t);
		}
		if (tree->inherited) {
			copy_inherited(m, mlid, t);
			found = inherited_next(h, mlid + 1u);
		}
		tree->end = t->nmembers;
	}
}

static uint32_t
port_of(const struct snapshot *s, const struct group_member *r)
{
	uint32_t port = snapshot_port_by_guid(s, r->guid);

	return port == FAB_NONE && r->owner ? snapshot_port_by_guid(s, r->owner) : port;
}

static bool
lacks_pkey(const struct snapshot *s, const struct sa_index *x, uint32_t port, uint16_t pkey)
{
	return port != FAB_NONE && s->ports[port].flags & FAB_PORT_PKEYS && !sa_port_holds(x, s->ports[port].guid, pkey);
}

void
groups_find_strangers(struct group_trees *t, const struct snapshot *s, const struct sa_index *x)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < t->n; i++)
		for (; k < t->v[i].end; k++) {
			t->members[k].stranger = t->v[i].pkey &&
				lacks_pkey(s, x, port_of(s, &t->members[k]), t->v[i].pkey);
			t->nstrangers += t->members[k].stranger;
		}
}

void
groups_grow(struct group_trees *t, const struct snapshot *s, struct mcast_plan *p)
{
	struct mcast_leaf *leaves = xcalloc((size_t)t->nmembers + 1, sizeof(*leaves));
	uint32_t first = 0, sw, row;

	for (uint32_t i = 0; i < t->n; first = t->v[i++].end) {
		uint32_t n = 0;

		for (uint32_t k = first; k < t->v[i].end; k++) {
			uint32_t port = port_of(s, &t->members[k]);

			if (port != FAB_NONE)
				leaves[n++] = (struct mcast_leaf){ port, t->members[k].hears,
					t->members[k].inherited };
		}
		if (t->v[i].end > first || t->v[i].inherited)
			t->v[i].beyond = plan_mcast_group(p, t->v[i].mlid, leaves, n);
	}
	free(leaves);
	while (plan_mcast_take(p, &sw, &row))
		;                       /* the sweep looks at all rows */
}

void
groups_trees_clear(struct group_trees *t)
{
	free(t->v);
	free(t->members);
	memset(t, 0, sizeof(*t));
}

/* A switch that kept its unicast table since we wrote it, and MulticastFDBTop, kept its multicast table. */
static void
refresh_seen(struct manager *m)
{
	const struct snapshot *s = m->fresh;
	uint64_t *known;

	if (m->groups->found) {         /* just read */
		m->groups->found = false;
		return;
	}
	known = xcalloc(BITS_WORDS(s->nswitches) + 1, sizeof(*known));
	for (uint32_t sw = 0; m->net.served.plan && sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];
		uint32_t old = snapshot_node_by_guid(m->net.served.s, n->guid);
		uint32_t old_sw = old == FAB_NONE ? FAB_NONE : m->net.served.s->nodes[old].sw;

		if (old_sw != FAB_NONE && n->flags & FAB_NODE_LFT_KEPT &&
		    switch_info_decode(n->switch_info).mft_top == switch_info_decode(m->net.served.s->nodes[old].switch_info).mft_top)
			bits_set(known, sw);
	}
	mft_seen_keep(m->groups->seen, s, known);
	free(known);
}

void
groups_plan(struct manager *m, const struct group_trees *t)
{
	struct plan *p = m->fresh_plan;
	uint32_t mlids = groups_mlids(m->fresh);
	bool lost;

	p->mft_top = (uint16_t)(mlids ? MLID_FIRST + mlids - 1 : 0);
	p->mft_seen = m->groups->seen;
	refresh_seen(m);
	for (uint32_t i = 0; i < t->n; i++)
		warn_beyond(m, m->fresh, t->v[i].mlid, t->v[i].beyond);
	for (uint32_t i = 0; i <= MLID_LAST - MLID_FIRST; i++)
		if (bits_test(m->groups->since, i))
			plan_group(m, m->fresh, p, (uint16_t)(MLID_FIRST + i), &lost);
}

void
groups_swap(struct manager *m)
{
	struct groups *g = m->groups;
	const struct change_list *l = &g->round.list;

	for (uint32_t i = 0; i < l->n; i++)     /* Sets are under way: who knows */
		mft_seen_put(g->seen, m->net.served.s->nodes[m->net.served.s->switches[l->v[i].subject]].guid, l->v[i].block, NULL);
	round_cancel(m, &g->round);     /* they go by routes of the snapshot that is about to go */
	for (uint32_t i = 0; i < g->nheld; i++)
		g->held[i].w.in_round = false;
}

static bool
in_service(const struct manager *m, uint64_t port_guid)
{
	uint32_t port = aliases_port(m, m->net.served.s, port_guid);

	return port != FAB_NONE && m->net.served.plan->lids.base[port];
}

static bool
service_stays(void *arg, const struct service *s)
{
	return in_service(arg, s->port_guid);
}

/* Members of groups with that MLID, all or that one (0: all), that are no longer in the partition leave. */
static void
judge(struct manager *m, uint16_t mlid, uint64_t guid)
{
	const struct mcast_group *g, *next;

	for (g = mcast_by_mlid(m->mcast, mlid); g; g = next) {
		uint8_t mgid[16];

		next = mcast_sibling(g);
		memcpy(mgid, g->rec.mgid, sizeof(mgid));
		for (uint32_t i = g->nmembers; i-- > 0 && mcast_find(m->mcast, mgid) == g;) {
			uint64_t member = g->members[i].port_guid;

			if ((!guid || member == guid) && lacks_pkey(m->net.served.s, m->net.served.sa, aliases_port(m, m->net.served.s, member), g->rec.pkey))
				mcast_undo(m->mcast, mgid, member, 0xff);
		}
	}
}

static void
expel(struct manager *m, uint16_t mlid, const struct group_member *r)
{
	if (!r->inherited) {
		judge(m, mlid, r->guid);
		return;
	}
	grace_release(m, m->net.served.s, mlid, r->guid);
	mcast_look_again(m->mcast, mlid);
}

void
groups_judge(struct manager *m, const struct group_trees *t)
{
	uint32_t k = 0;

	for (uint32_t i = 0; t->nstrangers && i < t->n; i++)
		for (; k < t->v[i].end; k++)
			if (t->members[k].stranger)
				expel(m, t->v[i].mlid, &t->members[k]);
	for (uint32_t mlid = MLID_FIRST; mlid <= MLID_LAST; mlid++)     /* who came since */
		if (bits_test(m->groups->since, mlid - MLID_FIRST) || mcast_is_changed(m->mcast, (uint16_t)mlid))
			judge(m, (uint16_t)mlid, 0);
}

void
groups_swept(struct manager *m)
{
	struct mcast_conf c = mcast_conf_of(m, groups_mlids(m->net.served.s));
	uint32_t n, gone = 0;
	uint64_t *guids;

	mcast_set_conf(m->mcast, &c);
	n = mcast_ports(m->mcast, &guids);
	for (uint32_t i = 0; i < n; i++)
		if (!in_service(m, guids[i]))
			guids[gone++] = guids[i];
	mcast_drop_ports(m->mcast, guids, gone);
	free(guids);
	services_keep(m->services, service_stays, m);
	for (uint32_t i = 0; i < m->groups->nheld; i++) /* who was beyond the tree before may be on it now */
		mcast_look_again(m->mcast, m->groups->held[i].mlid);
}

/* ---- rounds ---- */

/* Takes the join back. */
static void
refuse(struct manager *m, struct held *h)
{
	mcast_undo(m->mcast, h->mgid, h->port_guid, h->bits);
	round_refuse(&h->w);
}

uint8_t
groups_before(const struct manager *m, const struct dgram *req)
{
	struct mcmember_record want = mcmember_record_decode(req->mad + SA_HEAD_BYTES);
	const struct mcast_group *g = mcast_find(m->mcast, want.mgid);
	const struct mcast_member *r = g ? mcast_member(g, wire_get64(want.port_gid + 8)) : NULL;

	return r ? r->join_state : 0;
}

void
groups_answer(struct manager *m, const struct dgram *req, const uint8_t *mad, uint8_t before)
{
	struct groups *g = m->groups;
	struct mcmember_record got = mcmember_record_decode(mad + SA_HEAD_BYTES);
	struct held h = { .w = { .addr = req->addr }, .mlid = got.mlid, .port_guid = wire_get64(got.port_gid + 8),
		.bits = (uint8_t)(got.join_state & ~before) };
	struct held *v = round_room(g->held, g->nheld, &g->cap_held, sizeof(*v));

	memcpy(h.w.mad, mad, sizeof(h.w.mad));
	memcpy(h.mgid, got.mgid, sizeof(h.mgid));
	if (v)
		g->held = v;
	if (!v || !round_admit(&g->round, &h.w)) {
		refuse(m, &h);
		round_answer(m, &h.w);
		return;
	}
	g->held[g->nheld++] = h;
}

/*
 * Plans what has changed; also in the plan that a sweep is about to write, which would else put back what it found
 * when it was made.
 */
static void
plan_changed(struct manager *m)
{
	struct groups *g = m->groups;
	uint64_t planned[MLID_WORDS] = { 0 }, beyond[MLID_WORDS] = { 0 };
	uint16_t mlid;
	bool lost, later;

	while ((mlid = mcast_take_changed(m->mcast)) != 0) {
		plan_group(m, m->net.served.s, m->net.served.plan, mlid, &lost);
		if (m->fresh && m->fresh_plan && m->fresh_plan->mcast)
			plan_group(m, m->fresh, m->fresh_plan, mlid, &later);
		bits_set(planned, (size_t)(mlid - MLID_FIRST));
		bits_set(g->since, (size_t)(mlid - MLID_FIRST));
		if (lost)
			bits_set(beyond, (size_t)(mlid - MLID_FIRST));
	}
	for (uint32_t i = 0; i < g->nheld; i++) {
		size_t of = (size_t)(g->held[i].mlid - MLID_FIRST);

		if (bits_test(planned, of))
			g->held[i].lost = bits_test(beyond, of);
	}
}

static void
begin_round(struct manager *m)
{
	struct groups *g = m->groups;
	struct changes changes;

	for (uint32_t i = 0; i < g->nheld; i++) {
		g->held[i].w.in_round = true;
		g->held[i].rounds++;
	}
	plan_changed(m);
	memset(g->judged, 0, sizeof(g->judged));
	memset(g->good, 0, sizeof(g->good));
	for (uint32_t i = 0; i < g->nheld; i++) {               /* what failed before is tried for a join again */
		uint16_t of = g->held[i].mlid;

		if (!bits_test(g->judged, (size_t)(of - MLID_FIRST)))
			plan_mcast_again(m->net.served.plan->mcast, of);
		bits_set(g->judged, (size_t)(of - MLID_FIRST));
	}
	memset(g->judged, 0, sizeof(g->judged));
	diff_groups(m->net.served.plan, &changes);
	round_begin(m, &g->round, &changes);
}

/* Whether the tree is known to be written. */
static bool
settled(struct manager *m, uint16_t mlid)
{
	struct groups *g = m->groups;
	uint32_t i = (uint32_t)(mlid - MLID_FIRST);

	if (!bits_test(g->judged, i)) {
		bits_set(g->judged, i);
		if (plan_mcast_settled(m->net.served.plan->mcast, g->seen, mlid))
			bits_set(g->good, i);
	}
	return bits_test(g->good, i);
}

/* Whether the port is no member any more, or is beyond the tree. */
static bool
failed(struct manager *m, const struct held *h)
{
	const struct mcast_group *group = mcast_find(m->mcast, h->mgid);

	return !group || !mcast_member(group, h->port_guid) || h->lost;
}

/* Whether all Sets of the round were answered, and yet the tree is not written: a sweep wrote the same tables. */
static bool
overtaken(struct manager *m, const struct held *h, uint32_t nfailed)
{
	return !nfailed && h->rounds < ROUNDS_MAX && !settled(m, h->mlid);
}

static void
finish_round(struct manager *m)
{
	struct groups *g = m->groups;
	uint32_t kept = 0, nfailed = round_failed(&g->round);

	for (uint32_t i = 0; i < g->nheld; i++) {
		struct held *h = &g->held[i];

		if (!h->w.in_round || (!failed(m, h) && overtaken(m, h, nfailed))) {
			h->w.in_round = false;
			g->held[kept++] = *h;
			continue;
		}
		if (failed(m, h) || !settled(m, h->mlid))
			refuse(m, h);
		else
			grace_release(m, m->net.served.s, h->mlid, h->port_guid);
		round_answer(m, &h->w);
		round_dismiss(&g->round, &h->w);
	}
	g->nheld = kept;
	round_end(&g->round);
	if (nfailed)
		schedule_look_again(&m->net, "a multicast table could not be written");
}

void
groups_pump(struct manager *m)
{
	struct groups *g = m->groups;

	if (!m->net.served.plan || !m->net.served.plan->mcast || g->round.paused || !subnet_is_master(&m->net))
		return;
	while (g->round.apply || g->nheld || mcast_has_changed(m->mcast) || plan_mcast_has_changed(m->net.served.plan->mcast)) {
		if (!g->round.apply)
			begin_round(m);
		if (!round_pump(m, &g->round))
			return;
		finish_round(m);
	}
}

void
groups_pause(struct manager *m, bool pause)
{
	if (pause)
		groups_swap(m);
	m->groups->round.paused = pause;
}

void
groups_end(struct manager *m, const struct txn_end *e)
{
	round_take_end(&m->groups->round, e);
}
