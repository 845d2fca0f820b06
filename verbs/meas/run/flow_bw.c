/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * flow_bw.c - bandwidth runs: keeps every queue pair full.
 * Room: verbs/meas/run.
 */
#include <config.h>
#include "verbs/meas/run/flow.h"

/* Completions cost time, so only some messages request one: every n-th, the last, and the one
 * that fills the queue. */
static bool
wants_completion(const struct meas_flow *f, const struct meas_flow_qp *q)
{
	return (q->posted + 1) % f->e->test.signal_every == 0 || q->posted + 1 == f->total ||
		q->posted + 1 - q->completed >= f->tx_limit;
}

/* By duration, the last message may have requested no completion: one more message then does. */
static int
close_down(struct meas_flow *f, uint32_t qp)
{
	struct meas_flow_qp *q = &f->qps[qp];

	return q->signaled < q->posted ? meas_flow_post(f, qp, true) : 0;
}

bool
meas_flow_ahead(const struct meas_flow *f)
{
	double us = (double)(meas_flow_clock(f) - f->go_ns) / 1e3;

	return f->e->test.rate_mbps && (double)f->paced_bytes * 8 > f->e->test.rate_mbps * us;
}

static int
queue_fill(struct meas_flow *f, uint32_t qp)
{
	struct meas_flow_qp *q = &f->qps[qp];
	int n = 0, r = 1;

	if (f->stopping)
		return close_down(f, qp);
	while (r == 1 && q->posted < f->total && q->posted - q->completed < f->tx_limit &&
		    !meas_flow_ahead(f)) {
		r = meas_flow_post(f, qp, wants_completion(f, q));
		if (r < 0)
			return r;
		n += r;
	}
	return n;
}

int
meas_flow_bw_turn(struct meas_flow *f)
{
	int n = meas_flow_poll(f), r;

	if (n < 0 || !f->going || !f->requester)
		return n;
	if (f->stop_ns && !f->stopping && meas_flow_clock(f) >= f->stop_ns)
		f->stopping = true;
	for (uint32_t i = 0; i < f->e->test.qps; i++) {
		r = queue_fill(f, i);
		if (r < 0)
			return r;
		n += r;
	}
	return n;
}

bool
meas_flow_sent(const struct meas_flow *f)
{
	if (!f->requester)
		return true;
	if (!f->going)
		return false;
	if (f->e->test.mode == MEAS_LAT)
		return !f->waiting && (f->pings >= f->total || f->stopping) &&
			f->qps[0].completed == f->qps[0].posted;
	for (uint32_t i = 0; i < f->e->test.qps; i++) {
		const struct meas_flow_qp *q = &f->qps[i];

		if (q->completed < q->posted || (!f->stopping && q->posted < f->total))
			return false;
	}
	return true;
}
