/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * load.h - the load of each link, from two samples of the counters.
 * Room: diags/topo.
 *
 * Used for the colours of a drawing (looks.c). It blocks for the interval between the samples.
 */
#ifndef HEDDLE_DIAGS_TOPO_LOAD_H
#define HEDDLE_DIAGS_TOPO_LOAD_H

#include "diags/fabric/fabric.h"

/* Samples the counters twice, 'interval_us' apart, and returns by port index the sent share of the
 * link's data rate, 0 to 1; negative if it is unknown. The caller frees the array. */
double *link_loads(struct diag *d, const struct diag_fabric *f, int64_t interval_us);

#endif
