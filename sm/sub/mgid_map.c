/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mgid_map.c - the MLID that each MGID had last.
 * Room: sm/sub.  Pure.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/sub/mcast_int.h"
#include "sm/sub/mgid_map.h"
#include "util/xalloc.h"

struct known {
	struct mgid_row r;              /* first: the public part */
	struct known *prev, *next;      /* rows of the same MLID */
	UT_hash_handle hh;              /* by r.mgid; iterates by age */
};

struct mgid_map {
	struct known *by_mgid;
	struct known *by_mlid[MLID_COUNT];
	bool changed;
};

static struct known *
find_known(const struct mgid_map *m, const uint8_t mgid[static 16])
{
	struct known *k;

	HASH_FIND(hh, m->by_mgid, mgid, 16, k);
	return k;
}

static void
link_mlid(struct mgid_map *m, struct known *k)
{
	struct known **first = &m->by_mlid[k->r.mlid - MLID_FIRST];

	k->prev = NULL;
	k->next = *first;
	if (*first)
		(*first)->prev = k;
	*first = k;
}

static void
unlink_mlid(struct mgid_map *m, struct known *k)
{
	if (k->prev)
		k->prev->next = k->next;
	else
		m->by_mlid[k->r.mlid - MLID_FIRST] = k->next;
	if (k->next)
		k->next->prev = k->prev;
}

struct mgid_map *
mgid_map_new(const struct mgid_row *rows, uint32_t n)
{
	struct mgid_map *m = xcalloc(1, sizeof(*m));

	for (uint32_t i = 0; i < n && mgid_map_count(m) < MGID_MAP_MAX; i++)
		if (rows[i].mlid >= MLID_FIRST && rows[i].mlid <= MLID_LAST &&
		    !find_known(m, rows[i].mgid))
			mgid_map_put(m, rows[i].mgid, rows[i].mlid);
	m->changed = false;
	return m;
}

void
mgid_map_free(struct mgid_map *m)
{
	struct known *k, *next;

	if (!m)
		return;
	HASH_ITER(hh, m->by_mgid, k, next) {
		HASH_DEL(m->by_mgid, k);
		free(k);
	}
	free(m);
}

uint32_t
mgid_map_count(const struct mgid_map *m)
{
	return HASH_COUNT(m->by_mgid);
}

uint16_t
mgid_map_find(const struct mgid_map *m, const uint8_t mgid[static 16])
{
	const struct known *k = find_known(m, mgid);

	return k ? k->r.mlid : 0;
}

void
mgid_map_put(struct mgid_map *m, const uint8_t mgid[static 16], uint16_t mlid)
{
	struct known *k = find_known(m, mgid);

	if (!k) {
		k = xcalloc(1, sizeof(*k));
		memcpy(k->r.mgid, mgid, sizeof(k->r.mgid));
	} else {
		HASH_DEL(m->by_mgid, k);
		unlink_mlid(m, k);
	}
	m->changed |= k->r.mlid != mlid;
	k->r.mlid = mlid;
	HASH_ADD(hh, m->by_mgid, r.mgid, 16, k);
	link_mlid(m, k);
}

void
mgid_map_drop(struct mgid_map *m, const uint8_t mgid[static 16])
{
	struct known *k = find_known(m, mgid);

	if (!k)
		return;
	HASH_DEL(m->by_mgid, k);
	unlink_mlid(m, k);
	free(k);
	m->changed = true;
}

const struct mgid_row *
mgid_map_oldest(const struct mgid_map *m)
{
	return m->by_mgid ? &m->by_mgid->r : NULL;
}

const struct mgid_row *
mgid_map_first(const struct mgid_map *m, uint16_t mlid)
{
	const struct known *k =
		mlid < MLID_FIRST || mlid > MLID_LAST ? NULL : m->by_mlid[mlid - MLID_FIRST];

	return k ? &k->r : NULL;
}

const struct mgid_row *
mgid_map_after(const struct mgid_row *r)
{
	const struct known *k = ((const struct known *)r)->next;

	return k ? &k->r : NULL;
}

bool
mgid_map_has_changed(const struct mgid_map *m)
{
	return m->changed;
}

struct mgid_row *
mgid_map_rows(struct mgid_map *m, uint32_t *n)
{
	struct mgid_row *rows = NULL;
	struct known *k, *next;

	m->changed = false;
	*n = 0;
	if (mgid_map_count(m))
		rows = xcalloc(mgid_map_count(m), sizeof(*rows));
	HASH_ITER(hh, m->by_mgid, k, next)
		rows[(*n)++] = k->r;
	return rows;
}
