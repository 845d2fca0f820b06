/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast_request.c - checks joins and leaves.
 * Room: sm/sub.  Pure.  docs/sa.md: multicast groups; docs/wire.md: MCMemberRecord.
 * Every check comes before any change: a refused request changes nothing.
 */
#include <config.h>
#include <string.h>
#include "fabric/snapshot/rate.h"
#include "libmad/attr/mgid.h"
#include "sm/sub/mcast_int.h"

enum { LIFE_DEFAULT = 18 };
#define IPOIB_QKEY 0x0b1bu
#define NEED_JOIN (MCAST_COMP(mgid) | MCAST_COMP(port_gid) | MCAST_COMP(join_state))
#define NEED_CREATE (NEED_JOIN | MCAST_COMP(qkey) | MCAST_COMP(tclass) | MCAST_COMP(pkey) | \
	MCAST_COMP(sl) | MCAST_COMP(flow_label))

static bool
is_given(uint64_t mask, uint64_t component)
{
	return mask & component;
}

/* A selector is ignored without its value, and a value without its selector. */
static bool
is_qualified(uint64_t mask, uint64_t both)
{
	return (mask & both) == both;
}

static bool
is_selected(unsigned selector, unsigned have, unsigned value)
{
	switch (selector) {
	case SELECTOR_GREATER: return have > value;
	case SELECTOR_LESS: return have < value;
	case SELECTOR_EXACTLY: return have == value;
	default: return true;
	}
}

static bool
is_zero(const uint8_t gid[static 16])
{
	static const uint8_t zero[16];

	return !memcmp(gid, zero, sizeof(zero));
}

bool
mcast_matches(const struct mcmember_record *g, const struct mcmember_record *w, uint64_t mask)
{
	if ((is_given(mask, MCAST_COMP(mgid)) && memcmp(g->mgid, w->mgid, 16)) ||
	    (is_given(mask, MCAST_COMP(mlid)) && g->mlid != w->mlid) ||
	    (is_given(mask, MCAST_COMP(qkey)) && g->qkey != w->qkey) ||
	    (is_given(mask, MCAST_COMP(tclass)) && g->tclass != w->tclass) ||
	    (is_given(mask, MCAST_COMP(sl)) && g->sl != w->sl) ||
	    (is_given(mask, MCAST_COMP(flow_label)) && g->flow_label != w->flow_label) ||
	    (is_given(mask, MCAST_COMP(hop_limit)) && g->hop_limit != w->hop_limit) ||
	    (is_given(mask, MCAST_COMP(scope)) && g->scope != w->scope))
		return false;
	/* Two limited members never match. */
	if (is_given(mask, MCAST_COMP(pkey)) &&
	    ((g->pkey ^ w->pkey) & PKEY_BASE_MASK || !((g->pkey | w->pkey) & PKEY_MEMBER_FULL)))
		return false;
	return !(is_qualified(mask, MCAST_SELECTED(mtu)) &&
		       !is_selected(w->mtu_selector, g->mtu, w->mtu)) &&
		!(is_qualified(mask, MCAST_SELECTED(rate)) &&
			!is_selected(w->rate_selector, fab_rate_rank(g->rate),
				fab_rate_rank(w->rate))) &&
		!(is_qualified(mask, MCAST_SELECTED(life)) &&
			!is_selected(w->life_selector, g->life, w->life));
}

uint16_t
mcast_pkey(const struct mcast *m, const struct mcmember_record *want)
{
	const struct group *g = mcast_group(m, want->mgid);

	return g ? g->g.rec.pkey : want->pkey;
}

/* ---- a new group ---- */

static bool
mgid_valid(const uint8_t mgid[static 16])
{
	if (!gid_is_multicast(mgid))
		return false;
	if (mgid_is_ip(mgid))
		return true;
	return mgid_flags(mgid) <= MGID_FLAG_TRANSIENT &&
		!(mgid_signature(mgid) == MGID_SIGNATURE_SA &&
			mgid_scope(mgid) == SCOPE_LINK_LOCAL);
}

/* An IPoIB group must match the broadcast group of its partition, or be that group. */
static bool
ipoib_valid(const struct mcast *m, const struct mcast_request *a)
{
	const uint8_t *mgid = a->want.mgid;
	uint8_t broadcast[16];
	const struct group *g;

	if (!mgid_is_ip(mgid))
		return true;
	mgid_make_broadcast(broadcast, mgid_scope(mgid), mgid_pkey(mgid));
	if (!memcmp(broadcast, mgid, 16))
		return !((a->want.pkey ^ mgid_pkey(mgid)) & PKEY_BASE_MASK);
	g = mcast_group(m, broadcast);
	return g && mcast_matches(&g->g.rec, &a->want, a->mask &
		(MCAST_COMP(qkey) | MCAST_COMP(pkey) | MCAST_COMP(tclass) | MCAST_COMP(sl) |
		 MCAST_COMP(flow_label) | MCAST_COMP(hop_limit)));
}

/*
 * The value that a new group gets: the port's maximum if the request has no value or only a bound,
 * otherwise the requested value if the port supports it.  Larger codes mean larger values.  0: not
 * possible.
 */
static unsigned
realise_value(bool asked, unsigned selector, unsigned value, unsigned port)
{
	if (!asked)
		return port;
	switch (selector) {
	case SELECTOR_GREATER: return port > value ? port : 0;
	case SELECTOR_LESS: return value ? (value > port ? port : value - 1) : 0;
	case SELECTOR_EXACTLY: return value <= port ? value : 0;
	default: return port;
	}
}

static uint8_t
realise_life(const struct mcast_request *a)
{
	unsigned life = a->want.life;

	if (!is_qualified(a->mask, MCAST_SELECTED(life)))
		return LIFE_DEFAULT;
	switch (a->want.life_selector) {
	case SELECTOR_GREATER:
		return (uint8_t)(life < LIFE_DEFAULT   ? LIFE_DEFAULT :
				life < PACKET_LIFE_MAX ? life + 1 :
							 PACKET_LIFE_MAX);
	case SELECTOR_LESS:
		return (uint8_t)(life > LIFE_DEFAULT ? LIFE_DEFAULT : life ? life - 1 : 0);
	case SELECTOR_EXACTLY: return (uint8_t)life;
	default: return LIFE_DEFAULT;
	}
}

/* Makes an MGID that no group has, from the subnet prefix and a number. */
static void
make_mgid(struct mcast *m, uint8_t scope, uint8_t mgid[static 16])
{
	do
		mgid_make_own(mgid, scope, m->conf.gid_prefix, m->next_mgid++);
	while (mcast_group(m, mgid));
}

/* The common fields of the group that 'a' creates; STATUS_OK, or the reason for refusal. */
static uint16_t
design_group(struct mcast *m, const struct mcast_request *a, struct mcmember_record *rec)
{
	const struct mcmember_record *w = &a->want;
	bool chosen = !is_zero(w->mgid);

	if (!(w->join_state & MCAST_OWNS))
		return STATUS_SA_INVALID;
	if ((a->mask & NEED_CREATE) != NEED_CREATE)
		return STATUS_SA_COMPONENTS;
	if (!(w->pkey & PKEY_BASE_MASK) || (chosen && (!mgid_valid(w->mgid) || !ipoib_valid(m, a))))
		return STATUS_SA_INVALID;
	*rec = *w;
	rec->mtu = (uint8_t)realise_value(
		is_qualified(a->mask, MCAST_SELECTED(mtu)), w->mtu_selector, w->mtu, a->port_mtu);
	if (is_qualified(a->mask, MCAST_SELECTED(rate)) && w->rate_selector != SELECTOR_BEST &&
	    !fab_rate_rank(w->rate))
		return STATUS_SA_INVALID;
	rec->rate =
		fab_rate_code((uint8_t)realise_value(is_qualified(a->mask, MCAST_SELECTED(rate)),
			w->rate_selector, fab_rate_rank(w->rate), fab_rate_rank(a->port_rate)));
	rec->life = realise_life(a);
	if (rec->mtu < MTU_CODE_FIRST || rec->mtu > MTU_CODE_LAST || !rec->rate)
		return STATUS_SA_INVALID;
	rec->mtu_selector = rec->rate_selector = rec->life_selector = SELECTOR_EXACTLY;
	if (!chosen)
		make_mgid(m, is_given(a->mask, MCAST_COMP(scope)) ? w->scope : SCOPE_LINK_LOCAL,
			rec->mgid);
	if (!is_given(a->mask, MCAST_COMP(hop_limit)))
		rec->hop_limit = mgid_scope(rec->mgid) == SCOPE_LINK_LOCAL ? 0 : HOP_LIMIT_MAX;
	rec->scope = mgid_scope(rec->mgid);
	memset(rec->port_gid, 0, sizeof(rec->port_gid));
	rec->join_state = rec->proxy_join = 0;
	return STATUS_OK;
}

/* ---- joining and leaving ---- */

/* Only the port itself and trusted requesters may act for the port. */
static uint16_t
check_entitled(const struct mcast_request *a)
{
	if (!a->port_guid)
		return STATUS_SA_INVALID;
	return a->self || a->trusted ? STATUS_OK : STATUS_SA_DENIED;
}

static bool
is_realisable(const struct mcmember_record *rec, const struct mcast_request *a)
{
	return a->in_partition && a->port_mtu >= rec->mtu &&
		fab_rate_rank(a->port_rate) >= fab_rate_rank(rec->rate);
}

/* A port's share of 'all', at most 'most' and at least one. */
static uint32_t
share_of(uint32_t all, uint32_t most)
{
	uint32_t share = all < MCAST_SHARE ? 1 : all / MCAST_SHARE;

	return most < share ? most : share;
}

static bool
within_limits(const struct mcast *m, const struct mcast_request *a, const struct group *g)
{
	const struct mcast_conf *c = &m->conf;
	bool joins = !g || !mcast_member(&g->g, a->port_guid);
	uint32_t has_joins, has_groups, all_groups = c->mlids < c->groups ? c->mlids : c->groups;

	if ((!g && mcast_count(m) >= c->groups) || (joins && m->nmembers >= c->members))
		return false;
	if (a->trusted)
		return true;
	mcast_held(m, a->port_guid, &has_joins, &has_groups);
	return (!joins || has_joins + a->other_joins < share_of(c->members, c->joins_per_port)) &&
		(g || has_groups + a->other_groups < share_of(all_groups, c->groups_per_port));
}

static void
make_answer(const struct mcast_request *a, const struct mcmember_record *rec, uint8_t join_state,
	bool proxy, struct mcmember_record *got)
{
	*got = *rec;
	memcpy(got->port_gid, a->want.port_gid, sizeof(got->port_gid));
	got->join_state = join_state;
	got->proxy_join = proxy;
}

uint16_t
mcast_set(struct mcast *m, const struct mcast_request *a, struct mcmember_record *got)
{
	struct group *g = mcast_group(m, a->want.mgid);
	struct mcmember_record rec;
	const struct mcast_member *r;
	uint16_t status;

	if ((a->mask & NEED_JOIN) != NEED_JOIN)
		return STATUS_SA_COMPONENTS;
	status = check_entitled(a);
	if (status != STATUS_OK)
		return status;
	if (g) {
		rec = g->g.rec;
		if (!a->want.join_state ||
		    !mcast_matches(&rec, &a->want, a->mask & ~MCAST_COMP(scope)))
			return STATUS_SA_INVALID;
	} else {
		status = design_group(m, a, &rec);
		if (status != STATUS_OK)
			return status;
	}
	if (!is_realisable(&rec, a))
		return STATUS_SA_INVALID;
	if (!within_limits(m, a, g))
		return STATUS_SA_NO_RESOURCES;
	if (!g)
		g = mcast_create(m, &rec, a->port_guid, false);
	if (!g)
		return STATUS_SA_NO_RESOURCES;
	r = mcast_add(m, g, a->port_guid, a->want.join_state, !a->self);
	make_answer(a, &g->g.rec, r->join_state, r->proxy, got);
	return STATUS_OK;
}

uint16_t
mcast_delete(struct mcast *m, const struct mcast_request *a, struct mcmember_record *got)
{
	struct group *g = mcast_group(m, a->want.mgid);
	const struct mcast_member *r;
	uint16_t status;
	uint8_t left;

	if ((a->mask & NEED_JOIN) != NEED_JOIN)
		return STATUS_SA_COMPONENTS;
	status = check_entitled(a);
	if (status != STATUS_OK)
		return status;
	r = g ? mcast_member(&g->g, a->port_guid) : NULL;
	if (!r || !a->want.join_state || a->want.join_state & ~r->join_state)
		return STATUS_SA_INVALID;
	left = (uint8_t)(r->join_state & ~a->want.join_state);
	make_answer(a, &g->g.rec, left, r->proxy, got);
	mcast_remove(m, g, a->port_guid, a->want.join_state);
	return STATUS_OK;
}

bool
mcast_add_broadcast(
	struct mcast *m, uint16_t pkey, uint8_t mtu, uint8_t rate, uint8_t sl, uint8_t scope)
{
	struct mcmember_record rec = {
		.qkey = IPOIB_QKEY, .mtu_selector = SELECTOR_EXACTLY, .mtu = mtu,
		.pkey = pkey | PKEY_MEMBER_FULL,
		.rate_selector = SELECTOR_EXACTLY, .rate = rate, .life_selector = SELECTOR_EXACTLY,
		.life = LIFE_DEFAULT, .sl = sl,
		.hop_limit = scope == SCOPE_LINK_LOCAL ? 0 : HOP_LIMIT_MAX, .scope = scope,
	};

	mgid_make_broadcast(rec.mgid, scope, pkey);
	return !mcast_group(m, rec.mgid) && mcast_create(m, &rec, 0, true);
}

bool
mcast_add_group(struct mcast *m, uint16_t pkey, const struct part_group *g)
{
	uint8_t scope = mgid_scope(g->mgid);
	struct mcmember_record rec = {
		.qkey = g->qkey, .mtu_selector = SELECTOR_EXACTLY, .mtu = g->mtu,
		.tclass = g->tclass, .pkey = pkey | PKEY_MEMBER_FULL,
		.rate_selector = SELECTOR_EXACTLY, .rate = g->rate,
		.life_selector = SELECTOR_EXACTLY, .life = LIFE_DEFAULT, .sl = g->sl,
		.flow_label = g->flow_label,
		.hop_limit = scope == SCOPE_LINK_LOCAL ? 0 : HOP_LIMIT_MAX, .scope = scope,
	};

	memcpy(rec.mgid, g->mgid, sizeof(rec.mgid));
	return !mcast_group(m, rec.mgid) && mcast_create(m, &rec, 0, true);
}
