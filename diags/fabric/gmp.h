/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * gmp.h - where requests to a performance agent of a port go, and which ports have one.
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

/* 'f' is borrowed and must outlive it. */
struct gmp_levels *gmp_levels_new(struct diag *d, const struct diag_fabric *f);
void gmp_levels_free(struct gmp_levels *l); /* NULL is fine */
/*
 * Asks the SA once for the service levels from our port to all others. 0; else the status of a
 * failure that is reported (EXIT_PARTIAL): level 0 is used, and the caller may go on.
 */
int gmp_levels_ask(struct gmp_levels *l);
/* Where requests about the port go: its LID, with the service level that is known. */
struct diag_addr gmp_addr(const struct gmp_levels *l, const struct fab_port *port);
/*
 * Whether the port's agent can be asked: its PortInfo is known, and it has a unicast LID. Of port 0
 * only on switches where it is an enhanced one.
 */
bool gmp_can_ask(const struct diag_fabric *f, const struct fab_port *p);

#endif
