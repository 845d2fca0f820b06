/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * replay_int.h - what the files of the replay know of one another.
 * Room: diags/ask.
 */
#ifndef HEDDLE_DIAGS_ASK_REPLAY_INT_H
#define HEDDLE_DIAGS_ASK_REPLAY_INT_H

#include "diags/ask/replay.h"

/* Turns a request to subnet administration into its answer; d->more is the caller's. */
void replay_sa(const struct snapshot *s, struct dgram *d);
/* The LID of an end port, 0 none. */
uint16_t replay_lid(const struct snapshot *s, uint32_t port);

#endif
