/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibhcatest.h - the program: its commands, the options they share, the documents they print.
 * Room: verbs/ibhcatest.
 *
 * Every command reads its options with ask_read() into a struct ask, collects results, errors
 * and findings in a struct report, and returns report_end().  Exactly one JSON document is
 * printed with --json, also after mistakes.  The measurements themselves are in verbs/meas, the
 * conformance cases in verbs/conform.
 */
#ifndef HEDDLE_VERBS_IBHCATEST_IBHCATEST_H
#define HEDDLE_VERBS_IBHCATEST_IBHCATEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/optab.h"
#include "verbs/backend/backend.h"
#include "verbs/meas/expect.h"
#include "verbs/meas/loop.h"
#include "verbs/meas/row.h"
#include "verbs/meas/run/test.h"

int ibhcatest_main(int argc, char **argv);

/* The commands.  argv[0] is the command's name; they return the exit status. */
int cmd_conform(int argc, char **argv);
int cmd_bw(int argc, char **argv);
int cmd_lat(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_pair(int argc, char **argv);
int cmd_mesh(int argc, char **argv);

/* ---- the command line ---- */

enum ask_json { ASK_TEXT, ASK_COMPACT, ASK_PRETTY };

struct report;

/* Values of the options, for all commands. */
struct ask {
	const char *command;
	/* adds the command's own keys to a document without results */
	void (*empty)(struct report *r);
	const char *backend;
	char device[VERBS_DEVICE_BYTES + 16];   /* back end made of -d and -i */
	/* DEVICE[:PORT] of the other end in this process; NULL: none */
	const char *loop;
	const char *bind;
	uint16_t port;
	int gid_index;
	unsigned ib_port;
	struct meas_test test;
	bool typed_depth, typed_iterations, typed_size, typed_memory, typed_warmup, all_sizes;
	struct meas_expect expect;
	const char *expects[MEAS_TERMS_MAX];    /* as typed, until the mode is known */
	unsigned nexpects;
	unsigned clients;
	/* an option for servers only, or a port, was given: this end waits */
	bool server_given;
	uint32_t wait_s, silence_ms;
	struct meas_limits limits;
	bool no_relay, both_directions;
	enum ask_json json;
	bool gbits, histogram;
	unsigned noperands;
	char **operands;
	json_t *options;                /* as given, by long names; for the document */
};

/* Sets of options; add them up. */
enum { ASK_BACKEND = 1, ASK_TEST = 2, ASK_CLIENT = 4, ASK_SERVER = 8, ASK_PEERS = 16, ASK_PAIR = 32,
	ASK_MESH = 64 };

/* Reads the command line of a command that has these sets of options.  -1: continue.  Otherwise
 * the exit status, after --help, --version or a mistake (which is printed to stderr and, with
 * --json, as a document). */
int ask_read(struct ask *a, const char *command, const char *about, const char *const *usage,
	unsigned sets, void (*empty)(struct report *r), int argc, char **argv);
void ask_clear(struct ask *a);

/* ---- the document ---- */

struct report {
	const struct ask *ask;
	const char *schema;             /* "heddle.ibhcatest_bw" */
	json_t *doc;                    /* the command's own keys */
	json_t *errors, *findings, *local;
	uint64_t begun_ns;
	bool incomplete;
	enum exit_status status;
};

void report_begin(struct report *r, const struct ask *a, const char *schema);
/* Adds an error: to stderr, to the document and to the status (the worst one counts). */
void __attribute__((format(printf, 4, 5))) report_error(struct report *r, enum exit_status status,
	const char *code, const char *fmt, ...);
/* Adds a finding: to stdout as text, and to the document; the status becomes at least 1. */
void __attribute__((format(printf, 5, 6))) report_finding(struct report *r, const char *code,
	json_t *value, const char *expected, const char *fmt, ...);
/* Prints text; nothing with --json. */
void __attribute__((format(printf, 2, 3))) report_text(const struct report *r, const char *fmt,
	...);
/* Prints the document with --json and frees the report.  Returns the exit status. */
int report_end(struct report *r, json_t *summary);
/* Checks a row of results against the terms; 'who' begins the sentences and may be "". */
void report_verdict(struct report *r, const struct meas_expect *e, const json_t *row,
	const char *who);
/* The facts of an end as reports show them; a new object. */
json_t *report_facts(const struct meas_facts *f, const struct meas_route *route, bool is_a);
void report_local(struct report *r, const struct meas_facts *f);

/* ---- running, for several commands ---- */

/* Runs a client's test against 'peer' over the connected socket 'fd', or against a server in
 * this process if 'server_choice' is not NULL ('fd' and 'peer' are then ignored).  On return the
 * session is over; the caller frees its results with meas_session_free_results(). */
void run_client(struct meas_session *s, const struct verbs_choice *c,
	const struct verbs_choice *server_choice, int fd, const char *peer, uint32_t silence_ms);

/* Before a server starts: checks that there is a device.  A port that is down is reported; it
 * may come up later. */
bool run_try_device(struct report *r, const struct verbs_choice *c);

#endif
