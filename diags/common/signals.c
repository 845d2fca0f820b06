/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * signals.c - INT and TERM, for all tools alike.
 * Room: diags.  Flags that a handler sets; whoever works looks at them.
 */
#include <config.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include "diags/common/diag.h"
#include "diags/common/signals.h"

#define AGAIN_US 500000

static volatile sig_atomic_t came, cut, mode;
static void (*volatile before_end)(void);

static void
on_signal(int sig)
{
	static volatile int64_t first_us;

	if (!came) {
		first_us = diag_now_us();
	} else if (diag_now_us() - first_us > AGAIN_US) {
		if (before_end)
			before_end();
		signal(sig, SIG_DFL);
		raise(sig);             /* blocked until we return */
	}
	came = 1;
	if (mode == SIGNALS_CUT)
		cut = 1;
}

void
signals_catch(enum signals_mode how)
{
	struct sigaction a = { .sa_handler = on_signal };

	mode = (sig_atomic_t)how;
	sigemptyset(&a.sa_mask);
	sigaddset(&a.sa_mask, SIGINT);
	sigaddset(&a.sa_mask, SIGTERM);
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
}

bool
signals_came(void)
{
	return came;
}

bool
signals_cut(void)
{
	return cut;
}

void
signals_ask_end(void)
{
	came = 1;
}

void
signals_before_end(void (*restore)(void))
{
	before_end = restore;
}
