/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * client.h - one call to a running heddled at a time.
 * Room: ctlclient (prefix client_).  Blocks, at most CLIENT_WAIT_S seconds for each step of an
 * answer.
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
	CLIENT_BROKEN,                  /* it went away, or what it says is no Varlink */
	CLIENT_ERROR,                   /* it answered with an error */
};

/* How a call ended. */
struct client_answer {
	enum client_end end;
	char error[96];                 /* CLIENT_ERROR: the error's name */
	json_t *params;                 /* of the reply or of the error, NULL none; owned */
	char why[CLIENT_WHY_BYTES];     /* not CLIENT_OK: a sentence */
};

/* Connects to 'path', calls, disconnects.  'params' is borrowed and may be NULL. */
void client_call(const char *path, const char *method, json_t *params, struct client_answer *a);
/* The same in two steps, so that there is something to do meanwhile: a descriptor that
 * client_finish() takes, < 0: it ended already. */
int client_begin(const char *path, const char *method, json_t *params, struct client_answer *a);
void client_finish(int fd, struct client_answer *a);
void client_answer_clear(struct client_answer *a);

#endif
