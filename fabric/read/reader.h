/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reader.h - what all readers of tables share: whom to ask next, the request, its end.
 * Room: fabric/read.  Pure.  Only the *_read.c files of this room include it.
 *
 * A reader reads one kind of table from many subjects: ports, switches, or single blocks of a
 * table. This engine keeps which subjects may be asked now and how many requests are open, makes
 * the request, and takes its end.  What an answer means, and whether its subject has more to read,
 * is the business of the reader that embeds it.  The caller's transactions (libmad/txn) limit how
 * many requests are on the wire: a reader hands out all that it has.
 *
 * Subjects that may be asked wait on a stack.  A subject whose next block is read after the one
 * before is pushed again when that was answered, so its table is finished before the next one is
 * begun.
 */
#ifndef HEDDLE_FABRIC_READ_READER_H
#define HEDDLE_FABRIC_READ_READER_H

#include "fabric/snapshot/mkeys.h"
#include "libmad/txn/txn.h"

struct reader {
	const char *name;               /* of the reader, for the report of a bug */
	const struct snapshot *s;       /* borrowed */
	struct mkeys mkeys;
	struct mkeys_last last_key;
	uint32_t *ready;                /* the stack */
	uint32_t nready, nsubjects;
	uint64_t open;                  /* requests that have not ended */
};

/* A directed route; requests point into it until they have ended. */
struct reader_path {
	uint8_t hops;
	uint8_t path[DGRAM_PATH_BYTES];
};

/* Subjects are 0..nsubjects-1; none of them is ready. */
void reader_init(struct reader *r, const char *name, const struct snapshot *s,
	const struct mkeys *mkeys, uint32_t nsubjects);
void reader_clear(struct reader *r);

/* The subject may be asked now.  At most once until reader_take() returned it. */
void reader_push(struct reader *r, uint32_t subject);
/* The subject to ask next, into '*subject'; false: none is ready. */
bool reader_take(struct reader *r, uint32_t *subject);

/*
 * Fills '*q' with a Get of 'attr_id' from the node of 'port' (index), with the M_Key of the end
 * port that answers for it, by the route 'path', which is borrowed.  Counts the request as open.
 */
void reader_request(struct reader *r, struct txn_req *q, uint32_t port, uint16_t attr_id,
	const uint8_t *path, uint8_t hops);
/* Takes the end of a request.  The 64 bytes that were answered; NULL: there was no good answer. */
const uint8_t *reader_answer(struct reader *r, const struct txn_end *e);
/* The subject that a cookie names, which is the cookie itself; a bug if there is none. */
uint32_t reader_subject(const struct reader *r, const struct txn_end *e);

/* No subject is ready, and every request has ended. */
static inline bool
reader_done(const struct reader *r)
{
	return !r->open && !r->nready;
}

#endif
