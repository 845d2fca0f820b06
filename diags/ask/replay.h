/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * replay.h - a saved fabric that answers requests like the real one: the port of a tool with
 * --load.
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
 * Opens a replay at the port from which the snapshot was discovered. Requests by route or LID are
 * answered at once from the snapshot and the capture (NULL: none). Anything else is not answered,
 * and nothing can be Set. PathRecord and NodeRecord queries are answered from the snapshot. The
 * replay takes both arguments.
 */
struct io *replay_open(struct snapshot *s, struct capture *c);

#endif
