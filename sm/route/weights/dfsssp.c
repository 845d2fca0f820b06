/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dfsssp.c - engine dfsssp: balanced shortest paths, spread over VLs so that none can deadlock.
 * Room: sm/route/weights.  Pure.
 *
 * The paths are those of engine sssp (weights.h); the SL of a pair of switches is its layer
 * (layers.h).  If the VLs do not suffice, other shortest paths are tried that make fewer
 * dependencies, at the price of balance.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "sm/route/model/prefs.h"
#include "sm/route/weights/layers.h"
#include "sm/route/weights/weights_engines.h"

/* The attempts, the one with the best balance first. */
static const struct {
	struct weights_how how;
	const char *remark;             /* NULL: nothing to say */
} attempts[] = {
	{ { WEIGHTS_LID, WEIGHTS_FREE }, NULL },
	{ { WEIGHTS_LID, WEIGHTS_DIMENSIONS }, "paths take dimensions in ascending order" },
	{ { WEIGHTS_SWITCH, WEIGHTS_FREE }, "the hosts of a switch share one tree" },
	{ { WEIGHTS_SWITCH, WEIGHTS_DIMENSIONS },
		"the hosts of a switch share one tree, whose paths take dimensions in ascending "
		"order" },
	{ { WEIGHTS_LID, WEIGHTS_CENTER }, "paths climb to the center before they descend" },
	{ { WEIGHTS_SWITCH, WEIGHTS_CENTER },
		"the hosts of a switch share one tree, whose paths climb to the center before "
		"they descend" },
};

/* Makes one attempt.  Returns false if there are too few VLs. */
static bool
attempt(const struct route_in *in, const struct route_model *m, struct weights_how how,
	struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct weights w;
	struct layers l;
	bool fit;

	weights_make(&w, m, in, how, &scratch);
	layers_make(&l, &w, in, 0, false, &scratch);
	fit = layers_fit(&l);
	if (fit) {
		layers_even(&l);
		layers_split(&l);
		route_tables_init(m, a, out);
		weights_tables(&w, in, out);
		out->lanes = layers_plan(&l, a);
		out->vls = out->lanes->nvls;
	} else {
		layers_refuse(&l, r);
	}
	arena_clear(&scratch);
	return fit;
}

static void
attempt_all(const struct route_in *in, const struct route_model *m, struct arena *a,
	struct fwd_tables *out, struct route_report *r)
{
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		if (!attempt(in, m, attempts[i].how, a, out, r))
			continue;
		r->code = ROUTE_OK;
		r->nevidence = 0;
		r->sentence[0] = '\0';
		if (attempts[i].remark)
			snprintf(r->sentence, sizeof(r->sentence),
				"%s, because better balanced paths need more than %u VLs",
				attempts[i].remark, in->vls ? in->vls : 1);
		return;
	}
}

enum route_code
dfsssp_run(
	const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct route_model m;

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = "dfsssp";
	r->pivot = FAB_NONE;
	if (route_model_make(in, &scratch, &m, r) == ROUTE_OK) {
		prefs_weigh(&m, in->conf, &scratch);
		attempt_all(in, &m, a, out, r);
	}
	arena_clear(&scratch);
	return r->code;
}
