/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * speed.h - link speeds of all generations in one order, as masks and as data rates.
 * Room: diags/topo.
 *
 * LinkSpeed, LinkSpeedExt and LinkSpeedExt2 are separate fields of PortInfo, and FDR10 is an
 * attribute of a vendor. Here a speed is one number that grows with the data rate, so that checks
 * can compare any two of them.
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

/* Returns the masks from PortInfo. Extended speeds count only if the capability mask has them. */
struct speed_masks speed_masks_of(const struct diag_fabric *f, const struct fab_port *p);
/* Returns the active speed, or -1 if its code is unknown. */
int speed_active(const struct fab_link *l);
/* Returns the name of a speed, "HDR", or "???". */
const char *speed_word(int speed);
/* Returns the fastest speed of a mask; -1 if the mask is empty. */
int speed_best(unsigned mask);
/* Returns the widest width code of a mask; 0 if the mask is empty. */
uint8_t width_best(unsigned mask);
/* Returns the nominal data rate in Gb/s, for example 200 for 4x HDR; 0 if it is unknown. */
double link_nominal_gbps(uint8_t width, int speed);
/* Writes "4x HDR (200 Gb/s)" to 'buf' and returns 'buf'. */
#define SPEED_LINK_TEXT_BYTES 48
const char *speed_link_text(const struct fab_link *l, char buf[static SPEED_LINK_TEXT_BYTES]);

#endif
