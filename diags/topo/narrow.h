/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * narrow.h - reduces a fabric to the part that --select selects.
 * Room: diags/topo.
 *
 * The result is a complete snapshot, so that drawing and comparison need not know about selections.
 */
#ifndef HEDDLE_DIAGS_TOPO_NARROW_H
#define HEDDLE_DIAGS_TOPO_NARROW_H

#include "diags/fabric/fabric.h"

/*
 * Replaces '*f' by the part with the nodes that have a selected port, the links with a selected
 * end, and the nodes at the other ends. 'plan' (may be NULL) is reduced in the same way; what
 * remains in one of them remains in both, where it exists. Forwarding tables and P_Keys are
 * dropped. Without --select nothing changes. Returns 0 or the status of a reported failure: an
 * invalid expression, or nothing selected.
 */
int topo_narrow(struct diag *d, struct diag_fabric *f, struct diag_fabric *plan);

#endif
