/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * replay.h - a saved fabric that answers as the real one did: the port of a tool that has --load.
 * Room: diags/ask.
 *
 * It is a back end of libmad/io, like a device. The engine sends to it and cannot tell the
 * difference, so no tool has a second code path for files. What the file does not hold is not
 * answered: the request times out at once.
 */
#ifndef HEDDLE_DIAGS_ASK_REPLAY_H
#define HEDDLE_DIAGS_ASK_REPLAY_H

#include "fabric/snapshot/capture.h"
#include "libmad/io/io.h"

/*
 * An end at the port that the snapshot was looked at from. Requests along routes and to LIDs are
 * answered at once from the snapshot and the capture (NULL: none); what is in neither is not
 * answered, nothing can be Set. Path and node records of subnet administration are made from the
 * snapshot. Takes both.
 */
struct io *replay_open(struct snapshot *s, struct capture *c);

#endif
