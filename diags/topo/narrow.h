/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * narrow.h - the part of a fabric that --select names, as a fabric of its own.
 * Room: diags/topo.
 */
#ifndef HEDDLE_DIAGS_TOPO_NARROW_H
#define HEDDLE_DIAGS_TOPO_NARROW_H

#include "diags/fabric/fabric.h"

/*
 * Leaves of 'f' the nodes that have a selected port, cables with a selected end, and the nodes at
 * their other ends. 'plan' (NULL: none) is narrowed likewise; what is in either part is in both,
 * where it exists. Tables and P_Keys are dropped. Without --select nothing happens. 0, or the
 * status of a failure that is reported: a bad expression, or nothing selected.
 */
int topo_narrow(struct diag *d, struct diag_fabric *f, struct diag_fabric *plan);

#endif
