/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * debug.h - what -d shows: each datagram, a line each.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_DEBUG_H
#define HEDDLE_DIAGS_ASK_DEBUG_H

#include "libmad/mad/dgram.h"

/* A line on stderr: 'what' was done with 'g', 'us' after the engine was opened. */
void debug_dgram(const char *what, const struct dgram *g, int64_t us);

#endif
