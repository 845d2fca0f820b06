/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * db.h - the SQLite file behind the store; every call may take as long as a disk takes.
 * Room: store, private.  A struct db is used by one thread at a time.
 */
#ifndef HEDDLE_SM_STORE_DB_H
#define HEDDLE_SM_STORE_DB_H

#include "sm/store/table.h"

#define DB_WHY_BYTES 192
#define DB_SCHEMA 2             /* PRAGMA user_version; 1 had no groups */

struct db;

/* Opens or makes the file.  A file that is corrupt or none of SQLite's is moved aside to *.corrupt-N and a new
 * one is made ('moved' then holds its new name, else "").  0, or a negative errno with 'why' set and '*out'
 * NULL; a file of a newer schema is -EPROTO and left alone; one of an older schema gets the tables that it lacks. */
int db_open(const char *path, struct db **out, char moved[static 300], char why[static DB_WHY_BYTES]);
/* All rows of a table, sorted: malloc'ed; rows that no subnet can have are left out. */
int db_read(struct db *d, enum table_id id, struct table *out, char why[static DB_WHY_BYTES]);
/* The difference between what the file holds, 'was', and 'now', in one transaction. */
int db_write(struct db *d, const struct table was[static TABLES], const struct table now[static TABLES],
	char why[static DB_WHY_BYTES]);
void db_close(struct db *d);            /* NULL is fine */

#endif
