/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ibhcatest.h - the program: its commands, what they share of the command line and of reports.
 * Room: verbs/ibhcatest.
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

/* The commands: argv[0] is the command's name.  The exit status. */
int cmd_conform(int argc, char **argv);
int cmd_bw(int argc, char **argv);
int cmd_lat(int argc, char **argv);
int cmd_serve(int argc, char **argv);
int cmd_pair(int argc, char **argv);
int cmd_mesh(int argc, char **argv);

/* ---- the command line ---- */

enum ask_json { ASK_TEXT, ASK_COMPACT, ASK_PRETTY };

struct report;

/* What options may say, for all commands. */
struct ask {
	const char *command;
	/* fills the command's own keys of a document without a result */
	void (*empty)(struct report *r);
	const char *backend;
	char device[VERBS_DEVICE_BYTES + 16];   /* a back end made of -d and -i */
	const char *loop;               /* DEVICE[:PORT] of the other end; NULL: none */
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
	/* an option that means something to a server only, or a port: this end waits */
	bool server_given;
	uint32_t wait_s, silence_ms;
	struct meas_limits limits;
	bool no_relay, both_ways;
	enum ask_json json;
	bool gbits, histogram;
	unsigned noperands;
	char **operands;
	json_t *options;                /* as given, by long names; for the document */
};

/* Sets of options, added. */
enum { ASK_BACKEND = 1, ASK_TEST = 2, ASK_CLIENT = 4, ASK_SERVER = 8, ASK_PEERS = 16, ASK_PAIR = 32,
	ASK_MESH = 64 };

/* Reads the command line of a command with these sets.  -1: go on; else the exit status (--help,
 * --version, or a mistake that was told on stderr and, with --json, as a document). */
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
/* An error: on stderr, in the document and in the status (the worst so far stays). */
void __attribute__((format(printf, 4, 5))) report_error(struct report *r, enum exit_status status,
	const char *code, const char *fmt, ...);
/* A finding: on stdout (text) and in the document; the status is 1 at least. */
void __attribute__((format(printf, 5, 6))) report_finding(struct report *r, const char *code,
	json_t *value, const char *expected, const char *fmt, ...);
/* A line of text; nothing with --json. */
void __attribute__((format(printf, 2, 3))) report_text(const struct report *r, const char *fmt,
	...);
/* Prints the document with --json, frees everything; the exit status. */
int report_end(struct report *r, json_t *summary);
/* Judges a row of results by the terms; 'who' in sentences, may be "". */
void report_judge(struct report *r, const struct meas_expect *e, const json_t *row,
	const char *who);
/* Facts of an end as reports show them. */
json_t *report_facts(const struct meas_facts *f, const struct meas_route *route, bool is_a);
void report_local(struct report *r, const struct meas_facts *f);

/* ---- running, for several commands ---- */

/* A client's test against 'peer' over the connected socket 'fd', with an in-process server when
 * 'server_choice' is not NULL (then 'fd' and 'peer' are ignored). The session is over on return:
 * its results are to be freed with meas_session_free_results(). */
void run_client(struct meas_session *s, const struct verbs_choice *c,
	const struct verbs_choice *server_choice, int fd, const char *peer, uint32_t silence_ms);

/* A server, before anybody comes: is there a device at all?  One that is down is told of, and
 * may come up later. */
bool run_try_device(struct report *r, const struct verbs_choice *c);

#endif
