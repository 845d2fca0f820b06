/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * reader.h - the engine of all table readers: chooses the next subject, makes its request, takes
 * its end.
 * Room: fabric/read.  Pure.  Only the *_read.c files of this room include it.
 *
 * A reader reads one kind of table from many subjects: ports, switches, or single blocks of a
 * table. This engine tracks which subjects are ready and how many requests are open, makes each
 * request, and takes its end.  The reader that embeds it interprets answers and decides whether a
 * subject has more to read.  The caller's transactions (libmad/txn) limit the number of requests on
 * the wire: a reader returns all that it has.
 *
 * Ready subjects wait on a stack.  A subject whose next block is read after the one
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

/* Marks a subject as ready.  At most once until reader_take() has returned it. */
void reader_push(struct reader *r, uint32_t subject);
/* Sets '*subject' to the next ready subject; false: none is ready. */
bool reader_take(struct reader *r, uint32_t *subject);

/*
 * Fills '*q' with a Get of 'attr_id' from the node of 'port' (index), with the M_Key of the end
 * port that answers for it, by the route 'path', which is borrowed.  Counts the request as open.
 */
void reader_request(struct reader *r, struct txn_req *q, uint32_t port, uint16_t attr_id,
	const uint8_t *path, uint8_t hops);
/* The same from node 'node' (index) with a known M_Key: reads nothing of the snapshot. */
void reader_request_keyed(struct reader *r, struct txn_req *q, uint32_t node, uint16_t attr_id,
	const struct reader_path *by, uint64_t mkey);
/* Takes the end of a request.  Returns the 64 bytes of the answer; NULL: no good answer. */
const uint8_t *reader_answer(struct reader *r, const struct txn_end *e);
/* The subject of a request: its cookie is the subject's number.  Aborts with bug() if there is no
 * such subject. */
uint32_t reader_subject(const struct reader *r, const struct txn_end *e);

/* No subject is ready, and every request has ended. */
static inline bool
reader_done(const struct reader *r)
{
	return !r->open && !r->nready;
}

#endif
