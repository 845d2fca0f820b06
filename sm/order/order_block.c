/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * order_block.c - the writes of one block number, so that no destination loops in between.
 * Room: sm/order.  Pure.  In: old and new entries of 64 LIDs in all switches.  Out: writes and
 * their predecessors.
 *
 * For one LID the rule is simple: an entry waits for the entry of the first switch on its new path
 * that changes too (which waits for the next one, and so on).  These waits make a forest.  A LID
 * has the same block number in all switches, so writes of different block numbers never wait for
 * each other.  Within a block, the forests of 64 LIDs together may have cycles.
 *
 * First all entries of a switch are treated as one.  If the waits then make no cycle, each switch
 * writes once.  Otherwise the entries are scheduled one by one: a switch writes when all its
 * entries may move.  If there is no such switch, the one with the most entries that may move writes
 * these, and the others later.
 *
 * No wait is needed for an entry whose old value leads to no switch: a packet that meets it ends
 * there, and is in no loop.  The wait is kept where the waiting switch still forwards, because its
 * old path may work.
 *
 * Entries that wait for a drain time are scheduled one by one, too, and those that wait for fewer
 * drain times first, so that none waits only because another one of its switch does.  Where an
 * entry must wait until another one, which waits for a drain time itself, is out of use, the drain
 * times would follow each other.  But the usual case is a lost link, and the old path of that other
 * entry leads to it: the entry is spare.  It drops at once, by which nothing is lost, and both
 * drain times are one.
 */
#include <config.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "sm/order/order_int.h"

#define PREDS_MAX ORDER_BLOCK_LIDS      /* of a switch: at most one for each LID */

/* What is known of one switch of the block while its writes are scheduled. */
struct member {
	uint64_t remaining;             /* entries that change and are not written yet */
	uint64_t late;                  /* of these: wait for all writes that are not late */
	uint64_t due;                   /* entries that may move in this pass */
	uint64_t drop;                  /* entries that must drop before they move */
	uint64_t spare;                 /* entries that drop at once, by which nothing is lost */
	uint64_t dropped;               /* of both: the write of 255 is listed */
	uint64_t release;               /* entries that others need not wait for any more */
	uint64_t held;                  /* entries that have a hold */
	uint32_t hold_first, nholds;    /* the switch's own, in the scheduler's holds[] */
	uint32_t last_write;            /* its last write so far; FAB_NONE */
	/* switches (local) that it waits for, of all its entries together */
	uint32_t npreds, nwaiting;
	uint32_t preds[PREDS_MAX];
};

struct order_scheduler {
	struct order_ctx *ctx;
	struct order_list *out;
	struct order_report *report;
	struct member *m;               /* by local index */
	uint32_t *queue;                /* local indices that may write */
	/* by (local, LID): local index of the entry waited for; FAB_NONE */
	uint32_t *pred;
	/* by (local, LID): the write that the entry moved with; the one it dropped with */
	uint32_t *moved_by, *dropped_by;
	/* by (local, LID): drain times that end before the entry moves, one after the other */
	uint8_t *drains;
	struct order_hold *holds;       /* of this block, by switch and LID */
	uint32_t nholds, next_hold;     /* of this block; the first one of later blocks */
};

struct order_scheduler *
order_scheduler_new(struct order_ctx *ctx)
{
	struct order_scheduler *sc = arena_alloc(ctx->scratch, sizeof(*sc));
	uint32_t most = 0;

	for (uint32_t b = 0; b < ctx->nblocks; b++)
		if (ctx->block_first[b + 1] - ctx->block_first[b] > most)
			most = ctx->block_first[b + 1] - ctx->block_first[b];
	sc->ctx = ctx;
	sc->m = arena_array(ctx->scratch, most, sizeof(*sc->m));
	sc->queue = arena_array(ctx->scratch, most, sizeof(*sc->queue));
	return sc;
}

/* Memory for single entries; few blocks need it. */
static void
need_entries(struct order_scheduler *sc)
{
	size_t most = 0;

	if (sc->pred)
		return;
	for (uint32_t b = 0; b < sc->ctx->nblocks; b++) {
		size_t n = sc->ctx->block_first[b + 1] - sc->ctx->block_first[b];

		if (n > most)
			most = n;
	}
	most *= ORDER_BLOCK_LIDS;
	sc->pred = arena_array(sc->ctx->scratch, most, sizeof(*sc->pred));
	sc->moved_by = arena_array(sc->ctx->scratch, most, sizeof(*sc->moved_by));
	sc->dropped_by = arena_array(sc->ctx->scratch, most, sizeof(*sc->dropped_by));
	sc->drains = arena_array(sc->ctx->scratch, most, sizeof(*sc->drains));
}

/* ---- which entry waits for which ---- */

/* Returns the first switch after 'sw' on the new path to a LID whose entry changes, or FAB_NONE. */
static uint32_t
next_changed(const struct order_ctx *ctx, uint32_t sw, unsigned lid)
{
	const struct order_view *v = &ctx->view;
	uint32_t at = sw;

	for (uint32_t hops = 0; hops <= ctx->graph.nsw; hops++) {
		at = order_next(ctx, at, order_fresh(ctx, at, lid));
		if (at == FAB_NONE || at == sw)
			return FAB_NONE;
		if (v->changed[at] >> lid & 1)
			return at;
	}
	return FAB_NONE;                /* the new tables loop: the verifier refuses those */
}

/* Returns true if the old entry forwards packets: to a switch, a host, or to port 0. */
static bool
forwarded(const struct order_ctx *ctx, uint32_t sw, unsigned lid)
{
	uint8_t port = order_old(ctx, sw, lid);
	const struct fab_node *n = &ctx->in->s->nodes[ctx->in->s->switches[sw]];

	if (port == FAB_LFT_DROP || port > n->nports)
		return false;
	return !port || ctx->in->s->ports[n->first_port + port].peer != FAB_NONE;
}

/* The local index of the switch whose entry the one of 'sw' waits for; FAB_NONE. */
static uint32_t
entry_pred(const struct order_ctx *ctx, uint32_t sw, unsigned lid)
{
	uint32_t q = next_changed(ctx, sw, lid);

	if (q == FAB_NONE)
		return FAB_NONE;
	if (order_next(ctx, q, order_old(ctx, q, lid)) == FAB_NONE && !forwarded(ctx, sw, lid))
		return FAB_NONE;
	return ctx->view.local[q];
}

static void
add_member_pred(struct member *m, uint32_t q)
{
	for (uint32_t i = m->npreds; i-- > 0;)
		if (m->preds[i] == q)
			return;
	m->preds[m->npreds++] = q;
}

static void
find_member_preds(struct order_scheduler *sc, uint32_t local)
{
	const struct order_ctx *ctx = sc->ctx;
	uint32_t sw = ctx->view.list[local].sw;
	struct member *m = &sc->m[local];
	uint64_t left = ctx->view.changed[sw];

	m->npreds = m->nwaiting = 0;
	m->remaining = left;
	m->late = m->drop = m->spare = m->dropped = m->release = m->held = 0;
	m->nholds = 0;
	m->last_write = FAB_NONE;
	for (; left; left &= left - 1) {
		uint32_t q = entry_pred(ctx, sw, (unsigned)__builtin_ctzll(left));

		if (q != FAB_NONE && q != local)
			add_member_pred(m, q);
	}
}

/* ---- the list of writes ---- */

static uint32_t
begin_write(struct order_scheduler *sc, uint32_t local, bool late)
{
	struct order_list *l = sc->out;
	uint32_t cap = l->cap;

	l->v = arena_grow(l->a, l->v, l->n, &cap, 256, sizeof(*l->v));
	l->wave = arena_grow(l->a, l->wave, l->n, &l->cap, 256, sizeof(*l->wave));
	l->v[l->n] = (struct order_write){
		.sw = sc->ctx->view.list[local].sw,
		.block = sc->ctx->view.block,
		.pred_first = l->npreds,
		.late = late,
	};
	l->wave[l->n] = 0;
	sc->m[local].last_write = l->n;
	return l->n++;
}

static void
add_pred(struct order_list *l, uint32_t write, uint32_t before, bool drain)
{
	struct order_write *w = &l->v[write];

	for (uint32_t i = 0; i < w->npreds; i++) {
		uint32_t *p = &l->preds[w->pred_first + i];

		if (ORDER_PRED_WRITE(*p) == before) {
			*p |= drain;
			return;
		}
	}
	l->preds = arena_grow(l->a, l->preds, l->npreds, &l->preds_cap, 1024, sizeof(*l->preds));
	l->preds[l->npreds++] = ORDER_PRED(before, drain);
	w->npreds++;
	if (l->wave[write] <= l->wave[before])
		l->wave[write] = l->wave[before] + 1;
}

/* ---- one write for each switch ---- */

static void
release_followers(struct order_scheduler *sc, const uint32_t *first, const uint32_t *followers,
	uint32_t local, uint32_t *tail)
{
	for (uint32_t i = first[local]; i < first[local + 1]; i++)
		if (--sc->m[followers[i]].nwaiting == 0)
			sc->queue[(*tail)++] = followers[i];
}

/* Fills sc->queue with the switches, each behind those it waits for.  Returns their number, which
 * is less than all if the waits make a cycle. */
static uint32_t
queue_members(struct order_scheduler *sc, struct arena *a)
{
	uint32_t n = sc->ctx->view.n, head = 0, tail = 0, total = 0;
	uint32_t *first = arena_array(a, n + 2u, sizeof(*first)), *at = first + 1, *followers;

	for (uint32_t i = 0; i < n; i++) {
		total += sc->m[i].npreds;
		for (uint32_t k = 0; k < sc->m[i].npreds; k++)
			at[sc->m[i].preds[k] + 1]++;
	}
	followers = arena_array(a, total + 1u, sizeof(*followers));
	for (uint32_t i = 0; i < n; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < sc->m[i].npreds; k++)
			followers[at[sc->m[i].preds[k]]++] = i;
	for (uint32_t i = 0; i < n; i++) {
		sc->m[i].nwaiting = sc->m[i].npreds;
		if (!sc->m[i].npreds)
			sc->queue[tail++] = i;
	}
	while (head < tail)
		release_followers(sc, first, followers, sc->queue[head++], &tail);
	return tail;
}

static bool
write_members(struct order_scheduler *sc)
{
	struct arena a = ARENA_INIT;
	bool all = queue_members(sc, &a) == sc->ctx->view.n;

	arena_clear(&a);
	if (!all)
		return false;
	for (uint32_t i = 0; i < sc->ctx->view.n; i++) {
		const struct member *m = &sc->m[sc->queue[i]];
		uint32_t w = begin_write(sc, sc->queue[i], false);

		for (uint32_t k = 0; k < m->npreds; k++)
			add_pred(sc->out, w, sc->m[m->preds[k]].last_write, false);
	}
	return true;
}

/* ---- entry by entry ---- */

static size_t
entry_index(uint32_t local, unsigned lid)
{
	return (size_t)local * ORDER_BLOCK_LIDS + lid;
}

/* Whether both entries of a hold change; otherwise there is nothing to wait for. */
static bool
is_drain(const struct order_scheduler *sc, const struct order_hold *h)
{
	const uint64_t *changed = sc->ctx->view.changed;

	return h->after != FAB_NONE && (changed[h->sw] & changed[h->after]) >> h->lid & 1;
}

static void
take_hold(struct order_scheduler *sc, const struct order_hold *h)
{
	const struct order_view *v = &sc->ctx->view;
	uint64_t bit = UINT64_C(1) << h->lid;
	struct member *m;

	if (!(v->changed[h->sw] & bit))
		return;
	m = &sc->m[v->local[h->sw]];
	if (h->after == FAB_NONE) {
		m->late |= bit;
		m->drop |= h->keeps ? 0 : bit;
	} else if (v->changed[h->after] & bit) {
		m->held |= bit;
	}
}

/* Gives each switch its part of the holds. */
static void
divide_holds(struct order_scheduler *sc)
{
	const struct order_view *v = &sc->ctx->view;

	for (uint32_t i = 0, n; i < sc->nholds; i += n) {
		uint32_t sw = sc->holds[i].sw;

		for (n = 1; i + n < sc->nholds && sc->holds[i + n].sw == sw;)
			n++;
		if (!v->changed[sw])
			continue;
		sc->m[v->local[sw]].hold_first = i;
		sc->m[v->local[sw]].nholds = n;
	}
}

/* Returns the next hold of an entry that is a drain time, from '*at' on, and moves '*at' behind it;
 * NULL: there is no other. */
static const struct order_hold *
next_drain(const struct order_scheduler *sc, uint32_t local, unsigned lid, uint32_t *at)
{
	const struct member *m = &sc->m[local];

	if (!(m->held >> lid & 1))
		return NULL;
	while (*at < m->nholds) {
		const struct order_hold *h = &sc->holds[m->hold_first + (*at)++];

		if (h->lid == lid && is_drain(sc, h))
			return h;
	}
	return NULL;
}

/* ---- drain times, one after the other ---- */

/* Whether the old entries lead packets from 'sw' to a host, or to port 0 of a switch. */
static bool
has_old_path(const struct order_ctx *ctx, uint32_t sw, unsigned lid)
{
	for (uint32_t hops = 0; hops <= ctx->graph.nsw; hops++) {
		uint32_t next = order_next(ctx, sw, order_old(ctx, sw, lid));

		if (next == FAB_NONE)
			return forwarded(ctx, sw, lid);
		sw = next;
	}
	return false;
}

/* Whether the entry, or one after it on its new path, waits for a drain time. */
static bool
awaits_drain(const struct order_scheduler *sc, uint32_t local, unsigned lid)
{
	for (uint32_t hops = 0; local != FAB_NONE && hops <= sc->ctx->view.n; hops++) {
		if (sc->m[local].held >> lid & 1)
			return true;
		local = sc->pred[entry_index(local, lid)];
	}
	return false;
}

static void
find_spare(struct order_scheduler *sc)
{
	const struct order_view *v = &sc->ctx->view;

	for (uint32_t i = 0; i < sc->nholds; i++) {
		const struct order_hold *h = &sc->holds[i];

		if (is_drain(sc, h) && awaits_drain(sc, v->local[h->after], h->lid) &&
			!has_old_path(sc->ctx, h->after, h->lid))
			sc->m[v->local[h->after]].spare |= UINT64_C(1) << h->lid;
	}
}

#define DRAINS_MAX 0xfd
#define DRAINS_OPEN 0xfe        /* being counted: the entry waits for itself, so some will drop */
#define DRAINS_UNKNOWN 0xff

static unsigned
count_drains(struct order_scheduler *sc, uint32_t local, unsigned lid)
{
	uint8_t *n = &sc->drains[entry_index(local, lid)];
	uint32_t q = sc->pred[entry_index(local, lid)], at = 0;
	const struct order_hold *h;
	unsigned most;

	if (*n != DRAINS_UNKNOWN)
		return *n == DRAINS_OPEN ? 0 : *n;
	*n = DRAINS_OPEN;
	most = q == FAB_NONE ? 0 : count_drains(sc, q, lid);
	while ((h = next_drain(sc, local, lid, &at))) {
		uint32_t after = sc->ctx->view.local[h->after];
		bool spare = sc->m[after].spare >> lid & 1;
		unsigned k = 1 + (spare ? 0 : count_drains(sc, after, lid));

		most = k > most ? k : most;
	}
	*n = (uint8_t)(most < DRAINS_MAX ? most : DRAINS_MAX);
	return *n;
}

/* Counts the drain times of all entries; returns the most. */
static unsigned
count_all_drains(struct order_scheduler *sc)
{
	const struct order_view *v = &sc->ctx->view;
	unsigned most = 0;

	if (!sc->nholds)
		return 0;
	memset(sc->drains, DRAINS_UNKNOWN, entry_index(v->n, 0));
	for (uint32_t i = 0; i < v->n; i++)
		for (uint64_t left = v->changed[v->list[i].sw]; left; left &= left - 1) {
			unsigned n = count_drains(sc, i, (unsigned)__builtin_ctzll(left));

			most = n > most ? n : most;
		}
	return most;
}

static void
prepare_entries(struct order_scheduler *sc)
{
	const struct order_view *v = &sc->ctx->view;

	need_entries(sc);
	for (uint32_t i = 0; i < v->n; i++) {
		if (!sc->m[i].remaining)        /* an unknown block that is to drop everything */
			begin_write(sc, i, false);
		for (uint64_t left = v->changed[v->list[i].sw]; left; left &= left - 1) {
			unsigned lid = (unsigned)__builtin_ctzll(left);

			sc->pred[entry_index(i, lid)] = entry_pred(sc->ctx, v->list[i].sw, lid);
		}
	}
	for (uint32_t i = 0; i < sc->nholds; i++)
		take_hold(sc, &sc->holds[i]);
	divide_holds(sc);
	find_spare(sc);
}

/* ---- what may move ---- */

/* Whether packets meet no old entry of 'local' any more: it has moved, or drops. */
static bool
is_out_of_use(const struct order_scheduler *sc, uint32_t local, unsigned lid)
{
	const struct member *m = &sc->m[local];

	return !(m->remaining >> lid & 1) || m->dropped >> lid & 1;
}

/* Whether a new path may lead to the entry: it has moved, or drops and is not spare. */
static bool
is_open(const struct order_scheduler *sc, uint32_t local, unsigned lid)
{
	const struct member *m = &sc->m[local];

	return !(m->remaining >> lid & 1) || (m->dropped & ~m->spare) >> lid & 1;
}

/* Whether every entry that the entry's holds name is out of use. */
static bool
holds_ended(const struct order_scheduler *sc, uint32_t local, unsigned lid)
{
	const struct order_hold *h;
	uint32_t at = 0;

	while ((h = next_drain(sc, local, lid, &at)))
		if (!is_out_of_use(sc, sc->ctx->view.local[h->after], lid))
			return false;
	return true;
}

static bool
may_move(const struct order_scheduler *sc, uint32_t local, unsigned lid)
{
	uint32_t q = sc->pred[entry_index(local, lid)];

	if (!(sc->m[local].due >> lid & 1) || (q != FAB_NONE && !is_open(sc, q, lid)))
		return false;
	return holds_ended(sc, local, lid);
}

/* The entries of a switch that may move now. */
static uint64_t
movable(const struct order_scheduler *sc, uint32_t local)
{
	uint64_t ready = 0;

	for (uint64_t left = sc->m[local].remaining; left; left &= left - 1)
		if (may_move(sc, local, (unsigned)__builtin_ctzll(left)))
			ready |= left & -left;
	return ready;
}

/* The write after which packets no longer meet the old entry. */
static uint32_t
write_that_ended(const struct order_scheduler *sc, uint32_t local, unsigned lid)
{
	size_t e = entry_index(local, lid);

	return sc->m[local].dropped >> lid & 1 ? sc->dropped_by[e] : sc->moved_by[e];
}

/* The write after which a new path may lead to the entry. */
static uint32_t
write_that_opened(const struct order_scheduler *sc, uint32_t local, unsigned lid)
{
	return sc->m[local].spare >> lid & 1 ? sc->moved_by[entry_index(local, lid)] :
					       write_that_ended(sc, local, lid);
}

static void
add_entry_preds(struct order_scheduler *sc, uint32_t write, uint32_t local, unsigned lid)
{
	uint32_t q = sc->pred[entry_index(local, lid)], at = 0;
	const struct order_hold *h;

	if (q != FAB_NONE)
		add_pred(sc->out, write, write_that_opened(sc, q, lid), false);
	while ((h = next_drain(sc, local, lid, &at)))
		add_pred(sc->out, write,
			write_that_ended(sc, sc->ctx->view.local[h->after], lid), true);
}

/* The bytes of a write that leaves entries as they are, or makes them drop. */
static void
add_image(struct order_scheduler *sc, uint32_t write, uint32_t local)
{
	const struct order_view *v = &sc->ctx->view;
	const struct member *m = &sc->m[local];
	struct order_list *l = sc->out;
	uint32_t sw = v->list[local].sw;

	l->images = arena_grow(l->a, l->images, l->nimages, &l->images_cap, 16, sizeof(*l->images));
	for (unsigned lid = 0; lid < ORDER_BLOCK_LIDS; lid++) {
		uint8_t e = order_fresh(sc->ctx, sw, lid);

		if (m->remaining >> lid & 1)
			e = m->dropped >> lid & 1 ? FAB_LFT_DROP : order_old(sc->ctx, sw, lid);
		l->images[l->nimages][lid] = e;
	}
	l->v[write].image = ++l->nimages;
}

/* One write: the entries 'ready' move, those of 'drop' begin to drop. */
static void
write_entries(struct order_scheduler *sc, uint32_t local, uint64_t ready, uint64_t drop, bool late)
{
	struct member *m = &sc->m[local];
	uint32_t before = m->last_write, w = begin_write(sc, local, late);

	if (before != FAB_NONE)
		add_pred(sc->out, w, before, false);
	for (uint64_t left = ready; left; left &= left - 1) {
		unsigned lid = (unsigned)__builtin_ctzll(left);

		add_entry_preds(sc, w, local, lid);
		sc->moved_by[entry_index(local, lid)] = w;
	}
	for (uint64_t left = drop; left; left &= left - 1)
		sc->dropped_by[entry_index(local, (unsigned)__builtin_ctzll(left))] = w;
	m->remaining &= ~ready;
	m->dropped |= drop;
	sc->report->dropped += (uint64_t)__builtin_popcountll(drop & ~m->spare);
	if (m->remaining)
		add_image(sc, w, local);
}

/* Writes each switch all of whose entries may move; entries that drop first begin to.  Returns
 * whether there was any. */
static bool
write_whole(struct order_scheduler *sc, bool late)
{
	bool any = false;

	for (uint32_t i = 0; i < sc->ctx->view.n; i++) {
		struct member *m = &sc->m[i];
		uint64_t drop = m->drop & m->remaining & ~m->dropped;
		uint64_t due = m->remaining & m->due;

		if ((!due && !drop) || movable(sc, i) != due)
			continue;
		write_entries(sc, i, due, drop, late);
		any = true;
	}
	return any;
}

/* No switch can write all its entries: the one with the most that may move writes these. */
static bool
write_part(struct order_scheduler *sc, bool late)
{
	uint32_t best = FAB_NONE;
	uint64_t best_ready = 0;

	for (uint32_t i = 0; i < sc->ctx->view.n; i++) {
		uint64_t ready = movable(sc, i);

		if (__builtin_popcountll(ready) > __builtin_popcountll(best_ready)) {
			best = i;
			best_ready = ready;
		}
	}
	if (best == FAB_NONE)
		return false;
	write_entries(sc, best, best_ready,
		sc->m[best].drop & sc->m[best].remaining & ~sc->m[best].dropped, late);
	return true;
}

/* Lets entries of one switch drop that drop in any case. */
static bool
drop_some(struct order_scheduler *sc, bool late)
{
	for (uint32_t i = 0; i < sc->ctx->view.n; i++) {
		struct member *m = &sc->m[i];
		uint64_t drop = m->drop & m->remaining & ~m->dropped;

		if (!drop)
			continue;
		write_entries(sc, i, 0, drop, late);
		return true;
	}
	return false;
}

/* ---- entries that wait for each other ---- */

/* Returns the switch (local) for whose entry an entry waits; FAB_NONE: for none.  '*drain': until
 * that one is out of use, otherwise until a new path may lead to it. */
static uint32_t
next_awaited(const struct order_scheduler *sc, uint32_t local, unsigned lid, bool *drain)
{
	uint32_t q = sc->pred[entry_index(local, lid)], at = 0;
	const struct order_hold *h;

	*drain = false;
	if (!((sc->m[local].remaining & sc->m[local].due) >> lid & 1))
		return FAB_NONE;
	if (q != FAB_NONE && !is_open(sc, q, lid))
		return q;
	*drain = true;
	while ((h = next_drain(sc, local, lid, &at)))
		if (!is_out_of_use(sc, sc->ctx->view.local[h->after], lid))
			return sc->ctx->view.local[h->after];
	return FAB_NONE;
}

/* What it costs to let others go on before the entry has moved; 'drain' as above.  A spare entry
 * drops already, so that only new paths that are led to it lose packets.  Another one drops, which
 * costs the packets of its old path and, unless others wait only for the end of that, of new paths,
 * too. */
static unsigned
release_cost(const struct order_scheduler *sc, uint32_t local, unsigned lid, bool drain)
{
	return sc->m[local].spare >> lid & 1 ? 0 : drain ? 1 : 2;
}

/* Returns the switch (local) whose entry costs least of those that wait for each other, beginning
 * with the one that 'local' leads to; FAB_NONE: 'local' leads to none. */
static uint32_t
cheapest_release(const struct order_scheduler *sc, uint32_t local, unsigned lid)
{
	uint32_t n = sc->ctx->view.n, best = FAB_NONE;
	unsigned least = UINT_MAX;
	bool drain, drains = false;

	for (uint32_t i = 0; i < n && local != FAB_NONE; i++)
		local = next_awaited(sc, local, lid, &drain);
	for (uint32_t at = local; local != FAB_NONE;) {
		at = next_awaited(sc, at, lid, &drain);
		drains |= drain;
		if (release_cost(sc, at, lid, drain) < least) {
			least = release_cost(sc, at, lid, drain);
			best = at;
		}
		if (at == local)
			break;
	}
	return drains ? best : FAB_NONE;        /* without one, the new tables loop */
}

/* Chooses one entry for each LID whose entries wait for each other. */
static bool
choose_releases(struct order_scheduler *sc)
{
	uint64_t done = 0;

	for (uint32_t i = 0; i < sc->ctx->view.n; i++)
		for (uint64_t left = sc->m[i].remaining & ~done; left; left &= left - 1) {
			unsigned lid = (unsigned)__builtin_ctzll(left);
			uint32_t at = cheapest_release(sc, i, lid);

			if (at == FAB_NONE)
				continue;
			sc->m[at].release |= left & -left;
			done |= left & -left;
		}
	return done != 0;
}

/*
 * Resolves a state in which no entry may move: for a LID, an entry waits for a switch to stop
 * sending to it, and that switch waits for the new path through the entry.  One of them drops, then
 * the other may move.
 */
static bool
release_some(struct order_scheduler *sc, bool late)
{
	if (!choose_releases(sc))
		return false;
	for (uint32_t i = 0; i < sc->ctx->view.n; i++) {
		struct member *m = &sc->m[i];
		uint64_t opened = m->release & m->spare, drop = m->release & ~m->spare;

		m->release = 0;
		m->spare &= ~opened;
		sc->report->dropped += (uint64_t)__builtin_popcountll(opened);
		if (drop)
			write_entries(sc, i, 0, drop, late);
	}
	return true;
}

/* All entries that are left, in one write each: only when the new tables themselves loop, or there
 * are too many images. */
static void
write_rest(struct order_scheduler *sc)
{
	for (uint32_t i = 0; i < sc->ctx->view.n; i++) {
		struct member *m = &sc->m[i];
		uint32_t before, w;

		if (!m->remaining)
			continue;
		sc->report->unsafe = true;
		m->remaining = 0;
		before = m->last_write;
		w = begin_write(sc, i, false);
		if (before != FAB_NONE)
			add_pred(sc->out, w, before, false);
	}
}

static bool
is_due(const struct order_scheduler *sc)
{
	for (uint32_t i = 0; i < sc->ctx->view.n; i++) {
		const struct member *m = &sc->m[i];

		if (m->remaining & (m->due | (m->drop & ~m->dropped)))
			return true;
	}
	return false;
}

/* Whether all switches of the block may still write parts of it. */
static bool
has_images(const struct order_scheduler *sc)
{
	uint32_t max = sc->ctx->in->images_max;

	return !max || sc->out->nimages + sc->ctx->view.n <= max;
}

/* Lets those entries move that wait for at most 'drains' drain times, and late ones if 'late'. */
static void
set_due(struct order_scheduler *sc, unsigned drains, bool late)
{
	for (uint32_t i = 0; i < sc->ctx->view.n; i++) {
		struct member *m = &sc->m[i];

		m->due = late ? ~UINT64_C(0) : ~m->late;
		for (uint64_t left = drains < DRAINS_MAX ? m->remaining : 0; left; left &= left - 1)
			if (sc->drains[entry_index(i, (unsigned)__builtin_ctzll(left))] > drains)
				m->due &= ~(left & -left);
	}
}

/* Lets spare entries drop, together with those of their block that may move at once. */
static void
write_spare(struct order_scheduler *sc)
{
	for (uint32_t i = 0; i < sc->ctx->view.n; i++)
		if (sc->m[i].spare && has_images(sc))
			write_entries(sc, i, movable(sc, i), sc->m[i].spare, false);
}

/* Writes what waits for fewer drain times than others, as far as that is possible. */
static void
write_early(struct order_scheduler *sc)
{
	unsigned most = count_all_drains(sc);

	for (unsigned drains = 0; drains < most; drains++) {
		set_due(sc, drains, false);
		if (!drains)
			write_spare(sc);
		while (has_images(sc) && (write_whole(sc, false) || write_part(sc, false)))
			;
	}
}

static bool
write_some(struct order_scheduler *sc, bool late)
{
	return write_whole(sc, late) || write_part(sc, late) || drop_some(sc, late) ||
		release_some(sc, late);
}

static void
schedule_entries(struct order_scheduler *sc)
{
	prepare_entries(sc);
	write_early(sc);
	for (int late = 0; late < 2; late++) {
		set_due(sc, DRAINS_MAX, late);
		while (is_due(sc))
			if (!has_images(sc) || !write_some(sc, late)) {
				write_rest(sc);
				return;
			}
	}
}

static int
compare_holds(const void *a, const void *b)
{
	const struct order_hold *x = a, *y = b;

	if (x->sw != y->sw)
		return x->sw < y->sw ? -1 : 1;
	if (x->lid != y->lid)
		return x->lid < y->lid ? -1 : 1;
	return x->after < y->after ? -1 : x->after > y->after;
}

static void
take_holds(struct order_scheduler *sc)
{
	const struct order_ctx *ctx = sc->ctx;

	while (sc->next_hold < ctx->nholds && ctx->holds[sc->next_hold].block < ctx->view.block)
		sc->next_hold++;
	sc->holds = ctx->holds + sc->next_hold;
	sc->nholds = 0;
	while (sc->next_hold < ctx->nholds && ctx->holds[sc->next_hold].block == ctx->view.block) {
		sc->next_hold++;
		sc->nholds++;
	}
	if (sc->nholds)
		qsort(sc->holds, sc->nholds, sizeof(*sc->holds), compare_holds);
}

void
order_block_schedule(struct order_scheduler *sc, struct order_list *out, struct order_report *r)
{
	sc->out = out;
	sc->report = r;
	take_holds(sc);
	for (uint32_t i = 0; i < sc->ctx->view.n; i++)
		find_member_preds(sc, i);
	if (sc->nholds || !write_members(sc))
		schedule_entries(sc);
}
