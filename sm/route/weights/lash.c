/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lash.c - engine lash: one shortest path for each pair of switches, in layers that cannot
 * deadlock.
 * Room: sm/route/weights.  Pure.
 *
 * All hosts of a switch share its tree of paths.  Every pair of switches, with hosts or not, gets a
 * layer in which its path and the path back are (layers.h), so switches can send to switches too.
 * The layers begin with the SL lash_start_vl, and are evened out.
 */
#include <config.h>
#include <string.h>
#include "sm/route/weights/layers.h"
#include "sm/route/weights/weights_engines.h"

static uint8_t
start_vl(const struct route_in *in)
{
	return in->conf ? in->conf->lash_start_vl : 0;
}

/* Refuses hosts with several LIDs: each host has only one path. */
static enum route_code
check_lmc(const struct route_model *m, struct route_report *r)
{
	for (uint32_t i = 0; i < m->lid_first[m->ncols]; i++)
		if (m->host_lids[i].sub) {
			uint32_t port = m->lids->owner[m->host_lids[i].lid];

			route_evidence_add(r, m->s->ports[port].node, FAB_NONE,
				m->host_lids[i].lid, m->lids->lmc[port]);
			return route_refuse(r, ROUTE_LMC,
				"engine lash has one path to a host, but port 0x%016llx has "
				"LMC %u",
				(unsigned long long)m->s->ports[port].guid, m->lids->lmc[port]);
		}
	return ROUTE_OK;
}

/* Makes one attempt.  Returns false if there are too few VLs. */
static bool
attempt(const struct route_in *in, const struct route_model *m, enum weights_rule rule,
	struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct weights w;
	struct layers l;
	bool fit;

	weights_make(&w, m, in, (struct weights_how){ WEIGHTS_SWITCH, rule }, &scratch);
	layers_make(&l, &w, in, start_vl(in), true, &scratch);
	fit = layers_fit(&l);
	if (fit) {
		layers_even(&l);
		route_tables_init(m, a, out);
		weights_tables(&w, in, out);
		out->lanes = layers_plan(&l, a);
		out->vls = out->lanes->nvls;
		r->code = ROUTE_OK;
		r->nevidence = 0;
		r->sentence[0] = '\0';
	} else {
		layers_refuse(&l, r);
	}
	arena_clear(&scratch);
	return fit;
}

enum route_code
lash_run(const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct route_model m;
	uint8_t vls = in->vls ? in->vls : 1;

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = "lash";
	r->pivot = FAB_NONE;
	if (start_vl(in) >= vls)
		route_refuse(r, ROUTE_VLS, "lash_start_vl is %u, but there are %u VLs",
			start_vl(in), vls);
	else if (route_model_make(in, &scratch, &m, r) == ROUTE_OK &&
	    check_lmc(&m, r) == ROUTE_OK &&
	    !attempt(in, &m, WEIGHTS_FREE, a, out, r) &&
	    !attempt(in, &m, WEIGHTS_DIMENSIONS, a, out, r))
		attempt(in, &m, WEIGHTS_CENTER, a, out, r);
	arena_clear(&scratch);
	return r->code;
}
