/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * flow_lat.c - latency runs: one message at a time, there and back.
 * Room: verbs/meas/run.
 *
 * send: the responder answers each message with one.  write: each end polls the last byte of the
 * message in its memory, and writes it back.  read, atomics: the completion is the answer.  For
 * send and write, the latency is half the time there and back.
 */
#include <config.h>
#include <errno.h>
#include "verbs/meas/run/flow.h"

/* values of the last byte: 1 .. 250, never that of unwritten memory */
#define MARKS 250u

/* volatile: the device writes it without the compiler's knowledge. */
static volatile uint8_t *
mark_of(const struct meas_flow *f, bool in)
{
	return meas_flow_place(f, in, 0, 0) + f->size - 1;
}

static bool
is_full(const struct meas_flow *f)
{
	return f->qps[0].posted - f->qps[0].completed >= f->tx_limit;
}

static int
ping_post(struct meas_flow *f, uint64_t real_ns)
{
	int r;

	if (is_full(f))
		/* completions of earlier messages are still outstanding */
		return 0;
	if (f->e->test.op == MEAS_WRITE)
		*mark_of(f, false) = (uint8_t)(1 + f->pings % MARKS);
	f->ping_ns = meas_flow_clock(f);
	f->pinged = meas_flow_now(f, real_ns);
	r = meas_flow_post(f, 0, true);
	if (r == 1)
		f->waiting = true;
	return r;
}

static bool
is_answered(const struct meas_flow *f)
{
	switch (f->e->test.op) {
	case MEAS_SEND:
		return f->qps[0].received > f->answered;
	case MEAS_WRITE:
		return *mark_of(f, true) == (uint8_t)(1 + f->pings % MARKS);
	case MEAS_READ:
	case MEAS_CAS:
	case MEAS_FAA:
	case MEAS_OPS:
		break;
	}
	return f->qps[0].completed == f->qps[0].posted;
}

static void
answer_count(struct meas_flow *f)
{
	enum meas_op op = f->e->test.op;
	uint64_t now = meas_flow_clock(f), ns = now - f->ping_ns;

	f->waiting = false;
	f->answered = f->qps[0].received;
	f->pings++;
	if (f->warm_left) {
		f->warm_left--;
		if (!f->warm_left)
			meas_rate_begin(&f->rate, now);
		return;
	}
	meas_hist_add(f->hist, op == MEAS_SEND || op == MEAS_WRITE ? ns / 2 : ns);
	meas_rate_add(&f->rate, now, f->size, 1);
}

/* Over UC and UD a message may be lost; then the next one is sent. */
static void
loss_check(struct meas_flow *f, uint64_t real_ns)
{
	if (f->e->test.transport == MEAS_RC || !meas_flow_passed(f, f->pinged, MEAS_LOST_NS,
		    real_ns))
		return;
	f->counts.lost++;
	f->waiting = false;
	f->answered = f->qps[0].received;
	f->pings++;
}

static int
requester_turn(struct meas_flow *f, uint64_t real_ns)
{
	int n = 0;

	if (f->waiting && is_answered(f)) {
		answer_count(f);
		f->answer = meas_flow_now(f, real_ns);
		n = 1;
	} else if (f->waiting) {
		loss_check(f, real_ns);
	}
	if (meas_flow_passed(f, f->answer, MEAS_STUCK_NS, real_ns))
		return meas_flow_fail(f, -ETIMEDOUT, "%s: no answer for %d s", f->e->facts.device,
			(int)(MEAS_STUCK_NS / 1000000000));
	if (f->stop_ns && !f->stopping && meas_flow_clock(f) >= f->stop_ns)
		f->stopping = true;
	if (!f->waiting && !f->stopping && f->pings < f->total) {
		int r = ping_post(f, real_ns);

		return r < 0 ? r : n + r;
	}
	return n;
}

static int
responder_turn(struct meas_flow *f)
{
	enum meas_op op = f->e->test.op;
	uint8_t mark;

	if (is_full(f))
		return 0;
	if (op == MEAS_SEND && f->qps[0].received > f->answered) {
		f->answered++;
		return meas_flow_post(f, 0, true);
	}
	if (op != MEAS_WRITE)
		return 0;
	mark = *mark_of(f, true);
	if (!mark || mark == f->seen)
		return 0;
	f->seen = mark;
	*mark_of(f, false) = mark;
	return meas_flow_post(f, 0, true);
}

int
meas_flow_lat_turn(struct meas_flow *f, uint64_t real_ns)
{
	int n = 0, r;

	/* A device answers sooner than the next turn of the loop. */
	for (unsigned i = 0; i < f->spins; i++) {
		r = meas_flow_poll(f);
		if (r < 0)
			return r;
		n += r;
		r = !f->requester ? responder_turn(f) : f->going ? requester_turn(f, real_ns) : 0;
		if (r < 0)
			return r;
		n += r;
	}
	return n;
}
