/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * order_mixed.c - channel dependencies while old and new entries are in use together.
 * Room: sm/order.  Pure.  In: old and new tables.  Out: entries that must wait for a drain time.
 *
 * A packet that switch p sent by its old entry may leave switch s by the old or the new one; a
 * packet that p sent by its new entry leaves s by the new one, because p waited for s
 * (order_block.c).  So the turns of a change are old-old, old-new and new-new.  These turns
 * together can have a cycle although neither table has one: most often because s lost its path
 * down and now sends up, while p still sends down to s.
 *
 * Turns on cycles are suppressed until there is none:
 *
 *   old-new only   No table makes it, it exists only during the change.  The entry of s waits until
 *                  p has its new entry, and a drain time more.  Nothing is lost by that, so all of
 *                  these that are on cycles are taken at once.
 *   not old        A turn of the new tables.  The entries that make it drop first; they are written
 *                  a drain time after all others, when no packet follows an old entry any more.
 *                  Of each cycle left, the turn of the fewest paths between hosts is taken.
 *                  If there are such paths, all entries of their LIDs are written late instead of
 *                  dropping, provided that the old turns of these few LIDs alone make no cycle
 *                  with the new tables.
 *
 * The caller may pass the turns that a verification of the new tables has cached; they can include
 * turns of earlier tables.  For turns on cycles, the entries show whether a table makes the turn.
 *
 * When the old or the new tables have a cycle by themselves, or too many entries would drop, there
 * is no safe order, and the report says so.
 */
#include <config.h>
#include <string.h>
#include "fabric/verify/verify_scan.h"
#include "sm/order/order_int.h"
#include "util/bits.h"

#define ROUNDS_MAX 512                  /* of looking for cycles and suppressing turns */
#define LOOKUPS_MAX 1024                /* of single turns, before all old turns are collected */
#define HOST_COST 1024                  /* of an entry for a host, when one for a switch is 1 */
#define FEW 16                          /* a block is sparse when 1 of FEW switches changes it */
/* Because of cycles, at most as many entries between hosts may drop as 1 of this many that change. */
#define DROPPED_SHARE 8

enum { OLD_OLD = 1, OLD_NEW = 2, NEW_NEW = 4 };

/* Packets that 'sw' received by 'in' and sends by 'out' (port numbers). */
struct turn {
	uint32_t sw, in, out;
	bool of_new;                    /* the new tables make it too */
};

struct mixed {
	struct order_ctx *ctx;
	struct arena *a;
	struct chan_graph all, new;
	struct chan_graph old;          /* made when it is needed: old_makes() */
	bool exact;                     /* 'new' has the turns of the new tables, and no others */
	struct chan_graph sure;         /* otherwise: those of 'new' that were looked up */
	uint32_t lookups;
	uint32_t *comp;
	uint64_t *starts;               /* channels that all cycles go through; NULL: any */
	uint64_t *used;                 /* switches that packets from hosts to a LID may cross */
	uint64_t **crossed;             /* by LID: the same, once it was needed for a cost */
	uint64_t *postponed;            /* by block: LIDs all of whose entries are written late */
	uint32_t *queue;
	uint32_t *leaves, nleaves;      /* switches with hosts */
	struct turn *turns;
	uint32_t nturns, turns_cap;
};

/* ---- turns ---- */

typedef uint8_t entry_of(const struct order_ctx *ctx, uint32_t sw, unsigned lid);

/* Adds the turn of a packet that switch 'p' sent by 'port' and that leaves the next switch by its
 * old or its new entry. */
static inline void
add_turn(const struct mixed *x, struct chan_graph *g, uint32_t p, uint8_t port, entry_of *entry,
	unsigned lid)
{
	const struct chan_hop *h = chan_graph_hop(g, p, port);

	if (h && h->sw != FAB_NONE)
		chan_graph_add(g, h->sw, h->chan - g->first[h->sw], entry(x->ctx, h->sw, lid));
}

static void
add_turns_of(struct mixed *x, struct chan_graph *g, uint32_t p, unsigned lid, unsigned kinds)
{
	uint8_t old = order_old(x->ctx, p, lid);

	if (kinds & OLD_OLD)
		add_turn(x, g, p, old, order_old, lid);
	if (kinds & OLD_NEW)
		add_turn(x, g, p, old, order_fresh, lid);
	if (kinds & NEW_NEW)
		add_turn(x, g, p, order_fresh(x->ctx, p, lid), order_fresh, lid);
}

static void
visit(struct mixed *x, uint32_t sw, uint32_t *tail)
{
	if (sw == FAB_NONE || bits_test(x->used, sw))
		return;
	bits_set(x->used, sw);
	x->queue[(*tail)++] = sw;
}

/* The entry that a switch holds now, for any LID. */
static uint8_t
old_entry(const struct mixed *x, uint32_t sw, uint32_t lid)
{
	const struct snapshot *s = x->ctx->in->s;
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	return n->lft && lid / ORDER_BLOCK_LIDS < n->lft_blocks ? n->lft[lid] : FAB_LFT_DROP;
}

/* Finds the switches that packets from hosts to a LID may cross, by old and new entries. */
static void
find_used(struct mixed *x, uint32_t lid)
{
	const struct order_ctx *ctx = x->ctx;
	uint32_t head = 0, tail = 0;

	memset(x->used, 0, BITS_WORDS(ctx->graph.nsw) * sizeof(*x->used));
	for (uint32_t i = 0; i < x->nleaves; i++)
		visit(x, x->leaves[i], &tail);
	while (head < tail) {
		uint32_t sw = x->queue[head++];

		visit(x, order_next(ctx, sw, old_entry(x, sw, lid)), &tail);
		visit(x, order_next(ctx, sw, fwd_row(ctx->in->wanted, sw)[lid]), &tail);
	}
}

/* All turns of one block number in all switches. */
static void
add_block(struct mixed *x, struct chan_graph *g, unsigned kinds)
{
	bool hosts = x->ctx->in->scope == VERIFY_HOSTS;

	for (unsigned lid = 0; lid < ORDER_BLOCK_LIDS; lid++) {
		if (hosts)
			find_used(x, x->ctx->view.block * ORDER_BLOCK_LIDS + lid);
		for (uint32_t p = 0; p < g->nsw; p++)
			if (!hosts || bits_test(x->used, p))
				add_turns_of(x, g, p, lid, kinds);
	}
}

static void
add_all_blocks(struct mixed *x, struct chan_graph *g, unsigned kinds)
{
	for (uint32_t b = 0; b < x->ctx->nblocks; b++) {
		order_view_set(x->ctx, b);
		add_block(x, g, kinds);
	}
}

/* The turns that an entry takes part in as it was: at the next switch, and at its own.  (By the new
 * entry leave packets of another old entry, which adds that turn, or of one that stays, whose turn
 * is one of the new tables.) */
static void
add_entry_turns(struct mixed *x, uint32_t sw, unsigned lid)
{
	struct chan_graph *g = &x->all;
	uint8_t old = order_old(x->ctx, sw, lid);

	add_turns_of(x, g, sw, lid, OLD_OLD | OLD_NEW);
	for (uint32_t in = 1; in < g->first[sw + 1] - g->first[sw]; in++) {
		const struct chan_hop *h = chan_graph_hop(g, sw, in);

		if (h->sw != FAB_NONE &&
			order_old(x->ctx, h->sw, lid) == h->chan - g->first[h->sw])
			chan_graph_add(g, sw, in, old);
	}
}

static void
scan_new(struct mixed *x, struct chan_graph *g)
{
	verify_scan(g, x->ctx->in->s, x->ctx->in->lids, x->ctx->in->wanted, NULL, NULL);
	x->exact = true;
}

/* All turns of the change: those of the new tables, and those that need a changed entry. */
static void
add_change(struct mixed *x)
{
	const struct order_view *v = &x->ctx->view;

	if (x->ctx->in->turns)
		memcpy(x->all.bits, fwd_rows_bytes(x->ctx->in->turns),
			x->all.word[x->all.nsw] * sizeof(*x->all.bits));
	else
		scan_new(x, &x->all);
	memcpy(x->new.bits, x->all.bits, x->all.word[x->all.nsw] * sizeof(*x->all.bits));
	for (uint32_t b = 0; b < x->ctx->nblocks; b++) {
		order_view_set(x->ctx, b);
		if (v->n > x->all.nsw / FEW) {
			add_block(x, &x->all, OLD_OLD | OLD_NEW);
			continue;
		}
		for (uint32_t i = 0; i < v->n; i++)
			for (uint64_t m = v->changed[v->list[i].sw]; m; m &= m - 1)
				add_entry_turns(x, v->list[i].sw, (unsigned)__builtin_ctzll(m));
	}
}

/* ---- cycles ---- */

static bool
has_turn(const struct chan_graph *g, uint32_t sw, uint32_t in, uint32_t out)
{
	return bits_test(chan_graph_row(g, sw, in), out);
}

static bool
find_old_turn(const struct mixed *x, const struct turn *t)
{
	const struct chan_hop *h = chan_graph_hop(&x->all, t->sw, t->in);
	uint8_t port = (uint8_t)(h->chan - x->all.first[h->sw]);

	for (uint32_t lid = 1; lid <= x->ctx->in->wanted->top; lid++)
		if (old_entry(x, t->sw, lid) == t->out && old_entry(x, h->sw, lid) == port)
			return true;
	return false;
}

/* Returns true if packets make the turn by old entries.  Called for few turns in most cases. */
static bool
old_makes(struct mixed *x, const struct turn *t)
{
	bool hosts = x->ctx->in->scope == VERIFY_HOSTS;

	if (!hosts && x->lookups < LOOKUPS_MAX) {
		x->lookups++;
		return find_old_turn(x, t);
	}
	if (!x->old.nsw) {
		x->old = chan_graph_like(&x->all, x->a);
		add_all_blocks(x, &x->old, OLD_OLD);
	}
	return has_turn(&x->old, t->sw, t->in, t->out);
}

/* Whether packets make the turn by new entries. */
static bool
find_new_turn(const struct mixed *x, const struct turn *t)
{
	const struct order_in *in = x->ctx->in;
	const struct chan_hop *h = chan_graph_hop(&x->all, t->sw, t->in);
	uint8_t port = (uint8_t)(h->chan - x->all.first[h->sw]);
	const uint8_t *at = fwd_row(in->wanted, t->sw), *before = fwd_row(in->wanted, h->sw);

	for (uint32_t lo = 0; lo <= in->wanted->top; lo += ORDER_BLOCK_LIDS) {
		bool any = false;

		for (uint32_t i = 0; i < ORDER_BLOCK_LIDS; i++)         /* as vectors */
			any |= (at[lo + i] == t->out) & (before[lo + i] == port);
		for (uint32_t i = lo ? 0 : 1; any && i < ORDER_BLOCK_LIDS; i++)
			if (lo + i <= in->wanted->top && at[lo + i] == t->out && before[lo + i] == port)
				return true;
	}
	return false;
}

/* The same, without reading the entries where possible.  Removes cached turns that the new tables
 * do not make. */
static bool
new_makes(struct mixed *x, const struct turn *t)
{
	if (!has_turn(&x->new, t->sw, t->in, t->out))
		return false;
	if (x->exact)
		return true;
	if (!x->sure.nsw)
		x->sure = chan_graph_like(&x->all, x->a);
	if (has_turn(&x->sure, t->sw, t->in, t->out))
		return true;
	if (find_new_turn(x, t)) {
		bits_set(chan_graph_row(&x->sure, t->sw, t->in), t->out);
		return true;
	}
	bits_clear(chan_graph_row(&x->new, t->sw, t->in), t->out);
	return false;
}

/* The turn from one channel to the next; both are channels of a cycle. */
static struct turn
turn_between(struct mixed *x, uint32_t from, uint32_t to)
{
	const struct chan_graph *g = &x->all;
	uint32_t sw = g->sw[from];
	struct turn t = { .sw = sw, .in = from - g->first[sw] };

	for (t.out = 1; t.out < g->first[sw + 1] - g->first[sw]; t.out++)
		if (g->hop[g->first[sw] + t.out].chan == to)
			break;
	t.of_new = new_makes(x, &t);
	return t;
}

/* Whether packets from hosts to a LID may cross a switch, by old and new entries. */
static bool
hosts_cross(struct mixed *x, uint32_t sw, uint32_t lid)
{
	size_t words = BITS_WORDS(x->ctx->graph.nsw);
	uint64_t **crossed;

	if (!x->crossed)
		x->crossed = arena_array(
			x->a, x->ctx->in->wanted->top + 1u, sizeof(*x->crossed));
	crossed = &x->crossed[lid];
	if (!*crossed) {
		find_used(x, lid);
		*crossed = arena_array(x->a, words, sizeof(**crossed));
		memcpy(*crossed, x->used, words * sizeof(**crossed));
	}
	return bits_test(*crossed, sw);
}

/* Whether packets from a host to a host may cross a switch; others are those of its agents. */
static bool
is_between_hosts(struct mixed *x, uint32_t sw, uint32_t lid)
{
	const struct order_in *in = x->ctx->in;
	uint32_t owner = lid <= in->lids->top ? in->lids->owner[lid] : FAB_NONE;

	return owner != FAB_NONE && in->s->nodes[in->s->ports[owner].node].sw == FAB_NONE &&
		hosts_cross(x, sw, lid);
}

static bool
entry_changes(const struct mixed *x, uint32_t sw, uint32_t lid)
{
	return old_entry(x, sw, lid) != fwd_row(x->ctx->in->wanted, sw)[lid];
}

/* Returns the switch whose entry for a LID makes a turn of the new tables and could drop at first:
 * that of the turn, or the one before it if only that spares paths between hosts; FAB_NONE: the turn
 * is not made for this LID. */
static uint32_t
late_switch(struct mixed *x, const struct turn *t, uint32_t lid)
{
	const struct fwd_tables *wanted = x->ctx->in->wanted;
	const struct chan_hop *h;
	uint32_t port;
	bool by_new, may_before;

	if (fwd_row(wanted, t->sw)[lid] != t->out)      /* most end here */
		return FAB_NONE;
	h = chan_graph_hop(&x->all, t->sw, t->in);
	port = h->chan - x->all.first[h->sw];
	by_new = fwd_row(wanted, h->sw)[lid] == port;
	if (!by_new && old_entry(x, h->sw, lid) != port)
		return FAB_NONE;
	may_before = by_new && entry_changes(x, h->sw, lid);
	if (!entry_changes(x, t->sw, lid))
		return may_before ? h->sw : FAB_NONE;
	return may_before && is_between_hosts(x, t->sw, lid) && !is_between_hosts(x, h->sw, lid) ?
		h->sw :
		t->sw;
}

/* For how many LIDs packets make a turn of the new tables.  Those of which paths between hosts cross
 * the entry that would drop count much more. */
static uint64_t
turn_cost(struct mixed *x, const struct turn *t)
{
	uint64_t cost = 0;

	for (uint32_t lid = 1; lid <= x->ctx->in->wanted->top; lid++) {
		uint32_t sw = late_switch(x, t, lid);

		if (sw != FAB_NONE)
			cost += is_between_hosts(x, sw, lid) ? HOST_COST : 1;
	}
	return cost;
}

/* Chooses the turn of a cycle to suppress, of those that the old tables do not make the one that
 * costs least.  False: the old tables make all of them. */
static bool
choose_turn(struct mixed *x, const uint32_t *cycle, uint32_t n, struct turn *best)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < n; i++) {
		struct turn t = turn_between(x, cycle[i], cycle[(i + 1) % n]);
		uint64_t cost;

		if (old_makes(x, &t))
			continue;
		cost = t.of_new ? turn_cost(x, &t) : 0;
		if (cost >= least)
			continue;
		least = cost;
		*best = t;
	}
	return least != UINT64_MAX;
}

static void
note_cycle(const struct mixed *x, const uint32_t *cycle, uint32_t n, struct order_report *r)
{
	r->ncycle = n;
	for (uint32_t i = 0; i < n && i < ORDER_CYCLE_MAX; i++)
		r->cycle[i] = x->all.port[cycle[i]];
}

static void
suppress(struct mixed *x, struct turn t)
{
	bits_clear(chan_graph_row(&x->all, t.sw, t.in), t.out);
	x->turns = arena_grow(x->a, x->turns, x->nturns, &x->turns_cap, 16, sizeof(t));
	x->turns[x->nturns++] = t;
}

/* Suppresses one turn of a cycle of component 'which'.  False: there is none to suppress. */
static bool
break_cycle(struct mixed *x, struct arena *scratch, uint32_t which, struct order_report *r)
{
	uint32_t *cycle = arena_array(scratch, x->all.nchans, sizeof(*cycle));
	uint32_t n = chan_graph_cycle(&x->all, scratch, x->comp, which, cycle, x->all.nchans);
	struct turn t = { .of_new = false };

	if (!choose_turn(x, cycle, n, &t)) {
		note_cycle(x, cycle, n, r);
		return false;
	}
	if (t.of_new && !r->ncycle)
		note_cycle(x, cycle, n, r);     /* if too many entries would drop */
	suppress(x, t);
	return true;
}

/* Suppresses the turns of channel 'c' within its component that no table makes. */
static bool
suppress_between(struct mixed *x, uint32_t c)
{
	const struct chan_graph *g = &x->all;
	uint32_t sw = g->sw[c], in = c - g->first[sw];
	bool any = false;

	for (uint32_t out = 1; out < g->first[sw + 1] - g->first[sw]; out++) {
		uint32_t to = g->hop[g->first[sw] + out].chan;
		struct turn t = { .sw = sw, .in = in, .out = out };

		if (to == FAB_NONE || x->comp[to] != x->comp[c] || !has_turn(g, sw, in, out) ||
			new_makes(x, &t) || old_makes(x, &t))
			continue;
		suppress(x, t);
		any = true;
	}
	return any;
}

/* Suppresses all turns on cycles that only the change makes.  Returns whether there were any. */
static bool
suppress_passing(struct mixed *x)
{
	bool any = false;

	for (uint32_t c = 0; c < x->all.nchans; c++)
		if (x->comp[c])
			any |= suppress_between(x, c);
	return any;
}

/* Whether tables have a cycle even alone, which no order avoids. */
static bool
has_own_cycle(
	struct mixed *x, const struct chan_graph *g, struct arena *scratch, struct order_report *r)
{
	uint32_t *comp = arena_array(scratch, g->nchans, sizeof(*comp));
	uint32_t *cycle = arena_array(scratch, g->nchans, sizeof(*cycle));

	if (!chan_graph_components(g, scratch, comp))
		return false;
	note_cycle(x, cycle, chan_graph_cycle(g, scratch, comp, 1, cycle, g->nchans), r);
	return true;
}

/* Whether the new tables have one.  Turns that a proof has kept have none. */
static bool
new_has_cycle(struct mixed *x, struct arena *scratch, struct order_report *r)
{
	return (x->exact || x->ctx->in->scope == VERIFY_HOSTS) &&
		has_own_cycle(x, &x->new, scratch, r);
}

/* For drop_ends(): the channels that lead on, as those who send into them see them. */
struct ends {
	const struct chan_graph *g;
	/* [switches][ENDS_WORDS]: out-ports whose channel may lead to a cycle */
	uint64_t *on;
	uint64_t *queued;               /* switches whose 'on' has changed */
	uint32_t *queue, first, n;      /* a ring of as many places as there are switches */
};

#define ENDS_WORDS 4                    /* 256 ports */

static void
queue_switch(struct ends *e, uint32_t sw)
{
	if (bits_test(e->queued, sw))
		return;
	bits_set(e->queued, sw);
	e->queue[(e->first + e->n++) % e->g->nsw] = sw;
}

static bool
leads_on(const struct ends *e, uint32_t sw, uint32_t in)
{
	const uint64_t *row = chan_graph_row(e->g, sw, in);
	uint64_t any = 0;

	for (uint32_t w = 0; w < chan_graph_words(e->g, sw); w++)
		any |= row[w] & e->on[(size_t)sw * ENDS_WORDS + w];
	return any != 0;
}

/* The channels into a switch that lead nowhere are ends for those who send into them. */
static void
find_ends(struct ends *e, uint32_t sw)
{
	const struct chan_graph *g = e->g;

	for (uint32_t in = 1; in < g->first[sw + 1] - g->first[sw]; in++) {
		const struct chan_hop *from = chan_graph_hop(g, sw, in);
		uint64_t *on;
		uint32_t out;

		if (from->sw == FAB_NONE)
			continue;
		on = &e->on[(size_t)from->sw * ENDS_WORDS];
		out = from->chan - g->first[from->sw];
		if (!bits_test(on, out) || leads_on(e, sw, in))
			continue;
		bits_clear(on, out);
		queue_switch(e, from->sw);
	}
}

/* Removes turns into channels that lead to no cycle: those without a turn, those that lead only to
 * these, and so on.  Returns whether a turn is left, so that there is a cycle. */
static bool
drop_ends(struct mixed *x, struct arena *a)
{
	struct chan_graph *g = &x->all;
	struct ends e = { .g = g };
	uint64_t any = 0;

	e.on = arena_array(a, (size_t)g->nsw * ENDS_WORDS + 1, sizeof(*e.on));
	e.queued = arena_array(a, BITS_WORDS(g->nsw) + 1, sizeof(*e.queued));
	e.queue = arena_array(a, g->nsw + 1, sizeof(*e.queue));
	memset(e.on, 0xff, (size_t)g->nsw * ENDS_WORDS * sizeof(*e.on));
	for (uint32_t sw = 0; sw < g->nsw; sw++)
		queue_switch(&e, sw);
	while (e.n) {
		uint32_t sw = e.queue[e.first];

		e.first = (e.first + 1) % g->nsw;
		e.n--;
		bits_clear(e.queued, sw);
		find_ends(&e, sw);
	}
	for (uint32_t c = 0; c < g->nchans; c++) {
		uint32_t sw = g->sw[c], words = chan_graph_words(g, sw);
		uint64_t *row = chan_graph_row(g, sw, c - g->first[sw]);

		for (uint32_t w = 0; w < words; w++)
			any |= row[w] &= e.on[(size_t)sw * ENDS_WORDS + w];
	}
	return any != 0;
}

/* Leaves only turns within a component: whatever is suppressed, no other will be on a cycle. */
static void
keep_components(struct mixed *x)
{
	struct chan_graph *g = &x->all;

	for (uint32_t c = 0; c < g->nchans; c++) {
		uint32_t sw = g->sw[c], words = chan_graph_words(g, sw);
		uint64_t *row = chan_graph_row(g, sw, c - g->first[sw]);

		if (!x->comp[c])
			memset(row, 0, words * sizeof(*row));
		for (uint32_t w = 0; x->comp[c] && w < words; w++)
			for (uint64_t m = row[w]; m; m &= m - 1) {
				uint32_t out = w * 64 + (uint32_t)__builtin_ctzll(m);

				if (x->comp[g->hop[g->first[sw] + out].chan] != x->comp[c])
					row[w] &= ~(m & -m);
			}
	}
}

/* Cycles go through turns that the kept ones do not have, and after that through what was on a cycle
 * before. */
static void
find_starts(struct mixed *x, unsigned round)
{
	if (!x->ctx->in->turns || x->ctx->in->scope == VERIFY_HOSTS)
		return;
	if (!x->starts)
		x->starts = arena_array(x->a, BITS_WORDS(x->all.nchans), sizeof(*x->starts));
	if (!round)
		chan_graph_added(&x->all, x->new.bits, x->starts);
	for (uint32_t c = 0; round && c < x->all.nchans; c++)
		if (!x->comp[c])
			bits_clear(x->starts, c);
		else
			bits_set(x->starts, c);
}

/* Suppresses turns until there is no cycle.  Returns whether that was possible. */
static bool
break_cycles(struct mixed *x, struct order_report *r)
{
	for (unsigned round = 0; round < ROUNDS_MAX; round++) {
		struct arena scratch = ARENA_INIT;
		bool going = true;
		uint32_t n;

		find_starts(x, round);
		n = drop_ends(x, &scratch) ?
			chan_graph_components_from(&x->all, x->starts, &scratch, x->comp) :
			0;
		if (n && !round) {
			r->mixed_cycles = n;
			if (x->ctx->in->scope == VERIFY_HOSTS)
				add_all_blocks(x, &x->new, NEW_NEW);
			going = !new_has_cycle(x, &scratch, r);
		}
		if (n && going)
			keep_components(x);
		if (n && going && !suppress_passing(x))
			for (uint32_t i = 1; i <= n && going; i++)
				going = break_cycle(x, &scratch, i, r);
		arena_clear(&scratch);
		if (!n || !going)
			return going;
	}
	return false;
}

/* ---- the entries that make a turn ---- */

static void
add_hold(struct order_ctx *ctx, uint32_t sw, unsigned lid, uint32_t after, bool keeps)
{
	ctx->holds = arena_grow(
		ctx->scratch, ctx->holds, ctx->nholds, &ctx->holds_cap, 64, sizeof(*ctx->holds));
	ctx->holds[ctx->nholds++] = (struct order_hold){
		.block = ctx->view.block,
		.sw = sw,
		.lid = (uint8_t)lid,
		.after = after,
		.keeps = keeps,
	};
}

static bool
changes(const struct order_ctx *ctx, uint32_t sw, unsigned lid)
{
	return ctx->view.changed[sw] >> lid & 1;
}

/* Holds the entry of a switch whose new value makes the turn, for packets that the switch before it
 * sends by its old one. */
static void
hold_passing(struct mixed *x, const struct turn *t, unsigned lid)
{
	const struct chan_hop *h = chan_graph_hop(&x->all, t->sw, t->in);
	struct order_ctx *ctx = x->ctx;

	if (order_fresh(ctx, t->sw, lid) == t->out &&
		order_old(ctx, h->sw, lid) == h->chan - x->all.first[h->sw] &&
		changes(ctx, t->sw, lid) && changes(ctx, h->sw, lid))
		add_hold(ctx, t->sw, lid, h->sw, true);
}

static void
hold_late(struct mixed *x, const struct turn *t, unsigned lid)
{
	uint32_t at = x->ctx->view.block * ORDER_BLOCK_LIDS + lid;
	uint32_t sw = bits_test(x->postponed, at) ? FAB_NONE : late_switch(x, t, at);

	if (sw != FAB_NONE)
		add_hold(x->ctx, sw, lid, FAB_NONE, false);
}

/* Holds the entries that make the turn. */
static void
hold_turn(struct mixed *x, const struct turn *t)
{
	const struct chan_hop *h = chan_graph_hop(&x->all, t->sw, t->in);
	const uint64_t *changed = x->ctx->view.changed;

	for (uint64_t m = changed[t->sw] | changed[h->sw]; m; m &= m - 1)
		if (t->of_new)
			hold_late(x, t, (unsigned)__builtin_ctzll(m));
		else
			hold_passing(x, t, (unsigned)__builtin_ctzll(m));
}

/* Holds all entries of the LIDs that are postponed. */
static void
hold_postponed(struct mixed *x)
{
	const struct order_view *v = &x->ctx->view;
	uint64_t lids = x->postponed[v->block];

	for (uint32_t i = 0; lids && i < v->n; i++)
		for (uint64_t m = lids & v->changed[v->list[i].sw]; m; m &= m - 1)
			add_hold(x->ctx, v->list[i].sw, (unsigned)__builtin_ctzll(m), FAB_NONE,
				true);
}

/* ---- LIDs that are postponed ---- */

/* Finds the LIDs of which an entry would drop that paths between hosts cross. */
static bool
find_postponed(struct mixed *x)
{
	bool any = false;

	for (uint32_t i = 0; i < x->nturns; i++)
		for (uint32_t lid = 1; x->turns[i].of_new && lid <= x->ctx->in->wanted->top; lid++) {
			uint32_t sw = late_switch(x, &x->turns[i], lid);

			if (sw == FAB_NONE || !is_between_hosts(x, sw, lid))
				continue;
			bits_set(x->postponed, lid);
			any = true;
		}
	return any;
}

/* Adds the turns of packets that follow old entries for the LIDs that are postponed, except those
 * that a drain time prevents. */
static void
add_postponed_turns(struct mixed *x, struct chan_graph *g)
{
	for (uint32_t b = 0; b < x->ctx->nblocks; b++) {
		order_view_set(x->ctx, b);
		for (uint64_t m = x->postponed[b]; m; m &= m - 1)
			for (uint32_t p = 0; p < g->nsw; p++)
				add_turns_of(x, g, p, (unsigned)__builtin_ctzll(m),
					OLD_OLD | OLD_NEW);
	}
	for (uint32_t i = 0; i < x->nturns; i++)
		if (!x->turns[i].of_new)
			bits_clear(chan_graph_row(g, x->turns[i].sw, x->turns[i].in),
				x->turns[i].out);
}

/* Postpones the LIDs that would lose paths between hosts, if the turns of their old entries make no
 * cycle with the new tables, which all others follow then. */
static void
postpone_lids(struct mixed *x)
{
	struct chan_graph g = chan_graph_like(&x->all, x->a);
	uint32_t *comp = arena_array(x->a, g.nchans, sizeof(*comp));

	x->postponed = arena_array(x->a, x->ctx->nblocks + 1u, sizeof(*x->postponed));
	if (!find_postponed(x))
		return;
	memcpy(g.bits, x->new.bits, g.word[g.nsw] * sizeof(*g.bits));
	add_postponed_turns(x, &g);
	if (chan_graph_components(&g, x->a, comp))
		memset(x->postponed, 0, x->ctx->nblocks * sizeof(*x->postponed));
}

/* Whether no more entries between hosts drop than a change may cost. */
static bool
is_cheap(struct mixed *x, uint64_t changed, struct order_report *r)
{
	const struct order_ctx *ctx = x->ctx;
	uint64_t dropped = 0;

	for (uint32_t i = 0; i < ctx->nholds; i++) {
		const struct order_hold *h = &ctx->holds[i];

		dropped += !h->keeps &&
			is_between_hosts(x, h->sw, h->block * ORDER_BLOCK_LIDS + h->lid);
	}
	r->drained = ctx->nholds;
	return dropped <= changed / DROPPED_SHARE + ORDER_BLOCK_LIDS;
}

static void
hold_turns(struct mixed *x, struct order_report *r)
{
	const struct order_view *v = &x->ctx->view;
	uint64_t changed = 0;

	postpone_lids(x);
	for (uint32_t b = 0; b < x->ctx->nblocks; b++) {
		order_view_set(x->ctx, b);
		for (uint32_t i = 0; i < v->n; i++)
			changed += (uint64_t)__builtin_popcountll(v->changed[v->list[i].sw]);
		for (uint32_t i = 0; v->n && i < x->nturns; i++)
			hold_turn(x, &x->turns[i]);
		hold_postponed(x);
	}
	r->turns = x->nturns;
	if (is_cheap(x, changed, r)) {
		r->ncycle = 0;
		return;
	}
	r->unsafe = true;
	x->ctx->nholds = 0;
	r->turns = 0;
	r->drained = 0;
}

static bool
has_hosts(const struct order_ctx *ctx, uint32_t sw)
{
	const struct snapshot *s = ctx->in->s;
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	for (uint32_t p = 1; p <= n->nports; p++)
		if (s->ports[n->first_port + p].peer != FAB_NONE &&
			s->nodes[s->ports[s->ports[n->first_port + p].peer].node].sw == FAB_NONE)
			return true;
	return false;
}

static void
find_leaves(struct mixed *x)
{
	x->used = arena_array(x->a, BITS_WORDS(x->all.nsw) + 1, sizeof(*x->used));
	x->queue = arena_array(x->a, x->all.nsw, sizeof(*x->queue));
	x->leaves = arena_array(x->a, x->all.nsw, sizeof(*x->leaves));
	for (uint32_t sw = 0; sw < x->all.nsw; sw++)
		if (has_hosts(x->ctx, sw))
			x->leaves[x->nleaves++] = sw;
}

void
order_mixed_find(struct order_ctx *ctx, struct order_report *r)
{
	struct arena a = ARENA_INIT;
	struct mixed x = { .ctx = ctx, .a = &a };

	x.all = chan_graph_like(&ctx->graph, &a);
	x.new = chan_graph_like(&ctx->graph, &a);
	x.comp = arena_array(&a, x.all.nchans, sizeof(*x.comp));
	find_leaves(&x);
	if (ctx->in->scope == VERIFY_HOSTS)
		add_all_blocks(&x, &x.all, OLD_OLD | OLD_NEW | NEW_NEW);
	else
		add_change(&x);
	if (!break_cycles(&x, r))
		r->unsafe = true;
	else if (x.nturns)
		hold_turns(&x, r);
	arena_clear(&a);
}
