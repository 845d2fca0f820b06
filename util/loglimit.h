/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loglimit.h - log lines that a peer can provoke: one for each kind, source and second.
 * Room: util.  Pure: the time comes in.  In: lines with kind, source and time.  Out: lines to a
 * log, bounded in number.
 *
 * A repetition within a second of the line before it is counted and not logged.  The count is
 * reported with the next line of that kind and source, or by log_limit_tick() when the second has
 * passed.  The table has LOG_LIMIT_SOURCES rows whatever the number of sources: when all are in
 * use, all further sources of a kind share one row.  So no more than LOG_LIMIT_SOURCES +
 * LOG_LIMIT_KINDS lines a second pass.
 */
#ifndef HEDDLE_UTIL_LOGLIMIT_H
#define HEDDLE_UTIL_LOGLIMIT_H

#include "util/log.h"
#include "util/monotime.h"

#define LOG_LIMIT_SOURCES 32            /* kinds and sources that are limited separately */
#define LOG_LIMIT_KINDS 16
#define LOG_LIMIT_US INT64_C(1000000)   /* between two lines of one kind and source */
#define LOG_LIMIT_TEXT 256              /* longer lines are cut there */

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
/* When log_limit_tick() has something to report; false: nothing is to be reported. */
bool log_limit_deadline(const struct log_limit *t, struct monotime *at);
/* Lines that were counted instead of logged, ever. */
uint64_t log_limit_suppressed(const struct log_limit *t);

#endif
