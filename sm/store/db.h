/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * db.h - the SQLite file behind the store; every call may take as long as a disk takes.
 * Room: store, private.  A struct db is used by one thread at a time.
 */
#ifndef HEDDLE_SM_STORE_DB_H
#define HEDDLE_SM_STORE_DB_H

#include "sm/store/store.h"

#define DB_WHY_BYTES 192
#define DB_SCHEMA 1             /* PRAGMA user_version */

struct db;

/* Opens or makes the file.  A file that is corrupt or none of SQLite's is moved aside to *.corrupt-N and a new
 * one is made ('moved' then holds its new name, else "").  0, or a negative errno with 'why' set and '*out'
 * NULL; a file of a newer schema is -EPROTO and left alone. */
int db_open(const char *path, struct db **out, char moved[static 300], char why[static DB_WHY_BYTES]);
/* All rows, by port GUID: malloc'ed; rows that cannot be (LID 0, above 0xbfff, LMC above 7) are left out. */
int db_read_lids(struct db *d, struct store_lid **out, size_t *n, char why[static DB_WHY_BYTES]);
/* What differs between two tables that are sorted by GUID, in one transaction: 'was' is what the file holds. */
int db_write_lids(struct db *d, const struct store_lid *was, size_t nwas, const struct store_lid *now, size_t nnow,
	char why[static DB_WHY_BYTES]);
void db_close(struct db *d);            /* NULL is fine */

#endif
