/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * framed.h - the frame of a damaged fabric, and up/down tables of it that a test completes or
 * changes.
 * For inclusion by test programs only: it defines what it names.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTE_FRAMED_H
#define HEDDLE_TESTS_UNIT_ROUTE_FRAMED_H

#include "tests/unit/test.h"
#include "sm/route/tree/frame.h"
#include "sm/route/model/updown.h"
#include "tests/unit/route/modelled.h"
#include "util/xalloc.h"

static struct modelled x;
static struct intended *whole;          /* the intended topology; NULL: the fabric as it is */
static struct frame frame;
static struct updown u;
static uint8_t *before;                 /* the tables before the test changes them */

static int
framed_teardown(void **state)
{
	(void)state;
	free(before);
	before = NULL;
	frame_clear(&frame);
	intended_free(whole);
	whole = NULL;
	modelled_clear(&x);
	return 0;
}

/* The frame of a damaged fabric; 'intact': its intended topology is that of the whole one. */
static void
framed_make(const char *spec, const struct made_how *how, bool intact)
{
	framed_teardown(NULL);
	if (intact) {
		modelled_plan(&x, spec, NULL, 0);
		whole = intended_learn(x.s, NULL);
		assert_non_null(whole);
	}
	modelled_plan(&x, spec, how, 0);
	x.in.intended = whole;
	assert_int_equal(frame_make(&frame, &x.in, &x.arena, &x.r), ROUTE_OK);
}

/* The up/down order by ranks, and empty tables; framed_row() fills them. */
static struct fill *
framed_tables(const uint16_t *rank)
{
	struct fill *f = arena_alloc(&x.arena, sizeof(*f));

	updown_order(&u, &frame.now, rank, frame.plane, &x.arena);
	updown_costs(&u, &frame.now, NULL, &x.arena);
	fill_init(f, &frame.now, &x.arena);
	route_tables_init(&frame.now, &x.arena, &x.f);
	return f;
}

/* Fills the table of a switch of the frame, with holes where no up/down path leads. */
static uint8_t *
framed_row(struct fill *f, uint32_t sw)
{
	uint8_t *row = fwd_row(&x.f, frame.ordinal[sw]);

	fill_begin(f, sw, frame.plane);
	updown_candidates(&u, f);
	fill_row(f, row);
	return row;
}

/* The tables are complete: what follows may change them. */
static void
framed_keep(void)
{
	before = xmemdup(x.f.port, (size_t)x.f.stride * x.f.nswitches);
}

#endif
