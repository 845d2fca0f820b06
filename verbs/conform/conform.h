/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * conform.h - conformance runs: compare what a verbs device does with what the specification
 * demands.
 * Room: verbs/conform.
 *
 * A case owns both ends of a connection in one thread, provokes one situation and reports the
 * outcome as words.  The table of cases (verbs/conform/cases) holds the outcome that the
 * specification demands, in the same words; deviations.c holds what providers are known to do
 * differently.  The runner executes the cases one by one (runner.c), compares (verdict.c) and
 * reports (report.c).  Cases are written with verbs/conform/kit.
 *
 * Invariants: every case ends; no case leaves an object behind; a case that cannot run on a
 * device is skipped with the reason.
 */
#ifndef HEDDLE_VERBS_CONFORM_CONFORM_H
#define HEDDLE_VERBS_CONFORM_CONFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "verbs/conform/kit/target.h"
#include "verbs/conform/verdict.h"

#define CONFORM_SEED 1
#define CONFORM_LIMIT_S 600

struct conform_case;

struct conform_result {
	const char *name, *expected;
	const char *area;               /* the name up to its first '/': 'area_length' letters */
	int area_length;
	enum conform_status status;
	bool gone;                      /* the table has a deviation for it that did not occur */
	char reason[160];               /* empty: no reason */
	char got[CONFORM_WORDS_MAX];    /* empty when the case was skipped */
};

struct conform_options {
	/* by name; NULL: the first, and another on its wire or the same one */
	const char *device, *peer;
	const char *provider;           /* selects deviations; NULL: the target's provider */
	const char *const *areas;       /* run only these, NULL-terminated; NULL: all */
	const char *const *globs;       /* run only cases with matching names; NULL: all */
	const struct conform_deviation *deviations;
	size_t ndeviations;
	uint64_t seed;
	unsigned limit_s;               /* cases that have not begun after this time are skipped */
	/* called after each case; may be NULL */
	void (*each)(void *arg, unsigned number, const struct conform_result *r);
	void *arg;
};

struct conform_report {
	const char *backend;
	/* kernel: empty if none is involved */
	char device[64], peer[64], provider[64], kernel[80];
	bool emulated;
	struct conform_result *v;       /* owned */
	size_t n;
	unsigned totals[CONFORM_STATUSES];
	unsigned gone;
	bool cut_short;                 /* the time limit was reached */
	int64_t wall_ms;
	void *cases;                    /* private: owns the strings that results point to */
};

/* True when the options select the case; and the number of selected cases. */
bool conform_chosen(const struct conform_options *o, const struct conform_case *c);
size_t conform_count(const struct conform_options *o);
/* Runs the selected cases in order.  0, or -ENODEV, -EACCES, ...: no world or no device, and no
 * case ran.  The caller clears '*r' in any case. */
int conform_run(const struct conform_target *t, const struct conform_options *o,
	struct conform_report *r);
void conform_report_clear(struct conform_report *r);
/* 0: no case failed.  1: findings.  3: the time limit was reached. */
int conform_exit_status(const struct conform_report *r);

#endif
