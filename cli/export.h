/* SPDX-License-Identifier: GPL-2.0-only OR Linux-OpenIB
 *
 * export.h - writes all paths of the subnet to files for ibacm and for programs.
 * Room: cli.
 *
 * The export reads the ports from the method Snapshot and the paths from the method Paths, one
 * page at a time.  If the subnet changes between two pages, the export starts again, a few
 * times.  export.c describes the formats.
 */
#ifndef HEDDLE_CLI_EXPORT_H
#define HEDDLE_CLI_EXPORT_H

#include <stdbool.h>
#include "ctlclient/client.h"

#define EXPORT_ROUTES "ibacm_route.data"        /* ibacm's route_preload opensm_full_v1 */
#define EXPORT_HOSTS "ibacm_hosts.data"         /* ibacm's addr_preload acm_hosts */
/* one line per source, as in answers of the method Paths */
#define EXPORT_LINES "paths.jsonl"

struct export_sum {
	json_int_t sources, paths, names;
};

enum export_end {
	EXPORT_OK,
	EXPORT_ANSWER,                  /* heddled answered with an error: see 'a' */
	/* a file could not be written, or the subnet kept changing: a->why */
	EXPORT_FAILED,
};

/* Reads the paths of all ports from the daemon at 'socket' and writes the three files into
 * 'dir'.  They replace older files when all of them are complete.  'hosts': only paths between
 * ports of channel adapters.  The caller clears 'a'. */
enum export_end export_paths(const char *socket, const char *dir, bool hosts,
	struct export_sum *sum, struct client_answer *a);

#endif
