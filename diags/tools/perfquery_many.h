/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * perfquery_many.h - perfquery --select: PortCounters of many nodes at once.
 * Room: diags/tools.
 */
#ifndef HEDDLE_DIAGS_TOOLS_PERFQUERY_MANY_H
#define HEDDLE_DIAGS_TOOLS_PERFQUERY_MANY_H

#include <stdbool.h>

struct diag;

/* Reads and shows all ports that --select names, by node GUID and port; returns the exit status. */
int perf_many(struct diag *d, bool extended);

#endif
