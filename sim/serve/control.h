/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * control.h - what operators ask of a running server: lines of JSON over the socket "ctl".
 * Room: sim/serve.
 *
 * Request: {"command": "pull", "arguments": ["host-1:1"]}.  Reply: {"ok": true, "result": {...}} or
 * {"ok": false, "error": "one sentence"}.  One line each, in order.
 */
#ifndef HEDDLE_SIM_SERVE_CONTROL_H
#define HEDDLE_SIM_SERVE_CONTROL_H

#include <jansson.h>
#include "sim/serve/server.h"

#define CONTROL_WHY 256

struct control_command {
	const char *name, *usage, *help;
	unsigned min_args, max_args;
	/* 0 and perhaps '*result' (owned by the caller), or a negative errno and a sentence. */
	int (*run)(struct server *s, unsigned n, const char *const *args, json_t **result, char why[CONTROL_WHY]);
	bool hidden;                    /* of our own programs, not for people */
};

/* The i-th command, NULL past the last. */
const struct control_command *control_command(unsigned i);
const struct control_command *control_command_find(const char *name);

/* Runs the request of one line; the reply is the caller's. */
json_t *control_answer(struct server *s, const char *line, size_t bytes);

#endif
