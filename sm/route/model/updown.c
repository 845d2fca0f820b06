/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * updown.c - the up/down core.
 * Room: sm/route/model.  Pure.  In: the model and a rank per switch.  Out: costs, and candidates per
 * switch and column.
 *
 * Switches are ordered by (rank, GUID); every link leads up from the lower to the higher of its
 * ends.
 *   ascending:   dn[s] = 0 at the destination, else 1 + least dn[g] over the lower neighbours g
 *   descending:  r[s]  = dn[s] if there is one, else 1 + least r[g] over the higher neighbours g
 *   candidates:  the lower neighbours with dn[g] < dn[s] if dn[s] is finite, else the higher ones
 *                with r[g] < r[s]
 * A packet that has begun to descend is at a switch with a finite dn, so it never climbs again.
 * Costs saturate at ROUTE_INF; a path of 254 hops or more counts as none.
 */
#include <config.h>
#include <string.h>
#include "sm/route/model/updown.h"

/* Counting sort by rank, highest rank number (lowest switch) first; within a rank by GUID. */
static void
make_order(struct updown *u, const struct route_model *m, const uint16_t *rank, struct arena *a)
{
	uint32_t *first, top = 0, at = 0;

	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		top = rank[sw] > top ? rank[sw] : top;
	first = arena_array(a, (size_t)top + 1, sizeof(*first));
	u->order = arena_array(a, m->g.nsw, sizeof(*u->order));
	u->pos = arena_array(a, m->g.nsw, sizeof(*u->pos));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		first[top - rank[sw]]++;
	for (uint32_t i = 0; i <= top; i++) {
		uint32_t n = first[i];

		first[i] = at;
		at += n;
	}
	for (uint32_t i = 0; i < m->g.nsw; i++) {
		uint32_t sw = m->by_guid ? m->by_guid[i] : i;

		u->pos[sw] = first[top - rank[sw]]++;
		u->order[u->pos[sw]] = sw;
	}
}

/* A switch's plane is the least plane of its higher neighbours; a top switch is a plane of its
 * own.  Switches are then ranked by (plane, GUID). */
static void
make_planes(struct updown *u, const struct route_model *m, struct arena *a)
{
	uint32_t *plane = arena_array(a, m->g.nsw, sizeof(*plane));
	uint32_t *first = arena_array(a, (size_t)m->g.nsw + 1, sizeof(*first));

	for (uint32_t i = m->g.nsw; i-- > 0;) {
		uint32_t sw = u->order[i], least = FAB_NONE;

		for (uint32_t k = m->g.group_first[sw]; k < m->g.group_first[sw + 1]; k++) {
			uint32_t to = m->g.groups[k].to;

			if (updown_is_up(u, sw, to) && plane[to] < least)
				least = plane[to];
		}
		plane[sw] = least == FAB_NONE ? sw : least;
	}
	u->plane = arena_array(a, m->g.nsw, sizeof(*u->plane));
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		first[plane[sw] + 1]++;
	for (uint32_t i = 0; i < m->g.nsw; i++)
		first[i + 1] += first[i];
	for (uint32_t sw = 0; sw < m->g.nsw; sw++)
		u->plane[sw] = first[plane[sw]]++;
}

/* row = min(row, from + 1), saturating. */
static void
relax_row(uint8_t *row, const uint8_t *from, uint32_t stride)
{
	route_vec *r = (route_vec *)row;
	const route_vec *f = (const route_vec *)from;

	for (uint32_t i = 0; i < stride / sizeof(route_vec); i++) {
		route_vec next = f[i] - (route_vec)(f[i] != ROUTE_INF);
		route_vec less = (route_vec)(next < r[i]);

		r[i] = (next & less) | (r[i] & ~less);
	}
}

/* row = own where it is finite. */
static void
prefer_port(uint8_t *row, const uint8_t *own, uint32_t stride)
{
	route_vec *r = (route_vec *)row;
	const route_vec *o = (const route_vec *)own;

	for (uint32_t i = 0; i < stride / sizeof(route_vec); i++) {
		route_vec none = (route_vec)(o[i] == ROUTE_INF);

		r[i] = (r[i] & none) | (o[i] & ~none);
	}
}

struct costs {
	const struct updown *u;
	const struct route_model *m;
};

void
updown_row_dn(const struct updown *u, const struct route_model *m, uint32_t sw, uint32_t lo, uint32_t n,
	uint8_t *row)
{
	uint32_t own = m->sw_col[sw];

	memset(row, ROUTE_INF, n);
	for (uint32_t k = m->g.group_first[sw]; k < m->g.group_first[sw + 1]; k++)
		if (!updown_is_up(u, sw, m->g.groups[k].to))
			relax_row(row, u->dn + (size_t)m->g.groups[k].to * m->stride + lo, n);
	if (own >= lo && own < lo + n)
		row[own - lo] = 0;
}

void
updown_row_r(const struct updown *u, const struct route_model *m, uint32_t sw, uint32_t lo, uint32_t n,
	uint8_t *row)
{
	memset(row, ROUTE_INF, n);
	for (uint32_t k = m->g.group_first[sw]; k < m->g.group_first[sw + 1]; k++)
		if (updown_is_up(u, sw, m->g.groups[k].to))
			relax_row(row, u->r + (size_t)m->g.groups[k].to * m->stride + lo, n);
	prefer_port(row, u->dn + (size_t)sw * m->stride + lo, n);
}

/* Both passes for some columns. */
static void
cost_columns(const struct updown *u, const struct route_model *m, uint32_t lo, uint32_t n)
{
	for (uint32_t i = 0; i < m->g.nsw; i++)
		updown_row_dn(u, m, u->order[i], lo, n, u->dn + (size_t)u->order[i] * m->stride + lo);
	for (uint32_t i = m->g.nsw; i-- > 0;)
		updown_row_r(u, m, u->order[i], lo, n, u->r + (size_t)u->order[i] * m->stride + lo);
}

/* A part takes whole cache lines of each row. */
static void
cost_part(void *data, unsigned i, unsigned n)
{
	const struct costs *c = data;
	uint32_t lines = c->m->stride / 64, lo = stripes_first(lines, i, n);

	cost_columns(c->u, c->m, lo * 64, (stripes_first(lines, i + 1, n) - lo) * 64);
}

void
updown_costs(struct updown *u, const struct route_model *m, const struct stripes *p,
	struct arena *a)
{
	struct costs c = { u, m };
	size_t bytes = (size_t)m->g.nsw * m->stride;

	u->dn = arena_alloc(a, bytes);
	u->r = arena_alloc(a, bytes);
	stripes_each(p, cost_part, &c);
}

void
updown_order(struct updown *u, const struct route_model *m, const uint16_t *rank, uint32_t *plane,
	struct arena *a)
{
	make_order(u, m, rank, a);
	u->plane = plane;
}

void
updown_make(struct updown *u, const struct route_model *m, const uint16_t *rank, struct arena *a)
{
	make_order(u, m, rank, a);
	make_planes(u, m, a);
	updown_costs(u, m, NULL, a);
}

void
updown_candidates(const struct updown *u, struct fill *f)
{
	uint32_t stride = f->m->stride;
	const uint8_t *dn = u->dn + (size_t)f->sw * stride, *r = u->r + (size_t)f->sw * stride;

	for (uint32_t i = 0; i < stride; i += (uint32_t)sizeof(route_vec)) {
		route_vec d = *(const route_vec *)(dn + i), c = *(const route_vec *)(r + i);
		route_vec down = (route_vec)(d != ROUTE_INF);

		*(route_vec *)(f->bound_dn + i) = d & down;
		*(route_vec *)(f->bound_up + i) = c & ~down & (route_vec)(c != ROUTE_INF);
	}
	for (uint32_t k = 0; k < f->ngroups; k++) {
		uint32_t to = f->order[k]->to;
		bool up = updown_is_up(u, f->sw, to);

		fill_below(f, k, (up ? u->r : u->dn) + (size_t)to * stride,
			up ? f->bound_up : f->bound_dn);
	}
}

void
updown_column(const struct updown *u, struct fill *f, uint32_t c)
{
	uint32_t stride = f->m->stride;
	uint8_t dn = u->dn[(size_t)f->sw * stride + c], r = u->r[(size_t)f->sw * stride + c];

	for (uint32_t b = 0; b < (f->ngroups + 7) / 8; b++)
		f->mask[(size_t)b * stride + c] = 0;
	for (uint32_t k = 0; k < f->ngroups && r != ROUTE_INF; k++) {
		size_t at = (size_t)f->order[k]->to * stride + c;
		bool up = updown_is_up(u, f->sw, f->order[k]->to);

		if (dn != ROUTE_INF ? !up && u->dn[at] < dn : up && u->r[at] < r)
			f->mask[(size_t)(k / 8) * stride + c] |= (uint8_t)(1u << k % 8);
	}
}

/* A bit for each of eight costs that is ROUTE_INF. */
static uint64_t
infinite_bits(const uint8_t *cost)
{
	uint64_t x = 0;

	for (unsigned i = 0; i < 8; i++)
		x |= (uint64_t)cost[i] << 8 * i;
	x &= (x & 0x7f7f7f7f7f7f7f7f) + 0x0101010101010101;
	x = x >> 7 & 0x0101010101010101;
	return x * 0x0102040810204080 >> 56;
}

void
updown_holes(const struct updown *u, const struct route_model *m, uint32_t sw, uint64_t *holes)
{
	const uint8_t *row = u->r + (size_t)sw * m->stride;
	uint32_t words = (m->ncols + 63) / 64;

	memset(holes, 0, words * sizeof(*holes));
	for (uint32_t c = 0; c < m->stride; c += 8)
		holes[c / 64] |= infinite_bits(row + c) << c % 64;
	if (m->ncols % 64)
		holes[words - 1] &= ((uint64_t)1 << m->ncols % 64) - 1;
}
