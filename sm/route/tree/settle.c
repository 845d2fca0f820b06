/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * settle.c - from intended ports to ports that are legal now.
 * Room: sm/route/tree.  Pure.  In: the intended row, the row in force, candidates.  Out: the row.
 *
 * Where a switch has all its links, an intended port can be illegal only in a column in which a
 * candidate of the intended topology is none now: those columns are found for many columns at a
 * time.  All entries of a switch that lost or gained a link are checked.
 */
#include <config.h>
#include <string.h>
#include "sm/route/tree/settle.h"
#include "util/bits.h"

void
settle_init(struct settle *t, const struct frame *f, const struct updown *u, struct arena *a)
{
	memset(t, 0, sizeof(*t));
	t->frame = f;
	t->u = u;
	fill_init_candidates(&t->now, &f->now, a);
	t->suspect = arena_alloc(a, f->now.stride);
	settle_reserve(t, a);
}

void
settle_reserve(struct settle *t, struct arena *a)
{
	const struct route_model *m = &t->frame->now;

	t->open = arena_array(a, m->lid_first[m->ncols], sizeof(*t->open));
	t->open_col = arena_array(a, m->lid_first[m->ncols], sizeof(*t->open_col));
}

static bool
group_equal(const struct settle *t, const struct swgraph_group *a, const struct swgraph_group *b)
{
	return a->to == b->to && a->nports == b->nports &&
		memcmp(&t->frame->now.g.ports[a->first_port],
			&t->frame->whole.g.ports[b->first_port], a->nports) == 0;
}

static bool
switch_whole(const struct settle *t, const struct fill *whole)
{
	if (t->now.ngroups != whole->ngroups)
		return false;
	for (uint32_t k = 0; k < whole->ngroups; k++)
		if (!group_equal(t, t->now.order[k], whole->order[k]))
			return false;
	return true;
}

/* Marks the columns in which a candidate was lost, or all of them appeared.  False: none. */
static bool
mark_suspects(struct settle *t, const struct fill *whole)
{
	uint32_t stride = t->frame->now.stride, bytes = (whole->ngroups + 7) / 8;
	route_vec any = { 0 };

	for (uint32_t i = 0; i < stride; i += (uint32_t)sizeof(route_vec)) {
		route_vec lost = { 0 }, had = { 0 }, has = { 0 };

		for (uint32_t b = 0; b < bytes; b++) {
			size_t at = (size_t)b * stride + i;
			route_vec w = *(const route_vec *)(whole->mask + at);
			route_vec n = *(const route_vec *)(t->now.mask + at);

			lost |= w & ~n;
			had |= w;
			has |= n;
		}
		lost |= (route_vec)(had == 0) & has;
		any |= lost;
		*(route_vec *)(t->suspect + i) = lost;
	}
	for (size_t i = 0; i < sizeof(any); i++)
		if (any[i])
			return true;
	return false;
}

static bool
port_legal(const struct settle *t, uint8_t port, uint32_t c)
{
	uint8_t k = t->group[port];

	return k != SETTLE_NONE &&
		t->now.mask[(size_t)(k / 8) * t->frame->now.stride + c] >> k % 8 & 1;
}

/* The ports that are legal in column 'c': the first links of all neighbours, then their second
 * links, and so on. */
static uint32_t
legal_ports(const struct settle *t, uint32_t c, uint8_t list[static 256])
{
	uint32_t n = 0;
	bool more = true;

	for (uint32_t cable = 0; more; cable++) {
		more = false;
		for (uint32_t k = 0; k < t->now.ngroups; k++) {
			const struct swgraph_group *g = t->now.order[k];

			if (cable >= g->nports ||
			    !(t->now.mask[(size_t)(k / 8) * t->frame->now.stride + c] >> k % 8 & 1))
				continue;
			list[n++] = t->frame->now.g.ports[g->first_port + cable];
			more = true;
		}
	}
	return n;
}

/* The port in force for 'lid'. */
static uint8_t
port_before(const uint8_t *before, uint32_t nbefore, uint16_t lid)
{
	return lid < nbefore ? before[lid] : FAB_LFT_DROP;
}

/* Replaces the port of 'lid' where that is needed.  False: none of the two ports is legal. */
static bool
choose_port(const struct settle *t, uint32_t c, uint8_t *port, uint8_t before)
{
	if (t->hold ? port_legal(t, before, c) : !port_legal(t, *port, c))
		*port = before;
	return port_legal(t, *port, c);
}

static void
settle_hosts(struct settle *t, uint32_t c, uint8_t *row, const uint8_t *before, uint32_t nbefore)
{
	const struct route_model *m = &t->frame->now;

	for (uint32_t i = m->lid_first[c]; i < m->lid_first[c + 1]; i++) {
		uint16_t lid = m->host_lids[i].lid;
		uint8_t intended = row[lid];

		if (choose_port(t, c, &row[lid], port_before(before, nbefore, lid))) {
			t->moved[row[lid]] += row[lid] != intended;
			continue;
		}
		row[lid] = FAB_LFT_DROP;
		t->open[t->nopen] = i;
		t->open_col[t->nopen++] = c;
	}
}

/* LIDs of a switch weigh nothing: they take turns by their number. */
static void
settle_own(struct settle *t, uint32_t c, uint8_t *row, const uint8_t *before, uint32_t nbefore)
{
	const struct route_model *m = &t->frame->now;
	uint8_t list[256];
	uint32_t n = UINT32_MAX;

	for (uint32_t i = 0; i < m->own_n[c]; i++) {
		uint16_t lid = (uint16_t)(m->own_first[c] + i);

		if (choose_port(t, c, &row[lid], port_before(before, nbefore, lid)))
			continue;
		if (n == UINT32_MAX)
			n = legal_ports(t, c, list);
		row[lid] = n ? list[(t->frame->own_id[m->col_sw[c]] + i) % n] : FAB_LFT_DROP;
	}
}

/* Gives what is left the legal ports that took the fewest so far.  Of equal ones, the first in turn
 * from a place that the host's id, its switch and this one name, so that neither switches nor
 * columns choose alike.  Intended entries do not count: damage makes their numbers uneven in the same
 * way at all switches, which would then all choose the same way to the same host. */
void
settle_end(struct settle *t, uint32_t sw, uint8_t *row)
{
	const struct frame *f = t->frame;
	uint32_t n = 0, col = UINT32_MAX, *moved = t->moved;
	uint8_t list[256];

	for (uint32_t i = 0; i < t->nopen; i++) {
		const struct route_lid *l = &f->now.host_lids[t->open[i]];
		uint32_t first, best;

		if (t->open_col[i] != col) {
			col = t->open_col[i];
			n = legal_ports(t, col, list);
		}
		if (!n)
			continue;
		first = f->id[t->open[i]] / f->divider[sw] + l->sub + f->now.sw_col[sw] + col;
		best = first %= n;
		for (uint32_t k = 1; k < n; k++)
			if (moved[list[(first + k) % n]] < moved[list[best]])
				best = (first + k) % n;
		row[l->lid] = list[best];
		moved[list[best]]++;
		if (t->placed)
			bits_set(t->placed, t->open[i]);
	}
}

/* Whose port is whose. */
static void
list_neighbours(struct settle *t)
{
	memset(t->group, SETTLE_NONE, sizeof(t->group));
	for (uint32_t k = 0; k < t->now.ngroups; k++)
		for (uint32_t i = 0; i < t->now.order[k]->nports; i++)
			t->group[t->now.m->g.ports[t->now.order[k]->first_port + i]] = (uint8_t)k;
	t->nopen = 0;
}

void
settle_begin(struct settle *t, uint32_t sw, uint32_t moved[static 256])
{
	t->moved = moved;
	fill_order(&t->now, sw, t->frame->plane);
	list_neighbours(t);
}

void
settle_column(struct settle *t, uint32_t c, uint8_t *row, const uint8_t *before, uint32_t nbefore)
{
	settle_hosts(t, c, row, before, nbefore);
	settle_own(t, c, row, before, nbefore);
}

void
settle_row(struct settle *t, const struct fill *whole, uint8_t *row, const uint8_t *before,
	uint32_t nbefore, uint32_t moved[static 256])
{
	const struct route_model *m = &t->frame->now;
	uint32_t sw = whole->sw, own = m->sw_col[sw];

	memset(moved, 0, 256 * sizeof(*moved));
	t->moved = moved;
	nbefore = before ? nbefore : 0;
	fill_begin(&t->now, sw, t->frame->plane);
	updown_candidates(t->u, &t->now);
	if (t->hold || !switch_whole(t, whole))
		memset(t->suspect, 1, m->stride);
	else if (!mark_suspects(t, whole))
		return;
	list_neighbours(t);
	for (uint32_t c = 0; c < m->ncols; c++)
		if (t->suspect[c] && c != own)
			settle_column(t, c, row, before, nbefore);
	settle_end(t, sw, row);
}
