/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verdict.h - what a case's outcome means: as asked, a known deviation, or a finding.
 * Room: verbs/conform.  Pure.
 */
#ifndef HEDDLE_VERBS_CONFORM_VERDICT_H
#define HEDDLE_VERBS_CONFORM_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

enum conform_status { CONFORM_PASS, CONFORM_FAIL, CONFORM_SKIP, CONFORM_DEVIATION };
#define CONFORM_STATUSES 4

/* A kernel's version as one number that can be compared. */
#define KERNEL(major, minor) ((unsigned)(major) << 16 | (unsigned)(minor))
#define KERNEL_ANY (~0U)

/* What a provider is known to do otherwise, and why that is not our finding. */
struct conform_deviation {
	const char *cases;              /* glob of case names */
	const char *provider;           /* as the back end names it: "rxe", "siw", "mlx5" */
	unsigned kernel_from;           /* KERNEL(), 0: from the first */
	unsigned kernel_below;          /* KERNEL(), KERNEL_ANY: no end */
	/* glob of what comes out; NULL: the case is not run at all there */
	const char *got;
	const char *reason;             /* never NULL or empty */
	/* it depends on the moment: a run without it says nothing of the row */
	bool sometimes;
};

struct conform_outcome {
	const char *name, *provider;
	unsigned kernel;                /* KERNEL(); 0: no kernel takes part */
	const char *expected;           /* alternatives divided by '|' */
	const char *got;
};

struct conform_verdict {
	enum conform_status status;
	bool gone;                      /* the table knows a deviation that was not met */
	const char *reason;             /* of the table or a constant; NULL: none */
};

/* The deviations that are known to us, sorted by nothing; '*n' of them. */
const struct conform_deviation *conform_deviations(size_t *n);

/* True when 'got' is one of the alternatives of 'expected'. */
bool conform_as_expected(const char *expected, const char *got);

/* The row that says not to run the case there; NULL: run it. */
const struct conform_deviation *conform_avoid(const struct conform_deviation *rows, size_t n,
	const char *name, const char *provider, unsigned kernel);

/* What 'o' means beside the 'n' rows. */
struct conform_verdict conform_verdict_make(const struct conform_deviation *rows, size_t n,
	const struct conform_outcome *o);

/* Looks a table over: NULL, or a sentence about the first row that is refused (no reason, no
 * provider, an empty range, no glob).  '*row' is its index. */
const char *conform_deviations_refused(const struct conform_deviation *rows, size_t n, size_t *row);

/* "pass", "fail", "skip", "deviation". */
const char *conform_status_name(enum conform_status s);

/* "6.1.0-56-amd64" as KERNEL(6, 1); 0 when it has no such form. */
unsigned conform_kernel(const char *release);

#endif
