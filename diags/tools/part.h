/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * part.h - the part of the fabric that -D, -G and -n select.
 * Room: diags/tools. Used by iblinkinfo and ibqueryerrors.
 *
 * A node can be named by port GUID (-G, -S) or directed route (-D), and -n limits the distance from
 * it. If the fabric comes from a file or from heddled, the whole of it is known and part_start()
 * finds the node in it. Otherwise part_fabric() discovers only the named node and its surroundings,
 * with as few requests as infiniband-diags sends.
 */
#ifndef HEDDLE_DIAGS_TOOLS_PART_H
#define HEDDLE_DIAGS_TOOLS_PART_H

#include "diags/fabric/fabric.h"

/* The options; all are NULL, 0 or false if the whole fabric is wanted. */
struct part {
	const char *guid, *path;        /* -G or -S: a port GUID; -D: a directed route */
	unsigned hops;                  /* -n: distance in links; 0: not given */
	bool all;                       /* -a: also the nodes around the named one */
};
/* Reports whether any of the options that select a part was given. */
bool part_is_wanted(const struct part *w);
/* Returns the distance of -n, or 1 if it was not given. */
unsigned part_reach(const struct part *w);
/*
 * Provides the fabric '*f', or the part of it that 'w' selects if it has to be discovered. '*node'
 * becomes the node that was named, or the own one; it is FAB_NONE if the fabric is the whole one,
 * and the caller calls part_start(). Returns 0 or the status of a reported failure. The caller
 * clears '*f'.
 */
int part_fabric(struct diag *d, const struct part *w, struct diag_fabric *f, uint32_t *node);
/* Finds that node in a whole fabric. Returns 0 or the status of a reported failure. */
int part_start(struct diag *d, const struct part *w, const struct diag_fabric *f, uint32_t *node);

#endif
