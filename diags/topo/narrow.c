/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * narrow.c - reduces a fabric to the part that --select selects.
 * Room: diags/topo.
 */
#include <config.h>
#include <stdlib.h>
#include "diags/core/settings.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "diags/fabric/fabric_int.h"
#include "diags/fabric/select.h"
#include "diags/topo/narrow.h"
#include "fabric/snapshot/part.h"
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
rebuild(const struct part *x)
{
	struct snapshot *t = part_make(x->f->s, x->node, x->port);

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
		rebuild(&a);
	if (!r && plan && nodes_count(&b))
		rebuild(&b);
	free(a.node);
	free(a.port);
	free(b.node);
	free(b.port);
	return r;
}
