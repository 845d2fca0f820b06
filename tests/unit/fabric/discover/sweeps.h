/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * sweeps.h - what the tests of discovery share: a sweep of a fabric in the same process, what it
 * must have found, and nodes that answer wrongly.
 */
#ifndef HEDDLE_TESTS_UNIT_FABRIC_DISCOVER_SWEEPS_H
#define HEDDLE_TESTS_UNIT_FABRIC_DISCOVER_SWEEPS_H

#include "tests/unit/test.h"
#include "tests/unit/fabric/fake.h"

struct sweep_fault {
	uint32_t node, modifier;        /* FAKE_ANY */
	uint16_t attr_id;               /* 0: all */
	bool silent;
	uint16_t status;
	unsigned byte;                  /* of the answer */
	int value;                      /* -1: untouched */
};

/* A sweep with fake_conf(); and one in which the node of 'x' misbehaves. */
struct snapshot *sweep_all(struct fake *f);
struct snapshot *sweep_faulty(struct fake *f, const struct sweep_fault *x);
/* The hook of the second; 'arg' is a struct sweep_fault. */
bool sweep_hook_fault(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status);
/* The index in the snapshot of a node of the topology, FAB_NONE. */
uint32_t sweep_node(const struct fake *f, const struct snapshot *s, uint32_t topo_node);
/* The node of the topology with a name that begins with 'word' ("leaf", "sw", ...), after 'skip'
 * others. */
uint32_t sweep_named(const struct fake *f, const char *word, unsigned skip);
/* Every cable and node of the topology is in the snapshot, and none else; the paths lead there. */
void sweep_check(const struct fake *f, const struct snapshot *s);
/* The same of a sweep that asks no more than it must; clears the fabric. */
void sweep_check_exact(struct fake *f);
/* How many hosts of the snapshot were found with their cable. */
unsigned sweep_hosts_linked(const struct snapshot *s);
/* A hook: some answers are lies that could be true: other nodes' GUIDs, other ports, states, sizes.
 * 'arg' is a uint64_t, the seed. */
bool sweep_hook_lies(struct fake *f, const struct fake_ask *q, uint8_t *data, uint16_t *status);

#endif
