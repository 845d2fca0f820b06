/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lft_read.h - reads the linear forwarding tables (LFTs) of switches after discovery.
 * Room: fabric/read.  Pure: it makes requests and takes their ends; libmad/txn sends them.
 * reader.h describes what all readers have in common.
 *
 * A table has one block for each 64 LIDs, so on a large fabric that is configured already these are
 * most of the requests of a sweep.  A manager needs them only once it is certain that it will lead:
 * discovery leaves them out (discover_conf.lft_later), and a manager that stands by reads none.
 *
 * Invariants: the snapshot does not change before lft_reader_take(); requests borrow nothing from
 * it, so what else a sweep computes of it may go on meanwhile.  A switch has at most
 * LFT_READ_SIDE outstanding requests, and its table is finished before many others are begun.
 */
#ifndef HEDDLE_FABRIC_READ_LFT_READ_H
#define HEDDLE_FABRIC_READ_LFT_READ_H

#include "fabric/snapshot/mkeys.h"
#include "fabric/snapshot/snapshot.h"
#include "libmad/txn/txn.h"

#define LFT_READ_SIDE 4u

struct lft_reader;

/*
 * Reads the blocks up to LinearFDBTop of every switch of 's' whose table is not known (lft is NULL)
 * and not empty.  Returns NULL if there is none.
 */
struct lft_reader *lft_reader_new(const struct snapshot *s, struct mkeys mkeys);
void lft_reader_free(struct lft_reader *r);     /* NULL is fine */
/* The next request; false: none now.  Its target is the node's index. */
bool lft_reader_next(struct lft_reader *r, struct txn_req *q);
void lft_reader_end(struct lft_reader *r, const struct txn_end *e);
/* True when every request has ended. */
bool lft_reader_done(const struct lft_reader *r);
/*
 * Gives what was read to 's', the snapshot of lft_reader_new().  A switch with a block that could
 * not be read gets no table, but a problem and FAB_NODE_FAILED.  Call it once, after
 * lft_reader_done().
 */
void lft_reader_take(struct lft_reader *r, struct snapshot *s);

/*
 * Instead of that: the snapshot was given the tables that the switches are expected to have, and
 * keeps them as long as the reader lives.  They are compared while the switches are read.
 */
void lft_reader_expect(struct lft_reader *r);
/* Whether a table that was expected is another one, or could not be read; it may be known before
 * all are read. */
bool lft_reader_contradicts(const struct lft_reader *r);
/* Whether all were read and are as expected. */
bool lft_reader_confirms(const struct lft_reader *r);

#endif
