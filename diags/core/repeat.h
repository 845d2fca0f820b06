/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * repeat.h - work that is repeated at intervals which do not drift, until it is asked to end.
 * Room: diags/core.
 */
#ifndef HEDDLE_DIAGS_CORE_REPEAT_H
#define HEDDLE_DIAGS_CORE_REPEAT_H

#include <stdbool.h>
#include <stdint.h>

struct diag;

/* Reads seconds, 0.05 to 86400, as "2" or "0.5".  0, or the status of a usage error. */
int repeat_interval(struct diag *d, const char *text, int64_t *us);
/* From now on INT and TERM only ask for an end, which comes when the work in hand is done
 * (signals.h). */
void repeat_catch_signals(void);
bool repeat_stopped(void);
void repeat_stop(void);
/* The time after 'last' of those that are a multiple of the interval away from it, and not over
 * yet. */
int64_t repeat_next(int64_t last_us, int64_t interval_us);
/* Waits until diag_now_us() reaches 'at_us' or an end is asked for: false; or until 'fd' (-1 none)
 * can be read: true. */
bool repeat_wait(int64_t at_us, int fd);

#endif
