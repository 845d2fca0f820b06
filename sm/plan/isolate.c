/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * isolate.c - removes unresponsive parts from a snapshot.
 * Room: sm/plan.  Pure.  In: the snapshot as discovered.  Out: the part of it that can be
 * configured.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/plan/isolate.h"
#include "util/bits.h"
#include "util/xalloc.h"

static void
unplug_port(struct snapshot *s, uint32_t p)
{
	uint32_t peer = s->ports[p].peer;

	if (peer == FAB_NONE)
		return;
	s->ports[p].peer = FAB_NONE;
	s->ports[peer].peer = FAB_NONE;
	s->unplugged = true;
}

static void
unplug_node(struct snapshot *s, uint32_t n)
{
	for (unsigned i = 1; i <= s->nodes[n].nports; i++)
		unplug_port(s, s->nodes[n].first_port + i);
}

static bool
port_known(const struct fab_port *p)
{
	return p->flags & FAB_PORT_INFO;
}

/* A switch that reports no forwarding table (an invalid answer) cannot route packets. */
static bool
switch_usable(const struct snapshot *s, uint32_t n)
{
	const struct fab_node *node = &s->nodes[n];

	return node->flags & FAB_NODE_SWITCH_INFO &&
		switch_info_decode(node->switch_info).lft_cap > 0 &&
		port_known(snapshot_port(s, n, 0));
}

/* Links of kept nodes are those that the sweep before has left them, or their port was read. */
static void
unplug_unknown(struct snapshot *s)
{
	for (uint32_t n = 0; n < s->nnodes; n++) {
		const struct fab_node *node = &s->nodes[n];

		if (node->flags & FAB_NODE_KEPT)
			continue;
		if (fab_is_switch(node) && !switch_usable(s, n))
			unplug_node(s, n);
		for (uint32_t p = node->first_port; p <= node->first_port + node->nports; p++)
			if (!port_known(&s->ports[p]))
				unplug_port(s, p);
	}
}

/* Whether all nodes were connected when the snapshot was sealed, and no link was removed since. */
static bool
is_whole(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->nnodes && !s->unplugged; i++)
		if (s->nodes[i].hop_count == FAB_NO_PATH)
			return false;
	return !s->unplugged;
}

/* Marks the nodes that are connected to the SM's node.  Adapters and routers do not forward, so
 * nothing is reached through one. */
static void
mark_reached(const struct snapshot *s, uint64_t *seen)
{
	uint32_t *queue = xcalloc(s->nnodes + 1, sizeof(*queue)), head = 0, tail = 0;
	uint32_t start = s->ports[s->sm_port].node;

	queue[tail++] = start;
	bits_set(seen, start);
	while (head < tail) {
		const struct fab_node *n = &s->nodes[queue[head]];
		bool own_port_only = !fab_is_switch(n);

		if (own_port_only && queue[head++] != start)
			continue;
		if (!own_port_only)
			head++;
		for (unsigned i = 1; i <= n->nports; i++) {
			uint32_t peer = s->ports[n->first_port + i].peer;

			if (peer == FAB_NONE ||
			    (own_port_only && n->first_port + i != s->sm_port) ||
			    bits_test(seen, s->ports[peer].node))
				continue;
			bits_set(seen, s->ports[peer].node);
			queue[tail++] = s->ports[peer].node;
		}
	}
	free(queue);
}

static void
recount_links(struct snapshot *s)
{
	s->nhosts = s->nlinks = 0;
	for (uint32_t p = 0; p < s->nports; p++) {
		const struct fab_port *port = &s->ports[p];

		if (port->peer == FAB_NONE)
			continue;
		s->nlinks += port->peer > p;
		s->nhosts += port->num > 0 && !fab_is_switch(&s->nodes[port->node]);
	}
}

/* The port's index if it is one end of a link between two switches; otherwise FAB_NONE. */
static uint32_t
switch_link(const struct snapshot *s, const struct plan_end *e)
{
	uint32_t n = snapshot_node_by_guid(s, e->guid), p;

	if (n == FAB_NONE || !fab_is_switch(&s->nodes[n]) || !e->port ||
	    e->port > s->nodes[n].nports)
		return FAB_NONE;
	p = s->nodes[n].first_port + e->port;
	return s->ports[p].peer != FAB_NONE &&
			fab_is_switch(&s->nodes[s->ports[s->ports[p].peer].node]) ?
		p :
		FAB_NONE;
}

static bool
all_reached(const struct snapshot *s, uint64_t *seen)
{
	uint32_t n = 0;

	memset(seen, 0, BITS_WORDS(s->nnodes) * sizeof(*seen));
	mark_reached(s, seen);
	while (n < s->nnodes && (bits_test(seen, n) || s->nodes[n].hop_count == FAB_NO_PATH))
		n++;
	return n == s->nnodes;
}

uint32_t
plan_leave_out(struct snapshot *s, const struct plan_end *ends, uint32_t n)
{
	uint64_t *seen = xcalloc(BITS_WORDS(s->nnodes) + 1, sizeof(*seen));
	uint32_t out = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t p = switch_link(s, &ends[i]), peer;

		if (p == FAB_NONE)
			continue;
		peer = s->ports[p].peer;
		unplug_port(s, p);
		out++;
		if (all_reached(s, seen))
			continue;
		s->ports[p].peer = peer;        /* no other path: keep the link */
		s->ports[peer].peer = p;
		out--;
	}
	/* directed-route SMPs over such a link are lost, too: choose other paths */
	if (out)
		snapshot_find_paths(s);
	free(seen);
	return out;
}

uint32_t
plan_isolate(struct snapshot *s, uint32_t **out)
{
	uint64_t *seen;
	uint32_t n = 0;

	*out = NULL;
	unplug_unknown(s);
	if (is_whole(s))
		return 0;
	seen = xcalloc(BITS_WORDS(s->nnodes) + 1, sizeof(*seen));
	mark_reached(s, seen);
	for (uint32_t i = 0; i < s->nnodes; i++) {
		if (bits_test(seen, i))
			continue;
		unplug_node(s, i);
		s->nodes[i].flags |= FAB_NODE_CUT;
		if (!*out)
			*out = xcalloc(s->nnodes, sizeof(**out));
		(*out)[n++] = i;
	}
	free(seen);
	recount_links(s);
	return n;
}
