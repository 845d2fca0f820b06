/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * db.h - the SQLite file of the store. Every call may block as long as a disk access takes.
 * Room: store, private.  Only one thread at a time may use a struct db.
 *
 * Opening reads all rows, also of a damaged or read-only file (salvage.h).  After that the file is
 * only written: db_write() applies the difference between two sets of tables in one transaction.
 */
#ifndef HEDDLE_SM_STORE_DB_H
#define HEDDLE_SM_STORE_DB_H

#include "sm/store/table.h"

#define DB_WHY_BYTES 192
#define DB_NOTE_BYTES 600

struct db;

/* The result of opening a file. */
struct db_found {
	struct table t[TABLES];         /* the rows, sorted; the caller clears them */
	bool read;                      /* the file, or a part of it, was read */
	char why[DB_WHY_BYTES];         /* if opening failed: a sentence */
	/* for the log: what was damaged, salvaged or left out; or "" */
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
/* Writes the difference between 'was', the content of the file, and 'now' in one transaction.
 * Returns 0, or a negative errno with a sentence in 'why'; then the file is unchanged. */
int db_write(struct db *d, const struct table was[static TABLES],
	const struct table now[static TABLES], char why[static DB_WHY_BYTES]);
/* Reports whether the file has invalid rows that were left out. Then a write is necessary even if
 * the tables are equal. */
bool db_needs_repair(const struct db *d);
void db_close(struct db *d);            /* 'd' may be NULL */

#endif
