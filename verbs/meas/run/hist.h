/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hist.h - a histogram of times in nanoseconds, with slots that grow with the value.
 * Room: verbs/meas/run.  Pure.
 *
 * Takes samples; returns count, extremes, mean, deviation, percentiles, and bins to print.
 * Every sample counts.  A value below 1024 is exact, a larger one within 1/512 of itself.  The
 * memory does not depend on the number of samples.
 */
#ifndef HEDDLE_VERBS_MEAS_RUN_HIST_H
#define HEDDLE_VERBS_MEAS_RUN_HIST_H

#include <stdbool.h>
#include <stdint.h>

#define MEAS_HIST_HALF 512u             /* slots per power of two */
#define MEAS_HIST_SLOTS (54u * MEAS_HIST_HALF + 2u * MEAS_HIST_HALF)

struct meas_hist {
	uint64_t count, min_ns, max_ns; /* without samples: 0, UINT64_MAX, 0 */
	double mean_ns, m2;             /* m2: sum of squared distances from the mean */
	uint64_t slots[MEAS_HIST_SLOTS];
};

/* Allocates one: it is large.  Free it with free(). */
struct meas_hist *meas_hist_new(void);
void meas_hist_clear(struct meas_hist *h);
/* Values above 2^63 - 1 count as 2^63 - 1. */
void meas_hist_add(struct meas_hist *h, uint64_t ns);
void meas_hist_merge(struct meas_hist *h, const struct meas_hist *other);
/* The smallest value that 'percent' of 100 samples do not exceed (nearest rank; the upper end of
 * its slot); 0 without samples. */
uint64_t meas_hist_percentile(const struct meas_hist *h, double percent);
double meas_hist_stdev_ns(const struct meas_hist *h);

/* Bins of a quarter of a power of two that hold samples, in order: '*at' begins at 0; false
 * after the last one. */
struct meas_bin {
	uint64_t from_ns, to_ns;        /* from_ns <= sample < to_ns */
	uint64_t count;
};
bool meas_hist_bin(const struct meas_hist *h, unsigned *at, struct meas_bin *b);

#endif
