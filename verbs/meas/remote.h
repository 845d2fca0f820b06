/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * remote.h - lets a server run a test against another server, for a requester that is neither
 * end.
 * Room: verbs/meas.
 *
 * The requester sends the test and the name of the other server to the first server, which runs the
 * test as a client of the other one and returns the rows.  So any pair of hosts can be measured
 * from a third one.  A server does this only if it is configured to.  This file is the requester's
 * side, relay.c the server's.
 */
#ifndef HEDDLE_VERBS_MEAS_REMOTE_H
#define HEDDLE_VERBS_MEAS_REMOTE_H

#include <jansson.h>
#include <stdbool.h>
#include "verbs/meas/session.h"

struct meas_remote {
	enum exit_status status;        /* of the test, or EXIT_PARTIAL when there was none */
	const char *code;               /* of the error */
	bool unreachable;               /* the requested server does not answer */
	bool unanswered;                /* the other server does not answer the requested one */
	char why[512];                  /* "": success */
	char emulated[200];             /* "" when speeds are meaningful */
	json_t *rows;                   /* never NULL; the caller releases it with json_decref() */
};

/* Requests from HOST the test 't' against 'to' (HOST[:PORT], as HOST knows it).  Blocks; each
 * step has a limit. */
void meas_remote_test(const char *host, uint16_t port, const char *to, const struct meas_test *t,
	uint32_t silence_ms, struct meas_remote *a);

#endif
