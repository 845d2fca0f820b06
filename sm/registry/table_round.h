/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table_round.h - tables that are written beside the sweeps, and the requests that wait for them.
 * Room: sm/registry.  Pure.
 *
 * A join changes multicast tables, a GUIDInfo request changes a GUID table.  Neither waits for a
 * sweep: the changes of one kind are written in rounds.  A round takes all changes there are, sends
 * their Sets, and ends when the last Set has ended; changes that come meanwhile go into the next
 * round.  The answer to a granted request is held until the round that writes its table has ended,
 * so that a client with an answer can use what it was granted.
 *
 * Invariants: a round has at most one struct apply; requests of a round that was cancelled are
 * recognized by its number ('gen' in their cookies) and ignored; the number of held answers is
 * limited in total and per source port.  groups.c (multicast tables) and aliases.c (GUID tables)
 * have a round each.
 */
#ifndef HEDDLE_SM_REGISTRY_TABLE_ROUND_H
#define HEDDLE_SM_REGISTRY_TABLE_ROUND_H

#include "libmad/mad/dgram.h"
#include "sm/apply/apply.h"
#include "sm/subnet/subnet.h"

#define TABLE_ROUND_HELD_MAX 65536      /* answers held; requests beyond that are refused */
#define TABLE_ROUND_HELD_SOURCE_MAX (TABLE_ROUND_HELD_MAX / 8)  /* of one source port */

struct table_round {
	enum owner owner;               /* of its requests */
	enum change_phase phase;        /* of its changes */
	bool paused;                    /* no round begins */
	uint16_t gen;                   /* number of the round: ends of older rounds are ignored */
	struct apply *apply;            /* NULL: no round is under way */
	struct change_list list;        /* what the round under way writes */
	uint16_t held[LID_UCAST_MAX + 1];       /* answers by source LID; the first: invalid LIDs */
};

/*
 * The answer to a granted request: the first member of what groups.c and aliases.c keep of the
 * request.
 */
struct held_answer {
	struct dgram_addr addr;
	uint8_t mad[DGRAM_BYTES];
	bool in_round;                  /* the round under way writes its table */
};

/* Begins to write 'c' and takes it.  With no change in 'c' no round begins. */
void table_round_begin(struct table_round *r, struct subnet *net, struct changes *c);
/*
 * Sends as many requests as may be under way.  True: all of them have ended, or no round is under
 * way.
 */
bool table_round_pump(struct table_round *r, struct subnet *net);
/* A request of this owner has ended. */
void table_round_take_end(struct table_round *r, const struct txn_end *e);
/* How many Sets of the round have failed. */
uint32_t table_round_failed(const struct table_round *r);
/* Ends the round, and frees what it holds. */
void table_round_finish(struct table_round *r);
/* Cancels the requests of the round, then ends it. */
void table_round_cancel(struct table_round *r, struct subnet *net);

/*
 * Makes room for one more in the array 'v' of 'n' elements of 'size' bytes, allocated for
 * '*cap'.  Returns the array; NULL: too many answers are held, 'v' is unchanged.
 */
void *table_round_room(void *v, uint32_t n, uint32_t *cap, size_t size);
/* Counts a held answer for its source; false: that source has too many. */
bool table_round_admit(struct table_round *r, const struct held_answer *h);
/* The answer is no longer held. */
void table_round_dismiss(struct table_round *r, const struct held_answer *h);
/* Turns the answer into a refusal: no resources. */
void table_round_refuse(struct held_answer *h);
void table_round_answer(struct subnet *net, const struct held_answer *h);

#endif
