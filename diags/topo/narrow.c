/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * narrow.c - reduces a fabric to the part that --select selects.
 * Room: diags/topo.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/fabric_int.h"
#include "diags/fabric/select.h"
#include "diags/topo/narrow.h"
#include "util/xalloc.h"

/* The part of a fabric that remains. */
struct part {
	struct diag_fabric *f;
	bool *node, *port; /* by index: the node remains; the link of the port remains */
};

static void
ports_mark(struct part *x, const struct selection *only)
{
	const struct snapshot *s = x->f->s;

	x->node = xcalloc(s->nnodes + 1u, sizeof(*x->node));
	x->port = xcalloc(s->nports + 1u, sizeof(*x->port));
	for (uint32_t i = 0; i < s->nports; i++) {
		const struct fab_port *p = &s->ports[i];

		if ((!p->num && !fab_is_switch(&s->nodes[p->node])) || !select_port(only, p))
			continue;
		x->node[p->node] = true;
		if (p->peer == FAB_NONE)
			continue;
		x->port[i] = x->port[p->peer] = true;
		x->node[s->ports[p->peer].node] = true;
	}
}

/* Nodes that remain in 'a' remain in 'b' too. */
static void
twins_mark(const struct part *a, struct part *b)
{
	for (uint32_t i = 0; i < a->f->s->nnodes; i++) {
		uint32_t twin = a->node[i] ? snapshot_node_by_guid(b->f->s,
			a->f->s->nodes[i].guid) : FAB_NONE;

		if (twin != FAB_NONE)
			b->node[twin] = true;
	}
}

static void
copy_ports(struct snapshot *t, const struct part *x, const uint32_t *place)
{
	const struct snapshot *s = x->f->s;

	for (uint32_t i = 0; i < s->nports; i++) {
		const struct fab_port *p = &s->ports[i];
		struct fab_port *q;

		if (place[p->node] == FAB_NONE)
			continue;
		q = &t->ports[t->nodes[place[p->node]].first_port + p->num];
		*q = *p;
		q->node = place[p->node];
		q->pkeys = FAB_NONE;
		q->more_pkeys = 0;
		q->peer = FAB_NONE;
		if (x->port[i])
			q->peer = t->nodes[place[s->ports[p->peer].node]].first_port +
				s->ports[p->peer].num;
	}
}

/* Returns the own port, or a port of the first node if the own node does not remain. */
static uint32_t
own_port(const struct snapshot *s, const struct snapshot *t, const uint32_t *place)
{
	const struct fab_port *p = &s->ports[s->sm_port];
	const struct fab_node *n = &t->nodes[0];

	if (place[p->node] != FAB_NONE)
		return t->nodes[place[p->node]].first_port + p->num;
	return n->first_port + (fab_is_switch(n) ? 0 : 1u);
}

static void
rebuild(const struct part *x, uint32_t nnodes)
{
	const struct snapshot *s = x->f->s;
	struct snapshot *t = xcalloc(1, sizeof(*t));
	uint32_t *place = xcalloc(s->nnodes + 1u, sizeof(*place));

	t->nodes = arena_array(&t->arena, nnodes, sizeof(*t->nodes));
	for (uint32_t i = 0; i < s->nnodes; i++) {
		struct fab_node *n = &t->nodes[t->nnodes];

		place[i] = x->node[i] ? t->nnodes++ : FAB_NONE;
		if (!x->node[i])
			continue;
		*n = s->nodes[i];
		n->first_port = t->nports;
		n->lft = NULL;
		n->lft_blocks = 0;
		n->flags &= (uint8_t)~FAB_NODE_LFT;
		t->nports += n->nports + 1u;
	}
	t->ports = arena_array(&t->arena, t->nports, sizeof(*t->ports));
	copy_ports(t, x, place);
	t->problems = arena_array(&t->arena, s->nproblems, sizeof(*t->problems));
	if (s->nproblems)
		memcpy(t->problems, s->problems, s->nproblems * sizeof(*t->problems));
	t->nproblems = s->nproblems;
	t->sm_port = own_port(s, t, place);
	snapshot_seal(t);
	free(place);
	snapshot_free(x->f->s);
	free(x->f->order);
	x->f->s = t;
	x->f->order = fabric_order(t);
}

static uint32_t
nodes_count(const struct part *x)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->f->s->nnodes; i++)
		n += x->node[i];
	return n;
}

static int
mark_selected(struct diag *d, struct part *x, struct diag_fabric *f)
{
	struct selection *only;
	int r = diag_selection(d, f, &only);

	x->f = f;
	if (!r)
		ports_mark(x, only);
	select_free(only);
	return r;
}

int
topo_narrow(struct diag *d, struct diag_fabric *f, struct diag_fabric *plan)
{
	struct part a = { .f = NULL }, b = { .f = NULL };
	int r = 0;

	if (!diag_settings(d)->select)
		return 0;
	r = mark_selected(d, &a, f);
	if (!r && plan)
		r = mark_selected(d, &b, plan);
	if (!r && plan) {
		twins_mark(&a, &b);
		twins_mark(&b, &a);
	}
	if (!r && !nodes_count(&a))
		r = diag_fail(d, EXIT_FINDINGS, "not_found", "--select '%s': no port is selected",
			diag_settings(d)->select);
	if (!r)
		rebuild(&a, nodes_count(&a));
	if (!r && plan && nodes_count(&b))
		rebuild(&b, nodes_count(&b));
	free(a.node);
	free(a.port);
	free(b.node);
	free(b.port);
	return r;
}
