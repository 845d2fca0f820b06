/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * load.h - the load of each link, from two samples of the counters.
 * Room: diags/topo.
 */
#ifndef HEDDLE_DIAGS_TOPO_LOAD_H
#define HEDDLE_DIAGS_TOPO_LOAD_H

#include "diags/fabric/fabric.h"

/* Per port index: what it sends as a share of what it could, below 0 where it is not known. Owned
 * by the caller. */
double *link_loads(struct diag *d, const struct diag_fabric *f, int64_t interval_us);

#endif
