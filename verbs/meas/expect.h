/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * expect.h - thresholds of the option --expect: 'bw>=90,p99<=5us,lost<=0'.
 * Room: verbs/meas.  Pure.
 *
 * meas_expect_parse() makes terms from the text; row.h reads the figures of a result;
 * meas_term_holds() compares one term.  A new figure is a row of MEAS_FIGURES here and a line in
 * meas_row_figure().
 */
#ifndef HEDDLE_VERBS_MEAS_EXPECT_H
#define HEDDLE_VERBS_MEAS_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name as typed, unit, whether it is a speed (meaningless in an emulation), whether latency
 * tests have it, whether bandwidth tests have it. */
#define MEAS_FIGURES(F) \
	F(BW, "bw", "Gb/s", true, false, true) \
	F(BW_PEAK, "bw_peak", "Gb/s", true, false, true) \
	F(BW_MIN, "bw_min", "Gb/s", true, false, true) \
	F(MSGRATE, "msgrate", "Mpps", true, false, true) \
	F(MIN, "min", "us", true, true, true) \
	F(MAX, "max", "us", true, true, true) \
	F(AVG, "avg", "us", true, true, true) \
	F(STDEV, "stdev", "us", true, true, true) \
	F(P50, "p50", "us", true, true, true) \
	F(P90, "p90", "us", true, true, true) \
	F(P99, "p99", "us", true, true, true) \
	F(P999, "p99.9", "us", true, true, true) \
	F(P9999, "p99.99", "us", true, true, true) \
	F(LOST, "lost", "", false, true, true) \
	F(CORRUPT, "corrupt", "", false, true, true) \
	F(ERRORS, "errors", "", false, true, true) \
	F(MESSAGES, "messages", "", false, true, true)
#define MEAS_FIGURE_ENUM(id, name, unit, speed, lat, bw) MEAS_FIGURE_##id,
enum meas_figure { MEAS_FIGURES(MEAS_FIGURE_ENUM) MEAS_FIGURE_KINDS };

const char *meas_figure_name(enum meas_figure f);
const char *meas_figure_unit(enum meas_figure f);

enum meas_relation { MEAS_LT, MEAS_LE, MEAS_GT, MEAS_GE };

#define MEAS_TERMS_MAX 16
#define MEAS_TERM_BYTES 48

struct meas_term {
	enum meas_figure figure;
	enum meas_relation relation;
	uint32_t size;                  /* messages of this size only; 0: all sizes */
	double bound;                   /* in the figure's unit */
	char text[MEAS_TERM_BYTES];     /* as typed */
};

struct meas_expect {
	unsigned n;
	struct meas_term terms[MEAS_TERMS_MAX];
};

/* Adds the terms of 'text' (FIGURE[@SIZE] RELATION NUMBER[UNIT], separated by commas).  'lat':
 * of a latency test, otherwise of a bandwidth test. -EINVAL, with a sentence in 'why'
 * (why_bytes). */
int meas_expect_parse(struct meas_expect *e, const char *text, bool lat, char *why,
	size_t why_bytes);
/* The first term on a speed, or NULL. */
const struct meas_term *meas_expect_speed(const struct meas_expect *e);
bool meas_term_holds(const struct meas_term *t, double value);

#endif
