/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * log.h - log lines go to a sink that the caller passes in.
 * Room: util.
 *
 * No room opens a log of its own: it gets a struct log and calls log_line().  Only the program
 * decides where lines go (standard error, syslog, a test's buffer).  log_line() replaces control
 * characters, so text from the network cannot write to a terminal.  For lines that a peer can
 * provoke, see loglimit.h.
 */
#ifndef HEDDLE_UTIL_LOG_H
#define HEDDLE_UTIL_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* The same numbers as syslog priorities, so a sink can pass them on. */
enum log_level { LOG_ERROR = 3, LOG_WARN = 4, LOG_NOTE = 5, LOG_DETAIL = 6, LOG_TRACE = 7 };

struct log {
	/* lines above this level are not formatted */
	enum log_level max;
	void (*emit)(void *arg, enum log_level, const char *room, const char *line);
	void *arg;
};

/* Formats one line without a trailing newline and passes it to the sink.  If 'l' is NULL, does
 * nothing. */
void log_line(const struct log *l, enum log_level level, const char *room, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
