/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * signals.c - SIGINT and SIGTERM, for all tools.
 * Room: diags/core. The handler only sets flags, which the loops check.
 */
#include <config.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include "diags/core/context.h"
#include "diags/core/progress.h"
#include "diags/core/signals.h"

#define AGAIN_US 500000

/* Static, because a signal handler gets no argument. */
static struct {
	volatile sig_atomic_t came, cut, mode;
	volatile int64_t first_us;
	void (*volatile before_end)(void);
} caught;

static void
on_signal(int sig)
{
	if (!caught.came) {
		caught.first_us = diag_now_us();
	} else if (diag_now_us() - caught.first_us > AGAIN_US) {
		if (caught.before_end)
			caught.before_end();
		signal(sig, SIG_DFL);
		raise(sig);             /* blocked until the handler returns */
	}
	caught.came = 1;
	if (caught.mode == SIGNALS_CUT)
		caught.cut = 1;
}

void
signals_catch(enum signals_mode how)
{
	struct sigaction a = { .sa_handler = on_signal };

	caught.mode = (sig_atomic_t)how;
	sigemptyset(&a.sa_mask);
	sigaddset(&a.sa_mask, SIGINT);
	sigaddset(&a.sa_mask, SIGTERM);
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

bool
signals_came(void)
{
	return caught.came;
}

bool
signals_cut(void)
{
	return caught.cut;
}

void
signals_ask_end(void)
{
	caught.came = 1;
}

void
signals_before_end(void (*restore)(void))
{
	caught.before_end = restore;
}

void
diag_catch_signals(void)
{
	signals_catch(SIGNALS_CUT);
}

bool
diag_interrupted(void)
{
	return signals_cut();
}

void
diag_signals_end(struct diag *d)
{
	diag_catch_signals();
	d->signals_end = true;
}

bool
diag_signals_are_end(const struct diag *d)
{
	return d->signals_end;
}
