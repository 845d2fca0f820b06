/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * check.h - the quick check of a pair: latency, bandwidth, and whether the data arrive
 * unchanged.
 * Room: verbs/ibhcatest.
 *
 * A check is three short measurements, one per enum check_step.
 * If one end is a device here, this program is that end; otherwise it requests the test from the
 * server of the first end (verbs/meas/remote.h).  cmd_pair.c runs one check or a matrix of them and
 * compares the results with --expect (check_verdict()).
 */
#ifndef HEDDLE_VERBS_IBHCATEST_CHECK_H
#define HEDDLE_VERBS_IBHCATEST_CHECK_H

#include "verbs/ibhcatest/ibhcatest.h"

/* An end of a pair: HOST[:PORT] where 'ibhcatest serve' runs, or a device here ("soft",
 * "verbs:DEVICE[:PORT]"). */
struct check_end {
	const char *name;               /* as typed */
	bool here;
	char host[256];
	uint16_t port;
	bool down;                      /* it did not answer and is not contacted again */
};

enum check_step { CHECK_LATENCY, CHECK_BANDWIDTH, CHECK_DATA, CHECK_STEPS };

struct check {
	const struct check_end *a, *b;
	enum exit_status status;        /* the worst of the steps */
	const char *word;               /* "ok", "failed", "unanswered", "skipped" */
	const char *code;
	char why[512];                  /* "": success */
	char emulated[200];
	json_t *rows[CHECK_STEPS];      /* NULL: the step has no result */
};

/* Parses an end.  -EINVAL with a sentence when 'text' is neither form. */
int check_end_parse(struct check_end *e, const char *text, uint16_t port, char *why,
	size_t why_bytes);
/* Runs the steps from 'a' to 'b'.  Marks an end that does not answer as down, so that later
 * checks skip it. */
void check_run(struct check *c, const struct ask *ask, struct check_end *a, struct check_end *b);
/* Frees the rows of 'c'. */
void check_clear(struct check *c);
/* The pair as JSON: a, b, status, the three rows. */
json_t *check_json(const struct check *c);
/* Checks the data and the terms of --expect (times against the latency step, bandwidth against
 * the bandwidth step, counts against all).  Refuses a term on an emulated speed (exit 2). */
void check_verdict(struct report *r, const struct meas_expect *e, struct check *c);
/* Reads a figure.  False: the check has none. */
bool check_figure(const struct check *c, enum meas_figure f, double *v);

#endif
