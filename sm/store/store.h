/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * store.h - what must survive a restart: the LID of every port, the MLID of every multicast group.
 * Room: store.  Back end: one SQLite file (WAL, synchronous=FULL), written by one thread.
 *
 * Nobody waits for a disk but store_open and store_flush.  A store that cannot be written - full,
 * read-only, another owner's, locked - is still read.  Of a damaged file all is read that the
 * damage left; it is moved aside, never truncated.  Rows that no subnet can have are left out.
 * None of this ends the program: it runs on from memory, logs each change of state once, tries
 * again whenever store_status() is called, and is not ok until writing works. One program at a time
 * has the file.  SIGXFSZ should be ignored, or a limit on the size of files ends the program.
 */
#ifndef HEDDLE_SM_STORE_STORE_H
#define HEDDLE_SM_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "util/log.h"

struct store;

struct store_lid {
	uint64_t port_guid;
	uint16_t base_lid;
	uint8_t lmc;
};

struct store_group {
	uint8_t mgid[16];
	uint16_t mlid;
};

struct store_status {
	bool ok;                        /* what was put last is, or will be, on the disk */
	bool read;                      /* not ok: the file was read all the same */
	bool pending;                   /* something waits for the writer */
	uint64_t commits, failures;
	char path[256];                 /* the file */
	char why[192];                  /* not ok: a sentence; else "" */
};

/* Opens or makes DIR/heddle.db and starts the writer.  Always gives a store; 'log' may be NULL and
 * must live as long as the store.  Lines are logged from inside the caller's calls, never from the
 * writer's thread. */
struct store *store_open(const char *dir, const struct log *log);
/* The table as it was put last, or as it was read at open, sorted by port GUID: '*out' is malloc'ed
 * (NULL when empty), the number of rows is returned. */
size_t store_load_lids(struct store *s, struct store_lid **out);
/* Replaces the whole table, in one commit of the writer; copies 'rows', never waits.  Rows that did
 * not change are not written.  Tables that were put faster than the disk takes them are merged: the
 * last one counts. */
void store_put_lids(struct store *s, const struct store_lid *rows, size_t n);
/* The same for multicast groups, sorted by MGID. */
size_t store_load_groups(struct store *s, struct store_group **out);
void store_put_groups(struct store *s, const struct store_group *rows, size_t n);
/* Waits until all that was put is committed (0) or has failed (negative errno; it is tried again
 * later). */
int store_flush(struct store *s);
/* Tells the state, logs what changed, and has a failed write tried again: call it every few
 * seconds. */
void store_status(struct store *s, struct store_status *out);
/* Flushes and frees; NULL is fine. */
void store_close(struct store *s);

#endif
