/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_tables.h - cached contents of SLtoVL and VLArbitration tables.
 * Room: fabric/snapshot.  Pure.
 *
 * Tables that were read or written are cached from sweep to sweep, by node GUID, because a switch
 * of 36 ports has 1,296 SLtoVL tables.  Equal SLtoVL tables are stored once per output port, equal
 * blocks of arbitration once in total.  qos_walk.h lists which tables exist.
 */
#ifndef HEDDLE_FABRIC_SNAPSHOT_QOS_TABLES_H
#define HEDDLE_FABRIC_SNAPSHOT_QOS_TABLES_H

#include "fabric/snapshot/snapshot.h"

#define QOS_VLARB_BLOCKS 4u             /* low 0-31, low 32-63, high 0-31, high 32-63 */
#define QOS_VLARB_BLOCK_ENTRIES 32u

/* One table. */
struct qos_table {
	uint32_t port;                  /* index: an end port, or the output port of a switch */
	uint8_t in;                     /* SLtoVL of a switch: number of the input port; else 0 */
	uint8_t block;                  /* 0: SLtoVL; else 1..QOS_VLARB_BLOCKS of VLArbitration */
};

/* The modifier that names a table on the wire. */
uint32_t qos_table_modifier(const struct snapshot *s, const struct qos_table *t);
/* How many entries of that block of VLArbitration the port has: 0..32. */
unsigned qos_vlarb_entries(const struct fab_port *p, unsigned block);

struct qos_tables;
/*
 * The cache for a new sweep 's': a copy of 'was', the cache of the previous sweep 'old'; both NULL:
 * an empty one.  Leaves out tables that may have changed: those of nodes that were not in 'old', of
 * a switch whose LinearFDBTop differs (it was reset), and of ports that are not ARMED or ACTIVE.
 */
struct qos_tables *qos_tables_next(const struct qos_tables *was, const struct snapshot *old,
	const struct snapshot *s);
void qos_tables_free(struct qos_tables *q);     /* NULL is fine */
/* Copies the contents of 't', SLVL_TABLE_BYTES or VLARB_TABLE_BYTES; false: unknown. */
bool qos_tables_get(const struct qos_tables *q, const struct snapshot *s, const struct qos_table *t,
	uint8_t *image);
/* Stores the contents of a table; 'image' NULL: unknown.  Entries that the port does not have count
 * as 0. */
void qos_tables_put(struct qos_tables *q, const struct snapshot *s, const struct qos_table *t,
	const uint8_t *image);
/* Bytes in use, for tests of memory. */
size_t qos_tables_bytes(const struct qos_tables *q);

#endif
