/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * saved.h - reads a saved fabric: a JSON document of Heddle, or a topology file.
 * Room: diags/ask. diags/fabric/save.h writes the documents.
 *
 * A document has a snapshot. A capture also has the answers of the nodes, which replay.h uses to
 * answer requests.
 */
#ifndef HEDDLE_DIAGS_ASK_SAVED_H
#define HEDDLE_DIAGS_ASK_SAVED_H

#include <stdbool.h>
#include "fabric/snapshot/capture.h"
#include "fabric/snapshot/snapshot.h"

struct diag;

struct saved {
	struct snapshot *s;    /* with the saved LFTs and P_Keys */
	struct capture *c;     /* NULL: the file has no answers */
	/* a second copy of 's', for the replay, which takes it; NULL if 'c' is NULL */
	struct snapshot *twin;
	bool drawn;            /* the file was a topology file */
};
/* Reads 'path' into '*saved'; the caller frees its members. Returns 0 or the status of a reported
 * failure. */
int diag_saved_read(struct diag *d, const char *path, struct saved *saved);

#endif
