/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * group_part.c - narrows the input of an engine to a group of switches.
 * Room: sm/route.  Pure.  In: the input for the whole fabric.  Out: the input for the group.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/snapshot/part.h"
#include "sm/route/group_intended.h"
#include "sm/route/group_part.h"
#include "util/bits.h"

#define LIDS 65536

/* The node of each switch of the group that is there; their number. */
static uint32_t
mark_switches(const struct snapshot *s, const struct routing_group *g, bool *node)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t k = snapshot_node_by_guid(s, g->sw[i].guid);

		if (k == FAB_NONE || !fab_is_switch(&s->nodes[k]) ||
			s->nodes[k].flags & FAB_NODE_CUT)
			continue;
		node[k] = true;
		n++;
	}
	return n;
}

/* Links among the switches, and those to hosts, with the hosts. */
static void
mark_links(const struct snapshot *s, bool *node, bool *port)
{
	for (uint32_t k = 0; k < s->nswitches; k++) {
		const struct fab_node *n = &s->nodes[s->switches[k]];

		for (unsigned i = 1; node[s->switches[k]] && i <= n->nports; i++) {
			uint32_t peer = s->ports[n->first_port + i].peer, to;

			if (peer == FAB_NONE)
				continue;
			to = s->ports[peer].node;
			if (fab_is_switch(&s->nodes[to]) && !node[to])
				continue;
			node[to] = true;
			port[n->first_port + i] = port[peer] = true;
		}
	}
}

/* The snapshot of the group, if links of its own connect all of it. */
static bool
make_snapshot(struct group_part *p, const struct snapshot *s, const struct routing_group *g,
	char *why, size_t why_len)
{
	bool *node = arena_array(&p->arena, s->nnodes + 1u, sizeof(*node));
	bool *port = arena_array(&p->arena, s->nports + 1u, sizeof(*port));
	uint32_t n = mark_switches(s, g, node), pieces;

	if (!n) {
		snprintf(why, why_len, "the fabric has none of its switches");
		return false;
	}
	mark_links(s, node, port);
	pieces = part_connect(s, node, port);
	if (pieces > 1) {
		snprintf(why, why_len,
			"no links of its own connect its %" PRIu32 " switches, they are %" PRIu32
			" pieces",
			n, pieces);
		return false;
	}
	p->s = part_make(s, node, port);
	return true;
}

/* By ordinal of the whole fabric: the ordinal in the part; FAB_NONE. */
static uint32_t *
match_switches(struct group_part *p, const struct snapshot *s)
{
	uint32_t *part = arena_array(&p->arena, s->nswitches + 1u, sizeof(*part));

	memset(part, 0xff, s->nswitches * sizeof(*part));
	p->whole_sw = arena_array(&p->arena, p->s->nswitches, sizeof(*p->whole_sw));
	for (uint32_t sw = 0; sw < p->s->nswitches; sw++) {
		uint32_t node = snapshot_node_by_guid(s, p->s->nodes[p->s->switches[sw]].guid);

		p->whole_sw[sw] = s->nodes[node].sw;
		part[s->nodes[node].sw] = sw;
	}
	return part;
}

/* Ports that have a LID and a place in the part: a host's second port may be outside. */
static void
make_lids(struct group_part *p, const struct route_in *in)
{
	const struct snapshot *s = in->snapshot, *t = p->s;
	const struct lid_map *from = in->lids;
	struct lid_map *l = &p->lids;

	*l = (struct lid_map){ .nports = t->nports, .top = from->top };
	l->base = arena_array(&p->arena, t->nports + 1u, sizeof(*l->base));
	l->lmc = arena_array(&p->arena, t->nports + 1u, sizeof(*l->lmc));
	l->owner = arena_array(&p->arena, l->top + 1u, sizeof(*l->owner));
	memset(l->owner, 0xff, (l->top + 1u) * sizeof(*l->owner));
	for (uint32_t i = 0; i < t->nports; i++) {
		const struct fab_port *q = &t->ports[i];
		uint32_t node = snapshot_node_by_guid(s, t->nodes[q->node].guid);
		uint32_t was = s->nodes[node].first_port + q->num;

		if (!snapshot_is_endport(t, q) || !from->base[was])
			continue;
		l->base[i] = from->base[was];
		l->lmc[i] = from->lmc[was];
		for (uint32_t k = 0; k < 1u << l->lmc[i] && l->base[i] + k <= l->top; k++) {
			if (from->owner[l->base[i] + k] != was)
				continue;
			l->owner[l->base[i] + k] = i;
			bits_set(p->lid, l->base[i] + k);
		}
	}
}

/* Hosts that are absent from a switch of the group. */
static void
make_absent(struct group_part *p, const struct route_in *in, const uint32_t *part_sw)
{
	struct route_absent *v = arena_array(&p->arena, in->nabsent + 1u, sizeof(*v));
	uint32_t n = 0;

	for (uint32_t i = 0; i < in->nabsent; i++) {
		if (part_sw[in->absent[i].sw] == FAB_NONE)
			continue;
		v[n] = in->absent[i];
		v[n++].sw = part_sw[in->absent[i].sw];
		bits_set(p->lid, in->absent[i].lid);
	}
	p->in.absent = n ? v : NULL;
	p->in.nabsent = n;
}

/* The entry as the part can have it: unknown if its link leaves the group. */
static uint8_t
narrow_entry(const struct snapshot *s, const struct snapshot *t, uint32_t whole, uint32_t sw,
	uint8_t port)
{
	const struct fab_node *n = &s->nodes[s->switches[whole]], *m = &t->nodes[t->switches[sw]];

	if (port > n->nports)
		return FAB_LFT_DROP;
	return !port || s->ports[n->first_port + port].peer == FAB_NONE ||
			t->ports[m->first_port + port].peer != FAB_NONE ?
		port :
		FAB_LFT_DROP;
}

/* The present entries of the group's switches to the group's LIDs. */
static void
make_previous(struct group_part *p, const struct route_in *in)
{
	const struct fwd_tables *from = in->previous;
	struct fwd_tables *f = &p->previous;

	if (!from || from->nswitches != in->snapshot->nswitches)
		return;
	*f = (struct fwd_tables){
		.nswitches = p->s->nswitches, .stride = from->stride, .top = from->top, .vls = 1
	};
	f->port = arena_array(&p->arena, f->nswitches, f->stride);
	memset(f->port, FAB_LFT_DROP, (size_t)f->nswitches * f->stride);
	for (uint32_t sw = 0; sw < f->nswitches; sw++)
		for (uint32_t lid = 1; lid <= f->top; lid++)
			if (bits_test(p->lid, lid))
				fwd_row(f, sw)[lid] = narrow_entry(in->snapshot, p->s,
					p->whole_sw[sw], sw, fwd_row(from, p->whole_sw[sw])[lid]);
	p->in.previous = f;
}

/* Roots outside the group are none of it; torus_config and lash_start_vl are of the whole. */
static void
make_conf(struct group_part *p, const struct route_in *in, const struct routing_group *g)
{
	uint64_t *roots;
	uint32_t n = 0;

	if (!in->conf)
		return;
	p->conf = *in->conf;
	p->conf.groups = NULL;
	p->conf.torus = NULL;
	p->conf.lash_start_vl = 0;
	roots = arena_array(&p->arena, p->conf.nroots + 1u, sizeof(*roots));
	for (uint32_t i = 0; i < p->conf.nroots; i++)
		for (uint32_t k = 0; k < g->n; k++)
			if (g->sw[k].guid == p->conf.roots[i])
				roots[n++] = p->conf.roots[i];
	p->conf.roots = n ? roots : NULL;
	p->conf.nroots = n;
	p->in.conf = &p->conf;
}

bool
group_part_make(struct group_part *p, const struct route_in *in, const struct routing_group *g,
	char *why, size_t why_len)
{
	uint32_t *part_sw;

	memset(p, 0, sizeof(*p));
	if (!make_snapshot(p, in->snapshot, g, why, why_len))
		return false;
	p->lid = arena_array(&p->arena, BITS_WORDS(LIDS), sizeof(*p->lid));
	part_sw = match_switches(p, in->snapshot);
	make_lids(p, in);
	make_absent(p, in, part_sw);
	make_previous(p, in);
	make_conf(p, in, g);
	p->in.snapshot = p->s;
	p->in.lids = &p->lids;
	p->in.hold = in->hold;
	p->in.vls = 1;
	p->in.stripes = in->stripes;
	if (in->intended)
		p->intended = group_intended_make(in->intended, g, &p->conf);
	p->in.intended = p->intended;
	return true;
}

void
group_part_clear(struct group_part *p)
{
	snapshot_free(p->s);
	intended_free(p->intended);
	arena_clear(&p->arena);
	memset(p, 0, sizeof(*p));
}
