/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lid.c - who gets which LID.
 * Room: sm/plan.  Pure.  In: snapshot, what was stored.  Out: the LID map.
 *
 * 1. Ports claim what is stored for them, by GUID; then, what they hold.  A claim is good when the range is aligned, within 1..0xBFFF
 *    and free.  2. Ranges stored for ports that are not there are set aside.  3. Everybody else, in layout order (hosts leaf
 *    by leaf, other end ports, switches), takes the first free range; ranges set aside only when nothing else is left.
 */
#include <config.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/swgraph.h"
#include "sm/plan/lid.h"
#include "util/bits.h"

#define LID_LIMIT (LID_UCAST_MAX + 1u)

enum shelf { SHELF_HOST, SHELF_SWITCH, SHELVES };

struct endport {
	uint64_t guid;
	uint32_t port;
	uint8_t lmc;                    /* wanted */
};

struct lid_run {
	const struct snapshot *s;
	const struct lid_ids *stored;
	struct lid_map *out;
	struct lid_report *r;
	struct arena arena;             /* scratch */
	struct endport *ends;           /* by GUID */
	uint32_t nends;
	uint32_t *owner;                /* [LID_LIMIT] */
	uint64_t used[BITS_WORDS(LID_LIMIT)], aside[BITS_WORDS(LID_LIMIT)];
	uint32_t next[2][SHELVES];      /* first place to look: [ranges set aside too?][for whom] */
};

static int
by_guid(const void *va, const void *vb)
{
	const struct endport *a = va, *b = vb;

	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

/* Port 0 of a switch: LMC 0, unless it is enhanced and the operator wants it to be like a host's. */
static uint8_t
wanted_lmc(const struct fab_node *n, const struct lid_conf *c)
{
	if (!fab_is_switch(n))
		return c->lmc;
	if (!c->lmc_esp0 || !(n->flags & FAB_NODE_SWITCH_INFO))
		return 0;
	return switch_info_decode(n->switch_info).enhanced_port0 ? c->lmc : 0;
}

static void
find_endports(struct lid_run *v, const struct lid_conf *c)
{
	v->ends = arena_array(&v->arena, v->s->nports, sizeof(*v->ends));
	for (uint32_t i = 0; i < v->s->nports; i++) {
		const struct fab_port *p = &v->s->ports[i];

		if (!snapshot_is_endport(v->s, p))
			continue;
		v->ends[v->nends] = (struct endport){ p->guid, i, wanted_lmc(&v->s->nodes[p->node], c) };
		v->r->needed += 1u << v->ends[v->nends++].lmc;
	}
	qsort(v->ends, v->nends, sizeof(*v->ends), by_guid);
}

static bool
range_free(const uint64_t *set, uint32_t base, uint32_t n)
{
	return bits_next(set, base + n, base) == base + n;
}

static void
give(struct lid_run *v, uint32_t port, uint32_t base, uint8_t lmc)
{
	v->out->base[port] = (uint16_t)base;
	v->out->lmc[port] = lmc;
	for (uint32_t lid = base; lid < base + (1u << lmc); lid++) {
		bits_set(v->used, lid);
		v->owner[lid] = port;
		v->out->top = lid > v->out->top ? (uint16_t)lid : v->out->top;
	}
}

static void
note_conflict(struct lid_run *v, uint32_t port, uint32_t winner, uint16_t lid)
{
	if (v->r->nconflicts < LID_CONFLICTS_MAX)
		v->r->conflicts[v->r->nconflicts] = (struct lid_conflict){ port, winner, lid };
	v->r->nconflicts++;
}

/* Takes the range if it is one: aligned, within bounds, free. */
static bool
claim(struct lid_run *v, const struct endport *e, uint16_t base)
{
	uint32_t n = 1u << e->lmc;

	if (!base)
		return false;
	if (base % n || base + n - 1 > LID_UCAST_MAX) {
		note_conflict(v, e->port, FAB_NONE, base);
		return false;
	}
	if (!range_free(v->used, base, n)) {
		note_conflict(v, e->port, v->owner[bits_next(v->used, base + n, base)], base);
		return false;
	}
	give(v, e->port, base, e->lmc);
	return true;
}

static void
claim_stored(struct lid_run *v)
{
	uint32_t i = 0, last = FAB_NONE;

	for (uint32_t k = 0; k < v->stored->n; k++) {
		const struct lid_id *row = &v->stored->rows[k];

		while (i < v->nends && v->ends[i].guid < row->port_guid)
			i++;
		if (i < v->nends && v->ends[i].guid == row->port_guid && i != last) {
			v->r->kept_stored += claim(v, &v->ends[i], row->base_lid);
			last = i;
		}
	}
}

static uint16_t
held_lid(const struct snapshot *s, uint32_t port)
{
	const struct fab_port *p = &s->ports[port];

	return p->flags & FAB_PORT_INFO ? port_info_decode(p->info).lid : 0;
}

static void
claim_held(struct lid_run *v)
{
	for (uint32_t i = 0; i < v->nends; i++)
		if (!v->out->base[v->ends[i].port])
			v->r->kept_present += claim(v, &v->ends[i], held_lid(v->s, v->ends[i].port));
}

static bool
is_live(const struct lid_run *v, uint64_t guid)
{
	uint32_t lo = 0, hi = v->nends;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (v->ends[mid].guid < guid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < v->nends && v->ends[lo].guid == guid;
}

/* The LIDs of a stored row that lie within bounds: base in '*lo', one past the last returned. */
static uint32_t
stored_range(const struct lid_id *row, uint32_t *lo)
{
	uint32_t hi = row->base_lid + (1u << (row->lmc & 7));

	*lo = row->base_lid ? row->base_lid : 1;
	return hi < LID_LIMIT ? hi : LID_LIMIT;
}

static void
set_aside(struct lid_run *v)
{
	for (uint32_t k = 0; k < v->stored->n; k++) {
		uint32_t lo, hi = stored_range(&v->stored->rows[k], &lo);

		if (is_live(v, v->stored->rows[k].port_guid))
			continue;
		v->r->stale++;
		for (; lo < hi; lo++)
			bits_set(v->aside, lo);
	}
}

/* The first free range at or after 'from'; 0 if there is none. */
static uint32_t
search(const struct lid_run *v, uint32_t from, uint32_t n, bool aside_too)
{
	for (uint32_t base = (from + n - 1) / n * n; base + n - 1 <= LID_UCAST_MAX; base += n)
		if (base && range_free(v->used, base, n) && (aside_too || range_free(v->aside, base, n)))
			return base;
	return 0;
}

static bool
take_free(struct lid_run *v, uint32_t port, uint8_t lmc, enum shelf shelf)
{
	uint32_t n = 1u << lmc, base = 0;

	for (int aside = 0; aside < 2 && !base; aside++) {
		uint32_t *next = &v->next[aside][shelf];

		base = search(v, *next, n, aside);
		if (!base && *next > 1 && shelf == SHELF_SWITCH) {
			*next = 1;              /* behind the hosts all is taken: before them */
			base = search(v, 1, n, aside);
		}
		*next = base ? base + n : LID_LIMIT;
		v->r->stale_reused += base && aside && !range_free(v->aside, base, n);
	}
	if (!base)
		return false;
	give(v, port, base, lmc);
	v->r->fresh++;
	v->r->renumbered += held_lid(v->s, port) != 0;
	return true;
}

/* Gives a LID to each of hosts[] that has none; the wanted LMC of hosts is all the same. */
static bool
fill_hosts(struct lid_run *v, const struct lid_conf *c)
{
	struct swgraph g;
	uint32_t *order;

	swgraph_make(v->s, &v->arena, &g);
	order = arena_array(&v->arena, g.nleaves, sizeof(*order));
	swgraph_leaf_order(&g, &v->arena, order);
	for (uint32_t i = 0; i < g.nleaves; i++)
		for (uint32_t h = g.host_first[order[i]]; h < g.host_first[order[i] + 1]; h++)
			if (!v->out->base[g.hosts[h].port] &&
			    !take_free(v, g.hosts[h].port, c->lmc, SHELF_HOST))
				return false;
	for (uint32_t i = 0; i < v->nends; i++)         /* hosts that hang on no switch */
		if (!v->out->base[v->ends[i].port] && !fab_is_switch(&v->s->nodes[v->s->ports[v->ends[i].port].node]) &&
		    !take_free(v, v->ends[i].port, c->lmc, SHELF_HOST))
			return false;
	return true;
}

static bool
fill_switches(struct lid_run *v)
{
	uint32_t after = 1;

	for (uint32_t i = 0; i < v->nends; i++) {
		uint32_t port = v->ends[i].port;

		if (!fab_is_switch(&v->s->nodes[v->s->ports[port].node]) &&
		    v->out->base[port] + (1u << v->out->lmc[port]) > after)
			after = v->out->base[port] + (1u << v->out->lmc[port]);
	}
	v->next[0][SHELF_SWITCH] = v->next[1][SHELF_SWITCH] = after;
	for (uint32_t i = 0; i < v->nends; i++)
		if (!v->out->base[v->ends[i].port] &&
		    !take_free(v, v->ends[i].port, v->ends[i].lmc, SHELF_SWITCH))
			return false;
	return true;
}

int
plan_lids(const struct snapshot *s, const struct lid_ids *stored, const struct lid_conf *c, struct arena *a,
	struct lid_map *out, struct lid_report *r)
{
	struct arena scratch = ARENA_INIT;
	static const struct lid_ids nothing;
	struct lid_run *v;
	int err = 0;

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	if (c->lmc > 7)
		return -EINVAL;
	v = arena_alloc(&scratch, sizeof(*v));
	*v = (struct lid_run){ .s = s, .stored = stored && !c->reassign ? stored : &nothing, .out = out, .r = r,
		.next = { { 1, 1 }, { 1, 1 } } };
	v->owner = arena_array(&scratch, LID_LIMIT, sizeof(*v->owner));
	out->nports = s->nports;
	out->base = arena_array(a, s->nports, sizeof(*out->base));
	out->lmc = arena_alloc(a, s->nports);
	find_endports(v, c);
	claim_stored(v);
	if (!c->reassign)
		claim_held(v);
	set_aside(v);
	if (!fill_hosts(v, c) || !fill_switches(v))
		err = -ENOSPC;
	r->ports = v->nends;
	out->owner = arena_array(a, out->top + 1u, sizeof(*out->owner));
	for (uint32_t lid = 0; lid <= out->top; lid++) {
		out->owner[lid] = bits_test(v->used, lid) ? v->owner[lid] : FAB_NONE;
		r->lids += out->owner[lid] != FAB_NONE;
	}
	arena_clear(&v->arena);
	arena_clear(&scratch);
	return err;
}

static int
row_by_guid(const void *va, const void *vb)
{
	const struct lid_id *a = va, *b = vb;

	if (a->port_guid != b->port_guid)
		return a->port_guid < b->port_guid ? -1 : 1;
	return a->base_lid < b->base_lid ? -1 : a->base_lid > b->base_lid;
}

void
plan_lids_to_store(const struct snapshot *s, const struct lid_map *m, const struct lid_ids *stored,
	struct arena *a, struct lid_ids *out)
{
	uint32_t n = 0, nlive, k = 0;
	struct lid_id *rows = arena_array(a, (size_t)s->nports + (stored ? stored->n : 0), sizeof(*rows));

	for (uint32_t i = 0; i < s->nports; i++)
		if (m->base[i])
			rows[n++] = (struct lid_id){ s->ports[i].guid, m->base[i], m->lmc[i] };
	qsort(rows, n, sizeof(*rows), row_by_guid);
	nlive = n;
	for (uint32_t i = 0; stored && i < stored->n; i++) {
		uint32_t lo, hi = stored_range(&stored->rows[i], &lo);

		while (k < nlive && rows[k].port_guid < stored->rows[i].port_guid)
			k++;
		if (k < nlive && rows[k].port_guid == stored->rows[i].port_guid)
			continue;
		while (lo < hi && (lo > m->top || m->owner[lo] == FAB_NONE))
			lo++;
		if (lo == hi)
			rows[n++] = stored->rows[i];
	}
	qsort(rows, n, sizeof(*rows), row_by_guid);
	out->rows = rows;
	out->n = n;
}
