/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * store.h - what must survive a restart: the LID of every port, the MLID of every multicast group,
 * the intended topology.
 * Room: store.  Back end: one SQLite file (WAL, synchronous=FULL), written by one thread.
 *
 * Only store_open(), store_flush() and store_close() wait for the disk.  A store that cannot be
 * written (full, read-only, another owner's, locked) is still read.  From a damaged file,
 * everything readable is read; the file is then moved aside, never truncated.  Rows that are
 * invalid in any subnet are left out.  None of this ends the program: it continues from memory,
 * logs each change of state once, retries whenever store_status() is called, and reports ok only
 * when writing works.  One program at a time can use the file.  The caller should ignore SIGXFSZ;
 * otherwise a limit on file sizes ends the program.
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

/* The document of the intended topology is stored in chunks. */
#define STORE_CHUNK_BYTES 4000
#define STORE_TOPOLOGY_MAX (64u << 20)

struct store_status {
	bool ok;                        /* the last tables put are, or will be, on the disk */
	bool read;                      /* if not ok: the file could be read */
	bool pending;                   /* the writer has work left */
	uint64_t commits, failures;
	char path[256];                 /* the file */
	char why[192];                  /* if not ok: a sentence; otherwise "" */
};

/* Opens or creates DIR/heddle.db and starts the writer.  Always returns a store.  'log' may be
 * NULL and must outlive the store.  Lines are logged during the caller's calls, never from the
 * writer's thread. */
struct store *store_open(const char *dir, const struct log *log);
/* The table as last put, or as read at open, sorted by port GUID.  '*out' is malloc'ed (NULL
 * when empty); returns the number of rows. */
size_t store_load_lids(struct store *s, struct store_lid **out);
/* Replaces the whole table in one commit of the writer.  Copies 'rows' and never waits.
 * Unchanged rows are not written.  If tables are put faster than the disk accepts them, only the
 * last one is written. */
void store_put_lids(struct store *s, const struct store_lid *rows, size_t n);
/* The same for multicast groups, sorted by MGID. */
size_t store_load_groups(struct store *s, struct store_group **out);
void store_put_groups(struct store *s, const struct store_group *rows, size_t n);
/* A document, in one commit as all of them.  store_load_topology(): malloc'ed, NULL if there is
 * none or if a part of it is lost.  A document of more than STORE_TOPOLOGY_MAX is not kept. */
char *store_load_topology(struct store *s, size_t *len);
void store_put_topology(struct store *s, const char *text, size_t len);
/* Waits until all tables put are committed (0) or the attempt has failed (negative errno; the
 * writer retries later). */
int store_flush(struct store *s);
/* Reports the state, logs what changed, and makes the writer retry a failed write.  Call it
 * every few seconds. */
void store_status(struct store *s, struct store_status *out);
/* Flushes and frees; 's' may be NULL. */
void store_close(struct store *s);

#endif
