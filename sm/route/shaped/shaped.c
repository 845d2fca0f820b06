/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * shaped.c - prepares what engines that route by coordinates work on.
 * Room: sm/route/shaped.  Pure.  In: what the engine got.  Out: intended graph, shape, what of it works.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "sm/route/shaped/shaped.h"

/* Maps intended switches to those of the snapshot.  False: a switch that is not intended. */
static bool
map_switches(struct shaped *sh, struct arena *a, struct route_report *r)
{
	const struct intended *t = sh->in->intended;
	uint32_t unknown = 0;

	sh->now = arena_array(a, (size_t)sh->whole.nsw + 1, sizeof(*sh->now));
	sh->guid = arena_array(a, (size_t)sh->whole.nsw + 1, sizeof(*sh->guid));
	sh->of = arena_array(a, sh->m.g.nsw, sizeof(*sh->of));
	memset(sh->now, 0xff, sh->whole.nsw * sizeof(*sh->now));
	for (uint32_t i = 0; t && i < t->nsw; i++)
		sh->guid[i] = t->sw[i].guid;
	for (uint32_t o = 0; o < sh->m.g.nsw; o++) {
		uint64_t guid = sh->m.s->nodes[route_node(&sh->m, o)].guid;
		uint32_t s = t ? intended_switch_find(t, guid) : o;

		if (s == INTENDED_NONE) {
			route_evidence_add(r, route_node(&sh->m, o), FAB_NONE, 0, 0);
			unknown++;
			continue;
		}
		sh->of[o] = s;
		sh->now[s] = o;
		sh->guid[s] = guid;
	}
	for (uint32_t s = 0; s < sh->whole.nsw; s++)
		sh->dead_switches += sh->now[s] == FAB_NONE;
	if (unknown)
		route_refuse(r, ROUTE_SHAPE,
			"%u switches are not in the intended topology, 0x%016" PRIx64
			" for one: they have no coordinates",
			unknown, sh->m.s->nodes[r->evidence[0].node].guid);
	return unknown == 0;
}

/* Some port of switch ordinal 'o' that leads to ordinal 'to'; 0: none. */
static uint8_t
some_port(const struct swgraph *g, uint32_t o, uint32_t to)
{
	for (uint32_t i = g->group_first[o]; i < g->group_first[o + 1]; i++)
		if (g->groups[i].to == to)
			return g->ports[g->groups[i].first_port];
	return 0;
}

static bool
leads_to(const struct shaped *sh, uint32_t s, uint8_t port, uint32_t to)
{
	const struct fab_node *n = &sh->m.s->nodes[shaped_node(sh, s)];
	uint32_t peer;

	if (port > n->nports)
		return false;
	peer = sh->m.s->ports[n->first_port + port].peer;
	return peer != FAB_NONE && sh->m.s->ports[peer].node == shaped_node(sh, to);
}

static void
find_live(struct shaped *sh, struct arena *a)
{
	const struct swgraph *w = &sh->whole;
	uint32_t ngroups = w->group_first[w->nsw], nports = 0;

	for (uint32_t e = 0; e < ngroups; e++)
		nports = w->groups[e].first_port + w->groups[e].nports > nports ?
			w->groups[e].first_port + w->groups[e].nports :
			nports;
	sh->live = arena_array(a, (size_t)ngroups + 1, sizeof(*sh->live));
	sh->other = arena_array(a, (size_t)ngroups + 1, sizeof(*sh->other));
	sh->works = arena_array(a, (size_t)nports + 1, sizeof(*sh->works));
	for (uint32_t s = 0; s < w->nsw; s++)
		for (uint32_t e = w->group_first[s]; e < w->group_first[s + 1]; e++) {
			const struct swgraph_group *gr = &w->groups[e];
			bool ends = sh->now[s] != FAB_NONE && sh->now[gr->to] != FAB_NONE;

			for (uint32_t i = 0; ends && i < gr->nports; i++) {
				uint32_t at = gr->first_port + i;

				sh->works[at] = leads_to(sh, s, w->ports[at], gr->to);
				sh->live[e] = (uint16_t)(sh->live[e] + sh->works[at]);
			}
			if (ends && !sh->live[e])
				sh->other[e] = some_port(&sh->m.g, sh->now[s], sh->now[gr->to]);
			sh->dead_cables += s < gr->to && !shaped_works(sh, e);
		}
}

static void
find_dims(struct shaped *sh, struct arena *a)
{
	const struct shape *shape = &sh->shape;

	sh->dim = arena_array(a, (size_t)sh->whole.group_first[sh->whole.nsw] + 1, 1);
	memset(sh->dim, SHAPE_DIMS_MAX, sh->whole.group_first[sh->whole.nsw]);
	for (uint32_t s = 0; s < sh->whole.nsw; s++)
		for (unsigned d = 0; d < shape->ndims; d++) {
			uint32_t end =
				d + 1 < shape->ndims ? shape->dim[d + 1].first_step : shape->nsteps;

			for (uint32_t k = shape->dim[d].first_step; k < end; k++) {
				uint32_t e = shape->step[(size_t)s * shape->nsteps + k];

				if (e != SHAPE_NOWHERE)
					sh->dim[e] = (uint8_t)d;
			}
		}
}

static void
find_turns(struct shaped *sh, struct arena *a)
{
	sh->turn = arena_array(a, (size_t)sh->whole.nsw + 1, sizeof(*sh->turn));
	for (uint32_t s = 0; s < sh->whole.nsw; s++) {
		sh->turn[s] = sh->shape.member ? sh->shape.member[s] : 0;
		for (unsigned d = 0; d < sh->shape.ndims; d++)
			sh->turn[s] += shaped_at(sh, s)[d];
	}
}

/* Position of the host behind port 'via' among the intended hosts of its switch. */
static uint32_t
host_position(const struct swgraph *w, uint32_t s, uint8_t via)
{
	for (uint32_t h = w->host_first[s]; h < w->host_first[s + 1]; h++)
		if (w->hosts[h].via == via)
			return h - w->host_first[s];
	return via;
}

static void
find_dests(struct shaped *sh, struct arena *a)
{
	const struct route_model *m = &sh->m;
	uint32_t total = m->lid_first[m->ncols] + sh->in->nabsent, n = 0;

	for (uint32_t c = 0; c < m->ncols; c++)
		total += m->own_n[c];
	sh->dests = arena_array(a, (size_t)total + 1, sizeof(*sh->dests));
	for (uint32_t c = 0; c < m->ncols; c++) {
		uint32_t s = sh->of[m->col_sw[c]];

		for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++) {
			const struct route_lid *l = &m->host_lids[i];

			sh->dests[n++] = (struct shaped_dest){ s,
				host_position(&sh->whole, s, l->via) + l->sub, l->lid, l->via,
				l->sub };
		}
		for (uint32_t i = 0; i < m->own_n[c]; i++)
			sh->dests[n++] = (struct shaped_dest){ s, i,
				(uint16_t)(m->own_first[c] + i), 0, (uint8_t)i };
	}
	for (uint32_t i = 0; i < sh->in->nabsent; i++) {
		const struct route_absent *l = &sh->in->absent[i];

		if (l->sw < m->g.nsw && l->lid <= m->lids->top)
			sh->dests[n++] = (struct shaped_dest){ sh->of[l->sw],
				host_position(&sh->whole, sh->of[l->sw], l->port), l->lid, l->port,
				0 };
	}
	sh->ndests = n;
}

static enum route_code
make(const struct route_in *in, struct arena *a, struct shaped *sh, struct route_report *r)
{
	memset(sh, 0, sizeof(*sh));
	sh->in = in;
	if (route_model_make(in, a, &sh->m, r) != ROUTE_OK)
		return r->code;
	if (in->intended)
		shape_graph(in->intended, a, &sh->whole);
	else
		sh->whole = sh->m.g;
	if (!map_switches(sh, a, r))
		return r->code;
	find_live(sh, a);
	shape_recognize(&sh->whole, a, &sh->shape);
	find_dims(sh, a);
	find_turns(sh, a);
	find_dests(sh, a);
	return ROUTE_OK;
}

enum route_code
shaped_run(const struct route_in *in, const char *name,
	enum route_code (*route)(
		struct shaped *sh, struct arena *a, struct fwd_tables *out, struct route_report *r),
	struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	struct shaped sh;
	char text[128];

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = name;
	r->pivot = FAB_NONE;
	if (make(in, &scratch, &sh, r) != ROUTE_OK || route(&sh, a, out, r) != ROUTE_OK)
		memset(out, 0, sizeof(*out));
	else if (sh.mended)
		snprintf(r->sentence, sizeof(r->sentence),
			"%s; %" PRIu64 " entries lead round damage",
			shape_text(&sh.shape, text, sizeof(text)), sh.mended);
	else
		shape_text(&sh.shape, r->sentence, sizeof(r->sentence));
	arena_clear(&scratch);
	return r->code;
}

void
shaped_explain(struct route_report *r, const char *text)
{
	size_t room = sizeof(r->sentence), n = strlen(text) + 2;

	if (n >= room)
		return;
	memmove(r->sentence + n, r->sentence, room - n);
	memcpy(r->sentence, text, n - 2);
	memcpy(r->sentence + n - 2, ": ", 2);
	r->sentence[room - 1] = '\0';
}

enum route_code
shaped_refuse_shape(const struct shaped *sh, struct route_report *r, const char *wanted)
{
	char text[128], first[128] = "";

	for (uint32_t i = 0; i < sh->shape.nmisfits && i < SHAPE_MISFITS_MAX; i++) {
		const struct shape_misfit *f = &sh->shape.misfit[i];

		route_evidence_add(r, shaped_node(sh, f->a),
			f->b == SHAPE_NOWHERE ? FAB_NONE : shaped_node(sh, f->b), 0, i);
	}
	if (sh->shape.nmisfits)
		snprintf(first, sizeof(first), "; at 0x%016" PRIx64 ": %s",
			sh->guid[sh->shape.misfit[0].a], sh->shape.misfit[0].rule);
	return route_refuse(r, ROUTE_SHAPE, "needs %s, and this is %s%s", wanted,
		shape_text(&sh->shape, text, sizeof(text)), first);
}
