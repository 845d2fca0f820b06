/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcmember.c - MCMemberRecord: members of multicast groups, joins and leaves; paths to a group.
 * Room: sm/sa.  Pure.  docs/sa.md: multicast groups.
 * This file collects what is known of the ports; sm/sub checks the request and changes the groups.
 */
#include <config.h>
#include <string.h>
#include "libmad/attr/mgid.h"
#include "sm/sa/path.h"

enum { LIFE_MAX = 31 };
#define OF_MEMBER (MCAST_COMP(port_gid) | MCAST_COMP(join_state) | MCAST_COMP(proxy_join))

/* Appends a row about group 'rec' and its member 'r'; r NULL: the group alone.  False: stop. */
static bool
put_member(struct sa_ctx *c, const struct mcmember_record *want, const struct mcast_group *g,
	const struct mcast_member *r)
{
	uint8_t w[MCMEMBER_RECORD_BYTES] = { 0 };
	struct mcmember_record row = g->rec;

	if (r) {
		gid_set(row.port_gid, c->x->v.gid_prefix, r->port_guid);
		row.join_state = r->join_state;
		row.proxy_join = r->proxy;
	}
	if ((c->mask & MCAST_COMP(join_state) && row.join_state != want->join_state) ||
	    (c->mask & MCAST_COMP(proxy_join) && row.proxy_join != want->proxy_join))
		return true;
	mcmember_record_encode(w, &row);
	return sa_put_row(c, w, sizeof(w));
}

/* The rows of one group.  Trusted requesters see all members; other ports see only themselves. */
static bool
about_group(struct sa_ctx *c, const struct mcmember_record *want, const struct mcast_group *g)
{
	c->looked++;
	if (!sa_has_pkey(c->x, c->requester, g->rec.pkey) || !mcast_matches(&g->rec, want, c->mask))
		return true;
	if (c->mask & MCAST_COMP(port_gid)) {
		uint32_t port = sa_port_by_gid(c->x, want->port_gid);
		const struct mcast_member *r;

		if (port == FAB_NONE || (!c->trusted && port != c->requester))
			return true;
		r = mcast_member(g, gid_guid(want->port_gid));
		return r ? put_member(c, want, g, r) : true;
	}
	if (!c->trusted)
		return put_member(c, want, g, NULL);
	for (uint32_t i = 0; i < g->nmembers; i++)
		if (!put_member(c, want, g, &g->members[i]))
			return false;
	return true;
}

static void
query_groups(struct sa_ctx *c, const struct mcmember_record *want)
{
	const struct mcast *m = c->w->mcast;
	const struct mcast_group *g;

	if (c->mask & MCAST_COMP(mgid)) {
		g = mcast_find(m, want->mgid);
		if (g)
			about_group(c, want, g);
		return;
	}
	for (g = mcast_next(m, 0); g; g = mcast_after(m, g))
		if (!about_group(c, want, g))
			return;
}

/* Counts what the requesting port holds under its other GUIDs: the limits apply to all of them
 * together. */
static void
count_others(const struct sa_index *x, const struct mcast *m, uint32_t port,
	struct mcast_request *a)
{
	const struct fab_port *p = &x->v.s->ports[port];
	unsigned cap = p->info[port_info_at_guid_cap / 8];

	for (unsigned b = 0; x->v.alias && alias_count(x->v.alias) && b * ALIAS_BLOCK_GUIDS < cap;
		b++) {
		uint64_t guids[ALIAS_BLOCK_GUIDS];

		alias_block(x->v.alias, p->guid, (uint8_t)b, guids);
		if (!b)
			guids[0] = p->guid;
		for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++) {
			uint32_t joins, groups;

			if (!guids[i] || guids[i] == a->port_guid)
				continue;
			mcast_held(m, guids[i], &joins, &groups);
			a->other_joins += joins;
			a->other_groups += groups;
		}
	}
}

static uint16_t
change_membership(struct sa_ctx *c, const struct mcmember_record *want)
{
	struct mcast *m = c->w->mcast;
	struct mcast_request a = { .want = *want, .mask = c->mask, .trusted = c->trusted };
	uint32_t port = sa_port_by_gid(c->x, want->port_gid);
	uint64_t prefix = gid_prefix(want->port_gid);
	uint8_t w[MCMEMBER_RECORD_BYTES] = { 0 };
	struct mcmember_record got;
	uint16_t status;

	if (c->mask & MCAST_COMP(port_gid) && prefix != c->x->v.gid_prefix &&
	    prefix != GID_PREFIX_DEFAULT)
		return STATUS_SA_INVALID_GID;
	if (port != FAB_NONE && sa_base_lid(c->x, port)) {
		a.port_guid = gid_guid(want->port_gid);
		count_others(c->x, m, port, &a);
		a.port_mtu = c->x->ports[port].mtu;
		a.port_rate = sa_rate_code(c->x->ports[port].rank);
		a.self = port == c->requester;
		a.in_partition = sa_has_pkey(c->x, port, mcast_pkey(m, want));
	}
	status = c->head.method == METHOD_SET ? mcast_set(m, &a, &got) : mcast_delete(m, &a, &got);
	if (status != STATUS_OK)
		return status;
	mcmember_record_encode(w, &got);
	sa_put_row(c, w, sizeof(w));
	return STATUS_OK;
}

uint16_t
sa_mcmember(struct sa_ctx *c)
{
	struct mcmember_record want = mcmember_record_decode(c->templ);

	if (!c->w->mcast)
		return STATUS_SA_NO_RESOURCES;
	if (c->head.method == METHOD_SET || c->head.method == METHOD_DELETE)
		return change_membership(c, &want);
	query_groups(c, &want);
	return STATUS_OK;
}

/* ---- the path to a group ---- */

static bool
equal_if_given(const struct sa_ctx *c, uint64_t component, uint32_t want, uint32_t have)
{
	return !(c->mask & component) || want == have;
}

/* The source of the path: the named port, otherwise the requester.  FAB_NONE: no port, or two. */
static uint32_t
path_source(const struct sa_ctx *c, const struct path_record *want)
{
	uint32_t by_gid = FAB_NONE, by_lid = FAB_NONE;

	if (c->mask & PATH_COMP(sgid) && (by_gid = sa_port_by_gid(c->x, want->sgid)) == FAB_NONE)
		return FAB_NONE;
	if (c->mask & PATH_COMP(slid) && (by_lid = sa_port_by_lid(c->x, want->slid)) == FAB_NONE)
		return FAB_NONE;
	if (by_gid != FAB_NONE && by_lid != FAB_NONE && by_gid != by_lid)
		return FAB_NONE;
	return by_gid != FAB_NONE ? by_gid : by_lid != FAB_NONE ? by_lid : c->requester;
}

uint16_t
sa_mcast_path(struct sa_ctx *c)
{
	const struct sa_view *v = &c->x->v;
	struct path_record want = path_record_decode(c->templ), row = want;
	const struct mcast_group *g = c->w->mcast ? mcast_find(c->w->mcast, want.dgid) : NULL;
	uint32_t src = path_source(c, &want);
	bool named = c->mask & (PATH_COMP(sgid) | PATH_COMP(slid));
	uint64_t guid;
	uint8_t w[PATH_RECORD_BYTES] = { 0 };

	if (src == FAB_NONE)
		return STATUS_OK;
	guid = c->mask & PATH_COMP(sgid) ? gid_guid(want.sgid) : v->s->ports[src].guid;
	if (!g || !sa_has_pkey(c->x, c->requester, g->rec.pkey) || !sa_visible(c, src) ||
	    (named && !mcast_member(g, guid)))
		return STATUS_OK;
	if (!sa_own_paths(c, src, src))
		return STATUS_SA_DENIED;
	row.hop_limit = mgid_scope(want.dgid) == SCOPE_LINK_LOCAL ? 0 : HOP_LIMIT_MAX;
	if (!equal_if_given(c, PATH_COMP(dlid), want.dlid, g->rec.mlid) ||
	    !equal_if_given(c, PATH_COMP(sl), want.sl, g->rec.sl) ||
	    !equal_if_given(c, PATH_COMP(pkey), want.pkey & PKEY_BASE_MASK,
		g->rec.pkey & PKEY_BASE_MASK) ||
	    !equal_if_given(c, PATH_COMP(flow_label), want.flow_label, g->rec.flow_label) ||
	    !equal_if_given(c, PATH_COMP(tclass), want.tclass, g->rec.tclass) ||
	    !equal_if_given(c, PATH_COMP(hop_limit), want.hop_limit, row.hop_limit))
		return STATUS_OK;
	gid_set(row.sgid, v->gid_prefix, guid);
	row.slid = c->mask & PATH_COMP(slid) ? want.slid : sa_base_lid(c->x, src);
	row.dlid = g->rec.mlid;
	row.pkey = g->rec.pkey;
	row.sl = g->rec.sl;
	row.flow_label = g->rec.flow_label;
	row.tclass = g->rec.tclass;
	row.mtu = g->rec.mtu;
	row.rate = g->rec.rate;
	row.life = g->rec.life < LIFE_MAX ? g->rec.life : LIFE_MAX;
	row.mtu_selector = row.rate_selector = row.life_selector = SELECTOR_EXACTLY;
	row.raw_traffic = row.preference = row.reversible = 0;
	row.num_path = 1;
	path_record_encode(w, &row);
	sa_put_row(c, w, sizeof(w));
	return STATUS_OK;
}
