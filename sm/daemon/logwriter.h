/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * logwriter.h - the log's sink: a bounded queue of lines, and a thread that writes them.
 * Room: sm/daemon.  Any thread may log.
 *
 * Logging never waits for the reader of the log: if the queue is full, the line is dropped and
 * counted.  As soon as there is room again, one line says how many were dropped.
 */
#ifndef HEDDLE_SM_DAEMON_LOGWRITER_H
#define HEDDLE_SM_DAEMON_LOGWRITER_H

#include "util/log.h"

#define LOGWRITER_BYTES 262144          /* of lines that wait to be written */
#define LOGWRITER_END_US INT64_C(1000000)       /* the end, or a crash, waits so long for them */

struct logwriter;

/*
 * Starts a thread that writes to 'fd', each line with its level if 'prefix' (the journal reads it).
 * 0, or a negative errno.
 */
int logwriter_new(int fd, bool prefix, struct logwriter **out);
/* A sink for struct log, whose 'arg' is the logwriter. */
void logwriter_emit(void *logwriter, enum log_level level, const char *room, const char *line);
/* Lines that were dropped, ever; likewise for struct log. */
uint64_t logwriter_dropped(void *logwriter);
/* Waits until every line is written, 'limit_us' at most; false: some are not. */
bool logwriter_flush(struct logwriter *w, int64_t limit_us);
/*
 * On SIGABRT (internal errors, failed assertions) the lines that wait are written first, within
 * LOGWRITER_END_US.  For one logwriter of the process; NULL ends it.
 */
void logwriter_flush_on_abort(struct logwriter *w);
/*
 * Flushes within LOGWRITER_END_US and ends.  A thread that still waits for the reader then is left
 * behind: the end of the process ends it.  NULL is fine.
 */
void logwriter_free(struct logwriter *w);

#endif
