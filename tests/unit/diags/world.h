/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * world.h - a run of a tool and the fabric that it examines, for tests of the rooms of diags.
 *
 * Nothing is printed: the run is hushed.  A test changes the snapshot before it calls what it
 * tests, and reads errors and the exit status from the run.
 */
#ifndef HEDDLE_TESTS_UNIT_DIAGS_WORLD_H
#define HEDDLE_TESTS_UNIT_DIAGS_WORLD_H

#include "diags/core/context.h"
#include "diags/core/status.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/codes.h"
#include "libmad/attr/sm_attr.h"
#include "tests/unit/diags/fake.h"

struct capture;

struct world {
	struct diag d;
	struct diag_fabric f;
};

/* Setup and teardown of a test: the fabric is fake_snapshot(). */
int world_begin(void **state);
int world_end(void **state);
/* Replaces the fabric of 'f', which may be empty; 's' is taken. */
void world_fabric(struct diag_fabric *f, struct snapshot *s);
/* Requests are answered from both from now on, which are taken; 'c' may be NULL. */
void world_answer(struct diag *d, struct snapshot *s, struct capture *c);
/* The run has --load: the file is not read, for world_answer() answers. */
void world_load(struct diag *d);

/*
 * A switch "spine" (GUID 0x100) with 'leaves' switches "leaf-0" ... (0x1000, 0x2000 ...) at its
 * ports 1 ..., each with hosts "host-0-0" ... (0x1010, 0x1020 ...) at its ports 1 ...; a leaf has
 * its spine at the port behind them, and one port free.  LIDs are 1, 2 ... in the order of GUIDs.
 */
struct snapshot *world_star(unsigned leaves, unsigned hosts);
/* The node of a GUID and a port of it; the test fails if it is not there. */
struct fab_node *world_node(const struct snapshot *s, uint64_t guid);
struct fab_port *world_port(const struct snapshot *s, uint64_t guid, uint8_t num);
/* Pulls the cable out of a port: both ends are down. */
void world_unplug(struct snapshot *s, uint64_t guid, uint8_t num);
/* Cables two free ports with one another. */
void world_plug(struct snapshot *s, uint64_t a, uint8_t port_a, uint64_t b, uint8_t port_b);
/* Sets a field of a port's PortInfo, by its row: WORLD_SET(p, lid, 7). */
#define WORLD_SET(p, row, v) wire_bits_put((p)->info, port_info_at_##row, port_info_bits_##row, (v))
/* The same of all ports of a snapshot. */
#define WORLD_SET_ALL(s, row, v) \
	do { \
		for (uint32_t at_ = 0; at_ < (s)->nports; at_++) \
			WORLD_SET(&(s)->ports[at_], row, v); \
	} while (0)
/* Gives a switch a forwarding table: 'out' has the ports for LIDs 0 .. n - 1, 255 the rest. */
void world_lft(struct snapshot *s, uint64_t guid, const uint8_t *out, unsigned n);

#endif
