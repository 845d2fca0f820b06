/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * qos_fabric.h - a fabric with tables of lanes, for tests of their walk, store and reader.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_SNAPSHOT_QOS_FABRIC_H
#define HEDDLE_TESTS_UNIT_FABRIC_SNAPSHOT_QOS_FABRIC_H

#include "tests/unit/test.h"
#include "fabric/snapshot/qos_tables.h"

/* The one that a test looks at: a torus, all links ACTIVE, LinearFDBTop 77, every second switch
 * optimized. */
struct qos_fabric {
	struct snapshot *s;
	struct qos_tables *q;
	/* ports: of a host; the one before it; another linked one of that switch */
	uint32_t host, leaf, core;
};
extern struct qos_fabric qf;

int qos_fabric_setup(void **state);
int qos_fabric_teardown(void **state);
/* Changes what a port says of itself. */
void qos_fabric_edit(uint32_t port, unsigned state, unsigned low, unsigned high);
/* The number of linked ports of a node. */
unsigned qos_fabric_degree(uint32_t node);
/* How many tables there have to be, with so many blocks of arbitration each; counted without the
 * walk. */
unsigned qos_fabric_expected(unsigned blocks);
/* Stores an image of equal bytes; forgets it; its last byte, -1: not known. */
void qos_fabric_put(uint32_t port, unsigned in, unsigned block, uint8_t byte);
void qos_fabric_forget(uint32_t port, unsigned in, unsigned block);
int qos_fabric_got(uint32_t port, unsigned in, unsigned block);
/* The store of the next sweep, whose snapshot is the same object after edits. */
void qos_fabric_next(const struct snapshot *old);
/* How many tables are known. */
unsigned qos_fabric_known(void);

#endif
