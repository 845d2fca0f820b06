/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * index.c - what is derived from a view once: links, ports, P_Key tables; and finding ports.
 * Room: sm/sa.  Pure.
 *
 * The snapshot and the plan are made for sweeps: finding a port by its GUID bisects, the MTU of a
 * link must be decoded from two PortInfo images, and whether two ports share a partition takes two
 * tables.  A query does that for each pair of ports it considers.  So each sweep builds one index,
 * on the worker, and all queries until the next sweep read it.
 *
 * What it holds per port is small and lies side by side: a walk along a path (reach.c) touches one
 * struct sa_hop per switch.  P_Key tables that are equal are stored once; most subnets have one or
 * two different ones.  Where every port has the same full-member key first in its table,
 * 'common_pkey' answers the question for all pairs.
 *
 * Memory: 12 + 8 bytes per port, 32 to 64 more per end port, 66 per different P_Key table, and the
 * path cache.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/wire/gid.h"
#include "sm/sa/sa_int.h"
#include "util/xalloc.h"

static uint8_t
least_of(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* The MTU that the port may send: the negotiated one, otherwise its capability. */
static uint8_t
mtu_of(const struct port_info *p)
{
	uint8_t mtu = p->neighbor_mtu >= MTU_CODE_FIRST && p->neighbor_mtu <= MTU_CODE_LAST ?
		p->neighbor_mtu :
		p->mtu_cap;

	if (p->mtu_cap >= MTU_CODE_FIRST && p->mtu_cap < mtu)
		mtu = p->mtu_cap;
	return mtu >= MTU_CODE_FIRST && mtu <= MTU_CODE_LAST ? mtu : MTU_CODE_FIRST;
}

static void
index_ports(struct sa_index *x)
{
	const struct snapshot *s = x->v.s;

	for (uint32_t i = 0; i < s->nports; i++) {
		struct port_info info = port_info_decode(s->ports[i].info);

		x->ports[i].mtu = mtu_of(&info);
		x->ports[i].rank = sa_rate_rank(sa_rate_of_port(&info));
		x->ports[i].caps = sa_rate_caps(&info);
		x->ports[i].of_switch = fab_is_switch(&s->nodes[s->ports[i].node]);
	}
}

/* The link at port 'i'; an end without PortInfo does not limit it. */
static void
index_link(struct sa_index *x, uint32_t i)
{
	const struct fab_port *p = &x->v.s->ports[i];
	struct sa_hop *h = &x->hops[i];
	bool here = p->flags & FAB_PORT_INFO, there;

	*h = (struct sa_hop){ .peer = p->peer, .sw = FAB_NONE };
	h->sls = x->v.vl_plan ? qos_plan_sls(x->v.vl_plan, x->v.s, i) : UINT16_MAX;
	if (p->peer == FAB_NONE)
		return;
	there = x->v.s->ports[p->peer].flags & FAB_PORT_INFO;
	h->sw = x->v.s->nodes[x->v.s->ports[p->peer].node].sw;
	h->mtu = x->ports[here ? i : p->peer].mtu;
	h->rank = x->ports[here ? i : p->peer].rank;
	if (here && there) {
		h->mtu = least_of(h->mtu, x->ports[p->peer].mtu);
		h->rank = least_of(h->rank, x->ports[p->peer].rank);
	}
}

struct table {
	const uint8_t *image;
	uint32_t bytes;
	uint32_t port;
};

static int
table_cmp(const void *a, const void *b)
{
	const struct table *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return memcmp(x->image, y->image, x->bytes);
}

static uint32_t
put_keys(struct sa_keys *k, uint16_t *pool, uint32_t used, const struct table *t)
{
	*k = (struct sa_keys){ used, 0 };
	for (uint32_t i = 0; i < t->bytes / 2; i++) {
		uint16_t pkey = (uint16_t)ATTR_GET_ITEM(pkey_table, pkey, t->image, i);

		if (pkey & PKEY_BASE_MASK)
			pool[used + k->n++] = pkey;
	}
	return used + k->n;
}

/* The tables that were read, equal ones adjacent; '*bytes': of the different ones.  The caller
 * frees the result. */
static struct table *
sorted_tables(const struct snapshot *s, uint32_t *n, size_t *bytes)
{
	struct table *v = xcalloc((size_t)s->nports + 1, sizeof(*v));

	*n = 0;
	*bytes = 0;
	for (uint32_t i = 0; i < s->nports; i++) {
		const struct fab_port *p = &s->ports[i];

		if (p->flags & FAB_PORT_PKEYS &&
		    (uint64_t)p->pkeys + p->more_pkeys < s->npkey_blocks)
			v[(*n)++] = (struct table){ s->pkey_blocks[p->pkeys],
				(p->more_pkeys + 1u) * PKEY_TABLE_BYTES, i };
	}
	qsort(v, *n, sizeof(*v), table_cmp);
	for (uint32_t i = 0; i < *n; i++)
		if (!i || table_cmp(&v[i - 1], &v[i]))
			*bytes += v[i].bytes;
	return v;
}

/* Equal tables are stored once. */
static uint16_t
first_key(const struct sa_index *x, uint32_t port)
{
	const struct sa_keys *k = &x->keys[x->ports[sa_endport_of(x, port)].keys];

	return k->n ? x->pool[k->first] : 0;
}

/* The key with which all ports can communicate, the first in all tables; 0: there is none. */
static uint16_t
common_pkey(const struct sa_index *x)
{
	uint16_t key = x->v.s->nports ? first_key(x, 0) : 0;

	for (uint32_t i = 0; i < x->v.s->nports; i++)
		if (first_key(x, i) != key)
			return 0;
	return key & PKEY_MEMBER_FULL ? key : 0;
}

static void
index_pkeys(struct sa_index *x)
{
	const struct snapshot *s = x->v.s;
	uint32_t n, used = 1;
	size_t bytes;
	struct table *v = sorted_tables(s, &n, &bytes);

	x->keys = xcalloc((size_t)n + 1, sizeof(*x->keys));
	x->pool = xcalloc(bytes / 2 + 1, sizeof(*x->pool));
	x->keys[0] = (struct sa_keys){ 0, 1 };
	x->pool[0] = x->v.unread_pkey ? x->v.unread_pkey : PKEY_DEFAULT_FULL;
	x->nkeys = 1;
	for (uint32_t i = 0; i < n; i++) {
		if (!i || table_cmp(&v[i - 1], &v[i]))
			used = put_keys(&x->keys[x->nkeys++], x->pool, used, &v[i]);
		x->ports[v[i].port].keys = x->nkeys - 1;
	}
	x->keys = xreallocarray(x->keys, x->nkeys, sizeof(*x->keys));
	x->common_pkey = common_pkey(x);
	free(v);
}

/* Multiplication by 2^64 over the golden ratio spreads consecutive GUIDs. */
static uint32_t
guid_place(const struct sa_guids *g, uint64_t guid)
{
	return (uint32_t)(guid * UINT64_C(0x9e3779b97f4a7c15) >> g->shift);
}

/* If two ports have one GUID, which no snapshot should contain, the first is found. */
static void
index_guids(struct sa_index *x)
{
	const struct snapshot *s = x->v.s;
	struct sa_guids *g = &x->guids;

	g->shift = 63;
	for (g->n = 2; g->n < 2 * s->nendports; g->n *= 2)
		g->shift--;
	g->v = xcalloc(g->n, sizeof(*g->v));
	for (uint32_t i = 0; i < s->nendports; i++) {
		uint64_t guid = s->ports[s->endports[i]].guid;
		uint32_t at = guid_place(g, guid);

		while (g->v[at].used && g->v[at].guid != guid)
			at = (at + 1) & (g->n - 1);
		if (!g->v[at].used)
			g->v[at] = (struct sa_guid){ guid, s->endports[i], true };
	}
}

struct sa_index *
sa_index_new(const struct sa_view *v)
{
	struct sa_index *x = xcalloc(1, sizeof(*x));
	const struct snapshot *s = v->s;

	x->v = *v;
	x->v.sms = x->sms = v->nsms ? xmemdup(v->sms, v->nsms * sizeof(*v->sms)) : NULL;
	x->hops = xcalloc((size_t)s->nports + 1, sizeof(*x->hops));
	x->ports = xcalloc((size_t)s->nports + 1, sizeof(*x->ports));
	x->switches = xcalloc((size_t)s->nswitches + 1, sizeof(*x->switches));
	index_guids(x);
	index_ports(x);
	for (uint32_t i = 0; i < s->nports; i++)
		index_link(x, i);
	for (uint32_t i = 0; i < s->nswitches; i++) {
		const struct fab_node *n = &s->nodes[s->switches[i]];

		x->switches[i] = (struct sa_switch){ n->first_port, n->nports };
	}
	index_pkeys(x);
	x->cache = sa_path_cache_new(x);
	return x;
}

void
sa_index_free(struct sa_index *x)
{
	if (!x)
		return;
	free(x->hops);
	free(x->ports);
	free(x->switches);
	free(x->keys);
	free(x->pool);
	free(x->guids.v);
	free(x->sms);
	sa_path_cache_free(x->cache);
	free(x);
}

size_t
sa_index_bytes(const struct sa_index *x)
{
	const struct sa_keys *last = &x->keys[x->nkeys - 1];

	return sizeof(*x) + ((size_t)x->v.s->nports + 1) * (sizeof(*x->hops) + sizeof(*x->ports)) +
		((size_t)x->v.s->nswitches + 1) * sizeof(*x->switches) +
		(size_t)x->guids.n * sizeof(*x->guids.v) + x->nkeys * sizeof(*x->keys) +
		(last->first + last->n) * sizeof(*x->pool) + x->v.nsms * sizeof(*x->sms) +
		sa_path_cache_bytes(x->cache, x->v.s->nswitches);
}

struct sa_path_cache *
sa_index_path_cache(struct sa_index *x)
{
	return x->cache;
}

void
sa_index_set_qos(struct sa_index *x, const struct qos_groups *qos)
{
	x->v.qos = qos;
}

struct sa_index *
sa_index_borrow(const struct sa_index *x)
{
	struct sa_index *b = xmemdup(x, sizeof(*x));

	b->cache = NULL;        /* belongs to the original only */
	return b;
}

/* At least half of the slots are empty, so the loop ends. */
static uint32_t
port_by_guid(const struct sa_index *x, uint64_t guid)
{
	const struct sa_guids *g = &x->guids;

	for (uint32_t at = guid_place(g, guid); g->v[at].used; at = (at + 1) & (g->n - 1))
		if (g->v[at].guid == guid)
			return g->v[at].port;
	return FAB_NONE;
}

uint32_t
sa_port_by_guid(const struct sa_index *x, uint64_t guid)
{
	uint32_t port = port_by_guid(x, guid);
	uint64_t owner = port == FAB_NONE && x->v.alias ? alias_owner(x->v.alias, guid) : 0;

	return owner ? port_by_guid(x, owner) : port;
}

uint32_t
sa_port_by_gid(const struct sa_index *x, const uint8_t gid[16])
{
	uint64_t prefix = gid_prefix(gid);

	if (prefix != x->v.gid_prefix && prefix != GID_PREFIX_DEFAULT)
		return FAB_NONE;
	return sa_port_by_guid(x, gid_guid(gid));
}

uint16_t
sa_shared_pkey_of(const struct sa_index *x, uint32_t a, uint32_t b, uint16_t want)
{
	const struct sa_keys *ka = &x->keys[x->ports[a].keys], *kb = &x->keys[x->ports[b].keys];

	for (uint32_t i = ka->first; i < ka->first + ka->n; i++) {
		uint16_t key = x->pool[i];

		if (want && (key ^ want) & PKEY_BASE_MASK)
			continue;
		for (uint32_t j = kb->first; j < kb->first + kb->n; j++)
			if (!((key ^ x->pool[j]) & PKEY_BASE_MASK) &&
			    ((key | x->pool[j]) & PKEY_MEMBER_FULL || a == b))
				return key;
	}
	return 0;
}

uint32_t
sa_port_pkeys(const struct sa_index *x, uint32_t port, const uint16_t **keys)
{
	const struct sa_keys *k = &x->keys[x->ports[port].keys];

	*keys = x->pool + k->first;
	return k->n;
}

uint16_t
sa_pkey_between(const struct sa_index *x, uint32_t a, uint32_t b)
{
	return sa_shared_pkey(x, a, b, 0);
}

uint16_t
sa_shared_pkey_in(const struct sa_index *x, uint32_t a, uint32_t b, const struct qos_ranges *set)
{
	const struct sa_keys *k = &x->keys[x->ports[a].keys];
	uint16_t best = 0;

	for (uint32_t i = k->first; i < k->first + k->n; i++) {
		uint16_t base = x->pool[i] & PKEY_BASE_MASK;

		if (qos_ranges_has(set, base) && (!best || base < (best & PKEY_BASE_MASK)) &&
		    sa_shared_pkey(x, a, b, base))
			best = sa_shared_pkey(x, a, b, base);
	}
	return best;
}

bool
sa_has_pkey(const struct sa_index *x, uint32_t port, uint16_t pkey)
{
	const struct sa_keys *k = &x->keys[x->ports[port].keys];

	for (uint32_t i = k->first; i < k->first + k->n; i++)
		if (!((x->pool[i] ^ pkey) & PKEY_BASE_MASK))
			return true;
	return false;
}
