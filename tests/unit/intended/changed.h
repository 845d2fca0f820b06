/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * changed.h - a fabric that changes after its topology was learned, for tests.
 *
 * Things are taken away by cutting cables: a node without cables is not there.
 */
#ifndef HEDDLE_TESTS_UNIT_INTENDED_CHANGED_H
#define HEDDLE_TESTS_UNIT_INTENDED_CHANGED_H

#include "sm/intended/adopt.h"
#include "sm/intended/compare.h"
#include "tests/unit/route/made.h"

/* made_snapshot() with the index of end ports; seen from a host. */
static inline struct snapshot *
changed_made(const char *spec, const struct made_how *how)
{
	struct snapshot *s = made_snapshot(spec, how);

	for (uint32_t i = 0; i < s->nports; i++)
		if (s->ports[i].peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[i].node]))
			s->sm_port = i;
	snapshot_seal(s);
	return s;
}

static inline void
changed_unplug(struct snapshot *s, uint32_t port)
{
	uint32_t peer = s->ports[port].peer;

	if (peer == FAB_NONE)
		return;
	s->ports[port].peer = s->ports[peer].peer = FAB_NONE;
	snapshot_seal(s);
}

static inline void
changed_plug(struct snapshot *s, uint32_t a, uint32_t b)
{
	s->ports[a].peer = b;
	s->ports[b].peer = a;
	snapshot_seal(s);
}

/* Cuts a switch off and its hosts with it, or connects it again. */
static inline void
changed_switch_off(struct snapshot *s, uint32_t sw, bool off)
{
	struct fab_node *n = &s->nodes[s->switches[sw]];

	n->flags = (uint8_t)(off ? n->flags | FAB_NODE_CUT : n->flags & ~FAB_NODE_CUT);
	snapshot_seal(s);
}

/* The n-th linked port of a host, and the switch port behind it. */
static inline uint32_t
changed_host(const struct snapshot *s, uint32_t n)
{
	for (uint32_t i = 0; i < s->nendports; i++)
		if (!fab_is_switch(&s->nodes[s->ports[s->endports[i]].node]) && n-- == 0)
			return s->endports[i];
	return FAB_NONE;
}

/* The n-th port of a switch that leads to another switch (links) or to nothing. */
static inline uint32_t
changed_switch_port(const struct snapshot *s, uint32_t sw, bool linked, uint32_t n)
{
	const struct fab_node *node = &s->nodes[s->switches[sw]];

	for (unsigned p = 1; p <= node->nports; p++) {
		uint32_t peer = s->ports[node->first_port + p].peer;

		if (linked ? peer != FAB_NONE && fab_is_switch(&s->nodes[s->ports[peer].node]) :
			     peer == FAB_NONE)
			if (n-- == 0)
				return node->first_port + p;
	}
	return FAB_NONE;
}

/* The ordinal of the first switch with, or without, hosts. */
static inline uint32_t
changed_leaf(const struct intended *t, bool leaf)
{
	for (uint32_t i = 0; i < t->nsw; i++)
		if ((t->sw[i].leaf != INTENDED_NONE) == leaf)
			return i;
	return INTENDED_NONE;
}

#endif
