/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * loop.h - one thread that turns sessions: of a client, of a server with its clients, of both
 * ends in one process.
 * Room: verbs/meas.
 */
#ifndef HEDDLE_VERBS_MEAS_LOOP_H
#define HEDDLE_VERBS_MEAS_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include "verbs/meas/session.h"

#define MEAS_SESSIONS_MAX 256

struct meas_loop;

/* What a server does with a connection and its end; 'arg' is the loop's. */
struct meas_server {
	int fd;                         /* listens; -1: no server */
	unsigned at_once;               /* more clients than that are sent away */
	struct verbs_choice choice;
	int gid_index;
	bool hold;                      /* sessions wait until 'at_once' of them do */
	const struct meas_limits *limits;
	uint32_t silence_ms;
	/* A session is over, and is ended and freed after this. */
	void (*over)(struct meas_loop *l, struct meas_session *s);
};

struct meas_loop {
	struct verbs_world *world;
	unsigned n;
	struct meas_session *sessions[MEAS_SESSIONS_MAX];
	struct meas_server server;
	bool stop;                      /* set to leave meas_loop_run() */
	/* real clock: leave then, unless all clients are there; 0: no limit */
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
/* Turns until all sessions are over and nobody listens, or 'stop', 'until_ns', SIGINT or
 * SIGTERM. */
void meas_loop_run(struct meas_loop *l);
/* Ends and frees all sessions of a server. */
void meas_loop_clear(struct meas_loop *l);
/* SIGINT and SIGTERM end loops from now on; SIGPIPE ends nothing. */
void meas_signals(void);
/* The signal that came, or 0. */
int meas_signalled(void);

#endif
