/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * echo.h - the echo service of heddled: a peer for tests of communication management.
 * Room: sm/echo.  Pure.
 *
 * Developing or testing a connection manager requires a peer that answers.  The echo service
 * accepts every RC or UC connection to one of the configured service IDs, returns the private data
 * of the REQ in the REP, answers a DREQ, and resolves its service IDs (SIDR) to QP 1.  No queue
 * pair is behind a connection: its QPN is from a range that adapters assign last, and the service
 * ends it after cm_connection_s.
 *
 * The protocol itself is in libmad/cm.  This room decides only what to answer and which limits
 * apply.  Datagrams of class 7 come in by echo_receive() and go out by echo_next_send(); both sides
 * have their own timers (echo_deadline()).  The service is off when the configuration does not ask
 * for it, or if another program has registered the class.
 */
#ifndef HEDDLE_SM_ECHO_ECHO_H
#define HEDDLE_SM_ECHO_ECHO_H

#include <jansson.h>
#include "libmad/cm/cm.h"
#include "sm/subnet/subnet.h"

struct services;

struct echo {
	struct cm *cm;                  /* NULL: off */
	char why[IO_WHY_BYTES];         /* why it is off although it is configured; otherwise "" */
	uint64_t resolved;              /* SIDR requests that were answered */
};

/*
 * Starts the service if the configuration asks for it and class 7 was registered; 'why': why it was
 * not, NULL or "".
 */
void echo_begin(struct echo *e, const struct subnet *net, bool class_registered, const char *why);
void echo_free(struct echo *e);
/*
 * Applies the limits of a new configuration.  Service IDs and whether the service is on stay as
 * they were at the start.
 */
void echo_set_conf(struct echo *e, const struct subnet *net);
/* True: the datagram was of class 7, and needs no further handling. */
bool echo_receive(struct echo *e, const struct subnet *net, const struct dgram *d);
/* Runs the timers and answers the messages received. */
void echo_pump(struct echo *e, const struct subnet *net);
/* The next message to send, without retries by the kernel.  False: there is none. */
bool echo_next_send(struct echo *e, struct dgram *d);
bool echo_deadline(const struct echo *e, struct monotime *at);
/* As master, once there is an SA index: announces the service IDs in the SA. */
void echo_register(const struct echo *e, const struct subnet *net, struct services *services);
/* The "cm" object of the status document; NULL for both: there is no port.  The caller owns it. */
json_t *echo_json(const struct echo *e, const struct subnet *net);

#endif
