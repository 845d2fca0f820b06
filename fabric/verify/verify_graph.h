/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_graph.h - the channel dependency graph of one virtual lane, and its cycles.
 * Room: fabric/verify.  Pure.
 *
 * A channel is a cable in one direction, named by the switch port that receives.  A packet that
 * arrives by one channel and leaves by another holds the first while it waits for the second; this
 * is a dependency, stored as one bit for (switch, in-port, out-port).  A cycle of dependencies is a
 * credit loop: packets may wait for each other forever.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_GRAPH_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_GRAPH_H

#include "fabric/snapshot/snapshot.h"

/* The far end of a switch port; filled once per graph. */
struct chan_hop {
	/* ordinal of the switch behind the port; FAB_NONE: a host or nothing */
	uint32_t sw;
	uint32_t chan;                  /* the channel that this port feeds; FAB_NONE */
};

struct chan_graph {
	/* channels: one per switch port, port 0 included (never used) */
	uint32_t nsw, nchans;
	uint32_t *first;                /* [nsw + 1]: channel of port 0 of each switch */
	uint32_t *sw;                   /* [nchans]: the receiving switch */
	uint32_t *port;                 /* [nchans]: snapshot index of the receiving port */
	uint32_t *word;                 /* [nsw + 1]: first word of a switch's rows */
	struct chan_hop *hop;           /* [nchans]: where the port of that number *sends* to */
	uint64_t *bits;                 /* per channel (P + 64) / 64 words: out-ports */
};

static inline uint32_t
chan_graph_words(const struct chan_graph *g, uint32_t sw)
{
	return (g->first[sw + 1] - g->first[sw] + 63) / 64;
}

static inline uint64_t *
chan_graph_row(const struct chan_graph *g, uint32_t sw, uint32_t in)
{
	return &g->bits[g->word[sw] + in * chan_graph_words(g, sw)];
}

/* Where port 'num' of switch 'sw' leads; NULL when the switch has no such port. */
static inline const struct chan_hop *
chan_graph_hop(const struct chan_graph *g, uint32_t sw, uint32_t num)
{
	return num < g->first[sw + 1] - g->first[sw] ? &g->hop[g->first[sw] + num] : NULL;
}

/* An empty graph over the switches of 's', owned by 'a'. */
void chan_graph_init(struct chan_graph *g, const struct snapshot *s, struct arena *a);
/* Removes all dependencies. */
void chan_graph_clear(struct chan_graph *g);
/* A packet that switch 'sw' received by 'in' leaves by 'out'.  Ports that do not exist or lead
 * to no switch are ignored. */
void chan_graph_add(struct chan_graph *g, uint32_t sw, uint32_t in, uint32_t out);
/* Cables between switches, each direction counted; and dependencies (those to hosts not
 * counted). */
uint64_t chan_graph_channels(const struct chan_graph *g);
uint64_t chan_graph_dependencies(const struct chan_graph *g);
/*
 * Strongly connected components of more than one channel (Tarjan, iterative).  'comp' [nchans]: 0
 * for a channel on no cycle; otherwise the number of its component, from 1.  Scratch memory comes
 * from 'a'.  Returns the number of components.
 */
uint32_t chan_graph_components(const struct chan_graph *g, struct arena *a, uint32_t *comp);
/* A shortest cycle through the lowest channel of component 'which': channels into cycle[max], in
 * order. Returns its length, which may exceed 'max'. */
uint32_t chan_graph_cycle(const struct chan_graph *g, struct arena *a, const uint32_t *comp,
	uint32_t which,
	uint32_t *cycle, uint32_t max);

#endif
