/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * signals.h - INT and TERM, for all tools alike.
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

/* From now on; the later call counts. */
void signals_catch(enum signals_mode mode);
/* Whether one came, or signals_ask_end() was called. */
bool signals_came(void);
/* Whether one came while the mode was SIGNALS_CUT. */
bool signals_cut(void);
/* As if one had come. */
void signals_ask_end(void);
/* What to do right before a second signal ends the program; called in the handler, so it may use
 * only what is safe there. NULL: nothing. */
void signals_before_end(void (*restore)(void));

/* INT and TERM end the requests, not the program, from now on; in JSON modes always. */
void diag_catch_signals(void);
bool diag_interrupted(void);
/* The same where a signal is how the program is meant to end: what it interrupts is no failure, and
 * nothing is reported. */
void diag_signals_end(struct diag *d);
/* Whether diag_signals_end() was called. */
bool diag_signals_are_end(const struct diag *d);

#endif
