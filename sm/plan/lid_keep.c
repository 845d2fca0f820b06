/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lid_keep.c - the LID assignments to store.
 * Room: sm/plan.  Pure.  In: the LID map, the rows stored before.  Out: the rows to store now.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/plan/lid.h"

uint32_t
lid_id_range(const struct lid_id *row, uint32_t *lo)
{
	uint32_t hi = row->base_lid + (1u << (row->lmc & 7));

	*lo = row->base_lid ? row->base_lid : 1;
	return hi <= LID_UCAST_MAX + 1u ? hi : LID_UCAST_MAX + 1u;
}

static bool
range_free(const struct lid_map *m, const struct lid_id *row)
{
	uint32_t lo, hi = lid_id_range(row, &lo);

	while (lo < hi && (lo > m->top || m->owner[lo] == FAB_NONE))
		lo++;
	return lo >= hi;
}

static int
row_by_guid(const void *va, const void *vb)
{
	const struct lid_id *a = va, *b = vb;

	if (a->port_guid != b->port_guid)
		return a->port_guid < b->port_guid ? -1 : 1;
	return a->base_lid < b->base_lid ? -1 : a->base_lid > b->base_lid;
}

void
plan_lids_to_store(const struct snapshot *s, const struct lid_map *m, const struct lid_ids *stored,
	struct arena *a, struct lid_ids *out)
{
	uint32_t n = 0, nlive, k = 0, nlost = 0;
	struct lid_id *rows =
		arena_array(a, (size_t)s->nports + (stored ? stored->n : 0), sizeof(*rows));

	for (uint32_t i = 0; i < s->nports; i++)
		if (m->base[i])
			rows[n++] =
				(struct lid_id){ s->ports[i].guid, m->base[i], m->lmc[i], false };
	qsort(rows, n, sizeof(*rows), row_by_guid);
	nlive = n;
	for (uint32_t i = 0; stored && i < stored->n; i++) {
		struct lid_id row = stored->rows[i];

		while (k < nlive && rows[k].port_guid < row.port_guid)
			k++;
		if (k < nlive && rows[k].port_guid == row.port_guid)
			continue;
		row.lost = row.lost || !range_free(m, &row);
		if (row.lost && nlost++ >= LID_LOST_MAX)
			continue;
		rows[n++] = row;
	}
	qsort(rows, n, sizeof(*rows), row_by_guid);
	out->rows = rows;
	out->n = n;
}
