/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * file.c - engine file: the tables of lfts_file, made by any program.
 * Room: sm/route.  Pure.  In: tables as they were read.  Out: the same for the present LIDs, or a
 * refusal with file and line.
 *
 * If the file names the owner of a LID, its entries apply to the LIDs that this port has now.
 * Tables of switches, and entries of hosts, that are intended but missing now are ignored; any
 * other unknown name means that the file belongs to another fabric.  Nothing is added: if the
 * file lacks an entry, or an entry has a port without a link, the engine refuses, and the next
 * one in the chain is tried.
 */
#include <config.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "sm/conf/routing/lfts.h"
#include "sm/route/file.h"
#include "sm/route/model/model.h"

struct replay {
	const struct route_in *in;
	const struct lfts *l;
	struct route_model m;
	uint16_t *now;                  /* by LID of the file: the present LID; 0: none */
	const struct lfts_table **table;        /* by switch ordinal */
};

static enum route_code
find_switches(struct replay *p, struct route_report *r)
{
	const struct snapshot *s = p->in->snapshot;
	uint32_t missing = 0, first = FAB_NONE;

	for (uint32_t i = 0; i < p->l->ntables; i++) {
		const struct lfts_table *t = &p->l->tables[i];
		uint32_t node = snapshot_node_by_guid(s, t->guid);

		if (node != FAB_NONE && s->nodes[node].sw != FAB_NONE)
			p->table[s->nodes[node].sw] = t;
		else if (!p->in->intended ||
			intended_switch_find(p->in->intended, t->guid) == INTENDED_NONE)
			return route_refuse(r, ROUTE_INPUT,
				"%.120s:%" PRIu32 ": the switch 0x%016" PRIx64
				" is not in this fabric",
				p->l->file, t->line, t->guid);
	}
	for (uint32_t sw = s->nswitches; sw-- > 0;)
		if (!p->table[sw]) {
			first = s->switches[sw];
			missing++;
		}
	if (!missing)
		return ROUTE_OK;
	route_evidence_add(r, first, FAB_NONE, 0, missing);
	return route_refuse(r, ROUTE_INPUT,
		"%.120s has no table of the switch 0x%016" PRIx64 " and %" PRIu32 " others",
		p->l->file, s->nodes[first].guid, missing - 1);
}

/* Whether 'lid' is reserved for a host that is absent. */
static bool
is_reserved(const struct route_in *in, uint32_t lid)
{
	for (uint32_t i = 0; i < in->nabsent; i++)
		if (in->absent[i].lid == lid)
			return true;
	return false;
}

/* Returns the present LID for a LID of the file whose owner is at 'port' and has 'base' as its
 * least LID. */
static uint16_t
lid_now(const struct replay *p, uint32_t port, uint32_t lid, uint32_t base)
{
	const struct lid_map *lids = p->in->lids;

	if (!lids->base[port] || lid - base >= 1u << lids->lmc[port])
		return 0;
	return (uint16_t)(lids->base[port] + lid - base);
}

static enum route_code
find_lids(struct replay *p, struct route_report *r)
{
	const struct snapshot *s = p->in->snapshot;
	struct arena scratch = ARENA_INIT;
	uint32_t *base = arena_array(&scratch, (size_t)s->nports + 1, sizeof(*base));

	for (uint32_t lid = 1; lid < LFTS_LIDS && r->code == ROUTE_OK; lid++) {
		uint64_t guid = p->l->owner[lid];
		uint32_t port = guid ? snapshot_port_by_guid(s, guid) : FAB_NONE;

		if (port != FAB_NONE) {
			base[port] = base[port] ? base[port] : lid;
			p->now[lid] = lid_now(p, port, lid, base[port]);
		} else if (guid &&
			(!p->in->intended ||
				intended_host_find(p->in->intended, guid) == INTENDED_NONE)) {
			route_refuse(r, ROUTE_INPUT,
				"%.120s:%" PRIu32 ": LID %" PRIu32
				" belongs to the port 0x%016" PRIx64
				", which is not in this fabric",
				p->l->file, p->l->owner_line[lid], lid, guid);
		} else if (lid <= p->in->lids->top &&
			(!p->l->named || (guid && is_reserved(p->in, lid)))) {
			p->now[lid] = (uint16_t)lid;
		}
	}
	arena_clear(&scratch);
	return r->code;
}

/* Copies a table; refuses a port without a link. */
static enum route_code
fill_switch(struct replay *p, uint32_t sw, uint8_t *row, struct route_report *r)
{
	const struct snapshot *s = p->in->snapshot;
	const struct fab_node *n = &s->nodes[s->switches[sw]];
	const struct lfts_table *t = p->table[sw];

	memset(row, FAB_LFT_DROP, p->m.table_stride);
	for (uint32_t lid = 1; lid < t->n && lid < LFTS_LIDS; lid++) {
		uint8_t port = t->row[lid];
		bool leads = port <= n->nports &&
			(!port || s->ports[n->first_port + port].peer != FAB_NONE);

		if (port == LFTS_DROP || !p->now[lid])
			continue;
		if (leads)
			row[p->now[lid]] = port;
		else if (p->in->lids->owner[p->now[lid]] != FAB_NONE) {
			route_evidence_add(r, s->switches[sw], FAB_NONE, p->now[lid], port);
			return route_refuse(r, ROUTE_INPUT,
				"%.120s:%" PRIu32 ": the switch 0x%016" PRIx64 " sends LID %" PRIu32
				" by port %u, which has no link",
				p->l->file, t->line, n->guid, lid, port);
		}
	}
	return ROUTE_OK;
}

/* Checks that every present LID is in the file: a host that was added later has no entries
 * there. */
static enum route_code
check_lids(const struct replay *p, struct route_report *r)
{
	struct arena scratch = ARENA_INIT;
	bool *known = arena_array(&scratch, LFTS_LIDS, sizeof(*known));
	const struct lid_map *lids = p->in->lids;

	for (uint32_t i = 0; i < p->l->ntables; i++)
		for (uint32_t lid = 1; lid < p->l->tables[i].n && lid < LFTS_LIDS; lid++)
			if (p->l->tables[i].row[lid] != LFTS_DROP)
				known[p->now[lid]] = true;
	for (uint32_t lid = 1; lid <= lids->top && r->code == ROUTE_OK; lid++)
		if (lids->owner[lid] != FAB_NONE && !known[lid])
			route_refuse(r, ROUTE_INPUT,
				"%.120s has no entry for LID %" PRIu32
				" of the port 0x%016" PRIx64,
				p->l->file, lid, p->in->snapshot->ports[lids->owner[lid]].guid);
	arena_clear(&scratch);
	return r->code;
}

static enum route_code
replay_file(struct replay *p, struct arena *scratch, struct arena *a, struct fwd_tables *out,
	struct route_report *r)
{
	if (!p->l)
		return route_refuse(r, ROUTE_INPUT, "lfts_file names no file");
	if (p->l->line)
		return route_refuse(
			r, ROUTE_INPUT, "%.120s:%u: %s", p->l->file, p->l->line, p->l->fault);
	if (route_model_make(p->in, scratch, &p->m, r) != ROUTE_OK)
		return r->code;
	p->now = arena_array(scratch, LFTS_LIDS, sizeof(*p->now));
	p->table = arena_array(scratch, p->in->snapshot->nswitches + 1u, sizeof(*p->table));
	if (find_switches(p, r) != ROUTE_OK || find_lids(p, r) != ROUTE_OK ||
		check_lids(p, r) != ROUTE_OK)
		return r->code;
	route_tables_init(&p->m, a, out);
	for (uint32_t sw = 0; sw < out->nswitches; sw++)
		if (fill_switch(p, sw, fwd_row(out, sw), r) != ROUTE_OK)
			break;
	return r->code;
}

enum route_code
file_run(const struct route_in *in, struct arena *a, struct fwd_tables *out, struct route_report *r)
{
	struct replay p = { .in = in, .l = in->conf ? in->conf->lfts : NULL };
	struct arena scratch = ARENA_INIT;

	memset(out, 0, sizeof(*out));
	memset(r, 0, sizeof(*r));
	r->engine = "file";
	r->pivot = FAB_NONE;
	if (replay_file(&p, &scratch, a, out, r) != ROUTE_OK)
		memset(out, 0, sizeof(*out));
	else
		snprintf(r->sentence, sizeof(r->sentence), "tables of %.200s", p.l->file);
	arena_clear(&scratch);
	return r->code;
}
