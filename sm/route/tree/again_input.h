/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * again_input.h - the input of a run by places, to be compared with that of the next.
 * Room: sm/route/tree.  Pure; private to the room.
 *
 * Nodes and ports have other indices in every sweep in which a node went or came.  What tables
 * follow from is where the switches of the intended topology have links, and which LIDs are behind
 * which of their ports: that is kept, in the numbers of the frame.
 */
#ifndef HEDDLE_SM_ROUTE_TREE_AGAIN_INPUT_H
#define HEDDLE_SM_ROUTE_TREE_AGAIN_INPUT_H

#include "sm/route/tree/frame.h"

struct again_input {
	struct intended intended;
	uint32_t width;                 /* the most ports of a switch, and one */
	uint32_t *far;                  /* [nsw][width]: frame.h; [0]: the LMC << 16 | LID of the switch */
	uint32_t *ordinal;              /* [nsw]: before that of the frame */
	struct route_absent *absent;    /* 'sw': of the frame */
	uint32_t nabsent, cap;
	uint16_t top;
};

enum again_news {
	AGAIN_LINKS = 1,                /* the mark of their switches is set */
	AGAIN_LIDS = 2,                 /* LIDs, or hosts without one */
	AGAIN_SWITCHES = 4,             /* a switch went or came: another has its ordinal */
};

void again_input_keep(struct again_input *k, const struct frame *f, const struct route_in *in,
	struct arena *a);
/* Keeps another input of the same intended topology, and gives the frame its numbers.  'news': what is
 * not as before; 'mark' [nsw]: set to 'bit' or 0.  False: more differs, what was kept is void. */
bool again_input_take(struct again_input *k, struct frame *f, const struct route_in *in,
	struct arena *a, uint8_t *mark, uint8_t bit, unsigned *news);

#endif
