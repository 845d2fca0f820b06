/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * speed.h - link speeds of all generations in one order, as masks and as data rates.
 * Room: diags/topo.
 */
#ifndef HEDDLE_DIAGS_TOPO_SPEED_H
#define HEDDLE_DIAGS_TOPO_SPEED_H

#include "diags/fabric/fabric.h"

enum link_speed {
	LINK_SDR, LINK_DDR, LINK_QDR, LINK_FDR10, LINK_FDR, LINK_EDR, LINK_HDR, LINK_NDR, LINK_XDR,
	LINK_SPEEDS,
};

struct speed_masks {
	unsigned supported, enabled;    /* bits of enum link_speed */
};

/* What the port's registers say; extended speeds only where the capability mask has them. */
struct speed_masks speed_masks_of(const struct diag_fabric *f, const struct fab_port *p);
/* The speed in force, -1 when it is no known code. */
int speed_active(const struct fab_link *l);
const char *speed_word(int speed);
/* The fastest in a mask, -1 of none. */
int speed_best(unsigned mask);
/* Width codes by lanes: the widest in a mask, 0 of none. */
uint8_t width_best(unsigned mask);
/* Nominal Gb/s: 4x HDR is 200; 0 when not known. */
double link_nominal_gbps(uint8_t width, int speed);
/* "4x HDR (200 Gb/s)" */
#define SPEED_LINK_TEXT_BYTES 48
const char *speed_link_text(const struct fab_link *l, char buf[static SPEED_LINK_TEXT_BYTES]);

#endif
