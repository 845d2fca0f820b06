/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loglimit.h - limits log lines that a peer can provoke: one per kind, source and second.
 * Room: util.  Pure: the caller passes the time.  In: lines with kind, source and time.  Out: a
 * bounded number of lines to a log.
 *
 * A line repeated within one second of the previous one is counted and not logged.  The count is
 * reported with the next line of that kind and source, or by log_limit_tick() when the second has
 * passed.  The table has LOG_LIMIT_SOURCES rows for any number of sources: when all are in use, all
 * further sources of a kind share one row.  So at most LOG_LIMIT_SOURCES + LOG_LIMIT_KINDS lines
 * are logged per second.
 */
#ifndef HEDDLE_UTIL_LOGLIMIT_H
#define HEDDLE_UTIL_LOGLIMIT_H

#include "util/log.h"
#include "util/monotime.h"

#define LOG_LIMIT_SOURCES 32            /* pairs of kind and source with a limit of their own */
#define LOG_LIMIT_KINDS 16
#define LOG_LIMIT_US INT64_C(1000000)   /* between two lines of one kind and source */
#define LOG_LIMIT_TEXT 256              /* longer lines are cut to this size */

struct log_limit;
struct log_limit *log_limit_new(void);
void log_limit_free(struct log_limit *t);               /* NULL is fine */

/*
 * As log_line(), unless a line of that 'kind' (below LOG_LIMIT_KINDS) and 'source' (a LID or GUID)
 * was logged less than LOG_LIMIT_US before 'now'.  'room' must be static text.  A line above the
 * level of 'l' is neither logged nor counted.
 */
void log_limit_line(struct log_limit *t, const struct log *l, enum log_level level,
	const char *room, unsigned kind, uint64_t source, struct monotime now, const char *fmt, ...)
	__attribute__((format(printf, 8, 9)));
/* Reports repetitions whose second has passed. */
void log_limit_tick(struct log_limit *t, const struct log *l, struct monotime now);
/* When to call log_limit_tick(); false: nothing is waiting to be reported. */
bool log_limit_deadline(const struct log_limit *t, struct monotime *at);
/* Total number of lines that were counted instead of logged. */
uint64_t log_limit_suppressed(const struct log_limit *t);

#endif
