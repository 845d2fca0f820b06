/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * chassis.h - groups nodes into chassis by their common system image GUID, with slots where the
 * description has them.
 * Room: diags/fabric. Pure.
 *
 * Of the schemes of vendors, descriptions of the form "MF0;SYSTEM:TYPE/SLOT/Un" are understood. Old
 * chassis whose device IDs encode the slot are grouped like all others. ibnetdiscover and
 * iblinkinfo show the result.
 */
#ifndef HEDDLE_DIAGS_FABRIC_CHASSIS_H
#define HEDDLE_DIAGS_FABRIC_CHASSIS_H

#include "diags/fabric/fabric.h"

enum chassis_slot { CHASSIS_SLOT_NONE, CHASSIS_SLOT_LINE, CHASSIS_SLOT_SPINE };

struct chassis_node {
	unsigned chassis; /* number from 1; 0: the node is not in a chassis with others */
	enum chassis_slot slot;
	unsigned slot_number, chip;
	char type[32];                  /* type of the chassis; "" if unknown */
};

struct chassis_map {
	struct chassis_node *nodes;     /* by node index */
	unsigned count;
	uint64_t *guids;                /* GUID of chassis 'number' at [number - 1] */
	unsigned *shown;                /* the numbers in the order of the listing */
};

/* Fills '*m', which the caller frees by chassis_clear(). */
void chassis_find(const struct diag_fabric *f, struct chassis_map *m);
void chassis_clear(struct chassis_map *m);
/* Returns the number of a port on the outside of the chassis; 0: unknown. */
unsigned chassis_ext_port(const struct diag_fabric *f, const struct chassis_map *m,
	const struct fab_port *p);

#endif
