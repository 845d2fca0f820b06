/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_graph.h - the channel dependency graph, and its cycles.
 * Room: fabric/verify.  Pure.
 *
 * A channel is one virtual lane of a link in one direction, named by the switch port that receives
 * and the VL.  A packet that arrives by one channel and leaves by another holds the first while it
 * waits for the second; this is a dependency, stored as one bit for (switch, in-port, VL, out-port,
 * VL).  A cycle of dependencies is a credit loop: packets may wait for each other forever.
 *
 * Ports are numbered through all switches.  Port p has the channels p << vl_bits and up, one for
 * each VL; with vl_bits 0 there is one VL, and channels and ports have the same numbers.
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_GRAPH_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_GRAPH_H

#include "fabric/snapshot/snapshot.h"

/* The far end of a switch port; filled once per graph. */
struct chan_hop {
	/* ordinal of the switch behind the port; FAB_NONE: a host or nothing */
	uint32_t sw;
	/* the port (numbered as here) at the far end: its channels are fed; FAB_NONE */
	uint32_t chan;
};

struct chan_graph {
	/* ports of all switches, port 0 included (never used); channels */
	uint32_t nsw, nports, nchans;
	uint32_t vl_bits;               /* room for 2^vl_bits VLs */
	uint32_t *first;                /* [nsw + 1]: port 0 of each switch */
	uint32_t *sw;                   /* [nports]: the receiving switch */
	uint32_t *port;                 /* [nports]: snapshot index of the receiving port */
	size_t *word;                   /* [nsw + 1]: first word of a switch's rows */
	struct chan_hop *hop;           /* [nports]: where the port of that number *sends* to */
	/* per channel a row of words: bit (out-port << vl_bits) + VL */
	uint64_t *bits;
};

static inline uint32_t
chan_graph_words(const struct chan_graph *g, uint32_t sw)
{
	return (((g->first[sw + 1] - g->first[sw]) << g->vl_bits) + 63) / 64;
}

/* 'in' is (in-port << vl_bits) + VL. */
static inline uint64_t *
chan_graph_row(const struct chan_graph *g, uint32_t sw, uint32_t in)
{
	return &g->bits[g->word[sw] + (size_t)in * chan_graph_words(g, sw)];
}

/* Where port 'num' of switch 'sw' leads; NULL when the switch has no such port. */
static inline const struct chan_hop *
chan_graph_hop(const struct chan_graph *g, uint32_t sw, uint32_t num)
{
	return num < g->first[sw + 1] - g->first[sw] ? &g->hop[g->first[sw] + num] : NULL;
}

/* As chan_graph_add() for a packet that took the hop 'h', but without a check of what is behind the
 * out-port: chan_graph_trim() is to follow when all are noted. */
static inline void
chan_graph_note(struct chan_graph *g, const struct chan_hop *h, uint32_t out)
{
	uint64_t *row = chan_graph_row(g, h->sw, h->chan - g->first[h->sw]);

	if (out < g->first[h->sw + 1] - g->first[h->sw])
		row[out / 64] |= (uint64_t)1 << (out % 64);
}

/* An empty graph over the switches of 's', owned by 'a': with one VL; with up to 'nvls'. */
void chan_graph_init(struct chan_graph *g, const struct snapshot *s, struct arena *a);
void chan_graph_init_lanes(
	struct chan_graph *g, const struct snapshot *s, unsigned nvls, struct arena *a);
/* A graph with dependencies of its own, none yet, that shares all other members with 'g'. */
struct chan_graph chan_graph_like(const struct chan_graph *g, struct arena *a);
/* Adds all dependencies of 'from', a graph like 'g', of the switches lo..hi - 1. */
void chan_graph_merge(
	struct chan_graph *g, const struct chan_graph *from, uint32_t lo, uint32_t hi);
/* Removes all dependencies. */
void chan_graph_clear(struct chan_graph *g);
/* A packet that switch 'sw' received by 'in' leaves by 'out'; of graphs with one VL.  Ports that
 * do not exist or lead to no switch are ignored. */
void chan_graph_add(struct chan_graph *g, uint32_t sw, uint32_t in, uint32_t out);
/* Removes dependencies on ports that lead to no switch; of graphs with one VL. */
void chan_graph_trim(struct chan_graph *g);
/* Links between switches, each direction counted once (not once for each VL); and dependencies
 * (those to hosts not counted). */
uint64_t chan_graph_channels(const struct chan_graph *g);
uint64_t chan_graph_dependencies(const struct chan_graph *g);
/*
 * Strongly connected components of more than one channel (Tarjan, iterative).  'comp' [nchans]: 0
 * for a channel on no cycle; otherwise the number of its component, from 1.  Scratch memory comes
 * from 'a'.  Returns the number of components.
 */
uint32_t chan_graph_components(const struct chan_graph *g, struct arena *a, uint32_t *comp);
/* The same for channels that can be reached from those of 'starts' (bits); all others get 0.  If all
 * cycles go through a start, nothing is missed. */
uint32_t chan_graph_components_from(
	const struct chan_graph *g, const uint64_t *starts, struct arena *a, uint32_t *comp);
/* Marks the channels that have a dependency in 'g' that they have not in 'base', a graph like 'g';
 * of graphs with one VL. */
void chan_graph_added(const struct chan_graph *g, const uint64_t *base, uint64_t *starts);
/* A shortest cycle through the lowest channel of component 'which': channels into cycle[max], in
 * order. Returns its length, which may exceed 'max'. */
uint32_t chan_graph_cycle(const struct chan_graph *g, struct arena *a, const uint32_t *comp,
	uint32_t which,
	uint32_t *cycle, uint32_t max);

#endif
