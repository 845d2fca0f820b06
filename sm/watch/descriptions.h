/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * descriptions.h - reads node descriptions between sweeps, after a trap 144 reported a change.
 * Room: sm/watch.  Pure.
 *
 * A changed description does not affect routing: one Get is enough, without a sweep.  The new text
 * is written into the served snapshot when no job makes a document or a new snapshot from that one.
 */
#ifndef HEDDLE_SM_WATCH_DESCRIPTIONS_H
#define HEDDLE_SM_WATCH_DESCRIPTIONS_H

#include "sm/subnet/subnet.h"

#define DESCRIPTIONS_MAX 16             /* read at one time; for more, a heavy sweep is requested */

struct description {
	enum { DESC_FREE, DESC_WANTED, DESC_ASKED, DESC_READ } state;
	uint8_t text[NODE_DESC_BYTES];  /* DESC_READ: not yet in the served snapshot */
	uint64_t guid;
	uint8_t path[DGRAM_PATH_BYTES];
};
struct descriptions {
	struct description v[DESCRIPTIONS_MAX];
};

/* Requests that the node's description is read again, as soon as no sweep is in progress. */
void descriptions_want(struct descriptions *l, struct subnet *n, uint64_t node_guid);
/* Called while no sweep is in progress: sends the requests for the wanted descriptions. */
void descriptions_ask(struct descriptions *l, struct subnet *n);
void descriptions_on_end(struct descriptions *l, const struct subnet *n, const struct txn_end *e);
/* Called while no job reads the served snapshot's descriptions: writes received texts into the served snapshot. */
void descriptions_keep(struct descriptions *l, struct subnet *n);

#endif
