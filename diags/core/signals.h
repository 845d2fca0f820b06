/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * signals.h - SIGINT and SIGTERM, for all tools.
 * Room: diags/core.
 *
 * The first one asks for an end. One that comes half a second later or more ends the program by
 * that signal; sooner it is the same one: timeout(1) and terminals send theirs to a process and to
 * its group, which are two at once.
 */
#ifndef HEDDLE_DIAGS_CORE_SIGNALS_H
#define HEDDLE_DIAGS_CORE_SIGNALS_H

#include <stdbool.h>

struct diag;

enum signals_mode {
	SIGNALS_CUT,  /* requests that are open are given up at once */
	SIGNALS_STOP, /* the work in hand is done first */
};

/* Installs the handler; the last call sets the mode. */
void signals_catch(enum signals_mode mode);
/* Reports whether a signal arrived, or signals_ask_end() was called. */
bool signals_came(void);
/* Reports whether a signal arrived while the mode was SIGNALS_CUT. */
bool signals_cut(void);
/* Has the same effect as a signal. */
void signals_ask_end(void);
/* Sets the function that runs right before a second signal ends the program; it runs in the
 * handler, so it may call only async-signal-safe functions. NULL: none. */
void signals_before_end(void (*restore)(void));

/* From now on SIGINT and SIGTERM end the requests instead of the program; in JSON modes this is
 * always so. */
void diag_catch_signals(void);
bool diag_interrupted(void);
/* For tools that a signal normally ends: what it interrupts is no failure, and nothing is
 * reported. */
void diag_signals_end(struct diag *d);
/* Reports whether diag_signals_end() was called. */
bool diag_signals_are_end(const struct diag *d);

#endif
