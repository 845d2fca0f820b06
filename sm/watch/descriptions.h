/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * descriptions.h - node descriptions that are read again between sweeps, because a trap 144 says
 * that they changed.
 * Room: sm/watch.  Pure.
 *
 * A changed description moves no route: it costs one Get, and no sweep.  The served snapshot gets
 * the new text when no document is being made from it.
 */
#ifndef HEDDLE_SM_WATCH_DESCRIPTIONS_H
#define HEDDLE_SM_WATCH_DESCRIPTIONS_H

#include "sm/subnet/subnet.h"

#define DESCRIPTIONS_MAX 16             /* read again at one time; more: a heavy sweep */

struct description {
	enum { DESC_FREE, DESC_WANTED, DESC_ASKED, DESC_READ } state;
	uint8_t text[NODE_DESC_BYTES];  /* READ: to be kept when no document is being made */
	uint64_t guid;
	uint8_t path[DGRAM_PATH_BYTES];
};
struct descriptions {
	struct description v[DESCRIPTIONS_MAX];
};

/* The node's description is to be read again, as soon as no sweep is under way. */
void descriptions_want(struct descriptions *l, struct subnet *n, uint64_t node_guid);
/* No sweep is under way: asks for those that are wanted. */
void descriptions_ask(struct descriptions *l, struct subnet *n);
void descriptions_on_end(struct descriptions *l, const struct subnet *n, const struct txn_end *e);
/* No document is being made from the served snapshot: gives it the descriptions that came. */
void descriptions_keep(struct descriptions *l, struct subnet *n);

#endif
