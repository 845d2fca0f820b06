/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * save.h - writes fabrics as documents that --load reads.
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
	/* SL-to-VL tables, of a switch for all pairs of ports, and VL arbitration tables */
	SAVE_QOS = 64,
	/* GeneralInfo of devices of the vendor with class 0x0a: firmware versions */
	SAVE_VENDOR = 128,
	SAVE_ALL = 255,
	SAVE_USUAL = SAVE_ALL & ~SAVE_QOS,
};

/* Parses "lft,pma" or "all" into bits of enum save_what. Returns false for an unknown word. */
bool save_words(const char *text, unsigned *what);
/* Reads 'what' from the whole fabric and writes it with the snapshot to 'path'. Missing answers are
 * reported and left out. Returns 0 or the status of a reported failure. */
int diag_capture(struct diag *d, const struct diag_fabric *f, unsigned what, const char *path);
/* Writes only the document; 'c' NULL: without answers. Returns as above. */
int diag_save(struct diag *d, const struct diag_fabric *f, struct capture *c, const char *path);

#endif
