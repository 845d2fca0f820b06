/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_read.h - reads the SLtoVL and VLArbitration tables that are not known.
 * Room: fabric/read.  Pure: it hands out questions and takes in answers; txn sends them.
 * Only a manager with quality of service to keep needs them, so that nobody else pays for them.
 */
#ifndef HEDDLE_FABRIC_READ_QOS_READ_H
#define HEDDLE_FABRIC_READ_QOS_READ_H

#include "fabric/snapshot/mkeys.h"
#include "fabric/snapshot/qos_tables.h"
#include "libmad/txn/txn.h"

struct qos_read_conf {
	struct mkeys mkeys;
	/* SLtoVL tables of a switch that takes all of them in one request: that costs less than
	 * to look. */
	bool skip_optimized;
};

struct qos_reader;

/*
 * Looks for the first question: where everything is known, at all there is.
 * Borrows the snapshot and the tables, into which the answers go.  Tables of ports that are not
 * ARMED or ACTIVE are not asked for: what a link held before it went down is of no use.
 */
struct qos_reader *qos_reader_new(const struct snapshot *s, struct qos_tables *q,
	const struct qos_read_conf *c);
/* Not before all its requests have ended: they borrow their paths.  NULL is fine. */
void qos_reader_free(struct qos_reader *r);
/* The next question; false: all are out.  Its target is the node's index, its cookie has 48
 * bits. */
bool qos_reader_next(struct qos_reader *r, struct txn_req *q);
/* What was not answered well stays unknown: whoever wants something there writes it. */
void qos_reader_end(struct qos_reader *r, const struct txn_end *e);
bool qos_reader_done(const struct qos_reader *r);

#endif
