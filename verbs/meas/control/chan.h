/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chan.h - the control connection: messages in both directions over TCP.
 * Room: verbs/meas/control.
 *
 * A channel owns a connected socket, frames messages (msg.h), sends signs of life and detects a
 * dead peer: one that is silent for 'silence_ms', or that reads nothing.  No call waits, except
 * those of dial.c and meas_chan_flush(), which have a limit.  Errors are sticky: after the first
 * one c->why is a sentence and nothing more is sent or received.
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
/* that of perftest, so that firewalls that allow it allow this */
#define MEAS_PORT 18515

struct meas_chan {
	int fd;
	char peer[80];                  /* address, for messages */
	struct meas_framer in;
	uint8_t *out;
	size_t out_have, out_at, out_room;
	/* receives packets; NULL: the peer must send none */
	void (*packet)(void *arg, const uint8_t *b, size_t bytes);
	void *packet_arg;
	uint64_t heard_ns, said_ns;
	uint64_t silence_ns;
	uint64_t patience_ns;           /* the peer announced that it would be silent this long */
	int error;                      /* 0, or a negative errno: the channel is dead */
	char why[MEAS_WHY_BYTES];
};

/* Takes over 'fd': makes it non-blocking; meas_chan_close() closes it. */
void meas_chan_open(struct meas_chan *c, int fd, const char *peer, uint64_t now_ns,
	uint32_t silence_ms);
void meas_chan_close(struct meas_chan *c);
/* Queues a message and sends as much as the socket takes.  Takes over 'o'.  Does nothing after
 * an error. */
void meas_chan_send(struct meas_chan *c, json_t *o, uint64_t now_ns);
/* Announces that this end will be silent for 'ms' (at most MEAS_BUSY_MAX_MS) because of a call
 * that cannot be interrupted.  The next message ends that. */
void meas_chan_busy(struct meas_chan *c, uint32_t ms, uint64_t now_ns);
/* Queues a packet; drops it if too many are queued. */
void meas_chan_packet(struct meas_chan *c, const uint8_t *b, size_t bytes, uint64_t now_ns);
/* Sends, receives, checks timeouts.  1: '*o' is a message that the caller frees; there may be
 * more.  0: none.  Negative: the channel is dead, c->why says why; -EPROTO: the peer does not
 * speak the protocol.  One call reads a bounded number of bytes, so the socket may hold more
 * after a 0. */
int meas_chan_turn(struct meas_chan *c, uint64_t now_ns, json_t **o);
/* Milliseconds until the next call of meas_chan_turn() is due. */
int meas_chan_wait_ms(const struct meas_chan *c, uint64_t now_ns);
/* True while queued bytes wait for the socket. */
bool meas_chan_full(const struct meas_chan *c);
/* Waits at most 'ms' until the queue is sent, for a last message. */
void meas_chan_flush(struct meas_chan *c, int ms);

/* The other end's address as text; "" when it has none. */
void meas_chan_address(const struct meas_chan *c, char *text, size_t bytes);

/* Connects to HOST[:PORT] or "[ADDRESS]:PORT" (default MEAS_PORT) within 'ms'.  A descriptor, or
 * a negative errno with a sentence. */
int meas_dial(const char *host, uint16_t port, int ms, char *why);
/* Begins to connect without waiting; meas_chan_turn() reports a failure. */
int meas_dial_start(const char *host, uint16_t port, char *why);
/* Listens on all addresses, or on 'address'; '*bound' is the port.  A non-blocking descriptor,
 * or a negative errno with a sentence. */
int meas_listen(const char *address, uint16_t port, uint16_t *bound, char *why);
/* Splits HOST[:PORT] into 'host' (bytes) and '*port' (unchanged without one).  -EINVAL:
 * malformed. */
int meas_split_host(const char *text, char *host, size_t bytes, uint16_t *port);

#endif
