/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * session.h - one test between two ends, from "hello" to "bye": the state machine of each end.
 * Room: verbs/meas.
 *
 * 	client                                  server
 * 	hello {protocol, version}       <->     hello
 * 	offer {facts}                    ->     opens its device
 * 	chooses a route                 <-      offer {facts, gid_index}
 * 	test {test, route, names}        ->     makes queue pairs; connects them, or listens with a
 * 	                                        connection manager
 * 	connects, or uses the manager   <-      names {..., join}
 * 	run {run, size}                  ->     prepares memory and receives
 * 	sends                           <-      ready
 * 	done {sent, rates}               ->     waits for messages in flight
 * 	                                <-      result {counts, sent, ...}
 * 	... run again, or bye
 *
 * Instead of an offer the client may send ask {to, test}: the server then runs the test as a
 * client of another server (relay.c) and replies answer {rows, status, why}.  Either end may
 * send error {message, exit} and close.  Both send "alive" when they have nothing else to send.
 *
 * A session never blocks: the loop (loop.h) calls meas_session_turn(), which reads messages,
 * hands them to client.c or server.c according to s->state, and gives the run (run/flow.h) a
 * turn while messages are in flight.
 */
#ifndef HEDDLE_VERBS_MEAS_SESSION_H
#define HEDDLE_VERBS_MEAS_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include "util/optab.h"
#include "verbs/meas/control/chan.h"
#include "verbs/meas/expect.h"
#include "verbs/meas/run/counts.h"
#include "verbs/meas/run/flow.h"
#include "verbs/meas/join/join.h"

/* The states, in the order of a session.  A message is accepted only in its state. */
enum meas_state {
	MEAS_HELLO,                     /* no message received yet */
	MEAS_OFFER,                     /* waits for the offer */
	MEAS_NAMES,                     /* client: waits for names.  server: waits for the test */
	MEAS_JOIN,                      /* a connection manager connects the queue pairs */
	MEAS_IDLE,                      /* server: waits for run or bye */
	MEAS_HELD,                      /* server: will be ready when the other clients are */
	MEAS_READY,                     /* client: waits for ready */
	MEAS_RUN,                       /* messages are in flight */
	MEAS_RESULT,                    /* client: waits for the result */
	MEAS_DRAIN,                     /* messages of the other end are still in flight */
	MEAS_ASKED,                     /* server: its child runs a test against another server */
	MEAS_OVER,
};

/* Limits that a server imposes on its clients. */
struct meas_limits {
	uint64_t memory_bytes;
	uint32_t run_ms;                /* the longest run by duration */
	uint32_t session_s;             /* 0: no limit */
	bool relay;                     /* requests for remote tests are accepted */
	uint32_t silence_ms;            /* of servers that it is a client of */
};

struct meas_loop;

struct meas_session {
	bool client;
	struct meas_chan chan;
	struct verbs_choice choice;
	int gid_index;                  /* -1: choose one */
	const struct meas_limits *limits;       /* server */
	const struct meas_expect *expect;       /* client */
	/* client: the operator typed the depth, so it must not be reduced */
	bool typed_depth;
	/* this end's own world, for software adapters of two processes; otherwise NULL */
	struct verbs_world *tunnel;
	uint64_t tunnel_ns;             /* real clock: the world's clock has advanced to here */
	struct meas_loop *loop;         /* the loop that runs the session; NULL: none */
	struct meas_session *child;     /* MEAS_ASKED */
	bool local;                     /* both ends are in this process */
	bool hold;                      /* server: MEAS_HELD until released */
	enum meas_state state;
	struct meas_test test;
	struct meas_end end;
	bool prepared;
	/* lives as long as the connections; NULL: no connection manager */
	struct meas_join *join;
	json_t *early;                  /* server, MEAS_JOIN: the client's early message */
	struct meas_flow flow;
	bool flowing;
	uint64_t begun_ns, deadline_ns; /* real clock; deadline 0: none */
	uint64_t chan_ns;               /* when to check the control connection again */
	char peer_version[32];
	char note[VERBS_WHY_BYTES];     /* what was adapted, for the report; "": nothing */
	/* client: called after each run; may be NULL */
	void (*each)(struct meas_session *s, const struct meas_result *r, void *arg);
	void *arg;
	unsigned nresults;
	struct meas_result results[MEAS_SIZES_MAX];
	enum exit_status status;
	const char *code;               /* of the error, as JSON has it */
	char why[MEAS_FLOW_WHY_BYTES];
};

/* ---- the sessions of a loop (loop.h runs it) ---- */

#define MEAS_SESSIONS_MAX 256

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

/* ---- calls ---- */

/* Takes over 'fd' and copies 'choice', whose world must outlive the session.  A client sets
 * s->test before. */
void meas_session_begin(struct meas_session *s, int fd, const char *peer, uint64_t real_ns,
	uint32_t silence_ms);
/* Does what is possible now; returns how much that was.  At the end s->state is MEAS_OVER, with
 * s->status and s->why. */
int meas_session_turn(struct meas_session *s, uint64_t real_ns);
/* server, MEAS_HELD: starts the run. */
void meas_session_release(struct meas_session *s, uint64_t real_ns);
/* Ends the session from this side, with a sentence for both ends. */
void meas_session_stop(struct meas_session *s, enum exit_status status, const char *code,
	const char *why, uint64_t real_ns);
/* Releases everything except the results. */
void meas_session_end(struct meas_session *s);
void meas_session_free_results(struct meas_session *s);

/* client.c, server.c: handle a message in s->state.  They do not release 'o'. */
void meas_client_take(struct meas_session *s, const char *msg, const json_t *o, uint64_t real_ns);
void meas_server_take(struct meas_session *s, const char *msg, const json_t *o, uint64_t real_ns);
/* Check whether the run has ended at this end. */
void meas_client_look(struct meas_session *s, uint64_t real_ns);
void meas_server_look(struct meas_session *s, uint64_t real_ns);

/* For a session of two processes with software adapters: makes this end's own world and connects
 * it to the other's. */
void meas_session_tunnel(struct meas_session *s, const char *device);
int meas_session_join(struct meas_session *s, uint64_t real_ns, char *why);
/* Lets the tunnel world's clock advance; called often. */
void meas_session_pass(struct meas_session *s, uint64_t real_ns);

/* -EPERM with a sentence when s->test exceeds the server's limits. */
int meas_server_allows(const struct meas_session *s, char *why);
/* relay.c: accepts "ask", and runs the child. */
void meas_relay_take(struct meas_session *s, const json_t *o, uint64_t real_ns);
int meas_relay_turn(struct meas_session *s, uint64_t real_ns);

/* Tells all peers of the loop that this process is about to make a long call that cannot be
 * interrupted. */
void meas_session_busy(struct meas_session *s, uint64_t real_ns);

/* Used by client.c, server.c and relay.c. */
void __attribute__((format(printf, 4, 5))) meas_session_fail(struct meas_session *s,
	enum exit_status status, const char *code, const char *fmt, ...);
void meas_session_say(struct meas_session *s, json_t *o, uint64_t real_ns);
void meas_session_wait(struct meas_session *s, enum meas_state state, uint32_t ms,
	uint64_t real_ns);

#endif
