/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * grace.c - multicast after a takeover: keeps the existing trees until hosts had time to register
 * again.
 * Room: sm/registry.  Pure.  In: multicast tables that a new master reads, sweeps, time.
 * Out: reserved MLIDs, members that have not registered.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/conf/conf.h"
#include "sm/registry/aliases.h"
#include "sm/registry/grace.h"
#include "sm/registry/groups.h"
#include "util/bits.h"
#include "util/xalloc.h"

enum { UNREAD_LOGGED_MAX = 10, PKEYS_PER_BLOCK = 32 };

struct grace {
	struct inherited *inherited;    /* NULL: nothing */
	bool runs;                      /* hosts were asked to register again, at 'begun' */
	struct monotime begun;
};

void
grace_reset(struct registry *reg)
{
	grace_free(reg);
	reg->grace = xcalloc(1, sizeof(*reg->grace));
}

void
grace_free(struct registry *reg)
{
	if (reg->grace)
		inherited_free(reg->grace->inherited);
	free(reg->grace);
	reg->grace = NULL;
}

struct inherited *
grace_inherited(const struct registry *reg)
{
	return reg->grace ? reg->grace->inherited : NULL;
}

/* ---- tables that a new master reads ---- */

/*
 * Minimum number of MLIDs to read, from the first on: up to the last that an earlier run assigned.
 */
static uint32_t
count_known_mlids(const struct registry *reg)
{
	for (uint32_t mlid = MLID_LAST; mlid >= MLID_FIRST; mlid--)
		if (mgid_map_first(reg->mgids, (uint16_t)mlid))
			return mlid - MLID_FIRST + 1;
	return 0;
}

struct mft_reader *
grace_reader(const struct registry *reg, const struct subnet *net, const struct snapshot *fresh)
{
	struct mft_reader *r;

	if (!net->conf->mcast_grace_s)
		return NULL;
	r = mft_reader_new(fresh, groups_mlids(fresh), count_known_mlids(reg), subnet_mkeys(net));
	if (!mft_reader_done(r))
		return r;
	mft_reader_free(r);
	return NULL;
}

static void
log_unread(const struct subnet *net, const struct snapshot *s, const struct mft_reader *r)
{
	char desc[NODE_DESC_BYTES * 3 + 1];
	unsigned n = 0;

	for (uint32_t sw = 0; (sw = mft_reader_unread(r, sw)) != FAB_NONE; sw++) {
		const struct fab_node *node = &s->nodes[s->switches[sw]];

		if (++n <= UNREAD_LOGGED_MAX)
			log_line(net->log, LOG_WARN, "mcast",
				"multicast table not read: switch 0x%016llx %s: "
				"its hosts are not served until they register again",
				(unsigned long long)node->guid,
				snapshot_desc_text(node, desc, sizeof(desc)));
	}
	if (n > UNREAD_LOGGED_MAX)
		log_line(net->log, LOG_WARN, "mcast",
			"multicast tables not read: %u switches in all", n);
}

/* Copies what was read to 't'; the other contents of the tables count as unknown. */
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

/* Whether the P_Key table of a port was read completely and does not have the key. */
static bool
table_lacks_pkey(const struct snapshot *s, uint32_t port, uint16_t pkey)
{
	const struct fab_port *p = &s->ports[port];
	uint32_t cap = node_info_decode(s->nodes[p->node].node_info).partition_cap;

	if (!(p->flags & FAB_PORT_PKEYS) || cap > (p->more_pkeys + 1u) * PKEYS_PER_BLOCK)
		return false;
	for (uint32_t i = 0; i < cap; i++) {
		const uint8_t *block = s->pkey_blocks[p->pkeys + i / PKEYS_PER_BLOCK];

		if (!((ATTR_GET_ITEM(pkey_table, pkey, block, i % PKEYS_PER_BLOCK) ^ pkey) &
			    PKEY_BASE_MASK))
			return false;
	}
	return true;
}

/* Whether every port on the tree of that MLID may be a member of a group with that P_Key. */
static bool
may_be_of_partition(
	const struct inherited *h, const struct snapshot *s, uint16_t mlid, uint16_t pkey)
{
	struct inherited_members l;
	bool may = true;

	inherited_members(h, mlid, &l);
	for (uint32_t i = 0; i < l.n && may; i++) {
		uint32_t port = snapshot_port_by_guid(s, l.v[i].port_guid);

		may = port == FAB_NONE || !l.v[i].hears || !table_lacks_pkey(s, port, pkey);
	}
	free(l.v);
	return may;
}

/*
 * Groups of partitions are the first that a manager makes, in the order of its configuration:
 * another manager with the same configuration gave them the same MLIDs, even if it has left no
 * store.  That holds until the store, or a port on a tree that cannot be in the partition, shows
 * another order: from there on such a group takes none of the MLIDs in use.
 */
static void
presume_partitions(struct registry *reg, const struct partitions *p, const struct snapshot *s)
{
	const struct inherited *h = reg->grace->inherited;
	uint16_t mlid = MLID_FIRST;
	bool same = true;

	for (uint32_t i = 0; i < p->n; i++)
		for (uint32_t k = 0; k < p->v[i].ngroups && mlid < MLID_LAST; k++, mlid++) {
			const uint8_t *mgid = p->v[i].groups[k].mgid;
			const struct mgid_row *had = mgid_map_first(reg->mgids, mlid);
			uint16_t has = mgid_map_find(reg->mgids, mgid);

			same = same && (has ? has == mlid : !had) &&
				may_be_of_partition(h, s, mlid, p->v[i].pkey);
			if (same && inherited_has(h, mlid))
				mgid_map_put(reg->mgids, mgid, mlid);
		}
}

/* The members that the rows show; NULL: there are no rows. */
static struct inherited *
make_inherited(const struct snapshot *s, const struct mft_read_row *rows, uint32_t n)
{
	struct mft_seen *found;

	if (!n)
		return NULL;
	found = mft_seen_new();         /* inherited_new() takes it */
	put_rows(found, s, rows, n);
	return inherited_new(found, s, groups_mlids(s));
}

/* From now on no MLID in use is assigned to another group. */
void
grace_found(struct registry *reg, const struct subnet *net, const struct snapshot *fresh,
	const struct mft_reader *r)
{
	struct grace *g = reg->grace;
	const struct mft_read_row *rows = NULL;
	uint32_t n = 0;

	if (r) {
		rows = mft_reader_rows(r, &n);
		log_unread(net, fresh, r);
	}
	inherited_free(g->inherited);
	g->runs = false;
	put_rows(net->tables.mft, fresh, rows, n);
	g->inherited = make_inherited(fresh, rows, n);
	if (g->inherited)
		presume_partitions(reg, net->conf->partitions, fresh);
	groups_found(reg, net, fresh);
	for (uint32_t mlid = 0; (mlid = inherited_next(g->inherited, mlid)) != 0; mlid++)
		mcast_reserve(reg->mcast, (uint16_t)mlid);
	mcast_spare_known(reg->mcast, n != 0);
	groups_set_partitions(reg, net);
	if (inherited_count(g->inherited))
		log_line(net->log, LOG_NOTE, "mcast",
			"%u MLIDs inherited: "
			"their trees stay until %u s after hosts are asked to register again",
			inherited_count(g->inherited), net->conf->mcast_grace_s);
}

/* ---- until the end ---- */

void
grace_look(struct registry *reg, const struct snapshot *fresh)
{
	if (reg->grace->inherited)
		inherited_look(reg->grace->inherited, fresh);
}

void
grace_begin(struct registry *reg, const struct subnet *net)
{
	reg->grace->runs = reg->grace->inherited != NULL;
	reg->grace->begun = net->now;
}

static struct monotime
end_of_grace(const struct registry *reg, const struct subnet *net)
{
	return monotime_add_us(reg->grace->begun, (int64_t)net->conf->mcast_grace_s * 1000000);
}

bool
grace_deadline(const struct registry *reg, const struct subnet *net, struct monotime *at)
{
	if (!reg->grace->runs)
		return false;
	*at = end_of_grace(reg, net);
	return true;
}

void
grace_pump(struct registry *reg, const struct subnet *net)
{
	struct inherited *h = reg->grace->inherited;
	uint32_t released = 0;

	if (!reg->grace->runs || !monotime_reached(net->now, end_of_grace(reg, net)))
		return;
	for (uint32_t mlid = 0; (mlid = inherited_next(h, mlid)) != 0; mlid++) {
		mcast_unreserve(reg->mcast, (uint16_t)mlid);
		mcast_look_again(reg->mcast, (uint16_t)mlid);
		released += !mcast_by_mlid(reg->mcast, (uint16_t)mlid);
	}
	mcast_spare_known(reg->mcast, false);
	if (inherited_count(h))
		log_line(net->log, LOG_NOTE, "mcast",
			"grace time over: %u of %u inherited MLIDs have no group and are released",
			released, inherited_count(h));
	grace_reset(reg);
}

void
grace_release(struct registry *reg, const struct snapshot *s, uint16_t mlid, uint64_t guid)
{
	uint32_t port;

	if (!inherited_has(reg->grace->inherited, mlid))
		return;
	port = aliases_port(reg, s, guid);
	if (port != FAB_NONE)
		inherited_release(reg->grace->inherited, s, mlid, port);
}
