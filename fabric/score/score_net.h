/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * score_net.h - a fabric with its tables, arranged for following many paths.
 * Room: fabric/score.  Private to the room.
 *
 * Ports of switches are numbered through: port n of switch sw is first[sw] + n.  A walk of a column
 * (all entries for one LID) visits each switch once and leaves the switches in an order in which
 * each follows its next one, so loads are pushed backwards and properties of paths forwards
 * along it.
 */
#ifndef HEDDLE_FABRIC_SCORE_SCORE_NET_H
#define HEDDLE_FABRIC_SCORE_SCORE_NET_H

#include "fabric/snapshot/swgraph.h"
#include "fabric/snapshot/tables.h"

struct score_host {
	uint32_t port;                  /* snapshot port index */
	uint32_t sw;                    /* ordinal of its switch */
	uint16_t lid;                   /* base LID */
	uint8_t via;                    /* port of the switch */
};

struct score_net {
	const struct snapshot *s;
	const struct lid_map *l;
	const struct fwd_tables *f;
	uint32_t nsw, nports, nlinks;   /* nlinks: ports that lead to another switch */
	uint32_t *first;                /* [nsw + 1] */
	uint32_t *to;                   /* [nports]: the switch behind a port, FAB_NONE */
	struct swgraph g;
	struct score_host *hosts;
	uint32_t nhosts;
	uint32_t *at;                   /* [nsw]: hosts of each switch */
};

/* Where walks of a column end. */
enum score_mark { SCORE_UNSEEN, SCORE_OPEN, SCORE_LOST, SCORE_GOOD };

struct score_walk {
	uint8_t *mark;                  /* [nsw] */
	uint32_t *order, norder;        /* switches walked, each after its next one */
	uint32_t *path;
};

/* Hosts in leaf order, or those of hosts[0..n) that have a LID and a switch. */
void score_net_make(struct score_net *n, const struct snapshot *s, const struct lid_map *l,
	const struct fwd_tables *f, struct arena *a);
void score_net_hosts(struct score_net *n, const uint32_t *hosts, uint32_t nhosts, struct arena *a);
void score_walk_init(struct score_walk *w, const struct score_net *n, struct arena *a);
/* Forgets all marks. */
void score_walk_begin(struct score_walk *w, const struct score_net *n);
/* Walks 'lid', which belongs to port index 'owner', from 'sw'. */
void score_walk_from(
	struct score_walk *w, const struct score_net *n, uint32_t sw, uint16_t lid, uint32_t owner);

static inline uint8_t
score_entry(const struct score_net *n, uint32_t sw, uint32_t lid)
{
	return lid <= n->f->top ? fwd_row(n->f, sw)[lid] : FAB_LFT_DROP;
}

/* The number of port 'num' of switch 'sw'; FAB_NONE if there is no such port. */
static inline uint32_t
score_port(const struct score_net *n, uint32_t sw, uint32_t num)
{
	uint32_t p = n->first[sw] + num;

	return p < n->first[sw + 1] ? p : FAB_NONE;
}

#endif
