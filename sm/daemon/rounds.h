/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * rounds.h - tables that are written beside the sweeps, in rounds, and requests that are answered when theirs is written.
 * Room: sm/daemon.  groups.c (multicast tables) and aliases.c (GUID tables) have a round each.
 *
 * A round writes the changes of one phase and ends when the last Set has; what comes meanwhile waits for the next one.
 */
#ifndef HEDDLE_SM_DAEMON_ROUNDS_H
#define HEDDLE_SM_DAEMON_ROUNDS_H

#include "sm/daemon/manager.h"
#include "sm/apply/apply.h"

#define ROUND_WAITING_MAX 65536         /* requests that wait; what comes beyond is refused */
#define ROUND_WAITING_SOURCE_MAX (ROUND_WAITING_MAX / 8)        /* of one source port */

struct manager;

struct round {
	uint8_t owner;                  /* enum manager_owner: of its requests */
	uint8_t phase;                  /* enum change_phase */
	bool paused;                    /* its owner begins none */
	uint16_t gen;                   /* ends of older ones are not looked at */
	struct apply *apply;            /* NULL: none is under way */
	struct change_list list;        /* what it writes, in that phase */
	uint16_t waiting[LID_UCAST_MAX + 1];    /* requests by source LID; invalid LIDs share the first */
};

/* A granted request whose answer waits: the first member of what its owner keeps of it. */
struct waiting {
	struct dgram_addr addr;
	uint8_t mad[DGRAM_BYTES];
	bool in_round;                  /* the one under way is about it too */
};

/* Begins to write 'c', and takes it; where there is nothing in it no round begins.  Nothing of the phase is lost before round_end(). */
void round_begin(struct manager *m, struct round *r, struct changes *c);
/* Sends what may be sent now.  True: all of it has ended, or there is none. */
bool round_pump(struct manager *m, struct round *r);
/* One of its requests has ended. */
void round_take_end(struct round *r, const struct txn_end *e);
/* How many of its Sets failed. */
uint32_t round_failed(const struct round *r);
/* Forgets it; round_cancel() calls back its requests before that. */
void round_end(struct round *r);
void round_cancel(struct manager *m, struct round *r);

/* 'v', which holds 'n' of 'size' bytes and has room for '*cap', with room for one more; NULL: too many wait, 'v' is as it was. */
void *round_room(void *v, uint32_t n, uint32_t *cap, size_t size);
/* 'w' begins to wait: counts it for its source; false: too many of that source wait.  And ends to. */
bool round_admit(struct round *r, const struct waiting *w);
void round_dismiss(struct round *r, const struct waiting *w);
/* Makes the answer a refusal: no resources. */
void round_refuse(struct waiting *w);
void round_answer(struct manager *m, const struct waiting *w);

#endif
