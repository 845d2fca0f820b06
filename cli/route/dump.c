/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * dump.c - reads and writes forwarding tables as text.
 * Room: cli/route.
 */
#include <config.h>
#include <inttypes.h>
#include <string.h>
#include "cli/route/dump.h"
#include "cli/route/names.h"
#include "sm/conf/routing/lfts.h"
#include "util/optab.h"

#define STRIDE (LID_UCAST_MAX + 1u) /* a multiple of 64 */

struct dump {
	struct tool *t;
	const struct snapshot *s;
	const struct snapshot *whole; /* with what failed; its entries are passed over */
	const struct lfts *l;
	const struct lfts_table **table; /* by switch ordinal; NULL: none */
	uint32_t *owner; /* by LID: the port of comments, FAB_NONE */
};

/* ---- reading ---- */

/* Finds the switches of the tables. */
static int
tables_bind(struct dump *d)
{
	for (uint32_t i = 0; i < d->l->ntables; i++) {
		const struct lfts_table *x = &d->l->tables[i];
		uint32_t node = snapshot_node_by_guid(d->s, x->guid);

		if (node == FAB_NONE && snapshot_node_by_guid(d->whole, x->guid) != FAB_NONE)
			continue;
		if (node == FAB_NONE || d->s->nodes[node].sw == FAB_NONE)
			return tool_fail(d->t, EXIT_USAGE, "config",
				"%.200s:%u: the switch 0x%016" PRIx64 " is not in %.80s",
				d->l->file, x->line, x->guid, d->t->operands[0]);
		d->table[d->s->nodes[node].sw] = x;
	}
	return 0;
}

/* Finds the ports of the comments. */
static int
owners_bind(struct dump *d)
{
	for (uint32_t lid = 1; lid <= LID_UCAST_MAX; lid++) {
		uint64_t guid = d->l->owner[lid];

		d->owner[lid] = guid ? snapshot_port_by_guid(d->s, guid) : FAB_NONE;
		if (!guid || d->owner[lid] != FAB_NONE ||
			snapshot_port_by_guid(d->whole, guid) != FAB_NONE)
			continue;
		return tool_fail(d->t, EXIT_USAGE, "config",
			"%.200s:%u: LID %u belongs to the port 0x%016" PRIx64
			", which is not in %.80s",
			d->l->file, d->l->owner_line[lid], lid, guid, d->t->operands[0]);
	}
	return 0;
}

/* Every switch with a link must have a table. */
static int
check_switches(struct dump *d)
{
	uint32_t n = 0, first = FAB_NONE;
	char name[NAMES_BYTES];

	for (uint32_t sw = 0; sw < d->s->nswitches; sw++)
		if (!d->table[sw]) {
			first = first == FAB_NONE ? sw : first;
			n++;
		}
	if (n == d->s->nswitches)
		return tool_fail(
			d->t, EXIT_USAGE, "config", "%.200s has no forwarding tables", d->l->file);
	if (n)
		return tool_fail(d->t, EXIT_USAGE, "config",
			"%.200s has no table of %.64s (0x%016" PRIx64 ") and %" PRIu32
			" other switches of %.80s",
			d->l->file, names_node(&d->s->nodes[d->s->switches[first]], name),
			d->s->nodes[d->s->switches[first]].guid, n - 1, d->t->operands[0]);
	return 0;
}

/* The LIDs of the comments: the lowest is the base LID of a port, their number makes its LMC. */
static void
lids_make(struct dump *d, struct arena *a, struct lid_map *m)
{
	uint32_t *count = arena_array(a, d->s->nports, sizeof(*count));

	m->nports = d->s->nports;
	m->base = arena_array(a, m->nports, sizeof(*m->base));
	m->lmc = arena_array(a, m->nports, sizeof(*m->lmc));
	m->owner = arena_array(a, STRIDE, sizeof(*m->owner));
	memcpy(m->owner, d->owner, STRIDE * sizeof(*m->owner));
	for (uint32_t lid = 1; lid <= LID_UCAST_MAX; lid++) {
		uint32_t port = m->owner[lid];

		if (port == FAB_NONE)
			continue;
		if (!m->base[port])
			m->base[port] = (uint16_t)lid;
		count[port]++;
		while (m->lmc[port] < 7 && 1u << m->lmc[port] < count[port])
			m->lmc[port]++;
		m->top = (uint16_t)lid;
	}
}

static int
dump_finish(struct dump *d, struct arena *a, struct lid_map *lids, struct fwd_tables *out)
{
	uint32_t top = d->l->top;
	int r = check_switches(d);

	if (r)
		return r;
	*lids = (struct lid_map){ .nports = 0 };
	if (d->l->named)
		lids_make(d, a, lids);
	else
		lid_map_observed(d->s, a, lids);
	if (!lids->top)
		return tool_fail(d->t, EXIT_USAGE, "config",
			"neither %.200s nor %.80s says to which ports the LIDs belong", d->l->file,
			d->t->operands[0]);
	top = top > lids->top ? top : lids->top;
	*out = (struct fwd_tables){ .nswitches = d->s->nswitches,
		.top = (uint16_t)top,
		.stride = (top / 64 + 1) * 64,
		.vls = 1 };
	out->port = arena_array(a, out->nswitches, out->stride);
	memset(out->port, FAB_LFT_DROP, (size_t)out->nswitches * out->stride);
	for (uint32_t sw = 0; sw < out->nswitches; sw++)
		memcpy(fwd_row(out, sw), d->table[sw]->row,
			d->table[sw]->n < out->stride ? d->table[sw]->n : out->stride);
	return 0;
}

int
dump_read(struct tool *t, const char *path, const struct snapshot *s, const struct snapshot *whole,
	struct arena *a, struct lid_map *lids, struct fwd_tables *out)
{
	struct dump d = { .t = t, .s = s, .whole = whole };
	struct arena scratch = ARENA_INIT;
	struct lfts *l = NULL;
	int r = lfts_read(path, &scratch, &l);

	if (r < 0) {
		arena_clear(&scratch);
		return tool_fail(t, EXIT_USAGE, "config", "%.200s: %s", path, strerror(-r));
	}
	d.l = l;
	d.table = arena_array(&scratch, s->nswitches + 1u, sizeof(*d.table));
	d.owner = arena_array(&scratch, STRIDE, sizeof(*d.owner));
	d.owner[0] = FAB_NONE;
	if (l->line)
		r = tool_fail(t, EXIT_USAGE, "config", "%.200s:%u: %s", path, l->line, l->fault);
	if (!r)
		r = tables_bind(&d);
	if (!r)
		r = owners_bind(&d);
	if (!r)
		r = dump_finish(&d, a, lids, out);
	arena_clear(&scratch);
	return r;
}

/* ---- writing ---- */

static void
write_entry(
	FILE *f, const struct snapshot *s, const struct lid_map *lids, uint32_t lid, uint8_t port)
{
	uint32_t owner = lid <= lids->top ? lids->owner[lid] : FAB_NONE;
	const struct fab_node *n;
	char name[NAMES_BYTES];

	fprintf(f, "0x%04" PRIx32 " %03u", lid, port);
	if (owner == FAB_NONE) {
		fprintf(f, " : (unknown node and type)\n");
		return;
	}
	n = &s->nodes[s->ports[owner].node];
	fprintf(f, " : (%s portguid 0x%016" PRIx64 ": '%s')\n",
		fab_is_switch(n)                    ? "Switch" :
			n->type == NODE_TYPE_ROUTER ? "Router" :
						      "Channel Adapter",
		s->ports[owner].guid, names_node(n, name));
}

void
dump_write(FILE *f, const struct snapshot *s, const struct lid_map *lids,
	const struct fwd_tables *tables)
{
	char name[NAMES_BYTES];

	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];
		const uint8_t *row = fwd_row(tables, sw);
		uint32_t shown = 0;

		fprintf(f,
			"Unicast lids [0x0-0x%x] of switch Lid %u guid 0x%016" PRIx64
			" (%s):\n  Lid  Out   Destination\n       Port     Info \n",
			tables->top, lids->base[n->first_port], n->guid, names_node(n, name));
		for (uint32_t lid = 1; lid <= tables->top; lid++)
			if (row[lid] != FAB_LFT_DROP) {
				write_entry(f, s, lids, lid, row[lid]);
				shown++;
			}
		fprintf(f, "%" PRIu32 " valid lids dumped \n", shown);
	}
}
