/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * paths.c - the paths of some ports to all others.
 * Room: sm/status. In: the served data. Out: JSON as in sm/ctl/io.heddle.Manager.varlink.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/plan/plan.h"
#include "sm/status/ends.h"
#include "sm/status/paths.h"
#include "util/guid.h"

enum { SOURCES_AT_ONCE = 32 };

void
path_cache_clear(struct path_cache *c)
{
	sa_path_export_free(c->paths);
	free(c->sa);
	*c = (struct path_cache){ NULL, NULL, 0 };
}

void
path_cache_check(struct path_cache *c, const struct served *v)
{
	if (c->sa && c->age != v->age)
		path_cache_clear(c);
}

struct path_cache
path_cache_take(struct path_cache *c, const struct served *v)
{
	struct path_cache taken;

	path_cache_check(c, v);
	taken = *c;
	*c = (struct path_cache){ NULL, NULL, 0 };
	if (!taken.sa)
		taken.sa = sa_index_borrow(v->sa);
	taken.age = v->age;
	return taken;
}

void
path_cache_put(struct path_cache *c, const struct served *v, struct path_cache *back)
{
	if (back->age != v->age || c->sa)
		return;
	*c = *back;
	*back = (struct path_cache){ NULL, NULL, 0 };
}

static json_t *
source_json(const struct served_view *v, struct sa_path_export *w, uint32_t port)
{
	const struct sa_run *runs;
	uint32_t n = sa_path_export_runs(w, port, &runs);
	json_t *a = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(a,
			json_pack("{s:i, s:i, s:i, s:i, s:i}", "sl", runs[i].sl, "mtu", runs[i].mtu,
				"rate", runs[i].rate, "first", runs[i].first, "last",
				runs[i].last));
	return json_pack(
		"{s:o, s:o}", "source", ends_json(v, port, v->plan->lids.base[port]), "paths", a);
}

json_t *
paths_json(const struct served_view *v, struct path_cache *c, uint16_t first, bool *more)
{
	const struct lid_map *l = &v->plan->lids;
	json_t *sources = json_array();
	uint32_t lid = first;

	if (!c->paths)
		c->paths = sa_path_export_new(c->sa);
	for (; lid <= l->top && json_array_size(sources) < SOURCES_AT_ONCE; lid++)
		if (l->owner[lid] != FAB_NONE && l->base[l->owner[lid]] == lid)
			json_array_append_new(sources, source_json(v, c->paths, l->owner[lid]));
	*more = lid <= l->top;
	return json_pack("{s:i, s:o, s:o, s:o}", "sweep", v->sweeps,
		"gid_prefix", guid_to_json(v->gid_prefix), "sources", sources,
		"next", *more ? json_integer(lid) : json_null());
}
