/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * control.h - commands for a running server: lines of JSON over the socket "ctl".
 * Room: sim/serve.
 *
 * Request: {"command": "pull", "arguments": ["host-1:1"]}.  Reply: {"ok": true, "result": {...}} or
 * {"ok": false, "error": "one sentence"}.  Each is one line, and replies are in the order of the
 * requests.  A command is a row of the table in commands.c; operators.c has the connections, and
 * timeline.c executes the same commands from a script.
 */
#ifndef HEDDLE_SIM_SERVE_CONTROL_H
#define HEDDLE_SIM_SERVE_CONTROL_H

#include <jansson.h>
#include "sim/serve/server.h"

#define CONTROL_WHY 256
#define CONTROL_ARGS 32

struct control_command {
	const char *name, *usage, *help;
	unsigned min_args, max_args;
	/* 0 and perhaps '*result' (owned by the caller), or a negative errno and a sentence. */
	int (*run)(struct server *s, unsigned n, const char *const *args, json_t **result,
		char why[CONTROL_WHY]);
	bool hidden;                    /* only for programs of heddle-sim; not in --help */
};

/* Returns the i-th command, or NULL after the last. */
const struct control_command *control_command(unsigned i);
const struct control_command *control_command_find(const char *name);

/* ---- args.c: the arguments of a command; 0, or a negative errno and a sentence ---- */
int control_arg_node(struct server *s, const char *word, uint32_t *node, char why[CONTROL_WHY]);
int control_arg_port(struct server *s, const char *word, uint32_t *node, uint8_t *port,
	char why[CONTROL_WHY]);
/* Accepts integers from 0 to 'max'. */
int control_arg_number(const char *word, int64_t max, int64_t *n, char why[CONTROL_WHY]);
/* Writes the sentence 'fmt', which has one %s for 'word', into 'why'; returns 'error'. */
int control_refuse(char why[CONTROL_WHY], int error, const char *fmt, const char *word);
/* Accepts a percentage, also with a fraction; the value is in parts per million. */
int control_arg_percent(const char *word, uint32_t *ppm, char why[CONTROL_WHY]);
/* Accepts the word of an enum hw_extended_speeds.  Returns 0 or -EINVAL. */
int control_extended_speeds(const char *word, enum hw_extended_speeds *e);

/* ---- load.c: commands about counters and traffic ---- */
int load_traffic(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY]);
int load_errors(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY]);
int load_vl_tables(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY]);
int load_counters(struct server *s, unsigned n, const char *const *args, json_t **result,
	char why[CONTROL_WHY]);

/* Runs a command.  Returns 0 and perhaps '*result', or a negative errno and a sentence. */
int control_run(struct server *s, const char *name, unsigned n, const char *const *args,
	json_t **result,
	char why[CONTROL_WHY]);

/* Runs the request in one line and returns the reply, which the caller releases. */
json_t *control_answer(struct server *s, const char *line, size_t bytes);

#endif
