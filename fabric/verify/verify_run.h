/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * verify_run.h - one verification: what its parts share, and what each part owns.
 * Room: fabric/verify.  Private to the room.
 *
 * The work is divided by LIDs.  Each part has its own scratch memory, its own counters and its own
 * dependencies; they are added up in the order of the parts, so the result does not depend on their
 * number.  A *column* is the entries of all switches for one LID.  In a change, a LID whose
 * entries differ has two columns, and a packet may follow either at each switch.
 *
 * verify_check.c says in which order things are done
 * verify_walk.c  follows columns: where walks end, which turns they make
 * verify_mix.c   follows pairs of columns of a change
 * verify_lanes.c pushes sets of SLs along columns, and makes channels (port, VL) of them
 * verify_kept.c  checks a change by what was kept of the tables before
 * verify_again.c follows what was kept to the next tables
 * verify_show.c  makes a cycle into evidence
 * verify_trees.c checks multicast trees together with the tables
 */
#ifndef HEDDLE_FABRIC_VERIFY_VERIFY_RUN_H
#define HEDDLE_FABRIC_VERIFY_VERIFY_RUN_H

#include "fabric/verify/verify.h"
#include "fabric/verify/verify_graph.h"

#define VERIFY_BLOCK 64                 /* LIDs walked at a time: one cache line of each row */

enum verify_mark { MARK_UNSEEN, MARK_OPEN, MARK_GOOD, MARK_LOST, MARK_LOOPS };

struct verify_lanes;

/* LIDs at one switch whose columns were followed, and led every source there: columns like theirs,
 * to the same switch, lead there by the same turns. */
#define VERIFY_MEMOS 2
struct verify_memo {
	uint32_t lid[VERIFY_MEMOS];     /* 0: none */
	uint32_t next;                  /* the one to be replaced */
};

struct verify_part {
	struct verify_run *v;
	struct chan_graph g;            /* the part's own turns; one VL only */
	uint16_t *met;                  /* the part's own turns by SL; with a lane plan only */
	uint8_t *block[2];              /* [nsw][VERIFY_BLOCK]: the columns around a LID */
	uint32_t loaded;                /* which; UINT32_MAX: none */
	uint8_t *mark;                  /* per switch, enum verify_mark, of the LID walked */
	uint32_t *path;                 /* switches of the walk */
	uint32_t *order;                /* all switches walked, each after its next one */
	uint32_t norder;
	uint8_t *reached;               /* per switch: some packet for the LID gets there */
	uint32_t *queue;                /* ring of switches to process */
	uint8_t *queued;
	uint32_t head, nqueued;
	uint16_t *mask;                 /* [nsw][classes]: SLs that came by ports of the class */
	uint16_t *sls;                  /* [nsw]: SLs between the switch and 'dest' */
	uint32_t dest;
	struct verify_memo *memo;       /* [nsw] */
	uint64_t unreachable, unreachable_switch, loops;
	struct verify_walk lost[VERIFY_EVIDENCE_MAX];
	unsigned nlost;
};

struct verify_run {
	const struct snapshot *s;
	const struct lid_map *l;
	const struct fwd_tables *f[2];  /* in->tables, old ones */
	unsigned ntables;
	enum verify_scope scope;
	const struct stripes *stripes;
	struct verify_result *r;
	struct arena arena;
	struct chan_graph g;
	uint32_t *sources;              /* switches: first those with hosts */
	uint32_t nleaves, nsources;
	uint8_t *leaf;                  /* per switch */
	uint64_t *bad;                  /* LIDs with a wrong entry */
	uint64_t *changed;              /* LIDs with two columns; NULL: none */
	const uint64_t *which;          /* LIDs to walk; NULL: all */
	bool turns;                     /* walks add their turns to the graph */
	bool walks;                     /* LIDs are walked */
	bool mixes;                     /* changed LIDs are mixed */
	bool memos;                     /* columns like one before are not followed again */
	bool again;                     /* what was kept is followed (verify_again.c) */
	bool scanned;                   /* the turns of f[0] are in the graph */
	struct verify_lanes *lanes;     /* NULL: one VL */
	struct verify_part *parts;
	unsigned nparts;
};

static inline uint8_t
verify_entry(const struct verify_part *p, unsigned table, uint32_t sw, uint32_t lid)
{
	return p->block[table][sw * VERIFY_BLOCK + lid % VERIFY_BLOCK];
}

/* The switch that owns 'lid', or that its owner is linked to; FAB_NONE. */
uint32_t verify_dest_switch(const struct verify_run *v, uint32_t lid);
/* Fills '*v' with the turns of in->tables in v->g, and nothing else of a result; the caller clears
 * v->arena.  False: the lane plan is not valid; v->r->lanes says why. */
bool verify_turns(const struct verify_in *in, struct verify_run *v);

/* Parts with their memory; the graph, the sources and the lane plans are ready. */
void verify_parts_init(struct verify_run *v);
/* Loads the block of 'lid'. */
void verify_block_load(struct verify_part *p, uint32_t lid);
/* Walks and mixes all LIDs of the run, in stripes, and adds up the result. */
void verify_lids(struct verify_run *v);
/* Marks where walks to 'lid' from all sources end.  Its block is loaded. */
void verify_walk_all(struct verify_part *p, uint32_t lid);

/* Finds the LIDs with two columns: v->changed, r->changed. */
void verify_mix_find(struct verify_run *v);
/* Marks in p->reached where packets for 'lid' get by any mixture of its columns. */
void verify_mix_reach(struct verify_part *p, uint32_t lid);
/* Adds the turns of all mixtures to the part's graph. */
void verify_mix_add(struct verify_part *p, uint32_t lid);
/* Every source is to be processed. */
void verify_queue_sources(struct verify_part *p);
void verify_queue_put(struct verify_part *p, uint32_t sw);
/* FAB_NONE when nothing is left. */
uint32_t verify_queue_get(struct verify_part *p);

/* Writes one cycle into the result; 'comp' as from chan_graph_components(). */
void verify_show_cycle(struct verify_run *v, const uint32_t *comp);

#endif
