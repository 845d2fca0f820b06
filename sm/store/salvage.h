/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * salvage.h - reads the readable rows of a file that cannot be opened normally: read-only, locked,
 * or damaged.
 * Room: store, private.
 *
 * It opens the file read-only and changes nothing on the disk.  salvage.c explains how it skips
 * damaged pages.
 */
#ifndef HEDDLE_SM_STORE_SALVAGE_H
#define HEDDLE_SM_STORE_SALVAGE_H

#include "sm/store/table.h"

struct salvage_result {
	int schema;                     /* of the file; 0: unknown */
	bool readable[TABLES];          /* at least part of the table was read */
	/* all rows were read; also true for a table that the file's schema does not have */
	bool complete[TABLES];
	/* left out: invalid in any subnet, or in conflict with an earlier row */
	size_t bad_rows[TABLES];
};

/* Reads the readable part of every table without writing to the disk. 't' gets sorted rows, which
 * the caller frees by table_clear(). Reads nothing from a file with a newer schema. */
void salvage_read(const char *path, struct table t[static TABLES], struct salvage_result *r);

#endif
