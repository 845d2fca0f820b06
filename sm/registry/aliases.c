/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * aliases.c - alias GUIDs across sweeps: the GUID tables of ports, and requests that wait until
 * those are written.
 * Room: sm/registry.  Pure.  In: changes that the SA has granted, sweeps, tables that a new master
 * has read.
 * Out: Sets of GUIDInfo, answers, events of GIDs.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "libmad/attr/sa_attr.h"
#include "sm/diff/diff.h"
#include "sm/registry/aliases.h"
#include "sm/registry/table_round.h"
#include "util/u64.h"
#include "util/xalloc.h"

enum { AWAY_PORTS_MAX = 1024 };        /* absent ports whose aliases are kept */
#define BLOCKS_MAX (ALIAS_ENTRIES_MAX / ALIAS_BLOCK_GUIDS)

/* A granted change whose answer is held. */
struct held_change {
	struct held_answer answer;
	uint64_t port_guid;
	uint8_t block;
	uint64_t before[ALIAS_BLOCK_GUIDS], after[ALIAS_BLOCK_GUIDS];
};

struct aliases {
	struct guid_tables *tables;     /* the wanted tables */
	struct table_round round;
	struct held_change *held;
	uint32_t nheld, cap_held;
};

void
aliases_free(struct registry *reg)
{
	struct aliases *a = reg->aliases;

	alias_free(reg->alias);
	reg->alias = NULL;
	reg->aliases = NULL;
	if (!a)
		return;
	table_round_finish(&a->round);
	guid_tables_free(a->tables);
	free(a->held);
	free(a);
}

void
aliases_reset(struct registry *reg, struct subnet *net, struct sa_stats *stats)
{
	uint16_t gen = 0;

	if (reg->aliases) {             /* its requests may end later: the round number goes on */
		table_round_cancel(&reg->aliases->round, net);
		gen = reg->aliases->round.gen;
		stats->silent_not_ready += reg->aliases->nheld;
	}
	aliases_free(reg);
	reg->alias = alias_new();
	reg->aliases = xcalloc(1, sizeof(*reg->aliases));
	reg->aliases->round.owner = OWN_GUIDS;
	reg->aliases->round.phase = CHANGE_GUIDS;
	reg->aliases->round.gen = gen;
	reg->aliases->tables = guid_tables_new();
	guid_seen_clear(net->tables.guids);
}

const struct guid_tables *
aliases_wanted(const struct registry *reg)
{
	return reg->aliases->tables;
}

uint32_t
aliases_port(const struct registry *reg, const struct snapshot *s, uint64_t guid)
{
	uint32_t port = snapshot_port_by_guid(s, guid);
	uint64_t owner = port == FAB_NONE ? alias_owner(reg->alias, guid) : 0;

	return owner ? snapshot_port_by_guid(s, owner) : port;
}

bool
aliases_is_served(const struct registry *reg, const struct subnet *net, uint64_t guid)
{
	uint32_t port = aliases_port(reg, net->served.s, guid);

	return port != FAB_NONE && net->served.plan->lids.base[port];
}

/* ---- tables that a new master reads ---- */

/* Whether the port was configured by a manager before us and may hold aliases. */
static bool
may_hold_aliases(const struct snapshot *s, const struct fab_port *p)
{
	struct port_info info = port_info_decode(p->info);

	return p->flags & FAB_PORT_INFO && !(p->flags & FAB_PORT_FAILED) &&
		snapshot_is_endport(s, p) && p->num && info.state >= PORT_STATE_ARMED &&
		info.guid_cap > 1;
}

struct guid_reader *
aliases_reader(const struct subnet *net, const struct snapshot *fresh)
{
	struct guid_reader *r = NULL;
	uint32_t n = 0, *ports = xcalloc((size_t)fresh->nendports + 1, sizeof(*ports));

	for (uint32_t i = 0; i < fresh->nendports; i++)
		if (may_hold_aliases(fresh, &fresh->ports[fresh->endports[i]]))
			ports[n++] = fresh->endports[i];
	if (n)
		r = guid_reader_new(fresh, ports, n, subnet_mkeys(net));
	free(ports);
	return r;
}

struct found_alias {
	uint64_t guid, port_guid;
	uint8_t entry;
};

static int
compare_found(const void *a, const void *b)
{
	const struct found_alias *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->port_guid > y->port_guid) - (x->port_guid < y->port_guid);
}

/*
 * Updates the wanted table of a port from its aliases.  An empty block is added only if the table
 * has that block already.
 */
static void
want_tables(struct registry *reg, uint64_t port_guid)
{
	struct guid_tables *tables = reg->aliases->tables;
	uint64_t guids[ALIAS_BLOCK_GUIDS];

	for (unsigned b = 0; b < BLOCKS_MAX; b++) {
		bool any = b < guid_tables_blocks(tables, port_guid);

		alias_block(reg->alias, port_guid, (uint8_t)b, guids);
		for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
			any |= guids[i] != 0;
		if (any)
			guid_tables_want(tables, port_guid, (uint8_t)b, guids);
	}
}

/* All aliases in the rows, sorted; the caller frees.  Entry 0 of block 0 is the port's own GUID. */
static struct found_alias *
collect_found(const struct snapshot *s, const struct guid_row *rows, uint32_t n, uint32_t *nfound)
{
	struct found_alias *v = xcalloc((size_t)n * ALIAS_BLOCK_GUIDS + 1, sizeof(*v));
	uint32_t nv = 0;

	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = rows[i].block ? 0 : 1; k < ALIAS_BLOCK_GUIDS; k++) {
			uint64_t guid = ATTR_GET_ITEM(guid_info, guid, rows[i].image, k);

			if (guid && snapshot_port_by_guid(s, guid) == FAB_NONE)
				v[nv++] = (struct found_alias){ guid, s->ports[rows[i].port].guid,
					(uint8_t)(rows[i].block * ALIAS_BLOCK_GUIDS + k) };
		}
	qsort(v, nv, sizeof(*v), compare_found);
	*nfound = nv;
	return v;
}

/* An alias that two ports hold is given to neither: the host that needs it requests it. */
void
aliases_found(
	struct registry *reg, const struct subnet *net, const struct snapshot *fresh,
	const struct guid_row *rows, uint32_t n)
{
	uint32_t nv;
	struct found_alias *v = collect_found(fresh, rows, n, &nv);

	for (uint32_t i = 0; i < nv; i++)
		if ((!i || v[i - 1].guid != v[i].guid) &&
			(i + 1 == nv || v[i + 1].guid != v[i].guid))
			alias_put(reg->alias, v[i].port_guid, v[i].entry, v[i].guid);
	free(v);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t guids[ALIAS_BLOCK_GUIDS], port = fresh->ports[rows[i].port].guid;

		alias_block(reg->alias, port, rows[i].block, guids);
		guid_tables_want(reg->aliases->tables, port, rows[i].block, guids);
		guid_seen_put(net->tables.guids, port, rows[i].block, rows[i].image);
	}
}

/* ---- sweeps ---- */

/*
 * A new port keeps its own GUID, even if that GUID was an alias of another port.
 */
static void
yield_to_ports(struct registry *reg, const struct subnet *net, const struct snapshot *s)
{
	for (uint32_t i = 0; alias_count(reg->alias) && i < s->nendports; i++) {
		uint64_t guid = s->ports[s->endports[i]].guid;
		uint64_t owner = alias_owner(reg->alias, guid);

		if (!owner)
			continue;
		subnet_log_limited(net, LOG_WARN, "alias", LOG_KIND_ALIAS, owner,
			"0x%016llx was an alias of 0x%016llx and is a port's own GUID now",
			(unsigned long long)guid, (unsigned long long)owner);
		alias_release(reg->alias, guid);
		mcast_drop_port(reg->mcast, guid);
		services_drop_gid(reg->services, guid);
	}
}

void
aliases_plan(struct registry *reg, const struct subnet *net, const struct snapshot *s)
{
	uint64_t guid;

	yield_to_ports(reg, net, s);
	while (alias_take_changed(reg->alias, &guid))
		want_tables(reg, guid);
	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		/* Its link was down: the adapter may have been power-cycled. */
		bool was_down = p->flags & FAB_PORT_INFO && p->num &&
			port_info_decode(p->info).state < PORT_STATE_ARMED;

		if (net->served.unsure || was_down)
			guid_seen_doubt(net->tables.guids, p->guid);
	}
}

void
aliases_leave_served(struct registry *reg, struct subnet *net)
{
	struct aliases *a = reg->aliases;
	const struct change_list *l = &a->round.list;
	const struct snapshot *s = net->served.s;

	/*
	 * Their Sets are outstanding and are cancelled, because they use routes of the old
	 * snapshot: the content is unknown.
	 */
	for (uint32_t i = 0; i < l->n; i++)
		guid_seen_put(net->tables.guids, s->ports[l->v[i].subject].guid,
			(uint8_t)l->v[i].block, NULL);
	table_round_cancel(&a->round, net);
	for (uint32_t i = 0; i < a->nheld; i++)
		a->held[i].answer.in_round = false;
}

void
aliases_swept(struct registry *reg, const struct subnet *net)
{
	uint64_t *guids;
	uint32_t n = alias_ports(reg->alias, &guids), away = 0;

	for (uint32_t i = 0; i < n; i++)
		if (snapshot_port_by_guid(net->served.s, guids[i]) == FAB_NONE &&
			++away > AWAY_PORTS_MAX)
			alias_drop_port(reg->alias, guids[i]);
	free(guids);
}

uint32_t
aliases_of(const struct registry *reg, uint64_t port_guid, uint64_t guids[static ALIAS_ENTRIES_MAX])
{
	uint32_t n = 0;

	for (unsigned b = 0; alias_count(reg->alias) && b < BLOCKS_MAX; b++) {
		uint64_t block[ALIAS_BLOCK_GUIDS];

		alias_block(reg->alias, port_guid, (uint8_t)b, block);
		for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
			if (block[i])
				guids[n++] = block[i];
	}
	return n;
}

/* ---- rounds ---- */

/* The port and the block that a request affects; 0: no such port. */
static uint64_t
find_subject(const struct subnet *net, const uint8_t *mad, uint8_t *block)
{
	struct guid_info_record r = guid_info_record_decode(mad + SA_HEAD_BYTES);
	const struct lid_map *l = &net->served.plan->lids;

	*block = r.block;
	return r.lid <= l->top && l->owner[r.lid] != FAB_NONE ?
		net->served.s->ports[l->owner[r.lid]].guid :
		0;
}

void
aliases_entries_before(const struct registry *reg, const struct subnet *net,
	const struct dgram *req, uint64_t before[static ALIAS_BLOCK_GUIDS])
{
	uint8_t block;
	uint64_t port_guid = find_subject(net, req->mad, &block);

	alias_block(reg->alias, port_guid, block, before);
}

/* Restores the entries as before the request, except those that were changed since. */
static void
refuse_change(struct registry *reg, struct held_change *h)
{
	uint64_t now[ALIAS_BLOCK_GUIDS];

	alias_block(reg->alias, h->port_guid, h->block, now);
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
		if (h->before[i] != h->after[i] && now[i] == h->after[i])
			alias_put(reg->alias, h->port_guid,
				(uint8_t)(h->block * ALIAS_BLOCK_GUIDS + i), h->before[i]);
	table_round_refuse(&h->answer);
}

void
aliases_hold_answer(struct registry *reg, struct subnet *net, const struct dgram *req,
	const uint8_t *mad, const uint64_t before[static ALIAS_BLOCK_GUIDS])
{
	struct aliases *a = reg->aliases;
	struct held_change h = { .answer = { .addr = req->addr } };
	struct held_change *v = table_round_room(a->held, a->nheld, &a->cap_held, sizeof(*v));

	memcpy(h.answer.mad, mad, sizeof(h.answer.mad));
	memcpy(h.before, before, sizeof(h.before));
	h.port_guid = find_subject(net, mad, &h.block);
	alias_block(reg->alias, h.port_guid, h.block, h.after);
	if (v)
		a->held = v;
	if (!v || !table_round_admit(&a->round, &h.answer)) {
		refuse_change(reg, &h);
		table_round_answer(net, &h.answer);
		return;
	}
	a->held[a->nheld++] = h;
}

static void
begin_round(struct registry *reg, struct subnet *net)
{
	struct aliases *a = reg->aliases;
	struct changes changes = { 0 };
	uint64_t *ports = xcalloc((size_t)a->nheld + 1, sizeof(*ports)), guid;

	/* Tables that no request waits for are written by the next sweep. */
	while (alias_take_changed(reg->alias, &guid))
		want_tables(reg, guid);
	for (uint32_t i = 0; i < a->nheld; i++) {
		a->held[i].answer.in_round = true;
		ports[i] = a->held[i].port_guid;
	}
	qsort(ports, a->nheld, sizeof(*ports), u64_cmp);
	for (uint32_t i = 0; i < a->nheld; i++) {
		uint32_t port = snapshot_port_by_guid(net->served.s, ports[i]);

		if (port != FAB_NONE && (!i || ports[i - 1] != ports[i]))
			diff_guids(net->served.observed, net->served.plan, port, &changes);
	}
	free(ports);
	table_round_begin(&a->round, net, &changes);
}

static void
note_gid(struct registry *reg, bool in, uint64_t guid, uint64_t port_guid)
{
	gid_events_note(&reg->gid_events, reg->inform, (struct gid_event){ guid, port_guid, in });
}

static void
announce_change(struct registry *reg, const struct held_change *h)
{
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++) {
		if (h->before[i] == h->after[i])
			continue;
		if (h->before[i]) {
			services_drop_gid(reg->services, h->before[i]);
			note_gid(reg, false, h->before[i], h->port_guid);
		}
		if (h->after[i])
			note_gid(reg, true, h->after[i], h->port_guid);
	}
}

static void
finish_round(struct registry *reg, struct subnet *net)
{
	struct aliases *a = reg->aliases;
	struct held_change *v = a->held;
	uint32_t n = a->nheld, kept = 0, nfailed = table_round_failed(&a->round);

	/* Undo the last first: its 'before' is the 'after' of an earlier request. */
	for (uint32_t i = n; i-- > 0;)
		if (v[i].answer.in_round &&
			guid_tables_differ(a->tables, net->tables.guids, v[i].port_guid,
				v[i].block))
			refuse_change(reg, &v[i]);
	for (uint32_t i = 0; i < n; i++) {
		if (!v[i].answer.in_round) {
			v[kept++] = v[i];
			continue;
		}
		if (dgram_status(v[i].answer.mad) == STATUS_OK)
			announce_change(reg, &v[i]);
		table_round_answer(net, &v[i].answer);
		table_round_dismiss(&a->round, &v[i].answer);
	}
	a->nheld = kept;
	table_round_finish(&a->round);
	if (nfailed)                    /* a sweep restores the earlier contents */
		schedule_look_again(net, "a GUID table could not be written");
}

void
aliases_pump(struct registry *reg, struct subnet *net, bool sweep_writes)
{
	struct aliases *a = reg->aliases;
	const struct plan *served = net->served.plan;

	if (!served || !served->guids || a->round.paused || !subnet_is_master(net))
		return;
	while (a->round.apply || a->nheld) {
		if (!a->round.apply && sweep_writes)
			return;
		if (!a->round.apply)
			begin_round(reg, net);
		if (!table_round_pump(&a->round, net))
			return;
		finish_round(reg, net);
	}
}

void
aliases_pause(struct registry *reg, struct subnet *net, bool pause)
{
	if (pause)
		aliases_leave_served(reg, net);
	reg->aliases->round.paused = pause;
}

void
aliases_end(struct registry *reg, const struct txn_end *e)
{
	table_round_take_end(&reg->aliases->round, e);
}
