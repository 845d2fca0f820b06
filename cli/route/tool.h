/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tool.h - one run of heddle-route: its options, its output, its errors.
 * Room: cli/route (prefixes: the names of the files).
 *
 * heddle-route computes, checks and compares forwarding tables without a fabric: from a topology
 * and, if wanted, from tables in a file.  It sends nothing and stores nothing.  Everything but
 * main() is in tool_run(), with its output as parameters, so that tests call it in their own
 * process.
 *
 * A command is a row of 'commands' in tool.c and a file cmd_NAME.c.  It opens a scene (scene.h: the
 * topology, whole and after the failures), makes a view of it (view.h: LIDs, tables, verdict), and
 * shows the result twice: as text, and as members of t->doc for --json.  Functions that return an
 * exit status have reported the failure by tool_fail().
 */
#ifndef HEDDLE_CLI_ROUTE_TOOL_H
#define HEDDLE_CLI_ROUTE_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include "util/pool.h"

enum tool_form { TOOL_TEXT, TOOL_JSON, TOOL_LFTS, TOOL_DOT, TOOL_SVG };
enum tool_each { TOOL_LINKS, TOOL_SWITCHES, TOOL_EACH };

#define TOOL_LIST_MAX 64
#define TOOL_WHY_BYTES 256

/* An option that can be given several times. */
struct tool_list {
	const char *v[TOOL_LIST_MAX];
	unsigned n;
};

struct tool {
	FILE *out, *err;
	struct timespec start;
	enum tool_form form;
	const char *command;            /* its name; NULL: none yet */
	const char *operands[3];        /* TOPOLOGY first; NULL after the last */
	const char *engine, *lfts, *intended, *sl2vl, *path_sl;
	struct tool_list roots, fail;
	uint8_t lmc;
	enum tool_each each;
	uint32_t random;                /* 0: each one in turn */
	uint64_t seed;
	uint32_t shifts, permutations, matchings;
	unsigned threads;               /* 0: one for each processor */
	struct pool *pool;
	json_t *doc;                    /* members of the document; the command adds its own */
	json_t *findings;               /* sentences: why the exit status is 1 */
};

/* Runs one command line (argv[0] is the program's name).  Writes results to 'out' and errors to
 * 'err'.  Returns the exit status. */
int tool_run(int argc, char **argv, FILE *out, FILE *err);

/* Reports a failure: "heddle-route: " and the sentence on standard error, and in the document.
 * 'code' is the word for the document.  Returns 'status'. */
int tool_fail(struct tool *t, int status, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Notes why the exit status is 1: a line of text, and an entry of findings[] in the document. */
void tool_finding(struct tool *t, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Something that does not change the exit status: a line of text, and a sentence of notes[]. */
void tool_note(struct tool *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints to 'out' if the form is text. */
void tool_text(struct tool *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
