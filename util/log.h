/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * log.h - a log sink that is handed in: rooms never know where lines go.
 * Room: util.
 */
#ifndef HEDDLE_UTIL_LOG_H
#define HEDDLE_UTIL_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* syslog's numbers, so that a sink may pass them on. */
enum log_level { LOG_ERROR = 3, LOG_WARN = 4, LOG_NOTE = 5, LOG_DETAIL = 6, LOG_TRACE = 7 };

struct log {
	enum log_level max;                                     /* lines above it are not made */
	void (*emit)(void *arg, enum log_level, const char *room, const char *line);
	void *arg;
};

/* Formats one line (no newline at its end) and hands it to the sink.  'l' may be NULL: nothing. */
void log_line(const struct log *l, enum log_level level, const char *room, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
