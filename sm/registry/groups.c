/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.c - multicast groups across sweeps: their tables, and joins that wait until those are
 * written.
 * Room: sm/registry.  Pure.  In: joins and leaves that the SA has granted, sweeps.
 * Out: Sets of multicast tables, answers.
 *
 * A round takes all groups that have changed, plans their trees and writes the rows that differ.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "sm/conf/conf.h"
#include "sm/diff/diff.h"
#include "sm/registry/aliases.h"
#include "sm/registry/grace.h"
#include "sm/registry/groups.h"
#include "sm/registry/table_round.h"
#include "util/bits.h"
#include "util/xalloc.h"

enum {
	ROUNDS_MAX = 8,         /* that a join waits for when sweeps wrote its tables meanwhile */
};
#define MLID_WORDS ((MLID_LAST - MLID_FIRST) / 64 + 1)

/* A granted join whose answer is held. */
struct held_join {
	struct held_answer answer;
	uint8_t mgid[16];
	uint64_t port_guid;
	uint16_t mlid;
	uint8_t bits;                   /* join bits that it added */
	uint8_t rounds;                 /* that it took part in */
	bool lost;                      /* the port is beyond the tree */
};

struct groups {
	struct table_round round;
	struct held_join *held;
	uint32_t nheld, cap_held;
	uint64_t checked[MLID_WORDS];   /* by MLID, within one round: 'written' is known */
	uint64_t written[MLID_WORDS];   /* its tree is */
	uint64_t since[MLID_WORDS];     /* by MLID: changed since groups_copy() */
	bool found;             /* net->tables.mft has what was read for the plan under way */
};

uint32_t
groups_mlids(const struct snapshot *s)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];
		bool known = n->flags & FAB_NODE_SWITCH_INFO;
		uint16_t cap = known ? switch_info_decode(n->switch_info).mft_cap : 0;

		if (cap && cap < least)
			least = cap;
	}
	return least == UINT32_MAX ? 0 : least;
}

uint16_t
groups_mft_top(const struct snapshot *s)
{
	uint32_t mlids = groups_mlids(s);

	return (uint16_t)(mlids ? MLID_FIRST + mlids - 1 : 0);
}

/* ---- a new start ---- */

void
groups_free(struct registry *reg)
{
	struct groups *g = reg->groups;

	mcast_free(reg->mcast);
	reg->mcast = NULL;
	reg->groups = NULL;
	if (!g)
		return;
	table_round_finish(&g->round);
	free(g->held);
	free(g);
}

static struct mcast_conf
mcast_conf_of(const struct conf *conf, uint32_t mlids)
{
	struct mcast_conf c = MCAST_CONF_DEFAULTS;

	c.gid_prefix = conf->subnet_prefix;
	c.consolidate_snm = conf->consolidate_ipv6_snm_req;
	if (mlids)
		c.mlids = mlids;
	return c;
}

void
groups_reset(struct registry *reg, struct subnet *net, struct sa_stats *stats)
{
	struct mcast_conf c = mcast_conf_of(net->conf, 0);
	uint16_t gen = 0;

	if (reg->groups) {              /* its requests may end later: the round number goes on */
		table_round_cancel(&reg->groups->round, net);
		gen = reg->groups->round.gen;
		stats->silent_not_ready += reg->groups->nheld;  /* the next master is asked again */
	}
	groups_free(reg);
	reg->groups = xcalloc(1, sizeof(*reg->groups));
	reg->groups->round.owner = OWN_MFT;
	reg->groups->round.phase = CHANGE_MFT;
	reg->groups->round.gen = gen;
	mft_seen_clear(net->tables.mft);
	reg->mcast = mcast_new(&c);
	groups_set_partitions(reg, net);
}

void
groups_found(struct registry *reg, const struct subnet *net, const struct snapshot *s)
{
	struct mcast_conf c = mcast_conf_of(net->conf, groups_mlids(s));

	mcast_free(reg->mcast);         /* it is empty: we have not been master yet */
	reg->mcast = mcast_new(&c);
	mcast_set_known(reg->mcast, reg->mgids);
	reg->groups->found = true;
}

enum listed { LISTED, PARTITION_LISTED, NOT_LISTED };

/* Whether the group belongs to a configured partition. */
static enum listed
find_in_partitions(const struct partitions *p, const struct mcmember_record *rec)
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

/*
 * Groups that only an older configuration listed are deleted with their partition.  If the
 * partition still exists, they are deleted with their last full member.
 */
static void
end_unlisted_groups(struct registry *reg, const struct partitions *p)
{
	const struct mcast_group *g, *next;

	for (g = mcast_next(reg->mcast, 0); g; g = next) {
		enum listed how = find_in_partitions(p, &g->rec);
		uint8_t mgid[16];

		next = mcast_after(reg->mcast, g);
		memcpy(mgid, g->rec.mgid, sizeof(mgid));
		if (how == NOT_LISTED && (g->permanent || p->file))
			mcast_end_group(reg->mcast, mgid);
		else if (how == PARTITION_LISTED && g->permanent)
			mcast_release_group(reg->mcast, mgid);
	}
}

void
groups_set_partitions(struct registry *reg, const struct subnet *net)
{
	const struct partitions *p = net->conf->partitions;

	end_unlisted_groups(reg, p);
	for (uint32_t i = 0; i < p->n; i++)
		for (uint32_t k = 0; k < p->v[i].ngroups; k++)
			mcast_add_group(reg->mcast, p->v[i].pkey, &p->v[i].groups[k]);
}

/* ---- trees ---- */

/* Adds the members of that MLID that have not registered again. */
static struct mcast_leaf *
add_inherited_leaves(const struct registry *reg, const struct snapshot *s, uint16_t mlid,
	struct mcast_leaf *leaves, uint32_t *n)
{
	struct inherited_members l;

	inherited_members(grace_inherited(reg), mlid, &l);
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
make_leaves(const struct registry *reg, const struct snapshot *s, uint16_t mlid, uint32_t *n)
{
	const struct mcast_group *first = mcast_by_mlid(reg->mcast, mlid);
	struct mcast_leaf *leaves;
	uint32_t most = 0;

	for (const struct mcast_group *g = first; g; g = mcast_sibling(g))
		most += g->nmembers;
	leaves = xcalloc((size_t)most + 1, sizeof(*leaves));
	*n = 0;
	for (const struct mcast_group *g = first; g; g = mcast_sibling(g))
		for (uint32_t i = 0; i < g->nmembers; i++) {
			uint32_t port = aliases_port(reg, s, g->members[i].port_guid);

			if (port != FAB_NONE)
				leaves[(*n)++] = (struct mcast_leaf){ port,
					g->members[i].join_state & MCAST_HEARS, false };
		}
	return add_inherited_leaves(reg, s, mlid, leaves, n);
}

static void
warn_beyond_tree(const struct subnet *net, const struct snapshot *s, uint16_t mlid, uint32_t beyond)
{
	if (beyond && s->nswitches)
		subnet_log_limited(net, LOG_WARN, "mcast", LOG_KIND_MCAST, mlid,
			"%u members of MLID 0x%04x are beyond its tree", beyond, mlid);
}

/* The SLs of the groups with that MLID, as bits. */
static uint16_t
sls_of(const struct registry *reg, uint16_t mlid)
{
	uint16_t sls = 0;

	for (const struct mcast_group *g = mcast_by_mlid(reg->mcast, mlid); g; g = mcast_sibling(g))
		sls |= (uint16_t)(1u << g->rec.sl % 16);
	return sls;
}

/* Plans the tree of one MLID in a plan of 's'.  True: some member is beyond every tree. */
static bool
plan_tree(const struct registry *reg, const struct subnet *net, const struct snapshot *s,
	const struct plan *p, uint16_t mlid)
{
	uint32_t n, beyond;
	struct mcast_leaf *leaves = make_leaves(reg, s, mlid, &n);

	if (plan_mcast_serves(p->mcast, sls_of(reg, mlid)))
		beyond = plan_mcast_group(p->mcast, mlid, leaves, n);
	else
		beyond = n;             /* no span is legal for its SL */
	warn_beyond_tree(net, s, mlid, beyond);
	free(leaves);
	return beyond && s->nswitches;
}

/* ---- a new plan ---- */

void
groups_copy(struct registry *reg, struct group_trees *t)
{
	memset(reg->groups->since, 0, sizeof(reg->groups->since));
	group_trees_make(t, reg->mcast, reg->alias, grace_inherited(reg));
}

/* Whether the switch 'n' kept its unicast table since we wrote it, and its MulticastFDBTop. */
static bool
tables_survived(const struct snapshot *served, const struct fab_node *n)
{
	uint32_t old = snapshot_node_by_guid(served, n->guid);
	const struct fab_node *was = old == FAB_NONE ? NULL : &served->nodes[old];

	return was && was->sw != FAB_NONE && n->flags & FAB_NODE_LFT_KEPT &&
		switch_info_decode(n->switch_info).mft_top ==
		switch_info_decode(was->switch_info).mft_top;
}

/*
 * A switch that kept its unicast table kept its multicast table too; the tables of the others count
 * as unknown.
 */
static void
refresh_seen(struct registry *reg, const struct subnet *net, const struct snapshot *s)
{
	uint64_t *known;

	if (reg->groups->found) {       /* just read */
		reg->groups->found = false;
		return;
	}
	known = xcalloc(BITS_WORDS(s->nswitches) + 1, sizeof(*known));
	for (uint32_t sw = 0; net->served.plan && sw < s->nswitches; sw++)
		if (tables_survived(net->served.s, &s->nodes[s->switches[sw]]))
			bits_set(known, sw);
	mft_seen_keep(net->tables.mft, s, known);
	free(known);
}

void
groups_plan(struct registry *reg, const struct subnet *net, const struct plan *plan,
	const struct group_trees *t)
{
	const struct snapshot *s = plan->snapshot;

	refresh_seen(reg, net, s);
	for (uint32_t i = 0; i < t->n; i++)
		warn_beyond_tree(net, s, t->v[i].mlid, t->v[i].beyond);
	for (uint32_t i = 0; i <= MLID_LAST - MLID_FIRST; i++)
		if (bits_test(reg->groups->since, i))
			plan_tree(reg, net, s, plan, (uint16_t)(MLID_FIRST + i));
}

/* ---- the served plan changes ---- */

void
groups_leave_served(struct registry *reg, struct subnet *net)
{
	struct groups *g = reg->groups;
	const struct change_list *l = &g->round.list;
	const struct snapshot *s = net->served.s;

	/*
	 * Their Sets are outstanding and are cancelled, because they use routes of the old
	 * snapshot: the content is unknown.
	 */
	for (uint32_t i = 0; i < l->n; i++)
		mft_seen_put(net->tables.mft, s->nodes[s->switches[l->v[i].subject]].guid,
			l->v[i].block, NULL);
	table_round_cancel(&g->round, net);
	for (uint32_t i = 0; i < g->nheld; i++)
		g->held[i].answer.in_round = false;
}

static bool
lacks_pkey(const struct registry *reg, const struct subnet *net, uint64_t member, uint16_t pkey)
{
	uint32_t port = aliases_port(reg, net->served.s, member);

	return group_trees_port_lacks_pkey(net->served.s, net->served.sa, port, pkey);
}

/*
 * Removes the members (that one, or all if 'guid' is 0) of the groups with that MLID that lack the
 * P_Key.
 */
static void
check_members(struct registry *reg, const struct subnet *net, uint16_t mlid, uint64_t guid)
{
	const struct mcast_group *g, *next;

	for (g = mcast_by_mlid(reg->mcast, mlid); g; g = next) {
		uint8_t mgid[16];

		next = mcast_sibling(g);
		memcpy(mgid, g->rec.mgid, sizeof(mgid));
		for (uint32_t i = g->nmembers; i-- > 0 && mcast_find(reg->mcast, mgid) == g;) {
			uint64_t member = g->members[i].port_guid;

			if ((!guid || member == guid) && lacks_pkey(reg, net, member, g->rec.pkey))
				mcast_undo(reg->mcast, mgid, member, 0xff);
		}
	}
}

static void
remove_member(
	struct registry *reg, const struct subnet *net, uint16_t mlid, const struct group_member *r)
{
	if (!r->inherited) {
		check_members(reg, net, mlid, r->guid);
		return;
	}
	grace_release(reg, net->served.s, mlid, r->guid);
	mcast_look_again(reg->mcast, mlid);
}

void
groups_check_members(struct registry *reg, const struct subnet *net, const struct group_trees *t)
{
	uint32_t k = 0;

	for (uint32_t i = 0; t->nlacking && i < t->n; i++)
		for (; k < t->v[i].end; k++)
			if (t->members[k].lacks_pkey)
				remove_member(reg, net, t->v[i].mlid, &t->members[k]);
	/* Members that joined since the copy was made. */
	for (uint32_t i = 0; i <= MLID_LAST - MLID_FIRST; i++) {
		uint16_t mlid = (uint16_t)(MLID_FIRST + i);

		if (bits_test(reg->groups->since, i) || mcast_is_changed(reg->mcast, mlid))
			check_members(reg, net, mlid, 0);
	}
}

void
groups_swept(struct registry *reg, const struct subnet *net)
{
	struct mcast_conf c = mcast_conf_of(net->conf, groups_mlids(net->served.s));
	uint32_t n, gone = 0;
	uint64_t *guids;

	mcast_set_conf(reg->mcast, &c);
	n = mcast_ports(reg->mcast, &guids);
	for (uint32_t i = 0; i < n; i++)
		if (!aliases_is_served(reg, net, guids[i]))
			guids[gone++] = guids[i];
	mcast_drop_ports(reg->mcast, guids, gone);
	free(guids);
	/* Ports that were beyond the tree before may be on it now. */
	for (uint32_t i = 0; i < reg->groups->nheld; i++)
		mcast_look_again(reg->mcast, reg->groups->held[i].mlid);
}

/* ---- rounds ---- */

/* Undoes the join. */
static void
refuse_join(struct registry *reg, struct held_join *h)
{
	mcast_undo(reg->mcast, h->mgid, h->port_guid, h->bits);
	table_round_refuse(&h->answer);
}

uint8_t
groups_joined_before(const struct registry *reg, const struct dgram *req)
{
	struct mcmember_record want = mcmember_record_decode(req->mad + SA_HEAD_BYTES);
	const struct mcast_group *g = mcast_find(reg->mcast, want.mgid);
	const struct mcast_member *r = g ? mcast_member(g, gid_guid(want.port_gid)) : NULL;

	return r ? r->join_state : 0;
}

void
groups_hold_answer(struct registry *reg, struct subnet *net, const struct dgram *req,
	const uint8_t *mad, uint8_t before)
{
	struct groups *g = reg->groups;
	struct mcmember_record got = mcmember_record_decode(mad + SA_HEAD_BYTES);
	struct held_join h = { .answer = { .addr = req->addr },
		.mlid = got.mlid,
		.port_guid = gid_guid(got.port_gid),
		.bits = (uint8_t)(got.join_state & ~before) };
	struct held_join *v = table_round_room(g->held, g->nheld, &g->cap_held, sizeof(*v));

	memcpy(h.answer.mad, mad, sizeof(h.answer.mad));
	memcpy(h.mgid, got.mgid, sizeof(h.mgid));
	if (v)
		g->held = v;
	if (!v || !table_round_admit(&g->round, &h.answer)) {
		refuse_join(reg, &h);
		table_round_answer(net, &h.answer);
		return;
	}
	g->held[g->nheld++] = h;
}

/*
 * Plans the trees that have changed: in the served plan, and in the plan that a sweep is about to
 * write, which would otherwise restore older trees.
 */
static void
plan_changed_trees(struct registry *reg, struct subnet *net, const struct plan *coming)
{
	struct groups *g = reg->groups;
	uint64_t planned[MLID_WORDS] = { 0 }, beyond[MLID_WORDS] = { 0 };
	uint16_t mlid;

	while ((mlid = mcast_take_changed(reg->mcast)) != 0) {
		size_t of = (size_t)(mlid - MLID_FIRST);

		if (plan_tree(reg, net, net->served.s, net->served.plan, mlid))
			bits_set(beyond, of);
		if (coming && coming->mcast)
			plan_tree(reg, net, coming->snapshot, coming, mlid);
		bits_set(planned, of);
		bits_set(g->since, of);
	}
	for (uint32_t i = 0; i < g->nheld; i++) {
		size_t of = (size_t)(g->held[i].mlid - MLID_FIRST);

		if (bits_test(planned, of))
			g->held[i].lost = bits_test(beyond, of);
	}
}

/* Rows that could not be written before are tried again for the joins that wait for them. */
static void
retry_failed_rows(struct groups *g, struct mcast_plan *p)
{
	memset(g->checked, 0, sizeof(g->checked));
	for (uint32_t i = 0; i < g->nheld; i++) {
		size_t of = (size_t)(g->held[i].mlid - MLID_FIRST);

		if (!bits_test(g->checked, of))
			plan_mcast_again(p, g->held[i].mlid);
		bits_set(g->checked, of);
	}
	memset(g->checked, 0, sizeof(g->checked));
}

static void
begin_round(struct registry *reg, struct subnet *net, const struct plan *coming)
{
	struct groups *g = reg->groups;
	struct changes changes;

	for (uint32_t i = 0; i < g->nheld; i++) {
		g->held[i].answer.in_round = true;
		g->held[i].rounds++;
	}
	plan_changed_trees(reg, net, coming);
	memset(g->written, 0, sizeof(g->written));
	retry_failed_rows(g, net->served.plan->mcast);
	diff_groups(net->served.observed, net->served.plan, &changes);
	table_round_begin(&g->round, net, &changes);
}

/* Whether the tree is known to be written. */
static bool
is_tree_written(struct groups *g, const struct served *served, uint16_t mlid)
{
	uint32_t i = (uint32_t)(mlid - MLID_FIRST);

	if (!bits_test(g->checked, i)) {
		bits_set(g->checked, i);
		if (plan_mcast_settled(served->plan->mcast, served->observed->tables->mft, mlid))
			bits_set(g->written, i);
	}
	return bits_test(g->written, i);
}

/* Whether the port is no member any more, or is beyond the tree. */
static bool
has_join_failed(const struct registry *reg, const struct held_join *h)
{
	const struct mcast_group *group = mcast_find(reg->mcast, h->mgid);

	return !group || !mcast_member(group, h->port_guid) || h->lost;
}

/*
 * Whether all Sets of the round succeeded and yet the tree is not written, because a sweep wrote
 * the same tables.
 */
static bool
is_join_overtaken(
	struct groups *g, const struct served *served, const struct held_join *h, uint32_t nfailed)
{
	return !nfailed && h->rounds < ROUNDS_MAX && !is_tree_written(g, served, h->mlid);
}

/* The round has ended.  True: the join was answered; false: it waits for the next round. */
static bool
end_join(struct registry *reg, struct subnet *net, struct held_join *h, uint32_t nfailed)
{
	const struct served *served = &net->served;
	bool failed;

	if (!h->answer.in_round)
		return false;
	failed = has_join_failed(reg, h);
	if (!failed && is_join_overtaken(reg->groups, served, h, nfailed)) {
		h->answer.in_round = false;
		return false;
	}
	if (failed || !is_tree_written(reg->groups, served, h->mlid))
		refuse_join(reg, h);
	else
		grace_release(reg, net->served.s, h->mlid, h->port_guid);
	table_round_answer(net, &h->answer);
	table_round_dismiss(&reg->groups->round, &h->answer);
	return true;
}

static void
finish_round(struct registry *reg, struct subnet *net)
{
	struct groups *g = reg->groups;
	uint32_t kept = 0, nfailed = table_round_failed(&g->round);

	for (uint32_t i = 0; i < g->nheld; i++)
		if (!end_join(reg, net, &g->held[i], nfailed))
			g->held[kept++] = g->held[i];
	g->nheld = kept;
	table_round_finish(&g->round);
	if (nfailed)
		schedule_look_again(net, "a multicast table could not be written");
}

static bool
has_work(const struct registry *reg, const struct plan *served)
{
	return reg->groups->round.apply || reg->groups->nheld || mcast_has_changed(reg->mcast) ||
		plan_mcast_has_changed(served->mcast);
}

void
groups_pump(struct registry *reg, struct subnet *net, const struct plan *coming)
{
	struct groups *g = reg->groups;
	const struct plan *served = net->served.plan;

	if (!served || !served->mcast || g->round.paused || !subnet_is_master(net))
		return;
	while (has_work(reg, served)) {
		if (!g->round.apply)
			begin_round(reg, net, coming);
		if (!table_round_pump(&g->round, net))
			return;
		finish_round(reg, net);
	}
}

void
groups_pause(struct registry *reg, struct subnet *net, bool pause)
{
	if (pause)
		groups_leave_served(reg, net);
	reg->groups->round.paused = pause;
}

void
groups_end(struct registry *reg, const struct txn_end *e)
{
	table_round_take_end(&reg->groups->round, e);
}
