/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * txn_sched.c - slots, their TIDs and timers; which target may send next.
 * Room: libmad/txn.  Pure.
 *
 * Targets with queued requests and room in their window are in one list and take turns.  The list
 * is checked when its head is taken, so a target whose queue became empty is dropped then.
 */
#include <config.h>
#include <utlist.h>
#include "libmad/txn/txn_impl.h"

uint32_t
txn_slot_tid(const struct txn *t, const struct txn_slot *s)
{
	return s->gen << t->slot_bits | (uint32_t)(s - t->slots);
}

/* The slot that 'tid' names now, and its generation; NULL: none, or the slot is of another
 * request. */
struct txn_slot *
txn_slot_of(const struct txn *t, uint32_t tid, uint32_t *gen)
{
	struct txn_slot *s = &t->slots[tid & (t->slots_n - 1)];

	*gen = tid >> t->slot_bits;
	if (s->state == SLOT_FREE || !*gen)
		return NULL;
	if (((*gen - s->gen_first) & t->gen_mask) > ((s->gen - s->gen_first) & t->gen_mask))
		return NULL;
	return s;
}

/* Generation 0 is not used, so no TID is 0. */
static uint32_t
gen_next(const struct txn *t, uint32_t gen)
{
	gen = (gen + 1) & t->gen_mask;
	return gen ? gen : 1;
}

static void
fifo_push(struct txn_fifo *f, struct txn_target *all, uint32_t i, bool urgent)
{
	uint32_t *link = urgent ? &all[i].urgent_next : &all[i].ready_next;

	*link = TXN_NONE;
	if (f->first == TXN_NONE)
		f->first = i;
	else if (urgent)
		all[f->last].urgent_next = i;
	else
		all[f->last].ready_next = i;
	f->last = i;
}

static bool
may_send(const struct txn *t, const struct txn_target *g)
{
	return g->head && g->open < t->conf.window_target;
}

void
txn_target_ready(struct txn *t, uint32_t target, bool urgent)
{
	struct txn_target *g = &t->targets[target];

	if (!may_send(t, g))
		return;
	if ((urgent || g->urgent_tail) && !g->in_urgent) {
		g->in_urgent = true;
		fifo_push(&t->urgent, t->targets, target, true);
	}
	if (!g->in_ready) {
		g->in_ready = true;
		fifo_push(&t->ready, t->targets, target, false);
	}
}

static uint32_t
urgent_pop(struct txn *t)
{
	for (uint32_t i; (i = t->urgent.first) != TXN_NONE;) {
		struct txn_target *g = &t->targets[i];

		t->urgent.first = g->urgent_next;
		g->in_urgent = false;
		if (may_send(t, g) && g->urgent_tail)
			return i;
	}
	return TXN_NONE;
}

static uint32_t
ready_pop(struct txn *t)
{
	for (uint32_t i; (i = t->ready.first) != TXN_NONE;) {
		struct txn_target *g = &t->targets[i];

		t->ready.first = g->ready_next;
		g->in_ready = false;
		if (may_send(t, g))
			return i;
	}
	return TXN_NONE;
}

/* A slot that was never used; otherwise the one that has been free longest. */
static struct txn_slot *
slot_take(struct txn *t)
{
	struct txn_slot *s;

	if (t->slots_used < t->slots_n) {
		s = &t->slots[t->slots_used++];
		s->gen = t->gen_start;
	} else {
		s = t->slots_free;
		t->slots_free = s->again_next;
	}
	return s;
}

struct txn_slot *
txn_slot_first(struct txn *t, struct monotime now)
{
	struct txn_target *g;
	struct txn_slot *s;
	uint32_t i;

	if (t->slots_used == t->slots_n && !t->slots_free)
		return NULL;
	i = urgent_pop(t);
	if (i == TXN_NONE)
		i = ready_pop(t);
	if (i == TXN_NONE)
		return NULL;
	s = slot_take(t);
	g = &t->targets[i];
	s->item = g->head;
	g->head = g->head->next;
	if (!g->head)
		g->tail = NULL;
	if (g->urgent_tail == s->item)
		g->urgent_tail = NULL;
	g->open++;
	txn_target_ready(t, i, false);
	s->first_us = now.us;
	s->gen_first = gen_next(t, s->gen);
	DL_APPEND2(t->oldest, s, prev, next);
	return s;
}

struct txn_slot *
txn_slot_repeat(struct txn *t)
{
	struct txn_slot *s = t->again;

	DL_DELETE2(t->again, s, again_prev, again_next);
	return s;
}

void
txn_slot_launch(struct txn *t, struct txn_slot *s, int64_t timeout_us, struct monotime now)
{
	int64_t us = timeout_us + t->conf.backstop_us;

	s->gen = gen_next(t, s->gen);
	s->state = SLOT_WIRE;
	s->sent_us = now.us;
	s->late = s->item->tries > 1;
	s->rest_us =
		!s->late && t->conf.window_late && us > t->conf.late_us ? us - t->conf.late_us : 0;
	heap_put(&t->timers, &s->timer, monotime_add_us(now, us - s->rest_us).us);
	t->st.queued--;
	t->st.late_in_flight += s->late;
	if (++t->st.in_flight > t->st.in_flight_max)
		t->st.in_flight_max = t->st.in_flight;
}

bool
txn_slot_over(struct txn *t, struct txn_slot *s, struct monotime now)
{
	if (!s->rest_us)
		return true;
	heap_drop(&t->timers, &s->timer);
	heap_put(&t->timers, &s->timer, monotime_add_us(now, s->rest_us).us);
	s->rest_us = 0;
	s->late = true;
	t->st.late_in_flight++;
	return false;
}

static void
leave_state(struct txn *t, struct txn_slot *s)
{
	heap_drop(&t->timers, &s->timer);
	if (s->state == SLOT_WIRE) {
		t->st.in_flight--;
		t->st.late_in_flight -= s->late;
	} else {
		t->st.queued--;
	}
	if (s->state == SLOT_AGAIN)
		DL_DELETE2(t->again, s, again_prev, again_next);
}

void
txn_slot_free(struct txn *t, struct txn_slot *s)
{
	uint32_t target = s->item->target;

	leave_state(t, s);
	DL_DELETE2(t->oldest, s, prev, next);
	s->state = SLOT_FREE;
	s->item = NULL;
	/* First in, first out, so that a slot stays free as long as possible before reuse. */
	s->again_next = NULL;
	if (t->slots_free)
		t->slots_free_last->again_next = s;
	else
		t->slots_free = s;
	t->slots_free_last = s;
	t->targets[target].open--;
	txn_target_ready(t, target, false);
}

void
txn_slot_again(struct txn *t, struct txn_slot *s, int64_t pause_us, struct monotime now)
{
	leave_state(t, s);
	t->st.queued++;
	if (pause_us > 0) {
		s->state = SLOT_PAUSE;
		heap_put(&t->timers, &s->timer, monotime_add_us(now, pause_us).us);
	} else {
		s->state = SLOT_AGAIN;
		DL_APPEND2(t->again, s, again_prev, again_next);
	}
}

int64_t
txn_pause_us(const struct txn *t, const struct txn_item *i)
{
	int64_t us = t->conf.busy_wait_us;

	for (unsigned n = 1; n < i->tries && us < t->conf.timeout_max_us; n++)
		us *= 2;
	return us < 1 ? 1 : us;
}
