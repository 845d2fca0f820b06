/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * paths.c - io.heddle.Manager.Paths: the paths of some ports to all others.
 * Room: sm/daemon.  In: what is served.  Out: JSON as sm/ctl/io.heddle.Manager.varlink says.
 * What is told here is what subnet administration would tell the port itself.  The ways between all ports take long to
 * compute and are kept for the next question, until the last one or until something else is served.
 */
#include <config.h>
#include <stdlib.h>
#include "sm/daemon/manager_int.h"

enum { SOURCES_AT_ONCE = 32 };

void
paths_clear(struct paths_kept *k)
{
	sa_ways_free(k->ways);
	free(k->sa);
	*k = (struct paths_kept){ NULL, NULL };
}

void
paths_forget(struct manager *m)
{
	m->net.served.age++;
	paths_clear(&m->paths);
}

struct paths_kept
paths_take(struct manager *m)
{
	struct paths_kept k = m->paths;

	m->paths = (struct paths_kept){ NULL, NULL };
	if (!k.sa)
		k.sa = sa_index_borrow(m->net.served.sa);
	return k;
}

void
paths_keep(struct manager *m, struct paths_kept *k, unsigned serving)
{
	if (serving != m->net.served.age || m->paths.sa)
		return;
	m->paths = *k;
	*k = (struct paths_kept){ NULL, NULL };
}

static json_t *
source_json(const struct manager_view *v, struct sa_ways *w, uint32_t port)
{
	const struct sa_run *runs;
	uint32_t n = sa_ways_from(w, port, &runs);
	json_t *a = json_array();

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(a, json_pack("{s:i, s:i, s:i, s:i, s:i}", "sl", runs[i].sl, "mtu", runs[i].mtu,
			"rate", runs[i].rate, "first", runs[i].first, "last", runs[i].last));
	return json_pack("{s:o, s:o}", "source", control_end_json(v, port, v->plan->lids.base[port]), "paths", a);
}

json_t *
paths_json(const struct manager_view *v, struct paths_kept *k, uint16_t first, bool *more)
{
	const struct lid_map *l = &v->plan->lids;
	json_t *sources = json_array();
	uint32_t lid = first;

	if (!k->ways)
		k->ways = sa_ways_new(k->sa);
	for (; lid <= l->top && json_array_size(sources) < SOURCES_AT_ONCE; lid++)
		if (l->owner[lid] != FAB_NONE && l->base[l->owner[lid]] == lid)
			json_array_append_new(sources, source_json(v, k->ways, l->owner[lid]));
	*more = lid <= l->top;
	return json_pack("{s:i, s:o, s:o, s:o}", "sweep", v->sweeps,
		"gid_prefix", json_sprintf("0x%016llx", (unsigned long long)v->gid_prefix), "sources", sources,
		"next", *more ? json_integer(lid) : json_null());
}
