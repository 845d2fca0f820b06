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

#define MEAS_SESSIONS_MAX 256

struct meas_loop;

/* The server's part of a loop; 'arg' of the loop is for its callbacks. */
struct meas_server {
	int fd;                         /* listening socket; -1: no server */
	unsigned at_once;               /* further clients are refused */
	struct verbs_choice choice;
	int gid_index;
	bool hold;                      /* sessions wait until 'at_once' clients are ready */
	const struct meas_limits *limits;
	uint32_t silence_ms;
	/* Called when a session is over; the loop then ends and frees it. */
	void (*over)(struct meas_loop *l, struct meas_session *s);
};

struct meas_loop {
	struct verbs_world *world;
	unsigned n;
	struct meas_session *sessions[MEAS_SESSIONS_MAX];
	struct meas_server server;
	bool stop;                      /* set to make meas_loop_run() return */
	/* Real clock: return then unless all clients are there; 0: no limit. */
	uint64_t until_ns;
	void *arg;
};

/* The i-th session of the loop, counting those that relays run as clients of other servers.
 * NULL after the last. */
static inline struct meas_session *
meas_loop_session(const struct meas_loop *l, unsigned i)
{
	struct meas_session *s;

	if (i / 2 >= l->n)
		return NULL;
	s = l->sessions[i / 2];
	return i % 2 && s->child ? s->child : s;
}

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
