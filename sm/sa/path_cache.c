/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * path_cache.c - a cache of routes through the forwarding tables.
 * Room: sm/sa.  Pure.
 *
 * A path query walks two routes of some five switches each, and hosts ask for the same pairs again
 * and again.  What a route can carry (struct sa_route) takes few different values in a subnet, so
 * the cache holds one byte for each switch with end ports and each LID: the number of the value.
 * reach.c fills it as queries come.  The index owns it and a new index begins with an empty one, so
 * that no entry outlives the tables it was made from.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/sa/sa_int.h"
#include "util/xalloc.h"

static bool
has_end_ports(const struct sa_index *x, uint32_t sw)
{
	const struct sa_switch *s = &x->switches[sw];

	for (uint32_t i = s->first_port + 1; i <= s->first_port + s->nports; i++)
		if (x->hops[i].peer != FAB_NONE && x->hops[i].sw == FAB_NONE)
			return true;
	return false;
}

struct sa_path_cache *
sa_path_cache_new(const struct sa_index *x)
{
	uint32_t n = x->v.s->nswitches, rows = 0;
	struct sa_path_cache *c = xcalloc(1, sizeof(*c));

	c->row = xcalloc((size_t)n + 1, sizeof(*c->row));
	c->stride = (uint32_t)x->v.lids->top + 1;
	for (uint32_t i = 0; i < n; i++)
		c->row[i] = has_end_ports(x, i) ? rows++ : FAB_NONE;
	c->bytes = (size_t)rows * c->stride;
	if (!rows || c->bytes > SA_PATH_CACHE_BYTES_MAX) {
		sa_path_cache_free(c);
		return NULL;
	}
	c->at = xcalloc(c->bytes, 1);
	return c;
}

void
sa_path_cache_free(struct sa_path_cache *c)
{
	if (!c)
		return;
	free(c->row);
	free(c->at);
	free(c);
}

size_t
sa_path_cache_bytes(const struct sa_path_cache *c, uint32_t nswitches)
{
	return c ? sizeof(*c) + ((size_t)nswitches + 1) * sizeof(*c->row) + c->bytes : 0;
}
