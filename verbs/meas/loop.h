/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loop.h - one thread that runs sessions: of a client, of a server with its clients, of both
 * ends in one process.
 * Room: verbs/meas.
 *
 * Each turn accepts connections, gives every session a turn (meas_session_turn), removes those
 * that are over, and then waits for whatever can happen next.  Sessions never block, so one loop
 * serves any number of them.
 */
#ifndef HEDDLE_VERBS_MEAS_LOOP_H
#define HEDDLE_VERBS_MEAS_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include "verbs/meas/session.h"

/* The monotonic clock, in nanoseconds. */
uint64_t meas_real_ns(void);
/* Runs until all sessions are over and nothing listens, or until 'stop', 'until_ns', SIGINT or
 * SIGTERM. */
void meas_loop_run(struct meas_loop *l);
/* Ends and frees all sessions of a server. */
void meas_loop_clear(struct meas_loop *l);
/* From now on SIGINT and SIGTERM end loops, and SIGPIPE is ignored. */
void meas_signals(void);
/* The signal that was received, or 0. */
int meas_signalled(void);

#endif
