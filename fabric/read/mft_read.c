/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * mft_read.c - multicast forwarding tables of switches.
 * Room: fabric/read.  Pure.  docs/wire.md: MulticastForwardingTable.
 *
 * A subject is a switch, by its ordinal.
 *
 * Members of groups are hosts, and switches with an enhanced port 0.  Switches that have such are
 * at the edge, and are read first.  All others are inner: they only forward what some switch at the
 * edge sends or delivers, so of these only the blocks are read in which the edge has entries.  When
 * a switch at the edge cannot be read, inner ones are read like those.
 */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/read/mft_read.h"
#include "fabric/read/reader.h"
#include "util/bits.h"
#include "util/grow.h"
#include "util/xalloc.h"

enum { POSITION_SHIFT = 28, POSITION_PORTS = 16, BLOCKS_MAX = 512 };

struct switch_read {
	uint32_t block, blocks;         /* to be asked for next; how many may be */
	uint8_t position, positions;
	bool queued, open, unread;
	bool inner;
};

struct mft_reader {
	struct reader base;
	struct switch_read *v;          /* by ordinal */
	/* blocks from here on are not read, unless more are in use */
	uint32_t end;
	bool inside;                    /* inner switches are read, too */
	bool all;                       /* all their blocks: the edge was not read completely */
	uint64_t used[BITS_WORDS(BLOCKS_MAX)];  /* blocks with entries at the edge */
	struct mft_read_row *rows;
	uint32_t nrows, cap_rows;
};

static bool
is_readable(const struct fab_node *n)
{
	return n->flags & FAB_NODE_SWITCH_INFO && !(n->flags & FAB_NODE_CUT) &&
		n->hop_count != FAB_NO_PATH && switch_info_decode(n->switch_info).lft_top;
}

/* How many blocks of that switch may have entries. */
static uint32_t
blocks_of(const struct fab_node *n, uint32_t mlids)
{
	struct switch_info si = switch_info_decode(n->switch_info);

	if (!is_readable(n))
		return 0;
	if (mlids > si.mft_cap)
		mlids = si.mft_cap;
	if (si.mft_top && si.mft_top < MLID_FIRST)
		mlids = 0;
	else if (si.mft_top && mlids > si.mft_top - MLID_FIRST + 1u)
		mlids = si.mft_top - MLID_FIRST + 1u;
	mlids = (mlids + MFT_READ_BLOCK_MLIDS - 1) / MFT_READ_BLOCK_MLIDS;
	return mlids < BLOCKS_MAX ? mlids : BLOCKS_MAX;
}

/* Whether nothing but switches is behind the links of that switch, and no member in itself. */
static bool
is_inner(const struct snapshot *s, const struct fab_node *n)
{
	if (!(n->flags & FAB_NODE_SWITCH_INFO) ||
		switch_info_decode(n->switch_info).enhanced_port0)
		return false;
	for (uint32_t p = n->first_port + 1; p <= n->first_port + n->nports; p++) {
		const struct fab_port *port = &s->ports[p];

		if (port->peer != FAB_NONE && !fab_is_switch(&s->nodes[s->ports[port->peer].node]))
			return false;
		/* a link to something that was not found */
		if (port->peer == FAB_NONE && (!(port->flags & FAB_PORT_INFO) ||
			port_info_decode(port->info).state > PORT_STATE_DOWN))
			return false;
	}
	return true;
}

static void
queue_switch(struct mft_reader *r, uint32_t sw)
{
	struct switch_read *v = &r->v[sw];

	if (v->queued || v->open || v->unread || (v->inner && !r->inside))
		return;
	while (v->inner && !r->all && v->block < v->blocks && !bits_test(r->used, v->block))
		v->block++;
	if (v->block >= v->blocks || v->block >= r->end)
		return;
	v->queued = true;
	reader_push(&r->base, sw);
}

static void
queue_switches(struct mft_reader *r)
{
	for (uint32_t sw = r->base.nsubjects; sw-- > 0;)
		queue_switch(r, sw);
}

/* The edge was read: goes on with inner switches. */
static void
go_inside(struct mft_reader *r)
{
	if (r->inside || !reader_done(&r->base))
		return;
	r->inside = true;
	queue_switches(r);
}

struct mft_reader *
mft_reader_new(const struct snapshot *s, uint32_t mlids, uint32_t hint, struct mkeys mkeys)
{
	struct mft_reader *r = xcalloc(1, sizeof(*r));
	uint32_t first = (hint + MFT_READ_BLOCK_MLIDS - 1) / MFT_READ_BLOCK_MLIDS;

	reader_init(&r->base, "mft_read", s, &mkeys, s->nswitches);
	r->v = xcalloc((size_t)s->nswitches + 1, sizeof(*r->v));
	r->end = first > MFT_READ_GAP_BLOCKS ? first : MFT_READ_GAP_BLOCKS;
	for (uint32_t sw = 0; sw < s->nswitches; sw++) {
		const struct fab_node *n = &s->nodes[s->switches[sw]];

		r->v[sw].inner = is_inner(s, n);
		r->v[sw].blocks = blocks_of(n, mlids);
		r->v[sw].positions = (uint8_t)(n->nports / POSITION_PORTS + 1);
		r->all |= !r->v[sw].inner && !is_readable(n);
	}
	queue_switches(r);
	go_inside(r);
	return r;
}

void
mft_reader_free(struct mft_reader *r)
{
	if (!r)
		return;
	reader_clear(&r->base);
	free(r->v);
	free(r->rows);
	free(r);
}

bool
mft_reader_next(struct mft_reader *r, struct txn_req *q)
{
	const struct fab_node *n;
	struct switch_read *v;
	uint32_t sw;

	if (!reader_take(&r->base, &sw))
		return false;
	v = &r->v[sw];
	v->queued = false;
	v->open = true;
	n = &r->base.s->nodes[r->base.s->switches[sw]];
	reader_request(&r->base, q, n->first_port, MFT_BLOCK_ID, n->path, n->hop_count);
	q->cookie = sw;
	q->modifier = v->block | (uint32_t)v->position << POSITION_SHIFT;
	return true;
}

static bool
in_use(const uint8_t image[static 64])
{
	static const uint8_t none[64];

	return memcmp(image, none, sizeof(none)) != 0;
}

static void
keep_row(struct mft_reader *r, uint32_t sw, const uint8_t image[static 64])
{
	const struct switch_read *v = &r->v[sw];

	GROW(r->rows, r->nrows, r->cap_rows, 64);
	r->rows[r->nrows].sw = sw;
	r->rows[r->nrows].row = v->block | (uint32_t)v->position << POSITION_SHIFT;
	memcpy(r->rows[r->nrows++].image, image, 64);
}

/* Takes an answer, and goes on to the next position or block. */
static void
take_row(struct mft_reader *r, uint32_t sw, const uint8_t image[static 64])
{
	struct switch_read *v = &r->v[sw];

	keep_row(r, sw, image);
	if (in_use(image)) {
		if (!v->inner)
			bits_set(r->used, v->block);
		if (r->end < v->block + 1 + MFT_READ_GAP_BLOCKS)
			r->end = v->block + 1 + MFT_READ_GAP_BLOCKS;
	}
	if (++v->position == v->positions) {
		v->position = 0;
		v->block++;
	}
}

void
mft_reader_end(struct mft_reader *r, const struct txn_end *e)
{
	uint32_t sw = reader_subject(&r->base, e), end = r->end;
	const uint8_t *image = reader_answer(&r->base, e);
	struct switch_read *v = &r->v[sw];

	if (!v->open)
		bug("mft_read: an end without a request");
	v->open = false;
	if (image)
		take_row(r, sw, image);
	else
		v->unread = true;
	r->all |= v->unread && !v->inner;
	if (r->end != end)
		queue_switches(r);
	queue_switch(r, sw);
	go_inside(r);
}

bool
mft_reader_done(const struct mft_reader *r)
{
	return reader_done(&r->base);
}

const struct mft_read_row *
mft_reader_rows(const struct mft_reader *r, uint32_t *n)
{
	*n = r->nrows;
	return r->rows;
}

uint32_t
mft_reader_unread(const struct mft_reader *r, uint32_t sw)
{
	while (sw < r->base.nsubjects && !r->v[sw].unread)
		sw++;
	return sw < r->base.nsubjects ? sw : FAB_NONE;
}
