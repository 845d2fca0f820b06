/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hw_int.h - internal declarations shared by the files of this room.
 * Room: sim/hw (private to it).  Pure.
 *
 * sim/hw joins two rooms below it: sim/phys has the arrays of the hardware and forwards packets,
 * sim/agents answers them.  drive.c moves a packet from its sender to its receiver; on the way it
 * calls fault_pass() at both ends of a transfer and away_takes() at the receiver.  node.c makes the
 * hardware and switches nodes on and off.  hw.h has the public functions.
 */
#ifndef HEDDLE_SIM_HW_HW_INT_H
#define HEDDLE_SIM_HW_HW_INT_H

#include "sim/agents/agents.h"
#include "sim/hw/hw.h"
#include "sim/phys/phys.h"

/* ---- away.c ---- */
/* Whether a packet that has reached 'node' must go to a client outside the simulator instead of the
 * simulated agents. */
bool away_takes(const struct hw *h, const struct hw_packet *p, uint32_t node);

/* ---- node.c ---- */
/* Ends a reboot of a node.  'life' is the power-on count when the reboot began; the call does
 * nothing if the count has changed since then. */
void node_power_due(struct hw *h, uint32_t node, uint32_t life, struct monotime now);

/* ---- fault.c ---- */
/* Applies faults to a packet at (node, port), its sender ('leaving') or its receiver; false: lost
 * or queued. */
bool fault_pass(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, bool leaving,
	struct monotime now);

#endif
