/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roots.h - which switches are the top.
 * Room: sm/route.  Pure; private to the room.
 */
#ifndef HEDDLE_SM_ROUTE_ROOTS_H
#define HEDDLE_SM_ROUTE_ROOTS_H

#include "sm/route/model.h"

struct roots {
	const char *rule;               /* as in struct route_report */
	uint32_t *sw;                   /* ordinals, ascending; room for all switches */
	uint32_t n;
	uint16_t *rank;                 /* per switch: hops from the nearest root */
	uint16_t max_rank;
	uint32_t lowered;               /* switches that were put below all others */
	uint32_t *sum;                  /* per switch: sum of its distances to all others */
	uint8_t *reach;                 /* per switch: its greatest distance */
	/* per switch: 0, or the number of the part of the fabric it is in */
	uint16_t *part;
};

/* The given roots, or those the rules find.  ROUTE_OK, or INPUT when none of the given ones is
 * here. Owned by 'a'. */
enum route_code roots_find(struct roots *t, const struct route_model *m, const struct route_conf *c,
	struct arena *a, struct route_report *r);
/* Keeps one root: of the given ones, or of all switches, the most central.  False: there was only
 * one already. */
bool roots_single(struct roots *t, const struct route_model *m, struct arena *a);
/* Puts the switches of columns 'lost' below all others.  False, and nothing is done: one of them
 * has hosts. */
bool roots_lower(struct roots *t, const struct route_model *m, const uint64_t *lost);
/* Tells the report about them. */
void roots_report(const struct roots *t, const struct route_model *m, struct arena *a,
	struct route_report *r);

#endif
