/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_walk.h - iterates over all SLtoVL and VLArbitration tables of a subnet.
 * Room: fabric/snapshot.  Pure.
 *
 * The reader and the writer of these tables must agree on which ones exist, so both use this walk.
 * qos_tables.h names a table and caches its contents.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_QOS_WALK_H
#define HEDDLE_FABRIC_SNAPSHOT_QOS_WALK_H

#include "fabric/snapshot/qos_tables.h"

/*
 * The tables that may be read and written: of end ports, of pairs of linked ports of a switch (with
 * port 0 as input; as output if it is enhanced).  Ports that have no link, or whose link was not
 * read at both ends, have none, nor has a node that is left out.  Consecutive tables belong to
 * different nodes as far as that is possible.
 */
struct qos_walk;

/* Borrows the snapshot. */
struct qos_walk *qos_walk_new(const struct snapshot *s);
void qos_walk_free(struct qos_walk *w);         /* NULL is fine */
/* Leaves the SLtoVL tables of a node out of the tables to come. */
void qos_walk_skip_slvl(struct qos_walk *w, uint32_t node);
/* The next table into '*t'; false: there are no more. */
bool qos_walk_next(struct qos_walk *w, struct qos_table *t);
/* True if the walk includes this table, skipped or not. */
bool qos_walk_has(const struct qos_walk *w, const struct qos_table *t);
/* The same without a walk, for single tables. */
bool qos_walk_would_have(const struct snapshot *s, const struct qos_table *t);

#endif
