/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_logwriter.c - lines come out in order; nobody who logs waits for whoever reads; what is dropped
 * is counted.
 */
#include <config.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "sm/daemon/logwriter.h"
#include "tests/unit/test.h"

static int64_t
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Fills a pipe to the last byte. */
static void
fill(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	char page[4096] = { 0 };

	memset(page, 'x', sizeof(page));
	page[sizeof(page) - 1] = '\n';
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	while (write(fd, page, sizeof(page)) > 0)
		;
	while (write(fd, page, 1) > 0)
		;
	fcntl(fd, F_SETFL, flags);
}

static void
lines_in_order(void **state)
{
	char want[64], got[64];
	struct logwriter *w;
	int fd[2];
	FILE *f;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(logwriter_new(fd[1], true, &w), 0);
	f = fdopen(fd[0], "r");
	for (unsigned i = 0; i < 500; i++)
		logwriter_emit(w, LOG_NOTE, "test", "line");
	for (unsigned i = 0; i < 500; i++) {
		snprintf(want, sizeof(want), "<5>test: line\n");
		assert_non_null(fgets(got, sizeof(got), f));
		assert_string_equal(got, want);
	}
	assert_true(logwriter_flush(w, 1000000));
	assert_int_equal(logwriter_dropped(w), 0);
	logwriter_free(w);
	fclose(f);
	close(fd[1]);
}

/* Ten times what the queue holds, to a reader that stands still: at once; then the reader reads again. */
static void
a_stalled_reader(void **state)
{
	enum { LINES = LOGWRITER_BYTES / 10 };
	unsigned long long dropped, reported = 0, lines = 0, next = 0, i;
	char got[8192];
	struct logwriter *w;
	int64_t began;
	int fd[2];
	FILE *f;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	fill(fd[1]);
	assert_int_equal(logwriter_new(fd[1], false, &w), 0);
	began = now_us();
	for (i = 0; i < LINES; i++) {
		char text[128];

		snprintf(text, sizeof(text), "%llu: a line of about one hundred bytes, which is what lines of a log "
			"have on the average or so", i);
		logwriter_emit(w, LOG_NOTE, "test", text);
	}
	assert_in_range(now_us() - began, 0, 5000000);
	assert_false(logwriter_flush(w, 10000));
	dropped = logwriter_dropped(w);
	assert_in_range(dropped, LINES - LOGWRITER_BYTES / 90, LINES - 1);
	f = fdopen(fd[0], "r");
	while (reported < dropped && fgets(got, sizeof(got), f)) {
		unsigned long long v;

		if (sscanf(got, "log: %llu lines dropped", &v) == 1) {
			reported += v;
		} else if (sscanf(got, "test: %llu:", &v) == 1) {
			assert_int_equal(v, next);
			next++;
			lines++;
		}
	}
	assert_int_equal(reported, dropped);
	assert_int_equal(lines + dropped, LINES);
	logwriter_emit(w, LOG_NOTE, "test", "last");
	assert_non_null(fgets(got, sizeof(got), f));
	assert_string_equal(got, "test: last\n");
	logwriter_free(w);
	fclose(f);
	close(fd[1]);
}

/* The end waits a second, and no longer. */
static void
the_end_is_bounded(void **state)
{
	struct logwriter *w;
	int64_t began;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	fill(fd[1]);
	assert_int_equal(logwriter_new(fd[1], false, &w), 0);
	logwriter_emit(w, LOG_NOTE, "test", "nobody reads this");
	began = now_us();
	logwriter_free(w);
	assert_in_range(now_us() - began, LOGWRITER_END_US, LOGWRITER_END_US * 5);
	/* The pipe stays open: the thread that was left behind still waits for it. */
}

/* A reader that is gone costs lines, not the program. */
static void
a_closed_reader(void **state)
{
	struct logwriter *w;
	int fd[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(fd), 0);
	close(fd[0]);
	assert_int_equal(logwriter_new(fd[1], false, &w), 0);
	for (unsigned i = 0; i < 10; i++)
		logwriter_emit(w, LOG_NOTE, "test", "line");
	assert_true(logwriter_flush(w, 1000000));
	assert_true(logwriter_dropped(w) >= 10);
	logwriter_free(w);
	close(fd[1]);
}

static void
abort_flushes(void **state)
{
	char got[64];
	int fd[2], status;
	pid_t child;
	FILE *f;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	child = fork();
	if (!child) {
		struct logwriter *w;

		if (logwriter_new(fd[1], false, &w) < 0)
			_exit(1);
		logwriter_flush_on_abort(w);
		for (unsigned i = 0; i < 1000; i++)
			logwriter_emit(w, LOG_NOTE, "test", "before the crash");
		abort();
	}
	close(fd[1]);
	f = fdopen(fd[0], "r");
	for (unsigned i = 0; i < 1000; i++) {
		assert_non_null(fgets(got, sizeof(got), f));
		assert_string_equal(got, "test: before the crash\n");
	}
	fclose(f);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(abort_flushes),        /* it forks: before there are other threads */
		cmocka_unit_test(lines_in_order), cmocka_unit_test(a_stalled_reader), cmocka_unit_test(a_closed_reader),
		cmocka_unit_test(the_end_is_bounded),   /* it leaves a thread behind */
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
