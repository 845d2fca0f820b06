/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtop_screen.c - the terminal: unbuffered keys, the alternate screen, and the restoration of both
 * at the end.
 * Room: diags/tools.
 */
#include <config.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "diags/core/signals.h"
#include "diags/tools/ibtop.h"

/* Sequences that enter and leave the alternate screen, where the cursor is hidden and long lines
 * are cut. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

/* Static, because signal handlers get no argument. */
static struct {
	struct termios cooked;
	volatile sig_atomic_t on, resized, suspended;
} screen;

static void
on_winch(int sig)
{
	(void)sig;
	screen.resized = 1;
}

static void
on_stop(int sig)
{
	(void)sig;
	screen.suspended = 1;
}

/* Restores the terminal. A signal handler calls it too, so it uses only write() and tcsetattr(). */
static void
screen_leave(void)
{
	ssize_t n;

	if (!screen.on)
		return;
	screen.on = 0;
	n = write(STDOUT_FILENO, LEAVE, sizeof(LEAVE) - 1);
	(void)n;                        /* the error cannot be reported here */
	tcsetattr(STDIN_FILENO, TCSANOW, &screen.cooked);
}

static void
screen_enter(void)
{
	struct termios raw = screen.cooked;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	screen.on = 1;
	fputs(ENTER, stdout);
	fflush(stdout);
}

static void
signal_catch(int sig, void (*handler)(int))
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigemptyset(&a.sa_mask);
	sigaction(sig, &a, NULL);
}

bool
screen_begin(void)
{
	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO,
	    &screen.cooked))
		return false;
	atexit(screen_end);
	signals_before_end(screen_leave);
	signal_catch(SIGWINCH, on_winch);
	signal_catch(SIGTSTP, on_stop);
	screen_enter();
	return true;
}

void
screen_end(void)
{
	fflush(stdout);
	screen_leave();
}

bool
screen_changed(void)
{
	bool changed = screen.resized || screen.suspended;

	screen.resized = 0;
	if (!screen.suspended)
		return changed;
	screen.suspended = 0;
	screen_end();
	raise(SIGSTOP);
	if (!tcgetattr(STDIN_FILENO, &screen.cooked))
		screen_enter();
	return changed;
}

void
screen_size(struct top_screen *s)
{
	struct winsize w = { 0 };

	s->lines = s->columns = 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_row) {
		s->lines = w.ws_row;
		s->columns = w.ws_col;
	}
}
