/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * conform.h - does a verbs device do what the specification asks?  A table of cases and what
 * runs it.
 * Room: verbs/conform.
 *
 * A case owns both ends of a connection in one thread, provokes one thing and says in words what
 * came out.  The table holds what the specification asks for, in the same words; deviations.c
 * what providers are known to do otherwise.
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
	const char *area;               /* up to the name's first '/'; 'area_length' letters */
	int area_length;
	enum conform_status status;
	bool gone;                      /* a known deviation was not met */
	char reason[160];               /* empty: none */
	char got[CONFORM_WORDS_MAX];    /* empty when it was skipped */
};

struct conform_options {
	/* by name; NULL: the first, and another one on its wire or itself */
	const char *device, *peer;
	const char *provider;           /* of deviations; NULL: as the target says */
	const char *const *areas;       /* only these, NULL-terminated; NULL: all */
	const char *const *globs;       /* only cases whose names match one of these; NULL: all */
	const struct conform_deviation *deviations;
	size_t ndeviations;
	uint64_t seed;
	unsigned limit_s;               /* what has not begun by then is skipped */
	/* after each case; may be NULL */
	void (*each)(void *arg, unsigned number, const struct conform_result *r);
	void *arg;
};

struct conform_report {
	const char *backend;
	char device[64], peer[64], provider[64], kernel[80];    /* no kernel: empty */
	bool emulated;
	struct conform_result *v;       /* owned */
	size_t n;
	unsigned totals[CONFORM_STATUSES];
	unsigned gone;
	bool cut_short;                 /* the limit came first */
	int64_t wall_ms;
	void *cases;                    /* private: what the names point into */
};

/* Do the options choose this case?  And how many in all? */
bool conform_chosen(const struct conform_options *o, const struct conform_case *c);
size_t conform_count(const struct conform_options *o);
/* Runs them in order.  0; -ENODEV, -EACCES, ...: no world or no device, nothing was run.  '*r'
 * is to be cleared in any case. */
int conform_run(const struct conform_target *t, const struct conform_options *o,
	struct conform_report *r);
void conform_report_clear(struct conform_report *r);
/* 0 all as asked, 1 findings, 3 cut short. */
int conform_exit_status(const struct conform_report *r);

#endif
