/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * status.h - failures, warnings and findings: the line on stderr, the entry in the document, the
 * exit status.
 * Room: diags/core.
 *
 * Only the main program exits, and only the functions here print errors. The function that detects
 * a failure reports it once, with a stable code, and returns the status; its callers pass the
 * status on. The exit status of the program is the worst status reported: 255 before 2 before 3
 * before 1 before 0.
 */
#ifndef HEDDLE_DIAGS_CORE_STATUS_H
#define HEDDLE_DIAGS_CORE_STATUS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/optab.h" /* enum exit_status */

struct diag;
struct diag_addr;

/* The location of a failure, for errors[]; members may be NULL or 0. */
struct diag_where {
	const struct diag_addr *addr;
	uint64_t node_guid, port_guid;
	int port; /* -1: none */
	const char *name;
	const char *attribute;
	uint32_t modifier;
	uint16_t mad_status;
};
#define DIAG_NOWHERE ((struct diag_where){ .port = -1 })

/*
 * Reports that something failed: "PROGRAM: iberror: failed: TEXT" on stderr, an entry in errors[],
 * and the exit status is at least 'status'. 'code' is a stable word: timeout mad_status rejected
 * bad_reply unsupported not_found config usage no_device io internal. Returns 'status', for "return
 * diag_fail(...)".
 */
int diag_fail(struct diag *d, int status, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Prints the same line for a failure that a request has already reported; nothing is added to
 * errors[]. Returns the status. */
int diag_give_up(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for an operation: "operation WORD: WHAT", with WORD as given. */
int diag_op_failed(struct diag *d, const char *what);
/* Returns the operation as given; without one the tool's name. */
const char *diag_word(const struct diag *d);
/* Reports a warning: "PROGRAM: TEXT" on stderr, an entry in errors[]. The exit status becomes at
 * least 'status' (0: unchanged). */
void diag_warn(struct diag *d, int status, const char *code, const struct diag_where *w,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Reports a finding: an entry in findings[]; severities "warning" and "error" make the exit status
 * at least 1. 'object' names the subject (GUID and port), from which the stable id is made.
 * 'detail' (taken, may be NULL) has the members ends, value, expected. */
void diag_finding(struct diag *d, const char *severity, const char *code, const char *object,
	json_t *detail, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* Returns the id of a finding, which is the same in every run. */
uint64_t diag_finding_id(const char *code, const char *object);
/* Reports a wrong command line: the message, then the text of --help. Returns EXIT_USAGE. */
int diag_usage(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* For tools that run until they are stopped: while hushed, warnings are not printed on stderr but
 * only added to errors[], and no progress is shown. */
void diag_hush(struct diag *d, bool hushed);
/* Returns the entries of errors[] and empties it; the caller owns them. The exit status and
 * "incomplete" stay. */
json_t *diag_errors_take(struct diag *d);
/* Part of the answer is missing: sets "incomplete", and the exit status 3. */
void diag_incomplete(struct diag *d);

/* Returns the worse of two exit statuses, in the order 255, 2, 3, 1, 0. */
int diag_status_worse(int a, int b);
/* Makes the exit status at least 'status'; 3 sets "incomplete" too. */
void diag_status_raise(struct diag *d, int status);
/* Returns the exit status so far. */
int diag_status(const struct diag *d);

/* Adds an entry to errors[] and does nothing else; for diag_usage() and the functions above. */
void diag_error_add(struct diag *d, const char *severity, const char *code,
	const struct diag_where *w, const char *text);

#endif
