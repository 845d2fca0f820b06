/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * remote.h - asking a server for a test towards another one.
 * Room: verbs/meas.
 */
#ifndef HEDDLE_VERBS_MEAS_REMOTE_H
#define HEDDLE_VERBS_MEAS_REMOTE_H

#include <jansson.h>
#include <stdbool.h>
#include "verbs/meas/session.h"

struct meas_remote {
	enum exit_status status;        /* of the test, or EXIT_PARTIAL when there was none */
	const char *code;               /* of the error */
	bool unreachable;               /* the asked server itself does not answer */
	bool unanswered;                /* the other one does not answer the asked one */
	char why[512];                  /* "" when all went well */
	char emulated[200];             /* "" when speeds mean something */
	json_t *rows;                   /* never NULL; the caller's, json_decref() */
};

/* Asks HOST for 't' towards 'to' (HOST[:PORT], as HOST knows it).  Waits: each step has a limit. */
void meas_remote_test(const char *host, uint16_t port, const char *to, const struct meas_test *t,
	uint32_t silence_ms, struct meas_remote *a);

#endif
