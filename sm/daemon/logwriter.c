/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * logwriter.c - the log's sink: a bounded queue of lines, and a thread that writes them.
 * Room: sm/daemon.  In: lines.  Out: bytes to a descriptor.
 *
 * The queue is a ring of bytes.  The thread copies whole lines out of it, and gives their room back
 * only when they are written: so what waits, and what is being written, is bounded together.
 */
#include <config.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "sm/daemon/logwriter.h"
#include "util/xalloc.h"

#define CHUNK_BYTES 16384               /* largest write */
#define LINE_BYTES 1200                 /* level, room, a line of log.c, newline */
#define LOOK_NS 10000000 /* polling interval at a crash, until the thread has finished */

struct logwriter {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;            /* for the thread: there is a line, or the end */
	pthread_cond_t empty;           /* for logwriter_flush(): everything is written */
	int fd;
	bool prefix;
	char chunk[CHUNK_BYTES];        /* used only by the thread */
	/* protected by 'lock' */
	char ring[LOGWRITER_BYTES];
	size_t head;
	/* Written under 'lock'; the SIGABRT handler reads it too. */
	_Atomic size_t n;
	uint64_t dropped, reported;     /* lines dropped; those of them that the log has reported */
	bool stop;
};

static struct logwriter *_Atomic flushed_on_abort;

static size_t
format_line(const struct logwriter *w, char line[static LINE_BYTES], enum log_level level,
	const char *room, const char *text)
{
	int n = w->prefix ? snprintf(line, LINE_BYTES, "<%d>%s: %s\n", (int)level, room, text) :
		snprintf(line, LINE_BYTES, "%s: %s\n", room, text);

	if (n < LINE_BYTES)
		return (size_t)n;
	line[LINE_BYTES - 2] = '\n';
	return LINE_BYTES - 1;
}

static void
append_line(struct logwriter *w, const char *line, size_t n)
{
	size_t at = (w->head + w->n) % LOGWRITER_BYTES;
	size_t first = LOGWRITER_BYTES - at < n ? LOGWRITER_BYTES - at : n;

	memcpy(w->ring + at, line, first);
	memcpy(w->ring, line + first, n - first);
	w->n += n;
	pthread_cond_signal(&w->wake);
}

/* Adds a line with the number of dropped lines, if there is room; otherwise returns false. */
static bool
report_dropped(struct logwriter *w)
{
	char text[96], line[LINE_BYTES];
	size_t n;

	if (w->dropped == w->reported)
		return true;
	snprintf(text, sizeof(text), "%llu lines dropped: the reader is too slow, or writing fails",
		(unsigned long long)(w->dropped - w->reported));
	n = format_line(w, line, LOG_WARN, "log", text);
	if (n > LOGWRITER_BYTES - w->n)
		return false;
	append_line(w, line, n);
	w->reported = w->dropped;
	return true;
}

void
logwriter_emit(void *logwriter, enum log_level level, const char *room, const char *text)
{
	struct logwriter *w = logwriter;
	char line[LINE_BYTES];
	size_t n = format_line(w, line, level, room, text);

	pthread_mutex_lock(&w->lock);
	if (report_dropped(w) && n <= LOGWRITER_BYTES - w->n)
		append_line(w, line, n);
	else
		w->dropped++;
	pthread_mutex_unlock(&w->lock);
}

uint64_t
logwriter_dropped(void *logwriter)
{
	struct logwriter *w = logwriter;
	uint64_t n;

	pthread_mutex_lock(&w->lock);
	n = w->dropped;
	pthread_mutex_unlock(&w->lock);
	return n;
}

/* Copies whole lines from the head of the ring to w->chunk and returns their length. */
static size_t
take_chunk(struct logwriter *w)
{
	size_t n = w->n < CHUNK_BYTES ? w->n : CHUNK_BYTES;
	size_t first = LOGWRITER_BYTES - w->head < n ? LOGWRITER_BYTES - w->head : n;

	memcpy(w->chunk, w->ring + w->head, first);
	memcpy(w->chunk + first, w->ring, n - first);
	while (n && w->chunk[n - 1] != '\n')
		n--;
	return n;
}

/* Writes the chunk; returns false if the descriptor accepts no more data. */
static bool
write_chunk(const struct logwriter *w, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t r = write(w->fd, w->chunk + at, n - at);

		if (r > 0) {
			at += (size_t)r;
		} else if (r < 0 && errno == EAGAIN) {
			struct pollfd p = { .fd = w->fd, .events = POLLOUT };

			poll(&p, 1, -1);
		} else if (r == 0 || errno != EINTR) {
			return false;
		}
	}
	return true;
}

static uint64_t
count_lines(const char *p, size_t n)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += p[i] == '\n';
	return lines;
}

static void *
writer_main(void *arg)
{
	struct logwriter *w = arg;

	pthread_mutex_lock(&w->lock);
	while (w->n || !w->stop) {
		size_t n = take_chunk(w);
		bool written;

		if (!n) {
			pthread_cond_wait(&w->wake, &w->lock);
			continue;
		}
		pthread_mutex_unlock(&w->lock);
		written = write_chunk(w, n);
		pthread_mutex_lock(&w->lock);
		w->head = (w->head + n) % LOGWRITER_BYTES;
		w->n -= n;
		if (written)
			report_dropped(w);
		else /* reported with the next line, since another attempt now would fail again */
			w->dropped += count_lines(w->chunk, n);
		if (!w->n)
			pthread_cond_broadcast(&w->empty);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

int
logwriter_new(int fd, bool prefix, struct logwriter **out)
{
	struct logwriter *w = xcalloc(1, sizeof(*w));
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int err;

	w->fd = fd;
	w->prefix = prefix;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->wake, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&w->empty, &monotonic);
	pthread_condattr_destroy(&monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);    /* only the event loop handles signals */
	err = pthread_create(&w->thread, NULL, writer_main, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		free(w);
		return -err;
	}
	*out = w;
	return 0;
}

bool
logwriter_flush(struct logwriter *w, int64_t limit_us)
{
	struct timespec until;
	int err = 0;
	bool done;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += limit_us / 1000000;
	until.tv_nsec += limit_us % 1000000 * 1000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&w->lock);
	while (w->n && err != ETIMEDOUT)
		err = pthread_cond_timedwait(&w->empty, &w->lock, &until);
	done = !w->n;
	pthread_mutex_unlock(&w->lock);
	return done;
}

/* Only waits, while the thread continues to write. If the aborting thread holds the lock, the
 * thread cannot finish; the wait then ends at its limit. */
static void
on_abort(int number)
{
	struct logwriter *w = flushed_on_abort;
	const struct timespec look = { .tv_nsec = LOOK_NS };

	(void)number;
	for (int64_t ns = 0; w && w->n && ns < LOGWRITER_END_US * 1000; ns += LOOK_NS)
		nanosleep(&look, NULL);
}

void
logwriter_flush_on_abort(struct logwriter *w)
{
	struct sigaction a = { .sa_flags = (int)SA_RESETHAND };

	flushed_on_abort = w;
	a.sa_handler = w ? on_abort : SIG_DFL;
	sigaction(SIGABRT, &a, NULL);
}

void
logwriter_free(struct logwriter *w)
{
	if (!w)
		return;
	if (flushed_on_abort == w)
		logwriter_flush_on_abort(NULL);
	if (!logwriter_flush(w, LOGWRITER_END_US)) {
		pthread_detach(w->thread);
		return;
	}
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->wake);
	pthread_cond_destroy(&w->empty);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
