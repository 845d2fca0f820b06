/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_txn_random.c - a million random events from a fixed seed, checked against a plain second book-keeping:
 * every request ends exactly once, windows are never exceeded, no TID is used twice while in flight.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "libmad/txn/txn.h"

enum { EVENTS = 1000000, TARGETS = 24, WIRE = 128, QUEUED_MAX = 3000 };

struct request {
	uint32_t target;
	bool ended, on_wire;
	uint32_t tid;                   /* of the latest try */
	int64_t until_us;               /* not later than the txn's own deadline for it */
};

struct world {
	struct txn *t;
	struct txn_conf conf;
	struct monotime now;
	uint64_t rng;
	struct request *r;
	size_t n, room, open;
	struct dgram wire[WIRE];        /* what the peer has seen lately */
	uint64_t wire_cookie[WIRE];
	unsigned wire_n;
	uint64_t kinds[TXN_END_CANCELLED + 1];
	uint64_t on_wire_list[WIRE];    /* cookies */
	unsigned on_wire, on_wire_of[TARGETS];
};

static uint64_t
rnd(struct world *w)
{
	w->rng ^= w->rng << 13;
	w->rng ^= w->rng >> 7;
	w->rng ^= w->rng << 17;
	return w->rng;
}

static const uint8_t path[3] = { 0, 1, 2 };

static void
submit(struct world *w)
{
	static const struct dgram_addr addr = { .lid = 9, .qpn = 1 };
	uint8_t payload[232];
	bool gmp = rnd(w) % 8 == 0, set = rnd(w) % 4 == 0;
	uint32_t target = (uint32_t)(rnd(w) % TARGETS);

	if (w->open > QUEUED_MAX)
		return;
	if (w->n == w->room) {
		w->room = w->room ? 2 * w->room : 1024;
		w->r = realloc(w->r, w->room * sizeof *w->r);
		assert_non_null(w->r);
	}
	memset(payload, (int)target, sizeof payload);
	if (gmp)
		wire_put64(payload, w->n);      /* where an SMP has its M_Key */
	txn_submit(w->t, &(struct txn_req){
		.target = target, .cookie = w->n, .mgmt_class = gmp ? CLASS_PM : CLASS_SM_DR,
		.method = set ? METHOD_SET : METHOD_GET, .attr_id = (uint16_t)(rnd(w) % 5 + 0x10),
		.modifier = (uint32_t)(rnd(w) % 3), .path = path, .hop_count = 2, .addr = &addr,
		.mkey = w->n, .payload = set || gmp ? payload : NULL, .payload_offset = 24,
		.payload_bytes = gmp ? 232 : 64, .urgent = rnd(w) % 64 == 0,
	}, w->now);
	w->r[w->n++] = (struct request){ .target = target };
	w->open++;
}

static void
off_wire(struct world *w, uint64_t cookie)
{
	struct request *r = &w->r[cookie];
	unsigned i = 0;

	if (!r->on_wire)
		return;
	while (w->on_wire_list[i] != cookie)
		i++;
	w->on_wire_list[i] = w->on_wire_list[--w->on_wire];
	w->on_wire_of[r->target]--;
	r->on_wire = false;
}

/* Sends that can have expired are off our book of the wire: it may only be too short, never too long. */
static void
expire(struct world *w)
{
	for (unsigned i = w->on_wire; i--;)
		if (w->now.us >= w->r[w->on_wire_list[i]].until_us)
			off_wire(w, w->on_wire_list[i]);
}

static void
check_tid(struct world *w, uint32_t tid)
{
	assert_int_not_equal(tid, 0);
	for (unsigned i = 0; i < w->on_wire; i++)
		assert_int_not_equal(w->r[w->on_wire_list[i]].tid, tid);
}

static void
sent(struct world *w, const struct dgram *d, int ms, uint64_t cookie)
{
	struct request *r = &w->r[cookie];
	unsigned at = w->wire_n < WIRE ? w->wire_n++ : (unsigned)(rnd(w) % WIRE);
	uint32_t tid = (uint32_t)dgram_tid(d->mad);

	assert_false(r->ended);
	off_wire(w, cookie);            /* an earlier try, expired or BUSY */
	check_tid(w, tid);
	r->on_wire = true;
	r->tid = tid;
	r->until_us = w->now.us + (ms - 1) * (int64_t)1000 + w->conf.backstop_us;
	w->on_wire_list[w->on_wire++] = cookie;
	w->on_wire_of[r->target]++;
	assert_true(w->on_wire <= w->conf.window_total);
	assert_true(w->on_wire_of[r->target] <= w->conf.window_target);
	w->wire[at] = *d;
	w->wire_cookie[at] = cookie;
}

static void
ended(struct world *w, const struct txn_end *e)
{
	struct request *r = &w->r[e->cookie];

	assert_true(e->cookie < w->n);
	assert_false(r->ended);
	assert_int_equal(r->target, e->target);
	off_wire(w, e->cookie);
	r->ended = true;
	w->open--;
	w->kinds[e->kind]++;
	assert_int_equal(e->reply != NULL, e->kind == TXN_END_OK || e->kind == TXN_END_STATUS);
	if (e->reply) {
		assert_int_equal(dgram_attr_id(e->reply->mad), e->attr_id);
		assert_int_equal(dgram_modifier(e->reply->mad), e->modifier);
		/* The peer echoes the request's number: no answer may reach another request. */
		assert_int_equal(dgram_mkey(e->reply->mad), e->cookie);
	}
}

/* A request's number travels in the eight bytes behind the MAD header. */
static void
pull(struct world *w, unsigned most)
{
	struct txn_end e;
	struct dgram d;
	int ms;

	while (txn_next_end(w->t, &e))
		ended(w, &e);
	while (most-- && txn_next_send(w->t, &d, &ms, w->now)) {
		uint64_t cookie = dgram_mkey(d.mad);

		assert_true(cookie < w->n);
		assert_true(ms >= 1);
		if (rnd(w) % 100 == 0) {
			txn_send_failed(w->t, &d, 22, w->now);
			off_wire(w, cookie);
			while (txn_next_end(w->t, &e))
				ended(w, &e);
			continue;
		}
		sent(w, &d, ms, cookie);
	}
}

/* Hands in what concerns the n-th datagram on the wire.  BUSY answers and sends that came back free a place. */
static void
receive(struct world *w, struct dgram *d, unsigned n)
{
	uint32_t before = txn_stats(w->t)->in_flight;

	txn_receive(w->t, d, w->now);
	assert_true(txn_stats(w->t)->in_flight <= before);
	if (txn_stats(w->t)->in_flight < before)
		off_wire(w, w->wire_cookie[n]);
}

/* The peer answers something it saw lately: rightly, late, twice, wrongly, or not at all. */
static void
answer(struct world *w)
{
	unsigned n = w->wire_n ? (unsigned)(rnd(w) % w->wire_n) : 0;
	struct dgram d = w->wire[n];

	if (!w->wire_n)
		return;
	dgram_smp_respond(d.mad, rnd(w) % 16 ? 0 : rnd(w) % 2 ? STATUS_BUSY : STATUS_BAD_VALUE);
	wire_put32(d.mad + 8, (uint32_t)rnd(w));
	if (rnd(w) % 8 == 0)
		d.mad[rnd(w) % 8 + (rnd(w) % 2 ? 16 : 0)] ^= (uint8_t)(1u << rnd(w) % 8);
	if (rnd(w) % 64 == 0)
		wire_put32(d.mad + 12, (uint32_t)rnd(w));
	if (rnd(w) % 64 == 0)
		d.bytes = (uint32_t)(rnd(w) % 300);
	if (rnd(w) % 32 == 0) {
		d.bytes = 400;
		d.more = malloc(400);
	}
	receive(w, &d, n);
	free(d.more);
}

static void
come_back(struct world *w)
{
	unsigned n = w->wire_n ? (unsigned)(rnd(w) % w->wire_n) : 0;
	struct dgram d = w->wire[n];

	if (!w->wire_n)
		return;
	d.status = 110;
	d.bytes = 24;
	wire_put32(d.mad + 8, (uint32_t)rnd(w));
	receive(w, &d, n);
}

static void
event(struct world *w)
{
	unsigned what = (unsigned)(rnd(w) % 100);

	if (what < 30) {
		submit(w);
	} else if (what < 65) {
		answer(w);
	} else if (what < 70) {
		come_back(w);
	} else if (what < 85) {
		w->now.us += (int64_t)(rnd(w) % 20000);
		txn_tick(w->t, w->now);
		expire(w);
	} else if (what < 99) {
		pull(w, (unsigned)(rnd(w) % 8));
	} else if (rnd(w) % 16 == 0) {
		txn_cancel_target(w->t, (uint32_t)(rnd(w) % TARGETS));
	} else {
		txn_target_reset(w->t, (uint32_t)(rnd(w) % TARGETS));
	}
}

static void
a_million_events(void **state)
{
	struct world *w = calloc(1, sizeof *w);
	struct monotime at;

	w->conf = txn_conf_default();
	w->conf.window_total = 40;
	w->conf.timeout_first_us = w->conf.timeout_floor_us = 50000;
	w->conf.tid_start = UINT32_MAX - 100;
	w->t = txn_new(&w->conf);
	w->rng = 20240607;
	for (unsigned i = 0; i < EVENTS; i++)
		event(w);
	/* Nobody answers any more; time alone must end everything. */
	for (unsigned turns = 0; txn_pending(w->t) && turns < 100000; turns++) {
		if (txn_deadline(w->t, &at))
			w->now = monotime_add_us(at, 0);
		txn_tick(w->t, w->now);
		expire(w);
		pull(w, 100);
	}
	assert_int_equal(txn_pending(w->t), 0);
	assert_int_equal(w->open, 0);
	for (size_t i = 0; i < w->n; i++)
		assert_true(w->r[i].ended);
	assert_int_equal(txn_stats(w->t)->submitted, w->n);
	assert_int_equal(txn_stats(w->t)->ended, w->n);
	assert_int_equal(txn_stats(w->t)->in_flight + txn_stats(w->t)->queued, 0);
	assert_false(txn_deadline(w->t, &at));
	assert_false(txn_oldest(w->t, &at));
	for (unsigned k = 0; k <= TXN_END_CANCELLED; k++)
		assert_true(w->kinds[k] > 0);           /* the run reached every kind of end */
	for (unsigned m = 0; m < TXN_MISMATCH_KINDS; m++)
		assert_true(txn_stats(w->t)->mismatched[m] > 0);
	txn_free(w->t);
	free(w->r);
	free(w);
	(void)state;
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_million_events) };

	return cmocka_run_group_tests_name("txn, random", tests, NULL, NULL);
}
