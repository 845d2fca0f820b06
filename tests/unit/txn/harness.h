/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * harness.h - drives a txn by a script and writes down what it does, one line per event.
 */
#ifndef HEDDLE_TESTS_UNIT_TXN_HARNESS_H
#define HEDDLE_TESTS_UNIT_TXN_HARNESS_H

#include "tests/unit/test.h"
#include "libmad/txn/txn.h"

#define SENT_MAX 4096

struct harness {
	struct txn *t;
	struct monotime now;
	struct dgram sent[SENT_MAX];    /* every send since harness_start(), in order */
	int timeout_ms[SENT_MAX];
	unsigned sent_n;
	char trace[65536];
	size_t used;
};

static const uint8_t harness_path[64] = { 0, 1, 2, 3 };

static inline void __attribute__((format(printf, 2, 3)))
note(struct harness *h, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(h->trace + h->used, sizeof h->trace - h->used, fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && (size_t)n < sizeof h->trace - h->used);
	h->used += (size_t)n;
}

/* Gets NodeInfo-like attributes by directed route. */
static inline void
submit(struct harness *h, uint32_t target, uint64_t cookie, uint16_t attr_id, uint32_t modifier)
{
	txn_submit(h->t, &(struct txn_req){
		.target = target, .cookie = cookie, .mgmt_class = CLASS_SM_DR, .method = METHOD_GET,
		.attr_id = attr_id, .modifier = modifier, .hop_count = 3, .path = harness_path,
	}, h->now);
}

/* Pulls all that can be pulled, into the trace. */
static inline void
pull(struct harness *h)
{
	struct txn_end e;
	struct dgram d;
	int ms;

	do {
		while (txn_next_end(h->t, &e)) {
			note(h, "%d end %d %s", (int)(h->now.us / 1000), (int)e.cookie, txn_end_kind_text(e.kind));
			if (e.status)
				note(h, " %04x", e.status);
			note(h, " tries %u", e.tries);
			for (unsigned m = 0; m < TXN_MISMATCH_KINDS; m++)
				if (e.mismatched & 1u << m)
					note(h, " (%s)", txn_mismatch_text((enum txn_mismatch)m));
			note(h, "\n");
			assert_int_equal(e.reply != NULL, e.kind == TXN_END_OK || e.kind == TXN_END_STATUS);
		}
		while (txn_next_send(h->t, &d, &ms, h->now)) {
			assert_true(h->sent_n < SENT_MAX);
			assert_int_not_equal(dgram_tid(d.mad), 0);
			assert_int_equal(dgram_tid(d.mad) >> 32, 0);
			note(h, "%d send %04x/%u %d ms\n", (int)(h->now.us / 1000), dgram_attr_id(d.mad),
				dgram_modifier(d.mad), ms);
			h->timeout_ms[h->sent_n] = ms;
			h->sent[h->sent_n++] = d;
		}
	} while (txn_ends_waiting(h->t));
}

/* The right answer to the n-th send. */
static inline struct dgram
answer_to(const struct harness *h, unsigned n, uint16_t status)
{
	struct dgram d = h->sent[n];

	dgram_smp_respond(d.mad, status);
	wire_put32(d.mad + 8, 0x12345678);      /* the kernel's half of the TID */
	return d;
}

static inline void
answer(struct harness *h, unsigned n, uint16_t status)
{
	struct dgram d = answer_to(h, n, status);

	assert_true(txn_receive(h->t, &d, h->now));
}

static inline void
come_back(struct harness *h, unsigned n)
{
	struct dgram d = h->sent[n];

	d.status = 110;
	d.bytes = 24;
	wire_put32(d.mad + 8, 0x12345678);
	assert_true(txn_receive(h->t, &d, h->now));
}

/* Lets time pass, with a tick at each deadline and nobody answering. */
static inline void
pass_until(struct harness *h, int64_t ms)
{
	struct monotime at;

	while (txn_deadline(h->t, &at) && at.us <= ms * 1000) {
		assert_true(at.us > h->now.us);
		h->now = at;
		txn_tick(h->t, h->now);
		pull(h);
	}
	h->now.us = ms * 1000;
	txn_tick(h->t, h->now);
	pull(h);
}

static inline void
expect(struct harness *h, const char *trace)
{
	assert_string_equal(h->trace, trace);
	h->used = 0;
	h->trace[0] = 0;
}

static inline struct harness *
harness_start(const struct txn_conf *c)
{
	struct harness *h = calloc(1, sizeof *h);

	assert_non_null(h);
	h->t = txn_new(c);
	return h;
}

static inline void
harness_end(struct harness *h)
{
	txn_free(h->t);
	free(h);
}

/* Round figures: 4 tries of 100, 200, 400, 400 ms, backstop 1 ms, BUSY pause 10 ms. */
static inline struct txn_conf
harness_conf(void)
{
	struct txn_conf c = txn_conf_default();

	c.timeout_first_us = c.timeout_floor_us = 100000;
	c.timeout_max_us = 400000;
	c.backstop_us = 1000;
	c.busy_wait_us = 10000;
	return c;
}

#endif
