/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lid.c - assigns LIDs to end ports.
 * Room: sm/plan.  Pure.  In: snapshot, stored assignments.  Out: the LID map.
 *
 * A LID is in force while packets can reach the port by it.  That is the LID that a port shows in
 * PortInfo while it is ARMED or ACTIVE.  Port 0 of a switch has no such state: its LID is in force
 * while any link of the switch is ARMED or ACTIVE.  A port in INIT (rebooted, or just plugged in)
 * may still show an old LID, but no traffic can be using it.  One exception: for a port that this
 * manager has managed without interruption, the manager's own assignment is in force, whatever the
 * port shows, because tables and paths were made for it.
 *
 * Ports claim LIDs in this order.  A claim succeeds when the range is aligned, within 1..0xBFFF and
 * free.
 * 1. The LIDs in force.  Where ranges of several ports overlap, for example after two subnets were
 *    joined, the port whose stored LID is the same keeps it; then the port with fewer LIDs, because
 *    that moves the fewest ports (aligned ranges contain each other or are disjoint); then the
 *    lower GUID.  Ports that want a greater LMC than they have come last.
 * 2. Stored LIDs, by GUID.  After that, LIDs stored for absent ports are set aside.
 * 3. LIDs that ports hold but that are not in force, and LIDs they had before another port took
 *    them; never from the ranges set aside.
 * 4. All other ports, in layout order (hosts leaf by leaf, other end ports, switches), take the
 *    first free range; ranges set aside only when nothing else is left.
 */
#include <config.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/swgraph.h"
#include "sm/plan/lid.h"
#include "util/bits.h"

#define LID_LIMIT (LID_UCAST_MAX + 1u)
#define PORT_STATE_ARMED 3

enum shelf { SHELF_HOST, SHELF_SWITCH, SHELVES };

struct endport {
	uint64_t guid;
	uint32_t port;
	uint8_t lmc;                    /* wanted */
	uint8_t held_lmc;
	uint16_t held, stored, lost;    /* 0: none */
	uint16_t force;                 /* the LID in force; 0: the port is not live */
	struct lid_change why;          /* why the first claim of a LID it had failed */
};

struct lid_run {
	const struct snapshot *s;
	const struct lid_ids *stored;
	const struct lid_conf *c;
	struct lid_map *out;
	struct lid_report *r;
	struct arena arena;             /* scratch */
	struct endport *ends;           /* by GUID */
	uint32_t nends;
	uint32_t *owner;                /* [LID_LIMIT] */
	uint64_t used[BITS_WORDS(LID_LIMIT)], aside[BITS_WORDS(LID_LIMIT)];
	uint32_t next[2][SHELVES];      /* where to start: [use ranges set aside][kind of port] */
};

static int
by_guid(const void *va, const void *vb)
{
	const struct endport *a = va, *b = vb;

	if (a->guid != b->guid)
		return a->guid < b->guid ? -1 : 1;
	return a->port < b->port ? -1 : a->port > b->port;
}

/* Port 0 of a switch has LMC 0, unless it is enhanced and the configuration gives it a host's
 * LMC. */
static uint8_t
wanted_lmc(const struct fab_node *n, const struct lid_conf *c)
{
	if (!fab_is_switch(n))
		return c->lmc;
	if (!c->lmc_esp0 || !(n->flags & FAB_NODE_SWITCH_INFO))
		return 0;
	return ATTR_GET(switch_info, enhanced_port0, n->switch_info) ? c->lmc : 0;
}

static bool
port_up(const struct fab_port *p)
{
	return p->flags & FAB_PORT_INFO && ATTR_GET(port_info, state, p->info) >= PORT_STATE_ARMED;
}

/* Whether packets can reach the end port at all. */
static bool
can_be_live(const struct snapshot *s, const struct fab_port *p)
{
	const struct fab_node *n = &s->nodes[p->node];

	if (!fab_is_switch(n))
		return port_up(p);
	for (unsigned k = 1; k <= n->nports; k++)
		if (port_up(&s->ports[n->first_port + k]))
			return true;
	return false;
}

/* Nodes are sorted by GUID, and most ports are in the order of their node. */
static void
sort_endports(struct lid_run *v)
{
	for (uint32_t i = 1; i < v->nends; i++)
		if (by_guid(&v->ends[i - 1], &v->ends[i]) > 0) {
			qsort(v->ends, v->nends, sizeof(*v->ends), by_guid);
			return;
		}
}

static void
find_endports(struct lid_run *v)
{
	v->ends = arena_array(&v->arena, v->s->nports, sizeof(*v->ends));
	for (uint32_t i = 0; i < v->s->nports; i++) {
		const struct fab_port *p = &v->s->ports[i];
		struct endport *e = &v->ends[v->nends];

		if (!snapshot_is_endport(v->s, p))
			continue;
		*e = (struct endport){ .guid = p->guid, .port = i,
			.lmc = wanted_lmc(&v->s->nodes[p->node], v->c) };
		if (p->flags & FAB_PORT_INFO) {
			e->held = (uint16_t)ATTR_GET(port_info, lid, p->info);
			e->held_lmc = (uint8_t)ATTR_GET(port_info, lmc, p->info);
		}
		v->r->needed += 1u << e->lmc;
		v->nends++;
	}
	sort_endports(v);
}

/* Finds the stored LID of each port and, from that, its LID in force. */
static void
find_stored(struct lid_run *v)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < v->nends; i++) {
		struct endport *e = &v->ends[i];
		const struct lid_id *row;

		while (k < v->stored->n && v->stored->rows[k].port_guid < e->guid)
			k++;
		row = k < v->stored->n ? &v->stored->rows[k] : NULL;
		/* if two ports have one GUID, the first gets the row */
		if (row && row->port_guid == e->guid) {
			*(row->lost ? &e->lost : &e->stored) = row->base_lid;
			k++;
		}
		if (!e->held || !can_be_live(v->s, &v->s->ports[e->port]))
			continue;
		e->force = e->held;
		if (e->stored && v->c->led && bits_test(v->c->led, e->port))
			e->force = e->stored;
	}
}

static bool
range_free(const uint64_t *set, uint32_t base, uint32_t n)
{
	return bits_next(set, base + n, base) == base + n;
}

static void
give_lid(struct lid_run *v, uint32_t port, uint32_t base, uint8_t lmc)
{
	v->out->base[port] = (uint16_t)base;
	v->out->lmc[port] = lmc;
	for (uint32_t lid = base; lid < base + (1u << lmc); lid++) {
		bits_set(v->used, lid);
		v->owner[lid] = port;
		v->out->top = lid > v->out->top ? (uint16_t)lid : v->out->top;
	}
}

/* Takes the range if it is aligned, within bounds and free.  Records the first refusal. */
static bool
claim_lid(struct lid_run *v, struct endport *e, uint16_t base)
{
	uint32_t n = 1u << e->lmc, taken = 0;
	struct lid_change why = { .lid = base };

	if (base > LID_UCAST_MAX || base + n - 1 > LID_UCAST_MAX) {
		why.reason = LID_REASON_RANGE;
	} else if (base % n) {
		why.reason = LID_REASON_UNALIGNED;
	} else if ((taken = (uint32_t)bits_next(v->used, base + n, base)) < base + n) {
		why.reason = LID_REASON_HELD;
		why.lid = (uint16_t)taken;
		why.holder = v->s->ports[v->owner[taken]].guid;
	} else {
		give_lid(v, e->port, base, e->lmc);
		return true;
	}
	if (!e->why.lid)
		e->why = why;
	return false;
}

/* The order in which live ports claim. */
static int
by_right(const void *va, const void *vb)
{
	const struct endport *a = *(struct endport *const *)va, *b = *(struct endport *const *)vb;
	int grows = (a->lmc > a->held_lmc) - (b->lmc > b->held_lmc);
	int stored = (b->stored == b->force) - (a->stored == a->force);

	return grows             ? grows :
		stored           ? stored :
		a->lmc != b->lmc ? (int)a->lmc - (int)b->lmc :
				   by_guid(a, b);
}

/* Whether the ranges that live ports claim are apart from each other: then any order gives them
 * the same LIDs, and the order need not be found. */
static bool
claims_apart(struct lid_run *v, struct endport *const *order, uint32_t n)
{
	uint64_t *taken = arena_array(&v->arena, BITS_WORDS(LID_LIMIT), sizeof(*taken));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t base = order[i]->force, end = base + (1u << order[i]->lmc);

		if (end > LID_LIMIT || !range_free(taken, base, end - base))
			return false;
		for (uint32_t lid = base; lid < end; lid++)
			bits_set(taken, lid);
	}
	return true;
}

static void
claim_live(struct lid_run *v)
{
	struct endport **order = arena_array(&v->arena, v->nends, sizeof(*order));
	uint32_t n = 0;

	for (uint32_t i = 0; i < v->nends; i++)
		if (v->ends[i].force)
			order[n++] = &v->ends[i];
	if (n && !claims_apart(v, order, n))
		qsort(order, n, sizeof(*order), by_right);
	for (uint32_t i = 0; i < n; i++) {
		if (!claim_lid(v, order[i], order[i]->force))
			continue;
		v->r->kept_live++;
		v->r->overrode += order[i]->stored && order[i]->stored != order[i]->force;
	}
}

static void
claim_stored(struct lid_run *v)
{
	for (uint32_t i = 0; i < v->nends; i++) {
		struct endport *e = &v->ends[i];

		if (!v->out->base[e->port] && e->stored)
			v->r->kept_stored += claim_lid(v, e, e->stored);
	}
}

/* Claims a range, but not one that was set aside for another port. */
static bool
claim_rest(struct lid_run *v, struct endport *e, uint16_t base)
{
	uint32_t n = 1u << e->lmc;

	if (v->out->base[e->port] || !base)
		return false;
	if (base + n - 1 > LID_UCAST_MAX || range_free(v->aside, base, n))
		return claim_lid(v, e, base);
	if (!e->why.lid)
		e->why = (struct lid_change){ .lid = base, .reason = LID_REASON_ASIDE };
	return false;
}

static void
claim_present(struct lid_run *v)
{
	for (uint32_t i = 0; i < v->nends; i++) {
		v->r->kept_present += claim_rest(v, &v->ends[i], v->ends[i].lost);
		v->r->kept_present += claim_rest(v, &v->ends[i], v->ends[i].held);
	}
}

static void
set_aside(struct lid_run *v)
{
	uint32_t at = 0;

	for (uint32_t k = 0; k < v->stored->n; k++) {
		uint32_t lo, hi = lid_id_range(&v->stored->rows[k], &lo);
		uint64_t guid = v->stored->rows[k].port_guid;

		while (at < v->nends && v->ends[at].guid < guid)
			at++;
		if (v->stored->rows[k].lost || (at < v->nends && v->ends[at].guid == guid))
			continue;
		v->r->stale++;
		for (; lo < hi; lo++)
			bits_set(v->aside, lo);
	}
}

/* The first free range at or after 'from'; 0 if there is none. */
static uint32_t
search_lid(const struct lid_run *v, uint32_t from, uint32_t n, bool aside_too)
{
	for (uint32_t base = (from + n - 1) / n * n; base + n - 1 <= LID_UCAST_MAX; base += n)
		if (base && range_free(v->used, base, n) &&
		    (aside_too || range_free(v->aside, base, n)))
			return base;
	return 0;
}

static bool
take_free(struct lid_run *v, uint32_t port, uint8_t lmc, enum shelf shelf)
{
	uint32_t n = 1u << lmc, base = 0;

	for (int aside = 0; aside < 2 && !base; aside++) {
		uint32_t *next = &v->next[aside][shelf];

		base = search_lid(v, *next, n, aside);
		if (!base && *next > 1 && shelf == SHELF_SWITCH) {
			*next = 1;              /* no room after the hosts: search from LID 1 */
			base = search_lid(v, 1, n, aside);
		}
		*next = base ? base + n : LID_LIMIT;
		v->r->stale_reused += base && aside && !range_free(v->aside, base, n);
	}
	if (!base)
		return false;
	give_lid(v, port, base, lmc);
	v->r->fresh++;
	return true;
}

/* Gives a LID to each of hosts[] that has none.  All hosts want the same LMC. */
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
	/* hosts that are not attached to a switch */
	for (uint32_t i = 0; i < v->nends; i++)
		if (!v->out->base[v->ends[i].port] &&
		    !fab_is_switch(&v->s->nodes[v->s->ports[v->ends[i].port].node]) &&
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

static bool
all_have_lids(const struct lid_run *v)
{
	for (uint32_t i = 0; i < v->nends; i++)
		if (!v->out->base[v->ends[i].port])
			return false;
	return true;
}

/* ---- what changed ---- */

/* The LID that a port had: in force, stored, or lost; 0: none. */
static uint16_t
lid_before(const struct endport *e)
{
	return e->force ? e->held : e->stored ? e->stored : e->lost;
}

static void
note_change(struct lid_run *v, const struct endport *e)
{
	struct lid_change c = e->why;

	c.guid = e->guid;
	c.from = lid_before(e);
	c.to = v->out->base[e->port];
	c.lmc = e->lmc;
	c.live = e->force != 0;
	if (v->c->reassign)
		c.reason = LID_REASON_REASSIGNED;
	else if (c.live && e->force != e->held && c.to == e->force)
		c.reason = LID_REASON_ALTERED;
	if (v->r->nchanges < LID_CHANGES_MAX)
		v->r->changes[v->r->nchanges] = c;
	v->r->nchanges++;
	v->r->renumbered += c.live;
}

static void
find_changes(struct lid_run *v)
{
	for (int live = 1; live >= 0; live--)
		for (uint32_t i = 0; i < v->nends; i++) {
			const struct endport *e = &v->ends[i];
			uint16_t to = v->out->base[e->port];

			if ((e->force != 0) == live && lid_before(e) && to && lid_before(e) != to)
				note_change(v, e);
		}
}

const char *
lid_change_text(const struct lid_change *c, const char *holder, char *buf, size_t len)
{
	switch (c->reason) {
	case LID_REASON_HELD:
		snprintf(buf, len, "LID %u is held by %s", c->lid, holder);
		break;
	case LID_REASON_UNALIGNED:
		snprintf(buf, len, "LID %u is not a multiple of %u, as LMC %u requires", c->lid,
			1u << c->lmc, c->lmc);
		break;
	case LID_REASON_RANGE:
		snprintf(buf, len, "LID %u at LMC %u is outside the unicast range 1-%u", c->lid,
			c->lmc, LID_UCAST_MAX);
		break;
	case LID_REASON_ASIDE:
		snprintf(buf, len, "LID %u is stored for a port that is not there", c->lid);
		break;
	case LID_REASON_ALTERED:
		snprintf(buf, len,
			"LID %u was assigned by this manager, and something else changed it",
			c->to);
		break;
	case LID_REASON_REASSIGNED:
		snprintf(buf, len, "reassign_lids");
		break;
	}
	return buf;
}

int
plan_lids(const struct snapshot *s, const struct lid_ids *stored, const struct lid_conf *c,
	struct arena *a, struct lid_map *out, struct lid_report *r)
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
	*v = (struct lid_run){
		.s = s, .stored = stored ? stored : &nothing, .c = c, .out = out, .r = r,
		.next = { { 1, 1 }, { 1, 1 } } };
	v->owner = arena_array(&scratch, LID_LIMIT, sizeof(*v->owner));
	out->nports = s->nports;
	out->base = arena_array(a, s->nports, sizeof(*out->base));
	out->lmc = arena_alloc(a, s->nports);
	find_endports(v);
	find_stored(v);
	if (!c->reassign) {
		claim_live(v);
		claim_stored(v);
		set_aside(v);
		claim_present(v);
	}
	if (!all_have_lids(v) && (!fill_hosts(v, c) || !fill_switches(v)))
		err = -ENOSPC;
	find_changes(v);
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
