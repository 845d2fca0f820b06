/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * measure.c - runs one command and measures it: elapsed time, processor time, largest resident
 * set.
 * Room: bench.  Prints one JSON object to FILE; the command keeps its own input and output.
 * Usage: measure TIMEOUT_S FILE COMMAND [ARGUMENT...]
 *
 * The kernel keeps a process's largest resident set over exec, and a forked child begins with
 * that of its parent.  Therefore this program must be small itself: it measures no command from
 * inside a larger one.  The command runs in a process group of its own, which is killed at the
 * timeout or when this program is terminated.
 * Exit: the command's status, 124 after the timeout, 128 + signal.
 */
#include <config.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STATUS_FAILED 125
#define STATUS_TIMEOUT 124
#define GRACE_S 5               /* between SIGTERM and SIGKILL */

struct run {
	struct timespec began, ended;   /* monotonic */
	struct timespec began_real;     /* wall clock, to compare with time stamps in logs */
	struct rusage use;
	int status;                     /* as from wait4() */
	bool timed_out;
};

static double
timespec_seconds(struct timespec t)
{
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double
seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Executes the command in the child.  Does not return. */
static void
command_exec(char **command, const sigset_t *mask, pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (getppid() == parent)
		execvp(command[0], command);
	fprintf(stderr, "measure: %s: %s\n", command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Waits until the child ends, the deadline passes or a signal terminates this program.  True:
 * the child ended. */
static bool
ended_until(pid_t pid, const sigset_t *wanted, double deadline, struct run *r)
{
	struct timespec now, rest;

	for (;;) {
		double left;
		int sig;

		if (wait4(pid, &r->status, WNOHANG, &r->use) == pid) {
			clock_gettime(CLOCK_MONOTONIC, &r->ended);
			return true;
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = deadline - timespec_seconds(now);
		if (left <= 0)
			return false;
		rest.tv_sec = (time_t)left;
		rest.tv_nsec = (long)((left - (double)rest.tv_sec) * 1e9);
		sig = sigtimedwait(wanted, NULL, &rest);
		if (sig == SIGTERM || sig == SIGINT || sig == SIGHUP)
			return false;
	}
}

static int
command_run(struct run *r, double timeout_s, char **command)
{
	sigset_t wanted, before;
	pid_t self = getpid(), pid;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGHUP);
	sigprocmask(SIG_BLOCK, &wanted, &before);
	clock_gettime(CLOCK_REALTIME, &r->began_real);
	clock_gettime(CLOCK_MONOTONIC, &r->began);
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		command_exec(command, &before, self);
	setpgid(pid, pid);
	if (ended_until(pid, &wanted, timespec_seconds(r->began) + timeout_s, r))
		return 0;
	r->timed_out = true;
	kill(-pid, SIGTERM);
	clock_gettime(CLOCK_MONOTONIC, &r->ended);
	if (ended_until(pid, &wanted, timespec_seconds(r->ended) + GRACE_S, r))
		return 0;
	kill(-pid, SIGKILL);
	wait4(pid, &r->status, 0, &r->use);
	clock_gettime(CLOCK_MONOTONIC, &r->ended);
	return 0;
}

static int
write_result(const char *path, const struct run *r)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -errno;
	fprintf(f, "{\"began_s\": %.6f, \"wall_s\": %.6f, \"user_s\": %.6f, \"sys_s\": %.6f, "
		"\"peak_rss_kib\": %ld, "
		"\"status\": %d, \"signal\": %d, \"timed_out\": %s}\n",
		timespec_seconds(r->began_real), timespec_seconds(r->ended) -
		timespec_seconds(r->began), seconds_of(r->use.ru_utime),
		seconds_of(r->use.ru_stime), r->use.ru_maxrss,
		WIFEXITED(r->status) ? WEXITSTATUS(r->status) : -1,
		WIFSIGNALED(r->status) ? WTERMSIG(r->status) : 0, r->timed_out ? "true" : "false");
	return fclose(f) ? -errno : 0;
}

int
main(int argc, char **argv)
{
	struct run r = { .timed_out = false };
	char *end = NULL;
	double timeout_s = argc > 1 ? strtod(argv[1], &end) : 0;
	int e;

	if (argc < 4 || *end || !(timeout_s > 0 && timeout_s <= 86400)) {
		fputs("usage: measure TIMEOUT_S FILE COMMAND [ARGUMENT...]\n", stderr);
		return STATUS_FAILED;
	}
	e = command_run(&r, timeout_s, argv + 3);
	if (!e)
		e = write_result(argv[2], &r);
	if (e) {
		fprintf(stderr, "measure: %s\n", strerror(-e));
		return STATUS_FAILED;
	}
	if (r.timed_out)
		return STATUS_TIMEOUT;
	return WIFEXITED(r.status) ? WEXITSTATUS(r.status) : 128 + WTERMSIG(r.status);
}
