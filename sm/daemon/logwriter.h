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

#define LOGWRITER_BYTES 262144          /* size of the queue of lines */
/* how long the end of the process, or a crash, waits for them */
#define LOGWRITER_END_US INT64_C(1000000)

struct logwriter;

/* Starts a thread that writes to 'fd'. 'prefix': each line begins with its level, which the journal
 * reads. Returns 0 and stores the logwriter in '*out', or a negative errno. */
int logwriter_new(int fd, bool prefix, struct logwriter **out);
/* The sink for struct log: 'arg' of the log is the logwriter. Never blocks on the descriptor. */
void logwriter_emit(void *logwriter, enum log_level level, const char *room, const char *line);
/* Returns the number of lines dropped since the start; also for struct log. */
uint64_t logwriter_dropped(void *logwriter);
/* Waits until every line is written, at most 'limit_us' microseconds. Returns false if some are
 * not. */
bool logwriter_flush(struct logwriter *w, int64_t limit_us);
/* Makes SIGABRT (internal errors, failed assertions) first wait until the queued lines are written,
 * at most LOGWRITER_END_US. The process can have one such logwriter; NULL removes it. */
void logwriter_flush_on_abort(struct logwriter *w);
/* Flushes for at most LOGWRITER_END_US and ends the thread. A thread that still waits for the
 * reader of the log is left running until the process ends. Accepts NULL. */
void logwriter_free(struct logwriter *w);

#endif
