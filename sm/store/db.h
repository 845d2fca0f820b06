/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * db.h - the SQLite file behind the store; every call may take as long as a disk takes.
 * Room: store, private.  A struct db is used by one thread at a time.
 */
#ifndef HEDDLE_SM_STORE_DB_H
#define HEDDLE_SM_STORE_DB_H

#include "sm/store/table.h"

#define DB_WHY_BYTES 192
#define DB_NOTE_BYTES 600

struct db;

/* What opening a file found out, besides the rows. */
struct db_found {
	struct table t[TABLES];         /* the rows, sorted; the caller clears them */
	bool read;                      /* the file, or a part of it, was read */
	char why[DB_WHY_BYTES];         /* it failed: a sentence */
	/* for the log: what was damaged, salvaged, left out; or "" */
	char note[DB_NOTE_BYTES];
};

/* Opens or makes the file, and reads it.  0, or a negative errno with f->why set and '*out' NULL.
 * In either case f->t has all rows that can be read:
 * - Of a file that cannot be opened for writing (full or read-only disk, another owner, locked),
 *   all.
 * - Of a file that is corrupt, those that the damage left.  It is moved aside, and a new one is
 *   made without rows.
 * - Rows that no subnet can have are left out, and deleted from the file by the next write.
 * A file of a newer schema is -EPROTO and not touched; one of an older schema gets the tables that
 * it lacks. '*on_disk' are the tables that the file holds now: f->t, or nothing. */
int db_open(const char *path, struct db **out, struct db_found *f, bool *on_disk);
/* The difference between what the file holds, 'was', and 'now', in one transaction. */
int db_write(struct db *d, const struct table was[static TABLES],
	const struct table now[static TABLES], char why[static DB_WHY_BYTES]);
/* The file holds rows that were left out: there is something to write, though the tables are
 * equal. */
bool db_needs_repair(const struct db *d);
void db_close(struct db *d);            /* NULL is fine */

#endif
