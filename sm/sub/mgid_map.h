/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mgid_map.h - which MLID an MGID had last, also after its group has ended.
 * Room: sm/sub.  Pure.  In: rows of earlier runs, groups that are made.  Out: the MLID of an MGID,
 * rows to be kept.
 *
 * Rows have an order: the one that was put last is the youngest.  At most MGID_MAP_MAX are kept;
 * mcast.c lets go of the oldest.
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

/* Rows with an MLID that is none, or an MGID that came before, are left out; so are those beyond
 * the limit. */
struct mgid_map *mgid_map_new(const struct mgid_row *rows, uint32_t n);
void mgid_map_free(struct mgid_map *m);         /* NULL is fine */
uint32_t mgid_map_count(const struct mgid_map *m);
/* 0: not known. */
uint16_t mgid_map_find(const struct mgid_map *m, const uint8_t mgid[static 16]);
/* Makes it the youngest row. */
void mgid_map_put(struct mgid_map *m, const uint8_t mgid[static 16], uint16_t mlid);
void mgid_map_drop(struct mgid_map *m, const uint8_t mgid[static 16]);
/* The oldest row; NULL: there is none. */
const struct mgid_row *mgid_map_oldest(const struct mgid_map *m);
/* The rows of an MLID: the first; the one after 'r'; NULL: no more. */
const struct mgid_row *mgid_map_first(const struct mgid_map *m, uint16_t mlid);
const struct mgid_row *mgid_map_after(const struct mgid_row *r);
/* Whether rows were added, changed or dropped since mgid_map_rows(). */
bool mgid_map_has_changed(const struct mgid_map *m);
/* All rows, the oldest first; the caller frees.  NULL and 0: there are none. */
struct mgid_row *mgid_map_rows(struct mgid_map *m, uint32_t *n);

#endif
