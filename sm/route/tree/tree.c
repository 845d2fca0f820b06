/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tree.c - runs an engine for trees.
 * Room: sm/route/tree.  Pure.  In: struct route_in and a kind.  Out: tables and a report.
 *
 * In a damaged tree some switch with hosts may lack a path to a switch without hosts, also after
 * completion.  Such a switch is placed below all others, and the rows are settled again: a switch
 * that reaches one of its neighbours then reaches it, but no traffic goes through it any more.  If
 * that does not help, or the missing path leads to hosts, a single root is used where the kind
 * allows it: every connected switch is reached from it.
 *
 * Tables in force have a part in the result: what is legal stays.  A result is final only if it stays
 * when it is itself in force.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/route/tree/again.h"
#include "sm/route/tree/balance.h"
#include "sm/route/tree/ids.h"
#include "sm/route/tree/pivot.h"
#include "sm/route/tree/settle.h"
#include "sm/route/tree/slots.h"
#include "sm/route/tree/tree.h"
#include "util/bits.h"

#define ROUNDS_MAX 4
#define RESTS_MAX 4
#define ROWS_AT_ONCE 8

/* Scratch of one part. */
struct tree_part {
	struct arena arena;
	struct fill whole;
	struct settle settle;
	uint8_t *row;                   /* of slots */
	uint32_t moved[256];
	bool made;
};

struct tree {
	const struct tree_kind *kind;
	const struct route_in *in;
	struct frame f;
	struct roots roots;
	uint16_t *rank;                 /* in the intended topology; roots.rank: now */
	struct updown whole, now;
	bool same;                      /* intended rows are legal as they are */
	bool one;                       /* a single root had to be taken */
	bool further;                   /* the anchor alone did not complete all */
	uint64_t missing;               /* pairs without a path before the ranks were changed */
	uint32_t several;               /* roots before that */
	struct slots slots;             /* kinds without a row of their own */
	struct fill first;              /* what fill_init() computes once */
	struct tree_part *parts;
	struct fwd_tables *out;
	uint32_t (*moved)[256];         /* per switch, as in settle.h; NULL: nobody asks */
	uint64_t *open;                 /* what balance.h may move; NULL: nothing */
	struct arena arena;
};

static void
part_make(struct tree *t, struct tree_part *p)
{
	if (t->kind->row) {
		fill_init_candidates(&p->whole, &t->f.whole, &p->arena);
	} else {
		fill_init_as(&p->whole, &t->first, &p->arena);
		p->row = arena_alloc(&p->arena, t->slots.m.table_stride);
	}
	settle_init(&p->settle, &t->f, &t->now, &p->arena);
	p->settle.hold = t->in->hold;
	p->made = true;
}

static void
make_row(struct tree *t, struct tree_part *p, uint32_t sw)
{
	const struct fwd_tables *before = t->in->previous;
	uint32_t ordinal = t->f.ordinal[sw];
	uint8_t *row = fwd_row(t->out, ordinal);

	fill_begin(&p->whole, sw, t->f.plane);
	updown_candidates(&t->whole, &p->whole);
	if (t->kind->row) {
		t->kind->row(&t->f, &p->whole, row);
	} else {
		fill_row(&p->whole, p->row);
		slots_copy(&t->slots, &p->whole, p->row, row);
	}
	p->settle.placed = t->open ? t->open + sw * balance_words(&t->f) : NULL;
	if (!t->same)
		settle_row(&p->settle, &p->whole, row,
			before && ordinal < before->nswitches ? fwd_row(before, ordinal) : NULL,
			before ? before->stride : 0, t->moved ? t->moved[sw] : p->moved);
}

static void
row_part(void *data, unsigned i, unsigned n)
{
	struct tree *t = data;
	struct tree_part *p = &t->parts[i];

	if (!p->made)
		part_make(t, p);
	for (uint32_t first = i * ROWS_AT_ONCE; first < t->f.now.g.nsw; first += n * ROWS_AT_ONCE)
		for (uint32_t sw = first; sw < first + ROWS_AT_ONCE && sw < t->f.now.g.nsw; sw++)
			if (t->f.ordinal[sw] != FAB_NONE)
				make_row(t, p, sw);
}

/* Whether some switch has an entry in force. */
static bool
tables_forward(const struct fwd_tables *t)
{
	size_t n = t ? (size_t)t->nswitches * t->stride : 0, i = 0;

	while (i < n && t->port[i] == FAB_LFT_DROP)
		i++;
	return i < n;
}

/* One attempt with the present ranks.  'lost': the columns that some switch with hosts does not
 * reach.  'even': balances. */
static void
attempt_ranks(struct tree *t, struct route_report *r, uint64_t *lost, bool even)
{
	struct arena scratch = ARENA_INIT;

	r->completed = r->declared = r->unreachable = 0;
	r->nevidence = 0;
	memset(lost, 0, BITS_WORDS(t->f.now.ncols) * sizeof(*lost));
	t->now = t->whole;
	if (!t->same) {
		updown_order(&t->now, &t->f.now, t->roots.rank, t->f.plane, &scratch);
		updown_costs(&t->now, &t->f.now, t->in->stripes, &scratch);
	}
	if (even && !t->same && !tables_forward(t->in->previous))
		t->open = arena_array(&scratch, t->f.now.g.nsw,
			balance_words(&t->f) * sizeof(*t->open));
	stripes_each(t->in->stripes, row_part, t);
	if (t->open)
		balance_tables(&t->f, &t->now, t->open, t->out, t->moved);
	t->open = NULL;
	t->further |= pivot_complete(&t->f, &t->now, &t->roots, t->in, t->out, r, lost);
	arena_clear(&scratch);
}

/* Repeats attempts until everything is reached, or nothing more can be done. */
static void
try_ranks(struct tree *t, struct route_report *r, uint64_t *lost)
{
	attempt_ranks(t, r, lost, true);
	if (!r->unreachable)
		return;
	t->missing = r->unreachable;
	t->several = t->roots.n;
	for (unsigned i = 0;
		r->unreachable && i < ROUNDS_MAX && roots_lower(&t->roots, &t->f.now, lost); i++) {
		t->same = false;
		attempt_ranks(t, r, lost, false);
	}
	if (r->unreachable && t->kind->single && roots_single(&t->roots, &t->f.now)) {
		t->same = false;
		t->one = true;
		attempt_ranks(t, r, lost, false);
	}
	if (r->unreachable || tables_forward(t->in->previous))
		return;
	attempt_ranks(t, r, lost, true);
	if (r->unreachable)
		attempt_ranks(t, r, lost, false);
}

/* From the intended ranks. */
static void
route_once(struct tree *t, struct route_report *r)
{
	uint64_t *lost = arena_array(&t->arena, BITS_WORDS(t->f.now.ncols), sizeof(*lost));

	roots_init(&t->roots, &t->f.now, t->kind->ranks ? t->kind->name : t->f.t->root_rule, t->rank,
		&t->arena);
	t->same = t->f.same && !t->in->hold;
	t->one = t->further = false;
	try_ranks(t, r, lost);
}

/* What completed an entry beside the anchor may be other than what would be found with these tables
 * in force.  So this is computed again with its own tables, until they stay. */
static void
come_to_rest(struct tree *t, struct route_report *r)
{
	size_t bytes = (size_t)t->out->nswitches * t->out->stride;
	const struct route_in *given = t->in;

	for (unsigned i = 0; i < RESTS_MAX && t->further && !r->unreachable; i++) {
		struct fwd_tables was = *t->out;
		struct route_in in = *given;
		struct route_report before = *r;
		struct roots roots = t->roots;
		bool one = t->one;

		if (t->moved)
			memset(t->moved, 0, t->f.now.g.nsw * sizeof(*t->moved));
		was.port = memcpy(arena_alloc(&t->arena, bytes), t->out->port, bytes);
		in.previous = &was;
		t->in = &in;
		route_once(t, r);
		t->in = given;
		if (r->unreachable) {
			memcpy(t->out->port, was.port, bytes);
			*r = before;
			t->roots = roots;
			t->one = one;
			return;
		}
		if (memcmp(t->out->port, was.port, bytes) == 0)
			return;
	}
}

static void
route_all(struct tree *t, struct route_report *r)
{
	route_once(t, r);
	come_to_rest(t, r);
	if (t->one)
		snprintf(r->sentence, sizeof(r->sentence),
			"%u %s left %llu pairs without a path; one root serves all, "
			"at the price of bandwidth near it",
			t->several, t->several == 1 ? "intended root" : "roots",
			(unsigned long long)t->missing);
	else if (t->roots.lowered)
		snprintf(r->sentence, sizeof(r->sentence),
			"%u damaged switches carry no traffic of others, so that all "
			"reach them",
			t->roots.lowered);
}

static void
report_roots(const struct tree *t, struct arena *a, struct route_report *r)
{
	const struct snapshot *s = t->in->snapshot;

	r->root_rule = t->roots.rule;
	r->max_rank = t->roots.max_rank;
	r->lowered = t->roots.lowered;
	r->roots = arena_array(a, s->nswitches, sizeof(*r->roots));
	r->rank = arena_array(a, (size_t)s->nswitches + 1, sizeof(*r->rank));
	for (uint32_t i = 0; i < s->nswitches; i++) {
		r->rank[i] = t->roots.rank[t->f.sw[i]];
		if (r->rank[i] == 0)
			r->roots[r->nroots++] = s->switches[i];
	}
}

static void
run_frame(struct tree *t, struct arena *a, struct route_report *r)
{
	struct frame *f = &t->f;
	uint16_t *rank = f->rank;
	unsigned parts = stripes_count(t->in->stripes);

	if (t->kind->ranks) {
		rank = arena_array(&t->arena, f->now.g.nsw, sizeof(*rank));
		t->kind->ranks(f, rank, &t->arena);
	}
	t->rank = rank;
	if (!t->kind->row)
		ids_order(f, t->in->conf, &t->arena);
	updown_order(&t->whole, &f->whole, rank, f->plane, &t->arena);
	updown_costs(&t->whole, &f->whole, t->in->stripes, &t->arena);
	if (!t->kind->row) {
		slots_make(&t->slots, f, t->in->conf, &t->arena);
		fill_init(&t->first, &t->slots.m, &t->arena);
	}
	t->parts = arena_array(&t->arena, parts, sizeof(*t->parts));
	if (t->in->state)
		t->moved = arena_array(&t->arena, f->now.g.nsw, sizeof(*t->moved));
	if (t->in->state)
		again_begin(t->in->state, &f->now, t->out);
	else
		route_tables_init(&f->now, a, t->out);
	route_all(t, r);
	report_roots(t, a, r);
	if (t->in->state && !t->in->hold && !r->unreachable)
		again_keep(*t->in->state, t->kind, t->in, &t->whole, rank, t->moved, r);
	for (unsigned i = 0; i < parts; i++)
		arena_clear(&t->parts[i].arena);
}

enum route_code
tree_run(const struct tree_kind *kind, const struct route_in *in, struct arena *a,
	struct fwd_tables *out, struct route_report *r)
{
	struct tree t = { .kind = kind, .in = in, .out = out };

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = kind->name;
	r->pivot = FAB_NONE;
	if (in->state && !in->hold && again_run(*in->state, kind, in, a, out, r))
		return ROUTE_OK;
	if (frame_make(&t.f, in, &t.arena, r) == ROUTE_OK &&
	    (!kind->check || kind->check(&t.f, in, r) == ROUTE_OK))
		run_frame(&t, a, r);
	if (r->unreachable)
		route_refuse(r, ROUTE_UNREACHABLE,
			"%llu pairs of a switch with hosts and a LID are connected but have no "
			"up/down path",
			(unsigned long long)r->unreachable);
	if (r->code != ROUTE_OK)
		memset(out, 0, sizeof(*out));
	frame_clear(&t.f);
	arena_clear(&t.arena);
	return r->code;
}
