/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * guidinfo.c - GUIDInfoRecord: Set and Delete of alias GUIDs.  Get and GetTable: table_records.c.
 * Room: sm/sa.  Pure.  docs/sa.md: alias GUIDs.
 */
#include <config.h>
#include <string.h>
#include "sm/sa/sa_int.h"

#define NEED (SA_COMP(guid_info_record, lid) | SA_COMP(guid_info_record, block))

/* Collects what is known of each requested GUID, and of the present entries. */
static void
look_up(const struct sa_view *v, const struct mcast *groups, struct alias_request *a)
{
	uint64_t have[ALIAS_BLOCK_GUIDS];

	alias_block(v->alias, a->port_guid, a->block, have);
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++) {
		uint8_t bit = (uint8_t)(1u << i);
		uint32_t joins = 0, made;
		uint64_t owner;

		if (have[i] && groups)
			mcast_held(groups, have[i], &joins, &made);
		if (joins)
			a->pinned |= bit;
		if (!(a->entries & bit) || !a->want[i])
			continue;
		owner = alias_owner(v->alias, a->want[i]);
		if (snapshot_port_by_guid(v->s, a->want[i]) != FAB_NONE)
			a->taken |= bit;
		if (owner && owner != a->port_guid &&
		    snapshot_port_by_guid(v->s, owner) == FAB_NONE)
			a->away |= bit;
	}
}

/* Assigns GUIDs to empty entries for which 0 is requested. */
static void
choose_guids(const struct sa_view *v, struct alias_table *t, struct alias_request *a)
{
	uint64_t have[ALIAS_BLOCK_GUIDS];

	alias_block(t, a->port_guid, a->block, have);
	for (unsigned i = 0; i < ALIAS_BLOCK_GUIDS; i++) {
		if (!(a->entries >> i & 1) || a->want[i] || have[i])
			continue;
		do
			a->want[i] = alias_make(t, v->sm_assigned_guid);
		while (snapshot_port_by_guid(v->s, a->want[i]) != FAB_NONE);
	}
}

static uint16_t
change_guids(struct sa_ctx *c)
{
	const struct sa_view *v = &c->x->v;
	struct alias_table *t = c->w->alias;
	struct guid_info_record r = guid_info_record_decode(c->templ);
	uint32_t port = sa_port_by_lid(c->x, r.lid);
	struct alias_request a = { .block = r.block,
		.entries = (uint8_t)(c->mask >> guid_info_record_comp_table) };
	uint8_t w[GUID_INFO_RECORD_BYTES] = { 0 };
	uint64_t got[ALIAS_BLOCK_GUIDS];
	uint16_t status;

	if ((c->mask & NEED) != NEED)
		return STATUS_SA_COMPONENTS;
	if (port == FAB_NONE || !sa_visible(c, port))
		return STATUS_SA_NO_RECORDS;
	a.port_guid = v->s->ports[port].guid;
	a.cap = v->s->ports[port].flags & FAB_PORT_INFO ?
		v->s->ports[port].info[port_info_at_guid_cap / 8] :
		0;
	a.entitled = port == c->requester || c->trusted;
	memcpy(a.want, r.table.guid, sizeof(a.want));
	if (c->head.method == METHOD_SET && a.entitled)
		choose_guids(v, t, &a);
	look_up(v, c->w->mcast, &a);
	status = c->head.method == METHOD_SET ? alias_set(t, &a, got) : alias_delete(t, &a, got);
	if (status != STATUS_OK)
		return status;
	r = (struct guid_info_record){ .lid = sa_base_lid(c->x, port), .block = a.block };
	memcpy(r.table.guid, got, sizeof(r.table.guid));
	if (!a.block)
		r.table.guid[0] = a.port_guid;
	guid_info_record_encode(w, &r);
	sa_put_row(c, w, sizeof(w));
	return STATUS_OK;
}

uint16_t
sa_guid_info(struct sa_ctx *c)
{
	if (c->head.method != METHOD_SET && c->head.method != METHOD_DELETE)
		return sa_table_records(c);
	return c->w->alias ? change_guids(c) : STATUS_SA_NO_RESOURCES;
}
