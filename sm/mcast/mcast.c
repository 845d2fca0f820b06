/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mcast.c - one tree per multicast LID.
 * Room: sm/mcast.  Pure.  docs/routing.md: multicast.
 *
 * Each MLID uses one span (mcast_spans.h), by its number, cut down to the links between its
 * members: a link carries packets down if there is a receiver below and a member elsewhere, and up
 * if there is a member below and a receiver elsewhere.  Spans do not change during the plan, so a
 * join adds a branch and a leave removes one, and the turns of a group are always a subset of the
 * turns of its span.
 *
 * Members that no span reaches are left out, and plan_mcast_group() returns how many they are.
 */
#include <config.h>
#include <string.h>
#include "sm/mcast/mcast.h"
#include "util/xalloc.h"

#define PORT_WORDS (256 / 16)

struct row {
	uint8_t image[MFT_BLOCK_BYTES];
	bool changed;                   /* is in 'list' */
};

struct place {
	uint32_t sw, row;
};

/* The switches that a group's tree passes through. */
struct used {
	uint32_t *sw;
	uint32_t n, cap;
};

struct mcast_plan {
	const struct snapshot *s;
	struct arena *a;
	struct mcast_spans_in in;       /* what spans are made of; borrowed until they are */
	struct mcast_spans spans;
	bool has_groups;
	bool refused;                   /* nothing is to be written */
	uint32_t nblocks;
	struct row ***rows;             /* [switch][block * positions + position] */
	struct used used[MFT_BLOCK_MLIDS * 512];
	struct place *list;             /* rows that changed */
	uint32_t nlist, cap_list;
	/* scratch, all zero between calls; by switch */
	uint32_t *all, *hear;           /* members at or below the switch; those that receive */
	uint16_t (*mask)[PORT_WORDS];
	bool *touched;
	uint32_t *queue;
};

struct mcast_plan *
plan_mcast_new(const struct mcast_spans_in *in, struct arena *a)
{
	struct mcast_plan *p = arena_alloc(a, sizeof(*p));

	p->s = in->s;
	p->a = a;
	p->in = *in;
	return p;
}

struct mcast_plan *
plan_mcast_make(const struct snapshot *s, const uint16_t *rank, struct arena *a)
{
	struct mcast_spans_in in = { .s = s, .rank = rank };

	return plan_mcast_new(&in, a);
}

const struct mcast_spans *
plan_mcast_spans(const struct mcast_plan *p)
{
	return p->rows ? &p->spans : NULL;
}

void
plan_mcast_refuse(struct mcast_plan *p)
{
	p->refused = true;
	p->nlist = 0;
}

uint32_t
plan_mcast_blocks(const struct mcast_plan *p)
{
	return p->has_groups && !p->refused ? p->nblocks : 0;
}

uint32_t
plan_mcast_positions(const struct mcast_plan *p, uint32_t sw)
{
	return p->s->nodes[p->s->switches[sw]].nports / MFT_POSITION_PORTS + 1u;
}

void
plan_mcast_prepare(struct mcast_plan *p)
{
	const struct snapshot *s = p->s;
	struct arena *a = p->a;
	uint32_t cap = 0;

	if (p->rows)
		return;
	for (uint32_t i = 0; i < s->nswitches; i++) {
		uint16_t c = switch_info_decode(s->nodes[s->switches[i]].switch_info).mft_cap;

		cap = c > cap ? c : cap;
	}
	p->nblocks = (cap + MFT_BLOCK_MLIDS - 1) / MFT_BLOCK_MLIDS;
	if (p->nblocks > 512)
		p->nblocks = 512;
	p->rows = arena_array(a, (size_t)s->nswitches + 1, sizeof(*p->rows));
	p->all = arena_array(a, (size_t)s->nswitches + 1, sizeof(*p->all));
	p->hear = arena_array(a, (size_t)s->nswitches + 1, sizeof(*p->hear));
	p->mask = arena_array(a, (size_t)s->nswitches + 1, sizeof(*p->mask));
	p->touched = arena_array(a, (size_t)s->nswitches + 1, sizeof(*p->touched));
	p->queue = arena_array(a, (size_t)s->nswitches + 1, sizeof(*p->queue));
	mcast_spans_make(&p->in, a, &p->spans);
	p->in = (struct mcast_spans_in){ .s = s };
}

/* ---- rows ---- */

const uint8_t *
plan_mcast_row(const struct mcast_plan *p, uint32_t sw, uint32_t row)
{
	uint32_t positions = plan_mcast_positions(p, sw);
	const struct row *r;

	if (!p->rows || !p->rows[sw])
		return NULL;
	r = p->rows[sw][mft_row_block(row) * positions + mft_row_position(row)];
	return r ? r->image : NULL;
}

bool
plan_mcast_wants(const struct mcast_plan *p, uint32_t sw, uint32_t block)
{
	uint32_t positions = plan_mcast_positions(p, sw);

	for (uint32_t k = 0; p->rows && p->rows[sw] && k < positions; k++)
		if (p->rows[sw][block * positions + k])
			return true;
	return false;
}

static struct row *
row_at(struct mcast_plan *p, uint32_t sw, uint32_t row)
{
	uint32_t positions = plan_mcast_positions(p, sw);
	struct row **r;

	if (!p->rows[sw])
		p->rows[sw] = arena_array(p->a, (size_t)p->nblocks * positions, sizeof(**p->rows));
	r = &p->rows[sw][mft_row_block(row) * positions + mft_row_position(row)];
	if (!*r)
		*r = arena_alloc(p->a, sizeof(**r));
	return *r;
}

static void
note_changed(struct mcast_plan *p, struct row *r, uint32_t sw, uint32_t row)
{
	if (r->changed || p->refused)
		return;
	r->changed = true;
	p->list = arena_grow(p->a, p->list, p->nlist, &p->cap_list, 64, sizeof(*p->list));
	p->list[p->nlist++] = (struct place){ sw, row };
}

bool
plan_mcast_take(struct mcast_plan *p, uint32_t *sw, uint32_t *row)
{
	if (!p->nlist)
		return false;
	*sw = p->list[--p->nlist].sw;
	*row = p->list[p->nlist].row;
	row_at(p, *sw, *row)->changed = false;
	return true;
}

bool
plan_mcast_has_changed(const struct mcast_plan *p)
{
	return p->nlist != 0;
}

/* If a row is wanted, its whole block is, because unknown contents of the other positions would
 * forward packets too. */
static void
put_mask(struct mcast_plan *p, uint32_t sw, uint32_t mlid, const uint16_t mask[PORT_WORDS])
{
	uint32_t block = mlid / MFT_BLOCK_MLIDS, i = mlid % MFT_BLOCK_MLIDS,
		 positions = plan_mcast_positions(p, sw);
	bool any = false;

	for (uint32_t k = 0; k < positions; k++)
		any |= mask[k] != 0;
	for (uint32_t k = 0; k < positions; k++) {
		uint32_t row = mft_row_of(block, k);
		struct row *r;

		if (!any && !plan_mcast_row(p, sw, row))
			continue;
		r = row_at(p, sw, row);
		if (ATTR_GET_ITEM(mft_block, mask, r->image, i) == mask[k])
			continue;
		ATTR_SET_ITEM(mft_block, mask, r->image, i, mask[k]);
		for (uint32_t all = 0; all < positions; all++)
			note_changed(p, row_at(p, sw, mft_row_of(block, all)), sw,
				mft_row_of(block, all));
	}
}

static bool
is_zero(const uint8_t *image)
{
	static const uint8_t none[MFT_BLOCK_BYTES];

	return !image || !memcmp(image, none, sizeof(none));
}

bool
plan_mcast_differs(const struct mcast_plan *p, const struct mft_seen *t, uint32_t sw, uint32_t row)
{
	const uint8_t *want = plan_mcast_row(p, sw, row);
	const uint8_t *have = mft_seen_row(t, p->s->nodes[p->s->switches[sw]].guid, row);

	if (p->refused)
		return false;
	if (have)
		return want ? memcmp(want, have, MFT_BLOCK_BYTES) != 0 : !is_zero(have);
	for (uint32_t k = 0; k < plan_mcast_positions(p, sw); k++)
		if (!is_zero(plan_mcast_row(p, sw, mft_row_of(mft_row_block(row), k))))
			return true;
	return false;
}

void
plan_mcast_compare(const struct mcast_plan *p, const struct mft_seen *t, uint32_t sw, uint32_t row,
	bool *removes, bool *adds)
{
	const uint8_t *want = plan_mcast_row(p, sw, row);
	const uint8_t *have = mft_seen_row(t, p->s->nodes[p->s->switches[sw]].guid, row);

	*removes = false;
	*adds = !have && plan_mcast_differs(p, t, sw, row);
	for (uint32_t i = 0; have && !p->refused && i < MFT_BLOCK_BYTES; i++) {
		*removes |= (have[i] & ~(want ? want[i] : 0)) != 0;
		*adds |= want && (want[i] & ~have[i]) != 0;
	}
}

void
plan_mcast_cut(const struct mcast_plan *p, const struct mft_seen *t, uint32_t sw, uint32_t row,
	uint8_t image[static MFT_BLOCK_BYTES])
{
	const uint8_t *want = plan_mcast_row(p, sw, row);
	const uint8_t *have = mft_seen_row(t, p->s->nodes[p->s->switches[sw]].guid, row);

	for (uint32_t i = 0; i < MFT_BLOCK_BYTES; i++)
		image[i] = (uint8_t)((want ? want[i] : 0) & (have ? have[i] : 0xff));
}

/* ---- groups ---- */

/* The switch and switch port that an end port is attached to; false: none. */
static bool
attach_leaf(const struct mcast_plan *p, uint32_t port, uint32_t *sw, uint8_t *via)
{
	const struct fab_port *q = &p->s->ports[port];

	if (!fab_is_switch(&p->s->nodes[q->node])) {
		if (q->peer == FAB_NONE)
			return false;
		q = &p->s->ports[q->peer];
	}
	*sw = p->s->nodes[q->node].sw;
	*via = q->num;
	return *sw != FAB_NONE;
}

static void
touch_switch(struct mcast_plan *p, uint32_t sw, uint32_t *n)
{
	if (p->touched[sw])
		return;
	p->touched[sw] = true;
	p->queue[(*n)++] = sw;
}

/* Counts the members at and below every switch on their paths up; queue[] receives those
 * switches. */
static uint32_t
count_members(struct mcast_plan *p, const struct mcast_span *t, const struct mcast_leaf *members,
	uint32_t n, uint32_t *lost)
{
	uint32_t touched = 0, sw;
	uint8_t via;

	*lost = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!attach_leaf(p, members[i].port, &sw, &via))
			continue;
		if (sw != t->root && t->above[sw] == FAB_NONE) {
			*lost += !members[i].inherited;
			continue;
		}
		if (members[i].hears)
			p->mask[sw][via / 16] |= (uint16_t)(1u << via % 16);
		for (;; sw = t->above[sw]) {
			touch_switch(p, sw, &touched);
			p->all[sw]++;
			p->hear[sw] += members[i].hears;
			if (sw == t->root)
				break;
		}
	}
	return touched;
}

static void
set_bit(struct mcast_plan *p, uint32_t sw, uint8_t port)
{
	p->mask[sw][port / 16] |= (uint16_t)(1u << port % 16);
}

/* Adds the links between the switches in queue[]. */
static void
join_switches(struct mcast_plan *p, const struct mcast_span *t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sw = p->queue[i], peer;

		if (sw == t->root)
			continue;
		peer = snapshot_port(p->s, p->s->switches[sw], t->port[sw])->peer;
		if (p->hear[t->root] > p->hear[sw])
			set_bit(p, sw, t->port[sw]);
		if (p->hear[sw] && p->all[t->root] > p->all[sw])
			set_bit(p, t->above[sw], p->s->ports[peer].num);
	}
}

static void
used_save(struct mcast_plan *p, struct used *u, uint32_t n)
{
	if (n > u->cap) {
		u->cap = n * 2;
		u->sw = arena_array(p->a, u->cap, sizeof(*u->sw));
	}
	u->n = n;
	if (n)
		memcpy(u->sw, p->queue, n * sizeof(*u->sw));
}

static uint32_t
count_registered(const struct mcast_leaf *members, uint32_t n)
{
	uint32_t registered = 0;

	for (uint32_t i = 0; i < n; i++)
		registered += !members[i].inherited;
	return registered;
}

/* Returns the span of the i-th MLID. */
static const struct mcast_span *
span_of(const struct mcast_plan *p, uint32_t i)
{
	return &p->spans.v[i % p->spans.n];
}

uint32_t
plan_mcast_group(struct mcast_plan *p, uint16_t mlid, const struct mcast_leaf *members, uint32_t n)
{
	static const uint16_t nothing[PORT_WORDS];
	uint32_t i = mlid - MLID_FIRST, touched, lost;
	const struct mcast_span *t;
	struct used *u;

	plan_mcast_prepare(p);
	p->has_groups = true;
	if (mlid < MLID_FIRST || i >= p->nblocks * MFT_BLOCK_MLIDS || !p->spans.n || p->refused)
		return count_registered(members, n);
	u = &p->used[i];
	t = span_of(p, i);
	touched = count_members(p, t, members, n, &lost);
	join_switches(p, t, touched);
	for (uint32_t k = 0; k < u->n; k++)
		if (!p->touched[u->sw[k]])
			put_mask(p, u->sw[k], i, nothing);
	for (uint32_t k = 0; k < touched; k++) {
		uint32_t sw = p->queue[k];

		put_mask(p, sw, i, p->mask[sw]);
		memset(p->mask[sw], 0, sizeof(p->mask[sw]));
		p->all[sw] = p->hear[sw] = 0;
		p->touched[sw] = false;
	}
	used_save(p, u, touched);
	return lost;
}

bool
plan_mcast_passes(const struct mcast_plan *p, uint16_t mlid, uint32_t sw)
{
	uint32_t i = mlid - MLID_FIRST, row = mft_row_of(i / MFT_BLOCK_MLIDS, 0);

	for (uint32_t k = 0; k < plan_mcast_positions(p, sw); k++) {
		const uint8_t *image = plan_mcast_row(p, sw, row | k << 28);

		if (image && ATTR_GET_ITEM(mft_block, mask, image, i % MFT_BLOCK_MLIDS))
			return true;
	}
	return false;
}

bool
plan_mcast_reaches(const struct mcast_plan *p, uint16_t mlid, uint32_t port)
{
	const struct mcast_span *t;
	uint32_t sw;
	uint8_t via;

	if (!p->rows || !p->spans.n || mlid < MLID_FIRST ||
	    mlid - MLID_FIRST >= (int)(p->nblocks * MFT_BLOCK_MLIDS) ||
	    !attach_leaf(p, port, &sw, &via))
		return false;
	t = span_of(p, mlid - MLID_FIRST);
	return sw == t->root || t->above[sw] != FAB_NONE;
}

bool
plan_mcast_serves(struct mcast_plan *p, uint16_t sls)
{
	plan_mcast_prepare(p);
	return !(sls & ~p->spans.sls);
}

static const struct used *
used_by(const struct mcast_plan *p, uint16_t mlid)
{
	uint32_t i = mlid - MLID_FIRST;

	return p->rows && mlid >= MLID_FIRST && i < p->nblocks * MFT_BLOCK_MLIDS ? &p->used[i] :
										   NULL;
}

bool
plan_mcast_settled(const struct mcast_plan *p, const struct mft_seen *t, uint16_t mlid)
{
	const struct used *u = used_by(p, mlid);
	uint32_t block = (uint32_t)(mlid - MLID_FIRST) / MFT_BLOCK_MLIDS;

	for (uint32_t i = 0; u && i < u->n; i++)
		for (uint32_t k = 0; k < plan_mcast_positions(p, u->sw[i]); k++)
			if (plan_mcast_differs(p, t, u->sw[i], mft_row_of(block, k)))
				return false;
	return true;
}

void
plan_mcast_again(struct mcast_plan *p, uint16_t mlid)
{
	const struct used *u = used_by(p, mlid);
	uint32_t block = (uint32_t)(mlid - MLID_FIRST) / MFT_BLOCK_MLIDS;

	for (uint32_t i = 0; u && i < u->n; i++)
		for (uint32_t k = 0; k < plan_mcast_positions(p, u->sw[i]); k++)
			note_changed(p, row_at(p, u->sw[i], mft_row_of(block, k)), u->sw[i],
				mft_row_of(block, k));
}
