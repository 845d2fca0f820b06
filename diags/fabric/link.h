/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * link.h - a link as iblinkinfo prints it, and what it could be.
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
	LINK_GUIDS = 1,                 /* the peer's port GUID too */
	LINK_TIMES = 2,                 /* HOQ and VL stall count of a port that is not down */
	LINK_NO_PEER = 4,               /* as if the other end were not known */
	/* where the other end is not known, that of a port that is up is blank too */
	LINK_BLANK_PEER = 8,
};

/* What the ends of a link could agree on beyond what is in force: what both have enabled.  ""
 * nothing. */
#define LINK_HINT_BYTES 80
struct link_hint {
	char width[LINK_HINT_BYTES], speed[LINK_HINT_BYTES];    /* "4X"; "53.125 Gbps", "FDR10" */
	const char *speed_name;         /* "HDR", NULL */
};
struct link_hint link_hint(const struct diag_fabric *f, const struct fab_port *p);

/* "==( 4X  53.125 Gbps Active/ LinkUp)==>  ..." up to and with the peer and its hints; no end of
 * line. */
const char *link_text(struct diag *d, const struct diag_fabric *f, const struct chassis_map *c,
	const struct fab_port *p,
	unsigned flags, char buf[static LINK_TEXT_BYTES]);
/* "12", or two blanks: the number outside on the box, for "[%2s]". */
const char *link_ext_port(const struct diag_fabric *f, const struct chassis_map *c,
	const struct fab_port *p, char buf[static 12]);
/* {"width": "4x", "speed": "HDR"}, null where there is nothing. */
json_t *link_json_hint(const struct diag_fabric *f, const struct fab_port *p);

#endif
