/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * tool.h - one run of heddle-route: its options, its output, its failures.
 * Room: cli/route.
 *
 * Commands get a struct tool, print text by tool_text(), and add members to t->doc, which is
 * printed at the end if --json is given.  Functions that return an exit status have reported the
 * failure by tool_fail().
 */
#ifndef HEDDLE_CLI_ROUTE_TOOL_H
#define HEDDLE_CLI_ROUTE_TOOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include "util/pool.h"

enum tool_form {
	TOOL_TEXT,
	TOOL_JSON,
	TOOL_LFTS,
	TOOL_SL2VL,
	TOOL_PATH_SL,
	TOOL_DOT,
	TOOL_SVG,
};
enum tool_each { TOOL_LINKS, TOOL_SWITCHES, TOOL_EACH, TOOL_HOSTS };

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
	const char *command; /* its name; NULL: none yet */
	const char *operands[3]; /* TOPOLOGY first; NULL after the last */
	const char *engine, *lfts, *intended, *sl2vl, *path_sl;
	/* files of routing options; NULL: none */
	const char *cn, *io, *tables, *order, *ids, *weights, *ports, *groups;
	bool shift_ports;
	uint32_t scatter; /* 0: off */
	struct tool_list roots, fail;
	uint8_t lmc, vls;
	enum tool_each each;
	uint32_t random; /* 0: each one in turn */
	uint64_t seed;
	uint32_t shifts, permutations, matchings;
	unsigned threads; /* 0: one for each processor */
	struct pool *pool;
	json_t *doc; /* members of the document; the command adds its own */
	json_t *findings; /* sentences: why the exit status is 1 */
};

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
/* Prints the document: t->doc and the members that every document has. */
void tool_document(struct tool *t, int status);

#endif
