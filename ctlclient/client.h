/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * client.h - one call to a running heddled at a time.
 * Room: ctlclient (prefix client_).
 *
 * A call connects to the control socket, sends one Varlink call and reads its reply.  Each step
 * of a reply may block for CLIENT_WAIT_S seconds.  The result is a struct client_answer: it says
 * how the call ended and owns the reply's parameters.
 */
#ifndef HEDDLE_CTLCLIENT_CLIENT_H
#define HEDDLE_CTLCLIENT_CLIENT_H

#include <jansson.h>
#include <stddef.h>

#define CLIENT_WAIT_S 30
#define CLIENT_WHY_BYTES 256

enum client_end {
	CLIENT_OK,
	CLIENT_UNREACHABLE,             /* nobody listens, or no permission */
	CLIENT_BROKEN,                  /* the connection broke, or the reply is not Varlink */
	CLIENT_ERROR,                   /* it answered with an error */
};

/* How a call ended. */
struct client_answer {
	enum client_end end;
	char error[96];                 /* CLIENT_ERROR: name of the error */
	json_t *params;                 /* of the reply or the error; NULL: none; owned */
	char why[CLIENT_WHY_BYTES];     /* not CLIENT_OK: a sentence */
};

/* Connects to 'path', calls, disconnects.  'params' is borrowed and may be NULL. */
void client_call(const char *path, const char *method, json_t *params, struct client_answer *a);
/* The same in two steps, so that the caller can work in between.  Returns a descriptor for
 * client_finish(); < 0: the call has ended already. */
int client_begin(const char *path, const char *method, json_t *params, struct client_answer *a);
void client_finish(int fd, struct client_answer *a);
void client_answer_clear(struct client_answer *a);

#endif
