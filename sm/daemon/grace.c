/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * grace.c - multicast after a takeover: the trees found stay until hosts had time to register again.
 * Room: sm/daemon.  In: multicast tables that a new master reads, sweeps, time.  Out: reserved MLIDs,
 * members without a name.
 *
 * A manager that begins to lead knows no members: hosts registered with the one before.  What the tables
 * show is planned like registered members (sm/plan/inherited.h), and no MLID in use goes to another group,
 * until 'mcast_grace' after the sweep that asked all hosts to register again.  Then trees shrink to the
 * members that did.  docs/sa.md: takeover.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/daemon/manager_int.h"
#include "util/bits.h"
#include "util/xalloc.h"

enum { UNREAD_LOGGED_MAX = 10, PKEYS_PER_BLOCK = 32 };

struct grace {
	struct inherited *inherited;    /* NULL: nothing is */
	bool runs;                      /* from 'begun' on; before, hosts were not asked yet */
	struct monotime begun;
};

void
grace_reset(struct manager *m)
{
	grace_free(m);
	m->grace = xcalloc(1, sizeof(*m->grace));
}

void
grace_free(struct manager *m)
{
	if (m->grace)
		inherited_free(m->grace->inherited);
	free(m->grace);
	m->grace = NULL;
}

struct inherited *
grace_inherited(const struct manager *m)
{
	return m->grace ? m->grace->inherited : NULL;
}

/* ---- what switches are found with ---- */

/* How many MLIDs from the first on are to be read at least: up to the last that is known from an earlier run. */
static uint32_t
known_mlids(const struct manager *m)
{
	for (uint32_t mlid = MLID_LAST; mlid >= MLID_FIRST; mlid--)
		if (mgid_map_first(m->mgids, (uint16_t)mlid))
			return mlid - MLID_FIRST + 1;
	return 0;
}

struct mft_reader *
grace_reader(const struct manager *m)
{
	struct mft_reader *r;

	if (!m->net.conf->mcast_grace_s)
		return NULL;
	r = mft_reader_new(m->fresh, groups_mlids(m->fresh), known_mlids(m), subnet_mkeys(&m->net));
	if (!mft_reader_done(r))
		return r;
	mft_reader_free(r);
	return NULL;
}

static void
log_unread(const struct manager *m, const struct mft_reader *r)
{
	const struct snapshot *s = m->fresh;
	char desc[NODE_DESC_BYTES * 3 + 1];
	unsigned n = 0;

	for (uint32_t sw = 0; (sw = mft_reader_unread(r, sw)) != FAB_NONE; sw++) {
		const struct fab_node *node = &s->nodes[s->switches[sw]];

		if (++n <= UNREAD_LOGGED_MAX)
			log_line(m->net.log, LOG_WARN, "mcast",
				"multicast table not read: switch 0x%016llx %s: its hosts are not served until they register again",
				(unsigned long long)node->guid, snapshot_desc_text(node, desc, sizeof(desc)));
	}
	if (n > UNREAD_LOGGED_MAX)
		log_line(m->net.log, LOG_WARN, "mcast", "multicast tables not read: %u switches in all", n);
}

/* Gives 't' what was read; nothing else is known of the switches. */
static void
put_rows(struct mft_seen *t, const struct snapshot *s, const struct mft_read_row *rows, uint32_t n)
{
	uint64_t *none = xcalloc(BITS_WORDS(s->nswitches) + 1, sizeof(*none));

	mft_seen_keep(t, s, none);
	free(none);
	for (uint32_t i = 0; i < n; i++)
		mft_seen_put(t, s->nodes[s->switches[rows[i].sw]].guid, rows[i].row, rows[i].image);
}

/* ---- groups of partitions, which have MLIDs before anybody registers ---- */

/* Whether the P_Key table of a port was read to its end and does not have the key. */
static bool
lacks_pkey(const struct snapshot *s, uint32_t port, uint16_t pkey)
{
	const struct fab_port *p = &s->ports[port];
	uint32_t cap = node_info_decode(s->nodes[p->node].node_info).partition_cap;

	if (!(p->flags & FAB_PORT_PKEYS) || cap > (p->more_pkeys + 1u) * PKEYS_PER_BLOCK)
		return false;
	for (uint32_t i = 0; i < cap; i++) {
		const uint8_t *block = s->pkey_blocks[p->pkeys + i / PKEYS_PER_BLOCK];

		if (!((wire_get16(block + i % PKEYS_PER_BLOCK * 2) ^ pkey) & 0x7fff))
			return false;
	}
	return true;
}

/* Whether everybody on the tree of that MLID may be a member of a group with that P_Key. */
static bool
may_be_of(const struct manager *m, uint16_t mlid, uint16_t pkey)
{
	struct inherited_members l;
	bool may = true;

	inherited_members(m->grace->inherited, mlid, &l);
	for (uint32_t i = 0; i < l.n && may; i++) {
		uint32_t port = snapshot_port_by_guid(m->fresh, l.v[i].port_guid);

		may = port == FAB_NONE || !l.v[i].hears || !lacks_pkey(m->fresh, port, pkey);
	}
	free(l.v);
	return may;
}

/*
 * Groups of partitions are the first that a manager makes, in the order of its configuration: another
 * manager with the same configuration gave them the same MLIDs, without a store to tell.  That holds until
 * the store, or a port on a tree that cannot be in the partition, shows another order: from there on such
 * a group takes none of the MLIDs in use.
 */
static void
presume_partitions(struct manager *m)
{
	const struct partitions *p = m->net.conf->partitions;
	uint16_t mlid = MLID_FIRST;
	bool same = true;

	for (uint32_t i = 0; i < p->n; i++)
		for (uint32_t k = 0; k < p->v[i].ngroups && mlid < MLID_LAST; k++, mlid++) {
			const uint8_t *mgid = p->v[i].groups[k].mgid;
			const struct mgid_row *had = mgid_map_first(m->mgids, mlid);
			uint16_t has = mgid_map_find(m->mgids, mgid);

			same = same && (has ? has == mlid : !had) && may_be_of(m, mlid, p->v[i].pkey);
			if (same && inherited_has(m->grace->inherited, mlid))
				mgid_map_put(m->mgids, mgid, mlid);
		}
}

/* From the table that was read on, MLIDs are given out with regard to what is in use. */
void
grace_found(struct manager *m, const struct mft_reader *r)
{
	struct grace *g = m->grace;
	const struct mft_read_row *rows = NULL;
	uint32_t n = 0;

	if (r) {
		rows = mft_reader_rows(r, &n);
		log_unread(m, r);
	}
	inherited_free(g->inherited);
	g->inherited = NULL;
	g->runs = false;
	put_rows(groups_seen(m), m->fresh, rows, n);
	if (n) {
		struct mft_seen *found = mft_seen_new();

		put_rows(found, m->fresh, rows, n);
		g->inherited = inherited_new(found, m->fresh, groups_mlids(m->fresh));
		presume_partitions(m);
	}
	groups_found(m);
	for (uint32_t mlid = 0; (mlid = inherited_next(g->inherited, mlid)) != 0; mlid++)
		mcast_reserve(m->mcast, (uint16_t)mlid);
	mcast_spare_known(m->mcast, n != 0);
	groups_partitions(m);
	if (inherited_count(g->inherited))
		log_line(m->net.log, LOG_NOTE, "mcast",
			"%u MLIDs inherited: their trees stay until %u s after hosts are asked to register again",
			inherited_count(g->inherited), m->net.conf->mcast_grace_s);
}

/* ---- until the end ---- */

void
grace_look(struct manager *m)
{
	if (m->grace->inherited)
		inherited_look(m->grace->inherited, m->fresh);
}

void
grace_begin(struct manager *m)
{
	m->grace->runs = m->grace->inherited != NULL;
	m->grace->begun = m->net.now;
}

static struct monotime
grace_end(const struct manager *m)
{
	return monotime_add_us(m->grace->begun, (int64_t)m->net.conf->mcast_grace_s * 1000000);
}

bool
grace_deadline(const struct manager *m, struct monotime *at)
{
	if (!m->grace->runs)
		return false;
	*at = grace_end(m);
	return true;
}

void
grace_pump(struct manager *m)
{
	struct inherited *h = m->grace->inherited;
	uint32_t released = 0;

	if (!m->grace->runs || !monotime_reached(m->net.now, grace_end(m)))
		return;
	for (uint32_t mlid = 0; (mlid = inherited_next(h, mlid)) != 0; mlid++) {
		mcast_unreserve(m->mcast, (uint16_t)mlid);
		mcast_look_again(m->mcast, (uint16_t)mlid);
		released += !mcast_by_mlid(m->mcast, (uint16_t)mlid);
	}
	mcast_spare_known(m->mcast, false);
	if (inherited_count(h))
		log_line(m->net.log, LOG_NOTE, "mcast", "grace time over: %u of %u inherited MLIDs have no group and are released",
			released, inherited_count(h));
	grace_reset(m);
}

void
grace_release(struct manager *m, const struct snapshot *s, uint16_t mlid, uint64_t guid)
{
	uint32_t port;

	if (!inherited_has(m->grace->inherited, mlid))
		return;
	port = aliases_port(m, s, guid);
	if (port != FAB_NONE)
		inherited_release(m->grace->inherited, s, mlid, port);
}
