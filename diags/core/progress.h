/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * progress.h - a clock, and a progress line on the terminal.
 * Room: diags/core.
 *
 * The line appears only on a terminal. Output that follows it should call diag_progress_clear()
 * first.
 */
#ifndef HEDDLE_DIAGS_CORE_PROGRESS_H
#define HEDDLE_DIAGS_CORE_PROGRESS_H

#include <stdint.h>

struct diag;

/* CLOCK_MONOTONIC in microseconds. */
int64_t diag_now_us(void);
/* Shows progress on one line of a terminal: after the first second, at most five times a second. */
void diag_progress(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Erases the line, so that the next output begins on an empty line. */
void diag_progress_clear(struct diag *d);

#endif
