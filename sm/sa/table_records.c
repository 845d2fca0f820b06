/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * table_records.c - records that are rows of the snapshot: NodeRecord, PortInfoRecord and their
 * kind, by one table.
 * Room: sm/sa.  Pure.
 *
 * A row of the table says which ports a record is about and how one becomes a record.  The rest is
 * common.  A LID in the request narrows the search to its owner (any LID of the owner, also one
 * above its base LID).  Ports that the requester may not see are left out.  What is left is
 * compared component by component, as it would be sent: a requester that cannot see a key cannot
 * guess it either.  A new record of this kind is one row and one function.
 */
#include <config.h>
#include <string.h>
#include "sm/sa/sa_int.h"

/* The first component of every record here; in a LinkRecord it is FromLID. */
#define COMP_LID SA_COMP(node_record, lid)
#define COMP_NODE_PORT_GUID SA_COMP_IN(node_record, info, node_info, port_guid)
#define COMP_CAPS SA_COMP_IN(port_info_record, info, port_info, capability_mask)
#define COMP_CAPS2 SA_COMP_IN(port_info_record, info, port_info, capability_mask2)

struct query {
	struct sa_ctx *c;
	const struct sa_record_desc *desc;
	uint64_t mask;                  /* components left to compare */
	const uint8_t *templ;           /* with what */
	/* a copy of the template, for a LinkRecord whose other LID was changed */
	uint8_t link[LINK_RECORD_BYTES];
};

/* Makes record 'i' (0, 1, ...) about 'port' into 'w' (zeroed). */
/* NO_MORE: neither this record nor a later one; UNKNOWN: this one is not known */
enum made { NO_MORE, UNKNOWN, MADE };
typedef enum made make_fn(const struct query *q, uint32_t port, uint32_t i, uint8_t *w);

/* The LID is at the same place of every record here. */
static void
put_lid(const struct query *q, uint32_t port, uint8_t *w)
{
	ATTR_SET(node_record, lid, w, sa_base_lid(q->c->x, sa_endport_of(q->c->x, port)));
}

static enum made
make_node(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct fab_port *p = &q->c->x->v.s->ports[port];
	const struct fab_node *n = &q->c->x->v.s->nodes[p->node];
	uint8_t *info = w + node_record_at_info / 8;

	if (i)
		return NO_MORE;
	put_lid(q, port, w);
	memcpy(info, n->node_info, NODE_INFO_BYTES);
	memcpy(w + node_record_at_desc / 8, n->desc, NODE_DESC_BYTES);
	ATTR_SET(node_info, port_guid, info, p->guid);
	/* not the port by which the SMP entered */
	ATTR_SET(node_info, local_port, info, p->num);
	return MADE;
}

static enum made
make_port_info(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct fab_port *p = &q->c->x->v.s->ports[port];
	uint8_t *info = w + port_info_record_at_info / 8;

	if (i || !(p->flags & FAB_PORT_INFO))
		return NO_MORE;
	put_lid(q, port, w);
	w[port_info_record_at_port / 8] = p->num;
	/* all fields are present, whether requested or not */
	if (q->c->mask & SA_COMP(port_info_record, options))
		w[port_info_record_at_options / 8] = q->c->templ[port_info_record_at_options / 8];
	memcpy(info, p->info, PORT_INFO_BYTES);
	if (!q->c->trusted)
		memset(info + port_info_at_mkey / 8, 0, 8);
	return MADE;
}

static enum made
make_switch_info(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct fab_node *n = &q->c->x->v.s->nodes[q->c->x->v.s->ports[port].node];

	if (i || !(n->flags & FAB_NODE_SWITCH_INFO))
		return NO_MORE;
	put_lid(q, port, w);
	memcpy(w + switch_info_record_at_info / 8, n->switch_info, SWITCH_INFO_BYTES);
	return MADE;
}

/* Only blocks with known contents. */
static enum made
make_lft(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct fab_node *n = &q->c->x->v.s->nodes[q->c->x->v.s->ports[port].node];

	if (!n->lft || i >= n->lft_blocks)
		return NO_MORE;
	put_lid(q, port, w);
	ATTR_SET(lft_record, block, w, i);
	memcpy(w + lft_record_at_table / 8, n->lft + (size_t)i * LFT_BLOCK_BYTES, LFT_BLOCK_BYTES);
	return MADE;
}

/* Only rows with known contents; empty ones are left out later. */
static enum made
make_mft(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct sa_view *v = &q->c->x->v;
	uint32_t row;
	const uint8_t *image = v->mft ?
		mft_seen_at(v->mft, v->s->nodes[v->s->ports[port].node].guid, i, &row) :
		NULL;

	if (!image)
		return NO_MORE;
	put_lid(q, port, w);
	ATTR_SET(mft_record, position, w, mft_row_position(row));
	ATTR_SET(mft_record, block, w, mft_row_block(row));
	memcpy(w + mft_record_at_table / 8, image, MFT_BLOCK_BYTES);
	return MADE;
}

static enum made
make_sm_info(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct sa_view *v = &q->c->x->v;
	struct sm_info info;

	for (uint32_t k = 0; k < v->nsms; k++) {
		if (v->sms[k].guid != v->s->ports[port].guid || i--)
			continue;
		info = v->sms[k];
		if (!q->c->trusted)
			info.sm_key = 0;
		put_lid(q, port, w);
		sm_info_encode(w + sm_info_record_at_info / 8, &info);
		return MADE;
	}
	return NO_MORE;
}

static enum made
make_link(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct fab_port *p = &q->c->x->v.s->ports[port];
	uint32_t peer = p->peer;

	if (i || peer == FAB_NONE || !sa_base_lid(q->c->x, sa_endport_of(q->c->x, peer)) ||
	    !sa_visible(q->c, peer))
		return NO_MORE;
	put_lid(q, port, w);
	w[link_record_at_from_port / 8] = p->num;
	w[link_record_at_to_port / 8] = q->c->x->v.s->ports[peer].num;
	put_lid(q, peer, w + link_record_at_to_lid / 8);
	return MADE;
}

/* The blocks that were read; for a switch's external ports only where it enforces partitions. */
static enum made
make_pkeys(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct fab_port *p = &q->c->x->v.s->ports[port];

	if (i > p->more_pkeys || !(p->flags & FAB_PORT_PKEYS) ||
	    (uint64_t)p->pkeys + i >= q->c->x->v.s->npkey_blocks)
		return NO_MORE;
	put_lid(q, port, w);
	ATTR_SET(pkey_record, block, w, i);
	w[pkey_record_at_port / 8] = p->num;
	memcpy(w + pkey_record_at_table / 8, q->c->x->v.s->pkey_blocks[p->pkeys + i],
		PKEY_TABLE_BYTES);
	return MADE;
}

/* All blocks that the port has room for.  The first entry of block 0 is its own GUID, the others
 * are aliases. */
static enum made
make_guids(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct fab_port *p = &q->c->x->v.s->ports[port];
	unsigned cap = p->flags & FAB_PORT_INFO ? p->info[port_info_at_guid_cap / 8] : 0;
	uint64_t guids[ALIAS_BLOCK_GUIDS] = { 0 };

	if (i * ALIAS_BLOCK_GUIDS >= cap)
		return NO_MORE;
	if (q->c->x->v.alias)
		alias_block(q->c->x->v.alias, p->guid, (uint8_t)i, guids);
	if (!i)
		guids[0] = p->guid;
	put_lid(q, port, w);
	w[guid_info_record_at_block / 8] = (uint8_t)i;
	for (unsigned k = 0; k < ALIAS_BLOCK_GUIDS; k++)
		ATTR_SET_ITEM(guid_info, guid, w + ATTR_AT(guid_info_record, table), k, guids[k]);
	return MADE;
}

/* One table for a host; for an output port of a switch, one per input.  Only known tables. */
static enum made
make_slvl(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct snapshot *s = q->c->x->v.s;
	const struct fab_node *n = &s->nodes[s->ports[port].node];
	struct qos_table t = { port, (uint8_t)i, 0 };

	if (!q->c->x->v.qos_tables || i > (fab_is_switch(n) ? n->nports : 0u))
		return NO_MORE;
	if (!qos_tables_get(q->c->x->v.qos_tables, s, &t, w + slvl_record_at_table / 8))
		return UNKNOWN;
	put_lid(q, port, w);
	w[slvl_record_at_in_port / 8] = t.in;
	w[slvl_record_at_out_port / 8] = fab_is_switch(n) ? s->ports[port].num : 0;
	return MADE;
}

static enum made
make_vlarb(const struct query *q, uint32_t port, uint32_t i, uint8_t *w)
{
	const struct snapshot *s = q->c->x->v.s;
	struct qos_table t = { port, 0, (uint8_t)(i + 1) };

	if (!q->c->x->v.qos_tables || i >= QOS_VLARB_BLOCKS)
		return NO_MORE;
	if (!qos_tables_get(q->c->x->v.qos_tables, s, &t, w + vlarb_record_at_table / 8))
		return UNKNOWN;
	put_lid(q, port, w);
	w[vlarb_record_at_port / 8] = s->ports[port].num;
	w[vlarb_record_at_block / 8] = t.block;
	return MADE;
}

enum about { END_PORTS, ALL_PORTS, SWITCHES };

static const struct table_record {
	uint16_t attr_id;
	uint8_t about;                  /* enum about: the ports it has records for */
	make_fn *make;
} tables[] = {
	{ NODE_RECORD_ID, END_PORTS, make_node },
	{ PORT_INFO_RECORD_ID, ALL_PORTS, make_port_info },
	{ SWITCH_INFO_RECORD_ID, SWITCHES, make_switch_info },
	{ LFT_RECORD_ID, SWITCHES, make_lft },
	{ MFT_RECORD_ID, SWITCHES, make_mft },
	{ SM_INFO_RECORD_ID, END_PORTS, make_sm_info },
	{ LINK_RECORD_ID, ALL_PORTS, make_link },
	{ GUID_INFO_RECORD_ID, END_PORTS, make_guids },
	{ PKEY_RECORD_ID, ALL_PORTS, make_pkeys },
	{ SLVL_RECORD_ID, ALL_PORTS, make_slvl },
	{ VLARB_RECORD_ID, ALL_PORTS, make_vlarb },
};

/* The capability mask at 'at' of the template: 'record' has all its bits. */
static bool
has_all(const struct query *q, const uint8_t *record, unsigned at, unsigned bytes)
{
	for (unsigned i = at / 8; i < at / 8 + bytes; i++)
		if (q->templ[i] & ~record[i])
			return false;
	return true;
}

static bool
is_wanted(const struct query *q, const uint8_t *record)
{
	const unsigned caps = port_info_record_at_info + port_info_at_capability_mask;
	const unsigned caps2 = port_info_record_at_info + port_info_at_capability_mask2;
	static const uint8_t nothing[MFT_BLOCK_BYTES];
	uint64_t mask = q->mask;

	if (q->desc->attr->id == MFT_RECORD_ID &&
	    !memcmp(record + mft_record_at_table / 8, nothing, sizeof(nothing)))
		return false;
	if (q->desc->attr->id == PORT_INFO_RECORD_ID &&
	    q->c->head.modifier & PORT_INFO_RECORD_CAP_MATCH) {
		if (mask & COMP_CAPS && !has_all(q, record, caps, 4))
			return false;
		if (mask & COMP_CAPS2 && !has_all(q, record, caps2, 2))
			return false;
		mask &= ~(COMP_CAPS | COMP_CAPS2);
	}
	return sa_components_match(q->desc, mask, q->templ, record);
}

/* All records about one port.  False: stop. */
static bool
about_port(const struct query *q, const struct table_record *p, uint32_t port)
{
	const struct snapshot *s = q->c->x->v.s;
	const struct fab_node *n = &s->nodes[s->ports[port].node];
	uint8_t w[SA_DATA_BYTES] = { 0 };
	enum made made;

	if (p->about != ALL_PORTS && sa_endport_of(q->c->x, port) != port)
		return true;
	if (p->about == SWITCHES && !fab_is_switch(n))
		return true;
	if (!sa_base_lid(q->c->x, sa_endport_of(q->c->x, port)) || !sa_visible(q->c, port))
		return true;
	for (uint32_t i = 0; (made = p->make(q, port, i, w)) != NO_MORE; i++) {
		q->c->looked++;
		if (made == MADE && is_wanted(q, w) && !sa_put_row(q->c, w, q->desc->attr->bytes))
			return false;
	}
	return true;
}

/* Narrows the ports to examine to first..last by the LID or the port GUID of the request; false:
 * there is none. */
static bool
narrow_ports(struct query *q, uint32_t *first, uint32_t *last)
{
	const struct snapshot *s = q->c->x->v.s;
	uint32_t port = FAB_NONE;

	if (q->mask & COMP_LID) {
		port = sa_port_by_lid(q->c->x, (uint16_t)ATTR_GET(node_record, lid, q->templ));
		q->mask &= ~COMP_LID;
	} else if (q->desc->attr->id == NODE_RECORD_ID && q->mask & COMP_NODE_PORT_GUID) {
		port = snapshot_port_by_guid(s,
			ATTR_GET(node_info, port_guid, q->templ + ATTR_AT(node_record, info)));
	} else {
		*first = 0;
		*last = s->nports - 1;
		return s->nports > 0;
	}
	if (port == FAB_NONE)
		return false;
	*first = *last = port;
	if (fab_is_switch(&s->nodes[s->ports[port].node]))
		*last = port + s->nodes[s->ports[port].node].nports;
	return true;
}

/* A LinkRecord's other LID may also be any LID of its owner; false: no port owns it. */
static bool
other_end(struct query *q)
{
	uint32_t port;

	if (q->desc->attr->id != LINK_RECORD_ID || !(q->mask & SA_COMP(link_record, to_lid)))
		return true;
	memcpy(q->link, q->templ, sizeof(q->link));
	q->templ = q->link;
	port = sa_port_by_lid(q->c->x, (uint16_t)ATTR_GET(link_record, to_lid, q->link));
	if (port != FAB_NONE)
		ATTR_SET(link_record, to_lid, q->link, sa_base_lid(q->c->x, port));
	return port != FAB_NONE;
}

uint16_t
sa_table_records(struct sa_ctx *c)
{
	struct query q = {
		.c = c, .desc = sa_record_find(c->head.attr_id), .mask = c->mask, .templ = c->templ
	};
	uint32_t first, last;

	for (size_t k = 0; k < sizeof(tables) / sizeof(tables[0]); k++) {
		if (tables[k].attr_id != c->head.attr_id)
			continue;
		if (!other_end(&q) || !narrow_ports(&q, &first, &last))
			return STATUS_OK;
		for (uint32_t port = first; port <= last; port++)
			if (!about_port(&q, &tables[k], port))
				break;
	}
	return STATUS_OK;
}
