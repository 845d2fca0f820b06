/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * stored.h - forwarding tables that an earlier run stored, to answer from until a start has read
 * them.
 * Room: sm/sa (prefixes sa_stored_, sa_early_).  Pure.  docs/sa.md: after a restart.
 *
 * When discovery and the election have ended, a new master knows everything that the SA shows but
 * the forwarding tables, and reading these takes most of the time until it can serve.  So the
 * manager stores them, and after a restart the SA answers from what discovery has just found and
 * the stored tables.  What is stored says nothing about nodes, ports and links.
 *
 * Invariants: an early answer only names ports that have been seen in this start with the LID that
 * was stored, ACTIVE, and with our own LID as that of their master.  A path leads through links
 * that have been seen, by the tables as they were stored, and to its destination.  Whatever such
 * an answer does not give, is BUSY: never "no record".  Anything read from a file is checked.
 * Next: index.c for the index that both kinds of view get, sm/manager/sa_requests.c for the callers.
 */
#ifndef HEDDLE_SM_SA_STORED_H
#define HEDDLE_SM_SA_STORED_H

#include "sm/sa/sa.h"

/* ---- what to store ---- */

struct sa_stored_from {
	const struct snapshot *s;
	const struct lid_map *lids;
	const struct fwd_tables *fwd;
	/* by switch ordinal: the table in the switch may be another one; NULL: none */
	const uint64_t *unknown;
	uint64_t gid_prefix;
	uint16_t sm_lid;
};

/* A document in two parts that follow each other. */
struct sa_stored_doc {
	uint8_t *head;                  /* owned, malloc'ed */
	size_t head_bytes;
	struct fwd_rows *rows;          /* held: 'body' is there */
	const uint8_t *body;
	size_t body_bytes;
};

/* A number that changes with the nodes, links and LIDs that a snapshot shows. */
uint64_t sa_stored_print(const struct snapshot *s, const struct lid_map *lids);
/* Makes a document.  Tables with lanes are not stored, because SLs depend on more than tables:
 * then it says that there are none. */
void sa_stored_make(const struct sa_stored_from *from, struct sa_stored_doc *out);
void sa_stored_doc_clear(struct sa_stored_doc *d);

/* ---- what was stored ---- */

/* Takes 'bytes' (malloc'ed).  NULL: not a document, or an empty one; then 'why' is a sentence, or ""
 * if nothing was stored. */
struct sa_stored *sa_stored_read(uint8_t *bytes, size_t len, char *why, size_t whylen);
void sa_stored_free(struct sa_stored *d);       /* NULL is fine */

/*
 * Fits stored tables to a snapshot, of which it makes a copy.  'conf' has the members of a view that
 * come from the configuration.  NULL: they are those of another fabric; 'why' says how that shows.
 */
struct sa_early *sa_early_new(const struct sa_stored *d, const struct snapshot *s,
	const struct sa_view *conf, char *why, size_t whylen);
void sa_early_free(struct sa_early *e);         /* NULL is fine */
/* The index, as long as 'e' lives. */
struct sa_index *sa_early_index(const struct sa_early *e);
/* How many end ports fit, of how many; whether nothing else differs either. */
bool sa_early_fits(const struct sa_early *e, uint32_t *fit, uint32_t *all);
/*
 * Gives the stored tables to 's', the snapshot of sa_early_new(), as those that the switches are
 * expected to have.  False, and nothing is given: some switch that has a table has none here.
 */
bool sa_early_expect(const struct sa_early *e, struct snapshot *s);
/* Whether a request can be answered from it; whether 'out', the answer to it, may be sent.
 * Otherwise: BUSY. */
bool sa_early_can(const struct sa_early *e, const struct dgram *req);
bool sa_early_stands(const struct sa_early *e, const struct dgram *out);
/* Makes the answer BUSY. */
void sa_early_refuse(const struct sa_early *e, const struct dgram *req, struct sa_stats *stats,
	struct dgram *out);

#endif
