/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * frame.h - the intended topology and the present fabric side by side, over the same numbers.
 * Room: sm/route/tree.  Pure; private to the room.
 *
 * Engines for trees choose ports on the intended topology and then check whether the choice is
 * legal now.  So both are models with the same switches and the same columns: first the switches
 * of the intended topology, by GUID, then those that are new.  A switch that is not there now has
 * no links in 'now', a new one none in 'whole'.
 *
 * Invariant: what a formula reads (rank, plane, divider, ids, the order of columns) comes from the
 * intended topology, so damage does not change it; new switches come after all others.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_FRAME_H
#define HEDDLE_SM_ROUTE_TREE_FRAME_H

#include "sm/route/model/model.h"

/* The places of hosts in the intended topology: switch ports and ids. */
struct frame_places {
	uint32_t *first;                /* [nknown + 1] into the others */
	uint8_t *port;                  /* of one switch: ascending */
	uint32_t *id;
};

struct frame {
	const struct intended *t;
	struct intended *learned;       /* frame_clear() frees it */
	struct route_model now, whole;  /* of 'whole', only the links differ */
	bool same;                      /* they do not differ */
	uint32_t nknown;                /* switches of the intended topology */
	uint32_t *ordinal;              /* [nsw]: in the snapshot; FAB_NONE: not there now */
	uint32_t *sw;                   /* the switch of an ordinal */
	uint32_t *node;                 /* [nsw], as in struct route_model */
	uint16_t *rank;                 /* [nsw]: 0 at the top */
	uint32_t *plane, *divider;      /* [nsw] */
	/* per switch, the number by which formulas know its own LIDs */
	uint32_t *own_id;
	uint32_t *id;                   /* per host_lids[]: id of the host */
	/* per column: its host LIDs and their ids are consecutive, one LID per host */
	bool *run;
	/* per column: the first one after it whose LIDs or ids do not go on from the one before */
	uint32_t *joined;
	struct frame_places places;
};

/* Builds the frame, or refuses (NO_SWITCH, CAP, INPUT) and explains it in 'r'.  Owned by 'a',
 * except for what frame_clear() frees, which is to be called in any case. */
enum route_code frame_make(struct frame *f, const struct route_in *in, struct arena *a,
	struct route_report *r);
void frame_clear(struct frame *f);
/* The far end of a switch port: a port of a switch ('sw' << 8 | port), a host (FRAME_FAR_HOST and
 * its LMC << 16 | LID), or nothing (FAB_NONE). */
#define FRAME_FAR_HOST (1u << 31)
/* Other switches of those that the intended topology knows, all of them, are there now.  False: the
 * snapshot has one that it does not know; numbers are void then. */
bool frame_renumber(struct frame *f, const struct snapshot *s);
/* Other links at the switches with a mark: replaces the graph of 'now' by that of the far ends,
 * 'width' for each switch.  Owned by 'a', which is cleared before. */
void frame_relink(struct frame *f, const uint32_t *far, uint32_t width, const uint8_t *mark,
	struct arena *a);
/* Other LIDs: replaces all that depends on them, owned by 'a'.  Refuses as frame_make(). */
enum route_code frame_relid(struct frame *f, const struct route_in *in, struct arena *a,
	struct route_report *r);
/* Whether a reserved LID has entries. */
bool frame_absent_counts(const struct route_in *in, const struct route_absent *b);
/* Whether each of the 64 columns from 'c' on has one LID, that of the switch. */
bool frame_single_lids(const struct frame *f, uint32_t c);
/* Ranks new switches, given the ranks of all others: as the known switch that shares more than
 * half of their neighbours with them, otherwise one below their highest neighbour. */
void frame_rank_new(const struct frame *f, uint16_t *rank, struct arena *a);

#endif
