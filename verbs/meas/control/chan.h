/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chan.h - the control connection: messages in both directions, signs of life, and an end when
 * the peer is silent.
 * Room: verbs/meas/control.
 * In: a connected socket.  Out: messages; or one sentence why there will be none.
 * Promise: no call waits; a peer that says nothing for 'silence_ms' is dead, one that takes in
 * nothing as well.
 */
#ifndef HEDDLE_VERBS_MEAS_CONTROL_CHAN_H
#define HEDDLE_VERBS_MEAS_CONTROL_CHAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "verbs/meas/control/msg.h"

#define MEAS_WHY_BYTES 256
#define MEAS_SILENCE_MS 2000
#define MEAS_BUSY_MAX_MS 60000u
/* perftest's, so that a firewall that lets it through lets this through */
#define MEAS_PORT 18515

struct meas_chan {
	int fd;
	char peer[80];                  /* address, for sentences */
	struct meas_framer in;
	uint8_t *out;
	size_t out_have, out_at, out_room;
	/* what packets go to; NULL: there must be none */
	void (*packet)(void *arg, const uint8_t *b, size_t bytes);
	void *packet_arg;
	uint64_t heard_ns, said_ns;
	uint64_t silence_ns;
	uint64_t patience_ns;           /* it said that it would be silent so long */
	int error;                      /* 0, or why it is over: a negative errno */
	char why[MEAS_WHY_BYTES];
};

/* Takes 'fd' (made non-blocking, closed by meas_chan_close). */
void meas_chan_open(struct meas_chan *c, int fd, const char *peer, uint64_t now_ns,
	uint32_t silence_ms);
void meas_chan_close(struct meas_chan *c);
/* Queues a message and sends what goes.  Takes 'o'.  Nothing after an error. */
void meas_chan_send(struct meas_chan *c, json_t *o, uint64_t now_ns);
/* Tells the other end to expect nothing for 'ms' (at most MEAS_BUSY_MAX_MS): what comes next
 * cannot be interrupted.  The next message ends that. */
void meas_chan_busy(struct meas_chan *c, uint32_t ms, uint64_t now_ns);
/* Queues a packet; one that finds too many before it is lost. */
void meas_chan_packet(struct meas_chan *c, const uint8_t *b, size_t bytes, uint64_t now_ns);
/* Sends, receives, looks at the time. 1: '*o' is a message, to be freed; there may be more.  0:
 * none.  Negative: over, c->why says why; -EPROTO: the peer does not speak our protocol.  A peer
 * that sends without end is read no further than a bound: there may be more in the socket after
 * a 0 as well. */
int meas_chan_turn(struct meas_chan *c, uint64_t now_ns, json_t **o);
/* Milliseconds until meas_chan_turn() has to look at the time again. */
int meas_chan_wait_ms(const struct meas_chan *c, uint64_t now_ns);
/* True while queued bytes wait for the socket. */
bool meas_chan_full(const struct meas_chan *c);
/* Waits at most 'ms' until what was queued is sent; for last words. */
void meas_chan_flush(struct meas_chan *c, int ms);

/* The other end's address as text; "" when it has none. */
void meas_chan_address(const struct meas_chan *c, char *text, size_t bytes);

/* Connects to HOST[:PORT], "[ADDRESS]:PORT" (MEAS_PORT without one), within 'ms'.  A descriptor,
 * or a negative errno with a sentence. */
int meas_dial(const char *host, uint16_t port, int ms, char *why);
/* The same without waiting: the socket may still be connecting, which meas_chan_turn() then
 * finds out. */
int meas_dial_start(const char *host, uint16_t port, char *why);
/* Listens on all addresses; '*bound' is the port.  A non-blocking descriptor, or a negative
 * errno with a sentence. */
int meas_listen(const char *address, uint16_t port, uint16_t *bound, char *why);
/* Splits HOST[:PORT] into 'host' (bytes) and '*port' (kept without one).  -EINVAL: malformed. */
int meas_split_host(const char *text, char *host, size_t bytes, uint16_t *port);

#endif
