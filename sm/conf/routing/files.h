/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * files.h - files that configure routing engines: the lists and tables that keys of heddled.conf
 * and options of heddle-route name.
 * Room: sm/conf/routing (prefix routing_).  In: paths.  Out: what the files hold, or sentences that
 * name file and line.
 *
 * Each file has a reader of its own in this room, which knows its form and nothing of a fabric;
 * routing_files_read() calls those whose file is named.  A line that is not understood is passed
 * over with a warning, so that one slip does not disable a list; a file that cannot be read is an
 * error.  So is a bad line of groups.h, where it would move switches from one engine to another.
 * Where to look next: guids.h (lists of GUIDs), lines.h (GUIDs and numbers), groups.h (groups of
 * switches), torus.h, lfts.h; who uses the result: sm/planner/routes.c and cli/route.
 */
#ifndef HEDDLE_SM_CONF_ROUTING_FILES_H
#define HEDDLE_SM_CONF_ROUTING_FILES_H

#include <stddef.h>
#include <stdint.h>
#include "sm/conf/routing/torus.h"
#include "sm/conf/text/error.h"
#include "util/arena.h"

struct lfts;
struct routing_groups;
struct routing_lines;

/* The files; "" or NULL: none is named. */
struct routing_paths {
	const char *roots; /* root_guid_file */
	const char *compute, *io; /* cn_guid_file, io_guid_file */
	const char *torus; /* torus_config */
	const char *lfts; /* lfts_file */
	const char *order; /* guid_routing_order_file */
	const char *ids; /* ids_guid_file */
	const char *weights; /* hop_weights_file */
	const char *ports; /* port_search_ordering_file */
	const char *groups; /* routing_groups_file */
};

struct routing_files {
	const uint64_t *roots; /* sorted, without duplicates */
	size_t nroots;
	const uint64_t *compute, *io; /* as roots */
	size_t ncompute, nio;
	struct torus_sizes torus; /* ndims 0: none */
	const struct lfts *lfts; /* with its first bad line; NULL: none */
	/* NULL: none */
	const struct routing_lines *order, *ids, *weights, *ports;
	const struct routing_groups *groups; /* NULL: none */
};

/* Reads the files that 'p' names; all is owned by 'a'.  Returns 0, or the negative errno of the
 * first that cannot be used, with a line in e->text. */
int routing_files_read(const struct routing_paths *p, struct arena *a, struct routing_files *out,
	struct conf_error *e);

#endif
