/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * link.h - a link as iblinkinfo prints it, and its possible width and speed.
 * Room: diags/fabric.
 *
 * The text is that of infiniband-diags to the byte. A hint says that both ends support and have
 * enabled a greater width or speed than is active.
 */
#ifndef HEDDLE_DIAGS_FABRIC_LINK_H
#define HEDDLE_DIAGS_FABRIC_LINK_H

#include "diags/fabric/chassis.h"

#define LINK_TEXT_BYTES 700
enum link_text_flags {
	LINK_GUIDS = 1,                 /* with the peer's port GUID */
	LINK_TIMES = 2,                 /* with HOQLife and VLStallCount, unless the port is down */
	LINK_NO_PEER = 4,               /* as if the other end were unknown */
	/* leave an unknown peer blank for every port, not only for ports that are down */
	LINK_BLANK_PEER = 8,
};

/* The width and speed above the active ones that both ends have enabled; "" if there are none. */
#define LINK_HINT_BYTES 80
struct link_hint {
	char width[LINK_HINT_BYTES], speed[LINK_HINT_BYTES];    /* "4X"; "53.125 Gbps", "FDR10" */
	const char *speed_name;         /* "HDR", or NULL */
};
/* Returns the hint for a port; empty if the link is unknown or runs at its best values. */
struct link_hint link_hint(const struct diag_fabric *f, const struct fab_port *p);

/* Writes "==( 4X  53.125 Gbps Active/ LinkUp)==>  ..." to 'buf', up to the peer and its hints,
 * without a line end. Returns 'buf'. */
const char *link_text(struct diag *d, const struct diag_fabric *f, const struct chassis_map *c,
	const struct fab_port *p,
	unsigned flags, char buf[static LINK_TEXT_BYTES]);
/* Writes the port number on the outside of the chassis, "12", or two blanks, for "[%2s]". Returns
 * 'buf'. */
const char *link_ext_port(const struct diag_fabric *f, const struct chassis_map *c,
	const struct fab_port *p, char buf[static 12]);
/* Returns {"width": "4x", "speed": "HDR"} with null for what cannot be improved; the caller owns
 * it. */
json_t *link_json_hint(const struct diag_fabric *f, const struct fab_port *p);

#endif
