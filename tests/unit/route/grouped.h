/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * grouped.h - fabrics with groups of switches, and the tables that groups give.
 */
#ifndef HEDDLE_TESTS_UNIT_ROUTE_GROUPED_H
#define HEDDLE_TESTS_UNIT_ROUTE_GROUPED_H

#include "fabric/verify/verify.h"
#include "sm/route/groups.h"

/* Switches of the second of two fabrics have GUIDs from here. */
#define GROUPED_SECOND 0x00fe1d0001000000ull

struct grouped {
	struct snapshot *s;
	struct arena arena;
	struct lid_map lids;
	struct routing_groups groups;
	uint32_t room;
	struct route_conf conf;
	struct route_in in; /* with the groups */
	const struct route_engine *whole;
	struct fwd_tables f;
	struct route_report r;
	struct verify_result v;
};

/* Frees what 'x' holds, and makes the fabric of 'spec', and of 'second' (NULL: no second one); the
 * first 'joins' switches of both are linked. */
void grouped_make(struct grouped *x, const char *spec, const char *second, uint32_t joins);
void grouped_clear(struct grouped *x);
/* Adds a group without switches; its index. */
uint32_t grouped_add(struct grouped *x, const char *name, const char *engine);
void grouped_add_switch(struct grouped *x, uint32_t group, uint64_t guid);
/* Adds a group of all switches with GUIDs lo .. end - 1. */
uint32_t grouped_add_range(
	struct grouped *x, const char *name, const char *engine, uint64_t lo, uint64_t end);
/* Routes with 'engine' outside groups, and verifies what comes out.  'kept' (NULL: nothing is) goes
 * from one run to the next. */
enum route_code grouped_route(struct grouped *x, const char *engine, struct groups_kept *kept);
/* The same without groups, into '*out'. */
void grouped_route_whole(struct grouped *x, const char *engine, struct fwd_tables *out);
/* Whether a switch, by ordinal, is in the group; whether the owner of a LID is, or its switch. */
bool grouped_has_switch(const struct grouped *x, uint32_t group, uint32_t sw);
bool grouped_has_lid(const struct grouped *x, uint32_t group, uint32_t lid);
/* Takes the link away. */
void grouped_unplug(struct grouped *x, uint32_t port);

#endif
