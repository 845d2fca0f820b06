/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * replay_int.h - the interface between the files of the replay.
 * Room: diags/ask.
 *
 * replay.c answers SMPs and GMPs from the snapshot and the capture; replay_sa.c answers queries to
 * the SA.
 */
#ifndef HEDDLE_DIAGS_ASK_REPLAY_INT_H
#define HEDDLE_DIAGS_ASK_REPLAY_INT_H

#include "diags/ask/replay.h"

/* Turns a query to the SA into its answer. d->more is allocated, and the caller frees it. */
void replay_sa(const struct snapshot *s, struct dgram *d);
/* Returns the LID of an end port; 0: none. */
uint16_t replay_lid(const struct snapshot *s, uint32_t port);

#endif
