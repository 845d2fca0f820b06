/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ask.h - one request to a running server.
 * Room: sim/serve.
 *
 * `heddle-sim ctl` and other commands send a request here and wait for its reply: one JSON object
 * per line and direction, on the server's socket "ctl".  operators.c is the server's end, and
 * commands.c has the commands.
 */
#ifndef HEDDLE_SIM_SERVE_ASK_H
#define HEDDLE_SIM_SERVE_ASK_H

#include <jansson.h>
#include "sim/serve/place.h"

/*
 * Sends 'command' with its 'n' arguments to the server with the directory 'dir' and blocks until
 * the reply.  Returns 0 and '*result' (the caller releases it; NULL if there is none), -EINVAL if
 * the server refused the command or the command is no valid text, -EIO if the server cannot be
 * reached; 'why' then has a sentence.
 */
int ask_server(const char *dir, const char *command, unsigned n, char *const *args, json_t **result,
	char why[PLACE_WHY]);

#endif
