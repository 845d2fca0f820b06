/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * ids.c - the order of switches by the ids of the configuration.
 * Room: sm/route/tree.  Pure.  In: the frame, ids.  Out: route_model.by_guid of both models.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/conf/routing/lines.h"
#include "sm/route/tree/ids.h"

struct item {
	uint64_t key, guid; /* the id, or the GUID */
	uint32_t sw;
};

static int
item_guid_order(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;

	return (a->guid > b->guid) - (a->guid < b->guid);
}

static int
item_order(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return item_guid_order(va, vb);
}

static uint64_t
guid_of(const struct frame *f, uint32_t sw)
{
	return sw < f->nknown ? f->t->sw[sw].guid : f->now.s->nodes[f->node[sw]].guid;
}

void
ids_order(struct frame *f, const struct route_conf *conf, struct arena *a)
{
	const struct routing_lines *ids = conf ? conf->ids : NULL;
	uint32_t n = f->now.g.nsw, *order;
	struct arena scratch = ARENA_INIT;
	struct item *item;

	if (!ids || !ids->n)
		return;
	item = arena_array(&scratch, n, sizeof(*item));
	order = arena_array(a, n, sizeof(*order));
	for (uint32_t sw = 0; sw < n; sw++)
		item[sw] = (struct item){ guid_of(f, sw), guid_of(f, sw), sw };
	qsort(item, n, sizeof(*item), item_guid_order);
	for (uint32_t i = 0; i < ids->n; i++) {
		struct item *x = bsearch(&(struct item){ .guid = ids->line[i].guid }, item, n,
			sizeof(*item), item_guid_order);

		if (x)
			x->key = ids->line[i].v[0];
	}
	qsort(item, n, sizeof(*item), item_order);
	for (uint32_t i = 0; i < n; i++)
		order[i] = item[i].sw;
	f->now.by_guid = f->whole.by_guid = order;
	arena_clear(&scratch);
}
