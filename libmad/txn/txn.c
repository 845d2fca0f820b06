/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * txn.c - requests in, ends out: creation, queues, deadlines, unresponsive targets, statistics.
 * Room: libmad/txn.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/txn/txn_impl.h"
#include "util/grow.h"
#include "util/xalloc.h"

#define MISMATCH_TEXT(name, text) text,
static const char *const mismatch_texts[] = { TXN_MISMATCHES(MISMATCH_TEXT) };

const char *
txn_mismatch_text(enum txn_mismatch m)
{
	return (unsigned)m < TXN_MISMATCH_KINDS ? mismatch_texts[m] : "?";
}

const char *
txn_end_kind_text(enum txn_end_kind k)
{
	switch (k) {
	case TXN_END_OK:
		return "ok";
	case TXN_END_STATUS:
		return "status";
	case TXN_END_TIMED_OUT:
		return "timed out";
	case TXN_END_SEND_FAILED:
		return "send failed";
	case TXN_END_SKIPPED:
		return "skipped";
	case TXN_END_CANCELLED:
		return "cancelled";
	}
	return "?";
}

struct txn_conf
txn_conf_default(void)
{
	return (struct txn_conf){
		.window_total = 64, .window_target = 4, .tries = 4,
		.timeout_first_us = 200000, .timeout_floor_us = 100000, .timeout_max_us = 400000,
		.backstop_us = 20000, .busy_wait_us = 10000,
		.breaker_ends = 2, .breaker_rest_us = 10000000, .tid_start = 1,
	};
}

static void
check_conf(const struct txn_conf *c)
{
	if (c->window_total < 1 || c->window_total > 16384 || c->window_late > 16384 ||
	    c->late_us < 0 || c->window_target < 1 || c->tries < 1 || c->tries > 255 ||
	    c->timeout_first_us < 1 || c->timeout_floor_us < 0 || c->timeout_max_us < 1 ||
	    c->backstop_us < 0 || c->busy_wait_us < 0 || c->breaker_rest_us < 0)
		bug("txn: configuration out of range");
}

/* Four slots per request of the window leave room for requests that pause.  They limit a window
 * that is widened later. */
static unsigned
slot_bits(const struct txn_conf *c)
{
	unsigned bits = 8;

	while (bits < 16 && 1u << bits < 4 * (c->window_total + c->window_late))
		bits++;
	return bits;
}

struct txn *
txn_new(const struct txn_conf *conf)
{
	struct txn *t = xcalloc(1, sizeof *t);

	check_conf(conf);
	t->conf = *conf;
	t->slot_bits = slot_bits(conf);
	t->slots_n = 1u << t->slot_bits;
	t->gen_mask = UINT32_MAX >> t->slot_bits;
	t->slots = xcalloc(t->slots_n, sizeof *t->slots);
	t->gen_start = conf->tid_start & t->gen_mask;
	t->ready.first = t->urgent.first = TXN_NONE;
	return t;
}

void
txn_set_conf(struct txn *t, const struct txn_conf *conf)
{
	check_conf(conf);
	t->conf = *conf;
	for (uint32_t i = 0; i < t->targets_n; i++)
		txn_target_ready(t, i, false);
}

static void
reply_free(struct txn *t, struct txn_reply *r)
{
	if (!r)
		return;
	free(r->d.more);
	r->d.more = NULL;
	r->next = t->replies_free;
	t->replies_free = r;
}

void
txn_free(struct txn *t)
{
	if (!t)
		return;
	reply_free(t, t->held);
	for (struct txn_item *i = t->ends; i; i = i->next)
		reply_free(t, i->reply);
	for (struct txn_chunk *c = t->chunks, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	heap_clear(&t->timers);
	free(t->targets);
	free(t->rows);
	free(t->slots);
	free(t);
}

/* Room for more targets; numbers are dense, so the table grows with the fabric. */
static void
need_target(struct txn *t, uint32_t target)
{
	uint32_t before = t->targets_n;

	if (target < before)
		return;
	if (target >= TXN_TARGETS_MAX)
		bug("txn: target %u is no dense number", target);
	GROW_TO(t->targets, target + 1u, t->targets_n, 64);
	memset(t->targets + before, 0, (t->targets_n - before) * sizeof *t->targets);
}

/* Both SM classes share a row. */
static uint16_t
row_of(struct txn *t, uint8_t mgmt_class, uint16_t attr_id)
{
	if (mgmt_class == CLASS_SM_LID)
		mgmt_class = CLASS_SM_DR;
	for (unsigned i = 0; i < t->rows_n; i++)
		if (t->rows[i].attr_id == attr_id && t->rows[i].mgmt_class == mgmt_class)
			return (uint16_t)i;
	if (t->rows_n == UINT16_MAX)
		return (uint16_t)(t->rows_n - 1);
	GROW(t->rows, t->rows_n, t->rows_room, 32);
	t->rows[t->rows_n] =
		(struct txn_attr_stats){ .mgmt_class = mgmt_class, .attr_id = attr_id };
	return (uint16_t)t->rows_n++;
}

static uint8_t
usual_version(uint8_t mgmt_class)
{
	return mgmt_class == CLASS_SA || mgmt_class == CLASS_CM || mgmt_class == CLASS_CC ? 2 : 1;
}

static void
take_route(struct txn *t, struct txn_item *i, const struct txn_req *r)
{
	if (r->mgmt_class == CLASS_SM_DR) {
		if (r->hop_count > DGRAM_HOPS_MAX || (r->hop_count && !r->path))
			bug("txn: a directed route of %u hops", r->hop_count);
		i->path = r->path;
		return;
	}
	if (!r->addr)
		bug("txn: class 0x%02x needs an address", r->mgmt_class);
	i->extra = txn_extra_take(t);
	i->extra->addr = *r->addr;
	i->flags |= ITEM_EXTRA;
}

static void
take_payload(struct txn *t, struct txn_item *i, const struct txn_req *r)
{
	bool smp = r->mgmt_class == CLASS_SM_DR || r->mgmt_class == CLASS_SM_LID;

	i->payload = r->payload;
	i->payload_offset = !smp && r->payload_offset ? r->payload_offset : 64;
	i->payload_bytes = smp ? 64 : r->payload_bytes;
	if (!r->payload)
		return;
	if ((smp && r->payload_bytes != 64) || i->payload_offset < 24 ||
	    i->payload_offset + i->payload_bytes > DGRAM_BYTES)
		bug("txn: a payload of %u bytes at %u", r->payload_bytes, i->payload_offset);
	if (r->payload_borrowed)
		return;
	if (smp) {
		struct txn_block *b = txn_block_take(t);

		memcpy(b->data, r->payload, sizeof b->data);
		i->payload = b->data;
		i->flags |= ITEM_BLOCK;
	} else {
		memcpy(i->extra->payload, r->payload, r->payload_bytes);
		i->payload = i->extra->payload;
	}
}

static struct txn_item *
item_make(struct txn *t, const struct txn_req *r)
{
	struct txn_item *i = txn_item_take(t);

	*i = (struct txn_item){
		.cookie = r->cookie, .mkey = r->mkey, .target = r->target, .modifier = r->modifier,
		.attr_id = r->attr_id, .row = row_of(t, r->mgmt_class, r->attr_id),
		.mgmt_class = r->mgmt_class, .method = r->method, .hop_count = r->hop_count,
		.tries_max = r->tries, .timeout_us = r->timeout_us,
		.class_version = r->class_version ? r->class_version : usual_version(r->mgmt_class),
	};
	take_route(t, i, r);
	take_payload(t, i, r);
	return i;
}

/* An item that is in no queue and holds no slot. */
static void
item_end(struct txn *t, struct txn_item *i, enum txn_end_kind kind, unsigned status)
{
	txn_item_release(t, i);
	i->kind = (uint8_t)kind;
	i->status = (uint16_t)status;
	i->next = NULL;
	if (t->ends)
		t->ends_last->next = i;
	else
		t->ends = i;
	t->ends_last = i;
	if (kind == TXN_END_TIMED_OUT) {
		t->st.all.timed_out++;
		t->rows[i->row].n.timed_out++;
	} else if (kind == TXN_END_STATUS) {
		t->st.all.bad_status++;
		t->rows[i->row].n.bad_status++;
	} else if (kind == TXN_END_SKIPPED) {
		t->st.skipped++;
	} else if (kind == TXN_END_CANCELLED) {
		t->st.cancelled++;
	}
}

static void
queue_put(struct txn_target *g, struct txn_item *i, bool urgent)
{
	struct txn_item **after = urgent ? &g->urgent_tail : &g->tail;

	if (*after) {
		i->next = (*after)->next;
		(*after)->next = i;
	} else {
		i->next = g->head;
		g->head = i;
	}
	if (urgent)
		g->urgent_tail = i;
	if (!i->next)
		g->tail = i;
}

/* Ends all requests in a target's queue as 'kind'. */
static void
queue_end(struct txn *t, uint32_t target, enum txn_end_kind kind)
{
	struct txn_target *g = &t->targets[target];

	for (struct txn_item *i = g->head, *next; i; i = next) {
		next = i->next;
		t->st.queued--;
		item_end(t, i, kind, 0);
	}
	g->head = g->tail = g->urgent_tail = NULL;
}

bool
txn_target_unresponsive(const struct txn *t, uint32_t target, struct monotime now)
{
	return target < t->targets_n && t->targets[target].unresponsive &&
		now.us < t->targets[target].silent_until_us;
}

void
txn_submit(struct txn *t, const struct txn_req *r, struct monotime now)
{
	struct txn_item *i;
	struct txn_target *g;

	need_target(t, r->target);
	g = &t->targets[r->target];
	i = item_make(t, r);
	t->st.submitted++;
	t->pending++;
	if (g->unresponsive && now.us < g->silent_until_us) {
		item_end(t, i, TXN_END_SKIPPED, 0);
		return;
	}
	/* after the rest: the next request that times out makes it unresponsive again */
	if (g->unresponsive) {
		g->unresponsive = false;
		g->dead_ends--;
	}
	t->st.queued++;
	queue_put(g, i, r->urgent);
	txn_target_ready(t, r->target, r->urgent);
}

/* Counts requests that timed out in a row, and marks the target unresponsive. */
static void
dead_end(struct txn *t, uint32_t target, struct monotime now)
{
	struct txn_target *g = &t->targets[target];

	g->dead_ends++;
	if (!t->conf.breaker_ends || g->dead_ends < t->conf.breaker_ends)
		return;
	g->dead_ends = t->conf.breaker_ends;
	g->unresponsive = true;
	g->silent_until_us = t->conf.breaker_rest_us ?
		monotime_add_us(now, t->conf.breaker_rest_us).us :
		INT64_MAX;
	queue_end(t, target, TXN_END_SKIPPED);
}

void
txn_end_slot(struct txn *t, struct txn_slot *s, enum txn_end_kind kind, unsigned status,
	struct monotime now)
{
	struct txn_item *i = s->item;
	uint32_t target = i->target;

	txn_slot_free(t, s);
	item_end(t, i, kind, status);
	if (kind == TXN_END_TIMED_OUT)
		dead_end(t, target, now);
}

bool
txn_may_retry(const struct txn *t, const struct txn_item *i)
{
	return i->tries < (i->tries_max ? i->tries_max : t->conf.tries);
}

void
txn_try_expired(struct txn *t, struct txn_slot *s, struct monotime now)
{
	t->st.tries_expired++;
	if (!txn_may_retry(t, s->item))
		txn_end_slot(t, s, TXN_END_TIMED_OUT, 0, now);
	else
		txn_slot_again(t, s, 0, now);
}

void
txn_tick(struct txn *t, struct monotime now)
{
	struct heap_node *n;
	int64_t at;

	while ((n = heap_top(&t->timers, &at)) && at <= now.us) {
		struct txn_slot *s = (struct txn_slot *)n;      /* its first member */

		if (s->state != SLOT_WIRE)
			txn_slot_again(t, s, 0, now);
		else if (txn_slot_over(t, s, now))
			txn_try_expired(t, s, now);
	}
}

bool
txn_next_end(struct txn *t, struct txn_end *e)
{
	struct txn_item *i = t->ends;

	reply_free(t, t->held);
	t->held = NULL;
	if (!i)
		return false;
	t->ends = i->next;
	t->held = i->reply;
	*e = (struct txn_end){
		.cookie = i->cookie, .target = i->target, .modifier = i->modifier,
		.attr_id = i->attr_id,
		.mgmt_class = i->mgmt_class, .method = i->method,
		.kind = (enum txn_end_kind)i->kind,
		.status = i->kind == TXN_END_STATUS ? i->status : 0,
		.error = i->kind == TXN_END_SEND_FAILED ? i->status : 0,
		.tries = i->tries, .mismatched = i->mismatched,
		.reply = t->held ? &t->held->d : NULL,
	};
	i->next = t->items_free;
	t->items_free = i;
	t->st.ended++;
	t->pending--;
	return true;
}

uint8_t *
txn_take_more(struct txn *t)
{
	uint8_t *more = t->held ? t->held->d.more : NULL;

	if (more)
		t->held->d.more = NULL;
	return more;
}

bool
txn_ends_waiting(const struct txn *t)
{
	return t->ends;
}

bool
txn_deadline(const struct txn *t, struct monotime *at)
{
	return heap_top(&t->timers, &at->us);
}

uint32_t
txn_pending(const struct txn *t)
{
	return t->pending;
}

bool
txn_oldest(const struct txn *t, struct monotime *first_sent)
{
	if (t->oldest)
		first_sent->us = t->oldest->first_us;
	return t->oldest;
}

static void
cancel_slots(struct txn *t, bool all, uint32_t target)
{
	for (struct txn_slot *s = t->oldest, *next; s; s = next) {
		next = s->next;
		if (all || s->item->target == target)
			txn_end_slot(t, s, TXN_END_CANCELLED, 0, (struct monotime){ 0 });
	}
}

void
txn_cancel_all(struct txn *t)
{
	cancel_slots(t, true, 0);
	for (uint32_t i = 0; i < t->targets_n; i++)
		queue_end(t, i, TXN_END_CANCELLED);
}

void
txn_cancel_target(struct txn *t, uint32_t target)
{
	if (target >= t->targets_n)
		return;
	cancel_slots(t, false, target);
	queue_end(t, target, TXN_END_CANCELLED);
}

static bool
cookie_is(const struct txn_item *i, uint64_t mask, uint64_t value)
{
	return (i->cookie & mask) == value;
}

/* Ends matching requests in a target's queue; the others keep their order. */
static void
queue_filter(struct txn *t, struct txn_target *g, uint64_t mask, uint64_t value)
{
	struct txn_item *i = g->head, *urgent_tail = g->urgent_tail, *next;
	bool urgent = urgent_tail;

	g->head = g->tail = g->urgent_tail = NULL;
	for (; i; i = next) {
		bool last = i == urgent_tail;

		next = i->next;
		if (cookie_is(i, mask, value)) {
			t->st.queued--;
			item_end(t, i, TXN_END_CANCELLED, 0);
		} else {
			queue_put(g, i, urgent);
		}
		urgent = urgent && !last;
	}
}

void
txn_cancel_cookies(struct txn *t, uint64_t mask, uint64_t value)
{
	for (struct txn_slot *s = t->oldest, *next; s; s = next) {
		next = s->next;
		if (cookie_is(s->item, mask, value))
			txn_end_slot(t, s, TXN_END_CANCELLED, 0, (struct monotime){ 0 });
	}
	for (uint32_t i = 0; i < t->targets_n; i++)
		if (t->targets[i].head)
			queue_filter(t, &t->targets[i], mask, value);
}

void
txn_target_reset(struct txn *t, uint32_t target)
{
	struct txn_target *g;

	if (target >= t->targets_n)
		return;
	g = &t->targets[target];
	g->unresponsive = false;
	g->dead_ends = 0;
	g->srtt_us = g->rttvar_us = 0;
}

void
txn_targets_reset(struct txn *t)
{
	for (uint32_t i = 0; i < t->targets_n; i++)
		txn_target_reset(t, i);
}

const struct txn_stats *
txn_stats(const struct txn *t)
{
	return &t->st;
}

const struct txn_attr_stats *
txn_attr_stats(const struct txn *t, unsigned *n)
{
	*n = t->rows_n;
	return t->rows;
}
