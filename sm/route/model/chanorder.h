/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chanorder.h - a graph of channel dependencies that never gets a cycle.
 * Room: sm/route/model.  Pure; private to the room.
 *
 * A channel is all links from one switch to one neighbour, in that direction.  A packet that
 * arrives by channel x and leaves by channel y holds the buffers of x while it waits for y: y
 * depends on x, written x -> y.  Routes cannot deadlock if all their dependencies together have no
 * cycle.  Engines that choose routes one by one therefore call chanorder_add() before they use a
 * dependency: it adds the dependency, or refuses it because it would close a cycle.
 *
 * Invariants: the dependencies in use have no cycle, and pos[] is a topological order of them
 * (pos[x] < pos[y] for each x -> y).  A dependency is unknown, used or blocked; blocked means that
 * the used ones lead from y to x.  Used dependencies are only taken back by chanorder_undo(), in
 * the reverse order, together with what was blocked since.  So each dependency is searched for
 * at most once, however often an engine tries to add it.
 *
 * Use: chanorder_net_make() once per fabric, chanorder_init() once per VL; for each destination
 * chanorder_mark(), chanorder_add() for its dependencies, and then either chanorder_commit() or
 * chanorder_undo().
 * Where to look next: nue.c (one order for all destinations).
 */
#ifndef HEDDLE_SM_ROUTE_MODEL_CHANORDER_H
#define HEDDLE_SM_ROUTE_MODEL_CHANORDER_H

#include <stdbool.h>
#include "fabric/snapshot/swgraph.h"
#include "util/bits.h"

/* The channels of a graph of switches.  Channel c is groups[c]: from switch from[c] to switch
 * groups[c].to. */
struct chanorder_net {
	const struct swgraph *g;
	uint32_t n;                     /* channels */
	uint32_t *from;                 /* [n] */
	uint32_t *rev;                  /* [n]: the channel in the other direction */
	uint32_t *first;                /* [n]: the first channel of the switch it leads to */
	/* [n + 1]: the first word of a channel's row of successors, or predecessors */
	uint32_t *succ, *pred;
};

struct chanorder_entry {
	uint32_t x, y;
	bool used;                      /* otherwise blocked */
};

struct chanorder {
	const struct chanorder_net *net;
	/* bit k of the row of x: the k-th channel of the switch that x leads to */
	uint64_t *used, *blocked;
	/* bit k of the row of y: the reverse of the k-th channel of the switch that y leaves */
	uint64_t *back;
	uint32_t *pos;                  /* [n]: a topological order; a permutation */
	uint32_t *at;                   /* [n]: the channel at each position */
	uint32_t ndeps;                 /* dependencies in use */
	/* what chanorder_undo() takes back */
	struct chanorder_entry *journal;
	uint32_t njournal, cap;
	struct arena *a;
	/* scratch */
	uint32_t *ahead, *behind;
	uint64_t *ahead_at, *behind_at; /* sets of their positions; empty between calls */
};

enum chanorder_state { CHANORDER_UNKNOWN, CHANORDER_USED, CHANORDER_BLOCKED };

static inline uint32_t
chanorder_to(const struct chanorder_net *net, uint32_t c)
{
	return net->g->groups[c].to;
}

/* Whether x -> y is in use.  'y' leaves the switch that 'x' leads to. */
static inline enum chanorder_state
chanorder_state(const struct chanorder *o, uint32_t x, uint32_t y)
{
	uint32_t k = y - o->net->first[x];

	if (bits_test(o->used + o->net->succ[x], k))
		return CHANORDER_USED;
	return bits_test(o->blocked + o->net->succ[x], k) ? CHANORDER_BLOCKED : CHANORDER_UNKNOWN;
}

/* Owned by 'a'; 'g' must stay. */
void chanorder_net_make(struct chanorder_net *net, const struct swgraph *g, struct arena *a);
/* No dependencies; owned by 'a'. */
void chanorder_init(struct chanorder *o, const struct chanorder_net *net, struct arena *a);
/* Removes all dependencies.  The order begins anew, so the result of what follows does not depend
 * on what was there before. */
void chanorder_clear(struct chanorder *o);
/* Uses x -> y.  False: it would close a cycle, and nothing is changed. */
bool chanorder_add(struct chanorder *o, uint32_t x, uint32_t y);
/* The present point of the journal. */
static inline uint32_t
chanorder_mark(const struct chanorder *o)
{
	return o->njournal;
}
/* Takes back what was added since 'mark'. */
void chanorder_undo(struct chanorder *o, uint32_t mark);
/* Keeps all that was added: it cannot be undone any more.  Earlier marks are void. */
static inline void
chanorder_commit(struct chanorder *o)
{
	o->njournal = 0;
}

#endif
