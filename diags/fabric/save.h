/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * save.h - fabrics as documents that --load reads again.
 * Room: diags/fabric.
 *
 * A document has the snapshot, and with a capture also the answers that reports are made from:
 * tables, counters, SMInfo. A tool with --load then shows what it would have shown live
 * (diags/ask/replay.h). diags/ask/saved.h reads the documents; docs/discovery.md has their members.
 */
#ifndef HEDDLE_DIAGS_FABRIC_SAVE_H
#define HEDDLE_DIAGS_FABRIC_SAVE_H

#include "diags/fabric/fabric.h"
#include "fabric/snapshot/capture.h"

enum save_what {
	SAVE_LFT = 1, SAVE_MFT = 2, SAVE_PKEYS = 4, SAVE_GUIDS = 8, SAVE_SM = 16, SAVE_PMA = 32,
	SAVE_QOS = 64, /* SLtoVL, of a switch for all pairs of ports, and VLArbitration */
	SAVE_VENDOR = 128, /* GeneralInfo of devices of the vendor whose class is known: firmware */
	SAVE_ALL = 255,
	SAVE_USUAL = SAVE_ALL & ~SAVE_QOS,
};

/* "lft,pma" or "all"; false: a word is not known. */
bool save_words(const char *text, unsigned *what);
/*
 * Asks the whole fabric for 'what' and writes all to 'path'. What is not answered is reported, and
 * left out. 0, or the status of a failure that is reported.
 */
int diag_capture(struct diag *d, const struct diag_fabric *f, unsigned what, const char *path);
/* Writes the document alone; 'c' NULL: only what was found. */
int diag_save(struct diag *d, const struct diag_fabric *f, struct capture *c, const char *path);

#endif
