/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mgid_map.h - the MLID that each MGID had last, kept after its group has ended.
 * Room: sm/sub.  Pure.  In: rows of earlier runs, groups that are made.  Out: the MLID of an MGID,
 * rows to store.
 *
 * A group that is created again, also after a restart of the manager, thus gets its old MLID.  Rows
 * are ordered by age: the row put last is the youngest.  mcast.c limits them to MGID_MAP_MAX and
 * drops the oldest.  sm/store keeps the rows on disk.
 */
#ifndef HEDDLE_SM_SUB_MGID_MAP_H
#define HEDDLE_SM_SUB_MGID_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define MGID_MAP_MAX 65536u

struct mgid_row {
	uint8_t mgid[16];
	uint16_t mlid;
};

struct mgid_map;

/* Skips rows with an invalid MLID, with an MGID that occurred before, or beyond the limit. */
struct mgid_map *mgid_map_new(const struct mgid_row *rows, uint32_t n);
void mgid_map_free(struct mgid_map *m);         /* 'm' may be NULL */
uint32_t mgid_map_count(const struct mgid_map *m);
/* Returns 0 if the MGID is not known. */
uint16_t mgid_map_find(const struct mgid_map *m, const uint8_t mgid[static 16]);
/* Adds or changes a row and makes it the youngest. */
void mgid_map_put(struct mgid_map *m, const uint8_t mgid[static 16], uint16_t mlid);
void mgid_map_drop(struct mgid_map *m, const uint8_t mgid[static 16]);
/* The oldest row; NULL: there is none. */
const struct mgid_row *mgid_map_oldest(const struct mgid_map *m);
/* Iterates over the rows of an MLID: the first; the one after 'r'; NULL at the end. */
const struct mgid_row *mgid_map_first(const struct mgid_map *m, uint16_t mlid);
const struct mgid_row *mgid_map_after(const struct mgid_row *r);
/* Whether rows were added, changed or dropped since the last mgid_map_rows(). */
bool mgid_map_has_changed(const struct mgid_map *m);
/* All rows, oldest first; the caller frees them.  NULL and 0: there are none. */
struct mgid_row *mgid_map_rows(struct mgid_map *m, uint32_t *n);

#endif
