/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_walk.c - follows the entries for one LID from every source.
 * Room: fabric/verify.  Pure.  In: columns.  Out: where walks end, and their turns.
 *
 * Each switch is walked once per LID: a walk stops at a switch whose end is known.
 */
#include <config.h>
#include <string.h>
#include "fabric/verify/verify_lanes.h"
#include "fabric/verify/verify_run.h"
#include "fabric/verify/verify_scan.h"
#include "util/bits.h"

static uint32_t
lid_owner(const struct verify_run *v, uint32_t lid)
{
	return lid <= v->l->top ? v->l->owner[lid] : FAB_NONE;
}

void
verify_block_load(struct verify_part *p, uint32_t lid)
{
	uint32_t first = lid - lid % VERIFY_BLOCK;

	if (p->loaded == first)
		return;
	p->loaded = first;
	for (unsigned t = 0; t < p->v->ntables; t++) {
		const struct fwd_tables *f = p->v->f[t];
		uint32_t n = first > f->top                ? 0 :
			f->top + 1u - first < VERIFY_BLOCK ? f->top + 1u - first :
							     VERIFY_BLOCK;

		for (uint32_t sw = 0; sw < p->v->g.nsw; sw++) {
			uint8_t *to = &p->block[t][sw * VERIFY_BLOCK];

			memcpy(to, fwd_row(f, sw) + first, n);
			memset(to + n, FAB_LFT_DROP, VERIFY_BLOCK - n);
		}
	}
}

static void
note_lost(struct verify_part *p, uint32_t sw, uint32_t lid, uint8_t port, enum walk_end why)
{
	if (p->nlost < VERIFY_EVIDENCE_MAX)
		p->lost[p->nlost++] = (struct verify_walk){ p->v->s->switches[sw], (uint16_t)lid,
			port, (uint8_t)why };
}

/* Follows the entries for 'lid' from 'sw' until a switch whose end is known, or the end; marks
 * all on the way. */
static void
walk_from(struct verify_part *p, uint32_t sw, uint32_t lid)
{
	const struct verify_run *v = p->v;
	uint32_t n = 0;
	uint8_t end;

	while (p->mark[sw] == MARK_UNSEEN) {
		uint8_t port = verify_entry(p, 0, sw, lid);
		const struct chan_hop *h = chan_graph_hop(&v->g, sw, port);

		p->mark[sw] = MARK_OPEN;
		p->path[n++] = sw;
		if (!h || h->sw == FAB_NONE) {
			enum walk_end e = verify_exit(v->s, v->l, sw, lid, port);

			p->mark[sw] = e == WALK_ARRIVED ? MARK_GOOD : MARK_LOST;
			if (e != WALK_ARRIVED)
				note_lost(p, sw, lid, port, e);
			break;
		}
		if (v->turns)
			chan_graph_note(&p->g, h, verify_entry(p, 0, h->sw, lid));
		sw = h->sw;
	}
	if (p->mark[sw] == MARK_OPEN)
		note_lost(p, sw, lid, verify_entry(p, 0, sw, lid), WALK_LOOP);
	end = p->mark[sw] == MARK_OPEN ? MARK_LOOPS : p->mark[sw];
	while (n) {
		p->mark[p->path[--n]] = end;
		p->order[p->norder++] = p->path[n];
	}
}

void
verify_walk_all(struct verify_part *p, uint32_t lid)
{
	const struct verify_run *v = p->v;

	memset(p->mark, MARK_UNSEEN, v->g.nsw);
	p->norder = 0;
	for (uint32_t i = 0; i < v->nsources; i++)
		if (p->mark[v->sources[i]] == MARK_UNSEEN)
			walk_from(p, v->sources[i], lid);
}

/* True if a walk loops. */
static bool
count_ends(struct verify_part *p, uint32_t lid)
{
	const struct verify_run *v = p->v;
	bool loops = false;

	for (uint32_t i = 0; i < v->nsources; i++) {
		uint8_t m = p->mark[v->sources[i]];

		if (m == MARK_GOOD)
			continue;
		loops |= m == MARK_LOOPS;
		bits_set(v->bad, lid);  /* the word is this part's own */
		if (i < v->nleaves)
			p->unreachable++;
		else
			p->unreachable_switch++;
	}
	p->loops += loops;
	return loops;
}

/* ---- columns like one before ---- */

/* Whether the entry of switch 'sw' takes packets for 'lid' to the destination. */
static bool
delivers(const struct verify_part *p, uint32_t sw, uint32_t lid)
{
	uint8_t port = verify_entry(p, 0, sw, lid);
	const struct chan_hop *h = chan_graph_hop(&p->v->g, sw, port);

	return (!h || h->sw == FAB_NONE) &&
		verify_exit(p->v->s, p->v->l, sw, lid, port) == WALK_ARRIVED;
}

/* Whether the column is, but for the port of the destination, one that was followed already. */
static bool
was_followed(const struct verify_part *p, uint32_t lid)
{
	uint32_t dest = verify_dest_switch(p->v, lid), nsw = p->v->g.nsw, sw;
	const struct fwd_tables *f = p->v->f[0];

	for (unsigned i = 0; dest != FAB_NONE && i < VERIFY_MEMOS; i++) {
		uint32_t other = p->memo[dest].lid[i];

		if (!other)
			continue;
		for (sw = 0; sw < nsw; sw++)
			if (fwd_row(f, sw)[other] != verify_entry(p, 0, sw, lid) && sw != dest)
				break;
		if (sw == nsw)
			return delivers(p, dest, lid);
	}
	return false;
}

static void
note_followed(struct verify_part *p, uint32_t lid)
{
	uint32_t dest = verify_dest_switch(p->v, lid);
	struct verify_memo *m;

	if (dest == FAB_NONE || lid > p->v->f[0]->top)
		return;
	m = &p->memo[dest];
	m->lid[m->next++ % VERIFY_MEMOS] = lid;
}

static uint64_t
count_lost(const struct verify_part *p)
{
	return p->unreachable + p->unreachable_switch + p->loops;
}

/* ---- all LIDs ---- */

static void
do_lid(struct verify_part *p, uint32_t lid)
{
	const struct verify_run *v = p->v;
	uint64_t lost = count_lost(p);
	bool walk = v->walks && (!v->which || bits_test(v->which, lid));
	bool mix = v->mixes && v->changed && bits_test(v->changed, lid), loops = false;

	if (lid_owner(v, lid) == FAB_NONE || (!walk && !mix))
		return;
	verify_block_load(p, lid);
	if (v->memos && was_followed(p, lid))
		return;
	if (walk) {
		verify_walk_all(p, lid);
		loops = count_ends(p, lid);
	}
	if (v->lanes && v->mixes)
		verify_lanes_push(p, lid, mix || loops);
	else if (mix)
		verify_mix_add(p, lid);
	if (v->memos && count_lost(p) == lost)
		note_followed(p, lid);
}

static void
lids_part(void *data, unsigned i, unsigned n)
{
	struct verify_run *v = data;
	uint32_t blocks = v->l->top / VERIFY_BLOCK + 1;
	uint32_t end = stripes_first(blocks, i + 1, n) * VERIFY_BLOCK;

	for (uint32_t lid = stripes_first(blocks, i, n) * VERIFY_BLOCK; lid < end; lid++)
		if (lid && lid <= v->l->top)
			do_lid(&v->parts[i], lid);
}

static void
merge_part(void *data, unsigned i, unsigned n)
{
	struct verify_run *v = data;
	uint32_t lo = stripes_first(v->g.nsw, i, n), hi = stripes_first(v->g.nsw, i + 1, n);

	for (unsigned k = 0; k < v->nparts; k++)
		if (v->parts[k].g.bits && v->parts[k].g.bits != v->g.bits)
			chan_graph_merge(&v->g, &v->parts[k].g, lo, hi);
}

void
verify_lids(struct verify_run *v)
{
	struct verify_result *r = v->r;

	v->memos = v->walks && v->ntables == 1 && !(v->lanes && verify_sls_by_lid(v->lanes));
	for (unsigned i = 0; i < v->nparts; i++)
		memset(v->parts[i].memo, 0, v->g.nsw * sizeof(*v->parts[i].memo));
	stripes_each(v->stripes, lids_part, v);
	for (unsigned i = 0; i < v->nparts; i++) {
		struct verify_part *p = &v->parts[i];

		r->unreachable += p->unreachable;
		r->unreachable_switch += p->unreachable_switch;
		r->loops += p->loops;
		for (unsigned k = 0; k < p->nlost && r->nlost < VERIFY_EVIDENCE_MAX; k++)
			r->lost[r->nlost++] = p->lost[k];
		p->unreachable = p->unreachable_switch = p->loops = 0;
		p->nlost = 0;
	}
	if (!v->lanes && v->nparts > 1)
		stripes_each(v->stripes, merge_part, v);
	if (v->turns)
		chan_graph_trim(&v->g);
}

void
verify_parts_init(struct verify_run *v)
{
	struct arena *a = &v->arena;
	uint32_t nsw = v->g.nsw;

	v->nparts = stripes_count(v->stripes);
	v->parts = arena_array(a, v->nparts, sizeof(*v->parts));
	for (unsigned i = 0; i < v->nparts; i++) {
		struct verify_part *p = &v->parts[i];

		p->v = v;
		p->loaded = UINT32_MAX;
		p->dest = FAB_NONE - 1;
		for (unsigned t = 0; t < v->ntables; t++)
			p->block[t] = arena_array(a, nsw, VERIFY_BLOCK);
		p->mark = arena_alloc(a, nsw);
		p->path = arena_array(a, nsw, sizeof(*p->path));
		p->order = arena_array(a, nsw, sizeof(*p->order));
		p->reached = arena_alloc(a, nsw);
		p->queue = arena_array(a, nsw, sizeof(*p->queue));
		p->queued = arena_alloc(a, nsw);
		p->memo = arena_array(a, nsw, sizeof(*p->memo));
		if (v->lanes)
			verify_lanes_part(p);
		else
			p->g = i ? chan_graph_like(&v->g, a) : v->g;
	}
}
