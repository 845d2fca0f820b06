/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_tables.c - cached contents of SLtoVL and VLArbitration tables.
 * Room: fabric/snapshot.  Pure.  docs/wire.md: SLtoVLMapping, VLArbitration.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#define uthash_fatal(text) bug("%s", text)
#include <uthash.h>
#include "fabric/snapshot/qos_tables.h"
#include "libmad/wire/wire.h"
#include "util/bisect.h"
#include "util/bits.h"
#include "util/xalloc.h"

#define IN_WORDS 4                      /* of 64 ports each */

/* A block of VLArbitration that some ports hold. */
struct pooled {
	UT_hash_handle hh;
	uint32_t number;                /* 1, 2, ... */
	uint8_t image[VLARB_TABLE_BYTES];
};

struct known_port {
	uint64_t in[IN_WORDS];          /* SLtoVL: the inputs that are known */
	uint64_t slvl;                  /* their image */
	uint64_t *each;                 /* not NULL: they differ, by input */
	uint32_t vlarb[QOS_VLARB_BLOCKS];       /* number of the block, 0 not known */
};

struct known_node {
	uint64_t guid;
	struct known_port *ports;       /* 0..nports; NULL: nothing is known */
	uint8_t nports;
};

struct qos_tables {
	struct known_node *v;           /* sorted by GUID */
	uint32_t n;
	struct pooled *by_image;
	struct pooled **pool;           /* by number - 1 */
	uint32_t npool, pool_cap;
};

unsigned
qos_vlarb_entries(const struct fab_port *p, unsigned block)
{
	unsigned at = block > 2 ? port_info_at_vlarb_high_cap : port_info_at_vlarb_low_cap;
	unsigned cap = p->info[at / 8], before = block & 1 ? 0 : QOS_VLARB_BLOCK_ENTRIES;

	if (cap <= before)
		return 0;
	return cap - before < QOS_VLARB_BLOCK_ENTRIES ? cap - before : QOS_VLARB_BLOCK_ENTRIES;
}

uint32_t
qos_table_modifier(const struct snapshot *s, const struct qos_table *t)
{
	const struct fab_port *p = &s->ports[t->port];
	uint32_t num = fab_is_switch(&s->nodes[p->node]) ? p->num : 0;

	return t->block ? (uint32_t)t->block << 16 | num : (uint32_t)t->in << 8 | num;
}

/* ---- life ---- */

static void
ports_free(struct known_node *n)
{
	for (unsigned p = 0; n->ports && p <= n->nports; p++)
		free(n->ports[p].each);
	free(n->ports);
	n->ports = NULL;
}

static void
pool_free(struct qos_tables *q)
{
	HASH_CLEAR(hh, q->by_image);
	for (uint32_t i = 0; i < q->npool; i++)
		free(q->pool[i]);
	free(q->pool);
	q->pool = NULL;
	q->npool = q->pool_cap = 0;
}

void
qos_tables_free(struct qos_tables *q)
{
	if (!q)
		return;
	for (uint32_t i = 0; i < q->n; i++)
		ports_free(&q->v[i]);
	free(q->v);
	pool_free(q);
	free(q);
}

/* ---- blocks of arbitration ---- */

static uint32_t
pool_number(struct qos_tables *q, const uint8_t image[VLARB_TABLE_BYTES])
{
	struct pooled *p;

	HASH_FIND(hh, q->by_image, image, VLARB_TABLE_BYTES, p);
	if (p)
		return p->number;
	if (q->npool == q->pool_cap) {
		q->pool_cap = q->pool_cap ? q->pool_cap * 2 : 16;
		q->pool = xreallocarray(q->pool, q->pool_cap, sizeof(struct pooled *));
	}
	p = xcalloc(1, sizeof(*p));
	memcpy(p->image, image, VLARB_TABLE_BYTES);
	q->pool[q->npool] = p;
	p->number = ++q->npool;
	HASH_ADD(hh, q->by_image, image, VLARB_TABLE_BYTES, p);
	return p->number;
}

/* ---- one port ---- */

static bool
in_known(const struct known_port *p, unsigned in)
{
	return bits_test(p->in, in);
}

static void
slvl_put(struct known_port *p, unsigned nports, unsigned in, uint64_t image)
{
	bool any = p->in[0] | p->in[1] | p->in[2] | p->in[3];

	if (!any) {
		free(p->each);
		p->each = NULL;
		p->slvl = image;
	} else if (!p->each && p->slvl != image) {
		p->each = xreallocarray(NULL, nports + 1, sizeof(*p->each));
		for (unsigned i = 0; i <= nports; i++)
			p->each[i] = p->slvl;
	}
	if (p->each)
		p->each[in] = image;
	bits_set(p->in, in);
}

static void
slvl_forget(struct known_port *p, unsigned in)
{
	bits_clear(p->in, in);
}

/* Joins what has become equal. */
static void
slvl_join(struct known_port *p, unsigned nports)
{
	uint64_t image = 0;
	bool any = false;

	for (unsigned i = 0; p->each && i <= nports; i++) {
		if (!in_known(p, i))
			continue;
		if (any && p->each[i] != image)
			return;
		image = p->each[i];
		any = true;
	}
	if (!p->each)
		return;
	free(p->each);
	p->each = NULL;
	p->slvl = image;
}

static void
port_forget(struct known_port *p)
{
	free(p->each);
	memset(p, 0, sizeof(*p));
}

/* ---- from sweep to sweep ---- */

static struct known_node *
find_node(const struct qos_tables *q, uint32_t guess, uint64_t guid)
{
	uint32_t i;

	if (guess < q->n && q->v[guess].guid == guid)
		return &q->v[guess];
	BISECT(i, q->n, q->v[i].guid < guid);
	return i < q->n && q->v[i].guid == guid ? &q->v[i] : NULL;
}

static bool
link_is_up(const struct fab_port *p)
{
	return p->flags & FAB_PORT_INFO && p->peer != FAB_NONE && port_info_decode(p->info).state >=
		PORT_STATE_ARMED;
}

static void
forget_links(struct known_node *k, const struct snapshot *s, uint32_t node)
{
	bool is_switch = fab_is_switch(&s->nodes[node]);

	for (unsigned num = is_switch ? 1 : 0; num <= k->nports; num++) {
		if (link_is_up(snapshot_port(s, node, (uint8_t)num)))
			continue;
		port_forget(&k->ports[num]);
		for (unsigned out = 0; is_switch && out <= k->nports; out++)
			slvl_forget(&k->ports[out], num);
	}
	for (unsigned out = 0; out <= k->nports; out++)
		slvl_join(&k->ports[out], k->nports);
}

/* Whether the node is the one that 'old' has seen, and was not switched off since. */
static bool
is_same(const struct snapshot *old, const struct fab_node *n)
{
	uint32_t i = old ? snapshot_node_by_guid(old, n->guid) : FAB_NONE;

	if (i == FAB_NONE || old->nodes[i].type != n->type || old->nodes[i].nports != n->nports)
		return false;
	return !fab_is_switch(n) || (n->flags & FAB_NODE_SWITCH_INFO &&
		old->nodes[i].flags & FAB_NODE_SWITCH_INFO &&
		switch_info_decode(n->switch_info).lft_top ==
		switch_info_decode(old->nodes[i].switch_info).lft_top);
}

static void
copy_node(struct qos_tables *q, struct known_node *to, const struct qos_tables *was,
	const struct known_node *from)
{
	to->ports = xmemdup(from->ports, (from->nports + 1u) * sizeof(*from->ports));
	for (unsigned p = 0; p <= from->nports; p++) {
		struct known_port *k = &to->ports[p];

		if (k->each)
			k->each = xmemdup(k->each, (from->nports + 1u) * sizeof(*k->each));
		for (unsigned b = 0; b < QOS_VLARB_BLOCKS; b++)
			if (k->vlarb[b])
				k->vlarb[b] = pool_number(q, was->pool[k->vlarb[b] - 1]->image);
	}
}

struct qos_tables *
qos_tables_next(const struct qos_tables *was, const struct snapshot *old, const struct snapshot *s)
{
	struct qos_tables *q = xcalloc(1, sizeof(*q));

	q->v = xcalloc((size_t)s->nnodes + 1, sizeof(*q->v));
	q->n = s->nnodes;
	for (uint32_t i = 0; i < s->nnodes; i++) {
		const struct fab_node *n = &s->nodes[i];
		const struct known_node *k = was ? find_node(was, i, n->guid) : NULL;

		q->v[i].guid = n->guid;
		q->v[i].nports = n->nports;
		if (!k || !k->ports || k->nports != n->nports || !is_same(old, n))
			continue;
		copy_node(q, &q->v[i], was, k);
		forget_links(&q->v[i], s, i);
	}
	return q;
}

/* ---- one table ---- */

bool
qos_tables_get(const struct qos_tables *q, const struct snapshot *s, const struct qos_table *t,
	uint8_t *image)
{
	const struct fab_port *fp = &s->ports[t->port];
	const struct known_node *k = find_node(q, fp->node, s->nodes[fp->node].guid);
	const struct known_port *p;

	if (!k || !k->ports || fp->num > k->nports || t->in > k->nports)
		return false;
	p = &k->ports[fp->num];
	if (t->block) {
		if (!p->vlarb[t->block - 1])
			return false;
		memcpy(image, q->pool[p->vlarb[t->block - 1] - 1]->image, VLARB_TABLE_BYTES);
		return true;
	}
	if (!in_known(p, t->in))
		return false;
	wire_put64(image, p->each ? p->each[t->in] : p->slvl);
	return true;
}

/* What there is of a block: VLs without the bits before them, entries that the port has. */
static uint32_t
vlarb_number(struct qos_tables *q, const struct fab_port *p, unsigned block, const uint8_t *image)
{
	uint8_t w[VLARB_TABLE_BYTES] = { 0 };

	for (unsigned i = 0; i < qos_vlarb_entries(p, block); i++) {
		w[2 * i] = image[2 * i] & 0x0f;
		w[2 * i + 1] = image[2 * i + 1];
	}
	return pool_number(q, w);
}

void
qos_tables_put(struct qos_tables *q, const struct snapshot *s, const struct qos_table *t,
	const uint8_t *image)
{
	const struct fab_port *fp = &s->ports[t->port];
	struct known_node *k = find_node(q, fp->node, s->nodes[fp->node].guid);

	if (!k || fp->num > k->nports || t->in > k->nports || (!image && !k->ports))
		return;
	if (!k->ports)
		k->ports = xcalloc(k->nports + 1u, sizeof(*k->ports));
	if (t->block)
		k->ports[fp->num].vlarb[t->block - 1] = image ? vlarb_number(q, fp, t->block,
			image) : 0;
	else if (image)
		slvl_put(&k->ports[fp->num], k->nports, t->in, wire_get64(image));
	else
		slvl_forget(&k->ports[fp->num], t->in);
}

size_t
qos_tables_bytes(const struct qos_tables *q)
{
	size_t n = sizeof(*q) + q->n * sizeof(*q->v) + q->npool * sizeof(struct pooled);

	for (uint32_t i = 0; i < q->n; i++) {
		if (!q->v[i].ports)
			continue;
		n += (q->v[i].nports + 1u) * sizeof(*q->v[i].ports);
		for (unsigned p = 0; p <= q->v[i].nports; p++)
			n += q->v[i].ports[p].each ? (q->v[i].nports + 1u) * sizeof(uint64_t) : 0;
	}
	return n;
}
