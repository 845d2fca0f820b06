/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rate.h - bandwidth over time: the average of a run, and its best and worst interval.
 * Room: verbs/meas/run.  Pure.
 *
 * Takes (time, bytes) of each completion; returns rates.  The memory does not depend on the
 * length of the run.  Intervals are equally long, at least 1/256 and (after the first 256) at
 * most 1/64 of the run.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_RATE_H
#define HEDDLE_VERBS_MEAS_RUN_RATE_H

#include <stdint.h>

#define MEAS_RATE_SLOTS 256

struct meas_rate {
	uint64_t begin_ns, last_ns;     /* of the run, and of its latest completion */
	uint64_t width_ns;              /* of a slot; doubles when the slots are used up */
	uint64_t bytes, messages, additions;
	struct meas_rate_slot {
		uint64_t bytes, messages;
	} slots[MEAS_RATE_SLOTS];
};

void meas_rate_begin(struct meas_rate *r, uint64_t now_ns);
/* 'now_ns' must not decrease. */
void meas_rate_add(struct meas_rate *r, uint64_t now_ns, uint64_t bytes, uint64_t messages);

struct meas_rates {
	double seconds;                 /* 0: nothing was measured, and all other members are 0 */
	double bytes_per_s, messages_per_s;
	double peak_bytes_per_s, min_bytes_per_s;
	double interval_s;              /* length of the intervals of peak and min */
};
/* Peak and min are of intervals with 32 additions or more on average, so that one addition more
 * or less makes little difference.  A shorter run has one interval, the whole run. */
struct meas_rates meas_rate_result(const struct meas_rate *r);

#endif
