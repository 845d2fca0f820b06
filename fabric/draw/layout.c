/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * layout.c - computes positions: switches in rows by level with hosts below their switch, or in a
 * ring.
 * Room: fabric/draw.
 *
 * The lowest row has the order of the leaves, in which subtrees are adjacent, with a gap where
 * neighbours share no switch above. A switch in a higher row should be at the mean position of its
 * neighbours below. The row is sorted by that position and then moved apart as little as possible,
 * by the method "pool adjacent violators": switches that would overlap become one block around
 * their mean.
 */
#include <config.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fabric/draw/layout.h"
#include "util/xalloc.h"

#define PI 3.14159265358979323846
#define MARGIN 40.0
#define HEAD 84.0                       /* height of title and legend */
#define STEP_MIN 24.0
#define STEP_MAX 150.0
#define BOX_GAP 6.0                     /* least distance of the boxes of a row */
/* A row should not be wider than this, as long as its switches are legible. */
#define ROW_WIDTH 1700.0
#define UPRIGHT_BELOW 84.0
#define BOXES_MAX 64                    /* up to this number, hosts are boxes with names */
#define DOTS_MAX 6000
#define DOT 8.0
/* share of the width of the neighbours below within which two positions count as equal */
#define SAME_SPAN 0.55
#define RING_MIN 4                      /* minimum number of switches for a ring */

struct place {
	uint32_t sw;
	double want, span;
};

static int
place_cmp(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (fabs(x->want - y->want) > 0.01)
		return x->want < y->want ? -1 : 1;
	return x->sw < y->sw ? -1 : x->sw > y->sw;
}

/* Collects the switches of one level into 'row' and returns their number; the lowest level in the
 * order of the leaves. */
static uint32_t
row_of(const struct layout *o, unsigned level, const uint32_t *leaves, struct place *row)
{
	const struct levels *l = o->l;
	uint32_t n = 0;

	for (uint32_t i = 0; level == 1 && i < l->g.nleaves; i++)
		if (l->of[leaves[i]] == 1)
			row[n++].sw = leaves[i];
	for (uint32_t sw = 0; sw < l->g.nsw; sw++)
		if (l->of[sw] == level && !(level == 1 && swgraph_is_leaf(&l->g, sw)))
			row[n++].sw = sw;
	return n;
}

/* Reports whether two switches are neighbours or have a common neighbour. */
static bool
related(const struct swgraph *g, uint32_t a, uint32_t b)
{
	uint32_t i = g->group_first[a], j = g->group_first[b];

	for (uint32_t k = i; k < g->group_first[a + 1]; k++)
		if (g->groups[k].to == b)
			return true;
	while (i < g->group_first[a + 1] && j < g->group_first[b + 1]) {
		if (g->groups[i].to == g->groups[j].to)
			return true;
		if (g->groups[i].to < g->groups[j].to)
			i++;
		else
			j++;
	}
	return false;
}

static double
place_leaves(struct layout *o, const struct place *row, uint32_t n)
{
	double x = MARGIN + o->step / 2;

	for (uint32_t i = 0; i < n; i++) {
		if (i && !related(&o->l->g, row[i - 1].sw, row[i].sw))
			x += o->step * 0.6;
		o->sw[row[i].sw].x = x;
		x += o->step;
	}
	return x - o->step / 2 + MARGIN;
}

/* Sets the wanted position: the mean of the neighbours on lower levels, or the middle of the
 * picture if there are none. 'span' is the distance of the outermost neighbours. */
static void
middle_below(const struct layout *o, struct place *p)
{
	const struct swgraph *g = &o->l->g;
	double sum = 0, low = o->width, high = 0;
	unsigned n = 0;

	for (uint32_t i = g->group_first[p->sw]; i < g->group_first[p->sw + 1]; i++)
		if (o->l->of[g->groups[i].to] < o->l->of[p->sw]) {
			double x = o->sw[g->groups[i].to].x;

			sum += x;
			low = x < low ? x : low;
			high = x > high ? x : high;
			n++;
		}
	p->want = n ? sum / n : o->width / 2;
	p->span = n ? high - low : 0;
}

/* Sorts switches with nearly equal positions by GUID, so that a missing link does not move its
 * switch. */
static void
settle(const struct layout *o, struct place *row, uint32_t n)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i <= n; i++) {
		double near = o->step / 2, middle;

		if (i < n) {
			near = SAME_SPAN * row[first].span > near ? SAME_SPAN * row[first].span :
				near;
			near = SAME_SPAN * row[i].span > near ? SAME_SPAN * row[i].span : near;
			if (row[i].want - row[first].want <= near)
				continue;
		}
		middle = (row[first].want + row[i - 1].want) / 2;
		for (uint32_t k = first; k < i; k++)
			row[k].want = middle;
		qsort(&row[first], i - first, sizeof(*row), place_cmp);
		first = i;
	}
}

/* Moves row[] apart to the distance 'step', as little as possible. */
static void
spread(struct layout *o, struct place *row, uint32_t n, double step)
{
	struct block { double sum; uint32_t first, count; } *b = xcalloc(n + 1u, sizeof(*b));
	uint32_t nb = 0;
	double low = MARGIN + o->box_w / 2, high = o->width - MARGIN - o->box_w / 2;

	for (uint32_t i = 0; i < n; i++) {
		b[nb++] = (struct block){ row[i].want - i * step, i, 1 };
		while (nb > 1 &&
		    b[nb - 1].sum / b[nb - 1].count < b[nb - 2].sum / b[nb - 2].count) {
			b[nb - 2].sum += b[nb - 1].sum;
			b[nb - 2].count += b[nb - 1].count;
			nb--;
		}
	}
	for (uint32_t k = 0; k < nb; k++)
		for (uint32_t i = b[k].first; i < b[k].first + b[k].count; i++)
			o->sw[row[i].sw].x = b[k].sum / b[k].count + i * step;
	for (uint32_t i = 0; i < n; i++) {       /* keep the row within the picture */
		double least = low + i * step, most = high - (n - 1 - i) * step;
		double *x = &o->sw[row[i].sw].x;

		*x = *x > most ? most : *x;
		*x = *x < least ? least : *x;
	}
	free(b);
}

static double
row_step(const struct layout *o, uint32_t n)
{
	double room = (o->width - 2 * MARGIN) / (n ? n : 1);

	return room < o->step ? room : room > o->step * 1.8 ? o->step * 1.8 : room;
}

static void
place_row(struct layout *o, struct place *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		middle_below(o, &row[i]);
	qsort(row, n, sizeof(*row), place_cmp);
	settle(o, row, n);
	spread(o, row, n, row_step(o, n));
}

/* ---- hosts ---- */

static uint32_t
most_hosts(const struct swgraph *g)
{
	uint32_t most = 0;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		if (g->host_first[sw + 1] - g->host_first[sw] > most)
			most = g->host_first[sw + 1] - g->host_first[sw];
	return most;
}

static void
choose_hosts(struct layout *o, uint32_t all, uint32_t most)
{
	o->hosts = all <= BOXES_MAX && most <= 4 ? LAYOUT_BOXES : all <= DOTS_MAX ? LAYOUT_DOTS :
		LAYOUT_COUNTS;
	if (o->hosts == LAYOUT_BOXES && o->step / (most ? most : 1) < 30)
		o->hosts = LAYOUT_DOTS;
	o->host_w = o->host_h = DOT;
	if (o->hosts == LAYOUT_BOXES) {
		o->host_w = (o->step - 8) / (most ? most : 1) - 4;
		o->host_w = o->host_w > 64 ? 64 : o->host_w;
		o->host_h = o->host_w < 44 ? 52 : 20;
	}
}

/* Places hosts below their switch, in as many columns as its width allows. Returns the
 * largest y. */
static double
place_hosts(struct layout *o)
{
	const struct swgraph *g = &o->l->g;
	double low = 0, dx = o->host_w + (o->hosts == LAYOUT_BOXES ? 4 : 2),
		dy = o->host_h + (o->hosts == LAYOUT_BOXES ? 6 : 2);

	for (uint32_t sw = 0; sw < g->nsw; sw++) {
		uint32_t n = g->host_first[sw + 1] - g->host_first[sw],
			columns = (uint32_t)(o->step * 0.97 / dx);
		double top = o->sw[sw].y + o->box_h / 2 + (o->l->of[sw] > 1 ? 4 : 26) +
			o->host_h / 2;

		columns = columns > n ? n : columns ? columns : 1;
		o->below[sw] = top;
		for (uint32_t i = 0; i < n; i++) {
			struct layout_host *h = &o->host[g->host_first[sw] + i];

			h->x = o->sw[sw].x + ((double)(i % columns) - (columns - 1) / 2.0) * dx;
			h->y = top + i / columns * dy;
			o->below[sw] = h->y + o->host_h / 2 + 10;
		}
		low = o->below[sw] > low ? o->below[sw] : low;
	}
	return low;
}

/* ---- rows or a ring ---- */

double
layout_swing(double dx)
{
	double swing = 30 + fabs(dx) * 0.16;

	return swing > 260 ? 260 : swing;
}

/* Returns the height of the arcs above the highest row. */
static double
headroom(const struct layout *o)
{
	const struct swgraph *g = &o->l->g;
	double most = 0;

	for (uint32_t sw = 0; sw < g->nsw; sw++)
		for (uint32_t i = g->group_first[sw]; o->l->of[sw] == o->l->top &&
		    i < g->group_first[sw + 1]; i++)
			if (o->l->of[g->groups[i].to] == o->l->top) {
				double swing =
					layout_swing(o->sw[sw].x - o->sw[g->groups[i].to].x) / 2;

				most = swing > most ? swing : most;
			}
	return most;
}

/* The width that no row of switches is too wide for. */
static double
rows_width(const struct layout *o, const uint32_t *leaves, struct place *row)
{
	double width = 720;

	for (unsigned level = 2; level <= o->l->top; level++) {
		double least = row_of(o, level, leaves, row) * (o->box_w + BOX_GAP) + 2 * MARGIN;

		width = least > width ? least : width;
	}
	return width;
}

static void
rows_place(struct layout *o, const uint32_t *leaves, struct place *row)
{
	unsigned top = o->l->top;
	double apart, first, shift, width = rows_width(o, leaves, row);
	uint32_t n = row_of(o, 1, leaves, row);

	o->width = place_leaves(o, row, n);
	o->width = o->width < width ? width : o->width;
	shift = n ? (o->width - o->sw[row[0].sw].x - o->sw[row[n - 1].sw].x) / 2 : 0;
	for (uint32_t i = 0; i < n; i++)        /* the row in the middle */
		o->sw[row[i].sw].x += shift;
	for (unsigned level = 2; level <= top; level++)
		place_row(o, row, row_of(o, level, leaves, row));
	apart = o->width / 9 < 130 ? 130 : o->width / 9 > 420 ? 420 : o->width / 9;
	o->scale = o->width < ROW_WIDTH ? 1 : o->width / ROW_WIDTH;
	first = HEAD * o->scale + headroom(o) + o->box_h / 2 + 10;
	for (uint32_t sw = 0; sw < o->l->g.nsw; sw++)
		o->sw[sw].y = first + (top - o->l->of[sw]) * (apart + o->box_h);
	o->height = place_hosts(o) + MARGIN;
}

/* Places switches in the order of their GUIDs, since devices of one delivery are often
 * neighbours. */
static void
ring_place(struct layout *o)
{
	uint32_t n = o->l->g.nsw;
	double r = n * 22.0 / (2 * PI);

	o->ring = true;
	r = r < 200 ? 200 : r;
	o->box_w = o->box_h = 14;
	o->hosts = LAYOUT_COUNTS;
	o->width = 2 * (r + 130 + MARGIN);
	o->height = o->width + HEAD - MARGIN;
	o->ring_y = HEAD - MARGIN + o->width / 2;
	for (uint32_t i = 0; i < n; i++) {
		double a = 2 * PI * i / n - PI / 2;

		o->sw[i] = (struct layout_switch){ o->width / 2 + r * cos(a),
			o->ring_y + r * sin(a), a };
	}
}

static uint32_t
widest_row(const struct levels *l, uint32_t *lowest)
{
	uint32_t count[256] = { 0 }, most = 0;

	for (uint32_t sw = 0; sw < l->g.nsw; sw++)
		count[l->of[sw]]++;
	for (unsigned i = 0; i < 256; i++)
		most = count[i] > most ? count[i] : most;
	*lowest = count[1];
	return most;
}

void
layout_make(const struct snapshot *s, struct levels *l, struct layout *o)
{
	uint32_t *leaves = arena_array(&l->arena, l->g.nsw + 1u, sizeof(*leaves)),
		most = most_hosts(&l->g), lowest, widest;
	struct place *row = xcalloc(l->g.nsw + 1u, sizeof(*row));

	*o = (struct layout){ .l = l, .scale = 1 };
	o->sw = arena_array(&l->arena, l->g.nsw + 1u, sizeof(*o->sw));
	o->host = arena_array(&l->arena, s->nports + 1u, sizeof(*o->host));
	o->below = arena_array(&l->arena, l->g.nsw + 1u, sizeof(*o->below));
	swgraph_leaf_order(&l->g, &l->arena, leaves);
	widest = widest_row(l, &lowest);
	o->step = ROW_WIDTH / (widest ? widest : 1) * (lowest ? (double)widest / lowest : 1);
	o->step = o->step < STEP_MIN ? STEP_MIN : o->step > STEP_MAX ? STEP_MAX : o->step;
	o->upright = ROW_WIDTH / (widest ? widest : 1) < UPRIGHT_BELOW;
	o->box_w = o->upright ? (o->step < 40 ? o->step - 6 : 34) : 76;
	if (o->upright && o->box_w > ROW_WIDTH / widest - 6)
		o->box_w = ROW_WIDTH / widest < STEP_MIN ? STEP_MIN - 6 : ROW_WIDTH / widest - 6;
	o->box_h = o->upright ? 74 : 26;
	choose_hosts(o, l->g.nsw ? l->g.host_first[l->g.nsw] : 0, most);
	if (l->top == 1 && l->g.nsw >= RING_MIN)
		ring_place(o);
	else if (l->g.nsw)
		rows_place(o, leaves, row);
	else
		o->width = o->height = 400;
	free(row);
}
