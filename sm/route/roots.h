/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * roots.h - chooses the root switches, and ranks all switches by their distance from them.
 * Room: sm/route.  Pure; private to the room.
 *
 * The roots decide which direction of a link is "up", so they decide which paths up/down allows.
 * The configuration names them, or the rules in roots.c find them.
 *
 * A switch is identified by its ordinal in the model (swgraph), and every array has an element per
 * switch. Ranks are hops from the nearest root: a link leads "up" towards the lower rank. updown.h
 * says how ranks become paths.
 */
#ifndef HEDDLE_SM_ROUTE_ROOTS_H
#define HEDDLE_SM_ROUTE_ROOTS_H

#include "sm/route/model.h"

struct roots {
	const char *rule; /* name of the rule that found the roots, as in struct route_report */
	uint32_t *sw; /* ordinals of the roots, ascending; the array has space for all switches */
	uint32_t n;
	uint16_t *rank;                 /* by switch: hops from the nearest root */
	uint16_t max_rank;
	uint32_t lowered;               /* number of switches ranked below all others */
	uint32_t *sum;                  /* by switch: sum of its distances to all others */
	uint8_t *reach;                 /* by switch: its largest distance to another switch */
	/* by switch: number of its connected part of the fabric, from 1 */
	uint16_t *part;
};

/* Uses the configured roots of 'c', or finds roots by rule, and ranks all switches. Returns
 * ROUTE_OK, or ROUTE_INPUT with the reason in '*r' if none of the configured roots is in the
 * fabric. The arrays of '*t' are allocated in 'a'. */
enum route_code roots_find(struct roots *t, const struct route_model *m, const struct route_conf *c,
	struct arena *a, struct route_report *r);
/* Reduces the roots to one: the most central of the configured roots, otherwise of all switches.
 * Returns false if there was only one already. */
bool roots_single(struct roots *t, const struct route_model *m, struct arena *a);
/* Ranks the switches of the columns in the set 'lost' below all others. Returns false and changes
 * nothing if one of them has hosts. */
bool roots_lower(struct roots *t, const struct route_model *m, const uint64_t *lost);
/* Copies roots and ranks to the report '*r', as node indices; its arrays are allocated in 'a'. */
void roots_report(const struct roots *t, const struct route_model *m, struct arena *a,
	struct route_report *r);

#endif
