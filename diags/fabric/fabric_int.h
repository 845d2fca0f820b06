/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * fabric_int.h - the sources of a fabric.
 * Room: diags/fabric.
 */
#ifndef HEDDLE_DIAGS_FABRIC_FABRIC_INT_H
#define HEDDLE_DIAGS_FABRIC_FABRIC_INT_H

#include "diags/fabric/fabric.h"

/* Not the whole fabric: up to 'reach' cables around the end of a route, and maybe one look beyond
 * (fabric/discover/discover.h). */
struct fabric_part {
	const struct diag_addr *from;
	unsigned reach;
	bool beyond;
};
/* Directed-route sweep from our port, or of a 'part' (NULL: all); 0, or a status with everything
 * said. */
int fabric_sweep(struct diag *d, unsigned wants, const struct fabric_part *part,
	struct snapshot **s);
/* What a heddled on this host saw; negative errno, silently, when there is none, it knows nothing
 * yet, or it looks from another port than the tool was told to. */
int fabric_from_daemon(struct diag *d, struct snapshot **s);
/* diag_fabric.order of a snapshot; free() it. */
uint32_t *fabric_order(const struct snapshot *s);

#endif
