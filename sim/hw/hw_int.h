/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hw_int.h - internal declarations shared by the files of this room.
 * Room: sim/hw (private to it).  Pure.
 */
#ifndef HEDDLE_SIM_HW_HW_INT_H
#define HEDDLE_SIM_HW_HW_INT_H

#include "sim/agents/agents.h"
#include "sim/hw/hw.h"
#include "sim/phys/phys.h"

/* ---- away.c ---- */
/* True if a packet that has reached (node) is not for the agents here. */
bool away_takes(const struct hw *h, const struct hw_packet *p, uint32_t node);

/* ---- node.c ---- */
/* Ends a reboot; 'life' is the node's power-on count when it began. */
void node_power_due(struct hw *h, uint32_t node, uint32_t life, struct monotime now);

/* ---- fault.c ---- */
/* Applies faults to a packet at (node, port), its sender ('leaving') or its receiver; false: lost
 * or queued. */
bool fault_pass(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, bool leaving,
	struct monotime now);

#endif
