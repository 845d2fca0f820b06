/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * hw_int.h - what the files of this room share.
 * Room: sim/hw (private to it).  Pure.
 */
#ifndef HEDDLE_SIM_HW_HW_INT_H
#define HEDDLE_SIM_HW_HW_INT_H

#include "sim/agents/agents.h"
#include "sim/hw/hw.h"
#include "sim/phys/phys.h"

/* ---- away.c ---- */
/* Whether a packet that has reached (node) is not for the agents here. */
bool away_takes(const struct hw *h, const struct hw_packet *p, uint32_t node);

/* ---- node.c ---- */
/* The end of a reboot; 'life' is the one it began in. */
void node_power_due(struct hw *h, uint32_t node, uint32_t life, struct monotime now);

/* ---- fault.c ---- */
/* What befalls a packet at (node, port), its sender ('leaving') or its receiver; false: lost, or
 * in the queue. */
bool fault_pass(struct hw *h, struct hw_packet *p, uint32_t node, uint8_t port, bool leaving,
	struct monotime now);

#endif
