/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast.c - groups, their members, their MLIDs.
 * Room: sm/sub.  Pure.  Checks no request; mcast_request.c does.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/mgid.h"
#include "sm/sub/mcast_int.h"
#include "util/bisect.h"
#include "util/grow.h"
#include "util/u64.h"
#include "util/xalloc.h"

#define EVENTS_MAX 4096u                /* a power-of-two multiple of the initial capacity */
#define KNOWN_TRIES 64                  /* maximum number of old rows of existing groups to skip */

struct mcast *
mcast_new(const struct mcast_conf *c)
{
	struct mcast *m = xcalloc(1, sizeof(*m));

	mcast_set_conf(m, c);
	return m;
}

void
mcast_set_conf(struct mcast *m, const struct mcast_conf *c)
{
	m->conf = *c;
	if (m->conf.mlids > MLID_COUNT)
		m->conf.mlids = MLID_COUNT;
}

void
mcast_free(struct mcast *m)
{
	struct holder *h, *next_holder;
	struct shared *s, *next_shared;
	struct group *g, *next;

	if (!m)
		return;
	HASH_ITER(hh, m->by_mgid, g, next) {
		HASH_DEL(m->by_mgid, g);
		free(g->g.members);
		free(g);
	}
	HASH_ITER(hh, m->holders, h, next_holder) {
		HASH_DEL(m->holders, h);
		free(h);
	}
	HASH_ITER(hh, m->shared, s, next_shared) {
		HASH_DEL(m->shared, s);
		free(s);
	}
	free(m->events);
	free(m);
}

/* ---- what a port holds ---- */

const struct holder *
mcast_holder(const struct mcast *m, uint64_t port_guid)
{
	struct holder *h;

	HASH_FIND(hh, m->holders, &port_guid, sizeof(port_guid), h);
	return h;
}

void
mcast_held(const struct mcast *m, uint64_t guid, uint32_t *joins, uint32_t *groups)
{
	const struct holder *h = mcast_holder(m, guid);

	*joins = h ? h->joins : 0;
	*groups = h ? h->groups : 0;
}

static void
count_held(struct mcast *m, uint64_t port_guid, int joins, int groups)
{
	struct holder *h;

	if (!port_guid)
		return;
	HASH_FIND(hh, m->holders, &port_guid, sizeof(port_guid), h);
	if (!h) {
		h = xcalloc(1, sizeof(*h));
		h->port_guid = port_guid;
		HASH_ADD(hh, m->holders, port_guid, sizeof(h->port_guid), h);
	}
	m->nmembers += (uint32_t)joins;
	h->joins += (uint32_t)joins;
	h->groups += (uint32_t)groups;
	if (!h->joins && !h->groups) {
		HASH_DEL(m->holders, h);
		free(h);
	}
}

/* ---- news for others ---- */

static void
note_changed(struct mcast *m, uint16_t mlid)
{
	uint32_t i = mlid - MLID_FIRST;

	if (m->changed[i / 64] >> i % 64 & 1)
		return;
	m->changed[i / 64] |= UINT64_C(1) << i % 64;
	m->nchanged++;
}

void
mcast_look_again(struct mcast *m, uint16_t mlid)
{
	if (mlid >= MLID_FIRST && mlid <= MLID_LAST)
		note_changed(m, mlid);
}

uint16_t
mcast_take_changed(struct mcast *m)
{
	for (uint32_t w = 0; m->nchanged && w < sizeof(m->changed) / sizeof(m->changed[0]); w++) {
		unsigned bit;

		if (!m->changed[w])
			continue;
		bit = (unsigned)__builtin_ctzll(m->changed[w]);
		m->changed[w] &= m->changed[w] - 1;
		m->nchanged--;
		return (uint16_t)(MLID_FIRST + w * 64 + bit);
	}
	return 0;
}

bool
mcast_has_changed(const struct mcast *m)
{
	return m->nchanged != 0;
}

bool
mcast_is_changed(const struct mcast *m, uint16_t mlid)
{
	uint32_t i = mlid - MLID_FIRST;

	return mlid >= MLID_FIRST && mlid <= MLID_LAST && m->changed[i / 64] >> i % 64 & 1;
}

/* Drops the oldest events if nobody takes them. */
static void
add_event(struct mcast *m, const struct mcmember_record *rec, bool created)
{
	struct mcast_event *e;

	if (m->nevents == EVENTS_MAX) {
		m->events_head = (m->events_head + 1) % m->events_cap;
		m->nevents--;
	} else if (m->nevents == m->events_cap) {
		uint32_t cap =
			(uint32_t)grow_capacity(m->events_cap, m->events_cap + 1u, 16, EVENTS_MAX);
		struct mcast_event *v = xcalloc(cap, sizeof(*v));

		for (uint32_t i = 0; i < m->nevents; i++)
			v[i] = m->events[(m->events_head + i) % m->events_cap];
		free(m->events);
		m->events = v;
		m->events_cap = cap;
		m->events_head = 0;
	}
	e = &m->events[(m->events_head + m->nevents++) % m->events_cap];
	memcpy(e->mgid, rec->mgid, sizeof(e->mgid));
	e->pkey = rec->pkey;
	e->created = created;
}

bool
mcast_next_event(struct mcast *m, struct mcast_event *e)
{
	if (!m->nevents)
		return false;
	*e = m->events[m->events_head];
	m->events_head = (m->events_head + 1) % m->events_cap;
	m->nevents--;
	return true;
}

bool
mcast_has_event(const struct mcast *m)
{
	return m->nevents != 0;
}

/* ---- groups ---- */

struct group *
mcast_group(const struct mcast *m, const uint8_t mgid[static 16])
{
	struct group *g;

	HASH_FIND(hh, m->by_mgid, mgid, 16, g);
	return g;
}

const struct mcast_group *
mcast_find(const struct mcast *m, const uint8_t mgid[static 16])
{
	const struct group *g = mcast_group(m, mgid);

	return g ? &g->g : NULL;
}

const struct mcast_group *
mcast_by_mlid(const struct mcast *m, uint16_t mlid)
{
	if (mlid < MLID_FIRST || mlid > MLID_LAST || !m->by_mlid[mlid - MLID_FIRST])
		return NULL;
	return &m->by_mlid[mlid - MLID_FIRST]->g;
}

const struct mcast_group *
mcast_next(const struct mcast *m, uint16_t mlid)
{
	for (uint32_t i = mlid < MLID_FIRST ? 0 : mlid - MLID_FIRST; i < m->top; i++)
		if (m->by_mlid[i])
			return &m->by_mlid[i]->g;
	return NULL;
}

const struct mcast_group *
mcast_sibling(const struct mcast_group *g)
{
	const struct group *next = ((const struct group *)g)->sibling;

	return next ? &next->g : NULL;
}

const struct mcast_group *
mcast_after(const struct mcast *m, const struct mcast_group *g)
{
	if (mcast_sibling(g))
		return mcast_sibling(g);
	return g->rec.mlid < MLID_LAST ? mcast_next(m, (uint16_t)(g->rec.mlid + 1)) : NULL;
}

uint32_t
mcast_count(const struct mcast *m)
{
	return HASH_COUNT(m->by_mgid);
}

/* ---- MLIDs ---- */

/* The fields that must be equal in groups that share a tree: who may join, and what its links
 * carry. */
static void
shared_key(uint8_t key[static 8], const struct mcmember_record *rec)
{
	uint16_t base = rec->pkey & PKEY_BASE_MASK;

	memset(key, 0, 8);
	key[0] = (uint8_t)(mgid_flags(rec->mgid) << 4 | mgid_scope(rec->mgid));
	key[1] = rec->sl;
	key[2] = rec->mtu;
	key[3] = rec->rate;
	memcpy(key + 4, &base, sizeof(base));
	key[6] = rec->tclass;
}

static struct shared *
find_shared(const struct mcast *m, const struct mcmember_record *rec)
{
	uint8_t key[8];
	struct shared *s;

	shared_key(key, rec);
	HASH_FIND(hh, m->shared, key, sizeof(key), s);
	return s;
}

static bool
is_reserved(const struct mcast *m, uint32_t place)
{
	return m->reserved[place / 64] >> place % 64 & 1;
}

static bool
is_free(const struct mcast *m, uint32_t place)
{
	return !m->by_mlid[place] && !is_reserved(m, place);
}

void
mcast_set_known(struct mcast *m, struct mgid_map *known)
{
	m->known = known;
}

void
mcast_spare_known(struct mcast *m, bool spare)
{
	m->spare_known = spare;
}

void
mcast_reserve(struct mcast *m, uint16_t mlid)
{
	if (mlid >= MLID_FIRST && mlid <= MLID_LAST)
		m->reserved[(mlid - MLID_FIRST) / 64] |= UINT64_C(1) << (mlid - MLID_FIRST) % 64;
}

void
mcast_unreserve(struct mcast *m, uint16_t mlid)
{
	if (mlid < MLID_FIRST || mlid > MLID_LAST)
		return;
	m->reserved[(mlid - MLID_FIRST) / 64] &= ~(UINT64_C(1) << (mlid - MLID_FIRST) % 64);
	if (m->free_from > (uint32_t)mlid - MLID_FIRST)
		m->free_from = (uint32_t)mlid - MLID_FIRST;
}

/* The index of a free MLID; false: there is none. */
static bool
take_mlid(struct mcast *m, uint32_t *place)
{
	uint32_t first = m->free_from, i;

	while (first < m->conf.mlids && !is_free(m, first))
		first++;
	m->free_from = first;
	if (first >= m->conf.mlids)
		return false;
	i = first;
	if (m->spare_known && m->known)
		while (i < m->conf.mlids &&
		    (!is_free(m, i) || mgid_map_first(m->known, (uint16_t)(MLID_FIRST + i))))
			i++;
	*place = i < m->conf.mlids ? i : first;
	return true;
}

/* Whether a group with these fields may share the MLID at that index. */
static bool
may_share(const struct mcast *m, const struct mcmember_record *rec, uint32_t place)
{
	const struct mcmember_record *there = &m->by_mlid[place]->g.rec;
	uint8_t key[8], other[8];

	shared_key(key, rec);
	shared_key(other, there);
	return mgid_is_solicited_node(there->mgid) && !memcmp(key, other, sizeof(key));
}

/* The index of the MLID that the MGID had last, if it may have that again. */
static bool
known_mlid(const struct mcast *m, const struct mcmember_record *rec, bool share, uint32_t *place)
{
	uint16_t mlid = m->known ? mgid_map_find(m->known, rec->mgid) : 0;

	*place = (uint32_t)mlid - MLID_FIRST;
	if (!mlid || *place >= m->conf.mlids)
		return false;
	return !m->by_mlid[*place] || (share && may_share(m, rec, *place));
}

/* The MLID for a group with these fields; false: there is none. */
static bool
choose_mlid(struct mcast *m, const struct mcmember_record *rec, uint32_t *place)
{
	bool share = m->conf.consolidate_snm && mgid_is_solicited_node(rec->mgid);
	struct shared *s = share ? find_shared(m, rec) : NULL;

	if (known_mlid(m, rec, share, place))
		;
	else if (s)
		*place = s->mlid - MLID_FIRST;
	else if (!take_mlid(m, place))
		return false;
	if (m->top < *place + 1)
		m->top = *place + 1;
	if (share && !s) {
		s = xcalloc(1, sizeof(*s));
		shared_key(s->key, rec);
		s->mlid = (uint16_t)(MLID_FIRST + *place);
		HASH_ADD(hh, m->shared, key, sizeof(s->key), s);
	}
	return true;
}

/* ---- MLIDs that are kept for later ---- */

/* The MLID has a new owner: drops the rows of other MGIDs, unless they may share it with this
 * one. */
static void
void_others(struct mcast *m, const struct mcmember_record *rec)
{
	bool share = m->conf.consolidate_snm && mgid_is_solicited_node(rec->mgid);
	const struct mgid_row *r = mgid_map_first(m->known, rec->mlid), *next;

	/* If one row shares the MLID, all do: the others were dropped when the first one came.
	 * There may be tens of thousands. */
	if (share && r && mgid_is_solicited_node(r->mgid))
		return;
	for (; r; r = next) {
		uint8_t mgid[16];

		next = mgid_map_after(r);
		memcpy(mgid, r->mgid, sizeof(mgid));
		if (memcmp(mgid, rec->mgid, sizeof(mgid)) &&
		    !(share && mgid_is_solicited_node(mgid)))
			mgid_map_drop(m->known, mgid);
	}
}

static void
note_mlid(struct mcast *m, const struct mcmember_record *rec, bool alone)
{
	if (!m->known)
		return;
	if (alone)
		void_others(m, rec);
	mgid_map_put(m->known, rec->mgid, rec->mlid);
	for (unsigned tries = 0; mgid_map_count(m->known) > MGID_MAP_MAX; tries++) {
		const struct mgid_row r = *mgid_map_oldest(m->known);

		if (tries < KNOWN_TRIES && mcast_group(m, r.mgid))
			mgid_map_put(m->known, r.mgid, r.mlid);
		else
			mgid_map_drop(m->known, r.mgid);
	}
}

/* Removes 'g' from the groups with its MLID, which becomes free after the last of them. */
static void
leave_mlid(struct mcast *m, struct group *g)
{
	uint32_t i = g->g.rec.mlid - MLID_FIRST;
	struct shared *s = find_shared(m, &g->g.rec);
	struct group **at = &m->by_mlid[i];

	while (*at != g)
		at = &(*at)->sibling;
	*at = g->sibling;
	if (m->by_mlid[i])
		return;
	if (s && s->mlid == g->g.rec.mlid) {
		HASH_DEL(m->shared, s);
		free(s);
	}
	if (i < m->free_from)
		m->free_from = i;
	while (m->top && !m->by_mlid[m->top - 1])
		m->top--;
}

struct group *
mcast_create(struct mcast *m, const struct mcmember_record *rec, uint64_t creator, bool permanent)
{
	struct group *g;
	uint32_t i;

	if (!choose_mlid(m, rec, &i))
		return NULL;
	g = xcalloc(1, sizeof(*g));
	g->g.rec = *rec;
	g->g.rec.mlid = (uint16_t)(MLID_FIRST + i);
	g->g.creator = creator;
	g->g.permanent = permanent;
	g->sibling = m->by_mlid[i];
	m->by_mlid[i] = g;
	HASH_ADD(hh, m->by_mgid, g.rec.mgid, 16, g);
	note_mlid(m, &g->g.rec, !g->sibling);
	count_held(m, creator, 0, 1);
	add_event(m, rec, true);
	return g;
}

static void
destroy_group(struct mcast *m, struct group *g)
{
	for (uint32_t k = 0; k < g->g.nmembers; k++)
		count_held(m, g->g.members[k].port_guid, -1, 0);
	count_held(m, g->g.creator, 0, -1);
	note_changed(m, g->g.rec.mlid);
	add_event(m, &g->g.rec, false);
	leave_mlid(m, g);
	HASH_DEL(m->by_mgid, g);
	free(g->g.members);
	free(g);
}

/* ---- members ---- */

/* The index of 'port_guid', or where it would be inserted. */
static uint32_t
place_of_member(const struct mcast_group *g, uint64_t port_guid)
{
	uint32_t at;

	BISECT(at, g->nmembers, g->members[at].port_guid < port_guid);
	return at;
}

const struct mcast_member *
mcast_member(const struct mcast_group *g, uint64_t port_guid)
{
	uint32_t i = place_of_member(g, port_guid);

	return i < g->nmembers && g->members[i].port_guid == port_guid ? &g->members[i] : NULL;
}

/* Grows the array of members by powers of two. */
static struct mcast_member *
insert_member(struct mcast_group *g, uint32_t i, uint64_t port_guid)
{
	if (!(g->nmembers & (g->nmembers - 1)))
		g->members = xreallocarray(
			g->members, g->nmembers ? g->nmembers * 2 : 1, sizeof(*g->members));
	memmove(&g->members[i + 1], &g->members[i], (g->nmembers - i) * sizeof(*g->members));
	g->nmembers++;
	g->members[i] = (struct mcast_member){ .port_guid = port_guid };
	return &g->members[i];
}

const struct mcast_member *
mcast_add(struct mcast *m, struct group *g, uint64_t port_guid, uint8_t bits, bool proxy)
{
	uint32_t i = place_of_member(&g->g, port_guid);
	struct mcast_member *r;
	uint8_t before;

	if (i == g->g.nmembers || g->g.members[i].port_guid != port_guid) {
		insert_member(&g->g, i, port_guid)->proxy = proxy;
		count_held(m, port_guid, 1, 0);
	}
	r = &g->g.members[i];
	before = r->join_state;
	r->join_state = before | bits;
	if (!(before & MCAST_OWNS) && r->join_state & MCAST_OWNS)
		g->g.nowners++;
	if (r->join_state != before)
		note_changed(m, g->g.rec.mlid);
	return r;
}

bool
mcast_remove(struct mcast *m, struct group *g, uint64_t port_guid, uint8_t bits)
{
	uint32_t i = place_of_member(&g->g, port_guid);
	struct mcast_member *r = &g->g.members[i];
	uint8_t before = r->join_state;

	r->join_state = (uint8_t)(before & ~bits);
	if (before & MCAST_OWNS && !(r->join_state & MCAST_OWNS))
		g->g.nowners--;
	note_changed(m, g->g.rec.mlid);
	if (!r->join_state) {
		g->g.nmembers--;
		memmove(r, r + 1, (g->g.nmembers - i) * sizeof(*r));
		count_held(m, port_guid, -1, 0);
		if (g->g.nmembers && !(g->g.nmembers & (g->g.nmembers - 1)))
			g->g.members =
				xreallocarray(g->g.members, g->g.nmembers, sizeof(*g->g.members));
	}
	if (g->g.nowners || g->g.permanent)
		return true;
	destroy_group(m, g);
	return false;
}

void
mcast_undo(struct mcast *m, const uint8_t mgid[static 16], uint64_t port_guid, uint8_t bits)
{
	struct group *g = mcast_group(m, mgid);

	if (g && bits && mcast_member(&g->g, port_guid))
		mcast_remove(m, g, port_guid, bits);
}

void
mcast_end_group(struct mcast *m, const uint8_t mgid[static 16])
{
	struct group *g = mcast_group(m, mgid);

	if (g)
		destroy_group(m, g);
}

void
mcast_release_group(struct mcast *m, const uint8_t mgid[static 16])
{
	struct group *g = mcast_group(m, mgid);

	if (!g)
		return;
	g->g.permanent = false;
	if (!g->g.nowners)
		destroy_group(m, g);
}

/* Removes the members in the list, last one first; the group may end with one of them. */
static void
drop_members(struct mcast *m, struct group *g, const uint64_t *guids, uint32_t n)
{
	for (uint32_t i = g->g.nmembers; i-- > 0;) {
		uint64_t guid = g->g.members[i].port_guid;

		if (bsearch(&guid, guids, n, sizeof(*guids), u64_cmp) &&
		    !mcast_remove(m, g, guid, 0xff))
			return;
	}
}

void
mcast_drop_ports(struct mcast *m, const uint64_t *port_guids, uint32_t n)
{
	struct group *g, *next;
	bool any = false;

	for (uint32_t i = 0; i < n && !any; i++) {
		const struct holder *h = mcast_holder(m, port_guids[i]);

		any = h && h->joins;
	}
	if (!any)
		return;
	HASH_ITER(hh, m->by_mgid, g, next)
		drop_members(m, g, port_guids, n);
}

void
mcast_drop_port(struct mcast *m, uint64_t port_guid)
{
	mcast_drop_ports(m, &port_guid, 1);
}

uint32_t
mcast_ports(const struct mcast *m, uint64_t **guids)
{
	struct holder *h, *next;
	uint32_t n = 0;

	*guids = xcalloc((size_t)HASH_COUNT(m->holders) + 1, sizeof(**guids));
	HASH_ITER(hh, m->holders, h, next)
		if (h->joins)
			(*guids)[n++] = h->port_guid;
	qsort(*guids, n, sizeof(**guids), u64_cmp);
	return n;
}
