/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_lanes.c - sets of SLs along columns, and the channels (port, VL) that follow.
 * Room: fabric/verify.  Pure.  In: columns, lane plans.  Out: dependencies.
 */
#include <config.h>
#include <stdio.h>
#include <string.h>
#include "fabric/verify/verify_lanes.h"

/* ---- plans ---- */

static bool
fault(struct verify_result *r, const char *which, const char *what, unsigned a, unsigned b)
{
	int n = snprintf(r->lanes, sizeof(r->lanes), "the lane plan of the %stables ", which);

	if (n > 0 && (size_t)n < sizeof(r->lanes))
		snprintf(r->lanes + n, sizeof(r->lanes) - (size_t)n, what, a, b);
	return false;
}

static bool
vls_valid(const struct lane_plan *p, const char *which, struct verify_result *r)
{
	for (unsigned i = 0; i < p->nclasses; i++)
		for (unsigned o = 0; o < p->nclasses; o++)
			for (unsigned sl = 0; sl < LANE_SLS; sl++)
				if (p->sls >> sl & 1 && p->vl[i][o][sl] >= p->nvls)
					return fault(r, which,
						"maps SL %u to VL %u, which is not "
						"one of its VLs",
						sl, p->vl[i][o][sl]);
	return true;
}

/* Whether a port of the switch leads to a host. */
static bool
has_hosts(const struct snapshot *s, uint32_t sw)
{
	const struct fab_node *n = &s->nodes[s->switches[sw]];

	for (unsigned num = 1; num <= n->nports; num++) {
		uint32_t peer = s->ports[n->first_port + num].peer;

		if (peer != FAB_NONE && s->nodes[s->ports[peer].node].sw == FAB_NONE)
			return true;
	}
	return false;
}

/* The SLs of all paths that are in scope: from or to a switch with hosts, or of all switches. */
static bool
sls_valid(const struct verify_in *in, const struct lane_plan *p, const char *which,
	struct verify_result *r)
{
	for (uint32_t a = 0; p->sl && !p->lid_sls && a < p->nswitches; a++) {
		if (in->scope == VERIFY_HOSTS && !has_hosts(in->snapshot, a))
			continue;
		for (uint32_t b = 0; b < p->nswitches; b++) {
			unsigned there = lanes_sl(p, a, b), back = lanes_sl(p, b, a);

			if (a == b)
				continue;
			if (there >= LANE_SLS || !(p->sls >> there & 1))
				return fault(r, which, "has a path with SL %u, which is not in use",
					there, 0);
			if (back >= LANE_SLS || !(p->sls >> back & 1))
				return fault(r, which, "has a path with SL %u, which is not in use",
					back, 0);
		}
	}
	return true;
}

bool
verify_lanes_valid(const struct verify_in *in, const struct fwd_tables *f, const char *which,
	struct verify_result *r)
{
	const struct snapshot *s = in->snapshot;
	const struct lane_plan *p = f->lanes;

	if (!p)
		return true;
	if (p->nswitches != s->nswitches)
		return fault(r, which, "is for %u switches, the fabric has %u", p->nswitches,
			s->nswitches);
	if (p->nvls < 1 || p->nvls > LANE_VLS_MAX)
		return fault(r, which, "uses %u VLs, not 1 to %u", p->nvls, LANE_VLS_MAX);
	if (in->vls && p->nvls > in->vls)
		return fault(r, which, "needs %u VLs, the links have %u", p->nvls, in->vls);
	if (!p->sls)
		return fault(r, which, "uses no SL", 0, 0);
	if (p->nclasses < 1 || p->nclasses > LANE_CLASSES_MAX)
		return fault(r, which, "has %u classes of ports, not 1 to %u", p->nclasses,
			LANE_CLASSES_MAX);
	for (uint32_t i = 0; p->port_class && i < s->nports; i++)
		if (s->nodes[s->ports[i].node].sw != FAB_NONE && p->port_class[i] >= p->nclasses)
			return fault(r, which, "has a port of class %u, but only %u classes",
				p->port_class[i], p->nclasses);
	return vls_valid(p, which, r) && sls_valid(in, p, which, r);
}

bool
verify_lanes_equal(const struct snapshot *s, const struct lane_plan *a, const struct lane_plan *b)
{
	size_t pairs = (size_t)s->nswitches * s->nswitches;

	if (a == b)
		return true;
	if (!a || !b || a->nvls != b->nvls || a->sls != b->sls || a->nclasses != b->nclasses ||
		!a->sl != !b->sl || !a->port_class != !b->port_class || a->lid_sls != b->lid_sls)
		return false;
	return memcmp(a->vl, b->vl, sizeof(a->vl)) == 0 &&
		(!a->sl || memcmp(a->sl, b->sl, pairs) == 0) &&
		(!a->port_class || memcmp(a->port_class, b->port_class, s->nports) == 0);
}

unsigned
verify_lanes_count(const struct verify_run *v)
{
	unsigned n = 1;

	for (unsigned t = 0; t < v->ntables; t++)
		if (v->f[t]->lanes && v->f[t]->lanes->nvls > n)
			n = v->f[t]->lanes->nvls;
	return n;
}

/* ---- classes ---- */

/* The class of a port: its pair of classes in the plans; FAB_NONE: too many pairs. */
static uint32_t
class_of(struct verify_lanes *x, uint32_t port)
{
	uint8_t c[2] = { 0, 0 };
	uint32_t i = 0;

	for (unsigned p = 0; p < x->nplans; p++)
		c[p] = x->plan[p]->port_class ? x->plan[p]->port_class[port] : 0;
	while (i < x->nclasses && (x->of[0][i] != c[0] || x->of[1][i] != c[1]))
		i++;
	if (i == VERIFY_CLASSES_MAX)
		return FAB_NONE;
	if (i == x->nclasses)
		x->nclasses++;
	x->of[0][i] = c[0];
	x->of[1][i] = c[1];
	return i;
}

/* The ports by which packets of sources enter: those of hosts and, in scope all, port 0. */
static bool
is_source(const struct verify_run *v, uint32_t port)
{
	uint32_t peer = v->s->ports[port].peer;

	if (v->s->ports[port].num == 0)
		return v->scope == VERIFY_ALL;
	return peer != FAB_NONE && v->s->nodes[v->s->ports[peer].node].sw == FAB_NONE;
}

static void
choose_plans(struct verify_run *v, struct verify_lanes *x)
{
	for (unsigned t = 0; t < v->ntables; t++)
		if (v->f[t]->lanes) {
			x->sls |= v->f[t]->lanes->sls;
			x->nvls = v->f[t]->lanes->nvls > x->nvls ? v->f[t]->lanes->nvls : x->nvls;
		}
	x->plain = (struct lane_plan){
		.nvls = 1, .sls = x->sls, .nclasses = 1, .nswitches = v->g.nsw
	};
	for (unsigned t = 0; t < v->ntables; t++)
		if (!t || !verify_lanes_equal(v->s, v->f[0]->lanes, v->f[t]->lanes))
			x->plan[x->nplans++] = v->f[t]->lanes ? v->f[t]->lanes : &x->plain;
}

bool
verify_lanes_init(struct verify_run *v)
{
	struct verify_lanes *x = arena_alloc(&v->arena, sizeof(*x));
	const struct chan_graph *g = &v->g;
	size_t n = 0;

	choose_plans(v, x);
	x->port_class = arena_alloc(&v->arena, g->nports);
	x->in_classes = arena_array(&v->arena, g->nsw, sizeof(*x->in_classes));
	x->first = arena_array(&v->arena, (size_t)g->nsw + 1, sizeof(*x->first));
	for (uint32_t c = 0; c < g->nports; c++) {
		uint32_t class = class_of(x, g->port[c]);

		if (class == FAB_NONE)
			return fault(v->r, "",
				"and that of the old ones have more than %u pairs "
				"of classes",
				VERIFY_CLASSES_MAX, 0);
		x->port_class[c] = (uint8_t) class;
		if (is_source(v, g->port[c]))
			x->in_classes[g->sw[c]] |= (uint64_t)1 << class;
	}
	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		size_t ports = g->first[sw + 1] - g->first[sw];

		n += ports * ports * x->nclasses;
		x->first[sw + 1] = n;
	}
	v->lanes = x;
	return true;
}

void
verify_lanes_part(struct verify_part *p)
{
	const struct verify_run *v = p->v;
	struct arena *a = &p->v->arena;

	p->met = arena_array(a, v->lanes->first[v->g.nsw], sizeof(*p->met));
	p->mask = arena_array(a, (size_t)v->g.nsw * v->lanes->nclasses, sizeof(*p->mask));
	p->sls = arena_array(a, v->g.nsw, sizeof(*p->sls));
}

/* ---- pushing ---- */

uint32_t
verify_dest_switch(const struct verify_run *v, uint32_t lid)
{
	uint32_t port = v->l->owner[lid], sw = v->s->nodes[v->s->ports[port].node].sw;

	if (sw == FAB_NONE && v->s->ports[port].peer != FAB_NONE)
		sw = v->s->nodes[v->s->ports[v->s->ports[port].peer].node].sw;
	return sw;
}

bool
verify_sls_by_lid(const struct verify_lanes *x)
{
	return x->plan[0]->lid_sls || (x->nplans > 1 && x->plan[1]->lid_sls);
}

/* The SLs on which each switch sends to 'lid', which is at the switch 'dest': its own, and those of
 * the requests it answers. */
static void
find_sls(struct verify_part *p, uint32_t dest, uint32_t lid)
{
	const struct verify_lanes *x = p->v->lanes;

	if (p->dest == dest && !verify_sls_by_lid(x))
		return;
	p->dest = dest;
	for (uint32_t sw = 0; sw < p->v->g.nsw; sw++) {
		uint16_t sls = 0;

		for (unsigned i = 0; i < x->nplans; i++) {
			const struct lane_plan *plan = x->plan[i];

			if (plan->lid_sls && lid < plan->lid_stride)
				sls |= plan->lid_sls[(size_t)sw * plan->lid_stride + lid];
			else if (!plan->sl || dest == FAB_NONE)
				sls |= plan->sls;
			else if (sw != dest)
				sls |= (uint16_t)(1u << (lanes_sl(plan, sw, dest) % LANE_SLS) |
					1u << (lanes_sl(plan, dest, sw) % LANE_SLS));
		}
		p->sls[sw] = sls;
	}
}

/* From 'sw' over the entry of one table to the next switch, and there by every table.  True if
 * the next switch got SLs that it did not have. */
static bool
push_over(struct verify_part *p, uint32_t sw, uint32_t lid, const struct chan_hop *h)
{
	const struct verify_run *v = p->v;
	const struct verify_lanes *x = v->lanes;
	uint32_t ports = v->g.first[h->sw + 1] - v->g.first[h->sw], nc = x->nclasses;
	uint16_t *met =
		&p->met[x->first[h->sw] + (size_t)(h->chan - v->g.first[h->sw]) * nc * ports];
	uint16_t *to = &p->mask[(size_t)h->sw * nc + x->port_class[h->chan]];
	uint16_t all = 0, had = *to;

	for (uint32_t i = 0; i < nc; i++) {
		uint16_t m = p->mask[(size_t)sw * nc + i];

		all |= m;
		for (unsigned t = 0; m && t < v->ntables; t++) {
			uint8_t out = verify_entry(p, t, h->sw, lid);

			if (out < ports)
				met[i * ports + out] |= m;
		}
	}
	*to |= all;
	return *to != had;
}

/* 'queue': switches that got more SLs are to be pushed from, again. */
static void
push_switch(struct verify_part *p, uint32_t sw, uint32_t lid, bool queue)
{
	for (unsigned t = 0; t < p->v->ntables; t++) {
		uint8_t out = verify_entry(p, t, sw, lid);
		const struct chan_hop *h = chan_graph_hop(&p->v->g, sw, out);

		if (!h || h->sw == FAB_NONE || (t && out == verify_entry(p, 0, sw, lid)))
			continue;
		if (push_over(p, sw, lid, h) && queue)
			verify_queue_put(p, h->sw);
	}
}

void
verify_lanes_push(struct verify_part *p, uint32_t lid, bool cycles)
{
	const struct verify_run *v = p->v;
	const struct verify_lanes *x = v->lanes;
	uint32_t nc = x->nclasses, sw;

	find_sls(p, verify_dest_switch(v, lid), lid);
	memset(p->mask, 0, (size_t)v->g.nsw * nc * sizeof(*p->mask));
	for (uint32_t i = 0; i < v->nsources; i++) {
		sw = v->sources[i];
		for (uint64_t m = x->in_classes[sw]; m; m &= m - 1)
			p->mask[(size_t)sw * nc + (unsigned)__builtin_ctzll(m)] = p->sls[sw];
	}
	for (uint32_t i = cycles ? 0 : p->norder; i-- > 0;)
		push_switch(p, p->order[i], lid, false);
	if (!cycles)
		return;
	verify_queue_sources(p);
	while ((sw = verify_queue_get(p)) != FAB_NONE)
		push_switch(p, sw, lid, true);
}

/* ---- channels ---- */

/* The dependencies of one turn that packets of 'sls' make: by port 'c' after ports of class
 * 'before', then out by port 'out'. */
static void
expand_turn(struct verify_run *v, uint32_t before, uint32_t c, uint32_t out, uint32_t sls)
{
	const struct verify_lanes *x = v->lanes;
	struct chan_graph *g = &v->g;
	uint32_t sw = g->sw[c], in = c - g->first[sw], sender = g->hop[c].chan;

	for (; sls; sls &= sls - 1) {
		uint8_t sl = (uint8_t)__builtin_ctz(sls);

		for (unsigned a = 0; a < x->nplans; a++)
			for (unsigned b = 0; b < x->nplans; b++) {
				uint32_t vl =
					verify_lanes_vl(x, a, before, x->port_class[sender], sl);
				uint32_t bit = (out << g->vl_bits) +
					verify_lanes_vl(x, b, x->port_class[c],
						x->port_class[g->first[sw] + out], sl);

				chan_graph_row(g, sw, (in << g->vl_bits) + vl)[bit / 64] |=
					(uint64_t)1 << (bit % 64);
			}
	}
}

static void
expand_port(struct verify_run *v, uint32_t c)
{
	const struct chan_graph *g = &v->g;
	uint32_t sw = g->sw[c], ports = g->first[sw + 1] - g->first[sw], nc = v->lanes->nclasses;
	size_t row = v->lanes->first[sw] + (size_t)(c - g->first[sw]) * nc * ports;

	for (uint32_t i = 0; i < nc * ports; i++) {
		uint32_t sls = 0;

		for (unsigned k = 0; k < v->nparts; k++)
			sls |= v->parts[k].met[row + i];
		if (sls && g->hop[g->first[sw] + i % ports].chan != FAB_NONE)
			expand_turn(v, i / ports, c, i % ports, sls);
	}
}

static void
expand_part(void *data, unsigned i, unsigned n)
{
	struct verify_run *v = data;
	uint32_t end = v->g.first[stripes_first(v->g.nsw, i + 1, n)];

	for (uint32_t c = v->g.first[stripes_first(v->g.nsw, i, n)]; c < end; c++)
		if (v->g.hop[c].chan != FAB_NONE)
			expand_port(v, c);
}

void
verify_lanes_expand(struct verify_run *v)
{
	stripes_each(v->stripes, expand_part, v);
}
