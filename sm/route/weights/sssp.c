/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sssp.c - engine sssp: shortest paths whose loads are balanced over the whole fabric.  Does not
 * prevent deadlocks.
 * Room: sm/route/weights.  Pure.
 */
#include <config.h>
#include <string.h>
#include "sm/route/model/prefs.h"
#include "sm/route/weights/weights.h"
#include "sm/route/weights/weights_engines.h"

enum route_code
sssp_run(const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct route_model m;
	struct weights w;
	struct weights_how how = { WEIGHTS_LID, WEIGHTS_FREE };

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = "sssp";
	r->pivot = FAB_NONE;
	if (route_model_make(in, &scratch, &m, r) == ROUTE_OK) {
		prefs_weigh(&m, in->conf, &scratch);
		weights_make(&w, &m, in, how, &scratch);
		route_tables_init(&m, a, out);
		weights_tables(&w, in, out);
	}
	arena_clear(&scratch);
	return r->code;
}
