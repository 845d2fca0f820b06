/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * signals.h - INT and TERM, for all tools alike.
 * Room: diags.
 *
 * The first one asks for an end.  One that comes half a second later or more ends the program by that signal; sooner it is
 * the same one: timeout(1) and terminals send theirs to a process and to its group, which are two at once.
 */
#ifndef HEDDLE_DIAGS_COMMON_SIGNALS_H
#define HEDDLE_DIAGS_COMMON_SIGNALS_H

#include <stdbool.h>

enum signals_mode {
	SIGNALS_CUT,                    /* questions on their way are given up at once */
	SIGNALS_STOP,                   /* the work in hand is done first */
};

/* From now on; the later call counts. */
void signals_catch(enum signals_mode mode);
/* Whether one came, or signals_ask_end() was called. */
bool signals_came(void);
/* Whether one came while the mode was SIGNALS_CUT. */
bool signals_cut(void);
/* As if one had come. */
void signals_ask_end(void);
/* What to do right before a second signal ends the program; called in the handler, so it may use only what is safe there.
 * NULL: nothing. */
void signals_before_end(void (*restore)(void));

#endif
