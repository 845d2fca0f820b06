/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fabric_int.h - the sources of a fabric, for the files of this room.
 * Room: diags/fabric.
 */
#ifndef HEDDLE_DIAGS_FABRIC_FABRIC_INT_H
#define HEDDLE_DIAGS_FABRIC_FABRIC_INT_H

#include "diags/fabric/fabric.h"

/* A part of the fabric: up to 'reach' links around the end of a route, with 'beyond' one more query
 * at each end (fabric/discover/discover.h). */
struct fabric_part {
	const struct diag_addr *from;
	unsigned reach;
	bool beyond;
};
/* Discovers the fabric from the own port, or only a 'part' (NULL: all). Returns 0 or the status of
 * a reported failure. */
int fabric_sweep(struct diag *d, unsigned wants, const struct fabric_part *part,
	struct snapshot **s);
/* Returns the snapshot of the heddled on this host. Returns a negative errno, not reported, if
 * there is none, if it has no snapshot yet, or if it uses another port than the tool was told to
 * use. */
int fabric_from_daemon(struct diag *d, struct snapshot **s);
/* Returns diag_fabric.order of a snapshot; the caller frees it. */
uint32_t *fabric_order(const struct snapshot *s);

#endif
