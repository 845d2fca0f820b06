/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * inherited.c - members of MLIDs, derived from multicast tables that an earlier manager wrote.
 * Room: sm/plan.  Pure.  docs/sa.md: takeover.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "sm/plan/inherited.h"
#include "util/bits.h"
#include "util/grow.h"
#include "util/xalloc.h"

enum { STATE_DOWN = 1, MLIDS_MAX = MFT_BLOCK_MLIDS * 512 };

struct inherited_switch {
	uint64_t guid;
	/* by port: GUID of the end port that it leads to; 0: none known */
	uint64_t *host;
	uint8_t nports;
	bool has_hosts;
};

struct inherited {
	/* as read; bits of ports that are no longer members are cleared */
	struct mft_seen *rows;
	struct inherited_switch *v;
	uint32_t n;
	uint64_t mlids[BITS_WORDS(MLIDS_MAX)];
	uint32_t nmlids;
};

/* ---- bits of the tables ---- */

static uint16_t
mask_of(const uint8_t *image, uint32_t mlid)
{
	return (uint16_t)ATTR_GET_ITEM(mft_block, mask, image, mlid % MFT_BLOCK_MLIDS);
}

static bool
has_bit(const uint8_t *image, uint32_t mlid, uint32_t port)
{
	return mask_of(image, mlid) >> port % MFT_POSITION_PORTS & 1;
}

/* Clears the bit of a port for the MLIDs of one block, or for one of them ('only' below 32). */
static void
clear_bits(struct inherited *h, uint64_t guid, uint32_t row, uint32_t port, uint32_t only)
{
	const uint8_t *have = mft_seen_row(h->rows, guid, row);
	uint16_t mask = (uint16_t)~(1u << port % MFT_POSITION_PORTS);
	uint8_t image[MFT_BLOCK_BYTES];

	if (!have)
		return;
	memcpy(image, have, sizeof(image));
	for (uint32_t i = 0; i < MFT_BLOCK_MLIDS; i++)
		if (only >= MFT_BLOCK_MLIDS || only == i)
			ATTR_SET_ITEM(mft_block, mask, image, i, mask_of(image, i) & mask);
	mft_seen_put(h->rows, guid, row, image);
}

static void
clear_port(struct inherited *h, uint64_t guid, uint32_t port)
{
	uint32_t row;

	for (uint32_t i = 0; mft_seen_at(h->rows, guid, i, &row); i++)
		if (mft_row_position(row) == port / MFT_POSITION_PORTS)
			clear_bits(h, guid, row, port, UINT32_MAX);
}

/* ---- hosts behind ports ---- */

/* The GUID of the host that the port leads to; 0: unknown, or the port leads to a switch. */
static uint64_t
host_behind(const struct snapshot *s, const struct fab_port *p)
{
	if (!p->num)
		return p->guid;
	if (p->peer == FAB_NONE || fab_is_switch(&s->nodes[s->ports[p->peer].node]))
		return 0;
	return s->ports[p->peer].guid;
}

static bool
is_down(const struct fab_port *p)
{
	return p->num && p->flags & FAB_PORT_INFO && port_info_decode(p->info).state <= STATE_DOWN;
}

static void
look_switch(struct inherited *h, struct inherited_switch *v, const struct snapshot *s,
	const struct fab_node *n)
{
	v->has_hosts = false;
	for (uint32_t port = 0; port <= v->nports && port <= n->nports; port++) {
		const struct fab_port *p = &s->ports[n->first_port + port];
		uint64_t host = host_behind(s, p);

		if (is_down(p) || (v->host[port] && p->peer != FAB_NONE && host != v->host[port])) {
			clear_port(h, v->guid, port);
			v->host[port] = 0;
		} else if (host) {
			v->host[port] = host;
		}
		v->has_hosts |= port && v->host[port];
	}
}

void
inherited_look(struct inherited *h, const struct snapshot *s)
{
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t node = snapshot_node_by_guid(s, h->v[i].guid);

		if (node != FAB_NONE && fab_is_switch(&s->nodes[node]))
			look_switch(h, &h->v[i], s, &s->nodes[node]);
	}
}

/* ---- which MLIDs ---- */

static void
note_mlids(struct inherited *h, uint64_t guid, uint32_t most)
{
	const uint8_t *image;
	uint32_t row;

	for (uint32_t i = 0; (image = mft_seen_at(h->rows, guid, i, &row)) != NULL; i++)
		for (uint32_t k = 0; k < MFT_BLOCK_MLIDS; k++) {
			uint32_t mlid = mft_row_block(row) * MFT_BLOCK_MLIDS + k;

			if (mlid < most && mask_of(image, k) && !bits_test(h->mlids, mlid)) {
				bits_set(h->mlids, mlid);
				h->nmlids++;
			}
		}
}

struct inherited *
inherited_new(struct mft_seen *rows, const struct snapshot *s, uint32_t mlids)
{
	struct inherited *h = xcalloc(1, sizeof(*h));

	h->rows = rows;
	h->v = xcalloc((size_t)s->nswitches + 1, sizeof(*h->v));
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];
		struct inherited_switch *v = &h->v[h->n];
		uint32_t row;

		if (!mft_seen_at(rows, n->guid, 0, &row))
			continue;
		*v = (struct inherited_switch){ .guid = n->guid, .nports = n->nports,
			.host = xcalloc((size_t)n->nports + 1, sizeof(*v->host)) };
		h->n++;
		/* 0xFFFF is no MLID */
		note_mlids(h, n->guid, mlids < MLIDS_MAX ? mlids : MLIDS_MAX - 1);
	}
	inherited_look(h, s);
	return h;
}

void
inherited_free(struct inherited *h)
{
	if (!h)
		return;
	for (uint32_t i = 0; i < h->n; i++)
		free(h->v[i].host);
	free(h->v);
	mft_seen_free(h->rows);
	free(h);
}

uint32_t
inherited_count(const struct inherited *h)
{
	return h ? h->nmlids : 0;
}

uint16_t
inherited_next(const struct inherited *h, uint32_t mlid)
{
	size_t i;

	if (!h)
		return 0;
	i = bits_next(h->mlids, MLIDS_MAX, mlid < MLID_FIRST ? 0 : mlid - MLID_FIRST);
	return i < MLIDS_MAX ? (uint16_t)(MLID_FIRST + i) : 0;
}

bool
inherited_has(const struct inherited *h, uint16_t mlid)
{
	uint32_t i = (uint32_t)mlid - MLID_FIRST;

	return h && i < MLIDS_MAX && bits_test(h->mlids, i);
}

/* ---- members ---- */

static void
add_member(struct inherited_members *l, uint64_t port_guid, bool hears)
{
	GROW(l->v, l->n, l->cap, 64);
	l->v[l->n++] = (struct inherited_member){ port_guid, hears };
}

/*
 * A switch with an entry but without a receiving member forwards what others send.  The senders may
 * be its own hosts, whose ports no table shows.  Then the switch itself stands for them, so that it
 * stays connected to the tree.
 */
static void
members_at(const struct inherited *h, const struct inherited_switch *sw, uint32_t i,
	struct inherited_members *l)
{
	bool any = false, hears = false;

	for (uint32_t k = 0; k <= sw->nports / MFT_POSITION_PORTS; k++) {
		const uint8_t *image =
			mft_seen_row(h->rows, sw->guid, mft_row_of(i / MFT_BLOCK_MLIDS, k));
		uint32_t end = (k + 1) * MFT_POSITION_PORTS;

		if (!image || !mask_of(image, i))
			continue;
		any = true;
		for (uint32_t port = k * MFT_POSITION_PORTS; port < end && port <= sw->nports;
			port++)
			if (sw->host[port] && has_bit(image, i, port)) {
				add_member(l, sw->host[port], true);
				hears = true;
			}
	}
	if (any && !hears && sw->has_hosts)
		add_member(l, sw->host[0], false);
}

void
inherited_members(const struct inherited *h, uint16_t mlid, struct inherited_members *l)
{
	*l = (struct inherited_members){ NULL, 0, 0 };
	for (uint32_t i = 0; inherited_has(h, mlid) && i < h->n; i++)
		members_at(h, &h->v[i], mlid - MLID_FIRST, l);
}

void
inherited_release(struct inherited *h, const struct snapshot *s, uint16_t mlid, uint32_t port)
{
	const struct fab_port *p = &s->ports[port];
	uint32_t i = (uint32_t)mlid - MLID_FIRST;

	if (!inherited_has(h, mlid))
		return;
	if (!fab_is_switch(&s->nodes[p->node])) {
		if (p->peer == FAB_NONE)
			return;
		p = &s->ports[p->peer];
	}
	clear_bits(h, s->nodes[p->node].guid,
		mft_row_of(i / MFT_BLOCK_MLIDS, p->num / MFT_POSITION_PORTS), p->num,
		i % MFT_BLOCK_MLIDS);
}
