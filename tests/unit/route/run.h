/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * run.h - one fabric and the results of engines on it, for tests of single engines.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTE_RUN_H
#define HEDDLE_TESTS_UNIT_ROUTE_RUN_H

#include "sm/route/route.h"
#include "tests/unit/route/made.h"
#include "tests/unit/route/naive.h"

struct run_fabric {
	struct snapshot *s;
	struct arena arena;                     /* of the LIDs and of all results */
	struct lid_map lids;
	struct route_in in;                     /* snapshot and LIDs are filled in */
};

struct run_result {
	enum route_code code;
	struct fwd_tables f;
	struct route_report r;
};

void run_fabric_make(struct run_fabric *b, const char *spec, const struct made_how *how, uint8_t lmc);
void run_fabric_free(struct run_fabric *b);
struct run_result run_engine(struct run_fabric *b, const char *name);
/* Fails unless both are the same byte by byte: tables, SLs, VLs. */
void run_compare(const char *what, const struct fwd_tables *a, const struct fwd_tables *b);

#endif
