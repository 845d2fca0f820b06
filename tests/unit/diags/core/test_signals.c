/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * test_signals.c - what SIGINT and SIGTERM do to a tool: the first asks for an end, a later one
 * ends the program.  Each case runs in a child process, because the state is the process's.
 */
#include <config.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "diags/core/context.h"
#include "diags/core/progress.h"
#include "diags/core/signals.h"
#include "tests/unit/test.h"

/* The status of a child that runs 'f', whose result is its exit status. */
static int
child_run(int (*f)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(f());
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static bool
passed(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int
none_came(void)
{
	signals_catch(SIGNALS_CUT);
	return signals_came() || signals_cut() || diag_interrupted();
}

static int
cut(void)
{
	diag_catch_signals();
	raise(SIGINT);
	return !(signals_came() && signals_cut() && diag_interrupted());
}

static int
stop(void)
{
	signals_catch(SIGNALS_STOP);
	raise(SIGTERM);
	return !(signals_came() && !signals_cut());
}

/* The last call sets the mode. */
static int
last_mode(void)
{
	signals_catch(SIGNALS_STOP);
	signals_catch(SIGNALS_CUT);
	raise(SIGTERM);
	return !signals_cut();
}

static int
asked(void)
{
	signals_catch(SIGNALS_CUT);
	signals_ask_end();
	return !(signals_came() && !signals_cut());
}

static void
first_signal(void **state)
{
	(void)state;
	assert_true(passed(child_run(none_came)));
	assert_true(passed(child_run(cut)));
	assert_true(passed(child_run(stop)));
	assert_true(passed(child_run(last_mode)));
	assert_true(passed(child_run(asked)));
}

static int
two_at_once(void)
{
	signals_catch(SIGNALS_CUT);
	raise(SIGTERM);
	raise(SIGTERM);
	raise(SIGINT);
	return !signals_cut();
}

/* Those that come together are one.  A machine that stood still in between is given more tries. */
static void
two_are_one(void **state)
{
	int status = 1;

	(void)state;
	for (unsigned i = 0; i < 10 && !passed(status); i++)
		status = child_run(two_at_once);
	assert_true(passed(status));
}

static int ends[2];

static void
restore(void)
{
	if (write(ends[1], "r", 1) != 1)
		_exit(9);
}

static int
second_later(void)
{
	struct timespec more = { .tv_nsec = 600 * 1000 * 1000 };

	signals_catch(SIGNALS_STOP);
	signals_before_end(restore);
	raise(SIGINT);
	while (nanosleep(&more, &more))
		;
	raise(SIGTERM);
	return 0;
}

/* A later one ends the program by that signal, after what is to be done before. */
static void
second_signal(void **state)
{
	char byte = 0;
	int status;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	status = child_run(second_later);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(byte, 'r');
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}

static int
end_is_normal(void)
{
	struct diag d = { 0 };
	bool before = diag_signals_are_end(&d);

	diag_signals_end(&d);
	raise(SIGINT);
	return before || !diag_signals_are_end(&d) || !diag_interrupted();
}

static void
tools_that_a_signal_ends(void **state)
{
	(void)state;
	assert_true(passed(child_run(end_is_normal)));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_signal), cmocka_unit_test(two_are_one),
		cmocka_unit_test(second_signal), cmocka_unit_test(tools_that_a_signal_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
