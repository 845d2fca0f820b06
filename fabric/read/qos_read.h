/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_read.h - reads the SLtoVL and VLArbitration tables that are not known.
 * Room: fabric/read.  Pure: it makes requests and takes their ends; libmad/txn sends them.
 *
 * Only a manager that manages QoS needs these tables, so they are not part of every sweep.
 * reader.h describes what all readers have in common.
 */
#ifndef HEDDLE_FABRIC_READ_QOS_READ_H
#define HEDDLE_FABRIC_READ_QOS_READ_H

#include "fabric/snapshot/mkeys.h"
#include "fabric/snapshot/qos_tables.h"
#include "libmad/txn/txn.h"

struct qos_read_conf {
	struct mkeys mkeys;
	/* Skips SLtoVL tables of a switch that can set all of them in one request: writing costs
	 * less than reading. */
	bool skip_optimized;
};

struct qos_reader;

/*
 * Searches for the first unknown table, through all tables if every one is known.  Borrows the
 * snapshot and the tables, where it stores the answers.  Skips ports that are not ARMED or ACTIVE,
 * because tables from before a link went down are of no use.
 */
struct qos_reader *qos_reader_new(const struct snapshot *s, struct qos_tables *q,
	const struct qos_read_conf *c);
/* Call it only after all its requests have ended, because they borrow paths from here.  'r' may be
 * NULL. */
void qos_reader_free(struct qos_reader *r);
/* The next request; false: all were returned.  Its target is the node's index, its cookie has 48
 * bits. */
bool qos_reader_next(struct qos_reader *r, struct txn_req *q);
/* A table without a good answer stays unknown, so the manager writes it if it wants a value
 * there. */
void qos_reader_end(struct qos_reader *r, const struct txn_end *e);
bool qos_reader_done(const struct qos_reader *r);

#endif
