/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chassis.h - nodes that share a box: by their common system image GUID, with slots where the
 * description tells them.
 * Room: diags/fabric.  Pure.
 * Of vendors with a scheme of their own, "MF0;SYSTEM:TYPE/SLOT/Un" descriptions are understood;
 * boxes of chips that were sold with device ids for their slots (15 years ago) are grouped like all
 * others.
 */
#ifndef HEDDLE_DIAGS_FABRIC_CHASSIS_H
#define HEDDLE_DIAGS_FABRIC_CHASSIS_H

#include "diags/fabric/fabric.h"

enum chassis_slot { CHASSIS_SLOT_NONE, CHASSIS_SLOT_LINE, CHASSIS_SLOT_SPINE };

struct chassis_node {
	unsigned chassis;               /* number from 1; 0: in none with others */
	enum chassis_slot slot;
	unsigned slot_number, chip;
	char type[32];                  /* of the box, "" unknown */
};

struct chassis_map {
	struct chassis_node *nodes;     /* by node index */
	unsigned count;
	uint64_t *guids;                /* of chassis 1..count at [number - 1] */
	unsigned *shown;                /* the numbers in the order in which they are listed */
};

void chassis_find(const struct diag_fabric *f, struct chassis_map *m);
void chassis_clear(struct chassis_map *m);
/* The number outside on the box of a port, 0: none is known. */
unsigned chassis_ext_port(const struct diag_fabric *f, const struct chassis_map *m,
	const struct fab_port *p);

#endif
