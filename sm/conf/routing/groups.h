/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * groups.h - reads routing_groups_file: groups of switches, each with a routing engine of its own.
 * Room: sm/conf/routing (prefix routing_).
 *
 *   group NAME ENGINE
 *   GUID                 of a switch, decimal or hexadecimal with 0x; one per line
 *   ...                  until the next group
 *
 * A '#' begins a comment.  Unlike the other files of this room, a bad line is an error: passing it
 * over would put switches into the wrong group, or out of all of them, and move routes.
 * Where to look next: sm/route/groups.h, the tables that groups give.
 */
#ifndef HEDDLE_SM_CONF_ROUTING_GROUPS_H
#define HEDDLE_SM_CONF_ROUTING_GROUPS_H

#include <stdint.h>
#include "util/arena.h"

struct conf_error;

#define ROUTING_GROUPS_MAX 64 /* one bit each in struct route_groups */
#define ROUTING_GROUP_NAME_MAX 31

struct routing_group_switch {
	uint64_t guid; /* not 0; in one group only */
	uint32_t line; /* of the file, from 1 */
};

struct routing_group {
	const char *name;
	const char *engine; /* as engines.def spells it; static text */
	uint32_t line;
	struct routing_group_switch *sw; /* at least one */
	uint32_t n;
};

struct routing_groups {
	const char *file;
	struct routing_group *group;
	uint32_t n; /* 0: the file has no group */
};

/* Reads 'path' into '*out'; all is owned by 'a'.  Returns 0, or a negative errno, with a line in
 * e->text that names file and line and what was expected. */
int routing_groups_read(
	const char *path, struct arena *a, const struct routing_groups **out, struct conf_error *e);

#endif
