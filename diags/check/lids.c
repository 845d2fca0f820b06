/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lids.c - reports missing, invalid and duplicate LIDs, and LMCs that differ.
 * Room: diags/check.
 */
#include <config.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "diags/check/check.h"
#include "diags/fabric/fabric.h"
#include "fabric/snapshot/tables.h"
#include "libmad/attr/sm_attr.h"
#include "util/xalloc.h"

struct range {
	uint32_t port;
	uint32_t first, last;
};

static int
range_cmp(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

static void
one_port(struct check_run *c, const struct fab_port *p, const struct port_info *i)
{
	struct check_about w = { .a = p };
	char name[CHECK_NAME_BYTES];

	if (!i->lid)
		check_find(c, CHECK_ERROR, "no_lid", &w,
			"%s has no LID: no subnet manager has configured it",
			check_name(c, p, name));
	else if (i->lid > LID_UCAST_MAX)
		check_find(c, CHECK_ERROR, "bad_lid", &w,
			"%s has the LID %u, which is not a unicast LID", check_name(c, p, name),
			i->lid);
	else if (i->lmc && !fab_is_switch(fab_node_of(&c->f, p)) && i->lid & ((1u << i->lmc) - 1))
		check_find(c, CHECK_ERROR, "bad_lid", &w,
			"%s has the LID %u, which is not a multiple of %u as LMC %u requires",
			check_name(c, p, name),
			i->lid, 1u << i->lmc, i->lmc);
}

static void
duplicates(struct check_run *c, struct range *r, size_t n)
{
	char a[CHECK_NAME_BYTES], b[CHECK_NAME_BYTES];
	size_t far = 0;

	qsort(r, n, sizeof(*r), range_cmp);
	for (size_t i = 1; i < n; i++) {
		const struct fab_port *p = &c->f.s->ports[r[far].port],
			*q = &c->f.s->ports[r[i].port];

		if (r[i].first <= r[far].last)
			check_find(c, CHECK_ERROR, "duplicate_lid", &(struct check_about){ .a = p,
				.b = q, .value = json_integer(r[i].first) },
				"%s and %s both have the LID %u", check_name(c, p, a),
				check_name(c, q, b), r[i].first);
		if (r[i].last > r[far].last)
			far = i;
	}
}

static void
differing_lmc(struct check_run *c, const struct lid_map *map)
{
	uint64_t *v = xcalloc(c->f.s->nendports + 1u, sizeof(*v)), usual;
	char name[CHECK_NAME_BYTES];
	size_t n = 0;

	for (uint32_t i = 0; i < c->f.s->nendports; i++) {
		uint32_t p = c->f.s->endports[i];

		if (map->base[p] && !fab_is_switch(&c->f.s->nodes[c->f.s->ports[p].node]))
			v[n++] = map->lmc[p];
	}
	usual = check_majority(v, n, NULL);
	for (uint32_t i = 0; i < c->f.s->nendports && n; i++) {
		const struct fab_port *p = &c->f.s->ports[c->f.s->endports[i]];
		uint8_t lmc = map->lmc[c->f.s->endports[i]];

		if (map->base[c->f.s->endports[i]] && !fab_is_switch(fab_node_of(&c->f, p)) &&
		    lmc != usual)
			check_find(c, CHECK_WARNING, "lmc_differs",
				&(struct check_about){ .a = p, .value = json_integer(lmc),
				.expected = json_integer((json_int_t)usual) },
				"%s has LMC %u; most adapter ports have %u",
				check_name(c, p, name), lmc, (unsigned)usual);
	}
	free(v);
}

static void
lids_check(struct check_run *c)
{
	struct range *r = xcalloc(c->f.s->nendports + 1u, sizeof(*r));
	struct arena a = ARENA_INIT;
	struct lid_map map;
	size_t n = 0;

	lid_map_observed(c->f.s, &a, &map);
	check_looked(c, "%u end ports", c->f.s->nendports);
	for (uint32_t i = 0; i < c->f.s->nendports; i++) {
		uint32_t at = c->f.s->endports[i];
		const struct fab_port *p = &c->f.s->ports[at];
		struct port_info info = port_info_decode(p->info);

		if (!check_known(p))
			continue;
		one_port(c, p, &info);
		if (map.base[at])
			r[n++] = (struct range){ at, map.base[at],
				map.base[at] + (1u << map.lmc[at]) - 1 };
	}
	duplicates(c, r, n);
	differing_lmc(c, &map);
	arena_clear(&a);
	free(r);
}

const struct check check_lids = { .name = "lids",
	.about = "missing and duplicate LIDs, LMCs that differ",
	.flags = CHECK_REGISTERS, .run = lids_check };
