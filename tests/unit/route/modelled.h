/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * modelled.h - a made snapshot with LIDs and the model of engines, and tables that an engine makes
 * of it.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTE_MODELLED_H
#define HEDDLE_TESTS_UNIT_ROUTE_MODELLED_H

#include "fabric/verify/verify.h"
#include "sm/route/model/engine.h"
#include "sm/route/model/model.h"
#include "tests/unit/route/made.h"

typedef enum route_code modelled_engine(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r);

struct modelled {
	struct arena arena;
	struct snapshot *s;
	struct lid_map lids;
	struct route_in in;
	struct route_model m;           /* made by modelled_make() */
	struct route_report r;
	struct fwd_tables f;
	struct verify_result v;
};

/* Frees what 'x' holds; makes the snapshot, LIDs and the model, which must not be refused. */
void modelled_make(struct modelled *x, const char *spec, const struct made_how *how, uint8_t lmc);
void modelled_clear(struct modelled *x);
/* The same without the model, for engines. */
void modelled_plan(struct modelled *x, const char *spec, const struct made_how *how, uint8_t lmc);
/* Runs the engine and verifies what it makes.  Its code. */
enum route_code modelled_route(struct modelled *x, modelled_engine *run, enum verify_scope scope);
/* The engine makes equal tables of equal fabrics, in whatever order their ports were found. */
void modelled_check_order(struct modelled *x, modelled_engine *run, const char *spec);
/* The engine refuses a fabric without switches, and tables that are too small, and makes none. */
void modelled_check_refusals(struct modelled *x, modelled_engine *run);

#endif
