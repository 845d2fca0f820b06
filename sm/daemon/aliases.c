/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * aliases.c - alias GUIDs across sweeps: the ports' GUID tables, and requests that wait until those are written.
 * Room: sm/daemon.  In: changes that the SA has granted, sweeps, tables that ports were found with.
 * Out: Sets of GUIDInfo, answers, notices.
 *
 * The ports are the store: a manager that begins to lead reads the tables of ports that were configured before, and
 * what it finds there is in force again.  Between sweeps tables are written in rounds (rounds.h).
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "util/u64.h"
#include "util/xalloc.h"

enum { STATE_ARMED = 3, AWAY_PORTS_MAX = 1024 };
#define BLOCKS_MAX (ALIAS_ENTRIES_MAX / ALIAS_BLOCK_GUIDS)

/* A granted change whose answer waits. */
struct held {
	struct waiting w;
	uint64_t port_guid;
	uint8_t block;
	uint64_t before[ALIAS_BLOCK_GUIDS], after[ALIAS_BLOCK_GUIDS];
};

struct aliases {
	struct guid_tables *tables;
	struct round round;
	struct held *held;
	uint32_t nheld, cap_held;
};

void
aliases_free(struct manager *m)
{
	alias_free(m->alias);
	m->alias = NULL;
	if (!m->aliases)
		return;
	round_end(&m->aliases->round);
	m->sa_stats.silent_not_ready += m->aliases->nheld;
	guid_tables_free(m->aliases->tables);
	free(m->aliases->held);
	free(m->aliases);
	m->aliases = NULL;
}

void
aliases_reset(struct manager *m)
{
	uint16_t gen = 0;

	if (m->aliases) {               /* ends of its requests come later */
		round_cancel(m, &m->aliases->round);
		gen = m->aliases->round.gen;
	}
	aliases_free(m);
	m->alias = alias_new();
	m->aliases = xcalloc(1, sizeof(*m->aliases));
	m->aliases->round.owner = OWN_GUIDS;
	m->aliases->round.phase = CHANGE_GUIDS;
	m->aliases->round.gen = gen;
	m->aliases->tables = guid_tables_new();
}

uint32_t
aliases_port(const struct manager *m, const struct snapshot *s, uint64_t guid)
{
	uint32_t port = snapshot_port_by_guid(s, guid);
	uint64_t owner = port == FAB_NONE ? alias_owner(m->alias, guid) : 0;

	return owner ? snapshot_port_by_guid(s, owner) : port;
}

/* ---- what ports are found with ---- */

struct guid_reader *
aliases_reader(const struct manager *m)
{
	const struct snapshot *s = m->fresh;
	struct guid_reader *r = NULL;
	uint32_t n = 0, *ports;

	if (m->led)
		return NULL;
	ports = xcalloc((size_t)s->nendports + 1, sizeof(*ports));
	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];
		struct port_info info = port_info_decode(p->info);

		if (p->flags & FAB_PORT_INFO && !(p->flags & FAB_PORT_FAILED) && snapshot_is_endport(s, p) && p->num &&
		    info.state >= STATE_ARMED && info.guid_cap > 1)
			ports[n++] = s->endports[i];
	}
	if (n)
		r = guid_reader_new(s, ports, n, subnet_mkeys(&m->net));
	free(ports);
	return r;
}

struct found {
	uint64_t guid, port_guid;
	uint8_t entry;
};

static int
found_cmp(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (x->port_guid > y->port_guid) - (x->port_guid < y->port_guid);
}

static void
want_port(struct manager *m, uint64_t port_guid)
{
	uint64_t guids[ALIAS_BLOCK_GUIDS];

	for (unsigned b = 0; b < BLOCKS_MAX; b++) {
		bool any = b < guid_tables_blocks(m->aliases->tables, port_guid);

		alias_block(m->alias, port_guid, (uint8_t)b, guids);
		for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
			any |= guids[i] != 0;
		if (any)
			guid_tables_want(m->aliases->tables, port_guid, (uint8_t)b, guids);
	}
}

/* What two ports hold, or is some port's own, is nobody's: who needs it asks for it. */
void
aliases_found(struct manager *m, const struct guid_row *rows, uint32_t n)
{
	const struct snapshot *s = m->fresh;
	struct found *v = xcalloc((size_t)n * ALIAS_BLOCK_GUIDS + 1, sizeof(*v));
	uint32_t nv = 0;

	for (uint32_t i = 0; i < n; i++)
		for (unsigned k = rows[i].block ? 0 : 1; k < ALIAS_BLOCK_GUIDS; k++) {
			uint64_t guid = wire_get64(rows[i].image + 8 * k);

			if (guid && snapshot_port_by_guid(s, guid) == FAB_NONE)
				v[nv++] = (struct found){ guid, s->ports[rows[i].port].guid,
					(uint8_t)(rows[i].block * ALIAS_BLOCK_GUIDS + k) };
		}
	qsort(v, nv, sizeof(*v), found_cmp);
	for (uint32_t i = 0; i < nv; i++)
		if ((!i || v[i - 1].guid != v[i].guid) && (i + 1 == nv || v[i + 1].guid != v[i].guid))
			alias_put(m->alias, v[i].port_guid, v[i].entry, v[i].guid);
	free(v);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t guids[ALIAS_BLOCK_GUIDS], port = s->ports[rows[i].port].guid;

		alias_block(m->alias, port, rows[i].block, guids);
		guid_tables_want(m->aliases->tables, port, rows[i].block, guids);
		guid_tables_seen(m->aliases->tables, port, rows[i].block, rows[i].image);
	}
}

/* ---- sweeps ---- */

/* Whoever comes with a GUID of his own has it, whoever took it for an alias. */
static void
yield_to_ports(struct manager *m)
{
	const struct snapshot *s = m->fresh;

	for (uint32_t i = 0; alias_count(m->alias) && i < s->nendports; i++) {
		uint64_t guid = s->ports[s->endports[i]].guid;

		if (!alias_owner(m->alias, guid))
			continue;
		subnet_log_limited(&m->net, LOG_WARN, "alias", LOG_KIND_ALIAS, alias_owner(m->alias, guid),
			"0x%016llx was an alias of 0x%016llx and is a port's own GUID now",
			(unsigned long long)guid, (unsigned long long)alias_owner(m->alias, guid));
		alias_release(m->alias, guid);
		mcast_drop_port(m->mcast, guid);
		services_drop_gid(m->services, guid);
	}
}

void
aliases_plan(struct manager *m)
{
	const struct snapshot *s = m->fresh;
	uint64_t guid;

	yield_to_ports(m);
	while (alias_take_changed(m->alias, &guid))
		want_port(m, guid);
	for (uint32_t i = 0; i < s->nendports; i++) {
		const struct fab_port *p = &s->ports[s->endports[i]];

		/* Its link was down, it may have been switched off and on; or what was being written, nobody knows. */
		if (m->net.served.unsure || (p->flags & FAB_PORT_INFO && p->num && port_info_decode(p->info).state < STATE_ARMED))
			guid_tables_doubt(m->aliases->tables, p->guid);
	}
	m->fresh_plan->guids = m->aliases->tables;
}

void
aliases_swap(struct manager *m)
{
	struct aliases *a = m->aliases;
	const struct change_list *l = &a->round.list;

	for (uint32_t i = 0; i < l->n; i++)     /* Sets are under way: who knows */
		guid_tables_seen(a->tables, m->net.served.s->ports[l->v[i].subject].guid, (uint8_t)l->v[i].block, NULL);
	round_cancel(m, &a->round);     /* they go by routes of the snapshot that is about to go */
	for (uint32_t i = 0; i < a->nheld; i++)
		a->held[i].w.in_round = false;
}

void
aliases_swept(struct manager *m)
{
	uint64_t *guids;
	uint32_t n = alias_ports(m->alias, &guids), away = 0;

	for (uint32_t i = 0; i < n; i++)
		if (snapshot_port_by_guid(m->net.served.s, guids[i]) == FAB_NONE && ++away > AWAY_PORTS_MAX)
			alias_drop_port(m->alias, guids[i]);
	free(guids);
}

uint32_t
aliases_of(const struct manager *m, uint64_t port_guid, uint64_t guids[static ALIAS_ENTRIES_MAX])
{
	uint32_t n = 0;

	for (unsigned b = 0; alias_count(m->alias) && b < BLOCKS_MAX; b++) {
		uint64_t block[ALIAS_BLOCK_GUIDS];

		alias_block(m->alias, port_guid, (uint8_t)b, block);
		for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
			if (block[i])
				guids[n++] = block[i];
	}
	return n;
}

/* ---- rounds ---- */

/* The port and the block that a request is about; 0: of nobody. */
static uint64_t
subject(const struct manager *m, const uint8_t *mad, uint8_t *block)
{
	struct guid_info_record r = guid_info_record_decode(mad + SA_HEAD_BYTES);
	const struct lid_map *l = &m->net.served.plan->lids;

	*block = r.block;
	return r.lid <= l->top && l->owner[r.lid] != FAB_NONE ? m->net.served.s->ports[l->owner[r.lid]].guid : 0;
}

void
aliases_before(const struct manager *m, const struct dgram *req, uint64_t before[static ALIAS_BLOCK_GUIDS])
{
	uint8_t block;
	uint64_t port_guid = subject(m, req->mad, &block);

	alias_block(m->alias, port_guid, block, before);
}

/* As it was before the request, where nothing has happened since. */
static void
refuse(struct manager *m, struct held *h)
{
	uint64_t now[ALIAS_BLOCK_GUIDS];

	alias_block(m->alias, h->port_guid, h->block, now);
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++)
		if (h->before[i] != h->after[i] && now[i] == h->after[i])
			alias_put(m->alias, h->port_guid, (uint8_t)(h->block * ALIAS_BLOCK_GUIDS + i), h->before[i]);
	round_refuse(&h->w);
}

void
aliases_answer(struct manager *m, const struct dgram *req, const uint8_t *mad, const uint64_t before[static ALIAS_BLOCK_GUIDS])
{
	struct aliases *a = m->aliases;
	struct held h = { .w = { .addr = req->addr } };
	struct held *v = round_room(a->held, a->nheld, &a->cap_held, sizeof(*v));

	memcpy(h.w.mad, mad, sizeof(h.w.mad));
	memcpy(h.before, before, sizeof(h.before));
	h.port_guid = subject(m, mad, &h.block);
	alias_block(m->alias, h.port_guid, h.block, h.after);
	if (v)
		a->held = v;
	if (!v || !round_admit(&a->round, &h.w)) {
		refuse(m, &h);
		round_answer(m, &h.w);
		return;
	}
	a->held[a->nheld++] = h;
}

/* A sweep writes the same tables right now: who overtakes whom nobody can say. */
static bool
sweep_is_writing(const struct manager *m)
{
	return m->apply && apply_phase(m->apply) == CHANGE_GUIDS;
}

static void
begin_round(struct manager *m)
{
	struct aliases *a = m->aliases;
	struct changes changes = { 0 };
	uint64_t *ports = xcalloc((size_t)a->nheld + 1, sizeof(*ports)), guid;

	while (alias_take_changed(m->alias, &guid))     /* of those that nobody waits for the next sweep takes care */
		want_port(m, guid);
	for (uint32_t i = 0; i < a->nheld; i++) {
		a->held[i].w.in_round = true;
		ports[i] = a->held[i].port_guid;
	}
	qsort(ports, a->nheld, sizeof(*ports), u64_cmp);
	for (uint32_t i = 0; i < a->nheld; i++) {
		uint32_t port = snapshot_port_by_guid(m->net.served.s, ports[i]);

		if (port != FAB_NONE && (!i || ports[i - 1] != ports[i]))
			diff_guids(m->net.served.s, m->net.served.plan, port, &changes);
	}
	free(ports);
	round_begin(m, &a->round, &changes);
}

static void
tell(struct manager *m, const struct held *h)
{
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++) {
		if (h->before[i] == h->after[i])
			continue;
		if (h->before[i]) {
			services_drop_gid(m->services, h->before[i]);
			notices_alias(m, false, h->before[i], h->port_guid);
		}
		if (h->after[i])
			notices_alias(m, true, h->after[i], h->port_guid);
	}
}

static void
finish_round(struct manager *m)
{
	struct aliases *a = m->aliases;
	struct held *v = a->held;
	uint32_t n = a->nheld, kept = 0, nfailed = round_failed(&a->round);

	for (uint32_t i = n; i-- > 0;)                  /* the last first: what it found was the one before's */
		if (v[i].w.in_round && guid_tables_differ(a->tables, v[i].port_guid, v[i].block))
			refuse(m, &v[i]);
	for (uint32_t i = 0; i < n; i++) {
		if (!v[i].w.in_round) {
			v[kept++] = v[i];
			continue;
		}
		if (dgram_status(v[i].w.mad) == STATUS_OK)
			tell(m, &v[i]);
		round_answer(m, &v[i].w);
		round_dismiss(&a->round, &v[i].w);
	}
	a->nheld = kept;
	round_end(&a->round);
	if (nfailed)                    /* it puts back what was there before */
		schedule_look_again(&m->net, "a GUID table could not be written");
}

void
aliases_pump(struct manager *m)
{
	struct aliases *a = m->aliases;

	if (!m->net.served.plan || !m->net.served.plan->guids || a->round.paused || !subnet_is_master(&m->net))
		return;
	while (a->round.apply || a->nheld) {
		if (!a->round.apply && sweep_is_writing(m))
			return;
		if (!a->round.apply)
			begin_round(m);
		if (!round_pump(m, &a->round))
			return;
		finish_round(m);
	}
}

void
aliases_pause(struct manager *m, bool pause)
{
	if (pause)
		aliases_swap(m);
	m->aliases->round.paused = pause;
}

void
aliases_end(struct manager *m, const struct txn_end *e)
{
	round_take_end(&m->aliases->round, e);
}
