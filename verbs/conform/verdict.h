/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verdict.h - the verdict on a case: as expected, a known deviation, or a finding.
 * Room: verbs/conform.  Pure.
 *
 * An outcome that differs from the expectation fails unless a row of deviations.c covers it.  A
 * row that applies but did not occur is reported ('gone'), so that the table shrinks.
 */
#ifndef HEDDLE_VERBS_CONFORM_VERDICT_H
#define HEDDLE_VERBS_CONFORM_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

enum conform_status { CONFORM_PASS, CONFORM_FAIL, CONFORM_SKIP, CONFORM_DEVIATION };
#define CONFORM_STATUSES 4

/* A kernel version as one number that can be compared. */
#define KERNEL(major, minor) ((unsigned)(major) << 16 | (unsigned)(minor))
#define KERNEL_ANY (~0U)

/* A known deviation of a provider, with the reason why it is not a finding. */
struct conform_deviation {
	const char *cases;              /* glob of case names */
	const char *provider;           /* as the back end reports it: "rxe", "siw", "mlx5" */
	unsigned kernel_from;           /* KERNEL(), 0: from the first */
	unsigned kernel_below;          /* KERNEL(), KERNEL_ANY: no upper bound */
	/* glob of the outcome; NULL: the case is never run there */
	const char *got;
	const char *reason;             /* never NULL or empty */
	/* occurs by chance: a run without it proves nothing */
	bool sometimes;
};

struct conform_outcome {
	const char *name, *provider;
	unsigned kernel;                /* KERNEL(); 0: no kernel is involved */
	const char *expected;           /* alternatives divided by '|' */
	const char *got;
};

struct conform_verdict {
	enum conform_status status;
	bool gone;                      /* a deviation of the table did not occur */
	const char *reason;             /* from the table or a constant; NULL: none */
};

/* The known deviations in no particular order; '*n' of them. */
const struct conform_deviation *conform_deviations(size_t *n);

/* True when 'got' is one of the alternatives of 'expected'. */
bool conform_as_expected(const char *expected, const char *got);

/* The row that forbids running the case there; NULL: run it. */
const struct conform_deviation *conform_avoid(const struct conform_deviation *rows, size_t n,
	const char *name, const char *provider, unsigned kernel);

/* The verdict on 'o', given 'n' known deviations. */
struct conform_verdict conform_verdict_make(const struct conform_deviation *rows, size_t n,
	const struct conform_outcome *o);

/* Validates a table.  NULL, or a sentence about the first invalid row (no reason, no provider,
 * an empty range, no glob); '*row' is its index. */
const char *conform_deviations_refused(const struct conform_deviation *rows, size_t n, size_t *row);

/* "pass", "fail", "skip", "deviation". */
const char *conform_status_name(enum conform_status s);

/* "6.1.0-56-amd64" as KERNEL(6, 1); 0 if the text has another form. */
unsigned conform_kernel(const char *release);

#endif
