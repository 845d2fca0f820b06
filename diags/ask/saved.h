/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saved.h - reads a saved fabric: a document of ours, or a topology file.
 * Room: diags/ask.  diags/fabric/save.h writes them.
 */
#ifndef HEDDLE_DIAGS_ASK_SAVED_H
#define HEDDLE_DIAGS_ASK_SAVED_H

#include <stdbool.h>
#include "fabric/snapshot/capture.h"
#include "fabric/snapshot/snapshot.h"

struct diag;

struct saved {
	struct snapshot *s;    /* with the LFTs and P_Keys that were saved */
	struct capture *c;     /* NULL: the file has no answers */
	struct snapshot *twin; /* the same as 's' for whom takes the answers; NULL like 'c' */
	bool drawn;            /* it was a topology file */
};
/* Reads 'path'; the caller frees what is there.  0, or the status of a failure that is reported. */
int diag_saved_read(struct diag *d, const char *path, struct saved *saved);

#endif
