/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * perfquery_many.h - perfquery --select: PortCounters of many nodes at once.
 * Room: diags/tools.
 *
 * This is the only part of perfquery that discovers the fabric.
 */
#ifndef HEDDLE_DIAGS_TOOLS_PERFQUERY_MANY_H
#define HEDDLE_DIAGS_TOOLS_PERFQUERY_MANY_H

#include <stdbool.h>

struct diag;

/* Reads and shows the counters of all ports that --select selects, in order of node GUID and port.
 * 'extended': PortCountersExtended instead of PortCounters. Returns the exit status. */
int perf_many(struct diag *d, bool extended);

#endif
