/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * salvage.h - what can be read of a file that cannot be opened as usual: read-only, locked, or
 * damaged.
 * Room: store, private.
 */
#ifndef HEDDLE_SM_STORE_SALVAGE_H
#define HEDDLE_SM_STORE_SALVAGE_H

#include "sm/store/table.h"

struct salvage_result {
	int schema;                     /* of the file; 0: unknown */
	bool readable[TABLES];          /* at least part of the table was read */
	/* all rows were; also of a table that the file's schema does not have */
	bool complete[TABLES];
	/* left out: no subnet can have them, or they exclude an earlier row */
	size_t bad_rows[TABLES];
};

/* Reads every table of the file as far as it goes, without writing to the disk: sorted rows in 't',
 * which the caller clears.  Nothing is read of a file with a newer schema. */
void salvage_read(const char *path, struct table t[static TABLES], struct salvage_result *r);

#endif
