/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settled.c - ports whose input is the same as in the sweep before.
 * Room: sm/diff.  Pure.
 *
 * The ports of both snapshots are paired by the GUID of their node and their number.  A pair is
 * alike if everything is equal that the comparison of this port takes from the port itself, from
 * its node and from its part of the plan.  A port is settled as before if it is alike, and so are
 * its peer and port 0 of its switch.  So every port that is not alike unsettles these others, and
 * each image is looked at once.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/diff/diff_int.h"
#include "sm/diff/settled.h"
#include "util/bisect.h"
#include "util/grow.h"
#include "util/xalloc.h"

/* Nodes that are in a row in both snapshots, and their ports: ports first..first+n-1 are
 * was..was+n-1 of the snapshot before. */
struct pair_run {
	uint32_t node, node_was, nnodes;
	uint32_t first, was, n;
};

struct pairing {
	const struct snapshot *s, *before;
	const struct plan *plan, *plan_before;
	struct pair_run *runs;          /* by 'first' */
	size_t nruns, cap;
	size_t at;                      /* the run found last */
	uint64_t *unlike;               /* by port index of 's' */
};

/* ---- pairs ---- */

static void
pair_node(struct pairing *p, uint32_t node, uint32_t was)
{
	const struct fab_node *n = &p->s->nodes[node];
	struct pair_run *r = p->nruns ? &p->runs[p->nruns - 1] : NULL;

	if (!r || r->node + r->nnodes != node || r->node_was + r->nnodes != was) {
		GROW(p->runs, p->nruns, p->cap, 16);
		r = &p->runs[p->nruns++];
		*r = (struct pair_run){ node, was, 0, n->first_port,
			p->before->nodes[was].first_port, 0 };
	}
	r->nnodes++;
	r->n += n->nports + 1u;
}

/* Both arrays of nodes are sorted by GUID. */
static void
pair_nodes(struct pairing *p)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < p->s->nnodes; i++) {
		const struct fab_node *n = &p->s->nodes[i], *was;

		while (k < p->before->nnodes && p->before->nodes[k].guid < n->guid)
			k++;
		was = k < p->before->nnodes ? &p->before->nodes[k] : NULL;
		if (was && was->guid == n->guid && was->type == n->type && was->nports == n->nports)
			pair_node(p, i, k);
	}
}

static bool
in_run(const struct pair_run *r, uint32_t port)
{
	return port - r->first < r->n;
}

/* The index in the snapshot before; FAB_NONE: it was not there, so that it is not alike. */
static uint32_t
index_before(struct pairing *p, uint32_t port)
{
	size_t i;

	if (port == FAB_NONE || !p->nruns)
		return FAB_NONE;
	if (!in_run(&p->runs[p->at], port)) {
		BISECT(i, p->nruns, p->runs[i].first + p->runs[i].n <= port);
		if (i == p->nruns || !in_run(&p->runs[i], port))
			return FAB_NONE;
		p->at = i;
	}
	return p->runs[p->at].was + (port - p->runs[p->at].first);
}

/* ---- what is equal ---- */

static bool
nodes_alike(const struct fab_node *a, const struct fab_node *b)
{
	uint8_t flags = FAB_NODE_SWITCH_INFO | FAB_NODE_CUT;

	return (a->flags & flags) == (b->flags & flags) &&
		(!fab_is_switch(a) ||
			ATTR_GET(switch_info, enhanced_port0, a->switch_info) ==
				ATTR_GET(switch_info, enhanced_port0, b->switch_info));
}

/* The images, but for the port by which a switch was asked: that depends on the way of the
 * request, and is not written. */
static bool
images_alike(const uint8_t *a, const uint8_t *b)
{
	const size_t at = ATTR_AT(port_info, local_port);

	return memcmp(a, b, at) == 0 &&
		memcmp(a + at + 1, b + at + 1, PORT_INFO_BYTES - at - 1) == 0;
}

static bool
ports_alike(struct pairing *p, uint32_t port, uint32_t was)
{
	const struct fab_port *a = &p->s->ports[port], *b = &p->before->ports[was];
	uint8_t flags = FAB_PORT_INFO | FAB_PORT_FAILED;

	return (a->flags & flags) == (b->flags & flags) && a->guid == b->guid &&
		index_before(p, a->peer) == b->peer && images_alike(a->info, b->info);
}

static void
compare_node(struct pairing *p, const struct fab_node *n, const struct fab_node *was)
{
	uint32_t a = n->first_port, b = was->first_port, count = n->nports + 1u;
	bool alike = nodes_alike(n, was);
	bool planned = alike && plan_ports_alike(p->plan, a, p->plan_before, b, count);

	for (uint32_t i = 0; i < count; i++) {
		if (alike && ports_alike(p, a + i, b + i) &&
			(planned || plan_ports_alike(p->plan, a + i, p->plan_before, b + i, 1)))
			continue;
		bits_set(p->unlike, a + i);
	}
}

static void
find_unlike(struct pairing *p)
{
	uint32_t next = 0;

	for (size_t i = 0; i < p->nruns; i++) {
		const struct pair_run *r = &p->runs[i];

		for (; next < r->first; next++)
			bits_set(p->unlike, next);
		next = r->first + r->n;
		for (uint32_t k = 0; k < r->nnodes; k++)
			compare_node(p, &p->s->nodes[r->node + k],
				&p->before->nodes[r->node_was + k]);
	}
	for (; next < p->s->nports; next++)
		bits_set(p->unlike, next);
}

/* ---- what follows ---- */

static void
copy_settled(const struct pairing *p, const uint64_t *were, uint64_t *settled)
{
	for (size_t i = 0; i < p->nruns; i++)
		for (uint32_t k = 0; k < p->runs[i].n; k++)
			if (bits_test(were, p->runs[i].was + k))
				bits_set(settled, p->runs[i].first + k);
}

/* The port is not alike: whatever takes something from it is not settled. */
static void
unsettle(const struct snapshot *s, uint32_t port, uint64_t *settled)
{
	const struct fab_port *p = &s->ports[port];
	const struct fab_node *n = &s->nodes[p->node];

	bits_clear(settled, port);
	if (p->peer != FAB_NONE)
		bits_clear(settled, p->peer);
	for (unsigned i = 1; !p->num && fab_is_switch(n) && i <= n->nports; i++)
		bits_clear(settled, n->first_port + i);
}

uint64_t *
settled_still(const struct observed *o, const struct plan *plan, const struct diff_before *before)
{
	const uint64_t *were = before && before->observed ? before->observed->settled : NULL;
	struct pairing p = { .s = o->s, .plan = plan };
	uint64_t *settled;
	size_t i;

	if (!were || !plan_rules_alike(plan, before->plan))
		return NULL;
	p.before = before->observed->s;
	p.plan_before = before->plan;
	p.unlike = xcalloc(BITS_WORDS(o->s->nports) + 1, sizeof(*p.unlike));
	settled = xcalloc(BITS_WORDS(o->s->nports) + 1, sizeof(*settled));
	pair_nodes(&p);
	find_unlike(&p);
	copy_settled(&p, were, settled);
	for (i = 0; (i = bits_next(p.unlike, o->s->nports, i)) < o->s->nports; i++)
		unsettle(o->s, (uint32_t)i, settled);
	free(p.unlike);
	free(p.runs);
	return settled;
}
