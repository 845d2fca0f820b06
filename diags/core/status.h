/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * status.h - failures, warnings and findings: the sentence on stderr, the entry in the document,
 * the exit status.
 * Room: diags/core.
 *
 * Nobody exits and nobody prints errors by himself. Whoever sees a failure reports it here once,
 * with a stable code word, and returns the status; the worst status that was reported is the
 * program's: 255 before 2 before 3 before 1 before 0.
 */
#ifndef HEDDLE_DIAGS_CORE_STATUS_H
#define HEDDLE_DIAGS_CORE_STATUS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "util/optab.h" /* enum exit_status */

struct diag;
struct diag_addr;

/* Where a failure happened, for errors[]; all may be NULL or 0. */
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
/* The same line for a failure that a request has reported already: nothing is added to errors[]. 
 * Returns the status. */
int diag_give_up(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same for an operation: "operation WORD: WHAT", WORD as it was typed. */
int diag_op_failed(struct diag *d, const char *what);
/* The operation as it was typed; without one the tool's name. */
const char *diag_word(const struct diag *d);
/* A warning: "PROGRAM: TEXT" on stderr, an entry in errors[]; the status becomes at least 'status'
 * (0: it stays). */
void diag_warn(struct diag *d, int status, const char *code, const struct diag_where *w,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/*
 * A finding: an entry in findings[], the status at least 1 for severity warning and error. 'object'
 * names what it is about (GUID and port): the stable id is made from it. 'detail' (taken, may be
 * NULL) has ends, value, expected.
 */
void diag_finding(struct diag *d, const char *severity, const char *code, const char *object,
	json_t *detail, const char *fmt, ...) __attribute__((format(printf, 6, 7)));
/* The id of that finding: the same in every run. */
uint64_t diag_finding_id(const char *code, const char *object);
/* A bad command line: the sentence, then --help's text; returns EXIT_USAGE. */
int diag_usage(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * For tools that run until they are stopped. While hushed, warnings are not printed on stderr, only
 * kept in errors[], and there is no progress.
 */
void diag_hush(struct diag *d, bool hushed);
/* Hands over what errors[] holds; it is empty afterwards.  Statuses and "incomplete" stay. */
json_t *diag_errors_take(struct diag *d);
/* Part of the answer is missing: "incomplete" and exit status 3. */
void diag_incomplete(struct diag *d);

/* The worse of two exit statuses: 255, 2, 3, 1, 0. */
int diag_status_worse(int a, int b);
/* The exit status becomes at least 'status'; 3 means "incomplete" too. */
void diag_status_raise(struct diag *d, int status);
int diag_status(const struct diag *d);

/* An entry of errors[] alone; for diag_usage() and the functions above. */
void diag_error_add(struct diag *d, const char *severity, const char *code,
	const struct diag_where *w, const char *text);

#endif
