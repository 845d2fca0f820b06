/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * debug.h - the output of option -d: one line per datagram.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_DEBUG_H
#define HEDDLE_DIAGS_ASK_DEBUG_H

#include "libmad/mad/dgram.h"

/* Prints a line to stderr about datagram 'g': 'what' says what happened to it, 'us' is the time
 * since the engine was opened. Neither keys nor data are printed. */
void debug_dgram(const char *what, const struct dgram *g, int64_t us);

#endif
