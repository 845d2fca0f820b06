/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * again.c - tables after links between switches were lost or came back.
 * Room: sm/route/tree.  Pure.  In: the state, the new input.  Out: tables, the blocks that changed.
 *
 * 1. What differs: if more than links between switches, a full run.
 * 2. Costs, in the order of the switches: the ends of changed links are computed anew; where a row
 *    changes, so are the neighbours that use it.  The columns that changed are noted.
 * 3. Columns that changed at a switch or a neighbour of it (at the ends of changed links: all) are
 *    settled again, against the tables of the run before.
 * 4. Entries without an up/down path go by the anchor.  If it does not serve all, a full run.
 * The new tables are written into those of the run before the last, after these were brought up to
 * date by the blocks that changed since; if another owner still holds those, into a copy.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/route/tree/again.h"
#include "sm/route/tree/anchor.h"
#include "sm/route/tree/roots.h"
#include "sm/route/tree/settle.h"
#include "util/bits.h"
#include "util/xalloc.h"

/* The input of the run before, to be compared. */
struct again_input {
	struct snapshot shape;          /* nodes[] and ports[] only */
	struct lid_map lids;
	struct intended intended;
	struct route_absent *absent;
	uint32_t nabsent;
};

/* Scratch. */
struct again_work {
	struct settle settle;
	struct fill fill;
	uint64_t *moved;                /* [nsw][words]: columns whose costs changed */
	uint8_t *mark;                  /* per switch: enum mark */
	uint8_t *row;
	uint64_t *suspect;              /* [words] */
};

struct again_state {
	struct route_state base;
	struct arena arena, old;        /* 'old': what the caller may still hold */
	struct arena graph[2];          /* of the links: this run's and the one's before */
	unsigned turn;                  /* which tables and graph are the present ones */
	bool kept;                      /* there was a full run to continue from */
	const struct tree_kind *kind;
	struct again_input was;
	/* what follows from it */
	struct frame f;
	struct updown whole, now;
	struct fwd_tables tables[2];    /* each holds its rows */
	struct fwd_rows *before[2];     /* of the run before; as 'old' */
	struct route_block *changed;    /* [nchanged]: where the two tables differ */
	uint32_t nchanged, changed_cap;
	uint32_t (*settled)[256];       /* per switch, as 'moved' in settle.h */
	size_t words;
	uint64_t *holes, *anchored;     /* [nsw][words] */
	struct anchor anchor;
	uint32_t *parent;               /* per switch: anchor_parent(), FAB_NONE */
	struct route_report report;
	struct again_work work;
	bool *single;                   /* [words]: each of these columns has one LID */
};

enum mark { MARK_LINKS = 1, MARK_DN = 2, MARK_R = 4, MARK_MOVED = 8, MARK_ROW = 16 };

static void state_free(struct route_state *state);

static void
drop_old(struct again_state *s)
{
	arena_clear(&s->old);
	for (unsigned i = 0; i < 2; i++)
		fwd_rows_drop(s->before[i]);
}

/* Empties the state, except for what the caller may still hold. */
static void
clear_state(struct again_state *s)
{
	struct again_state fresh = { .base.free = state_free, .old = s->arena,
		.before = { s->tables[0].rows, s->tables[1].rows } };

	arena_clear(&s->graph[0]);
	arena_clear(&s->graph[1]);
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
	s->tables[0] = *out;
}

static void *
copy_array(struct arena *a, const void *v, size_t n, size_t size)
{
	void *to = arena_array(a, n, size);

	if (n)
		memcpy(to, v, n * size);
	return to;
}

static void
keep_input(struct again_state *s, const struct route_in *in)
{
	const struct snapshot *from = in->snapshot;
	const struct intended *t = in->intended;
	struct arena *a = &s->arena;

	s->was.shape.nnodes = from->nnodes;
	s->was.shape.nports = from->nports;
	s->was.shape.nswitches = from->nswitches;
	s->was.shape.nodes = copy_array(a, from->nodes, from->nnodes, sizeof(*from->nodes));
	s->was.shape.ports = copy_array(a, from->ports, from->nports, sizeof(*from->ports));
	s->was.lids.top = in->lids->top;
	s->was.lids.base = copy_array(a, in->lids->base, from->nports, sizeof(*in->lids->base));
	s->was.lids.lmc = copy_array(a, in->lids->lmc, from->nports, sizeof(*in->lids->lmc));
	s->was.absent = copy_array(a, in->absent, in->nabsent, sizeof(*in->absent));
	s->was.nabsent = in->nabsent;
	s->was.intended = *t;
	s->was.intended.sw = copy_array(a, t->sw, t->nsw, sizeof(*t->sw));
	s->was.intended.links = copy_array(a, t->links, t->nlinks, sizeof(*t->links));
	s->was.intended.hosts = copy_array(a, t->hosts, t->nhosts, sizeof(*t->hosts));
}

static bool
arrays_equal(const void *a, const void *b, size_t n, size_t size)
{
	return n == 0 || memcmp(a, b, n * size) == 0;
}

static bool
intended_equal(const struct intended *a, const struct intended *b)
{
	return a->nsw == b->nsw && a->nlinks == b->nlinks && a->nhosts == b->nhosts &&
		arrays_equal(a->sw, b->sw, a->nsw, sizeof(*a->sw)) &&
		arrays_equal(a->links, b->links, a->nlinks, sizeof(*a->links)) &&
		arrays_equal(a->hosts, b->hosts, a->nhosts, sizeof(*a->hosts));
}

static bool
nodes_equal(const struct snapshot *a, const struct snapshot *b)
{
	for (uint32_t i = 0; i < a->nnodes; i++) {
		const struct fab_node *x = &a->nodes[i], *y = &b->nodes[i];

		if (x->guid != y->guid || x->first_port != y->first_port ||
		    x->nports != y->nports || x->sw != y->sw ||
		    (x->flags ^ y->flags) & FAB_NODE_CUT)
			return false;
	}
	return true;
}

/* Everything but the links. */
static bool
input_equal(const struct again_state *s, const struct route_in *in)
{
	const struct snapshot *x = &s->was.shape, *y = in->snapshot;

	return in->intended && x->nnodes == y->nnodes && x->nports == y->nports &&
		x->nswitches == y->nswitches && s->was.lids.top == in->lids->top &&
		s->was.nabsent == in->nabsent &&
		arrays_equal(s->was.lids.base, in->lids->base, x->nports, sizeof(*s->was.lids.base)) &&
		arrays_equal(s->was.lids.lmc, in->lids->lmc, x->nports, sizeof(*s->was.lids.lmc)) &&
		arrays_equal(s->was.absent, in->absent, s->was.nabsent, sizeof(*s->was.absent)) &&
		intended_equal(&s->was.intended, in->intended) && nodes_equal(x, y);
}

/* Marks the switches whose links to switches differ.  False: other links do. */
static bool
mark_links(struct again_state *s, const struct snapshot *y)
{
	const struct snapshot *x = &s->was.shape;

	memset(s->work.mark, 0, s->f.now.g.nsw);
	for (uint32_t p = 0; p < x->nports; p++) {
		uint32_t was = x->ports[p].peer, is = y->ports[p].peer, sw;

		if (was == is)
			continue;
		sw = x->nodes[x->ports[p].node].sw;
		if (sw == FAB_NONE || (was != FAB_NONE && x->nodes[x->ports[was].node].sw == FAB_NONE) ||
		    (is != FAB_NONE && x->nodes[x->ports[is].node].sw == FAB_NONE))
			return false;
		s->work.mark[s->f.sw[sw]] |= MARK_LINKS | MARK_DN | MARK_R;
		x->ports[p].peer = is;
	}
	return true;
}

static void
find_holes(struct again_state *s, uint32_t sw)
{
	updown_holes(&s->now, &s->f.now, sw, s->holes + sw * s->words);
}

/* What the anchor completes: per switch the columns that its parent reaches. */
static void
find_anchored(struct again_state *s, uint64_t *anchored, uint32_t *parent)
{
	const struct anchor *t = &s->anchor;

	for (uint32_t i = 0; i < t->nqueue; i++) {
		uint32_t sw = t->queue[i];
		const struct swgraph_group *g =
			s->f.node[sw] == FAB_NONE ? NULL : anchor_parent(t, sw);

		parent[sw] = g ? g->to : FAB_NONE;
		for (size_t w = 0; w < s->words; w++)
			anchored[sw * s->words + w] = !g ? 0 : s->holes[sw * s->words + w] &
					(~s->holes[g->to * s->words + w] |
						anchored[g->to * s->words + w]);
	}
}

/* Whether the anchor serves every hole of the switches that are there. */
static bool
all_anchored(const struct again_state *s)
{
	for (uint32_t sw = 0; sw < s->f.now.g.nsw; sw++)
		for (size_t w = 0; s->f.node[sw] != FAB_NONE && w < s->words; w++)
			if (s->holes[sw * s->words + w] & ~s->anchored[sw * s->words + w])
				return false;
	return true;
}

static void
alloc_work(struct again_state *s)
{
	struct arena *a = &s->arena;
	uint32_t nsw = s->f.now.g.nsw;

	s->words = BITS_WORDS(s->f.now.ncols);
	s->holes = arena_array(a, nsw, s->words * sizeof(*s->holes));
	s->anchored = arena_array(a, nsw, s->words * sizeof(*s->anchored));
	s->work.moved = arena_array(a, nsw, s->words * sizeof(*s->work.moved));
	s->parent = arena_array(a, nsw, sizeof(*s->parent));
	s->work.mark = arena_alloc(a, nsw);
	s->work.row = arena_alloc(a, s->f.now.stride);
	s->work.suspect = arena_array(a, s->words, sizeof(*s->work.suspect));
	s->single = arena_array(a, s->words, sizeof(*s->single));
	for (size_t w = 0; w < s->words; w++)
		s->single[w] = frame_single_lids(&s->f, (uint32_t)w * 64);
	settle_init(&s->work.settle, &s->f, &s->now, a);
	fill_init_candidates(&s->work.fill, &s->f.whole, a);
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
		memcpy(fwd_row(&s->tables[1], at), fwd_row(&s->tables[0], at), s->tables[0].stride);
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
	s->whole.dn = copy_array(&s->arena, whole->dn, bytes, 1);
	s->whole.r = copy_array(&s->arena, whole->r, bytes, 1);
	s->now = s->whole;
	if (s->f.same) {
		s->now.dn = copy_array(&s->arena, whole->dn, bytes, 1);
		s->now.r = copy_array(&s->arena, whole->r, bytes, 1);
	} else {
		updown_costs(&s->now, &s->f.now, in->stripes, &s->arena);
	}
}

void
again_keep(struct route_state *state, const struct tree_kind *kind, const struct route_in *in,
	const struct updown *whole, const uint16_t *rank, const struct fwd_tables *out,
	uint32_t (*moved)[256], const struct route_report *r)
{
	struct again_state *s = (struct again_state *)state;
	struct route_report unused = { .code = ROUTE_OK };

	s->report = *r;
	s->report.roots = copy_array(&s->arena, r->roots, r->nroots, sizeof(*r->roots));
	s->report.rank = copy_array(&s->arena, r->rank, out->nswitches, sizeof(*r->rank));
	s->kind = kind;
	if (!kind->column || !in->intended || r->lowered || r->declared || r->npivots > 1)
		return;
	keep_input(s, in);
	if (frame_make(&s->f, in, &s->arena, &unused) != ROUTE_OK ||
	    s->f.nknown != s->f.now.g.nsw)
		return;
	s->f.t = &s->was.intended;
	alloc_work(s);
	s->settled = copy_array(&s->arena, moved, s->f.now.g.nsw, sizeof(*moved));
	keep_costs(s, in, whole, rank);
	route_tables_rows(&s->f.now, &s->tables[1]);
	stripes_each(in->stripes, keep_part, s);
	anchor_find(&s->anchor, &s->f, &s->now, true, &s->arena);
	if (s->anchor.g != &s->f.whole.g || !s->anchor.sound)
		return;
	find_anchored(s, s->anchored, s->parent);
	s->kept = all_anchored(s);
}

/* Notes the columns in which a row of costs differs from the new one, and takes that. */
static bool
take_costs(struct again_state *s, uint32_t sw, uint8_t *row)
{
	uint64_t *moved = s->work.moved + sw * s->words;

	if (memcmp(row, s->work.row, s->f.now.stride) == 0)
		return false;
	if (!(s->work.mark[sw] & MARK_MOVED))
		memset(moved, 0, s->words * sizeof(*moved));
	s->work.mark[sw] |= MARK_MOVED;
	for (uint32_t c = 0; c < s->f.now.ncols; c++)
		if (row[c] != s->work.row[c])
			bits_set(moved, c);
	memcpy(row, s->work.row, s->f.now.stride);
	return true;
}

static void
mark_neighbours(struct again_state *s, uint32_t sw, bool up, enum mark mark)
{
	const struct swgraph *g = &s->f.now.g;

	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++)
		if (updown_is_up(&s->now, sw, g->groups[k].to) == up)
			s->work.mark[g->groups[k].to] |= (uint8_t)mark;
}

static void
repair_costs(struct again_state *s)
{
	const struct route_model *m = &s->f.now;

	for (uint32_t i = 0; i < m->g.nsw; i++) {
		uint32_t sw = s->now.order[i];

		if (!(s->work.mark[sw] & MARK_DN))
			continue;
		updown_row_dn(&s->now, m, sw, s->work.row);
		if (take_costs(s, sw, s->now.dn + (size_t)sw * m->stride)) {
			s->work.mark[sw] |= MARK_R;
			mark_neighbours(s, sw, true, MARK_DN);
		}
	}
	for (uint32_t i = m->g.nsw; i-- > 0;) {
		uint32_t sw = s->now.order[i];

		if (!(s->work.mark[sw] & MARK_R))
			continue;
		updown_row_r(&s->now, m, sw, s->work.row);
		if (take_costs(s, sw, s->now.r + (size_t)sw * m->stride))
			mark_neighbours(s, sw, false, MARK_R);
	}
}

/* The columns to be settled again at 'sw'.  False: none. */
static bool
find_suspects(struct again_state *s, uint32_t sw)
{
	const struct swgraph *g = &s->f.now.g;
	bool any = (s->work.mark[sw] & (MARK_LINKS | MARK_MOVED)) != 0;

	memset(s->work.suspect, s->work.mark[sw] & MARK_LINKS ? 0xff : 0, s->words * sizeof(*s->work.suspect));
	if (s->work.mark[sw] & MARK_MOVED)
		for (size_t w = 0; w < s->words; w++)
			s->work.suspect[w] |= s->work.moved[sw * s->words + w];
	for (uint32_t k = g->group_first[sw]; k < g->group_first[sw + 1]; k++) {
		uint32_t to = g->groups[k].to;

		if (!(s->work.mark[to] & MARK_MOVED))
			continue;
		any = true;
		for (size_t w = 0; w < s->words; w++)
			s->work.suspect[w] |= s->work.moved[to * s->words + w];
	}
	return any;
}

/* Takes what was settled in column 'c' out of the counts; 'row' has the intended ports. */
static void
forget_settled(struct again_state *s, uint32_t sw, uint32_t c, const uint8_t *row,
	const uint8_t *before)
{
	const struct route_model *m = &s->f.now;

	for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++) {
		uint16_t lid = m->host_lids[i].lid;

		s->settled[sw][before[lid]] -= before[lid] != row[lid];
	}
}

static void
settle_switch(struct again_state *s, uint32_t sw, uint8_t *row, const uint8_t *before)
{
	const struct route_model *m = &s->f.now;
	const uint64_t *holes = s->holes + sw * s->words;
	uint32_t own = m->sw_col[sw], n = m->ncols;

	fill_begin(&s->work.fill, sw, s->f.plane);
	settle_begin(&s->work.settle, sw, s->settled[sw]);
	for (size_t c = bits_next(s->work.suspect, n, 0); c < n; c = bits_next(s->work.suspect, n, c + 1)) {
		if (c == own)
			continue;
		updown_column(&s->whole, &s->work.fill, (uint32_t)c);
		updown_column(&s->now, &s->work.settle.now, (uint32_t)c);
		s->kind->column(&s->f, &s->work.fill, (uint32_t)c, row);
		if (!bits_test(holes, c))
			forget_settled(s, sw, (uint32_t)c, row, before);
		settle_column(&s->work.settle, (uint32_t)c, row, before, s->tables[0].stride);
	}
	settle_end(&s->work.settle, sw, row);
	find_holes(s, sw);
}

/* The tables of the run before the last become those of the last. */
static struct fwd_tables *
bring_up_to_date(struct again_state *s)
{
	struct fwd_tables *from = &s->tables[s->turn], *to = &s->tables[s->turn ^ 1];

	if (fwd_rows_shared(to->rows)) {
		fwd_rows_drop(to->rows);
		route_tables_rows(&s->f.now, to);
		memcpy(to->port, from->port, (size_t)to->nswitches * to->stride);
		s->nchanged = 0;
	}
	for (uint32_t i = 0; i < s->nchanged; i++) {
		const struct route_block *b = &s->changed[i];

		memcpy(fwd_row(to, b->sw) + b->block * 64u, fwd_row(from, b->sw) + b->block * 64u, 64);
	}
	s->nchanged = 0;
	return to;
}

static void
note_blocks(struct again_state *s, uint32_t at, const uint8_t *before, const uint8_t *row)
{
	for (uint32_t b = 0; b < s->tables[0].stride / 64; b++) {
		if (memcmp(before + b * 64u, row + b * 64u, 64) == 0)
			continue;
		s->changed = arena_grow(&s->arena, s->changed, s->nchanged, &s->changed_cap, 1024,
			sizeof(*s->changed));
		s->changed[s->nchanged++] = (struct route_block){ at, (uint16_t)b };
	}
}

/* Completes the row by the anchor's rule. */
static void
complete_row(struct again_state *s, uint32_t sw, uint8_t *row)
{
	const struct route_model *m = &s->f.now;
	const uint64_t *set = s->anchored + sw * s->words;
	const struct swgraph_group *g = anchor_parent(&s->anchor, sw);

	for (size_t c = bits_next(set, m->ncols, 0); g && c < m->ncols;
		c = bits_next(set, m->ncols, c + 1)) {
		uint8_t port = anchor_port(&s->anchor, sw, (uint32_t)c, g);

		for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++)
			row[m->host_lids[i].lid] = port;
		for (uint32_t i = 0; i < m->own_n[c]; i++)
			row[m->own_first[c] + i] = port;
	}
}

/* Settles what changed, then completes. False: the anchor does not serve all. */
static bool
make_rows(struct again_state *s, struct fwd_tables *to)
{
	struct fwd_tables *from = &s->tables[s->turn];
	uint32_t nsw = s->f.now.g.nsw;
	uint64_t *anchored = xcalloc(nsw, s->words * sizeof(*anchored));
	uint32_t *parent = xcalloc(nsw, sizeof(*parent));
	bool ok;

	for (uint32_t sw = 0; sw < nsw; sw++)
		if (s->f.node[sw] != FAB_NONE && find_suspects(s, sw)) {
			uint32_t at = s->f.ordinal[sw];

			settle_switch(s, sw, fwd_row(to, at), fwd_row(from, at));
			s->work.mark[sw] |= MARK_ROW;
		}
	find_anchored(s, anchored, parent);
	for (uint32_t sw = 0; sw < nsw; sw++)
		if (parent[sw] != s->parent[sw] ||
		    memcmp(anchored + sw * s->words, s->anchored + sw * s->words,
			    s->words * sizeof(*anchored)) != 0)
			s->work.mark[sw] |= MARK_ROW;
	memcpy(s->anchored, anchored, nsw * s->words * sizeof(*anchored));
	memcpy(s->parent, parent, nsw * sizeof(*parent));
	free(anchored);
	free(parent);
	ok = all_anchored(s);
	for (uint32_t sw = 0; ok && sw < nsw; sw++)
		if (s->work.mark[sw] & MARK_ROW && s->f.node[sw] != FAB_NONE) {
			uint32_t at = s->f.ordinal[sw];

			complete_row(s, sw, fwd_row(to, at));
			note_blocks(s, at, fwd_row(from, at), fwd_row(to, at));
		}
	return ok;
}

static bool
same_tables(const struct fwd_tables *a, const struct fwd_tables *b)
{
	if (!b || a->nswitches != b->nswitches || b->stride <= a->top)
		return false;
	if (a->port == b->port)
		return true;
	for (uint32_t i = 0; i < a->nswitches; i++)
		if (memcmp(fwd_row(a, i), fwd_row(b, i), (size_t)a->top + 1) != 0)
			return false;
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
			uint64_t set = s->anchored[sw * s->words + w];

			if (s->single[w])
				n += (uint64_t)__builtin_popcountll(set);
			for (; !s->single[w] && set; set &= set - 1) {
				size_t c = w * 64 + (size_t)__builtin_ctzll(set);

				n += m->lid_first[c + 1] - m->lid_first[c] + m->own_n[c];
			}
		}
	return n;
}

static void
fill_report(const struct again_state *s, struct arena *a, struct route_report *r)
{
	uint32_t nsw = s->was.shape.nswitches;

	*r = s->report;
	r->roots = copy_array(a, r->roots, r->nroots, sizeof(*r->roots));
	r->rank = copy_array(a, r->rank, nsw, sizeof(*r->rank));
	r->changed = copy_array(a, s->changed, s->nchanged, sizeof(*s->changed));
	r->nchanged = s->nchanged;
	r->again = true;
	r->completed = count_completed(s);
	r->npivots = r->completed ? 1 : 0;
	r->pivot = r->completed ? s->f.node[s->anchor.root] : FAB_NONE;
}

bool
again_run(struct route_state *state, const struct tree_kind *kind, const struct route_in *in,
	struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct again_state *s = (struct again_state *)state;
	struct fwd_tables *to;

	if (!s || state->free != state_free || !s->kept || s->kind != kind || !input_equal(s, in) ||
	    !same_tables(&s->tables[s->turn], in->previous))
		return false;
	s->kept = false;
	if (!mark_links(s, in->snapshot))
		return false;
	s->f.now.s = s->f.whole.s = in->snapshot;
	s->f.now.lids = s->f.whole.lids = in->lids;
	to = bring_up_to_date(s);
	frame_renew(&s->f, in->snapshot, &s->graph[s->turn ^ 1]);
	repair_costs(s);
	if (!anchor_covers(&s->anchor) || !make_rows(s, to))
		return false;
	s->turn ^= 1;
	s->kept = true;
	*out = *to;
	fill_report(s, a, r);
	return true;
}
