/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * modelled.c - a made snapshot with LIDs and the model of engines.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "sm/plan/lid.h"
#include "tests/unit/route/modelled.h"
#include "util/xalloc.h"

void
modelled_plan(struct modelled *x, const char *spec, const struct made_how *how, uint8_t lmc)
{
	struct lid_conf c = { .lmc = lmc };
	struct lid_report r;

	modelled_clear(x);
	x->s = made_snapshot(spec, how);
	assert_int_equal(plan_lids(x->s, NULL, &c, &x->arena, &x->lids, &r), 0);
	x->in = (struct route_in){ .snapshot = x->s, .lids = &x->lids };
}

void
modelled_make(struct modelled *x, const char *spec, const struct made_how *how, uint8_t lmc)
{
	modelled_plan(x, spec, how, lmc);
	assert_int_equal(route_model_make(&x->in, &x->arena, &x->m, &x->r), ROUTE_OK);
}

void
modelled_clear(struct modelled *x)
{
	made_free(x->s);
	arena_clear(&x->arena);
	*x = (struct modelled){ .s = NULL };
}

enum route_code
modelled_route(struct modelled *x, modelled_engine *run, enum verify_scope scope)
{
	enum route_code code = run(&x->in, &x->arena, &x->f, &x->r);

	assert_int_equal(code, x->r.code);
	if (code == ROUTE_OK)
		verify_tables(x->s, &x->lids, &x->f, scope, &x->v);
	else
		assert_null(x->f.port);
	return code;
}

void
modelled_check_order(struct modelled *x, modelled_engine *run, const char *spec)
{
	struct made_how how = { .scramble = true, .seed = 5, .cut_percent = 3 };
	uint8_t *first = NULL;
	size_t size = 0;

	for (uint32_t turn = 0; turn < 4; turn++) {
		modelled_plan(x, spec, &how, 1);
		assert_int_equal(modelled_route(x, run, VERIFY_HOSTS), ROUTE_OK);
		if (!first) {
			size = (size_t)x->f.stride * x->f.nswitches;
			first = xmemdup(x->f.port, size);
		}
		assert_int_equal((size_t)x->f.stride * x->f.nswitches, size);
		assert_memory_equal(x->f.port, first, size);
		how.shuffle = true;
		how.shuffle_seed = turn;
	}
	free(first);
}

void
modelled_check_refusals(struct modelled *x, modelled_engine *run)
{
	struct made_how small = { .lft_cap = 10 };

	modelled_plan(x, "fattree:k=4,levels=3", &small, 0);
	x->f = (struct fwd_tables){ .port = arena_alloc(&x->arena, 64), .top = 7 };
	assert_int_equal(modelled_route(x, run, VERIFY_HOSTS), ROUTE_CAP);
	assert_int_not_equal(x->r.sentence[0], 0);
	assert_true(x->r.nevidence > 0);
	modelled_plan(x, "fattree:k=4,levels=3", NULL, 0);
	x->s->nswitches = 0;
	assert_int_equal(modelled_route(x, run, VERIFY_HOSTS), ROUTE_NO_SWITCH);
	assert_int_not_equal(x->r.sentence[0], 0);
}
