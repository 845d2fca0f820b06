/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * session.h - one test between two ends, from "hello" to "bye": what each of them is in the
 * middle of.
 * Room: verbs/meas.
 *
 * 	client                                  server
 * 	hello {protocol, version}       <->     hello
 * 	offer {facts}                    ->     opens its device
 * 	chooses a route                 <-      offer {facts, gid_index}
 * 	test {test, route, names}        ->     makes queue pairs, connects them or listens with a manager
 * 	connects, or asks the manager   <-      names {..., join}
 * 	run {run, size}                  ->     readies memory and receives
 * 	sends                           <-      ready
 * 	done {sent, rates}               ->     waits for what is under way
 * 	                                <-      result {counts, sent, ...}
 * 	... run again, or bye
 *
 * Instead of an offer, ask {to, test}: the server runs the test as a client of another server
 * and says answer {rows, status, why}. Either may say error {message, exit} and go.  Both say
 * "alive" when they have nothing else to say.
 */
#ifndef HEDDLE_VERBS_MEAS_SESSION_H
#define HEDDLE_VERBS_MEAS_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include "util/optab.h"
#include "verbs/meas/control/chan.h"
#include "verbs/meas/expect.h"
#include "verbs/meas/run/flow.h"
#include "verbs/meas/join/join.h"

/* In order of what comes; a message is only taken in the state that it is for. */
enum meas_state {
	MEAS_HELLO,                     /* nothing was heard */
	MEAS_OFFER,                     /* client: waits for the offer.  server: likewise */
	MEAS_NAMES,                     /* client: waits for names.  server: for the test */
	MEAS_JOIN,                      /* a connection manager is at work */
	MEAS_IDLE,                      /* server: waits for run or bye */
	MEAS_HELD,                      /* server: is to be ready when the other clients are */
	MEAS_READY,                     /* client: waits for ready */
	MEAS_RUN,                       /* messages are under way */
	MEAS_RESULT,                    /* client: waits for the result */
	MEAS_DRAIN,                     /* what the other end sent is still to come */
	MEAS_ASKED,                     /* server: its child runs a test towards another server */
	MEAS_OVER,
};

/* What a run came to. */
struct meas_result {
	uint32_t size;
	uint64_t iterations;            /* measured, of all queue pairs */
	/* of what the client, and with 'bidirectional' the server, sent */
	struct meas_rates rates, peer_rates;
	struct meas_counts counts, peer_counts;
	struct meas_bad bad, peer_bad;
	struct meas_hist *hist;         /* of the client */
};

/* What a server allows its clients. */
struct meas_limits {
	uint64_t memory_bytes;
	uint32_t run_ms;                /* the longest run by duration */
	uint32_t session_s;             /* 0: no limit */
	bool relay;                     /* ask is answered */
	uint32_t silence_ms;            /* of those that it is a client of */
};

struct meas_loop;

struct meas_session {
	bool client;
	struct meas_chan chan;
	struct verbs_choice choice;
	int gid_index;                  /* -1: chosen */
	const struct meas_limits *limits;       /* server */
	const struct meas_expect *expect;       /* client */
	/* client: the operator chose the depth, so it is not shrunk */
	bool typed_depth;
	/* software adapters of two processes: this end's own world, else NULL */
	struct verbs_world *tunnel;
	uint64_t tunnel_ns;             /* real clock: so far its clock has been moved */
	struct meas_loop *loop;         /* that turns it; NULL: none */
	struct meas_session *child;     /* MEAS_ASKED */
	bool local;                     /* both ends are in this process */
	bool hold;                      /* server: MEAS_HELD until released */
	enum meas_state state;
	struct meas_test test;
	struct meas_end end;
	bool prepared;
	/* as long as the connections are to live; NULL: there is no manager */
	struct meas_join *join;
	json_t *early;                  /* server, MEAS_JOIN: the client is ready sooner */
	struct meas_flow flow;
	bool flowing;
	uint64_t begun_ns, deadline_ns; /* real clock; deadline 0: none */
	uint64_t chan_ns;               /* when to look at the control connection again */
	char peer_version[32];
	char note[VERBS_WHY_BYTES];     /* something was adapted; "" nothing */
	/* client: after each run; may be NULL */
	void (*each)(struct meas_session *s, const struct meas_result *r, void *arg);
	void *arg;
	unsigned nresults;
	struct meas_result results[MEAS_SIZES_MAX];
	enum exit_status status;
	const char *code;               /* of the error, as JSON has it */
	char why[MEAS_FLOW_WHY_BYTES];
};

/* Takes 'fd'.  'choice' is copied; its world must outlive the session.  A client's test is in
 * s->test before. */
void meas_session_begin(struct meas_session *s, int fd, const char *peer, uint64_t real_ns,
	uint32_t silence_ms);
/* Does what can be done now; how much that was.  s->state is MEAS_OVER at the end, with
 * s->status and s->why. */
int meas_session_turn(struct meas_session *s, uint64_t real_ns);
/* server, MEAS_HELD: go. */
void meas_session_release(struct meas_session *s, uint64_t real_ns);
/* Ends it from this side with a sentence for both. */
void meas_session_stop(struct meas_session *s, enum exit_status status, const char *code,
	const char *why, uint64_t real_ns);
/* Gives everything back but the results. */
void meas_session_end(struct meas_session *s);
void meas_session_free_results(struct meas_session *s);

/* client.c, server.c: take a message; s->state says which are possible.  Both free nothing. */
void meas_client_take(struct meas_session *s, const char *msg, const json_t *o, uint64_t real_ns);
void meas_server_take(struct meas_session *s, const char *msg, const json_t *o, uint64_t real_ns);
/* Look whether the run has ended at this end. */
void meas_client_look(struct meas_session *s, uint64_t real_ns);
void meas_server_look(struct meas_session *s, uint64_t real_ns);

/* Makes this end of a session between two processes with software adapters its own world, and
 * joins it to the other's. */
void meas_session_tunnel(struct meas_session *s, const char *device);
int meas_session_join(struct meas_session *s, uint64_t real_ns, char *why);
/* Lets the time of a tunnel's world pass; called often. */
void meas_session_pass(struct meas_session *s, uint64_t real_ns);

/* -EPERM with a sentence when s->test goes beyond the server's limits. */
int meas_server_allows(const struct meas_session *s, char *why);
/* relay.c: takes ask; goes on with the child. */
void meas_relay_take(struct meas_session *s, const json_t *o, uint64_t real_ns);
int meas_relay_turn(struct meas_session *s, uint64_t real_ns);

/* Before something that takes long and cannot be interrupted: tells all peers of the loop. */
void meas_session_busy(struct meas_session *s, uint64_t real_ns);

/* What both use. */
void __attribute__((format(printf, 4, 5))) meas_session_fail(struct meas_session *s,
	enum exit_status status, const char *code, const char *fmt, ...);
void meas_session_say(struct meas_session *s, json_t *o, uint64_t real_ns);
void meas_session_wait(struct meas_session *s, enum meas_state state, uint32_t ms,
	uint64_t real_ns);

#endif
