/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * lanes_dump.c - writes SLtoVL tables and SLs of paths as text.
 * Room: cli/route.
 */
#include <config.h>
#include <inttypes.h>
#include "cli/route/lanes_dump.h"
#include "cli/route/names.h"

static void
table_write(FILE *f, const struct fwd_tables *tables, const struct fab_node *n, unsigned in, unsigned out)
{
	const struct lane_plan *p = tables->lanes;

	fprintf(f, "%-3u %-3u :", in, out);
	for (uint8_t sl = 0; sl < LANE_SLS; sl++) {
		unsigned vl = 0;

		if (p)
			vl = p->sls >> sl & 1 ? lanes_vl(p, n->first_port + in, n->first_port + out, sl) : 15;
		fprintf(f, " %-2u", vl);
	}
	fputc('\n', f);
}

void
lanes_dump_tables(FILE *f, const struct snapshot *s, const struct lid_map *lids,
	const struct fwd_tables *tables)
{
	char name[NAMES_BYTES];

	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];

		fprintf(f, "Switch 0x%016" PRIx64 ", base LID %u, \"%s\"\n", n->guid,
			lids->base[n->first_port], names_node(n, name));
		fputs("#in out : 0  1  2  3  4  5  6  7  8  9  10 11 12 13 14 15\n", f);
		for (unsigned out = 1; out <= n->nports; out++)
			for (unsigned in = 0; in <= n->nports; in++)
				if (s->ports[n->first_port + out].peer != FAB_NONE &&
				    (!in || s->ports[n->first_port + in].peer != FAB_NONE))
					table_write(f, tables, n, in, out);
	}
}

/* Returns the switch of a port's LIDs, or FAB_NONE if it has no LID or no link. */
static uint32_t
lid_switch(const struct snapshot *s, const struct lid_map *lids, uint32_t port)
{
	const struct fab_node *n = &s->nodes[s->ports[port].node];
	uint32_t peer = s->ports[port].peer;

	if (!lids->base[port] || fab_is_switch(n))
		return lids->base[port] ? n->sw : FAB_NONE;
	return peer == FAB_NONE ? FAB_NONE : s->nodes[s->ports[peer].node].sw;
}

void
lanes_dump_paths(FILE *f, const struct snapshot *s, const struct lid_map *lids,
	const struct fwd_tables *tables)
{
	const struct lane_plan *p = tables->lanes;
	unsigned lowest = 0;

	while (p && lowest < LANE_SLS - 1 && !(p->sls >> lowest & 1))
		lowest++;
	for (uint32_t src = 0; src < s->nports; src++) {
		uint32_t a = lid_switch(s, lids, src);

		for (uint32_t lid = 1; a != FAB_NONE && lid <= lids->top; lid++) {
			uint32_t dst = lids->owner[lid];
			uint32_t b = dst == FAB_NONE || dst == src ? FAB_NONE : lid_switch(s, lids, dst);

			if (b != FAB_NONE)
				fprintf(f, "%u %" PRIu32 " %u\n", lids->base[src], lid,
					p && p->sl ? lanes_sl(p, a, b) : lowest);
		}
	}
}
