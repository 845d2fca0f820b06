/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roots.h - chooses the root switches, and ranks all switches by their distance from them.
 * Room: sm/route.  Pure; private to the room.
 *
 * The roots decide which direction of a link is "up", so they decide which paths up/down allows.
 * The configuration names them, or the rules in roots.c find them.
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
	uint32_t lowered;               /* switches placed below all others */
	uint32_t *sum;                  /* per switch: sum of its distances to all others */
	uint8_t *reach;                 /* per switch: its greatest distance to any other */
	/* per switch: number of its connected part of the fabric, from 1 */
	uint16_t *part;
};

/* Uses the given roots, or finds roots by rule.  Returns ROUTE_OK, or ROUTE_INPUT if none of the
 * given roots is in the fabric.  Owned by 'a'. */
enum route_code roots_find(struct roots *t, const struct route_model *m, const struct route_conf *c,
	struct arena *a, struct route_report *r);
/* Keeps one root, the most central: of the given ones, otherwise of all switches.  False: there
 * was only one root already. */
bool roots_single(struct roots *t, const struct route_model *m, struct arena *a);
/* Places the switches of columns 'lost' below all others.  Returns false and changes nothing if
 * one of them has hosts. */
bool roots_lower(struct roots *t, const struct route_model *m, const uint64_t *lost);
/* Writes the roots to the report. */
void roots_report(const struct roots *t, const struct route_model *m, struct arena *a,
	struct route_report *r);

#endif
