/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gmp.h - the address of the performance agent of a port, and which ports have one.
 * Room: diags/fabric.
 *
 * General management packets (GMPs) are routed by LID, and travel in the service level that the SA
 * gives for the path from our port; without its answer that is level 0.
 */
#ifndef HEDDLE_DIAGS_FABRIC_GMP_H
#define HEDDLE_DIAGS_FABRIC_GMP_H

#include "diags/ask/query.h"
#include "diags/fabric/fabric.h"
#include "libmad/attr/codes.h"

struct gmp_levels;

/* Makes an empty table of service levels; 'f' is borrowed and must outlive it. */
struct gmp_levels *gmp_levels_new(struct diag *d, const struct diag_fabric *f);
void gmp_levels_free(struct gmp_levels *l); /* NULL is fine */
/* Queries the SA once for the service levels of the paths from the own port to all others. Returns
 * 0 or the status of a reported failure (EXIT_PARTIAL); then SL 0 is used, and the caller may
 * continue. */
int gmp_levels_ask(struct gmp_levels *l);
/* Returns the address of requests about a port: its LID, with the known service level. */
struct diag_addr gmp_addr(const struct gmp_levels *l, const struct fab_port *port);
/* Reports whether the agent of a port can be queried: its PortInfo is known and it has a unicast
 * LID. Port 0 counts only if it is an enhanced one. */
bool gmp_can_ask(const struct diag_fabric *f, const struct fab_port *p);

#endif
