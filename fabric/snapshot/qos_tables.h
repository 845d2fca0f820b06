/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_tables.h - SLtoVL and VLArbitration tables: which ones the ports of a subnet have, and what
 * is known of them.
 * Room: fabric/snapshot.  Pure.
 *
 * What was read or written is remembered from sweep to sweep, by node GUID: a switch of 36 ports
 * has 1,296 SLtoVL tables.  Equal ones are kept once per output port, equal blocks of arbitration
 * once in all.
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
 * What is known when a new sweep has found 's': a copy of 'was', which goes with 'old', what the
 * sweep before left; both NULL: nothing.  Left out is what may have changed meanwhile: all of nodes
 * that were not there, of a switch that shows another LinearFDBTop than it was left with (it was
 * reset), of ports that are not ARMED or ACTIVE.
 */
struct qos_tables *qos_tables_next(const struct qos_tables *was, const struct snapshot *old,
	const struct snapshot *s);
void qos_tables_free(struct qos_tables *q);     /* NULL is fine */
/* Copies what 't' holds, SLVL_TABLE_BYTES or VLARB_TABLE_BYTES; false: not known. */
bool qos_tables_get(const struct qos_tables *q, const struct snapshot *s, const struct qos_table *t,
	uint8_t *image);
/* Remembers; 'image' NULL: forgets.  Entries that the port does not have count as 0. */
void qos_tables_put(struct qos_tables *q, const struct snapshot *s, const struct qos_table *t,
	const uint8_t *image);
/* Bytes in use, for tests of memory. */
size_t qos_tables_bytes(const struct qos_tables *q);

#endif
