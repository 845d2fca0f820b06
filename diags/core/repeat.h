/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * repeat.h - work that is repeated at fixed intervals, until it is stopped.
 * Room: diags/core.
 *
 * Used by ibmon and ibtop. Times are multiples of the interval from the start, so a late round does
 * not shift the later ones; rounds that are completely over are left out.
 */
#ifndef HEDDLE_DIAGS_CORE_REPEAT_H
#define HEDDLE_DIAGS_CORE_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

struct diag;

/* Parses an interval of 0.05 to 86400 seconds, "2" or "0.5". Returns 0 or the status of a usage
 * error. */
int repeat_interval(struct diag *d, const char *text, int64_t *us);
/* From now on SIGINT and SIGTERM only request an end, which comes after the current round
 * (signals.h). */
void repeat_catch_signals(void);
/* Reports whether an end was requested, by a signal or by repeat_stop(). */
bool repeat_stopped(void);
void repeat_stop(void);
/* Returns the next time that is a multiple of the interval after 'last_us' and still in the
 * future. */
int64_t repeat_next(int64_t last_us, int64_t interval_us);
/* Waits until diag_now_us() reaches 'at_us' or an end is requested, and returns false; or until
 * 'fd' (-1: none) is readable, and returns true. */
bool repeat_wait(int64_t at_us, int fd);

#endif
