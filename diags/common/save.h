/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * save.h - fabrics as documents that --load reads again: what was found, and with it the answers that reports are made from.
 * Room: diags.
 */
#ifndef HEDDLE_DIAGS_COMMON_SAVE_H
#define HEDDLE_DIAGS_COMMON_SAVE_H

#include "diags/common/fabric.h"
#include "fabric/snapshot/capture.h"

enum save_what {
	SAVE_LFT = 1, SAVE_MFT = 2, SAVE_PKEYS = 4, SAVE_GUIDS = 8, SAVE_SM = 16, SAVE_PMA = 32,
	SAVE_QOS = 64,                  /* SLtoVL, of a switch for all pairs of ports, and VLArbitration */
	SAVE_VENDOR = 128,              /* GeneralInfo of devices of the vendor whose class is known: firmware */
	SAVE_ALL = 255,
	SAVE_USUAL = SAVE_ALL & ~SAVE_QOS,
};

/* "lft,pma" or "all"; false: a word is not known. */
bool save_words(const char *text, unsigned *what);
/*
 * Asks the whole fabric for 'what' and writes all to 'path'.  What is not answered is reported, and left out.  0, or the
 * status of a failure that is reported.
 */
int diag_capture(struct diag *d, const struct diag_fabric *f, unsigned what, const char *path);
/* Writes the document alone; 'c' NULL: only what was found. */
int diag_save(struct diag *d, const struct diag_fabric *f, struct capture *c, const char *path);

struct saved {
	struct snapshot *s;             /* with the LFTs and P_Keys that were kept */
	struct capture *c;              /* NULL: the file has no answers */
	struct snapshot *twin;          /* the same as 's' for whom takes the answers; NULL like 'c' */
	bool drawn;                     /* it was a topology file */
};
/* Reads a document or a topology file; the caller frees what is there.  0, or the status of a failure that is reported. */
int diag_read_saved(struct diag *d, const char *path, struct saved *saved);

#endif
