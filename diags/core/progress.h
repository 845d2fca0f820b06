/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * progress.h - a clock, and a line on the terminal that tells how far a long run is.
 * Room: diags/core.
 */
#ifndef HEDDLE_DIAGS_CORE_PROGRESS_H
#define HEDDLE_DIAGS_CORE_PROGRESS_H

#include <stdint.h>

struct diag;

/* CLOCK_MONOTONIC in microseconds. */
int64_t diag_now_us(void);
/* Progress: one line on a terminal, after a second, at most five times a second. */
void diag_progress(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Erases that line, so that what is printed next begins on an empty line. */
void diag_progress_clear(struct diag *d);

#endif
