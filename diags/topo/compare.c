/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * compare.c - compares two fabrics: nodes first, then link by link, exact to the port.
 * Room: diags/topo.
 *
 * A link that only one fabric has is first marked at both ends, as lost or as fresh. Then marked
 * links are paired: two lost and two fresh links between the same four ports were swapped; a lost
 * link one of whose ends is at a fresh one was moved; the others are missing or extra.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/fabric/fabric.h"
#include "diags/topo/compare.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

struct compare {
	const struct diag_fabric *was, *is;
	struct topo_comparison *out;
	unsigned aspects;
	/* node indices of the other fabric: 'to' by node of 'was', 'from' by node of 'is'; or
	 * FAB_NONE */
	uint32_t *to, *from;
	/* by port index: the port is an end of a link that only 'was' has; that only 'is' has */
	bool *lost, *fresh;
};

static struct topo_difference *
difference_add(struct compare *x, enum topo_change c)
{
	struct topo_comparison *o = x->out;

	o->d = xreallocarray(o->d, o->n + 1, sizeof(*o->d));
	o->d[o->n] = (struct topo_difference){ .change = c };
	return &o->d[o->n++];
}

static const struct fab_port *
port_zero(const struct diag_fabric *f, uint32_t node)
{
	return &f->s->ports[f->s->nodes[node].first_port];
}

/* ---- nodes ---- */

static bool
same_name(const struct fab_node *a, const struct fab_node *b)
{
	return a->type == b->type && !memcmp(a->desc, b->desc, NODE_DESC_BYTES);
}

/* Returns the only node of 'is' with that name and no match yet, or FAB_NONE. */
static uint32_t
by_name(const struct compare *x, const struct fab_node *n)
{
	uint32_t found = FAB_NONE;

	for (uint32_t j = 0; j < x->is->s->nnodes; j++) {
		if (x->from[j] != FAB_NONE || !same_name(n, &x->is->s->nodes[j]))
			continue;
		if (found != FAB_NONE)
			return FAB_NONE;
		found = j;
	}
	return found;
}

static void
nodes_pair(struct compare *x, uint32_t i, uint32_t j)
{
	if (j == FAB_NONE || x->from[j] != FAB_NONE)
		return;
	x->to[i] = j;
	x->from[j] = i;
}

static void
nodes_match(struct compare *x, bool names)
{
	const struct snapshot *a = x->was->s, *b = x->is->s;

	memset(x->to, 0xff, a->nnodes * sizeof(*x->to));
	memset(x->from, 0xff, b->nnodes * sizeof(*x->from));
	for (uint32_t i = 0; i < a->nnodes && names; i++)
		nodes_pair(x, i, by_name(x, &a->nodes[i]));
	for (uint32_t i = 0; i < a->nnodes; i++)
		if (x->to[i] == FAB_NONE)
			nodes_pair(x, i, snapshot_node_by_guid(b, a->nodes[i].guid));
	for (uint32_t i = 0; i < a->nnodes && !names; i++) {
		if (x->to[i] != FAB_NONE)
			continue;
		nodes_pair(x, i, by_name(x, &a->nodes[i]));
		if (x->to[i] != FAB_NONE) {
			struct topo_difference *d = difference_add(x, TOPO_NODE_REPLACED);

			d->was[0] = port_zero(x->was, i);
			d->is[0] = port_zero(x->is, x->to[i]);
		}
	}
}

static unsigned
count_links(const struct diag_fabric *f, uint32_t node)
{
	const struct fab_node *n = &f->s->nodes[node];
	unsigned c = 0;

	for (unsigned p = 1; p <= n->nports; p++)
		c += fab_port_of(f, n, p)->peer != FAB_NONE;
	return c;
}

static void
nodes_compare(struct compare *x)
{
	const struct snapshot *a = x->was->s, *b = x->is->s;
	struct topo_difference *d;

	for (uint32_t i = 0; i < a->nnodes; i++) {
		const struct fab_node *n = &a->nodes[i], *m = x->to[i] == FAB_NONE ? NULL :
			&b->nodes[x->to[i]];

		if (!m) {
			d = difference_add(x, TOPO_NODE_MISSING);
			d->was[0] = port_zero(x->was, i);
			d->links = count_links(x->was, i);
		} else if (m->nports != n->nports) {
			d = difference_add(x, TOPO_NODE_PORTS);
			d->was[0] = port_zero(x->was, i);
			d->is[0] = port_zero(x->is, x->to[i]);
		}
		if (m && x->aspects & TOPO_NAMES && memcmp(n->desc, m->desc, NODE_DESC_BYTES)) {
			d = difference_add(x, TOPO_NODE_RENAMED);
			d->was[0] = port_zero(x->was, i);
			d->is[0] = port_zero(x->is, x->to[i]);
		}
	}
	for (uint32_t j = 0; j < b->nnodes; j++)
		if (x->from[j] == FAB_NONE) {
			d = difference_add(x, TOPO_NODE_EXTRA);
			d->is[0] = port_zero(x->is, j);
			d->links = count_links(x->is, j);
		}
}

/* ---- links ---- */

/* Returns the port of the other fabric that corresponds to 'p', or NULL. */
static const struct fab_port *
port_twin(const struct diag_fabric *to, const uint32_t *map, const struct fab_port *p)
{
	const struct fab_node *n;

	if (!p || map[p->node] == FAB_NONE)
		return NULL;
	n = &to->s->nodes[map[p->node]];
	return p->num > n->nports ? NULL : &to->s->ports[n->first_port + p->num];
}

static void
same_link(struct compare *x, const struct fab_port *p, const struct fab_port *q,
	const struct fab_port *r, const struct fab_port *s)
{
	struct fab_link l = fab_link_of(x->was, p), m = fab_link_of(x->is, r);
	struct topo_difference *d;

	x->out->same++;
	for (unsigned i = 0; i < 2; i++) {
		if (i == 0 ? !(x->aspects & TOPO_WIDTHS) || l.width == m.width :
		    !(x->aspects & TOPO_SPEEDS) || !strcmp(fab_speed_word(&l), fab_speed_word(&m)))
			continue;
		d = difference_add(x, i == 0 ? TOPO_CABLE_WIDTH : TOPO_CABLE_SPEED);
		d->was[0] = p;
		d->was[1] = q;
		d->is[0] = r;
		d->is[1] = s;
	}
}

/* Compares the links between matched nodes: equal ones are counted, others are marked as lost or
 * fresh. */
static void
sort_links(struct compare *x)
{
	const struct snapshot *a = x->was->s, *b = x->is->s;

	for (uint32_t i = 0; i < a->nports; i++) {
		const struct fab_port *p = &a->ports[i], *q = fab_peer_of(x->was, p),
			*r = port_twin(x->is, x->to, p), *s = port_twin(x->is, x->to, q);

		if (!q || i > p->peer)
			continue;
		x->out->links++;
		if (r && s && fab_peer_of(x->is, r) == s)
			same_link(x, p, q, r, s);
		else if (x->to[p->node] != FAB_NONE && x->to[q->node] != FAB_NONE)
			x->lost[i] = x->lost[p->peer] = true;
	}
	for (uint32_t i = 0; i < b->nports; i++) {
		const struct fab_port *p = &b->ports[i], *q = fab_peer_of(x->is, p),
			*r = port_twin(x->was, x->from, p), *s = port_twin(x->was, x->from, q);

		if (!q || i > p->peer || (r && s && fab_peer_of(x->was, r) == s))
			continue;
		if (x->from[p->node] != FAB_NONE && x->from[q->node] != FAB_NONE)
			x->fresh[i] = x->fresh[p->peer] = true;
	}
}

static void
link_is_done(bool *marks, const struct diag_fabric *f, const struct fab_port *p)
{
	if (!p)
		return;
	marks[p - f->s->ports] = false;
	if (p->peer != FAB_NONE)
		marks[p->peer] = false;
}

/* Reports whether the port that corresponds to 'p' is an end of a fresh link; stores both ends of
 * that link. */
static bool
goes_elsewhere(const struct compare *x, const struct fab_port *p, const struct fab_port **at,
	const struct fab_port **to)
{
	*at = port_twin(x->is, x->to, p);
	*to = NULL;
	if (!*at || !x->fresh[*at - x->is->s->ports])
		return false;
	*to = fab_peer_of(x->is, *at);
	return *to != NULL;
}

/* Reports the lost links p-q and r-s as swapped if the fresh links are p-s and r-q. */
static bool
swapped(struct compare *x, const struct fab_port *p, const struct fab_port *q)
{
	const struct fab_port *pi, *qi, *ps, *qr, *r, *s;
	struct topo_difference *d;

	if (!goes_elsewhere(x, p, &pi, &ps) || !goes_elsewhere(x, q, &qi, &qr))
		return false;
	s = port_twin(x->was, x->from, ps);
	r = port_twin(x->was, x->from, qr);
	if (!r || !s || r == p || fab_peer_of(x->was, r) != s || !x->lost[r - x->was->s->ports])
		return false;
	d = difference_add(x, TOPO_CABLE_SWAPPED);
	memcpy(d->was, (const struct fab_port *[]){ p, q, r, s }, sizeof(d->was));
	memcpy(d->is, (const struct fab_port *[]){ pi, ps, qr, qi }, sizeof(d->is));
	link_is_done(x->lost, x->was, p);
	link_is_done(x->lost, x->was, r);
	link_is_done(x->fresh, x->is, pi);
	link_is_done(x->fresh, x->is, qi);
	return true;
}

static void
lost_link(struct compare *x, const struct fab_port *p, const struct fab_port *q)
{
	const struct fab_port *pi, *qi, *pt, *qt;
	bool a = goes_elsewhere(x, p, &pi, &pt), b = goes_elsewhere(x, q, &qi, &qt);
	struct topo_difference *d = difference_add(x, a ||
		b ? TOPO_CABLE_MOVED : TOPO_CABLE_MISSING);

	d->was[0] = p;
	d->was[1] = q;
	if (a) {
		d->is[0] = pi;
		d->is[1] = pt;
	}
	if (b) {
		d->is[2] = qi;
		d->is[3] = qt;
	}
	link_is_done(x->lost, x->was, p);
}

/* Removes the marks of fresh links that were reported as the new place of a lost one. */
static void
forget_moved(struct compare *x)
{
	for (size_t i = 0; i < x->out->n; i++) {
		const struct topo_difference *d = &x->out->d[i];

		if (d->change != TOPO_CABLE_MOVED)
			continue;
		link_is_done(x->fresh, x->is, d->is[0]);
		link_is_done(x->fresh, x->is, d->is[2]);
	}
}

static void
links_compare(struct compare *x)
{
	const struct snapshot *a = x->was->s, *b = x->is->s;

	for (uint32_t i = 0; i < a->nports; i++)
		if (x->lost[i] && i < a->ports[i].peer)
			swapped(x, &a->ports[i], &a->ports[a->ports[i].peer]);
	for (uint32_t i = 0; i < a->nports; i++)
		if (x->lost[i] && i < a->ports[i].peer)
			lost_link(x, &a->ports[i], &a->ports[a->ports[i].peer]);
	forget_moved(x);
	for (uint32_t i = 0; i < b->nports; i++)
		if (x->fresh[i] && i < b->ports[i].peer) {
			struct topo_difference *d = difference_add(x, TOPO_CABLE_EXTRA);

			d->is[0] = &b->ports[i];
			d->is[1] = &b->ports[b->ports[i].peer];
		}
}

void
topo_compare(const struct diag_fabric *was, const struct diag_fabric *is, unsigned aspects,
	bool names, struct topo_comparison *out)
{
	struct compare x = { .was = was, .is = is, .out = out, .aspects = aspects };

	*out = (struct topo_comparison){ .n = 0 };
	x.to = xcalloc(was->s->nnodes + 1u, sizeof(*x.to));
	x.from = xcalloc(is->s->nnodes + 1u, sizeof(*x.from));
	x.lost = xcalloc(was->s->nports + 1u, sizeof(*x.lost));
	x.fresh = xcalloc(is->s->nports + 1u, sizeof(*x.fresh));
	nodes_match(&x, names);
	nodes_compare(&x);
	sort_links(&x);
	if (aspects & TOPO_CABLES)
		links_compare(&x);
	free(x.to);
	free(x.from);
	free(x.lost);
	free(x.fresh);
}

void
topo_comparison_clear(struct topo_comparison *c)
{
	free(c->d);
	*c = (struct topo_comparison){ .n = 0 };
}
