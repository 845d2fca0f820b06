/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * run.c - one fabric and the results of engines on it.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "tests/unit/route/run.h"

void
run_fabric_make(struct run_fabric *b, const char *spec, const struct made_how *how, uint8_t lmc)
{
	struct lid_conf lc = { .lmc = lmc };
	struct lid_report lr;

	memset(b, 0, sizeof(*b));
	b->s = made_snapshot(spec, how);
	assert_int_equal(plan_lids(b->s, NULL, &lc, &b->arena, &b->lids, &lr), 0);
	b->in = (struct route_in){ .snapshot = b->s, .lids = &b->lids, .vls = 8 };
}

void
run_fabric_free(struct run_fabric *b)
{
	made_free(b->s);
	arena_clear(&b->arena);
}

struct run_result
run_engine(struct run_fabric *b, const char *name)
{
	struct run_result x;
	char why[200];
	const struct route_engine *e = route_find(name, why, sizeof(why));

	assert_non_null(e);
	x.code = e->run(&b->in, &b->arena, &x.f, &x.r);
	assert_int_equal(x.code, x.r.code);
	if (x.code != ROUTE_OK) {
		assert_null(x.f.port);
		assert_true(x.r.sentence[0]);
	}
	return x;
}

void
run_compare(const char *what, const struct fwd_tables *a, const struct fwd_tables *b)
{
	if (a->nswitches != b->nswitches || a->stride != b->stride || a->top != b->top || a->vls != b->vls ||
	    memcmp(a->port, b->port, (size_t)a->nswitches * a->stride) != 0)
		fail_msg("%s: other tables", what);
	if (!a->lanes != !b->lanes)
		fail_msg("%s: with and without lanes", what);
	if (a->lanes && (a->lanes->nvls != b->lanes->nvls || a->lanes->sls != b->lanes->sls ||
	    memcmp(a->lanes->vl, b->lanes->vl, sizeof(a->lanes->vl)) != 0 ||
	    memcmp(a->lanes->sl, b->lanes->sl, (size_t)a->nswitches * a->nswitches) != 0))
		fail_msg("%s: other lanes", what);
}
