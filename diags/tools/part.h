/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * part.h - the part of the fabric that -D, -G and -n mean: found in a whole one, or asked for
 * alone.
 * Room: diags/tools.  Of iblinkinfo and ibqueryerrors.
 */
#ifndef HEDDLE_DIAGS_TOOLS_PART_H
#define HEDDLE_DIAGS_TOOLS_PART_H

#include "diags/fabric/fabric.h"

/* What was asked for: all is NULL, 0, false when the whole fabric is. */
struct part {
	const char *guid, *path;        /* -G -S; -D */
	unsigned hops;                  /* -n */
	bool all;                       /* -a: also the nodes around the one that was named */
};
bool part_is_wanted(const struct part *w);
unsigned part_reach(const struct part *w);
/*
 * The fabric, or as much of it as 'w' needs where it must be swept: then '*node' is the node that
 * was named, or ours; else
 * FAB_NONE.  0, or the status of a failure that is reported.
 */
int part_fabric(struct diag *d, const struct part *w, struct diag_fabric *f, uint32_t *node);
/* That node, in a whole fabric. */
int part_start(struct diag *d, const struct part *w, const struct diag_fabric *f, uint32_t *node);

#endif
