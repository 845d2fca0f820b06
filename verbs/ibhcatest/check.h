/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * check.h - the quick check of a pair: latency, bandwidth, and whether what arrives is what was
 * sent.
 * Room: verbs/ibhcatest.
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
	bool down;                      /* it did not answer: it is not asked again */
};

enum check_step { CHECK_LATENCY, CHECK_BANDWIDTH, CHECK_DATA, CHECK_STEPS };

struct check {
	const struct check_end *a, *b;
	enum exit_status status;        /* the worst of the steps */
	const char *word;               /* "ok", "failed", "unanswered", "skipped" */
	const char *code;
	char why[512];                  /* "" when all went well */
	char emulated[200];
	json_t *rows[CHECK_STEPS];      /* NULL: that step did not come to a result */
};

/* -EINVAL with a sentence when 'text' is neither. */
int check_end_parse(struct check_end *e, const char *text, uint16_t port, char *why,
	size_t why_bytes);
/* Runs the steps from 'a' to 'b'.  Marks an end that does not answer as down. */
void check_run(struct check *c, const struct ask *ask, struct check_end *a, struct check_end *b);
void check_clear(struct check *c);
/* The pair as JSON: a, b, status, the three rows. */
json_t *check_json(const struct check *c);
/* Reads and judges: data, and the terms of --expect (times of the latency step, bandwidth of the
 * bandwidth step, counts of all). A term on speed that was emulated is refused (exit 2). */
void check_judge(struct report *r, const struct meas_expect *e, struct check *c);
/* Its figure; false: it has none. */
bool check_figure(const struct check *c, enum meas_figure f, double *v);

#endif
