/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibtop_screen.c - the terminal: keys at once, a screen of our own, and everything as it was when we leave.
 * Room: diags.
 */
#include <config.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "diags/common/signals.h"
#include "diags/ibtop.h"

/* The other screen, no cursor, lines that are too long are cut; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

static struct termios cooked;
static volatile sig_atomic_t on, resized, suspended;

static void
on_winch(int sig)
{
	(void)sig;
	resized = 1;
}

static void
on_stop(int sig)
{
	(void)sig;
	suspended = 1;
}

/* Also from a handler of signals: write() and tcsetattr() are all it calls. */
static void
leave(void)
{
	ssize_t n;

	if (!on)
		return;
	on = 0;
	n = write(STDOUT_FILENO, LEAVE, sizeof(LEAVE) - 1);
	(void)n;                        /* there is nothing better to do */
	tcsetattr(STDIN_FILENO, TCSANOW, &cooked);
}

static void
enter(void)
{
	struct termios raw = cooked;

	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	on = 1;
	fputs(ENTER, stdout);
	fflush(stdout);
}

static void
catch(int sig, void (*handler)(int))
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigemptyset(&a.sa_mask);
	sigaction(sig, &a, NULL);
}

bool
screen_begin(void)
{
	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &cooked))
		return false;
	atexit(screen_end);
	signals_before_end(leave);
	catch(SIGWINCH, on_winch);
	catch(SIGTSTP, on_stop);
	enter();
	return true;
}

void
screen_end(void)
{
	fflush(stdout);
	leave();
}

bool
screen_changed(void)
{
	bool changed = resized || suspended;

	resized = 0;
	if (!suspended)
		return changed;
	suspended = 0;
	screen_end();
	raise(SIGSTOP);
	if (!tcgetattr(STDIN_FILENO, &cooked))
		enter();
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
