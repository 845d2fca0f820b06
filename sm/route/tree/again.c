/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * again.c - tables after a change, from those before.
 * Room: sm/route/tree.  Pure.  In: the state, the new input.  Out: tables, the blocks that changed.
 *
 * 1. What differs (again_input.h): if more than links, LIDs and which switches there are, a full
 *    run.
 * 2. Costs, in the order of the switches: the ends of changed links are computed anew; of the
 *    switches that use a row, the columns that changed in it.
 * 3. Rows of the ends of changed links are made as in a full run.  Of other rows, columns are
 *    settled again that changed at the switch or at a neighbour, or whose LIDs did.  All against the
 *    tables in force, which are those of the run before.
 * 4. Entries without an up/down path go by the anchor.  If it does not serve all, a full run.
 * Where nothing changes, the tables are those of before.  Otherwise they are written into those of
 * the run before that, after these were brought up to date by the blocks that changed since; into a
 * copy if another owner still holds those, or if a switch has another ordinal.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/route/tree/again.h"
#include "sm/route/tree/again_input.h"
#include "sm/route/tree/anchor.h"
#include "sm/route/tree/roots.h"
#include "sm/route/tree/settle.h"
#include "util/bits.h"
#include "util/xalloc.h"

/* Scratch. */
struct again_work {
	struct settle settle;
	struct fill fill, fill_was;
	uint64_t *moved;                /* [nsw][words]: columns whose costs changed */
	uint64_t *dn, *r;               /* [nsw][words]: columns to be computed anew */
	uint8_t *mark;                  /* per switch: enum mark */
	uint64_t *suspect;              /* [words] */
	uint64_t *relaid;               /* [words]: columns whose LIDs changed */
	uint64_t *written;              /* blocks of a row that may differ */
	struct frame was;               /* with the LIDs of before */
	unsigned news;
	bool odd;                       /* some switch holds other tables than the kept ones */
};

/* One of two arenas is the present one. */
struct again_arenas {
	struct arena a[2];
	unsigned turn;
};

struct again_tables {
	struct fwd_tables t[2];         /* each holds its rows */
	size_t room[2];                 /* bytes of them */
	unsigned turn;                  /* which are the present ones */
	struct route_block *changed;    /* [nchanged]: where the two differ */
	uint32_t nchanged, cap;
	bool apart;                     /* they may differ elsewhere, too */
	struct fwd_rows *before[2];     /* of the full run before: what the caller may still hold */
};

/* Entries without an up/down path. */
struct again_holes {
	struct anchor anchor;
	uint64_t *now;                  /* [nsw][words] */
	uint64_t *was;                  /* the same, of switches with MARK_LINKS or MARK_MOVED */
	/* the same: by the anchor; and per switch anchor_parent(), FAB_NONE; of now and before */
	uint64_t *anchored[2];
	uint32_t *parent[2];
	bool *single;                   /* [words]: each of these columns has one LID */
	uint64_t *live;                 /* [words]: columns of switches that are there */
};

struct again_state {
	struct route_state base;
	struct arena arena, old;        /* 'old': what the caller may still hold */
	struct again_arenas graph, lids;
	bool kept;                      /* there was a full run to continue from */
	const struct tree_kind *kind;
	struct again_input was;
	/* what follows from it */
	struct frame f;
	struct updown whole, now;
	struct again_tables tables;
	uint32_t (*settled)[256];       /* per switch, as 'moved' in settle.h */
	size_t words;
	struct again_holes holes;
	uint16_t *rank;
	struct route_report report;
	struct again_work work;
};

enum mark {
	MARK_LINKS = 1, MARK_DN = 2, MARK_R = 4, MARK_MOVED = 8, MARK_ROW = 16, MARK_WHOLE = 32
};

static void state_free(struct route_state *state);

static void
drop_old(struct again_state *s)
{
	arena_clear(&s->old);
	for (unsigned i = 0; i < 2; i++)
		fwd_rows_drop(s->tables.before[i]);
}

/* Empties the state, except for what the caller may still hold. */
static void
clear_state(struct again_state *s)
{
	struct again_state fresh = { .base.free = state_free, .old = s->arena,
		.tables.before = { s->tables.t[0].rows, s->tables.t[1].rows } };

	for (unsigned i = 0; i < 2; i++) {
		arena_clear(&s->graph.a[i]);
		arena_clear(&s->lids.a[i]);
	}
	frame_clear(&s->f);
	*s = fresh;
}

static void
state_free(struct route_state *state)
{
	struct again_state *s = (struct again_state *)state;

	drop_old(s);
	clear_state(s);
	drop_old(s);
	free(s);
}

void
again_begin(struct route_state **state, const struct route_model *m, struct fwd_tables *out)
{
	struct again_state *s;

	if (*state && (*state)->free != state_free) {   /* of another kind of engine */
		route_state_free(*state);
		*state = NULL;
	}
	s = (struct again_state *)*state;
	if (!s) {
		s = xcalloc(1, sizeof(*s));
		*state = &s->base;
	}
	drop_old(s);
	clear_state(s);
	route_tables_rows(m, out);
	s->tables.t[0] = *out;
}

static void
find_holes(struct again_state *s, uint32_t sw)
{
	updown_holes(&s->now, &s->f.now, sw, s->holes.now + sw * s->words);
}

/* What the anchor completes: per switch the columns that its parent reaches. */
static void
find_anchored(struct again_state *s, uint64_t *anchored, uint32_t *parent)
{
	const struct anchor *t = &s->holes.anchor;

	for (uint32_t i = 0; i < t->nqueue; i++) {
		uint32_t sw = t->queue[i];
		const struct swgraph_group *g =
			s->f.node[sw] == FAB_NONE ? NULL : anchor_parent(t, sw);

		parent[sw] = g ? g->to : FAB_NONE;
		for (size_t w = 0; w < s->words; w++)
			anchored[sw * s->words + w] = !g ? 0 : s->holes.now[sw * s->words + w] &
					(~s->holes.now[g->to * s->words + w] |
						anchored[g->to * s->words + w]);
	}
}

/* Whether the anchor serves every hole between switches that are there. */
static bool
all_anchored(const struct again_state *s)
{
	for (uint32_t sw = 0; sw < s->f.now.g.nsw; sw++)
		for (size_t w = 0; s->f.node[sw] != FAB_NONE && w < s->words; w++)
			if (s->holes.now[sw * s->words + w] & ~s->holes.anchored[0][sw * s->words + w] &
				s->holes.live[w])
				return false;
	return true;
}

/* What follows from which switches and LIDs there are. */
static void
find_columns(struct again_state *s)
{
	memset(s->holes.live, 0, s->words * sizeof(*s->holes.live));
	for (uint32_t c = 0; c < s->f.now.ncols; c++)
		if (s->f.node[s->f.now.col_sw[c]] != FAB_NONE)
			bits_set(s->holes.live, c);
	for (size_t w = 0; w < s->words; w++)
		s->holes.single[w] = frame_single_lids(&s->f, (uint32_t)w * 64);
}

static size_t
written_bytes(const struct again_state *s)
{
	return BITS_WORDS(s->f.now.table_stride / 64) * sizeof(*s->work.written);
}

static void
alloc_work(struct again_state *s)
{
	struct arena *a = &s->arena;
	uint32_t nsw = s->f.now.g.nsw;
	size_t bytes;

	s->work.was = s->f;
	s->words = BITS_WORDS(s->f.now.ncols);
	bytes = s->words * sizeof(uint64_t);
	s->holes.now = arena_array(a, nsw, bytes);
	s->holes.was = arena_array(a, nsw, bytes);
	for (unsigned i = 0; i < 2; i++) {
		s->holes.anchored[i] = arena_array(a, nsw, bytes);
		s->holes.parent[i] = arena_array(a, nsw, sizeof(*s->holes.parent[i]));
	}
	s->work.moved = arena_array(a, nsw, bytes);
	s->work.dn = arena_array(a, nsw, bytes);
	s->work.r = arena_array(a, nsw, bytes);
	s->work.mark = arena_alloc(a, nsw);
	s->work.suspect = arena_alloc(a, bytes);
	s->work.relaid = arena_alloc(a, bytes);
	s->work.written = arena_alloc(a, written_bytes(s));
	s->holes.single = arena_array(a, s->words, sizeof(*s->holes.single));
	s->holes.live = arena_alloc(a, bytes);
	find_columns(s);
	settle_init(&s->work.settle, &s->f, &s->now, a);
	fill_init_candidates(&s->work.fill, &s->f.whole, a);
	fill_init_candidates(&s->work.fill_was, &s->work.was.whole, a);
}

static void
keep_part(void *data, unsigned i, unsigned n)
{
	struct again_state *s = data;
	uint32_t nsw = s->f.now.g.nsw, end = stripes_first(nsw, i + 1, n);

	for (uint32_t sw = stripes_first(nsw, i, n); sw < end; sw++) {
		uint32_t at = s->f.ordinal[sw];

		find_holes(s, sw);
		if (at == FAB_NONE)
			continue;
		memcpy(fwd_row(&s->tables.t[1], at), fwd_row(&s->tables.t[0], at), s->tables.t[0].stride);
	}
}

/* The costs are computed into rows of the state, of both topologies. */
static void
keep_costs(struct again_state *s, const struct route_in *in, const struct updown *whole,
	const uint16_t *rank)
{
	const struct route_model *m = &s->f.now;
	size_t bytes = (size_t)m->g.nsw * m->stride;

	updown_order(&s->whole, &s->f.whole, rank, s->f.plane, &s->arena);
	s->whole.dn = arena_copy(&s->arena, whole->dn, bytes, 1);
	s->whole.r = arena_copy(&s->arena, whole->r, bytes, 1);
	s->now = s->whole;
	if (s->f.same) {
		s->now.dn = arena_copy(&s->arena, whole->dn, bytes, 1);
		s->now.r = arena_copy(&s->arena, whole->r, bytes, 1);
	} else {
		updown_costs(&s->now, &s->f.now, in->stripes, &s->arena);
	}
}

void
again_keep(struct route_state *state, const struct tree_kind *kind, const struct route_in *in,
	const struct updown *whole, const uint16_t *rank, uint32_t (*moved)[256],
	const struct route_report *r)
{
	struct again_state *s = (struct again_state *)state;
	struct route_report unused = { .code = ROUTE_OK };

	s->report = *r;
	s->kind = kind;
	if (!kind->column || !in->intended || r->lowered || r->declared || r->npivots > 1)
		return;
	if (frame_make(&s->f, in, &s->arena, &unused) != ROUTE_OK ||
	    s->f.nknown != s->f.now.g.nsw)
		return;
	again_input_keep(&s->was, &s->f, in, &s->arena);
	s->f.t = &s->was.intended;
	s->rank = arena_copy(&s->arena, rank, s->f.now.g.nsw, sizeof(*rank));
	alloc_work(s);
	s->settled = arena_copy(&s->arena, moved, s->f.now.g.nsw, sizeof(*moved));
	keep_costs(s, in, whole, rank);
	route_tables_rows(&s->f.now, &s->tables.t[1]);
	s->tables.room[0] = s->tables.room[1] =
		(size_t)s->tables.t[0].nswitches * s->tables.t[0].stride;
	stripes_each(in->stripes, keep_part, s);
	anchor_find(&s->holes.anchor, &s->f, &s->now, true, &s->arena);
	if (s->holes.anchor.g != &s->f.whole.g || !s->holes.anchor.sound)
		return;
	find_anchored(s, s->holes.anchored[0], s->holes.parent[0]);
	s->kept = all_anchored(s);
}

/* The columns of 'set' at switch 'sw'; without 'bit' it is empty. */
static uint64_t *
marked_columns(struct again_state *s, uint32_t sw, uint64_t *set, enum mark bit)
{
	uint64_t *columns = set + sw * s->words;

	if (!(s->work.mark[sw] & bit))
		memset(columns, 0, s->words * sizeof(*columns));
	s->work.mark[sw] |= (uint8_t)bit;
	return columns;
}

/* Takes 64 costs.  Returns those that differ from what was there. */
static uint64_t
take_costs(uint8_t *row, const uint8_t *is)
{
	uint64_t differ = 0;

	if (memcmp(row, is, 64) == 0)
		return 0;
	for (unsigned i = 0; i < 64; i++)
		differ |= (uint64_t)(row[i] != is[i]) << i;
	memcpy(row, is, 64);
	return differ;
}

/* Computes the marked columns of one row anew.  'differ' [words]: those that changed.  False:
 * none. */
static bool
repair_row(struct again_state *s, uint32_t sw, bool down, uint64_t *differ)
{
	const struct route_model *m = &s->f.now;
	const uint64_t *todo = (down ? s->work.dn : s->work.r) + sw * s->words;
	uint8_t *row = (down ? s->now.dn : s->now.r) + (size_t)sw * m->stride;
	_Alignas(16) uint8_t is[64];
	uint64_t *moved, any = 0;

	for (uint32_t w = 0; w < s->words; w++) {
		differ[w] = 0;
		if (!todo[w])
			continue;
		(down ? updown_row_dn : updown_row_r)(&s->now, m, sw, w * 64, 64, is);
		any |= differ[w] = take_costs(row + w * 64u, is);
	}
	if (!any)
		return false;
	moved = marked_columns(s, sw, s->work.moved, MARK_MOVED);
	for (uint32_t w = 0; w < s->words; w++)
		moved[w] |= differ[w];
	return true;
}

static void
add_columns(struct again_state *s, uint32_t sw, uint64_t *set, enum mark bit,
	const uint64_t *columns)
{
	uint64_t *todo = marked_columns(s, sw, set, bit);

	for (uint32_t w = 0; w < s->words; w++)
		todo[w] |= columns[w];
}

static void
add_neighbours(struct again_state *s, uint32_t sw, bool up, const uint64_t *columns)
{
	const struct swgraph *g = &s->f.now.g;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++)
		if (updown_is_up(&s->now, sw, g->groups[k].to) == up)
			add_columns(s, g->groups[k].to, up ? s->work.dn : s->work.r,
				up ? MARK_DN : MARK_R, columns);
}

/* All columns at the ends of changed links, and what follows. */
static void
repair_costs(struct again_state *s)
{
	uint32_t nsw = s->f.now.g.nsw;
	uint64_t *differ = s->work.suspect;

	memset(differ, 0xff, s->words * sizeof(*differ));
	for (uint32_t sw = 0; sw < nsw; sw++)
		if (s->work.mark[sw] & MARK_LINKS) {
			add_columns(s, sw, s->work.dn, MARK_DN, differ);
			add_columns(s, sw, s->work.r, MARK_R, differ);
		}
	for (uint32_t i = 0; i < nsw; i++) {
		uint32_t sw = s->now.order[i];

		if (s->work.mark[sw] & MARK_DN && repair_row(s, sw, true, differ)) {
			add_columns(s, sw, s->work.r, MARK_R, differ);
			add_neighbours(s, sw, true, differ);
		}
	}
	for (uint32_t i = nsw; i-- > 0;) {
		uint32_t sw = s->now.order[i];

		if (s->work.mark[sw] & MARK_R && repair_row(s, sw, false, differ))
			add_neighbours(s, sw, false, differ);
	}
}

/* The columns to be settled again at 'sw'.  False: none. */
static bool
find_suspects(struct again_state *s, uint32_t sw)
{
	const struct swgraph *g = &s->f.now.g;
	uint64_t any = 0, *suspect = s->work.suspect;

	memcpy(suspect, s->work.relaid, s->words * sizeof(*suspect));
	if (s->work.mark[sw] & MARK_MOVED)
		for (size_t w = 0; w < s->words; w++)
			suspect[w] |= s->work.moved[sw * s->words + w];
	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
		uint32_t to = g->groups[k].to;

		for (size_t w = 0; s->work.mark[to] & MARK_MOVED && w < s->words; w++)
			suspect[w] |= s->work.moved[to * s->words + w];
	}
	for (size_t w = 0; w < s->words; w++)
		any |= suspect[w];
	return any != 0;
}

/* The columns that 'sw' had no path to before. */
static const uint64_t *
holes_before(const struct again_state *s, uint32_t sw)
{
	bool changed = s->work.mark[sw] & (MARK_LINKS | MARK_MOVED);

	return (changed ? s->holes.was : s->holes.now) + sw * s->words;
}

static void
note_column(struct again_state *s, const struct route_model *m, uint32_t c)
{
	for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++)
		bits_set(s->work.written, m->host_lids[i].lid / 64u);
	for (uint32_t i = 0; i < m->own_n[c]; i++)
		bits_set(s->work.written, (m->own_first[c] + i) / 64);
}

/* Takes what was settled in column 'c' out of the counts; 'row' has the intended ports. */
static void
forget_settled(struct again_state *s, const struct route_model *m, uint32_t sw, uint32_t c,
	const uint8_t *row, const uint8_t *before)
{
	for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++) {
		uint16_t lid = m->host_lids[i].lid;

		s->settled[sw][before[lid]] -= before[lid] != row[lid];
	}
}

/* Empties the columns whose LIDs changed, by the LIDs of before. */
static void
forget_columns(struct again_state *s, uint32_t sw, uint8_t *row, const uint8_t *before)
{
	struct fill *fill = &s->work.fill_was;
	const struct route_model *m = fill->m;
	const uint64_t *holes = holes_before(s, sw);

	fill_order(fill, sw, s->f.plane);
	for (size_t c = bits_next(s->work.relaid, m->ncols, 0); c < m->ncols;
		c = bits_next(s->work.relaid, m->ncols, c + 1)) {
		updown_column(&s->whole, fill, (uint32_t)c);
		s->kind->column(&s->work.was, fill, (uint32_t)c, row);
		if (c != m->sw_col[sw] && !bits_test(holes, c))
			forget_settled(s, m, sw, (uint32_t)c, row, before);
		note_column(s, m, (uint32_t)c);
		for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++)
			row[m->host_lids[i].lid] = FAB_LFT_DROP;
		memset(row + m->own_first[c], FAB_LFT_DROP, m->own_n[c]);
	}
}

static void
settle_columns(struct again_state *s, uint32_t sw, uint8_t *row, const uint8_t *before)
{
	const struct route_model *m = &s->f.now;
	const uint64_t *holes = holes_before(s, sw);
	uint32_t own = m->sw_col[sw], n = m->ncols;

	if (s->work.news & AGAIN_LIDS)
		forget_columns(s, sw, row, before);
	fill_order(&s->work.fill, sw, s->f.plane);
	settle_begin(&s->work.settle, sw, s->settled[sw]);
	for (size_t c = bits_next(s->work.suspect, n, 0); c < n;
		c = bits_next(s->work.suspect, n, c + 1)) {
		note_column(s, m, (uint32_t)c);
		if (c == own)
			continue;
		updown_column(&s->whole, &s->work.fill, (uint32_t)c);
		updown_column(&s->now, &s->work.settle.now, (uint32_t)c);
		s->kind->column(&s->f, &s->work.fill, (uint32_t)c, row);
		if (!bits_test(holes, c) && !bits_test(s->work.relaid, c))
			forget_settled(s, m, sw, (uint32_t)c, row, before);
		settle_column(&s->work.settle, (uint32_t)c, row, before, s->tables.t[0].stride);
	}
	settle_end(&s->work.settle, sw, row);
	if (bits_test(s->work.relaid, own))
		fill_own(&s->work.fill, row);
}

/* All of a row, as in a full run. */
static void
settle_whole(struct again_state *s, uint32_t sw, uint8_t *row, const struct fwd_tables *before)
{
	memset(s->work.written, 0xff, written_bytes(s));
	fill_begin(&s->work.fill, sw, s->f.plane);
	updown_candidates(&s->whole, &s->work.fill);
	s->kind->row(&s->f, &s->work.fill, row);
	settle_row(&s->work.settle, &s->work.fill, row, fwd_row(before, s->f.ordinal[sw]),
		before->stride, s->settled[sw]);
}

/* The rows of switches whose ordinals are other ones, or that are to be written into a copy. */
static void
copy_rows(struct again_state *s, const struct fwd_tables *from, struct fwd_tables *to)
{
	size_t bytes = (size_t)s->f.now.s->nswitches * to->stride, *room;

	room = &s->tables.room[to - s->tables.t];
	if (fwd_rows_shared(to->rows) || *room < bytes) {
		fwd_rows_drop(to->rows);
		route_tables_rows(&s->f.now, to);
		*room = bytes;
	}
	to->nswitches = s->f.now.s->nswitches;
	for (uint32_t sw = 0; sw < s->f.now.g.nsw; sw++)
		if (s->f.ordinal[sw] != FAB_NONE && s->was.ordinal[sw] != FAB_NONE)
			memcpy(fwd_row(to, s->f.ordinal[sw]), fwd_row(from, s->was.ordinal[sw]),
				to->stride);
}

/* The tables of the run before the last become those of the last, with the present ordinals. */
static struct fwd_tables *
bring_up_to_date(struct again_state *s)
{
	struct again_tables *k = &s->tables;
	struct fwd_tables *from = &k->t[k->turn], *to = &k->t[k->turn ^ 1];

	if (k->apart || fwd_rows_shared(to->rows) || s->work.news & AGAIN_SWITCHES) {
		copy_rows(s, from, to);
		k->nchanged = 0;
	}
	for (uint32_t i = 0; i < k->nchanged; i++) {
		const struct route_block *b = &k->changed[i];

		memcpy(fwd_row(to, b->sw) + b->block * 64u, fwd_row(from, b->sw) + b->block * 64u, 64);
	}
	k->nchanged = 0;
	return to;
}

/* The bytes of rows that both have. */
static uint32_t
shorter(const struct fwd_tables *a, const struct fwd_tables *b)
{
	return a->stride < b->stride ? a->stride : b->stride;
}

/* Of the blocks that were written, notes those that differ. */
static void
note_blocks(struct again_state *s, uint32_t at, const struct fwd_tables *before,
	const struct fwd_tables *to)
{
	const uint8_t *was = fwd_row(before, at), *is = fwd_row(to, at);
	struct again_tables *k = &s->tables;
	uint32_t n = shorter(before, to) / 64;

	for (size_t b = bits_next(s->work.written, n, 0); b < n;
		b = bits_next(s->work.written, n, b + 1)) {
		if (memcmp(was + b * 64, is + b * 64, 64) == 0)
			continue;
		k->changed = arena_grow(&s->arena, k->changed, k->nchanged, &k->cap, 1024,
			sizeof(*k->changed));
		k->changed[k->nchanged++] = (struct route_block){ at, (uint16_t)b };
	}
}

/* Completes the row by the anchor's rule. */
static void
complete_row(struct again_state *s, uint32_t sw, uint8_t *row)
{
	const struct route_model *m = &s->f.now;
	const uint64_t *set = s->holes.anchored[0] + sw * s->words;
	const struct swgraph_group *g = anchor_parent(&s->holes.anchor, sw);

	for (size_t c = bits_next(set, m->ncols, 0); g && c < m->ncols;
		c = bits_next(set, m->ncols, c + 1)) {
		uint8_t port = anchor_port(&s->holes.anchor, sw, (uint32_t)c, g);

		note_column(s, m, (uint32_t)c);
		for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++)
			row[m->host_lids[i].lid] = port;
		for (uint32_t i = 0; i < m->own_n[c]; i++)
			row[m->own_first[c] + i] = port;
	}
}

/* Settles what changed in the row of 'sw'.  False: nothing. */
static bool
settle_one(struct again_state *s, uint32_t sw, uint8_t *row, const struct fwd_tables *before)
{
	if (s->work.mark[sw] & (MARK_LINKS | MARK_WHOLE))
		settle_whole(s, sw, row, before);
	else if (find_suspects(s, sw))
		settle_columns(s, sw, row, fwd_row(&s->tables.t[s->tables.turn], s->was.ordinal[sw]));
	else
		return false;
	return true;
}

static void
swap_anchored(struct again_state *s)
{
	uint64_t *anchored = s->holes.anchored[0];
	uint32_t *parent = s->holes.parent[0];

	s->holes.anchored[0] = s->holes.anchored[1];
	s->holes.anchored[1] = anchored;
	s->holes.parent[0] = s->holes.parent[1];
	s->holes.parent[1] = parent;
}

/* Finds holes, and what the anchor makes of them.  False: it does not serve all. */
static bool
repair_anchored(struct again_state *s)
{
	for (uint32_t sw = 0; sw < s->f.now.g.nsw; sw++)
		if (s->work.mark[sw] & (MARK_LINKS | MARK_MOVED)) {
			memcpy(s->holes.was + sw * s->words, s->holes.now + sw * s->words,
				s->words * sizeof(uint64_t));
			find_holes(s, sw);
		}
	find_anchored(s, s->holes.anchored[1], s->holes.parent[1]);
	swap_anchored(s);
	return all_anchored(s);
}

/* Whether the anchor completes other entries than before, or by another way. */
static bool
anchored_anew(const struct again_state *s, uint32_t sw)
{
	const struct again_holes *h = &s->holes;
	size_t at = sw * s->words;

	return h->parent[0][sw] != h->parent[1][sw] ||
		memcmp(h->anchored[0] + at, h->anchored[1] + at, s->words * sizeof(uint64_t)) != 0;
}

/* Settles what changed, then completes. */
static void
make_rows(struct again_state *s, struct fwd_tables *to, const struct fwd_tables *before)
{
	for (uint32_t sw = 0; sw < s->f.now.g.nsw; sw++) {
		uint32_t at = s->f.ordinal[sw];

		if (at == FAB_NONE)
			continue;
		memset(s->work.written, 0, written_bytes(s));
		if (!settle_one(s, sw, fwd_row(to, at), before) && !anchored_anew(s, sw))
			continue;
		complete_row(s, sw, fwd_row(to, at));
		note_blocks(s, at, before, to);
	}
}

/* Compares the tables in force with the kept ones: the rows of switches that hold others are made
 * anew.  False: they are of other switches or LIDs, or none is as it was. */
static bool
match_tables(struct again_state *s, const struct fwd_tables *b)
{
	const struct fwd_tables *a = &s->tables.t[s->tables.turn];
	uint32_t same = 0;

	s->work.odd = false;
	if (!b || b->nswitches != s->f.now.s->nswitches || b->stride <= a->top)
		return false;
	if (a->port == b->port && !(s->work.news & AGAIN_SWITCHES))
		return true;
	for (uint32_t sw = 0; sw < s->f.now.g.nsw; sw++) {
		uint32_t was = s->was.ordinal[sw], is = s->f.ordinal[sw];

		if (is == FAB_NONE)
			continue;
		if (was != FAB_NONE &&
		    memcmp(fwd_row(a, was), fwd_row(b, is), shorter(a, b)) == 0) {
			same++;
			continue;
		}
		s->work.mark[sw] |= MARK_WHOLE;
		s->work.odd = true;
	}
	return same > 0;
}

/* ---- LIDs ---- */

static bool
column_relaid(const struct frame *a, const struct frame *b, uint32_t c)
{
	const struct route_model *x = &a->now, *y = &b->now;
	uint32_t i = x->lid_first[c], k = y->lid_first[c], n = x->lid_first[c + 1] - i;

	if (y->lid_first[c + 1] - k != n || x->own_first[c] != y->own_first[c] ||
	    x->own_n[c] != y->own_n[c])
		return true;
	for (uint32_t at = 0; at < n; at++) {
		const struct route_lid *p = &x->host_lids[i + at], *q = &y->host_lids[k + at];

		if (p->lid != q->lid || p->via != q->via || p->sub != q->sub ||
		    a->id[i + at] != b->id[k + at])
			return true;
	}
	return false;
}

/* Takes other LIDs, and finds their columns.  False: rows have another length, or there is no
 * host. */
static bool
relay_lids(struct again_state *s, const struct route_in *in)
{
	struct route_model *m = &s->f.now;
	struct route_report unused = { .code = ROUTE_OK };
	struct arena *a = &s->lids.a[s->lids.turn ^= 1];

	arena_clear(a);
	s->work.was = s->f;
	if (frame_relid(&s->f, in, a, &unused) != ROUTE_OK || m->top != s->tables.t[s->tables.turn].top ||
	    !m->lid_first[m->ncols])
		return false;
	settle_reserve(&s->work.settle, a);
	for (uint32_t c = 0; c < m->ncols; c++)
		if (column_relaid(&s->work.was, &s->f, c))
			bits_set(s->work.relaid, c);
	return true;
}

/* Entries that the anchor completes. */
static uint64_t
count_completed(const struct again_state *s)
{
	const struct route_model *m = &s->f.now;
	uint64_t n = 0;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		for (size_t w = 0; w < s->words; w++) {
			uint64_t set = s->holes.anchored[0][sw * s->words + w];

			if (s->holes.single[w])
				n += (uint64_t)__builtin_popcountll(set);
			for (; !s->holes.single[w] && set; set &= set - 1) {
				size_t c = w * 64 + (size_t)__builtin_ctzll(set);

				n += m->lid_first[c + 1] - m->lid_first[c] + m->own_n[c];
			}
		}
	return n;
}

static void
report_roots(const struct again_state *s, struct arena *a, struct route_report *r)
{
	const struct snapshot *n = s->f.now.s;

	r->nroots = r->max_rank = 0;
	r->roots = arena_array(a, n->nswitches, sizeof(*r->roots));
	r->rank = arena_array(a, (size_t)n->nswitches + 1, sizeof(*r->rank));
	for (uint32_t i = 0; i < n->nswitches; i++) {
		r->rank[i] = s->rank[s->f.sw[i]];
		r->max_rank = r->rank[i] > r->max_rank ? r->rank[i] : r->max_rank;
		if (r->rank[i] == 0)
			r->roots[r->nroots++] = n->switches[i];
	}
}

/* 'made': there are new tables. */
static void
fill_report(const struct again_state *s, bool made, struct arena *a, struct route_report *r)
{
	*r = s->report;
	report_roots(s, a, r);
	r->nchanged = made ? s->tables.nchanged : 0;
	r->changed = arena_copy(a, s->tables.changed, r->nchanged, sizeof(*r->changed));
	r->again = true;
	r->completed = count_completed(s);
	r->npivots = r->completed ? 1 : 0;
	r->pivot = r->completed ? s->f.node[s->holes.anchor.root] : FAB_NONE;
}

/* Takes the new input.  False: a full run is needed. */
static bool
take_input(struct again_state *s, const struct route_in *in)
{
	struct route_report unused = { .code = ROUTE_OK };

	memset(s->work.relaid, 0, s->words * sizeof(*s->work.relaid));
	if (!again_input_take(&s->was, &s->f, in, &s->arena, s->work.mark, MARK_LINKS,
		    &s->work.news) ||
	    !match_tables(s, in->previous))
		return false;
	s->f.now.lids = s->f.whole.lids = in->lids;
	if (s->work.news & AGAIN_LINKS)
		frame_relink(&s->f, s->was.far, s->was.width, s->work.mark,
			&s->graph.a[s->graph.turn ^= 1]);
	if (s->work.news & AGAIN_LIDS && !relay_lids(s, in))
		return false;
	if (s->work.news)
		find_columns(s);
	return route_caps_check(&s->f.now, &unused) == ROUTE_OK && anchor_covers(&s->holes.anchor);
}

/* Whether the tables follow from something that is not as it was. */
static bool
needs_rows(const struct again_state *s)
{
	return s->work.odd || s->work.news & (AGAIN_LINKS | AGAIN_SWITCHES) ||
		bits_next(s->work.relaid, s->f.now.ncols, 0) < s->f.now.ncols;
}

bool
again_run(struct route_state *state, const struct tree_kind *kind, const struct route_in *in,
	struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct again_state *s = (struct again_state *)state;
	struct fwd_tables *to;
	bool made;

	if (!s || state->free != state_free || !s->kept || s->kind != kind)
		return false;
	s->kept = false;
	if (!take_input(s, in))
		return false;
	made = needs_rows(s);
	if (made) {
		repair_costs(s);
		if (!repair_anchored(s))
			return false;
		to = bring_up_to_date(s);
		make_rows(s, to, in->previous);
		s->tables.turn ^= 1;
		s->tables.apart = s->work.odd || s->work.news & AGAIN_SWITCHES;
	}
	s->kept = true;
	*out = s->tables.t[s->tables.turn];
	fill_report(s, made, a, r);
	return true;
}
