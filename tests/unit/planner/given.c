/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * given.c - forwarding tables that the verifier must refuse.
 */
#include <config.h>
#include "tests/unit/test.h"
#include "tests/unit/planner/given.h"

static uint32_t
neighbour(const struct snapshot *s, uint32_t sw, uint8_t port)
{
	uint32_t peer = s->ports[s->nodes[s->switches[sw]].first_port + port].peer;

	return peer == FAB_NONE ? FAB_NONE : s->nodes[s->ports[peer].node].sw;
}

/* Goes round the ring once: at each switch, one of its two ports leads back. */
static void
walk_round(struct given *g, const struct snapshot *s)
{
	uint32_t sw = 0, from = FAB_NONE, steps = 0;

	do {
		const struct fab_node *n = &s->nodes[s->switches[sw]];
		uint32_t next = FAB_NONE;

		for (uint8_t p = 1; p <= n->nports; p++) {
			uint32_t at = neighbour(s, sw, p);

			if (at == FAB_NONE)
				continue;
			if (at != from && next == FAB_NONE) {
				g->onward[sw] = p;
				next = at;
			} else {
				g->back[sw] = p;
			}
		}
		assert_int_not_equal(next, FAB_NONE);
		from = sw;
		sw = next;
	} while (sw && ++steps < s->nswitches);
	assert_int_equal(steps + 1, s->nswitches);
}

static void
fill_row(struct given *g, const struct snapshot *s, const struct lid_map *lids, uint32_t sw)
{
	struct lfts_table *t = &g->l.tables[sw];

	*t = (struct lfts_table){ .guid = s->nodes[s->switches[sw]].guid,
		.line = sw + 1,
		.n = (lids->top / 64u + 1) * 64 };
	t->row = arena_array(&g->a, t->n, 1);
	memset(t->row, LFTS_DROP, t->n);
	for (uint32_t lid = 1; lid <= lids->top; lid++) {
		uint32_t owner = lids->owner[lid], peer;

		if (owner == FAB_NONE)
			continue;
		peer = s->ports[owner].peer;
		if (s->nodes[s->ports[owner].node].sw == sw)
			t->row[lid] = 0;
		else if (peer != FAB_NONE && s->nodes[s->ports[peer].node].sw == sw)
			t->row[lid] = s->ports[peer].num;
		else
			t->row[lid] = g->onward[sw];
	}
}

void
given_make(struct given *g, const struct snapshot *s, const struct lid_map *lids)
{
	*g = (struct given){ .l = { .file = "given", .ntables = s->nswitches, .top = lids->top } };
	g->onward = arena_array(&g->a, s->nswitches, 1);
	g->back = arena_array(&g->a, s->nswitches, 1);
	g->l.tables = arena_array(&g->a, s->nswitches, sizeof(*g->l.tables));
	g->l.owner = arena_array(&g->a, LFTS_LIDS, sizeof(*g->l.owner));
	g->l.owner_line = arena_array(&g->a, LFTS_LIDS, sizeof(*g->l.owner_line));
	walk_round(g, s);
	for (uint32_t sw = 0; sw < s->nswitches; sw++)
		fill_row(g, s, lids, sw);
}

void
given_clear(struct given *g)
{
	arena_clear(&g->a);
}

uint8_t *
given_entry(struct given *g, uint32_t sw, uint32_t lid)
{
	assert_true(sw < g->l.ntables && lid < g->l.tables[sw].n);
	return &g->l.tables[sw].row[lid];
}
